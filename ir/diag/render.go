package diag

import (
	"errors"
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
// A note at the line shown last has its marker only. A long line is cut around the location, so
// that minified sources stay readable.

// maxColumns is how much of a source line is shown.
const maxColumns = 120

// Palette says how terminals show the parts of diagnostics: each is what switches a style on.
// The zero Palette has none.
type Palette struct {
	severities [Off]string
	strong     string // locations and messages
	weak       string // codes, numbers of lines and what frames them
	note, fix  string
	off        string // what switches all of them off
}

// Coloured is the palette for terminals, in the eight colours that all of them have (ECMA-48, SGR).
var Coloured = Palette{
	severities: [...]string{Error: "\x1b[1;31m", Warning: "\x1b[1;33m", Info: "\x1b[1;36m"},
	strong:     "\x1b[1m", weak: "\x1b[2m", note: "\x1b[36m", fix: "\x1b[32m", off: "\x1b[m",
}

// Write shows the diagnostics on w, with the source lines of set.
func Write(w io.Writer, set *source.Set, items []Diagnostic) error {
	return WriteStyled(w, set, items, &Palette{})
}

// WriteStyled is Write for terminals.
func WriteStyled(w io.Writer, set *source.Set, items []Diagnostic, palette *Palette) error {
	if w == nil {
		return errors.New("diag: there is nothing to write to: the writer is nil")
	}
	if palette == nil {
		palette = &Palette{}
	}
	r := renderer{set: set, Palette: palette}
	for i := range items {
		r.diagnostic(&items[i])
	}
	_, err := io.WriteString(w, r.String())
	return err
}

type renderer struct {
	strings.Builder
	*Palette
	set *source.Set
}

// styled writes text in a style.
func (r *renderer) styled(style, text string) {
	r.WriteString(style)
	r.WriteString(text)
	if style != "" {
		r.WriteString(r.off)
	}
}

func (r *renderer) diagnostic(d *Diagnostic) {
	if d.Span.Valid() {
		r.styled(r.strong, r.set.Position(d.Span.Start).String()+":")
		r.WriteByte(' ')
	}
	style := r.severities[d.Severity]
	r.styled(style, d.Severity.String()+":")
	r.WriteByte(' ')
	r.styled(r.strong, d.Message)
	r.WriteByte(' ')
	r.styled(r.weak, "["+d.Code.String()+"]")
	r.WriteByte('\n')
	shown := r.excerpt(d.Span, '^', d.Label, "", style)
	for _, n := range d.Notes {
		if !n.Span.Valid() {
			r.remark(n.Message, r.note)
			shown = ""
			continue
		}
		if r.set.File(n.Span.Start) != r.set.File(d.Span.Start) {
			r.styled(r.strong, r.set.Position(n.Span.Start).String()+":")
			r.WriteString(" note:\n")
			shown = ""
		}
		shown = r.excerpt(n.Span, '~', n.Message, shown, r.note)
	}
	for _, f := range d.Fixes {
		r.remark("fix: "+f.Message, r.fix)
	}
}

// remark writes a line that belongs to no location.
func (r *renderer) remark(text, style string) {
	r.styled(r.weak, "      =")
	r.WriteByte(' ')
	r.styled(style, text)
	r.WriteByte('\n')
}

// excerpt shows the first line of a span with a marker under it, or the marker
// alone if the line is what was shown last. It returns the line as it is shown.
func (r *renderer) excerpt(span source.Span, mark byte, label, last, style string) (shown string) {
	f := r.set.File(span.Start)
	if f == nil {
		return ""
	}
	at := r.set.Position(span.Start)
	line := f.Line(at.Line)
	lineStart := int(f.LineStart(at.Line) - f.Base)
	from := min(int(span.Start-f.Base)-lineStart, len(line))
	to := min(max(int(span.End-f.Base)-lineStart, from), len(line))
	prefix, rest := "", ""
	width := max(columns(line[from:to]), 1)
	if utf8.RuneCountInString(line) > maxColumns {
		first, last := window(line, from)
		if first > 0 {
			prefix = "…"
		}
		if last < len(line) {
			rest = "…"
		}
		line, from, to = line[first:last], from-first, min(to, last)-first
		width = max(columns(line[from:to]), 1)
	}
	number := fmt.Sprintf("%5d |", at.Line)
	line, before := prefix+printable(line)+rest, pad(prefix+line[:from])
	if shown = number + line; shown != last {
		r.styled(r.weak, number)
		r.WriteString(" " + line + "\n")
	}
	r.styled(r.weak, "      |")
	r.WriteString(" " + before)
	marker := string(mark) + strings.Repeat("~", width-1)
	if label != "" {
		marker += " " + label
	}
	r.styled(style, marker)
	r.WriteByte('\n')
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

// printable replaces characters with which a hostile source could command the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if isCommand(r) {
			return '·'
		}
		return r
	}, s)
}

// pad returns white space as wide as s; tabs stay tabs.
func pad(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteString("  "[:cells(r)])
		}
	}
	return b.String()
}
