package expr

import "slices"

// This file joins reductions and matrix products with what is before and behind them.

// maxHeld is how many elements of a row a workgroup holds, between the reductions of a kernel.
const maxHeld = 8192

// shortRow says that more elements than this, consecutive ones, are reduced by a workgroup.
const shortRow = 32

// axesOf returns the axes that are of columns, or of rows.
func (b *builder) axesOf(columns bool) (list []int) {
	for a := range b.axes {
		if b.axes[a].column == columns {
			list = append(list, a)
		}
	}
	return list
}

// reduce builds the value of reduction n. The first one of a kernel decides what its rows and
// columns are. Others have the same, or are computed by another kernel.
func (b *builder) reduce(n int, at []index) int {
	p := b.p
	t, x := p.nodes[n], p.nodes[n].operands[0]
	if b.product >= 0 {
		if made := b.values[b.product].node; p.depends(n, made, map[int]bool{}) {
			p.store(made, "a kernel with reductions has no product")
		} else {
			p.store(n, "a kernel with a product has no reductions")
		}
		return b.nothing()
	}
	if b.chunks.chunks > 0 && b.reduces {
		p.store(n, "a kernel with parts of rows has one reduction")
		return b.nothing()
	}
	var rows []int
	for d, size := range t.shape {
		if size == 1 {
			continue
		}
		a := b.axisOf(at[d])
		if a < 0 || slices.Contains(rows, a) || b.reduces && b.axes[a].column {
			p.store(n, "its elements are not used in their order")
			return b.nothing()
		}
		rows = append(rows, a)
	}
	var rest []int // the other axes
	for _, a := range b.axesOf(false) {
		if !slices.Contains(rows, a) {
			rest = append(rest, a)
		}
	}
	if b.reduces && len(rest) > 0 {
		p.store(n, "the kernel reduces other rows")
		return b.nothing()
	}
	d := &p.pieces[n]
	inner, last := false, 0
	for k, size := range x.shape {
		if size > 1 {
			last = k
		}
	}
	inner = slices.Contains(t.axes, last)
	whole := b.chunks.chunks > 0 // this is the kernel of its chunks
	alone := b.rows || !b.reduces && len(rest) == 0
	height, width := p.extents(n)
	if alone && !whole && d.chunks == 0 {
		if *d = chunksOf(height, width, inner && width > shortRow); d.chunks > 0 {
			p.again = true
			return b.nothing()
		}
	}
	finishes := d.chunks > 0 && !whole
	sizes := []int{d.chunks}
	var reduced []int
	if !finishes {
		sizes = sizes[:0]
		for _, a := range t.axes {
			if x.shape[a] > 1 {
				sizes, reduced = append(sizes, x.shape[a]), append(reduced, a)
			}
		}
	} else {
		inner = !d.columns
	}
	if !b.reduces {
		if why := b.columnsOf(rest, sizes, height, width, inner); why != "" {
			p.store(n, "%s", why)
			return b.nothing()
		}
	}
	var along []index
	fits := true
	for k, a := range b.axesOf(true) {
		fits = fits && k < len(sizes) && b.axes[a].size == sizes[k]
		along = append(along, b.axes[a].index)
	}
	if !fits || len(along) != len(sizes) {
		p.store(n, "the kernel reduces rows of another shape")
		return b.nothing()
	}
	v := value{op: t.op, element: t.element, node: n}
	if finishes {
		v.args = []int{b.load(d.slot, betweenShape(t.shape, d), betweenAt(at, along[0], d))}
		return b.add(v)
	}
	from := slices.Clone(at)
	for k, a := range reduced {
		from[a] = along[k]
	}
	v.args = []int{b.value(x.number, from)}
	return b.add(v)
}

// depends reports whether tensor n is computed of another one, without a stored tensor between.
func (p *planner) depends(n, on int, seen map[int]bool) bool {
	for _, x := range p.operands(n) {
		k := x.number
		if k == on {
			return true
		}
		if k < on || seen[k] || p.stored[k] {
			continue
		}
		seen[k] = true
		if p.depends(k, on, seen) {
			return true
		}
	}
	return false
}

