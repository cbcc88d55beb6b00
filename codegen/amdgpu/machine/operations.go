package machine

import "strings"

// This file is the table of the instructions that are selected: how many words each operand has, and what it is. The shape of one is
// its results, an equals sign, and its sources, a letter each:
//
//	1 2 3 4  as many words, of vector registers or, as a source, of what the format has there too
//	s S Q    one, two or four words of scalar registers
//	m        a bit for each lane, in one or two scalar registers as waves have 32 or 64 lanes
//	i        a word of an inline constant, or of a vector register
//
// A source that the result is written over has a prime behind it. Names are those of gfx942; others are in package isa.

type opcode uint16

// format is what kind of instruction it is.
type format uint8

const (
	mark   format = iota // no instruction
	salu                 // scalar
	branch               // and what else has no registers
	smem
	vop1
	vop2
	vopc
	vop3 // no shorter encoding
	global
	scratch
	lds
)

// operation is a row.
type operation struct {
	name    string
	format  format
	results uint8 // operands that are results
	shape   []operandShape
	stores  bool
	atomic  bool
	swaps   bool // the first two sources may change places
}

// operandShape is what an operand is.
type operandShape struct {
	words  uint8 // 0 for as many as lanes take
	bank   uint8
	source bool // else a result
	inline bool
	free   bool // a source of a vector operation that may be scalar or constant
}

// The marks.
const (
	labelMark opcode = iota + 1
)

// table are the rows by format, one line of names for each shape. Commutative ones have a star.
var table = []struct {
	format format
	shape  string
	names  string
}{
	{mark, "=", "label"},
	{branch, "=", "s_nop s_waitcnt s_branch s_cbranch_execz s_cbranch_execnz s_cbranch_scc0 s_cbranch_scc1 s_barrier s_endpgm"},
	{salu, "m=m", "s_mov_b? s_not_b?"},
	{salu, "m=mm", "s_and_b? s_or_b? s_xor_b? s_andn2_b? s_orn2_b?"},
	{salu, "s=s", "s_mov_b32 s_ff1_i32_b32"},
	{salu, "S=S", "s_mov_b64"},
	{salu, "S=", "s_getpc_b64"},
	{salu, "s=ss", "s_add_u32 s_addc_u32 s_sub_u32 s_mul_i32 s_mul_hi_u32 s_lshl_b32 s_lshr_b32 s_and_b32 s_or_b32 s_min_u32 s_max_u32"},
	{salu, "S=SS", "s_and_b64"},
	{salu, "=ss", "s_cmp_eq_u32 s_cmp_lg_u32"},
	{smem, "s=S", "s_load_dword"},
	{smem, "S=S", "s_load_dwordx2"},
	{smem, "Q=S", "s_load_dwordx4"},

	{vop1, "1=1", "v_mov_b32 v_not_b32 v_bfrev_b32 v_ffbh_u32 v_ffbh_i32 v_ffbl_b32 v_cvt_f32_i32 v_cvt_f32_u32 v_cvt_u32_f32 v_cvt_i32_f32 " +
		"v_cvt_f16_f32 v_cvt_f32_f16 v_trunc_f32 v_ceil_f32 v_rndne_f32 v_floor_f32 v_exp_f32 v_log_f32 v_rcp_f32 v_rcp_iflag_f32 v_rsq_f32 " +
		"v_sqrt_f32 v_sin_f32 v_cos_f32 v_frexp_exp_i32_f32 v_frexp_mant_f32 v_floor_f16 v_ceil_f16 v_trunc_f16 v_rndne_f16"},
	{vop1, "1=2", "v_cvt_i32_f64 v_cvt_u32_f64 v_cvt_f32_f64"},
	{vop1, "2=1", "v_cvt_f64_i32 v_cvt_f64_u32 v_cvt_f64_f32"},
	{vop1, "2=2", "v_trunc_f64 v_ceil_f64 v_rndne_f64 v_floor_f64 v_rcp_f64 v_rsq_f64"},
	{vop1, "s=v", "v_readfirstlane_b32"},
	{vop2, "1=11", "v_add_f32* v_sub_f32 v_mul_f32* v_min_f32* v_max_f32* v_add_f16* v_sub_f16 v_mul_f16* v_min_f16* v_max_f16* v_min_i32* " +
		"v_max_i32* v_min_u32* v_max_u32* v_lshrrev_b32 v_ashrrev_i32 v_lshlrev_b32 v_and_b32* v_or_b32* v_xor_b32* v_add_u32* v_sub_u32"},
	{vop2, "1=11m", "v_cndmask_b32"},
	{vop2, "1m=11", "v_add_co_u32* v_sub_co_u32"},
	{vop2, "1m=11m", "v_addc_co_u32* v_subb_co_u32"},
	{vop3, "1=11", "v_mul_lo_u32* v_mul_hi_u32* v_mul_hi_i32* v_bcnt_u32_b32 v_mbcnt_lo_u32_b32 v_mbcnt_hi_u32_b32 v_ldexp_f32"},
	{vop3, "1=111", "v_fma_f32 v_fma_f16 v_div_fixup_f32 v_bfe_u32 v_bfe_i32 v_bfi_b32 v_alignbit_b32 v_lshl_add_u32 v_lshl_or_b32 v_add3_u32 v_med3_f32 v_perm_b32"},
	{vop3, "1=111", "v_div_fmas_f32"},
	{vop3, "1m=111", "v_div_scale_f32"},
	{vop3, "2=22", "v_add_f64* v_mul_f64* v_min_f64* v_max_f64*"},
	{vop3, "2=222", "v_fma_f64 v_div_fixup_f64 v_div_fmas_f64"},
	{vop3, "2m=222", "v_div_scale_f64"},
	{vop3, "2=21", "v_ldexp_f64"},
	{vop3, "2=12", "v_lshlrev_b64 v_lshrrev_b64 v_ashrrev_i64"},
	{vop3, "2=212", "v_lshl_add_u64"},
	{vop3, "2m=112", "v_mad_u64_u32 v_mad_i64_i32"},
	{vop3, "s=vs", "v_readlane_b32"},
	{vopc, "m=11", compares("f32", floatConditions) + compares("f16", floatConditions) + compares("i32", integerConditions) +
		compares("u32", integerConditions) + "v_cmp_class_f32"},
	{vopc, "m=22", compares("f64", floatConditions) + compares("i64", integerConditions) + compares("u64", integerConditions)},
	{vopc, "m=21", "v_cmp_class_f64"},

	{global, "v=VA", "global_load_ubyte global_load_ushort global_load_dword"},
	{global, "V=VA", "global_load_dwordx2"},
	{global, "3=VA", "global_load_dwordx3"},
	{global, "4=VA", "global_load_dwordx4"},
	{global, "=VvA", "global_store_byte global_store_short global_store_dword"},
	{global, "=VVA", "global_store_dwordx2"},
	{global, "=V3A", "global_store_dwordx3"},
	{global, "=V4A", "global_store_dwordx4"},
	{global, "v=VvA", "global_atomic_add global_atomic_sub global_atomic_smin global_atomic_smax global_atomic_umin global_atomic_umax " +
		"global_atomic_and global_atomic_or global_atomic_xor global_atomic_swap"},
	{global, "v=VVA", "global_atomic_cmpswap"},
	{scratch, "v=v", "scratch_load_ubyte scratch_load_ushort scratch_load_dword"},
	{scratch, "V=v", "scratch_load_dwordx2"},
	{scratch, "4=v", "scratch_load_dwordx4"},
	{scratch, "=vv", "scratch_store_byte scratch_store_short scratch_store_dword"},
	{scratch, "=vV", "scratch_store_dwordx2"},
	{scratch, "=v4", "scratch_store_dwordx4"},
	{lds, "v=v", "ds_read_u8 ds_read_u16 ds_read_b32"},
	{lds, "V=v", "ds_read_b64"},
	{lds, "4=v", "ds_read_b128"},
	{lds, "=vv", "ds_write_b8 ds_write_b16 ds_write_b32"},
	{lds, "=vV", "ds_write_b64"},
	{lds, "=v4", "ds_write_b128"},
	{lds, "v=vv", "ds_bpermute_b32 ds_add_rtn_u32 ds_sub_rtn_u32 ds_min_rtn_i32 ds_max_rtn_i32 ds_min_rtn_u32 ds_max_rtn_u32 ds_and_rtn_b32 " +
		"ds_or_rtn_b32 ds_xor_rtn_b32 ds_wrxchg_rtn_b32"},
	{lds, "v=vvv", "ds_cmpst_rtn_b32"},
}

