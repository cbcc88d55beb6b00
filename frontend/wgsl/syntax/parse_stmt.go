package syntax

import (
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file parses statements (WGSL §9) except loops.
//
// The attributes before a statement are its own. Those of a compound_statement (the bodies of if,
// else, for, while, case, default and functions) are the body block's. A loop's and a switch's body
// and a continuing block are no compound_statement in the grammar: their attributes are
// BodyAttributes and ContinuingAttrs.

// blockKind says what kind of block statements belong to.
type blockKind uint8

const (
	plainBlock blockKind = iota
	loopBlock            // ends at `continuing`
	continuingBlock
)

// statements parses statements up to the `}` of their block, which is not consumed. It also stops
// at what may only end the block: `continuing` in a loop, `break if` in a continuing block. The
// block's `{` is the token opening.
func (p *Parser) statements(kind blockKind, opening int) List {
	base := len(p.stmts)
	for !p.leaving {
		start := p.at
		switch p.kind() {
		case RightBrace:
			return move(&p.stmts, &p.tree.StmtLists, base)
		case EndOfFile:
			p.unclosed(opening, "the block")
			continue
		case Semicolon:
			p.next()
			continue
		case KeywordContinuing:
			if kind == loopBlock {
				return move(&p.stmts, &p.tree.StmtLists, base)
			}
		case KeywordBreak:
			if kind == continuingBlock && p.following() == KeywordIf {
				return move(&p.stmts, &p.tree.StmtLists, base)
			}
		}
		s := p.statement()
		if p.failed {
			p.recover(start, &statementStops)
			if p.at == start && !p.leaving {
				p.next()
			}
			continue
		}
		if s != 0 {
			p.stmts = append(p.stmts, s)
		}
	}
	p.failed = true
	return move(&p.stmts, &p.tree.StmtLists, base)
}

// compound parses a compound_statement. The owner completes messages: "the body of …". The span
// head is the keyword that the body belongs to, if there is one.
func (p *Parser) compound(owner string, head source.Span) Stmt {
	start := p.at
	attributes := p.attributes()
	if p.failed {
		return 0
	}
	return p.block(start, attributes, owner, head)
}

// block parses a brace-enclosed block after its attributes.
func (p *Parser) block(start int, attributes List, owner string, head source.Span) Stmt {
	list, ok := p.braces(plainBlock, owner, head)
	if !ok {
		return 0
	}
	return p.addStmt(StmtNode{Kind: BlockStmt, Attributes: attributes, List: list, Span: p.from(start)})
}

// braces parses brace-enclosed statements.
func (p *Parser) braces(kind blockKind, owner string, head source.Span) (List, bool) {
	if !p.open(owner, head) {
		return List{}, false
	}
	if !p.enter() {
		return List{}, false
	}
	list := p.statements(kind, p.at-1)
	p.depth--
	return list, !p.failed && p.expect(RightBrace, "at the end of the block")
}

// open consumes the `{` of a body.
func (p *Parser) open(owner string, head source.Span) bool {
	if p.accept(LeftBrace) {
		return true
	}
	if p.failed {
		return false
	}
	hint := p.hint()
	if (hint == "" || hint == conversionHint) && head.Valid() {
		hint = "bodies are always in braces in WGSL"
	}
	p.expectedHint("`{` and the body "+owner, hint)
	return false
}

// simple completes a statement that consists of its keyword and a `;`.
func (p *Parser) simple(kind StmtKind, start int, what string) Stmt {
	p.next()
	p.semicolon(what)
	return p.addStmt(StmtNode{Kind: kind, Span: p.from(start)})
}

// statement parses a statement other than `;`.
func (p *Parser) statement() Stmt {
	start := p.at
	if p.kind() == At {
		return p.attributedStatement()
	}
	switch k := p.kind(); k {
	case Ident, LeftParen, Star, And, AndAnd, Underscore:
		s := p.updating()
		if !p.failed {
			p.semicolon(statementNames[p.tree.Stmts[s].Kind])
			p.tree.Stmts[s].Span = p.from(start)
		}
		return s
	case KeywordVar, KeywordLet, KeywordConst:
		d := p.valueDeclaration(start, List{})
		if d == 0 {
			return 0
		}
		s := p.addStmt(StmtNode{Kind: DeclStmt, Decl: d, Span: p.from(start)})
		if p.failed {
			p.stmts = append(p.stmts, s) // a BadDecl: its name is declared
		}
		return s
	case KeywordIf, KeywordSwitch, KeywordLoop, KeywordFor, KeywordWhile, LeftBrace:
		return p.controlStatement(start, List{})
	case KeywordReturn:
		p.next()
		n := StmtNode{Kind: ReturnStmt}
		if startsOperand[p.kind()] {
			n.A = p.expression()
		}
		p.semicolon("the return statement")
		n.Span = p.from(start)
		return p.addStmt(n)
	case KeywordBreak:
		if p.following() == KeywordIf {
			return p.misplacedBreakIf(start)
		}
		return p.simple(BreakStmt, start, "`break`")
	case KeywordContinue:
		return p.simple(ContinueStmt, start, "`continue`")
	case KeywordDiscard:
		return p.simple(DiscardStmt, start, "`discard`")
	case KeywordConstAssert:
		p.next()
		condition := p.expression()
		p.semicolon("const_assert")
		return p.addStmt(StmtNode{Kind: ConstAssertStmt, A: condition, Span: p.from(start)})
	}
	p.noStatement()
	return 0
}

// statementNames are the names of statements in messages.
var statementNames = [...]string{
	AssignStmt: "the assignment", IncrementStmt: "the increment", DecrementStmt: "the decrement", CallStmt: "the call",
}

// noStatement reports a token that begins no statement.
func (p *Parser) noStatement() {
	switch k := p.kind(); k {
	case KeywordFn, KeywordStruct, KeywordAlias, KeywordOverride, KeywordEnable, KeywordRequires, KeywordDiagnostic:
		p.nested()
	case KeywordContinuing:
		p.fail(diag.MisplacedStatement, p.here(), "`continuing` is not allowed here", "it is the last part of the body of a loop statement")
	case KeywordCase, KeywordDefault:
		p.fail(diag.MisplacedStatement, p.here(), "`"+k.String()+"` is not allowed here", "it begins a clause of a switch, and each clause has its own braces")
	case KeywordElse:
		p.fail(diag.MisplacedStatement, p.here(), "`else` without an `if` before it", "")
	case PlusPlus, MinusMinus:
		p.expectedHint("a statement", "`"+k.String()+"` follows its variable in WGSL: i"+k.String()+";")
	default:
		p.expected("a statement")
	}
}

// attributedStatement parses a statement that begins with an attribute.
func (p *Parser) attributedStatement() Stmt {
	start := p.at
	attributes := p.attributes()
	if p.failed {
		return 0
	}
	switch p.kind() {
	case KeywordIf, KeywordSwitch, KeywordLoop, KeywordFor, KeywordWhile, LeftBrace:
		return p.controlStatement(start, attributes)
	case KeywordFn, KeywordOverride:
		p.noStatement()
		p.at = start // the attributes belong to the declaration
		return 0
	}
	p.expectedHint("`{`, if, switch, loop, for or while after the attributes", "no other statement takes attributes")
	return 0
}

// controlStatement parses the statements that may have attributes.
func (p *Parser) controlStatement(start int, attributes List) Stmt {
	switch p.kind() {
	case KeywordIf:
		return p.ifStatement(start, attributes)
	case KeywordSwitch:
		return p.switchStatement(start, attributes)
	case KeywordLoop:
		return p.loopStatement(start, attributes)
	case KeywordFor:
		return p.forStatement(start, attributes)
	case KeywordWhile:
		return p.whileStatement(start, attributes)
	}
	return p.block(start, attributes, "", source.Span{})
}

// compoundOperators are the operators of compound assignments.
var compoundOperators = [tokenCount]Token{
	Assign:     Assign,
	PlusAssign: Plus, MinusAssign: Minus, StarAssign: Star, SlashAssign: Slash, PercentAssign: Percent,
	AndAssign: And, OrAssign: Or, XorAssign: Xor, ShiftLeftAssign: ShiftLeft, ShiftRightAssign: ShiftRight,
}

// updating parses a variable_updating_statement or a func_call_statement,
// without its `;`.
func (p *Parser) updating() Stmt {
	start := p.at
	n := StmtNode{Kind: AssignStmt}
	if p.accept(Underscore) {
		n.Op = Assign
		if !p.expect(Assign, "after `_`") {
			return 0
		}
		n.A, n.B = 0, p.expression()
		return p.endUpdating(start, n)
	}
	n.A = p.leftSide()
	if p.failed {
		return 0
	}
	switch k := p.kind(); {
	case compoundOperators[k] != 0:
		n.Op = compoundOperators[k]
		p.next()
		n.B = p.expression()
	case k == PlusPlus:
		n.Kind = IncrementStmt
		p.next()
	case k == MinusMinus:
		n.Kind = DecrementStmt
		p.next()
	case p.tree.Exprs[n.A].Kind == CallExpr:
		n.Kind = CallStmt
	default:
		p.notUpdating(start)
	}
	return p.endUpdating(start, n)
}

func (p *Parser) endUpdating(start int, n StmtNode) Stmt {
	if p.failed {
		return 0
	}
	n.Span = p.from(start)
	return p.addStmt(n)
}

// notUpdating reports a left side that no assignment operator follows.
func (p *Parser) notUpdating(start int) {
	if p.tokens[start].badName {
		p.failed = true // it was reported, and is most likely the only error
		return
	}
	k := p.kind()
	hint := p.hint()
	switch {
	case hint != "" && k != Ident:
	case k == Ident && p.at == start+1:
		p.typeFirst(start)
		return
	case k == Colon && p.following() == Assign:
		hint = "variables are declared with `var`, values with `let`"
	case k == Semicolon || groups[k] != 0:
		hint = "an expression is no statement; assign it to _ to drop its value"
	}
	p.expectedHint("an assignment, `++`, `--` or a call", hint)
}

// typeFirst reports two names at the beginning of a statement: a declaration as other languages
// write it, type name = value, or a misspelled keyword.
func (p *Parser) typeFirst(start int) {
	word := p.tokenText(start)
	hint := foreignHint(word)
	var fixes []diag.Fix
	if keyword := p.misspelled(word); keyword != "" {
		hint = "did you mean `" + keyword + "`?"
		fixes = []diag.Fix{{Kind: diag.FixKeyword, Span: p.span(start), Text: keyword, Message: "replace `" + word + "` by `" + keyword + "`"}}
	} else if p.namesType(word) && (p.following() == Assign || p.following() == Semicolon) {
		if t, ok := foreignTypes.Find(word); ok {
			word = t
		}
		text := "var " + p.tokenText(p.at) + ": " + word
		fixes = []diag.Fix{{Kind: diag.FixTypeFirst, Span: p.span(start).To(p.here()), Text: text, Message: "write " + shorten(text)}}
	}
	if hint == "" {
		hint = "variables are declared as var name: type = value"
	}
	p.fail(diag.Syntax, p.here(), "expected an assignment, `++`, `--` or a call, "+p.found(), hint, fixes...)
}

// misspelled returns the keyword that a word before a name probably means, given the token after
// the name, or "".
func (p *Parser) misspelled(word string) string {
	for _, k := range [...]Token{KeywordLet, KeywordVar, KeywordConst, KeywordReturn} {
		declares := p.following() == Assign || p.following() == Colon
		if declares == (k != KeywordReturn) && slip(word, k.String()) {
			return k.String()
		}
	}
	return ""
}

// slip reports whether word is want with one typing error: a letter added, missing or replaced, or
// two letters exchanged.
func slip(word, want string) bool {
	n := 0 // letters that agree at the beginning
	for n < min(len(word), len(want)) && word[n] == want[n] {
		n++
	}
	a, b := word[n:], want[n:]
	switch len(a) - len(b) {
	case 1:
		return a[1:] == b
	case -1:
		return a == b[1:]
	case 0:
		return len(a) > 0 && (a[1:] == b[1:] || len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:])
	}
	return false
}

