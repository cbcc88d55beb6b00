package syntax

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file is about files that are not WGSL: another language, prose, pictures. One
// message says that, behind the first few that show it, instead of a hundred.

// shownStrange is how many diagnostics a file that is not WGSL keeps.
const shownStrange = 5

// languages are what is taken for WGSL most often, and what tells each from the others.
var languages = []struct {
	name  string
	marks []string
}{
	{"HLSL", []string{"[numthreads", "cbuffer ", "RWStructuredBuffer", "SV_DispatchThreadID", "register(", "groupshared "}},
	{"GLSL", []string{"#version", "layout(", "gl_GlobalInvocationID", "gl_", "uniform ", "shared "}},
	{"CUDA", []string{"__global__", "__device__", "threadIdx", "<<<", "__syncthreads", "__shared__"}},
	{"OpenCL C", []string{"__kernel", "kernel void", "__global ", "get_global_id", "__local "}},
	{"Metal", []string{"metal_stdlib", "kernel void", "[[thread_position_in_grid]]", "[[buffer(", "device float"}},
	{"Rust", []string{"impl ", "pub fn", "pub struct", "let mut ", "use std::", "#[derive", "println!", "&self", "&str"}},
	{"C or C++", []string{"#include <", "int main(", "#define ", "typedef ", "printf(", "std::", "const char", "nullptr", "malloc("}},
	{"Go", []string{"package ", "import (", "func ", ":= ", "[]string", "err != nil"}},
	{"Python", []string{"def ", "import ", "self.", "__name__", "elif ", "None"}},
	{"JavaScript", []string{"function ", "=> ", "console.log", "const {", "require(", "await ", "undefined"}},
	{"JSON", []string{"\": \"", "\": {", "\": [", "\": null", "\": true"}},
	{"Markdown", []string{"\n## ", "\n```", "\n- ", "](", "\n| ", "**"}},
	{"HTML or XML", []string{"<!DOCTYPE", "<?xml", "</", "<html", "<head", "/>"}},
}

// judge looks back at a file. One that has more places that look like another
// language, at its top level or in its characters, than declarations that make sense
// is not WGSL: the first messages about it stay, and one that says so.
func (p *Parser) judge() {
	if p.strange <= shownStrange {
		return
	}
	understood := 0
	for _, d := range p.tree.Globals {
		if p.tree.Decl(d).Kind != BadDecl {
			understood++
		}
	}
	if p.strange <= understood {
		return
	}
	p.tree.Foreign = true
	shown := 0
	closing := diag.Diagnostic{Code: diag.Syntax, Span: p.here(),
		Message: "expected WGSL, found what seems to be another language: " + strconv.Itoa(p.strange) + " places make no sense in WGSL, and no more of them are shown"}
	if name := guess(p.text); name != "" {
		closing.Notes = []diag.Note{{Message: "it looks like " + name}}
	}
	p.list.Keep(func(d *diag.Diagnostic) bool {
		if d.Span.Start < p.file.Base { // of another file
			return true
		}
		if shown++; shown == shownStrange+1 {
			closing.Span = d.Span
		}
		return shown <= shownStrange
	})
	p.list.Add(closing)
}

// guess names the language that a text has most marks of, if that are at least two.
func guess(text string) (name string) {
	most := 1
	for _, l := range languages {
		n := 0
		for _, mark := range l.marks {
			if strings.Contains(text, mark) {
				n++
			}
		}
		if n > most {
			name, most = l.name, n
		}
	}
	return name
}
