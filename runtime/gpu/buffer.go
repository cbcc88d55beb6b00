// Buffers: typed views of device memory.

package gpu

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/driver"
)

// Buffer is a sequence of T in device memory. Alloc and Upload make it. T is a number, or an array
// or structure of numbers without pointers. Kernels have complex numbers as arrays of two floats.
// The layout of T must be the kernel's, which Args.Set checks. The size of a buffer is rounded up
// to a multiple of 4 bytes.
type Buffer[T any] struct {
	allocation *allocation
	offset     uint64 // in bytes
	length     int
	element    string // as abi.Binding.Element
	slice      bool   // of another buffer
	closed     atomic.Bool
}

// Bound is a Buffer of any element type, as launches take them.
type Bound interface {
	// Len is the number of elements.
	Len() int
	// bound returns the memory, the buffer's part of it, and the scalar that it consists of.
	bound() (*allocation, driver.Slice, string)
	// elementBytes is the size of a T in bytes.
	elementBytes() uint64
	// host returns T, and whether the buffer has one element.
	host() (t reflect.Type, one bool)
	// valid reports whether there is a buffer: no nil pointer and no zero value.
	valid() bool
	// open reports whether the buffer may be used.
	open() bool
}

// Alloc makes a buffer of n zeroed elements in memory of a device, a stream or an arena. Memory of
// a device is zeroed before any work that is enqueued later. Memory of a stream is zeroed by the
// stream: other streams may use it after a wait for that, as for all work.
//
// Close or Device.Close frees the memory, which is kept for later buffers (see Device.Memory). Any
// buffer may get it once the work that uses it has finished and was waited for. Buffers of a stream
// get at once what only this stream has used. If much is closed and not waited for, Alloc may wait
// for the work of all streams.
//
// Buffers that are unreachable are freed some time later: the garbage collector runs when the
// device memory in use has doubled since its last run, and when memory is short. It is ErrShape if
// devices cannot hold a T, ErrLimit if the buffer is larger than the device allows, and
// ErrOutOfMemory if there is no memory.
func Alloc[T any](from Allocator, n int) (*Buffer[T], error) { return alloc[T](from, n, true) }

// AllocUninitialized is Alloc without the zeros: what the elements are is undefined until they are
// written. It is for results that a kernel writes whole, which saves writing them twice.
func AllocUninitialized[T any](from Allocator, n int) (*Buffer[T], error) {
	return alloc[T](from, n, uint64(n)*uint64(unsafe.Sizeof(*new(T)))%4 != 0)
}

// alloc is Alloc, and leaves out the zeros if the whole buffer will be written.
func alloc[T any](from Allocator, n int, zeros bool) (*Buffer[T], error) {
	element, err := elementOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	if from == nil {
		return nil, invalid("device", deviceMaker)
	}
	d, err := from.source()
	if err != nil {
		return nil, err
	}
	size := uint64(unsafe.Sizeof(*new(T)))
	if n < 0 {
		return nil, fmt.Errorf("allocate a buffer: %w: %d elements", ErrShape, n)
	}
	if uint64(n) > d.info.MaxBufferBytes/size {
		return nil, fmt.Errorf("allocate a buffer of %d elements of %d bytes: %w: a buffer has at most %d bytes on %s",
			n, size, ErrLimit, d.info.MaxBufferBytes, d.info.ID())
	}
	a, err := from.allocate((size*uint64(n)+3)&^3, zeros) // whole words, which devices zero
	if err != nil {
		return nil, err
	}
	return &Buffer[T]{allocation: a, length: n, element: element}, nil
}

// Upload makes a buffer with the elements of host and waits until they are copied, so that any
// stream may use it. ctx bounds the wait. Errors are those of Alloc.
func Upload[T any](ctx context.Context, d *Device, host []T) (*Buffer[T], error) {
	b, err := alloc[T](d, len(host), uintptr(len(host))*unsafe.Sizeof(*new(T))%4 != 0)
	if err != nil {
		return nil, err
	}
	if err := d.transfer(ctx, b.part(), bytesOf(host)); err != nil {
		d.pool.abandon(b.allocation)
		b.Close()
		return nil, err
	}
	return b, nil
}