// namesType reports whether a word is a type: one of WGSL, one of another language with another
// name in WGSL, or one that the program declares.
func (p *Parser) namesType(word string) bool {
	switch word {
	case "bool", "i32", "u32", "f32", "f16", "array", "atomic", "ptr":
		return true
	}
	if _, ok := foreignTypes.Find(word); ok || len(word) > 3 && (word[:3] == "vec" || word[:3] == "mat") && word[3] >= '2' && word[3] <= '4' {
		return true
	}
	if p.list.Errors() >= diag.Limit { // it would not be shown, and each search reads all tokens
		return false
	}
	for i := 1; i < len(p.tokens); i++ {
		if k := p.tokens[i-1].kind; (k == KeywordStruct || k == KeywordAlias) && p.tokens[i].kind == Ident && p.tokenText(i) == word {
			return true
		}
	}
	return false
}

// misplacedBreakIf parses a `break if` that is not at the end of a continuing
// block, and reports it.
func (p *Parser) misplacedBreakIf(start int) Stmt {
	p.list.Add(diag.Diagnostic{Code: diag.MisplacedStatement, Span: p.here().To(p.span(p.at + 1)),
		Message: "`break if` is not allowed here",
		Notes:   []diag.Note{{Message: "it is the last statement of a continuing block; elsewhere write if condition { break; }"}}})
	p.next()
	p.next()
	condition := p.expression()
	p.semicolon("`break if`")
	return p.addStmt(StmtNode{Kind: BreakIfStmt, A: condition, Span: p.from(start)})
}

