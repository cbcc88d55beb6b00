package format

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
)

// This file prints the text in one pass over the tokens, with a stack of the enclosing brackets,
// which determine the indentation.

// indentWidth is the number of blanks per level, as in the examples of the WGSL specification.
const indentWidth = 2

// frameKind is the content of a pair of brackets.
type frameKind uint8

const (
	moduleFrame frameKind = iota // the file
	blockFrame                   // statements, or the clauses of a switch
	structFrame                  // members
	listFrame                    // what is in ( ), [ ] or < >
)

// frame is a pair of brackets around the current token.
type frame struct {
	kind frameKind
	// inner is the indentation level of its lines, outer that of a line that begins with its
	// closing bracket.
	inner, outer int
	short        bool // braces that stay on one line
	attribute    bool // arguments of an attribute before a declaration or statement
}

// trail is a line comment after code.
type trail struct {
	at    int // of the blank before it, in the output
	width int // of the code before it, in code points
	line  int
	level int // the indentation of its line
}

// printer prints one file.
type printer struct {
	text     string
	tokens   []syntax.Lexeme
	out      []byte
	frames   []frame
	short    []bool    // by token: is it the opening brace of a block on one line
	open     []int     // findShort: by open brace, the first `{` of its if statement, or its own
	chained  [][2]int  // findShort: the first `{` of an if statement, and one of its else clauses
	comments []comment // before the current token
	trails   []trail
	// begun says that the current line has text, with indentation level, at offset lineStart of the
	// output.
	begun           bool
	level           int
	lineStart, line int
	// atStart says that the next token begins a statement, a member or a list item. Continuation
	// lines are indented further.
	atStart bool
	// attribute says that the last `@` was at such a start.
	attribute bool
	// carried says that a line ended before the comma that was written last.
	carried bool
}

func (p *printer) reset(text string) {
	*p = printer{text: text, tokens: p.tokens[:0], out: p.out[:0], frames: append(p.frames[:0], frame{kind: moduleFrame}),
		short: p.short, open: p.open, chained: p.chained, comments: p.comments[:0], trails: p.trails[:0], atStart: true}
}

func (p *printer) frame() *frame { return &p.frames[len(p.frames)-1] }

// print writes all tokens to out.
func (p *printer) print() {
	p.findShort()
	end := uint32(0)
	for i, t := range p.tokens {
		breaks := 0
		if gap := p.text[end:t.Start]; gap == "" || gap == " " {
			p.comments = p.comments[:0]
		} else {
			p.comments, breaks = scanGap(gap, p.comments[:0])
		}
		p.separate(i, breaks)
		if t.Kind == syntax.EndOfFile {
			return
		}
		p.begin(p.levelOf(i))
		p.out = append(p.out, p.text[t.Start:t.End]...)
		p.enter(i)
		end = t.End
	}
}

// findShort finds the blocks that stay on one line: they are on one line in the source, without
// further braces and with at most one statement. The blocks of an if statement and its else clauses
// do so together or not at all.
func (p *printer) findShort() {
	p.short = append(p.short[:0], make([]bool, len(p.tokens))...)
	p.open, p.chained = p.open[:0], p.chained[:0]
	// the last opening brace, unless others followed, and the semicolons after it
	last, semicolons := -1, 0
	first := -1 // of the if statement whose `else` was read last
	for i, t := range p.tokens {
		switch t.Kind {
		case syntax.LeftBrace:
			last, semicolons = i, 0
			if first < 0 {
				p.open = append(p.open, i)
			} else {
				p.open = append(p.open, first)
				p.chained = append(p.chained, [2]int{first, i})
			}
			first = -1
		case syntax.Semicolon:
			semicolons++
		case syntax.RightBrace:
			if last >= 0 && semicolons <= 1 {
				inside := p.text[p.tokens[last].End:t.Start]
				p.short[last] = lineLength(inside) == len(inside) || i == last+1 && strings.IndexByte(inside, '/') < 0
			}
			last = -1
			if p.tokens[i+1].Kind == syntax.KeywordElse {
				first = p.open[len(p.open)-1]
			}
			p.open = p.open[:len(p.open)-1]
		}
	}
	for _, c := range p.chained {
		p.short[c[0]] = p.short[c[0]] && p.short[c[1]]
	}
	for _, c := range p.chained {
		p.short[c[1]] = p.short[c[0]]
	}
}

// separate prints comments, and a line break or a blank, before a token. breaks is the number of
// line breaks after the last comment.
func (p *printer) separate(i, breaks int) {
	if i == 0 {
		p.comment(i, p.comments)
		if p.begun && (breaks > 0 || p.comments[len(p.comments)-1].line || p.tokens[0].Kind == syntax.EndOfFile) {
			p.newline(breaks > 1 && p.tokens[0].Kind != syntax.EndOfFile)
		} else if p.begun {
			p.out = append(p.out, ' ')
		}
		return
	}
	if p.carried && breaks == 0 && len(p.comments) == 0 {
		breaks = 1
	}
	p.carried = false
	must, closing, commented := p.mustBreak(i), p.closes(i), len(p.comments) > 0
	p.comment(i, p.comments)
	switch {
	case commented && p.comments[len(p.comments)-1].line,
		must && (closing || !slices.ContainsFunc(p.comments, func(c comment) bool { return c.breaks > 0 })),
		breaks > 0 && (must || p.mayBreak(i)):
		p.newline(breaks > 1 && !closing && (commented || p.is(i-1, endsItem)))
	case commented:
		if !p.is(i, closesList) && (!p.is(i, tightBefore) || p.is(i, opensList)) {
			p.out = append(p.out, ' ')
		}
	case p.blank(i):
		p.out = append(p.out, ' ')
	}
	p.carried = breaks > 0 && p.begun && p.tokens[i].Kind == syntax.Comma
}

