package lower

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// StandardUniforms rewrites uniform buffers with a layout that WGSL allows and Vulkan 1.1 does not
// (Tint: Std140). An example is a matrix with columns eight bytes apart (Vulkan, Offset and Stride
// Assignment: strides of arrays in uniform buffers are multiples of 16). The buffer becomes an
// array of vec4<u32>, and loads are composed of its words:
//
//	load @u.m[1] : vec2<f32>  ─►  bitcast (shuffle (load @u[0]), 2, 3)
//
// Buffers with a valid layout stay typed. Immediates with halves are treated alike, since few
// devices have them there (Vulkan: storagePushConstant16).
var StandardUniforms = opt.Pass{
	Name: "std140",
	Doc:  "read uniform buffers with layouts outside of std140 as words",
	// after it, indices do not show their array
	Needs: ir.Bound | ir.Structured | ir.Robust,
	Run: func(c *opt.Context, m *ir.Module) {
		for n := range m.Globals {
			g := &m.Globals[n]
			t := m.Element(g.Type)
			switch space := m.SpaceOf(g.Type); {
			case space == ir.Uniform && LayoutProblem(m, t, true) != "":
			case space == ir.Immediate && hasScalar(m, t, scalar.F16):
			default:
				continue
			}
			words := m.VectorOf(ir.U32, 4)
			g.Type = m.PointerTo(m.SpaceOf(g.Type), m.ArrayOf(words, m.ConstU32((m.Size(t)-1)/16+1)), ir.Read)
			for _, f := range m.Funcs {
				w := wordReader{Rewriter: rewrite.New(c, m), buffer: ir.GlobalValue(n), typ: t}
				w.F, w.B.F = f, f
				w.offsets = make([]offset, f.ValueCount())
				w.function()
				f.ApplyReplacements()
			}
		}
	},
}

// hasScalar reports whether a type contains scalars of a kind.
func hasScalar(m *ir.Module, t ir.Type, k scalar.Kind) bool {
	return hasScalarExcept(m, t, k, map[ir.Type]bool{})
}

// hasScalarExcept skips structures that were searched, since they may be nested like a binary tree.
func hasScalarExcept(m *ir.Module, t ir.Type, k scalar.Kind, searched map[ir.Type]bool) bool {
	for m.KindOf(t) == ir.ArrayType {
		t = m.Element(t)
	}
	if m.KindOf(t) != ir.StructType {
		return m.ScalarOf(t) == k
	}
	if searched[t] {
		return false
	}
	searched[t] = true
	for _, member := range m.Members(t) {
		if hasScalarExcept(m, member.Type, k, searched) {
			return true
		}
	}
	return false
}

// LayoutProblem checks the layout of a storage or uniform buffer of type t by Vulkan 1.1's rules,
// which include relaxed block layout. It returns what is wrong, or "".
func LayoutProblem(m *ir.Module, t ir.Type, uniform bool) string {
	l := layout{m: m, uniform: uniform}
	return l.problem(t)
}

// layout checks a type. It caches nested structures, which may form a binary tree.
type layout struct {
	m       *ir.Module
	uniform bool
	aligns  map[ir.Type]uint32
	valid   map[ir.Type]bool
}

