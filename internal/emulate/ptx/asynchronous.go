package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// The asynchronous proxy of sm_90 (PTX ISA, Memory Consistency Model, Proxies). Copies by tensor
// maps and products of warpgroups access workgroup memory by it. They end as late as the ISA
// allows, and until then what they access must not be touched.
//
// A module has their tiles in dynamic workgroup memory if it has that, else in its variables.

// chunkBytes is the unit of the asynchronous proxy, and of swizzles.
const chunkBytes = 16

// asynchronous is the state of a workgroup's asynchronous operations.
type asynchronous struct {
	chunks     []chunk // of the memory of tiles
	loads      []boxLoad
	delivered  int // how many loads have ended
	stores     []boxStore
	targets    map[target]int32 // the last store to a chunk of a buffer, from 1
	objects    []*barrierObject
	warpgroups []warpgroup
}

// chunk has the last copies of a chunk, from 1: the load that wrote it, unless a store instruction
// has since, and the store that reads it.
type chunk struct{ load, store int32 }

// target is a chunk of a buffer.
type target struct {
	buffer int
	chunk  uint64
}

// asynchronousThread is the part of an invocation's state that asynchronous operations have.
type asynchronousThread struct {
	refused *instruction // a wait that has returned without the phase
	fenced  uint32       // time of the last fence of the proxy
	open    []int        // stores that are in no group yet
	groups  [][]int      // of stores, which may be reading
	writing []int        // stores in groups, which may be writing
	snapshot
}

func newAsynchronous(tiles *region, threads int) *asynchronous {
	a := &asynchronous{warpgroups: make([]warpgroup, (threads+warpgroupSize-1)/warpgroupSize)}
	if tiles != nil {
		a.chunks = make([]chunk, (len(tiles.bytes)+chunkBytes-1)/chunkBytes)
	}
	return a
}

// reset begins a workgroup.
func (a *asynchronous) reset() {
	clear(a.chunks)
	a.loads, a.stores, a.objects, a.delivered = nil, nil, nil, 0
	a.targets = map[target]int32{}
	for n := range a.warpgroups {
		a.warpgroups[n] = warpgroup{reads: make([]uint32, len(a.chunks))}
	}
}

// tileAt returns the offset in the memory of tiles of an operand's address.
func (t *thread) tileAt(x *instruction, size, align uint64) uint64 {
	t.need(x.base)
	r := t.group.tiles
	at := t.frame.values[x.base] + x.offset - t.group.tilesAt
	if at >= uint64(len(r.bytes)) || size > uint64(len(r.bytes))-at {
		fail(fmt.Sprintf("an access of %d bytes at %#x in %d bytes of %s", size, int64(at), len(r.bytes), r.name))
	}
	if at%align != 0 {
		fail(fmt.Sprintf("offset %#x of %s is not aligned to %d bytes", at, r.name, align))
	}
	r.state(at, size)
	return at
}

// genericAccess checks an access of workgroup memory by a load or store instruction against
// asynchronous ones.
func (t *thread) genericAccess(at, size uint64, write bool) {
	a := t.group.asynchronous
	for n := at / chunkBytes; n <= (at+size-1)/chunkBytes; n++ {
		if a.chunks[n].load != 0 {
			t.checkLoaded(n)
		}
		if !write {
			continue
		}
		t.checkFree(n)
		a.chunks[n].load = 0
	}
	for _, o := range a.objects {
		if at < o.at+objectBytes && o.at < at+size {
			fail("an access of a barrier object")
		}
	}
}

// checkLoaded fails unless the copy that wrote a chunk is visible to the invocation: it has waited
// for the phase that the copy completes.
func (t *thread) checkLoaded(n uint64) {
	g := t.group
	l := &g.asynchronous.loads[g.asynchronous.chunks[n].load-1]
	if !l.done || g.known[t.warp][len(g.orders)+l.object.index] <= l.phase {
		fail(fmt.Sprintf("byte %d of %s is accessed before a wait for the copy of line %d", n*chunkBytes, g.tiles.name, l.line))
	}
}

