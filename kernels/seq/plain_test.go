package seq

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestPlain runs kernels as plain Go, with subgroups of all sizes where they matter, and compares
// with loops. The kernels with barriers run an item per goroutine, which finds missing ones under
// the race detector.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 300
	x := random[int32](r, n)

	sums := make([]int32, 1)
	goFoldAxis[total[int32], int32, int32](gpu.D2(1, 1), axis{N: n, Inner: 1, Outputs: 1, Columns: 1, Chunk: n}, toValues|lanesFirst, 1, x, sums, sums, sums)
	want := int32(0)
	for _, v := range x {
		want += v
	}
	if sums[0] != want {
		t.Errorf("the sum is %d, want %d", sums[0], want)
	}

	const long = scanBlock + n
	y, rest := random[int32](r, long), make([]int32, n)
	blocks, out := make([][scanQuads][4]int32, 1), make([][scanQuads][4]int32, 1)
	for i := range scanBlock {
		blocks[0][i/4][i%4] = y[i]
	}
	for _, lanes := range []int{4, 32, 64} {
		gpu.EachGroupWithSubgroups(gpu.D1(1), gpu.Int3{X: scanItems, Y: 1, Z: 1}, lanes, func() func(gpu.Item) {
			memory, shared := new([4 * scanItems]int32), new(scanMemory[int32])
			return func(it gpu.Item) {
				scanTiles[int32, packInt32](it, memory, shared, long, 1, wantSum|exclusive, 0, blocks, y, nil, out, rest)
			}
		})
		for i, sum := 0, int32(0); i < long; i++ {
			got := out[0][i/4%scanQuads][i%4]
			if i >= scanBlock {
				got = rest[i-scanBlock]
			}
			if got != sum {
				t.Fatalf("subgroups of %d: element %d of the scan is %d, want %d", lanes, i, got, sum)
			}
			sum += y[i]
		}
	}

	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = r.Uint32()
	}
	sorted, values := make([]uint32, n), make([]uint32, n)
	order := slices.Clone(keys)
	slices.SortStableFunc(order, func(a, b uint32) int { return int(a>>8%radix) - int(b>>8%radix) })
	for _, lanes := range []int{4, 8, 16, 32, 64, 128} {
		counts := make([]uint32, radix)
		goRadixTiles[uint32](gpu.D1(1), n, sortMost, 8, 0, keys, counts)
		for d, sum := 0, uint32(0); d < radix; d++ {
			counts[d], sum = sum, sum+counts[d]
		}
		clear(sorted)
		gpu.EachGroupWithSubgroups(gpu.D1(1), gpu.Int3{X: sortItems, Y: 1, Z: 1}, lanes, func() func(gpu.Item) {
			shared, memory := new(radixMemory), new([sortMost * sortItems]uint32)
			return func(it gpu.Item) {
				radixScatter[uint32, [sortMost * sortItems]uint32](it, shared, memory, n, 8, withValues|indexValues, nil, keys, nil, counts, sorted, values)
			}
		})
		if !slices.Equal(sorted, order) {
			t.Errorf("subgroups of %d: the keys are not sorted by their second digit", lanes)
		}
		for i, v := range values {
			if keys[v] != sorted[i] {
				t.Fatalf("subgroups of %d: value %d is %d", lanes, i, v)
			}
		}
	}
}

// TestCaptured: a recording of calls gives the same each time, also after other calls on the
// stream.
func TestCaptured(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(3, 4))
	x := random[float32](r, n)
	want, sorted := make([]float32, n), slices.Clone(x)
	for i, sum := 0, float32(0); i < n; i++ {
		sum += x[i]
		want[i] = sum
	}
	slices.Sort(sorted)
	onDevices(t, map[string]any{}, "", func(e *environment) any {
		keys, in, result := upload(e, x), upload(e, x), alloc[float32](e, n)
		recording, err := e.s.Capture(func() error {
			if err := Scan(e.s, Add, in, result); err != nil {
				return err
			}
			return Sort(e.s, keys)
		})
		e.check(err)
		for range 3 {
			e.check(keys.Write(e.s, x))
			e.check(recording.Replay(e.s))
			if got := read(e, result); !slices.Equal(got, want) {
				t.Fatal("the scan of a replay differs")
			}
			if got := read(e, keys); !slices.Equal(got, sorted) {
				t.Fatal("the sort of a replay differs")
			}
			e.check(Scan(e.s, Maximum, keys, result))
		}
		e.check(recording.Close())
		return nil
	})
}
