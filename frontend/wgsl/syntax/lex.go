package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is the lexer. It scans the whole file at once: the tokens take a third of the memory of
// the tree. With all of them at hand, a `<` can become the start of a template list when its `>` is
// found (template.go).
//
// In WGSL §3.1 the tokenizer asks the parser which tokens are valid next, and takes the longest of
// those. It matters for `a--b` and `&&a` only; there the parser splits the token (parse_expr.go).
// Everywhere else the longest token is the right one.

// token is a token. Its text is text[start:end].
type token struct {
	start, end uint32
	// value is the symbol of an Ident, the index of a literal's value.
	value uint32
	kind  Token
	// badName marks an Ident that may not be used as a name: a reserved word, or
	// one that begins with two underscores.
	badName bool
}

// lexer reads one file.
type lexer struct {
	file      *source.File
	text      string
	list      *diag.List
	tokens    []token
	literals  []literal
	names     names
	templates templates
	defined   []Symbol // by #define, which is an error
	foreign   int      // number of tokens that look like another language (foreign.go)
}

// The classes of bytes that matter to a loop of the lexer.
const (
	letterClass  = 1 << iota // continues an identifier
	digitClass               // 0 to 9
	hexClass                 // hexadecimal digit
	commentClass             // may end a line, or begin or end a block comment
)

var classes = func() (c [256]uint8) {
	for b := range 256 {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '_':
			c[b] |= letterClass
		case b >= '0' && b <= '9':
			c[b] |= letterClass | digitClass | hexClass
		}
		if b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			c[b] |= hexClass
		}
		if b >= '\n' && b <= '\r' || b == 0xC2 || b == 0xE2 {
			c[b] |= commentClass
		}
	}
	return c
}()

// report adds an error about the bytes [start, end).
func (l *lexer) report(code diag.Code, start, end int, message string, notes ...string) {
	d := diag.Diagnostic{Code: code, Span: l.file.Span(start, end), Message: message}
	for _, n := range notes {
		d.Notes = append(d.Notes, diag.Note{Message: n})
	}
	l.list.Add(d)
}

// add appends a token.
func (l *lexer) add(kind Token, start, end int) {
	l.tokens = append(l.tokens, token{start: uint32(start), end: uint32(end), kind: kind})
}

// punctuation are the characters that are always a token by themselves.
var punctuation = [utf8.RuneSelf]Token{
	'(': LeftParen, ')': RightParen, '[': LeftBracket, ']': RightBracket, '{': LeftBrace, '}': RightBrace,
	';': Semicolon, ':': Colon, ',': Comma, '@': At, '~': Tilde,
}

// scan fills tokens. The last one is EndOfFile.
func (l *lexer) scan() {
	text := l.text
	l.checkEncoding()
	i := 0
	if strings.HasPrefix(text, "\uFEFF") {
		i = len("\uFEFF")
		l.report(diag.InvalidToken, 0, i, "the file begins with a byte order mark, which WGSL does not allow",
			"save the file as UTF-8 without a byte order mark")
	}
	for i < len(text) {
		start := i
		c := text[i]
		i++
		switch c {
		case ' ':
			for i < len(text) && text[i] == ' ' {
				i++
			}
		case '\t', '\n', '\v', '\f', '\r':
		case '(', '[':
			l.templates.enter()
			l.add(punctuation[c], start, i)
		case ')', ']':
			l.templates.leave()
			l.add(punctuation[c], start, i)
		case '{', ';', ':':
			l.templates.reset()
			l.add(punctuation[c], start, i)
		case '}', ',', '@', '~':
			l.add(punctuation[c], start, i)
		case '.':
			i = l.dot(start)
		case '/':
			i = l.slash(start)
		case '+':
			i = l.operatorTwice(start, Plus, PlusAssign, PlusPlus)
		case '-':
			i = l.minus(start)
		case '*':
			i = l.operator(start, Star, StarAssign)
		case '%':
			i = l.operator(start, Percent, PercentAssign)
		case '^':
			i = l.operator(start, Xor, XorAssign)
		case '&':
			i = l.operatorTwice(start, And, AndAssign, AndAnd)
		case '|':
			i = l.operatorTwice(start, Or, OrAssign, OrOr)
		case '!':
			i = l.comparison(start, Not, NotEqual)
		case '=':
			i = l.comparison(start, Assign, Equal)
			if i == start+1 {
				l.templates.reset()
			}
		case '<':
			i = l.less(start)
		case '>':
			i = l.greater(start)
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			i = l.number(start)
		default:
			if classes[c]&letterClass != 0 {
				i = l.name(start)
			} else {
				i = l.other(start)
			}
		}
	}
	l.add(EndOfFile, len(text), len(text))
}

