package tiles

import (
	"fmt"
	"strings"
)

// The statements: what the source does with tiles, and how that changes matrices.

func (w *maker) statements(n int) {
	for range n {
		if w.budget--; w.budget > 0 {
			w.statement()
		}
	}
}

// choice is a kind of statements, with how often it is taken.
type choice struct {
	weight int
	write  func(*maker)
}

func choices() []choice {
	return []choice{
		{2, func(w *maker) { w.load(w.shape(w.anyKind())) }},
		{2, (*maker).loadWindows},
		{1, (*maker).loadStored},
		{3, (*maker).product},
		{3, (*maker).sum},
		{2, (*maker).chain},
		{2, (*maker).transpose},
		{3, (*maker).convert},
		{3, (*maker).reduce},
		{4, (*maker).mapped},
		{1, (*maker).constant},
		{2, (*maker).overlap},
		{1, (*maker).storeAlone},
		{2, (*maker).branch},
		{2, (*maker).loop},
		{1, (*maker).overwrite},
	}
}

func (w *maker) statement() {
	total, list := 0, choices()
	for _, c := range list {
		total += c.weight
	}
	n := w.r.IntN(total)
	for _, c := range list {
		if n -= c.weight; n < 0 {
			c.write(w)
			return
		}
	}
}

// expression returns text and value of a matrix that is a part or a transpose of a parameter.
// Its size is mostly at least rows × cols.
func (w *maker) expression(kind, rows, cols int) (string, func(*state) view) {
	flip := w.chance(3)
	if flip {
		rows, cols = cols, rows
	}
	p := -1
	if w.chance(2) { // one that is there
		for i := range w.parameters {
			x := &w.parameters[i]
			if x.tensor == nil && w.memories[x.of].kind == kind && w.outputs[kind].parameter != i && x.rows >= rows && x.cols >= cols {
				p = i
			}
		}
	}
	if p < 0 {
		p = w.matrix(kind, rows, cols)
	}
	v := w.parameters[p].view
	text, at := w.parameters[p].name, func(*state) view { return v }
	if w.chance(3) {
		row, rowAt := w.number(-w.r.IntN(2), 3)
		col, colAt := w.number(0, 3)
		height, width := rows+w.r.IntN(4)-2, cols+w.r.IntN(4)-2
		before := at
		text = fmt.Sprintf("%s.Sub(%s, %s, %d, %d)", text, row, col, height, width)
		at = func(s *state) view { return before(s).part(rowAt(s), colAt(s), height, width) }
	}
	if flip {
		before := at
		text += ".T()"
		at = func(s *state) view { return before(s).transposed() }
	}
	return text, at
}

// origin returns where a tile begins in a matrix.
func (w *maker) origin() (string, func(*state) int) {
	if w.chance(3) {
		return w.number(-2, 3)
	}
	return "0", func(*state) int { return 0 }
}

func (s *state) read(v view, t value, row, col int) elements {
	x := make(elements, t.rows*t.cols)
	for n := range x {
		if at := v.at(row+n/t.cols, col+n%t.cols); at >= 0 {
			x[n] = s.memories[v.of].values[at]
		}
	}
	return x
}

func (w *maker) load(t value) *tile {
	text, at := w.expression(t.kind, t.rows, t.cols)
	row, rowAt := w.origin()
	col, colAt := w.origin()
	return w.define(t, fmt.Sprintf("gpu.LoadTile[%s](it, %s, %s, %s)", t.array(), text, row, col), func(s *state) elements {
		return s.read(at(s), t, rowAt(s), colAt(s))
	})
}

// loadStored loads what the workgroup has stored.
func (w *maker) loadStored() {
	t := w.shape(w.anyKind())
	o := w.own(t.kind)
	at := w.ownView(o)
	row, rowAt := w.number(-2, sharedRows)
	col, colAt := w.number(-2, outputCols/2)
	w.define(t, fmt.Sprintf("gpu.LoadTile[%s](it, own_%s, %s, %s)", t.array(), kinds[t.kind].word, row, col), func(s *state) elements {
		return s.read(at(s), t, rowAt(s), colAt(s))
	})
}

