package interp_test

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/ir/interp"
)

// The benchmarks measure IR operations a second on one core, for a loop of integer and float
// arithmetic with a load. A plain register machine executes the same operations one by one, for
// comparison.

// mixed executes 9 IR operations an iteration: 8 instructions and the next.
const mixed = `
var @y : ptr<storage, array<f32, 256u>, read_write> [group 0, binding 0]
kernel @k() [workgroup 1u, 1u, 1u] {
  %r, %t = loop ^l(%i: u32 = 0u, %x: u32 = 1u, %s: f32 = 0f) : f32, u32 {
    %x1 = mul %x, 1664525u : u32
    %x2 = add %x1, 1013904223u : u32
    %k = and %x2, 255u : u32
    %p = access @y, %k : ptr<storage, f32, read_write>
    %v = load %p : f32
    %s1 = add %s, %v : f32
    continue ^l(%x2, %s1)
  } continuing(%xn: u32, %sn: f32) {
    %i1 = add %i, 1u : u32
    %end = eq %i1, 1000000u : bool
    next ^l(%i1, %xn, %sn) break_if %end(%sn, %xn)
  }
  %p0 = access @y, 0u : ptr<storage, f32, read_write>
  store %p0, %r
  return
}`

const (
	mixedIterations = 1000000
	mixedOperations = 9 * mixedIterations
)

func BenchmarkMixed(b *testing.B) {
	p := compile(b, mixed)
	y := make([]float32, 256)
	for b.Loop() {
		run(b, p, interp.Launch{Buffers: [][]byte{bytesOf(y)}, Workers: 1})
	}
	b.ReportMetric(mixedOperations*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mop/s")
}

// plain is the baseline's instruction.
type plain struct{ op, d, a, b uint32 }

const (
	plainMul = iota
	plainAdd
	plainAnd
	plainAccess
	plainLoad
	plainAddF32
	plainEqual
	plainNext
	plainEnd
)

func plainRun(code []plain, r []uint64, memory []float32) {
	for pc := 0; ; {
		c := &code[pc]
		pc++
		switch c.op {
		case plainMul:
			r[c.d] = uint64(uint32(r[c.a]) * uint32(r[c.b]))
		case plainAdd:
			r[c.d] = uint64(uint32(r[c.a]) + uint32(r[c.b]))
		case plainAnd:
			r[c.d] = r[c.a] & r[c.b]
		case plainAccess:
			r[c.d] = r[c.a] + min(r[c.b], 255)
		case plainLoad:
			r[c.d] = uint64(math.Float32bits(memory[r[c.a]]))
		case plainAddF32:
			r[c.d] = uint64(math.Float32bits(math.Float32frombits(uint32(r[c.a])) + math.Float32frombits(uint32(r[c.b]))))
		case plainEqual:
			r[c.d] = 0
			if r[c.a] == r[c.b] {
				r[c.d] = 1
			}
		case plainNext: // moves the three parameters as well
			r[1], r[2], r[3] = r[4], r[5], r[6]
			if r[c.a] == 0 {
				pc = int(c.d)
			}
		case plainEnd:
			return
		}
	}
}

func BenchmarkMixedBaseline(b *testing.B) {
	code := []plain{{plainMul, 7, 2, 10}, {plainAdd, 5, 7, 11}, {plainAnd, 8, 5, 12}, {plainAccess, 9, 0, 8}, {plainLoad, 9, 9, 0},
		{plainAddF32, 6, 3, 9}, {plainAdd, 4, 1, 13}, {plainEqual, 8, 4, 14}, {plainNext, 0, 8, 0}, {plainEnd, 0, 0, 0}}
	memory := make([]float32, 256)
	for b.Loop() {
		plainRun(code, []uint64{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1664525, 1013904223, 255, 1, mixedIterations}, memory)
	}
	b.ReportMetric(mixedOperations*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mop/s")
}
