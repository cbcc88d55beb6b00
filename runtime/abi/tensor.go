package abi

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// Tensor is the variant of a kernel in which a tensor memory accelerator copies tiles of matrices
// (PTX ISA, cp.async.bulk.tensor). One without maps is for the units that multiply float64 on
// devices with that accelerator. It takes the same buffers and immediates, and has its own
// workgroup size and workgroup memory. A launch runs as many workgroups of it as it has of the
// kernel.
type Tensor struct {
	// Maps are the tensor maps that a launch makes. The code has a parameter for each that it uses
	// (TensorMapParameter).
	Maps []TensorMap
	// Artefact has the code, and its own ByValue. It has no other variants.
	Artefact *Artefact
}

// TensorMap describes a tensor map that a launch makes of a matrix, or of a tensor for the matrix
// of its windows.
type TensorMap struct {
	// Binding is the index in Kernel.Bindings of the buffer with the elements.
	Binding int `json:"binding"`
	// Layout is where the launch's values have the matrix's layout: five i32, in elements, as in
	// gpu.MatrixLayout. They are offset, rows, columns, row stride and column stride. For windows
	// they are nine, as in gpu.TensorLayout: offset, images, rows, pixels of a row, channels, and
	// the strides of those four.
	Layout ValueAt `json:"layout"`
	// Element is the type of an element: "f16", "bf16", "f32", "f64", "i8", "u8", "e4m3", "e5m2",
	// "i32" or "u32".
	Element string `json:"element"`
	// Box is how many rows and columns a copy has. Columns are contiguous.
	Box [2]uint32 `json:"box"`
	// Swizzle is the span in bytes within which copies permute units of 16 bytes: 32, 64 or 128,
	// or 0 for none.
	Swizzle uint32 `json:"swizzle,omitempty"`
	// Windows are those of a tensor whose matrix the map is for (CUDA Driver API,
	// cuTensorMapEncodeIm2col), or nil for a matrix in memory. A box then has so many windows, and
	// channels of one pixel of each.
	Windows *TensorWindows `json:"windows,omitempty"`
}

// TensorWindows says where the windows of a convolution are: eight i32, as in gpu.Window. They are
// the rows and pixels of a window, the steps from one to the next, the padding and the dilations.
// Steps and dilations below one count as one.
type TensorWindows struct {
	// At is where the launch's values have them. If it is nil, Values are they.
	At     *ValueAt `json:"at,omitempty"`
	Values []int32  `json:"values,omitempty"`
}

// ValueAt is the position of a value among those of a launch.
type ValueAt struct {
	// Binding is -1 for the immediates, or the index in Kernel.Bindings of a uniform buffer.
	Binding int `json:"binding"`
	// Offset is in bytes.
	Offset uint32 `json:"offset"`
}

// Sizes of what a launch has of a map: a matrix's layout, and a tensor's and its windows
// (TensorMap.Layout, TensorWindows).
const (
	MatrixLayoutBytes = 5 * 4
	TensorLayoutBytes = 9 * 4
	WindowBytes       = 8 * 4
)

// Limits of tensor maps (CUDA Driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col).
// Addresses and strides are multiples of TensorMapUnit, and so are the bytes of a row of a box.
// Windows are at most maxTensorMapStep pixels apart, and their pixels maxTensorMapOffset from the
// first one. They begin, and images end, at most maxTensorMapCorner pixels outside.
const (
	TensorMapUnit      = 16
	maxTensorMapBox    = 256 // rows, and columns
	maxTensorMapStep   = 8
	maxTensorMapOffset = 255
	maxTensorMapCorner = 127
)

