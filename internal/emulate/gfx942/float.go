package gfx942

import (
	"math"

	"github.com/gpuc/gpuc/internal/emulate"
)

// Vector operations on floats. Waves start with denormals enabled and IEEE mode on, as LLVM sets
// both in the descriptors of kernels for HSA. Approximate functions flush denormals nevertheless.
// The manual bounds their error by 1 ulp. Here they return the nearest value, so code that relies
// on a smaller error is not detected.

func single(x uint64) float32     { return math.Float32frombits(uint32(x)) }
func singleBits(f float32) uint64 { return uint64(math.Float32bits(f)) }

// singles returns the row of an operation on two f32.
func singles(code int, name string, f func(a, b float32) float32) row {
	return row{code: code, name: name, d: f32, s: [3]kind{f32, f32}, lane: func(a, b, _ uint64) uint64 { return singleBits(f(single(a), single(b))) }}
}

// threeSingles returns the row of an operation on three f32.
func threeSingles(code int, name string, f func(a, b, c float32) float32) row {
	return row{code: code, name: name, d: f32, s: [3]kind{f32, f32, f32},
		lane: func(a, b, c uint64) uint64 { return singleBits(f(single(a), single(b), single(c))) }}
}

// doubles returns the row of an operation on two f64.
func doubles(code int, name string, f func(a, b float64) float64) row {
	return row{code: code, name: name, d: f64, s: [3]kind{f64, f64},
		lane: func(a, b, _ uint64) uint64 {
			return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b)))
		}}
}

func halfFloats(code int, name string, f func(a, b float64) float64) row {
	return row{code: code, name: name, d: f16, s: [3]kind{f16, f16}, lane: func(a, b, _ uint64) uint64 { return halfBits(f(halfValue(a), halfValue(b))) }}
}

// least returns the minimum. It prefers a number to a NaN, and -0 is smaller than 0.
func least(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return math.Min(a, b)
}

func greatest(a, b float64) float64 { return -least(-a, -b) }

// wide64 applies a function on float64 with exact results to float32.
func wide64(f func(a, b float64) float64) func(a, b float32) float32 {
	return func(a, b float32) float32 { return float32(f(float64(a), float64(b))) }
}

// sum, minus and product return a float64 such that rounding it to 32 or 16 bits equals one
// rounding.
func sum(a, b float64) float64     { return emulate.SumToOdd(a, b) }
func minus(a, b float64) float64   { return emulate.SumToOdd(a, -b) }
func product(a, b float64) float64 { return a * b }

func floatTwo() []row {
	rows := []row{
		singles(1, "v_add_f32", func(a, b float32) float32 { return a + b }),
		singles(2, "v_sub_f32", func(a, b float32) float32 { return a - b }),
		singles(3, "v_subrev_f32", func(a, b float32) float32 { return b - a }),
		{code: 4, name: "v_fmac_f64", d: f64, s: [3]kind{f64, f64, f64}, accumulates: true, lane: fusedDouble},
		singles(5, "v_mul_f32", func(a, b float32) float32 { return a * b }),
		singles(10, "v_min_f32", wide64(least)),
		singles(11, "v_max_f32", wide64(greatest)),
		threeSingles(23, "v_fmamk_f32", fused),
		threeSingles(24, "v_fmaak_f32", fused),
		halfFloats(31, "v_add_f16", sum),
		halfFloats(32, "v_sub_f16", minus),
		halfFloats(34, "v_mul_f16", product),
		halfFloats(45, "v_max_f16", greatest),
		halfFloats(46, "v_min_f16", least),
		threeSingles(59, "v_fmac_f32", fused),
	}
	for n := range rows {
		rows[n].accumulates = rows[n].accumulates || rows[n].code == 59
		rows[n].single = rows[n].code == 23 || rows[n].code == 24
		rows[n].constantSecond = rows[n].code == 23
	}
	return rows
}

func fusedDouble(a, b, c uint64) uint64 {
	return math.Float64bits(math.FMA(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)))
}

