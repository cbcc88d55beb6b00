// Package primgen writes the primitives of package vector: Go functions that do one operation on
// whole columns.
//
//	table.go     the operations: what each does with one element
//	generate.go  the loops around them, and the table that finds them
package primgen

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// primitive is one operation on elements x, y and z, as package eval defines it.
type primitive struct {
	op       op.Op
	then     op.Op       // what is done to the result and the last operand, or none
	kind, to scalar.Kind // to is that of a conversion
	// in and out are the Go types as which operands and result are read and written. Columns of
	// words have uint32, int32 or float32, those of longs the types of 64 bits.
	in  []string
	out string
	// expression is the result in Go.
	expression string
}

// integers are the kinds that integer operations are defined on, with the Go types of each.
var integers = [...]struct {
	kind             scalar.Kind
	own, signed, raw string
	bits             string
}{
	{scalar.I32, "int32", "int32", "uint32", "32"},
	{scalar.U32, "uint32", "int32", "uint32", "32"},
	{scalar.I64, "int64", "int64", "uint64", "64"},
	{scalar.U64, "uint64", "int64", "uint64", "64"},
}

// integerOperations are expressions over values of the kind's own type, but for those marked raw,
// which are the same for both signs. Counts and bits come out in the same width.
var integerOperations = [...]struct {
	op         op.Op
	operands   int
	raw        bool
	compare    bool
	expression string
}{
	{op.Neg, 1, true, false, "-x"},
	{op.Add, 2, true, false, "x + y"},
	{op.Sub, 2, true, false, "x - y"},
	{op.Mul, 2, true, false, "x * y"},
	{op.MulHigh, 2, false, false, "productHighBITS(x, y)"},
	{op.Div, 2, false, false, "quotient(x, y)"},
	{op.Rem, 2, false, false, "remainder(x, y)"},
	{op.Abs, 1, false, false, "max(x, -x)"},
	{op.Min, 2, false, false, "min(x, y)"},
	{op.Max, 2, false, false, "max(x, y)"},
	{op.Clamp, 3, false, false, "min(max(x, y), z)"},
	{op.Not, 1, true, false, "^x"},
	{op.And, 2, true, false, "x & y"},
	{op.Or, 2, true, false, "x | y"},
	{op.Xor, 2, true, false, "x ^ y"},
	{op.Shl, 2, true, false, "x << (y & (BITS - 1))"},
	{op.Shr, 2, false, false, "x >> (y & (BITS - 1))"},
	{op.CountOneBits, 1, true, false, "RAW(bits.OnesCountBITS(x))"},
	{op.CountLeadingZeros, 1, true, false, "RAW(bits.LeadingZerosBITS(x))"},
	{op.CountTrailingZeros, 1, true, false, "RAW(bits.TrailingZerosBITS(x))"},
	{op.ReverseBits, 1, true, false, "bits.ReverseBITS(x)"},
	{op.Eq, 2, true, true, "truth(x == y)"},
	{op.Ne, 2, true, true, "truth(x != y)"},
	{op.Lt, 2, false, true, "truth(x < y)"},
	{op.Le, 2, false, true, "truth(x <= y)"},
	{op.Gt, 2, false, true, "truth(x > y)"},
	{op.Ge, 2, false, true, "truth(x >= y)"},
}

// floatOperations are expressions over float32 or float64, which are spelled FLOAT. What may be NaN
// goes through number, which makes it the one that package eval gives. A product is rounded by a
// conversion, since Go may fuse it with a sum otherwise.
var floatOperations = [...]struct {
	op         op.Op
	operands   int
	compare    bool
	expression string
}{
	{op.Add, 2, false, "number(x + y)"},
	{op.Sub, 2, false, "number(x - y)"},
	{op.Mul, 2, false, "number(FLOAT(x * y))"},
	{op.Div, 2, false, "number(x / y)"},
	{op.Rem, 2, false, "number(FLOAT(math.Mod(float64(x), float64(y))))"},
	{op.Min, 2, false, "minimum(x, y)"},
	{op.Max, 2, false, "maximum(x, y)"},
	{op.Clamp, 3, false, "minimum(maximum(x, y), z)"},
	{op.Sign, 1, false, "sign(x)"},
	{op.Floor, 1, false, "number(FLOAT(math.Floor(float64(x))))"},
	{op.Ceil, 1, false, "number(FLOAT(math.Ceil(float64(x))))"},
	{op.Trunc, 1, false, "number(FLOAT(math.Trunc(float64(x))))"},
	{op.Round, 1, false, "number(FLOAT(math.RoundToEven(float64(x))))"},
	{op.Fract, 1, false, "number(FLOAT(float64(x) - math.Floor(float64(x))))"},
	{op.Sqrt, 1, false, "number(FLOAT(math.Sqrt(float64(x))))"},
	{op.InverseSqrt, 1, false, "number(FLOAT(1 / math.Sqrt(float64(x))))"},
	{op.Eq, 2, true, "truth(x == y)"},
	{op.Ne, 2, true, "truth(x != y)"},
	{op.Lt, 2, true, "truth(x < y)"},
	{op.Le, 2, true, "truth(x <= y)"},
	{op.Gt, 2, true, "truth(x > y)"},
	{op.Ge, 2, true, "truth(x >= y)"},
}

