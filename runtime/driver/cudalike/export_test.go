package cudalike

import "github.com/gpuc/gpuc/runtime/driver"

// WriteStaged and ReadStaged copy through pinned chunks, whatever the size, and wait.
func WriteStaged(to driver.Slice, s driver.Stream, from []byte) error {
	return s.(*stream).staged(func(s *stream) error { return s.writeStaged(address(&to), from) })
}

func ReadStaged(to []byte, s driver.Stream, from driver.Slice) error {
	return s.(*stream).staged(func(s *stream) error { return s.readStaged(to, address(&from)) })
}

func (s *stream) staged(copy func(s *stream) error) error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	return copy(s)
}
