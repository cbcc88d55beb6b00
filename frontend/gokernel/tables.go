package gokernel

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/gpuc/gpuc/ir/diag"
)

// A package-level variable is a constant table if it is an array of numbers whose initial value is
// constant, and nothing writes to it (tablewrites.go). It must not be exported, so that no other
// package can.

// notTable says why a variable is no table, with the node that is the reason, if there is one. An
// empty hint means that it is a table.
type notTable struct {
	hint string
	at   ast.Node
}

// isGlobal reports whether a variable is a package-level variable.
func isGlobal(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// global checks the use of a package-level variable, and reports whether to check its operands.
func (g *gate) global(at ast.Expr, v *types.Var) bool {
	why, known := g.tables[v]
	if !known {
		why = g.notTable(v)
		g.tables[v] = why
	}
	if why.hint == "" {
		return false
	}
	if g.subject == nil && isTableLike(v.Type()) {
		if g.reportedVars[v] { // at another use; the variable has to change
			g.refusals++
			return false
		}
		g.reportedVars[v] = true
	}
	note := diag.Note{Message: why.hint}
	if why.at != nil {
		note.Span = g.node(why.at)
	}
	g.refuseWith(at, note, "%s is a variable of the package, which kernels read only if it is a table of constants", types.ExprString(at))
	return false
}

// isTableLike reports whether a variable of a type is, or could become, a table.
func isTableLike(t types.Type) bool {
	_, array := t.Underlying().(*types.Array)
	return array || isSlice(t)
}

// notTable returns why a variable is no table.
func (g *gate) notTable(v *types.Var) notTable {
	named := typeName(v.Type(), g.of.Types)
	switch u := v.Type().Underlying().(type) {
	case *types.Array:
	case *types.Basic:
		if u.Info()&types.IsConstType != 0 {
			return notTable{hint: "make it a const, or a parameter of the kernel"}
		}
		return notTable{hint: "make it a parameter of the kernel"}
	case *types.Slice:
		return notTable{hint: "a table is an array: write [...]" + typeName(u.Elem(), g.of.Types) + "{…}"}
	default:
		return notTable{hint: "a table is an array; values of other types are parameters of the kernel"}
	}
	if bad := unsupported(v.Type()); bad != nil {
		return notTable{hint: "a table holds numbers that kernels have, and " + named + " does not: " + typeHint(bad)}
	}
	if v.Exported() {
		return notTable{hint: "other packages may assign to " + v.Name() + ": give it a name in lower case"}
	}
	literal, p := g.initial(v)
	if literal == nil {
		return notTable{hint: "write its values where it is declared, " + named + "{…}: it must not be computed"}
	}
	if x := variable(literal, p.TypesInfo); x != nil {
		return notTable{hint: "this value of the table is no constant", at: x}
	}
	if x := g.changed(v); x != nil {
		return notTable{hint: v.Name() + " may be changed here", at: x}
	}
	return notTable{}
}

// initial returns the composite literal that initialises a package-level variable, or nil.
func (l *loader) initial(v *types.Var) (*ast.CompositeLit, *packages.Package) {
	n := slices.IndexFunc(l.packages, func(p *packages.Package) bool { return p.Types == v.Pkg() })
	if n < 0 {
		return nil, nil
	}
	p := l.packages[n]
	for _, init := range p.TypesInfo.InitOrder {
		if len(init.Lhs) == 1 && init.Lhs[0] == v {
			literal, _ := ast.Unparen(init.Rhs).(*ast.CompositeLit)
			return literal, p
		}
	}
	return nil, nil
}

// variable returns the first part of an expression that is no constant, or nil.
func variable(x ast.Expr, info *types.Info) ast.Expr {
	if info.Types[x].Value != nil {
		return nil
	}
	literal, ok := ast.Unparen(x).(*ast.CompositeLit)
	if !ok {
		return x
	}
	for _, e := range literal.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		if v := variable(e, info); v != nil {
			return v
		}
	}
	return nil
}
