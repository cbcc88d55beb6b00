package expr

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Tensor is an array of numbers with up to eight axes: elements that are there, or what is to be
// computed. From and Of make tensors of elements, methods make others. Shapes never change.
//
// A tensor that was computed keeps its elements, and forgets what it was computed of.
type Tensor struct {
	context *Context
	err     error
	element Type
	shape   []int
	weak    bool    // a number of Scalar, which takes the type of the other operand
	value   float64 // of such numbers

	// The rest is guarded by the context's mutex, since computing a tensor changes it.
	op       op
	operands [3]*Tensor // those behind the last are nil
	axes     []int      // as op says

	host     any // a slice, or nil
	device   array
	foreign  bool // device is of Of
	onHost   bool // host has the elements
	onDevice bool // and so has device
	closed   bool

	epoch  uint64 // of number
	number int    // among the nodes of an evaluation
}

// maxAxes is how many axes a tensor has at most.
const maxAxes = 8

// count returns how many elements a shape has, or -1 if they are too many for a kernel's indices.
func count(shape []int) int {
	n := 1
	for _, size := range shape {
		if size < 0 || size > 0 && n > math.MaxInt32/size {
			return -1
		}
		n *= size
	}
	return n
}

func (t *Tensor) count() int { return count(t.shape) }

// badShape says what is wrong with a shape, or "".
func badShape(shape []int) string {
	switch {
	case len(shape) > maxAxes:
		return fmt.Sprintf("the shape %s has more than %d axes", shapeText(shape), maxAxes)
	case slices.ContainsFunc(shape, func(n int) bool { return n < 0 }):
		return fmt.Sprintf("the shape %s has a negative size", shapeText(shape))
	case count(shape) < 0:
		return fmt.Sprintf("the shape %s has more than %d elements", shapeText(shape), math.MaxInt32)
	}
	return ""
}

// data makes a tensor of elements that are there, unless it is refused.
func (c *Context) data(call string, element Type, n int, shape []int) *Tensor {
	if !c.valid() {
		return &Tensor{err: errNone}
	}
	if len(shape) == 0 && n != 1 {
		shape = []int{n}
	}
	if bad := badShape(shape); bad != "" {
		return wrong(c, call, gpu.ErrShape, "%s", bad)
	}
	if n != count(shape) {
		return wrong(c, call, gpu.ErrShape, "%d elements for the shape %s, which has %d", n, shapeText(shape), count(shape))
	}
	return &Tensor{context: c, element: element, shape: slices.Clone(shape)}
}

// From makes a tensor of a slice with the elements row by row. Without a shape it has one axis, and
// for one element none. The slice is the tensor's and is not copied before the device needs it.
// Who changes its elements later calls Changed.
func From[T Element](c *Context, host []T, shape ...int) *Tensor {
	t := c.data("From", typeOf[T](), len(host), shape)
	if t.err == nil {
		t.host, t.onHost = host, true
	}
	return t
}

// Of makes a tensor of a buffer with the elements row by row. Without a shape it has one axis. The
// buffer stays the program's, and may be longer. Each evaluation reads the elements of its moment
// in the stream's order. A buffer of uint32 is a tensor of Bool, whose elements are 0 or 1. An odd
// number of 16-bit elements needs a buffer with one more, since devices read pairs.
func Of[T float32 | gpu.Float16 | gpu.BFloat16 | int32 | uint32](c *Context, buffer *gpu.Buffer[T], shape ...int) *Tensor {
	const call = "Of"
	if buffer == nil {
		return wrong(c, call, gpu.ErrShape, "the buffer is nil")
	}
	element := Bool
	switch any(*new(T)).(type) {
	case float32:
		element = Float32
	case gpu.Float16:
		element = Float16
	case gpu.BFloat16:
		element = BFloat16
	case int32:
		element = Int32
	}
	if len(shape) == 0 {
		shape = []int{buffer.Len()}
	}
	n := count(shape)
	t := c.data(call, element, max(n, 0), shape)
	if t.err != nil {
		return t
	}
	whole := n
	if element.packed() {
		whole += n % 2
	}
	if whole > buffer.Len() {
		return wrong(c, call, gpu.ErrShape, "a buffer of %d elements for the shape %s, which needs %d", buffer.Len(), shapeText(shape), whole)
	}
	part, err := buffer.Slice(0, n)
	var words *gpu.Buffer[T]
	if err == nil {
		words, err = buffer.Slice(0, whole)
	}
	if err != nil {
		return &Tensor{context: c, err: fmt.Errorf("expr: Of at %s: %w", caller(), err)}
	}
	t.device, t.onDevice, t.foreign = array{buffer: part, bound: part}, true, true
	if element.packed() {
		t.device.bound = words.Raw()
	}
	return t
}

