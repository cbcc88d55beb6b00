package exectest

// Integer arithmetic where languages and machines differ from WGSL.

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/gpuc/gpuc/ir/scalar"
)

func signBits() Case {
	data := randomU32(64, 40, 0)
	data = append(data, 0, 1, 0x80000000, 0x7fffffff, 0xffffffff, 127, 0xffffff80, 0xffffff00)
	return Case{
		Name:       "sign_bits",
		Doc:        "sign bits that bitwise operations set, and quotients by negative powers of two in minima and maxima",
		Buffers:    []Buffer{content("data", data), content("results", make([]uint32, 8*len(data)))},
		Dispatches: once("main", groups(len(data), 8), 1, 1),
		Reference: func(buffers [][]byte) {
			// in 64 bits: a shift to the right is a quotient that is rounded down
			shift := func(v int64, n uint) int64 { return int64(math.Floor(float64(v) / float64(uint64(1)<<n))) }
			var results []uint32
			for i, d := range data {
				x, magnitude := int64(int32(d)), int64(d&0x7fffffff)
				put := func(v int64) { results = append(results, uint32(v)) }
				put(shift(int64(d|3022758023)-1<<32, 3))
				put(1)
				put(shift(-magnitude-1, 5))
				put(1)
				put(shift(int64(int32((d|64)<<25)), 7))
				put(min(x, x/-128, int64(i)))
				put(max(x, x/-2, -int64(i)))
				shifted := uint32(shift(int64(d|0xffffff00)-1<<32, 3))
				put(int64(int32(shifted|d)) % 7)
			}
			store(buffers[1], results)
		},
	}
}

func integerWraps() Case {
	data := build(18, func(i int) int32 { return int32(i*i*i) - 300 })
	data = append(data, 0, 1, -1, 2147483647, -2147483648, 1000000000)
	return Case{
		Name:       "integer_wraps",
		Doc:        "signed integers that wrap where loops and comparisons look at them",
		Buffers:    []Buffer{content("data", data), content("results", make([]uint32, 5*len(data)))},
		Dispatches: once("main", groups(len(data), 8), 1, 1),
		Reference: func(buffers [][]byte) {
			// in 64 bits, brought back into 32 by hand
			wrap := func(v int64) int64 { return (v+1<<31)&(1<<32-1) - 1<<31 }
			results := make([]uint32, 0, 5*len(data))
			for _, d := range data {
				x := int64(d)
				negative, k := int64(0), x&1023
				for first := true; first || k < 1746326986; first = false {
					if k < 0 {
						negative++
					}
					k = wrap(k + 576971801)
				}
				below := uint32(0)
				for i := x | 1; i < 2000000000 && below < 40; i = wrap(i - 700000000) {
					below++
				}
				steps := uint32(0)
				for product := int64(1); product > -1000000 && steps < 50; steps++ {
					product = wrap(wrap(product*3) + x&3)
				}
				absolute := max(x, wrap(-x)) // which of the lowest is itself
				flags := uint32(0)
				for n, holds := range []bool{wrap(-absolute) > -3, wrap(-absolute) >= -1000, wrap(-absolute) < -5,
					wrap(-absolute) == -7, absolute < 0} {
					if holds {
						flags |= 1 << n
					}
				}
				shifts := uint32(0)
				for shifted := x; shifted != 0 && shifted < 1000000000 && shifts < 32; shifts++ {
					shifted = wrap(shifted * 2)
				}
				results = append(results, uint32(negative*100+k&63), below, steps, flags, shifts)
			}
			store(buffers[1], results)
		},
	}
}

