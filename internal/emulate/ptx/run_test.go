package ptx_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/runtime/abi"
)

// module makes a module of a kernel's body. %d1 is the buffer's address, %r1 the
// invocation's index, and %d2 the address of its element.
func module(invocations uint32, variables, body string) string {
	return fmt.Sprintf(`.version 6.3
.target sm_70
.address_size 64
%s
.visible .entry main(
	.param .u64 .ptr .global .align 16 binding_0,
	.param .u32 bytes_0,
	.param .u32 length_0
)
.reqntid %d, 1, 1
{
	.reg .pred %%p<9>;
	.reg .b16 %%h<9>;
	.reg .b32 %%r<20>;
	.reg .b64 %%d<20>;
	.local .align 16 .b8 mine[32];
	ld.param.b64 %%d1, [binding_0];
	cvta.to.global.u64 %%d1, %%d1;
	mov.u32 %%r1, %%tid.x;
	mul.wide.u32 %%d2, %%r1, 4;
	add.s64 %%d2, %%d1, %%d2;
	%s
	ret;
}
`, variables, invocations, strings.ReplaceAll(strings.TrimSpace(body), "; ", ";\n\t"))
}

const variables = `.shared .align 16 .b8 words[128];
.shared .align 16 .b8 others[128];
.const .align 4 .b8 table[8] = {1,0,0,0,2};
.global .align 4 .b8 stored[8] = {3,0,0,0,4};
`

// run executes a body with a buffer of 64 words, which are 100, 101 and so on.
func run(invocations uint32, groups uint32, variables, body string) ([]uint32, error) {
	data := make([]byte, 256)
	for n := range 64 {
		binary.LittleEndian.PutUint32(data[4*n:], uint32(100+n))
	}
	err := ptx.Run([]byte(module(invocations, variables, body)), kernel(invocations, 0), &emulate.Launch{Entry: "main",
		Grid: [3]uint32{groups, 1, 1}, Buffers: []emulate.Buffer{{Data: data}}, Steps: 1 << 20})
	words := make([]uint32, 64)
	for n := range words {
		words[n] = binary.LittleEndian.Uint32(data[4*n:])
	}
	return words, err
}

