package strict

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Operation is one operation on stored values, which are the bits of their kinds.
type Operation struct {
	Name string
	In   []scalar.Kind
	Out  scalar.Kind
	// Build makes it of IR, and Go computes it.
	Build func(b *ir.Builder, x []ir.Value) ir.Value
	Go    func(x []uint64) uint64
}

// Operations returns all operations that strict arithmetic defines.
var Operations = makeOperations()

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64 { return math.Float64frombits(x) }
func b32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func b64(x float64) uint64 { return math.Float64bits(x) }
func truth(x bool) uint64  { return map[bool]uint64{true: 1}[x] }
func odd(sum, lost float64) float64 {
	bits := math.Float64bits(sum)
	if lost == 0 || lost != lost || bits&1 == 1 || math.IsInf(sum, 0) {
		return sum
	}
	if (lost > 0) == (sum > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

// fusedOdd is x·y + z rounded to odd, where the product is exact.
func fusedOdd(x, y, z float64) float64 {
	product := float64(x * y)
	sum := float64(product + z)
	from := float64(sum - product)
	return odd(sum, float64(product-float64(sum-from))+float64(z-from))
}

func fma32(x, y, z float32) float32 { return float32(fusedOdd(float64(x), float64(y), float64(z))) }

// halfFrom and halfTo are f16 as float64, rounded to nearest even.
func halfFrom(bits uint64) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&0x3ff)
	if bits>>15&1 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * fraction * 0x1p-24
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

func halfTo(x float64) uint64 {
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	switch {
	case x != x:
		return 0x7e00
	case x >= 65520:
		return sign | 0x7c00
	case x == 0:
		return sign
	}
	_, e := math.Frexp(x)
	unit := max(e-11, -24)
	return sign | uint64(math.RoundToEven(math.Ldexp(x, -unit))) + uint64(max(unit+24, 0))<<10
}

// pick returns minimumNumber or maximumNumber of IEEE 754-2019.
func pick(x, y float64, less bool) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	case x == y:
		if math.Signbit(x) == less {
			return x
		}
		return y
	case (x < y) == less:
		return x
	}
	return y
}

// toInteger truncates and saturates to the nearest integer that both kinds can represent.
func toInteger(x, low, high float64) float64 {
	if x != x {
		return 0
	}
	return math.Trunc(min(max(x, low), high))
}

