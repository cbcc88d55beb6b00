package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/ir/source"
)

// This file shows diagnostics to people and to tools:
//
//	saxpy.wgsl:12:10: error: cannot assign f32 to an element of type u32 [type-mismatch]
//	   12 |   y[i] = a * x[i];
//	      |          ^~~~~~~~ f32
//	      |   ~~~~ u32
//	    3 | var<storage, read_write> y: array<u32>;
//	      |                             ~~~~~~~~~~ element type declared here
//
// A note at the line shown last has its marker only. A long line is cut around
// the place, so that minified sources stay readable.

// maxColumns is how much of a source line is shown.
const maxColumns = 120

// Write shows the diagnostics on w, with the source lines of set.
func Write(w io.Writer, set *source.Set, items []Diagnostic) error {
	var b strings.Builder
	for i := range items {
		render(&b, set, &items[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func render(b *strings.Builder, set *source.Set, d *Diagnostic) {
	if d.Span.Valid() {
		fmt.Fprintf(b, "%s: ", set.Position(d.Span.Start))
	}
	fmt.Fprintf(b, "%s: %s [%s]\n", d.Severity, d.Message, d.Code)
	shown := excerpt(b, set, d.Span, '^', d.Label, "")
	for _, n := range d.Notes {
		if !n.Span.Valid() {
			fmt.Fprintf(b, "      = %s\n", n.Message)
			shown = ""
			continue
		}
		if set.File(n.Span.Start) != set.File(d.Span.Start) {
			fmt.Fprintf(b, "%s: note:\n", set.Position(n.Span.Start))
			shown = ""
		}
		shown = excerpt(b, set, n.Span, '~', n.Message, shown)
	}
	for _, f := range d.Fixes {
		fmt.Fprintf(b, "      = fix: %s\n", f.Message)
	}
}

// excerpt shows the first line of a span with a marker under it, or the marker
// alone if the line is what was shown last. It returns the line as it is shown.
func excerpt(b *strings.Builder, set *source.Set, span source.Span, mark rune, label, last string) (shown string) {
	f := set.File(span.Start)
	if f == nil {
		return ""
	}
	at := set.Position(span.Start)
	line := f.Line(at.Line)
	lineStart := int(f.LineStart(at.Line) - f.Base)
	from := min(int(span.Start-f.Base)-lineStart, len(line))
	to := min(max(int(span.End-f.Base)-lineStart, from), len(line))
	prefix, rest := "", ""
	if utf8.RuneCountInString(line) > maxColumns {
		first, last := window(line, from)
		if first > 0 {
			prefix = "…"
		}
		if last < len(line) {
			rest = "…"
		}
		line, from, to = line[first:last], from-first, min(to, last)-first
	}
	shown = fmt.Sprintf("%5d | %s%s%s\n", at.Line, prefix, printable(line), rest)
	if shown != last {
		b.WriteString(shown)
	}
	b.WriteString("      | " + pad(prefix+line[:from]))
	width := max(utf8.RuneCountInString(line[from:to]), 1)
	b.WriteRune(mark)
	for range width - 1 {
		b.WriteByte('~')
	}
	if label != "" {
		b.WriteByte(' ')
		b.WriteString(label)
	}
	b.WriteByte('\n')
	return shown
}

// window returns the byte range of a long line that is shown around at.
func window(line string, at int) (first, last int) {
	first = max(at-maxColumns/3, 0)
	for first > 0 && !utf8.RuneStart(line[first]) {
		first--
	}
	last = min(first+maxColumns, len(line))
	for last < len(line) && !utf8.RuneStart(line[last]) {
		last++
	}
	return first, last
}

// printable replaces control characters, so that a hostile source cannot
// command the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r == 0x7F || r >= 0x80 && r < 0xA0) {
			return '·'
		}
		return r
	}, s)
}

// pad returns white space as wide as s; tabs stay tabs.
func pad(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

// jsonPlace is a span as tools want it: one-based lines and columns, and byte
// offsets into the file.
type jsonPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Offset    int    `json:"offset"`
	EndOffset int    `json:"endOffset"`
}

type jsonNote struct {
	Message string     `json:"message"`
	Place   *jsonPlace `json:"place,omitempty"`
	Text    *string    `json:"text,omitempty"` // a fix: the replacement
}

type jsonDiagnostic struct {
	Severity string     `json:"severity"`
	Code     string     `json:"code"`
	Message  string     `json:"message"`
	Place    *jsonPlace `json:"place,omitempty"`
	Label    string     `json:"label,omitempty"`
	Notes    []jsonNote `json:"notes,omitempty"`
	Fixes    []jsonNote `json:"fixes,omitempty"`
}

// WriteJSON shows the diagnostics as one JSON object a line.
func WriteJSON(w io.Writer, set *source.Set, items []Diagnostic) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, d := range items {
		out := jsonDiagnostic{Severity: d.Severity.String(), Code: d.Code.String(), Message: d.Message,
			Place: place(set, d.Span), Label: d.Label}
		for _, n := range d.Notes {
			out.Notes = append(out.Notes, jsonNote{Message: n.Message, Place: place(set, n.Span)})
		}
		for _, f := range d.Fixes {
			out.Fixes = append(out.Fixes, jsonNote{Message: f.Message, Place: place(set, f.Span), Text: &f.Text})
		}
		if err := encoder.Encode(out); err != nil {
			return err
		}
	}
	return nil
}

func place(set *source.Set, span source.Span) *jsonPlace {
	f := set.File(span.Start)
	if f == nil {
		return nil
	}
	from, to := set.Position(span.Start), set.Position(max(span.End, span.Start))
	return &jsonPlace{from.File, from.Line, from.Column, to.Line, to.Column,
		int(span.Start - f.Base), int(max(span.End, span.Start) - f.Base)}
}
