package difftest

// The statements of the family "tiles": what is done with tiles, and how that changes matrices.

import "fmt"

func (w *tileMaker) statements(n int) {
	for range n {
		if w.budget--; w.budget > 0 {
			w.statement()
		}
	}
}

// block writes a block in braces, and returns what it does. What it defines is not visible behind.
func (w *tileMaker) block(body func()) func(*tileState) {
	visible, steps, indent := len(w.visible), w.steps, w.indent
	w.steps, w.indent = nil, w.indent+"  "
	body()
	inner := w.steps
	w.visible, w.steps, w.indent = w.visible[:visible], steps, indent
	return func(s *tileState) {
		for _, step := range inner {
			step(s)
		}
	}
}

func (w *tileMaker) statement() {
	switch w.r.IntN(16) {
	case 0:
		w.load(w.shape(w.r.IntN(len(tileElements))))
	case 1, 2, 3:
		w.product()
	case 4, 5:
		w.sum()
	case 6:
		w.transpose()
	case 7:
		w.convert()
	case 8:
		w.reduce()
	case 9:
		w.broadcast()
	case 10, 11:
		w.elements()
	case 12:
		w.keep()
	case 13:
		w.branch()
	case 14:
		w.overwrite()
	default:
		t := w.shape(w.r.IntN(len(tileElements)))
		x := w.r.IntN(5)
		w.define(t, fmt.Sprintf("tileSplat<%s>(%s(%d))", t, tileElements[t.kind].name, x), func(*tileState) matrix {
			m := make(matrix, t.rows*t.columns)
			for n := range m {
				m[n] = float64(x)
			}
			return m
		})
	}
}

// multiply returns a·b + c.
func multiply(a, b, c matrix, rows, depth, columns int) matrix {
	m := make(matrix, rows*columns)
	for n := range m {
		m[n] = c[n]
		for k := range depth {
			m[n] += a[n/columns*depth+k] * b[k*columns+n%columns]
		}
	}
	return m
}

// operands returns the types of a product's operands.
func (w *tileMaker) operands(t tileValue) (a, b tileValue) {
	kind, depth := w.r.IntN(2), w.length()
	return tileValue{kind, t.rows, depth}, tileValue{kind, depth, t.columns}
}

func (w *tileMaker) product() {
	t := w.shape(tileF32)
	left, right := w.operands(t)
	a, b, c := w.of(left), w.of(right), w.of(t)
	w.define(t, fmt.Sprintf("tileMulAdd(%s, %s, %s)", a.name, b.name, c.name), func(s *tileState) matrix {
		return multiply(s.tiles[a.name], s.tiles[b.name], s.tiles[c.name], t.rows, left.columns, t.columns)
	})
}

