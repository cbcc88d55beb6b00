package ten

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"reflect"
	"strconv"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"

	"example.com/ten/units"
)

// open opens the device that TEN_DEVICE names, or the CPU.
func open(t *testing.T) *gpu.Device {
	d, err := gpu.Open(gpu.Named(cmp.Or(os.Getenv("TEN_DEVICE"), gpu.CPU)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// numbers returns 0, 1, 2, ….
func numbers[T int32 | uint32 | float32 | units.Metres](n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(i)
	}
	return x
}

// TestKernels runs each kernel on the device and as plain Go, with numbers that both compute
// exactly, and compares the slices with each other and with what is known.
func TestKernels(t *testing.T) {
	d, ctx := open(t), context.Background()
	options := Options{Shift: 2, Mask: 0xfffc, Weight: 3, On: true, hidden: 9, Wide: 5<<40 + 7, Ratio: 1.5}
	for i := range options.Table {
		for j := range options.Table[i] {
			options.Table[i][j] = Entry{uint(10*i + j), int32(j)}
		}
	}
	box := units.Box{Low: [3]units.Metres{0, 5, 0}, High: [3]units.Metres{1, 7, 1}, Level: 1}
	type slices = []any
	for _, test := range []struct {
		name string
		make func() slices
		run  func(s slices) error
		goes func(s slices)
		want any // of the last slice, as far as it goes
	}{
		{"Add", func() slices { return slices{numbers[float32](40), numbers[float32](40), make([]float32, 40)} },
			func(s slices) error {
				return RunAdd(ctx, d, gpu.D1(2), s[0].([]float32), s[1].([]float32), s[2].([]float32))
			},
			func(s slices) { GoAdd(gpu.D1(2), s[0].([]float32), s[1].([]float32), s[2].([]float32)) },
			[]float32{0, 2, 4, 6}},
		{"Scale", func() slices { return slices{numbers[float32](5)} },
			func(s slices) error { return RunScale(ctx, d, gpu.D1(1), 0.5, s[0].([]float32)) },
			func(s slices) { GoScale(gpu.D1(1), 0.5, s[0].([]float32)) },
			[]float32{0, 0.5, 1, 1.5, 2}},
		{"Count", func() slices { return slices{numbers[uint32](100), []uint32{5}} },
			func(s slices) error { return RunCount(ctx, d, gpu.D1(2), 30, s[0].([]uint32), s[1].([]uint32)) },
			func(s slices) { GoCount(gpu.D1(2), 30, s[0].([]uint32), s[1].([]uint32)) },
			[]uint32{35}},
		{"Choose", func() slices { return slices{numbers[int32](20), make([]int32, 20)} },
			func(s slices) error {
				return RunChoose(ctx, d, gpu.D1(2), 1, options, s[1].([]int32), s[0].([]int32), 7, -8)
			},
			func(s slices) { GoChoose(gpu.D1(2), 1, options, s[1].([]int32), s[0].([]int32), 7, -8) },
			// value + 1 + 3 + 5 + 3 - 8 + plus - minus + 9, times 4, plus 7
			[]int32{4*13 + 7, 4*(14+11-1) + 7, 4*(15+2-2) + 7, 4*(16+10) + 7}},
		{"Reverse", func() slices { return slices{numbers[int32](64)} },
			func(s slices) error { return RunReverse(ctx, d, gpu.D1(2), s[0].([]int32)) },
			func(s slices) { GoReverse(gpu.D1(2), s[0].([]int32)) },
			[]int32{31, 30, 29}},
		{"MatMul", func() slices { return slices{numbers[float32](256), numbers[float32](256), make([]float32, 256)} },
			func(s slices) error {
				return RunMatMul(ctx, d, gpu.D2(2, 2), 16, s[0].([]float32), s[1].([]float32), s[2].([]float32))
			},
			func(s slices) {
				GoMatMul(gpu.D2(2, 2), 16, s[0].([]float32), s[1].([]float32), s[2].([]float32))
			},
			// sums of k*(16k) and of k*(16k+1) for k below 16
			[]float32{16 * 1240, 16*1240 + 120}},
		{"Move", func() slices {
			return slices{Particles{{[3]float32{1, 2, 3}, [3]float32{4, 5, 6}, 1}, {[3]float32{1, 2, 3}, [3]float32{4, 5, 6}, 0}}}
		},
			func(s slices) error { return RunMove(ctx, d, gpu.D1(1), 2, s[0].(Particles)) },
			func(s slices) { GoMove(gpu.D1(1), 2, s[0].(Particles)) },
			Particles{{[3]float32{9, 12, 15}, [3]float32{4, 5, 6}, 1}, {[3]float32{1, 2, 3}, [3]float32{4, 5, 6}, 0}}},
		{"Clip", func() slices { return slices{numbers[units.Metres](9)} },
			func(s slices) error { return RunClip(ctx, d, gpu.D1(1), box, -1, s[0].([]units.Metres)) },
			func(s slices) { GoClip(gpu.D1(1), box, -1, s[0].([]units.Metres)) },
			[]units.Metres{-1, -1, -1, -1, -1, 5, 6, 7, -1}},
		{"fill", func() slices { return slices{make([]float32, 1), make([]int32, 3)} },
			func(s slices) error { return runFill(ctx, d, gpu.D1(1), 1, -5, s[0].([]float32), s[1].([]int32)) },
			func(s slices) { goFill(gpu.D1(1), 1, -5, s[0].([]float32), s[1].([]int32)) },
			[]int32{-5, -5, -5}},
		{"Nothing", func() slices { return slices{[]int32{}} },
			func(s slices) error { return RunNothing(ctx, d, gpu.D1(1)) },
			func(s slices) { GoNothing(gpu.D1(1)) },
			[]int32{}},
	} {
		onDevice, asGo := test.make(), test.make()
		if err := test.run(onDevice); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		test.goes(asGo)
		if !reflect.DeepEqual(onDevice, asGo) {
			t.Errorf("%s: on the device %v, as Go %v", test.name, onDevice, asGo)
		}
		last := reflect.ValueOf(onDevice[len(onDevice)-1])
		if got := last.Slice(0, reflect.ValueOf(test.want).Len()).Interface(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// TestOutOfRange: values that devices do not have are refused by name.
func TestOutOfRange(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("skipped: int has 32 bits here, as on devices; this runs on processors of 64 bits")
	}
	d, x := open(t), numbers[int32](4)
	large := math.MaxInt32
	large++
	if err := RunChoose(context.Background(), d, gpu.D1(1), 0, Options{Shift: -large - 1}, x, numbers[int32](4), 0, 0); !errors.Is(err, gpu.ErrLimit) {
		t.Errorf("options.Shift: %v", err)
	}
	if err := RunChoose(context.Background(), d, gpu.D1(1), large, Options{}, x, numbers[int32](4), 0, 0); !errors.Is(err, gpu.ErrLimit) {
		t.Errorf("s: %v", err)
	}
	var o Options
	o.Table[1][2].Plus = uint(2 * large)
	if err := RunChoose(context.Background(), d, gpu.D1(1), 0, o, x, numbers[int32](4), 0, 0); !errors.Is(err, gpu.ErrLimit) {
		t.Errorf("options.Table[…][…].Plus: %v", err)
	}
	if err := RunChoose(context.Background(), d, gpu.D1(1), large-1, Options{Shift: -large}, x, numbers[int32](4), 0, 0); err != nil {
		t.Errorf("what just fits: %v", err)
	}
}

// TestLaunches launches one kernel from many goroutines, on streams of their own and on a common one.
func TestLaunches(t *testing.T) {
	d := open(t)
	common, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			s := common
			if n%2 == 0 {
				var err error
				if s, err = d.NewStream(); err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
			}
			from, to := numbers[int32](8), make([]int32, 8)
			a, err1 := gpu.Upload(context.Background(), d, from)
			b, err2 := gpu.Alloc[int32](d, 8)
			if err := errors.Join(err1, err2); err != nil {
				t.Error(err)
				return
			}
			for k := range 20 {
				if err := LaunchChoose(s, gpu.D1(1), n, Options{Mask: math.MaxUint32, Weight: float32(k)}, b, a, uint32(n), 0); err != nil {
					t.Error(err)
					return
				}
			}
			if err := b.Read(context.Background(), s, to); err != nil {
				t.Error(err)
			}
			for i, got := range to {
				if want := int32(i + n + 19 + n); got != want {
					t.Errorf("launcher %d, element %d: got %d, want %d", n, i, got, want)
				}
			}
		})
	}
	all.Wait()
}

// TestNoAllocation: launches after the first allocate nothing, with immediates and with a
// uniform buffer that changes each time.
func TestNoAllocation(t *testing.T) {
	d := open(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	x, err1 := gpu.Alloc[float32](d, 64)
	a, err2 := gpu.Alloc[int32](d, 16)
	b, err3 := gpu.Alloc[int32](d, 16)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, launch := range map[string]func() error{
		"immediates": func() error { n++; return LaunchScale(s, gpu.D1(1), float32(n), x) },
		"uniform":    func() error { n++; return LaunchChoose(s, gpu.D1(1), n, Options{}, a, b, 1, 0) },
		"no values":  func() error { return LaunchNothing(s, gpu.D1(1)) },
	} {
		count := testing.AllocsPerRun(200, func() {
			if err := launch(); err != nil {
				t.Fatal(err)
			}
		})
		if count != 0 {
			t.Errorf("%s: %v allocations for each launch", name, count)
		}
	}
}

// BenchmarkLaunch compares a launcher with what it calls in the end.
func BenchmarkLaunch(b *testing.B) {
	d, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	s, err := d.NewStream()
	if err != nil {
		b.Fatal(err)
	}
	x, err := gpu.Alloc[float32](d, 64)
	if err != nil {
		b.Fatal(err)
	}
	k, err := gpucOfScale.Load(d)
	if err != nil {
		b.Fatal(err)
	}
	args := k.Args()
	if err := args.Set(0, x); err != nil {
		b.Fatal(err)
	}
	b.Run("raw", func(b *testing.B) {
		for b.Loop() {
			if err := s.Launch(args, gpu.Grid{X: 0, Y: 1, Z: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("launcher", func(b *testing.B) {
		for b.Loop() {
			if err := LaunchScale(s, gpu.Grid{X: 0, Y: 1, Z: 1}, 2, x); err != nil {
				b.Fatal(err)
			}
		}
	})
}
