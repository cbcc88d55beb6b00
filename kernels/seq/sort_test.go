package seq

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// sortSizes are around what one workgroup sorts, tiles, and some tiles.
var sortSizes = []int{0, 1, 2, 3, 255, 2047, 2048, 2049, 4096, 4097, 9000}

// rank is a number that has the order of a key.
func rank[K Key](k K) int64 {
	total := func(bits uint64, width int) int64 {
		if bits>>(width-1) != 0 {
			return -int64(bits&(1<<(width-1)-1)) - 1
		}
		return int64(bits)
	}
	switch k := any(k).(type) {
	case int8:
		return int64(k)
	case uint8:
		return int64(k)
	case int16:
		return int64(k)
	case uint16:
		return int64(k)
	case int32:
		return int64(k)
	case uint32:
		return int64(k)
	case int64:
		return k
	case uint64:
		return int64(k ^ 1<<63)
	case gpu.Float16:
		return total(uint64(k.Bits()), 16)
	case float32:
		return total(uint64(math.Float32bits(k)), 32)
	case float64:
		return total(math.Float64bits(k), 64)
	}
	panic("a key of another type")
}

// TestSort compares with slices.SortStableFunc of the standard library, for all types of keys, in
// both directions, and on all devices. Values have 32 and 64 bits.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	if testmode.IsLong() {
		testSort(t, func() int16 { return int16(r.Uint32()) })
		testSort(t, func() uint8 { return uint8(r.Uint32()) })
		testSort(t, func() int64 { return int64(r.Uint64()) >> r.IntN(64) })
		testSort(t, func() uint16 { return uint16(r.Uint32()) })
		testSort(t, func() uint32 { return r.Uint32() >> r.IntN(32) })
		testSort(t, func() float64 { return math.Float64frombits(r.Uint64()) })
	}
	testSort(t, func() int8 { return int8(r.Uint32()) })
	testSort(t, func() gpu.Float16 { return gpu.Float16FromBits(uint16(r.Uint32())) })
	testSort(t, func() int32 { return int32(r.Uint32()) })
	testSort(t, func() uint64 { return r.Uint64() })
	testSort(t, func() float32 { return math.Float32frombits(r.Uint32()) })
}

func testSort[K Key](t *testing.T, next func() K) {
	t.Run(fmt.Sprintf("%T", *new(K)), func(t *testing.T) {
		for n, size := range some(sortSizes) {
			keys, order := make([]K, size), make([]uint32, size)
			for i := range keys {
				keys[i], order[i] = next(), uint32(i)
			}
			if size > 3 {
				copy(keys[size/2:], keys[:2]) // some are equal
			}
			direction := n%2*2 - 1
			var list []Option
			if direction > 0 {
				list = append(list, Descending())
			}
			slices.SortStableFunc(order, func(i, j uint32) int { return -direction * cmp.Compare(rank(keys[i]), rank(keys[j])) })
			onDevices(t, map[string]any{}, "", func(e *environment) any {
				check := func(what string, got []K) {
					t.Helper()
					for i := range got {
						if rank(got[i]) != rank(keys[order[i]]) {
							t.Fatalf("%s of %d: key %d is %v, want %v", what, size, i, got[i], keys[order[i]])
						}
					}
				}
				b := upload(e, keys)
				e.check(Sort(e.s, b, list...))
				check("keys", read(e, b))
				b = upload(e, keys)
				values, long := make([]uint32, size), make([]float64, size)
				for i := range values {
					values[i], long[i] = 7*uint32(i), float64(i)
				}
				v, w := upload(e, values), upload(e, long)
				e.check(SortPairs(e.s, b, v, list...))
				check("pairs", read(e, b))
				for i, got := range read(e, v) {
					if got != 7*order[i] {
						t.Fatalf("pairs of %d: value %d is %d, want %d", size, i, got, 7*order[i])
					}
				}
				b = upload(e, keys)
				e.check(SortPairs(e.s, b, w, list...))
				check("long pairs", read(e, b))
				for i, got := range read(e, w) {
					if got != float64(order[i]) {
						t.Fatalf("long pairs of %d: value %d is %v, want %d", size, i, got, order[i])
					}
				}
				return nil
			})
		}
	})
}

// TestSortWays: all ways of sorting give the same, on all devices that have them.
func TestSortWays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 20_000
	keys, values := make([]uint64, n), make([]uint32, n)
	for i := range keys {
		keys[i], values[i] = r.Uint64()>>r.IntN(64), uint32(i)
	}
	want := slices.Clone(values)
	slices.SortStableFunc(want, func(i, j uint32) int { return cmp.Compare(keys[i], keys[j]) })
	onDevices(t, map[string]any{}, "", func(e *environment) any {
		for way := range sortWays {
			k, v := upload(e, keys), upload(e, values)
			c := begin("test", e.s)
			if way == byChained && !mayWait(e) {
				way = byTiles
			}
			err := sortWords(c, 8, 64, n, withValues, bytesOf(c, 0, k), bytesOf(c, 1, v), way)
			c.end()
			e.check(err)
			if got := read(e, v); !slices.Equal(got, want) {
				t.Errorf("way %d: the values are not in order", way)
			}
		}
		return nil
	})
}

// TestSortRows sorts each row for itself.
func TestSortRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, shape := range [][2]int{{0, 5}, {5, 0}, {3, 1}, {7, 2}, {20, 33}, {3, 1000}, {2, 2048}} {
		keys := make([]float32, shape[0]*shape[1])
		short := make([]int16, len(keys))
		for i := range keys {
			keys[i], short[i] = float32(r.NormFloat64()), int16(r.Uint32())
		}
		want, wantShort := slices.Clone(keys), slices.Clone(short)
		for row := range shape[0] {
			slices.Sort(want[row*shape[1] : (row+1)*shape[1]])
			slices.SortFunc(wantShort[row*shape[1]:(row+1)*shape[1]], func(a, b int16) int { return cmp.Compare(b, a) })
		}
		onDevices(t, map[string]any{}, "", func(e *environment) any {
			b, c := upload(e, keys), upload(e, short)
			e.check(SortRows(e.s, b, shape[0], shape[1]))
			e.check(SortRows(e.s, c, shape[0], shape[1], Descending()))
			if got := read(e, b); !slices.Equal(got, want) {
				t.Errorf("%v: rows of float32 are not in order", shape)
			}
			if got := read(e, c); !slices.Equal(got, wantShort) {
				t.Errorf("%v: rows of int16 are not in order", shape)
			}
			return nil
		})
	}
}
