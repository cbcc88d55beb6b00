package gpu

// This file has subgroups: the items of a workgroup that a device runs in lockstep, whose number
// differs from device to device (WGSL §17.12). An item's position in its subgroup is a method of
// it. Operations are functions with the item first, as methods cannot have type parameters.
//
// As plain Go each operation is one exchange of operands (rendezvous.go), of which every item
// computes its result.

// maxLanes is the size of the largest subgroups (WGSL §13.3.1.1).
const maxLanes = 128

// SubgroupSize returns the size of subgroups of this launch (subgroup_size, WGSL §13.3.1.1): 4 to
// 128 on devices, and 32 as plain Go unless EachGroupWithSubgroups says otherwise. The last
// subgroup of a workgroup may have fewer items.
func (it Item) SubgroupSize() int { return it.in().launch.lanes }

// SubgroupLane returns the item's index in its subgroup (subgroup_invocation_id, WGSL §13.3.1.1).
// As plain Go subgroups are consecutive by LocalIndex; devices may differ.
func (it Item) SubgroupLane() int { return it.number % it.in().launch.lanes }

// Subgroup returns the index of the item's subgroup in its workgroup (subgroup_id, WGSL §13.3.1.1).
func (it Item) Subgroup() int { return it.number / it.in().launch.lanes }

// Subgroups returns how many subgroups a workgroup has (num_subgroups, WGSL §13.3.1.1).
func (it Item) Subgroups() int {
	l := it.in().launch
	return (l.items() + l.lanes - 1) / l.lanes
}

// SubgroupAdd returns the sum of the values of all items of the subgroup (WGSL §17.12,
// subgroupAdd). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics
// otherwise. Plain Go computes in the order of lanes. Devices may choose another order, which
// float32 rounds differently.
func SubgroupAdd[T Number](it Item, v T) T {
	return fold(exchange(it, v), sumOf[T])
}

// SubgroupMul returns the product of the values of all items of the subgroup (WGSL §17.12,
// subgroupMul). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics
// otherwise. Plain Go computes in the order of lanes. Devices may choose another order, which
// float32 rounds differently.
func SubgroupMul[T Number](it Item, v T) T {
	return fold(exchange(it, v), productOf[T])
}

// SubgroupMin returns the minimum of the values of all items of the subgroup (WGSL §17.12,
// subgroupMin). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics
// otherwise. Plain Go returns NaN if a value is NaN; devices may ignore NaNs.
func SubgroupMin[T Number](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return min(x, y) })
}

// SubgroupMax returns the maximum of the values of all items of the subgroup (WGSL §17.12,
// subgroupMax). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics
// otherwise. Plain Go returns NaN if a value is NaN; devices may ignore NaNs.
func SubgroupMax[T Number](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return max(x, y) })
}

// SubgroupAnd returns the bitwise and of the values of all items of the subgroup (WGSL §17.12,
// subgroupAnd). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics
// otherwise.
func SubgroupAnd[T Integer](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return x & y })
}

// SubgroupOr returns the bitwise or of the values of all items of the subgroup (WGSL §17.12,
// subgroupOr). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics
// otherwise.
func SubgroupOr[T Integer](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return x | y })
}

// SubgroupXor returns the bitwise exclusive or of the values of all items of the subgroup (WGSL
// §17.12, subgroupXor). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it
// panics otherwise.
func SubgroupXor[T Integer](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return x ^ y })
}

// SubgroupInclusiveAdd returns the inclusive prefix sum: of the values of the lanes up to this one
// (WGSL §17.12, subgroupInclusiveAdd). It must be in subgroup-uniform control flow (WGSL §15.2); as
// plain Go it panics otherwise. It rounds as SubgroupAdd does.
func SubgroupInclusiveAdd[T Number](it Item, v T) T {
	return fold(exchange(it, v)[:it.SubgroupLane()+1], sumOf[T])
}

