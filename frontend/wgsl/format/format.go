// Package format formats WGSL in the style of docs/guide/editors.md.
//
// It works on tokens, not on the tree: the result has all tokens and comments of the source in
// order, with new white space. So it cannot lose a construct, and new syntax needs no change here.
// The parser has marked what tokens alone do not tell: which `<` opens a template list, and where
// `--` is two operators. Each result is parsed, and its tokens and comments are compared with those
// of the source.
package format

import (
	"fmt"
	"sync"

	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Formatter formats files one after the other, and reuses its memory. It must not be used
// concurrently.
type Formatter struct {
	parser   *syntax.Parser
	printer  printer
	reparsed []syntax.Lexeme // of the result
	left     []comment       // in one of its gaps
}

// NewFormatter returns a formatter.
func NewFormatter() *Formatter {
	return &Formatter{parser: syntax.NewParser(syntax.NewVocabulary(nil))}
}

// formatters are reused by Source.
var formatters = sync.Pool{New: func() any { return NewFormatter() }}

// Source is Formatter.Source with a formatter from a pool.
func Source(file *source.File, list *diag.List) (text string, ok bool) {
	f := formatters.Get().(*Formatter)
	defer formatters.Put(f)
	return f.Source(file, list)
}

// Source returns the formatted text of a file. If the file does not parse, it adds the errors to
// list, and ok is false.
func (f *Formatter) Source(file *source.File, list *diag.List) (text string, ok bool) {
	defer diag.Recover(list, source.Span{}, "formatting "+file.Name, func() { *f = *NewFormatter() })
	before := list.Errors()
	f.parser.Parse(file, list)
	if list.Errors() > before {
		return "", false
	}
	p := &f.printer
	p.reset(file.Text)
	p.tokens = f.parser.Lexemes(p.tokens[:0])
	p.print()
	text = p.result()
	f.compare(file.Text, text)
	return text, true
}

// compare panics unless a result has the tokens and the comments of its source.
func (f *Formatter) compare(text, result string) {
	var set source.Set
	var list diag.List
	file, err := set.Add("the result", result)
	if err != nil {
		panic(err)
	}
	f.parser.Parse(file, &list)
	if list.Errors() > 0 {
		panic("the result does not parse: " + list.Items()[0].Message)
	}
	f.reparsed = f.parser.Lexemes(f.reparsed[:0])
	p := &f.printer
	if len(f.reparsed) != len(p.tokens) {
		panic(fmt.Sprintf("of %d tokens come %d", len(p.tokens), len(f.reparsed)))
	}
	end, endAgain := uint32(0), uint32(0)
	for i, t := range p.tokens {
		u := f.reparsed[i]
		if text[t.Start:t.End] != result[u.Start:u.End] {
			panic(fmt.Sprintf("of `%s` comes `%s`", text[t.Start:t.End], result[u.Start:u.End]))
		}
		p.comments, _ = scanGap(text[end:t.Start], p.comments[:0])
		f.left, _ = scanGap(result[endAgain:u.Start], f.left[:0])
		if !sameComments(p.comments, f.left) {
			panic(fmt.Sprintf("the comments before `%s` do not stay", text[t.Start:t.End]))
		}
		end, endAgain = t.End, u.End
	}
}
