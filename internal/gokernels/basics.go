package gokernels

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type SaxpyParameters struct {
	A float32
	N uint32
}

//gpuc:kernel workgroup=64
func Saxpy(it gpu.Item, parameters SaxpyParameters, x, y []float32) {
	i := it.Index()
	if i < int(parameters.N) {
		y[i] = parameters.A*x[i] + y[i]
	}
}

//gpuc:kernel workgroup=32
func VectorAdd(it gpu.Item, a, b, c []float32) {
	stride := it.Groups().X * 32
	for i := it.Index(); i < len(c); i += stride {
		c[i] = a[i] + b[i]
	}
}

const (
	transposeAcross = 16
	transposeDown   = 8
	transposeWidth  = 37
	transposeHeight = 29
)

// Transpose moves a tile of 16×8 per workgroup of 8×8, through a padded tile in workgroup memory.
//
//gpuc:kernel workgroup=8,8
func Transpose(it gpu.Item, tile *[transposeAcross][transposeDown + 1]uint32, original, transposed []uint32) {
	group, local := it.Group(), it.Local()
	left, top := group.X*transposeAcross, group.Y*transposeDown
	for step := 0; step < transposeAcross; step += 8 {
		x, y := left+local.X+step, top+local.Y
		if x < transposeWidth && y < transposeHeight {
			tile[local.X+step][local.Y] = original[y*transposeWidth+x]
		}
	}
	it.Barrier()
	for step := 0; step < transposeAcross; step += 8 {
		x, y := top+local.X, left+local.Y+step
		if x < transposeHeight && y < transposeWidth {
			transposed[y*transposeHeight+x] = tile[local.Y+step][local.X]
		}
	}
}

//gpuc:kernel workgroup=8
func MemoryReadBesideWrite(it gpu.Item, steps, counts, sums []uint32) {
	i := it.Index()
	if counts[i]&1 == 1 {
		counts[i] += steps[1]
	}
	for range 5 {
		counts[i]++
	}
	sums[i] = counts[i] * 3
	if counts[i]&3 == 2 {
		counts[i] = steps[i] * 9
	}
	sums[i] += counts[i]
}

// Immediates cannot have arrays, so a method selects an element by an index.

type Matrix2 struct{ First, Second Vec2f }

func (m *Matrix2) column(i int) Vec2f {
	if i%2 == 0 {
		return m.First
	}
	return m.Second
}

type ImmediatesInner struct {
	Matrix  Matrix2
	Bias    int32
	Padding int32
}

// at returns an element of the matrix.
func (m *ImmediatesInner) at(i int) float32 {
	return of2(m.Matrix.column(i), i/2%2) + float32(m.Bias)
}

type ImmediatesParameters struct {
	Scale   float32
	Padding Vec3f
	Offset  Vec3i
	Count   uint32
	Inner   ImmediatesInner
	Steps   Vec2u
}

func (p *ImmediatesParameters) scaled(i int) float32 {
	inner := &p.Inner
	return inner.at(i) * p.Scale
}

//gpuc:kernel workgroup=8
func Immediates(it gpu.Item, parameters ImmediatesParameters, results []Vec4f, sums []uint32) {
	i := it.Index()
	if i >= int(parameters.Count) {
		return
	}
	column := parameters.Inner.Matrix.column(i)
	results[i] = results[i].Add(gpu.V4f(
		parameters.scaled(i),
		float32(of3(parameters.Offset, i%3)),
		column.Y*parameters.Scale,
		float32(parameters.Steps.X*uint32(i)+parameters.Steps.Y),
	))
	addBias(&sums[i], parameters.Inner)
}

func addBias(sum *uint32, inner ImmediatesInner) { *sum += uint32(inner.Bias + 100) }

//gpuc:kernel workgroup=8
func ImmediatesWeigh(it gpu.Item, weights Vec3u, sums []uint32) {
	i := it.Index()
	sums[i] = sums[i]*of3(weights, i%3) + weights.Z
}

const workgroupMemorySize = 24

type workgroupCell struct {
	weight float32
	place  Vec3u
	marks  [2]uint32
}

type workgroupShared struct {
	cells   [workgroupMemorySize]workgroupCell
	turned  [2][2]Vec2f
	flags   [workgroupMemorySize]bool
	counter uint32
}

//gpuc:kernel workgroup=workgroupMemorySize
func WorkgroupMemory(it gpu.Item, shared *workgroupShared, first, exchange []uint32, results []Vec4u) {
	local, group := it.LocalIndex(), it.Group().X
	start := group * workgroupMemorySize
	at := start + local
	before := shared.cells[local]
	first[at] = before.place.Y + before.marks[1] + uint32(before.weight) + one(shared.flags[local]) + shared.counter +
		uint32(shared.turned[local%2][1].X)
	it.Barrier()

	shared.cells[local] = workgroupCell{float32(at), gpu.V3[uint32](uint32(at), uint32(at)*2, 5), [2]uint32{uint32(local), uint32(group)}}
	shared.flags[local] = local%3 == 0
	if local < 4 {
		shared.turned[local/2][local%2] = gpu.V2f(float32(local), float32(group))
	}
	if local == 0 {
		shared.counter = 1000
	}
	it.Barrier()

	neighbour := shared.cells[(local+5)%workgroupMemorySize]
	next := (local + 1) % workgroupMemorySize
	exchange[at] = neighbour.place.Y + uint32(neighbour.weight)
	it.Barrier()
	other := exchange[start+next]
	if group%2 == 0 {
		it.Barrier()
		exchange[start+next] = other + uint32(local)
		it.Barrier()
		other = exchange[at]
	}
	flag := uint32(3)
	if shared.flags[next] {
		flag = 4
	}
	turned := shared.turned[1][local%2]
	results[at] = gpu.V4[uint32](other, neighbour.marks[local%2], uint32(turned.X)+shared.counter, flag)
}

type uniformTask struct{ start, round, local uint32 }

//gpuc:kernel workgroup=32
func WorkgroupUniformLoad(it gpu.Item, current *uniformTask, running *bool, found *uint32, scratch *[32]uint32, data, results []uint32) {
	local, group := it.LocalIndex(), it.Group().X
	sum := uint32(0)
	for round := 0; ; round++ {
		if local == round%32 {
			*current = uniformTask{data[(group*7+round)%len(data)], uint32(round), uint32(local)}
			*running = round < 3+group
		}
		if !gpu.UniformLoad(it, running) {
			break
		}
		task := gpu.UniformLoad(it, current)
		x := task.start ^ uint32(local)*task.round
		scratch[local] = x
		if x%3 == 0 {
			atomic.AddUint32(found, 1)
		}
		it.Barrier()
		sum = sum*5 + scratch[31-local] + task.local
		sum ^= atomic.LoadUint32(found)
		it.Barrier()
	}
	results[group*32+local] = sum
}

// one is 1 for true and 0 for false.
func one(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
