// Tensor maps: a launch encodes those of its matrices and passes them as parameters (abi.Tensor).
// If it cannot, the kernel itself is launched.

package cudalike

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// tensor is the variant of a kernel with tensor maps. The first launch that can use it loads it:
// drivers take long to compile.
type tensor struct {
	variant *abi.Tensor
	mutex   sync.Mutex
	tried   bool
	loaded  *kernel // nil if it is not loaded, or the device refuses it
	maps    []tensorMap
}

// encodedMap is an encoded tensor map, a CUtensorMap. newMap makes it.
type encodedMap [abi.TensorMapBytes / 8]uint64

// newMap returns an encodedMap with the alignment that CUDA wants.
func newMap() *encodedMap {
	const spare = abi.TensorMapAlignment/8 - 1
	words := make([]uint64, len(encodedMap{})+spare)
	first := -uintptr(unsafe.Pointer(&words[0])) % abi.TensorMapAlignment / 8
	return (*encodedMap)(words[first:])
}

// tensorMap encodes the matrices of one map, and keeps the last: most launches have the same ones.
type tensorMap struct {
	of   abi.TensorMatrix // what was encoded last, or zero
	next abi.TensorMatrix // what is encoded
	to   *encodedMap
	kind uintptr // CUtensorMapDataType
	// arguments of cuTensorMapEncodeTiled, columns before rows
	swizzle uintptr
	box     [2]uint32
	steps   [4]uint32
}

// tensorElements are the types of elements (CUtensorMapDataType). It has none of signed bytes and
// of 8-bit floats, which copies do not tell from unsigned bytes.
var tensorElements = [...]struct {
	element string
	kind    uintptr
}{{"u8", 0}, {"i8", 0}, {"e4m3", 0}, {"e5m2", 0}, {"u32", 2}, {"i32", 3}, {"f16", 6}, {"f32", 7}, {"f64", 8}, {"bf16", 9}}

// tensorSwizzles are the bytes of swizzles (CUtensorMapSwizzle).
var tensorSwizzles = [...]uint32{0, 32, 64, 128}

// Other arguments of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
const (
	noInterleave     = 0 // CU_TENSOR_MAP_INTERLEAVE_NONE
	promote256       = 3 // CU_TENSOR_MAP_L2_PROMOTION_L2_256B
	zerosOutOfBounds = 0 // CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
)

// newTensor returns the variant of an artefact with tensor maps, or nil if there is none, or none
// for the device and the kernel.
func (d *device) newTensor(a *abi.Artefact) *tensor {
	v, least := a.Tensor, d.c.api.Tensors
	if v == nil || d.c.TensorEncode == 0 || least == 0 || d.info.Profile < least || !v.Suits(&a.Kernel) || d.info.Accepts(v.Artefact) != nil {
		return nil
	}
	t := &tensor{variant: v, maps: make([]tensorMap, len(v.Maps))}
	for n := range v.Maps {
		m := &v.Maps[n]
		if m.Windows != nil && d.c.WindowsEncode == 0 {
			return nil
		}
		element := 0
		for tensorElements[element].element != m.Element {
			element++ // TensorMap.possible: it is one of them
		}
		t.maps[n] = tensorMap{to: newMap(), kind: tensorElements[element].kind, swizzle: uintptr(slices.Index(tensorSwizzles[:], m.Swizzle)),
			box: [2]uint32{m.Box[1], m.Box[0]}, steps: [4]uint32{1, 1, 1, 1}}
	}
	return t
}

// load loads the variant, if that was not tried; the mutex is held.
func (t *tensor) load(d *device) {
	if t.tried {
		return
	}
	t.tried = true
	k := newKernel(d, t.variant.Artefact)
	k.maps = len(t.maps)
	if k.open(t.variant.Artefact) == nil {
		t.loaded = k
	}
}