// Len is the number of elements, 0 for a nil or zero Buffer.
func (b *Buffer[T]) Len() int {
	if b == nil {
		return 0
	}
	return b.length
}

// Bytes is the size in bytes.
func (b *Buffer[T]) Bytes() uint64 { return uint64(b.Len()) * uint64(unsafe.Sizeof(*new(T))) }

// Slice returns elements start to end-1 as a buffer over the same memory, which is closed with b.
// Its first byte is a multiple of 4, otherwise it is ErrShape. Kernels take slices whose offset in
// bytes is a multiple of Info.OffsetAlignment.
func (b *Buffer[T]) Slice(start, end int) (*Buffer[T], error) {
	if !b.valid() {
		return nil, invalid("slice a buffer", bufferMaker)
	}
	if start < 0 || end < start || end > b.length {
		return nil, fmt.Errorf("slice a buffer: %w: elements %d to %d of %d", ErrShape, start, end, b.length)
	}
	if !b.open() {
		return nil, fmt.Errorf("slice a buffer: %w", ErrClosed)
	}
	size := uint64(unsafe.Sizeof(*new(T)))
	s := &Buffer[T]{
		allocation: b.allocation, offset: b.offset + uint64(start)*size, length: end - start,
		element: b.element, slice: true,
	}
	if s.offset%4 != 0 {
		return nil, fmt.Errorf("slice a buffer: %w: byte %d, at which it begins, is no multiple of 4", ErrShape, s.offset)
	}
	return s, nil
}

// Raw returns the bytes of the buffer as a buffer over the same memory, which is closed with b.
// Kernels take bytes for any type: Args.Set compares nothing. It is nil for a nil or zero Buffer.
func (b *Buffer[T]) Raw() *Buffer[byte] {
	if !b.valid() {
		return nil
	}
	return &Buffer[byte]{allocation: b.allocation, offset: b.offset, length: int(b.Bytes()), slice: true}
}

// Write copies host to the buffer after the stream's work so far. host has Len elements, otherwise
// it is ErrShape, and may be reused when Write returns.
func (b *Buffer[T]) Write(s *Stream, host []T) error {
	if b.valid() && len(host) != b.length {
		return fmt.Errorf("write a buffer: %w: %d elements for a buffer of %d", ErrShape, len(host), b.length)
	}
	return s.with("write a buffer", b, func() error {
		data := bytesOf(host)
		return s.blocking(copyWrite, len(data), func() error { return s.stream.Write(b.part(), data) })
	})
}

// Read copies the buffer to host after the stream's work so far, and waits for it. host has Len
// elements, otherwise it is ErrShape. ctx bounds the wait for the work. Errors of the work are
// returned, as by Wait, and host is filled all the same; warnings of the checked interpreter stay
// for Wait.
func (b *Buffer[T]) Read(ctx context.Context, s *Stream, host []T) error {
	if b.valid() && len(host) != b.length {
		return fmt.Errorf("read a buffer: %w: a buffer of %d elements into %d", ErrShape, b.length, len(host))
	}
	return s.with("read a buffer", b, func() error {
		done, worked := s.settle(ctx, "Buffer.Read")
		if !done {
			return worked
		}
		data := bytesOf(host)
		return join(worked, s.blocking(copyRead, len(data), func() error { return s.read(data, b.part()) }))
	})
}

// read copies memory to host and waits. The device writes host buffers by itself.
func (s *Stream) read(host []byte, part driver.Slice) error {
	h, offset := s.device.hosts.within(host)
	if h == nil {
		return s.stream.Read(host, part)
	}
	defer func() { _ = h.done() }()
	if err := s.stream.ReadTo(h.block.memory, offset, part); err != nil {
		return err
	}
	return s.stream.Wait(context.Background())
}

