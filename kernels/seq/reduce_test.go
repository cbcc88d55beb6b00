package seq

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// shapes are axes of all kinds: vectors, rows, columns, in the middle, and empty ones.
var shapes = []Axis{
	{1, 0, 1}, {1, 1, 1}, {1, 7, 1}, {1, 255, 1}, {1, 256, 1}, {1, 257, 1}, {1, 4095, 1}, {1, 4096, 1}, {1, 4097, 1}, {1, 70001, 1},
	{0, 3, 2}, {3, 0, 2}, {3, 5, 1}, {1000, 3, 1}, {7, 1000, 1}, {2, 9001, 1}, {1, 5, 3}, {1, 1000, 70}, {1, 9000, 2}, {3, 17, 33}, {2, 2000, 5},
}

// random fills a slice with numbers that have exact sums in float64, and some that are special.
func random[T Number](r *rand.Rand, n int, special ...T) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.IntN(2001)) - 1000
		if len(special) > 0 && r.IntN(50) == 0 {
			x[i] = special[r.IntN(len(special))]
		}
	}
	return x
}

// along calls f with the elements of each output.
func along[T any](x []T, a Axis, f func(output int, elements []T)) {
	for o := range a.Outer {
		for k := range a.Inner {
			list := make([]T, a.N)
			for i := range list {
				list[i] = x[(o*a.N+i)*a.Inner+k]
			}
			f(o*a.Inner+k, list)
		}
	}
}

// TestReduce compares all reductions along all axes with loops, and devices with each other.
func TestReduce(t *testing.T) {
	testReduce[int32](t)
	testReduce[uint32](t)
	testReduce[int64](t)
	testReduce[uint64](t)
	testReduce[float32](t)
	testReduce[float64](t)
}

func testReduce[T Number](t *testing.T) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		results := map[string]any{}
		for _, a := range some(shapes) {
			x := random[T](r, a.Outer*a.N*a.Inner)
			outputs := a.Outer * a.Inner
			onDevices(t, results, fmt.Sprint(a), func(e *environment) any {
				in := upload(e, x)
				sums, low, high := alloc[T](e, outputs), alloc[T](e, outputs), alloc[T](e, outputs)
				first, last := alloc[int32](e, outputs), alloc[int32](e, outputs)
				e.check(SumAxis(e.s, in, a, sums))
				e.check(MinAxis(e.s, in, a, low))
				e.check(MaxAxis(e.s, in, a, high))
				e.check(ArgMinAxis(e.s, in, a, first))
				e.check(ArgMaxAxis(e.s, in, a, last))
				got := []any{read(e, sums), read(e, low), read(e, high), read(e, first), read(e, last)}
				along(x, a, func(o int, list []T) {
					var sum T
					low, high := limitsOf[T]()
					low, high = high, low
					at, to := int32(-1), int32(-1)
					for i, v := range list {
						sum += v
						if at < 0 || v < low {
							low, at = v, int32(i)
						}
						if to < 0 || v > high {
							high, to = v, int32(i)
						}
					}
					want := []any{sum, low, high, at, to}
					for n, w := range []any{got[0].([]T)[o], got[1].([]T)[o], got[2].([]T)[o], got[3].([]int32)[o], got[4].([]int32)[o]} {
						if w != want[n] {
							t.Fatalf("%v, output %d: result %d is %v, want %v", a, o, n, w, want[n])
						}
					}
				})
				return got
			})
		}
	})
}

// TestMoments compares means and variances with two passes in float64. The elements have a mean
// that is large next to their spread.
func TestMoments(t *testing.T) {
	testMoments[float32](t, 2e-6)
	testMoments[float64](t, 1e-14)
}

