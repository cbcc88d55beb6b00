package eval_test

import (
	"math"
	"math/big"
	"sort"
	"testing"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// halfValue decodes a finite binary16 pattern from its fields (IEEE 754, 3.4).
func halfValue(pattern uint64) float64 {
	exponent, fraction := int(pattern>>10&31), float64(pattern&1023)
	x := math.Ldexp(fraction, -24)
	if exponent > 0 {
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if pattern>>15 == 1 {
		return -x
	}
	return x
}

// nearestHalf rounds by searching the non-negative numbers, whose patterns are
// in their order.
func nearestHalf(x *big.Rat) float64 {
	magnitude := new(big.Rat).Abs(x)
	value := func(pattern int) *big.Rat { return new(big.Rat).SetFloat64(halfValue(uint64(pattern))) }
	const infinite = 0x7C00
	above := sort.Search(infinite, func(i int) bool { return value(i).Cmp(magnitude) >= 0 })
	pattern := above
	if above > 0 {
		upper := new(big.Rat).SetInt64(65536)
		if above < infinite {
			upper = value(above)
		}
		middle := new(big.Rat).Add(value(above-1), upper)
		middle.Quo(middle, new(big.Rat).SetInt64(2))
		if order := magnitude.Cmp(middle); order < 0 || order == 0 && above%2 == 1 {
			pattern = above - 1
		}
	}
	result := math.Inf(1)
	if pattern < infinite {
		result = halfValue(uint64(pattern))
	}
	if x.Sign() < 0 {
		return -result
	}
	return result
}

// TestEveryHalf: every pattern converts to the value its fields say and back to itself.
func TestEveryHalf(t *testing.T) {
	toSingle, fromSingle := eval.Convert(scalar.F32, scalar.F16), eval.Convert(scalar.F16, scalar.F32)
	toDouble, fromDouble := eval.Convert(scalar.AbstractFloat, scalar.F16), eval.Convert(scalar.F16, scalar.AbstractFloat)
	toInteger, toBool := eval.Convert(scalar.I32, scalar.F16), eval.Convert(scalar.Bool, scalar.F16)
	for pattern := range uint64(0x10000) {
		single, double := toSingle(pattern), toDouble(pattern)
		switch {
		case pattern&0x7C00 != 0x7C00:
			x := halfValue(pattern)
			if got := math.Float32frombits(uint32(single)); float64(got) != x || math.Signbit(float64(got)) != (pattern>>15 == 1) {
				t.Fatalf("f32(%#04x) = %v, want %v", pattern, got, x)
			}
			if got := math.Float64frombits(double); got != x {
				t.Fatalf("f64(%#04x) = %v, want %v", pattern, got, x)
			}
			if got := int32(toInteger(pattern)); got != int32(x) {
				t.Fatalf("i32(%v) = %d", x, got)
			}
			if got := toBool(pattern); (got == 1) != (x != 0) {
				t.Fatalf("bool(%v) = %d", x, got)
			}
		case pattern&0x3FF != 0:
			if single != 0x7FC00000 || double != 0x7FF8<<48 || toInteger(pattern) != 0 || toBool(pattern) != 1 {
				t.Fatalf("the NaN %#04x becomes %#x, %#x", pattern, single, double)
			}
			continue // its payload is lost
		}
		if got := fromSingle(single); got != pattern {
			t.Fatalf("f16(f32(%#04x)) = %#04x", pattern, got)
		}
		if got := fromDouble(double); got != pattern {
			t.Fatalf("f16(f64(%#04x)) = %#04x", pattern, got)
		}
	}
}

// TestRoundingBetweenHalves: between every two neighbours the tie goes to the even pattern and its
// own neighbours to the nearer one, for f32, float64 and quantize_f16.
func TestRoundingBetweenHalves(t *testing.T) {
	fromSingle, fromDouble := eval.Convert(scalar.F16, scalar.F32), eval.Convert(scalar.F16, scalar.AbstractFloat)
	quantize := eval.For(op.QuantizeF16, scalar.F32)
	for low := range uint64(0x7C00) {
		x, next := halfValue(low), 65536.0
		if low+1 < 0x7C00 {
			next = halfValue(low + 1)
		}
		tie := float32(x + (next-x)/2)
		even := low + low&1
		for _, row := range []struct {
			x    float32
			want uint64
		}{
			{tie, even},
			{math.Nextafter32(tie, 0), low},
			{math.Nextafter32(tie, 1e9), low + 1},
			{-tie, even | 0x8000},
		} {
			stored := uint64(math.Float32bits(row.x))
			if got := fromSingle(stored); got != row.want {
				t.Fatalf("f16(%x) = %#04x, want %#04x", row.x, got, row.want)
			}
			if got := quantize(stored, 0, 0, 0); got != eval.Convert(scalar.F32, scalar.F16)(row.want) {
				t.Fatalf("quantize_f16(%x) = %#x", row.x, got)
			}
		}
		if got := fromDouble(math.Float64bits(math.Nextafter(float64(tie), 1e9))); got != low+1 {
			t.Fatalf("just above %x: %#04x, want %#04x", tie, got, low+1)
		}
		if got := fromDouble(math.Float64bits(math.Nextafter(float64(tie), 0))); got != low {
			t.Fatalf("just below %x: %#04x, want %#04x", tie, got, low)
		}
	}
}

// TestRoundingEveryHalf: the roundings to integers agree with definitions by search among integers.
func TestRoundingEveryHalf(t *testing.T) {
	for pattern := range uint64(0x10000) {
		if pattern&0x7C00 == 0x7C00 {
			continue
		}
		x := halfValue(pattern)
		whole := float64(int64(x))
		floor, ceil := whole, whole
		if x < whole {
			floor--
		}
		if x > whole {
			ceil++
		}
		round := floor
		if d := x - floor; d > 0.5 || d == 0.5 && int64(floor)%2 != 0 {
			round = ceil
		}
		for _, row := range []struct {
			o    op.Op
			want float64
		}{{op.Floor, floor}, {op.Ceil, ceil}, {op.Trunc, whole}, {op.Round, round}} {
			got := eval.For(row.o, scalar.F16)(pattern, 0, 0, 0)
			if halfValue(got) != row.want || got>>15 != pattern>>15 {
				t.Fatalf("%s(%v) = %v (%#04x), want %v with the sign of x", row.o, x, halfValue(got), got, row.want)
			}
			single := eval.For(row.o, scalar.F32)(value(scalar.F32, x), 0, 0, 0)
			if scalar.ToFloat64(scalar.F32, single) != row.want {
				t.Fatalf("%s.f32(%v) = %v, want %v", row.o, x, scalar.ToFloat64(scalar.F32, single), row.want)
			}
		}
	}
}
