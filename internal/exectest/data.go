package exectest

// Typed access to buffer contents, and the pseudo-random inputs. Contents are
// decoded and encoded rather than cast, so that nothing depends on alignment or
// on the byte order of the machine that runs the tests.

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/gpuc/gpuc/ir/scalar"
)

// half is a binary16 pattern, WGSL's f16 in memory.
type half uint16

func toHalf(x float64) half     { return half(scalar.HalfFromFloat64(x)) }
func (h half) float64() float64 { return scalar.HalfToFloat64(uint16(h)) }
func halves(v []float64) []half { return apply(v, toHalf) }

// word is a scalar that buffers hold.
type word interface {
	~uint16 | ~uint32 | ~int32 | ~float32
}

// values decodes a whole content.
func values[T word](data []byte) []T {
	var zero T
	v := make([]T, len(data)/binary.Size(zero))
	if _, err := binary.Decode(data, binary.LittleEndian, v); err != nil {
		panic(err) // the length is right by construction
	}
	return v
}

// pack encodes scalars.
func pack[T word](v ...T) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err) // word holds fixed-size types only
	}
	return data
}

// join concatenates parts of a mixed content.
func join(parts ...[]byte) []byte {
	var data []byte
	for _, p := range parts {
		data = append(data, p...)
	}
	return data
}

// store encodes v at the start of data, leaving what follows.
func store[T word](data []byte, v []T) { copy(data, pack(v...)) }

// apply maps a function over a slice.
func apply[A, B any](v []A, f func(A) B) []B {
	r := make([]B, len(v))
	for i, x := range v {
		r[i] = f(x)
	}
	return r
}

// build makes a slice of n values from their indices.
func build[T any](n int, f func(i int) T) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// source returns a deterministic generator; every case has its own seed, so
// that a change of one case leaves the data of the others alone.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9E3779B97F4A7C15)) }

// randomU32 returns n values below limit; a limit of 0 means all 32 bits.
func randomU32(seed uint64, n int, limit uint32) []uint32 {
	r := source(seed)
	return build(n, func(int) uint32 {
		if limit == 0 {
			return r.Uint32()
		}
		return r.Uint32N(limit)
	})
}

// randomF32 returns n multiples of 2^-20 in [low, high): enough digits to round
// in a product, and no subnormal numbers.
func randomF32(seed uint64, n int, low, high float64) []float32 {
	r := source(seed)
	steps := int64((high - low) * 0x1p20)
	return build(n, func(int) float32 { return float32(low + float64(r.Int64N(steps))*0x1p-20) })
}

// randomSteps returns n multiples of 2^-bits in [-limit, limit]: inputs so
// coarse that sums of their products are exact in any order.
func randomSteps(seed uint64, n int, limit int64, bits int) []float32 {
	r := source(seed)
	scale := 1 / float64(int64(1)<<bits)
	return build(n, func(int) float32 {
		return float32(float64(r.Int64N(2*limit<<bits+1)-limit<<bits) * scale)
	})
}

// groups returns the workgroups of the given size that cover n invocations.
func groups(n, size int) uint32 { return uint32((n + size - 1) / size) }

// once makes the list of a single dispatch.
func once(entry string, x, y, z uint32) []Dispatch {
	return []Dispatch{{Entry: entry, Grid: [3]uint32{x, y, z}}}
}

// content makes a buffer whose results must be equal bit by bit.
func content[T word](name string, v []T) Buffer {
	b := Buffer{Name: name, Data: pack(v...)}
	switch any(v).(type) {
	case []float32:
		b.Element = scalar.F32
	case []half:
		b.Element = scalar.F16
	case []int32:
		b.Element = scalar.I32
	default:
		b.Element = scalar.U32
	}
	return b
}

// mixed makes a buffer of several scalar types, compared bit by bit.
func mixed(name string, parts ...[]byte) Buffer {
	return Buffer{Name: name, Data: join(parts...), Element: scalar.U32}
}

// ulps returns the buffer with a bound in representable values.
func (b Buffer) ulps(n uint32) Buffer {
	b.ULP = n
	return b
}

// absolute returns the buffer with an absolute bound.
func (b Buffer) absolute(bound float64) Buffer {
	b.Absolute = bound
	return b
}
