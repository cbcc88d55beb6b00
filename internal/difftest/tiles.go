package difftest

// The family "tiles": kernels of the extension gpuc_tile. Each program has tiles of several shapes
// and kinds, products that a loop adds up, views of every kind, and control flow that the
// workgroups take differently. All numbers are integers that every kind and every order of
// additions has exactly, so one result is right. Tiles are evaluated as plain matrices.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// tileElement is a kind of elements.
type tileElement struct {
	name string
	size int
	most float64 // the greatest number up to which all integers are exact; 0: they wrap
}

var tileElements = [...]tileElement{{"f32", 4, 1 << 24}, {"f16", 2, 1 << 11}, {"i32", 4, 0}, {"u32", 4, 0}}

// The kinds, as indices.
const (
	tileF32 = iota
	tileF16
	tileI32
	tileU32
)

const (
	tileInputs  = 160   // elements of an input
	tileShared  = 90    // elements of the array in workgroup memory
	tileOutputs = 12000 // elements of an output
)

// tileValue is the type of a tile.
type tileValue struct {
	kind, rows, columns int
}

func (t tileValue) String() string {
	return fmt.Sprintf("tile<%s, %d, %d>", tileElements[t.kind].name, t.rows, t.columns)
}

// matrix has the elements of a tile by rows.
type matrix []float64

// tileState is what a workgroup computes with.
type tileState struct {
	group  int
	tiles  map[string]matrix
	inputs [len(tileElements)][]float64
	shared []float64
	output [len(tileElements)][]float64
	depth  int // of the uniform buffer
	failed bool
}

// tileMaker writes one program, and what each workgroup does with it.
type tileMaker struct {
	r       *rand.Rand
	body    strings.Builder
	indent  string
	visible []namedTile
	names   int
	stored  [len(tileElements)]int // elements of each output that have a tile
	steps   []func(*tileState)     // of the block that is being written
	side    int                    // that most tiles have
	even    bool                   // sides are multiples of 16, as matrix units have them
	budget  int
}

type namedTile struct {
	name     string
	variable bool
	tileValue
}

func tilePrograms(seed uint64) *Case {
	for attempt := uint64(0); ; attempt++ {
		if c := tileProgram(seed, attempt); c != nil {
			return c
		}
	}
}

var (
	tileWorkgroups = [...]int{1, 3, 8, 32, 32, 33, 64, 64, 100, 128, 128, 256}
	tileSides      = [...]int{1, 2, 3, 4, 5, 7, 8, 8, 16, 16, 16, 17, 32, 32, 48}
	evenWorkgroups = [...]int{32, 64, 64, 128, 128, 256}
	evenSides      = [...]int{16, 16, 32, 32, 48, 64}
)

// tileFunctions are what maps call; elements of f16 and integers are only passed on.
const tileFunctions = `fn add_place(row: u32, column: u32, x: f32) -> f32 { return x + f32(row) - f32(column); }
fn add_both(row: u32, column: u32, x: f32, y: f32) -> f32 { return x + y; }
fn clamped(row: u32, column: u32, x: f32, most: f32) -> f32 { return min(max(x, -most), most); }
fn cleared(row: u32, column: u32, x: f32) -> f32 { return select(x, 0, row > column); }
fn number(row: u32, column: u32, x: u32) -> u32 { return x + 8 * row + column; }
`

