package editor

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
)

// This file repairs a broken text by inserting tokens, so that the parser understands as much as
// possible: closing brackets, missing operands, the name at the cursor. It works on tokens. After a
// wrong guess the parser drops a statement, as it would have without the guess.

// insertion is text that a reading has at an offset of the document.
type insertion struct {
	at   int
	text string
}

// insert returns a text with insertions, which are in order.
func insert(text string, added []insertion) string {
	if len(added) == 0 {
		return text
	}
	var b strings.Builder
	from := 0
	for _, x := range added {
		b.WriteString(text[from:x.at])
		b.WriteString(x.text)
		from = x.at
	}
	b.WriteString(text[from:])
	return b.String()
}

// placeholder is inserted for a missing operand or member name. If a program declares it, nothing
// is lost.
const placeholder = "gpuc_placeholder"

// noCursor says that no name is being typed.
const noCursor = -1

// repairer walks the tokens with a stack of the open brackets.
type repairer struct {
	tokens []syntax.Lexeme
	text   string
	open   []opened
	added  []insertion
	// completed is the token after which an operand has been inserted, or -1.
	completed int
	// head is the keyword of a statement without a body so far, or EndOfFile.
	head syntax.Token
}

// opened is an open bracket.
type opened struct {
	kind      syntax.Token // its closing token
	header    bool         // of a for, with two semicolons
	held      int          // semicolons
	structure bool         // of a struct, with members
}

// repair returns the insertions that repair a text, in order.
func repair(tokens []syntax.Lexeme, text string, cursor int) []insertion {
	m := repairer{tokens: tokens, text: text, completed: -1}
	last := -1 // the last token that begins before the cursor
	for last+2 < len(tokens) && int(tokens[last+1].Start) < cursor {
		last++
	}
	attributes := 0 // the first of the attributes before the current token
	for i := range tokens {
		if !m.inAttribute(attributes, i) {
			attributes = i
		}
		switch k := tokens[i].Kind; {
		case k == syntax.EndOfFile, m.beginsGlobal(i):
			m.operand(attributes)
			m.closeAll(attributes)
		case k == syntax.KeywordIf && m.previous(i) == syntax.KeywordElse:
		case k == syntax.LeftBrace:
			m.operand(i)
			m.closeParens(i)
		case k == syntax.RightBrace, endsStatement[k] && !(m.inHeader() && m.previous(i) == syntax.LeftParen), k == syntax.Semicolon && !m.inHeader():
			m.operand(i)
			m.closeParens(i)
			m.body(i)
		case missesOperand[k]:
			m.operand(i)
			if k == syntax.RightParen {
				m.semicolons(i)
			}
		}
		if k := tokens[i].Kind; m.previous(i) == syntax.At && k != syntax.Ident && k != syntax.KeywordConst && k != syntax.KeywordDiagnostic {
			m.add(m.end(i), placeholder)
		}
		m.member(i)
		m.track(i)
		if i == last {
			m.cursor(i, cursor)
		}
	}
	slices.SortStableFunc(m.added, func(a, b insertion) int { return a.at - b.at })
	return m.added
}

// previous returns the kind of the token before an index.
func (m *repairer) previous(i int) syntax.Token {
	if i == 0 {
		return syntax.Semicolon
	}
	return m.tokens[i-1].Kind
}

// end returns the end of the token before an index.
func (m *repairer) end(i int) int {
	if i == 0 {
		return 0
	}
	return int(m.tokens[i-1].End)
}

// breaks reports whether a line break precedes a token.
func (m *repairer) breaks(i int) bool {
	return strings.ContainsAny(m.text[m.end(i):m.tokens[i].Start], "\n\r")
}

func (m *repairer) add(at int, text string) {
	if text != "" {
		m.added = append(m.added, insertion{at, text})
	}
}

// inAttribute reports whether a token belongs to the attributes that begin at first, or is the
// first after them.
func (m *repairer) inAttribute(first, i int) bool {
	if m.tokens[first].Kind != syntax.At {
		return false
	}
	depth := 0
	for k := first; k < i; k++ {
		switch m.tokens[k].Kind {
		case syntax.LeftParen:
			depth++
		case syntax.RightParen:
			depth--
		case syntax.At, syntax.Ident, syntax.KeywordConst, syntax.KeywordDiagnostic:
		default:
			if depth == 0 {
				return false
			}
		}
		if i-first > 64 { // bounds the time: each token rescans the attributes
			return false
		}
	}
	return true
}

