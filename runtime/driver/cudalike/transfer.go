// Copies between host and device. The driver itself is fast with small host slices. Pageable memory
// crosses the bus at a fifth of its speed, so larger slices go through pinned memory.

package cudalike

import (
	"cmp"
	"context"
	"fmt"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// directBytes is the size in bytes up to which the driver always copies by itself.
const directBytes = 32 << 10

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
	// The driver's copy of more than directBytes would wait for the stream's earlier work. Pageable
	// memory has been read when the call returns, but pinned memory may not (Driver API, "API
	// synchronization behavior"; HIP API, hipMemcpyAsync).
	if n := len(src); n > directBytes && (n > s.device.c.api.DirectWrite || s.busy()) || s.device.reaches(src) {
		return s.staged(address(&dst), src, false)
	}
	return s.device.check("write", dl.Call4(s.device.c.CopyToDevice, address(&dst), uintptr(dl.First(src)), uintptr(len(src)), s.handle))
}

// busy reports whether the stream has work.
func (s *stream) busy() bool {
	return uint32(dl.Call1(s.device.c.StreamQuery, s.handle)) == codeNotReady
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
	if len(dst) > max(directBytes, s.device.c.api.DirectRead) {
		given := s.given
		err := s.staged(address(&src), dst, true)
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
