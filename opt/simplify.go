package opt

//go:generate go run ./internal/rulegen/run

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Simplify replaces instructions by simpler ones with the same value. Three things work together:
// constant folding (ir.Module.Fold), the peepholes of simplify.rules as rulegen compiled them, and
// what is not a rule on values: composites (simplify_composite.go) and control
// (simplify_control.go).
//
// One walk in execution order suffices for most: operands are simplified before
// what uses them. What the walk leaves unused is dce's to remove.
var Simplify = Pass{
	Name: "simplify",
	Doc:  "fold constants, apply peepholes, and remove redundant control flow",
	// the call that a variable's address is passed to may go
	Breaks: ir.Promoted,
	Run: func(c *Context, m *ir.Module) {
		s := Scratch[simplifier](c, "simplify")
		s.c = c
		s.redundant = Scratch[redundancy](c, "redundant")
		for _, f := range m.Funcs {
			s.run(f)
		}
	},
}

// rule is a peephole. Apply changes an instruction it matches and reports
// whether it did. It matches none whose first two operands are made otherwise
// than by what first and second say.
type rule struct {
	name          string
	first, second op.Op
	apply         func(s *simplifier, i ir.Inst) bool
}

// What a rule requires of an operand, beside operations.
const (
	anything = op.Invalid
	constant = op.Count
)

// maker returns what makes an operand, as rules require it.
func (s *simplifier) maker(args []ir.Value, n int) op.Op {
	switch {
	case n >= len(args):
		return anything
	case args[n].IsConst():
		return constant
	}
	return s.f.DefOp(args[n])
}

type simplifier struct {
	c         *Context
	f         *ir.Func
	redundant *redundancy
	changed   bool
	// exits and continues count, by control instruction, the terminators that
	// name it.
	exits, continues []uint32
	parts            []ir.Value
	// fired, in tests, is told the name of each rule that applies.
	fired func(rule string)
}

// maxRewrites bounds how often one instruction is rewritten in a row. Rules make
// things simpler, so that none is expected to come near.
const maxRewrites = 16

func (s *simplifier) run(f *ir.Func) {
	s.f = f
	s.changed = false
	s.exits = ir.Zeroed(s.exits, f.InstCount())
	s.continues = ir.Zeroed(s.continues, f.InstCount())
	s.builtins()
	s.block(f.Entry)
	if s.redundant.run(f) || s.changed {
		f.ApplyReplacements()
	}
}

// builtins makes the index of the only invocation of a workgroup 0.
func (s *simplifier) builtins() {
	f := s.f
	one := f.Module.ConstU32(1)
	if !f.Kernel || f.Workgroup != [3]ir.Value{one, one, one} {
		return
	}
	for n, p := range f.Params(f.Entry) {
		if f.Builtins[n] == ir.LocalInvocationIndex && f.Resolve(p) == p {
			f.Replace(p, f.Module.ConstU32(0))
			s.changed = true
		}
	}
}

// block simplifies the instructions of a block and of those nested in it.
func (s *simplifier) block(b ir.Block) {
	f := s.f
	for i := f.First(b); i != 0; {
		// what is inserted before i is simple; what follows may be cut off
		args := f.Args(i)
		for n, a := range args {
			args[n] = f.Resolve(a)
		}
		switch o := f.Op(i); {
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				s.block(ir.Block(inner))
			}
			i = s.control(i)
			continue
		case o == op.Exit:
			s.exits[f.Target(i)]++
		case o == op.Continue:
			s.continues[f.Target(i)]++
		case o == op.Next:
			params, condition, _ := f.NextArgs(i)
			switch {
			case condition == f.Module.ConstBool(false):
				f.SetArgs(i, params...)
			case condition != 0:
				s.exits[f.Target(i)]++
			}
		case o.Is(op.Terminator):
		default:
			next := f.Next(i)
			s.instruction(i)
			i = next
			continue
		}
		i = f.Next(i)
	}
}

// instruction simplifies until nothing applies.
func (s *simplifier) instruction(i ir.Inst) {
	for range maxRewrites {
		if !s.step(i) {
			return
		}
		s.changed = true
		if s.f.Op(i) == op.Invalid {
			return
		}
	}
}

