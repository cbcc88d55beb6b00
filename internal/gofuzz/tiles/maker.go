// Package tiles makes random kernels in Go that compute with tiles, and says what they leave in
// memory. It evaluates tiles as plain matrices, and shares no code with the compiler and package
// gpu. All numbers are integers that every order of additions has exactly, so one result is right.
package tiles

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Kernel is a kernel with its inputs and results.
type Kernel struct {
	Name string
	Text string // its source
	// Workgroup and Groups are how many items a workgroup has, and how many of those run.
	Workgroup, Groups int
	Slices            []Slice // its parameters that are matrices or tensors, in order
	// Parameters are the values that the kernel gets beside the slices: a number, then the layout
	// of each slice, i32.
	Parameters []byte
}

// Slice is the memory of a parameter.
type Slice struct {
	Name, Type string // Type is that of an element in Go
	Rank       int    // 2 for a matrix, 4 for a tensor
	Layout     []int  // as gpu.MatrixLayout or gpu.TensorLayout has it
	Data, Want []byte
	Float      int // the size of elements that are floats, or 0
}

// value is the type of a tile.
type value struct{ kind, rows, cols int }

func (t value) array() string { return fmt.Sprintf("[%d][%d]%s", t.rows, t.cols, kinds[t.kind].goType) }

func (t value) String() string { return "gpu.Tile[" + t.array() + "]" }

// elements are those of a tile, by rows.
type elements []float64

// state is what a workgroup computes with. Workgroups follow each other, as they share no memory
// that one of them writes.
type state struct {
	group, n int
	tiles    map[string]elements
	memories []memory
	failed   bool
	work     int // multiplications so far
}

// tile is a variable in the source.
type tile struct {
	name string
	value
	used bool
}

// parameter is a matrix or a tensor that the kernel gets.
type parameter struct {
	name string
	view
	tensor *tensor // nil for a matrix
}

// output is where tiles of a kind are stored. Each workgroup has so many rows of it. The first ones
// are for stores that may overlap, the others for one tile each, side by side.
type output struct {
	parameter int
	rows      int
	used      bool
	// the last tiles begin at a row, and leave the columns from col on
	row, col int
	// name is what the source calls the rows of the workgroup.
	name string
}

const (
	outputCols = 128
	sharedRows = 24 // of an output, for stores that overlap
	mostWork   = 3_000_000
	mostSlices = 14
	mostRows   = 500
)

// maker writes one kernel.
type maker struct {
	r          *rand.Rand
	body       strings.Builder
	indent     string
	steps      []func(*state) // of the block that is being written
	visible    []*tile
	names      int
	loops      int // around the statement
	budget     int
	side       int
	even       bool // sides are multiples of 16, as matrix units have them
	large      bool // sides are those of products of warpgroups
	parameters []parameter
	memories   []memory
	outputs    [kindCount]output
	alone      []output // of one statement each
}

var (
	workgroups      = []int{1, 3, 8, 16, 32, 32, 33, 64, 96, 128}
	sides           = []int{1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 17, 24, 32}
	evenWorkgroups  = []int{32, 64, 128, 128, 256}
	evenSides       = []int{16, 16, 32, 32, 48, 64}
	largeWorkgroups = []int{128, 256, 384}
	largeSides      = []int{64, 64, 64, 128}
)

