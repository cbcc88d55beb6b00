package gpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
)

// replay makes and closes buffers as a trace asks for.
func replay(t testing.TB, from Allocator, trace []request) {
	t.Helper()
	open := make([]*Buffer[uint32], len(trace))
	for _, r := range trace {
		if r.bytes == 0 {
			check(t, open[r.id].Close())
			continue
		}
		open[r.id] = must(Alloc[uint32](from, int(r.bytes/4)))
	}
}

// traces are those of tests and benchmarks.
var traces = [...]struct {
	name  string
	trace func(scale uint64) []request
}{
	{"training", func(scale uint64) []request { return trainingTrace(2, 20, scale) }},
	{"serving", func(scale uint64) []request { return servingTrace(1, 1000, scale) }},
}

// TestTraces compares the most memory that the pool reserves with the most that is in use at once,
// and counts requests to the driver.
func TestTraces(t *testing.T) {
	for _, c := range traces {
		for _, scale := range []uint64{4, 200} {
			t.Run(fmt.Sprint(c.name, "*", scale), func(t *testing.T) {
				d, fake := newFake(t)
				fake.hollow, d.info.MaxBufferBytes, d.pool.most = true, 1<<40, 1<<40
				trace := c.trace(scale)
				replay(t, d, trace)
				m := d.Memory()
				if limit := m.Peak + m.Peak/20; m.PeakReserved > limit {
					t.Errorf("%d bytes are reserved for at most %d at once, %.1f %% more", m.PeakReserved, m.Peak, 100*(float64(m.PeakReserved)/float64(m.Peak)-1))
				}
				if 2*m.Allocs != uint64(len(trace)) || m.BlocksReserved > m.Allocs/2 {
					t.Errorf("%d blocks for %d buffers in %d requests", m.BlocksReserved, m.Allocs, len(trace))
				}
			})
		}
	}
}

// TestSteadyMemory makes the same buffers again and again: the driver gives blocks for the first
// ones only.
func TestSteadyMemory(t *testing.T) {
	for name, prepare := range map[string]func(d *Device, s *Stream) (from Allocator, after func()){
		"device": func(d *Device, s *Stream) (Allocator, func()) { return d, func() { check(t, s.Wait(background)) } },
		"stream": func(d *Device, s *Stream) (Allocator, func()) { return s, func() {} },
		"arena": func(d *Device, s *Stream) (Allocator, func()) {
			a := must(s.NewArena(100))
			return a, func() { check(t, a.Reset()) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, late := openLate(t, 0)
			s, k := must(d.NewStream()), adder(t, d)
			from, after := prepare(d, s)
			var blocks, parts [4]int
			for round := range 4 {
				for n := range 100 {
					b := must(Alloc[uint32](from, 1+n*n*(1+n%3)))
					check(t, s.Run(k, D1(1), b))
					check(t, b.Close())
				}
				after()
				blocks[round], parts[round] = int(d.Memory().BlocksReserved), late.parts
			}
			if late.made == 0 || blocks[3] != blocks[1] || parts[3] != parts[1] {
				t.Errorf("blocks by round %v, parts %v", blocks, parts)
			}
		})
	}
}

// addressOf returns the number of the block that a buffer lies in, and its offset.
func addressOf[T any](b *Buffer[T]) string {
	m := b.allocation.memory.(*lateMemory)
	return fmt.Sprint(m.block.number, ":", m.offset)
}

