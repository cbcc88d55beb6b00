package tiles

import "fmt"

// Kernels whose operands tensor maps bring, and whose products are those of warpgroups. They have
// products of one pair of kinds, of matrices that are parameters as a whole, and no transposition.

// pairs are the kinds of the operands.
var pairs = [...][2]int{{f16, f16}, {f16, f16}, {bf16, bf16}, {e4m3, e4m3}, {e4m3, e5m2}, {e5m2, e4m3}, {i8, i8}, {i8, u8}, {u8, i8}, {u8, u8}, {f32, f32}, {f32, f32}}

// whole returns a matrix that is a parameter, or the transpose of one.
func (w *maker) whole(kind, rows, cols int, flip bool) (string, func(*state) view) {
	if flip {
		rows, cols = cols, rows
	}
	unit := 16 / kinds[kind].bytes
	v := view{of: len(w.memories), offset: w.r.IntN(3) * unit, rows: max(rows-w.r.IntN(9), 0), cols: max(cols-w.r.IntN(9), 1), colStride: 1}
	v.rowStride = (v.cols + unit - 1 + w.r.IntN(2)*unit) / unit * unit
	if w.chance(10) {
		v.rowStride++ // no tensor map has it
	}
	w.memories = append(w.memories, memory{kind, w.fill(kind, v.span()+w.r.IntN(4)+1)})
	name := w.name("m")
	w.parameters = append(w.parameters, parameter{name: name, view: v})
	if flip {
		return name + ".T()", func(*state) view { return v.transposed() }
	}
	return name, func(*state) view { return v }
}

// flips says whether the operand of a product is the transpose of a parameter: that of bytes has
// contiguous columns of the first matrix.
func (w *maker) flips(kind int, second bool) bool {
	switch {
	case kinds[kind].bytes == 1:
		return second
	case kind == f32:
		return !second && w.chance(2)
	}
	return w.chance(3)
}

// largeKernel writes the body of such a kernel.
func (w *maker) largeKernel() {
	pair := pick(w.r, pairs[:])
	bytes := kinds[pair[0]].bytes
	sum := f32
	if !kinds[pair[0]].isFloat() {
		sum = i32
	}
	depth := 128 / bytes
	if pair[0] == f32 {
		depth = pick(w.r, []int{16, 32})
	}
	t := value{sum, pick(w.r, largeSides), pick(w.r, largeSides)}
	inner := w.r.IntN(3)*depth + w.r.IntN(2)*w.r.IntN(depth)
	first := w.accumulate(t, pair, depth, inner)
	if bytes == 2 && w.chance(3) { // a product whose first operand is computed
		kind := pair[0]
		x := w.converted(first, kind)
		second := value{f32, t.rows, pick(w.r, largeSides)}
		b, at := w.whole(kind, t.cols, second.cols, w.flips(kind, true))
		y := &tile{name: w.name("t"), value: value{kind, t.cols, second.cols}}
		w.define(second, fmt.Sprintf("gpu.MulAdd(it, %s, gpu.LoadTile[%s](it, %s, 0, 0), %s{})", x.use(), y.array(), b, second), func(s *state) elements {
			return s.multiply(s.tiles[x.name], s.read(at(s), y.value, 0, 0), make(elements, second.rows*second.cols), second, t.cols)
		})
	}
	for range w.r.IntN(4) {
		v := pick(w.r, w.such(func(v *tile) bool { return v.kind == sum && v.cols > 1 }))
		switch w.r.IntN(4) {
		case 0:
			if pair[0] != f32 {
				most := w.reduction(v, 1, true)
				w.define(v.value, fmt.Sprintf("gpu.MapTile2[%s](it, %s, %s, func(row, col int, x, y %s) %s { return x - y })", v.array(), v.use(), most.use(), kinds[sum].goType, kinds[sum].goType), func(s *state) elements {
					m := s.get(v)
					for n := range m {
						m[n] = m[n] - s.tiles[most.name][n/v.cols]
						m[n] += 0
					}
					return m
				})
			}
		case 1:
			w.define(v.value, fmt.Sprintf("gpu.MapTile[%s](it, %s, func(row, col int, x %s) %s { return min(x, 9) + %s(row) - %s(col) })", v.array(), v.use(), kinds[sum].goType, kinds[sum].goType, kinds[sum].goType, kinds[sum].goType), func(s *state) elements {
				m := s.get(v)
				for n := range m {
					m[n] = min(m[n], 9) + float64(n/v.cols) - float64(n%v.cols)
				}
				return m
			})
		case 2:
			w.converted(v, pick(w.r, []int{f16, bf16, f32}))
		default:
			w.overlapping(v)
		}
	}
	for _, v := range w.visible {
		if w.chance(2) {
			w.store(v)
		} else {
			w.storeWhole(v)
		}
	}
	w.visible = nil
}

// accumulate writes the loop of a product, and returns its sum.
func (w *maker) accumulate(t value, pair [2]int, depth, inner int) *tile {
	left, right := value{pair[0], t.rows, depth}, value{pair[1], depth, t.cols}
	a, aAt := w.whole(pair[0], t.rows, inner, w.flips(pair[0], false))
	b, bAt := w.whole(pair[1], inner, t.cols, w.flips(pair[1], true))
	row, rowAt := w.origin()
	col, colAt := w.origin()
	v := &tile{name: w.name("t"), value: t}
	w.line("var %s %s", v.name, t)
	w.visible = append(w.visible, v)
	k := w.name("k")
	w.line("for %s := 0; %s < %d; %s += %d {", k, k, inner, k, depth)
	w.line("\t%s = gpu.MulAdd(it, gpu.LoadTile[%s](it, %s, %s, %s), gpu.LoadTile[%s](it, %s, %s, %s), %s)", v.name, left.array(), a, row, k, right.array(), b, k, col, v.name)
	w.line("}")
	w.assign(v, func(s *state) elements {
		x := make(elements, t.rows*t.cols)
		for k := 0; k < inner && !s.failed; k += depth {
			x = s.exact(t.kind, s.multiply(s.read(aAt(s), left, rowAt(s), k), s.read(bAt(s), right, k, colAt(s)), x, t, depth))
		}
		return x
	})
	return v
}

// storeWhole stores a tile to a matrix of its own, which is a parameter as a whole.
func (w *maker) storeWhole(v *tile) {
	const mostGroups = 2
	unit := 16 / kinds[v.kind].bytes
	to := view{of: len(w.memories), offset: w.r.IntN(2) * unit, rows: mostGroups*v.rows - w.r.IntN(5), cols: max(v.cols-w.r.IntN(5), 1), colStride: 1}
	to.rowStride = (to.cols + unit - 1) / unit * unit
	w.memories = append(w.memories, memory{v.kind, w.fill(v.kind, to.span()+3)})
	name := w.name("z")
	w.parameters = append(w.parameters, parameter{name: name, view: to})
	w.line("gpu.StoreTile(it, %s, %d*group, 0, %s)", name, v.rows, v.use())
	w.do(func(s *state) { s.write(to, v.value, v.rows*s.group, 0, s.tiles[v.name]) })
}
