// Allocations: memory that buffers share, and the work that uses it.

package gpu

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Allocator is what Alloc takes memory of: a *Device, a *Stream or an *Arena.
type Allocator interface {
	// source returns the device, or what is wrong with a nil or zero value.
	source() (*Device, error)
	// allocate reserves whole words, and has them zeroed if asked to.
	allocate(bytes uint64, zeros bool) (*allocation, error)
}

// allocation is device memory, which a buffer and its slices share.
type allocation struct {
	lifetime
	device *Device
	memory driver.Memory
	users  *users
	span   *span // nil without bytes, and of an arena's buffers
	// capture is that in which a stream has made it, or nil.
	capture *capture
}

// users are the streams whose work uses memory, each with the last call. Nearly always it is one,
// which needs no lock.
type users struct {
	first  atomic.Pointer[progress]
	number atomic.Uint64

	mutex  sync.Mutex
	others []use
}

// whole is all of the memory.
func (a *allocation) whole() driver.Slice {
	return driver.Slice{Memory: a.memory, Bytes: a.memory.Bytes()}
}

// note notes that the call under way on a stream uses the memory. The stream's mutex is held. A
// recording keeps what it uses open, except memory of its own capture.
func (a *allocation) note(s *Stream) {
	if r := s.recorder.Load(); r != nil && a.capture != r.capture {
		r.touched = append(r.touched, a)
		return
	}
	a.users.note(s.progress, s.progress.given.Load()+1)
}

func (u *users) note(p *progress, number uint64) {
	if u.first.Load() == p {
		raise(&u.number, number)
		return
	}
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.first.Load() == nil {
		u.number.Store(number)
		u.first.Store(p)
		return
	}
	for n := range u.others {
		if u.others[n].stream == p {
			u.others[n].number = max(u.others[n].number, number)
			return
		}
	}
	u.others = append(u.others, use{p, number})
}

// unfinished appends the uses by work that may be under way. Nothing uses the memory any more.
func (u *users) unfinished(to []use) []use {
	if p := u.first.Load(); p != nil {
		if first := (use{p, u.number.Load()}); !first.finished() {
			to = append(to, first)
		}
	}
	u.mutex.Lock()
	defer u.mutex.Unlock()
	for _, other := range u.others {
		if !other.finished() {
			to = append(to, other)
		}
	}
	return to
}

func (d *Device) source() (*Device, error) {
	if !d.valid() {
		return nil, invalid("device", deviceMaker)
	}
	return d, nil
}

func (d *Device) allocate(bytes uint64, zeros bool) (*allocation, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	return d.allocation(bytes, nil, zeros)
}

func (s *Stream) source() (*Device, error) {
	if !s.valid() {
		return nil, invalid("stream", streamMaker)
	}
	return s.device, nil
}

func (s *Stream) allocate(bytes uint64, zeros bool) (*allocation, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	return s.device.allocation(bytes, s, zeros)
}

// own is the stream for memory that only its work uses, or nil in a capture: its replays may be on
// any stream.
func (s *Stream) own() *Stream {
	if s.recorder.Load() != nil {
		return nil
	}
	return s
}

// allocation reserves memory, for the work of a stream if there is one, inside enter and leave.
func (d *Device) allocation(bytes uint64, s *Stream, zeros bool) (*allocation, error) {
	a := &allocation{device: d, users: new(users)}
	if s != nil {
		if r := s.recorder.Load(); r != nil {
			a.capture = r.capture
		}
	}
	var free func() error
	err := d.collecting(bytes, func() (err error) {
		a.memory, a.span, free, err = d.memory(bytes, s, zeros, a.users)
		return err
	})
	if errors.Is(err, ErrOutOfMemory) {
		err = d.outOfMemory("allocate a buffer", bytes, err)
	}
	if err != nil {
		return nil, err
	}
	r := &d.reserve
	a.lifetime.open(d.orphans, freeing(d, func() error {
		r.bytes.Add(-int64(bytes))
		return free()
	}))
	return a, nil
}

// memory takes memory of the pool. free gives it back.
func (d *Device) memory(bytes uint64, s *Stream, zeros bool, by *users) (m driver.Memory, part *span, free func() error, err error) {
	if bytes == 0 {
		if m, err = d.driver.Alloc(0); err != nil {
			return nil, nil, nil, err
		}
		return m, nil, m.Free, nil
	}
	var stream *progress
	if s != nil {
		stream = s.progress
	}
	if part, err = d.pool.take(bytes, stream); err != nil {
		return nil, nil, nil, err
	}
	if stream != nil { // whose earlier work may use the memory
		by.note(stream, stream.given.Load()+1)
	}
	free = func() error {
		var list [2]use
		d.pool.give(part, bytes, by.unfinished(list[:0]))
		return nil
	}
	if m, err = part.block.block.Part(part.offset, bytes); err != nil {
		return nil, nil, nil, errors.Join(err, free())
	}
	giveSpan, freePart := free, m.Free
	captured := s != nil && s.recorder.Load() != nil
	if captured {
		freePart = s.recorder.Load().capture.later(m.Free)
	}
	free = func() error { return errors.Join(freePart(), giveSpan()) }
	switch {
	case stream != nil:
		// A replay finds what the one before has left.
		if zeros && (!part.zeros || captured) {
			err = s.stream.Clear(m)
		}
	case zeros && !part.zeros:
		err = d.driver.Clear(m)
	}
	if err != nil {
		return nil, nil, nil, errors.Join(err, free())
	}
	return m, part, free, nil
}

// abandon notes that a copy to memory may go on, which nobody waits for.
func (p *pool) abandon(a *allocation) {
	a.users.note(&p.transfers, p.transfers.given.Add(1))
}
