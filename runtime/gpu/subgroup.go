package gpu

// This file is what kernels written in Go do in subgroups: the items of a workgroup that a device
// runs in lockstep, of a size that differs from device to device (WGSL §17.12). What an item is in
// its subgroup are methods of it; operations on values are functions with the item first, as Go has
// no generic methods.
//
// As plain Go each operation is one exchange of what the items hand in (meeting.go), of which every
// item computes what it gets.

// maxLanes is the size of the largest subgroups (WGSL §13.3.1.1).
const maxLanes = 128

// SubgroupSize returns how many items a subgroup of this launch has, from 4 to 128 on devices, and
// 32 as plain Go unless EachGroupWithSubgroups says otherwise. A subgroup that is not full has
// fewer. WGSL calls it subgroup_size (WGSL §13.3.1.1).
func (it Item) SubgroupSize() int { return it.in().launch.lanes }

// SubgroupLane returns the item's number in its subgroup, from 0 on. As plain Go subgroups are
// items one behind the other by LocalIndex; devices may choose others. WGSL calls it
// subgroup_invocation_id (WGSL §13.3.1.1).
func (it Item) SubgroupLane() int { return it.number % it.in().launch.lanes }

// Subgroup returns the number of the item's subgroup in its workgroup, from 0 on. WGSL calls it
// subgroup_id (WGSL §13.3.1.1).
func (it Item) Subgroup() int { return it.number / it.in().launch.lanes }

// Subgroups returns how many subgroups a workgroup has. WGSL calls it num_subgroups (WGSL
// §13.3.1.1).
func (it Item) Subgroups() int {
	l := it.in().launch
	return (l.items() + l.lanes - 1) / l.lanes
}

// SubgroupAdd returns the sum of what all items of the subgroup hand in (WGSL §17.12, subgroupAdd).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. Plain Go adds in the order of lanes, and a device may add float32 in another, which
// rounds otherwise.
func SubgroupAdd[T Number](it Item, v T) T {
	return fold(exchange(it, v), sumOf[T])
}

// SubgroupMul returns the product of what all items of the subgroup hand in (WGSL §17.12,
// subgroupMul).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. Plain Go multiplies in the order of lanes, and a device may multiply float32 in another,
// which rounds otherwise.
func SubgroupMul[T Number](it Item, v T) T {
	return fold(exchange(it, v), productOf[T])
}

// SubgroupMin returns the least of what all items of the subgroup hand in (WGSL §17.12,
// subgroupMin).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. Of what is not a number plain Go makes that, and devices may leave it out.
func SubgroupMin[T Number](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return min(x, y) })
}

// SubgroupMax returns the greatest of what all items of the subgroup hand in (WGSL §17.12,
// subgroupMax).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. Of what is not a number plain Go makes that, and devices may leave it out.
func SubgroupMax[T Number](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return max(x, y) })
}

// SubgroupAnd returns the bits that are set in all that the items of the subgroup hand in (WGSL
// §17.12, subgroupAnd).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not.
func SubgroupAnd[T Integer](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return x & y })
}

// SubgroupOr returns the bits that are set in some of what the items of the subgroup hand in (WGSL
// §17.12, subgroupOr).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not.
func SubgroupOr[T Integer](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return x | y })
}

// SubgroupXor returns the bits that are set in an odd number of what the items of the subgroup hand
// in (WGSL §17.12, subgroupXor).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not.
func SubgroupXor[T Integer](it Item, v T) T {
	return fold(exchange(it, v), func(x, y T) T { return x ^ y })
}

// SubgroupInclusiveAdd returns the sum of what the items of the subgroup up to this one hand in,
// its own included (WGSL §17.12, subgroupInclusiveAdd).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. Rounding is as SubgroupAdd's.
func SubgroupInclusiveAdd[T Number](it Item, v T) T {
	return fold(exchange(it, v)[:it.SubgroupLane()+1], sumOf[T])
}

// SubgroupExclusiveAdd returns the sum of what the items of the subgroup before this one hand in, 0
// for the first (WGSL §17.12, subgroupExclusiveAdd).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. Rounding is as SubgroupAdd's.
func SubgroupExclusiveAdd[T Number](it Item, v T) T {
	before := exchange(it, v)[:it.SubgroupLane()]
	if len(before) == 0 {
		return 0
	}
	return fold(before, sumOf[T])
}

// SubgroupInclusiveMul returns the product of what the items of the subgroup up to this one hand
// in, its own included (WGSL §17.12, subgroupInclusiveMul).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. Rounding is as SubgroupMul's.
func SubgroupInclusiveMul[T Number](it Item, v T) T {
	return fold(exchange(it, v)[:it.SubgroupLane()+1], productOf[T])
}

// SubgroupExclusiveMul returns the product of what the items of the subgroup before this one hand
// in, 1 for the first (WGSL §17.12, subgroupExclusiveMul).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. Rounding is as SubgroupMul's.
func SubgroupExclusiveMul[T Number](it Item, v T) T {
	before := exchange(it, v)[:it.SubgroupLane()]
	if len(before) == 0 {
		return 1
	}
	return fold(before, productOf[T])
}