// beginsGlobal reports whether a token begins a declaration that only module scope has.
func (m *repairer) beginsGlobal(i int) bool {
	switch m.tokens[i].Kind {
	case syntax.KeywordFn, syntax.KeywordStruct, syntax.KeywordAlias, syntax.KeywordOverride:
		return true
	case syntax.KeywordVar:
		if k := m.tokens[i+1].Kind; k == syntax.TemplateStart || k == syntax.Less {
			space := m.tokens[min(i+2, len(m.tokens)-1)]
			return m.text[space.Start:space.End] != "function"
		}
	}
	return false
}

// endsStatement are the keywords that begin a statement, and so end the previous one.
var endsStatement = [256]bool{
	syntax.KeywordLet: true, syntax.KeywordConst: true, syntax.KeywordVar: true, syntax.KeywordIf: true, syntax.KeywordFor: true,
	syntax.KeywordWhile: true, syntax.KeywordLoop: true, syntax.KeywordSwitch: true, syntax.KeywordReturn: true, syntax.KeywordBreak: true,
	syntax.KeywordContinue: true, syntax.KeywordContinuing: true, syntax.KeywordDiscard: true, syntax.KeywordConstAssert: true,
	syntax.KeywordCase: true, syntax.KeywordDefault: true,
}

// missesOperand are further tokens that begin no operand.
var missesOperand = [256]bool{
	syntax.Semicolon: true, syntax.Comma: true, syntax.RightParen: true, syntax.RightBracket: true, syntax.TemplateEnd: true, syntax.Assign: true,
}

// wantsOperand are the tokens before an operand, a type or a name.
var wantsOperand = [256]bool{
	syntax.Dot: true, syntax.Assign: true, syntax.Plus: true, syntax.Minus: true, syntax.Star: true, syntax.Slash: true, syntax.Percent: true,
	syntax.And: true, syntax.Or: true, syntax.Xor: true, syntax.Tilde: true, syntax.Not: true, syntax.Less: true, syntax.LessEqual: true,
	syntax.Greater: true, syntax.GreaterEqual: true, syntax.Equal: true, syntax.NotEqual: true, syntax.AndAnd: true, syntax.OrOr: true,
	syntax.ShiftLeft: true, syntax.ShiftRight: true, syntax.PlusAssign: true, syntax.MinusAssign: true, syntax.StarAssign: true,
	syntax.SlashAssign: true, syntax.PercentAssign: true, syntax.AndAssign: true, syntax.OrAssign: true, syntax.XorAssign: true,
	syntax.ShiftLeftAssign: true, syntax.ShiftRightAssign: true, syntax.Colon: true, syntax.Arrow: true, syntax.KeywordIf: true,
	syntax.KeywordWhile: true, syntax.KeywordSwitch: true, syntax.LeftBracket: true, syntax.TemplateStart: true,
}

// operand inserts a placeholder before a token, if the previous one expects an operand and this one
// begins none.
func (m *repairer) operand(i int) {
	k := m.previous(i)
	if !wantsOperand[k] || i-1 == m.completed || k == syntax.Colon && m.tokens[i].Kind == syntax.LeftBrace {
		return // `case 1: {` is complete
	}
	m.add(m.end(i), m.spaced(i))
}

// spaced returns a placeholder to insert before a token.
func (m *repairer) spaced(i int) string {
	if m.previous(i).IsKeyword() {
		return " " + placeholder
	}
	return placeholder
}

// inHeader reports whether the innermost bracket is the header of a for statement.
func (m *repairer) inHeader() bool { return len(m.open) > 0 && m.open[len(m.open)-1].header }

// closeParens closes the innermost brackets other than braces before a token.
func (m *repairer) closeParens(i int) {
	for n := len(m.open); n > 0 && m.open[n-1].kind != syntax.RightBrace; n-- {
		m.semicolons(i)
		m.add(m.end(i), m.open[n-1].kind.String())
		m.open = m.open[:n-1]
	}
}

// closeAll closes all brackets before a token.
func (m *repairer) closeAll(i int) {
	m.closeParens(i)
	m.body(i)
	for n := len(m.open); n > 0; n-- {
		m.add(m.end(i), "\n"+m.open[n-1].kind.String())
	}
	m.open = m.open[:0]
}

