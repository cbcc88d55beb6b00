package printer

import (
	"bytes"
	"strconv"

	"github.com/gpuc/gpuc/ir/source"
)

// This file says where lines come from, to tools that show text beside its source. Parts of the
// text move until it is complete, so each line carries its source position until then.

// positionMark comes before a source position. No text of a program has it.
const positionMark = 0

// withPosition appends to a text the source position of its last line. A line has one if it is a
// statement or the head of one with blocks.
func (w *Printer) withPosition(text []byte, indent int) []byte {
	if !w.SourcePositions || indent == 0 || !w.Span.Valid() {
		return text
	}
	line := bytes.TrimLeft(text[bytes.LastIndexByte(text, '\n')+1:], " ")
	if len(line) > 0 && line[0] == '}' { // an end, or an else, which has no source position
		return text
	}
	return strconv.AppendUint(append(text, positionMark), uint64(w.Span.Start), 10)
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

// carry assigns a value to the variable that carries it to the next iteration, or out of the block.
func (w *Printer) carry(variable string, x Expr) {
	around := w.Span
	if x.Span.Valid() {
		w.Span = x.Span
	}
	w.Assign(variable, x)
	w.Span = around
}

// ExtractPositions removes the source positions from a text and returns the rest. It calls report,
// if that is not nil, for each line with a position; lines count from 0.
func ExtractPositions(text []byte, report func(line int, at source.Pos)) []byte {
	if report == nil {
		return text
	}
	out := make([]byte, 0, len(text))
	n := 0
	for line := range bytes.Lines(text) {
		code, position, found := bytes.Cut(line, []byte{positionMark})
		out = append(out, code...)
		if found {
			at, err := strconv.ParseUint(string(bytes.TrimSuffix(position, []byte("\n"))), 10, 32)
			if err != nil {
				panic("printer: malformed source position: " + string(line))
			}
			report(n, source.Pos(at))
			out = append(out, '\n')
		}
		n++
	}
	return out
}
