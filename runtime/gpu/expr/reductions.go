package expr

import (
	"math"
	"slices"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has reductions, what is made of them, and products. Without axes a reduction is over
// all of them. The order of additions depends on the shape alone.

// Sum returns the sums over axes, which the result does not have. Sums of 16-bit floats are rounded
// once.
func (x *Tensor) Sum(axes ...int) *Tensor { return x.reduce("Sum", opSum, axes, false) }

// SumKeep is Sum, and keeps the axes with size 1.
func (x *Tensor) SumKeep(axes ...int) *Tensor { return x.reduce("SumKeep", opSum, axes, true) }

// Max returns the largest elements over axes, which the result does not have.
func (x *Tensor) Max(axes ...int) *Tensor { return x.reduce("Max", opMax, axes, false) }

// MaxKeep is Max, and keeps the axes with size 1.
func (x *Tensor) MaxKeep(axes ...int) *Tensor { return x.reduce("MaxKeep", opMax, axes, true) }

// Min returns the smallest elements over axes, which the result does not have.
func (x *Tensor) Min(axes ...int) *Tensor { return x.reduce("Min", opMin, axes, false) }

// MinKeep is Min, and keeps the axes with size 1.
func (x *Tensor) MinKeep(axes ...int) *Tensor { return x.reduce("MinKeep", opMin, axes, true) }

// Mean returns the means over axes, which the result does not have. That of no elements is NaN.
func (x *Tensor) Mean(axes ...int) *Tensor { return x.mean("Mean", axes, false) }

// MeanKeep is Mean, and keeps the axes with size 1.
func (x *Tensor) MeanKeep(axes ...int) *Tensor { return x.mean("MeanKeep", axes, true) }

// reduced returns the axes of a reduction in order, the result's shape with them as 1, and how many
// elements are reduced to one. The tensor is not nil if something is wrong.
func (x *Tensor) reduced(call string, axes []int) (list, shape []int, n int, bad *Tensor) {
	if r := refused(call, x); r != nil {
		return nil, nil, 0, r
	}
	shape, n = slices.Clone(x.shape), 1
	for d := range x.shape {
		if len(axes) == 0 {
			list = append(list, d)
		}
	}
	for _, a := range axes {
		at, ok := x.axis(a)
		if !ok || slices.Contains(list, at) {
			return nil, nil, 0, wrong(x.context, call, gpu.ErrShape, "%v are no axes of %s", axes, shapeText(x.shape))
		}
		list = append(list, at)
	}
	slices.Sort(list)
	for _, d := range list {
		n *= shape[d]
		shape[d] = 1
	}
	return list, shape, n, nil
}

func (x *Tensor) reduce(call string, o op, axes []int, keep bool) *Tensor {
	list, shape, n, bad := x.reduced(call, axes)
	if bad != nil {
		return bad
	}
	if row := o.row(); !x.element.is(row.takes) {
		return wrong(x.context, call, gpu.ErrUnsupported, "there is no %s of %v", call, x.element)
	}
	r := x
	switch {
	case n == 0 && o == opSum:
		r = x.context.Scalar(0).as(x.element).Broadcast(shape...)
	case n == 0 && count(shape) > 0:
		return wrong(x.context, call, gpu.ErrShape, "the shape %s has no elements over the axes %v", shapeText(x.shape), list)
	case n != 1:
		r = x.view(o, shape, list)
	}
	if keep {
		return r.Reshape(shape...)
	}
	return r.Reshape(dropped(x.shape, list)...)
}

// dropped returns a shape without axes.
func dropped(shape, axes []int) []int {
	rest := make([]int, 0, len(shape))
	for d, n := range shape {
		if !slices.Contains(axes, d) {
			rest = append(rest, n)
		}
	}
	return rest
}

func (x *Tensor) mean(call string, axes []int, keep bool) *Tensor {
	_, _, n, bad := x.reduced(call, axes)
	if bad != nil {
		return bad
	}
	if !x.element.is(floats) {
		return wrong(x.context, call, gpu.ErrUnsupported, "there is no %s of %v", call, x.element)
	}
	factor := math.NaN()
	if n > 0 {
		factor = 1 / float64(n)
	}
	return x.reduce(call, opSum, axes, keep).Mul(x.context.Scalar(factor))
}

// Softmax returns exp(x) divided by the sum of exp(x) over an axis.
func (x *Tensor) Softmax(axis int) *Tensor {
	const call = "Softmax"
	_, shape, n, bad := x.reduced(call, []int{axis})
	switch {
	case bad != nil:
		return bad
	case !x.element.is(floats):
		return wrong(x.context, call, gpu.ErrUnsupported, "there is no Softmax of %v", x.element)
	case n == 0 || count(shape) == 0:
		return x
	}
	e := x.Sub(x.MaxKeep(axis)).Exp()
	return e.Div(e.SumKeep(axis))
}

// LayerNorm returns (x - mean)·rsqrt(variance + epsilon)·weight + bias, with mean and variance over
// axes, the last one if none is named. weight and bias may be nil.
func (x *Tensor) LayerNorm(weight, bias *Tensor, epsilon float64, axes ...int) *Tensor {
	const call = "LayerNorm"
	if len(axes) == 0 {
		axes = []int{-1}
	}
	switch _, _, _, bad := x.reduced(call, axes); {
	case bad != nil:
		return bad
	case !x.element.is(floats):
		return wrong(x.context, call, gpu.ErrUnsupported, "there is no LayerNorm of %v", x.element)
	}
	d := x.Sub(x.MeanKeep(axes...))
	y := d.Mul(d.Mul(d).MeanKeep(axes...).Add(x.context.Scalar(epsilon)).Rsqrt())
	if weight != nil {
		y = y.Mul(weight)
	}
	if bias != nil {
		y = y.Add(bias)
	}
	return y
}

// MatMul returns the product of matrices, which are the last two axes. Other axes are broadcast.
// Sums of 16-bit floats are float32 and rounded once. Products of bfloat16, and of float16 on
// devices without it, are those of operands that another kernel converts to float32.
func (x *Tensor) MatMul(y *Tensor) *Tensor {
	const call = "MatMul"
	if r := refused(call, x, y); r != nil {
		return r
	}
	c, nx, ny := x.context, len(x.shape), len(y.shape)
	element, ok := common(x.element, y.element)
	if !ok || !element.is(floats) {
		return wrong(c, call, gpu.ErrUnsupported, "there is no product of %v and %v", x.element, y.element)
	}
	if nx < 2 || ny < 2 || x.shape[nx-1] != y.shape[ny-2] {
		return wrong(c, call, gpu.ErrShape, "%s and %s are no matrices to multiply: the first has as many columns as the second has rows",
			shapeText(x.shape), shapeText(y.shape))
	}
	batch, axis := broadcast(x.shape[:nx-2], y.shape[:ny-2])
	if axis >= 0 {
		return wrong(c, call, gpu.ErrShape, "the axes before the matrices of %s and %s do not broadcast", shapeText(x.shape), shapeText(y.shape))
	}
	rows, inner, columns := x.shape[nx-2], x.shape[nx-1], y.shape[ny-1]
	shape := append(slices.Clone(batch), rows, columns)
	if bad := badShape(shape); bad != "" {
		return wrong(c, call, gpu.ErrShape, "%s", bad)
	}
	operand := element
	if element == BFloat16 || element == Float16 && !slices.Contains(c.device.Info().Features, abi.Float16) || rows == 1 || columns == 1 {
		operand = Float32
	}
	x, y = x.Convert(operand), y.Convert(operand)
	var r *Tensor
	switch {
	case inner == 0:
		return c.Scalar(0).as(element).Broadcast(shape...)
	case columns == 1:
		r = x.Mul(y.Transpose()).SumKeep(-1)
	case rows == 1:
		r = x.Transpose().Mul(y).SumKeep(-2)
	default:
		r = &Tensor{context: c, op: opMatMul, operands: [3]*Tensor{x, y}, element: operand, shape: shape}
	}
	return r.Convert(element)
}
