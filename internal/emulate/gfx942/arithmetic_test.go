package gfx942

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Tests of single operations of LLVM IR, compiled by LLVM, against Go's arithmetic. gpuc does not
// emit all of them.

// operation is an operation of LLVM IR on values of a type.
type operation struct {
	name, in, out string // the types
	body          string // of %a, %b and %c to %r
	kind          kind   // of the values that are drawn
	want          func(a, b, c uint64) uint64
	// of operations that move %a between lanes: from which one, or -1 where it is %b
	from func(lane int) int
	// the operands are those of the first lane, so that scalar instructions can do it
	uniform bool
}

// intrinsicOf returns an operation that calls an intrinsic.
func intrinsicOf(name, t string, k kind, arguments int, want func(a, b, c uint64) uint64) operation {
	names := [...]string{"%a", "%b", "%c"}
	list := make([]string, arguments)
	for n := range list {
		list[n] = t + " " + names[n]
	}
	suffix := map[string]string{"float": "f32", "double": "f64", "half": "f16", "<2 x half>": "v2f16", "<2 x i16>": "v2i16"}[t]
	if suffix == "" {
		suffix = t
	}
	return operation{name: name, in: t, out: t, body: fmt.Sprintf("%%r = call %s @llvm.%s.%s(%s)", t, name, suffix, strings.Join(list, ", ")), kind: k, want: want}
}

// binaryOf returns a binary operation.
func binaryOf(name, t string, k kind, want func(a, b, c uint64) uint64) operation {
	return operation{name: name, in: t, out: t, body: fmt.Sprintf("%%r = %s %s %%a, %%b", name, t), kind: k, want: want}
}

func f32s(f func(a, b, c float32) float32) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 { return singleBits(f(single(a), single(b), single(c))) }
}

func f64s(f func(a, b, c float64) float64) func(a, b, c uint64) uint64 {
	d := math.Float64frombits
	return func(a, b, c uint64) uint64 { return math.Float64bits(f(d(a), d(b), d(c))) }
}

// f16s computes in float64, in which the result is exact for sums and products.
func f16s(f func(a, b, c float64) float64) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		return halfBits(f(halfValue(a&0xFFFF), halfValue(b&0xFFFF), halfValue(c&0xFFFF)))
	}
}

// both applies a function to both halves.
func both(f func(a, b, c uint64) uint64) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		return f(a&0xFFFF, b&0xFFFF, c&0xFFFF)&0xFFFF | f(a>>16&0xFFFF, b>>16&0xFFFF, c>>16&0xFFFF)&0xFFFF<<16
	}
}

// exactSum returns a·b + c rounded once to a precision, computed with big.Float.
func exactSum(a, b, c float64, precision uint) float64 {
	for _, x := range []float64{a, b, c} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return a*b + c
		}
	}
	product := new(big.Float).SetPrec(2000).Mul(big.NewFloat(a), big.NewFloat(b))
	sum := new(big.Float).SetPrec(4000).Add(product, big.NewFloat(c))
	if sum.Sign() == 0 {
		return a*b + c
	}
	if precision == 24 {
		f, _ := sum.Float32()
		return float64(f)
	}
	f, _ := sum.Float64()
	return f
}

// minNumber and maxNumber ignore NaN, and order -0 before 0.
func minNumber(a, b, _ float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		if math.IsNaN(a) {
			return b
		}
		return a
	}
	return math.Min(a, b)
}

func maxNumber(a, b, _ float64) float64 { return -minNumber(-a, -b, 0) }

func boolean(b bool) uint64 { return truth(b) }

