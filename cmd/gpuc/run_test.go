package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/termimage"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
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

// TestPipeArray: -bind x=- reads a NumPy array, and -out x=- writes one with the same bytes as
// NumPy.
func TestPipeArray(t *testing.T) {
	array := func(numbers ...uint32) []byte {
		header := fmt.Sprintf("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }", len(numbers))
		header += strings.Repeat(" ", 128-10-len(header)-1) + "\n"
		file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
		file = append(file, header...)
		for _, x := range numbers {
			file = binary.LittleEndian.AppendUint32(file, x)
		}
		return file
	}
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] *= 3u; }
`)
	for _, spec := range []string{"x=-", "x=-:npy"} {
		var stdout, stderr bytes.Buffer
		e := &cli.Env{Stdin: bytes.NewReader(array(1, 20, 300)), Stdout: &stdout, Stderr: &stderr}
		code := gpuc.Execute(e, []string{"run", "-device", "cpu", "-bind", spec, "-extent", "3", "-out", spec, "k.wgsl"})
		if code != 0 || !bytes.Equal(stdout.Bytes(), array(3, 60, 900)) {
			t.Errorf("%s ends with %d, and %q\n%s", spec, code, stdout.String(), stderr.String())
		}
		if !strings.HasSuffix(stderr.String(), "wrote standard output, (3,)\n") {
			t.Errorf("%s says %s", spec, stderr.String())
		}
	}
	var stdout, stderr bytes.Buffer
	e := &cli.Env{Stdin: bytes.NewReader(array(1)), Stdout: &stdout, Stderr: &stderr}
	if code := gpuc.Execute(e, []string{"run", "-device", "cpu", "-bind", "x=-:bin", "-extent", "1", "k.wgsl"}); code != 0 ||
		// a header of 128 bytes and a u32
		!strings.Contains(stdout.String(), "x        u32[33]") {
		t.Errorf("raw, it is %s%s", stdout.String(), stderr.String())
	}
}

// TestProfileRuns: the report of a run has the profile, with the counts found by hand. -profile is
// refused without counts.
func TestProfileRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] = x[id.x] * x[id.x ^ 1] + x[id.x ^ 2]; }")
	line := []string{"run", "k.wgsl", "-device", "cpu", "-bind", "x=range(640)", "-grid", "10", "-profile"}
	stdout, _ := succeed(t, line...)
	for _, want := range []string{" of 10 launches, each between two readings of the host's clock, after 1 more\n", "7680 bytes read, 2560 written, 1280 floating-point operations", "\nprofile  a launch takes ", " of its memory (what copying was measured to move on all cores)\n",
		"; its peak arithmetic rate is not known\n", "         it is at ", "         that is 2.0 times the size of the bound buffers: "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("there is no %q in\n%s", want, stdout)
		}
	}
	if _, said, code := execute(append(line, "-count", "never")...); code != cli.ExitUsage || !strings.Contains(said, "-count=never counts nothing") {
		t.Errorf("ends with %d and says %s", code, said)
	}
}

// TestTrace: the events of a trace are nested or do not overlap, and the stages of a run are there.
func TestTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1; }")
	succeed(t, "run", "k.wgsl", "-device", "cpu", "-bind", "x=1", "-grid", "1",
		"-repeat", "2", "-out", "x=x.bin", "-trace", "t.json")
	var file struct {
		TraceEvents []struct {
			Name, Cat, Ph string
			Ts, Dur       float64
			Pid, Tid      int
		}
	}
	if err := json.Unmarshal([]byte(read(t, "t.json")), &file); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for n, e := range file.TraceEvents {
		if e.Ph != "X" {
			continue
		}
		seen[e.Cat+": "+e.Name]++
		for _, other := range file.TraceEvents[:n] {
			if other.Ph != "X" || other.Tid != e.Tid {
				continue
			}
			disjoint := e.Ts >= other.Ts+other.Dur-0.01 || other.Ts >= e.Ts+e.Dur-0.01
			within := e.Ts >= other.Ts-0.01 && e.Ts+e.Dur <= other.Ts+other.Dur+0.01
			around := other.Ts >= e.Ts-0.01 && other.Ts+other.Dur <= e.Ts+e.Dur+0.01
			if e.Dur < 0 || !disjoint && !within && !around {
				t.Errorf("%+v crosses %+v", e, other)
			}
		}
	}
	for _, want := range []string{"compile: front end", "compile: parse", "compile: check", "compile: lower to IR", "compile: compile for cpu", "compile: copy the kernel", "compile: mem2reg", "compile: verify",
		"compile: emit", "device: load the code", "upload: upload x",
		"launch: warm-up 1", "launch: run 1", "launch: run 2", "read: read x", "write: write x.bin"} {
		if seen[want] == 0 {
			t.Errorf("there is no event %s in %v", want, seen)
		}
	}
}

// TestSamples: the results of samples with many launches are those of one launch, although the
// kernel reads what it writes.
func TestSamples(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Fatal(err)
	}
	device := ""
	for _, info := range infos {
		if info.Driver != gpu.CPU && (device == "" || info.Kind == driver.GPU) {
			device = info.ID()
		}
	}
	if device == "" {
		t.Skip("skipped: there is no GPU, nor a software device of Vulkan")
	}
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> n: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<uniform> by: u32;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&x) { x[id.x] *= by; y[id.x] = 7 + by; atomicAdd(&n, 1); }
}
`)
	type buffer struct {
		Name  string
		First []string
	}
	var answer struct {
		Results struct {
			Seconds    []float64
			Statistics struct{ Launches int }
			Buffers    []buffer
		}
	}
	stdout, _ := succeed(t, strings.Fields("run k.wgsl -device "+device+" -bind x=1,2,3 -bind y=zeros(3) -bind by=3 -extent 3 -repeat 4 -json")...)
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		t.Fatal(err)
	}
	r := &answer.Results
	// on a busy machine one launch may fill a sample
	if len(r.Seconds) != 4 || r.Statistics.Launches < 1 {
		t.Errorf("%d samples of %d launches", len(r.Seconds), r.Statistics.Launches)
	}
	want := map[string]string{"x": "3 6 9", "n": "3", "y": "10 10 10"}
	for _, b := range r.Buffers {
		if got := strings.Join(b.First, " "); got != want[b.Name] {
			t.Errorf("%s is %s, want %s", b.Name, got, want[b.Name])
		}
		delete(want, b.Name)
	}
	if len(want) > 0 {
		t.Errorf("%v is missing", want)
	}
}

