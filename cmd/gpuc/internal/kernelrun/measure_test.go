package kernelrun

import (
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl"
	_ "github.com/gpuc/gpuc/internal/testmode" // no cache of kernels
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestReadBuffers: readBuffers finds the buffers that a kernel may read.
func TestReadBuffers(t *testing.T) {
	for _, test := range []struct {
		body string
		read string // the buffers, in their order
	}{
		{"x[i] = 1;", ""},
		{"x[i] = arrayLength(&y);", ""},
		{"x[i] = y[i];", "y"},
		{"x[i] += 1;", "x"},
		{"let p = &x[i]; *p = 2;", ""},
		{"let p = &x[i]; *p = *p;", "x"},
		{"w = W(array(1, 2));", ""},
		{"w.a[1] = w.a[i];", "w"},
		{"x[0] = atomicLoad(&n);", "n"},
		{"atomicStore(&n, 1);", ""},
		{"atomicMax(&n, 1);", "n"},
		{"x[0] = helper();", "y"},
		{"let a = w; x[0] = a.a[i];", "w"},
		{"raise(&x[0]);", "nwxy"}, // a parameter may point to any
	} {
		text := `struct W { a: array<u32, 2> }
@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> w: W;
@group(0) @binding(2) var<storage, read_write> x: array<u32>;
@group(1) @binding(0) var<storage, read_write> y: array<u32>;
fn helper() -> u32 { return y[1]; }
fn raise(p: ptr<storage, u32, read_write>) { *p = *p + 1; }
@compute @workgroup_size(1) fn other() { x[0] = x[1] + y[1] + w.a[0] + atomicLoad(&n); }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { let i = id.x; ` + test.body + " }"
		set, list := new(source.Set), new(diag.List)
		file, err := set.Add("k.wgsl", text)
		if err != nil {
			t.Fatal(err)
		}
		m := wgsl.Load(set, file, wgsl.Options{}, list)
		if list.Errors() > 0 {
			t.Fatalf("%s: %s", test.body, list.Items()[0].Message)
		}
		read, got := readBuffers(m, "main"), ""
		for _, b := range []struct {
			name           string
			group, binding uint32
		}{{"n", 0, 0}, {"w", 0, 1}, {"x", 0, 2}, {"y", 1, 0}} {
			if read(b.group, b.binding) {
				got += b.name
			}
		}
		if got != test.read {
			t.Errorf("%s reads %q, want %q", test.body, got, test.read)
		}
	}
}

// TestLaunchClock: the kernels of the clock run on every device.
func TestLaunchClock(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		device, err := gpu.Open(gpu.Named(info.ID()))
		if err != nil {
			t.Fatal(err)
		}
		defer device.Close()
		stream, err := device.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		c, err := newLaunchClock(t.Context(), device, stream)
		if err != nil {
			t.Fatalf("%s: %v", info.ID(), err)
		}
		took, err := c.between(t.Context(), c.pause)
		if err != nil || took <= 0 || c.overhead < 0 {
			t.Errorf("%s: a pause takes %v, reading the clock %v: %v", info.ID(), took, c.overhead, err)
		}
		c.close()
	}
}
