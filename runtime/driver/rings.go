// The memory of transfers, which devices keep: making it takes longer than a copy.

package driver

import (
	"slices"
	"sync"
)

// Transfers that find all rings busy wait for the one that was used first, if there are mostRings
// of them or mostRingBytes.
const (
	mostRings     = 16
	mostRingBytes = 64 << 20
)

// Ring is memory for transfers, one at a time.
type Ring interface {
	Stage
	// Memory is what both sides reach.
	Memory() []byte
	// Ready reports whether the device has finished all copies.
	Ready() bool
	// Destroy releases the memory. No copy is under way.
	Destroy()
}

// Rings are those of a device.
type Rings[R Ring] struct {
	mutex sync.Mutex
	all   []R
	idle  []R // the longest unused first
	bytes int
}

// Take returns a ring of at least some bytes, which make may make. Copies of its last transfer may
// be under way.
func (p *Rings[R]) Take(bytes int, make func(bytes int) (R, error)) (R, error) {
	if r, ok := p.take(bytes); ok {
		return r, nil
	}
	r, err := make(bytes)
	if err != nil {
		return r, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.all, p.bytes = append(p.all, r), p.bytes+len(r.Memory())
	return r, nil
}

// take returns an idle ring.
func (p *Rings[R]) take(bytes int) (ring R, ok bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	full := len(p.all) >= mostRings || p.bytes+bytes > mostRingBytes
	found := -1
	for n, r := range p.idle {
		if len(r.Memory()) < bytes {
			continue
		}
		if r.Ready() {
			found = n
			break
		}
		if full && found < 0 {
			found = n
		}
	}
	if found < 0 {
		return ring, false
	}
	ring = p.idle[found]
	p.idle = slices.Delete(p.idle, found, found+1)
	return ring, true
}

// Put gives a ring back.
func (p *Rings[R]) Put(r R) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.idle = append(p.idle, r)
}

// Trim destroys what no call is using. No copy is under way.
func (p *Rings[R]) Trim() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for n := 0; n < len(p.idle); {
		r := p.idle[n]
		if !r.Ready() { // given work by a call that ended meanwhile
			n++
			continue
		}
		p.idle = slices.Delete(p.idle, n, n+1)
		p.all = slices.DeleteFunc(p.all, func(x R) bool { return Ring(x) == Ring(r) })
		p.bytes -= len(r.Memory())
		r.Destroy()
	}
}

// Destroy destroys all rings.
func (p *Rings[R]) Destroy() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, r := range p.all {
		r.Destroy()
	}
	p.all, p.idle, p.bytes = nil, nil, 0
}
