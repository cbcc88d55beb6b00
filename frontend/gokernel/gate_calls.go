package gokernel

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// This file checks calls and the functions that are called.

// called checks a call, its callee and its operands.
func (g *gate) called(n *ast.CallExpr) {
	if g.info.Types[n].Value != nil { // a constant, whatever computes it
		g.value(n)
		return
	}
	if x, ok := g.throughFloat64(n); ok {
		for _, x := range x {
			g.inspect(x)
		}
		return
	}
	callee := g.callee(n)
	if format, ok := messageCall(callee); ok {
		g.message(n, callee, format)
		return
	}
	if !g.call(n, callee) || !g.value(n) || !g.slices(n) {
		return
	}
	if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && g.info.Selections[s] != nil {
		g.inspect(s.X)
	}
	for k, x := range n.Args {
		if callee != nil && isTileMap(callee) && k == len(n.Args)-1 {
			g.mapped(n, x)
			continue
		}
		if callee != nil && !isIntrinsic(callee) {
			s := callee.Signature()
			if at := min(k, s.Params().Len()-1); at >= 0 && g.unusable(s.Params().At(at).Type()) != nil {
				continue // the parameter has been reported
			}
		}
		g.inspect(x)
	}
}

// mapped checks the function that is called for each element of tiles: a function literal, or the
// name of a function.
func (g *gate) mapped(n *ast.CallExpr, x ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.FuncLit:
		outer := g.signature
		g.signature = g.info.TypeOf(x).(*types.Signature)
		g.fields(x.Type.Params)
		g.fields(x.Type.Results)
		g.captures(x)
		g.inspect(x.Body)
		g.signature = outer
		return
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		named := &ast.CallExpr{Fun: x, Lparen: x.End(), Rparen: x.End()}
		if f := g.callee(named); f != nil {
			if g.instances(named) {
				g.enter(n, f)
			}
			return
		}
	}
	g.refuse(x, "write a function literal, or name a function", "the compiler has to know the function that is called for each element")
}

// captures reports assignments of a function literal to variables outside of it.
func (g *gate) captures(literal *ast.FuncLit) {
	assigned := func(x ast.Expr) {
		id := g.assigned(x)
		if id == nil {
			return
		}
		if v, ok := g.info.Uses[id].(*types.Var); ok && (v.Pos() < literal.Pos() || v.Pos() >= literal.End()) {
			g.refuse(id, returnsElement, assignsOutside)
		}
	}
	ast.Inspect(literal.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				assigned(x)
			}
		case *ast.IncDecStmt:
			assigned(n.X)
		}
		return true
	})
}

// assigned returns the variable that an assignment to an expression changes, or nil if that is what
// a slice or a pointer refers to.
func (g *gate) assigned(x ast.Expr) *ast.Ident {
	for {
		switch part := ast.Unparen(x).(type) {
		case *ast.Ident:
			return part
		case *ast.IndexExpr:
			x = part.X
		case *ast.SelectorExpr:
			x = part.X
		default:
			return nil
		}
		if pointedAt(g.info.TypeOf(x)) != g.info.TypeOf(x) {
			return nil
		}
	}
}

// slices reports conversions of slices to arrays.
func (g *gate) slices(n *ast.CallExpr) bool {
	if !g.info.Types[n.Fun].IsType() || len(n.Args) != 1 {
		return true
	}
	if isString(g.info.TypeOf(n.Args[0])) && !isString(g.info.TypeOf(n)) {
		g.refuse(n.Args[0], "text stays with the host; a number says which of several it is", "kernels have no values of type string")
		return false
	}
	_, from := g.info.TypeOf(n.Args[0]).Underlying().(*types.Slice)
	to := g.info.TypeOf(n)
	if isPointer(to) {
		to = pointedAt(to)
	}
	if _, array := to.Underlying().(*types.Array); from && array {
		g.refuse(n, "x[:4] is a slice of the first four; a loop copies them into an array", "kernels do not convert slices to arrays")
		return false
	}
	return true
}

// callee returns the origin of the function that a call names, or nil.
func (g *gate) callee(n *ast.CallExpr) *types.Func {
	if f, ok := typeutil.Callee(g.info, n).(*types.Func); ok {
		return f.Origin()
	}
	return nil
}

