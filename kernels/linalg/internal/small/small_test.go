package small

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// form is a batch of small whole numbers and its matrices, whose products and sums are exact.
type form struct {
	rows, cols, count int
	transposed        bool // columns are contiguous
	gap               int  // elements between rows
	before            int  // elements before the first matrix
	shared            bool // all matrices are the same one
}

// batchOf returns the batch and its elements.
func batchOf[T f32 | f64](t *testing.T, r *rand.Rand, d *gpu.Device, f form) (Batch[T], []T) {
	l := gpu.MatrixLayout{Offset: f.before, Rows: f.rows, Cols: f.cols, RowStride: f.cols + f.gap, ColStride: 1}
	each := f.rows * (f.cols + f.gap)
	if f.transposed {
		l.RowStride, l.ColStride = 1, f.rows+f.gap
		each = f.cols * (f.rows + f.gap)
	}
	host := make([]T, f.before+f.count*each)
	for i := range host {
		host[i] = T(r.IntN(9) - 4)
	}
	b, err := gpu.Upload(t.Context(), d, host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	if f.shared {
		each = 0
	}
	return Batch[T]{gpu.MatrixBuffer[T]{Buffer: b, MatrixLayout: l}, each}, host
}

// position is that of an element of matrix p.
func (b Batch[T]) position(p, i, j int) int {
	return b.Offset + p*b.Step + i*b.RowStride + j*b.ColStride
}

// expected makes product p of host slices by loops.
func expected[T f32 | f64](alpha T, a Batch[T], x []T, p int, b Batch[T], y []T, q int, beta T, c Batch[T], z []T, o int) {
	for i := range c.Rows {
		for j := range c.Cols {
			var sum T
			for k := range a.Cols {
				sum += x[a.position(p, i, k)] * y[b.position(q, k, j)]
			}
			at := c.position(o, i, j)
			z[at] = alpha*sum + beta*z[at]
		}
	}
}

// onDevices runs a test on the processor, and as a long test on the first devices of CUDA and of
// Vulkan. Kernels take a second to compile there, so that the test is to leave some out.
func onDevices(t *testing.T, test func(t *testing.T, d *gpu.Device, all bool)) {
	list, err := gpu.Devices()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{gpu.CPU, gpu.CUDA, gpu.Vulkan} {
		t.Run(name, func(t *testing.T) {
			if name != gpu.CPU {
				testmode.Long(t)
			}
			for _, info := range list {
				if info.Driver == name {
					test(t, gputest.Open(t, gpu.Named(info.ID())), name == gpu.CPU)
					return
				}
			}
			t.Skip("skipped: no device of " + name)
		})
	}
}

// TestMultiply compares products with loops. All numbers are exact.
func TestMultiply(t *testing.T) {
	onDevices(t, func(t *testing.T, d *gpu.Device, all bool) {
		compareProducts[float32](t, d, all)
		if all {
			compareProducts[float64](t, d, all)
		}
	})
}

func compareProducts[T f32 | f64](t *testing.T, d *gpu.Device, all bool) {
	r := rand.New(rand.NewPCG(1, 2))
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	for k, test := range []struct {
		a, b, c form
		beta    T
	}{
		{form{rows: 16, cols: 16, count: 19}, form{rows: 16, cols: 16, count: 19}, form{rows: 16, cols: 16, count: 19}, 0},
		{form{rows: 16, cols: 16, count: 3, before: 512}, form{rows: 16, cols: 16, count: 3, shared: true}, form{rows: 16, cols: 16, count: 3, before: 256}, 2},
		{form{rows: 32, cols: 32, count: 5}, form{rows: 32, cols: 32, count: 5}, form{rows: 32, cols: 32, count: 5}, 0.5},
		{form{rows: 64, cols: 64, count: 2}, form{rows: 64, cols: 64, count: 2}, form{rows: 64, cols: 64, count: 2}, -1},
		{form{rows: 16, cols: 16, count: 9, before: 1}, form{rows: 16, cols: 16, count: 9, transposed: true}, form{rows: 16, cols: 16, count: 9, gap: 1}, 0},
		{form{rows: 5, cols: 1, count: 9}, form{rows: 1, cols: 13, count: 9, gap: 3}, form{rows: 5, cols: 13, count: 9, transposed: true}, 0.5},
		{form{rows: 31, cols: 40, count: 3, transposed: true}, form{rows: 40, cols: 20, count: 3}, form{rows: 31, cols: 20, count: 3, before: 7}, 0},
		{form{rows: 33, cols: 63, count: 2}, form{rows: 63, cols: 64, count: 2, transposed: true, gap: 2}, form{rows: 33, cols: 64, count: 2}, 3},
		{form{rows: 70, cols: 3, count: 2}, form{rows: 3, cols: 130, count: 2}, form{rows: 70, cols: 130, count: 2}, 3},
		{form{rows: 20, cols: 0, count: 2}, form{rows: 0, cols: 3, count: 2}, form{rows: 20, cols: 3, count: 2}, 3},
	} {
		if !all && k != 1 && k != 6 {
			continue
		}
		if test.a.cols == 0 { // buffers are not empty
			test.a.before, test.b.before = 1, 1
		}
		a, x := batchOf[T](t, r, d, test.a)
		b, y := batchOf[T](t, r, d, test.b)
		c, z := batchOf[T](t, r, d, test.c)
		for p := range test.c.count {
			expected(0.5, a, x, p, b, y, p, test.beta, c, z, p)
		}
		err := Multiply(s, test.c.count, 0.5, a, b, test.beta, c)
		same(t, s, fmt.Sprintf("%T: %+v · %+v = %+v", *new(T), test.a, test.b, test.c), err, c.Buffer, z)
	}
}

// same reports elements of a buffer that are not the wanted ones.
func same[T f32 | f64](t *testing.T, s *gpu.Stream, what string, err error, b *gpu.Buffer[T], want []T) {
	t.Helper()
	got := make([]T, b.Len())
	if err == nil {
		err = b.Read(context.Background(), s, got)
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// TestListed compares the products of a list with loops. Some of its numbers are of no matrix.
func TestListed(t *testing.T) {
	onDevices(t, func(t *testing.T, d *gpu.Device, all bool) {
		if !all {
			compareListed[float64](t, d, 17, 65)
			return
		}
		compareListed[float32](t, d, 9, 14)
		compareListed[float64](t, d, 16, 3)
		compareListed[float32](t, d, 70, 65)
		compareListed[float64](t, d, 17, 65)
	})
}

func compareListed[T f32 | f64](t *testing.T, d *gpu.Device, rows, cols int) {
	r := rand.New(rand.NewPCG(3, 4))
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	a, x := batchOf[T](t, r, d, form{rows: rows, cols: 7, count: 3})
	b, y := batchOf[T](t, r, d, form{rows: 7, cols: cols, count: 4, transposed: true})
	c, z := batchOf[T](t, r, d, form{rows: rows, cols: cols, count: 11})
	list := [][3]int32{{2, 1, 5}, {0, 3, 0}, {0, 0, 1}, {3, 0, 2}, {0, -1, 3}, {1, 1, 11}, {1, 2, 4}, {2, 2, -1 << 31}, {2, 3, 10}}
	for _, at := range list {
		if at[0] >= 0 && at[0] < 3 && at[1] >= 0 && at[1] < 4 && at[2] >= 0 && at[2] < 11 {
			expected(2, a, x, int(at[0]), b, y, int(at[1]), 1, c, z, int(at[2]))
		}
	}
	buffer, err := gpu.Upload(t.Context(), d, list)
	if err != nil {
		t.Fatal(err)
	}
	err = MultiplyListed(s, len(list), 2, a, b, 1, c, buffer, [3]int32{3, 4, 11})
	same(t, s, fmt.Sprintf("%T: %d × %d", *new(T), rows, cols), err, c.Buffer, z)
}
