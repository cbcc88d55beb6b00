// Package lex splits the text forms of the IR and of the machine level into tokens. These are
// names, numbers with their suffix, quoted strings, and single characters of punctuation (-> and
// the like do not occur). The first error ends a reading: tools write these texts.
package lex

import (
	"strconv"
	"unicode/utf8"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Kind is what a token is.
type Kind uint8

// The kinds; End is the end of the file.
const (
	End Kind = iota
	Name
	Number
	String
	Punctuation
)

// Token is a token of a file, whose bytes from Start on and before End it is.
type Token struct {
	Kind       Kind
	Start, End int
}

// Lexer reads a file. Its methods throw what Caught catches.
type Lexer struct {
	File *source.File
	List *diag.List
	// Token is the current one, the first after Next has been called. First says that it is the
	// first of its line.
	Token Token
	First bool
	at    int
}

// syntaxError is thrown as a panic by Fail and caught by Caught.
type syntaxError struct{}

// Caught, with what recover returned, reports whether the reading failed. It passes on every
// other panic.
func Caught(recovered any) bool {
	if recovered == nil {
		return false
	}
	if _, ok := recovered.(syntaxError); !ok {
		panic(recovered)
	}
	return true
}

// Fail adds a diagnostic about a token and ends the reading.
func (l *Lexer) Fail(t Token, message string) {
	l.List.Add(diag.Diagnostic{Code: diag.IRSyntax, Span: l.File.Span(t.Start, t.End), Message: message})
	panic(syntaxError{})
}

// Text returns a token's text.
func (l *Lexer) Text(t Token) string { return l.File.Text[t.Start:t.End] }

// Next moves to the following token, over white space and // comments.
func (l *Lexer) Next() {
	s := l.File.Text
	l.First = l.at == 0
	for l.at < len(s) {
		switch c := s[l.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			l.First = l.First || c == '\n'
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
	l.Token, l.First = Token{End, len(s), len(s)}, true
}

func (l *Lexer) scan(c byte) {
	s, start := l.File.Text, l.at
	kind := Punctuation
	switch {
	case c >= '0' && c <= '9' || c == '-' && l.at+1 < len(s) && s[l.at+1] >= '0' && s[l.at+1] <= '9':
		kind = Number
		l.at++
		for l.at < len(s) && (IsNameByte(s[l.at]) || (s[l.at] == '+' || s[l.at] == '-') && s[l.at-1] == 'e') {
			l.at++
		}
	case IsNameByte(c):
		kind = Name
		for l.at < len(s) && IsNameByte(s[l.at]) {
			l.at++
		}
	case c == '"':
		kind = String
		for l.at++; l.at < len(s) && s[l.at] != '"' && s[l.at] != '\n'; l.at++ {
			if s[l.at] == '\\' && l.at+1 < len(s) {
				l.at++
			}
		}
		if l.at >= len(s) || s[l.at] != '"' {
			l.Fail(Token{String, start, min(l.at, len(s))}, "the string does not end")
		}
		l.at++
	default:
		_, size := utf8.DecodeRuneInString(s[l.at:])
		l.at += size
	}
	l.Token = Token{kind, start, l.at}
}

// Is reports whether the current token is this punctuation or name.
func (l *Lexer) Is(s string) bool {
	return (l.Token.Kind == Punctuation || l.Token.Kind == Name) && l.Text(l.Token) == s
}

// Accept moves past the token if it is s.
func (l *Lexer) Accept(s string) bool {
	if l.Is(s) {
		l.Next()
		return true
	}
	return false
}

// Expect moves past the token, which must be s.
func (l *Lexer) Expect(s string) {
	if !l.Accept(s) {
		l.Fail(l.Token, "expected `"+s+"`, found "+l.Describe())
	}
}

// Describe returns the current token as messages name it.
func (l *Lexer) Describe() string {
	if l.Token.Kind == End {
		return "the end of the file"
	}
	return "`" + l.Text(l.Token) + "`"
}

// Word moves past a name and returns it.
func (l *Lexer) Word(what string) string {
	if l.Token.Kind != Name {
		l.Fail(l.Token, "expected "+what+", found "+l.Describe())
	}
	s := l.Text(l.Token)
	l.Next()
	return s
}

// Quoted moves past a string and returns what is in its quotes.
func (l *Lexer) Quoted() string {
	if l.Token.Kind != String {
		l.Fail(l.Token, "expected a quoted string, found "+l.Describe())
	}
	s, err := strconv.Unquote(l.Text(l.Token))
	if err != nil {
		l.Fail(l.Token, "the string is not valid")
	}
	l.Next()
	return s
}

// Integer moves past a number of 32 bits without a suffix and returns it.
func (l *Lexer) Integer(what string) uint64 {
	n, err := strconv.ParseUint(l.Text(l.Token), 10, 32)
	if l.Token.Kind != Number || err != nil {
		l.Fail(l.Token, "expected "+what+", found "+l.Describe())
	}
	l.Next()
	return n
}

// IsNameByte reports whether a byte may be part of a name.
func IsNameByte(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
