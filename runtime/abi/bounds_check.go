package abi

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// This file says what has to be compared before a launch of a form of a kernel whose accesses are
// not checked one by one (Coarse.Checks).

// BoundsCheck says that a sum is less than the number of elements of a buffer, and not negative: then
// the accesses of a kernel to it are in bounds. The numbers are integers without limits; one that
// does not fit into 64 bits is not less.
type BoundsCheck struct {
	// Binding is the buffer, by its place in Kernel.Bindings, or -1, which stands for 2^31
	// elements.
	Binding int `json:"binding"`
	// Sum is what is compared: at least the greatest index of the accesses.
	Sum []Product `json:"sum"`
}

// Product is a factor times quantities.
type Product struct {
	Factor int64      `json:"factor"`
	Of     []Quantity `json:"of,omitempty"`
}

// Quantity is a number that is known of a launch, and not negative. If Over is not 0 it is (that
// number + Plus) / Over, rounded down.
type Quantity struct {
	Kind QuantityKind `json:"kind"`
	// Number is the dimension of Invocations and Workgroups, from 0 to 2, the place of the buffer
	// whose Elements are counted in Kernel.Bindings, or the offset of a Word in bytes.
	Number uint32 `json:"number"`
	Plus   uint32 `json:"plus,omitempty"`
	Over   uint32 `json:"over,omitempty"`
}

// QuantityKind says what of a launch is meant.
type QuantityKind string

// The kinds of quantities.
const (
	Invocations QuantityKind = "invocations" // of the grid, along a dimension
	Workgroups  QuantityKind = "workgroups"  // likewise
	Elements    QuantityKind = "elements"    // of a buffer's runtime-sized array
	// 32 bits of the immediates, the extent behind them included, as a number without a sign
	Word QuantityKind = "word"
)

// LaunchValues is what is known of a launch before it is made.
type LaunchValues struct {
	// Grid is the number of workgroups, by dimension, and Extent that of invocations, where 0
	// stands for all of the grid.
	Grid, Extent [3]uint32
	// Immediates are those that the program gives, and Sizes the bytes of the buffers that it
	// binds, in the order of Kernel.Bindings.
	Immediates []byte
	Sizes      []uint64
}

// holds reports whether what is compared is so for a launch of a kernel. What names something that
// the kernel does not have is not.
func (w *BoundsCheck) holds(k *Kernel, l *LaunchValues) bool {
	limit := uint64(1) << 31
	if w.Binding >= 0 {
		n, ok := l.elements(k, uint32(w.Binding))
		if !ok {
			return false
		}
		limit = n
	}
	above, below := uint64(0), uint64(0) // what is added and what is taken away
	for _, p := range w.Sum {
		to, x := &above, uint64(p.Factor)
		if p.Factor < 0 {
			to, x = &below, -x
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
	return above >= below && above-below < limit
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

// word returns a word of the immediates of a launch, those of its extent included.
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

// extent returns how many invocations a launch has along a dimension, of which 0 are all of the
// grid.
func (k *Kernel) extent(dimension int, grid, extent [3]uint32) uint32 {
	if n := extent[dimension]; n != 0 {
		return n
	}
	return uint32(min(uint64(grid[dimension])*uint64(k.Workgroup[dimension]), math.MaxUint32))
}