func tileProgram(seed, attempt uint64) *Case {
	w := &tileMaker{r: rand.New(rand.NewPCG(seed, attempt<<8|'t')), indent: "  ", budget: 22}
	w.side = tileSides[w.r.IntN(len(tileSides))]
	items := tileWorkgroups[w.r.IntN(len(tileWorkgroups))]
	if w.even = w.r.IntN(2) == 0; w.even {
		w.side = evenSides[w.r.IntN(len(evenSides))]
		items = evenWorkgroups[w.r.IntN(len(evenWorkgroups))]
	}
	groups := 1 + w.r.IntN(3)
	w.statements(4 + w.r.IntN(8))
	for _, v := range w.visible {
		w.store(v)
	}
	start := tileState{depth: w.r.IntN(70)}
	for k := range tileElements {
		start.inputs[k] = make([]float64, tileInputs)
		for n := range start.inputs[k] {
			if start.inputs[k][n] = float64(w.r.IntN(7)); k != tileU32 {
				start.inputs[k][n] -= 3
			}
		}
		start.output[k] = make([]float64, groups*tileOutputs)
	}
	for group := range groups {
		s := start
		s.group, s.tiles, s.shared = group, map[string]matrix{}, make([]float64, tileShared)
		for _, step := range w.steps {
			step(&s)
		}
		if s.failed {
			return nil
		}
	}
	var code strings.Builder
	code.WriteString("enable gpuc_tile;\nenable f16;\n@group(0) @binding(0) var<uniform> u: vec4<u32>;\n")
	uniform := make([]byte, 16)
	binary.LittleEndian.PutUint32(uniform, uint32(start.depth))
	c := &Case{Name: fmt.Sprintf("tiles-%d", seed), Entry: "main", Dispatch: [3]int{groups, 1, 1},
		Bindings: []Binding{{Name: "u", Kind: "uniform", Data: uniform, Want: uniform}}}
	add := func(name, kind, access string, k int, data, want []float64) {
		e := &tileElements[k]
		if !strings.Contains(w.body.String(), "&"+name+",") {
			return
		}
		b := Binding{Binding: len(c.Bindings), Name: name, Kind: kind, Data: tileBytes(k, data), Want: tileBytes(k, want)}
		if e.most > 0 {
			b.Stride, b.Count, b.Floats = e.size, len(data), []FloatField{{Half: k == tileF16}}
		}
		fmt.Fprintf(&code, "@group(0) @binding(%d) var<storage, %s> %s: array<%s>;\n", b.Binding, access, name, e.name)
		c.Bindings = append(c.Bindings, b)
	}
	for k := range tileElements {
		name := tileElements[k].name
		add("in_"+name, "read-only-storage", "read", k, start.inputs[k], start.inputs[k])
		add("out_"+name, "storage", "read_write", k, make([]float64, len(start.output[k])), start.output[k])
	}
	fmt.Fprintf(&code, "var<workgroup> kept: array<f32, %d>;\n%s", tileShared, tileFunctions)
	fmt.Fprintf(&code, "@compute @workgroup_size(%d)\nfn main(@builtin(workgroup_id) id: vec3<u32>) {\n  let group = id.x;\n%s}\n", items, w.body.String())
	if c.Code = code.String(); !c.writes() {
		return nil
	}
	return c
}

// tileBytes encodes numbers.
func tileBytes(k int, values []float64) []byte {
	data := make([]byte, tileElements[k].size*len(values))
	for n, v := range values {
		switch k {
		case tileF32:
			binary.LittleEndian.PutUint32(data[4*n:], math.Float32bits(float32(v)))
		case tileF16:
			binary.LittleEndian.PutUint16(data[2*n:], halfBits(float32(v)))
		default:
			binary.LittleEndian.PutUint32(data[4*n:], uint32(int64(v)))
		}
	}
	return data
}

func (w *tileMaker) line(format string, args ...any) {
	fmt.Fprintf(&w.body, w.indent+format+"\n", args...)
}

func (w *tileMaker) do(step func(*tileState)) { w.steps = append(w.steps, step) }

func (w *tileMaker) name() string {
	w.names++
	return fmt.Sprintf("t%d", w.names)
}

// length returns the number of rows or columns of a tile.
func (w *tileMaker) length() int {
	switch n := w.r.IntN(5); {
	case n == 0 && w.even:
		return evenSides[w.r.IntN(len(evenSides))]
	case n == 0:
		return tileSides[w.r.IntN(len(tileSides))]
	case n == 1 && !w.even:
		return 1
	}
	return w.side
}

func (w *tileMaker) shape(kind int) tileValue {
	return tileValue{kind, w.length(), w.length()}
}