// flushed flushes denormal arguments and results of a function on f32 to zero.
func flushed(f func(float64) float64) func(float64) float64 {
	flush := func(x float64) float64 {
		if math.Abs(x) < 0x1p-126 {
			return math.Copysign(0, x)
		}
		return x
	}
	return func(x float64) float64 {
		y := f(flush(x))
		if math.Abs(y) < 0x1p-126 && y != 0 {
			return math.Copysign(0, y)
		}
		return y
	}
}

// integerOf converts to an integer, towards zero and saturating; NaN becomes 0.
func integerOf(x, least, most float64) uint64 {
	switch {
	case x != x:
		return 0
	case x <= least:
		return uint64(int64(least))
	case x >= most:
		return uint64(int64(most))
	}
	return uint64(int64(x))
}

func reciprocal(x float64) float64           { return 1 / x }
func reciprocalSquareRoot(x float64) float64 { return 1 / math.Sqrt(x) }

// The unit of sine and cosine is a revolution. Hardware has no defined result above 256.
func sine(x float64) float64   { return math.Sin(2 * math.Pi * (x - math.Floor(x))) }
func cosine(x float64) float64 { return math.Cos(2 * math.Pi * (x - math.Floor(x))) }

// significand returns a number's significand in [0.5, 1), and infinities unchanged.
func significand(x float64) float64 {
	if math.IsInf(x, 0) {
		return x
	}
	f, _ := math.Frexp(x)
	return f
}

// exponentOf returns the exponent for significand.
func exponentOf(x float64) uint64 {
	if math.IsInf(x, 0) || x != x {
		return 0
	}
	_, n := math.Frexp(x)
	return uint64(n)
}

