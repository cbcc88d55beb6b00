package gpu

import (
	"errors"
	"runtime"
	"testing"
	"time"
)

// TestCloseDuringLaunch closes everything that a launch under way uses.
func TestCloseDuringLaunch(t *testing.T) {
	d, fake := newFake(t)
	s := must(d.NewStream())
	k := must(d.Load(artefact()))
	x, y, p := must(Alloc[float32](d, 8)), must(Alloc[float32](d, 8)), must(Alloc[uint32](d, 2))
	fake.onLaunch = func() {
		check(t, x.Close())
		check(t, y.Close())
		check(t, k.Close())
		if fake.count() != 3 {
			t.Errorf("%d allocations live during the launch, want 3", fake.count())
		}
	}
	check(t, s.Run(k, D1(1), x, y, p))
	if fake.count() != 1 {
		t.Errorf("%d allocations live after the launch, want 1", fake.count())
	}
}

// collect runs the collector until a condition holds: cleanups run on a goroutine of
// their own, and nobody knows when. One that never holds is ended by the test's own
// timeout, and the log says what was waited for.
func collect(t *testing.T, what string, holds func() bool) {
	t.Helper()
	t.Log("waiting for the collector: " + what)
	for runtime.GC(); !holds(); runtime.GC() {
		time.Sleep(time.Millisecond)
	}
}

// TestCollectedBuffers drops buffers without closing them.
func TestCollectedBuffers(t *testing.T) {
	d, fake := newFake(t)
	slice := func() *Buffer[float32] {
		kept := must(Alloc[float32](d, 8))
		for range 10 {
			must(Alloc[float32](d, 8))
		}
		return must(kept.Slice(4, 8))
	}()
	collect(t, "the dropped buffers are queued", func() bool {
		d.orphans.mutex.Lock()
		defer d.orphans.mutex.Unlock()
		return len(d.orphans.queue) == 10
	})
	if fake.count() != 11 {
		t.Errorf("%d allocations live, want 11: the collector must not free", fake.count())
	}
	next := must(Alloc[float32](d, 8))
	if fake.count() != 2 {
		t.Errorf("%d allocations live after the next call, want 2", fake.count())
	}
	runtime.KeepAlive(slice)
	check(t, next.Close())
}

// TestUnclosedMemory makes buffers of 8 MB that nothing closes, on a device with unlimited memory.
// Some 64 MB of them exist at a time, independently of Go's own heap.
func TestUnclosedMemory(t *testing.T) {
	const megabytes, buffers = 8, 200
	d, fake := newFake(t)
	fake.hollow, d.info.MaxBufferBytes = true, 1<<30
	most := 0
	for range buffers {
		must(Alloc[[4]byte](d, megabytes<<18))
		most = max(most, fake.count())
	}
	if most > buffers/4 {
		t.Errorf("%d of %d buffers were there at once", most, buffers)
	}
	var kept []*Buffer[[4]byte]
	before := d.reserve.collections.Load()
	for range buffers {
		kept = append(kept, must(Alloc[[4]byte](d, megabytes<<18)))
	}
	if n := d.reserve.collections.Load() - before; n < 1 || n > 8 {
		t.Errorf("%d collections for %d buffers that are kept", n, buffers)
	}
	for _, b := range kept {
		check(t, b.Close())
	}
	if left := d.reserve.bytes.Load(); left > buffers*megabytes<<20/4 {
		t.Errorf("%d bytes are counted after all is closed", left)
	}
}

// TestOutOfMemory expects a collection before memory runs out for good.
func TestOutOfMemory(t *testing.T) {
	d, fake := newFake(t)
	fake.room = 4
	for range 50 {
		// The collector's cleanups run after it, so an allocation may still fail.
		if b, err := Alloc[float32](d, 8); err == nil {
			_ = b
		} else if !errors.Is(err, ErrOutOfMemory) {
			t.Fatal(err)
		}
	}
	collect(t, "there is room again", func() bool { return errorOf(Alloc[float32](d, 8)) == nil })
	var held []*Buffer[float32]
	for {
		b, err := Alloc[float32](d, 8)
		if err != nil {
			if !errors.Is(err, ErrOutOfMemory) {
				t.Errorf("got %v, want ErrOutOfMemory", err)
			}
			break
		}
		if held = append(held, b); len(held) > 4 {
			t.Fatal("more buffers than there is room for")
		}
	}
	runtime.KeepAlive(held)
}

func TestClosedDevice(t *testing.T) {
	d, fake := newFake(t)
	s := must(d.NewStream())
	k := must(d.Load(artefact()))
	x := must(Alloc[float32](d, 8))
	e := must(s.Record())
	check(t, d.Close())
	check(t, d.Close())
	for name, got := range map[string]error{
		"alloc":  errorOf(Alloc[float32](d, 8)),
		"upload": errorOf(Upload(background, d, []float32{1})),
		"load":   errorOf(d.Load(artefact())),
		"stream": errorOf(d.NewStream()),
		"launch": s.Launch(k.Args(), D1(1)),
		"read":   x.Read(background, s, make([]float32, 8)),
		"wait":   s.Wait(background),
		"done":   errorOf(e.Done()),
	} {
		if !errors.Is(got, ErrClosed) {
			t.Errorf("%s: got %v, want ErrClosed", name, got)
		}
	}
	for _, c := range []func() error{x.Close, k.Close, s.Close, e.Close} {
		check(t, c())
	}
	_ = fake // newFake's cleanup finds calls after Close
}
