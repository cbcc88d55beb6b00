package lint_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

var wants = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// warnings loads a program, which must be right, and returns what is warned of.
func warnings(t *testing.T, name string) (text string, set *source.Set, items []diag.Diagnostic) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	set = new(source.Set)
	file, err := set.Add(filepath.Base(name), string(data))
	if err != nil {
		t.Fatal(err)
	}
	list := new(diag.List)
	wgsl.Load(set, file, wgsl.Options{Warn: true}, list)
	if list.Errors() > 0 {
		t.Fatal(list.Items())
	}
	return string(data), set, list.Items()
}

// TestWarnings checks the programs in testdata. A line with
//
//	// want "part of a message [code]" "another"
//
// must have exactly these warnings, and a line without it none. Each warning says more than its
// first line: where the cause is, or what to do.
func TestWarnings(t *testing.T) {
	names, err := filepath.Glob("testdata/*.wgsl")
	if err != nil || len(names) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, set, items := warnings(t, name)
			found := map[int][]string{}
			for i := range items {
				d := &items[i]
				line := set.Position(d.Span.Start).Line
				found[line] = append(found[line], d.Message+" ["+d.Code.String()+"]")
				if len(d.Notes) == 0 {
					t.Errorf("%q says nothing but that", d.Message)
				}
			}
			for i, line := range strings.Split(text, "\n") {
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
				if !slices.EqualFunc(got, want, strings.Contains) {
					t.Errorf("line %d: got %q, want %q", i+1, got, want)
				}
			}
		})
	}
}

// TestFewWarnings lists the warnings about the kernels that other tests execute. Three of these are
// written to trigger theirs.
func TestFewWarnings(t *testing.T) {
	names, err := filepath.Glob("../../../testdata/exec/*.wgsl")
	if err != nil || len(names) < 100 {
		t.Fatal("no kernels", err)
	}
	var got []string
	for _, name := range names {
		_, _, items := warnings(t, name)
		for i := range items {
			got = append(got, filepath.Base(name)+" "+items[i].Code.String())
		}
	}
	want := []string{"axpy_f16.wgsl vec3-padding", "language_dead_code.wgsl unused-function", "layout_nested.wgsl vec3-padding"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOnlyWhereAsked tests that there are no warnings without Options.Warn.
func TestOnlyWhereAsked(t *testing.T) {
	data, err := os.ReadFile("testdata/unused.wgsl")
	if err != nil {
		t.Fatal(err)
	}
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add("a.wgsl", string(data))
	if err != nil {
		t.Fatal(err)
	}
	if wgsl.Load(set, file, wgsl.Options{}, list); len(list.Items()) > 0 {
		t.Errorf("got %v", list.Items())
	}
}
