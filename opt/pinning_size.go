package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds out how large functions become by the calls that pin variables. Inlined, a
// variable becomes values only if the loops that index it are unrolled, and Unroll has a limit for
// that (maxUnrolled). Beyond it the variable would stay in memory. So would the arrays of the
// called function that are values while it is called. A 256-bit product, for example, is 64
// products of words. So the functions that cost most stay calls until the rest fits.
//
// Loops are counted in a copy of the module whose local variables are values already.

type pinnedSize struct {
	unroller
	copy *ir.Module
	// own is the size of each function without what it calls, with the loops unrolled that index
	// variables, and times how often the kernel has it.
	own, times []int
	looped     []bool // by function: such loops are in it, or around a call of it
}

// fit leaves calls of functions until the kernels are small enough.
func (p *pinning) fit(c *Context, sizes []int) {
	s := &p.size
	s.copy = nil
	for {
		worst, most := -1, 0
		for _, k := range p.graph.sorted {
			if p.pins[k] && p.graph.callers[k] > 1 && sizes[k] > smallFunction {
				if s.copy == nil {
					p.measure(c)
				}
				if cost := s.own[k] * s.times[k]; s.looped[k] && cost > most {
					worst, most = int(k), cost
				}
			}
		}
		if worst < 0 {
			return
		}
		total := s.total(p)
		if total <= maxUnrolled {
			return
		}
		p.stay(c, uint32(worst), total, maxUnrolled)
		p.find()
	}
}

// measure sets own, times and looped.
func (p *pinning) measure(c *Context) {
	s := &p.size
	s.copy = p.m.Clone()
	for _, pass := range [...]*Pass{&Sroa, &Mem2Reg, &Simplify} {
		pass.Apply(c, s.copy)
	}
	n := len(s.copy.Funcs)
	s.own, s.times, s.looped = ir.Zeroed(s.own, n), ir.Zeroed(s.times, n), ir.Zeroed(s.looped, n)
	for _, k := range slices.Backward(p.graph.sorted) {
		f := s.copy.Funcs[k]
		if f.Kernel {
			s.times[k] = 1
		}
		s.indexing(f)
		s.own[k] = s.size(f.Entry)
		s.looped[k] = s.looped[k] || slices.ContainsFunc(s.loops, func(l countedLoop) bool { return l.wanted })
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) == op.Call {
				times := s.around(i)
				s.looped[f.Aux(i)] = s.looped[f.Aux(i)] || times > 1
				s.times[f.Aux(i)] = min(s.times[f.Aux(i)]+s.times[k]*times, 1<<20)
			}
		}
	}
}

// indexing marks the counted loops of a function whose counts index variables, here or in what it
// calls.
func (s *pinnedSize) indexing(f *ir.Func) {
	s.all = true
	s.find(s.copy, f)
	for i := f.First(f.Entry); i != 0 && len(s.loops) > 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); o != op.Call && (o != op.Access || !isOwnMemory(s.copy, f.Type(i))) {
			continue
		}
		for _, a := range f.Args(i) {
			for n := range s.loops {
				l := &s.loops[n]
				if !l.wanted && a.IsLocal() && s.countsIn(a, l, maxIndexDepth) {
					l.wanted = true
					for _, outer := range l.within {
						s.loops[outer].wanted = true
					}
				}
			}
		}
	}
}

// around returns how many copies of an instruction there are once the wanted loops are unrolled.
func (s *pinnedSize) around(i ir.Inst) int {
	f, times := s.f, 1
	for p := f.Parent(f.BlockOf(i)); p != 0; p = f.Parent(f.BlockOf(p)) {
		if n := s.number[p]; n > 0 && s.loops[n-1].wanted {
			times = min(times*s.loops[n-1].tripCount, 1<<20)
		}
	}
	return times
}

// total returns the size of the kernels with what is put into them.
func (s *pinnedSize) total(p *pinning) (total int) {
	for _, k := range p.graph.sorted {
		if p.m.Funcs[k].Kernel || !p.stays[k] {
			total += min(s.own[k]*s.times[k], 1<<24)
		}
	}
	return total
}
