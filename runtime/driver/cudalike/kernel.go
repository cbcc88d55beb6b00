// Kernels: a module, which the driver makes of an artefact's code, and its function.

package cudalike

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	workgroup  [3]uint32
	bindings   []abi.Binding
	handles    []abi.Handle
	immediates int // bytes
	// addresses is the variant that takes the addresses of all buffers, and values the one that
	// takes uniform buffers by value, without a function if there is none. If there are both, the
	// first launch that needs addresses loads it: most launches do not, and drivers take long to
	// compile.
	addresses, values variant
	loading           sync.Mutex // held while addresses is loaded by a launch, or unloaded
	// shared is the workgroup memory that a launch requests (abi.Kernel.RequestedBytes).
	shared uint32
	// tensor is the variant with tensor maps, nil if there is none for the device. maps is how many
	// tensor maps a launch has if the kernel is such a variant itself.
	tensor *tensor
	maps   int
	closed atomic.Bool
}

// variant is the code of a kernel with its parameters.
type variant struct {
	module     uintptr
	function   uintptr // 0 if it is not loaded
	parameters []abi.Parameter
	slots      int // of arguments
	// dependent says that the kernel waits for the launch in front of it, see waits
	dependent bool
	// until it is loaded, or if the library may read it later: what Go's collector sees does not
	// move
	image []byte
}

// Load makes a kernel of an artefact.
func (d *device) Load(artefact *abi.Artefact) (driver.Kernel, error) {
	k := newKernel(d, artefact)
	err := d.unloadUnused()
	if err == nil {
		err = k.open(artefact)
	}
	if err != nil {
		return nil, d.named(fmt.Errorf("load kernel %s: %w", k.name, err))
	}
	k.tensor = d.newTensor(artefact)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	d.kernels[k] = struct{}{}
	return k, nil
}

// newKernel describes the kernel of an artefact, without loading it.
func newKernel(d *device, artefact *abi.Artefact) *kernel {
	about := &artefact.Kernel
	return &kernel{
		device: d, name: about.Name, workgroup: about.Workgroup,
		bindings: slices.Clone(about.Bindings), handles: slices.Clone(about.Handles), immediates: about.ImmediateBytes(),
		shared: about.RequestedBytes(d.c.api.StaticShared),
	}
}

// open loads the variant of the kernel that most launches take, and prepares the other.
func (k *kernel) open(artefact *abi.Artefact) error {
	d := k.device
	if err := d.info.Accepts(artefact); err != nil {
		return err
	}
	if len(k.handles) > 0 && !d.c.hasTextures() {
		return d.errNoTextures()
	}
	if err := k.prepare(&k.addresses, artefact); err != nil {
		return err
	}
	first := &k.addresses
	if valued := artefact.Valued(); valued != nil {
		first = &k.values
		if err := k.prepare(first, valued); err != nil {
			return err
		}
	}
	return k.load(first)
}

// prepare fills a variant of the kernel, without loading it.
func (k *kernel) prepare(f *variant, artefact *abi.Artefact) (err error) {
	api := k.device.c.api
	if f.parameters, err = parametersOf(api, artefact); err != nil {
		return err
	}
	for _, p := range f.parameters {
		if p.Kind == abi.TensorMapParameter && p.Binding >= k.maps {
			return fmt.Errorf("%w: the code takes tensor map %d, but a launch has %d", driver.ErrUnsupported, p.Binding, k.maps)
		}
		f.slots += slotsOf(k.size(p))
	}
	if f.image, err = api.Image(artefact, k.device.cache.Load()); err == nil {
		f.dependent = k.device.waits(&f.image, k.name)
	}
	return err
}

// addressed returns the variant that takes addresses, loaded.
func (k *kernel) addressed() (*variant, error) {
	if k.values.function == 0 {
		return &k.addresses, nil
	}
	k.loading.Lock()
	defer k.loading.Unlock()
	if k.addresses.function != 0 {
		return &k.addresses, nil
	}
	return &k.addresses, k.load(&k.addresses)
}

// parametersOf returns what launches pass. A description that lists other parameters than the code
// has is refused: the driver would read beyond the arguments. So is code for another target with a
// description without a list.
func parametersOf(api *API, artefact *abi.Artefact) ([]abi.Parameter, error) {
	parameters, err := artefact.Kernel.PassedParameters()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrUnsupported, err)
	}
	if n := api.Declared(artefact.Code, artefact.Kernel.Name); n >= 0 && n != len(parameters) {
		return nil, fmt.Errorf("%w: the code has %d parameters and its description %d; it may be that of another target",
			driver.ErrUnsupported, n, len(parameters))
	}
	return slices.Clone(parameters), nil
}

// load makes the module and finds the function.
func (k *kernel) load(f *variant) error {
	d, c := k.device, k.device.c
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	register, log := c.api.Load(&c.Functions, &f.module, f.image)
	if err := d.check(c.api.Loading, register); err != nil {
		if log = strings.TrimSpace(log); log != "" {
			return fmt.Errorf("%w\n%s", err, log)
		}
		return err
	}
	function := uintptr(0)
	err := d.check("find the entry point", dl.Call(c.ModuleFunction,
		uintptr(unsafe.Pointer(&function)), f.module, uintptr(unsafe.Pointer(dl.CString(k.name)))))
	if err == nil && k.shared > 0 && c.FunctionSet != 0 {
		// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES; HIP's code declares all that there is
		const maxDynamicShared = 8
		err = d.check("reserve workgroup memory", dl.Call(c.FunctionSet, function, maxDynamicShared, uintptr(k.shared)))
	}
	if err == nil {
		err = k.fits(function)
	}
	if err != nil {
		dl.Call(c.ModuleUnload, f.module)
		return err
	}
	if f.function = function; !c.api.KeepsImage {
		f.image = nil
	}
	return nil
}

// fits compares the workgroup with what the compiled function's registers allow.
func (k *kernel) fits(function uintptr) error {
	// CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
	const maxThreads = 0
	var most int32
	err := k.device.check("query the function", dl.Call(k.device.c.FunctionQuery, uintptr(unsafe.Pointer(&most)), maxThreads, function))
	if err != nil {
		return err
	}
	if n := k.workgroup[0] * k.workgroup[1] * k.workgroup[2]; n > uint32(most) {
		return fmt.Errorf("%w: %d invocations in a workgroup, but the compiled kernel's registers allow %d", driver.ErrUnsupported, n, most)
	}
	return nil
}

// Close has the module unloaded once the work that streams were given before has finished. It does
// not wait: a later Load or Close unloads it then.
func (k *kernel) Close() error {
	if k.closed.Swap(true) {
		return nil
	}
	return k.device.retire(func() { delete(k.device.kernels, k) }, k.unload)
}

// unload unloads the module; no work uses it.
func (k *kernel) unload() (err error) {
	k.loading.Lock()
	defer k.loading.Unlock()
	for _, f := range [...]*variant{&k.addresses, &k.values} {
		if f.function == 0 {
			continue
		}
		if failure := k.device.check("unload a kernel", dl.Call(k.device.c.ModuleUnload, f.module)); err == nil {
			err = failure
		}
	}
	return cmp.Or(err, k.tensor.unload())
}
