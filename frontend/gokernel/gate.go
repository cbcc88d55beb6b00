package gokernel

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/gpuc/gpuc/ir/diag"
)

// gate refuses what is no part of the dialect, in the kernels and in all that they call.
type gate struct {
	*loader
	declarations map[*types.Func]declared
	passed       map[*types.Func]bool
	// calls are the calls that led to the function in hand, the kernel's first.
	calls   []call
	missing []string
	tables  map[*types.Var]bool // whether a variable of a package is a table of constants
	// typed are the lines with a type that was refused: what follows from it there is not.
	typed map[line]bool

	// of is the package of the function in hand, and info what is known of it.
	of   *packages.Package
	info *types.Info
}

// declared is a function with its package.
type declared struct {
	declaration *ast.FuncDecl
	of          *packages.Package
}

// line is a line of a file.
type line struct {
	file   string
	number int
}

// call is a call and what it calls.
type call struct {
	at     ast.Node
	callee *types.Func
}

// gate checks the kernels, and returns the packages that they call functions of whose source has
// not been loaded.
func (l *loader) gate(kernels []*kernel) (missing []string) {
	g := &gate{loader: l, declarations: map[*types.Func]declared{}, passed: map[*types.Func]bool{}, tables: map[*types.Var]bool{}, typed: map[line]bool{}}
	for _, p := range l.packages {
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					if object, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
						g.declarations[object] = declared{d, p}
					}
				}
			}
		}
	}
	for _, k := range kernels {
		g.signature(k)
		g.function(k.object)
	}
	slices.Sort(g.missing)
	return slices.Compact(g.missing)
}

// refuse adds an error about a construct, with the way out as a note.
func (g *gate) refuse(at ast.Node, hint, format string, args ...any) {
	d := diag.Diagnostic{Code: diag.GoSubset, Span: g.span(at.Pos(), at.End()), Message: fmt.Sprintf(format, args...)}
	if hint != "" {
		d.Notes = append(d.Notes, diag.Note{Message: hint})
	}
	for _, c := range slices.Backward(g.calls) {
		d.Notes = append(d.Notes, diag.Note{Span: g.span(c.at.Pos(), c.at.End()), Message: fmt.Sprintf("%s is called here", c.callee.Name())})
	}
	g.list.Add(d)
}

// signature checks the parameters of a kernel.
func (g *gate) signature(k *kernel) {
	s := k.object.Signature()
	at := func(n ast.Node) (from, to token.Pos) { return n.Pos(), n.End() }
	name := k.declaration.Name
	if s.Results().Len() > 0 {
		g.problem(g.span(at(k.declaration.Type.Results)), "a kernel returns nothing; results are written to its slices")
	}
	switch {
	case s.Recv() != nil:
		g.problem(g.span(at(name)), "a kernel is a function, and %s is a method", name.Name)
	case s.TypeParams().Len() > 0:
		g.problem(g.span(at(name)), "%s has type parameters; a kernel is a function of one set of types, which may call generic ones", name.Name)
	case s.Variadic():
		g.problem(g.span(at(name)), "the parameters of a kernel have a fixed number")
	case s.Params().Len() == 0 || !isItem(s.Params().At(0).Type()):
		g.problem(g.span(at(name)), "the first parameter of a kernel is a gpu.Item")
	default:
		n := 0
		for _, field := range k.declaration.Type.Params.List {
			for range max(1, len(field.Names)) {
				if n > 0 {
					g.parameter(field, s.Params().At(n))
				}
				n++
			}
		}
	}
}

