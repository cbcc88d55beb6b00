package opt

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file applies rewrite rules. simplify.rules has them as text, simplify_gen.go as tables.

// rule is a rewrite rule with one order of its operands. It matches no instruction whose first two
// operands are defined otherwise than by first and second.
type rule struct {
	name          string
	first, second op.Op
	mode          mode
	operands      []node // the patterns
	result        node
	guards        []guard
}

// What a rule requires of an operand, beside operations.
const (
	anything = op.Invalid
	constant = op.Count
)

// mode is the floating-point mode that a rule needs.
type mode uint8

const (
	exact mode = iota
	relaxed
	fast
)

type nodeKind uint8

const (
	variable         nodeKind = iota // the n-th
	constantVariable                 // the n-th, which only a constant matches
	number                           // value
	minusZero                        // the number -0
	operation                        // op of args
	fold                             // op of args, evaluated
	log2                             // of a constant
	reciprocal                       // of a constant
)

// node is a part of a pattern or of a result.
type node struct {
	kind  nodeKind
	op    op.Op
	n     uint8  // of an operation, the variable by whose type those of numbers are found
	kinds uint32 // the scalar kinds that a variable may have, 0 for all
	value float64
	args  []node
}

func (n *node) number() float64 {
	if n.kind == minusZero {
		return math.Copysign(0, -1)
	}
	return n.value
}

// guard is a condition on variables.
type guard struct {
	holds     func(s *simplifier, v [3]ir.Value) bool
	variables [3]uint8
}

// rules applies the first rule that matches an instruction.
func (s *simplifier) rules(i ir.Inst, rules []rule, args []ir.Value) bool {
	if len(rules) == 0 {
		return false
	}
	first, second := s.definedBy(args, 0), s.definedBy(args, 1)
	for n := range rules {
		r := &rules[n]
		if r.first != anything && r.first != first || r.second != anything && r.second != second {
			continue
		}
		if s.apply(r, i) {
			if s.fired != nil {
				s.fired(r.name)
			}
			return true
		}
	}
	return false
}

// definedBy returns what defines an operand, as rules require it.
func (s *simplifier) definedBy(args []ir.Value, n int) op.Op {
	switch {
	case n >= len(args):
		return anything
	case args[n].IsConst():
		return constant
	}
	return s.f.DefOp(args[n])
}

// bindings are the values of a rule's variables.
type bindings [4]ir.Value

// apply rewrites an instruction that a rule matches, and reports whether it does.
func (s *simplifier) apply(r *rule, i ir.Inst) bool {
	if r.mode == fast && !s.fast(i) || r.mode == relaxed && !s.relaxed(i) {
		return false
	}
	var v bindings
	if !s.match(r.operands, i, &v) {
		return false
	}
	s.inst = i
	for _, g := range r.guards {
		if !g.holds(s, [3]ir.Value{v[g.variables[0]], v[g.variables[1]], v[g.variables[2]]}) {
			return false
		}
	}
	if n := &r.result; n.kind == operation && !s.fresh {
		var args [4]ir.Value
		return s.build(n, &v, &args) && s.rewrite(i, n.op, args[:len(n.args)]...)
	}
	return s.replace(i, s.value(&r.result, &v, s.f.Type(i)))
}

// match matches the operands of an instruction.
func (s *simplifier) match(patterns []node, i ir.Inst, bound *bindings) bool {
	for k := range patterns {
		n, v := &patterns[k], s.f.Arg(i, k)
		switch n.kind {
		case number, minusZero:
			if !s.is(v, n.number()) {
				return false
			}
		case operation:
			if d := s.def(v, n.op); d == 0 || !s.match(n.args, d, bound) {
				return false
			}
		default:
			if b := &bound[n.n]; *b != ir.NoValue {
				if *b != v {
					return false
				}
			} else if *b = v; n.kinds != 0 && n.kinds>>s.kind(v)&1 == 0 || n.kind == constantVariable && !v.IsConst() {
				return false
			}
		}
	}
	return true
}

// value returns what a part of a result is, a number of type t, or 0 if it cannot be computed.
func (s *simplifier) value(n *node, v *bindings, t ir.Type) ir.Value {
	switch n.kind {
	case variable, constantVariable:
		return v[n.n]
	case number, minusZero:
		return s.number(t, n.number())
	}
	var args [4]ir.Value
	if !s.build(n, v, &args) {
		return ir.NoValue
	}
	switch n.kind {
	case log2:
		return s.log2(args[0])
	case reciprocal:
		return s.reciprocal(args[0])
	case fold:
		return s.fold(n.op, args[:len(n.args)]...)
	}
	b := ir.Builder{F: s.f}
	b.At(s.inst)
	return b.Op(n.op, args[:len(n.args)]...)
}

