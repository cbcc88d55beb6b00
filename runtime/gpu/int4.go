package gpu

// Words of eight integers of four bits, for storage. The compiler reads this file, like vector.go.

// Int4x8 is a word of eight signed integers from -8 to 7, the first in the lowest four bits.
type Int4x8 uint32

// Uint4x8 is a word of eight integers from 0 to 15, the first in the lowest four bits.
type Uint4x8 uint32

// Get returns integer n, from 0 to 7.
func (x Int4x8) Get(n int) int32 { return int32(x) << (28 - 4*n) >> 28 }

// Get returns integer n, from 0 to 7.
func (x Uint4x8) Get(n int) uint32 { return uint32(x) >> (4 * n) & 15 }

// With returns x with the lowest four bits of v as integer n, from 0 to 7.
func (x Int4x8) With(n int, v int32) Int4x8 { return Int4x8(with4(uint32(x), n, uint32(v))) }

// With returns x with the lowest four bits of v as integer n, from 0 to 7.
func (x Uint4x8) With(n int, v uint32) Uint4x8 { return Uint4x8(with4(uint32(x), n, v)) }

func with4(x uint32, n int, v uint32) uint32 { return x&^(15<<(4*n)) | v&15<<(4*n) }
