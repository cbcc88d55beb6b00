package expr

import (
	"slices"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has the operations that copy nothing: kernels read the elements of the operand in
// another order. Axes from -1 downward count from the last one.

// Reshape returns the elements in their order with another shape. One size may be -1, which follows
// from the others.
func (x *Tensor) Reshape(shape ...int) *Tensor {
	const call = "Reshape"
	if r := refused(call, x); r != nil {
		return r
	}
	given := shape
	if at := slices.Index(shape, -1); at >= 0 {
		shape = slices.Clone(shape)
		shape[at] = 1
		if n := count(shape); n > 0 {
			shape[at] = x.count() / n
		}
	}
	if bad := badShape(shape); bad != "" {
		return wrong(x.context, call, gpu.ErrShape, "%s", bad)
	}
	if count(shape) != x.count() {
		return wrong(x.context, call, gpu.ErrShape, "the shape %s has %d elements, and %s does not fit them", shapeText(x.shape), x.count(), shapeText(given))
	}
	if slices.Equal(shape, x.shape) {
		return x
	}
	return x.view(opReshape, slices.Clone(shape), nil)
}

// view makes a view of x, which is no weak number any more.
func (x *Tensor) view(o op, shape, axes []int) *Tensor {
	if x.weak {
		x = x.as(x.element)
	}
	return &Tensor{context: x.context, op: o, operands: [3]*Tensor{x}, element: x.element, shape: shape, axes: axes}
}

// axis returns an axis that may count from the end, and whether there is one.
func (x *Tensor) axis(n int) (int, bool) {
	if n < 0 {
		n += len(x.shape)
	}
	return n, n >= 0 && n < len(x.shape)
}

// Permute returns the tensor with its axes in another order: axis d of the result is axis axes[d].
func (x *Tensor) Permute(axes ...int) *Tensor {
	const call = "Permute"
	if r := refused(call, x); r != nil {
		return r
	}
	order, shape := make([]int, len(axes)), make([]int, len(axes))
	seen := map[int]bool{}
	for d, n := range axes {
		at, ok := x.axis(n)
		if !ok || seen[at] || len(axes) != len(x.shape) {
			return wrong(x.context, call, gpu.ErrShape, "%v is no order of the %d axes of %s", axes, len(x.shape), shapeText(x.shape))
		}
		seen[at] = true
		order[d], shape[d] = at, x.shape[at]
	}
	if len(axes) != len(x.shape) {
		return wrong(x.context, call, gpu.ErrShape, "%v is no order of the %d axes of %s", axes, len(x.shape), shapeText(x.shape))
	}
	return x.view(opPermute, shape, order)
}

// Transpose exchanges the last two axes.
func (x *Tensor) Transpose() *Tensor {
	const call = "Transpose"
	if r := refused(call, x); r != nil {
		return r
	}
	n := len(x.shape)
	if n < 2 {
		return wrong(x.context, call, gpu.ErrShape, "the shape %s has fewer than two axes", shapeText(x.shape))
	}
	axes := make([]int, n)
	for d := range axes {
		axes[d] = d
	}
	axes[n-1], axes[n-2] = n-2, n-1
	return x.Permute(axes...)
}

// Slice returns the elements start to end-1 of an axis.
func (x *Tensor) Slice(axis, start, end int) *Tensor {
	const call = "Slice"
	if r := refused(call, x); r != nil {
		return r
	}
	at, ok := x.axis(axis)
	if !ok || start < 0 || end < start || end > x.shape[at] {
		return wrong(x.context, call, gpu.ErrShape, "there are no elements %d to %d on axis %d of %s", start, end, axis, shapeText(x.shape))
	}
	shape, first := slices.Clone(x.shape), make([]int, len(x.shape))
	shape[at], first[at] = end-start, start
	return x.view(opSlice, shape, first)
}

// Broadcast returns the tensor repeated along axes that are missing or have the size 1, as
// operations with a tensor of that shape would.
func (x *Tensor) Broadcast(shape ...int) *Tensor {
	const call = "Broadcast"
	if r := refused(call, x); r != nil {
		return r
	}
	if bad := badShape(shape); bad != "" {
		return wrong(x.context, call, gpu.ErrShape, "%s", bad)
	}
	if to, axis := broadcast(x.shape, shape); axis >= 0 || !slices.Equal(to, shape) {
		return wrong(x.context, call, gpu.ErrShape, "the shape %s does not broadcast to %s", shapeText(x.shape), shapeText(shape))
	}
	if slices.Equal(shape, x.shape) {
		return x
	}
	return x.view(opBroadcast, slices.Clone(shape), nil)
}
