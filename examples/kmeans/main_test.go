package main

import (
	"errors"
	"image"
	"image/png"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestCluster: each pixel has the nearest colour, and each colour is the mean of its pixels, as
// loops in float64 find. All devices find the same.
func TestCluster(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails, and its devices are left out: %v", err)
	}
	p := pixels(evening(96, 72))
	var before *clusters
	for _, info := range infos {
		if info.Target == abi.Checked || info.Driver != gpu.CPU && !testmode.IsLong() {
			continue
		}
		c, err := cluster(t.Context(), gputest.Open(t, gpu.Named(info.ID())), p, 6)
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !reflect.DeepEqual(c, before) {
			t.Errorf("%s finds other colours than the device before", info.ID())
		}
		before = c
	}
	c := before
	if c.iterations < 3 || c.iterations == 50 {
		t.Errorf("%d iterations", c.iterations)
	}
	sums, sizes := make([][3]float64, 6), make([]uint32, 6)
	for i, nearest := range c.nearest {
		x := p.at(i)
		for k, colour := range c.colours {
			if d := square(x, c.colours[nearest]) - square(x, colour); d > 1e-6 {
				t.Fatalf("pixel %d has colour %d, and %d is nearer, by %g", i, nearest, k, d)
			}
		}
		for k := range x {
			sums[nearest][k] += float64(x[k])
		}
		sizes[nearest]++
	}
	if !reflect.DeepEqual(sizes, c.sizes) {
		t.Errorf("the sizes are %v, want %v", c.sizes, sizes)
	}
	for i, sum := range sums {
		for k, v := range sum {
			if mean := v / float64(sizes[i]); math.Abs(mean-float64(c.colours[i][k])) > 1e-4 {
				t.Errorf("colour %d, channel %d is %v, and the mean %v", i, k, c.colours[i][k], mean)
			}
		}
	}
}

// TestRun runs the program with its own picture, and with a file.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	small, err := os.Create("small.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(small, evening(60, 45)), small.Close()); err != nil {
		t.Fatal(err)
	}
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	for _, arguments := range [][]string{nil, {"small.png", "3"}} {
		var said strings.Builder
		if err := run(&said, device, arguments); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(said.String(), "kmeans.png has ") {
			t.Errorf("it says %q", said.String())
		}
		file, err := os.Open("kmeans.png")
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		size := image.Pt(400, 300)
		if arguments != nil {
			size = image.Pt(60, 45)
		}
		if got := picture.Bounds().Size(); got != image.Pt(2*size.X, size.Y+size.Y/10) {
			t.Errorf("the picture has %v pixels", got)
		}
		colours := map[[3]uint32]bool{} // of the right half
		for y := range size.Y {
			for x := range size.X {
				r, g, b, _ := picture.At(size.X+x, y).RGBA()
				colours[[3]uint32{r, g, b}] = true
			}
		}
		if want := []int{8, 3}[len(arguments)/2]; len(colours) != want {
			t.Errorf("%d colours, want %d", len(colours), want)
		}
	}
	for _, arguments := range [][]string{{"none.png"}, {"small.png", "0"}, {"small.png", "257"}, {"small.png", "x"}} {
		if err := run(new(strings.Builder), device, arguments); err == nil {
			t.Errorf("%q is no error", arguments)
		}
	}
}
