// Stamps: events with timing.

package cudalike

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// stamps are slots of a stream. A slot is an event.
type stamps struct {
	device *device
	stream *stream
	events []uintptr
}

// origin is the event from which a device's stamps count. The driver tells times between events as
// a float32 of milliseconds, whose steps grow. So a new event takes its function from time to time.
// These events are allocStream's, which has little work and passes them at once.
type origin struct {
	event uintptr
	at    time.Duration // since the first
	next  uintptr       // a new one, which need not have passed, or 0
}

// renewed is how long an event is the origin. The steps of a float32 are 8 ns at most until then.
const renewed = 100 * time.Millisecond

// NewStamps makes slots, and the device's origin if it has none.
func (s *stream) NewStamps(n int) (driver.Stamps, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	d := s.device
	defer d.leave()
	t := &stamps{device: d, stream: s, events: make([]uintptr, n)}
	for slot := range t.events {
		event, err := d.takeEvent()
		if err != nil {
			_ = t.Close()
			return nil, err
		}
		t.events[slot] = event
	}
	if err := d.beginStamps(); err != nil {
		_ = t.Close()
		return nil, err
	}
	return t, nil
}

// beginStamps makes the device's origin, if there is none. enter must have been called.
func (d *device) beginStamps() (err error) {
	d.stamping.Lock()
	defer d.stamping.Unlock()
	if d.origin.event == 0 {
		d.origin.event, err = d.recordOrigin()
	}
	return err
}

// recordOrigin records an event. enter must have been called.
func (d *device) recordOrigin() (uintptr, error) {
	event, err := d.takeEvent()
	if err == nil {
		err = d.check("record an event", dl.Call2(d.c.EventRecord, event, d.allocStream))
	}
	return event, err
}

// Put records the event of a slot.
func (t *stamps) Put(slot int) error {
	if err := t.stream.begin(); err != nil {
		return err
	}
	d := t.device
	defer d.leave()
	return d.check("record an event", dl.Call2(d.c.EventRecord, t.events[slot], t.stream.handle))
}

// Passed reports whether the event of a slot has passed.
func (t *stamps) Passed(slot int) (bool, error) {
	passed, _, err := t.device.poll(t.device.c.EventQuery, t.events[slot], time.Time{})
	return passed && err == nil, err
}

// Times returns the times between events.
func (t *stamps) Times(from, to int) (at, took time.Duration, err error) {
	d := t.device
	if err := d.enter(); err != nil {
		return 0, 0, err
	}
	defer d.leave()
	if took, err = d.elapsed(t.events[from], t.events[to]); err != nil {
		return 0, 0, err
	}
	d.stamping.Lock()
	defer d.stamping.Unlock()
	o := &d.origin
	since, err := d.elapsed(o.event, t.events[from])
	if err != nil {
		return 0, 0, err
	}
	at = o.at + since
	if o.next != 0 {
		err = d.renewOrigin()
	} else if since > renewed {
		o.next, err = d.recordOrigin()
	}
	return at, took, err
}

// renewOrigin has the next origin take over, if it has passed.
func (d *device) renewOrigin() error {
	o := &d.origin
	since, err := d.elapsed(o.event, o.next)
	if errors.Is(err, driver.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.idleEvents = append(d.idleEvents, o.event)
	*o = origin{event: o.next, at: o.at + since}
	return nil
}

// elapsed returns the device time between two events. enter must have been called.
func (d *device) elapsed(from, to uintptr) (time.Duration, error) {
	var milliseconds float32
	code := dl.Call3(d.c.EventElapsed, uintptr(unsafe.Pointer(&milliseconds)), from, to)
	if uint32(code) == codeNotReady {
		return 0, d.named(fmt.Errorf("event: %w: the time is known when both events are done", driver.ErrUnsupported))
	}
	return time.Duration(float64(milliseconds) * float64(time.Millisecond)), d.check("measure time", code)
}

// Close keeps the events for others.
func (t *stamps) Close() error {
	d := t.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, event := range t.events {
		if event != 0 && !d.closed {
			d.idleEvents = append(d.idleEvents, event)
		}
	}
	t.events = nil
	return nil
}
