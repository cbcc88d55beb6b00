// Streams: each has a goroutine that executes jobs in order. Launches, copies, events and small
// writes are jobs. Other host transfers wait for the jobs before them and copy at once, since
// device memory is host memory.

package cpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/runtime/driver"
)

// jobsInFlight limits how many jobs are queued.
const jobsInFlight = 64

// smallWrite is the largest write that is a job, in bytes; the job keeps the room for it.
const smallWrite = 4096

// job is a piece of work: a launch if it has a kernel, an event or a wait for one if it has one, or
// a copy. One with a stamp notes the time. Without bytes to copy it zeroes dst. Jobs are reused.
type job struct {
	kernel   *kernel
	launch   interp.Launch
	dst, src []byte
	own      []byte // what a small write writes
	event    *event
	await    *event
	meeting  *meeting      // of a copy between devices; the stream that has src copies
	stamp    *atomic.Int64 // see stamps
}

// stream is an ordered queue of work.
type stream struct {
	device *Device
	jobs   chan *job
	spare  chan *job
	served chan struct{} // closed when all jobs are done and no more can come
	// context ends when the stream is closed after its work was abandoned.
	context context.Context
	cancel  context.CancelFunc

	mutex     sync.Mutex
	pending   int
	idles     uint64        // how often nothing was pending after work
	isIdle    sync.Cond     // signalled then, for waits without an end
	idle      chan struct{} // closed then, for others; nil if there are none
	err       error         // of finished work, for the next Wait
	abandoned bool          // the last call was a Wait whose context ended
	closed    bool
}

// NewStream starts a stream.
func (d *Device) NewStream() (driver.Stream, error) {
	s := &stream{device: d, jobs: make(chan *job, jobsInFlight), spare: make(chan *job, jobsInFlight), served: make(chan struct{})}
	s.isIdle.L = &s.mutex
	s.context, s.cancel = context.WithCancel(context.Background())
	for range jobsInFlight {
		s.spare <- new(job)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, fmt.Errorf("cpu: stream: %w", driver.ErrClosed)
	}
	d.streams[s] = struct{}{}
	go s.serve()
	return s, nil
}

// serve executes jobs until the stream is closed.
func (s *stream) serve() {
	defer close(s.served)
	for j := range s.jobs {
		err := s.execute(j)
		s.giveBack(j)
		s.mutex.Lock()
		if err != nil {
			s.err = errors.Join(s.err, err)
		}
		if s.pending--; s.pending == 0 {
			s.idles++
			s.isIdle.Broadcast()
			if s.idle != nil {
				close(s.idle)
				s.idle = nil
			}
		}
		s.mutex.Unlock()
	}
}

// giveBack clears a job, except for the capacity of its slices, for reuse.
func (s *stream) giveBack(j *job) {
	*j = job{launch: interp.Launch{Buffers: j.launch.Buffers[:0], Handles: j.launch.Handles[:0], Immediates: j.launch.Immediates[:0]}, own: j.own[:0]}
	clear(j.launch.Buffers[:cap(j.launch.Buffers)])
	clear(j.launch.Handles[:cap(j.launch.Handles)])
	s.spare <- j
}

func (s *stream) execute(j *job) (err error) {
	defer diag.RecoverError(&err, "executing a job on the CPU")
	switch {
	case j.event != nil:
		j.event.at = time.Now()
		close(j.event.done)
	case j.stamp != nil:
		j.stamp.Store(int64(time.Since(s.device.opened)))
	case j.await != nil:
		select {
		case <-j.await.done:
		case <-s.context.Done():
		}
	case j.meeting != nil && j.src != nil:
		s.give(j)
	case j.meeting != nil:
		s.get(j)
	case j.kernel != nil:
		found, err := j.kernel.run(&j.launch)
		if err != nil {
			if s.context.Err() != nil {
				err = driver.ErrClosed
			}
			return fmt.Errorf("cpu: launch kernel %s: %w", j.kernel.program.Name(), err)
		}
		if len(found) > 0 {
			return &Report{j.kernel.program.Name(), found, j.kernel.sources}
		}
	case j.src == nil:
		driver.Clear(j.dst)
	default:
		driver.Copy(j.dst, j.src)
	}
	return nil
}

