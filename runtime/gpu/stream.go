// Streams and events.

package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Stream is an ordered queue of work for a device. Device.NewStream makes it. Calls on one stream
// from several goroutines wait for each other, also for a Wait; goroutines that should not wait use
// their own streams. Nothing orders the work of two streams but After, or a Wait, on the one stream
// or an event, before the other is used.
type Stream struct {
	device   *Device
	lifetime *lifetime
	recorder atomic.Pointer[recorder] // of the capture that the stream is in, or nil
	number   uint64                   // its order among streams, for calls on two

	mutex sync.Mutex
	work
	outside work          // the stream's own work during a capture
	launch  driver.Launch // reused
	// immediates are those of the last launch of a large-launch variant, parts its bindings if it
	// has own tables, and values what decides whether it is launched.
	immediates []byte
	parts      []driver.Slice
	values     abi.LaunchValues
	lints      error              // warnings that a read met
	replayed   []*recordedReports // of recordings that were replayed since the last wait
	foreign    []driver.Slice     // for Enqueue, reused
	expected   Work               // of the next launch
	last       string             // name of the kernel that was launched last, "" if there is none
	abandoned  bool               // the last call was a wait that its context ended
	times      *streamTimes       // of profiles; nil before the first
}

// streamNumbers counts streams.
var streamNumbers atomic.Uint64

// work is where calls on a stream go, and what is kept for them: the stream's own, or that of a
// capture.
type work struct {
	stream   driver.Stream
	progress *progress // counts a call when it ends, and work after a wait as another
	*reports
	scratch scratchMemory
	// embedded is what is kept for launches of embedded kernels.
	embedded map[*Embedded]*prepared
}

// Device returns the device that made the stream, or nil for a nil or zero Stream.
func (s *Stream) Device() *Device {
	if s == nil {
		return nil
	}
	return s.device
}

// enter begins a call on the stream; leave ends it.
func (s *Stream) enter() error {
	if !s.valid() {
		return invalid("stream", streamMaker)
	}
	s.mutex.Lock()
	if err := s.device.enter(); err != nil {
		s.mutex.Unlock()
		return err
	}
	if s.lifetime.closed.Load() {
		s.leave()
		return fmt.Errorf("stream: %w", ErrClosed)
	}
	if s.abandoned {
		s.wanted()
	}
	if r := s.recorder.Load(); r != nil {
		r.touched = r.touched[:0]
	}
	return nil
}

func (s *Stream) leave() {
	s.progress.given.Add(1)
	s.device.leave()
	s.mutex.Unlock()
}

// Launch enqueues the kernel of args over a grid of workgroups or items, and returns at once;
// errors of the run come from a later Wait. A grid whose X is 0 is checked and runs nothing; 0 in Y
// or Z is ErrShape. Missing arguments are ErrShape, overlapping ones ErrAlias, and a grid that is
// too large ErrLimit.
func (s *Stream) Launch(args *Args, grid Grid) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if !args.valid() {
		return invalid("launch a kernel: arguments", argsMaker)
	}
	args.mutex.Lock()
	defer args.mutex.Unlock()
	return s.launchArgs(args, grid)
}

// launchArgs launches while the stream's mutex and that of the arguments are held.
func (s *Stream) launchArgs(args *Args, grid Grid) error {
	if err := s.launchLocked(args, grid); err != nil {
		return fmt.Errorf("launch kernel %s: %w", args.kernel.description.Name, err)
	}
	return nil
}

