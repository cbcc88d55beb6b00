package gpu

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestCaptured changes launches: their buffers, of which the recording lets the old ones go.
func TestCaptured(t *testing.T) {
	c := openLateCapture(t)
	if c.s.Captured() != nil {
		t.Error("a launch outside of captures")
	}
	x, y := must(Alloc[uint32](c.d, alone)), must(Alloc[uint32](c.d, 10))
	var launch *Captured
	r := c.capture(func() {
		if c.s.Captured() != nil {
			t.Error("a launch before there is any")
		}
		c.add(c.s, x)
		launch = c.s.Captured()
		if err := launch.Change(func() error { return nil }); !errors.Is(err, ErrCapture) {
			t.Errorf("a change in the capture: %v", err)
		}
		c.add(c.s, y)
		if c.s.Captured() == launch {
			t.Error("two launches are one")
		}
	})
	check(t, r.Replay(c.s))
	check(t, launch.Change(func() error { return c.s.Run(c.k, D1(1), y) }))
	at := where(x)
	check(t, x.Close())
	other := must(Alloc[uint32](c.d, alone)) // a replay that uses x is under way
	check(t, c.s.Wait(background))
	if free := must(Alloc[uint32](c.d, alone)); where(other) == at || where(free) != at {
		t.Errorf("x lay at %s; a buffer before the wait at %s and one behind it at %s", at, where(other), where(free))
	}
	check(t, r.Replay(c.o))
	if got := c.first(c.o, y); got != 3 {
		t.Errorf("got %d, want 3", got)
	}
	second := adder(t, c.d)
	for name, f := range map[string]func() error{
		"no launch":      func() error { return nil },
		"two launches":   func() error { c.add(c.s, y); _ = c.s.Run(c.k, D1(1), y); return nil },
		"a write":        func() error { c.add(c.s, y); _ = y.Write(c.s, make([]uint32, 10)); return nil },
		"memory":         func() error { c.add(c.s, y); _, err := Alloc[uint32](c.s, 10); return err },
		"an event":       func() error { c.add(c.s, y); _, _ = c.s.Record(); return nil },
		"a wait":         func() error { c.add(c.s, y); _ = c.s.Wait(background); return nil },
		"another kernel": func() error { _ = c.s.Run(second, D1(1), y); return nil },
		"a replay":       func() error { c.add(c.s, y); _ = r.Replay(c.s); return nil },
		"a change":       func() error { return launch.Change(func() error { return nil }) },
	} {
		if err := launch.Change(f); !errors.Is(err, ErrCapture) {
			t.Errorf("%s: %v", name, err)
		}
	}
	failure := errors.New("a failure")
	if err := launch.Change(func() error { c.add(c.s, y); return failure }); !errors.Is(err, failure) {
		t.Errorf("a function that fails: %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = launch.Change(func() error { c.add(c.s, y); panic("a reason") })
	}()
	check(t, r.Replay(c.s)) // as before
	if got := c.first(c.s, y); got != 5 {
		t.Errorf("got %d, want 5", got)
	}
	check(t, r.Close())
	if err := launch.Change(func() error { return c.s.Run(c.k, D1(1), y) }); !errors.Is(err, ErrClosed) {
		t.Errorf("a change of a closed recording: %v", err)
	}
	check(t, c.s.Close())
	if err := launch.Change(func() error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("a change on a closed stream: %v", err)
	}
}

// TestCapturedValues changes the values of launches, which are immediates or in a uniform buffer.
func TestCapturedValues(t *testing.T) {
	for _, uniform := range []bool{false, true} {
		e := embedded(t, uniform)
		d, fake := newFake(t)
		s := must(d.NewStream())
		x, y := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64))
		before := fake.count()
		check(t, e.Launch(s, D1(1), []uint32{9, 9}, x, y))
		var launches [3]*Captured
		r := must(s.Capture(func() error {
			for n := range launches {
				check(t, e.Launch(s, D1(1), []uint32{uint32(n), 7}, x, y))
				launches[n] = s.Captured()
			}
			return nil
		}))
		values := func() (got [3]byte) {
			fake.launches = nil
			check(t, r.Replay(s))
			for n, l := range fake.launches {
				if data := l.Immediates; !uniform {
					got[n] = data[0]
				} else {
					got[n] = part(l.Bindings[2])[0]
				}
			}
			return got
		}
		if got := values(); got != [3]byte{0, 1, 2} {
			t.Errorf("uniform %v: got %v", uniform, got)
		}
		for n := range uint32(5) {
			check(t, launches[1].Change(func() error { return e.Launch(s, D1(1), []uint32{40 + n, 7}, x, y) }))
			if got := values(); got != [3]byte{0, byte(40 + n), 2} {
				t.Errorf("uniform %v: got %v", uniform, got)
			}
		}
		fake.launches = nil
		check(t, e.Launch(s, D1(1), []uint32{9, 9}, x, y)) // as before the capture
		if l := fake.launches[0]; uniform && part(l.Bindings[2])[0] != 9 {
			t.Errorf("the stream's own launch has %v", part(l.Bindings[2]))
		}
		check(t, errors.Join(r.Close(), s.Close()))
		if n := fake.count(); n != before {
			t.Errorf("uniform %v: %d allocations are left", uniform, n-before)
		}
	}
}

