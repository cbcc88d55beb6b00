package tiles

import (
	"fmt"
	"slices"
)

// Loops and branches, which all items of a workgroup take.

// sum writes a loop over the depth of a product, which may be empty. Some also have an end or a gap
// in the middle, or work on the sum.
func (w *maker) sum() {
	t := w.shape(w.sumKind())
	left, right := w.operands(t)
	depth := left.cols
	inner := w.r.IntN(4)*depth + w.r.IntN(2)*w.r.IntN(depth)
	a, aAt := w.expression(left.kind, t.rows, inner)
	b, bAt := w.expression(right.kind, inner, t.cols)
	var pixels *tensor
	var win *window
	if w.chance(4) {
		a, pixels, win = w.windows(left.kind)
	}
	row, rowAt := w.origin()
	col, colAt := w.origin()
	first := &tile{name: w.name("t"), value: t}
	if w.chance(3) {
		from := w.of(t)
		w.line("%s := %s", first.name, from.use())
		w.assign(first, func(s *state) elements { return s.get(from) })
	} else {
		w.line("var %s %s", first.name, t)
		w.assign(first, func(*state) elements { return make(elements, t.rows*t.cols) })
	}
	w.visible = append(w.visible, first)
	k, matrix := w.name("k"), w.name("a")
	bound := matrix + ".Cols()"
	byNumber := w.chance(4)
	if byNumber {
		bound = "n"
	}
	w.line("%s := %s", matrix, a)
	w.line("for %s := 0; %s < %s; %s += %d {", k, k, bound, k, depth)
	const breaks, skips, clamps, twice = 1, 2, 3, 4
	extra, stop := w.r.IntN(8), w.r.IntN(3)*depth
	switch extra {
	case breaks:
		w.line("\tif %s == %d {\n%s\t\tbreak\n%s\t}", k, stop, w.indent, w.indent)
	case skips:
		w.line("\tif %s == %d {\n%s\t\tcontinue\n%s\t}", k, stop, w.indent, w.indent)
	}
	load := "Tile"
	if pixels != nil {
		load = "Windows"
	}
	product := fmt.Sprintf("\t%s = gpu.MulAdd(it, gpu.Load%s[%s](it, %s, %s, %s), gpu.LoadTile[%s](it, %s, %s, %s), %s)",
		first.name, load, left.array(), matrix, row, k, right.array(), b, k, col, first.name)
	w.line("%s", product)
	clamp := fmt.Sprintf("%s = gpu.MapTile[%s](it, %s, func(row, col int, x %s) %s { return min(max(x, -9), 9) })",
		first.name, t.array(), first.name, kinds[t.kind].goType, kinds[t.kind].goType)
	switch extra {
	case clamps:
		w.line("\t%s", clamp)
	case twice:
		w.line("\tif group == 1 {\n%s\t\t%s\n%s\t}", w.indent, clamp, w.indent)
		w.line("%s", product)
	}
	w.line("}")
	w.do(func(s *state) {
		end := aAt(s).cols
		if pixels != nil {
			end = win.sides[0] * win.sides[1] * pixels.sizes[3]
		}
		if byNumber {
			end = s.n
		}
		for k := 0; k < end && !s.failed; k += depth {
			if k == stop && extra == breaks {
				break
			}
			if k == stop && extra == skips {
				continue
			}
			var x elements
			if pixels != nil {
				x = s.readWindows(pixels, win, left, rowAt(s), k)
			} else {
				x = s.read(aAt(s), left, rowAt(s), k)
			}
			y := s.read(bAt(s), right, k, colAt(s))
			sum := s.exact(t.kind, s.multiply(x, y, s.tiles[first.name], t, depth))
			if extra == clamps || extra == twice && s.group == 1 {
				for n := range sum {
					sum[n] = min(max(sum[n], -9), 9)
				}
			}
			if extra == twice {
				sum = s.exact(t.kind, s.multiply(x, y, sum, t, depth))
			}
			s.tiles[first.name] = sum
		}
	})
}

