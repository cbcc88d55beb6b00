package main

import (
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"strings"
	"testing"
)

// runExample runs a kernel of the examples and returns the image that it writes.
func runExample(t *testing.T, file string, result string, arguments ...string) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.png")
	succeed(t, append([]string{"run", filepath.Join("..", "..", "examples", file), "-device", "cpu", "-out", result + "=" + path}, arguments...)...)
	return readPNG(t, path)
}

// readPNG reads an image.
func readPNG(t *testing.T, path string) image.Image {
	t.Helper()
	m, err := png.Decode(strings.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// grey returns the brightness of a pixel.
func grey(m image.Image, x, y int) int {
	return int(color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y)
}

// TestTown: the kernel draws the image in the repository, except for rounding on other processors.
func TestTown(t *testing.T) {
	want := readPNG(t, "../../examples/tiltshift/town.png")
	got := runExample(t, "tiltshift/town.wgsl", "picture", "-bind", "picture=192x120")
	if got.Bounds() != want.Bounds() {
		t.Fatalf("the picture has %v, want %v", got.Bounds(), want.Bounds())
	}
	different := 0
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			if d := grey(got, x, y) - grey(want, x, y); d < -2 || d > 2 {
				different++
			}
		}
	}
	if all := want.Bounds().Dx() * want.Bounds().Dy(); different > all/50 {
		t.Errorf("%d of %d pixels differ", different, all)
	}
}

// TestTiltShift: rows in focus keep their contrast, and others lose it.
func TestTiltShift(t *testing.T) {
	const photo = "../../examples/tiltshift/town.png"
	before := readPNG(t, photo)
	after := runExample(t, "tiltshift/tiltshift.wgsl", "result", "-bind", "photo="+photo+":mips")
	if after.Bounds() != before.Bounds() {
		t.Fatalf("the picture has %v, want %v", after.Bounds(), before.Bounds())
	}
	// contrast sums the differences of neighbours in rows, which are in percent of the height
	contrast := func(m image.Image, from, to int) (sum int) {
		height := m.Bounds().Dy()
		for y := from * height / 100; y < to*height/100; y++ {
			for x := 1; x < m.Bounds().Dx(); x++ {
				d := grey(m, x, y) - grey(m, x-1, y)
				sum += max(d, -d)
			}
		}
		return sum
	}
	for _, test := range []struct {
		from, to    int
		least, most int // of the contrast that is left, in percent
		what        string
	}{
		{50, 62, 85, 115, "in focus"},
		{25, 32, 15, 50, "behind"},
		{90, 100, 15, 50, "in front"},
	} {
		left := 100 * contrast(after, test.from, test.to) / contrast(before, test.from, test.to)
		if left < test.least || left > test.most {
			t.Errorf("%s, %d %% of the contrast is left, want %d to %d", test.what, left, test.least, test.most)
		}
	}
}
