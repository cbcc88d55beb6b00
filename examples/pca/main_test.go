package main

import (
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestDigits compares with scikit-learn's PCA, as testdata/make.py prints it, and looks at the
// picture.
func TestDigits(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	points, classes, err := load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := analyse(device, points)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got float32, want float64) {
		t.Helper()
		if !(math.Abs(float64(got)-want) <= 1e-5*max(want, 100)) {
			t.Errorf("%s is %v, and scikit-learn's %v", what, got, want)
		}
	}
	for k, want := range []float64{0.14890593584063844, 0.1361877123963544, 0.11794593763975791, 0.08409979421009181, 0.057824146640055286} {
		if !(math.Abs(float64(c.shares[k])-want) <= 1e-6) {
			t.Errorf("component %d has %v of the variance, and scikit-learn's %v", k, c.shares[k], want)
		}
	}
	for k, want := range map[int]float64{0: 567.0065665016215, 1: 542.2518542148957, 2: 504.6305942070319, 59: 1.089790139444789, 60: 0.8604377120973422} {
		near("a singular value", c.values[k], want)
	}
	for i, want := range [][2]float64{{1.2594664501015975, 21.274883480738396}, {7.957611300010645, 20.768698956046165}, {6.991922967203137, 9.955986407732198}} {
		for k := range want { // signs are arbitrary
			near("a coordinate", float32(math.Abs(float64(c.positions[2*i+k]))), want[k])
		}
	}
	counts := [10]int{}
	for _, class := range classes {
		counts[class]++
	}
	if counts != [10]int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180} {
		t.Errorf("classes have %v digits", counts)
	}

	t.Chdir(t.TempDir())
	var text strings.Builder
	if err := run(&text, device); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "pca.png shows 28.5 % of the variance of 1797 digits in two dimensions of 64, on ") {
		t.Errorf("it says %q", text.String())
	}
	f, err := os.Open("pca.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[3]uint32]int{}
	for y := range size {
		for x := range size {
			r, g, b, _ := m.At(x, y).RGBA()
			seen[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	for class, c := range colors {
		if n := seen[[3]uint32{uint32(c.R), uint32(c.G), uint32(c.B)}]; n < 300 {
			t.Errorf("%d pixels have the color of class %d", n, class)
		}
	}
	if len(seen) != len(colors)+1 {
		t.Errorf("the plane has %d colors", len(seen))
	}
}
