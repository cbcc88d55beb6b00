package exectest

// Hashes, checksums, ciphers' tables and random numbers: integer arithmetic
// that a single wrong bit anywhere destroys.

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"
)

// text returns n bytes; n is a multiple of 4.
func text(seed uint64, n int) []byte { return pack(randomU32(seed, n/4, 0)...) }

func sha256Messages() Case {
	const count, size = 70, 256
	data := text(50, size)
	var messages []uint32
	for i := range count { // every length around the ends of one and two blocks
		length := i * 2
		messages = append(messages, uint32((i*37)%(size-length)), uint32(length))
	}
	return Case{
		Name: "sha256",
		Doc:  "SHA-256 of 70 messages of 0 to 138 bytes",
		Buffers: []Buffer{
			mixed("text", data), content("messages", messages), content("digests", make([]uint32, 8*count)),
		},
		Dispatches: once("main", groups(count, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			for i := range count {
				start, length := messages[2*i], messages[2*i+1]
				sum := sha256.Sum256(data[start:][:length])
				for w := range 8 {
					binary.LittleEndian.PutUint32(buffers[2][32*i+4*w:], binary.BigEndian.Uint32(sum[4*w:]))
				}
			}
		},
	}
}

func crc32Prefixes() Case {
	const count, size = 150, 200
	data := text(51, size)
	lengths := build(count, func(i int) uint32 { return uint32(i * 17 % 151) })
	return Case{
		Name: "crc32",
		Doc:  "checksums by a table made in workgroup memory",
		Buffers: []Buffer{
			mixed("text", data), content("lengths", lengths), content("checksums", make([]uint32, count)),
		},
		Dispatches: once("main", groups(count, 64), 1, 1),
		Reference: func(buffers [][]byte) {
			store(buffers[2], apply(lengths, func(n uint32) uint32 { return crc32.ChecksumIEEE(data[:n]) }))
		},
	}
}

func randomXoshiro() Case {
	const count = 100
	seeds := randomU32(52, 4*count, 0)
	return Case{
		Name: "random_xoshiro",
		Doc:  "xoshiro128++ with its state behind a pointer",
		Buffers: []Buffer{
			content("seeds", seeds),
			content("numbers", make([]uint32, count)), content("states", make([]uint32, 4*count)),
		},
		Dispatches: once("main", groups(count, 32), 1, 1),
		Reference: func(buffers [][]byte) {
			states, numbers := slices.Clone(seeds), make([]uint32, count)
			for i := range count {
				s := states[4*i:][:4]
				for range i%29 + 1 {
					numbers[i] = numbers[i]*31 + bits.RotateLeft32(s[0]+s[3], 7) + s[0]
					s[0], s[1], s[2], s[3] = s[0]^s[1]^s[3], s[0]^s[1]^s[2], s[0]^s[2]^s[1]<<9, bits.RotateLeft32(s[1]^s[3], 11)
				}
			}
			store(buffers[1], numbers)
			store(buffers[2], states)
		},
	}
}

func randomPCG() Case {
	const count = 90
	seeds := randomU32(53, 2*count, 0)
	return Case{
		Name: "random_pcg",
		Doc:  "PCG32, its 64-bit state in pairs of u32",
		Buffers: []Buffer{
			content("seeds", seeds), content("numbers", make([]uint32, 4*count)),
		},
		Dispatches: once("main", groups(count, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var numbers []uint32
			for i := range count {
				state := uint64(seeds[2*i+1])<<32 | uint64(seeds[2*i])
				for range 4 {
					word := uint32((state>>18 ^ state) >> 27)
					numbers = append(numbers, bits.RotateLeft32(word, -int(state>>59)))
					state = state*6364136223846793005 + 1442695040888963407
				}
			}
			store(buffers[1], numbers)
		},
	}
}

// fieldProduct multiplies in GF(2^8) modulo x^8+x^4+x^3+x+1 (FIPS 197 §4.2).
func fieldProduct(a, b byte) byte {
	var r byte
	for ; b != 0; b >>= 1 {
		if b&1 != 0 {
			r ^= a
		}
		a = a<<1 ^ 0x1B*(a>>7)
	}
	return r
}

func aesSbox() Case {
	const count = 30
	blocks := text(54, 16*count)
	return Case{
		Name: "aes_sbox",
		Doc:  "byte substitution by a const array indexed with data",
		Buffers: []Buffer{
			mixed("blocks", blocks),
			content("substituted", make([]uint32, 4*count)), content("restored", make([]uint32, 4*count)),
		},
		Dispatches: once("main", groups(count, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			// From the definition: the inverse in the field, then an affine map.
			var sbox [256]byte
			for x := range 256 {
				inverse := byte(1)
				for range 254 { // x^254 is the inverse, and 0 for 0
					inverse = fieldProduct(inverse, byte(x))
				}
				for round := range 5 {
					sbox[x] ^= bits.RotateLeft8(inverse, round)
				}
				sbox[x] ^= 0x63
			}
			for i := range blocks {
				block, column, row := i/16, i/4%4, i%4
				buffers[1][i] = sbox[blocks[16*block+(column+row)%4*4+row]]
			}
			copy(buffers[2], blocks)
		},
	}
}
