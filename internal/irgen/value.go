package irgen

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Random types, values and operations.

func (g *generator) kind() scalar.Kind { return g.kinds[g.random.IntN(len(g.kinds))] }

// shaped returns a scalar or, less often, a vector type of a kind.
func (g *generator) shaped(k scalar.Kind) ir.Type {
	if g.chance(65) {
		return ir.Type(k)
	}
	return g.m.VectorOf(ir.Type(k), 2+g.random.IntN(3))
}

func (g *generator) valueType() ir.Type { return g.shaped(g.kind()) }

// varType returns a type for a variable: also arrays, matrices and structures.
func (g *generator) varType() ir.Type {
	switch g.random.IntN(8) {
	case 0:
		return g.m.ArrayOf(g.valueType(), g.m.ConstU32(4))
	case 1:
		return g.m.MatrixOf(ir.F32, 2, 2+g.random.IntN(3))
	case 2:
		members := []ir.Member{
			{Name: "a", Type: g.valueType()}, {Name: "b", Type: g.m.ArrayOf(ir.U32, g.m.ConstU32(2))}, {Name: "c", Type: g.valueType()},
		}
		size, align := g.m.LayoutStruct(members, nil, nil)
		return g.m.NewStruct("S", members, size, align)
	}
	return g.valueType()
}

func (g *generator) add(v ir.Value) {
	if v != 0 {
		g.visible = append(g.visible, v)
	}
}

// value returns a value of a type: a visible one, a constant, or a new one.
func (g *generator) value(t ir.Type) ir.Value {
	for range 6 {
		if len(g.visible) == 0 {
			break
		}
		// rather one of the last
		n := len(g.visible) - 1 - min(g.random.IntN(len(g.visible)), g.random.IntN(len(g.visible)))
		if v := g.visible[n]; g.f.TypeOf(v) == t {
			return v
		}
	}
	if g.m.Components(t) > 0 {
		if k := g.m.ScalarOf(t); g.chance(30) && !(g.options.Exact && k.IsFloat()) {
			for range 4 {
				if len(g.visible) == 0 {
					break
				}
				v := g.visible[g.random.IntN(len(g.visible))]
				if g.m.Components(g.f.TypeOf(v)) == g.m.Components(t) {
					return g.b.Convert(k, v)
				}
			}
		}
	}
	return g.constant(t)
}

func (g *generator) constant(t ir.Type) ir.Value {
	if g.m.IsScalar(t) {
		return g.m.ConstScalar(t, g.bits(scalar.Kind(t)))
	}
	n, _ := g.m.Count(t)
	if g.chance(20) {
		return g.m.Zero(t)
	}
	parts := make([]ir.Value, n)
	for k := range parts {
		parts[k] = g.constant(g.m.PartType(t, uint32(k)))
	}
	return g.m.ConstComposite(t, parts)
}

func (g *generator) bits(k scalar.Kind) uint64 {
	small := g.random.IntN(10) - 2
	switch {
	case k == scalar.Bool:
		return uint64(g.random.IntN(2))
	case k.IsFloat():
		return scalar.FromFloat64(k, float64(small)*0.5)
	case g.chance(10):
		return g.random.Uint64() & k.Mask()
	case k.IsSigned():
		return scalar.FromInt64(k, int64(small))
	}
	return uint64(g.random.IntN(10))
}

// operation builds a random pure operation.
func (g *generator) operation() {
	o := g.ops[g.random.IntN(len(g.ops))]
	s := op.SignatureOf(o)
	if s.Special == "" {
		g.regular(o, s)
		return
	}
	t := g.valueType()
	switch o {
	case op.Select:
		condition := ir.Bool
		if g.m.IsVector(t) && g.chance(50) {
			condition = g.m.WithScalar(t, scalar.Bool)
		}
		g.add(g.b.Op(op.Select, g.value(condition), g.value(t), g.value(t)))
	case op.Convert:
		from := g.kind()
		to := g.m.ScalarOf(t)
		if g.options.Exact && (from.IsFloat() || to.IsFloat()) {
			return
		}
		g.add(g.b.Convert(to, g.value(g.m.WithScalar(t, from))))
	case op.Bitcast:
		from, to := g.kind(), g.m.ScalarOf(t)
		if from == scalar.Bool || to == scalar.Bool || from.Bits() != to.Bits() || from.IsFloat() || to.IsFloat() {
			return // bits of floats would tell one NaN from another
		}
		g.add(g.b.Bitcast(t, g.value(g.m.WithScalar(t, from))))
	default:
		g.composite(o)
	}
}

