package gokernels

import (
	"math/bits"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// byteOf returns a byte of a word, the lowest first.
func byteOf(word uint32, n int) uint32 { return word >> (8 * n) & 255 }

// sbox is the substitution of AES (FIPS 197), four bytes in a word.
var sbox = [64]uint32{
	0x7b777c63, 0xc56f6bf2, 0x2b670130, 0x76abd7fe, 0x7dc982ca, 0xf04759fa, 0xafa2d4ad, 0xc072a49c,
	0x2693fdb7, 0xccf73f36, 0xf1e5a534, 0x1531d871, 0xc323c704, 0x9a059618, 0xe2801207, 0x75b227eb,
	0x1a2c8309, 0xa05a6e1b, 0xb3d63b52, 0x842fe329, 0xed00d153, 0x5bb1fc20, 0x39becb6a, 0xcf584c4a,
	0xfbaaefd0, 0x85334d43, 0x7f02f945, 0xa89f3c50, 0x8f40a351, 0xf5389d92, 0x21dab6bc, 0xd2f3ff10,
	0xec130ccd, 0x1744975f, 0x3d7ea7c4, 0x73195d64, 0xdc4f8160, 0x88902a22, 0x14b8ee46, 0xdb0b5ede,
	0x0a3a32e0, 0x5c240649, 0x62acd3c2, 0x79e49591, 0x6d37c8e7, 0xa94ed58d, 0xeaf4566c, 0x08ae7a65,
	0x2e2578ba, 0xc6b4a61c, 0x1f74dde8, 0x8a8bbd4b, 0x66b53e70, 0x0ef60348, 0xb9573561, 0x9e1dc186,
	0x1198f8e1, 0x948ed969, 0xe9871e9b, 0xdf2855ce, 0x0d89a18c, 0x6842e6bf, 0x0f2d9941, 0x16bb54b0,
}

func substitute(b uint32) uint32 { return byteOf(sbox[b/4], int(b%4)) }

//gpuc:kernel workgroup=8
func AesSbox(it gpu.Item, inverse *[256]uint32, blocks, substituted, restored [][4]uint32) {
	for i := it.LocalIndex(); i < len(inverse); i += 8 {
		inverse[substitute(uint32(i))] = uint32(i)
	}
	it.Barrier()
	i := it.Index()
	if i >= len(blocks) {
		return
	}
	block := blocks[i]
	var shifted, back [4]uint32
	for column := range 4 {
		for row := range 4 {
			shifted[column] |= substitute(byteOf(block[(column+row)%4], row)) << (8 * row)
		}
	}
	for column := range 4 {
		for row := range 4 {
			back[(column+row)%4] |= inverse[byteOf(shifted[column], row)] << (8 * row)
		}
	}
	substituted[i] = shifted
	restored[i] = back
}

const crcSize = 64

//gpuc:kernel workgroup=crcSize
func Crc32(it gpu.Item, table *[256]uint32, text, lengths, checksums []uint32) {
	for i := it.LocalIndex(); i < len(table); i += crcSize {
		entry := uint32(i)
		for range 8 {
			odd := entry&1 != 0
			entry >>= 1
			if odd {
				entry ^= 0xedb88320
			}
		}
		table[i] = entry
	}
	it.Barrier()
	i := it.Index()
	if i >= len(lengths) {
		return
	}
	crc := ^uint32(0)
	for k := range int(lengths[i]) {
		crc = table[(crc^byteOf(text[k/4], k%4))&255] ^ crc>>8
	}
	checksums[i] = ^crc
}

var sha256Constants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// Message is a part of a text, in bytes.
type Message struct{ Start, Length uint32 }

// padded is a message of SHA-256 with padding.
type padded struct {
	text                  []uint32
	start, length, blocks uint32
}

// at returns a byte before the length.
func (m padded) at(i uint32) uint32 {
	switch {
	case i < m.length:
		i += m.start
		return m.text[i/4] >> (8 * (i % 4)) & 255
	case i == m.length:
		return 0x80
	}
	return 0
}

// word returns a word of a block.
func (m padded) word(block, n uint32) uint32 {
	if block == m.blocks-1 {
		switch n {
		case 14:
			return m.length >> 29
		case 15:
			return m.length << 3
		}
	}
	i := block*64 + n*4
	return m.at(i)<<24 | m.at(i+1)<<16 | m.at(i+2)<<8 | m.at(i+3)
}

func rotateRight(x uint32, n int) uint32 { return bits.RotateLeft32(x, -n) }

//gpuc:kernel workgroup=16
func Sha256(it gpu.Item, text []uint32, messages []Message, digests [][8]uint32) {
	i := it.Index()
	if i >= len(messages) {
		return
	}
	m := padded{text, messages[i].Start, messages[i].Length, (messages[i].Length+8)/64 + 1}
	state := [8]uint32{
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	}
	for block := range m.blocks {
		var schedule [16]uint32
		s := state
		for i := range uint32(64) {
			var w uint32
			if i < 16 {
				w = m.word(block, i)
			} else {
				a, b := schedule[(i+1)%16], schedule[(i+14)%16]
				w = schedule[i%16] + schedule[(i+9)%16] +
					(rotateRight(a, 7) ^ rotateRight(a, 18) ^ a>>3) +
					(rotateRight(b, 17) ^ rotateRight(b, 19) ^ b>>10)
			}
			schedule[i%16] = w
			e := s[4]
			choice := e&s[5] ^ ^e&s[6]
			t := s[7] + (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) + choice + sha256Constants[i] + w
			a := s[0]
			majority := a&s[1] ^ a&s[2] ^ s[1]&s[2]
			u := (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + majority
			for j := 7; j > 0; j-- {
				s[j] = s[j-1]
			}
			s[4] += t
			s[0] = t + u
		}
		for j, x := range s {
			state[j] += x
		}
	}
	digests[i] = state
}

// Wide is an integer of 64 bits.
type Wide struct{ Low, High uint32 }

// product returns the full product, by products of 16-bit halves.
func product(a, b uint32) Wide {
	p00 := (a & 0xffff) * (b & 0xffff)
	p01 := (a & 0xffff) * (b >> 16)
	p10 := (a >> 16) * (b & 0xffff)
	p11 := (a >> 16) * (b >> 16)
	middle := p00>>16 + p01&0xffff + p10&0xffff
	return Wide{middle<<16 | p00&0xffff, p11 + p01>>16 + p10>>16 + middle>>16}
}

func (a Wide) times(b Wide) Wide {
	p := product(a.Low, b.Low)
	return Wide{p.Low, p.High + a.Low*b.High + a.High*b.Low}
}

func (a Wide) plus(b Wide) Wide {
	low := a.Low + b.Low
	return Wide{low, a.High + b.High + one(low < a.Low)}
}

// shifted returns a shifted to the right, by less than 32.
func (a Wide) shifted(n uint) Wide { return Wide{a.Low>>n | a.High<<(32-n), a.High >> n} }

// pcg is the generator PCG32 (XSH RR).
type pcg struct{ state Wide }

// next returns the next random number.
func (p *pcg) next() uint32 {
	state := p.state
	x := state.shifted(18)
	x.Low ^= state.Low
	x.High ^= state.High
	p.state = state.times(Wide{0x4c957f2d, 0x5851f42d}).plus(Wide{0xf767814f, 0x14057b7e})
	return bits.RotateLeft32(x.shifted(27).Low, -int(state.High>>27))
}

//gpuc:kernel workgroup=16
func RandomPcg(it gpu.Item, seeds []Wide, numbers [][4]uint32) {
	i := it.Index()
	if i >= len(seeds) {
		return
	}
	random := pcg{seeds[i]}
	for n := range numbers[i] {
		numbers[i][n] = random.next()
	}
}

// Xoshiro is the state of the generator xoshiro128++ (Blackman and Vigna).
type Xoshiro [4]uint32

func (s *Xoshiro) draw() uint32 {
	result := bits.RotateLeft32(s[0]+s[3], 7) + s[0]
	t := s[1] << 9
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft32(s[3], 11)
	return result
}

//gpuc:kernel workgroup=32
func RandomXoshiro(it gpu.Item, seeds []Xoshiro, numbers []uint32, states []Xoshiro) {
	i := it.Index()
	if i >= len(seeds) {
		return
	}
	state := seeds[i]
	sum := uint32(0)
	for range i%29 + 1 {
		sum = sum*31 + state.draw()
	}
	numbers[i] = sum
	states[i] = state
}