// TestReuse says who gets memory that work may still use.
func TestReuse(t *testing.T) {
	d, _ := openLate(t, 0)
	s, other, k := must(d.NewStream()), must(d.NewStream()), adder(t, d)
	used := func(by ...*Stream) (*Buffer[uint32], string) {
		b := must(Alloc[uint32](d, 1000))
		for _, s := range by {
			check(t, s.Run(k, D1(1), b))
			check(t, by[0].Wait(background)) // as the other stream uses it next
			check(t, s.Run(k, D1(1), b))
		}
		at := addressOf(b)
		check(t, b.Close())
		return b, at
	}
	next := func(from Allocator) string {
		b := must(Alloc[uint32](from, 1000))
		defer b.Close()
		return addressOf(b)
	}
	_, at := used()
	if got := next(d); got != at {
		t.Errorf("unused memory: got %s, want %s", got, at)
	}
	_, at = used(s)
	if got := next(d); got == at {
		t.Errorf("memory in flight for any stream at %s", got)
	}
	if got := next(other); got == at {
		t.Errorf("memory in flight for another stream at %s", got)
	}
	check(t, other.Wait(background))
	if got := next(s); got != at {
		t.Errorf("memory in flight for its stream: got %s, want %s", got, at)
	}
	e := must(s.Record())
	check(t, e.Wait(background))
	if got := next(d); got != at {
		t.Errorf("memory whose work has finished: got %s, want %s", got, at)
	}

	// Two streams read it; it waits for both.
	shared := must(Alloc[uint32](d, 1000))
	at = addressOf(shared)
	for _, s := range []*Stream{s, other} {
		check(t, Copy(s, must(Alloc[uint32](d, 1000)), shared))
	}
	check(t, shared.Close())
	for n, waited := range []*Stream{s, other} {
		for name, from := range map[string]Allocator{"the device": d, "the first": s, "the other": other} {
			if got := next(from); got == at && !(n == 1 && name == "the other") {
				t.Errorf("%d of two streams were waited for, and %s gets their memory", n, name)
			}
		}
		check(t, waited.Wait(background))
	}
	if got := next(d); got != at {
		t.Errorf("memory of two streams that were waited for: got %s, want %s", got, at)
	}
}

// TestJoinedMemory frees neighbours after one call each. Joined, they wait for the later one.
func TestJoinedMemory(t *testing.T) {
	d, _ := openLate(t, 0)
	s, k := must(d.NewStream()), adder(t, d)
	b := []*Buffer[uint32]{must(Alloc[uint32](d, 64)), must(Alloc[uint32](d, 64))}
	at := addressOf(b[0])
	check(t, s.Run(k, D1(1), b[0]))
	e := must(s.Record())
	check(t, s.Run(k, D1(1), b[1]))
	check(t, b[1].Close())
	check(t, b[0].Close())
	check(t, e.Wait(background))
	if got := addressOf(must(Alloc[uint32](d, 128))); got == at {
		t.Error("joined memory is free before the later work has finished")
	}
	if got := addressOf(must(Alloc[uint32](s, 128))); got != at {
		t.Errorf("joined memory for its stream: got %s, want %s", got, at)
	}
}

// TestMemoryRunsOut expects that what is unused or waiting is given back before an allocation
// fails, by a driver that has no more and by a limit.
func TestMemoryRunsOut(t *testing.T) {
	const room = 4 << 20
	for _, limited := range []bool{false, true} {
		t.Run(fmt.Sprint("limit ", limited), func(t *testing.T) {
			d, late := openLate(t, 0)
			if limited {
				check(t, d.SetMemoryLimit(room))
			} else {
				late.room = room
			}
			s, k := must(d.NewStream()), adder(t, d)
			for n := range 50 { // of a size of its own each
				b := must(Alloc[uint32](d, room/16+n*10000))
				if n%2 == 0 {
					check(t, s.Run(k, D1(1), b))
				}
				check(t, b.Close())
			}
			if m := d.Memory(); m.Waits == 0 || m.BlocksFreed == 0 || m.Failures != 0 {
				t.Errorf("there was room for one buffer at a time: %+v", m)
			}
			kept := must(Alloc[uint32](d, room/8))
			_, err := Alloc[uint32](d, room/6)
			m := d.Memory()
			want := fmt.Sprintf("allocate a buffer of %d bytes on late:0: out of device memory", room/6*4)
			if limited {
				want += fmt.Sprint(": the limit is reached; reserved are ", m.Reserved, " bytes of a limit of ", room)
			}
			want += fmt.Sprintf(": %d in use, %d rounded up, 0 waiting for work, %d cached", m.InUse, m.Rounding, m.Cached)
			if text := fmt.Sprint(err); !limited {
				want = strings.Replace(want, "memory:", fmt.Sprintf("memory; reserved are %d bytes:", m.Reserved), 1)
				want = strings.Replace(want, "late:0: ", "late:0: late: ", 1)
				if text != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			} else if text != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if !errors.Is(err, ErrOutOfMemory) || m.Failures == 0 || m.InUse != room/2 {
				t.Errorf("%v %+v", err, m)
			}
			check(t, kept.Close())
		})
	}
}