// TestAutoTextures: a kernel with textures runs on the same default device as others.
func TestAutoTextures(t *testing.T) {
	for _, target := range [...]abi.Target{abi.SPIRV, abi.PTX, abi.MSL, abi.CPU} {
		if all.For(target, 0).Handles == "" {
			t.Errorf("%s, which a driver takes, has no textures", target)
		}
	}
	want, message := "cpu:0", "no GPU found; running on the CPU"
	if device, err := gpu.Open(); err == nil {
		info := device.Info()
		want, message = info.ID(), ""
		device.Close()
	}
	t.Chdir(t.TempDir())
	write(t, "copy.wgsl", `
@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  textureStore(result, id.xy, textureLoad(photo, id.xy, 0));
}`)
	out, said := succeed(t, "run", "copy.wgsl", "-bind", "photo=16x16")
	if text := out + said; !strings.Contains(text, want) || message != "" && !strings.Contains(text, message) {
		t.Errorf("it does not run on %s, or does not say so (%s):\n%s", want, message, text)
	}
}

// TestThumbnailIsShown: an image that is written is shown on terminals that can, after its name.
func TestThumbnailIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "k.wgsl", "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { x[i] = 0xff0000ff; }")
	for images, want := range map[termimage.Protocol]bool{termimage.None: false, termimage.Kitty: true} {
		var stdout, stderr bytes.Buffer
		if code := gpuc.Execute(&cli.Env{Stdout: &stdout, Stderr: &stderr, Images: images}, []string{"run", "k.wgsl", "-device", "cpu", "-bind", "x=zeros(4)", "-grid", "1", "-out", "x=x.png:2x2"}); code != 0 {
			t.Fatal(stderr.String())
		}
		if strings.Contains(stdout.String(), "wrote x.png, 2x2\n\033_Ga=T") != want {
			t.Errorf("%q", stdout.String())
		}
	}
}
