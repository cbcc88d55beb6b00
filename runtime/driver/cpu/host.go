// Host memory is any memory to this device: copies of it are jobs, and so it can be shared.

package cpu

import (
	"cmp"
	"fmt"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/driver"
)

// hostMemory is memory of Go's. Jobs keep the bytes alive by themselves.
type hostMemory struct {
	device *Device
	bytes  []byte
	freed  atomic.Bool
}

// NewHostMemory reserves zeroed memory.
func (d *Device) NewHostMemory(bytes uint64) (driver.HostMemory, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	if bytes > d.info.MaxBufferBytes {
		return nil, fmt.Errorf("cpu: allocate %d bytes: %w", bytes, driver.ErrOutOfMemory)
	}
	return &hostMemory{device: d, bytes: driver.Aligned(int(bytes), alignment)}, nil
}

// Bytes are the memory.
func (m *hostMemory) Bytes() []byte { return m.bytes }

// Free lets the memory go; the collector takes it once no job uses it.
func (m *hostMemory) Free() error {
	m.freed.Store(true)
	return nil
}

// WriteFrom queues a copy from host memory.
func (s *stream) WriteFrom(dst driver.Slice, src driver.HostMemory, offset uint64) error {
	to, from, err := s.hostCopy(&dst, src, offset)
	if err != nil {
		return fmt.Errorf("cpu: write: %w", err)
	}
	return s.copyLater(to, from)
}

// ReadTo queues a copy to host memory.
func (s *stream) ReadTo(dst driver.HostMemory, offset uint64, src driver.Slice) error {
	from, to, err := s.hostCopy(&src, dst, offset)
	if err != nil {
		return fmt.Errorf("cpu: read: %w", err)
	}
	return s.copyLater(to, from)
}

// hostCopy returns both sides of a copy after checking them.
func (s *stream) hostCopy(part *driver.Slice, of driver.HostMemory, offset uint64) (device, host []byte, err error) {
	m, ok := of.(*hostMemory)
	switch {
	case !ok || m.device != s.device:
		return nil, nil, fmt.Errorf("%w: the host memory belongs to another device", driver.ErrUnsupported)
	case m.freed.Load():
		return nil, nil, fmt.Errorf("host memory: %w", driver.ErrClosed)
	}
	device, err = s.device.part(part)
	if err := cmp.Or(err, driver.CheckHostMemory(m, offset, part.Bytes)); err != nil {
		return nil, nil, err
	}
	return device, m.bytes[offset:][:part.Bytes], nil
}

// copyLater queues a copy.
func (s *stream) copyLater(to, from []byte) error {
	if len(to) == 0 {
		return s.open()
	}
	j, err := s.take()
	if err != nil {
		return err
	}
	j.dst, j.src = to, from
	return s.submit(j)
}

// ShareAlignment implements driver.Sharer: kernels take any whole words.
func (d *Device) ShareAlignment() uint64 { return 4 }

// Share makes memory of host bytes.
func (d *Device) Share(host []byte) (driver.Memory, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	return &memory{device: d, bytes: host}, nil
}
