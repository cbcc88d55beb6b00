package format

import "github.com/gpuc/gpuc/frontend/wgsl/syntax"

// This file has the rules for two adjacent tokens: whether a line break must, may or may not
// separate them, and whether a blank does. Context-free rules are a table by token.

// trait is a set of flags of a token for its neighbours.
type trait uint16

const (
	tightBefore trait = 1 << iota // no blank before it
	tightAfter                    // no blank after it
	joinsBefore                   // no line break before it
	joinsAfter                    // no line break after it
	opensList                     // it opens a list: ( [ <
	closesList                    // it closes one
	endsOperand                   // a minus after it is binary
	maybeUnary                    // an operator that is unary unless an operand precedes it
	takesCall                     // a parenthesis after it is a call
	endsItem                      // blank lines after it are kept
	number                        // a dot after it could become a part of it
)

// traits has a row for each token that has any.
var traits = [256]trait{
	syntax.Ident:         endsOperand | takesCall,
	syntax.IntLiteral:    endsOperand | number,
	syntax.StringLiteral: endsOperand,
	syntax.FloatLiteral:  endsOperand | number,
	syntax.KeywordTrue:   endsOperand,
	syntax.KeywordFalse:  endsOperand,
	syntax.LeftParen:     opensList | tightAfter,
	syntax.LeftBracket:   opensList | tightAfter | tightBefore | joinsBefore,
	syntax.TemplateStart: opensList | tightAfter | tightBefore | joinsBefore,
	syntax.RightParen:    closesList | tightBefore | endsOperand,
	syntax.RightBracket:  closesList | tightBefore | endsOperand,
	syntax.TemplateEnd:   closesList | tightBefore | endsOperand | takesCall,
	syntax.LeftBrace:     joinsBefore,
	syntax.RightBrace:    endsItem,
	syntax.Semicolon:     tightBefore | joinsBefore | endsItem,
	syntax.Comma:         tightBefore | joinsBefore | endsItem,
	syntax.Colon:         tightBefore | joinsBefore,
	syntax.Dot:           tightBefore | tightAfter | joinsAfter,
	syntax.At:            tightAfter | joinsAfter,
	syntax.PlusPlus:      tightBefore | joinsBefore,
	syntax.MinusMinus:    tightBefore | joinsBefore,
	syntax.Minus:         maybeUnary,
	syntax.And:           maybeUnary,
	syntax.Star:          maybeUnary,
	syntax.Not:           maybeUnary,
	syntax.Tilde:         maybeUnary,

	syntax.KeywordAlias:       joinsAfter,
	syntax.KeywordBreak:       joinsAfter,
	syntax.KeywordCase:        joinsAfter,
	syntax.KeywordConst:       joinsAfter,
	syntax.KeywordConstAssert: joinsAfter,
	syntax.KeywordContinuing:  joinsAfter,
	syntax.KeywordDefault:     joinsAfter,
	syntax.KeywordDiagnostic:  joinsAfter | takesCall,
	syntax.KeywordElse:        joinsAfter | joinsBefore,
	syntax.KeywordEnable:      joinsAfter,
	syntax.KeywordFn:          joinsAfter,
	syntax.KeywordFor:         joinsAfter,
	syntax.KeywordIf:          joinsAfter,
	syntax.KeywordLet:         joinsAfter,
	syntax.KeywordLoop:        joinsAfter,
	syntax.KeywordOverride:    joinsAfter,
	syntax.KeywordRequires:    joinsAfter,
	syntax.KeywordStruct:      joinsAfter,
	syntax.KeywordSwitch:      joinsAfter,
	syntax.KeywordVar:         joinsAfter,
	syntax.KeywordWhile:       joinsAfter,
}

func (p *printer) is(i int, what trait) bool { return i >= 0 && traits[p.tokens[i].Kind]&what != 0 }

// unary reports whether a token is a unary operator: no operand precedes it.
func (p *printer) unary(i int) bool { return p.is(i, maybeUnary) && !p.is(i-1, endsOperand) }

// mustBreak reports whether a line break must precede a token.
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

// mayBreak reports whether a line break may precede a token.
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

// blank reports whether a blank separates a token from the previous one on its line.
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
		return p.is(i-1, number)
	case kind == syntax.LeftParen:
		return !p.is(i-1, takesCall)
	}
	return !p.is(i, tightBefore)
}