const (
	floatConditions   = "lt eq le gt lg ge neq"
	integerConditions = "lt eq le gt ne ge"
)

// compares names the comparisons of a type.
func compares(kind, conditions string) (names string) {
	for _, c := range strings.Fields(conditions) {
		names += "v_cmp_" + c + "_" + kind + " "
	}
	return names
}

// shapes are the letters of shapes. V and A are of memory: two words of an address, and where it is added to, which may be none.
var shapes = map[byte]operandShape{
	'1': {words: 1, free: true}, '2': {words: 2, free: true}, '3': {words: 3}, '4': {words: 4},
	'v': {words: 1}, 'V': {words: 2},
	's': {words: 1, bank: scalars}, 'S': {words: 2, bank: scalars}, 'Q': {words: 4, bank: scalars}, 'A': {words: 2, bank: scalars},
	'm': {bank: scalars},
}

// operations are the rows by number, and numbers those by name.
var operations, numbers = func() ([]operation, map[string]opcode) {
	list, byName := make([]operation, 1), map[string]opcode{}
	for _, line := range table {
		for _, name := range strings.Fields(line.names) {
			name, swaps := strings.CutSuffix(name, "*")
			o := operation{name: name, format: line.format, swaps: swaps}
			results, sources, _ := strings.Cut(line.shape, "=")
			for n, letter := range []byte(results + sources) {
				s := shapes[letter]
				s.source = n >= len(results)
				o.shape = append(o.shape, s)
			}
			o.results = uint8(len(results))
			o.atomic = strings.Contains(name, "_atomic_") || strings.Contains(name, "_rtn_")
			o.stores = strings.Contains(name, "_store_") || strings.Contains(name, "ds_write") || o.atomic
			byName[name] = opcode(len(list))
			list = append(list, o)
		}
	}
	return list, byName
}()

// named returns the number of an instruction of the table.
func named(name string) opcode {
	o := numbers[name]
	if o == 0 {
		panic("machine: there is no row for " + name)
	}
	return o
}
