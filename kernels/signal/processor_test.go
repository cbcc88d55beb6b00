package signal

import (
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/internal/vendorlib"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// BenchmarkProcessor compares the CPU device with FFTW. Ratios above 1 mean that ours is faster.
func BenchmarkProcessor(b *testing.B) {
	s := stream(b, gpu.CPU)
	for _, shape := range [][]int{{256}, {1000}, {1024}, {4096}, {65536}, {1 << 20}, {1024, 1024}} {
		size, extents := 1, make([]int32, len(shape))
		for n, x := range shape {
			size *= x
			extents[n] = int32(x)
		}
		batch := max(1, 1<<20/size)
		b.Run(fmt.Sprint("C2C/", shape), func(b *testing.B) {
			host := narrow[complex64](random(size*batch, 3))
			x, y := buffer(b, s, host), buffer(b, s, make([]complex64, size*batch))
			plan, err := PlanFFT[complex64](s, shape, batch)
			check(b, err)
			defer plan.Close()
			theirs, err := vendorlib.PlanFFTW(batch, host, make([]complex64, size*batch), extents...)
			if err != nil {
				b.Skip("skipped: no FFTW: ", err)
			}
			vendorlib.CompareOnProcessor(b, s, func() error { return plan.Forward(x, y) }, theirs.Run)
		})
	}
}
