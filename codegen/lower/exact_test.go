package lower_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// floatFormat describes a format to the generator of operands.
type floatFormat struct {
	kind               scalar.Kind
	exponent, fraction int
}

var floatFormats = []floatFormat{{scalar.F32, 8, 23}, {scalar.F64, 11, 52}, {scalar.F16, 5, 10}}

// operand draws bits for which rounding is difficult: all exponents, fractions with few bits set or
// cleared at the ends, and the special values.
func (f floatFormat) operand(random *rand.Rand) uint64 {
	exponent, fraction := random.Uint64N(1<<f.exponent), random.Uint64N(1<<f.fraction)
	switch random.IntN(8) {
	case 0:
		exponent = []uint64{0, 1, 1<<f.exponent - 2, 1<<f.exponent - 1}[random.IntN(4)]
	case 1, 2: // near 1
		exponent = 1<<(f.exponent-1) - 3 + random.Uint64N(6)
	}
	switch random.IntN(8) {
	case 0:
		fraction = 0
	case 1:
		fraction = random.Uint64N(4)
	case 2:
		fraction = 1<<f.fraction - 1 - random.Uint64N(4)
	case 3:
		fraction = 1 << random.IntN(f.fraction)
	case 4:
		fraction >>= random.IntN(f.fraction)
	}
	return random.Uint64N(2)<<(f.exponent+f.fraction) | exponent<<f.fraction | fraction
}

// near returns an operand close to another one, so that sums cancel.
func (f floatFormat) near(random *rand.Rand, x uint64) uint64 {
	return (x + random.Uint64N(5) - 2) ^ random.Uint64N(2)<<(f.exponent+f.fraction)
}

// nearest is a real number rounded to a kind: big.Float rounds its own way.
func nearest(k scalar.Kind, x *big.Float) float64 {
	switch k {
	case scalar.F32:
		v, _ := x.Float32()
		return float64(v)
	case scalar.F16:
		return halfOf(x)
	}
	v, _ := x.Float64()
	return v
}

// halfOf rounds to the nearest multiple of the unit in the last position of f16.
func halfOf(x *big.Float) float64 {
	if x.Sign() == 0 {
		v, _ := x.Float64()
		return v
	}
	unit := max(x.MantExp(nil)-11, -24)
	scaled := new(big.Float).SetPrec(400).SetMantExp(x, -unit)
	whole, _ := scaled.Int(nil)
	rest := new(big.Float).SetPrec(400).Sub(scaled, new(big.Float).SetInt(whole))
	switch c := rest.Abs(rest).Cmp(big.NewFloat(0.5)); {
	case c > 0, c == 0 && whole.Bit(0) == 1:
		whole.Add(whole, big.NewInt(int64(x.Sign())))
	}
	v := math.Ldexp(float64(whole.Int64()), unit)
	if math.Abs(v) > 65504 {
		v = math.Inf(x.Sign())
	}
	if v == 0 && x.Sign() < 0 {
		v = math.Copysign(0, -1)
	}
	return v
}

// ieee computes an operation: in big.Float if the result is finite and not zero, and in Go's
// float64 if only class and sign matter.
func ieee(o op.Op, k scalar.Kind, x, y, z float64) float64 {
	plain := map[op.Op]func() float64{
		op.Div:  func() float64 { return x / y },
		op.Sqrt: func() float64 { return math.Sqrt(x) },
		op.Fma:  func() float64 { return math.FMA(x, y, z) },
	}[o]()
	if k == scalar.F64 {
		return plain
	}
	for _, v := range []float64{x, y, z} {
		if math.IsInf(v, 0) || v != v {
			return plain
		}
	}
	real := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	switch {
	case plain != plain || plain == 0 && o != op.Fma || math.IsInf(plain, 0):
		return plain
	case o == op.Div:
		return nearest(k, new(big.Float).SetPrec(400).Quo(real(x), real(y)))
	case o == op.Sqrt:
		return nearest(k, new(big.Float).SetPrec(400).Sqrt(real(x)))
	}
	sum := new(big.Float).SetPrec(400).Mul(real(x), real(y))
	if sum.Add(sum, real(z)); sum.Sign() == 0 {
		return plain
	}
	return nearest(k, sum)
}