func (s *Stream) launchLocked(args *Args, grid Grid) (err error) {
	k := args.kernel
	if k.device != s.device {
		return fmt.Errorf("%w: the kernel belongs to another device than the stream", ErrShape)
	}
	groups, err := k.workgroups(grid)
	if err != nil {
		return err
	}
	most := s.device.info.MaxGrid
	if groups[0] > most[0] || groups[1] > most[1] || groups[2] > most[2] {
		return fmt.Errorf("%w: a grid of %d x %d x %d workgroups, but %s takes at most %d x %d x %d",
			ErrLimit, groups[0], groups[1], groups[2], s.device.info.ID(), most[0], most[1], most[2])
	}
	if err := args.check(); err != nil {
		return err
	}
	var record *faultRecord
	if k.sites != nil {
		if record, err = s.faultRecordFor(k.sites); err != nil {
			return err
		}
		record.memory.note(s)
		args.parts[k.record] = record.part()
	}
	var messages *messageBuffer
	if k.printer != nil {
		if messages, err = s.messageBufferFor(k.printer); err != nil {
			return err
		}
		messages.memory.note(s)
		args.parts[k.messages] = messages.part()
	}
	if k.scratch >= 0 {
		if args.parts[k.scratch], err = s.scratchFor(k, groups); err != nil {
			return err
		}
	}
	if !k.lifetime.use() {
		return fmt.Errorf("kernel: %w", ErrClosed)
	}
	used := 0
	for used < len(args.memory) && args.buffers[used].open() && args.memory[used].use() {
		used++
	}
	if used == len(args.memory) {
		for _, memory := range args.memory {
			memory.note(s)
		}
		if k.tables != nil {
			k.tables.note(s)
		}
		err = s.launchUsed(args, groups, grid.extent())
		runs := err == nil && s.recorder.Load() == nil
		if record != nil && runs {
			record.pending = true
		}
		if messages != nil && runs {
			messages.pending = true
		}
	} else {
		err = fmt.Errorf("binding %d (%s): buffer: %w", used, k.arguments[used].Name, ErrClosed)
	}
	for _, memory := range args.memory[:used] {
		if failure := memory.done(); err == nil {
			err = failure
		}
	}
	if failure := k.lifetime.done(); err == nil {
		err = failure
	}
	return err
}

// launchUsed launches a kernel whose buffers are in use.
func (s *Stream) launchUsed(args *Args, grid, extent [3]uint32) error {
	used, err := args.useHandles()
	args.kernel.description.PutExtent(args.immediates, grid, extent)
	if err == nil {
		s.launch = driver.Launch{
			Kernel: args.kernel.kernel, Bindings: args.parts, Handles: args.bound,
			Immediates: args.immediates, Grid: grid,
		}
		s.coarsen(args.kernel.coarse, &s.launch, extent)
		if r := s.recorder.Load(); r != nil {
			r.args = args // which it keeps open
			err = s.enqueueLaunch()
		} else if p := profiling.Load(); p != nil {
			err = s.launchProfiled(p, args)
		} else {
			err = s.enqueueLaunch()
		}
		s.last = args.kernel.description.Name
	}
	if failure := args.doneHandles(used); err == nil {
		err = failure
	}
	return err
}

// Run launches a kernel with buffers for all its bindings in order. It lays the arguments out anew
// each time, which Launch does not. Kernels with textures need Launch. Errors are those of Args.Set
// and Launch.
func (s *Stream) Run(k *Kernel, grid Grid, buffers ...Bound) error {
	if !k.valid() {
		return invalid("launch a kernel", kernelMaker)
	}
	if len(buffers) != len(k.arguments) {
		return fmt.Errorf("launch kernel %s: %w: %d buffers for %d bindings", k.description.Name, ErrShape, len(buffers), len(k.arguments))
	}
	args := k.Args()
	for i, b := range buffers {
		if err := args.Set(i, b); err != nil {
			return err
		}
	}
	return s.Launch(args, grid)
}