// operations are the tested operations. They avoid divisions by zero and shifts by the width, which
// are undefined in LLVM.
func operations() []operation {
	list := []operation{
		// divisions take all of v_div_scale, v_div_fmas and v_div_fixup, and must be exact
		binaryOf("fdiv", "float", f32, f32s(func(a, b, _ float32) float32 { return a / b })),
		binaryOf("fdiv", "double", f64, f64s(func(a, b, _ float64) float64 { return a / b })),
		binaryOf("fdiv", "half", f16, f16s(func(a, b, _ float64) float64 { return a / b })),
		binaryOf("fadd", "float", f32, f32s(func(a, b, _ float32) float32 { return a + b })),
		binaryOf("fmul", "float", f32, f32s(func(a, b, _ float32) float32 { return a * b })),
		binaryOf("fadd", "double", f64, f64s(func(a, b, _ float64) float64 { return a + b })),
		binaryOf("fsub", "double", f64, f64s(func(a, b, _ float64) float64 { return a - b })),
		binaryOf("fmul", "double", f64, f64s(func(a, b, _ float64) float64 { return a * b })),
		binaryOf("fadd", "half", f16, f16s(func(a, b, _ float64) float64 { return a + b })),
		binaryOf("fmul", "half", f16, f16s(func(a, b, _ float64) float64 { return a * b })),
		binaryOf("fadd", "<2 x half>", p16, both(f16s(func(a, b, _ float64) float64 { return a + b }))),
		binaryOf("fsub", "<2 x half>", p16, both(f16s(func(a, b, _ float64) float64 { return a - b }))),
		binaryOf("fmul", "<2 x half>", p16, both(f16s(func(a, b, _ float64) float64 { return a * b }))),
		intrinsicOf("fma", "float", f32, 3, f32s(func(a, b, c float32) float32 {
			return float32(exactSum(float64(a), float64(b), float64(c), 24))
		})),
		intrinsicOf("fma", "double", f64, 3, f64s(func(a, b, c float64) float64 { return exactSum(a, b, c, 53) })),
		// 64 bits round the sum, but not so that 11 see it, in what is drawn
		intrinsicOf("fma", "half", f16, 3, f16s(math.FMA)),
		intrinsicOf("fma", "<2 x half>", p16, 3, both(f16s(math.FMA))),
		intrinsicOf("sqrt", "double", f64, 1, f64s(func(a, _, _ float64) float64 { return math.Sqrt(a) })),
		intrinsicOf("floor", "double", f64, 1, f64s(func(a, _, _ float64) float64 { return math.Floor(a) })),
		intrinsicOf("ceil", "double", f64, 1, f64s(func(a, _, _ float64) float64 { return math.Ceil(a) })),
		intrinsicOf("trunc", "double", f64, 1, f64s(func(a, _, _ float64) float64 { return math.Trunc(a) })),
		intrinsicOf("rint", "double", f64, 1, f64s(func(a, _, _ float64) float64 { return math.RoundToEven(a) })),
		intrinsicOf("floor", "half", f16, 1, f16s(func(a, _, _ float64) float64 { return math.Floor(a) })),
		intrinsicOf("ceil", "half", f16, 1, f16s(func(a, _, _ float64) float64 { return math.Ceil(a) })),
		intrinsicOf("rint", "half", f16, 1, f16s(func(a, _, _ float64) float64 { return math.RoundToEven(a) })),
		intrinsicOf("canonicalize", "float", f32, 1, func(a, _, _ uint64) uint64 { return a & 0xFFFFFFFF }),
		binaryOf("mul", "i64", b64, func(a, b, _ uint64) uint64 { return a * b }),
		binaryOf("add", "i64", b64, func(a, b, _ uint64) uint64 { return a + b }),
		binaryOf("sub", "i64", b64, func(a, b, _ uint64) uint64 { return a - b }),
		binaryOf("xor", "i64", b64, func(a, b, _ uint64) uint64 { return a ^ b }),
		intrinsicOf("umin", "i64", b64, 2, func(a, b, _ uint64) uint64 { return min(a, b) }),
		intrinsicOf("smax", "i64", b64, 2, func(a, b, _ uint64) uint64 { return uint64(max(int64(a), int64(b))) }),
		intrinsicOf("ctpop", "i64", b64, 1, func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }),
		intrinsicOf("bitreverse", "i64", b64, 1, func(a, _, _ uint64) uint64 { return bits.Reverse64(a) }),
		intrinsicOf("bswap", "i32", b32, 1, func(a, _, _ uint64) uint64 { return uint64(bits.ReverseBytes32(uint32(a))) }),
		intrinsicOf("fshl", "i32", b32, 3, func(a, b, c uint64) uint64 {
			return uint64(uint32((a<<32 | b&0xFFFFFFFF) << (c & 31) >> 32))
		}),
		intrinsicOf("umax", "i16", b16, 2, func(a, b, _ uint64) uint64 { return max(a&0xFFFF, b&0xFFFF) }),
		binaryOf("mul", "i16", b16, func(a, b, _ uint64) uint64 { return a * b & 0xFFFF }),
		binaryOf("add", "<2 x i16>", b32, both(func(a, b, _ uint64) uint64 { return a + b })),
		binaryOf("sub", "<2 x i16>", b32, both(func(a, b, _ uint64) uint64 { return a - b })),
		binaryOf("mul", "<2 x i16>", b32, both(func(a, b, _ uint64) uint64 { return a * b })),
		intrinsicOf("smax", "<2 x i16>", b32, 2, both(func(a, b, _ uint64) uint64 { return uint64(max(int16(a), int16(b))) })),
		intrinsicOf("umin", "<2 x i16>", b32, 2, both(func(a, b, _ uint64) uint64 { return min(a, b) })),
		intrinsicOf("sqrt", "half", f16, 1, f16s(func(a, _, _ float64) float64 { return math.Sqrt(a) })),
		intrinsicOf("minnum", "double", f64, 2, f64s(minNumber)),
		intrinsicOf("maxnum", "double", f64, 2, f64s(maxNumber)),
		intrinsicOf("minnum", "<2 x half>", p16, 2, both(f16s(minNumber))),
		intrinsicOf("maxnum", "<2 x half>", p16, 2, both(f16s(maxNumber))),
		intrinsicOf("smin", "i16", b16, 2, func(a, b, _ uint64) uint64 { return uint64(min(int16(a), int16(b))) }),
		intrinsicOf("smax", "i16", b16, 2, func(a, b, _ uint64) uint64 { return uint64(max(int16(a), int16(b))) }),
		intrinsicOf("umin", "i16", b16, 2, func(a, b, _ uint64) uint64 { return min(a&0xFFFF, b&0xFFFF) }),
		intrinsicOf("smin", "<2 x i16>", b32, 2, both(func(a, b, _ uint64) uint64 { return uint64(min(int16(a), int16(b))) })),
		intrinsicOf("umax", "<2 x i16>", b32, 2, both(func(a, b, _ uint64) uint64 { return max(a, b) })),
		{name: "abs", in: "i32", out: "i32", body: "%r = call i32 @llvm.abs.i32(i32 %a, i1 false)", kind: b32, want: func(a, _, _ uint64) uint64 {
			return uint64(max(int32(a), -int32(a)))
		}},
		intrinsicOf("bitreverse", "i32", b32, 1, func(a, _, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }),
		binaryOf("mul", "i32", b32, func(a, b, _ uint64) uint64 { return a * b }),
		binaryOf("and", "i64", b64, func(a, b, _ uint64) uint64 { return a & b }),
		binaryOf("or", "i64", b64, func(a, b, _ uint64) uint64 { return a | b }),
		{name: "nor", in: "i64", out: "i64", body: "%d = or i64 %a, %b\n  %r = xor i64 %d, -1", kind: b64, want: func(a, b, _ uint64) uint64 { return ^(a | b) }},
		{name: "nand", in: "i64", out: "i64", body: "%d = and i64 %a, %b\n  %r = xor i64 %d, -1", kind: b64, want: func(a, b, _ uint64) uint64 { return ^(a & b) }},
		{name: "xnor", in: "i64", out: "i64", body: "%d = xor i64 %a, %b\n  %r = xor i64 %d, -1", kind: b64, want: func(a, b, _ uint64) uint64 { return ^(a ^ b) }},
		{name: "andn", in: "i64", out: "i64", body: "%d = xor i64 %b, -1\n  %r = and i64 %a, %d", kind: b64, want: func(a, b, _ uint64) uint64 { return a &^ b }},
		{name: "field", in: "i64", out: "i64", body: "%d = lshr i64 %a, 11\n  %r = and i64 %d, 1048575", kind: b64, want: func(a, _, _ uint64) uint64 { return a >> 11 & (1<<20 - 1) }},
		{name: "signed field", in: "i64", out: "i64", body: "%d = shl i64 %a, 13\n  %r = ashr i64 %d, 40", kind: b64, want: func(a, _, _ uint64) uint64 { return uint64(int64(a<<13) >> 40) }},
		{name: "bits", in: "i32", out: "i32", body: "%w = and i32 %a, 31\n  %k = shl i32 1, %w\n  %m = sub i32 %k, 1\n  %q = and i32 %b, 31\n  %r = shl i32 %m, %q", kind: b32,
			want: func(a, b, _ uint64) uint64 { return (1<<(a&31) - 1) << (b & 31) }},
		{name: "sum of a shifted number", in: "i32", out: "i32", body: "%d = shl i32 %a, 3\n  %r = add i32 %d, %b", kind: b32, want: func(a, b, _ uint64) uint64 { return a<<3 + b }},
		{name: "halves of words", in: "i32", out: "i32", body: "%d = lshr i32 %a, 16\n  %e = and i32 %b, -65536\n  %r = or i32 %d, %e", kind: b32,
			want: func(a, b, _ uint64) uint64 { return a&0xFFFFFFFF>>16 | b&0xFFFF0000 }},
		{name: "sign of a byte", in: "i32", out: "i32", body: "%d = shl i32 %a, 24\n  %r = ashr i32 %d, 24", kind: b32, want: func(a, _, _ uint64) uint64 { return uint64(int8(a)) }},
		{name: "bit of a number", in: "i64", out: "i64", body: "%k = and i64 %b, 63\n  %d = lshr i64 %a, %k\n  %e = and i64 %d, 1\n  %t = icmp eq i64 %e, 0\n  %r = select i1 %t, i64 %b, i64 %c", kind: b64,
			want: func(a, b, c uint64) uint64 {
				if a>>(b&63)&1 == 0 {
					return b
				}
				return c
			}},
		{name: "ashr", in: "i16", out: "i16", body: "%d = and i16 %b, 15\n  %r = ashr i16 %a, %d", kind: b16, want: func(a, b, _ uint64) uint64 { return uint64(int16(a) >> (b & 15)) }},
		{name: "ashr", in: "<2 x i16>", out: "<2 x i16>", body: "%d = and <2 x i16> %b, <i16 15, i16 15>\n  %r = ashr <2 x i16> %a, %d", kind: b32,
			want: both(func(a, b, _ uint64) uint64 { return uint64(int16(a) >> (b & 15)) })},
		{name: "shl", in: "<2 x i16>", out: "<2 x i16>", body: "%d = and <2 x i16> %b, <i16 15, i16 15>\n  %r = shl <2 x i16> %a, %d", kind: b32,
			want: both(func(a, b, _ uint64) uint64 { return a << (b & 15) })},
		{name: "uitofp", in: "i16", out: "half", body: "%r = uitofp i16 %a to half", kind: b16, want: func(a, _, _ uint64) uint64 { return exactHalf(float64(uint16(a))) }},
		{name: "sitofp", in: "i16", out: "half", body: "%r = sitofp i16 %a to half", kind: b16, want: func(a, _, _ uint64) uint64 { return exactHalf(float64(int16(a))) }},
		{name: "significand", in: "double", out: "double", body: "%t = call {double, i32} @llvm.frexp.f64.i32(double %a)\n  %r = extractvalue {double, i32} %t, 0", kind: f64,
			want: f64s(func(a, _, _ float64) float64 { f, _ := math.Frexp(a); return f })},
		{name: "exponent", in: "half", out: "i32", body: "%t = call {half, i32} @llvm.frexp.f16.i32(half %a)\n  %r = extractvalue {half, i32} %t, 1", kind: f16,
			want: func(a, _, _ uint64) uint64 {
				f := halfValue(a & 0xFFFF)
				_, n := math.Frexp(f)
				if math.IsInf(f, 0) || math.IsNaN(f) {
					return 0
				}
				return uint64(uint32(n))
			}},
		{name: "icmp", in: "i16", out: "i32", body: "%t = icmp sge i16 %a, %b\n  %r = zext i1 %t to i32", kind: b16, want: func(a, b, _ uint64) uint64 { return boolean(int16(a) >= int16(b)) }},
		{name: "icmp", in: "i64", out: "i32", body: "%t = icmp sle i64 %a, %b\n  %r = zext i1 %t to i32", kind: b64, want: func(a, b, _ uint64) uint64 { return boolean(int64(a) <= int64(b)) }},
		{name: "udiv", in: "i64", out: "i64", body: "%d = or i64 %b, 1\n  %r = udiv i64 %a, %d", kind: b64, want: func(a, b, _ uint64) uint64 { return a / (b | 1) }},
		{name: "srem", in: "i64", out: "i64", body: "%d = or i64 %b, 4096\n  %e = and i64 %d, 9223372036854775807\n  %r = srem i64 %a, %e", kind: b64,
			want: func(a, b, _ uint64) uint64 { return uint64(int64(a) % int64((b|4096)&math.MaxInt64)) }},
		{name: "sdiv", in: "i32", out: "i32", body: "%d = and i32 %b, 65535\n  %e = or i32 %d, 1\n  %r = sdiv i32 %a, %e", kind: b32,
			want: func(a, b, _ uint64) uint64 { return uint64(uint32(int32(a) / int32(b&0xFFFF|1))) }},
		{name: "shl", in: "i64", out: "i64", body: "%d = and i64 %b, 63\n  %r = shl i64 %a, %d", kind: b64, want: func(a, b, _ uint64) uint64 { return a << (b & 63) }},
		{name: "ashr", in: "i64", out: "i64", body: "%d = and i64 %b, 63\n  %r = ashr i64 %a, %d", kind: b64, want: func(a, b, _ uint64) uint64 { return uint64(int64(a) >> (b & 63)) }},
		{name: "lshr", in: "<2 x i16>", out: "<2 x i16>", body: "%d = and <2 x i16> %b, <i16 15, i16 15>\n  %r = lshr <2 x i16> %a, %d", kind: b32,
			want: both(func(a, b, _ uint64) uint64 { return a >> (b & 15) })},
		{name: "ctlz", in: "i64", out: "i64", body: "%r = call i64 @llvm.ctlz.i64(i64 %a, i1 false)", kind: b64, want: func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(a)) }},
		{name: "cttz", in: "i32", out: "i32", body: "%r = call i32 @llvm.cttz.i32(i32 %a, i1 false)", kind: b32,
			want: func(a, _, _ uint64) uint64 { return uint64(bits.TrailingZeros32(uint32(a))) }},
		{name: "smulh", in: "i32", out: "i32", body: "%d = sext i32 %a to i64\n  %e = sext i32 %b to i64\n  %m = mul i64 %d, %e\n  %h = lshr i64 %m, 32\n  %r = trunc i64 %h to i32", kind: b32,
			want: func(a, b, _ uint64) uint64 { return uint64(uint32(int64(int32(a)) * int64(int32(b)) >> 32)) }},
		{name: "fptrunc", in: "double", out: "float", body: "%r = fptrunc double %a to float", kind: f64, want: func(a, _, _ uint64) uint64 { return singleBits(float32(math.Float64frombits(a))) }},
		{name: "fptrunc", in: "float", out: "half", body: "%r = fptrunc float %a to half", kind: f32, want: func(a, _, _ uint64) uint64 { return exactHalf(float64(single(a))) }},
		{name: "fpext", in: "half", out: "double", body: "%r = fpext half %a to double", kind: f16, want: func(a, _, _ uint64) uint64 { return math.Float64bits(halfValue(a & 0xFFFF)) }},
		{name: "uitofp", in: "i64", out: "double", body: "%r = uitofp i64 %a to double", kind: b64, want: func(a, _, _ uint64) uint64 { return math.Float64bits(float64(a)) }},
		{name: "sitofp", in: "i64", out: "float", body: "%r = sitofp i64 %a to float", kind: b64, want: func(a, _, _ uint64) uint64 { return singleBits(float32(int64(a))) }},
		{name: "fptosi.sat", in: "double", out: "i32", body: "%r = call i32 @llvm.fptosi.sat.i32.f64(double %a)", kind: f64,
			want: func(a, _, _ uint64) uint64 { return uint64(uint32(saturated(math.Float64frombits(a)))) }},
		{name: "ldexp", in: "double", out: "double", body: "%i = bitcast double %b to i64\n  %t = trunc i64 %i to i32\n  %s = srem i32 %t, 100\n  %r = call double @llvm.ldexp.f64.i32(double %a, i32 %s)", kind: f64,
			want: func(a, b, _ uint64) uint64 {
				return math.Float64bits(math.Ldexp(math.Float64frombits(a), int(int32(b)%100)))
			}},
	}
	for _, p := range []struct {
		name    string
		control int // as LLVM's manual has it for the modifiers of DPP
		from    func(lane int) int
	}{
		{"quad_perm:[3,1,0,2]", 3 | 1<<2 | 0<<4 | 2<<6, func(lane int) int { return lane&^3 + []int{3, 1, 0, 2}[lane&3] }},
		{"row_shl:3", 0x103, func(lane int) int { return inRow(lane, lane+3) }},
		{"row_shr:1", 0x111, func(lane int) int { return inRow(lane, lane-1) }},
		{"row_ror:5", 0x125, func(lane int) int { return lane&^15 + (lane+11)&15 }},
		{"wave_shr:1", 0x138, func(lane int) int { return lane - 1 }},
		{"row_mirror", 0x140, func(lane int) int { return lane ^ 15 }},
		{"row_half_mirror", 0x141, func(lane int) int { return lane ^ 7 }},
		{"row_bcast:15", 0x142, func(lane int) int { return lane&^15 - 1 }},
		{"row_bcast:31", 0x143, func(lane int) int { return lane/32*32 - 1 }},
	} {
		body := fmt.Sprintf("%%r = call i32 @llvm.amdgcn.update.dpp.i32(i32 %%b, i32 %%a, i32 %d, i32 15, i32 15, i1 false)", p.control)
		list = append(list, operation{name: p.name, in: "i32", out: "i32", body: body, kind: b32, from: p.from})
	}
	for _, p := range []struct {
		name  string
		holds func(a, b float64) bool
	}{
		{"olt", func(a, b float64) bool { return a < b }}, {"ule", func(a, b float64) bool { return !(a > b) }},
		{"one", func(a, b float64) bool { return a < b || a > b }}, {"ueq", func(a, b float64) bool { return !(a < b || a > b) }},
		{"ord", func(a, b float64) bool { return a == a && b == b }}, {"oge", func(a, b float64) bool { return a >= b }},
	} {
		for _, t := range []struct {
			name  string
			kind  kind
			value func(uint64) float64
		}{{"float", f32, func(x uint64) float64 { return float64(single(x)) }}, {"double", f64, math.Float64frombits},
			{"half", f16, func(x uint64) float64 { return halfValue(x & 0xFFFF) }}} {
			list = append(list, operation{name: "fcmp " + p.name, in: t.name, out: "i32", kind: t.kind,
				body: fmt.Sprintf("%%t = fcmp %s %s %%a, %%b\n  %%r = zext i1 %%t to i32", p.name, t.name),
				want: func(a, b, _ uint64) uint64 { return boolean(p.holds(t.value(a), t.value(b))) }})
		}
	}
	return list
}

