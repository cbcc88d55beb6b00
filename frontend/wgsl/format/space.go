package format

import "github.com/gpuc/gpuc/frontend/wgsl/syntax"

// This file is the rules for two tokens next to each other: whether a line ends between
// them, may end there, or else whether a blank is there. They are in tables by kind of
// token, where what is around the two does not matter.

// trait is what a kind of token has to do with what is next to it.
type trait uint16

const (
	tightBefore   trait = 1 << iota // no blank is before it
	tightAfter                      // no blank is behind it
	joinsBefore                     // it stays on the line of what is before it
	joinsAfter                      // what is behind it stays on its line
	opensList                       // it opens a list: ( [ <
	closesList                      // it closes one
	endsOperand                     // a minus behind it subtracts
	maybeUnary                      // an operator that has one operand unless one is before it
	takesCall                       // a parenthesis behind it belongs to it
	endsItem                        // blank lines behind it are the author's
	literalNumber                   // a dot behind it could become a part of it
)

var traits = func() (t [256]trait) {
	has := func(what trait, kinds ...syntax.Token) {
		for _, k := range kinds {
			t[k] |= what
		}
	}
	for k := range t {
		if syntax.Token(k).IsKeyword() {
			t[k] = joinsAfter
		}
	}
	for _, k := range []syntax.Token{syntax.KeywordReturn, syntax.KeywordTrue, syntax.KeywordFalse} {
		t[k] = 0
	}
	has(tightBefore|joinsBefore, syntax.Comma, syntax.Semicolon, syntax.Colon, syntax.PlusPlus, syntax.MinusMinus,
		syntax.LeftBracket, syntax.TemplateStart)
	has(tightBefore, syntax.Dot)
	has(tightAfter|joinsAfter, syntax.At, syntax.Dot)
	has(joinsBefore, syntax.LeftBrace, syntax.KeywordElse)
	has(opensList|tightAfter, syntax.LeftParen, syntax.LeftBracket, syntax.TemplateStart)
	has(closesList|tightBefore|endsOperand, syntax.RightParen, syntax.RightBracket, syntax.TemplateEnd)
	has(endsOperand, syntax.Ident, syntax.IntLiteral, syntax.FloatLiteral, syntax.KeywordTrue, syntax.KeywordFalse)
	has(maybeUnary, syntax.Minus, syntax.And, syntax.Star, syntax.Not, syntax.Tilde)
	has(takesCall, syntax.Ident, syntax.TemplateEnd, syntax.KeywordDiagnostic)
	has(endsItem, syntax.Semicolon, syntax.Comma, syntax.RightBrace)
	has(literalNumber, syntax.IntLiteral, syntax.FloatLiteral)
	return t
}()

func (p *printer) is(i int, what trait) bool { return i >= 0 && traits[p.tokens[i].Kind]&what != 0 }

// unary reports whether a token is an operator of one operand. No rule of the grammar has
// an operator of two where no operand ended, nor the other way round.
func (p *printer) unary(i int) bool { return p.is(i, maybeUnary) && !p.is(i-1, endsOperand) }

// mustBreak reports whether a line ends before a token.
func (p *printer) mustBreak(i int) bool {
	before, kind := p.tokens[i-1].Kind, p.tokens[i].Kind
	f := p.frame()
	switch {
	case kind == syntax.EndOfFile:
		return true
	case f.kind == listFrame || f.short:
		return false
	case kind == syntax.RightBrace:
		return before != syntax.LeftBrace || len(p.comments) > 0
	case before == syntax.LeftBrace:
		return true
	case before == syntax.Semicolon:
		return kind != syntax.Semicolon
	case before == syntax.RightBrace:
		return kind != syntax.KeywordElse && kind != syntax.Semicolon
	}
	return before == syntax.Comma && f.kind == structFrame
}

// mayBreak reports whether a line may end before a token, where it need not.
func (p *printer) mayBreak(i int) bool {
	switch before, kind := p.tokens[i-1].Kind, p.tokens[i].Kind; {
	case before == syntax.KeywordConst && p.is(i-2, tightAfter): // @const
		return true
	case p.is(i-1, joinsAfter), p.is(i, joinsBefore), p.unary(i - 1):
		return false
	case kind == syntax.LeftParen:
		return !p.is(i-1, takesCall)
	case before == syntax.LeftBrace: // of an empty block
		return false
	}
	return true
}

// blank reports whether a blank is between a token and the one before it on its line.
func (p *printer) blank(i int) bool {
	before, kind := p.tokens[i-1].Kind, p.tokens[i].Kind
	switch {
	case before == syntax.LeftBrace: // {} or { return; }
		return kind != syntax.RightBrace
	case p.unary(i - 1): // - -x, which is not --x
		return before == kind && (kind == syntax.Minus || kind == syntax.And)
	case p.is(i-1, tightAfter):
		return false
	case kind == syntax.Semicolon && before == syntax.Semicolon: // for (;;), for (i = 0; ; i++)
		return p.frame().kind == listFrame && p.tokens[i-2].Kind != syntax.LeftParen
	case kind == syntax.Dot:
		return p.is(i-1, literalNumber)
	case kind == syntax.LeftParen:
		return !p.is(i-1, takesCall) && !(before == syntax.KeywordConst && p.is(i-2, tightAfter))
	}
	return !p.is(i, tightBefore)
}
