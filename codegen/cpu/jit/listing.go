package jit

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/source"
)

// This file writes code for people, and for Go's assembler. In both, the line of the source that
// instructions come from precedes them.

// Signature is what a listing begins with.
const Signature = "; machine code for x86-64-v3"

// Assemble returns the machine code that is made of the IR text of a kernel, as gpuc build -S shows
// it. It prints the size and what the code needs, then the offset, bytes and text of each
// instruction, then the constants. Of a kernel that is refused it says why.
func Assemble(text []byte) (string, error) {
	m, f, sources, err := lower.Read("", text)
	if err != nil {
		return "", err
	}
	p, err := lower.Build(m, f)
	if err != nil {
		return refusalText(f.Name, err), nil
	}
	code, err := Compile(p, Options{List: true, Machine: AMD64})
	if err != nil {
		return refusalText(f.Name, err), nil
	}
	return string(code.appendListing(nil, sources)), nil
}

func refusalText(name string, reason error) string {
	return fmt.Sprintf("%s: %s has none, and is executed without: %v\n", Signature, name, reason)
}

func (c *Code) appendListing(text []byte, sources *source.Set) []byte {
	a, listing := c.listing(c.Layout.Name, sources)
	l, size := &c.Layout, a.Offset(len(c.List))
	text = fmt.Appendf(text, "%s: %s\n", Signature, l.Name)
	text = fmt.Appendf(text, "; %d bytes: %d of code, %d of padding and constants\n", len(c.Text), size, len(c.Text)-size)
	text = fmt.Appendf(text, "; workgroups of %d×%d×%d invocations, in blocks of %d lanes, %s together\n",
		l.Workgroup[0], l.Workgroup[1], l.Workgroup[2], lanes, counted(max(c.Together, 1), "block"))
	text = fmt.Appendf(text, "; %s kept in memory; %d bytes of context, %d of frames, %d of workgroup memory\n\n",
		counted(c.Spilled, "register"), l.ContextBytes, l.FrameBytes*l.Frames, l.WorkgroupBytes)
	return a.AppendListing(text, listing)
}

// listing assembles code again, since an assembler knows of the last function only.
func (c *Code) listing(name string, sources *source.Set) (*amd64.Assembler, *amd64.Listing) {
	a := new(amd64.Assembler)
	text, err := a.Assemble(nil, c.List, c.pool)
	if err != nil {
		panic("jit: what has been assembled cannot be assembled: " + err.Error())
	}
	return a, &amd64.Listing{Name: name, List: c.List, Pool: c.pool, Code: text, Source: lines(c.Program.F, sources)}
}

// noLine is said of what comes from no line: the loops over workgroups and lanes, and what they
// begin with.
const noLine = "around the kernel"

// lines returns a function that returns the line and position of the source which an instruction of
// the machine level comes from. It returns "" if that is the line that was returned last.
func lines(f *mir.Func, sources *source.Set) func(n uint32) string {
	if sources == nil {
		return nil
	}
	var last source.Position
	return func(n uint32) string {
		var at source.Position
		span := f.SpanOf(mir.Inst(n))
		if n != 0 && span.Valid() {
			at = sources.Position(span.Start)
		}
		if at.File == last.File && at.Line == last.Line {
			return ""
		}
		if last = at; at.Line == 0 {
			return noLine
		}
		return fmt.Sprintf("%s:%d: %s", at.File, at.Line, strings.TrimSpace(sources.File(span.Start).Line(at.Line)))
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
