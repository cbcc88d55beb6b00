package main

import (
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// The size of the pictures is no multiple of the size of workgroups.
const width, height = 37, 21

// tolerance is the largest error of float32 after some dozen additions of numbers up to 1.
const tolerance = 1e-5

// onBoth filters a picture on the device and as plain Go, and checks both results.
func onBoth(t *testing.T, photo picture, look func(t *testing.T, blurred picture, edges outline)) {
	t.Run("device", func(t *testing.T) {
		var text strings.Builder
		blurred, edges, err := filter(&text, gputest.Open(t, gpu.Named(gpu.CPU)), photo)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), "filtered 37 by 21 pixels") {
			t.Errorf("it says %q", text.String())
		}
		look(t, blurred, edges)
	})
	t.Run("go", func(t *testing.T) {
		blurred, edges := plain(photo)
		look(t, blurred, edges)
	})
}

// at returns a pixel, with coordinates clamped to the picture.
func at[T any](pixels []T, x, y int) T {
	return pixels[max(0, min(y, height-1))*width+max(0, min(x, width-1))]
}

func near(a float32, b float64) bool { return math.Abs(float64(a)-b) <= tolerance }

// TestFilter compares with sums over all 13 by 13 pixels in float64.
func TestFilter(t *testing.T) {
	photo := scene(width, height)
	var want [width * height][3]float64
	for i := range want {
		total := 0.0
		for y := -Radius; y <= Radius; y++ {
			for x := -Radius; x <= Radius; x++ {
				weight := math.Exp(-float64(x*x+y*y) / (2 * (Radius / 3.0) * (Radius / 3.0)))
				total += weight
				p := at(photo.pixels, i%width+x, i/width+y)
				for channel, value := range [3]float32{p.X, p.Y, p.Z} {
					want[i][channel] += weight * float64(value)
				}
			}
		}
		for channel := range want[i] {
			want[i][channel] /= total
		}
	}
	grey := func(x, y int) float64 {
		p := at(want[:], x, y)
		return 0.299*p[0] + 0.587*p[1] + 0.114*p[2]
	}
	onBoth(t, photo, func(t *testing.T, blurred picture, edges outline) {
		for i, p := range blurred.pixels {
			if !near(p.X, want[i][0]) || !near(p.Y, want[i][1]) || !near(p.Z, want[i][2]) {
				t.Fatalf("pixel %d, %d is %v, not %v", i%width, i/width, p, want[i])
			}
			x, y := i%width, i/width
			across := grey(x+1, y-1) + 2*grey(x+1, y) + grey(x+1, y+1) - grey(x-1, y-1) - 2*grey(x-1, y) - grey(x-1, y+1)
			along := grey(x-1, y+1) + 2*grey(x, y+1) + grey(x+1, y+1) - grey(x-1, y-1) - 2*grey(x, y-1) - grey(x+1, y-1)
			if edge := math.Hypot(across, along) / 4; !near(edges.edges[i], edge) {
				t.Fatalf("the edge at %d, %d is %v, not %v", x, y, edges.edges[i], edge)
			}
		}
	})
}

// TestConstant filters a picture of one colour, which must not change and has no edges.
func TestConstant(t *testing.T) {
	colour := gpu.V3f(0.25, 0.5, 0.875)
	photo := picture{width, make([]gpu.Vec3f, width*height)}
	for i := range photo.pixels {
		photo.pixels[i] = colour
	}
	onBoth(t, photo, func(t *testing.T, blurred picture, edges outline) {
		for i, p := range blurred.pixels {
			if gpu.Distance(p, colour) > tolerance || edges.edges[i] > tolerance {
				t.Fatalf("pixel %d, %d is %v, with an edge of %v", i%width, i/width, p, edges.edges[i])
			}
		}
	})
}

