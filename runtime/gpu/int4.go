package gpu

// Words of eight integers of four bits, for storage, and tiles of such integers. The compiler reads
// this file, like vector.go.

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

// LoadInt4 returns a tile of int8 from a matrix of words, each of which has eight columns of
// integers: the one in row i and column j is m.At(i, j/8).Get(j%8). The tile begins at (row, col),
// counted in integers, which may be negative. Integers outside of the matrix are zero.
//
// All items call it together with the same arguments. As for MapTile, which it is made of, nothing
// checks that the arguments are the same.
//
// ConvertTile makes the tile one of other elements, and MapTile2 scales it on the way.
func LoadInt4[A any](it Item, m Matrix[Int4x8], row, col int) Tile[A] {
	return MapTile[A](it, Tile[A]{}, func(i, j int, _ int8) int8 {
		i, j = row+i, col+j
		if i < 0 || i >= m.Rows() || j < 0 || j >= 8*m.Cols() {
			return 0
		}
		return int8(m.At(i, j/8).Get(j % 8))
	})
}

// LoadUint4 is LoadInt4 for integers without a sign. The elements of the tile are uint8.
func LoadUint4[A any](it Item, m Matrix[Uint4x8], row, col int) Tile[A] {
	return MapTile[A](it, Tile[A]{}, func(i, j int, _ uint8) uint8 {
		i, j = row+i, col+j
		if i < 0 || i >= m.Rows() || j < 0 || j >= 8*m.Cols() {
			return 0
		}
		return uint8(m.At(i, j/8).Get(j % 8))
	})
}
