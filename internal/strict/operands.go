package strict

import (
	"math"
	"math/rand/v2"

	"github.com/gpuc/gpuc/ir/scalar"
)

// layout is the numbers of bits of exponents and fractions of a kind.
var layout = map[scalar.Kind][2]int{scalar.F16: {5, 10}, scalar.F32: {8, 23}, scalar.F64: {11, 52}}

// operand returns a random value: floats with all exponents, fractions with few bits at their ends,
// and special values.
func operand(random *rand.Rand, k scalar.Kind) uint64 {
	if k == scalar.Bool {
		return random.Uint64() & 1
	}
	if !k.IsFloat() {
		x := random.Uint64() & k.Mask()
		switch random.IntN(4) {
		case 0: // few bits, so that floats have them or nearly
			x >>= random.IntN(k.Bits())
		case 1:
			x = (uint64(1)<<random.IntN(k.Bits()) + random.Uint64N(5) - 2) & k.Mask()
		case 2: // ties of fractions
			x = x >> random.IntN(k.Bits()) << random.IntN(k.Bits()) & k.Mask()
		}
		return x
	}
	e, f := layout[k][0], layout[k][1]
	exponent, fraction := random.Uint64N(1<<e), random.Uint64N(1<<f)
	switch random.IntN(8) {
	case 0:
		exponent = [...]uint64{0, 1, 1<<e - 2, 1<<e - 1}[random.IntN(4)]
	case 1, 2: // near 1
		exponent = 1<<(e-1) - 3 + random.Uint64N(6)
	case 3: // where integers end
		exponent = min(1<<(e-1)+random.Uint64N(66), 1<<e-1)
	}
	switch random.IntN(8) {
	case 0:
		fraction = 0
	case 1:
		fraction = random.Uint64N(4)
	case 2:
		fraction = 1<<f - 1 - random.Uint64N(4)
	case 3:
		fraction = 1 << random.IntN(f)
	case 4:
		fraction >>= random.IntN(f)
	}
	return random.Uint64N(2)<<(e+f) | exponent<<f | fraction
}

// operands returns random operands of an operation. A third of them are hard for it.
func operands(random *rand.Rand, o *Operation, x []uint64) {
	for n, k := range o.In {
		x[n] = operand(random, k)
	}
	if random.IntN(3) != 0 {
		return
	}
	switch o.Name {
	case "div.f32": // a quotient near the middle between two, some of them subnormal
		q := middle(float64(f32(x[1])), 24)
		x[1] = operand(random, scalar.F32)
		x[0] = b32(float32(q * float64(f32(x[1]))))
		x[0] += random.Uint64N(3) - 1
		x[0] &= math.MaxUint32
	case "div.f64":
		q := f64(x[1])
		x[1] = operand(random, scalar.F64)
		half := (math.Float64frombits(b64(q)+1) - q) / 2
		x[0] = b64(math.FMA(q, f64(x[1]), half*f64(x[1]))) + random.Uint64N(3) - 1
	case "sqrt.f64":
		s := math.Abs(f64(x[0]))
		x[0] = b64(math.FMA(s, s, s*(math.Float64frombits(b64(s)+1)-s))) + random.Uint64N(3) - 1
	case "fma.f32": // a sum that nearly cancels, or is near the middle
		x[2] = (b32(-f32(x[0])*f32(x[1])) + random.Uint64N(5) - 2) & math.MaxUint32
	case "fma.f64":
		x[2] = b64(-f64(x[0])*f64(x[1])) + random.Uint64N(5) - 2
	case "fma.f16":
		x[2] = halfTo(-halfFrom(x[0]) * halfFrom(x[1]) * (1 + float64(random.IntN(3)-1)*0x1p-11))
	case "add.f32", "sub.f32", "min.f32", "max.f32", "eq.f32", "lt.f32", "le.f32", "gt.f32", "ge.f32", "ne.f32":
		x[1] = (x[0] + random.Uint64N(5) - 2) ^ random.Uint64N(2)<<31
		x[1] &= math.MaxUint32
	case "add.f64", "sub.f64", "min.f64", "max.f64", "eq.f64", "lt.f64", "le.f64", "gt.f64", "ge.f64", "ne.f64":
		x[1] = (x[0] + random.Uint64N(5) - 2) ^ random.Uint64N(2)<<63
	case "convert.f64.f32":
		x[0] = b64(middle(f64(x[0]), 24)) + random.Uint64N(3) - 1
	case "convert.f32.f16", "quantize_f16", "pack2x16float":
		x[0] = uint64(uint32(b32(float32(middle(halfFrom(x[0]&0xffff), 11))) + random.Uint64N(3) - 1))
	}
}

// middle returns a number halfway between two of a format with so many digits.
func middle(x float64, digits int) float64 {
	bits := math.Float64bits(x)
	low := uint64(1) << (53 - digits)
	return math.Float64frombits(bits&^(low-1) | low>>1)
}
