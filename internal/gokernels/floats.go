package gokernels

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func smoothstep(low, high, x float32) float32 {
	t := saturate((x - low) / (high - low))
	return t * t * (3 - 2*t)
}

// remainder returns a - b·trunc(a/b), by long division.
func remainder(a, b float32) float32 { return a - b*gpu.Trunc(a/b) }

//gpuc:kernel workgroup=16
func FloatArithmetic(it gpu.Item, data, quotients, blends []Vec4f, angles []Vec2f) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	v := data[i]
	quotients[i] = gpu.V4f(v.X/v.Y, 1/v.Z, v.W/v.Z, v.X/v.Z)
	b := gpu.V4f(
		gpu.FMA(v.X, v.Y, v.Z),
		mix(v.X, v.Y, v.W*0.125),
		smoothstep(0.25, 6, v.Y),
		remainder(v.X*8, 2.75),
	)
	next := gpu.V4f(v.Y, v.Z, v.W, v.X)
	b = b.Add(v.Scale(0.75).Add(next.Scale(0.25)).Scale(2))
	blends[i] = gpu.V4f(3, 3, 3, 3).Sub(b)
	angles[i] = gpu.V2f(v.X*(180/math.Pi), v.Y*90*(math.Pi/180))
}

//gpuc:kernel workgroup=32
func FloatExponential(it gpu.Item, data []float32, powers []Vec4f, logarithms, roots, raised []Vec2f, hyperbolic, inverses []Vec4f) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	x := data[i]
	powers[i] = gpu.V4f(gpu.Exp(x), gpu.Exp2(x), gpu.Exp2(-x), float32(math.Exp(float64(-x))))
	logarithms[i] = gpu.V2f(gpu.Log(x), gpu.Log2(x))
	roots[i] = gpu.V2f(gpu.Sqrt(x), gpu.InverseSqrt(x))
	raised[i] = gpu.V2f(gpu.Pow(x, 2.5), gpu.Pow(x, -0.5))
	hyperbolic[i] = gpu.V4f(gpu.Sinh(x*0.5), gpu.Cosh(x*0.5), gpu.Tanh(x), gpu.Tanh(-x*0.25))
	inverses[i] = gpu.V4f(gpu.Asinh(x), gpu.Acosh(x+1), gpu.Atanh(x*0.0625), gpu.Atanh(-x*0.125*0.875))
}

//gpuc:kernel workgroup=32
func FloatTrigonometry(it gpu.Item, angles []float32, waves []Vec2f, slopes []float32, arcs, quadrants []Vec2f) {
	i := it.Index()
	if i >= len(angles) {
		return
	}
	x := angles[i]
	waves[i] = gpu.V2f(gpu.Sin(x), gpu.Cos(x))
	slopes[i] = gpu.Tan(x * 0.25)
	y := x / 3.25 // within [-1, 1]
	arcs[i] = gpu.V2f(gpu.Asin(y), gpu.Acos(y))
	quadrants[i] = gpu.V2f(gpu.Atan(x*3), gpu.Atan2(x, 1.5-gpu.Abs(x)))
}

func signOf(x float32) float32 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

func step(edge, x float32) float32 {
	if x < edge {
		return 0
	}
	return 1
}

//gpuc:kernel workgroup=16
func FloatRounding(it gpu.Item, data []float32, results [][14]float32, orders []uint32) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	x, y := data[i], data[(i*7+3)%len(data)]
	greater := x
	if x < y {
		greater = y
	}
	results[i] = [14]float32{
		gpu.Floor(x), gpu.Ceil(x), gpu.Trunc(x), gpu.Round(x), gpu.Fract(x),
		signOf(x), gpu.Abs(x),
		min(x, y), max(x, y), gpu.Clamp(x, -2, 2.5), saturate(x),
		step(y, x), -x, greater,
	}
	p, q := gpu.V2f(x, y), gpu.V2f(y, x)
	orders[i] = one(p.X < q.X) + 2*one(p.Y < q.Y) + 4*one(p.X == q.X || p.Y == q.Y) + 8*one(p.X != q.X && p.Y != q.Y) +
		16*one(x >= y) + 32*one(!(x > y))
}