// take returns a spare job, waiting for one if the queue is full.
func (s *stream) take() (*job, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	return <-s.spare, nil
}

// open begins a call.
func (s *stream) open() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return fmt.Errorf("cpu: stream: %w", driver.ErrClosed)
	}
	s.abandoned = false // the work is wanted again
	return nil
}

// submit queues a job. The queue has room for every job there is.
func (s *stream) submit(j *job) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return fmt.Errorf("cpu: stream: %w", driver.ErrClosed)
	}
	s.pending++
	s.jobs <- j
	return nil
}

// Launch queues a dispatch.
func (s *stream) Launch(l *driver.Launch) error {
	k, ok := l.Kernel.(*kernel)
	if !ok || k.device != s.device {
		return fmt.Errorf("cpu: launch: %w: the kernel belongs to another device", driver.ErrUnsupported)
	}
	name := k.program.Name()
	if k.closed.Load() {
		return fmt.Errorf("cpu: kernel %s: %w", name, driver.ErrClosed)
	}
	if err := l.Check(k.given[0], k.given[1], k.immediates, &s.device.info); err != nil {
		return fmt.Errorf("cpu: launch kernel %s: %w", name, err)
	}
	j, err := s.take()
	if err != nil {
		return err
	}
	for _, i := range k.bindings {
		bytes, err := s.device.part(&l.Bindings[i])
		if err == nil && len(bytes) == 0 {
			err = fmt.Errorf("%w: it is empty", driver.ErrUnsupported)
		}
		if err != nil {
			s.giveBack(j)
			return fmt.Errorf("cpu: launch kernel %s: binding %d: %w", name, i, err)
		}
		j.launch.Buffers = append(j.launch.Buffers, bytes)
	}
	handles := k.program.Handles()
	for n, i := range k.handles {
		bound, err := s.device.handle(&l.Handles[i])
		if err == nil {
			if err = handles[n].Check(&bound); err != nil {
				err = fmt.Errorf("%w: %w", driver.ErrUnsupported, err)
			}
		}
		if err != nil {
			s.giveBack(j)
			return fmt.Errorf("cpu: launch kernel %s: %s: %w", name, handles[n].Name, err)
		}
		j.launch.Handles = append(j.launch.Handles, bound)
	}
	j.kernel = k
	j.launch.Grid = l.Grid
	if k.program.Immediates() > 0 {
		j.launch.Immediates = append(j.launch.Immediates, l.Immediates...)
	}
	j.launch.SubgroupSize = s.device.driver.SubgroupSize
	j.launch.Fuel = s.device.driver.Fuel
	j.launch.Checked = s.device.info.Index == Checked
	j.launch.Context = s.context
	if f := s.device.progress.Load(); f != nil {
		j.launch.Progress = *f
	}
	return s.submit(j)
}

// Write copies host bytes to device memory after the work so far.
func (s *stream) Write(dst driver.Slice, src []byte) error {
	if uint64(len(src)) == dst.Bytes && len(src) <= smallWrite {
		return s.writeLater(&dst, src)
	}
	to, err := s.ready(&dst, src)
	if err != nil {
		return fmt.Errorf("cpu: write: %w", err)
	}
	driver.Copy(to, src)
	return nil
}

// writeLater queues a write of bytes that it copies.
func (s *stream) writeLater(dst *driver.Slice, src []byte) error {
	to, err := s.device.part(dst)
	if err != nil {
		return fmt.Errorf("cpu: write: %w", err)
	}
	j, err := s.take()
	if err != nil {
		return err
	}
	j.own = append(j.own, src...)
	j.dst, j.src = to, j.own
	return s.submit(j)
}

// Read copies device memory to host bytes after the work so far.
func (s *stream) Read(dst []byte, src driver.Slice) error {
	from, err := s.ready(&src, dst)
	if err != nil {
		return fmt.Errorf("cpu: read: %w", err)
	}
	driver.Copy(dst, from)
	return nil
}

// ready returns the bytes of a slice once the stream is idle. Errors of earlier
// work stay for Wait.
func (s *stream) ready(part *driver.Slice, host []byte) ([]byte, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	memory, err := s.device.part(part)
	if err := cmp.Or(err, part.CheckHost(host)); err != nil {
		return nil, err
	}
	return memory, s.drain(context.Background())
}

