package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// This file is `gpuc layout`: where the members of structures lie in memory, and what of it is
// wasted. Who fills a buffer from another language has to know, and mostly finds out by wrong
// results.

var layoutCommand = command{
	name:    "layout",
	run:     runLayout,
	summary: "show where members of structures lie, and declare them for the host",
	usage:   "[-lang LANGUAGE] FILE [STRUCT...]",
	help: `
Draws the structures in the buffers of a program, each row 16 bytes, with what is
padding (░), and says which order of the members would need less memory.

  gpuc layout particles.wgsl            all that buffers and immediates hold
  gpuc layout particles.wgsl Particle   this one, used in a buffer or not
  gpuc layout ./physics                 the kernels of a Go package
  gpuc layout -lang c particles.wgsl    declarations for C; also go, rust (1.77), python

A declaration has every member at its place, with padding where there is some, and
checks its offsets and its size when it is compiled, or in Python when it is loaded.
Vectors and columns are arrays there, f16 is its 16 bits, and an array at the end
whose length the buffer decides is left out: a comment says where it begins.
`,
}

func runLayout(e *environment, args []string) error {
	f := e.newFlags()
	e.colourFlag(f)
	name := f.String("lang", "", "write declarations for a `language`: c, go, rust or python")
	rest, err := e.parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return usagef("want a source file: gpuc layout particles.wgsl, say")
	}
	for _, name := range rest[1:] {
		if _, err := os.Stat(name); err == nil {
			return usagef("takes one file, and then names of structures; %s is a file", name)
		}
	}
	write := draw
	if *name != "" {
		l := languageNamed(*name)
		if l == nil {
			return usagef("-lang takes %s, not %q", languageNames(), *name)
		}
		write = l.declare
	}
	p, err := e.loadReported(rest[0], opt.MathWGSL)
	if err != nil {
		return err
	}
	list, err := structuresOf(p.module, rest[1:])
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("%s has no structure in a buffer or among immediates; name one to see it: gpuc layout %s NAME", rest[0], rest[0])
	}
	if *name == "" {
		e.answerWith(layoutResults(p.module, list))
	}
	write(e.stdout, p.module, list)
	return nil
}

// layoutForm is a structure for -json.
type layoutForm struct {
	Name    string       `json:"name"`
	Bytes   uint32       `json:"bytes"` // without an array whose length the buffer decides
	Align   uint32       `json:"align"`
	Members []memberForm `json:"members"`
	// Better is the order of the members that needs fewer bytes, if there is one.
	Better      []string `json:"better,omitempty"`
	BetterBytes uint32   `json:"betterBytes,omitempty"`
}

type memberForm struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Offset  uint32 `json:"offset"`
	Bytes   uint32 `json:"bytes"`   // 0 if the buffer decides
	Padding uint32 `json:"padding"` // behind it
}

// layouts are the results of gpuc layout for -json.
type layouts struct {
	Structures []layoutForm `json:"structures"`
}

func layoutResults(m *ir.Module, list []*structure) (all layouts) {
	for _, r := range list {
		form := layoutForm{Name: r.name, Bytes: r.size, Align: r.align}
		for n := range r.fields {
			f := &r.fields[n]
			form.Members = append(form.Members, memberForm{f.name, shownType(m, f.t), f.offset, f.size, r.padding(n)})
		}
		if order, size := better(m, r); size < r.size {
			form.Better, form.BetterBytes = order, size
		}
		all.Structures = append(all.Structures, form)
	}
	return all
}

// structure is a structure.
type structure struct {
	t           ir.Type
	name        string
	size, align uint32
	fields      []field
}

// field is a member of a structure. Its size is 0 if the buffer decides how many elements it has.
type field struct {
	name         string
	t            ir.Type
	offset, size uint32
}

func (f *field) end() uint32 { return f.offset + f.size }

