package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestRecordsInNumPy: gpuc reads records that NumPy writes, and NumPy reads those that gpuc writes
// and compares their fields.
func TestRecordsInNumPy(t *testing.T) {
	python := os.Getenv("GPUC_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import numpy").Run(); err != nil {
		t.Skip("skipped: there is no Python with NumPy: name one in GPUC_PYTHON (Debian: python3-numpy)")
	}
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", `enable f16;
struct Inner { h: vec3<f16>, k: u32 }
struct S { a: f32, v: vec3f, inner: array<Inner, 2>, m: mat3x3f, n: i32, w: array<vec3f, 2> }
struct Tail { count: u32, list: array<S> }
@group(0) @binding(0) var<storage, read_write> s: array<S>;
@group(0) @binding(1) var<storage, read_write> tail: Tail;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
  s[id.x].n += 1;
  tail.list[id.x].n += 1;
}`)
	const source = `
import numpy as np, sys
inner = np.dtype([('k', '<u4'), ('h', '<f2', (3,))])
s = np.dtype([('n', '<i8'), ('w', '<f4', (2, 3)), ('m', '<f8', (3, 3)), ('inner', inner, (2,)), ('v', '<f4', (3,)), ('a', '<f8')], align=True)
def make(shape, seed):
    r, x = np.random.default_rng(seed), np.zeros(shape, s)
    for name in 'w', 'm', 'v', 'a': x[name] = r.integers(-1000, 1000, x[name].shape)
    x['n'] = r.integers(-9, 9, x['n'].shape)
    for name in 'k', 'h': x['inner'][name] = r.integers(0, 100, x['inner'][name].shape)
    return x
def same(x, y):
    if x.dtype.names:
        return all(same(x[n], y[n]) for n in x.dtype.names)
    return x.dtype.itemsize >= 2 and np.array_equal(x, y[..., :x.shape[-1]] if x.shape and x.shape[-1] == 3 else y)
`
	run := func(script string) {
		t.Helper()
		if out, err := exec.Command(python, "-c", source+script).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run(`
np.save('s.npy', make((2, 3), 1))
t = np.zeros((), [('list', s, (4,)), ('count', 'u4')]); t['list'] = make(4, 2); t['count'] = 7
np.save('tail.npy', t)`)
	_, stderr := succeed(t, "run", "k.wgsl", "-device", "cpu", "-bind", "s=s.npy", "-bind", "tail=tail.npy",
		"-extent", "6", "-out", "s=s2.npy", "-out", "tail=tail2.npy")
	run(`
a, b = make((2, 3), 1), np.load('s2.npy')
a['n'] += 1
assert same(a, b), b
t, u = np.load('tail.npy'), np.load('tail2.npy')
l = t['list']; l['n'] += 1
assert u['count'] == 7 and u['list'].shape == (4,) and same(l, u['list']), u
assert b.shape == (2, 3), b.shape`)
	for _, want := range []string{"s.npy (in n) holds int64", "s.npy (in m) holds float64", "tail.npy (in list.a) holds float64"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q does not say %q", stderr, want)
		}
	}
}

// TestFormOf compares the dtypes and shapes of types with those found by hand.
func TestFormOf(t *testing.T) {
	t.Chdir(t.TempDir())
	bytesOf := map[string]int{"vec4i": 16, "S": 32, "T": 48}
	for typ, want := range map[string]string{
		"array<f32>":              "'<f4', 'fortran_order': False, 'shape': (16,)",
		"array<vec2f>":            "'<f4', 'fortran_order': False, 'shape': (8, 2)",
		"array<vec3f>":            "'<f4', 'fortran_order': False, 'shape': (4, 4)",
		"array<mat2x4f>":          "'<f4', 'fortran_order': False, 'shape': (2, 2, 4)",
		"array<array<u32, 4>, 4>": "'<u4', 'fortran_order': False, 'shape': (4, 4)",
		"vec4i":                   "'<i4', 'fortran_order': False, 'shape': (4,)",
		"array<atomic<u32>>":      "'<u4', 'fortran_order': False, 'shape': (16,)",
		"S":                       "[('a', '<f4'), ('', '|V12'), ('v', '<f4', (3,)), ('', '|V4')], 'fortran_order': False, 'shape': ()",
		"array<S>":                "[('a', '<f4'), ('', '|V12'), ('v', '<f4', (3,)), ('', '|V4')], 'fortran_order': False, 'shape': (2,)",
		"T":                       "[('n', '<u4'), ('', '|V12'), ('l', [('a', '<f4'), ('', '|V12'), ('v', '<f4', (3,)), ('', '|V4')], (1,))], 'fortran_order': False, 'shape': ()",
	} {
		write(t, "k.wgsl", "struct S { a: f32, v: vec3f } struct T { n: u32, l: array<S> }\n@group(0) @binding(0) var<storage, read_write> x: "+typ+
			";\n@compute @workgroup_size(1) fn main() { _ = &x; }")
		write(t, "x.bin", strings.Repeat("\x00", cmp.Or(bytesOf[typ], 64)))
		succeed(t, "run", "k.wgsl", "-device", "cpu", "-bind", "x=x.bin", "-grid", "1", "-out", "x=x.npy")
		if data := read(t, "x.npy"); !strings.Contains(data, fmt.Sprintf("{'descr': %s, }", want)) {
			t.Errorf("%s: %.200q, want %s", typ, data, want)
		}
	}
}
