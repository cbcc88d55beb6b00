package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file makes loads, stores and atomics. Lanes that are not active access nothing but private
// memory. Loads of what lanes have in common are made once, for a block that no lane comes to is
// not executed. Neighbours are loaded and stored at once, under a mask if some lanes are not
// active. Strided words are loaded several at a time (strided.go). Other loads are gathers under a
// mask, and other stores and all atomics go from active lane to active lane.

// access emits a memory instruction.
func (s *selector) access(i mir.Inst) {
	f := s.f
	a := s.resolve(i)
	a.anyNaN = s.isAnyNaN(i)
	switch o := op.Op(f.Op(i)); o {
	case op.Load, op.AtomicLoad:
		if len(f.Results(i)) > 0 {
			s.loads(i, &a)
		}
	case op.Store, op.AtomicStore:
		bytes := int64(f.Memory(i).Kind.Bytes())
		stride, known := s.guessed(i, &a, bytes)
		for _, x := range f.Args(i) { // consecutive elements
			end := -1
			if a.space == ir.Private && a.pattern == uniformAddress {
				end = s.guard(i)
			}
			if known && stride == bytes && a.space != ir.Private && s.guesses() {
				s.scatterGuessed(&a, x)
			} else {
				s.stores(&a, x, bytes)
			}
			s.endGuard(end)
			s.epoch++ // what was set right after the guard is not there for all
			a.offset += bytes
		}
	default:
		s.atomic(i, &a)
	}
}

// loads emits a load.
func (s *selector) loads(i mir.Inst, a *address) {
	bytes := int64(s.f.Memory(i).Kind.Bytes())
	r := s.f.Result(i)
	switch {
	case a.space == ir.Private:
		end := -1
		if a.pattern == uniformAddress {
			end = s.guard(i)
		}
		s.loadOwn(a, r, bytes)
		s.endGuard(end)
	case a.pattern == uniformAddress:
		end := s.guard(i)
		s.loadEqual(s.first(a), r, bytes)
		s.endGuard(end)
	case a.pattern == stridedAddress && a.stride == bytes && bytes >= 4:
		s.loadRun(s.first(a), r, bytes)
	case a.isHalves(bytes) && s.mask() == 0:
		low := s.freshVector()
		s.load(amd64.VMovUPS, amd64.Narrow, low, s.first(a))
		s.emit(amd64.VPMovZXWD, amd64.Wide, s.value(r).vector[0], low)
	case a.pattern == clampedAddress && a.stride == bytes && bytes >= 4 && s.forAllLanes(a):
		s.checkBound(a, s.some)
		s.loadRun(s.first(a), r, bytes)
	case (a.pattern == stridedAddress || a.within) && bytes == 4 && isStrided(a.stride) && s.mask() == 0:
		s.loadStrided(s.first(a), a.stride, s.value(r).vector[0])
	case a.pattern == clampedAddress && a.stride == bytes && bytes >= 4:
		elsewhere, end := s.label(), s.label()
		s.checkBound(a, elsewhere)
		s.loadRun(s.first(a), r, bytes)
		s.jump(end)
		s.mark(elsewhere)
		s.gather(a, r, bytes)
		s.mark(end)
	default:
		if stride, ok := s.guessed(i, a, bytes); ok && s.guesses() {
			s.loadGuessed(a, stride, r, bytes)
			return
		}
		if a.window > 0 && bytes == 4 {
			s.loadNearby(a, r)
			return
		}
		s.gather(a, r, bytes)
	}
}

// prefetch emits a prefetch of what the first lane names.
func (s *selector) prefetch(i mir.Inst) {
	f := s.f
	p := amd64.Of(amd64.PrefetchT0, 0, amd64.Mem)
	more, size := lower.AuxPrefetch(f.Aux(i))
	p.Address = amd64.Indexed(s.general(f.Arg(i, 0)), s.general(f.Arg(i, 1)), uint8(size), int32(more))
	s.append(&p)
}