// dot scans a `.`, or a number that begins with one.
func (l *lexer) dot(start int) int {
	if i := start + 1; i < len(l.text) && classes[l.text[i]]&digitClass != 0 {
		return l.number(start)
	}
	l.add(Dot, start, start+1)
	return start + 1
}

// slash scans a comment, `/` or `/=`.
func (l *lexer) slash(start int) int {
	switch rest := l.text[start+1:]; {
	case strings.HasPrefix(rest, "/"):
		return l.lineComment(start + 2)
	case strings.HasPrefix(rest, "*"):
		return l.blockComment(start)
	}
	return l.operator(start, Slash, SlashAssign)
}

// minus scans `->`, `-`, `-=` or `--`.
func (l *lexer) minus(start int) int {
	if strings.HasPrefix(l.text[start+1:], ">") {
		l.add(Arrow, start, start+2)
		return start + 2
	}
	return l.operatorTwice(start, Minus, MinusAssign, MinusMinus)
}

// checkEncoding reports text that is not UTF-8 and zero code points, each once. The lexer skips
// such bytes like blankspace.
func (l *lexer) checkEncoding() {
	if i := strings.IndexByte(l.text, 0); i >= 0 {
		l.report(diag.InvalidUTF8, i, i+1, "the file contains a zero code point, which WGSL does not allow")
	}
	if utf8.ValidString(l.text) {
		return
	}
	for i := 0; i < len(l.text); {
		r, size := utf8.DecodeRuneInString(l.text[i:])
		if r == utf8.RuneError && size == 1 {
			l.report(diag.InvalidUTF8, i, i+1, fmt.Sprintf("byte 0x%02X is not part of valid UTF-8 text", l.text[i]))
			return
		}
		i += size
	}
}

// name scans a name or a keyword. The inner loop covers ASCII and computes the hash; other code
// points are rare and decoded one by one.
func (l *lexer) name(start int) int {
	text := l.text
	i := start
	hash := hashStart
	for {
		for i < len(text) && classes[text[i]]&letterClass != 0 {
			hash = (hash ^ uint32(text[i])) * hashPrime
			i++
		}
		if i == len(text) || text[i] < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isContinue(r) {
			break
		}
		for range size {
			hash = (hash ^ uint32(text[i])) * hashPrime
			i++
		}
	}
	t := token{start: uint32(start), end: uint32(i), kind: Ident}
	if text[start] == '_' {
		if i == start+1 {
			t.kind = Underscore
			l.tokens = append(l.tokens, t)
			return i
		}
		t.badName = text[start+1] == '_'
	}
	symbol := l.names.intern(text[start:i], hash)
	t.value = uint32(symbol)
	if int(symbol) < len(l.names.special) {
		switch special := l.names.special[symbol]; special {
		case EndOfFile:
		case isReserved:
			t.badName = true
		default:
			t.kind = special
		}
	}
	l.tokens = append(l.tokens, t)
	return i
}

// operator scans an operator that may be followed by `=`.
func (l *lexer) operator(start int, plain, assign Token) int {
	i := start + 1
	if i < len(l.text) && l.text[i] == '=' {
		l.templates.reset()
		plain = assign
		i++
	}
	l.add(plain, start, i)
	return i
}

// operatorTwice scans an operator that may be doubled or followed by `=`.
func (l *lexer) operatorTwice(start int, plain, assign, twice Token) int {
	i := start + 1
	if i < len(l.text) && l.text[i] == l.text[start] {
		if twice == AndAnd || twice == OrOr {
			l.templates.drop()
		}
		l.add(twice, start, i+1)
		return i + 1
	}
	return l.operator(start, plain, assign)
}

// comparison scans `=` or `!`, or the comparison `==` or `!=`.
func (l *lexer) comparison(start int, plain, withEqual Token) int {
	i := start + 1
	if i < len(l.text) && l.text[i] == '=' {
		plain = withEqual
		i++
	}
	l.add(plain, start, i)
	return i
}

// less scans `<`, `<=`, `<<` or `<<=`.
func (l *lexer) less(start int) int {
	i := start + 1
	next := byte(0)
	if i < len(l.text) {
		next = l.text[i]
	}
	switch next {
	case '=':
		l.add(LessEqual, start, i+1)
		return i + 1
	case '<':
		if i+1 < len(l.text) && l.text[i+1] == '=' {
			l.templates.reset()
			l.add(ShiftLeftAssign, start, i+2)
			return i + 2
		}
		l.add(ShiftLeft, start, i+1)
		return i + 1
	}
	if n := len(l.tokens); n > 0 {
		if k := l.tokens[n-1].kind; k == Ident || k.IsKeyword() && k != KeywordTrue && k != KeywordFalse {
			l.templates.open(n)
		}
	}
	l.add(Less, start, i)
	return i
}

