// Package calls has calls that kernels make.
package calls

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/frontend/gokernel/testdata/accepted/helpers"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func divide(a, b int32) (quotient, rest int32) {
	quotient = a / b
	rest = a % b
	return
}

func find(x []float32, v float32) (at int, found bool) {
	for i, y := range x {
		if y == v {
			return i, true
		}
	}
	return -1, false
}

func both() (int32, int32) { return 3, 4 }

func add(a, b int32) int32 { return a + b }

func swap(p, q *float32) { *p, *q = *q, *p }

func total(values ...float32) (sum float32) {
	for _, v := range values {
		sum += v
	}
	return sum
}

func deep(n int) int    { return deeper(n) + deeper(n+1) }
func deeper(n int) int  { return deepest(n) * 2 }
func deepest(n int) int { return n + 1 }

func place(it gpu.Item) int { return it.Global().Y*8 + it.Global().X }

func tail(x []float32) []float32 { return x[1:] }

func element(x []float32, i int) *float32 { return &x[i] }

//gpuc:kernel workgroup=8,8
func Helpers(it gpu.Item, x []float32, i []int32) {
	q, r := divide(i[0], i[1])
	i[2] = q + r
	_, r = divide(i[3], 3)
	i[4] = add(both()) + r
	if at, found := find(x, 2); found {
		x[at] = 1
	}
	swap(&x[0], &x[1])
	var a, b float32 = 1, 2
	swap(&a, &b)
	x[2] = total(a, b, x[3]) + total(x[4:6]...)
	x[3] = float32(deep(3) + place(it))
	t := tail(x)
	t[0] = 1
	tail(tail(x))[2] = 5
	*element(x, 3) = 2
	x[4] = helpers.Mix(x[5], x[6], 0.5)
	v := helpers.Vector{X: 1}
	x[5] = v.Length() + helpers.Half
	x[6] = helpers.Weight(2)
}

//gpuc:kernel workgroup=8
func Library(it gpu.Item, x []float32, u []uint32) {
	x[0] = float32(math.Sqrt(float64(x[1])))
	x[1] = float32(math.Pow(float64(x[2]), 2)) + float32(math.Max(float64(x[3]), 0))
	x[2] = float32(math.Floor(float64(x[3] + x[4])))
	x[3] = gpu.Sin(x[4]) + gpu.FMA(x[5], x[6], x[7])
	x[4] = math.Float32frombits(math.Float32bits(x[5]) &^ (1 << 31))
	u[0] = uint32(bits.OnesCount32(u[1])) + bits.Reverse32(u[2])
	u[1] = bits.RotateLeft32(u[2], 7) + uint32(bits.Len32(u[3]))
	u[2] = uint32(bits.LeadingZeros32(u[3]) + bits.TrailingZeros32(u[4]))
	u[4] = uint32(bits.OnesCount(uint(u[0]))) + uint32(bits.Len(uint(u[2])))
	_, u[5] = bits.Mul32(u[3], 5)
	u[6] = uint32(bits.Reverse8(3)) + bits.ReverseBytes32(u[6])
	s := it.Size()
	u[3] = uint32(s.X*s.Y*s.Z + it.Group().Y + it.Groups().Z)
}
