package check

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// checkText checks a program.
func checkText(t testing.TB, name, text string, options Options) (*sem.Info, *source.Set, *diag.List) {
	t.Helper()
	set := &source.Set{}
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	list := &diag.List{}
	tree := syntax.NewParser(sem.Vocabulary()).Parse(file, list)
	return new(Checker).Check(tree, ir.NewModule(set), options, list), set, list
}

var wants = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// TestDiagnostics checks the programs in testdata. A line with
//
//	// want "part of a message [code]" "another"
//
// must have exactly these diagnostics, and a line without it none.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, set, list := checkText(t, name, string(text), Options{})
			found := map[int][]string{}
			for _, d := range list.Items() {
				p := set.Position(d.Span.Start)
				found[p.Line] = append(found[p.Line], d.Message+" ["+d.Code.String()+"]")
			}
			for i, line := range strings.Split(string(text), "\n") {
				_, comment, _ := strings.Cut(line, "// want ")
				var want []string
				for _, m := range wants.FindAllStringSubmatch(comment, -1) {
					s, err := strconv.Unquote(`"` + m[1] + `"`)
					if err != nil {
						t.Fatalf("line %d: %v", i+1, err)
					}
					want = append(want, s)
				}
				got := found[i+1]
				if len(got) != len(want) {
					t.Errorf("line %d: got %q, want %q", i+1, got, want)
					continue
				}
				for j := range want {
					if !strings.Contains(got[j], want[j]) {
						t.Errorf("line %d: got %q, want %q", i+1, got[j], want[j])
					}
				}
			}
		})
	}
}

// usedCodes returns the codes that the package's source uses, with a file that
// uses each.
func usedCodes(t *testing.T) map[diag.Code]string {
	t.Helper()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[diag.Code]string{}
	use := regexp.MustCompile(`diag\.([A-Z]\w+)`)
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range use.FindAllStringSubmatch(string(text), -1) {
			if code, ok := diag.Lookup(kebab(m[1])); ok {
				codes[code] = name
			}
		}
	}
	if len(codes) < 20 {
		t.Fatalf("found only %d codes in the source", len(codes))
	}
	return codes
}

// TestEveryCodeIsTested looks for the codes that the package uses among the
// expectations in testdata.
func TestEveryCodeIsTested(t *testing.T) {
	var expected strings.Builder
	programs, err := filepath.Glob("testdata/*.wgsl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range programs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		expected.Write(text)
	}
	for code, name := range usedCodes(t) {
		if !strings.Contains(expected.String(), "["+code.String()+"]") {
			t.Errorf("%s uses %s, which no program in testdata triggers", name, code)
		}
	}
}

// kebab turns a Go name into a code: NotAType to not-a-type.
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// TestExecPrograms checks that the kernels executed by other tests are accepted. It also checks
// what lowering relies on: no expression whose value is needed at run time has an abstract type.
func TestExecPrograms(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/exec/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		info, set, list := checkText(t, name, string(text), Options{})
		for _, d := range list.Items() {
			t.Errorf("%s: %s", set.Position(d.Span.Start), d.Message)
		}
		for e := 1; e < len(info.Exprs); e++ {
			x := &info.Exprs[e]
			if x.Value != 0 && info.Module.TypeOf(x.Value) == ir.Void {
				t.Errorf("%s: expression %d has a value without type", name, e)
			}
			if x.Value == 0 && x.Type != ir.Void && info.Module.ScalarOf(x.Type).IsAbstract() {
				span := info.Tree.Exprs[e].Span
				t.Errorf("%s: %s has an abstract type and no value", set.Position(span.Start), set.Text(span))
			}
		}
	}
}

// TestInfo tests the result of the checker for one program.
func TestInfo(t *testing.T) {
	info, _, list := checkText(t, "info.wgsl", `
struct In { @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) index: u32 }
override width: u32 = 8;
override height = width * 2;
@group(1) @binding(2) var<storage, read_write> data: array<f32>;
var<private> counter: i32 = 3;
fn helper(x: f32) -> f32 { counter++; return x * 2; }
@compute @workgroup_size(width, 4) fn main(in: In, @builtin(workgroup_id) group: vec3u) {
  data[in.id.x] = helper(1);
}`, Options{})
	if list.Errors() != 0 {
		t.Fatal(list.Items())
	}
	m := info.Module
	main := &info.Functions[1]
	if main.Stage != sem.Compute || !main.Workgroup[0].IsOverride() || m.ConstBits(main.Workgroup[1]) != 4 || m.ConstBits(main.Workgroup[2]) != 1 {
		t.Errorf("workgroup size of main: %v", main.Workgroup)
	}
	want := []sem.ParameterBuiltin{
		{Parameter: 0, Member: 0, Builtin: ir.GlobalInvocationID, Name: "global_invocation_id"},
		{Parameter: 0, Member: 1, Builtin: ir.LocalInvocationIndex, Name: "local_invocation_index"},
		{Parameter: 1, Member: -1, Builtin: ir.WorkgroupID, Name: "workgroup_id"},
	}
	if len(main.Builtins) != len(want) {
		t.Fatalf("builtins of main: %v", main.Builtins)
	}
	for i := range want {
		if main.Builtins[i] != want[i] {
			t.Errorf("builtin %d of main: got %v, want %v", i, main.Builtins[i], want[i])
		}
	}
	if len(main.Calls) != 1 || main.Calls[0] != 0 {
		t.Errorf("calls of main: %v", main.Calls)
	}
	if len(main.Globals) != 2 {
		t.Errorf("globals of main: %v, want its own and those of its callees", main.Globals)
	}
	if g := m.Globals[0]; g.Group != 1 || g.Binding != 2 || !g.Bound {
		t.Errorf("binding of data: %+v", g)
	}
	if g := m.Globals[1]; m.ConstBits(g.Init) != 3 {
		t.Errorf("initial value of counter: %v", g.Init)
	}
	if len(m.Overrides) < 3 || m.Overrides[0].Name != "width" {
		t.Errorf("overrides: %+v", m.Overrides)
	}
}

// TestFeatures checks that extensions the device lacks cannot be enabled.
func TestFeatures(t *testing.T) {
	for _, c := range []struct {
		features []string
		text     string
		ok       bool
	}{
		{nil, "enable f16;", true},
		{[]string{"f16"}, "enable f16;", true},
		{[]string{"shader-f16"}, "enable f16;", true},
		{[]string{}, "enable f16;", false},
		{[]string{"subgroups"}, "enable f16;", false},
		{[]string{"subgroups", "f16"}, "enable subgroups, f16;", true},
		{[]string{"clip-distances"}, "enable clip_distances;", true},
	} {
		_, _, list := checkText(t, "features.wgsl", c.text, Options{Features: c.features})
		if ok := list.Errors() == 0; ok != c.ok {
			t.Errorf("%s with features %v: accepted %v, want %v", c.text, c.features, ok, c.ok)
		}
	}
}

// TestDocumentedExamples checks that the example of each code that the package
// uses, which `gpuc doc` shows, triggers that code.
func TestDocumentedExamples(t *testing.T) {
	for code, name := range usedCodes(t) {
		example := code.Entry().Example
		if example == "" {
			continue
		}
		_, _, list := checkText(t, "example.wgsl", example, Options{})
		found := false
		var all []string
		for _, d := range list.Items() {
			found = found || d.Code == code
			all = append(all, d.Code.String())
		}
		if !found {
			t.Errorf("%s in %s: the example %q gives %v", code, name, example, all)
		}
	}
}
