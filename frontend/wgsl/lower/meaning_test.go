package lower_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// meanings are function bodies and the values that they store in `out`. They can call the functions
// of helpers; `log` returns its argument and records the call, by appending the argument to `trace`
// as a decimal digit.
var meanings = []struct {
	name, body string
	want       []uint32
}{
	{"operands are evaluated from left to right", `
		out[0] = log(1) + log(2) * log(3);
		_ = Pair(log(4), log(5));
		_ = max(log(6), log(7));
		out[1] = trace;`, []uint32{7, 1234567}},
	{"an operand is loaded before the next is evaluated", `
		var x = 5u;
		out[0] = x + change(&x);
		out[1] = x;`, []uint32{5 + 100, 100}},
	{"the left side of an assignment is evaluated first, and once", `
		var a = array(1u, 2u, 3u, 4u);
		a[log(2)] += log(3);
		a[log(1)] = log(4);
		a[log(3)]++;
		out[0] = trace;
		out[1] = a[0] * 1000 + a[1] * 100 + a[2] * 10 + a[3];`, []uint32{23143, 1465}},
	{"a compound assignment loads before it evaluates the right side", `
		var x = 5u;
		x += change(&x);
		out[0] = x;`, []uint32{105}},
	{"&& and || evaluate the right side only if they must", `
		out[0] = u32(log(1) == 2 && log(2) == 2) + u32(log(3) == 3 || log(4) == 4);
		out[1] = u32(log(5) == 5 && log(6) == 7) + u32(log(7) == 0 || log(8) == 8);
		out[2] = trace;`, []uint32{1, 1, 135678}},
	{"a variable gets its initial value each time", `
		var sum = 0u;
		for (var i = 0u; i < 3; i++) {
			var fresh: u32;
			var start = i;
			fresh += 1;
			start += fresh;
			sum = sum * 10 + start;
		}
		out[0] = sum;`, []uint32{123}},
	{"an inner name hides an outer one until its block ends", `
		let x = 1u;
		var sum = x;
		{
			let x = x + 1;
			sum = sum * 10 + x;
			for (var x = 5u; x < 6; x++) { sum = sum * 10 + x; }
		}
		out[0] = sum * 10 + x;`, []uint32{1251}},
	{"continue in a switch continues the loop, break leaves the switch", `
		var sum = 0u;
		for (var i = 0u; i < 6; i++) {
			switch i {
				case 1, 3 { continue; }
				case 2 { if i == 2 { break; } sum += 1000; }
				case 4, default { sum += i; }
			}
			sum += 10;
		}
		out[0] = sum;`, []uint32{49}},
	{"a continuing block uses the lets of the body", `
		var i = 0u;
		var sum = 0u;
		loop {
			let a = i * 2;
			let kept = sum;
			if i == 2 { continue; }
			sum += a;
			continuing {
				let b = a + 1;
				sum += b * 10;
				i++;
				break if kept > 40 || i > 9;
			}
		}
		out[0] = sum;
		out[1] = i;`, []uint32{92, 3}},
	{"a pointer in a continuing block points where it pointed in the body", `
		var a = array(0u, 0u, 0u, 0u);
		var i = 0u;
		loop {
			let p = &a[i];
			i++;
			if i == 2 { continue; }
			continuing {
				*p = i * 10;
				break if i >= 3;
			}
		}
		out[0] = a[0]; out[1] = a[1]; out[2] = a[2]; out[3] = a[3];`, []uint32{10, 20, 30, 0}},
	{"break if ends a loop after the continuing block", `
		var i = 0u;
		loop { continuing { i += 3; break if i > 7; } }
		out[0] = i;
		while i > 2 { i -= 2; if i == 5 { continue; } if i < 4 { break; } }
		out[1] = i;`, []uint32{9, 3}},
	{"returns leave from anywhere", `
		out[0] = early(0); out[1] = early(1); out[2] = early(7); out[3] = early(50);`, []uint32{1, 2, 7, 99}},
	{"pointers reach through functions", `
		var pair = Pair(1, 0);
		var other = array(3u, 2u);
		swap(&pair.a, &other[1]);
		pair.b = other[1];
		out[0] = pair.a; out[1] = pair.b;
		let p = &pair;
		p.a += 5;
		(*p).b = p.a;
		out[2] = pair.a; out[3] = pair.b;`, []uint32{2, 1, 7, 7}},
	{"values are copied", `
		var a = array(1u, 2u, 3u);
		let b = a;
		var c = a;
		a[1] = 9;
		c[0] = 7;
		out[0] = a[0] * 100 + a[1] * 10 + a[2];
		out[1] = b[0] * 100 + b[1] * 10 + b[2];
		out[2] = c[0] * 100 + c[1] * 10 + c[2];`, []uint32{193, 123, 723}},
	{"large arrays are copied too", `
		var a: array<u32, 100>;
		a[99] = 5;
		var b = a;
		a[99] = 6;
		var c: array<u32, 100>;
		c = b;
		b = a;
		out[0] = a[99]; out[1] = b[99]; out[2] = c[99]; out[3] = a[98];`, []uint32{6, 6, 5, 0}},
	{"values are indexed", `
		let i = log(1) + 1;
		out[0] = array(4u, 5u, 6u, 7u)[i];
		out[1] = vec3u(7, 8, 9)[i];
		out[2] = u32(mat3x2f(1, 2, 3, 4, 5, 6)[i][i - 1]);
		out[3] = both(3).b;`, []uint32{6, 9, 6, 4}},
	{"components of vectors in memory", `
		var v = vec4u(1, 2, 3, 4);
		v.y = v.x + v.w;
		v[log(2)] *= 3;
		out[0] = v.x; out[1] = v.y; out[2] = v.zw.x; out[3] = v.wzyx[0];`, []uint32{1, 5, 9, 4}},
	{"vectors are made of parts", `
		let v = vec4u(vec2u(1, 2).yx, 3, 4);
		out[0] = v.x * 1000 + v.y * 100 + v.z * 10 + v.w;
		let w = vec3u(vec2f(1.9, 2.1).xxx) + vec3u(5);
		out[1] = w.x * 100 + w.y * 10 + w.z;`, []uint32{2134, 666}},
	{"matrix products", `
		let a = mat2x3f(1, 2, 3, 4, 5, 6);
		let b = mat3x2f(1, 2, 3, 4, 5, 6);
		let c = b * a;
		out[0] = u32(c[0].x); out[1] = u32(c[0].y); out[2] = u32(c[1].x); out[3] = u32(c[1].y);`,
		[]uint32{22, 28, 49, 64}},
	{"matrices and vectors", `
		let a = mat2x3f(1, 2, 3, 4, 5, 6);
		let v = a * vec2f(1, 10);
		let w = vec3f(1, 10, 100) * a;
		out[0] = u32(v.x * 10000 + v.y * 100 + v.z);
		out[1] = u32(w.x); out[2] = u32(w.y);
		let t = transpose(a) * 2.0 - mat3x2f(1, 1, 1, 1, 1, 1);
		out[3] = u32(t[2].y) * 10 + u32(t[0].x);`, []uint32{415263, 321, 654, 111}},
	{"determinants", `
		out[0] = u32(determinant(mat2x2f(3, 1, 2, 4)));
		out[1] = u32(determinant(mat3x3f(2, 0, 1, 1, 3, 2, 1, 1, 4)));
		let m = mat4x4f(1, 0, 2, 1, 3, 1, 0, 2, 1, 2, 1, 0, 0, 1, 3, 2);
		out[2] = u32(determinant(m) + 100);
		out[3] = u32(determinant(transpose(m)) + 100);`, []uint32{10, 18, 124, 124}},
	{"geometry", `
		let x = vec3f(3, 4, 0);
		out[0] = u32(length(x) * 10 + distance(x, vec3f(3, 4, 2)));
		out[1] = u32(normalize(x).y * 10 + 0.5);
		let c = cross(vec3f(1, 2, 3), vec3f(4, 6, 9));
		out[2] = u32(c.x) * 100 + u32(c.y) * 10 + u32(-c.z);
		let r = reflect(vec2f(1, -1), vec2f(0, 1)) + faceForward(vec2f(1, 2), vec2f(1, 0), vec2f(-1, 0));
		out[3] = u32(r.x) * 10 + u32(r.y);`, []uint32{52, 8, 32, 23}},
	{"refraction", `
		let straight = refract(vec2f(0, -1), vec2f(0, 1), 0.5);
		out[0] = u32(-straight.y * 10 + straight.x);
		let total = refract(vec2f(0.8, -0.6), vec2f(0, 1), 2.0);
		out[1] = u32(any(total != vec2f()));`, []uint32{10, 0}},
	{"interpolation", `
		out[0] = u32(mix(10.0, 20.0, 0.25) * 10);
		out[1] = u32(smoothstep(2.0, 4.0, 3.0) * 100) + u32(step(2.0, 2.0)) + u32(step(2.0, 1.9));
		out[2] = u32(mix(vec2f(1, 2), vec2f(3, 4), 0.5).y * 10) + u32(saturate(7.0)) + u32(saturate(-7.0));
		out[3] = u32(degrees(radians(90.0)) + 0.5);`, []uint32{125, 51, 31, 90}},
	{"parts of floats", `
		let m = modf(-2.75);
		let f = frexp(vec2f(12, -0.25));
		out[0] = u32(-m.whole) * 100 + u32(-m.fract * 100);
		out[1] = u32(f.fract.x * 100) * 10 + u32(f.exp.x);
		out[2] = u32(-f.fract.y * 100) * 10 + u32(-f.exp.y);
		out[3] = u32(ldexp(0.75, 4));`, []uint32{275, 754, 501, 12}},
	{"select takes the second where the condition holds", `
		out[0] = select(1u, 2u, log(1) == 1);
		let v = select(vec2u(1, 2), vec2u(3, 4), vec2u(trace) == vec2u(1, 2));
		out[1] = v.x * 10 + v.y;`, []uint32{2, 32}},
}

