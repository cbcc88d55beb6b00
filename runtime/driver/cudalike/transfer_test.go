package cudalike_test

import (
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/driver/cuda"
	"github.com/gpuc/gpuc/runtime/driver/cudalike"
)

// BenchmarkTransferPaths compares the two ways for large copies where both apply, so
// that the limit between them can be judged.
func BenchmarkTransferPaths(b *testing.B) {
	const size = 128 << 20
	f := drivertest.New(b, new(cuda.Driver), drivertest.AxpyPTX())
	m := f.Alloc(size)
	host := make([]byte, size)
	part := drivertest.Whole(m)
	for _, c := range []struct {
		name string
		copy func() error
	}{
		{"write staged", func() error {
			if err := cudalike.WriteStaged(part, f.Stream, host); err != nil {
				return err
			}
			return f.Stream.Wait(b.Context())
		}},
		{"write registered", func() error { return f.Stream.Write(part, host) }},
		{"read staged", func() error { return cudalike.ReadStaged(host, f.Stream, part) }},
		{"read registered", func() error { return f.Stream.Read(host, part) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				f.Check(c.copy())
			}
		})
	}
}
