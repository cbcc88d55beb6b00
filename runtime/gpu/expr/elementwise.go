package expr

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has the element-wise operations. Operands of different shapes are broadcast by NumPy's
// rules: shapes are aligned at their last axes, and an axis of size 1 is repeated. A number of
// Context.Scalar takes the type of the other operand.

// Add returns x + y.
func (x *Tensor) Add(y *Tensor) *Tensor { return elements(opAdd, x, y) }

// Sub returns x - y.
func (x *Tensor) Sub(y *Tensor) *Tensor { return elements(opSub, x, y) }

// Mul returns x·y.
func (x *Tensor) Mul(y *Tensor) *Tensor { return elements(opMul, x, y) }

// Div returns x / y. Quotients of integers are truncated, and x / 0 is x for them.
func (x *Tensor) Div(y *Tensor) *Tensor { return elements(opDiv, x, y) }

// Maximum returns the larger of two elements. Where one is NaN, it may be the other.
func (x *Tensor) Maximum(y *Tensor) *Tensor { return elements(opMaximum, x, y) }

// Minimum returns the smaller of two elements. Where one is NaN, it may be the other.
func (x *Tensor) Minimum(y *Tensor) *Tensor { return elements(opMinimum, x, y) }

// Pow returns x to the power of y, for x ≥ 0.
func (x *Tensor) Pow(y *Tensor) *Tensor { return elements(opPow, x, y) }

// Neg returns -x.
func (x *Tensor) Neg() *Tensor { return elements(opNeg, x) }

// Abs returns |x|.
func (x *Tensor) Abs() *Tensor { return elements(opAbs, x) }

// Exp returns e to the power of x.
func (x *Tensor) Exp() *Tensor { return elements(opExp, x) }

// Log returns the natural logarithm.
func (x *Tensor) Log() *Tensor { return elements(opLog, x) }

// Sqrt returns the square root.
func (x *Tensor) Sqrt() *Tensor { return elements(opSqrt, x) }

// Rsqrt returns 1 / √x.
func (x *Tensor) Rsqrt() *Tensor { return elements(opRsqrt, x) }

// Tanh returns the hyperbolic tangent.
func (x *Tensor) Tanh() *Tensor { return elements(opTanh, x) }

// Sigmoid returns 1 / (1 + exp(-x)).
func (x *Tensor) Sigmoid() *Tensor { return elements(opSigmoid, x) }

// ReLU returns x where it is positive, and 0 elsewhere.
func (x *Tensor) ReLU() *Tensor { return elements(opReLU, x) }

// GELU returns x·Φ(x), where Φ is the distribution function of the normal distribution. Its error
// is at most 2e-7·|x| before rounding.
func (x *Tensor) GELU() *Tensor { return elements(opGELU, x) }

// SiLU returns x·Sigmoid(x).
func (x *Tensor) SiLU() *Tensor { return elements(opSiLU, x) }

// Equal returns whether elements are equal, as Bool.
func (x *Tensor) Equal(y *Tensor) *Tensor { return elements(opEqual, x, y) }

// Less returns x < y, as Bool.
func (x *Tensor) Less(y *Tensor) *Tensor { return elements(opLess, x, y) }

// LessEqual returns x ≤ y, as Bool.
func (x *Tensor) LessEqual(y *Tensor) *Tensor { return elements(opLessEqual, x, y) }

// Greater returns x > y, as Bool.
func (x *Tensor) Greater(y *Tensor) *Tensor { return elements(opLess, y, x) }

// GreaterEqual returns x ≥ y, as Bool.
func (x *Tensor) GreaterEqual(y *Tensor) *Tensor { return elements(opLessEqual, y, x) }

// Where returns the elements of x where those of the receiver, a tensor of Bool, are true, and
// those of y elsewhere.
func (t *Tensor) Where(x, y *Tensor) *Tensor { return elements(opWhere, t, x, y) }

