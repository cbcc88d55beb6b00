package seq

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTopK compares with a sort of each row by the standard library. Few values differ, so that
// many keys are equal to the last one.
func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	testTopK(t, func() int32 { return int32(r.IntN(50)) - 25 })
	testTopK(t, func() uint64 { return r.Uint64() << r.IntN(64) })
	testTopK(t, func() float32 { return math.Float32frombits(r.Uint32()) })
	testTopK(t, func() float64 { return float64(r.IntN(9) - 4) })
}

func testTopK[K Wide](t *testing.T, next func() K) {
	t.Run(fmt.Sprintf("%T", *new(K)), func(t *testing.T) {
		for _, shape := range some([][3]int{{0, 5, 2}, {3, 5, 0}, {2, 1, 1}, {5, 7, 7}, {3, 300, 1}, {1, 5000, 2048}, {2, 3000, 100}}) {
			rows, n, k := shape[0], shape[1], shape[2]
			keys := make([]K, rows*n)
			for i := range keys {
				keys[i] = next()
			}
			for _, direction := range []int{1, -1} {
				var list []Option
				if direction > 0 {
					list = append(list, Ascending())
				}
				onDevices(t, map[string]any{}, "", func(e *environment) any {
					values, indices := alloc[K](e, rows*k), alloc[int32](e, rows*k)
					e.check(TopK(e.s, upload(e, keys), rows, n, k, values, indices, list...))
					v, at := read(e, values), read(e, indices)
					for row := range rows {
						of := keys[row*n : (row+1)*n]
						order := make([]int32, n)
						for i := range order {
							order[i] = int32(i)
						}
						slices.SortStableFunc(order, func(i, j int32) int { return direction * cmp.Compare(rank(of[i]), rank(of[j])) })
						for i, want := range order[:k] {
							if got := at[row*k+i]; got != want || rank(v[row*k+i]) != rank(of[want]) {
								t.Fatalf("%v, row %d: number %d is %v at %d, want %v at %d", shape, row, i, v[row*k+i], got, of[want], want)
							}
						}
					}
					return nil
				})
			}
		}
	})
}
