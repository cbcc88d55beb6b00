package signal

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// results are SciPy's, as testdata/make.py writes them. Complex numbers are pairs.
type results struct {
	Windows  map[string]map[int][]float64
	Periodic []float64
	FFT      []struct {
		Shape                   []int
		X, Forward, Ortho, Real [][2]float64
		Samples                 []float64
	}
	Convolve []struct {
		Signal, Kernel      []int
		X, H                []float64
		Convolve, Correlate [3][]float64
	}
	Sosfilt struct{ Sos, X, Y []float64 }
	DCT     []struct {
		Kind            int
		X, Plain, Ortho []float64
	}
}

func complexOf(x [][2]float64) []complex128 {
	list := make([]complex128, len(x))
	for k, v := range x {
		list[k] = complex(v[0], v[1])
	}
	return list
}

// near fails if numbers differ by more than some ULP of 1.
func near(t *testing.T, name string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", name, len(got), len(want))
		return
	}
	for k, v := range want {
		if !(math.Abs(got[k]-v) < 4e-15) {
			t.Errorf("%s: number %d is %v, want %v", name, k, got[k], v)
		}
	}
}

func TestSciPy(t *testing.T) {
	var want results
	text, err := os.ReadFile("testdata/scipy.json")
	check(t, err)
	check(t, json.Unmarshal(text, &want))

	windows := map[string]Window{
		"Rectangular": Rectangular, "Bartlett": Bartlett, "Hann": Hann, "Hamming": Hamming, "Blackman": Blackman, "BlackmanHarris": BlackmanHarris,
		"Nuttall": Nuttall, "FlatTop": FlatTop, "Gaussian": Gaussian(3.5), "Tukey": Tukey(0.4), "Kaiser": Kaiser(8.6),
	}
	if len(want.FFT) == 0 || len(want.Convolve) == 0 || len(want.DCT) == 0 {
		t.Error("there are no transforms or convolutions of SciPy")
	}
	if len(want.Windows) != len(windows) {
		t.Errorf("SciPy has %d windows, and this package %d", len(want.Windows), len(windows))
	}
	for name, sizes := range want.Windows {
		for n, w := range sizes {
			near(t, name, windows[name](n), w)
		}
	}
	near(t, "Periodic", Periodic(Hann, 12), want.Periodic)

	s := stream(t, gpu.CPU)
	for _, f := range want.FFT {
		x := buffer(t, s, complexOf(f.X))
		y := buffer(t, s, make([]complex128, len(f.X)))
		plan := must(PlanFFT[complex128](s, f.Shape, 1))
		check(t, plan.Forward(x, y))
		if e := relativeError(read(t, s, y), complexOf(f.Forward)); !(e < 1e-15) {
			t.Errorf("forward transform of %v: an error of %.3g", f.Shape, e)
		}
		plan = must(PlanFFT[complex128](s, f.Shape, 1, Normalize(Ortho)))
		check(t, plan.Inverse(x, y))
		if e := relativeError(read(t, s, y), complexOf(f.Ortho)); !(e < 1e-15) {
			t.Errorf("orthogonal inverse transform of %v: an error of %.3g", f.Shape, e)
		}
		spectrum := buffer(t, s, make([]complex128, len(f.Real)))
		check(t, must(PlanRealFFT[float64, complex128](s, f.Shape, 1)).Forward(buffer(t, s, f.Samples), spectrum))
		if e := relativeError(read(t, s, spectrum), complexOf(f.Real)); !(e < 1e-15) {
			t.Errorf("real transform of %v: an error of %.3g", f.Shape, e)
		}
	}
	for _, c := range want.Convolve {
		for mode := Full; mode <= Valid; mode++ {
			plan := must(PlanConvolution[float64](s, c.Signal, c.Kernel, 1, mode))
			y := buffer(t, s, make([]float64, len(c.Convolve[mode])))
			check(t, plan.Convolve(buffer(t, s, c.X), buffer(t, s, c.H), y))
			near(t, "convolve", read(t, s, y), c.Convolve[mode])
			check(t, plan.Correlate(buffer(t, s, c.X), buffer(t, s, c.H), y))
			near(t, "correlate", read(t, s, y), c.Correlate[mode])
		}
	}
	y := buffer(t, s, make([]float64, len(want.Sosfilt.X)))
	check(t, Sections(s, buffer(t, s, want.Sosfilt.Sos), buffer(t, s, make([]float64, len(want.Sosfilt.Sos)/3)), buffer(t, s, want.Sosfilt.X), y, 1))
	near(t, "sosfilt", read(t, s, y), want.Sosfilt.Y)
	for _, c := range want.DCT {
		y := buffer(t, s, make([]float64, len(c.X)))
		check(t, must(PlanDCT[float64](s, c.Kind, len(c.X), 1)).Transform(buffer(t, s, c.X), y))
		near(t, "dct", read(t, s, y), c.Plain)
		check(t, must(PlanDCT[float64](s, c.Kind, len(c.X), 1, Normalize(Ortho))).Transform(buffer(t, s, c.X), y))
		near(t, "orthogonal dct", read(t, s, y), c.Ortho)
	}
}

// TestNormalize compares the scales of all normalizations with those of Unscaled.
func TestNormalize(t *testing.T) {
	s := stream(t, gpu.CPU)
	const n = 12
	host := random(n, 1)
	x, y := buffer(t, s, host), buffer(t, s, make([]complex128, n))
	transform := func(scale Normalization, inverse bool) []complex128 {
		plan := must(PlanFFT[complex128](s, []int{3, 4}, 1, Normalize(scale)))
		defer plan.Close()
		if inverse {
			check(t, plan.Inverse(x, y))
		} else {
			check(t, plan.Forward(x, y))
		}
		return read(t, s, y)
	}
	for _, c := range []struct {
		scale            Normalization
		forward, inverse float64
	}{{Backward, 1, 1.0 / n}, {Ortho, 1 / math.Sqrt(n), 1 / math.Sqrt(n)}, {Forward, 1.0 / n, 1}} {
		for _, inverse := range []bool{false, true} {
			want := transform(Unscaled, inverse)
			for k := range want {
				want[k] *= complex(map[bool]float64{false: c.forward, true: c.inverse}[inverse], 0)
			}
			if e := relativeError(transform(c.scale, inverse), want); !(e < 1e-15) {
				t.Errorf("normalization %d, inverse %v: an error of %.3g", c.scale, inverse, e)
			}
		}
	}
	if e := relativeError(transform(Unscaled, true), reference(host, []int{3, 4}, true)); !(e < 1e-15) {
		t.Errorf("without a scale: an error of %.3g", e)
	}
}
