package seq

import (
	"math/bits"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// radix is the number of digits, and sortItems the size of workgroups that sort tiles. Each
	// item cares for one digit.
	radix     = 256
	sortItems = radix
	// tileRows is how many parts of a tile have counters of their own.
	tileRows = 8
	// sortMost is how many keys an item has at most.
	sortMost = 16
	// rankBits is how many bits the rank of a key in its row has.
	rankBits = 16
)

// Options of the kernels that sort, as bits. The first two say what the bits of a key are.
const (
	signedKeys uint32 = 1 << iota
	floatKeys
	descending
	withValues  // values follow the keys
	indexValues // they are the indices of the keys before the first pass
	withIndices // indices are written, and not values
	encodeKeys  // keys are read as they are, and not encoded
	decodeKeys  // they are written as they are
	ascending   // of options: kernels do so without descending
)

// word is an unsigned integer that a key's bits are in.
type word interface {
	uint8 | uint16 | uint32 | uint64
}

func topBit[K word]() K { return ^(^K(0) >> 1) }

// encode makes a key whose order as an unsigned number is that of the keys. Floats are in the total
// order of IEEE 754-2019, 5.10: their bits have it once those of negative ones are flipped.
func encode[K word](k K, options uint32) K {
	top := topBit[K]()
	if options&floatKeys != 0 && k&top != 0 {
		k = ^k
	} else if options&(floatKeys|signedKeys) != 0 {
		k ^= top
	}
	if options&descending != 0 {
		k = ^k
	}
	return k
}

// decode reverses encode.
func decode[K word](k K, options uint32) K {
	top := topBit[K]()
	if options&descending != 0 {
		k = ^k
	}
	if options&floatKeys != 0 && k&top == 0 {
		return ^k
	}
	if options&(floatKeys|signedKeys) != 0 {
		k ^= top
	}
	return k
}

// digitOf returns the digit of an encoded key that begins at a bit.
func digitOf[K uint32 | uint64](k K, shift uint32) uint32 {
	if ^K(0)>>31 == 1 {
		return uint32(k>>(shift%32)) % radix
	}
	return uint32(k>>(shift%64)) % radix
}

// widenKeys makes encoded words of short keys.
//
//gpuc:kernel workgroup=256 types=uint8,uint16
func widenKeys[K uint8 | uint16](it gpu.Item, options uint32, keys []K, words []uint32) {
	if i := it.Index(); i < len(keys) && i < len(words) {
		words[i] = uint32(encode(keys[i], options))
	}
}

// narrowKeys makes short keys of encoded words.
//
//gpuc:kernel workgroup=256 types=uint8,uint16
func narrowKeys[K uint8 | uint16](it gpu.Item, options uint32, words []uint32, keys []K) {
	if i := it.Index(); i < len(keys) && i < len(words) {
		keys[i] = decode(K(words[i]), options)
	}
}

// positions has a counter for each digit at each position.
type positions interface {
	~[4 * radix]uint32 | ~[8 * radix]uint32
}

// countDigits counts the digits of a key.
func countDigits[K uint32 | uint64, C positions](shared *C, key K, count int) {
	var none C
	for p := range len(none) / radix {
		if p < count {
			atomic.AddUint32(&(*shared)[p*radix+int(uint32(key>>(8*p))%radix)], 1)
		}
	}
}

// radixCount counts the digits of all keys, at all positions in one pass over them. Whole is how
// many arrays of four there are.
//
//gpuc:kernel workgroup=radix types=uint32/[4*radix]uint32,uint64/[8*radix]uint32
func radixCount[K uint32 | uint64, C positions](it gpu.Item, shared *C, n, whole, positions int, options uint32, quads [][4]K, keys []K, counts []uint32) {
	stride := it.Groups().X * radix
	for i := it.Index(); i < whole; i += binLoads * stride {
		var loaded [binLoads][4]K
		for k := range loaded {
			loaded[k] = quads[min(i+k*stride, whole-1)]
		}
		for k := range loaded {
			if i+k*stride < whole {
				countDigits(shared, encode(loaded[k][0], options), positions)
				countDigits(shared, encode(loaded[k][1], options), positions)
				countDigits(shared, encode(loaded[k][2], options), positions)
				countDigits(shared, encode(loaded[k][3], options), positions)
			}
		}
	}
	if i := whole*4 + it.Index(); i < n {
		countDigits(shared, encode(keys[i], options), positions)
	}
	it.Barrier()
	for p := range positions {
		at := p*radix + it.LocalIndex()
		if count := atomic.LoadUint32(&(*shared)[at]); count > 0 {
			atomic.AddUint32(&counts[at], count)
		}
	}
}

