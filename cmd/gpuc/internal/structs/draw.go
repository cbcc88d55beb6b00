package structs

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/ir"
)

// rowBytes is the number of bytes in a row of a drawing: the largest alignment.
const rowBytes = 16

// Draw writes structures as tables and drawings for people.
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

// extent describes the size of a structure.
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

// picture draws a structure in rows of 16 bytes. The inner rows of a large member are left out.
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
			case from > p.from: // continues
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

// layoutForm is a structure in the results of gpuc layout -json.
type layoutForm struct {
	Name    string       `json:"name"`
	Bytes   uint32       `json:"bytes"` // without a runtime-sized array
	Align   uint32       `json:"align"`
	Members []memberForm `json:"members"`
	// Better is an order of the members that needs fewer bytes, if there is one.
	Better      []string `json:"better,omitempty"`
	BetterBytes uint32   `json:"betterBytes,omitempty"`
}

type memberForm struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Offset  uint32 `json:"offset"`
	Bytes   uint32 `json:"bytes"`   // 0 for a runtime-sized array
	Padding uint32 `json:"padding"` // after it
}

// Results are the results of gpuc layout for -json.
type Results struct {
	Structures []layoutForm `json:"structures"`
}

// NewResults makes the results for some structures.
func NewResults(m *ir.Module, list []*Struct) (all Results) {
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