// TestTexturesCount counts textures with buffers, for the limit too.
func TestTexturesCount(t *testing.T) {
	d, _ := newFake(t)
	description := TextureDescription{Format: texture.RGBA8Unorm, Dimension: texture.D2, Width: 64, Height: 64, Depth: 1, Layers: 1, Levels: 1, Samples: 1}
	bytes := description.Bytes()
	check(t, d.SetMemoryLimit(2*bytes+bytes/16))
	b := must(Alloc[float32](d, 8))
	reserved := d.Memory().Reserved
	x := must(d.NewTexture(description))
	if m := d.Memory(); m.Textures != bytes || m.InUse != 32+bytes || m.Reserved != reserved+bytes {
		t.Errorf("%d bytes of a texture: %+v", bytes, m)
	}
	if _, err := d.NewTexture(description); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("beyond the limit: %v", err)
	}
	check(t, b.Close()) // whose block makes room
	must(d.NewTexture(description))
	check(t, x.Close())
	if m := d.Memory(); m.Textures != bytes || m.InUse != bytes || m.Reserved != bytes {
		t.Errorf("one texture is left: %+v", m)
	}
}

// TestSpanBytes bounds what sizes are rounded up by.
func TestSpanBytes(t *testing.T) {
	p := &pool{alignment: 256, most: 1 << 40}
	last := uint64(0)
	for bytes := uint64(1); bytes < 1<<33; bytes += 1 + bytes/300 {
		size := p.spanBytes(bytes)
		most := max(bytes+bytes/8, bytes+255)
		if bytes > 1<<20 {
			most = bytes + bytes/64 + stagger
		}
		if size < bytes || size > most || size%256 != 0 || size < last {
			t.Fatalf("%d bytes get %d, after %d", bytes, size, last)
		}
		last = size
	}
	for bytes := uint64(1 << 20); bytes < 1<<30; bytes *= 2 {
		if size := p.spanBytes(bytes); size%(64<<10) == 0 {
			t.Errorf("buffers of %d bytes may begin %d apart, and compete in caches", bytes, size)
		}
	}
	p.most = 5000
	for bytes := uint64(4500); bytes <= p.most; bytes++ {
		if size := p.spanBytes(bytes); size > p.most {
			t.Fatalf("%d bytes get %d of at most %d", bytes, size, p.most)
		}
	}
}

// TestTrimmedForOthers has the driver refuse what the pool thinks it may have, as another program
// has taken memory.
func TestTrimmedForOthers(t *testing.T) {
	d, late := openLate(t, 0)
	check(t, must(Alloc[uint32](d, 2<<20)).Close())
	check(t, d.Trim())
	a, b := must(Alloc[uint32](d, 400<<10)), must(Alloc[uint32](d, 400<<10))
	check(t, errors.Join(a.Close(), b.Close()))
	late.room = d.Memory().Reserved + 1<<20
	check(t, must(Alloc[uint32](d, 512<<10)).Close())
	if m := d.Memory(); m.BlocksFreed != 3 || m.Failures != 0 {
		t.Errorf("the unused blocks were to go: %+v", m)
	}
}

// TestMuchWaiting closes buffers whose work nobody waits for. The pool waits before they are many.
func TestMuchWaiting(t *testing.T) {
	d, fake := newFake(t)
	fake.hollow, d.info.MaxBufferBytes, d.pool.most = true, 1<<30, 1<<30
	s, k := must(d.NewStream()), adder(t, d)
	for range 100 {
		b := must(Alloc[[1 << 20]uint32](d, 2)).Raw()
		check(t, s.Run(k, D1(1), b))
		check(t, d.closing(b.allocation.close))
	}
	if m := d.Memory(); m.Waits < 5 || m.Waits > 15 || m.PeakReserved < minWaiting || m.PeakReserved > minWaiting+16<<20 {
		t.Errorf("100 buffers of 8 MiB: %+v", m)
	}
}

