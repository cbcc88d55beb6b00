package vector_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/cpu/vector"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// prelude is what the kernels of these tests begin with. Their workgroups have any size.
const prelude = `
override size: u32;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<storage, read_write> count: array<atomic<u32>, 16>;
var<workgroup> shared_: array<u32, 1024>;
`

// kernels go different ways in different lanes, as the numbers in x have it. What they leave does
// not depend on the order of invocations.
var kernels = []struct{ name, text string }{
	{"branches", `
fn pick(v: u32) -> u32 { if (v % 3u == 0u) { return v * 5u; } if (v % 3u == 1u) { return v ^ 0xFFu; } return v; }
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x; if (i >= arrayLength(&y)) { return; }
  var v = x[i];
  switch (v % 7u) { case 0u: { v += 3u; } case 1u, 2u: { if (v > 1000u) { v = v / 3u; } else { v = pick(v); } } case 5u: { y[i] = 77u; return; } default: { v = v * v; } }
  y[i] = pick(v) + i;
}`},
	{"loops left at different times", `
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x; var a = x[i] % 50u; var b = 1u; var last = 0u; var n = 0u;
  loop {
    if (a == 0u) { break; }
    if (a % 4u == 1u) { a -= 1u; b = b * 3u; continue; }
    let t = a; a = b % 13u + a / 2u; b = t + b; last = t;
    if (n > 30u) { last = last + 1000u; break; }
    continuing { n++; }
  }
  y[i] = a + b * 7u + last * 31u + n;
}`},
	{"loops in loops", `
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x; var sum = 0u; let v = x[i];
  for (var k = 0u; k < v % 9u; k++) {
    var inner = v >> k;
    while (inner > 3u) { if ((inner & 8u) != 0u) { inner = inner >> 2u; if (inner % 5u == 0u) { break; } continue; } inner = inner / 3u; sum += inner; }
    if (sum > 100000u) { y[i] = sum; return; }
    for (var m = 0u; m < 4u; m++) { if (m == k) { continue; } sum = sum * 3u + m; }
  }
  y[i] = sum;
}`},
	{"values that are swapped", `
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) {
  var a = x[id.x]; var b = id.x; var c = 7u; var p = a > b;
  for (var k = 0u; k < 5u + (a & 3u); k++) { let t = a; a = b; b = c; c = t; if (p) { p = a < b; } else { p = c > a; } }
  y[id.x] = a * 3u + b * 5u + c + select(0u, 100u, p);
}`},
	{"sums of a loop that are read behind it", `
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) {
  var sum = 0u; var k = 0u; let v = x[id.x];
  loop { sum = sum * 31u + (v >> k); k += 1u; if (k >= 5u) { break; } }
  let a = v * 3u; let b = a ^ 5u; let c = b + a * 7u; let d = c ^ (b >> 3u);
  var other = d; loop { other = other * 3u + a; k += 1u; if (k >= 9u) { break; } }
  y[id.x] = sum + (a & b) * c + d * other;
}`},
	{"barriers", `
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  shared_[l] = x[id.x]; workgroupBarrier();
  var s = 0u;
  for (var k = 1u; k < size; k = k * 2u) {
    var v = 0u; if (l >= k) { v = shared_[l - k]; } workgroupBarrier();
    shared_[l] = shared_[l] + v; workgroupBarrier();
  }
  y[id.x] = shared_[l] + shared_[(l * 7u + 3u) % size];
}`},
	{"memory of one's own", `
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) {
  var a: array<u32, 20>; let v = x[id.x];
  for (var k = 0u; k < 20u; k++) { a[k] = v * k; }
  if (v % 2u == 0u) { a[v % 20u] = 5u; a[3] = 9u; }
  var s = 0u;
  for (var k = 0u; k < 20u; k += 1u + v % 3u) { s = s * 31u + a[k]; }
  y[id.x] = s + a[(v / 7u) % 20u] + a[4];
}`},
	{"atomics", `
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) {
  let v = x[id.x];
  atomicAdd(&count[v % 8u], v); if (v % 3u == 0u) { atomicMax(&count[8u + v % 4u], v); } else { atomicOr(&count[12], v); }
  atomicXor(&count[13], v); y[id.x] = v;
}`},
	{"floats", `
fn mix_(v: f32) -> f32 { return max(min(v * 1.5 - 2.0, 100.0), -3.0) + floor(v) * fract(v) + sqrt(abs(v)); }
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) {
  let v = bitcast<f32>(x[id.x]); var s = mix_(v);
  if (v > 0.0) { s = s + f32(i32(v)) - sin(v); } else if (v < -10.0) { s = exp2(v) / v; }
  y[id.x] = bitcast<u32>(s + f32(u32(v)) + clamp(v, -1.0, 1.0));
}`},
	{"numbers of workgroups", `
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) w: vec3u, @builtin(global_invocation_index) n: u32, @builtin(workgroup_index) m: u32, @builtin(num_workgroups) all: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = id.x + all.x * size * (id.y + all.y * id.z); var s = 0u;
  for (var k = 0u; k < w.x % 5u + w.y; k++) { s += x[(i + k * w.z) % arrayLength(&x)] + k; if (s % 7u == w.x % 7u) { break; } }
  if (w.x % 2u == 1u) { s = s * 3u + m; } else { s = s * 5u + n; }
  y[i % arrayLength(&y)] = s + (w.x + w.y * 3u + w.z * 7u) * 1000u + l;
}`},
	{"neighbours and others", `
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) w: vec3u) {
  let n = arrayLength(&y); let i = id.x;
  let v = x[i] + x[i + 1u] * 3u + x[n - 1u - i] * 5u + x[x[i] % n] * 7u + x[5] + x[(i / 4u) * 4u] + x[i - 1u];
  y[(i + 3u) % n] = v;
  if (i % 2u == 0u) { y[(i + 3u) % n] = v + 1u; }
}`},
}

