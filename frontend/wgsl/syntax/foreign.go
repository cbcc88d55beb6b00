package syntax

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file recognises files that are not WGSL: another language, prose, pictures. After the first
// few syntax errors, one message says that, instead of a hundred.

// shownForeign is how many diagnostics a file that is not WGSL keeps.
const shownForeign = 5

// languages are the languages most often taken for WGSL, and text that is typical of each.
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

// detectForeign looks back at the parsed file. It is not WGSL if the tokens that look like another
// language, at module scope or in its characters, outnumber the declarations that parse. Then only
// the first messages remain, and one that says so.
func (p *Parser) detectForeign() {
	if p.foreign <= shownForeign {
		return
	}
	understood := 0
	for _, d := range p.tree.Globals {
		if p.tree.Decl(d).Kind != BadDecl {
			understood++
		}
	}
	if p.foreign <= understood {
		return
	}
	p.tree.Foreign = true
	shown := 0
	closing := diag.Diagnostic{Code: diag.Syntax, Span: p.here(),
		Message: "expected WGSL, found what seems to be another language: " + strconv.Itoa(p.foreign) + " tokens are not valid WGSL, and no more of them are shown"}
	if name := guessLanguage(p.text); name != "" {
		closing.Notes = []diag.Note{{Message: "it looks like " + name}}
	}
	p.list.Keep(func(d *diag.Diagnostic) bool {
		if d.Span.Start < p.file.Base { // of another file
			return true
		}
		if shown++; shown == shownForeign+1 {
			closing.Span = d.Span
		}
		return shown <= shownForeign
	})
	p.list.Add(closing)
}

// guessLanguage names the language of which a text has most marks, if there are at least two.
func guessLanguage(text string) (name string) {
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