// forAllLanes reports whether an access is made for all lanes alone. If it cannot be, code goes
// elsewhere.
func (s *selector) forAllLanes(a *address) bool { return a.within || s.fullMask && !s.inUsual }

// checkBound jumps if a lane of the block exceeds the bound, or the word wraps between two lanes.
// Where all lanes are active, one comparison is for all blocks of lanes that are executed together.
func (s *selector) checkBound(a *address, elsewhere int) {
	stride := int32(a.stride / a.terms[0].factor)
	switch {
	case a.within:
	case !s.fullMask || !s.rises(a.from) || s.p.Uniform[lower.Always].Varies(a.bound):
		s.checkLanes(a.from, stride, s.set, a.bound, withinBound, elsewhere)
	case s.set == 0:
		s.checkLanes(a.from, stride, len(s.sets)-1, a.bound, withinBound, elsewhere)
	}
}

// upTo has the conditions in which lanes are not up to a bound: the word wraps between the first
// and the last lane, or the last exceeds the bound.
type upTo struct{ wraps, exceeds amd64.Condition }

var withinBound = upTo{amd64.Below, amd64.Above}

// rises reports whether a word that grows from lane to lane grows from each block of lanes to the
// next one, too, by constants.
func (s *selector) rises(o mir.Operand) bool {
	d := s.delta(o)
	for u := 1; u < len(s.sets); u++ {
		if d.state != constant || d.by[u] < d.by[u-1] || d.by[u] > farthest {
			return false
		}
	}
	return true
}

// checkLanes jumps unless a word that grows from lane to lane is up to a bound in all lanes, from
// the selected block of lanes to another one.
func (s *selector) checkLanes(o mir.Operand, stride int32, to int, bound mir.Operand, r upTo, elsewhere int) {
	first, more := s.fromFirst(o, 1)
	switch {
	case to > s.set:
		more = int64(s.delta(o).by[to])
	case more < 0:
		first, more = s.general(o), 0
	}
	if reach := int64(stride)*(lanes-1) + more; bound.IsConst() && r == withinBound && int64(s.f.Bits(bound)) >= reach {
		s.compareWith(amd64.Narrow, first, int64(s.f.Bits(bound))-reach)
		s.jumpIf(amd64.Above, elsewhere)
		return
	}
	last := s.freshGeneral()
	i := amd64.Of(amd64.Lea, amd64.Narrow, last, amd64.Mem)
	i.Address = amd64.At(first, stride*(lanes-1)+int32(more))
	s.append(&i)
	s.emit(amd64.Cmp, amd64.Narrow, last, first)
	s.jumpIf(r.wraps, elsewhere)
	s.compare(amd64.Narrow, last, bound)
	s.jumpIf(r.exceeds, elsewhere)
}

// compare compares a general register with an operand.
func (s *selector) compare(w amd64.Width, r amd64.Operand, o mir.Operand) {
	i := amd64.Of(amd64.Cmp, w, r)
	x := s.generalSource(o)
	s.operand(&i, 1, &x)
	s.append(&i)
}

// guard skips what follows, up to endGuard, if no lane of the selected block is active. An address
// that all blocks which are executed together have needs none: lanes of some block come here.
func (s *selector) guard(i mir.Inst) int {
	if !s.mayIdle() {
		return -1
	}
	all := true
	for u := range s.sets {
		all = all && s.sameAddress(i, u, s.set)
	}
	if all {
		return -1
	}
	end := s.label()
	s.emit(amd64.VPTest, amd64.Wide, s.mask(), s.mask())
	s.jumpIf(amd64.Equal, end)
	return end
}

// mayIdle reports whether perhaps no lane of the selected block of lanes is active. That may be so
// where blocks are executed together, and in a subgroup that the workgroup does not fill.
func (s *selector) mayIdle() bool {
	return !s.fullMask && len(s.sets) > 1 && (s.flow.partial[s.block] || blocks(s.p)*lanes-int64(s.p.Invocations()) >= lanes)
}