// sum writes a loop over the depth of a product, which may be empty. Some have also work on the
// elements of the sum, a second product, or an end or a gap in the middle.
func (w *tileMaker) sum() {
	t := w.shape(tileF32)
	left, right := w.operands(t)
	if w.even && w.r.IntN(2) == 0 {
		left.kind, right.kind = tileF16, tileF16
	}
	sum := namedTile{w.name(), true, t}
	w.line("var %s = %s();", sum.name, t)
	if w.r.IntN(3) == 0 {
		first := w.of(t)
		w.line("%s = %s;", sum.name, first.name)
		w.assign(sum, func(s *tileState) matrix { return append(matrix(nil), s.tiles[first.name]...) })
	} else {
		w.assign(sum, func(*tileState) matrix { return make(matrix, t.rows*t.columns) })
	}
	depth := left.columns
	name := tileElements[left.kind].name
	lineA, lineB := w.r.IntN(6)+depth, w.r.IntN(3)+t.columns
	limit, transposed, extra := w.r.IntN(3) > 0, w.r.IntN(3) == 0, w.r.IntN(7)
	offset := 1
	if w.even && w.r.IntN(2) == 0 { // lines begin at multiples of 16 bytes
		offset, lineA, lineB = 8*w.r.IntN(2), (lineA+7)/8*8, (lineB+7)/8*8
	}
	bound := "u.x"
	if !limit {
		bound = fmt.Sprintf("%d", w.r.IntN(4)*depth)
	}
	w.line("for (var k = 0u; k < %s; k += %d) {", bound, depth)
	viewA := fmt.Sprintf("tile_view(0, %d, %s, %d, 1), 0, k", t.rows, bound, lineA)
	viewB := fmt.Sprintf("tile_view(%d, %s, %d, %d, 1), k, 0", offset, bound, t.columns, lineB)
	if transposed {
		viewB = fmt.Sprintf("tile_view(%d, %s, %d, 1, %d), k, 0", offset, bound, t.columns, lineB)
	}
	const breaks, skips, twice = 1, 2, 3
	stop := w.r.IntN(3) * depth
	switch extra {
	case breaks:
		w.line("  if (k == %d) { break; }", stop)
	case skips:
		w.line("  if (k == %d) { continue; }", stop)
	}
	product := fmt.Sprintf("  %s = tileMulAdd(tileLoad<%s>(&in_%s, %s), tileLoad<%s>(&in_%s, %s), %s);", sum.name, left, name, viewA, right, name, viewB, sum.name)
	w.line("%s", product)
	switch extra {
	case 0:
		w.line("  %s = tileMap(clamped, %s, 9);", sum.name, sum.name)
	case twice:
		w.line("  if (group == 1) { %s = tileMap(clamped, %s, 9); }", sum.name, sum.name)
		w.line("%s", product)
	}
	w.line("}")
	fixed := 0
	if !limit {
		fmt.Sscan(bound, &fixed)
	}
	w.assign(sum, func(s *tileState) matrix {
		end := fixed
		if limit {
			end = s.depth
		}
		m := s.tiles[sum.name]
		clamp := func() {
			for n := range m {
				m[n] = min(max(m[n], -9), 9)
			}
		}
		for k := 0; k < end; k += depth {
			if extra == breaks && k == stop {
				break
			}
			if extra == skips && k == stop {
				continue
			}
			a := tileView{rows: t.rows, columns: end, rowStride: lineA, columnStride: 1, column: k}
			b := tileView{offset: offset, rows: end, columns: t.columns, rowStride: lineB, columnStride: 1, row: k}
			if transposed {
				b.rowStride, b.columnStride = 1, lineB
			}
			x, y := a.read(s, left, s.inputs[left.kind]), b.read(s, right, s.inputs[left.kind])
			m = multiply(x, y, m, t.rows, depth, t.columns)
			if extra == 0 || extra == twice && s.group == 1 {
				clamp()
			}
			if extra == twice {
				m = multiply(x, y, m, t.rows, depth, t.columns)
			}
		}
		return m
	})
	w.visible = append(w.visible, sum)
}

func (w *tileMaker) transpose() {
	v := w.some(w.r.IntN(len(tileElements)))
	w.define(tileValue{v.kind, v.columns, v.rows}, "tileTranspose("+v.name+")", func(s *tileState) matrix {
		x, m := s.tiles[v.name], make(matrix, v.rows*v.columns)
		for n := range m {
			m[n] = x[n%v.rows*v.columns+n/v.rows]
		}
		return m
	})
}

// convert converts between kinds that have all numbers of the tile.
func (w *tileMaker) convert() {
	v := w.some(w.r.IntN(len(tileElements)))
	t := v.tileValue
	t.kind = w.r.IntN(len(tileElements))
	w.define(t, fmt.Sprintf("tileConvert<%s>(%s)", tileElements[t.kind].name, v.name), func(s *tileState) matrix {
		x := append(matrix(nil), s.tiles[v.name]...)
		for n := range x {
			if x[n] < 0 && t.kind == tileU32 && tileElements[v.kind].most > 0 {
				x[n] = 0 // conversions of floats saturate
			}
		}
		return x
	})
}

