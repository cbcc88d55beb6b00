package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file finds what the author may have meant: names that are spelled alike,
// and the overloads that come closest. It runs only when there is an error.

// suggestion collects the best match for a misspelled name.
type suggestion struct {
	name, best string
	distance   int
	span       source.Span
}

// consider takes a candidate that exists.
func (s *suggestion) consider(candidate string) bool {
	limit := max(1, len(s.name)/3)
	d := distance(s.name, candidate, limit)
	if d > limit || s.best != "" && d >= s.distance || d >= len(s.name) {
		return false
	}
	s.best, s.distance, s.span = candidate, d, source.Span{}
	return true
}

// addTo adds the suggestion to a diagnostic at the name.
func (s *suggestion) addTo(d *diag.Diagnostic) {
	if s.best == "" {
		return
	}
	d.Notes = append(d.Notes, diag.Note{Span: s.span, Message: "did you mean `" + s.best + "`?"})
	d.Fixes = append(d.Fixes, diag.Fix{Span: d.Span, Text: s.best, Message: "replace it by `" + s.best + "`"})
}

// distance is the number of insertions, deletions, replacements and exchanges of
// neighbours between two names, ignoring case at no cost; beyond limit it may be
// any number above limit.
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

// wanted says what kind of name is looked for.
type wanted uint8

const (
	wantValue wanted = iota
	wantType
	wantFunction
)

// foreignNames are what other languages call things that WGSL has under another
// name.
var foreignNames = map[string]string{
	"int": "i32", "uint": "u32", "float": "f32", "half": "f16", "double": "f32", "int32": "i32", "uint32": "u32", "float32": "f32",
	"int32_t": "i32", "uint32_t": "u32", "unsigned": "u32", "boolean": "bool", "float16": "f16", "float16_t": "f16",
	"float2": "vec2f", "float3": "vec3f", "float4": "vec4f", "int2": "vec2i", "int3": "vec3i", "int4": "vec4i",
	"uint2": "vec2u", "uint3": "vec3u", "uint4": "vec4u", "half2": "vec2h", "half3": "vec3h", "half4": "vec4h",
	"bool2": "vec2<bool>", "bool3": "vec3<bool>", "bool4": "vec4<bool>", "bvec2": "vec2<bool>", "bvec3": "vec3<bool>", "bvec4": "vec4<bool>",
	"ivec2": "vec2i", "ivec3": "vec3i", "ivec4": "vec4i", "uvec2": "vec2u", "uvec3": "vec3u", "uvec4": "vec4u",
	"mat2": "mat2x2f", "mat3": "mat3x3f", "mat4": "mat4x4f", "float2x2": "mat2x2f", "float3x3": "mat3x3f", "float4x4": "mat4x4f",
	"lerp": "mix", "frac": "fract", "rsqrt": "inverseSqrt", "rsqrtf": "inverseSqrt", "inversesqrt": "inverseSqrt", "atan2f": "atan2",
	"mad": "fma", "fabs": "abs", "fabsf": "abs", "sqrtf": "sqrt", "powf": "pow", "sinf": "sin", "cosf": "cos", "expf": "exp", "logf": "log",
	"fmin": "min", "fmax": "max", "fminf": "min", "fmaxf": "max", "clz": "countLeadingZeros", "popcount": "countOneBits",
	"bitCount": "countOneBits", "countbits": "countOneBits", "reversebits": "reverseBits", "bitfieldReverse": "reverseBits",
	"firstbithigh": "firstLeadingBit", "firstbitlow": "firstTrailingBit", "findMSB": "firstLeadingBit", "findLSB": "firstTrailingBit",
	"roundEven": "round", "ddx": "dpdx", "ddy": "dpdy", "dFdx": "dpdx", "dFdy": "dpdy", "len": "arrayLength", "length_of": "arrayLength",
	"barrier": "workgroupBarrier", "__syncthreads": "workgroupBarrier", "syncthreads": "workgroupBarrier",
	"GroupMemoryBarrierWithGroupSync": "workgroupBarrier", "threadgroup_barrier": "workgroupBarrier", "AllMemoryBarrierWithGroupSync": "workgroupBarrier",
	"InterlockedAdd": "atomicAdd", "InterlockedMin": "atomicMin", "InterlockedMax": "atomicMax", "InterlockedAnd": "atomicAnd",
	"InterlockedOr": "atomicOr", "InterlockedXor": "atomicXor", "InterlockedExchange": "atomicExchange",
	"atomicCompSwap": "atomicCompareExchangeWeak", "atomicCompareExchange": "atomicCompareExchangeWeak",
	"asuint": "bitcast<u32>", "asint": "bitcast<i32>", "asfloat": "bitcast<f32>",
	"floatBitsToUint": "bitcast<u32>", "floatBitsToInt": "bitcast<i32>", "uintBitsToFloat": "bitcast<f32>", "intBitsToFloat": "bitcast<f32>",
}

