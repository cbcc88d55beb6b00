package seq

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHistogramEven compares with a loop in the same type, for few bins, many, and more than fit
// into the memory of workgroups. Some elements are outside.
func TestHistogramEven(t *testing.T) {
	testHistogramEven[float32](t)
	testHistogramEven[float64](t)
}

func testHistogramEven[T Float](t *testing.T) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{0, 1, 3, 4, 1000, 70_001} {
			x := make([]T, n)
			for i := range x {
				x[i] = T(r.NormFloat64())
				if r.IntN(100) == 0 {
					x[i] = []T{T(math.NaN()), T(math.Inf(1)), -2, 2}[r.IntN(4)]
				}
			}
			for _, bins := range []int{1, 3, 256, 2048, 3000} {
				want := make([]uint32, bins)
				low, high := T(-2), T(2)
				scale := T(bins) / (high - low)
				for _, v := range x {
					if v >= low && v < high {
						d := v - low
						want[min(int(d*scale), bins-1)]++
					}
				}
				onDevices(t, map[string]any{}, "", func(e *environment) any {
					counts := upload(e, filled(bins, uint32(7)))
					e.check(HistogramEven(e.s, upload(e, x), low, high, counts))
					if got := read(e, counts); !slices.Equal(got, want) {
						t.Errorf("%d elements, %d bins: %v, want %v", n, bins, got, want)
					}
					return nil
				})
			}
		}
	})
}

// TestHistogramRanges compares with a loop over the edges.
func TestHistogramRanges(t *testing.T) {
	testHistogramRanges[int32](t)
	testHistogramRanges[uint32](t)
	testHistogramRanges[int64](t)
	testHistogramRanges[uint64](t)
	testHistogramRanges(t, float32(math.NaN()), float32(math.Inf(1)))
	testHistogramRanges(t, math.NaN(), math.Inf(-1))
}

func testHistogramRanges[T Number](t *testing.T, special ...T) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, bins := range []int{1, 2, 37, 2500} {
			edges := random[T](r, bins+1)
			slices.Sort(edges)
			x := random(r, 3000, append(special, edges[0], edges[bins])...)
			want := make([]uint32, bins)
			for _, v := range x {
				for i := bins - 1; i >= 0; i-- {
					if v >= edges[i] {
						if v < edges[i+1] {
							want[i]++
						}
						break
					}
				}
			}
			onDevices(t, map[string]any{}, "", func(e *environment) any {
				counts := alloc[uint32](e, bins)
				e.check(HistogramRanges(e.s, upload(e, x), upload(e, edges), counts))
				if got := read(e, counts); !slices.Equal(got, want) {
					t.Errorf("%d bins: %v, want %v", bins, got, want)
				}
				return nil
			})
		}
	})
}

// TestHistogramBytes: all bytes, and many equal ones in a row.
func TestHistogramBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 15, 16, 17, 1000, 99_999} {
		x, want := make([]uint8, n), make([]uint32, 256)
		for i := range x {
			if x[i] = uint8(r.Uint32()); i > 0 && r.IntN(3) > 0 {
				x[i] = x[i-1]
			}
			want[x[i]]++
		}
		onDevices(t, map[string]any{}, "", func(e *environment) any {
			counts := alloc[uint32](e, 256)
			e.check(HistogramBytes(e.s, upload(e, x), counts))
			if got := read(e, counts); !slices.Equal(got, want) {
				t.Errorf("%d bytes: %v, want %v", n, got, want)
			}
			return nil
		})
	}
}
