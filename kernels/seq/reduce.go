package seq

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Axis says along which axis of an array a reduction goes. The array has Outer × N × Inner elements
// in row-major order, and N of them make an element of the result, which has Outer × Inner. AxisOf
// makes one of a shape.
type Axis struct{ Outer, N, Inner int }

// AxisOf returns an axis of an array in row-major order: Outer is the product of the dimensions
// before it, and Inner of those behind it. Axes that follow it, one after the other, are reduced
// together with it. It is a *gpu.ShapeError if there are no such axes, or a dimension is negative
// or too large.
func AxisOf(shape []int, axis int, more ...int) (Axis, error) {
	const operation = "seq.AxisOf"
	if axis < 0 || axis >= len(shape) {
		return Axis{}, wrongShape(operation, "axis", fmt.Sprintf("one of %d axes", len(shape)), fmt.Sprint(axis))
	}
	last := axis
	for _, next := range more {
		if next != last+1 || next == len(shape) {
			return Axis{}, wrongShape(operation, "axes", fmt.Sprintf("the one after %d, of %d", last, len(shape)), fmt.Sprint(next))
		}
		last = next
	}
	a := Axis{1, 1, 1}
	for n, length := range shape {
		switch {
		case n < axis:
			a.Outer = product(a.Outer, length)
		case n <= last:
			a.N = product(a.N, length)
		default:
			a.Inner = product(a.Inner, length)
		}
	}
	if product(product(a.Outer, a.N), a.Inner) < 0 {
		return Axis{}, wrongShape(operation, "shape", fmt.Sprintf("dimensions of at most %d elements", most), fmt.Sprint(shape))
	}
	return a, nil
}

// product returns a·b, or -1 if one of them is negative, or the product too large.
func product(a, b int) int {
	if a < 0 || b < 0 {
		return -1
	}
	if high, low := bits.Mul64(uint64(a), uint64(b)); high == 0 && low <= most {
		return int(low)
	}
	return -1
}

// Sum writes the sum of the elements of x to result, which has one element. The sum of none is 0.
// Sums of integers wrap around.
//
// The order of additions depends on the length alone, so that floats have the same bits on every
// device. It is a tree of short sums: the error grows with the logarithm of the length.
func Sum[T Number](s *gpu.Stream, x, result *gpu.Buffer[T]) error {
	return SumAxis(s, x, Axis{1, x.Len(), 1}, result)
}

// SumAxis is Sum along an axis: result has an element for each sum. Their order of additions
// depends on the axis alone.
func SumAxis[T Number](s *gpu.Stream, x *gpu.Buffer[T], a Axis, result *gpu.Buffer[T]) error {
	return reduce("seq.Sum", s, x, a, &totals[kindOf[T]()], toValues, 1, 0, 0, result, nil)
}

// Mean writes the mean of the elements of x, which is Sum divided by their number, to result. The
// mean of none is NaN.
func Mean[T Float](s *gpu.Stream, x, result *gpu.Buffer[T]) error {
	return MeanAxis(s, x, Axis{1, x.Len(), 1}, result)
}

// MeanAxis is Mean along an axis: result has an element for each mean.
func MeanAxis[T Float](s *gpu.Stream, x *gpu.Buffer[T], a Axis, result *gpu.Buffer[T]) error {
	return reduce("seq.Mean", s, x, a, &totals[kindOf[T]()], toValues, T(a.N), T(math.NaN()), 0, result, nil)
}

// Variance writes the sum of the squares of what the elements of x differ from their mean, divided
// by their number less freedom, to result, which has one element. Freedom 0 gives the variance of
// the elements, and 1 the estimate for what they are a sample of. If the divisor is 0, the result
// is NaN.
//
// It is computed in one pass over x without cancellation (Welford 1962; Chan, Golub and LeVeque
// 1979), in an order that depends on the length alone.
func Variance[T Float](s *gpu.Stream, x *gpu.Buffer[T], freedom int, result *gpu.Buffer[T]) error {
	return VarianceAxis(s, x, Axis{1, x.Len(), 1}, freedom, result)
}

// VarianceAxis is Variance along an axis: result has an element for each variance.
func VarianceAxis[T Float](s *gpu.Stream, x *gpu.Buffer[T], a Axis, freedom int, result *gpu.Buffer[T]) error {
	const operation = "seq.Variance"
	if freedom < 0 {
		return wrongShape(operation, "freedom", "0 or more", fmt.Sprint(freedom))
	}
	divisor := T(max(a.N-freedom, 0))
	if divisor == 0 {
		divisor = T(math.NaN())
	}
	return reduce(operation, s, x, a, &spreads[kindOf[T]()-isFloat32], toValues, divisor, T(math.NaN()), 0, result, nil)
}

