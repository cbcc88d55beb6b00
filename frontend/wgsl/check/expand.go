package check

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file evaluates the builtins that are no single operation, by the formulas
// of WGSL §17 (builtins.go names them). Each step is checked, so that a step
// that overflows makes the whole an error.

// evaluate evaluates a row with known arguments.
func (c *Checker) evaluate(row *Builtin, t ir.Type, a []ir.Value) ir.Value {
	m := c.module
	switch row.Expansion {
	case NoExpansion:
		if row.Op == op.Ldexp {
			a = []ir.Value{a[0], c.exponent(t, a[1])}
		}
		if row.Op == op.Bitcast && m.TypeOf(a[0]) == t {
			return a[0]
		}
		return c.apply(row.Op, t, row.Aux, a...)
	case ExpandSelect:
		return c.apply(op.Select, t, 0, a[2], a[1], a[0])
	case ExpandArithmetic:
		return c.apply(row.Op, t, 0, c.splat(t, a[0]), c.splat(t, a[1]))
	case ExpandMatrixAdd:
		return c.columns(t, func(i uint32, column ir.Type) ir.Value {
			return c.apply(row.Op, column, 0, c.part(a[0], i), c.part(a[1], i))
		})
	case ExpandMatrixScale:
		x, factor := a[0], a[1]
		if m.IsScalar(m.TypeOf(x)) {
			x, factor = factor, x
		}
		return c.columns(t, func(i uint32, column ir.Type) ir.Value {
			return c.apply(op.Mul, column, 0, c.part(x, i), c.splat(column, factor))
		})
	case ExpandMatrixVector:
		return c.matrixVector(t, a[0], a[1])
	case ExpandVectorMatrix:
		return c.columns(t, func(i uint32, element ir.Type) ir.Value {
			return c.apply(op.Dot, element, 0, a[0], c.part(a[1], i))
		})
	case ExpandMatrixMatrix:
		return c.columns(t, func(i uint32, column ir.Type) ir.Value {
			return c.matrixVector(column, a[0], c.part(a[1], i))
		})
	case ExpandTranspose:
		return c.columns(t, func(i uint32, column ir.Type) ir.Value {
			return c.columns(column, func(j uint32, _ ir.Type) ir.Value { return c.part(c.part(a[0], j), i) })
		})
	case ExpandDeterminant:
		return c.determinant(t, a[0])
	case ExpandMix:
		one := c.float(t, 1)
		z := c.splat(t, a[2])
		return c.add(t, c.mul(t, a[0], c.sub(t, one, z)), c.mul(t, a[1], z))
	case ExpandStep:
		return c.apply(op.Select, t, 0, c.compare(op.Le, a[0], a[1]), c.float(t, 1), c.float(t, 0))
	case ExpandSmoothstep:
		return c.smoothstep(t, a)
	case ExpandSaturate:
		return c.apply(op.Clamp, t, 0, a[0], c.float(t, 0), c.float(t, 1))
	case ExpandDegrees:
		return c.mul(t, a[0], c.float(t, 180/math.Pi))
	case ExpandRadians:
		return c.mul(t, a[0], c.float(t, math.Pi/180))
	case ExpandLength:
		return c.length(t, a[0])
	case ExpandDistance:
		return c.length(t, c.sub(m.TypeOf(a[0]), a[0], a[1]))
	case ExpandNormalize:
		if m.IsZero(a[0]) {
			return c.fail("normalizes a vector of length zero")
		}
		return c.apply(op.Div, t, 0, a[0], c.splat(t, c.length(m.Element(t), a[0])))
	case ExpandCross:
		return c.cross(t, a[0], a[1])
	case ExpandReflect:
		element := m.Element(t)
		d := c.apply(op.Dot, element, 0, a[1], a[0])
		return c.sub(t, a[0], c.mul(t, c.splat(t, c.mul(element, c.float(element, 2), d)), a[1]))
	case ExpandRefract:
		return c.refract(t, a[0], a[1], a[2])
	case ExpandFaceForward:
		element := m.Element(t)
		d := c.apply(op.Dot, element, 0, a[1], a[2])
		return c.apply(op.Select, t, 0, c.compare(op.Lt, d, c.float(element, 0)), a[0], c.apply(op.Neg, t, 0, a[0]))
	case ExpandModf:
		whole := c.apply(op.Trunc, m.TypeOf(a[0]), 0, a[0])
		return c.apply(op.Construct, t, 0, c.sub(m.TypeOf(a[0]), a[0], whole), whole)
	case ExpandFrexp:
		return c.apply(op.Construct, t, 0, c.apply(op.FrexpSignificand, m.PartType(t, 0), 0, a[0]),
			c.apply(op.FrexpExponent, m.PartType(t, 1), 0, a[0]))
	}
	return c.fail("cannot be evaluated")
}

