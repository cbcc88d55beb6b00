// Small copies between host and device, and those of textures, go through chunks of staging memory
// that both reach: the host fills or empties some while the device copies others.

package vulkan

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"unsafe"

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

// takeChunk returns a chunk. When many are in use it first waits for what this stream has
// submitted. If that frees none, others hold them; it makes one more rather than wait for work that
// may never be submitted.
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
		if err := s.wait(context.Background()); err != nil {
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
	if err := s.checkTransfer(&dst, src); err != nil {
		return fmt.Errorf("vulkan: write: %w", err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	to := dst.Memory.(*memory)
	if len(src) > ringBytes {
		return s.transfer(to, dst.Offset, src, false)
	}
	class := classFor(len(src))
	for len(src) > 0 {
		c, b, err := s.stage(class, len(src))
		if err != nil {
			return err
		}
		n := min(len(src), len(c.data)-int(c.used))
		driver.Copy(c.data[c.used:][:n], src[:n])
		if err := b.order(&to.resource, true); err != nil {
			return err
		}
		s.copies = bufferCopy{c.used, dst.Offset, uint64(n)}
		s.copyBuffer(b, c.region.buffer, to.region.buffer)
		src, dst.Offset = src[n:], dst.Offset+uint64(n)
		if err := s.staged(c, n, len(src) > 0); err != nil {
			return err
		}
	}
	return nil
}

// staged counts the copy of n bytes out of a chunk. If there is more to come, the
// device copies this piece while the host fills the next.
func (s *stream) staged(c *chunk, n int, more bool) error {
	c.used += (uint64(n) + 15) &^ 15
	if err := s.recorded(); err != nil || !more {
		return err
	}
	return s.submit()
}

// order makes the next command, which reads or writes r, wait for those that it
// conflicts with.
func (b *batch) order(r *resource, writes bool) error {
	conflict, err := b.conflicts(r, writes)
	if err != nil {
		return err
	}
	if conflict {
		b.barrier()
	}
	b.touch(r, writes)
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

// origin is where a read is up to: in memory or, if there is an image, there.
type origin struct {
	memory *memory
	offset uint64
	image  *image
	level  levelCopy
}

// resource returns what is read.
func (o *origin) resource() *resource {
	if o.image != nil {
		return &o.image.resource
	}
	return &o.memory.resource
}

// copy records the copy of up to n bytes to a chunk, advances by what it copies,
// and returns that.
func (o *origin) copy(s *stream, b *batch, c *chunk, n int) int {
	if o.image != nil {
		s.texels, n = o.level.next(uint64(n))
		dl.Call(s.device.vk.CmdCopyImageToBuffer, b.commands, uintptr(o.image.handle), layoutGeneral, uintptr(c.region.buffer),
			1, uintptr(unsafe.Pointer(&s.texels)))
		return n
	}
	s.copies = bufferCopy{o.offset, 0, uint64(n)}
	s.copyBuffer(b, o.memory.region.buffer, c.region.buffer)
	o.offset += uint64(n)
	return n
}

// Read copies device memory to staging memory piece by piece, and each piece on
// to dst while the device copies the next.
func (s *stream) Read(dst []byte, src driver.Slice) error {
	if err := s.checkTransfer(&src, dst); err != nil {
		return fmt.Errorf("vulkan: read: %w", err)
	}
	if len(dst) > ringBytes {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		return s.transfer(src.Memory.(*memory), src.Offset, dst, true)
	}
	return s.read(dst, &origin{memory: src.Memory.(*memory), offset: src.Offset})
}

func (s *stream) read(dst []byte, from *origin) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(dst) == 0 {
		return s.wait(context.Background())
	}
	var pieces [readsInFlight]pending
	first, count := 0, 0
	class := classFor(len(dst))
	defer func() { // after an error
		for ; count > 0; count-- {
			s.device.staging[class].put(pieces[first].chunk)
			first = (first + 1) % readsInFlight
		}
	}()
	for len(dst) > 0 || count > 0 {
		if len(dst) > 0 && count < readsInFlight {
			piece, err := s.readPiece(class, from, dst)
			if err != nil {
				return err
			}
			pieces[(first+count)%readsInFlight] = piece
			count++
			dst = dst[len(piece.dst):]
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
func (s *stream) readPiece(class int, from *origin, dst []byte) (pending, error) {
	c, err := s.takeChunk(class)
	if err != nil {
		return pending{}, err
	}
	n, err := s.submitRead(c, from, min(len(dst), len(c.data)))
	if err != nil {
		s.device.staging[class].put(c)
		return pending{}, err
	}
	return pending{c, s.last, dst[:n]}, nil
}

func (s *stream) submitRead(c *chunk, from *origin, n int) (int, error) {
	b, err := s.recording()
	if err != nil {
		return 0, err
	}
	if err := b.order(from.resource(), false); err != nil {
		return 0, err
	}
	n = from.copy(s, b, c, n)
	b.hostRead()
	return n, s.submit()
}

// checkTransfer tells whether a slice can be copied from or to host memory.
func (s *stream) checkTransfer(b *driver.Slice, host []byte) error {
	return cmp.Or(s.checkSlice(b), b.CheckHost(host))
}
