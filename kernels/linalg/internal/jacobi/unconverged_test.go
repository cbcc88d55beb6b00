package jacobi

import (
	"testing"

	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestUnconverged: info is 1 after sweeps that are too few, and 0 after enough of them.
func TestUnconverged(t *testing.T) {
	d := gputest.Open(t, gpu.Named(gpu.CPU))
	const rows, cols = 9, 7
	s := Shape{Count: 2, Rows: rows, Columns: cols, Blocks: 2, Parts: 1}
	w, v := make([]float32, 2*rows*Order), make([]float32, 2*Order*Order)
	for i := range rows { // columns of the first matrix are orthogonal
		for j := range cols {
			if i == j {
				w[i*Order+j] = 1
			}
			w[(rows+i)*Order+j] = float32((i*7+j*j*5)%11) - 5
		}
	}
	norms, scales, values := make([]float32, 2*cols), []float32{1, 1}, make([]float32, 2*cols)
	done, order, info := make([]int32, 2), make([]int32, 2*cols), make([]int32, 2)
	for _, test := range []struct {
		sweeps int
		want   int32
	}{{1, columns.Unconverged}, {20, columns.Converged}} {
		if err := RunPair(t.Context(), d, gpu.D1(2), s, test.sweeps, 1, 1e-12, 1e-15, 0, w, v, done); err != nil {
			t.Fatal(err)
		}
		if err := RunSort(t.Context(), d, gpu.D1(1), s, 1, norms, scales, done, values, order, info); err != nil {
			t.Fatal(err)
		}
		if info[0] != columns.Converged || info[1] != test.want {
			t.Errorf("after %d sweeps, info is %d, want 0 and %d", test.sweeps, info, test.want)
		}
	}
	if got := columns.State(false, true); got != columns.Unconverged {
		t.Errorf("the state of what is not finished is %d", got)
	}
}
