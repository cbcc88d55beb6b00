package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
)

// nilSlices returns the uses of nil in a function, and whether they are slices, which kernels have.
// Package types records no type of nil; its context has one.
func nilSlices(body *ast.BlockStmt, info *types.Info, signature *types.Signature) map[ast.Expr]bool {
	found := map[ast.Expr]bool{}
	take := func(x ast.Expr, by types.Type) {
		if x = ast.Unparen(x); by != nil && info.Types[x].IsNil() {
			found[x] = found[x] || isSlice(by)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for k, x := range n.Rhs {
				if len(n.Lhs) == len(n.Rhs) {
					take(x, info.TypeOf(n.Lhs[k]))
				}
			}
		case *ast.ValueSpec:
			for _, x := range n.Values {
				take(x, info.TypeOf(n.Type))
			}
		case *ast.ReturnStmt:
			for k, x := range n.Results {
				if len(n.Results) == signature.Results().Len() {
					take(x, signature.Results().At(k).Type())
				}
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				take(n.X, info.TypeOf(n.Y))
				take(n.Y, info.TypeOf(n.X))
			}
		case *ast.CallExpr:
			if f := info.Types[n.Fun]; f.IsType() && len(n.Args) == 1 {
				take(n.Args[0], f.Type)
			} else if s, ok := f.Type.(*types.Signature); ok {
				for k, x := range n.Args {
					if k < s.Params().Len() && !(s.Variadic() && k == s.Params().Len()-1 && !n.Ellipsis.IsValid()) {
						take(x, s.Params().At(k).Type())
					}
				}
			}
		case *ast.CompositeLit:
			u, ok := info.TypeOf(n).Underlying().(*types.Struct)
			for k, x := range n.Elts {
				if pair, keyed := x.(*ast.KeyValueExpr); keyed && ok {
					take(pair.Value, info.TypeOf(pair.Key))
				} else if ok {
					take(x, u.Field(k).Type())
				}
			}
		}
		return true
	})
	return found
}
