package gokernels

import (
	"math"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const reduceSize = 64

// halve sums all of scratch to its first element.
func halve(it gpu.Item, scratch []float32) {
	local := it.LocalIndex()
	for stride := len(scratch) / 2; stride > 0; stride /= 2 {
		it.Barrier()
		if local < stride {
			scratch[local] += scratch[local+stride]
		}
	}
}

//gpuc:kernel workgroup=reduceSize
func ReduceTreeReduce(it gpu.Item, scratch *[reduceSize]float32, data, partial []float32) {
	i, local := it.Index(), it.LocalIndex()
	scratch[local] = 0
	if i < len(data) {
		scratch[local] = data[i]
	}
	halve(it, scratch[:])
	if local == 0 {
		partial[it.Group().X] = scratch[0]
	}
}

//gpuc:kernel workgroup=reduceSize
func ReduceTreeFinish(it gpu.Item, scratch *[reduceSize]float32, partial, total []float32) {
	local := it.LocalIndex()
	sum := float32(0)
	for i := local; i < len(partial); i += reduceSize {
		sum += partial[i]
	}
	scratch[local] = sum
	halve(it, scratch[:])
	if local == 0 {
		total[0] = scratch[0]
	}
}

const scanSize = 128

//gpuc:kernel workgroup=scanSize
func ScanInclusiveScan(it gpu.Item, sums *[scanSize]uint32, data, totals []uint32) {
	i, me := it.Index(), it.LocalIndex()
	inside := i < len(data)
	if inside {
		sums[me] = data[i]
	} else {
		sums[me] = 0
	}
	it.Barrier()
	for step := 1; step < scanSize; step *= 2 {
		add := uint32(0)
		if me >= step {
			add = sums[me-step]
		}
		it.Barrier()
		sums[me] += add
		it.Barrier()
	}
	if inside {
		data[i] = sums[me]
	}
	if me == scanSize-1 {
		totals[it.Group().X] = sums[me]
	}
}

//gpuc:kernel workgroup=scanSize
func ScanInclusiveAddTotals(it gpu.Item, offset *uint32, data, totals []uint32) {
	if it.LocalIndex() == 0 {
		sum := uint32(0)
		for _, n := range totals[:it.Group().X] {
			sum += n
		}
		*offset = sum
	}
	it.Barrier()
	if i := it.Index(); i < len(data) {
		data[i] += *offset
	}
}

const (
	histogramBins = 48
	histogramSize = 64
)

//gpuc:kernel workgroup=histogramSize
func Histogram(it gpu.Item, mine *[histogramBins]uint32, samples []uint32, counts [][histogramBins]uint32) {
	local := it.LocalIndex()
	for i := local; i < histogramBins; i += histogramSize {
		atomic.StoreUint32(&mine[i], 0)
	}
	it.Barrier()
	for i := it.Index(); i < len(samples); i += it.Groups().X * histogramSize {
		atomic.AddUint32(&mine[samples[i]%histogramBins], 1)
	}
	it.Barrier()
	for i := local; i < histogramBins; i += histogramSize {
		if n := atomic.LoadUint32(&mine[i]); n != 0 {
			atomic.AddUint32(&counts[0][i], n)
		}
	}
}

const (
	softmaxSize  = 32
	softmaxWidth = 75
)

// combiner is an operation of a reduction.
type combiner interface {
	combine(a, b float32) float32
}

type greatest struct{}

func (greatest) combine(a, b float32) float32 { return max(a, b) }

type sum struct{}

func (sum) combine(a, b float32) float32 { return a + b }

// reduced reduces the values of the items of a workgroup.
func reduced[C combiner](it gpu.Item, values *[softmaxSize]float32, mine float32) float32 {
	var c C
	local := it.LocalIndex()
	values[local] = mine
	it.Barrier()
	for stride := len(values) / 2; stride > 0; stride /= 2 {
		if local < stride {
			values[local] = c.combine(values[local], values[local+stride])
		}
		it.Barrier()
	}
	result := values[0]
	it.Barrier()
	return result
}

//gpuc:kernel workgroup=softmaxSize
func Softmax(it gpu.Item, scratch *[softmaxSize]float32, rows [][softmaxWidth]float32) {
	row, local := &rows[it.Group().X], it.LocalIndex()
	most := float32(-1e30)
	for k := local; k < len(row); k += softmaxSize {
		most = max(most, row[k])
	}
	most = reduced[greatest](it, scratch, most)
	total := float32(0)
	for k := local; k < len(row); k += softmaxSize {
		row[k] = gpu.Exp(row[k] - most)
		total += row[k]
	}
	total = reduced[sum](it, scratch, total)
	for k := local; k < len(row); k += softmaxSize {
		row[k] /= total
	}
}

type AtomicCounters struct {
	Sum, Difference, Least, Most         int32
	Low, High, All, Any, Parity, Tickets uint32
	Swaps                                [2]uint32
}

//gpuc:kernel workgroup=32
func Atomics(it gpu.Item, sum, least *int32, parity, most *uint32, data []int32, counters []AtomicCounters, seen []uint32, perGroup []Vec4i) {
	if i := it.Index(); i < len(data) {
		x := data[i]
		u := uint32(x)
		c := &counters[0]
		atomic.AddInt32(&c.Sum, x)
		atomic.AddInt32(&c.Difference, -x)
		gpu.AtomicMin(&c.Least, x)
		gpu.AtomicMax(&c.Most, x)
		gpu.AtomicMin(&c.Low, u)
		gpu.AtomicMax(&c.High, u)
		atomic.AndUint32(&c.All, u|0xffff0)
		atomic.OrUint32(&c.Any, u&0xff00ff00)
		gpu.AtomicXor(&c.Parity, u)
		// Each ticket is unique.
		ticket := atomic.AddUint32(&c.Tickets, 1) - 1
		atomic.AddUint32(&seen[ticket], 1)
		// Each exchanged value is returned once, except for the last.
		out := atomic.SwapUint32(&c.Swaps[0], u)
		atomic.AddUint32(&c.Swaps[1], out-u)

		atomic.AddInt32(sum, x)
		gpu.AtomicMin(least, x)
		gpu.AtomicXor(parity, u*3)
		gpu.AtomicMax(most, u)
	}
	it.Barrier()
	if it.LocalIndex() == 0 {
		perGroup[it.Group().X] = gpu.V4[int32](
			atomic.LoadInt32(sum),
			atomic.LoadInt32(least),
			int32(atomic.SwapUint32(parity, 0)),
			int32(atomic.LoadUint32(most)>>1),
		)
	}
}

// AtomicsFinish adds up what was put in and taken out.
//
//gpuc:kernel workgroup=1
func AtomicsFinish(it gpu.Item, counters []AtomicCounters) {
	swaps := &counters[0].Swaps
	left := atomic.LoadUint32(&swaps[0]) + atomic.LoadUint32(&swaps[1])
	atomic.StoreUint32(&swaps[0], left)
	atomic.StoreUint32(&swaps[1], 0)
}

const atomicPrime = 65521

// raise sets the float32 in *p to the maximum of it and x.
func raise(p *uint32, x float32) {
	old := atomic.LoadUint32(p)
	for math.Float32frombits(old) < x {
		if atomic.CompareAndSwapUint32(p, old, math.Float32bits(x)) {
			break
		}
		old = atomic.LoadUint32(p)
	}
}

//gpuc:kernel workgroup=32
func AtomicCompareExchange(it gpu.Item, data []float32, greatest, product []uint32, head, links []int32) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	raise(&greatest[0], data[i])
	factor := uint32(i%(atomicPrime-1) + 1)
	for {
		before := atomic.LoadUint32(&product[0])
		if atomic.CompareAndSwapUint32(&product[0], before, before*factor%atomicPrime) {
			break
		}
	}
	for {
		next := atomic.LoadInt32(&head[0])
		links[i] = next
		if atomic.CompareAndSwapInt32(&head[0], next, int32(i)) {
			break
		}
	}
}

// AtomicCompareExchangeWalk counts what is in the list, and adds it up.
//
//gpuc:kernel workgroup=1
func AtomicCompareExchangeWalk(it gpu.Item, head, links []int32, totals []Vec2u) {
	length, sum := 0, uint32(0)
	for at := atomic.LoadInt32(&head[0]); at >= 0 && length <= len(links); at = links[at] {
		length++
		sum += uint32(at)
	}
	totals[0] = gpu.V2[uint32](uint32(length), sum)
}

// AtomicCompareExchangeClear clears the list, whose order is the order of arrival.
//
//gpuc:kernel workgroup=32
func AtomicCompareExchangeClear(it gpu.Item, head, links []int32) {
	if i := it.Index(); i < len(links) {
		links[i] = 0
		atomic.StoreInt32(&head[0], -1)
	}
}
