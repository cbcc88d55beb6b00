package all_test

import (
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/internal/peak"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file bounds the time and memory for hostile programs of 64 KiB, written to harm a compiler
// or by a faulty generator.

var table = flag.Bool("table", false, "log a row for every hostile program")

const hostileBytes = 64 << 10

// hostileHead and hostileFoot make a kernel of statements.
const (
	hostileHead = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n" +
		"@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\nvar x = id.x; var y = 1.5;\n"
	hostileFoot = "\no[id.x] = x + u32(y);\n}\n"
)

// viewed is a buffer without a type.
const viewed = "@group(0) @binding(1) var<storage, read_write> b: buffer;\n"

func kernelOf(body string) string { return hostileHead + body + hostileFoot }

// filledWith repeats a unit, in which § is its index, up to a number of bytes.
func filledWith(bytes int, unit string) string {
	var b strings.Builder
	for n := 0; b.Len() < bytes; n++ {
		b.WriteString(strings.ReplaceAll(unit, "§", fmt.Sprint(n)))
	}
	return b.String()
}

func full(unit string) string { return filledWith(hostileBytes, unit) }

// nested puts brackets around a middle.
func nested(n int, open, middle, shut string) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(shut, n)
}

// chain is a list of declarations, each of which names the one before twice. ⟨§⟩ is its index and
// ⟨<⟩ that of the one before.
func chain(count int, first, unit string) string {
	var b strings.Builder
	b.WriteString(first)
	for n := 1; n <= count && b.Len() < hostileBytes; n++ {
		b.WriteString(strings.NewReplacer("§", fmt.Sprint(n), "¤", fmt.Sprint(n-1)).Replace(unit))
	}
	return b.String()
}

