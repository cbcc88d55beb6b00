package gokernels

import (
	"math/bits"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// chachaQuarter has the state as a slice, as usual in Go.
func chachaQuarter(s []uint32, a, b, c, d int) {
	s[a] += s[b]
	s[d] = bits.RotateLeft32(s[d]^s[a], 16)
	s[c] += s[d]
	s[b] = bits.RotateLeft32(s[b]^s[c], 12)
	s[a] += s[b]
	s[d] = bits.RotateLeft32(s[d]^s[a], 8)
	s[c] += s[d]
	s[b] = bits.RotateLeft32(s[b]^s[c], 7)
}

//gpuc:kernel workgroup=16
func Chacha20(it gpu.Item, key []uint32, blocks [][16]uint32) {
	n := it.Index()
	if n >= len(blocks) {
		return
	}
	first := [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
	for i := range 12 {
		first[4+i] = key[i]
	}
	first[12] += uint32(n)
	s := first
	for range 10 {
		for i := range 4 {
			chachaQuarter(s[:], i, 4+i, 8+i, 12+i)
		}
		for i := range 4 {
			chachaQuarter(s[:], i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4)
		}
	}
	for i := range s {
		blocks[n][i] = s[i] + first[i]
	}
}

var blakeInitial = [8]uint32{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

var blakeOrders = [10][16]int{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// blake is the state of BLAKE2s.
type blake struct {
	h    [8]uint32
	v, m [16]uint32
}

func (s *blake) mix(a, b, c, d int, x, y uint32) {
	v := &s.v
	v[a] += v[b] + x
	v[d] = rotateRight(v[d]^v[a], 16)
	v[c] += v[d]
	v[b] = rotateRight(v[b]^v[c], 12)
	v[a] += v[b] + y
	v[d] = rotateRight(v[d]^v[a], 8)
	v[c] += v[d]
	v[b] = rotateRight(v[b]^v[c], 7)
}

func (s *blake) absorb(length uint32) {
	for i := range 8 {
		s.v[i], s.v[8+i] = s.h[i], blakeInitial[i]
	}
	s.v[12] ^= length
	s.v[14] = ^s.v[14]
	for r := range 10 {
		for i := range 4 {
			s.mix(i, 4+i, 8+i, 12+i, s.m[blakeOrders[r][2*i]], s.m[blakeOrders[r][2*i+1]])
		}
		for i := range 4 {
			s.mix(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4, s.m[blakeOrders[r][8+2*i]], s.m[blakeOrders[r][9+2*i]])
		}
	}
	for i := range 8 {
		s.h[i] ^= s.v[i] ^ s.v[8+i]
	}
}

//gpuc:kernel workgroup=8
func Blake2s(it gpu.Item, messages [][16]uint32, lengths []uint32, digests [][8]uint32) {
	i := it.Index()
	if i >= len(lengths) {
		return
	}
	s := blake{h: blakeInitial, m: messages[i]}
	s.h[0] ^= 0x01010020
	s.absorb(lengths[i])
	digests[i] = s.h
}

// exchangeNumbers is the comparator of the sorting networks.
func exchangeNumbers(s *[16]uint32, i, j int, swaps *uint32) {
	if s[i] > s[j] {
		s[i], s[j] = s[j], s[i]
		*swaps++
	}
}

func mergedByBatcher(s [16]uint32) [16]uint32 {
	var swaps uint32
	for p := 1; p < 16; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < 16; j += 2 * k {
				for i := range min(k, 16-j-k) {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						exchangeNumbers(&s, i+j, i+j+k, &swaps)
					}
				}
			}
		}
	}
	return s
}

//gpuc:kernel workgroup=8
func SortingNetworks(it gpu.Item, numbers, merged, bitonic, inserted [][16]uint32, swaps []uint32) {
	n := it.Index()
	if n >= len(swaps) {
		return
	}
	merged[n] = mergedByBatcher(numbers[n])
	s := numbers[n]
	var count uint32
	for k := 2; k <= 16; k *= 2 {
		for j := k / 2; j > 0; j /= 2 {
			for i := range 16 {
				switch other := i ^ j; {
				case other < i:
				case i&k == 0:
					exchangeNumbers(&s, i, other, &count)
				default:
					exchangeNumbers(&s, other, i, &count)
				}
			}
		}
	}
	bitonic[n] = s
	s, count = numbers[n], 0
	for i := 1; i < len(s); i++ {
		for j := i; j > 0; j-- {
			if s[j-1] <= s[j] {
				break
			}
			exchangeNumbers(&s, j-1, j, &count)
		}
	}
	inserted[n] = s
	swaps[n] = count
}

const (
	residueOrder = 4
	residuePrime = 65521
)

// ResidueMatrix is a matrix modulo a prime.
type ResidueMatrix [residueOrder][residueOrder]uint32

func inverseResidue(x uint32) uint32 {
	r := uint32(1)
	for e := uint32(residuePrime - 2); e > 0; e >>= 1 {
		if e&1 != 0 {
			r = r * x % residuePrime
		}
		x = x * x % residuePrime
	}
	return r
}

// determinant is correct if no pivot is 0. The matrix becomes triangular.
func (m *ResidueMatrix) determinant() uint32 {
	product := uint32(1)
	for k := range m {
		product = product * m[k][k] % residuePrime
		scale := inverseResidue(m[k][k])
		for i := k + 1; i < residueOrder; i++ {
			f := residuePrime - m[i][k]*scale%residuePrime
			for j := k; j < residueOrder; j++ {
				m[i][j] = (m[i][j] + f*m[k][j]) % residuePrime
			}
		}
	}
	return product
}

func (m *ResidueMatrix) multiply(a, b *ResidueMatrix) {
	for i := range m {
		for j := range m[i] {
			var sum uint32
			for k := range b {
				sum = (sum + a[i][k]*b[k][j]) % residuePrime
			}
			m[i][j] = sum
		}
	}
}

func butterfly(s []uint32, i, j int, w uint32) {
	x, y := s[i], s[j]*w%257
	s[i], s[j] = (x+y)%257, (x+257-y)%257
}

//gpuc:kernel workgroup=8
func Residues(it gpu.Item, matrices []ResidueMatrix, signals [][16]uint32, determinants []uint32, cubes []ResidueMatrix, spectra [][16]uint32) {
	n := it.Index()
	if n >= len(determinants) {
		return
	}
	m := matrices[n]
	var square, cube ResidueMatrix
	square.multiply(&m, &m)
	cube.multiply(&square, &m)
	cubes[n] = cube
	determinants[n] = m.determinant()
	var s [16]uint32
	for i := range s { // in the order of reversed bits
		s[i&1<<3|i&2<<1|i&4>>1|i>>3] = signals[n][i]
	}
	for h := 1; h < 16; h *= 2 {
		for i := 0; i < 16; i += 2 * h {
			for j := range h {
				butterfly(s[:], i+j, i+j+h, uint32(1)<<(8/h*j))
			}
		}
	}
	spectra[n] = s
}
