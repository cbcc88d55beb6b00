package machine

import (
	"sync"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// The table of templates: for each operation and the kinds of its first operand, the instructions
// (template.go). They see operands in the machine's domain, as the legalisers leave them: divisors
// are not zero, shift amounts are below the width, and bit fields lie within their word. An
// operation without a template for f16 is computed in f32 and rounded.

type kindSet uint16

const (
	booleans kindSet = 1 << scalar.Bool
	int32s   kindSet = 1 << scalar.I32
	uint32s  kindSet = 1 << scalar.U32
	int64s   kindSet = 1 << scalar.I64
	uint64s  kindSet = 1 << scalar.U64
	words            = int32s | uint32s
	longs            = int64s | uint64s
	halves   kindSet = 1 << scalar.F16
	singles  kindSet = 1 << scalar.F32
	doubles  kindSet = 1 << scalar.F64
)

type row struct {
	o    op.Op
	on   kindSet
	text string
}

// The quotient of the significands is off by two units at most; the exponents are put back behind
// it.
const quickQuotient = "v_frexp_mant_f32 $0, $b; v_rcp_f32 $1, $0; v_frexp_exp_i32_f32 $2, $b; v_frexp_mant_f32 $3, $a; v_frexp_exp_i32_f32 $4, $a; " +
	"v_mul_f32 $5, $3, $1; v_sub_u32 $6, $4, $2; "

// remainder is x - y·trunc(x/y) of the quotient $9, corrected by one |y| where that was off by one,
// as in the table of LLVM IR.
const remainder = "v_trunc_f32 $0, $9; v_fma_f32 $1, -$0, $b, $a; v_bfi_b32 $2, 0x7fffffff, $b, $a; v_bfi_b32 $3, 0x7fffffff, 1.0, $a; " +
	"v_mul_f32 $4, $1, $3; v_cmp_gt_f32 %1, 0, $4; v_add_f32 $5, $1, $2; v_cndmask_b32 $6, $1, $5, %1; v_cmp_ge_f32 %2, |$6|, |$b|; " +
	"v_sub_f32 $7, $6, $2; v_cndmask_b32 $8, $6, $7, %2; v_bfi_b32 $d, 0x7fffffff, $8, $a"

// preciseQuotient is the correctly rounded quotient of two operands of a width (LLVM, AMDGPU,
// "LowerFDIV32" and "LowerFDIV64").
func preciseQuotient(d, x, y string) string {
	return "v_div_scale_f32 $0, %0, " + y + ", " + y + ", " + x + "; v_div_scale_f32 $1, vcc, " + x + ", " + y + ", " + x + "; v_rcp_f32 $2, $0; " +
		"v_fma_f32 $3, -$0, $2, 1.0; v_fma_f32 $4, $3, $2, $2; v_mul_f32 $5, $1, $4; v_fma_f32 $6, -$0, $5, $1; v_fma_f32 $7, $6, $4, $5; " +
		"v_fma_f32 $8, -$0, $7, $1; v_div_fmas_f32 $r, $8, $4, $7; v_div_fixup_f32 " + d + ", $r, " + y + ", " + x
}

const preciseLongQuotient = "v_div_scale_f64 $0, %0, $b, $b, $a; v_div_scale_f64 $1, vcc, $a, $b, $a; v_rcp_f64 $2, $0; " +
	"v_mov_b32 $ol, 0; v_mov_b32 $oh, 0x3ff00000; v_fma_f64 $3, -$0, $2, $o; v_fma_f64 $4, $2, $3, $2; v_fma_f64 $5, -$0, $4, $o; " +
	"v_fma_f64 $6, $4, $5, $4; v_mul_f64 $7, $1, $6; v_fma_f64 $8, -$0, $7, $1; v_div_fmas_f64 $r, $8, $6, $7; v_div_fixup_f64 $d, $r, $b, $a"

// preciseRoot corrects the approximate root by one unit up or down as the residues say (LLVM,
// AMDGPU, "lowerFSQRTF32").
func preciseRoot(d string) string {
	return "v_cmp_gt_f32 %0, 0x0f800000, $a; v_cndmask_b32 $0, 1.0, 0x4f800000, %0; v_mul_f32 $1, $a, $0; v_sqrt_f32 $2, $1; " +
		"v_add_u32 $3, -1, $2; v_add_u32 $4, 1, $2; v_fma_f32 $5, -$3, $2, $1; v_fma_f32 $6, -$4, $2, $1; v_cmp_ge_f32 %1, 0, $5; " +
		"v_cndmask_b32 $7, $2, $3, %1; v_cmp_lt_f32 %2, 0, $6; v_cndmask_b32 $7, $7, $4, %2; v_cndmask_b32 $3, 1.0, 0x37800000, %0; v_mul_f32 $7, $7, $3; " +
		"v_cmp_class_f32 %3, $1, 0x260; v_cndmask_b32 " + d + ", $7, $1, %3"
}

// preciseLongRoot is two Newton steps from the approximate reciprocal root (LLVM, AMDGPU,
// "lowerFSQRTF64").
const preciseLongRoot = "v_mov_b32 $ol, 0; v_mov_b32 $oh, 0x10000000; v_cmp_lt_f64 %0, $a, $o; v_cndmask_b32 $n, 0, 0x100, %0; v_ldexp_f64 $0, $a, $n; " +
	"v_rsq_f64 $1, $0; v_mov_b32 $ql, 0; v_mov_b32 $qh, 0x3fe00000; v_mul_f64 $2, $1, $q; v_mul_f64 $3, $0, $1; v_fma_f64 $4, -$2, $3, $q; " +
	"v_fma_f64 $5, $2, $4, $2; v_fma_f64 $6, $3, $4, $3; v_fma_f64 $7, -$6, $6, $0; v_fma_f64 $8, $7, $5, $6; v_fma_f64 $9, -$8, $8, $0; " +
	"v_fma_f64 $r, $9, $5, $8; v_cndmask_b32 $s, 0, 0xffffff80, %0; v_ldexp_f64 $t, $r, $s; v_mov_b32 $u, 0x260; v_cmp_class_f64 %1, $0, $u; " +
	"v_cndmask_b32 $dl, $tl, $0l, %1; v_cndmask_b32 $dh, $th, $0h, %1"

func rows() []row {
	return []row{
		{op.Neg, words, "v_sub_u32 $d, 0, $a"},
		{op.Neg, longs, "v_sub_co_u32 $dl, %0, 0, $al; v_subb_co_u32 $dh, %1, 0, $ah, %0"},
		{op.Neg, singles, "v_xor_b32 $d, 0x80000000, $a"},
		{op.Neg, halves, "v_xor_b32 $d, 0x8000, $a"},
		{op.Neg, doubles, "v_mov_b32 $dl, $al; v_xor_b32 $dh, 0x80000000, $ah"},
		{op.Add, words, "v_add_u32 $d, $a, $b"},
		{op.Add, longs, "v_lshl_add_u64 $d, $a, 0, $b"},
		{op.Add, singles, "v_add_f32 $d, $a, $b"},
		{op.Add, halves, "v_add_f16 $d, $a, $b"},
		{op.Add, doubles, "v_add_f64 $d, $a, $b"},
		{op.Sub, words, "v_sub_u32 $d, $a, $b"},
		{op.Sub, longs, "v_sub_co_u32 $dl, %0, $al, $bl; v_subb_co_u32 $dh, %1, $ah, $bh, %0"},
		{op.Sub, singles, "v_sub_f32 $d, $a, $b"},
		{op.Sub, halves, "v_sub_f16 $d, $a, $b"},
		{op.Sub, doubles, "v_add_f64 $d, $a, -$b"},
		{op.Mul, words, "v_mul_lo_u32 $d, $a, $b"},
		{op.Mul, longs, "v_mad_u64_u32 $0, %0, $al, $bl, 0; v_mul_lo_u32 $1, $al, $bh; v_mul_lo_u32 $2, $ah, $bl; v_add3_u32 $dh, $0h, $1, $2; v_mov_b32 $dl, $0l"},
		{op.MulHigh, uint32s, "v_mul_hi_u32 $d, $a, $b"},
		{op.Mul, singles, "v_mul_f32 $d, $a, $b"},
		{op.Mul, halves, "v_mul_f16 $d, $a, $b"},
		{op.Mul, doubles, "v_mul_f64 $d, $a, $b"},
		{op.Div, int32s, signedQuotient()},
		{op.Div, uint32s, unsignedQuotient()},
		{op.Div, int64s, signedLongQuotient()},
		{op.Div, uint64s, unsignedLongQuotient()},
		{op.Div, singles, quickQuotient + "v_ldexp_f32 $d, $5, $6"},
		{op.Div, doubles, preciseLongQuotient},
		{op.Rem, int32s, signedRemainder()},
		{op.Rem, uint32s, unsignedRemainder()},
		{op.Rem, int64s, signedLongRemainder()},
		{op.Rem, uint64s, unsignedLongRemainder()},
		{op.Rem, singles, quickQuotient + "v_ldexp_f32 $9, $5, $6; " + remainder},
		{op.Abs, words, "v_sub_u32 $0, 0, $a; v_max_i32 $d, $a, $0"},
		{op.Abs, int64s, "v_sub_co_u32 $0l, %0, 0, $al; v_subb_co_u32 $0h, %1, 0, $ah, %0; v_cmp_gt_i64 %2, 0, $a; v_cndmask_b32 $dl, $al, $0l, %2; " +
			"v_cndmask_b32 $dh, $ah, $0h, %2"},
		{op.Abs, singles, "v_and_b32 $d, 0x7fffffff, $a"},
		{op.Abs, halves, "v_and_b32 $d, 0x7fff, $a"},
		{op.Abs, doubles, "v_mov_b32 $dl, $al; v_and_b32 $dh, 0x7fffffff, $ah"},
		{op.Min, int32s, "v_min_i32 $d, $a, $b"},
		{op.Min, uint32s, "v_min_u32 $d, $a, $b"},
		{op.Min, singles, "v_min_f32 $d, $a, $b"},
		{op.Min, halves, "v_min_f16 $d, $a, $b"},
		{op.Min, doubles, "v_min_f64 $d, $a, $b"},
		{op.Min, int64s, "v_cmp_lt_i64 %0, $a, $b; " + chooseLong},
		{op.Min, uint64s, "v_cmp_lt_u64 %0, $a, $b; " + chooseLong},
		{op.Max, int32s, "v_max_i32 $d, $a, $b"},
		{op.Max, uint32s, "v_max_u32 $d, $a, $b"},
		{op.Max, singles, "v_max_f32 $d, $a, $b"},
		{op.Max, halves, "v_max_f16 $d, $a, $b"},
		{op.Max, doubles, "v_max_f64 $d, $a, $b"},
		{op.Max, int64s, "v_cmp_gt_i64 %0, $a, $b; " + chooseLong},
		{op.Max, uint64s, "v_cmp_gt_u64 %0, $a, $b; " + chooseLong},
		{op.Clamp, int32s, "v_max_i32 $0, $a, $b; v_min_i32 $d, $0, $c"},
		{op.Clamp, uint32s, "v_max_u32 $0, $a, $b; v_min_u32 $d, $0, $c"},
		{op.Clamp, int64s, "v_cmp_gt_i64 %0, $a, $b; " + raiseLong + "v_cmp_lt_i64 %1, $0, $c; " + lowerLong},
		{op.Clamp, uint64s, "v_cmp_gt_u64 %0, $a, $b; " + raiseLong + "v_cmp_lt_u64 %1, $0, $c; " + lowerLong},
		{op.Clamp, singles, "v_max_f32 $0, $a, $b; v_min_f32 $d, $0, $c"},
		{op.Clamp, halves, "v_max_f16 $0, $a, $b; v_min_f16 $d, $0, $c"},
		{op.Clamp, doubles, "v_max_f64 $0, $a, $b; v_min_f64 $d, $0, $c"},
		{op.Sign, words, "v_max_i32 $0, -1, $a; v_min_i32 $d, 1, $0"},
		{op.Sign, int64s, "v_ashrrev_i64 $0, 63, $a; v_cmp_ne_u64 %0, 0, $a; v_cndmask_b32 $1, 0, 1, %0; v_or_b32 $dl, $0l, $1; v_mov_b32 $dh, $0h"},
		// of a zero and of a NaN the number itself
		{op.Sign, singles, "v_cmp_lt_f32 %0, 0, $a; v_cndmask_b32 $0, $a, 1.0, %0; v_cmp_gt_f32 %1, 0, $a; v_cndmask_b32 $d, $0, -1.0, %1"},
		{op.Sign, doubles, "v_cmp_lt_f64 %0, 0, $a; v_cndmask_b32 $0, $ah, 0x3ff00000, %0; v_cndmask_b32 $1, $al, 0, %0; v_cmp_gt_f64 %1, 0, $a; " +
			"v_cndmask_b32 $dh, $0, 0xbff00000, %1; v_cndmask_b32 $dl, $1, 0, %1"},
		{op.Fma, singles, "v_fma_f32 $d, $a, $b, $c"},
		{op.Fma, halves, "v_fma_f16 $d, $a, $b, $c"},
		{op.Fma, doubles, "v_fma_f64 $d, $a, $b, $c"},

		{op.Not, words, "v_not_b32 $d, $a"},
		{op.Not, longs, "v_not_b32 $dl, $al; v_not_b32 $dh, $ah"},
		{op.Not, booleans, "s_not_b? %d, %a"},
		{op.And, words, "v_and_b32 $d, $a, $b"},
		{op.And, longs, "v_and_b32 $dl, $al, $bl; v_and_b32 $dh, $ah, $bh"},
		{op.And, booleans, "s_and_b? %d, %a, %b"},
		{op.Or, words, "v_or_b32 $d, $a, $b"},
		{op.Or, longs, "v_or_b32 $dl, $al, $bl; v_or_b32 $dh, $ah, $bh"},
		{op.Or, booleans, "s_or_b? %d, %a, %b"},
		{op.Xor, words, "v_xor_b32 $d, $a, $b"},
		{op.Xor, longs, "v_xor_b32 $dl, $al, $bl; v_xor_b32 $dh, $ah, $bh"},
		{op.Xor, booleans, "s_xor_b? %d, %a, %b"},
		{op.Shl, words, "v_lshlrev_b32 $d, $b, $a"},
		{op.Shl, longs, "v_lshlrev_b64 $d, $bl, $a"},
		{op.Shr, int32s, "v_ashrrev_i32 $d, $b, $a"},
		{op.Shr, uint32s, "v_lshrrev_b32 $d, $b, $a"},
		{op.Shr, int64s, "v_ashrrev_i64 $d, $bl, $a"},
		{op.Shr, uint64s, "v_lshrrev_b64 $d, $bl, $a"},
		{op.CountOneBits, words, "v_bcnt_u32_b32 $d, $a, 0"},
		{op.CountLeadingZeros, words, "v_ffbh_u32 $0, $a; v_min_u32 $d, 32, $0"},
		{op.CountLeadingZeros, longs, "v_ffbh_u32 $0, $ah; v_ffbh_u32 $1, $al; v_min_u32 $2, 32, $1; v_add_u32 $3, 32, $2; v_min_u32 $dl, $0, $3; v_mov_b32 $dh, 0"},
		{op.CountTrailingZeros, words, "v_ffbl_b32 $0, $a; v_min_u32 $d, 32, $0"},
		{op.CountTrailingZeros, longs, "v_ffbl_b32 $0, $al; v_ffbl_b32 $1, $ah; v_min_u32 $1, 32, $1; v_add_u32 $1, 32, $1; v_min_u32 $dl, $0, $1; v_mov_b32 $dh, 0"},
		{op.FirstLeadingBit, uint32s, "v_ffbh_u32 $0, $a; v_sub_u32 $1, 31, $0; v_cmp_ne_u32 %0, -1, $0; v_cndmask_b32 $d, -1, $1, %0"},
		{op.FirstLeadingBit, int32s, "v_ffbh_i32 $0, $a; v_sub_u32 $1, 31, $0; v_cmp_ne_u32 %0, -1, $0; v_cndmask_b32 $d, -1, $1, %0"},
		{op.FirstTrailingBit, words, "v_ffbl_b32 $d, $a"},
		{op.ReverseBits, words, "v_bfrev_b32 $d, $a"},
		// the field is moved to the top and back; without any bits the amount is taken modulo the
		// width, and the result is not chosen
		{op.ExtractBits, int32s, field + "v_ashrrev_i32 $3, $2, $1; " + chooseField},
		{op.ExtractBits, uint32s, field + "v_lshrrev_b32 $3, $2, $1; " + chooseField},
		{op.InsertBits, words, "v_sub_u32 $0, 32, $e; v_lshrrev_b32 $1, $0, -1; v_cmp_ne_u32 %0, 0, $e; v_cndmask_b32 $2, 0, $1, %0; v_lshlrev_b32 $3, $c, $2; " +
			"v_lshlrev_b32 $4, $c, $b; v_bfi_b32 $d, $3, $4, $a"},

		{op.Floor, singles, "v_floor_f32 $d, $a"},
		{op.Ceil, singles, "v_ceil_f32 $d, $a"},
		{op.Trunc, singles, "v_trunc_f32 $d, $a"},
		{op.Round, singles, "v_rndne_f32 $d, $a"},
		{op.Fract, singles, "v_floor_f32 $0, $a; v_sub_f32 $d, $a, $0"},
		{op.Floor, halves, "v_floor_f16 $d, $a"},
		{op.Ceil, halves, "v_ceil_f16 $d, $a"},
		{op.Trunc, halves, "v_trunc_f16 $d, $a"},
		{op.Round, halves, "v_rndne_f16 $d, $a"},
		{op.Fract, halves, "v_floor_f16 $0, $a; v_sub_f16 $d, $a, $0"},
		{op.Floor, doubles, "v_floor_f64 $d, $a"},
		{op.Ceil, doubles, "v_ceil_f64 $d, $a"},
		{op.Trunc, doubles, "v_trunc_f64 $d, $a"},
		{op.Round, doubles, "v_rndne_f64 $d, $a"},
		{op.Fract, doubles, "v_floor_f64 $0, $a; v_add_f64 $d, $a, -$0"},
		// the root of what is near the denormal numbers, which the instruction takes for zero, by
		// way of 2^32 times that
		{op.Sqrt, singles, "v_cmp_gt_f32 %0, 0x0f800000, $a; v_cndmask_b32 $0, 1.0, 0x4f800000, %0; v_mul_f32 $1, $a, $0; v_sqrt_f32 $2, $1; " +
			"v_cndmask_b32 $3, 1.0, 0x37800000, %0; v_mul_f32 $d, $2, $3"},
		{op.Sqrt, doubles, preciseLongRoot},
		// 1 ulp (RDNA 3 ISA, V_RSQ_F32), where the square root and a division would be 3
		{op.InverseSqrt, singles, "v_rsq_f32 $d, $a"},
		// whole turns are taken off before (lower.Transcendental)
		{op.Sin, singles, "v_mul_f32 $0, 0x3e22f983, $a; v_sin_f32 $d, $0"},
		{op.Cos, singles, "v_mul_f32 $0, 0x3e22f983, $a; v_cos_f32 $d, $0"},
		{op.Exp2, singles, "v_cmp_gt_f32 %0, 0xc2fc0000, $a; v_cndmask_b32 $0, 0, 0x42800000, %0; v_add_f32 $1, $a, $0; v_exp_f32 $2, $1; " +
			"v_cndmask_b32 $3, 1.0, 0x1f800000, %0; v_mul_f32 $d, $2, $3"},
		{op.Log2, singles, "v_cmp_gt_f32 %0, 0x00800000, $a; v_cndmask_b32 $0, 1.0, 0x4f800000, %0; v_mul_f32 $1, $a, $0; v_log_f32 $2, $1; " +
			"v_cndmask_b32 $3, 0, 0x42000000, %0; v_sub_f32 $d, $2, $3"},
		{op.QuantizeF16, singles, "v_cvt_f16_f32 $0, $a; v_cvt_f32_f16 $d, $0"},
		{op.Pack2x16Float, singles, "v_cvt_f16_f32 $0, $a; v_cvt_f16_f32 $1, $b; v_and_b32 $2, 0xffff, $0; v_lshl_or_b32 $d, $1, 16, $2"},
		{op.Unpack2x16Float, words, "v_lshrrev_b32 $0, 16, $a; v_cvt_f32_f16 $d, $a; v_cvt_f32_f16 $g, $0"},
	}
}

const (
	raiseLong   = "v_cndmask_b32 $0l, $bl, $al, %0; v_cndmask_b32 $0h, $bh, $ah, %0; "
	lowerLong   = "v_cndmask_b32 $dl, $cl, $0l, %1; v_cndmask_b32 $dh, $ch, $0h, %1"
	chooseLong  = "v_cndmask_b32 $dl, $bl, $al, %0; v_cndmask_b32 $dh, $bh, $ah, %0"
	field       = "v_lshrrev_b32 $0, $b, $a; v_sub_u32 $2, 32, $c; v_lshlrev_b32 $1, $2, $0; "
	chooseField = "v_cmp_ne_u32 %0, 0, $c; v_cndmask_b32 $d, 0, $3, %0"
)

// strictRows replace templates where every device must round alike.
func strictRows() []row {
	return []row{
		{op.Div, singles, preciseQuotient("$d", "$a", "$b")},
		{op.Rem, singles, preciseQuotient("$9", "$a", "$b") + "; " + remainder},
		{op.Sqrt, singles, preciseRoot("$d")},
		{op.InverseSqrt, singles, preciseRoot("$z") + "; " + preciseQuotient("$d", "1.0", "$z")},
	}
}

// narrowRows replace templates where sums have one word.
func narrowRows() []row {
	return []row{
		{op.Add, longs, "v_add_co_u32 $dl, %0, $al, $bl; v_addc_co_u32 $dh, %1, $ah, $bh, %0"},
	}
}

// forms are the templates of one mode by operation and kind.
type forms [op.Count][scalar.Count]template

// made has those of each mode from when a kernel is first compiled in it: strict ones from the
// third on, narrow ones at odd places.
var made [4]struct {
	once  sync.Once
	forms forms
}

// formsOf returns the templates of a mode.
func formsOf(strict, narrow bool) *forms {
	m := &made[2*truth(strict)+truth(narrow)]
	m.once.Do(func() {
		prepare()
		lists := [][]row{rows()}
		if strict {
			lists = append(lists, strictRows())
		}
		if narrow {
			lists = append(lists, narrowRows())
		}
		for _, list := range lists {
			for _, r := range list {
				read := readTemplate(r.text)
				for k := range scalar.Count {
					if r.on>>k&1 == 1 {
						m.forms[r.o][k] = read
					}
				}
			}
		}
	})
	return &m.forms
}

// comparisons are the conditions of the machine's comparisons by operation, of integers and of
// floats.
var comparisons = [op.Count]struct{ integer, float string }{
	op.Eq: {"eq", "eq"}, op.Ne: {"ne", "neq"}, op.Lt: {"lt", "lt"}, op.Le: {"le", "le"}, op.Gt: {"gt", "gt"}, op.Ge: {"ge", "ge"},
}

// conversions are templates by destination and source. Floats saturate to the nearest integer that
// both kinds have, and a NaN is 0.
func conversionRows() *[scalar.Count][scalar.Count]string {
	return &[scalar.Count][scalar.Count]string{
		scalar.Bool: {
			scalar.I32: "v_cmp_ne_u32 %d, 0, $a", scalar.U32: "v_cmp_ne_u32 %d, 0, $a", scalar.I64: "v_cmp_ne_u64 %d, 0, $a", scalar.U64: "v_cmp_ne_u64 %d, 0, $a",
			scalar.F32: "v_cmp_neq_f32 %d, 0, $a", scalar.F16: "v_cmp_neq_f16 %d, 0, $a", scalar.F64: "v_cmp_neq_f64 %d, 0, $a",
		},
		scalar.I32: {
			scalar.Bool: "v_cndmask_b32 $d, 0, 1, %a", scalar.I64: "v_mov_b32 $d, $al", scalar.U64: "v_mov_b32 $d, $al", scalar.F64: "v_cvt_i32_f64 $d, $a",
			scalar.F32: "v_cvt_i32_f32 $0, $a; v_min_i32 $d, 0x7fffff80, $0",
			scalar.F16: "v_cvt_f32_f16 $0, $a; v_cvt_i32_f32 $1, $0; v_min_i32 $2, 0xffe0, $1; v_max_i32 $d, 0xffff0020, $2",
		},
		scalar.U32: {
			scalar.Bool: "v_cndmask_b32 $d, 0, 1, %a", scalar.I64: "v_mov_b32 $d, $al", scalar.U64: "v_mov_b32 $d, $al", scalar.F64: "v_cvt_u32_f64 $d, $a",
			scalar.F32: "v_cvt_u32_f32 $0, $a; v_min_u32 $d, 0xffffff00, $0",
			scalar.F16: "v_cvt_f32_f16 $0, $a; v_cvt_u32_f32 $1, $0; v_min_u32 $d, 0xffe0, $1",
		},
		scalar.I64: {
			scalar.Bool: "v_cndmask_b32 $dl, 0, 1, %a; v_mov_b32 $dh, 0",
			scalar.I32:  "v_mov_b32 $dl, $a; v_ashrrev_i32 $dh, 31, $a", scalar.U32: "v_mov_b32 $dl, $a; v_mov_b32 $dh, 0",
			scalar.F64: toWide("v_cvt_i32_f64", boundsOf("$a", "0xc3e00000", "0x43dfffff", "-1"), "v_cmp_o_f64"),
			scalar.F32: "v_cvt_f64_f32 $y, $a; " + toWide("v_cvt_i32_f64", boundsOf("$y", "0xc3e00000", "0x43dfffff", "0xe0000000"), "v_cmp_o_f32"),
			scalar.F16: "v_cvt_f32_f16 $0, $a; v_cvt_i32_f32 $1, $0; v_min_i32 $2, 0xffe0, $1; v_max_i32 $3, 0xffff0020, $2; v_mov_b32 $dl, $3; v_ashrrev_i32 $dh, 31, $3",
		},
		scalar.U64: {
			scalar.Bool: "v_cndmask_b32 $dl, 0, 1, %a; v_mov_b32 $dh, 0",
			scalar.I32:  "v_mov_b32 $dl, $a; v_ashrrev_i32 $dh, 31, $a", scalar.U32: "v_mov_b32 $dl, $a; v_mov_b32 $dh, 0",
			scalar.F64: toWide("v_cvt_u32_f64", boundsOf("$a", "0", "0x43efffff", "-1"), "v_cmp_o_f64"),
			scalar.F32: "v_cvt_f64_f32 $y, $a; " + toWide("v_cvt_u32_f64", boundsOf("$y", "0", "0x43efffff", "0xe0000000"), "v_cmp_o_f32"),
			scalar.F16: "v_cvt_f32_f16 $0, $a; v_cvt_u32_f32 $1, $0; v_min_u32 $dl, 0xffe0, $1; v_mov_b32 $dh, 0",
		},
		scalar.F32: {
			scalar.Bool: "v_cndmask_b32 $d, 0, 1.0, %a", scalar.I32: "v_cvt_f32_i32 $d, $a", scalar.U32: "v_cvt_f32_u32 $d, $a",
			scalar.F16: "v_cvt_f32_f16 $d, $a", scalar.F64: "v_cvt_f32_f64 $d, $a",
			scalar.U64: wideToSingle("$d", "$a"), scalar.I64: magnitude + wideToSingle("$7", "$x") + signSingle + "v_mov_b32 $d, $8",
		},
		scalar.F64: {
			scalar.Bool: "v_mov_b32 $dl, 0; v_cndmask_b32 $dh, 0, 0x3ff00000, %a", scalar.I32: "v_cvt_f64_i32 $d, $a", scalar.U32: "v_cvt_f64_u32 $d, $a",
			scalar.F16: "v_cvt_f32_f16 $0, $a; v_cvt_f64_f32 $d, $0", scalar.F32: "v_cvt_f64_f32 $d, $a",
			scalar.I64: "v_cvt_f64_i32 $0, $ah; v_ldexp_f64 $1, $0, 32; v_cvt_f64_u32 $2, $al; v_add_f64 $d, $1, $2",
			scalar.U64: "v_cvt_f64_u32 $0, $ah; v_ldexp_f64 $1, $0, 32; v_cvt_f64_u32 $2, $al; v_add_f64 $d, $1, $2",
		},
		scalar.F16: {
			// by way of the float next to it towards zero, whose last bit says whether there was
			// more (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved
			// algorithms using rounding to odd", 2008)
			scalar.F64: "v_cvt_f32_f64 $0, $a; v_cvt_f64_f32 $1, $0; v_cmp_lt_f64 %0, |$a|, |$1|; v_cndmask_b32 $2, 0, -1, %0; v_add_u32 $3, $0, $2; " +
				"v_cmp_neq_f64 %1, $a, $1; v_cndmask_b32 $4, 0, 1, %1; v_or_b32 $5, $3, $4; v_cvt_f16_f32 $d, $5",
			scalar.Bool: "v_cndmask_b32 $d, 0, 0x3c00, %a", scalar.F32: "v_cvt_f16_f32 $d, $a",
			scalar.I32: "v_cvt_f32_i32 $0, $a; v_cvt_f16_f32 $d, $0", scalar.U32: "v_cvt_f32_u32 $0, $a; v_cvt_f16_f32 $d, $0",
			// what a float does not have exactly is beyond f16
			scalar.U64: wideToSingle("$7", "$a") + "v_cvt_f16_f32 $d, $7", scalar.I64: magnitude + wideToSingle("$7", "$x") + signSingle + "v_cvt_f16_f32 $d, $8",
		},
	}
}

// signSingle gives the float $7 the sign $s.
const signSingle = "v_and_b32 $t, 0x80000000, $s; v_or_b32 $8, $7, $t; "

// wideToSingle is the float of the unsigned integer $x: its highest bits to the top, with one below
// them if any others are set, which is enough to round by; the exponent behind it.
func wideToSingle(d, x string) string {
	return "v_ffbh_u32 $0, " + x + "h; v_min_u32 $1, 32, $0; v_lshlrev_b64 $2, $1, " + x + "; v_min_u32 $3, 1, $2l; v_or_b32 $4, $2h, $3; " +
		"v_cvt_f32_u32 $5, $4; v_sub_u32 $6, 32, $1; v_ldexp_f32 " + d + ", $5, $6; "
}

// magnitude is the absolute value $x of an integer of two words, with its sign in $s.
const magnitude = "v_ashrrev_i32 $s, 31, $ah; v_xor_b32 $ol, $al, $s; v_xor_b32 $oh, $ah, $s; v_sub_co_u32 $xl, %0, $ol, $s; v_subb_co_u32 $xh, %1, $oh, $s, %0; "

// toWide is the integer of the double $x that is within its bounds: halves by a scaled floor and
// what is left; NaN is 0, as $a says.
func toWide(high, bounds, ordered string) string {
	return bounds + "v_trunc_f64 $0, $x; v_ldexp_f64 $1, $0, -32; v_floor_f64 $2, $1; v_mov_b32 $ol, 0; v_mov_b32 $oh, 0xc1f00000; v_fma_f64 $3, $2, $o, $0; " +
		high + " $4, $2; v_cvt_u32_f64 $5, $3; " + ordered + " %0, $a, $a; v_cndmask_b32 $dl, 0, $5, %0; v_cndmask_b32 $dh, 0, $4, %0"
}

// boundsOf limits the double y to two others, by their upper words and the lower word of the
// second.
func boundsOf(y, least, mostHigh, mostLow string) string {
	return "v_mov_b32 $pl, 0; v_mov_b32 $ph, " + least + "; v_max_f64 $q, " + y + ", $p; v_mov_b32 $rl, " + mostLow + "; v_mov_b32 $rh, " + mostHigh + "; v_min_f64 $x, $q, $r; "
}

// conversions are those templates, read.
var conversions struct {
	once sync.Once
	all  [scalar.Count][scalar.Count]template
}

func conversionTemplates() *[scalar.Count][scalar.Count]template {
	conversions.once.Do(func() {
		prepare()
		for to, list := range conversionRows() {
			for from, text := range list {
				conversions.all[to][from] = readTemplate(text)
			}
		}
	})
	return &conversions.all
}

// Expresses reports whether there are instructions for an operation on a kind, and Converts whether
// for a conversion.
func Expresses(o op.Op, k scalar.Kind) bool {
	f := formsOf(false, false)
	if c := comparisons[o]; c.integer != "" {
		return k == scalar.Bool || compareOps[o][k] != 0
	}
	return f[o][k] != nil || k == scalar.F16 && f[o][scalar.F32] != nil
}

// Converts reports whether there are instructions for a conversion.
func Converts(to, from scalar.Kind) bool { return conversionTemplates()[to][from] != nil }
