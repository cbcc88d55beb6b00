package jit

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file makes two versions of blocks with several accesses. The first one is for the usual
// case: all lanes are active, and no index exceeds its bound. That is tested once, where the block
// begins, with one comparison for the indices that differ by constants. What the tests need is
// computed before. The second version is for all other cases.

// usualCase is what is known of a block with two versions.
type usualCase struct {
	early, needed []bool // by instruction: it is executed before the tests
	checks        []check
	within        []within // by instruction
}

// within says of an access which check is for it, from 1, and the constant of its word.
type within struct {
	check int32
	more  int32
}

// check is a comparison of words that differ by constants with a bound that they have in common.
type check struct {
	word        linear
	bound       mir.Operand
	stride      int32 // from lane to lane
	low, high   mir.Operand
	least, most int32 // their constants
}

// linear is a sum of registers, in the order of their numbers.
type linear [3]mir.Operand

// maxVersioned is how many instructions a block has at most that has two versions.
const maxVersioned = 400

// body emits the instructions of a block but its last.
func (s *selector) body(n int) {
	if !s.findUsualCase(n) {
		s.instructions(n, false)
		return
	}
	c := &s.usual
	s.instructions(n, true)
	unusual, end := s.label(), s.label()
	if s.flow.partial[n] {
		s.findActive()
		s.compareWith(amd64.Narrow, s.active, 1<<lanes-1)
		s.jumpIf(amd64.NotEqual, unusual)
	}
	s.fullMask = true
	for k := range c.checks {
		s.emitCheck(&c.checks[k], unusual)
	}
	s.inUsual = true
	s.instructions(n, false)
	s.inUsual, s.fullMask = false, false
	s.jump(end)
	s.mark(unusual)
	s.epoch++
	s.inUnusual = true
	s.instructions(n, false)
	s.inUnusual = false
	s.mark(end)
	s.epoch++
}

// instructions emits those that are executed early, or all others.
func (s *selector) instructions(n int, early bool) {
	f := s.f
	for i := f.First(f.Order[n]); i != 0; i = f.Next(i) {
		if len(s.usual.early) == 0 && !early || len(s.usual.early) > 0 && s.usual.early[i] == early {
			s.instruction(i)
		}
	}
}

// findUsualCase finds what the versions of a block have in common, and reports whether there are
// to be two.
func (s *selector) findUsualCase(n int) bool {
	f, c := s.f, &s.usual
	c.early, c.checks = c.early[:0], c.checks[:0]
	if s.synchronizes[n] || s.hasDead() && !s.flow.partial[n] {
		return false
	}
	count, gains := 0, 0
	for i := f.First(f.Order[n]); i != 0; i = f.Next(i) {
		if count++; lower.IsSubgroup(f.Op(i)) || mir.IsTexture(f.Op(i)) || count > maxVersioned {
			return false
		}
		if mir.HasMemory(f.Op(i)) && s.isNeeded(i) && !s.isHoisted[i] && f.Memory(i).Space != ir.Private {
			gains++
		}
	}
	if gains < 2 {
		return false
	}
	c.early, c.within = ir.Zeroed(c.early, len(s.home)), ir.Zeroed(c.within, len(s.home))
	gains = 0
	for i := f.First(f.Order[n]); i != 0; i = f.Next(i) {
		c.early[i] = s.canBeEarly(i, n)
		switch {
		case s.isBounded(i, n):
			c.within[i] = s.addCheck(i)
			gains++
		case s.flow.partial[n] && s.gainsFullMask(i):
			gains++
		}
	}
	if gains < 2 {
		c.early = c.early[:0]
		return false
	}
	s.keepEarly(n)
	return true
}

// keepEarly leaves of the instructions that can be executed early those that the tests need.
func (s *selector) keepEarly(n int) {
	c := &s.usual
	s.worklist = s.worklist[:0]
	need := func(o mir.Operand) {
		if i, ok := s.definition(o); !o.IsConst() && ok && c.early[i] {
			s.worklist = append(s.worklist, i)
		}
	}
	for _, x := range c.checks {
		need(x.low)
		need(x.high)
		need(x.bound)
	}
	needed := ir.Zeroed(c.needed, len(s.home))
	for len(s.worklist) > 0 {
		i := s.worklist[len(s.worklist)-1]
		s.worklist = s.worklist[:len(s.worklist)-1]
		if !needed[i] {
			needed[i] = true
			s.operands = s.f.AppendReads(s.operands[:0], i)
			for _, a := range s.operands {
				need(a)
			}
		}
	}
	c.early, c.needed = needed, c.early
}

// canBeEarly reports whether an instruction of a block can be executed before the tests. Then it
// computes something of the first lane, and needs nothing that is loaded here.
func (s *selector) canBeEarly(i mir.Inst, n int) bool {
	f := s.f
	o := f.Op(i)
	if len(f.Results(i)) == 0 || !s.isNeeded(i) || s.isHoisted[i] || s.fused(n) == i || s.delayed(n) == i {
		return false
	}
	if o == mir.Op(op.Load) {
		if !s.isUnchanged(i) {
			return false
		}
	} else if o != mir.MulWide && (o >= mir.Join || !op.Op(o).Pure()) {
		return false
	}
	for _, r := range f.Results(i) {
		if s.value(r).form != inGeneral {
			return false
		}
	}
	s.operands = f.AppendReads(s.operands[:0], i)
	for _, a := range s.operands {
		if !s.isReady(a, n) {
			return false
		}
	}
	return true
}

