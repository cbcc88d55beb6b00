package gpu

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
)

// launch is a launch of a kernel as plain Go.
type launch struct{ grid, size Int3 }

// group is a workgroup of one. The items of a kernel with barriers run as coroutines that
// take turns from barrier to barrier, so that every run is the same and a barrier that not
// all come to is found. Under the race detector they are goroutines instead, which shows it the
// accesses that no barrier separates.
type group struct {
	launch *launch
	at     Int3
	// yield, by item, hands control to the group; nil if the items are not coroutines.
	yield []func(struct{}) bool
	// place, by item, is the barrier that it waits at, or 0.
	place []uintptr

	lock    sync.Mutex
	arrived *sync.Cond
	waiting int
	ended   int
	phase   int
	problem string
}

// Each calls a kernel without barriers for every item of a grid of workgroups, one after the other.
func Each(grid Grid, size Int3, kernel func(Item)) {
	l := newLaunch(grid, size)
	l.groups(func(at Int3) {
		g := &group{launch: l, at: at}
		for n := range l.items() {
			kernel(Item{g, l.local(n), n})
		}
	})
}

// EachGroup calls a kernel with barriers. Start is called for each workgroup, and returns the function of
// its items, which share the workgroup memory that start has made:
//
//	gpu.EachGroup(grid, gpu.Int3{X: 64, Y: 1, Z: 1}, func() func(gpu.Item) {
//		shared := new([64]float32)
//		return func(it gpu.Item) { Sum(it, shared, x, y) }
//	})
//
// It panics if some items of a workgroup come to a barrier and others do not.
func EachGroup(grid Grid, size Int3, start func() func(Item)) {
	l := newLaunch(grid, size)
	l.groups(func(at Int3) {
		g := &group{launch: l, at: at, place: make([]uintptr, l.items())}
		if raceEnabled {
			g.concurrently(start())
		} else {
			g.inTurns(start())
		}
	})
}

func newLaunch(grid Grid, size Int3) *launch {
	if size.X < 1 || size.Y < 1 || size.Z < 1 {
		panic(fmt.Sprintf("gpu: a workgroup of %d by %d by %d items", size.X, size.Y, size.Z))
	}
	return &launch{Int3{int(grid.X), int(grid.Y), int(grid.Z)}, size}
}

// items is how many there are in a workgroup.
func (l *launch) items() int { return l.size.X * l.size.Y * l.size.Z }

// local returns the position of an item in its workgroup.
func (l *launch) local(n int) Int3 {
	return Int3{n % l.size.X, n / l.size.X % l.size.Y, n / l.size.X / l.size.Y}
}

// groups calls f with the position of each workgroup.
func (l *launch) groups(f func(at Int3)) {
	for z := range l.grid.Z {
		for y := range l.grid.Y {
			for x := range l.grid.X {
				f(Int3{x, y, z})
			}
		}
	}
}

// wait is Item.Barrier.
func (g *group) wait(it Item) {
	var place [1]uintptr
	runtime.Callers(3, place[:]) // behind Callers, wait and Barrier
	switch {
	case g.place == nil:
		panic("gpu: a barrier in a kernel that Each runs; EachGroup runs kernels with barriers")
	case g.yield != nil:
		g.place[it.number] = place[0]
		if !g.yield[it.number](struct{}{}) {
			panic(abandoned{})
		}
	default:
		g.meet(it, place[0])
	}
}

// abandoned ends the items of a workgroup that waited when it was given up.
type abandoned struct{}

// inTurns runs the items as coroutines, each up to its next barrier, until all have ended.
func (g *group) inTurns(kernel func(Item)) {
	items := g.launch.items()
	g.yield = make([]func(struct{}) bool, items)
	next := make([]func() (struct{}, bool), items)
	for n := range items {
		coroutine, stop := iter.Pull(func(yield func(struct{}) bool) {
			defer func() {
				if problem := recover(); problem != nil && problem != (abandoned{}) {
					panic(problem)
				}
			}()
			g.yield[n] = yield
			kernel(Item{g, g.launch.local(n), n})
		})
		defer stop()
		next[n] = coroutine
	}
	for {
		ended := 0
		for n := range items {
			if _, more := next[n](); !more {
				g.place[n] = 0
				ended++
			}
		}
		if ended == items {
			return
		}
		for n := range items {
			if g.place[n] != g.place[0] {
				panic(g.apart(n))
			}
		}
	}
}

// apart says that item n is not where item 0 is.
func (g *group) apart(n int) string {
	return fmt.Sprintf("gpu: the items of workgroup %v part at a barrier: item %v %s, item %v %s",
		g.at, g.launch.local(0), placeName(g.place[0]), g.launch.local(n), placeName(g.place[n]))
}

func placeName(pc uintptr) string {
	if pc == 0 {
		return "has ended"
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return fmt.Sprintf("waits at %s:%d", frame.File[strings.LastIndexByte(frame.File, '/')+1:], frame.Line)
}

// concurrently runs the items as goroutines.
func (g *group) concurrently(kernel func(Item)) {
	g.arrived = sync.NewCond(&g.lock)
	var all sync.WaitGroup
	for n := range g.launch.items() {
		all.Go(func() {
			defer func() {
				g.lock.Lock()
				g.ended++
				if g.place[n] = 0; g.waiting > 0 && g.problem == "" {
					g.part(n)
				}
				g.lock.Unlock()
			}()
			kernel(Item{g, g.launch.local(n), n})
		})
	}
	all.Wait()
	if g.problem != "" {
		panic(g.problem)
	}
}

// part notes that item n has ended while others wait, and ends the others.
func (g *group) part(n int) {
	for k, place := range g.place {
		if place != 0 {
			g.problem = fmt.Sprintf("gpu: the items of workgroup %v part at a barrier: item %v has ended, item %v %s",
				g.at, g.launch.local(n), g.launch.local(k), placeName(place))
			break
		}
	}
	g.arrived.Broadcast()
}

// meet is a barrier of goroutines.
func (g *group) meet(it Item, place uintptr) {
	g.lock.Lock()
	defer g.lock.Unlock()
	phase := g.phase
	g.place[it.number] = place
	if g.ended > 0 && g.problem == "" {
		g.problem = fmt.Sprintf("gpu: the items of workgroup %v part at a barrier: some have ended, item %v %s",
			g.at, it.local, placeName(place))
		g.arrived.Broadcast()
	}
	if g.waiting++; g.waiting == g.launch.items() {
		g.waiting, g.phase = 0, g.phase+1
		g.arrived.Broadcast()
	}
	for g.phase == phase && g.problem == "" {
		g.arrived.Wait()
	}
	if g.problem != "" {
		runtime.Goexit()
	}
}