// step changes an instruction once, or reports that it cannot.
func (s *simplifier) step(i ir.Inst) bool {
	f := s.f
	o := f.Op(i)
	if !o.Pure() {
		return o == op.Load && s.constantLoad(i)
	}
	args := f.Args(i)
	if v, ok := f.Module.Fold(o, f.Type(i), f.Aux(i), args); ok {
		return s.replace(i, v)
	}
	if o.Info().Commutative && args[0].IsConst() && !args[1].IsConst() {
		args[0], args[1] = args[1], args[0]
	}
	if s.rules(i, rules[o], args) {
		return true
	}
	if composite := composites[o]; composite != nil {
		return composite(s, i)
	}
	return false
}

// rules applies the first rule that matches an instruction.
func (s *simplifier) rules(i ir.Inst, rules []rule, args []ir.Value) bool {
	if len(rules) == 0 {
		return false
	}
	first, second := s.maker(args, 0), s.maker(args, 1)
	for n := range rules {
		r := &rules[n]
		if r.first != anything && r.first != first || r.second != anything && r.second != second {
			continue
		}
		if r.apply(s, i) {
			if s.fired != nil {
				s.fired(r.name)
			}
			return true
		}
	}
	return false
}

// replace makes v mean an instruction's result and removes the instruction.
// A value of another type is no replacement.
func (s *simplifier) replace(i ir.Inst, v ir.Value) bool {
	f := s.f
	if v == 0 || f.TypeOf(v) != f.Type(i) {
		return false
	}
	f.Replace(f.Result(i), v)
	f.Remove(i)
	return true
}

// rewrite turns an instruction into another operation with a result of the same
// type. An operand of 0 is a constant that could not be computed.
func (s *simplifier) rewrite(i ir.Inst, o op.Op, args ...ir.Value) bool {
	for _, a := range args {
		if a == 0 {
			return false
		}
	}
	f := s.f
	f.SetOp(i, o)
	f.SetAux(i, 0)
	f.SetArgs(i, args...)
	return true
}

// def returns the instruction that defines v if it is this operation, or 0.
func (s *simplifier) def(v ir.Value, o op.Op) ir.Inst {
	if d, ok := s.f.Def(v); ok && s.f.Op(d) == o {
		return d
	}
	return 0
}

func (s *simplifier) kind(v ir.Value) scalar.Kind { return s.f.Module.ScalarOf(s.f.TypeOf(v)) }

// The classes of the rules file.

func (s *simplifier) isInt(v ir.Value) bool { return s.kind(v).IsInteger() }
func (s *simplifier) isUnsigned(v ir.Value) bool {
	return s.kind(v).IsInteger() && !s.kind(v).IsSigned()
}
func (s *simplifier) isSigned(v ir.Value) bool { return s.kind(v).IsInteger() && s.kind(v).IsSigned() }
func (s *simplifier) isFloat(v ir.Value) bool  { return s.kind(v).IsFloat() }
func (s *simplifier) isBool(v ir.Value) bool   { return s.kind(v) == scalar.Bool }
func (s *simplifier) isBits(v ir.Value) bool   { return s.isBool(v) || s.isInt(v) }
func (s *simplifier) isNumber(v ir.Value) bool { return s.kind(v).IsNumeric() }
func (s *simplifier) isU32(v ir.Value) bool    { return s.kind(v) == scalar.U32 }

// relaxed reports whether the sign of zero may be ignored of an instruction's result: WGSL permits
// it, which has no 64-bit floats, and Go does not.
func (s *simplifier) relaxed(i ir.Inst) bool {
	return s.c.Math == MathFast || s.c.Math != MathStrict && s.kind(s.f.Result(i)) != scalar.F64
}

// fast reports whether an instruction may be approximated.
func (s *simplifier) fast(i ir.Inst) bool {
	return s.c.Math == MathFast || s.f.Flags(i)&ir.Fast != 0
}

var minusZero = math.Copysign(0, -1)

// numberBits returns the storage of a number of the rules file in a kind.
func numberBits(k scalar.Kind, x float64) uint64 {
	if k.IsFloat() {
		return scalar.FromFloat64(k, x)
	}
	return scalar.FromInt64(k, int64(x))
}

