package ptx_test

import (
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
)

// mixed is a loop of 1000 iterations of 14 instructions: arithmetic, comparisons, and accesses to
// workgroup memory and a buffer.
const mixed = `mov.b32 %r2, words; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3; mov.b32 %r4, 0; mov.b32 %r5, 1; st.shared.b32 [%r2], %r1;
$L1:
	ld.shared.b32 %r6, [%r2]; mad.lo.u32 %r5, %r5, 1664525, %r6; xor.b32 %r7, %r5, %r4; shr.u32 %r8, %r7, 3; and.b32 %r8, %r8, 255; cvt.rn.f32.u32 %r9, %r8; mul.rn.f32 %r9, %r9, 0f3F000000; add.rn.f32 %r10, %r9, %r9; cvt.rzi.u32.f32 %r10, %r10; st.shared.b32 [%r2], %r10; st.global.b32 [%d2], %r7; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 1000; @%p1 bra $L1;`

// BenchmarkRun reports executed instructions per second.
func BenchmarkRun(b *testing.B) {
	m, err := ptx.Parse([]byte(module(32, variables, mixed)))
	if err != nil {
		b.Fatal(err)
	}
	launch := &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: make([]byte, 128)}}}
	k := kernel(32, 0)
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Run(k, launch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(32*14000*float64(b.N)/b.Elapsed().Seconds(), "instructions/s")
}

// BenchmarkParse reports how fast modules are read.
func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(accepted)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ptx.Parse([]byte(accepted)); err != nil {
			b.Fatal(err)
		}
	}
}
