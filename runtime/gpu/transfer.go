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
	device *Device
	host   []byte          // which it keeps alive
	staged *hostAllocation // that a read goes to first, or nil
	shared driver.Memory   // that is the slice, or nil
	part   int             // bytes of each part but the last
	events []*Event        // after each part

	mutex  sync.Mutex
	copied int // parts that are in host
}

// A large read into an ordinary slice has parts, so that the host copies some while the device
// copies others.
const (
	leastPart = 8 << 20 // bytes
	mostParts = 8
)

// ReadAsync copies the buffer to host after the stream's work so far, as Read does, and returns at
// once. The elements are in host when Transfer.Wait has returned nil or Transfer.Done true; until
// then the program neither reads nor writes them. The stream and the buffer may be used meanwhile,
// and later work on the stream does not change what is read.
//
// If host is a HostBuffer's data or a part of that, the device writes it by itself. Otherwise it
// writes memory that is kept for this, as much as is read. Wait, or the call of Done that is true,
// copies from there. On the CPU it writes every slice by itself.
//
// Errors of the stream's work are those of its next Wait or Read. After an error of ReadAsync no
// copy is under way, and host may have been changed.
func (b *Buffer[T]) ReadAsync(s *Stream, host []T) (*Transfer, error) {
	if b.valid() && len(host) != b.length {
		return nil, fmt.Errorf("read a buffer: %w: a buffer of %d elements into %d", ErrShape, b.length, len(host))
	}
	t := &Transfer{host: bytesOf(host)}
	err := s.with("read a buffer", b, func() error { return s.transfer(copyReadAsync, t, b.part(), s.readAsync) })
	if err != nil {
		return nil, err
	}
	return t, nil
}

// WriteAsync copies host to the buffer after the stream's work so far. If host is a HostBuffer's
// data or a part of that, the device reads it by itself, and WriteAsync returns at once; so it does
// on the CPU. The program does not write host until the transfer has finished: later work on the
// stream need not wait for it. Other slices are copied before it returns, as by Write. After an
// error of WriteAsync no copy is under way, and the buffer may have been changed.
func (b *Buffer[T]) WriteAsync(s *Stream, host []T) (*Transfer, error) {
	if b.valid() && len(host) != b.length {
		return nil, fmt.Errorf("write a buffer: %w: %d elements for a buffer of %d", ErrShape, len(host), b.length)
	}
	t := &Transfer{host: bytesOf(host)}
	err := s.with("write a buffer", b, func() error { return s.transfer(copyWriteAsync, t, b.part(), s.writeAsync) })
	if err != nil {
		return nil, err
	}
	return t, nil
}

// transfer enqueues a copy and an event. The stream's mutex is held.
func (s *Stream) transfer(kind string, t *Transfer, part driver.Slice, enqueue func(*Transfer, driver.Slice) error) error {
	if r := s.recorder.Load(); r != nil {
		return r.refuse(transfers)
	}
	t.device = s.device
	var err error
	if len(t.host) > 0 {
		err = s.copying(kind, uint64(len(t.host)), func() error { return enqueue(t, part) })
	}
	if err == nil {
		err = s.mark(t)
	}
	if err != nil {
		// What has been enqueued may use the slice, which the program takes back.
		if s.device.driver.Drain() != nil {
			_ = s.stream.Wait(context.Background())
		}
		for _, e := range t.events {
			_ = e.Close()
		}
		t.release()
	}
	return err
}

// mark enqueues an event after a part of a transfer.
func (s *Stream) mark(t *Transfer) error {
	// This call and those before it precede the event.
	e, err := s.event(s.progress.given.Load() + 1)
	if err == nil {
		t.events = append(t.events, e)
	}
	return err
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
	t.part = max(leastPart, (len(t.host)/mostParts+4096)&^4095)
	for at := 0; at < len(t.host); at += t.part {
		if at > 0 {
			if err := s.mark(t); err != nil {
				return err
			}
		}
		from := driver.Slice{Memory: part.Memory, Offset: part.Offset + uint64(at), Bytes: uint64(min(t.part, len(t.host)-at))}
		if err := s.stream.ReadTo(t.staged.block.memory, uint64(at), from); err != nil {
			return err
		}
	}
	return nil
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
	if _, event := t.next(); event == nil {
		return true, nil
	}
	last := len(t.events) - 1
	done, err := t.events[last].Done()
	if _, event := t.next(); event == nil { // by another goroutine
		return true, nil
	}
	if err != nil || !done {
		return false, err
	}
	err = t.finish(last)
	return err == nil, err
}

// Wait blocks until the transfer has finished or ctx ends. If ctx has ended and the transfer was
// not known to have finished, it returns the context's error.
func (t *Transfer) Wait(ctx context.Context) error {
	if !t.valid() {
		return invalid("transfer", transferMaker)
	}
	for {
		part, event := t.next()
		if event == nil {
			return nil
		}
		err := event.Wait(ctx)
		if now, _ := t.next(); now > part { // by another goroutine
			continue
		}
		if err == nil {
			err = t.finish(part)
		}
		if err != nil {
			return err
		}
	}
}

// next returns the first part that is not in host, and its event, or nil if all are.
func (t *Transfer) next() (part int, event *Event) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.copied == len(t.events) {
		return t.copied, nil
	}
	return t.copied, t.events[t.copied]
}

// finish does what is left to the host up to a part that the device has copied.
func (t *Transfer) finish(part int) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.copied > part {
		return nil
	}
	if err := t.device.enter(); err != nil {
		return err
	}
	defer t.device.leave()
	var failure error
	for ; t.copied <= part; t.copied++ {
		if t.staged != nil {
			from, to := t.copied*t.part, min((t.copied+1)*t.part, len(t.host))
			driver.Copy(t.host[from:to], t.staged.block.memory.Bytes()[from:to])
		}
		failure = join(failure, t.events[t.copied].Close())
	}
	if t.copied == len(t.events) {
		if t.staged != nil {
			t.staged.users.settle()
		}
		t.release()
	}
	return failure
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
