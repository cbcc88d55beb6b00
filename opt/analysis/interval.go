package analysis

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Interval is a set of consecutive values of an integer type, as numbers: low ≤ x
// < end. The empty one means that nothing was computed.
//
// An interval of 64-bit integers has ends within ±far, or none. Low may be math.MinInt64, which is
// below all values. End may be math.MaxInt64, which is above all, those of u64 too that no int64
// holds. What is computed with such numbers is followed only where no int64 overflows (transfer64).
//
// Analysis follows i32 and u32, and so i64 and u64. What intervals tell of operations, conditions
// and loops does not depend on that. Those functions work on all values of the type and find its
// signedness and width in it. So tests prove them by trying everything that 8 bits can hold.
type Interval struct{ Low, End int64 }

// Empty reports whether v has no values.
func (v Interval) Empty() bool { return v.Low >= v.End }

func single(x int64) Interval            { return Interval{x, x + 1} }
func (v Interval) high() int64           { return v.End - 1 }
func (v Interval) contains(x int64) bool { return v.Low <= x && x < v.End }

// Within reports whether v lies in w.
func (v Interval) Within(w Interval) bool { return v.Low >= w.Low && v.End <= w.End }

// join returns the least interval that contains both.
func (v Interval) join(w Interval) Interval {
	if v.Empty() {
		return w
	}
	if w.Empty() {
		return v
	}
	return Interval{min(v.Low, w.Low), max(v.End, w.End)}
}

// meet returns what both contain, or v if that is nothing: contradictory facts
// hold in code that does not run, where every answer is right.
func (v Interval) meet(w Interval) Interval {
	if m := v.overlap(w); !m.Empty() {
		return m
	}
	return v
}

// isSigned and width tell of a type from all of its values.
func (v Interval) isSigned() bool { return v.Low < 0 }
func (v Interval) width() int64 {
	if v.End == math.MaxInt64 {
		return 64
	}
	return int64(bits.Len64(uint64(v.End-v.Low))) - 1
}

// far bounds the ends that intervals of 64-bit integers have: sums of a few, and products with what
// 14 bits hold, are int64s.
const far = 1 << 47

// rounded makes ends beyond far be none, and what lies beyond reach it.
func (v Interval) rounded() Interval {
	switch {
	case v.Low < -far:
		v.Low = math.MinInt64
	case v.Low > far:
		v.Low = far
	}
	switch {
	case v.End > far:
		v.End = math.MaxInt64
	case v.End < -far:
		v.End = -far
	}
	return v
}

// isNear reports whether an interval has both ends.
func (v Interval) isNear() bool { return v.Low >= -far && v.End <= far }

// overlap returns what both contain, which may be nothing.
func (v Interval) overlap(w Interval) Interval { return Interval{max(v.Low, w.Low), min(v.End, w.End)} }

// Full returns all values of a type, or the empty interval for types that are
// not followed: only i32 and u32 are.
func Full(t ir.Type) Interval {
	switch t {
	case ir.I32:
		return Interval{math.MinInt32, math.MaxInt32 + 1}
	case ir.U32:
		return Interval{0, math.MaxUint32 + 1}
	}
	return Interval{}
}

// is64 reports whether a type is that of 64-bit integers.
func is64(t ir.Type) bool { return t == ir.I64 || t == ir.U64 }

// domain is Full for 64-bit integers, too.
func domain(t ir.Type) Interval {
	switch t {
	case ir.I64:
		return Interval{math.MinInt64, math.MaxInt64}
	case ir.U64:
		return Interval{0, math.MaxInt64}
	}
	return Full(t)
}

// normal returns an interval of a type's values with the ends that it may have.
func normal(t ir.Type, v Interval) Interval {
	if is64(t) && !v.Empty() {
		return v.rounded()
	}
	return v
}

// orWrapped returns v if it lies in all the values of the type; else a result may
// have wrapped and can be any of them.
func (v Interval) orWrapped(all Interval) Interval {
	if v.Empty() || !v.Within(all) {
		return all
	}
	return v
}

