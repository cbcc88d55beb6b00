package syntax

// This file hands out tokens, for tools whose subject is the text and not what it says.

// Lexeme is a token and its place: text[Start:End].
type Lexeme struct {
	Kind       Token
	Start, End uint32
}

// Lexemes appends the tokens of the file that was parsed last, with EndOfFile behind them.
// They are what the grammar made of them: a `<` is TemplateStart or Less, and each half of
// a `--` or `&&` that the grammar divides is a token. What is between two of them is
// blankspace and comments. This holds where Parse found no error.
func (p *Parser) Lexemes(to []Lexeme) []Lexeme {
	end := uint32(0)
	for _, t := range p.tokens {
		// The parser cuts the first half off where it divides a token (firstHalf); neither
		// blankspace nor a comment before a token ends in such a byte.
		if half := t.start - 1; t.start > end && (t.kind == Minus || t.kind == And) && p.text[half] == p.text[t.start] {
			to = append(to, Lexeme{t.kind, half, t.start})
		}
		to = append(to, Lexeme{t.kind, t.start, t.end})
		end = t.end
	}
	return to
}
