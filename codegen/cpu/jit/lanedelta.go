package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds by how much words of a block of lanes are more than those of the first one that
// is executed together with it. Where that is a constant, addresses of neighbours are the first
// block's registers and a displacement. Vectors are the first block's vectors and a constant: one
// word is computed, and not four.

// delta is that difference, by block of lanes, modulo 2^32.
type delta struct {
	by    [maxSets]int32
	state deltaState
}

type deltaState uint8

const (
	unseen deltaState = iota // nothing is known that it depends on
	constant
	unknown
)

// findDeltas finds the deltas of all words, as an optimistic fixed point: it begins with constants,
// and removes what does not hold until nothing changes.
func (s *selector) findDeltas() {
	f := s.f
	s.deltas = ir.Zeroed(s.deltas, f.Indices())
	if len(s.sets) == 1 {
		return
	}
	for changed := true; changed; {
		changed = false
		for n, b := range f.Order {
			for i := f.First(b); i != 0; i = f.Next(i) {
				if results := f.Results(i); len(results) == 1 {
					changed = s.settle(results[0], s.deltaOf(i)) || changed
				} else {
					for _, r := range results {
						changed = s.settle(r, delta{state: unknown}) || changed
					}
				}
			}
			for _, e := range s.edges(n) {
				params := f.BlockParams(e.To)
				for k, a := range f.EdgeArgs(e) {
					changed = s.settle(params[k], s.delta(a)) || changed
				}
			}
		}
	}
}

// settle notes what has been found out of a register, and reports whether that is new.
func (s *selector) settle(r mir.Operand, d delta) bool {
	n := s.f.Index(r)
	old := &s.deltas[n]
	switch {
	case d.state == unseen || old.state == unknown || *old == d:
		return false
	case old.state == constant || s.flow.kept[n] && s.varies(r) || r.Class() != mir.Word:
		*old = delta{state: unknown}
	default:
		*old = d
	}
	return true
}

// delta returns the delta of an operand.
func (s *selector) delta(o mir.Operand) delta {
	if o.IsConst() || !s.p.Uniform[lower.Always].Varies(o) {
		return delta{state: constant}
	}
	return s.deltas[s.f.Index(o)]
}

// deltaOf returns that of an instruction's result.
func (s *selector) deltaOf(i mir.Inst) (d delta) {
	f := s.f
	d.state = constant
	if f.Op(i) == mir.Builtin {
		x, component := lower.AuxBuiltin(f.Aux(i))
		set := s.set
		for u := range s.sets {
			s.set = u
			more, ok := s.blockDelta(x, component)
			if d.by[u] = int32(more); !ok {
				d.state = unknown
			}
		}
		s.set = set
		return d
	}
	args := f.Args(i)
	if o := f.Op(i); o >= mir.Join || !op.Op(o).Pure() || !f.Kind(i).IsInteger() || f.Kind(i).Bits() != 32 || len(args) == 0 || len(args) > 2 {
		return delta{state: unknown}
	}
	x, y := s.delta(args[0]), delta{state: constant}
	if len(args) == 2 {
		y = s.delta(args[1])
	}
	switch {
	case x.state == unknown || y.state == unknown:
		return delta{state: unknown}
	case x.state == unseen || y.state == unseen:
		return delta{}
	case x == d && y == d: // the same of the same
		return d
	}
	for u := range s.sets {
		more, ok := s.change(i, x.by[u], y.by[u])
		if d.by[u] = more; !ok {
			return delta{state: unknown}
		}
	}
	return d
}

// farthest bounds displacements: the greatest address of a buffer plus that many bytes is below
// 2^31 (mostBytes).
const farthest = 1 << 11

// farthestNarrow bounds displacements in memory with addresses of 32 bits, which has so many bytes
// at most that a word, less the displacement, is extended by its sign.
const farthestNarrow = 1 << 20

// fromFirst returns the general register of a word in the first block of lanes, and by how much the
// word is more, times a factor, in the selected block. That is itself if it is not known, or too
// much: words that are extended by their sign before that is added must not pass 2^31.
func (s *selector) fromFirst(o mir.Operand, factor int64) (r amd64.Operand, more int64) {
	if s.set == 0 || o.IsConst() {
		return s.general(o), 0
	}
	d := s.delta(o)
	if more = int64(d.by[s.set]) * factor; d.state != constant || more > farthest || more < -farthest {
		return s.general(o), 0
	}
	return s.sets[0].values[s.f.Index(o)].general, more
}
