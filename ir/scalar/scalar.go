// Package scalar names the scalar kinds that gpuc computes with and says how a
// value of each is stored in 64 bits.
//
// One storage rule serves constants, the evaluator, the interpreter's slots and
// the text form, so that a value never has to be reinterpreted on its way:
//
//	bool           0 or 1
//	i32, u32, f32  the 32-bit pattern, zero-extended
//	f16            the 16-bit pattern, zero-extended
//	i64, u64, f64  the 64-bit pattern
//	i8 … u16       the pattern, zero-extended
//	bf16 … e5m2    the pattern, zero-extended
//	abstract int   the int64, as its pattern (WGSL §6.2.1)
//	abstract float the float64, as its IEEE pattern
package scalar

import "math"

// Kind is a scalar kind.
type Kind uint8

// The kinds. AbstractInt and AbstractFloat exist in front ends and in
// const-evaluation only; no instruction has them. WGSL has none of those from I64 to F64.
// The narrow integers are what memory holds: they are loaded, stored, passed on and converted, and
// what is computed with has 32 bits or more, as in registers of devices. BF16, E4M3 and E5M2 are
// the elements of tiles only, whose invocations hold their patterns as narrow integers.
const (
	None Kind = iota
	Bool
	I32
	U32
	F32
	F16
	I64
	U64
	I8
	U8
	I16
	U16
	F64
	AbstractInt
	AbstractFloat
	BF16 // the upper half of an f32
	E4M3 // 8 bits, without infinities (OCP 8-bit Floating Point Specification)
	E5M2 // the upper half of an f16
	Count
)

// Set is a set of kinds.
type Set uint32

// Of returns the set of some kinds.
func Of(kinds ...Kind) (s Set) {
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// Has reports whether a kind is in the set.
func (s Set) Has(k Kind) bool { return s>>k&1 == 1 }

// Class is a set of properties of a kind.
type Class uint8

// The properties.
const (
	Integer Class = 1 << iota
	Signed
	Float
	Abstract
	Narrow
	TileFloat
)

var table = [Count]struct {
	name  string
	bits  uint8
	class Class
}{
	None:          {"none", 0, 0},
	Bool:          {"bool", 32, 0}, // in memory a bool takes a u32 (WGSL §6.4 gives it size 4)
	I32:           {"i32", 32, Integer | Signed},
	U32:           {"u32", 32, Integer},
	F32:           {"f32", 32, Float | Signed},
	F16:           {"f16", 16, Float | Signed},
	I64:           {"i64", 64, Integer | Signed},
	U64:           {"u64", 64, Integer},
	I8:            {"i8", 8, Integer | Signed | Narrow},
	U8:            {"u8", 8, Integer | Narrow},
	I16:           {"i16", 16, Integer | Signed | Narrow},
	U16:           {"u16", 16, Integer | Narrow},
	F64:           {"f64", 64, Float | Signed},
	BF16:          {"bf16", 16, TileFloat},
	E4M3:          {"e4m3", 8, TileFloat},
	E5M2:          {"e5m2", 8, TileFloat},
	AbstractInt:   {"abstract-int", 64, Integer | Signed | Abstract},
	AbstractFloat: {"abstract-float", 64, Float | Signed | Abstract},
}

// String returns the kind's name as WGSL spells it.
func (k Kind) String() string { return table[k].name }

// Named returns the kind with this name, or None.
func Named(name string) Kind {
	for k := Bool; k < Count; k++ {
		if table[k].name == name {
			return k
		}
	}
	return None
}

// Bits returns the width in memory.
func (k Kind) Bits() int { return int(table[k].bits) }

// Bytes returns the width in memory.
func (k Kind) Bytes() int { return int(table[k].bits) / 8 }

// IsInteger reports whether k is a signed or unsigned integer kind.
func (k Kind) IsInteger() bool { return table[k].class&Integer != 0 }

// IsSigned reports whether k has negative values.
func (k Kind) IsSigned() bool { return table[k].class&Signed != 0 }

// IsFloat reports whether k is a floating-point kind.
func (k Kind) IsFloat() bool { return table[k].class&Float != 0 }

// IsAbstract reports whether k is one of WGSL's abstract numeric kinds.
func (k Kind) IsAbstract() bool { return table[k].class&Abstract != 0 }

// IsNarrow reports whether k is an integer kind of 8 or 16 bits, which memory holds and nothing
// computes with.
func (k Kind) IsNarrow() bool { return table[k].class&Narrow != 0 }

// IsTileFloat reports whether k is a float that is the element of tiles only.
func (k Kind) IsTileFloat() bool { return table[k].class&TileFloat != 0 }

// Held returns the kind of an invocation's values of k: for an element of tiles only the unsigned
// integer with its pattern, and k for others.
func (k Kind) Held() Kind {
	switch {
	case !k.IsTileFloat():
		return k
	case k.Bits() == 16:
		return U16
	}
	return U8
}

// Unsigned returns the unsigned integer with so many bits, or None.
func Unsigned(bits int) Kind {
	switch bits {
	case 8:
		return U8
	case 16:
		return U16
	case 32:
		return U32
	case 64:
		return U64
	}
	return None
}

// IsNumeric reports whether k is an integer or a floating-point kind. Arithmetic is defined on
// those that are not narrow.
func (k Kind) IsNumeric() bool { return table[k].class&(Integer|Float) != 0 }

// Mask returns the bits of the storage that a value of the kind may use.
func (k Kind) Mask() uint64 {
	switch {
	case k == Bool:
		return 1
	case table[k].bits == 64:
		return math.MaxUint64
	}
	return 1<<table[k].bits - 1
}

// FromFloat64 returns the storage of x rounded to the float kind k, to nearest
// even; a value beyond the kind's range becomes infinite.
func FromFloat64(k Kind, x float64) uint64 {
	switch k {
	case F32:
		return uint64(math.Float32bits(float32(x)))
	case F16:
		return uint64(HalfFromFloat64(x))
	}
	return math.Float64bits(x)
}

// ToFloat64 returns the value of float storage. It is exact.
func ToFloat64(k Kind, bits uint64) float64 {
	switch k {
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	case F16:
		return HalfToFloat64(uint16(bits))
	}
	return math.Float64frombits(bits)
}

// ToInt64 returns the value of integer or bool storage; a u64 beyond the range
// of int64 wraps.
func ToInt64(k Kind, bits uint64) int64 {
	switch k {
	case I32:
		return int64(int32(bits))
	case I16:
		return int64(int16(bits))
	case I8:
		return int64(int8(bits))
	}
	return int64(bits)
}

// FromInt64 returns the storage of x wrapped to the integer kind k.
func FromInt64(k Kind, x int64) uint64 { return uint64(x) & k.Mask() }

// Distance counts the representable values between two float patterns: 0 for
// equal numbers (+0 and -0 too), 1 for neighbours.
func Distance(k Kind, a, b uint64) uint64 {
	x, y := ordered(k, a), ordered(k, b)
	return uint64(max(x, y)) - uint64(min(x, y)) // which 64 bits may need
}

// ordered maps float patterns to integers that grow with the number.
func ordered(k Kind, bits uint64) int64 {
	sign := uint64(1) << (k.Bits() - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
}
