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
	r := repairer{tokens: tokens, text: text, completed: -1}
	last := -1 // the last token that begins before the cursor
	for last+2 < len(tokens) && int(tokens[last+1].Start) < cursor {
		last++
	}
	attributes := 0 // the first of the attributes before the current token
	for i := range tokens {
		if !r.inAttribute(attributes, i) {
			attributes = i
		}
		switch k := tokens[i].Kind; {
		case k == syntax.EndOfFile, r.beginsGlobal(i):
			r.operand(attributes)
			r.closeAll(attributes)
		case k == syntax.KeywordIf && r.previous(i) == syntax.KeywordElse:
		case k == syntax.LeftBrace:
			r.operand(i)
			r.closeParens(i)
		case k == syntax.RightBrace, endsStatement[k] && !(r.inHeader() && r.previous(i) == syntax.LeftParen), k == syntax.Semicolon && !r.inHeader():
			r.operand(i)
			r.closeParens(i)
			r.body(i)
		case missesOperand[k]:
			r.operand(i)
			if k == syntax.RightParen {
				r.semicolons(i)
			}
		}
		if k := tokens[i].Kind; r.previous(i) == syntax.At && k != syntax.Ident && k != syntax.KeywordConst && k != syntax.KeywordDiagnostic {
			r.add(r.end(i), placeholder)
		}
		r.member(i)
		r.track(i)
		if i == last {
			r.cursor(i, cursor)
		}
	}
	slices.SortStableFunc(r.added, func(a, b insertion) int { return a.at - b.at })
	return r.added
}

// previous returns the kind of the token before an index.
func (r *repairer) previous(i int) syntax.Token {
	if i == 0 {
		return syntax.Semicolon
	}
	return r.tokens[i-1].Kind
}

// end returns the end of the token before an index.
func (r *repairer) end(i int) int {
	if i == 0 {
		return 0
	}
	return int(r.tokens[i-1].End)
}

// breaks reports whether a line break precedes a token.
func (r *repairer) breaks(i int) bool {
	return strings.ContainsAny(r.text[r.end(i):r.tokens[i].Start], "\n\r")
}

func (r *repairer) add(at int, text string) {
	if text != "" {
		r.added = append(r.added, insertion{at, text})
	}
}