// define writes a tile whose elements a function computes, as a constant or a variable. All numbers
// must be exact.
func (w *tileMaker) define(t tileValue, text string, value func(*tileState) matrix) namedTile {
	v := namedTile{w.name(), w.r.IntN(3) == 0, t}
	w.line("%s %s = %s;", map[bool]string{false: "let", true: "var"}[v.variable], v.name, text)
	w.assign(v, value)
	w.visible = append(w.visible, v)
	return v
}

// assign gives a tile its elements.
func (w *tileMaker) assign(v namedTile, value func(*tileState) matrix) {
	w.do(func(s *tileState) { s.tiles[v.name] = s.exact(v.kind, value(s)) })
}

// exact notes if a number is not exact, and wraps integers.
func (s *tileState) exact(kind int, values matrix) matrix {
	most := tileElements[kind].most
	for n, x := range values {
		switch {
		case kind == tileI32:
			values[n] = float64(int32(int64(x)))
		case kind == tileU32:
			values[n] = float64(uint32(int64(x)))
		case math.Abs(x) > most:
			s.failed = true
		}
	}
	return values
}

// of returns a tile of a type.
func (w *tileMaker) of(t tileValue) namedTile {
	var all []namedTile
	for _, v := range w.visible {
		if v.tileValue == t {
			all = append(all, v)
		}
	}
	if len(all) > 0 && w.r.IntN(4) > 0 {
		return all[w.r.IntN(len(all))]
	}
	return w.load(t)
}

func (w *tileMaker) some(kind int) namedTile {
	var all []namedTile
	for _, v := range w.visible {
		if v.kind == kind {
			all = append(all, v)
		}
	}
	if len(all) > 0 && w.r.IntN(5) > 0 {
		return all[w.r.IntN(len(all))]
	}
	return w.load(w.shape(kind))
}

// tileView is where a matrix is in an array, and where in the matrix a tile begins. The rows and
// columns of the group are further.
type tileView struct {
	offset, rows, columns, rowStride, columnStride int
	row, column                                    int
	byGroup                                        bool
}

func (v *tileView) String() string {
	row := fmt.Sprintf("%d", v.row)
	if v.byGroup {
		row += " + i32(group)"
	}
	return fmt.Sprintf("tile_view(%d, %d, %d, %d, %d), %s, %d", v.offset, v.rows, v.columns, v.rowStride, v.columnStride, row, v.column)
}

// index returns where an element of a tile is in an array, or -1 if it is nowhere.
func (v *tileView) index(s *tileState, row, column, length int) int {
	row, column = row+v.row, column+v.column
	if v.byGroup {
		row += s.group
	}
	if row < 0 || row >= v.rows || column < 0 || column >= v.columns {
		return -1
	}
	if at := v.offset + row*v.rowStride + column*v.columnStride; at < length {
		return at
	}
	return -1
}

func (v *tileView) read(s *tileState, t tileValue, array []float64) matrix {
	x := make(matrix, t.rows*t.columns)
	for n := range x {
		if at := v.index(s, n/t.columns, n%t.columns, len(array)); at >= 0 {
			x[n] = array[at]
		}
	}
	return x
}

// view makes a view that mostly has the whole tile.
func (w *tileMaker) view(t tileValue) tileView {
	v := tileView{offset: w.r.IntN(9), rows: t.rows + w.r.IntN(4), columns: t.columns + w.r.IntN(4), byGroup: w.r.IntN(3) == 0}
	v.rowStride, v.columnStride = v.columns+w.r.IntN(3), 1
	switch w.r.IntN(8) {
	case 0, 1:
		v.rowStride, v.columnStride = 1, v.rows+w.r.IntN(3)
	case 2:
		v.rowStride = w.r.IntN(2)
	case 3:
		v.rowStride, v.columnStride = w.r.IntN(5), w.r.IntN(5)
	}
	if w.r.IntN(3) == 0 {
		v.row, v.column = w.r.IntN(5)-2, w.r.IntN(5)-2
		v.rows, v.columns = max(v.rows-w.r.IntN(4), 0), max(v.columns-w.r.IntN(4), 0)
	}
	return v
}

