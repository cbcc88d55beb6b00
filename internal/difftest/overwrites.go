package difftest

// The family "overwrites": variables of an invocation that are indexed dynamically and whose parts
// are stored as constants, between loads. NVIDIA's Vulkan driver takes such a variable for a table
// if it believes that each place is stored once, and counted a vector and its component as two
// places.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// overwriter makes one program of the family.
type overwriter struct {
	r      *rand.Rand
	print  printer
	scalar *Type
	t      *Type    // the variable's
	held   []uint32 // its leaves, small whole numbers
	d      []uint32
	body   strings.Builder
	o      []uint32
}

func overwrites(seed uint64) *Case {
	w := &overwriter{r: rand.New(rand.NewPCG(seed, 0x0e))}
	w.print = printer{p: &Program{}, aliases: map[*Type]string{}}
	w.scalar = []*Type{u32Type, i32Type, f32Type}[w.r.IntN(3)]
	w.t = arrayOf(w.element(2), 2+w.r.IntN(4))
	w.held = make([]uint32, w.t.leaves())
	for range 4 {
		w.d = append(w.d, uint32(w.r.IntN(w.t.Count)))
	}
	init := ""
	if w.r.IntN(2) == 0 {
		init = " = " + w.constant(w.t, w.held)
	}
	typed := w.print.typeText(w.t, 0)
	for e := w.t; e.Elem != nil; e = e.Elem {
		if e.Elem.Kind == Struct {
			w.print.structure(e.Elem)
		}
	}
	declarations := w.print.b.String()
	if w.r.IntN(2) == 0 {
		declarations += "var<private> a: " + typed + init + ";\n"
	} else {
		fmt.Fprintf(&w.body, "  var a: %s%s;\n", typed, init)
	}
	for range 3 + w.r.IntN(8) {
		w.step("  ")
	}
	w.load("  ", true) // else nothing keeps the variable in memory
	w.load("  ", false)
	return small("overwrites", seed, declarations, w.body.String(), w.d, w.o)
}

// element makes the type of an element.
func (w *overwriter) element(depth int) *Type {
	vector := vectorOf(w.scalar, 2+w.r.IntN(3))
	switch w.r.IntN(8) {
	case 0:
		return w.scalar
	case 1:
		if w.scalar == f32Type {
			return matrixOf(f32Type, 2+w.r.IntN(3), 2+w.r.IntN(3))
		}
	case 2:
		return &Type{Kind: Struct, Name: "S", Members: []Member{{Name: "m", Type: w.scalar}, {Name: "n", Type: vector}}}
	case 3:
		if depth > 0 {
			return arrayOf(w.element(0), 2)
		}
	}
	return vector
}

// constant writes a value of the type and puts its leaves into to.
func (w *overwriter) constant(t *Type, to []uint32) string {
	if t.isScalar() {
		to[0] = uint32(w.r.IntN(100))
		return fmt.Sprintf("%s(%d)", w.print.typeText(t, 0), to[0])
	}
	parts := []string{}
	for n, at := 0, 0; at < len(to); n++ {
		part := t.Elem
		if t.Kind == Struct {
			part = t.Members[n].Type
		}
		parts = append(parts, w.constant(part, to[at:at+part.leaves()]))
		at += part.leaves()
	}
	return w.print.typeText(t, 0) + "(" + strings.Join(parts, ", ") + ")"
}

// place goes into the variable, to a scalar if whole is false, and returns its text, type and first
// leaf. The index of the element is loaded if it is dynamic.
func (w *overwriter) place(dynamic, whole bool) (text string, t *Type, leaf int) {
	n := w.r.IntN(w.t.Count)
	text = fmt.Sprintf("a[%d]", n)
	if dynamic {
		k := w.r.IntN(len(w.d))
		n = int(w.d[k])
		text = fmt.Sprintf("a[d[%d]]", k)
	}
	t, leaf = w.t.Elem, n*w.t.Elem.leaves()
	for !t.isScalar() && !(whole && w.r.IntN(2) == 0) {
		switch t.Kind {
		case Struct:
			k := w.r.IntN(len(t.Members))
			leaf += t.leafAt(k)
			text, t = text+"."+t.Members[k].Name, t.Members[k].Type
		case Vector:
			k := w.r.IntN(t.Count)
			leaf += k
			text, t = text+"."+"xyzw"[k:][:1], t.Elem
		default:
			k := w.r.IntN(t.Count)
			leaf += k * t.Elem.leaves()
			text, t = fmt.Sprintf("%s[%d]", text, k), t.Elem
		}
	}
	return text, t, leaf
}

func (w *overwriter) load(indent string, dynamic bool) {
	text, _, leaf := w.place(dynamic, false)
	fmt.Fprintf(&w.body, "%so[%d] = u32(%s);\n", indent, len(w.o), text)
	w.o = append(w.o, w.held[leaf])
}

func (w *overwriter) store(indent string, dynamic, runs bool) {
	text, t, leaf := w.place(dynamic, true)
	values := make([]uint32, t.leaves())
	fmt.Fprintf(&w.body, "%s%s = %s;\n", indent, text, w.constant(t, values))
	if runs {
		copy(w.held[leaf:], values)
	}
}

func (w *overwriter) step(indent string) {
	switch k := w.r.IntN(16); {
	case k < 5:
		w.store(indent, false, true)
	case k < 8:
		w.load(indent, false)
	case k < 13:
		w.load(indent, true)
	case k == 13 && w.r.IntN(3) == 0:
		w.store(indent, true, true)
	case k == 14:
		runs := w.r.IntN(3) > 0
		order := map[bool]string{true: "==", false: "!="}[runs]
		fmt.Fprintf(&w.body, "%sif (d[0] %s %du) {\n", indent, order, w.d[0])
		w.store(indent+"  ", false, runs)
		fmt.Fprintf(&w.body, "%s}\n", indent)
	case k == 15:
		fmt.Fprintf(&w.body, "%sa = %s;\n", indent, w.constant(w.t, w.held))
	}
}
