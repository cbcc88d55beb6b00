// Package generic has generic kernels, and calls what is generated for them.
package generic

import (
	"github.com/gpuc/gpuc/runtime/gpu"

	"example.com/generic/units"
)

//go:generate go tool gpuc gen .

// Scale has values and a buffer of the type.
//
//gpuc:kernel workgroup=64 types=float32,int32,units.Metres
func Scale[E gpu.Number](it gpu.Item, s E, x []E) {
	if i := it.Index(); i < len(x) {
		x[i] = x[i] * s / 2
	}
}

// Convert has several types.
//
//gpuc:kernel workgroup=64 types=float32/int32,int32/float32,uint32/uint32
func Convert[From, To gpu.Number](it gpu.Item, from []From, plus To, to []To) {
	if i := it.Index(); i < len(to) {
		to[i] = To(from[i]) + plus
	}
}

// Pair is generic itself.
type Pair[T any] struct{ A, B T }

// Move copies what is large, and passes it as a uniform buffer.
//
//gpuc:kernel workgroup=64 types=units.Span,[3]float32,Pair[Pair[int32]]
func Move[T any](it gpu.Item, first T, rest Pair[T], unit units.Metres, x []T) {
	if i := it.Index(); i < len(x) {
		x[i] = rest.B
		if i == 0 {
			x[i] = first
		}
	}
}

// Tile has a size of workgroup memory as a type.
type Tile interface{ ~[16]int32 | ~[64]int32 }

// Reverse turns as many elements around as its memory has.
//
//gpuc:kernel workgroup=64 types=[16]int32,[64]int32
func Reverse[T Tile](it gpu.Item, shared *T, x []int32) {
	l, n := it.LocalIndex(), len(*shared)
	if l < n && l < len(x) {
		(*shared)[l] = x[l]
	}
	it.Barrier()
	if l < n && l < len(x) {
		x[l] = (*shared)[n-1-l]
	}
}

// Operation takes the place of a function.
type Operation[T any] interface {
	Start() T
	Apply(a, b T) T
}

type sum struct{}

func (sum) Start() int32           { return 0 }
func (sum) Apply(a, b int32) int32 { return a + b }

type product struct{}

func (product) Start() uint32            { return 1 }
func (product) Apply(a, b uint32) uint32 { return a * b }

//gpuc:kernel workgroup=1 types=sum/int32,product/uint32
func fold[O Operation[T], T gpu.Number](it gpu.Item, x []T) {
	var o O
	r := o.Start()
	for _, v := range x {
		r = o.Apply(r, v)
	}
	x[0] = r
}

// Last has a constraint with another type parameter in it.
//
//gpuc:kernel workgroup=1 types=[2]int32/int32,[3]float32/float32
func Last[A interface{ ~[2]T | ~[3]T }, T gpu.Number](it gpu.Item, x []A, y []T) {
	y[0] = x[0][len(x[0])-1]
}

// Convolve has views, and a structure of the package gpu: z is the convolution of images with
// weights.
//
//gpuc:kernel workgroup=16 types=float32,float64
func Convolve[T float32 | float64](it gpu.Item, images gpu.Tensor[T], window gpu.Window, weights, z gpu.Matrix[T]) {
	windows := images.Windows(window)
	row := 8 * it.Group().X
	var sum gpu.Tile[[8][4]T]
	for k := 0; k < windows.Cols(); k += 8 {
		sum = gpu.MulAdd(it, gpu.LoadWindows[[8][8]T](it, windows, row, k), gpu.LoadTile[[8][4]T](it, weights, k, 0), sum)
	}
	gpu.StoreTile(it, z, row, 0, sum)
}

// Names has parameters with names of types and of what launchers use.
//
//gpuc:kernel workgroup=1 types=float32/Pair[int32],uint32/units.Span
func Names[s gpu.Number, g any](it gpu.Item, float32, any s, Pair g, units, values []g, gpuc_, gpucOfNames_float32_Pair_int32 []s) {
	units[0] = Pair
	values[0] = units[0]
	gpuc_[0] = float32 + any
	gpucOfNames_float32_Pair_int32[0] = any
}

// use calls launchers before there are any.
func use(s *gpu.Stream, f *gpu.Buffer[float32], i *gpu.Buffer[int32]) error {
	if err := LaunchScale(s, gpu.D1(1), 2, f); err != nil {
		return err
	}
	if err := LaunchReverse[[16]int32](s, gpu.D1(1), i); err != nil {
		return err
	}
	return LaunchConvert(s, gpu.D1(1), f, 1, i)
}
