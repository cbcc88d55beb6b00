package linalg

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestCrowd: workgroups that share a panel make the bits of one that has it for itself. They run as
// plain Go, since no device of the tests runs all workgroups at the same time.
func TestCrowd(t *testing.T) {
	s := onCPU(t)
	crowdsOf[float32, [4]float32, number32](t, s)
	if testmode.IsLong() {
		crowdsOf[float64, [2]float64, number64](t, s)
	}
}

func crowdsOf[T Real, Q quad[T], W words[T]](t *testing.T, s *gpu.Stream) {
	const rows, cols = 2*blockRows + 40, 3
	const blocks = 3
	r := sourceOf(t, s, 91)
	original := make([]T, rows*cols)
	for i := range original {
		original[i] = T(r.number())
		if i%cols == 2 { // another scale
			original[i] *= 1e-25
		}
	}
	type result struct{ a, v, g, tau []T }
	factored := func(groups int, run func(group int, shared *reflecting[T, Q], it gpu.Item, r result)) result {
		r := result{slices.Clone(original), make([]T, rows*cols), make([]T, cols*cols), make([]T, cols)}
		var all sync.WaitGroup
		for g := range groups {
			all.Go(func() {
				gpu.EachGroup(gpu.D1(1), gpu.Int3{X: blockItems, Y: 1, Z: 1}, func() func(gpu.Item) {
					shared := new(reflecting[T, Q])
					return func(it gpu.Item) { run(g, shared, it, r) }
				})
			})
		}
		all.Wait()
		return r
	}
	matrices := func(r result) (a, v, g gpu.Matrix[T]) {
		return gpu.NewMatrix(r.a, rows, cols), gpu.NewMatrix(r.v, rows, cols), gpu.NewMatrix(r.g, cols, cols)
	}
	want := factored(1, func(_ int, shared *reflecting[T, Q], it gpu.Item, r result) {
		a, v, g := matrices(r)
		qrPanel[T, Q](it, shared, a, 0, r.tau, 0, v, g)
	})
	for _, groups := range []int{blocks, blocks - 1} {
		status := make([]uint64, firstState+2*(blocks+1)*2*reflected)
		const number = 5
		got := factored(groups, func(group int, shared *reflecting[T, Q], it gpu.Item, r result) {
			p := parts[T, Q]{shared.V[:], shared.Sums[:], shared.Joined[:], shared.Tops[:], shared.Staged[:], &shared.Made}
			a, v, g := matrices(r)
			factorPanel(it, p, among[T, Q, W]{status, number}, group, groups, a, 0, r.tau, 0, v, g)
		})
		for k, list := range [][2][]T{{got.a, want.a}, {got.v, want.v}, {got.g, want.g}, {got.tau, want.tau}} {
			if !slices.Equal(list[0], list[1]) {
				t.Errorf("%T: %d workgroups have another result %d than one", T(0), groups, k)
			}
		}
	}
}

// TestCrowds: launches of a device's streams follow each other, epochs begin again after the last
// one and after a launch that failed, and words grow.
func TestCrowds(t *testing.T) {
	one := onCPU(t)
	two := must[*gpu.Stream](t)(one.Device().NewStream())
	t.Cleanup(func() { check(t, two.Close()) })
	c := crowdOf(one.Device())
	if c != crowdOf(two.Device()) {
		t.Error("a device has two crowds")
	}
	if n := crowdGroups(one, 9); n != 1 {
		t.Errorf("%d workgroups wait on the processor", n)
	}
	c.number = 0
	launch := func(s *gpu.Stream, states int, epochs, want uint32, fails error) {
		t.Helper()
		does, err := c.launch(s, states, epochs, func(number uint32, words *gpu.Buffer[uint64]) error {
			if number != want || words.Len() < firstState+states {
				t.Errorf("epochs begin behind %d, want %d, with %d words for %d", number, want, words.Len(), states)
			}
			return fails
		})
		if !does || !errors.Is(err, fails) {
			t.Errorf("a launch: %v, %v", does, err)
		}
	}
	launch(one, 10, 7, 0, nil)
	launch(two, 10, 7, 7, nil)
	launch(one, 20, 7, 0, nil)
	launch(two, 10, 7, 7, gpu.ErrShape)
	launch(one, 10, 7, 0, nil)
	launch(one, 10, 1<<32-1, 0, nil)
	if _, err := one.Capture(func() error {
		does, err := c.launch(two, 10, 1, func(uint32, *gpu.Buffer[uint64]) error { return nil })
		if does || err != nil {
			t.Errorf("a launch waits for a stream that captures: %v, %v", does, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	c.drop()
}
