// Package faultdriver is a driver around another one, whose calls fail now and then. It counts what
// was made and not freed.
package faultdriver

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// ErrInjected is wrapped by the errors that a Driver makes itself.
var ErrInjected = errors.New("injected")

// Driver has the devices of another one under the name "fault".
type Driver struct {
	driver.Driver
	// Every says how many calls succeed for each that fails, or 0 if none does. Which ones fail
	// depends on their number and Seed.
	Every, Seed uint64

	calls, failed atomic.Uint64
	lost          atomic.Bool
	live          [kinds]atomic.Int64
}

// Kind is what a device makes.
type Kind int

// The kinds that are counted. Parts of a block end with the block.
const (
	Memories Kind = iota
	Blocks
	HostMemories
	Kernels
	Streams
	Events
	kinds
)

// String returns the word for several of them.
func (k Kind) String() string {
	return [...]string{"memories", "blocks", "host memories", "kernels", "streams", "events"}[k]
}

// Live returns how many of a kind were made and not freed.
func (d *Driver) Live(k Kind) int64 { return d.live[k].Load() }

// Failed returns how many calls have failed, and of how many.
func (d *Driver) Failed() (failed, calls uint64) { return d.failed.Load(), d.calls.Load() }

// Lose has every later call fail with driver.ErrDeviceLost, but for those that free something.
func (d *Driver) Lose() { d.lost.Store(true) }

// fail returns an error that wraps another one where a call is to fail.
func (d *Driver) fail(as error) error {
	if d.lost.Load() {
		return fmt.Errorf("fault: %w (%w)", driver.ErrDeviceLost, ErrInjected)
	}
	n := d.calls.Add(1)
	if d.Every == 0 || mixed(n+d.Seed<<32)%(d.Every+1) != 0 {
		return nil
	}
	d.failed.Add(1)
	return fmt.Errorf("fault: %w (%w)", as, ErrInjected)
}

// mixed is a number without pattern: the finalizer of SplitMix64 (Steele, Lea, Flood: Fast
// Splittable Pseudorandom Number Generators, 2014).
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// errRefused is what a call fails with that has no better reason.
var errRefused = errors.New("refused")

// Name implements driver.Driver.
func (d *Driver) Name() string { return "fault" }

// Devices implements driver.Driver.
func (d *Driver) Devices() ([]driver.Info, error) {
	list, err := d.Driver.Devices()
	for n := range list {
		list[n].Driver = d.Name()
	}
	return list, err
}

// Open implements driver.Driver.
func (d *Driver) Open(index int) (driver.Device, error) {
	inner, err := d.Driver.Open(index)
	if err != nil {
		return nil, err
	}
	return &device{inner, d}, nil
}

// counted is something that is freed once.
type counted struct {
	of    *Driver
	kind  Kind
	freed atomic.Bool
}

func (d *Driver) count(k Kind) counted {
	d.live[k].Add(1)
	return counted{of: d, kind: k}
}

// free frees it.
func (c *counted) free(free func() error) error {
	if c.freed.Swap(true) {
		return fmt.Errorf("fault: one of the %s was freed before", c.kind)
	}
	c.of.live[c.kind].Add(-1)
	return free()
}

// device hides what a driver need not have: captures are lists, and nothing is cached or shared.
type device struct {
	inner driver.Device
	of    *Driver
}

func (d *device) Info() driver.Info {
	i := d.inner.Info()
	i.Driver = d.of.Name()
	return i
}

// StopsAbandoned implements driver.Stopper: the devices inside are the CPU's.
func (d *device) StopsAbandoned() {}

func (d *device) Alloc(bytes uint64) (driver.Memory, error) {
	if err := d.of.fail(driver.ErrOutOfMemory); err != nil {
		return nil, err
	}
	m, err := d.inner.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	return &memory{Memory: m, counted: d.of.count(Memories)}, nil
}

func (d *device) Reserve(bytes uint64) (b driver.Block, zeros bool, err error) {
	if err := d.of.fail(driver.ErrOutOfMemory); err != nil {
		return nil, false, err
	}
	if b, zeros, err = d.inner.Reserve(bytes); err != nil {
		return nil, false, err
	}
	return &block{b, d.of.count(Blocks)}, zeros, nil
}

func (d *device) NewHostMemory(bytes uint64) (driver.HostMemory, error) {
	if err := d.of.fail(driver.ErrOutOfMemory); err != nil {
		return nil, err
	}
	m, err := d.inner.NewHostMemory(bytes)
	if err != nil {
		return nil, err
	}
	return &hostMemory{m, d.of.count(HostMemories)}, nil
}

func (d *device) Load(artefact *abi.Artefact) (driver.Kernel, error) {
	if err := d.of.fail(driver.ErrUnsupported); err != nil {
		return nil, err
	}
	k, err := d.inner.Load(artefact)
	if err != nil {
		return nil, err
	}
	return &kernel{k, d.of.count(Kernels)}, nil
}

func (d *device) NewStream() (driver.Stream, error) {
	if err := d.of.fail(errRefused); err != nil {
		return nil, err
	}
	s, err := d.inner.NewStream()
	if err != nil {
		return nil, err
	}
	return &stream{inner: s, of: d.of, counted: d.of.count(Streams)}, nil
}

func (d *device) Clear(m driver.Memory) error {
	if err := d.of.fail(errRefused); err != nil {
		return err
	}
	return d.inner.Clear(innerOf(m))
}