// TestExactArithmetic compares quotients, roots and fused sums with other arithmetic, with
// approximations that have the greatest error that Vulkan allows.
func TestExactArithmetic(t *testing.T) {
	rounds := testmode.Scaled(8)
	for _, o := range []op.Op{op.Div, op.Sqrt, op.Fma} {
		for _, f := range floatFormats {
			t.Run(o.String()+"."+f.kind.String(), func(t *testing.T) {
				for ulps := -3; ulps <= 3; ulps += 3 {
					compareExact(t, o, f, func(m *ir.Module) { misjudge(m, int64(ulps)) }, rounds)
				}
				if o == op.Fma && f.kind != scalar.F16 {
					compareExact(t, o, f, fuse, rounds)
				}
			})
		}
	}
}

// misjudge increases quotients and inverse roots that are marked as approximations by ulps. Vulkan
// allows 2.5 and 2.
func misjudge(m *ir.Module, ulps int64) {
	f := m.Kernels()[0]
	b := ir.NewBuilder(f)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); f.Flags(i)&ir.Fast == 0 || o != op.Div && o != op.InverseSqrt {
			continue
		}
		if next := f.Next(i); next != 0 {
			b.SetBefore(next)
		}
		v := f.Result(i)
		bits := b.Bitcast(ir.U32, v)
		moved := b.Bitcast(ir.F32, b.Op(op.Add, bits, m.ConstScalar(ir.U32, uint64(uint32(ulps)))))
		for user := f.First(f.Entry); user != 0; user = f.After(user, f.Entry) {
			for n, a := range f.Args(user) {
				if a == v && f.Result(user) != bits {
					f.SetArg(user, n, moved)
				}
			}
		}
	}
}

// fuse simulates a device whose fma rounds once and flushes f32.
func fuse(m *ir.Module) {
	f := m.Kernels()[0]
	m.Global(m.WithRole(ir.FusedFlag)).Init = m.ConstU32(1)
	b := ir.NewBuilder(f)
	flush := func(x ir.Value) (bits, flushed ir.Value) {
		bits = b.Bitcast(ir.U32, x)
		subnormal := b.Op(op.Lt, b.Op(op.And, bits, m.ConstU32(1<<31-1)), m.ConstU32(1<<23))
		return bits, b.Bitcast(ir.F32, b.Op(op.Select, subnormal, b.Op(op.And, bits, m.ConstU32(1<<31)), bits))
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Fma || f.Type(i) != ir.F32 {
			continue
		}
		b.SetBefore(i)
		for n, x := range f.Args(i) {
			_, x = flush(x)
			f.SetArg(i, n, x)
		}
		v := f.Result(i)
		b.SetBefore(f.Next(i))
		bits, flushed := flush(v)
		for user := f.First(f.Entry); user != 0; user = f.After(user, f.Entry) {
			for n, a := range f.Args(user) {
				if a == v && f.Result(user) != bits {
					f.SetArg(user, n, flushed)
				}
			}
		}
		return
	}
}

func compareExact(t *testing.T, o op.Op, f floatFormat, device func(*ir.Module), rounds int) {
	operands := map[op.Op]int{op.Div: 2, op.Sqrt: 1, op.Fma: 3}[o]
	m := kernelOf(o, ir.Void, func(*ir.Module) []ir.Type {
		return []ir.Type{ir.Type(f.kind), ir.Type(f.kind), ir.Type(f.kind)}[:operands]
	})
	lower.Exact.Run(&opt.Context{Math: opt.MathStrict}, m)
	device(m)
	random := rand.New(rand.NewPCG(40, uint64(o)))
	for range rounds {
		inputs := make([][]uint64, operands)
		for n := range inputs {
			inputs[n] = make([]uint64, cases)
		}
		for n := range cases {
			for a := range inputs {
				inputs[a][n] = f.operand(random)
			}
			if operands == 3 && n%3 == 0 { // z near -x·y
				x, y := scalar.ToFloat64(f.kind, inputs[0][n]), scalar.ToFloat64(f.kind, inputs[1][n])
				inputs[2][n] = f.near(random, scalar.FromFloat64(f.kind, -x*y)) & f.kind.Mask()
			}
		}
		got := runKernel(t, m, inputs)
		wrong := 0
		for n := range cases {
			var v [3]float64
			for a := range inputs {
				v[a] = scalar.ToFloat64(f.kind, inputs[a][n])
			}
			want := ieee(o, f.kind, v[0], v[1], v[2])
			result := scalar.ToFloat64(f.kind, got[n])
			if want != want && result != result || math.Float64bits(want) == math.Float64bits(result) {
				continue
			}
			if wrong++; wrong < 5 {
				t.Errorf("%s.%s(%x, %x, %x) = %x, want %x", o, f.kind, v[0], v[1], v[2], result, want)
			}
		}
		if wrong > 0 {
			t.Fatalf("%d of %d are wrong", wrong, cases)
		}
	}
}
