package structure_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/gpuc/gpuc/frontend/structure"
)

// ssaMode is that of the front end.
const ssaMode = ssa.InstantiateGenerics | ssa.NaiveForm

// buildSource makes SSA of a file without imports.
func buildSource(t testing.TB, name, source string) *ssa.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("forms", "forms"), []*ast.File{file}, ssaMode)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// graphOf makes the graph of a function. mark, which may be nil, gives the marks of its blocks.
func graphOf(g *structure.Graph, f *ssa.Function, mark func(*ssa.BasicBlock) structure.Mark) {
	g.Reset()
	var successors []structure.Block
	for _, b := range f.Blocks {
		successors = successors[:0]
		for _, s := range b.Succs {
			successors = append(successors, structure.Block(s.Index))
		}
		var m structure.Mark
		if mark != nil {
			m = mark(b)
		}
		g.Add(m, successors...)
	}
}

// describe names a block by the functions that it calls, or by its comment in go/ssa.
func describe(b *ssa.BasicBlock) string {
	var calls []string
	for _, i := range b.Instrs {
		if c, ok := i.(*ssa.Call); ok && c.Call.StaticCallee() != nil {
			calls = append(calls, c.Call.StaticCallee().Name())
		}
	}
	if calls == nil {
		return b.Comment
	}
	return strings.Join(calls, " ")
}

// text prints nodes as the package's page does: constructs have a number if something leaves them
// from another one, and falling off the end of a list is not written.
func text(nodes []structure.Node, name func(structure.Block) string) string {
	var open []int32
	innermost := func(label int32) bool { return len(open) > 0 && open[len(open)-1] == label }
	named := map[int32]int{}
	var falls []bool
	for i, n := range nodes {
		fall := (n.Kind == structure.Exit && innermost(n.Label) && nodes[n.Label].Kind != structure.Loop) ||
			n.Kind == structure.Continue && innermost(n.Label) || n.Kind == structure.Next
		falls = append(falls, fall)
		switch n.Kind {
		case structure.If, structure.Loop, structure.Scope:
			open = append(open, int32(i))
		case structure.End:
			open = open[:len(open)-1]
		case structure.Exit, structure.Continue, structure.NextOrExit:
			if !fall {
				named[n.Label] = 0
			}
		}
	}
	count := 0
	for i := range nodes {
		if _, ok := named[int32(i)]; ok {
			count++
			named[int32(i)] = count
		}
	}
	var out strings.Builder
	depth := 0
	line := func(label int32, words ...string) {
		if i := slices.Index(words, "#"); i >= 0 {
			words[i] = ""
			if n := named[label]; n > 0 {
				words[i] = strconv.Itoa(n)
			}
		}
		out.WriteString(strings.TrimRight(strings.Repeat("  ", depth)+strings.Join(words, " "), " "))
		out.WriteByte('\n')
	}
	words := map[structure.Kind][]string{
		structure.If: {"if", "#"}, structure.Arm: {"else"}, structure.Loop: {"loop", "#"}, structure.Continuing: {"continuing"},
		structure.Scope: {"scope", "#"}, structure.End: {"end"}, structure.Exit: {"exit", "#"}, structure.Continue: {"continue", "#"},
		structure.Return: {"return"}, structure.Unreachable: {"unreachable"},
	}
	for i, n := range nodes {
		switch n.Kind {
		case structure.Arm, structure.Continuing, structure.End:
			depth--
		}
		switch n.Kind {
		case structure.Code:
			line(0, name(n.Block))
		case structure.If, structure.Loop, structure.Scope:
			line(int32(i), slices.Clone(words[n.Kind])...)
		case structure.NextOrExit:
			line(n.Label, "exit", "#", []string{"if", "unless"}[n.Succ])
		default:
			if w := words[n.Kind]; w != nil && !falls[i] {
				line(n.Label, slices.Clone(w)...)
			}
		}
		switch n.Kind {
		case structure.If, structure.Arm, structure.Loop, structure.Continuing, structure.Scope:
			depth++
		}
	}
	return out.String()
}
