package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// captureModel is a program that captures random calls and knows what replays leave: of each buffer
// the one value that all its words have.
type captureModel struct {
	testing.TB
	rng     *rand.Rand
	device  *gpu.Device
	kernel  *gpu.Kernel
	streams []*gpu.Stream
	arena   *gpu.Arena // of the first stream
	kept    []*captureBuffer
	// values are of all buffers that there were, by number; calls are those of the capture.
	values []uint32
	calls  []captureCall
	mixed  bool // streams take part in captures beside the first
}

// captureBuffer is a buffer that the program has, with the streams of the capture that have used it
// last.
type captureBuffer struct {
	*gpu.Buffer[uint32]
	number  int
	writer  int
	readers []int
}

// captureCall is what a captured call does to the values. A launch can be changed.
type captureCall struct {
	run    func(values []uint32)
	launch *gpu.Captured
	stream *gpu.Stream
	adds   int // the buffer that a launch adds to
}

const modelWords = 300

func newCaptureModel(t testing.TB, seed uint64, d *gpu.Device, k *gpu.Kernel) *captureModel {
	m := &captureModel{TB: t, rng: rand.New(rand.NewPCG(seed, 11)), device: d, kernel: k, mixed: seed%3 != 0}
	for range 3 {
		s, err := d.NewStream()
		m.check(err)
		m.streams = append(m.streams, s)
	}
	var err error
	m.arena, err = m.streams[0].NewArena(8 * modelWords)
	m.check(err)
	for range 4 {
		m.alloc(d, -1)
	}
	for n, b := range m.kept {
		m.write(b, m.streams[0], uint32(100*n))
	}
	m.wait()
	return m
}

func (m *captureModel) check(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *captureModel) wait() {
	m.Helper()
	for _, s := range m.streams {
		m.check(s.Wait(context.Background()))
	}
}

// alloc allocates a buffer, whose zeros a stream writes, or none if it is negative.
func (m *captureModel) alloc(from gpu.Allocator, stream int) *captureBuffer {
	m.Helper()
	b, err := gpu.Alloc[uint32](from, modelWords)
	m.check(err)
	made := &captureBuffer{Buffer: b, number: len(m.values), writer: stream}
	m.values = append(m.values, 0)
	m.kept = append(m.kept, made)
	return made
}

func filled(value uint32) []uint32 {
	host := make([]uint32, modelWords)
	for i := range host {
		host[i] = value
	}
	return host
}

func (m *captureModel) write(b *captureBuffer, s *gpu.Stream, value uint32) {
	m.Helper()
	m.check(b.Write(s, filled(value)))
	m.values[b.number] = value
}

// read compares all words of a buffer with the value.
func (m *captureModel) read(b *captureBuffer, s *gpu.Stream) {
	m.Helper()
	host := make([]uint32, modelWords)
	m.check(b.Read(context.Background(), s, host))
	for i, v := range host {
		if v != m.values[b.number] {
			m.Fatalf("word %d of buffer %d is %d, want %d", i, b.number, v, m.values[b.number])
		}
	}
}

// order has a stream of a capture use a buffer after the streams that used it before.
func (m *captureModel) order(b *captureBuffer, stream int, writes bool) {
	m.Helper()
	after := []int{b.writer}
	if writes {
		after = append(after, b.readers...)
		b.writer, b.readers = stream, nil
	} else {
		b.readers = append(b.readers, stream)
	}
	for _, other := range after {
		if other >= 0 && other != stream {
			m.follow(m.streams[stream], m.streams[other])
		}
	}
}

func (m *captureModel) follow(s, other *gpu.Stream) {
	m.Helper()
	e, err := other.Record()
	m.check(err)
	m.check(s.After(e))
	m.check(e.Close())
}

func (m *captureModel) captured(run func(values []uint32)) {
	m.calls = append(m.calls, captureCall{run: run})
}

// step makes a random call in a capture.
func (m *captureModel) step(streams int) {
	m.Helper()
	stream := m.rng.IntN(streams)
	s := m.streams[stream]
	b := m.kept[m.rng.IntN(len(m.kept))]
	n := b.number
	switch m.rng.IntN(12) {
	case 0, 1:
		from := gpu.Allocator(s)
		if m.rng.IntN(3) == 0 {
			from, stream = m.arena, 0
		}
		made := m.alloc(from, stream).number
		m.captured(func(values []uint32) { values[made] = 0 })
	case 2, 3: // of those that were made in the capture, mostly
		if len(m.kept) > 4 {
			at := 4 + m.rng.IntN(len(m.kept)-4)
			m.check(m.kept[at].Close())
			m.kept = slices.Delete(m.kept, at, at+1)
		}
	case 4:
		m.order(b, stream, true)
		value := m.rng.Uint32() >> 8
		host := filled(value)
		m.check(b.Write(s, host))
		clear(host) // which is the program's again
		m.captured(func(values []uint32) { values[n] = value })
	case 5, 6:
		from := m.kept[m.rng.IntN(len(m.kept))]
		if from == b {
			return
		}
		m.order(b, stream, true)
		m.order(from, stream, false)
		m.check(gpu.Copy(s, b.Buffer, from.Buffer))
		of := from.number
		m.captured(func(values []uint32) { values[n] = values[of] })
	default:
		m.order(b, stream, true)
		m.check(s.Run(m.kernel, m.kernel.Cover(modelWords, 1, 1), b))
		m.captured(func(values []uint32) { values[n]++ })
		last := &m.calls[len(m.calls)-1]
		last.launch, last.stream, last.adds = s.Captured(), s, n
	}
}

