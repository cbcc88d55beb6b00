// Copies between devices. Their memory is the host's, so one stream copies while the other waits.

package cpu

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/gpuc/gpuc/runtime/driver"
)

// meeting is a copy between two streams, each of which has a job for it.
type meeting struct {
	ready, copied chan struct{} // with room for one
}

// meetings are reused once both jobs are done.
var meetings = sync.Pool{New: func() any { return &meeting{make(chan struct{}, 1), make(chan struct{}, 1)} }}

// Reach implements driver.Peers.
func (d *Device) Reach(other driver.Device) (driver.Reach, error) {
	if _, ok := other.(*Device); !ok {
		return driver.Unreached, nil
	}
	return driver.Direct, d.open()
}

// CopyTo queues a copy to another device's memory.
func (s *stream) CopyTo(other driver.Stream, dst, src driver.Slice) error {
	to, ok := other.(*stream)
	if !ok {
		return fmt.Errorf("cpu: copy to a device: %w: it is none of the CPU's", driver.ErrUnsupported)
	}
	bytes, err := to.device.part(&dst)
	from, failure := s.device.part(&src)
	if err := cmp.Or(err, failure, driver.CheckCopy(&dst, &src)); err != nil {
		return fmt.Errorf("cpu: copy to a device: %w", err)
	}
	if len(from) == 0 {
		return cmp.Or(s.open(), to.open())
	}
	if to == s {
		return s.copyLater(bytes, from)
	}
	receiver, err := to.take()
	if err != nil {
		return err
	}
	giver, err := s.take()
	if err != nil {
		to.giveBack(receiver)
		return err
	}
	m := meetings.Get().(*meeting)
	receiver.meeting = m
	giver.meeting, giver.dst, giver.src = m, bytes, from
	if err := to.submit(receiver); err != nil {
		to.giveBack(receiver)
		s.giveBack(giver)
		return err
	}
	if err := s.submit(giver); err != nil {
		m.copied <- struct{}{} // nobody else will
		return err
	}
	return nil
}

// give copies once the other stream has come to the copy.
func (s *stream) give(j *job) {
	select {
	case <-j.meeting.ready:
		driver.Copy(j.dst, j.src)
	case <-s.context.Done():
	}
	j.meeting.copied <- struct{}{}
}

// get waits for the copy.
func (s *stream) get(j *job) {
	m := j.meeting
	m.ready <- struct{}{}
	select {
	case <-m.copied:
		select {
		case <-m.ready: // the other stream was abandoned
		default:
		}
		meetings.Put(m)
	case <-s.context.Done():
	}
}
