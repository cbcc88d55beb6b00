package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file finds unused declarations. Go's compiler reports unused local variables. It does not
// report parameters, and variables that are assigned but never read. Parameters of functions that
// are no kernels are ignored: signatures are shared. A name that begins with an underscore
// suppresses the warning.

// parameters warns of a kernel's unused parameters, except the item.
func (l *linter) parameters() {
	read, named := l.reads()
	first := true
	for _, field := range l.Declaration.Type.Params.List {
		for _, name := range field.Names {
			v, _ := l.Info.Defs[name].(*types.Var)
			if v == nil || first || read[v] || strings.HasPrefix(name.Name, "_") {
				first = false
				continue
			}
			text, drop := "`"+name.Name+"`", diag.Note{Message: "remove it, or write `_ = " + name.Name + "` where the host's call is to stay as it is"}
			switch v.Type().Underlying().(type) {
			case *types.Slice:
				if !named[v] {
					l.warn(diag.UnusedBinding, name, "the kernel does not use the buffer "+text, drop)
				}
			case *types.Pointer:
				if named[v] {
					l.warn(diag.UnusedVariable, name, "the workgroup memory "+text+" is assigned to and never read", diag.Note{Message: "remove it and the assignments, or use its value"})
				} else {
					l.warn(diag.UnusedVariable, name, "the workgroup memory "+text+" is never used", diag.Note{Message: "remove it, or begin its name with an underscore"})
				}
			default:
				if named[v] {
					l.warn(diag.UnusedParameter, name, "the parameter "+text+" is assigned to, and what the host gives is never read", drop)
				} else {
					l.warn(diag.UnusedParameter, name, "the kernel does not use the parameter "+text, drop)
				}
			}
		}
	}
}

// variables warns of local variables that are assigned, entirely or in part, and never read.
func (l *linter) variables() {
	read, _ := l.reads()
	ast.Inspect(l.Declaration.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := l.Info.Defs[id].(*types.Var)
		if ok && !v.IsField() && id.Name != "_" && !read[v] && !strings.HasPrefix(id.Name, "_") {
			l.warn(diag.UnusedVariable, id, "the variable `"+id.Name+"` is assigned to and never read", diag.Note{Message: "remove it and the assignments, or use its value"})
		}
		return true
	})
}

// reads finds the variables that the function reads, and those that it names at all. The left side
// of an assignment names a variable.
func (l *linter) reads() (read, named map[*types.Var]bool) {
	read, named = map[*types.Var]bool{}, map[*types.Var]bool{}
	written := map[*ast.Ident]bool{}
	ast.Inspect(l.Declaration.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE || len(n.Lhs) > 1 {
				for _, x := range n.Lhs {
					written[l.target(x)] = true
				}
			}
		case *ast.IncDecStmt:
			written[l.target(n.X)] = true
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if x != nil {
						written[l.target(x)] = true
					}
				}
			}
		case *ast.Ident:
			if v, ok := l.Info.Uses[n].(*types.Var); ok {
				named[v] = true
				read[v] = read[v] || !written[n]
			}
		}
		return true
	})
	return read, named
}

// target returns the identifier of the variable that a left side denotes without reading it, or
// nil. A parameter that is a pointer is workgroup memory itself. Other pointers, and slices, are
// read to find their targets.
func (l *linter) target(x ast.Expr) *ast.Ident {
	for {
		x = ast.Unparen(x)
		var of ast.Expr
		switch n := x.(type) {
		case *ast.Ident:
			return n
		case *ast.IndexExpr:
			of = n.X
		case *ast.SelectorExpr:
			of = n.X
		case *ast.StarExpr:
			of = n.X
		default:
			return nil
		}
		t := l.Info.TypeOf(of)
		if t == nil { // of is a package
			return nil
		}
		switch t.Underlying().(type) {
		case *types.Array, *types.Struct:
		case *types.Pointer:
			if id, ok := ast.Unparen(of).(*ast.Ident); !ok || !l.isShared(id) {
				return nil
			}
		default:
			return nil
		}
		x = of
	}
}

// isShared reports whether an identifier is a parameter of the kernel that is workgroup memory.
func (l *linter) isShared(id *ast.Ident) bool {
	if !l.Kernel {
		return false
	}
	at := l.Info.Uses[id]
	return at != nil && l.Declaration.Type.Params.Pos() <= at.Pos() && at.Pos() < l.Declaration.Type.Params.End()
}
