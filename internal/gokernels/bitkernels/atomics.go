package bitkernels

import "github.com/gpuc/gpuc/runtime/gpu"

// AtomicFloats adds the numbers x to five sums. A sixth result says that a sum was none of whole
// numbers at some time.
//
//gpuc:kernel workgroup=64
func AtomicFloats(it gpu.Item, x, y []float32) {
	if i := it.Index(); i < len(x) {
		if old := gpu.AtomicAdd(&y[i%5], x[i]); old != gpu.Floor(old) {
			y[5] = 1
		}
		gpu.AtomicAdd(&y[6], x[i]) // whose result nobody reads
	}
}

// AtomicDoubles adds x to three sums.
//
//gpuc:kernel workgroup=64
func AtomicDoubles(it gpu.Item, x, y []float64) {
	if i := it.Index(); i < len(x) {
		if gpu.AtomicAdd(&y[i%3], x[i]) == 0.5 {
			y[3] = 1
		}
	}
}

// AtomicHalves adds x to three sums.
//
//gpuc:kernel workgroup=64
func AtomicHalves(it gpu.Item, x, y []gpu.Float16) {
	if i := it.Index(); i < len(x) {
		half := gpu.ToFloat16(0.5)
		if gpu.AtomicAdd(&y[i%3], x[i]).Equal(half) {
			y[3] = half
		}
		gpu.AtomicAdd(&y[4], x[i])
	}
}

// AtomicShared adds x to sums of the workgroup, and these to two sums.
//
//gpuc:kernel workgroup=64
func AtomicShared(it gpu.Item, sums *[2]float32, x, y []float32) {
	if it.LocalIndex() < 2 {
		sums[it.LocalIndex()] = 0
	}
	it.Barrier()
	if i := it.Index(); i < len(x) {
		gpu.AtomicAdd(&sums[i&1], x[i])
	}
	it.Barrier()
	if it.LocalIndex() < 2 {
		gpu.AtomicAdd(&y[it.LocalIndex()], sums[it.LocalIndex()])
	}
}
