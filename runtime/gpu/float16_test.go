package gpu

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/ir/scalar"
)

// valueOf8 returns the value of a pattern of an 8-bit float from its definition.
func valueOf8(bits uint8, fraction, bias int) float64 {
	sign := 1 - 2*float64(bits>>7)
	exponent, rest := int(bits&0x7F)>>fraction, float64(int(bits)&(1<<fraction-1))
	if exponent == 0 {
		return sign * math.Ldexp(rest, 1-bias-fraction)
	}
	return sign * math.Ldexp(1+rest/math.Ldexp(1, fraction), exponent-bias)
}

// TestFloat8 compares conversions of all patterns, and of numbers at and beside the midpoints
// between neighbours, with the definition of the formats.
func TestFloat8(t *testing.T) {
	for _, format := range []struct {
		name           string
		fraction, bias int
		greatest       uint8
		from           func(uint8) float32
		to             func(float32) uint8
	}{
		{"E4M3", 3, 7, 0x7E, func(b uint8) float32 { return Float8E4M3FromBits(b).Float32() }, func(x float32) uint8 { return ToFloat8E4M3(x).Bits() }},
		{"E5M2", 2, 15, 0x7B, func(b uint8) float32 { return Float8E5M2FromBits(b).Float32() }, func(x float32) uint8 { return ToFloat8E5M2(x).Bits() }},
	} {
		for b := range format.greatest + 1 {
			for _, sign := range []uint8{0, 0x80} {
				x := valueOf8(b|sign, format.fraction, format.bias)
				if got := format.from(b | sign); float64(got) != x || math.Signbit(float64(got)) != (sign != 0) {
					t.Errorf("%s: %#x is %v, want %v", format.name, b|sign, got, x)
				}
				if got := format.to(float32(x)); got != b|sign {
					t.Errorf("%s: %v becomes %#x, want %#x", format.name, x, got, b|sign)
				}
			}
			if b == format.greatest {
				break
			}
			low, high := valueOf8(b, format.fraction, format.bias), valueOf8(b+1, format.fraction, format.bias)
			middle := float32((low + high) / 2)
			for _, c := range []struct {
				x    float32
				want uint8
			}{{middle, b + b&1}, {math.Nextafter32(middle, 0), b}, {math.Nextafter32(middle, 1e9), b + 1}} {
				if got := format.to(c.x); got != c.want {
					t.Errorf("%s: %v becomes %#x, want %#x", format.name, c.x, got, c.want)
				}
				if got := format.to(-c.x); got != c.want|0x80 {
					t.Errorf("%s: %v becomes %#x, want %#x", format.name, -c.x, got, c.want|0x80)
				}
			}
		}
		for _, x := range []float32{1e6, float32(math.Inf(1)), math.MaxFloat32} {
			if got := format.to(x); got != format.greatest {
				t.Errorf("%s: %v becomes %#x, want %#x", format.name, x, got, format.greatest)
			}
		}
		if got := format.from(format.to(float32(math.NaN()))); got == got {
			t.Errorf("%s: NaN becomes %v", format.name, got)
		}
		if got := format.to(math.SmallestNonzeroFloat32); got != 0 {
			t.Errorf("%s: the smallest float32 becomes %#x", format.name, got)
		}
	}
	if x := Float8E5M2FromBits(0xFC).Float32(); !math.IsInf(float64(x), -1) {
		t.Errorf("E5M2: 0xFC is %v", x)
	}
}

// TestBFloat16 rounds numbers at and beside the midpoints between neighbours.
func TestBFloat16(t *testing.T) {
	for b := range uint32(0x7F80) {
		x := math.Float32frombits(b << 16)
		if got := ToBFloat16(x); uint32(got.Bits()) != b || got.Float32() != x {
			t.Fatalf("%#x becomes %#x", b, got.Bits())
		}
		for _, c := range []struct{ bits, want uint32 }{{b<<16 | 0x8000, b + b&1}, {b<<16 | 0x7FFF, b}, {b<<16 | 0x8001, b + 1}} {
			if got := ToBFloat16(math.Float32frombits(c.bits)); uint32(got.Bits()) != c.want {
				t.Fatalf("%#x becomes %#x, want %#x", c.bits, got.Bits(), c.want)
			}
		}
	}
	for _, b := range []uint32{0x7F800001, 0xFFFFFFFF, 0x7FC00000} {
		if x := ToBFloat16(math.Float32frombits(b)).Float32(); x == x {
			t.Errorf("NaN %#x becomes %v", b, x)
		}
	}
}

// TestFloat16 compares arithmetic with float64, which holds every sum and product of two Float16
// exactly, and more than twice the bits that quotients and roots are rounded to.
func TestFloat16(t *testing.T) {
	round := func(x float64) uint16 { return scalar.HalfFromFloat64(x) }
	value := func(x Float16) float64 { return scalar.HalfToFloat64(x.bits) }
	same := func(got Float16, want uint16) bool {
		return got.bits == want || math.IsNaN(value(got)) && math.IsNaN(scalar.HalfToFloat64(want))
	}
	state := uint32(1)
	next := func() Float16 {
		state = state*1664525 + 1013904223
		return Float16FromBits(uint16(state >> 13))
	}
	for range 200000 {
		x, y, z := next(), next(), next()
		for _, c := range []struct {
			name string
			got  Float16
			want float64
		}{
			{"add", x.Add(y), value(x) + value(y)},
			{"sub", x.Sub(y), value(x) - value(y)},
			{"mul", x.Mul(y), value(x) * value(y)},
			{"div", x.Div(y), value(x) / value(y)},
			{"sqrt", x.Sqrt(), math.Sqrt(value(x))},
			{"neg", x.Neg(), -value(x)},
			{"abs", x.Abs(), math.Abs(value(x))},
			{"min", x.Min(y), math.Min(value(x), value(y))},
			{"max", x.Max(y), math.Max(value(x), value(y))},
			{"fma", x.FMA(y, z), math.FMA(value(x), value(y), value(z))},
		} {
			if !same(c.got, round(c.want)) {
				t.Fatalf("%s of %#x, %#x, %#x is %#x, want %#x", c.name, x.bits, y.bits, z.bits, c.got.bits, round(c.want))
			}
		}
		if x.Less(y) != (value(x) < value(y)) || x.LessEqual(y) != (value(x) <= value(y)) || x.Equal(y) != (value(x) == value(y)) {
			t.Fatalf("comparisons of %#x and %#x", x.bits, y.bits)
		}
	}
}
