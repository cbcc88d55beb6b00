package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// lateDevice executes work as late as it may, or at random: in the order of each stream, but of no
// two streams. A launch adds 1 to all words of its binding. Each operation expects all words of its
// memory to be equal, so that it finds what else has written there.
type lateDevice struct {
	about driver.Info

	mutex    sync.Mutex
	rng      *rand.Rand // for progress, nil for none
	streams  []*lateStream
	blocks   []*lateBlock
	reserved uint64 // bytes of the blocks
	parts    int    // that are not freed
	made     int    // blocks and parts so far
	room     uint64 // most bytes, 0 for no limit
	failures int    // one in so many calls fails, 0 for none
	hosts    int    // host memory that is not freed
	mistakes []string
}

type lateBlock struct {
	device *lateDevice
	number int
	words  []uint32
	live   int
	freed  bool
}

type lateMemory struct {
	block  *lateBlock // nil without bytes
	offset uint64
	words  []uint32
	bytes  uint64
	freed  bool
}

type lateStream struct {
	device *lateDevice
	queue  []func()
	given  int
	ran    int
	closed bool
}

type lateEvent struct {
	stream *lateStream
	number int
}

type lateKernel struct{}

// openLate opens a device, whose progress depends on the seed; 0 is none.
func openLate(t testing.TB, seed uint64) (*Device, *lateDevice) {
	t.Helper()
	late := &lateDevice{about: driver.Info{
		Driver: "late", Target: "fake", MaxGrid: [3]uint32{100, 100, 100}, MaxBufferBytes: 1 << 24, OffsetAlignment: 16, PartAlignment: 256,
	}}
	if seed != 0 {
		late.rng = rand.New(rand.NewPCG(seed, 5))
	}
	d := must(openDevice(late, late.about, new(choice)))
	t.Cleanup(func() {
		check(t, d.Close())
		for _, m := range late.mistakes {
			t.Error(m)
		}
	})
	return d, late
}

func (d *lateDevice) Name() string                    { return "late" }
func (d *lateDevice) Devices() ([]driver.Info, error) { return []driver.Info{d.about}, nil }
func (d *lateDevice) Open(int) (driver.Device, error) { return d, nil }
func (d *lateDevice) Info() driver.Info               { return d.about }

// mistake notes a mistake; the mutex is held.
func (d *lateDevice) mistake(format string, a ...any) {
	d.mistakes = append(d.mistakes, fmt.Sprintf(format, a...))
}

// call begins a call: the device gets on, or the call is to fail.
func (d *lateDevice) call() error {
	d.mutex.Lock()
	if d.rng == nil {
		return nil
	}
	for range d.rng.IntN(3) {
		if len(d.streams) > 0 {
			d.streams[d.rng.IntN(len(d.streams))].run(1)
		}
	}
	if d.failures > 0 && d.rng.IntN(d.failures) == 0 {
		return fmt.Errorf("late: %w", driver.ErrOutOfMemory)
	}
	return nil
}

func (s *lateStream) run(count int) {
	for ; count > 0 && len(s.queue) > 0; count-- {
		s.queue[0]()
		s.queue = s.queue[1:]
		s.ran++
	}
}

func (s *lateStream) add(f func()) {
	s.queue = append(s.queue, f)
	s.given++
}

func (d *lateDevice) Reserve(bytes uint64) (driver.Block, bool, error) {
	err := d.call()
	defer d.mutex.Unlock()
	if err != nil {
		return nil, false, err
	}
	if d.room > 0 && d.reserved+bytes > d.room {
		return nil, false, fmt.Errorf("late: %w", driver.ErrOutOfMemory)
	}
	d.made++
	d.reserved += bytes
	b := &lateBlock{device: d, number: d.made, words: make([]uint32, (bytes+3)/4)}
	for i := range b.words {
		b.words[i] = uint32(i) * 0x9e3779b9
	}
	d.blocks = append(d.blocks, b)
	return b, false, nil
}

func (b *lateBlock) bytes() uint64 { return 4 * uint64(len(b.words)) }

func (b *lateBlock) Part(offset, bytes uint64) (driver.Memory, error) {
	d := b.device
	err := d.call()
	defer d.mutex.Unlock()
	if err != nil {
		return nil, err
	}
	if b.freed || bytes == 0 || offset%256 != 0 || offset+bytes > b.bytes() {
		d.mistake("a part of %d bytes from %d of a block of %d, freed %v", bytes, offset, b.bytes(), b.freed)
		return nil, driver.ErrUnsupported
	}
	d.parts++
	d.made++
	b.live++
	return &lateMemory{block: b, offset: offset, bytes: bytes, words: b.words[offset/4:][:(bytes+3)/4]}, nil
}

func (b *lateBlock) Free() error {
	d := b.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if b.freed || b.live > 0 {
		d.mistake("a block freed with %d parts, freed %v", b.live, b.freed)
	}
	b.freed = true
	d.reserved -= b.bytes()
	d.blocks = slices.DeleteFunc(d.blocks, func(x *lateBlock) bool { return x == b })
	return nil
}

func (m *lateMemory) Bytes() uint64 { return m.bytes }

func (m *lateMemory) Free() error {
	if m.block == nil {
		return nil
	}
	d := m.block.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if m.freed {
		d.mistake("a part freed twice")
	}
	m.freed = true
	m.block.live--
	d.parts--
	return nil
}

// words are those of a slice, which must all be equal.
func (d *lateDevice) words(what string, b *driver.Slice) func() []uint32 {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	m := b.Memory.(*lateMemory)
	if m.freed {
		d.mistake("%s of freed memory", what)
	}
	words := m.words[b.Offset/4:][:b.Bytes/4]
	return func() []uint32 {
		for i, v := range words {
			if v != words[0] {
				d.mistake("%s: word %d of %d at %d of block %d is %#x, and the first is %#x",
					what, i, len(words), m.offset, m.block.number, v, words[0])
				break
			}
		}
		return words
	}
}

