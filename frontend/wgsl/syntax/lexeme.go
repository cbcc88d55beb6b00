package syntax

// This file exports tokens, for tools that work on the text rather than its meaning.

// Lexeme is a token, and its text is text[Start:End].
type Lexeme struct {
	Kind       Token
	Start, End uint32
}

// Lexemes appends the tokens of the file parsed last, up to and including EndOfFile. They are as
// the grammar classifies them: a `<` is TemplateStart or Less, and each half of a `--` or `&&` that
// the grammar splits is a token. Between two of them are only blankspace and comments. This holds
// if Parse found no error.
func (p *Parser) Lexemes(to []Lexeme) []Lexeme {
	end := uint32(0)
	for _, t := range p.tokens {
		// The parser cuts off the first half where it splits a token (firstHalf). Neither
		// blankspace nor a comment before a token ends in such a byte.
		if half := t.start - 1; t.start > end && (t.kind == Minus || t.kind == And) && p.text[half] == p.text[t.start] {
			to = append(to, Lexeme{t.kind, half, t.start})
		}
		to = append(to, Lexeme{t.kind, t.start, t.end})
		end = t.end
	}
	return to
}
