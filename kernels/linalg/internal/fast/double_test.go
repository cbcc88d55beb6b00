package fast

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// doubleKernels are the kernels of double.go. Old ones read c, and others do not.
var doubleKernels = []struct {
	name   string
	isOld  bool
	values func(alpha float64, a, b gpu.MatrixLayout, beta float64, c gpu.MatrixLayout) ([]uint32, error)
}{
	{"GemmDouble128x128", true, old(gpucValuesOfGemmDouble128x128)},
	{"GemmDouble64x64", true, old(gpucValuesOfGemmDouble64x64)},
	{"NewGemmDouble128x128", false, fresh(gpucValuesOfNewGemmDouble128x128)},
	{"NewGemmDouble64x64", false, fresh(gpucValuesOfNewGemmDouble64x64)},
}

func old(values func(alpha float64, a, b gpu.MatrixLayout, beta float64, c gpu.MatrixLayout, part int) ([20]uint32, error)) func(alpha float64, a, b gpu.MatrixLayout, beta float64, c gpu.MatrixLayout) ([]uint32, error) {
	return func(alpha float64, a, b gpu.MatrixLayout, beta float64, c gpu.MatrixLayout) ([]uint32, error) {
		v, err := values(alpha, a, b, beta, c, product.All)
		return v[:], err
	}
}

func fresh(values func(alpha float64, a, b, c gpu.MatrixLayout) ([18]uint32, error)) func(alpha float64, a, b gpu.MatrixLayout, beta float64, c gpu.MatrixLayout) ([]uint32, error) {
	return func(alpha float64, a, b gpu.MatrixLayout, _ float64, c gpu.MatrixLayout) ([]uint32, error) {
		v, err := values(alpha, a, b, c)
		return v[:], err
	}
}

// TestDoubleUnits runs the variants for units that multiply float64 on the emulator, and compares
// them with loops. Matrices have tiles that are whole and others that are not, in rows that are
// aligned, not aligned, and in columns.
func TestDoubleUnits(t *testing.T) {
	archive, err := abi.OpenArchive(gpucArchive)
	if err != nil {
		t.Fatal(err)
	}
	for n, kernel := range doubleKernels {
		artefact, err := archive.Artefact(kernel.name, abi.PTX)
		if err != nil {
			t.Fatal(err)
		}
		if artefact.Tensor == nil || len(artefact.Tensor.Maps) > 0 {
			t.Fatalf("%s has no variant without tensor maps", kernel.name)
		}
		if got := artefact.Tensor.Artefact.Kernel.Profile; got != "sm_90" {
			t.Errorf("the variant of %s is for %q, want one for later devices, too", kernel.name, got)
		}
		code, err := ptx.Parse(artefact.Tensor.Artefact.Code)
		if err != nil {
			t.Fatal(kernel.name, err)
		}
		for k, test := range []struct {
			rows, depth, cols, spare int
			transposed               bool
		}{
			{130, 100, 132, 2, false},
			{67, 37, 131, 1, false},
			{64, 70, 66, 0, true},
		} {
			if !testmode.IsLong() && (n+k)%3 != 0 {
				continue
			}
			name := fmt.Sprint(kernel.name, test)
			r := rand.New(rand.NewPCG(17, uint64(k)))
			a, b := newDouble(r, test.rows, test.depth, test.spare, test.transposed), newDouble(r, test.depth, test.cols, test.spare, test.transposed)
			c := newDouble(r, test.rows, test.cols, test.spare, false)
			alpha, beta := 0.75, 0.0
			if kernel.isOld {
				beta = -2
			}
			values, err := kernel.values(alpha, a.MatrixLayout, b.MatrixLayout, beta, c.MatrixLayout)
			if err != nil {
				t.Fatal(name, err)
			}
			launch := &emulate.Launch{Entry: kernel.name, Grid: [3]uint32{2, 1, 1}, Steps: 1 << 30}
			launch.Immediates, _ = binary.Append(nil, binary.LittleEndian, values)
			var data [3][]byte
			for n, m := range []double{a, b, c} {
				data[n], _ = binary.Append(nil, binary.LittleEndian, m.elements)
				launch.Buffers = append(launch.Buffers, emulate.Buffer{Binding: uint32(n), Data: data[n]})
			}
			if k := &artefact.Kernel; k.Immediates == nil {
				launch.Buffers = append(launch.Buffers, emulate.Buffer{Binding: 3, Data: launch.Immediates})
				launch.Immediates = nil
			}
			if is, err := code.RunTensor(artefact.Tensor, launch); !is || err != nil {
				t.Fatal(name, is, err)
			}
			for i, x := range c.elements {
				want, bound := x, 0.0
				row, col := i/c.RowStride, i%c.RowStride
				if col < c.Cols {
					want, bound = beta*x, 1e-15*math.Abs(beta*x)
					for k := range test.depth {
						p := alpha * a.at(row, k) * b.at(k, col)
						want, bound = want+p, bound+1e-15*math.Abs(p)
					}
				}
				if got := math.Float64frombits(binary.LittleEndian.Uint64(data[2][8*i:])); !(math.Abs(got-want) <= 8*bound) {
					t.Fatalf("%s: element (%d, %d) is %v, want %v", name, row, col, got, want)
				}
			}
		}
	}
}

// double is a matrix.
type double struct {
	gpu.MatrixLayout
	elements []float64
}

// newDouble returns a matrix of random numbers, in rows or in columns with some elements behind
// each.
func newDouble(r *rand.Rand, rows, cols, spare int, byColumn bool) double {
	m := double{MatrixLayout: gpu.MatrixLayout{Rows: rows, Cols: cols, RowStride: cols + spare, ColStride: 1}, elements: make([]float64, rows*(cols+spare))}
	if byColumn {
		m.RowStride, m.ColStride, m.elements = 1, rows+spare, make([]float64, cols*(rows+spare))
	}
	for i := range m.elements {
		m.elements[i] = 2*r.Float64() - 1
	}
	return m
}

func (m *double) at(row, col int) float64 { return m.elements[row*m.RowStride+col*m.ColStride] }
