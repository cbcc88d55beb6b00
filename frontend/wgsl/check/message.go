package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/printf"
)

// This file checks printf and assert of the extension gpuc_debug. Declarations of the program hide
// them, like builtin functions.

// messageFunctions are the two, by the index of their format argument.
var messageFunctions = [...]string{"printf", "assert"}

// message checks a call of printf or assert.
func (c *Checker) message(n *syntax.ExprNode, x *sem.ExprInfo, format int, arguments []syntax.Expr) {
	callee := c.tree.Expr(n.A)
	name := c.tree.Text(callee.Name)
	if c.enabled&extensionDebug == 0 {
		for _, a := range arguments {
			if c.tree.Expr(a).Kind != syntax.StringExpr {
				c.value(a)
			}
		}
		c.list.Add(diag.Diagnostic{Code: diag.UnknownName, Span: callee.Span, Message: "there is no function or type named `" + name + "`",
			Notes: []diag.Note{{Message: "write `enable " + syntax.DebugExtension + ";` at the beginning of the file, and gpuc has it"}}})
		c.poison(callee.Name, callee.Span)
		return
	}
	x.Call, x.Type = sem.MessageCall, ir.Void
	if callee.HasTemplate {
		c.error(diag.InvalidType, callee.Span, "`"+name+"` takes no template arguments")
	}
	if len(arguments) <= format {
		c.arguments(arguments)
		c.error(diag.ArgumentCount, n.Span, "`"+name+"` takes a format, found "+diag.Plural(len(arguments), "argument"),
			diag.Note{Message: [...]string{`printf("x is %v", x)`, `assert(x > 0, "x is %v", x)`}[format]})
		return
	}
	if format == 1 {
		c.condition(arguments[0], "assert")
	}
	if c.tree.Expr(arguments[format]).Kind != syntax.StringExpr {
		c.arguments(arguments[format:])
		c.error(diag.TypeMismatch, c.tree.Expr(arguments[format]).Span, "the format of `"+name+"` is a string, and this is none",
			diag.Note{Message: [...]string{`printf("x is %v", x)`, `assert(x > 0, "x is %v", x)`}[format]})
		return
	}
	values := arguments[format+1:]
	kinds := make([]printf.Argument, len(values))
	for i, a := range values {
		if c.value(a) == ir.Void {
			return
		}
		t := c.concretize(a)
		m := c.module
		if m.Components(t) == 0 {
			c.error(diag.TypeMismatch, c.tree.Expr(a).Span, "`"+name+"` shows numbers, bools and vectors, found "+c.types.Name(t),
				diag.Note{Message: "its members or elements can be shown, with a verb for each"})
			return
		}
		kinds[i].Kind = m.ScalarOf(t)
		if m.IsVector(t) {
			kinds[i].Count = m.Components(t)
		}
	}
	if p := printf.Check(c.tree.StringOf(arguments[format]), kinds); p != nil {
		at := arguments[format]
		if p.Argument >= 0 {
			at = values[p.Argument]
		}
		c.error(diag.InvalidFormat, c.tree.Expr(at).Span, p.Text, diag.Note{Message: p.Hint})
	}
}
