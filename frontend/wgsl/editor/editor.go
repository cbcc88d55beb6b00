// Package editor says what a place in a WGSL text means to somebody who edits it: what is
// wrong, what a name refers to and where else it stands, what may be written here, how
// structures lie in memory. It knows no protocol: places are byte offsets into the text.
//
// It adds no rules to the language. A Document is checked by the stages that compile
// programs, and what these leave, the tree and sem.Info, is read by position. While
// a text is being written it is broken most of the time, and the parser leaves out what it
// did not understand. Questions about such a text are answered from a second reading, of the
// text with what is missing put in (mend.go).
package editor

import (
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Range is the bytes [Start, End) of a document's text.
type Range struct{ Start, End int }

// touches reports whether a range holds an offset or ends there: a cursor behind the last
// letter of a name is at the name.
func (r Range) touches(offset int) bool { return r.Start <= offset && offset <= r.End }

// Document is one WGSL file that is being edited. It must not be used from several
// goroutines at once. What its methods return stays valid when the text changes, but for
// diagnostics, which belong to the text that they were asked of.
type Document struct {
	name, text string
	// whole is the text as it is, mended the text with what is missing put in, and typed
	// that with a name at the cursor, too. Each keeps its memory for the next text.
	whole, mended, typed reading
	checks               int
}

// NewDocument returns a document; the name is that of its file in diagnostics.
func NewDocument(name, text string) *Document { return &Document{name: name, text: text} }

// Name returns the name that the document has in diagnostics.
func (d *Document) Name() string { return d.name }

// Analysed reports whether the document holds what a check has found, which takes many times the
// memory of the text.
func (d *Document) Analysed() bool { return d.whole.compiler != nil }

// Text returns the text.
func (d *Document) Text() string { return d.text }

// SetText gives the document another text. It is checked when something is asked of it.
func (d *Document) SetText(text string) {
	d.text = text
	d.whole.done, d.mended.done = false, false
}

// Checks returns how often a text was checked, which tests hold against how often one changed.
func (d *Document) Checks() int { return d.checks }

// Diagnostics returns all that gpuc check says about the text, in source order; see
// Document.Range for their spans. They are valid until the text changes.
func (d *Document) Diagnostics() []diag.Diagnostic { return d.check().list.Items() }

// Range returns where a diagnostic's span lies. It reports false for a span without a place.
func (d *Document) Range(span source.Span) (Range, bool) {
	if !span.Valid() {
		return Range{}, false
	}
	return d.check().rangeOf(span), true
}

// check returns the reading of the text as it is.
func (d *Document) check() *reading {
	if !d.whole.done {
		d.checks++
		d.whole.read(d.name, d.text, nil)
	}
	return &d.whole
}

// reading returns what questions are answered from: the text as it is or, where something is
// missing in it, the mended one.
func (d *Document) reading() *reading {
	r := d.check()
	if r.list.Errors() == 0 {
		return r
	}
	if !d.mended.done {
		added := mend(r.tokens, d.text, noCursor)
		if len(added) == 0 {
			return r
		}
		d.checks++
		d.mended.read(d.name, d.text, added)
	}
	return &d.mended
}

// readingAt returns the reading that has a name at the cursor, if one is wanted there.
func (d *Document) readingAt(cursor int) *reading {
	added := mend(d.check().tokens, d.text, cursor)
	if len(added) == 0 {
		return d.check()
	}
	d.checks++
	d.typed.read(d.name, d.text, added)
	return &d.typed
}

// reading is a text with what the checker found in it.
type reading struct {
	done     bool
	compiler *wgsl.Compiler
	list     diag.List
	text     string // the document's
	file     *source.File
	added    []insertion
	tokens   []syntax.Lexeme
	// of the checker; the tree is empty and the info has nothing if it failed
	tree   *syntax.Tree
	info   *sem.Info
	module *ir.Module
	types  types.Table

	names   []name
	indexed bool // names are there
}

// read checks a text with insertions.
func (r *reading) read(name, text string, added []insertion) {
	if r.compiler == nil {
		r.compiler = wgsl.NewCompiler()
	}
	if r.module != nil {
		r.compiler.Recycle(r.module)
	}
	r.list.Reset()
	r.done, r.indexed, r.text, r.added = true, false, text, added
	set := new(source.Set)
	file, err := set.Add(name, insert(text, added))
	if err != nil { // too large
		r.list.Add(diag.Diagnostic{Code: diag.LimitExceeded, Message: err.Error()})
		file, _ = set.Add(name, "")
	}
	r.file = file
	r.info = r.compiler.Analyze(set, file, wgsl.Options{Warn: true}, &r.list)
	r.tokens = r.compiler.Lexemes(r.tokens[:0])
	if r.info == nil {
		r.info = &sem.Info{Tree: new(syntax.Tree), Module: ir.NewModule(set), Exprs: []sem.ExprInfo{{}}, Objects: []sem.ObjectInfo{{}}}
	}
	r.tree, r.module = r.info.Tree, r.info.Module
	r.types.Reset(r.module)
}

// offset returns where a position of the reading lies in the document.
func (r *reading) offset(p source.Pos) int {
	at := int(p - r.file.Base)
	before := 0 // bytes put in
	for _, x := range r.added {
		if x.at+before >= at {
			break
		}
		before = min(before+len(x.text), at-x.at)
	}
	return at - before
}

// rangeOf returns where a span of the reading lies in the document.
func (r *reading) rangeOf(span source.Span) Range {
	return Range{r.offset(span.Start), r.offset(max(span.End, span.Start))}
}
