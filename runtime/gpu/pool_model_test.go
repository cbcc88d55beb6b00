package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
)

// adder adds 1 to the words of a buffer.
func adder(t testing.TB, d *Device) *Kernel {
	t.Helper()
	return must(d.Load(&abi.Artefact{Target: "fake", Kernel: abi.Kernel{
		Name: "add", Workgroup: [3]uint32{64, 1, 1}, Bindings: []abi.Binding{{Name: "x", Access: abi.ReadWrite, Stride: 4, Element: "u32"}},
	}}))
}

// modelBuffer is what a program knows of one of its buffers.
type modelBuffer struct {
	*Buffer[uint32]
	value   uint32
	writer  int          // stream whose write was not waited for, or -1
	readers map[int]bool // streams whose reads were not waited for
	arena   int          // whose it is, or -1
}

// model is a program that makes random calls and knows their results: of each buffer one value that
// all its words have.
type model struct {
	*testing.T
	rng     *rand.Rand
	device  *Device
	late    *lateDevice
	kernel  *Kernel
	streams []*Stream
	arenas  []*Arena
	open    []*modelBuffer
	log     strings.Builder // where memory lies
	mayFail bool
	failed  int // calls
}

func newModel(t *testing.T, seed uint64, d *Device, late *lateDevice) *model {
	m := &model{T: t, rng: rand.New(rand.NewPCG(seed, 4)), device: d, late: late, kernel: adder(t, d)}
	for n := range 3 {
		m.streams = append(m.streams, must(d.NewStream()))
		if n > 0 {
			m.arenas = append(m.arenas, m.arena(n))
		}
	}
	return m
}

// arena makes an arena, which may be refused at first.
func (m *model) arena(stream int) *Arena {
	for {
		if a, err := m.streams[stream].NewArena(uint64(m.rng.IntN(10000))); err == nil {
			return a
		}
	}
}

// ok reports whether a call has succeeded. Only for want of memory may it fail, if at all.
func (m *model) ok(err error) bool {
	m.Helper()
	if err != nil && (!m.mayFail || !errors.Is(err, ErrOutOfMemory)) {
		m.Fatal(err)
	}
	if err != nil {
		m.failed++
	}
	return err == nil
}

// wait waits for a stream, by an event at times.
func (m *model) wait(stream int) {
	m.Helper()
	if m.rng.IntN(3) == 0 {
		e := must(m.streams[stream].Record())
		check(m.T, e.Wait(background))
		check(m.T, e.Close())
	} else {
		check(m.T, m.streams[stream].Wait(background))
	}
	for _, b := range m.open {
		if b.writer == stream {
			b.writer = -1
		}
		delete(b.readers, stream)
	}
}

// before waits for what precedes a stream's use of a buffer by a program without races.
func (m *model) before(b *modelBuffer, stream int, writes bool) {
	m.Helper()
	if b.writer >= 0 && b.writer != stream {
		m.wait(b.writer)
	}
	for n := range m.streams {
		if writes && n != stream && b.readers[n] {
			m.wait(n)
		}
	}
	if writes {
		b.writer = stream
	} else {
		b.readers[stream] = true
	}
}

func (m *model) words() int {
	switch m.rng.IntN(20) {
	case 0:
		return 1
	case 1:
		return 1 + m.rng.IntN(100000)
	}
	return 1 + m.rng.IntN(1<<m.rng.IntN(13))
}

func (m *model) alloc() {
	m.Helper()
	b := &modelBuffer{writer: -1, readers: map[int]bool{}, arena: -1}
	words, stream, source := m.words(), m.rng.IntN(len(m.streams)), "device"
	var from Allocator = m.device
	switch m.rng.IntN(4) {
	case 0:
		from, source, b.writer = m.streams[stream], "stream", stream
	case 1:
		b.arena = m.rng.IntN(len(m.arenas))
		from, source, b.writer = m.arenas[b.arena], "arena", b.arena+1
	}
	var err error
	if b.Buffer, err = Alloc[uint32](from, words); !m.ok(err) {
		return
	}
	at := b.allocation.memory.(*lateMemory)
	fmt.Fprintf(&m.log, "%s %d: %d+%d\n", source, words, at.block.number, at.offset)
	for _, other := range m.open {
		if o := other.allocation.memory.(*lateMemory); o.block == at.block && o.offset < at.offset+at.bytes && at.offset < o.offset+o.bytes {
			m.Fatalf("%d bytes at %d of block %d overlap %d at %d", at.bytes, at.offset, at.block.number, o.bytes, o.offset)
		}
	}
	if got := b.part(); got.Offset != 0 || got.Bytes != uint64(4*words) || at.bytes != got.Bytes {
		m.Fatalf("a buffer of %d words is %+v of memory of %d bytes", words, got, at.bytes)
	}
	m.open = append(m.open, b)
}