// newTensor adds a parameter for a tensor.
func (w *maker) newTensor(kind int) int {
	t := &tensor{of: len(w.memories), offset: w.r.IntN(5), sizes: [4]int{1 + w.r.IntN(2), 1 + w.r.IntN(7), 1 + w.r.IntN(7), 1 + w.r.IntN(5)}}
	if w.even {
		unit := 16 / kinds[kind].bytes
		t.offset = t.offset / 2 * unit
		t.sizes[3] = pick(w.r, []int{unit, 16, 32})
	}
	order := []int{3, 2, 1, 0} // from the least stride on
	if w.chance(3) {
		order = []int{2, 1, 3, 0}
	}
	stride := 1
	for _, n := range order {
		t.strides[n] = stride
		stride *= t.sizes[n]
		if !w.even {
			stride += w.r.IntN(2)
		}
	}
	span := t.offset + 1
	for n := range t.sizes {
		span += (t.sizes[n] - 1) * t.strides[n]
	}
	w.memories = append(w.memories, memory{kind, w.fill(kind, span+w.r.IntN(3))})
	w.parameters = append(w.parameters, parameter{name: w.name("x"), view: view{of: t.of}, tensor: t})
	return len(w.parameters) - 1
}

// windows returns text and values of the windows of a tensor.
func (w *maker) windows(kind int) (string, *tensor, *window) {
	p := w.newTensor(kind)
	t := *w.parameters[p].tensor
	text := w.parameters[p].name
	if w.chance(4) {
		first, count := w.r.IntN(t.sizes[3]), 1+w.r.IntN(t.sizes[3])
		text = fmt.Sprintf("%s.Channels(%d, %d)", text, first, count)
		t.offset += first * t.strides[3]
		t.sizes[3] = min(count, t.sizes[3]-first)
	}
	x := window{sides: [2]int{1 + w.r.IntN(3), 1 + w.r.IntN(3)}}
	for side := range 2 {
		x.steps[side], x.padding[side], x.dilations[side] = w.r.IntN(3), w.r.IntN(3), w.r.IntN(3)
	}
	return fmt.Sprintf("%s.Windows(gpu.Window{H: %d, W: %d, StrideH: %d, StrideW: %d, PadH: %d, PadW: %d, DilationH: %d, DilationW: %d})", text,
		x.sides[0], x.sides[1], x.steps[0], x.steps[1], x.padding[0], x.padding[1], x.dilations[0], x.dilations[1]), &t, &x
}

func (s *state) readWindows(x *tensor, w *window, t value, row, col int) elements {
	m := make(elements, t.rows*t.cols)
	for n := range m {
		if at := w.at(x, row+n/t.cols, col+n%t.cols); at >= 0 {
			m[n] = s.memories[x.of].values[at]
		}
	}
	return m
}

func (w *maker) loadWindows() {
	t := w.shape(w.anyKind())
	text, x, win := w.windows(t.kind)
	row, rowAt := w.origin()
	col, colAt := w.origin()
	w.define(t, fmt.Sprintf("gpu.LoadWindows[%s](it, %s, %s, %s)", t.array(), text, row, col), func(s *state) elements {
		return s.readWindows(x, win, t, rowAt(s), colAt(s))
	})
}

// multiply returns a·b + c. Any order of additions must be exact.
func (s *state) multiply(a, b, c elements, t value, depth int) elements {
	m := make(elements, len(c))
	if s.work += len(m) * depth; s.work > mostWork {
		s.failed = true
		return m
	}
	isFloat := kinds[t.kind].isFloat()
	for n := range m {
		sum, size := c[n], max(c[n], -c[n])
		for k := range depth {
			x := a[n/t.cols*depth+k] * b[k*t.cols+n%t.cols]
			sum, size = sum+x, size+max(x, -x)
		}
		if isFloat {
			sum += 0 // no negative zero
		}
		if m[n] = sum; isFloat && size > 1<<24 {
			s.failed = true
		}
	}
	return m
}

