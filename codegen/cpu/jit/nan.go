package jit

import (
	"math"
	"sync"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file is about the patterns of NaN. In package eval a NaN that arithmetic makes has one
// pattern, whatever the operands; the machine's has the sign bit, or the pattern of an operand.
// Arithmetic does not see which it is. So a value that arithmetic made is loose: if it is a NaN,
// its pattern is another than eval's, which is the quiet one. It is set right where a pattern is
// seen: by what stores it, by operations on bits, by neg and abs. Choices and parameters of blocks
// are loose if all that they may be is loose or a number.

// cleaned is a loose value that was set right in a block.
type cleaned struct {
	epoch  int32
	vector [2]amd64.Operand
}

// arithmetic are the operations whose results are loose.
var arithmetic = [op.Count]bool{
	op.Add: true, op.Sub: true, op.Mul: true, op.Div: true, op.Rem: true, op.Min: true, op.Max: true, op.Clamp: true, op.Sign: true, op.Fma: true,
	op.Floor: true, op.Ceil: true, op.Trunc: true, op.Round: true, op.Fract: true, op.Sqrt: true, op.InverseSqrt: true, op.QuantizeF16: true,
}

// looseness finds the loose values: it begins with all choices and parameters and takes away until
// nothing changes.
func (s *selector) looseness() {
	f := s.f
	for _, b := range f.Order {
		for _, r := range f.BlockParams(b) {
			s.value(r).loose = r.Class() != mir.Predicate
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				s.value(r).loose = s.makesLoose(i)
			}
		}
	}
	fits := func(o mir.Operand) bool {
		if !o.IsConst() {
			return s.value(o).loose
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
				if v := s.value(f.Result(i)); v.loose && !(fits(f.Arg(i, 1)) && fits(f.Arg(i, 2))) {
					v.loose, changed = false, true
				}
			}
			for _, e := range s.edges(n) {
				params := f.BlockParams(e.To)
				for k, a := range f.EdgeArgs(e) {
					if v := s.value(params[k]); v.loose && !fits(a) {
						v.loose, changed = false, true
					}
				}
			}
		}
	}
}

func (s *selector) makesLoose(i mir.Inst) bool {
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

// cleaners are the templates that set values right, by class.
var cleaners = sync.OnceValue(func() *[mir.ClassCount]*template {
	names := mnemonics()
	return &[mir.ClassCount]*template{
		mir.Half: parse(names, "vpand t0, a, =7fff; vpcmpgtd t1, t0, =7c00; vblendvps d, a, =7e00, t1"),
		mir.Word: parse(names, "vcmpps t0, a, a, $3; vblendvps d, a, =7fc00000, t0"),
		mir.Long: parse(names, "vcmppd t0, a, a, $3; vblendvpd d, a, ==7ff8000000000000, t0"),
	}
})

// clean returns part of an operand with the patterns that package eval has.
func (s *selector) clean(o mir.Operand, part int) amd64.Operand {
	if o.IsConst() || !s.value(o).loose {
		return s.vector(o, part)
	}
	return s.cleanValue(o, part)
}

func (s *selector) cleanValue(o mir.Operand, part int) amd64.Operand {
	v := s.value(o)
	if !v.loose {
		return v.vector[part]
	}
	c := &s.cleaned[s.f.Index(o)]
	if c.epoch != s.epoch {
		*c = cleaned{epoch: s.epoch}
	}
	if c.vector[part] == 0 {
		c.vector[part] = s.freshVector()
		s.expand(cleaners()[o.Class()], amd64.Wide, c.vector[part], []taken{from(v.vector[part])})
	}
	return c.vector[part]
}
