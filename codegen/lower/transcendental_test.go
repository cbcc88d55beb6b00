package lower_test

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// machine evaluates a function of scalars without control flow on stored bits.
type machine struct {
	f      *ir.Func
	values []uint64
	divide func(a, b float32) float32 // if not as eval has it
}

func (x *machine) run(t testing.TB, args ...uint64) uint64 {
	f, m := x.f, x.f.Module
	x.values = append(x.values[:0], make([]uint64, f.ValueCount())...)
	for n, p := range f.Params(f.Entry) {
		x.values[p] = args[n]
	}
	for i := f.First(f.Entry); ; i = f.Next(i) {
		var in [4]uint64
		for n, a := range f.Args(i) {
			if a.IsLocal() {
				in[n] = x.values[a]
			} else {
				in[n] = m.ConstBits(a)
			}
		}
		o := f.Op(i)
		if o == op.Return {
			return in[0]
		}
		k := m.ScalarOf(f.TypeOf(f.Arg(i, 0)))
		r := f.Result(i)
		switch o {
		case op.Bitcast:
			x.values[r] = in[0]
		case op.Convert:
			x.values[r] = eval.Convert(m.ScalarOf(f.Type(i)), k)(in[0])
		case op.Select:
			k = m.ScalarOf(f.Type(i))
			fallthrough
		default:
			if o == op.Div && x.divide != nil {
				x.values[r] = uint64(math.Float32bits(x.divide(math.Float32frombits(uint32(in[0])), math.Float32frombits(uint32(in[1])))))
				break
			}
			function := eval.For(o, k)
			if function == nil {
				t.Fatalf("cannot evaluate %s", f.InstText(i))
			}
			x.values[r] = function(in[0], in[1], in[2], in[3])
		}
	}
}

// expanded returns a function of the operation's operands, of float kind k, after the expansion of
// all transcendental operations that PTX lacks, and the passes in more.
func expanded(t testing.TB, o op.Op, k scalar.Kind, more ...opt.Pass) *machine {
	m := ir.NewModule(nil)
	s := op.SignatureOf(o)
	args := make([]ir.Value, s.Count)
	f := m.NewFunc("f", m.PatternType(s.Result, ir.Type(k)))
	for n := range args {
		args[n] = f.AddParam(f.Entry, m.PatternType(s.Operands[n], ir.Type(k)))
	}
	b := ir.NewBuilder(f)
	b.Return(b.Op(o, args...))
	pass := lower.Transcendental(op.Sin, op.Cos, op.Tan, op.Asin, op.Acos, op.Atan, op.Atan2, op.Sinh, op.Cosh, op.Tanh, op.Asinh, op.Acosh,
		op.Atanh, op.Exp, op.Log, op.Pow, op.Ldexp, op.FrexpSignificand, op.FrexpExponent)
	for _, p := range append([]opt.Pass{pass}, more...) {
		p.Run(&opt.Context{List: new(diag.List)}, m)
	}
	var list diag.List
	if ir.Verify(m, &list); list.Errors() > 0 {
		t.Fatalf("%s: %v", o, list.Items())
	}
	return &machine{f: f}
}

func ulp(x float64) float64 {
	x = math.Abs(float64(float32(x)))
	return float64(math.Nextafter32(float32(x), math.MaxFloat32)) - x
}

// TestTranscendentalAccuracy compares the expansions, on exact machine functions, with float64. The
// bounds are measured errors, rounded up; WGSL's are larger. If a result may be near zero for
// operands that are not, the error is absolute.
func TestTranscendentalAccuracy(t *testing.T) {
	for _, c := range []struct {
		o         op.Op
		f         func(float64) float64
		low, high float64
		ulps      float64 // or
		absolute  float64
	}{
		{op.Sin, math.Sin, -4, 4, 0, 1e-7},
		{op.Sin, math.Sin, -1e5, 1e5, 0, 2e-7},
		{op.Cos, math.Cos, -1e4, 1e4, 0, 2e-7},
		{op.Tan, math.Tan, -1.5, 1.5, 4, 0},
		{op.Asin, math.Asin, -1, 1, 3, 0},
		{op.Asin, math.Asin, -1e-6, 1e-6, 1, 0},
		{op.Acos, math.Acos, -1, 1, 0, 5e-7},
		{op.Atan, math.Atan, -10, 10, 3, 0},
		{op.Atan, math.Atan, -1e30, 1e30, 1, 0},
		{op.Sinh, math.Sinh, -1, 1, 3, 0},
		{op.Sinh, math.Sinh, -80, 80, 100, 0},
		{op.Cosh, math.Cosh, -1, 1, 3, 0},
		{op.Cosh, math.Cosh, -80, 80, 100, 0},
		{op.Tanh, math.Tanh, -10, 10, 3, 0},
		{op.Tanh, math.Tanh, -1e-3, 1e-3, 1, 0},
		{op.Asinh, math.Asinh, -10, 10, 3, 0},
		{op.Asinh, math.Asinh, -1e30, 1e30, 3, 0},
		{op.Acosh, math.Acosh, 1, 100, 0, 1e-6},
		{op.Acosh, math.Acosh, 1, 1e30, 0, 1e-5},
		{op.Atanh, math.Atanh, -0.9, 0.9, 4, 0},
		{op.Exp, math.Exp, -1, 1, 3, 0},
		{op.Exp, math.Exp, -80, 80, 100, 0},
		{op.Log, math.Log, 0.5, 2, 0, 1e-7},
		{op.Log, math.Log, 2, 1e30, 3, 0},
	} {
		f := expanded(t, c.o, scalar.F32)
		const samples = 2000
		worst, at := 0.0, 0.0
		for n := range samples + 1 {
			x := float64(float32(c.low + (c.high-c.low)*float64(n)/samples))
			got := float64(math.Float32frombits(uint32(f.run(t, uint64(math.Float32bits(float32(x)))))))
			want := c.f(x)
			err := math.Abs(got - want)
			if c.ulps > 0 {
				err /= ulp(want)
			}
			if err > worst || err != err {
				worst, at = err, x
			}
		}
		t.Logf("%-6s [%g, %g]: %.3g at %g", c.o, c.low, c.high, worst, at)
		if limit := max(c.ulps, c.absolute); !(worst <= limit) {
			t.Errorf("%s on [%g, %g]: error %g at %g, want at most %g", c.o, c.low, c.high, worst, at, limit)
		}
	}
}

