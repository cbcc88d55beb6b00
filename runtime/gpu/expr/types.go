package expr

import (
	"context"
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has the types of elements, and how they are stored on host and device.

// Type is the type of a tensor's elements.
type Type uint8

// The element types. Floats of 16 bits are storage: kernels compute in float32, and round where a
// tensor is stored. A Bool is a uint32 on the device, 0 or 1.
const (
	Float32 Type = iota
	Float16
	BFloat16
	Int32
	Bool
)

// kind says which operations take a type.
type kind uint8

const (
	floats kind = 1 << iota
	integers
	bools
	numbers  = floats | integers
	anything = numbers | bools
)

// types describes the element types: their name, the type of values in kernels and of stored
// elements in WGSL, and their bytes. 16-bit elements are stored in pairs, as words.
var types = [...]struct {
	name, value, stored string
	bytes               int
	kind                kind
}{
	Float32:  {"float32", "f32", "f32", 4, floats},
	Float16:  {"float16", "f32", "u32", 2, floats},
	BFloat16: {"bfloat16", "f32", "u32", 2, floats},
	Int32:    {"int32", "i32", "i32", 4, integers},
	Bool:     {"bool", "bool", "u32", 4, bools},
}

// valid reports whether t is one of the types.
func (t Type) valid() bool { return int(t) < len(types) }

// String returns the type's name: "float32".
func (t Type) String() string {
	if !t.valid() {
		return fmt.Sprintf("Type(%d)", uint8(t))
	}
	return types[t].name
}

func (t Type) is(k kind) bool { return types[t].kind&k != 0 }

// packed reports whether a word holds two elements.
func (t Type) packed() bool { return types[t].bytes == 2 }

// Element is a Go type of elements.
type Element interface {
	float32 | gpu.Float16 | gpu.BFloat16 | int32 | bool
}

// typeOf returns the type that a Go type is.
func typeOf[T Element]() Type {
	switch any(*new(T)).(type) {
	case float32:
		return Float32
	case gpu.Float16:
		return Float16
	case gpu.BFloat16:
		return BFloat16
	case int32:
		return Int32
	}
	return Bool
}

// common returns the type of a result of two operands, and whether there is one. Floats of
// different types give float32.
func common(a, b Type) (Type, bool) {
	switch {
	case a == b:
		return a, true
	case a.is(floats) && b.is(floats):
		return Float32, true
	}
	return a, false
}

// Location says where a tensor's elements are.
type Location uint8

// The locations: Lazy is a tensor that was not computed.
const (
	Lazy   Location = 0
	Host   Location = 1
	Device Location = 2
	Both            = Host | Device
)

// String returns the location's name.
func (l Location) String() string {
	return [...]string{"lazy", "host", "device", "both"}[l&Both]
}

// array is device memory of a number of elements. The zero value is none.
type array struct {
	buffer gpu.Bound // a Buffer of them
	base   gpu.Bound // what is closed, or nil for a buffer of the program's
	bound  gpu.Bound // what kernels take: 16-bit elements as whole words
}

// close frees the memory once the work that uses it has finished.
func (a array) close() error {
	if a.base == nil {
		return nil
	}
	return a.base.(interface{ Close() error }).Close()
}

// memory has what depends on the type of elements: Go has slices and buffers of each. Values of
// type any are slices of the host's type.
type memory struct {
	// alloc makes a buffer of n elements for a stream's work, which writes them all.
	alloc func(s *gpu.Stream, n int) (array, error)
	make  func(n int) any
	write func(b gpu.Bound, s *gpu.Stream, host any) error
	read  func(ctx context.Context, b gpu.Bound, s *gpu.Stream, host any) error
}

var memories = [...]memory{
	Float32:  {allocOf[float32], makeOf[float32], writeOf[float32], readOf[float32]},
	Float16:  {allocPacked[gpu.Float16], makeOf[gpu.Float16], writeOf[gpu.Float16], readOf[gpu.Float16]},
	BFloat16: {allocPacked[gpu.BFloat16], makeOf[gpu.BFloat16], writeOf[gpu.BFloat16], readOf[gpu.BFloat16]},
	Int32:    {allocOf[int32], makeOf[int32], writeOf[int32], readOf[int32]},
	Bool:     {allocOf[uint32], makeOf[bool], writeBools, readBools},
}

func allocOf[T any](s *gpu.Stream, n int) (array, error) {
	b, err := gpu.AllocUninitialized[T](s, n)
	if err != nil {
		return array{}, err
	}
	return array{b, b, b}, nil
}

func allocPacked[T any](s *gpu.Stream, n int) (array, error) {
	b, err := gpu.AllocUninitialized[T](s, n+n%2)
	if err != nil {
		return array{}, err
	}
	a := array{b, b, b.Raw()}
	if n%2 != 0 {
		a.buffer, err = b.Slice(0, n)
	}
	return a, err
}

func makeOf[T any](n int) any { return make([]T, n) }

func writeOf[T any](b gpu.Bound, s *gpu.Stream, host any) error {
	return b.(*gpu.Buffer[T]).Write(s, host.([]T))
}

func readOf[T any](ctx context.Context, b gpu.Bound, s *gpu.Stream, host any) error {
	return b.(*gpu.Buffer[T]).Read(ctx, s, host.([]T))
}

func writeBools(b gpu.Bound, s *gpu.Stream, host any) error {
	list := host.([]bool)
	words := make([]uint32, len(list))
	for i, x := range list {
		if x {
			words[i] = 1
		}
	}
	return writeOf[uint32](b, s, words)
}

func readBools(ctx context.Context, b gpu.Bound, s *gpu.Stream, host any) error {
	list := host.([]bool)
	words := make([]uint32, len(list))
	err := readOf[uint32](ctx, b, s, words)
	for i, w := range words {
		list[i] = w != 0
	}
	return err
}