// operands returns the types of a product's operands.
func (w *maker) operands(t value) (a, b value) {
	depth := w.length()
	for {
		if row := &products[w.r.IntN(len(products))]; row.sum == t.kind {
			return value{pick(w.r, row.operands), t.rows, depth}, value{pick(w.r, row.operands), depth, t.cols}
		}
	}
}

func (w *maker) sumKind() int { return pick(w.r, []int{f32, f32, f32, i32, f64}) }

func (w *maker) product() {
	t := w.shape(w.sumKind())
	left, right := w.operands(t)
	a, b, c := w.of(left), w.of(right), w.of(t)
	w.define(t, fmt.Sprintf("gpu.MulAdd(it, %s, %s, %s)", a.use(), b.use(), c.use()), func(s *state) elements {
		return s.multiply(s.tiles[a.name], s.tiles[b.name], s.tiles[c.name], t, left.cols)
	})
}

func transposed(x elements, rows, cols int) elements {
	m := make(elements, len(x))
	for n := range m {
		m[n] = x[n%rows*cols+n/rows]
	}
	return m
}

func (w *maker) transpose() {
	v := w.some(w.anyKind())
	t := value{v.kind, v.cols, v.rows}
	w.define(t, fmt.Sprintf("gpu.TransposeTile[%s](it, %s)", t.array(), v.use()), func(s *state) elements {
		return transposed(s.tiles[v.name], v.rows, v.cols)
	})
}

func (w *maker) convert() {
	v := w.some(w.anyKind())
	w.converted(v, w.r.IntN(kindCount))
}

func (w *maker) converted(v *tile, kind int) *tile {
	t := value{kind, v.rows, v.cols}
	return w.define(t, fmt.Sprintf("gpu.ConvertTile[%s](it, %s)", t.array(), v.use()), func(s *state) elements {
		x := s.get(v)
		for n := range x {
			y, ok := kinds[kind].converted(&kinds[v.kind], x[n])
			if x[n] = y; !ok {
				s.failed = true
			}
		}
		return x
	})
}

func (w *maker) reduce() {
	w.reduction(w.some(reduced...), w.r.IntN(3), w.chance(2))
}

// reduction writes a sum, maximum or minimum of rows or columns.
func (w *maker) reduction(v *tile, which int, byRow bool) *tile {
	t := value{v.kind, 1, v.cols}
	if byRow {
		t = value{v.kind, v.rows, 1}
	}
	return w.define(t, fmt.Sprintf("gpu.%sTile[%s](it, %s)", [...]string{"Sum", "Max", "Min"}[which], t.array(), v.use()), func(s *state) elements {
		m := make(elements, t.rows*t.cols)
		sizes := make(elements, len(m))
		for n, x := range s.tiles[v.name] {
			to, first := n%v.cols, n < v.cols
			if byRow {
				to, first = n/v.cols, n%v.cols == 0
			}
			sizes[to] += max(x, -x)
			switch {
			case first:
				m[to] = x
			case which == 0:
				m[to] += x
			case which == 1:
				m[to] = max(m[to], x)
			default:
				m[to] = min(m[to], x)
			}
		}
		for _, size := range sizes {
			s.failed = s.failed || which == 0 && kinds[t.kind].isFloat() && size > 1<<24
		}
		return m
	})
}

func (w *maker) constant() {
	t := w.shape(w.anyKind())
	x := w.r.IntN(5)
	w.define(t, fmt.Sprintf("gpu.FillTile[%s](it, %s)", t.array(), literal(t.kind, fmt.Sprint(x))), func(*state) elements {
		m := make(elements, t.rows*t.cols)
		for n := range m {
			m[n] = float64(x)
		}
		return m
	})
}