// throughFloat64 returns the operands x of float32(math.F(float64(x), …)), the Go idiom for
// functions of package math on float32.
func (g *gate) throughFloat64(n *ast.CallExpr) (operands []ast.Expr, ok bool) {
	if len(n.Args) != 1 || !g.converts(n, types.Float32) {
		return nil, false
	}
	inner, ok := ast.Unparen(n.Args[0]).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	if f := g.callee(inner); f == nil || !isThroughFloat64(f) {
		return nil, false
	}
	for _, a := range inner.Args {
		if t := g.info.Types[a]; t.Value != nil {
			continue
		}
		x, ok := ast.Unparen(a).(*ast.CallExpr)
		if !ok || len(x.Args) != 1 || !g.converts(x, types.Float64) {
			return nil, false
		}
		if b, ok := g.info.TypeOf(x.Args[0]).Underlying().(*types.Basic); !ok || b.Kind() != types.Float32 {
			return nil, false
		}
		operands = append(operands, x.Args[0])
	}
	return operands, true
}

// converts reports whether a call is a conversion to a kind.
func (g *gate) converts(n *ast.CallExpr, to types.BasicKind) bool {
	t := g.info.Types[n.Fun]
	if !t.IsType() {
		return false
	}
	b, ok := t.Type.Underlying().(*types.Basic)
	return ok && b.Kind() == to
}

// call checks the callee of a call, and reports whether to check the operands.
func (g *gate) call(n *ast.CallExpr, f *types.Func) bool {
	if t := g.info.Types[n.Fun]; t.IsType() {
		return true
	} else if t.IsBuiltin() {
		return g.builtin(n)
	}
	if f == nil {
		before := g.refusals
		g.inspect(n.Fun)
		if g.refusals == before && !g.isReported(n.Fun) {
			g.refuse(n.Fun, "call a function by its name", "the callee is a function value, which kernels do not have")
		}
		return false
	}
	if isThroughFloat64(f) && !hasDouble(f) {
		g.refuse(n.Fun, "devices have it for float32: float32("+nameOf(f)+"(float64(x))), or that of package gpu", "kernels do not compute %s of a float64", nameOf(f))
		return false
	}
	if isIntrinsic(f) {
		return g.lane(n, f)
	}
	if types.IsInterface(receiver(f)) {
		if g.isConstraint(n) {
			return true // instances checks the methods
		}
		if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && g.isReported(s.X) {
			g.inspect(s.X)
		} else {
			g.refuse(n.Fun, typeHint(receiver(f)), "the callee depends on an interface's dynamic type")
		}
		return false
	}
	return g.instances(n) && g.enter(n, f)
}

// builtin checks a call of a builtin function.
func (g *gate) builtin(n *ast.CallExpr) bool {
	name := ""
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = "unsafe." + f.Sel.Name
	}
	if allowedBuiltin(name) {
		return true
	}
	for _, x := range n.Args {
		if g.info.Types[x].IsValue() && g.isReported(x) {
			g.inspect(x)
			return false
		}
	}
	hint := builtinHints()[name]
	if t := g.info.Types[n].Type; t != nil && name == "make" {
		switch t.Underlying().(type) {
		case *types.Map, *types.Chan:
			hint = typeHint(t)
		}
	}
	g.refuse(n, hint, "kernels do not call %s", name)
	return false
}

// instances checks the type arguments of a call, and the methods that the function may call of
// them.
func (g *gate) instances(n *ast.CallExpr) bool {
	fun := ast.Unparen(n.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	id, _ := fun.(*ast.Ident)
	if s, ok := fun.(*ast.SelectorExpr); ok {
		id = s.Sel
	}
	given := g.info.Instances[id].TypeArgs
	if given.Len() == 0 {
		return true
	}
	parameters := g.info.Uses[id].Type().(*types.Signature).TypeParams()
	for k, t := range slices.Collect(given.Types()) {
		if hasTypeParameter(t) || shapeHint(t) == "" { // variables are checked themselves
			continue
		}
		if p := g.unusable(t); p != nil {
			operands := false // whether an operand's type is reported instead
			for _, x := range n.Args {
				operands = operands || g.info.Types[x].Value == nil && g.unusable(g.info.TypeOf(x)) != nil
			}
			if !operands {
				g.refuse(n.Fun, p.hint, "%s", p.message)
				return false
			}
			continue
		}
		if !g.methods(n, t, parameters.At(k).Constraint()) {
			return false
		}
	}
	return true
}

// methods checks the methods of a constraint in a type argument, and reports whether they are
// valid.
func (g *gate) methods(n *ast.CallExpr, t, constraint types.Type) bool {
	bound, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return true
	}
	for m := range bound.Methods() {
		found, _, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
		if f, ok := found.(*types.Func); ok && !types.IsInterface(receiver(f)) && !g.enter(n, f.Origin()) {
			return false
		}
	}
	return true
}

