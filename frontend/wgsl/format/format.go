// Package format gives WGSL text the one style that docs/guide/editors.md describes.
//
// It works on the tokens and not on the tree: the text that comes out is made of all
// tokens and comments that went in, in their order, and only what is between them is
// made anew. So there is no construct that it could forget, and none that it needs to
// know before it can be written in a program. What the tokens do not say by themselves,
// which `<` opens a template list and where `--` is two signs, the parser has noted in
// them. That nothing was lost is not only so by construction: each result is parsed,
// and its tokens and comments are compared with those of the source.
package format

import (
	"fmt"
	"sync"

	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Formatter formats files one after the other and keeps its memory from one to the
// next. It must not be used from several goroutines at once.
type Formatter struct {
	parser  *syntax.Parser
	printer printer
	again   []syntax.Lexeme // of the result
	left    []comment       // in one of its gaps
}

// NewFormatter returns a formatter.
func NewFormatter() *Formatter {
	return &Formatter{parser: syntax.NewParser(syntax.NewVocabulary(nil))}
}

// formatters are those that Source has used.
var formatters = sync.Pool{New: func() any { return NewFormatter() }}

// Source returns a file's text in the one style; see Formatter.Source. The formatter that
// it uses is kept for the next call as long as the garbage collector lets it.
func Source(file *source.File, list *diag.List) (text string, ok bool) {
	f := formatters.Get().(*Formatter)
	defer formatters.Put(f)
	return f.Source(file, list)
}

// Source returns a file's text in the one style. If the file does not parse, the
// parser's errors are added to list, and ok is false.
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
	f.again = f.parser.Lexemes(f.again[:0])
	p := &f.printer
	if len(f.again) != len(p.tokens) {
		panic(fmt.Sprintf("of %d tokens come %d", len(p.tokens), len(f.again)))
	}
	end, endAgain := uint32(0), uint32(0)
	for i, t := range p.tokens {
		u := f.again[i]
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