// parameter checks a parameter of a kernel behind the first.
func (g *gate) parameter(field *ast.Field, p *types.Var) {
	place := g.span(field.Type.Pos(), field.Type.End())
	if bad := outside(p.Type()); bad != nil {
		g.problem(place, "a kernel takes slices, pointers to workgroup memory, numbers and structures, and %s has a %s", p.Name(), bad)
		return
	}
	shared := p.Type()
	switch u := p.Type().Underlying().(type) {
	case *types.Pointer:
		if r := hasReference(u.Elem()); r != nil {
			g.problem(place, "workgroup memory holds no slices and pointers, and %s has a %s", p.Name(), r)
		}
		return
	case *types.Slice:
		shared = u.Elem()
		if r := hasReference(shared); r != nil {
			g.problem(place, "a buffer holds numbers, arrays and structures of them, and the elements of %s have a %s", p.Name(), r)
			return
		}
		if bad := platformDependent(shared); bad != nil {
			g.problem(place, "the elements of %s have a %s, whose size depends on the platform; a buffer has int32, uint32 or float32", p.Name(), bad)
		}
	default:
		if r := hasReference(shared); r != nil {
			g.problem(place, "slices and pointers are parameters of their own, and %s has a %s inside", p.Name(), r)
		}
	}
}

// function checks a function and what it calls.
func (g *gate) function(f *types.Func) {
	if g.passed[f] {
		return
	}
	g.passed[f] = true
	d := g.declarations[f]
	if d.declaration.Body == nil {
		g.refuse(d.declaration.Name, "", "%s has no body in Go", f.Name())
		return
	}
	before := g.of
	g.of, g.info = d.of, d.of.TypesInfo
	ast.Inspect(d.declaration.Body, g.visit)
	if g.of = before; before != nil {
		g.info = before.TypesInfo
	}
}

// visit checks a node and reports whether to look into it.
func (g *gate) visit(n ast.Node) bool {
	if what, hint := refused(n, g.info); what != "" {
		g.refuse(n, hint, "%s", what)
		return false
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		if x, ok := g.throughFloat64(n); ok {
			for _, x := range x {
				ast.Inspect(x, g.visit)
			}
			return false
		}
		if !g.call(n) {
			return false
		}
	case *ast.Ident:
		if v, ok := g.info.Uses[n].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() && !g.isTable(v) {
			g.refuse(n, "kernels read variables of packages if these are tables: arrays whose values are constants, and which nothing assigns to",
				"%s is a variable of the package, which a kernel cannot see change", n.Name)
			return false
		}
	}
	if x, ok := n.(ast.Expr); ok {
		return g.value(x)
	}
	return true
}

// value checks the type of a value.
func (g *gate) value(x ast.Expr) bool {
	t, ok := g.info.Types[x]
	if id, isName := x.(*ast.Ident); isName && !ok {
		if v, isVariable := g.info.ObjectOf(id).(*types.Var); isVariable {
			t.Type, ok = v.Type(), true
		}
	} else if !t.IsValue() {
		return true
	}
	if !ok || t.Type == nil || t.IsBuiltin() {
		return true
	}
	if hasTypeParameter(t.Type) {
		return true // what it stands for is looked at where it is known
	}
	if _, isFunction := t.Type.Underlying().(*types.Signature); isFunction {
		return true // calls are looked at as such
	}
	bad := outside(t.Type)
	if id, isName := x.(*ast.Ident); bad == nil || isName && g.info.Defs[id] == nil && g.isLocal(id) {
		return true // a variable is refused where it is declared
	}
	if t.Value != nil && bad == t.Type && isUntyped(t.Type) {
		return true
	}
	at := g.files.PositionFor(x.Pos(), false)
	if where := (line{at.Filename, at.Line}); !g.typed[where] {
		g.typed[where] = true
		g.refuse(x, typeHint(bad), "kernels have no values of type %s", types.TypeString(bad, types.RelativeTo(g.of.Types)))
	}
	return false
}

// isLocal reports whether a name is that of a variable of a function.
func (g *gate) isLocal(id *ast.Ident) bool {
	v, ok := g.info.Uses[id].(*types.Var)
	return ok && v.Kind() == types.LocalVar
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0 && b.Info()&types.IsNumeric != 0
}

func hasTypeParameter(t types.Type) bool {
	switch u := t.(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return hasTypeParameter(u.Elem())
	case *types.Slice:
		return hasTypeParameter(u.Elem())
	case *types.Array:
		return hasTypeParameter(u.Elem())
	case *types.Named:
		for a := range u.TypeArgs().Types() {
			if hasTypeParameter(a) {
				return true
			}
		}
	case *types.Tuple:
		for v := range u.Variables() {
			if hasTypeParameter(v.Type()) {
				return true
			}
		}
	}
	return false
}

