package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A variable of a package is a table if it is an array of numbers whose initial value is a
// constant, and nothing in its package assigns to it or takes its address. No other
// package may: it must not be exported.

// isTable reports whether a variable is a table.
func (g *gate) isTable(v *types.Var) bool {
	table, known := g.tables[v]
	if !known {
		_, isArray := v.Type().Underlying().(*types.Array)
		literal, p := g.initial(v)
		table = isArray && !v.Exported() && literal != nil && isConstant(literal, p.TypesInfo) && !isChanged(v, p)
		g.tables[v] = table
	}
	return table
}

// initial returns the composite literal that a variable of a package begins with, or nil.
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

// isConstant reports whether all that an expression holds is constant.
func isConstant(x ast.Expr, info *types.Info) bool {
	if info.Types[x].Value != nil {
		return true
	}
	literal, ok := ast.Unparen(x).(*ast.CompositeLit)
	if !ok {
		return false
	}
	for _, e := range literal.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		if !isConstant(e, info) {
			return false
		}
	}
	return true
}

// isChanged reports whether a package has anything that may change a variable: an assignment to
// a part of it, or its address.
func isChanged(v *types.Var, p *packages.Package) bool {
	changed := false
	note := func(x ast.Expr) {
		for {
			switch y := ast.Unparen(x).(type) {
			case *ast.IndexExpr:
				x = y.X
				continue
			case *ast.SelectorExpr:
				x = y.X
				continue
			case *ast.SliceExpr:
				x = y.X
				continue
			case *ast.Ident:
				changed = changed || p.TypesInfo.Uses[y] == v
			}
			return
		}
	}
	for _, f := range p.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					note(x)
				}
			case *ast.IncDecStmt:
				note(n.X)
			case *ast.SliceExpr:
				note(n.X)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					note(n.X)
				}
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					note(n.Key)
					note(n.Value)
				}
			case *ast.CallExpr: // of a method whose receiver is a pointer
				if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
					if f, ok := p.TypesInfo.Uses[s.Sel].(*types.Func); ok {
						if _, pointer := receiver(f).(*types.Pointer); pointer {
							note(s.X)
						}
					}
				}
			}
			return true
		})
	}
	return changed
}
