package gokernels

import (
	"math/bits"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// These kernels work with any size of subgroups.

const subgroupReduceSize = 96

type subgroupReduceResult struct{ Sum, Least, Most, Odd, Mistakes uint32 }

//gpuc:kernel workgroup=subgroupReduceSize
func SubgroupReduce(it gpu.Item, total, lowest, highest, oddTotal, mistakes *uint32, data []uint32, results []subgroupReduceResult) {
	if it.LocalIndex() == 0 {
		atomic.StoreUint32(lowest, 0xffffffff)
	}
	it.Barrier()
	value := uint32(0)
	if it.Index() < len(data) {
		value = data[it.Index()]
	}
	sum := gpu.SubgroupAdd(it, value)
	least := gpu.SubgroupMin(it, value)
	most := gpu.SubgroupMax(it, value)
	odds := gpu.SubgroupBallot(it, value&1 == 1)
	odd := bits.OnesCount32(odds[0]) + bits.OnesCount32(odds[1]) + bits.OnesCount32(odds[2]) + bits.OnesCount32(odds[3])
	upTo := gpu.SubgroupInclusiveAdd(it, value)
	before := gpu.SubgroupExclusiveAdd(it, value)
	first := gpu.SubgroupBroadcastFirst(it, sum)
	allBelow := gpu.SubgroupAll(it, it.SubgroupLane() < it.SubgroupSize())
	anyBeyond := gpu.SubgroupAny(it, value > most)

	if gpu.SubgroupElect(it) {
		atomic.AddUint32(total, sum)
		gpu.AtomicMin(lowest, least)
		gpu.AtomicMax(highest, most)
		atomic.AddUint32(oddTotal, uint32(odd))
	}
	if upTo-before != value || first != sum || !allBelow || anyBeyond {
		atomic.AddUint32(mistakes, 1)
	}
	it.Barrier()
	if it.LocalIndex() == 0 {
		results[it.Group().X] = subgroupReduceResult{atomic.LoadUint32(total), atomic.LoadUint32(lowest),
			atomic.LoadUint32(highest), atomic.LoadUint32(oddTotal), atomic.LoadUint32(mistakes)}
	}
}

// wrongIf counts an error.
func wrongIf(mistake bool) uint32 {
	if mistake {
		return 1
	}
	return 0
}

//gpuc:kernel workgroup=64
func SubgroupExchange(it gpu.Item, data, mistakes []uint32, echoed [][2]uint32) {
	lane := it.SubgroupLane()
	active := gpu.SubgroupAdd(it, 1)
	value := data[it.Index()%len(data)]

	// The first item's index, in two ways.
	first := gpu.SubgroupBroadcastFirst(it, lane)
	wrong := wrongIf(first != gpu.SubgroupMin(it, lane)) + wrongIf(active > it.SubgroupSize())
	wrong += wrongIf(gpu.SubgroupBroadcast(it, lane, 0) != 0 && first == 0)

	// From the item itself, and from the mirrored lane if all lanes are active.
	own := gpu.SubgroupShuffle(it, value, lane)
	mirrored := gpu.SubgroupShuffle(it, lane, active-1-min(lane, active-1))
	wrong += wrongIf(own != value)
	wrong += wrongIf(mirrored != active-1-lane && lane < active)

	// Neighbours: up, down and across, where they exist.
	below := gpu.SubgroupShuffleUp(it, lane, 1)
	above := gpu.SubgroupShuffleDown(it, lane, 1)
	across := gpu.SubgroupShuffleXor(it, lane, 1)
	wrong += wrongIf(lane > 0 && below != lane-1)
	wrong += wrongIf(lane+1 < active && above != lane+1)
	wrong += wrongIf(lane^1 < active && across != lane^1)

	// Products and bitwise reductions against their expected values.
	wrong += wrongIf(gpu.SubgroupMul(it, 1+lane/128) != 1)
	wrong += wrongIf(gpu.SubgroupAnd(it, value)&value != gpu.SubgroupAnd(it, value))
	wrong += wrongIf(gpu.SubgroupOr(it, value)|value != gpu.SubgroupOr(it, value))
	wrong += wrongIf(gpu.SubgroupXor(it, 1) != active&1)

	mistakes[it.Index()] = wrong
	echoed[it.Index()] = [2]uint32{own, value ^ 1}
}
