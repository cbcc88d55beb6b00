package seq

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSegments compares reductions and scans of segments with loops, in both forms, with many short
// segments, few long ones, and empty ones.
func TestSegments(t *testing.T) {
	testSegments[int32](t)
	testSegments[uint32](t)
	testSegments[int64](t)
	testSegments[uint64](t)
	testSegments[float32](t)
	testSegments[float64](t)
}

func testSegments[T Number](t *testing.T) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		lowest, highest := limitsOf[T]()
		results := map[string]any{}
		for _, n := range some([]int{0, 1, 7, 8, 9, 2047, 2048, 2049, 20_000}) {
			for _, mean := range []int{1, 10, 5000} {
				x, flags := random[T](r, n), make([]uint8, n)
				var offsets []uint32
				for i := range flags {
					if r.IntN(mean) == 0 {
						flags[i] = 200
					}
					if i == 0 || flags[i] != 0 {
						for range 1 + r.IntN(2) { // sometimes an empty segment
							offsets = append(offsets, uint32(i))
						}
					}
				}
				offsets = append(offsets, uint32(n))
				op := Operation(r.IntN(3))
				identity := []T{0, highest, lowest}[op]
				combine := func(a, b T) T { return []T{a + b, min(a, b), max(a, b)}[op] }
				inclusive, before := make([]T, n), make([]T, n)
				var totals, byFlags []T
				for k := range len(offsets) - 1 {
					sum := identity
					for i := offsets[k]; i < offsets[k+1]; i++ {
						before[i] = sum
						sum = combine(sum, x[i])
						inclusive[i] = sum
					}
					totals = append(totals, sum)
					if offsets[k] < offsets[k+1] {
						byFlags = append(byFlags, sum)
					}
				}
				onDevices(t, results, fmt.Sprint(n, mean), func(e *environment) any {
					in, marks, bounds := upload(e, x), upload(e, flags), upload(e, offsets)
					same := func(what string, got, want []T) {
						t.Helper()
						if !slices.Equal(got, want) {
							t.Fatalf("%s, operation %d, %d elements, segments of %d: %v, want %v", what, op, n, mean, got, want)
						}
					}
					out := alloc[T](e, n)
					e.check(SegmentScan(e.s, op, in, marks, out))
					same("scan", read(e, out), inclusive)
					e.check(SegmentScanExclusive(e.s, op, in, marks, out))
					same("exclusive scan", read(e, out), before)
					e.check(SegmentScanOffsets(e.s, op, in, bounds, out))
					same("scan by offsets", read(e, out), inclusive)
					sums := alloc[T](e, len(offsets)-1)
					e.check(SegmentReduce(e.s, op, in, bounds, sums))
					same("reduction", read(e, sums), totals)
					count := alloc[uint32](e, 1)
					e.check(SegmentReduceFlags(e.s, op, in, marks, out, count))
					k := read(e, count)[0]
					same("reduction by flags", read(e, out)[:k], byFlags)
					return nil
				})
			}
		}
	})
}