func (s *selector) endGuard(end int) {
	if end >= 0 {
		s.mark(end)
	}
}

// loadEqual loads what all lanes have in common.
func (s *selector) loadEqual(at amd64.Address, r mir.Operand, bytes int64) {
	v := s.value(r)
	if v.form == inGeneral {
		o, w := amd64.Mov, amd64.Narrow
		switch bytes {
		case 1:
			o = amd64.MovZX8
		case 2:
			o = amd64.MovZX16
		case 8:
			w = amd64.Wide
		}
		s.load(o, w, v.general, at)
		return
	}
	switch bytes {
	case 4:
		s.load(amd64.VBroadcastSS, amd64.Wide, v.vector[0], at)
	case 8:
		s.load(amd64.VBroadcastSD, amd64.Wide, v.vector[0], at)
		s.emit(amd64.VMovUPS, amd64.Wide, v.vector[1], v.vector[0])
	default:
		g := s.freshGeneral()
		o := amd64.MovZX16
		if bytes == 1 {
			o = amd64.MovZX8
		}
		s.load(o, amd64.Narrow, g, at)
		s.broadcast(v.vector[0], g)
	}
}

// loadRun loads consecutive elements.
func (s *selector) loadRun(at amd64.Address, r mir.Operand, bytes int64) {
	v := s.value(r)
	for n := range int32(bytes / 4) {
		to := v.vector[n]
		addr := at
		addr.Displacement += 32 * n
		if mask := s.mask(); mask == 0 {
			s.load(amd64.VMovUPS, amd64.Wide, to, addr)
		} else if bytes == 4 {
			i := amd64.Of(amd64.VMaskMovPS, amd64.Wide, to, mask, amd64.Mem)
			i.Address = addr
			s.append(&i)
		} else {
			i := amd64.Of(amd64.VPMaskMovQ, amd64.Wide, to, s.widened(mask, int(n)), amd64.Mem)
			i.Address = addr
			s.append(&i)
		}
	}
}

// offsets returns the part of addresses by which lanes differ, of 32 bits, and the address that it
// is added to. Where lanes grow, or might, and are not neighbours, it is made from the first lane.
func (s *selector) offsets(a *address) (amd64.Operand, amd64.Address) {
	if s.isNarrow(a.space) {
		sum := amd64.Operand(0)
		switch a.pattern {
		case indexedAddress:
			sum = s.sumOf(a.varying, a.offset)
		case clampedAddress:
			common := *a
			common.pattern = uniformAddress
			return s.clampedOffsets(a), s.firstNarrow(&common)
		default: // grows
			at := s.firstNarrow(a)
			return s.growing(0, a.stride), at
		}
		return sum, amd64.At(s.pointer(a.space), 0)
	}
	common := *a
	common.pattern = uniformAddress
	switch at := s.first(&common); a.pattern {
	case stridedAddress:
		sum := s.lowProduct(a.terms[0].word, a.terms[0].factor)
		for _, t := range a.terms[1:] {
			next := s.freshGeneral()
			s.emit(amd64.Mov, amd64.Narrow, next, sum)
			s.emit(amd64.Add, amd64.Narrow, next, s.lowProduct(t.word, t.factor))
			sum = next
		}
		return s.growing(sum, a.stride), at
	case clampedAddress:
		return s.clampedOffsets(a), at
	default:
		sum := s.times(s.vector(a.terms[0].word, 0), a.terms[0].factor)
		for _, t := range a.terms[1:] {
			next := s.freshVector()
			s.emit(amd64.VPAddD, amd64.Wide, next, sum, s.times(s.vector(t.word, 0), t.factor))
			sum = next
		}
		return sum, at
	}
}

