//go:build !nodrivers && linux && amd64

package rocm

import (
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
)

// TestDriver runs the tests of all drivers, with kernels that are compiled for a processor, loaded, and executed on the host, in
// waves of 64 and of 32. Executing allocates in this process, so the test of what launches allocate is another.
func TestDriver(t *testing.T) {
	for _, c := range []struct {
		name, processor string
		first, pools    int
	}{
		{"waves of 64", "gfx90a", 0, 1},
		{"waves of 32", "gfx1030", 1, 1},
		{"without pools", "gfx90a", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			Open(t, Settings{"first": c.first, "pools": c.pools})
			drivertest.RunBut(t, new(Driver), drivertest.AxpyAMDGPU(c.processor), map[string]string{
				"launches do not allocate": "the bench allocates; TestLaunchesDoNotAllocate runs it with launches that are not executed",
			})
		})
	}
}
