package machine

import "strings"

// This file has the templates of integer division: the reciprocal of the divisor in f32, refined by
// Newton steps in integers. The quotient is then too small by two at most, and is corrected (LLVM,
// "expandDivRem32" and AMDGPU's "LowerUDIVREM64").

// quotientOf divides word x by word y, which are names of a template. The quotient is in $7, the
// remainder in $8, and %1 says whether they need a last correction.
func quotientOf(x, y string) string {
	return "v_cvt_f32_u32 $0, " + y + "; v_rcp_iflag_f32 $1, $0; v_mul_f32 $2, 0x4f7ffffe, $1; v_cvt_u32_f32 $3, $2; v_sub_u32 $4, 0, " + y + "; " +
		"v_mul_lo_u32 $5, $4, $3; v_mul_hi_u32 $6, $3, $5; v_add_u32 $3, $3, $6; v_mul_hi_u32 $7, " + x + ", $3; v_mul_lo_u32 $8, $7, " + y + "; " +
		"v_sub_u32 $8, " + x + ", $8; v_cmp_ge_u32 %0, $8, " + y + "; v_add_u32 $4, 1, $7; v_sub_u32 $5, $8, " + y + "; " +
		"v_cndmask_b32 $7, $7, $4, %0; v_cndmask_b32 $8, $8, $5, %0; v_cmp_ge_u32 %1, $8, " + y + "; "
}

// magnitudes computes the absolute values $x and $y of two words, and their signs in $s and $t.
const magnitudes = "v_ashrrev_i32 $s, 31, $a; v_xor_b32 $x, $a, $s; v_sub_u32 $x, $x, $s; v_ashrrev_i32 $t, 31, $b; v_xor_b32 $y, $b, $t; v_sub_u32 $y, $y, $t; "

func unsignedQuotient() string {
	return quotientOf("$a", "$b") + "v_add_u32 $4, 1, $7; v_cndmask_b32 $d, $7, $4, %1"
}

func unsignedRemainder() string {
	return quotientOf("$a", "$b") + "v_sub_u32 $5, $8, $b; v_cndmask_b32 $d, $8, $5, %1"
}

func signedQuotient() string {
	return magnitudes + quotientOf("$x", "$y") + "v_add_u32 $4, 1, $7; v_cndmask_b32 $7, $7, $4, %1; v_xor_b32 $s, $s, $t; v_xor_b32 $7, $7, $s; v_sub_u32 $d, $7, $s"
}

func signedRemainder() string {
	return magnitudes + quotientOf("$x", "$y") + "v_sub_u32 $5, $8, $y; v_cndmask_b32 $8, $8, $5, %1; v_xor_b32 $8, $8, $s; v_sub_u32 $d, $8, $s"
}

// with substitutes names for D, A and B in a template: those of the result and the operands.
func with(template, d, a, b string) string {
	return strings.NewReplacer("D", d, "A", a, "B", b).Replace(template)
}

// Parts of 64-bit division: the lower and the upper half of a product, a sum, a difference, and B
// where %3 is set, else A.
const (
	productLow = "v_mad_u64_u32 $0, %0, Al, Bl, 0; v_mul_lo_u32 $1l, Al, Bh; v_mul_lo_u32 $1h, Ah, Bl; v_add3_u32 Dh, $0h, $1l, $1h; v_mov_b32 Dl, $0l; "
	// the carries of the two middle products go into the last one
	productHigh = "v_mad_u64_u32 $0, %0, Al, Bl, 0; v_mov_b32 $1l, $0h; v_mov_b32 $1h, 0; v_mad_u64_u32 $2, %0, Ah, Bl, $1; v_mov_b32 $3l, $2l; " +
		"v_mov_b32 $3h, 0; v_mad_u64_u32 $4, %0, Al, Bh, $3; v_add_co_u32 $5l, %1, $2h, $4h; v_addc_co_u32 $5h, %2, 0, 0, %1; " +
		"v_mad_u64_u32 $6, %0, Ah, Bh, $5; v_mov_b32 Dl, $6l; v_mov_b32 Dh, $6h; "
	sumLong        = "v_add_co_u32 Dl, %0, Al, Bl; v_addc_co_u32 Dh, %1, Ah, Bh, %0; "
	differenceLong = "v_sub_co_u32 Dl, %0, Al, Bl; v_subb_co_u32 Dh, %1, Ah, Bh, %0; "
	chooseLong64   = "v_cndmask_b32 Dl, Al, Bl, %3; v_cndmask_b32 Dh, Ah, Bh, %3; "
)