// close closes a buffer, and looks at what it holds before at times.
func (m *model) close(n int) {
	m.Helper()
	b := m.open[n]
	if m.rng.IntN(3) == 0 {
		m.read(b)
	}
	check(m.T, b.Close())
	m.open = append(m.open[:n], m.open[n+1:]...)
}

func (m *model) read(b *modelBuffer) {
	m.Helper()
	stream := m.rng.IntN(len(m.streams))
	m.before(b, stream, false)
	host := make([]uint32, b.Len())
	check(m.T, b.Read(background, m.streams[stream], host))
	for i, v := range host {
		if v != b.value {
			m.Fatalf("word %d of %d is %d, want %d", i, len(host), v, b.value)
		}
	}
}

func (m *model) step() {
	m.Helper()
	if len(m.open) == 0 || len(m.open) < 60 && m.rng.IntN(3) == 0 {
		m.alloc()
		return
	}
	n, stream := m.rng.IntN(len(m.open)), m.rng.IntN(len(m.streams))
	b := m.open[n]
	switch m.rng.IntN(16) {
	case 0, 1, 2, 3:
		m.close(n)
	case 4, 5, 6, 7:
		m.before(b, stream, true)
		if m.ok(m.streams[stream].Run(m.kernel, D1(1), b)) {
			b.value++
		}
	case 8, 9:
		m.before(b, stream, true)
		host := make([]uint32, b.Len())
		for i := range host {
			host[i] = m.rng.Uint32() | 1<<31
			host[i] = host[0]
		}
		if m.ok(b.Write(m.streams[stream], host)) {
			b.value = host[0]
		}
	case 10, 11:
		if other := m.open[m.rng.IntN(len(m.open))]; other != b && other.Len() >= b.Len() {
			m.before(b, stream, true)
			m.before(other, stream, false)
			if m.ok(Copy(m.streams[stream], b.Buffer, must(other.Slice(0, b.Len())))) {
				b.value = other.value
			}
		}
	case 12:
		m.wait(stream)
	case 13:
		m.read(b)
	case 14:
		if m.rng.IntN(4) == 0 {
			m.reset()
		}
	default:
		if m.rng.IntN(20) == 0 {
			check(m.T, m.device.Trim())
		}
		if m.rng.IntN(8) == 0 { // the stream's work goes on
			check(m.T, m.streams[0].Close())
			m.streams[0] = must(m.device.NewStream())
			for _, b := range m.open {
				if b.writer == 0 || b.readers[0] {
					must(0, m.device.pool.device.Drain())
				}
			}
			for _, b := range m.open {
				delete(b.readers, 0)
				if b.writer == 0 {
					b.writer = -1
				}
			}
		}
	}
	m.statistics()
}

// reset resets an arena, or replaces it.
func (m *model) reset() {
	m.Helper()
	n := m.rng.IntN(len(m.arenas))
	var ended []*modelBuffer
	m.open = slices.DeleteFunc(m.open, func(b *modelBuffer) bool {
		if b.arena == n {
			ended = append(ended, b)
		}
		return b.arena == n
	})
	if m.rng.IntN(4) == 0 {
		check(m.T, m.arenas[n].Close())
		m.arenas[n] = m.arena(n + 1)
	} else {
		m.ok(m.arenas[n].Reset())
	}
	for _, b := range ended {
		if _, err := b.Slice(0, 1); !errors.Is(err, ErrClosed) {
			m.Fatalf("a buffer of an arena that was reset: %v", err)
		}
	}
}

// statistics compares the pool's numbers with one another and with the device's.
func (m *model) statistics() {
	m.Helper()
	s := m.device.Memory()
	m.late.mutex.Lock()
	reserved, blocks := m.late.reserved, len(m.late.blocks)
	m.late.mutex.Unlock()
	if s.Reserved != reserved || s.Blocks != blocks || s.InUse+s.Rounding+s.Waiting+s.Cached != s.Reserved {
		m.Fatalf("the device has %d bytes in %d blocks: %+v", reserved, blocks, s)
	}
	own, buffers := uint64(0), 0
	for _, b := range m.open {
		if b.arena < 0 {
			own += b.Bytes()
			buffers++
		}
	}
	for _, a := range m.arenas {
		for _, c := range a.chunks {
			own += c.bytes
			buffers++
		}
	}
	if s.InUse != own || s.Buffers != buffers || s.Peak < s.InUse || s.PeakReserved < s.Reserved || s.Allocs-s.Frees != uint64(buffers) ||
		s.BlocksReserved-s.BlocksFreed != uint64(blocks) || s.LargestCached > s.Cached || s.Fragmentation() < 0 || s.Fragmentation() > 1 {
		m.Fatalf("%d buffers have %d bytes: %+v", buffers, own, s)
	}
	if s.Limit > 0 && s.Reserved > s.Limit {
		m.Fatalf("beyond the limit: %+v", s)
	}
}