// Convert returns the elements as others of a type. Floats become integers by truncation, at the
// limits of int32 at most. A Bool becomes 0 or 1, and a number is true unless it is 0.
func (x *Tensor) Convert(to Type) *Tensor {
	const call = "Convert"
	switch r := refused(call, x); {
	case r != nil:
		return r
	case !to.valid():
		return wrong(x.context, call, gpu.ErrShape, "there is no element type %v", to)
	case x.weak && to != Bool && to != Int32:
		return x.as(to)
	case x.element == to && !x.weak:
		return x
	}
	return &Tensor{context: x.context, op: opConvert, operands: [3]*Tensor{x}, element: to, shape: x.shape}
}

// as returns a weak number as one of a type.
func (x *Tensor) as(t Type) *Tensor {
	return &Tensor{context: x.context, op: opScalar, element: t, value: x.value}
}

// elements makes a tensor of an element-wise operation.
func elements(o op, operands ...*Tensor) *Tensor {
	row := o.row()
	if r := refused(row.name, operands...); r != nil {
		return r
	}
	t := &Tensor{context: operands[0].context, op: o}
	copy(t.operands[:], operands)
	typed := t.operands[:len(operands)]
	if o == opWhere {
		if operands[0].element != Bool {
			return wrong(t.context, row.name, gpu.ErrShape, "the condition is a tensor of %v, not of bool", operands[0].element)
		}
		typed = typed[1:]
	}
	if r := t.unify(row, typed); r != nil {
		return r
	}
	switch o {
	case opEqual, opLess, opLessEqual:
		t.element = Bool
	}
	for n, x := range operands {
		if n == 0 {
			t.shape = x.shape
			continue
		}
		shape, axis := broadcast(t.shape, x.shape)
		if axis >= 0 {
			return wrong(t.context, row.name, gpu.ErrShape, "the shapes %s and %s do not broadcast: axis %d from the end has %d and %d",
				shapeText(t.shape), shapeText(x.shape), axis, t.shape[len(t.shape)-axis], x.shape[len(x.shape)-axis])
		}
		t.shape = shape
	}
	if bad := badShape(t.shape); bad != "" {
		return wrong(t.context, row.name, gpu.ErrShape, "%s", bad)
	}
	return t
}

// unify gives weak numbers a type, and t that of all operands.
func (t *Tensor) unify(row *operation, operands []*Tensor) *Tensor {
	found := false
	for _, x := range operands {
		if x.weak {
			continue
		}
		element, ok := x.element, true
		if found {
			element, ok = common(t.element, x.element)
		}
		if !ok {
			return wrong(t.context, row.name, gpu.ErrShape, "the types %v and %v differ; Convert changes one", t.element, x.element)
		}
		t.element, found = element, true
	}
	if !t.element.is(row.takes) {
		return wrong(t.context, row.name, gpu.ErrUnsupported, "there is no %s of %v", row.name, t.element)
	}
	for n, x := range operands {
		if !x.weak {
			continue
		}
		if t.element == Bool || t.element == Int32 && (x.value != math.Trunc(x.value) || math.Abs(x.value) > math.MaxInt32) {
			return wrong(t.context, row.name, gpu.ErrShape, "the number %v is no %v", x.value, t.element)
		}
		operands[n] = x.as(t.element)
	}
	return nil
}

// broadcast returns the shape of an operation on two shapes, and -1. If there is none, it returns
// an axis that differs, counted from the end as 1, 2 and so on.
func broadcast(a, b []int) ([]int, int) {
	if len(a) < len(b) {
		a, b = b, a
	}
	same := true
	for n := 1; n <= len(b); n++ {
		x, y := a[len(a)-n], b[len(b)-n]
		if x != y && x != 1 && y != 1 {
			return nil, n
		}
		same = same && (x == y || y == 1)
	}
	if same {
		return a, -1
	}
	shape := make([]int, len(a))
	copy(shape, a)
	for n := 1; n <= len(b); n++ {
		if y := b[len(b)-n]; y != 1 {
			shape[len(a)-n] = y
		}
	}
	return shape, -1
}