// capture captures some calls of the first stream, and of a second one at times.
func (m *captureModel) capture(steps int) *gpu.Recording {
	m.Helper()
	m.calls = nil
	for _, b := range m.kept {
		b.writer, b.readers = -1, nil
	}
	streams := 1
	if m.mixed {
		streams = 2
	}
	before := slices.Clone(m.values)
	r, err := m.streams[0].Capture(func() error {
		if streams == 2 {
			m.follow(m.streams[1], m.streams[0])
		}
		for range steps {
			m.step(streams)
		}
		return nil
	})
	m.check(err)
	if len(m.values) < len(before) || !slices.Equal(m.values[:len(before)], before) {
		m.Fatal("the capture has changed values")
	}
	return r
}

// change has a launch add to another buffer that was there before.
func (m *captureModel) change() {
	m.Helper()
	c := &m.calls[m.rng.IntN(len(m.calls))]
	if c.launch == nil || m.mixed { // whose order is not that of the events then
		return
	}
	b := m.kept[m.rng.IntN(4)]
	m.check(c.launch.Change(func() error { return c.stream.Run(m.kernel, m.kernel.Cover(modelWords, 1, 1), b) }))
	n := b.number
	c.adds, c.run = n, func(values []uint32) { values[n]++ }
}

// replays replays a recording, with other work before, between and behind.
func (m *captureModel) replays(r *gpu.Recording) {
	m.Helper()
	var others []*captureBuffer
	s := m.streams[m.rng.IntN(len(m.streams))]
	for range 6 {
		switch m.rng.IntN(4) {
		case 0: // other work finds no memory that the recording uses
			b := m.alloc([]gpu.Allocator{m.device, s}[m.rng.IntN(2)], -1)
			m.kept = m.kept[:len(m.kept)-1]
			m.write(b, s, m.rng.Uint32()>>8)
			m.check(s.Run(m.kernel, m.kernel.Cover(modelWords, 1, 1), b))
			m.values[b.number]++
			if m.rng.IntN(2) == 0 {
				m.check(b.Close())
			} else {
				others = append(others, b)
			}
		case 1:
			m.write(m.kept[m.rng.IntN(4)], s, m.rng.Uint32()>>8)
		case 2:
			if m.rng.IntN(2) == 0 && len(m.calls) > 0 {
				m.change()
			}
		}
		m.check(r.Replay(s))
		for _, c := range m.calls {
			c.run(m.values)
		}
		if m.rng.IntN(3) == 0 {
			m.read(m.kept[m.rng.IntN(len(m.kept))], s)
		}
		if next := m.streams[m.rng.IntN(len(m.streams))]; m.rng.IntN(3) == 0 && next != s {
			m.follow(next, s)
			s = next
		}
	}
	for _, b := range m.kept {
		if m.rng.IntN(2) == 0 {
			m.read(b, s)
		}
	}
	closed := m.rng.IntN(2) == 0
	if closed { // while replays are under way
		m.check(r.Close())
	}
	for range 3 { // has memory of the recording, or not
		other := m.streams[m.rng.IntN(len(m.streams))]
		b := m.alloc([]gpu.Allocator{m.device, other}[m.rng.IntN(2)], -1)
		m.kept = m.kept[:len(m.kept)-1]
		m.write(b, other, 7)
		m.read(b, other)
		m.check(b.Close())
	}
	for _, b := range m.kept {
		m.read(b, s)
	}
	for _, b := range others {
		m.read(b, s)
		m.check(b.Close())
	}
	if !closed {
		m.check(r.Close())
	}
	m.wait()
}

// end closes all. Nothing may be left.
func (m *captureModel) end() {
	m.Helper()
	m.check(m.arena.Close())
	for _, b := range m.kept {
		m.check(b.Close())
	}
	for _, s := range m.streams {
		m.check(s.Close())
	}
	m.check(m.kernel.Close())
	m.check(m.device.Trim())
	if s := m.device.Memory(); s.InUse != 0 || s.Reserved != 0 || s.Waiting != 0 {
		m.Errorf("all is closed: %+v", s)
	}
}

func (m *captureModel) run() {
	m.Helper()
	for round := range 5 {
		m.replays(m.capture(10 + 15*round))
		if m.rng.IntN(2) == 0 {
			m.check(m.arena.Reset())
		}
		m.kept = slices.DeleteFunc(m.kept, func(b *captureBuffer) bool {
			_, err := b.Slice(0, 1) // of the arena
			return errors.Is(err, gpu.ErrClosed)
		})
		for len(m.kept) > 4 {
			m.check(m.kept[4].Close())
			m.kept = slices.Delete(m.kept, 4, 5)
		}
	}
	m.end()
}

// TestCaptureModel captures on a device whose work is late.
func TestCaptureModel(t *testing.T) {
	for n := range testmode.Count(8, 40, 400) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			d, k, left := gpu.OpenLate(t, uint64(n))
			newCaptureModel(t, uint64(n), d, k).run()
			if parts, blocks := left(); parts != 0 || blocks != 0 {
				t.Errorf("%d parts and %d blocks are left", parts, blocks)
			}
		})
	}
}

// TestCaptureModelOnDevices captures on each device but interpreters.
func TestCaptureModelOnDevices(t *testing.T) {
	program, err := jit.Parse("add.wgsl", addSource, codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	everyMemory(t, func(t *testing.T, d *gpu.Device) {
		for n := range testmode.Count(2, 6, 30) {
			k, err := program.Load(d, "main")
			if err != nil {
				t.Fatal(err)
			}
			newCaptureModel(t, uint64(n), d, k).run()
		}
	})
}
