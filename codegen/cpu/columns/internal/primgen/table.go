// Package primgen writes the primitives of package columns: Go functions that do one operation
// on whole columns, and the same in assembly for processors with AVX2.
//
//	table.go     the operations: what each does with one element
//	generate.go  the loops around them in Go, and the table that finds them
//	assembly.go  the loops in assembly
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
	kind, to scalar.Kind // to is that of a conversion
	// in and out are the Go types as which operands and result are read and written. Columns of
	// words have uint32, int32 or float32, those of longs the types of 64 bits.
	in  []string
	out string
	// expression is the result in Go.
	expression string
	// vector is the result in assembly: what makes register Y0 of Y0, Y1 and Y2. Empty, there is none.
	vector string
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

// integerOperations are expressions over values of the kind's own type, but for those marked raw, which
// do not ask for the sign. Counts and bits come out in the same width.
var integerOperations = [...]struct {
	op         op.Op
	operands   int
	raw        bool
	compare    bool
	expression string
	i32, u32   string // vector
}{
	{op.Neg, 1, true, false, "-x", "VPXOR Y3, Y3, Y3; VPSUBD Y0, Y3, Y0", "VPXOR Y3, Y3, Y3; VPSUBD Y0, Y3, Y0"},
	{op.Add, 2, true, false, "x + y", "VPADDD Y1, Y0, Y0", "VPADDD Y1, Y0, Y0"},
	{op.Sub, 2, true, false, "x - y", "VPSUBD Y1, Y0, Y0", "VPSUBD Y1, Y0, Y0"},
	{op.Mul, 2, true, false, "x * y", "VPMULLD Y1, Y0, Y0", "VPMULLD Y1, Y0, Y0"},
	{op.Div, 2, false, false, "quotient(x, y)", "", ""},
	{op.Rem, 2, false, false, "remainder(x, y)", "", ""},
	{op.Abs, 1, false, false, "max(x, -x)", "VPABSD Y0, Y0", ""},
	{op.Min, 2, false, false, "min(x, y)", "VPMINSD Y1, Y0, Y0", "VPMINUD Y1, Y0, Y0"},
	{op.Max, 2, false, false, "max(x, y)", "VPMAXSD Y1, Y0, Y0", "VPMAXUD Y1, Y0, Y0"},
	{op.Clamp, 3, false, false, "min(max(x, y), z)", "VPMAXSD Y1, Y0, Y0; VPMINSD Y2, Y0, Y0", "VPMAXUD Y1, Y0, Y0; VPMINUD Y2, Y0, Y0"},
	{op.Not, 1, true, false, "^x", "VPXOR ones, Y0, Y0", "VPXOR ones, Y0, Y0"},
	{op.And, 2, true, false, "x & y", "VPAND Y1, Y0, Y0", "VPAND Y1, Y0, Y0"},
	{op.Or, 2, true, false, "x | y", "VPOR Y1, Y0, Y0", "VPOR Y1, Y0, Y0"},
	{op.Xor, 2, true, false, "x ^ y", "VPXOR Y1, Y0, Y0", "VPXOR Y1, Y0, Y0"},
	{op.Shl, 2, true, false, "x << (y & (BITS - 1))", "VPAND thirtyone, Y1, Y1; VPSLLVD Y1, Y0, Y0", "VPAND thirtyone, Y1, Y1; VPSLLVD Y1, Y0, Y0"},
	{op.Shr, 2, false, false, "x >> (y & (BITS - 1))", "VPAND thirtyone, Y1, Y1; VPSRAVD Y1, Y0, Y0", "VPAND thirtyone, Y1, Y1; VPSRLVD Y1, Y0, Y0"},
	{op.CountOneBits, 1, true, false, "RAW(bits.OnesCountBITS(x))", "", ""},
	{op.CountLeadingZeros, 1, true, false, "RAW(bits.LeadingZerosBITS(x))", "", ""},
	{op.CountTrailingZeros, 1, true, false, "RAW(bits.TrailingZerosBITS(x))", "", ""},
	{op.ReverseBits, 1, true, false, "bits.ReverseBITS(x)", "", ""},
	{op.Eq, 2, true, true, "truth(x == y)", "VPCMPEQD Y1, Y0, Y0", "VPCMPEQD Y1, Y0, Y0"},
	{op.Ne, 2, true, true, "truth(x != y)", "VPCMPEQD Y1, Y0, Y0; VPXOR ones, Y0, Y0", "VPCMPEQD Y1, Y0, Y0; VPXOR ones, Y0, Y0"},
	{op.Lt, 2, false, true, "truth(x < y)", "VPCMPGTD Y0, Y1, Y0", "VPMAXUD Y1, Y0, Y3; VPCMPEQD Y3, Y0, Y0; VPXOR ones, Y0, Y0"},
	{op.Le, 2, false, true, "truth(x <= y)", "VPCMPGTD Y1, Y0, Y0; VPXOR ones, Y0, Y0", "VPMINUD Y1, Y0, Y3; VPCMPEQD Y3, Y0, Y0"},
	{op.Gt, 2, false, true, "truth(x > y)", "VPCMPGTD Y1, Y0, Y0", "VPMINUD Y1, Y0, Y3; VPCMPEQD Y3, Y0, Y0; VPXOR ones, Y0, Y0"},
	{op.Ge, 2, false, true, "truth(x >= y)", "VPCMPGTD Y0, Y1, Y0; VPXOR ones, Y0, Y0", "VPMAXUD Y1, Y0, Y3; VPCMPEQD Y3, Y0, Y0"},
}

