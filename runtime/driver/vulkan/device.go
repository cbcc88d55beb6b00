// An open device: its queue, its counter of submissions, what is in flight, and
// the pools that streams share.

package vulkan

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// device is an open device.
//
// Every submission signals the timeline semaphore with the next number, so a
// moment of any stream's work is one number, and work is finished when the
// semaphore has reached it.
type device struct {
	*candidate
	instance *instance
	vk       deviceFunctions
	handle   uintptr
	queue    uintptr
	cache    handle // VkPipelineCache
	disk     atomic.Pointer[kernelcache.Cache]

	timeline  handle
	completed atomic.Uint64 // batches up to here are finished and reaped

	local    *heap     // device memory
	host     *heap     // memory that both sides reach, for staging
	images   [32]*heap // memory of textures by memory type, made when needed
	staging  [len(stagingClasses)]stagingPool
	rings    driver.Rings[*ring]
	lostOnce atomic.Pointer[error]

	mutex     sync.Mutex // guards what follows, and the queue
	submitted uint64     // number of the last submission
	inFlight  []flight   // submissions, in order
	idle      []*batch   // for reuse
	batches   []*batch   // all
	fills     *batch     // zero-fills waiting for the next submission
	objects   map[object]struct{}
	streams   map[*stream]struct{} // that are open
	closed    bool
	submit    submission
}

// object is something that Close destroys if its owner did not.
type object interface{ destroy() }

// submission is what one vkQueueSubmit needs, allocated once; the device's
// mutex guards it.
type submission struct {
	info     submitInfo
	timeline timelineSubmitInfo
	commands [2]uintptr
	signal   uint64
	counter  uint64
}

// flight is a submission under way: a batch that is used once, then one of a recording, or one of
// them.
type flight struct {
	number        uint64
	once, several *batch
}

func openDevice(i *instance, c *candidate) (*device, error) {
	priority := float32(1)
	queue := &deviceQueueCreateInfo{sType: typeDeviceQueueCreateInfo, family: c.family, count: 1, priorities: &priority}
	info := &deviceCreateInfo{
		sType:          typeDeviceCreateInfo,
		next:           unsafe.Pointer(&c.enabled.core),
		queueInfoCount: 1,
		queueInfos:     queue,
	}
	info.extensions, info.extensionCount = names(c.extensions)
	d := &device{candidate: c, instance: i, objects: map[object]struct{}{}, streams: map[*stream]struct{}{}}
	err := check("open "+c.info.Name, dl.Call(i.vk.CreateDevice, c.physical,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&d.handle))))
	if err != nil {
		return nil, err
	}
	if err := dl.Fill(&d.vk, resolver(i.vk.DeviceProcAddr, d.handle)); err != nil {
		return nil, fmt.Errorf("vulkan: %s: %w", c.info.Name, err)
	}
	dl.Call(d.vk.GetDeviceQueue, d.handle, uintptr(c.family), 0, uintptr(unsafe.Pointer(&d.queue)))
	if err := d.prepare(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// prepare makes the objects that live as long as the device.
func (d *device) prepare() error {
	var err error
	if d.cache, err = d.newPipelineCache(nil); err != nil {
		return err
	}
	kind := &semaphoreTypeCreateInfo{sType: typeSemaphoreTypeCreateInfo, kind: semaphoreTimeline}
	semaphore := &semaphoreCreateInfo{sType: typeSemaphoreCreateInfo, next: unsafe.Pointer(kind)}
	err = check("create a semaphore", dl.Call(d.vk.CreateSemaphore, d.handle,
		uintptr(unsafe.Pointer(semaphore)), 0, uintptr(unsafe.Pointer(&d.timeline))))
	if err != nil {
		return err
	}
	s := &d.submit
	s.timeline = timelineSubmitInfo{sType: typeTimelineSemaphoreSubmitInfo, signalCount: 1, signals: &s.signal}
	s.info = submitInfo{
		sType: typeSubmitInfo, next: unsafe.Pointer(&s.timeline),
		commands: &s.commands[0], signalCount: 1, signals: &d.timeline,
	}
	if d.local, err = newHeap(d, memoryDeviceLocal, 0, false); err != nil {
		return err
	}
	d.host, err = newHeap(d, memoryHostVisible|memoryHostCoherent, memoryHostCached, true)
	return err
}

// Info describes the device.
func (d *device) Info() driver.Info {
	info := d.info
	info.PartAlignment = uint32(d.local.alignment)
	return info
}

// NewStream makes a queue of work.
func (d *device) NewStream() (driver.Stream, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	s := &stream{device: d}
	d.streams[s] = struct{}{}
	return s, nil
}

func (d *device) closedError() error {
	return fmt.Errorf("vulkan: %s: %w", d.info.Name, driver.ErrClosed)
}

// Close waits for all work and destroys everything that belongs to the device.
func (d *device) Close() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	err := check("wait for the device", dl.Call(d.vk.DeviceWaitIdle, d.handle))
	for o := range d.objects {
		o.destroy()
	}
	for _, b := range d.batches {
		b.destroy()
	}
	d.batches, d.idle, d.inFlight, d.fills = nil, nil, nil, nil
	d.rings.Destroy()
	for i := range d.staging {
		d.staging[i].destroy(d.host)
	}
	for _, h := range append(d.images[:], d.local, d.host) {
		if h != nil {
			h.destroy()
		}
	}
	for _, o := range []struct {
		function uintptr
		handle   handle
	}{{d.vk.DestroySemaphore, d.timeline}, {d.vk.DestroyPipelineCache, d.cache}} {
		if o.handle != 0 {
			dl.Call(o.function, d.handle, uintptr(o.handle), 0)
		}
	}
	dl.Call(d.vk.DestroyDevice, d.handle, 0)
	if errors.Is(err, driver.ErrDeviceLost) {
		return nil // said by the calls that lost it
	}
	return err
}

