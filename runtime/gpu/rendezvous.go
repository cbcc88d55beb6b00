package gpu

import (
	"fmt"
	"math/bits"
	"runtime"
	"strings"
)

// This file has the items of a kernel that runs as plain Go wait for each other. They do at
// barriers, at operations on tiles or of subgroups, and at the end of the kernel. The items of a
// subgroup arrive at each of them together, and so do the subgroups of a workgroup, except at
// subgroup operations. Divergence, where some items of a group arrive elsewhere, panics.
//
// Items are coroutines: one runs until it waits, then the next, so that every run is the same and
// nothing here needs a lock. The race detector must not see this switching, which would order all
// accesses. It is told what these locations order, and nothing else (race.go). So functions here
// that write are go:norace.

// group is a workgroup of a launch.
type group struct {
	launch *launch
	at     Int3
	// subgroups are there if the items wait for each other, and all is where the subgroups meet.
	subgroups []subgroup
	all       rendezvous
	// yield, by item, passes control to the group.
	yield []func() bool
	// work is that of the latest operation on tiles, and entered counts the items that have come to
	// it; 0 if all have.
	work    *tileWork
	entered int
}

// rendezvous counts arrivals at a location.
type rendezvous struct {
	members, arrived int
	// first is the item that arrived first, and location is where it waits.
	first    int
	location location
	// fences are those of this phase and of the next: an item that leaves the one may arrive at the
	// other before all have left.
	fences [2]fence
	phase  int // how often all have arrived
}

// subgroup is a subgroup of a workgroup.
type subgroup struct {
	rendezvous
	// released counts the locations that its items may leave.
	released int
	// values are the operands of an operation by lane, for even and odd released: no item is so far
	// ahead that it overwrites what another has yet to read.
	values [2][]any
}

// location is where an item waits: the return address in the kernel of a barrier or an operation.
// operationBit marks those of subgroups; 0 is the end of the kernel.
type location uintptr

// operationBit is a bit that no address of a function has.
const operationBit = 1 << (bits.UintSize - 1)

// assemble makes the subgroups of a workgroup.
func (g *group) assemble() {
	items, lanes := g.launch.items(), g.launch.lanes
	g.subgroups = make([]subgroup, (items+lanes-1)/lanes)
	g.all.members = len(g.subgroups)
	for n := range g.subgroups {
		g.subgroups[n].members = min(lanes, items-n*lanes)
	}
}

// kernelDepth is how many frames runtime.Callers skips to find the kernel: itself, barrier, begin
// or exchange, and what the kernel calls. A shared helper would cost more than all else here.
const kernelDepth = 3

// barrier is Item.Barrier, called by what a kernel calls.
func (g *group) barrier(item int) {
	var pc [1]uintptr
	runtime.Callers(kernelDepth, pc[:])
	g.wait(item, location(pc[0]))
}

// exchange gives a value to the items of the subgroup, and returns those that all have given to one
// operation, by lane. It is called by what a kernel calls.
func exchange(it Item, value any) []any {
	var pc [1]uintptr
	runtime.Callers(kernelDepth, pc[:])
	s := it.in().subgroup(it.number)
	s.give(it.SubgroupLane(), value)
	operation := it.in().wait(it.number, location(pc[0]|operationBit))
	return s.values[operation&1]
}

// end notes that an item has come to the end of the kernel.
func (g *group) end(item int) { g.arrive(g.subgroup(item), item, 0) }

// subgroup returns the subgroup of an item. It panics if the items run one after the other.
func (g *group) subgroup(item int) *subgroup {
	if g.subgroups == nil {
		panic("gpu: a barrier or a subgroup operation in a kernel that Each runs; EachGroup runs kernels with barriers and subgroup operations")
	}
	return &g.subgroups[item>>g.launch.shift]
}

// wait has an item wait at a location until all members arrive, and returns how many locations its
// subgroup had left before.
//
//go:norace
func (g *group) wait(item int, at location) (released int) {
	s := g.subgroup(item)
	m := &g.all
	if at&operationBit != 0 {
		m = &s.rendezvous
	}
	fence := &m.fences[m.phase&1]
	fence.before()
	released = s.released // which does not change before this item arrives
	g.arrive(s, item, at)
	for waiting := true; waiting; waiting = s.released == released {
		if !g.yield[item]() {
			panic(abandoned{})
		}
	}
	fence.behind()
	return released
}

// arrive notes that an item has arrived at a location. The last member releases all.
//
//go:norace
func (g *group) arrive(s *subgroup, item int, at location) {
	switch {
	case !g.join(&s.rendezvous, item, at):
	case at&operationBit != 0:
		s.phase++
		s.released++
	case g.join(&g.all, s.first, at):
		g.all.phase++
		for n := range g.subgroups {
			g.subgroups[n].released++
		}
	}
}

// join counts an arrival, and reports whether all members are there.
//
//go:norace
func (g *group) join(m *rendezvous, item int, at location) (complete bool) {
	if m.arrived == 0 {
		m.first, m.location = item, at
	} else if m.location != at {
		g.diverge(m, item, at)
	}
	if m.arrived++; m.arrived == m.members {
		m.arrived, complete = 0, true
	}
	return complete
}

// give keeps the operand of a lane for the next operation.
//
//go:norace
func (s *subgroup) give(lane int, value any) {
	values := &s.values[s.released&1]
	if *values == nil {
		*values = make([]any, s.members)
	}
	(*values)[lane] = value
}

// abandoned ends the coroutines that waited when their workgroup panicked.
type abandoned struct{}

// diverge panics, as an item is not where the first member is.
func (g *group) diverge(m *rendezvous, second int, at location) {
	local := g.launch.local
	problem := fmt.Sprintf("item %v %v, item %v %v", local(m.first), m.location, local(second), at)
	if (m.location|at)&operationBit != 0 {
		problem = fmt.Sprintf("gpu: the items of subgroup %d of workgroup %v diverge at a subgroup operation: %s", second/g.launch.lanes, g.at, problem)
	} else {
		what := "a barrier"
		if g.work != nil && (g.work.location == m.location || g.work.location == at) {
			what = g.work.call.name
		}
		problem = fmt.Sprintf("gpu: the items of workgroup %v diverge at %s: %s", g.at, what, problem)
	}
	panic(problem)
}

// String says what an item does there.
func (l location) String() string {
	if l == 0 {
		return "has ended"
	}
	frame, _ := runtime.CallersFrames([]uintptr{uintptr(l &^ operationBit)}).Next()
	return fmt.Sprintf("waits at %s:%d", frame.File[strings.LastIndexByte(frame.File, '/')+1:], frame.Line)
}
