package ptx

import (
	"fmt"
	"strings"
)

// Barrier objects in workgroup memory (PTX ISA, mbarrier).

// objectBytes is the size of a barrier object.
const objectBytes = 8

// objectLimit is the maximum of a barrier object's counts.
const objectLimit = 1<<20 - 1

// barrierObject is an mbarrier.
type barrierObject struct {
	index   int
	at      uint64 // in the memory of tiles
	count   int    // arrivals of a phase
	pending int    // arrivals that the current phase lacks
	bytes   int    // which the current phase expects
	phase   uint32 // how many are complete
	// The invocation that made it, and when.
	thread uint16
	warp   int
	epoch  uint32
	time   uint32
	fenced bool     // whether the asynchronous proxy sees it
	known  []uint32 // what those who have arrived know
}

func (o *barrierObject) String() string {
	return fmt.Sprintf("phase %d of the object at %d lacks %d arrivals and %d bytes", o.phase, o.at, o.pending, o.bytes)
}

// advance completes the phase if it lacks nothing.
func (o *barrierObject) advance() {
	if o.pending == 0 && o.bytes == 0 {
		o.phase++
		o.pending = o.count
	}
}

// readBarrierObject returns the parser of instructions on barrier objects, by their operands. [ is
// the address, < a predicate that gets the result, and _ no register for it.
func readBarrierObject(operands string) func(p *parser, x *instruction, f *form) {
	return func(p *parser, x *instruction, _ *form) {
		x.space = shared
		for n, o := range strings.Fields(operands) {
			if n > 0 {
				p.expect(',')
			}
			switch o {
			case "[":
				p.address(x)
			case "_":
				p.expectName("_")
			case "<":
				x.d = p.result(kinds["pred"])
			default:
				x.a = p.source(kinds[o], false)
			}
		}
	}
}

// initialise executes mbarrier.init.
func initialise(t *thread, x *instruction) {
	g := t.group
	at := t.tileAt(x, objectBytes, objectBytes)
	t.need(x.a)
	count := t.frame.values[x.a]
	if count == 0 || count > objectLimit {
		fail(fmt.Sprintf("a barrier object of %d arrivals", count))
	}
	t.genericAccess(at, objectBytes, true)
	o := &barrierObject{index: len(g.asynchronous.objects), at: at, count: int(count), pending: int(count),
		thread: t.index, warp: t.warp, epoch: g.epoch, time: g.clock}
	g.asynchronous.objects = append(g.asynchronous.objects, o)
	for w := range g.known {
		g.known[w] = append(g.known[w], 0)
	}
}

// objectAt returns the barrier object at an operand's address.
func (t *thread) objectAt(x *instruction) *barrierObject {
	at := t.tileAt(x, objectBytes, objectBytes)
	for _, o := range t.group.asynchronous.objects {
		if o.at != at {
			continue
		}
		if o.thread != t.index && o.epoch == t.group.epoch && !t.knows(1<<o.warp, o.time) {
			fail(fmt.Sprintf("no barrier orders the access of the barrier object at %d behind its initialisation", at))
		}
		return o
	}
	fail(fmt.Sprintf("there is no barrier object at %d", at))
	return nil
}

// fenceBarriers executes fence.mbarrier_init.
func fenceBarriers(t *thread, _ *instruction) {
	for _, o := range t.group.asynchronous.objects {
		o.fenced = o.fenced || o.thread == t.index
	}
}

// arrive executes mbarrier.arrive, which expects bytes of copies if it has them as an operand. It
// orders what the whole warp did before: lanes are not told apart.
func arrive(t *thread, x *instruction) {
	g, o := t.group, t.objectAt(x)
	t.need(x.a)
	if o.bytes += int(uint32(t.frame.values[x.a])); o.bytes > objectLimit {
		fail(fmt.Sprintf("a barrier object expects %d bytes", o.bytes))
	}
	if o.pending == 0 {
		fail("more arrivals than the phase has: " + o.String())
	}
	known := g.known[t.warp]
	known[t.warp] = g.clock
	g.clock++
	o.known = append(o.known, make([]uint32, len(known)-len(o.known))...)
	merge(o.known, known)
	o.pending--
	o.advance()
}

// isComplete reports whether the phase that a wait is for is complete: the current one has the
// other parity.
func (t *thread) isComplete(x *instruction) bool {
	t.group.running = t
	t.need(x.a)
	parity := t.frame.values[x.a]
	if parity > 1 {
		fail(fmt.Sprintf("parity %d", parity))
	}
	return uint64(t.objectAt(x).phase&1) != parity
}

// tryWait executes mbarrier.try_wait. It may return false before the phase is complete, and does so
// once. Then it waits.
func tryWait(t *thread, x *instruction) {
	switch {
	case t.isComplete(x):
		t.observe(x)
	case t.refused != x:
		t.refused = x
		t.frame.values[x.d], t.frame.states[x.d] = 0, defined
	default:
		t.waiting = x
	}
}

// observe ends a wait for a phase.
func (t *thread) observe(x *instruction) {
	o, known := t.objectAt(x), t.group.known[t.warp]
	merge(known, o.known)
	known[len(t.group.orders)+o.index] = o.phase
	t.frame.values[x.d], t.frame.states[x.d] = 1, defined
	t.refused = nil
}
