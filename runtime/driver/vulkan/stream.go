// Streams record into batches and decide when to submit them: when somebody
// waits, reads or records an event, or when a batch is full.

package vulkan

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// batchesInFlight bounds how far a stream runs ahead of the device.
const batchesInFlight = 8

// stream is an ordered queue of work.
type stream struct {
	device *device

	// mutex guards what follows from Device.Drain: calls on a stream come one at a time.
	mutex   sync.Mutex
	batch   *batch // recording, or nil
	holds   bool   // what it records is not submitted: it is a recording's
	last    uint64 // number of the last submission
	numbers [batchesInFlight]uint64
	next    int
	closed  bool
	scratch binder
	copies  bufferCopy
	texels  imageCopy
}

// recording returns the batch to record into.
func (s *stream) recording() (*batch, error) {
	if s.batch != nil {
		return s.batch, nil
	}
	d := s.device
	if s.closed {
		return nil, fmt.Errorf("vulkan: stream: %w", driver.ErrClosed)
	}
	if err := d.lost(); err != nil {
		return nil, err
	}
	// Wait for the submission batchesInFlight ago.
	if err := d.wait(context.Background(), s.numbers[s.next]); err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := d.reapLocked(); err != nil {
		return nil, err
	}
	b, err := d.takeBatch(oneSubmit)
	if err != nil {
		return nil, err
	}
	s.batch = b
	return b, nil
}

// submit sends the recorded commands, if there are any, to the device.
func (s *stream) submit() error {
	b := s.batch
	if b == nil {
		return nil
	}
	return s.submitWith(nil)
}

// submitWith is submit, followed by the batch of a recording if there is one.
func (s *stream) submitWith(recorded *batch) error {
	b := s.batch
	s.batch = nil
	number, err := s.device.run(b, recorded)
	if err != nil {
		if b != nil {
			s.abandon(b)
		}
		return err
	}
	s.last = number
	s.numbers[s.next] = number
	s.next = (s.next + 1) % batchesInFlight
	return nil
}

// abandon gives back a batch that was not submitted.
func (s *stream) abandon(b *batch) {
	d := s.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return
	}
	b.event = nil
	clear(b.stamped)
	b.stamped = b.stamped[:0]
	b.retire()
	d.idle = append(d.idle, b)
}

// recorded counts a command and submits a full batch.
func (s *stream) recorded() error {
	if s.batch.count++; s.holds || s.batch.count < commandsPerBatch {
		return nil
	}
	return s.submit()
}

