package seq

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// philox returns the four words of a counter under a key: Philox4x32-10 of Salmon, Moraes, Dror and
// Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
func philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		high0, low0 := bits.Mul32(0xd2511f53, counter[0])
		high1, low1 := bits.Mul32(0xcd9e8d57, counter[2])
		counter = [4]uint32{high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0}
		key[0] += 0x9e3779b9 // the golden ratio
		key[1] += 0xbb67ae85 // √3 - 1
	}
	return counter
}

// wordsOf returns the words of a block of a sequence.
func wordsOf(block uint32, generator [4]uint32) [4]uint32 {
	return philox([4]uint32{block, 0, generator[2], generator[3]}, [2]uint32{generator[0], generator[1]})
}

// A variate makes numbers of words. It says how many it makes of a block.
type variate[T any] interface {
	perBlock() int
	numbers(words [4]uint32, mean, deviation T) [4]T
}

type (
	anyWord   struct{}
	uniform32 struct{}
	uniform64 struct{}
	normal32  struct{}
	normal64  struct{}
)

func (anyWord) perBlock() int   { return 4 }
func (uniform32) perBlock() int { return 4 }
func (uniform64) perBlock() int { return 2 }
func (normal32) perBlock() int  { return 4 }
func (normal64) perBlock() int  { return 2 }

func (anyWord) numbers(words [4]uint32, _, _ uint32) [4]uint32 { return words }

func (uniform32) numbers(words [4]uint32, _, _ float32) (v [4]float32) {
	for k, w := range words {
		v[k] = float32(w>>8) * (1.0 / (1 << 24))
	}
	return v
}

func (uniform64) numbers(words [4]uint32, _, _ float64) [4]float64 {
	return [4]float64{unit64(words[0], words[1]), unit64(words[2], words[3])}
}

func unit64(low, high uint32) float64 {
	return float64((uint64(high)<<32|uint64(low))>>11) * (1.0 / (1 << 53))
}

func (normal32) numbers(words [4]uint32, mean, deviation float32) [4]float32 {
	a, b := pair32(words[0], words[1])
	c, d := pair32(words[2], words[3])
	return [4]float32{mean + deviation*a, mean + deviation*b, mean + deviation*c, mean + deviation*d}
}

func (normal64) numbers(words [4]uint32, mean, deviation float64) [4]float64 {
	a, b := pair64(words)
	return [4]float64{mean + deviation*a, mean + deviation*b}
}

// pair32 returns two normal numbers: Box and Muller, "A Note on the Generation of Random Normal
// Deviates" (1958). The radius is of the first word, in (0, 1], and the angle of the second.
func pair32(first, second uint32) (x, y float32) {
	n := first>>8 + 1
	shift := bits.LeadingZeros32(n) - 7 // n << shift is from 2²⁴ on
	radius := float32(math.Sqrt(float64(-2 * logarithm(float32(n<<shift)*(1.0/(1<<24)), float32(-shift)))))
	cosine, sine := rotation(float32(second>>8)*(1.0/(1<<24)), second>>29)
	return radius * cosine, radius * sine
}

// pair64 is pair32 with two words for each number.
func pair64(words [4]uint32) (x, y float64) {
	n := (uint64(words[1])<<32|uint64(words[0]))>>11 + 1
	shift := bits.LeadingZeros64(n) - 10 // n << shift is from 2⁵³ on
	radius := math.Sqrt(-2 * logarithm(float64(n<<shift)*(1.0/(1<<53)), float64(-shift)))
	cosine, sine := rotation(unit64(words[2], words[3]), words[3]>>29)
	return radius * cosine, radius * sine
}

// logarithm returns ln(m·2^exponent) for m in [1, 2]: twice the series of artanh at (m-1)/(m+1),
// for m from √½ to √2. Only sums, products and quotients are used, so that it has the same bits
// everywhere.
func logarithm[T Float](m, exponent T) T {
	if m > math.Sqrt2 {
		m /= 2
		exponent++
	}
	s := (m - 1) / (m + 1)
	square := s * s
	series := T(0)
	for k := 23; k >= 1; k -= 2 {
		series = series*square + 1/T(k)
	}
	return exponent*math.Ln2 + 2*s*series
}

// rotation returns the cosine and the sine of a part of a whole rotation, in [0, 1), whose first
// three bits are its eighth. The rest is at most an eighth, where the series converge quickly.
func rotation[T Float](part T, eighth uint32) (cosine, sine T) {
	quarter := (eighth + 1) / 2
	x := (part - T(quarter)/4) * (2 * math.Pi)
	square := x * x
	c, s := T(0), T(0)
	for k := 18; k >= 2; k -= 2 { // 1 - x²/2 · (1 - x²/(3·4) · (…
		c = -square * (1 / T(k*(k-1))) * (1 + c)
		s = -square * (1 / T(k*(k+1))) * (1 + s)
	}
	cosine, sine = 1+c, x*(1+s)
	switch quarter % 4 {
	case 1:
		return -sine, cosine
	case 2:
		return -cosine, -sine
	case 3:
		return sine, -cosine
	}
	return cosine, sine
}

// writeRandom writes numbers of a sequence. An item has a block of the generator, and its numbers.
//
//gpuc:kernel workgroup=256 types=anyWord/uint32,uniform32/float32,uniform64/float64,normal32/float32,normal64/float64
func writeRandom[V variate[T], T any](it gpu.Item, n int, seedLow, seedHigh, sequenceLow, sequenceHigh uint32, mean, deviation T, x []T) {
	var v V
	first := it.Index() * v.perBlock()
	if first >= n {
		return
	}
	numbers := v.numbers(wordsOf(uint32(it.Index()), [4]uint32{seedLow, seedHigh, sequenceLow, sequenceHigh}), mean, deviation)
	for k := range v.perBlock() {
		if i := first + k; i < n && i < len(x) {
			x[i] = numbers[k]
		}
	}
}

// writeKeys writes random keys, for a permutation.
//
//gpuc:kernel workgroup=256
func writeKeys(it gpu.Item, n int, seedLow, seedHigh, sequenceLow, sequenceHigh uint32, keys []uint64) {
	i := it.Index()
	words := wordsOf(uint32(i), [4]uint32{seedLow, seedHigh, sequenceLow, sequenceHigh})
	for k := range 2 {
		if at := 2*i + k; at < n && at < len(keys) {
			keys[at] = uint64(words[2*k+1])<<32 | uint64(words[2*k])
		}
	}
}
