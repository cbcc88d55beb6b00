package jit

import (
	"math"
	"sync"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file canonicalizes NaNs. In package eval a NaN that arithmetic makes has one pattern, the
// quiet one, whatever the operands. The machine's has the sign bit, or the pattern of an operand.
// Arithmetic gives the same results for all patterns. So values that arithmetic made may hold any
// NaN (value.anyNaN). They are canonicalized where a pattern is observable: in stores, operations
// on bits, neg and abs. A choice or a block's parameter may hold any NaN if each of its operands
// may, or is a constant other than NaN, or if nothing observes its pattern.

// canonicalized is the canonical form of a value in a block.
type canonicalized struct {
	epoch  int32
	vector [2]amd64.Operand
}

// arithmetic are the operations whose results may be any NaN.
var arithmetic = [op.Count]bool{
	op.Add: true, op.Sub: true, op.Mul: true, op.Div: true, op.Rem: true, op.Min: true, op.Max: true, op.Clamp: true, op.Sign: true, op.Fma: true,
	op.Floor: true, op.Ceil: true, op.Trunc: true, op.Round: true, op.Fract: true, op.Sqrt: true, op.InverseSqrt: true, op.QuantizeF16: true,
}

// findNonCanonical finds the values that may hold any NaN, as an optimistic fixed point: it begins
// with all choices and parameters.
func (s *selector) findNonCanonical() {
	f := s.f
	for _, b := range f.Order {
		for _, r := range f.BlockParams(b) {
			s.value(r).anyNaN = r.Class() != mir.Predicate
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				s.value(r).anyNaN = s.makesNaN(i)
			}
		}
	}
	s.findObserved()
	fits := func(o mir.Operand) bool {
		if !o.IsConst() {
			return s.value(o).anyNaN
		}
		k := f.KindOf(o)
		return k.IsFloat() && !math.IsNaN(scalar.ToFloat64(k, f.Bits(o)))
	}
	for changed := true; changed; {
		changed = false
		for n, b := range f.Order {
			for i := f.First(b); i != 0; i = f.Next(i) {
				if f.Op(i) != mir.Op(op.Select) {
					continue
				}
				if v := s.value(f.Result(i)); v.anyNaN && !(fits(f.Arg(i, 1)) && fits(f.Arg(i, 2))) {
					v.anyNaN, changed = false, true
				}
			}
			for _, e := range s.edges(n) {
				params := f.BlockParams(e.To)
				for k, a := range f.EdgeArgs(e) {
					if v := s.value(params[k]); v.anyNaN && s.observed[f.Index(params[k])] && !fits(a) {
						v.anyNaN, changed = false, true
					}
				}
			}
		}
	}
}

// findObserved finds the values whose patterns something observes, perhaps after they have been
// passed on. Arithmetic does not, so that the sums of a loop need no canonical form in it.
func (s *selector) findObserved() {
	f := s.f
	s.observed = ir.Zeroed(s.observed, f.Indices())
	observe := func(o mir.Operand) bool {
		if o == mir.NoOperand || o.IsConst() || s.observed[f.Index(o)] {
			return false
		}
		s.observed[f.Index(o)] = true
		return true
	}
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if o := f.Op(i); o < mir.Join && f.Kind(i).IsFloat() && arithmetic[o] {
				continue
			}
			for _, a := range f.Args(i) {
				observe(a)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for n := range f.Order {
			for _, e := range s.edges(n) {
				params := f.BlockParams(e.To)
				for k, a := range f.EdgeArgs(e) {
					if s.observed[f.Index(params[k])] && observe(a) {
						changed = true
					}
				}
			}
		}
	}
}

func (s *selector) makesNaN(i mir.Inst) bool {
	f := s.f
	switch o := f.Op(i); {
	case o == mir.Op(op.Convert):
		return f.Kind(i).IsFloat() && f.To(i).IsFloat()
	case o == mir.Op(op.Select):
		return f.Result(i).Class() != mir.Predicate
	case o == mir.Op(op.Unpack2x16Float):
		return true
	case o < mir.Join:
		return f.Kind(i).IsFloat() && arithmetic[o]
	}
	return false
}

// canonicalizers are the templates that canonicalize values, by class.
var canonicalizers = sync.OnceValue(func() *[mir.ClassCount]*template {
	names := mnemonics()
	return &[mir.ClassCount]*template{
		mir.Half: parse(names, "vpand t0, a, =7fff; vpcmpgtd t1, t0, =7c00; vblendvps d, a, =7e00, t1"),
		mir.Word: parse(names, "vcmpps t0, a, a, $3; vblendvps d, a, =7fc00000, t0"),
		mir.Long: parse(names, "vcmppd t0, a, a, $3; vblendvpd d, a, ==7ff8000000000000, t0"),
	}
})

// canonical returns part of an operand with canonical NaNs.
func (s *selector) canonical(o mir.Operand, part int) amd64.Operand {
	if o.IsConst() || !s.value(o).anyNaN {
		return s.vector(o, part)
	}
	return s.canonicalize(o, part)
}

func (s *selector) canonicalize(o mir.Operand, part int) amd64.Operand {
	v := s.value(o)
	if !v.anyNaN {
		return v.vector[part]
	}
	c := &s.canonicalized[s.f.Index(o)]
	if c.epoch != s.epoch {
		*c = canonicalized{epoch: s.epoch}
	}
	if c.vector[part] == 0 {
		c.vector[part] = s.freshVector()
		s.expand(canonicalizers()[o.Class()], amd64.Wide, c.vector[part], []taken{from(v.vector[part])})
	}
	return c.vector[part]
}
