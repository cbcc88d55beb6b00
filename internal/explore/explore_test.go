package explore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/explore"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// load returns the module of a source.
func load(t testing.TB, name, text string) *ir.Module {
	t.Helper()
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(set, file, frontend.Options{}, list)
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	return m
}

func targets(t *testing.T, titles ...string) (list []*codegen.Target) {
	t.Helper()
	for _, title := range titles {
		target, err := all.Find(title)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, target)
	}
	return list
}

// constant matches a constant in code.
func constant(number string) string { return `(\b|%u32_)` + number + `u?\b` }

const told = `@group(0) @binding(0) var<storage, read_write> x: array<u32>;

fn mixed(n: u32) -> u32 {
  return n * 4021u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var n = x[id.x] ^ 5003u;
  for (var i = 0u; i < x[0]; i++) {
    n += n >> 7u;
  }
  if n > 6007u {
    n = mixed(n);
  }
  x[id.x] = n | 7013u;
}
`

// TestLines finds a constant or an operation of each source line in the code for each target, and
// checks the source line of the code.
func TestLines(t *testing.T) {
	wanted := []struct {
		line    int
		targets string // where it can be seen
		code    string
	}{
		{4, "spirv wgsl msl amdgpu ptx checked", constant("4021")},
		{9, "spirv wgsl msl amdgpu ptx checked", constant("5003")},
		{13, "spirv wgsl msl amdgpu ptx checked", constant("6007")},
		{16, "spirv wgsl msl amdgpu ptx checked", constant("7013")},
		{10, "wgsl msl", `for \(|while`},
		{11, "spirv wgsl msl amdgpu ptx", `>> 7u|OpShiftRightLogical|lshr|shr`},
		{11, "cpu", `vpsrld .*, 7`},
		{16, "cpu", `vpor `},
	}
	x := explore.Explore(load(t, "told.wgsl", told), []string{"main"}, all.Targets, codegen.Options{})
	if got, want := strings.Join(x.Sources[0].Lines, "\n")+"\n", told; got != want {
		t.Error("the lines of the source are not those of the file", cmp.Diff(want, got))
	}
	for _, target := range x.Kernels[0].Targets {
		if target.Code < 0 {
			t.Errorf("%s: %s", target.Title, target.Refusal)
			continue
		}
		code := x.Texts[target.Code]
		lines := strings.Split(strings.TrimSuffix(code.Text, "\n"), "\n")
		if len(lines) != len(code.From) {
			t.Fatalf("%s: %d lines of code, %d source lines", target.Title, len(lines), len(code.From))
		}
		seen := 0
		for _, w := range wanted {
			if !slices.Contains(strings.Fields(w.targets), target.Title) {
				continue
			}
			found := false
			for n, line := range lines {
				if !regexp.MustCompile(w.code).MatchString(line) || strings.Contains(line, "OpConstant") || strings.Contains(line, "ymmword ptr [r") {
					continue
				}
				if found = true; code.From[n] != w.line && !(target.Title == "cpu" && code.From[n] == 0) {
					t.Errorf("%s: %q comes from line %d, want %d", target.Title, line, code.From[n], w.line)
				}
			}
			if seen++; !found {
				t.Errorf("%s: no line has %s\n%s", target.Title, w.code, code.Text)
			}
		}
		if seen == 0 {
			t.Errorf("%s: nothing is looked for: add it above, and a row to readers that says how its code tells lines", target.Title)
		}
	}
	for _, stage := range x.Kernels[0].Targets[0].Stages { // of IR whose form is the source's own
		text := x.Texts[stage.Text]
		for n, line := range strings.Split(strings.TrimSuffix(text.Text, "\n"), "\n") {
			for _, w := range wanted[:4] { // the constants
				if regexp.MustCompile(w.code).MatchString(line) && text.From[n] != w.line {
					t.Errorf("after %q: %q comes from line %d, want %d", stage.Pass, line, text.From[n], w.line)
				}
			}
		}
	}
}

// TestStages compares stages with the output of -dump=after:all.
func TestStages(t *testing.T) {
	m := load(t, "told.wgsl", told)
	for _, title := range []string{"spirv", "ptx", "checked"} {
		for _, plain := range []bool{false, true} {
			options := codegen.Options{NoOptimize: plain}
			target := targets(t, title)
			x := explore.Explore(m, []string{"main"}, target, options)
			var want, got []string
			var dumped bytes.Buffer
			options.Context = &opt.Context{DumpAfter: "all", Dump: &dumped}
			if codegen.Compile(m, "main", target[0], &options, new(diag.List)) == nil {
				t.Fatal(title)
			}
			for text := range strings.SplitSeq(dumped.String(), "// after ") {
				name, body, _ := strings.Cut(text, "\n")
				if name != "" && name != "mir" {
					want = append(want, name+"\n"+strings.TrimSpace(body))
				}
			}
			for _, stage := range x.Kernels[0].Targets[0].Stages {
				body := strings.TrimSpace(x.Texts[stage.Text].Text)
				if stage.Pass != "" {
					got = append(got, stage.Pass+"\n"+body)
				}
				for _, idle := range stage.Idle {
					got = append(got, idle+"\n"+body)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, -O0 %v: stages differ from the dump (-want +got)\n%s", title, plain, d)
			}
		}
	}
}

// TestPositions: reporting positions while writing does not change the code of any exec kernel, and
// most lines in functions have a position.
func TestPositions(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no kernels", err)
	}
	lines, placed := 0, 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := load(t, path, string(text))
		for _, k := range m.Kernels() {
			for _, target := range targets(t, "wgsl", "msl") {
				plain := codegen.Compile(m, k.Name, target, &codegen.Options{}, new(diag.List))
				x := explore.Explore(m, []string{k.Name}, []*codegen.Target{target}, codegen.Options{})
				got := x.Kernels[0].Targets[0]
				if plain == nil || got.Code < 0 {
					if plain != nil || got.Code >= 0 || got.Refusal == "" {
						t.Errorf("%s for %s: refused once and not again, or without a word", path, target.Name)
					}
					continue
				}
				code := x.Texts[got.Code]
				if d := cmp.Diff(string(plain.Code), code.Text); d != "" {
					t.Errorf("%s for %s: the text differs when positions are requested (-want +got)\n%s", path, target.Name, d)
				}
				for n, line := range strings.Split(strings.TrimSuffix(code.Text, "\n"), "\n") {
					if strings.HasPrefix(line, "    ") && !strings.HasPrefix(strings.TrimSpace(line), "}") {
						lines++
						if code.From[n] > 0 {
							placed++
						}
					}
				}
			}
		}
	}
	t.Logf("%d of %d lines inside of blocks have a source line", placed, lines)
	if lines < 1000 || placed*10 < lines*9 {
		t.Errorf("%d of %d lines inside of blocks have a source line, want nine of ten", placed, lines)
	}
}

// TestSame: two pages of a program are the same.
func TestSame(t *testing.T) {
	var pages [2][]byte
	for n := range pages {
		x := explore.Explore(load(t, "told.wgsl", told), []string{"main"}, all.Targets, codegen.Options{})
		var err error
		if pages[n], err = explore.Page(x, "told.wgsl"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(pages[0], pages[1]) {
		t.Error("the same program makes other bytes")
	}
}