func makeOperations() (list []Operation) {
	add := func(name string, in []scalar.Kind, out scalar.Kind, build func(b *ir.Builder, x []ir.Value) ir.Value, compute func(x []uint64) uint64) {
		list = append(list, Operation{name, in, out, build, compute})
	}
	of := func(o op.Op) func(b *ir.Builder, x []ir.Value) ir.Value {
		return func(b *ir.Builder, x []ir.Value) ir.Value { return b.Op(o, x...) }
	}
	binary := []struct {
		o      op.Op
		single func(x, y float32) float32
		double func(x, y float64) float64
	}{
		{op.Add, func(x, y float32) float32 { return x + y }, func(x, y float64) float64 { return x + y }},
		{op.Sub, func(x, y float32) float32 { return x - y }, func(x, y float64) float64 { return x - y }},
		{op.Mul, func(x, y float32) float32 { return x * y }, func(x, y float64) float64 { return x * y }},
		{op.Div, func(x, y float32) float32 { return x / y }, func(x, y float64) float64 { return x / y }},
		{op.Min, func(x, y float32) float32 { return float32(pick(float64(x), float64(y), true)) }, func(x, y float64) float64 { return pick(x, y, true) }},
		{op.Max, func(x, y float32) float32 { return float32(pick(float64(x), float64(y), false)) }, func(x, y float64) float64 { return pick(x, y, false) }},
	}
	for _, r := range binary {
		add(r.o.String()+".f32", []scalar.Kind{scalar.F32, scalar.F32}, scalar.F32, of(r.o), func(x []uint64) uint64 { return b32(r.single(f32(x[0]), f32(x[1]))) })
		add(r.o.String()+".f64", []scalar.Kind{scalar.F64, scalar.F64}, scalar.F64, of(r.o), func(x []uint64) uint64 { return b64(r.double(f64(x[0]), f64(x[1]))) })
		// float64 has twice the digits and two more, so that rounding twice is right
		add(r.o.String()+".f16", []scalar.Kind{scalar.F16, scalar.F16}, scalar.F16, of(r.o), func(x []uint64) uint64 { return halfTo(r.double(halfFrom(x[0]), halfFrom(x[1]))) })
	}
	unary := []struct {
		o      op.Op
		double func(x float64) float64
	}{
		{op.Neg, func(x float64) float64 { return -x }}, {op.Abs, math.Abs}, {op.Sqrt, math.Sqrt}, {op.Floor, math.Floor}, {op.Ceil, math.Ceil},
		{op.Trunc, math.Trunc}, {op.Round, math.RoundToEven}, {op.Fract, func(x float64) float64 { return x - math.Floor(x) }},
		{op.Sign, func(x float64) float64 {
			if x > 0 || x < 0 {
				return math.Copysign(1, x)
			}
			return x
		}},
	}
	for _, r := range unary {
		add(r.o.String()+".f32", []scalar.Kind{scalar.F32}, scalar.F32, of(r.o), func(x []uint64) uint64 { return b32(float32(r.double(float64(f32(x[0]))))) })
		add(r.o.String()+".f64", []scalar.Kind{scalar.F64}, scalar.F64, of(r.o), func(x []uint64) uint64 { return b64(r.double(f64(x[0]))) })
		add(r.o.String()+".f16", []scalar.Kind{scalar.F16}, scalar.F16, of(r.o), func(x []uint64) uint64 { return halfTo(r.double(halfFrom(x[0]))) })
	}
	add("fma.f32", []scalar.Kind{scalar.F32, scalar.F32, scalar.F32}, scalar.F32, of(op.Fma), func(x []uint64) uint64 { return b32(fma32(f32(x[0]), f32(x[1]), f32(x[2]))) })
	add("fma.f64", []scalar.Kind{scalar.F64, scalar.F64, scalar.F64}, scalar.F64, of(op.Fma), func(x []uint64) uint64 { return b64(math.FMA(f64(x[0]), f64(x[1]), f64(x[2]))) })
	add("fma.f16", []scalar.Kind{scalar.F16, scalar.F16, scalar.F16}, scalar.F16, of(op.Fma), func(x []uint64) uint64 {
		return halfTo(fusedOdd(halfFrom(x[0]), halfFrom(x[1]), halfFrom(x[2])))
	})
	add("reciprocal.f32", []scalar.Kind{scalar.F32}, scalar.F32, func(b *ir.Builder, x []ir.Value) ir.Value {
		return b.Op(op.Div, b.F.Module.ConstFloat(ir.F32, 1), x[0])
	}, func(x []uint64) uint64 { return b32(1 / f32(x[0])) })
	comparisons := []struct {
		o op.Op
		f func(x, y float64) bool
	}{
		{op.Eq, func(x, y float64) bool { return x == y }}, {op.Ne, func(x, y float64) bool { return x != y }},
		{op.Lt, func(x, y float64) bool { return x < y }}, {op.Le, func(x, y float64) bool { return x <= y }},
		{op.Gt, func(x, y float64) bool { return x > y }}, {op.Ge, func(x, y float64) bool { return x >= y }},
	}
	for _, r := range comparisons {
		add(r.o.String()+".f32", []scalar.Kind{scalar.F32, scalar.F32}, scalar.Bool, of(r.o), func(x []uint64) uint64 { return truth(r.f(float64(f32(x[0])), float64(f32(x[1])))) })
		add(r.o.String()+".f64", []scalar.Kind{scalar.F64, scalar.F64}, scalar.Bool, of(r.o), func(x []uint64) uint64 { return truth(r.f(f64(x[0]), f64(x[1]))) })
		add(r.o.String()+".f16", []scalar.Kind{scalar.F16, scalar.F16}, scalar.Bool, of(r.o), func(x []uint64) uint64 { return truth(r.f(halfFrom(x[0]), halfFrom(x[1]))) })
	}
	for _, k := range []scalar.Kind{scalar.F32, scalar.F64} {
		add("select."+k.String(), []scalar.Kind{scalar.Bool, k, k}, k, of(op.Select), func(x []uint64) uint64 {
			if x[0] != 0 {
				return x[1]
			}
			return x[2]
		})
	}
	return append(list, conversions()...)
}

