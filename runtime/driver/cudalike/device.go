// An open device: its context, what lives as long as it, and what streams share.

package cudalike

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// Flags of streams and events, the same in both interfaces.
const (
	streamNonBlocking  = 0x1
	eventBlocking      = 0x1
	eventWithoutTiming = 0x2
)

// device is an open device.
//
// Two streams of the device order allocation and release among the others. allocStream allocates
// and fills with zeros. freeStream frees, and tells when what was closed or freed is unused. They
// are two so that an allocation does not wait for the work before a release. Fills are numbered by
// generation; a stream waits for them once before it uses memory that is newer than its last wait.
type device struct {
	candidate
	c       *library
	context uintptr // CUcontext, or HIP's device ID
	pool    uintptr // CUmemoryPool, hipMemPool_t
	lostAt  atomic.Pointer[error]
	staging staging
	cache   atomic.Pointer[kernelcache.Cache]
	copier  func() *kernel           // loads API.Copier once
	reached atomic.Pointer[[][]byte] // memory of the host; the list is replaced, never changed

	stamping sync.Mutex // of the origin, held within no other
	origin   origin

	mutex                   sync.Mutex
	closed                  bool
	allocStream, freeStream uintptr // streams
	filled                  uintptr // event after the last fill
	generation              uint64  // number of the last fill
	streams                 map[*stream]struct{}
	memories                map[*memory]struct{}
	hosts                   map[*hostMemory]struct{}
	kernels                 map[*kernel]struct{}   // that are open
	images                  map[*image]struct{}    // that are not freed
	graphs                  map[*graph]struct{}    // that are not released
	peers                   map[int32]driver.Reach // that were prepared, by ordinal
	retired                 []retired              // what is closed, the first closed first
	// memory of zeroBytes for filling textures, once there is one
	zeros      uintptr
	events     []uintptr // all that streams have recorded
	idleEvents []uintptr // of these, the closed ones

	// unloads are under way without the mutex, begun with it on a device that was open.
	unloads sync.WaitGroup
}

func openDevice(c *library, found candidate) (*device, error) {
	d := &device{
		candidate: found, c: c,
		streams: map[*stream]struct{}{}, memories: map[*memory]struct{}{}, hosts: map[*hostMemory]struct{}{}, kernels: map[*kernel]struct{}{}, images: map[*image]struct{}{},
		graphs: map[*graph]struct{}{},
	}
	d.copier = sync.OnceValue(d.loadCopier)
	if c.ContextRetain == 0 {
		d.context = uintptr(uint32(found.ordinal))
	} else if err := c.check("open "+found.info.Name, dl.Call(c.ContextRetain, uintptr(unsafe.Pointer(&d.context)), uintptr(uint32(found.ordinal)))); err != nil {
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
	c := d.c
	for _, stream := range []*uintptr{&d.allocStream, &d.freeStream} {
		if err := c.check("create a stream", dl.Call(c.StreamCreate, uintptr(unsafe.Pointer(stream)), streamNonBlocking)); err != nil {
			return err
		}
	}
	if err := c.check("create an event", dl.Call(c.EventCreate, uintptr(unsafe.Pointer(&d.filled)), eventWithoutTiming)); err != nil {
		return err
	}
	if !d.pools {
		return nil
	}
	if err := c.check("get the memory pool", dl.Call(c.DefaultPool, uintptr(unsafe.Pointer(&d.pool)), uintptr(uint32(d.ordinal)))); err != nil {
		return err
	}
	// By default the pool gives unused memory back at every synchronisation, and
	// the next allocation pays for it.
	const releaseThreshold = 4 // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, hipMemPoolAttrReleaseThreshold
	keep := ^uint64(0)
	return c.check("set up the memory pool", dl.Call(c.PoolSet, d.pool, releaseThreshold, uintptr(unsafe.Pointer(&keep))))
}

// enter begins a series of calls: the goroutine stays on its thread, with d's context current,
// until leave.
func (d *device) enter() error {
	if err := d.lost(); err != nil {
		return err
	}
	runtime.LockOSThread()
	if code := dl.Call1(d.c.SetCurrent, d.context); uint32(code) != 0 {
		runtime.UnlockOSThread()
		return d.note(d.c.check("set the context", code))
	}
	return nil
}

func (d *device) leave() { runtime.UnlockOSThread() }

// named adds the driver's name to an error.
func (d *device) named(err error) error { return fmt.Errorf("%s: %w", d.c.api.Name, err) }

// check is library.check that remembers the loss of the device.
func (d *device) check(what string, register uintptr) error {
	if uint32(register) == 0 {
		return nil
	}
	return d.note(d.c.check(what, register))
}

// note remembers the loss of the device.
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

// SetCache implements driver.Caching, for API.Image.
func (d *device) SetCache(c *kernelcache.Cache) { d.cache.Store(c) }

// Info describes the device.
func (d *device) Info() driver.Info { return d.info }

func (d *device) closedError() error {
	return d.named(fmt.Errorf("%s: %w", d.info.Name, driver.ErrClosed))
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
	c := d.c
	// On a lost device every call fails, and the driver cleans up when the
	// context goes.
	if err := d.enter(); err == nil {
		defer d.leave()
		d.check("wait for the device", dl.Call(c.Synchronize))
		for m := range d.memories {
			m.release()
		}
		for g := range d.graphs {
			g.destroy()
		}
		for k := range d.kernels {
			k.unload()
		}
		for m := range d.images {
			m.unload()
		}
		d.unloadRetired()
		if d.zeros != 0 {
			dl.Call(c.Free, d.zeros)
		}
		if !c.api.StreamsFinish { // in which memory is released
			d.check("wait for the device", dl.Call(c.Synchronize))
		}
		for s := range d.streams {
			s.destroy()
		}
		d.staging.destroy(d)
		for m := range d.hosts {
			dl.Call(c.HostFree, m.address)
		}
		for _, event := range append(d.events, d.filled) {
			if event != 0 {
				dl.Call(c.EventDestroy, event)
			}
		}
		for _, stream := range []uintptr{d.allocStream, d.freeStream} {
			if stream != 0 {
				dl.Call(c.StreamDestroy, stream)
			}
		}
	}
	// HIP has no context of the device's own; what a lost one holds ends with the process
	if c.ContextRetain == 0 {
		return nil
	}
	device := uintptr(uint32(d.ordinal))
	if d.lost() != nil {
		// A context that has failed stays so for the whole process until it is reset.
		// The failure itself was said by the call that met it.
		dl.Call(c.ContextReset, device)
		dl.Call(c.ContextRelease, device)
		return nil
	}
	return c.check("close", dl.Call(c.ContextRelease, device))
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
	err := d.check("create an event", dl.Call(d.c.EventCreate, uintptr(unsafe.Pointer(&event)), flags))
	return event, err
}
