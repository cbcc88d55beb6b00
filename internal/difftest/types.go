package difftest

// Types: the fixed ones, makers of the others, and their layout in memory (WGSL §14.4).

var (
	boolType = &Type{Kind: Bool}
	i32Type  = &Type{Kind: I32}
	u32Type  = &Type{Kind: U32}
	f32Type  = &Type{Kind: F32}
	f16Type  = &Type{Kind: F16}
	wideType = &Type{Kind: AbstractInt}

	scalarTypes = []*Type{boolType, i32Type, u32Type, f32Type, f16Type}
	// vectorTypes and matrixTypes hold the only Type of each shape: [kind][components] and
	// [half][columns][rows].
	vectorTypes [F16 + 1][5]*Type
	matrixTypes [2][5][5]*Type
)

func init() {
	for _, s := range scalarTypes {
		for n := 2; n <= 4; n++ {
			vectorTypes[s.Kind][n] = &Type{Kind: Vector, Elem: s, Count: n}
		}
	}
	for half, s := range []*Type{f32Type, f16Type} {
		for c := 2; c <= 4; c++ {
			for r := 2; r <= 4; r++ {
				matrixTypes[half][c][r] = &Type{Kind: Matrix, Elem: vectorTypes[s.Kind][r], Count: c}
			}
		}
	}
}

func vectorOf(s *Type, n int) *Type {
	if n == 1 {
		return s
	}
	return vectorTypes[s.Kind][n]
}

func matrixOf(s *Type, columns, rows int) *Type {
	half := 0
	if s.Kind == F16 {
		half = 1
	}
	return matrixTypes[half][columns][rows]
}

func arrayOf(elem *Type, n int) *Type { return &Type{Kind: Array, Elem: elem, Count: n} }

func pointerTo(t *Type, s Space, a Access) *Type {
	return &Type{Kind: Pointer, Elem: t, Space: s, Access: a}
}

// same says whether two types are the same type of WGSL.
func same(a, b *Type) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Struct:
		return false
	case Vector, Matrix, Array:
		return a.Count == b.Count && same(a.Elem, b.Elem)
	case Atomic:
		return same(a.Elem, b.Elem)
	case Texture:
		return a.Count == b.Count && a.Layered == b.Layered && a.Format == b.Format && a.Access == b.Access && same(a.Elem, b.Elem)
	case Pointer:
		return a.Space == b.Space && a.Access == b.Access && same(a.Elem, b.Elem)
	}
	return true
}

func (t *Type) isScalar() bool { return t.Kind <= F16 }

// scalar is the component type of scalars, vectors and matrices.
func (t *Type) scalar() *Type {
	for t.Kind == Vector || t.Kind == Matrix {
		t = t.Elem
	}
	return t
}

// width is the number of components of a scalar or vector.
func (t *Type) width() int {
	if t.Kind == Vector {
		return t.Count
	}
	return 1
}

func (t *Type) isInteger() bool  { k := t.scalar().Kind; return k == I32 || k == U32 }
func (t *Type) isUnsigned() bool { return t.scalar().Kind == U32 }
func (t *Type) isFloat() bool    { k := t.scalar().Kind; return k == F32 || k == F16 }

// isShareable says whether buffers can hold the type.
func (t *Type) isShareable() bool {
	switch t.Kind {
	case Bool, Pointer, Texture:
		return false
	case Vector, Matrix, Array:
		return t.Elem.isShareable()
	case Struct:
		for _, m := range t.Members {
			if !m.Type.isShareable() {
				return false
			}
		}
	}
	return true
}

// isConstructible says whether expressions can have the type.
func (t *Type) isConstructible() bool {
	switch t.Kind {
	case Atomic, Pointer, Texture:
		return false
	case Array:
		return t.Count > 0 && t.Elem.isConstructible()
	case Struct:
		for _, m := range t.Members {
			if !m.Type.isConstructible() {
				return false
			}
		}
	}
	return true
}

// uses says whether the type is or holds one that has a property.
func (t *Type) uses(has func(*Type) bool) bool {
	if has(t) {
		return true
	}
	if t.Elem != nil && t.Elem.uses(has) {
		return true
	}
	for _, m := range t.Members {
		if m.Type.uses(has) {
			return true
		}
	}
	return false
}