// SubgroupAll reports whether the condition holds in all items of the subgroup (WGSL §17.12,
// subgroupAll).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not.
func SubgroupAll(it Item, condition bool) bool {
	return fold(exchange(it, condition), func(x, y bool) bool { return x && y })
}

// SubgroupAny reports whether the condition holds in some item of the subgroup (WGSL §17.12,
// subgroupAny).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not.
func SubgroupAny(it Item, condition bool) bool {
	return fold(exchange(it, condition), func(x, y bool) bool { return x || y })
}

// SubgroupBallot returns a bit for each item of the subgroup: the condition in lane n is bit n%32
// of word n/32 (WGSL §17.12, subgroupBallot).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not.
func SubgroupBallot(it Item, condition bool) (bits [maxLanes / 32]uint32) {
	for lane, set := range exchange(it, condition) {
		if set.(bool) {
			bits[lane/32] |= 1 << (lane % 32)
		}
	}
	return bits
}

// SubgroupElect reports whether the item is the first of its subgroup, so that one of them does
// what is to be done once (WGSL §17.12, subgroupElect).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not.
func SubgroupElect(it Item) bool {
	exchange(it, true)
	return it.SubgroupLane() == 0
}

// SubgroupBroadcast returns what the item of a lane hands in, a constant from 0 to 127 (WGSL
// §17.12, subgroupBroadcast); SubgroupShuffle takes a lane that is computed.
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. If the subgroup has no such lane, what devices give differs, and plain Go gives the
// item's own.
func SubgroupBroadcast[T Number](it Item, v T, lane int) T {
	return of[T](exchange(it, v), it, uint64(uint32(lane)))
}

// SubgroupBroadcastFirst returns what the first item of the subgroup hands in (WGSL §17.12,
// subgroupBroadcastFirst).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not.
func SubgroupBroadcastFirst[T Number](it Item, v T) T {
	return of[T](exchange(it, v), it, 0)
}

// SubgroupShuffle returns what the item of a lane hands in, which each item chooses for itself
// (WGSL §17.12, subgroupShuffle).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. If the subgroup has no such lane, what devices give differs, and plain Go gives the
// item's own.
func SubgroupShuffle[T Number](it Item, v T, lane int) T {
	return of[T](exchange(it, v), it, uint64(uint32(lane)))
}

// SubgroupShuffleXor returns what the item of lane SubgroupLane() ^ mask hands in, of one mask for
// the subgroup (WGSL §17.12, subgroupShuffleXor).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. If the subgroup has no such lane, what devices give differs, and plain Go gives the
// item's own.
func SubgroupShuffleXor[T Number](it Item, v T, mask int) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane())^uint64(uint32(mask)))
}

// SubgroupShuffleUp returns what the item of lane SubgroupLane() - delta hands in, of one delta for
// the subgroup (WGSL §17.12, subgroupShuffleUp): values move up.
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. If the subgroup has no such lane, what devices give differs, and plain Go gives the
// item's own.
func SubgroupShuffleUp[T Number](it Item, v T, delta int) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane())-uint64(uint32(delta)))
}

// SubgroupShuffleDown returns what the item of lane SubgroupLane() + delta hands in, of one delta
// for the subgroup (WGSL §17.12, subgroupShuffleDown): values move down.
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. If the subgroup has no such lane, what devices give differs, and plain Go gives the
// item's own.
func SubgroupShuffleDown[T Number](it Item, v T, delta int) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane())+uint64(uint32(delta)))
}

// QuadBroadcast returns what one of the item's quad hands in, a constant from 0 to 3 (WGSL §17.13,
// quadBroadcast). Quads are four lanes one behind the other, from a multiple of 4 on.
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. If the quad has no such item, what devices give differs, and plain Go gives the item's
// own.
func QuadBroadcast[T Number](it Item, v T, index int) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane()&^3|index&3))
}

// QuadSwapX returns what the item of lane SubgroupLane() ^ 1 hands in, the neighbour in its half of
// the quad (WGSL §17.13, quadSwapX).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. If the quad has no such item, what devices give differs, and plain Go gives the item's
// own.
func QuadSwapX[T Number](it Item, v T) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane()^1))
}

// QuadSwapY returns what the item of lane SubgroupLane() ^ 2 hands in, the item at its place in the
// other half of the quad (WGSL §17.13, quadSwapY).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. If the quad has no such item, what devices give differs, and plain Go gives the item's
// own.
func QuadSwapY[T Number](it Item, v T) T {
	return of[T](exchange(it, v), it, uint64(it.SubgroupLane()^2))
}

// QuadSwapDiagonal returns what the item of lane SubgroupLane() ^ 3 hands in, the item across the
// quad (WGSL §17.13, quadSwapDiagonal).
//
// All items of the subgroup have to come to it together (WGSL §15.2); as plain Go it panics if some
// do not. If the quad has no such item, what devices give differs, and plain Go gives the item's
// own.
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