// foreignNotes are what to write instead of names that no name of WGSL replaces.
var foreignNotes = map[string]string{
	"f64": "WGSL has no 64-bit floats; the widest is f32", "i64": "WGSL has no 64-bit integers; the widest are i32 and u32",
	"u64": "WGSL has no 64-bit integers; the widest are i32 and u32", "i16": "the integers of WGSL are i32 and u32",
	"u16": "the integers of WGSL are i32 and u32", "i8": "the integers of WGSL are i32 and u32", "u8": "the integers of WGSL are i32 and u32",
	"usize": "sizes and indices are u32 in WGSL", "size_t": "sizes and indices are u32 in WGSL", "string": "WGSL has no strings",
	"fmod": "in WGSL this is the operator %", "mod": "in WGSL this is the operator %, whose result has the sign of the left side",
	"mul": "in WGSL this is the operator *", "isnan": "WGSL lets compilers assume that there are no NaNs and infinities",
	"isinf":                   "WGSL lets compilers assume that there are no NaNs and infinities",
	"gl_GlobalInvocationID":   "in WGSL this is a parameter with @builtin(global_invocation_id)",
	"gl_LocalInvocationID":    "in WGSL this is a parameter with @builtin(local_invocation_id)",
	"gl_LocalInvocationIndex": "in WGSL this is a parameter with @builtin(local_invocation_index)",
	"gl_WorkGroupID":          "in WGSL this is a parameter with @builtin(workgroup_id)",
	"gl_NumWorkGroups":        "in WGSL this is a parameter with @builtin(num_workgroups)",
	"gl_WorkGroupSize":        "WGSL has no value for this; declare a constant and use it in @workgroup_size, too",
	"blockIdx":                "in WGSL this is a parameter with @builtin(workgroup_id)",
	"threadIdx":               "in WGSL this is a parameter with @builtin(local_invocation_id)",
	"gridDim":                 "in WGSL this is a parameter with @builtin(num_workgroups)",
	"blockDim":                "WGSL has no value for this; declare a constant and use it in @workgroup_size, too",
	"printf":                  "WGSL has no output but its buffers",
	"println":                 "WGSL has no output but its buffers",
}

// maxCompared is how many names of a program are compared with unknown ones: a
// program of thousands of unknown names is not to take a time that is the square of it.
const maxCompared = 1 << 20

// unknownName reports a name that nothing declares.
func (c *Checker) unknownName(s syntax.Symbol, span source.Span, want wanted) {
	if c.lost(s) {
		c.poison(s, span)
		return
	}
	name := c.tree.Text(s)
	kinds := [...]string{wantValue: "value", wantType: "type", wantFunction: "function or type"}
	d := diag.Diagnostic{Code: diag.UnknownName, Span: span, Message: "there is no " + kinds[want] + " named `" + name + "`"}
	best := suggestion{name: name}
	candidates := c.current
	if c.compared += len(candidates); c.compared > maxCompared {
		candidates = nil
	}
	for other, o := range candidates {
		if o == 0 || syntax.Symbol(other) == s {
			continue
		}
		info := c.object(o)
		if info.Kind == semantics.BadObject && c.facts[o].depth == ^uint16(0) {
			continue // unknown, too
		}
		isType := info.Kind == semantics.StructObject || info.Kind == semantics.AliasObject
		isFunction := info.Kind == semantics.FunctionObject
		if want == wantType && !isType || want == wantValue && (isType || isFunction) || want == wantFunction && !isType && !isFunction {
			continue
		}
		if best.consider(c.tree.Text(syntax.Symbol(other))) {
			best.span = info.Span
		}
	}
	if want != wantValue {
		for i, word := range semantics.Words() {
			k := semantics.Lookup(syntax.Symbol(i + 1)).Kind
			if k == semantics.FunctionName && want == wantFunction || k >= semantics.ScalarName && k <= semantics.TextureName {
				best.consider(word)
			}
		}
	}
	switch other, note := foreignNames[name], foreignNotes[name]; {
	case note != "":
		d.Notes = append(d.Notes, diag.Note{Message: note})
	case other != "":
		d.Notes = append(d.Notes, diag.Note{Message: "in WGSL this is " + other})
		d.Fixes = append(d.Fixes, diag.Fix{Span: span, Text: other, Message: "replace it by `" + other + "`"})
	default:
		best.addTo(&d)
	}
	c.list.Add(d)
	c.poison(s, span)
}

// lost reports whether a name may be declared where the parser understood nothing.
func (c *Checker) lost(s syntax.Symbol) bool { return slices.Contains(c.tree.Lost, s) }

// poison declares an unknown name, because one report for it is enough.
func (c *Checker) poison(s syntax.Symbol, span source.Span) {
	if c.depth > 0 {
		c.hidden = append(c.hidden, hiding{s, 0})
	}
	c.current[s] = c.newObject(semantics.ObjectInfo{Kind: semantics.BadObject, Name: s, Span: span, Function: -1})
	c.facts[c.current[s]].depth = ^uint16(0)
}

// maxCandidates is how many overloads a diagnostic lists.
const maxCandidates = 4