func (l *layout) problem(t ir.Type) string {
	m, uniform := l.m, l.uniform
	switch m.KindOf(t) {
	case ir.ArrayType, ir.MatrixType:
		element := m.Element(t)
		if stride, align := m.Stride(t), l.align(t); stride%align != 0 || stride < m.Size(element) {
			return fmt.Sprintf("%s has elements %d bytes apart, which must be a multiple of %d", m.TypeString(t), stride, align)
		}
		return l.problem(element)
	case ir.StructType:
		if l.valid[t] {
			return ""
		}
		next := uint32(0)
		for _, member := range m.Members(t) {
			align := l.align(member.Type)
			size := m.Size(member.Type)
			if m.IsVector(member.Type) {
				align = m.Align(m.Element(member.Type))
				first, last := member.Offset/16, (member.Offset+size-1)/16
				if size <= 16 && first != last || size > 16 && member.Offset%16 != 0 {
					return fmt.Sprintf("the vector %s at offset %d crosses a boundary of 16 bytes", member.Name, member.Offset)
				}
			}
			if member.Offset%align != 0 {
				return fmt.Sprintf("%s is at offset %d, which must be a multiple of %d", member.Name, member.Offset, align)
			}
			if member.Offset < next {
				return fmt.Sprintf("%s lies in the padding of the member before it", member.Name)
			}
			if problem := l.problem(member.Type); problem != "" {
				return problem
			}
			inner := member.Type
			for m.KindOf(inner) == ir.ArrayType {
				inner = m.Element(inner)
			}
			if m.KindOf(inner) == ir.StructType {
				if l.valid == nil {
					l.valid = map[ir.Type]bool{}
				}
				l.valid[inner] = true
			}
			next = member.Offset + size
			if k := m.KindOf(member.Type); uniform && (k == ir.StructType || k == ir.ArrayType || k == ir.MatrixType) {
				next = (next + align - 1) / align * align
			}
		}
	}
	return ""
}

// align returns a type's base alignment, in uniform buffers the extended one.
func (l *layout) align(t ir.Type) uint32 {
	if align := l.aligns[t]; align != 0 {
		return align
	}
	align := uint32(1)
	switch l.m.KindOf(t) {
	case ir.ArrayType, ir.MatrixType:
		align = l.align(l.m.Element(t))
	case ir.StructType:
		for _, member := range l.m.Members(t) {
			align = max(align, l.align(member.Type))
		}
	default:
		return l.m.Align(t)
	}
	if l.uniform {
		align = (align + 15) / 16 * 16
	}
	if l.m.KindOf(t) == ir.StructType {
		if l.aligns == nil {
			l.aligns = map[ir.Type]uint32{}
		}
		l.aligns[t] = align
	}
	return align
}

// wordReader rewrites the loads from one buffer in one function.
type wordReader struct {
	rewrite.Rewriter
	buffer ir.Value
	typ    ir.Type // the original type of the buffer
	// by local value: the offset of a pointer into the buffer
	offsets   []offset // by local value: where a pointer into it leads
	start     offset   // of what is read now
	composite bool     // the value that is read has several scalars
	// row is the row of 16 bytes that was loaded last, and rowOffset its offset.
	row       ir.Value
	rowOffset offset
}

// offset is an offset in the buffer: rows of 16 bytes, bytes and a constant. Dynamic parts are in
// rows if possible, since the word within the row is then constant. known says that the offset is
// set, and maxRows bounds the dynamic rows, in bytes.
type offset struct {
	rows, bytes ir.Value // NoValue for none
	constant    uint32
	maxRows     uint32
	known       bool
}

func (w *wordReader) function() {
	f := w.F
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		switch f.Op(i) {
		case op.Access:
			if t, offset, ok := w.pointee(f.Arg(i, 0)); ok {
				w.At(i)
				w.offsets[f.Result(i)] = w.addIndices(i, t, offset)
				f.Remove(i)
			}
		case op.Load:
			if t, offset, ok := w.pointee(f.Arg(i, 0)); ok {
				w.At(i)
				f.Replace(f.Result(i), w.read(t, offset))
				f.Remove(i)
			}
		case op.Copy:
			if t, offset, ok := w.pointee(f.Arg(i, 1)); ok {
				w.At(i)
				w.copy(f.Arg(i, 0), t, offset)
				f.Remove(i)
			}
		}
		i = next
	}
}

// pointee returns the original type and the offset of a pointer into the buffer.
func (w *wordReader) pointee(p ir.Value) (t ir.Type, at offset, ok bool) {
	switch {
	case p == w.buffer:
		return w.typ, offset{known: true}, true
	case p.IsLocal() && int(p) < len(w.offsets) && w.offsets[p].known:
		return w.M.Element(w.F.TypeOf(p)), w.offsets[p], true
	}
	return 0, offset{}, false
}

