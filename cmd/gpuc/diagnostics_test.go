package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file holds what people read against testdata/diagnostics: scripts as
// script_test.go describes them. One is named after each code and triggers it;
// the others hold the mistakes that people make who come from another language,
// and the chains of reasons behind non-uniform barriers.

// TestDiagnosticScripts compares every rendered diagnostic to the letter.
func TestDiagnosticScripts(t *testing.T) { scripts(t, "testdata/diagnostics") }

// placeless are the codes whose cause lies on the command line: their messages
// have no place in a source.
var placeless = map[diag.Code]bool{diag.MissingEntryPoint: true, diag.UnknownOverride: true}

// TestEveryCodeIsTriggered finds a script for each code of the table that
// expects it, at a place.
func TestEveryCodeIsTriggered(t *testing.T) {
	for _, code := range diag.Codes() {
		if code == diag.Internal {
			continue // TestInternalDiagnostic
		}
		name := filepath.Join("testdata", "diagnostics", code.String()+".txtar")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("no script triggers %s: %v", code, err)
			continue
		}
		place := `\S+:\d+:\d+: `
		if placeless[code] {
			place = `(\S+:\d+:\d+: )?`
		}
		if !regexp.MustCompile(`(?m)^` + place + `(error|warning|info): .+ \[` + code.String() + `\]$`).Match(text) {
			t.Errorf("%s does not expect %s at a place", name, code)
		}
	}
}

// TestInternalDiagnostic compiles for a target that fails: the panic becomes a
// diagnostic that names the kernel.
func TestInternalDiagnostic(t *testing.T) {
	var set source.Set
	var list diag.List
	file, err := set.Add("a.wgsl", "@compute @workgroup_size(1)\nfn main() {}")
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	broken := &codegen.Target{Name: abi.Target("broken"), Emit: func(*codegen.Emission) []byte { panic("no code today") }}
	if codegen.Compile(m, "main", broken, &codegen.Options{}, &list) != nil {
		t.Error("a target that fails gives code")
	}
	const want = "a.wgsl:2:4: error: internal error while compiling kernel `main` for broken: no code today [internal]"
	var text strings.Builder
	if err := diag.Write(&text, &set, list.Items()); err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(text.String(), "\n"); first != want {
		t.Errorf("got %q, want %q", first, want)
	}
}

// TestCheckJSON reads the diagnostics of check -json as a tool does: by the fields
// that docs/reference/json.md promises and no others. What is said must agree with the text form.
func TestCheckJSON(t *testing.T) {
	type place struct {
		File                             string
		Line, Column, EndLine, EndColumn int
		Offset, EndOffset                int
	}
	type note struct {
		Message string
		Place   *place
		Text    *string
	}
	type diagnostic struct {
		Severity, Code, Message, Label string
		Place                          *place
		Notes, Fixes                   []note
	}
	const text = "fn f(i: i32, n: u32) {\n  let ä = /* ü */ i % n;\n  let b = colour;\n}\n@compute @workgroup_size(1) fn main() {}\n"
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.wgsl", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, shown, ignored bytes.Buffer
	if code := execute(&environment{stdout: &out, stderr: &ignored}, []string{"check", "-json", "a.wgsl"}); code != exitDiagnostics {
		t.Errorf("check -json ends with %d", code)
	}
	if ignored.Len() > 0 {
		t.Errorf("check -json writes to standard error: %s", ignored.String())
	}
	execute(&environment{stdout: &ignored, stderr: &shown}, []string{"check", "a.wgsl"})
	inside := func(p *place, want string) {
		t.Helper()
		if p == nil || p.File != "a.wgsl" || p.Offset < 0 || p.EndOffset > len(text) || text[p.Offset:p.EndOffset] != want {
			t.Errorf("the place %+v is not that of %q", p, want)
		}
	}
	var whole struct{ Diagnostics json.RawMessage }
	if err := json.Unmarshal(out.Bytes(), &whole); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(whole.Diagnostics))
	decoder.DisallowUnknownFields()
	var all []diagnostic
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if d.Place == nil {
			t.Fatalf("%s has no place", d.Message)
		}
		head := fmt.Sprintf("a.wgsl:%d:%d: %s: %s [%s]\n", d.Place.Line, d.Place.Column, d.Severity, d.Message, d.Code)
		if !strings.Contains(shown.String(), head) {
			t.Errorf("the text form lacks %q:\n%s", head, shown.String())
		}
		for _, n := range append(d.Notes, d.Fixes...) {
			if !strings.Contains(shown.String(), n.Message) {
				t.Errorf("the text form lacks %q", n.Message)
			}
		}
	}
	if len(all) != 2 || all[0].Code != "no-overload" || all[1].Code != "unknown-name" {
		t.Fatalf("the diagnostics are %+v", all)
	}
	d := all[0]
	inside(d.Place, "%")
	if d.Place.Line != 2 || d.Place.Column != 21 || d.Place.EndLine != 2 || d.Place.EndColumn != 22 {
		t.Errorf("the operator is at %+v", d.Place)
	}
	inside(d.Notes[0].Place, "i")
	inside(d.Notes[1].Place, "n")
	if len(d.Fixes) != 1 || *d.Fixes[0].Text != "i32(n)" {
		t.Fatalf("the fixes are %+v", d.Fixes)
	}
	inside(d.Fixes[0].Place, "n")
}