// isReady reports whether an operand is there before the tests of a block.
func (s *selector) isReady(o mir.Operand, n int) bool {
	if o.IsConst() {
		return true
	}
	i, ok := s.definition(o)
	return !ok || s.home[i] != int32(n) || s.isHoisted[i] || s.usual.early[i]
}

// isBounded reports whether an access of a block is to elements at a distance whose index has a
// bound that can be tested.
func (s *selector) isBounded(i mir.Inst, n int) bool {
	if o := s.f.Op(i); !s.isLoad(i) && o != mir.Op(op.Store) && o != mir.Op(op.AtomicStore) || !s.isNeeded(i) || s.isHoisted[i] {
		return false
	}
	a, bytes := s.resolve(i), int64(s.f.Memory(i).Kind.Bytes())
	if a.pattern != clampedAddress || !s.isReady(a.from, n) || !s.isReady(a.bound, n) {
		return false
	}
	return a.isRun(bytes) || s.isLoad(i) && bytes == 4 && isStrided(a.stride)
}

func (s *selector) isLoad(i mir.Inst) bool {
	return s.f.Op(i) == mir.Op(op.Load) || s.f.Op(i) == mir.Op(op.AtomicLoad)
}

// addCheck has an access tested.
func (s *selector) addCheck(i mir.Inst) within {
	a := s.resolve(i)
	word, more := s.linearOf(a.from)
	x := check{word, a.bound, int32(a.stride / a.terms[0].factor), a.from, a.from, more, more}
	for k := range s.usual.checks {
		c := &s.usual.checks[k]
		if c.word != x.word || c.bound != x.bound || c.stride != x.stride {
			continue
		}
		if more < c.least {
			c.least, c.low = more, a.from
		}
		if more > c.most {
			c.most, c.high = more, a.from
		}
		return within{int32(k + 1), more}
	}
	s.usual.checks = append(s.usual.checks, x)
	return within{int32(len(s.usual.checks)), more}
}

// linearOf decomposes a word into a sum of registers and a constant, so that neighbouring elements
// differ by that alone.
func (s *selector) linearOf(o mir.Operand) (sum linear, more int32) {
	const most = 1 << 20
	terms, total := 0, int64(0)
	fits := true
	var add func(o mir.Operand, depth int)
	add = func(o mir.Operand, depth int) {
		if o.IsConst() {
			total += int64(int32(s.f.Bits(o)))
			return
		}
		if i, ok := s.definition(o); ok && s.f.Op(i) == mir.Op(op.Add) && depth < deepest {
			add(s.f.Arg(i, 0), depth+1)
			add(s.f.Arg(i, 1), depth+1)
			return
		}
		if fits = fits && terms < len(sum); fits {
			sum[terms] = o
			terms++
		}
	}
	add(o, 0)
	if !fits || total <= -most || total >= most {
		return linear{o}, 0
	}
	slices.Sort(sum[:terms])
	return sum, int32(total)
}

// inBounds returns the address of an access that tests say is in bounds: that of the least word,
// and a constant.
func (s *selector) inBounds(a address, w within) address {
	c := &s.usual.checks[w.check-1]
	a.within, a.from, a.offset = true, c.low, a.offset+int64(w.more-c.least)*a.terms[0].factor
	return a
}

// emitCheck jumps unless all words of a check are up to their bound.
func (s *selector) emitCheck(c *check, elsewhere int) {
	last := len(s.sets) - 1
	if s.rises(c.low) && s.rises(c.high) && !s.p.Uniform[lower.Always].Varies(c.bound) {
		s.use(0)
		s.checkRange(c, s.delta(c.high).by[last], elsewhere)
		return
	}
	for u := range s.sets {
		s.use(u)
		s.checkRange(c, 0, elsewhere)
	}
	s.use(0)
}

// checkRange does so for the selected block of lanes, or up to another one, where words are larger
// by more.
func (s *selector) checkRange(c *check, more int32, elsewhere int) {
	reach := int64(c.stride)*(lanes-1) + int64(more)
	low := s.general(c.low)
	if all := reach + int64(c.most-c.least); c.bound.IsConst() && int64(s.f.Bits(c.bound)) >= all {
		s.compareWith(amd64.Narrow, low, int64(s.f.Bits(c.bound))-all)
		s.jumpIf(amd64.Above, elsewhere)
		return
	}
	high := s.freshGeneral()
	i := amd64.Of(amd64.Lea, amd64.Narrow, high, amd64.Mem)
	i.Address = amd64.At(s.general(c.high), int32(reach))
	s.append(&i)
	s.emit(amd64.Cmp, amd64.Narrow, high, low)
	s.jumpIf(amd64.Below, elsewhere)
	s.compare(amd64.Narrow, high, c.bound)
	s.jumpIf(amd64.Above, elsewhere)
}