func integerDivision() Case {
	dividends := []int32{0, 1, -1, 7, -7, 100, -100, 12345678, -12345678, math.MaxInt32, math.MinInt32, math.MinInt32 + 1, 1 << 30}
	divisors := []int32{0, 1, -1, 2, -2, 3, -3, 16, 1000, -1000, math.MaxInt32, math.MinInt32}
	n := len(dividends) * len(divisors)
	// In int64 nothing overflows; wrapping to int32 then gives WGSL's result.
	divide := func(a, b int64) (int32, int32) {
		if b == 0 {
			return int32(a), 0
		}
		return int32(a / b), int32(a % b)
	}
	quotient := func(a, b int32) int32 { q, _ := divide(int64(a), int64(b)); return q }
	remainder := func(a, b int32) int32 { _, r := divide(int64(a), int64(b)); return r }
	return Case{
		Name: "integer_division",
		Doc:  "quotients and remainders, by zero and of the least i32 by -1 too",
		Buffers: []Buffer{
			content("dividends", dividends), content("divisors", divisors),
			content("signed_results", make([]int32, 2*n)), content("unsigned_results", make([]uint32, 2*n)),
			content("vector_results", make([]int32, 4*n)),
		},
		Dispatches: once("main", groups(n, 32), 1, 1),
		Reference: func(buffers [][]byte) {
			var signed, unsigned, vectors []int32
			for i := range n {
				a, b := dividends[i/len(divisors)], divisors[i%len(divisors)]
				signed = append(signed, quotient(a, b), remainder(a, b))
				q, r := divide(int64(uint32(a)), int64(uint32(b)))
				unsigned = append(unsigned, q, r)
				v := [4]int32{quotient(a, b), quotient(7, b), quotient(a, 3), quotient(a, -1)}
				w := [4]int32{1000, b, 17, 9}
				for k := range v {
					v[k] = remainder(v[k], w[k]) + remainder(a, b)
				}
				v[3] -= a / 16
				vectors = append(vectors, v[:]...)
			}
			store(buffers[2], signed)
			store(buffers[3], unsigned)
			store(buffers[4], vectors)
		},
	}
}

// edges are bit patterns at which integer operations change their behaviour.
var edges = []uint32{0, 1, 2, 31, 32, 33, 63, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000,
	0x55555555, 0xAAAAAAAA, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF}

func integerArithmetic() Case {
	data := randomU32(90, 40, 0)
	for i := range 2 * len(edges) {
		data = append(data, edges[i%len(edges)], edges[i*i%len(edges)])
	}
	n := len(data) / 2
	// Arbitrary precision, then the lowest 32 bits.
	wrap := func(x *big.Int) uint32 {
		return uint32(new(big.Int).And(x, big.NewInt(math.MaxUint32)).Uint64())
	}
	operate := func(op func(z, x, y *big.Int) *big.Int, a, b int64) uint32 {
		return wrap(op(new(big.Int), big.NewInt(a), big.NewInt(b)))
	}
	compare := func(a, b int64) uint32 {
		switch {
		case a < b:
			return 1 | 2
		case a > b:
			return 8
		}
		return 2 | 4
	}
	sign := func(x int32) int32 { return int32(big.NewInt(int64(x)).Sign()) }
	return Case{
		Name: "integer_arithmetic",
		Doc:  "wrapping, shifts modulo 32, and orders of i32 and u32",
		Buffers: []Buffer{
			content("data", data),
			content("unsigned_results", make([]uint32, 12*n)), content("signed_results", make([]int32, 12*n)),
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var unsigned, signed []uint32
			for i := range n {
				a, b := data[2*i], data[2*i+1]
				p, q := int64(a), int64(b)
				shift := uint(b % 32)
				unsigned = append(unsigned,
					operate((*big.Int).Add, p, q), operate((*big.Int).Sub, p, q), operate((*big.Int).Mul, p, q),
					wrap(new(big.Int).Lsh(big.NewInt(p), shift)), uint32(p>>shift),
					uint32(min(p, q)), uint32(max(p, q)), uint32(min(max(p, 1000), 0xF0000000)), compare(p, q),
					^(a ^ b), // the bits in which both agree
					operate((*big.Int).Sub, p<<5, p>>27), operate((*big.Int).Sub, p, 1))
				x, y := int32(a), int32(b)
				p, q = int64(x), int64(y)
				signed = append(signed,
					operate((*big.Int).Add, p, q), operate((*big.Int).Sub, p, q), operate((*big.Int).Mul, p, q),
					wrap(new(big.Int).Lsh(big.NewInt(p), shift)), uint32(p>>shift),
					uint32(min(p, q)), uint32(max(p, q)), uint32(min(max(p, -1000), 0x70000000)), compare(p, q),
					uint32(-p), wrap(new(big.Int).Abs(big.NewInt(p))), uint32(sign(x)*3+sign(y)))
			}
			store(buffers[1], unsigned)
			store(buffers[2], signed)
		},
	}
}

