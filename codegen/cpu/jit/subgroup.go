package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file makes operations of subgroups. A kernel that has some is executed by four blocks of
// lanes together (width), which are a subgroup, so that all of its values are in registers at once.
// What is the same in the lanes of a subgroup is in the same registers for the four blocks, and
// scope Block (package lower) is the subgroup.
//
// Reductions and scans are of integers, whose order does not matter: lanes that are not active have
// a value that changes nothing. Other operations take values from other lanes, that are active:
// from itself a lane takes the value if the other one is not.

// members is how many blocks of lanes a subgroup has.
const members = subgroupSize / lanes

// perBlock is a vector for each block of a subgroup.
type perBlock [members]amd64.Operand

// meet emits an operation of subgroups, for all blocks of lanes at once.
func (s *selector) meet(i mir.Inst) {
	f := s.f
	results, args := f.Results(i), f.Args(i)
	o := op.Op(f.Op(i))
	var h [members]homes
	common := len(results) > 0 && !s.varies(results[0])
	for u := range s.sets {
		if s.use(u); u == 0 || !common {
			s.beginResults(i, &h[u])
		}
	}
	s.use(0)
	switch {
	case len(args) > 0 && f.Kind(i).Bits() == 64:
		panic(reasonOf(f, i))
	case o == op.SubgroupElect:
		s.elect(s.resultOf(results[0]))
	case o == op.SubgroupAll, o == op.SubgroupAny:
		s.vote(s.value(results[0]).vector[0], args[0], o == op.SubgroupAll)
	case o == op.SubgroupBallot:
		s.ballot(results, args[0])
	case o == op.SubgroupBroadcastFirst:
		s.broadcastFirst(results, args)
	case mir.Combining[o].Op != op.Invalid:
		for n, r := range results {
			s.combine(i, r, args[n])
		}
	default:
		s.exchange(o, results, args)
	}
	for u := range s.sets {
		if s.use(u); u == 0 || !common {
			s.endResults(i, &h[u])
		} else {
			s.share(i, 0)
		}
	}
}

// resultOf returns the registers of a result.
func (s *selector) resultOf(r mir.Operand) (list perBlock) {
	for u := range s.sets {
		list[u] = s.sets[u].values[s.f.Index(r)].vector[0]
	}
	return list
}

// operandsOf returns an operand of each block, with the patterns of NaN that package eval has.
func (s *selector) operandsOf(o mir.Operand) (list perBlock) {
	for u := range s.sets {
		s.use(u)
		list[u] = s.canonical(o, 0)
	}
	s.use(0)
	return list
}

// masks returns the masks of the lanes that are active, and whether there are any: else all are.
func (s *selector) masks() (list perBlock, some bool) {
	for u := range s.sets {
		s.use(u)
		list[u] = s.mask()
	}
	s.use(0)
	return list, list[0] != 0
}

// within returns values that have another one, a constant, where lanes are not active.
func (s *selector) within(x perBlock, other uint32) perBlock {
	masks, some := s.masks()
	if !some {
		return x
	}
	c := s.inRegister(&taken{constant: true, bits: uint64(other)})
	for u := range x {
		r := s.freshVector()
		s.emit(amd64.VBlendVPS, amd64.Wide, r, c, x[u], masks[u])
		x[u] = r
	}
	return x
}

// bits returns the signs of all lanes in a general register.
func (s *selector) bits(x perBlock) amd64.Operand {
	all := amd64.Operand(0)
	for u := range x {
		r := s.freshGeneral()
		s.emit(amd64.VMovMskPS, amd64.Wide, r, x[u])
		if u > 0 {
			s.immediate(amd64.Shl, amd64.Narrow, int64(u)*lanes, r)
			s.emit(amd64.Or, amd64.Narrow, all, r)
		} else {
			all = r
		}
	}
	return all
}

// constantLanes is an instruction with a constant for each lane as its last operand.
func (s *selector) constantLanes(o amd64.Op, d, x amd64.Operand, c [lanes]uint32) {
	i := amd64.Of(o, amd64.Wide, d, x, amd64.Mem)
	i.Address = amd64.At(s.pool.Lanes(&c), 0)
	s.append(&i)
}

// laneNumbers are those of a block's lanes in their subgroup.
func laneIndices(u int) (list [lanes]uint32) {
	for k := range list {
		list[k] = uint32(u*lanes + k)
	}
	return list
}