// transfers gives the interval of an operation's result from all values of its
// type and the intervals of its operands. A nil row means that nothing is known.
// The result is exact or too large, and may exceed the type, which then means
// wrapping: only orWrapped makes it a fact.
var transfers = [op.Count]func(all Interval, x [3]Interval) Interval{
	op.Neg: func(_ Interval, x [3]Interval) Interval { return Interval{-x[0].high(), -x[0].Low + 1} },
	op.Add: func(_ Interval, x [3]Interval) Interval { return Interval{x[0].Low + x[1].Low, x[0].high() + x[1].End} },
	op.Sub: func(_ Interval, x [3]Interval) Interval {
		return Interval{x[0].Low - x[1].high(), x[0].End - x[1].Low}
	},
	op.Mul: func(_ Interval, x [3]Interval) Interval { return product(x[0], x[1]) },
	op.Div: func(all Interval, x [3]Interval) Interval { return quotient(all, x[0], x[1]) },
	op.Rem: func(all Interval, x [3]Interval) Interval { return remainder(all, x[0], x[1]) },
	op.Abs: func(all Interval, x [3]Interval) Interval { return magnitude(all, x[0]) },
	op.Min: func(_ Interval, x [3]Interval) Interval { return minInterval(x[0], x[1]) },
	op.Max: func(_ Interval, x [3]Interval) Interval { return maxInterval(x[0], x[1]) },
	op.Clamp: func(_ Interval, x [3]Interval) Interval {
		return minInterval(maxInterval(x[0], x[1]), x[2])
	},
	op.Sign: func(_ Interval, x [3]Interval) Interval {
		return Interval{sign(x[0].Low), sign(x[0].high()) + 1}
	},
	op.And: func(all Interval, x [3]Interval) Interval { return conjunction(all, x[0], x[1]) },
	op.Or:  func(all Interval, x [3]Interval) Interval { return disjunction(all, x[0], x[1]) },
	op.Xor: func(all Interval, x [3]Interval) Interval {
		v := disjunction(all, x[0], x[1])
		v.Low = min(v.Low, 0)
		return v
	},
	op.Shl: func(all Interval, x [3]Interval) Interval {
		if !x[1].Within(Interval{0, all.width()}) {
			return all
		}
		return product(x[0], Interval{1 << x[1].Low, 1<<x[1].high() + 1})
	},
	op.Shr: func(all Interval, x [3]Interval) Interval {
		amount := x[1]
		if amounts := (Interval{0, all.width()}); !amount.Within(amounts) {
			amount = amounts // modulo the width
		}
		v := single(x[0].Low >> amount.Low)
		v = v.join(single(x[0].Low >> amount.high()))
		v = v.join(single(x[0].high() >> amount.Low))
		return v.join(single(x[0].high() >> amount.high()))
	},
	op.CountOneBits:       countBits,
	op.CountLeadingZeros:  countBits,
	op.CountTrailingZeros: countBits,
	op.FirstLeadingBit:    firstBit,
	op.FirstTrailingBit:   firstBit,
	op.ExtractBits: func(all Interval, x [3]Interval) Interval {
		if all.isSigned() || x[2].high() >= all.width() {
			return all
		}
		return Interval{0, 1 << x[2].high()}
	},
	op.Select: func(_ Interval, x [3]Interval) Interval { return x[1].join(x[2]) },
	op.Dot4U8: func(Interval, [3]Interval) Interval { return Interval{0, 4*255*255 + 1} },
	op.Dot4I8: func(Interval, [3]Interval) Interval { return Interval{-4 * 128 * 127, 4*128*128 + 1} },
}

func countBits(all Interval, _ [3]Interval) Interval { return Interval{0, all.width() + 1} }

// firstBit is -1 where there is no such bit.
func firstBit(all Interval, x [3]Interval) Interval {
	if all.isSigned() {
		return Interval{-1, all.width()}
	}
	if x[0].Low > 0 {
		return Interval{0, all.width()}
	}
	return all
}

// product says wrapped where int64 might not hold the numbers: both factors
// exceed 32 signed bits.
func product(x, y Interval) Interval {
	const half = 1 << 31
	if (x.End > half+1 || x.Low < -half) && (y.End > half+1 || y.Low < -half) {
		return Interval{0, math.MaxInt64}
	}
	a, b := x.Low*y.Low, x.Low*y.high()
	c, d := x.high()*y.Low, x.high()*y.high()
	return Interval{min(a, b, c, d), max(a, b, c, d) + 1}
}

