package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file finds symbolic upper bounds of indices, for passes that replace the bounds checks of
// many accesses by one test. In
//
//	if x < w && y < h { … a[y * w + x] … }
//
// the index is at most (h - 1) * w + (w - 1). Unlike the intervals of analysis.Ranges, such bounds
// are made of values that are not constant. Which values these are, and what a bound looks like, is
// for the pass (boundForm).

// maxBoundDepth bounds how far an index is followed.
const maxBoundDepth = 12

// bound is an upper bound in the form of a pass.
type bound any

// boundForm is how a pass represents bounds. A bound may come with tests, which the pass collects.
// If these hold, the value is neither negative, as a signed value, nor greater than the bound.
type boundForm interface {
	// known returns a bound without the operands of what defines a value. A condition around the
	// instruction may give it, or an interval, or the value is the bound.
	known(v ir.Value, at ir.Inst, depth int) (bound, bool)
	// exact returns a value itself as its bound.
	exact(v ir.Value, depth int) (bound, bool)
	constant(n uint32) bound
	plus(x, y bound) (bound, bool)
	times(x, y bound) (bound, bool)
	max(x, y bound) (bound, bool)
	// testCount returns how many tests there are. drop drops those after the n-th.
	testCount() int
	drop(n int)
}

// bounder finds upper bounds in one function.
type bounder struct {
	f    *ir.Func
	form boundForm
	// ranges are the intervals of the function, or nil.
	ranges *analysis.Ranges
}

// signBit is 2^31: 32-bit values from there on are negative as signed ones.
const signBit = 1 << 31

// upperBound returns an upper bound of a value at an instruction.
func (b *bounder) upperBound(v ir.Value, at ir.Inst, depth int) (bound, bool) {
	f := b.f
	if t := f.TypeOf(v); depth <= 0 || t != ir.U32 && t != ir.I32 {
		return nil, false
	}
	if v.IsConst() {
		n := uint32(f.Module.ConstBits(v))
		return b.form.constant(n), n < signBit
	}
	if bound, ok := b.form.known(v, at, depth); ok {
		return bound, true
	}
	if i, ok := f.Def(v); ok {
		return b.byOperation(i, at, depth)
	}
	return nil, false
}

// atMostFirst has a bit for each operand that must not be negative, so that the result of an
// operation is at most the first operand.
var atMostFirst = [op.Count]uint8{op.Sub: 2, op.Div: 3, op.Shr: 1}

// byOperation returns an upper bound of the result of an instruction by those of its operands.
func (b *bounder) byOperation(i, at ir.Inst, depth int) (bound, bool) {
	f := b.f
	operand := func(n int) (bound, bool) { return b.upperBound(f.Arg(i, n), at, depth-1) }
	switch o := f.Op(i); o {
	case op.Add:
		return b.combine(b.form.plus, i, 0, at, depth)
	case op.Mul:
		return b.combine(b.form.times, i, 0, at, depth)
	case op.Select:
		return b.combine(b.form.max, i, 1, at, depth)
	case op.Shl:
		if by, ok := f.Module.ConstUint(f.Arg(i, 1)); ok && by < 31 {
			if x, ok := operand(0); ok {
				return b.form.times(x, b.form.constant(1<<by))
			}
		}
	case op.Convert:
		return operand(0) // there is none of floats
	case op.Sub, op.Div, op.Shr:
		for n := range 2 {
			if atMostFirst[o]>>n&1 == 1 && !b.isNonNegative(f.Arg(i, n), at) {
				return nil, false
			}
		}
		if o != op.Sub || b.ranges.Proves(i, 1) && b.isNonNegative(f.Result(i), at) {
			return operand(0)
		}
	case op.And:
		for n := range 2 {
			if mask, ok := b.constant(f.Arg(i, n)); ok {
				return b.form.constant(mask), true
			}
		}
	case op.Rem:
		if by, ok := b.constant(f.Arg(i, 1)); ok && by > 0 && b.isNonNegative(f.Arg(i, 0), at) {
			return b.form.constant(by - 1), true
		}
	case op.Min:
		return b.minimum(i, at, depth-1)
	case op.Max:
		return b.maximum(i, at, depth-1)
	case op.Clamp: // min(max(x, low), high), which is high if that is less than low
		if _, ok := b.constant(f.Arg(i, 1)); ok || f.Type(i) == ir.U32 {
			if high, ok := b.form.exact(f.Arg(i, 2), depth-1); ok {
				return high, true
			}
			return operand(2)
		}
	}
	return nil, false
}

