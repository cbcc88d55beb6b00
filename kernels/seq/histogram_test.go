package seq

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
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
					if mayWait(e) && n > 0 {
						in := upload(e, x)
						e.check(countedOnce(e, counts, func(c *call, sums gpu.Bound) error {
							return binsOfEven(c, in, low, high, scale, counts, sums)
						}))
						if got := read(e, counts); !slices.Equal(got, want) {
							t.Errorf("%d elements, %d bins in one launch: %v, want %v", n, bins, got, want)
						}
					}
					return nil
				})
			}
		}
	})
}

// countedOnce counts twice in one launch each, with other bins before.
func countedOnce(e *environment, bins *gpu.Buffer[uint32], count func(c *call, sums gpu.Bound) error) error {
	for range 2 {
		if err := bins.Write(e.s, filled(bins.Len(), uint32(7))); err != nil {
			return err
		}
		c := begin("test", e.s)
		err := c.countOnce(bins.Len(), count)
		c.end()
		if err != nil {
			return err
		}
	}
	return nil
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
			if mayWait(e) && n > 0 {
				in := upload(e, x)
				e.check(countedOnce(e, counts, func(c *call, sums gpu.Bound) error { return binsOfBytes(c, in, counts, sums) }))
				if got := read(e, counts); !slices.Equal(got, want) {
					t.Errorf("%d bytes in one launch: %v, want %v", n, got, want)
				}
			}
			return nil
		})
	}
}

// TestHistogramEmulated runs the PTX of histograms in one launch.
func TestHistogramEmulated(t *testing.T) {
	const n, groups = 2*16*onceItems + 5, 3
	r := rand.New(rand.NewPCG(7, 8))
	x, want := make([]byte, n), make([]uint32, 256)
	for i := range x {
		x[i] = uint8(r.Uint32())
		want[x[i]]++
	}
	sums, counts := make([]byte, 8*256), make([]byte, 4*256)
	emulated(t, "countBytesOnce", groups, []uint32{n, n / 16}, x[:n/16*16], x, sums, counts)
	if got := wordsIn(counts); !slices.Equal(got, want) {
		t.Errorf("bytes: %v, want %v", got, want)
	}
	if slices.ContainsFunc(sums, func(b byte) bool { return b != 0 }) {
		t.Error("the counters of all are not zero again")
	}
	const bins = 100
	floats := make([]uint32, 3001)
	clear(want)
	for i := range floats {
		v := r.Float32()*120 - 10
		floats[i] = math.Float32bits(v)
		if v >= 0 && v < bins {
			want[int(v)]++
		}
	}
	data := words32(floats)
	one := math.Float32bits(1)
	emulated(t, "countEvenOnce_float32", groups, []uint32{3001, 750, bins, uint32(copiesOf(bins)), 0, math.Float32bits(bins), one}, data[:3000*4], data, sums, counts[:4*bins])
	if got := wordsIn(counts[:4*bins]); !slices.Equal(got, want[:bins]) {
		t.Errorf("floats: %v, want %v", got, want[:bins])
	}
}

// TestHistogramFailed: counters of all that a failed launch may have left are not used.
func TestHistogramFailed(t *testing.T) {
	onDevices(t, map[string]any{}, "", func(e *environment) any {
		if !mayWait(e) {
			return nil
		}
		bins, wrong := alloc[uint32](e, 256), errors.New("wrong")
		c := begin("test", e.s)
		defer c.end()
		if err := c.countOnce(256, func(c *call, sums gpu.Bound) error { return wrong }); err != wrong || c.buffers[slotSums] != nil {
			t.Errorf("%v, and the counters are kept", err)
		}
		e.check(c.countOnce(256, func(c *call, sums gpu.Bound) error {
			return binsOfBytes(c, upload(e, filled(1000, uint8(3))), bins, sums)
		}))
		if got := read(e, bins); got[3] != 1000 {
			t.Errorf("bin 3 has %d, want 1000", got[3])
		}
		return nil
	})
}

// TestHistogramCaptured: a recording of histograms in one launch gives the same each time.
func TestHistogramCaptured(t *testing.T) {
	const n = 40_000
	onDevices(t, map[string]any{}, "", func(e *environment) any {
		if !mayWait(e) {
			return nil
		}
		in, bins := upload(e, filled(n, uint8(200))), alloc[uint32](e, 256)
		recording, err := e.s.Capture(func() error {
			return countedOnce(e, bins, func(c *call, sums gpu.Bound) error { return binsOfBytes(c, in, bins, sums) })
		})
		e.check(err)
		want := make([]uint32, 256)
		want[200] = n
		for range 3 {
			e.check(bins.Write(e.s, filled(256, uint32(7))))
			e.check(recording.Replay(e.s))
			if got := read(e, bins); !slices.Equal(got, want) {
				t.Errorf("a replay has %v, want %v", got, want)
			}
		}
		e.check(recording.Close())
		return nil
	})
}