// TestAbandonedUpload gives up an upload. Its memory waits for the copy.
func TestAbandonedUpload(t *testing.T) {
	d, _ := openLate(t, 0)
	ended, cancel := context.WithCancel(background)
	cancel()
	if _, err := Upload(ended, d, make([]uint32, 1000)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if m := d.Memory(); m.Waiting == 0 || m.InUse != 0 {
		t.Errorf("after an upload that was given up: %+v", m)
	}
	check(t, d.Trim())
	if m := d.Memory(); m.Reserved != 0 {
		t.Errorf("after the copy: %+v", m)
	}
}

// TestLargeBlocks has a buffer reuse a block that is nearly its size, and no small one.
func TestLargeBlocks(t *testing.T) {
	d, _ := openLate(t, 0)
	large := must(Alloc[uint32](d, 1<<20))
	at := addressOf(large)
	check(t, large.Close())
	small := must(Alloc[uint32](d, 100))
	if strings.HasPrefix(addressOf(small), strings.TrimSuffix(at, "0")) {
		t.Error("a small buffer keeps a large block")
	}
	large = must(Alloc[uint32](d, 1<<20-50000))
	if got := addressOf(large); got != at {
		t.Errorf("a buffer that is nearly as large: got %s, want %s", got, at)
	}
	again := must(Alloc[uint32](d, 30000))
	if strings.HasPrefix(addressOf(again), strings.TrimSuffix(at, "0")) {
		t.Error("another buffer lies in what is left of a large block")
	}
	check(t, errors.Join(large.Close(), small.Close(), again.Close()))
}

// TestAbsorbedMemory has a stream's request join memory that waits for the stream with unused
// memory beside it, all of which waits then.
func TestAbsorbedMemory(t *testing.T) {
	d, _ := openLate(t, 0)
	s, k := must(d.NewStream()), adder(t, d)
	e := must(s.Record())
	b := must(Alloc[uint32](d, 50000))
	at := addressOf(b)
	check(t, s.Run(k, D1(1), b))
	check(t, b.Close())
	large := must(Alloc[uint32](s, 100000)) // the block has room for 131072
	if got := addressOf(large); got != at {
		t.Errorf("a request that takes both: got %s, want %s", got, at)
	}
	check(t, e.Wait(background))
	if got := addressOf(must(Alloc[uint32](d, 20000))); strings.HasPrefix(got, "1:") {
		t.Errorf("what is left is free before the work has finished: %s", got)
	}
	check(t, s.Wait(background))
	if got := addressOf(must(Alloc[uint32](d, 20000))); !strings.HasPrefix(got, "1:") {
		t.Errorf("what is left is not free after the work: %s", got)
	}
}

// TestUninitialized checks which buffers are filled with zeros. A stream gets the memory of a
// buffer that it has closed, with its elements.
func TestUninitialized(t *testing.T) {
	d, _ := newFake(t)
	s := must(d.NewStream())
	last := func(b *Buffer[uint16]) uint16 {
		x := make([]uint16, b.Len())
		check(t, b.Read(context.Background(), s, x))
		return x[len(x)-1]
	}
	for _, test := range []struct {
		name  string
		alloc func(from Allocator, n int) (*Buffer[uint16], error)
		n     int
		want  uint16
	}{
		{"Alloc", Alloc[uint16], 100, 0},
		{"AllocUninitialized", AllocUninitialized[uint16], 100, 7},
		{"AllocUninitialized with half a word", AllocUninitialized[uint16], 99, 0},
	} {
		old := must(Alloc[uint16](s, 100))
		list := make([]uint16, 100)
		for i := range list {
			list[i] = 7
		}
		check(t, old.Write(s, list))
		check(t, old.Close())
		b := must(test.alloc(s, test.n))
		if x := last(b); x != test.want {
			t.Errorf("%s: an element is %d, want %d", test.name, x, test.want)
		}
		check(t, b.Close())
	}
	if _, err := AllocUninitialized[uint32](d, -1); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}
