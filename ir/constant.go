package ir

import (
	"math"

	"github.com/gpuc/gpuc/ir/scalar"
)

// Constants are interned: equal constants have equal Values. A composite all of
// whose parts are zero is always the zero constant of its type, so that a
// million-element zero array is one record.

type constKind uint8

const (
	constScalar constKind = iota
	constZero
	constComposite
)

// constRecord is a constant: a scalar's storage (package scalar), nothing, or a
// run of parts in Module.constParts.
type constRecord struct {
	typ  Type
	kind constKind
	bits uint64 // or first<<32 | count
}

func (m *Module) internConst(r constRecord, parts []Value) Value {
	known, h, slot := m.findConst(&r, parts)
	if known != 0 {
		return constTag | Value(known)
	}
	if r.kind == constComposite {
		r.bits = uint64(len(m.constParts))<<32 | uint64(len(parts))
		m.constParts = append(m.constParts, parts...)
	}
	i := uint32(len(m.consts))
	m.consts = append(m.consts, r)
	m.constHash = append(m.constHash, h)
	if m.constIndex.insert(slot, i) {
		m.constIndex.grow()
		for i := 1; i < len(m.consts); i++ {
			m.constIndex.insertAbsent(m.constHash[i], uint32(i))
		}
	}
	return constTag | Value(i)
}

// findScalar is findConst for a scalar, without what adding it takes.
func (m *Module) findScalar(r *constRecord) (number uint32) {
	x := &m.constIndex
	if len(x.slots) == 0 {
		return 0
	}
	mask := uint32(len(x.slots) - 1)
	for slot := r.hash(r.bits) & mask; ; slot = (slot + 1) & mask {
		if i := x.slots[slot]; i == 0 || m.consts[i] == *r {
			return i
		}
	}
}

// hash is that of a constant by its key: its bits, or what its parts make.
func (r *constRecord) hash(key uint64) uint32 {
	return hash4(uint32(r.typ), uint32(r.kind), uint32(key), uint32(key>>32))
}

// findConst returns the number of a constant, or 0 if there is none like it yet: then
// slot is where the index takes it. h is its hash.
func (m *Module) findConst(r *constRecord, parts []Value) (number, h, slot uint32) {
	key := r.bits
	if r.kind == constComposite {
		key = 14695981039346656037
		for _, p := range parts {
			key = (key ^ uint64(p)) * 1099511628211
		}
	}
	h = r.hash(key)
	for slot = m.constIndex.start(h); ; slot = m.constIndex.next(slot) {
		i := m.constIndex.slots[slot]
		if i == 0 {
			return 0, h, slot
		}
		c := &m.consts[i]
		if c.typ != r.typ || c.kind != r.kind {
			continue
		}
		if r.kind == constComposite {
			if equalValues(m.parts(c), parts) {
				return i, h, slot
			}
		} else if c.bits == r.bits {
			return i, h, slot
		}
	}
}

// retypeConsts gives the constants of the types that have an entry in to the types there. Two types
// may become one, and so constants equal that were not: the result has for each constant the Value
// that it has from now on. What is equal to an earlier constant stays in the table, where nothing
// finds it.
func (m *Module) retypeConsts(to []Type) []Value {
	values := make([]Value, len(m.consts))
	m.constIndex.reset()
	for i := 1; i < len(m.consts); i++ {
		c := &m.consts[i]
		if int(c.typ) < len(to) {
			c.typ = to[c.typ]
		}
		var parts []Value
		if c.kind == constComposite { // of constants before it
			parts = m.parts(c)
			for n, p := range parts {
				parts[n] = values[p.Index()]
			}
		}
		number, h, slot := m.findConst(c, parts)
		m.constHash[i] = h
		if number == 0 {
			number = uint32(i)
			m.constIndex.insert(slot, number) // which had room for all
		}
		values[i] = constTag | Value(number)
	}
	return values
}

