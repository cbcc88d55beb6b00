// Events: moments in a stream's work, and the times between them.

package cudalike

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Record enqueues an event.
func (s *stream) Record() (driver.Event, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	d := s.device
	defer d.leave()
	handle, err := d.takeEvent()
	if err != nil {
		return nil, err
	}
	e := &event{device: d, handle: handle, stream: s, work: s.given}
	if err := d.check("record an event", dl.Call2(d.c.EventRecord, handle, s.handle)); err != nil {
		return nil, err
	}
	return e, nil
}

// Await has the stream's later work wait for an event, also of another device.
func (s *stream) Await(e driver.Event) error {
	other, ok := e.(*event)
	if !ok || other.device.c != s.device.c {
		return s.device.named(fmt.Errorf("event: %w: it belongs to another driver", driver.ErrUnsupported))
	}
	if err := other.open(); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	return s.device.check("wait for an event", dl.Call3(s.device.c.StreamWait, s.handle, other.handle, 0))
}

// event is an event of the driver with timing.
type event struct {
	device *device
	handle uintptr
	stream *stream
	work   uint64 // what the stream had been given
	closed atomic.Bool
}

func (e *event) open() error {
	if e.closed.Load() {
		return e.device.named(fmt.Errorf("event: %w", driver.ErrClosed))
	}
	return nil
}

// Done reports whether the moment has passed.
func (e *event) Done() (bool, error) {
	if err := e.open(); err != nil {
		return false, err
	}
	ready, _, err := e.device.poll(e.device.c.EventQuery, e.handle, time.Time{})
	if err != nil || !ready {
		return false, err
	}
	e.stream.finish(e.work)
	return true, nil
}

// Wait blocks until the moment has passed or ctx ends.
func (e *event) Wait(ctx context.Context) error {
	if err := e.open(); err != nil {
		return err
	}
	if err := e.device.wait(ctx, e.device.c.EventQuery, e.handle, e.handle, 0); err != nil {
		return err
	}
	e.stream.finish(e.work)
	return nil
}

// Since returns the device time between two events.
func (e *event) Since(earlier driver.Event) (time.Duration, error) {
	o, ok := earlier.(*event)
	if !ok || o.device != e.device {
		return 0, e.device.named(fmt.Errorf("event: %w: the other event belongs to another device", driver.ErrUnsupported))
	}
	for _, event := range []*event{o, e} {
		if err := event.open(); err != nil {
			return 0, err
		}
	}
	d := e.device
	if err := d.enter(); err != nil {
		return 0, err
	}
	defer d.leave()
	return d.elapsed(o.handle, e.handle)
}

// Close keeps the event for another Record.
func (e *event) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	d := e.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if !d.closed {
		d.idleEvents = append(d.idleEvents, e.handle)
	}
	return nil
}