// inRow returns a lane if it is in the same row of 16 as another.
func inRow(lane, other int) int {
	if lane&^15 != other&^15 {
		return -1
	}
	return other
}

// exactHalf rounds to binary16 by a search for the nearest one.
func exactHalf(x float64) uint64 {
	if math.IsNaN(x) {
		return 0x7E00
	}
	sign := math.Float64bits(x) >> 63 << 15
	best, nearest := uint64(0), math.Inf(1)
	for n := range uint64(0x7C01) {
		value := halfValue(n)
		if n == 0x7C00 {
			value = 65536 // where infinity begins
		}
		d := math.Abs(math.Abs(x) - value)
		if math.IsInf(x, 0) {
			return sign | 0x7C00
		}
		if d < nearest || d == nearest && n&1 == 0 {
			best, nearest = n, d
		}
	}
	if math.Abs(x) > 65536 {
		best = 0x7C00
	}
	return sign | best
}

func saturated(x float64) int32 {
	switch {
	case x != x:
		return 0
	case x >= math.MaxInt32:
		return math.MaxInt32
	case x <= math.MinInt32:
		return math.MinInt32
	}
	return int32(x)
}

// typeBytes are the sizes of LLVM's types.
var typeBytes = map[string]int{"i16": 2, "half": 2, "i32": 4, "float": 4, "<2 x half>": 4, "<2 x i16>": 4, "i64": 8, "double": 8}