// TestFaults executes what the ISA leaves undefined.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name        string
		invocations uint32
		groups      uint32
		body, want  string
	}{
		{"register", 1, 1, "add.u32 %r2, %r3, 1;", "register %r3 is read before it is written"},
		{"predicate", 1, 1, "@%p1 trap;", "register %p1 is read before it is written"},
		{"selected", 1, 1, "setp.eq.u32 %p1, %r1, 0; selp.b32 %r3, %r4, 0, %p1;", "register %r4 is read before it is written"},
		{"stored", 1, 1, "st.global.b32 [%d2], %r5;", "register %r5 is read before it is written"},
		{"one path", 2, 1, "setp.eq.u32 %p1, %r1, 0; @%p1 mov.b32 %r2, 1; st.global.b32 [%d2], %r2;", "invocation [1 0 0]: register %r2 is read before"},
		{"trap", 1, 1, "trap;", "trap is executed"},
		{"zero", 1, 1, "div.u32 %r2, 5, %r1; st.global.b32 [%d2], %r2;", "division by zero"},
		{"remainder of zero", 1, 1, "rem.s32 %r2, 5, %r1; st.global.b32 [%d2], %r2;", "division by zero"},
		{"overflow", 1, 1, "add.s32 %r2, %r1, 0x80000000; div.s32 %r2, %r2, -1; st.global.b32 [%d2], %r2;", "undefined value"},
		{"overflow of 64 bits", 1, 1, "mov.b64 %d3, 0x8000000000000000; rem.s64 %d3, %d3, -1; st.global.b64 [%d2], %d3;", "undefined value"},
		{"behind", 1, 1, "ld.global.b32 %r2, [%d2+256];", "in 256 bytes of global memory"},
		{"before", 1, 1, "ld.global.b32 %r2, [%d2+-4];", "is in no buffer"},
		{"far", 1, 1, "ld.global.b32 %r2, [%d2+2147483644];", "at 0x7ffffffc in 256 bytes of global memory"},
		{"partly", 1, 1, "ld.global.v2.b32 {%r2, %r3}, [%d2+256];", "in 256 bytes of global memory"},
		{"aligned", 1, 1, "ld.global.b32 %r2, [%d2+2];", "is not aligned to 4 bytes"},
		{"vector aligned", 1, 1, "ld.global.v2.b32 {%r2, %r3}, [%d2+4];", "is not aligned to 8 bytes"},
		{"cut address", 1, 1, "cvt.u32.u64 %r2, %d2; cvt.u64.u32 %d3, %r2; ld.global.b32 %r3, [%d3];", "is in no buffer"},
		{"sum in 32 bits", 1, 1, "mov.b64 {%r2, %r3}, %d2; add.u32 %r2, %r2, 252; add.u32 %r2, %r2, 4; mov.b64 %d3, {%r2, %r3}; ld.global.b32 %r4, [%d3];", "is in no buffer"},
		{"generic", 1, 1, "ld.param.b64 %d3, [binding_0]; ld.global.b32 %r2, [%d3];", "is in no buffer"},
		{"twice global", 1, 1, "cvta.to.global.u64 %d3, %d1;", "is no generic one"},
		{"shared address in global", 1, 1, "mov.b32 %r2, words; cvt.u64.u32 %d3, %r2; ld.global.b32 %r3, [%d3];", "is in no buffer"},
		{"shared gap", 1, 1, "mov.b32 %r2, words; st.shared.b32 [%r2+128], 1;", "is not within one variable"},
		{"local in shared", 1, 1, "mov.b32 %r2, mine; st.shared.b32 [%r2], 1;", "in 0 bytes of dynamic workgroup memory"},
		{"local behind", 1, 1, "st.local.b32 [mine+32], 1; ", "bytes of local memory"},
		{"const behind", 1, 1, "ld.const.b32 %r2, [table+8];", "const"},
		{"table written", 1, 1, "st.global.b32 [stored], 1;", "which is only read"},
		{"uninitialised shared", 1, 1, "ld.shared.b32 %r2, [words]; st.global.b32 [%d2], %r2;", "memory that was never written"},
		{"uninitialised local", 1, 1, "ld.local.b32 %r2, [mine]; add.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 1; @%p1 ret;", "%p1 has an undefined value"},
		{"uninitialised index", 1, 1, "ld.local.b64 %d3, [mine]; and.b64 %d3, %d3, 4; add.s64 %d3, %d1, %d3; ld.global.b32 %r2, [%d3];", "an undefined address"},
		{"uninitialised atomic", 1, 1, "red.relaxed.cta.shared.add.u32 [words], 1;", "an atomic on memory that was never written"},
		{"through local", 1, 1, "ld.shared.b32 %r2, [words]; st.local.b32 [mine], %r2; ld.local.b32 %r3, [mine]; st.global.b32 [%d2], %r3;", "memory that was never written"},
		{"race of writes", 2, 1, "st.global.b32 [%d1], 5;", "a race"},
		{"race of read and write", 2, 1, "setp.eq.u32 %p1, %r1, 0; @%p1 ld.global.b32 %r2, [%d1]; @!%p1 st.global.b32 [%d1], 5;", "a race"},
		{"race of write and read", 2, 1, "setp.eq.u32 %p1, %r1, 1; @%p1 ld.global.b32 %r2, [%d1]; @!%p1 st.global.b32 [%d1], 5;", "a race"},
		{"race with many readers", 8, 1, "setp.eq.u32 %p1, %r1, 7; @!%p1 ld.global.b32 %r2, [%d1]; @%p1 st.global.b32 [%d1], 5;", "a race"},
		{"race of warps", 64, 1, "setp.eq.u32 %p1, %r1, 63; @!%p1 ld.global.b32 %r2, [%d1]; @%p1 st.global.b32 [%d1], 5;", "a race"},
		{"race of warps, one past its barrier", 64, 1, "setp.eq.u32 %p1, %r1, 0; setp.gt.u32 %p2, %r1, 31; or.pred %p3, %p1, %p2; @!%p2 bar.warp.sync -1; @%p3 ld.global.b32 %r2, [%d1]; @%p1 st.global.b32 [%d1], 5;", "read by another invocation"},
		{"race of workgroups", 1, 2, "st.global.b32 [%d1], 5;", "written by another workgroup"},
		{"race with what workgroups read", 1, 2, "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; ld.global.b32 %r2, [%d1]; bar.sync 0; @!%p1 st.global.b32 [%d1], 5;", "read by another workgroup"},
		{"race of atomic and write", 2, 1, "setp.eq.u32 %p1, %r1, 0; @%p1 red.relaxed.gpu.global.add.u32 [%d1], 1; @!%p1 st.global.b32 [%d1], 5;", "a race"},
		{"race in workgroup memory", 2, 1, "st.shared.b32 [words], 5;", "a race"},
		{"race of halves", 2, 1, "st.global.b16 [%d1], 5;", "a race"},
		{"race of bytes", 2, 1, "st.global.b8 [%d1+1], 5;", "a race: byte 1"},
		{"race of a byte and a word", 2, 1, "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.b8 [%d1+7], 5; @!%p1 st.global.b32 [%d1+4], 5;", "a race"},
		{"race of bytes in workgroup memory", 2, 1, "st.shared.b8 [words+3], 5;", "a race"},
		{"byte behind", 1, 1, "ld.global.b8 %r2, [%d2+256];", "an access of 1 bytes at 0x100 in 256 bytes of global memory"},
		{"half aligned", 1, 1, "ld.global.b16 %r2, [%d2+1];", "is not aligned to 2 bytes"},
		{"bytes aligned", 1, 1, "ld.global.v4.b8 {%r2, %r3, %r4, %r5}, [%d2+2];", "is not aligned to 4 bytes"},
		{"byte gap", 1, 1, "mov.b32 %r2, words; st.shared.b8 [%r2+128], 1;", "is not within one variable"},
		{"byte without a value", 1, 1, "st.shared.b8 [words], 1; ld.shared.b8 %r2, [words+1]; st.global.b8 [%d2], %r2;", "memory that was never written"},
		{"word of one byte", 1, 1, "st.local.b8 [mine], 1; ld.local.b16 %r2, [mine]; st.global.b16 [%d2], %r2;", "memory that was never written"},
		{"undefined double", 1, 1, "ld.local.b64 %d3, [mine]; mul.rn.f64 %d3, %d3, 0d0000000000000000; st.global.b64 [%d2], %d3;", "memory that was never written"},
		{"byte of a register without a value", 1, 1, "st.global.b8 [%d2], %r5;", "register %r5 is read before it is written"},
		{"non-coherent", 1, 1, "st.global.b32 [%d2], 5; ld.global.nc.b32 %r2, [%d2];", "non-coherent"},
		{"non-coherent first", 1, 1, "ld.global.nc.b32 %r2, [%d2]; st.global.b32 [%d2], 5;", "non-coherent"},
		{"barrier left", 2, 1, "setp.eq.u32 %p1, %r1, 0; @%p1 ret; bar.sync 0;", "a barrier that some invocations have left"},
		{"barriers", 2, 1, "setp.eq.u32 %p1, %r1, 0; @%p1 bar.sync 0; @!%p1 bar.sync 0;", "invocations wait at different barriers"},
		{"deadlock", 2, 1, "setp.eq.u32 %p1, %r1, 0; @%p1 bar.sync 0; @!%p1 bar.warp.sync 3;", "it waits for invocations that do not come"},
		{"mask without itself", 2, 1, "bar.warp.sync 1;", "lane 1 is not in its own mask 0x1"},
		{"mask with others", 2, 1, "bar.warp.sync 7;", "it waits for invocations that do not come"},
		{"masks differ", 2, 1, "add.u32 %r2, %r1, 2; or.b32 %r2, %r2, 1; setp.eq.u32 %p1, %r1, 1; @%p1 mov.b32 %r2, 2; bar.warp.sync %r2;", "has mask"},
		{"lane away", 2, 1, "mov.b32 %r2, 1; shfl.sync.idx.b32 %r3, %r2, 5, 31, 3; st.global.b32 [%d2], %r3;", "never written"},
		{"index of labels", 3, 1, "brx.idx %r1, $T1;\n$T1: .branchtargets $L1, $L1;\n$L1:\n", "table $T1"},
		{"label beyond", 3, 1, "\n$T1: .branchtargets $L1, $L1;\n brx.idx %r1, $T1;\n$L1:\n", "an index beyond the labels"},
		{"endless", 1, 1, "\n$L1:\n add.u32 %r1, %r1, 1; bra $L1;", "the limit of executed instructions is reached"},
		{"itself", 1, 1, "\n$L1:\n bra $L1;", "a branch to itself"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := run(test.invocations, test.groups, variables, test.body)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want an error with %q", err, test.want)
			}
		})
	}
}