// TestStep filters a step from black to white. Its edge becomes wider by the blur, and remains
// strongest in the middle.
func TestStep(t *testing.T) {
	const first = 16 // white column
	photo := picture{width, make([]gpu.Vec3f, width*height)}
	for i := range photo.pixels {
		if i%width >= first {
			photo.pixels[i] = gpu.V3f(1, 1, 1)
		}
	}
	sharp := func(t *testing.T, edges []float32) {
		t.Helper()
		for i, e := range edges {
			want := 0.0
			if x := i % width; x == first-1 || x == first {
				want = 1
			}
			if !near(e, want) {
				t.Fatalf("the edge at %d, %d is %v, not %v", i%width, i/width, e, want)
			}
		}
	}
	edges := make([]float32, width*height)
	if err := RunEdges(context.Background(), gputest.Open(t, gpu.Named(gpu.CPU)), cover(width, height), width, photo.pixels, edges); err != nil {
		t.Fatal(err)
	}
	sharp(t, edges)
	clear(edges)
	GoEdges(cover(width, height), width, photo.pixels, edges)
	sharp(t, edges)

	onBoth(t, photo, func(t *testing.T, blurred picture, edges outline) {
		for i, e := range edges.edges {
			// the columns on both sides of the step are its middle
			distance := max(i%width-first, first-1-i%width)
			switch {
			case distance == 0 && e < 0.25:
				t.Fatalf("the edge at %d, %d is only %v", i%width, i/width, e)
			case distance > 0 && e >= at(edges.edges, first, i/width):
				t.Fatalf("the edge at %d, %d is %v, as strong as at the step", i%width, i/width, e)
			case distance > Radius && e > tolerance:
				t.Fatalf("the edge at %d, %d is %v, which is too far away", i%width, i/width, e)
			}
		}
	})
}

// TestRun checks the written files, and that no other files remain.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	device, photo := gputest.Open(t, gpu.Named(gpu.CPU)), scene(width, height)
	save := func(name string, encode func(*os.File) error) {
		t.Helper()
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := encode(file); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	save("photo.png", func(f *os.File) error { return png.Encode(f, photo.image()) })
	save("photo.jpg", func(f *os.File) error { return jpeg.Encode(f, photo.image(), &jpeg.Options{Quality: 100}) })
	for _, name := range []string{"photo.png", "photo.jpg"} {
		var text strings.Builder
		if err := run(&text, device, []string{name}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), "wrote blurred.png, 37 by 21 pixels\nwrote edges.png, 37 by 21 pixels\n") {
			t.Errorf("it says %q", text.String())
		}
		source, err := read(name)
		if err != nil {
			t.Fatal(err)
		}
		blurred, err := read("blurred.png")
		if err != nil {
			t.Fatal(err)
		}
		edges, err := read("edges.png")
		if err != nil {
			t.Fatal(err)
		}
		wantBlurred, wantEdges := plain(source)
		if blurred.width != width || edges.width != width || len(blurred.pixels) != width*height || len(edges.pixels) != width*height {
			t.Fatalf("they have %d and %d columns", blurred.width, edges.width)
		}
		for i, p := range blurred.pixels {
			apart := p.Sub(wantBlurred.pixels[i])
			// files have 256 levels, so they are rounded by up to half of one
			if max(gpu.Abs(apart.X), gpu.Abs(apart.Y), gpu.Abs(apart.Z)) > 0.51/255 {
				t.Fatalf("%s: pixel %d, %d is %v, not %v", name, i%width, i/width, p, wantBlurred.pixels[i])
			}
			if e := edges.pixels[i].X; gpu.Abs(e-min(4*wantEdges.edges[i], 1)) > 0.51/255 {
				t.Fatalf("%s: the edge at %d, %d is %v, not four times %v", name, i%width, i/width, e, wantEdges.edges[i])
			}
		}
	}
	if info, err := os.Stat("edges.png"); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o644 {
		t.Errorf("edges.png: %v, %v", info, err)
	}
	names, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := filepath.Glob(".*")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(append(names, hidden...), " "); got != "blurred.png edges.png photo.jpg photo.png" {
		t.Errorf("there are %s", got)
	}
}

// TestRefused tests errors, which must leave no files.
func TestRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	if err := write(&strings.Builder{}, "edges.png", scene(3, 2).image()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("text", []byte("no picture"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"a", "b"}, "expected one picture, found 2 arguments"},
		{[]string{"missing.png"}, "missing.png"},
		{[]string{"text"}, "cannot read text: image: unknown format"},
		{[]string{"./edges.png"}, "./edges.png would be overwritten"},
	} {
		if err := run(&strings.Builder{}, device, c.arguments); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.arguments, err)
		}
	}
	if err := os.Mkdir("folder", 0o755); err != nil {
		t.Fatal(err)
	}
	black := image.NewGray(image.Rect(0, 0, 1, 1))
	for _, path := range []string{"folder", filepath.Join("none", "edges.png")} {
		if err := write(&strings.Builder{}, path, black); err == nil {
			t.Errorf("%s can be written", path)
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".filter-") {
			t.Errorf("%s is left", entry.Name())
		}
	}
}
