package ptx

import (
	"encoding/binary"
	"fmt"
)

// Memory: the addresses of buffers, loads and stores with their checks, and race detection.

// region is contiguous memory: a buffer, or the variables of a state space.
type region struct {
	bytes    []byte
	shadow   []byte    // states of the bytes; nil if all are defined
	stamps   [][]stamp // of shared and global memory, by page; a page is nil until it is accessed
	name     string
	readOnly bool
	group    bool // whether each workgroup has its own
	written  bool // whether the launch has written to it
	// pending has the line of a copy that is going to write a part of 16 bytes, or 0. It is nil
	// unless the module has such copies.
	pending []int32
}

// generic marks generic addresses, which cvta.to.global converts to addresses of global memory.
const generic = 1 << 60

// globalAddress returns the address of a buffer or of a table of the module. Its low 32 bits
// overflow after 256 bytes, which detects addresses that are computed in 32 bits. Two buffers are
// almost a tebibyte apart.
func globalAddress(n int, table bool) uint64 {
	if table {
		n += tableIndex
	}
	return uint64(n+1)<<40 + globalOffset
}

const (
	tableIndex   = 1 << 14
	globalOffset = 0xFFFF_FF00
)

// toGlobal is cvta.to.global.
func toGlobal(_ *instruction, a, _, _ uint64) uint64 {
	if a>>60 != generic>>60 {
		fail(fmt.Sprintf("address %#x is no generic one", a))
	}
	return a &^ generic
}

// locate returns the memory that an instruction accesses and the offset in it.
func (t *thread) locate(x *instruction) (*region, uint64) {
	f := t.frame
	if s := f.states[x.base]; s != defined {
		t.checkWritten(x.base)
		fail("an undefined address: it comes from memory that was never written, or from a division by zero")
	}
	address := f.values[x.base] + x.offset
	size := uint64(x.width) * uint64(x.count)
	if address&(size-1) != 0 {
		fail(fmt.Sprintf("address %#x is not aligned to %d bytes", address, size))
	}
	var r *region
	at := address - windows[x.space]
	switch x.space {
	case global:
		n := int((address-globalOffset)>>40) - 1
		at = address - globalAddress(n, false)
		switch m := t.group.machine; {
		case n >= 0 && n < len(m.buffers):
			r = &m.buffers[n]
		case n >= tableIndex && n-tableIndex < len(m.tables):
			r = &m.tables[n-tableIndex]
		default:
			fail(fmt.Sprintf("address %#x is in no buffer", address))
		}
	case shared:
		r = &t.group.shared
		if at >= windowBytes/2 {
			r, at = &t.group.dynamic, at-windowBytes/2
		}
	case local:
		r = &t.local
	case constant:
		r = &t.group.machine.constants
	case parameter:
		r = &f.area
	}
	if at >= uint64(len(r.bytes)) || size > uint64(len(r.bytes))-at {
		fail(fmt.Sprintf("an access of %d bytes at %#x in %d bytes of %s", size, int64(at), len(r.bytes), r.name))
	}
	return r, at
}

// state returns the state of bytes, which must all belong to variables.
func (r *region) state(at, size uint64) byte {
	if r.shadow == nil {
		return defined
	}
	s := defined
	for _, b := range r.shadow[at : at+size] {
		s &= b
	}
	if s == absent {
		fail(fmt.Sprintf("an access of %d bytes at %#x of %s is not within one variable", size, at, r.name))
	}
	return s
}

// bits reads a scalar. Here and in set, 32 bits are the most frequent case.
func (r *region) bits(at uint64, width uint8) uint64 {
	b := r.bytes[at:]
	if width == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	switch width {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	default:
		return binary.LittleEndian.Uint64(b)
	}
}

// set writes a scalar and its state.
func (r *region) set(at uint64, width uint8, v uint64, state byte) {
	b := r.bytes[at:]
	if width == 4 {
		binary.LittleEndian.PutUint32(b, uint32(v))
	} else {
		switch width {
		case 1:
			b[0] = byte(v)
		case 2:
			binary.LittleEndian.PutUint16(b, uint16(v))
		default:
			binary.LittleEndian.PutUint64(b, v)
		}
	}
	if r.shadow != nil {
		for n := range r.shadow[at : at+uint64(width)] {
			r.shadow[at+uint64(n)] = state
		}
	}
}

// load executes ld.
func load(t *thread, x *instruction) {
	r, at := t.locate(x)
	f := t.frame
	if r.stamps != nil {
		t.checkRace(r, at, x, false)
	}
	for _, slot := range x.more {
		f.states[slot] = r.state(at, uint64(x.width))
		f.values[slot] = r.bits(at, x.width)
		at += uint64(x.width)
	}
}

// store executes st. Undefined values may be stored in memory that has a shadow, which buffers have
// not.
func store(t *thread, x *instruction) {
	r, at := t.locate(x)
	f := t.frame
	if r.readOnly {
		fail("a store to " + r.name + ", which is only read")
	}
	if r.stamps != nil {
		t.checkRace(r, at, x, true)
	}
	for _, slot := range x.more {
		s := f.states[slot]
		if s != defined {
			t.checkWritten(slot)
			if r.shadow == nil {
				fail("a store of an undefined value, which comes from memory that was never written or from a division by zero, to " + r.name)
			}
		}
		r.state(at, uint64(x.width))
		r.set(at, x.width, f.values[slot], s)
		at += uint64(x.width)
	}
}