func floatOne() []row {
	singleOf := func(code int, name string, f func(float64) float64) row {
		return row{code: code, name: name, d: f32, s: [3]kind{f32}, lane: func(a, _, _ uint64) uint64 { return singleBits(float32(f(float64(single(a))))) }}
	}
	doubleOf := func(code int, name string, f func(float64) float64) row {
		return row{code: code, name: name, d: f64, s: [3]kind{f64}, lane: func(a, _, _ uint64) uint64 { return math.Float64bits(f(math.Float64frombits(a))) }}
	}
	halfFloatOf := func(code int, name string, f func(float64) float64) row {
		return row{code: code, name: name, d: f16, s: [3]kind{f16}, lane: func(a, _, _ uint64) uint64 { return halfBits(f(halfValue(a))) }}
	}
	to := func(code int, name string, d, s kind, f func(a uint64) uint64) row {
		return row{code: code, name: name, d: d, s: [3]kind{s}, lane: func(a, _, _ uint64) uint64 { return f(a) }}
	}
	double := func(a uint64) float64 { return math.Float64frombits(a) }
	rows := []row{
		to(3, "v_cvt_i32_f64", b32, f64, func(a uint64) uint64 { return integerOf(double(a), math.MinInt32, math.MaxInt32) }),
		to(4, "v_cvt_f64_i32", f64, b32, func(a uint64) uint64 { return math.Float64bits(float64(signed(a))) }),
		to(5, "v_cvt_f32_i32", f32, b32, func(a uint64) uint64 { return singleBits(float32(signed(a))) }),
		to(6, "v_cvt_f32_u32", f32, b32, func(a uint64) uint64 { return singleBits(float32(a)) }),
		to(7, "v_cvt_u32_f32", b32, f32, func(a uint64) uint64 { return integerOf(float64(single(a)), 0, math.MaxUint32) }),
		to(8, "v_cvt_i32_f32", b32, f32, func(a uint64) uint64 { return integerOf(float64(single(a)), math.MinInt32, math.MaxInt32) }),
		to(10, "v_cvt_f16_f32", f16, f32, func(a uint64) uint64 { return halfBits(float64(single(a))) }),
		to(11, "v_cvt_f32_f16", f32, f16, func(a uint64) uint64 { return singleBits(float32(halfValue(a))) }),
		to(15, "v_cvt_f32_f64", f32, f64, func(a uint64) uint64 { return singleBits(float32(double(a))) }),
		to(16, "v_cvt_f64_f32", f64, f32, func(a uint64) uint64 { return math.Float64bits(float64(single(a))) }),
		to(21, "v_cvt_u32_f64", b32, f64, func(a uint64) uint64 { return integerOf(double(a), 0, math.MaxUint32) }),
		to(22, "v_cvt_f64_u32", f64, b32, func(a uint64) uint64 { return math.Float64bits(float64(a)) }),
		doubleOf(23, "v_trunc_f64", math.Trunc),
		doubleOf(24, "v_ceil_f64", math.Ceil),
		doubleOf(25, "v_rndne_f64", math.RoundToEven),
		doubleOf(26, "v_floor_f64", math.Floor),
		singleOf(28, "v_trunc_f32", math.Trunc),
		singleOf(29, "v_ceil_f32", math.Ceil),
		singleOf(30, "v_rndne_f32", math.RoundToEven),
		singleOf(31, "v_floor_f32", math.Floor),
		singleOf(32, "v_exp_f32", flushed(math.Exp2)),
		singleOf(33, "v_log_f32", flushed(math.Log2)),
		singleOf(34, "v_rcp_f32", flushed(reciprocal)),
		singleOf(35, "v_rcp_iflag_f32", flushed(reciprocal)),
		singleOf(36, "v_rsq_f32", flushed(reciprocalSquareRoot)),
		doubleOf(37, "v_rcp_f64", reciprocal),
		doubleOf(38, "v_rsq_f64", reciprocalSquareRoot),
		singleOf(39, "v_sqrt_f32", flushed(math.Sqrt)),
		singleOf(41, "v_sin_f32", flushed(sine)),
		singleOf(42, "v_cos_f32", flushed(cosine)),
		doubleOf(49, "v_frexp_mant_f64", significand),
		to(51, "v_frexp_exp_i32_f32", b32, f32, func(a uint64) uint64 { return exponentOf(float64(single(a))) }),
		singleOf(52, "v_frexp_mant_f32", significand),
		to(57, "v_cvt_f16_u16", f16, b16, func(a uint64) uint64 { return halfBits(float64(a)) }),
		to(58, "v_cvt_f16_i16", f16, b16, func(a uint64) uint64 { return halfBits(float64(int16(a))) }),
		halfFloatOf(61, "v_rcp_f16", reciprocal),
		halfFloatOf(62, "v_sqrt_f16", math.Sqrt),
		to(67, "v_frexp_exp_i16_f16", b16, f16, func(a uint64) uint64 { return exponentOf(halfValue(a)) }),
		halfFloatOf(68, "v_floor_f16", math.Floor),
		halfFloatOf(69, "v_ceil_f16", math.Ceil),
		halfFloatOf(70, "v_trunc_f16", math.Trunc),
		halfFloatOf(71, "v_rndne_f16", math.RoundToEven),
	}
	for n := range 4 {
		rows = append(rows, to(17+n, "v_cvt_f32_ubyte"+string(rune('0'+n)), f32, b32,
			func(a uint64) uint64 { return singleBits(float32(a >> (8 * n) & 0xFF)) }))
	}
	return rows
}

// median returns the median of three numbers, the minimum if one is NaN.
func median(a, b, c float64) float64 {
	if a != a || b != b || c != c {
		return least(least(a, b), c)
	}
	return greatest(least(a, b), least(greatest(a, b), c))
}

// threeHalfFloats returns the row of an operation on three f16.
func threeHalfFloats(code int, name string, f func(a, b, c float64) float64) row {
	return row{code: code, name: name, d: f16, s: [3]kind{f16, f16, f16}, keepsHigh: true,
		lane: func(a, b, c uint64) uint64 { return halfBits(f(halfValue(a), halfValue(b), halfValue(c))) }}
}

