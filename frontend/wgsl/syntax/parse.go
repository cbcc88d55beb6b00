package syntax

import (
	"slices"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is the parser's frame: its state, nodes, limits and error state. The parser is a
// recursive-descent parser for the grammar of the specification (WGSL, appendix "Grammar Summary"),
// whose rules parse_decl.go, parse_stmt.go and parse_expr.go follow.
//
// An error is reported once, where it is found, and sets failed. All callers see that and report
// nothing more. A statement, a case clause or a declaration clears it after skipping to its end
// (recover.go).

const (
	// maxNesting is how deep expressions and statements may be nested in each other. WGSL
	// guarantees 127 levels of braces (WGSL §2.5).
	maxNesting = 512
	// maxHeight is the longest path from an expression down to a leaf. It is larger than maxNesting
	// because a + b + c + … is deep in the tree and not in the text. It bounds recursion over the
	// tree.
	maxHeight = 4096
)

// Parser parses WGSL files. It reuses its memory from one file to the next. The zero Parser is not
// ready: use NewParser.
type Parser struct {
	lexer
	tree Tree
	at   int // index of the current token
	// heights are the heights of the expressions.
	heights []uint16
	depth   int // nesting of the current token
	chained int // else-ifs around it
	// failed says that an error was reported and its statement is being abandoned.
	failed bool
	// leaving says that everything up to module scope is being abandoned.
	leaving bool
	// searched is the range of tokens that recover searched last.
	searched [2]int
	// reread counts the tokens read again in error recovery.
	reread int
	// refused are the names reported as reserved, each at its first use.
	refused []Symbol

	// Lists under construction. Lists are runs of a pool, and nested ones complete first. So each
	// is built here and moves to its pool when it is complete.
	exprs   []Expr
	stmts   []Stmt
	clauses []Clause
}

// NewParser returns a parser whose trees use the symbols of a vocabulary for its words. Tables
// about predeclared names can so be indexed by symbol.
func NewParser(v *Vocabulary) *Parser {
	p := &Parser{}
	p.names.init(v)
	return p
}

// Parse parses a file with a new parser without predeclared words.
func Parse(file *source.File, list *diag.List) *Tree {
	return NewParser(NewVocabulary(nil)).Parse(file, list)
}

// Parse parses a file. The tree is never nil, and complete when no errors were added to list.
// Otherwise it lacks the parts that were not understood; a name declared in one of them remains as
// a BadDecl. The tree's memory is the parser's: it is valid until the next Parse.
func (p *Parser) Parse(file *source.File, list *diag.List) *Tree {
	p.file, p.text, p.list = file, file.Text, list
	p.tokens, p.literals = p.tokens[:0], p.literals[:0]
	p.templates.reset()
	p.names.reset()
	p.refused = p.refused[:0]
	t := &p.tree
	*t = Tree{
		File:       file,
		Exprs:      append(t.Exprs[:0], ExprNode{}),
		Stmts:      append(t.Stmts[:0], StmtNode{}),
		Decls:      append(t.Decls[:0], DeclNode{}),
		Clauses:    t.Clauses[:0],
		Fields:     t.Fields[:0],
		Attributes: t.Attributes[:0],
		Directives: t.Directives[:0],
		ExprLists:  t.ExprLists[:0],
		StmtLists:  t.StmtLists[:0],
		Globals:    t.Globals[:0],
		Lost:       t.Lost[:0],
	}
	p.heights = append(p.heights[:0], 0)
	p.exprs, p.stmts, p.clauses = p.exprs[:0], p.stmts[:0], p.clauses[:0]
	p.at, p.depth, p.chained = 0, 0, 0
	p.failed, p.leaving = false, false
	p.reread, p.searched = 0, [2]int{}

	p.defined, p.foreign = p.defined[:0], 0
	p.scan()
	t.Lost = append(t.Lost, p.defined...)
	p.translationUnit()
	p.detectForeign()
	t.Symbols, t.names = p.names.texts, &p.names
	return t
}

// Lookup returns the symbol of a name, if the name occurs in the file or is one of the parser's
// words.
func (t *Tree) Lookup(name string) (Symbol, bool) {
	if t.names == nil {
		return 0, false
	}
	return t.names.lookup(name)
}

// kind returns the kind of the current token.
func (p *Parser) kind() Token { return p.tokens[p.at].kind }

// following returns the kind of the token after the current one.
func (p *Parser) following() Token { return p.tokens[min(p.at+1, len(p.tokens)-1)].kind }

// next moves to the next token, or stays at the end of the file.
func (p *Parser) next() {
	if p.at < len(p.tokens)-1 {
		p.at++
	}
}

// accept consumes the current token if it is of kind k.
func (p *Parser) accept(k Token) bool {
	if p.tokens[p.at].kind != k {
		return false
	}
	p.next()
	return true
}

// span returns the span of the token at an index.
func (p *Parser) span(index int) source.Span {
	t := &p.tokens[index]
	return p.file.Span(int(t.start), int(t.end))
}

// here returns the span of the current token.
func (p *Parser) here() source.Span { return p.span(p.at) }

// from returns the span from the token at an index to the last one consumed.
func (p *Parser) from(index int) source.Span {
	return p.file.Span(int(p.tokens[index].start), int(p.tokens[max(p.at-1, index)].end))
}

// tokenText returns the text of the token at an index.
func (p *Parser) tokenText(index int) string {
	t := &p.tokens[index]
	return p.text[t.start:t.end]
}

// enter begins a level of nesting, which depth-- ends. At the limit it reports false and ends
// parsing.
func (p *Parser) enter() bool {
	p.depth++
	if p.depth > maxNesting {
		p.tooDeep("the program is nested too deeply here")
		return false
	}
	return true
}

// tooDeep reports an exceeded limit and ends parsing.
func (p *Parser) tooDeep(message string) {
	if !p.leaving {
		p.list.Add(diag.Diagnostic{Code: diag.NestingTooDeep, Span: p.here(), Message: message})
	}
	p.failed, p.leaving = true, true
	p.at = len(p.tokens) - 1
}

// addExpr appends an expression whose operands are n.A, n.B and n.List.
func (p *Parser) addExpr(n ExprNode) Expr {
	height := max(p.heights[n.A], p.heights[n.B])
	if n.List.Len > 0 {
		for _, e := range p.tree.ExprLists[n.List.Start : n.List.Start+n.List.Len] {
			height = max(height, p.heights[e])
		}
	}
	if height >= maxHeight {
		p.tooDeep("the expression has too many operators in a row")
		return 0
	}
	p.heights = append(p.heights, height+1)
	p.tree.Exprs = append(p.tree.Exprs, n)
	return Expr(len(p.tree.Exprs) - 1)
}

func (p *Parser) addStmt(n StmtNode) Stmt {
	p.tree.Stmts = append(p.tree.Stmts, n)
	return Stmt(len(p.tree.Stmts) - 1)
}

func (p *Parser) addDecl(n DeclNode) Decl {
	p.tree.Decls = append(p.tree.Decls, n)
	return Decl(len(p.tree.Decls) - 1)
}

// move moves the elements of a stack from base on to a pool.
func move[T any](stack, pool *[]T, base int) List {
	list := List{uint32(len(*pool)), uint32(len(*stack) - base)}
	*pool = append(*pool, (*stack)[base:]...)
	*stack = (*stack)[:base]
	return list
}

// ident adds an IdentExpr for the current token, which is an Ident.
func (p *Parser) ident() Expr {
	p.checkName()
	e := p.addExpr(ExprNode{Kind: IdentExpr, Name: Symbol(p.tokens[p.at].value), Span: p.here()})
	p.next()
	return e
}

// checkName reports an Ident that is not allowed as a name. Parsing continues.
func (p *Parser) checkName() {
	t := &p.tokens[p.at]
	if !t.badName || p.failed {
		return
	}
	p.lose(p.at)
	if slices.Contains(p.refused, Symbol(t.value)) {
		return
	}
	p.refused = append(p.refused, Symbol(t.value))
	text := p.tokenText(p.at)
	d := diag.Diagnostic{Code: diag.ReservedName, Span: p.here(), Message: "`" + shorten(text) + "` is a reserved word and cannot be used as a name"}
	if text[0] == '_' {
		d.Message = "the name `" + shorten(text) + "` begins with two underscores, which is not allowed"
	}
	if hint := foreignHint(text); hint != "" {
		d.Notes = []diag.Note{{Message: hint}}
	}
	p.list.Add(d)
}

// name consumes a name outside of expressions, such as one that is declared. The description
// completes "expected …".
func (p *Parser) name(description string) (Symbol, source.Span, bool) {
	span := p.here()
	switch k := p.kind(); {
	case k == Ident:
		p.checkName()
		symbol := Symbol(p.tokens[p.at].value)
		p.next()
		return symbol, span, true
	case k.IsKeyword():
		p.fail(diag.ReservedName, span, "expected "+description+", found the keyword `"+k.String()+"`", "")
		if !p.brokenLine(p.at) {
			p.next() // it is meant as a name, and begins nothing
		}
	case k == Underscore:
		p.fail(diag.ReservedName, span, "expected "+description+", found `_`, which is not a name", "")
	default:
		p.expected(description)
	}
	return 0, span, false
}

// literalExpr adds a LiteralExpr for the current token.
func (p *Parser) literalExpr() Expr {
	n := ExprNode{Kind: LiteralExpr, Span: p.here()}
	switch t := &p.tokens[p.at]; t.kind {
	case KeywordTrue:
		n.Literal, n.Value = scalar.Bool, 1
	case KeywordFalse:
		n.Literal = scalar.Bool
	default:
		n.Literal, n.Value = p.literals[t.value].kind, p.literals[t.value].bits
	}
	p.next()
	return p.addExpr(n)
}
