package gokernels

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// insert returns x with count bits, from offset on, replaced by the low bits of y.
func insert(x, y, offset, count uint32) uint32 {
	offset = min(offset, 32)
	mask := (uint32(1)<<min(count, 32-offset) - 1) << offset
	return x&^mask | y<<offset&mask
}

//gpuc:kernel workgroup=16
func BitBuiltins(it gpu.Item, data []uint32, unsignedResults [][8]uint32, signedResults [][8]int32) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	a := data[i]
	offset, count := uint32(i%37), uint32(i/3%35)
	lowest := uint32(math.MaxUint32)
	if a != 0 {
		lowest = uint32(bits.TrailingZeros32(a))
	}
	unsignedResults[i] = [8]uint32{
		uint32(bits.OnesCount32(a)),
		bits.Reverse32(a),
		uint32(bits.LeadingZeros32(a)),
		uint32(bits.TrailingZeros32(a)),
		uint32(bits.Len32(a) - 1),
		lowest,
		gpu.ExtractBits(a, offset, count),
		insert(a, 0x5a5a5a5a, offset, count),
	}
	x := int32(a)
	signedResults[i] = [8]int32{
		int32(bits.OnesCount32(a)),
		int32(bits.Reverse32(^a)),
		int32(bits.LeadingZeros32(a)),
		int32(bits.TrailingZeros32(^a)),
		int32(bits.Len32(uint32(x^x>>31)) - 1), // of a negative number, the highest 0
		int32(lowest),
		gpu.ExtractBits(x, offset, count),
		int32(insert(^a, 3, offset, count)),
	}
}

//gpuc:kernel workgroup=8
func SignBits(it gpu.Item, data []int32, results [][8]int32) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	x, y := data[i], int32(i)
	negative := int32(0)
	if ((x&math.MaxInt32)+math.MinInt32)>>2 < 0 {
		negative = 1
	}
	results[i] = [8]int32{
		(x | -1272209273) >> 3,
		int32(uint32((x|math.MinInt32)>>1) >> 31),
		^(x & math.MaxInt32) >> 5,
		negative,
		((x | 64) << 25) >> 7,
		min(x, x/-128, y),
		max(x, x/-2, -y),
		(((x | -256) >> 3) | x) % 7,
	}
}

// orders returns a bit for each comparison, 1 if it holds.
func orders[E int32 | uint32](a, b E) uint32 {
	return one(a < b) | one(a <= b)<<1 | one(a == b)<<2 | one(a > b)<<3
}

func abs(x int32) int32 {
	if x < 0 {
		return -x
	}
	return x
}

func sign(x int32) int32 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

//gpuc:kernel workgroup=16
func IntegerArithmetic(it gpu.Item, data []Vec2u, unsignedResults [][12]uint32, signedResults [][12]int32) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	a, b := data[i].X, data[i].Y
	unsignedResults[i] = [...]uint32{
		a + b, a - b, a * b,
		a << (b % 32), a >> (b % 32),
		min(a, b), max(a, b), gpu.Clamp(a, 1000, 0xf0000000),
		orders(a, b),
		^(a & b) ^ (a | b),
		a<<5 - a>>27,
		a - 1,
	}
	x, y := int32(a), int32(b)
	signedResults[i] = [...]int32{
		x + y, x - y, x * y,
		x << (b % 32), x >> (b % 32),
		min(x, y), max(x, y), gpu.Clamp(x, -1000, 0x70000000),
		int32(orders(x, y)),
		-x,
		abs(x),
		sign(x)*3 + sign(y),
	}
}

// divide returns quotient and remainder. Dividing by zero gives the dividend and 0.
func divide[E int32 | uint32](a, b E) (quotient, remainder E) {
	if b == 0 {
		return a, 0
	}
	return a / b, a % b
}

//gpuc:kernel workgroup=32
func IntegerDivision(it gpu.Item, dividends, divisors []int32, signedResults [][2]int32, unsignedResults [][2]uint32, vectorResults [][4]int32) {
	n := it.Index()
	i, j := n/len(divisors), n%len(divisors)
	if i >= len(dividends) {
		return
	}
	a, b := dividends[i], divisors[j]
	q, r := divide(a, b)
	signedResults[n] = [2]int32{q, r}
	unsignedQ, unsignedR := divide(uint32(a), uint32(b))
	unsignedResults[n] = [2]uint32{unsignedQ, unsignedR}

	sevenths, _ := divide(7, b)
	_, second := divide(sevenths, b)
	vectorResults[n] = [4]int32{q%1000 + r, second + r, a/3%17 + r, a/-1%9 + r - a/16}
}

