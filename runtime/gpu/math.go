package gpu

import "math"

// The functions below work on f32, as GPUs do. As plain Go they are computed in float64 and rounded
// once; compiled they have the accuracy that WGSL asks for (WGSL §15.7.4).

// Number is what arithmetic works on in every kernel.
type Number interface {
	~int | ~int32 | ~uint | ~uint32 | ~float32
}

// Integer is what has bits in every kernel.
type Integer interface {
	~int | ~int32 | ~uint | ~uint32
}

func Abs(x float32) float32 { return float32(math.Abs(float64(x))) } // |x|
// the largest whole number not above x
func Floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// the smallest whole number not below x
func Ceil(x float32) float32 { return float32(math.Ceil(float64(x))) }

// x without its fraction
func Trunc(x float32) float32       { return float32(math.Trunc(float64(x))) }
func Round(x float32) float32       { return float32(math.RoundToEven(float64(x))) }
func Fract(x float32) float32       { return x - Floor(x) } // in [0, 1]
func Sqrt(x float32) float32        { return float32(math.Sqrt(float64(x))) }
func InverseSqrt(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

// of radians, as all of its kind
func Sin(x float32) float32   { return float32(math.Sin(float64(x))) }
func Cos(x float32) float32   { return float32(math.Cos(float64(x))) }
func Tan(x float32) float32   { return float32(math.Tan(float64(x))) }
func Asin(x float32) float32  { return float32(math.Asin(float64(x))) }
func Acos(x float32) float32  { return float32(math.Acos(float64(x))) }
func Atan(x float32) float32  { return float32(math.Atan(float64(x))) }
func Sinh(x float32) float32  { return float32(math.Sinh(float64(x))) }
func Cosh(x float32) float32  { return float32(math.Cosh(float64(x))) }
func Tanh(x float32) float32  { return float32(math.Tanh(float64(x))) }
func Asinh(x float32) float32 { return float32(math.Asinh(float64(x))) }
func Acosh(x float32) float32 { return float32(math.Acosh(float64(x))) }
func Atanh(x float32) float32 { return float32(math.Atanh(float64(x))) }
func Exp(x float32) float32   { return float32(math.Exp(float64(x))) }
func Exp2(x float32) float32  { return float32(math.Exp2(float64(x))) }
func Log(x float32) float32   { return float32(math.Log(float64(x))) }
func Log2(x float32) float32  { return float32(math.Log2(float64(x))) }

// Atan2 returns the angle of the point (x, y), in radians.
func Atan2(y, x float32) float32 { return float32(math.Atan2(float64(y), float64(x))) }

// Pow returns x to the power y, for x of 0 and more.
func Pow(x, y float32) float32 { return float32(math.Pow(float64(x), float64(y))) }

// FMA returns x·y + z, of which the product is not rounded.
func FMA(x, y, z float32) float32 { return float32(math.FMA(float64(x), float64(y), float64(z))) }