// inAttribute reports whether a token belongs to the attributes that begin at first, or is the
// first after them.
func (r *repairer) inAttribute(first, i int) bool {
	if r.tokens[first].Kind != syntax.At {
		return false
	}
	depth := 0
	for k := first; k < i; k++ {
		switch r.tokens[k].Kind {
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
func (r *repairer) beginsGlobal(i int) bool {
	switch r.tokens[i].Kind {
	case syntax.KeywordFn, syntax.KeywordStruct, syntax.KeywordAlias, syntax.KeywordOverride:
		return true
	case syntax.KeywordVar:
		if k := r.tokens[i+1].Kind; k == syntax.TemplateStart || k == syntax.Less {
			space := r.tokens[min(i+2, len(r.tokens)-1)]
			return r.text[space.Start:space.End] != "function"
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
func (r *repairer) operand(i int) {
	k := r.previous(i)
	if !wantsOperand[k] || i-1 == r.completed || k == syntax.Colon && r.tokens[i].Kind == syntax.LeftBrace {
		return // `case 1: {` is complete
	}
	r.add(r.end(i), r.spaced(i))
}

// spaced returns a placeholder to insert before a token.
func (r *repairer) spaced(i int) string {
	if r.previous(i).IsKeyword() {
		return " " + placeholder
	}
	return placeholder
}

// inHeader reports whether the innermost bracket is the header of a for statement.
func (r *repairer) inHeader() bool { return len(r.open) > 0 && r.open[len(r.open)-1].header }

// closeParens closes the innermost brackets other than braces before a token.
func (r *repairer) closeParens(i int) {
	for n := len(r.open); n > 0 && r.open[n-1].kind != syntax.RightBrace; n-- {
		r.semicolons(i)
		r.add(r.end(i), r.open[n-1].kind.String())
		r.open = r.open[:n-1]
	}
}

// closeAll closes all brackets before a token.
func (r *repairer) closeAll(i int) {
	r.closeParens(i)
	r.body(i)
	for n := len(r.open); n > 0; n-- {
		r.add(r.end(i), "\n"+r.open[n-1].kind.String())
	}
	r.open = r.open[:0]
}

// semicolons inserts the missing semicolons of a for statement's header before the token that
// closes it.
func (r *repairer) semicolons(i int) {
	if r.inHeader() {
		r.add(r.end(i), strings.Repeat(";", max(0, 2-r.open[len(r.open)-1].held)))
	}
}

// body inserts the missing body of a statement that ends before a token.
func (r *repairer) body(i int) {
	switch r.head {
	case syntax.EndOfFile:
		return
	case syntax.KeywordSwitch:
		r.add(r.end(i), " { default: {} }")
	default:
		r.add(r.end(i), " {}")
	}
	r.head = syntax.EndOfFile
}

// member completes a structure member that ends before a token: its type, and the comma before the
// next one.
func (r *repairer) member(i int) {
	if len(r.open) == 0 || !r.open[len(r.open)-1].structure || i < 2 {
		return
	}
	k := r.tokens[i].Kind
	starts := k == syntax.Ident || k == syntax.At
	if k != syntax.RightBrace && k != syntax.Comma && !(starts && r.breaks(i)) {
		return
	}
	switch before := r.tokens[i-2].Kind; r.previous(i) {
	case syntax.Ident:
		if before == syntax.LeftBrace || before == syntax.Comma || before == syntax.RightParen {
			r.add(r.end(i), ": i32")
		}
	case syntax.TemplateEnd:
	default:
		return
	}
	if starts {
		r.add(r.end(i), ",")
	}
}

// closers are the closing brackets of opening ones.
var closers = [256]syntax.Token{
	syntax.LeftParen: syntax.RightParen, syntax.LeftBracket: syntax.RightBracket, syntax.LeftBrace: syntax.RightBrace, syntax.TemplateStart: syntax.TemplateEnd,
}

// track updates the state for a token. A closing bracket without an opening one is ignored.
func (r *repairer) track(i int) {
	k := r.tokens[i].Kind
	if k == syntax.LeftBrace {
		r.head = syntax.EndOfFile
	}
	if closer := closers[k]; closer != 0 {
		r.open = append(r.open, opened{
			kind: closer, header: k == syntax.LeftParen && r.previous(i) == syntax.KeywordFor,
			structure: k == syntax.LeftBrace && i > 1 && r.tokens[i-2].Kind == syntax.KeywordStruct,
		})
		return
	}
	if n := len(r.open); n > 0 && r.open[n-1].kind == k {
		r.open = r.open[:n-1]
	}
	switch k {
	case syntax.Semicolon:
		if r.inHeader() {
			r.open[len(r.open)-1].held++
		}
	case syntax.KeywordIf:
		if r.previous(i) != syntax.KeywordBreak {
			r.head = k
		}
	case syntax.KeywordFor, syntax.KeywordWhile, syntax.KeywordSwitch, syntax.KeywordElse:
		r.head = k
	}
}

// cursor inserts a member name at the cursor if one is missing, and makes a statement of a name or
// member alone. i is the last token that begins before the cursor.
func (r *repairer) cursor(i, cursor int) {
	t, next := r.tokens[i], r.tokens[i+1].Kind
	end := ""
	if r.beginsStatement(i) && (r.breaks(i+1) || next == syntax.RightBrace || next == syntax.Semicolon || next == syntax.EndOfFile) {
		end = "++;"
	}
	switch {
	case t.Kind == syntax.Ident && cursor <= int(t.End):
		if end != "" {
			r.add(int(t.End), end)
		}
	case t.Kind == syntax.Dot && (next != syntax.Ident || r.breaks(i+1)):
		r.add(int(t.End), placeholder+end)
		r.completed = i
	}
}

// beginsStatement reports whether the names, dots and brackets that end with a token are all of a
// statement so far.
func (r *repairer) beginsStatement(i int) bool {
	depth := 0
	for ; i >= 0; i-- {
		switch k := r.tokens[i].Kind; {
		case k == syntax.RightBracket || k == syntax.RightParen:
			depth++
		case k == syntax.LeftBracket || k == syntax.LeftParen:
			if depth--; depth < 0 {
				return false
			}
		case depth > 0 || k == syntax.Ident || k == syntax.Dot:
			if i > 0 && k == syntax.Ident && r.tokens[i-1].Kind == syntax.Ident {
				return depth == 0 && r.breaks(i)
			}
		default:
			return (k == syntax.Semicolon || k == syntax.LeftBrace || k == syntax.RightBrace) && len(r.open) > 0 && !r.open[len(r.open)-1].structure
		}
	}
	return false
}
