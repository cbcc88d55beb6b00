package ptx

import (
	"encoding/binary"
	"fmt"
)

// This file has memory: where buffers are, loads and stores with their checks, and
// races.

// region is memory that lies together: a buffer, or a space's variables.
type region struct {
	bytes    []byte
	shadow   []byte    // states of the bytes; nil if all are defined
	stamps   [][]stamp // of memory that invocations share, by page; nil until accessed
	name     string
	readOnly bool
	group    bool // seen by one workgroup at a time
}

// generic marks addresses that cvta.to.global has not yet made addresses of
// global memory.
const generic = 1 << 60

// globalAddress returns where a buffer or a table of the module begins. The low
// 32 bits overflow 256 bytes behind the beginning, so an address that is computed
// in 32 bits is another, and between two buffers lies most of a tebibyte.
func globalAddress(n int, table bool) uint64 {
	if table {
		n += tableNumber
	}
	return uint64(n+1)<<40 + globalOffset
}

const (
	tableNumber  = 1 << 14
	globalOffset = 0xFFFF_FF00
)

// toGlobal is cvta.to.global.
func toGlobal(_ *instruction, a, _, _ uint64) uint64 {
	if a>>60 != generic>>60 {
		fail(fmt.Sprintf("address %#x is no generic one", a))
	}
	return a &^ generic
}

// locate returns the memory that an instruction accesses and the place in it.
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
		n := int(address-globalOffset)>>40 - 1
		at = address - globalAddress(n, false)
		switch m := t.group.machine; {
		case n >= 0 && n < len(m.buffers):
			r = &m.buffers[n]
		case n >= tableNumber && n-tableNumber < len(m.tables):
			r = &m.tables[n-tableNumber]
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

// find returns what shadow memory says of bytes, which must all be of variables.
func (r *region) find(at, size uint64) byte {
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

// bits reads a scalar. Here and in set words come first, which most are.
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
		t.meet(r, at, x, false)
	}
	for _, slot := range x.more {
		f.states[slot] = r.find(at, uint64(x.width))
		f.values[slot] = r.bits(at, x.width)
		at += uint64(x.width)
	}
}

// store executes st. What is undefined may be stored where only the workgroup
// sees it.
func store(t *thread, x *instruction) {
	r, at := t.locate(x)
	f := t.frame
	if r.readOnly {
		fail("a store to " + r.name + ", which is only read")
	}
	if r.stamps != nil {
		t.meet(r, at, x, true)
	}
	for _, slot := range x.more {
		s := f.states[slot]
		if s != defined {
			t.checkWritten(slot)
			if r.shadow == nil {
				fail("a store of an undefined value, which comes from memory that was never written or from a division by zero, to " + r.name)
			}
		}
		r.find(at, uint64(x.width))
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
	t.meet(r, at, x, true)
	if r.find(at, uint64(x.width)) != defined {
		fail("an atomic on memory that was never written")
	}
	old := r.bits(at, x.width)
	r.set(at, x.width, x.evaluate(x, old, f.values[x.a], f.values[x.b]), defined)
	if x.d != 0 {
		f.values[x.d], f.states[x.d] = old, defined
	}
}

// stamp is who accessed some bytes last, to tell races. The bytes are 1 or 2 if some
// instruction of the module accesses as few, else 4.
type stamp struct {
	write, read           who
	strong                bool // the last write was relaxed
	foreignWrite          bool // invocations of other workgroups wrote
	foreignRead, fixed    bool // they read; somebody read through the non-coherent cache
	writeOrder, readOrder uint32
}

// pageBits is the logarithm of the stamps in a page.
const pageBits = 8

// stampPages returns room for the stamps of some bytes.
func (m *machine) stampPages(bytes int) [][]stamp {
	return make([][]stamp, bytes>>m.granule>>pageBits+1)
}

// who is an invocation at a time between two barriers. Epochs count these times
// over the whole launch; that of who never was is 0.
type who struct {
	epoch uint32
	// thread is the invocation's index, of several of a warp severalOfWarp and the
	// warp's number, and of any others several.
	thread uint16
}

const (
	severalOfWarp = 1 << 14
	several       = 1<<16 - 1
)

// ofWarp reports whether all were invocations of a warp.
func (w who) ofWarp(warp int) bool {
	if w.thread < severalOfWarp {
		return int(w.thread)/warpSize == warp
	}
	return w.thread != several && int(w.thread-severalOfWarp) == warp
}

// other reports whether an access was another invocation's that no barrier
// orders before this one's: the workgroup's ended its epoch, a warp's its order.
func (t *thread) other(w who, order uint32) bool {
	switch {
	case w.epoch != t.group.epoch || w.thread == t.index:
		return false
	case w.ofWarp(t.warp):
		return order == t.group.orders[t.warp]
	}
	return true
}

// join returns who accessed if this invocation does too.
func (t *thread) join(w who, order uint32) who {
	own := who{t.group.epoch, t.index}
	switch {
	case w.epoch != own.epoch || w.thread == t.index:
	case !w.ofWarp(t.warp):
		own.thread = several
	case order == t.group.orders[t.warp]:
		own.thread = severalOfWarp + uint16(t.warp)
	}
	return own
}

// meet notes an access and ends the launch if it is a race: if another invocation
// accesses the same bytes, one of both writes, nothing orders them, and not both
// are relaxed (PTX ISA, Memory Consistency Model, Data-races). A relaxed load
// counts as a write.
func (t *thread) meet(r *region, at uint64, x *instruction, write bool) {
	g := t.group
	size := uint64(x.width) * uint64(x.count)
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
		if !(s.strong && x.strong) && t.other(s.write, s.writeOrder) {
			t.race(r, at, "written by another invocation")
		}
		if (write || x.strong) && t.other(s.read, s.readOrder) {
			t.race(r, at, "read by another invocation")
		}
		if x.fixed && s.write.epoch != 0 || write && s.fixed {
			t.race(r, at, "also accessed through the non-coherent cache")
		}
		order := g.orders[t.warp]
		if write || x.strong {
			s.write, s.writeOrder, s.strong = t.join(s.write, s.writeOrder), order, x.strong
		} else {
			s.read, s.readOrder, s.fixed = t.join(s.read, s.readOrder), order, s.fixed || x.fixed
		}
	}
}

func (t *thread) race(r *region, at uint64, what string) {
	fail(fmt.Sprintf("a race: byte %d of %s is %s", at, r.name, what))
}
