package webgpu

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"syscall/js"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

// mostEncoded is how many commands a stream encodes before it submits them.
const mostEncoded = 32

// stream encodes commands, and submits them to the device's queue before anything that depends on
// them.
type stream struct {
	device *device

	mutex   sync.Mutex
	encoder js.Value // null if nothing is encoded
	encoded int
	reads   []*promise // copies to host memory that were not waited for
	closed  bool
}

// NewStream implements driver.Device.
func (d *device) NewStream() (driver.Stream, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	s := &stream{device: d, encoder: js.Null()}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.streams[s] = struct{}{}
	return s, nil
}

// enter begins a call; leave ends it.
func (s *stream) enter() error {
	s.mutex.Lock()
	err := s.device.open()
	if s.closed {
		err = fmt.Errorf("webgpu: stream: %w", driver.ErrClosed)
	}
	if err != nil {
		s.mutex.Unlock()
	}
	return err
}

func (s *stream) leave() { s.mutex.Unlock() }

// encode has f encode a command.
func (s *stream) encode(f func(encoder js.Value)) error {
	if s.encoder.IsNull() {
		s.encoder = s.device.gpu.Call("createCommandEncoder")
	}
	err := attempt(func() { f(s.encoder) })
	if s.encoded++; s.encoded >= mostEncoded {
		s.submit()
	}
	return err
}

// submit submits what was encoded.
func (s *stream) submit() {
	if !s.encoder.IsNull() {
		s.device.submit(s.encoder)
		s.encoder, s.encoded = js.Null(), 0
	}
}

// Launch implements driver.Stream.
func (s *stream) Launch(l *driver.Launch) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	k, ok := l.Kernel.(*kernel)
	if !ok {
		return fmt.Errorf("webgpu: launch: %w: the kernel belongs to another driver", driver.ErrUnsupported)
	}
	description := k.description
	err := l.Check(len(description.Bindings), 0, k.immediates, &s.device.info)
	if err != nil {
		return failed("launch kernel "+description.Name, err)
	}
	groups := make([][]any, len(k.layouts))
	for n := range l.Bindings {
		b, to := &l.Bindings[n], &description.Bindings[n]
		m, err := s.part(b)
		if err == nil {
			err = b.CheckBound(s.device.info.MaxBufferBytes, uint64(s.device.info.OffsetAlignment))
		}
		if err == nil && b.Bytes < 4 {
			err = fmt.Errorf("%w: %d bytes are no whole word", driver.ErrUnsupported, b.Bytes)
		}
		if err != nil {
			return fmt.Errorf("webgpu: launch kernel %s: binding %d (%s): %w", description.Name, n, to.Name, err)
		}
		words := b.Bytes &^ 3 // the rest is no element
		groups[to.Group] = append(groups[to.Group], map[string]any{"binding": to.Binding, "resource": map[string]any{
			"buffer": m.buffer, "offset": float64(b.Offset), "size": float64(words),
		}})
	}
	if l.IsEmpty() {
		return nil
	}
	return s.encode(func(encoder js.Value) {
		pass := encoder.Call("beginComputePass")
		pass.Call("setPipeline", k.pipeline)
		for n, entries := range groups {
			if entries == nil {
				entries = []any{}
			}
			pass.Call("setBindGroup", n, s.device.gpu.Call("createBindGroup", object(map[string]any{"layout": k.layouts[n], "entries": entries})))
		}
		if k.immediates > 0 {
			pass.Call("setImmediates", 0, bytesToJS(l.Immediates))
		}
		pass.Call("dispatchWorkgroups", l.Grid[0], l.Grid[1], l.Grid[2])
		pass.Call("end")
	})
}

// part returns the memory of a slice, which lies within it.
func (s *stream) part(b *driver.Slice) (*memory, error) {
	m, err := s.device.own(b.Memory)
	if err == nil {
		err = b.CheckWithin(m.bytes)
	}
	return m, err
}

// Write implements driver.Stream.
func (s *stream) Write(dst driver.Slice, src []byte) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	m, err := s.part(&dst)
	if err == nil {
		err = dst.CheckHost(src)
	}
	if err != nil {
		return failed("write", err)
	}
	return s.write(m, dst.Offset, src)
}

// write writes bytes. Of the last word, the bytes behind them stay as they are.
func (s *stream) write(m *memory, offset uint64, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	s.submit()
	array, whole := bytesToJS(src), len(src)&^3
	if rest := len(src) - whole; rest > 0 && offset+uint64(len(src)) < m.bytes {
		word := make([]byte, 4)
		if err := s.read(word, m, offset+uint64(whole)); err != nil {
			return failed("write", err)
		}
		copy(word, src[whole:])
		js.CopyBytesToJS(array.Call("subarray", whole), word)
	}
	return attempt(func() { s.device.queue.Call("writeBuffer", m.buffer, float64(offset), array) })
}