// elect chooses the first lane that is active.
func (s *selector) elect(to perBlock) {
	first := s.freshVector()
	if masks, some := s.masks(); some {
		g := s.freshGeneral()
		s.emit(amd64.TzCnt, amd64.Narrow, g, s.bits(masks))
		s.broadcast(first, g)
	} else {
		s.emit(amd64.VPXor, amd64.Wide, first, first, first)
	}
	for u := range to {
		s.constantLanes(amd64.VPCmpEqD, to[u], first, laneIndices(u))
	}
}

// truths returns where a condition holds and a lane is active or, negated, where a lane is active
// and it does not.
func (s *selector) truths(o mir.Operand, negated bool) perBlock {
	x := s.operandsOf(o)
	masks, some := s.masks()
	for u := range x {
		if some || negated {
			r := s.freshVector()
			switch {
			case !some:
				s.emitConstant(amd64.VPXor, r, x[u], 0xFFFFFFFF)
			case negated:
				s.emit(amd64.VPAndN, amd64.Wide, r, x[u], masks[u])
			default:
				s.emit(amd64.VPAnd, amd64.Wide, r, x[u], masks[u])
			}
			x[u] = r
		}
	}
	return x
}

// vote finds whether a condition holds in all lanes that are active, which is that it is false in
// none, or in some.
func (s *selector) vote(to amd64.Operand, o mir.Operand, all bool) {
	some := s.joined(table()[op.Or][scalar.U32][byAny], s.truths(o, all))
	if all {
		s.emitConstant(amd64.VPXor, to, some, 0xFFFFFFFF)
	} else {
		s.emit(amd64.VMovUPS, amd64.Wide, to, some)
	}
}

// ballot has a bit for each lane in the first word, and none in the others.
func (s *selector) ballot(results []mir.Operand, o mir.Operand) {
	for n, r := range results {
		to := s.value(r).vector[0]
		if n == 0 {
			s.broadcast(to, s.bits(s.truths(o, false)))
		} else {
			s.emit(amd64.VPXor, amd64.Wide, to, to, to)
		}
	}
}

// broadcastFirst gives all lanes the value of the first one that is active.
func (s *selector) broadcastFirst(results, args []mir.Operand) {
	masks, some := s.masks()
	first := amd64.Operand(0)
	if some {
		first = s.freshGeneral()
		s.emit(amd64.TzCnt, amd64.Narrow, first, s.bits(masks))
	}
	for n, r := range results {
		to, x := s.value(r).vector[0], s.operandsOf(args[n])
		if !some {
			s.emit(amd64.VPBroadcastD, amd64.Wide, to, x[0])
			continue
		}
		for u := range x {
			s.put(u/2, u%2, x[u])
		}
		s.load(amd64.VBroadcastSS, amd64.Wide, to, s.laneOf(0, lane{register: first}, 4))
	}
}

// joined returns the sum, by a template, of all lanes, in all lanes.
func (s *selector) joined(t *template, x perBlock) amd64.Operand {
	join := func(x, y amd64.Operand) amd64.Operand {
		r := s.freshVector()
		s.expand(t, amd64.Wide, r, []taken{from(x), from(y)})
		return r
	}
	sum := join(join(x[0], x[1]), join(x[2], x[3]))
	for _, step := range [...]struct {
		o         amd64.Op
		immediate int64
	}{{amd64.VPerm2I128, 0x21}, {amd64.VShufPS, 0x4E}, {amd64.VShufPS, 0xB1}} {
		other := s.freshVector()
		s.immediate(step.o, amd64.Wide, step.immediate, other, sum, sum)
		sum = join(sum, other)
	}
	return sum
}

// identities are what reductions and scans give lanes that are not active, by operation: all other
// operations have zero.
var identities = map[op.Op]map[scalar.Kind]uint32{
	op.Mul: {scalar.I32: 1, scalar.U32: 1},
	op.And: {scalar.I32: ^uint32(0), scalar.U32: ^uint32(0)},
	op.Min: {scalar.I32: 1<<31 - 1, scalar.U32: ^uint32(0)},
	op.Max: {scalar.I32: 1 << 31},
}

// combine emits a reduction or a scan of one operand.
func (s *selector) combine(i mir.Inst, r, o mir.Operand) {
	f := s.f
	k, c := f.Kind(i), &mir.Combining[f.Op(i)]
	t := table()[c.Op][k][byAny]
	if t == nil || !k.IsInteger() || k.Bits() != 32 {
		panic(reasonOf(f, i))
	}
	identity := identities[c.Op][k]
	x := s.within(s.operandsOf(o), identity)
	if !s.varies(r) {
		s.emit(amd64.VMovUPS, amd64.Wide, s.value(r).vector[0], s.joined(t, x))
		return
	}
	s.scan(t, s.resultOf(r), x, identity, c.Exclusive)
}

