// Package editor answers an editor's queries about a WGSL text: diagnostics, definitions,
// references, hover, completion, rename, structure layouts. It is independent of the protocol;
// positions are byte offsets in the text.
//
// A Document is checked by the stages of the compiler, and their results, the tree and sem.Info,
// are searched by position. A text that is being written is mostly broken, and the parser drops
// what it does not understand. Queries about such a text use a second reading, of the text with
// missing tokens inserted (repair.go).
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

// touches reports whether an offset is in the range or at its end, where a cursor is at the name.
func (r Range) touches(offset int) bool { return r.Start <= offset && offset <= r.End }

// Document is a WGSL file in an editor. It must not be used concurrently. Results stay valid when
// the text changes, except diagnostics.
type Document struct {
	name, text string
	// original is the text, repaired the text with missing tokens inserted, typed that with a name
	// at the cursor. Each reuses its memory for the next text.
	original, repaired, typed reading
	checks                    int
}

// NewDocument returns a document; name is its file's name in diagnostics.
func NewDocument(name, text string) *Document { return &Document{name: name, text: text} }

// Name returns the name of the file in diagnostics.
func (d *Document) Name() string { return d.name }

// Analysed reports whether the document has been checked. The result takes many times the memory of
// the text.
func (d *Document) Analysed() bool { return d.original.compiler != nil }

// Text returns the text.
func (d *Document) Text() string { return d.text }

// SetText replaces the text, which is checked by the next query.
func (d *Document) SetText(text string) {
	d.text = text
	d.original.done, d.repaired.done = false, false
}

// Checks returns the number of checks, for tests.
func (d *Document) Checks() int { return d.checks }

// Diagnostics returns the diagnostics of gpuc check, in source order, until the text changes; see
// Document.Range for their spans.
func (d *Document) Diagnostics() []diag.Diagnostic { return d.check().list.Items() }

// Range returns the range of a diagnostic's span, and false for an invalid span.
func (d *Document) Range(span source.Span) (Range, bool) {
	if !span.Valid() {
		return Range{}, false
	}
	return d.check().rangeOf(span), true
}

// check returns the reading of the text.
func (d *Document) check() *reading {
	if !d.original.done {
		d.checks++
		d.original.read(d.name, d.text, nil)
	}
	return &d.original
}

// reading returns the reading for queries: of the text or, after errors, of the repaired text.
func (d *Document) reading() *reading {
	r := d.check()
	if r.list.Errors() == 0 {
		return r
	}
	if !d.repaired.done {
		added := repair(r.tokens, d.text, noCursor)
		if len(added) == 0 {
			return r
		}
		d.checks++
		d.repaired.read(d.name, d.text, added)
	}
	return &d.repaired
}

// readingAt returns the reading with a name at the cursor, if one is expected there.
func (d *Document) readingAt(cursor int) *reading {
	added := repair(d.check().tokens, d.text, cursor)
	if len(added) == 0 {
		return d.check()
	}
	d.checks++
	d.typed.read(d.name, d.text, added)
	return &d.typed
}

// reading is a text with the results of the checker.
type reading struct {
	done     bool
	compiler *wgsl.Compiler
	list     diag.List
	text     string // of the document
	file     *source.File
	added    []insertion
	tokens   []syntax.Lexeme
	// of the checker; empty after an internal error
	tree   *syntax.Tree
	info   *sem.Info
	module *ir.Module
	types  types.Table

	names   []name
	indexed bool // names is computed
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

// offset returns the offset in the document of a position in the reading.
func (r *reading) offset(p source.Pos) int {
	at := int(p - r.file.Base)
	before := 0 // inserted bytes
	for _, x := range r.added {
		if x.at+before >= at {
			break
		}
		before = min(before+len(x.text), at-x.at)
	}
	return at - before
}

// rangeOf returns the range in the document of a span in the reading.
func (r *reading) rangeOf(span source.Span) Range {
	return Range{r.offset(span.Start), r.offset(max(span.End, span.Start))}
}
