package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
)

// words of a value.
func repeated(n int, value uint32) []uint32 {
	host := make([]uint32, n)
	for i := range host {
		host[i] = value
	}
	return host
}

// lateCapture is a device whose work is late, with what tests of captures need.
type lateCapture struct {
	*testing.T
	d    *Device
	late *lateDevice
	k    *Kernel
	s, o *Stream
}

func openLateCapture(t *testing.T) *lateCapture {
	d, late := openLate(t, 0)
	return &lateCapture{t, d, late, adder(t, d), must(d.NewStream()), must(d.NewStream())}
}

func (c *lateCapture) add(s *Stream, b *Buffer[uint32]) {
	c.Helper()
	check(c, s.Run(c.k, D1(1), b))
}

func (c *lateCapture) capture(f func()) *Recording {
	c.Helper()
	return must(c.s.Capture(func() error { f(); return nil }))
}

// first reads the first word of a buffer.
func (c *lateCapture) first(s *Stream, b *Buffer[uint32]) uint32 {
	c.Helper()
	host := make([]uint32, b.Len())
	check(c, b.Read(background, s, host))
	return host[0]
}

// alone is a length whose memory is a block of its own.
const alone = 1 << 18

// where says where a buffer lies.
func where(b *Buffer[uint32]) string {
	m := b.allocation.memory.(*lateMemory)
	return fmt.Sprint(m.block.number, "+", m.offset)
}

// TestCaptureRunsNothing: a capture only records, a replay only enqueues.
func TestCaptureRunsNothing(t *testing.T) {
	c := openLateCapture(t)
	b := must(Alloc[uint32](c.d, 100))
	given := c.s.outside.stream // none
	r := c.capture(func() {
		c.add(c.s, b)
		check(t, b.Write(c.s, repeated(100, 5)))
		c.add(c.s, b)
		if n := len(c.s.outside.stream.(*lateStream).queue); n != 0 {
			t.Errorf("%d operations are enqueued", n)
		}
	})
	if given != nil || c.s.outside.stream != nil || c.first(c.s, b) != 0 {
		t.Error("the stream is not as before, or has run something")
	}
	check(t, r.Replay(c.o))
	if n := len(c.o.stream.(*lateStream).queue); n != 3 {
		t.Errorf("a replay enqueues %d operations, want 3", n)
	}
	if got := c.first(c.o, b); got != 6 {
		t.Errorf("got %d", got)
	}
	check(t, r.Close())
	check(t, r.Close())
	if err := r.Replay(c.o); !errors.Is(err, ErrClosed) {
		t.Errorf("a replay of a closed recording: %v", err)
	}
}

// TestReplaysFollowEachOther: on several streams without events, and behind one that is closed.
func TestReplaysFollowEachOther(t *testing.T) {
	c := openLateCapture(t)
	b := must(Alloc[uint32](c.d, 100))
	r := c.capture(func() { c.add(c.s, b) })
	check(t, errors.Join(r.Replay(c.s), r.Replay(c.o), r.Replay(c.o), r.Replay(c.s), r.Replay(c.o)))
	if got := c.first(c.o, b); got != 5 {
		t.Errorf("got %d, want 5", got)
	}
	// one that is in a capture meanwhile
	check(t, r.Replay(c.o))
	must(c.o.Capture(func() error {
		check(t, r.Replay(c.s))
		if err := r.Replay(c.o); !errors.Is(err, ErrCapture) {
			t.Errorf("a replay in a capture: %v", err)
		}
		c.o.recorder.Load().capture.refused = nil
		return r.Replay(c.s)
	}))
	if c.s.recorder.Load() != nil || c.first(c.s, b) != 8 {
		t.Errorf("behind a stream in a capture: got %d, want 8", c.first(c.s, b))
	}
	check(t, errors.Join(r.Replay(c.o), c.o.Close(), r.Replay(c.s)))
	if got := c.first(c.s, b); got != 10 {
		t.Errorf("behind a stream that was closed: got %d, want 10", got)
	}
	check(t, r.Close())
}

