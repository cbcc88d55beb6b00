package syntax

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file prints trees for tests: a line for each declaration and statement, with blocks
// indented. Every expression is in parentheses, so that the text shows how the parser has grouped
// it.

type printer struct {
	strings.Builder
	t      *Tree
	indent int
}

func dump(t *Tree) string {
	p := &printer{t: t}
	for _, d := range t.Directives {
		p.line("%s %s", [...]string{"enable", "requires", "diagnostic"}[d.Kind], p.exprs(d.Names, ", "))
	}
	for _, d := range t.Globals {
		p.decl(d)
	}
	return p.String()
}

func (p *printer) line(format string, args ...any) {
	p.WriteString(strings.Repeat("  ", p.indent))
	p.WriteString(strings.TrimSpace(fmt.Sprintf(format, args...)))
	p.WriteByte('\n')
}

func (p *printer) exprs(l List, separator string) string {
	var parts []string
	for _, e := range p.t.ExprList(l) {
		parts = append(parts, p.expr(e))
	}
	return strings.Join(parts, separator)
}

func (p *printer) expr(e Expr) string {
	n := p.t.Expr(e)
	switch n.Kind {
	case LiteralExpr:
		suffix := map[scalar.Kind]string{scalar.I32: "i", scalar.U32: "u", scalar.F32: "f", scalar.F16: "h"}[n.Literal]
		switch {
		case n.Literal == scalar.Bool:
			return fmt.Sprint(n.Value == 1)
		case n.Literal == scalar.AbstractFloat:
			suffix = "."
			fallthrough
		case n.Literal.IsFloat():
			return fmt.Sprintf("%g%s", scalar.ToFloat64(n.Literal, n.Value), suffix)
		}
		return fmt.Sprintf("%d%s", n.Value, suffix)
	case IdentExpr:
		if n.HasTemplate {
			return p.t.Text(n.Name) + "<" + p.exprs(n.List, ", ") + ">"
		}
		return p.t.Text(n.Name)
	case CallExpr:
		return p.expr(n.A) + "(" + p.exprs(n.List, ", ") + ")"
	case UnaryExpr:
		return "(" + n.Op.String() + p.expr(n.A) + ")"
	case BinaryExpr:
		return "(" + p.expr(n.A) + " " + n.Op.String() + " " + p.expr(n.B) + ")"
	case IndexExpr:
		return p.expr(n.A) + "[" + p.expr(n.B) + "]"
	case MemberExpr:
		return p.expr(n.A) + "." + p.t.Text(n.Name)
	case ParenExpr:
		return "{" + p.expr(n.A) + "}"
	}
	return "BAD"
}

func (p *printer) attributes(l List) string {
	var b strings.Builder
	for _, a := range p.t.AttributeList(l) {
		b.WriteString("@" + p.t.Text(a.Name))
		if a.HasParens {
			b.WriteString("(" + p.exprs(a.Arguments, ", ") + ")")
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func (p *printer) fields(l List) string {
	var parts []string
	for _, f := range p.t.FieldList(l) {
		parts = append(parts, p.attributes(f.Attributes)+p.t.Text(f.Name)+": "+p.expr(f.Type))
	}
	return strings.Join(parts, ", ")
}

func (p *printer) decl(d Decl) { p.declText(d, "") }

func (p *printer) declText(d Decl, suffix string) {
	n := p.t.Decl(d)
	text := p.attributes(n.Attributes) + [...]string{"bad", "var", "let", "const", "override", "fn", "struct", "alias", "const_assert"}[n.Kind]
	if n.HasTemplate {
		text += "<" + p.exprs(n.Template, ", ") + ">"
	}
	if n.Name != 0 {
		text += " " + p.t.Text(n.Name)
	}
	switch n.Kind {
	case StructDecl:
		text += " { " + p.fields(n.Members) + " }"
	case FunctionDecl:
		text += "(" + p.fields(n.Parameters) + ")"
		if n.Result != 0 {
			text += " -> " + p.attributes(n.ResultAttributes) + p.expr(n.Result)
		}
	}
	if n.Type != 0 {
		text += ": " + p.expr(n.Type)
	}
	if n.Init != 0 {
		text += " = " + p.expr(n.Init)
	}
	p.line("%s", text+suffix)
	if n.Kind == FunctionDecl {
		p.stmt(n.Body)
	}
}

func (p *printer) block(label string, s Stmt) {
	p.indent++
	p.line("%s", label)
	p.stmt(s)
	p.indent--
}

func (p *printer) stmt(s Stmt) {
	n := p.t.Stmt(s)
	attributes, body := p.attributes(n.Attributes), ""
	if n.BodyAttributes.Len > 0 {
		body = " " + p.attributes(n.BodyAttributes)
	}
	p.indent++
	defer func() { p.indent-- }()
	switch n.Kind {
	case BlockStmt:
		p.line("%sblock", attributes)
		for _, s := range p.t.StmtList(n.List) {
			p.stmt(s)
		}
	case DeclStmt:
		p.decl(n.Decl)
	case AssignStmt:
		left := "_"
		if n.A != 0 {
			left = p.expr(n.A)
		}
		operator := "="
		if n.Op != Assign {
			operator = n.Op.String() + "="
		}
		p.line("%s %s %s", left, operator, p.expr(n.B))
	case IncrementStmt:
		p.line("%s++", p.expr(n.A))
	case DecrementStmt:
		p.line("%s--", p.expr(n.A))
	case CallStmt:
		p.line("call %s", p.expr(n.A))
	case ReturnStmt:
		if n.A == 0 {
			p.line("return")
		} else {
			p.line("return %s", p.expr(n.A))
		}
	case IfStmt:
		p.line("%sif %s", attributes, p.expr(n.A))
		p.stmt(n.Body)
		if n.Else != 0 {
			p.line("else")
			p.stmt(n.Else)
		}
	case SwitchStmt:
		p.line("%sswitch %s%s", attributes, p.expr(n.A), body)
		for _, c := range p.t.ClauseList(n.Clauses) {
			text := "case " + p.exprs(c.Selectors, ", ")
			if c.Default {
				text += " default"
			}
			p.block(text, c.Body)
		}
	case LoopStmt:
		p.line("%sloop%s", attributes, body)
		p.stmt(n.Body)
		if n.Else != 0 {
			p.block("continuing "+p.attributes(n.ContinuingAttrs), n.Else)
		}
		if n.B != 0 {
			p.line("break if %s", p.expr(n.B))
		}
	case ForStmt:
		p.line("%sfor", attributes)
		for _, part := range []struct {
			label string
			stmt  Stmt
		}{{"init", n.Init}, {"update", n.Update}} {
			if part.stmt != 0 {
				p.block(part.label, part.stmt)
			}
		}
		if n.A != 0 {
			p.line("  while %s", p.expr(n.A))
		}
		p.stmt(n.Body)
	case WhileStmt:
		p.line("%swhile %s", attributes, p.expr(n.A))
		p.stmt(n.Body)
	case ConstAssertStmt:
		p.line("const_assert %s", p.expr(n.A))
	case BreakIfStmt:
		p.line("break if %s", p.expr(n.A))
	default:
		p.line("%s", [...]string{BadStmt: "bad", BreakStmt: "break", ContinueStmt: "continue", DiscardStmt: "discard"}[n.Kind])
	}
}