// semicolons inserts the missing semicolons of a for statement's header before the token that
// closes it.
func (m *repairer) semicolons(i int) {
	if m.inHeader() {
		m.add(m.end(i), strings.Repeat(";", max(0, 2-m.open[len(m.open)-1].held)))
	}
}

// body inserts the missing body of a statement that ends before a token.
func (m *repairer) body(i int) {
	switch m.head {
	case syntax.EndOfFile:
		return
	case syntax.KeywordSwitch:
		m.add(m.end(i), " { default: {} }")
	default:
		m.add(m.end(i), " {}")
	}
	m.head = syntax.EndOfFile
}

// member completes a structure member that ends before a token: its type, and the comma before the
// next one.
func (m *repairer) member(i int) {
	if len(m.open) == 0 || !m.open[len(m.open)-1].structure || i < 2 {
		return
	}
	k := m.tokens[i].Kind
	starts := k == syntax.Ident || k == syntax.At
	if k != syntax.RightBrace && k != syntax.Comma && !(starts && m.breaks(i)) {
		return
	}
	switch before := m.tokens[i-2].Kind; m.previous(i) {
	case syntax.Ident:
		if before == syntax.LeftBrace || before == syntax.Comma || before == syntax.RightParen {
			m.add(m.end(i), ": i32")
		}
	case syntax.TemplateEnd:
	default:
		return
	}
	if starts {
		m.add(m.end(i), ",")
	}
}

// closers are the closing brackets of opening ones.
var closers = [256]syntax.Token{
	syntax.LeftParen: syntax.RightParen, syntax.LeftBracket: syntax.RightBracket, syntax.LeftBrace: syntax.RightBrace, syntax.TemplateStart: syntax.TemplateEnd,
}

// track updates the state for a token. A closing bracket without an opening one is ignored.
func (m *repairer) track(i int) {
	k := m.tokens[i].Kind
	if k == syntax.LeftBrace {
		m.head = syntax.EndOfFile
	}
	if closer := closers[k]; closer != 0 {
		m.open = append(m.open, opened{
			kind: closer, header: k == syntax.LeftParen && m.previous(i) == syntax.KeywordFor,
			structure: k == syntax.LeftBrace && i > 1 && m.tokens[i-2].Kind == syntax.KeywordStruct,
		})
		return
	}
	if n := len(m.open); n > 0 && m.open[n-1].kind == k {
		m.open = m.open[:n-1]
	}
	switch k {
	case syntax.Semicolon:
		if m.inHeader() {
			m.open[len(m.open)-1].held++
		}
	case syntax.KeywordIf:
		if m.previous(i) != syntax.KeywordBreak {
			m.head = k
		}
	case syntax.KeywordFor, syntax.KeywordWhile, syntax.KeywordSwitch, syntax.KeywordElse:
		m.head = k
	}
}

// cursor inserts a member name at the cursor if one is missing, and makes a statement of a name or
// member alone. i is the last token that begins before the cursor.
func (m *repairer) cursor(i, cursor int) {
	t, next := m.tokens[i], m.tokens[i+1].Kind
	end := ""
	if m.beginsStatement(i) && (m.breaks(i+1) || next == syntax.RightBrace || next == syntax.Semicolon || next == syntax.EndOfFile) {
		end = "++;"
	}
	switch {
	case t.Kind == syntax.Ident && cursor <= int(t.End):
		if end != "" {
			m.add(int(t.End), end)
		}
	case t.Kind == syntax.Dot && (next != syntax.Ident || m.breaks(i+1)):
		m.add(int(t.End), placeholder+end)
		m.completed = i
	}
}

// beginsStatement reports whether the names, dots and brackets that end with a token are all of a
// statement so far.
func (m *repairer) beginsStatement(i int) bool {
	depth := 0
	for ; i >= 0; i-- {
		switch k := m.tokens[i].Kind; {
		case k == syntax.RightBracket || k == syntax.RightParen:
			depth++
		case k == syntax.LeftBracket || k == syntax.LeftParen:
			if depth--; depth < 0 {
				return false
			}
		case depth > 0 || k == syntax.Ident || k == syntax.Dot:
			if i > 0 && k == syntax.Ident && m.tokens[i-1].Kind == syntax.Ident {
				return depth == 0 && m.breaks(i)
			}
		default:
			return (k == syntax.Semicolon || k == syntax.LeftBrace || k == syntax.RightBrace) && len(m.open) > 0 && !m.open[len(m.open)-1].structure
		}
	}
	return false
}
