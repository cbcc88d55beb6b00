// Package diag holds what gpuc has to say about a program: diagnostics with a stable code, a
// primary location, notes and fixes, and how they are shown.
//
// A message is one sentence in lower case without a full stop; further facts are notes. Every code
// is in one table (codes.go) with an explanation and an example, which `gpuc doc CODE` prints.
package diag

import (
	"sort"
	"strconv"

	"github.com/gpuc/gpuc/ir/source"
)

// Severity grades a diagnostic.
type Severity uint8

// The severities, worst first. Off is what a `diagnostic(off, …)` filter says.
const (
	Error Severity = iota
	Warning
	Info
	Off
)

// String returns the word that messages use.
func (s Severity) String() string {
	return [...]string{"error", "warning", "info", "off"}[s]
}

// Note is a further fact, at its own location or, with the zero Span, at none.
type Note struct {
	Span    source.Span
	Message string
}

// Fix is a replacement of source text that would fix the program.
type Fix struct {
	Kind    FixKind
	Span    source.Span
	Text    string
	Message string
}

// FixKind is what a fix does. Tests apply a fix of each kind, so each location in gpuc's source
// that offers one has its own kind.
type FixKind uint8

// The kinds of fixes, with an example of what they make.
const (
	_                    FixKind = iota
	FixConvert                   // f32(x)
	FixReference                 // &x
	FixDereference               // *p
	FixAtomicLoad                // atomicLoad(&x)
	FixComponent                 // id.x
	FixComparison                // x != 0
	FixOrder                     // f(b, a)
	FixSpelling                  // colour
	FixForeignName               // mix, of lerp
	FixSemicolon                 // a = b;
	FixParentheses               // (a && b) || c
	FixChain                     // a < b && b < c
	FixTypeFirst                 // var x: i32
	FixKeyword                   // let, of lett
	FixAttributeSign             // @compute
	FixAttributeBrackets         // @group(0) @binding(0), of [[group(0), binding(0)]]
	FixStage                     // @compute, of @stage(compute)
	FixLetMut                    // var
	FixEqual                     // let a = 1
	FixComma                     // a: u32,
	FixArrow                     // f() -> u32, of f(): u32
	FixMissingArrow              // f() -> u32, of f() u32
	FixAllow                     // without // gpuc:allow unused-variable
	FixDirective                 // //gpuc:kernel, of // gpuc:kernel
	FixSingle                    // x := float32(0.5), of x := 0.5 in Go
	FixFraction                  // 1.0 / 2, of 1 / 2 in Go
	FixBarrier                   // without the second of two barriers
	FixKinds
)

// Diagnostic is one thing said about a program.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     source.Span
	Message  string
	// Label is printed beside the caret: mostly what was found there.
	Label string
	Notes []Note
	Fixes []Fix
}

// List collects diagnostics. The zero List is ready to use. A nil one is empty, and nothing can be
// added to it, which would be lost: Add panics with that.
type List struct {
	items  []Diagnostic
	errors int
}

// Limit is how many diagnostics a List keeps: a program with more has one
// cause, and the first hundred show it.
const Limit = 100

// Some returns list, or a new list that is discarded if list is nil.
func Some(list *List) *List {
	if list == nil {
		return new(List)
	}
	return list
}

// Add appends d. Beyond Limit only the error count grows.
func (l *List) Add(d Diagnostic) {
	if d.Severity == Off {
		return
	}
	if l == nil {
		panic("diag: there is no list to add to: it is nil; new(diag.List) makes one")
	}
	if d.Severity == Error {
		l.errors++
	}
	if len(l.items) < Limit {
		l.items = append(l.items, d)
	}
}

// Errors returns how many errors were added.
func (l *List) Errors() int {
	if l == nil {
		return 0
	}
	return l.errors
}

// Items returns the diagnostics in source order; those at one position keep the order in which they
// were added.
func (l *List) Items() []Diagnostic {
	if l == nil {
		return nil
	}
	sort.SliceStable(l.items, func(i, j int) bool { return l.items[i].Span.Start < l.items[j].Span.Start })
	return l.items
}

// Keep drops the diagnostics for which keep, asked in source order, says false, and
// those beyond Limit.
func (l *List) Keep(keep func(d *Diagnostic) bool) {
	if l == nil || keep == nil {
		return
	}
	items := l.Items()
	l.Reset()
	for i := range items {
		if keep(&items[i]) {
			l.Add(items[i])
		}
	}
}

// Reset empties the list and keeps its memory.
func (l *List) Reset() {
	if l != nil {
		l.items, l.errors = l.items[:0], 0
	}
}

// Plural returns a number with a noun, which gets an s unless the number is 1.
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