const helpers = `
struct Pair { a: u32, b: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32, 4>;
var<private> trace: u32;
fn log(x: u32) -> u32 { trace = trace * 10 + x; return x; }
fn change(p: ptr<function, u32>) -> u32 { *p = 100; return *p; }
fn swap(a: ptr<function, u32>, b: ptr<function, u32>) { let t = *a; *a = *b; *b = t; }
fn both(x: u32) -> Pair { return Pair(x, x + 1); }
fn early(x: u32) -> u32 {
  if x == 0 { return 1; }
  for (var i = 0u; i < 10; i++) {
    switch i {
      case 0 { if x == 1 { return 2; } }
      default { loop { if x == i { return i; } break; } }
    }
  }
  return 99;
}
@compute @workgroup_size(1) fn main() {`

// TestMeaning tests that the interpreter, given the IR of lowering, computes what the specification
// requires.
func TestMeaning(t *testing.T) {
	for _, test := range meanings {
		t.Run(test.name, func(t *testing.T) {
			m := load(t, "meaning.wgsl", helpers+test.body+"\n}\n", lower.Options{})
			program, err := interp.Compile(m, m.Func("main"))
			if err != nil {
				t.Fatal(err)
			}
			buffer := make([]byte, 16)
			found, err := program.Run(&interp.Launch{Buffers: [][]byte{buffer}, Grid: [3]uint32{1, 1, 1}, Checked: true})
			if err != nil || len(found) > 0 {
				t.Fatal(err, found)
			}
			got := make([]uint32, len(test.want))
			for i := range got {
				got[i] = binary.LittleEndian.Uint32(buffer[4*i:])
			}
			if difference := cmp.Diff(test.want, got); difference != "" {
				t.Errorf("(-want +got)\n%s%s", difference, m.Text())
			}
		})
	}
}

