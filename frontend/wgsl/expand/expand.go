// Package expand expands the WGSL builtins that are not one IR operation, conversions, constructors
// and matrix arithmetic, by the formulas of WGSL §17. If WGSL §15.7.4 inherits a function's
// accuracy from a formula, that formula is used. The checker evaluates constants with them, and
// lowering emits them.
package expand

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Builder expands with an IR builder. The checker's evaluates each operation; after a step that
// overflows all values are 0. Lowering's emits them into a function.
type Builder struct {
	module *ir.Module
	b      *ir.Builder
}

// New returns a Builder that emits to b.
func New(m *ir.Module, b *ir.Builder) Builder { return Builder{module: m, b: b} }

func (x *Builder) add(t ir.Type, a, b ir.Value) ir.Value { return x.b.Emit(op.Add, t, 0, a, b) }
func (x *Builder) sub(t ir.Type, a, b ir.Value) ir.Value { return x.b.Emit(op.Sub, t, 0, a, b) }
func (x *Builder) mul(t ir.Type, a, b ir.Value) ir.Value { return x.b.Emit(op.Mul, t, 0, a, b) }
func (x *Builder) dot(t ir.Type, a, b ir.Value) ir.Value { return x.b.Emit(op.Dot, t, 0, a, b) }

// exactly emits an operation without fast-math flags.
func (x *Builder) exactly(o op.Op, t ir.Type, args ...ir.Value) ir.Value {
	flags := x.b.Flags
	x.b.Flags = 0
	v := x.b.Emit(o, t, 0, args...)
	x.b.Flags = flags
	return v
}

func (x *Builder) typeOf(v ir.Value) ir.Type { return x.b.F.TypeOf(v) }

// Compare emits a comparison, by component.
func (x *Builder) Compare(o op.Op, a, b ir.Value) ir.Value {
	if a == 0 {
		return 0
	}
	return x.b.Emit(o, x.module.WithScalar(x.typeOf(a), scalar.Bool), 0, a, b)
}

// columns constructs a value of a matrix or vector type from its parts.
func (x *Builder) columns(t ir.Type, f func(i uint32, part ir.Type) ir.Value) ir.Value {
	var parts [4]ir.Value
	n, _ := x.module.Count(t)
	for i := range n {
		parts[i] = f(i, x.module.Element(t))
	}
	return x.b.Emit(op.Construct, t, 0, parts[:n]...)
}

// Convert converts a scalar, vector or matrix to the scalar kind of type t.
func (x *Builder) Convert(t ir.Type, v ir.Value) ir.Value {
	if x.module.KindOf(t) == ir.MatrixType && x.typeOf(v) != t {
		return x.columns(t, func(i uint32, column ir.Type) ir.Value { return x.Convert(column, x.b.Extract(v, i)) })
	}
	return x.b.Convert(x.module.ScalarOf(t), v)
}

// Construct makes a value of type t (WGSL §17.1.1). The arguments are the parts of an array or
// structure, the columns or scalars of a matrix, or the scalars and vectors of a vector. One scalar
// becomes all components of a vector or of a subgroup matrix.
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
		return x.columns(t, func(i uint32, column ir.Type) ir.Value {
			return x.b.Construct(column, args[int(i)*rows:int(i+1)*rows]...)
		})
	case kind == ir.FragmentType:
		return x.b.Emit(op.FragmentSplat, t, 0, args[0])
	}
	return x.b.Construct(t, args...)
}

// Expansion is how a builtin is made that is more than one operation: by a formula, or else in
// lowering.
type Expansion uint8

// The expansions with a formula.
const (
	None Expansion = iota // one operation
	Select
	Arithmetic
	Matrix
	Modf
	Frexp
	Mix
	Step
	Smoothstep
	Saturate
	Degrees
	Radians
	Length
	Distance
	Normalize
	Cross
	Reflect
	Refract
	FaceForward
	Transpose
	Determinant
	expansionsWithFormula
)

// The expansions that only lowering makes.
const (
	ShortCircuit = expansionsWithFormula + iota // && and ||
	// a structure of the old value and of whether it was exchanged
	CompareExchange
	UniformLoad // barrier, load, barrier
	Derivative  // fragment only
	// op on a texture: argument order, level and read access as in the IR
	Texture
	// op.TextureSample of level 0, coordinates half a texel inside
	ClampedSample
	// fragment only: the level of detail comes from derivatives
	ImplicitSample
	// atomicStoreMin and atomicStoreMax on vec2u
	AtomicPair
	// op.View of offset and size as u32; without a size, up to the end of the buffer
	View
	// op on a matrix in memory: the parts of its tile_view, row and column as i32
	TileMemory
	// a call of a function for each element
	TileMap
	// an operation on fragments: offset and stride as u32, a scalar as a fragment, and a product
	// without an accumulator with zero
	SubgroupMatrix
	Count
)