func (d *lateDevice) Alloc(bytes uint64) (driver.Memory, error) {
	if bytes > 0 {
		return nil, driver.ErrUnsupported
	}
	return &lateMemory{}, nil
}

func (d *lateDevice) Clear(m driver.Memory) error {
	err := d.call()
	defer d.mutex.Unlock()
	if err == nil {
		clear(m.(*lateMemory).words)
	}
	return err
}

func (d *lateDevice) Drain() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, s := range d.streams {
		s.run(len(s.queue))
	}
	return nil
}

func (d *lateDevice) NewTexture(t *texture.Description) (driver.Texture, error) {
	return &fakeTexture{fakeMemory{device: new(fakeDevice)}, texture.NewImage(t)}, d.textureFits(t)
}

func (d *lateDevice) textureFits(t *texture.Description) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.room > 0 && d.reserved+t.Bytes() > d.room {
		return fmt.Errorf("late: %w", driver.ErrOutOfMemory)
	}
	return nil
}

func (d *lateDevice) NewSampler(*texture.Sampler) (driver.Sampler, error) {
	return nil, driver.ErrUnsupported
}
func (d *lateDevice) Load(*abi.Artefact) (driver.Kernel, error) { return lateKernel{}, nil }
func (d *lateDevice) Close() error                              { return nil }
func (lateKernel) Close() error                                 { return nil }

func (d *lateDevice) NewStream() (driver.Stream, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	s := &lateStream{device: d}
	d.streams = append(d.streams, s)
	return s, nil
}

// enqueue gives a stream work.
func (s *lateStream) enqueue(f func()) error {
	err := s.device.call()
	defer s.device.mutex.Unlock()
	if err == nil {
		s.add(f)
	}
	return err
}

func (s *lateStream) Launch(l *driver.Launch) error {
	words := s.device.words("a launch", &l.Bindings[0])
	return s.enqueue(func() {
		all := words()
		for i := range all {
			all[i]++
		}
	})
}

func (s *lateStream) Write(dst driver.Slice, src []byte) error {
	words := slices.Clone(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(src))), len(src)/4))
	to := dst.Memory.(*lateMemory).words[dst.Offset/4:][:len(words)]
	return s.enqueue(func() { copy(to, words) })
}

func (s *lateStream) Read(dst []byte, src driver.Slice) error {
	from := s.device.words("a read", &src)
	d := s.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	s.run(len(s.queue))
	copy(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)/4), from())
	return nil
}

// lateHost is memory of the host. It is freed when no work uses it.
type lateHost struct {
	device *lateDevice
	data   []byte
	freed  bool
}

func (d *lateDevice) NewHostMemory(bytes uint64) (driver.HostMemory, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.failures > 0 && d.rng.IntN(d.failures) == 0 {
		return nil, fmt.Errorf("late: %w", driver.ErrOutOfMemory)
	}
	d.hosts++
	return &lateHost{device: d, data: make([]byte, bytes)}, nil
}

func (m *lateHost) Bytes() []byte { return m.data }

func (m *lateHost) Free() error {
	m.device.mutex.Lock()
	defer m.device.mutex.Unlock()
	m.device.hosts--
	m.freed = true
	return nil
}

// words views some of the memory when work uses it.
func (m *lateHost) words(offset, bytes uint64) []uint32 {
	if m.freed {
		m.device.mistake("a copy of host memory that was freed")
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&m.data[offset])), bytes/4)
}

func (s *lateStream) WriteFrom(dst driver.Slice, src driver.HostMemory, offset uint64) error {
	to, from := s.device.words("a write", &dst), src.(*lateHost)
	return s.enqueue(func() { copy(to(), from.words(offset, dst.Bytes)) })
}

func (s *lateStream) ReadTo(dst driver.HostMemory, offset uint64, src driver.Slice) error {
	to, from := dst.(*lateHost), s.device.words("a read", &src)
	return s.enqueue(func() { copy(to.words(offset, src.Bytes), from()) })
}

func (s *lateStream) Copy(dst, src driver.Slice) error {
	to, from := s.device.words("the target of a copy", &dst), s.device.words("a copy", &src)
	return s.enqueue(func() { copy(to(), from()) })
}

func (s *lateStream) Clear(m driver.Memory) error {
	words := m.(*lateMemory).words
	return s.enqueue(func() { clear(words) })
}

func (s *lateStream) WriteTexture(driver.Texture, uint32, []byte) error {
	return driver.ErrUnsupported
}
func (s *lateStream) ReadTexture([]byte, driver.Texture, uint32) error {
	return driver.ErrUnsupported
}

func (s *lateStream) Record() (driver.Event, error) {
	d := s.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return &lateEvent{s, s.given}, nil
}

func (s *lateStream) Wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d := s.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	s.run(len(s.queue))
	return nil
}

func (s *lateStream) Close() error {
	s.closed = true // the work remains
	return nil
}

func (e *lateEvent) Done() (bool, error) {
	e.stream.device.mutex.Lock()
	defer e.stream.device.mutex.Unlock()
	return e.stream.ran >= e.number, nil
}

func (e *lateEvent) Wait(context.Context) error {
	d := e.stream.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	e.stream.run(e.number - e.stream.ran)
	return nil
}
func (e *lateEvent) Since(driver.Event) (time.Duration, error) { return 0, errors.ErrUnsupported }
func (e *lateEvent) Close() error                              { return nil }