// radixBases replaces the counts of each position by where the digits' keys begin.
//
//gpuc:kernel workgroup=radix
func radixBases(it gpu.Item, sums *sumMemory, counts []uint32) {
	at := it.Group().X*radix + digitItem(it)
	counts[at] = sumBefore(it, sums, counts[at])
}

// digitItem counts the items of a workgroup in the order of subgroups and their lanes. The item
// cares for the digit of this number.
func digitItem(it gpu.Item) int { return (it.Subgroup()*it.SubgroupSize() + it.SubgroupLane()) % radix }

// sumMemory has a sum for each subgroup, and that of all.
type sumMemory struct {
	Subgroups [radix]uint32
	All       uint32
}

// sumBefore returns the sum of the numbers of the items before this one, as digitItem counts them.
// After the next barrier, the memory has that of all.
func sumBefore(it gpu.Item, shared *sumMemory, count uint32) (before uint32) {
	upTo := gpu.SubgroupInclusiveAdd(it, count)
	own := it.Subgroup()
	if it.SubgroupLane() == it.SubgroupSize()-1 {
		shared.Subgroups[own%radix] = upTo
	}
	it.Barrier()
	all := uint32(0)
	for g := range it.Subgroups() {
		if g == own {
			before = all
		}
		all += shared.Subgroups[g%radix]
	}
	if it.LocalIndex() == 0 {
		shared.All = all
	}
	return before + upTo - count
}

// radixMemory is what a tile's items share, beside its keys.
type radixMemory struct {
	// Counters are of each row and digit; then they are where these begin in the sorted tile.
	Counters [tileRows][radix]uint32
	Sums     sumMemory
	// Offsets lead from a key's index in the sorted tile to its index in the result.
	Offsets [radix]uint32
}

// tileOf is an array of a tile's keys: 16 of 32 bits for each item, or 8 of 64.
type tileOf[K any] interface {
	~[sortMost * sortItems]K | ~[sortMost / 2 * sortItems]K
}

// eachOf returns how many keys an item has.
func eachOf[K uint32 | uint64, S tileOf[K]]() int {
	var none S
	return len(none) / sortItems
}

// position says where an item is in a tile. A tile consists of rows of consecutive keys, of which
// an item has each lanes-th one of its row. A row belongs to a subgroup, or to several small ones,
// which take their steps one after the other.
type position struct{ row, lane, lanes, phase int }

func positionOf(it gpu.Item) position {
	size := it.SubgroupSize()
	lanes := max(size, sortItems/tileRows)
	at := (it.Subgroup()*size + it.SubgroupLane()) % sortItems
	return position{at / lanes % tileRows, at % lanes, lanes, it.Subgroup() % phasesOf(it)}
}

// phasesOf returns how many subgroups share a row.
func phasesOf(it gpu.Item) int { return max(sortItems/tileRows/it.SubgroupSize(), 1) }

// lanesBefore returns the lanes of a subgroup before this item's, as SubgroupBallot has them.
func lanesBefore(it gpu.Item) (mask [4]uint32) {
	lane := uint32(it.SubgroupLane())
	for w := range mask {
		from := uint32(32 * w)
		if lane > from {
			mask[w] = ^uint32(0) >> (32 - min(lane-from, 32))
		}
	}
	return mask
}

// peers returns which items of the subgroup have the same digit, of all. It asks for each bit which
// items have it, as Ashkiani et al., "GPU Multisplit" (2016).
func peers(it gpu.Item, all [4]uint32, digit uint32) (a, b, c, d uint32) {
	a, b, c, d = all[0], all[1], all[2], all[3]
	a, b, c, d = withBit(it, digit, 1, a, b, c, d)
	a, b, c, d = withBit(it, digit, 2, a, b, c, d)
	a, b, c, d = withBit(it, digit, 4, a, b, c, d)
	a, b, c, d = withBit(it, digit, 8, a, b, c, d)
	a, b, c, d = withBit(it, digit, 16, a, b, c, d)
	a, b, c, d = withBit(it, digit, 32, a, b, c, d)
	a, b, c, d = withBit(it, digit, 64, a, b, c, d)
	return withBit(it, digit, 128, a, b, c, d)
}

