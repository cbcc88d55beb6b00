// Large copies between host and device: several goroutines fill or empty staging memory while the
// device copies other parts of it.

package vulkan

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// ringBytes is the size above which copies go through rings. Smaller ones share chunks and
// submissions, and wake fewer goroutines.
const ringBytes = 4 << 20

// pace was measured on an H200. Each slot is a submission, and goroutines that all ask for the
// semaphore halve the speed.
var pace = driver.Pace{MostSlot: 8 << 20, Patience: 200 * time.Microsecond}

// ring is the staging memory of a large copy. It implements driver.Ring.
type ring struct {
	driver.Staging
	device  *device
	region  region
	memory  []byte
	numbers [driver.Slots]atomic.Uint64 // submissions of the last copies

	// of the transfer
	mutex  sync.Mutex // its calls use the stream one at a time
	stream *stream
	of     *memory
	offset uint64 // in that memory
	toHost bool
}

// transfer copies between device memory and host bytes through a ring; the stream's mutex is held.
func (s *stream) transfer(of *memory, offset uint64, host []byte, toHost bool) error {
	d := s.device
	if err := d.reap(); err != nil { // so that rings are seen to be ready
		return err
	}
	r, err := d.rings.Take(pace.Bytes(len(host)), d.newRing)
	if err != nil {
		return err
	}
	r.stream, r.of, r.offset, r.toHost = s, of, offset, toHost
	err = r.Run(r, &pace, host, toHost, r.memory)
	r.stream, r.of = nil, nil
	d.rings.Put(r)
	return err
}

// Trim gives back the staging memory of large copies.
func (d *device) Trim() error {
	if err := d.Drain(); err != nil {
		return err
	}
	d.rings.Trim()
	return nil
}

func (d *device) newRing(bytes int) (*ring, error) {
	region, err := d.host.alloc(uint64(bytes))
	if err != nil {
		return nil, err
	}
	return &ring{device: d, region: region, memory: region.bytes(bytes)}, nil
}

// bytes are the first of a region that is mapped.
func (r *region) bytes(n int) []byte { return dl.Bytes(r.block.address+uintptr(r.span.offset), n) }

// Memory implements driver.Ring.
func (r *ring) Memory() []byte { return r.memory }

// Ready implements driver.Ring.
func (r *ring) Ready() bool {
	last := uint64(0)
	for n := range r.numbers {
		last = max(last, r.numbers[n].Load())
	}
	return r.device.completed.Load() >= last
}

// Destroy implements driver.Ring.
func (r *ring) Destroy() { r.device.host.release(r.region) }

// Enter implements driver.Stage: any thread may call Vulkan.
func (r *ring) Enter() error { return nil }

// Leave implements driver.Stage.
func (r *ring) Leave() {}

// Copy implements driver.Stage.
func (r *ring) Copy(slot, at, offset, bytes int) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	s := r.stream
	b, err := s.recording()
	if err != nil {
		return err
	}
	if err := b.order(&r.of.resource, !r.toHost); err != nil {
		return err
	}
	device := r.offset + uint64(offset)
	if r.toHost {
		s.copies = bufferCopy{device, uint64(at), uint64(bytes)}
		s.copyBuffer(b, r.of.region.buffer, r.region.buffer)
		b.hostRead()
	} else {
		s.copies = bufferCopy{uint64(at), device, uint64(bytes)}
		s.copyBuffer(b, r.region.buffer, r.of.region.buffer)
	}
	if err := s.submit(); err != nil {
		return err
	}
	r.numbers[slot].Store(s.last)
	return nil
}

// Await implements driver.Stage.
func (r *ring) Await(slot int) error {
	return r.device.wait(context.Background(), r.numbers[slot].Load())
}
