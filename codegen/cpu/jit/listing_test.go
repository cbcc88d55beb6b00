package jit_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

const listed = `@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn sums(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) {
    let squares = x[id.x] * x[id.x];
    y[id.x] += sqrt(squares);
  }
}
`

// code returns the code of the only kernel of a source for the CPU.
func code(t *testing.T, text string) []byte {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("sums.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	a := codegen.Compile(m, m.Kernels()[0].Name, &cpu.Target, &codegen.Options{Lines: true}, &list)
	if a == nil {
		t.Fatal(list.Items())
	}
	return a.Code
}

// TestListing: the bytes of a listing are those of the code, and instructions are under the lines
// of the source that say what they do.
func TestListing(t *testing.T) {
	ir := code(t, listed)
	m, f, _, err := lower.Read("sums", ir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower.Build(m, f)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := jit.Compile(p, jit.Options{Machine: jit.AMD64})
	if err != nil {
		t.Fatal(err)
	}
	text, err := jit.Assemble(ir)
	if err != nil {
		t.Fatal(err)
	}
	if want := jit.Signature + ": sums\n"; !strings.HasPrefix(text, want) {
		t.Errorf("the listing begins with %.100q", text)
	}
	if !cpu.Target.Recognise([]byte(text)) {
		t.Error("a build does not know the listing as one of its own")
	}
	instructions, _, _ := strings.Cut(text, "\nconstant0:")
	var all []byte
	line, under := "", map[string]string{} // by mnemonic, the lines that it is under
	for l := range strings.Lines(instructions) {
		if comment, ok := strings.CutPrefix(l, "\t\t; "); ok {
			line, _, _ = strings.Cut(comment, ": ")
			line = strings.TrimSpace(line)
			continue
		}
		_, rest, ok := strings.Cut(l, ":  ")
		if !ok || l[0] != ' ' {
			continue
		}
		digits, mnemonic, _ := strings.Cut(rest, "   ")
		b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
		if err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		all = append(all, b...)
		if name := strings.Fields(mnemonic); len(name) > 0 && !strings.Contains(under[name[0]], line) {
			under[name[0]] += line + " "
		}
	}
	if len(all) < 100 || !bytes.HasPrefix(compiled.Text, all) {
		t.Errorf("the bytes of the listing, %d, are not those of the code, %d", len(all), len(compiled.Text))
	}
	for mnemonic, want := range map[string]string{"vmulps": "sums.wgsl:6", "vsqrtps": "sums.wgsl:7", "vaddps": "sums.wgsl:7", "ret": "around the kernel"} {
		if got := strings.TrimSpace(under[mnemonic]); got != want {
			t.Errorf("%s is listed under %q, and not under %s", mnemonic, got, want)
		}
	}
}

// TestListingOfRefused: a listing of what is refused says why.
func TestListingOfRefused(t *testing.T) {
	text, err := jit.Assemble(code(t, `enable subgroups;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1)
fn sum() { y[0] = subgroupAdd(y[1]); }
`))
	if err != nil || !strings.HasPrefix(text, jit.Signature+": sum has none, and is executed without: ") || strings.Count(text, "\n") != 1 {
		t.Errorf("%q, %v", text, err)
	}
}