// TestRecordingKeepsMemory: what a recording uses is nobody else's while it is open, and while its
// replays run. Then it is free.
func TestRecordingKeepsMemory(t *testing.T) {
	for name, test := range map[string]struct {
		outside bool // the buffer is made before the capture
		early   bool // it is closed before the replays, in the capture if it was made there
	}{"outside": {true, false}, "outside, closed early": {true, true}, "inside": {false, false}, "inside, closed early": {false, true}} {
		t.Run(name, func(t *testing.T) {
			c := openLateCapture(t)
			var b *Buffer[uint32]
			if test.outside {
				b = must(Alloc[uint32](c.d, alone))
			}
			result := must(Alloc[uint32](c.d, alone))
			r := c.capture(func() {
				if !test.outside {
					b = must(Alloc[uint32](c.s, alone))
				}
				c.add(c.s, b)
				check(t, Copy(c.s, result, b))
				if test.early && !test.outside {
					check(t, b.Close())
				}
			})
			at := where(b)
			if test.early {
				check(t, b.Close())
			}
			waiting := must(Alloc[uint32](c.o, 100)) // for which Trim waits
			check(t, errors.Join(waiting.Close(), c.d.Trim()))
			var others []*Buffer[uint32]
			look := func(what string, free bool, from ...Allocator) {
				t.Helper()
				found := false
				for _, f := range from {
					o := must(Alloc[uint32](f, alone))
					found = found || where(o) == at
					check(t, o.Write(c.o, repeated(alone, 9)))
					others = append(others, o)
				}
				if found != free {
					t.Errorf("%s: another buffer has the memory: %v", what, found)
				}
			}
			look("captured", false, c.d, c.o, c.s)
			for n := range uint32(2) {
				check(t, r.Replay(c.s))
				want := uint32(1)
				if test.outside {
					want += n
				}
				if got := c.first(c.s, result); got != want {
					t.Errorf("replay %d: got %d, want %d", n, got, want)
				}
			}
			check(t, c.s.Wait(background))
			look("waited for", false, c.d, c.o, c.s)
			check(t, r.Replay(c.s))
			check(t, r.Close())
			check(t, b.Close())
			look("closed, and a replay is under way", false, c.d)
			check(t, c.s.Wait(background))
			look("closed", true, c.d)
			for _, o := range others {
				check(t, o.Close())
			}
			check(t, errors.Join(result.Close(), c.k.Close(), c.s.Close(), c.o.Close(), c.d.Trim()))
			if m := c.d.Memory(); m.InUse != 0 || m.Reserved != 0 {
				t.Errorf("all is closed: %+v", m)
			}
		})
	}
}

// TestRecordedWritesKeepMemory: the bytes of writes are there while replays run.
func TestRecordedWritesKeepMemory(t *testing.T) {
	c := openLateCapture(t)
	b := must(Alloc[uint32](c.d, alone))
	r := c.capture(func() { check(t, b.Write(c.s, repeated(alone, 3))) })
	check(t, errors.Join(r.Replay(c.s), r.Close()))
	o := must(Alloc[uint32](c.d, alone))
	check(t, o.Write(c.o, repeated(alone, 9)))
	check(t, c.o.Wait(background))
	if got := c.first(c.s, b); got != 3 {
		t.Errorf("got %d", got)
	}
}

// TestRecordedWrites: the bytes of writes of any length, which fill more than one buffer.
func TestRecordedWrites(t *testing.T) {
	d, _ := newFake(t) // a buffer has at most 4096 bytes
	s := must(d.NewStream())
	var buffers []*Buffer[byte]
	var want [][]byte
	r := must(s.Capture(func() error {
		for n := range 40 {
			host := make([]byte, 1+n*n*19%4096)
			for i := range host {
				host[i] = byte(i + n)
			}
			b := must(Alloc[byte](d, len(host)))
			check(t, b.Write(s, host))
			buffers, want = append(buffers, b), append(want, host)
		}
		return must(Alloc[byte](d, 0)).Write(s, nil)
	}))
	check(t, r.Replay(s))
	for n, b := range buffers {
		host := make([]byte, b.Len())
		if check(t, b.Read(background, s, host)); !bytes.Equal(host, want[n]) {
			t.Errorf("%d bytes have changed", len(host))
		}
	}
	check(t, r.Close())
}

// TestCaptureReusesMemory: what is closed in a capture serves later buffers in it.
func TestCaptureReusesMemory(t *testing.T) {
	c := openLateCapture(t)
	arena := must(c.s.NewArena(256))
	b := must(Alloc[uint32](c.d, alone))
	before := c.d.Memory().Reserved
	r := c.capture(func() {
		for n := range 40 {
			temporary := must(Alloc[uint32]([]Allocator{c.s, arena}[n%2], alone))
			c.add(c.s, temporary)
			check(t, Copy(c.s, b, temporary))
			check(t, errors.Join(temporary.Close(), arena.Reset()))
		}
	})
	if m := c.d.Memory(); m.Reserved-before > 3*4*alone {
		t.Errorf("%d bytes are reserved for 40 buffers of %d", m.Reserved-before, 4*alone)
	}
	check(t, errors.Join(r.Replay(c.s), r.Replay(c.s)))
	if got := c.first(c.s, b); got != 1 {
		t.Errorf("got %d", got)
	}
	check(t, r.Close())
}

