// This file finds what may write to a package-level variable: an escape analysis over the syntax.
// Slices of the variable and pointers into it are followed through variables, fields, calls and
// results of functions. If they flow anywhere else, they may be written through. Fields with the
// same name are treated as one, because structures can be converted to others with the same field
// names.

package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// flow is one analysis: what has been visited from a variable on.
type flow struct {
	*gate
	seen  map[types.Object]bool
	names map[string]bool // of fields
}

func isField(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && v.IsField()
}

// changed returns the first node that may write to a package-level variable, or nil.
func (g *gate) changed(v *types.Var) ast.Node {
	return flow{g, map[types.Object]bool{}, map[string]bool{}}.changed(v)
}

// changed returns the first node that may write through a use of a variable or function, or nil.
func (g flow) changed(o types.Object) (write ast.Node) {
	if isField(o) {
		if g.names[o.Name()] {
			return nil
		}
		g.names[o.Name()] = true
	}
	_, function := o.(*types.Func)
	n := slices.IndexFunc(g.packages, func(p *packages.Package) bool { return p.Types == o.Pkg() })
	if g.seen[o] || n < 0 {
		return nil
	}
	g.seen[o] = true
	p := g.packages[n]
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if !function && !isField(o) && o.Parent() != o.Pkg().Scope() && (o.Pos() < d.Pos() || o.Pos() > d.End()) {
				continue // a variable of another function
			}
			var around []ast.Node
			ast.Inspect(d, func(n ast.Node) bool {
				if n == nil {
					around = around[:len(around)-1]
					return true
				}
				if id, ok := n.(*ast.Ident); ok && write == nil {
					used := p.TypesInfo.Uses[id]
					if f, ok := used.(*types.Func); ok {
						used = f.Origin()
					}
					if used == o || isField(o) && used != nil && isField(used) && used.Name() == o.Name() {
						write = g.writes(p.TypesInfo, id, slices.Clone(around))
					}
				}
				around = append(around, n)
				return true
			})
		}
	}
	return write
}

// enclosing returns the expression that refers to the same memory as its operand x, or nil if the
// parent of x is none. Reference says that x is a slice, a pointer or a function.
func enclosing(info *types.Info, x ast.Expr, parent ast.Node, reference bool) ast.Expr {
	switch n := parent.(type) {
	case *ast.ParenExpr:
		return n
	case *ast.StarExpr:
		return n
	case *ast.IndexExpr:
		if n.X == x {
			return n
		}
	case *ast.SliceExpr:
		if n.X == x {
			return n
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return n
		}
	case *ast.SelectorExpr:
		if _, method := info.Uses[n.Sel].(*types.Func); n.Sel == x || !method {
			return n
		}
	case *ast.CallExpr:
		if n.Fun == x || reference && info.Types[n.Fun].IsType() && isReference(info.TypeOf(n)) {
			return n
		}
	}
	return nil
}

// writes returns the first node that may write through an expression, given the nodes around it, or
// nil. The expression is the variable, a slice of it, a pointer into it, or a function that returns
// one of these.
func (g flow) writes(info *types.Info, x ast.Expr, around []ast.Node) ast.Node {
	for len(around) > 0 {
		parent := around[len(around)-1]
		around = around[:len(around)-1]
		t := info.TypeOf(x)
		_, function := t.(*types.Signature)
		reference := function || isReference(t)
		if outer := enclosing(info, x, parent, reference); outer != nil {
			x = outer
			continue
		}
		if n, ok := parent.(*ast.SelectorExpr); ok { // a method
			f := info.Uses[n.Sel].(*types.Func)
			if !isReference(receiver(f)) && !types.IsInterface(receiver(f)) {
				return nil // a copy
			}
			return g.writesThrough(x, f, f.Signature().Recv())
		}
		if !reference {
			if assigns(parent, x) {
				return x
			}
			return nil // a copy
		}
		return g.writesReference(info, x, parent, around)
	}
	return x
}

// assigns reports whether a statement assigns to x.
func assigns(n ast.Node, x ast.Expr) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return slices.Contains(n.Lhs, x)
	case *ast.RangeStmt:
		return n.X != x && n.Tok == token.ASSIGN
	}
	_, ok := n.(*ast.IncDecStmt)
	return ok
}