// sizes are workgroups of one lane, of less than a vector, of parts of vectors and words of masks,
// and long ones.
var sizes = []uint32{1, 7, 8, 33, 64, 255, 256, 1000}

// program is one kernel for both executors.
type program struct {
	columns  *vector.Program
	checked  *interp.Program
	bindings []abi.Binding
}

func compile(t *testing.T, text string, settings ...ir.Setting) *program {
	t.Helper()
	return compileWith(t, text, codegen.Options{}, settings...)
}

func compileWith(t *testing.T, text string, options codegen.Options, settings ...ir.Setting) *program {
	t.Helper()
	p, err := jit.Parse("test.wgsl", text, options)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Compile(abi.CPU, "main", settings...)
	if err != nil {
		t.Fatal(err)
	}
	var set source.Set
	var list diag.List
	file, err := set.Add("test.ir", string(a.Code))
	if err != nil {
		t.Fatal(err)
	}
	m := ir.Parse(&set, file, &list)
	if m == nil {
		t.Fatal(list.Items())
	}
	f := m.Func("main")
	s, err := lower.Build(m, f)
	if err != nil {
		t.Fatal(err)
	}
	c, err := vector.Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	i, err := interp.Compile(m, f)
	if err != nil {
		t.Fatal(err)
	}
	return &program{c, i, a.Kernel.Bindings}
}

// TestSizes runs kernels whose lanes part with workgroups of many sizes, and holds what they leave
// against the interpreter. The numbers of x are small ones, large ones, and bits of floats.
func TestSizes(t *testing.T) {
	for _, k := range kernels {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s of %d", k.name, size), func(t *testing.T) {
				p := compile(t, prelude+k.text, ir.Setting{Key: "size", Value: float64(size)})
				groups := 1 + 600/size
				grid := [3]uint32{groups, 1, 1}
				if k.name == "numbers of workgroups" {
					grid, groups = [3]uint32{groups, 3, 2}, 6*groups
				}
				random := rand.New(rand.NewPCG(uint64(size), 1))
				buffers := func() [][]byte {
					var list [][]byte
					for range p.bindings {
						list = append(list, make([]byte, 4*groups*size))
					}
					return list
				}
				first := buffers()
				for n, b := range p.bindings {
					if b.Name == "count" {
						first[n] = make([]byte, 64)
					}
					if b.Name != "x" {
						continue
					}
					for at := 0; at < len(first[n]); at += 4 {
						bits := random.Uint32()
						switch random.IntN(4) {
						case 0:
							bits %= 100
						case 1:
							bits = bits>>9 | 0x3F800000 + bits&7<<24
						case 2:
							bits = bits>>9 | 0xBF800000 + bits&7<<24
						}
						binary.NativeEndian.PutUint32(first[n][at:], bits)
					}
				}
				run := func(run func(*interp.Launch) ([]diag.Diagnostic, error)) [][]byte {
					l := &interp.Launch{Grid: grid}
					for _, b := range first {
						l.Buffers = append(l.Buffers, bytes.Clone(b))
					}
					if _, err := run(l); err != nil {
						t.Fatal(err)
					}
					return l.Buffers
				}
				want := run(p.checked.Run)
				compare := func(who string, got [][]byte) {
					for n, b := range p.bindings {
						for at := 0; at < len(got[n]); at += 4 {
							if g, w := binary.NativeEndian.Uint32(got[n][at:]), binary.NativeEndian.Uint32(want[n][at:]); g != w {
								t.Fatalf("%s: word %d of %s is %#x, expected %#x", who, at/4, b.Name, g, w)
							}
						}
					}
				}
				compare("columns", run(p.columns.Run))
			})
		}
	}
}

// endless are kernels that end when a number in x is another one than it is. They loop in loops
// that all lanes stay in, and in loops that some leave, from whose middle others go on.
var endless = []string{`
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  var n = 0u; loop { if (x[0] == 1u) { break; } n++; } y[id.x] = n;
}`, `
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  var n = id.x; loop { if (n % 64u == 3u) { break; } if (n % 2u == 0u) { n += 2u; if (x[0] == 0u) { continue; } } if (n > 1000000000u) { n = 0u; } n += 4u; } y[id.x] = n;
}`}

// TestEnd ends launches that would not: by their fuel, and by their context.
func TestEnd(t *testing.T) {
	for n, text := range endless {
		p := compile(t, strings.Replace(prelude, "override size: u32;", "", 1)+text)
		launch := func() *interp.Launch {
			l := &interp.Launch{Grid: [3]uint32{3, 1, 1}}
			for range p.bindings {
				l.Buffers = append(l.Buffers, make([]byte, 4*64*3))
			}
			return l
		}
		l := launch()
		l.Fuel = 1 << 20
		found, err := p.columns.Run(l)
		if err != nil || len(found) != 1 || found[0].Code != diag.FuelExhausted {
			t.Errorf("kernel %d: with fuel it ends with %v and %v", n, found, err)
		}
		l = launch()
		var cancel context.CancelFunc
		l.Context, cancel = context.WithCancel(context.Background())
		l.Progress = func(done, total uint64) {
			if done != 0 || total != 3 {
				t.Errorf("kernel %d: %d of %d workgroups are done", n, done, total)
			}
			cancel()
		}
		if _, err := p.columns.Run(l); !errors.Is(err, context.Canceled) {
			t.Errorf("kernel %d: after its context was cancelled it ends with %v", n, err)
		}
	}
}
