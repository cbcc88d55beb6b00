package kernelcheck_test

import (
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/gokernel/kernelcheck"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// onlyCheck are the diagnostics of gpuc check for the invalid kernels of package gokernel that an
// analyzer cannot report, by folder, with the reason. It reports all others with the same texts.
var onlyCheck = map[string]string{
	"twice":         "two packages have a kernel of one name, and a pass sees one package",
	"tiles_methods": "they are found in translation, and a pass lacks the bodies of package gpu's methods",
}

// TestSaysWhatCheckSays tests that the analyzer reports the same as gpuc check about the kernels of
// package gokernel's tests, valid and invalid ones.
func TestSaysWhatCheckSays(t *testing.T) {
	testmode.Long(t)
	folders, err := filepath.Glob(filepath.Join("..", "testdata", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	said := analyse(t, "../testdata/accepted/...", "../testdata/refused/...", "../testdata/warned/...")
	compared, left := 0, map[string]bool{}
	for _, folder := range folders {
		group, name := filepath.Base(filepath.Dir(folder)), filepath.Base(folder)
		// which has no kernels
		if group != "refused" && group != "warned" && (group != "accepted" || name == "helpers") {
			continue
		}
		t.Run(group+"/"+name, func(t *testing.T) {
			want := checked(t, folder)
			for k, text := range want {
				if _, listed := onlyCheck[name]; listed && group == "refused" {
					t.Logf("only gpuc check says: %s", text)
					left[name] = true
					want[k] = ""
				}
			}
			want = slices.DeleteFunc(want, func(text string) bool { return text == "" })
			absolute, err := filepath.Abs(folder)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, text := range said {
				if strings.HasPrefix(text, absolute+string(filepath.Separator)) {
					got = append(got, text)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if d := cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")); d != "" {
				t.Errorf("gpuc check and the analyzer differ (-check +analyzer):\n%s", d)
			}
			compared += len(want)
		})
	}
	t.Log(compared, " diagnostics were compared")
	if compared < 300 {
		t.Errorf("only %d diagnostics were compared", compared)
	}
	for name := range onlyCheck {
		if !left[name] {
			t.Errorf("refused/%s is listed as what only gpuc check finds, and it finds nothing", name)
		}
	}
}

// checked returns the diagnostics of gpuc check for a folder, in the analyzer's form.
func checked(t *testing.T, folder string) (said []string) {
	var set source.Set
	var list diag.List
	options := gokernel.Options{Folder: folder, Warn: true, DisplayPath: func(path string) string { return path }}
	if _, err := gokernel.Load(&set, options, &list, "./..."); err != nil {
		t.Fatal(err)
	}
	for _, d := range list.Items() {
		var notes, located []string
		for _, n := range d.Notes {
			if n.Span.Valid() {
				located = append(located, fmt.Sprintf("\n\t%s %s", offset(&set, n.Span.Start), n.Message))
			} else {
				notes = append(notes, n.Message)
			}
		}
		text := d.Message
		if len(notes) > 0 {
			text += " (" + strings.Join(notes, "; ") + ")"
		}
		said = append(said, fmt.Sprintf("%s to %s: %s [%s]%s", offset(&set, d.Span.Start), offset(&set, d.Span.End), text, d.Code, strings.Join(located, "")))
		for _, f := range d.Fixes {
			said[len(said)-1] += fmt.Sprintf("\n\t%s: %s to %s is %q", f.Message, offset(&set, f.Span.Start), offset(&set, f.Span.End), f.Text)
		}
	}
	return said
}

// offset returns a file and a byte offset: go/token counts columns in bytes, and gpuc in
// characters.
func offset(set *source.Set, p source.Pos) string {
	f := set.File(p)
	return fmt.Sprintf("%s:%d", f.Name, p-f.Base)
}

// analyse returns what the analyzer says of packages.
func analyse(t *testing.T, patterns ...string) (said []string) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(loaded) > 0 {
		t.Fatal("the packages do not compile")
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{kernelcheck.Analyzer}, loaded, &checker.Options{SanityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	for a := range graph.All() {
		for _, f := range a.AllObjectFacts() {
			if path := f.Object.Pkg().Path(); !strings.Contains(path, ".") || strings.HasSuffix(path, "/runtime/gpu") {
				t.Errorf("there is a fact on %v, which the dialect knows by name", f.Object)
			}
		}
	}
	for _, a := range graph.Roots {
		if a.Err != nil {
			t.Errorf("%v: %v", a, a.Err)
		}
		for _, d := range a.Diagnostics {
			offset := func(p token.Pos) string {
				at := a.Package.Fset.Position(p)
				return fmt.Sprintf("%s:%d", at.Filename, at.Offset)
			}
			if !strings.HasSuffix(d.Message, " ["+d.Category+"]") {
				t.Errorf("%v: the category is %s, and not the code of %q", offset(d.Pos), d.Category, d.Message)
			}
			text := fmt.Sprintf("%s to %s: %s", offset(d.Pos), offset(d.End), d.Message)
			for _, r := range d.Related {
				text += fmt.Sprintf("\n\t%s %s", offset(r.Pos), r.Message)
			}
			for _, f := range d.SuggestedFixes {
				for _, e := range f.TextEdits {
					text += fmt.Sprintf("\n\t%s: %s to %s is %q", f.Message, offset(e.Pos), offset(e.End), e.NewText)
				}
			}
			said = append(said, text)
		}
	}
	return said
}

// TestOtherPackages tests that functions of other packages that kernels cannot call are reported at
// the call. Files of tests are not checked, and nothing is reported in generated files or without
// kernels.
func TestOtherPackages(t *testing.T) {
	testmode.Quick(t, "it loads many Go packages")
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "module"))); err != nil {
		t.Fatal(err)
	}
	repository, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":  "module example.com/module\n\ngo 1.26.0\n",
		"go.work": "go 1.26.0\n\nuse (\n\t.\n\t" + filepath.ToSlash(repository) + "\n)\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	for _, r := range analysistest.Run(t, folder, kernelcheck.Analyzer, "./...") {
		seen[r.Action.Package.Name] += len(r.Action.Diagnostics)
		for _, d := range r.Action.Diagnostics {
			// it was moved to that call
			if strings.Contains(d.Message, "generated code") && len(d.Related) > 0 {
				t.Errorf("%q has %v", d.Message, d.Related)
			}
		}
	}
	if names := slices.Sorted(maps.Keys(seen)); !slices.Contains(names, "host") || seen["kernels"] == 0 || seen["tested"] == 0 || seen["misspelt"] == 0 {
		t.Errorf("what was looked at is %v", seen)
	}
}
