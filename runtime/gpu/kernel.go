// Kernels and their arguments. Arguments are checked when they are set and laid
// out once, so a launch has little left to do and allocates nothing.

package gpu

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Kernel is a loaded kernel.
type Kernel struct {
	device      *Device
	kernel      driver.Kernel
	description abi.Kernel
	arguments   []abi.Binding   // what Args take
	sites       *faultSites     // nil unless compiled with -bounds=trap
	printer     *printer        // nil unless compiled with debugging on, and it prints
	coarse      *coarse         // nil if there is no coarse form
	tables      *allocation     // nil unless there are tables
	accepted    []acceptedTypes // by argument
	// messages, record and scratch are the bindings that a launch provides, -1 for none.
	messages, record, scratch int
	lifetime                  *lifetime
	profiled                  atomic.Pointer[tally]
}

// Describe returns the compiler's description of the kernel, which must not be changed. Args take
// its Arguments.
func (k *Kernel) Describe() *abi.Kernel {
	if k == nil {
		return new(abi.Kernel)
	}
	return &k.description
}

// Cover returns the smallest grid whose workgroups cover an extent, in invocations. y and z are 1
// where they are not used.
func (k *Kernel) Cover(x, y, z uint32) Grid {
	if !k.valid() {
		return Grid{}
	}
	up := func(n uint32, dimension int) uint32 {
		size := uint64(k.description.Workgroup[dimension])
		return uint32((uint64(n) + size - 1) / size)
	}
	return Grid{X: up(x, 0), Y: up(y, 1), Z: up(z, 2)}
}

// Index returns the index for Args.Set of the binding with this name in the source, or -1.
func (k *Kernel) Index(name string) int {
	if !k.valid() {
		return -1
	}
	for i := range k.arguments {
		if k.arguments[i].Name == name {
			return i
		}
	}
	return -1
}

// Close releases the kernel once the launches under way have finished. Closing twice is no error.
func (k *Kernel) Close() error {
	if !k.valid() {
		return invalid("close a kernel", kernelMaker)
	}
	if k.sites != nil {
		k.sites.closed.Store(true)
	}
	if k.printer != nil {
		k.printer.closed.Store(true)
	}
	return k.device.closing(k.lifetime.close)
}

// Args returns an empty set of arguments for launches of the kernel.
func (k *Kernel) Args() *Args {
	if !k.valid() {
		return new(Args) // whose methods say that it is none
	}
	n := len(k.arguments)
	parts := make([]driver.Slice, len(k.description.Bindings))
	if k.tables != nil {
		parts[len(parts)-1] = k.tables.whole()
	}
	return &Args{kernel: k, buffers: make([]Bound, n), memory: make([]*allocation, n), parts: parts,
		handles: make([]handle, len(k.description.Handles)), bound: make([]driver.Handle, len(k.description.Handles)),
		immediates: make([]byte, k.description.ImmediateBytes())}
}

// Args are the arguments of a kernel: buffers, textures, samplers and immediates. Kernel.Args makes
// them. They may be changed between launches: a launch has read them when it returns.
type Args struct {
	kernel *Kernel

	mutex   sync.Mutex
	buffers []Bound
	memory  []*allocation
	// behind them those of messages, a fault record and scratch memory, set by a launch, and the
	// tables
	parts   []driver.Slice
	handles []handle
	bound   []driver.Handle // handles as launches take them

	immediates []byte // and after them the extent of the launch
	checked    bool
	conflict   error  // what overlaps, once checked
	moves      uint64 // boundBytes, or 0 if that is not known
}

