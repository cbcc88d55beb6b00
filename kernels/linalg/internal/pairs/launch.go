package pairs

import (
	_ "embed"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// archive is the archive of the package's kernels. The functions that gpuc gen writes take buffers
// of arrays of floats. Those of package linalg are of complex numbers.
//
//go:embed gpuc_gen.zip
var archive string

// Kernel is a kernel, for float32 and for float64.
type Kernel [2]gpu.Embedded

// kernelOf returns the kernel of a name, with what it has behind float32 and float64.
func kernelOf(name, single, double string) Kernel {
	return Kernel{{Archive: archive, Name: name + "_float32" + single}, {Archive: archive, Name: name + "_float64" + double}}
}

// The kernels.
var (
	Axpy        = kernelOf("axpy", "", "")
	Scale       = kernelOf("scale", "", "")
	Copied      = kernelOf("copied", "", "")
	Swapped     = kernelOf("swapped", "", "")
	Dot         = kernelOf("dot", "", "")
	SumOfSums   = kernelOf("sumOfSums", "", "")
	Parts       = kernelOf("parts", "", "")
	Sizes       = kernelOf("sizes", "", "")
	GemvRows    = kernelOf("gemvRows", "_single", "_double")
	GemvColumns = kernelOf("gemvColumns", "_single", "_double")
	Rank1       = kernelOf("rank1", "", "")
	Gemm        = kernelOf("gemm", "_single", "_double")
	Expand      = kernelOf("expand", "", "")
	Solve       = kernelOf("solve", "", "")
)

// Values are the values of a launch as kernels take them (gpu.Embedded.Launch). Numbers come first.
type Values struct {
	words  [32]uint32
	n      int
	double bool // whether numbers are of two float64
	wide   bool // whether there are such
}

// ValuesOf returns no values, for numbers of type C.
func ValuesOf[C complex64 | complex128]() Values {
	_, double := any(*new(C)).(complex128)
	return Values{double: double}
}

// Number adds a complex number.
func (v *Values) Number(c complex128) *Values {
	for _, x := range [...]float64{real(c), imag(c)} {
		if !v.double {
			v.add(math.Float32bits(float32(x)))
			continue
		}
		v.wide = true
		v.add(uint32(math.Float64bits(x)))
		v.add(uint32(math.Float64bits(x) >> 32))
	}
	return v
}

// Int adds numbers that have 32 bits, as all of package linalg do.
func (v *Values) Int(list ...int) *Values {
	for _, x := range list {
		v.add(uint32(x))
	}
	return v
}

// Layout adds the layout of a matrix.
func (v *Values) Layout(l gpu.MatrixLayout) *Values {
	return v.Int(l.Offset, l.Rows, l.Cols, l.RowStride, l.ColStride)
}

func (v *Values) add(word uint32) {
	v.words[v.n] = word
	v.n++
}

// Launch enqueues a kernel.
func (k *Kernel) Launch(s *gpu.Stream, g gpu.Grid, v *Values, buffers ...gpu.Bound) error {
	which := 0
	if v.double {
		which = 1
	}
	if v.wide {
		v.n += v.n % 2 // they have the alignment of a float64
	}
	return k[which].Launch(s, g, v.words[:v.n], buffers...)
}

// The sizes that grids are made of.
const (
	Block    = block
	Rows     = rowsAtOnce
	Lanes    = lanes
	GemmSide = side
	Unknowns = unknowns
	Columns  = columns
)