func testMoments[T Float](t *testing.T, tolerance float64) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		results := map[string]any{}
		for _, a := range shapes {
			x := make([]T, a.Outer*a.N*a.Inner)
			for i := range x {
				x[i] = T(100 + r.NormFloat64())
			}
			outputs := a.Outer * a.Inner
			onDevices(t, results, fmt.Sprint(a), func(e *environment) any {
				in, means, variances := upload(e, x), alloc[T](e, outputs), alloc[T](e, outputs)
				e.check(MeanAxis(e.s, in, a, means))
				e.check(VarianceAxis(e.s, in, a, 1, variances))
				mean, variance := read(e, means), read(e, variances)
				along(x, a, func(o int, list []T) {
					sum, squares := 0.0, 0.0
					for _, v := range list {
						sum += float64(v)
					}
					want := sum / float64(len(list))
					for _, v := range list {
						squares += (float64(v) - want) * (float64(v) - want)
					}
					near(t, fmt.Sprintf("%v: mean %d", a, o), float64(mean[o]), want, tolerance*100)
					squares /= float64(len(list) - 1)
					if len(list) < 2 {
						squares = math.NaN()
					}
					near(t, fmt.Sprintf("%v: variance %d", a, o), float64(variance[o]), squares, tolerance*100)
				})
				return []any{mean, variance}
			})
		}
	})
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) && math.IsNaN(want) {
		return
	}
	if !(math.Abs(got-want) <= tolerance) {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// TestSumRounded: floats that round are added in the same order on every device, and within the
// bound of a tree of sums.
func TestSumRounded(t *testing.T) {
	results := map[string]any{}
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{3, 1000, 4096, 100_003} {
		x, exact := make([]float32, n), 0.0
		for i := range x {
			x[i] = r.Float32()
			exact += float64(x[i])
		}
		onDevices(t, results, fmt.Sprint(n), func(e *environment) any {
			sum := alloc[float32](e, 1)
			e.check(Sum(e.s, upload(e, x), sum))
			got := read(e, sum)
			near(t, fmt.Sprint("sum of ", n), float64(got[0]), exact, exact*1e-6)
			return got
		})
	}
}

// TestExtremeSpecial: the first NaN is found, and zeros of either sign are equal.
func TestExtremeSpecial(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for name, test := range map[string]struct {
		x        []float64
		low, top int32
	}{
		"infinities":     {[]float64{0, inf, -inf, inf, -inf}, 2, 1},
		"a NaN":          {[]float64{1, nan, -inf, inf, nan}, 1, 1},
		"only NaNs":      {[]float64{nan, nan}, 0, 0},
		"zeros":          {[]float64{0, zero, 0}, 0, 0},
		"zeros, -0":      {[]float64{zero, 0, 0}, 0, 0},
		"only the worst": {[]float64{-inf, -inf}, 0, 0},
	} {
		for _, pad := range []int{0, 5000} { // the kernel of one workgroup, and that of tiles
			x := test.x
			for range pad {
				x = append(x, x[len(x)-1])
			}
			onDevices(t, map[string]any{}, name, func(e *environment) any {
				in, low, top := upload(e, x), alloc[int32](e, 1), alloc[int32](e, 1)
				e.check(ArgMin(e.s, in, low))
				e.check(ArgMax(e.s, in, top))
				if l, h := read(e, low)[0], read(e, top)[0]; l != test.low || h != test.top {
					t.Errorf("%s: %d and %d, want %d and %d", name, l, h, test.low, test.top)
				}
				value := alloc[float64](e, 1)
				e.check(Min(e.s, in, value))
				if got, want := read(e, value)[0], x[test.low]; math.Float64bits(got) != math.Float64bits(want) && got == got {
					t.Errorf("%s: the minimum is %v, want %v", name, got, want)
				}
				return nil
			})
		}
	}
}

// TestAxisOf: dimensions before and behind the axis are multiplied.
func TestAxisOf(t *testing.T) {
	for _, test := range []struct {
		shape []int
		axis  int
		want  Axis
		ok    bool
	}{
		{[]int{5}, 0, Axis{1, 5, 1}, true},
		{[]int{2, 3, 5, 7}, 0, Axis{1, 2, 105}, true},
		{[]int{2, 3, 5, 7}, 2, Axis{6, 5, 7}, true},
		{[]int{2, 0}, 0, Axis{1, 2, 0}, true},
		{[]int{2, 3}, 2, Axis{}, false},
		{[]int{2, 3}, -1, Axis{}, false},
		{nil, 0, Axis{}, false},
		{[]int{2, -3}, 0, Axis{}, false},
		{[]int{1 << 20, 1 << 20, 1 << 30}, 1, Axis{}, false},
	} {
		a, err := AxisOf(test.shape, test.axis)
		if a != test.want || (err == nil) != test.ok {
			t.Errorf("%v, axis %d: %v, %v", test.shape, test.axis, a, err)
		}
	}
	for _, test := range []struct {
		axes []int
		want Axis
		ok   bool
	}{
		{[]int{1, 2}, Axis{2, 15, 7}, true},
		{[]int{0, 1, 2, 3}, Axis{1, 210, 1}, true},
		{[]int{2, 3, 4}, Axis{}, false},
		{[]int{1, 1}, Axis{}, false},
		{[]int{2, 1}, Axis{}, false},
		{[]int{0, 2}, Axis{}, false},
		{[]int{-1, 0}, Axis{}, false},
		{[]int{math.MaxInt, math.MinInt}, Axis{}, false},
	} {
		a, err := AxisOf([]int{2, 3, 5, 7}, test.axes[0], test.axes[1:]...)
		if a != test.want || (err == nil) != test.ok {
			t.Errorf("axes %d: %v, %v", test.axes, a, err)
		}
	}
}
