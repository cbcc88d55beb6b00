package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestReadBuffers: which buffers have to be filled anew before each launch that is measured.
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
		{"raise(&x[0]);", "nwxy"}, // which one a parameter leads to is not looked for
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

// TestSamples: samples of many launches leave what one launch leaves, of a kernel that works in
// place, too.
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
		t.Skip("there is no GPU, nor Vulkan in software")
	}
	t.Chdir(t.TempDir())
	mustWrite(t, "k.wgsl", `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> n: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<uniform> by: u32;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&x) { x[id.x] *= by; y[id.x] = 7 + by; atomicAdd(&n, 1); }
}
`, 0o644)
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
	var stdout, stderr bytes.Buffer
	if code := gpuc.execute(&environment{stdout: &stdout, stderr: &stderr}, strings.Fields("run k.wgsl -device "+device+
		" -bind x=1,2,3 -bind y=zeros(3) -bind by=3 -extent 3 -repeat 4 -json")); code != 0 {
		t.Fatal(stdout.String(), stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	r := &answer.Results
	// one where the machine is so busy that it fills a sample
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

// TestLaunchClock: the kernels around which launches are measured are compiled and run on every
// device that there is.
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