// staging is a buffer that the host can read.
type staging struct {
	buffer js.Value
	bytes  uint64
}

// stage returns an idle one, or makes one.
func (d *device) stage(bytes uint64) (staging, error) {
	size := max(uint64(1)<<bits.Len64(bytes-1), 256)
	d.mutex.Lock()
	n := slices.IndexFunc(d.staging, func(s staging) bool { return s.bytes == size })
	if n >= 0 {
		s := d.staging[n]
		d.staging = slices.Delete(d.staging, n, n+1)
		d.mutex.Unlock()
		return s, nil
	}
	d.mutex.Unlock()
	b, err := d.buffer(size, mapRead|copyDst)
	return staging{b, size}, err
}

// mostStaging is how many idle ones are kept.
const mostStaging = 8

func (d *device) unstage(s staging) {
	s.buffer.Call("unmap")
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.staging = append(d.staging, s); len(d.staging) > mostStaging {
		d.staging[0].buffer.Call("destroy")
		d.staging = slices.Delete(d.staging, 0, 1)
	}
}

// begin begins a copy of device memory to the host, after all work so far.
func (s *stream) begin(dst []byte, m *memory, offset uint64) (*promise, error) {
	bytes := (uint64(len(dst)) + 3) &^ 3
	stage, err := s.device.stage(bytes)
	if err != nil {
		return nil, err
	}
	err = s.encode(func(encoder js.Value) {
		encoder.Call("copyBufferToBuffer", m.buffer, float64(offset), stage.buffer, 0, float64(bytes))
	})
	if err != nil {
		return nil, err
	}
	s.submit()
	return promised(stage.buffer.Call("mapAsync", 1, 0, float64(bytes)), func(js.Value) error {
		js.CopyBytesToGo(dst, js.Global().Get("Uint8Array").New(stage.buffer.Call("getMappedRange", 0, float64(bytes)), 0, len(dst)))
		s.device.unstage(stage)
		return nil
	}), nil
}

// read copies device memory to the host, and waits.
func (s *stream) read(dst []byte, m *memory, offset uint64) error {
	p, err := s.begin(dst, m, offset)
	if err != nil {
		return err
	}
	_, err = p.wait(context.Background())
	return err
}

// Read implements driver.Stream.
func (s *stream) Read(dst []byte, src driver.Slice) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	m, err := s.part(&src)
	if err == nil {
		err = src.CheckHost(dst)
	}
	if err == nil && len(dst) > 0 {
		err = s.read(dst, m, src.Offset)
	}
	if err != nil {
		return failed("read", err)
	}
	return nil
}

// WriteFrom implements driver.Stream.
func (s *stream) WriteFrom(dst driver.Slice, src driver.HostMemory, offset uint64) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	host, err := hostPart(src, offset, dst.Bytes)
	if err != nil {
		return failed("write", err)
	}
	m, err := s.part(&dst)
	if err != nil {
		return failed("write", err)
	}
	return s.write(m, dst.Offset, host)
}

// hostPart returns some bytes of host memory.
func hostPart(m driver.HostMemory, offset, bytes uint64) ([]byte, error) {
	host, ok := m.(*hostMemory)
	if !ok {
		return nil, fmt.Errorf("%w: the host memory belongs to another driver", driver.ErrUnsupported)
	}
	if host.freed.Load() {
		return nil, fmt.Errorf("host memory: %w", driver.ErrClosed)
	}
	if err := driver.CheckHostMemory(m, offset, bytes); err != nil {
		return nil, err
	}
	return host.bytes[offset : offset+bytes], nil
}

// ReadTo implements driver.Stream.
func (s *stream) ReadTo(dst driver.HostMemory, offset uint64, src driver.Slice) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	host, err := hostPart(dst, offset, src.Bytes)
	if err != nil {
		return failed("read", err)
	}
	m, err := s.part(&src)
	if err != nil {
		return failed("read", err)
	}
	if len(host) == 0 {
		return nil
	}
	p, err := s.begin(host, m, src.Offset)
	if err != nil {
		return failed("read", err)
	}
	s.reads = append(slices.DeleteFunc(s.reads, isDone), p)
	return nil
}

