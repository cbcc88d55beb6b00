package op

import "github.com/gpuc/gpuc/ir/scalar"

// A signature is one line:
//
//	T: number*; T, u32(T) -> bool(T)
//
// The part before the semicolon gives the variable T a class and a shape:
// `class` alone is a scalar, `class*` a scalar or a vector, `class+` a vector.
// Then come operand and result types: T itself; kind(T), which is T's shape
// with another scalar; element(T), T's scalar; a scalar kind; or vecN<kind>.
//
// Operations whose rule is not of this form have a special word as signature ("select", "convert",
// …, or "special"); the verifier and the builder know these by name.
//
// The compiled signatures are generated from the rows (table_gen.go, by
// internal/tablegen): making them would cost every start of a program.

// Class is what T may be.
type Class uint8

// The classes of scalar.
const (
	NoClass        Class = iota
	BoolClass            // bool
	IntClass             // i32 u32 i64 u64
	BitsClass            // bool and integers
	FloatClass           // f32 f16 f64
	ShaderClass          // f32 f16: of f64 devices approximate nothing
	F32Class             // f32
	UnsignedClass        // u32 u64
	SignedClass          // signed integers and floats
	NumberClass          // integers and floats
	RemainderClass       // integers and the floats of shaders
	ScalarClass          // all
)

// Contains reports whether the class has the kind. Abstract kinds belong to the
// classes of their concrete counterparts: the front end evaluates with them. Narrow integers
// belong to none, as they are only converted and moved, nor do floats of tiles.
func (c Class) Contains(k scalar.Kind) bool {
	if k.IsNarrow() || k.IsTileFloat() {
		return false
	}
	switch c {
	case BoolClass:
		return k == scalar.Bool
	case IntClass:
		return k.IsInteger()
	case BitsClass:
		return k == scalar.Bool || k.IsInteger()
	case FloatClass:
		return k.IsFloat()
	case ShaderClass:
		return k.IsFloat() && k != scalar.F64
	case F32Class:
		return k == scalar.F32 || k == scalar.AbstractFloat
	case UnsignedClass:
		return k == scalar.U32 || k == scalar.U64
	case SignedClass:
		return k.IsSigned()
	case RemainderClass:
		return k.IsNumeric() && k != scalar.F64
	case NumberClass:
		return k.IsNumeric()
	case ScalarClass:
		return k != scalar.None
	}
	return false
}

// Shape is how many components a type of a signature has.
type Shape uint8

// The shapes.
const (
	ScalarShape Shape = 1 // also the widths 2, 3, 4 of fixed vectors
	AsT         Shape = 0 // T's own
)

// Pattern is one operand or result type of a signature.
type Pattern struct {
	Kind  scalar.Kind // None: T's
	Shape Shape       // AsT, or the number of components
}

// Signature is the compiled form of a row's signature.
type Signature struct {
	Special  string // the word of a signature that is not of the regular form
	Class    Class  // of T; NoClass if there is no T
	Scalar   bool   // T may be a scalar
	Vector   bool   // T may be a vector
	Operands [4]Pattern
	Count    int // of operands
	Result   Pattern
}

// Elementwise reports whether the operation acts on each component by itself.
func (s *Signature) Elementwise() bool {
	if s.Special != "" || s.Class == NoClass || s.Result.Shape != AsT {
		return false
	}
	return true
}

// SignatureOf returns the compiled signature of an operation.
func SignatureOf(o Op) *Signature { return &signatures[o] }
