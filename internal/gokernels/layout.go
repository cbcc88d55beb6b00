package gokernels

import "github.com/gpuc/gpuc/runtime/gpu"

// Column3 is a vec3 with the padding of a matrix column in WGSL.
type Column3 struct {
	Rows    [3]float32
	Padding float32
}

// Matrices are matrices by columns.
type Matrices struct {
	A        [2][2]float32
	B        [3][2]float32
	C        float32
	Padding1 float32
	D        [4]Column3
	E        [2]Column3
	F        float32
	Padding2 [3]float32
	G        [3]float32
	H        float32
	Padding3 [4]float32
	I        [2]float32
	J        float32
	Padding4 [5]float32
	K        [3]Column3
	L        [2][4]float32
	Padding5 [4]float32
}

// writer appends to a row.
type writer struct {
	row *[54]float32
	at  int
}

func (w *writer) add(x float32) {
	w.row[w.at] = x
	w.at++
}

func (w *writer) add2(v [2]float32) {
	for _, x := range v {
		w.add(x)
	}
}

func (w *writer) add3(v [3]float32) {
	for _, x := range v {
		w.add(x)
	}
}

//gpuc:kernel workgroup=1
func LayoutStorage(it gpu.Item, given []Matrices, plain [][54]float32, stored []Matrices) {
	n := it.Group().X
	w := writer{row: &plain[n]}
	m, out := given[n], &stored[n]
	for _, column := range m.A {
		w.add2(column)
	}
	for c := range m.B {
		w.add2(given[n].B[c])
	}
	w.add(m.C)
	for c := range m.D {
		w.add3(given[n].D[c].Rows)
	}
	for _, column := range m.E {
		w.add3(column.Rows)
	}
	w.add(m.F)
	w.add3(given[n].G)
	w.add(m.H)
	w.add2(m.I)
	w.add(m.J)
	for _, column := range m.K {
		w.add3(column.Rows)
	}
	for c := range m.L {
		for r := range m.L[c] {
			w.add(given[n].L[c][r])
		}
	}

	for c := range m.A {
		for r := range m.A[c] {
			out.A[c][r] = m.A[c][r] * 2
		}
	}
	out.B[n] = m.B[2]
	out.C = 1
	for c := range m.D {
		out.D[c].Rows = m.D[c].Rows
	}
	out.D[1].Rows[1] += 100
	out.E[n%2].Rows = [3]float32{1, 2, 3}
	for r := range m.G {
		out.G[r] = m.G[r] + 1 // must not change H after it
	}
	out.K[n].Rows[1] = 5
	out.L = m.L
}

type Light struct {
	Position [3]float32
	Power    float32
	Colour   [3]float32
	Kind     uint32
}

type Block struct {
	First   [2]uint32
	Padding [2]uint32
	Lights  [3]Light
	Rows    [4][4]float32
	Turn    [3]Column3
	Shear   [4][2]float32
	Table   [3][2][4]uint32
	Last    int32
	Behind  [3]uint32
}

//gpuc:kernel workgroup=4
func LayoutUniform(it gpu.Item, block Block, offset []Padded[float32], floats [][8]float32, integers [][4]int32) {
	i := it.Index()
	if i >= len(integers) {
		return
	}
	light, row := block.Lights[i%3], block.Rows[i%4]
	var turned, sheared float32
	for c, x := range light.Position {
		turned += block.Turn[c].Rows[0] * x
	}
	for c, x := range row {
		sheared += block.Shear[c][1] * x
	}
	floats[i] = [8]float32{
		light.Position[i%3],
		light.Power,
		block.Lights[2-i%3].Colour[1],
		row[i/2%4],
		block.Turn[i%3].Rows[2],
		turned,
		sheared,
		of3(offset[0].Vec3, i%3),
	}
	integers[i] = [4]int32{int32(block.First[i%2]), int32(light.Kind), int32(block.Table[i%3][i%2][i%4]), block.Last}
}

const (
	largeLength = 5120
	largeCells  = 200
)

type largeWords [largeLength]uint32

type largeCell struct {
	on    bool
	at    Vec3f
	flags [2]bool
	turn  [2][3]float32
}

type largeSeeded struct {
	tag   uint32
	at    Vec3f
	on    bool
	table [12]uint32
	room  [4000]uint32
}

// large is a large private variable.
type large struct {
	words largeWords
	cells [largeCells]largeCell
}

func (w *largeWords) sum(step int) (s uint32) {
	for i := 0; i < len(w); i += step {
		s = s*31 + w[i]
	}
	return s
}

func (l *large) fill(own *largeWords, add uint32) {
	for i, w := range &l.words {
		own[i*7%largeLength] = w + add
	}
}

func (l *large) mark(i int) {
	cell := &l.cells[i%largeCells]
	cell.on = !cell.on
	cell.at = cell.at.Add(gpu.V3f(1, 2, float32(i)))
	cell.flags[i%2] = true
	cell.turn[i%2][i%3]++
	l.words[i]++
}

//gpuc:kernel workgroup=8
func PrivateLarge(it gpu.Item, passedOn *[8]uint32, input []uint32, results [][10]uint32) {
	n, local := it.Index(), it.LocalIndex()
	given, r := input[n], &results[n]
	var l large
	for i := range l.words {
		l.words[i] ^= uint32(i * (n + 1))
	}
	var own largeWords
	l.fill(&own, given)
	r[0] = own.sum(1 + n%3)

	passedOn[local] = own[local*100]
	it.Barrier()
	own[5] = passedOn[(local+1)%8]
	it.Barrier()
	r[1] = own.sum(5) - own[5]

	for k := range 300 {
		l.mark(k*17 + n)
	}
	var on, flags, turns uint32
	var at Vec3f
	for k := range l.cells {
		cell := l.cells[k]
		if cell.on {
			on += uint32(k)
		}
		at = at.Add(cell.at)
		flags += one(cell.flags[0]) + 1000*one(cell.flags[1])
		turns += uint32(cell.turn[0][0] + cell.turn[1][2])
	}
	r[2] = on
	r[3] = uint32(at.X) + 10000*uint32(at.Y)
	r[4] = uint32(at.Z)
	r[5] = flags
	r[6] = turns + l.words[n] + l.words[17*299+n]

	seeded := largeSeeded{
		tag: 7, at: gpu.V3f(1, 2, 3), on: true,
		table: [12]uint32{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37},
	}
	few := [...]uint32{1, 10, 100, 1000, 10000}
	place := n * 61
	seeded.room[place] = seeded.table[n%12] + few[n%5]
	other := seeded
	other.room[place+1] = other.room[place] * other.tag
	seeded.room[place] = uint32(other.at.Y) + one(other.on)
	r[7] = other.room[place+1] + seeded.room[place] + seeded.room[place+1]

	last := l.cells[n]
	l.cells = [largeCells]largeCell{}
	r[8] = one(l.cells[n].on) + uint32(l.cells[(n+100)%largeCells].at.X) + uint32(l.cells[largeCells-1-n].turn[1][1])
	cell := &l.cells[given%largeCells]
	*cell = last
	r[9] = uint32(cell.at.X) + 100*one(cell.flags[0] || cell.flags[1])
}