// frexp returns x as fraction·2^exponent, with a fraction in [0.5, 1). x must not be denormal.
func frexp(x float32) (fraction float32, exponent int32) {
	if x == 0 {
		return x, 0
	}
	b := math.Float32bits(x)
	return math.Float32frombits(b&^(0xff<<23) | 126<<23), int32(b>>23&0xff) - 126
}

// ldexp returns x·2^n for results that are normal numbers or 0.
func ldexp(x float32, n int32) float32 {
	return x * math.Float32frombits(uint32(n+127)<<23)
}

// modf returns the integral and the fractional part.
func modf(x float32) (whole, fraction float32) {
	whole = gpu.Trunc(x)
	return whole, x - whole
}

// toHalf rounds x to f16, ties to even. x must be in the range of f16.
func toHalf(x float32) uint32 {
	b := math.Float32bits(x)
	sign, magnitude := b>>16&0x8000, b&0x7fffffff
	if magnitude < 0x38800000 { // a denormal f16: a multiple of 2^-24
		return sign | uint32(gpu.Round(math.Float32frombits(magnitude)*(1<<24)))
	}
	magnitude += 0xfff + magnitude>>13&1
	return sign | (magnitude-0x38000000)>>13
}

// fromHalf decodes a finite f16 in the lower 16 bits.
func fromHalf(h uint32) float32 {
	sign, exponent, fraction := h&0x8000<<16, h>>10&0x1f, h&0x3ff
	if exponent == 0 {
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)/(1<<24)))
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

//gpuc:kernel workgroup=16
func FloatParts(it gpu.Item, data []float32, results [][7]float32, exponents [][2]int32, rounded []float32) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	x := data[i]
	fraction, exponent := frexp(x)
	half, halfExponent := frexp(x * 0.5)
	three, threeExponent := frexp(3)
	whole, rest := modf(x)
	_, quarter := modf(x * 0.25)
	two, negative := modf(-2.5)
	exponents[i] = [2]int32{exponent, halfExponent*100 + threeExponent}
	results[i] = [7]float32{
		fraction, half + three, rest, whole, quarter + two + negative,
		ldexp(fraction, exponent), ldexp(x, 3),
	}
	rounded[i] = fromHalf(toHalf(gpu.Clamp(x, -60000, 60000)))
}

//gpuc:kernel workgroup=16
func PackUnpack(it gpu.Item, floats []Vec4f, words []uint32, packed [][9]uint32, unpacked [][4]Vec4f, integers []Vec4i) {
	i := it.Index()
	if i >= len(floats) {
		return
	}
	f, w := floats[i], words[i]
	bytes := gpu.V4(gpu.ExtractBits(int32(w), 0, 11), -200, 200, int32(w))
	same := gpu.V4(uint32(bytes.X), uint32(bytes.Y), uint32(bytes.Z), uint32(bytes.W))
	packed[i] = [9]uint32{
		gpu.Pack4x8Snorm(f),
		gpu.Pack4x8Unorm(f),
		gpu.Pack2x16Snorm(f.XY()),
		gpu.Pack2x16Unorm(f.ZW()),
		gpu.Pack2x16Float(gpu.V2f(f.Y*8, f.Z*8)),
		gpu.Pack4xI8(bytes),
		gpu.Pack4xU8(same),
		gpu.Pack4xI8Clamp(bytes),
		gpu.Pack4xU8Clamp(gpu.V4(same.X&0x1ff, same.Y&0x1ff, same.Z&0x1ff, same.W&0x1ff)),
	}
	low, high := gpu.Unpack2x16Snorm(w), gpu.Unpack2x16Unorm(w)
	first, second := gpu.Unpack2x16Float(w&0x7bff7bff), gpu.Unpack2x16Float(w&0x83ff3fff)
	unpacked[i] = [4]Vec4f{
		gpu.Unpack4x8Snorm(w),
		gpu.Unpack4x8Unorm(w),
		gpu.V4(low.X, low.Y, high.X, high.Y),
		gpu.V4(first.X, first.Y, second.X, second.Y),
	}
	signed, unsigned := gpu.Unpack4xI8(w), gpu.Unpack4xU8(w)
	integers[i] = signed.Scale(1000).Add(gpu.V4(int32(unsigned.X), int32(unsigned.Y), int32(unsigned.Z), int32(unsigned.W)))
}