func indexProducts() Case {
	const rounds, length = 6, 11
	sheet := append(append(build(8, func(i int) uint32 { return 700 + uint32(i) }), build(8, func(i int) uint32 { return 800 + uint32(i) })...),
		build(32, func(i int) uint32 { return 900 + uint32(i) })...)
	open := build(length, func(i int) uint32 { return 50 + uint32(i) })
	// load takes the last element for what lies outside, and store leaves that out.
	load := func(v []uint32, i uint32) uint32 { return v[min(uint64(i), uint64(len(v)-1))] }
	put := func(v []uint32, i, x uint32) {
		if uint64(i) < uint64(len(v)) {
			v[i] = x
		}
	}
	return Case{
		Name: "index_products",
		Doc:  "products that wrap, as indices in and out of range, shift amounts and divisors",
		Buffers: []Buffer{
			content("sheet", sheet), content("open", open),
			content("loads", make([]uint32, 104)), content("numbers", make([]uint32, 4*rounds)),
		},
		Dispatches:      once("main", 3, 1, 1),
		LeavesVariables: true,
		Reference: func(buffers [][]byte) {
			sheet, open := append([]uint32(nil), sheet...), append([]uint32(nil), open...)
			table := sheet[8:16]
			from := func(first uint32, n int) []uint32 { return build(n, func(i int) uint32 { return first + uint32(i) }) }
			before, tile, after, own, local := from(100, 8), from(200, 8), from(300, 32), from(500, 8), from(600, 8)
			var loads, numbers []uint32
			for n, i := 0, uint32(3); n < rounds; n, i = n+1, i*0xAAAAAAAE {
				loads = append(loads, load(tile, i), load(own, i), load(local, i), load(table, i), load(open, i))
			}
			for n, i := 0, uint32(5); n < rounds; n, i = n+1, i*0xC0000001 {
				loads = append(loads, load(tile, i)+load(table, i)*1000+load(open, i)*1000000)
			}
			for n, i := 0, uint32(3); n < rounds; n, i = n+1, i*0x55555558 {
				loads = append(loads, load(own, i)+load(local, i)*1000)
			}
			for n, i := 0, uint32(1); n < rounds; n, i = n+1, i<<31 {
				loads = append(loads, load(tile, i)+load(own, i)*1000)
			}
			for i := range uint32(8) {
				loads = append(loads, tile[i]+own[i]*1000+local[i]*1000000)
			}
			for n, i := uint32(0), uint32(3); n < rounds; n, i = n+1, i*0xAAAAAAAE {
				for k, v := range [][]uint32{tile, own, local, table, open} {
					put(v, i, 7000+100*uint32(k)+n)
				}
			}
			for n, i := 0, uint32(4); n < rounds; n, i = n+1, i*0xC0000003 {
				put(table, i, load(table, i)+10000)
				put(open, i+1, load(open, i+1)+10000)
			}
			amount, divisor := uint32(3), uint32(6)
			numbers = make([]uint32, 4*rounds)
			for n := range rounds {
				numbers[n], numbers[rounds+n] = 0x12345<<(amount%32), 0x80000000>>(amount%32)
				numbers[2*rounds+n], numbers[3*rounds+n] = 1000, 0 // by 0
				if divisor != 0 {
					numbers[2*rounds+n], numbers[3*rounds+n] = 1000/divisor, 1000%divisor
				}
				amount *= 0xAAAAAAB6
				divisor *= 0x80000000
			}
			for i := range before {
				loads = append(loads, before[i]+tile[i]*1000)
			}
			for i := range own {
				loads = append(loads, own[i]+local[i]*100000)
			}
			for i, results := range [][]uint32{sheet, open, append(loads, after...), numbers} {
				store(buffers[i], results)
			}
		},
	}
}

// bitString returns the 32 bits of x, lowest first, for references that move
// bits one by one.
func bitString(x uint32) [32]bool {
	var b [32]bool
	for i := range b {
		b[i] = x>>i&1 == 1
	}
	return b
}

func fromBitString(b [32]bool) uint32 {
	var x uint32
	for i, set := range b {
		if set {
			x |= 1 << i
		}
	}
	return x
}

// extract takes the bits [offset, offset+count) as far as they exist; fill
// repeats the highest of them.
func extract(x uint32, offset, count int, fill bool) uint32 {
	from, to := bitString(x), [32]bool{}
	taken := min(count, 32-min(offset, 32))
	if taken == 0 {
		return 0
	}
	for i := range to {
		if i < taken {
			to[i] = from[offset+i]
		} else {
			to[i] = fill && from[offset+taken-1]
		}
	}
	return fromBitString(to)
}

