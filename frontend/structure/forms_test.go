package structure_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"

	"github.com/gpuc/gpuc/frontend/structure"
)

// prelude declares the functions that the forms call.
const prelude = `package forms

func a() bool
func b() bool
func c() bool
func d() bool
func n() int
func v()
func w()
func x()
func y()
func z()
func post()
func barrier()

func form(s []int) {
`

// earlyReturns marks the returns in arms of ifs.
func earlyReturns(b *ssa.BasicBlock) structure.Mark {
	if strings.HasPrefix(b.Comment, "if.") {
		return structure.EarlyReturn
	}
	return 0
}

// TestForms compares the structure of Go source with structures written by hand.
func TestForms(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var g structure.Graph
	var s structure.Structurer
	var f *ssa.Function
	for _, file := range archive.Files {
		form, kind, _ := strings.Cut(file.Name, ".")
		var mark func(*ssa.BasicBlock) structure.Mark
		switch kind {
		case "go":
			f = buildSource(t, file.Name, prelude+string(file.Data)+"}\n").Func("form")
			continue
		case "marked.txt":
			mark = earlyReturns
		}
		t.Run(form, func(t *testing.T) {
			graphOf(&g, f, mark)
			name := func(b structure.Block) string { return describe(f.Blocks[b]) }
			nodes, err := s.Structure(&g)
			got := ""
			var irreducible *structure.Irreducible
			switch {
			case errors.As(err, &irreducible):
				got = fmt.Sprintf("%v: %s, %s\n", err, name(irreducible.From), name(irreducible.To))
			case err != nil:
				t.Fatal(err)
			default:
				got = text(nodes, name)
				if err := verify(&g, nodes); err != nil {
					t.Error(err)
				}
				if err := checkLoops(&g, nodes, never); err != nil && mark == nil {
					t.Error(err)
				}
			}
			if d := cmp.Diff(strings.TrimSpace(string(file.Data)), strings.TrimSpace(got)); d != "" {
				t.Errorf("%s\n%s", d, got)
			}
		})
	}
}