// padding is how many bytes lie between the n-th member and the next, or the end.
func (r *structure) padding(n int) uint32 {
	next := r.size
	if n+1 < len(r.fields) {
		next = r.fields[n+1].offset
	}
	if f := &r.fields[n]; f.size > 0 && next > f.end() {
		return next - f.end()
	}
	return 0
}

func structureOf(m *ir.Module, t ir.Type) *structure {
	r := &structure{t: t, name: m.StructName(t), size: m.Size(t), align: m.Align(t)}
	for _, member := range m.Members(t) {
		f := field{member.Name, member.Type, member.Offset, m.Size(member.Type)}
		if m.IsRuntimeArray(f.t) {
			f.size = 0
			r.size = f.offset
		}
		r.fields = append(r.fields, f)
	}
	return r
}

// structuresOf returns the structures with these names, or those in memory that a host fills; those
// within others come first.
func structuresOf(m *ir.Module, names []string) (list []*structure, err error) {
	var types []ir.Type
	if len(names) == 0 {
		types = m.SharedTypes()
	}
	var known []string
	byName := map[string]ir.Type{}
	for t := range ir.Type(m.TypeCount()) {
		if m.KindOf(t) == ir.StructType {
			known = append(known, m.StructName(t))
			byName[m.StructName(t)] = t
		}
	}
	for _, name := range names {
		t, ok := byName[name]
		if !ok {
			if near := nearest(name, known); near != "" {
				return nil, fmt.Errorf("there is no structure %s; did you mean %s?", name, near)
			}
			if known == nil {
				return nil, fmt.Errorf("there is no structure %s, nor any other that something uses", name)
			}
			return nil, fmt.Errorf("there is no structure %s that anything uses; there are %s", name, strings.Join(known, ", "))
		}
		types = append(types, t)
	}
	for _, t := range m.StructsOf(types) {
		list = append(list, structureOf(m, t))
	}
	return list, nil
}

// usedBytes is how many bytes of a type are not padding.
func usedBytes(m *ir.Module, t ir.Type) uint64 {
	known := map[ir.Type]uint64{} // of structures, which may be nested like a binary tree
	var used func(t ir.Type) uint64
	used = func(t ir.Type) (sum uint64) {
		switch m.KindOf(t) {
		case ir.MatrixType, ir.ArrayType:
			n, _ := m.Count(t)
			return uint64(n) * used(m.Element(t))
		case ir.StructType:
			sum, ok := known[t]
			if !ok {
				for _, member := range m.Members(t) {
					sum += used(member.Type)
				}
				known[t] = sum
			}
			return sum
		}
		return uint64(m.Size(t))
	}
	return used(t)
}

