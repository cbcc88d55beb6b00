// Interop with libraries that enqueue work on a stream.

package cudalike

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Interop has a function enqueue its own work on a stream, with the device's context current on the
// thread. It gets the stream handle and the addresses of slices, whose contents are unknown
// afterwards. The stream must be one of this package.
func Interop(to driver.Stream, slices []driver.Slice, enqueue func(stream uintptr, addresses []uintptr) error) error {
	s, ok := to.(*stream)
	if !ok {
		return fmt.Errorf("interop: %w: the stream is none of CUDA's or HIP's", driver.ErrUnsupported)
	}
	addresses := make([]uintptr, 0, len(slices))
	for i := range slices {
		b := &slices[i]
		if err := s.checkSlice(b); err != nil {
			return s.device.named(fmt.Errorf("slice %d: %w", i, err))
		}
		addresses = append(addresses, address(b))
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
	return enqueue(s.handle, addresses)
}