// works are programs similar to those of TestFaults whose behaviour is defined.
var works = []struct {
	name        string
	invocations uint32
	groups      uint32
	body        string
	want        []uint32
}{
	{"same register on both paths", 2, 1, "setp.eq.u32 %p1, %r1, 0; @%p1 mov.b32 %r2, 1; @!%p1 mov.b32 %r2, 2; st.global.b32 [%d2], %r2;", []uint32{1, 2, 102}},
	{"not chosen", 1, 1, "ld.local.b32 %r2, [mine]; setp.eq.u32 %p1, %r1, 0; selp.b32 %r3, 7, %r2, %p1; st.global.b32 [%d2], %r3;", []uint32{7, 101}},
	{"absorbed", 1, 1, "ld.local.b32 %r2, [mine]; and.b32 %r3, %r2, 0; st.global.b32 [%d2], %r3; or.b32 %r3, %r2, -1; st.global.b32 [%d2+4], %r3;", []uint32{0, 0xFFFFFFFF}},
	{"last element", 1, 1, "ld.global.v2.b32 {%r2, %r3}, [%d2+248]; st.global.b32 [%d2], %r3;", []uint32{163}},
	{"exchange over a barrier", 32, 1, "mov.b32 %r2, words; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.b32 [%r4], %r1; bar.sync 0; xor.b32 %r3, %r3, 4; add.u32 %r4, %r2, %r3; ld.shared.b32 %r5, [%r4]; st.global.b32 [%d2], %r5;", []uint32{1, 0, 3, 2}},
	{"exchange over a warp's barrier", 2, 1, "mov.b32 %r2, words; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.b32 [%r4], %r1; bar.warp.sync 3; xor.b32 %r3, %r3, 4; add.u32 %r4, %r2, %r3; ld.shared.b32 %r5, [%r4]; st.global.b32 [%d2], %r5;", []uint32{1, 0, 102}},
	{"atomics", 4, 3, "red.relaxed.gpu.global.add.u32 [%d1], 1; atom.relaxed.gpu.global.max.s32 %r2, [%d1+4], %r1; atom.relaxed.gpu.global.min.s32 %r2, [%d1+8], -1; atom.relaxed.gpu.global.min.u32 %r2, [%d1+12], 200; ld.relaxed.gpu.global.b32 %r3, [%d1];", []uint32{112, 101, 0xFFFFFFFF, 103}},
	{"compare and swap", 1, 1, "atom.relaxed.gpu.global.cas.b32 %r2, [%d1], 100, 7; atom.relaxed.gpu.global.cas.b32 %r3, [%d1+4], 100, 7; st.global.b32 [%d1+8], %r2; st.global.b32 [%d1+12], %r3;", []uint32{7, 101, 100, 101}},
	{"waiting for another", 2, 1, "setp.eq.u32 %p1, %r1, 1; @%p1 st.relaxed.gpu.global.b32 [%d1], 9; @%p1 ret;\n$L1:\n ld.relaxed.gpu.global.b32 %r2, [%d1]; setp.ne.u32 %p2, %r2, 9; @%p2 bra $L1; st.global.b32 [%d1+4], %r2;", []uint32{9, 9}},
	{"shuffles", 8, 1, "add.u32 %r2, %r1, 50; shfl.sync.up.b32 %r3, %r2, 1, 0, 255; shfl.sync.down.b32 %r4, %r3, 2, 31, 255; shfl.sync.bfly.b32 %r5, %r3, 1, 31, 255; shfl.sync.idx.b32 %r6, %r5, 2, 7199, 255; st.global.b32 [%d2], %r6;",
		// up: 50 50 51 52 53 54 55 56; crossed: 50 50 52 51 54 53 56 55; second of each four
		[]uint32{52, 52, 52, 52, 56, 56, 56, 56, 108}},
	{"shuffle down and beyond", 32, 1, "shfl.sync.down.b32 %r4, %r1, 30, 31, -1; st.global.b32 [%d2], %r4;", []uint32{30, 31, 2, 3}},
	{"shuffle up within four", 8, 1, "shfl.sync.up.b32 %r4, %r1, 1, 7168, 255; st.global.b32 [%d2], %r4;", []uint32{0, 0, 1, 2, 4, 4, 5, 6}},
	{"votes", 4, 1, "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; vote.sync.ballot.b32 %r3, %p1, 15; vote.sync.all.pred %p2, %p1, 15; vote.sync.any.pred %p3, %p1, 15; vote.sync.uni.pred %p4, %p3, 15; selp.b32 %r4, 16, 0, %p2; selp.b32 %r5, 32, 0, %p3; selp.b32 %r6, 64, 0, %p4; add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6; st.global.b32 [%d2], %r3;",
		[]uint32{106, 106, 106, 106, 104}},
	{"match", 4, 1, "shr.u32 %r2, %r1, 1; match.any.sync.b32 %r3, %r2, 15; st.global.b32 [%d2], %r3;", []uint32{3, 3, 12, 12}},
	{"active lanes", 4, 1, "setp.gt.u32 %p1, %r1, 1; @%p1 bra $L1; activemask.b32 %r3; bra $L2;\n$L1:\n activemask.b32 %r3;\n$L2:\n activemask.b32 %r4; shl.b32 %r4, %r4, 4; or.b32 %r3, %r3, %r4; st.global.b32 [%d2], %r3;",
		[]uint32{0xF3, 0xF3, 0xFC, 0xFC}},
	{"shifts beyond the width", 1, 1, "mov.b32 %r2, -8; shl.b32 %r3, %r2, 32; st.global.b32 [%d2], %r3; shr.u32 %r3, %r2, 40; st.global.b32 [%d2+4], %r3; shr.s32 %r3, %r2, 0xFFFFFFFF; st.global.b32 [%d2+8], %r3;", []uint32{0, 0, 0xFFFFFFFF}},
	{"tables", 1, 1, "ld.const.b32 %r2, [table+4]; mov.b64 %d3, table; ld.const.b32 %r3, [%d3]; mov.b64 %d4, stored; ld.global.nc.b32 %r4, [%d4+4]; ld.global.b32 %r5, [stored]; st.global.b32 [%d1], %r2; st.global.b32 [%d1+4], %r3; st.global.b32 [%d1+8], %r4; st.global.b32 [%d1+12], %r5;",
		[]uint32{2, 1, 4, 3}},
	{"bytes", 1, 1, "ld.global.b8 %r2, [%d1+4]; mov.b32 %r3, 0xABCDEF12; st.global.b8 [%d1+1], %r3; st.global.b8 [%d1+2], 255; st.global.b32 [%d1+4], %r2; ld.global.b8 %r4, [%d1+2]; st.global.b32 [%d1+8], %r4;",
		[]uint32{0x00FF1264, 0x65, 0xFF, 103}},
	{"shorts in words", 1, 1, "mov.b32 %r3, 0xABCDEF12; st.global.b16 [%d1+2], %r3; st.global.b16 [%d1+4], 0xFFFF; ld.global.b16 %r4, [%d1+4]; st.global.b32 [%d1+8], %r4;",
		[]uint32{0xEF120064, 0x0000FFFF, 0x0000FFFF, 103}},
	{"vectors of bytes and shorts", 1, 1, "mov.b32 %r2, 0x12345678; st.global.v4.b8 [%d1], {%r2, 1, 0xFF, %r1}; st.global.v2.b8 [%d1+6], {%r2, 2}; ld.global.v4.b8 {%r3, %r4, %r5, %r6}, [%d1]; st.global.v4.b16 [%d1+8], {%r6, %r5, %r4, %r3}; ld.global.v2.b16 {%r3, %r4}, [%d1+8]; st.global.b32 [%d1+16], %r4; ld.global.v2.b8 {%r3, %r4}, [%d1+6]; st.global.b32 [%d1+20], %r3;",
		[]uint32{0x00FF0178, 0x02780065, 0x00FF0000, 0x00780001, 0xFF, 0x78, 106}},
	{"bytes of other spaces", 1, 1, "st.shared.b8 [words+3], 200; ld.shared.b8 %r2, [words+3]; st.local.v2.b16 [mine+4], {%r2, 0x8000}; ld.local.b8 %r3, [mine+7]; ld.const.b8 %r4, [table+4]; ld.global.nc.b8 %r5, [stored+4]; ld.param.b8 %r6, [length_0]; ld.param.b16 %r7, [bytes_0]; st.global.v4.b32 [%d1], {%r2, %r3, %r4, %r5}; st.global.v2.b32 [%d1+16], {%r6, %r7};",
		[]uint32{200, 0x80, 2, 4, 64, 256, 106}},
	{"bytes of a word", 4, 1, "cvt.u64.u32 %d3, %r1; add.s64 %d3, %d1, %d3; st.global.b8 [%d3], 7;", []uint32{0x07070707, 101}},
	{"a byte beside one without a value", 1, 1, "st.local.b8 [mine+1], 5; ld.local.b8 %r2, [mine+1]; ld.local.b16 %r3, [mine]; st.local.b8 [mine+2], %r3; st.global.b32 [%d1], %r2;", []uint32{5, 101}},
	{"halves of a word", 2, 1, "mul.lo.u32 %r2, %r1, 2; cvt.u64.u32 %d3, %r2; add.s64 %d3, %d1, %d3; st.global.b16 [%d3], 7;", []uint32{0x00070007}},
}