// typeHint says what to write instead of a type.
func typeHint(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.Float64:
			return "write float32, and gpu.Sqrt instead of math.Sqrt; float32(math.F(float64(x))) is understood, too"
		case u.Info()&types.IsInteger != 0:
			return "the integers of kernels are int, int32, uint and uint32"
		case u.Info()&types.IsString != 0:
			return "text stays with the host"
		}
	case *types.Map, *types.Chan:
		return "the memory of kernels is slices and arrays"
	case *types.Interface:
		return "a type parameter does what an interface does where the types are known"
	case *types.Signature:
		return "call a function by its name, or a method of a type parameter"
	}
	return ""
}

// throughFloat64 returns the operands of float32(math.F(float64(x), …)), which is how Go calls
// functions of package math on float32.
func (g *gate) throughFloat64(n *ast.CallExpr) (operands []ast.Expr, ok bool) {
	if len(n.Args) != 1 || !g.converts(n, types.Float32) {
		return nil, false
	}
	inner, ok := ast.Unparen(n.Args[0]).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	callee, ok := typeutil.Callee(g.info, inner).(*types.Func)
	if !ok || !isThroughFloat64(callee) {
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

// call checks a call and the function that it calls, and reports whether to look at its operands.
func (g *gate) call(n *ast.CallExpr) bool {
	if t := g.info.Types[n.Fun]; t.IsType() {
		return true
	} else if t.IsBuiltin() {
		id, _ := ast.Unparen(n.Fun).(*ast.Ident)
		if id != nil && !allowedBuiltins[id.Name] {
			g.refuse(n, builtinHints[id.Name], "kernels do not call %s", id.Name)
			return false
		}
		return true
	}
	f, ok := typeutil.Callee(g.info, n).(*types.Func)
	if !ok {
		g.refuse(n.Fun, "call a function by its name", "what this calls is a value, which kernels do not have")
		return false
	}
	f = f.Origin()
	switch {
	case isIntrinsic(f):
		return true
	case types.IsInterface(receiver(f)):
		if _, generic := receiver(f).(*types.TypeParam); !generic && !g.isConstraint(n) {
			g.refuse(n.Fun, "a type parameter does what an interface does where the types are known", "what this calls depends on an interface's value")
			return false
		}
		return true
	}
	for k, c := range g.calls {
		if c.callee == f {
			g.refuse(n, "", "%s calls itself%s; the functions of kernels do not recur", f.Name(), through(g.calls[k+1:]))
			return false
		}
	}
	if _, ok := g.declarations[f]; !ok {
		if f.Pkg() == nil || g.isLoaded(f.Pkg().Path()) {
			g.refuse(n, "", "%s has no source that is part of this build", f.Name())
		} else if isStandard(f.Pkg().Path()) {
			g.refuse(n.Fun, libraryHint(f), "kernels do not call %s", f.FullName())
			return false
		} else {
			g.missing = append(g.missing, f.Pkg().Path())
		}
		return true
	}
	g.calls = append(g.calls, call{n, f})
	g.function(f)
	g.calls = g.calls[:len(g.calls)-1]
	return true
}

// through names the functions between two.
func through(calls []call) (text string) {
	for n, c := range calls {
		text += []string{" through ", ", "}[min(n, 1)] + c.callee.Name()
	}
	return text
}

// receiver returns the type of a method's receiver; of a function, a type that is no interface.
func receiver(f *types.Func) types.Type {
	if r := f.Signature().Recv(); r != nil {
		return r.Type()
	}
	return types.Typ[types.Invalid]
}

// isConstraint reports whether a method is called of a value whose type is a type parameter.
func (g *gate) isConstraint(n *ast.CallExpr) bool {
	s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	return ok && hasTypeParameter(g.info.TypeOf(s.X))
}

func (g *gate) isLoaded(path string) bool {
	return slices.ContainsFunc(g.packages, func(p *packages.Package) bool { return p.PkgPath == path })
}
