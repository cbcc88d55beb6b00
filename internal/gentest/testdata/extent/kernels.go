// Package extent has kernels whose items work alone, launched over extents that fill no workgroups. None of them looks
// whether it has something to do.
package extent

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Line counts in one dimension, and has no values.
//
//gpuc:kernel workgroup=64
func Line(it gpu.Item, x []uint32) { x[it.Index()] += uint32(it.Index()) + 1 }

// Square counts in two, and has one value.
//
//gpuc:kernel workgroup=8,4
func Square(it gpu.Item, width int, x []uint32) {
	at := it.Global()
	x[at.Y*width+at.X] += uint32(100*at.Y + at.X + 1)
}

// Cube counts in three, with values of several sizes.
//
//gpuc:kernel workgroup=4,2,8
func Cube(it gpu.Item, first gpu.Vec3f, width, height int, x []float32) {
	at := it.Global()
	x[(at.Z*height+at.Y)*width+at.X] += first.X + first.Z*float32(at.Z)
}

// Flat has one item along Y in a workgroup, where every extent is whole.
//
//gpuc:kernel workgroup=16,1
func Flat(it gpu.Item, width int, x []uint32) { x[it.Global().Y*width+it.Index()]++ }

// Table takes its values as a uniform buffer, since they are an array.
//
//gpuc:kernel workgroup=32
func Table(it gpu.Item, weights [20]float32, x []float32) { x[it.Index()] += weights[it.Index()%20] }

// Guarded looks by itself, and at another length.
//
//gpuc:kernel workgroup=64
func Guarded(it gpu.Item, x []uint32) {
	if i := it.Index(); i < len(x) {
		x[i]++
	}
}

// Count lets all items add to one number: each that runs is seen.
//
//gpuc:kernel workgroup=64
func Count(it gpu.Item, counts []uint32) { addOne(&counts[0]) }

// Together adds in workgroup memory.
//
//gpuc:kernel workgroup=32
func Together(it gpu.Item, shared *[32]uint32, x []uint32) {
	shared[it.LocalIndex()] = x[it.Index()]
	it.Barrier()
	x[it.Index()] = shared[31-it.LocalIndex()]
}