func TestWorks(t *testing.T) {
	for _, test := range works {
		t.Run(test.name, func(t *testing.T) {
			got, err := run(test.invocations, test.groups, variables, test.body)
			if err != nil {
				t.Fatal(err)
			}
			for n, want := range test.want {
				if got[n] != want {
					t.Errorf("word %d is %#x, want %#x", n, got[n], want)
				}
			}
		})
	}
}

// instruction is an instruction and its result, computed by hand from the ISA.
type instruction struct {
	text    string // of $a, $b and $c, to $d, or in 64 bits %A, %B and %C, to %D
	a, b, c uint64
	want    uint64
}

var instructions = []instruction{
	{"add.u32 $d, $a, $b", 0xFFFFFFFF, 2, 0, 1},
	{"sub.s64 %D, %A, %B", 1, 2, 0, 0xFFFFFFFFFFFFFFFF},
	{"mul.lo.u32 $d, $a, $b", 0xAAAAAAAE, 3, 0, 10},
	{"mul.hi.u32 $d, $a, $b", 0xFFFFFFFF, 0xFFFFFFFF, 0, 0xFFFFFFFE},
	{"mul.hi.s32 $d, $a, $b", 0xFFFFFFFF, 0xFFFFFFFF, 0, 0},
	{"mul.hi.s64 %D, %A, %B", 0xFFFFFFFFFFFFFFFF, 5, 0, 0xFFFFFFFFFFFFFFFF},
	{"mul.hi.u64 %D, %A, %B", 0xFFFFFFFFFFFFFFFF, 5, 0, 4},
	{"mul.wide.s32 %D, $a, $b", 0xFFFFFFFE, 3, 0, 0xFFFFFFFFFFFFFFFA},
	{"mul.wide.u32 %D, $a, $b", 0xFFFFFFFE, 3, 0, 0x2FFFFFFFA},
	{"mad.lo.u32 $d, $a, $b, $c", 3, 5, 0xFFFFFFF1, 0},
	{"mad.wide.s32 %D, $a, $b, %C", 0xFFFFFFFF, 3, 1, 0xFFFFFFFFFFFFFFFE},
	{"div.s32 $d, $a, $b", 0xFFFFFFF9, 2, 0, 0xFFFFFFFD},
	{"rem.s32 $d, $a, $b", 0xFFFFFFF9, 2, 0, 0xFFFFFFFF},
	{"div.u32 $d, $a, $b", 0xFFFFFFF9, 2, 0, 0x7FFFFFFC},
	{"min.s32 $d, $a, $b", 0xFFFFFFFF, 1, 0, 0xFFFFFFFF},
	{"min.u32 $d, $a, $b", 0xFFFFFFFF, 1, 0, 1},
	{"max.s64 %D, %A, %B", 0xFFFFFFFFFFFFFFFF, 1, 0, 1},
	{"neg.s32 $d, $a", 0x80000000, 0, 0, 0x80000000},
	{"abs.s32 $d, $a", 0xFFFFFFFB, 0, 0, 5},
	{"abs.s32 $d, $a", 0x80000000, 0, 0, 0x80000000},
	{"dp4a.s32.s32 $d, $a, $b, $c", 0xFF02FE80, 0x01010180, 10, 16384 - 2 + 2 - 1 + 10},
	{"dp4a.u32.u32 $d, $a, $b, $c", 0xFF02FE80, 0x01010180, 10, 16384 + 254 + 2 + 255 + 10},
	{"not.b32 $d, $a", 5, 0, 0, 0xFFFFFFFA},
	{"shr.b32 $d, $a, $b", 0x80000000, 31, 0, 1},
	{"popc.b64 $d, %A", 0xF00000000000000F, 0, 0, 8},
	{"clz.b32 $d, $a", 0x00010000, 0, 0, 15},
	{"clz.b32 $d, $a", 0, 0, 0, 32},
	{"clz.b64 $d, %A", 1, 0, 0, 63},
	{"brev.b32 $d, $a", 3, 0, 0, 0xC0000000},
	{"brev.b64 %D, %A", 3, 0, 0, 0xC000000000000000},
	{"bfind.u32 $d, $a", 0x00010000, 0, 0, 16},
	{"bfind.u32 $d, $a", 0, 0, 0, 0xFFFFFFFF},
	{"bfind.s32 $d, $a", 0xFFFFFFF0, 0, 0, 3},
	{"bfind.s32 $d, $a", 0xFFFFFFFF, 0, 0, 0xFFFFFFFF},
	{"bfind.s64 $d, %A", 0xFFFFFFF000000000, 0, 0, 35},
	{"bfind.shiftamt.u32 $d, $a", 0x00010000, 0, 0, 15},
	{"bfind.shiftamt.u64 $d, %A", 1, 0, 0, 63},
	{"bfind.shiftamt.u64 $d, %A", 0, 0, 0, 0xFFFFFFFF},
	{"bfe.u32 $d, $a, $b, $c", 0x12345678, 8, 12, 0x456},
	{"bfe.s32 $d, $a, $b, $c", 0x1234F678, 8, 8, 0xFFFFFFF6},
	{"bfe.s32 $d, $a, $b, $c", 0x80000000, 28, 12, 0xFFFFFFF8},
	{"bfe.s32 $d, $a, $b, $c", 0x80000000, 40, 4, 0xFFFFFFFF},
	{"bfe.u32 $d, $a, $b, $c", 0x80000000, 40, 4, 0},
	{"bfe.s32 $d, $a, $b, $c", 0x80000000, 31, 0, 0},
	{"bfi.b32 $d, $a, $b, 8, $c", 0xABC, 0xFFFFFFFF, 4, 0xFFFFFCFF},
	{"bfi.b32 $d, $a, $b, 28, $c", 0xABC, 0, 40, 0xC0000000},
	{"bfi.b64 %D, %A, %B, 60, $c", 0xABC, 0, 40, 0xC000000000000000},
	{"lop3.b32 $d, $a, $b, $c, 128", 0xFFFFFF0F, 0xFF00FFF3, 0xFF00FF55, 0xFF00FF01},
	{"lop3.b32 $d, $a, $b, $c, 254", 0x000000F0, 0x0000000C, 0x00000100, 0x000001FC},
	{"lop3.b32 $d, $a, $b, $c, 150", 0x000000FF, 0x0000000F, 0x00000033, 0x000000C3},
	{"lop3.b32 $d, $a, $b, $c, 202", 0xFFFF0000, 0x12345678, 0x9ABCDEF0, 0x1234DEF0},
	{"lop3.b32 $d, $a, $b, $c, 1", 0xFFFFFF00, 0xFFFFF000, 0xFFFF0000, 0x000000FF},
	{"shf.r.wrap.b32 $d, $a, $b, $c", 0x33221100, 0x77665544, 8, 0x44332211},
	{"shf.r.wrap.b32 $d, $a, $b, $c", 0x33221100, 0x77665544, 40, 0x44332211},
	{"prmt.b32 $d, $a, $b, $c", 0x33221100, 0x77665544, 0x7531, 0x77553311},
	{"prmt.b32 $d, $a, $b, $c", 0x00008000, 0, 0x0019, 0x80FF},
	{"setp.lt.s32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1", 0xFFFFFFFF, 0, 0, 1},
	{"setp.lt.u32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1", 0xFFFFFFFF, 0, 0, 0},
	{"setp.ge.s64 %p1, %A, %B; selp.b32 $d, 1, 0, %p1", 0x8000000000000000, 0, 0, 0},
	{"setp.ne.f32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1", 0x7FC00000, 0, 0, 0},
	{"setp.neu.f32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1", 0x7FC00000, 0, 0, 1},
	{"setp.eq.f32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1", 0x80000000, 0, 0, 1},
	{"setp.nan.f32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1", 0x7FC00000, 0, 0, 1},
	{"setp.num.f32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1", 0x7FC00000, 0, 0, 0},
	{"setp.geu.f32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1", 0x3F800000, 0x40000000, 0, 0},
	{"setp.geu.f32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1", 0x3F800000, 0x7FC00000, 0, 1},
	{"add.rn.f32 $d, $a, $b", 0x4B800000, 0x3F800000, 0, 0x4B800000}, // 2^24 + 1 to even
	{"add.rn.f32 $d, $a, $b", 0x7F800000, 0xFF800000, 0, 0x7FFFFFFF},
	{"sub.rn.f32 $d, $a, $b", 0x00800000, 0x00000001, 0, 0x007FFFFF}, // subnormals stay
	{"mul.rn.f32 $d, $a, $b", 0x3F800001, 0x3F800001, 0, 0x3F800002},
	{"fma.rn.f32 $d, $a, $b, $c", 0x3F800001, 0x3F800001, 0xBF800002, 0x28800000}, // 2^-46
	// halfway, to even
	{"fma.rn.f32 $d, $a, $b, $c", 0x3F800800, 0x3F800800, 0, 0x3F801000},
	{"fma.rn.f32 $d, $a, $b, $c", 0x3F800800, 0x3F800800, 0x0D800000, 0x3F801001}, // 2^-100 above
	{"fma.rn.f32 $d, $a, $b, $c", 0xBF800800, 0x3F800800, 0x8D800000, 0xBF801001},
	{"fma.rm.f32 $d, $a, $b, $c", 0x3F800001, 0x3F800001, 0, 0x3F800002},
	{"fma.rm.f32 $d, $a, $b, $c", 0xBF800001, 0x3F800001, 0, 0xBF800003},
	{"fma.rm.f32 $d, $a, $b, $c", 0x3F800000, 0x3F800000, 0xBF800000, 0x80000000},
	{"div.rn.f32 $d, $a, $b", 0x3F800000, 0x40400000, 0, 0x3EAAAAAB},
	{"div.approx.ftz.f32 $d, $a, $b", 0x3F800000, 0x7F000000, 0, 0},
	{"rcp.rn.f32 $d, $a", 0x80000000, 0, 0, 0xFF800000},
	{"sqrt.rn.f32 $d, $a", 0x40000000, 0, 0, 0x3FB504F3},
	{"sqrt.rn.f32 $d, $a", 0xBF800000, 0, 0, 0x7FFFFFFF},
	{"rcp.approx.ftz.f32 $d, $a", 0x40000000, 0, 0, 0x3F000000},
	{"rcp.approx.ftz.f32 $d, $a", 0x7F000000, 0, 0, 0}, // 2^-127
	{"rcp.approx.ftz.f32 $d, $a", 0x80000001, 0, 0, 0xFF800000},
	{"ex2.approx.f32 $d, $a", 0x40400000, 0, 0, 0x41000000},
	{"ex2.approx.ftz.f32 $d, $a", 0xC3000000, 0, 0, 0}, // 2^-128
	{"lg2.approx.f32 $d, $a", 0, 0, 0, 0xFF800000},
	{"min.f32 $d, $a, $b", 0x7FC00000, 0x3F800000, 0, 0x3F800000},
	{"min.f32 $d, $a, $b", 0, 0x80000000, 0, 0x80000000},
	{"max.f32 $d, $a, $b", 0x80000000, 0, 0, 0},
	{"max.f32 $d, $a, $b", 0x7FC00000, 0x7FC00001, 0, 0x7FFFFFFF},
	{"neg.f32 $d, $a", 0, 0, 0, 0x80000000},
	{"copysign.f32 $d, $a, $b", 0x80000000, 0x3F800000, 0, 0xBF800000},
	// 2^53 + 1 to even
	{"add.rn.f64 %D, %A, %B", 0x4340000000000000, 0x3FF0000000000000, 0, 0x4340000000000000},
	// 2^53 + 2 + 1
	{"add.rn.f64 %D, %A, 0d3FF0000000000000", 0x4340000000000001, 0, 0, 0x4340000000000002},
	// subnormals stay
	{"sub.rn.f64 %D, %A, %B", 0x0010000000000000, 1, 0, 0x000FFFFFFFFFFFFF},
	{"mul.rn.f64 %D, %A, %B", 0x3FF0000000000001, 0x3FF0000000000001, 0, 0x3FF0000000000002},
	// 2^-104
	{"fma.rn.f64 %D, %A, %B, %C", 0x3FF0000000000001, 0x3FF0000000000001, 0xBFF0000000000002, 0x3970000000000000},
	{"div.rn.f64 %D, %A, %B", 0x3FF0000000000000, 0x4008000000000000, 0, 0x3FD5555555555555},
	{"div.rn.f64 %D, %A, %B", 0xBFF0000000000000, 0, 0, 0xFFF0000000000000},
	{"sqrt.rn.f64 %D, %A", 0x4000000000000000, 0, 0, 0x3FF6A09E667F3BCD},
	{"sqrt.rn.f64 %D, %A", 0x8000000000000000, 0, 0, 0x8000000000000000},
	{"sqrt.rn.f64 %d15, %A; setp.nan.f64 %p1, %d15, %d15; selp.b32 $d, 1, 0, %p1", 0xBFF0000000000000, 0, 0, 1},
	{"sub.rn.f64 %d15, %A, %A; setp.num.f64 %p1, %d15, %d15; selp.b32 $d, 1, 0, %p1", 0x7FF0000000000000, 0, 0, 0},
	{"min.f64 %D, %A, %B", 0x7FF8000000000000, 0x3FF0000000000000, 0, 0x3FF0000000000000},
	{"min.f64 %D, %A, %B", 0x3FF0000000000000, 0xFFF8000000000000, 0, 0x3FF0000000000000},
	{"min.f64 %D, %A, %B", 0, 0x8000000000000000, 0, 0x8000000000000000},
	{"min.f64 %D, %A, %B", 0xFFF0000000000000, 0x8000000000000000, 0, 0xFFF0000000000000},
	{"max.f64 %D, %A, %B", 0x8000000000000000, 0, 0, 0},
	{"max.f64 %D, %A, %B", 0x3FF0000000000000, 0x3FF0000000000001, 0, 0x3FF0000000000001},
	{"max.f64 %D, %A, %B", 0x7FF8000000000000, 0xBFF0000000000000, 0, 0xBFF0000000000000},
	{"max.f64 %d15, %A, %B; setp.nan.f64 %p1, %d15, %d15; selp.b32 $d, 1, 0, %p1", 0x7FF8000000000000, 0x7FF8000000000001, 0, 1},
	{"neg.f64 %D, %A", 0, 0, 0, 0x8000000000000000},
	{"abs.f64 %D, %A", 0xC008000000000000, 0, 0, 0x4008000000000000},
	{"setp.lt.f64 %p1, %A, 0d0000000000000001; selp.f64 %D, 0dBFF0000000000000, 0d0000000000000000, %p1", 0, 0, 0, 0xBFF0000000000000},
	{"setp.eq.f64 %p1, %A, %B; selp.b32 $d, 1, 0, %p1", 0x8000000000000000, 0, 0, 1},
	{"setp.ne.f64 %p1, %A, %B; selp.b32 $d, 1, 0, %p1", 0x7FF8000000000000, 0, 0, 0},
	{"setp.neu.f64 %p1, %A, %B; selp.b32 $d, 1, 0, %p1", 0x7FF8000000000000, 0, 0, 1},
	{"setp.geu.f64 %p1, %A, %B; selp.b32 $d, 1, 0, %p1", 0x3FF0000000000000, 0x3FF0000000000001, 0, 0},
	{"cvt.s64.s32 %D, $a", 0xFFFFFFFE, 0, 0, 0xFFFFFFFFFFFFFFFE},
	{"cvt.u64.u32 %D, $a", 0xFFFFFFFE, 0, 0, 0xFFFFFFFE},
	{"cvt.u32.u64 $d, %A", 0x1234567890, 0, 0, 0x34567890},
	{"cvt.rzi.s32.f32 $d, $a", 0xC02CCCCD, 0, 0, 0xFFFFFFFE}, // -2.7
	{"cvt.rmi.s32.f32 $d, $a", 0xC02CCCCD, 0, 0, 0xFFFFFFFD},
	{"cvt.rzi.s32.f32 $d, $a", 0x4F000000, 0, 0, 0x7FFFFFFF},
	{"cvt.rzi.s32.f32 $d, $a", 0x7FC00000, 0, 0, 0},
	{"cvt.rzi.u32.f32 $d, $a", 0xBF800000, 0, 0, 0},
	{"cvt.rzi.s64.f32 %D, $a", 0x7FC00000, 0, 0, 0x8000000000000000},
	{"cvt.rzi.u64.f32 %D, $a", 0x5F800000, 0, 0, 0xFFFFFFFFFFFFFFFF},
	{"cvt.rzi.u64.f32 %D, $a", 0x5F000000, 0, 0, 0x8000000000000000},
	{"cvt.rzi.s32.f64 $d, %A", 0xC00599999999999A, 0, 0, 0xFFFFFFFE}, // -2.7
	{"cvt.rmi.s32.f64 $d, %A", 0xBFD0000000000000, 0, 0, 0xFFFFFFFF}, // -0.25
	{"cvt.rzi.s32.f64 $d, %A", 0x41DFFFFFFFE00000, 0, 0, 0x7FFFFFFF}, // 2^31 - 0.5
	{"cvt.rni.s32.f64 $d, %A", 0x41DFFFFFFFD00000, 0, 0, 0x7FFFFFFF}, // 2^31 - 0.75
	{"cvt.rzi.s32.f64 $d, %A", 0x41E0000000000000, 0, 0, 0x7FFFFFFF},
	{"cvt.rzi.s32.f64 $d, %A", 0xFFF0000000000000, 0, 0, 0x80000000},
	{"cvt.rzi.s32.f64 $d, %A", 0x7FF8000000000000, 0, 0, 0x80000000},
	{"cvt.rzi.u32.f64 $d, %A", 0x7FF8000000000000, 0, 0, 0x80000000},
	{"cvt.rzi.u32.f64 $d, %A", 0xBFF0000000000000, 0, 0, 0},
	{"cvt.rpi.u32.f64 $d, %A", 0x3FD0000000000000, 0, 0, 1}, // 0.25
	{"cvt.rzi.u32.f64 $d, %A", 0x41F0000000000000, 0, 0, 0xFFFFFFFF},
	{"cvt.rni.s64.f64 %D, %A", 0xC004000000000000, 0, 0, 0xFFFFFFFFFFFFFFFE}, // -2.5 to even
	{"cvt.rzi.s64.f64 %D, %A", 0x43E0000000000000, 0, 0, 0x7FFFFFFFFFFFFFFF},
	{"cvt.rzi.s64.f64 %D, %A", 0x43DFFFFFFFFFFFFF, 0, 0, 0x7FFFFFFFFFFFFC00},
	{"cvt.rzi.s64.f64 %D, %A", 0x7FF8000000000000, 0, 0, 0x8000000000000000},
	{"cvt.rzi.u64.f64 %D, %A", 0x43E0000000000001, 0, 0, 0x8000000000000800},
	{"cvt.rzi.u64.f64 %D, %A", 0x43F0000000000000, 0, 0, 0xFFFFFFFFFFFFFFFF},
	{"cvt.rzi.u64.f64 %D, %A", 0x7FF8000000000000, 0, 0, 0x8000000000000000},
	{"cvt.rni.f64.f64 %D, %A", 0x4004000000000000, 0, 0, 0x4000000000000000}, // 2.5 to even
	{"cvt.rmi.f64.f64 %D, %A", 0xBFE0000000000000, 0, 0, 0xBFF0000000000000}, // -0.5
	{"cvt.rpi.f64.f64 %D, %A", 0xBFE0000000000000, 0, 0, 0x8000000000000000},
	{"cvt.rzi.f64.f64 %D, %A", 0xBFFC000000000000, 0, 0, 0xBFF0000000000000}, // -1.75
	{"cvt.rn.f64.s32 %D, $a", 0x80000000, 0, 0, 0xC1E0000000000000},
	{"cvt.rn.f64.u32 %D, $a", 0xFFFFFFFF, 0, 0, 0x41EFFFFFFFE00000},
	{"cvt.rn.f64.s64 %D, %A", 0xFFFFFFFFFFFFFFFF, 0, 0, 0xBFF0000000000000},
	{"cvt.rn.f64.u64 %D, %A", 0xFFFFFFFFFFFFFFFF, 0, 0, 0x43F0000000000000},
	{"cvt.rn.f64.u64 %D, %A", 0x8000000000000400, 0, 0, 0x43E0000000000000}, // halfway, to even
	{"cvt.rn.f64.u64 %D, %A", 0x8000000000000401, 0, 0, 0x43E0000000000001}, // just above halfway
	{"cvt.rn.f32.f64 $d, %A", 0x3FF0000010000000, 0, 0, 0x3F800000},         // 1 + 2^-24 to even
	{"cvt.rn.f32.f64 $d, %A", 0x3FF0000010000001, 0, 0, 0x3F800001},
	// halfway between the largest and 2^128
	{"cvt.rn.f32.f64 $d, %A", 0x47EFFFFFF0000000, 0, 0, 0x7F800000},
	{"cvt.rn.f32.f64 $d, %A", 0x3690000000000000, 0, 0, 0}, // 2^-150 to even
	{"cvt.rn.f32.f64 $d, %A", 0x3690000000000001, 0, 0, 1},
	// 1 + 2^-11 to even
	{"cvt.rn.f16.f64 %h1, %A; mov.b32 $d, {%h1, %h1}", 0x3FF0020000000000, 0, 0, 0x3C003C00},
	// an f32 between would be halfway
	{"cvt.rn.f16.f64 %h1, %A; mov.b32 $d, {%h1, %h1}", 0x3FF0020000000001, 0, 0, 0x3C013C01},
	// 65520
	{"cvt.rn.f16.f64 %h1, %A; mov.b32 $d, {%h1, %h1}", 0x40EFFE0000000000, 0, 0, 0x7C007C00},
	{"cvt.rn.f16.f64 %h1, %A; mov.b32 $d, {%h1, %h1}", 0x40EFFDFFFFFFFFFF, 0, 0, 0x7BFF7BFF},
	// 2^-25 to even
	{"cvt.rn.f16.f64 %h1, %A; mov.b32 $d, {%h1, %h1}", 0x3E60000000000000, 0, 0, 0},
	{"cvt.rn.f16.f64 %h1, %A; mov.b32 $d, {%h1, %h1}", 0xBE60000000000001, 0, 0, 0x80018001},
	{"cvt.f64.f32 %D, $a", 1, 0, 0, 0x36A0000000000000}, // 2^-149
	{"cvt.f64.f32 %D, $a", 0xFF800000, 0, 0, 0xFFF0000000000000},
	{"mov.b32 {%h1, %h2}, $a; cvt.f64.f16 %D, %h1", 0xFFFF0001, 0, 0, 0x3E70000000000000}, // 2^-24
	// 2.5 to even
	{"cvt.rni.f32.f32 $d, $a", 0x40200000, 0, 0, 0x40000000},
	{"cvt.rpi.f32.f32 $d, $a", 0xBF000000, 0, 0, 0x80000000},
	{"cvt.rn.f32.u32 $d, $a", 0xFFFFFFFF, 0, 0, 0x4F800000},
	{"cvt.rn.f32.s32 $d, $a", 0xFFFFFFFF, 0, 0, 0xBF800000},
	// just above halfway
	{"cvt.rn.f32.u64 $d, %A", 0x8000008000000001, 0, 0, 0x5F000001},
	{"cvt.rn.f16.f32 %h1, $a; mov.b32 $d, {%h1, %h1}", 0x477FF000, 0, 0, 0x7C007C00}, // 65520
	{"cvt.rn.f16.f32 %h1, $a; mov.b32 $d, {%h1, %h1}", 0x477FEFFF, 0, 0, 0x7BFF7BFF},
	{"cvt.rn.f16.f32 %h1, $a; mov.b32 $d, {%h1, %h1}", 0x33800000, 0, 0, 0x00010001}, // 2^-24
	// 2^-25 to even
	{"cvt.rn.f16.f32 %h1, $a; mov.b32 $d, {%h1, %h1}", 0x33000000, 0, 0, 0},
	{"cvt.rn.f16.f32 %h1, $a; mov.b32 $d, {%h1, %h1}", 0xB8000000, 0, 0, 0x82008200}, // -2^-15
	// 1 + 2^-11 to even
	{"cvt.rn.f16.f32 %h1, $a; mov.b32 $d, {%h1, %h1}", 0x3F801000, 0, 0, 0x3C003C00},
	{"cvt.rn.f16.f32 %h1, $a; mov.b32 $d, {%h1, %h1}", 0x3F803000, 0, 0, 0x3C023C02},
	{"cvt.rn.f16.s32 %h1, $a; mov.b32 $d, {%h1, %h1}", 0xFFFFFFFF, 0, 0, 0xBC00BC00},
	// the largest subnormal
	{"mov.b32 {%h1, %h2}, $a; cvt.f32.f16 $d, %h2", 0x03FF1234, 0, 0, 0x387FC000},
	{"mov.b32 {%h1, %h2}, $a; cvt.f32.f16 $d, %h1", 0x0000FC00, 0, 0, 0xFF800000},
	// 2·1 + 1
	{"mov.b32 {%h1, %h2}, $a; fma.rn.f16 %h3, %h1, %h2, %h2; mov.b32 $d, {%h3, %h3}", 0x3C004000, 0, 0, 0x42004200},
	{"mov.b64 {%h1, %h2, %h3, %h4}, %A; mov.b64 %D, {%h4, %h3, %h2, %h1}", 0x0001000200030004, 0, 0, 0x0004000300020001},
	{"mov.b64 {$d, %r19}, %A", 0x0001000200030004, 0, 0, 0x00030004},
}

