package interp_test

import (
	"runtime"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir/interp"
)

// TestProgramsShareFrames: programs that run one after the other do so in the same frames,
// of which each worker has half a megabyte, and leave nothing behind that would outlive them.
func TestProgramsShareFrames(t *testing.T) {
	const programs = 200
	run := func() {
		m := irtest.Parse(t, `var @x : ptr<storage, array<u32, 4u>, read_write> [group 0, binding 0]
kernel @main(%i: u32 [local_invocation_index]) [workgroup 4u, 1u, 1u] {
  %p = access @x, %i : ptr<storage, u32, read_write>
  %v = load %p : u32
  %w = add %v, %i : u32
  store %p, %w
  return
}
`)
		p, err := interp.Compile(m, m.Kernels()[0])
		if err != nil {
			t.Fatal(err)
		}
		x := []byte{10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 40, 0, 0, 0}
		if _, err := p.Run(&interp.Launch{Buffers: [][]byte{x}, Grid: [3]uint32{1, 1, 1}, Workers: 1, Fuel: 1 << 10}); err != nil {
			t.Fatal(err)
		}
		if x[0] != 10 || x[4] != 21 || x[8] != 32 || x[12] != 43 {
			t.Fatal(x)
		}
	}
	run()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range programs {
		run()
	}
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / programs; bytes > 128<<10 {
		t.Errorf("a program takes %d bytes in the mean, want at most 128 KiB", bytes)
	}
}
