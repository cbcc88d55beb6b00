package gpu

import (
	"fmt"
	"iter"
	"reflect"
	"runtime"
)

// This file has the items of a workgroup meet at operations on tiles. They wait for each other as
// at a barrier, each does its share of the work, and they wait again. What one item makes for all
// is made before the first wait, so that its fence orders it. What they look at before that is not
// for the race detector to see.

// tileCall is what an item gives to an operation.
type tileCall struct {
	name     string
	matrix   any // a matrixView or a windowsView
	row, col int
	value    any
	operands [3]*elements  // nil for zeros
	shapes   [3]*tileShape // of the operands
	result   *tileShape    // nil if there is none
	product  *product      // of MulAdd
}

// matrixView is a Matrix of any type; views of the same elements are equal.
type matrixView struct {
	first                                            any // a pointer to the first element
	length, offset, rows, cols, rowStride, colStride int
}

func viewOf[T any](m Matrix[T]) matrixView {
	v := matrixView{nil, len(m.data), m.offset, m.rows, m.cols, m.rowStride, m.colStride}
	if len(m.data) > 0 {
		v.first = &m.data[0]
	}
	return v
}

// windowsView is a Windows of any type; views of the same elements are equal.
type windowsView struct {
	first      any // a pointer to the first element
	length     int
	layout     TensorLayout
	window     Window
	outH, outW int
}

func windowsViewOf[T any](m Windows[T]) windowsView {
	v := windowsView{nil, len(m.of.data), m.of.Layout(), m.window, m.outH, m.outW}
	if len(m.of.data) > 0 {
		v.first = &m.of.data[0]
	}
	return v
}

// tileArguments are the arguments that all items give alike. Those whose values say nothing are not
// shown.
var tileArguments = []struct {
	name  string
	of    func(*tileCall) any
	shown bool
}{
	{"types", func(c *tileCall) any { return [...]*tileShape{c.result, c.shapes[0], c.shapes[1], c.shapes[2]} }, false},
	{"matrices", func(c *tileCall) any { return c.matrix }, false},
	{"rows", func(c *tileCall) any { return c.row }, true},
	{"columns", func(c *tileCall) any { return c.col }, true},
	{"values", func(c *tileCall) any { return c.value }, true},
	{"tiles", func(c *tileCall) any { return c.operands }, false},
}

// tileWork is an operation of a workgroup.
type tileWork struct {
	call     tileCall // of the item that came first
	first    int
	location location
	// operands are those of the call, with zeros where it has none.
	operands [3]*elements
	result   *elements
	// cols is how many columns the result has, or the operand if there is no result. size is how
	// many elements.
	cols, size int
}

// elements are those of a tile, by rows.
type elements struct {
	values any // a slice
	// factors are the values in the type that products are computed in; nil until a product needs
	// them.
	factors any
}

// begin has an item come to an operation, and waits for the others. It is called by what a kernel
// calls.
func begin(it Item, call *tileCall) *tileWork {
	g := it.in()
	if g.subgroups == nil {
		panic(fmt.Sprintf("gpu: %s in a kernel that Each runs; EachGroup runs kernels with operations on tiles", call.name))
	}
	var pc [1]uintptr
	runtime.Callers(kernelDepth, pc[:])
	w := g.enter(it.number, location(pc[0]), call)
	g.wait(it.number, location(pc[0]))
	return w
}

// end waits until all items have done their share.
func (w *tileWork) end(it Item) { it.group.wait(it.number, w.location) }

// enter returns the work that the items at a location share. One that is elsewhere gets the work of
// another location; as it waits, the divergence is found.
//
//go:norace
func (g *group) enter(item int, at location, call *tileCall) *tileWork {
	if g.entered == 0 {
		g.work = newTileWork(item, at, call)
	}
	w := g.work
	if w.location != at {
		return w
	}
	if w.call != *call {
		g.compare(w, item, call)
	}
	if g.entered++; g.entered == g.launch.items() {
		g.entered = 0
	}
	return w
}