// Copy copies src to dst after the stream's work so far. They have the same length, otherwise it is
// ErrShape, and do not overlap, otherwise it is ErrAlias.
func Copy[T any](s *Stream, dst, src *Buffer[T]) error {
	switch {
	case !s.valid():
		return invalid("copy a buffer: stream", streamMaker)
	case !dst.valid() || !src.valid():
		return invalid("copy a buffer", bufferMaker)
	}
	if dst.length != src.length {
		return fmt.Errorf("copy a buffer: %w: %d elements to %d", ErrShape, src.length, dst.length)
	}
	if dst.allocation == src.allocation && overlap(dst.part(), src.part()) {
		return fmt.Errorf("copy a buffer: %w", ErrAlias)
	}
	return s.with("copy a buffer", dst, func() error {
		if !src.open() || !src.allocation.use() {
			return fmt.Errorf("copy a buffer: %w", ErrClosed)
		}
		defer src.allocation.done()
		src.allocation.note(s)
		return s.copying(copyOnDevice, dst.Bytes(), func() error { return s.stream.Copy(dst.part(), src.part()) })
	})
}

// Close frees the memory once the work that uses it has finished. Closing twice is no error, nor is
// closing a slice, which does nothing but make it unusable.
func (b *Buffer[T]) Close() error {
	if !b.valid() {
		return invalid("close a buffer", bufferMaker)
	}
	if b.closed.Swap(true) || b.slice {
		return nil
	}
	return b.allocation.device.closing(b.allocation.close)
}

func (b *Buffer[T]) open() bool { return !b.closed.Load() && !b.allocation.closed.Load() }

func (b *Buffer[T]) bound() (*allocation, driver.Slice, string) {
	return b.allocation, b.part(), b.element
}

func (b *Buffer[T]) elementBytes() uint64 { return uint64(unsafe.Sizeof(*new(T))) }

func (b *Buffer[T]) host() (t reflect.Type, one bool) { return reflect.TypeFor[T](), b.length == 1 }

// part is the part of the memory that is the buffer's.
func (b *Buffer[T]) part() driver.Slice {
	return driver.Slice{Memory: b.allocation.memory, Offset: b.offset, Bytes: b.Bytes()}
}

// bytesOf views host elements as bytes.
func bytesOf[T any](host []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(host))), len(host)*int(unsafe.Sizeof(*new(T))))
}

// scalars maps the kinds of Go numbers to the names of abi.Binding.Element.
// Kinds of 8 and 16 bits are raw storage (bytes, half floats) and fit any.
var scalars = [...]struct {
	name string
	ok   bool
}{
	reflect.Float32: {"f32", true},
	reflect.Float64: {"f64", true},
	reflect.Int32:   {"i32", true},
	reflect.Uint32:  {"u32", true},
	reflect.Int64:   {"i64", true},
	reflect.Uint64:  {"u64", true},
	reflect.Int8:    {"", true},
	reflect.Uint8:   {"", true},
	reflect.Int16:   {"", true},
	reflect.Uint16:  {"", true},
	// a complex number is the array of its two parts
	reflect.Complex64:  {"f32", true},
	reflect.Complex128: {"f64", true},
}

// elementOf returns the scalar that a type consists of, or "" if it is mixed or raw. Types that
// devices cannot hold are refused.
func elementOf(t reflect.Type) (string, error) {
	element, err := scalarOf(t)
	if err != nil {
		return "", err
	}
	if t.Size() == 0 {
		return "", fmt.Errorf("buffer of %v: %w: its elements have no size", t, ErrShape)
	}
	return element, nil
}

func scalarOf(t reflect.Type) (string, error) {
	if kind := t.Kind(); int(kind) < len(scalars) && scalars[kind].ok {
		return scalars[kind].name, nil
	}
	switch t.Kind() {
	case reflect.Array:
		return scalarOf(t.Elem())
	case reflect.Struct:
		common := ""
		for i := range t.NumField() {
			name, err := scalarOf(t.Field(i).Type)
			if err != nil {
				return "", err
			}
			switch {
			case i == 0:
				common = name
			case name != common:
				common = ""
			}
		}
		return common, nil
	}
	return "", fmt.Errorf("buffer of %v: %w: a %v has no meaning on a device", t, ErrShape, t.Kind())
}
