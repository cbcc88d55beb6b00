package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// This file lists what the dialect does not have, and what it has.

// refused returns what is said about a construct that kernels do not have, and the way out.
func refused(n ast.Node, info *types.Info) (what, hint string) {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "kernels start no goroutines", "the items of a launch run at the same time already"
	case *ast.DeferStmt:
		return "kernels defer no calls", "call the function where the kernel ends"
	case *ast.SelectStmt, *ast.SendStmt:
		return "kernels have no channels", "items exchange values through workgroup memory and buffers"
	case *ast.FuncLit:
		return "kernels have no function literals", "declare a function; a method of a type parameter takes the place of one that is passed"
	case *ast.TypeSwitchStmt, *ast.TypeAssertExpr:
		return "kernels have no interfaces", "a type parameter does what an interface does where the types are known"
	case *ast.BranchStmt:
		if n.Tok == token.GOTO {
			return "kernels have no goto", "break and continue take labels"
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "kernels have no channels", "items exchange values through workgroup memory and buffers"
		}
	case *ast.IndexExpr:
		// Package ssa calls what gives the index first; in Go, calls go from left to right.
		if _, isArray := info.TypeOf(n.X).Underlying().(*types.Array); isArray && hasCall(n.X, info) && hasCall(n.Index, info) {
			return "kernels do not index an array that calls make with what a call gives", "assign the array to a variable, and index that"
		}
	case *ast.RangeStmt:
		switch info.TypeOf(n.X).Underlying().(type) {
		case *types.Map, *types.Chan, *types.Signature:
			return "kernels range over integers, slices and arrays", ""
		case *types.Basic:
			if b := info.TypeOf(n.X).Underlying().(*types.Basic); b.Info()&types.IsString != 0 {
				return "kernels range over integers, slices and arrays", ""
			}
		}
	case *ast.CompositeLit:
		switch info.TypeOf(n).Underlying().(type) {
		case *types.Slice:
			return "kernels make no slices", "an array, [...]float32{…}, has a place of its own in each item"
		case *types.Map:
			return "kernels have no maps", "the memory of kernels is slices and arrays"
		}
	}
	return "", ""
}

// hasCall reports whether an expression calls a function.
func hasCall(x ast.Expr, info *types.Info) (has bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			called := info.Types[c.Fun]
			has = has || !called.IsType() && !called.IsBuiltin()
		}
		return !has
	})
	return has
}

// allowedBuiltins are the builtin functions of kernels.
var allowedBuiltins = map[string]bool{"len": true, "cap": true, "min": true, "max": true}

// builtinHints say what to write instead of the others.
var builtinHints = map[string]string{
	"append":  "kernels make no slices; the host makes a buffer that is large enough",
	"make":    "kernels make no slices; an array, var a [64]float32, has a place of its own in each item",
	"new":     "var x T and &x do it",
	"copy":    "write a loop",
	"clear":   "write a loop",
	"panic":   "accesses outside of slices are reported with -bounds=trap",
	"print":   "write what is to be seen to a slice",
	"println": "write what is to be seen to a slice",
}

// isStandard reports whether a package belongs to Go itself.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// libraryHint says what to call instead of a function of the standard library.
func libraryHint(f *types.Func) string {
	switch f.Pkg().Path() {
	case "math":
		return "package gpu has the functions of float32; float32(math.F(float64(x))) is understood for those that it has"
	case "sync", "time", "os", "fmt", "log":
		return "this is the host's business"
	}
	return "the functions of kernels are those whose source gpuc compiles, and what package gpu, sync/atomic and math/bits offer"
}