// checkFree fails if an asynchronous operation may still read a chunk that is to be overwritten, or
// if it is not ordered before.
func (t *thread) checkFree(n uint64) {
	g := t.group
	a := g.asynchronous
	if id := a.chunks[n].store; id != 0 {
		if s := &a.stores[id-1]; !s.done || s.thread != t.index && !t.knows(1<<s.warp, s.time) {
			fail(fmt.Sprintf("byte %d of %s is overwritten while the copy of line %d may read it", n*chunkBytes, g.tiles.name, s.line))
		}
	}
	for k := range a.warpgroups {
		w := &a.warpgroups[k]
		number := w.reads[n]
		if number == 0 {
			continue
		}
		for m := range w.retired {
			warp := k*len(w.retired) + m
			if int(number) > len(w.retired[m]) || warp != t.warp && !t.knows(1<<warp, w.retired[m][number-1]) {
				fail(fmt.Sprintf("byte %d of %s is overwritten while a product of line %d may read it", n*chunkBytes, g.tiles.name, w.lineOf(number)))
			}
		}
	}
}

// checkProxy fails unless the asynchronous proxy sees what is in a chunk. That comes from a copy,
// for which the invocation has waited, or from stores with a fence of the proxy behind them.
func (t *thread) checkProxy(n uint64) {
	g := t.group
	r := g.tiles
	if g.asynchronous.chunks[n].load != 0 {
		t.checkLoaded(n)
		return
	}
	if r.state(n*chunkBytes, chunkBytes) != defined {
		fail(fmt.Sprintf("byte %d of %s is read before it is written", n*chunkBytes, r.name))
	}
	t.checkGeneric(n, false)
}

// checkGeneric fails unless an access of a chunk by the asynchronous proxy comes after the stores
// to it, which are fenced, and if it writes after the loads.
func (t *thread) checkGeneric(n uint64, write bool) {
	g := t.group
	r, shift := g.tiles, g.machine.granule
	for k := n * chunkBytes >> shift; k < ((n+1)*chunkBytes-1)>>shift+1; k++ {
		page := r.stamps[k>>pageBits]
		if page == nil {
			continue
		}
		s := &page[k&(1<<pageBits-1)]
		if write && t.other(s.read, s.readOrder, s.readTime) {
			t.race(r, k<<shift, "read by another invocation")
		}
		if s.write.epoch < g.first {
			continue
		}
		if t.other(s.write, s.writeOrder, s.writeTime) {
			t.race(r, k<<shift, "written by another invocation")
		}
		for m := range g.threads {
			if other := &g.threads[m]; s.write.has(other) && other.fenced < s.writeTime {
				fail(fmt.Sprintf("byte %d of %s is stored without a fence of the asynchronous proxy", k<<shift, r.name))
			}
		}
	}
}

// has reports whether an invocation is one of the actor's.
func (w actor) has(t *thread) bool {
	return w.thread == t.index || w.thread >= severalOfWarp && w.warps>>t.warp&1 == 1
}

// fenceProxy executes fence.proxy.async.
func fenceProxy(t *thread, _ *instruction) {
	t.fenced = t.group.clock
	t.group.clock++
	for _, o := range t.group.asynchronous.objects {
		o.fenced = o.fenced || o.thread == t.index
	}
}

// deliver ends the load that has waited longest. It returns false if there is none.
func (a *asynchronous) deliver(g *group) bool {
	if a.delivered == len(a.loads) {
		return false
	}
	l := &a.loads[a.delivered]
	a.delivered++
	copy(g.tiles.bytes[l.at:], l.data)
	for n := range l.data {
		g.tiles.shadow[l.at+uint64(n)] = defined
	}
	l.data, l.done, l.phase = nil, true, l.object.phase
	l.object.bytes -= l.bytes
	l.object.advance()
	return true
}

// end checks what is left when all invocations have ended.
func (g *group) end() {
	if a := g.asynchronous; a.delivered < len(a.loads) {
		fail(fmt.Sprintf("the workgroup ends before the copy of line %d", a.loads[a.delivered].line))
	}
}

// waits describes where the warps wait.
func (a *asynchronous) waits(g *group) string {
	var parts []string
	for w := range g.orders {
		for n := w * warpSize; n < min(w*warpSize+warpSize, len(g.threads)); n++ {
			t := &g.threads[n]
			if t.done {
				continue
			}
			part := fmt.Sprintf("warp %d at line %d, %s", w, t.waiting.line, t.waiting.form.name)
			if t.waiting.form.waitsFor == completion {
				part += ": " + t.objectAt(t.waiting).String()
			}
			if !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return "; " + strings.Join(parts, "; ")
}
