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

// This file has LLVM make code of single operations of LLVM IR, which the manual of LLVM defines, and compares what that code computes with Go's
// arithmetic. Many are what gpuc does not write yet: numbers of 64 bits, packed ones, whole divisions of floats.

// operation is one of LLVM IR on values of a type.
type operation struct {
	name, in, out string // the types
	body          string // of %a, %b and %c to %r
	kind          kind   // of the values that are drawn
	want          func(a, b, c uint64) uint64
}

// intrinsicOf is an operation that is a call.
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

// binaryOf is an operation of two values of a type.
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

// f16s computes in 64 bits, of which the result is exact for sums and products.
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

// exactSum is a·b + c of any floats, rounded once to so many bits, by numbers of any size.
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

func boolean(b bool) uint64 { return truth(b) }

// operations are all that are compared. Divisions by zero and shifts by the width are not drawn, since LLVM leaves them undefined.
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
		intrinsicOf("fma", "half", f16, 3, f16s(math.FMA)), // 64 bits round the sum, but not so that 11 see it, in what is drawn
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
		{name: "row_shr of DPP", in: "i32", out: "i32", body: "%r = call i32 @llvm.amdgcn.update.dpp.i32(i32 %b, i32 %a, i32 273, i32 15, i32 15, i1 false)", kind: b32, want: nil},
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

// exactHalf rounds to 16 bits by numbers of any size: it looks for the nearest one.
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

// kernel is the body of a kernel that loads three values of eight bytes for each invocation and stores the result in the place of the first.
func (o *operation) kernel() string {
	text := "  %n = mul i32 %x, 24\n  %at = getelementptr i8, ptr addrspace(1) %b0, i32 %n\n"
	for n, name := range []string{"a", "b", "c"} {
		text += fmt.Sprintf("  %%p%s = getelementptr i8, ptr addrspace(1) %%at, i32 %d\n  %%%s = load %s, ptr addrspace(1) %%p%s, align 8\n", name, 8*n, name, o.in, name)
	}
	return text + "  " + o.body + fmt.Sprintf("\n  store %s %%r, ptr addrspace(1) %%at, align 8\n  ret void", o.out)
}

// TestArithmetic executes all operations on values at edges and random ones.
func TestArithmetic(t *testing.T) {
	needTools(t)
	list := operations()
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
		t.Run(o.name+" "+o.in, func(t *testing.T) {
			const groups, count, width = 1, 128, 24
			for round := range uint64(12) {
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
					word := func(n int) uint64 { return binary.LittleEndian.Uint64(before[at+8*n:]) }
					var want uint64
					if o.want != nil {
						want = o.want(word(0), word(1), word(2))
					} else if place := at / width % 16; place > 0 { // what is to the left in the row of 16
						want = binary.LittleEndian.Uint64(before[at-width:])
					} else {
						want = word(1)
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
