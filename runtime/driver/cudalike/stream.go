// Streams are those of the driver; work is passed to it at once.

package cudalike

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// stream is an ordered queue of work.
type stream struct {
	device *device
	handle uintptr
	order  uintptr // event by which freeStream waits for the stream
	idle   uintptr // event to block on
	seen   uint64  // fills up to this generation precede the stream's next work
	// how many writes of tracked memory it was given
	given     uint64
	finished  atomic.Uint64 // how many of these are known to have finished
	closed    atomic.Bool
	arguments arguments
	dependent dependentLaunch    // the last one
	matrices  []abi.TensorMatrix // of a launch with tensor maps
	addresses []uintptr          // for Enqueue, reused
	// recorded has what a recording has written before a launch in it. It is nil for a stream.
	recorded map[*memory]*contents
}

// NewStream makes a queue of work.
func (d *device) NewStream() (driver.Stream, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	s := &stream{device: d}
	err := d.check("create a stream", dl.Call(d.c.StreamCreate, uintptr(unsafe.Pointer(&s.handle)), streamNonBlocking))
	if err == nil {
		s.order, err = d.newEvent(eventWithoutTiming)
	}
	if err == nil {
		s.idle, err = d.newEvent(eventWithoutTiming | eventBlocking)
	}
	if err != nil {
		s.destroy()
		return nil, err
	}
	d.streams[s] = struct{}{}
	return s, nil
}

// destroy releases the driver's objects. The stream's work is done, or the driver lets it finish
// first.
func (s *stream) destroy() {
	c := s.device.c
	if s.handle != 0 {
		dl.Call(c.StreamDestroy, s.handle)
	}
	for _, event := range []uintptr{s.order, s.idle} {
		if event != 0 {
			dl.Call(c.EventDestroy, event)
		}
	}
}

// awaitBy orders the next work of another stream after the work so far; the device's mutex is held.
func (s *stream) awaitBy(other uintptr) error {
	d := s.device
	err := d.check("record an event", dl.Call2(d.c.EventRecord, s.order, s.handle))
	if err == nil {
		err = d.check("wait for an event", dl.Call3(d.c.StreamWait, other, s.order, 0))
	}
	return err
}

// begin enters the device for work on the stream.
func (s *stream) begin() error {
	if s.closed.Load() {
		return s.device.named(fmt.Errorf("stream: %w", driver.ErrClosed))
	}
	return s.device.enter()
}

// await orders the stream's next work after the zero-fill of a generation.
func (s *stream) await(generation uint64) error {
	if generation <= s.seen {
		return nil
	}
	d := s.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	s.seen = d.generation
	return d.check("wait for an event", dl.Call3(d.c.StreamWait, s.handle, d.filled, 0))
}

// Launch enqueues a dispatch.
func (s *stream) Launch(l *driver.Launch) error {
	k, err := s.launched(l)
	if err != nil {
		return s.device.named(err)
	}
	if l.IsEmpty() {
		return nil
	}
	k = s.tensored(k, l)
	f, err := s.variant(k, l)
	if err != nil {
		return s.device.named(fmt.Errorf("launch kernel %s: %w", k.name, err))
	}
	if len(k.handles) > 0 {
		if err := s.setTextures(k, f, l); err != nil {
			return s.device.named(fmt.Errorf("launch kernel %s: %w", k.name, err))
		}
		defer s.changed(k, l)
	}
	s.recordWrites(k, l.Bindings)
	// Making the context current costs as much as all the rest of our code. In CUDA a stream and a
	// function know their context: on a thread with another context or none, the driver refuses
	// them without effect. So the launch is tried first.
	if !s.device.c.api.LaunchesAnywhere || s.closed.Load() || s.device.lost() != nil || !s.settled(l) {
		return s.launchInContext(k, f, l)
	}
	runtime.LockOSThread()
	register := s.launch(k, f, l)
	runtime.UnlockOSThread()
	switch uint32(register) {
	case 0:
		return nil
	case codeInvalidContext, codeInvalidHandle:
		return s.launchInContext(k, f, l)
	}
	return s.device.check("launch kernel "+k.name, register)
}

// launched returns the kernel of a launch that fits it.
func (s *stream) launched(l *driver.Launch) (*kernel, error) {
	k, ok := l.Kernel.(*kernel)
	if !ok || k.device != s.device {
		return nil, fmt.Errorf("launch: %w: the kernel belongs to another device", driver.ErrUnsupported)
	}
	if err := s.checkLaunch(k, l); err != nil {
		return nil, fmt.Errorf("launch kernel %s: %w", k.name, err)
	}
	return k, nil
}

// launchInContext launches with the device's context made current.
func (s *stream) launchInContext(k *kernel, f *variant, l *driver.Launch) error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	for i := range l.Bindings {
		if err := s.await(l.Bindings[i].Memory.(*memory).generation); err != nil {
			return err
		}
	}
	for i := range l.Handles {
		if m, ok := l.Handles[i].Texture.(*image); ok {
			if err := s.await(m.generation); err != nil {
				return err
			}
		}
	}
	if register := s.launch(k, f, l); uint32(register) != 0 {
		return s.device.check("launch kernel "+k.name, register)
	}
	return nil
}