// singles are what is left: signs as bits, bools, choices, conversions. Masks and words without a
// sign are uint32.
var singles = [...]primitive{
	{op.Neg, 0, scalar.F32, 0, []string{"uint32"}, "uint32", "x ^ 1<<31"},
	{op.Abs, 0, scalar.F32, 0, []string{"uint32"}, "uint32", "x &^ (1 << 31)"},
	{op.Neg, 0, scalar.F64, 0, []string{"uint64"}, "uint64", "x ^ 1<<63"},
	{op.Abs, 0, scalar.F64, 0, []string{"uint64"}, "uint64", "x &^ (1 << 63)"},
	{op.Neg, 0, scalar.F16, 0, []string{"uint32"}, "uint32", "x ^ 1<<15"},
	{op.Abs, 0, scalar.F16, 0, []string{"uint32"}, "uint32", "x &^ (1 << 15)"},
	{op.Fma, 0, scalar.F32, 0, []string{"float32", "float32", "float32"}, "float32", "multiplyAdd(x, y, z)"},
	{op.Fma, 0, scalar.F64, 0, []string{"float64", "float64", "float64"}, "float64", "number(math.FMA(x, y, z))"},

	{op.Mul, op.Add, scalar.F32, 0, []string{"float32", "float32", "float32"}, "float32", "number(float32(x*y) + z)"},

	{op.Not, 0, scalar.Bool, 0, []string{"uint32"}, "uint32", "^x"},
	{op.And, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x & y"},
	{op.Or, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x | y"},
	{op.Xor, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x ^ y"},
	{op.Eq, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "^(x ^ y)"},
	{op.Ne, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x ^ y"},
	{op.Select, 0, scalar.U32, 0, []string{"uint32", "uint32", "uint32"}, "uint32", "x&y | z&^x"},
	{op.Select, 0, scalar.U64, 0, []string{"int32", "uint64", "uint64"}, "uint64", "uint64(int64(x))&y | z&^uint64(int64(x))"},

	{op.Convert, 0, scalar.Bool, scalar.U32, []string{"uint32"}, "uint32", "x & 1"},
	{op.Convert, 0, scalar.Bool, scalar.F32, []string{"uint32"}, "float32", "float32(x & 1)"},
	{op.Convert, 0, scalar.Bool, scalar.U64, []string{"uint32"}, "uint64", "uint64(x & 1)"},
	{op.Convert, 0, scalar.U32, scalar.Bool, []string{"uint32"}, "uint32", "truth(x != 0)"},
	{op.Convert, 0, scalar.F32, scalar.Bool, []string{"float32"}, "uint32", "truth(x != 0)"},
	{op.Convert, 0, scalar.U64, scalar.Bool, []string{"uint64"}, "uint32", "truth(x != 0)"},
	{op.Convert, 0, scalar.I32, scalar.F32, []string{"int32"}, "float32", "float32(x)"},
	{op.Convert, 0, scalar.U32, scalar.F32, []string{"uint32"}, "float32", "float32(x)"},
	{op.Convert, 0, scalar.I32, scalar.F64, []string{"int32"}, "float64", "float64(x)"},
	{op.Convert, 0, scalar.U32, scalar.F64, []string{"uint32"}, "float64", "float64(x)"},
	{op.Convert, 0, scalar.F32, scalar.I32, []string{"float32"}, "int32", "toSigned(x)"},
	{op.Convert, 0, scalar.F32, scalar.U32, []string{"float32"}, "uint32", "toUnsigned(x)"},
	{op.Convert, 0, scalar.F32, scalar.F64, []string{"float32"}, "float64", "number(float64(x))"},
	{op.Convert, 0, scalar.F64, scalar.F32, []string{"float64"}, "float32", "number(float32(x))"},
	{op.Convert, 0, scalar.I32, scalar.U64, []string{"int32"}, "uint64", "uint64(x)"},
	{op.Convert, 0, scalar.U32, scalar.U64, []string{"uint32"}, "uint64", "uint64(x)"},
	{op.Convert, 0, scalar.U64, scalar.U32, []string{"uint64"}, "uint32", "uint32(x)"},
	{op.Convert, 0, scalar.F16, scalar.F32, []string{"uint32"}, "float32", "fromHalf(x)"},
	{op.Convert, 0, scalar.F32, scalar.F16, []string{"float32"}, "uint32", "toHalf(x)"},
}

// all returns the primitives.
func all() (list []primitive) {
	for _, o := range integerOperations {
		for _, k := range integers {
			if o.op == op.Abs && k.own != k.signed || o.op == op.Neg && k.own != k.signed {
				continue // there is nothing to do, or nothing like it
			}
			t := k.own
			if o.raw {
				t = k.raw
			}
			p := primitive{op: o.op, kind: k.kind, out: t}
			for range o.operands {
				p.in = append(p.in, t)
			}
			if o.op == op.Shr || o.op == op.Shl {
				p.in[1] = "uint32"
			}
			if o.compare {
				p.out = "uint32"
			}
			p.expression = strings.NewReplacer("BITS", k.bits, "RAW", k.raw).Replace(o.expression)
			list = append(list, p)
		}
	}
	for _, o := range floatOperations {
		for _, k := range [...]struct {
			kind scalar.Kind
			name string
		}{{scalar.F32, "float32"}, {scalar.F64, "float64"}} {
			p := primitive{op: o.op, kind: k.kind, out: k.name, expression: strings.ReplaceAll(o.expression, "FLOAT", k.name)}
			for range o.operands {
				p.in = append(p.in, k.name)
			}
			if o.compare {
				p.out = "uint32"
			}
			list = append(list, p)
		}
	}
	list = append(list, singles[:]...)
	return slices.DeleteFunc(list, func(p primitive) bool { return p.op != op.Convert && eval.For(p.op, p.kind) == nil })
}
