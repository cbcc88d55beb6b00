package gokernel

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/gpuc/gpuc/ir/diag"
)

// gate reports what is outside the subset of Go for kernels, in the kernels and in all functions
// that they call. One mistake is one error: a variable is reported at its declaration, a parameter
// at its function, and values computed from them are not reported again (gate_values.go).
type gate struct {
	*loader
	declarations map[*types.Func]declared
	visited      map[*types.Func]bool
	// broken are functions with errors, or that call some with errors. tainted is that state of the
	// current function.
	broken  map[*types.Func]bool
	tainted bool
	// calls are the calls that lead to the current function, the kernel's first.
	calls        []call
	missing      []string
	tables       map[*types.Var]notTable // why package-level variables are no tables
	reportedVars map[*types.Var]bool     // package-level variables that have been reported
	// typed are the lines with a type error: errors that follow from it on the line are not
	// reported.
	typed map[line]bool
	// refusals counts the errors.
	refusals int
	// subject is the function that Unit.Reasons asks about, or nil. reasons are the errors found so
	// far, by function (unit.go).
	subject *types.Func
	reasons map[*types.Func]Reason

	// of is the package of the current function, and info, signature and body are the function's.
	of        *packages.Package
	info      *types.Info
	signature *types.Signature
	body      *ast.BlockStmt
	nilSlices map[ast.Expr]bool // the uses of nil in body, and whether they are slices
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

func (l *loader) newGate() *gate {
	g := &gate{loader: l, declarations: map[*types.Func]declared{}, visited: map[*types.Func]bool{}, broken: map[*types.Func]bool{}, tables: map[*types.Var]notTable{}, reportedVars: map[*types.Var]bool{}, typed: map[line]bool{}}
	for _, p := range l.packages {
		for _, f := range p.Syntax {
			for d := range functionsOf(f) {
				if object, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
					g.declarations[object] = declared{d, p}
				}
			}
		}
	}
	return g
}

// gate checks the kernels. It returns the packages whose functions they call and whose source has
// not been loaded.
func (l *loader) gate(kernels []*kernel) (missing []string) {
	g := l.newGate()
	g.kernels(kernels)
	l.compiled = g.visited
	slices.Sort(g.missing)
	return slices.Compact(g.missing)
}

// kernels checks kernels, and sets refused in those with errors.
func (g *gate) kernels(kernels []*kernel) {
	before := g.list.Errors()
	g.names(kernels)
	ambiguous := g.list.Errors() > before
	for _, k := range kernels {
		before := g.list.Errors()
		g.kernel(k)
		g.function(k.object)
		k.refused = k.refused || ambiguous || g.broken[k.object] || g.list.Errors() > before
	}
}

// refuse adds an error about a construct, with a hint as a note.
func (g *gate) refuse(at ast.Node, hint, format string, args ...any) {
	g.refuseWith(at, diag.Note{Message: hint}, format, args...)
}

// refuseWith is refuse with a note that may have a span.
func (g *gate) refuseWith(at ast.Node, note diag.Note, format string, args ...any) {
	g.refusals++
	if g.subject != nil {
		g.blame(g.reason(at, fmt.Sprintf(format, args...), note.Message))
		return
	}
	d := diag.Diagnostic{Code: diag.GoSubset, Span: g.node(at), Message: fmt.Sprintf(format, args...)}
	if note.Message != "" {
		d.Notes = append(d.Notes, note)
	}
	for _, c := range slices.Backward(g.calls) {
		d.Notes = append(d.Notes, diag.Note{Span: g.node(c.at), Message: fmt.Sprintf("%s is called here", c.callee.Name())})
	}
	g.list.Add(d)
}

