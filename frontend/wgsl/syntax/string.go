package syntax

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file is the one addition to WGSL's tokens. A file that enables gpuc_debug has string
// literals for printf and assert. In all others a quotation mark begins no token.

// DebugExtension is the extension that has strings; printName and assertName are the functions that
// take them.
const (
	DebugExtension = "gpuc_debug"
	printName      = "printf"
	assertName     = "assert"
)

// debug reports whether the directives at the beginning of the file enable strings.
func (l *lexer) debug() bool {
	for n := 0; n < len(l.tokens); {
		directive := l.tokens[n].kind
		if directive != KeywordEnable && directive != KeywordRequires && directive != KeywordDiagnostic {
			return false
		}
		for ; n < len(l.tokens) && l.tokens[n].kind != Semicolon; n++ {
			if t := &l.tokens[n]; directive == KeywordEnable && l.text[t.start:t.end] == DebugExtension {
				return true
			}
		}
		n++
	}
	return false
}

// inMessage reports whether the statement being scanned calls a function that takes a string.
func (l *lexer) inMessage() bool {
	for n := len(l.tokens) - 1; n >= 0; n-- {
		switch t := &l.tokens[n]; t.kind {
		case Semicolon, LeftBrace, RightBrace:
			return false
		case Ident:
			if name := l.text[t.start:t.end]; name == printName || name == assertName {
				return true
			}
		}
	}
	return false
}

// stringLiteral scans a string, which ends on its line.
func (l *lexer) stringLiteral(start int) int {
	for i := start + 1; i < len(l.text) && l.lineBreak(i) == 0; i++ {
		switch l.text[i] {
		case '\\':
			if i+1 < len(l.text) && l.lineBreak(i+1) == 0 {
				i++
			}
		case '"':
			i++
			if _, err := strconv.Unquote(l.text[start:i]); err != nil {
				l.report(diag.InvalidToken, start, i, "the string has an escape that is none", `the escapes are those of Go, such as \n, \t, \", \\, \x41 and \u00e4`)
			}
			l.add(StringLiteral, start, i)
			return i
		}
	}
	end := start + 1
	for end < len(l.text) && l.lineBreak(end) == 0 {
		end++
	}
	l.report(diag.InvalidToken, start, end, "the string does not end on its line", `it ends with a quotation mark; a line break in it is written \n`)
	l.add(StringLiteral, start, end)
	return end
}

// StringOf returns the text of a StringExpr.
func (t *Tree) StringOf(e Expr) string {
	text, err := strconv.Unquote(t.Source(t.Expr(e).Span))
	if err != nil { // the lexer has reported it
		return strings.Trim(t.Source(t.Expr(e).Span), `"`)
	}
	return text
}
