package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
)

// This file loads strided words, like the members of vectors and structures in an array, without a
// gather, which is some forty micro-operations. Words are loaded four at a time, and shuffled. It
// also loads from addresses that most often are strided, which is a guess (lower/strides.go). Such
// indices are clamped at the borders of an image, or come out of a remainder. All lanes are active
// here. What is loaded lies between the words of the first lane and of the last one.

// isStrided reports whether words at this distance can be loaded so.
func isStrided(stride int64) bool { return stride > 4 && stride%4 == 0 && stride < maxStride }

// guessed returns by how many bytes the addresses of an access seem to grow, if that would make it
// cheaper.
func (s *selector) guessed(i mir.Inst, a *address, bytes int64) (stride int64, ok bool) {
	if bytes != 4 {
		return 0, false
	}
	switch a.pattern {
	case indexedAddress:
		stride, ok = s.p.AddressStride(s.f.Memory(i))
		return stride, ok && (stride == bytes || isStrided(stride))
	case stridedAddress, clampedAddress:
		return a.stride, isStrided(a.stride)
	}
	return 0, false
}

// guesses reports whether accesses are made by a guess here: in a row, or in a kernel with so many
// accesses that none is compiled in two ways. The latter compares the mask, too.
func (s *selector) guesses() bool { return s.inRow() || s.mask() != 0 && s.isCrowded() }

// jumpUnlessStrided jumps if not all lanes are active or their offsets do not grow by stride, and
// returns the first lane's.
func (s *selector) jumpUnlessStrided(index amd64.Operand, stride int64, elsewhere int) (first amd64.Operand) {
	first = s.freshGeneral()
	equal := s.freshVector()
	s.emit(amd64.VMovD, 0, first, index)
	s.emit(amd64.VPCmpEqD, amd64.Wide, equal, s.growing(first, stride), index)
	if mask := s.mask(); mask != 0 {
		both := s.freshVector()
		s.emit(amd64.VPAnd, amd64.Wide, both, equal, mask)
		equal = both
	}
	all := s.freshGeneral()
	s.emit(amd64.VMovMskPS, amd64.Wide, all, equal)
	s.compareWith(amd64.Narrow, all, 1<<lanes-1)
	s.jumpIf(amd64.NotEqual, elsewhere)
	return first
}

// loadGuessed compares the lanes' addresses with the first lane's, and gathers where they do not
// grow by stride.
func (s *selector) loadGuessed(a *address, stride int64, r mir.Operand, bytes int64) {
	index, at := s.offsets(a)
	elsewhere, end := s.label(), s.label()
	addr, first := at, s.jumpUnlessStrided(index, stride, elsewhere)
	s.addTo(&addr, s.extended(first))
	if stride == bytes {
		s.load(amd64.VMovUPS, amd64.Wide, s.value(r).vector[0], addr)
	} else {
		s.loadStrided(addr, stride, s.value(r).vector[0])
	}
	s.jump(end)
	s.mark(elsewhere)
	s.gatherAt(index, at, r, bytes)
	s.mark(end)
}

// scatterGuessed stores words to consecutive addresses, or from lane to lane where they are not.
func (s *selector) scatterGuessed(a *address, x mir.Operand) {
	index, at := s.offsets(a)
	elsewhere, end := s.label(), s.label()
	from := s.stored(a, x, 0)
	addr, first := at, s.jumpUnlessStrided(index, 4, elsewhere)
	s.addTo(&addr, s.extended(first))
	s.store(amd64.VMovUPS, amd64.Wide, addr, from)
	s.jump(end)
	s.mark(elsewhere)
	s.put(0, 0, index)
	s.put(1, 0, from)
	s.storeLanes(&addrs{at: at, bytes: 4}, s.inRow(), 4)
	s.mark(end)
}

// loadStrided loads words at a distance of stride bytes.
func (s *selector) loadStrided(at amd64.Address, stride int64, d amd64.Operand) {
	words := int32(stride / 4)
	// four loads four words from an address, in the lower half, and as many for the lanes of the
	// upper half
	four := func(from int32) amd64.Operand {
		low, both := s.freshVector(), s.freshVector()
		addr := at
		addr.Displacement += 4 * from
		s.load(amd64.VMovUPS, amd64.Narrow, low, addr)
		addr.Displacement += 4 * (lanes / 2) * words
		i := amd64.Of(amd64.VInsertF128, amd64.Wide, both, low, amd64.Mem, amd64.Imm)
		i.Address, i.Immediate = addr, 1
		s.append(&i)
		return both
	}
	// shuffle takes two words of a half of x and then two of y
	shuffle := func(d, x, y amd64.Operand, a, b, c, e int64) {
		s.immediate(amd64.VShufPS, amd64.Wide, a|b<<2|c<<4|e<<6, d, x, y)
	}
	switch words {
	case 2:
		shuffle(d, four(0), four(3), 0, 2, 1, 3)
	case 3:
		shuffle(d, four(0), four(6), 0, 3, 0, 3)
	default:
		lower, upper := s.freshVector(), s.freshVector()
		shuffle(lower, four(0), four(words), 0, 0, 0, 0)
		shuffle(upper, four(2*words), four(3*words-3), 0, 0, 3, 3)
		shuffle(d, lower, upper, 0, 2, 0, 2)
	}
}