// Copy queues a copy between device slices.
func (s *stream) Copy(dst, src driver.Slice) error {
	to, err := s.device.part(&dst)
	from, failure := s.device.part(&src)
	if err := cmp.Or(err, failure, driver.CheckCopy(&dst, &src)); err != nil {
		return fmt.Errorf("cpu: copy: %w", err)
	}
	j, err := s.take()
	if err != nil {
		return err
	}
	j.dst, j.src = to, from
	return s.submit(j)
}

// Reuse does nothing: a stream runs one call after the other.
func (s *stream) Reuse(driver.Memory) error { return nil }

// Clear queues zeros.
func (s *stream) Clear(m driver.Memory) error {
	to, err := s.device.part(&driver.Slice{Memory: m, Bytes: m.Bytes()})
	if err != nil {
		return fmt.Errorf("cpu: clear: %w", err)
	}
	j, err := s.take()
	if err != nil {
		return err
	}
	j.dst = to
	return s.submit(j)
}

// Wait blocks until the stream is idle or ctx ends, and returns the errors of
// the work since the last Wait.
func (s *stream) Wait(ctx context.Context) error {
	if err := s.open(); err != nil {
		return err
	}
	if err := s.drain(ctx); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	err := s.err
	s.err = nil
	return err
}

// drain waits until nothing is pending.
func (s *stream) drain(ctx context.Context) error {
	s.mutex.Lock()
	if s.pending == 0 {
		s.mutex.Unlock()
		return nil
	}
	if ctx.Done() == nil {
		defer s.mutex.Unlock()
		for before := s.idles; s.idles == before; {
			s.isIdle.Wait()
		}
		return nil
	}
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	idle := s.idle
	s.mutex.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		s.mutex.Lock()
		s.abandoned = true
		s.mutex.Unlock()
		return ctx.Err()
	}
}

// Close waits for the stream's work and ends it. Abandoned work is stopped instead, and its errors
// are dropped.
func (s *stream) Close() error {
	if !s.end() {
		return nil
	}
	<-s.served
	s.device.mutex.Lock()
	delete(s.device.streams, s)
	s.device.mutex.Unlock()
	if s.context.Err() != nil {
		return nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.cancel()
	return s.err
}

// end closes the queue, unless it is closed already. Jobs in it are still executed, or dropped if
// the work was abandoned.
func (s *stream) end() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return false
	}
	if s.abandoned {
		s.cancel()
	}
	s.closed = true
	close(s.jobs)
	return true
}

// event is a moment in a stream's work.
type event struct {
	device *Device
	done   chan struct{} // closed at the moment
	at     time.Time
}

// Record queues an event.
func (s *stream) Record() (driver.Event, error) {
	j, err := s.take()
	if err != nil {
		return nil, err
	}
	e := &event{device: s.device, done: make(chan struct{})}
	j.event = e
	return e, s.submit(j)
}

// Await queues a wait for an event, also of another device.
func (s *stream) Await(e driver.Event) error {
	awaited, ok := e.(*event)
	if !ok {
		return fmt.Errorf("cpu: %w: the event belongs to another driver", driver.ErrUnsupported)
	}
	j, err := s.take()
	if err != nil {
		return err
	}
	j.await = awaited
	return s.submit(j)
}

// Done reports whether the moment has passed.
func (e *event) Done() (bool, error) {
	select {
	case <-e.done:
		return true, nil
	default:
		return false, nil
	}
}

// Wait blocks until the moment has passed or ctx ends.
func (e *event) Wait(ctx context.Context) error {
	select {
	case <-e.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Since returns the time between two events.
func (e *event) Since(earlier driver.Event) (time.Duration, error) {
	other, ok := earlier.(*event)
	if !ok {
		return 0, fmt.Errorf("cpu: %w: the event belongs to another driver", driver.ErrUnsupported)
	}
	for _, x := range []*event{e, other} {
		if done, _ := x.Done(); !done {
			return 0, fmt.Errorf("cpu: %w: an event has not passed yet", driver.ErrUnsupported)
		}
	}
	return e.at.Sub(other.at), nil
}

// Close does nothing; the collector takes events.
func (*event) Close() error { return nil }
