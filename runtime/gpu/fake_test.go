package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// fakeDriver lists given devices and counts what is done with them.
type fakeDriver struct {
	name    string
	kinds   []driver.Kind
	failure error // of Devices
	broken  bool  // Open fails
}

func (f *fakeDriver) Name() string { return f.name }

func (f *fakeDriver) Devices() ([]driver.Info, error) {
	infos := make([]driver.Info, len(f.kinds))
	for i := range infos {
		infos[i] = f.info(i)
	}
	return infos, f.failure
}

func (f *fakeDriver) info(i int) driver.Info {
	return driver.Info{
		Driver: f.name, Index: i, Name: fmt.Sprint("fake ", i), Kind: f.kinds[i], Target: "fake",
		MaxGrid: [3]uint32{100, 100, 10}, MaxBufferBytes: 4096, OffsetAlignment: 16,
	}
}

func (f *fakeDriver) Open(index int) (driver.Device, error) {
	if f.broken {
		return nil, errors.New("broken")
	}
	return &fakeDevice{about: f.info(index)}, nil
}

// fakeDevice checks that it is used as the interface demands: nothing after
// Close, nothing with freed memory.
type fakeDevice struct {
	about driver.Info

	mutex    sync.Mutex
	closed   bool
	live     int  // allocations not yet freed
	blocks   int  // blocks not yet freed
	hosts    int  // host memory not yet freed
	parts    int  // how often parts were made
	room     int  // allocations that fit, 0 for any number
	refuse   bool // blocks
	hollow   bool // allocations have no bytes, so that Go's collector has no reason to run
	launches []driver.Launch
	loads    int
	loaded   *abi.Artefact // the last
	onLaunch func()
	onLoad   func(a *abi.Artefact) error // called by Load, by several goroutines at once
	mistakes []string
}

func (d *fakeDevice) mistake(text string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.mistakes = append(d.mistakes, text)
}

// count returns the number of live allocations.
func (d *fakeDevice) count() int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.live
}

// used notes the use of a closed device.
func (d *fakeDevice) used(what string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		d.mistakes = append(d.mistakes, what+" after Close")
	}
}

func (d *fakeDevice) Info() driver.Info { return d.about }

func (d *fakeDevice) Alloc(bytes uint64) (driver.Memory, error) {
	d.used("Alloc")
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.room > 0 && d.live >= d.room {
		return nil, fmt.Errorf("fake: %w", driver.ErrOutOfMemory)
	}
	d.live++
	if d.hollow {
		bytes = 0
	}
	return &fakeMemory{device: d, data: make([]byte, bytes)}, nil
}

// fakeBlock is a block. Its parts must not be used when it is freed.
type fakeBlock struct {
	fakeMemory
	live map[*fakeMemory]struct{}
}

func (d *fakeDevice) Reserve(bytes uint64) (driver.Block, bool, error) {
	d.used("Reserve")
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.refuse {
		return nil, false, fmt.Errorf("fake: %w", driver.ErrOutOfMemory)
	}
	d.blocks++
	if d.hollow {
		bytes = 0
	}
	b := &fakeBlock{fakeMemory: fakeMemory{device: d, data: make([]byte, bytes)}, live: map[*fakeMemory]struct{}{}}
	for i := range b.data {
		b.data[i] = 0xcc
	}
	return b, false, nil
}

func (b *fakeBlock) Part(offset, bytes uint64) (driver.Memory, error) {
	d := b.device
	d.used("Part")
	b.touch()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.room > 0 && d.live >= d.room {
		return nil, fmt.Errorf("fake: %w", driver.ErrOutOfMemory)
	}
	if d.hollow {
		offset, bytes = 0, 0
	}
	d.live++
	d.parts++
	m := &fakeMemory{device: d, data: b.data[offset:][:bytes:bytes]}
	m.block = b
	b.live[m] = struct{}{}
	return m, nil
}

func (b *fakeBlock) Free() error {
	d := b.device
	d.used("Block.Free")
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if b.freed || len(b.live) > 0 {
		d.mistakes = append(d.mistakes, "a block freed twice or with parts")
	}
	d.blocks--
	b.freed = true
	return nil
}