func floatThree() []row {
	ordered := func(f func(a, b float64) float64) func(a, b, c float32) float32 {
		return func(a, b, c float32) float32 { return float32(f(f(float64(a), float64(b)), float64(c))) }
	}
	return []row{
		threeSingles(459, "v_fma_f32", fused),
		{code: 460, name: "v_fma_f64", d: f64, s: [3]kind{f64, f64, f64}, lane: fusedDouble},
		threeSingles(464, "v_min3_f32", ordered(least)),
		threeSingles(467, "v_max3_f32", ordered(greatest)),
		threeSingles(470, "v_med3_f32", func(a, b, c float32) float32 { return float32(median(float64(a), float64(b), float64(c))) }),
		{code: 478, name: "v_div_fixup_f32", d: f32, s: [3]kind{f32, f32, f32}, lane: func(a, b, c uint64) uint64 {
			return singleBits(float32(quotient(float64(single(a)), float64(single(b)), float64(single(c)), -150, 128)))
		}},
		{code: 479, name: "v_div_fixup_f64", d: f64, s: [3]kind{f64, f64, f64}, lane: func(a, b, c uint64) uint64 {
			return math.Float64bits(quotient(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c), -1075, 1024))
		}},
		{code: 480, name: "v_div_scale_f32", d: f32, s: [3]kind{f32, f32, f32}, carry: func(a, b, c uint64) (uint64, bool) {
			x, scaled := scale(float64(single(a)), float64(single(b)), float64(single(c)), singleRange)
			return singleBits(float32(x)), scaled
		}},
		{code: 481, name: "v_div_scale_f64", d: f64, s: [3]kind{f64, f64, f64}, carry: func(a, b, c uint64) (uint64, bool) {
			x, scaled := scale(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c), doubleRange)
			return math.Float64bits(x), scaled
		}},
		{code: 482, name: "v_div_fmas_f32", d: f32, s: [3]kind{f32, f32, f32}, run: func(x *execution, i *instruction) { x.unscale(i, f32) }},
		{code: 483, name: "v_div_fmas_f64", d: f64, s: [3]kind{f64, f64, f64}, run: func(x *execution, i *instruction) { x.unscale(i, f64) }},
		threeHalfFloats(500, "v_min3_f16", func(a, b, c float64) float64 { return least(least(a, b), c) }),
		threeHalfFloats(503, "v_max3_f16", func(a, b, c float64) float64 { return greatest(greatest(a, b), c) }),
		threeHalfFloats(506, "v_med3_f16", median),
		{code: 518, name: "v_fma_f16", d: f16, s: [3]kind{f16, f16, f16}, keepsHigh: true,
			lane: func(a, b, c uint64) uint64 {
				return halfBits(emulate.SumToOdd(halfValue(a)*halfValue(b), halfValue(c)))
			}},
		{code: 519, name: "v_div_fixup_f16", d: f16, s: [3]kind{f16, f16, f16}, keepsHigh: true, lane: func(a, b, c uint64) uint64 {
			return halfBits(quotient(halfValue(a), halfValue(b), halfValue(c), -25, 16))
		}},
		doubles(640, "v_add_f64", func(a, b float64) float64 { return a + b }),
		doubles(641, "v_mul_f64", product),
		doubles(642, "v_min_f64", least),
		doubles(643, "v_max_f64", greatest),
		{code: 644, name: "v_ldexp_f64", d: f64, s: [3]kind{f64, b32}, lane: func(a, b, _ uint64) uint64 {
			return math.Float64bits(math.Ldexp(math.Float64frombits(a), int(signed(b))))
		}},
		{code: 648, name: "v_ldexp_f32", d: f32, s: [3]kind{f32, b32}, lane: func(a, b, _ uint64) uint64 {
			// within these bounds the result in 64 bits is exact
			return singleBits(float32(math.Ldexp(float64(single(a)), int(max(-400, min(400, signed(b)))))))
		}},
		{code: 672, name: "v_pack_b32_f16", d: b32, s: [3]kind{f16, f16}, lane: func(a, b, _ uint64) uint64 { return a | b<<16 }},
	}
}
