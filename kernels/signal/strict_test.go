package signal

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestStrict: strict transforms have the same bits on all devices, for sizes that some of them
// would transform in fewer passes than others.
func TestStrict(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails, and its devices are left out: %v", err)
	}
	before := map[int][]complex64{}
	for _, info := range infos {
		if info.Target == abi.Checked {
			continue
		}
		s, err := gputest.Open(t, gpu.Named(info.ID())).NewStream()
		check(t, err)
		for _, n := range []int{3000, 8192} {
			plan, err := PlanFFT[complex64](s, []int{n}, 1, Strict())
			check(t, err)
			x, y := buffer(t, s, narrow[complex64](random(n, 5))), buffer(t, s, make([]complex64, n))
			check(t, plan.Forward(x, y))
			got := read(t, s, y)
			if want := before[n]; want != nil && !slices.Equal(got, want) {
				t.Errorf("%s: %d numbers have other bits than on the device before", info.ID(), n)
			}
			before[n] = got
			check(t, plan.Close())
		}
	}
}
