package gputest

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type point struct {
	X, Y float32
	Tags [2]int32
}

// TestDifferences: what is listed, by hand.
func TestDifferences(t *testing.T) {
	next := math.Nextafter32
	nan := float32(math.NaN())
	one, two := float32(1), next(next(1, 2), 2)
	tests := []struct {
		name      string
		want, got any
		allowed   Tolerance
		text      string
	}{
		{"equal", []float32{1, 2}, []float32{1, 2}, Exact, ""},
		{"zeros", []float32{0}, []float32{float32(math.Copysign(0, -1))}, Exact, ""},
		{"near enough", []float32{one}, []float32{two}, ULP(2), ""},
		{"too far", []float32{0, one}, []float32{0, two}, ULP(1), "w[1]: plain Go has 1, the device 1.0000002, 2 ULP apart; 1 are allowed"},
		{"nearly zero", []float32{1e-9, 1e-9}, []float32{-1e-9, 1e-6}, Tolerance{ULP: 3, Absolute: 1e-8},
			"w[1]: plain Go has 1e-09, the device 1e-06, 83674974 ULP apart; 3 are allowed, or a difference of 1e-08"},
		{"not a number", []float32{nan, nan, 1}, []float32{nan, 1, nan}, ULP(1000),
			"w[1]: plain Go has NaN, the device 1\nw[2]: plain Go has 1, the device NaN"},
		{"integers", []int32{-1}, []int32{1}, ULP(9), "w[0]: plain Go has -1, the device 1"},
		{"bytes", []uint8{200, 1}, []uint8{201, 1}, ULP(9), "w[0]: plain Go has 200, the device 201"},
		{"short integers", []int16{-5}, []int16{5}, Exact, "w[0]: plain Go has -5, the device 5"},
		{"long integers", []uint64{1 << 63}, []uint64{1<<63 + 1}, Exact, "w[0]: plain Go has 9223372036854775808, the device 9223372036854775809"},
		{"long floats", []float64{1, 1, math.NaN()}, []float64{math.Nextafter(1, 2), 1 + 3e-16, math.NaN()}, Exact,
			"w[0]: plain Go has 1, the device 1.0000000000000002, 1 ULP apart; 0 are allowed\nw[1]: plain Go has 1, the device 1.0000000000000002, 1 ULP apart; 0 are allowed"},
		{"long floats near enough", []float64{1, 1e300}, []float64{math.Nextafter(1, 2), 1e300}, ULP(1), ""},
		{"long floats far apart", []float64{-1e308}, []float64{1e308}, Exact,
			"w[0]: plain Go has -1e+308, the device 1e+308, 18429743317745373504 ULP apart; 0 are allowed"},
		{"fields", []point{{}, {X: 1}}, []point{{Tags: [2]int32{0, 7}}, {X: 1, Y: 2}}, Exact,
			"w[0].Tags[1]: plain Go has 0, the device 7\nw[1].Y: plain Go has 0, the device 2, 1073741824 ULP apart; 0 are allowed"},
		{"many", make([]uint32, 9), []uint32{1, 1, 1, 1, 1, 1, 0, 1, 1}, Exact,
			"w[0]: plain Go has 0, the device 1\nw[1]: plain Go has 0, the device 1\nw[2]: plain Go has 0, the device 1\n" +
				"w[3]: plain Go has 0, the device 1\nw[4]: plain Go has 0, the device 1\nand 3 more"},
		{"many floats", []float32{1, 1, 1, 1, 1, 1, 1}, []float32{1, two, two, two, two, two, next(two, 2)}, ULP(1), strings.Join([]string{
			"w[1]: plain Go has 1, the device 1.0000002, 2 ULP apart; 1 are allowed",
			"w[2]: plain Go has 1, the device 1.0000002, 2 ULP apart; 1 are allowed",
			"w[3]: plain Go has 1, the device 1.0000002, 2 ULP apart; 1 are allowed",
			"w[4]: plain Go has 1, the device 1.0000002, 2 ULP apart; 1 are allowed",
			"w[5]: plain Go has 1, the device 1.0000002, 2 ULP apart; 1 are allowed",
			"and 1 more, 3 ULP apart at most"}, "\n")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := differences(func(n int) string { return fmt.Sprintf("w[%d]", n) }, reflect.ValueOf(test.want), reflect.ValueOf(test.got), test.allowed)
			if f.String() != test.text || (f.count == 0) != (test.text == "") {
				t.Errorf("it says, of %d,\n%s\nand not\n%s", f.count, f.String(), test.text)
			}
		})
	}
}

// TestUnsupported: types that buffers cannot hold are refused with the field.
func TestUnsupported(t *testing.T) {
	type inner struct{ P *float32 }
	for _, test := range []struct {
		element any
		want    string
	}{
		{point{}, ""},
		{gpu.Vec3f{}, ""},
		{[2][3]uint32{}, ""},
		{[2]float64{}, ""},
		{struct {
			A uint8
			B int16
			C uint64
		}{}, ""},
		{uint(0), "an element is of type uint; buffers have integers and floats of 8 to 64 bits, and arrays and structures of them"},
		{true, "an element is of type bool; buffers have integers and floats of 8 to 64 bits, and arrays and structures of them"},
		{struct{ A [4]inner }{}, "field P of an element of field A of an element is of type *float32; buffers have integers and floats of 8 to 64 bits, and arrays and structures of them"},
	} {
		if got := unsupported(reflect.TypeOf(test.element), "an element"); got != test.want {
			t.Errorf("%T: %q, expected %q", test.element, got, test.want)
		}
	}
}

