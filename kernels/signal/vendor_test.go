package signal

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/vendorlib"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// BenchmarkVendor compares with cuFFT. Ratios above 1 mean that ours is faster.
func BenchmarkVendor(b *testing.B) {
	_, s := vendorlib.Device(b)
	shapes := [][]int{{1000}, {10007}, {1024, 1024}, {4096, 4096}, {256, 256, 256}}
	for bits := 8; bits <= 24; bits++ {
		shapes = append(shapes, []int{1 << bits})
	}
	for _, shape := range shapes {
		size, extents := 1, make([]int32, len(shape))
		for n, x := range shape {
			size *= x
			extents[n] = int32(x)
		}
		batch := max(1, 1<<24/size)
		b.Run(fmt.Sprint("C2C/", shape), func(b *testing.B) {
			x, err1 := gpu.Alloc[complex64](s, size*batch)
			y, err2 := gpu.Alloc[complex64](s, size*batch)
			plan, err3 := PlanFFT[complex64](s, shape, batch)
			if err1 != nil || err2 != nil || err3 != nil {
				b.Fatal(err1, err2, err3)
			}
			defer x.Close()
			defer y.Close()
			r := rand.New(rand.NewPCG(1, 2))
			host := make([]complex64, size*batch)
			for i := range host {
				host[i] = complex(r.Float32()-0.5, r.Float32()-0.5)
			}
			if err := x.Write(s, host); err != nil {
				b.Fatal(err)
			}
			defer plan.Close()
			theirs, err := vendorlib.PlanFFT(s, vendorlib.C2C, batch, extents...)
			if err != nil {
				b.Skip("skipped: no cuFFT: ", err)
			}
			defer theirs.Close()
			vendorlib.Compare(b, s, func() error { return plan.Forward(x, y) }, func() error { return theirs.Run(y, x) }, 16*float64(size*batch), 0)
		})
	}
}
