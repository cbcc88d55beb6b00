// The pool of device memory, for buffers and whatever else kernels use. Blocks come from the
// driver; buffers get spans of them. A span that is freed goes to the next request at once if no
// work uses it, or if the request is for the stream whose work does. What is unused goes back when
// memory is short, or when the pool would grow beyond what was needed at once.
//
// Spans depend on the requests and on what was waited for, never on how fast a device works: the
// same calls get the same memory.

package gpu

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Sizes in bytes.
const (
	// smallest is the size that all spans are multiples of. It suits all that memory is bound as:
	// offsets of bindings (Vulkan and WebGPU ask for at most 256), vectors, tensor maps (128).
	smallest = 256
	// firstBlock and largestBlock limit the size of blocks that buffers share. It is a blockShare
	// of what is reserved, or down to half of that. So what is left of the last block is little.
	firstBlock   = 512 << 10
	largestBlock = 1 << 30
	blockShare   = 128
	// A buffer above an aloneShare of such a block, and above leastAlone, has a block alone: what
	// splits large blocks keeps others from their size. Drivers may have a limit for blocks (Vulkan
	// has at least 4096), so that there are only mostAlone. Such a block may be larger than the
	// buffer by a wasteShare of itself.
	aloneShare = 16
	leastAlone = 256 << 10
	mostAlone  = 2000
	wasteShare = 16
	// spareShare is the part of what was needed at once by which blocks may exceed it.
	spareShare = 64
	// Large buffers of one size do not begin at equal offsets within mebibytes: elements with the
	// same index would compete for the same sets of a cache.
	staggered = 1 << 20
	stagger   = 4096 + smallest
	// minWaiting is how much freed memory may wait for work before an allocation waits for it.
	minWaiting = 64 << 20
)

// pool is the memory of a device.
type pool struct {
	device    driver.Device
	owner     *Device // for profiles; nil in tests
	alignment uint64
	most      uint64 // of one allocation

	mutex    sync.Mutex
	blocks   blocks
	held     uint64 // bytes of the spans that are taken
	peakHeld uint64
	limit    uint64      // 0 for none
	stats    MemoryStats // what is counted, not what blocks know
	// transfers is the progress of copies that nobody waited for to the end.
	transfers progress
}

func newPool(d driver.Device, info *Info) *pool {
	return &pool{device: d, alignment: max(uint64(info.PartAlignment), smallest), most: info.MaxBufferBytes}
}

// spanBytes is the size of the span for a request: a multiple of the alignment with at most four
// leading bits, or seven above a mebibyte. So requests of about the same size can have each other's
// memory, and lose at most an eighth, or a 64th.
func (p *pool) spanBytes(bytes uint64) uint64 {
	exponent := bits.Len64(bytes|1) - 1
	step := uint64(1) << max(exponent-3, 0)
	if bytes > 1<<20 {
		step = 1 << (exponent - 6)
	}
	step = max(step, p.alignment)
	size := (bytes + step - 1) &^ (step - 1)
	if bytes >= staggered {
		size += max(stagger, p.alignment)
	}
	if size > p.most {
		return bytes // it has a block alone
	}
	return size
}

// blockBytes is the size of the next block that buffers share.
func (p *pool) blockBytes() uint64 {
	size := uint64(1) << (bits.Len64(p.blocks.reserved/blockShare|1) - 1)
	return min(max(size, firstBlock), largestBlock, p.most&^(p.alignment-1))
}

// take returns a span for a number of bytes. Work of the given stream, if there is one, may still
// use it.
func (p *pool) take(bytes uint64, stream *progress) (*span, error) {
	size := p.spanBytes(bytes)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	s, err := p.find(size, stream)
	if err != nil {
		p.stats.Failures++
		return nil, err
	}
	p.held += s.bytes
	p.peakHeld = max(p.peakHeld, p.held)
	p.stats.Buffers++
	p.stats.Allocs++
	p.use(bytes)
	return s, nil
}

// use counts bytes in use.
func (p *pool) use(bytes uint64) {
	p.stats.InUse += bytes
	p.stats.Peak = max(p.stats.Peak, p.stats.InUse)
}

// find looks for a span, waits for work if there is much that it holds, and then makes room.
func (p *pool) find(size uint64, stream *progress) (*span, error) {
	if s := p.blocks.take(size, stream); s != nil {
		return s, nil
	}
	if p.blocks.waitingBytes-p.blocks.capturedBytes >= max(minWaiting, p.held/2, size) {
		p.drain()
		if s := p.blocks.take(size, stream); s != nil {
			return s, nil
		}
	}
	if stream != nil && len(stream.spans) > 0 && !stream.captured { // whose spans nobody else gets
		p.blocks.absorb(stream)
		if s := p.blocks.take(size, stream); s != nil {
			return s, nil
		}
	}
	err := p.grow(size, stream)
	if errors.Is(err, ErrOutOfMemory) && p.blocks.waitingBytes > p.blocks.capturedBytes {
		p.drain()
		if s := p.blocks.take(size, stream); s != nil {
			return s, nil
		}
		err = p.grow(size, stream)
	}
	if err != nil {
		return nil, err
	}
	return p.blocks.take(size, nil), nil
}