func equalValues(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (m *Module) parts(c *constRecord) []Value {
	first, count := c.bits>>32, c.bits&math.MaxUint32
	return m.constParts[first : first+count : first+count]
}

// ConstScalar returns the constant of a scalar type with the given storage.
func (m *Module) ConstScalar(t Type, bits uint64) Value {
	r := constRecord{t, constScalar, bits & scalar.Kind(t).Mask()}
	if i := m.findScalar(&r); i != 0 { // as most are
		return constTag | Value(i)
	}
	return m.internConst(r, nil)
}

// ConstBool returns a bool constant.
func (m *Module) ConstBool(b bool) Value {
	if b {
		return m.ConstScalar(Bool, 1)
	}
	return m.ConstScalar(Bool, 0)
}

// ConstU32 returns a u32 constant.
func (m *Module) ConstU32(x uint32) Value { return m.ConstScalar(U32, uint64(x)) }

// ConstI32 returns an i32 constant.
func (m *Module) ConstI32(x int32) Value { return m.ConstScalar(I32, uint64(uint32(x))) }

// ConstF32 returns an f32 constant.
func (m *Module) ConstF32(x float32) Value { return m.ConstScalar(F32, uint64(math.Float32bits(x))) }

// ConstInt returns the constant of an integer or float scalar type, or of a
// vector of it with all components alike, with a small integer value.
func (m *Module) ConstInt(t Type, x int64) Value {
	if k := m.ScalarOf(t); !k.IsFloat() {
		return m.ConstSplat(t, scalar.FromInt64(k, x))
	}
	return m.ConstFloat(t, float64(x))
}

// ConstFloat returns the constant of a float scalar type, or of a vector of it with all
// components alike, with a value that is rounded to the type.
func (m *Module) ConstFloat(t Type, x float64) Value {
	return m.ConstSplat(t, scalar.FromFloat64(m.ScalarOf(t), x))
}

// ConstSplat returns the constant of a scalar type, or of a vector with all
// components alike.
func (m *Module) ConstSplat(t Type, bits uint64) Value {
	n := m.Components(t)
	if n <= 1 {
		return m.ConstScalar(t, bits)
	}
	var parts [4]Value
	for i := range n {
		parts[i] = m.ConstScalar(m.Element(t), bits)
	}
	return m.ConstComposite(t, parts[:n])
}

// Zero returns the zero constant of a type: the scalar zero, or one record for
// an aggregate of any size.
func (m *Module) Zero(t Type) Value {
	if m.IsScalar(t) {
		return m.ConstScalar(t, 0)
	}
	return m.internConst(constRecord{t, constZero, 0}, nil)
}

// ConstComposite returns the constant of a vector, matrix, array or structure
// type with the given constant parts. The parts are copied.
func (m *Module) ConstComposite(t Type, parts []Value) Value {
	for _, p := range parts {
		if !m.IsZero(p) {
			return m.internConst(constRecord{t, constComposite, 0}, parts)
		}
	}
	return m.Zero(t)
}

// IsZero reports whether v is a constant with all bits zero: -0.0 is not.
func (m *Module) IsZero(v Value) bool {
	if !v.IsConst() {
		return false
	}
	c := &m.consts[v.Index()]
	return c.kind == constZero || c.kind == constScalar && c.bits == 0
}

// ConstBits returns the storage of a scalar constant, or 0.
func (m *Module) ConstBits(v Value) uint64 {
	if c := &m.consts[v.Index()]; v.IsConst() && c.kind == constScalar {
		return c.bits
	}
	return 0
}

// ConstUint returns the value of an unsigned or non-negative integer constant;
// ok is false for anything else.
func (m *Module) ConstUint(v Value) (x uint64, ok bool) {
	if !v.IsConst() {
		return 0, false
	}
	c := &m.consts[v.Index()]
	k := m.ScalarOf(c.typ)
	if c.kind != constScalar || !k.IsInteger() || k.IsSigned() && scalar.ToInt64(k, c.bits) < 0 {
		return 0, false
	}
	return c.bits, true
}

// ConstPart returns part i of a composite constant.
func (m *Module) ConstPart(v Value, i uint32) Value {
	c := &m.consts[v.Index()]
	if c.kind == constComposite {
		return m.parts(c)[i]
	}
	return m.Zero(m.PartType(c.typ, i))
}

// ConstSplatBits returns the storage that a scalar constant, or all components
// of a vector constant, have.
func (m *Module) ConstSplatBits(v Value) (bits uint64, ok bool) {
	if !v.IsConst() {
		return 0, false
	}
	c := &m.consts[v.Index()]
	switch c.kind {
	case constScalar:
		return c.bits, true
	case constZero:
		return 0, m.IsVector(c.typ)
	}
	if !m.IsVector(c.typ) {
		return 0, false
	}
	parts := m.parts(c)
	for _, p := range parts[1:] {
		if p != parts[0] {
			return 0, false
		}
	}
	return m.ConstBits(parts[0]), true
}
