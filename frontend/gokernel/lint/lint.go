// Package lint warns of constructs in kernels written in Go that are allowed but probably not
// intended. It uses the codes of WGSL's warnings where the meaning is the same. These are
// unreachable code, unused names, comparisons with a constant result, barriers that order no
// memory, and literals that change their values. Go's compiler already reports unused variables and
// constants that do not fit. Specific to devices are the int of 32 bits, and structures in buffers
// with padding.
//
// A warning that its reader would call noise is worse than none. So each rule is narrow, and its
// function documents what it ignores.
package lint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Function is a function that is compiled for devices.
type Function struct {
	Declaration *ast.FuncDecl
	File        *ast.File
	Info        *types.Info
	Package     *types.Package
	Kernel      bool
}

// Program is the input of the linter, with results of the front end.
type Program struct {
	Functions []Function
	// Span returns the span between two positions.
	Span func(from, to token.Pos) source.Span
	// Layout returns the size and the alignment of a type in buffers, in bytes.
	Layout func(t types.Type) (size, align int64)
	// Idle reports whether a barrier, given by the parenthesis of its call, is known to order no
	// memory. No kernel that executes it has workgroup memory, or a buffer that is both read and
	// written.
	Idle func(call token.Pos) bool
	// Runtime is the path of the package that kernels import, runtime/gpu.
	Runtime string
}

// Check returns the warnings about a program without errors, in the order in which they are found.
func Check(p *Program) []diag.Diagnostic {
	l := linter{Program: p}
	for n := range p.Functions {
		l.Function = &p.Functions[n]
		if l.Kernel {
			l.parameters()
			l.padding()
		}
		l.variables()
		l.unreachable()
		l.repeatedBarriers()
		ast.Inspect(l.Declaration.Body, l.visit)
	}
	return l.found
}

// linter is the state: the program, the current function, and the warnings.
type linter struct {
	*Program
	*Function
	found  []diag.Diagnostic
	padded map[*types.TypeName]bool // structures that have been checked
}

// warn adds a warning.
func (l *linter) warn(code diag.Code, at ast.Node, message string, notes ...diag.Note) *diag.Diagnostic {
	l.found = append(l.found, diag.Diagnostic{Code: code, Severity: diag.Warning, Span: l.node(at), Message: message, Notes: notes})
	return &l.found[len(l.found)-1]
}

func (l *linter) node(n ast.Node) source.Span { return l.Span(n.Pos(), n.End()) }

// visit applies the rules for single nodes.
func (l *linter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch n.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			l.comparison(n)
		case token.QUO:
			l.division(n)
		case token.SHL, token.SHR:
			l.shift(n.X, n.Y, n)
		}
	case *ast.AssignStmt:
		if n.Tok == token.SHL_ASSIGN || n.Tok == token.SHR_ASSIGN {
			l.shift(n.Lhs[0], n.Rhs[0], n)
		}
	case *ast.CallExpr:
		l.conversion(n)
		l.words(n)
		l.barrier(n)
	case *ast.SwitchStmt:
		l.cases(n)
	case *ast.BasicLit:
		l.literal(n)
	case *ast.Ident:
		l.named(n)
	}
	return true
}

// value returns the value of a constant expression, or nil.
func (l *linter) value(x ast.Expr) constant.Value { return l.Info.Types[x].Value }

// basic returns the kind of a basic type, or types.Invalid for other types.
func basic(t types.Type) types.BasicKind {
	if t == nil {
		return types.Invalid
	}
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return types.Invalid
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Kind()
	}
	return types.Invalid
}

func (l *linter) kind(x ast.Expr) types.BasicKind { return basic(l.Info.TypeOf(x)) }

func isFloat(k types.BasicKind) bool { return k == types.Float32 || k == types.Float64 }

// callee returns the function that a call names, or nil for builtins and conversions.
func (l *linter) callee(n *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(l.Info, n).(*types.Func)
	return f
}

// runtime returns the name of the function or method of package gpu that a call calls, or "".
func (l *linter) runtime(n *ast.CallExpr) string {
	if f := l.callee(n); f != nil && f.Pkg() != nil && f.Pkg().Path() == l.Runtime {
		return f.Name()
	}
	return ""
}

// converted returns the operand of a conversion, or nil.
func (l *linter) converted(n *ast.CallExpr) ast.Expr {
	if len(n.Args) == 1 && l.Info.Types[n.Fun].IsType() {
		return n.Args[0]
	}
	return nil
}

// quoted returns the text of an expression for a message: one line, cut if it is long.
func quoted(x ast.Expr) string {
	const most = 40
	text := strings.Join(strings.Fields(types.ExprString(x)), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return "`" + text + "`"
}