// scan sums, by a template, all lanes up to each. In a block those that are one, two and four
// further down are added, and then the sum of the blocks before. Without a lane's own value that is
// the sum of the lane before it.
func (s *selector) scan(t *template, to, x perBlock, identity uint32, exclusive bool) {
	neutral := s.inRegister(&taken{constant: true, bits: uint64(identity)})
	var sums perBlock
	for u := range x {
		sum := x[u]
		for by := 1; by < lanes; by *= 2 {
			var from, has [lanes]uint32
			for k := range from {
				if from[k] = uint32(k-by) % lanes; k >= by {
					has[k] = ^uint32(0)
				}
			}
			sum = s.added(t, sum, s.chosen(neutral, s.permuted(sum, from), has))
		}
		if u > 0 {
			sum = s.added(t, sum, s.permuted(sums[u-1], [lanes]uint32{7, 7, 7, 7, 7, 7, 7, 7}))
		}
		sums[u] = sum
	}
	before := neutral
	for u := range to {
		if !exclusive {
			s.emit(amd64.VMovUPS, amd64.Wide, to[u], sums[u])
			continue
		}
		rotated := s.permuted(sums[u], [lanes]uint32{7, 0, 1, 2, 3, 4, 5, 6})
		own := s.chosen(before, rotated, [lanes]uint32{0, ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)})
		s.emit(amd64.VMovUPS, amd64.Wide, to[u], own)
		before = rotated
	}
}

// added returns a sum by a template.
func (s *selector) added(t *template, x, y amd64.Operand) amd64.Operand {
	r := s.freshVector()
	s.expand(t, amd64.Wide, r, []taken{from(x), from(y)})
	return r
}

// permuted returns the lanes of a block with these indices.
func (s *selector) permuted(x amd64.Operand, from [lanes]uint32) amd64.Operand {
	which, r := s.freshVector(), s.freshVector()
	s.load(amd64.VMovUPS, amd64.Wide, which, amd64.At(s.pool.Lanes(&from), 0))
	s.emit(amd64.VPermD, amd64.Wide, r, which, x)
	return r
}

// chosen returns the second of two vectors in the lanes that a constant has bits in, and else the
// first.
func (s *selector) chosen(x, y amd64.Operand, second [lanes]uint32) amd64.Operand {
	which, r := s.freshVector(), s.freshVector()
	s.load(amd64.VMovUPS, amd64.Wide, which, amd64.At(s.pool.Lanes(&second), 0))
	s.emit(amd64.VBlendVPS, amd64.Wide, r, x, y, which)
	return r
}

// sources are how an operation computes the index of the lane that it takes a value from. The
// arguments are the index of the lane itself and a second operand, which is at most 32.
var sources = [op.Count]func(self, operand uint32) uint32{
	op.SubgroupBroadcast:   func(_, operand uint32) uint32 { return operand },
	op.SubgroupShuffle:     func(_, operand uint32) uint32 { return operand },
	op.SubgroupShuffleXor:  func(self, operand uint32) uint32 { return self ^ operand },
	op.SubgroupShuffleUp:   func(self, operand uint32) uint32 { return self - operand },
	op.SubgroupShuffleDown: func(self, operand uint32) uint32 { return self + operand },
	op.QuadBroadcast:       func(self, operand uint32) uint32 { return self&^3 | operand&3 },
	op.QuadSwapX:           func(self, _ uint32) uint32 { return self ^ 1 },
	op.QuadSwapY:           func(self, _ uint32) uint32 { return self ^ 2 },
	op.QuadSwapDiagonal:    func(self, _ uint32) uint32 { return self ^ 3 },
}

// exchange emits an operation that takes values from other lanes.
func (s *selector) exchange(o op.Op, results, args []mir.Operand) {
	masks, some := s.masks()
	active := amd64.Operand(0)
	if some {
		active = s.freshVector()
		s.broadcast(active, s.bits(masks))
	}
	second := mir.NoOperand
	if len(args) > len(results) {
		second = args[len(results)]
	}
	for n, r := range results {
		x, to := s.operandsOf(args[n]), s.resultOf(r)
		for u := range to {
			s.use(u)
			if second == mir.NoOperand || second.IsConst() {
				s.takeFixed(o, to[u], u, x, second, active)
			} else {
				s.takeAny(o, to[u], u, x, s.vector(second, 0), active)
			}
		}
	}
}

