package kernelrun

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/gpuc/gpuc/ir/counters"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestProfileText compares profiles with texts, whose numbers are computed by hand.
func TestProfileText(t *testing.T) {
	h100 := driver.Peak{BytesPerSecond: 3352e9, FlopsPerSecond: 66.9e12, Memory: "a bus", Arithmetic: "lanes"}
	for _, test := range []struct {
		name string
		p    profile
		want string
	}{
		{"bound by memory", profile{counts: &counters.Counts{Read: 2 << 30, Written: 1 << 30, Operations: 1 << 28}, time: 1550 * time.Microsecond, bound: 3 << 30, peak: h100, source: "the driver's", gpu: true},
			// 3221.2 MB in 1.55 ms are 2078 GB/s, of 3352: 0.62; 268.4 M in 1.55 ms are 173.2 G/s,
			// of 66900: 0.0026
			`profile  a launch takes 1.550 ms at the median
         buffers: 2078 GB/s, 62 % of the 3352 GB/s of its memory (a bus)
         arithmetic: 173 GFLOP/s, 0.26 % of the 66.9 TFLOP/s of f32 (lanes)
         it is nearer to the limit of memory, at 62 %
         these limits are the driver's
`},
		{"bound by arithmetic", profile{counts: &counters.Counts{Read: 1 << 40, Operations: 137438953472}, time: 4 * time.Millisecond, bound: 192 << 20, peak: h100, gpu: true},
			// 2^40 bytes in 4 ms are 274878 GB/s, 82 of 3352; 2^37 operations in 4 ms are 34.4
			// TFLOP/s, 0.514
			`profile  a launch takes 4.000 ms at the median
         buffers: 274878 GB/s, 8200 % of the 3352 GB/s of its memory (a bus)
         that is 5461.3 times the size of the bound buffers: caches serve repeated accesses
         arithmetic: 34.4 TFLOP/s, 51 % of the 66.9 TFLOP/s of f32 (lanes)
         it is nearer to the limit of memory, at 8200 %: caches serve what is above it
`},
		{"short", profile{counts: &counters.Counts{Read: 4000, Written: 4000}, time: 3 * time.Microsecond, bound: 8000, peak: h100, gpu: true},
			`profile  a launch takes 3.0 µs at the median
         buffers: 2.67 GB/s, 0.08 % of the 3352 GB/s of its memory (a bus)
         arithmetic: no operations on floats
         it is nearer to the limit of memory, at 0.08 %; a launch this short is for the most part its start, and a larger one tells more
`},
		{"processor", profile{counts: &counters.Counts{Read: 1e9, Operations: 1e6}, time: time.Second, bound: 1e9, peak: driver.Peak{BytesPerSecond: 20e9}, source: "measured"},
			`profile  a launch takes 1.000 s at the median
         buffers: 1 GB/s, 5 % of the 20 GB/s of its memory
         arithmetic: 1 MFLOP/s; its peak arithmetic rate is not known
         it is at 5 % of the limit of memory, the only one that is known, and far from it: waiting, integer operations, atomic operations, barriers or too few invocations take the time
         these limits are measured
`},
		{"unknown", profile{counts: &counters.Counts{Read: 1e9, Operations: 1e12}, time: time.Second, bound: 1e9, gpu: true},
			`profile  a launch takes 1.000 s at the median
         buffers: 1 GB/s; its peak memory bandwidth is not known
         arithmetic: 1 TFLOP/s; its peak arithmetic rate is not known
         no limit is known to compare it with
`},
	} {
		var b bytes.Buffer
		if test.p.print(&b); b.String() != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.name, b.String(), test.want)
		}
	}
}

// TestPeakOf: the peaks are those of the driver, of another driver of the card, of the table, or
// for a CPU measured.
func TestPeakOf(t *testing.T) {
	own := driver.Peak{BytesPerSecond: 1, FlopsPerSecond: 2}
	const name = "NVIDIA H100 80GB HBM3"
	cuda := gpu.Info{Driver: gpu.CUDA, Name: name, Kind: driver.GPU, Peak: own}
	none := func() ([]gpu.Info, error) { return nil, errors.New("a driver fails") }
	both := func() ([]gpu.Info, error) { return []gpu.Info{{Driver: gpu.Vulkan, Name: name}, cuda}, nil }
	for _, test := range []struct {
		info    gpu.Info
		devices func() ([]gpu.Info, error)
		bytes   float64
		source  string
	}{
		{cuda, none, 1, "the driver's"},
		{gpu.Info{Driver: gpu.Vulkan, Name: name, Kind: driver.GPU}, both, 1, "those that cuda:0 has for this card"},
		{gpu.Info{Driver: gpu.Vulkan, Name: name, Kind: driver.GPU}, none, 3.35e12, "those of the card's data sheet"},
		{gpu.Info{Driver: gpu.Vulkan, Name: "NVIDIA L4", Kind: driver.GPU}, none, 0.3e12, "those of the card's data sheet"},
		{gpu.Info{Driver: gpu.Vulkan, Name: "NVIDIA L40S", Kind: driver.GPU}, none, 0, ""},
		{gpu.Info{Driver: gpu.Vulkan, Name: "llvmpipe", Kind: driver.Software}, none, 7, "measured"},
		{gpu.Info{Driver: gpu.CPU, Name: name, Kind: driver.CPU}, both, 7, "measured"},
	} {
		measured := false
		peak, source := peakOf(test.info, test.devices, func() float64 { measured = true; return 7 })
		if peak.BytesPerSecond != test.bytes || source != test.source || measured != (source == "measured") {
			t.Errorf("%+v: got %+v, %s", test.info, peak, source)
		}
	}
}
