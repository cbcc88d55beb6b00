// Kernels: a module that the driver compiles from PTX, and its function.
//
// The parameters of a PTX kernel, which the PTX emitter follows:
//
//	for each binding         .u64  device address
//	for each binding         .u32  size in bytes, at most 2^32-1
//	for each binding with a  .u32  number of elements
//	  runtime-sized array
//	the immediates           .b8[]
//
// each in the order of abi.Kernel.Bindings. Uniform bindings are addresses like
// the others.

package cuda

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// kernel is a loaded kernel.
type kernel struct {
	device     *device
	name       string
	module     uintptr
	function   uintptr
	workgroup  [3]uint32
	bindings   []abi.Binding
	parameters int
	immediates int // bytes
	// shared is the workgroup memory that a launch asks for: 0 where the code
	// declares it, which it may up to staticShared.
	shared uint32
	closed atomic.Bool
}

// staticShared is the most workgroup memory that code may declare. What is beyond
// must be asked for at launch, and the function told first (CUDA driver API,
// cuFuncSetAttribute).
const staticShared = 48 << 10

// Options of the just-in-time compiler (CUjit_option).
const (
	optionInfoLog       = 3
	optionInfoLogBytes  = 4
	optionErrorLog      = 5
	optionErrorLogBytes = 6
	optionLineInfo      = 13
)

// logBytes is the room for each of the compiler's logs.
const logBytes = 16 << 10

// Load compiles a PTX artefact.
func (d *device) Load(artefact *abi.Artefact) (driver.Kernel, error) {
	k := &kernel{
		device: d, name: artefact.Kernel.Name, workgroup: artefact.Kernel.Workgroup,
		bindings: slices.Clone(artefact.Kernel.Bindings), parameters: 2 * len(artefact.Kernel.Bindings),
		immediates: artefact.Kernel.ImmediateBytes(),
	}
	for _, b := range k.bindings {
		if b.Stride > 0 {
			k.parameters++
		}
	}
	if bytes := artefact.Kernel.WorkgroupBytes; bytes > staticShared {
		k.shared = bytes
	}
	err := d.info.Accepts(artefact)
	if err == nil && len(artefact.Kernel.Handles) > 0 {
		err = errNoTextures
	}
	if err == nil {
		err = k.load(artefact.Code)
	}
	if err != nil {
		return nil, fmt.Errorf("cuda: load kernel %s: %w", k.name, err)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	d.kernels[k] = struct{}{}
	return k, nil
}

// load compiles the text and finds the function.
func (k *kernel) load(code []byte) error {
	d, cu := k.device, k.device.cu
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	image := append(bytes.TrimRight(slices.Clone(code), "\x00"), 0)
	information, failure := make([]byte, logBytes), make([]byte, logBytes)
	// The option values are addresses and numbers in one array, so the addresses
	// are integers and what they point to is pinned.
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&information[0])
	pinner.Pin(&failure[0])
	options := []uint32{optionInfoLog, optionInfoLogBytes, optionErrorLog, optionErrorLogBytes, optionLineInfo}
	values := []uintptr{uintptr(dl.First(information)), logBytes, uintptr(dl.First(failure)), logBytes, 1}
	register := dl.Call(cu.ModuleLoad, uintptr(unsafe.Pointer(&k.module)), uintptr(dl.First(image)),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values[0])))
	if err := d.check("compile", register); err != nil {
		if log := strings.TrimSpace(dl.Text(failure)); log != "" {
			return fmt.Errorf("%w\n%s", err, log)
		}
		return err
	}
	err := d.check("find the entry point", dl.Call(cu.ModuleFunction,
		uintptr(unsafe.Pointer(&k.function)), k.module, uintptr(unsafe.Pointer(dl.CString(k.name)))))
	if err == nil && k.shared > 0 {
		const maxDynamicShared = 8 // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
		err = d.check("reserve workgroup memory", dl.Call(cu.FunctionSet, k.function, maxDynamicShared, uintptr(k.shared)))
	}
	if err == nil {
		err = k.fits()
	}
	if err != nil {
		dl.Call(cu.ModuleUnload, k.module)
	}
	return err
}

// fits compares the workgroup with what the compiled function's registers leave
// room for.
func (k *kernel) fits() error {
	const maxThreads = 0 // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
	var most int32
	err := k.device.check("query the function", dl.Call(k.device.cu.FunctionQuery, uintptr(unsafe.Pointer(&most)), maxThreads, k.function))
	if err != nil {
		return err
	}
	if n := k.workgroup[0] * k.workgroup[1] * k.workgroup[2]; n > uint32(most) {
		return fmt.Errorf("%w: %d invocations in a workgroup, but the compiled kernel's registers allow %d", driver.ErrUnsupported, n, most)
	}
	return nil
}

// Close unloads the module once all work has finished.
func (k *kernel) Close() error {
	if k.closed.Swap(true) {
		return nil
	}
	d := k.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed || d.lost() != nil {
		return nil
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	delete(d.kernels, k)
	if err := d.check("wait for the device", dl.Call(d.cu.Synchronize)); err != nil {
		return err
	}
	return d.check("unload a kernel", dl.Call(d.cu.ModuleUnload, k.module))
}

// arguments is a block of parameters, reused between launches. Every parameter but
// the immediates, which are the last and take several, has a slot of 8 bytes, of which the driver reads as many as the kernel's
// parameter has; on the little-endian machines that CUDA runs on, a u32 is the
// slot's low half.
type arguments struct {
	slots    []uint64
	pointers []unsafe.Pointer // to the slots, as cuLaunchKernel takes them
}

// resize makes room for n parameters.
func (a *arguments) resize(n int) {
	if n <= len(a.slots) {
		return
	}
	a.slots = make([]uint64, max(n, 2*len(a.slots), 32))
	a.pointers = make([]unsafe.Pointer, len(a.slots))
	for i := range a.slots {
		a.pointers[i] = unsafe.Pointer(&a.slots[i])
	}
}

// set fills the block for a launch.
func (a *arguments) set(k *kernel, bindings []driver.Slice, immediates []byte) {
	a.resize(max(k.parameters+(len(immediates)+7)/8, 1))
	n, next := len(bindings), 2*len(bindings)
	for i := range bindings {
		b := &bindings[i]
		a.slots[i] = b.Memory.(*memory).address + b.Offset
		a.slots[n+i] = min(b.Bytes, math.MaxUint32)
		if k.bindings[i].Stride > 0 {
			a.slots[next] = uint64(k.bindings[i].Length(b.Bytes))
			next++
		}
	}
	if len(immediates) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&a.slots[next])), 8*(len(a.slots)-next)), immediates)
	}
}
