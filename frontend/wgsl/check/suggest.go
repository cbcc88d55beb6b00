package check

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
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
	limit := 1 + len(s.name)/4
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

// foreignNames are what other languages call things that WGSL has.
var foreignNames = map[string]string{
	"int": "i32", "uint": "u32", "float": "f32", "half": "f16", "double": "f32", "int32": "i32", "uint32": "u32", "float32": "f32",
	"float2": "vec2f", "float3": "vec3f", "float4": "vec4f", "int2": "vec2i", "int3": "vec3i", "int4": "vec4i",
	"uint2": "vec2u", "uint3": "vec3u", "uint4": "vec4u", "mat2": "mat2x2f", "mat3": "mat3x3f", "mat4": "mat4x4f",
	"lerp": "mix", "frac": "fract", "rsqrt": "inverseSqrt", "inversesqrt": "inverseSqrt", "atan2f": "atan2", "fmod": "the operator %",
	"mod": "the operator %", "mul": "the operator *", "fabs": "abs", "sqrtf": "sqrt", "powf": "pow", "fmin": "min", "fmax": "max",
	"barrier": "workgroupBarrier", "__syncthreads": "workgroupBarrier", "isnan": "x != x", "ternary": "select", "asuint": "bitcast<u32>", "asfloat": "bitcast<f32>",
	"gl_GlobalInvocationID": "a parameter with @builtin(global_invocation_id)",
}

// unknownName reports a name that nothing declares.
func (c *Checker) unknownName(s syntax.Symbol, span source.Span, want wanted) {
	name := c.tree.Text(s)
	kinds := [...]string{wantValue: "value", wantType: "type", wantFunction: "function or type"}
	d := diag.Diagnostic{Code: diag.UnknownName, Span: span, Message: "there is no " + kinds[want] + " named `" + name + "`"}
	best := suggestion{name: name}
	for other, o := range c.current {
		if o == 0 || syntax.Symbol(other) == s {
			continue
		}
		info := c.object(o)
		isType := info.Kind == StructObject || info.Kind == AliasObject
		isFunction := info.Kind == FunctionObject
		if want == wantType && !isType || want == wantValue && (isType || isFunction) || want == wantFunction && !isType && !isFunction {
			continue
		}
		if best.consider(c.tree.Text(syntax.Symbol(other))) {
			best.span = info.Span
		}
	}
	if want != wantValue {
		for i, word := range names.words {
			k := names.meaning[i+1].kind
			if k == functionName && want == wantFunction || k >= scalarName && k <= textureName {
				best.consider(word)
			}
		}
	}
	if other := foreignNames[name]; other != "" && best.best == "" {
		d.Notes = append(d.Notes, diag.Note{Message: "in WGSL this is " + other})
	}
	best.addTo(&d)
	c.list.Add(d)
	// one report for a name is enough
	if c.depth > 0 {
		c.hidden = append(c.hidden, hiding{s, 0})
	}
	c.current[s] = c.newObject(ObjectInfo{Kind: BadObject, Name: s, Span: span, Function: -1})
	c.facts[c.current[s]].depth = ^uint16(0)
}

// maxCandidates is how many overloads a diagnostic lists.
const maxCandidates = 4

// candidates lists the rows that come closest to fitting the arguments.
func (c *Checker) candidates(r rows, arguments []view) []diag.Note {
	type scored struct {
		row   uint16
		score int
	}
	var best []scored
	for i := r.first; i < r.first+r.count; i++ {
		s := &signatures[i]
		var b binding
		score := 0
		for j := range arguments {
			if j < int(s.arity) && c.matchOne(s, &s.parameters[j], &arguments[j], &b) {
				score += 2
			}
		}
		if int(s.arity) == len(arguments) {
			score += 3
		}
		at := len(best)
		for at > 0 && best[at-1].score < score {
			at--
		}
		best = append(best, scored{})
		copy(best[at+1:], best[at:])
		best[at] = scored{i, score}
	}
	var notes []diag.Note
	for i, b := range best {
		if i == maxCandidates {
			notes = append(notes, diag.Note{Message: "and " + strconv.Itoa(len(best)-i) + " more"})
			break
		}
		notes = append(notes, diag.Note{Message: "candidate: " + describeRow(&Builtins[b.row])})
	}
	return notes
}

// describeRow shows a row: `max(T, T) -> T, T: number, or a vector of it`.
func describeRow(b *Builtin) string {
	head, rest, found := strings.Cut(b.Signature, ";")
	if !found {
		head, rest = "", b.Signature
	}
	parameters, result, _ := strings.Cut(rest, "->")
	parameters, result = strings.TrimSpace(parameters), strings.TrimSpace(result)
	text := b.Name + "(" + parameters + ")"
	if b.Flags&Operator != 0 {
		parts := splitOutside(parameters)
		if operator, unary := strings.CutPrefix(b.Name, "unary "); unary {
			text = operator + parts[0]
		} else {
			text = parts[0] + " " + b.Name + " " + parts[1]
		}
	}
	if result != "" {
		text += " -> " + result
	}
	for part := range strings.SplitSeq(head, ",") {
		name, class, ok := strings.Cut(strings.TrimSpace(part), ": ")
		if !ok {
			continue
		}
		class, vector := strings.CutSuffix(class, "*")
		text += ", " + name + ": " + strings.ReplaceAll(class, "|", " or ")
		if vector {
			text += ", or a vector of it"
		}
	}
	return text
}

func itoa(x uint64) string { return strconv.FormatUint(x, 10) }

func constInt(x int64) string { return strconv.FormatInt(x, 10) }