// greater scans the `>` that closes a template list, or `>`, `>=`, `>>`, `>>=`.
func (l *lexer) greater(start int) int {
	i := start + 1
	if open, ok := l.templates.close(); ok {
		l.tokens[open].kind = TemplateStart
		l.tokens[open].value = uint32(len(l.tokens))
		l.add(TemplateEnd, start, i)
		return i
	}
	kind := Greater
	if i < len(l.text) && l.text[i] == '>' {
		i++
		kind = ShiftRight
		if i < len(l.text) && l.text[i] == '=' {
			l.templates.reset()
			i++
			kind = ShiftRightAssign
		}
	} else if i < len(l.text) && l.text[i] == '=' {
		i++
		kind = GreaterEqual
	}
	l.add(kind, start, i)
	return i
}

// lineBreak returns the length of the line break at i, or 0.
func (l *lexer) lineBreak(i int) int {
	switch c := l.text[i]; {
	case c >= '\n' && c <= '\r':
		return 1
	case c == 0xC2 && strings.HasPrefix(l.text[i:], "\u0085"):
		return 2
	case c == 0xE2 && (strings.HasPrefix(l.text[i:], "\u2028") || strings.HasPrefix(l.text[i:], "\u2029")):
		return 3
	}
	return 0
}

// lineComment skips to the next line break.
func (l *lexer) lineComment(i int) int {
	for i < len(l.text) && (classes[l.text[i]]&commentClass == 0 || l.lineBreak(i) == 0) {
		i++
	}
	return i
}

// blockComment skips a block comment. Block comments nest.
func (l *lexer) blockComment(start int) int {
	text := l.text
	i := start + 2
	for depth := 1; ; {
		next := strings.IndexAny(text[i:], "*/")
		if next < 0 || i+next+1 >= len(text) {
			break
		}
		i += next
		switch {
		case text[i] == '*' && text[i+1] == '/':
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		case text[i] == '/' && text[i+1] == '*':
			depth++
			i += 2
		default:
			i++
		}
	}
	l.report(diag.InvalidToken, start, start+2, "the block comment does not end", "block comments nest: each `/*` needs a `*/` of its own")
	return len(text)
}

// foreignCharacters explains characters of other languages that WGSL does not have.
var foreignCharacters = [128]string{
	'#':  "WGSL has no preprocessor",
	'?':  "WGSL has no `?:` operator; write select(value_if_false, value_if_true, condition)",
	'"':  "WGSL has no strings",
	'\'': "WGSL has no strings and no character constants",
	'`':  "WGSL has no strings",
	'\\': "WGSL lines need no continuation mark",
	'$':  "names consist of letters, digits and underscores",
}

// other scans what begins with no ASCII character of WGSL: a name or blankspace beyond ASCII, or an
// invalid token.
func (l *lexer) other(start int) int {
	text := l.text
	r, size := utf8.DecodeRuneInString(text[start:])
	switch {
	case r >= utf8.RuneSelf && size > 1 && isStart(r):
		return l.name(start)
	case r == 0, r == utf8.RuneError && size == 1, isBlank(r):
		return start + size // checkEncoding has reported the former
	}
	if r == '"' && l.debug() {
		return l.stringLiteral(start)
	}
	end := start + size
	l.foreign++
	switch r {
	case '#': // skip the whole line, and the program goes on as if it were not there
		end = l.lineComment(end)
		hint := foreignCharacters['#']
		if words := strings.Fields(text[start:end]); len(words) > 1 && words[0] == "#define" {
			hint += "; write const NAME = value; or a function"
			l.defined = append(l.defined, l.names.intern(words[1], hashOf(words[1])))
		}
		l.report(diag.InvalidToken, start, end, "`#` begins no token of WGSL", hint)
		return end
	case '"', '\'', '`':
		for end < len(text) && text[end] != byte(r) && l.lineBreak(end) == 0 {
			end++
		}
		if end < len(text) && text[end] == byte(r) {
			end++
		}
	default:
		for end < len(text) && strings.HasPrefix(text[end:], text[start:start+size]) {
			end += size
		}
	}
	hint := ""
	if r < utf8.RuneSelf {
		hint = foreignCharacters[r]
	}
	if r == '"' && l.inMessage() {
		hint = "WGSL has no strings; with `enable gpuc_debug;` at the beginning of the file, " + printName + " and " + assertName + " take one"
	}
	message := fmt.Sprintf("`%c` (U+%04X) begins no token of WGSL", r, r)
	if r < ' ' || r == 0x7F || r >= utf8.RuneSelf && !isContinue(r) {
		message = fmt.Sprintf("code point U+%04X begins no token of WGSL", r)
	}
	if hint != "" {
		l.report(diag.InvalidToken, start, end, message, hint)
	} else {
		l.report(diag.InvalidToken, start, end, message)
	}
	l.add(BadToken, start, end)
	return end
}