// longQuotientOf divides x by y, which have 64 bits. The quotient is in $q, the remainder in $s.
func longQuotientOf(x, y string) string {
	step := with(productLow, "$o", "$n", "$r") + with(productHigh, "$p", "$r", "$o") + with(sumLong, "$z", "$r", "$p") + "v_mov_b32 $rl, $zl; v_mov_b32 $rh, $zh; "
	correct := "v_cmp_ge_u64 %3, $s, " + y + "; v_add_co_u32 $tl, %0, 1, $ql; v_addc_co_u32 $th, %1, 0, $qh, %0; " + with(differenceLong, "$u", "$s", y) +
		with(chooseLong64, "$q", "$q", "$t") + with(chooseLong64, "$s", "$s", "$u")
	return "v_cvt_f32_u32 $6l, " + y + "l; v_cvt_f32_u32 $6h, " + y + "h; v_fma_f32 $7l, $6h, 0x4f800000, $6l; v_rcp_f32 $7h, $7l; " +
		"v_mul_f32 $8l, 0x5f7ffffc, $7h; v_mul_f32 $8h, 0x2f800000, $8l; v_trunc_f32 $9l, $8h; v_fma_f32 $9h, 0xcf800000, $9l, $8l; " +
		"v_cvt_u32_f32 $rl, $9h; v_cvt_u32_f32 $rh, $9l; v_sub_co_u32 $nl, %0, 0, " + y + "l; v_subb_co_u32 $nh, %1, 0, " + y + "h, %0; " + step + step +
		with(productHigh, "$q", x, "$r") + with(productLow, "$o", y, "$q") + with(differenceLong, "$s", x, "$o") + correct + correct
}

// longMagnitudes computes the absolute values $x and $y of two 64-bit operands, and their signs in
// $v and $w.
const longMagnitudes = "v_ashrrev_i32 $v, 31, $ah; v_xor_b32 $ol, $al, $v; v_xor_b32 $oh, $ah, $v; v_sub_co_u32 $xl, %0, $ol, $v; v_subb_co_u32 $xh, %1, $oh, $v, %0; " +
	"v_ashrrev_i32 $w, 31, $bh; v_xor_b32 $ol, $bl, $w; v_xor_b32 $oh, $bh, $w; v_sub_co_u32 $yl, %0, $ol, $w; v_subb_co_u32 $yh, %1, $oh, $w, %0; "

func unsignedLongQuotient() string {
	return longQuotientOf("$a", "$b") + "v_mov_b32 $dl, $ql; v_mov_b32 $dh, $qh"
}

func unsignedLongRemainder() string {
	return longQuotientOf("$a", "$b") + "v_mov_b32 $dl, $sl; v_mov_b32 $dh, $sh"
}

func signedLongQuotient() string {
	return longMagnitudes + longQuotientOf("$x", "$y") + "v_xor_b32 $v, $v, $w; v_xor_b32 $ql, $ql, $v; v_xor_b32 $qh, $qh, $v; " +
		"v_sub_co_u32 $dl, %0, $ql, $v; v_subb_co_u32 $dh, %1, $qh, $v, %0"
}

func signedLongRemainder() string {
	return longMagnitudes + longQuotientOf("$x", "$y") + "v_xor_b32 $sl, $sl, $v; v_xor_b32 $sh, $sh, $v; v_sub_co_u32 $dl, %0, $sl, $v; v_subb_co_u32 $dh, %1, $sh, $v, %0"
}
