// Interop with libraries that enqueue work on a stream.

package cudalike

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Interop has a function enqueue its own work on a stream, which must be one of this package. See
// driver.Foreign.
func Interop(to driver.Stream, slices []driver.Slice, enqueue func(stream uintptr, addresses []uintptr) error) error {
	s, ok := to.(*stream)
	if !ok {
		return fmt.Errorf("interop: %w: the stream is none of CUDA's or HIP's", driver.ErrUnsupported)
	}
	return s.Enqueue(slices, enqueue)
}

// Enqueue implements driver.Foreign.
func (s *stream) Enqueue(slices []driver.Slice, f func(stream uintptr, addresses []uintptr) error) error {
	s.addresses = s.addresses[:0]
	for i := range slices {
		b := &slices[i]
		if err := s.checkSlice(b); err != nil {
			return s.device.named(fmt.Errorf("slice %d: %w", i, err))
		}
		s.addresses = append(s.addresses, address(b))
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	for i := range slices {
		m := slices[i].Memory.(*memory)
		if err := s.await(m.generation); err != nil {
			return err
		}
		if m.contents != nil {
			m.contents.write(s, &slices[i])
		}
	}
	return f(s.handle, s.addresses)
}