func (d *device) Drain() error {
	if err := d.of.fail(errRefused); err != nil {
		return err
	}
	return d.inner.Drain()
}

func (d *device) NewTexture(t *texture.Description) (driver.Texture, error) {
	return d.inner.NewTexture(t)
}

func (d *device) NewSampler(s *texture.Sampler) (driver.Sampler, error) {
	return d.inner.NewSampler(s)
}

func (d *device) Close() error { return d.inner.Close() }

// memory is an allocation, or a part of a block, which is not counted.
type memory struct {
	driver.Memory
	counted counted
	part    bool
}

func innerOf(m driver.Memory) driver.Memory { return m.(*memory).Memory }

func (m *memory) Free() error {
	if m.part {
		return m.Memory.Free()
	}
	return m.counted.free(m.Memory.Free)
}

type block struct {
	driver.Block
	counted counted
}

func (b *block) Part(offset, bytes uint64) (driver.Memory, error) {
	if err := b.counted.of.fail(driver.ErrOutOfMemory); err != nil {
		return nil, err
	}
	m, err := b.Block.Part(offset, bytes)
	if err != nil {
		return nil, err
	}
	return &memory{Memory: m, part: true}, nil
}

func (b *block) Free() error { return b.counted.free(b.Block.Free) }

type hostMemory struct {
	driver.HostMemory
	counted counted
}

func (m *hostMemory) Free() error { return m.counted.free(m.HostMemory.Free) }

type kernel struct {
	inner   driver.Kernel
	counted counted
}

func (k *kernel) Close() error { return k.counted.free(k.inner.Close) }

// stream refuses calls before anything of them is done. Waits fail when the work has ended, as its
// errors are theirs.
type stream struct {
	inner   driver.Stream
	of      *Driver
	counted counted
	launch  driver.Launch
}

func inside(s driver.Slice) driver.Slice {
	s.Memory = innerOf(s.Memory)
	return s
}

func (s *stream) Launch(l *driver.Launch) error {
	if err := s.of.fail(errRefused); err != nil {
		return err
	}
	to := &s.launch
	to.Kernel, to.Handles, to.Immediates, to.Grid = l.Kernel.(*kernel).inner, l.Handles, l.Immediates, l.Grid
	to.Bindings = to.Bindings[:0]
	for _, b := range l.Bindings {
		to.Bindings = append(to.Bindings, inside(b))
	}
	return s.inner.Launch(to)
}

func (s *stream) Write(dst driver.Slice, src []byte) error {
	if err := s.of.fail(errRefused); err != nil {
		return err
	}
	return s.inner.Write(inside(dst), src)
}

func (s *stream) Read(dst []byte, src driver.Slice) error {
	if err := s.of.fail(errRefused); err != nil {
		return err
	}
	return s.inner.Read(dst, inside(src))
}

func (s *stream) WriteFrom(dst driver.Slice, src driver.HostMemory, offset uint64) error {
	if err := s.of.fail(errRefused); err != nil {
		return err
	}
	return s.inner.WriteFrom(inside(dst), src.(*hostMemory).HostMemory, offset)
}

func (s *stream) ReadTo(dst driver.HostMemory, offset uint64, src driver.Slice) error {
	if err := s.of.fail(errRefused); err != nil {
		return err
	}
	return s.inner.ReadTo(dst.(*hostMemory).HostMemory, offset, inside(src))
}

func (s *stream) Copy(dst, src driver.Slice) error {
	if err := s.of.fail(errRefused); err != nil {
		return err
	}
	return s.inner.Copy(inside(dst), inside(src))
}

func (s *stream) Clear(m driver.Memory) error {
	if err := s.of.fail(errRefused); err != nil {
		return err
	}
	return s.inner.Clear(innerOf(m))
}

func (s *stream) WriteTexture(dst driver.Texture, level uint32, src []byte) error {
	return s.inner.WriteTexture(dst, level, src)
}

func (s *stream) ReadTexture(dst []byte, src driver.Texture, level uint32) error {
	return s.inner.ReadTexture(dst, src, level)
}

func (s *stream) Record() (driver.Event, error) {
	if err := s.of.fail(errRefused); err != nil {
		return nil, err
	}
	e, err := s.inner.Record()
	if err != nil {
		return nil, err
	}
	return &event{e, s.of.count(Events)}, nil
}

// Await implements driver.Awaiter. The host waits for streams that cannot.
func (s *stream) Await(e driver.Event) error {
	if err := s.of.fail(errRefused); err != nil {
		return err
	}
	inner := e.(*event).inner
	if a, ok := s.inner.(driver.Awaiter); ok {
		return a.Await(inner)
	}
	return inner.Wait(context.Background())
}

func (s *stream) Wait(ctx context.Context) error {
	if err := s.inner.Wait(ctx); err != nil {
		return err
	}
	return s.of.fail(errRefused)
}

func (s *stream) Close() error { return s.counted.free(s.inner.Close) }

type event struct {
	inner   driver.Event
	counted counted
}

func (e *event) Done() (bool, error) {
	if err := e.counted.of.fail(errRefused); err != nil {
		return false, err
	}
	return e.inner.Done()
}

func (e *event) Wait(ctx context.Context) error {
	if err := e.inner.Wait(ctx); err != nil {
		return err
	}
	return e.counted.of.fail(errRefused)
}

func (e *event) Since(earlier driver.Event) (time.Duration, error) {
	return e.inner.Since(earlier.(*event).inner)
}

func (e *event) Close() error { return e.counted.free(e.inner.Close) }
