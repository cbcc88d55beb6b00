package gpu

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestEach: every item comes once, and its coordinates belong together.
func TestEach(t *testing.T) {
	seen := map[Int3]int{}
	var numbers []int
	var lock sync.Mutex // items are not ordered
	Each(Grid{X: 2, Y: 3, Z: 1}, Int3{4, 2, 2}, func(it Item) {
		lock.Lock()
		defer lock.Unlock()
		at := it.Global()
		seen[at]++
		l, g := it.Local(), it.Group()
		if want := (Int3{g.X*4 + l.X, g.Y*2 + l.Y, g.Z*2 + l.Z}); at != want || it.Index() != at.X {
			t.Errorf("%v of workgroup %v is %v, index %d", l, g, at, it.Index())
		}
		if it.Groups() != (Int3{2, 3, 1}) || it.Size() != (Int3{4, 2, 2}) || it.LocalIndex() != l.X+4*l.Y+8*l.Z {
			t.Errorf("%v: %v workgroups of %v, number %d", at, it.Groups(), it.Size(), it.LocalIndex())
		}
		if g == (Int3{}) {
			numbers = append(numbers, it.LocalIndex())
		}
	})
	if len(seen) != 8*6*2 {
		t.Errorf("%d items ran, want %d", len(seen), 8*6*2)
	}
	for at, times := range seen {
		if times != 1 {
			t.Errorf("%v ran %d times", at, times)
		}
	}
	if len(numbers) != 16 || !slices.IsSorted(numbers) {
		t.Errorf("the first workgroup ran %v", numbers)
	}
}

// reverse exchanges numbers through workgroup memory.
func reverse(it Item, shared *[8]int, x []int) {
	n := it.LocalIndex()
	shared[n] = x[it.Index()]
	it.Barrier()
	x[it.Index()] = shared[7-n]
	it.Barrier()
	shared[n] = 0
}

// TestEachGroup: items see after a barrier what the others wrote before.
func TestEachGroup(t *testing.T) {
	x := make([]int, 24)
	for n := range x {
		x[n] = n
	}
	EachGroup(D1(3), Int3{8, 1, 1}, func() func(Item) {
		shared := new([8]int)
		return func(it Item) { reverse(it, shared, x) }
	})
	for n := range x {
		if want := n/8*8 + 7 - n%8; x[n] != want {
			t.Fatalf("element %d is %d, want %d: %v", n, x[n], want, x)
		}
	}
}

// TestGridOfNothing: a grid that launches refuse runs nothing in silence as plain Go, either.
func TestGridOfNothing(t *testing.T) {
	defer func() {
		if problem := fmt.Sprint(recover()); !strings.Contains(problem, "gpu.D1(4)") {
			t.Errorf("got %q", problem)
		}
	}()
	Each(D1(0), Int3{4, 1, 1}, func(Item) { t.Error("an item runs") }) // which launches take
	Each(Grid{X: 4}, Int3{4, 1, 1}, func(Item) {})
}

// asserting has an item whose assertion does not hold while others wait for it.
func asserting[T any](it Item, x []T) {
	it.Assert(it.LocalIndex() != 5, "item %d", it.LocalIndex())
	it.Barrier()
}

// TestRecoverInAGroup: what an item panics with reaches the caller, also where items are
// goroutines, and reads as the error of a device.
func TestRecoverInAGroup(t *testing.T) {
	defer SetPlainOutput(SetPlainOutput(io.Discard))
	for _, test := range []struct {
		kernel func(it Item)
		want   string
	}{
		{func(it Item) { asserting(it, []int{}) }, `^.*plain_test\.go:\d+: kernel asserting: assertion failed: item 5, in global invocation \(13, 0, 0\)$`},
		{func(it Item) {
			if it.LocalIndex() == 3 {
				panic("one")
			}
			it.Barrier()
		}, "^one$"},
	} {
		func() {
			defer func() {
				if problem := fmt.Sprint(recover()); !regexp.MustCompile(test.want).MatchString(problem) {
					t.Errorf("got %q, want %s", problem, test.want)
				}
			}()
			groups := 0
			EachGroup(D1(3), Int3{8, 1, 1}, func() func(Item) {
				groups++
				return func(it Item) {
					if it.Group().X > 0 {
						test.kernel(it)
					}
				}
			})
			t.Errorf("%d groups ran", groups)
		}()
	}
}

// TestDivergentBarriers: divergence at a barrier is reported with the locations.
func TestDivergentBarriers(t *testing.T) {
	for _, test := range []struct {
		name   string
		kernel func(it Item)
		want   []string
	}{
		{"some end", func(it Item) {
			if it.LocalIndex() < 3 {
				it.Barrier()
			}
		}, []string{"diverge at a barrier", "ended", "waits at plain_test.go:"}},
		{"without EachGroup", nil, []string{"EachGroup runs kernels with barriers"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				problem := fmt.Sprint(recover())
				for _, want := range test.want {
					if !strings.Contains(problem, want) {
						t.Errorf("%q lacks %q", problem, want)
					}
				}
			}()
			if test.kernel == nil {
				Each(D1(1), Int3{4, 1, 1}, Item.Barrier)
			} else {
				EachGroup(D1(1), Int3{4, 1, 1}, func() func(Item) { return test.kernel })
			}
			t.Error("nothing is reported")
		})
	}
}