// clampedOffsets returns the clamped words of an address times their factor.
func (s *selector) clampedOffsets(a *address) amd64.Operand {
	x := s.growing(s.general(a.from), a.stride/a.terms[0].factor)
	least := s.freshVector()
	i := amd64.Of(amd64.VPMinUD, amd64.Wide, least, x)
	bound := s.broadcastOf(a.bound)
	s.operand(&i, 2, &bound)
	s.append(&i)
	return s.times(least, a.terms[0].factor)
}

// broadcastOf returns an operand with a word that lanes have in common.
func (s *selector) broadcastOf(o mir.Operand) taken {
	if o.IsConst() {
		return taken{constant: true, bits: s.f.Bits(o)}
	}
	r := s.freshVector()
	s.broadcast(r, s.general(o))
	return from(r)
}

// sumOf adds words.
func (s *selector) sumOf(list []mir.Operand, offset int64) amd64.Operand {
	sum := amd64.Operand(0)
	add := func(x taken) {
		next := s.freshVector()
		if sum == 0 {
			i := amd64.Of(amd64.VMovUPS, amd64.Wide, next)
			s.operand(&i, 1, &x)
			s.append(&i)
		} else {
			i := amd64.Of(amd64.VPAddD, amd64.Wide, next, sum)
			s.operand(&i, 2, &x)
			s.append(&i)
		}
		sum = next
	}
	for _, o := range list {
		add(from(s.vector(o, 0)))
	}
	if offset != 0 || sum == 0 {
		add(taken{constant: true, bits: uint64(uint32(offset))})
	}
	return sum
}

// lowProduct returns the lower 32 bits of the first lane of a word times a factor.
func (s *selector) lowProduct(o mir.Operand, factor int64) amd64.Operand {
	if factor == 1 {
		return s.general(o)
	}
	r := s.freshGeneral()
	i := amd64.Of(amd64.IMulImm, amd64.Narrow, r, s.general(o), amd64.Imm)
	i.Immediate = factor
	s.append(&i)
	return r
}

// growing returns a vector that begins with a word, or with 0, and grows.
func (s *selector) growing(first amd64.Operand, stride int64) amd64.Operand {
	var steps [lanes]uint32
	for n := range steps {
		steps[n] = uint32(stride) * uint32(n)
	}
	constant := s.pool.Lanes(&steps)
	r := s.freshVector()
	if first == 0 {
		s.load(amd64.VMovUPS, amd64.Wide, r, amd64.At(constant, 0))
		return r
	}
	same := s.freshVector()
	s.broadcast(same, first)
	i := amd64.Of(amd64.VPAddD, amd64.Wide, r, same, amd64.Mem)
	i.Address = amd64.At(constant, 0)
	s.append(&i)
	return r
}

// times returns words times a factor, modulo 2^32.
func (s *selector) times(x amd64.Operand, factor int64) amd64.Operand {
	if factor == 1 {
		return x
	}
	r := s.freshVector()
	if factor&(factor-1) == 0 && factor > 0 {
		i := amd64.Of(amd64.VPSllD, amd64.Wide, r, x, amd64.Imm)
		for factor>>i.Immediate != 1 {
			i.Immediate++
		}
		s.append(&i)
		return r
	}
	i := amd64.Of(amd64.VPMullD, amd64.Wide, r, x)
	s.operand(&i, 2, &taken{constant: true, bits: uint64(uint32(factor))})
	s.append(&i)
	return r
}

// activeMask returns a new register with the mask of the lanes that are active.
func (s *selector) activeMask() amd64.Operand {
	r := s.freshVector()
	if mask := s.mask(); mask != 0 {
		s.emit(amd64.VMovUPS, amd64.Wide, r, mask)
	} else {
		s.emit(amd64.VPCmpEqD, amd64.Wide, r, r, r)
	}
	return r
}

// gather loads from an address for each lane.
func (s *selector) gather(a *address, r mir.Operand, bytes int64) {
	if a.pattern == longAddress {
		s.gatherWide(a, r, bytes)
		return
	}
	index, at := s.offsets(a)
	s.gatherAt(index, at, r, bytes)
}

