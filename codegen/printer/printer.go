// Package printer prints functions as structured text. Targets share it that are languages with
// blocks, variables and expressions, such as WGSL and Metal's C++.
//
//	printer.go    the printer of a function, and what it requires of a language
//	names.go       identifiers
//	uses.go        how often and where values are used
//	expr.go        expressions as text
//	values.go      what is nested, what gets a name, what is written before
//	share.go       which results and parameters share a variable
//	control.go     if, switch, scope, and what leaves them
//	loop.go        loops
//	positions.go  source positions of lines
//
// The IR that is printed has structured control with exits that leave one construct at a time
// (ir.Structured, ir.SingleLevelExits). The language says how instructions are spelled. This
// package decides where they are written, and in which variables values are.
package printer

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/source"
)

// Language says how a target writes what the printer decides on.
type Language interface {
	// Constant returns a constant's text.
	Constant(v ir.Value) Expr
	// Global returns the lvalue of a variable of the module.
	Global(v ir.Value) Expr
	// Instruction writes an instruction that owns no blocks and ends none.
	Instruction(i ir.Inst)
	// Barrier writes a control barrier, and returns the last instruction that it has written.
	Barrier(i ir.Inst) ir.Inst
	// Named returns the statement that gives a value of type t a name for good.
	Named(name string, t ir.Type, value string) string
	// Variable returns the declaration of a variable, which has no value yet if initial is "".
	Variable(name string, t ir.Type, initial string) string
	// Case returns the head of a switch's clause up to its brace.
	Case(values []string, isDefault bool) string
	// Test returns a statement that a loop without a bound that is known begins with, or "".
	Test() string
}

// Syntax is what differs between languages in the words of control.
type Syntax struct {
	Open, Close string // around conditions and selectors
	Zero        string // a selector that is known
	Endless     string // the head of a loop that ends from inside, with its brace
	True        string // a condition that always holds
	// Continuing says that a loop has a block for what its next iteration begins with. Without one,
	// such code is at the loop's end. If something continues before, it is at the loop's beginning,
	// where the first iteration skips it.
	Continuing bool
	// CaseEnd is what a clause ends with that control would fall out of, or "".
	CaseEnd string
	// DeclareOutside says that what a continuing block's parameters are in is declared before the
	// loop.
	DeclareOutside bool
}

// Printer writes functions one by one.
type Printer struct {
	Syntax          Syntax
	Language        Language
	Name            string // of the target, for panics
	M               *ir.Module
	F               *ir.Func
	Out             []byte
	Indent          int
	Mark            string      // what the next statement is followed by on its line
	Span            source.Span // of what is being written
	SourcePositions bool        // lines end in source positions, which ExtractPositions removes
	Names           *Namer
	Uses            Usage
	Exprs           []Expr     // by value
	Shared          []ir.Value // by value: whose variable holds it; see share.go

	waiting  []ir.Value // what reads memory and was not written yet
	alias    []ir.Value // by value: the other name of an equal one
	carried  []bool     // by value: it lies in the variable of the result that it becomes
	controls []construct
	tail     bool // behind the block's end the loop's next iteration begins
}

// Begin prepares the printer for a function, whose body Block then writes.
func (w *Printer) Begin(f *ir.Func) {
	w.F, w.Span = f, f.Span
	w.Uses.analyse(f)
	w.Exprs = ir.Zeroed(w.Exprs, f.ValueCount())
	w.Shared, w.alias = ir.Zeroed(w.Shared, f.ValueCount()), ir.Zeroed(w.alias, f.ValueCount())
	w.carried = ir.Zeroed(w.carried, f.ValueCount())
	w.controls = ir.Zeroed(w.controls, f.InstCount())
	w.waiting, w.tail, w.Indent = w.waiting[:0], false, 0
	w.countExits(f.Entry)
}

// Line writes a line of parts.
func (w *Printer) Line(parts ...string) {
	for range w.Indent {
		w.Out = append(w.Out, "  "...)
	}
	for _, part := range parts {
		w.Out = append(w.Out, part...)
	}
	if w.Mark != "" && len(w.Out) > 0 && w.Out[len(w.Out)-1] == ';' {
		w.Out = append(w.Out, w.Mark...)
		w.Mark = ""
	}
	w.Out = append(w.withPosition(w.Out, w.Indent), '\n')
}
