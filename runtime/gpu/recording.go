// Recordings: what was captured, ready to be replayed.

package gpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Recording is work that Stream.Capture has recorded. CUDA has it as a graph, Vulkan as a command
// buffer. Other devices have a list, whose replay enqueues the operations one by one.
//
// What the work uses stays open until Close: buffers, textures and kernels may be closed before.
// Memory that was closed in the capture is the recording's until then.
//
// Goroutines may share a recording. Its calls wait for each other, and its replays run one after
// the other, on whatever streams.
type Recording struct {
	capture  *capture
	lifetime *lifetime
}

// record makes a recording of what was captured, once the function has returned.
func (c *capture) record(life *lifetime) (*Recording, error) {
	d := c.device
	if err := d.enter(); err != nil {
		return nil, errors.Join(fmt.Errorf("capture: %w", err), c.release())
	}
	defer d.leave()
	err := c.writeData()
	if err == nil {
		err = c.prepare()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("capture: %w", err), c.release())
	}
	for _, r := range c.streams {
		if len(r.work.records)+len(r.work.messages) > 0 {
			c.reports.lists = append(c.reports.lists, r.work.reports)
		}
	}
	life.open(d.orphans, freeing(d, c.release))
	return &Recording{c, life}, nil
}

// writeData allocates memory for what was written, and writes it there.
func (c *capture) writeData() error {
	const alignment = 16 // of the copies
	most := c.device.info.MaxBufferBytes
	var data []byte
	var operations []*driver.Operation // whose data it is
	for n := range c.work {
		o := &c.work[n]
		if o.Data == nil {
			continue
		}
		data = append(data, make([]byte, -len(data)&(alignment-1))...)
		if uint64(len(data)+len(o.Data)) > most {
			if err := c.allocateData(data, operations); err != nil {
				return err
			}
			data, operations = data[:0], operations[:0]
		}
		o.Src = driver.Slice{Offset: uint64(len(data)), Bytes: uint64(len(o.Data))}
		data, operations = append(data, o.Data...), append(operations, o)
		if len(o.Data) > abi.ValueBytes {
			o.Data = nil // no kernel takes it by value
		}
	}
	if len(data) == 0 {
		return nil
	}
	return c.allocateData(data, operations)
}

// allocateData allocates memory for the data of operations, whose copies begin there.
func (c *capture) allocateData(data []byte, operations []*driver.Operation) error {
	data = append(data, make([]byte, -len(data)&3)...) // whole words
	a, err := c.device.allocation(uint64(len(data)), nil, false)
	if err != nil {
		return err
	}
	c.written = append(c.written, a)
	for _, o := range operations {
		o.Src.Memory = a.memory
	}
	return c.device.upload(a, data)
}

// prepare makes the driver's recording, or a list.
func (c *capture) prepare() (err error) {
	work := c.work
	c.work = nil
	if recorder, ok := c.device.driver.(driver.Recorder); ok {
		if c.replayer, err = recorder.NewRecording(work); !errors.Is(err, ErrUnsupported) {
			return err
		}
	}
	c.replayer, c.listed = driver.NewList(work), true
	return nil
}

// Replay enqueues the work on a stream, of which nothing need have been in the capture, and returns
// at once. It runs after the stream's work so far, and after earlier replays. Errors of the work
// come from a later Wait of the stream.
func (r *Recording) Replay(s *Stream) error {
	switch {
	case !r.valid():
		return invalid("replay", recordingMaker)
	case !s.valid():
		return invalid("replay: stream", streamMaker)
	case s.device != r.capture.device:
		return fmt.Errorf("replay: %w: the recording belongs to another device than the stream", ErrShape)
	}
	if recorder := s.recorder.Load(); recorder != nil {
		return recorder.refuse(noReplay)
	}
	c := r.capture
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if r.lifetime.closed.Load() {
		return fmt.Errorf("replay: recording: %w", ErrClosed)
	}
	if err := c.follow(s); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if err := s.enter(); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	defer s.leave()
	if recorder := s.recorder.Load(); recorder != nil {
		return recorder.refuse(noReplay)
	}
	if !r.lifetime.use() {
		return fmt.Errorf("replay: recording: %w", ErrClosed)
	}
	c.note(s)
	replay := func() error { return c.replayer.Replay(s.stream) }
	var err error
	if p := profiling.Load(); p != nil {
		err = c.replayProfiled(p, s, replay)
	} else {
		err = replay()
	}
	return join(err, r.lifetime.done())
}

// note notes a replay by the call under way on a stream.
func (c *capture) note(s *Stream) {
	c.reports.note(s)
	number := s.progress.given.Load() + 1
	for n := range c.replays {
		if c.replays[n].stream == s.progress {
			c.replays[n].number = number
			return
		}
	}
	c.replays = append(slices.DeleteFunc(c.replays, use.finished), use{s.progress, number})
}

// follow has a stream's later work follow the last replay, if that was on another one and the
// device does not see to it.
func (c *capture) follow(s *Stream) error {
	if !c.listed || c.last == s {
		return nil
	}
	if c.last != nil {
		if err := c.order(s, c.last); err != nil {
			return err
		}
	}
	c.last = s
	return nil
}

