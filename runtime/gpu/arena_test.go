package gpu

import (
	"errors"
	"runtime"
	"testing"
)

// TestArena makes buffers in an arena, one behind the other, until it grows.
func TestArena(t *testing.T) {
	d, _ := openLate(t, 0)
	s, k := must(d.NewStream()), adder(t, d)
	a := must(s.NewArena(1024))
	reserved := d.Memory().InUse
	for round := range 3 {
		var list []*Buffer[uint32]
		for n := range 4 {
			b := must(Alloc[uint32](a, 1+10*n))
			check(t, s.Run(k, D1(1), b))
			host := make([]uint32, b.Len())
			check(t, b.Read(background, s, host))
			if host[0] != 1 || host[len(host)-1] != 1 {
				t.Errorf("round %d: buffer %d has %d and %d", round, n, host[0], host[len(host)-1])
			}
			list = append(list, b)
		}
		if m := d.Memory(); m.InUse != reserved {
			t.Errorf("round %d: %d bytes are in use, want %d", round, m.InUse, reserved)
		}
		check(t, list[1].Close())
		check(t, a.Reset())
		for n, b := range list {
			if err := s.Run(k, D1(1), b); !errors.Is(err, ErrClosed) {
				t.Errorf("buffer %d after Reset: %v", n, err)
			}
			check(t, b.Close())
		}
	}
	for range 9 {
		must(Alloc[uint32](a, 64))
	}
	if n := len(a.chunks); n != 3 {
		t.Errorf("9 buffers of 256 bytes lie in %d chunks", n)
	}
	check(t, a.Reset())
	for range 9 {
		must(Alloc[uint32](a, 64))
	}
	if n := len(a.chunks); n != 1 {
		t.Errorf("after Reset, they lie in %d chunks", n)
	}
	if empty := must(Alloc[uint32](a, 0)); empty.Len() != 0 {
		t.Error("no buffer without elements")
	}
	check(t, a.Close())
	if m := d.Memory(); m.InUse != 0 {
		t.Errorf("%d bytes are in use after Close", m.InUse)
	}
	for name, err := range map[string]error{
		"alloc": errorOf(Alloc[uint32](a, 1)), "reset": a.Reset(), "nil": errorOf(Alloc[uint32]((*Arena)(nil), 1)), "nil reset": (*Arena)(nil).Reset(),
		"zero": new(Arena).Close(), "zero stream": errorOf(new(Stream).NewArena(1)),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.NewArena(d.info.MaxBufferBytes + 1); !errors.Is(err, ErrLimit) {
		t.Errorf("an arena beyond the limit: %v", err)
	}
}

// TestArenaInUse resets an arena while a launch on another stream uses a buffer of it.
func TestArenaInUse(t *testing.T) {
	d, fake := newFake(t)
	s, other, k := must(d.NewStream()), must(d.NewStream()), adder(t, d)
	a := must(s.NewArena(2048))
	b := must(Alloc[uint32](a, 64))
	check(t, s.Wait(background))
	block := a.chunks[0].memory.span
	fake.onLaunch = func() {
		check(t, a.Reset())
		next := must(Alloc[uint32](a, 64))
		if a.chunks[0].memory.span == block {
			t.Error("the arena reuses the memory of a launch that is being made")
		}
		if m := d.Memory(); m.Buffers != 2 {
			t.Errorf("there are %d pieces of memory, want that in use and the arena's", m.Buffers)
		}
		check(t, next.Close())
	}
	check(t, other.Run(k, D1(1), b))
	if m := d.Memory(); m.Buffers != 1 {
		t.Errorf("there are %d pieces of memory after the launch, want the arena's", m.Buffers)
	}
}

// TestCollectedArena drops an arena and keeps a buffer of it, which keeps the memory.
func TestCollectedArena(t *testing.T) {
	d, _ := newFake(t)
	s := must(d.NewStream())
	b := func() *Buffer[uint32] {
		a := must(s.NewArena(1024))
		must(Alloc[uint32](a, 64))
		return must(Alloc[uint32](a, 64))
	}()
	settled := func(buffers int) func() bool {
		return func() bool {
			d.orphans.reclaim()
			return d.Memory().Buffers == buffers
		}
	}
	runtime.GC()
	runtime.GC()
	if !settled(1)() {
		t.Errorf("the memory is gone before its last buffer: %+v", d.Memory())
	}
	check(t, b.Write(s, make([]uint32, 64)))
	runtime.KeepAlive(b)
	b = nil
	collect(t, "the arena's memory is freed", settled(0))
}
