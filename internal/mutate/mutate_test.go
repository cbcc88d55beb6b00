package main

import (
	"fmt"
	"go/parser"
	"go/types"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: the go command is not on the path")
	}
}

func loaded(t *testing.T, patterns ...string) (packs []*pack, root string) {
	t.Helper()
	needGo(t)
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if packs, err = load(root, patterns); err != nil {
		t.Fatal(err)
	}
	return packs, root
}

// TestEveryPlaceCompiles puts every mutation there is into the packages that are
// mutated, all at once: the rules by which places are found suffice.
func TestEveryPlaceCompiles(t *testing.T) {
	packs, _ := loaded(t, patterns()...)
	for _, p := range packs {
		t.Run(p.path, func(t *testing.T) {
			files := slices.Clone(p.generated)
			for _, f := range p.files {
				text := f.text
				if sites := find(f); len(sites) > 0 {
					order(sites)
					text = f.instrumented(number(sites))
				}
				syntax, err := parser.ParseFile(p.set, f.name, text, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, syntax)
			}
			config := types.Config{Importer: p.imported, Error: func(err error) { t.Error(err) }}
			config.Check(p.path, p.set, files, nil)
		})
	}
}

// TestExplanations looks for the mutation of each row in testdata/equivalent.md: when the source
// changes, its reason has to be checked again.
func TestExplanations(t *testing.T) {
	packs, root := loaded(t, patterns()...)
	explained, err := explanationsIn(filepath.Join(root, explanations))
	if err != nil {
		t.Fatal(err)
	}
	if len(explained) == 0 {
		t.Error("no row was read")
	}
	sites, err := choose(packs, root, &options{match: "."})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sites {
		r := result{site: s, name: s.name(root)}
		delete(explained, r.key())
	}
	for _, key := range slices.Sorted(maps.Keys(explained)) {
		t.Errorf("there is no mutation %s", strings.ReplaceAll(key, "\t", ": "))
	}
}

const tiny = "internal/mutate/testdata/tiny"

// TestTiny judges all mutations of a package whose tests find some of them: with <=
// Least is the same function, and no list of a thousand is counted.
func TestTiny(t *testing.T) {
	packs, root := loaded(t, "./"+tiny)
	sites, err := choose(packs, root, &options{match: "."})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	overlay, err := instrument(sites, folder)
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{pack: tiny, arguments: quick}
	if err := j.build(root, overlay, folder); err != nil {
		t.Fatal(err)
	}
	if err := j.measure(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for n, s := range sites {
		if s.mutation() == "delete k++" {
			continue // it does not end, and no test goes by the clock
		}
		verdict, _ := j.run(n+1, nil)
		if verdict == "" {
			verdict = "SURVIVED"
		}
		got = append(got, fmt.Sprintf("%s: %s: %s", s.function, s.mutation(), verdict))
	}
	want := strings.Split(strings.TrimSpace(verdicts), "\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

const verdicts = `
Least: a < b → !(a < b): TestLeast
Least: a < b → a <= b: SURVIVED
Count: n := 0 → n := (0+1): TestCount
Count: k := 0 → k := (0+1): TestCount
Count: k < len(list) → !(k < len(list)): TestCount
Count: k < len(list) → k <= len(list): TestCount
Count: k < len(list) → k < (len(list)+1): TestCount
Count: list[k] > -1 && n < 1000 → !(list[k] > -1 && n < 1000): TestCount
Count: list[k] > -1 → true: TestCount
Count: list[k] > -1 → list[k] >= -1: TestCount
Count: n < 1000 → true: SURVIVED
Count: n < 1000 → n <= 1000: SURVIVED
Count: n < 1000 → n < (1000+1): SURVIVED
Count: delete n++: TestCount
`