// reduce writes a sum, minimum or maximum of rows or columns.
func (w *tileMaker) reduce() {
	v := w.some([...]int{tileF32, tileI32, tileU32}[w.r.IntN(3)])
	word := [...]string{"Sum", "Min", "Max"}[w.r.IntN(3)]
	byRow := w.r.IntN(2) == 0
	t, side := tileValue{v.kind, 1, v.columns}, "Column"
	if byRow {
		t, side = tileValue{v.kind, v.rows, 1}, "Row"
	}
	w.define(t, fmt.Sprintf("tile%s%s(%s)", side, word, v.name), func(s *tileState) matrix {
		m := make(matrix, t.rows*t.columns)
		for n, x := range s.tiles[v.name] {
			to, first := n%v.columns, n < v.columns
			if byRow {
				to, first = n/v.columns, n%v.columns == 0
			}
			switch {
			case first:
				m[to] = x
			case word == "Sum":
				m[to] += x
			case word == "Min":
				m[to] = min(m[to], x)
			default:
				m[to] = max(m[to], x)
			}
		}
		return m
	})
}

func (w *tileMaker) broadcast() {
	t := w.shape(w.r.IntN(len(tileElements)))
	from := t
	if w.r.IntN(2) == 0 {
		from.rows = 1
	} else {
		from.columns = 1
	}
	v := w.of(from)
	w.define(t, fmt.Sprintf("tileBroadcast<%s>(%s)", t, v.name), func(s *tileState) matrix {
		m := make(matrix, t.rows*t.columns)
		for n := range m {
			m[n] = s.tiles[v.name][n/t.columns%from.rows*from.columns+n%t.columns%from.columns]
		}
		return m
	})
}

// elements writes a map.
func (w *tileMaker) elements() {
	kind := tileF32
	call, f := "", func(row, column int, x, y float64) float64 { return x }
	most := float64(1 + w.r.IntN(20))
	second := false
	switch w.r.IntN(5) {
	case 0:
		call, f = "add_place, %s", func(row, column int, x, y float64) float64 { return x + float64(row-column) }
	case 1:
		call, f, second = "add_both, %s, %s", func(row, column int, x, y float64) float64 { return x + y }, true
	case 2:
		call, f = fmt.Sprintf("clamped, %%s, %g", most), func(row, column int, x, y float64) float64 { return min(max(x, -most), most) }
	case 3:
		call, f = "cleared, %s", func(row, column int, x, y float64) float64 {
			if row > column {
				return 0
			}
			return x
		}
	default:
		kind = tileU32
		call, f = "number, %s", func(row, column int, x, y float64) float64 { return x + float64(8*row+column) }
	}
	a := w.some(kind)
	b := a
	args := []any{a.name}
	if second {
		b = w.of(a.tileValue)
		args = append(args, b.name)
	}
	w.define(a.tileValue, "tileMap("+fmt.Sprintf(call, args...)+")", func(s *tileState) matrix {
		m := make(matrix, a.rows*a.columns)
		for n := range m {
			m[n] = f(n/a.columns, n%a.columns, s.tiles[a.name][n], s.tiles[b.name][n])
		}
		return m
	})
}

// branch writes an if that workgroups decide differently.
func (w *tileMaker) branch() {
	which := w.r.IntN(3)
	w.line("if (group == %d) {", which)
	then := w.block(func() { w.statements(1 + w.r.IntN(2)); w.overwrite() })
	otherwise := func(*tileState) {}
	if w.r.IntN(2) == 0 {
		w.line("} else {")
		otherwise = w.block(func() { w.statements(w.r.IntN(2)); w.overwrite() })
	}
	w.line("}")
	w.do(func(s *tileState) {
		if s.group == which {
			then(s)
		} else {
			otherwise(s)
		}
	})
}

// overwrite assigns a tile to a variable.
func (w *tileMaker) overwrite() {
	for _, n := range w.r.Perm(len(w.visible)) {
		if to := w.visible[n]; to.variable {
			from := w.of(to.tileValue)
			w.line("%s = %s;", to.name, from.name)
			w.assign(to, func(s *tileState) matrix { return append(matrix(nil), s.tiles[from.name]...) })
			return
		}
	}
}
