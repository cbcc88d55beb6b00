package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
)

// matrixModule is module for the devices that have products of a warp.
func matrixModule(invocations uint32, variables, body string) string {
	return strings.Replace(module(invocations, variables, body), ".version 6.3\n.target sm_70", ".version 7.0\n.target sm_80", 1)
}

// TestLoadsOfMatrices loads four matrices whose elements are numbered.
func TestLoadsOfMatrices(t *testing.T) {
	for _, name := range []string{"", ".trans"} {
		for register := range 4 {
			// lane l stores elements 8l to 8l+7: row l%8 of matrix l/8
			body := "mov.b32 %r3, rows; shl.b32 %r2, %r1, 4; add.u32 %r3, %r3, %r2; shl.b32 %r2, %r1, 3; mul.lo.u32 %r2, %r2, 0x10001; add.u32 %r2, %r2, 0x10000; "
			for n := range 4 {
				body += fmt.Sprintf("st.shared.b32 [%%r3+%d], %%r2; add.u32 %%r2, %%r2, 0x20002; ", 4*n)
			}
			body += "bar.sync 0; ldmatrix.sync.aligned.m8n8.x4" + name + ".shared.b16 {%r4, %r5, %r6, %r7}, [%r3]; "
			body += fmt.Sprintf("st.global.b32 [%%d2], %%r%d;", 4+register)
			data := make([]byte, 256)
			err := ptx.Run([]byte(matrixModule(32, ".shared .align 16 .b8 rows[512];", body)), kernel(32, 0), &emulate.Launch{Entry: "main",
				Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: data}}, Steps: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			for lane := range 32 {
				first, second := 8*(lane/4)+2*(lane%4), 8*(lane/4)+2*(lane%4)+1
				if name != "" {
					first, second = 16*(lane%4)+lane/4, 16*(lane%4)+8+lane/4
				}
				want := uint32(64*register+first) | uint32(64*register+second)<<16
				if got := binary.LittleEndian.Uint32(data[4*lane:]); got != want {
					t.Errorf("ldmatrix%s: register %d of lane %d is %#x, want %#x", name, register, lane, got, want)
				}
			}
		}
	}
}