func (w *tileMaker) load(t tileValue) namedTile {
	v := w.view(t)
	if t.kind == tileF32 && w.r.IntN(5) == 0 {
		return w.define(t, fmt.Sprintf("tileLoad<%s>(&kept, %s)", t, &v), func(s *tileState) matrix { return v.read(s, t, s.shared) })
	}
	return w.define(t, fmt.Sprintf("tileLoad<%s>(&in_%s, %s)", t, tileElements[t.kind].name, &v), func(s *tileState) matrix { return v.read(s, t, s.inputs[t.kind]) })
}

// store stores a tile to a part of its output that only it has, of which each workgroup has its
// own.
func (w *tileMaker) store(v namedTile) {
	rows, columns := v.rows, v.columns
	if w.r.IntN(4) == 0 {
		rows, columns = 1+w.r.IntN(rows), 1+w.r.IntN(columns)
	}
	first := w.stored[v.kind]
	if first+rows*columns > tileOutputs {
		return
	}
	w.stored[v.kind] += rows * columns
	w.line("tileStore(&out_%s, tile_view(group * %d + %d, %d, %d, %d, 1), 0, 0, %s);", tileElements[v.kind].name, tileOutputs, first, rows, columns, columns, v.name)
	w.do(func(s *tileState) {
		for n := range rows * columns {
			s.output[v.kind][s.group*tileOutputs+first+n] = s.tiles[v.name][n/columns*v.columns+n%columns]
		}
	})
}

// keep stores a tile to workgroup memory.
func (w *tileMaker) keep() {
	v := w.some(tileF32)
	at := tileView{offset: w.r.IntN(9), rows: v.rows - w.r.IntN(2), columns: v.columns, rowStride: v.columns + w.r.IntN(2), columnStride: 1, row: w.r.IntN(3) - 1}
	w.line("tileStore(&kept, %s, %s);", &at, v.name)
	w.do(func(s *tileState) {
		for n, x := range s.tiles[v.name] {
			if to := at.index(s, n/v.columns, n%v.columns, len(s.shared)); to >= 0 {
				s.shared[to] = x
			}
		}
	})
}

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
// elements of the sum.
func (w *tileMaker) sum() {
	t := w.shape(tileF32)
	left, right := w.operands(t)
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
	limit, transposed, extra := w.r.IntN(3) > 0, w.r.IntN(3) == 0, w.r.IntN(4)
	bound := "u.x"
	if !limit {
		bound = fmt.Sprintf("%d", w.r.IntN(4)*depth)
	}
	w.line("for (var k = 0u; k < %s; k += %d) {", bound, depth)
	viewA := fmt.Sprintf("tile_view(0, %d, %s, %d, 1), 0, k", t.rows, bound, lineA)
	viewB := fmt.Sprintf("tile_view(1, %s, %d, %d, 1), k, 0", bound, t.columns, lineB)
	if transposed {
		viewB = fmt.Sprintf("tile_view(1, %s, %d, 1, %d), k, 0", bound, t.columns, lineB)
	}
	w.line("  %s = tileMulAdd(tileLoad<%s>(&in_%s, %s), tileLoad<%s>(&in_%s, %s), %s);", sum.name, left, name, viewA, right, name, viewB, sum.name)
	if extra == 0 {
		w.line("  %s = tileMap(clamped, %s, 9);", sum.name, sum.name)
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
		for k := 0; k < end; k += depth {
			a := tileView{rows: t.rows, columns: end, rowStride: lineA, columnStride: 1, column: k}
			b := tileView{offset: 1, rows: end, columns: t.columns, rowStride: lineB, columnStride: 1, row: k}
			if transposed {
				b.rowStride, b.columnStride = 1, lineB
			}
			m = multiply(a.read(s, left, s.inputs[left.kind]), b.read(s, right, s.inputs[left.kind]), m, t.rows, depth, t.columns)
			for n := range m {
				if extra == 0 {
					m[n] = min(max(m[n], -9), 9)
				}
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
