package ptx

import "fmt"

// Barriers of workgroups and exchanges between the lanes of a warp (PTX ISA, Parallel
// Synchronization and Communication Instructions).

// wait executes an instruction that waits for other invocations, which release then executes.
func wait(t *thread, x *instruction) { t.waiting = x }

// release resumes invocations when all that have not ended wait. It returns false if all have
// ended.
func (g *group) release() bool {
	alive, atBarrier := 0, 0
	for n := range g.threads {
		if t := &g.threads[n]; !t.done {
			alive++
			if t.waiting.isBarrier() {
				atBarrier++
			}
		}
	}
	if alive == 0 {
		g.end()
		return false
	}
	if atBarrier == alive {
		g.releaseBarrier()
		return true
	}
	if g.releaseTogether() {
		return true
	}
	progress := false
	for n := range g.threads {
		if t := &g.threads[n]; !t.done && t.waiting != nil && t.waiting.form.waitsFor == members {
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
	if g.asynchronous.deliver(g) {
		return true
	}
	for n := range g.threads {
		if t := &g.threads[n]; !t.done && !t.waiting.isBarrier() {
			g.running = t
			fail(fmt.Sprintf("it waits for invocations that do not come: %d of %d are at a barrier%s", atBarrier, len(g.threads), g.asynchronous.waits(g)))
		}
	}
	return true
}

// isBarrier reports whether all invocations of the workgroup wait at an instruction.
func (x *instruction) isBarrier() bool { return x.form.waitsFor == workgroup && x.b == 0 }

// releaseBarrier resumes a workgroup of which all remaining invocations wait at a barrier, which
// must be the same and have all invocations of the workgroup.
func (g *group) releaseBarrier() {
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
		t.resume()
	}
	g.epoch++
	g.meet(1<<len(g.orders) - 1)
}

// resume continues an invocation after the instruction at which it waited.
func (t *thread) resume() {
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

// converge executes activemask for the lanes of a warp, of which all wait. The ISA does not specify
// which lanes are converged. Here it is the largest possible set: lanes in deeper calls and at
// earlier instructions resume first, so that they reach the others.
func (g *group) converge(warp int) bool {
	var first *thread
	depth := 0
	for n := warp * warpSize; n < min(warp*warpSize+warpSize, len(g.threads)); n++ {
		t := &g.threads[n]
		if t.waiting == nil || t.waiting.form.waitsFor != converged {
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
			t.resume()
		}
	}
	return true
}

// exchange executes the instruction at which a thread waits, for all lanes of its mask, if all of
// them wait there. It returns whether it did.
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
		return false // others have not arrived yet
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
			other.resume()
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

// vote returns the exchange of a vote, whose result is a function of the ballot and the mask.
func vote(f func(ballot, mask uint32) uint64) exchange {
	return func(_ *thread, x *instruction, l *lanes, mask uint32) (uint64, byte) {
		return f(l.ballot(x, mask), mask), defined
	}
}

// reduce returns the exchange of a reduction (redux).
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

// match executes match.any: the lanes that have the same value.
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

// shuffle returns the exchange of shfl for a function that returns a lane's source. Its arguments
// are the lane, the operand b, the mask of the bits that select the segment, and the largest or
// smallest lane of the segment. A lane whose source is outside keeps its value. An inactive source
// gives an undefined value.
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
