package metal

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// device is an open device.
//
// Memory is shared with the processor (MTLStorageModeShared). A command buffer retains what its
// commands use until it has completed (MTLCommandQueue, commandBuffer). So memory, kernels and
// textures are released at once when they are freed.
type device struct {
	candidate
	m     *objects
	cache atomic.Pointer[kernelcache.Cache]

	mutex   sync.Mutex
	closed  bool
	owned   map[*object]struct{} // what is not freed
	streams map[*stream]struct{}
	orphans []uintptr // the last command buffers of streams that were closed before them
}

// object is an Objective-C object that is released when it is freed, or with the device.
type object struct {
	device *device
	handle uintptr // 0 once it is freed; guarded by the device's mutex
	freed  atomic.Bool
}

func openDevice(m *objects, c candidate) *device {
	return &device{candidate: c, m: m, owned: map[*object]struct{}{}, streams: map[*stream]struct{}{}}
}

// Info describes the device.
func (d *device) Info() driver.Info { return d.info }

func (d *device) closedError() error { return fmt.Errorf("metal: device: %w", driver.ErrClosed) }

// register registers an object to be released with the device.
func (d *device) register(o *object, handle uintptr) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	o.device, o.handle = d, handle
	if d.closed {
		o.handle = 0
		o.freed.Store(true)
		d.m.release(handle)
		return d.closedError()
	}
	d.owned[o] = struct{}{}
	return nil
}

// free releases an object, once.
func (o *object) free() error {
	if o.freed.Swap(true) {
		return nil
	}
	d := o.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if o.handle != 0 {
		p := d.m.enter()
		d.m.release(o.handle)
		p.leave()
		delete(d.owned, o)
		o.handle = 0
	}
	return nil
}

// Close waits for the work under way and gives the device's objects back.
func (d *device) Close() error {
	d.mutex.Lock()
	if d.closed {
		d.mutex.Unlock()
		return nil
	}
	d.closed = true
	streams := d.streams
	d.streams = nil
	d.mutex.Unlock()
	var err error
	for s := range streams {
		if failure := s.end(); err == nil {
			err = failure
		}
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	p := d.m.enter()
	defer p.leave()
	for _, buffer := range d.orphans {
		d.m.send(buffer, d.m.s.WaitUntilCompleted)
		d.m.release(buffer)
	}
	d.orphans = nil
	for o := range d.owned {
		d.m.release(o.handle)
		o.handle = 0
		o.freed.Store(true)
	}
	d.owned = nil
	return err
}