// gatherAt loads from addresses that words are added to.
func (s *selector) gatherAt(index amd64.Operand, at amd64.Address, r mir.Operand, bytes int64) {
	v := s.value(r)
	if at.Index != 0 {
		base := s.freshGeneral()
		i := amd64.Of(amd64.Lea, amd64.Wide, base, amd64.Mem)
		i.Address = at
		s.append(&i)
		at = amd64.At(base, 0)
	}
	switch bytes {
	case 4:
		s.gatherWords(v.vector[0], at, index)
	case 8:
		for n := range 2 {
			half := s.lowerHalf(index, n)
			mask := s.freshVector()
			if m := s.mask(); m != 0 {
				s.emit(amd64.VMovUPS, amd64.Wide, mask, s.widened(m, n))
			} else {
				s.emit(amd64.VPCmpEqD, amd64.Wide, mask, mask, mask)
			}
			to := s.freshVector()
			s.emit(amd64.VPXor, amd64.Wide, to, to, to)
			i := amd64.Of(amd64.VPGatherDQ, amd64.Wide, to, amd64.Mem, mask)
			i.Address = amd64.Indexed(at.Base, half, 1, at.Displacement)
			s.append(&i)
			s.emit(amd64.VMovUPS, amd64.Wide, v.vector[n], to)
		}
	default: // a part of the word that has it: elements do not lie across words
		if at.Displacement != 0 {
			index = s.sumVector(index, uint32(at.Displacement))
			at.Displacement = 0
		}
		wordAt, word, shift := s.freshVector(), s.freshVector(), s.freshVector()
		s.emitConstant(amd64.VPAnd, wordAt, index, ^uint32(3))
		s.gatherWords(word, at, wordAt)
		s.emitConstant(amd64.VPAnd, shift, index, 3)
		by, moved := s.freshVector(), s.freshVector()
		i := amd64.Of(amd64.VPSllD, amd64.Wide, by, shift, amd64.Imm)
		i.Immediate = 3
		s.append(&i)
		s.emit(amd64.VPSrlVD, amd64.Wide, moved, word, by)
		s.emitConstant(amd64.VPAnd, v.vector[0], moved, 1<<(8*bytes)-1)
	}
}

func (s *selector) sumVector(x amd64.Operand, y uint32) amd64.Operand {
	r := s.freshVector()
	s.emitConstant(amd64.VPAddD, r, x, y)
	return r
}

// emitConstant emits an instruction of a register and a constant in all lanes.
func (s *selector) emitConstant(o amd64.Op, d, x amd64.Operand, constant uint32) {
	i := amd64.Of(o, amd64.Wide, d, x)
	s.operand(&i, 2, &taken{constant: true, bits: uint64(constant)})
	s.append(&i)
}

// gatherWords gathers words; lanes that are not active get 0.
func (s *selector) gatherWords(d amd64.Operand, at amd64.Address, index amd64.Operand) {
	mask, to := s.activeMask(), s.freshVector()
	s.emit(amd64.VPXor, amd64.Wide, to, to, to)
	i := amd64.Of(amd64.VPGatherDD, amd64.Wide, to, amd64.Mem, mask)
	i.Address = amd64.Indexed(at.Base, index, 1, at.Displacement)
	s.append(&i)
	s.emit(amd64.VMovUPS, amd64.Wide, d, to)
}

// lowerHalf returns four words of a vector in its lower half.
func (s *selector) lowerHalf(x amd64.Operand, n int) amd64.Operand {
	if n == 0 {
		return x
	}
	r := s.freshVector()
	i := amd64.Of(amd64.VExtractI128, amd64.Wide, r, x, amd64.Imm)
	i.Immediate = 1
	s.append(&i)
	return r
}

// widened returns four words of a vector with their sign extended to 64 bits.
func (s *selector) widened(x amd64.Operand, n int) amd64.Operand {
	r := s.freshVector()
	s.emit(amd64.VPMovSXDQ, amd64.Wide, r, s.lowerHalf(x, n))
	return r
}
