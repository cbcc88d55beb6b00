package seq

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestScanQuarters: workgroups that have a quarter of a tile make the bits of those that have a
// tile, for sizes around those of quarters, and the largest one.
func TestScanQuarters(t *testing.T) {
	testScanQuarters[int32](t)
	testScanQuarters[uint32](t)
	testScanQuarters[int64](t)
	testScanQuarters[uint64](t)
	testScanQuarters(t, float32(0.1), float32(math.Copysign(0, -1)), 1e-3)
	testScanQuarters(t, 0.1, math.Copysign(0, -1), 1e-3)
}

func testScanQuarters[T Number](t *testing.T, special ...T) {
	r := rand.New(rand.NewPCG(9, 10))
	kind := kindOf[T]()
	tile := scanTileBytes / scanKernels[kind].bytes
	for _, n := range some([]int{tile/4 + 1, 2*tile + 3*tile/4, 2*tile - 5, tile / 2, 3*tile/4 + 9, 33*tile + tile/3, tile, 3*tile + tile/2 + 33, 64 * tile, 32 * tile, 2*tile + 1}) {
		if n > 4*tile && kind != isFloat32 {
			continue // which take as long
		}
		x := random(r, n, special...)
		onDevices(t, map[string]any{}, "", func(e *environment) any {
			if !mayWait(e) {
				return nil
			}
			in := upload(e, x)
			for _, options := range []uint32{0, exclusive} {
				var got [2][]T
				for k, chained := range []bool{false, true} {
					result := alloc[T](e, n)
					c := begin("test", e.s)
					err := scan(c, kind, T(0), n, options|wantSum, bytesOf(c, 0, in), bytesOf(c, 1, result), chained)
					c.end()
					e.check(err)
					got[k] = read(e, result)
				}
				if !reflect.DeepEqual(bitsOf(got[1]), bitsOf(got[0])) {
					t.Errorf("%d elements of %T, options %#x: the scans differ", n, x[0], options)
				}
			}
			return nil
		})
	}
}

// TestScanQuartersEmulated runs the PTX of a scan of quarters of tiles.
func TestScanQuartersEmulated(t *testing.T) {
	const n, groups, epoch, base = 5*8192 + 300, 6, 8, 30
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]uint32, n)
	for i := range x {
		x[i] = r.Uint32()
	}
	const whole = n / scanBlock * scanBlock
	data, out, rest := words32(x), make([]byte, 4*whole), make([]byte, 4*(n-whole))
	status := make([]byte, 8*(statusTotals+2*groups))
	status[0] = base
	emulated(t, scanKernels[isUint32].quarters, groups, []uint32{n, wantSum, epoch, base, 0}, data[:4*whole], data, status, out, rest)
	sum := uint32(0)
	for i, got := range wordsIn(append(out, rest...)) {
		if sum += x[i]; got != sum {
			t.Fatalf("element %d of the scan is %d, want %d", i, got, sum)
		}
	}
}