func TestTwoOperandTranscendentals(t *testing.T) {
	values := []float32{0, 1, -1, 0.5, -0.5, 3, -7.25, 1e-20, -1e-20, 1e20, -1e20, 100, 1e-3}
	atan2, pow := expanded(t, op.Atan2, scalar.F32), expanded(t, op.Pow, scalar.F32)
	for _, a := range values {
		for _, b := range values {
			bits := []uint64{uint64(math.Float32bits(a)), uint64(math.Float32bits(b))}
			got := float64(math.Float32frombits(uint32(atan2.run(t, bits...))))
			if want := math.Atan2(float64(a), float64(b)); math.Abs(got-want) > 4*ulp(want) {
				t.Errorf("atan2(%g, %g) is %g, want %g", a, b, got, want)
			}
			if r := math.Abs(math.Log2(float64(a)) * float64(b)); a <= 0 || r > 100 {
				continue
			}
			got = float64(math.Float32frombits(uint32(pow.run(t, bits...))))
			want := math.Pow(float64(a), float64(b))
			// exp2(y·log2 x): relative error of the product, times ln 2
			if bound := (3 + 2*math.Abs(float64(b)*math.Log2(float64(a)))) * ulp(want); math.Abs(got-want) > bound {
				t.Errorf("pow(%g, %g) is %g, want %g within %g", a, b, got, want, bound)
			}
		}
	}
}

// byReciprocal divides like machines that multiply by a reciprocal and have no subnormal values.
func byReciprocal(a, b float32) float32 {
	flushed := func(x float32) float32 {
		if math.Abs(float64(x)) < 0x1p-126 {
			return float32(math.Copysign(0, float64(x)))
		}
		return x
	}
	return flushed(flushed(a) * flushed(1/flushed(b)))
}

// TestAngleByReciprocals checks atan2 on machines that divide by reciprocals. It is accurate for
// normal y, and for x whose quotients have a bound (WGSL §15.7.4.1). For all other values it is an
// angle.
func TestAngleByReciprocals(t *testing.T) {
	f := expanded(t, op.Atan2, scalar.F32)
	f.divide = byReciprocal
	values := []float32{0x1p-126, 0x1p-125, 1, 3, 0x1p125, 0x1p126, 0x1.8p126, 0x1p127, math.MaxFloat32}
	signs := []float32{1, -1}
	for _, y := range values {
		for _, x := range values {
			for n := range 4 {
				y, x := y*signs[n&1], x*signs[n>>1]
				got := float64(math.Float32frombits(uint32(f.run(t, uint64(math.Float32bits(y)), uint64(math.Float32bits(x))))))
				want := math.Atan2(float64(y), float64(x))
				bound := max(4096*ulp(want), 0x1p-126) // or it is flushed
				if math.Abs(float64(x)) <= 0x1p126 && math.Abs(got-want) > bound {
					t.Errorf("atan2(%g, %g) is %g, want %g", y, x, got, want)
				}
			}
		}
	}
	for _, y := range []float32{0, 1e-45, -1e-45, 1e-39} {
		for _, x := range []float32{0, 1e-45, -1e-39} {
			got := float64(math.Float32frombits(uint32(f.run(t, uint64(math.Float32bits(y)), uint64(math.Float32bits(x))))))
			if !(math.Abs(got) <= math.Pi+1e-6) {
				t.Errorf("atan2(%g, %g) is %g, which is no angle", y, x, got)
			}
		}
	}
}

// TestTranscendentalHalf: f16 is computed in f32, with an error of at most one unit.
func TestTranscendentalHalf(t *testing.T) {
	for _, o := range []op.Op{op.Sin, op.Tan, op.Asin, op.Atan, op.Tanh, op.Asinh, op.Exp, op.FrexpSignificand} {
		f := expanded(t, o, scalar.F16)
		for bits := uint64(0); bits < 0x3C00; bits += 97 {
			got := scalar.ToFloat64(scalar.F16, f.run(t, bits))
			want := scalar.ToFloat64(scalar.F16, eval.For(o, scalar.F16)(bits, 0, 0, 0))
			if math.Abs(got-want) > max(math.Abs(want)*0x1p-10, 0x1p-24) {
				t.Errorf("%s(%#x) is %g, want %g", o, bits, got, want)
			}
		}
	}
}
