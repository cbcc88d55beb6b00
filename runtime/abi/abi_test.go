package abi

import "testing"

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