// addIndices adds the indices of an access to an offset.
func (w *wordReader) addIndices(i ir.Inst, t ir.Type, from offset) offset {
	for _, index := range w.F.Args(i)[1:] {
		if n, ok := w.M.ConstUint(index); ok {
			from = w.at(from, w.M.PartOffset(t, uint32(n)))
			t = w.M.PartType(t, uint32(n))
			continue
		}
		from = w.indexed(from, t, w.B.Convert(scalar.U32, index))
		t = w.M.PartType(t, 0)
	}
	return from
}

// indexed adds the offset of a dynamic index into a type.
func (w *wordReader) indexed(from offset, t ir.Type, index ir.Value) offset {
	stride := w.M.PartOffset(t, 1)
	if stride%16 == 0 {
		n, _ := w.M.Count(t)
		if stride > 16 {
			index = w.Op(op.Mul, index, w.M.ConstU32(stride/16))
		}
		from.rows = w.sum(from.rows, index)
		from.maxRows += (n - 1) * stride
	} else {
		from.bytes = w.sum(from.bytes, w.Op(op.Mul, index, w.M.ConstU32(stride)))
	}
	return from
}

// sum adds two values, of which the first may be NoValue.
func (w *wordReader) sum(x, y ir.Value) ir.Value {
	if x == ir.NoValue {
		return y
	}
	return w.Op(op.Add, x, y)
}

// at adds a constant to an offset.
func (w *wordReader) at(from offset, bytes uint32) offset {
	from.constant += bytes
	return from
}

// word loads the aligned u32 that holds the byte at an offset. For composite values it is extracted
// from its row.
func (w *wordReader) word(at offset) ir.Value {
	if row, first, ok := w.rowOf(at); ok && w.composite {
		return w.B.Extract(w.rowAt(row), first)
	}
	if at.bytes == ir.NoValue {
		return w.B.Load(w.B.AccessWithin(w.buffer, w.rowIndex(at), w.M.ConstU32(at.constant/4%4)))
	}
	all := w.total(at)
	component := w.Op(op.And, w.Shr(all, 2), w.M.ConstU32(3))
	return w.B.Load(w.B.AccessWithin(w.buffer, w.Shr(all, 4), component))
}

// total returns an offset in bytes.
func (w *wordReader) total(at offset) ir.Value {
	all := at.bytes
	if at.rows != ir.NoValue {
		all = w.sum(all, w.B.Op(op.Shl, at.rows, w.M.ConstU32(4)))
	}
	if all == ir.NoValue || at.constant != 0 {
		all = w.sum(all, w.M.ConstU32(at.constant))
	}
	return all
}

// rowIndex returns the index of the row of an offset without dynamic bytes.
func (w *wordReader) rowIndex(at offset) ir.Value {
	if at.rows == ir.NoValue || at.constant >= 16 {
		return w.sum(at.rows, w.M.ConstU32(at.constant/16))
	}
	return at.rows
}

// rowOf returns the offset of the row that contains an offset, and the index of the word in it. ok
// is false if that is dynamic, or if it may be a last row that is not fully in the buffer.
func (w *wordReader) rowOf(at offset) (row offset, first uint32, ok bool) {
	first = at.constant / 4 % 4
	at.constant &^= 15
	return at, first, at.bytes == ir.NoValue && uint64(at.maxRows)+uint64(at.constant)+16 <= uint64(w.M.Size(w.typ))
}

// read builds the value of a type at an offset.
func (w *wordReader) read(t ir.Type, from offset) ir.Value {
	w.start, w.rowOffset, w.composite = from, offset{}, !w.M.IsScalar(t)
	return w.Compose(t, 0, w)
}