// canonical makes the NaN that package eval gives of whatever NaN is in Y0.
const canonical = "; VCMPPS $3, Y0, Y0, Y3; VBLENDVPS Y3, nan, Y0, Y0"

// lesser and greater leave what the general rule of min and max needs in Y0: of zeros that with the right sign, of a number
// and a NaN the number. Y3 and Y4 are what the instruction gives in either order, which is the second operand where it
// compares nothing.
const (
	lesser   = "VMINPS Y1, Y0, Y3; VMINPS Y0, Y1, Y4; VORPS Y4, Y3, Y3" + preferNumber
	greatest = "VMAXPS Y1, Y0, Y3; VMAXPS Y0, Y1, Y4; VANDPS Y4, Y3, Y3" + preferNumber

	preferNumber = "; VCMPPS $3, Y0, Y0, Y4; VCMPPS $3, Y1, Y1, Y5; VBLENDVPS Y5, Y0, Y3, Y3; VBLENDVPS Y4, Y1, Y3, Y0" + canonical
)

// floatOperations are expressions over float32 or float64, marked FLOAT, whose NaN is made canonical by number. The
// constants of single come with their width in name.
var floatOperations = [...]struct {
	op         op.Op
	operands   int
	compare    bool
	expression string
	vector     string
}{
	{op.Add, 2, false, "number(x + y)", "VADDPS Y1, Y0, Y0" + canonical},
	{op.Sub, 2, false, "number(x - y)", "VSUBPS Y1, Y0, Y0" + canonical},
	{op.Mul, 2, false, "number(FLOAT(x * y))", "VMULPS Y1, Y0, Y0" + canonical},
	{op.Div, 2, false, "number(x / y)", "VDIVPS Y1, Y0, Y0" + canonical},
	{op.Min, 2, false, "minimum(x, y)", lesser},
	{op.Max, 2, false, "maximum(x, y)", greatest},
	{op.Clamp, 3, false, "minimum(maximum(x, y), z)", greatest + "; VMOVAPS Y2, Y1; " + lesser},
	{op.Sign, 1, false, "sign(x)", ""},
	{op.Floor, 1, false, "number(FLOAT(math.Floor(float64(x))))", "VROUNDPS $9, Y0, Y0" + canonical},
	{op.Ceil, 1, false, "number(FLOAT(math.Ceil(float64(x))))", "VROUNDPS $10, Y0, Y0" + canonical},
	{op.Trunc, 1, false, "number(FLOAT(math.Trunc(float64(x))))", "VROUNDPS $11, Y0, Y0" + canonical},
	{op.Round, 1, false, "number(FLOAT(math.RoundToEven(float64(x))))", "VROUNDPS $8, Y0, Y0" + canonical},
	{op.Fract, 1, false, "number(FLOAT(float64(x) - math.Floor(float64(x))))", "VROUNDPS $9, Y0, Y3; VSUBPS Y3, Y0, Y0" + canonical},
	{op.Sqrt, 1, false, "number(FLOAT(math.Sqrt(float64(x))))", "VSQRTPS Y0, Y0" + canonical},
	{op.InverseSqrt, 1, false, "number(FLOAT(1 / math.Sqrt(float64(x))))", ""},
	{op.Eq, 2, true, "truth(x == y)", "VCMPPS $0, Y1, Y0, Y0"},
	{op.Ne, 2, true, "truth(x != y)", "VCMPPS $4, Y1, Y0, Y0"},
	{op.Lt, 2, true, "truth(x < y)", "VCMPPS $17, Y1, Y0, Y0"},
	{op.Le, 2, true, "truth(x <= y)", "VCMPPS $18, Y1, Y0, Y0"},
	{op.Gt, 2, true, "truth(x > y)", "VCMPPS $30, Y1, Y0, Y0"},
	{op.Ge, 2, true, "truth(x >= y)", "VCMPPS $29, Y1, Y0, Y0"},
}

