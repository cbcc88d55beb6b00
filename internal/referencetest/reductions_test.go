package referencetest

import (
	"math"
	"slices"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/kernels/seq"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// reduction is a function of package seq along an axis.
type reduction[T, R any] = func(s *gpu.Stream, x *gpu.Buffer[T], a seq.Axis, result *gpu.Buffer[R]) error

func reductions() map[string]operator {
	return map[string]operator{
		"ReduceSum":  {"float32": reduce(seq.SumAxis[float32])},
		"ReduceMean": {"float32": reduce(seq.MeanAxis[float32])},
		"ReduceMax":  {"float32": reduce(seq.MaxAxis[float32]), "bool": reduceBool(seq.MaxAxis[int32])},
		"ReduceMin":  {"float32": reduce(seq.MinAxis[float32]), "bool": reduceBool(seq.MinAxis[int32])},
		"ReduceLogSum": {"float32": func(e *env, n *node) []any {
			return []any{logarithms(reduced(e, n, elements[float32](n.Inputs[0]), seq.SumAxis))}
		}},
		"ReduceLogSumExp":   {"float32": logSumExp[float32], "float64": logSumExp[float64]},
		"ReduceL1":          {"float32": norms(linalg.Asum[float32])},
		"ReduceL2":          {"float32": norms(linalg.Nrm2[float32])},
		"ReduceSumSquare":   {"float32": norms(squares)},
		"LpNormalization":   {"float32": normalize},
		"ArgMax":            {"float32": indices(seq.ArgMaxAxis[float32])},
		"ArgMin":            {"float32": indices(seq.ArgMinAxis[float32])},
		"Hardmax":           {"float32": hardmax},
		"GlobalAveragePool": {"float32": pool(seq.MeanAxis[float32])},
		"GlobalMaxPool":     {"float32": pool(seq.MaxAxis[float32])},
		"MeanVarianceNormalization": {"float32": func(e *env, n *node) []any {
			return []any{standardized(e, n)}
		}},
	}
}

// axes returns the axes of a reduction in ascending order.
func (n *node) axes() []int {
	axes := n.list("axes", nil)
	if axes == nil {
		axes = integers(n.input(1))
	}
	if len(axes) == 0 {
		for k := range n.Inputs[0].Shape {
			axes = append(axes, k)
		}
	}
	axes = mapped(axes, n.axis)
	slices.Sort(axes)
	return axes
}

// along returns axes as those of package seq, one after the other. Axes that follow each other are
// one.
func (n *node) along(e *env) (list []seq.Axis) {
	shape, axes := slices.Clone(n.Inputs[0].Shape), n.axes()
	for len(axes) > 0 {
		together := 1
		for together < len(axes) && axes[together] == axes[together-1]+1 {
			together++
		}
		a, err := seq.AxisOf(shape, axes[0], axes[1:together]...)
		e.check(err)
		list = append(list, a)
		for _, axis := range axes[:together] {
			shape[axis] = 1
		}
		axes = axes[together:]
	}
	return list
}

// reduced reduces x, which has the shape of the first input, along one axis after the other.
func reduced[T any](e *env, n *node, x []T, f reduction[T, T]) []T {
	b := upload(e, x)
	for _, a := range n.along(e) {
		result := zeros[T](e, a.Outer*a.Inner)
		e.check(f(e.s, b, a, result))
		b = result
	}
	return read(e, b)
}

func reduce[T any](f reduction[T, T]) func(e *env, n *node) []any {
	return func(e *env, n *node) []any { return []any{reduced(e, n, elements[T](n.Inputs[0]), f)} }
}

// reduceBool reduces truth values as 0 and 1. Of none, the largest is less, and the smallest is
// more.
func reduceBool(f reduction[int32, int32]) func(e *env, n *node) []any {
	return func(e *env, n *node) []any {
		x := mapped(elements[uint8](n.Inputs[0]), func(v uint8) int32 { return int32(v) })
		return []any{mapped(reduced(e, n, x, f), func(v int32) bool { return v > 0 })}
	}
}

func logarithms[T seq.Float](x []T) []T {
	return mapped(x, func(v T) T { return T(math.Log(float64(v))) })
}

func logSumExp[T seq.Float](e *env, n *node) []any {
	x := mapped(elements[T](n.Inputs[0]), func(v T) T { return T(math.Exp(float64(v))) })
	return []any{logarithms(reduced(e, n, x, seq.SumAxis))}
}

// rows returns the elements along an axis as vectors, one for each element of a result.
func rows[T any](b *gpu.Buffer[T], a seq.Axis) (list []linalg.Vector[T]) {
	for i := range a.Outer * a.Inner {
		list = append(list, linalg.Vector[T]{Buffer: b, Offset: i/a.Inner*a.N*a.Inner + i%a.Inner, Len: a.N, Stride: a.Inner})
	}
	return list
}

func squares(s *gpu.Stream, x linalg.Vector[float32], result *gpu.Buffer[float32]) error {
	return linalg.Dot(s, x, x, result)
}

// norms computes a function of package linalg for vectors along one axis.
func norms(f func(s *gpu.Stream, x linalg.Vector[float32], result *gpu.Buffer[float32]) error) func(e *env, n *node) []any {
	return func(e *env, n *node) []any {
		result := zeros[float32](e, 1)
		var list []float32
		for _, x := range rows(upload(e, elements[float32](n.Inputs[0])), n.along(e)[0]) {
			e.check(f(e.s, x, result))
			list = append(list, read(e, result)...)
		}
		return []any{list}
	}
}

// normalize divides vectors along an axis by their norms.
func normalize(e *env, n *node) []any {
	f := linalg.Nrm2[float32]
	if n.number("p", 2) == 1 {
		f = linalg.Asum[float32]
	}
	shape, axis := n.Inputs[0].Shape, n.axis(int(n.number("axis", -1)))
	b, result := upload(e, elements[float32](n.Inputs[0])), zeros[float32](e, 1)
	for _, x := range rows(b, seq.Axis{Outer: count(shape[:axis]), N: shape[axis], Inner: count(shape[axis+1:])}) {
		e.check(f(e.s, x, result))
		if norm := read(e, result)[0]; norm != 0 {
			e.check(linalg.Scal(e.s, 1/norm, x))
		}
	}
	return []any{read(e, b)}
}

// found returns the indices that a function finds along an axis. For the last of several, the
// elements are in reverse order.
func found(e *env, n *node, axis int, lastOne bool, f reduction[float32, int32]) ([]int32, seq.Axis) {
	a, err := seq.AxisOf(n.Inputs[0].Shape, axis)
	e.check(err)
	x := elements[float32](n.Inputs[0])
	if lastOne {
		reversed := make([]float32, len(x))
		for i, v := range x {
			k := i / a.Inner % a.N
			reversed[i+(a.N-1-2*k)*a.Inner] = v
		}
		x = reversed
	}
	result := zeros[int32](e, a.Outer*a.Inner)
	e.check(f(e.s, upload(e, x), a, result))
	return mapped(read(e, result), func(i int32) int32 {
		if lastOne {
			return int32(a.N) - 1 - i
		}
		return i
	}), a
}

func indices(f reduction[float32, int32]) func(e *env, n *node) []any {
	return func(e *env, n *node) []any {
		list, _ := found(e, n, n.axis(int(n.number("axis", 0))), n.flag("select_last_index", false), f)
		return []any{list}
	}
}

func hardmax(e *env, n *node) []any {
	list, a := found(e, n, n.axis(int(n.number("axis", -1))), false, seq.ArgMaxAxis[float32])
	ones := make([]float32, a.Outer*a.N*a.Inner)
	for i, at := range list {
		ones[i/a.Inner*a.N*a.Inner+int(at)*a.Inner+i%a.Inner] = 1
	}
	return []any{ones}
}

// pool reduces all dimensions but the first two.
func pool(f reduction[float32, float32]) func(e *env, n *node) []any {
	return func(e *env, n *node) []any {
		shape := n.Inputs[0].Shape
		a := seq.Axis{Outer: count(shape[:2]), N: count(shape[2:]), Inner: 1}
		result := zeros[float32](e, a.Outer)
		e.check(f(e.s, upload(e, elements[float32](n.Inputs[0])), a, result))
		return []any{read(e, result)}
	}
}

// standardized subtracts the mean of each channel, and divides by the deviation.
func standardized(e *env, n *node) []float32 {
	order, shape, back := last(n.Inputs[0].Shape, 1)
	x := permuted(elements[float32](n.Inputs[0]), n.Inputs[0].Shape, order)
	channels := shape[len(shape)-1]
	a := seq.Axis{Outer: 1, N: len(x) / channels, Inner: channels}
	b, mean, variance := upload(e, x), zeros[float32](e, channels), zeros[float32](e, channels)
	e.check(seq.MeanAxis(e.s, b, a, mean))
	e.check(seq.VarianceAxis(e.s, b, a, 0, variance))
	m, v := read(e, mean), read(e, variance)
	for i := range x {
		x[i] = (x[i] - m[i%channels]) / float32(math.Sqrt(float64(v[i%channels])))
	}
	return permuted(x, shape, back)
}
