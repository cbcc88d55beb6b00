// Captures: what streams are given while a function runs becomes the operations of a recording. A
// recorder replaces the driver's stream meanwhile.

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Capture calls f and records what f gives the stream, without running it: launches, writes, copies
// and allocations. Recording.Replay runs it, as often as wanted.
//
// Other streams take part from the moment when f calls their After with an event that a stream of
// the capture has recorded. All of them are as before when f has returned. Meanwhile other
// goroutines must not use them.
//
// In f, Write keeps the elements that it is given. Memory of a stream or an arena that f allocates
// is zeroed by each replay, and undefined before the first. What f does with a device and with
// streams that do not take part happens at once, and once: loading kernels, Upload, memory of the
// device.
//
// What needs results cannot be captured: Stream.Wait, Buffer.Read, and the methods of events. Nor
// can Buffer.ReadAsync and WriteAsync, writes to textures, and replays of other recordings. These
// are ErrCapture, which Capture then returns, even if f ignores it. If f fails or panics, there is
// no recording, and the streams are as before.
func (s *Stream) Capture(f func() error) (*Recording, error) {
	if f == nil {
		return nil, fmt.Errorf("capture: %w: the function is nil", ErrShape)
	}
	c, err := s.beginCapture()
	if err != nil {
		return nil, err
	}
	life, completed := c.streams[0].life, false
	defer func() {
		if !completed { // f panics, or ends the goroutine
			c.end()
			_ = s.device.closing(c.release)
		}
	}()
	err = f()
	completed = true
	c.end()
	if c.refused != nil && !errors.Is(err, c.refused) {
		err = join(c.refused, err)
	}
	if err != nil {
		return nil, errors.Join(err, s.device.closing(c.release))
	}
	return c.record(life)
}

// capture is what was captured: at first what a function gives streams, then what a Recording has.
type capture struct {
	device *Device

	running atomic.Bool // the function

	mutex    sync.Mutex // of the recording's calls, and of what follows
	streams  []*recorder
	work     []driver.Operation // until the recording is made
	kept     []kept             // by operation
	replayer driver.Recording
	listed   bool    // the order of replays on several streams is kept here
	last     *Stream // that has replayed it, if it is listed
	replays  []use   // the last of each stream
	written  []*allocation
	reports  recordedReports

	kernels  []recordedKernel // for profiles, in the order of their first launches
	kernelAt map[string]int   // in kernels, by name
	profiled profiledRecording

	leaf     sync.Mutex // of what follows, held within all others
	refused  error      // the first call that cannot be captured
	released bool
	frees    []func() error
}

// kept is what an operation uses, open until it is changed or the recording is closed.
type kept struct {
	memory []*allocation
	others []*lifetime
}

// recorder records what a stream is given. It is a driver.Stream, whose calls come with the
// stream's mutex held.
type recorder struct {
	capture *capture
	stream  *Stream
	life    *lifetime // of the recording, during the capture
	work    work      // of the stream in the capture, while it is not there

	touched []*allocation // by the call under way
	args    *Args         // of the launch under way
	last    []int         // operations that precede the next one
	launch  *Captured     // the last one

	// changes is the launch that Captured.Change replaces, nil during the capture. Then by says
	// whether there is another one, which is next and uses keeps, and bad is the first call that is
	// refused.
	changes *Captured
	by      bool
	bad     error
	next    driver.Launch
	keeps   kept
}

// beginCapture begins a capture with one stream.
func (s *Stream) beginCapture() (*capture, error) {
	if err := s.enter(); err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	defer s.leave()
	if s.recorder.Load() != nil {
		return nil, fmt.Errorf("capture: %w: the stream is in another one", ErrCapture)
	}
	c := &capture{device: s.device}
	c.running.Store(true)
	return c, c.add(s, new(lifetime))
}

// add has a stream take part, whose mutex is held.
func (c *capture) add(s *Stream, life *lifetime) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.running.Load() {
		return fmt.Errorf("%w: it has ended", ErrCapture)
	}
	r := &recorder{capture: c, stream: s, life: life}
	r.work = work{stream: r, progress: &progress{captured: true}, reports: &reports{recorded: true}}
	c.streams = append(c.streams, r)
	r.divert()
	return nil
}

