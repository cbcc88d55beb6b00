package gpu

import "math"

// The functions below work on f32, as GPUs do. As plain Go they are computed in float64 and rounded
// once; compiled they have the accuracy that WGSL requires (WGSL §15.7.4). Outside of their domain
// they return what package math does as plain Go, and any value on devices.

// Number is a type that kernels compute with, on every device.
type Number interface {
	~int | ~int32 | ~uint | ~uint32 | ~float32
}

// Integer is a type that has bits, on every device.
type Integer interface {
	~int | ~int32 | ~uint | ~uint32
}

// Abs returns |x|.
func Abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// Floor returns the largest integer not above x.
func Floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// Ceil returns the smallest integer not below x.
func Ceil(x float32) float32 { return float32(math.Ceil(float64(x))) }

// Trunc returns x rounded toward zero.
func Trunc(x float32) float32 { return float32(math.Trunc(float64(x))) }

// Round returns the integer nearest to x, and the even one of two.
func Round(x float32) float32 { return float32(math.RoundToEven(float64(x))) }

// Fract returns x - Floor(x), which is in [0, 1].
func Fract(x float32) float32 { return x - Floor(x) }

// Sqrt returns the square root of x.
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// InverseSqrt returns 1/Sqrt(x).
func InverseSqrt(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

// Sin returns the sine of x radians.
func Sin(x float32) float32 { return float32(math.Sin(float64(x))) }

// Cos returns the cosine of x radians.
func Cos(x float32) float32 { return float32(math.Cos(float64(x))) }

// Tan returns the tangent of x radians.
func Tan(x float32) float32 { return float32(math.Tan(float64(x))) }

// Asin returns the arcsine of x in radians.
func Asin(x float32) float32 { return float32(math.Asin(float64(x))) }

// Acos returns the arccosine of x in radians.
func Acos(x float32) float32 { return float32(math.Acos(float64(x))) }

// Atan returns the arctangent of x in radians.
func Atan(x float32) float32 { return float32(math.Atan(float64(x))) }

// Sinh returns the hyperbolic sine of x.
func Sinh(x float32) float32 { return float32(math.Sinh(float64(x))) }

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float32) float32 { return float32(math.Cosh(float64(x))) }

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float32) float32 { return float32(math.Tanh(float64(x))) }

// Asinh returns the inverse hyperbolic sine of x.
func Asinh(x float32) float32 { return float32(math.Asinh(float64(x))) }

// Acosh returns the inverse hyperbolic cosine of x.
func Acosh(x float32) float32 { return float32(math.Acosh(float64(x))) }

// Atanh returns the inverse hyperbolic tangent of x.
func Atanh(x float32) float32 { return float32(math.Atanh(float64(x))) }

// Exp returns e to the power x.
func Exp(x float32) float32 { return float32(math.Exp(float64(x))) }

// Exp2 returns 2 to the power x.
func Exp2(x float32) float32 { return float32(math.Exp2(float64(x))) }

// Log returns the natural logarithm of x.
func Log(x float32) float32 { return float32(math.Log(float64(x))) }

// Log2 returns the logarithm of x to base 2.
func Log2(x float32) float32 { return float32(math.Log2(float64(x))) }

// Atan2 returns the angle of the point (x, y), in radians.
func Atan2(y, x float32) float32 { return float32(math.Atan2(float64(y), float64(x))) }

// Pow returns x to the power y, for x ≥ 0.
func Pow(x, y float32) float32 { return float32(math.Pow(float64(x), float64(y))) }

// FMA returns x·y + z, rounded once.
func FMA(x, y, z float32) float32 { return roundedSum(float64(x)*float64(y), z) }

// roundedSum returns a product of two float32, which float64 holds, plus z, rounded once. The sum
// in float64 is rounded to odd first, so that the second rounding sees what it lacks (Boldo and
// Melquiond, "Emulation of FMA and Correctly Rounded Sums", 2008).
func roundedSum(product float64, z float32) float32 {
	addend := float64(z)
	sum := product + addend
	part := sum - product
	// exact (Knuth's TwoSum), and NaN for infinities
	lacks := (product - (sum - part)) + (addend - part)
	if bits := math.Float64bits(sum); bits&1 == 0 && (lacks < 0 || lacks > 0) {
		if lacks < 0 == (sum < 0) {
			bits++
		} else {
			bits--
		}
		sum = math.Float64frombits(bits)
	}
	return float32(sum)
}