// order has a stream's later work follow that of another one so far, which may be closed.
func (c *capture) order(s, last *Stream) error {
	e, err := last.moment()
	switch {
	case errors.Is(err, ErrClosed):
		return c.drain()
	case err != nil:
		return err
	}
	if err = s.enter(); err == nil {
		defer s.leave()
		err = s.await(e)
	}
	return join(err, c.device.closing(e.Close))
}

// moment returns an event behind the stream's own work so far, also in a capture.
func (s *Stream) moment() (driver.Event, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	if s.recorder.Load() != nil {
		return s.outside.stream.Record()
	}
	return s.stream.Record()
}

// drain waits for all work.
func (c *capture) drain() error {
	if err := c.device.enter(); err != nil {
		return err
	}
	defer c.device.leave()
	return c.device.driver.Drain()
}

// Close releases the recording, with what it has kept open, once its replays have finished. Faults
// that no Wait has reported are lost. Closing twice is no error.
func (r *Recording) Close() error {
	if !r.valid() {
		return invalid("close a recording", recordingMaker)
	}
	return r.capture.device.closing(r.lifetime.close)
}

// release frees all that belongs to the capture. Nothing uses it any more but replays under way.
func (c *capture) release() (err error) {
	if c.replayer != nil {
		err = c.replayer.Close()
	}
	c.reports.close()
	for n := range c.kept {
		err = join(err, c.kept[n].close(c.replays))
	}
	for _, r := range c.streams {
		r.work.close()
	}
	for _, a := range c.written {
		for _, u := range c.replays {
			a.users.note(u.stream, u.number)
		}
		err = join(err, a.close())
	}
	c.leaf.Lock()
	frees := c.frees
	c.frees, c.released = nil, true
	c.leaf.Unlock()
	for _, free := range frees {
		err = join(err, free())
	}
	for _, r := range c.streams {
		c.device.pool.inherit(r.work.progress, c.replays)
	}
	return err
}

// later returns a release that waits for the end of the recording.
func (c *capture) later(free func() error) func() error {
	return func() error {
		c.leaf.Lock()
		if !c.released {
			c.frees = append(c.frees, free)
			free = func() error { return nil }
		}
		c.leaf.Unlock()
		return free()
	}
}

// Captured is a launch in a recording. Stream.Captured returns it.
type Captured struct {
	recorder  *recorder
	operation int
	kernel    *Kernel
	lifetime  *lifetime // of the recording
}

// Captured returns the launch that was captured last on the stream, for changes once there is the
// recording. It is nil if there is none, or no capture.
func (s *Stream) Captured() *Captured {
	if !s.valid() {
		return nil
	}
	if r := s.recorder.Load(); r != nil {
		return r.launch
	}
	return nil
}

// Change calls f, which launches the same kernel on the same stream with other values, buffers or
// grid. Nothing runs, and later replays have that launch instead of the one before. The stream is
// open, and other goroutines must not use it meanwhile. Anything else that f does with the stream
// is ErrCapture.
func (l *Captured) Change(f func() error) error {
	if !l.valid() {
		return invalid("change a launch", capturedMaker)
	}
	if f == nil {
		return fmt.Errorf("change a launch: %w: the function is nil", ErrShape)
	}
	r := l.recorder
	if err := r.begin(l); err != nil {
		return fmt.Errorf("change a launch: %w", err)
	}
	defer r.end()
	err := f()
	if r.bad != nil && !errors.Is(err, r.bad) {
		err = join(r.bad, err)
	}
	if err == nil && !r.by {
		err = fmt.Errorf("%w: %s", ErrCapture, noLaunch)
	}
	if err == nil {
		err = l.apply()
	}
	if err != nil {
		return fmt.Errorf("change a launch: %w", err)
	}
	return nil
}

// begin has the stream's calls come to the recorder again, to change a launch.
func (r *recorder) begin(l *Captured) error {
	s := r.stream
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	switch {
	case s.recorder.Load() != nil:
		return fmt.Errorf("%w: its stream is in one, or another change is under way", ErrCapture)
	case l.lifetime.closed.Load() || l.lifetime.users.Load() == 0:
		return fmt.Errorf("recording: %w", ErrClosed)
	}
	r.changes, r.by, r.bad = l, false, nil
	r.divert()
	return nil
}

// end ends that, and lets go of what the recording does not use.
func (r *recorder) end() {
	s, c := r.stream, r.capture
	c.mutex.Lock()
	_ = s.device.closing(func() error { return r.keeps.close(c.replays) })
	c.mutex.Unlock() // which precedes the stream's in Replay
	s.mutex.Lock()
	defer s.mutex.Unlock()
	r.changes = nil
	if s.recorder.Load() == r {
		r.restore()
	}
}

// apply replaces the launch in the recording. What the one before has used is let go then.
func (l *Captured) apply() (err error) {
	r := l.recorder
	c := r.capture
	if err := c.device.enter(); err != nil {
		return err
	}
	defer c.device.leave()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !l.lifetime.use() {
		return fmt.Errorf("recording: %w", ErrClosed)
	}
	if err = c.replayer.Change(l.operation, &r.next); err == nil {
		c.kept[l.operation], r.keeps = r.keeps, c.kept[l.operation]
	}
	return join(err, l.lifetime.done())
}
