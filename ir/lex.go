package ir

import (
	"unicode/utf8"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// The tokens of the text form: names, numbers with their suffix, quoted
// strings, and single characters of punctuation (-> and the like do not occur).

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	stringToken
	punctuationToken
)

type token struct {
	kind       tokenKind
	start, end int // bytes of the file
}

type lexer struct {
	file  *source.File
	list  *diag.List
	at    int
	token token
}

// syntaxError is thrown as a panic by fail and caught by Parse: the text form
// is written by tools, so the first error ends the reading.
type syntaxError struct{}

func (l *lexer) fail(t token, message string) {
	l.list.Add(diag.Diagnostic{Code: diag.IRSyntax, Span: l.file.Span(t.start, t.end), Message: message})
	panic(syntaxError{})
}

func (l *lexer) text(t token) string { return l.file.Text[t.start:t.end] }

// next moves to the following token, over white space and // comments.
func (l *lexer) next() {
	s := l.file.Text
	for l.at < len(s) {
		switch c := s[l.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			l.at++
		case c == '/' && l.at+1 < len(s) && s[l.at+1] == '/':
			for l.at < len(s) && s[l.at] != '\n' {
				l.at++
			}
		default:
			l.scan(c)
			return
		}
	}
	l.token = token{endToken, len(s), len(s)}
}

func (l *lexer) scan(c byte) {
	s, start := l.file.Text, l.at
	kind := punctuationToken
	switch {
	case c >= '0' && c <= '9' || c == '-' && l.at+1 < len(s) && s[l.at+1] >= '0' && s[l.at+1] <= '9':
		kind = numberToken
		l.at++
		for l.at < len(s) && (isNameByte(s[l.at]) || (s[l.at] == '+' || s[l.at] == '-') && s[l.at-1] == 'e') {
			l.at++
		}
	case isNameByte(c):
		kind = nameToken
		for l.at < len(s) && isNameByte(s[l.at]) {
			l.at++
		}
	case c == '"':
		kind = stringToken
		for l.at++; l.at < len(s) && s[l.at] != '"' && s[l.at] != '\n'; l.at++ {
			if s[l.at] == '\\' && l.at+1 < len(s) {
				l.at++
			}
		}
		if l.at >= len(s) || s[l.at] != '"' {
			l.fail(token{stringToken, start, min(l.at, len(s))}, "the string does not end")
		}
		l.at++
	default:
		_, size := utf8.DecodeRuneInString(s[l.at:])
		l.at += size
	}
	l.token = token{kind, start, l.at}
}

// is reports whether the current token is this punctuation or name.
func (l *lexer) is(s string) bool {
	return (l.token.kind == punctuationToken || l.token.kind == nameToken) && l.text(l.token) == s
}

// accept moves past the token if it is s.
func (l *lexer) accept(s string) bool {
	if l.is(s) {
		l.next()
		return true
	}
	return false
}

// expect moves past the token, which must be s.
func (l *lexer) expect(s string) {
	if !l.accept(s) {
		l.fail(l.token, "expected `"+s+"`, found "+l.describe())
	}
}

func (l *lexer) describe() string {
	if l.token.kind == endToken {
		return "the end of the file"
	}
	return "`" + l.text(l.token) + "`"
}

// name moves past a name and returns it.
func (l *lexer) name(what string) string {
	if l.token.kind != nameToken {
		l.fail(l.token, "expected "+what+", found "+l.describe())
	}
	s := l.text(l.token)
	l.next()
	return s
}
