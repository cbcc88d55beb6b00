// Copies between devices of one library, which it makes by itself (CUDA Driver API, "Peer Context
// Memory Access"; HIP API, "PeerToPeer Device Memory Access").

package cudalike

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// codeAlreadyEnabled is the result of enabling access that is enabled
// (CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, hipErrorPeerAccessAlreadyEnabled).
const codeAlreadyEnabled = 704

// accessDescription is a CUmemAccessDesc or hipMemAccessDesc.
type accessDescription struct {
	kind   int32 // of location: 1 is a device
	device int32
	flags  int32 // 3 is reading and writing
}

// hasPeers reports whether the library copies between devices.
func (c *Functions) hasPeers() bool {
	return c.PeerCopy != 0 && c.PeerQuery != 0 && c.PeerEnable != 0
}

// Reach implements driver.Peers. Without peer access the library copies through the host.
func (d *device) Reach(other driver.Device) (driver.Reach, error) {
	o, ok := other.(*device)
	if !ok || o.c != d.c || !d.c.hasPeers() {
		return driver.Unreached, nil
	}
	if o.ordinal == d.ordinal { // it was opened twice
		return driver.Direct, nil
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return driver.Unreached, d.closedError()
	}
	if reach, known := d.peers[o.ordinal]; known {
		return reach, nil
	}
	reach, err := d.open(o)
	if err == nil {
		if d.peers == nil {
			d.peers = map[int32]driver.Reach{}
		}
		d.peers[o.ordinal] = reach
	}
	return reach, err
}

// open has another device access this one's memory if it can: what the context allocates, and what
// comes of its pool, for which that is set apart. The mutex is held.
func (d *device) open(to *device) (driver.Reach, error) {
	c := d.c
	var can int32
	code := dl.Call(c.PeerQuery, uintptr(unsafe.Pointer(&can)), uintptr(uint32(to.ordinal)), uintptr(uint32(d.ordinal)))
	if err := c.check("query peer access", code); err != nil || can == 0 {
		return driver.ThroughHost, err
	}
	if err := to.enter(); err != nil {
		return driver.Unreached, err
	}
	code = dl.Call(c.PeerEnable, d.context, 0)
	to.leave()
	if uint32(code) != codeAlreadyEnabled {
		if err := c.check("enable peer access", code); err != nil {
			return driver.Unreached, err
		}
	}
	if !d.pools {
		return driver.Direct, nil
	}
	if c.PoolAccess == 0 {
		return driver.ThroughHost, nil
	}
	if err := d.enter(); err != nil {
		return driver.Unreached, err
	}
	defer d.leave()
	access := accessDescription{1, to.ordinal, 3}
	err := d.check("open the memory pool to a device", dl.Call(c.PoolAccess, d.pool, uintptr(unsafe.Pointer(&access)), 1))
	return driver.Direct, err
}

// CopyTo enqueues a copy to another device's memory. It runs on this stream: writes cross a link
// faster than reads.
func (s *stream) CopyTo(other driver.Stream, dst, src driver.Slice) error {
	to, ok := other.(*stream)
	if !ok || to.device.c != s.device.c || !s.device.c.hasPeers() {
		return s.device.named(fmt.Errorf("copy to a device: %w: it is none of %s's", driver.ErrUnsupported, s.device.c.api.Title))
	}
	if err := cmp.Or(to.checkSlice(&dst), s.checkSlice(&src), driver.CheckCopy(&dst, &src)); err != nil {
		return s.device.named(fmt.Errorf("copy to a device: %w", err))
	}
	if dst.Bytes == 0 {
		return nil
	}
	if err := to.ready(dst.Memory.(*memory)); err != nil {
		return err
	}
	if c := dst.Memory.(*memory).contents; c != nil {
		c.write(to, &dst)
	}
	if err := s.copyTo(to, &dst, &src); err != nil {
		return err
	}
	return to.follow(s)
}

// ready records the stream's order event behind its work and the fill of memory.
func (s *stream) ready(m *memory) error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	if err := s.await(m.generation); err != nil {
		return err
	}
	return s.device.check("record an event", dl.Call2(s.device.c.EventRecord, s.order, s.handle))
}

// copyTo enqueues the copy between the events of both streams. Others may record these again for
// freeStream meanwhile, behind more work of the same stream, which does no harm.
func (s *stream) copyTo(to *stream, dst, src *driver.Slice) error {
	if err := s.begin(); err != nil {
		return err
	}
	d := s.device
	defer d.leave()
	if err := s.await(src.Memory.(*memory).generation); err != nil {
		return err
	}
	if err := d.check("wait for an event", dl.Call3(d.c.StreamWait, s.handle, to.order, 0)); err != nil {
		return err
	}
	var code uintptr
	if to.device.context == d.context {
		code = dl.Call4(d.c.CopyOnDevice, address(dst), address(src), uintptr(dst.Bytes), s.handle)
	} else {
		code = dl.Call8(d.c.PeerCopy, address(dst), to.device.context, address(src), d.context, uintptr(dst.Bytes), s.handle, 0, 0)
	}
	if err := d.check("copy to a device", code); err != nil {
		return err
	}
	return d.check("record an event", dl.Call2(d.c.EventRecord, s.order, s.handle))
}

// follow has the stream's later work wait for the order event of another stream.
func (s *stream) follow(other *stream) error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	return s.device.check("wait for an event", dl.Call3(s.device.c.StreamWait, s.handle, other.order, 0))
}
