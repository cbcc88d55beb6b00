package structs

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir"
)

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

func LayoutResults(m *ir.Module, list []*Struct) (all layouts) {
	for _, r := range list {
		form := layoutForm{Name: r.Name, Bytes: r.Size, Align: r.align}
		for n := range r.Fields {
			f := &r.Fields[n]
			form.Members = append(form.Members, memberForm{f.Name, TypeString(m, f.T), f.Offset, f.Size, r.Padding(n)})
		}
		if order, size := DenseOrder(m, r); size < r.Size {
			form.Better, form.BetterBytes = order, size
		}
		all.Structures = append(all.Structures, form)
	}
	return all
}

// Struct is a structure.
type Struct struct {
	T           ir.Type
	Name        string
	Size, align uint32
	Fields      []field
}

// field is a member of a structure. Its size is 0 if the buffer decides how many elements it has.
type field struct {
	Name         string
	T            ir.Type
	Offset, Size uint32
}

func (f *field) End() uint32 { return f.Offset + f.Size }

// Padding is how many bytes lie between the n-th member and the next, or the end.
func (r *Struct) Padding(n int) uint32 {
	next := r.Size
	if n+1 < len(r.Fields) {
		next = r.Fields[n+1].Offset
	}
	if f := &r.Fields[n]; f.Size > 0 && next > f.End() {
		return next - f.End()
	}
	return 0
}

func structureOf(m *ir.Module, t ir.Type) *Struct {
	r := &Struct{T: t, Name: m.StructName(t), Size: m.Size(t), align: m.Align(t)}
	for _, member := range m.Members(t) {
		f := field{member.Name, member.Type, member.Offset, m.Size(member.Type)}
		if m.IsRuntimeArray(f.T) {
			f.Size = 0
			r.Size = f.Offset
		}
		r.Fields = append(r.Fields, f)
	}
	return r
}

// Find returns the structures with these names, or those in memory that a host fills; those
// within others come first.
func Find(m *ir.Module, names []string) (list []*Struct, err error) {
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
			if near := usage.Nearest(name, known); near != "" {
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

// UsedBytes is how many bytes of a type are not padding.
func UsedBytes(m *ir.Module, t ir.Type) uint64 {
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

// TypeString returns a type as one would write it in WGSL.
func TypeString(m *ir.Module, t ir.Type) string {
	return countSuffix().ReplaceAllString(m.TypeString(t), "$1>")
}

// rowBytes is how many bytes a row of a drawing has, the most that anything is aligned to.
const rowBytes = 16

// Draw shows structures.
func Draw(w io.Writer, m *ir.Module, list []*Struct) {
	for n, r := range list {
		if n > 0 {
			fmt.Fprintln(w)
		}
		waste := r.Size
		for k := range r.Fields {
			if f := &r.Fields[k]; f.Size > 0 {
				waste -= uint32(UsedBytes(m, f.T))
			}
		}
		fmt.Fprintf(w, "%s: %s, aligned to %d", r.Name, r.extent(), r.align)
		if waste > 0 {
			fmt.Fprintf(w, ", %s of them unused", textfmt.Bytes(waste))
		}
		fmt.Fprint(w, "\n\n")
		table(w, m, r)
		if r.Size > 0 {
			fmt.Fprintln(w)
			picture(w, r)
		}
		if order, size := DenseOrder(m, r); size < r.Size {
			fmt.Fprintf(w, "\nIn this order it has %s: %s\n", textfmt.Bytes(size), strings.Join(order, ", "))
		}
	}
}

// extent says how much memory a structure has.
func (r *Struct) extent() string {
	switch hasArray := r.Fields[len(r.Fields)-1].Size == 0; {
	case !hasArray:
		return textfmt.Bytes(r.Size)
	case r.Size == 0:
		return "an array whose length the buffer decides"
	}
	return textfmt.Bytes(r.Size) + " and an array whose length the buffer decides"
}

// table lists the members of a structure.
func table(w io.Writer, m *ir.Module, r *Struct) {
	fmt.Fprintln(w, "  offset  size  member")
	for n := range r.Fields {
		f := &r.Fields[n]
		size := fmt.Sprint(f.Size)
		if f.Size == 0 {
			size = "…"
		}
		note := ""
		if k := m.KindOf(f.T); k == ir.ArrayType || k == ir.MatrixType {
			note = fmt.Sprintf(", one each %s", textfmt.Bytes(m.Stride(f.T)))
			if u := UsedBytes(m, m.Element(f.T)); u < uint64(m.Stride(f.T)) {
				note += fmt.Sprintf(", of which it uses %d", u)
			}
		}
		fmt.Fprintf(w, "  %6d  %4s  %s: %s%s\n", f.Offset, size, f.Name, TypeString(m, f.T), note)
		if p := r.Padding(n); p > 0 {
			fmt.Fprintf(w, "  %6d  %4d  ░\n", f.End(), p)
		}
	}
}

// picture draws a structure in rows of 16 bytes. Where a member fills more than three rows, those
// in the middle are left out.
func picture(w io.Writer, r *Struct) {
	const width = 2 // characters for each byte
	type part struct {
		name     string
		from, to uint32
	}
	var parts []part
	for n := range r.Fields {
		f := &r.Fields[n]
		if f.Size > 0 {
			parts = append(parts, part{f.Name, f.Offset, f.End()})
		}
		if p := r.Padding(n); p > 0 {
			parts = append(parts, part{"", f.End(), f.End() + p})
		}
	}
	for row := uint32(0); row < r.Size; row += rowBytes {
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

// DenseOrder returns the order of the members in which a structure is smallest, by WGSL's rules, and
// its size then. Members that lie elsewhere than these rules say have attributes, and stay.
func DenseOrder(m *ir.Module, r *Struct) (order []string, size uint32) {
	members := make([]ir.Member, len(r.Fields))
	for n, f := range r.Fields {
		members[n] = ir.Member{Name: f.Name, Type: f.T}
	}
	natural, align := m.LayoutStruct(members, nil, nil)
	asDeclared := natural == r.Size && align == r.align
	for n, f := range r.Fields {
		asDeclared = asDeclared && members[n].Offset == f.Offset
	}
	if !asDeclared {
		return nil, r.Size
	}
	dense, size := m.DenseOrder(members)
	for n := range dense {
		order = append(order, dense[n].Name)
	}
	return order, size
}