// build sets args to the operands of a part of a result, and reports whether they can be computed.
func (s *simplifier) build(n *node, v *bindings, args *[4]ir.Value) bool {
	for k := range n.args {
		t := ir.Void
		if kind := n.args[k].kind; kind == number || kind == minusZero {
			t = s.operandType(n.op, k, s.f.TypeOf(v[n.n]))
		}
		if args[k] = s.value(&n.args[k], v, t); args[k] == ir.NoValue {
			return false
		}
	}
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

// relaxed reports whether the sign of zero may be ignored of an instruction's result: WGSL permits
// it, which has no 64-bit floats, and Go does not.
func (s *simplifier) relaxed(i ir.Inst) bool {
	return s.c.Math == MathFast || s.c.Math != MathStrict && s.kind(s.f.Result(i)) != scalar.F64
}

// fast reports whether an instruction may be approximated.
func (s *simplifier) fast(i ir.Inst) bool {
	return s.c.Math == MathFast || s.f.Flags(i)&ir.Fast != 0
}

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

// The guards of the rules file, on variables v.

func (s *simplifier) powerOfTwo(v [3]ir.Value) bool {
	x, ok := s.f.Module.ConstSplatBits(v[0])
	return ok && bits.OnesCount64(x) == 1
}

// shiftSum reports whether two shifts of v[0] by constants are one: the amounts together are less
// than the width.
func (s *simplifier) shiftSum(v [3]ir.Value) bool {
	a, first := s.f.Module.ConstSplatBits(v[1])
	b, second := s.f.Module.ConstSplatBits(v[2])
	return first && second && a+b < uint64(s.kind(v[0]).Bits())
}

// exactReciprocal reports whether dividing by v[0] is multiplying by its reciprocal: it is a power
// of two whose reciprocal is neither subnormal nor infinite.
func (s *simplifier) exactReciprocal(v [3]ir.Value) bool {
	x, ok := s.f.Module.ConstSplatBits(v[0])
	if !ok {
		return false
	}
	fraction, _ := math.Frexp(scalar.ToFloat64(s.kind(v[0]), x))
	return math.Abs(fraction) == 0.5 && s.finiteReciprocal(v)
}

// finiteReciprocal reports whether 1/v[0] is a normal number.
func (s *simplifier) finiteReciprocal(v [3]ir.Value) bool {
	bits, ok := s.f.Module.ConstSplatBits(v[0])
	if !ok {
		return false
	}
	lowest, highest := 0x1p-126, 0x1p126
	if s.kind(v[0]) == scalar.F16 {
		lowest, highest = 0x1p-14, 0x1p14
	}
	x := math.Abs(scalar.ToFloat64(s.kind(v[0]), bits))
	return x >= lowest && x <= highest
}

func (s *simplifier) sameType(v [3]ir.Value) bool { return s.f.TypeOf(v[0]) == s.f.TypeOf(v[1]) }

// asResult reports whether v[0] has the type of the instruction's result.
func (s *simplifier) asResult(v [3]ir.Value) bool { return s.f.TypeOf(v[0]) == s.f.Type(s.inst) }

func (s *simplifier) scalar(v [3]ir.Value) bool { return s.f.Module.IsScalar(s.f.TypeOf(v[0])) }

// scalars returns the values of two scalar constants.
func (s *simplifier) scalars(v [3]ir.Value) (c, d uint64, ok bool) {
	c, first := s.f.Module.ConstUint(v[0])
	d, second := s.f.Module.ConstUint(v[1])
	return c, d, first && second
}

// lowMask reports whether v[1] is a mask of lowest bits, of which v[0] has none.
func (s *simplifier) lowMask(v [3]ir.Value) bool {
	c, mask, ok := s.scalars(v)
	return ok && mask != 0 && mask&(mask+1) == 0 && c&mask == 0
}

// multiple reports whether v[0] is a multiple of v[1].
func (s *simplifier) multiple(v [3]ir.Value) bool {
	c, d, ok := s.scalars(v)
	return ok && d != 0 && c%d == 0
}

// multipleOfPower reports whether v[0] is a multiple of 2 to the power of v[1].
func (s *simplifier) multipleOfPower(v [3]ir.Value) bool {
	c, n, ok := s.scalars(v)
	return ok && n < 32 && c&(1<<n-1) == 0
}

// noWrap reports whether the sum that is the first operand does not wrap.
func (s *simplifier) noWrap([3]ir.Value) bool {
	if !s.analysed {
		s.ranges.Arithmetic = true
		s.ranges.Analyse(s.f)
		s.analysed = true
	}
	sum, _ := s.f.Def(s.f.Arg(s.inst, 0))
	return s.ranges.Proves(sum, 1)
}