// TestMatrixProducts multiplies matrices of all types, which are dealt out to the registers here.
func TestMatrixProducts(t *testing.T) {
	const rows, columns = 16, 8
	bitsOf := map[string]func(v int) uint64{
		"f16":  func(v int) uint64 { return uint64(binary.LittleEndian.Uint16(halves(1, func(int) int { return v }))) },
		"bf16": func(v int) uint64 { return uint64(math.Float32bits(float32(v)) >> 16) },
		"f32":  func(v int) uint64 { return uint64(math.Float32bits(float32(v))) },
		"s8":   func(v int) uint64 { return uint64(uint8(v)) },
		"u8":   func(v int) uint64 { return uint64(uint8(v)) },
		"s32":  func(v int) uint64 { return uint64(uint32(v)) },
	}
	for _, test := range []struct {
		shape        string
		depth        int
		factor, sum  string
		bytes, whole int // of a factor and of a sum
	}{
		{"m16n8k16", 16, "f16", "f32", 2, 4},
		{"m16n8k16", 16, "bf16", "f32", 2, 4},
		{"m16n8k16", 16, "f16", "f16", 2, 2},
		{"m16n8k32", 32, "s8", "s32", 1, 4},
		{"m16n8k32", 32, "u8", "s32", 1, 4},
	} {
		left, right := func(r, k int) int { return (3*r+5*k+r*k)%7 - 3 }, func(k, c int) int { return (2*k+3*c+k*c)%5 - 2 }
		if test.factor == "u8" {
			left, right = func(r, k int) int { return (3*r + 5*k + r*k) % 251 }, func(k, c int) int { return (2*k + 3*c + k*c) % 253 }
		}
		more := func(r, c int) int { return 10*r - 3*c }
		const words = 14 // of a lane: four of a, two of b, four of c and of d
		data := make([]byte, 32*words*4)
		put := func(lane, word, part, bytes int, bits uint64) {
			for n := range bytes {
				data[(lane*words+word)*4+part*bytes+n] = byte(bits >> (8 * n))
			}
		}
		each := 4 / test.bytes
		for k := range test.depth {
			for r := range rows {
				put(r%8*4+k%(4*each)/each, r/8+k/(4*each)*2, k%each, test.bytes, bitsOf[test.factor](left(r, k)))
			}
			for c := range columns {
				put(c*4+k%(4*each)/each, 4+k/(4*each), k%each, test.bytes, bitsOf[test.factor](right(k, c)))
			}
		}
		// where a sum is among those of four words, or of two
		place := func(r, c int) (lane, word, part int) {
			if test.whole == 2 {
				return r%8*4 + c/2, r / 8, c % 2
			}
			return r%8*4 + c/2, r/8*2 + c%2, 0
		}
		for r := range rows {
			for c := range columns {
				lane, word, part := place(r, c)
				put(lane, 6+word, part, test.whole, bitsOf[test.sum](more(r, c)))
			}
		}
		body := "mul.wide.u32 %d3, %r1, 56; add.s64 %d3, %d1, %d3; "
		for n := range 10 {
			body += fmt.Sprintf("ld.global.b32 %%r%d, [%%d3+%d]; ", 2+n, 4*n)
		}
		d, c, last := "{%r12, %r13, %r14, %r15}", "{%r8, %r9, %r10, %r11}", test.sum
		if test.whole == 2 {
			d, c = "{%r12, %r13}", "{%r8, %r9}"
			body += "mov.b32 %r14, 0; mov.b32 %r15, 0; "
		}
		body += fmt.Sprintf("mma.sync.aligned.%s.row.col.%s.%s.%s.%s %s, {%%r2, %%r3, %%r4, %%r5}, {%%r6, %%r7}, %s; ", test.shape, test.sum, test.factor, test.factor, last, d, c)
		for n := range 4 {
			body += fmt.Sprintf("st.global.b32 [%%d3+%d], %%r%d; ", 40+4*n, 12+n)
		}
		err := ptx.Run([]byte(matrixModule(32, "", body)), kernel(32, 0), &emulate.Launch{Entry: "main",
			Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: data}}, Steps: 1 << 20})
		if err != nil {
			t.Fatalf("%s: %v", test.factor, err)
		}
		for r := range rows {
			for c := range columns {
				want := more(r, c)
				for k := range test.depth {
					want += left(r, k) * right(k, c)
				}
				lane, word, part := place(r, c)
				at := (lane*words+10+word)*4 + part*test.whole
				got := uint64(binary.LittleEndian.Uint32(append(data[at:at+test.whole:at+test.whole], 0, 0)))
				if got != bitsOf[test.sum](want) {
					t.Fatalf("%s·%s: row %d, column %d is %#x, want %d", test.factor, test.sum, r, c, got, want)
				}
			}
		}
	}
}

// TestMatrixFaults executes what the ISA leaves undefined.
func TestMatrixFaults(t *testing.T) {
	const sums = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r2, %r3, %r4, %r5}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, "
	const load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, "
	for _, test := range []struct {
		name        string
		invocations uint32
		body, want  string
	}{
		{"a part of a warp", 16, sums + "{%r1, %r1, %r1, %r1};", "it waits for invocations that do not come"},
		{"lanes that leave", 32, "setp.eq.u32 %p1, %r1, 3; @%p1 bra $L1; " + sums + "{%r1, %r1, %r1, %r1}; $L1:;", "it waits for invocations that do not come"},
		{"two instructions", 32, "setp.eq.u32 %p1, %r1, 3; @%p1 bra $L1; " + sums + "{%r1, %r1, %r1, %r1}; bra $L2; $L1: " + sums +
			"{%r1, %r1, %r1, %r1}; $L2:;", "it waits for invocations that do not come"},
		{"a register that is not written", 32, sums + "{%r1, %r1, %r1, %r9};", "register %r9 is read before it is written"},
		{"a row that is not aligned", 32, "mov.b32 %r9, words; add.u32 %r9, %r9, 8; " + load + "[%r9];", "is not aligned to 16 bytes"},
		{"a row outside", 32, "mov.b32 %r9, words; shl.b32 %r8, %r1, 4; add.u32 %r9, %r9, %r8; " + load + "[%r9];", "is not within one variable"},
		{"a race", 32, "mov.b32 %r9, words; st.shared.b32 [%r9], %r1; " + load + "[%r9];", "a race"},
	} {
		body := strings.ReplaceAll(test.body, ":;", ":")
		err := ptx.Run([]byte(matrixModule(test.invocations, variables, body)), kernel(test.invocations, 0), &emulate.Launch{Entry: "main",
			Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: make([]byte, 256)}}, Steps: 1 << 20})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
	}
}
