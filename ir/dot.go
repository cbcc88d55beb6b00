package ir

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/op"
)

// This file draws functions for Graphviz: control flow as edges between what is executed in a row.
// The text form shows how blocks are nested; a drawing shows where control goes, which terminators
// that leave several blocks at once hide.

// dotter writes one function.
type dotter struct {
	printer
	function int // its number in the module, so that names are unique
}

// AppendDot appends a drawing of a module's functions in the language of Graphviz.
func (m *Module) AppendDot(b []byte, options PrintOptions) []byte {
	m.must("AppendDot")
	d := dotter{printer: printer{m: m, b: b, options: options}}
	d.nameModule()
	d.text("digraph gpuc {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\", fontsize=9];\n")
	for n, f := range m.Funcs {
		d.function = n
		d.draw(f, d.globals[len(m.Overrides)+len(m.Globals)+n])
	}
	d.text("}\n")
	return d.b
}

func (d *dotter) draw(f *Func, name string) {
	d.name(f)
	kind := "fn"
	if f.Kernel {
		kind = "kernel"
	}
	d.text("  subgraph ")
	d.quote("cluster_" + strconv.Itoa(d.function))
	d.text(" {\n    label=")
	d.quote(kind + " @" + name)
	d.text(";\n")
	d.rows(f.Entry)
	d.text("  }\n")
}

// rows draws the rows of a block and of those nested in it. A row holds instructions that are
// executed one after the other. An instruction that owns blocks, or the terminator, ends it.
func (d *dotter) rows(b Block) {
	f := d.f
	var params string
	if list := f.Params(b); len(list) > 0 {
		params = d.capture(func() { d.params(b) })
	}
	for first := f.First(b); first != 0; {
		d.text("    ")
		d.node(first)
		d.text(" [label=\"")
		if params != "" {
			d.line(params)
			params = ""
		}
		last := first
		for ; ; last = f.Next(last) {
			d.line(d.capture(func() { d.header(last) }))
			if d.options.Note != nil {
				if note := d.options.Note(f, last); note != "" {
					d.line("  // " + note)
				}
			}
			if f.Op(last).Is(op.Control|op.Terminator) || f.Next(last) == 0 {
				break
			}
		}
		d.text("\"];\n")
		if f.Op(last).Is(op.Control) {
			for n := range f.Blocks(last) {
				if f.Op(last) != op.Loop || n == 0 { // to the continuing block go terminators
					d.edge(first, f.First(f.Region(last, n)), d.branch(last, n), "")
				}
				d.rows(f.Region(last, n))
			}
		} else {
			d.leave(first, last)
		}
		first = f.Next(last)
	}
}

// branch is the condition on which control enters a block.
func (d *dotter) branch(i Inst, n int) string {
	f := d.f
	switch f.Op(i) {
	case op.If:
		return [...]string{"true", "false"}[n]
	case op.Switch:
		var values []string
		for k, target := range f.CaseTargets(i) {
			if int(target) == n {
				values = append(values, d.capture(func() { d.value(f.Arg(i, k+1)) }))
			}
		}
		if n == f.DefaultCase(i) {
			values = append(values, "default")
		}
		return strings.Join(values, ", ")
	}
	return ""
}

// leave draws where a terminator goes.
func (d *dotter) leave(from, i Inst) {
	f := d.f
	switch f.Op(i) {
	case op.Exit:
		d.edge(from, f.Next(f.Target(i)), "", "")
	case op.Continue:
		d.edge(from, f.First(f.Region(f.Target(i), 1)), "", "")
	case op.Next:
		_, condition, _ := f.NextArgs(i)
		again := ""
		if condition != 0 {
			again = "false"
			d.edge(from, f.Next(f.Target(i)), "true", "")
		}
		d.edge(from, f.First(f.Region(f.Target(i), 0)), again, "constraint=false, style=dashed")
	}
}

func (d *dotter) edge(from, to Inst, label, style string) {
	if to == 0 {
		return
	}
	d.text("    ")
	d.node(from)
	d.text(" -> ")
	d.node(to)
	if label != "" {
		d.text(" [label=")
		d.quote(label)
		d.text("]")
	}
	if style != "" {
		d.text(" [", style, "]")
	}
	d.text(";\n")
}

// node is the name of the row that begins with an instruction.
func (d *dotter) node(i Inst) {
	d.text("f", strconv.Itoa(d.function), "_", strconv.Itoa(int(i)))
}

// capture returns what a function prints.
func (d *dotter) capture(print func()) string {
	before := len(d.b)
	print()
	text := string(d.b[before:])
	d.b = d.b[:before]
	return text
}

// line writes a line of a label, which begins at the left.
func (d *dotter) line(text string) { d.text(escapeDot(text), "\\l") }

func (d *dotter) quote(text string) { d.text("\"", escapeDot(text), "\"") }

// dotEscapes are the characters that mean something in a quoted string of Graphviz.
var dotEscapes = strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", " ")

func escapeDot(text string) string { return dotEscapes.Replace(text) }
