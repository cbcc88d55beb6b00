package gpu

import "fmt"

// This file has what packages of kernels ask before they launch anything, so that an operation of
// several launches fails before the first.

// Usable returns nil if work that is given to the stream now can use a buffer. It is ErrClosed if
// one of them is nil, a zero value or closed, and ErrShape if the buffer is another device's.
func (s *Stream) Usable(b Bound) error {
	switch {
	case !s.valid():
		return invalid("stream", streamMaker)
	case s.lifetime.closed.Load():
		return fmt.Errorf("stream: %w", ErrClosed)
	case b == nil || !b.valid():
		return invalid("buffer", bufferMaker)
	case !b.open():
		return fmt.Errorf("buffer: %w", ErrClosed)
	}
	if memory, _, _ := b.bound(); memory.device != s.device {
		return fmt.Errorf("%w: the buffer belongs to another device", ErrShape)
	}
	return nil
}

// Capturing reports whether what the stream is given becomes a part of a recording (Capture). Then
// memory that a package keeps from call to call does not serve: replays may run on any stream.
func (s *Stream) Capturing() bool { return s.valid() && s.recorder.Load() != nil }

// Overlap reports whether two buffers share a byte. Nil and zero buffers do not.
func Overlap(a, b Bound) bool {
	if a == nil || b == nil || !a.valid() || !b.valid() {
		return false
	}
	memory, part, _ := a.bound()
	other, otherPart, _ := b.bound()
	return memory == other && overlap(part, otherPart)
}