// Launch records a dispatch.
func (s *stream) Launch(l *driver.Launch) error {
	k, err := s.launched(l)
	if err != nil || l.IsEmpty() {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b, err := s.recording()
	if err != nil {
		return err
	}
	_, known := b.kernels[k]
	if k.closed.Load() || !known && !k.acquire() {
		return fmt.Errorf("vulkan: kernel %s: %w", k.name, driver.ErrClosed)
	}
	if !known {
		b.kernels[k] = struct{}{}
	}
	conflict := false
	for i := range l.Bindings {
		c, err := b.conflicts(&l.Bindings[i].Memory.(*memory).resource, k.slots[i].writes)
		if err != nil {
			return err
		}
		conflict = conflict || c
	}
	for i := range l.Handles {
		c, err := b.conflicts(resourceOf(&l.Handles[i]), k.handles[i].writes)
		if err != nil {
			return err
		}
		conflict = conflict || c
	}
	var sets *boundSets
	if len(k.layouts) > 0 {
		if sets, err = b.sets(k, l.Bindings, l.Handles, &s.scratch); err != nil {
			return s.device.note(err)
		}
	}
	if conflict {
		b.barrier()
	}
	for i := range l.Bindings {
		b.touch(&l.Bindings[i].Memory.(*memory).resource, k.slots[i].writes)
	}
	for i := range l.Handles {
		b.touch(resourceOf(&l.Handles[i]), k.handles[i].writes)
	}
	vk := &s.device.vk
	if b.boundKernel != k {
		dl.Call3(vk.CmdBindPipeline, b.commands, bindPointCompute, uintptr(k.pipeline))
	}
	if sets != nil && (b.boundKernel != k || b.bound != sets) {
		dl.Call8(vk.CmdBindDescriptorSets, b.commands, bindPointCompute, uintptr(k.layout),
			0, uintptr(len(sets.sets)), uintptr(unsafe.Pointer(unsafe.SliceData(sets.sets))), 0, 0)
	}
	if k.immediates > 0 {
		dl.Call8(vk.CmdPushConstants, b.commands, uintptr(k.layout), stageCompute,
			0, uintptr(k.immediates), uintptr(unsafe.Pointer(unsafe.SliceData(l.Immediates))), 0, 0)
	}
	b.boundKernel, b.bound = k, sets
	dl.Call4(vk.CmdDispatch, b.commands, uintptr(l.Grid[0]), uintptr(l.Grid[1]), uintptr(l.Grid[2]))
	return s.recorded()
}

// launched returns the kernel of a launch that fits it.
func (s *stream) launched(l *driver.Launch) (*kernel, error) {
	k, ok := l.Kernel.(*kernel)
	if !ok || k.device != s.device {
		return nil, fmt.Errorf("vulkan: launch: %w: the kernel belongs to another device", driver.ErrUnsupported)
	}
	if err := s.checkLaunch(k, l); err != nil {
		return nil, fmt.Errorf("vulkan: launch kernel %s: %w", k.name, err)
	}
	return k, nil
}

// checkLaunch compares a launch with the kernel and the device's limits, which
// Vulkan does not check itself.
func (s *stream) checkLaunch(k *kernel, l *driver.Launch) error {
	d := s.device
	if err := l.Check(len(k.slots), len(k.handles), k.immediates, &d.info); err != nil {
		return err
	}
	for i := range l.Bindings {
		b := &l.Bindings[i]
		most := d.limits.maxStorageBufferRange
		if k.slots[i].kind == descriptorUniform {
			most = d.limits.maxUniformBufferRange
		}
		err := s.checkSlice(b)
		if err == nil {
			err = b.CheckBound(uint64(most), uint64(d.info.OffsetAlignment))
		}
		if err != nil {
			return fmt.Errorf("binding %d: %w", i, err)
		}
	}
	for i := range l.Handles {
		if err := s.checkHandle(&l.Handles[i], &k.handles[i].expected); err != nil {
			return err
		}
	}
	return nil
}

// checkHandle tells whether a texture or sampler of this device fits a kernel's
// variable.
func (s *stream) checkHandle(h *driver.Handle, expected *abi.Handle) error {
	if err := h.Fits(expected); err != nil {
		return err
	}
	if expected.Texture == nil {
		if o, ok := h.Sampler.(*sampler); !ok || o.device != s.device {
			return fmt.Errorf("%s: %w: the sampler belongs to another device", expected.Name, driver.ErrUnsupported)
		}
		return nil
	}
	m, err := s.imageOf(h.Texture)
	if err != nil {
		return fmt.Errorf("%s: %w", expected.Name, err)
	}
	use, what := uint32(imageSampled), "sampled"
	if expected.Texture.Shape.IsStorage() {
		use, what = imageStorage, "storage"
	}
	if m.usage&use == 0 {
		return fmt.Errorf("%s: %w: %s has no %s textures of %s like this one", expected.Name, driver.ErrUnsupported,
			s.device.info.Name, what, m.description.Format)
	}
	return nil
}

// imageOf returns a texture of this device.
func (s *stream) imageOf(t driver.Texture) (*image, error) {
	m, ok := t.(*image)
	if !ok || m.device != s.device {
		return nil, fmt.Errorf("%w: the texture belongs to another device", driver.ErrUnsupported)
	}
	return m, nil
}

// resourceOf returns what a checked handle refers to.
func resourceOf(h *driver.Handle) *resource {
	if m, ok := h.Texture.(*image); ok {
		return &m.resource
	}
	return &h.Sampler.(*sampler).resource
}

// checkSlice tells whether a slice lies within an allocation of this device.
func (s *stream) checkSlice(b *driver.Slice) error {
	m, ok := b.Memory.(*memory)
	if !ok || m.device != s.device {
		return fmt.Errorf("%w: the memory belongs to another device", driver.ErrUnsupported)
	}
	return b.CheckWithin(m.bytes)
}

// Copy records a copy between device slices.
func (s *stream) Copy(dst, src driver.Slice) error {
	if err := cmp.Or(s.checkSlice(&dst), s.checkSlice(&src), driver.CheckCopy(&dst, &src)); err != nil {
		return fmt.Errorf("vulkan: copy: %w", err)
	}
	from, to := src.Memory.(*memory), dst.Memory.(*memory)
	if dst.Bytes == 0 {
		return nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b, err := s.recording()
	if err != nil {
		return err
	}
	read, err := b.conflicts(&from.resource, false)
	if err != nil {
		return err
	}
	write, err := b.conflicts(&to.resource, true)
	if err != nil {
		return err
	}
	if read || write {
		b.barrier()
	}
	b.touch(&from.resource, false)
	b.touch(&to.resource, true)
	s.copies = bufferCopy{src.Offset, dst.Offset, dst.Bytes}
	s.copyBuffer(b, from.region.buffer, to.region.buffer)
	return s.recorded()
}

// copyBuffer records the copy that s.copies describes.
func (s *stream) copyBuffer(b *batch, from, to handle) {
	dl.Call5(s.device.vk.CmdCopyBuffer, b.commands, uintptr(from), uintptr(to), 1, uintptr(unsafe.Pointer(&s.copies)))
}

// Record submits what was recorded and returns the moment when it has finished.
func (s *stream) Record() (driver.Event, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b, err := s.recording()
	if err != nil {
		return nil, err
	}
	e := &event{device: s.device}
	b.timestamp(e)
	if err := s.submit(); err != nil {
		return nil, err
	}
	e.number = s.last
	return e, nil
}

// Await has nothing to enqueue: the event was submitted, and what comes later on the queue begins
// with a barrier.
func (s *stream) Await(e driver.Event) error {
	if o, ok := e.(*event); !ok || o.device != s.device {
		return fmt.Errorf("vulkan: event: %w: it belongs to another device", driver.ErrUnsupported)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return fmt.Errorf("vulkan: stream: %w", driver.ErrClosed)
	}
	return nil
}

// Wait submits what was recorded and waits until the stream is idle.
func (s *stream) Wait(ctx context.Context) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.wait(ctx)
}

// wait is Wait with the mutex held.
func (s *stream) wait(ctx context.Context) error {
	if s.closed {
		return fmt.Errorf("vulkan: stream: %w", driver.ErrClosed)
	}
	if err := s.submit(); err != nil {
		return err
	}
	return s.device.wait(ctx, s.last)
}

// Close submits what was recorded; it runs to its end.
func (s *stream) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return nil
	}
	err := s.submit()
	s.closed = true
	d := s.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	delete(d.streams, s)
	return err
}

// Drain submits what all streams have recorded, and waits for all work.
func (d *device) Drain() error {
	d.mutex.Lock()
	streams, closed := slices.Collect(maps.Keys(d.streams)), d.closed
	d.mutex.Unlock()
	if closed {
		return d.closedError()
	}
	var failure error
	for _, s := range streams {
		s.mutex.Lock()
		failure = cmp.Or(failure, s.submit())
		s.mutex.Unlock()
	}
	d.mutex.Lock()
	last := d.submitted
	d.mutex.Unlock()
	return cmp.Or(failure, d.wait(context.Background(), last))
}