// quotient knows positive divisors; by 0 the result is the dividend.
func quotient(all Interval, x, y Interval) Interval {
	if y.Low < 0 {
		return all
	}
	low, high := max(y.Low, 1), max(y.high(), 1)
	return Interval{min(x.Low/low, x.Low/high), max(x.high()/low, x.high()/high) + 1}
}

// remainder has the sign of the dividend and is smaller than both.
func remainder(all Interval, x, y Interval) Interval {
	if y.Low < 0 {
		return all
	}
	limit := max(y.high()-1, 0)
	return Interval{max(min(x.Low, 0), -limit), min(max(x.high(), 0), limit) + 1}
}

func magnitude(all Interval, x Interval) Interval {
	if x.Low >= 0 {
		return x
	}
	if x.Low == all.Low {
		return all
	}
	high := max(-x.Low, x.high())
	if x.high() < 0 {
		return Interval{-x.high(), high + 1}
	}
	return Interval{0, high + 1}
}

func minInterval(x, y Interval) Interval { return Interval{min(x.Low, y.Low), min(x.End, y.End)} }
func maxInterval(x, y Interval) Interval { return Interval{max(x.Low, y.Low), max(x.End, y.End)} }

func sign(x int64) int64 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// conjunction is at most the lesser of two numbers without sign, and a mask
// without sign clears the sign. A mask that is known ends where its lowest bits let it.
func conjunction(all Interval, x, y Interval) Interval {
	r := all
	switch {
	case x.Low >= 0 && y.Low >= 0:
		r = Interval{0, min(x.End, y.End)}
	case x.Low >= 0:
		r = Interval{0, x.End}
	case y.Low >= 0:
		r = Interval{0, y.End}
	default:
		return all
	}
	if mask := y.Low; mask == y.high() && mask != 0 {
		r.End = r.high()&^(mask&-mask-1) + 1
	}
	return r
}

// disjunction has no bits above the highest of either operand.
func disjunction(all Interval, x, y Interval) Interval {
	if x.Low < 0 || y.Low < 0 {
		return all
	}
	return Interval{max(x.Low, y.Low), 1 << bits.Len64(uint64(x.high()|y.high()))}
}

// transfer64 is the interval of an operation on 64-bit integers, or all values where an int64 might
// not hold the numbers.
func transfer64(o op.Op, all Interval, x [3]Interval) Interval {
	const half = 1 << 31
	near := true
	for n := range x {
		near = near && x[n].isNear()
	}
	switch o {
	case op.Min, op.Max, op.Clamp, op.Select, op.And: // which choose among the ends
		near = true
	case op.CountOneBits, op.CountLeadingZeros, op.CountTrailingZeros, op.FirstLeadingBit, op.FirstTrailingBit:
		near = true
	case op.Rem: // by what has both
		near = x[1].isNear()
	case op.Mul:
		near = near && x[0].Within(Interval{-half, half + 1}) && x[1].Within(Interval{-half, half + 1})
	case op.Shl:
		near = near && x[0].Within(Interval{-half, half + 1}) && x[1].Within(Interval{0, 31})
	case op.ExtractBits:
		near = near && x[2].Within(Interval{0, 47})
	}
	if !near {
		return all
	}
	return transfers[o](all, x)
}

// narrowed are the values of the integers of 8 and 16 bits, which are followed where they are
// converted.
var narrowed = [scalar.Count]Interval{scalar.I8: {-1 << 7, 1 << 7}, scalar.U8: {0, 1 << 8}, scalar.I16: {-1 << 15, 1 << 15}, scalar.U16: {0, 1 << 16}}

// converted gives the interval of a conversion or bitcast between integers, and of a bool's
// conversion.
func converted(to, from ir.Type, x Interval) Interval {
	all := domain(to)
	switch {
	case scalar.Kind(from) == scalar.Bool:
		return Interval{0, 2}
	case is64(from) && from != to && !x.isNear():
		return all
	}
	return x.orWrapped(all)
}