// countSuffix matches what IR text has behind the number of an array's elements.
var countSuffix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(\d+)u>`) })

// shownType returns a type as one would write it in WGSL.
func shownType(m *ir.Module, t ir.Type) string {
	return countSuffix().ReplaceAllString(m.TypeString(t), "$1>")
}

// rowBytes is how many bytes a row of a drawing has, the most that anything is aligned to.
const rowBytes = 16

// draw shows structures.
func draw(w io.Writer, m *ir.Module, list []*structure) {
	for n, r := range list {
		if n > 0 {
			fmt.Fprintln(w)
		}
		waste := r.size
		for k := range r.fields {
			if f := &r.fields[k]; f.size > 0 {
				waste -= uint32(usedBytes(m, f.t))
			}
		}
		fmt.Fprintf(w, "%s: %s, aligned to %d", r.name, r.extent(), r.align)
		if waste > 0 {
			fmt.Fprintf(w, ", %s of them unused", bytesText(waste))
		}
		fmt.Fprint(w, "\n\n")
		table(w, m, r)
		if r.size > 0 {
			fmt.Fprintln(w)
			picture(w, r)
		}
		if order, size := better(m, r); size < r.size {
			fmt.Fprintf(w, "\nIn this order it has %s: %s\n", bytesText(size), strings.Join(order, ", "))
		}
	}
}

// extent says how much memory a structure has.
func (r *structure) extent() string {
	switch hasArray := r.fields[len(r.fields)-1].size == 0; {
	case !hasArray:
		return bytesText(r.size)
	case r.size == 0:
		return "an array whose length the buffer decides"
	}
	return bytesText(r.size) + " and an array whose length the buffer decides"
}

// bytesText is a number of bytes with the unit.
func bytesText(n uint32) string { return diag.Plural(int(n), "byte") }

// table lists the members of a structure.
func table(w io.Writer, m *ir.Module, r *structure) {
	fmt.Fprintln(w, "  offset  size  member")
	for n := range r.fields {
		f := &r.fields[n]
		size := fmt.Sprint(f.size)
		if f.size == 0 {
			size = "…"
		}
		note := ""
		if k := m.KindOf(f.t); k == ir.ArrayType || k == ir.MatrixType {
			note = fmt.Sprintf(", one each %s", bytesText(m.Stride(f.t)))
			if u := usedBytes(m, m.Element(f.t)); u < uint64(m.Stride(f.t)) {
				note += fmt.Sprintf(", of which it uses %d", u)
			}
		}
		fmt.Fprintf(w, "  %6d  %4s  %s: %s%s\n", f.offset, size, f.name, shownType(m, f.t), note)
		if p := r.padding(n); p > 0 {
			fmt.Fprintf(w, "  %6d  %4d  ░\n", f.end(), p)
		}
	}
}

// picture draws a structure in rows of 16 bytes. Where a member fills more than three rows, those
// in the middle are left out.
func picture(w io.Writer, r *structure) {
	const width = 2 // characters for each byte
	type part struct {
		name     string
		from, to uint32
	}
	var parts []part
	for n := range r.fields {
		f := &r.fields[n]
		if f.size > 0 {
			parts = append(parts, part{f.name, f.offset, f.end()})
		}
		if p := r.padding(n); p > 0 {
			parts = append(parts, part{"", f.end(), f.end() + p})
		}
	}
	for row := uint32(0); row < r.size; row += rowBytes {
		var b strings.Builder
		fmt.Fprintf(&b, "  %6d │", row)
		inside := false // one part fills this row and its neighbours
		for _, p := range parts {
			from, to := max(p.from, row), min(p.to, row+rowBytes)
			if from >= to {
				continue
			}
			inside = p.from+rowBytes <= row && row+2*rowBytes <= p.to
			cells := int(to-from)*width - 1
			switch text := p.name; {
			case text == "":
				b.WriteString(strings.Repeat("░", cells))
			case from > p.from: // goes on
				b.WriteString(strings.Repeat("·", cells))
			default:
				if n := utf8.RuneCountInString(text); n > cells {
					text = string([]rune(text)[:max(cells-1, 0)]) + "…"
				}
				b.WriteString(text + strings.Repeat(" ", cells-utf8.RuneCountInString(text)))
			}
			b.WriteString("│")
		}
		if inside {
			fmt.Fprintln(w, "         ⋮")
			for _, p := range parts {
				if p.from < row && row < p.to {
					row = (p.to-1)/rowBytes*rowBytes - rowBytes
				}
			}
			continue
		}
		fmt.Fprintln(w, b.String())
	}
}

// better returns the order of the members in which a structure is smallest, by WGSL's rules, and
// its size then. Members that lie elsewhere than these rules say have attributes, and stay.
func better(m *ir.Module, r *structure) (order []string, size uint32) {
	members := make([]ir.Member, len(r.fields))
	for n, f := range r.fields {
		members[n] = ir.Member{Name: f.name, Type: f.t}
	}
	natural, align := m.LayoutStruct(members, nil, nil)
	asDeclared := natural == r.size && align == r.align
	for n, f := range r.fields {
		asDeclared = asDeclared && members[n].Offset == f.offset
	}
	if !asDeclared {
		return nil, r.size
	}
	dense, size := m.DenseOrder(members)
	for n := range dense {
		order = append(order, dense[n].Name)
	}
	return order, size
}
