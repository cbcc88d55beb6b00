package abi

import (
	"math"
	"testing"
)

// TestHidden finds the bindings that the runtime provides.
func TestHidden(t *testing.T) {
	for n := range 16 {
		k := Kernel{Bindings: make([]Binding, 2)}
		want := [4]int{-1, -1, -1, -1}
		add := func(hidden int) {
			want[hidden] = len(k.Bindings)
			k.Bindings = append(k.Bindings, Binding{})
		}
		if n&8 != 0 {
			k.Messages = new(Messages)
			add(0)
		}
		if n&1 != 0 {
			k.Fault = new(Fault)
			add(1)
		}
		if n&2 != 0 {
			k.Scratch = new(Scratch)
			add(2)
		}
		if n&4 != 0 {
			k.Tables = []byte{0}
			add(3)
		}
		messages, fault, scratch, tables := k.Hidden()
		if got := [4]int{messages, fault, scratch, tables}; got != want || len(k.Arguments()) != 2 {
			t.Errorf("%d: %d arguments and hidden bindings %v, want 2 and %v", n, len(k.Arguments()), got, want)
		}
	}
}

// TestScratchBytes counts memory for grids up to the largest.
func TestScratchBytes(t *testing.T) {
	for _, test := range []struct {
		stride          uint32
		grid, workgroup [3]uint32
		want            uint64
	}{
		{20480, [3]uint32{3, 5, 7}, [3]uint32{8, 4, 2}, 20480 * 105 * 64},
		{16, [3]uint32{0, 1 << 31, 1 << 31}, [3]uint32{1024, 1, 1}, 16},
		{1 << 31, [3]uint32{1 << 31, 1, 1}, [3]uint32{2, 1, 1}, 1 << 63},
		{1 << 31, [3]uint32{1 << 31, 2, 1}, [3]uint32{2, 1, 1}, math.MaxUint64},
		{1, [3]uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32}, [3]uint32{1, 1, 1}, math.MaxUint64},
	} {
		s := Scratch{Stride: test.stride}
		if got := s.Bytes(test.grid, test.workgroup); got != test.want {
			t.Errorf("%d bytes for each of %v x %v: got %d, want %d", test.stride, test.grid, test.workgroup, got, test.want)
		}
	}
}

// TestLength counts elements around 2^32 bytes and 2^32 elements.
func TestLength(t *testing.T) {
	for _, test := range []struct {
		size, stride uint32
		bytes        uint64
		want         uint32
	}{
		{0, 4, 1<<32 - 4, 1<<30 - 1},
		{0, 4, 5 << 30, 5 << 28},
		{8, 16, 8 + 16, 1},
		{8, 16, 7, 0},
		{4294967280, 16, 1<<32 + 16, 2},
		{0, 2, 1<<33 - 2, 1<<32 - 1},
		{0, 2, 1 << 33, 1<<32 - 1}, // a u32 counts no further
		{0, 1 << 31, 1 << 33, 4},
	} {
		b := Binding{Size: test.size, Stride: test.stride}
		if got := b.Length(test.bytes); got != test.want {
			t.Errorf("size %d, stride %d: %d elements in %d bytes, want %d", test.size, test.stride, got, test.bytes, test.want)
		}
		if got, want := b.MinimumBytes(), uint64(test.size)+uint64(test.stride); got != want {
			t.Errorf("size %d, stride %d: at least %d bytes, want %d", test.size, test.stride, got, want)
		}
	}
}