// TestConstantsAsExecuted tests that the checker evaluates an expansion to the same bits as the IR
// that lowering builds from it.
func TestConstantsAsExecuted(t *testing.T) {
	for _, expression := range []string{
		"mix(v, w, a)", "mix(v, w, v)", "step(v, w)", "smoothstep(vec3f(a), vec3f(b), v)", "saturate(w)", "degrees(v)", "radians(w)",
		"length(v)", "distance(v, w)", "normalize(w)", "cross(v, w)", "reflect(v, w)", "refract(v, normalize(w), a)",
		"refract(normalize(v), normalize(w), a)", "faceForward(v, w, v)", "modf(w).fract", "modf(w).whole", "frexp(w).fract",
		"vec3f(frexp(w).exp)", "determinant(l)", "determinant(m)", "determinant(n)", "determinant(transpose(n))",
		"transpose(m)[1]", "m * v", "v * m", "(m * m)[2]", "(a * m)[0]", "(m + transpose(m))[1]", "(m - transpose(m))[1]",
		"select(v, w, v < w)", "vec3f(a, v.zx)", "vec3f(v.yz, b)", "vec3f(a)", "vec3f(vec3i(w * 10))", "v / b", "b - v",
		"mat2x3f(a, b, v.x, v.y, v.z, b)[1]", "mat3x3f(w, v, w)[0]", "ldexp(v, vec3i(3, -2, 0))", "array(v, w)[1]",
	} {
		const values = `
	const a = 0.37f; const b = 1.9f; const v = vec3f(0.1, 0.7, 1.3); const w = vec3f(-2.9, 0.3, 0.6);
	const l = mat2x2f(0.1, 0.7, 1.3, 2.9);
	const m = mat3x3f(0.1, 0.7, 1.3, 2.9, 0.3, 1.1, 0.2, 3.7, 0.9);
	const n = mat4x4f(0.1, 0.7, 1.3, 5.1, 2.9, 0.3, 1.1, 0.6, 0.2, 3.7, 0.9, 4.3, 1.9, 2.3, 0.4, 0.8);
`
		program := `@group(0) @binding(0) var<storage, read_write> out: array<vec3u, 2>;
@compute @workgroup_size(1) fn main() {
	{` + values + "const result = " + expression + `;
	out[0] = bitcast<vec3u>(vec3f(result));}
	{` + strings.ReplaceAll(values, "const", "var") + "let result = " + expression + `;
	out[1] = bitcast<vec3u>(vec3f(result));}
}`
		module := load(t, "formula.wgsl", program, lower.Options{})
		p, err := interp.Compile(module, module.Func("main"))
		if err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 32)
		if _, err := p.Run(&interp.Launch{Buffers: [][]byte{buffer}, Grid: [3]uint32{1, 1, 1}}); err != nil {
			t.Fatal(err)
		}
		if evaluated, executed := buffer[:12], buffer[16:28]; !bytes.Equal(evaluated, executed) {
			t.Errorf("%s: evaluated %x, executed %x", expression, evaluated, executed)
		}
	}
}

