package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file finds tests that prove accesses in range for all items at once (threadcoarsening.go).
// What the items do together then needs no check for each item. In
//
//	if x >= w || y >= h { return }
//	… a[y * w + clamp(x + 1, 0, w - 1)] …
//
// the index is at most (h - 1) * w + (w - 1), which depends on no item. So one test, before the
// items are executed together, compares this bound with the length of a. If it fails, the items are
// executed one after the other, with checks.
//
// Upper bounds are computed as u32 and kept below 2^31, where the sum of two does not wrap. That
// they are below 2^31 is tested, too.

// bounded collects the accesses of a block whose index has an upper bound. It returns a condition,
// all, with the tests that they are in range.
func (s *coarsener) bounded(root ir.Block, all ir.Value) ir.Value {
	f, b := s.f, &s.b
	s.inRange = s.inRange[:0]
	if !s.checks {
		return all
	}
	s.made, s.tests, s.high, s.factors = s.made[:0], s.tests[:0], s.high[:0], s.factors[:0]
	s.sizes, s.constants = s.sizes[:0], s.constants[:0]
	for i := f.First(root); i != 0; i = f.After(i, root) {
		if f.Op(i) != op.Access || len(f.Args(i)) != 2 || f.Flags(i)&ir.InBounds != 0 || s.isSerial(i) {
			continue
		}
		array, index := f.Arg(i, 0), f.Arg(i, 1)
		t := s.m.Element(f.TypeOf(array))
		if array.IsLocal() || !s.m.IsRuntimeArray(t) || s.m.KindOf(t) != ir.ArrayType || s.isCompared(index, array, i) {
			continue
		}
		found, ok := s.bounds.upperBound(index, i, maxBoundDepth)
		if !ok {
			continue
		}
		bound := s.compute(found.(*boundExpr))
		if length := s.op(op.ArrayLength, array, ir.NoValue); bound.IsConst() {
			s.exceedsConstant(length, bound)
		} else {
			s.tests = with(s.tests, s.op(op.Lt, bound, length))
		}
		s.inRange = append(s.inRange, i)
	}
	for _, c := range s.constants {
		s.tests = append(s.tests, b.Op(op.Lt, c.y, c.x))
	}
	for _, below := range [...]struct {
		list []ir.Value
		most uint32
	}{{s.high, 1 << 31}, {s.factors, maxFactor}} {
		if len(below.list) == 0 {
			continue
		}
		bits := below.list[0]
		for _, x := range below.list[1:] {
			bits = b.Op(op.Or, bits, x)
		}
		s.tests = append(s.tests, b.Op(op.Lt, bits, s.m.ConstU32(below.most)))
	}
	for _, test := range s.tests {
		all = b.Op(op.And, all, test)
	}
	return all
}

// exceedsConstant notes that a constant index has to be less than a length. Only the greatest index
// for each length is tested.
func (s *coarsener) exceedsConstant(length, index ir.Value) {
	for n := range s.constants {
		if c := &s.constants[n]; c.x == length {
			if s.m.ConstBits(index) > s.m.ConstBits(c.y) {
				c.y = index
			}
			return
		}
	}
	s.constants = append(s.constants, madeOp{x: length, y: index})
}

// madeOp is an operation that was built for the tests, or, with op.Invalid, a value x of the
// kernel.
type madeOp struct {
	op      op.Op
	x, y, v ir.Value
}

// op builds an operation of one or two operands, unless it was built before.
func (s *coarsener) op(o op.Op, x, y ir.Value) ir.Value {
	for _, made := range s.made {
		if made.op == o && made.x == x && made.y == y {
			return made.v
		}
	}
	var v ir.Value
	switch o {
	case op.ArrayLength, op.Convert:
		v = s.b.Emit(o, ir.U32, 0, x)
	default:
		v = s.b.Op(o, x, y)
	}
	s.made = append(s.made, madeOp{o, x, y, v})
	return v
}