// TestCaptureArena: what an arena had before a capture is reset at once, and what it gets in one is
// zeroed by each replay.
func TestCaptureArena(t *testing.T) {
	c := openLateCapture(t)
	arena := must(c.s.NewArena(4000))
	old := must(Alloc[uint32](arena, 1000))
	check(t, old.Write(c.s, repeated(1000, 7)))
	check(t, c.s.Wait(background))
	var b, late *Buffer[uint32]
	r := c.capture(func() {
		check(t, arena.Reset())
		b = must(Alloc[uint32](arena, 1000))
		c.add(c.s, b)
		late = must(Alloc[uint32](must(c.s.NewArena(100)), 10))
		c.add(c.s, late)
	})
	if _, err := old.Slice(0, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("a buffer of an arena that was reset: %v", err)
	}
	after := must(Alloc[uint32](arena, 1000))
	for n := range uint32(3) {
		if got := c.first(c.s, after); got != n {
			t.Errorf("a buffer that was made behind the capture: %d, want %d", got, n)
		}
		c.add(c.s, after)
		check(t, r.Replay(c.s))
		if x, y := c.first(c.s, b), c.first(c.s, late); x != 1 || y != 1 {
			t.Errorf("got %d and %d", x, y)
		}
	}
	check(t, arena.Reset())
	if _, err := b.Slice(0, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("a buffer of the capture, and the arena was reset: %v", err)
	}
	check(t, r.Replay(c.s)) // which has the memory
	if got := c.first(c.s, must(Alloc[uint32](arena, 1000))); got != 0 {
		t.Errorf("a buffer of the arena behind a replay: %d", got)
	}
	check(t, errors.Join(arena.Close(), r.Close()))
}

// TestReplaysZero: fresh memory, which some devices zero, is zeroed by each replay.
func TestReplaysZero(t *testing.T) {
	d := must(Open(Named(CPU)))
	defer d.Close()
	s := must(d.NewStream())
	x := must(Alloc[uint32](d, 16))
	var b *Buffer[uint32]
	r := must(s.Capture(func() error {
		b = must(Alloc[uint32](s, 16))
		return errors.Join(Copy(s, x, b), b.Write(s, repeated(16, 1)))
	}))
	host := make([]uint32, 16)
	for range 3 {
		check(t, errors.Join(x.Write(s, repeated(16, 5)), r.Replay(s), x.Read(background, s, host)))
		if host[0] != 0 || host[15] != 0 {
			t.Errorf("got %v", host)
		}
	}
}

