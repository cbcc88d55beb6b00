package run

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// small has fields of all sizes.
type small struct {
	A int8
	B uint16
	C int64
	D float64
	E [2]uint8
}

// Sizes computes with numbers that have other sizes than 32 bits. Its words are one each of what it finds.
//
//gpuc:kernel workgroup=1
func Sizes(it gpu.Item, x []small, y []uint32) {
	s := &x[0] // all zero but for what is set here
	s.A = -128
	s.A--       // 127
	s.B = 65535 // and two more is 1
	s.B += 2
	s.C = 1 << 40
	s.C *= 1 << 20 // 2⁶⁰
	s.D = 0.5
	s.D += 1e10
	s.E[1] = 200
	s.E[1] += 100 // 44
	y[0] = uint32(int32(s.A))
	y[1] = uint32(s.B)
	y[2] = uint32(s.C >> 58)
	y[3] = uint32(math.Float64bits(s.D) >> 32)
	y[4] = uint32(s.E[1])
	y[5] = uint32(bits.LeadingZeros64(uint64(s.C))) // 3
	var narrow int8 = -7
	y[6] = uint32(int32(narrow / 2))                                      // -3
	y[7] = uint32(int32(narrow >> uint64(1)))                             // -4
	y[8] = uint32(uint8(narrow)) >> 4                                     // 15, of 249
	y[9] = uint32(math.Floor(math.Sqrt(s.D)))                             // of 10000000000.5
	y[10] = uint32(int64(math.Float64frombits(0xc3e0000000000000)) >> 63) // of -2⁶³
	y[11] = uint32(uint64(1) << uint8(y[1]+39) >> 38)
}

// Counts adds to a sum of 64 bits.
//
//gpuc:kernel workgroup=4
func Counts(it gpu.Item, shared *[1]uint64, x []int64, y []uint32) {
	l := it.LocalIndex()
	atomic.AddUint64(&shared[0], 1<<31)
	it.Barrier()
	if l == 0 {
		y[0] = uint32(atomic.LoadUint64(&shared[0]) >> 32) // four times half of 2³²
		y[1] = uint32(gpu.AtomicMax(&x[0], -5) + 9)        // of what it was, -9
		y[2] = uint32(x[0] + 6)
	}
}