// variant chooses the variant of the kernel for a launch, and sets its arguments except textures.
// It prefers the one that takes uniform buffers by value, if their contents are known.
func (s *stream) variant(k *kernel, l *driver.Launch) (*variant, error) {
	if k.values.function != 0 && s.arguments.set(s, k, &k.values, l.Bindings, l.Immediates) {
		return &k.values, nil
	}
	f, err := k.addressed()
	if err == nil {
		s.arguments.set(s, k, f, l.Bindings, l.Immediates)
	}
	return f, err
}

// launch calls the driver with the arguments that were set and returns its
// answer.
func (s *stream) launch(k *kernel, f *variant, l *driver.Launch) uintptr {
	if f.dependent {
		register := dl.Call4(s.device.c.LaunchDependent, s.dependent.fill(s.handle, l.Grid, k.workgroup, k.shared),
			f.function, uintptr(unsafe.Pointer(&s.arguments.pointers[0])), 0)
		runtime.KeepAlive(s)
		return register
	}
	register := dl.Call11(s.device.c.Launch, f.function,
		uintptr(l.Grid[0]), uintptr(l.Grid[1]), uintptr(l.Grid[2]),
		uintptr(k.workgroup[0]), uintptr(k.workgroup[1]), uintptr(k.workgroup[2]),
		uintptr(k.shared), s.handle, uintptr(unsafe.Pointer(&s.arguments.pointers[0])), 0)
	runtime.KeepAlive(s)
	return register
}

// settled reports whether the memory of all bindings and textures was filled before the stream's
// work so far, so that there is nothing to wait for.
func (s *stream) settled(l *driver.Launch) bool {
	for i := range l.Bindings {
		if l.Bindings[i].Memory.(*memory).generation > s.seen {
			return false
		}
	}
	for i := range l.Handles {
		if m, ok := l.Handles[i].Texture.(*image); ok && m.generation > s.seen {
			return false
		}
	}
	return true
}

// checkLaunch compares a launch with the kernel and the device's limits.
func (s *stream) checkLaunch(k *kernel, l *driver.Launch) error {
	if k.closed.Load() {
		return fmt.Errorf("kernel: %w", driver.ErrClosed)
	}
	if err := l.Check(len(k.bindings), len(k.handles), k.immediates, &s.device.info); err != nil {
		return err
	}
	if err := s.checkHandles(k, l); err != nil {
		return err
	}
	items := s.device.c.api.MaxItems
	for i, n := range l.Grid {
		if items != 0 && uint64(n)*uint64(k.workgroup[i]) > items {
			return fmt.Errorf("%w: %d workgroups of %d invocations in a dimension, but %s takes at most %d invocations",
				driver.ErrUnsupported, n, k.workgroup[i], s.device.c.api.Title, items)
		}
	}
	for i := range l.Bindings {
		b := &l.Bindings[i]
		err := s.checkSlice(b)
		if err == nil {
			err = b.CheckBound(math.MaxUint64, offsetAlignment)
		}
		if err != nil {
			return fmt.Errorf("binding %d: %w", i, err)
		}
	}
	return nil
}

// checkSlice tells whether a slice lies within a live allocation of this device.
func (s *stream) checkSlice(b *driver.Slice) error {
	m, ok := b.Memory.(*memory)
	if !ok || m.device != s.device {
		return fmt.Errorf("%w: the memory belongs to another device", driver.ErrUnsupported)
	}
	if m.freed.Load() {
		return fmt.Errorf("buffer: %w", driver.ErrClosed)
	}
	return b.CheckWithin(m.bytes)
}

// address is where a slice begins.
func address(b *driver.Slice) uintptr { return uintptr(b.Memory.(*memory).address + b.Offset) }

// Copy enqueues a copy between device slices.
func (s *stream) Copy(dst, src driver.Slice) error {
	err := cmp.Or(s.checkSlice(&dst), s.checkSlice(&src), driver.CheckCopy(&dst, &src))
	if err != nil {
		return s.device.named(fmt.Errorf("copy: %w", err))
	}
	if dst.Bytes == 0 {
		return nil
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	for _, b := range []*driver.Slice{&dst, &src} {
		if err := s.await(b.Memory.(*memory).generation); err != nil {
			return err
		}
	}
	if c := dst.Memory.(*memory).contents; c != nil {
		c.write(s, &dst)
	}
	return s.device.check("copy", dl.Call4(s.device.c.CopyOnDevice, address(&dst), address(&src), uintptr(dst.Bytes), s.handle))
}

// Wait waits until the stream is idle.
func (s *stream) Wait(ctx context.Context) error {
	if s.closed.Load() {
		return s.device.named(fmt.Errorf("stream: %w", driver.ErrClosed))
	}
	given := s.given
	if err := s.device.wait(ctx, s.device.c.StreamQuery, s.handle, s.idle, s.handle); err != nil {
		return err
	}
	s.finish(given)
	return nil
}

// finish notes that a number of the writes that the stream was given have finished.
func (s *stream) finish(given uint64) {
	for {
		finished := s.finished.Load()
		if given <= finished || s.finished.CompareAndSwap(finished, given) {
			return
		}
	}
}

// Close ends the stream; its work still finishes.
func (s *stream) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	d := s.device
	if !d.c.api.StreamsFinish {
		return d.retire(func() { delete(d.streams, s) }, func() error {
			s.destroy()
			return nil
		})
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed || d.lost() != nil {
		return nil
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	// Later releases must still wait for this stream's work.
	err := s.awaitBy(d.freeStream)
	delete(d.streams, s)
	s.destroy()
	return err
}
