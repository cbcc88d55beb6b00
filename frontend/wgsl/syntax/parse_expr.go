package syntax

import (
	"cmp"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file parses expressions (WGSL §8, grammar from primary_expression to expression, and
// lhs_expression).
//
// WGSL's operators have no total order of precedence. Shifts take unary operands. The bitwise
// operators take unary operands and chain with themselves only. && and || do not mix, and
// comparisons do not chain. The functions follow the grammar rules of the same names, with the
// first operand already parsed.

// group is a group of binary operators in the same grammar rule.
type group uint8

const (
	_ group = iota
	multiplicative
	additive
	shift
	relational
	shortCircuit
	bitwise
)

var groups = [tokenCount]group{
	Star: multiplicative, Slash: multiplicative, Percent: multiplicative,
	Plus: additive, Minus: additive, MinusMinus: additive, // a--b is a - -b
	ShiftLeft: shift, ShiftRight: shift,
	Less: relational, LessEqual: relational, Greater: relational, GreaterEqual: relational,
	Equal: relational, NotEqual: relational,
	AndAnd: shortCircuit, OrOr: shortCircuit,
	And: bitwise, Or: bitwise, Xor: bitwise,
}

// startsOperand are the tokens with which a unary_expression begins.
var startsOperand = [tokenCount]bool{
	Ident: true, IntLiteral: true, FloatLiteral: true, StringLiteral: true, KeywordTrue: true, KeywordFalse: true, LeftParen: true,
	Minus: true, MinusMinus: true, Not: true, Tilde: true, Star: true, And: true, AndAnd: true,
}

// expression parses an expression. On failure the result is 0 or incomplete and
// failed is set.
func (p *Parser) expression() Expr {
	if !p.enter() {
		return 0
	}
	e := p.unary()
	if k := p.kind(); groups[k] != 0 {
		if groups[k] == bitwise {
			for p.kind() == k {
				e = p.binary(e, p.operator(), p.unary())
			}
		} else {
			e = p.relational(e)
			if k = p.kind(); groups[k] == shortCircuit {
				for p.kind() == k {
					e = p.binary(e, p.operator(), p.relational(p.unary()))
				}
			}
		}
		if groups[p.kind()] != 0 && !p.failed {
			e = p.mixed(e)
		}
	}
	p.depth--
	return e
}

func (p *Parser) relational(left Expr) Expr {
	left = p.shift(left)
	if groups[p.kind()] == relational {
		left = p.binary(left, p.operator(), p.shift(p.unary()))
	}
	return left
}

func (p *Parser) shift(left Expr) Expr {
	if groups[p.kind()] == shift {
		return p.binary(left, p.operator(), p.unary())
	}
	left = p.multiplicative(left)
	for groups[p.kind()] == additive && p.splits() {
		left = p.binary(left, p.operator(), p.multiplicative(p.unary()))
	}
	return left
}

func (p *Parser) multiplicative(left Expr) Expr {
	for groups[p.kind()] == multiplicative {
		left = p.binary(left, p.operator(), p.unary())
	}
	return left
}

// splits reports whether the current operator can be a binary one. `--` can if an operand follows,
// so that its halves are a subtraction and a negation.
func (p *Parser) splits() bool {
	return p.kind() != MinusMinus || startsOperand[p.following()]
}

// operator consumes a binary operator. Of `--` it takes the first half.
func (p *Parser) operator() Token {
	k := p.kind()
	if k == MinusMinus {
		return p.firstHalf()
	}
	p.next()
	return k
}

// firstHalf consumes the first half of `--` or `&&`: the tokenizer of WGSL §3.1
// takes the longest token that the grammar allows, and here it allows neither.
func (p *Parser) firstHalf() Token {
	half := Minus
	if p.kind() == AndAnd {
		half = And
	}
	t := &p.tokens[p.at]
	t.kind = half
	t.start++
	return half
}

// binary adds left op right.
func (p *Parser) binary(left Expr, op Token, right Expr) Expr {
	if p.failed {
		return 0
	}
	exprs := p.tree.Exprs
	return p.addExpr(ExprNode{Kind: BinaryExpr, Op: op, A: left, B: right, Span: exprs[left].Span.To(exprs[right].Span)})
}

// orders are the operators that compare numbers but not bools.
var orders = [tokenCount]bool{Less: true, LessEqual: true, Greater: true, GreaterEqual: true}

// sourceOf is the source text of a span.
func (p *Parser) sourceOf(span source.Span) string {
	return p.text[span.Start-p.file.Base : span.End-p.file.Base]
}

// mixed reports an operator that may not follow its left operand without parentheses, and parses on
// as if it could.
func (p *Parser) mixed(left Expr) Expr {
	op, inner := p.kind(), p.tree.Exprs[left].Op
	if op == MinusMinus && !p.splits() {
		return left // the caller reports it
	}
	d := diag.Diagnostic{Code: diag.Syntax, Span: p.here()}
	switch {
	case groups[op] == relational && groups[inner] == relational:
		d.Message = "comparisons cannot be chained"
		d.Notes = []diag.Note{{Message: "write a < b && b < c where both must hold"}}
	case op == inner:
		d.Message = "`" + op.String() + "` cannot be chained without parentheses"
	default:
		d.Message = "`" + inner.String() + "` and `" + op.String() + "` cannot be mixed without parentheses"
		d.Notes = []diag.Note{{Message: "WGSL gives these operators no precedence over each other; parentheses say what is meant"}}
	}
	chained := groups[op] == relational && groups[inner] == relational
	// a longer one is no readable fix
	if span := p.tree.Exprs[left].Span; span.End-span.Start < 200 {
		text := p.sourceOf(span)
		middle := p.sourceOf(p.tree.Exprs[p.tree.Exprs[left].B].Span)
		switch {
		case !chained, orders[inner] && !orders[op]: // a bool result is comparable
			d.Fixes = []diag.Fix{{Kind: diag.FixParentheses, Span: span, Text: "(" + text + ")", Message: "put `" + shorten(text) + "` in parentheses"}}
		case orders[inner] && orders[op] && !strings.Contains(middle, "("): // makes no call twice
			text += " && " + middle
			d.Fixes = []diag.Fix{{Kind: diag.FixChain, Span: span, Text: text, Message: "write " + shorten(text+" "+op.String()) + " …"}}
		}
	}
	p.list.Add(d)
	for groups[p.kind()] != 0 && p.splits() && !p.failed {
		// a bool compared with a number is no error of its own
		if k, right := p.operator(), p.unary(); !chained {
			left = p.binary(left, k, right)
		}
	}
	return left
}

// unary parses a unary_expression.
func (p *Parser) unary() Expr {
	var op Token
	start := p.here()
	switch k := p.kind(); k {
	case Minus, Not, Tilde, Star, And:
		op = k
		p.next()
	case MinusMinus, AndAnd:
		if !startsOperand[p.following()] {
			p.expected("an expression")
			return 0
		}
		op = p.firstHalf()
	default:
		return p.postfix(p.primary())
	}
	if !p.enter() {
		return 0
	}
	operand := p.unary()
	p.depth--
	return p.prefixed(op, start, operand)
}

// prefixed adds op operand.
func (p *Parser) prefixed(op Token, start source.Span, operand Expr) Expr {
	if p.failed {
		return 0
	}
	return p.addExpr(ExprNode{Kind: UnaryExpr, Op: op, A: operand, Span: start.To(p.tree.Exprs[operand].Span)})
}

// primary parses a primary_expression.
func (p *Parser) primary() Expr {
	switch p.kind() {
	case Ident:
		return p.call(p.templated())
	case IntLiteral, FloatLiteral, KeywordTrue, KeywordFalse:
		return p.literalExpr()
	case StringLiteral:
		e := p.addExpr(ExprNode{Kind: StringExpr, Span: p.here()})
		p.next()
		return e
	case LeftParen:
		start := p.at
		p.next()
		inner := p.expression()
		return p.parenthesized(start, inner)
	}
	p.expected("an expression")
	return 0
}

// parenthesized consumes the `)` after inner and adds a ParenExpr.
func (p *Parser) parenthesized(start int, inner Expr) Expr {
	if p.failed || !p.expect(RightParen, "after the expression") {
		return 0
	}
	return p.addExpr(ExprNode{Kind: ParenExpr, A: inner, Span: p.from(start)})
}

// templated parses a template_elaborated_ident; the current token is an Ident.
func (p *Parser) templated() Expr {
	start := p.at
	if p.following() != TemplateStart {
		return p.ident()
	}
	p.checkName()
	name := Symbol(p.tokens[start].value)
	p.next()
	arguments := p.templateList()
	if p.failed {
		return 0
	}
	return p.addExpr(ExprNode{Kind: IdentExpr, Name: name, HasTemplate: true, List: arguments, Span: p.from(start)})
}

// templateList parses a template_list; the current token is its start.
func (p *Parser) templateList() List {
	p.next()
	if p.kind() == TemplateEnd {
		p.expected("a template argument")
		return List{}
	}
	return p.expressions(TemplateEnd, "in the template list")
}

// expressions parses expressions separated by commas, with an optional comma after the last one,
// and the closing token. The list may be empty.
func (p *Parser) expressions(closing Token, context string) List {
	base := len(p.exprs)
	for p.kind() != closing {
		p.exprs = append(p.exprs, p.expression())
		if !p.accept(Comma) {
			break
		}
	}
	list := move(&p.exprs, &p.tree.ExprLists, base)
	if !p.failed && !p.accept(closing) {
		hint := p.hint()
		switch p.kind() {
		case Colon:
			hint = "arguments are given by their order, without names"
		case Semicolon, LeftBrace, RightBrace:
			hint = cmp.Or(hint, "a `"+closing.String()+"` is missing here or before")
		}
		p.expectedHint("`,` or `"+closing.String()+"` "+context, hint)
	}
	return list
}

// call parses the arguments after a callee, if there are any.
func (p *Parser) call(callee Expr) Expr {
	if p.failed || p.kind() != LeftParen {
		return callee
	}
	p.next()
	arguments := p.expressions(RightParen, "in the arguments")
	if p.failed {
		return 0
	}
	start := p.tree.Exprs[callee].Span
	return p.addExpr(ExprNode{Kind: CallExpr, A: callee, List: arguments, Span: start.To(p.span(p.at - 1))})
}

// postfix parses a component_or_swizzle_specifier after e, if there is one.
func (p *Parser) postfix(e Expr) Expr {
	for !p.failed {
		switch p.kind() {
		case LeftBracket:
			p.next()
			index := p.expression()
			if p.failed || !p.expect(RightBracket, "after the index") {
				return 0
			}
			e = p.addExpr(ExprNode{Kind: IndexExpr, A: e, B: index, Span: p.tree.Exprs[e].Span.To(p.span(p.at - 1))})
		case Dot:
			p.next()
			name, span, ok := p.name("the name of a member after `.`")
			if !ok {
				return 0
			}
			member := p.addExpr(ExprNode{Kind: IdentExpr, Name: name, Span: span})
			e = p.addExpr(ExprNode{Kind: MemberExpr, A: e, B: member, Name: name, Span: p.tree.Exprs[e].Span.To(span)})
		default:
			return e
		}
	}
	return 0
}

// typeSpecifier parses a type_specifier.
func (p *Parser) typeSpecifier(context string) Expr {
	if p.kind() == LeftBracket && p.following() == LeftBracket {
		p.bracketed() // [[stride(4)]] array<f32>, as in WGSL before 2022
	}
	if p.kind() != Ident {
		p.expected("a type " + context)
		return 0
	}
	return p.templated()
}

// leftSide parses an lhs_expression, or the call of a call statement, which
// begins alike.
func (p *Parser) leftSide() Expr {
	var op Token
	start := p.here()
	switch k := p.kind(); k {
	case Star, And:
		op = k
		p.next()
	case AndAnd:
		op = p.firstHalf()
	case Ident:
		e := p.templated()
		if !p.failed && p.tree.Exprs[e].HasTemplate && p.kind() != LeftParen {
			p.expected("`(` after the template list")
			return 0
		}
		return p.postfix(p.call(e))
	case LeftParen:
		first := p.at
		p.next()
		if !p.enter() {
			return 0
		}
		inner := p.leftSide()
		p.depth--
		if !p.failed && groups[p.kind()] != 0 {
			p.expectedHint("`)` after the left side of an assignment", "only variables, members, elements and `*pointer` can be assigned to")
		}
		return p.postfix(p.parenthesized(first, inner))
	default:
		p.expected("a variable, a member or an element to assign to")
		return 0
	}
	if !p.enter() {
		return 0
	}
	operand := p.leftSide()
	p.depth--
	return p.prefixed(op, start, operand)
}