// singles are what is left: signs as bits, bools, choices, conversions. Masks and words without a sign are uint32.
var singles = [...]primitive{
	{op.Neg, scalar.F32, 0, []string{"uint32"}, "uint32", "x ^ 1<<31", "VPXOR sign, Y0, Y0"},
	{op.Abs, scalar.F32, 0, []string{"uint32"}, "uint32", "x &^ (1 << 31)", "VPANDN Y0, sign, Y0"},
	{op.Neg, scalar.F64, 0, []string{"uint64"}, "uint64", "x ^ 1<<63", ""},
	{op.Abs, scalar.F64, 0, []string{"uint64"}, "uint64", "x &^ (1 << 63)", ""},
	{op.Neg, scalar.F16, 0, []string{"uint32"}, "uint32", "x ^ 1<<15", ""},
	{op.Abs, scalar.F16, 0, []string{"uint32"}, "uint32", "x &^ (1 << 15)", ""},
	{op.Fma, scalar.F32, 0, []string{"float32", "float32", "float32"}, "float32", "multiplyAdd(x, y, z)", "VFMADD213PS Y2, Y1, Y0" + canonical},
	{op.Fma, scalar.F64, 0, []string{"float64", "float64", "float64"}, "float64", "number(math.FMA(x, y, z))", ""},

	{op.Not, scalar.Bool, 0, []string{"uint32"}, "uint32", "^x", "VPXOR ones, Y0, Y0"},
	{op.And, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x & y", "VPAND Y1, Y0, Y0"},
	{op.Or, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x | y", "VPOR Y1, Y0, Y0"},
	{op.Xor, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x ^ y", "VPXOR Y1, Y0, Y0"},
	{op.Eq, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "^(x ^ y)", "VPXOR Y1, Y0, Y0; VPXOR ones, Y0, Y0"},
	{op.Ne, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x ^ y", "VPXOR Y1, Y0, Y0"},
	{op.Select, scalar.U32, 0, []string{"uint32", "uint32", "uint32"}, "uint32", "x&y | z&^x", "VBLENDVPS Y0, Y1, Y2, Y0"},
	{op.Select, scalar.U64, 0, []string{"int32", "uint64", "uint64"}, "uint64", "uint64(int64(x))&y | z&^uint64(int64(x))", ""},

	{op.Convert, scalar.Bool, scalar.U32, []string{"uint32"}, "uint32", "x & 1", "VPSRLD $31, Y0, Y0"},
	{op.Convert, scalar.Bool, scalar.F32, []string{"uint32"}, "float32", "float32(x & 1)", "VPSRLD $31, Y0, Y0; VCVTDQ2PS Y0, Y0"},
	{op.Convert, scalar.Bool, scalar.U64, []string{"uint32"}, "uint64", "uint64(x & 1)", ""},
	{op.Convert, scalar.U32, scalar.Bool, []string{"uint32"}, "uint32", "truth(x != 0)", "VPXOR Y3, Y3, Y3; VPCMPEQD Y3, Y0, Y0; VPXOR ones, Y0, Y0"},
	{op.Convert, scalar.F32, scalar.Bool, []string{"float32"}, "uint32", "truth(x != 0)", "VXORPS Y3, Y3, Y3; VCMPPS $4, Y3, Y0, Y0"},
	{op.Convert, scalar.U64, scalar.Bool, []string{"uint64"}, "uint32", "truth(x != 0)", ""},
	{op.Convert, scalar.I32, scalar.F32, []string{"int32"}, "float32", "float32(x)", "VCVTDQ2PS Y0, Y0"},
	{op.Convert, scalar.U32, scalar.F32, []string{"uint32"}, "float32", "float32(x)", ""},
	{op.Convert, scalar.I32, scalar.F64, []string{"int32"}, "float64", "float64(x)", ""},
	{op.Convert, scalar.U32, scalar.F64, []string{"uint32"}, "float64", "float64(x)", ""},
	{op.Convert, scalar.F32, scalar.I32, []string{"float32"}, "int32", "toSigned(x)", toSigned},
	{op.Convert, scalar.F32, scalar.U32, []string{"float32"}, "uint32", "toUnsigned(x)", ""},
	{op.Convert, scalar.F32, scalar.F64, []string{"float32"}, "float64", "number(float64(x))", ""},
	{op.Convert, scalar.F64, scalar.F32, []string{"float64"}, "float32", "number(float32(x))", ""},
	{op.Convert, scalar.I32, scalar.U64, []string{"int32"}, "uint64", "uint64(x)", ""},
	{op.Convert, scalar.U32, scalar.U64, []string{"uint32"}, "uint64", "uint64(x)", ""},
	{op.Convert, scalar.U64, scalar.U32, []string{"uint64"}, "uint32", "uint32(x)", ""},
	{op.Convert, scalar.F16, scalar.F32, []string{"uint32"}, "float32", "fromHalf(x)", ""},
	{op.Convert, scalar.F32, scalar.F16, []string{"float32"}, "uint32", "toHalf(x)", ""},
}

// toSigned bounds the number, converts it, and makes 0 of NaN.
const toSigned = "VCMPPS $7, Y0, Y0, Y3; VMINPS highest, Y0, Y0; VCVTTPS2DQ Y0, Y0; VPAND Y3, Y0, Y0"

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
			switch k.kind {
			case scalar.I32:
				p.vector = o.i32
			case scalar.U32:
				p.vector = o.u32
			}
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
			if k.kind == scalar.F32 {
				p.vector = o.vector
			}
			list = append(list, p)
		}
	}
	list = append(list, singles[:]...)
	return slices.DeleteFunc(list, func(p primitive) bool { return p.op != op.Convert && eval.For(p.op, p.kind) == nil })
}