// conversions returns the conversions between floats, and between floats and integers.
func conversions() (list []Operation) {
	number := map[scalar.Kind]func(uint64) float64{
		scalar.F32: func(x uint64) float64 { return float64(f32(x)) }, scalar.F64: f64, scalar.F16: halfFrom,
	}
	add := func(from, to scalar.Kind, compute func(x uint64) uint64) {
		list = append(list, Operation{"convert." + from.String() + "." + to.String(), []scalar.Kind{from}, to,
			func(b *ir.Builder, x []ir.Value) ir.Value { return b.Convert(to, x[0]) }, func(x []uint64) uint64 { return compute(x[0]) }})
	}
	for _, from := range []scalar.Kind{scalar.F32, scalar.F64, scalar.F16} {
		value := number[from]
		add(from, scalar.Bool, func(x uint64) uint64 { return truth(value(x) != 0) })
		// the greatest integers that the format has
		most := map[scalar.Kind][4]float64{
			scalar.F32: {0x1.fffffep30, 0x1.fffffep31, 0x1.fffffep62, 0x1.fffffep63},
			scalar.F64: {0x1p31 - 1, 0x1p32 - 1, 0x1.fffffffffffffp62, 0x1.fffffffffffffp63},
			scalar.F16: {65504, 65504, 65504, 65504},
		}[from]
		least := func(x float64) float64 {
			if from == scalar.F16 {
				return max(x, -65504)
			}
			return x
		}
		add(from, scalar.I32, func(x uint64) uint64 { return uint64(uint32(int32(toInteger(value(x), least(-0x1p31), most[0])))) })
		add(from, scalar.U32, func(x uint64) uint64 { return uint64(uint32(toInteger(value(x), 0, most[1]))) })
		if from == scalar.F16 {
			continue
		}
		add(from, scalar.I64, func(x uint64) uint64 { return uint64(int64(toInteger(value(x), -0x1p63, most[2]))) })
		add(from, scalar.U64, func(x uint64) uint64 { return uint64(toInteger(value(x), 0, most[3])) })
	}
	add(scalar.F32, scalar.F64, func(x uint64) uint64 { return b64(float64(f32(x))) })
	add(scalar.F64, scalar.F32, func(x uint64) uint64 { return b32(float32(f64(x))) })
	add(scalar.F32, scalar.F16, func(x uint64) uint64 { return halfTo(float64(f32(x))) })
	add(scalar.F16, scalar.F32, func(x uint64) uint64 { return b32(float32(halfFrom(x))) })
	add(scalar.I32, scalar.F32, func(x uint64) uint64 { return b32(float32(int32(x))) })
	add(scalar.U32, scalar.F32, func(x uint64) uint64 { return b32(float32(uint32(x))) })
	add(scalar.I64, scalar.F32, func(x uint64) uint64 { return b32(float32(int64(x))) })
	add(scalar.U64, scalar.F32, func(x uint64) uint64 { return b32(float32(x)) })
	add(scalar.I32, scalar.F64, func(x uint64) uint64 { return b64(float64(int32(x))) })
	add(scalar.U32, scalar.F64, func(x uint64) uint64 { return b64(float64(uint32(x))) })
	add(scalar.I64, scalar.F64, func(x uint64) uint64 { return b64(float64(int64(x))) })
	add(scalar.U64, scalar.F64, func(x uint64) uint64 { return b64(float64(x)) })
	add(scalar.I32, scalar.F16, func(x uint64) uint64 { return halfTo(float64(int32(x))) })
	list = append(list, Operation{"quantize_f16", []scalar.Kind{scalar.F32}, scalar.F32,
		func(b *ir.Builder, x []ir.Value) ir.Value { return b.Op(op.QuantizeF16, x[0]) },
		func(x []uint64) uint64 { return b32(float32(halfFrom(halfTo(float64(f32(x[0])))))) }},
		Operation{"pack2x16float", []scalar.Kind{scalar.F32, scalar.F32}, scalar.F32,
			func(b *ir.Builder, x []ir.Value) ir.Value {
				pair := b.Construct(b.F.Module.VectorOf(ir.F32, 2), x...)
				return b.Extract(b.Op(op.Unpack2x16Float, b.Op(op.Pack2x16Float, pair)), 1)
			},
			func(x []uint64) uint64 { return b32(float32(halfFrom(halfTo(float64(f32(x[1])))))) }})
	return list
}