// writesReference is writes for a slice, a pointer or a function, which its parent may copy.
func (g flow) writesReference(info *types.Info, x ast.Expr, parent ast.Node, around []ast.Node) ast.Node {
	switch n := parent.(type) {
	case *ast.AssignStmt:
		if slices.Contains(n.Lhs, x) {
			return nil // x itself is assigned, not what it refers to
		}
		if k := slices.Index(n.Rhs, x); k >= 0 && len(n.Lhs) == len(n.Rhs) {
			return g.writesInto(info, x, n.Lhs[k])
		}
	case *ast.ValueSpec:
		if k := slices.Index(n.Values, x); k >= 0 && len(n.Names) == len(n.Values) {
			return g.writesInto(info, x, n.Names[k])
		}
	case *ast.RangeStmt, *ast.IndexExpr, *ast.SliceExpr, *ast.UnaryExpr, *ast.BinaryExpr, *ast.ExprStmt, *ast.SwitchStmt, *ast.CaseClause:
		return nil // only the value is used
	case *ast.CallExpr:
		return g.writesCall(info, x, n)
	case *ast.KeyValueExpr:
		if n.Key == x {
			return nil
		}
		if id, ok := n.Key.(*ast.Ident); ok {
			return g.writesInto(info, x, id)
		}
	case *ast.CompositeLit:
		if u, ok := info.TypeOf(n).Underlying().(*types.Struct); ok {
			return g.writesField(x, u.Field(slices.Index(n.Elts, x)))
		}
	case *ast.ReturnStmt:
		return g.writesResult(info, x, n, around)
	}
	return x
}

// writesInto is writes for a value assigned to a variable.
func (g flow) writesInto(info *types.Info, x, to ast.Expr) ast.Node {
	id := identifier(to)
	if s, ok := ast.Unparen(to).(*ast.SelectorExpr); ok {
		id = s.Sel
	}
	if id == nil {
		return x
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	switch {
	case id.Name == "_":
		return nil
	case ok && v.IsField():
		return g.writesField(x, v)
	case !ok || isGlobal(v) || !isReference(v.Type()):
		return x
	}
	return g.changed(v)
}

// writesField is writes for a value that becomes a field.
func (g flow) writesField(x ast.Expr, v *types.Var) ast.Node {
	if v.Exported() || !isReference(v.Type()) {
		return x
	}
	return g.changed(v)
}

// writesCall is writes for an argument of a call.
func (g flow) writesCall(info *types.Info, x ast.Expr, n *ast.CallExpr) ast.Node {
	at := slices.Index(n.Args, x)
	if at < 0 {
		return x
	}
	switch f := typeutil.Callee(info, n).(type) {
	case *types.Builtin:
		switch name := f.Name(); {
		case name == "len" || name == "cap", name == "copy" && at == 1, name == "append" && at == 1 && n.Ellipsis.IsValid():
			return nil
		}
	case *types.Func:
		s := f.Origin().Signature()
		expression, isSelector := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		switch {
		case s.Variadic() && at >= s.Params().Len()-1 && !n.Ellipsis.IsValid():
			return x // it becomes an element of a slice
		case isSelector && info.Selections[expression] != nil && info.Selections[expression].Kind() == types.MethodExpr:
			return x
		}
		return g.writesThrough(x, f, s.Params().At(at))
	}
	return x
}

// writesThrough is writes for a value passed as a parameter.
func (g flow) writesThrough(x ast.Expr, f *types.Func, parameter *types.Var) ast.Node {
	d, ok := g.declarations[f.Origin()]
	if !ok || d.declaration.Body == nil || !isReference(parameter.Type()) {
		return x
	}
	if parameter == f.Signature().Recv() {
		parameter = f.Origin().Signature().Recv()
	}
	return g.changed(parameter)
}

// writesResult is writes for the result of a function, at all its calls.
func (g flow) writesResult(info *types.Info, x ast.Expr, n *ast.ReturnStmt, around []ast.Node) ast.Node {
	var f *types.Func
	for _, a := range around {
		switch a := a.(type) {
		case *ast.FuncDecl:
			f, _ = info.Defs[a.Name].(*types.Func)
		case *ast.FuncLit:
			return x
		}
	}
	if f == nil || f.Exported() || len(n.Results) > 1 {
		return x
	}
	return g.changed(f)
}
