package expr

import (
	"fmt"
	"slices"
)

// This file computes what a kernel consists of: values over the points of an iteration space, which
// are loads of stored tensors, operations, and reductions. Views become the strides of loads.

// axis is an axis of a kernel's iteration space. It is divided into one or several dimensions, so
// that views can be expressed that divide it.
type axis struct {
	size   int
	column bool  // reductions run along it
	index  index // in terms of the dimensions
}

// index is an affine function of the dimensions: offset plus the sum of coefficients times indices.
// Coefficients that are missing are 0.
type index struct {
	offset       int
	coefficients []int
}

func (x index) at(dimension int) int {
	if dimension < len(x.coefficients) {
		return x.coefficients[dimension]
	}
	return 0
}

// plus returns x + factor·y.
func (x index) plus(y index, factor int) index {
	sum := index{x.offset + factor*y.offset, make([]int, max(len(x.coefficients), len(y.coefficients)))}
	for d := range sum.coefficients {
		sum.coefficients[d] = x.at(d) + factor*y.at(d)
	}
	return sum
}

func (x index) equals(y index) bool {
	for d := range max(len(x.coefficients), len(y.coefficients)) {
		if x.at(d) != y.at(d) {
			return false
		}
	}
	return x.offset == y.offset
}

// value is a value of a kernel. Those that it uses come before it.
type value struct {
	op      op // opData for a load
	element Type
	args    []int
	node    int
	slot    int   // of a load
	at      index // of a load, in elements of the slot
	varies  bool  // along columns
	depth   int   // how many reductions it waits for, one after the other
	live    bool  // the result depends on it
}

// builder builds a kernel.
type builder struct {
	p       *planner
	id      int // as in planner.owners
	axes    []axis
	sizes   []int  // of the dimensions
	columns []bool // whether a dimension is of a column axis
	values  []value
	known   map[string]int
	inputs  []int // slots that are read
	// reduces says that the kernel has reductions, rows that its result has one element for each
	// row, and inner that a workgroup has a row, whose elements are consecutive.
	reduces, rows, inner bool
	chunks               piece    // of a kernel for chunks
	product              int      // the value of a matrix product, or -1
	matrix               [3]index // of the product: its rows, columns, and what it adds along
}

func newBuilder(p *planner, id int) *builder {
	return &builder{p: p, id: id, known: map[string]int{}, product: -1}
}

// newAxis adds an axis and returns its index.
func (b *builder) newAxis(size int, column bool) index {
	if size == 1 {
		return index{}
	}
	key := [2]int{b.id, len(b.axes)}
	factors := b.p.factors[key]
	if count(factors) != size { // there are none, or they were those of another axis
		delete(b.p.factors, key)
		factors = []int{size}
	}
	x := index{coefficients: make([]int, len(b.sizes)+len(factors))}
	stride := size
	for _, f := range factors {
		stride /= f
		x.coefficients[len(b.sizes)] = stride
		b.sizes = append(b.sizes, f)
		b.columns = append(b.columns, column)
	}
	b.axes = append(b.axes, axis{size, column, x})
	return x
}

// access adds axes for a shape and returns their indices.
func (b *builder) access(shape []int) []index {
	list := make([]index, len(shape))
	for d, size := range shape {
		list[d] = b.newAxis(size, false)
	}
	return list
}

// axisOf returns the axis that an index runs along, or -1.
func (b *builder) axisOf(x index) int {
	return slices.IndexFunc(b.axes, func(a axis) bool { return a.index.equals(x) })
}

// add adds a value and returns its number.
func (b *builder) add(v value) int {
	b.values = append(b.values, v)
	return len(b.values) - 1
}

// linear returns the index of an element among those of a shape, row by row.
func linear(shape []int, at []index) (x index) {
	stride := 1
	for d := len(shape) - 1; d >= 0; d-- {
		x = x.plus(at[d], stride)
		stride *= shape[d]
	}
	return x
}

// load adds the load of a slot with a shape.
func (b *builder) load(s int, shape []int, at []index) int {
	x := linear(shape, at)
	key := fmt.Sprint("load", s, x.offset, trimmed(x.coefficients))
	if v, ok := b.known[key]; ok {
		return v
	}
	if !slices.Contains(b.inputs, s) {
		b.inputs = append(b.inputs, s)
	}
	b.known[key] = b.add(value{element: b.p.slots[s].element, slot: s, at: x})
	return b.known[key]
}

// trimmed returns coefficients without zeros at the end.
func trimmed(list []int) []int {
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}

// root builds the value of tensor n, which the kernel stores, although it is stored.
func (b *builder) root(n int, at []index) int {
	v := b.compute(n, at)
	b.limit(n)
	return v
}

// value builds the value of tensor n at the given indices of its axes.
func (b *builder) value(n int, at []index) int {
	if b.p.again {
		return b.nothing()
	}
	t := b.p.nodes[n]
	if b.p.stored[n] {
		return b.load(n, t.shape, at)
	}
	key := fmt.Sprint(n)
	for _, x := range at {
		key += fmt.Sprint(",", x.offset, trimmed(x.coefficients))
	}
	if v, ok := b.known[key]; ok {
		return v
	}
	b.known[key] = b.compute(n, at)
	return b.known[key]
}

// nothing is a value for what is built again.
func (b *builder) nothing() int { return b.add(value{op: opScalar}) }