// newTileWork makes what the items share.
//
//go:norace
func newTileWork(first int, at location, call *tileCall) *tileWork {
	w := &tileWork{call: *call, first: first, location: at, operands: call.operands}
	for n, s := range call.shapes {
		if s != nil && w.operands[n] == nil {
			w.operands[n] = s.zeros()
		}
	}
	over := call.shapes[0]
	if call.result != nil {
		over = call.result
		w.result = over.zeros()
	}
	w.cols, w.size = over.cols, over.rows*over.cols
	if call.product != nil {
		for n := range 2 {
			if x := w.operands[n]; x.factors == nil {
				s := call.shapes[n]
				x.factors = call.product.widened(s.element, x.values, s.rows*s.cols)
			}
		}
	}
	return w
}

// compare panics if the arguments of an item differ from those of the first one. NaN is the same as
// NaN.
func (g *group) compare(w *tileWork, item int, call *tileCall) {
	for _, argument := range tileArguments {
		x, y := argument.of(&w.call), argument.of(call)
		if x == y || x != x && y != y {
			continue
		}
		problem := fmt.Sprintf("gpu: %s: items %v and %v of workgroup %v give it different %s",
			call.name, g.launch.local(w.first), g.launch.local(item), g.at, argument.name)
		if argument.shown {
			problem += fmt.Sprintf(", %v and %v", x, y)
		}
		panic(problem)
	}
}

// share returns the numbers of the elements that are an item's.
func (w *tileWork) share(it Item) iter.Seq[int] {
	items := it.group.launch.items()
	return func(yield func(int) bool) {
		for i := it.number; i < w.size && yield(i); i += items {
		}
	}
}

// position returns the row and the column of an element.
func (w *tileWork) position(i int) (row, col int) { return i / w.cols, i % w.cols }

// reduce makes an item's share of the numbers that rows or columns become.
func (w *tileWork) reduce(it Item, fold folding) {
	from := w.call.shapes[0]
	alongRows := w.cols == 1 && w.size == from.rows
	for i := range w.share(it) {
		if alongRows {
			fold(w.result.values, i, w.operands[0].values, i*from.cols, 1, from.cols)
		} else {
			fold(w.result.values, i, w.operands[0].values, i, from.cols, from.rows)
		}
	}
}

// tileShape is what a type of tiles says.
type tileShape struct {
	of         reflect.Type // the array
	rows, cols int
	element    *element
}

// String returns the type: Tile[[64][32]float32].
func (s *tileShape) String() string { return fmt.Sprintf("Tile[%v]", s.of) }

// zeros returns the elements of a tile of zeros.
func (s *tileShape) zeros() *elements { return &elements{values: s.element.zeros(s.rows * s.cols)} }

// checkShapes panics unless a condition of the shapes of the result and an operand holds.
func (c *tileCall) checkShapes(holds bool, operand *tileShape, condition string) {
	if !holds {
		panic(fmt.Sprintf("gpu: %s: %v from %v: %s", c.name, c.result, operand, condition))
	}
}

// tileShape returns the shape of tiles with an array type. A launch keeps those that it has seen. A
// lock would order the items.
//
//go:norace
func (l *launch) tileShape(of reflect.Type) *tileShape {
	for _, s := range l.shapes {
		if s.of == of {
			return s
		}
	}
	s := newTileShape(of)
	l.shapes = append(l.shapes, s)
	return s
}

// newTileShape panics if tiles have no such array type.
//
//go:norace
func newTileShape(of reflect.Type) *tileShape {
	if of.Kind() != reflect.Array || of.Elem().Kind() != reflect.Array || of.Len() == 0 || of.Elem().Len() == 0 {
		panic(fmt.Sprintf("gpu: Tile[%v]: a tile's type is an array of rows, as in Tile[[64][32]float32]", of))
	}
	return &tileShape{of, of.Len(), of.Elem().Len(), tileElementOf(of)}
}
