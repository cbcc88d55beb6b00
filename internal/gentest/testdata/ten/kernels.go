// Package ten has ten kernels, each with parameters of other kinds, and calls what is generated for
// them.
package ten

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"

	"example.com/ten/units"
)

//go:generate go tool gpuc gen .

// Width is a size of workgroups.
const Width = 32

// Add has no values.
//
//gpuc:kernel workgroup=Width
func Add(it gpu.Item, a, b, sum []float32) {
	if i := it.Index(); i < len(sum) {
		sum[i] = a[i] + b[i]
	}
}

// Scale has one value.
//
//gpuc:kernel workgroup=64
func Scale(it gpu.Item, factor float32, x []float32) {
	if i := it.Index(); i < len(x) {
		x[i] *= factor
	}
}

// Count is atomic.
//
//gpuc:kernel workgroup=64
func Count(it gpu.Item, below uint, x []uint32, count []uint32) {
	if i := it.Index(); i < len(x) && x[i] < uint32(below) {
		atomic.AddUint32(&count[0], 1)
	}
}

// Options are values of all kinds, some of which the platform gives its size.
type Options struct {
	Shift  int
	Mask   uint32
	Weight float32
	On     bool
	_      int32
	Wide   uint64
	Ratio  float64
	Table  [2][3]Entry
	hidden int32
}

// Entry is in a table.
type Entry struct {
	Plus  uint
	Minus int32
}

// Choose has a structure that is too large for immediates, between names that launchers use themselves.
//
//gpuc:kernel workgroup=16
func Choose(it gpu.Item, s int, options Options, ctx, values []int32, err uint32, step int8) {
	i := it.Index()
	if i >= len(values) {
		return
	}
	v := values[i] + int32(s) + int32(options.Weight) + int32(options.Wide>>40) + int32(options.Ratio*2) + int32(step)
	if options.On {
		e := options.Table[i%2][i%3]
		v += int32(e.Plus) - e.Minus + options.hidden
	}
	ctx[i] = int32(uint32(v)<<uint(options.Shift)&options.Mask) + int32(err)
}

// Reverse has workgroup memory.
//
//gpuc:kernel workgroup=Width
func Reverse(it gpu.Item, shared *[Width]int32, x []int32) {
	shared[it.LocalIndex()] = x[it.Index()]
	it.Barrier()
	x[it.Index()] = shared[Width-1-it.LocalIndex()]
}

// tile is the workgroup memory of a product.
type tile struct{ A, B [8][8]float32 }

// MatMul has structures in workgroup memory and two dimensions.
//
//gpuc:kernel workgroup=8,8
func MatMul(it gpu.Item, shared *tile, n int, a, b, c []float32) {
	l, at := it.Local(), it.Global()
	var sum float32
	for t := range n / 8 {
		shared.A[l.Y][l.X] = a[at.Y*n+t*8+l.X]
		shared.B[l.Y][l.X] = b[(t*8+l.Y)*n+at.X]
		it.Barrier()
		for k := range 8 {
			sum += shared.A[l.Y][k] * shared.B[k][l.X]
		}
		it.Barrier()
	}
	c[at.Y*n+at.X] = sum
}

// Particle is an element of buffers.
type Particle struct {
	At, Speed [3]float32
	Alive     int32
}

// Particles is a slice with a name.
type Particles []Particle

// Move has elements that are structures.
//
//gpuc:kernel workgroup=4,4,4
func Move(it gpu.Item, step float32, particles Particles) {
	if i := it.Global().X + 4*(it.Global().Y+4*it.Global().Z); i < len(particles) && particles[i].Alive != 0 {
		for k := range 3 {
			particles[i].At[k] += step * particles[i].Speed[k]
		}
	}
}

// Clip has types of another package.
//
//gpuc:kernel workgroup=64
func Clip(it gpu.Item, box units.Box, gpu units.Metres, x []units.Metres) {
	if i := it.Index(); i < len(x) && !box.Inside(box.Level, x[i]) {
		x[i] = gpu
	}
}

// fill is not exported, and has parameters that it does not use.
//
//gpuc:kernel workgroup=64
func fill(it gpu.Item, unused int, value int32, more []float32, x []int32) {
	if i := it.Index(); i < len(x) {
		x[i] = value
	}
}

// Nothing has an item alone.
//
//gpuc:kernel workgroup=1
func Nothing(it gpu.Item) {}

// Twice calls what is generated, and Table names it.
func Twice(s *gpu.Stream, x *gpu.Buffer[float32]) error {
	return LaunchScale(s, gpu.D1(uint32(x.Len()+63)/64), 2, x)
}
