package metal

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// stream is an MTLCommandQueue. Commands are recorded in a command buffer, which is committed when
// there are enough, or when something waits for them. Dispatches of an encoder run one after the
// other (MTLDispatchTypeSerial), and command buffers of a queue in the order of their commits.
type stream struct {
	device *device
	queue  uintptr

	mutex     sync.Mutex
	closed    bool
	buffer    uintptr   // MTLCommandBuffer that commands go to, retained, or 0
	encoder   uintptr   // of the buffer, retained, or 0
	kind      encoding  // of the encoder
	commands  int       // in the buffer
	committed []uintptr // command buffers whose end is not known, retained
	failure   error     // of a command buffer, until a Wait

	sizes   sizes // of a dispatch
	lengths []uint32
}

// encoding is what an encoder encodes.
type encoding int

const (
	none encoding = iota
	compute
	copying
)

// Limits of command buffers. A queue blocks when 64 have not ended (MTLDevice, newCommandQueue).
const (
	// maxCommands are recorded before they are committed.
	maxCommands = 64
	maxBuffers  = 32 // are committed before those that ended are collected
)

// NewStream makes a queue.
func (d *device) NewStream() (driver.Stream, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	p := d.m.enter()
	defer p.leave()
	queue := d.m.send(d.candidate.device, d.m.s.NewCommandQueue)
	if queue == 0 {
		return nil, fmt.Errorf("metal: %w: no more command queues", driver.ErrOutOfMemory)
	}
	s := &stream{device: d, queue: queue}
	d.streams[s] = struct{}{}
	return s, nil
}

// begin locks an open stream.
func (s *stream) begin() error {
	s.mutex.Lock()
	if s.closed {
		s.mutex.Unlock()
		return fmt.Errorf("metal: stream: %w", driver.ErrClosed)
	}
	return nil
}

// open makes sure that there is a command buffer, with an encoder of a kind unless it is none. An
// autorelease pool must exist.
func (s *stream) open(kind encoding) error {
	m := s.device.m
	if s.buffer == 0 {
		if s.buffer = m.retain(dl.Call2(m.c.MsgSend, s.queue, m.s.CommandBuffer)); s.buffer == 0 {
			return fmt.Errorf("metal: %w: no command buffer", driver.ErrOutOfMemory)
		}
	}
	if s.kind == kind || kind == none {
		return nil
	}
	s.endEncoder()
	selector := m.s.ComputeCommandEncoder
	if kind == copying {
		selector = m.s.BlitCommandEncoder
	}
	if s.encoder = m.retain(dl.Call2(m.c.MsgSend, s.buffer, selector)); s.encoder == 0 {
		return fmt.Errorf("metal: %w: no encoder", driver.ErrOutOfMemory)
	}
	s.kind = kind
	return nil
}

func (s *stream) endEncoder() {
	if s.encoder != 0 {
		m := s.device.m
		dl.Call2(m.c.MsgSend, s.encoder, m.s.EndEncoding)
		m.release(s.encoder)
	}
	s.encoder, s.kind = 0, none
}

// commit passes the commands to the device. An autorelease pool must exist.
func (s *stream) commit() {
	if s.buffer == 0 {
		return
	}
	m := s.device.m
	s.endEncoder()
	dl.Call2(m.c.MsgSend, s.buffer, m.s.Commit)
	if len(s.committed) >= maxBuffers {
		s.collect()
	}
	s.committed = append(s.committed, s.buffer)
	s.buffer, s.commands = 0, 0
}

// collect releases the command buffers that have ended, and keeps the first error.
func (s *stream) collect() {
	m := s.device.m
	n := 0
	for ; n < len(s.committed); n++ {
		done, err := m.done(s.committed[n])
		if !done {
			break
		}
		if s.failure == nil {
			s.failure = err
		}
		m.release(s.committed[n])
	}
	s.committed = append(s.committed[:0], s.committed[n:]...)
}

// counted counts a command, and commits when there are enough.
func (s *stream) counted() {
	if s.commands++; s.commands >= maxCommands {
		s.commit()
	}
}