// withBit keeps the items whose digit agrees with this item's in one bit.
func withBit(it gpu.Item, digit, bit, a, b, c, d uint32) (w, x, y, z uint32) {
	set := digit&bit != 0
	others := gpu.SubgroupBallot(it, set)
	flip := ^uint32(0)
	if set {
		flip = 0
	}
	return a & (others[0] ^ flip), b & (others[1] ^ flip), c & (others[2] ^ flip), d & (others[3] ^ flip)
}

// A matcher finds which items of the subgroup have the same digit, of all. Subgroups of 32 items
// may use a row of masks for that, which are zero before and after.
type matcher interface {
	peers(it gpu.Item, masks *[radix]uint32, all [4]uint32, digit uint32) (a, b, c, d uint32)
}

type (
	byBallots struct{}
	byMasks   struct{}
)

func (byBallots) peers(it gpu.Item, _ *[radix]uint32, all [4]uint32, digit uint32) (a, b, c, d uint32) {
	return peers(it, all, digit)
}

// peers has each item set its bit in the mask of its digit: a fourth of the time of eight ballots
// on an H200.
func (byMasks) peers(it gpu.Item, masks *[radix]uint32, all [4]uint32, digit uint32) (a, b, c, d uint32) {
	if it.SubgroupSize() != 32 {
		return peers(it, all, digit)
	}
	own := uint32(1) << (it.SubgroupLane() % 32)
	atomic.OrUint32(&masks[digit], own)
	gpu.SubgroupBarrier(it)
	a = atomic.LoadUint32(&masks[digit])
	gpu.SubgroupBarrier(it)
	if a&(own-1) == 0 {
		atomic.StoreUint32(&masks[digit], 0)
	}
	gpu.SubgroupBarrier(it)
	return a, 0, 0, 0
}

// firstOf returns the lane of the first item in a set that is not empty.
func firstOf(it gpu.Item, a, b, c, d uint32) int {
	switch {
	case a != 0 || it.SubgroupSize() <= 32:
		return bits.TrailingZeros32(a)
	case b != 0:
		return 32 + bits.TrailingZeros32(b)
	case c != 0:
		return 64 + bits.TrailingZeros32(c)
	}
	return 96 + bits.TrailingZeros32(d)
}

func ones(a, b, c, d uint32) uint32 {
	return uint32(bits.OnesCount32(a) + bits.OnesCount32(b) + bits.OnesCount32(c) + bits.OnesCount32(d))
}

// rankRows loads the keys of a tile, encoded, and finds the rank of each among those of its row and
// digit. Positions behind the end have the largest key. The digit and the rank share a word. Then
// the counters have the rows' numbers of keys.
func rankRows[M matcher, K uint32 | uint64, S tileOf[K]](it gpu.Item, shared *radixMemory, masks *[tileRows][radix]uint32, in position, n, tile int, shift, options uint32, tiles []S, keys []K) (key [sortMost]K, rank [sortMost]uint32) {
	var m M
	each, phases := eachOf[K, S](), phasesOf(it)
	first := in.row*in.lanes*each + in.lane
	base := tile*each*sortItems + first
	if tile < n/(each*sortItems) {
		for k := range each { // all loads, before anything waits for one
			key[k] = tiles[tile][(first+k*in.lanes)%(each*sortItems)]
		}
	} else {
		for k := range each {
			key[k] = keys[min(base+k*in.lanes, n-1)]
		}
	}
	if options&encodeKeys != 0 {
		for k := range each {
			key[k] = encode(key[k], options)
		}
	}
	if tile >= n/(each*sortItems) {
		for k := range each {
			if base+k*in.lanes >= n {
				key[k] = ^K(0)
			}
		}
	}
	lanes, all := lanesBefore(it), gpu.SubgroupBallot(it, true)
	for k := range each {
		digit := digitOf(key[k], shift)
		a, b, c, d := m.peers(it, &masks[in.row], all, digit)
		before := ones(a&lanes[0], b&lanes[1], c&lanes[2], d&lanes[3])
		old := uint32(0)
		if phases == 1 {
			if before == 0 {
				old = atomic.AddUint32(&shared.Counters[in.row][digit], ones(a, b, c, d))
				old -= ones(a, b, c, d)
			}
		} else {
			for phase := range phases {
				if phase == in.phase && before == 0 {
					old = atomic.AddUint32(&shared.Counters[in.row][digit], ones(a, b, c, d))
					old -= ones(a, b, c, d)
				}
				it.Barrier()
			}
		}
		rank[k] = digit<<rankBits + before + gpu.SubgroupShuffle(it, old, firstOf(it, a, b, c, d))
	}
	it.Barrier()
	return key, rank
}