//gpuc:kernel workgroup=8
func IntegerWraps(it gpu.Item, data []int32, results [][5]uint32) {
	i := it.Index()
	x := data[i]
	r := &results[i]

	negative := uint32(0)
	k := x & 1023
	for first := true; first || k < 1746326986; first = false {
		if k < 0 {
			negative++
		}
		k += 576971801
	}
	r[0] = negative*100 + uint32(k&63)

	below := uint32(0)
	for i := x | 1; i < 2000000000 && below < 40; i -= 700000000 {
		below++
	}
	r[1] = below

	steps := uint32(0)
	for product := int32(1); product > -1000000 && steps < 50; steps++ {
		product = product*3 + x&3
	}
	r[2] = steps

	flags := uint32(0)
	if -abs(x) > -3 {
		flags |= 1
	}
	if -abs(x) >= -1000 {
		flags |= 2
	}
	if 0-abs(x) < -5 {
		flags |= 4
	}
	if abs(x)*-1 == -7 {
		flags |= 8
	}
	if abs(x) < 0 {
		flags |= 16
	}
	r[3] = flags

	shifts := uint32(0)
	for shifted := x; shifted != 0 && shifted < 1000000000 && shifts < 32; shifts++ {
		shifted <<= 1
	}
	r[4] = shifts
}

// toInt32 and toUint32 convert with saturation, to the nearest float32 in the range.
func toInt32(x float32) int32   { return int32(gpu.Clamp(x, -2147483648, 2147483520)) }
func toUint32(x float32) uint32 { return uint32(gpu.Clamp(x, 0, 4294967040)) }

//gpuc:kernel workgroup=16
func ConvertNumbers(it gpu.Item, floats []float32, words []uint32, integers []Vec4i, unsignedIntegers []Vec4u, converted []Vec4f) {
	i := it.Index()
	if i >= len(floats) {
		return
	}
	f, w := floats[i], words[i]
	integers[i] = gpu.V4[int32](toInt32(f), int32(w), toInt32(-f), toInt32(f*0.5))
	unsignedIntegers[i] = gpu.V4[uint32](
		toUint32(f), math.Float32bits(f), one(w&8 != 0)|one(f != 0)<<1, toUint32(-f),
	)
	converted[i] = gpu.V4f(float32(w), float32(int32(w)), float32(w&1), math.Float32frombits(w&0xbf7fffff))
}

//gpuc:kernel workgroup=16
func DotProducts(it gpu.Item, data []Vec2u, results [][5]uint32) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	a, b := data[i].X, data[i].Y
	u := gpu.V4[uint32](a, b, a^b, 3)
	v := gpu.V3[int32](int32(a)>>16, -5, int32(b)>>20)
	results[i] = [5]uint32{
		gpu.Dot4U8(a, b),
		uint32(gpu.Dot4I8(a, b)),
		u.Dot(u.WZYX()),
		uint32(v.Dot(v.ZYX())),
		gpu.V2[uint32](a, b).Dot(gpu.V2[uint32](3, 5)),
	}
}

const collatzOverflowed = 0xffffffff

func collatzSteps(n uint32) uint32 {
	for count := uint32(0); ; count++ {
		switch {
		case n <= 1:
			return count
		case n%2 == 0:
			n /= 2
		case n >= 0x55555555:
			return collatzOverflowed
		default:
			n = 3*n + 1
		}
	}
}

//gpuc:kernel workgroup=64
func Collatz(it gpu.Item, data []uint32) {
	if i := it.Index(); i < len(data) {
		data[i] = collatzSteps(data[i])
	}
}

const primeLimit = 3000

// sieve has a bit for each number. A buffer holds one: a slice of arrays tells the compiler how
// many words there are.
type sieve [(primeLimit + 31) / 32]uint32

//gpuc:kernel workgroup=16
func PrimeSieveStrike(it gpu.Item, composite []sieve) {
	p := uint32(it.Index()) + 2
	for n := p * p; n < primeLimit; n += p {
		atomic.OrUint32(&composite[0][n/32], 1<<(n%32))
	}
}

//gpuc:kernel workgroup=32
func PrimeSieveTally(it gpu.Item, composite []sieve, primes []uint32) {
	i := it.Index()
	if i >= primeLimit/32+1 {
		return
	}
	word := ^atomic.LoadUint32(&composite[0][i])
	if i == 0 {
		word &^= 3 // 0 and 1 are not prime
	}
	if last := primeLimit - i*32; last < 32 {
		word &= 1<<last - 1
	}
	atomic.AddUint32(&primes[0], uint32(bits.OnesCount32(word)))
}