// SubgroupExclusiveAdd returns the exclusive prefix sum: of the values of the lanes before this
// one, 0 in the first (WGSL §17.12, subgroupExclusiveAdd). It must be in subgroup-uniform control
// flow (WGSL §15.2); as plain Go it panics otherwise. It rounds as SubgroupAdd does.
func SubgroupExclusiveAdd[T Number](it Item, v T) T {
	before := exchange(it, v)[:it.SubgroupLane()]
	if len(before) == 0 {
		return 0
	}
	return fold(before, sumOf[T])
}

// SubgroupInclusiveMul returns the inclusive prefix product: of the values of the lanes up to this
// one (WGSL §17.12, subgroupInclusiveMul). It must be in subgroup-uniform control flow (WGSL
// §15.2); as plain Go it panics otherwise. It rounds as SubgroupMul does.
func SubgroupInclusiveMul[T Number](it Item, v T) T {
	return fold(exchange(it, v)[:it.SubgroupLane()+1], productOf[T])
}

// SubgroupExclusiveMul returns the exclusive prefix product: of the values of the lanes before this
// one, 1 in the first (WGSL §17.12, subgroupExclusiveMul). It must be in subgroup-uniform control
// flow (WGSL §15.2); as plain Go it panics otherwise. It rounds as SubgroupMul does.
func SubgroupExclusiveMul[T Number](it Item, v T) T {
	before := exchange(it, v)[:it.SubgroupLane()]
	if len(before) == 0 {
		return 1
	}
	return fold(before, productOf[T])
}

// SubgroupAll reports whether the condition holds in all items of the subgroup (WGSL §17.12,
// subgroupAll). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics
// otherwise.
func SubgroupAll(it Item, condition bool) bool {
	return fold(exchange(it, condition), func(x, y bool) bool { return x && y })
}

// SubgroupAny reports whether the condition holds in any item of the subgroup (WGSL §17.12,
// subgroupAny). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics
// otherwise.
func SubgroupAny(it Item, condition bool) bool {
	return fold(exchange(it, condition), func(x, y bool) bool { return x || y })
}

// SubgroupBallot returns a bit for each item of the subgroup: the condition of lane n is bit n%32
// of word n/32 (WGSL §17.12, subgroupBallot). It must be in subgroup-uniform control flow (WGSL
// §15.2); as plain Go it panics otherwise.
func SubgroupBallot(it Item, condition bool) (bits [maxLanes / 32]uint32) {
	for lane, set := range exchange(it, condition) {
		if set.(bool) {
			bits[lane/32] |= 1 << (lane % 32)
		}
	}
	return bits
}

// SubgroupBarrier waits for all items of the subgroup, and orders their accesses to the memory that
// Item.Barrier orders. It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it
// panics otherwise. Vulkan, CUDA, Metal, ROCm and the CPU device have it, and WGSL does not.
func SubgroupBarrier(it Item) { exchange(it, true) }

// SubgroupElect reports whether the item is the first of its subgroup (WGSL §17.12, subgroupElect).
// It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics otherwise.
func SubgroupElect(it Item) bool {
	exchange(it, true)
	return it.SubgroupLane() == 0
}

// SubgroupBroadcast returns the value of a lane, which is a constant from 0 to 127; SubgroupShuffle
// takes a computed lane (WGSL §17.12, subgroupBroadcast). It must be in subgroup-uniform control
// flow (WGSL §15.2); as plain Go it panics otherwise. If the subgroup has no such lane, the result
// differs between devices; plain Go returns the item's own value.
func SubgroupBroadcast[T Number](it Item, v T, lane int) T {
	return of[T](exchange(it, v), it, uint64(uint32(lane)))
}

// SubgroupBroadcastFirst returns the value of the first item of the subgroup (WGSL §17.12,
// subgroupBroadcastFirst). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it
// panics otherwise.
func SubgroupBroadcastFirst[T Number](it Item, v T) T {
	return of[T](exchange(it, v), it, 0)
}