// divert has the stream's calls come to the recorder; its mutex is held.
func (r *recorder) divert() {
	r.stream.outside, r.stream.work = r.stream.work, r.work
	r.stream.recorder.Store(r)
}

// restore ends that.
func (r *recorder) restore() {
	r.work, r.stream.work = r.stream.work, r.stream.outside
	r.stream.outside = work{}
	r.stream.recorder.Store(nil)
}

// end ends the capture: streams are as before.
func (c *capture) end() {
	c.mutex.Lock()
	c.running.Store(false)
	c.mutex.Unlock()
	for _, r := range c.streams {
		r.stream.mutex.Lock()
		if r.stream.recorder.Load() == r { // it may be closed
			r.restore()
		}
		r.stream.mutex.Unlock()
		r.life, r.args, r.launch = nil, nil, nil // or the recording would never be collected
	}
}

// Why calls cannot be captured, and what to do instead.
const (
	waits        = " waits for work, which does not run yet; call it after Recording.Replay"
	ofTextures   = "Stream.WriteTexture is not recorded; call it before Recording.Replay, or have a kernel write the texture"
	outsideEvent = "Stream.After has an event of work outside of the capture; call After before Recording.Replay, on its stream"
	foreignEvent = "Stream.After has an event of another capture"
	noLaunch     = "Captured.Change takes one launch of the kernel that was captured, and nothing else"
	transfers    = "Buffer.WriteAsync and ReadAsync are not recorded; call Write in the capture, and ReadAsync after Recording.Replay"
	ofDevices    = "CopyBetween is not recorded; call it before or after Recording.Replay"
	ofLibraries  = "Stream.Enqueue, ReadBytes and WriteBytes are not recorded; call them before or after Recording.Replay"
	noReplay     = "Recording.Replay is not recorded; call what was captured in it"
)

// refuse returns the error of a call that cannot be captured, which ends in an error of the
// capture.
func (r *recorder) refuse(why string) error {
	err := fmt.Errorf("%w: %s", ErrCapture, why)
	if r.changes != nil && r.bad == nil {
		r.bad = err
	}
	c := r.capture
	c.leaf.Lock()
	defer c.leaf.Unlock()
	if c.running.Load() && c.refused == nil {
		c.refused = err
	}
	return err
}

// add records an operation that uses what is kept, and returns its number.
func (r *recorder) add(o driver.Operation, k kept) int {
	c := r.capture
	c.mutex.Lock()
	defer c.mutex.Unlock()
	n := len(c.work)
	o.After = r.last
	c.work, c.kept = append(c.work, o), append(c.kept, k)
	r.last = []int{n}
	return n
}

// record records an operation of the call under way that is no launch.
func (r *recorder) record(o driver.Operation) error {
	if r.changes != nil {
		return r.refuse(noLaunch)
	}
	var k kept
	if err := r.keep(&k, nil); err != nil {
		return err
	}
	r.add(o, k)
	return nil
}

// keep keeps open what the call under way uses, and the kernel and the handles of arguments if
// there are any.
func (r *recorder) keep(k *kept, args *Args) error {
	for _, a := range r.touched {
		if !a.use() {
			return join(fmt.Errorf("buffer: %w", ErrClosed), k.close(nil))
		}
		k.memory = append(k.memory, a)
	}
	if args == nil {
		return nil
	}
	for n := -1; n < len(args.handles); n++ {
		l := args.kernel.lifetime
		if n >= 0 {
			l = args.handles[n].lifetime()
		}
		if !l.use() {
			return join(fmt.Errorf("kernel, texture or sampler: %w", ErrClosed), k.close(nil))
		}
		k.others = append(k.others, l)
	}
	return nil
}

// close lets go of what was kept, which replays may still use.
func (k *kept) close(replays []use) (err error) {
	for _, a := range k.memory {
		for _, u := range replays {
			a.users.note(u.stream, u.number)
		}
		err = join(err, a.done())
	}
	for _, l := range k.others {
		err = join(err, l.done())
	}
	clear(k.memory)
	clear(k.others)
	k.memory, k.others = k.memory[:0], k.others[:0]
	return err
}

