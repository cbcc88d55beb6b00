// Work that was abandoned on a device that cannot stop it, as a kernel that never ends. Closing
// such a device does not wait for the work: a goroutine does, and then closes the driver's device.

package gpu

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gpuc/gpuc/runtime/driver"
)

// unwanted is the work of a device that was abandoned.
type unwanted struct {
	mutex   sync.Mutex
	streams map[*Stream]struct{} // whose last call was a Wait that its context ended
	events  []driver.Event       // behind the work of such streams that were closed
}

// givenUp notes that a wait for a stream has ended before the work, and returns the error for it.
// The stream's mutex is held.
func (s *Stream) givenUp(err error) error {
	if _, stops := s.device.driver.(driver.Stopper); !stops {
		a := &s.device.unwanted
		a.mutex.Lock()
		if a.streams == nil {
			a.streams = map[*Stream]struct{}{}
		}
		a.streams[s] = struct{}{}
		a.mutex.Unlock()
		s.abandoned = true
	}
	return &unfinishedError{err, s.last}
}

// unfinishedError is the error of a wait that its context ended. Programs that poll make many.
type unfinishedError struct {
	err  error // of the context
	last string
}

func (e *unfinishedError) Unwrap() error { return e.err }

func (e *unfinishedError) Error() string {
	last := ""
	if e.last != "" {
		last = ", kernel " + e.last + " or what came before it"
	}
	return fmt.Sprintf("%v: the stream's work goes on%s; wait again, or close the stream to abandon it", e.err, last)
}

// wanted notes another call on a stream: nothing is abandoned. The stream's mutex is held.
func (s *Stream) wanted() {
	a := &s.device.unwanted
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.streams, s)
	s.abandoned = false
}

// closeAbandoned keeps an event of a stream that is about to be closed. The stream's mutex is held.
func (s *Stream) closeAbandoned() {
	s.wanted()
	if s.device.life.over() {
		return
	}
	a := &s.device.unwanted
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.finish()
	if e, err := s.stream.Record(); err == nil {
		a.events = append(a.events, e)
	}
}

// finish closes the events that have passed; the mutex is held.
func (a *unwanted) finish() {
	a.events = slices.DeleteFunc(a.events, func(e driver.Event) bool {
		done, err := e.Done()
		if !done && err == nil {
			return false
		}
		_ = e.Close()
		return true
	})
}

// unfinished returns events behind all abandoned work that goes on, and forgets it. No call on the
// device is under way.
func (a *unwanted) unfinished() []driver.Event {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for s := range a.streams {
		if e, err := s.stream.Record(); err == nil {
			a.events = append(a.events, e)
		}
	}
	a.finish()
	left := a.events
	a.streams, a.events = nil, nil
	return left
}

// closingLater counts devices by ID that are closed when abandoned work has ended. Another Device
// for the same one may share what waits for that work, as CUDA's context.
var closingLater struct {
	mutex sync.Mutex
	count map[string]int
}

// addClosing adds to the count of a device, and reports whether there were any before.
func addClosing(id string, n int) bool {
	c := &closingLater
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.count == nil {
		c.count = map[string]int{}
	}
	before := c.count[id]
	if c.count[id] += n; c.count[id] == 0 {
		delete(c.count, id)
	}
	return before > 0
}

// closeDriver closes the driver's device, now or when abandoned work has ended.
func (d *Device) closeDriver() error {
	left, id := d.unwanted.unfinished(), d.info.ID()
	if len(left) == 0 && !addClosing(id, 0) {
		defer endPins(d)
		return d.driver.Close()
	}
	addClosing(id, 1)
	go func() {
		for _, e := range left {
			_ = e.Wait(context.Background())
			_ = e.Close()
		}
		_ = d.driver.Close()
		endPins(d)
		addClosing(id, -1)
	}()
	return fmt.Errorf("close %s: the device cannot stop the work that was abandoned; its memory is freed when that ends, or the program does", id)
}