// takeFixed emits what a block takes from lanes that are known. Active has the bits of those that
// are active, or is 0.
func (s *selector) takeFixed(o op.Op, to amd64.Operand, u int, x perBlock, second mir.Operand, active amd64.Operand) {
	operand := uint32(0)
	if second != mir.NoOperand {
		operand = uint32(min(s.f.Bits(second), subgroupSize))
	}
	var number [lanes]uint32
	for k, self := range laneIndices(u) {
		if number[k] = sources[o](self, operand); number[k] >= subgroupSize {
			number[k] = self
		}
	}
	taken := amd64.Operand(0)
	for v := range x {
		var own, has [lanes]uint32
		some, same := false, true
		for k, n := range number {
			if int(n)/lanes == v {
				own[k], has[k], some = n%lanes, ^uint32(0), true
			}
			same = same && int(n) == v*lanes+k
		}
		part := x[v]
		switch {
		case !some:
			continue
		case !same:
			part = s.permuted(x[v], own)
		}
		if taken != 0 {
			part = s.chosen(taken, part, has)
		}
		taken = part
	}
	if active == 0 {
		s.emit(amd64.VMovUPS, amd64.Wide, to, taken)
		return
	}
	has, sign := s.freshVector(), s.freshVector()
	s.constantLanes(amd64.VPSrlVD, has, active, number)
	s.immediate(amd64.VPSllD, amd64.Wide, 31, sign, has)
	s.emit(amd64.VBlendVPS, amd64.Wide, to, x[u], taken, sign)
}

// takeAny emits what a block reads from lanes whose indices follow from an operand.
func (s *selector) takeAny(o op.Op, to amd64.Operand, u int, x perBlock, operand, active amd64.Operand) {
	number := s.laneIndicesOf(o, u, operand)
	pick := func(x, y amd64.Operand, bit int64) amd64.Operand {
		sign, r := s.freshVector(), s.freshVector()
		s.immediate(amd64.VPSllD, amd64.Wide, 31-bit, sign, number)
		s.emit(amd64.VBlendVPS, amd64.Wide, r, x, y, sign)
		return r
	}
	var part perBlock
	for v := range x {
		part[v] = s.freshVector()
		s.emit(amd64.VPermD, amd64.Wide, part[v], number, x[v])
	}
	taken := pick(pick(part[0], part[1], 3), pick(part[2], part[3], 3), 4)
	if active == 0 {
		active = s.inRegister(&taken32)
	}
	has, sign := s.freshVector(), s.freshVector() // there is no bit of lanes beyond
	s.emit(amd64.VPSrlVD, amd64.Wide, has, active, number)
	s.immediate(amd64.VPSllD, amd64.Wide, 31, sign, has)
	s.emit(amd64.VBlendVPS, amd64.Wide, to, x[u], taken, sign)
}

// taken32 is bits for all lanes.
var taken32 = taken{constant: true, bits: 0xFFFFFFFF}

// laneIndicesOf returns the indices of lanes that an operation takes values from: 32 and more if
// there is none.
func (s *selector) laneIndicesOf(o op.Op, u int, operand amd64.Operand) amd64.Operand {
	self, r := s.freshVector(), s.freshVector()
	numbers := laneIndices(u)
	bounded := func() amd64.Operand {
		least := s.freshVector()
		s.emitConstant(amd64.VPMinUD, least, operand, subgroupSize)
		return least
	}
	switch o {
	case op.SubgroupShuffleXor:
		s.constantLanes(amd64.VPXor, r, operand, numbers)
	case op.SubgroupShuffleDown:
		s.constantLanes(amd64.VPAddD, r, bounded(), numbers)
	case op.SubgroupShuffleUp:
		s.load(amd64.VMovUPS, amd64.Wide, self, amd64.At(s.pool.Lanes(&numbers), 0))
		s.emit(amd64.VPSubD, amd64.Wide, r, self, bounded())
	case op.QuadBroadcast:
		for k := range numbers {
			numbers[k] &^= 3
		}
		s.emitConstant(amd64.VPAnd, self, operand, 3)
		s.constantLanes(amd64.VPOr, r, self, numbers)
	default:
		return operand
	}
	return r
}
