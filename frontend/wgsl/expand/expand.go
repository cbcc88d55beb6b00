// Package expand makes the builtins that are no single operation, conversions,
// constructors and the arithmetic of matrices, by the formulas of WGSL §17. Where WGSL
// §15.7.4 derives a function's accuracy from a formula, that formula is used. The
// checker evaluates with them and lowering builds with them.
package expand

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Builder makes values by formulas with a builder of IR. The checker's evaluates each operation, so
// that a step that overflows makes the whole an error, after which all values are 0. Lowering's
// builds them in a function.
type Builder struct {
	module *ir.Module
	b      *ir.Builder
}

// New returns the Builder that makes values with b.
func New(m *ir.Module, b *ir.Builder) Builder { return Builder{module: m, b: b} }

func (x *Builder) add(t ir.Type, a, b ir.Value) ir.Value { return x.b.Emit(op.Add, t, 0, a, b) }
func (x *Builder) sub(t ir.Type, a, b ir.Value) ir.Value { return x.b.Emit(op.Sub, t, 0, a, b) }
func (x *Builder) mul(t ir.Type, a, b ir.Value) ir.Value { return x.b.Emit(op.Mul, t, 0, a, b) }
func (x *Builder) dot(t ir.Type, a, b ir.Value) ir.Value { return x.b.Emit(op.Dot, t, 0, a, b) }

// exactly makes an operation that no flags refine.
func (x *Builder) exactly(o op.Op, t ir.Type, args ...ir.Value) ir.Value {
	flags := x.b.Flags
	x.b.Flags = 0
	v := x.b.Emit(o, t, 0, args...)
	x.b.Flags = flags
	return v
}

func (x *Builder) typeOf(v ir.Value) ir.Type { return x.b.F.TypeOf(v) }

// Compare applies a comparison.
func (x *Builder) Compare(o op.Op, a, b ir.Value) ir.Value {
	if a == 0 {
		return 0
	}
	return x.b.Emit(o, x.module.WithScalar(x.typeOf(a), scalar.Bool), 0, a, b)
}

// Columns constructs a value of a matrix or vector type from its parts.
func (x *Builder) Columns(t ir.Type, f func(i uint32, part ir.Type) ir.Value) ir.Value {
	var parts [4]ir.Value
	n, _ := x.module.Count(t)
	for i := range n {
		parts[i] = f(i, x.module.Element(t))
	}
	return x.b.Emit(op.Construct, t, 0, parts[:n]...)
}

// Convert returns a scalar, vector or matrix with the scalar kind of type t.
func (x *Builder) Convert(t ir.Type, v ir.Value) ir.Value {
	if x.module.KindOf(t) == ir.MatrixType && x.typeOf(v) != t {
		return x.Columns(t, func(i uint32, column ir.Type) ir.Value { return x.Convert(column, x.b.Extract(v, i)) })
	}
	return x.b.Convert(x.module.ScalarOf(t), v)
}

// Construct makes a value of type t: an array or structure of its parts, a matrix of
// columns or scalars, a vector of scalars and vectors, or of one scalar for all
// components (WGSL §17.1.1).
func (x *Builder) Construct(t ir.Type, args []ir.Value) ir.Value {
	m := x.module
	switch kind := m.KindOf(t); {
	case kind == ir.VectorType && len(args) == 1:
		return x.b.Splat(t, x.Convert(t, args[0]))
	case kind == ir.VectorType:
		var parts [4]ir.Value
		n := 0
		for _, a := range args {
			if m.IsScalar(x.typeOf(a)) {
				parts[n] = a
				n++
				continue
			}
			for i := range m.Components(x.typeOf(a)) {
				parts[n] = x.b.Extract(a, uint32(i))
				n++
			}
		}
		return x.b.Construct(t, parts[:n]...)
	case kind == ir.MatrixType && m.IsScalar(x.typeOf(args[0])):
		rows := m.Components(m.Element(t))
		return x.Columns(t, func(i uint32, column ir.Type) ir.Value {
			return x.b.Construct(column, args[int(i)*rows:int(i+1)*rows]...)
		})
	}
	return x.b.Construct(t, args...)
}

// Expansion says how a builtin is made that is more than one operation: by its formula, or, if
// it has none, in lowering.
type Expansion uint8

