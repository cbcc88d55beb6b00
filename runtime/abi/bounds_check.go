package abi

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// This file compares sizes before a launch of a variant without bounds checks (Coarse.Checks).

// BoundsCheck says that a sum of products has to be at least 0 and less than the number of elements
// of a buffer. Then accesses to it are in bounds. Values are unlimited integers; a sum that exceeds
// 64 bits fails.
type BoundsCheck struct {
	// Binding is the index of the buffer in Kernel.Bindings, or -1 for a limit of 2^31 elements.
	Binding int `json:"binding"`
	// Sum is an upper bound of the indices that are accessed.
	Sum []Product `json:"sum"`
}

// Product is a factor times quantities.
type Product struct {
	Factor int64      `json:"factor"`
	Of     []Quantity `json:"of,omitempty"`
}

// Quantity is a non-negative value that is known when a launch is made. If Over is not 0 it is
// (value + Plus) / Over, rounded down.
type Quantity struct {
	Kind QuantityKind `json:"kind"`
	// Number is the dimension of Invocations and Workgroups (0 to 2), the index in Kernel.Bindings
	// of the buffer whose Elements are counted, or the byte offset of a Word.
	Number uint32 `json:"number"`
	Plus   uint32 `json:"plus,omitempty"`
	Over   uint32 `json:"over,omitempty"`
}

// QuantityKind says which value of a launch a Quantity is.
type QuantityKind string

// The kinds of quantities.
const (
	Invocations QuantityKind = "invocations" // of the grid, along a dimension
	Workgroups  QuantityKind = "workgroups"  // likewise
	Elements    QuantityKind = "elements"    // of a buffer's runtime-sized array
	// an unsigned 32-bit word of the immediates, or of the extent after them
	Word QuantityKind = "word"
)

// LaunchValues are what is known of a launch before it is made.
type LaunchValues struct {
	// Grid is the number of workgroups, by dimension, and Extent that of invocations, where 0 means
	// all of the grid.
	Grid, Extent [3]uint32
	// Immediates are those that the program provides, and Sizes the bytes of the buffers that it
	// binds, in the order of Kernel.Bindings.
	Immediates []byte
	Sizes      []uint64
}

// holds reports whether the check passes for a launch of a kernel. It fails if it names something
// that the kernel does not have.
func (c *BoundsCheck) holds(k *Kernel, l *LaunchValues) bool {
	limit := uint64(1) << 31
	if c.Binding >= 0 {
		n, ok := l.elements(k, uint32(c.Binding))
		if !ok {
			return false
		}
		limit = n
	}
	plus, minus := uint64(0), uint64(0) // sums of the positive and the negative products
	for _, p := range c.Sum {
		to, x := &plus, uint64(p.Factor)
		if p.Factor < 0 {
			to, x = &minus, -x
		}
		for _, q := range p.Of {
			y, ok := l.quantity(k, q)
			high, low := bits.Mul64(x, y)
			if !ok || high != 0 {
				return false
			}
			x = low
		}
		sum, carry := bits.Add64(*to, x, 0)
		if carry != 0 {
			return false
		}
		*to = sum
	}
	return plus >= minus && plus-minus < limit
}

// elements returns how many elements the runtime-sized array of a binding has.
func (l *LaunchValues) elements(k *Kernel, binding uint32) (n uint64, ok bool) {
	if int64(binding) >= int64(min(len(k.Bindings), len(l.Sizes))) {
		return 0, false
	}
	return uint64(k.Bindings[binding].Length(l.Sizes[binding])), true
}

// quantity returns a quantity of a launch.
func (l *LaunchValues) quantity(k *Kernel, q Quantity) (x uint64, ok bool) {
	switch q.Kind {
	case Invocations, Workgroups:
		if q.Number > 2 {
			return 0, false
		}
		x = uint64(l.Grid[q.Number])
		if q.Kind == Invocations {
			x *= uint64(k.Workgroup[q.Number])
		}
	case Elements:
		if x, ok = l.elements(k, q.Number); !ok {
			return 0, false
		}
	case Word:
		if x, ok = l.word(k, q.Number); !ok {
			return 0, false
		}
	default:
		return 0, false
	}
	if q.Over != 0 {
		x = (x + uint64(q.Plus)) / uint64(q.Over)
	}
	return x, true
}

// word returns a word of the immediates of a launch or of the extent after them.
func (l *LaunchValues) word(k *Kernel, offset uint32) (x uint64, ok bool) {
	if e := k.Extent; e != nil && offset >= e.Offset {
		n := (offset - e.Offset) / 4
		if (offset-e.Offset)%4 != 0 || int64(n) >= int64(len(e.Dimensions)) {
			return 0, false
		}
		d := e.Dimensions[n]
		if d < 0 || d > 2 {
			return 0, false
		}
		return uint64(k.extent(d, l.Grid, l.Extent)), true
	}
	if int64(offset)+4 > int64(len(l.Immediates)) {
		return 0, false
	}
	return uint64(binary.LittleEndian.Uint32(l.Immediates[offset:])), true
}

// extent returns how many invocations a launch has in a dimension. An extent of 0 means all of the
// grid.
func (k *Kernel) extent(dimension int, grid, extent [3]uint32) uint32 {
	if n := extent[dimension]; n != 0 {
		return n
	}
	return uint32(min(uint64(grid[dimension])*uint64(k.Workgroup[dimension]), math.MaxUint32))
}
