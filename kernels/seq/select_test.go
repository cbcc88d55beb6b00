package seq

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// selectSizes are around the size of tiles, and of tiles of a scan.
var selectSizes = []int{0, 1, 15, 16, 17, 4095, 4096, 4097, 50_000}

// TestSelect compares selections by flags with loops: of elements of 32 and of 64 bits, of indices,
// and partitions.
func TestSelect(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range selectSizes {
		for _, share := range []int{0, 30, 100} {
			x, long, flags := make([]float32, n), make([]int64, n), make([]uint8, n)
			var want []float32
			var wantLong, rest []int64
			var indices []int32
			for i := range x {
				x[i], long[i] = float32(i), r.Int64()
				if r.IntN(100) < share {
					flags[i] = uint8(1 + r.IntN(255))
					want, wantLong, indices = append(want, x[i]), append(wantLong, long[i]), append(indices, int32(i))
				} else {
					rest = append(rest, long[i])
				}
			}
			onDevices(t, map[string]any{}, "", func(e *environment) any {
				in, wide, marks, count := upload(e, x), upload(e, long), upload(e, flags), alloc[uint32](e, 1)
				check := func(what string) int {
					t.Helper()
					got := int(read(e, count)[0])
					if got != len(want) {
						t.Fatalf("%s of %d: %d are selected, want %d", what, n, got, len(want))
					}
					return got
				}
				out := upload(e, filled[float32](n, -1))
				e.check(Select(e.s, in, marks, out, count))
				if k, got := check("float32"), read(e, out); !slices.Equal(got[:k], want) || !slices.Equal(got[k:], filled[float32](n-k, -1)) {
					t.Fatalf("float32 of %d: %v", n, got)
				}
				both := alloc[int64](e, n)
				e.check(Partition(e.s, wide, marks, both, count))
				if k, got := check("partition"), read(e, both); !slices.Equal(got[:k], wantLong) || !slices.Equal(got[k:], rest) {
					t.Fatalf("partition of %d: %v", n, got)
				}
				places := alloc[int32](e, n)
				e.check(SelectIndices(e.s, marks, places, count))
				if k, got := check("indices"), read(e, places); !slices.Equal(got[:k], indices) {
					t.Fatalf("indices of %d: %v", n, got)
				}
				return nil
			})
		}
	}
}

func filled[T any](n int, v T) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// TestSelectIf compares all comparisons of all types with Go's, NaNs too.
func TestSelectIf(t *testing.T) {
	testSelectIf[int32](t, 3)
	testSelectIf[uint32](t, 3)
	testSelectIf[int64](t, -2)
	testSelectIf[uint64](t, 3)
	testSelectIf(t, float32(2), float32(math.NaN()), float32(math.Inf(1)))
	testSelectIf(t, 2, math.NaN(), math.Inf(-1))
}

func testSelectIf[T Number](t *testing.T, value T, special ...T) {
	t.Run(fmt.Sprintf("%T", value), func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		x := random(r, 5000, append(special, value, value, 0)...)
		for comparison, holds := range map[Comparison]func(v T) bool{
			Less: func(v T) bool { return v < value }, LessEqual: func(v T) bool { return v <= value },
			Greater: func(v T) bool { return v > value }, GreaterEqual: func(v T) bool { return v >= value },
			Equal: func(v T) bool { return v == value }, NotEqual: func(v T) bool { return v != value },
		} {
			var want []T
			for _, v := range x {
				if holds(v) {
					want = append(want, v)
				}
			}
			onDevices(t, map[string]any{}, "", func(e *environment) any {
				out, count := alloc[T](e, len(x)), alloc[uint32](e, 1)
				e.check(SelectIf(e.s, upload(e, x), comparison, value, out, count))
				got := read(e, out)[:read(e, count)[0]]
				same := func(a, b T) bool { return a == b || a != a && b != b }
				if !slices.EqualFunc(got, want, same) {
					t.Errorf("comparison %d: %d are selected, want %d", comparison, len(got), len(want))
				}
				return nil
			})
		}
	})
}

// TestRunLengths compares with a loop.
func TestRunLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	nan := math.NaN()
	for _, n := range selectSizes {
		x := make([]float64, n)
		for i := range x {
			switch r.IntN(6) {
			case 0:
				x[i] = float64(r.IntN(3))
			case 1:
				x[i] = nan
			default:
				if i > 0 {
					x[i] = x[i-1]
				}
			}
		}
		var values []float64
		var lengths []uint32
		for i, v := range x {
			if i == 0 || v != x[i-1] {
				values, lengths = append(values, v), append(lengths, 0)
			}
			lengths[len(lengths)-1]++
		}
		onDevices(t, map[string]any{}, "", func(e *environment) any {
			v, l, count := alloc[float64](e, n), alloc[uint32](e, n), alloc[uint32](e, 1)
			e.check(RunLengths(e.s, upload(e, x), v, l, count))
			k := int(read(e, count)[0])
			if k != len(values) || !slices.Equal(bits64(read(e, v)[:k]), bits64(values)) || !slices.Equal(read(e, l)[:k], lengths) {
				t.Fatalf("%d elements have %d runs, want %d", n, k, len(values))
			}
			return nil
		})
	}
}

// TestSelectEmulated runs the PTX of selections in one pass, whose tiles wait for all before them,
// or for those in their block.
func TestSelectEmulated(t *testing.T) {
	const n, tiles, epoch, base = 2*8192 + 300, 3, 8, 30
	r := rand.New(rand.NewPCG(7, 8))
	x, flags := make([]uint32, n), make([]byte, n)
	var want []uint32
	for i := range x {
		x[i] = r.Uint32()
		if flags[i] = uint8(r.IntN(3)); flags[i] != 0 {
			want = append(want, x[i])
		}
	}
	for _, options := range []uint32{0, waitForAll} {
		data, out, count := words32(x), make([]byte, 4*n), make([]byte, 4)
		status := make([]byte, 8*(statusTotals+2*levelStart(tiles, levels)))
		status[0] = base
		const whole = n / selectBlock * selectBlock
		emulated(t, selectKernels[0].chained, tiles, []uint32{n, tiles, options, epoch, base}, flags[:whole], flags, data[:4*whole], data, status, out, count)
		if got := wordsIn(out)[:len(want)]; wordsIn(count)[0] != uint32(len(want)) || !slices.Equal(got, want) {
			t.Errorf("options %#x: %d are selected, want %d, or others", options, wordsIn(count)[0], len(want))
		}
	}
}