func (c *Checker) add(t ir.Type, a, b ir.Value) ir.Value { return c.apply(op.Add, t, 0, a, b) }
func (c *Checker) sub(t ir.Type, a, b ir.Value) ir.Value { return c.apply(op.Sub, t, 0, a, b) }
func (c *Checker) mul(t ir.Type, a, b ir.Value) ir.Value { return c.apply(op.Mul, t, 0, a, b) }

// compare applies a comparison.
func (c *Checker) compare(o op.Op, a, b ir.Value) ir.Value {
	if a == 0 {
		return 0
	}
	return c.apply(o, c.module.WithScalar(c.module.TypeOf(a), scalar.Bool), 0, a, b)
}

// float returns the constant x of a float scalar or vector type.
func (c *Checker) float(t ir.Type, x float64) ir.Value {
	return c.module.ConstSplat(t, scalar.FromFloat64(c.module.ScalarOf(t), x))
}

// splat widens a scalar to a vector type; a vector stays as it is.
func (c *Checker) splat(t ir.Type, v ir.Value) ir.Value {
	m := c.module
	if v == 0 || !m.IsVector(t) || m.IsVector(m.TypeOf(v)) {
		return v
	}
	return c.apply(op.Splat, t, 0, v)
}

// part returns part i of a composite value.
func (c *Checker) part(v ir.Value, i uint32) ir.Value {
	if v == 0 {
		return 0
	}
	return c.apply(op.Extract, c.module.PartType(c.module.TypeOf(v), i), 0, v, c.module.ConstU32(i))
}

// columns constructs a value of a matrix or vector type from its parts.
func (c *Checker) columns(t ir.Type, f func(i uint32, part ir.Type) ir.Value) ir.Value {
	var parts [4]ir.Value
	n, _ := c.module.Count(t)
	for i := range n {
		parts[i] = f(i, c.module.Element(t))
	}
	return c.apply(op.Construct, t, 0, parts[:n]...)
}

func (c *Checker) matrixVector(t ir.Type, matrix, vector ir.Value) ir.Value {
	if matrix == 0 || vector == 0 {
		return 0
	}
	n, _ := c.module.Count(c.module.TypeOf(matrix))
	sum := ir.NoValue
	for i := range n {
		product := c.mul(t, c.part(matrix, i), c.splat(t, c.part(vector, i)))
		if i == 0 {
			sum = product
		} else {
			sum = c.add(t, sum, product)
		}
	}
	return sum
}

// determinant expands along the first column.
func (c *Checker) determinant(t ir.Type, matrix ir.Value) ir.Value {
	n, _ := c.module.Count(c.module.TypeOf(matrix))
	rows := [4]uint32{0, 1, 2, 3}
	return c.minor(t, matrix, 0, rows[:n])
}

// minor is the determinant of the columns from first on, restricted to rows.
func (c *Checker) minor(t ir.Type, matrix ir.Value, first uint32, rows []uint32) ir.Value {
	at := func(column, row uint32) ir.Value { return c.part(c.part(matrix, column), row) }
	if len(rows) == 2 {
		return c.sub(t, c.mul(t, at(first, rows[0]), at(first+1, rows[1])), c.mul(t, at(first, rows[1]), at(first+1, rows[0])))
	}
	sum := ir.NoValue
	for i := range rows {
		var others [3]uint32
		n := copy(others[:], rows[:i])
		n += copy(others[n:], rows[i+1:])
		product := c.mul(t, at(first, rows[i]), c.minor(t, matrix, first+1, others[:n]))
		switch {
		case i == 0:
			sum = product
		case i%2 == 1:
			sum = c.sub(t, sum, product)
		default:
			sum = c.add(t, sum, product)
		}
	}
	return sum
}

