package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// kernelFunc executes a launch. The bindings and immediates are laid out as the artefact's
// description says.
type kernelFunc func(grid [3]uint32, bindings [][]byte, immediates []byte)

// kernels are those that the device knows, by name.
var kernels = map[string]kernelFunc{
	"Saxpy": func(grid [3]uint32, bindings [][]byte, immediates []byte) {
		a := math.Float32frombits(binary.LittleEndian.Uint32(immediates))
		GoSaxpy(gpu.D1(grid[0]), a, floats(bindings[0]), floats(bindings[1]))
	},
}

// floats returns the numbers that some memory holds.
func floats(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// toyDriver has one device, which executes Go functions.
type toyDriver struct{ kernels map[string]kernelFunc }

func (d *toyDriver) Name() string { return "toy" }

func (d *toyDriver) Devices() ([]driver.Info, error) {
	return []driver.Info{{
		Driver: "toy", Name: "a toy", Kind: driver.Software, Target: abi.WGSL, SubgroupSize: 1,
		MaxWorkgroup: [3]uint32{1024, 1024, 64}, MaxInvocations: 1024, MaxGrid: [3]uint32{65535, 65535, 65535},
		WorkgroupBytes: 16384, MaxBufferBytes: 1 << 30, Version: "1",
	}}, nil
}

func (d *toyDriver) Open(index int) (driver.Device, error) {
	list, _ := d.Devices()
	if index < 0 || index >= len(list) {
		return nil, fmt.Errorf("toy: %w: there is no device %d", driver.ErrUnsupported, index)
	}
	return &toyDevice{info: list[index], kernels: d.kernels}, nil
}

// toyDevice executes everything at once, one call at a time. So nothing is ever under way.
type toyDevice struct {
	info    driver.Info
	kernels map[string]kernelFunc

	executing sync.Mutex
	closed    atomic.Bool
}

func (d *toyDevice) Info() driver.Info { return d.info }

func (d *toyDevice) Alloc(bytes uint64) (driver.Memory, error) {
	if bytes > d.info.MaxBufferBytes {
		return nil, fmt.Errorf("toy: %d bytes: %w", bytes, driver.ErrOutOfMemory)
	}
	return toyMemory(driver.Aligned(int(bytes), 256)), nil
}

func (d *toyDevice) Reserve(bytes uint64) (b driver.Block, zeros bool, err error) {
	m, err := d.Alloc(bytes)
	if err != nil {
		return nil, false, err
	}
	return toyBlock(m.(toyMemory)), true, nil
}

func (d *toyDevice) NewHostMemory(bytes uint64) (driver.HostMemory, error) {
	m, err := d.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	return toyHostMemory(m.(toyMemory)), nil
}

func (d *toyDevice) Clear(m driver.Memory) error {
	return d.execute(func() error {
		clear(m.(toyMemory))
		return nil
	})
}

func (d *toyDevice) Drain() error { return d.execute(func() error { return nil }) }

func (d *toyDevice) NewTexture(*texture.Description) (driver.Texture, error) {
	return nil, fmt.Errorf("toy: textures: %w", driver.ErrUnsupported)
}

func (d *toyDevice) NewSampler(*texture.Sampler) (driver.Sampler, error) {
	return nil, fmt.Errorf("toy: samplers: %w", driver.ErrUnsupported)
}

func (d *toyDevice) Load(artefact *abi.Artefact) (driver.Kernel, error) {
	if err := d.info.Accepts(artefact); err != nil {
		return nil, fmt.Errorf("toy: %w", err)
	}
	k := &artefact.Kernel
	f, ok := d.kernels[k.Name]
	if !ok {
		return nil, fmt.Errorf("toy: kernel %s: %w: the toy does not know it", k.Name, driver.ErrUnsupported)
	}
	return &toyKernel{f, len(k.Bindings), k.ImmediateBytes()}, nil
}

func (d *toyDevice) NewStream() (driver.Stream, error) { return toyStream{d}, nil }

func (d *toyDevice) Close() error {
	d.closed.Store(true)
	return nil
}

// execute calls f while nothing else executes.
func (d *toyDevice) execute(f func() error) error {
	d.executing.Lock()
	defer d.executing.Unlock()
	if d.closed.Load() {
		return fmt.Errorf("toy: %w", driver.ErrClosed)
	}
	return f()
}

// toyMemory is memory of Go's, which the collector frees.
type toyMemory []byte

func (m toyMemory) Bytes() uint64 { return uint64(len(m)) }
func (m toyMemory) Free() error   { return nil }

type toyBlock []byte

func (b toyBlock) Part(offset, bytes uint64) (driver.Memory, error) {
	return toyMemory(b[offset : offset+bytes : offset+bytes]), nil
}

func (b toyBlock) Free() error { return nil }

type toyHostMemory []byte

func (m toyHostMemory) Bytes() []byte { return m }
func (m toyHostMemory) Free() error   { return nil }

type toyKernel struct {
	call                 kernelFunc
	bindings, immediates int
}

func (k *toyKernel) Close() error { return nil }

// toyStream is a queue in which nothing waits.
type toyStream struct{ device *toyDevice }

func (s toyStream) Launch(l *driver.Launch) error {
	k := l.Kernel.(*toyKernel)
	if err := l.Check(k.bindings, 0, k.immediates, &s.device.info); err != nil {
		return fmt.Errorf("toy: %w", err)
	}
	bindings := make([][]byte, len(l.Bindings))
	for n := range l.Bindings {
		b, err := part(&l.Bindings[n])
		if err != nil {
			return err
		}
		bindings[n] = b
	}
	return s.device.execute(func() error {
		k.call(l.Grid, bindings, l.Immediates)
		return nil
	})
}

// part returns the bytes of a slice.
func part(s *driver.Slice) ([]byte, error) {
	m, ok := s.Memory.(toyMemory)
	if !ok {
		return nil, fmt.Errorf("toy: %w: the memory belongs to another driver", driver.ErrUnsupported)
	}
	if err := s.CheckWithin(m.Bytes()); err != nil {
		return nil, fmt.Errorf("toy: %w", err)
	}
	return m[s.Offset : s.Offset+s.Bytes], nil
}

// copy copies between a slice and bytes of the host.
func (s toyStream) copy(of *driver.Slice, host []byte, write bool) error {
	device, err := part(of)
	if err = errors.Join(err, of.CheckHost(host)); err != nil {
		return err
	}
	return s.device.execute(func() error {
		if write {
			copy(device, host)
		} else {
			copy(host, device)
		}
		return nil
	})
}

func (s toyStream) Write(dst driver.Slice, src []byte) error { return s.copy(&dst, src, true) }
func (s toyStream) Read(dst []byte, src driver.Slice) error  { return s.copy(&src, dst, false) }

func (s toyStream) WriteFrom(dst driver.Slice, src driver.HostMemory, offset uint64) error {
	if err := driver.CheckHostMemory(src, offset, dst.Bytes); err != nil {
		return fmt.Errorf("toy: %w", err)
	}
	return s.copy(&dst, src.Bytes()[offset:offset+dst.Bytes], true)
}

func (s toyStream) ReadTo(dst driver.HostMemory, offset uint64, src driver.Slice) error {
	if err := driver.CheckHostMemory(dst, offset, src.Bytes); err != nil {
		return fmt.Errorf("toy: %w", err)
	}
	return s.copy(&src, dst.Bytes()[offset:offset+src.Bytes], false)
}

func (s toyStream) Copy(dst, src driver.Slice) error {
	from, err := part(&src)
	if err = errors.Join(err, driver.CheckCopy(&dst, &src)); err != nil {
		return err
	}
	return s.copy(&dst, from, true)
}

func (s toyStream) Clear(m driver.Memory) error { return s.device.Clear(m) }

func (s toyStream) WriteTexture(driver.Texture, uint32, []byte) error { return driver.ErrUnsupported }
func (s toyStream) ReadTexture([]byte, driver.Texture, uint32) error  { return driver.ErrUnsupported }

func (s toyStream) Record() (driver.Event, error)  { return toyEvent(time.Now()), nil }
func (s toyStream) Wait(ctx context.Context) error { return nil }
func (s toyStream) Close() error                   { return nil }

// toyEvent is a moment, which has passed.
type toyEvent time.Time

func (e toyEvent) Done() (bool, error)        { return true, nil }
func (e toyEvent) Wait(context.Context) error { return nil }
func (e toyEvent) Close() error               { return nil }

func (e toyEvent) Since(earlier driver.Event) (time.Duration, error) {
	return time.Time(e).Sub(time.Time(earlier.(toyEvent))), nil
}