// ifStatement parses an if_statement.
func (p *Parser) ifStatement(start int, attributes List) Stmt {
	outer := p.chained
	s := p.ifChain(start, attributes)
	p.chained = outer
	return s
}

// ifChain parses an if_statement. A chain of else-ifs is a loop here. Its length counts towards the
// same limit as that of the chains around it, so that users of Else may recurse.
func (p *Parser) ifChain(start int, attributes List) Stmt {
	first, last := Stmt(0), Stmt(0)
	for {
		n := StmtNode{Kind: IfStmt, Attributes: attributes}
		head := p.here()
		p.next()
		n.A = p.expression()
		if p.failed {
			return 0
		}
		n.Body = p.compound("of the if statement", head)
		if p.failed {
			return 0
		}
		n.Span = p.from(start)
		s := p.addStmt(n)
		if first == 0 {
			first = s
		} else {
			p.tree.Stmts[last].Else = s
		}
		last = s
		if !p.accept(KeywordElse) {
			break
		}
		if p.kind() != KeywordIf {
			body := p.compound("of the else clause", p.span(p.at-1))
			p.tree.Stmts[last].Else = body
			break
		}
		start, attributes = p.at, List{}
		if p.chained++; p.chained > maxHeight {
			p.tooDeep("the if statement has too many else clauses")
			return 0
		}
	}
	// Each statement of the chain extends to its end.
	for s := first; s != 0 && p.tree.Stmts[s].Kind == IfStmt; s = p.tree.Stmts[s].Else {
		p.tree.Stmts[s].Span.End = p.file.Base + source.Pos(p.tokens[p.at-1].end)
	}
	return first
}