// modify executes atom and red.
func modify(t *thread, x *instruction) {
	r, at := t.locate(x)
	f := t.frame
	if r.readOnly {
		fail("an atomic on " + r.name + ", which is only read")
	}
	more := int32(0)
	if len(x.more) > 0 {
		more = x.more[0]
	}
	t.need(x.a, x.b, more)
	t.checkRace(r, at, x, true)
	if r.state(at, uint64(x.width)) != defined {
		fail("an atomic on memory that was never written")
	}
	old := r.bits(at, x.width)
	r.set(at, x.width, x.evaluate(x, old, f.values[x.a], f.values[x.b]), defined)
	if x.d != 0 {
		f.values[x.d], f.states[x.d] = old, defined
	}
}

// stamp is the last accesses of a granule, to detect races.
type stamp struct {
	write, read               actor
	writeOrder, readOrder     uint32 // of the warp, see group.orders
	writeTime, readTime       uint32 // see machine.clock
	strong                    bool   // whether the last write was relaxed
	foreignWrite, foreignRead bool   // by another workgroup
	nonCoherentRead           bool
}

// pageBits is the logarithm of the stamps in a page.
const pageBits = 8

// stampPages returns the page table for the stamps of some bytes.
func (m *machine) stampPages(bytes int) [][]stamp {
	return make([][]stamp, bytes>>m.granule>>pageBits+1)
}

// actor is an invocation in an epoch. An epoch begins with a workgroup or with a barrier of one,
// and epochs are counted over the whole launch. The zero value is no access.
type actor struct {
	epoch uint32
	// thread is the invocation's index; for several of a warp severalOfWarp plus the warp; for
	// other sets of invocations several.
	thread uint16
	warps  uint32 // the warps of the invocations, a bit for each
}

const (
	severalOfWarp = 1 << 14
	several       = 1<<16 - 1
)

// ofWarp reports whether all invocations of the actor are of a warp.
func (w actor) ofWarp(warp int) bool {
	if w.thread < severalOfWarp {
		return int(w.thread)/warpSize == warp
	}
	return w.thread != several && int(w.thread-severalOfWarp) == warp
}

// other reports whether an access was another invocation's and no barrier orders it before this
// one's. A barrier of the workgroup begins a new epoch, and one of the warp a new order. Of other
// barriers invocations know what was before them.
func (t *thread) other(w actor, order, time uint32) bool {
	switch {
	case w.epoch != t.group.epoch || w.thread == t.index:
		return false
	case w.ofWarp(t.warp):
		return order == t.group.orders[t.warp]
	}
	return !t.knows(w.warps, time)
}

// merge returns the actor of earlier accesses and one of this invocation.
func (t *thread) merge(w actor, order uint32) actor {
	own := actor{t.group.epoch, t.index, 1 << t.warp}
	switch {
	case w.epoch != own.epoch || w.thread == t.index:
	case !w.ofWarp(t.warp):
		own.thread = several
		own.warps |= w.warps
	case order == t.group.orders[t.warp]:
		own.thread = severalOfWarp + uint16(t.warp)
	}
	return own
}

// checkRace records an access and fails if it races with an earlier one (PTX ISA, Memory
// Consistency Model, Data-races). Two accesses of the same bytes by different invocations race if
// one writes, no barrier orders them, and not both are relaxed. A relaxed load counts as a write.
func (t *thread) checkRace(r *region, at uint64, x *instruction, write bool) {
	g := t.group
	size := uint64(x.width) * uint64(x.count)
	if r == g.tiles {
		t.genericAccess(at, size, write)
	}
	if r.pending != nil {
		r.checkCopies(at, size)
	}
	for n := at >> g.machine.granule; n <= (at+size-1)>>g.machine.granule; n++ {
		page := r.stamps[n>>pageBits]
		if page == nil {
			page = make([]stamp, 1<<pageBits)
			r.stamps[n>>pageBits] = page
		}
		s := &page[n&(1<<pageBits-1)]
		if !r.group {
			if s.write.epoch != 0 && s.write.epoch < g.first {
				s.foreignWrite = true
				if !s.strong {
					t.race(r, at, "written by another workgroup")
				}
			}
			if s.foreignWrite && !x.strong {
				t.race(r, at, "written by another workgroup")
			}
			s.foreignRead = s.foreignRead || s.read.epoch != 0 && s.read.epoch < g.first
			if s.foreignRead && (write || x.strong) {
				t.race(r, at, "read by another workgroup")
			}
		}
		if !(s.strong && x.strong) && t.other(s.write, s.writeOrder, s.writeTime) {
			t.race(r, at, "written by another invocation")
		}
		if (write || x.strong) && t.other(s.read, s.readOrder, s.readTime) {
			t.race(r, at, "read by another invocation")
		}
		if x.nonCoherent && s.write.epoch != 0 || write && s.nonCoherentRead {
			t.race(r, at, "also accessed through the non-coherent cache")
		}
		order := g.orders[t.warp]
		if write || x.strong {
			s.write, s.writeOrder, s.writeTime, s.strong = t.merge(s.write, s.writeOrder), order, g.clock, x.strong
			r.written = true
		} else {
			s.read, s.readOrder, s.readTime, s.nonCoherentRead = t.merge(s.read, s.readOrder), order, g.clock, s.nonCoherentRead || x.nonCoherent
		}
	}
}

func (t *thread) race(r *region, at uint64, what string) {
	fail(fmt.Sprintf("a race: byte %d of %s is %s", at, r.name, what))
}