// TestCaptureRefuses: what cannot be captured says what to do, the capture fails even if that is
// ignored, and the streams are as before.
func TestCaptureRefuses(t *testing.T) {
	d := must(Open(Named(CPU)))
	defer d.Close()
	s, o := must(d.NewStream()), must(d.NewStream())
	b := must(Alloc[uint32](d, 16))
	image := must(d.NewTexture(TextureDescription{Dimension: texture.D2, Format: texture.R32Float, Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1}))
	outside := must(o.Record())
	other := must(s.Capture(func() error { return nil }))
	host := make([]uint32, 16)
	for name, test := range map[string]struct {
		call func() error
		says string
	}{
		"wait":            {func() error { return s.Wait(background) }, "waits for work"},
		"read":            {func() error { return b.Read(background, s, host) }, "Buffer.Read waits"},
		"start to read":   {func() error { _, err := b.ReadAsync(s, host); return err }, "ReadAsync after Recording.Replay"},
		"start to write":  {func() error { _, err := b.WriteAsync(s, host); return err }, "call Write in the capture"},
		"read a texture":  {func() error { return s.ReadTexture(make([]byte, 4), image, 0) }, "waits for work"},
		"write a texture": {func() error { return s.WriteTexture(image, 0, make([]byte, 4)) }, "call it before Recording.Replay"},
		"event":           {func() error { return must(s.Record()).Wait(background) }, "waits for work"},
		"done":            {func() error { _, err := must(s.Record()).Done(); return err }, "waits for work"},
		"time":            {func() error { _, err := must(s.Record()).Since(must(s.Record())); return err }, "waits for work"},
		"outside event":   {func() error { return s.After(outside) }, "call After before"},
		"replay":          {func() error { return other.Replay(s) }, "is not recorded"},
	} {
		r, err := s.Capture(func() error {
			check(t, b.Write(s, host))
			if err := test.call(); !errors.Is(err, ErrCapture) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %v", name, err)
			}
			return nil
		})
		if r != nil || !errors.Is(err, ErrCapture) {
			t.Errorf("%s, ignored: %v", name, err)
		}
		check(t, errors.Join(b.Write(s, host), s.Wait(background), b.Read(background, s, host)))
	}
	failure := errors.New("a failure")
	r, err := s.Capture(func() error {
		_, err := s.Capture(func() error { return nil })
		if !errors.Is(err, ErrCapture) {
			t.Errorf("a capture in a capture: %v", err)
		}
		check(t, must(Alloc[uint32](s, 16)).Write(s, host))
		return failure
	})
	if r != nil || !errors.Is(err, failure) {
		t.Errorf("a function that fails: %v", err)
	}
	if _, err := s.Capture(nil); !errors.Is(err, ErrShape) {
		t.Errorf("no function: %v", err)
	}
	var ended *Event
	must(s.Capture(func() error { ended = must(s.Record()); return nil }))
	for what, err := range map[string]error{"After": s.After(ended), "Wait": ended.Wait(background)} {
		if !errors.Is(err, ErrCapture) {
			t.Errorf("%s of an event of a capture that has ended: %v", what, err)
		}
	}
	far := must(Open(Named(CPU)))
	defer far.Close()
	elsewhere := must(far.NewStream())
	if err := other.Replay(elsewhere); !errors.Is(err, ErrShape) {
		t.Errorf("a replay on another device: %v", err)
	}
	if err := elsewhere.After(ended); !errors.Is(err, ErrShape) {
		t.Errorf("an event of another device's capture: %v", err)
	}
	check(t, errors.Join(b.Write(s, host), s.Wait(background)))
}

// TestCapturePanics: streams are as before when the function panics, or ends the goroutine, and
// what it has allocated is free.
func TestCapturePanics(t *testing.T) {
	c := openLateCapture(t)
	x := must(Alloc[uint32](c.d, 10))
	before := c.d.Memory().InUse
	for name, end := range map[string]func(){"panic": func() { panic("a reason") }, "exit": runtime.Goexit} {
		ended := make(chan any)
		go func() {
			defer func() { ended <- recover() }()
			_, _ = c.s.Capture(func() error {
				e := must(c.s.Record())
				check(t, c.o.After(e))
				b := must(Alloc[uint32](c.o, alone))
				c.add(c.o, b)
				c.add(c.s, x)
				check(t, b.Close())
				end()
				return nil
			})
		}()
		if reason := <-ended; (reason != nil) != (name == "panic") {
			t.Errorf("%s: %v", name, reason)
		}
		for _, s := range []*Stream{c.s, c.o} {
			c.add(s, x)
			check(t, s.Wait(background))
		}
	}
	if got := c.first(c.s, x); got != 4 {
		t.Errorf("got %d, want 4", got)
	}
	if m := c.d.Memory(); m.InUse != before {
		t.Errorf("%d bytes are in use, and %d before", m.InUse, before)
	}
}

// TestCaptureStreams: streams join, also one that is closed in the capture, and the device may be
// closed.
func TestCaptureStreams(t *testing.T) {
	c := openLateCapture(t)
	x := must(Alloc[uint32](c.d, 10))
	r := c.capture(func() {
		for range 3 {
			o := must(c.d.NewStream())
			c.add(c.s, x)
			check(t, o.After(must(c.s.Record())))
			c.add(o, x)
			check(t, c.s.After(must(o.Record())))
			check(t, o.Close())
			if err := o.After(must(c.s.Record())); !errors.Is(err, ErrClosed) {
				t.Errorf("a closed stream joins: %v", err)
			}
		}
		// another capture does not mix with this one
		other, err := c.o.Capture(func() error {
			if err := c.o.After(must(c.s.Record())); !errors.Is(err, ErrCapture) {
				t.Errorf("an event of another capture: %v", err)
			}
			return nil
		})
		if other != nil || !errors.Is(err, ErrCapture) {
			t.Errorf("the other capture: %v", err)
		}
	})
	check(t, r.Replay(c.o))
	if got := c.first(c.o, x); got != 6 {
		t.Errorf("got %d", got)
	}
	check(t, r.Close())
	_, err := c.s.Capture(func() error {
		c.add(c.s, x)
		return c.d.Close()
	})
	if !errors.Is(err, ErrClosed) {
		t.Errorf("a capture whose device is closed: %v", err)
	}
}
