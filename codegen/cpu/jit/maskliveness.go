package jit

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
)

// This file shortens the live ranges of masks. Lanes wait for some blocks over a short part of the
// text only, as lanes of a switch do between the comparison that chose them and their clause.
// Elsewhere the mask is zero. Where all paths to such a block lead through the first block that
// adds lanes, it suffices to clear the mask there, and its register is free before and after. The
// same holds for the block's parameters, except for those of lanes that have left a loop.

// findMaskLiveness finds these blocks.
func (w *flow) findMaskLiveness(s *selector) {
	count := s.blockCount()
	w.shortLived, w.opens, w.nextOpened = ir.Zeroed(w.shortLived, count), ir.Zeroed(w.opens, count), ir.Zeroed(w.nextOpened, count)
	w.findSources(s)
	// those blocks up to this one whose sources are in front of those of all after, to this one
	lowest := w.stack[:0]
	for to := range count {
		for len(lowest) > 0 && w.sources[lowest[len(lowest)-1]] >= w.sources[to] {
			lowest = lowest[:len(lowest)-1]
		}
		lowest = append(lowest, int32(to))
		first := int(w.first[to])
		if w.pending[to] == 0 || w.back[to] || first >= to || !w.partial[first] || s.p.Loop[first] != s.p.Loop[to] {
			continue
		}
		// Does a way go past the beginning of the first block to one after, of the same loop?
		// No way comes from in front of the loop, as loops are entered at their headers.
		behind, _ := slices.BinarySearch(lowest, int32(first+1))
		if int(w.sources[lowest[behind]]) < first {
			continue
		}
		w.shortLived[to] = true
		w.nextOpened[to], w.opens[first] = w.opens[first], int32(to+1)
	}
}

// findSources finds the first block that each is gone to from, unless by masks.
func (w *flow) findSources(s *selector) {
	count := s.blockCount()
	w.sources = ir.Zeroed(w.sources, count+1)
	for n := range w.sources {
		w.sources[n] = int32(n)
	}
	for n := range count {
		if w.masked[n] || w.hasTail(s, n) {
			to := w.after(n)
			w.sources[to] = min(w.sources[to], int32(n))
		}
		if w.tested[n] {
			to := w.after(int(w.regions[n]))
			w.sources[to] = min(w.sources[to], int32(n))
		}
		for _, e := range s.edges(n) {
			if to := s.p.At[e.To]; !w.masked[n] {
				w.sources[to] = min(w.sources[to], int32(n))
			}
		}
	}
}

// clearMasks clears, where a block begins, the masks of the blocks where lanes wait from it on.
func (s *selector) clearMasks(n int) {
	w := &s.flow
	for to := w.opens[n]; to != 0; to = w.nextOpened[to-1] {
		for u := range s.sets {
			s.use(u)
			p := w.pending[to-1]
			s.emit(amd64.VPXor, amd64.Wide, p, p, p)
			s.undefineParams(int(to-1), func(r mir.Operand) bool { return !w.kept[s.f.Index(r)] })
		}
	}
}
