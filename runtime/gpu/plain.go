package gpu

import (
	"fmt"
	"math/bits"
)

// This file runs kernels as plain Go, on the host; rendezvous.go has their items wait for each
// other.

// launch is a launch of a kernel as plain Go.
type launch struct {
	grid, size Int3 // workgroups, and items in one
	extent     Int3 // items in all
	lanes      int  // the size of a subgroup, a power of two
	shift      int  // of which power
	crew       crew
	shapes     []*tileShape // of tiles, as far as they have been used
}

// hostLanes is the default subgroup size as plain Go: that of many GPUs.
const hostLanes = 32

// Each calls a kernel without barriers, tiles and subgroup operations for one item after the other:
// those of all workgroups of a grid, or exactly those that the grid counts. Size is that of a
// workgroup. Under the race detector nothing orders the items.
func Each(grid Grid, size Int3, kernel func(Item)) {
	l := newLaunch(grid, size, hostLanes)
	l.groups(func(at Int3) {
		g := &group{launch: l, at: at}
		for n := range l.items() {
			it := Item{g, l.local(n), n}
			if i := it.Global(); i.X < l.extent.X && i.Y < l.extent.Y && i.Z < l.extent.Z {
				l.alone(kernel, it)
			}
		}
	})
}

// EachGroup calls a kernel with barriers, tiles or subgroup operations. Size is that of a
// workgroup. Start is called for each workgroup, and returns the function of its items. It makes
// their workgroup memory:
//
//	gpu.EachGroup(grid, gpu.Int3{X: 64, Y: 1, Z: 1}, func() func(gpu.Item) {
//		shared := new([64]float32)
//		return func(it gpu.Item) { Sum(it, shared, x, y) }
//	})
//
// Subgroups have 32 items, in the order of Item.LocalIndex; the last one of a workgroup may have
// fewer. Under the race detector nothing orders the items of two workgroups, and only barriers,
// operations on tiles and subgroup operations order those of one.
//
// It panics if only some items of a workgroup come to a barrier or an operation on tiles, or only
// some of a subgroup to a subgroup operation. It panics if the grid counts items that do not fill
// workgroups, which launches refuse as ErrShape, and with what an item panics with.
func EachGroup(grid Grid, size Int3, start func() func(Item)) {
	EachGroupWithSubgroups(grid, size, hostLanes, start)
}

// EachGroupWithSubgroups is EachGroup with subgroups of a given size, a power of two from 1 to 128.
// Devices have subgroups of different sizes, so tests of kernels with subgroup operations use
// several:
//
//	for _, lanes := range []int{4, 8, 16, 32, 64, 128} {
//		gpu.EachGroupWithSubgroups(grid, size, lanes, start)
//	}
func EachGroupWithSubgroups(grid Grid, size Int3, lanes int, start func() func(Item)) {
	l := newLaunch(grid, size, lanes)
	if l.extent != (Int3{l.grid.X * size.X, l.grid.Y * size.Y, l.grid.Z * size.Z}) {
		panic(fmt.Sprintf("gpu: a grid of %v is no whole number of workgroups of %d by %d by %d items, and the items of the kernel work together",
			grid, size.X, size.Y, size.Z))
	}
	l.groups(func(at Int3) {
		g := &group{launch: l, at: at}
		g.assemble()
		g.interleave(start())
	})
}

func newLaunch(grid Grid, size Int3, lanes int) *launch {
	if size.X < 1 || size.Y < 1 || size.Z < 1 {
		panic(fmt.Sprintf("gpu: a workgroup of %d by %d by %d items", size.X, size.Y, size.Z))
	}
	if lanes < 1 || lanes > maxLanes || lanes&(lanes-1) != 0 {
		panic(fmt.Sprintf("gpu: subgroups of %d items; the size of a subgroup is a power of two up to %d", lanes, maxLanes))
	}
	l := &launch{size: size, lanes: lanes, shift: bits.TrailingZeros(uint(lanes))}
	if err := grid.check(); err != nil {
		panic("gpu: " + err.Error())
	}
	if grid.items {
		l.extent = Int3{int(grid.X), int(grid.Y), int(grid.Z)}
	}
	groups, _ := grid.in([3]uint32{uint32(size.X), uint32(size.Y), uint32(size.Z)})
	l.grid = Int3{int(groups[0]), int(groups[1]), int(groups[2])}
	if !grid.items {
		l.extent = Int3{l.grid.X * size.X, l.grid.Y * size.Y, l.grid.Z * size.Z}
	}
	return l
}

// items is how many there are in a workgroup.
func (l *launch) items() int { return l.size.X * l.size.Y * l.size.Z }

// local returns the index of an item in its workgroup.
func (l *launch) local(n int) Int3 {
	return Int3{n % l.size.X, n / l.size.X % l.size.Y, n / l.size.X / l.size.Y}
}

// groups calls f with the index of each workgroup.
func (l *launch) groups(f func(at Int3)) {
	defer l.dismiss()
	for z := range l.grid.Z {
		for y := range l.grid.Y {
			for x := range l.grid.X {
				f(Int3{x, y, z})
			}
		}
	}
}

// interleave runs the items as coroutines, each up to the next location where it waits for others,
// until all have ended.
func (g *group) interleave(kernel func(Item)) {
	items := g.launch.items()
	g.yield = make([]func() bool, items)
	next := make([]func() bool, items)
	for n := range items {
		resume, stop := g.coroutine(n, func(yield func() bool) {
			defer g.launch.crew.done.before()
			defer func() {
				if problem := recover(); problem != nil && problem != (abandoned{}) {
					panic(problem)
				}
			}()
			g.yield[n] = yield
			kernel(Item{g, g.launch.local(n), n})
			g.end(n)
		})
		defer stop()
		next[n] = resume
	}
	for running := items; running > 0; {
		for n, resume := range next {
			if resume == nil {
				continue
			}
			if !resume() {
				next[n] = nil
				running--
			}
		}
	}
}