// TestImages: images are compared by pixel, and differences name pixels.
func TestImages(t *testing.T) {
	for _, test := range []struct {
		image image.Image
		at    int
		want  string
	}{
		{image.NewRGBA(image.Rect(0, 0, 3, 2)), 12 + 4 + 2, "w at (1, 1), Pix[18]: plain Go has 0, the device 9"},
		{image.NewGray(image.Rect(10, 20, 13, 22)), 5, "w at (12, 21), Pix[5]: plain Go has 0, the device 9"},
		{image.NewGray16(image.Rect(0, 0, 2, 2)), 7, "w at (1, 1), Pix[7]: plain Go has 0, the device 9"},
	} {
		v, pixels, ok := elements(test.image)
		if !ok {
			t.Errorf("%T is none", test.image)
			continue
		}
		s := slice{name: "w", value: v, want: clone(v), pixels: pixels}
		v.Index(test.at).SetUint(9)
		if f := s.differences(Exact); f.String() != test.want {
			t.Errorf("%T: %s, want %s", test.image, f.String(), test.want)
		}
	}
	for _, none := range []any{1, nil, (*image.RGBA)(nil), image.NewUniform(color.White), [2]int32{}} {
		if _, _, ok := elements(none); ok {
			t.Errorf("%T is taken", none)
		}
	}
}

// copyThrough is a "kernel": it adds one to each number, by way of the device's memory.
func copyThrough(ctx context.Context, d *gpu.Device, x []float32) error {
	b, err := gpu.Upload(ctx, d, x)
	if err != nil {
		return err
	}
	defer b.Close()
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	if err := b.Read(ctx, s, x); err != nil {
		return err
	}
	for n := range x {
		x[n]++
	}
	return nil
}

// TestCompare: each run begins with what the slices held, and they hold what plain Go wrote at the
// end.
func TestCompare(t *testing.T) {
	x := []float32{1, 2, 3}
	runs := 0
	Compare(t, Exact, func() {
		for n := range x {
			x[n]++
		}
	}, func(ctx context.Context, d *gpu.Device) error {
		if !slices.Equal(x, []float32{1, 2, 3}) {
			t.Errorf("a run begins with %v", x)
		}
		runs++
		return copyThrough(ctx, d, x)
	}, x)
	if !slices.Equal(x, []float32{2, 3, 4}) {
		t.Errorf("at the end there is %v", x)
	}
	if runs < 2 {
		t.Errorf("%d runs; the CPU has two devices", runs)
	}
}

// TestFailures runs the tests below in a separate process and looks at what they say.
func TestFailures(t *testing.T) {
	command := exec.Command(os.Args[0], "-test.run=^TestWrong", "-test.short", "-test.v")
	command.Env = append(os.Environ(), "GPUTEST_WRONG=1")
	output, err := command.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed {
		t.Fatalf("it ends with %v:\n%s", err, output)
	}
	for _, want := range []string{
		"--- FAIL: TestWrongResult/cpu:0", "--- FAIL: TestWrongResult/cpu:checked", "written[0][1]: plain Go has 3, the device 4, 4194304 ULP apart; 0 are allowed",
		"--- FAIL: TestWrongError/cpu:0", "the launch: out of luck",
		"--- SKIP: TestWrongTarget/cpu:checked", "gpuc gen makes it",
		"argument 1 behind run is of type int; Compare takes the slices that the kernel writes",
		"[]int cannot be compared: an element is of type int; buffers have integers and floats of 8 to 64 bits",
		"nothing to compare: name the slices that the kernel writes behind run",
	} {
		if !strings.Contains(string(output), want) {
			t.Errorf("it does not say %q:\n%s", want, output)
		}
	}
}

func wrong(t *testing.T) {
	if os.Getenv("GPUTEST_WRONG") == "" {
		t.Skip("skipped: it fails, and TestFailures, which runs it in a process of its own, looks at how")
	}
}

func TestWrongResult(t *testing.T) {
	wrong(t)
	x := []float32{1, 2, 3}
	Compare(t, Exact, func() { copy(x, []float32{2, 3, 4}) }, func(ctx context.Context, d *gpu.Device) error {
		err := copyThrough(ctx, d, x)
		x[1]++
		return err
	}, x)
}

func TestWrongError(t *testing.T) {
	wrong(t)
	Compare(t, Exact, func() {}, func(context.Context, *gpu.Device) error { return fmt.Errorf("the launch: out of luck") }, []int32{1})
}

func TestWrongTarget(t *testing.T) {
	wrong(t)
	Compare(t, Exact, func() {}, func(context.Context, *gpu.Device) error {
		return fmt.Errorf("%w: gpuc gen makes it", gpu.ErrUnsupported)
	}, []int32{1})
}

func TestWrongArgument(t *testing.T) {
	wrong(t)
	Compare(t, Exact, nil, nil, 1)
}

func TestWrongElement(t *testing.T) {
	wrong(t)
	Compare(t, Exact, nil, nil, []int{1})
}

func TestWrongNothing(t *testing.T) {
	wrong(t)
	Compare(t, Exact, nil, nil)
}
