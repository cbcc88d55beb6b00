// Host memory that devices reach: pinned memory for programs, and slices of programs on devices
// that have the host's memory.

package cudalike

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// hostMemory is pinned memory.
type hostMemory struct {
	device  *device
	address uintptr
	bytes   []byte
	freed   atomic.Bool
}

// NewHostMemory pins memory.
func (d *device) NewHostMemory(bytes uint64) (driver.HostMemory, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	address, err := d.pin(int(bytes))
	if err != nil {
		return nil, fmt.Errorf("%d bytes: %w", bytes, err)
	}
	m := &hostMemory{device: d, address: address, bytes: dl.Bytes(address, int(bytes))}
	driver.Clear(m.bytes)
	d.hosts[m] = struct{}{}
	d.reach(m.bytes, true)
	return m, nil
}

// reach notes that the device reaches bytes by itself, or no more; the mutex is held.
func (d *device) reach(host []byte, reached bool) {
	var list [][]byte
	if old := d.reached.Load(); old != nil {
		list = slices.DeleteFunc(slices.Clone(*old), func(b []byte) bool { return dl.First(b) == dl.First(host) })
	}
	if reached {
		list = append(list, host)
	}
	d.reached.Store(&list)
}

// reaches reports whether the device reaches bytes by itself.
func (d *device) reaches(host []byte) bool {
	list, at := d.reached.Load(), uintptr(dl.First(host))
	return list != nil && slices.ContainsFunc(*list, func(b []byte) bool { return at-uintptr(dl.First(b)) < uintptr(len(b)) })
}

// Bytes are the memory.
func (m *hostMemory) Bytes() []byte { return m.bytes }

// Free unpins the memory.
func (m *hostMemory) Free() error {
	d := m.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if m.freed.Swap(true) || d.closed || d.lost() != nil {
		return nil
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	delete(d.hosts, m)
	d.reach(m.bytes, false)
	return d.check("free pinned memory", dl.Call(d.c.HostFree, m.address))
}

// checkHostCopy tells whether a slice can be copied from or to host memory.
func (s *stream) checkHostCopy(b *driver.Slice, host driver.HostMemory, offset uint64) (*hostMemory, error) {
	m, ok := host.(*hostMemory)
	switch {
	case !ok || m.device != s.device:
		return nil, fmt.Errorf("%w: the host memory belongs to another device", driver.ErrUnsupported)
	case m.freed.Load():
		return nil, fmt.Errorf("host memory: %w", driver.ErrClosed)
	}
	return m, cmp.Or(s.checkSlice(b), driver.CheckHostMemory(m, offset, b.Bytes))
}

// WriteFrom enqueues a copy of pinned memory.
func (s *stream) WriteFrom(dst driver.Slice, src driver.HostMemory, offset uint64) error {
	m, err := s.checkHostCopy(&dst, src, offset)
	if err != nil {
		return s.device.named(fmt.Errorf("write: %w", err))
	}
	if c := s.contentsOf(&dst); c != nil {
		c.write(s, &dst)
	}
	return s.copyHost("write", s.device.c.CopyToDevice, &dst, address(&dst), m.address+uintptr(offset))
}

// ReadTo enqueues a copy to pinned memory.
func (s *stream) ReadTo(dst driver.HostMemory, offset uint64, src driver.Slice) error {
	m, err := s.checkHostCopy(&src, dst, offset)
	if err != nil {
		return s.device.named(fmt.Errorf("read: %w", err))
	}
	return s.copyHost("read", s.device.c.CopyToHost, &src, m.address+uintptr(offset), address(&src))
}

// copyHost enqueues a copy by one of the library's functions.
func (s *stream) copyHost(what string, function uintptr, b *driver.Slice, to, from uintptr) error {
	if b.Bytes == 0 {
		return nil
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	if err := s.await(b.Memory.(*memory).generation); err != nil {
		return err
	}
	return s.device.check(what, dl.Call4(function, to, from, uintptr(b.Bytes), s.handle))
}

// ShareAlignment implements driver.Sharer: pages of the host are registered.
func (d *device) ShareAlignment() uint64 {
	if !d.integrated || d.c.HostPointer == 0 {
		return 0
	}
	return sharedPage
}

// sharedPage is the alignment of shared memory. Pages of Linux on Arm have up to 64 KiB, and the
// libraries round to them.
const sharedPage = 4096

// registerMapped has registered memory mapped for the device (CU_MEMHOSTREGISTER_DEVICEMAP,
// hipHostRegisterMapped).
const registerMapped = 2

// Share registers host bytes, whose address on the device may be another one.
func (d *device) Share(host []byte) (driver.Memory, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch {
	case d.closed:
		return nil, d.closedError()
	case d.ShareAlignment() == 0:
		return nil, d.named(fmt.Errorf("share memory: %w: %s has memory of its own", driver.ErrUnsupported, d.info.Name))
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	at := uintptr(dl.First(host))
	if err := d.check("register memory", dl.Call(d.c.HostRegister, at, uintptr(len(host)), registerMapped)); err != nil {
		return nil, err
	}
	m := &memory{device: d, bytes: uint64(len(host)), shared: host, generation: d.generation}
	if err := d.check("map memory", dl.Call(d.c.HostPointer, uintptr(unsafe.Pointer(&m.address)), at, 0)); err != nil {
		dl.Call(d.c.HostUnregister, at)
		return nil, err
	}
	d.memories[m] = struct{}{}
	d.reach(host, true)
	return m, nil
}
