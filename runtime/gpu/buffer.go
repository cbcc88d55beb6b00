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

// allocation is device memory that a buffer and its slices share.
type allocation struct {
	lifetime
	device *Device
	memory driver.Memory
}

// Buffer is a sequence of T in device memory. T is a number, or an array or
// struct of numbers laid out as the kernel expects it, which Args.Set looks at; it holds no
// pointers, and a buffer's size is a multiple of 4 bytes.
type Buffer[T any] struct {
	allocation *allocation
	offset     uint64 // in bytes
	length     int
	element    string // as abi.Binding.Element
	slice      bool   // of another buffer
	closed     atomic.Bool
}

// Bound is a buffer of any element type, as launches take them.
type Bound interface {
	// Len is the number of elements.
	Len() int
	// bound returns the memory, its part, and the scalar that it consists of.
	bound() (*allocation, driver.Slice, string)
	// elementBytes is the size of a T.
	elementBytes() uint64
	// host is T, and whether the buffer has one element.
	host() (t reflect.Type, one bool)
	// made reports whether there is a buffer: no nil pointer and no zero value.
	made() bool
	// open reports whether the buffer may be used.
	open() bool
}

// Alloc makes a buffer of n zeroed elements. Its memory is given back by Close, by
// Device.Close, or some time after nobody refers to the buffer any more: the collector
// runs when the memory in use has doubled since it last did, and when it is short.
func Alloc[T any](d *Device, n int) (*Buffer[T], error) {
	element, err := elementOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	if !d.made() {
		return nil, unmade("device", deviceMaker)
	}
	size := uint64(unsafe.Sizeof(*new(T)))
	if n < 0 {
		return nil, fmt.Errorf("allocate a buffer: %w: %d elements", ErrShape, n)
	}
	if uint64(n) > d.info.MaxBufferBytes/size {
		return nil, fmt.Errorf("allocate a buffer of %d elements of %d bytes: %w: a buffer has at most %d bytes on %s",
			n, size, ErrLimit, d.info.MaxBufferBytes, d.info.ID())
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	a, err := d.allocation((size*uint64(n) + 3) &^ 3) // whole words, which devices zero
	if err != nil {
		return nil, err
	}
	return &Buffer[T]{allocation: a, length: n, element: element}, nil
}

// allocation reserves zeroed memory inside enter and leave.
func (d *Device) allocation(bytes uint64) (*allocation, error) {
	memory, free, err := d.alloc(bytes)
	if err != nil {
		return nil, err
	}
	a := &allocation{device: d, memory: memory}
	a.lifetime.open(d.orphans, freeing(d, free))
	return a, nil
}

// Upload makes a buffer with the elements of host and waits until they are
// there, so that any stream may use it. ctx bounds the wait.
func Upload[T any](ctx context.Context, d *Device, host []T) (*Buffer[T], error) {
	b, err := Alloc[T](d, len(host))
	if err != nil {
		return nil, err
	}
	if err := d.transfer(ctx, b.part(), bytesOf(host)); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Len is the number of elements, Bytes their size in bytes.
func (b *Buffer[T]) Len() int {
	if b == nil {
		return 0
	}
	return b.length
}

// Bytes is the size in bytes.
func (b *Buffer[T]) Bytes() uint64 { return uint64(b.Len()) * uint64(unsafe.Sizeof(*new(T))) }

// Slice returns the elements from start to end as a buffer over the same
// memory, which is closed with b. Kernels take slices whose offset in bytes is a
// multiple of Info.OffsetAlignment.
func (b *Buffer[T]) Slice(start, end int) (*Buffer[T], error) {
	if !b.made() {
		return nil, unmade("slice a buffer", bufferMaker)
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
// Kernels take them for what they expect there: Args.Set compares no types.
func (b *Buffer[T]) Raw() *Buffer[byte] {
	if !b.made() {
		return nil
	}
	return &Buffer[byte]{allocation: b.allocation, offset: b.offset, length: int(b.Bytes()), slice: true}
}

// Write copies host to the buffer after the stream's work so far. host may be
// reused when it returns.
func (b *Buffer[T]) Write(s *Stream, host []T) error {
	if b.made() && len(host) != b.length {
		return fmt.Errorf("write a buffer: %w: %d elements for a buffer of %d", ErrShape, len(host), b.length)
	}
	return s.with("write a buffer", b, func() error { return s.stream.Write(b.part(), bytesOf(host)) })
}

// Read copies the buffer to host after the stream's work so far, and waits for
// it. ctx bounds the waiting for that work. It returns the error that the work
// ran into, if any, as Wait does, with host filled all the same; warnings of the
// checked interpreter stay for Wait.
func (b *Buffer[T]) Read(ctx context.Context, s *Stream, host []T) error {
	if b.made() && len(host) != b.length {
		return fmt.Errorf("read a buffer: %w: a buffer of %d elements into %d", ErrShape, b.length, len(host))
	}
	return s.with("read a buffer", b, func() error {
		done, worked := s.settle(ctx)
		if !done {
			return worked
		}
		return join(worked, s.stream.Read(bytesOf(host), b.part()))
	})
}

// Copy copies src to dst, which have the same length, after the stream's work
// so far.
func Copy[T any](s *Stream, dst, src *Buffer[T]) error {
	switch {
	case !s.made():
		return unmade("copy a buffer: stream", streamMaker)
	case !dst.made() || !src.made():
		return unmade("copy a buffer", bufferMaker)
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
		return s.stream.Copy(dst.part(), src.part())
	})
}

// Close gives the memory back once the work that uses it has finished. Closing
// twice is no error.
func (b *Buffer[T]) Close() error {
	if !b.made() {
		return unmade("close a buffer", bufferMaker)
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

// part is the buffer's part of its memory.
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
}

// elementOf returns the scalar that a type consists of, or "" if it is mixed or
// raw. Types whose memory means nothing to a device are refused.
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
