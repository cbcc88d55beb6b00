//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"errors"
	"testing"

	"github.com/gpuc/gpuc/runtime/driver"
)

// TestBlocks: streams wait for the allocation of a block, and for fills of parts that were there
// before.
func TestBlocks(t *testing.T) {
	l, d, s := openFake(t)
	var b driver.Block
	expect(t, "a block", l.since(func() {
		var err error
		b, _, err = d.Reserve(4096)
		check(t, err)
	}), "AllocAsync memory1", "EventRecord event1 stream1")
	part := func() driver.Memory {
		m, err := b.Part(0, 256)
		check(t, err)
		return m
	}
	first, at := part(), "memory1"
	waits, fill := "StreamWait stream3 event1", "Fill "+at
	expect(t, "zeros on a stream", l.since(func() { check(t, s.Clear(first)) }), waits, fill)
	expect(t, "zeros again", l.since(func() { check(t, s.Clear(first)) }), fill)
	expect(t, "zeros of the device", l.since(func() { check(t, d.Clear(first)) }), fill, "EventRecord event1 stream1")
	expect(t, "another part's zeros", l.since(func() { check(t, s.Clear(part())) }), waits, fill)
	expect(t, "freeing a part", l.since(func() { check(t, first.Free()) }))
	if err := s.Clear(first); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("zeros for a freed part: %v", err)
	}
	expect(t, "freeing the block", l.since(func() { check(t, b.Free()) }),
		"StreamWait stream2 event1", "EventRecord event2 stream3", "StreamWait stream2 event2", "FreeAsync memory1 stream2")
	expect(t, "draining", l.since(func() { check(t, d.Drain()) }), "Synchronize")
	expect(t, "trimming", l.since(func() { check(t, d.Trim()) }), "Synchronize", "PoolTrim pool1")
}

// TestPartContents: zeros and reuse end what is known of a part.
func TestPartContents(t *testing.T) {
	v := openValued(t)
	b, _, err := v.d.Reserve(4096)
	check(t, err)
	part := func(offset uint64) driver.Memory {
		m, err := b.Part(offset, 64)
		check(t, err)
		return m
	}
	whole := func(m driver.Memory, bytes uint64) driver.Slice { return driver.Slice{Memory: m, Bytes: bytes} }
	few, out, one := part(0), part(256), part(512)
	v.write(v.s, whole(few, 12), 1, 2, 3)
	v.write(v.s, whole(one, 4), 4)
	v.launch("parts that were written", v.s, whole(few, 12), whole(out, 64), whole(one, 4), 1, 2, 3, 4)
	check(t, v.s.Clear(one))
	v.launch("after zeros", v.s, whole(few, 12), whole(out, 64), whole(one, 4))
	v.write(v.s, whole(one, 4), 5)
	v.launch("written again", v.s, whole(few, 12), whole(out, 64), whole(one, 4), 1, 2, 3, 5)
	check(t, few.Free())
	v.launch("another part of the same memory", v.s, whole(part(0), 12), whole(out, 64), whole(one, 4))
}