// literal returns a number in Go, of a kind.
func literal(kind int, x string) string {
	e := &kinds[kind]
	if e.isSmall() {
		return fmt.Sprintf("gpu.To%s(%s)", strings.TrimPrefix(e.goType, "gpu."), x)
	}
	return fmt.Sprintf("%s(%s)", e.goType, x)
}

// write stores a tile to a view from a row and a column on.
func (s *state) write(v view, t value, row, col int, x elements) {
	for n := range x {
		if at := v.at(row+n/t.cols, col+n%t.cols); at >= 0 {
			s.memories[v.of].values[at] = x[n]
		}
	}
}

// store stores a tile where no other is stored.
func (w *maker) store(v *tile) {
	o := w.own(v.kind)
	if w.loops > 0 {
		w.overlapping(v)
		return
	}
	if o.col+v.cols > outputCols || o.row+v.rows > o.rows {
		o.row, o.col = o.rows, 0
		o.rows += v.rows
	}
	at, row, col := w.ownView(o), o.row, o.col
	o.col += v.cols
	w.line("gpu.StoreTile(it, own_%s.Sub(%d, %d, %d, %d), 0, 0, %s)", kinds[v.kind].word, row, col, v.rows, v.cols, v.use())
	w.do(func(s *state) { s.write(at(s).part(row, col, v.rows, v.cols), v.value, 0, 0, s.tiles[v.name]) })
}

// overlap stores a tile to the first rows of its output, where others are stored as well.
func (w *maker) overlap() { w.overlapping(w.some(w.anyKind())) }

func (w *maker) overlapping(v *tile) {
	o := w.own(v.kind)
	base := w.ownView(o)
	rows, cols := 1+w.r.IntN(sharedRows), 1+w.r.IntN(outputCols)
	top, left := w.r.IntN(sharedRows-rows+1), w.r.IntN(outputCols-cols+1)
	flip := w.chance(3)
	row, rowAt := w.origin()
	col, colAt := w.origin()
	text := fmt.Sprintf("own_%s.Sub(%d, %d, %d, %d)", kinds[v.kind].word, top, left, rows, cols)
	if flip {
		text += ".T()"
	}
	w.line("gpu.StoreTile(it, %s, %s, %s, %s)", text, row, col, v.use())
	w.do(func(s *state) {
		to := base(s).part(top, left, rows, cols)
		if flip {
			to = to.transposed()
		}
		s.write(to, v.value, rowAt(s), colAt(s), s.tiles[v.name])
	})
}

// storeAlone writes a loop with the only store to a matrix. Its iterations store other numbers,
// over each other or side by side.
func (w *maker) storeAlone() {
	from := w.some(f32, i32, u32)
	o := w.output(from.kind, w.name("alone"))
	w.alone = append(w.alone, o)
	base := w.ownView(&o)
	flip, count := w.chance(3), 1+w.r.IntN(4)
	rowStep, colStep := pick(w.r, []int{0, 1, 3, from.rows, from.rows + 1}), pick(w.r, []int{0, 0, 2, from.cols, -from.cols})
	row, col := w.r.IntN(4)-1, w.r.IntN(40)
	text := o.name
	if flip {
		text += ".T()"
	}
	tile, i := w.name("t"), w.name("i")
	goType := kinds[from.kind].goType
	w.line("%s := %s", tile, from.use())
	w.line("for %s := range %d {", i, count)
	w.line("\tgpu.StoreTile(it, %s, %d*%s+%d, %d*%s+%d, %s)", text, rowStep, i, row, colStep, i, col, tile)
	w.line("\t%s = gpu.MapTile[%s](it, %s, func(row, col int, x %s) %s { return x + 1 })", tile, from.array(), tile, goType, goType)
	w.line("}")
	w.do(func(s *state) {
		to, x := base(s), s.get(from)
		if flip {
			to = to.transposed()
		}
		for i := range count {
			s.write(to, from.value, rowStep*i+row, colStep*i+col, x)
			for n := range x {
				x[n]++
			}
			s.exact(from.kind, x)
		}
	})
}
