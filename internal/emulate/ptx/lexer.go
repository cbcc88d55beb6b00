package ptx

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// The lexer of PTX (PTX ISA, Syntax). A name with dots is one token, so an instruction with all its
// modifiers is one name.

// tokenKind is the kind of a token; for punctuation it is the character.
type tokenKind uint8

const (
	endToken     tokenKind = iota
	nameToken              // main, %r1, $L2, .reg, add.rn.f32
	integerToken           // value has the bits
	singleToken            // value has the bits of an f32
	doubleToken            // value has the bits of an f64
	decimalToken           // 6.3
	stringToken
)

type token struct {
	kind  tokenKind
	text  string
	value uint64
}

type lexer struct {
	text []byte
	at   int
	line int // of the token's end
	token
}

func (l *lexer) refuse(format string, args ...any) {
	panic(refusal{l.line, fmt.Sprintf(format, args...)})
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
}

// advance reads the next token.
func (l *lexer) advance() {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t' || l.text[l.at] == '\n') {
		if l.text[l.at] == '\n' {
			l.line++
		}
		l.at++
	}
	start := l.at
	if start == len(l.text) {
		l.token = token{}
		return
	}
	switch c := l.text[start]; {
	case c >= '0' && c <= '9':
		l.literal()
	case nameByte(c):
		for l.at < len(l.text) && nameByte(l.text[l.at]) {
			l.at++
			if bytes.HasPrefix(l.text[l.at:], []byte("::")) {
				l.at += len("::")
			}
		}
		l.token = token{kind: nameToken, text: string(l.text[start:l.at])}
	case c == '"':
		for l.at++; l.at < len(l.text) && l.text[l.at] != '"' && l.text[l.at] != '\n'; l.at++ {
			if l.text[l.at] == '\\' {
				l.at++
			}
		}
		if l.at >= len(l.text) || l.text[l.at] != '"' {
			l.refuse("a string without an end")
		}
		l.at++
		l.token = token{kind: stringToken, text: string(l.text[start:l.at])}
	default:
		l.at++
		l.token = token{kind: tokenKind(c), text: string(c)}
	}
}

// floatLiterals are the syntaxes of floats by their bits (PTX ISA, Floating-Point Constants).
var floatLiterals = [...]struct {
	prefix string
	digits int
	kind   tokenKind
}{{"0f", 8, singleToken}, {"0d", 16, doubleToken}}

// literal reads an integer or the bits of a float (PTX ISA, Constants).
func (l *lexer) literal() {
	start := l.at
	for l.at < len(l.text) && nameByte(l.text[l.at]) {
		l.at++
	}
	text := string(l.text[start:l.at])
	l.token = token{kind: integerToken, text: text}
	for _, f := range floatLiterals {
		if len(text) != len(f.prefix)+f.digits || text[:len(f.prefix)] != f.prefix {
			continue
		}
		value, err := strconv.ParseUint(text[len(f.prefix):], 16, 64)
		if err != nil {
			l.refuse("literal %s is not understood", text)
		}
		l.kind, l.value = f.kind, value
		return
	}
	if strings.Contains(text, ".") {
		l.kind = decimalToken
		return
	}
	digits := text
	if n := len(digits); n > 1 && digits[n-1] == 'U' {
		digits = digits[:n-1]
	}
	base := 10
	if len(digits) > 2 && digits[:2] == "0x" {
		base, digits = 16, digits[2:]
	} else if len(digits) > 1 && digits[0] == '0' {
		l.refuse("literal %s is not understood", text) // octal in PTX
	}
	value, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		l.refuse("literal %s is not understood", text)
	}
	l.value = value
}

// punctuation reports whether the token is a character.
func (l *lexer) punctuation(c byte) bool { return l.kind == tokenKind(c) }

// accept consumes a character if it is next.
func (l *lexer) accept(c byte) bool {
	if !l.punctuation(c) {
		return false
	}
	l.advance()
	return true
}

// acceptName consumes a certain name if it is next.
func (l *lexer) acceptName(name string) bool {
	if l.kind != nameToken || l.token.text != name {
		return false
	}
	l.advance()
	return true
}

// expect consumes a character that must be next.
func (l *lexer) expect(c byte) {
	if !l.accept(c) {
		l.refuse("expected %q, found %q", string(c), l.token.text)
	}
}

// expectName consumes a certain name that must be next.
func (l *lexer) expectName(name string) {
	if !l.acceptName(name) {
		l.refuse("expected %s, found %q", name, l.token.text)
	}
}

// name consumes an identifier of the module, which has no dots.
func (l *lexer) name() string {
	text := l.token.text
	if l.kind != nameToken {
		l.refuse("expected a name, found %q", text)
	}
	for n := range len(text) {
		if text[n] == '.' || text[n] == '%' {
			l.refuse("expected a name, found %q", text)
		}
	}
	l.advance()
	return text
}

// integer consumes an unsigned integer of at most limit.
func (l *lexer) integer(limit uint64) uint64 {
	value := l.value
	if l.kind != integerToken || value > limit {
		l.refuse("expected an integer up to %d, found %q", limit, l.token.text)
	}
	l.advance()
	return value
}