// columnsOf decides the kernel's columns, for its first reduction: the rest of its axes, or new
// ones if its result has only rows. It returns why not, or "".
func (b *builder) columnsOf(rest, sizes []int, height, width int, inner bool) string {
	switch {
	case len(rest) == 0:
		b.rows = true
		for _, size := range sizes {
			b.newAxis(size, true)
		}
	case len(rest) != len(sizes):
		return "its result is used for elements of another shape"
	default:
		for k, a := range rest {
			if b.axes[a].size != sizes[k] {
				return "its result is used for elements of another shape"
			}
		}
		if why := joins(height, width, inner && width > shortRow); why != "" {
			return why
		}
		for _, a := range rest {
			b.axes[a].column = true
			for d := range b.sizes {
				if b.axes[a].index.at(d) != 0 {
					b.columns[d] = true
				}
			}
		}
	}
	b.reduces, b.inner = true, inner && b.width() > shortRow
	return ""
}

// width returns how many elements a row has.
func (b *builder) width() int {
	n := 1
	for _, a := range b.axesOf(true) {
		n *= b.axes[a].size
	}
	return n
}

// betweenShape is the shape of what the kernel of a reduction's chunks stores.
func betweenShape(shape []int, d *piece) []int {
	if d.columns {
		return append([]int{d.chunks}, shape...)
	}
	return append(slices.Clone(shape), d.chunks)
}

func betweenAt(at []index, chunk index, d *piece) []index {
	if d.columns {
		return append([]index{chunk}, at...)
	}
	return append(slices.Clone(at), chunk)
}

// matmul builds the value of product n, whose rows and columns are those of the kernel's result.
func (b *builder) matmul(n int, at []index) int {
	p := b.p
	t := p.nodes[n]
	if b.product >= 0 || b.reduces {
		p.store(n, "a kernel has one product, and no reductions beside it")
		return b.nothing()
	}
	seen := 0
	for d, size := range t.shape {
		if size > 1 && b.axisOf(at[d]) != seen {
			p.store(n, "its elements are not used in their order")
			return b.nothing()
		}
		seen += min(size-1, 1)
	}
	if seen != len(b.axes) {
		p.store(n, "its result is used for elements of another shape")
		return b.nothing()
	}
	x, y := t.operands[0], t.operands[1]
	for _, o := range [...]*Tensor{x, y} {
		if k := p.base(o.number); !p.stored[k] {
			p.store(k, "a product reads its operands from memory")
			return b.nothing()
		}
	}
	rows, columns := at[len(at)-2], at[len(at)-1]
	inside := b.newAxis(x.shape[len(x.shape)-1], false)
	b.matrix = [3]index{rows, columns, inside}
	v := value{op: opMatMul, element: t.element, node: n}
	for k, o := range [...]*Tensor{x, y} {
		from := make([]index, len(o.shape))
		for d := range len(o.shape) - 2 {
			if o.shape[d] > 1 {
				from[d] = at[d+len(at)-len(o.shape)]
			}
		}
		m := len(from) - 2
		if k == 0 {
			from[m], from[m+1] = rows, inside
		} else {
			from[m], from[m+1] = inside, columns
		}
		a := b.value(o.number, from)
		if p.again {
			return b.nothing()
		}
		v.args = append(v.args, a)
		if !b.isMatrix(b.values[a].at) {
			p.store(o.number, "its rows are no rows of a matrix")
			return b.nothing()
		}
	}
	b.product = b.add(v)
	return b.product
}

// isMatrix reports whether an index is affine in rows, columns and what a product adds along,
// although these may be divided into dimensions.
func (b *builder) isMatrix(x index) bool {
	for _, m := range b.matrix {
		stride, found := 0, false
		for d := range m.coefficients {
			c := m.at(d)
			switch {
			case c == 0:
			case !found && x.at(d)%c == 0:
				stride, found = x.at(d)/c, true
			case !found || x.at(d) != stride*c:
				return false
			}
		}
	}
	return true
}

// strideOf returns how far elements lie apart along an index of the product.
func strideOf(x, along index) int {
	for d := range along.coefficients {
		if c := along.at(d); c != 0 {
			return x.at(d) / c
		}
	}
	return 0
}
