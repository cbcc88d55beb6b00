// An open device: its primary context, its memory and what streams share.

package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Flags of streams and events.
const (
	streamNonBlocking  = 0x1
	eventBlocking      = 0x1
	eventWithoutTiming = 0x2
)

// device is an open device.
//
// Allocation and release are ordered among streams by two streams of the
// device's own: births, which allocates and fills with zeros, and deaths, which
// frees, and tells when kernels that were closed and textures that were freed are no longer used. The fills of
// births are numbered; a stream waits for them once before it touches memory that
// is newer than what it has waited for. They are two so that an allocation does not
// wait for the work before a release.
type device struct {
	candidate
	cu      *functions
	context uintptr
	pool    uintptr // CUmemoryPool
	lostAt  atomic.Pointer[error]
	staging staging

	mutex          sync.Mutex
	closed         bool
	births, deaths uintptr // CUstream
	filled         uintptr // CUevent after the last fill
	generation     uint64  // number of the last fill
	streams        map[*stream]struct{}
	memories       map[*memory]struct{}
	kernels        map[*kernel]struct{} // that are open
	images         map[*image]struct{}  // that are not freed
	retired        []retired            // closed kernels and freed textures, the first closed first
	zeros          uintptr              // memory of zeroBytes for filling textures, once there is one
	events         []uintptr            // all that streams have recorded
	idleEvents     []uintptr            // of these, the closed ones

	// unloads are under way without the mutex, begun with it on a device that was open.
	unloads sync.WaitGroup
}

func openDevice(cu *functions, c candidate) (*device, error) {
	d := &device{
		candidate: c, cu: cu,
		streams: map[*stream]struct{}{}, memories: map[*memory]struct{}{}, kernels: map[*kernel]struct{}{}, images: map[*image]struct{}{},
	}
	err := cu.check("open "+c.info.Name, dl.Call(cu.ContextRetain, uintptr(unsafe.Pointer(&d.context)), uintptr(uint32(c.ordinal))))
	if err != nil {
		return nil, err
	}
	if err := d.prepare(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// prepare makes what lives as long as the device.
func (d *device) prepare() error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	cu := d.cu
	for _, stream := range []*uintptr{&d.births, &d.deaths} {
		if err := cu.check("create a stream", dl.Call(cu.StreamCreate, uintptr(unsafe.Pointer(stream)), streamNonBlocking)); err != nil {
			return err
		}
	}
	if err := cu.check("create an event", dl.Call(cu.EventCreate, uintptr(unsafe.Pointer(&d.filled)), eventWithoutTiming)); err != nil {
		return err
	}
	if !d.pools {
		return nil
	}
	if err := cu.check("get the memory pool", dl.Call(cu.DefaultPool, uintptr(unsafe.Pointer(&d.pool)), uintptr(uint32(d.ordinal)))); err != nil {
		return err
	}
	// By default the pool gives unused memory back at every synchronisation, and
	// the next allocation pays for it.
	const releaseThreshold = 4 // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
	keep := ^uint64(0)
	return cu.check("set up the memory pool", dl.Call(cu.PoolSet, d.pool, releaseThreshold, uintptr(unsafe.Pointer(&keep))))
}

// enter begins a series of calls: the goroutine stays on its thread, whose
// current context is d's, until leave.
func (d *device) enter() error {
	if err := d.lost(); err != nil {
		return err
	}
	runtime.LockOSThread()
	if code := dl.Call1(d.cu.SetCurrent, d.context); uint32(code) != 0 {
		runtime.UnlockOSThread()
		return d.note(d.cu.check("set the context", code))
	}
	return nil
}

func (d *device) leave() { runtime.UnlockOSThread() }

// check is functions.check that remembers the loss of the device.
func (d *device) check(what string, register uintptr) error {
	if uint32(register) == 0 {
		return nil
	}
	return d.note(d.cu.check(what, register))
}

func (d *device) note(err error) error {
	if errors.Is(err, driver.ErrDeviceLost) {
		d.lostAt.CompareAndSwap(nil, &err)
	}
	return err
}

// lost returns the error that lost the device, or nil.
func (d *device) lost() error {
	if err := d.lostAt.Load(); err != nil {
		return *err
	}
	return nil
}

// Info describes the device.
func (d *device) Info() driver.Info { return d.info }

func (d *device) closedError() error {
	return fmt.Errorf("cuda: %s: %w", d.info.Name, driver.ErrClosed)
}

// Close waits for all work and gives back everything that belongs to the device.
func (d *device) Close() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	d.unloads.Wait()
	cu := d.cu
	// On a lost device every call fails, and the driver cleans up when the
	// context goes.
	if err := d.enter(); err == nil {
		defer d.leave()
		d.check("wait for the device", dl.Call(cu.Synchronize))
		for m := range d.memories {
			m.release()
		}
		for k := range d.kernels {
			k.unload()
		}
		for m := range d.images {
			m.unload()
		}
		d.unloadRetired()
		if d.zeros != 0 {
			dl.Call(cu.Free, d.zeros)
		}
		for s := range d.streams {
			s.destroy()
		}
		d.staging.destroy(d)
		for _, event := range append(d.events, d.filled) {
			if event != 0 {
				dl.Call(cu.EventDestroy, event)
			}
		}
		for _, stream := range []uintptr{d.births, d.deaths} {
			if stream != 0 {
				dl.Call(cu.StreamDestroy, stream)
			}
		}
	}
	device := uintptr(uint32(d.ordinal))
	if d.lost() != nil {
		// A context that has failed stays so for the whole process until it is reset.
		// The failure itself was said by the call that met it.
		dl.Call(cu.ContextReset, device)
		dl.Call(cu.ContextRelease, device)
		return nil
	}
	return cu.check("close", dl.Call(cu.ContextRelease, device))
}

