package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file stores vectors of two or four words that neighbours have side by side. What lanes have
// in two or four registers is put in the order of memory and stored as it lies, rather than lane by
// lane. Four words of each lane are stored at once also where lanes are farther apart.

// mostInterleaved is how many words are stored at once.
const maxInterleaved = 4

// interleaves returns how many stores, of which an instruction is the first, store the words of
// such vectors, or 0.
func (s *selector) interleaves(i mir.Inst) int {
	f := s.f
	if f.Op(i) != mir.Op(op.Store) {
		return 0
	}
	m, stride := f.Memory(i), s.vectorStride(i)
	count := int(min(stride/4, maxInterleaved))
	if m.Kind.Bytes() != 4 || m.Space == ir.Private || stride != 8 && (stride < 4*maxInterleaved || stride%4 != 0 || stride >= maxStride) {
		return 0
	}
	first := i
	for n := range count {
		if i == 0 || len(f.Args(i)) != 1 || !s.isBeside(first, i, n) {
			return 0
		}
		i = f.Next(i)
	}
	return count
}

// isBeside reports whether an instruction does what another one does, for the n-th word after the
// first one's.
func (s *selector) isBeside(first, i mir.Inst, n int) bool {
	f := s.f
	if f.Op(i) != f.Op(first) {
		return false
	}
	m, x := f.Memory(first), f.Memory(i)
	return x.Space == m.Space && x.Kind.Bytes() == m.Kind.Bytes() && x.Base == m.Base && x.Index == m.Index && x.Symbol == m.Symbol && x.Offset == m.Offset+int64(4*n)
}

// storeInterleaved emits so many stores for one block of lanes: where some lanes are not active, as
// any others.
func (s *selector) storeInterleaved(i mir.Inst, count int) {
	f := s.f
	a, first := s.resolve(i), i
	var args [maxInterleaved]mir.Operand
	for n := range count { // values are set right ahead of the ways that part below
		args[n] = f.Arg(i, 0)
		s.canonical(args[n], 0)
		i = f.Next(i)
	}
	stride := s.vectorStride(first)
	elsewhere, end := s.label(), s.label()
	at, parts := s.atVectors(&a, stride, elsewhere)
	var list [maxInterleaved]amd64.Operand
	for n, x := range args[:count] {
		list[n] = s.canonical(x, 0)
	}
	if stride > 4*maxInterleaved {
		s.storeTransposed(at, int32(stride), list)
	} else {
		for _, x := range s.interleaved(list[:count]) {
			s.store(amd64.VMovUPS, amd64.Wide, at, x)
			at.Displacement += 32
		}
	}
	if parts {
		s.jump(end)
		s.mark(elsewhere)
		s.epoch++
		for _, x := range args[:count] {
			s.stores(&a, x, 4)
			a.offset += 4
		}
		s.mark(end)
	}
	s.epoch++
}

// storeTransposed stores four vectors of words: those of a lane side by side, and those of the next
// lane stride bytes behind.
func (s *selector) storeTransposed(at amd64.Address, stride int32, list [maxInterleaved]amd64.Operand) {
	join := func(o amd64.Op, x, y amd64.Operand) amd64.Operand {
		r := s.freshVector()
		s.emit(o, amd64.Wide, r, x, y)
		return r
	}
	// of lanes 0, 1, 4, 5, and of lanes 2, 3, 6, 7
	for half, o := range [...]amd64.Op{amd64.VPUnpckLDQ, amd64.VPUnpckHDQ} {
		x, y := join(o, list[0], list[1]), join(o, list[2], list[3])
		for n, o := range [...]amd64.Op{amd64.VPUnpckLQDQ, amd64.VPUnpckHQDQ} {
			both, to := join(o, x, y), at
			to.Displacement += stride * int32(2*half+n)
			s.store(amd64.VMovUPS, amd64.Narrow, to, both)
			upper := s.freshVector()
			s.immediate(amd64.VExtractI128, amd64.Wide, 1, upper, both)
			to.Displacement += stride * (lanes / 2)
			s.store(amd64.VMovUPS, amd64.Narrow, to, upper)
		}
	}
}

// interleaved puts two or four vectors of words in the order of lanes.
func (s *selector) interleaved(list []amd64.Operand) []amd64.Operand {
	join := func(o amd64.Op, x, y amd64.Operand) amd64.Operand {
		r := s.freshVector()
		s.emit(o, amd64.Wide, r, x, y)
		return r
	}
	halves := func(which int64, x, y amd64.Operand) amd64.Operand {
		r := s.freshVector()
		s.immediate(amd64.VPerm2I128, amd64.Wide, which, r, x, y)
		return r
	}
	// Of each half, the first two lanes and the last two.
	low, high := join(amd64.VPUnpckLDQ, list[0], list[1]), join(amd64.VPUnpckHDQ, list[0], list[1])
	if len(list) == 2 {
		return append(list[:0], halves(0x20, low, high), halves(0x31, low, high))
	}
	low2, high2 := join(amd64.VPUnpckLDQ, list[2], list[3]), join(amd64.VPUnpckHDQ, list[2], list[3])
	first, second := join(amd64.VPUnpckLQDQ, low, low2), join(amd64.VPUnpckHQDQ, low, low2)
	third, fourth := join(amd64.VPUnpckLQDQ, high, high2), join(amd64.VPUnpckHQDQ, high, high2)
	return append(list[:0], halves(0x20, first, second), halves(0x20, third, fourth), halves(0x31, first, second), halves(0x31, third, fourth))
}
