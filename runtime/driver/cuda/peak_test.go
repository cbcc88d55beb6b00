package cuda

import (
	"math"
	"strings"
	"testing"
)

// TestPeak compares peaks with NVIDIA's data sheets, in bytes and f32 operations per second:
//
//	H100 SXM        3.35 TB, 67 T      A100 SXM 80 GB  2039 GB, 19.5 T
//	RTX 4090        1008 GB, 82.6 T    V100 SXM2       900 GB, 15.7 T
func TestPeak(t *testing.T) {
	for _, test := range []struct {
		machine                     uint32
		clock, count, memory, width uint32
		bytes, flops                float64
	}{
		{90, 1980000, 132, 2619000, 5120, 3.35e12, 67e12},
		{80, 1410000, 108, 1593000, 5120, 2.039e12, 19.5e12},
		{89, 2520000, 128, 10501000, 384, 1.008e12, 82.6e12},
		{70, 1530000, 80, 877000, 4096, 0.9e12, 15.7e12},
	} {
		p := peakOf(test.machine, func(which uintptr) uint32 {
			return map[uintptr]uint32{13: test.clock, 16: test.count, 36: test.memory, 37: test.width}[which]
		})
		if math.Abs(p.BytesPerSecond/test.bytes-1) > 0.003 || math.Abs(p.FlopsPerSecond/test.flops-1) > 0.003 || p.Memory == "" || p.Arithmetic == "" {
			t.Errorf("%d: %+v", test.machine, p)
		}
	}
	if p := peakOf(90, func(uintptr) uint32 { return 0 }); p.BytesPerSecond != 0 || p.FlopsPerSecond != 0 {
		t.Errorf("of nothing follows %+v", p)
	}
	if p := peakOf(60, func(uintptr) uint32 { return 1 }); p.FlopsPerSecond != 0 {
		t.Errorf("of a device older than the table is known %+v", p)
	}
}

// TestMatrices are those of compute capabilities that NVIDIA's names of architectures have: Volta,
// Turing, Ampere, Ada and Hopper.
func TestMatrices(t *testing.T) {
	for machine, want := range map[uint32]string{60: "", 70: "f16", 75: "f16 i8", 86: "f16 i8 bf16 tf32 f64",
		89: "f16 i8 bf16 tf32 f64 e4m3 e5m2", 90: "f16 i8 bf16 tf32 f64 e4m3 e5m2"} {
		if got := strings.Join(matricesOf(machine), " "); got != want {
			t.Errorf("%d: %q, want %q", machine, got, want)
		}
	}
}
