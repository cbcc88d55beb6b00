package tiles

import (
	"fmt"
	"strings"
)

// Functions of elements, of one to three tiles. Further tiles may have one row or one column.

// elementFunction is the body of such a function in Go, and what it computes. Words in braces are
// the type that it computes in.
type elementFunction struct {
	text   string
	tiles  int
	floats bool // and not for integers
	of     func(s *state, row, col int, x, y, z float64) float64
}

var elementFunctions = [...]elementFunction{
	{"x + {}(row) - {}(col)", 1, false, func(_ *state, row, col int, x, _, _ float64) float64 { return x + float64(row) - float64(col) }},
	{"min(max(x, 1), 6)", 1, false, func(_ *state, _, _ int, x, _, _ float64) float64 { return min(max(x, 1), 6) }},
	{"x + {}(n)", 1, false, func(s *state, _, _ int, x, _, _ float64) float64 { return x + float64(s.n) }},
	{"x * 3", 1, false, func(_ *state, _, _ int, x, _, _ float64) float64 { return x * 3 }},
	{"x + y", 2, false, func(_ *state, _, _ int, x, y, _ float64) float64 { return x + y }},
	{"x - y", 2, false, func(_ *state, _, _ int, x, y, _ float64) float64 { return x - y }},
	{"max(x, y)", 2, false, func(_ *state, _, _ int, x, y, _ float64) float64 { return max(x, y) }},
	{"x*2 + y - z", 3, false, func(_ *state, _, _ int, x, y, z float64) float64 { return x*2 + y - z }},
	{"min(x, y) + max(y, z)", 3, false, func(_ *state, _, _ int, x, y, z float64) float64 { return min(x, y) + max(y, z) }},
}

// mapped writes a function of elements.
func (w *maker) mapped() {
	f := &elementFunctions[w.r.IntN(len(elementFunctions))]
	first := w.some(w.anyKind())
	t := value{w.r.IntN(kindCount), first.rows, first.cols}
	if w.chance(2) {
		t.kind = first.kind
	}
	computed := kinds[first.kind].computed
	fits := func(kind int) bool { // Go converts exactly
		e := &kinds[kind]
		return e.computed == computed || computed == "float64" && e.computed == "float32"
	}
	for !fits(t.kind) {
		t.kind = w.r.IntN(kindCount)
	}
	list := []*tile{first}
	for len(list) < f.tiles {
		shape := value{w.r.IntN(kindCount), t.rows, t.cols}
		for !fits(shape.kind) {
			shape.kind = w.r.IntN(kindCount)
		}
		switch w.r.IntN(4) {
		case 0:
			shape.rows = 1
		case 1:
			shape.cols = 1
		}
		list = append(list, w.of(shape))
	}
	var names, types, widened []string
	for n, v := range list {
		e, x := &kinds[v.kind], string("xyz"[n])
		names = append(names, v.use())
		types = append(types, x+"_ "+e.goType)
		switch {
		case e.isSmall() && computed == "float32":
			widened = append(widened, x+" := "+x+"_.Float32()")
		case e.isSmall():
			widened = append(widened, x+" := "+computed+"("+x+"_.Float32())")
		default:
			widened = append(widened, x+" := "+computed+"("+x+"_)")
		}
	}
	to := &kinds[t.kind]
	made := strings.ReplaceAll(f.text, "{}", computed)
	switch {
	case to.isSmall() && computed != "float32":
		made = literal(t.kind, "float32("+made+")")
	default:
		made = literal(t.kind, made)
	}
	word := "MapTile"
	if f.tiles > 1 {
		word = fmt.Sprintf("MapTile%d", f.tiles)
	}
	inner := "\n" + w.indent + "\t"
	cleared := w.chance(5)
	if cleared {
		made = "if row > col {" + inner + "\treturn " + literal(t.kind, "0") + inner + "}" + inner + "return " + made
	} else {
		made = "return " + made
	}
	text := fmt.Sprintf("gpu.%s[%s](it, %s, func(row, col int, %s) %s {", word, t.array(), strings.Join(names, ", "), strings.Join(types, ", "), to.goType) +
		inner + strings.Join(widened, inner) + inner + made + "\n" + w.indent + "})"
	w.define(t, text, func(s *state) elements {
		m := make(elements, t.rows*t.cols)
		for n := range m {
			row, col := n/t.cols, n%t.cols
			if cleared && row > col {
				continue
			}
			var x [3]float64
			for i, v := range list {
				x[i] = s.tiles[v.name][row%v.rows*v.cols+col%v.cols]
			}
			y := f.of(s, row, col, x[0], x[1], x[2])
			switch {
			case computed == "int32":
				y = kinds[i32].wrap(y)
			case computed == "uint32":
				y = kinds[u32].wrap(y)
			case y == 0:
				y = 0
			}
			m[n] = y
		}
		return m
	})
}
