package syntax

import (
	"github.com/gpuc/gpuc/ir/diag"
)

// This file parses loops.

// loopStatement parses a loop_statement.
func (p *Parser) loopStatement(start int, attributes List) Stmt {
	n := StmtNode{Kind: LoopStmt, Attributes: attributes}
	head := p.here()
	p.next()
	n.BodyAttributes = p.attributes()
	body := p.at
	if p.failed || !p.open("of the loop statement", head) || !p.enter() {
		return 0
	}
	list := p.statements(loopBlock, body)
	if !p.failed && p.kind() == KeywordContinuing {
		p.continuing(&n)
	}
	p.depth--
	if p.failed {
		return 0
	}
	if p.kind() != RightBrace {
		p.expectedHint("`}` after the continuing block", "`continuing` is the last part of a loop's body")
		return 0
	}
	p.next()
	n.Body = p.addStmt(StmtNode{Kind: BlockStmt, List: list, Span: p.from(body)})
	n.Span = p.from(start)
	return p.addStmt(n)
}

// continuing parses a continuing_statement into the loop n.
func (p *Parser) continuing(n *StmtNode) {
	head := p.here()
	n.ContinuingSpan = head
	p.next()
	n.ContinuingAttrs = p.attributes()
	start := p.at
	if p.failed || !p.open("of the continuing block", head) || !p.enter() {
		return
	}
	base := len(p.stmts)
	list := p.statements(continuingBlock, start)
	for !p.failed && p.kind() == KeywordBreak { // break if
		first := p.at
		p.next()
		p.next()
		n.B = p.expression()
		p.semicolon("`break if`")
		n.BreakIfSpan = p.from(first)
		if p.failed || p.kind() == RightBrace {
			break
		}
		p.list.Add(diag.Diagnostic{Code: diag.MisplacedStatement, Span: n.BreakIfSpan,
			Message: "`break if` must be the last statement of the continuing block"})
		list = p.statements(continuingBlock, start)
	}
	p.stmts = p.stmts[:base]
	p.depth--
	if !p.failed && p.expect(RightBrace, "at the end of the continuing block") {
		n.Else = p.addStmt(StmtNode{Kind: BlockStmt, List: list, Span: p.from(start)})
	}
}

// forStatement parses a for_statement.
func (p *Parser) forStatement(start int, attributes List) Stmt {
	n := StmtNode{Kind: ForStmt, Attributes: attributes}
	head := p.here()
	p.next()
	if !p.expect(LeftParen, "after `for`") {
		return 0
	}
	switch p.kind() {
	case Semicolon:
	case KeywordVar, KeywordLet, KeywordConst:
		first := p.at
		if d := p.value(first, List{}); !p.failed {
			n.Init = p.addStmt(StmtNode{Kind: DeclStmt, Decl: d, Span: p.from(first)})
		}
	default:
		n.Init = p.updating()
	}
	if p.failed || !p.expect(Semicolon, "after the initialization of the for loop") {
		return 0
	}
	if p.kind() != Semicolon {
		n.A = p.expression()
	}
	if p.failed {
		return 0
	}
	if p.kind() == Comma { // hint would speak of a template list
		p.expectedHint("`;` after the condition of the for loop", "the three parts of a for loop are separated by semicolons")
		return 0
	}
	if !p.expect(Semicolon, "after the condition of the for loop") {
		return 0
	}
	if p.kind() != RightParen {
		if k := p.kind(); k == PlusPlus || k == MinusMinus {
			p.noStatement()
			return 0
		}
		n.Update = p.updating()
	}
	if p.failed || !p.expect(RightParen, "after the header of the for loop") {
		return 0
	}
	n.Body = p.compound("of the for loop", head)
	if p.failed {
		return 0
	}
	n.Span = p.from(start)
	return p.addStmt(n)
}

// whileStatement parses a while_statement.
func (p *Parser) whileStatement(start int, attributes List) Stmt {
	n := StmtNode{Kind: WhileStmt, Attributes: attributes}
	head := p.here()
	p.next()
	n.A = p.expression()
	if p.failed {
		return 0
	}
	n.Body = p.compound("of the while loop", head)
	if p.failed {
		return 0
	}
	n.Span = p.from(start)
	return p.addStmt(n)
}
