package lower

import (
	"math"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file has the range reduction of sine and cosine, for machines that have those near zero
// only. If the interval of an angle shows that it is reduced already, nothing is done. That holds
// for many angles computed from indices, such as the twiddle factors of a Fourier transform.

// 2π in three parts whose products with small integers are exact in an fma
// (Cody and Waite, "Software Manual for the Elementary Functions", 1980).
const (
	periodHigh   = 0x1.921fb6p+2
	periodMiddle = -0x1.777a5cp-23
	periodLow    = -0x1.ee59dap-48
)

// reduceAngle reduces the operand of sine and cosine by multiples of 2π.
func reduceAngle(r *rewrite.Rewriter) ir.Value {
	if r.F.Flags(r.Inst)&ir.Fast == 0 {
		r.F.SetArg(r.Inst, 0, reduced(r, r.X[0]))
		r.F.SetFlags(r.Inst, r.F.Flags(r.Inst)|ir.Fast)
	}
	return ir.NoValue
}

// reduced returns an angle between -π and π that has the same sine and cosine.
func reduced(r *rewrite.Rewriter, x ir.Value) ir.Value {
	if known, ok := floatRange(r, x, floatDepth); ok && known.low >= -math.Pi && known.high <= math.Pi {
		return x
	}
	periods := r.Op(op.Round, mul(r, x, number(r, 1/(2*math.Pi))))
	x = fma(r, periods, number(r, -periodHigh), x)
	x = fma(r, periods, number(r, -periodMiddle), x)
	return fma(r, periods, number(r, -periodLow), x)
}

// floats are those from low to high.
type floatInterval struct{ low, high float64 }

const (
	// floatDepth bounds the depth of the search, in operations.
	floatDepth = 6
	// roundingError is more than the relative error of a sum, product or conversion in f32, in
	// every mode.
	roundingError = 0x1p-20
)

// floatRange returns an interval of an f32 that is computed from integers and constants by sums and
// products; ok is false if there is none.
func floatRange(r *rewrite.Rewriter, v ir.Value, depth int) (n floatInterval, ok bool) {
	f, m := r.F, r.M
	if f.TypeOf(v) != ir.F32 || depth == 0 {
		return n, false
	}
	if v.IsConst() {
		x := float64(math.Float32frombits(uint32(m.ConstBits(v))))
		return floatInterval{x, x}, !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	i, ok := f.Def(v)
	if !ok {
		return n, false
	}
	o := f.Op(i)
	if o == op.Convert {
		x := interval(r, f.Arg(i, 0))
		return rounded(float64(x.Low), float64(x.End-1)), !x.Empty()
	}
	if o != op.Neg && o != op.Add && o != op.Sub && o != op.Mul {
		return n, false
	}
	x, ok := floatRange(r, f.Arg(i, 0), depth-1)
	if !ok {
		return n, false
	}
	if o == op.Neg {
		return floatInterval{-x.high, -x.low}, true
	}
	y, ok := floatRange(r, f.Arg(i, 1), depth-1)
	if !ok {
		return n, false
	}
	switch o {
	case op.Add:
		return rounded(x.low+y.low, x.high+y.high), true
	case op.Sub:
		return rounded(x.low-y.high, x.high-y.low), true
	}
	ends := [...]float64{x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high}
	return rounded(min(ends[0], ends[1], ends[2], ends[3]), max(ends[0], ends[1], ends[2], ends[3])), true
}

// rounded widens an interval by the rounding error of its bounds.
func rounded(low, high float64) floatInterval {
	return floatInterval{low - math.Abs(low)*roundingError, high + math.Abs(high)*roundingError}
}

// interval returns the interval of an integer of the function at the time of the first query.
// Values added later have an empty one.
func interval(r *rewrite.Rewriter, v ir.Value) analysis.Interval {
	if r.Ranged != r.F {
		r.Ranges = opt.Scratch[analysis.Ranges](r.Context, "ranges")
		r.Ranges.Analyse(r.F)
		r.Ranged, r.Known = r.F, uint32(r.F.ValueCount())
	}
	if v.IsLocal() && v.Index() >= r.Known {
		return analysis.Interval{}
	}
	return r.Ranges.Of(v)
}