// elementSizes are the sizes of the elements that matrices of tensor maps have.
var elementSizes = [...]struct {
	element string
	bytes   uint64
}{{"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"i8", 1}, {"u8", 1}, {"e4m3", 1}, {"e5m2", 1}, {"i32", 4}, {"u32", 4}}

// elementBytes returns the size of an element, or 0 if there is none of this name.
func (m *TensorMap) elementBytes() uint64 {
	for _, row := range elementSizes {
		if row.element == m.Element {
			return row.bytes
		}
	}
	return 0
}

// TensorMatrix is a matrix, or a tensor with windows, as a tensor map has it.
type TensorMatrix struct {
	Address uint64 // of the first element
	// Rank is 2 for a matrix and 4 for a tensor. Sizes has so many dimensions: columns and rows, or
	// channels, pixels of a row, rows and images. Strides are in bytes, from the second dimension
	// on.
	Rank    int
	Sizes   [4]uint64
	Strides [3]uint64
	// Windows of a tensor begin at Lower from the first pixel of an image on, and at most at Upper
	// from the last one. Lists have pixels of a row, and rows. Steps are those between windows.
	Lower, Upper [2]int32
	Steps        [2]uint32
}

// LayoutBytes returns the size of the layout that a launch has (TensorMap.Layout).
func (m *TensorMap) LayoutBytes() int {
	if m != nil && m.Windows != nil {
		return TensorLayoutBytes
	}
	return MatrixLayoutBytes
}

// Matrix returns the matrix or tensor of a map in a launch. Layout is its layout, window has the
// windows if the launch's values have them, and the buffer with the elements has this address and
// size in bytes. It is not ok if no tensor map can have the matrix, or if the matrix exceeds the
// buffer. Then the kernel itself has to be launched.
func (m *TensorMap) Matrix(layout, window []byte, address, bytes uint64) (x TensorMatrix, ok bool) {
	if m == nil || len(layout) < m.LayoutBytes() {
		return x, false
	}
	var words [TensorLayoutBytes / 4]int64
	for n := range m.LayoutBytes() / 4 {
		words[n] = int64(int32(binary.LittleEndian.Uint32(layout[4*n:])))
	}
	rank := 2
	sizes, strides := [4]int64{words[2], words[1]}, [4]int64{words[4], words[3]} // columns, rows
	if m.Windows != nil {
		rank = 4
		for n := range rank {
			sizes[n], strides[n] = words[4-n], words[8-n]
		}
	}
	size := int64(m.elementBytes())
	if size == 0 || words[0] < 0 || strides[0] != 1 || rank == 2 && strides[1] < sizes[0] {
		return x, false
	}
	// with 31 bits, sizes are below the limit of 2^32, and strides below that of 2^40 bytes
	x = TensorMatrix{Address: address + uint64(words[0]*size), Rank: rank}
	last, left := words[0], int64(bytes/uint64(size)) // the last element, and how many there are
	ok = x.Address%TensorMapUnit == 0
	for n := range rank {
		if sizes[n] < 1 || n > 0 && (strides[n] < 1 || strides[n]*size%TensorMapUnit != 0) {
			return x, false
		}
		x.Sizes[n] = uint64(sizes[n])
		if n > 0 {
			x.Strides[n-1] = uint64(strides[n] * size)
		}
		last += (sizes[n] - 1) * strides[n] // of 62 bits
		if ok = ok && last < left; !ok {
			return x, false
		}
	}
	if m.Windows != nil {
		ok = m.windows(&x, window)
	}
	return x, ok
}

// windows adds the windows to a tensor. Those in the launch's values are in window.
func (m *TensorMap) windows(x *TensorMatrix, window []byte) bool {
	var w [WindowBytes / 4]int64
	if m.Windows.At == nil {
		if len(m.Windows.Values) != len(w) {
			return false
		}
		for n, v := range m.Windows.Values {
			w[n] = int64(v)
		}
	} else {
		if len(window) < WindowBytes {
			return false
		}
		for n := range w {
			w[n] = int64(int32(binary.LittleEndian.Uint32(window[4*n:])))
		}
	}
	if x.Sizes[0]%uint64(m.Box[1]) != 0 { // a box would have channels of two pixels
		return false
	}
	for n, side := range [2]int{1, 0} { // windows have rows first
		taps, step, padding, dilation := w[side], max(w[2+side], 1), w[4+side], max(w[6+side], 1)
		if taps < 1 || taps > maxTensorMapOffset || dilation > maxTensorMapOffset {
			return false
		}
		offset := dilation * (taps - 1)
		upper := padding - offset
		if step > maxTensorMapStep || offset > maxTensorMapOffset || max(padding, -padding, upper, -upper) > maxTensorMapCorner || int64(x.Sizes[1+n])+upper+padding < 1 {
			return false
		}
		x.Lower[n], x.Upper[n], x.Steps[n] = int32(-padding), int32(upper), uint32(step)
	}
	return true
}

// Covers reports whether indices of the variant's invocations have 31 bits in a grid of workgroups.
func (t *Tensor) Covers(grid [3]uint32) bool {
	if t == nil || t.Artefact == nil {
		return false
	}
	for n, count := range grid {
		if uint64(count)*uint64(t.Artefact.Kernel.Workgroup[n]) > math.MaxInt32 {
			return false
		}
	}
	return true
}

// Suits reports whether launches of a kernel can run the variant: it takes what the kernel takes,
// and its maps are possible. Kernels with textures, messages, fault records or scratch memory have
// no such variant.
func (t *Tensor) Suits(k *Kernel) bool {
	if t == nil || k == nil || t.Artefact == nil || t.Artefact.Coarse != nil || t.Artefact.Tensor != nil {
		return false
	}
	v := &t.Artefact.Kernel
	for _, one := range [...]*Kernel{k, v} {
		if len(one.Handles) > 0 || one.Messages != nil || one.Fault != nil || one.Scratch != nil {
			return false
		}
	}
	if !slices.Equal(k.Bindings, v.Bindings) || !bytes.Equal(k.Tables, v.Tables) || k.ValueBytes() != v.ValueBytes() ||
		!k.Extent.equal(v.Extent) || v.IntPositions && !k.IntPositions {
		return false
	}
	return !slices.ContainsFunc(t.Maps, func(m TensorMap) bool { return !m.possible(v) })
}

// equal reports whether two kernels take the same extent.
func (e *Extent) equal(other *Extent) bool {
	if e == nil || other == nil {
		return e == other
	}
	return e.Offset == other.Offset && slices.Equal(e.Dimensions, other.Dimensions)
}

// possible reports whether launches of a kernel can make the map.
func (m *TensorMap) possible(k *Kernel) bool {
	if m.Binding < 0 || m.Binding >= len(k.Bindings) || k.Bindings[m.Binding].Access == Uniform {
		return false
	}
	rowBytes := uint64(m.Box[1]) * m.elementBytes()
	switch {
	case rowBytes == 0 || rowBytes%TensorMapUnit != 0, m.Box[0] == 0, max(m.Box[0], m.Box[1]) > maxTensorMapBox:
		return false
	case !slices.Contains([]uint32{0, 32, 64, 128}, m.Swizzle), m.Swizzle != 0 && rowBytes > uint64(m.Swizzle):
		return false
	}
	if w := m.Windows; w != nil {
		switch {
		case w.At != nil && (w.Values != nil || !k.hasValues(*w.At, WindowBytes)), w.At == nil && len(w.Values) != WindowBytes/4:
			return false
		}
	}
	return k.hasValues(m.Layout, m.LayoutBytes())
}

// hasValues reports whether launches of a kernel have so many bytes of values at a position.
func (k *Kernel) hasValues(at ValueAt, bytes int) bool {
	values := uint64(k.ValueBytes())
	if n := at.Binding; n != -1 {
		if n < 0 || n >= len(k.Bindings) || k.Bindings[n].Access != Uniform {
			return false
		}
		values = uint64(k.Bindings[n].Size)
	}
	return at.Offset%4 == 0 && uint64(at.Offset)+uint64(bytes) <= values
}