// hostile are the programs. Those marked as errors must be refused.
var hostile = []struct {
	name  string
	text  string
	error bool
}{
	{"parentheses 32,000 deep", kernelOf("x = " + nested(32000, "(", "1", ")") + ";"), true},
	{"parentheses 250 deep", kernelOf(full("x += " + nested(250, "(", "x + §", ")") + ";\n")), false},
	{"blocks 32,000 deep", kernelOf(nested(32000, "{", "", "}")), true},
	{"blocks 120 deep", kernelOf(full(nested(120, "{", "x += §;", "}"))), false},
	{"ifs 120 deep", kernelOf(full(nested(120, "if x > § { ", "x += §;", "}"))), false},
	{"loops 200 deep", kernelOf(nested(120, "for (var i = 0u; i < x; i++) {", "x += i;", "}")), false},
	{"loops 100 deep, many", kernelOf(full(nested(100, "while x < § { x++; ", "x += 7;", "}"))), false},
	{"switches 120 deep", kernelOf(full(nested(60, "switch x { case §: { x++; } default: {", "x += 7;", "} }"))), false},
	{"else-ifs", kernelOf("if x == 0 { x = 1; }" + full(" else if x == 1§ { x += §; }")), false},
	{"templates 20,000 deep", "alias a = " + nested(9000, "array<", "u32", ", 2>") + ";", true},
	{"vec2 of vec2 of …", "alias a = " + nested(9000, "vec2<", "u32", ">") + ";", true},
	{"arrays 250 deep", "var<private> a: " + nested(250, "array<", "u32", ", 1>") + ";\n" + kernelOf("a"+strings.Repeat("[x]", 250)+" = 1; x = a"+strings.Repeat("[x]", 250)+";"), false},
	{"array of 1000^4", "var<private> a: " + nested(4, "array<", "u32", ", 1000>") + ";\n" + kernelOf("x = a[x][x][x][x];"), true},
	{"structs of 2^n members", chain(9999, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + "var<private> s: S100;\n" + kernelOf(""), true},
	{"structs of 2^20 members, used", chain(20, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + "var<private> s: S20;\n" + kernelOf("s = S20(); var t = s; x = t.a.b.a.b.a.b.a.b.a.b.a.b.a.b.a.b.a.b.a.b.a;"), false},
	{"structs of 2^20 members, copied in storage", chain(20, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + "@group(0) @binding(1) var<storage, read_write> s: S20;\n@group(0) @binding(2) var<storage, read_write> t: S20;\n" + kernelOf("s = t;"), false},
	{"structs of 2^28 members in a buffer", chain(28, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + "@group(0) @binding(1) var<storage, read_write> s: S28;\n" + kernelOf("s"+strings.Repeat(".a", 29)+" = x;"), false},
	{"structs of 2^28 members beside an override", chain(28, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + "override k = 3; struct T { h: u32, x: array<S28> }\n@group(0) @binding(1) var<storage, read_write> s: T; var<workgroup> q: array<u32, k>;\n" + kernelOf("q[1] = 1; s.x[x]"+strings.Repeat(".a", 29)+" = q[0];"), false},
	{"structs of 2^18 members in workgroup memory", chain(18, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + "var<workgroup> s: S17;\n" + kernelOf("x = s"+strings.Repeat(".a", 18)+"; s = S17();"), false},
	{"copies of structs of 2^12 members", chain(12, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + "@group(0) @binding(1) var<storage, read_write> s: S12;\n@group(0) @binding(2) var<storage, read_write> t: S12;\n" + kernelOf(full("s = t; t = s;\n")), true},
	{"variables of structs of 2^12 members", chain(12, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + kernelOf("var s = S12(); var t = s;\n"+full("s = t; t.a = s.b;\n")+"x = t.a.a.a.a.a.a.a.a.a.a.a.a.a;"), false},
	{"variables of structs of 2^20 members", chain(20, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + kernelOf("var s = S20(); var t = s;\n"+filledWith(500, "s = t; t.a = s.b;\n")+"x = t"+strings.Repeat(".a", 21)+";"), false},
	{"arrays of 2^n elements in consts", chain(9999, "const c0 = array(1, 2);\n", "const c§ = array(c¤, c¤);\n") + kernelOf(""), true},
	{"sums of 2^n in consts", chain(9999, "const c0 = 1;\n", "const c§ = c¤ % 7 + c¤ % 5;\n") + kernelOf("x = c1;"), false},
	{"functions called 2^n times", chain(9999, "fn g0(x: u32) -> u32 { return x * 3 + 1; }\n", "fn g§(x: u32) -> u32 { return g¤(x) + g¤(x + 1); }\n") + kernelOf("x = g600(x);"), false},
	{"functions called 2^n times, with pointers", chain(500, "fn g0(x: ptr<function, u32>) { *x += 1; }\n", "fn g§(x: ptr<function, u32>) { g¤(x); g¤(x); }\n") + kernelOf("g500(&x);"), false},
	{"functions called 3^n times, with branches", chain(300, "fn g0(x: u32) -> u32 { if x > 3 { return 1; } return 2; }\n", "fn g§(x: u32) -> u32 { if x > § { return g¤(x); } else { return g¤(x + 1) * g¤(x); } }\n") + kernelOf("x = g300(x);"), false},
	{"functions in a chain", chain(9999, "fn g0(x: u32) -> u32 { return x; }\n", "fn g§(x: u32) -> u32 { return g¤(x) + 1; }\n") + kernelOf("x = g1000(x);"), false},
	{"functions from the last to the first", "fn g0(x: u32) -> u32 { return g1(x); }\n" + strings.Join(func() (l []string) {
		for n := 1; n < 1500; n++ {
			l = append(l, fmt.Sprintf("fn g%d(x: u32) -> u32 { return g%d(x); }\n", n, n+1))
		}
		return append(l, "fn g1500(x: u32) -> u32 { return x; }\n")
	}(), "") + kernelOf("x = g0(x);"), false},
	{"calls in calls", "fn f(a: u32, b: u32) -> u32 { return a * b + 1; }\n" + kernelOf(full("x = "+nested(200, "f(", "x", ", x)")+";\n")), false},
	{"aliases in a chain", chain(9999, "alias a0 = u32;\n", "alias a§ = a¤;\n") + kernelOf("var z: a1000 = 3; x = z;"), false},
	{"aliases from the last to the first", func() string {
		var b strings.Builder
		for n := range 2500 {
			fmt.Fprintf(&b, "alias a%d = a%d;\n", n, n+1)
		}
		return b.String() + "alias a2500 = u32;\n" + kernelOf("var z: a0 = 3; x = z;")
	}(), false},
	{"consts from the last to the first", func() string {
		var b strings.Builder
		for n := range 2000 {
			fmt.Fprintf(&b, "const a%d = a%d + 1;\n", n, n+1)
		}
		return b.String() + "const a2000 = 1;\n" + kernelOf("x = a0;")
	}(), false},
	{"a cycle of 2,000 consts", func() string {
		var b strings.Builder
		for n := range 2000 {
			fmt.Fprintf(&b, "const a%d = a%d + 1;\n", n, (n+1)%2000)
		}
		return b.String()
	}(), true},
	{"million elements, private", "var<private> a: array<u32, 1000000>;\n" + kernelOf("a[x] = 1; x = a[x + 1];"), false},
	{"million elements, private, value", "var<private> a: array<u32, 1000000>;\n" + kernelOf("var b = a; b[x] = 1; a = b; x = a[x + 1];"), false},
	{"million elements, function", kernelOf("var a: array<u32, 1000000>; a[x] = 1; x = a[x + 1];"), false},
	{"million elements, 20 functions", full("fn g§() -> u32 { var a: array<u32, 1000000>; a[1] = 2; return a[0]; }\n") + kernelOf("x = g1() + g2() + g3() + g4() + g5() + g6() + g7();"), false},
	{"million elements, workgroup", "var<workgroup> a: array<u32, 1000000>;\n" + kernelOf("a[x] = 1; x = a[x + 1];"), true},
	{"million elements, const zero", "const c = array<u32, 1000000>();\n" + kernelOf("x = c[x];"), false},
	{"million elements, const zeros", full("const c§ = array<u32, 1000000>();\n") + kernelOf("x = c1[x] + c2[x] + c3[x];"), false},
	{"million elements, let zero", kernelOf(full("{ let a = array<u32, 1000000>(); x += a[x + §]; }\n")), false},
	{"million elements, zero in zero", kernelOf("var a = array<array<u32, 1000>, 1000>(); x = a[x][y32()];") + "fn y32() -> u32 { return 7; }", false},
	{"million elements, returned", "fn f() -> array<u32, 1000000> { return array<u32, 1000000>(); }\n" + kernelOf(filledWith(2000, "x += f()[x];\n")), false},
	{"million elements, parameter", "fn f(a: array<u32, 1000000>) -> u32 { return a[3]; }\n" + kernelOf(filledWith(2000, "x += f(array<u32, 1000000>());\n")), false},
	{"million vectors, const", "const c = array<vec4f, 262144>();\nconst d = c[7].x;\n" + kernelOf("y = c[x].y + d;"), false},
	{"million elements, equal consts", full("const c§ = array<array<u32, 1000>, 1000>()[§ % 1000];\n") + kernelOf("x = c1[x];"), false},
	{"views of structs of 2^10 members", chain(10, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + viewed + kernelOf(filledWith(12000, "*bufferView<S10>(&b, § * 4) = *bufferView<S10>(&b, x);\n")), true},
	{"views of structs of 2^20 members", chain(20, "struct S0 { a: u32 }\n", "struct S§ { a: S¤, b: S¤ }\n") + viewed + kernelOf("*bufferView<S20>(&b, x) = *bufferView<S20>(&b, 4);"), true},
	{"views of matrices", viewed + kernelOf(full("*bufferView<mat4x4f>(&b,x*§)=*bufferView<mat4x4f>(&b,§*16);\n")), false},
	{"views of matrices, with halves", "enable f16;\n" + viewed + kernelOf("*bufferView<f16>(&b,0)=1;\n"+full("*bufferView<mat4x4f>(&b,x*§)=*bufferView<mat4x4f>(&b,§*16);\n")), false},
	{"views of a million elements", viewed + kernelOf(full("{ let a = *bufferView<array<u32, 1000000>>(&b, 4 * x); x += a[x]; }\n")), false},
	{"views of a million elements, stored", viewed + kernelOf(full("*bufferView<array<vec4u, 250000>>(&b, 4 * x) = *bufferView<array<vec4u, 250000>>(&b, §*16);\n")), false},
	{"views in functions called 2^n times", viewed + chain(400, "fn g0(p: ptr<storage, buffer, read_write>, x: u32) { *bufferView<u32>(p, x) += 1; }\n", "fn g§(p: ptr<storage, buffer, read_write>, x: u32) { g¤(p, x); g¤(p, x + 1); }\n") + kernelOf("g400(&b, x);"), false},
	{"views passed to functions called 2^n times", viewed + chain(400, "fn g0(p: ptr<storage, array<u32>, read_write>, x: u32) { p[x] += 1; }\n", "fn g§(p: ptr<storage, array<u32>, read_write>, x: u32) { g¤(p, x); g¤(p, x + 1); }\n") + kernelOf("g400(bufferView<array<u32>>(&b, x), x);"), false},
	{"views of ever smaller buffers", "@group(0) @binding(1) var<storage, read_write> b: buffer<80000>;\n" + chain(500, "fn g0(p: ptr<storage, buffer, read_write>) -> u32 { return bufferLength(p); }\n", "fn g§(p: ptr<storage, buffer<400 + § * 4>, read_write>) -> u32 { return g¤(p); }\n") + kernelOf("x = g500(&b);"), false},
	{"switch of 4,000 cases", kernelOf("switch x {" + full("case §: { x = 1§; }\n") + "default: { } }"), false},
	{"switch of 10,000 values", kernelOf("switch x { case 77777" + filledWith(hostileBytes, ", §") + ": { x = 1; } default: { } }"), false},
	{"switches", kernelOf(full("switch x { case §: { x = 1; y = 2; } case 1§: { y = 3; } default: { x++; } }\n")), false},
	{"switches of returns", kernelOf(full("switch x { case §: { return; } case 1§: { y = 3; } default: { x++; } }\n")), false},
	{"switches in a loop", kernelOf("loop {" + full("switch x { case §: { break; } case 1§: { continue; } default: { x++; } }\n") + " if x == 3 { break; } }"), false},
	{"matrices", kernelOf("var m = mat4x4f();\n" + full("m = m * m + mat4x4f(y,1,2,3,4,5,6,7,8,9,§,11,12,13,14,15); y += m[x & 3].z;\n")), false},
	{"matrices, dense", kernelOf("var m = mat4x4f(); var n = mat4x4f();\n" + full("m=m*n*m;n=m*n;\n") + "y = m[x][1] + n[1][x];"), false},
	{"transposed matrices", kernelOf("var m = mat4x4f();\n" + full("m=transpose(m)*m;y+=determinant(m);\n")), false},
	{"overrides of two before", chain(9999, "override a0: u32 = 1;\n", "override a§: u32 = a¤ + a¤ % 3;\n") + kernelOf("x = a1500;"), false},
	{"overrides from the last to the first", func() string {
		var b strings.Builder
		for n := range 1500 {
			fmt.Fprintf(&b, "override a%d: u32 = a%d + a%d;\n", n, n+1, n+1)
		}
		return b.String() + "override a1500: u32 = 1;\n" + kernelOf("x = a0;")
	}(), false},
	{"override array sizes", full("override n§ = 4; var<workgroup> w§: array<u32, n§>;\n") + kernelOf("x = w1[x] + w2[x] + w3[x];"), false},
	{"override array sizes, used", func() string {
		var b, uses strings.Builder
		for n := 0; b.Len() < hostileBytes-20000; n++ {
			fmt.Fprintf(&b, "override n%d = 4; var<workgroup> w%d: array<u32, n%d>;\n", n, n, n)
			fmt.Fprintf(&uses, "x += w%d[x];\n", n)
		}
		return b.String() + kernelOf(uses.String())
	}(), false},
	{"override array size of a million", "override n = 1000000; var<workgroup> w: array<u32, n * n>;\n" + kernelOf("x = w[x];"), true},
	{"sum of 4,000 terms", kernelOf("x = 1" + strings.Repeat(" + x", 4000) + ";"), false},
	{"sum of 20,000 terms", kernelOf("x = 1" + strings.Repeat("+x", 20000) + ";"), true},
	{"sums of 1,000 terms", kernelOf(full("y = 1" + strings.Repeat(" + y", 1000) + ";\n")), false},
	{"sum of consts", full("const c§ = 1"+strings.Repeat("+1", 3000)+";\n") + kernelOf("x = c0;"), false},
	{"&& of 4,000 terms", kernelOf("let b = x == 0" + strings.Repeat(" && x != 3", 3900) + "; if b { x = 1; }"), false},
	{"|| of 4,000 terms", kernelOf("if x == 0" + strings.Repeat(" || x == 3", 3900) + " { x = 1; }"), false},
	{"select in select", kernelOf(full("x = " + nested(200, "select(", "x", ", x, x > §)") + ";\n")), false},
	{"min in min", kernelOf(full("x = " + nested(200, "min(x, ", "x", ")") + ";\n")), false},
	{"abstract builtins", full("const c§ = "+nested(200, "max(1.5, ", "2", ")")+";\n") + kernelOf("y = c0;"), false},
	{"a long identifier", "const " + strings.Repeat("a", hostileBytes) + " = 1;\n" + kernelOf(""), false},
	{"a long unknown identifier", kernelOf("x = " + strings.Repeat("a", hostileBytes) + ";"), true},
	{"similar unknown identifiers", full("const abcdefgh§ = 1;\n") + "const z = abcdefgi; const y = abcdefgj;", true},
	{"many unknown identifiers", func() string {
		var b strings.Builder
		for n := 0; b.Len() < hostileBytes; n++ {
			fmt.Fprintf(&b, "const name%d = nama%d;\n", n, n)
		}
		return b.String()
	}(), true},
	{"comments 20,000 deep", nested(16000, "/*", "", "*/") + kernelOf(""), false},
	{"an open comment", strings.Repeat("/*", hostileBytes/2), true},
	{"a long comment", "//" + strings.Repeat("x", hostileBytes) + "\n" + kernelOf(""), false},
	{"functions", full("fn g§() { }\n") + kernelOf("g1();"), false},
	{"functions, all called", func() string {
		var b, calls strings.Builder
		for n := 0; b.Len()+calls.Len() < hostileBytes; n++ {
			fmt.Fprintf(&b, "fn g%d(x: u32) -> u32 { return x * %du; }\n", n, n)
			fmt.Fprintf(&calls, "x += g%d(x);\n", n)
		}
		return b.String() + kernelOf(calls.String())
	}(), false},
	{"entry points", full("@compute @workgroup_size(1) fn g§() { }\n"), false},
	{"locals", kernelOf(full("var a§: u32;\n")), false},
	{"locals, used", kernelOf(full("var a§ = x; a§ += x; x = a§;\n")), false},
	{"locals in branches", kernelOf(full("var a§ = x; if x > § { a§ += x; } x = a§;\n")), false},
	{"locals live across branches", func() string {
		var b strings.Builder
		for n := range 1000 {
			fmt.Fprintf(&b, "var a%d = x + %d;\n", n, n)
		}
		for n := 0; b.Len() < hostileBytes-16000; n++ {
			fmt.Fprintf(&b, "if x > %d { a%d += a%d; }\n", n, n%1000, (n*7)%1000)
		}
		for n := range 1000 {
			fmt.Fprintf(&b, "x ^= a%d;\n", n)
		}
		return kernelOf(b.String())
	}(), false},
	{"locals live across loops", func() string {
		var b strings.Builder
		for n := range 800 {
			fmt.Fprintf(&b, "var a%d = x + %d;\n", n, n)
		}
		for n := 0; b.Len() < hostileBytes-16000; n++ {
			fmt.Fprintf(&b, "while x > %d { a%d += a%d; x--; }\n", n, n%800, (n*7)%800)
		}
		for n := range 800 {
			fmt.Fprintf(&b, "x ^= a%d;\n", n)
		}
		return kernelOf(b.String())
	}(), false},
	{"lets in shadow", kernelOf(full("{ let x = 1u; { let x = x + 2; _ = x; } }\n")), false},
	{"swizzles", kernelOf("var v = vec4f(y);\nv = v" + strings.Repeat(".wzyx", 3900) + ";\ny = v.x;"), false},
	{"swizzles, many", kernelOf("var v = vec4f(y);\n" + full("v = v"+strings.Repeat(".wzyx", 100)+";\n") + "y = v.x;"), false},
	{"assigned swizzles", kernelOf("var v = vec4f(y);\n" + full("v.zx = v.yw + v.wy;\n") + "y = v.x;"), false},
	{"a literal of 60,000 digits", kernelOf("y = 1" + strings.Repeat("0", 60000) + ".5;"), true},
	{"a fraction of 60,000 digits", kernelOf("y = 0." + strings.Repeat("3", 60000) + ";"), false},
	{"a hexadecimal literal of 60,000 digits", kernelOf("y = 0x0." + strings.Repeat("3", 60000) + "p0;"), false},
	{"literals of 1,000 digits", kernelOf(full("y = 0." + strings.Repeat("7", 1000) + "e-30;\n")), false},
	{"an exponent of 60,000 digits", kernelOf("y = 1e" + strings.Repeat("9", 60000) + ";"), true},
	{"errors", kernelOf(full("x = z§;\n")), true},
	{"errors of syntax", full("fn g§( { x = ; }\n"), true},
	{"errors of types", kernelOf(full("x = 1.5 + true;\n")), true},
	{"errors of overloads", kernelOf(full("x = clamp(x, 1.5, true);\n")), true},
	{"errors in attributes", full("@bad§ @bad const c§ = 1;\n"), true},
	{"duplicates", full("const a = 1;\n"), true},
	{"uniformity, branches", kernelOf(full("if o[§] > x { x++; workgroupBarrier(); }\n")), true},
	{"uniformity, branches without a fault", kernelOf("var u = 0u;\n" + full("if u > § { u++; workgroupBarrier(); }\n")), false},
	{"uniformity, loops", kernelOf("var u = 0u;\n" + full("loop { u += §; if u > 7 { break; } workgroupBarrier(); }\n")), false},
	{"uniformity, nested loops of many variables", func() string {
		var b strings.Builder
		for n := range 500 {
			fmt.Fprintf(&b, "var a%d = 0u;\n", n)
		}
		b.WriteString(strings.Repeat("loop {\n", 60))
		for n := 0; b.Len() < hostileBytes-4000; n++ {
			fmt.Fprintf(&b, "a%d += a%d;\n", n%500, (n*7+1)%500)
		}
		b.WriteString("workgroupBarrier();\n" + strings.Repeat("if a3 > 7 { break; } }\n", 60))
		return kernelOf(b.String())
	}(), false},
	{"uniformity, variables through loops", func() string {
		var b strings.Builder
		for n := range 400 {
			fmt.Fprintf(&b, "var a%d = 0u;\n", n)
		}
		for n := 0; b.Len() < hostileBytes; n++ {
			fmt.Fprintf(&b, "while a%d < 3 { a%d += a%d; }\n", n%400, n%400, (n*7+1)%400)
		}
		return kernelOf(b.String() + "if a1 == 3 { workgroupBarrier(); }")
	}(), false},
	{"uniformity, pointers", "fn f(" + filledWith(4000, "p§: ptr<function, u32>, ") + ") {" + filledWith(4000, "*p§ += *p1§; ") + "}\n" + kernelOf(""), true},
	{"uniformity, pointer parameters", func() string {
		var b strings.Builder
		b.WriteString("fn g0(a: ptr<function, u32>, b: ptr<function, u32>, c: ptr<function, u32>, d: ptr<function, u32>) { *a = *b; *c = *d; }\n")
		for n := 1; b.Len() < hostileBytes; n++ {
			fmt.Fprintf(&b, "fn g%d(a: ptr<function, u32>, b: ptr<function, u32>, c: ptr<function, u32>, d: ptr<function, u32>) { g%d(b, c, d, a); if *a > 3 { g%d(d, c, b, a); } }\n", n, n-1, max(n-2, 0))
		}
		return b.String() + kernelOf("")
	}(), false},
	{"aliases of pointers", func() string {
		var b strings.Builder
		b.WriteString("fn f(")
		for n := range 120 {
			fmt.Fprintf(&b, "p%d: ptr<function, u32>, ", n)
		}
		b.WriteString(") { *p1 = *p2; }\n")
		call := "f("
		var vars strings.Builder
		for n := range 120 {
			fmt.Fprintf(&vars, "var v%d = x;\n", n)
			call += fmt.Sprintf("&v%d, ", n)
		}
		return b.String() + kernelOf(vars.String()+full(call+");\n"))
	}(), false},
	{"pointers of pointers", kernelOf("var a: array<u32, 9>; let p0 = &a;\n" + chain(9999, "", "let p§ = &*p¤; \n") + "x = p9[x];"), false},
	{"textures", full("@group(0) @binding(§) var t§: texture_2d<f32>;\n") + kernelOf("y = textureLoad(t1, vec2u(x), 0).x;"), false},
	{"textures, used", func() string {
		var b, uses strings.Builder
		for n := 1; b.Len()+uses.Len() < hostileBytes; n++ {
			fmt.Fprintf(&b, "@group(1) @binding(%d) var t%d: texture_2d<f32>;\n", n, n)
			fmt.Fprintf(&uses, "y += textureLoad(t%d, vec2u(x), 0).x;\n", n)
		}
		return b.String() + kernelOf(uses.String())
	}(), false},
	{"texture arguments", func() string {
		var b, call strings.Builder
		for n := range 16 {
			fmt.Fprintf(&b, "@group(1) @binding(%d) var t%d: texture_2d<f32>;\n", n, n)
		}
		b.WriteString("fn g0(a: texture_2d<f32>, b: texture_2d<f32>) -> f32 { return textureLoad(a, vec2u(), 0).x + textureLoad(b, vec2u(), 0).y; }\n")
		for n := 1; n < 200; n++ {
			fmt.Fprintf(&b, "fn g%d(a: texture_2d<f32>, b: texture_2d<f32>) -> f32 { return g%d(a, b) + g%d(b, a); }\n", n, n-1, n-1)
		}
		for n := range 256 {
			fmt.Fprintf(&call, "y += g%d(t%d, t%d);\n", n%12, n%16, n/16)
		}
		return b.String() + kernelOf(call.String())
	}(), false},
	{"samples", "@group(1) @binding(0) var t: texture_2d<f32>; @group(1) @binding(1) var s: sampler;\n" + kernelOf(full("y += textureSampleLevel(t, s, vec2f(y, §), 0).x;\n")), false},
	{"bindings", full("@group(1) @binding(§) var<storage, read_write> b§: array<u32>;\n") + kernelOf("x = b1[x] + b2[x];"), false},
	{"bindings, used", func() string {
		var b, uses strings.Builder
		for n := 1; b.Len()+uses.Len() < hostileBytes; n++ {
			fmt.Fprintf(&b, "@group(1) @binding(%d) var<storage, read_write> b%d: array<u32>;\n", n, n)
			fmt.Fprintf(&uses, "x += b%d[x];\n", n)
		}
		return b.String() + kernelOf(uses.String())
	}(), false},
	{"private variables", full("var<private> p§ = vec4f(§);\n") + kernelOf("y = p1.x;"), false},
	{"private variables, used", func() string {
		var b, uses strings.Builder
		for n := 1; b.Len()+uses.Len() < hostileBytes; n++ {
			fmt.Fprintf(&b, "var<private> b%d: array<u32, 8>;\n", n)
			fmt.Fprintf(&uses, "b%d[x] += x; x += b%d[3];\n", n, n)
		}
		return b.String() + kernelOf(uses.String())
	}(), false},
	{"workgroup variables, used", func() string {
		var b, uses strings.Builder
		for n := 1; b.Len()+uses.Len() < hostileBytes; n++ {
			fmt.Fprintf(&b, "var<workgroup> b%d: u32;\n", n)
			fmt.Fprintf(&uses, "b%d += x; x += b%d;\n", n, n+1)
		}
		return b.String() + fmt.Sprintf("var<workgroup> b%d: u32;\n", strings.Count(b.String(), "\n")+1) + kernelOf(uses.String())
	}(), false},
	{"a struct of 3,000 members", "struct S {" + full("m§: vec4f, \n") + "}\nvar<private> s: S;\n" + kernelOf("var t = s; t.m7.x = y; s = t; y = s.m9.y;"), false},
	{"structs", full("struct S§ { a: vec4f, b: array<u32, 4> }\n") + kernelOf("var s: S1; y = s.a.x;"), false},
	{"an array constructor", kernelOf("var a = array(1u" + filledWith(hostileBytes, ", §") + "); x = a[x];"), false},
	{"an array constructor of values", kernelOf("var a = array(1u" + filledWith(hostileBytes, ",x+§") + "); x = a[x];"), false},
	{"array constructors in constructors", full("const c§ = "+nested(60, "array(", "1u, 2, 3", ")")+";\n") + kernelOf("x = c0[0][0][0][0][0][0][0][0]"+strings.Repeat("[0]", 51)+"[x];"), false},
	{"vectors of vectors", kernelOf(full("y += " + nested(150, "vec4(", "y", ", 1, 2, 3).x") + ";\n")), false},
	{"barriers", kernelOf(full("workgroupBarrier();\n")), false},
	{"memory and barriers", "var<workgroup> w: array<u32, 64>;\n" + kernelOf(full("w[x] = x; workgroupBarrier(); x += w[x ^ §];\n")), false},
	{"stores", kernelOf(full("o[x] = x; x = o[x + §];\n")), false},
	{"loads", kernelOf(full("x += o[x];\n")), false},
	{"atomics", "@group(1) @binding(0) var<storage, read_write> a: atomic<u32>;\n" + kernelOf(full("x += atomicAdd(&a, x);\n")), false},
	{"divisions", kernelOf(full("x = x / (x - §) % 7;\n")), false},
	{"builtins", kernelOf(full("y = pow(sin(y), tan(y)) + atan2(y, 3);\n")), false},
	{"diagnostics", full("diagnostic(off, a§);\n") + kernelOf(""), false},
	{"enables", full("enable f16;\n") + kernelOf(""), false},
	{"asserts", full("const_assert 1 + § < 999999;\n") + kernelOf(""), false},
	{"returns", kernelOf(full("if x == § { return; }\n")), false},
	{"early returns in loops", kernelOf(full("for (var i = 0u; i < x; i++) { if i == § { return; } }\n")), false},
	{"unbalanced", strings.Repeat("fn f() { if a { (", hostileBytes/18), true},
	{"bytes of no language", strings.Repeat("\x00\xff\xfe é$#", hostileBytes/8), true},
	{"less-thans", kernelOf("x = a" + strings.Repeat("<a", hostileBytes/2) + ";"), true},
}

// heapOf returns the greatest size of the heap during a run, and its processor time.
func heapOf(run func()) (heap uint64, took time.Duration) {
	heap = peak.Heap(func() { took = peak.Processor(run) })
	return heap, took
}

// hostileHeap bounds the heap of the compilation of a hostile program.
const hostileHeap = 1 << 30

// TestHostilePrograms compiles every hostile program for the GPU targets in little processor time,
// and a third of them twice, with the same result.
func TestHostilePrograms(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // what is held at once depends on it
	for n, h := range hostile {
		if !testmode.Sampled(n, 8) {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			var answers [2]string
			var row string
			for k := range answers {
				if k == 0 || n%3 == 0 {
					answers[k], row = tryHostile(t, h.text, h.error)
				}
			}
			if n%3 == 0 && answers[0] != answers[1] {
				t.Errorf("two answers:\n%s\n%s", answers[0], answers[1])
			}
			if *table {
				first, _, _ := strings.Cut(answers[0], "\n")
				t.Logf("ROW | %s | %d | %s | %s", h.name, len(h.text)>>10, row, first[:min(len(first), 110)])
			}
		})
	}
}

func tryHostile(t *testing.T, text string, wrong bool) (answer, row string) {
	var set source.Set
	var list diag.List
	file, err := set.Add("hostile.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	compiler := wgsl.NewCompiler()
	scale := peak.Units(1 + len(text)>>16)
	checkHeap, took := heapOf(func() { compiler.Check(&set, file, wgsl.Options{}, &list) })
	if (checkTime * scale).Exceeded(took) {
		t.Errorf("checking takes %v", took)
	}
	var b strings.Builder
	_, show := heapOf(func() { diag.Write(&b, &set, list.Items()) })
	if (checkTime * scale).Exceeded(show) {
		t.Errorf("showing the diagnostics takes %v", show)
	}
	row = fmt.Sprintf("%.0f ms | %.1f MB", took.Seconds()*1e3, float64(checkHeap)/1e6)
	if list.Errors() > 0 {
		if !wrong {
			t.Errorf("refused: %.300s", b.String())
		}
		return b.String(), row + " | | | |"
	}
	list.Reset()
	var m *ir.Module
	var loadHeap uint64
	loadHeap, took = heapOf(func() { m = compiler.Load(&set, file, wgsl.Options{}, &list) })
	row += fmt.Sprintf(" | %.0f ms %.0f MB", took.Seconds()*1e3, float64(loadHeap)/1e6)
	if (2 * checkTime * scale).Exceeded(took) || loadHeap > hostileHeap {
		t.Errorf("lowering takes %v and %d bytes", took, loadHeap)
	}
	if m == nil {
		t.Fatal("no module", list.Items())
	}
	refused := false
	for _, target := range []*codegen.Target{&spirv.Target, &ptx.Target} {
		list.Reset()
		size := 0
		heap, took := heapOf(func() {
			k := m.Kernels()
			a := codegen.Compile(m, k[len(k)-1].Name, target, &codegen.Options{}, &list)
			if a != nil {
				size = len(a.Code)
			}
		})
		if (buildTime * scale).Exceeded(took) {
			t.Errorf("%s takes %v", target.Name, took)
		}
		if heap > hostileHeap {
			t.Errorf("%s takes %d bytes", target.Name, heap)
		}
		row += fmt.Sprintf(" | %.0f ms %.0f MB %d kB", took.Seconds()*1e3, float64(heap)/1e6, size>>10)
		refused = refused || list.Errors() > 0
		if i := slices.IndexFunc(list.Items(), func(d diag.Diagnostic) bool { return d.Code == diag.Internal }); i >= 0 {
			t.Error(list.Items()[i].Message)
		}
		diag.Write(&b, &set, list.Items())
	}
	if wrong && !refused {
		t.Error("accepted")
	}
	diag.Write(io.Discard, &set, list.Items())
	return b.String(), row
}