// Scalar makes a tensor of one number without axes. In operations with Int32 it is an integer, with
// others a float.
func (c *Context) Scalar(x float64) *Tensor {
	if !c.valid() {
		return &Tensor{err: errNone}
	}
	return &Tensor{context: c, op: opScalar, value: x, weak: true, element: Float32}
}

// Err returns the error of the call that made the tensor, or of one that made what it depends on.
func (t *Tensor) Err() error {
	if t == nil || t.context == nil && t.err == nil {
		return fmt.Errorf("expr: %w: the tensor is nil or none that this package made", gpu.ErrShape)
	}
	return t.err
}

// Shape returns the sizes of the axes. It is nil for a tensor with an error.
func (t *Tensor) Shape() []int {
	if t == nil {
		return nil
	}
	return slices.Clone(t.shape)
}

// Type returns the type of the elements.
func (t *Tensor) Type() Type {
	if t == nil {
		return Float32
	}
	return t.element
}

// Location returns where the elements are.
func (t *Tensor) Location() Location {
	if t.Err() != nil {
		return Lazy
	}
	t.context.mutex.Lock()
	defer t.context.mutex.Unlock()
	return t.location()
}

func (t *Tensor) location() (l Location) {
	if t.onHost {
		l |= Host
	}
	if t.onDevice {
		l |= Device
	}
	return l
}

// Changed says that the program has changed elements of the slice that it gave to From or got from
// Read: what the device has is old. Tensors that were computed before keep their elements. It is
// gpu.ErrShape for a tensor whose elements are not on the host, and for one of Of.
func (t *Tensor) Changed() error {
	if err := t.Err(); err != nil {
		return err
	}
	t.context.mutex.Lock()
	defer t.context.mutex.Unlock()
	if !t.onHost || t.foreign {
		return fmt.Errorf("expr: Changed at %s: %w: the tensor has no slice of the program's", caller(), gpu.ErrShape)
	}
	t.onDevice = false
	return nil
}

// Close forgets the elements, and frees the buffer once the work that uses it has finished. Buffers
// of tensors that are unreachable are freed some time later. Later uses are gpu.ErrClosed, also by
// tensors that depend on it and were not computed. Closing twice is no error.
func (t *Tensor) Close() error {
	if err := t.Err(); err != nil {
		return err
	}
	t.context.mutex.Lock()
	defer t.context.mutex.Unlock()
	device := t.device
	t.closed, t.host, t.device, t.onHost, t.onDevice = true, nil, array{}, false, false
	t.operands = [3]*Tensor{}
	return device.close()
}

// toDevice copies the elements to the device, if they are not there. The context's mutex is held.
func (t *Tensor) toDevice() error {
	if t.onDevice {
		return nil
	}
	m, s := &memories[t.element], t.context.stream
	if t.device.buffer == nil {
		a, err := m.alloc(s, t.count())
		if err != nil {
			return fmt.Errorf("expr: copy a tensor of %s to the device: %w", shapeText(t.shape), err)
		}
		t.device = a
	}
	if t.count() > 0 {
		if err := m.write(t.device.buffer, s, t.host); err != nil {
			return fmt.Errorf("expr: copy a tensor of %s to the device: %w", shapeText(t.shape), err)
		}
		t.context.stats.Uploads++
	}
	t.onDevice = true
	return nil
}
