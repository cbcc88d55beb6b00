package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file loads vectors of two or four words that neighbours have side by side. All words are
// loaded as they lie, and shuffled into registers, each of which has the same word of all lanes.
// Where some lanes are not active, or an index exceeds its bound, each word is loaded as any other.

// deinterleaves returns how many loads, of which an instruction is the first, load the words of
// such vectors, or 0.
func (s *selector) deinterleaves(i mir.Inst) int {
	f := s.f
	if f.Op(i) != mir.Op(op.Load) || f.Memory(i).Space == ir.Private || f.Memory(i).Kind.Bytes() != 4 {
		return 0
	}
	stride := s.vectorStride(i)
	if stride != 8 && stride != 16 {
		return 0
	}
	count, first := int(stride/4), i
	for n := range count {
		if n > 0 && (i == 0 || !s.isBeside(first, i, n)) {
			return 0
		}
		if !s.isNeeded(i) || s.isHoisted[i] {
			return 0
		}
		i = f.Next(i)
	}
	return count
}

// vectorStride returns by how many bytes the addresses of an access grow or seem to grow from lane
// to lane, or 0.
func (s *selector) vectorStride(i mir.Inst) int64 {
	a := s.resolve(i)
	switch a.pattern {
	case stridedAddress, clampedAddress:
		return a.stride
	case indexedAddress:
		if stride, ok := s.p.AddressStride(s.f.Memory(i)); ok && a.space != ir.Private {
			return stride
		}
	}
	return 0
}

// atVectors returns the address of the first lane of an access to vectors. It jumps if not all
// lanes are active, an index exceeds its bound, or lanes do not grow as they seem to, and reports
// whether it perhaps does.
func (s *selector) atVectors(a *address, stride int64, elsewhere int) (at amd64.Address, parts bool) {
	if a.pattern == indexedAddress {
		index, at := s.offsets(a)
		s.addTo(&at, s.extended(s.jumpUnlessStrided(index, stride, elsewhere)))
		return at, true
	}
	if mask := s.mask(); mask != 0 {
		active := s.freshGeneral()
		s.emit(amd64.VMovMskPS, amd64.Wide, active, mask)
		s.compareWith(amd64.Narrow, active, 1<<lanes-1)
		s.jumpIf(amd64.NotEqual, elsewhere)
		parts = true
	}
	if a.pattern == clampedAddress && !a.within {
		s.checkBound(a, elsewhere)
		parts = true
	}
	return s.first(a), parts
}

// loadDeinterleaved emits so many loads for one block of lanes.
func (s *selector) loadDeinterleaved(i mir.Inst, count int) {
	f := s.f
	var list [maxInterleaved]mir.Inst
	var kept [maxInterleaved]homes
	for n := range count {
		list[n] = i
		s.beginResults(i, &kept[n])
		i = f.Next(i)
	}
	a := s.resolve(list[0])
	elsewhere, end := s.label(), s.label()
	stride := int64(4 * count)
	at, parts := s.atVectors(&a, stride, elsewhere)
	// pair loads 16 bytes of one lane, and of the lane so many behind
	pair := func(lane int32) amd64.Operand {
		low, both := s.freshVector(), s.freshVector()
		from := at
		from.Displacement += 16 * lane
		s.load(amd64.VMovUPS, amd64.Narrow, low, from)
		from.Displacement += int32(stride) * (lanes / 2)
		i := amd64.Of(amd64.VInsertF128, amd64.Wide, both, low, amd64.Mem, amd64.Imm)
		i.Address, i.Immediate = from, 1
		s.append(&i)
		return both
	}
	join := func(o amd64.Op, d, x, y amd64.Operand) amd64.Operand {
		if d == 0 {
			d = s.freshVector()
		}
		s.emit(o, amd64.Wide, d, x, y)
		return d
	}
	to := func(n int) amd64.Operand { return s.value(f.Result(list[n])).vector[0] }
	switch count {
	case 2:
		x, y := pair(0), pair(1)
		s.immediate(amd64.VShufPS, amd64.Wide, 0x88, to(0), x, y)
		s.immediate(amd64.VShufPS, amd64.Wide, 0xDD, to(1), x, y)
	default:
		x, y, z, w := pair(0), pair(1), pair(2), pair(3)
		low, high := join(amd64.VPUnpckLDQ, 0, x, y), join(amd64.VPUnpckLDQ, 0, z, w)
		join(amd64.VPUnpckLQDQ, to(0), low, high)
		join(amd64.VPUnpckHQDQ, to(1), low, high)
		low, high = join(amd64.VPUnpckHDQ, 0, x, y), join(amd64.VPUnpckHDQ, 0, z, w)
		join(amd64.VPUnpckLQDQ, to(2), low, high)
		join(amd64.VPUnpckHQDQ, to(3), low, high)
	}
	if parts {
		s.jump(end)
		s.mark(elsewhere)
		for n := range count {
			s.epoch++
			b := s.resolve(list[n])
			s.gather(&b, f.Result(list[n]), 4)
		}
		s.mark(end)
		s.epoch++
	}
	for n := range count {
		s.endResults(list[n], &kept[n])
	}
}
