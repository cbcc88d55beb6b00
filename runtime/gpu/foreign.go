// What other libraries and packages need of streams and buffers: their handles and addresses, and
// copies of bytes of any buffer.

package gpu

import (
	"context"
	"fmt"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Enqueue has f enqueue work of another library on the stream, such as cuBLAS or NCCL, after the
// stream's work so far. f gets the library's handle of the stream (CUstream, hipStream_t) and the
// address of each buffer, which it must not keep. It runs with the device's context current on its
// thread, and must not call the stream. The work may read and write the buffers. f's error is
// returned as it is. It is ErrUnsupported on devices that are neither CUDA's nor ROCm's.
func (s *Stream) Enqueue(f func(stream uintptr, addresses []uintptr) error, buffers ...Bound) error {
	const what = "enqueue work of a library"
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if f == nil {
		return fmt.Errorf("%s: %w: the function is nil", what, ErrShape)
	}
	if r := s.recorder.Load(); r != nil {
		return r.refuse(ofLibraries)
	}
	foreign, ok := s.stream.(driver.Foreign)
	if !ok {
		return fmt.Errorf("%s: %w: streams of %s have no handle", what, ErrUnsupported, s.device.info.ID())
	}
	s.foreign = s.foreign[:0]
	used := 0
	defer func() {
		for _, b := range buffers[:used] {
			memory, _, _ := b.bound()
			_ = memory.done()
		}
	}()
	for _, b := range buffers {
		part, err := s.begins(what, b)
		if err != nil {
			return err
		}
		used++
		s.foreign = append(s.foreign, part)
	}
	return foreign.Enqueue(s.foreign, f)
}

// begins begins the use of a buffer's memory by the call under way.
func (s *Stream) begins(what string, b Bound) (driver.Slice, error) {
	if b == nil || !b.valid() {
		return driver.Slice{}, invalid(what, bufferMaker)
	}
	memory, part, _ := b.bound()
	if memory.device != s.device {
		return part, fmt.Errorf("%s: %w: the buffer belongs to another device than the stream", what, ErrShape)
	}
	if !b.open() || !memory.use() {
		return part, fmt.Errorf("%s: %w", what, ErrClosed)
	}
	memory.note(s)
	return part, nil
}

// ReadBytes copies len(host) bytes of a buffer of any type, from an offset in bytes on, to host. It
// waits as Buffer.Read does. The offset is a multiple of 4, and the bytes are the buffer's;
// otherwise it is ErrShape.
func (s *Stream) ReadBytes(ctx context.Context, b Bound, offset uint64, host []byte) error {
	const what = "read bytes of a buffer"
	part, err := s.bytesBegin(what, b, offset, len(host))
	if err != nil {
		return err
	}
	defer s.bytesEnd(b)
	done, worked := s.settle(ctx, "Stream.ReadBytes")
	if !done {
		return worked
	}
	return join(worked, s.read(host, part))
}

// WriteBytes copies host to a buffer of any type, from an offset in bytes on, after the stream's
// work so far. host may be reused when it returns. The offset is a multiple of 4, and the bytes are
// the buffer's; otherwise it is ErrShape.
func (s *Stream) WriteBytes(b Bound, offset uint64, host []byte) error {
	part, err := s.bytesBegin("write bytes of a buffer", b, offset, len(host))
	if err != nil {
		return err
	}
	defer s.bytesEnd(b)
	return s.stream.Write(part, host)
}

// bytesBegin begins a copy of bytes, and returns the part of memory that they are. bytesEnd ends
// it.
func (s *Stream) bytesBegin(what string, b Bound, offset uint64, n int) (part driver.Slice, err error) {
	if err := s.enter(); err != nil {
		return part, err
	}
	if r := s.recorder.Load(); r != nil {
		err = r.refuse(ofLibraries)
	} else {
		part, err = s.begins(what, b)
	}
	if err != nil {
		s.leave()
		return part, err
	}
	if offset > part.Bytes || uint64(n) > part.Bytes-offset || offset%4 != 0 {
		err = fmt.Errorf("%s: %w: bytes %d to %d of a buffer of %d, from a multiple of 4 on", what, ErrShape, offset, offset+uint64(n), part.Bytes)
		s.bytesEnd(b)
		return part, err
	}
	part.Offset += offset
	part.Bytes = uint64(n)
	return part, nil
}

func (s *Stream) bytesEnd(b Bound) {
	memory, _, _ := b.bound()
	_ = memory.done()
	s.leave()
}
