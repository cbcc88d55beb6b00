package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// runExample runs a kernel of a folder of examples and returns the picture that
// it writes.
func runExample(t *testing.T, file string, result string, arguments ...string) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.png")
	line := append([]string{"run", filepath.Join("..", "..", "examples", file), "-device", "cpu", "-out", result + "=" + path}, arguments...)
	var stdout, stderr bytes.Buffer
	if code := gpuc.Execute(&cli.Env{Stdout: &stdout, Stderr: &stderr}, line); code != 0 {
		t.Fatalf("gpuc %q: code %d\n%s", line, code, stderr.String())
	}
	return readPNG(t, path)
}

func readPNG(t *testing.T, path string) image.Image {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func grey(m image.Image, x, y int) int {
	return int(color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y)
}

// The picture of the town is the one that its kernel draws, but for rounding where
// processors differ.
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

// What is in focus stays sharp, what is far from it does not.
func TestTiltShift(t *testing.T) {
	const photo = "../../examples/tiltshift/town.png"
	before := readPNG(t, photo)
	after := runExample(t, "tiltshift/tiltshift.wgsl", "result", "-bind", "photo="+photo+":mips")
	if after.Bounds() != before.Bounds() {
		t.Fatalf("the picture has %v, want %v", after.Bounds(), before.Bounds())
	}
	// contrast sums the differences of neighbours in rows, given in percent of the height
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
