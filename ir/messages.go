package ir

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/ir/lex"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is what kernels print. An instruction has the values and the index of a message of the
// module, which has the format. So no value is text.

// Message is a location in the source that prints.
type Message struct {
	Span   source.Span
	Format string // see package message
	// Assert says that it is printed where a condition does not hold.
	Assert bool
	// Values are the types of what it shows: scalars and vectors. They are not changed.
	Values []Type
}

// MessageNumber returns the number of a message, which it adds if there is none like it.
func (m *Module) MessageNumber(x Message) uint32 {
	for n, y := range m.Messages {
		if x.Span == y.Span && x.Format == y.Format && x.Assert == y.Assert && slices.Equal(x.Values, y.Values) {
			return uint32(n)
		}
	}
	m.Messages = append(m.Messages, x)
	return uint32(len(m.Messages) - 1)
}

// Print builds a message, of an assertion with its condition in front of the values.
func (b *Builder) Print(format string, assert bool, args ...Value) {
	m := b.F.Module
	x := Message{Span: b.Span, Format: format, Assert: assert}
	for n, a := range args {
		if !assert || n > 0 {
			x.Values = append(x.Values, b.F.TypeOf(a))
		}
	}
	b.Emit(op.Print, Void, m.MessageNumber(x), args...)
}

func (p *parser) message(start lex.Token) {
	x := Message{Format: p.Quoted()}
	p.Expect("(")
	for !p.Accept(")") {
		if len(x.Values) > 0 {
			p.Expect(",")
		}
		x.Values = append(x.Values, p.typ())
	}
	if p.Accept("[") {
		p.Expect("assert")
		p.Expect("]")
		x.Assert = true
	}
	x.Span = p.spanSince(start)
	p.m.Messages = append(p.m.Messages, x)
}

func printTypes(v *verifier, i Inst) string {
	if int(v.f.Aux(i)) >= len(v.m.Messages) {
		return "the message does not exist"
	}
	x := &v.m.Messages[v.f.Aux(i)]
	values := v.f.Args(i)
	if x.Assert {
		if len(values) == 0 || v.f.TypeOf(values[0]) != Bool {
			return "the first operand is the condition of an assertion, and it is no bool"
		}
		values = values[1:]
	}
	if len(values) != len(x.Values) {
		return fmt.Sprintf("%d values for a message of %d", len(values), len(x.Values))
	}
	for n, value := range values {
		switch got := v.f.TypeOf(value); {
		case got != x.Values[n]:
			return fmt.Sprintf("value %d is %s, want %s", n+1, v.m.TypeString(got), v.m.TypeString(x.Values[n]))
		case v.m.Components(got) == 0 || v.m.ScalarOf(got).IsAbstract():
			return fmt.Sprintf("value %d is %s, which no message shows", n+1, v.m.TypeString(got))
		}
	}
	return v.result(i, Void)
}
