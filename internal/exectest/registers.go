package exectest

// Small arrays of an invocation that registers hold: helpers index them through pointers, and
// loops around these by what they count.

import (
	"encoding/hex"
	"math/bits"
	"slices"
)

func chacha20() Case {
	const count = 45
	key := randomU32(60, 8, 0)
	nonce := randomU32(61, 3, 0)
	const counter = 0xfffffff8 // it wraps
	return Case{
		Name: "chacha20",
		Doc:  "ChaCha20 with a quarter round that takes a pointer",
		Buffers: []Buffer{
			content("key", slices.Concat(key, []uint32{counter}, nonce)), content("blocks", make([]uint32, 16*count)),
		},
		Dispatches: once("main", groups(count, 16), 1, 1),
		// Rows are rotated, so that diagonals become columns.
		Reference: func(buffers [][]byte) {
			var blocks []uint32
			for n := range count {
				first := [4][]uint32{{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, key[:4], key[4:],
					append([]uint32{counter + uint32(n)}, nonce...)}
				var s [4][]uint32
				for r := range s {
					s[r] = slices.Clone(first[r])
				}
				for round := range 20 {
					for c := range 4 {
						for k, round := range [...]int{16, 12, 8, 7} {
							to, from := k%2*2, (k%2*2+1)%4 // rows that are added
							by := (to + 3) % 4
							s[to][c] += s[from][c]
							s[by][c] = bits.RotateLeft32(s[by][c]^s[to][c], round)
						}
					}
					for r := range 4 {
						by := r
						if round%2 == 1 {
							by = (4 - r) % 4
						}
						s[r] = slices.Concat(s[r][by:], s[r][:by])
					}
				}
				for r := range 4 {
					for c := range 4 {
						blocks = append(blocks, s[r][c]+first[r][c])
					}
				}
			}
			store(buffers[1], blocks)
		},
	}
}

// blake2sDigests are the digests of messages of 0, 7, 14, … 63 bytes, whose i-th byte is 11 * i +
// the length, modulo 256 (Python 3.11, hashlib.blake2s).
var blake2sDigests = []string{
	"69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9",
	"1cdfc7a0feaa62c0e4ee46312f8dc5d8b12d5fa0994b8c18911499fdb8c08f0c",
	"c3ae838247a0472e279185661e0954d437c1288515dcc04625becf0fe9091c2f",
	"60f3bd7408198ab7c091e28b35f2a8ed605454aa0ffcf1f4d6bf506820d7a8ef",
	"6e5edbf2ff1fa1850d5efbfccf9f67d84efb82a567506055bfa82495a11c52e6",
	"af7f95207183c971696fe2189769d1add74c061cfdb65ce1ae2ab9f19a12d276",
	"8faa3fa50f9622761ea71b8a9f0ac235d362723b6bcd33608c6116c5c10b8bc5",
	"01c7647b49963803a30fddb68b2bdeace8492eab8196488e7f1c7bc7c7983e3a",
	"c95739a28fdee6d4760a20a40428672245dce1e0932fd7bc998f6200a37e01e4",
	"c57712dd9c4e4538fa8f65918e9be4340a6f8d4a8a6580025c310aa9ba4a0fa9",
}

func blake2s() Case {
	count := len(blake2sDigests)
	var lengths []uint32
	var messages []byte
	for n := range count {
		length := 7 * n
		lengths = append(lengths, uint32(length))
		message := make([]byte, 64)
		for i := range length {
			message[i] = byte(11*i + length)
		}
		messages = append(messages, message...)
	}
	return Case{
		Name: "blake2s",
		Doc:  "BLAKE2s with its state behind pointers and in a private variable",
		Buffers: []Buffer{
			mixed("messages", messages), content("lengths", lengths), content("digests", make([]uint32, 8*count)),
		},
		Dispatches: once("main", groups(count, 8)+1, 1, 1), // the last workgroup has nothing to do
		Reference: func(buffers [][]byte) {
			for n, digest := range blake2sDigests {
				sum, err := hex.DecodeString(digest)
				if err != nil {
					panic(err) // a constant
				}
				copy(buffers[2][32*n:], sum)
			}
		},
	}
}

func sortingNetworks() Case {
	const count, length = 19, 16
	// few different numbers, so that some are equal
	numbers := slices.Concat(randomU32(62, length*(count-9), 0), randomU32(63, length*9, 12))
	empty := make([]uint32, length*count)
	return Case{
		Name: "sorting_networks",
		Doc:  "sixteen numbers an invocation, sorted by networks and by insertion",
		Buffers: []Buffer{
			content("numbers", numbers), content("merged", empty), content("bitonic", empty), content("inserted", empty),
			content("swaps", make([]uint32, count)),
		},
		Dispatches: once("main", groups(count, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var sorted, inversions []uint32
			for s := range slices.Chunk(numbers, length) {
				// neighbours are exchanged as often as two numbers are in the wrong order
				n := uint32(0)
				for i := range s {
					for j := range i {
						if s[j] > s[i] {
							n++
						}
					}
				}
				inversions = append(inversions, n)
				sorted = append(sorted, slices.Sorted(slices.Values(s))...)
			}
			for n := 1; n <= 3; n++ {
				store(buffers[n], sorted)
			}
			store(buffers[4], inversions)
		},
	}
}

// determinant expands a matrix by the rows and columns that are left.
func determinant(m []uint32, order int, rows, columns []int, prime uint64) (sum uint64) {
	if len(rows) == 0 {
		return 1
	}
	for n, c := range columns {
		left := slices.Concat(columns[:n], columns[n+1:])
		term := uint64(m[rows[0]*order+c]) * determinant(m, order, rows[1:], left, prime) % prime
		if n%2 == 1 {
			term = prime - term
		}
		sum = (sum + term) % prime
	}
	return sum
}

func residues() Case {
	const order, count, prime = 4, 17, 65521
	const size = order * order
	matrices := randomU32(64, size*count, prime)
	signals := randomU32(65, 16*count, 257)
	return Case{
		Name: "residues",
		Doc:  "determinants, products and transforms of small arrays modulo primes",
		Buffers: []Buffer{
			content("matrices", matrices), content("signals", signals),
			content("determinants", make([]uint32, count)), content("cubes", make([]uint32, size*count)),
			content("spectra", make([]uint32, 16*count)),
		},
		Dispatches: once("main", groups(count, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var determinants, cubes, spectra []uint32
			all := []int{0, 1, 2, 3}
			for m := range slices.Chunk(matrices, size) {
				determinants = append(determinants, uint32(determinant(m, order, all, all, prime)))
				for i := range size {
					sum := uint64(0)
					for k := range size { // all ways of two steps
						sum += uint64(m[i/order*order+k/order]) * uint64(m[k/order*order+k%order]) % prime * uint64(m[k%order*order+i%order]) % prime
					}
					cubes = append(cubes, uint32(sum%prime))
				}
			}
			for s := range slices.Chunk(signals, 16) {
				for k := range 16 {
					sum := uint32(0)
					for n, x := range s {
						power := uint32(1)
						for range n * k {
							power = 2 * power % 257
						}
						sum += x * power % 257
					}
					spectra = append(spectra, sum%257)
				}
			}
			store(buffers[2], determinants)
			store(buffers[3], cubes)
			store(buffers[4], spectra)
		},
	}
}
