package ptx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// TestResults runs every operation on every kind on the emulator, on random values and boundary
// values. It compares the results with the evaluator's.
func TestResults(t *testing.T) {
	for k := scalar.Bool; k <= scalar.U64; k++ {
		for _, mode := range []opt.Math{opt.MathWGSL, opt.MathStrict} {
			t.Run(fmt.Sprintf("%s %d", k, mode), func(t *testing.T) {
				t.Parallel()
				x := newBench(true)
				x.regular(k, new([op.Count]bool))
				x.conversions(k)
				a := x.compile(t, mode)
				p, err := read(string(a.Code))
				if err != nil {
					t.Fatalf("%v\n%s", err, numbered(string(a.Code)))
				}
				random := rand.New(rand.NewPCG(uint64(k), 7))
				for range 12 {
					x.round(t, p, mode, random)
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// round executes a bench's kernel once.
func (x *bench) round(t *testing.T, p *program, mode opt.Math, random *rand.Rand) {
	t.Helper()
	buffers := make([][]byte, len(x.types))
	lengths := make([]int64, len(x.types))
	bufferOf := map[ir.Type]int{}
	for n, kind := range x.types {
		bufferOf[kind] = n
		buffers[n] = make([]byte, int(x.m.Stride(x.m.ArrayOf(kind, 0)))*int(x.next+1))
		lengths[n] = int64(x.next + 1)
		x.fill(buffers[n], kind, random)
	}
	before := make([][]byte, len(buffers))
	for n := range buffers {
		before[n] = append([]byte(nil), buffers[n]...)
	}
	if err := p.launch("main", [3]uint32{1, 1, 1}, buffers, lengths, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range x.records {
		var args []ir.Value
		for n, at := range r.args {
			v := x.decode(at.t, before[bufferOf[at.t]][int(x.m.Stride(x.m.ArrayOf(at.t, 0)))*int(at.index):])
			if r.consts != nil && r.consts[n] != 0 {
				v = r.consts[n]
			}
			args = append(args, v)
		}
		want, ok := x.m.Fold(r.o, r.result.t, 0, args)
		if !ok || x.beyond(r.o, args, mode) {
			continue // subgroup operations; operands for which WGSL allows anything
		}
		got := x.decode(r.result.t, buffers[bufferOf[r.result.t]][int(x.m.Stride(x.m.ArrayOf(r.result.t, 0)))*int(r.result.index):])
		if !x.close(r, want, got, mode) && !(flushing.Has(r.o) && mode != opt.MathStrict && x.close(r, x.flushed(r, args), got, mode)) {
			text := ""
			for _, a := range args {
				text += " " + x.m.ValueString(a)
			}
			t.Errorf("%s%s: %s is %s, want %s", r.o, text, x.m.TypeString(r.result.t), x.m.ValueString(got), x.m.ValueString(want))
		}
	}
}

// flushing are the operations that may take subnormal numbers of f32 for zeros (WGSL
// §15.7.2) and do, but for the strict mode.
var flushing = op.SetOf(op.Div, op.Sqrt, op.InverseSqrt, op.Sin, op.Cos, op.Tan, op.Asinh, op.Acosh, op.Atan2,
	op.Exp, op.Exp2, op.Log, op.Log2, op.Pow)

// flushed is what an operation makes of operands whose subnormal numbers are zeros.
func (x *bench) flushed(r record, args []ir.Value) ir.Value {
	zeros := make([]ir.Value, len(args))
	for n, a := range args {
		zeros[n] = x.flush(a)
	}
	v, _ := x.m.Fold(r.o, r.result.t, 0, zeros)
	return v
}

func (x *bench) flush(v ir.Value) ir.Value {
	t := x.m.TypeOf(v)
	if !x.m.IsVector(t) {
		if bits := x.m.ConstBits(v); t == ir.F32 && bits>>23&0xFF == 0 {
			return x.m.ConstScalar(t, bits&(1<<31))
		}
		return v
	}
	var parts [4]ir.Value
	n := x.m.Components(t)
	for c := range n {
		parts[c] = x.flush(x.m.ConstPart(v, uint32(c)))
	}
	return x.m.ConstComposite(t, parts[:n])
}

// boundaryValues are bit patterns that operations treat separately.
var boundaryValues = map[scalar.Kind][]uint64{
	scalar.Bool: {0, 1},
	scalar.I32:  {0, 1, 1<<32 - 1, 1 << 31, 1<<31 - 1, 31, 32, 33, 255},
	scalar.U32:  {0, 1, 1<<32 - 1, 1 << 31, 1<<31 - 1, 31, 32, 33, 255},
	scalar.I64:  {0, 1, 1<<64 - 1, 1 << 63, 1<<63 - 1, 63, 64, 1 << 32},
	scalar.U64:  {0, 1, 1<<64 - 1, 1 << 63, 1<<63 - 1, 63, 64, 1 << 32},
	scalar.F32:  {0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 0x7F000000, 0x7F400000, 1, 0x00800000, 0x3F000000},
	scalar.F16:  {0, 1 << 15, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x7BFF, 1, 0x0400, 0x3800},
}

// fill writes random scalars: boundary values, integers of all sizes, floats around one.
func (x *bench) fill(b []byte, t ir.Type, random *rand.Rand) {
	k := x.m.ScalarOf(t)
	width := k.Bytes()
	for at := 0; at+width <= len(b); at += width {
		var v uint64
		switch {
		case random.IntN(4) == 0:
			v = boundaryValues[k][random.IntN(len(boundaryValues[k]))]
		case k == scalar.Bool:
			v = random.Uint64() & 1
		case k.IsFloat():
			v = scalar.FromFloat64(k, (random.Float64()-0.5)*math.Ldexp(1, random.IntN(12)))
		default:
			v = random.Uint64() >> random.IntN(64) & k.Mask()
		}
		store(b[at:at+width], v)
	}
}

// decode reads a value as memory holds it.
func (x *bench) decode(t ir.Type, b []byte) ir.Value {
	if x.m.IsScalar(t) {
		bits := load(b[:scalar.Kind(t).Bytes()])
		if t == ir.Bool && bits != 0 {
			bits = 1
		}
		return x.m.ConstScalar(t, bits)
	}
	var parts [4]ir.Value
	n := x.m.Components(t)
	for k := range n {
		parts[k] = x.decode(x.m.Element(t), b[x.m.PartOffset(t, uint32(k)):])
	}
	return x.m.ConstComposite(t, parts[:n])
}

// close compares results: bits where the operation determines them, else within
// bounds that are WGSL's or narrower (WGSL §15.7.4).
func (x *bench) close(r record, want, got ir.Value, mode opt.Math) bool {
	if want == got {
		return true
	}
	k := x.m.ScalarOf(r.result.t)
	if !k.IsFloat() {
		return false
	}
	n := x.m.Components(r.result.t)
	for c := range n {
		a, b := want, got
		if n > 1 {
			a, b = x.m.ConstPart(want, uint32(c)), x.m.ConstPart(got, uint32(c))
		}
		if !near(r.o, k, x.m.ConstBits(a), x.m.ConstBits(b), mode) {
			return false
		}
	}
	return true
}

// beyond reports whether an operand is one for which no digit of the result need be right. It may
// be an angle larger than what sine and cosine resolve, or a remainder whose quotient has more
// digits than the kind. Outside of strict mode, it may be a divisor that WGSL has no bound for.
func (x *bench) beyond(o op.Op, args []ir.Value, mode opt.Math) bool {
	t := x.m.TypeOf(args[0])
	k := x.m.ScalarOf(t)
	if !k.IsFloat() {
		return false
	}
	component := func(v ir.Value, c int) float64 {
		if x.m.IsVector(t) {
			v = x.m.ConstPart(v, uint32(c))
		}
		return scalar.ToFloat64(k, x.m.ConstBits(v))
	}
	for c := range x.m.Components(t) {
		switch a := component(args[0], c); o {
		case op.Sin, op.Cos, op.Tan:
			if math.Abs(a) > 1e5 {
				return true
			}
		case op.Rem:
			b := component(args[1], c)
			if math.IsInf(b, 0) || math.Abs(a) > 0x1p20*math.Abs(b) {
				return true
			}
		case op.Div:
			b := math.Abs(component(args[1], c))
			if mode != opt.MathStrict && (b < 0x1p-126 || b > 0x1p126) && !math.IsInf(b, 0) && b != 0 {
				return true
			}
		}
	}
	return false
}

// relative are the operations whose result is approximate, with the relative
// error that is allowed.
var relative = map[op.Op]float64{
	op.Div: 0x1p-21, op.Rem: 0x1p-18, op.Sqrt: 0x1p-21, op.InverseSqrt: 0x1p-21, op.Sin: 0x1p-11, op.Cos: 0x1p-11, op.Tan: 0x1p-8,
	op.Asin: 0x1p-18, op.Acos: 0x1p-13, op.Atan: 0x1p-18, op.Atan2: 0x1p-18, op.Sinh: 0x1p-14, op.Cosh: 0x1p-14, op.Tanh: 0x1p-18,
	op.Asinh: 0x1p-18, op.Acosh: 0x1p-12, op.Atanh: 0x1p-14, op.Exp: 0x1p-14, op.Exp2: 0x1p-14, op.Log: 0x1p-18, op.Log2: 0x1p-18,
	op.Pow: 0x1p-10, op.Unpack4x8Snorm: 0x1p-22, op.Unpack4x8Unorm: 0x1p-22, op.Unpack2x16Snorm: 0x1p-22, op.Unpack2x16Unorm: 0x1p-22,
	op.Dot: 0x1p-10,
}

func near(o op.Op, k scalar.Kind, want, got uint64, mode opt.Math) bool {
	a, b := scalar.ToFloat64(k, want), scalar.ToFloat64(k, got)
	switch {
	case a != a && b != b || a == b: // the sign of zero is free
		return true
	case (o == op.Min || o == op.Max || o == op.Clamp || o == op.Sign) && (a != a || b != b):
		return true // of a number and a NaN, either; NaN has no sign
	case o == op.Div && mode == opt.MathStrict && k == scalar.F32, relative[o] == 0:
		return false
	case math.IsNaN(a), math.IsInf(a, 0):
		return true // outside of the domain WGSL promises nothing
	}
	bound := relative[o] * max(math.Abs(a), 0x1p-3)
	if k == scalar.F16 {
		bound = max(bound, math.Abs(a)*0x1p-9)
	}
	return math.Abs(a-b) <= bound
}