// Launch records a dispatch.
func (r *recorder) Launch(l *driver.Launch) error {
	args := r.args
	r.args = nil
	did, guessed := r.stream.doing(args)
	if r.changes != nil {
		return r.replace(l, args)
	}
	var k kept
	if err := r.keep(&k, args); err != nil {
		return err
	}
	own := new(driver.Launch)
	own.Set(l)
	n := r.add(driver.Operation{Launch: own}, k)
	r.capture.noteLaunch(args.kernel.description.Name, did, guessed)
	r.launch = &Captured{recorder: r, operation: n, kernel: args.kernel, lifetime: r.life}
	return nil
}

// replace has a launch replace the one that is changed.
func (r *recorder) replace(l *driver.Launch, args *Args) error {
	if r.by || args.kernel != r.changes.kernel {
		return r.refuse(noLaunch)
	}
	if err := r.keep(&r.keeps, args); err != nil {
		return err
	}
	r.by = true
	r.next.Set(l)
	return nil
}

// Write records a copy of bytes, for which the recording will have memory.
func (r *recorder) Write(dst driver.Slice, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return r.record(driver.Operation{Dst: dst, Data: slices.Clone(src)})
}

// Copy records a copy.
func (r *recorder) Copy(dst, src driver.Slice) error {
	if dst.Bytes == 0 {
		return nil
	}
	return r.record(driver.Operation{Dst: dst, Src: src})
}

// Clear records zeros.
func (r *recorder) Clear(m driver.Memory) error {
	return r.record(driver.Operation{Dst: driver.Slice{Memory: m, Bytes: m.Bytes()}})
}

// Record returns an event that other streams may wait for.
func (r *recorder) Record() (driver.Event, error) {
	if r.changes != nil {
		return nil, r.refuse(noLaunch)
	}
	return &capturedEvent{recorder: r, life: r.life, after: slices.Clone(r.last)}, nil
}

// Read and the others cannot be captured.
func (r *recorder) Read([]byte, driver.Slice) error { return r.refuse("Buffer.Read" + waits) }

// Wait is refused.
func (r *recorder) Wait(context.Context) error { return r.refuse("Stream.Wait" + waits) }

// WriteTexture is refused.
func (r *recorder) WriteTexture(driver.Texture, uint32, []byte) error {
	return r.refuse(ofTextures)
}

// ReadTexture is refused.
func (r *recorder) ReadTexture([]byte, driver.Texture, uint32) error {
	return r.refuse("Stream.ReadTexture" + waits)
}

// WriteFrom is refused.
func (r *recorder) WriteFrom(driver.Slice, driver.HostMemory, uint64) error {
	return r.refuse(transfers)
}

// ReadTo is refused.
func (r *recorder) ReadTo(driver.HostMemory, uint64, driver.Slice) error {
	return r.refuse(transfers)
}

// Close is not called: the driver's stream is closed.
func (r *recorder) Close() error { return nil }

// capturedEvent is an event in a capture, after some operations.
type capturedEvent struct {
	recorder *recorder
	life     *lifetime
	after    []int
}

// join has a stream's later work wait for the event. The stream's mutex is held.
func (e *capturedEvent) join(s *Stream) error {
	c := e.recorder.capture
	r := s.recorder.Load()
	switch {
	case r == nil:
		if err := c.add(s, e.life); err != nil {
			return fmt.Errorf("wait for an event of a capture: %w", err)
		}
		r = s.recorder.Load()
		r.last = slices.Clone(e.after)
		return nil
	case r.capture != c:
		return r.refuse(foreignEvent)
	case r.changes != nil:
		return r.refuse(noLaunch)
	}
	for _, n := range e.after {
		if !slices.Contains(r.last, n) {
			r.last = append(r.last, n)
		}
	}
	return nil
}

// Done is refused.
func (e *capturedEvent) Done() (bool, error) {
	return false, e.recorder.refuse("Event.Done" + waits)
}

// Wait is refused.
func (e *capturedEvent) Wait(context.Context) error {
	return e.recorder.refuse("Event.Wait" + waits)
}

// Since is refused.
func (e *capturedEvent) Since(driver.Event) (time.Duration, error) {
	return 0, e.recorder.refuse("Event.Since" + waits)
}

// Close has nothing to free.
func (e *capturedEvent) Close() error { return nil }