// chain writes a loop with two products, between which are reductions, functions of elements and a
// conversion, as attention has them. It carries two tiles.
func (w *maker) chain() {
	operand := pick(w.r, []int{f16, bf16, f32})
	second := pick(w.r, []int{f16, bf16, e4m3, f32})
	scores := value{f32, w.length(), w.length()}
	result := value{f32, scores.rows, w.length()}
	totals := value{f32, scores.rows, 1}
	depth := w.length()
	q := w.of(value{operand, scores.rows, depth})
	count := w.r.IntN(3)
	keys, keysAt := w.expression(operand, depth, scores.cols*max(count, 1))
	values, valuesAt := w.expression(second, scores.cols*max(count, 1), result.cols)
	sum, total := &tile{name: w.name("t"), value: result}, &tile{name: w.name("t"), value: totals}
	for _, v := range []*tile{sum, total} {
		w.line("var %s %s", v.name, v.value)
		w.assign(v, func(*state) elements { return make(elements, v.rows*v.cols) })
		w.visible = append(w.visible, v)
	}
	k, s1, most, p := w.name("k"), w.name("s"), w.name("s"), w.name("s")
	w.line("for %s := 0; %s < %d; %s += %d {", k, k, count*scores.cols, k, scores.cols)
	w.line("\t%s := gpu.MulAdd(it, %s, gpu.LoadTile[[%d][%d]%s](it, %s, 0, %s), %s{})", s1, q.use(), depth, scores.cols, kinds[operand].goType, keys, k, scores)
	w.line("\t%s := gpu.MaxTile[%s](it, %s)", most, totals.array(), s1)
	w.line("\t%s := gpu.MapTile2[%s](it, %s, %s, func(row, col int, x, y float32) float32 { return max(x-y+4, 0) })", p, scores.array(), s1, most)
	w.line("\t%s = gpu.MapTile2[%s](it, %s, gpu.SumTile[%s](it, %s), func(row, col int, x, y float32) float32 { return x + y })", total.name, totals.array(), total.name, totals.array(), p)
	converted := value{second, scores.rows, scores.cols}
	text := p
	if second != f32 {
		text = fmt.Sprintf("gpu.ConvertTile[%s](it, %s)", converted.array(), p)
	}
	w.line("\t%s = gpu.MulAdd(it, %s, gpu.LoadTile[[%d][%d]%s](it, %s, %s, 0), %s)", sum.name, text, scores.cols, result.cols, kinds[second].goType, values, k, sum.name)
	w.line("}")
	w.do(func(s *state) {
		for k := 0; k < count*scores.cols && !s.failed; k += scores.cols {
			y := s.read(keysAt(s), value{operand, depth, scores.cols}, 0, k)
			x := s.multiply(s.tiles[q.name], y, make(elements, scores.rows*scores.cols), scores, depth)
			for row := range scores.rows {
				line := x[row*scores.cols:][:scores.cols]
				most := slices.Max(line)
				for n := range line {
					line[n] = max(line[n]-most+4, 0)
					s.tiles[total.name][row] += line[n]
				}
			}
			z := s.read(valuesAt(s), value{second, scores.cols, result.cols}, k, 0)
			s.tiles[sum.name] = s.exact(f32, s.multiply(s.exact(second, x), z, s.tiles[sum.name], result, scores.cols))
		}
	})
}

// branch writes an if or a switch that workgroups decide differently.
func (w *maker) branch() {
	if w.chance(3) {
		w.line("switch (group + n) %% 3 {")
		var cases [3]func(*state)
		for n := range cases {
			if n < 2 {
				w.line("case %d:", n)
			} else {
				w.line("default:")
			}
			cases[n] = w.block(func() { w.statements(w.r.IntN(2)); w.overwrite() }, false)
		}
		w.line("}")
		w.do(func(s *state) { cases[(s.group+s.n)%3](s) })
		return
	}
	text, which := "group == %d", w.r.IntN(3)
	is := func(s *state) bool { return s.group == which }
	if w.chance(3) {
		text, is = "n > %d", func(s *state) bool { return s.n > which }
	}
	w.line("if "+text+" {", which)
	then := w.block(func() { w.statements(1 + w.r.IntN(2)); w.overwrite() }, false)
	otherwise := func(*state) {}
	if w.chance(2) {
		w.line("} else {")
		otherwise = w.block(func() { w.statements(w.r.IntN(2)); w.overwrite() }, false)
	}
	w.line("}")
	w.do(func(s *state) {
		if is(s) {
			then(s)
		} else {
			otherwise(s)
		}
	})
}

// loop writes a loop of few iterations that carries tiles.
func (w *maker) loop() {
	if w.loops > 1 {
		return
	}
	text, count := w.number(0, 2)
	w.line("for range %s {", text)
	w.loops++
	body := w.block(func() {
		w.statements(1 + w.r.IntN(2))
		w.overwrite()
		if w.chance(2) {
			w.swap()
		}
	}, false)
	w.loops--
	w.line("}")
	w.do(func(s *state) {
		for range count(s) {
			if body(s); s.failed {
				return
			}
		}
	})
}

// overwrite assigns a tile to a variable.
func (w *maker) overwrite() {
	for _, n := range w.r.Perm(len(w.visible)) {
		to := w.visible[n]
		if w.chance(2) {
			continue
		}
		if from := w.of(to.value); from != to {
			w.line("%s = %s", to.name, from.use())
			w.do(func(s *state) { s.tiles[to.name] = s.get(from) })
			return
		}
	}
}

// swap exchanges two variables of a type.
func (w *maker) swap() {
	for _, n := range w.r.Perm(len(w.visible)) {
		x := w.visible[n]
		if list := w.such(func(v *tile) bool { return v.value == x.value && v != x }); len(list) > 0 {
			y := pick(w.r, list)
			w.line("%s, %s = %s, %s", x.name, y.name, y.use(), x.use())
			w.do(func(s *state) { s.tiles[x.name], s.tiles[y.name] = s.tiles[y.name], s.tiles[x.name] })
			return
		}
	}
}
