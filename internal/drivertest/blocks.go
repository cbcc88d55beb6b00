// Blocks whose parts are memory of their own.

package drivertest

import (
	"context"
	"errors"
	"math"

	"github.com/gpuc/gpuc/runtime/driver"
)

// reserve reserves a block, and says how far apart its parts begin.
func (f *Fixture) reserve(bytes int) (b driver.Block, zeros bool, alignment int) {
	f.Helper()
	b, zeros, err := f.Device.Reserve(uint64(bytes))
	f.Check(err)
	return b, zeros, max(int(f.Device.Info().PartAlignment), 256)
}

func (f *Fixture) part(b driver.Block, offset, bytes int) driver.Memory {
	f.Helper()
	m, err := b.Part(uint64(offset), uint64(bytes))
	f.Check(err)
	return m
}

// expect compares memory with a value for all elements.
func (f *Fixture) expect(what string, m driver.Memory, want float32) {
	f.Helper()
	for i, v := range f.Read(m) {
		if v != want {
			f.Fatalf("%s: element %d is %v, want %v", what, i, v, want)
		}
	}
}

// fill writes a value to all elements.
func (f *Fixture) fill(m driver.Memory, value float32) {
	f.Helper()
	host := make([]float32, m.Bytes()/4)
	for i := range host {
		host[i] = value
	}
	f.Check(f.Stream.Write(Whole(m), Bytes(host)))
}

// blockParts writes, clears and launches on parts that lie side by side.
func blockParts(f *Fixture) {
	const n = 100
	b, zeros, alignment := f.reserve(1 << 20)
	var parts []driver.Memory
	for i := range 5 {
		m := f.part(b, 2*alignment*i, 4*n)
		if zeros {
			f.expect("a new block", m, 0)
		}
		f.fill(m, float32(i+1))
		parts = append(parts, m)
	}
	for i, m := range parts {
		f.expect("written", m, float32(i+1))
	}
	f.Check(f.Device.Clear(parts[1]))
	f.Check(f.Stream.Clear(parts[3]))
	for i, want := range []float32{1, 0, 3, 0, 5} {
		f.expect("cleared", parts[i], want)
	}
	one := f.Upload([]float32{1})
	f.Check(f.Stream.Launch(Launch(f.Kernel, parts[0], parts[1], one)))
	f.Check(f.Stream.Launch(Launch(f.Kernel, parts[2], parts[3], one)))
	f.Check(f.Stream.Copy(Whole(parts[4]), Whole(parts[3])))
	for i, want := range []float32{1, 1, 3, 3, 3} {
		f.expect("launched", parts[i], want)
	}
	for _, m := range parts {
		f.Check(m.Free())
	}
	if err := f.Stream.Launch(Launch(f.Kernel, parts[0], parts[1], one)); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("a freed part: got %v, want ErrClosed", err)
	}
}

// blockReuse gives memory to one part after the other while work on the parts before is under way.
// Their sizes differ, so that only the order of the stream keeps them apart.
func blockReuse(f *Fixture) {
	const largest = 4000
	b, _, alignment := f.reserve(4*largest + 1<<16)
	one, x, sum, zero := f.Upload([]float32{1}), f.Alloc(4*largest), f.Alloc(4*largest), f.Alloc(4*largest)
	f.fill(x, 1)
	for round := range 100 {
		n := largest - 37*round
		m := f.part(b, round%3*alignment, 4*n)
		if r, ok := f.Stream.(driver.Reuser); ok && round%2 == 1 {
			f.Check(r.Reuse(m))
			f.Check(f.Stream.Copy(Whole(m), driver.Slice{Memory: zero, Bytes: m.Bytes()}))
		} else {
			f.Check(f.Stream.Clear(m))
		}
		l := Launch(f.Kernel, x, m, one)
		l.Bindings[0].Bytes = m.Bytes()
		f.Check(f.Stream.Launch(l))
		l.Bindings[0], l.Bindings[1] = Whole(m), driver.Slice{Memory: sum, Bytes: m.Bytes()}
		f.Check(f.Stream.Launch(l))
		f.Check(m.Free())
	}
	for i, v := range f.Read(sum) {
		if want := min(100, float32((largest-1-i)/37+1)); v != want {
			f.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
	// a part that is zeroed at once may have been zeroed and left before
	early := f.part(b, 0, 4*largest)
	f.Check(f.Device.Clear(early))
	f.Check(early.Free())
	late := f.part(b, alignment, 4096)
	f.fill(late, 3)
	f.expect("written", late, 3)
	f.Check(late.Free())
	f.Check(b.Free())
}

// drains waits for the work of all streams, also of one that was closed, while they are used.
func drains(f *Fixture) {
	other, err := f.Device.NewStream()
	f.Check(err)
	x, y, z, one := f.Upload(sequence(1<<14)), f.Alloc(4<<14), f.Alloc(4<<14), f.Upload([]float32{1})
	f.Check(f.Stream.Wait(context.Background()))
	ended := make(chan error, 1)
	var events []driver.Event
	for range 10 {
		for n, s := range []driver.Stream{f.Stream, other} {
			f.Check(s.Launch(Launch(f.Kernel, x, []driver.Memory{y, z}[n], one)))
			e, err := s.Record()
			f.Check(err)
			events = append(events, e)
		}
	}
	go func() { ended <- f.Device.Drain() }()
	f.Check(f.Stream.Launch(Launch(f.Kernel, x, y, one)))
	f.Check(<-ended)
	for n, e := range events {
		if done, err := e.Done(); !done || err != nil {
			f.Errorf("event %d after Drain: %v %v", n, done, err)
		}
		f.Check(e.Close())
	}
	f.Check(other.Launch(Launch(f.Kernel, x, z, one)))
	f.Check(other.Close())
	f.Check(f.Device.Drain())
	for _, m := range []driver.Memory{y, z} {
		for i, v := range f.Read(m) {
			if want := 11 * float32(i%1000); v != want {
				f.Fatalf("element %d is %v, want %v", i, v, want)
			}
		}
	}
}

// blocksInFlight frees a block while recorded work uses its parts, and refuses what does not fit.
func blocksInFlight(f *Fixture) {
	one, y := f.Upload([]float32{1}), f.Alloc(4*4096)
	for range 20 {
		b, _, _ := f.reserve(4 * 4096)
		m := f.part(b, 0, 4*4096)
		f.fill(m, 1)
		f.Check(f.Stream.Launch(Launch(f.Kernel, m, y, one)))
		f.Check(m.Free())
		f.Check(b.Free())
	}
	f.expect("the sum", y, 20)
	if _, _, err := f.Device.Reserve(math.MaxUint64 - 1); !errors.Is(err, driver.ErrOutOfMemory) {
		f.Errorf("a block of nearly 2^64 bytes: got %v, want ErrOutOfMemory", err)
	}
	b, _, _ := f.reserve(4096)
	m := f.part(b, 0, 64)
	f.Check(f.Device.Close())
	f.Check(m.Free())
	f.Check(b.Free())
	if _, _, err := f.Device.Reserve(4); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("a block of a closed device: %v", err)
	}
	if err := f.Device.Drain(); err != nil && !errors.Is(err, driver.ErrClosed) {
		f.Errorf("draining a closed device: %v", err)
	}
}
