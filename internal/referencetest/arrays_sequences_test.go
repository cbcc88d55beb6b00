package referencetest

import (
	"github.com/gpuc/gpuc/kernels/seq"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// ofNumbers returns an operator of all types that package seq adds and compares.
func ofNumbers(i32, u32, i64, u64, f32, f64 func(e *env, n *node) []any) operator {
	return operator{"int32": i32, "uint32": u32, "int64": i64, "uint64": u64, "float32": f32, "float64": f64}
}

func arraySequences() map[string]operator {
	sorts := ofNumbers(sortPairs[int32], sortPairs[uint32], sortPairs[int64], sortPairs[uint64], sortPairs[float32], sortPairs[float64])
	sorts["int8"], sorts["uint8"], sorts["int16"] = sortKeys[int8], sortKeys[uint8], sortKeys[int16]
	sorts["uint16"], sorts["float16"] = sortKeys[uint16], sortKeys[gpu.Float16]
	return map[string]operator{
		"sort":            sorts,
		"unique":          ofNumbers(unique[int32], unique[uint32], unique[int64], unique[uint64], unique[float32], unique[float64]),
		"select":          ofNumbers(selections[int32], selections[uint32], selections[int64], selections[uint64], selections[float32], selections[float64]),
		"where":           ofNumbers(comparisons[int32], comparisons[uint32], comparisons[int64], comparisons[uint64], comparisons[float32], comparisons[float64]),
		"histogram":       {"float32": histogram[float32], "float64": histogram[float64]},
		"histogram_edges": ofNumbers(histogramRanges[int32], histogramRanges[uint32], histogramRanges[int64], histogramRanges[uint64], histogramRanges[float32], histogramRanges[float64]),
		"bincount":        {"uint8": histogramBytes},
		"cumulative":      ofNumbers(cumulative[int32], cumulative[uint32], cumulative[int64], cumulative[uint64], cumulative[float32], cumulative[float64]),
		"topk":            ofNumbers(topK[int32], topK[uint32], topK[int64], topK[uint64], topK[float32], topK[float64]),
		"segments":        ofNumbers(segments[int32], segments[uint32], segments[int64], segments[uint64], segments[float32], segments[float64]),
		"reduce":          ofNumbers(everyReduction[int32], everyReduction[uint32], everyReduction[int64], everyReduction[uint64], floatReductions[float32], floatReductions[float64]),
	}
}

func direction(n *node) []seq.Option {
	if n.Attributes["descending"].(bool) {
		return []seq.Option{seq.Descending()}
	}
	return nil
}

func sortKeys[K seq.Key](e *env, n *node) []any {
	keys := upload(e, elements[K](n.Inputs[0]))
	e.check(seq.Sort(e.s, keys, direction(n)...))
	return []any{read(e, keys)}
}

// sortPairs sorts elements with their numbers.
func sortPairs[K seq.Number](e *env, n *node) []any {
	x := elements[K](n.Inputs[0])
	numbers := make([]int32, len(x))
	for i := range numbers {
		numbers[i] = int32(i)
	}
	keys, values := upload(e, x), upload(e, numbers)
	e.check(seq.SortPairs(e.s, keys, values, direction(n)...))
	return []any{read(e, keys), read(e, values)}
}

// counted returns as many elements as count says.
func counted[T any](e *env, result *gpu.Buffer[T], count *gpu.Buffer[uint32]) []T {
	return read(e, result)[:read(e, count)[0]]
}

func selections[T seq.Number](e *env, n *node) []any {
	x, flags := upload(e, elements[T](n.Inputs[0])), upload(e, elements[uint8](n.Inputs[1]))
	count := zeros[uint32](e, 1)
	selected, indices, all := zeros[T](e, x.Len()), zeros[int32](e, x.Len()), zeros[T](e, x.Len())
	e.check(seq.Select(e.s, x, flags, selected, count))
	e.check(seq.SelectIndices(e.s, flags, indices, count))
	e.check(seq.Partition(e.s, x, flags, all, count))
	return []any{counted(e, selected, count), counted(e, indices, count), read(e, all)}
}

// comparisons selects what is less than a value, not less, and equal to it.
func comparisons[T seq.Number](e *env, n *node) (list []any) {
	x, value := upload(e, elements[T](n.Inputs[0])), elements[T](n.Inputs[1])[0]
	for _, c := range []seq.Comparison{seq.Less, seq.GreaterEqual, seq.Equal} {
		result, count := zeros[T](e, x.Len()), zeros[uint32](e, 1)
		e.check(seq.SelectIf(e.s, x, c, value, result, count))
		list = append(list, counted(e, result, count))
	}
	return list
}

func histogram[T seq.Float](e *env, n *node) []any {
	bins := zeros[uint32](e, count(n.Outputs[0].Shape))
	e.check(seq.HistogramEven(e.s, upload(e, elements[T](n.Inputs[0])), T(n.number("low", 0)), T(n.number("high", 0)), bins))
	return []any{read(e, bins)}
}

func histogramRanges[T seq.Number](e *env, n *node) []any {
	bins := zeros[uint32](e, count(n.Outputs[0].Shape))
	e.check(seq.HistogramRanges(e.s, upload(e, elements[T](n.Inputs[0])), upload(e, elements[T](n.Inputs[1])), bins))
	return []any{read(e, bins)}
}

func histogramBytes(e *env, n *node) []any {
	bins := zeros[uint32](e, 256)
	e.check(seq.HistogramBytes(e.s, upload(e, elements[uint8](n.Inputs[0])), bins))
	return []any{read(e, bins)}
}

// cumulative scans rows along an axis, as segments. One row is scanned as a whole.
func cumulative[T seq.Number](e *env, n *node) (list []any) {
	order, shape, back := last(n.Inputs[0].Shape, int(n.number("axis", 0)))
	x := upload(e, permuted(elements[T](n.Inputs[0]), n.Inputs[0].Shape, order))
	length := shape[len(shape)-1]
	var offsets []uint32
	for i := 0; i < x.Len(); i += length {
		offsets = append(offsets, uint32(i))
	}
	for _, op := range []seq.Operation{seq.Add, seq.Minimum, seq.Maximum} {
		result := zeros[T](e, x.Len())
		if x.Len() == length {
			e.check(seq.Scan(e.s, op, x, result))
		} else {
			e.check(seq.SegmentScanOffsets(e.s, op, x, upload(e, offsets), result))
		}
		list = append(list, permuted(read(e, result), shape, back))
	}
	return list
}

func segments[T seq.Number](e *env, n *node) (list []any) {
	x, offsets := upload(e, elements[T](n.Inputs[0])), upload(e, elements[uint32](n.Inputs[1]))
	for _, op := range []seq.Operation{seq.Add, seq.Minimum, seq.Maximum} {
		result := zeros[T](e, offsets.Len()-1)
		e.check(seq.SegmentReduce(e.s, op, x, offsets, result))
		list = append(list, read(e, result))
	}
	return list
}

// everyReduction has the sum, the least, the largest and their indices along an axis.
func everyReduction[T seq.Number](e *env, n *node) (list []any) {
	a, err := seq.AxisOf(n.Inputs[0].Shape, int(n.number("axis", 0)))
	e.check(err)
	x := upload(e, elements[T](n.Inputs[0]))
	for _, f := range []reduction[T, T]{seq.SumAxis[T], seq.MinAxis[T], seq.MaxAxis[T]} {
		result := zeros[T](e, a.Outer*a.Inner)
		e.check(f(e.s, x, a, result))
		list = append(list, read(e, result))
	}
	for _, f := range []reduction[T, int32]{seq.ArgMinAxis[T], seq.ArgMaxAxis[T]} {
		result := zeros[int32](e, a.Outer*a.Inner)
		e.check(f(e.s, x, a, result))
		list = append(list, read(e, result))
	}
	return list
}

// floatReductions has the mean and the variance, too.
func floatReductions[T seq.Float](e *env, n *node) []any {
	a, err := seq.AxisOf(n.Inputs[0].Shape, int(n.number("axis", 0)))
	e.check(err)
	x, mean, variance := upload(e, elements[T](n.Inputs[0])), zeros[T](e, a.Outer*a.Inner), zeros[T](e, a.Outer*a.Inner)
	e.check(seq.MeanAxis(e.s, x, a, mean))
	e.check(seq.VarianceAxis(e.s, x, a, 0, variance))
	return append(everyReduction[T](e, n), read(e, mean), read(e, variance))
}
