package seq

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestFoldOnce: reductions of vectors in one launch have the bits of two, also where sums are
// rounded, with NaNs, zeros of both signs, and nothing but the worst element.
func TestFoldOnce(t *testing.T) {
	testFoldOnce(t, int32(math.MaxInt32), math.MinInt32)
	testFoldOnce(t, uint32(math.MaxUint32), 0)
	testFoldOnce(t, int64(math.MaxInt64), math.MinInt64)
	testFoldOnce(t, uint64(math.MaxUint64), 0)
	testFoldOnce(t, float32(math.NaN()), float32(math.Copysign(0, -1)), 0.1)
	testFoldOnce(t, math.NaN(), math.Copysign(0, -1), 0.1)
}

func testFoldOnce[T Number](t *testing.T, special ...T) {
	r := rand.New(rand.NewPCG(11, 12))
	lowest, highest := limitsOf[T]()
	for _, n := range some([]int{2 * foldTile, 3*foldTile + 1, 1030*foldTile + 77, 6*foldTile + 4095}) {
		if _, ok := any(lowest).(float32); n > 1000*foldTile && !ok {
			continue
		}
		for name, x := range map[string][]T{
			"numbers":  random[T](r, n),
			"specials": random(r, n, special...),
			"zeros":    random(r, n, special...),
			"lowest":   filled(n, lowest),
			"highest":  filled(n, highest),
		} {
			if n > 1000*foldTile && name != "specials" {
				continue
			}
			if name == "zeros" { // of both signs, the best of which is at the end
				for i := range x {
					x[i] = 0
				}
				copy(x[n-9:], special[1:])
				copy(x[n/2:], special[1:2])
			}
			onDevices(t, map[string]any{}, "", func(e *environment) any {
				if !mayWait(e) {
					return nil
				}
				in := upload(e, x)
				a, kind := Axis{1, n, 1}, kindOf[T]()
				mean := T(1)
				if kind >= isFloat32 {
					mean = T(n)
				}
				for _, test := range []struct {
					name    string
					k       *foldKernels
					options uint32
					divisor T
				}{
					{"sum", &totals[kind], toValues, 1},
					{"mean", &totals[kind], toValues, mean},
					{"minimum", &finders[kind], toValues | toIndices, 1},
					{"maximum", &finders[kind], toValues | toIndices | wantLargest, 1},
				} {
					var values [2][]T
					var indices [2][]int32
					for k, waits := range []bool{false, true} {
						value, index := upload(e, []T{99, 98}), upload(e, []int32{99, 98})
						c := begin("test", e.s)
						err := fold(c, test.k, in, a, 1, test.options, test.divisor, value, index, waits)
						c.end()
						e.check(err)
						values[k], indices[k] = read(e, value), read(e, index)
					}
					if got, want := fmt.Sprint(bitsOf(values[1]), indices[1]), fmt.Sprint(bitsOf(values[0]), indices[0]); got != want {
						t.Errorf("%s of %d %T, %s: %s in one launch, and %s in two", test.name, n, x[0], name, got, want)
					}
				}
				return nil
			})
		}
	}
}

// TestFoldOnceEpochs: a launch that fails, and epochs that begin again, leave other sums right.
func TestFoldOnceEpochs(t *testing.T) {
	const n = 3*foldTile + 7
	x := filled[int32](n, 3)
	onDevices(t, map[string]any{}, "", func(e *environment) any {
		if !mayWait(e) {
			return nil
		}
		in, sum := upload(e, x), alloc[int32](e, 1)
		for _, epoch := range []uint32{0, math.MaxUint32 - 2*epochStep, math.MaxUint32 - epochStep} {
			c := begin("test", e.s)
			c.epoch = max(c.epoch, epoch)
			_, _, _, err := c.chain(7, 7) // of a launch that takes no tickets
			e.check(err)
			if c.launch(totals[isInt32].kernels[foldsOnce], gpu.D1(7)) == nil {
				t.Error("a launch without buffers is no error")
			}
			err = fold(c, &totals[isInt32], in, Axis{1, n, 1}, 1, toValues, 1, sum, nil, true)
			c.end()
			e.check(err)
			if got := read(e, sum)[0]; got != 3*n {
				t.Errorf("from epoch %d on the sum is %d, want %d", epoch, got, 3*n)
			}
		}
		return nil
	})
}

// TestFoldOnceEmulated runs the PTX of reductions in one launch.
func TestFoldOnceEmulated(t *testing.T) {
	const n, whole, groups, epoch, base = 3*foldTile + 300, 3, 3, 8, 30
	x := make([]uint32, n)
	sum, best := uint32(0), 0
	for i := range x {
		f := float32(i*7919%1021 - 500)
		x[i] = math.Float32bits(f)
		sum += x[i]
		if f < math.Float32frombits(x[best]) {
			best = i
		}
	}
	x[2*foldTile+13] = 0x7fc00001 // a NaN
	sum += x[2*foldTile+13] - math.Float32bits(float32((2*foldTile+13)*7919%1021-500))
	data := words32(x)
	for _, test := range []struct {
		kernel       string
		options      uint32
		worst        uint32
		value, index uint32
	}{
		{totals[isInt32].kernels[foldsOnce], toValues, 1, sum, 99},
		{finders[isFloat32].kernels[foldsOnce], toValues | toIndices, math.Float32bits(float32(math.Inf(1))), 0x7fc00001, 2*foldTile + 13},
		{finders[isFloat32].kernels[foldsOnce], toValues | toIndices | wantLargest, math.Float32bits(float32(math.Inf(-1))), 0x7fc00001, 2*foldTile + 13},
	} {
		status, value, index := make([]byte, 8*(statusTotals+stateWords*groups)), make([]byte, 4), []byte{99, 0, 0, 0}
		binary.LittleEndian.PutUint64(status, base)
		emulated(t, test.kernel, groups, []uint32{n, whole, 1, test.options, epoch, base, test.worst}, data[:4*whole*foldTile], data, status, value, index)
		if v, i := wordsIn(value)[0], wordsIn(index)[0]; v != test.value || i != test.index {
			t.Errorf("%s: %#x at %d, want %#x at %d", test.kernel, v, i, test.value, test.index)
		}
	}
}

// TestFoldOnceCaptured: a recording of a reduction gives the same each time, also on another stream
// and after other calls.
func TestFoldOnceCaptured(t *testing.T) {
	const n = 9*foldTile + 11
	x := filled[int32](n, 1)
	onDevices(t, map[string]any{}, "", func(e *environment) any {
		if !mayWait(e) {
			return nil
		}
		other, err := e.s.Device().NewStream()
		e.check(err)
		defer other.Close()
		in, sum := upload(e, x), alloc[int32](e, 1)
		once := func() error {
			c := begin("test", e.s)
			defer c.end()
			return fold(c, &totals[isInt32], in, Axis{1, n, 1}, 1, toValues, 1, sum, nil, true)
		}
		recording, err := e.s.Capture(func() error { return errors.Join(once(), once()) })
		e.check(err)
		for k := range 4 {
			e.check(sum.Write(e.s, []int32{0}))
			e.check(once())
			e.check(sum.Write(e.s, []int32{0}))
			e.check(e.s.Wait(t.Context()))
			s, got := []*gpu.Stream{e.s, other}[k%2], []int32{0}
			e.check(recording.Replay(s))
			e.check(sum.Read(t.Context(), s, got))
			if got[0] != n {
				t.Errorf("replay %d: the sum is %d, want %d", k, got[0], n)
			}
		}
		e.check(recording.Close())
		return nil
	})
}