// digitCounts returns the rows' numbers of keys of the item's digit, and that of all but the
// positions behind the end.
func digitCounts[K uint32 | uint64, S tileOf[K]](it gpu.Item, shared *radixMemory, n, tile int) (counts [tileRows]uint32, count uint32) {
	l := digitItem(it)
	for row := range counts {
		counts[row] = atomic.LoadUint32(&shared.Counters[row][l])
		count += counts[row]
	}
	if l == radix-1 {
		count -= uint32(max((tile+1)*eachOf[K, S]()*sortItems-n, 0))
	}
	return counts, count
}

// placeTile makes the ranks of keys their indices in the tile, sorted by digits, where it stores
// them. It returns where the keys of the item's digit begin.
func placeTile[K uint32 | uint64, S tileOf[K]](it gpu.Item, shared *radixMemory, memory *S, in position, counts [tileRows]uint32, key [sortMost]K, ranks [sortMost]uint32) (rank [sortMost]uint32, start uint32) {
	each, l := eachOf[K, S](), digitItem(it)
	sum := uint32(0)
	for row := range counts {
		sum += counts[row]
	}
	start = sumBefore(it, &shared.Sums, sum)
	from := start
	for row := range counts {
		atomic.StoreUint32(&shared.Counters[row][l], from)
		from += counts[row]
	}
	it.Barrier()
	for k := range each {
		rank[k] = ranks[k]%(1<<rankBits) + atomic.LoadUint32(&shared.Counters[in.row][ranks[k]>>rankBits])
		(*memory)[rank[k]%uint32(each*sortItems)] = key[k]
	}
	return rank, start
}

// scatterTile writes the sorted keys of a tile where item d says that those of digit d go, and the
// values behind them.
func scatterTile[K uint32 | uint64, S tileOf[K]](it gpu.Item, shared *radixMemory, memory *S, in position, n, tile int, shift, options uint32,
	rank [sortMost]uint32, to, start uint32, valuesIn []uint32, keysOut []K, valuesOut []uint32) {
	each := eachOf[K, S]()
	size := each * sortItems
	l := digitItem(it)
	shared.Offsets[l] = to - start
	it.Barrier()
	var key [sortMost]K
	var target [sortMost]uint32 // behind the end of the last digit for positions behind the end
	for k := range each {
		at := k*sortItems + l
		key[k] = (*memory)[at]
		target[k] = shared.Offsets[digitOf(key[k], shift)] + uint32(at)
	}
	if options&decodeKeys != 0 {
		for k := range each {
			key[k] = decode(key[k], options)
		}
	}
	for k := range each {
		if i := target[k]; i < uint32(len(keysOut)) {
			keysOut[i] = key[k]
		}
	}
	if options&withValues == 0 {
		return
	}
	it.Barrier()
	base := tile*size + in.row*in.lanes*each + in.lane
	for k := range each {
		i := base + k*in.lanes
		value := uint32(i)
		if options&indexValues == 0 {
			value = valuesIn[min(i, n-1)]
		}
		(*memory)[rank[k]%uint32(size)] = K(value)
	}
	it.Barrier()
	for k := range each {
		if i := target[k]; i < uint32(len(valuesOut)) {
			valuesOut[i] = uint32((*memory)[k*sortItems+l])
		}
	}
}

// radixTiles counts the digits of each tile: first of all tiles for digit 0, and so on.
//
//gpuc:kernel workgroup=sortItems types=uint32,uint64
func radixTiles[K uint32 | uint64](it gpu.Item, shared *[radix]uint32, n, each int, shift, options uint32, keys []K, counts []uint32) {
	l, tile := it.LocalIndex(), it.Group().X
	for k := range each {
		if i := (tile*each+k)*sortItems + l; i < n && i < len(keys) {
			key := keys[i]
			if options&encodeKeys != 0 {
				key = encode(key, options)
			}
			atomic.AddUint32(&shared[digitOf(key, shift)], 1)
		}
	}
	it.Barrier()
	counts[l*it.Groups().X+tile] = atomic.LoadUint32(&shared[l])
}

