package gfx942

import "strings"

// The instructions that MGPUSim executes, and those that it executes wrongly. TestSecondOpinion
// executes all of them on both sides and fails if one is in the wrong list or in none.

// executedByMGPUSim are those that MGPUSim executes.
var executedByMGPUSim = wordsOf(`
	s_add_u32 s_sub_u32 s_add_i32 s_sub_i32 s_addc_u32 s_subb_u32 s_min_i32 s_min_u32 s_max_i32 s_max_u32 s_cselect_b32 s_cselect_b64 s_and_b32 s_and_b64
	s_or_b32 s_or_b64 s_xor_b32 s_xor_b64 s_andn2_b32 s_andn2_b64 s_orn2_b32 s_orn2_b64 s_lshl_b32 s_lshl_b64 s_lshr_b32 s_lshr_b64 s_ashr_i32 s_ashr_i64
	s_bfm_b32 s_mul_i32 s_bfe_u32 s_mul_hi_u32 s_cmpk_eq_i32 s_cmpk_lg_i32 s_mulk_i32 s_mov_b32 s_mov_b64 s_brev_b32 s_getpc_b64 s_and_saveexec_b64
	s_or_saveexec_b64 s_xor_saveexec_b64 s_andn2_saveexec_b64 s_orn2_saveexec_b64 s_nand_saveexec_b64 s_nor_saveexec_b64 s_xnor_saveexec_b64 s_cmp_eq_i32
	s_cmp_lg_i32 s_cmp_gt_i32 s_cmp_ge_i32 s_cmp_lt_i32 s_cmp_le_i32 s_cmp_eq_u32 s_cmp_lg_u32 s_cmp_gt_u32 s_cmp_ge_u32 s_cmp_lt_u32 s_cmp_le_u32 s_nop
	s_branch s_cbranch_scc0 s_cbranch_scc1 s_cbranch_vccz s_cbranch_vccnz s_cbranch_execz s_cbranch_execnz s_waitcnt s_load_dword s_load_dwordx2
	s_load_dwordx4 s_load_dwordx8 s_load_dwordx16
	v_cndmask_b32_e32 v_cndmask_b32_e64 v_add_f32_e32 v_sub_f32_e32 v_sub_f32_e64 v_subrev_f32_e32 v_mul_f32_e32 v_mul_f32_e64 v_mul_i32_i24_e32
	v_mul_u32_u24_e32 v_min_i32_e32 v_max_i32_e32 v_min_u32_e32 v_max_u32_e32 v_lshrrev_b32_e32 v_ashrrev_i32_e32 v_lshlrev_b32_e32 v_and_b32_e32
	v_and_b32_sdwa v_or_b32_e32 v_or_b32_sdwa v_xor_b32_e32 v_xor_b32_sdwa v_add_co_u32_e32 v_add_co_u32_e64 v_sub_co_u32_e32 v_sub_co_u32_e64
	v_subrev_co_u32_e32 v_subrev_co_u32_e64 v_addc_co_u32_e64 v_subbrev_co_u32_e64 v_add_u16_e32 v_lshlrev_b16_e32 v_add_u32_e32 v_sub_u32_e32
	v_subrev_u32_e32 v_mov_b32_e32 v_readfirstlane_b32 v_cvt_f64_i32_e32 v_cvt_f32_i32_e32 v_cvt_f32_u32_e32 v_cvt_u32_f32_e32 v_cvt_f32_f64_e32
	v_cvt_f64_f32_e32 v_cvt_f32_ubyte0_e32 v_cvt_f64_u32_e32 v_trunc_f32_e32 v_rndne_f32_e32 v_rcp_f64_e32 v_not_b32_e32 v_bfrev_b32_e32 v_ffbh_u32_e32
	v_mov_b64_e32 v_mad_i32_i24 v_bfe_u32 v_min3_i32 v_min3_u32 v_max3_i32 v_max3_u32 v_med3_i32 v_lshl_add_u32 v_add_lshl_u32 v_add3_u32 v_lshl_or_b32
	v_lshl_add_u64 v_add_f64 v_mul_f64 v_mul_lo_u32 v_mul_hi_u32 v_pk_mul_f32 v_pk_add_f32
	v_cmp_class_f32_e64 v_cmp_lt_f32_e32 v_cmp_lt_f32_e64 v_cmp_eq_f32_e32 v_cmp_le_f32_e32 v_cmp_gt_f32_e32 v_cmp_gt_f32_e64 v_cmp_ge_f32_e32 v_cmp_nlt_f32_e64
	v_cmp_gt_i16_e32 v_cmp_lt_i32_e32 v_cmp_lt_i32_e64 v_cmp_le_i32_e32 v_cmp_le_i32_e64 v_cmp_gt_i32_e32 v_cmp_gt_i32_e64 v_cmp_ne_i32_e32
	v_cmp_ge_i32_e32 v_cmp_ge_i32_e64 v_cmp_lt_u32_e32 v_cmp_lt_u32_e64 v_cmp_eq_u32_e32 v_cmp_eq_u32_e64 v_cmp_le_u32_e32 v_cmp_le_u32_e64
	v_cmp_gt_u32_e32 v_cmp_gt_u32_e64 v_cmp_ne_u32_e32 v_cmp_ne_u32_e64 v_cmp_ge_u32_e32 v_cmp_ge_u32_e64 v_cmp_f_u64_e32 v_cmp_lt_u64_e32
	v_cmp_lt_u64_e64 v_cmp_eq_u64_e32 v_cmp_le_u64_e32 v_cmp_gt_u64_e32 v_cmp_ne_u64_e32 v_cmp_ge_u64_e32 v_cmp_t_u64_e32
	ds_write_b32 ds_write2_b32 ds_write_b8 ds_read_b32 ds_read2_b32 ds_write2_b64 ds_read2_b64 ds_write_b128 ds_read_b128 flat_load_ubyte flat_load_sbyte
	flat_load_ushort flat_load_dword flat_load_dwordx2 flat_load_dwordx4 flat_store_dword flat_store_dwordx2 flat_store_dwordx3 flat_store_dwordx4
	global_load_ubyte global_load_sbyte global_load_ushort global_load_dword global_load_dwordx2 global_load_dwordx4 global_store_dword
	global_store_dwordx2 global_store_dwordx3 global_store_dwordx4
`)