// memory is an allocation. A size of 0 has no address.
type memory struct {
	device     *device
	bytes      uint64
	address    uint64
	generation uint64 // of its zero-fill
	freed      atomic.Bool
}

// Alloc reserves memory and has it filled with zeros before any stream uses it.
func (d *device) Alloc(bytes uint64) (driver.Memory, error) {
	m := &memory{device: d, bytes: bytes}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	if bytes == 0 {
		return m, nil
	}
	if bytes > d.info.Memory {
		return nil, fmt.Errorf("cuda: allocate %d bytes: %w: the device has %d", bytes, driver.ErrOutOfMemory, d.info.Memory)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	padded := (bytes + 3) &^ 3
	if err := d.reserve(m, padded); err != nil {
		return nil, fmt.Errorf("cuda: allocate %d bytes: %w", bytes, err)
	}
	err := d.check("fill memory", dl.Call(d.cu.Fill, uintptr(m.address), 0, uintptr(padded/4), d.births))
	if err == nil {
		err = d.check("record an event", dl.Call2(d.cu.EventRecord, d.filled, d.births))
	}
	if err != nil {
		m.release()
		return nil, err
	}
	d.generation++
	m.generation = d.generation
	d.memories[m] = struct{}{}
	return m, nil
}

// reserve gets memory from the pool, or where there is none from the driver. A
// full pool may hold memory that it can give back.
func (d *device) reserve(m *memory, bytes uint64) error {
	cu := d.cu
	if !d.pools {
		return d.check("allocate", dl.Call(cu.Alloc, uintptr(unsafe.Pointer(&m.address)), uintptr(bytes)))
	}
	code := dl.Call(cu.AllocAsync, uintptr(unsafe.Pointer(&m.address)), uintptr(bytes), d.births)
	if uint32(code) == codeOutOfMemory {
		if err := d.check("wait for the device", dl.Call(cu.Synchronize)); err != nil {
			return err
		}
		d.unloadRetired()
		dl.Call(cu.PoolTrim, d.pool, 0)
		code = dl.Call(cu.AllocAsync, uintptr(unsafe.Pointer(&m.address)), uintptr(bytes), d.births)
	}
	return d.check("allocate", code)
}

// Bytes is the size that was asked for.
func (m *memory) Bytes() uint64 { return m.bytes }

// Free releases the memory once the work that all streams were given before has
// finished.
func (m *memory) Free() error {
	if m.freed.Swap(true) || m.address == 0 {
		return nil
	}
	d := m.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed || d.lost() != nil {
		return nil
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	delete(d.memories, m)
	if !d.pools {
		return m.release() // waits by itself
	}
	err := d.check("wait for an event", dl.Call3(d.cu.StreamWait, d.deaths, d.filled, 0))
	if err == nil {
		err = d.awaitStreams()
	}
	if err != nil {
		return err
	}
	return m.release()
}

// awaitStreams orders what deaths is given next after the work that all streams were
// given before; the mutex is held.
func (d *device) awaitStreams() error {
	for s := range d.streams {
		if err := s.awaitBy(d.deaths); err != nil {
			return err
		}
	}
	return nil
}

// release frees the memory in the order of deaths.
func (m *memory) release() error {
	d := m.device
	if !d.pools {
		return d.check("free memory", dl.Call(d.cu.Free, uintptr(m.address)))
	}
	return d.check("free memory", dl.Call2(d.cu.FreeAsync, uintptr(m.address), d.deaths))
}

// spin is how long a wait polls before it blocks: waking a blocked thread costs
// tens of microseconds, so polling at most doubles the cost of a long wait.
const spin = 50 * time.Microsecond

// wait polls with query until object is ready, then blocks on event. If ctx can
// end, it goes on polling, less and less often, so that the end is noticed and
// the delay stays a small part of the wait.
func (d *device) wait(ctx context.Context, query, object, event, stream uintptr) error {
	start := time.Now()
	for {
		ready, elapsed, err := d.poll(query, object, start)
		if ready || err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if elapsed < spin {
			continue
		}
		if ctx.Done() == nil {
			return d.block(event, stream)
		}
		time.Sleep(min(elapsed/16, time.Millisecond))
	}
}

// poll asks once whether object is ready.
func (d *device) poll(query, object uintptr, start time.Time) (bool, time.Duration, error) {
	if err := d.enter(); err != nil {
		return false, 0, err
	}
	defer d.leave()
	code := dl.Call1(query, object)
	if uint32(code) == codeNotReady {
		return false, time.Since(start), nil
	}
	return true, 0, d.check("run", code)
}

// block waits for an event, recording it in a stream first if one is given.
func (d *device) block(event, stream uintptr) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	if stream != 0 {
		if err := d.check("record an event", dl.Call2(d.cu.EventRecord, event, stream)); err != nil {
			return err
		}
	}
	return d.check("run", dl.Call1(d.cu.EventSynchronize, event))
}

// takeEvent returns an event with timing; enter must have been called.
func (d *device) takeEvent() (uintptr, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return 0, d.closedError()
	}
	if n := len(d.idleEvents); n > 0 {
		event := d.idleEvents[n-1]
		d.idleEvents = d.idleEvents[:n-1]
		return event, nil
	}
	event, err := d.newEvent(eventBlocking)
	if err == nil {
		d.events = append(d.events, event)
	}
	return event, err
}

func (d *device) newEvent(flags uintptr) (uintptr, error) {
	var event uintptr
	err := d.check("create an event", dl.Call(d.cu.EventCreate, uintptr(unsafe.Pointer(&event)), flags))
	return event, err
}
