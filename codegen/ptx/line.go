package ptx

import (
	"strconv"

	"github.com/gpuc/gpuc/codegen/mir"
)

// This file writes line information: the module names its source files, as the
// program was given them, and instructions say which line they come from.

// files writes the module's source files.
func (e *emitter) files() {
	if !e.Lines || e.m.Sources == nil {
		return
	}
	for n, f := range e.m.Sources.Files() {
		e.write(".file ")
		e.writeNumber(uint64(n + 1))
		e.write(" ", strconv.QuoteToASCII(f.Name), "\n")
	}
}

// location prints an instruction's line if it is another than the last one's.
func (e *emitter) location(i mir.Inst) {
	if !e.Lines {
		return
	}
	span := e.f.SpanOf(i)
	file := e.m.Sources.File(span.Start)
	if file == nil {
		return
	}
	p := e.m.Sources.Position(span.Start)
	number := 1
	for n, f := range e.m.Sources.Files() {
		if f == file {
			number = n + 1
		}
	}
	if p.Line == e.line && number == e.file {
		return
	}
	e.line, e.file = p.Line, number
	e.text("\t.loc ")
	e.number(int64(number))
	e.text(" ")
	e.number(int64(p.Line))
	e.text(" ")
	e.number(int64(p.Column))
	e.text("\n")
}
