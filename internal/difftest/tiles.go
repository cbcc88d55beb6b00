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
	tileInputs  = 160   // elements of an input, or
	evenInputs  = 2000  // of one with room for whole tiles
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
	if w.even {
		w.sum()
	}
	w.statements(4 + w.r.IntN(8))
	for _, v := range w.visible {
		w.store(v)
	}
	start := tileState{depth: w.r.IntN(70)}
	inputs := tileInputs
	if w.even && w.r.IntN(3) > 0 {
		inputs = evenInputs
	}
	for k := range tileElements {
		start.inputs[k] = make([]float64, inputs)
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
