package referencetest

import (
	"slices"

	"github.com/gpuc/gpuc/kernels/seq"
)

func sequences() map[string]operator {
	return map[string]operator{
		"CumSum":   {"float64": sums[float64], "int32": sums[int32]},
		"TopK":     {"float32": topK[float32], "int64": topK[int64], "uint64": topK[uint64]},
		"Unique":   {"float32": unique[float32], "int64": unique[int64], "bfloat16": unique[float32]},
		"Compress": {"float32": compress, "bfloat16": compress},
		"NonZero":  {"bool": nonZero},
	}
}

// sums scans each row of an axis, as a segment.
func sums[T seq.Number](e *env, n *node) []any {
	order, shape, back := last(n.Inputs[0].Shape, n.axis(integers(n.Inputs[1])[0]))
	x := permuted(elements[T](n.Inputs[0]), n.Inputs[0].Shape, order)
	length := shape[len(shape)-1]
	reverse := n.flag("reverse", false)
	ordered := func(x []T) {
		for row := range slices.Chunk(x, length) {
			if reverse {
				slices.Reverse(row)
			}
		}
	}
	ordered(x)
	flags := make([]uint8, len(x))
	for i := 0; i < len(x); i += length {
		flags[i] = 1
	}
	scan := seq.SegmentScan[T]
	if n.flag("exclusive", false) {
		scan = seq.SegmentScanExclusive[T]
	}
	result := zeros[T](e, len(x))
	e.check(scan(e.s, seq.Add, upload(e, x), upload(e, flags), result))
	x = read(e, result)
	ordered(x)
	return []any{permuted(x, shape, back)}
}

func topK[T seq.Wide](e *env, n *node) []any {
	order, shape, back := last(n.Inputs[0].Shape, n.axis(int(n.number("axis", -1))))
	x := permuted(elements[T](n.Inputs[0]), n.Inputs[0].Shape, order)
	length, k := shape[len(shape)-1], integers(n.Inputs[1])[0]
	count := len(x) / length
	var o []seq.Option
	if !n.flag("largest", true) {
		o = append(o, seq.Ascending())
	}
	values, indices := zeros[T](e, count*k), zeros[int32](e, count*k)
	e.check(seq.TopK(e.s, upload(e, x), count, length, k, values, indices, o...))
	shape[len(shape)-1] = k
	return []any{permuted(read(e, values), shape, back), permuted(read(e, indices), shape, back)}
}

// unique sorts elements with their indices, and counts runs. The outputs are elements, where each
// is first, which of them each input is, and how often each occurs.
func unique[T seq.Number](e *env, n *node) []any {
	var x []T
	if n.Inputs[0].Type == "bfloat16" {
		x = any(widened(n.Inputs[0])).([]T)
	} else {
		x = elements[T](n.Inputs[0])
	}
	at := make([]int32, len(x))
	for i := range at {
		at[i] = int32(i)
	}
	keys, indices := upload(e, x), upload(e, at)
	e.check(seq.SortPairs(e.s, keys, indices))
	values, lengths, count := zeros[T](e, len(x)), zeros[uint32](e, len(x)), zeros[uint32](e, 1)
	e.check(seq.RunLengths(e.s, keys, values, lengths, count))
	runs := int(read(e, count)[0])
	of, often, sorted := read(e, values)[:runs], read(e, lengths)[:runs], read(e, indices)

	first, which := make([]int32, runs), make([]int, len(x))
	order := make([]int, runs)
	for r, next := 0, 0; r < runs; r++ {
		first[r], order[r] = sorted[next], r
		for range often[r] {
			which[sorted[next]] = r
			next++
		}
	}
	if !n.flag("sorted", true) { // in the order of the input
		slices.SortFunc(order, func(a, b int) int { return int(first[a] - first[b]) })
	}
	position := make([]int, runs)
	for k, r := range order {
		position[r] = k
	}
	return []any{
		mapped(order, func(r int) T { return of[r] }),
		mapped(order, func(r int) int32 { return first[r] }),
		mapped(which, func(r int) int { return position[r] }),
		mapped(order, func(r int) int { return int(often[r]) }),
	}
}

// compress selects elements by their coordinate along an axis; without one, by their number. Those
// of two bytes are widened.
func compress(e *env, n *node) []any {
	var x []float32
	if n.Inputs[0].Type == "bfloat16" {
		x = widened(n.Inputs[0])
	} else {
		x = elements[float32](n.Inputs[0])
	}
	condition := elements[uint8](n.Inputs[1])
	a := seq.Axis{Outer: 1, N: len(x), Inner: 1}
	if _, ok := n.Attributes["axis"]; ok {
		var err error
		a, err = seq.AxisOf(n.Inputs[0].Shape, n.axis(int(n.number("axis", 0))))
		e.check(err)
	}
	flags := make([]uint8, len(x))
	for i := range flags {
		if at := i / a.Inner % a.N; at < len(condition) {
			flags[i] = condition[at]
		}
	}
	result, count := zeros[float32](e, len(x)), zeros[uint32](e, 1)
	e.check(seq.Select(e.s, upload(e, x), upload(e, flags), result, count))
	return []any{read(e, result)[:read(e, count)[0]]}
}

// nonZero writes the coordinates of what is not zero, a row for each dimension.
func nonZero(e *env, n *node) []any {
	flags := elements[uint8](n.Inputs[0])
	result, count := zeros[int32](e, len(flags)), zeros[uint32](e, 1)
	e.check(seq.SelectIndices(e.s, upload(e, flags), result, count))
	at := read(e, result)[:read(e, count)[0]]
	var list []int32
	shape := n.Inputs[0].Shape
	for k, d := range shape {
		stride := 1
		for _, d := range shape[k+1:] {
			stride *= d
		}
		list = append(list, mapped(at, func(i int32) int32 { return i / int32(stride) % int32(d) })...)
	}
	return []any{list}
}