// Random returns the kernel of a seed.
func Random(seed uint64) *Kernel {
	for attempt := uint64(0); ; attempt++ {
		if k := try(seed, attempt); k != nil {
			return k
		}
	}
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// try returns a kernel, or nil if its numbers are not exact or its work is too much.
func try(seed, attempt uint64) *Kernel {
	w := &maker{r: rand.New(rand.NewPCG(seed, attempt<<8|'T')), indent: "\t", budget: 16}
	k := &Kernel{Name: fmt.Sprintf("K%d", seed), Groups: 1 + w.r.IntN(3)}
	switch w.r.IntN(5) {
	case 0, 1:
		w.side, k.Workgroup = pick(w.r, sides), pick(w.r, workgroups)
	case 2, 3:
		w.even, w.side, k.Workgroup = true, pick(w.r, evenSides), pick(w.r, evenWorkgroups)
	default:
		w.even, w.large, k.Groups, k.Workgroup = true, true, 1+w.r.IntN(2), pick(w.r, largeWorkgroups)
	}
	n := w.r.IntN(50)
	switch {
	case w.large:
		w.largeKernel()
	case w.even:
		w.sum()
	}
	if !w.large {
		w.block(func() { w.statements(3 + w.r.IntN(7)) }, true)
	}
	run := w.steps
	if len(w.parameters) > mostSlices {
		return nil
	}
	before := make([]memory, len(w.memories))
	for _, o := range w.used() {
		if o.rows > mostRows {
			return nil
		}
		w.layOut(o, k.Groups)
	}
	for i := range w.memories {
		before[i] = memory{w.memories[i].kind, slices.Clone(w.memories[i].values)}
	}
	s := &state{n: n, memories: w.memories}
	for s.group = range k.Groups {
		s.tiles = map[string]elements{}
		for _, step := range run {
			if step(s); s.failed {
				return nil
			}
		}
	}
	k.Parameters = binary.LittleEndian.AppendUint32(nil, uint32(n))
	for i := range w.parameters {
		p := &w.parameters[i]
		e := &kinds[before[p.of].kind]
		slice := Slice{Name: p.name, Type: e.goType, Rank: 2, Layout: []int{p.offset, p.rows, p.cols, p.rowStride, p.colStride}}
		if e.isFloat() {
			slice.Float = e.bytes
		}
		if t := p.tensor; t != nil {
			slice.Rank, slice.Layout = 4, slices.Concat([]int{t.offset}, t.sizes[:], t.strides[:])
		}
		for _, x := range before[p.of].values {
			slice.Data = e.encode(slice.Data, x)
		}
		for _, x := range s.memories[p.of].values {
			slice.Want = e.encode(slice.Want, x)
		}
		for _, x := range slice.Layout {
			k.Parameters = binary.LittleEndian.AppendUint32(k.Parameters, uint32(int32(x)))
		}
		k.Slices = append(k.Slices, slice)
	}
	k.Text = w.source(k)
	return k
}

// source returns the text of the kernel.
func (w *maker) source(k *Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "//gpuc:kernel workgroup=%d\nfunc %s(it gpu.Item, n int", k.Workgroup, k.Name)
	for i := range k.Slices {
		fmt.Fprintf(&b, ", %s gpu.%s[%s]", k.Slices[i].Name, map[int]string{2: "Matrix", 4: "Tensor"}[k.Slices[i].Rank], k.Slices[i].Type)
	}
	b.WriteString(") {\n")
	body := w.body.String()
	for _, o := range w.used() {
		fmt.Fprintf(&b, "\t%s := %s.Sub(%d*it.Group().X, 0, %d, %d)\n", o.name, w.parameters[o.parameter].name, o.rows, o.rows, outputCols)
	}
	if strings.Contains(body, "group") {
		b.WriteString("\tgroup := it.Group().X\n")
	}
	b.WriteString(body + "}\n")
	return b.String()
}

func (w *maker) line(format string, args ...any) {
	fmt.Fprintf(&w.body, w.indent+format+"\n", args...)
}

func (w *maker) do(step func(*state)) { w.steps = append(w.steps, step) }

func (w *maker) name(prefix string) string {
	w.names++
	return fmt.Sprintf("%s%d", prefix, w.names)
}

// chance is true in one of n cases.
func (w *maker) chance(n int) bool { return w.r.IntN(n) == 0 }

// length returns the number of rows or columns of a tile.
func (w *maker) length() int {
	switch n := w.r.IntN(5); {
	case n == 0 && w.even:
		return pick(w.r, evenSides)
	case n == 0:
		return pick(w.r, sides)
	case n == 1 && !w.even:
		return 1
	}
	return w.side
}

func (w *maker) shape(kind int) value { return value{kind, w.length(), w.length()} }

// anyKind returns a kind, most often one of those with arithmetic.
func (w *maker) anyKind() int {
	if w.chance(2) {
		return pick(w.r, []int{f32, f32, i32, u32, f16})
	}
	return w.r.IntN(kindCount)
}

// define writes a variable. All numbers must be exact.
func (w *maker) define(t value, text string, of func(*state) elements) *tile {
	v := &tile{name: w.name("t"), value: t}
	w.line("%s := %s", v.name, text)
	w.assign(v, of)
	w.visible = append(w.visible, v)
	return v
}

func (w *maker) assign(v *tile, of func(*state) elements) {
	w.do(func(s *state) { s.tiles[v.name] = s.exact(v.kind, of(s)) })
}

// exact rounds or wraps numbers, and notes those that are not exact.
func (s *state) exact(kind int, list elements) elements {
	for n, x := range list {
		y, ok := kinds[kind].number(x)
		if list[n] = y; !ok {
			s.failed = true
		}
	}
	return list
}

// get returns a copy of a tile.
func (s *state) get(v *tile) elements { return slices.Clone(s.tiles[v.name]) }

// use notes that the source reads a tile, and returns its name.
func (v *tile) use() string {
	v.used = true
	return v.name
}

// of returns a tile of a type.
func (w *maker) of(t value) *tile {
	if list := w.such(func(v *tile) bool { return v.value == t }); len(list) > 0 && !w.chance(4) {
		return pick(w.r, list)
	}
	return w.load(t)
}

// some returns a tile with one of some kinds.
func (w *maker) some(of ...int) *tile {
	if list := w.such(func(v *tile) bool { return slices.Contains(of, v.kind) }); len(list) > 0 && !w.chance(5) {
		return pick(w.r, list)
	}
	return w.load(w.shape(pick(w.r, of)))
}

func (w *maker) such(is func(*tile) bool) (list []*tile) {
	for _, v := range w.visible {
		if is(v) {
			list = append(list, v)
		}
	}
	return list
}

