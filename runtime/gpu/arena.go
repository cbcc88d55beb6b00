// Arenas: memory for buffers that end together.

package gpu

import (
	"errors"
	"fmt"
	"sync"
)

// Arena is memory for buffers that are needed equally long, such as those of a request or of a step
// of training. Stream.NewArena makes it, and Alloc makes buffers in it, one behind the other. Reset
// ends all of them and keeps the memory for the next ones, so that an arena that is large enough
// asks the device for nothing.
//
// The arena's work is the stream's: its memory is zeroed in the order of the stream, for all
// buffers at once. Other streams may use the buffers after a wait for the stream, as for all work.
type Arena struct {
	stream *Stream

	mutex  sync.Mutex
	closed bool
	chunks []*chunk
	// captured are the buffers that were made in captures, each of which has memory of its own.
	captured []*allocation
	most     uint64 // bytes of buffers between two resets
	used     uint64 // since the last
}

// chunk is a part of an arena's memory.
type chunk struct {
	memory *allocation
	bytes  uint64
	used   uint64
	open   []*allocation // of the buffers in it
}

// NewArena makes an arena with room for buffers of some bytes, each of which is rounded up to a
// multiple of 256, or of Info.PartAlignment if that is more. It grows if they need more, and is in
// one piece again after the next Reset. Errors are those of Alloc.
func (s *Stream) NewArena(bytes uint64) (*Arena, error) {
	if !s.valid() {
		return nil, invalid("make an arena: stream", streamMaker)
	}
	a := &Arena{stream: s, most: bytes}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if s.recorder.Load() != nil {
		return a, nil
	}
	if _, err := a.room(bytes); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *Arena) source() (*Device, error) {
	if !a.valid() {
		return nil, invalid("arena", arenaMaker)
	}
	return a.stream.device, nil
}

// room returns a chunk with some more bytes. The mutex is held.
func (a *Arena) room(bytes uint64) (*chunk, error) {
	if n := len(a.chunks); n > 0 && a.chunks[n-1].bytes-a.chunks[n-1].used >= bytes {
		return a.chunks[n-1], nil
	}
	d := a.stream.device
	size := max(bytes, a.most)
	if len(a.chunks) > 0 {
		size = max(bytes, a.used) // twice of what there is
	}
	size = max(min(size, d.info.MaxBufferBytes), 4)
	if bytes > size {
		return nil, fmt.Errorf("an arena's buffer of %d bytes: %w: there are at most %d on %s", bytes, ErrLimit, d.info.MaxBufferBytes, d.info.ID())
	}
	size = (size + 3) &^ 3
	memory, err := a.stream.allocate(size, true)
	if err != nil && size > bytes && errors.Is(err, ErrOutOfMemory) {
		size = (max(bytes, 4) + 3) &^ 3
		memory, err = a.stream.allocate(size, true)
	}
	if err != nil {
		return nil, err
	}
	c := &chunk{memory: memory, bytes: size}
	a.chunks = append(a.chunks, c)
	return c, nil
}

// allocate takes the next bytes. Its memory is zero since the last Reset.
func (a *Arena) allocate(bytes uint64, _ bool) (*allocation, error) {
	d := a.stream.device
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.closed {
		return nil, fmt.Errorf("arena: %w", ErrClosed)
	}
	if bytes == 0 {
		return d.allocation(0, nil, false)
	}
	if a.stream.recorder.Load() != nil {
		b, err := a.stream.allocate(bytes, true)
		if err == nil {
			a.captured = append(a.captured, b)
		}
		return b, err
	}
	c, err := a.room(bytes)
	if err != nil {
		return nil, err
	}
	// A buffer uses the chunk until it is freed, and then the chunk's users are also its own.
	memory, span, by := c.memory, c.memory.span, new(users)
	m, err := span.block.block.Part(span.offset+c.used, bytes)
	if err != nil {
		return nil, fmt.Errorf("a buffer of an arena: %w", err)
	}
	memory.use()
	b := &allocation{device: d, memory: m, users: by}
	b.lifetime.open(d.orphans, freeing(d, func() error {
		var list [2]use
		for _, u := range by.unfinished(list[:0]) {
			memory.users.note(u.stream, u.number)
		}
		return errors.Join(m.Free(), memory.done())
	}))
	c.open = append(c.open, b)
	size := (bytes + d.pool.alignment - 1) &^ (d.pool.alignment - 1)
	c.used = min(c.used+size, c.bytes)
	a.used += size
	return b, nil
}

// Reset closes all buffers of the arena, whose memory later ones get. Work that uses them goes on:
// the arena's next work comes after that of its stream, and memory that other streams may still use
// is replaced.
func (a *Arena) Reset() error {
	if !a.valid() {
		return invalid("reset an arena", arenaMaker)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	s := a.stream
	if err := s.enter(); err != nil {
		return fmt.Errorf("reset an arena: %w", err)
	}
	defer s.leave()
	if a.closed {
		return fmt.Errorf("arena: %w", ErrClosed)
	}
	a.most, a.used = max(a.most, a.used), 0
	err := a.closeBuffers()
	kept := len(a.chunks) == 1 && a.chunks[0].idle(s) && s.recorder.Load() == nil
	for _, c := range a.chunks {
		if kept && err == nil {
			err = c.rewind(s)
			kept = err == nil
		}
		if !kept {
			err = errors.Join(err, c.memory.close())
		}
	}
	if !kept {
		a.chunks = nil
	}
	return err
}

// closeBuffers closes all buffers.
func (a *Arena) closeBuffers() (err error) {
	for _, b := range a.captured {
		err = errors.Join(err, b.close())
	}
	clear(a.captured)
	a.captured = a.captured[:0]
	for _, c := range a.chunks {
		for _, b := range c.open {
			err = errors.Join(err, b.close())
		}
		clear(c.open)
		c.open = c.open[:0]
	}
	return err
}

// idle reports whether nothing but earlier work of a stream uses the chunk: no call under way, and
// no other stream.
func (c *chunk) idle(s *Stream) bool {
	if c.memory.lifetime.users.Load() > 1 {
		return false
	}
	var list [2]use
	for _, u := range c.memory.users.unfinished(list[:0]) {
		if u.stream != s.progress {
			return false
		}
	}
	return true
}

// rewind zeroes what was used of a chunk.
func (c *chunk) rewind(s *Stream) error {
	if c.used == 0 {
		return nil
	}
	span := c.memory.span
	part, err := span.block.block.Part(span.offset, (c.used+3)&^3)
	if err != nil {
		return fmt.Errorf("reset an arena: %w", err)
	}
	c.memory.note(s)
	c.used = 0
	return errors.Join(s.stream.Clear(part), part.Free())
}

// Close closes the buffers of the arena and frees its memory once the work that uses it has
// finished. Closing twice is no error.
func (a *Arena) Close() error {
	if !a.valid() {
		return invalid("close an arena", arenaMaker)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.closed {
		return nil
	}
	a.closed = true
	return a.stream.device.closing(func() error {
		err := a.closeBuffers()
		for _, c := range a.chunks {
			err = errors.Join(err, c.memory.close())
		}
		a.chunks = nil
		return err
	})
}