// closes reports whether a token closes its brackets, so that no blank line precedes it.
func (p *printer) closes(i int) bool {
	k := p.tokens[i].Kind
	return k == syntax.RightBrace || k == syntax.EndOfFile || p.is(i, closesList)
}

// comment prints the comments before a token, each after code or on its own line as in the source.
func (p *printer) comment(i int, comments []comment) {
	level := p.levelOf(i)
	if p.closes(i) {
		level = p.frame().inner
	}
	for n, c := range comments {
		switch {
		case p.begun && c.breaks > 0:
			p.newline(c.breaks > 1 && (n > 0 || p.is(i-1, endsItem)))
		case !p.begun:
		case c.line:
			p.trails = append(p.trails, trail{len(p.out), utf8.RuneCount(p.out[p.lineStart:]), p.line, p.level})
			p.out = append(p.out, ' ')
		case n > 0 || !p.is(i-1, opensList):
			p.out = append(p.out, ' ')
		}
		p.begin(level)
		p.out = append(p.out, c.text...)
		if last := strings.LastIndexByte(c.text, '\n'); last >= 0 && !c.line {
			p.line += strings.Count(c.text, "\n")
			p.lineStart = len(p.out) - len(c.text) + last + 1
		}
	}
}

// newline ends the line, and adds an empty one if blank.
func (p *printer) newline(blank bool) {
	p.out = append(p.out, '\n')
	p.line++
	if blank {
		p.out = append(p.out, '\n')
		p.line++
	}
	p.begun, p.lineStart = false, len(p.out)
}

// begin indents the line unless it has text.
func (p *printer) begin(level int) {
	if p.begun {
		return
	}
	p.begun, p.level = true, level
	const blanks = "                                                                "
	n := level * indentWidth
	for ; n > len(blanks); n -= len(blanks) {
		p.out = append(p.out, blanks...)
	}
	p.out = append(p.out, blanks[:n]...)
}

// levelOf returns the indentation level of a line that a token begins.
func (p *printer) levelOf(i int) int {
	f := p.frame()
	switch {
	case p.tokens[i].Kind == syntax.RightBrace, p.is(i, closesList):
		return f.outer
	// a brace after a comment is aligned with its statement
	case p.atStart, p.tokens[i].Kind == syntax.LeftBrace:
		return f.inner
	}
	return f.inner + 1
}

// enter updates the state for the tokens after one.
func (p *printer) enter(i int) {
	start := p.atStart
	p.atStart = false
	switch k := p.tokens[i].Kind; k {
	case syntax.LeftParen, syntax.LeftBracket, syntax.TemplateStart:
		// Lists are indented from their first line, so that f(g( is one level.
		p.frames = append(p.frames, frame{kind: listFrame, inner: p.level + 1, outer: p.level,
			attribute: i > 1 && p.tokens[i-2].Kind == syntax.At && p.attribute})
		p.atStart = true
	case syntax.LeftBrace:
		// Blocks are indented from their statement, wherever the brace is.
		outer := p.frame().inner
		f := frame{kind: blockFrame, inner: outer + 1, outer: outer, short: p.short[i]}
		if i > 1 && p.tokens[i-2].Kind == syntax.KeywordStruct {
			f.kind = structFrame
		}
		p.frames = append(p.frames, f)
		p.atStart = true
	case syntax.RightParen, syntax.RightBracket, syntax.TemplateEnd:
		p.atStart = p.frame().attribute
		p.frames = p.frames[:len(p.frames)-1]
	case syntax.RightBrace:
		p.frames = p.frames[:len(p.frames)-1]
		p.atStart = true
	case syntax.Semicolon:
		p.atStart = true
	case syntax.Comma:
		p.atStart = p.frame().kind >= structFrame
	case syntax.At:
		p.attribute = start
	default: // after an attribute without arguments
		p.atStart = i > 0 && p.tokens[i-1].Kind == syntax.At && p.attribute && p.tokens[i+1].Kind != syntax.LeftParen
	}
}

// result returns the text with aligned line comments after code on successive lines of one
// indentation.
func (p *printer) result() string {
	var b strings.Builder
	b.Grow(len(p.out) + len(p.out)/16)
	written := 0
	for first := 0; first < len(p.trails); {
		t := p.trails[first]
		next, width := first+1, t.width
		for ; next < len(p.trails) && p.trails[next].line == p.trails[next-1].line+1 && p.trails[next].level == t.level; next++ {
			width = max(width, p.trails[next].width)
		}
		for _, t := range p.trails[first:next] {
			b.Write(p.out[written:t.at])
			written = t.at
			for range width - t.width {
				b.WriteByte(' ')
			}
		}
		first = next
	}
	b.Write(p.out[written:])
	return b.String()
}