// Set sets the buffer of binding i, an index in abi.Kernel.Arguments. It is ErrShape if size,
// offset or element type do not fit the binding, and ErrLimit if the device takes no such size or
// offset.
//
// Scalars must have the kernel's type at the kernel's offset, padding included; `gpuc layout -lang
// go` declares such structures. A vec3<f32> is a [3]float32, followed by padding in arrays. A
// matrix is an array of columns, an atomic an integer, and an f16 its 16 bits. Structures whose
// fields have the members' names at other offsets are refused, and so are structures with more
// fields. Plain numbers fit a structure that consists of such numbers.
//
// Bytes are raw storage and fit everything, see Buffer.Raw. Other integers of 8 and 16 bits may be
// parts of wider integers.
func (a *Args) Set(i int, buffer Bound) error {
	if !a.valid() {
		return invalid("arguments", argsMaker)
	}
	k := a.kernel
	if i < 0 || i >= len(a.memory) {
		return fmt.Errorf("kernel %s: %w: binding %d of %d", k.description.Name, ErrShape, i, len(a.memory))
	}
	binding := &k.arguments[i]
	if buffer == nil || !buffer.valid() {
		return fmt.Errorf("kernel %s: binding %d (%s): %w: it is nil or none that Alloc made", k.description.Name, i, binding.Name, ErrShape)
	}
	memory, part, element := buffer.bound()
	err := k.checkType(i, buffer, element)
	if err == nil {
		err = k.fits(binding, buffer, memory, part, element)
	}
	if err != nil {
		return fmt.Errorf("kernel %s: binding %d (%s): %w", k.description.Name, i, binding.Name, err)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.buffers[i], a.memory[i], a.parts[i] = buffer, memory, part
	a.checked = false
	return nil
}

// SetImmediates sets the kernel's variable in address space immediate to bytes as they are in
// memory. They are copied, and must be abi.Immediates.Size bytes, otherwise it is ErrShape. Until
// then they are zero.
func (a *Args) SetImmediates(data []byte) error {
	if !a.valid() {
		return invalid("arguments", argsMaker)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if want := a.kernel.description.ValueBytes(); len(data) != want {
		return fmt.Errorf("kernel %s: %w: %d bytes of immediates, but it takes %d", a.kernel.description.Name, ErrShape, len(data), want)
	}
	copy(a.immediates, data)
	return nil
}

// SetImmediates sets the kernel's variable in address space immediate to a value whose type fits,
// as the elements of buffers have to: see Args.Set, whose errors it has. Bytes beyond the value are
// zero.
func SetImmediates[T any](a *Args, value T) error {
	if !a.valid() {
		return invalid("arguments", argsMaker)
	}
	k := &a.kernel.description
	host, fail := reflect.TypeFor[T](), func(err error) error { return fmt.Errorf("kernel %s: immediates: %w", k.Name, err) }
	if k.Immediates == nil {
		return fail(fmt.Errorf("%w: it has none", ErrShape))
	}
	if _, err := elementOf(host); err != nil {
		return fail(err)
	}
	if l := k.LayoutOf(k.Immediates.Type); l != nil {
		if problem := compareLayouts(k.Immediates.Name, l, host, true); problem != "" {
			return fail(layoutError(problem))
		}
	}
	data := bytesOf([]T{value})
	if size := k.ValueBytes(); len(data) < size {
		data = append(data, make([]byte, size-len(data))...)
	}
	return a.SetImmediates(data)
}

// fits compares a buffer with the binding that it is for.
func (k *Kernel) fits(binding *abi.Binding, buffer Bound, memory *allocation, part driver.Slice, element string) error {
	info := &k.device.info
	switch {
	case memory.device != k.device:
		return fmt.Errorf("%w: the buffer belongs to another device", ErrShape)
	case !buffer.open():
		return fmt.Errorf("buffer: %w", ErrClosed)
	case part.Bytes < binding.MinimumBytes():
		return fmt.Errorf("%w: a buffer of %d bytes, but at least %d are needed", ErrShape, part.Bytes, binding.MinimumBytes())
	case part.Bytes > info.MaxBufferBytes:
		return fmt.Errorf("%w: a buffer of %d bytes, but %s takes at most %d", ErrLimit, part.Bytes, info.ID(), info.MaxBufferBytes)
	case binding.Stride != 0 && info.MaxCountedBytes != 0 && part.Bytes > info.MaxCountedBytes:
		return fmt.Errorf("%w: a buffer of %d bytes, but %s counts the elements of an array without a size in at most %d: give it one, or bind a slice",
			ErrLimit, part.Bytes, info.ID(), info.MaxCountedBytes)
	case k.description.IntPositions && binding.Stride != 0 && binding.Length(part.Bytes) > math.MaxInt32:
		return fmt.Errorf("%w: a buffer of %d elements, but the kernel counts them with ints, which devices have up to %d",
			ErrLimit, binding.Length(part.Bytes), math.MaxInt32)
	case element != "" && binding.Element != "" && binding.Stride != 0 && (part.Bytes-uint64(binding.Size))%uint64(binding.Stride) != 0:
		return fmt.Errorf("%w: a buffer of %d bytes, which is no whole number of elements of %d bytes", ErrShape, part.Bytes, binding.Stride)
	case part.Offset%uint64(info.OffsetAlignment) != 0:
		return fmt.Errorf("%w: a slice at byte %d, but %s takes multiples of %d", ErrLimit, part.Offset, info.ID(), info.OffsetAlignment)
	}
	return nil
}

// acceptedTypes caches the element types that fit a binding, and whether those buffers had one
// element. There are few.
type acceptedTypes struct{ atomic.Pointer[[]acceptedType] }

type acceptedType struct {
	host reflect.Type
	one  bool
}

// checkType compares the type of a buffer's elements with that of argument i, once for each type.
func (k *Kernel) checkType(i int, buffer Bound, element string) error {
	var t acceptedType
	t.host, t.one = buffer.host()
	known := k.accepted[i].Load()
	if known != nil && slices.Contains(*known, t) {
		return nil
	}
	binding := &k.arguments[i]
	if l := k.description.LayoutOf(binding.Type); l != nil {
		if problem := compareLayouts(binding.Name, l, t.host, t.one); problem != "" {
			return layoutError(problem + "; Buffer.Raw binds any bytes")
		}
	} else if element != "" && binding.Element != "" && element != binding.Element {
		return layoutError(fmt.Sprintf("a buffer of %s, but it consists of %s", element, binding.Element))
	} else if !stridesFit(binding, buffer.elementBytes()) {
		return layoutError(fmt.Sprintf("a buffer with elements of %d bytes, but those of %s are %d apart; some have padding, which their Go type needs too",
			buffer.elementBytes(), binding.Type, binding.Stride))
	}
	list := []acceptedType{t}
	if known != nil {
		list = append(list, *known...)
	}
	// if another goroutine has added one meanwhile, that is compared once more
	k.accepted[i].Store(&list)
	return nil
}

// stridesFit reports whether the elements of a buffer fit a binding that is a runtime-sized array:
// one begins where another does. What precedes the array is not compared, nor are arrays with a
// size, which the description does not describe.
func stridesFit(binding *abi.Binding, bytes uint64) bool {
	stride := uint64(binding.Stride)
	return stride == 0 || binding.Size != 0 || bytes%stride == 0 || stride%bytes == 0
}

// check finds missing and overlapping bindings and handles. The mutex is held. The result holds
// until a binding changes.
func (a *Args) check() error {
	if a.checked {
		return a.conflict
	}
	a.checked, a.conflict, a.moves = true, nil, 0
	bindings := a.kernel.arguments
	for i := range a.memory {
		if a.memory[i] == nil {
			a.conflict = fmt.Errorf("%w: binding %d (%s) is not set", ErrShape, i, bindings[i].Name)
			return a.conflict
		}
		for j := range i {
			written := bindings[i].Access == abi.ReadWrite || bindings[j].Access == abi.ReadWrite
			if written && a.memory[i] == a.memory[j] && overlap(a.parts[i], a.parts[j]) {
				a.conflict = fmt.Errorf("%w: bindings %d (%s) and %d (%s)", ErrAlias, j, bindings[j].Name, i, bindings[i].Name)
				return a.conflict
			}
		}
	}
	a.conflict = a.checkHandles()
	return a.conflict
}

// overlap reports whether two parts of the same memory share a byte.
func overlap(a, b driver.Slice) bool {
	return a.Offset < b.Offset+b.Bytes && b.Offset < a.Offset+a.Bytes
}