// grow reserves a block that has room for a span. Unused blocks go first, as far as the pool would
// exceed what was ever needed at once by more than a small part. For a stream, so do blocks that
// wait for work: it could have had them if they had the size.
func (p *pool) grow(size uint64, stream *progress) error {
	bytes := p.blockBytes()
	alone := size > bytes/2 || size > max(bytes/aloneShare, leastAlone) && len(p.blocks.list) < mostAlone
	if alone {
		bytes = size
	}
	needed := p.held + size
	if stream == nil {
		needed += p.blocks.waitingBytes
	}
	needed = max(needed, p.peakHeld)
	allowed := needed + max(needed/spareShare, firstBlock)
	p.trim(idle, bytes, allowed)
	if stream != nil {
		p.trim(waiting, bytes, allowed)
	}
	if !p.allows(bytes) && !p.allows(size) {
		return fmt.Errorf("%w: the limit is reached", ErrOutOfMemory)
	}
	if !p.allows(bytes) {
		bytes = size
	}
	err := p.reserve(bytes, alone)
	if bytes > size && errors.Is(err, ErrOutOfMemory) {
		bytes = size
		err = p.reserve(bytes, alone)
	}
	if errors.Is(err, ErrOutOfMemory) && p.trim(idle, bytes, 0) {
		err = p.reserve(bytes, alone)
	}
	return err
}

// allows reports whether the limit allows some more bytes, if need be without unused blocks.
func (p *pool) allows(bytes uint64) bool {
	if p.limit == 0 {
		return true
	}
	p.trim(idle, bytes+p.stats.Textures, p.limit)
	return p.blocks.reserved+p.stats.Textures+bytes <= p.limit
}

// trim gives blocks back that are one span of a state, the longest unused first, until all blocks
// and some more bytes are within what is allowed. It reports whether it gave any. A driver frees a
// block that is waiting when its work has finished.
func (p *pool) trim(state spanState, more, allowed uint64) (gave bool) {
	for p.blocks.reserved+more > allowed {
		m := p.blocks.oldest(state)
		if m == nil {
			return gave
		}
		p.blocks.remove(m)
		p.stats.BlocksFreed++
		_ = m.block.Free() // which fails on a lost device alone, as the next call says
		gave = true
	}
	return gave
}

// reserve adds a block.
func (p *pool) reserve(bytes uint64, alone bool) error {
	var block driver.Block
	zeros := false
	err := p.profiled(bytes, func() (err error) {
		block, zeros, err = p.device.Reserve(bytes)
		return err
	})
	if err != nil {
		return err
	}
	p.blocks.add(block, bytes, zeros, alone)
	p.stats.BlocksReserved++
	p.stats.PeakReserved = max(p.stats.PeakReserved, p.blocks.reserved+p.stats.Textures)
	return nil
}

// drain waits for the work that spans wait for, without the mutex. After an error they wait on.
func (p *pool) drain() error {
	var marks []use
	for _, s := range p.blocks.streams {
		if !s.captured {
			marks = append(marks, use{s, s.given.Load()})
		}
	}
	p.stats.Waits++
	p.mutex.Unlock()
	err := p.device.Drain()
	p.mutex.Lock()
	if err != nil {
		return err
	}
	for _, m := range marks {
		m.stream.finish(m.number)
	}
	for _, m := range marks {
		p.blocks.finished(m.stream)
	}
	return nil
}

// give frees a span that was taken for a number of bytes, and that work may still use.
func (p *pool) give(s *span, bytes uint64, uses []use) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.held -= s.bytes
	p.stats.InUse -= bytes
	p.stats.Buffers--
	p.stats.Frees++
	p.blocks.give(s, uses)
}

// finished notes that the work that a stream was given by a number of calls has finished.
func (p *pool) finished(s *progress, number uint64) {
	s.finish(number)
	if s.waiting.Load() == 0 {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.blocks.finished(s)
}

// inherit has what a recording has kept wait for its replays.
func (p *pool) inherit(captured *progress, replays []use) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.blocks.inherit(captured, replays)
}

// texture makes room for a texture of some bytes and calls create.
func (p *pool) texture(bytes uint64, create func() error) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.allows(bytes) {
		p.drain()
		if !p.allows(bytes) {
			p.stats.Failures++
			return fmt.Errorf("%w: the limit is reached", ErrOutOfMemory)
		}
	}
	err := create()
	if errors.Is(err, ErrOutOfMemory) {
		p.drain()
		p.trim(idle, 0, 0)
		err = create()
	}
	if err != nil {
		p.stats.Failures++
		return err
	}
	p.stats.Textures += bytes
	p.use(bytes)
	p.stats.PeakReserved = max(p.stats.PeakReserved, p.blocks.reserved+p.stats.Textures)
	return nil
}

// giveTexture notes that a texture is freed.
func (p *pool) giveTexture(bytes uint64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.stats.Textures -= bytes
	p.stats.InUse -= bytes
}

// trimAll waits for work and gives back whatever is unused.
func (p *pool) trimAll() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var err error
	if p.blocks.waitingBytes > p.blocks.capturedBytes {
		err = p.drain()
	}
	p.trim(idle, 0, 0)
	if t, ok := p.device.(driver.Trimmer); ok {
		err = errors.Join(err, t.Trim())
	}
	return err
}
