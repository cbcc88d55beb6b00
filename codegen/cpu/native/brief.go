package native

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/flat"
	"github.com/gpuc/gpuc/ir"
)

// This file finds places where lanes wait for a short way of the text only, as those of a switch do from the comparison that chose them to their clause. The masks of lanes that
// wait are zero everywhere else; where all ways to such a place lead through the first block that adds lanes, it is enough that the mask becomes zero where that begins, and
// the register has something else to do before and behind. So have the place's parameters, but for those that lanes keep which have left a loop.

// findBrief finds them.
func (w *flow) findBrief(s *selector) {
	count := s.blockCount()
	w.briefly, w.opens, w.also = ir.Zeroed(w.briefly, count), ir.Zeroed(w.opens, count), ir.Zeroed(w.also, count)
	for to := range count {
		first := int(w.first[to])
		if w.pending[to] == 0 || w.back[to] || first >= to || !w.partial[first] || s.p.Loop[first] != s.p.Loop[to] || !w.leadsThrough(s, first, to) {
			continue
		}
		w.briefly[to] = true
		w.also[to], w.opens[first] = w.opens[first], int32(to+1)
	}
}

// leadsThrough reports whether no way goes past the beginning of a block to one behind, of the same loop.
func (w *flow) leadsThrough(s *selector, first, to int) bool {
	over := func(x int) bool { return x > first && x <= to }
	for n := max(int(s.p.Loop[first]), 0); n < first; n++ {
		if (w.masked[n] || w.tested[n] || w.hasTail(s, n)) && over(w.after(n)) {
			return false
		}
		for _, e := range s.edges(n) {
			if !w.masked[n] && over(int(s.p.At[e.To])) {
				return false
			}
		}
	}
	return true
}

// open says, where a block begins, that no lane waits at the places where lanes wait from it on.
func (s *selector) open(n int) {
	w := &s.flow
	for to := w.opens[n]; to != 0; to = w.also[to-1] {
		for u := range s.sets {
			s.use(u)
			p := w.pending[to-1]
			s.emit(amd64.VPXor, amd64.Wide, p, p, p)
			s.undefineParams(int(to-1), func(r flat.Operand) bool { return !w.kept[s.f.Index(r)] })
		}
	}
}
