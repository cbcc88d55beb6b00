package generic

import (
	"cmp"
	"context"
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"

	"example.com/generic/units"
)

// open opens the device that GENERIC_DEVICE names, or the CPU.
func open(t *testing.T) *gpu.Device {
	d, err := gpu.Open(gpu.Named(cmp.Or(os.Getenv("GENERIC_DEVICE"), gpu.CPU)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// test runs a kernel on the device and as plain Go, and compares the slice that it writes with what was worked out by hand.
func test[T any](t *testing.T, name string, x, want []T, run func(x []T) error, goes func(x []T)) {
	t.Helper()
	onDevice, asGo := append([]T(nil), x...), append([]T(nil), x...)
	if err := run(onDevice); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	goes(asGo)
	if !reflect.DeepEqual(onDevice, want) {
		t.Errorf("%s: on the device %v, want %v", name, onDevice, want)
	}
	if !reflect.DeepEqual(asGo, want) {
		t.Errorf("%s: as Go %v, want %v", name, asGo, want)
	}
}

// TestInstances runs each instance. Those of Scale differ in how they divide by two.
func TestInstances(t *testing.T) {
	d, ctx, one := open(t), context.Background(), gpu.D1(1)
	test(t, "Scale[float32]", []float32{1, 2, 3}, []float32{1.5, 3, 4.5},
		func(x []float32) error { return RunScale(ctx, d, one, 3, x) }, func(x []float32) { GoScale(one, 3, x) })
	test(t, "Scale[int32]", []int32{1, 2, 3}, []int32{1, 3, 4},
		func(x []int32) error { return RunScale(ctx, d, one, 3, x) }, func(x []int32) { GoScale(one, 3, x) })
	test(t, "Scale[Metres]", []units.Metres{1, 2, 3}, []units.Metres{1.5, 3, 4.5},
		func(x []units.Metres) error { return RunScale(ctx, d, one, 3, x) }, func(x []units.Metres) { GoScale(one, 3, x) })

	test(t, "Convert[float32, int32]", make([]int32, 2), []int32{11, 8},
		func(x []int32) error { return RunConvert(ctx, d, one, []float32{1.75, -2.5}, 10, x) },
		func(x []int32) { GoConvert(one, []float32{1.75, -2.5}, 10, x) })
	test(t, "Convert[int32, float32]", make([]float32, 2), []float32{1.5, -1.5},
		func(x []float32) error { return RunConvert(ctx, d, one, []int32{1, -2}, 0.5, x) },
		func(x []float32) { GoConvert(one, []int32{1, -2}, 0.5, x) })

	span := func(n uint32) units.Span { return units.Span{From: units.Metres(n), To: 2, Count: n} }
	test(t, "Move[Span]", make([]units.Span, 3), []units.Span{span(1), span(3), span(3)},
		func(x []units.Span) error {
			return RunMove(ctx, d, one, span(1), Pair[units.Span]{span(2), span(3)}, 5, x)
		},
		func(x []units.Span) { GoMove(one, span(1), Pair[units.Span]{span(2), span(3)}, 5, x) })
	a, b, c := [3]float32{1, 2, 3}, [3]float32{4, 5, 6}, [3]float32{7, 8, 9}
	test(t, "Move[[3]float32]", make([][3]float32, 2), [][3]float32{a, c},
		func(x [][3]float32) error { return RunMove(ctx, d, one, a, Pair[[3]float32]{b, c}, 5, x) },
		func(x [][3]float32) { GoMove(one, a, Pair[[3]float32]{b, c}, 5, x) })
	type pairs = Pair[Pair[int32]]
	p := func(n int32) pairs { return pairs{Pair[int32]{n, n + 1}, Pair[int32]{n + 2, n + 3}} }
	test(t, "Move[Pair[Pair[int32]]]", make([]pairs, 2), []pairs{p(1), p(9)},
		func(x []pairs) error { return RunMove(ctx, d, one, p(1), Pair[pairs]{p(5), p(9)}, 5, x) },
		func(x []pairs) { GoMove(one, p(1), Pair[pairs]{p(5), p(9)}, 5, x) })

	numbers, sixteen, all := make([]int32, 64), make([]int32, 64), make([]int32, 64)
	for i := range numbers {
		numbers[i], sixteen[i], all[i] = int32(i), int32(i), int32(63-i)
	}
	for i := range 16 {
		sixteen[i] = int32(15 - i)
	}
	test(t, "Reverse[[16]int32]", numbers, sixteen,
		func(x []int32) error { return RunReverse[[16]int32](ctx, d, one, x) }, func(x []int32) { GoReverse[[16]int32](one, x) })
	test(t, "Reverse[[64]int32]", numbers, all,
		func(x []int32) error { return RunReverse[[64]int32](ctx, d, one, x) }, func(x []int32) { GoReverse[[64]int32](one, x) })

	test(t, "fold[sum, int32]", []int32{1, 2, -4}, []int32{-1, 2, -4},
		func(x []int32) error { return runFold[sum](ctx, d, one, x) }, func(x []int32) { goFold[sum](one, x) })
	test(t, "fold[product, uint32]", []uint32{5, 2, 4}, []uint32{40, 2, 4},
		func(x []uint32) error { return runFold[product](ctx, d, one, x) }, func(x []uint32) { goFold[product](one, x) })

	test(t, "Last[[2]int32, int32]", make([]int32, 1), []int32{4},
		func(y []int32) error { return RunLast(ctx, d, one, [][2]int32{{3, 4}}, y) },
		func(y []int32) { GoLast(one, [][2]int32{{3, 4}}, y) })
	test(t, "Last[[3]float32, float32]", make([]float32, 1), []float32{6},
		func(y []float32) error { return RunLast(ctx, d, one, [][3]float32{{4, 5, 6}}, y) },
		func(y []float32) { GoLast(one, [][3]float32{{4, 5, 6}}, y) })
}

// TestViews launches a kernel with a tensor and matrices: on slices, on buffers, and as plain Go.
func TestViews(t *testing.T) {
	d, ctx, grid := open(t), context.Background(), gpu.D1(2)
	window := gpu.Window{H: 1, W: 3, PadW: 1}
	// sums of three neighbours in channel 1, and the right one of channel 0
	weights := gpu.NewMatrix([]float64{0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0}, 6, 2)
	images := gpu.NewTensorNCHW([]float64{1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 30, 40, 50, 60, 70, 80}, 1, 2, 2, 4)
	test(t, "Convolve[float64]", make([]float64, 16), []float64{30, 2, 60, 3, 90, 4, 70, 0, 110, 6, 180, 7, 210, 8, 150, 0},
		func(z []float64) error {
			return RunConvolve(ctx, d, grid, images, window, weights, gpu.NewMatrix(z, 8, 2))
		},
		func(z []float64) { GoConvolve(grid, images, window, weights, gpu.NewMatrix(z, 8, 2)) })

	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, err1 := gpu.Upload(ctx, d, []float32{1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60})
	w, err2 := gpu.Upload(ctx, d, []float32{1, 100, -1, -100})
	z, err3 := gpu.Alloc[float32](d, 8)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	channel := gpu.TensorOf(x, 1, 2, 3, 2).Channels(1, 1) // 10 20 30, 40 50 60
	err = LaunchConvolve(s, grid, channel, gpu.Window{H: 1, W: 2}, gpu.MatrixOf(w, 2, 2), gpu.MatrixOf(z, 4, 2))
	got := make([]float32, 8)
	if err = errors.Join(err, z.Read(ctx, s, got)); err != nil {
		t.Fatal(err)
	}
	if want := []float32{-10, -1000, -10, -1000, -10, -1000, -10, -1000}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNoInstance: types that are each in the list, but not together, are an error.
func TestNoInstance(t *testing.T) {
	d := open(t)
	err := RunConvert(context.Background(), d, gpu.D1(1), []float32{1}, 1, make([]float32, 1))
	if want := "launch kernel Convert: wrong shape: there is no instance for func(float32, float32); its option types= lists them"; !errors.Is(err, gpu.ErrShape) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestNoAllocation: launches after the first ones allocate nothing, with immediates of several types, with values that are
// large, and with types alone.
func TestNoAllocation(t *testing.T) {
	d, one := open(t), gpu.D1(1)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f, err1 := gpu.Alloc[float32](d, 64)
	i, err2 := gpu.Alloc[int32](d, 64)
	m, err3 := gpu.Alloc[units.Metres](d, 64)
	a, err4 := gpu.Alloc[[3]float32](d, 64)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, launch := range map[string]func() error{
		"Scale[float32]":          func() error { return LaunchScale(s, one, float32(n), f) },
		"Scale[int32]":            func() error { return LaunchScale(s, one, int32(n), i) },
		"Scale[Metres]":           func() error { return LaunchScale(s, one, units.Metres(n), m) },
		"Convert[float32, int32]": func() error { return LaunchConvert(s, one, f, int32(n), i) },
		"Move[[3]float32]": func() error {
			return LaunchMove(s, one, [3]float32{float32(n)}, Pair[[3]float32]{}, 1, a)
		},
		"Reverse[[64]int32]": func() error { return LaunchReverse[[64]int32](s, one, i) },
		"fold[sum, int32]":   func() error { return launchFold[sum](s, one, i) },
	} {
		once := func() {
			n++
			if err := launch(); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 { // a stream has 64 jobs in turn, each of which makes room for buffers and immediates when it first has so many
			once()
		}
		count := testing.AllocsPerRun(200, once)
		if count > 0 {
			t.Errorf("%s: a launch makes %v allocations", name, count)
		}
	}
}
