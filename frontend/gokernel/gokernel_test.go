package gokernel_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// expectation is an expected diagnostic, and asks is the comment with those of its line, or of one
// further below.
var (
	expectation = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	asks        = regexp.MustCompile(`// want(\+[0-9])? (.*)`)
)

// TestRefused compares the errors about each folder of testdata/refused with its comments `// want
// "…"`, which are regular expressions. An error about a construct has a note that says what to
// write instead.
func TestRefused(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "refused", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal("there are no tests: ", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) { refused(t, folder) })
	}
}

// TestBroken is TestRefused for a package that does not compile as Go.
func TestBroken(t *testing.T) { refused(t, filepath.Join("testdata", "broken", "types")) }

func refused(t *testing.T, folder string) {
	var set source.Set
	list := diag.List{}
	m, err := gokernel.Load(&set, gokernel.Options{Folder: folder}, &list, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if m != nil {
		t.Error("there is a module in spite of errors")
	}
	expect(t, folder, &set, &list)
	for _, d := range list.Items() {
		if d.Code == diag.GoSubset && (len(d.Notes) == 0 || strings.HasSuffix(d.Notes[0].Message, "is called here")) {
			t.Errorf("%v: nothing is said about the way out", set.Position(d.Span.Start))
		}
	}
}

// expect compares diagnostics with the comments in the files of a folder.
func expect(t *testing.T, folder string, set *source.Set, list *diag.List) {
	t.Helper()
	type line struct {
		file   string
		number int
	}
	want := map[line][]string{}
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		short, _ := filepath.Rel(folder, name)
		for n, text := range strings.Split(string(text), "\n") {
			if comment := asks.FindStringSubmatch(text); comment != nil {
				further, _ := strconv.Atoi(comment[1]) // 0 for none
				for _, m := range expectation.FindAllStringSubmatch(comment[2], -1) {
					at := line{filepath.ToSlash(short), n + 1 + further}
					want[at] = append(want[at], "^"+m[1])
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list.Items() {
		p := set.Position(d.Span.Start)
		at := line{p.File, p.Line}
		n := slices.IndexFunc(want[at], func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(d.Message) })
		if n < 0 {
			t.Errorf("%v: %s", p, d.Message)
			continue
		}
		want[at] = slices.Delete(want[at], n, n+1)
	}
	for at, patterns := range want {
		for _, p := range patterns {
			t.Errorf("%s:%d: nothing says %q", at.file, at.number, p)
		}
	}
}

// TestWarned compares the warnings about each folder of testdata/warned with its comments. Each
// warning has a note. Without Options.Warn there are only the warnings of the gate.
func TestWarned(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "warned", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal("there are no tests: ", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var set source.Set
			var list, quiet diag.List
			m, err := gokernel.Load(&set, gokernel.Options{Folder: folder, Warn: true}, &list, ".")
			if err != nil || m == nil {
				t.Fatal(err, list.Items())
			}
			expect(t, folder, &set, &list)
			for _, d := range list.Items() {
				if len(d.Notes) == 0 && d.Code != diag.UnusedAllow {
					t.Errorf("%q says nothing but that", d.Message)
				}
			}
			if _, err := gokernel.Load(new(source.Set), gokernel.Options{Folder: folder}, &quiet, "."); err != nil {
				t.Fatal(err)
			}
			for _, d := range quiet.Items() {
				if d.Code != diag.GoFloat64 {
					t.Errorf("without being asked: %s", d.Message)
				}
			}
		})
	}
}

// TestFewWarnings lists the warnings about the kernels that other tests execute, and about the
// examples. One kernel is written to trigger its warning.
func TestFewWarnings(t *testing.T) {
	folders := []string{"../../internal/gokernels"}
	for _, name := range []string{"filter", "fractal", "histogram", "life", "matmul", "nbody", "neural", "prefixsum", "vectoradd"} {
		folders = append(folders, filepath.Join("../../examples", name))
	}
	var got []string
	for _, folder := range folders {
		var set source.Set
		var list diag.List
		if m, err := gokernel.Load(&set, gokernel.Options{Folder: folder, Warn: true}, &list, "."); err != nil || m == nil {
			t.Fatal(folder, err, list.Items())
		}
		for _, d := range list.Items() {
			got = append(got, filepath.Base(set.Position(d.Span.Start).File)+" "+d.Code.String())
		}
	}
	if want := []string{"language_values.go constant-comparison"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAccepted tests that valid kernels at the limits of the subset become modules that the
// verifier accepts, also after the standard passes.
func TestAccepted(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "accepted", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal("there are no tests: ", err)
	}
	for _, folder := range folders {
		if filepath.Base(folder) == "helpers" {
			continue // what others call
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var set source.Set
			list := diag.List{}
			m, err := gokernel.Load(&set, gokernel.Options{Folder: folder}, &list, ".")
			if err != nil {
				t.Fatal(err)
			}
			if m != nil {
				ir.Verify(m, &list)
				c := opt.Context{List: &list, Verify: true}
				c.Run(m, opt.Standard(), ir.Initial)
			}
			for _, d := range list.Items() {
				t.Errorf("%v: %s", set.Position(d.Span.Start), d.Message)
			}
		})
	}
}
