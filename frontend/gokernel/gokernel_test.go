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

// expectation is a diagnostic that a line asks for, and asks is the comment that does, of its own line or
// of one further below.
var (
	expectation = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	asks        = regexp.MustCompile(`// want(\+[0-9])? (.*)`)
)

// TestRefused: what is no part of the dialect is refused where `// want "…"` says so, with a message that
// matches, and nothing else is. A construct is refused with a note that says what to write instead.
// Each folder is compiled by itself.
func TestRefused(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "refused", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal("there are no tests: ", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) { refused(t, folder) })
	}
}

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
	type line struct {
		file   string
		number int
	}
	want := map[line][]string{}
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
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
		if d.Code == diag.GoSubset && (len(d.Notes) == 0 || strings.HasSuffix(d.Notes[0].Message, "is called here")) {
			t.Errorf("%v: nothing is said about the way out", p)
		}
	}
	for at, patterns := range want {
		for _, p := range patterns {
			t.Errorf("%s:%d: nothing says %q", at.file, at.number, p)
		}
	}
}

// TestAccepted: what lies at the border of the dialect is no error, and becomes a module that the
// verifier accepts, after the standard passes, too.
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
				c.Run(m, opt.Standard, ir.Initial)
			}
			for _, d := range list.Items() {
				t.Errorf("%v: %s", set.Position(d.Span.Start), d.Message)
			}
		})
	}
}