// enter checks the function that a call leads to, and reports whether the call is valid.
func (g *gate) enter(n *ast.CallExpr, f *types.Func) bool {
	for k, c := range g.calls {
		if c.callee == f {
			g.refuse(n, "write a loop; an array with an index replaces the stack", "%s calls itself%s, and kernels have no recursion", f.Name(), through(g.calls[k+1:]))
			return false
		}
	}
	switch d, ok := g.declarations[f]; {
	case f.Pkg() != nil && f.Pkg().Path() == gpuPath && !g.isForKernels(f):
		return g.foreign(n, f)
	case ok && directiveOf(d.declaration) != nil:
		g.refuse(n.Fun, "put the shared code into a function without the directive", "%s is a kernel, which is launched and not called", f.Name())
		return false
	case ok && g.isOfCgo(d.of, d.declaration.Pos()):
		g.refuse(n.Fun, "write it in Go, in a file that does not import \"C\"", "%s is in a file that imports \"C\", and kernels call no C", f.Name())
		return false
	case ok:
		g.calls = append(g.calls, call{n, f})
		g.function(f)
		g.calls = g.calls[:len(g.calls)-1]
		g.blame(g.reasons[f])
	case f.Pkg() == nil || g.isLoaded(f.Pkg().Path()) || slices.Contains(g.calleePackages, f.Pkg().Path()):
		g.refuse(n, "write it in Go", "%s has no source that is part of this build", f.Name())
		return false
	case isStandard(f.Pkg().Path()):
		return g.foreign(n, f)
	case g.unit != nil:
		g.reportForeignCall(n, f)
	default:
		g.missing = append(g.missing, f.Pkg().Path())
	}
	return true
}

// isForKernels reports whether a function of package gpu is compiled from its source. These are the
// functions of vectors, matrices and tensors, and of floats that devices have no arithmetic for.
func (g *gate) isForKernels(f *types.Func) bool {
	switch filepath.Base(g.files.Position(f.Pos()).Filename) {
	case "vector.go", "matrix.go", "tensor.go", "bfloat16.go", "float16vectors.go", "int4.go":
		return true
	}
	return false
}

// foreign reports a call of a library's function.
func (g *gate) foreign(n *ast.CallExpr, f *types.Func) bool {
	if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && g.info.Selections[s] != nil && g.isReported(s.X) {
		g.inspect(s.X)
		return false
	}
	g.refuse(n.Fun, libraryHint(f), "kernels do not call %s", nameOf(f))
	return false
}

// nameOf returns a function's name qualified by its package's name.
func nameOf(f *types.Func) string {
	return strings.Replace(f.FullName(), f.Pkg().Path(), f.Pkg().Name(), 1)
}

// through names the functions between two in a chain of calls.
func through(calls []call) (text string) {
	for n, c := range calls {
		text += []string{" through ", ", "}[min(n, 1)] + c.callee.Name()
	}
	return text
}

// receiver returns the type of a method's receiver, or for a function an invalid type.
func receiver(f *types.Func) types.Type {
	if r := f.Signature().Recv(); r != nil {
		return r.Type()
	}
	return types.Typ[types.Invalid]
}

// isConstraint reports whether a call is of a method of a type parameter's value.
func (g *gate) isConstraint(n *ast.CallExpr) bool {
	s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	return ok && hasTypeParameter(g.info.TypeOf(s.X))
}

func (g *gate) isLoaded(path string) bool {
	return slices.ContainsFunc(g.packages, func(p *packages.Package) bool { return p.PkgPath == path })
}