// with runs a driver call that uses a buffer.
func (s *Stream) with(what string, buffer Bound, call func() error) error {
	if !buffer.valid() {
		return invalid(what, bufferMaker)
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	memory, _, _ := buffer.bound()
	if memory.device != s.device {
		return fmt.Errorf("%s: %w: the buffer belongs to another device than the stream", what, ErrShape)
	}
	if !buffer.open() || !memory.use() {
		return fmt.Errorf("%s: %w", what, ErrClosed)
	}
	memory.note(s)
	err := call()
	if failure := memory.done(); err == nil {
		err = failure
	}
	return err
}

// Record enqueues an event: the moment when the work so far has finished. Event.Close releases it.
func (s *Stream) Record() (*Event, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	return s.event(s.progress.given.Load())
}

// event enqueues an event that a number of calls precede. The stream's mutex is held.
func (s *Stream) event(number uint64) (*Event, error) {
	event, err := s.stream.Record()
	if err != nil {
		return nil, err
	}
	e := &Event{device: s.device, event: event, lifetime: new(lifetime), stream: s.progress, number: number}
	e.lifetime.open(s.device.orphans, freeing(s.device, event.Close))
	return e, nil
}

// After has the stream's later work begin after an event, of any stream of any device. It does not
// wait itself if the device can, which Metal's cannot, and no device for those of other drivers. If
// the event is of a capture, the stream joins it: see Stream.Capture.
func (s *Stream) After(e *Event) error {
	if err := e.use(); err != nil {
		return err
	}
	defer e.done()
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if captured, ok := e.event.(*capturedEvent); ok {
		if e.device != s.device {
			return fmt.Errorf("wait for an event: %w: it is of a capture on another device than the stream's", ErrShape)
		}
		return captured.join(s)
	}
	if e.device != s.device && s.recorder.Load() == nil {
		path, err := e.device.path(s.device)
		if err != nil {
			return err
		}
		if path == HostPath {
			return e.event.Wait(context.Background())
		}
	}
	return s.await(e.event)
}

// await has the stream's later work wait for an event that is none of a capture. The stream's mutex
// is held.
func (s *Stream) await(e driver.Event) error {
	if r := s.recorder.Load(); r != nil {
		return r.refuse(outsideEvent)
	}
	if awaiter, ok := s.stream.(driver.Awaiter); ok {
		return awaiter.Await(e)
	}
	return e.Wait(context.Background())
}

// Wait blocks until the stream's work has finished or ctx ends; work is not cancelled then. It
// returns the error of the work, if any: a *KernelError is a fault of a kernel compiled with
// -bounds=trap, or a failed assertion. If ctx has ended it returns the context's error, even if
// there is nothing to wait for.
//
// Closing the stream or the device right after a Wait whose context ended abandons the work. The
// CPU device stops it then, which ends kernels that run too long. GPUs finish what they have begun:
// the stream is closed at once, and closing the device returns an error if the work goes on. Its
// memory is freed when the work ends. Other devices can be used meanwhile. On CUDA so can other
// streams.
func (s *Stream) Wait(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	_, err := s.wait(ctx, "Stream.Wait")
	err = join(s.lints, err)
	s.lints = nil
	return err
}

// settle waits before results are read, and returns the error of the work. Warnings stay for Wait,
// the first if there are several. The stream's mutex is held.
func (s *Stream) settle(ctx context.Context, what string) (done bool, err error) {
	done, err = s.wait(ctx, what)
	if done && err != nil && !failed(err) {
		s.lints, err = cmp.Or(s.lints, err), nil
	}
	return done, err
}

// failed reports whether an error is more than warnings of the checked interpreter.
func failed(err error) bool {
	switch err := err.(type) {
	case interface{ Failed() bool }:
		return err.Failed()
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(), failed)
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			return failed(inner)
		}
	}
	return true
}

// wait is Wait, called for a call of that name. done says that the work has finished, with or
// without an error; otherwise there are no results to read. The stream's mutex is held.
func (s *Stream) wait(ctx context.Context, what string) (done bool, err error) {
	if r := s.recorder.Load(); r != nil {
		return false, r.refuse(what + waits)
	}
	ended := ctx.Err() // streams that are idle need not look
	if p := profiling.Load(); p != nil {
		err = s.waitProfiled(ctx, p, what)
	} else {
		err = s.stream.Wait(ctx)
	}
	if err == nil {
		s.device.pool.finished(s.progress, s.progress.given.Add(1))
		err = ended
	}
	switch {
	case err == nil:
	case errors.Is(err, ErrDeviceLost):
		return false, err // the records are no longer there
	case ctx.Err() != nil: // the records are not there yet
		if errors.Is(err, ctx.Err()) {
			err = s.givenUp(err)
		}
		return false, err
	}
	return true, join(err, s.readReports())
}

