package editor

import (
	"github.com/gpuc/gpuc/frontend/suppress"
	"github.com/gpuc/gpuc/ir/diag"
)

// Silence returns the edit that silences a warning or remark with a `gpuc:allow` comment on a line
// before it. It returns nil if the checked result still has the warning, or a comment that silences
// nothing.
func (d *Document) Silence(x *diag.Diagnostic) *Edit {
	r := d.check()
	if x.Severity == diag.Error || !x.Span.Valid() {
		return nil
	}
	at, comment := suppress.Comment(r.file, x)
	start := r.offset(at)
	d.checks++
	other := NewDocument(d.name, d.text[:start]+comment+d.text[start:])
	want := r.offset(x.Span.Start) + len(comment)
	for _, left := range other.Diagnostics() {
		if at, _ := other.Range(left.Span); left.Code == x.Code && at.Start == want {
			return nil
		}
	}
	if useless(other) > useless(d) {
		return nil
	}
	return &Edit{Range{start, start}, comment}
}

// useless counts the comments that silence nothing.
func useless(d *Document) (n int) {
	for _, x := range d.Diagnostics() {
		if x.Code == diag.UnusedAllow {
			n++
		}
	}
	return n
}
