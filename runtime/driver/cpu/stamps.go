// Stamps: jobs that note the time.

package cpu

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

// stamps are slots of a stream. A slot has nanoseconds since the device was opened, or notPassed.
type stamps struct {
	stream *stream
	slots  []atomic.Int64
}

const notPassed = -1

// NewStamps makes slots.
func (s *stream) NewStamps(n int) (driver.Stamps, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	return &stamps{s, make([]atomic.Int64, n)}, nil
}

// Put queues a job that notes the time.
func (t *stamps) Put(slot int) error {
	j, err := t.stream.take()
	if err != nil {
		return err
	}
	t.slots[slot].Store(notPassed)
	j.stamp = &t.slots[slot]
	return t.stream.submit(j)
}

// Passed reports whether the job has run.
func (t *stamps) Passed(slot int) (bool, error) { return t.slots[slot].Load() != notPassed, nil }

// Times returns the times of slots.
func (t *stamps) Times(from, to int) (at, took time.Duration, err error) {
	a, b := t.slots[from].Load(), t.slots[to].Load()
	if a == notPassed || b == notPassed {
		return 0, 0, fmt.Errorf("cpu: %w: a time is not known yet", driver.ErrUnsupported)
	}
	return time.Duration(a), time.Duration(b - a), nil
}

// Close does nothing: slots are Go's.
func (t *stamps) Close() error { return nil }