func (d *fakeDevice) Clear(m driver.Memory) error {
	d.used("Clear")
	clear(part(driver.Slice{Memory: m, Bytes: m.Bytes()}))
	return nil
}

func (d *fakeDevice) Drain() error {
	d.used("Drain")
	return nil
}

func (d *fakeDevice) NewTexture(t *texture.Description) (driver.Texture, error) {
	d.used("NewTexture")
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.room > 0 && d.live >= d.room {
		return nil, fmt.Errorf("fake: %w", driver.ErrOutOfMemory)
	}
	d.live++
	return &fakeTexture{fakeMemory{device: d}, texture.NewImage(t)}, nil
}

func (d *fakeDevice) NewSampler(*texture.Sampler) (driver.Sampler, error) {
	d.used("NewSampler")
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.live++
	return &fakeSampler{fakeMemory{device: d}}, nil
}

func (d *fakeDevice) Load(artefact *abi.Artefact) (driver.Kernel, error) {
	d.used("Load")
	if d.onLoad != nil {
		if err := d.onLoad(artefact); err != nil {
			return nil, err
		}
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.loads++
	d.loaded = artefact
	return &fakeKernel{device: d}, nil
}

func (d *fakeDevice) NewStream() (driver.Stream, error) {
	d.used("NewStream")
	return &fakeStream{device: d}, nil
}

func (d *fakeDevice) Close() error {
	d.used("Close")
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.closed = true
	return nil
}

type fakeMemory struct {
	device *fakeDevice
	data   []byte
	block  *fakeBlock // of a part
	mutex  sync.Mutex
	freed  bool
}

func (m *fakeMemory) Bytes() uint64 { return uint64(len(m.data)) }

func (m *fakeMemory) Free() error {
	m.device.used("Free")
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.freed {
		m.device.mistake("memory freed twice")
	}
	m.freed = true
	m.device.mutex.Lock()
	defer m.device.mutex.Unlock()
	m.device.live--
	if m.block != nil {
		delete(m.block.live, m)
	}
	return nil
}

// part returns the bytes of a slice, noting the use of freed memory.
func part(s driver.Slice) []byte {
	m := s.Memory.(*fakeMemory)
	m.touch()
	if m.device.hollow {
		return nil
	}
	return m.data[s.Offset : s.Offset+s.Bytes]
}

func (m *fakeMemory) touch() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.freed {
		m.device.mistake("freed memory used")
	}
}

// fakeTexture and fakeSampler live and die as memory does.
type fakeTexture struct {
	fakeMemory
	image *texture.Image
}

func (t *fakeTexture) Description() *texture.Description { return &t.image.Description }

type fakeSampler struct{ fakeMemory }

type fakeKernel struct {
	device *fakeDevice
	closed bool
}

func (k *fakeKernel) Close() error {
	k.device.used("Kernel.Close")
	if k.closed {
		k.device.mistake("kernel closed twice")
	}
	k.closed = true
	return nil
}

type fakeStream struct {
	device *fakeDevice
	busy   sync.Mutex
	closed bool
}

// call begins a call, and records a mistake if another goroutine is in one.
func (s *fakeStream) call(what string) fakeCall {
	s.device.used(what)
	if !s.busy.TryLock() {
		s.device.mistake(what + " during another call")
		return fakeCall{}
	}
	if s.closed {
		s.device.mistake(what + " on a closed stream")
	}
	return fakeCall{&s.busy}
}

// fakeCall is a call under way.
type fakeCall struct{ busy *sync.Mutex }

func (t fakeCall) end() {
	if t.busy != nil {
		t.busy.Unlock()
	}
}

