package eval

import (
	"math"
	"strings"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// WGSL's grading of const- and override-expressions. What a running shader computes silently, such
// as 1/0 or 1 << 40, is an error when the operands are known before it runs. It is a
// shader-creation error in a const-expression, and a pipeline-creation error in an
// override-expression.
//
// Concrete integers wrap in + - × and negation even there (WGSL §6.2.3); only
// abstract integers overflow. Abs and negation of the lowest integer, abstract
// too, are itself (§8.7, §17.5).
//
// The front end checks what does not belong to one scalar operation. That is short-circuiting,
// index ranges, the edges of smoothstep (equal is an error), the zero vector of normalize, and
// operands that subgroup and texture functions restrict. With CheckFinite it checks literals and
// the result of bitcast. Functions that it expands (mix, cross, length, …) are checked step by
// step.

// Problem says why WGSL rejects a const- or override-expression.
type Problem uint8

// The problems.
const (
	OK Problem = iota
	// the exact result is beyond the kind, or a shift discards significant bits
	Overflow
	DivideByZero     // division or remainder by zero
	OutOfDomain      // a mathematical function is not defined there, or infinite
	ShiftTooLarge    // the amount is not below the width
	NotFinite        // the value is an infinity or a NaN
	OutOfRange       // a conversion cannot represent the value
	EmptyRange       // clamp(x, low, high) with low > high
	FieldTooWide     // a bit field reaches beyond the width
	ExponentTooLarge // ldexp's exponent exceeds the kind's bias + 1
	problems
)

var problemTexts = [problems]struct {
	text string
	kind bool   // the kind's name follows
	hint string // why it is an error, or what to write
}{
	OK:               {text: "is valid"},
	Overflow:         {text: "overflows ", kind: true},
	DivideByZero:     {text: "divides by zero", hint: constantHint},
	OutOfDomain:      {text: "has an operand outside the function's domain", hint: constantHint},
	ShiftTooLarge:    {text: "shifts by at least the width of ", kind: true, hint: "the shift amount has to be at least 0 and less than the number of bits of the shifted value"},
	NotFinite:        {text: "is not a finite value of ", kind: true, hint: constantHint},
	OutOfRange:       {text: "is out of range of ", kind: true},
	EmptyRange:       {text: "has a low bound above its high bound", hint: "the low bound is the second argument, the high one the third"},
	FieldTooWide:     {text: "has a bit field that reaches beyond the width of ", kind: true},
	ExponentTooLarge: {text: "has an exponent too large for ", kind: true},
}

// constantHint is why constants are judged more strictly than what kernels compute.
const constantHint = "constants are evaluated at compile time, and have to be finite"

// Explain returns why a predicate of For is about an error or what to write instead, or "".
// Predicates are what travels, through whoever evaluates.
func Explain(predicate string) string {
	for p := Overflow; p < problems; p++ {
		if strings.HasPrefix(predicate, problemTexts[p].text) {
			return problemTexts[p].hint
		}
	}
	return ""
}

// String returns the problem as the predicate of a sentence.
func (p Problem) String() string { return p.describe("its type") }

// For returns the problem as the predicate of a sentence about kind k, such as
// "overflows i32" or "divides by zero". For Convert, k is the destination.
func (p Problem) For(k scalar.Kind) string { return p.describe(k.String()) }

func (p Problem) describe(kind string) string {
	text := problemTexts[p].text
	if problemTexts[p].kind {
		return text + kind
	}
	return text
}

// Known is the set of operands whose values are known.
type Known uint8

// The operands a, b, c and d.
const (
	KnownA Known = 1 << iota
	KnownB
	KnownC
	KnownD
	AllKnown = KnownA | KnownB | KnownC | KnownD
)

// operandRules are the rules that WGSL applies as soon as the operands that they need are known,
// whatever the others are. x << 33 is an error for a runtime x.
var operandRules = [op.Count]struct {
	needs Known
	check func(k scalar.Kind, a, b, c, d uint64) Problem
}{
	op.Div:         {KnownB, checkDivisor},
	op.Rem:         {KnownB, checkDivisor},
	op.Shl:         {KnownB, checkAmount},
	op.Shr:         {KnownB, checkAmount},
	op.Clamp:       {KnownB | KnownC, checkBounds},
	op.ExtractBits: {KnownB | KnownC, func(k scalar.Kind, _, offset, count, _ uint64) Problem { return checkField(k, offset, count) }},
	op.InsertBits:  {KnownC | KnownD, func(k scalar.Kind, _, _, offset, count uint64) Problem { return checkField(k, offset, count) }},
	op.Ldexp:       {KnownB, checkExponent},
}

// valueRules need all operands.
var valueRules = [op.Count]func(k scalar.Kind, a, b uint64) Problem{
	op.Add:         checkSum,
	op.Sub:         checkDifference,
	op.Mul:         checkProduct,
	op.Div:         checkQuotient,
	op.Rem:         checkQuotient,
	op.Shl:         checkShiftLeft,
	op.QuantizeF16: func(k scalar.Kind, a, _ uint64) Problem { return checkFloatRange(scalar.F16, scalar.ToFloat64(k, a)) },
	op.Sqrt:        func(k scalar.Kind, a, _ uint64) Problem { return checkDomain(scalar.ToFloat64(k, a) < 0) },
	op.InverseSqrt: func(k scalar.Kind, a, _ uint64) Problem { return checkDomain(scalar.ToFloat64(k, a) <= 0) },
	op.Log:         func(k scalar.Kind, a, _ uint64) Problem { return checkDomain(scalar.ToFloat64(k, a) <= 0) },
	op.Log2:        func(k scalar.Kind, a, _ uint64) Problem { return checkDomain(scalar.ToFloat64(k, a) <= 0) },
	op.Asin:        func(k scalar.Kind, a, _ uint64) Problem { return checkDomain(math.Abs(scalar.ToFloat64(k, a)) > 1) },
	op.Acos:        func(k scalar.Kind, a, _ uint64) Problem { return checkDomain(math.Abs(scalar.ToFloat64(k, a)) > 1) },
	op.Acosh:       func(k scalar.Kind, a, _ uint64) Problem { return checkDomain(scalar.ToFloat64(k, a) < 1) },
	op.Atanh:       func(k scalar.Kind, a, _ uint64) Problem { return checkDomain(math.Abs(scalar.ToFloat64(k, a)) >= 1) },
	// 0^0 is exp2(0·log2(0)), which is not a number.
	op.Pow: func(k scalar.Kind, a, b uint64) Problem {
		x, y := scalar.ToFloat64(k, a), scalar.ToFloat64(k, b)
		return checkDomain(x < 0 || x == 0 && y <= 0)
	},
}

// CheckKnown reports the first rule that the known operands break by
// themselves. The values of the others are ignored.
func CheckKnown(o op.Op, k scalar.Kind, known Known, a, b, c, d uint64) Problem {
	if r := &operandRules[o]; r.check != nil && known&r.needs == r.needs {
		return r.check(k, a, b, c, d)
	}
	return OK
}

// Check evaluates an operation that For knows with all operands known. If the
// problem is not OK, the bits are meaningless.
func Check(o op.Op, k scalar.Kind, a, b, c, d uint64) (uint64, Problem) {
	if p := CheckKnown(o, k, AllKnown, a, b, c, d); p != OK {
		return 0, p
	}
	signature := op.SignatureOf(o)
	if k.IsFloat() {
		operands := [4]uint64{a, b, c, d}
		for i := range signature.Count {
			if signature.Operands[i].Kind == scalar.None && !isFinite(k, operands[i]) {
				return 0, NotFinite
			}
		}
	}
	if rule := valueRules[o]; rule != nil {
		if p := rule(k, a, b); p != OK {
			return 0, p
		}
	}
	if k == scalar.AbstractInt && (o == op.Shl || o == op.Shr) {
		b = min(b, 63) // abstract shifts do not take the amount modulo the width (WGSL §8.9)
	}
	result := For(o, k)(a, b, c, d)
	if k.IsFloat() && signature.Result.Kind == scalar.None && !isFinite(k, result) {
		if signature.Special != "" {
			return 0, NotFinite // select passes an operand on
		}
		return 0, Overflow
	}
	return result, OK
}

// CheckConvert converts a value as a const-expression does: explicitly, as in i32(1.5), or because
// an abstract value gets a concrete type. An integer must be in range of the kind when it is
// abstract. A value that becomes a float must not exceed the finite range, even by less than half a
// unit (WGSL §15.7.6). Floats become integers by truncation and saturation, which is no error; that
// abstract floats never do so by themselves is for the front end's types to say.
func CheckConvert(to, from scalar.Kind, bits uint64) (uint64, Problem) {
	switch {
	case from.IsFloat():
		if !isFinite(from, bits) {
			return 0, NotFinite
		}
		if to.IsFloat() {
			if p := checkFloatRange(to, scalar.ToFloat64(from, bits)); p != OK {
				return 0, p
			}
		}
	case from.IsInteger() && to.IsFloat():
		if p := checkFloatRange(to, fromDouble(Convert(scalar.AbstractFloat, from)(bits))); p != OK {
			return 0, p
		}
	case from == scalar.AbstractInt && to.IsInteger():
		if x := int64(bits); to == scalar.U64 && x < 0 || to.Bits() == 32 && x != scalar.ToInt64(to, scalar.FromInt64(to, x)) {
			return 0, OutOfRange
		}
	}
	return Convert(to, from)(bits), OK
}

// CheckFinite reports NotFinite for an infinity or a NaN of a float kind.
func CheckFinite(k scalar.Kind, bits uint64) Problem {
	if k.IsFloat() && !isFinite(k, bits) {
		return NotFinite
	}
	return OK
}

// CheckDot is Dot with the problem of the first product or sum that has one.
func CheckDot(k scalar.Kind, a, b []uint64) (uint64, Problem) {
	sum, p := Check(op.Mul, k, a[0], b[0], 0, 0)
	for i := 1; i < len(a) && p == OK; i++ {
		var product uint64
		if product, p = Check(op.Mul, k, a[i], b[i], 0, 0); p == OK {
			sum, p = Check(op.Add, k, sum, product, 0, 0)
		}
	}
	return sum, p
}

// CheckPack is Pack, which fails when pack2x16float cannot represent a
// component or a component of a float vector is not finite.
func CheckPack(o op.Op, components []uint64) (uint64, Problem) {
	if op.SignatureOf(o).Operands[0].Kind == scalar.F32 {
		for _, c := range components {
			if !isFinite(scalar.F32, c) {
				return 0, NotFinite
			}
			if o == op.Pack2x16Float {
				if p := checkFloatRange(scalar.F16, float64(fromSingle(c))); p != OK {
					return 0, p
				}
			}
		}
	}
	return Pack(o, components), OK
}

// CheckUnpack is Unpack, which fails when unpack2x16float meets an infinity or
// a NaN.
func CheckUnpack(o op.Op, packed uint64, out []uint64) Problem {
	Unpack(o, packed, out)
	if o == op.Unpack2x16Float {
		for _, c := range out {
			if !isFinite(scalar.F32, c) {
				return NotFinite
			}
		}
	}
	return OK
}
