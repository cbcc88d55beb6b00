// Copies between host and device that the program does not wait for at once.

package gpu

import (
	"context"
	"fmt"
	"sync"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Transfer is a copy between a buffer and a slice of the host. Buffer.ReadAsync and WriteAsync make
// it. One that is dropped before it has finished gives its memory back when the garbage collector
// finds it. Its calls may come from several goroutines.
type Transfer struct {
	event *Event

	mutex    sync.Mutex
	finished bool
	host     []byte          // which it keeps alive
	staged   *hostAllocation // that a read goes to first, or nil
	shared   driver.Memory   // that is the slice, or nil
}

// ReadAsync copies the buffer to host after the stream's work so far, as Read does, and returns at
// once. The elements are in host when Transfer.Wait has returned nil or Transfer.Done true; until
// then the program neither reads nor writes them. The stream and the buffer may be used meanwhile,
// and later work on the stream does not change what is read.
//
// If host is a HostBuffer's data or a part of that, the device writes it by itself. Otherwise it
// writes memory that is kept for this, as much as is read. Wait, or the call of Done that is true,
// copies from there. On the CPU it writes every slice by itself.
//
// Errors of the stream's work are those of its next Wait or Read.
func (b *Buffer[T]) ReadAsync(s *Stream, host []T) (*Transfer, error) {
	if b.valid() && len(host) != b.length {
		return nil, fmt.Errorf("read a buffer: %w: a buffer of %d elements into %d", ErrShape, b.length, len(host))
	}
	t := &Transfer{host: bytesOf(host)}
	err := s.with("read a buffer", b, func() error { return s.transfer(t, b.part(), s.readAsync) })
	if err != nil {
		return nil, err
	}
	return t, nil
}

// WriteAsync copies host to the buffer after the stream's work so far. If host is a HostBuffer's
// data or a part of that, the device reads it by itself, and WriteAsync returns at once; so it does
// on the CPU. The program does not write host until the transfer has finished: later work on the
// stream need not wait for it. Other slices are copied before it returns, as by Write.
func (b *Buffer[T]) WriteAsync(s *Stream, host []T) (*Transfer, error) {
	if b.valid() && len(host) != b.length {
		return nil, fmt.Errorf("write a buffer: %w: %d elements for a buffer of %d", ErrShape, len(host), b.length)
	}
	t := &Transfer{host: bytesOf(host)}
	err := s.with("write a buffer", b, func() error { return s.transfer(t, b.part(), s.writeAsync) })
	if err != nil {
		return nil, err
	}
	return t, nil
}

// transfer enqueues a copy and an event. The stream's mutex is held.
func (s *Stream) transfer(t *Transfer, part driver.Slice, enqueue func(*Transfer, driver.Slice) error) error {
	if len(t.host) > 0 {
		if err := enqueue(t, part); err != nil {
			t.release()
			return err
		}
	}
	// This call and those before it precede the event.
	event, err := s.event(s.progress.given.Load() + 1)
	if err != nil {
		t.release()
		return err
	}
	t.event = event
	return nil
}

// direct enqueues a copy of a host buffer, or of a slice on a device to which it is memory as any
// other. It reports false if there is none.
func (s *Stream) direct(t *Transfer, copyHost func(driver.HostMemory, uint64) error, copyDevice func(driver.Slice) error) (bool, error) {
	d := s.device
	if h, offset := d.hosts.within(t.host); h != nil {
		h.users.note(s.progress, s.progress.given.Load()+1)
		err := copyHost(h.block.memory, offset)
		if failure := h.done(); err == nil {
			err = failure
		}
		return true, err
	}
	sharer, ok := d.driver.(driver.Sharer)
	if !ok || d.info.Kind != driver.CPU || !suits(t.host, uint64(len(t.host)), sharer.ShareAlignment()) {
		return false, nil
	}
	var err error
	if t.shared, err = sharer.Share(t.host); err != nil {
		return true, err
	}
	return true, copyDevice(driver.Slice{Memory: t.shared, Bytes: uint64(len(t.host))})
}

func (s *Stream) readAsync(t *Transfer, part driver.Slice) error {
	done, err := s.direct(t,
		func(to driver.HostMemory, offset uint64) error { return s.stream.ReadTo(to, offset, part) },
		func(to driver.Slice) error { return s.stream.Copy(to, part) })
	if done {
		return err
	}
	if t.staged, err = s.device.hosts.allocate(s.device, part.Bytes, false); err != nil {
		return fmt.Errorf("memory for a read of %d bytes: %w", part.Bytes, err)
	}
	t.staged.users.note(s.progress, s.progress.given.Load()+1)
	return s.stream.ReadTo(t.staged.block.memory, 0, part)
}

func (s *Stream) writeAsync(t *Transfer, part driver.Slice) error {
	done, err := s.direct(t,
		func(from driver.HostMemory, offset uint64) error { return s.stream.WriteFrom(part, from, offset) },
		func(from driver.Slice) error { return s.stream.Copy(part, from) })
	if done {
		return err
	}
	return s.stream.Write(part, t.host)
}

// Done reports whether the transfer has finished. It costs little: the state of an event is asked
// for. What ReadAsync says of a slice is copied by the call that is the first to be true.
func (t *Transfer) Done() (bool, error) {
	if !t.valid() {
		return false, invalid("transfer", transferMaker)
	}
	if t.ended() {
		return true, nil
	}
	done, err := t.event.Done()
	if !done && t.ended() { // by another goroutine
		return true, nil
	}
	if err != nil || !done {
		return false, err
	}
	return true, t.finish()
}

// Wait blocks until the transfer has finished or ctx ends. If ctx has ended and the transfer was
// not known to have finished, it returns the context's error.
func (t *Transfer) Wait(ctx context.Context) error {
	if !t.valid() {
		return invalid("transfer", transferMaker)
	}
	if t.ended() {
		return nil
	}
	if err := t.event.Wait(ctx); err != nil {
		if t.ended() {
			return nil
		}
		return err
	}
	return t.finish()
}

func (t *Transfer) ended() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.finished
}

// finish does what is left to the host, once.
func (t *Transfer) finish() error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.finished {
		return nil
	}
	d := t.event.device
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	if t.staged != nil {
		driver.Copy(t.host, t.staged.block.memory.Bytes()[:len(t.host)])
		t.staged.users.settle()
	}
	t.release()
	t.finished = true
	return t.event.Close()
}

// release lets go of what the transfer holds.
func (t *Transfer) release() {
	if t.staged != nil {
		_ = t.staged.close()
	}
	if t.shared != nil {
		_ = t.shared.Free()
	}
	t.staged, t.shared, t.host = nil, nil, nil
}

// settle notes that no work uses the memory any more.
func (u *users) settle() {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.number.Store(0)
	u.others = nil
}