func (g *generator) regular(o op.Op, s *op.Signature) {
	t := ir.Void
	if s.Class != op.NoClass {
		k := scalar.None
		for range 8 {
			if k = g.kind(); s.Class.Contains(k) {
				break
			}
			k = scalar.None
		}
		switch {
		case k == scalar.None, k.Bits() == 64 && (o == op.ExtractBits || o == op.InsertBits):
			return
		case g.options.Exact && k.IsFloat() && (o == op.Div || o == op.Rem || o == op.Dot):
			return
		}
		t = ir.Type(k)
		if s.Vector && (!s.Scalar || g.chance(35)) {
			t = g.m.VectorOf(t, 2+g.random.IntN(3))
		}
	}
	var args [4]ir.Value
	for n, p := range s.Operands[:s.Count] {
		if want := g.m.PatternType(p, t); p == (op.Pattern{}) {
			args[n] = g.value(t)
		} else {
			args[n] = g.value(want)
		}
	}
	g.add(g.b.Op(o, args[:s.Count]...))
}

func (g *generator) composite(o op.Op) {
	n := 2 + g.random.IntN(3)
	element := ir.Type(g.kind())
	t := g.m.VectorOf(element, n)
	switch o {
	case op.Splat:
		g.add(g.b.Splat(t, g.value(element)))
	case op.Construct:
		parts := make([]ir.Value, n)
		for k := range parts {
			parts[k] = g.value(element)
		}
		g.add(g.b.Construct(t, parts...))
	case op.Extract:
		index := g.m.ConstU32(uint32(g.random.IntN(n)))
		if g.chance(30) {
			index = g.value(ir.U32)
			if index.IsConst() {
				index = g.m.ConstU32(0)
			}
		}
		g.add(g.b.Emit(op.Extract, element, 0, g.value(t), index))
	case op.Insert:
		index := g.m.ConstU32(uint32(g.random.IntN(n)))
		if g.chance(30) {
			index = g.value(ir.U32)
			if index.IsConst() {
				index = g.m.ConstU32(1)
			}
		}
		g.add(g.b.Op(op.Insert, g.value(t), g.value(element), index))
	case op.Shuffle:
		components := make([]uint32, 2+g.random.IntN(3))
		for k := range components {
			components[k] = uint32(g.random.IntN(n))
		}
		g.add(g.b.Shuffle(g.value(t), components...))
	}
}

// part returns the address of a part of a variable, by constant and dynamic indices.
func (g *generator) part(v ir.Value) ir.Value {
	t := g.m.Element(g.f.TypeOf(v))
	var indices []ir.Value
	for !g.m.IsScalar(t) && g.chance(60) {
		n, _ := g.m.Count(t)
		index := g.m.ConstU32(uint32(g.random.IntN(int(n))))
		if n&(n-1) == 0 && g.m.KindOf(t) != ir.StructType && g.chance(25) {
			index = g.index(n)
		}
		k, _ := g.m.ConstUint(index)
		t = g.m.PartType(t, uint32(k))
		indices = append(indices, index)
	}
	if len(indices) == 0 {
		return v
	}
	return g.b.Access(v, indices...)
}

func (g *generator) loadVar(v ir.Value) ir.Value { return g.b.Load(g.part(v)) }

func (g *generator) storeVar() {
	if len(g.vars) == 0 {
		return
	}
	p := g.part(g.vars[g.random.IntN(len(g.vars))])
	g.b.Store(p, g.value(g.m.Element(g.f.TypeOf(p))))
}

// copyVar copies between two variables of one composite type, if there are two.
func (g *generator) copyVar() {
	a := g.vars[g.random.IntN(len(g.vars))]
	for _, b := range g.vars {
		if a != b && g.f.TypeOf(a) == g.f.TypeOf(b) && g.m.Components(g.m.Element(g.f.TypeOf(a))) == 0 {
			g.b.Emit(op.Copy, ir.Void, 0, a, b)
			return
		}
	}
}
