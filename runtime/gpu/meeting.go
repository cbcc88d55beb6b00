package gpu

import (
	"fmt"
	"math/bits"
	"runtime"
	"strings"
)

// This file has the items of a kernel that runs as plain Go wait for each other. They come to
// places: barriers, subgroup operations, and the end of the kernel. The items of a subgroup go from
// place to place together, and the subgroups of a workgroup do where the place is no subgroup
// operation. Where they do not, they part, which is reported.
//
// The items are coroutines: one runs until it comes to a place, then the next, so every run is the
// same and nothing here needs a lock. The race detector must not see this switching, which would
// order all accesses. It is told what barriers and subgroup operations order, and nothing else
// (race.go). So functions here that write are go:norace.

// group is a workgroup of a launch.
type group struct {
	launch *launch
	at     Int3
	// subgroups are there if the items wait for each other, and all is where the subgroups meet.
	subgroups []subgroup
	all       meeting
	// yield, by item, hands control to the group.
	yield []func() bool
}

// meeting counts who has come to a place.
type meeting struct {
	members, arrived int
	// first is an item that came before all others, if there is one, and place where it waits.
	first int
	place place
	// fences are what this place orders and the next one: an item that leaves the one may come to
	// the other before all have left.
	fences [2]fence
	times  int // that all came
}

// subgroup is a subgroup of a workgroup.
type subgroup struct {
	meeting
	// turn counts the places that its items may leave.
	turn int
	// values are what the items hand in, by lane, for an even and for an odd turn: no item is so
	// far ahead that it overwrites what another has yet to read.
	values [2][]any
}

// place is where an item waits for others: the address in a kernel of a barrier or, with a bit
// more, of an operation of a subgroup; 0 is the end of the kernel.
type place uintptr

// operation is the bit, which no address of a function has.
const operation = 1 << (bits.UintSize - 1)

// assemble makes the subgroups of a workgroup.
func (g *group) assemble() {
	items, lanes := g.launch.items(), g.launch.lanes
	g.subgroups = make([]subgroup, (items+lanes-1)/lanes)
	g.all.members = len(g.subgroups)
	for n := range g.subgroups {
		s := &g.subgroups[n]
		s.members = min(lanes, items-n*lanes)
	}
}

// behind is where runtime.Callers finds the kernel: behind itself, barrier or exchange, and what
// the kernel calls. A function that did it for both would take longer than all else here.
const behind = 3

// barrier is Item.Barrier, called by what a kernel calls.
func (g *group) barrier(item int) {
	var pc [1]uintptr
	runtime.Callers(behind, pc[:])
	g.meet(item, place(pc[0]))
}

// exchange hands a value to the items of the subgroup, and returns what all have handed in at one
// operation, by lane. It is called by what a kernel calls.
func exchange(it Item, value any) []any {
	var pc [1]uintptr
	runtime.Callers(behind, pc[:])
	s := it.in().subgroup(it.number)
	s.hand(it.SubgroupLane(), value)
	turn := it.in().meet(it.number, place(pc[0]|operation))
	return s.values[turn&1]
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

// meet has an item wait at a place until all come who have to, and returns the turn that ends with
// it.
//
//go:norace
func (g *group) meet(item int, at place) (turn int) {
	s := g.subgroup(item)
	m := &g.all
	if at&operation != 0 {
		m = &s.meeting
	}
	fence := &m.fences[m.times&1]
	fence.before()
	turn = s.turn // which does not change before this item arrives
	g.arrive(s, item, at)
	for waiting := true; waiting; waiting = s.turn == turn {
		if !g.yield[item]() {
			panic(abandoned{})
		}
	}
	fence.behind()
	return turn
}

// arrive notes that an item has come to a place. The last of those who have to come lets all leave.
//
//go:norace
func (g *group) arrive(s *subgroup, item int, at place) {
	switch {
	case !g.join(&s.meeting, item, at):
	case at&operation != 0:
		s.times++
		s.turn++
	case g.join(&g.all, s.first, at):
		g.all.times++
		for n := range g.subgroups {
			g.subgroups[n].turn++
		}
	}
}

// join counts who comes to a place, and reports whether all are there.
//
//go:norace
func (g *group) join(m *meeting, item int, at place) (complete bool) {
	if m.arrived == 0 {
		m.first, m.place = item, at
	} else if m.place != at {
		g.part(m, item, at)
	}
	if m.arrived++; m.arrived == m.members {
		m.arrived, complete = 0, true
	}
	return complete
}

// hand keeps the value of a lane for the turn that ends when all have arrived.
//
//go:norace
func (s *subgroup) hand(lane int, value any) {
	values := &s.values[s.turn&1]
	if *values == nil {
		*values = make([]any, s.members)
	}
	(*values)[lane] = value
}

// abandoned ends the coroutines that waited when their workgroup was given up.
type abandoned struct{}

// part gives the workgroup up, as an item is not where the first of its meeting is.
func (g *group) part(m *meeting, second int, at place) {
	local := g.launch.local
	problem := fmt.Sprintf("item %v %v, item %v %v", local(m.first), m.place, local(second), at)
	if (m.place|at)&operation != 0 {
		problem = fmt.Sprintf("gpu: the items of subgroup %d of workgroup %v part at a subgroup operation: %s", second/g.launch.lanes, g.at, problem)
	} else {
		problem = fmt.Sprintf("gpu: the items of workgroup %v part at a barrier: %s", g.at, problem)
	}
	panic(problem)
}

// String says what an item does there.
func (p place) String() string {
	if p == 0 {
		return "has ended"
	}
	frame, _ := runtime.CallersFrames([]uintptr{uintptr(p &^ operation)}).Next()
	return fmt.Sprintf("waits at %s:%d", frame.File[strings.LastIndexByte(frame.File, '/')+1:], frame.Line)
}