// lost returns the error that lost the device, or nil.
func (d *device) lost() error {
	if err := d.lostOnce.Load(); err != nil {
		return *err
	}
	return nil
}

// note remembers an error that loses the device, and passes every error on.
func (d *device) note(err error) error {
	if errors.Is(err, driver.ErrDeviceLost) {
		d.lostOnce.CompareAndSwap(nil, &err)
	}
	return err
}

// run submits a batch, and then that of a recording, after the zero-fills that were asked for
// before, and returns the number. One of the batches may be nil.
func (d *device) run(once, several *batch) (uint64, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := d.runFills(); err != nil {
		return 0, err
	}
	return d.runLocked(once, several)
}

func (d *device) runFills() error {
	fills := d.fills
	if fills == nil {
		return nil
	}
	d.fills = nil
	_, err := d.runLocked(fills, nil)
	return err
}

func (d *device) runLocked(once, several *batch) (uint64, error) {
	if d.closed {
		return 0, d.closedError()
	}
	if err := d.lost(); err != nil {
		return 0, err
	}
	s := &d.submit
	commands := s.commands[:0]
	if once != nil {
		if err := check("end a command buffer", dl.Call1(d.vk.EndCommandBuffer, once.commands)); err != nil {
			return 0, err
		}
		commands = append(commands, once.commands)
	}
	if several != nil {
		commands = append(commands, several.commands)
	}
	s.info.commandCount, s.signal = uint32(len(commands)), d.submitted+1
	err := check("submit", dl.Call4(d.vk.QueueSubmit, d.queue, 1, uintptr(unsafe.Pointer(&s.info)), 0))
	if err != nil {
		return 0, d.note(err)
	}
	d.submitted++
	d.inFlight = append(d.inFlight, flight{d.submitted, once, several})
	if several != nil {
		several.pending++
	}
	return d.submitted, nil
}

// reap retires the batches that have finished: their timestamps are read, the
// memory and kernels that they held are let go, and they become idle.
func (d *device) reap() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.reapLocked()
}

func (d *device) reapLocked() error {
	if d.closed {
		return d.closedError()
	}
	if len(d.inFlight) == 0 {
		return nil
	}
	counter := &d.submit.counter
	err := check("query the semaphore", dl.Call3(d.vk.SemaphoreCounter, d.handle, uintptr(d.timeline), uintptr(unsafe.Pointer(counter))))
	if err != nil {
		return d.note(err)
	}
	n := 0
	for n < len(d.inFlight) && d.inFlight[n].number <= *counter {
		f := &d.inFlight[n]
		if f.once != nil {
			f.once.retire()
			d.idle = append(d.idle, f.once)
		}
		if f.several != nil {
			f.several.pending--
			f.several.release()
		}
		d.completed.Store(f.number)
		n++
	}
	if n > 0 {
		rest := copy(d.inFlight, d.inFlight[n:])
		clear(d.inFlight[rest:])
		d.inFlight = d.inFlight[:rest]
	}
	return nil
}

// slice is how long a blocking wait goes on before it looks at its context.
const slice = 2 * time.Millisecond

// waiter is what a wait passes to Vulkan, reused between waits.
type waiter struct {
	info      semaphoreWaitInfo
	semaphore handle
	number    uint64
	counter   uint64
}

var waiters = sync.Pool{New: func() any {
	w := new(waiter)
	w.info = semaphoreWaitInfo{sType: typeSemaphoreWaitInfo, count: 1, semaphores: &w.semaphore, values: &w.number}
	return w
}}

// wait returns when submission number has finished and been reaped, or ctx
// ends.
func (d *device) wait(ctx context.Context, number uint64) error {
	if d.completed.Load() >= number {
		return nil
	}
	if err := d.lost(); err != nil {
		return err
	}
	w := waiters.Get().(*waiter)
	defer waiters.Put(w)
	w.semaphore, w.number = d.timeline, number
	for start := time.Now(); time.Since(start) < driver.Spin; {
		register := dl.Call3(d.vk.SemaphoreCounter, d.handle, uintptr(d.timeline), uintptr(unsafe.Pointer(&w.counter)))
		if err := check("query the semaphore", register); err != nil {
			return d.note(err)
		}
		if w.counter >= number {
			return d.reap()
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		register := dl.Call3(d.vk.WaitSemaphores, d.handle, uintptr(unsafe.Pointer(&w.info)), uintptr(slice))
		if err := check("wait", register); err != nil {
			return d.note(err)
		}
		if result(int32(uint32(register))) != timeout {
			return d.reap()
		}
	}
}