// radixScatter sorts by one digit. Offsets are radixTiles' counts after an exclusive scan.
//
//gpuc:kernel workgroup=sortItems types=uint32/[sortMost*sortItems]uint32,uint64/[sortMost/2*sortItems]uint64
func radixScatter[K uint32 | uint64, S tileOf[K]](it gpu.Item, shared *radixMemory, memory *S, n int, shift, options uint32,
	tiles []S, keys []K, values, offsets []uint32, keysOut []K, valuesOut []uint32) {
	tile, in := it.Group().X, positionOf(it)
	key, ranks := rankRows[byBallots](it, shared, &shared.Counters, in, n, tile, shift, options, tiles, keys)
	counts, _ := digitCounts[K, S](it, shared, n, tile)
	rank, start := placeTile(it, shared, memory, in, counts, key, ranks)
	to := offsets[digitItem(it)*it.Groups().X+tile]
	scatterTile[K](it, shared, memory, in, n, tile, shift, options, rank, to, start, values, keysOut, valuesOut)
}

// States of a word of radixChained, in the lowest bits of its epoch.
const (
	stateCount  = 1 // of the tile's keys with a digit
	statePrefix = 2 // of those of all tiles up to this one
)

// lookAtOnce is how many earlier tiles an item asks at once: an answer takes longer than a tile.
const lookAtOnce = 4

// publishDigit makes known to others how many keys of a digit a tile has.
func publishDigit(status []uint64, tile, digit int, epoch, count uint32) {
	state := uint32(stateCount)
	if tile == 0 {
		state = statePrefix
	}
	atomic.StoreUint64(&status[statusTotals+tile*radix+digit], uint64(epoch|state)<<32|uint64(count))
}

// lookBack returns how many keys of a digit earlier tiles have, after publishDigit, and publishes
// how many there are with this one's.
func lookBack(status []uint64, tile, digit int, epoch, count uint32) (before uint32) {
	for t := tile - 1; t >= 0; {
		var words [lookAtOnce]uint64
		for k := range words {
			words[k] = atomic.LoadUint64(&status[statusTotals+max(t-k, 0)*radix+digit])
		}
		known, done := true, false
		for k := range words {
			high := uint32(words[k] >> 32)
			known = known && !done && t >= 0 && (high == epoch|stateCount || high == epoch|statePrefix)
			if known {
				before += uint32(words[k])
				done = high == epoch|statePrefix
				t--
			}
		}
		if done {
			break
		}
	}
	if tile > 0 {
		atomic.StoreUint64(&status[statusTotals+tile*radix+digit], uint64(epoch|statePrefix)<<32|uint64(before+count))
	}
	return before
}

// radixChained sorts by one digit in one pass, where workgroups may wait for others. Each item
// looks back at what earlier tiles have of its digit (Adinets and Merrill, "Onesweep", 2022). Bases
// are where the digits begin.
//
//gpuc:kernel workgroup=sortItems resident=4 types=uint32/[sortMost*sortItems]uint32,uint64/[sortMost/2*sortItems]uint64
func radixChained[K uint32 | uint64, S tileOf[K]](it gpu.Item, shared *radixMemory, masks *[tileRows][radix]uint32, memory *S, ticket *uint32, n int, shift, options, epoch, base uint32,
	tiles []S, keys []K, values, bases []uint32, status []uint64, keysOut []K, valuesOut []uint32) {
	tile, in := takeTicket(it, ticket, base, status), positionOf(it)
	digit := digitItem(it)
	from := bases[int(shift/8)*radix+digit]
	key, ranks := rankRows[byMasks](it, shared, masks, in, n, tile, shift, options, tiles, keys)
	counts, count := digitCounts[K, S](it, shared, n, tile)
	publishDigit(status, tile, digit, epoch, count)
	rank, start := placeTile(it, shared, memory, in, counts, key, ranks) // others publish meanwhile
	to := from + lookBack(status, tile, digit, epoch, count)
	scatterTile[K](it, shared, memory, in, n, tile, shift, options, rank, to, start, values, keysOut, valuesOut)
}
