// Recordings: a command buffer that is submitted as often as wanted. All submissions are in one
// queue, and a batch begins with a barrier, so that replays follow each other and what was
// submitted before.

package vulkan

import (
	"context"
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// recording is a driver.Recording.
type recording struct {
	device *device
	work   []driver.Operation
	batch  *batch // nil if it is not recorded since a change
}

// NewRecording records operations.
func (d *device) NewRecording(work []driver.Operation) (driver.Recording, error) {
	r := &recording{device: d, work: work}
	if err := r.record(); err != nil {
		return nil, err
	}
	return r, nil
}

// record fills a batch by a stream that does not submit it.
func (r *recording) record() error {
	d := r.device
	b, err := d.takeRecorded()
	if err != nil {
		return err
	}
	b.launches = !slices.ContainsFunc(r.work, func(o driver.Operation) bool { return o.Launch == nil })
	s := &stream{device: d, batch: b, holds: true}
	for n := range r.work {
		if err := r.work[n].Enqueue(s); err != nil {
			s.abandon(b)
			return err
		}
	}
	if err := check("end a command buffer", dl.Call1(d.vk.EndCommandBuffer, b.commands)); err != nil {
		s.abandon(b)
		return d.note(err)
	}
	r.batch = b
	return nil
}

// takeRecorded returns a batch for several submissions.
func (d *device) takeRecorded() (*batch, error) {
	if err := d.lost(); err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := d.reapLocked(); err != nil {
		return nil, err
	}
	return d.takeBatch(severalSubmits)
}

// Replay submits what the stream has recorded and the recording.
func (r *recording) Replay(to driver.Stream) error {
	s, ok := to.(*stream)
	if !ok || s.device != r.device {
		return fmt.Errorf("vulkan: replay: %w: the stream belongs to another device", driver.ErrUnsupported)
	}
	if r.batch == nil {
		if err := r.record(); err != nil {
			return err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return fmt.Errorf("vulkan: stream: %w", driver.ErrClosed)
	}
	// Wait for the submission batchesInFlight ago.
	if err := s.device.wait(context.Background(), s.numbers[s.next]); err != nil {
		return err
	}
	return s.submitWith(r.batch)
}

// Change replaces a launch. The next replay records all again: barriers depend on what launches
// use.
func (r *recording) Change(n int, l *driver.Launch) error {
	if _, err := (&stream{device: r.device}).launched(l); err != nil {
		return err
	}
	r.work[n].Launch.Set(l)
	return r.Close()
}

// Close lets the batch go once it is not in flight.
func (r *recording) Close() error {
	d := r.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if b := r.batch; b != nil && !d.closed {
		b.ended = true
		b.release()
	}
	r.batch = nil
	return nil
}
