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

// maxBoundDepth bounds how far an index is followed.
const maxBoundDepth = 12

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
		if _, ok := s.most(index, i, maxBoundDepth, false); !ok {
			continue
		}
		bound, _ := s.most(index, i, maxBoundDepth, true)
		if length := s.op(op.ArrayLength, array, ir.NoValue); bound.IsConst() {
			s.constant(length, bound)
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

// constant notes that a constant index has to be less than a length. Only the greatest index for
// each length is tested.
func (s *coarsener) constant(length, index ir.Value) {
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
	v := ir.NoValue
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

// most returns an upper bound of a value at an instruction, as u32. If the tests hold that most
// adds, the value is not negative and the bound is less than 2^31. The bound is built only if emit
// is set; ok says whether there is one.
func (s *coarsener) most(v ir.Value, at ir.Inst, depth int, emit bool) (bound ir.Value, ok bool) {
	f, m := s.f, s.m
	t := f.TypeOf(v)
	if depth == 0 || t != ir.U32 && t != ir.I32 {
		return ir.NoValue, false
	}
	if v.IsConst() {
		x := uint32(m.ConstBits(v))
		return m.ConstU32(x), x < 1<<31
	}
	if bound, exclusive := s.limit(v, at); bound != ir.NoValue && s.isShared(bound, depth) && (t == ir.U32 || s.isNonNegative(v, at)) {
		if !emit {
			return ir.NoValue, true
		}
		bound = s.unsigned(s.shared(bound))
		if exclusive { // so the bound is at least 1, as the value is at least 0
			bound = s.op(op.Sub, bound, m.ConstU32(1))
		}
		return s.size(bound), true
	}
	if s.isItemIndex(v) { // the last item has the greatest index
		return s.last, true
	}
	if s.isShared(v, depth) && !s.isOfInvocation(v, depth) {
		if !emit {
			return ir.NoValue, true
		}
		return s.size(s.unsigned(s.shared(v))), true
	}
	i, ok := f.Def(v)
	if !ok {
		return ir.NoValue, false
	}
	part := func(n int) (ir.Value, bool) { return s.most(f.Arg(i, n), at, depth-1, emit) }
	switch f.Op(i) {
	case op.Convert:
		if from := f.TypeOf(f.Arg(i, 0)); from == ir.U32 || from == ir.I32 {
			return part(0)
		}
	case op.Add, op.Mul:
		x, ok := part(0)
		if !ok {
			return ir.NoValue, false
		}
		y, ok := part(1)
		if !ok || !emit {
			return ir.NoValue, ok
		}
		if f.Op(i) == op.Mul {
			s.multiply(x, y)
			return s.op(op.Mul, x, y), true
		}
		return s.low(s.op(op.Add, x, y)), true
	case op.Clamp:
		if x := f.Arg(i, 1); x.IsConst() && uint32(m.ConstBits(x)) < 1<<31 {
			return part(2)
		}
	case op.Select:
		x, ok := part(1)
		if !ok {
			return ir.NoValue, false
		}
		y, ok := part(2)
		if !ok || !emit {
			return ir.NoValue, ok
		}
		return s.op(op.Max, x, y), true
	case op.And:
		for _, x := range f.Args(i) {
			if x.IsConst() && uint32(m.ConstBits(x)) < 1<<31 {
				return m.ConstU32(uint32(m.ConstBits(x))), true
			}
		}
	case op.Min:
		if t == ir.U32 {
			if _, ok := s.most(f.Arg(i, 1), at, depth-1, false); ok {
				return part(1)
			}
			return part(0)
		}
	}
	return ir.NoValue, false
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

// isNonNegative reports whether a signed value is not negative at an instruction.
func (s *coarsener) isNonNegative(v ir.Value, at ir.Inst) bool {
	f, m := s.f, s.m
	if v.IsConst() {
		return uint32(m.ConstBits(v)) < 1<<31
	}
	natural := false
	conditions(s.f, at, func(o op.Op, x, y ir.Value) bool {
		natural = natural || y == v && x.IsConst() && int32(m.ConstBits(x)) >= -1 && o == op.Lt || y == v && x.IsConst() && int32(m.ConstBits(x)) >= 0 && o == op.Le
		return natural
	})
	if natural {
		return true
	}
	i, ok := f.Def(v)
	if !ok {
		return false
	}
	switch f.Op(i) {
	case op.Convert: // of a position, which is less than 2^31
		d, ok := f.Def(f.Arg(i, 0))
		return ok && f.Op(d) == op.Extract && s.position(f.Arg(d, 0)) != ir.NoBuiltin
	case op.Max:
		return slices.ContainsFunc(f.Args(i), func(a ir.Value) bool { return a.IsConst() && uint32(m.ConstBits(a)) < 1<<31 })
	}
	return false
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