// unload unloads the variant, if it was loaded; no work uses it.
func (t *tensor) unload() error {
	if t == nil {
		return nil
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	k := t.loaded
	if t.tried, t.loaded = true, nil; k == nil {
		return nil
	}
	return k.unload()
}

// encode makes the map of a matrix, and reports whether it did.
func (m *tensorMap) encode(d *device, x *abi.TensorMatrix) bool {
	if m.of == *x {
		return true
	}
	if d.enter() != nil {
		return false
	}
	defer d.leave()
	m.of, m.next = abi.TensorMatrix{}, *x
	var register uintptr
	if x.Rank == 2 {
		register = dl.Call12(d.c.TensorEncode, uintptr(unsafe.Pointer(m.to)), m.kind, uintptr(x.Rank), uintptr(x.Address),
			uintptr(unsafe.Pointer(&m.next.Sizes)), uintptr(unsafe.Pointer(&m.next.Strides)),
			uintptr(unsafe.Pointer(&m.box)), uintptr(unsafe.Pointer(&m.steps)), noInterleave, m.swizzle, promote256, zerosOutOfBounds)
	} else {
		m.steps[1], m.steps[2] = x.Steps[0], x.Steps[1]
		register = dl.Call15(d.c.WindowsEncode, uintptr(unsafe.Pointer(m.to)), m.kind, uintptr(x.Rank), uintptr(x.Address),
			uintptr(unsafe.Pointer(&m.next.Sizes)), uintptr(unsafe.Pointer(&m.next.Strides)),
			uintptr(unsafe.Pointer(&m.next.Lower)), uintptr(unsafe.Pointer(&m.next.Upper)), uintptr(m.box[0]), uintptr(m.box[1]),
			uintptr(unsafe.Pointer(&m.steps)), noInterleave, m.swizzle, promote256, zerosOutOfBounds)
	}
	if d.check("encode a tensor map", register) != nil {
		return false
	}
	m.of = *x
	return true
}

// tensored returns what a launch of a kernel runs: the variant with tensor maps if there is one
// that can do it, else the kernel itself. The maps are then among the stream's arguments.
func (s *stream) tensored(k *kernel, l *driver.Launch) *kernel {
	t := k.tensor
	if t == nil || !t.variant.Covers(l.Grid) || !s.findMatrices(t.variant.Maps, l) {
		return k
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.load(s.device); t.loaded == nil {
		return k
	}
	a := &s.arguments
	for len(a.maps) < len(t.maps) {
		a.maps = append(a.maps, newMap())
	}
	for n := range t.maps {
		if !t.maps[n].encode(s.device, &s.matrices[n]) {
			return k
		}
		*a.maps[n] = *t.maps[n].to
	}
	return t.loaded
}

// findMatrices finds the matrices of tensor maps in a launch, and reports whether all of them can
// be encoded.
func (s *stream) findMatrices(maps []abi.TensorMap, l *driver.Launch) bool {
	s.matrices = slices.Grow(s.matrices[:0], len(maps))[:len(maps)]
	var layout [abi.TensorLayoutBytes]byte
	var window [abi.WindowBytes]byte
	for n := range maps {
		m := &maps[n]
		if !s.readValues(l, m.Layout, layout[:m.LayoutBytes()]) || m.Windows != nil && m.Windows.At != nil && !s.readValues(l, *m.Windows.At, window[:]) {
			return false
		}
		ok := false
		b := &l.Bindings[m.Binding]
		if s.matrices[n], ok = m.Matrix(layout[:], window[:], uint64(address(b)), b.Bytes); !ok {
			return false
		}
	}
	return true
}

// readValues copies values of a launch, and reports whether they are known.
func (s *stream) readValues(l *driver.Launch, at abi.ValueAt, to []byte) bool {
	offset := uint64(at.Offset)
	if at.Binding < 0 {
		copy(to, l.Immediates[offset:])
		return true
	}
	b := &l.Bindings[at.Binding]
	c := s.known(b.Memory.(*memory))
	return c != nil && b.Bytes >= offset+uint64(len(to)) && c.read(s, to, b.Offset+offset)
}