// SubgroupShuffle returns the value of a lane, which may differ between items (WGSL §17.12,
// subgroupShuffle). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it panics
// otherwise. If the subgroup has no such lane, the result differs between devices; plain Go returns
// the item's own value.
func SubgroupShuffle[T Number](it Item, v T, lane int) T {
	return of[T](exchange(it, v), it, uint64(uint32(lane)))
}

// SubgroupShuffleXor returns the value of lane SubgroupLane() ^ mask; mask is the same for the
// subgroup (WGSL §17.12, subgroupShuffleXor). It must be in subgroup-uniform control flow (WGSL
// §15.2); as plain Go it panics otherwise. If the subgroup has no such lane, the result differs
// between devices; plain Go returns the item's own value.
func SubgroupShuffleXor[T Number](it Item, v T, mask int) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane())^uint64(uint32(mask)))
}

// SubgroupShuffleUp returns the value of lane SubgroupLane() - delta, so that values move up; delta
// is the same for the subgroup (WGSL §17.12, subgroupShuffleUp). It must be in subgroup-uniform
// control flow (WGSL §15.2); as plain Go it panics otherwise. If the subgroup has no such lane, the
// result differs between devices; plain Go returns the item's own value.
func SubgroupShuffleUp[T Number](it Item, v T, delta int) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane())-uint64(uint32(delta)))
}

// SubgroupShuffleDown returns the value of lane SubgroupLane() + delta, so that values move down;
// delta is the same for the subgroup (WGSL §17.12, subgroupShuffleDown). It must be in
// subgroup-uniform control flow (WGSL §15.2); as plain Go it panics otherwise. If the subgroup has
// no such lane, the result differs between devices; plain Go returns the item's own value.
func SubgroupShuffleDown[T Number](it Item, v T, delta int) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane())+uint64(uint32(delta)))
}

// QuadBroadcast returns the value of an item of the quad, a constant from 0 to 3. A quad is four
// consecutive lanes from a multiple of 4 on (WGSL §17.13, quadBroadcast). It must be in
// subgroup-uniform control flow (WGSL §15.2); as plain Go it panics otherwise. If the quad has no
// such item, the result differs between devices; plain Go returns the item's own value.
func QuadBroadcast[T Number](it Item, v T, index int) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane()&^3|index&3))
}

// QuadSwapX returns the value of lane SubgroupLane() ^ 1, the horizontal neighbour in the quad
// (WGSL §17.13, quadSwapX). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go
// it panics otherwise. If the quad has no such item, the result differs between devices; plain Go
// returns the item's own value.
func QuadSwapX[T Number](it Item, v T) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane()^1))
}

// QuadSwapY returns the value of lane SubgroupLane() ^ 2, the vertical neighbour in the quad (WGSL
// §17.13, quadSwapY). It must be in subgroup-uniform control flow (WGSL §15.2); as plain Go it
// panics otherwise. If the quad has no such item, the result differs between devices; plain Go
// returns the item's own value.
func QuadSwapY[T Number](it Item, v T) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane()^2))
}

// QuadSwapDiagonal returns the value of lane SubgroupLane() ^ 3, the diagonal neighbour in the quad
// (WGSL §17.13, quadSwapDiagonal). It must be in subgroup-uniform control flow (WGSL §15.2); as
// plain Go it panics otherwise. If the quad has no such item, the result differs between devices;
// plain Go returns the item's own value.
func QuadSwapDiagonal[T Number](it Item, v T) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane()^3))
}

func sumOf[T Number](x, y T) T     { return x + y }
func productOf[T Number](x, y T) T { return x * y }

// fold combines values in the order of their lanes.
func fold[T any](values []any, combine func(x, y T) T) T {
	result := values[0].(T)
	for _, v := range values[1:] {
		result = combine(result, v.(T))
	}
	return result
}

// of returns the value of a lane, or the item's own if there is no such lane.
func of[T any](values []any, it Item, lane uint64) T {
	if lane >= uint64(len(values)) {
		lane = uint64(it.SubgroupLane())
	}
	return values[lane].(T)
}
