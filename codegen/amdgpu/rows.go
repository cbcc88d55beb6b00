package amdgpu

import (
	"sync"

	"github.com/llir/llvm/ir/enum"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// The table of templates (template.go), by operation and kind of the first operand. Operands are in
// the machine's domain: Totalise has guarded divisors, shift amounts and bit fields. A select never
// selects what LLVM calls poison. An operation without a template for f16 is computed in f32 and
// rounded.
//
// Only fast math has the flag contract, since the pass Contract does the contraction. !fpmath is
// the maximum error in ulp (LangRef, "fpmath"). It is WGSL's. Without it LLVM emits the long
// sequence of a correctly rounded division.

// kindSet is a set of scalar kinds.
type kindSet uint16

const (
	booleans kindSet = 1 << scalar.Bool
	signed   kindSet = 1<<scalar.I32 | 1<<scalar.I64
	unsigned kindSet = 1<<scalar.U32 | 1<<scalar.U64
	integers         = signed | unsigned
	words    kindSet = 1<<scalar.I32 | 1<<scalar.U32
	longs    kindSet = 1<<scalar.I64 | 1<<scalar.U64
	halves   kindSet = 1 << scalar.F16
	singles  kindSet = 1 << scalar.F32
	doubles  kindSet = 1 << scalar.F64
	floats           = halves | singles | doubles
)

// row is the template of an operation on some kinds.
type row struct {
	o    op.Op
	on   kindSet
	text string
}

var rows = []row{
	{op.Neg, signed, "$d = sub $T 0, $a"},
	{op.Neg, floats, "$d = fneg $T $a"},
	{op.Add, integers, "$d = add $T $a, $b"},
	{op.Add, floats, "$d = fadd $f$T $a, $b"},
	{op.Sub, integers, "$d = sub $T $a, $b"},
	{op.Sub, floats, "$d = fsub $f$T $a, $b"},
	{op.Mul, integers, "$d = mul $T $a, $b"},
	{op.Mul, floats, "$d = fmul $f$T $a, $b"},
	{op.MulHigh, 1 << scalar.U32, "$0 = zext i32 $a to i64; $1 = zext i32 $b to i64; $2 = mul i64 $0, $1; $3 = lshr i64 $2, 32; $d = trunc i64 $3 to i32"},
	{op.MulHigh, 1 << scalar.U64, "$0 = zext i64 $a to i128; $1 = zext i64 $b to i128; $2 = mul i128 $0, $1; $3 = lshr i128 $2, 64; $d = trunc i128 $3 to i64"},
	{op.Div, signed, "$d = sdiv $T $a, $b"},
	{op.Div, unsigned, "$d = udiv $T $a, $b"},
	{op.Div, singles, "$d = fdiv $f$T $a, $b, !fpmath !2"},
	{op.Div, doubles | halves, "$d = fdiv $f$T $a, $b"},
	{op.Rem, signed, "$d = srem $T $a, $b"},
	{op.Rem, unsigned, "$d = urem $T $a, $b"},
	{op.Rem, singles, "$0 = fdiv $f$T $a, $b, !fpmath !2; " + remainder},
	{op.Rem, doubles, "$0 = fdiv $f$T $a, $b; " + remainder},
	{op.Abs, signed, "$d = call $T @llvm.abs.$S($T $a, i1 false)"},
	{op.Abs, floats, "$d = call $T @llvm.fabs.$S($T $a)"},
	{op.Min, signed, "$d = call $T @llvm.smin.$S($T $a, $T $b)"},
	{op.Min, unsigned, "$d = call $T @llvm.umin.$S($T $a, $T $b)"},
	{op.Min, floats, "$d = call $T @llvm.minnum.$S($T $a, $T $b)"},
	{op.Max, signed, "$d = call $T @llvm.smax.$S($T $a, $T $b)"},
	{op.Max, unsigned, "$d = call $T @llvm.umax.$S($T $a, $T $b)"},
	{op.Max, floats, "$d = call $T @llvm.maxnum.$S($T $a, $T $b)"},
	{op.Clamp, signed, "$0 = call $T @llvm.smax.$S($T $a, $T $b); $d = call $T @llvm.smin.$S($T $0, $T $c)"},
	{op.Clamp, unsigned, "$0 = call $T @llvm.umax.$S($T $a, $T $b); $d = call $T @llvm.umin.$S($T $0, $T $c)"},
	{op.Clamp, floats, "$0 = call $T @llvm.maxnum.$S($T $a, $T $b); $d = call $T @llvm.minnum.$S($T $0, $T $c)"},
	{op.Sign, signed, "$0 = call $T @llvm.smax.$S($T $a, $T -1); $d = call $T @llvm.smin.$S($T $0, $T 1)"},
	// a zero and a NaN are their own signs
	{op.Sign, floats, "$0 = fcmp ogt $T $a, 0.0; $1 = select i1 $0, $T 1.0, $T $a; $2 = fcmp olt $T $a, 0.0; $d = select i1 $2, $T -1.0, $T $1"},
	{op.Fma, floats, "$d = call $T @llvm.fma.$S($T $a, $T $b, $T $c)"},

	{op.Not, integers, "$d = xor $T $a, -1"},
	{op.Not, booleans, "$d = xor i1 $a, true"},
	{op.And, integers | booleans, "$d = and $T $a, $b"},
	{op.Or, integers | booleans, "$d = or $T $a, $b"},
	{op.Xor, integers | booleans, "$d = xor $T $a, $b"},
	{op.Shl, words, "$d = shl i32 $a, #b"},
	{op.Shl, longs, "$0 = zext i32 #b to i64; $d = shl i64 $a, $0"},
	{op.Shr, 1 << scalar.I32, "$d = ashr i32 $a, #b"},
	{op.Shr, 1 << scalar.U32, "$d = lshr i32 $a, #b"},
	{op.Shr, 1 << scalar.I64, "$0 = zext i32 #b to i64; $d = ashr i64 $a, $0"},
	{op.Shr, 1 << scalar.U64, "$0 = zext i32 #b to i64; $d = lshr i64 $a, $0"},
	{op.CountOneBits, integers, "$d = call $T @llvm.ctpop.$S($T $a)"},
	{op.CountLeadingZeros, integers, "$d = call $T @llvm.ctlz.$S($T $a, i1 false)"},
	{op.CountTrailingZeros, integers, "$d = call $T @llvm.cttz.$S($T $a, i1 false)"},
	{op.FirstLeadingBit, unsigned, "$0 = call $T @llvm.ctlz.$S($T $a, i1 false); $d = sub $T $L, $0"},
	{op.FirstLeadingBit, signed, "$0 = ashr $T $a, $L; $1 = xor $T $a, $0; $2 = call $T @llvm.ctlz.$S($T $1, i1 false); $d = sub $T $L, $2"},
	{op.FirstTrailingBit, integers, "$0 = call $T @llvm.cttz.$S($T $a, i1 true); $1 = icmp eq $T $a, 0; $d = select i1 $1, $T -1, $T $0"},
	{op.ReverseBits, integers, "$d = call $T @llvm.bitreverse.$S($T $a)"},
	{op.ExtractBits, 1 << scalar.I32, "$0 = add i32 #b, 0; $1 = add i32 #c, 0; " + extract + "$d = select i1 $7, $T 0, $T $8"},
	{op.ExtractBits, 1 << scalar.U32, "$0 = add i32 #b, 0; $1 = add i32 #c, 0; " + extractUnsigned + "$d = select i1 $7, $T 0, $T $8"},
	{op.ExtractBits, 1 << scalar.I64, "$0 = zext i32 #b to i64; $1 = zext i32 #c to i64; " + extract + "$d = select i1 $7, $T 0, $T $8"},
	{op.ExtractBits, 1 << scalar.U64, "$0 = zext i32 #b to i64; $1 = zext i32 #c to i64; " + extractUnsigned + "$d = select i1 $7, $T 0, $T $8"},
	{op.InsertBits, words, "$0 = add i32 #c, 0; $1 = add i32 #e, 0; " + insert},
	{op.InsertBits, longs, "$0 = zext i32 #c to i64; $1 = zext i32 #e to i64; " + insert},

	{op.Eq, integers | booleans, "$d = icmp eq $T $a, $b"},
	{op.Eq, floats, "$d = fcmp oeq $T $a, $b"},
	{op.Ne, integers | booleans, "$d = icmp ne $T $a, $b"},
	{op.Ne, floats, "$d = fcmp une $T $a, $b"},
	{op.Lt, signed, "$d = icmp slt $T $a, $b"},
	{op.Lt, unsigned, "$d = icmp ult $T $a, $b"},
	{op.Lt, floats, "$d = fcmp olt $T $a, $b"},
	{op.Le, signed, "$d = icmp sle $T $a, $b"},
	{op.Le, unsigned, "$d = icmp ule $T $a, $b"},
	{op.Le, floats, "$d = fcmp ole $T $a, $b"},
	{op.Gt, signed, "$d = icmp sgt $T $a, $b"},
	{op.Gt, unsigned, "$d = icmp ugt $T $a, $b"},
	{op.Gt, floats, "$d = fcmp ogt $T $a, $b"},
	{op.Ge, signed, "$d = icmp sge $T $a, $b"},
	{op.Ge, unsigned, "$d = icmp uge $T $a, $b"},
	{op.Ge, floats, "$d = fcmp oge $T $a, $b"},

	{op.Floor, floats, "$d = call $T @llvm.floor.$S($T $a)"},
	{op.Ceil, floats, "$d = call $T @llvm.ceil.$S($T $a)"},
	{op.Trunc, floats, "$d = call $T @llvm.trunc.$S($T $a)"},
	// to even, which is the default mode; LLVM 15 cannot compile roundeven
	{op.Round, floats, "$d = call $T @llvm.rint.$S($T $a)"},
	{op.Fract, floats, "$0 = call $T @llvm.floor.$S($T $a); $d = fsub $T $a, $0"},
	{op.Sqrt, singles, "$d = call $f$T @llvm.sqrt.$S($T $a), !fpmath !2"},
	{op.Sqrt, doubles, "$d = call $T @llvm.sqrt.$S($T $a)"},
	// 1 ulp (RDNA 3 ISA, V_RSQ_F32), where the square root and a division would be 3
	{op.InverseSqrt, singles, "$d = call $T @llvm.amdgcn.rsq.$S($T $a)"},
	// lower.Transcendental has reduced the argument to a range where the machine is accurate
	// enough
	{op.Sin, singles, "$d = call $T @llvm.sin.$S($T $a)"},
	{op.Cos, singles, "$d = call $T @llvm.cos.$S($T $a)"},
	{op.Exp2, singles, "$d = call $f$T @llvm.exp2.$S($T $a)"},
	{op.Log2, singles, "$d = call $f$T @llvm.log2.$S($T $a)"},
	{op.QuantizeF16, singles, "$0 = fptrunc float $a to half; $d = fpext half $0 to float"},
	{op.Pack2x16Float, singles, "$0 = fptrunc float $a to half; $1 = fptrunc float $b to half; $2 = bitcast half $0 to i16; $3 = bitcast half $1 to i16; " +
		"$4 = zext i16 $2 to i32; $5 = zext i16 $3 to i32; $6 = shl i32 $5, 16; $d = or i32 $4, $6"},
	{op.Unpack2x16Float, words, "$0 = trunc i32 $a to i16; $1 = bitcast i16 $0 to half; $2 = lshr i32 $a, 16; $3 = trunc i32 $2 to i16; " +
		"$4 = bitcast i16 $3 to half; $d = fpext half $1 to float; $g = fpext half $4 to float"},
}

// strictRows replace templates where every device must round alike.
var strictRows = []row{
	{op.Div, singles, "$d = fdiv $T $a, $b"},
	{op.Rem, singles, "$0 = fdiv $T $a, $b; " + remainder},
	{op.Sqrt, singles, "$d = call $T @llvm.sqrt.$S($T $a)"},
	{op.InverseSqrt, singles, "$0 = call $T @llvm.sqrt.$S($T $a); $d = fdiv $T 1.0, $0"},
}

// remainder is x - y·trunc(x/y) for the quotient $0, with an exact product. It is corrected by one
// |y| if the approximate quotient was off by one, so that -0 ≤ r·sign(x) < |y|.
const remainder = "$1 = call $T @llvm.trunc.$S($T $0); $2 = fneg $T $1; $3 = call $T @llvm.fma.$S($T $2, $T $b, $T $a); " +
	"$4 = call $T @llvm.copysign.$S($T $b, $T $a); $5 = call $T @llvm.copysign.$S($T 1.0, $T $a); $5x = fmul $T $3, $5; " +
	"$6 = fcmp olt $T $5x, 0.0; $7 = fadd $T $3, $4; $8 = select i1 $6, $T $7, $T $3; " +
	"$8a = call $T @llvm.fabs.$S($T $8); $8b = call $T @llvm.fabs.$S($T $b); $8c = fcmp oge $T $8a, $8b; " +
	"$8d = fsub $T $8, $4; $9 = select i1 $8c, $T $8d, $T $8; $d = call $T @llvm.copysign.$S($T $9, $T $a)"

// Bit fields of $1 bits from bit $0 on: the field is shifted to the top and back. If it is empty,
// shift amounts wrap, and the result is not selected.
const (
	field           = "$2 = and $T $0, $L; $3 = sub $T $W, $1; $4 = and $T $3, $L; $7 = icmp eq $T $1, 0; $5 = lshr $T $a, $2; $6 = shl $T $5, $4; "
	extract         = field + "$8 = ashr $T $6, $4; "
	extractUnsigned = field + "$8 = lshr $T $6, $4; "
	insert          = "$2 = and $T $0, $L; $3 = sub $T $W, $1; $4 = and $T $3, $L; $5 = lshr $T -1, $4; $6 = icmp eq $T $1, 0; $7 = select i1 $6, $T 0, $T $5; " +
		"$7m = shl $T $7, $2; $8 = shl $T $b, $2; $8m = and $T $8, $7m; $7n = xor $T $7m, -1; $9 = and $T $a, $7n; $d = or $T $9, $8m"
)

// templates are those of one mode, by operation and kind.
type templates [op.Count][scalar.Count]string

// The templates of each mode, made when a kernel is first compiled in it.
var (
	defaultTemplates = sync.OnceValue(func() *templates { return makeTemplates(nil) })
	strictTemplates  = sync.OnceValue(func() *templates { return makeTemplates(strictRows) })
)

func makeTemplates(changes []row) *templates {
	all := new(templates)
	for _, list := range [][]row{rows, changes} {
		for _, r := range list {
			for k := range scalar.Count {
				if r.on>>k&1 == 1 {
					all[r.o][k] = r.text
				}
			}
		}
	}
	return all
}

// templatesOf returns the templates of a floating-point mode.
func templatesOf(m opt.Math) *templates {
	if m == opt.MathStrict {
		return strictTemplates()
	}
	return defaultTemplates()
}

// flagsOf returns the fast-math flags of a mode: approximate functions and reciprocals,
// contraction, and no sign of zero. Infinities and NaNs are kept.
func flagsOf(m opt.Math) []enum.FastMathFlag {
	if m == opt.MathFast {
		return []enum.FastMathFlag{enum.FastMathFlagNSZ, enum.FastMathFlagARcp, enum.FastMathFlagContract, enum.FastMathFlagAFn}
	}
	return nil
}
