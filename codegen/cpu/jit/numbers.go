package jit

import (
	"math"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file finds bounds of values, by which conversions between floats and words are single
// instructions. The machine converts words with a sign, and its integers of floats outside of the
// range, and of NaN, are -2^31. Conversions of the IR saturate, and make 0 of NaN.

// bounds are between which numbers a value is; a NaN is between none.
type bounds struct {
	low, high float64
	mayBeNaN  bool
}

// unbounded is what is known of any float.
var unbounded = bounds{math.Inf(-1), math.Inf(1), true}

// deepest is how many definitions, each an operand of the one before, are looked at.
const deepest = 6

// floatBounds returns the bounds of a float of 32 bits.
func (s *selector) floatBounds(o mir.Operand, depth int) bounds {
	f := s.f
	if o.IsConst() {
		x := scalar.ToFloat64(f.KindOf(o), f.Bits(o))
		if math.IsNaN(x) {
			return unbounded
		}
		return bounds{low: x, high: x}
	}
	i, ok := s.definition(o)
	if !ok || depth == 0 || o.Class() != mir.Word {
		return unbounded
	}
	of := func(n int) bounds { return s.floatBounds(f.Arg(i, n), depth-1) }
	switch f.Op(i) {
	case mir.Op(op.Min):
		return lesserOf(of(0), of(1))
	case mir.Op(op.Max):
		return greaterOf(of(0), of(1))
	case mir.Op(op.Clamp):
		return lesserOf(greaterOf(of(0), of(1)), of(2))
	case mir.Op(op.Round):
		return of(0).monotonic(math.RoundToEven)
	case mir.Op(op.Floor):
		return of(0).monotonic(math.Floor)
	case mir.Op(op.Ceil):
		return of(0).monotonic(math.Ceil)
	case mir.Op(op.Trunc):
		return of(0).monotonic(math.Trunc)
	case mir.Op(op.Add):
		return sumOf(of(0), of(1)).monotonic(toFloat32)
	case mir.Op(op.Mul):
		return productOf(of(0), of(1)).monotonic(toFloat32)
	case mir.Op(op.Convert):
		switch f.Kind(i) {
		case scalar.I32:
			return bounds{low: math.MinInt32, high: 1 << 31}
		case scalar.U32:
			return bounds{low: 0, high: 1 << 32}
		}
	}
	return unbounded
}

func toFloat32(x float64) float64 { return float64(float32(x)) }

// isFinite reports whether a value is a finite number.
func (b bounds) isFinite() bool {
	return !b.mayBeNaN && !math.IsInf(b.low, 0) && !math.IsInf(b.high, 0)
}

// sumOf returns the bounds of a sum. It is no NaN if both are numbers, and one is finite.
func sumOf(x, y bounds) bounds {
	if x.mayBeNaN || y.mayBeNaN || !x.isFinite() && !y.isFinite() {
		return unbounded
	}
	return bounds{low: x.low + y.low, high: x.high + y.high}
}

// productOf returns the bounds of a product of finite numbers.
func productOf(x, y bounds) bounds {
	if !x.isFinite() || !y.isFinite() {
		return unbounded
	}
	a, b, c, d := x.low*y.low, x.low*y.high, x.high*y.low, x.high*y.high
	return bounds{low: min(a, b, c, d), high: max(a, b, c, d)}
}

// monotonic returns the bounds of what a function that is monotonic makes of a value.
func (b bounds) monotonic(f func(float64) float64) bounds {
	return bounds{f(b.low), f(b.high), b.mayBeNaN}
}

// lesserOf returns the bounds of the lesser of two values: that is a NaN only if both are.
func lesserOf(x, y bounds) bounds {
	r := bounds{math.Min(x.low, y.low), math.Max(x.high, y.high), x.mayBeNaN && y.mayBeNaN}
	if !y.mayBeNaN {
		r.high = math.Min(r.high, y.high)
	}
	if !x.mayBeNaN {
		r.high = math.Min(r.high, x.high)
	}
	return r
}

// greaterOf returns those of the greater one.
func greaterOf(x, y bounds) bounds {
	r := bounds{math.Min(x.low, y.low), math.Max(x.high, y.high), x.mayBeNaN && y.mayBeNaN}
	if !y.mayBeNaN {
		r.low = math.Max(r.low, y.low)
	}
	if !x.mayBeNaN {
		r.low = math.Max(r.low, x.low)
	}
	return r
}

// isSmall reports whether a word without sign is known to be below 2^31.
func (s *selector) isSmall(o mir.Operand) bool {
	f := s.f
	i, ok := s.definition(o)
	if o.IsConst() || !ok {
		return o.IsConst() && f.Bits(o)>>31 == 0
	}
	switch f.Op(i) {
	case mir.Op(op.And), mir.Op(op.Min):
		return f.Kind(i) == scalar.U32 && f.Arg(i, 1).IsConst() && f.Bits(f.Arg(i, 1))>>31 == 0
	case mir.Op(op.Shr):
		return f.Kind(i) == scalar.U32 && f.Arg(i, 1).IsConst() && f.Bits(f.Arg(i, 1)) > 0
	case mir.Op(op.Load):
		return f.Memory(i).Kind == scalar.U8 || f.Memory(i).Kind == scalar.U16
	case mir.Op(op.Convert):
		return f.Kind(i) == scalar.U8 || f.Kind(i) == scalar.U16
	}
	return false
}

// convertsAtOnce returns the instruction that a conversion between floats and words of 32 bits is
// for its operand, or 0.
func (s *selector) convertsAtOnce(i mir.Inst) amd64.Op {
	f := s.f
	x, from, to := f.Arg(i, 0), f.Kind(i), f.To(i)
	switch {
	case from == scalar.U32 && to == scalar.F32 && s.isSmall(x):
		return amd64.VCvtDQ2PS
	case from == scalar.F32 && to == scalar.I32, from == scalar.F32 && to == scalar.U32:
		b := s.floatBounds(x, deepest)
		if b.mayBeNaN || b.high >= 1<<31 || to == scalar.U32 && b.low <= -1 {
			return 0
		}
		return amd64.VCvtTPS2DQ
	}
	return 0
}