// body stores the instruction's result to the first two words.
func (x *instruction) body() string {
	body := fmt.Sprintf("mov.b64 %%d11, %d; mov.b64 %%d12, %d; mov.b64 %%d13, %d; cvt.u32.u64 %%r11, %%d11; cvt.u32.u64 %%r12, %%d12; cvt.u32.u64 %%r13, %%d13; %s;",
		x.a, x.b, x.c, x.text)
	body = strings.NewReplacer("$d", "%r14", "$a", "%r11", "$b", "%r12", "$c", "%r13",
		"%D", "%d14", "%A", "%d11", "%B", "%d12", "%C", "%d13").Replace(body)
	if strings.Contains(x.text, "%D") {
		return body + " st.global.b64 [%d1], %d14;"
	}
	return body + " st.global.b32 [%d1], %r14; st.global.b32 [%d1+4], 0;"
}

func TestInstructions(t *testing.T) {
	for _, x := range instructions {
		words, err := run(1, 1, "", x.body())
		if got := uint64(words[1])<<32 | uint64(words[0]); err != nil || got != x.want {
			t.Errorf("%s of %#x, %#x, %#x: %#x, want %#x; %v", x.text, x.a, x.b, x.c, got, x.want, err)
		}
	}
}

// TestDynamicSharedMemory accesses workgroup memory whose size the launch sets.
func TestDynamicSharedMemory(t *testing.T) {
	for _, test := range []struct {
		bytes uint32
		want  string
	}{{16, ""}, {12, "at 0xc in 12 bytes of dynamic workgroup memory"}} {
		text := module(1, ".extern .shared .align 16 .b8 all[];", "st.shared.b32 [all+12], 5; ld.shared.b32 %r2, [all+12]; st.global.b32 [%d1], %r2;")
		k, data := kernel(1, 0), make([]byte, 4)
		k.WorkgroupBytes = test.bytes
		err := ptx.Run([]byte(text), k, &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: data}}})
		if test.want == "" && (err != nil || data[0] != 5) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%d bytes: %v, %d", test.bytes, err, data[0])
		}
	}
}