func insert(x, bits uint32, offset, count int) uint32 {
	to, from := bitString(x), bitString(bits)
	for i := 0; i < count && offset+i < 32; i++ {
		to[offset+i] = from[i]
	}
	return fromBitString(to)
}

func bitBuiltins() Case {
	data := append(randomU32(91, 60, 0), edges...)
	for i := range uint32(32) {
		data = append(data, 1<<i, 1<<i-1, ^(1<<i - 1))
	}
	n := len(data)
	last := func(x uint32) uint32 { return uint32(bits.Len32(x)) - 1 } // -1 for none
	first := func(x uint32) uint32 {
		if x == 0 {
			return math.MaxUint32
		}
		return uint32(bits.TrailingZeros32(x))
	}
	return Case{
		Name: "bit_builtins",
		Doc:  "counting, finding, reversing, extracting and inserting bits",
		Buffers: []Buffer{
			content("data", data),
			content("unsigned_results", make([]uint32, 8*n)), content("signed_results", make([]int32, 8*n)),
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var unsigned, signed []uint32
			for i, x := range data {
				offset, count := i%37, i/3%35
				ones, zeros := uint32(bits.OnesCount32(x)), uint32(bits.LeadingZeros32(x))
				unsigned = append(unsigned, ones, bits.Reverse32(x), zeros, uint32(bits.TrailingZeros32(x)),
					last(x), first(x), extract(x, offset, count, false), insert(x, 0x5A5A5A5A, offset, count))
				// The first leading bit of a negative number is its highest zero.
				leading := last(x)
				if x>>31 == 1 {
					leading = last(^x)
				}
				signed = append(signed, ones, bits.Reverse32(^x), zeros, uint32(bits.TrailingZeros32(^x)),
					leading, first(x), extract(x, offset, count, true), insert(^x, 3, offset, count))
			}
			store(buffers[1], unsigned)
			store(buffers[2], signed)
		},
	}
}

func packUnpack() Case {
	const n = 60
	// Multiples of 1/256 off the ties, in and beyond [-1, 1].
	floats := apply(randomU32(92, 4*n, 640), func(x uint32) float32 { return float32(int(x)-320)/256 + 0x1p-12 })
	copy(floats, []float32{-1, 1, 0, 0.75, 1.5, -1.5, 1000, -1000})
	words := randomU32(93, n, 0)
	copy(words, []uint32{0, math.MaxUint32, 0x80808080, 0x7F7F7F7F, 0x80008000, 0x7FFF7FFF, 0x81818181})
	normal := func(x float32, low, scale float64) uint32 {
		return uint32(int32(math.Floor(0.5 + scale*min(max(float64(x), low), 1))))
	}
	clampByte := func(x, low, high int32) uint32 { return uint32(min(max(x, low), high)) & 255 }
	bytes4 := func(f func(k int) uint32) uint32 {
		return f(0)&255 | f(1)&255<<8 | f(2)&255<<16 | f(3)&255<<24
	}
	halfBits := func(x float32) uint32 { return uint32(toHalf(float64(x))) }
	return Case{
		Name: "pack_unpack",
		Doc:  "normalised, half and integer packing, both ways",
		Buffers: []Buffer{
			content("floats", floats), content("words", words),
			content("packed", make([]uint32, 9*n)),
			content("unpacked", make([]float32, 16*n)).ulps(3),
			content("integers", make([]int32, 4*n)),
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var packed []uint32
			var unpacked []float32
			var integers []int32
			for i := range n {
				f, w := floats[4*i:][:4], words[i]
				b := [4]int32{int32(w<<21) >> 21, -200, 200, int32(w)}
				packed = append(packed,
					bytes4(func(k int) uint32 { return normal(f[k], -1, 127) }),
					bytes4(func(k int) uint32 { return normal(f[k], 0, 255) }),
					normal(f[0], -1, 32767)&0xFFFF|normal(f[1], -1, 32767)<<16,
					normal(f[2], 0, 65535)|normal(f[3], 0, 65535)<<16,
					halfBits(f[1]*8)|halfBits(f[2]*8)<<16,
					bytes4(func(k int) uint32 { return uint32(b[k]) }),
					bytes4(func(k int) uint32 { return uint32(b[k]) }),
					bytes4(func(k int) uint32 { return clampByte(b[k], -128, 127) }),
					bytes4(func(k int) uint32 { return clampByte(b[k]&0x1FF, 0, 255) }))
				for k := range 4 {
					unpacked = append(unpacked, float32(max(float64(int8(w>>(8*k)))/127, -1)))
				}
				for k := range 4 {
					unpacked = append(unpacked, float32(float64(uint8(w>>(8*k)))/255))
				}
				for k := range 2 {
					unpacked = append(unpacked, float32(max(float64(int16(w>>(16*k)))/32767, -1)))
				}
				for k := range 2 {
					unpacked = append(unpacked, float32(float64(uint16(w>>(16*k)))/65535))
				}
				for _, mask := range []uint32{0x7BFF7BFF, 0x83FF3FFF} { // no infinities, no NaN
					unpacked = append(unpacked,
						float32(half(w&mask).float64()), float32(half(w&mask>>16).float64()))
				}
				for k := range 4 {
					integers = append(integers, int32(int8(w>>(8*k)))*1000+int32(uint8(w>>(8*k))))
				}
			}
			store(buffers[2], packed)
			store(buffers[3], unpacked)
			store(buffers[4], integers)
		},
	}
}

