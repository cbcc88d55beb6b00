package ptx

import "fmt"

// This file lets invocations go on that wait for each other: a workgroup at its
// barrier and the lanes of a warp that exchange values (PTX ISA, Parallel
// Synchronization and Communication Instructions).

// wait executes an instruction for which others are needed: it is executed as they
// are all there.
func wait(t *thread, x *instruction) { t.waiting = x }

// release lets invocations go on when all that have not ended wait. It returns
// false if all have ended.
func (g *group) release() bool {
	alive, atBarrier := 0, 0
	for n := range g.threads {
		if t := &g.threads[n]; !t.done {
			alive++
			if t.waiting.form.meets == workgroup {
				atBarrier++
			}
		}
	}
	if alive == 0 {
		return false
	}
	if atBarrier == alive {
		g.pass()
		return true
	}
	progress := false
	for n := range g.threads {
		if t := &g.threads[n]; !t.done && t.waiting != nil && t.waiting.form.meets == members {
			progress = g.exchange(t) || progress
		}
	}
	if progress {
		return true
	}
	for warp := range g.orders {
		progress = g.converge(warp) || progress
	}
	if progress {
		return true
	}
	for n := range g.threads {
		if t := &g.threads[n]; !t.done && t.waiting.form.meets != workgroup {
			g.running = t
			fail(fmt.Sprintf("it waits for invocations that do not come: %d of %d are at a barrier", atBarrier, len(g.threads)))
		}
	}
	return true
}

// pass lets a workgroup pass its barrier, at which all invocations that are left
// wait.
func (g *group) pass() {
	var first *thread
	for n := range g.threads {
		t := &g.threads[n]
		if first == nil || first.done {
			first = t
		}
		if !t.done && t.waiting != first.waiting {
			g.running = t
			fail("invocations wait at different barriers")
		}
	}
	for n := range g.threads {
		t := &g.threads[n]
		g.running = first
		if t.done {
			fail("a barrier that some invocations have left")
		}
		t.proceed()
	}
	g.epoch++
}

// proceed lets an invocation go on behind what it waited at.
func (t *thread) proceed() {
	t.waiting = nil
	t.frame.pc++
}

// lanes are the invocations of a warp that wait at an instruction.
type lanes struct {
	threads [warpSize]*thread
	present uint32
}

func (g *group) lanesAt(warp int, x *instruction) (l lanes) {
	first := warp * warpSize
	for n := first; n < min(first+warpSize, len(g.threads)); n++ {
		if t := &g.threads[n]; t.waiting == x {
			l.threads[t.lane] = t
			l.present |= 1 << t.lane
		}
	}
	return l
}

// converge executes activemask for the lanes of a warp, of which all wait. The
// ISA does not say which lanes are together; here it is as many as can be, since
// those that have the longest way to where others wait go first: lanes in deeper
// calls and at earlier instructions.
func (g *group) converge(warp int) bool {
	var first *thread
	depth := 0
	for n := warp * warpSize; n < min(warp*warpSize+warpSize, len(g.threads)); n++ {
		t := &g.threads[n]
		if t.waiting == nil || t.waiting.form.meets != converged {
			continue
		}
		d := 0
		for f := t.frame; f != nil; f = f.caller {
			d++
		}
		if first == nil || d > depth || d == depth && t.frame.pc < first.frame.pc {
			first, depth = t, d
		}
	}
	if first == nil {
		return false
	}
	x := first.waiting
	l := g.lanesAt(warp, x)
	for _, t := range l.threads {
		if t != nil {
			t.frame.values[x.d], t.frame.states[x.d] = uint64(l.present), defined
			t.proceed()
		}
	}
	return true
}

// exchange executes an instruction for the lanes that wait at it with an
// invocation, if all that its mask names are there.
func (g *group) exchange(t *thread) bool {
	x := t.waiting
	g.running = t
	t.need(x.members)
	mask := uint32(t.frame.values[x.members])
	if mask>>t.lane&1 == 0 {
		fail(fmt.Sprintf("lane %d is not in its own mask %#x", t.lane, mask))
	}
	l := g.lanesAt(t.warp, x)
	if mask&^l.present != 0 {
		return false // others have yet to come
	}
	for n, other := range l.threads {
		if mask>>n&1 == 0 {
			continue
		}
		g.running = other
		other.need(x.members)
		if m := uint32(other.frame.values[x.members]); m != mask {
			fail(fmt.Sprintf("lane %d has mask %#x and lane %d has %#x", t.lane, mask, n, m))
		}
	}
	var values [warpSize]uint64
	var states [warpSize]byte
	receive := x.form.receive
	if receive != nil {
		for n, other := range l.threads {
			if mask>>n&1 == 1 {
				g.running = other
				values[n], states[n] = receive(other, x, &l, mask)
			}
		}
	} else {
		g.orders[t.warp]++
	}
	for n, other := range l.threads {
		if mask>>n&1 == 1 {
			if receive != nil {
				other.frame.values[x.d], other.frame.states[x.d] = values[n], states[n]
			}
			other.proceed()
		}
	}
	return true
}

// ballot returns the lanes of a mask whose predicate holds.
func (l *lanes) ballot(x *instruction, mask uint32) (ballot uint32) {
	for n, t := range l.threads {
		if mask>>n&1 == 1 {
			t.need(x.a)
			ballot |= uint32(t.frame.values[x.a]) << n
		}
	}
	return ballot
}

// vote makes a lane's share in a vote of what all lanes say.
func vote(f func(ballot, mask uint32) uint64) exchange {
	return func(_ *thread, x *instruction, l *lanes, mask uint32) (uint64, byte) {
		return f(l.ballot(x, mask), mask), defined
	}
}

// reduce makes a lane's share of what joins the values of all lanes that take part.
func reduce(join func(a, b uint32) uint32) exchange {
	return func(_ *thread, x *instruction, l *lanes, mask uint32) (uint64, byte) {
		joined, any := uint32(0), false
		for n, other := range l.threads {
			if mask>>n&1 == 0 {
				continue
			}
			other.need(x.a)
			if v := uint32(other.frame.values[x.a]); any {
				joined = join(joined, v)
			} else {
				joined, any = v, true
			}
		}
		return uint64(joined), defined
	}
}

// match returns the lanes that have the same value.
func match(t *thread, x *instruction, l *lanes, mask uint32) (uint64, byte) {
	equal := uint64(0)
	for n, other := range l.threads {
		if mask>>n&1 == 1 {
			other.need(x.a)
			equal |= truth(other.frame.values[x.a] == t.frame.values[x.a]) << n
		}
	}
	return equal, defined
}

// shuffle makes shfl of the rule by which a lane finds its source: from its own
// number, the operand, the bits that number its segment, and the bound. A lane whose
// source is beyond that keeps its own value; a source that takes no part gives an undefined one.
func shuffle(source func(lane, b, segment, limit int) (from int, inside bool)) exchange {
	return func(t *thread, x *instruction, l *lanes, mask uint32) (uint64, byte) {
		f := t.frame
		t.need(x.b, x.c)
		b, c := int(f.values[x.b]&31), int(f.values[x.c])
		segment := c >> 8 & 31
		from, inside := source(t.lane, b, segment, t.lane&segment|c&31&^segment)
		if !inside {
			from = t.lane
		}
		if mask>>from&1 == 0 {
			return 0xDEADBEEF, undefined
		}
		other := l.threads[from]
		other.checkWritten(x.a)
		return other.frame.values[x.a], other.frame.states[x.a]
	}
}
