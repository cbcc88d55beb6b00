package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

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
