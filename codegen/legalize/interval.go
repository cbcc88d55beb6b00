package legalize

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// interval is a set of consecutive values of an integer type, as numbers: low ≤ x
// < end. The empty one means that nothing was computed.
//
// Analysis follows i32 and u32. What intervals tell of operations, conditions and
// loops does not depend on that: those functions take all values of the type and
// find its signedness and width in it, so that tests prove them by trying
// everything that 8 bits can hold.
type interval struct{ low, end int64 }

func single(x int64) interval            { return interval{x, x + 1} }
func (v interval) empty() bool           { return v.low >= v.end }
func (v interval) high() int64           { return v.end - 1 }
func (v interval) contains(x int64) bool { return v.low <= x && x < v.end }

// within reports whether v lies in w.
func (v interval) within(w interval) bool { return v.low >= w.low && v.end <= w.end }

// join returns the least interval that contains both.
func (v interval) join(w interval) interval {
	if v.empty() {
		return w
	}
	if w.empty() {
		return v
	}
	return interval{min(v.low, w.low), max(v.end, w.end)}
}

// meet returns what both contain, or v if that is nothing: contradictory facts
// hold in code that does not run, where every answer is right.
func (v interval) meet(w interval) interval {
	if m := v.overlap(w); !m.empty() {
		return m
	}
	return v
}

// isSigned and width tell of a type from all of its values.
func (v interval) isSigned() bool { return v.low < 0 }
func (v interval) width() int64   { return int64(bits.Len64(uint64(v.end-v.low))) - 1 }

// overlap returns what both contain, which may be nothing.
func (v interval) overlap(w interval) interval { return interval{max(v.low, w.low), min(v.end, w.end)} }

// whole returns all values of a type, or the empty interval for types that are
// not followed: only i32 and u32 are.
func whole(t ir.Type) interval {
	switch t {
	case ir.I32:
		return interval{math.MinInt32, math.MaxInt32 + 1}
	case ir.U32:
		return interval{0, math.MaxUint32 + 1}
	}
	return interval{}
}

// orWrapped returns v if it lies in all the values of the type; else a result may
// have wrapped and can be any of them.
func (v interval) orWrapped(all interval) interval {
	if v.empty() || !v.within(all) {
		return all
	}
	return v
}

// transfers gives the interval of an operation's result from all values of its
// type and the intervals of its operands. A nil row means that nothing is known.
// The result is exact or too large, and may exceed the type, which then means
// wrapping: only orWrapped makes it a fact.
var transfers = [op.Count]func(all interval, x [3]interval) interval{
	op.Neg: func(_ interval, x [3]interval) interval { return interval{-x[0].high(), -x[0].low + 1} },
	op.Add: func(_ interval, x [3]interval) interval { return interval{x[0].low + x[1].low, x[0].high() + x[1].end} },
	op.Sub: func(_ interval, x [3]interval) interval {
		return interval{x[0].low - x[1].high(), x[0].end - x[1].low}
	},
	op.Mul: func(_ interval, x [3]interval) interval { return product(x[0], x[1]) },
	op.Div: func(all interval, x [3]interval) interval { return quotient(all, x[0], x[1]) },
	op.Rem: func(all interval, x [3]interval) interval { return remainder(all, x[0], x[1]) },
	op.Abs: func(all interval, x [3]interval) interval { return magnitude(all, x[0]) },
	op.Min: func(_ interval, x [3]interval) interval { return lesser(x[0], x[1]) },
	op.Max: func(_ interval, x [3]interval) interval { return greater(x[0], x[1]) },
	op.Clamp: func(_ interval, x [3]interval) interval {
		return lesser(greater(x[0], x[1]), x[2])
	},
	op.Sign: func(_ interval, x [3]interval) interval {
		return interval{sign(x[0].low), sign(x[0].high()) + 1}
	},
	op.And: func(all interval, x [3]interval) interval { return conjunction(all, x[0], x[1]) },
	op.Or:  func(all interval, x [3]interval) interval { return disjunction(all, x[0], x[1]) },
	op.Xor: func(all interval, x [3]interval) interval {
		v := disjunction(all, x[0], x[1])
		v.low = min(v.low, 0)
		return v
	},
	op.Shl: func(all interval, x [3]interval) interval {
		if !x[1].within(interval{0, all.width()}) {
			return all
		}
		return product(x[0], interval{1 << x[1].low, 1<<x[1].high() + 1})
	},
	op.Shr: func(all interval, x [3]interval) interval {
		amount := x[1]
		if amounts := (interval{0, all.width()}); !amount.within(amounts) {
			amount = amounts // which are taken modulo the width
		}
		v := single(x[0].low >> amount.low)
		v = v.join(single(x[0].low >> amount.high()))
		v = v.join(single(x[0].high() >> amount.low))
		return v.join(single(x[0].high() >> amount.high()))
	},
	op.CountOneBits:       countBits,
	op.CountLeadingZeros:  countBits,
	op.CountTrailingZeros: countBits,
	op.FirstLeadingBit:    firstBit,
	op.FirstTrailingBit:   firstBit,
	op.ExtractBits: func(all interval, x [3]interval) interval {
		if all.isSigned() || x[2].high() >= all.width() {
			return all
		}
		return interval{0, 1 << x[2].high()}
	},
	op.Select: func(_ interval, x [3]interval) interval { return x[1].join(x[2]) },
	op.Dot4U8: func(interval, [3]interval) interval { return interval{0, 4*255*255 + 1} },
	op.Dot4I8: func(interval, [3]interval) interval { return interval{-4 * 128 * 127, 4*128*128 + 1} },
}

