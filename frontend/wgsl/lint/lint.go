// Package lint warns of valid WGSL that is probably a mistake. It finds unreachable code, unused
// names, comparisons with a constant result, barriers that order no memory, avoidable padding, and
// literals that change their value.
//
// False positives are worse than misses, so each rule is narrow and documents its exceptions.
package lint

import (
	"strings"

	"github.com/gpuc/gpuc/frontend/suppress"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Check adds warnings about a checked program without errors to list. It applies `gpuc:allow`
// comments to these and to the warnings already in list.
func Check(info *sem.Info, list *diag.List) {
	l := linter{info: info, tree: info.Tree, module: info.Module}
	l.types.Reset(info.Module)
	for i := range info.Functions {
		l.entries = l.entries || info.Functions[i].Stage != sem.NoStage
	}
	l.unused()
	l.unreachable()
	l.barriers()
	l.padding()
	for e := range l.tree.Exprs {
		l.expression(syntax.Expr(e))
	}
	allows := suppress.Read(l.tree.File, nil)
	list.Keep(func(d *diag.Diagnostic) bool { return d.Severity == diag.Error || !allows.Silence(d) })
	for i := range l.found {
		if !allows.Silence(&l.found[i]) {
			list.Add(l.found[i])
		}
	}
	allows.Unused(list)
}

// linter is a program with its warnings.
type linter struct {
	info    *sem.Info
	tree    *syntax.Tree
	module  *ir.Module
	types   types.Table
	entries bool // there are entry points
	found   []diag.Diagnostic
	binding int // 1 + index in found of the remark on unused bindings
}

// warn adds a warning.
func (l *linter) warn(code diag.Code, span source.Span, message string, notes ...diag.Note) {
	l.found = append(l.found, diag.Diagnostic{Code: code, Severity: diag.Warning, Span: span, Message: message, Notes: notes})
}

// expression applies the rules about single expressions.
func (l *linter) expression(e syntax.Expr) {
	switch n := l.tree.Expr(e); n.Kind {
	case syntax.LiteralExpr:
		l.literal(e, n)
	case syntax.BinaryExpr:
		switch n.Op {
		case syntax.Less, syntax.LessEqual, syntax.Greater, syntax.GreaterEqual, syntax.Equal, syntax.NotEqual:
			l.comparison(e, n)
		case syntax.Slash:
			l.division(e, n)
		}
	case syntax.CallExpr:
		l.conversion(e, n)
	}
}

// builtin returns the name of the builtin function that an expression calls, or "".
func (l *linter) builtin(e syntax.Expr) string {
	if x := &l.info.Exprs[e]; l.tree.Expr(e).Kind == syntax.CallExpr && x.Call == sem.BuiltinCall {
		return sem.Builtins[x.Builtin].Name
	}
	return ""
}

// quoted returns the source of an expression for a message, in one line and shortened.
func (l *linter) quoted(e syntax.Expr) string {
	const most = 40
	text := strings.Join(strings.Fields(l.tree.Source(l.tree.Expr(e).Span)), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return "`" + text + "`"
}

// named returns the name of an object for a message.
func (l *linter) named(o *sem.ObjectInfo) string { return "`" + l.tree.Text(o.Name) + "`" }