// The expansions with a formula, which stand in formulas.
const (
	NoExpansion Expansion = iota // one operation
	ExpandSelect
	ExpandArithmetic
	ExpandMatrix
	ExpandModf
	ExpandFrexp
	ExpandMix
	ExpandStep
	ExpandSmoothstep
	ExpandSaturate
	ExpandDegrees
	ExpandRadians
	ExpandLength
	ExpandDistance
	ExpandNormalize
	ExpandCross
	ExpandReflect
	ExpandRefract
	ExpandFaceForward
	ExpandTranspose
	ExpandDeterminant
	expansionsWithFormula
)

// The expansions that only lowering makes.
const (
	ExpandShortCircuit = expansionsWithFormula + iota // && and ||
	// structure of the old value and whether it was exchanged
	ExpandCompareExchange
	ExpandUniformLoad // barrier, load, barrier
	ExpandDerivative  // fragment only
	// op on a texture: argument order, level and read access as in the IR
	ExpandTexture
	// op.TextureSample of level 0, coordinates half a texel inside
	ExpandClampedSample
	// fragment only: the level of detail follows from derivatives
	ExpandImplicitSample
	// atomicStoreMin and atomicStoreMax on vec2u
	ExpandAtomicPair
	// op.View of offset and size as u32; without a size, all that is there
	ExpandView
	ExpansionCount
)

// formulas make builtins, of type t, from their arguments.
var formulas = [expansionsWithFormula]func(x *Builder, o op.Op, t ir.Type, a []ir.Value) ir.Value{
	// op.Select(condition, second, first)
	ExpandSelect: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.b.Emit(op.Select, t, 0, a[2], a[1], a[0])
	},
	// an operator with a scalar and a vector: the scalar is splat
	ExpandArithmetic: func(x *Builder, o op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.b.Emit(o, t, 0, x.b.Splat(t, a[0]), x.b.Splat(t, a[1]))
	},
	// an operator of which an operand is a matrix
	ExpandMatrix: func(x *Builder, o op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.Matrix(o, t, a[0], a[1])
	},
	ExpandModf:       modf,
	ExpandFrexp:      frexp,
	ExpandMix:        mix,
	ExpandStep:       step,
	ExpandSmoothstep: smoothstep,
	ExpandSaturate:   saturate,
	ExpandDegrees: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.mul(t, a[0], x.module.ConstFloat(t, 180/math.Pi))
	},
	ExpandRadians: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.mul(t, a[0], x.module.ConstFloat(t, math.Pi/180))
	},
	ExpandLength: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.length(t, a[0])
	},
	ExpandDistance: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.length(t, x.sub(x.typeOf(a[0]), a[0], a[1]))
	},
	ExpandNormalize: normalize,
	ExpandCross: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.cross(t, a[0], a[1])
	},
	ExpandReflect:     reflect,
	ExpandRefract:     refract,
	ExpandFaceForward: faceForward,
	ExpandTranspose:   transpose,
	ExpandDeterminant: determinant,
}

// HasFormula reports whether a formula makes the builtin: in the checker, and in lowering.
func (e Expansion) HasFormula() bool {
	return e != NoExpansion && e < expansionsWithFormula && formulas[e] != nil
}

// Expand makes the result of a builtin, of type t, by its formula, for which o is the
// operation of its row; ok is false if it has none.
func (x *Builder) Expand(e Expansion, o op.Op, t ir.Type, args []ir.Value) (v ir.Value, ok bool) {
	if !e.HasFormula() {
		return 0, false
	}
	return formulas[e](x, o, t, args), true
}

// modf is x - trunc(x) and trunc(x). The difference is exact, and must not be
// contracted with what made x: the parts would no longer add up.
func modf(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	part := x.typeOf(a[0])
	whole := x.b.Emit(op.Trunc, part, 0, a[0])
	return x.b.Emit(op.Construct, t, 0, x.exactly(op.Sub, part, a[0], whole), whole)
}

func frexp(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	significand := x.b.Emit(op.FrexpSignificand, x.module.PartType(t, 0), 0, a[0])
	return x.b.Emit(op.Construct, t, 0, significand, x.b.Emit(op.FrexpExponent, x.module.PartType(t, 1), 0, a[0]))
}

