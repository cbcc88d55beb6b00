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

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestDiagnosticScripts runs the scripts in testdata/diagnostics. There is one for each code, with
// its name. Others have mistakes of people who know another language, and reasons for non-uniform
// barriers.
func TestDiagnosticScripts(t *testing.T) { scripts(t, "testdata/diagnostics") }

// withoutPosition are the codes whose cause may be on the command line.
var withoutPosition = map[diag.Code]bool{diag.MissingEntryPoint: true, diag.UnknownOverride: true}

// TestEveryCodeIsTriggered: there is a script for each code that expects it, with a position.
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
		position := `\S+:\d+:\d+: `
		if withoutPosition[code] {
			position = `(\S+:\d+:\d+: )?`
		}
		if !regexp.MustCompile(`(?m)^` + position + `(error|warning|info): .+ \[` + code.String() + `\]$`).Match(text) {
			t.Errorf("%s does not expect %s with a position", name, code)
		}
	}
}

// TestInternalDiagnostic: a panic of the compiler becomes a diagnostic that names the kernel.
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

// TestCheckJSON: the diagnostics of check -json have the fields of docs/reference/json.md and no
// others, and say the same as the text.
func TestCheckJSON(t *testing.T) {
	type location struct {
		File                             string
		Line, Column, EndLine, EndColumn int
		Offset, EndOffset                int
	}
	type note struct {
		Message  string
		Location *location `json:"place"`
		Text     *string
	}
	type diagnostic struct {
		Severity, Code, Message, Label string
		Location                       *location `json:"place"`
		Notes, Fixes                   []note
	}
	const text = "fn f(i: i32, n: u32) {\n  let ä = /* ü */ i % n;\n  let b = colour;\n}\n@compute @workgroup_size(1) fn main() {}\n"
	t.Chdir(t.TempDir())
	write(t, "a.wgsl", text)
	out, failed, code := execute("check", "-json", "a.wgsl")
	if code != cli.ExitDiagnostics || failed != "" {
		t.Errorf("check -json ends with %d, and writes %q to standard error", code, failed)
	}
	_, shown, _ := execute("check", "a.wgsl")
	inside := func(p *location, want string) {
		t.Helper()
		if p == nil || p.File != "a.wgsl" || p.Offset < 0 || p.EndOffset > len(text) || text[p.Offset:p.EndOffset] != want {
			t.Errorf("%+v is not the position of %q", p, want)
		}
	}
	var envelope struct{ Diagnostics json.RawMessage }
	if err := json.Unmarshal([]byte(out), &envelope); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(envelope.Diagnostics))
	decoder.DisallowUnknownFields()
	var all []diagnostic
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if d.Location == nil {
			t.Fatalf("%s has no position", d.Message)
		}
		head := fmt.Sprintf("a.wgsl:%d:%d: %s: %s [%s]\n", d.Location.Line, d.Location.Column, d.Severity, d.Message, d.Code)
		if !strings.Contains(shown, head) {
			t.Errorf("the text form lacks %q:\n%s", head, shown)
		}
		for _, n := range append(d.Notes, d.Fixes...) {
			if !strings.Contains(shown, n.Message) {
				t.Errorf("the text form lacks %q", n.Message)
			}
		}
	}
	if len(all) != 2 || all[0].Code != "no-overload" || all[1].Code != "unknown-name" {
		t.Fatalf("the diagnostics are %+v", all)
	}
	d := all[0]
	inside(d.Location, "%")
	if d.Location.Line != 2 || d.Location.Column != 21 || d.Location.EndLine != 2 || d.Location.EndColumn != 22 {
		t.Errorf("the operator is at %+v", d.Location)
	}
	inside(d.Notes[0].Location, "i")
	inside(d.Notes[1].Location, "n")
	if len(d.Fixes) != 1 || *d.Fixes[0].Text != "i32(n)" {
		t.Fatalf("the fixes are %+v", d.Fixes)
	}
	inside(d.Fixes[0].Location, "n")
}

// TestExamples: each example in the table of diagnostic codes triggers its code.
func TestExamples(t *testing.T) {
	for _, code := range diag.Codes() {
		example := code.Entry().Example
		if example == "" {
			continue
		}
		var set source.Set
		var list diag.List
		file, err := set.Add("example.wgsl", example)
		if err != nil {
			t.Fatal(err)
		}
		m, err := frontend.Load(&set, file, frontend.Options{Warn: true}, &list)
		if err != nil {
			t.Fatal(err)
		}
		if m != nil {
			codegen.Compile(m, "", &spirv.Target, &codegen.Options{}, &list)
		}
		found := false
		for _, d := range list.Items() {
			found = found || d.Code == code
		}
		if !found {
			t.Errorf("%s: the example `%s` gives %v", code, example, list.Items())
		}
	}
}