// TestReplayAllocates counts what replays and changes allocate on the host.
func TestReplayAllocates(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	e := embedded(t, false)
	d, fake := newFake(t)
	s := must(d.NewStream())
	x, y, z := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64))
	values := []uint32{1, 2}
	var launch *Captured
	r := must(s.Capture(func() error {
		for range 5 {
			check(t, e.Launch(s, D1(1), values, x, y))
		}
		launch = s.Captured()
		return Copy(s, x, y)
	}))
	for range 10 { // all that the fake device notes
		check(t, r.Replay(s))
	}
	if n := testing.AllocsPerRun(100, func() { check(t, r.Replay(s)) }); n != 0 {
		t.Errorf("%v allocations for each replay, %d launches", n, len(fake.launches))
	}
	if n := testing.AllocsPerRun(100, func() {
		values[0]++
		y, z = z, y
		check(t, launch.Change(func() error { return e.Launch(s, D1(1), values, x, y) }))
	}); n != 0 {
		t.Errorf("%v allocations for each change", n)
	}
	check(t, r.Close())
}

// TestRecordingIsCollected: one that nobody closes is freed with what it has kept.
func TestRecordingIsCollected(t *testing.T) {
	c := openLateCapture(t)
	before := c.d.Memory().InUse
	func() {
		x := must(Alloc[uint32](c.d, 1000))
		c.capture(func() { c.add(c.s, x); check(t, x.Write(c.s, repeated(1000, 1))) })
		check(t, x.Close())
	}()
	for range 20 {
		runtime.GC()
		c.d.orphans.reclaim()
		if c.d.Memory().InUse == before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d bytes are in use, and %d before", c.d.Memory().InUse, before)
}

// TestReplayGoroutines: goroutines share a recording, on one stream and on their own, while one
// changes a launch on the stream of the capture.
func TestReplayGoroutines(t *testing.T) {
	d := must(Open(Named(CPU)))
	defer d.Close()
	captured, shared := must(d.NewStream()), must(d.NewStream())
	x, y := must(Alloc[uint32](d, 64)), must(Alloc[uint32](d, 64))
	k := adderOnCPU(t, d)
	var launch *Captured
	r := must(captured.Capture(func() error {
		b := must(Alloc[uint32](captured, 64))
		err := errors.Join(captured.Run(k, D1(1), b), Copy(captured, x, b), captured.Run(k, D1(1), b))
		launch = captured.Captured()
		return errors.Join(err, Copy(captured, y, b), b.Close())
	}))
	other := must(Alloc[uint32](d, 64))
	var group sync.WaitGroup
	for worker := range 5 {
		group.Go(func() {
			s := shared
			if worker > 1 {
				s = must(d.NewStream())
			}
			for n := range 50 {
				if worker == 4 {
					must(0, launch.Change(func() error { return captured.Run(k, D1(1), []*Buffer[uint32]{x, other}[n%2]) }))
					continue
				}
				must(0, r.Replay(s))
				if worker == 2 {
					must(0, s.Wait(context.Background()))
				}
			}
			must(0, s.Wait(context.Background()))
		})
	}
	group.Wait()
	check(t, launch.Change(func() error { return captured.Run(k, D1(1), x) }))
	check(t, r.Replay(shared))
	host := make([]uint32, 64)
	for b, want := range map[*Buffer[uint32]]uint32{x: 2, y: 1} {
		if check(t, b.Read(background, shared, host)); host[0] != want || host[63] != want {
			t.Errorf("got %v, want %d", host, want)
		}
	}
	check(t, errors.Join(r.Close(), x.Close(), y.Close(), other.Close(), k.Close()))
}

// adderOnCPU adds 1 to the words of a buffer.
func adderOnCPU(t testing.TB, d *Device) *Kernel {
	t.Helper()
	return must(d.Load(&abi.Artefact{Target: abi.CPU, Code: []byte(`
var @x : ptr<storage, array<u32>, read_write> [group 0, binding 0]
kernel @add(%id: vec3<u32> [global_invocation_id]) [workgroup 64u, 1u, 1u] {
  %i = extract %id, 0u : u32
  %n = array_length @x : u32
  %inside = lt %i, %n : bool
  if ^i %inside {
    %at = access @x, %i : ptr<storage, u32, read_write>
    %was = load %at : u32
    %is = add %was, 1u : u32
    store %at, %is
    exit ^i()
  } else {
    exit ^i()
  }
  return
}
`), Kernel: abi.Kernel{Name: "add", Workgroup: [3]uint32{64, 1, 1}, Bindings: []abi.Binding{{Name: "x", Access: abi.ReadWrite, Stride: 4, Element: "u32"}}}}))
}