// mix is x·(1-z) + y·z.
func mix(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	given := x.typeOf(a[2])
	rest := x.b.Splat(t, x.sub(given, x.module.ConstFloat(given, 1), a[2]))
	z := x.b.Splat(t, a[2])
	return x.add(t, x.mul(t, a[0], rest), x.mul(t, a[1], z))
}

func step(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	return x.b.Emit(op.Select, t, 0, x.Compare(op.Le, a[0], a[1]), x.module.ConstFloat(t, 1), x.module.ConstFloat(t, 0))
}

// smoothstep is s·s·(3-2s) with s = clamp((x-low)/(high-low), 0, 1).
func smoothstep(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	ratio := x.b.Emit(op.Div, t, 0, x.sub(t, a[2], a[0]), x.sub(t, a[1], a[0]))
	s := x.b.Emit(op.Clamp, t, 0, ratio, x.module.ConstFloat(t, 0), x.module.ConstFloat(t, 1))
	slope := x.sub(t, x.module.ConstFloat(t, 3), x.mul(t, x.module.ConstFloat(t, 2), s))
	return x.mul(t, x.mul(t, s, s), slope)
}

func saturate(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	return x.b.Emit(op.Clamp, t, 0, a[0], x.module.ConstFloat(t, 0), x.module.ConstFloat(t, 1))
}

// length returns the length, of scalar type t, of a vector or scalar.
func (x *Builder) length(t ir.Type, v ir.Value) ir.Value {
	if x.module.IsScalar(x.typeOf(v)) {
		return x.b.Emit(op.Abs, t, 0, v)
	}
	return x.b.Emit(op.Sqrt, t, 0, x.dot(t, v, v))
}

func normalize(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	return x.b.Emit(op.Div, t, 0, a[0], x.b.Splat(t, x.length(x.module.Element(t), a[0])))
}

// cross returns the cross product of vectors of type t.
func (x *Builder) cross(t ir.Type, a, b ir.Value) ir.Value {
	turn := func(v ir.Value, by ...uint32) ir.Value { return x.b.Emit(op.Shuffle, t, op.EncodeSwizzle(by...), v) }
	p := x.mul(t, turn(a, 1, 2, 0), turn(b, 2, 0, 1))
	return x.sub(t, p, x.mul(t, turn(a, 2, 0, 1), turn(b, 1, 2, 0)))
}

// reflect is x - 2·dot(y, x)·y.
func reflect(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	s := x.module.Element(t)
	twice := x.mul(s, x.module.ConstFloat(s, 2), x.dot(s, a[1], a[0]))
	return x.sub(t, a[0], x.mul(t, x.b.Splat(t, twice), a[1]))
}

// refract is ratio·x - (ratio·d + √k)·y with d = dot(y, x) and
// k = 1 - ratio²·(1 - d²), or zero where k is negative.
func refract(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	s, ratio := x.module.Element(t), a[2]
	one := x.module.ConstFloat(s, 1)
	d := x.dot(s, a[1], a[0])
	sine := x.sub(s, one, x.mul(s, d, d))
	k := x.sub(s, one, x.mul(s, x.mul(s, ratio, ratio), sine))
	return x.unlessNegative(t, k, func() ir.Value {
		along := x.add(s, x.mul(s, ratio, d), x.b.Emit(op.Sqrt, s, 0, k))
		return x.sub(t, x.mul(t, x.b.Splat(t, ratio), a[0]), x.mul(t, x.b.Splat(t, along), a[1]))
	})
}

// unlessNegative makes a value of type t, or zero where k is negative. There the
// value is not evaluated.
func (x *Builder) unlessNegative(t ir.Type, k ir.Value, f func() ir.Value) ir.Value {
	zero := x.module.ConstFloat(x.module.Element(t), 0)
	if !x.b.Evaluates() {
		v := f()
		return x.b.Emit(op.Select, t, 0, x.Compare(op.Lt, k, zero), x.module.Zero(t), v)
	}
	negative := x.Compare(op.Lt, k, zero)
	if negative.IsConst() && x.module.ConstBits(negative) != 0 {
		return x.module.Zero(t)
	}
	v := f()
	if !negative.IsOverride() || v == 0 {
		return v
	}
	return x.b.Choose(t, negative, x.module.Zero(t), v)
}

