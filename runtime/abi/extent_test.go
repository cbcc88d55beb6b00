package abi

import (
	"slices"
	"testing"
)

// TestPutExtent: the words lie after the values, for the dimensions that the kernel requests.
func TestPutExtent(t *testing.T) {
	k := Kernel{Workgroup: [3]uint32{64, 4, 2}, Immediates: &Immediates{Size: 8}}
	if k.ImmediateBytes() != 8 || k.ValueBytes() != 8 {
		t.Error(k.ImmediateBytes(), k.ValueBytes())
	}
	k.Extent = &Extent{Offset: 8, Dimensions: []int{0, 2}}
	if k.ImmediateBytes() != 16 || k.ValueBytes() != 8 {
		t.Error(k.ImmediateBytes(), k.ValueBytes())
	}
	for _, test := range []struct {
		grid, extent [3]uint32
		want         []byte
	}{
		{[3]uint32{2, 1, 3}, [3]uint32{100, 4, 5}, []byte{1, 2, 3, 4, 5, 6, 7, 8, 100, 0, 0, 0, 5, 0, 0, 0}},
		{[3]uint32{4, 1, 3}, [3]uint32{}, []byte{1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 0, 0, 6, 0, 0, 0}},
		{[3]uint32{1 << 31, 1, 1}, [3]uint32{}, []byte{1, 2, 3, 4, 5, 6, 7, 8, 255, 255, 255, 255, 2, 0, 0, 0}},
	} {
		got := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9}
		if k.PutExtent(got, test.grid, test.extent); !slices.Equal(got, test.want) {
			t.Errorf("%v of %v: got %v, want %v", test.extent, test.grid, got, test.want)
		}
	}
	k.Immediates = nil
	k.Extent.Offset = 0
	if k.ImmediateBytes() != 8 || k.ValueBytes() != 0 {
		t.Error(k.ImmediateBytes(), k.ValueBytes())
	}
	k.Extent = nil
	k.PutExtent(nil, [3]uint32{1, 1, 1}, [3]uint32{})
}
