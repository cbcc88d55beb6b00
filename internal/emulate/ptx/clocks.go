package ptx

import "fmt"

// What orders accesses of warps other than barriers of the whole workgroup: barriers of some warps,
// and barrier objects in workgroup memory.

// meet orders what some warps did before what they do next.
func (g *group) meet(warps uint32) {
	merged := make([]uint32, len(g.known[0]))
	for w, known := range g.known {
		if warps>>w&1 == 1 {
			known[w] = g.clock
			merge(merged, known)
		}
	}
	g.clock++
	for w, known := range g.known {
		if warps>>w&1 == 1 {
			copy(known, merged)
		}
	}
}

// merge adds what is known elsewhere.
func merge(known, more []uint32) {
	for n := range more {
		known[n] = max(known[n], more[n])
	}
}

// knows reports whether accesses of some warps up to a time are ordered before what the invocation
// does next.
func (t *thread) knows(warps, time uint32) bool {
	for w, known := range t.group.known[t.warp][:len(t.group.orders)] {
		if warps>>w&1 == 1 && w != t.warp && known < time {
			return false
		}
	}
	return true
}

// releaseTogether resumes invocations that wait for a phase, or executes one instruction that a
// warp, a warpgroup or a barrier of some warps executes together. It returns whether it did.
func (g *group) releaseTogether() bool {
	progress := false
	for n := range g.threads {
		if t := &g.threads[n]; !t.done && t.waiting.form.waitsFor == completion && t.isComplete(t.waiting) {
			t.observe(t.waiting)
			t.resume()
			progress = true
		}
	}
	if progress {
		return true
	}
	for n := 0; n < len(g.threads); n += warpSize {
		if g.executeTogether(n, warpSize, wholeWarp) || n%warpgroupSize == 0 && g.executeTogether(n, warpgroupSize, wholeWarpgroup) {
			return true
		}
	}
	return g.releaseSome()
}

// executeTogether executes the instruction at which all of count invocations wait. It returns
// whether they do.
func (g *group) executeTogether(first, count int, scope waitScope) bool {
	if first+count > len(g.threads) {
		return false
	}
	threads := g.threads[first : first+count]
	x := threads[0].waiting
	if x == nil || x.form.waitsFor != scope {
		return false
	}
	for n := range threads {
		if threads[n].waiting != x {
			return false
		}
	}
	g.running = &threads[0]
	x.form.together(threads, x)
	for n := range threads {
		threads[n].resume()
	}
	return true
}

// barrierNumbers is how many barriers a workgroup has.
const barrierNumbers = 16

// signals are arrivals at a barrier that wait for no one, and what those who arrived knew.
type signals struct {
	arrived, count uint64
	known          []uint32
}

// signal executes bar.arrive. It orders what the whole warp did before.
func signal(t *thread, x *instruction) {
	g := t.group
	t.need(x.a, x.b)
	number, count := t.frame.values[x.a], t.frame.values[x.b]
	if number >= barrierNumbers {
		fail(fmt.Sprintf("barrier %d, of %d", number, barrierNumbers))
	}
	s := &g.signals[number]
	if s.arrived++; s.arrived > 1 && s.count != count {
		fail(fmt.Sprintf("barrier %d has %d invocations here and %d elsewhere", number, count, s.count))
	}
	s.count = count
	known := g.known[t.warp]
	known[t.warp] = g.clock
	g.clock++
	s.known = append(s.known, make([]uint32, len(known)-len(s.known))...)
	merge(s.known, known)
}

// releaseSome releases a barrier with a count of invocations, if that many wait.
func (g *group) releaseSome() bool {
	var waiting [barrierNumbers][]*thread
	var counts [barrierNumbers]uint64
	for n := range g.threads {
		t := &g.threads[n]
		if t.done || t.waiting.form.waitsFor != workgroup || t.waiting.isBarrier() {
			continue
		}
		g.running = t
		t.need(t.waiting.a, t.waiting.b)
		number, count := t.frame.values[t.waiting.a], t.frame.values[t.waiting.b]
		switch {
		case number >= barrierNumbers:
			fail(fmt.Sprintf("barrier %d, of %d", number, barrierNumbers))
		case count == 0 || count%warpSize != 0:
			fail(fmt.Sprintf("a barrier of %d invocations, which are no whole warps", count))
		case len(waiting[number]) > 0 && counts[number] != count:
			fail(fmt.Sprintf("barrier %d has %d invocations here and %d elsewhere", number, count, counts[number]))
		}
		counts[number] = count
		waiting[number] = append(waiting[number], t)
	}
	for number, threads := range waiting {
		s := &g.signals[number]
		arrived := uint64(len(threads)) + s.arrived
		if len(threads) == 0 || arrived < counts[number] {
			continue
		}
		if g.running = threads[0]; arrived > counts[number] || s.arrived > 0 && s.count != counts[number] {
			fail(fmt.Sprintf("%d invocations wait at barrier %d of %d", arrived, number, counts[number]))
		}
		warps := uint32(0)
		for _, t := range threads {
			warps |= 1 << t.warp
			t.resume()
		}
		for w := range g.orders {
			g.orders[w] += warps >> w & 1
		}
		g.meet(warps)
		for w, known := range g.known {
			if warps>>w&1 == 1 {
				merge(known, s.known)
			}
		}
		*s = signals{}
		return true
	}
	return false
}
