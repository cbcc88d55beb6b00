// Package gen is the support library of the code that `gpuc gen` writes. It uploads slices and
// reads them back, chooses and tunes variants of kernels, and has the errors of launchers.
//
// Programs call the generated functions and package gpu, and have no reason to import this package.
package gen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TooLarge is the error of a launcher about a parameter of type int or uint that exceeds the 32
// bits that these have on devices. It wraps gpu.ErrLimit.
func TooLarge[T int | uint](kernel, parameter string, value T) error {
	return fmt.Errorf("launch kernel %s: %w: %s is %d, but int and uint have 32 bits on devices", kernel, gpu.ErrLimit, parameter, value)
}

// NoInstance is the error of a launcher of a generic kernel about type arguments that it has no
// instance for. F is a function type with these as parameters. It wraps gpu.ErrShape.
func NoInstance[F any](kernel string) error {
	return fmt.Errorf("launch kernel %s: %w: there is no instance for %T; its option types= lists them",
		kernel, gpu.ErrShape, *new(F))
}

// Host is a slice of the program that Run uploads and, if the kernel writes it, reads back.
type Host interface {
	upload(ctx context.Context, d *gpu.Device) (hostBuffer, error)
	read(ctx context.Context, s *gpu.Stream, from hostBuffer) error
	// memory returns the addresses of the first byte and of the byte after the last one.
	memory() (start, end uintptr)
}

// hostBuffer is a *gpu.Buffer.
type hostBuffer interface {
	gpu.Bound
	io.Closer
}

// HostOf returns a slice for Run.
func HostOf[T any](slice []T) Host { return hostSlice[T](slice) }

type hostSlice[T any] []T

func (h hostSlice[T]) upload(ctx context.Context, d *gpu.Device) (hostBuffer, error) {
	return gpu.Upload(ctx, d, h)
}

func (h hostSlice[T]) read(ctx context.Context, s *gpu.Stream, from hostBuffer) error {
	return from.(*gpu.Buffer[T]).Read(ctx, s, h)
}

func (h hostSlice[T]) memory() (start, end uintptr) {
	start = uintptr(unsafe.Pointer(unsafe.SliceData(h)))
	return start, start + uintptr(len(h))*unsafe.Sizeof(*new(T))
}

// Run uploads slices, launches the kernel, waits, and reads back those that it writes. Grid and
// values are as for gpu.Embedded.Launch. Slices must not share memory with one that is written,
// which is gpu.ErrAlias. ctx bounds the waiting. When it has ended, no slice has changed, or those
// read back so far have.
func Run(ctx context.Context, e *gpu.Embedded, d *gpu.Device, grid gpu.Grid, values []uint32, slices ...Host) error {
	k, err := e.Load(d)
	if err != nil {
		return err
	}
	bindings := k.Describe().Arguments()
	if err := checkOverlap(bindings, slices); err != nil {
		return fmt.Errorf("run kernel %s: %w", e.Name, err)
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	buffers, bound := make([]hostBuffer, len(slices)), make([]gpu.Bound, len(slices))
	for i, h := range slices {
		if buffers[i], err = h.upload(ctx, d); err != nil {
			return fmt.Errorf("run kernel %s: %s: %w", e.Name, bindings[i].Name, err)
		}
		defer buffers[i].Close()
		bound[i] = buffers[i]
	}
	if err := e.Launch(s, grid, values, bound...); err != nil {
		return err
	}
	err = s.Wait(ctx)
	if err != nil && (ctx.Err() != nil || errors.Is(err, gpu.ErrDeviceLost)) {
		return err // there is nothing to read
	}
	for i, h := range slices {
		if bindings[i].Access != abi.ReadWrite {
			continue
		}
		if failure := h.read(ctx, s, buffers[i]); err == nil {
			err = failure
		} else if failure != nil {
			err = errors.Join(err, failure)
		}
	}
	return err
}

// checkOverlap refuses more slices than a kernel has bindings, and slices that overlap one that it
// writes.
func checkOverlap(bindings []abi.Binding, slices []Host) error {
	if len(slices) > len(bindings) {
		return fmt.Errorf("%w: %d slices for %d bindings", gpu.ErrShape, len(slices), len(bindings))
	}
	for i, h := range slices {
		if h == nil {
			return fmt.Errorf("%w: %s is nil; gen.HostOf makes one of a slice", gpu.ErrShape, bindings[i].Name)
		}
		start, end := h.memory()
		for j, other := range slices[:i] {
			from, to := other.memory()
			written := bindings[i].Access == abi.ReadWrite || bindings[j].Access == abi.ReadWrite
			if written && start < to && from < end {
				return fmt.Errorf("%w: %s and %s", gpu.ErrAlias, bindings[j].Name, bindings[i].Name)
			}
		}
	}
	return nil
}