// TestLaunches tests launches that do not fit the module.
func TestLaunches(t *testing.T) {
	text := []byte(module(4, "", "bar.sync 0;"))
	good := func() (*abi.Kernel, *emulate.Launch) {
		return kernel(4, 0), &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: make([]byte, 16)}}}
	}
	if k, l := good(); ptx.Run(text, k, l) != nil {
		t.Fatal("it does not run")
	}
	for _, test := range []struct {
		want   string
		change func(k *abi.Kernel, l *emulate.Launch)
	}{
		{"no entry point", func(_ *abi.Kernel, l *emulate.Launch) { l.Entry = "other" }},
		{"the workgroup has", func(k *abi.Kernel, _ *emulate.Launch) { k.Workgroup[0] = 8 }},
		{"a subgroup has 32", func(_ *abi.Kernel, l *emulate.Launch) { l.Subgroup = 16 }},
		{"0 buffers of group 0, binding 0", func(_ *abi.Kernel, l *emulate.Launch) { l.Buffers[0].Binding = 1 }},
		{"2 buffers of group 0, binding 0", func(_ *abi.Kernel, l *emulate.Launch) { l.Buffers = append(l.Buffers, l.Buffers[0]) }},
		{"has 16 bytes, expected 24", func(k *abi.Kernel, _ *emulate.Launch) { k.Bindings[0].Size = 20 }},
		{"has 3 parameters, the description says 2", func(k *abi.Kernel, _ *emulate.Launch) { k.Bindings[0].Stride = 0 }},
		{"the description says more", func(k *abi.Kernel, l *emulate.Launch) {
			k.Immediates = &abi.Immediates{Size: 4}
			l.Immediates = make([]byte, 4)
		}},
		{"4 bytes of immediates, expected 0", func(_ *abi.Kernel, l *emulate.Launch) { l.Immediates = make([]byte, 4) }},
		{"the limit of executed instructions", func(_ *abi.Kernel, l *emulate.Launch) { l.Steps = 7 }},
	} {
		k, l := good()
		test.change(k, l)
		if err := ptx.Run(text, k, l); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want an error with %q", err, test.want)
		}
	}
}

