package ir

import (
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file folds operations on composite constants; nothing else does. Scalars are evaluated by
// package eval. Abstract types are allowed.

// Fold evaluates a pure operation whose operands are constants, as it is executed;
// t is the result's type. ok is false if the operands are not constants, or if they
// do not determine what the operation gives.
func (m *Module) Fold(o op.Op, t Type, aux uint32, args []Value) (v Value, ok bool) {
	for _, a := range args {
		if !a.IsConst() {
			return NoValue, false
		}
	}
	v, _, ok = m.fold(o, t, aux, args, false)
	return v, ok
}

// Evaluate evaluates a pure operation on constants as a const-expression. Where WGSL
// makes that an error, the result is NoValue, and why says what is wrong, as the
// predicate of a sentence.
func (m *Module) Evaluate(o op.Op, t Type, aux uint32, args []Value) (v Value, why string) {
	v, problem, ok := m.fold(o, t, aux, args, true)
	if !ok {
		return NoValue, "cannot be evaluated"
	}
	if problem != eval.OK {
		of := m.ScalarOf(m.TypeOf(args[0]))
		if o == op.Convert || o == op.Bitcast {
			of = m.ScalarOf(t)
		}
		return NoValue, problem.For(of)
	}
	return v, ""
}

// fold evaluates an operation on constants. With checked, problem says what WGSL holds
// against that; the value is then that of the total operation.
func (m *Module) fold(o op.Op, t Type, aux uint32, args []Value, checked bool) (v Value, problem eval.Problem, ok bool) {
	s := op.SignatureOf(o)
	if s.Elementwise() || s.Special == "select" {
		return m.foldElementwise(o, t, args, checked)
	}
	switch o {
	case op.Convert:
		return m.foldConvert(t, args[0], checked)
	case op.Bitcast:
		return m.foldBitcast(t, args[0], checked)
	case op.Splat:
		return m.ConstSplat(t, m.ConstBits(args[0])), eval.OK, true
	case op.Construct:
		return m.ConstComposite(t, args), eval.OK, true
	case op.Extract:
		i, ok := m.ConstIndex(m.TypeOf(args[0]), args[1])
		if !ok {
			return 0, eval.OK, false
		}
		return m.ConstPart(args[0], i), eval.OK, true
	case op.Insert:
		return m.foldInsert(t, args)
	case op.Shuffle:
		var parts [4]Value
		n := m.Components(t)
		for i := range n {
			parts[i] = m.ConstPart(args[0], op.SwizzleComponent(aux, i))
		}
		return m.ConstComposite(t, parts[:n]), eval.OK, true
	}
	if s.Special == "" && !o.Is(op.Convergent) {
		return m.foldVector(o, t, args, checked)
	}
	return 0, eval.OK, false
}

// component returns the storage of component i of a scalar or vector constant.
func (m *Module) component(v Value, i int) uint64 {
	c := &m.consts[v.Index()]
	switch c.kind {
	case constScalar:
		return c.bits
	case constZero:
		return 0
	}
	return m.ConstBits(m.parts(c)[i])
}

// fromComponents returns the constant of a scalar or vector type.
func (m *Module) fromComponents(t Type, bits []uint64) Value {
	if len(bits) == 1 {
		return m.ConstScalar(t, bits[0])
	}
	var parts [4]Value
	element := m.Element(t)
	for i, b := range bits {
		parts[i] = m.ConstScalar(element, b)
	}
	return m.ConstComposite(t, parts[:len(bits)])
}

func (m *Module) foldElementwise(o op.Op, t Type, args []Value, checked bool) (Value, eval.Problem, bool) {
	n := m.Components(t)
	// the kind that chooses the function is that of the first operand of type T
	of := 0
	if o == op.Select {
		if n == 0 || m.IsScalar(m.TypeOf(args[0])) { // whole values, of any type
			if m.ConstBits(args[0]) != 0 {
				return args[1], eval.OK, true
			}
			return args[2], eval.OK, true
		}
		of = 1
	}
	k := m.ScalarOf(m.TypeOf(args[of]))
	f := eval.For(o, k)
	if f == nil || n == 0 {
		return 0, eval.OK, false
	}
	var out [4]uint64
	problem := eval.OK
	for i := range n {
		var x [4]uint64
		for j, a := range args {
			x[j] = m.component(a, i)
		}
		if !checked {
			out[i] = f(x[0], x[1], x[2], x[3])
			continue
		}
		bits, p := eval.Check(o, k, x[0], x[1], x[2], x[3])
		out[i] = bits
		if problem == eval.OK {
			problem = p
		}
	}
	return m.fromComponents(t, out[:n]), problem, true
}

func (m *Module) foldConvert(t Type, v Value, checked bool) (Value, eval.Problem, bool) {
	to, from := m.ScalarOf(t), m.ScalarOf(m.TypeOf(v))
	f := eval.Convert(to, from)
	n := m.Components(t)
	if f == nil || n == 0 {
		return 0, eval.OK, false
	}
	var out [4]uint64
	problem := eval.OK
	for i := range n {
		bits := m.component(v, i)
		if checked {
			var p eval.Problem
			if out[i], p = eval.CheckConvert(to, from, bits); problem == eval.OK {
				problem = p
			}
			continue
		}
		out[i] = f(bits)
	}
	return m.fromComponents(t, out[:n]), problem, true
}

// foldBitcast moves bits by their positions in memory: component 0 is the lowest.
func (m *Module) foldBitcast(t Type, v Value, checked bool) (Value, eval.Problem, bool) {
	from, to := m.ScalarOf(m.TypeOf(v)), m.ScalarOf(t)
	n := m.Components(t)
	if n == 0 || from == scalar.Bool || to == scalar.Bool {
		return 0, eval.OK, false
	}
	var memory [4]uint64 // 32 bytes
	put := func(at int, bits uint64) { memory[at/64] |= bits << (at % 64) }
	for i := range m.Components(m.TypeOf(v)) {
		put(i*from.Bits(), m.component(v, i))
	}
	var out [4]uint64
	problem := eval.OK
	for i := range n {
		at := i * to.Bits()
		out[i] = memory[at/64] >> (at % 64) & to.Mask()
		if checked && to.IsFloat() && problem == eval.OK {
			problem = eval.CheckFinite(to, out[i])
		}
	}
	return m.fromComponents(t, out[:n]), problem, true
}

// ConstIndex returns a constant index into a value of a type, clamped to its last part as extract
// and insert clamp. Passes make constants of any index, so that a caller may find it outside; ok is
// false if it is not constant, or if the type has no parts.
func (m *Module) ConstIndex(t Type, index Value) (n uint32, ok bool) {
	count, ok := m.Count(t)
	if !ok || count == 0 || !index.IsConst() {
		return 0, false
	}
	k := m.ScalarOf(m.TypeOf(index))
	if !k.IsInteger() {
		return 0, false
	}
	x := m.ConstBits(index)
	if k.IsSigned() && scalar.ToInt64(k, x) < 0 {
		x = uint64(count) - 1
	}
	return uint32(min(x, uint64(count)-1)), true
}

// maxFoldedParts bounds the composites that an insert takes apart.
const maxFoldedParts = 1024

func (m *Module) foldInsert(t Type, args []Value) (Value, eval.Problem, bool) {
	at, ok := m.ConstIndex(t, args[2])
	n, _ := m.Count(t)
	if !ok || n > maxFoldedParts {
		return 0, eval.OK, false
	}
	parts := make([]Value, n)
	for i := range n {
		parts[i] = m.ConstPart(args[0], i)
	}
	parts[at] = args[1]
	return m.ConstComposite(t, parts), eval.OK, true
}

// foldVector evaluates the operations that join components.
func (m *Module) foldVector(o op.Op, t Type, args []Value, checked bool) (Value, eval.Problem, bool) {
	if len(args) == 0 {
		return 0, eval.OK, false
	}
	var a, b, out [4]uint64
	n := m.Components(m.TypeOf(args[0]))
	for i := range n {
		a[i] = m.component(args[0], i)
		if len(args) > 1 {
			b[i] = m.component(args[1], i)
		}
	}
	problem := eval.OK
	width := m.Components(t)
	switch {
	case o == op.All:
		return m.ConstBool(eval.All(a[:n])), eval.OK, true
	case o == op.Any:
		return m.ConstBool(eval.Any(a[:n])), eval.OK, true
	case o == op.Dot:
		k := m.ScalarOf(m.TypeOf(args[0]))
		if checked {
			out[0], problem = eval.CheckDot(k, a[:n], b[:n])
		} else {
			out[0] = eval.Dot(k, a[:n], b[:n])
		}
	case o == op.Dot4I8:
		out[0] = eval.Dot4I8(a[0], b[0])
	case o == op.Dot4U8:
		out[0] = eval.Dot4U8(a[0], b[0])
	case o >= op.Pack4x8Snorm && o <= op.Pack2x16Float:
		if checked {
			out[0], problem = eval.CheckPack(o, a[:n])
		} else {
			out[0] = eval.Pack(o, a[:n])
		}
	case o >= op.Unpack4x8Snorm && o <= op.Unpack2x16Float:
		eval.Unpack(o, a[0], out[:width])
		if checked {
			problem = eval.CheckUnpack(o, a[0], out[:width])
		}
	default:
		return 0, eval.OK, false
	}
	return m.fromComponents(t, out[:width]), problem, true
}
