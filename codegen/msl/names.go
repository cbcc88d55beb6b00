package msl

import (
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen/printer"
)

// This file lists the words that no name of a program may be. They are C++14's keywords ([lex.key],
// with the alternative operators), those that Metal adds, and what <metal_stdlib> declares in the
// namespace that the code uses. A variable could hide most of the latter, but then no code in its
// scope could call them. Macros cannot be hidden.

const keywords = `alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl
const const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false
float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
protected public register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq final override import module concept requires co_await co_return co_yield char8_t consteval constinit
restrict main
constant device threadgroup thread threadgroup_imageblock ray_data object_data kernel vertex fragment mesh object
visible intersection texture sampler access metal simd half uchar ushort uint ulong size_t ptrdiff_t bfloat
int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t`

const library = `abs absdiff acos acosh addsat all any array array_ref asin asinh as_type atan atan2 atan2pi atanh
atomic atomic_bool atomic_compare_exchange_weak_explicit atomic_exchange_explicit atomic_fetch_add_explicit
atomic_fetch_and_explicit atomic_fetch_max_explicit atomic_fetch_min_explicit atomic_fetch_or_explicit
atomic_fetch_sub_explicit atomic_fetch_xor_explicit atomic_float atomic_int atomic_load_explicit atomic_store_explicit
atomic_thread_fence atomic_uint atomic_ulong bfloat2 bfloat3 bfloat4 ceil clamp clz copysign cos cosh cospi cross ctz
determinant distance distance_squared divide dot exp exp10 exp2 extract_bits fabs faceforward fast fdim floor fma fmax
fmax3 fmedian3 fmin fmin3 fmod forward fract frexp hadd hash ilogb imageblock insert_bits is_function_constant_defined
isfinite isinf isnan isnormal isordered isunordered ldexp length length_squared level log log10 log2 mad24 madhi madsat
max max3 median3 mem_flags mem_none mem_device mem_threadgroup mem_texture memory_order memory_order_relaxed
memory_scope min min3 mix modf move mul24 mulhi nextafter normalize numeric_limits patch_control_point popcount pow
powr precise quad_active_threads_mask quad_all quad_and quad_any quad_ballot quad_broadcast quad_broadcast_first
quad_is_first quad_is_helper_thread quad_max quad_min quad_or quad_product quad_shuffle quad_shuffle_and_fill_down
quad_shuffle_and_fill_up quad_shuffle_down quad_shuffle_rotate_down quad_shuffle_rotate_up quad_shuffle_up
quad_shuffle_xor quad_sum quad_vote quad_xor reflect refract reverse_bits rhadd rint rotate round rsqrt saturate select
sign signbit simdgroup simdgroup_barrier simd_active_threads_mask simd_all simd_and simd_any simd_ballot simd_broadcast
simd_broadcast_first simd_is_first simd_is_helper_thread simd_max simd_min simd_or simd_prefix_exclusive_product
simd_prefix_exclusive_sum simd_prefix_inclusive_product simd_prefix_inclusive_sum simd_product simd_shuffle
simd_shuffle_and_fill_down simd_shuffle_and_fill_up simd_shuffle_down simd_shuffle_rotate_down simd_shuffle_rotate_up
simd_shuffle_up simd_shuffle_xor simd_sum simd_vote simd_xor simdgroup_bfloat8x8 simdgroup_float8x8 simdgroup_half8x8 simdgroup_load
simdgroup_matrix simdgroup_multiply simdgroup_multiply_accumulate simdgroup_store make_filled_simdgroup_matrix sin sincos sinh sinpi smoothstep sqrt step sub_sat subsat
address address_mode bias border_color compare_func component coord depth2d depth2d_array depth2d_ms depthcube
depthcube_array filter gradient2d gradient3d gradientcube lod_options mag_filter max_anisotropy min_filter
min_lod_clamp mip_filter texture1d texture1d_array texture2d texture2d_array texture2d_ms texture2d_ms_array texture3d
texture_buffer texturecube texturecube_array swap tan tanh tanpi threadgroup_barrier transpose trunc uniform unpack vec matrix`

const macros = `INFINITY NAN HUGE_VALF HUGE_VALH MAXFLOAT MAXHALF M_E_F M_E_H M_PI_F M_PI_H FLT_MAX FLT_MIN FLT_EPSILON HALF_MAX
HALF_MIN HALF_EPSILON INT_MAX INT_MIN UINT_MAX SHRT_MAX SHRT_MIN USHRT_MAX CHAR_BIT CHAR_MAX CHAR_MIN LONG_MAX LONG_MIN
ULONG_MAX NULL assert`

// stems are the scalars of which there are vectors, matrices and packed vectors.
const stems = "bool char uchar short ushort int uint long ulong half float"

// reserved are all those words, and reservedOfMembers those that no member of a structure can be
// called.
var (
	reserved          = sync.OnceValue(func() map[string]bool { return wordsOf(keywords, macros, library) })
	reservedOfMembers = sync.OnceValue(func() map[string]bool { return wordsOf(keywords, macros) })
)

func wordsOf(lists ...string) map[string]bool {
	taken := make(map[string]bool, 800)
	for _, words := range lists {
		for word := range strings.FieldsSeq(words) {
			taken[word] = true
		}
	}
	for stem := range strings.FieldsSeq(stems) {
		for _, columns := range [...]string{"2", "3", "4"} {
			taken[stem+columns], taken["packed_"+stem+columns] = true, true
			for _, rows := range [...]string{"2", "3", "4"} {
				taken[stem+columns+"x"+rows] = true
			}
		}
	}
	return taken
}

// initNames makes the words taken.
func initNames(n *printer.Namer) {
	n.ASCII, n.Reserved = true, reserved()
	n.Init(16)
}