func dotProducts() Case {
	data := append(randomU32(94, 90, 0), 0xFFFFFFFF, 0xFFFFFFFF, 0x80808080, 0x80808080, 0x7F7F7F7F, 0x80808080)
	n := len(data) / 2
	return Case{
		Name:       "dot_products",
		Doc:        "dot products of integer vectors and of packed bytes",
		Buffers:    []Buffer{content("data", data), content("results", make([]uint32, 5*n))},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			for i := range n {
				a, b := data[2*i], data[2*i+1]
				unsigned, signed := 0, 0
				for shift := 0; shift < 32; shift += 8 {
					unsigned += int(uint8(a>>shift)) * int(uint8(b>>shift))
					signed += int(int8(a>>shift)) * int(int8(b>>shift))
				}
				x, z := int64(int32(a)>>16), int64(int32(b)>>20)
				results = append(results, uint32(unsigned), uint32(signed),
					uint32(2*(uint64(a)*3+uint64(b)*uint64(a^b))), uint32(2*x*z+25), a*3+b*5)
			}
			store(buffers[1], results)
		},
	}
}

func convertNumbers() Case {
	floats := []float32{0, 0.5, -0.5, 0.999, -0.999, 1, -1, 3.9, -3.9, 1e9, -1e9, 2147483520, 2147483648, -2147483648,
		-2147483904, 4294967040, 4294967296, 1e20, -1e20, 3e38, -3e38, 16777216, 8388607.5, -8388607.5, 1e-30, 123456.78}
	floats = append(floats, randomF32(95, 24, -3000, 3000)...)
	n := len(floats)
	// WGSL leaves the direction of rounding open: words of at most 24 bits.
	words := append(randomU32(96, n-len(edges), 1<<24), edges...)
	for i, w := range words {
		if f := float64(w); f != float64(float32(w)) || float64(int32(w)) != float64(float32(int32(w))) {
			words[i] = w &^ 0xFF
		}
	}
	// The greatest f32 values within i32 and u32 (WGSL, floating point conversion).
	toSigned := func(x float64) int32 { return int32(min(max(x, math.MinInt32), 2147483520)) }
	toUnsigned := func(x float64) uint32 { return uint32(min(max(x, 0), 4294967040)) }
	return Case{
		Name: "convert_numbers",
		Doc:  "saturating float to integer, integer to float, bool, bitcast",
		Buffers: []Buffer{
			content("floats", floats), content("words", words),
			content("integers", make([]int32, 4*n)), content("unsigned_integers", make([]uint32, 4*n)),
			content("converted", make([]float32, 4*n)),
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var integers []int32
			var unsigned []uint32
			var converted []float32
			for i, f := range floats {
				w, x := words[i], float64(f)
				integers = append(integers, toSigned(x), int32(w), toSigned(-x), toSigned(x*0.5))
				flags := w >> 3 & 1
				if f != 0 {
					flags |= 2
				}
				unsigned = append(unsigned, toUnsigned(x), uint32(scalar.FromFloat64(scalar.F32, x)), flags, toUnsigned(-x))
				converted = append(converted, float32(w), float32(int32(w)), float32(w&1),
					math.Float32frombits(w&0xBF7FFFFF))
			}
			store(buffers[2], integers)
			store(buffers[3], unsigned)
			store(buffers[4], converted)
		},
	}
}
