package metal

import (
	"context"
	"fmt"
	"time"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// This file waits for command buffers and says what became of them.

// The states of a command buffer from the end (MTLCommandBufferStatus).
const (
	statusCompleted = 4
	statusError     = 5
)

// meanings are the codes of failed command buffers (MTLCommandBufferError) that callers tell apart.
var meanings = [...]struct {
	code uintptr
	err  *error
}{
	{2, &driver.ErrDeviceLost},  // timeout
	{3, &driver.ErrDeviceLost},  // page fault
	{4, &driver.ErrDeviceLost},  // access revoked
	{8, &driver.ErrOutOfMemory}, // out of memory
	{11, &driver.ErrDeviceLost}, // device removed
}

// message is what an NSError says.
func (m *objects) message(failure uintptr) string {
	if failure == 0 {
		return "Metal gives no reason"
	}
	return m.text(m.send(failure, m.s.LocalizedDescripton))
}

// done reports whether a command buffer has ended, and its error. A pool must be there.
func (m *objects) done(buffer uintptr) (bool, error) {
	switch m.send(buffer, m.s.Status) {
	case statusCompleted:
		return true, nil
	case statusError:
		failure := m.send(buffer, m.s.Error)
		code := m.send(failure, m.s.Code)
		for _, meaning := range meanings {
			if meaning.code == code {
				return true, fmt.Errorf("metal: run: %w: %s", *meaning.err, m.message(failure))
			}
		}
		return true, fmt.Errorf("metal: run: %s (code %d)", m.message(failure), code)
	}
	return false, nil
}

// await blocks until a command buffer has ended or ctx ends. The buffer is retained by whoever
// calls.
func (m *objects) await(ctx context.Context, buffer uintptr) error {
	if ctx.Done() == nil {
		p := m.enter()
		m.send(buffer, m.s.WaitUntilCompleted)
		p.leave()
		return nil
	}
	if err := ctx.Err(); err != nil {
		p := m.enter()
		defer p.leave()
		if done, _ := m.done(buffer); done {
			return nil
		}
		return err
	}
	p := m.enter()
	m.retain(buffer) // for as long as the wait, which ctx may leave behind
	p.leave()
	ended := make(chan struct{})
	go func() {
		p := m.enter()
		m.send(buffer, m.s.WaitUntilCompleted)
		m.release(buffer)
		p.leave()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// event is the end of a command buffer.
type event struct{ object }

// Record ends what was enqueued so far with an event.
func (s *stream) Record() (driver.Event, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.mutex.Unlock()
	m := s.device.m
	p := m.enter()
	defer p.leave()
	if err := s.open(none); err != nil {
		return nil, err
	}
	buffer := m.retain(s.buffer)
	s.commit()
	e := new(event)
	if err := s.device.register(&e.object, buffer); err != nil {
		return nil, err
	}
	return e, nil
}

// take returns the command buffer, retained, so that it may be waited for while the event is
// closed.
func (e *event) take() (uintptr, error) {
	e.device.mutex.Lock()
	defer e.device.mutex.Unlock()
	if e.handle == 0 {
		return 0, fmt.Errorf("metal: event: %w", driver.ErrClosed)
	}
	return e.device.m.retain(e.handle), nil
}

// Done reports whether the moment has passed.
func (e *event) Done() (bool, error) {
	m := e.device.m
	p := m.enter()
	defer p.leave()
	buffer, err := e.take()
	if err != nil {
		return false, err
	}
	defer m.release(buffer)
	return m.done(buffer)
}

// Wait blocks until the moment has passed or ctx ends.
func (e *event) Wait(ctx context.Context) error {
	m := e.device.m
	buffer, err := e.take()
	if err != nil {
		return err
	}
	err = m.await(ctx, buffer)
	p := m.enter()
	defer p.leave()
	defer m.release(buffer)
	if err == nil {
		_, err = m.done(buffer)
	}
	return err
}

// Since returns the time between the ends of two command buffers, as the device counts it in
// seconds (GPUEndTime).
func (e *event) Since(earlier driver.Event) (time.Duration, error) {
	o, ok := earlier.(*event)
	if !ok || o.device != e.device {
		return 0, fmt.Errorf("metal: event: %w: the other event belongs to another device", driver.ErrUnsupported)
	}
	m := e.device.m
	p := m.enter()
	defer p.leave()
	var seconds [2]float64
	for n, x := range [...]*event{o, e} {
		buffer, err := x.take()
		if err != nil {
			return 0, err
		}
		done, err := m.done(buffer)
		if err == nil && !done {
			err = fmt.Errorf("metal: event: %w: the time is known when both events are done", driver.ErrUnsupported)
		}
		if err == nil {
			seconds[n] = dl.CallFloat(m.c.MsgSend, buffer, m.s.GPUEndTime)
		}
		m.release(buffer)
		if err != nil {
			return 0, err
		}
	}
	return time.Duration((seconds[1] - seconds[0]) * float64(time.Second)), nil
}

// Close gives the event back.
func (e *event) Close() error { return e.free() }