// wrongInMGPUSim are those that MGPUSim has but executes wrongly, with the reason.
var wrongInMGPUSim = []struct{ reason, names string }{
	{"the constant is not sign-extended", "s_movk_i32"},
	{"SCC is never cleared, and depends on bits above the word", "s_not_b32"},
	{"SCC is whether the operand was negative, not whether the result is not zero", "s_abs_i32"},
	{"a field that reaches beyond the word's end is not sign-extended", "s_bfe_i32 v_bfe_i32"},
	{"inactive lanes keep their bits of VCC", "v_addc_co_u32_e32 v_subb_co_u32_e32 v_subbrev_co_u32_e32"},
	{"the carry is not written", "v_mad_u64_u32"},
	{"it is executed as v_mad_u64_u32", "v_mad_u32_u24"},
	{"it is executed as the comparison le", "v_cmp_ge_f32_e64"},
	{"NaN is different from all numbers, and lg is not neq", "v_cmp_lg_f32_e32"},
	{"a signaling NaN is classified as a quiet one", "v_cmp_class_f32_e32"},
	{"the result for a NaN and a number is NaN", "v_min_f32_e32 v_max_f32_e32"},
	{"the result depends on which source is NaN", "v_min3_f32 v_max3_f32 v_med3_f32"},
	{"the result is wrong where two sources are equal", "v_med3_u32"},
	{"the product is rounded before the sum", "v_fmac_f32_e32 v_fmamk_f32 v_fmaak_f32 v_fma_f32 v_fma_f64 v_pk_fma_f32"},
	{"NaN does not become 0", "v_cvt_i32_f32_e32"},
	{"the result is truncated, not rounded, and denormals become 0", "v_cvt_f16_f32_e32"},
	{"denormals are not flushed", "v_exp_f32_e32 v_log_f32_e32 v_rcp_f32_e32 v_rcp_iflag_f32_e32 v_rsq_f32_e32 v_sqrt_f32_e32"},
	{"operands are not scaled, or the result has the wrong sign for quotients that are not finite", "v_div_scale_f32 v_div_fixup_f32"},
	{"the scale of the last step is another than that of the first, and the product is rounded", "v_div_fmas_f32 v_div_fmas_f64"},
	{"shift counts are not modulo 64", "v_lshlrev_b64 v_ashrrev_i64"},
	{"the decoder decodes the destination as a vector register", "v_readlane_b32"},
	{"the offset in the instruction is ignored", "ds_read_b64"},
	{"private memory is accessed as global memory", `
		scratch_load_ubyte scratch_load_sbyte scratch_load_ushort scratch_load_dword scratch_load_dwordx2 scratch_load_dwordx4 scratch_store_dword
		scratch_store_dwordx2 scratch_store_dwordx3 scratch_store_dwordx4`},
	{"the selected parts of registers are ignored", `
		v_cndmask_b32_sdwa v_add_f32_sdwa v_sub_f32_sdwa v_subrev_f32_sdwa v_mul_f32_sdwa v_mul_i32_i24_sdwa v_mul_u32_u24_sdwa v_min_f32_sdwa v_max_f32_sdwa
		v_min_i32_sdwa v_max_i32_sdwa v_min_u32_sdwa v_max_u32_sdwa v_lshrrev_b32_sdwa v_ashrrev_i32_sdwa v_lshlrev_b32_sdwa v_add_co_u32_sdwa
		v_sub_co_u32_sdwa v_subrev_co_u32_sdwa v_addc_co_u32_sdwa v_subb_co_u32_sdwa v_subbrev_co_u32_sdwa v_add_u16_sdwa v_lshlrev_b16_sdwa v_add_u32_sdwa
		v_sub_u32_sdwa v_subrev_u32_sdwa v_fmac_f32_sdwa`},
}

// wordsOf returns the set of the words of a text.
func wordsOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}
