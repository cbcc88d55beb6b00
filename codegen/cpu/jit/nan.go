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
	s.findNumbers()
	for _, b := range f.Order {
		for _, r := range f.BlockParams(b) {
			s.value(r).anyNaN = r.Class() != mir.Predicate
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				s.value(r).anyNaN = s.makesNaN(i) || s.isAnyNaN(i)
			}
		}
	}
	s.findObserved()
	observed := make([]bool, len(f.Symbols)) // something observes the pattern of what is loaded
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) == mir.Op(op.Load) && s.isAnyNaN(i) && s.observed[f.Index(f.Result(i))] {
				observed[f.Memory(i).Symbol] = true
			}
		}
	}
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
				switch f.Op(i) {
				case mir.Op(op.Store):
					if n := f.Memory(i).Symbol; s.isAnyNaN(i) && observed[n] && !fits(f.Arg(i, 0)) {
						s.numbers[n], changed = scalar.None, true
					}
				case mir.Op(op.Load):
					if v := s.value(f.Result(i)); v.anyNaN && !s.isAnyNaN(i) {
						v.anyNaN, changed = false, true
					}
				}
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

// findNumbers finds the variables of invocations and workgroups that have floats of one kind alone,
// and are loaded and stored in no other way. They may hold any NaN as long as all that is stored
// may, or nothing observes the pattern of what is loaded.
func (s *selector) findNumbers() {
	f := s.f
	s.numbers = ir.Zeroed(s.numbers, len(f.Symbols))
	other := func(symbol uint32) { s.numbers[symbol] = scalar.Bool }
	any := map[ir.Space]bool{} // some access may be to any variable
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) == mir.SymbolAddress {
				other(f.Aux(i))
				continue
			}
			if !mir.HasMemory(f.Op(i)) || f.Memory(i).Space != ir.Private && f.Memory(i).Space != ir.Workgroup {
				continue
			}
			m := f.Memory(i)
			simple := f.Op(i) == mir.Op(op.Load) && len(f.Results(i)) == 1 || f.Op(i) == mir.Op(op.Store) && len(f.Args(i)) == 1
			switch {
			case m.Base != mir.NoOperand:
				any[m.Space] = true
			case !simple, m.Kind != scalar.F32 && m.Kind != scalar.F64, s.numbers[m.Symbol] != scalar.None && s.numbers[m.Symbol] != m.Kind:
				other(m.Symbol)
			default:
				s.numbers[m.Symbol] = m.Kind
			}
		}
	}
	for n, k := range s.numbers {
		if k == scalar.Bool || any[f.Symbols[n].Space] {
			s.numbers[n] = scalar.None
		}
	}
}

// isAnyNaN reports whether an instruction loads or stores a variable that may hold any NaN.
func (s *selector) isAnyNaN(i mir.Inst) bool {
	if o := s.f.Op(i); o != mir.Op(op.Load) && o != mir.Op(op.Store) {
		return false
	}
	m := s.f.Memory(i)
	return (m.Space == ir.Private || m.Space == ir.Workgroup) && m.Base == mir.NoOperand && s.numbers[m.Symbol] != scalar.None
}

// stored returns part of an operand as an address has it.
func (s *selector) stored(a *address, o mir.Operand, part int) amd64.Operand {
	if a.anyNaN {
		return s.vector(o, part)
	}
	return s.canonical(o, part)
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
		return f.Kind(i).IsFloat() && arithmetic[o] && s.floatBounds(f.Result(i), deepest).mayBeNaN
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