// Leaf reads a scalar at distance bytes after the start of the value.
func (w *wordReader) Leaf(k scalar.Kind, distance uint32) ir.Value {
	if k == scalar.F16 {
		from := w.at(w.start, distance)
		half := w.M.ConstU32(from.constant / 2 % 2)
		if from.bytes != ir.NoValue {
			from = offset{bytes: w.total(from), known: true}
			half = w.Op(op.And, w.Shr(from.bytes, 1), w.M.ConstU32(1))
		}
		pair := w.B.Bitcast(w.M.VectorOf(ir.F16, 2), w.word(from))
		return w.B.Emit(op.Extract, ir.F16, 0, pair, half)
	}
	return w.FromWords(k, distance, func(distance uint32) ir.Value { return w.word(w.at(w.start, distance)) })
}

// Vector reads a vector at distance bytes after the start of the value. Vectors of 32-bit
// components are parts of a row, and those of halves are one or two words. NoValue leaves it to
// Leaf.
func (w *wordReader) Vector(t ir.Type, distance uint32) ir.Value {
	m := w.M
	from := w.at(w.start, distance)
	n := m.Components(t)
	var words ir.Value
	row, first, whole := w.rowOf(from)
	whole = whole && first*4+m.Size(t) <= 16
	switch m.ScalarOf(t).Bits() {
	case 16:
		switch {
		case n == 2:
			return w.B.Bitcast(t, w.word(from))
		case whole:
			words = w.part(w.rowAt(row), first, 2)
		default:
			words = w.B.Construct(m.VectorOf(ir.U32, 2), w.word(from), w.word(w.at(from, 4)))
		}
	case 32:
		switch {
		case whole:
			return w.B.Bitcast(t, w.part(w.rowAt(row), first, n))
		case from.bytes != ir.NoValue && m.Align(t) == 16: // of three or four components
			return w.B.Bitcast(t, w.part(w.rowAt(from), 0, n))
		}
		return ir.NoValue
	default:
		return ir.NoValue
	}
	halves := w.B.Bitcast(m.VectorOf(ir.F16, 4), words)
	return w.part(halves, 0, n)
}

// part returns n components of a vector, starting at index from.
func (w *wordReader) part(v ir.Value, from uint32, n int) ir.Value {
	if n == w.M.Components(w.F.TypeOf(v)) {
		return v
	}
	return w.B.Shuffle(v, []uint32{from, from + 1, from + 2, from + 3}[:n]...)
}

// rowAt loads the row at an offset that is a multiple of 16.
func (w *wordReader) rowAt(from offset) ir.Value {
	if from != w.rowOffset {
		w.rowOffset = from
		var index ir.Value
		if from.bytes == ir.NoValue {
			index = w.rowIndex(from)
		} else {
			index = w.Shr(w.total(from), 4)
		}
		w.row = w.B.Load(w.B.AccessWithin(w.buffer, index))
	}
	return w.row
}

// storedScalars is the greatest number of scalars that copy stores as one value.
const storedScalars = 16

// exceeds reports whether a type has more scalars than that.
func (w *wordReader) exceeds(t ir.Type) bool {
	n, ok := w.M.Slots(t)
	return !ok || n > storedScalars
}

// copy stores the value at an offset: large structures member by member, and large arrays in loops.
func (w *wordReader) copy(to ir.Value, t ir.Type, from offset) {
	m := w.M
	n, _ := m.Count(t)
	switch kind := m.KindOf(t); {
	case kind == ir.StructType && w.exceeds(t):
		for k := range n {
			w.copy(w.B.AccessWithin(to, m.ConstU32(k)), m.PartType(t, k), w.at(from, m.PartOffset(t, k)))
		}
	case kind == ir.ArrayType && w.exceeds(t):
		w.B.Count(n, func(k ir.Value) {
			w.copy(w.B.AccessWithin(to, k), m.PartType(t, 0), w.indexed(from, t, k))
		})
	default:
		w.B.Store(to, w.read(t, from))
	}
}