// is reports whether v is the constant x, or a vector all of whose components are.
func (s *simplifier) is(v ir.Value, x float64) bool {
	if !v.IsConst() {
		return false
	}
	bits, ok := s.f.Module.ConstSplatBits(v)
	k := s.kind(v)
	if x == 0 && math.Signbit(x) && !k.IsFloat() {
		return false
	}
	return ok && bits == numberBits(k, x)
}

// number returns the constant of a type, or vector of equal components.
func (s *simplifier) number(t ir.Type, x float64) ir.Value {
	if t == ir.Void {
		return 0
	}
	return s.f.Module.ConstSplat(t, numberBits(s.f.Module.ScalarOf(t), x))
}

// operandType returns the type that operand n of an operation on type t has.
func (s *simplifier) operandType(o op.Op, n int, t ir.Type) ir.Type {
	signature := op.SignatureOf(o)
	if signature.Special != "" { // select
		return t
	}
	return s.f.Module.PatternType(signature.Operands[n], t)
}

// fold evaluates an operation on constants, or returns 0.
func (s *simplifier) fold(o op.Op, args ...ir.Value) ir.Value {
	t, err := s.f.InferType(o, args)
	if err != nil {
		return 0
	}
	v, _ := s.f.Module.Fold(o, t, 0, args)
	return v
}

// log2 returns the exponent of a power of two, as an amount to shift a value of
// the constant's type by.
func (s *simplifier) log2(c ir.Value) ir.Value {
	m := s.f.Module
	x, ok := m.ConstSplatBits(c)
	if !ok || bits.OnesCount64(x) != 1 {
		return 0
	}
	return m.ConstSplat(m.WithScalar(m.TypeOf(c), scalar.U32), uint64(bits.TrailingZeros64(x)))
}

// reciprocal returns 1/c.
func (s *simplifier) reciprocal(c ir.Value) ir.Value {
	return s.fold(op.Div, s.number(s.f.TypeOf(c), 1), c)
}

// The conditions of the rules file.

func (s *simplifier) powerOfTwo(c ir.Value) bool {
	x, ok := s.f.Module.ConstSplatBits(c)
	return ok && bits.OnesCount64(x) == 1
}

// shiftSum reports whether two shifts of x by constants are one: the amounts
// together are less than the width.
func (s *simplifier) shiftSum(x, c, d ir.Value) bool {
	a, first := s.f.Module.ConstSplatBits(c)
	b, second := s.f.Module.ConstSplatBits(d)
	return first && second && a+b < uint64(s.kind(x).Bits())
}

// exactReciprocal reports whether dividing by c is multiplying by 1/c: c is a
// power of two whose reciprocal is neither subnormal nor infinite.
func (s *simplifier) exactReciprocal(c ir.Value) bool {
	x, ok := s.f.Module.ConstSplatBits(c)
	if !ok {
		return false
	}
	y := scalar.ToFloat64(s.kind(c), x)
	fraction, _ := math.Frexp(y)
	return math.Abs(fraction) == 0.5 && s.finiteReciprocal(c)
}

// finiteReciprocal reports whether 1/c is a normal number.
func (s *simplifier) finiteReciprocal(c ir.Value) bool {
	bits, ok := s.f.Module.ConstSplatBits(c)
	if !ok {
		return false
	}
	lowest, highest := 0x1p-126, 0x1p126
	if s.kind(c) == scalar.F16 {
		lowest, highest = 0x1p-14, 0x1p14
	}
	x := math.Abs(scalar.ToFloat64(s.kind(c), bits))
	return x >= lowest && x <= highest
}

// sameType reports whether two values have one type.
func (s *simplifier) sameType(a, b ir.Value) bool { return s.f.TypeOf(a) == s.f.TypeOf(b) }

// asResult reports whether v has the type of the instruction's result.
func (s *simplifier) asResult(i ir.Inst, v ir.Value) bool { return s.f.TypeOf(v) == s.f.Type(i) }

func (s *simplifier) scalar(v ir.Value) bool { return s.f.Module.IsScalar(s.f.TypeOf(v)) }