// block writes a block, and returns what it does. Go wants that every variable is used, so those
// that are not are stored. Variables of an outermost block stay visible for nothing behind it.
func (w *maker) block(body func(), outermost bool) func(*state) {
	visible, steps, indent := len(w.visible), w.steps, w.indent
	if !outermost {
		w.steps, w.indent = nil, w.indent+"\t"
	}
	body()
	for _, v := range w.visible[min(visible, len(w.visible)):] {
		if outermost || !v.used {
			w.store(v)
		}
	}
	if outermost {
		for _, v := range w.visible[:visible] {
			w.store(v)
		}
		return nil
	}
	inner := w.steps
	w.visible, w.steps, w.indent = w.visible[:visible], steps, indent
	return func(s *state) {
		for _, step := range inner {
			step(s)
		}
	}
}

// number returns text and value of an integer that all items of a workgroup have.
func (w *maker) number(least, most int) (string, func(*state) int) {
	x := least + w.r.IntN(most-least+1)
	switch w.r.IntN(8) {
	case 0:
		return fmt.Sprintf("%d+group", x), func(s *state) int { return x + s.group }
	case 1:
		return fmt.Sprintf("%d+n%%3", x), func(s *state) int { return x + s.n%3 }
	}
	return fmt.Sprint(x), func(*state) int { return x }
}

// fill gives memory random numbers, which all kinds have.
func (w *maker) fill(kind, count int) []float64 {
	list := make([]float64, count)
	for n := range list {
		if list[n] = float64(w.r.IntN(7)); kind != u8 && kind != u32 {
			list[n] -= 3
		}
	}
	return list
}

// matrix adds a parameter for a matrix that has at least so many rows and columns, mostly.
func (w *maker) matrix(kind, rows, cols int) int {
	e := &kinds[kind]
	v := view{of: len(w.memories), offset: w.r.IntN(9), rows: rows + w.r.IntN(4), cols: cols + w.r.IntN(4), colStride: 1}
	v.rowStride = v.cols + w.r.IntN(3)
	transposed := w.chance(4)
	switch {
	case w.even && !w.chance(3): // tensor maps and copies of 16 bytes want this
		unit := 16 / e.bytes
		v.offset, v.rowStride = v.offset/3*unit, (v.rowStride+unit-1)/unit*unit
		if w.chance(2) {
			v.rows, v.cols = rows, cols
		}
	case w.chance(6):
		v.rowStride = w.r.IntN(3)
	case w.chance(6):
		v.rowStride, v.colStride = w.r.IntN(4), 1+w.r.IntN(3)
	case w.chance(12):
		v.rows = 0
	}
	if transposed {
		v.rows, v.cols = v.cols, v.rows
		v = v.transposed()
	}
	w.memories = append(w.memories, memory{kind, w.fill(kind, v.span()+w.r.IntN(4)+1)})
	w.parameters = append(w.parameters, parameter{name: w.name("m"), view: v})
	return len(w.parameters) - 1
}

// layOut makes the memory of an output, when it is known how many rows each workgroup has.
func (w *maker) layOut(o *output, groups int) {
	p := &w.parameters[o.parameter]
	p.rows, p.cols = o.rows*groups, outputCols
	p.offset, p.rowStride, p.colStride = w.r.IntN(5), outputCols+w.r.IntN(3), 1
	unit := 16 / kinds[w.memories[p.of].kind].bytes
	switch {
	case w.even && !w.chance(3):
		p.offset, p.rowStride = p.offset*unit, (p.rowStride+unit-1)/unit*unit
	case w.chance(5):
		p.rowStride, p.colStride = 1, p.rows+w.r.IntN(3)
	case w.chance(8):
		p.rowStride, p.colStride = p.rowStride*2, 2
	}
	m := &w.memories[p.of]
	m.values = w.fill(m.kind, p.span()+w.r.IntN(4))
}

// own returns the output of a kind.
func (w *maker) own(kind int) *output {
	o := &w.outputs[kind]
	if !o.used {
		*o = w.output(kind, "own_"+kinds[kind].word)
	}
	return o
}

// output adds an output that has the rows for stores that may overlap.
func (w *maker) output(kind int, name string) output {
	o := output{parameter: len(w.parameters), rows: sharedRows, used: true, col: outputCols, name: name}
	w.parameters = append(w.parameters, parameter{name: w.name("z"), view: view{of: len(w.memories)}})
	w.memories = append(w.memories, memory{kind: kind})
	return o
}

// used returns the outputs of the kernel.
func (w *maker) used() (list []*output) {
	for n := range w.outputs {
		if w.outputs[n].used {
			list = append(list, &w.outputs[n])
		}
	}
	for n := range w.alone {
		list = append(list, &w.alone[n])
	}
	return list
}

// ownView is the part of an output that a workgroup has.
func (w *maker) ownView(o *output) func(*state) view {
	return func(s *state) view {
		return w.parameters[o.parameter].view.part(o.rows*s.group, 0, o.rows, outputCols)
	}
}
