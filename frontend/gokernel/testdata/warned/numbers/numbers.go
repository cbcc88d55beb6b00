// Package numbers has numbers that are not those that were written.
package numbers

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	many        = 16777217
	some        = 16777216
	typed int   = 123456789
	half        = 1 / 2
	mask        = 0xffffffff
	big   int64 = 1 << 40
)

//gpuc:kernel workgroup=64
func Literals(it gpu.Item, a float32, d float64, x []float32) {
	x[0] = a + 16777217 // want "`16777217` is 16777216 as float32"
	x[1] = a + 16777216
	x[2] = a + many // want "`many` is 16777216 as float32"
	x[3] = a + some
	x[4] = float32(typed) // want "`float32\(typed\)` is 123456792 as float32"
	x[5] = a * 0.1
	x[6] = a / 4294967295
	x[7] = a / mask
	x[8] = a * 1e-46               // want "`1e-46` is 0 as float32"
	x[9] = a * 1e-40               // want "devices may take `1e-40` for 0"
	x[10] = a*1e30 + 1000000001000 // want "`1000000001000` is 999999995904 as float32"
	x[11] = a * 100000000000
	x[12] = float32(d + 16777217 + 1e-40)
	x[13] = float32(d + 9007199254740993) // want "`9007199254740993` is 9007199254740992 as float64"
	x[14] = a * math.Pi
}

//gpuc:kernel workgroup=64
func Divisions(it gpu.Item, a float32, n int, x []float32) {
	x[0] = a * (1 / 2) // want "`1 / 2` divides integers, and is 0"
	x[1] = a * (1.0 / 2)
	x[2] = a * (4 / 2)
	x[3] = float32(3/2) * a // want "`3 / 2` divides integers, and is 1"
	x[4] = a * half
	x[5] = float32(1/n) * a // want "`1 / n` divides integers, and is 0 unless the divisor is 1"
	x[6] = float32(n/64) * a
	x[7] = 1 / a
	x[8] = x[7/2]
	x[9] = float32(8/n) * a
}

//gpuc:kernel workgroup=64
func Widths(it gpu.Item, n int, u uint, i int32, b uint8, y []int64) {
	y[0] = int64(n * n) // want "`n \* n` has 32 bits on devices"
	y[1] = int64(n) * int64(n)
	y[2] = int64(n << 16) // want "`n << 16` has 32 bits on devices"
	y[3] = int64(n + n)
	y[4] = int64(i * i)
	y[5] = int64(int(b) * 300)
	y[6] = int64(u*3) + int64(n<<4) + int64(b*b)
	y[6] += int64(u * uint(n))         // want "`u \* uint\(n\)` has 32 bits on devices"
	y[7] = int64(n<<40) + int64(u>>32) // want "nothing is left of `n`, which has 32 bits on devices, when it is shifted by 40" "`n << 40` has 32 bits on devices" "nothing is left of `u`"
	n <<= 32                           // want "nothing is left of `n`"
	y[8] = int64(n)<<40 + int64(n<<31>>u) + big
	y[9] = int64(2 * 3)
	y[10] = int64(bits.Reverse(u)) + int64(bits.Reverse32(uint32(u))) + int64(bits.Len(u)) // want "bits\.Reverse is of a uint, which has 32 bits"
}
