package lower_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

var update = flag.Bool("update", false, "write the IR texts that the tests compare with")

// load makes verified IR of a program.
func load(t testing.TB, name, text string, options lower.Options) *ir.Module {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m := wgsl.Load(&set, file, wgsl.Options{Lower: options}, &list)
	if m != nil {
		ir.Verify(m, &list)
	}
	for _, d := range list.Items() {
		if d.Severity == diag.Error {
			t.Errorf("%v: %s %v", set.Position(d.Span.Start), d.Message, d.Notes)
		}
	}
	if t.Failed() {
		if m != nil {
			t.Log(m.Text())
		}
		t.FailNow()
	}
	return m
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLower compares the IR of testdata/NAME.wgsl with testdata/NAME.ir, and parses its text.
func TestLower(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.wgsl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test programs", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			got := load(t, path, read(t, path), lower.Options{}).Text()
			want := strings.TrimSuffix(path, "wgsl") + "ir"
			if *update {
				if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if difference := cmp.Diff(read(t, want), got); difference != "" {
				t.Errorf("(-want +got)\n%s", difference)
			}
			again, _, problems := ir.ParseString(got)
			if again == nil {
				t.Fatalf("the text does not parse: %v", problems)
			}
			if difference := cmp.Diff(got, again.Text()); difference != "" {
				t.Errorf("the text reads back differently (-want +got)\n%s", difference)
			}
		})
	}
}

// TestMath tests that floating-point operations have the flags of the mode, except exact ones.
func TestMath(t *testing.T) {
	const program = `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(1)
fn main() {
  x[0] = sqrt(-x[1] * x[2]) + floor(f32(u32(x[3]) + 1u));
}`
	for mode, want := range map[ir.Math][]string{
		ir.MathStrict: {"neg", "mul", "sqrt", "add", "floor", "add"},
		ir.MathWGSL:   {"neg", "mul [contract]", "sqrt", "add", "floor", "add [contract]"},
		ir.MathFast:   {"neg", "mul [contract, fast]", "sqrt [fast]", "add", "floor", "add [contract, fast]"},
	} {
		m := load(t, "math.wgsl", program, lower.Options{Math: mode})
		var got []string
		for line := range strings.Lines(m.Text()) {
			_, text, _ := strings.Cut(line, " = ")
			for _, o := range []string{"neg", "mul", "sqrt", "add", "floor"} {
				if strings.HasPrefix(text, o+" ") {
					if at := strings.Index(text, "["); at >= 0 {
						o += " " + text[at:strings.Index(text, "]")+1]
					}
					got = append(got, o)
				}
			}
		}
		if difference := cmp.Diff(want, got); difference != "" {
			t.Errorf("mode %d (-want +got)\n%s", mode, difference)
		}
	}
}

// TestMessages checks lowering's few diagnostics. It reports constructs without IR, for which there
// is no module, and out-of-bounds indices that a let hid from the checker.
func TestMessages(t *testing.T) {
	const declarations = `enable atomic_vec2u_min_max;
@group(0) @binding(0) var<storage, read_write> pair: atomic<vec2u>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
@compute @workgroup_size(1)
fn main() {
`
	for _, test := range []struct {
		body     string
		code     diag.Code
		severity diag.Severity
		text     string
	}{
		{"atomicStoreMin(&pair, vec2u(1, 2));", diag.TargetUnsupported, diag.Error, "atomicStoreMin(&pair, vec2u(1, 2))"},
		{"let i = 4; out[0][i] = 1;", diag.InvalidIndex, diag.Warning, "i"},
	} {
		var set source.Set
		var list diag.List
		file, err := set.Add("messages.wgsl", declarations+test.body+"\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		m := wgsl.Load(&set, file, wgsl.Options{}, &list)
		if (m == nil) != (test.severity == diag.Error) || len(list.Items()) != 1 {
			t.Errorf("%s: module %v, diagnostics %v", test.body, m, list.Items())
			continue
		}
		d := list.Items()[0]
		if d.Code != test.code || d.Severity != test.severity || set.Text(d.Span) != test.text {
			t.Errorf("%s: %v: %s [%s] at %q", test.body, d.Severity, d.Message, d.Code, set.Text(d.Span))
		}
	}
}