// join is errors.Join, but returns a single error as it is.
func join(first, second error) error {
	if first == nil || second == nil {
		return cmp.Or(first, second)
	}
	return errors.Join(first, second)
}

// Close ends the stream. Its work finishes, unless it is abandoned (see Wait). Faults that no Wait
// or Read has reported are lost. Closing twice is no error.
func (s *Stream) Close() error {
	if !s.valid() {
		return invalid("close a stream", streamMaker)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.device.closing(func() error {
		if r := s.recorder.Load(); r != nil {
			r.restore()
		}
		if s.abandoned {
			s.closeAbandoned()
		}
		s.replayed = nil
		s.times.end()
		s.work.close()
		s.progress.given.Add(1)
		return s.lifetime.close()
	})
}

// close frees what is kept.
func (w *work) close() {
	w.reports.close()
	w.scratch.close()
	for _, p := range w.embedded {
		p.close()
	}
	w.embedded = nil
}

// Event is a moment in a stream's work. Stream.Record makes it.
type Event struct {
	device   *Device
	event    driver.Event
	lifetime *lifetime
	// stream and number say which calls precede it.
	stream *progress
	number uint64
}

// use begins a call on the event.
func (e *Event) use() error {
	if !e.valid() {
		return invalid("event", eventMaker)
	}
	if err := e.device.enter(); err != nil {
		return err
	}
	if !e.lifetime.use() {
		e.device.leave()
		return fmt.Errorf("event: %w", ErrClosed)
	}
	return nil
}

func (e *Event) done() {
	_ = e.lifetime.done()
	e.device.leave()
}

// Done reports whether the moment has passed.
func (e *Event) Done() (bool, error) {
	if err := e.use(); err != nil {
		return false, err
	}
	defer e.done()
	return e.event.Done()
}

// Wait blocks until the moment has passed or ctx ends. If ctx has ended, it returns the context's
// error even if the moment has passed.
func (e *Event) Wait(ctx context.Context) error {
	if err := e.use(); err != nil {
		return err
	}
	defer e.done()
	if err := ctx.Err(); err != nil {
		return err
	}
	wait := func() error { return e.event.Wait(ctx) }
	if p := profiling.Load(); p != nil {
		err := p.measure(p.device(e.device).waits.of("Event.Wait"), Work{}, wait)
		if err != nil {
			return err
		}
	} else if err := wait(); err != nil {
		return err
	}
	e.device.pool.finished(e.stream, e.number)
	return nil
}

// Since returns the device time between an earlier event and this one. Both must have passed;
// otherwise, and on devices without timestamps, it is ErrUnsupported. Events of two devices are
// ErrShape.
func (e *Event) Since(earlier *Event) (time.Duration, error) {
	if !e.valid() || !earlier.valid() {
		return 0, invalid("event", eventMaker)
	}
	if e.device != earlier.device {
		return 0, fmt.Errorf("event: %w: the events belong to different devices", ErrShape)
	}
	if err := e.use(); err != nil {
		return 0, err
	}
	defer e.done()
	if !earlier.lifetime.use() {
		return 0, fmt.Errorf("event: %w", ErrClosed)
	}
	defer func() { _ = earlier.lifetime.done() }()
	return e.event.Since(earlier.event)
}

// Close releases the event. Closing twice is no error.
func (e *Event) Close() error {
	if !e.valid() {
		return invalid("close an event", eventMaker)
	}
	return e.device.closing(e.lifetime.close)
}
