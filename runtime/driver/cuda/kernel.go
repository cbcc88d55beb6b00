// Kernels: a module that the driver compiles from PTX, and its function. Launches
// pass the parameters that the description lists (abi.Kernel.PassedParameters).

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
	handles    []abi.Handle
	parameters []abi.Parameter
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
		bindings: slices.Clone(artefact.Kernel.Bindings), handles: slices.Clone(artefact.Kernel.Handles), immediates: artefact.Kernel.ImmediateBytes(),
	}
	if bytes := artefact.Kernel.WorkgroupBytes; bytes > staticShared {
		k.shared = bytes
	}
	err := d.unloadUnused()
	if err == nil {
		err = d.info.Accepts(artefact)
	}
	if err == nil {
		k.parameters, err = parametersOf(artefact)
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

// parametersOf returns what launches pass. A description that lists other parameters
// than the code has is refused, as that of another target is, where there is no list:
// the driver would take what lies behind the arguments for some.
func parametersOf(artefact *abi.Artefact) ([]abi.Parameter, error) {
	parameters, err := artefact.Kernel.PassedParameters()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrUnsupported, err)
	}
	if n := declaredParameters(artefact.Code, artefact.Kernel.Name); n >= 0 && n != len(parameters) {
		return nil, fmt.Errorf("%w: the code has %d parameters and its description %d; it may be that of another target",
			driver.ErrUnsupported, n, len(parameters))
	}
	return slices.Clone(parameters), nil
}

// declaredParameters counts the parameters of an entry point, or returns -1 where the
// text has none of this name and leaves it to the driver to say so.
func declaredParameters(code []byte, entry string) int {
	for {
		_, behind, ok := bytes.Cut(code, []byte(".entry"))
		if !ok {
			return -1
		}
		code = behind
		name, list, _ := bytes.Cut(code, []byte("("))
		if string(bytes.TrimSpace(name)) == entry {
			list, _, _ = bytes.Cut(list, []byte(")"))
			return bytes.Count(list, []byte(".param"))
		}
	}
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

// Close has the module unloaded once the work that streams were given before has
// finished. It waits for none of it: where some is under way, the module stays until
// a later Load or Close.
func (k *kernel) Close() error {
	if k.closed.Swap(true) {
		return nil
	}
	if err := k.device.retire(k); err != nil {
		return err
	}
	return k.device.unloadUnused()
}

// forget removes the kernel from those that close with the device; the device's mutex is held.
func (k *kernel) forget() { delete(k.device.kernels, k) }

// unload gives the driver's objects back; no work uses them.
func (k *kernel) unload() error {
	return k.device.check("unload a kernel", dl.Call(k.device.cu.ModuleUnload, k.module))
}

// arguments is a block of parameters, reused between launches. Every parameter but
// the immediates, which are the last and take several, has a slot of 8 bytes, of
// which the driver reads as many as the kernel's parameter has; on the little-endian
// machines that CUDA runs on, a u32 is the slot's low half.
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

// set fills the block for a launch, but for what is of textures (setTextures).
func (a *arguments) set(k *kernel, bindings []driver.Slice, immediates []byte) {
	a.resize(max(len(k.parameters)+(len(immediates)+7)/8, 1))
	for i, p := range k.parameters {
		switch p.Kind {
		case abi.AddressParameter:
			b := &bindings[p.Binding]
			a.slots[i] = b.Memory.(*memory).address + b.Offset
		case abi.BytesParameter:
			a.slots[i] = min(bindings[p.Binding].Bytes, math.MaxUint32)
		case abi.LengthParameter:
			a.slots[i] = uint64(k.bindings[p.Binding].Length(bindings[p.Binding].Bytes))
		case abi.ImmediatesParameter:
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&a.slots[i])), 8*(len(a.slots)-i)), immediates)
		}
	}
}
