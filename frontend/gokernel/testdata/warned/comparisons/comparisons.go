// Package comparisons has comparisons with one outcome, and of rounded numbers.
package comparisons

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const width = 64

//gpuc:kernel workgroup=64
func Decided(it gpu.Item, u uint32, n int, b uint8, h int64, f float32, x []float32) {
	if u >= 0 { // want "`u >= 0` is always true"
		x[0] = 1
	}
	if 0 > u { // want "`0 > u` is always false"
		x[0] = 1
	}
	if u > 0 || u >= 1 || n >= 0 || n < math.MaxInt32 {
		x[0] = 2
	}
	for i := u; i >= 0; i-- { // want "`i >= 0` is always true"
		x[i] = 3
		if x[i] > 1 {
			break
		}
	}
	if n > math.MaxInt32 { // want "`n > math.MaxInt32` is always false"
		x[0] = 4
	}
	if len(x) < 0 || it.Index() < 0 || it.Global().Y >= 0 { // want "`len\(x\) < 0` is always false" "`it.Index\(\) < 0` is always false" "`it.Global\(\).Y >= 0` is always true"
		x[0] = 5
	}
	if it.LocalIndex() < width || it.Index() < len(x) {
		x[0] = 6
	}
	if b <= 255 || int(b) < 256 || int8(b) < 100 { // want "`b <= 255` is always true" "`int\(b\) < 256` is always true"
		x[0] = 7
	}
	if n&7 == 8 || n&6 == 1 || n%8 < 8 || n%8 < -7 || n%8 == -7 { // want "`n & 7 == 8` is always false" "`n & 6 == 1` is always false" "`n % 8 < 8` is always true" "`n % 8 < -7` is always false"
		x[0] = 8
	}
	if u>>28 > 15 || u>>28 == 15 || min(n, 3) > 3 || max(n, 3) < 3 || min(n, 3) < 3 { // want "`u >> 28 > 15` is always false" "`min\(n, 3\) > 3` is always false" "`max\(n, 3\) < 3` is always false"
		x[0] = 9
	}
	if n == n || x[n] < x[n] || x[n] == x[n] || f != f || x[n] < x[n+1] { // want "`n == n` is always true" "`x\[n\] < x\[n\]` is always false"
		x[0] = 10
	}
	if width > 32 && h > math.MaxInt32 {
		x[0] = 11
	}
	if int64(n) > math.MaxInt32 || h>>40 > 1<<23 { // want "`int64\(n\) > math.MaxInt32` is always false" "`h >> 40 > 1 << 23` is always false"
		x[0] = 12
	}
}

// Generic stands for types of which some have a sign.
//
//gpuc:kernel workgroup=64 types=int32,uint32
func Generic[T int32 | uint32](it gpu.Item, limit T, x []T) {
	if limit >= 0 {
		x[it.Index()] = limit
	}
}

//gpuc:kernel workgroup=64
func Floats(it gpu.Item, a, b float32, d float64, x []float32) {
	if a == 0.1 || a == 0.5 || a == -0.1 || d == 0.1 { // want "this compares with `0.1`, which no float32 is" "this compares with `-0.1`, which no float32 is" "this compares with `0.1`, which no float64 is"
		x[0] = 1
	}
	if a*b == 1 || a*b == 0 || a*2 == b || a+b == 1 || a/3 != b { // want "rounding decides whether these floats are equal" "rounding decides whether these floats are equal"
		x[0] = 2
	}
	if gpu.Sqrt(a) == b || gpu.Floor(a) == b || float32(math.Sqrt(float64(a))) == b { // want "rounding decides whether these floats are equal" "rounding decides whether these floats are equal"
		x[0] = 3
	}
	if a == b || x[0] == x[1] || x[0] != a {
		x[0] = 4
	}
}
