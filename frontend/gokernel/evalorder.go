// This file gives calls in index expressions Go's order of evaluation, from left to right.

package gokernel

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// inOrder calls do with the syntax changed so that package ssa evaluates calls in all index
// expressions from left to right. For an array that is not addressable, package ssa evaluates the
// index first. So a[i] becomes [1]T{a}[0][i], which is marked as addressable; of that it evaluates
// the array first.
func (l *loader) inOrder(do func()) {
	type expression struct {
		info  *types.Info
		array ast.Expr
		typed types.TypeAndValue
	}
	was := map[*ast.IndexExpr]expression{}
	l.temporaries = map[token.Pos]bool{}
	defer func() {
		for x, e := range was {
			x.X, e.info.Types[x] = e.array, e.typed
		}
	}()
	for _, p := range l.packages {
		info := p.TypesInfo
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if x, ok := n.(*ast.IndexExpr); ok && isEarly(x, info) {
					was[x] = expression{info, x.X, info.Types[x]}
					l.temporaries[x.Pos()] = true
					x.X, info.Types[x] = temporary(x.X, info), variableOf(info.TypeOf(x))
				}
				return true
			})
		}
	}
	do()
}

// isEarly reports whether package ssa evaluates an index before calls in its array, and that is
// observable.
func isEarly(x *ast.IndexExpr, info *types.Info) bool {
	of := info.Types[x.X]
	if !of.IsValue() || of.Addressable() || !isArray(of.Type) || info.Types[x.Index].Value != nil {
		return false
	}
	array := calls(x.X, info)
	return array == effectCall || array == pureCall && calls(x.Index, info) == effectCall
}

// isArray reports whether a type is an array, or a type parameter with arrays only as its type set.
func isArray(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return isArray(p.Constraint())
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return true
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if isArray(e) {
				return true
			}
		}
	case *types.Union:
		for term := range u.Terms() {
			if !isArray(term.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// temporary returns an addressable expression with the value of x.
func temporary(x ast.Expr, info *types.Info) ast.Expr {
	t, at := info.TypeOf(x), x.Pos()
	one := &ast.CompositeLit{Lbrace: at, Elts: []ast.Expr{x}, Rbrace: at}
	zero := &ast.BasicLit{ValuePos: at, Kind: token.INT, Value: "0"}
	element := &ast.IndexExpr{X: one, Lbrack: at, Index: zero, Rbrack: at}
	info.Types[one] = variableOf(types.NewArray(t, 1))
	info.Types[zero] = types.TypeAndValue{Type: types.Typ[types.Int], Value: constant.MakeInt64(0)}
	info.Types[element] = variableOf(t)
	return element
}

// variableOf returns the TypeAndValue of an addressable expression of a type. Only package types
// can set that, so that it evaluates an element of a slice.
func variableOf(t types.Type) types.TypeAndValue {
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, "[]int{0}[0]")
	if err != nil || !v.Addressable() {
		panic("an element of a slice is no variable")
	}
	v.Type = t
	return v
}
