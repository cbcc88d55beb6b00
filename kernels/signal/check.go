package signal

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has the checks that calls begin with.

func shapeError(operation, parameter, given, wanted string) error {
	return &gpu.ShapeError{Operation: operation, Parameter: parameter, Given: given, Wanted: wanted}
}

// noPlan is the error of a method of a nil or zero plan.
func noPlan(operation, maker string) error {
	return shapeError(operation, "plan", "none", "one of signal."+maker)
}

// planned checks what all plans are given.
func planned(operation string, s *gpu.Stream, shape []int, batch int, o []Option) (set options, size int, err error) {
	for n, option := range o {
		if option == nil {
			return set, 0, shapeError(operation, "options", fmt.Sprintf("nil as option %d", n), "an option")
		}
		option(&set)
	}
	if s.Device() == nil { // also of a zero stream
		return set, 0, noStream(operation)
	}
	if len(shape) < 1 || len(shape) > 3 {
		return set, 0, shapeError(operation, "shape", fmt.Sprintf("%d dimensions", len(shape)), "1 to 3")
	}
	if set.normalization < Backward || set.normalization > Forward {
		return set, 0, shapeError(operation, "normalization", fmt.Sprint(int(set.normalization)), "one that is listed")
	}
	if batch < 0 {
		return set, 0, shapeError(operation, "batch", fmt.Sprint(batch), "0 or more")
	}
	size, ok := product(append(slices.Clone(shape), 1)...)
	if !ok {
		return set, 0, shapeError(operation, "shape", fmt.Sprint(shape), fmt.Sprintf("sizes of 0 or more, and %d elements at most", maxElements))
	}
	return set, size, nil
}

// product multiplies sizes, and reports whether none is negative and the product is small
// enough.
func product(sizes ...int) (p int, ok bool) {
	p = 1
	for _, n := range sizes {
		if n < 0 {
			return 0, false
		}
		if n == 0 {
			p = 0
		}
	}
	for _, n := range sizes {
		if p == 0 {
			return 0, true
		}
		if n > maxElements/p {
			return 0, false
		}
		p *= n
	}
	return p, true
}

// extent returns how many elements a buffer has whose batches are a distance apart.
func extent(operation, domain string, set, size, batch int) (int, error) {
	if set != 0 && set < size {
		return 0, shapeError(operation, "distance in "+domain, fmt.Sprint(set), fmt.Sprintf("%d or more", size))
	}
	if size == 0 || batch == 0 {
		return 0, nil
	}
	n, ok := product(distance(set, size), batch-1)
	if !ok || n > maxElements-size {
		return 0, shapeError(operation, "batch", fmt.Sprint(batch), fmt.Sprintf("%d elements at most", maxElements))
	}
	return n + size, nil
}

// haveLength checks a buffer.
func haveLength[T any](operation, parameter string, b *gpu.Buffer[T], n int) error {
	if b == nil {
		return shapeError(operation, parameter, "nil", "a buffer")
	}
	if b.Len() != n {
		return shapeError(operation, parameter, fmt.Sprintf("%d elements", b.Len()), fmt.Sprint(n))
	}
	return nil
}

// firstError returns the first error of a list.
func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// closing closes an engine that is not completed.
func closing(err error, e *engine) error { return errors.Join(err, e.close()) }

func noStream(operation string) error {
	return shapeError(operation, "stream", "none", "one of Device.NewStream")
}

// wrapped is an error of a launch, with the operation.
func wrapped(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}