// combine returns what the upper bounds of two operands of an instruction are together.
func (b *bounder) combine(join func(x, y bound) (bound, bool), i ir.Inst, first int, at ir.Inst, depth int) (bound, bool) {
	x, ok := b.upperBound(b.f.Arg(i, first), at, depth-1)
	if !ok {
		return nil, false
	}
	y, ok := b.upperBound(b.f.Arg(i, first+1), at, depth-1)
	if !ok {
		return nil, false
	}
	return join(x, y)
}

// minimum returns the upper bound of a minimum: that of either operand, if the other is not
// negative.
func (b *bounder) minimum(i, at ir.Inst, depth int) (bound, bool) {
	before := b.form.testCount()
	for _, n := range [...]int{1, 0} {
		x := b.f.Arg(i, n)
		if !b.isNonNegative(b.f.Arg(i, 1-n), at) {
			continue
		}
		if s, ok := b.form.exact(x, depth); ok {
			return s, true
		}
		if b.isNonNegative(x, at) {
			if s, ok := b.upperBound(x, at, depth); ok {
				return s, true
			}
		}
		b.form.drop(before)
	}
	return nil, false
}

// maximum returns the upper bound of max(x, 0) of a signed value: that of x where x is not
// negative.
func (b *bounder) maximum(i, at ir.Inst, depth int) (bound, bool) {
	f := b.f
	if f.Type(i) != ir.I32 || f.Arg(i, 1) != f.Module.ConstI32(0) {
		return nil, false
	}
	x, ok := f.Def(f.Arg(i, 0))
	if !ok {
		return nil, false
	}
	switch f.Op(x) {
	case op.Min:
		for n := range 2 {
			if s, ok := b.form.exact(f.Arg(x, n), depth); ok {
				return s, true
			}
		}
	case op.Sub, op.Add: // less than a value that is not negative: that does not wrap
		if by := f.Arg(x, 1); by.IsConst() && (int32(f.Module.ConstBits(by)) >= 0) == (f.Op(x) == op.Sub) && b.isNonNegative(f.Arg(x, 0), at) {
			return b.upperBound(f.Arg(x, 0), at, depth)
		}
	}
	return nil, false
}

// constant returns the constant that a value is, if it is not negative.
func (b *bounder) constant(v ir.Value) (n uint32, ok bool) {
	if !v.IsConst() {
		return 0, false
	}
	n = uint32(b.f.Module.ConstBits(v))
	return n, n < signBit
}

// isNonNegative reports whether a value is not negative, as a signed value, at an instruction.
// Unsigned values may have their highest bit set.
func (b *bounder) isNonNegative(v ir.Value, at ir.Inst) bool {
	f := b.f
	if f.TypeOf(v) == ir.U32 {
		return true
	}
	if v.IsConst() {
		return int32(f.Module.ConstBits(v)) >= 0
	}
	if b.ranges != nil {
		if low, _, known := b.ranges.Of(v).Bounds(f.TypeOf(v)); known && low >= 0 {
			return true
		}
	}
	natural := false
	conditions(f, at, func(o op.Op, x, y ir.Value) bool {
		if y == v && x.IsConst() {
			low := int32(f.Module.ConstBits(x))
			natural = natural || low >= 0 || o == op.Lt && low == -1
		}
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
	case op.Convert: // of a component of a builtin value, which is less than 2^31
		d, ok := f.Def(f.Arg(i, 0))
		return ok && f.Op(d) == op.Extract && slices.Contains(f.Params(f.Entry), f.Arg(d, 0))
	case op.Max:
		return slices.ContainsFunc(f.Args(i), func(a ir.Value) bool { _, ok := b.constant(a); return ok })
	}
	return false
}