// leaves is how many scalars a value of the type consists of; of a runtime-sized array, none.
func (t *Type) leaves() int {
	switch t.Kind {
	case Vector, Matrix, Array:
		return t.Count * t.Elem.leaves()
	case Struct:
		n := 0
		for _, m := range t.Members {
			n += m.Type.leaves()
		}
		return n
	case Atomic:
		return 1
	}
	return 1
}

// leafAt is the number of leaves before a member.
func (t *Type) leafAt(member int) int {
	n := 0
	for _, m := range t.Members[:member] {
		n += m.Type.leaves()
	}
	return n
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// alignOf is AlignOf in bytes.
func (t *Type) alignOf() int {
	switch t.Kind {
	case F16:
		return 2
	case Vector:
		n := t.Count
		if n == 3 {
			n = 4
		}
		return n * t.Elem.alignOf()
	case Matrix, Array, Atomic:
		return t.Elem.alignOf()
	case Struct:
		align := 1
		for _, m := range t.Members {
			align = max(align, m.alignOf())
		}
		return align
	}
	return 4
}

func (m *Member) alignOf() int {
	if m.Align != 0 {
		return m.Align
	}
	return m.Type.alignOf()
}

func (m *Member) sizeOf() int {
	if m.Size != 0 {
		return m.Size
	}
	return m.Type.sizeOf()
}

// sizeOf is SizeOf in bytes; of a runtime-sized array, one of no elements.
func (t *Type) sizeOf() int {
	switch t.Kind {
	case F16:
		return 2
	case Vector:
		return t.Count * t.Elem.sizeOf()
	case Matrix, Array:
		return t.Count * t.stride()
	case Struct:
		offset, m := 0, (*Member)(nil)
		for i := range t.Members {
			m = &t.Members[i]
			offset = roundUp(offset, m.alignOf()) + m.sizeOf()
		}
		return roundUp(offset, t.alignOf())
	}
	return 4
}

// stride is the distance of elements of an array or columns of a matrix, in bytes.
func (t *Type) stride() int { return roundUp(t.Elem.sizeOf(), t.Elem.alignOf()) }

// offsetOf is the byte offset of a member.
func (t *Type) offsetOf(member int) int {
	offset := 0
	for i := range t.Members {
		m := &t.Members[i]
		offset = roundUp(offset, m.alignOf())
		if i == member {
			break
		}
		offset += m.sizeOf()
	}
	return offset
}

// runtimeArray is the runtime-sized array that the type is or ends with, and its byte offset.
func (t *Type) runtimeArray() (*Type, int) {
	if t.Kind == Array && t.Count == 0 {
		return t, 0
	}
	if t.Kind == Struct {
		last := len(t.Members) - 1
		if a := t.Members[last].Type; a.Kind == Array && a.Count == 0 {
			return a, t.offsetOf(last)
		}
	}
	return nil, 0
}

// leaf is the location of a scalar in memory.
type leaf struct {
	kind   Kind
	offset int
}

// appendLeaves appends the scalars of the type in order; elements is the count of a
// runtime-sized array.
func (t *Type) appendLeaves(to []leaf, offset, elements int) []leaf {
	switch t.Kind {
	case Vector:
		for i := range t.Count {
			to = append(to, leaf{t.Elem.Kind, offset + i*t.Elem.sizeOf()})
		}
		return to
	case Matrix, Array:
		n := t.Count
		if n == 0 {
			n = elements
		}
		for i := range n {
			to = t.Elem.appendLeaves(to, offset+i*t.stride(), 0)
		}
		return to
	case Struct:
		for i := range t.Members {
			to = t.Members[i].Type.appendLeaves(to, offset+t.offsetOf(i), elements)
		}
		return to
	case Atomic:
		return append(to, leaf{t.Elem.Kind, offset})
	}
	return append(to, leaf{t.Kind, offset})
}

// layout is where the scalars of a buffer of so many bytes lie, and how many elements its
// runtime-sized array has.
func (t *Type) layout(bytes int) (leaves []leaf, elements int) {
	if a, at := t.runtimeArray(); a != nil {
		elements = (bytes - at) / a.stride()
	}
	return t.appendLeaves(nil, 0, elements), elements
}