// end closes everything. Nothing may be left.
func (m *model) end() {
	m.Helper()
	for len(m.open) > 0 {
		if b := m.open[0]; m.rng.IntN(2) == 0 {
			m.read(b)
		}
		m.close(0)
	}
	for _, a := range m.arenas {
		check(m.T, a.Close())
		check(m.T, a.Close())
	}
	m.arenas = nil
	for _, s := range m.streams {
		check(m.T, s.Close())
	}
	check(m.T, m.kernel.Close())
	m.statistics()
	check(m.T, m.device.Trim())
	if s := m.device.Memory(); s.Reserved != 0 || m.late.parts != 0 || len(m.late.blocks) != 0 {
		m.Errorf("all is closed, and there are %d parts and %d blocks: %+v", m.late.parts, len(m.late.blocks), s)
	}
}

// TestPoolModel makes random calls on a device that is late, and follows what each buffer holds.
func TestPoolModel(t *testing.T) {
	for n := range testmode.Count(4, 15, 150) {
		seed := uint64(n)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			run := func(progress uint64) string {
				d, late := openLate(t, progress)
				m := newModel(t, seed, d, late)
				for range 600 {
					m.step()
				}
				m.end()
				return m.log.String()
			}
			want := run(0)
			if got := run(1 + seed); got != want {
				t.Errorf("the same requests get other memory when the device is faster:\n%s\n%s", got, want)
			}
		})
	}
}

// TestPoolLimits is TestPoolModel on devices with little memory, with limits, and with drivers that
// fail.
func TestPoolLimits(t *testing.T) {
	const room = 700 << 10
	failed, refused := 0, uint64(0)
	for n := range testmode.Count(3, 6, 60) {
		seed := uint64(n)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d, late := openLate(t, 1+seed)
			if seed%3 == 0 {
				check(t, d.SetMemoryLimit(room))
			} else {
				late.room = room
			}
			m := newModel(t, seed, d, late)
			m.mayFail = true
			if seed%2 == 0 {
				late.failures = 20
			}
			for range 600 {
				m.step()
			}
			late.failures = 0
			m.end()
			failed, refused = failed+m.failed, refused+d.Memory().Failures
			check(t, must(Alloc[uint32](d, room/5)).Close()) // all is there again
		})
	}
	if failed == 0 || refused == 0 {
		t.Errorf("%d calls failed, and memory was refused %d times", failed, refused)
	}
}

// TestPoolGoroutines has goroutines with streams of their own share a device.
func TestPoolGoroutines(t *testing.T) {
	d, late := openLate(t, 1)
	k := adder(t, d)
	var group sync.WaitGroup
	for worker := range 6 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 6))
			s := must(d.NewStream())
			arena := must(s.NewArena(4096))
			for round := range testmode.Count(40, 100, 1000) {
				from := []Allocator{d, s, arena}[rng.IntN(3)]
				var kept []*Buffer[uint32]
				for n := range 4 {
					b := must(Alloc[uint32](from, 1+rng.IntN(5000)))
					for range n {
						must(0, s.Run(k, D1(1), b))
					}
					kept = append(kept, b)
				}
				for n, b := range kept {
					if rng.IntN(2) == 0 {
						host := make([]uint32, b.Len())
						must(0, b.Read(background, s, host))
						if host[0] != uint32(n) || host[len(host)-1] != uint32(n) {
							t.Errorf("worker %d, round %d: buffer %d has %d and %d", worker, round, n, host[0], host[len(host)-1])
						}
					}
					must(0, b.Close())
				}
				switch rng.IntN(10) {
				case 0:
					must(0, d.Trim())
				case 1, 2:
					must(0, arena.Reset())
				}
			}
			must(0, errors.Join(arena.Close(), s.Close()))
		})
	}
	group.Wait()
	check(t, k.Close())
	check(t, d.Trim())
	if m := d.Memory(); m.Reserved != 0 || late.parts != 0 || len(late.blocks) != 0 {
		t.Errorf("%d parts and %d blocks are left: %+v", late.parts, len(late.blocks), m)
	}
}
