// Copies between host and device. The driver itself is fast with small host slices. Pageable memory
// crosses the bus at a sixth of its speed, so larger slices go through pinned chunks. The largest
// are pinned themselves: allocating a pinned buffer of their size would cost several times the
// copy.

package cudalike

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// The sizes in bytes up to which the driver copies by itself, and above which slices are pinned
// themselves. Slices between go through chunks.
const (
	directBytes   = 32 << 10
	registerBytes = 16 << 20
	chunkBytes    = 4 << 20
	maxChunks     = 8
)

// chunk is a piece of pinned host memory. Its event is recorded after the last
// copy that uses it.
type chunk struct {
	address uintptr
	data    []byte
	event   uintptr
}

// staging holds the chunks that no call is using, the least recently used first.
type staging struct {
	mutex sync.Mutex
	queue []*chunk
	made  []*chunk
}

// takeChunk returns a chunk whose copies are done; enter must have been called.
func (d *device) takeChunk() (*chunk, error) {
	p := &d.staging
	p.mutex.Lock()
	if len(p.queue) > 0 {
		c := p.queue[0]
		ready := uint32(dl.Call1(d.c.EventQuery, c.event)) != codeNotReady
		if ready || len(p.made) >= maxChunks {
			p.queue = append(p.queue[:0], p.queue[1:]...)
			p.mutex.Unlock()
			if err := d.check("run", dl.Call1(d.c.EventSynchronize, c.event)); err != nil {
				return nil, err
			}
			return c, nil
		}
	}
	p.mutex.Unlock()
	c := new(chunk)
	err := d.check("allocate pinned memory", dl.Call(d.c.HostAlloc, uintptr(unsafe.Pointer(&c.address)), chunkBytes, 0))
	if err == nil {
		c.event, err = d.newEvent(eventWithoutTiming | eventBlocking)
	}
	if err != nil {
		if c.address != 0 {
			dl.Call(d.c.HostFree, c.address)
		}
		return nil, err
	}
	c.data = dl.Bytes(c.address, chunkBytes)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.made = append(p.made, c)
	return c, nil
}

func (p *staging) put(c *chunk) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.queue = append(p.queue, c)
}

func (p *staging) destroy(d *device) {
	for _, c := range p.made {
		dl.Call(d.c.EventDestroy, c.event)
		dl.Call(d.c.HostFree, c.address)
	}
	p.made, p.queue = nil, nil
}

// checkTransfer tells whether a slice can be copied from or to host memory.
func (s *stream) checkTransfer(b *driver.Slice, host []byte) error {
	return cmp.Or(s.checkSlice(b), b.CheckHost(host))
}

// Write copies host bytes to the device.
func (s *stream) Write(dst driver.Slice, src []byte) error {
	err := s.write(dst, src)
	if c := s.contentsOf(&dst); c != nil && err == nil {
		c.writeBytes(s, &dst, src)
	} else if c != nil {
		c.write(s, &dst)
	}
	return err
}

// write is Write that remembers nothing.
func (s *stream) write(dst driver.Slice, src []byte) error {
	if err := s.checkTransfer(&dst, src); err != nil {
		return s.device.named(fmt.Errorf("write: %w", err))
	}
	if len(src) == 0 {
		return nil
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	if err := s.await(dst.Memory.(*memory).generation); err != nil {
		return err
	}
	switch {
	case len(src) <= directBytes:
		// Pageable memory has been read when the call returns (Driver API, "API
		// synchronization behavior"; HIP API, hipMemcpyAsync).
		return s.device.check("write", dl.Call4(s.device.c.CopyToDevice, address(&dst), uintptr(dl.First(src)), uintptr(len(src)), s.handle))
	case len(src) > registerBytes && s.register(src):
		defer s.unregister(src)
		err := s.device.check("write", dl.Call4(s.device.c.CopyToDevice, address(&dst), uintptr(dl.First(src)), uintptr(len(src)), s.handle))
		if err != nil {
			return err
		}
		return s.Wait(context.Background())
	}
	return s.writeStaged(address(&dst), src)
}

// register pins a slice. It may fail, as when another call has pinned memory on
// the same page; the copy then goes through chunks.
func (s *stream) register(data []byte) bool {
	return uint32(dl.Call3(s.device.c.HostRegister, uintptr(dl.First(data)), uintptr(len(data)), 0)) == 0
}

func (s *stream) unregister(data []byte) {
	dl.Call1(s.device.c.HostUnregister, uintptr(dl.First(data)))
}

// writeStaged fills pinned chunks while the device copies others.
func (s *stream) writeStaged(to uintptr, src []byte) error {
	d := s.device
	for len(src) > 0 {
		c, err := d.takeChunk()
		if err != nil {
			return err
		}
		n := min(len(src), chunkBytes)
		driver.Copy(c.data[:n], src[:n])
		err = d.check("write", dl.Call4(d.c.CopyToDevice, to, c.address, uintptr(n), s.handle))
		if err == nil {
			err = d.check("record an event", dl.Call2(d.c.EventRecord, c.event, s.handle))
		}
		d.staging.put(c)
		if err != nil {
			return err
		}
		src, to = src[n:], to+uintptr(n)
	}
	return nil
}

// Read copies device memory to host bytes.
func (s *stream) Read(dst []byte, src driver.Slice) error {
	if err := s.checkTransfer(&src, dst); err != nil {
		return s.device.named(fmt.Errorf("read: %w", err))
	}
	if len(dst) == 0 {
		return s.Wait(context.Background())
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	if err := s.await(src.Memory.(*memory).generation); err != nil {
		return err
	}
	direct := len(dst) <= directBytes
	if !direct && len(dst) > registerBytes && s.register(dst) {
		defer s.unregister(dst)
		direct = true
	}
	if !direct {
		given := s.given
		err := s.readStaged(dst, address(&src))
		if err == nil {
			s.finish(given)
		}
		return err
	}
	err := s.device.check("read", dl.Call4(s.device.c.CopyToHost, uintptr(dl.First(dst)), address(&src), uintptr(len(dst)), s.handle))
	if err != nil {
		return err
	}
	return s.Wait(context.Background())
}

// readsInFlight is how many chunks of a read the device works ahead.
const readsInFlight = 3

// readStaged empties pinned chunks while the device fills others.
func (s *stream) readStaged(dst []byte, from uintptr) error {
	d := s.device
	var chunks [readsInFlight]*chunk
	first, count := 0, 0
	defer func() {
		for ; count > 0; count-- { // after an error
			d.staging.put(chunks[first])
			first = (first + 1) % readsInFlight
		}
	}()
	for asked := 0; len(dst) > 0; {
		if asked < len(dst) && count < readsInFlight {
			c, err := d.takeChunk()
			if err != nil {
				return err
			}
			chunks[(first+count)%readsInFlight] = c
			count++
			n := min(len(dst)-asked, chunkBytes)
			if err := d.check("read", dl.Call4(d.c.CopyToHost, c.address, from, uintptr(n), s.handle)); err != nil {
				return err
			}
			if err := d.check("record an event", dl.Call2(d.c.EventRecord, c.event, s.handle)); err != nil {
				return err
			}
			from, asked = from+uintptr(n), asked+n
			continue
		}
		c := chunks[first]
		if err := d.wait(context.Background(), d.c.EventQuery, c.event, c.event, 0); err != nil {
			return err
		}
		n := min(len(dst), chunkBytes)
		driver.Copy(dst[:n], c.data[:n])
		d.staging.put(c)
		first, count = (first+1)%readsInFlight, count-1
		dst, asked = dst[n:], asked-n
	}
	return nil
}