func (b *builder) compute(n int, at []index) int {
	t := b.p.nodes[n]
	switch t.op {
	case opScalar:
		return b.add(value{op: opScalar, element: t.element, node: n})
	case opReshape:
		return b.reshape(n, at)
	case opPermute:
		x := make([]index, len(at))
		for d, from := range t.axes {
			x[from] = at[d]
		}
		return b.value(t.operands[0].number, x)
	case opSlice:
		x := make([]index, len(at))
		for d, first := range t.axes {
			x[d] = at[d].plus(index{offset: first}, 1)
		}
		return b.value(t.operands[0].number, x)
	case opBroadcast:
		return b.operand(t, 0, at)
	case opMatMul:
		return b.matmul(n, at)
	case opSum, opMax, opMin:
		return b.reduce(n, at)
	}
	v := value{op: t.op, element: t.element, node: n}
	for k := range b.p.operands(n) {
		v.args = append(v.args, b.operand(t, k, at))
	}
	b.limit(n)
	if b.p.again {
		return b.nothing()
	}
	return b.add(v)
}

// operand builds the value of an operand, which is broadcast to the shape of t.
func (b *builder) operand(t *Tensor, k int, at []index) int {
	x := t.operands[k]
	from := make([]index, len(x.shape))
	for d := range x.shape {
		if x.shape[d] > 1 {
			from[d] = at[d+len(at)-len(x.shape)]
		}
	}
	return b.value(x.number, from)
}

// limit has an operand of tensor n stored if the kernel reads or computes too much.
func (b *builder) limit(n int) {
	if len(b.inputs) <= maxInputs && len(b.values) <= maxValues || b.p.again {
		return
	}
	what := fmt.Sprintf("a kernel reads at most %d tensors", maxInputs)
	if len(b.inputs) <= maxInputs {
		what = fmt.Sprintf("a kernel has at most %d values", maxValues)
	}
	best, most := -1, 0
	for _, x := range b.p.operands(n) {
		k := b.p.base(x.number)
		if b.p.stored[k] || b.p.nodes[k].op == opScalar {
			continue
		}
		if size := b.p.size(k, map[int]bool{}); size > most {
			best, most = k, size
		}
	}
	if best >= 0 {
		b.p.store(best, "%s", what)
	}
}

// size counts the tensors that one is computed of, up to those that are stored.
func (p *planner) size(n int, seen map[int]bool) int {
	if seen[n] {
		return 0
	}
	seen[n] = true
	sum := 1
	if !p.stored[n] {
		for _, x := range p.operands(n) {
			sum += p.size(x.number, seen)
		}
	}
	return sum
}

// reshape builds the value of a reshaped tensor. Its axes and those of the operand are in groups
// with the same number of elements.
func (b *builder) reshape(n int, at []index) int {
	t := b.p.nodes[n]
	x := t.operands[0]
	if b.p.stored[x.number] {
		return b.load(x.number, t.shape, at)
	}
	from := make([]index, len(x.shape))
	i, j := 0, 0
	for i < len(t.shape) || j < len(x.shape) {
		firstI, firstJ, sizeI, sizeJ := i, j, 1, 1
		for first := true; first || sizeI != sizeJ; first = false {
			if sizeI <= sizeJ && i < len(t.shape) {
				sizeI *= t.shape[i]
				i++
			} else {
				sizeJ *= x.shape[j]
				j++
			}
		}
		if !b.group(t.shape[firstI:i], at[firstI:i], x.shape[firstJ:j], from[firstJ:j]) {
			b.p.store(x.number, "the strides of %s are none of the shape %s", shapeText(x.shape), shapeText(t.shape))
			return b.nothing()
		}
		if b.p.again {
			return b.nothing()
		}
	}
	return b.value(x.number, from)
}

// group computes the indices of axes of a reshaped tensor from those of its result.
func (b *builder) group(shape []int, at []index, operand []int, from []index) bool {
	var to []int // axes of the operand
	for d, size := range operand {
		if size > 1 {
			to = append(to, d)
		}
	}
	var sizes []int
	var list []index
	for d, size := range shape {
		if size > 1 {
			sizes, list = append(sizes, size), append(list, at[d])
		}
	}
	switch {
	case len(to) == 0:
		return true
	case len(to) == 1:
		stride := 1
		for d := len(list) - 1; d >= 0; d-- {
			from[to[0]] = from[to[0]].plus(list[d], stride)
			stride *= sizes[d]
		}
		return true
	case len(list) > 1:
		return false
	}
	// one axis of the result is several of the operand: divide the axis of the kernel
	a := b.axisOf(list[0])
	if a < 0 {
		return b.parts(list[0], operand, to, from)
	}
	want := make([]int, len(to))
	for k, d := range to {
		want[k] = operand[d]
	}
	if b.parts(list[0], operand, to, from) {
		return true
	}
	key := [2]int{b.id, a}
	if b.p.factors[key] != nil {
		return false // it is divided otherwise
	}
	b.p.factors[key] = want
	b.p.again = true
	return true
}

// parts computes the indices of several axes from an index whose dimensions are those axes or parts
// of them.
func (b *builder) parts(x index, operand, to []int, from []index) bool {
	if x.offset != 0 {
		return false
	}
	stride := 1
	strides := make([]int, len(to))
	for k := len(to) - 1; k >= 0; k-- {
		strides[k] = stride
		stride *= operand[to[k]]
	}
	for k, d := range to {
		from[d] = index{coefficients: make([]int, len(x.coefficients))}
		covered := 0 // the largest index
		for dim := range x.coefficients {
			c := x.at(dim)
			if c >= strides[k] && c < strides[k]*operand[d] {
				if c%strides[k] != 0 {
					return false
				}
				from[d].coefficients[dim] = c / strides[k]
				covered += c / strides[k] * (b.sizes[dim] - 1)
			}
		}
		if covered >= operand[d] {
			return false
		}
	}
	return true
}
