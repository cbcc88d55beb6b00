package difftest

import (
	"fmt"
	"strings"
)

// aggregates makes a private variable, an array of scalars, vectors, matrices, structs or arrays,
// that is initialised, stored in parts as constants, overwritten as a whole, and indexed
// dynamically. Compilers forward such stores to loads and drop stores that others overwrite.
func aggregates(d *draft) {
	scalar := pick(d.r, []string{"u32", "i32", "f32"})
	w := &aggregateWriter{draft: d, scalar: scalar, count: 2 + d.r.IntN(4)}
	w.element = w.elementType(2)
	d.module.WriteString(w.structure)
	d.buffers(32, []uint32{uint32(d.r.IntN(w.count)), uint32(d.r.IntN(w.count)), uint32(d.r.IntN(w.count))})
	typed := fmt.Sprintf("array<%s, %d>", w.element, w.count)
	init := ""
	if d.chance(2) {
		init = " = " + w.constant(typed)
	}
	if d.chance(2) {
		fmt.Fprintf(&d.module, "var<private> a: %s%s;\n", typed, init)
	} else {
		d.line("var a: %s%s;", typed, init)
	}
	for range 3 + d.r.IntN(8) {
		switch k := d.r.IntN(16); {
		case k < 5:
			w.store(false)
		case k < 8:
			w.load(false)
		case k < 13:
			w.load(true)
		case k == 13:
			w.store(true)
		case k == 14:
			d.line("if d[0] %s %du {", pick(d.r, []string{"==", "!="}), d.r.IntN(w.count))
			w.store(false)
			d.line("}")
		default:
			d.line("a = %s;", w.constant(typed))
		}
	}
	w.load(true) // else nothing keeps the variable in memory
	w.load(false)
}

type aggregateWriter struct {
	*draft
	scalar, element string
	structure       string
	count, stored   int
}

func (w *aggregateWriter) elementType(depth int) string {
	vector := fmt.Sprintf("vec%d<%s>", 2+w.r.IntN(3), w.scalar)
	switch w.r.IntN(8) {
	case 0:
		return w.scalar
	case 1:
		if w.scalar == "f32" {
			return fmt.Sprintf("mat%dx%d<f32>", 2+w.r.IntN(3), 2+w.r.IntN(3))
		}
	case 2:
		if w.structure == "" {
			w.structure = fmt.Sprintf("struct S { m: %s, n: %s }\n", w.scalar, vector)
		}
		return "S"
	case 3:
		if depth > 0 {
			return fmt.Sprintf("array<%s, 2>", w.elementType(0))
		}
	}
	return vector
}

// parts are the accesses to the parts of a type, with the type that they have in common or each its
// own.
func (w *aggregateWriter) parts(t string) (paths, types []string) {
	add := func(path, t string) { paths, types = append(paths, path), append(types, t) }
	switch {
	case t == "S":
		_, vector, _ := strings.Cut(w.structure, "n: ")
		add(".m", w.scalar)
		add(".n", strings.TrimSuffix(vector, " }\n"))
	case strings.HasPrefix(t, "array<"):
		comma := strings.LastIndex(t, ",")
		for n := range int(t[comma+2] - '0') {
			add(fmt.Sprintf("[%d]", n), t[len("array<"):comma])
		}
	case strings.HasPrefix(t, "mat"):
		for n := range int(t[3] - '0') {
			add(fmt.Sprintf("[%d]", n), "vec"+t[5:])
		}
	case strings.HasPrefix(t, "vec"):
		for n := range int(t[3] - '0') {
			add("."+"xyzw"[n:n+1], w.scalar)
		}
	}
	return paths, types
}

func (w *aggregateWriter) constant(t string) string {
	if t == w.scalar {
		return fmt.Sprintf("%s(%d)", t, w.r.IntN(100))
	}
	var list []string
	_, types := w.parts(t)
	for _, part := range types {
		list = append(list, w.constant(part))
	}
	return t + "(" + strings.Join(list, ", ") + ")"
}

// part chooses a part of the variable: a scalar, or now and then a larger one if that is allowed.
func (w *aggregateWriter) part(dynamic, larger bool) (text, t string) {
	text, t = fmt.Sprintf("a[%d]", w.r.IntN(w.count)), w.element
	if dynamic {
		text = fmt.Sprintf("a[d[%d]]", w.r.IntN(3))
	}
	for t != w.scalar && !(larger && w.chance(2)) {
		paths, types := w.parts(t)
		n := w.r.IntN(len(paths))
		text, t = text+paths[n], types[n]
	}
	return text, t
}

func (w *aggregateWriter) load(dynamic bool) {
	text, _ := w.part(dynamic, false)
	w.line("o[%d] = u32(%s);", w.stored, text)
	w.stored++
}

func (w *aggregateWriter) store(dynamic bool) {
	text, t := w.part(dynamic, true)
	w.line("%s = %s;", text, w.constant(t))
}