func countBits(all interval, _ [3]interval) interval { return interval{0, all.width() + 1} }

// firstBit is -1 where there is no such bit.
func firstBit(all interval, x [3]interval) interval {
	if all.isSigned() {
		return interval{-1, all.width()}
	}
	if x[0].low > 0 {
		return interval{0, all.width()}
	}
	return all
}

// product says wrapped where int64 might not hold the numbers: both factors
// exceed 32 signed bits.
func product(x, y interval) interval {
	const half = 1 << 31
	if (x.end > half+1 || x.low < -half) && (y.end > half+1 || y.low < -half) {
		return interval{0, math.MaxInt64}
	}
	a, b := x.low*y.low, x.low*y.high()
	c, d := x.high()*y.low, x.high()*y.high()
	return interval{min(a, b, c, d), max(a, b, c, d) + 1}
}

// quotient knows positive divisors; by 0 the result is the dividend.
func quotient(all interval, x, y interval) interval {
	if y.low < 0 {
		return all
	}
	low, high := max(y.low, 1), max(y.high(), 1)
	return interval{min(x.low/low, x.low/high), max(x.high()/low, x.high()/high) + 1}
}

// remainder has the sign of the dividend and is smaller than both.
func remainder(all interval, x, y interval) interval {
	if y.low < 0 {
		return all
	}
	limit := max(y.high()-1, 0)
	return interval{max(min(x.low, 0), -limit), min(max(x.high(), 0), limit) + 1}
}

func magnitude(all interval, x interval) interval {
	if x.low >= 0 {
		return x
	}
	if x.low == all.low {
		return all
	}
	high := max(-x.low, x.high())
	if x.high() < 0 {
		return interval{-x.high(), high + 1}
	}
	return interval{0, high + 1}
}

func lesser(x, y interval) interval  { return interval{min(x.low, y.low), min(x.end, y.end)} }
func greater(x, y interval) interval { return interval{max(x.low, y.low), max(x.end, y.end)} }

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
// without sign clears the sign.
func conjunction(all interval, x, y interval) interval {
	switch {
	case x.low >= 0 && y.low >= 0:
		return interval{0, min(x.end, y.end)}
	case x.low >= 0:
		return interval{0, x.end}
	case y.low >= 0:
		return interval{0, y.end}
	}
	return all
}

// disjunction has no bits above the highest of either operand.
func disjunction(all interval, x, y interval) interval {
	if x.low < 0 || y.low < 0 {
		return all
	}
	return interval{max(x.low, y.low), 1 << bits.Len64(uint64(x.high()|y.high()))}
}

// converted gives the interval of a conversion or bitcast between i32 and u32,
// and of a bool's conversion.
func converted(to, from ir.Type, x interval) interval {
	if scalar.Kind(from) == scalar.Bool {
		return interval{0, 2}
	}
	return x.orWrapped(whole(to))
}
