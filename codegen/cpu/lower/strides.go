package lower

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file guesses by how much integers grow from one lane to the next, among lanes whose
// invocations are neighbours in the dimension x. It is a hint for memory accesses: where addresses
// seem to grow by the size of an element, it pays to have code that moves many elements at once.
// Sums may wrap, and clamps and remainders may apply, so that code has to check the addresses
// first.

// Strides are the guesses.
type Strides struct {
	strides []int64
	f       *mir.Func
}

// unknown is the stride of what grows in no known way.
const unknown = -1 << 63

// Stride returns by how much a register or constant grows from lane to lane, and whether anything
// is known.
func (s *Strides) Stride(o mir.Operand) (int64, bool) {
	if o == mir.NoOperand || o.IsConst() {
		return 0, true
	}
	x := s.strides[s.f.Index(o)]
	return x, x != unknown
}

// AddressStride returns by how many bytes an address grows from lane to lane, and whether anything
// is known.
func (s *Strides) AddressStride(m *mir.Memory) (int64, bool) {
	base, known := s.Stride(m.Base)
	index, knownToo := s.Stride(m.Index)
	return base + index, known && knownToo
}

// guessStrides visits the function once, in its order: the operands of a loop's back edge are
// assumed to be like those from outside.
func (p *Program) guessStrides() {
	f := p.F
	s := &p.Strides
	s.f, s.strides = f, make([]int64, f.Indices())
	seen := make([]bool, len(f.Order))
	for n, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				s.strides[f.Index(r)] = s.resultStride(p, i)
			}
		}
		for _, e := range f.Edges(f.Last(b)) {
			to := p.At[e.To]
			if seen[to] || int(to) <= n {
				continue
			}
			seen[to] = true
			args := f.EdgeArgs(e)
			for k, r := range f.BlockParams(e.To) {
				s.strides[f.Index(r)] = s.operand(args[k])
			}
		}
	}
}

func (s *Strides) operand(o mir.Operand) int64 {
	if o == mir.NoOperand || o.IsConst() {
		return 0
	}
	return s.strides[s.f.Index(o)]
}

// resultStride guesses the stride of an instruction's result.
func (s *Strides) resultStride(p *Program, i mir.Inst) int64 {
	f := s.f
	if f.Op(i) == mir.Builtin {
		x, component := AuxBuiltin(f.Aux(i))
		return builtinStride(x, component)
	}
	if r := f.Result(i); !p.Uniform[Block].Varies(r) {
		return 0
	}
	args := f.Args(i)
	if len(args) == 0 || len(args) > 3 {
		return unknown
	}
	var in [3]int64
	for k, a := range args {
		in[k] = s.operand(a)
	}
	x, y := in[0], in[1]
	switch o := f.Op(i); o {
	case mir.Op(op.Add), mir.Op(op.Or):
		return combined(x, y, 1)
	case mir.Op(op.Sub):
		return combined(x, y, -1)
	case mir.Op(op.Mul), mir.MulWide:
		if n, ok := s.constant(args[1]); ok {
			return scaled(x, n)
		}
		if n, ok := s.constant(args[0]); ok {
			return scaled(y, n)
		}
		switch { // of what changes for few lanes; or by a distance, which most often is 1
		case x == 0 && y == 0:
			return 0
		case x == 0 && !p.Uniform[Block].Varies(args[0]):
			return y
		case y == 0 && !p.Uniform[Block].Varies(args[1]):
			return x
		}
	case mir.Op(op.Shl):
		if n, ok := s.constant(args[1]); ok && n < 32 {
			return scaled(x, 1<<n)
		}
	case mir.Op(op.Shr): // of a quotient, which changes for few lanes
		if n, ok := s.constant(args[1]); y == 0 && x != unknown && (!ok || n >= 8) {
			return 0
		}
	case mir.Op(op.Div):
		if y == 0 && x != unknown {
			return 0
		}
	case mir.Op(op.Convert):
		if f.Kind(i).IsInteger() && f.To(i).IsInteger() {
			return x
		}
	case mir.Op(op.Min), mir.Op(op.Max): // of an index and what bounds it
		if y == 0 {
			return x
		}
		if x == 0 {
			return y
		}
	case mir.Op(op.Rem): // what leaves on one side comes back on the other
		if y == 0 {
			return x
		}
	case mir.Op(op.Select):
		if y != unknown && y != 0 {
			return y
		}
		return in[2]
	}
	return unknown
}

func builtinStride(x ir.Builtin, component int) int64 {
	switch x {
	case ir.LocalInvocationID, ir.GlobalInvocationID:
		if component == 0 {
			return 1
		}
		return 0
	case ir.LocalInvocationIndex, ir.GlobalInvocationIndex, ir.SubgroupInvocationID:
		return 1
	}
	return 0
}

func combined(x, y, sign int64) int64 {
	if x == unknown || y == unknown {
		return unknown
	}
	return x + sign*y
}

func scaled(x, by int64) int64 {
	if x == unknown {
		return unknown
	}
	return x * by
}

// constant returns an integer constant.
func (s *Strides) constant(o mir.Operand) (int64, bool) {
	if !o.IsConst() || !s.f.KindOf(o).IsInteger() {
		return 0, false
	}
	return scalar.ToInt64(s.f.KindOf(o), s.f.Bits(o)), true
}
