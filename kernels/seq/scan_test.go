package seq

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// scanSizes are around the sizes of blocks and tiles, and one with blocks of tiles.
var scanSizes = []int{0, 1, 2, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 32767, 32768, 32769, 40_001, 140_000}

// TestScan compares with loops, on all devices and in both ways.
func TestScan(t *testing.T) {
	testScan[int32](t)
	testScan[uint32](t)
	testScan[int64](t)
	testScan[uint64](t)
	testScan[float32](t)
	testScan[float64](t)
}

func testScan[T Number](t *testing.T) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		results := map[string]any{}
		lowest, highest := limitsOf[T]()
		for _, n := range some(scanSizes) {
			x := random[T](r, n)
			for op, start := range []T{0, highest, lowest} {
				onDevices(t, results, fmt.Sprint(n, op), func(e *environment) any {
					in, result, before := upload(e, x), alloc[T](e, n), alloc[T](e, n)
					e.check(Scan(e.s, Operation(op), in, result))
					e.check(ScanExclusive(e.s, Operation(op), in, before))
					got, first := read(e, result), read(e, before)
					sum := start
					for i, v := range x {
						if first[i] != sum {
							t.Fatalf("%d elements, operation %d: exclusive element %d is %v, want %v", n, op, i, first[i], sum)
						}
						switch op {
						case 0:
							sum += v
						case 1:
							sum = min(sum, v)
						case 2:
							sum = max(sum, v)
						}
						if got[i] != sum {
							t.Fatalf("%d elements, operation %d: element %d is %v, want %v", n, op, i, got[i], sum)
						}
					}
					return []any{got, first}
				})
			}
		}
	})
}

// TestScanWays: the scan in one pass and that in several launches have the same bits, also where
// sums are rounded, and with blocks of blocks of tiles.
func TestScanWays(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range some([]int{32769, 1030 * 32768, 40_000, 40*32768 + 5}) {
		x := make([]float32, n)
		for i := range x {
			x[i] = r.Float32()
		}
		results := map[string]any{}
		onDevices(t, results, fmt.Sprint(n), func(e *environment) any {
			if most := e.s.Device().Info().MaxBufferBytes; uint64(4*n) > uint64(most) {
				return nil // it has not so many tiles
			}
			in, result := upload(e, x), alloc[float32](e, n)
			var all []float32
			for _, chained := range []bool{false, true} {
				c := begin("test", e.s)
				chained = chained && mayWait(e)
				err := scan(c, isFloat32, float32(0), n, wantSum, bytesOf(c, 0, in), bytesOf(c, 1, result), chained)
				c.end()
				e.check(err)
				got := read(e, result)
				if all == nil {
					all = got
				}
				for i := range got {
					if got[i] != all[i] {
						t.Fatalf("%d elements: element %d is %v in one pass, and %v otherwise", n, i, got[i], all[i])
					}
				}
			}
			sum := 0.0
			for i, v := range x {
				sum += float64(v)
				if math.Abs(float64(all[i])-sum) > 2e-6*sum {
					t.Fatalf("%d elements: element %d is %v, want %v", n, i, all[i], sum)
				}
			}
			return all
		})
	}
}

// TestScanSpecial: a NaN stays, and -0 is less than +0.
func TestScanSpecial(t *testing.T) {
	nan, zero := float32(math.NaN()), float32(math.Copysign(0, -1))
	x := []float32{0, zero, 0, 5, nan, -7, 9}
	low, high := []float32{0, zero, zero, zero, nan, nan, nan}, []float32{0, 0, 0, 5, nan, nan, nan}
	onDevices(t, map[string]any{}, "", func(e *environment) any {
		in, result := upload(e, x), alloc[float32](e, len(x))
		for op, want := range map[Operation][]float32{Minimum: low, Maximum: high} {
			e.check(Scan(e.s, op, in, result))
			got := read(e, result)
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
					t.Errorf("operation %d, element %d is %v, want %v", op, i, got[i], want[i])
				}
			}
		}
		return nil
	})
}