// formulas expand builtins with result type t from their arguments.
var formulas = [expansionsWithFormula]func(x *Builder, o op.Op, t ir.Type, a []ir.Value) ir.Value{
	// op.Select(condition, second, first)
	Select: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.b.Emit(op.Select, t, 0, a[2], a[1], a[0])
	},
	// an operator with a scalar and a vector: the scalar is splat
	Arithmetic: func(x *Builder, o op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.b.Emit(o, t, 0, x.b.Splat(t, a[0]), x.b.Splat(t, a[1]))
	},
	// an operator of which an operand is a matrix
	Matrix: func(x *Builder, o op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.Matrix(o, t, a[0], a[1])
	},
	Modf:       modf,
	Frexp:      frexp,
	Mix:        mix,
	Step:       step,
	Smoothstep: smoothstep,
	Saturate:   saturate,
	Degrees: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.mul(t, a[0], x.module.ConstFloat(t, 180/math.Pi))
	},
	Radians: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.mul(t, a[0], x.module.ConstFloat(t, math.Pi/180))
	},
	Length: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.length(t, a[0])
	},
	Distance: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.length(t, x.sub(x.typeOf(a[0]), a[0], a[1]))
	},
	Normalize: normalize,
	Cross: func(x *Builder, _ op.Op, t ir.Type, a []ir.Value) ir.Value {
		return x.cross(t, a[0], a[1])
	},
	Reflect:     reflect,
	Refract:     refract,
	FaceForward: faceForward,
	Transpose:   transpose,
	Determinant: determinant,
}

// HasFormula reports whether a formula makes the builtin.
func (e Expansion) HasFormula() bool {
	return e != None && e < expansionsWithFormula && formulas[e] != nil
}

// Expand makes the result of a builtin, of type t, by its formula; o is the operation of its row.
// ok is false if it has no formula.
func (x *Builder) Expand(e Expansion, o op.Op, t ir.Type, args []ir.Value) (v ir.Value, ok bool) {
	if !e.HasFormula() {
		return 0, false
	}
	return formulas[e](x, o, t, args), true
}

// modf is x - trunc(x) and trunc(x). The difference is exact. It must not be contracted with the
// operation that made x, or else the parts do not add up.
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
	swizzle := func(v ir.Value, by ...uint32) ir.Value { return x.b.Emit(op.Shuffle, t, op.EncodeSwizzle(by...), v) }
	p := x.mul(t, swizzle(a, 1, 2, 0), swizzle(b, 2, 0, 1))
	return x.sub(t, p, x.mul(t, swizzle(a, 2, 0, 1), swizzle(b, 1, 2, 0)))
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

// unlessNegative makes a value of type t, or zero if k is negative. Then the value is not
// evaluated.
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
	return x.columns(t, func(row uint32, column ir.Type) ir.Value {
		return x.columns(column, func(i uint32, _ ir.Type) ir.Value { return x.b.Extract(columns[i], row) })
	})
}

// determinant returns the determinant of a square matrix. For 4×4 it is Laplace's expansion along
// two columns: the minors of the first two times the complementary minors of the last two, with
// alternating signs.
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
		case 1, 4: // the permutation of the rows is odd
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

// Matrix emits an operator with a matrix operand (WGSL §8.7), with result type t.
func (x *Builder) Matrix(o op.Op, t ir.Type, a, b ir.Value) ir.Value {
	m := x.module
	ka, kb := m.KindOf(x.typeOf(a)), m.KindOf(x.typeOf(b))
	switch {
	case o != op.Mul: // + and - of two matrices
		return x.columns(t, func(i uint32, column ir.Type) ir.Value {
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
		return x.columns(t, func(i uint32, element ir.Type) ir.Value { return x.dot(element, a, x.b.Extract(b, i)) })
	}
	return x.columns(t, func(i uint32, _ ir.Type) ir.Value { return x.transform(a, x.b.Extract(b, i)) })
}

// scale returns matrix · factor.
func (x *Builder) scale(t ir.Type, matrix, factor ir.Value) ir.Value {
	s := x.b.Splat(x.module.Element(t), factor)
	return x.columns(t, func(i uint32, column ir.Type) ir.Value { return x.mul(column, x.b.Extract(matrix, i), s) })
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