// faceForward is x where dot(y, z) is negative, else -x.
func faceForward(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	s := x.module.Element(t)
	facing := x.Compare(op.Lt, x.dot(s, a[1], a[2]), x.module.ConstFloat(s, 0))
	return x.b.Emit(op.Select, t, 0, facing, a[0], x.b.Emit(op.Neg, t, 0, a[0]))
}

// transpose returns the matrix of type t whose columns are the matrix's rows.
func transpose(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	var columns [4]ir.Value
	for i := range x.module.Components(x.module.Element(t)) {
		columns[i] = x.b.Extract(a[0], uint32(i))
	}
	return x.Columns(t, func(row uint32, column ir.Type) ir.Value {
		return x.Columns(column, func(i uint32, _ ir.Type) ir.Value { return x.b.Extract(columns[i], row) })
	})
}

// determinant returns the determinant of a square matrix. That of a 4×4 matrix is
// Laplace's expansion along two columns: the minors of the first two, times the
// complementary ones of the last two, with alternating signs.
func determinant(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
	column := x.module.Element(x.typeOf(a[0]))
	n := x.module.Components(column)
	var columns [4]ir.Value
	for i := range n {
		columns[i] = x.b.Extract(a[0], uint32(i))
	}
	switch n {
	case 2:
		return x.minor(t, columns[0], columns[1], 0, 1)
	case 3:
		return x.dot(t, columns[0], x.cross(column, columns[1], columns[2]))
	}
	sum := ir.NoValue
	for k, rows := range [...][4]uint32{{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}} {
		first := x.minor(t, columns[0], columns[1], rows[0], rows[1])
		product := x.mul(t, first, x.minor(t, columns[2], columns[3], rows[2], rows[3]))
		switch k {
		case 0:
			sum = product
		case 1, 4: // where the rows' permutation is odd
			sum = x.sub(t, sum, product)
		default:
			sum = x.add(t, sum, product)
		}
	}
	return sum
}

// minor returns the determinant of two rows of two columns.
func (x *Builder) minor(t ir.Type, a, b ir.Value, i, j uint32) ir.Value {
	ai := x.b.Extract(a, i)
	product := x.mul(t, ai, x.b.Extract(b, j))
	aj := x.b.Extract(a, j)
	return x.sub(t, product, x.mul(t, aj, x.b.Extract(b, i)))
}

// Matrix applies an operator of which at least one operand is a matrix (WGSL §8.7);
// t is the result's type.
func (x *Builder) Matrix(o op.Op, t ir.Type, a, b ir.Value) ir.Value {
	m := x.module
	ka, kb := m.KindOf(x.typeOf(a)), m.KindOf(x.typeOf(b))
	switch {
	case o != op.Mul: // + and - of two matrices
		return x.Columns(t, func(i uint32, column ir.Type) ir.Value {
			part := x.b.Extract(a, i)
			return x.b.Emit(o, column, 0, part, x.b.Extract(b, i))
		})
	case ka == ir.ScalarType:
		return x.scale(t, b, a)
	case kb == ir.ScalarType:
		return x.scale(t, a, b)
	case kb == ir.VectorType:
		return x.transform(a, b)
	case ka == ir.VectorType:
		return x.Columns(t, func(i uint32, element ir.Type) ir.Value { return x.dot(element, a, x.b.Extract(b, i)) })
	}
	return x.Columns(t, func(i uint32, _ ir.Type) ir.Value { return x.transform(a, x.b.Extract(b, i)) })
}

// scale returns matrix · factor.
func (x *Builder) scale(t ir.Type, matrix, factor ir.Value) ir.Value {
	s := x.b.Splat(x.module.Element(t), factor)
	return x.Columns(t, func(i uint32, column ir.Type) ir.Value { return x.mul(column, x.b.Extract(matrix, i), s) })
}

// transform returns matrix · v: the sum of the columns, each times a component
// of the vector.
func (x *Builder) transform(matrix, v ir.Value) ir.Value {
	t := x.typeOf(matrix)
	column := x.module.Element(t)
	n, _ := x.module.Count(t)
	sum := ir.NoValue
	for i := range n {
		part := x.b.Extract(matrix, i)
		product := x.mul(column, part, x.b.Splat(column, x.b.Extract(v, i)))
		if i == 0 {
			sum = product
		} else {
			sum = x.add(column, sum, product)
		}
	}
	return sum
}