// with appends a value to a list, unless the list has it.
func with(list []ir.Value, v ir.Value) []ir.Value {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// isCompared reports whether a condition around an instruction says that an index is less than the
// length of its array: then a later pass proves it.
func (s *coarsener) isCompared(index, array ir.Value, at ir.Inst) bool {
	bound, exclusive := s.limit(index, at)
	d, ok := s.f.Def(bound)
	return ok && exclusive && s.f.Op(d) == op.ArrayLength && s.f.Arg(d, 0) == array
}

// boundExpr is an upper bound that is not computed yet: the sum, product or maximum of two others,
// or with op.Invalid a value, less one if it is exclusive. It is small if it is known to be less
// than 2^31.
type boundExpr struct {
	op               op.Op
	x, y             *boundExpr
	v                ir.Value
	exclusive, small bool
}

// known returns the bound that a condition around an instruction gives, or a value itself, if it is
// the item's index or the same for all items and invocations.
func (s *coarsener) known(v ir.Value, at ir.Inst, depth int) (bound, bool) {
	limit, exclusive := s.limit(v, at)
	switch {
	case limit != ir.NoValue && s.isShared(limit, depth) && s.bounds.isNonNegative(v, at):
		return &boundExpr{v: limit, exclusive: exclusive}, true
	case s.isItemIndex(v): // the last item has the greatest index
		return &boundExpr{v: s.last, small: true}, true
	case s.isShared(v, depth) && !s.isOfInvocation(v, depth):
		return &boundExpr{v: v}, true
	}
	return nil, false
}

func (s *coarsener) exact(ir.Value, int) (bound, bool) { return nil, false }
func (s *coarsener) constant(n uint32) bound           { return &boundExpr{v: s.m.ConstU32(n), small: true} }
func (s *coarsener) plus(x, y bound) (bound, bool)     { return joinBounds(op.Add, x, y) }
func (s *coarsener) times(x, y bound) (bound, bool)    { return joinBounds(op.Mul, x, y) }
func (s *coarsener) max(x, y bound) (bound, bool)      { return joinBounds(op.Max, x, y) }
func (s *coarsener) testCount() int                    { return 0 }
func (s *coarsener) drop(int)                          {}

func joinBounds(o op.Op, x, y bound) (bound, bool) {
	return &boundExpr{op: o, x: x.(*boundExpr), y: y.(*boundExpr)}, true
}

// compute builds an upper bound as u32. If the tests hold that it adds, the bound is less than
// 2^31.
func (s *coarsener) compute(e *boundExpr) ir.Value {
	if e.op == op.Invalid {
		if e.small {
			return e.v
		}
		v := s.unsigned(s.shared(e.v))
		if e.exclusive { // so the bound is at least 1, as the value is at least 0
			v = s.op(op.Sub, v, s.m.ConstU32(1))
		}
		return s.size(v)
	}
	x, y := s.compute(e.x), s.compute(e.y)
	switch e.op {
	case op.Add:
		return s.low(s.op(op.Add, x, y))
	case op.Mul:
		s.multiply(x, y)
	}
	return s.op(e.op, x, y)
}

// isItemIndex reports whether a value is the item's index along the axis, signed or unsigned.
func (s *coarsener) isItemIndex(v ir.Value) bool {
	f := s.f
	i, ok := f.Def(v)
	if ok && f.Op(i) == op.Convert {
		i, ok = f.Def(f.Arg(i, 0))
	}
	return ok && f.Op(i) == op.Extract && s.position(f.Arg(i, 0)) == ir.GlobalInvocationID && f.Arg(i, 1) == s.m.ConstU32(uint32(s.axis))
}

const (
	// maxFactor bounds both factors of a product, which is then less than 2^31.
	maxFactor = 1 << 15
	// maxProduct bounds a product that is computed in f32. The exact product is less than 2^31
	// then.
	maxProduct = 1<<31 - 1<<11
)

// multiply adds the test that a product is less than 2^31. Where both factors are sizes, such as
// those of images, it tests that they are less than maxFactor, which costs less.
func (s *coarsener) multiply(x, y ir.Value) {
	if slices.Contains(s.sizes, x) && slices.Contains(s.sizes, y) {
		s.factors = with(with(s.factors, x), y)
		return
	}
	rounded := s.op(op.Mul, s.b.Convert(scalar.F32, x), s.b.Convert(scalar.F32, y))
	s.tests = with(s.tests, s.op(op.Lt, rounded, s.m.ConstF32(maxProduct)))
}

// unsigned returns a value as u32.
func (s *coarsener) unsigned(v ir.Value) ir.Value {
	if s.f.TypeOf(v) == ir.I32 {
		return s.op(op.Convert, v, ir.NoValue)
	}
	return v
}

// low notes that a value has to be less than 2^31.
func (s *coarsener) low(v ir.Value) ir.Value {
	s.high = with(s.high, v)
	return v
}

// size is low for a value that is not a sum or product that the tests compute.
func (s *coarsener) size(v ir.Value) ir.Value {
	s.sizes = with(s.sizes, v)
	return s.low(v)
}

// isOfInvocation reports whether a value may differ between invocations. Tests with bounds that do
// not are the same for all of a workgroup.
func (s *coarsener) isOfInvocation(v ir.Value, depth int) bool {
	f := s.f
	i, ok := f.Def(v)
	if !ok || depth == 0 {
		return v.IsLocal()
	}
	return slices.ContainsFunc(f.Args(i), func(a ir.Value) bool { return s.isOfInvocation(a, depth-1) })
}

// isShared reports whether a value is the same for all items, and known or computable before the
// items are executed together.
func (s *coarsener) isShared(v ir.Value, depth int) bool {
	f := s.f
	if !v.IsLocal() {
		return true
	}
	if s.depends[v] || depth == 0 {
		return false
	}
	if s.items[0][v] != ir.NoValue {
		return true
	}
	i, ok := f.Def(v)
	if !ok || !f.Op(i).Pure() && !(f.Op(i) == op.Load && s.isGiven(f.Arg(i, 0))) || f.Op(i).Is(op.Control) {
		return false
	}
	for _, a := range f.Args(i) {
		if !s.isShared(a, depth-1) {
			return false
		}
	}
	return true
}

// isGiven reports whether a pointer leads to immediates or constants, which come with a launch and
// can always be read.
func (s *coarsener) isGiven(pointer ir.Value) bool {
	space := s.m.SpaceOf(s.f.TypeOf(pointer))
	return space == ir.Immediate || space == ir.Constant
}

// shared returns the value that isShared has found, and computes it if it is not known yet.
func (s *coarsener) shared(v ir.Value) ir.Value {
	f := s.f
	if !v.IsLocal() {
		return v
	}
	if x := s.items[0][v]; x != ir.NoValue {
		return x
	}
	for _, made := range s.made {
		if made.op == op.Invalid && made.x == v {
			return made.v
		}
	}
	i, _ := f.Def(v)
	args := make([]ir.Value, 0, 4)
	for n := range f.Args(i) {
		args = append(args, s.shared(f.Arg(i, n)))
	}
	made := s.b.Emit(f.Op(i), f.Type(i), f.Aux(i), args...)
	s.made = append(s.made, madeOp{op.Invalid, v, ir.NoValue, made})
	return made
}

// limit returns a bound that a condition around an instruction gives a value: an exclusive one for
// <, an inclusive one for <=. The bound is the same for all items and, as far as is known, for all
// invocations.
func (s *coarsener) limit(v ir.Value, at ir.Inst) (bound ir.Value, exclusive bool) {
	conditions(s.f, at, func(o op.Op, x, y ir.Value) bool {
		if x != v || y.IsLocal() && s.depends[y] || s.isOfInvocation(y, maxBoundDepth) {
			return false
		}
		bound, exclusive = y, o == op.Lt
		return exclusive
	})
	return bound, exclusive
}
