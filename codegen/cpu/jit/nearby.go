package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file loads words that seem to lie close together, though not at equal distances, without a
// gather. An example is the word in which a pixel of three bytes begins: its index grows by three
// with four pixels. Any index that is shifted right is taken for such a one. A window of 8 or 16
// words from the first lane's on is loaded, and each lane selects its word. The window must not
// reach beyond the bound of robust accesses, and all active lanes must lie in it. Otherwise the
// words are gathered.

// growth guesses by how much a word grows from lane to lane, as a number times 2^-shift, if
// anything is known of the number.
func (s *selector) growth(o mir.Operand, depth int) (stride int64, shift uint, known bool) {
	if x, known := s.p.Stride(o); known {
		return x, 0, true
	}
	i, ok := s.definition(o)
	if !ok || depth == 0 {
		return 0, 0, false
	}
	f := s.f
	args := f.Args(i)
	switch f.Op(i) {
	case mir.Op(op.Shr):
		if args[1].IsConst() && f.Bits(args[1]) < 8 {
			x, n, known := s.growth(args[0], depth-1)
			return x, n + uint(f.Bits(args[1])), known
		}
	case mir.Op(op.Convert):
		if f.Kind(i).IsInteger() && f.To(i).IsInteger() {
			return s.growth(args[0], depth-1)
		}
	case mir.Op(op.Add), mir.Op(op.Min), mir.Op(op.Max):
		for n, a := range args {
			if !s.varies(a) {
				return s.growth(args[1-n], depth-1)
			}
		}
	}
	return 0, 0, false
}

// findNearby notes of an address with a word that is clamped how large a window is that seems to
// have all lanes, if it is not too large.
func (s *selector) findNearby(a *address) {
	word, bound, ok := s.p.Clamped(&s.p.Uniform[lower.Block], a.terms[0].word)
	if !ok || a.terms[0].factor != 4 {
		return
	}
	stride, shift, known := s.growth(word, deepest)
	words := stride*(lanes-1)>>shift + 2
	switch {
	case shift == 0, known && stride <= 0, words > 2*lanes:
	case known && words <= lanes:
		a.window, a.bound = lanes, bound
	default:
		a.window, a.bound = 2*lanes, bound
	}
}

// loadNearby loads words by way of a window.
func (s *selector) loadNearby(a *address, r mir.Operand) {
	elsewhere, end := s.label(), s.label()
	word := s.vector(a.terms[0].word, 0)
	first, last := s.freshGeneral(), s.freshGeneral()
	s.emit(amd64.VMovD, 0, first, word)
	i := amd64.Of(amd64.Lea, amd64.Narrow, last, amd64.Mem)
	i.Address = amd64.At(first, int32(a.window)-1)
	s.append(&i)
	s.emit(amd64.Cmp, amd64.Narrow, last, first)
	s.jumpIf(amd64.Below, elsewhere)
	s.compare(amd64.Narrow, last, a.bound)
	s.jumpIf(amd64.Above, elsewhere)

	same, which, least, inside := s.freshVector(), s.freshVector(), s.freshVector(), s.freshVector()
	s.broadcast(same, first)
	s.emit(amd64.VPSubD, amd64.Wide, which, word, same)
	s.emitConstant(amd64.VPMinUD, least, which, uint32(a.window)-1)
	s.emit(amd64.VPCmpEqD, amd64.Wide, inside, least, which)
	if mask := s.mask(); mask != 0 { // which lanes that are not active select does not matter
		outside := s.freshVector()
		s.emit(amd64.VPAndN, amd64.Wide, outside, inside, mask)
		s.emit(amd64.VPTest, amd64.Wide, outside, outside)
	} else {
		all := s.freshGeneral()
		s.emit(amd64.VMovMskPS, amd64.Wide, all, inside)
		s.compareWith(amd64.Narrow, all, 1<<lanes-1)
	}
	s.jumpIf(amd64.NotEqual, elsewhere)

	common := *a
	common.pattern = uniformAddress
	at := s.first(&common)
	s.addScaled(&at, s.extended(first), 4)
	selected := func(n int) amd64.Operand {
		words, lane := s.freshVector(), s.freshVector()
		here := at
		here.Displacement += int32(32 * n)
		s.load(amd64.VMovUPS, amd64.Wide, words, here)
		s.emit(amd64.VPermD, amd64.Wide, lane, which, words)
		return lane
	}
	to := s.value(r).vector[0]
	if low := selected(0); a.window == lanes {
		s.emit(amd64.VMovUPS, amd64.Wide, to, low)
	} else {
		high, upper := selected(1), s.freshVector()
		s.immediate(amd64.VPSllD, amd64.Wide, 31-3, upper, which) // the bit of lanes is the sign
		s.emit(amd64.VBlendVPS, amd64.Wide, to, low, high, upper)
	}
	s.jump(end)
	s.mark(elsewhere)
	s.gather(a, r, 4)
	s.mark(end)
}