func (s *fakeStream) Launch(l *driver.Launch) error {
	defer s.call("Launch").end()
	if l.Kernel.(*fakeKernel).closed {
		s.device.mistake("closed kernel launched")
	}
	if s.device.onLaunch != nil {
		s.device.onLaunch()
	}
	for _, b := range l.Bindings {
		part(b)
	}
	for _, h := range l.Handles {
		if h.Texture != nil {
			h.Texture.(*fakeTexture).touch()
		}
		if h.Sampler != nil {
			h.Sampler.(*fakeSampler).touch()
		}
	}
	s.device.mutex.Lock()
	defer s.device.mutex.Unlock()
	if len(s.device.launches) < 10 {
		s.device.launches = append(s.device.launches, *l)
	}
	return nil
}

func (s *fakeStream) Write(dst driver.Slice, src []byte) error {
	defer s.call("Write").end()
	copy(part(dst), src)
	return nil
}

func (s *fakeStream) Read(dst []byte, src driver.Slice) error {
	defer s.call("Read").end()
	copy(dst, part(src))
	return nil
}

// fakeHost is memory of the host. It must not be used when it is freed.
type fakeHost struct {
	fakeMemory
	freed bool
}

func (d *fakeDevice) NewHostMemory(bytes uint64) (driver.HostMemory, error) {
	d.used("NewHostMemory")
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.hosts++
	return &fakeHost{fakeMemory: fakeMemory{device: d, data: make([]byte, bytes)}}, nil
}

func (m *fakeHost) Bytes() []byte { return m.data }

func (m *fakeHost) Free() error {
	m.device.used("HostMemory.Free")
	m.device.mutex.Lock()
	defer m.device.mutex.Unlock()
	if m.device.hosts--; m.freed {
		m.device.mistakes = append(m.device.mistakes, "host memory freed twice")
	}
	m.freed = true
	return nil
}

func (s *fakeStream) WriteFrom(dst driver.Slice, src driver.HostMemory, offset uint64) error {
	defer s.call("WriteFrom").end()
	copy(part(dst), src.(*fakeHost).data[offset:])
	return nil
}

func (s *fakeStream) ReadTo(dst driver.HostMemory, offset uint64, src driver.Slice) error {
	defer s.call("ReadTo").end()
	copy(dst.(*fakeHost).data[offset:], part(src))
	return nil
}

func (s *fakeStream) Copy(dst, src driver.Slice) error {
	defer s.call("Copy").end()
	copy(part(dst), part(src))
	return nil
}

func (s *fakeStream) Clear(m driver.Memory) error {
	defer s.call("Clear").end()
	clear(part(driver.Slice{Memory: m, Bytes: m.Bytes()}))
	return nil
}

func (s *fakeStream) Reuse(driver.Memory) error {
	defer s.call("Reuse").end()
	return nil
}

func (s *fakeStream) WriteTexture(dst driver.Texture, level uint32, src []byte) error {
	defer s.call("WriteTexture").end()
	t := dst.(*fakeTexture)
	t.touch()
	copy(t.image.Level(level), src)
	return nil
}

func (s *fakeStream) ReadTexture(dst []byte, src driver.Texture, level uint32) error {
	defer s.call("ReadTexture").end()
	t := src.(*fakeTexture)
	t.touch()
	copy(dst, t.image.Level(level))
	return nil
}

func (s *fakeStream) Record() (driver.Event, error) {
	defer s.call("Record").end()
	return &fakeEvent{device: s.device, at: time.Now()}, nil
}

// Wait finds the stream idle, and does not look at the context then, as drivers need not.
func (s *fakeStream) Wait(context.Context) error {
	s.call("Wait").end()
	return nil
}

func (s *fakeStream) Close() error {
	defer s.call("Stream.Close").end()
	s.closed = true
	return nil
}

type fakeEvent struct {
	device *fakeDevice
	at     time.Time
	closed bool
}

func (e *fakeEvent) Done() (bool, error) { return true, nil }

func (e *fakeEvent) Wait(context.Context) error { return nil }

func (e *fakeEvent) Since(earlier driver.Event) (time.Duration, error) {
	return e.at.Sub(earlier.(*fakeEvent).at), nil
}

func (e *fakeEvent) Close() error {
	e.device.used("Event.Close")
	if e.closed {
		e.device.mistake("event closed twice")
	}
	e.closed = true
	return nil
}
