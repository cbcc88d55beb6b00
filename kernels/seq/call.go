package seq

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// most is how many elements an operation takes: positions are ints of 32 bits on devices, and
// kernels add up to a few tiles to them.
const most = math.MaxInt32 - 1<<20

// failed says which operation an error is of.
func failed(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// wrongShape is the error about a parameter.
func wrongShape(operation, parameter, wanted, given string) error {
	return &gpu.ShapeError{Operation: operation, Parameter: parameter, Wanted: wanted, Given: given}
}

// wrongLength is the error about a buffer, or nil if it has the right length.
func wrongLength(operation, parameter string, wanted, given int) error {
	if wanted == given {
		return nil
	}
	return wrongShape(operation, parameter, elements(wanted), elements(given))
}

func elements(n int) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements", n)
}

// named is a buffer, with the name of its parameter.
type named struct {
	name   string
	buffer gpu.Bound
}

// checkBuffers looks whether the stream can use all buffers, and whether those that are written,
// which come first, overlap others.
func checkBuffers(operation string, s *gpu.Stream, written int, list ...named) error {
	for n, b := range list {
		if err := s.Usable(b.buffer); errors.Is(err, gpu.ErrClosed) || errors.Is(err, gpu.ErrShape) {
			return fmt.Errorf("%s: %s: %w", operation, b.name, err)
		} else if err != nil {
			return failed(operation, err)
		}
		if b.buffer.Len() > most {
			return fmt.Errorf("%s: %s: %w: %d elements, and there may be %d", operation, b.name, gpu.ErrLimit, b.buffer.Len(), most)
		}
		for k, other := range list[:n] {
			if k < written && gpu.Overlap(b.buffer, other.buffer) {
				return fmt.Errorf("%s: %w: %s and %s", operation, gpu.ErrAlias, other.name, b.name)
			}
		}
	}
	return nil
}

// words are the values of a launch, as gpu.Embedded.Launch takes them.
type words struct {
	list [24]uint32
	n    int
}

// with begins the values of a launch.
func (w *words) with(list ...uint32) *words {
	w.n = copy(w.list[:], list)
	return w
}

// put appends a number. One of 64 bits has two words and begins at an even one.
func put[T Number](w *words, v T) {
	if unsafe.Sizeof(v) == 4 {
		w.list[w.n] = *(*uint32)(unsafe.Pointer(&v))
		w.n++
		return
	}
	bits := *(*uint64)(unsafe.Pointer(&v))
	w.n += w.n & 1
	w.list[w.n], w.list[w.n+1] = uint32(bits), uint32(bits>>32)
	w.n += 2
}

// launch enqueues a kernel with the values of the call. One that fails takes no tickets, so tickets
// and epochs begin again then.
func (c *call) launch(kernel string, g gpu.Grid, buffers ...gpu.Bound) error {
	err := kernelOf(kernel).Launch(c.stream, g, c.values.list[:c.values.n], buffers...)
	if err != nil {
		c.drop(slotStatus)
	}
	return failed(c.operation, err)
}

// ceil returns a/b, rounded up.
func ceil(a, b int) int { return (a + b - 1) / b }

// bytesEach is the size of a T.
func bytesEach[T any]() int { return int(unsafe.Sizeof(*new(T))) }
