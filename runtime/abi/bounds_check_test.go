package abi

import "testing"

// TestBoundsCheck compares checks with values computed by hand. The kernel has workgroups of 16 by
// 4 invocations, two buffers with f32 elements after eight bytes, two words of immediates, and
// behind them the extent along y.
func TestBoundsCheck(t *testing.T) {
	k := &Kernel{Workgroup: [3]uint32{16, 4, 1}, Bindings: []Binding{{Size: 8, Stride: 4}, {Stride: 4}},
		Immediates: &Immediates{Size: 8}, Extent: &Extent{Offset: 8, Dimensions: []int{1}}}
	l := &LaunchValues{Grid: [3]uint32{5, 3, 1}, Extent: [3]uint32{0, 11, 0}, Immediates: []byte{7, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, Sizes: []uint64{8 + 4*80, 4*77 + 3}}
	of := func(factor int64, of ...Quantity) Product { return Product{factor, of} }
	x, y := Quantity{Kind: Invocations}, Quantity{Kind: Invocations, Number: 1}
	word := func(offset uint32) Quantity { return Quantity{Kind: Word, Number: offset} }
	for _, c := range []struct {
		name    string
		binding int
		sum     []Product
		holds   bool
	}{
		{"80 invocations, the last of 80 elements", 0, []Product{of(1, x), of(-1)}, true},
		{"one more", 0, []Product{of(1, x)}, false},
		{"of 77 elements and three bytes", 1, []Product{of(77), of(-1)}, true},
		{"of 77 elements, the 78th", 1, []Product{of(77)}, false},
		{"less than nothing", 0, []Product{of(1, x), of(-81)}, false},
		{"12 invocations along y, times 7, less 8", 1, []Product{of(1, y, word(0)), of(-8)}, true},
		{"less 7", 1, []Product{of(1, y, word(0)), of(-7)}, false},
		{"the extent along y, times 7", 1, []Product{of(1, word(8), word(0)), of(-1)}, true},
		{"and one more", 1, []Product{of(1, word(8), word(0))}, false},
		{"five workgroups along x", 1, []Product{of(15, Quantity{Kind: Workgroups}), of(1)}, true},
		{"elements of the other", 0, []Product{of(1, Quantity{Kind: Elements, Number: 1}), of(2)}, true},
		{"and three", 0, []Product{of(1, Quantity{Kind: Elements, Number: 1}), of(3)}, false},
		{"77 elements rounded up to 80", 0, []Product{of(8, Quantity{Kind: Elements, Number: 1, Plus: 7, Over: 8}), of(-1)}, true},
		{"rounded down to 72", 1, []Product{of(8, Quantity{Kind: Elements, Number: 1, Over: 8}), of(4)}, true},
		{"rounded down, the 78th", 1, []Product{of(8, Quantity{Kind: Elements, Number: 1, Over: 8}), of(5)}, false},
		{"2^31 - 1", -1, []Product{of(1<<31 - 1)}, true},
		{"2^31", -1, []Product{of(1 << 31)}, false},
		{"2^32 - 1 in a word", -1, []Product{of(1, word(4))}, false},
		{"less 2^32", -1, []Product{of(1, word(4)), of(-1 << 32)}, false},
		{"more than 64 bits", -1, []Product{of(1<<40, word(4)), of(-1 << 40)}, false},
		{"a cube of more than 64 bits", -1, []Product{of(1, word(4), word(4), word(4))}, false},
		{"a sum of more than 64 bits", -1, []Product{of(1<<31, word(4)), of(1<<31, word(4)), of(1<<31, word(4))}, false},
		{"nothing", 0, nil, true},
		{"a buffer that is not there", 2, nil, false},
		{"a dimension that is not there", 0, []Product{of(1, Quantity{Kind: Workgroups, Number: 3})}, false},
		{"a word behind all", 0, []Product{of(0, word(12))}, false},
		{"between two words", 0, []Product{of(0, word(10))}, false},
		{"half of a word", 0, []Product{of(0, word(6))}, false},
		{"elements of no buffer", 0, []Product{of(0, Quantity{Kind: Elements, Number: 2})}, false},
		{"no kind", 0, []Product{of(0, Quantity{})}, false},
	} {
		w := BoundsCheck{Binding: c.binding, Sum: c.sum}
		if got := w.holds(k, l); got != c.holds {
			t.Errorf("%s: %v, want %v", c.name, got, c.holds)
		}
	}
}