// function checks a function and all that it calls.
func (g *gate) function(f *types.Func) {
	if g.visited[f] {
		g.tainted = g.tainted || g.broken[f]
		return
	}
	g.visited[f] = true
	outer, refusals := g.tainted, g.refusals
	g.tainted = false
	defer func() {
		g.broken[f] = g.tainted || g.refusals > refusals
		g.tainted = outer || g.broken[f]
	}()
	d := g.declarations[f]
	if d.declaration.Body == nil {
		g.refuse(d.declaration.Name, "write it in Go", "%s has no body in Go, and devices do not run the assembly of processors", f.Name())
		return
	}
	before, info, signature, body, nils := g.of, g.info, g.signature, g.body, g.nilSlices
	g.of, g.info, g.signature, g.body = d.of, d.of.TypesInfo, f.Signature(), d.declaration.Body
	g.nilSlices = nilSlices(g.body, g.info, g.signature)
	if directiveOf(d.declaration) == nil {
		g.fields(d.declaration.Type.Params)
		g.fields(d.declaration.Type.Results)
	}
	g.inspect(d.declaration.Body)
	g.of, g.info, g.signature, g.body, g.nilSlices = before, info, signature, body, nils
}

// fields checks the parameters or results of a function that is no kernel. A receiver is reported
// at the value of its type.
func (g *gate) fields(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		if p := g.unusable(g.info.TypeOf(field.Type)); p != nil {
			g.refuse(field.Type, p.hint, "%s", p.message)
		}
	}
}

// inspect checks nodes and their descendants.
func (g *gate) inspect(nodes ...ast.Node) {
	for _, n := range nodes {
		ast.Inspect(n, g.visit)
	}
}

// visit checks a node and reports whether to check its children.
func (g *gate) visit(n ast.Node) bool {
	if g.isDecided() {
		return false
	}
	if what, hint, of := refused(n, g.info); what != "" {
		if of == nil || !g.isReported(of) {
			g.refuse(g.head(n), hint, "%s", what)
		} else {
			g.inspect(of)
		}
		return false
	}
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR // constants and types are checked at their uses
	case *ast.ValueSpec:
		names := make([]ast.Expr, len(n.Names))
		for k, name := range n.Names {
			names[k] = name
		}
		g.assign(names, n.Values, n.Type != nil)
		return false
	case *ast.AssignStmt:
		g.assign(n.Lhs, n.Rhs, false)
		return false
	case *ast.RangeStmt:
		g.inspect(n.X)
		for _, x := range []ast.Expr{n.Key, n.Value} {
			if x != nil {
				g.target(x, n.X, false)
			}
		}
		g.inspect(n.Body)
		return false
	case *ast.ReturnStmt:
		for k, x := range n.Results {
			if len(n.Results) != g.signature.Results().Len() || g.unusable(g.signature.Results().At(k).Type()) == nil {
				g.inspect(x)
			}
		}
		return false
	case *ast.BinaryExpr:
		if (n.Op == token.EQL || n.Op == token.NEQ) && !g.comparable(n) {
			return false
		}
	case *ast.CallExpr:
		g.called(n)
		return false
	case *ast.SelectorExpr:
		if v, ok := g.info.Uses[n.Sel].(*types.Var); ok && isGlobal(v) {
			return g.global(n, v)
		}
		if g.value(n) { // the selected name is no variable by itself
			g.inspect(n.X)
		}
		return false
	case *ast.Ident:
		if v, ok := g.info.Uses[n].(*types.Var); ok && isGlobal(v) {
			return g.global(n, v)
		}
	}
	if x, ok := n.(ast.Expr); ok {
		return g.value(x)
	}
	return true
}

// assign checks an assignment or a declaration; typed says that the declaration has a type. Values
// assigned to a variable that has been reported are not reported.
func (g *gate) assign(to, values []ast.Expr, typed bool) {
	for n, x := range values {
		if len(to) == len(values) && g.info.Defs[identifier(to[n])] == nil && g.isReported(to[n]) && g.unusable(g.info.TypeOf(x)) != nil {
			continue
		}
		g.inspect(x)
	}
	for n, x := range to {
		var value ast.Expr
		if len(values) > 0 {
			value = values[min(n, len(values)-1)]
		}
		g.target(x, value, typed)
	}
}

// target checks an operand that is assigned to. A variable's type is reported at its declaration,
// unless it is the type of a value that is checked itself.
func (g *gate) target(x, value ast.Expr, typed bool) {
	id := identifier(x)
	v, _ := g.info.Defs[id].(*types.Var)
	if v == nil {
		g.inspect(x)
		return
	}
	constant := value != nil && g.info.Types[value].Value != nil
	if value != nil && !constant && g.unusable(g.info.TypeOf(value)) != nil {
		return
	}
	if p := g.unusable(v.Type()); p != nil {
		g.refuse(x, p.hint, "%s", p.message)
	} else if b, ok := v.Type().(*types.Basic); ok && b.Kind() == types.Float64 && constant && !typed && !isConversion(value) {
		g.double(id, v, value)
	}
}