// TestLetOutside tests that an out-of-bounds index that depends on a let, which is no constant, is
// an error at run time only.
func TestLetOutside(t *testing.T) {
	m := load(t, "outside.wgsl", helpers+`
		let i = 7; let j = -1;
		let a = vec2u(1, 2);
		var v = array(1u, 2u, 3u);
		v[i] = 5;
		out[0] = a[i]; out[1] = v[j]; out[2] = v[2];
		if i < 3 { v[i] = 6; out[3] = a[j]; }
	}`, lower.Options{})
	program, err := interp.Compile(m, m.Func("main"))
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 16)
	found, err := program.Run(&interp.Launch{Buffers: [][]byte{buffer}, Grid: [3]uint32{1, 1, 1}, Checked: true})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"index 7 is outside of the 3 elements in v", "index 7 is outside of a value with 2 elements", "index -1 is outside of the 3 elements in v"} {
		if n >= len(found) || found[n].Code != diag.OutOfBounds || !strings.HasPrefix(found[n].Message, want) {
			t.Errorf("finding %d of %v is not: %s", n, found, want)
		}
	}
	if len(found) != 3 {
		t.Errorf("%d findings", len(found))
	}
	for n, want := range []uint32{2, 3, 3, 0} {
		if got := binary.LittleEndian.Uint32(buffer[4*n:]); got != want {
			t.Errorf("out[%d] is %d, want %d", n, got, want)
		}
	}
}

// TestSpans tests that every instruction has the span of its source.
func TestSpans(t *testing.T) {
	const program = `@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
  var sum = 1.0;
  for (var k = i; k < 9; k++) {
    if out[k] > 2.0 {
      break;
    }
    sum += sqrt(out[k]);
  }
  out[i + 1] = -sum;
}`
	want := map[op.Op]string{
		op.Sqrt: "sqrt(out[k])",
		op.Gt:   "out[k] > 2.0",
		op.Lt:   "k < 9",
		op.Neg:  "-sum",
		op.Loop: "for (var k = i; k < 9",
		op.If:   "if out[k] > 2.0",
	}
	m := load(t, "spans.wgsl", program, lower.Options{})
	f := m.Func("main")
	got := map[op.Op]string{}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		text := m.Sources.Text(f.SpanOf(i))
		if text == "" || f.SpanOf(i) == (source.Span{}) {
			t.Errorf("%s comes from nowhere", f.InstText(i))
		}
		if want[f.Op(i)] != "" {
			got[f.Op(i)] = text
		}
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("(-want +got)\n%s", difference)
	}
}