// Min writes the smallest element of x to result, which has one element. That is the first NaN if
// there is one, and the first of several that are equal, as +0 and -0 are. The smallest of none is
// the largest value of the type, +Inf for floats.
func Min[T Number](s *gpu.Stream, x, result *gpu.Buffer[T]) error {
	return MinAxis(s, x, Axis{1, x.Len(), 1}, result)
}

// MinAxis is Min along an axis: result has an element for each minimum.
func MinAxis[T Number](s *gpu.Stream, x *gpu.Buffer[T], a Axis, result *gpu.Buffer[T]) error {
	_, highest := limitsOf[T]()
	return reduce("seq.Min", s, x, a, &finders[kindOf[T]()], toValues, 1, highest, 0, result, nil)
}

// Max writes the largest element of x to result, which has one element: the first NaN if there is
// one, and the first of several that are equal. The largest of none is the smallest value of the
// type, -Inf for floats.
func Max[T Number](s *gpu.Stream, x, result *gpu.Buffer[T]) error {
	return MaxAxis(s, x, Axis{1, x.Len(), 1}, result)
}

// MaxAxis is Max along an axis: result has an element for each maximum.
func MaxAxis[T Number](s *gpu.Stream, x *gpu.Buffer[T], a Axis, result *gpu.Buffer[T]) error {
	lowest, _ := limitsOf[T]()
	return reduce("seq.Max", s, x, a, &finders[kindOf[T]()], toValues|wantLargest, 1, lowest, 0, result, nil)
}

// ArgMin writes the index of what Min finds to result, which has one element; -1 if x has none.
func ArgMin[T Number](s *gpu.Stream, x *gpu.Buffer[T], result *gpu.Buffer[int32]) error {
	return ArgMinAxis(s, x, Axis{1, x.Len(), 1}, result)
}

// ArgMinAxis is ArgMin along an axis: result has an index along it for each minimum.
func ArgMinAxis[T Number](s *gpu.Stream, x *gpu.Buffer[T], a Axis, result *gpu.Buffer[int32]) error {
	return reduce("seq.ArgMin", s, x, a, &finders[kindOf[T]()], toIndices, 1, 0, -1, nil, result)
}

// ArgMax writes the index of what Max finds to result, which has one element; -1 if x has none.
func ArgMax[T Number](s *gpu.Stream, x *gpu.Buffer[T], result *gpu.Buffer[int32]) error {
	return ArgMaxAxis(s, x, Axis{1, x.Len(), 1}, result)
}

// ArgMaxAxis is ArgMax along an axis: result has an index along it for each maximum.
func ArgMaxAxis[T Number](s *gpu.Stream, x *gpu.Buffer[T], a Axis, result *gpu.Buffer[int32]) error {
	return reduce("seq.ArgMax", s, x, a, &finders[kindOf[T]()], toIndices|wantLargest, 1, 0, -1, nil, result)
}

// limitsOf returns the smallest and the largest value of a type.
func limitsOf[T Number]() (lowest, highest T) {
	switch low := any(&lowest).(type) {
	case *int32:
		*low = math.MinInt32
		highest--
		return lowest, highest - lowest
	case *int64:
		*low = math.MinInt64
		highest--
		return lowest, highest - lowest
	case *float32:
		*low = float32(math.Inf(-1))
		return lowest, -lowest
	case *float64:
		*low = math.Inf(-1)
		return lowest, -lowest
	}
	highest--
	return 0, highest
}

// reduce is all reductions: values or indices is the result. Without elements that is empty, or
// none.
func reduce[T Number](operation string, s *gpu.Stream, x *gpu.Buffer[T], a Axis, k *foldKernels, options uint32,
	divisor, empty T, none int32, values *gpu.Buffer[T], indices *gpu.Buffer[int32]) error {
	result := named{"result", values}
	if options&toIndices != 0 {
		result.buffer = indices
	}
	if err := checkBuffers(operation, s, 1, result, named{"x", x}); err != nil {
		return err
	}
	size, outputs := product(product(a.Outer, a.N), a.Inner), product(a.Outer, a.Inner)
	if size < 0 || outputs < 0 {
		return wrongShape(operation, "axis", fmt.Sprintf("at most %d elements", most), fmt.Sprintf("%d × %d × %d", a.Outer, a.N, a.Inner))
	}
	if err := wrongLength(operation, "x", size, x.Len()); err != nil {
		return err
	}
	if err := wrongLength(operation, "result", outputs, result.buffer.Len()); err != nil {
		return err
	}
	if outputs == 0 {
		return nil
	}
	c := begin(operation, s)
	defer c.end()
	switch {
	case a.N == 0 && options&toIndices != 0:
		return fill(c, bytesOf(c, 0, indices), outputs, none)
	case a.N == 0:
		return fill(c, bytesOf(c, 0, values), outputs, empty)
	}
	return fold(c, k, x, a, outputs, options, divisor, values, indices, c.waits())
}
