// Stamps: times that a device notes among the work of a stream.

package driver

import (
	"sync"
	"time"
)

// Stamping is a Stream that has the device note times for much less than an Event costs. For others
// EventStamps will do.
type Stamping interface {
	// NewStamps makes n slots for times.
	NewStamps(n int) (Stamps, error)
}

// Stamps are slots for times, numbered from 0. Put is a call on the stream that made them. The
// other methods may be called from any goroutine, also when the stream is closed, but not while Put
// puts the same slot.
type Stamps interface {
	// Put has the device note the time in a slot once the stream's work so far has finished. A slot
	// is put again only after it has passed.
	Put(slot int) error
	// Passed reports whether a slot that was put has its time. It waits for nothing, and submits
	// nothing. Slots pass in the order in which they were put.
	Passed(slot int) (bool, error)
	// Times returns when the device noted the time of a slot, and how long after that the time of a
	// later one. Both have passed. All slots of a device's streams count from one moment.
	Times(from, to int) (at, took time.Duration, err error)
	// Close releases the slots. Work that puts them may be under way.
	Close() error
}

// EventStamps are the stamps of a stream that has events alone.
type EventStamps struct {
	stream Stream
	mutex  sync.Mutex
	first  Event // from which all count
	events []Event
}

// NewEventStamps makes n slots. Those of a device count from the event first, which stays open.
func NewEventStamps(s Stream, n int, first Event) *EventStamps {
	return &EventStamps{stream: s, events: make([]Event, n), first: first}
}

// Put records an event.
func (s *EventStamps) Put(slot int) error {
	e, err := s.stream.Record()
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if old := s.events[slot]; old != nil {
		err = old.Close()
	}
	s.events[slot] = e
	return err
}

// Passed reports whether a slot's event has passed.
func (s *EventStamps) Passed(slot int) (bool, error) { return s.event(slot).Done() }

func (s *EventStamps) event(slot int) Event {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.events[slot]
}

// Times returns the times between events.
func (s *EventStamps) Times(from, to int) (at, took time.Duration, err error) {
	if at, err = s.event(from).Since(s.first); err == nil {
		took, err = s.event(to).Since(s.event(from))
	}
	return at, took, err
}

// Close closes the events.
func (s *EventStamps) Close() (err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, e := range s.events {
		if e == nil {
			continue
		}
		if failure := e.Close(); err == nil {
			err = failure
		}
	}
	clear(s.events)
	return err
}