// Launch enqueues a dispatch.
func (s *stream) Launch(l *driver.Launch) error {
	k, ok := l.Kernel.(*kernel)
	if !ok || k.device != s.device {
		return fmt.Errorf("metal: launch: %w: the kernel belongs to another device", driver.ErrUnsupported)
	}
	if err := s.checkLaunch(k, l); err != nil {
		return fmt.Errorf("metal: launch kernel %s: %w", k.name, err)
	}
	if l.IsEmpty() {
		return nil
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.mutex.Unlock()
	p := s.device.m.enter()
	defer p.leave()
	if err := s.open(compute); err != nil {
		return err
	}
	if err := s.encode(k, l); err != nil {
		return err
	}
	s.counted()
	return nil
}

// encode encodes a dispatch. Buffers have the indices of the description's bindings; the immediates
// and the table of lengths follow.
func (s *stream) encode(k *kernel, l *driver.Launch) error {
	m, c := s.device.m, s.device.m.c.MsgSend
	dl.Call3(c, s.encoder, m.s.SetComputePipelineState, k.handle)
	for n := range l.Bindings {
		b := &l.Bindings[n]
		of := b.Memory.(*memory)
		dl.Call5(c, s.encoder, m.s.SetBuffer, of.handle, uintptr(of.base+b.Offset), uintptr(n))
	}
	if k.immediates > 0 {
		dl.Call5(c, s.encoder, m.s.SetBytes, uintptr(unsafe.Pointer(&l.Immediates[0])), uintptr(k.immediates), uintptr(len(l.Bindings)))
	}
	if k.lengths != nil {
		s.lengths = s.lengths[:0]
		for _, n := range k.lengths.Bindings {
			s.lengths = append(s.lengths, k.bindings[n].Length(l.Bindings[n].Bytes))
		}
		dl.Call5(c, s.encoder, m.s.SetBytes, uintptr(unsafe.Pointer(&s.lengths[0])), uintptr(4*len(s.lengths)), uintptr(k.lengths.Buffer))
	}
	if k.shared > 0 {
		dl.Call4(c, s.encoder, m.s.SetThreadgroupMemory, uintptr(k.shared), 0)
	}
	for n := range 3 {
		s.sizes[n], s.sizes[3+n] = uintptr(l.Grid[n]), uintptr(k.workgroup[n])
	}
	if err := s.encodeHandles(k, l); err != nil {
		return err
	}
	m.dispatch(s.encoder, &s.sizes)
	return nil
}

// checkLaunch compares a launch with the kernel and the device's limits.
func (s *stream) checkLaunch(k *kernel, l *driver.Launch) error {
	if k.freed.Load() {
		return fmt.Errorf("kernel: %w", driver.ErrClosed)
	}
	if err := l.Check(len(k.bindings), len(k.handles), k.immediates, &s.device.info); err != nil {
		return err
	}
	for n := range k.handles {
		if err := s.checkHandle(&l.Handles[n], &k.handles[n]); err != nil {
			return err
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
	switch {
	case !ok || m.device != s.device:
		return fmt.Errorf("%w: the memory belongs to another device", driver.ErrUnsupported)
	case m.freed.Load():
		return fmt.Errorf("buffer: %w", driver.ErrClosed)
	}
	return b.CheckWithin(m.bytes)
}

// host views the bytes of a slice, which the processor shares.
func host(b *driver.Slice) []byte {
	return dl.Bytes(b.Memory.(*memory).contents+uintptr(b.Offset), int(b.Bytes))
}

// Write copies host bytes at once if the stream is idle, and otherwise through a temporary buffer,
// in the order of the commands.
func (s *stream) Write(dst driver.Slice, src []byte) error {
	if err := cmp.Or(s.checkSlice(&dst), dst.CheckHost(src)); err != nil {
		return fmt.Errorf("metal: write: %w", err)
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.mutex.Unlock()
	if len(src) == 0 {
		return nil
	}
	if len(src)%4 != 0 {
		return s.move(host(&dst), src)
	}
	m := s.device.m
	p := m.enter()
	defer p.leave()
	if s.collect(); s.buffer == 0 && len(s.committed) == 0 {
		driver.Copy(host(&dst), src)
		return nil
	}
	staging := dl.Call(m.c.MsgSend, s.device.candidate.device, m.s.NewBufferWithBytes, uintptr(dl.First(src)), uintptr(len(src)), resourceOptions)
	if staging == 0 {
		return fmt.Errorf("metal: write: %w", driver.ErrOutOfMemory)
	}
	defer m.release(staging) // the command buffer retains it
	to := dst.Memory.(*memory)
	return s.copy(to.handle, to.base+dst.Offset, staging, 0, dst.Bytes)
}

// copy enqueues a copy between buffers.
func (s *stream) copy(to uintptr, toOffset uint64, from uintptr, fromOffset, bytes uint64) error {
	if err := s.open(copying); err != nil {
		return err
	}
	m := s.device.m
	dl.Call8(m.c.MsgSend, s.encoder, m.s.CopyFromBuffer, from, uintptr(fromOffset), to, uintptr(toOffset), uintptr(bytes), 0)
	s.counted()
	return nil
}

// move waits for the work so far and lets the processor copy: macOS copies whole words between
// buffers only (MTLBlitCommandEncoder, copyFromBuffer).
func (s *stream) move(to, from []byte) error {
	if err := s.finish(context.Background()); err != nil {
		return err
	}
	driver.Copy(to, from)
	return nil
}

// Copy enqueues a copy between device slices.
func (s *stream) Copy(dst, src driver.Slice) error {
	if err := cmp.Or(s.checkSlice(&dst), s.checkSlice(&src), driver.CheckCopy(&dst, &src)); err != nil {
		return fmt.Errorf("metal: copy: %w", err)
	}
	return s.copySlice(&dst, &src)
}

// copySlice enqueues a copy between slices that were checked.
func (s *stream) copySlice(dst, src *driver.Slice) error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.mutex.Unlock()
	if dst.Bytes == 0 {
		return nil
	}
	if (dst.Bytes|dst.Offset|src.Offset)%4 != 0 {
		return s.move(host(dst), host(src))
	}
	p := s.device.m.enter()
	defer p.leave()
	to, from := dst.Memory.(*memory), src.Memory.(*memory)
	return s.copy(to.handle, to.base+dst.Offset, from.handle, from.base+src.Offset, dst.Bytes)
}

// Read waits for the work so far and copies what it left.
func (s *stream) Read(dst []byte, src driver.Slice) error {
	if err := cmp.Or(s.checkSlice(&src), src.CheckHost(dst)); err != nil {
		return fmt.Errorf("metal: read: %w", err)
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.mutex.Unlock()
	if err := s.finish(context.Background()); err != nil {
		return err
	}
	driver.Copy(dst, host(&src))
	return nil
}

// Wait waits until the stream is idle.
func (s *stream) Wait(ctx context.Context) error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.mutex.Unlock()
	return s.finish(ctx)
}

// finish commits, waits and returns the first error of what was committed since the last time.
func (s *stream) finish(ctx context.Context) error {
	m := s.device.m
	p := m.enter()
	s.commit()
	p.leave()
	if n := len(s.committed); n > 0 {
		if err := m.await(ctx, s.committed[n-1]); err != nil {
			return err
		}
		p := m.enter()
		s.collect()
		p.leave()
	}
	err := s.failure
	s.failure = nil
	return err
}

// end waits for the work and gives the queue back.
func (s *stream) end() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.finish(context.Background())
	p := s.device.m.enter()
	s.device.m.release(s.queue)
	p.leave()
	return err
}

// Close ends the stream. Its work is committed and finishes, with nobody waiting for it.
func (s *stream) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	m := s.device.m
	p := m.enter()
	s.commit()
	s.collect()
	d := s.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	delete(d.streams, s)
	d.orphans = slices.DeleteFunc(d.orphans, func(buffer uintptr) bool {
		done, _ := m.done(buffer)
		if done {
			m.release(buffer)
		}
		return done
	})
	for n, buffer := range s.committed {
		if n == len(s.committed)-1 {
			d.orphans = append(d.orphans, buffer)
		} else {
			m.release(buffer)
		}
	}
	s.committed = nil
	m.release(s.queue)
	p.leave()
	return nil
}
