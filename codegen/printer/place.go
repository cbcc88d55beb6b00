package printer

import (
	"bytes"
	"strconv"

	"github.com/gpuc/gpuc/ir/source"
)

// This file says where lines come from, to tools that show text beside its source. Parts of the
// text move until it is complete, so each line carries its source position until then.

// placeMark comes before a source position. No text of a program has it.
const placeMark = 0

// placed ends a text with the source position of its last line, if that is a statement or the head
// of one with blocks.
func (w *Printer) placed(text []byte, indent int) []byte {
	if !w.Placed || indent == 0 || !w.Span.Valid() {
		return text
	}
	line := bytes.TrimLeft(text[bytes.LastIndexByte(text, '\n')+1:], " ")
	if len(line) > 0 && line[0] == '}' { // an end, or an else, which has no source position
		return text
	}
	return strconv.AppendUint(append(text, placeMark), uint64(w.Span.Start), 10)
}

// lineFrom writes a line that comes from where a value does.
func (w *Printer) lineFrom(x Expr, line string) {
	around := w.Span
	if x.Span.Valid() {
		w.Span = x.Span
	}
	w.Line(line)
	w.Span = around
}

// carry assigns a value to the variable in which control carries it on.
func (w *Printer) carry(place string, x Expr) {
	around := w.Span
	if x.Span.Valid() {
		w.Span = x.Span
	}
	w.Assign(place, x)
	w.Span = around
}

// TakePlaces tells tell the source positions of lines, if it is not nil, and returns the text
// without them.
func TakePlaces(text []byte, tell func(line int, at source.Pos)) []byte {
	if tell == nil {
		return text
	}
	out := make([]byte, 0, len(text))
	n := 0
	for line := range bytes.Lines(text) {
		code, place, found := bytes.Cut(line, []byte{placeMark})
		out = append(out, code...)
		if found {
			at, err := strconv.ParseUint(string(bytes.TrimSuffix(place, []byte("\n"))), 10, 32)
			if err != nil {
				panic("printer: a line has no place: " + string(line))
			}
			tell(n, source.Pos(at))
			out = append(out, '\n')
		}
		n++
	}
	return out
}
