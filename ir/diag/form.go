package diag

import "github.com/gpuc/gpuc/ir/source"

// This file gives diagnostics the form that tools read. docs/reference/output.schema.json describes
// it.

// Form is a diagnostic as encoding/json writes it.
type Form struct {
	Severity string        `json:"severity"`
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	Location *LocationForm `json:"place,omitempty"`
	Label    string        `json:"label,omitempty"`
	Notes    []NoteForm    `json:"notes,omitempty"`
	Fixes    []NoteForm    `json:"fixes,omitempty"`
}

// LocationForm is a span: lines and columns from 1, columns in code points, and byte offsets into
// the file. The end is after the last byte.
type LocationForm struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Offset    int    `json:"offset"`
	EndOffset int    `json:"endOffset"`
}

// NoteForm is a note or a fix.
type NoteForm struct {
	Message  string        `json:"message"`
	Location *LocationForm `json:"place,omitempty"`
	Text     *string       `json:"text,omitempty"` // a fix: the replacement
}

// AppendForms appends the forms of diagnostics.
func AppendForms(to []Form, set *source.Set, items []Diagnostic) []Form {
	for _, d := range items {
		out := Form{Severity: d.Severity.String(), Code: d.Code.String(), Message: d.Message,
			Location: LocationOf(set, d.Span), Label: d.Label}
		for _, n := range d.Notes {
			out.Notes = append(out.Notes, NoteForm{Message: n.Message, Location: LocationOf(set, n.Span)})
		}
		for _, f := range d.Fixes {
			out.Fixes = append(out.Fixes, NoteForm{Message: f.Message, Location: LocationOf(set, f.Span), Text: &f.Text})
		}
		to = append(to, out)
	}
	return to
}

// LocationOf returns the form of a span, or nil if the span is outside the set.
func LocationOf(set *source.Set, span source.Span) *LocationForm {
	f := set.File(span.Start)
	if f == nil {
		return nil
	}
	from, to := set.Position(span.Start), set.Position(max(span.End, span.Start))
	return &LocationForm{from.File, from.Line, from.Column, to.Line, to.Column,
		int(span.Start - f.Base), int(max(span.End, span.Start) - f.Base)}
}