// isConversion reports whether an expression states its type.
func isConversion(x ast.Expr) bool {
	_, call := ast.Unparen(x).(*ast.CallExpr)
	return call
}

// double warns of a variable that is a float64 because a constant made it one, which is rarely
// intended in a kernel.
func (g *gate) double(at *ast.Ident, v *types.Var, value ast.Expr) {
	if g.subject != nil {
		return
	}
	text := types.ExprString(value)
	d := diag.Diagnostic{Code: diag.GoFloat64, Severity: diag.Warning, Span: g.node(at),
		Message: fmt.Sprintf("%s is a float64, as a constant with a point makes one, and most GPUs take up to 64 times as long for those", at.Name),
		Notes:   []diag.Note{{Message: fmt.Sprintf("%s := float32(%s) is a float32, and float64(%[2]s) says that a float64 is meant", at.Name, text)}}}
	if span := g.node(value); g.isSingle(v) && span.Valid() {
		d.Fixes = []diag.Fix{{Kind: diag.FixSingle, Span: span, Text: "float32(" + g.set.Text(span) + ")",
			Message: "make it a float32, which each use converts it to"}}
	}
	g.list.Add(d)
}

// isSingle reports whether all uses of a variable are float32(v), so that the kernel computes the
// same if the variable is a float32.
func (g *gate) isSingle(v *types.Var) bool {
	converted := map[*ast.Ident]bool{}
	single := true
	ast.Inspect(g.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if len(n.Args) == 1 && g.converts(n, types.Float32) {
				converted[identifier(n.Args[0])] = true
			}
		case *ast.Ident:
			single = single && (g.info.Uses[n] != v || converted[n])
		}
		return single
	})
	return single
}

// comparable checks an equality and reports whether to check its operands.
func (g *gate) comparable(n *ast.BinaryExpr) bool {
	if reported := [2]bool{g.isReported(n.X), g.isReported(n.Y)}; reported[0] || reported[1] {
		for k, x := range []ast.Expr{n.X, n.Y} {
			if reported[k] {
				g.inspect(x)
			}
		}
		return false
	}
	t := g.info.TypeOf(n.X)
	if g.info.Types[n.X].IsNil() {
		t = g.info.TypeOf(n.Y)
	}
	if (g.info.Types[n.X].IsNil() || g.info.Types[n.Y].IsNil()) && !isSlice(t) {
		g.refuse(n, "pointers of kernels always name memory; a bool says that there is nothing in it", "kernels compare nothing but slices with nil")
		return false
	}
	if isPointer(t) {
		g.refuse(n, "compare what they point to, or the indices that they were made of", "kernels do not compare pointers")
		return false
	}
	if isItem(t) {
		g.refuse(n, "compare it.Index() or it.LocalIndex()", "kernels do not compare items")
		return false
	}
	if f := smallFloat(t); f != nil {
		g.refuse(n, "x.Equal(y) compares numbers, and x.Bits() == y.Bits() patterns", "%s compares the bits of %s, by which the two zeros differ and NaN may be equal", n.Op, types.TypeString(f, qualifierOf(g.of.Types)))
		return false
	}
	return true
}

// identifier returns an expression that is an identifier, or nil.
func identifier(x ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(x).(*ast.Ident)
	return id
}

// head returns the node to report for a construct: for one with a body, the part before the body.
func (g *gate) head(n ast.Node) ast.Node {
	word := ""
	switch n := n.(type) {
	case *ast.SelectStmt:
		word = "select"
	case *ast.TypeSwitchStmt:
		word = "switch"
	case *ast.FuncLit:
		word = "func"
	case *ast.GoStmt:
		word = "go"
	case *ast.DeferStmt:
		word = "defer"
	case *ast.RangeStmt:
		return n.X
	default:
		return n
	}
	return &ast.BadExpr{From: n.Pos(), To: n.Pos() + token.Pos(len(word))}
}