// TestListedParameters passes the parameters that a description lists, which must match the entry
// point's.
func TestListedParameters(t *testing.T) {
	text := module(1, "", "ld.param.b32 %r2, [length_0]; st.global.b32 [%d1], %r2;")
	fewer := strings.Replace(text, ".param .u32 bytes_0,", "", 1)
	address, length := abi.Parameter{Kind: abi.AddressParameter}, abi.Parameter{Kind: abi.LengthParameter}
	for _, test := range []struct {
		text   string
		listed []abi.Parameter
		want   string
	}{
		{text, nil, ""},
		{fewer, []abi.Parameter{address, length}, ""},
		{fewer, nil, "the entry point has 2 parameters, the description says more"},
		{fewer, []abi.Parameter{address}, "the entry point has 2 parameters, the description says 1"},
		{fewer, []abi.Parameter{length, address}, "none that the kernel can have there"},
		{text, []abi.Parameter{address, length}, "the entry point has 3 parameters, the description says 2"},
	} {
		k, data := kernel(1, 0), make([]byte, 24)
		k.Parameters = test.listed
		err := ptx.Run([]byte(test.text), k, &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: data}}})
		if test.want == "" {
			if n := binary.LittleEndian.Uint32(data); err != nil || n != 6 {
				t.Errorf("%v: length %d, %v", test.listed, n, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.listed, err, test.want)
		}
	}
}