// switchStatement parses a switch_statement.
func (p *Parser) switchStatement(start int, attributes List) Stmt {
	n := StmtNode{Kind: SwitchStmt, Attributes: attributes}
	head := p.here()
	p.next()
	n.A = p.expression()
	if p.failed {
		return 0
	}
	n.BodyAttributes = p.attributes()
	if p.failed || !p.open("of the switch statement", head) || !p.enter() {
		return 0
	}
	base, opening := len(p.clauses), p.at-1
	if p.kind() == RightBrace {
		p.list.Add(diag.Diagnostic{Code: diag.InvalidSwitch, Span: head, Message: "a switch needs at least the default clause"})
	}
	for p.kind() != RightBrace && !p.leaving {
		clause := p.at
		if p.kind() == EndOfFile {
			p.unclosed(opening, "the switch statement")
			break
		}
		c := p.clause()
		if p.failed {
			p.recover(clause, &clauseStops)
			if p.at == clause && !p.leaving {
				p.next()
			}
			continue
		}
		p.clauses = append(p.clauses, c)
	}
	n.Clauses = move(&p.clauses, &p.tree.Clauses, base)
	p.depth--
	if p.leaving {
		p.failed = true
		return 0
	}
	p.next()
	n.Span = p.from(start)
	return p.addStmt(n)
}

// clause parses a switch_clause.
func (p *Parser) clause() Clause {
	start := p.at
	var c Clause
	switch p.kind() {
	case KeywordDefault:
		c.Default, c.DefaultSpan = true, p.here()
		p.next()
	case KeywordCase:
		p.next()
		p.selectors(&c)
	default:
		hint := p.hint()
		switch p.kind() {
		case At:
			hint = "attributes of a clause come before its `{`"
		case Semicolon:
			hint = "no `;` follows the braces of a clause"
		case KeywordBreak:
			hint = "each clause has its own braces, and does not fall through"
		}
		p.expectedHint("`case`, `default` or `}` in the switch statement", hint)
	}
	if p.failed {
		return c
	}
	head := p.span(start)
	if p.accept(Colon) && p.kind() != LeftBrace && p.kind() != At {
		hint := "each clause has its body in braces"
		if p.kind() == KeywordCase || p.kind() == KeywordDefault {
			hint = "several values of one clause are written case 1, 2, default: { … }"
		}
		p.expectedHint("`{` and the body of the clause", hint)
		return c
	}
	c.Body = p.compound("of the clause", head)
	c.Span = p.from(start)
	return c
}

// selectors parses case_selectors.
func (p *Parser) selectors(c *Clause) {
	base := len(p.exprs)
	first := p.at
	for {
		switch k := p.kind(); {
		case k == KeywordDefault:
			c.Default, c.DefaultSpan = true, p.here()
			p.next()
		case p.at > first && (k == Colon || k == LeftBrace || k == At):
			// after the optional last comma
		case startsOperand[k]:
			p.exprs = append(p.exprs, p.expression())
		default:
			p.expected("a value or `default` after `case`")
		}
		if p.failed || !p.accept(Comma) {
			break
		}
	}
	c.Selectors = move(&p.exprs, &p.tree.ExprLists, base)
}