// kernel returns a kernel in which each invocation loads three values of eight bytes and overwrites
// the first with the result.
func (o *operation) kernel() string {
	text := "  %n = mul i32 %x, 24\n  %at = getelementptr i8, ptr addrspace(1) %b0, i32 %n\n"
	for n, name := range []string{"a", "b", "c"} {
		loaded := name
		if o.uniform {
			loaded += "lane"
		}
		text += fmt.Sprintf("  %%p%s = getelementptr i8, ptr addrspace(1) %%at, i32 %d\n  %%%s = load %s, ptr addrspace(1) %%p%s, align 8\n", name, 8*n, loaded, o.in, name)
		if o.uniform {
			text += fmt.Sprintf("  %%%s = call %s @llvm.amdgcn.readfirstlane.%s(%s %%%s)\n", name, o.in, o.in, o.in, loaded)
		}
	}
	return text + "  " + o.body + fmt.Sprintf("\n  store %s %%r, ptr addrspace(1) %%at, align 8\n  ret void", o.out)
}

// TestArithmetic executes all operations on edge cases and random values.
func TestArithmetic(t *testing.T) {
	needTools(t)
	list := operations()
	for _, o := range list {
		if (o.in == "i32" || o.in == "i64") && o.want != nil {
			o.uniform = true
			list = append(list, o)
		}
	}
	var programs []bench.Program
	for n := range list {
		programs = append(programs, bench.Program{Code: []byte(kernelText(list[n].kernel())), Kernel: &abi.Kernel{Name: "k"}})
	}
	assembled, err := bench.Assemble(profile, programs)
	if err != nil {
		t.Fatal(err)
	}
	object, err := Load(assembled.Data)
	if err != nil {
		t.Fatal(err)
	}
	var total counts
	for n := range list {
		o := &list[n]
		rounds := uint64(12)
		if o.uniform { // two waves give two results
			rounds = 60
		}
		t.Run(o.name+" "+o.in, func(t *testing.T) {
			const groups, count, width = 1, 128, 24
			for round := range rounds {
				random := rand.New(rand.NewPCG(round, uint64(n)))
				data := make([]byte, count*width)
				for at := 0; at < len(data); at += 8 {
					x := value(o.kind, random)
					if o.kind == p16 {
						x |= value(o.kind, random) << 16
					}
					binary.LittleEndian.PutUint64(data[at:], x)
				}
				before := append([]byte{}, data...)
				l := &Launch{Kernel: bench.KernelName(n), Grid: [3]uint32{groups, 1, 1}, Workgroup: [3]uint32{count, 1, 1},
					Buffers: [][]byte{data}, Arguments: []Argument{{Buffer: 0}}, Unit: 2}
				done := total.counting(l)
				err := object.Run(l)
				done()
				if err != nil {
					t.Fatal(err)
				}
				for at := 0; at < len(data); at += width {
					first := at
					if o.uniform {
						first = at / width / lanes * lanes * width
					}
					word := func(n int) uint64 { return binary.LittleEndian.Uint64(before[first+8*n:]) }
					var want uint64
					lane := at / width % lanes
					switch {
					case o.want != nil:
						want = o.want(word(0), word(1), word(2))
					case o.from(lane) < 0:
						want = word(1)
					default:
						want = binary.LittleEndian.Uint64(before[at+(o.from(lane)-lane)*width:])
					}
					bytes := typeBytes[o.out]
					got := binary.LittleEndian.Uint64(data[at:]) << (64 - 8*bytes) >> (64 - 8*bytes)
					if want = want << (64 - 8*bytes) >> (64 - 8*bytes); got != want && !bothNaN(o.out, got, want) {
						t.Fatalf("of %#x, %#x and %#x it is %#x, want %#x", word(0), word(1), word(2), got, want)
					}
				}
			}
		})
	}
	total.log(t)
}

// bothNaN reports whether two results are NaN, in all halves in which they differ.
func bothNaN(t string, a, b uint64) bool {
	nan := func(x uint64) bool { return math.IsNaN(halfValue(x & 0xFFFF)) }
	switch t {
	case "float":
		return math.IsNaN(float64(single(a))) && math.IsNaN(float64(single(b)))
	case "double":
		return math.IsNaN(math.Float64frombits(a)) && math.IsNaN(math.Float64frombits(b))
	case "half":
		return nan(a) && nan(b)
	case "<2 x half>":
		return (a&0xFFFF == b&0xFFFF || nan(a) && nan(b)) && (a>>16 == b>>16 || nan(a>>16) && nan(b>>16))
	}
	return false
}