func (c *Checker) length(t ir.Type, v ir.Value) ir.Value {
	if v == 0 {
		return 0
	}
	if c.module.IsScalar(c.module.TypeOf(v)) {
		return c.apply(op.Abs, t, 0, v)
	}
	return c.apply(op.Sqrt, t, 0, c.apply(op.Dot, t, 0, v, v))
}

func (c *Checker) cross(t ir.Type, a, b ir.Value) ir.Value {
	element := c.module.Element(t)
	return c.columns(t, func(i uint32, _ ir.Type) ir.Value {
		j, k := (i+1)%3, (i+2)%3
		return c.sub(element, c.mul(element, c.part(a, j), c.part(b, k)), c.mul(element, c.part(a, k), c.part(b, j)))
	})
}

func (c *Checker) smoothstep(t ir.Type, a []ir.Value) ir.Value {
	if !c.smoothstepEdges(t, a[0], a[1]) {
		return 0
	}
	ratio := c.apply(op.Div, t, 0, c.sub(t, a[2], a[0]), c.sub(t, a[1], a[0]))
	x := c.apply(op.Clamp, t, 0, ratio, c.float(t, 0), c.float(t, 1))
	return c.mul(t, c.mul(t, x, x), c.sub(t, c.float(t, 3), c.mul(t, c.float(t, 2), x)))
}

// smoothstepEdges checks that constant edges differ.
func (c *Checker) smoothstepEdges(t ir.Type, low, high ir.Value) bool {
	if !low.IsConst() || !high.IsConst() {
		return true
	}
	k := c.module.ScalarOf(t)
	for i := range max(c.module.Components(t), 1) {
		if scalar.ToFloat64(k, c.component(low, i)) == scalar.ToFloat64(k, c.component(high, i)) {
			c.fail("has equal edges, so that the function is not defined")
			return false
		}
	}
	return true
}

// exponent gives ldexp's exponent the kind that goes with its first argument.
func (c *Checker) exponent(t ir.Type, v ir.Value) ir.Value {
	k := scalar.I32
	if c.module.ScalarOf(t).IsAbstract() {
		k = scalar.AbstractInt
	}
	if want := c.module.WithScalar(t, k); c.module.TypeOf(v) != want {
		return c.apply(op.Convert, want, 0, v)
	}
	return v
}

// refract is x·ratio - (ratio·d + √k)·normal with d = dot(normal, x) and
// k = 1 - ratio²·(1 - d²), or zero where k is negative.
func (c *Checker) refract(t ir.Type, x, normal, ratio ir.Value) ir.Value {
	s := c.module.Element(t)
	zero, one := c.float(s, 0), c.float(s, 1)
	d := c.apply(op.Dot, s, 0, normal, x)
	k := c.sub(s, one, c.mul(s, c.mul(s, ratio, ratio), c.sub(s, one, c.mul(s, d, d))))
	total := c.compare(op.Lt, k, zero) // reflection: the rest is not evaluated
	if total.IsConst() && c.module.ConstBits(total) != 0 {
		return c.float(t, 0)
	}
	root := c.apply(op.Sqrt, s, 0, k)
	factor := c.add(s, c.mul(s, ratio, d), root)
	bent := c.sub(t, c.mul(t, c.splat(t, ratio), x), c.mul(t, c.splat(t, factor), normal))
	if !total.IsOverride() || bent == 0 {
		return bent
	}
	return c.addOverride(ir.Override{ID: -1, Type: t, Op: op.Select, Lazy: true, Span: c.evaluating}, total, c.float(t, 0), bent)
}
