package misusetest

import "github.com/gpuc/gpuc/kernels/seq"

func seqRows() []row {
	type f = float32
	const add = seq.Add
	axis := seq.Axis{Outer: 3, N: 5, Inner: 4}
	random, any0, any1 := seq.Random{}, []int{0}, []int{1}
	return []row{
		{name: "seq.Sum", call: func(k *kit) error { return seq.Sum(k.s, in[f](k, 50), out[f](k, 1)) }, lengths: any0},
		{name: "seq.SumAxis", call: func(k *kit) error { return seq.SumAxis(k.s, in[f](k, 60), axis, out[f](k, 12)) }},
		{name: "seq.Mean", call: func(k *kit) error { return seq.Mean(k.s, in[f](k, 50), out[f](k, 1)) }, lengths: any0},
		{name: "seq.MeanAxis", call: func(k *kit) error { return seq.MeanAxis(k.s, in[f](k, 60), axis, out[f](k, 12)) }},
		{name: "seq.Variance", call: func(k *kit) error { return seq.Variance(k.s, in[f](k, 50), 1, out[f](k, 1)) }, lengths: any0},
		{name: "seq.VarianceAxis", call: func(k *kit) error { return seq.VarianceAxis(k.s, in[f](k, 60), axis, 1, out[f](k, 12)) }},
		{name: "seq.Min", call: func(k *kit) error { return seq.Min(k.s, in[f](k, 50), out[f](k, 1)) }, lengths: any0},
		{name: "seq.MinAxis", call: func(k *kit) error { return seq.MinAxis(k.s, in[f](k, 60), axis, out[f](k, 12)) }},
		{name: "seq.Max", call: func(k *kit) error { return seq.Max(k.s, in[f](k, 50), out[f](k, 1)) }, lengths: any0},
		{name: "seq.MaxAxis", call: func(k *kit) error { return seq.MaxAxis(k.s, in[f](k, 60), axis, out[f](k, 12)) }},
		{name: "seq.ArgMin", call: func(k *kit) error { return seq.ArgMin(k.s, in[int32](k, 50), out[int32](k, 1)) }, lengths: any0},
		{name: "seq.ArgMinAxis", call: func(k *kit) error { return seq.ArgMinAxis(k.s, in[int32](k, 60), axis, out[int32](k, 12)) }},
		{name: "seq.ArgMax", call: func(k *kit) error { return seq.ArgMax(k.s, in[int32](k, 50), out[int32](k, 1)) }, lengths: any0},
		{name: "seq.ArgMaxAxis", call: func(k *kit) error { return seq.ArgMaxAxis(k.s, in[int32](k, 60), axis, out[int32](k, 12)) }},
		{name: "seq.Scan", call: func(k *kit) error { return seq.Scan(k.s, add, in[f](k, 5000), out[f](k, 5000)) }},
		{name: "seq.ScanExclusive", call: func(k *kit) error { return seq.ScanExclusive(k.s, add, in[f](k, 100), out[f](k, 100)) }},
		{name: "seq.SegmentReduce", call: func(k *kit) error {
			return seq.SegmentReduce(k.s, add, in[uint32](k, 100), in[uint32](k, 11), out[uint32](k, 10))
		}, lengths: any0},
		{name: "seq.SegmentReduceFlags", call: func(k *kit) error {
			return seq.SegmentReduceFlags(k.s, add, in[uint32](k, 100), in[uint8](k, 100), out[uint32](k, 100), out[uint32](k, 1))
		}},
		{name: "seq.SegmentScan", call: func(k *kit) error { return seq.SegmentScan(k.s, add, in[f](k, 100), in[uint8](k, 100), out[f](k, 100)) }},
		{name: "seq.SegmentScanExclusive", call: func(k *kit) error {
			return seq.SegmentScanExclusive(k.s, add, in[f](k, 100), in[uint8](k, 100), out[f](k, 100))
		}},
		{name: "seq.SegmentScanOffsets", call: func(k *kit) error {
			return seq.SegmentScanOffsets(k.s, add, in[uint32](k, 100), in[uint32](k, 7), out[uint32](k, 100))
		}, lengths: any1},
		{name: "seq.Sort", call: func(k *kit) error { return seq.Sort(k.s, out[f](k, 5000)) }, lengths: any0},
		{name: "seq.SortPairs", call: func(k *kit) error { return seq.SortPairs(k.s, out[uint32](k, 5000), out[uint32](k, 5000)) }},
		{name: "seq.SortPairs of few", call: func(k *kit) error { return seq.SortPairs(k.s, out[uint32](k, 50), out[uint32](k, 50)) }},
		{name: "seq.SortRows", call: func(k *kit) error { return seq.SortRows(k.s, out[f](k, 30), 6, 5) }},
		{name: "seq.TopK", call: func(k *kit) error {
			return seq.TopK(k.s, in[int32](k, 30), 3, 10, 4, out[int32](k, 12), out[int32](k, 12))
		}},
		{name: "seq.Select", call: func(k *kit) error {
			return seq.Select(k.s, in[uint32](k, 100), in[uint8](k, 100), out[uint32](k, 100), out[uint32](k, 1))
		}},
		{name: "seq.SelectIf", call: func(k *kit) error {
			return seq.SelectIf(k.s, in[uint32](k, 100), seq.Less, 3, out[uint32](k, 100), out[uint32](k, 1))
		}},
		{name: "seq.SelectIndices", call: func(k *kit) error {
			return seq.SelectIndices(k.s, in[uint8](k, 100), out[int32](k, 100), out[uint32](k, 1))
		}},
		{name: "seq.Partition", call: func(k *kit) error {
			return seq.Partition(k.s, in[uint32](k, 100), in[uint8](k, 100), out[uint32](k, 100), out[uint32](k, 1))
		}},
		{name: "seq.RunLengths", call: func(k *kit) error {
			return seq.RunLengths(k.s, in[uint32](k, 100), out[uint32](k, 100), out[uint32](k, 100), out[uint32](k, 1))
		}},
		{name: "seq.HistogramEven", call: func(k *kit) error { return seq.HistogramEven(k.s, in[f](k, 100), 0, 1, out[uint32](k, 10)) }, lengths: []int{0, 1}},
		{name: "seq.HistogramRanges", call: func(k *kit) error {
			return seq.HistogramRanges(k.s, in[uint32](k, 100), in[uint32](k, 11), out[uint32](k, 10))
		}, lengths: any0},
		{name: "seq.HistogramBytes", call: func(k *kit) error { return seq.HistogramBytes(k.s, in[uint8](k, 100), out[uint32](k, 256)) }, lengths: any0},
		{name: "seq.Uniform", call: func(k *kit) error { return seq.Uniform(k.s, random, out[f](k, 100)) }, lengths: any0},
		{name: "seq.Normal", call: func(k *kit) error { return seq.Normal(k.s, random, 0, 1, out[f](k, 100)) }, lengths: any0},
		{name: "seq.Uint32", call: func(k *kit) error { return random.Uint32(k.s, out[uint32](k, 100)) }, lengths: any0},
		{name: "seq.Permutation", call: func(k *kit) error { return seq.Permutation(k.s, random, out[uint32](k, 3000)) }, lengths: any0},
		{name: "seq.Shuffle", call: func(k *kit) error { return seq.Shuffle(k.s, random, out[f](k, 3000)) }, lengths: any0},
	}
}
