package editor

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file renames. Captures are not derived from scopes: the text is renamed and checked, and
// every name in it must keep its meaning.

// Edit replaces a range of the text.
type Edit struct {
	Range
	Text string
}

// Renamable returns the range of the name at an offset, or an error if the text does not declare
// it.
func (d *Document) Renamable(offset int) (Range, error) {
	r := d.reading()
	n := r.nameAt(offset)
	if n == nil {
		return Range{}, fmt.Errorf("there is no name here that could be renamed")
	}
	text := r.text[n.at.Start:n.at.End]
	if n.meaning.word != 0 {
		return Range{}, fmt.Errorf("`%s` is declared by WGSL and cannot be renamed", text)
	}
	if _, declared := r.declaration(n.meaning); !declared {
		return Range{}, fmt.Errorf("`%s` is not declared in this file", text)
	}
	return n.at, nil
}

// Rename returns the edits that rename the name at an offset, in order. It returns an error if the
// new name is invalid, if a name would change its meaning, or if the text is too broken to tell.
func (d *Document) Rename(offset int, to string) ([]Edit, error) {
	at, err := d.Renamable(offset)
	if err != nil {
		return nil, err
	}
	from := d.text[at.Start:at.End]
	if problem := notName(to); problem != "" {
		return nil, fmt.Errorf("`%s` is no name: %s", to, problem)
	}
	if to == from {
		return nil, nil
	}
	r := d.check()
	for _, x := range r.list.Items() {
		if x.Code == diag.Syntax || x.Code == diag.InvalidToken {
			return nil, fmt.Errorf("%s has to parse before anything is renamed, so that no use is missed: line %d: %s",
				d.name, r.file.LineOf(x.Span.Start), x.Message)
		}
	}
	for _, n := range r.index() {
		if !n.meaning.isResolved() && r.text[n.at.Start:n.at.End] == from && r.isLoose(&n) {
			return nil, fmt.Errorf("what `%s` means in line %d is hidden by an error there; fix that first", from, r.file.LineOf(r.file.Base+source.Pos(n.at.Start)))
		}
	}
	var edits []Edit
	var renamed strings.Builder
	end := 0
	for _, reference := range d.References(offset, true) {
		edits = append(edits, Edit{reference, to})
		renamed.WriteString(d.text[end:reference.Start] + to)
		end = reference.End
	}
	renamed.WriteString(d.text[end:])
	if err := d.compare(renamed.String(), from, to); err != nil {
		return nil, err
	}
	return edits, nil
}

// isLoose reports whether a name has no meaning because of an error. Swizzles and members of result
// structures have none.
func (r *reading) isLoose(n *name) bool {
	if n.expr == 0 {
		return false
	}
	return r.tree.Expr(n.expr).Kind == syntax.IdentExpr || r.info.Exprs[n.expr].Type == ir.Void
}

// compare checks a renamed text, and compares the meanings of its names with those of the document.
func (d *Document) compare(text, from, to string) error {
	other := NewDocument(d.name, text)
	before, after := d.check(), other.check()
	d.checks++
	if after.list.Errors() > before.list.Errors() {
		for _, x := range after.list.Items() {
			if x.Severity == diag.Error && strings.Contains(x.Message, "`"+to+"`") {
				return fmt.Errorf("`%s` cannot be called `%s`: line %d: %s", from, to, after.file.LineOf(x.Span.Start), x.Message)
			}
		}
		return fmt.Errorf("`%s` cannot be called `%s`: the program would not be right any more", from, to)
	}
	a, b := before.index(), after.index()
	for i := range min(len(a), len(b)) {
		if sameMeaning(&a[i], &b[i]) {
			continue
		}
		return fmt.Errorf("`%s` cannot be called `%s`: `%s` in line %d would mean something else", from, to,
			after.text[b[i].at.Start:b[i].at.End], after.file.LineOf(after.file.Base+source.Pos(b[i].at.Start)))
	}
	if len(a) != len(b) {
		return fmt.Errorf("`%s` cannot be called `%s`: the program would have other names", from, to)
	}
	return nil
}

// sameMeaning reports whether two names at one position in the order of two texts refer to the
// same. Objects and members have indices in the order of the text, whatever their names.
func sameMeaning(a, b *name) bool {
	if a.meaning.word != 0 || b.meaning.word != 0 {
		return a.meaning.word == b.meaning.word
	}
	return a.meaning == b.meaning && a.expr == b.expr
}

// notName says why a text is no identifier, or returns "".
func notName(text string) string {
	var set source.Set
	var list diag.List
	file, err := set.Add("name", "alias "+text+" = i32;")
	if err != nil {
		return err.Error()
	}
	tree := syntax.Parse(file, &list)
	switch {
	case isKeyword(text):
		return "it is a keyword"
	case list.Errors() > 0 && list.Items()[0].Code == diag.ReservedName:
		return list.Items()[0].Message
	case list.Errors() > 0, len(tree.Globals) != 1 || tree.Text(tree.Decl(tree.Globals[0]).Name) != text:
		return "it is one word of letters, digits and underscores"
	}
	return ""
}

func isKeyword(text string) bool {
	for k := range ^syntax.Token(0) {
		if k.IsKeyword() && k.String() == text {
			return true
		}
	}
	return false
}