func isDone(p *promise) bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Copy implements driver.Stream.
func (s *stream) Copy(dst, src driver.Slice) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	to, err := s.part(&dst)
	if err != nil {
		return failed("copy", err)
	}
	from, err := s.part(&src)
	if err == nil {
		err = driver.CheckCopy(&dst, &src)
	}
	if err != nil {
		return failed("copy", err)
	}
	whole := src.Bytes &^ 3
	if rest := src.Bytes - whole; rest > 0 {
		word := make([]byte, rest)
		if err := s.read(word, from, src.Offset+whole); err != nil {
			return failed("copy", err)
		}
		if err := s.write(to, dst.Offset+whole, word); err != nil {
			return failed("copy", err)
		}
	}
	if whole == 0 {
		return nil
	}
	if to != from {
		return s.encode(func(encoder js.Value) {
			encoder.Call("copyBufferToBuffer", from.buffer, float64(src.Offset), to.buffer, float64(dst.Offset), float64(whole))
		})
	}
	between, err := s.device.buffer(whole, copySrc|copyDst)
	if err != nil {
		return failed("copy", err)
	}
	err = s.encode(func(encoder js.Value) {
		encoder.Call("copyBufferToBuffer", from.buffer, float64(src.Offset), between, 0, float64(whole))
		encoder.Call("copyBufferToBuffer", between, 0, to.buffer, float64(dst.Offset), float64(whole))
	})
	s.submit()
	between.Call("destroy") // once the queue is done with it
	return err
}

// Clear implements driver.Stream.
func (s *stream) Clear(m driver.Memory) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	of, err := s.device.own(m)
	if err != nil {
		return failed("clear", err)
	}
	return s.encode(func(encoder js.Value) { encoder.Call("clearBuffer", of.buffer, 0, float64(of.words())) })
}

// WriteTexture implements driver.Stream.
func (s *stream) WriteTexture(driver.Texture, uint32, []byte) error {
	return fmt.Errorf("webgpu: %w: textures", driver.ErrUnsupported)
}

// ReadTexture implements driver.Stream.
func (s *stream) ReadTexture([]byte, driver.Texture, uint32) error {
	return fmt.Errorf("webgpu: %w: textures", driver.ErrUnsupported)
}

// moment follows the work so far.
func (s *stream) moment() (*promise, []*promise) {
	s.submit()
	return promised(s.device.queue.Call("onSubmittedWorkDone"), nil), slices.Clone(s.reads)
}

// Wait implements driver.Stream.
func (s *stream) Wait(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	done, reads := s.moment()
	s.leave()
	_, err := done.wait(ctx)
	for _, r := range reads {
		if err == nil {
			_, err = r.wait(ctx)
		}
	}
	if err != nil && ctx.Err() != nil {
		return err
	}
	return errors.Join(err, s.device.failures())
}

// Record implements driver.Stream.
func (s *stream) Record() (driver.Event, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	s.submit()
	e := &event{device: s.device, reads: slices.Clone(s.reads)}
	e.done = promised(s.device.queue.Call("onSubmittedWorkDone"), func(js.Value) error {
		e.at = time.Now()
		return nil
	})
	return e, nil
}

// Await implements driver.Awaiter. The event's stream has submitted the work before the event, and
// the queue executes in order.
func (s *stream) Await(of driver.Event) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if e, ok := of.(*event); !ok || e.device != s.device {
		return fmt.Errorf("webgpu: %w: the event belongs to another device", driver.ErrUnsupported)
	}
	s.submit() // what precedes
	return nil
}

// Close implements driver.Stream.
func (s *stream) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return nil
	}
	if s.device.open() == nil {
		s.submit()
	}
	s.closed = true
	s.device.mutex.Lock()
	defer s.device.mutex.Unlock()
	delete(s.device.streams, s)
	return nil
}

// event is a moment of the queue. Its time is that at which the page learned of it.
type event struct {
	device *device
	done   *promise
	reads  []*promise
	at     time.Time
}

// Done implements driver.Event. It lets the page go on, as events pass only then.
func (e *event) Done() (bool, error) {
	if !e.isDone() {
		_, _ = await(js.Global().Get("Promise").New(yielding))
	}
	if err := e.device.open(); err != nil {
		return false, err
	}
	return e.isDone(), nil
}

// yielding resolves a promise after the page's tasks so far.
var yielding = js.FuncOf(func(_ js.Value, resolve []js.Value) any {
	js.Global().Call("setTimeout", resolve[0], 0)
	return nil
})

func (e *event) isDone() bool {
	return isDone(e.done) && !slices.ContainsFunc(e.reads, func(p *promise) bool { return !isDone(p) })
}

// Wait implements driver.Event.
func (e *event) Wait(ctx context.Context) error {
	_, err := e.done.wait(ctx)
	for _, r := range e.reads {
		if err == nil {
			_, err = r.wait(ctx)
		}
	}
	return err
}

// Since implements driver.Event.
func (e *event) Since(earlier driver.Event) (time.Duration, error) {
	other, ok := earlier.(*event)
	if !ok || other.device != e.device {
		return 0, fmt.Errorf("webgpu: %w: the event belongs to another device", driver.ErrUnsupported)
	}
	if !isDone(e.done) || !isDone(other.done) {
		return 0, fmt.Errorf("webgpu: %w: an event has not passed yet", driver.ErrUnsupported)
	}
	return e.at.Sub(other.at), nil
}

// Close implements driver.Event.
func (e *event) Close() error { return nil }
