// Pinned memory through which larger slices and textures are copied. What a device has pinned is
// kept until Device.Trim or Close: pinning takes longer than copying.

package cudalike

import (
	"cmp"
	"context"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// ring is the pinned memory of a transfer. It implements driver.Ring.
type ring struct {
	driver.Staging
	device  *device
	address uintptr
	memory  []byte
	events  [driver.Slots]uintptr // after the last copy of each slot

	// of the transfer
	stream *stream
	of     uintptr // address of the device's memory
	toHost bool
}

// staging holds the pinned memory of a device.
type staging struct {
	rings  driver.Rings[*ring]
	chunks chunks
}

// destroy gives back everything.
func (p *staging) destroy(d *device) {
	p.rings.Destroy()
	p.chunks.destroy(d)
}

// pace was measured on an H200. All may ask for an event: if only one did, copies of 256 MiB would
// take a quarter longer.
var pace = driver.Pace{MostSlot: 4 << 20}

// staged copies between device memory and host bytes through pinned memory; enter must have been
// called.
func (s *stream) staged(device uintptr, host []byte, toHost bool) error {
	d := s.device
	r, err := d.staging.rings.Take(pace.Bytes(len(host)), d.newRing)
	if err != nil {
		return err
	}
	r.stream, r.of, r.toHost = s, device, toHost
	err = r.Run(r, &pace, host, toHost, r.memory)
	r.stream = nil
	d.staging.rings.Put(r)
	return err
}

// newRing pins memory.
func (d *device) newRing(bytes int) (*ring, error) {
	r := &ring{device: d}
	var err error
	if r.address, err = d.pin(bytes); err != nil {
		return nil, err
	}
	r.memory = dl.Bytes(r.address, bytes)
	for n := range r.events {
		if r.events[n], err = d.newEvent(eventWithoutTiming | eventBlocking); err != nil {
			r.Destroy()
			return nil, err
		}
	}
	return r, nil
}

// pin allocates pinned memory and returns its address.
func (d *device) pin(bytes int) (uintptr, error) {
	var address uintptr
	err := d.check("allocate pinned memory", dl.Call(d.c.HostAlloc, uintptr(unsafe.Pointer(&address)), uintptr(bytes), 0))
	return address, err
}

// Memory implements driver.Ring.
func (r *ring) Memory() []byte { return r.memory }

// Ready implements driver.Ring.
func (r *ring) Ready() bool {
	for _, event := range r.events {
		if uint32(dl.Call1(r.device.c.EventQuery, event)) == codeNotReady {
			return false
		}
	}
	return true
}

// Destroy implements driver.Ring.
func (r *ring) Destroy() {
	c := r.device.c
	for _, event := range r.events {
		if event != 0 {
			dl.Call(c.EventDestroy, event)
		}
	}
	dl.Call(c.HostFree, r.address)
}

// Enter implements driver.Stage.
func (r *ring) Enter() error { return r.device.enter() }

// Leave implements driver.Stage.
func (r *ring) Leave() { r.device.leave() }

// Copy implements driver.Stage.
func (r *ring) Copy(slot, at, offset, bytes int) error {
	d, stream := r.device, r.stream.handle
	host, device := r.address+uintptr(at), r.of+uintptr(offset)
	var err error
	if r.toHost {
		err = d.check("read", dl.Call4(d.c.CopyToHost, host, device, uintptr(bytes), stream))
	} else {
		err = d.check("write", dl.Call4(d.c.CopyToDevice, device, host, uintptr(bytes), stream))
	}
	return cmp.Or(err, d.check("record an event", dl.Call2(d.c.EventRecord, r.events[slot], stream)))
}

// Await implements driver.Stage.
func (r *ring) Await(slot int) error {
	event := r.events[slot]
	return r.device.wait(context.Background(), r.device.c.EventQuery, event, event, 0)
}

// Size and number of the chunks through which textures are copied.
const (
	chunkBytes = 4 << 20
	maxChunks  = 8
)

// chunk is a piece of pinned host memory. Its event is recorded after the last copy that uses it.
type chunk struct {
	address uintptr
	data    []byte
	event   uintptr
}

// chunks holds the chunks that no call is using, the least recently used first.
type chunks struct {
	mutex sync.Mutex
	queue []*chunk
	made  []*chunk
}

// takeChunk returns a chunk whose copies are done; enter must have been called.
func (d *device) takeChunk() (*chunk, error) {
	p := &d.staging.chunks
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
	var err error
	if c.address, err = d.pin(chunkBytes); err == nil {
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

func (p *chunks) put(c *chunk) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.queue = append(p.queue, c)
}

func (p *chunks) destroy(d *device) {
	for _, c := range p.made {
		dl.Call(d.c.EventDestroy, c.event)
		dl.Call(d.c.HostFree, c.address)
	}
	p.made, p.queue = nil, nil
}
