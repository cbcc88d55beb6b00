package abi

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// Tensor is the variant of a kernel in which a tensor memory accelerator copies tiles of matrices
// (PTX ISA, cp.async.bulk.tensor). It takes the same buffers and immediates, and has its own
// workgroup size and workgroup memory. A launch runs as many workgroups of it as it has of the
// kernel.
type Tensor struct {
	// Maps are the tensor maps that a launch makes. The code has a parameter for each that it uses
	// (TensorMapParameter).
	Maps []TensorMap
	// Artefact has the code, and its own ByValue. It has no other variants.
	Artefact *Artefact
}

// TensorMap describes a tensor map that a launch makes of a matrix.
type TensorMap struct {
	// Binding is the index in Kernel.Bindings of the buffer with the elements.
	Binding int `json:"binding"`
	// Layout is where the launch's values have the matrix's layout: five i32, in elements, as in
	// gpu.MatrixLayout. They are offset, rows, columns, row stride and column stride.
	Layout ValueAt `json:"layout"`
	// Element is the type of an element: "f16", "bf16", "f32", "f64", "i8", "u8", "e4m3", "e5m2",
	// "i32" or "u32".
	Element string `json:"element"`
	// Box is how many rows and columns a copy has. Columns are contiguous.
	Box [2]uint32 `json:"box"`
	// Swizzle is the span in bytes within which copies permute units of 16 bytes: 32, 64 or 128,
	// or 0 for none.
	Swizzle uint32 `json:"swizzle,omitempty"`
}

// ValueAt is the position of a value among those of a launch.
type ValueAt struct {
	// Binding is -1 for the immediates, or the index in Kernel.Bindings of a uniform buffer.
	Binding int `json:"binding"`
	// Offset is in bytes.
	Offset uint32 `json:"offset"`
}

// MatrixLayoutBytes is the size of a matrix's layout (TensorMap.Layout).
const MatrixLayoutBytes = 5 * 4

// Limits of tensor maps (CUDA Driver API, cuTensorMapEncodeTiled). Addresses and strides are
// multiples of TensorMapUnit, and so are the bytes of a row of a box.
const (
	TensorMapUnit   = 16
	maxTensorMapBox = 256 // rows, and columns
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

// TensorMatrix is a matrix as a tensor map has it.
type TensorMatrix struct {
	Address       uint64 // of the first element
	Rows, Columns uint64
	RowBytes      uint64 // from one row to the next
}

// Matrix returns the matrix of a map in a launch. Layout is the matrix's, and the buffer with the
// elements has this address and size in bytes. It is not ok if no tensor map can have the matrix,
// or if the matrix exceeds the buffer. Then the kernel itself has to be launched.
func (m *TensorMap) Matrix(layout []byte, address, bytes uint64) (x TensorMatrix, ok bool) {
	if m == nil || len(layout) < MatrixLayoutBytes {
		return x, false
	}
	var words [MatrixLayoutBytes / 4]int64
	for n := range words {
		words[n] = int64(int32(binary.LittleEndian.Uint32(layout[4*n:])))
	}
	offset, rows, columns, rowStride, columnStride := words[0], words[1], words[2], words[3], words[4]
	size := m.elementBytes()
	if size == 0 || offset < 0 || rows < 1 || columns < 1 || rowStride < columns || columnStride != 1 {
		return x, false
	}
	// with 31 bits, sizes are below the limit of 2^32, and strides below that of 2^40 bytes
	x = TensorMatrix{address + uint64(offset)*size, uint64(rows), uint64(columns), uint64(rowStride) * size}
	end := uint64(offset + (rows-1)*rowStride + columns)
	return x, x.Address%TensorMapUnit == 0 && x.RowBytes%TensorMapUnit == 0 && end <= bytes/size
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
	values := uint64(k.ValueBytes())
	if n := m.Layout.Binding; n != -1 {
		if n < 0 || n >= len(k.Bindings) || k.Bindings[n].Access != Uniform {
			return false
		}
		values = uint64(k.Bindings[n].Size)
	}
	return m.Layout.Offset%4 == 0 && uint64(m.Layout.Offset)+MatrixLayoutBytes <= values
}