// candidates lists the rows that come closest to fitting the arguments.
func (c *Checker) candidates(r semantics.Rows, arguments []view) []diag.Note {
	best := c.closest(r, arguments)
	var notes []diag.Note
	for i, b := range best {
		if b.score+3 < best[0].score {
			break // as far off as those behind it
		}
		if i == maxCandidates {
			notes = append(notes, diag.Note{Message: "and " + strconv.Itoa(len(best)-i) + " more"})
			break
		}
		notes = append(notes, diag.Note{Message: "candidate: " + describeRow(&semantics.Builtins[b.row])})
	}
	return notes
}

// scored is a row and how well it fits.
type scored struct {
	row   uint16
	score int
}

// closest sorts rows by how well the arguments fit them, the best first.
func (c *Checker) closest(r semantics.Rows, arguments []view) []scored {
	var best []scored
	for i := r.First; i < r.First+r.Count; i++ {
		s := &signatures[i]
		var b binding
		score := 0
		for j := range arguments {
			if j >= int(s.arity) {
				continue
			}
			p, a := &s.parameters[j], &arguments[j]
			if p.form == textureForm && a.kind == ir.TextureType && p.textures>>a.shape&1 != 0 {
				score += 7 // the shape decides what the other arguments are
			}
			if c.matchOne(p, a, &b) {
				score += 4
			} else if formKinds[p.form]>>a.kind&1 != 0 {
				score++ // the right kind of type at least
			}
		}
		if int(s.arity) == len(arguments) {
			score += 6
		}
		at := len(best)
		for at > 0 && best[at-1].score < score {
			at--
		}
		best = append(best, scored{})
		copy(best[at+1:], best[at:])
		best[at] = scored{i, score}
	}
	return best
}

// formKinds are the kinds of type that a form is made for, as bits.
var formKinds = [...]uint32{
	scalarForm: 1 << ir.ScalarType, shapedForm: 1<<ir.ScalarType | 1<<ir.VectorType, vectorForm: 1 << ir.VectorType,
	matrixForm: 1 << ir.MatrixType, atomicForm: 1 << ir.PointerType, runtimeForm: 1 << ir.PointerType, bufferForm: 1 << ir.PointerType,
	workgroupForm: 1 << ir.PointerType, textureForm: 1 << ir.TextureType, texelForm: 1 << ir.VectorType,
	samplerForm: 1 << ir.SamplerType, comparisonForm: 1 << ir.SamplerType,
}

// describeRow shows a row: `max(T, T) -> T, T: number, or a vector of it`.
func describeRow(b *semantics.Builtin) string {
	head, rest, found := strings.Cut(b.Signature, ";")
	if !found {
		head, rest = "", b.Signature
	}
	parameters, result, _ := strings.Cut(rest, "->")
	parameters, result = strings.TrimSpace(parameters), strings.TrimSpace(result)
	parameters, sized := describeParameters(parameters)
	name := b.Name
	if strings.HasSuffix(result, "template") || strings.HasSuffix(result, "view") {
		name += "<T>"
	}
	text := name + "(" + parameters + ")"
	if b.Flags&semantics.Operator != 0 {
		parts := splitOutside(parameters)
		if operator, unary := strings.CutPrefix(b.Name, "unary "); unary {
			text = operator + parts[0]
		} else {
			text = parts[0] + " " + b.Name + " " + parts[1]
		}
	}
	if result != "" {
		result, _ = describeParameters(result)
		text += " -> " + result
	}
	for part := range strings.SplitSeq(head, ",") {
		name, class, ok := strings.Cut(strings.TrimSpace(part), ": ")
		if !ok {
			continue
		}
		class, vector := strings.CutSuffix(class, "*")
		text += ", " + name + ": " + strings.ReplaceAll(class, "|", " or ")
		switch {
		case vector && sized:
			text += ", or vectors of one size"
		case vector:
			text += ", or a vector of it"
		}
	}
	return text
}

// describeParameters shows the patterns of a signature as types: u32(T), which
// means a u32 for each component of T, as u32, and pointers in full. It reports
// whether there was such a u32(T).
func describeParameters(text string) (shown string, sized bool) {
	text = strings.ReplaceAll(text, "atomic<", "ptr<_, atomic<")
	if at := strings.Index(text, "ptr<_, atomic<"); at >= 0 {
		end := at + strings.Index(text[at:], ">") + 1
		text = text[:end] + ", read_write>" + text[end:]
	}
	if strings.HasPrefix(text, "runtime") {
		text = "ptr<storage, array<_>>" + strings.TrimPrefix(text, "runtime")
	}
	switch {
	case text == "template":
		text = "T"
	case text == "view":
		text = "ptr<_, T>"
	case strings.HasPrefix(text, "buffer"):
		text = "ptr<_, buffer>" + strings.TrimPrefix(text, "buffer")
	}
	shown = strings.ReplaceAll(text, "(T)", "")
	return shown, shown != text
}

func itoa(x uint64) string { return strconv.FormatUint(x, 10) }

func constInt(x int64) string { return strconv.FormatInt(x, 10) }
