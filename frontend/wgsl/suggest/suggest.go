// Package suggest finds the name that the author of a program may have meant by an undeclared one:
// a similar name, or the WGSL name for one of another language.
package suggest

import (
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Suggestion is the best match so far for a misspelled name.
type Suggestion struct {
	Name, best string
	// Limit is the greatest edit distance, or 0 for a third of the name's letters.
	Limit    int
	distance int
	Span     source.Span
}

// Consider compares the name with a candidate, and reports whether it is the best so far.
func (s *Suggestion) Consider(candidate string) bool {
	limit := s.Limit
	if limit == 0 {
		limit = max(1, len(s.Name)/3)
	}
	d := distance(s.Name, candidate, limit)
	if d > limit || s.best != "" && d >= s.distance || d >= len(s.Name) {
		return false
	}
	s.best, s.distance, s.Span = candidate, d, source.Span{}
	return true
}

// Best returns the best match for a name among count candidates.
func Best(name string, count int, candidate func(i int) string) *Suggestion {
	s := &Suggestion{Name: name}
	for i := range count {
		s.Consider(candidate(i))
	}
	return s
}

// Word returns the best match, or "".
func (s *Suggestion) Word() string { return s.best }

// AddTo adds a note and a fix with the match, if any, to a diagnostic about the name.
func (s *Suggestion) AddTo(d *diag.Diagnostic) {
	if s.best == "" {
		return
	}
	d.Notes = append(d.Notes, diag.Note{Span: s.Span, Message: "did you mean `" + s.best + "`?"})
	d.Fixes = append(d.Fixes, diag.Fix{Kind: diag.FixSpelling, Span: d.Span, Text: s.best, Message: "replace it by `" + s.best + "`"})
}

// distance returns the Damerau-Levenshtein distance of two names, ignoring case. If it is greater
// than limit, the result is any number greater than limit.
func distance(a, b string, limit int) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(b) > 60 {
		return limit + 1
	}
	var rows [3][64]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := 0; j <= len(b); j++ {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// foreignNames maps names of other languages to the WGSL name.
var foreignNames = diag.Words{
	{"int", "i32"}, {"uint", "u32"}, {"float", "f32"}, {"half", "f16"}, {"double", "f32"}, {"int32", "i32"}, {"uint32", "u32"}, {"float32", "f32"},
	{"int32_t", "i32"}, {"uint32_t", "u32"}, {"unsigned", "u32"}, {"boolean", "bool"}, {"float16", "f16"}, {"float16_t", "f16"},
	{"float2", "vec2f"}, {"float3", "vec3f"}, {"float4", "vec4f"}, {"int2", "vec2i"}, {"int3", "vec3i"}, {"int4", "vec4i"},
	{"uint2", "vec2u"}, {"uint3", "vec3u"}, {"uint4", "vec4u"}, {"half2", "vec2h"}, {"half3", "vec3h"}, {"half4", "vec4h"},
	{"bool2", "vec2<bool>"}, {"bool3", "vec3<bool>"}, {"bool4", "vec4<bool>"}, {"bvec2", "vec2<bool>"}, {"bvec3", "vec3<bool>"}, {"bvec4", "vec4<bool>"},
	{"ivec2", "vec2i"}, {"ivec3", "vec3i"}, {"ivec4", "vec4i"}, {"uvec2", "vec2u"}, {"uvec3", "vec3u"}, {"uvec4", "vec4u"},
	{"mat2", "mat2x2f"}, {"mat3", "mat3x3f"}, {"mat4", "mat4x4f"}, {"float2x2", "mat2x2f"}, {"float3x3", "mat3x3f"}, {"float4x4", "mat4x4f"},
	{"lerp", "mix"}, {"frac", "fract"}, {"rsqrt", "inverseSqrt"}, {"rsqrtf", "inverseSqrt"}, {"inversesqrt", "inverseSqrt"}, {"atan2f", "atan2"},
	{"mad", "fma"}, {"fabs", "abs"}, {"fabsf", "abs"}, {"sqrtf", "sqrt"}, {"powf", "pow"}, {"sinf", "sin"}, {"cosf", "cos"}, {"expf", "exp"}, {"logf", "log"},
	{"fmin", "min"}, {"fmax", "max"}, {"fminf", "min"}, {"fmaxf", "max"}, {"clz", "countLeadingZeros"}, {"popcount", "countOneBits"},
	{"bitCount", "countOneBits"}, {"countbits", "countOneBits"}, {"reversebits", "reverseBits"}, {"bitfieldReverse", "reverseBits"},
	{"firstbithigh", "firstLeadingBit"}, {"firstbitlow", "firstTrailingBit"}, {"findMSB", "firstLeadingBit"}, {"findLSB", "firstTrailingBit"},
	{"roundEven", "round"}, {"ddx", "dpdx"}, {"ddy", "dpdy"}, {"dFdx", "dpdx"}, {"dFdy", "dpdy"},
	{"barrier", "workgroupBarrier"}, {"__syncthreads", "workgroupBarrier"}, {"syncthreads", "workgroupBarrier"},
	{"GroupMemoryBarrierWithGroupSync", "workgroupBarrier"}, {"threadgroup_barrier", "workgroupBarrier"}, {"AllMemoryBarrierWithGroupSync", "workgroupBarrier"},
	{"InterlockedAdd", "atomicAdd"}, {"InterlockedMin", "atomicMin"}, {"InterlockedMax", "atomicMax"}, {"InterlockedAnd", "atomicAnd"},
	{"InterlockedOr", "atomicOr"}, {"InterlockedXor", "atomicXor"}, {"InterlockedExchange", "atomicExchange"},
	{"atomicCompSwap", "atomicCompareExchangeWeak"}, {"atomicCompareExchange", "atomicCompareExchangeWeak"},
	{"asuint", "bitcast<u32>"}, {"asint", "bitcast<i32>"}, {"asfloat", "bitcast<f32>"},
	{"floatBitsToUint", "bitcast<u32>"}, {"floatBitsToInt", "bitcast<i32>"}, {"uintBitsToFloat", "bitcast<f32>"}, {"intBitsToFloat", "bitcast<f32>"},
}

// foreignNotes explain names of other languages that have no WGSL name.
var foreignNotes = diag.Words{
	{"f64", "WGSL has no 64-bit floats; the widest is f32"}, {"i64", "WGSL has no 64-bit integers; the widest are i32 and u32"},
	{"u64", "WGSL has no 64-bit integers; the widest are i32 and u32"}, {"i16", "the integers of WGSL are i32 and u32"},
	{"u16", "the integers of WGSL are i32 and u32"}, {"i8", "the integers of WGSL are i32 and u32"}, {"u8", "the integers of WGSL are i32 and u32"},
	{"usize", "sizes and indices are u32 in WGSL"}, {"size_t", "sizes and indices are u32 in WGSL"}, {"string", "WGSL has no strings"},
	{"len", "in WGSL this is arrayLength(&a) for an array without a size in storage memory; others have a constant number of elements"},
	{"fmod", "in WGSL this is the operator %"}, {"mod", "in WGSL this is the operator %, whose result has the sign of the left side"},
	{"mul", "in WGSL this is the operator *"}, {"isnan", "WGSL lets compilers assume that there are no NaNs and infinities"},
	{"isinf", "WGSL lets compilers assume that there are no NaNs and infinities"},
	{"gl_GlobalInvocationID", "in WGSL this is a parameter with @builtin(global_invocation_id)"},
	{"gl_LocalInvocationID", "in WGSL this is a parameter with @builtin(local_invocation_id)"},
	{"gl_LocalInvocationIndex", "in WGSL this is a parameter with @builtin(local_invocation_index)"},
	{"gl_WorkGroupID", "in WGSL this is a parameter with @builtin(workgroup_id)"},
	{"gl_NumWorkGroups", "in WGSL this is a parameter with @builtin(num_workgroups)"},
	{"gl_WorkGroupSize", "WGSL has no value for this; declare a constant and use it in @workgroup_size, too"},
	{"blockIdx", "in WGSL this is a parameter with @builtin(workgroup_id)"},
	{"threadIdx", "in WGSL this is a parameter with @builtin(local_invocation_id)"},
	{"gridDim", "in WGSL this is a parameter with @builtin(num_workgroups)"},
	{"blockDim", "WGSL has no value for this; declare a constant and use it in @workgroup_size, too"},
	{"print", "WGSL has no output but its buffers; gpuc has printf with `enable gpuc_debug;`"},
	{"println", "WGSL has no output but its buffers; gpuc has printf with `enable gpuc_debug;`"},
}

// NearForeign suggests the WGSL name for a misspelled name of another language: `flaot` is f32.
func NearForeign(d *diag.Diagnostic, name string) {
	s := Suggestion{Name: name}
	for i := range foreignNames {
		s.Consider(foreignNames[i].Word)
	}
	if s.best == "" {
		return
	}
	text, _ := foreignNames.Find(s.best)
	replace(d, text, "did you mean `"+text+"`, which other languages call `"+s.best+"`?")
}

// replace adds a note and a fix that replaces the name of a diagnostic.
func replace(d *diag.Diagnostic, name, note string) {
	d.Notes = append(d.Notes, diag.Note{Message: note})
	d.Fixes = append(d.Fixes, diag.Fix{Kind: diag.FixForeignName, Span: d.Span, Text: name, Message: "replace it by `" + name + "`"})
}

// Foreign suggests the WGSL name for a name of another language, or explains it. It reports whether
// the name is known.
func Foreign(d *diag.Diagnostic, name string) bool {
	other, known := foreignNames.Find(name)
	note, noted := foreignNotes.Find(name)
	switch {
	case noted:
		d.Notes = append(d.Notes, diag.Note{Message: note})
	case known:
		replace(d, other, "in WGSL this is "+other)
	default:
		return false
	}
	return true
}
