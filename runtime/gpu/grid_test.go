package gpu

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
)

// TestItems: a grid of items becomes workgroups, and what no launch takes is refused before
// anything runs. The fake kernel has workgroups of 64 by 2, whose items work together.
func TestItems(t *testing.T) {
	d, fake := newFake(t)
	k := must(d.Load(artefact()))
	s := must(d.NewStream())
	args := k.Args()
	x, y, p := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64)), must(Alloc[uint32](d, 2))
	check(t, args.Set(0, x))
	check(t, args.Set(1, y))
	check(t, args.Set(2, p))
	for grid, want := range map[Grid][3]uint32{
		Items2(64, 2): {1, 1, 1}, Items2(640, 4): {10, 2, 1}, Items3(128, 2, 3): {2, 1, 3}, Items2(0, 2): {0, 1, 1},
	} {
		check(t, s.Launch(args, grid))
		if got := fake.launches[len(fake.launches)-1].Grid; got != want {
			t.Errorf("%v: got %v, want %v", grid, got, want)
		}
	}
	before := len(fake.launches)
	for grid, want := range map[Grid]error{
		Items1(64): ErrShape, Items2(65, 2): ErrShape, Items2(64, 3): ErrShape, Items2(64, 0): ErrShape, Items3(64, 2, 0): ErrShape,
		Items2(-64, 2): ErrLimit, Items2(math.MaxInt32+1, 2): ErrLimit, Items2(64, math.MinInt): ErrLimit, Items2(64*101, 2): ErrLimit,
	} {
		if err := s.Launch(args, grid); !errors.Is(err, want) {
			t.Errorf("%v: got %v, want %v", grid, err, want)
		}
	}
	if len(fake.launches) != before {
		t.Error("something ran")
	}
}

// TestIntPositions: a kernel that relies on positions below 2^31 is not launched with more items in
// a dimension, and others are.
func TestIntPositions(t *testing.T) {
	k := Kernel{description: abi.Kernel{Workgroup: [3]uint32{96, 2, 1}, Extent: &abi.Extent{}}}
	most := (math.MaxInt32) / 96
	for _, test := range []struct {
		grid   Grid
		refuse bool
	}{
		{D1(uint32(most)), false}, {D1(uint32(most) + 1), true}, {Items1(most * 96), false}, {Items1(math.MaxInt32), true},
		{Grid{X: 1, Y: 1<<30 - 1, Z: 1}, false}, {Grid{X: 1, Y: 1 << 30, Z: 1}, true},
	} {
		for _, promised := range []bool{false, true} {
			k.description.IntPositions = promised
			if _, err := k.workgroups(test.grid); errors.Is(err, ErrLimit) != (test.refuse && promised) {
				t.Errorf("%v, positions promised to be ints %v: %v", test.grid, promised, err)
			}
		}
	}
}

// TestIntLengths: nor does it get an array without a size of 2^31 elements, which it would count as
// less than none.
func TestIntLengths(t *testing.T) {
	d, _ := newFake(t)
	d.info.MaxBufferBytes = 1 << 40
	x := must(Alloc[byte](d, 16))
	memory, part, _ := x.bound()
	k := Kernel{device: d}
	for _, test := range []struct {
		stride, size uint32
		bytes        uint64
		refuse       bool
	}{
		{1, 0, math.MaxInt32, false}, {1, 0, math.MaxInt32 + 1, true}, {4, 0, 4*math.MaxInt32 + 3, false}, {4, 0, 4 * (math.MaxInt32 + 1), true},
		{4, 16, 4*math.MaxInt32 + 16, false}, {4, 16, 4*math.MaxInt32 + 20, true}, {0, 16, 1 << 33, false},
	} {
		for _, promised := range []bool{false, true} {
			k.description.IntPositions = promised
			part.Bytes = test.bytes
			if err := k.fits(&abi.Binding{Stride: test.stride, Size: test.size}, x, memory, part, ""); errors.Is(err, ErrLimit) != (test.refuse && promised) {
				t.Errorf("%+v, promised %v: %v", test, promised, err)
			}
		}
	}
}

// TestEachExtent: plain Go runs exactly the items of a grid, whether or not they fill workgroups,
// and items that work together in whole workgroups only.
func TestEachExtent(t *testing.T) {
	for _, grid := range []Grid{Items1(1), Items1(5), Items1(8), Items2(5, 3), Items3(5, 3, 7), Items3(4, 2, 2), Items1(0)} {
		seen := map[Int3]int{}
		size := Int3{4, 2, 2}
		var lock sync.Mutex // items are not ordered
		Each(grid, size, func(it Item) {
			lock.Lock()
			defer lock.Unlock()
			seen[it.Global()]++
			if l, g := it.Local(), it.Group(); it.Global() != (Int3{4*g.X + l.X, 2*g.Y + l.Y, 2*g.Z + l.Z}) || it.Size() != size {
				t.Errorf("%v: %v is %v of %v", grid, it.Global(), l, g)
			}
		})
		want := 0
		for z := range int(grid.Z) {
			for y := range int(grid.Y) {
				for x := range int(grid.X) {
					if want++; seen[Int3{x, y, z}] != 1 {
						t.Errorf("%v: %d, %d, %d ran %d times", grid, x, y, z, seen[Int3{x, y, z}])
					}
				}
			}
		}
		if len(seen) != want {
			t.Errorf("%v: %d items ran, want %d", grid, len(seen), want)
		}
	}
	if text := panics(func() { EachGroup(Items1(5), Int3{4, 1, 1}, func() func(Item) { return func(Item) {} }) }); text !=
		"gpu: a grid of 5 x 1 x 1 items is no whole number of workgroups of 4 by 1 by 1 items, and the items of the kernel work together" {
		t.Error(text)
	}
	var ran atomic.Int32
	EachGroup(Items2(8, 3), Int3{4, 1, 1}, func() func(Item) { return func(Item) { ran.Add(1) } })
	if ran.Load() != 24 {
		t.Errorf("%d items ran", ran.Load())
	}
}
