// Copies between host and device go through staging memory that both reach: the
// host fills or empties chunks of it while the device copies others.

package vulkan

import (
	"context"
	"fmt"
	"sync"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// stagingClasses are the sizes of chunks, and how many of each are made before a
// stream waits for its own to come back. Small copies must not hold large
// chunks, and large copies must not be cut into small ones.
var stagingClasses = [...]struct {
	bytes uint64
	most  int
}{
	{64 << 10, 64},
	{8 << 20, 8},
}

// chunk is a piece of staging memory.
type chunk struct {
	region region
	data   []byte
	class  int
	used   uint64
}

// stagingPool holds the chunks of one class.
type stagingPool struct {
	mutex sync.Mutex
	idle  []*chunk
	made  []*chunk
}

// put gives a chunk back.
func (p *stagingPool) put(c *chunk) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	c.used = 0
	p.idle = append(p.idle, c)
}

// destroy frees the buffers of all chunks.
func (p *stagingPool) destroy(h *heap) {
	for _, c := range p.made {
		h.release(c.region)
	}
	p.made, p.idle = nil, nil
}

// takeChunk returns a chunk. When many are in use it first waits for what this
// stream has submitted; if that frees none, others hold them, and it makes one
// more rather than wait for work that may never be submitted.
func (s *stream) takeChunk(class int) (*chunk, error) {
	d := s.device
	p := &d.staging[class]
	for attempt := range 2 {
		p.mutex.Lock()
		if n := len(p.idle); n > 0 {
			c := p.idle[n-1]
			p.idle = p.idle[:n-1]
			p.mutex.Unlock()
			return c, nil
		}
		enough := len(p.made) >= stagingClasses[class].most
		p.mutex.Unlock()
		if !enough || attempt > 0 {
			break
		}
		if err := s.Wait(context.Background()); err != nil {
			return nil, err
		}
	}
	r, err := d.host.alloc(stagingClasses[class].bytes)
	if err != nil {
		return nil, err
	}
	data := dl.Bytes(r.block.address+uintptr(r.span.offset), int(stagingClasses[class].bytes))
	c := &chunk{region: r, data: data, class: class}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.made = append(p.made, c)
	return c, nil
}

// classFor chooses the chunk class of a copy.
func classFor(bytes int) int {
	if uint64(bytes) <= stagingClasses[0].bytes {
		return 0
	}
	return 1
}

// Write copies host bytes into staging memory and records the copies from there.
func (s *stream) Write(dst driver.Slice, src []byte) error {
	if err := s.checkTransfer(&dst, len(src)); err != nil {
		return fmt.Errorf("vulkan: write: %w", err)
	}
	to := dst.Memory.(*memory)
	class := classFor(len(src))
	for len(src) > 0 {
		c, b, err := s.stage(class, len(src))
		if err != nil {
			return err
		}
		n := min(len(src), len(c.data)-int(c.used))
		driver.Copy(c.data[c.used:][:n], src[:n])
		conflict, err := b.conflicts(to, true)
		if err != nil {
			return err
		}
		if conflict {
			b.barrier()
		}
		b.touch(to, true)
		s.copies = bufferCopy{c.used, dst.Offset, uint64(n)}
		s.copyBuffer(b, c.region.buffer, to.region.buffer)
		c.used += (uint64(n) + 15) &^ 15
		src, dst.Offset = src[n:], dst.Offset+uint64(n)
		if err := s.recorded(); err != nil {
			return err
		}
		if len(src) > 0 { // the device copies this piece while the host fills the next
			if err := s.submit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// stage returns a chunk with room that the recording batch holds: the batch's
// last one if the rest of the copy fits into it, else a new one.
func (s *stream) stage(class, bytes int) (*chunk, *batch, error) {
	b, err := s.recording()
	if err != nil {
		return nil, nil, err
	}
	if n := len(b.staging); n > 0 {
		if c := b.staging[n-1]; c.class == class && int(c.used)+bytes <= len(c.data) {
			return c, b, nil
		}
	}
	c, err := s.takeChunk(class)
	if err != nil {
		return nil, nil, err
	}
	if b, err = s.recording(); err != nil { // taking a chunk may have submitted the batch
		s.device.staging[class].put(c)
		return nil, nil, err
	}
	b.staging = append(b.staging, c)
	return c, b, nil
}

// readsInFlight is how many pieces of a large read the device works ahead.
const readsInFlight = 3

// pending is a piece of a read under way.
type pending struct {
	chunk  *chunk
	number uint64
	dst    []byte
}

// Read copies device memory to staging memory piece by piece, and each piece on
// to dst while the device copies the next.
func (s *stream) Read(dst []byte, src driver.Slice) error {
	if err := s.checkTransfer(&src, len(dst)); err != nil {
		return fmt.Errorf("vulkan: read: %w", err)
	}
	if len(dst) == 0 {
		return s.Wait(context.Background())
	}
	var pieces [readsInFlight]pending
	first, count := 0, 0
	class := classFor(len(dst))
	from := src.Memory.(*memory)
	defer func() { // after an error
		for ; count > 0; count-- {
			s.device.staging[class].put(pieces[first].chunk)
			first = (first + 1) % readsInFlight
		}
	}()
	for len(dst) > 0 || count > 0 {
		if len(dst) > 0 && count < readsInFlight {
			piece, err := s.readPiece(class, from, src.Offset, dst)
			if err != nil {
				return err
			}
			pieces[(first+count)%readsInFlight] = piece
			count++
			dst, src.Offset = dst[len(piece.dst):], src.Offset+uint64(len(piece.dst))
			continue
		}
		p := &pieces[first]
		if err := s.device.wait(context.Background(), p.number); err != nil {
			return err
		}
		driver.Copy(p.dst, p.chunk.data[:len(p.dst)])
		s.device.staging[class].put(p.chunk)
		p.chunk = nil
		first, count = (first+1)%readsInFlight, count-1
	}
	return nil
}

// readPiece submits the copy of as much of a read as a chunk holds.
func (s *stream) readPiece(class int, from *memory, offset uint64, dst []byte) (pending, error) {
	c, err := s.takeChunk(class)
	if err != nil {
		return pending{}, err
	}
	number, err := s.submitRead(c, from, offset, min(len(dst), len(c.data)))
	if err != nil {
		s.device.staging[class].put(c)
		return pending{}, err
	}
	return pending{c, number, dst[:min(len(dst), len(c.data))]}, nil
}

func (s *stream) submitRead(c *chunk, from *memory, offset uint64, n int) (uint64, error) {
	b, err := s.recording()
	if err != nil {
		return 0, err
	}
	conflict, err := b.conflicts(from, false)
	if err != nil {
		return 0, err
	}
	if conflict {
		b.barrier()
	}
	b.touch(from, false)
	s.copies = bufferCopy{offset, 0, uint64(n)}
	s.copyBuffer(b, from.region.buffer, c.region.buffer)
	b.hostRead()
	if err := s.submit(); err != nil {
		return 0, err
	}
	return s.last, nil
}

// checkTransfer tells whether a slice can be copied from or to n host bytes.
func (s *stream) checkTransfer(b *driver.Slice, n int) error {
	if err := s.checkSlice(b); err != nil {
		return err
	}
	if uint64(n) != b.Bytes {
		return fmt.Errorf("%w: %d host bytes for %d device bytes", driver.ErrUnsupported, n, b.Bytes)
	}
	return nil
}
