package ptx_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/runtime/abi"
)

// accepted is a module that uses most of the syntax. Each refused text is accepted with one change.
const accepted = `.version 6.3
.target sm_70
.address_size 64
.file 1 "program"
.shared .align 8 .b8 words[128];
.const .align 4 .b8 table[8] = {1,0,0,0,5,0,0,0};

.func (.param .align 8 .b8 result[8]) twice(.param .b32 param_0, .param .b64 param_1)
{
	.reg .b32 %r<4>;
	.reg .b64 %d<2>;
	ld.param.b32 %r1, [param_0];
	ld.param.b64 %d1, [param_1];
	ld.global.b32 %r2, [%d1];
	add.u32 %r3, %r1, %r2;
	st.param.b32 [result+0], %r3;
	ret;
}

.visible .entry main(
	.param .u64 .ptr .global .align 16 binding_0,
	.param .u32 bytes_0,
	.param .u32 length_0,
	.param .align 16 .b8 immediates[16]
)
.reqntid 32, 1, 1
{
	.reg .pred %p<6>;
	.reg .b16 %h<6>;
	.reg .b32 %r<40>;
	.reg .b64 %d<20>;
	.local .align 16 .b8 mine[32];
	mov.u32 %r1, %tid.x;
	ld.param.b64 %d1, [binding_0];
	cvta.to.global.u64 %d1, %d1;
	ld.param.b32 %r2, [length_0];
	ld.param.v2.b32 {%r3, %r4}, [immediates+8];
	setp.ge.u32 %p1, %r1, %r2;
	mul.wide.u32 %d2, %r1, 4;
	add.s64 %d3, %d1, %d2;
	ld.global.b32 %r5, [%d3];
	mov.b32 %r6, words;
	shl.b32 %r7, %r1, 2;
	add.u32 %r8, %r6, %r7;
	st.shared.b32 [%r8], %r5;
	bar.sync 0;
	xor.b32 %r9, %r7, 4;
	add.u32 %r10, %r6, %r9;
	ld.shared.b32 %r11, [%r10];
	st.local.v2.b32 [mine+8], {%r11, 7};
	ld.local.b64 %d4, [mine+8];
	mov.b64 {%r12, %r13}, %d4;
	mad.lo.s32 %r14, %r12, -3, %r13;
	mov.b64 %d5, table;
	ld.const.b32 %r15, [%d5+4];
	cvt.rn.f32.s32 %r16, %r14;
	fma.rn.f32 %r17, %r16, 0f40000000, %r16;
	cvt.rn.f16.f32 %h1, %r17;
	add.rn.f16 %h2, %h1, %h1;
	cvt.f32.f16 %r18, %h2;
	setp.lt.f32 %p2, %r18, 0f00000000;
	selp.b32 %r19, %r15, 9, %p2;
	ld.shared.v2.b8 {%r27, %r28}, [%r10];
	st.local.b16 [mine+4], %r27;
	cvt.rn.f64.s32 %d6, %r28;
	fma.rn.f64 %d7, %d6, 0d4000000000000000, %d6;
	shfl.sync.idx.b32 %r20, %r19, 3, 31, 0xFFFFFFFF;
	vote.sync.any.pred %p3, %p2, 0xFFFFFFFF;
	and.pred %p4, %p2, %p3;
	not.pred %p5, %p1;
	@%p5 bra $L1;
	trap;
$L1:
	{
	.param .b32 argument_0;
	st.param.b32 [argument_0], %r20;
	.param .b64 argument_1;
	st.param.b64 [argument_1], %d3;
	.param .align 8 .b8 answer[8];
	call (answer), twice, (argument_0, argument_1);
	ld.param.b32 %r21, [answer+0];
	}
	.loc 1 9 3
	and.b32 %r22, %r1, 1;
$T1: .branchtargets $L2, $L3;
	brx.idx %r22, $T1;
$L2:
	add.u32 %r21, %r21, 100;
$L3:
	bfe.u32 %r23, %r3, 4, 8;
	prmt.b32 %r24, %r23, %r4, 0x5410;
	bar.sync 0;
	atom.relaxed.cta.shared.add.u32 %r25, [words], 0;
	add.u32 %r26, %r21, %r24;
	st.global.b32 [%d3], %r26;
	ret;
}
`

// kernel describes an entry point with one buffer and some bytes of immediates.
func kernel(invocations, immediates uint32) *abi.Kernel {
	k := &abi.Kernel{Name: "main", Workgroup: [3]uint32{invocations, 1, 1},
		Bindings: []abi.Binding{{Name: "x", Access: abi.ReadWrite, Stride: 4}}}
	if immediates > 0 {
		k.Immediates = &abi.Immediates{Size: immediates}
	}
	return k
}

// TestAccepted runs the module and compares its results with those computed by hand.
func TestAccepted(t *testing.T) {
	data := make([]byte, 128)
	for n := range 32 {
		binary.LittleEndian.PutUint32(data[4*n:], uint32(n))
	}
	immediates := make([]byte, 16)
	binary.LittleEndian.PutUint32(immediates[8:], 0xABC)
	binary.LittleEndian.PutUint32(immediates[12:], 0x12345678)
	launch := &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: data}}, Immediates: immediates}
	if err := ptx.Run([]byte(accepted), kernel(32, 16), launch); err != nil {
		t.Fatal(err)
	}
	for n := range uint32(32) {
		// Invocation 3 sees 2, whose -3·2 + 7 is 1, not less than 0: it passes on 9.
		want := 9 + n + 0x567800AB
		if n&1 == 0 {
			want += 100
		}
		if got := binary.LittleEndian.Uint32(data[4*n:]); got != want {
			t.Errorf("element %d is %#x, want %#x", n, got, want)
		}
	}
}

// refused are changes of accepted after which it must be refused, with a part of the message.
// NVIDIA's assembler refuses the changed text too, unless lenient is set.
var refused = []struct {
	from, to, message string
	lenient           bool
}{
	{"add.u32 %r8, %r6, %r7", "add.sat.u32 %r8, %r6, %r7", `"add.sat.u32" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "add.sat.s32 %r8, %r6, %r7", `"add.sat.s32" is not known`, true},
	{"add.u32 %r8, %r6, %r7", "add.u16 %r8, %r6, %r7", `"add.u16" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "add.b32 %r8, %r6, %r7", `"add.b32" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "add %r8, %r6, %r7", `"add" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "add.u32.u32 %r8, %r6, %r7", `"add.u32.u32" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "add.cc.u32 %r8, %r6, %r7", `"add.cc.u32" is not known`, true},
	{"add.u32 %r8, %r6, %r7", "add.f32 %r8, %r6, %r7", `"add.f32" is not known`, true},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6", "add.u32 has 3 operands, found 2", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, %r7, %r7", "is too many", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %d8, %r6, %r7", "register %d8 has 64 bits, the instruction's result has 32", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %d6, %r7", "register %d6 has 64 bits, the instruction's operand has 32", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, %h1", "register %h1 has 16 bits", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, %p1", "register %p1 has 1 bits", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 5, %r6, %r7", "expected a register for the result", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, %r40", "register %r40 is not declared", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, %q1", "register %q1 is not declared", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, %r07", "register %r07 is not declared", true},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, 0f40000000", "expected a constant of type u32", false},
	{"add.u32 %r8, %r6, %r7", "xor.b32 %r8, %r6, 0d4000000000000000", "expected a constant of type b32", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, 0x100000000", "does not fit into 32 bits", true},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, 017", "literal 017 is not understood", true},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, %tid.x", "expected a register or a constant", false},
	{"add.u32 %r8, %r6, %r7", "add.u32 %r8, %r6, words", "expected a register or a constant", false},
	{"add.u32 %r8, %r6, %r7;", "add.u32 %r8, %r6, %r7", "", false},
	{"add.u32 %r8, %r6, %r7", "addc.u32 %r8, %r6, %r7", `"addc.u32" is not known`, true},
	{"mov.u32 %r1, %tid.x", "mov.u32 %r1, %tid.w", "expected a register or a constant", true},
	{"mov.u32 %r1, %tid.x", "mov.u32 %r1, %clock", "register %clock is not declared", true},
	{"mov.u32 %r1, %tid.x", "mov.u32 %r1, %tid", "register %tid is not declared", false},
	{"mov.u32 %r1, %tid.x", "mov.u64 %r1, %tid.x", `"mov.u64" is not known`, false},
	{"mov.b32 %r6, words", "mov.b32 %r6, nothing", "variable nothing is not known", false},
	{"mov.b64 %d5, table", "mov.b32 %r5, table", "an address of const memory in 32 bits", true},
	{"mov.b64 {%r12, %r13}, %d4", "mov.b64 {%r12, %r12}, %d4", "a register that gets two values", true},
	{"mov.b64 {%r12, %r13}, %d4", "mov.b64 {%r12}, %d4", `expected ","`, false},
	{"mov.b64 {%r12, %r13}, %d4", "mov.b64 {%r12, %h3}, %d4", "register %h3 has 16 bits", false},
	{"mov.b64 {%r12, %r13}, %d4", "mov.b32 {%r12, %r13}, %r4", "parts of 32 bits of a value of 32", false},
	{"cvta.to.global.u64 %d1, %d1", "cvta.global.u64 %d1, %d1", `"cvta.global.u64" is not known`, true},
	{"cvta.to.global.u64 %d1, %d1", "cvta.to.global.u32 %d1, %d1", `"cvta.to.global.u32" is not known`, false},
	{"cvta.to.global.u64 %d1, %d1", "cvta.to.shared.u64 %d1, %d1", `"cvta.to.shared.u64" is not known`, true},
	{"mul.wide.u32 %d2", "mul.hi.wide.u32 %d2", `"mul.hi.wide.u32" is not known`, false},
	{"mul.wide.u32 %d2", "mul.u32 %d2", `"mul.u32" is not known`, false},
	{"mul.wide.u32 %d2", "mul.lo.u32 %d2", "register %d2 has 64 bits", false},
	{"mul.wide.u32 %d2", "mul.wide.u64 %d2", `"mul.wide.u64" is not known`, false},
	{"mul.wide.u32 %d2", "mul24.lo.u32 %r2", `"mul24.lo.u32" is not known`, true},
	{"setp.ge.u32 %p1", "setp.ge.b32 %p1", `"setp.ge.b32" is not known`, false},
	{"setp.ge.u32 %p1", "setp.ge.u64 %p1", "register %r1 has 32 bits", false},
	{"setp.ge.u32 %p1", "setp.ge.u32 %r1", "register %r1 has 32 bits, the instruction's result has 1", false},
	{"setp.ge.u32 %p1", "setp.u32 %p1", `"setp.u32" is not known`, false},
	{"setp.ge.u32 %p1", "setp.ge.and.u32 %p1", `setp.ge.and.u32 has 4 operands, found 3`, false},
	{"add.u32 %r8, %r6, %r7", "lop3.b32 %r8, %r6, %r7, %r6, %r7", `expected a constant, found "%r7"`, false},
	{"setp.ge.u32 %p1", "setp.ge.xor.u32 %p1", `"setp.ge.xor.u32" is not known`, false},
	{"setp.ge.u32 %p1, %r1", "setp.ge.u32 %p1|%p2, %r1", "has 3 operands", true},
	{"setp.ge.u32 %p1", "setp.hs.u32 %p1", `"setp.hs.u32" is not known`, true},
	{"setp.ge.u32 %p1", "setp.neu.u32 %p1", `"setp.neu.u32" is not known`, false},
	{"setp.lt.f32 %p2, %r18, 0f00000000", "setp.lt.f32 %p2, %r18, 0", "expected a constant of type f32", false},
	{"setp.lt.f32 %p2, %r18, 0f00000000", "setp.lt.f32 %p2, %r18, 0f0000000", "not understood", false},
	{"setp.lt.f32 %p2, %r18", "setp.lt.ftz.f32 %p2, %r18", `"setp.lt.ftz.f32" is not known`, true},
	{"ld.global.b32 %r5, [%d3]", "ld.volatile.global.b32 %r5, [%d3]", `"ld.volatile.global.b32" is not known`, true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.volatile.b32 %r5, [%d3]", `"ld.global.volatile.b32" is not known`, true},
	{"ld.global.b32 %r5, [%d3]", "ld.b32 %r5, [%d3]", `"ld.b32" is not known`, true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.cg.b32 %r5, [%d3]", `"ld.global.cg.b32" is not known`, true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.u8 %r5, [%d3]", `"ld.global.u8" is not known`, true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.v8.b8 {%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}, [%d3]", `"ld.global.v8.b8" is not known`, true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b8 %h5, [%d3]", "register %h5 has 16 bits, the instruction's result has 8", true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b8 %d5, [%d3]", "register %d5 has 64 bits, the instruction's result has 8", true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b16 %d5, [%d3]", "register %d5 has 64 bits, the instruction's result has 16", true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b16 %p5, [%d3]", "register %p5 has 1 bits, the instruction's result has 16", false},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b32 %d5, [%d3]", "register %d5 has 64 bits, the instruction's result has 32", true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.v2.b16 {%h5, %r5}, [%d3]", "register %r5 has 32 bits, the instruction's result has 16", false},
	{"ld.global.b32 %r5, [%d3]", "ld.global.v2.b16 {%r5, %h5}, [%d3]", "register %h5 has 16 bits, the instruction's result has 32", false},
	{"ld.global.b32 %r5, [%d3]", "ld.relaxed.gpu.global.b8 %r5, [%d3]", `"ld.relaxed.gpu.global.b8" is not known`, true},
	{"st.shared.b32 [%r8], %r5", "st.shared.b8 [%r8], 256", "does not fit into 8 bits", true},
	{"st.shared.b32 [%r8], %r5", "st.shared.b8 [%r8], %d3", "register %d3 has 64 bits, the instruction's operand has 8", true},
	{"st.shared.b32 [%r8], %r5", "st.shared.v2.b8 [%r8], {%r5, %r5, %r5}", `expected "}"`, false},
	{"ld.global.b32 %r5, [%d3]", "ld.global.v2.b32 %r5, [%d3]", `expected "{"`, false},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b32 {%r5}, [%d3]", "expected a register", true},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b32 %r5, %d3", `expected "["`, false},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b32 %r5, [%r3]", "addresses of global memory have 64", false},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b32 %r5, [words]", "global memory has no variable words", false},
	{"ld.global.b32 %r5, [%d3]", "ld.global.b32 %r5, [%d3-4]", `expected "]"`, false},
	{"ld.global.b32 %r5, [%d3]", "ld.global.nc.v4.b64 %r5, [%d3]", `"ld.global.nc.v4.b64" is not known`, false},
	{"ld.global.b32 %r5, [%d3]", "ld.relaxed.cta.global.b32 %r5, [%d3]", `"ld.relaxed.cta.global.b32" is not known`, true},
	{"ld.global.b32 %r5, [%d3]", "ld.acquire.gpu.global.b32 %r5, [%d3]", "is not known", true},
	{"ld.shared.b32 %r11, [%r10]", "ld.shared.nc.b32 %r11, [%r10]", `"ld.shared.nc.b32" is not known`, false},
	{"ld.shared.b32 %r11, [%r10]", "ld.shared.b32 %r11, [%d1]", "addresses of shared memory have 32", true},
	{"ld.const.b32 %r15, [%d5+4]", "st.const.b32 [%d5+4], %r15", `"st.const.b32" is not known`, false},
	{"st.local.v2.b32 [mine+8], {%r11, 7}", "st.local.v2.b32 [mine+8], {%r11, 7, 7}", `expected "}"`, false},
	{"st.local.v2.b32 [mine+8], {%r11, 7}", "st.local.v4.b32 [mine+8], {%r11, 7}", `expected ","`, false},
	{"st.local.v2.b32 [mine+8], {%r11, 7}", "st.local.v3.b32 [mine+8], {%r11, 7, 7}", "is not known", false},
	{"ld.param.v2.b32 {%r3, %r4}, [immediates+8]", "ld.param.v2.b32 {%r3, %r3}, [immediates+8]", "a register that gets two values", true},
	{"ld.param.b32 %r2, [length_0]", "st.param.b32 [length_0], %r2", "is not for this instruction", false},
	{"st.param.b32 [result+0], %r3", "ld.param.b32 %r3, [result+0]", "is not for this instruction", false},
	{"st.shared.b32 [%r8], %r5", "st.shared.b32 %r5, [%r8]", `expected "["`, false},
	{"bar.sync 0;\n\txor", "bar.sync 16;\n\txor", "expected an integer up to 15", false},
	{"bar.sync 0;\n\txor", "bar.sync %r1;\n\txor", `expected ","`, true},
	{"bar.sync 0;\n\txor", "bar.arrive 0;\n\txor", `expected ","`, false},
	{"bar.sync 0;\n\txor", "barrier.sync 0;\n\txor", `"barrier.sync" is not known`, true},
	{"shl.b32 %r7, %r1, 2", "shl.u32 %r7, %r1, 2", `"shl.u32" is not known`, false},
	{"shl.b32 %r7, %r1, 2", "shl.b32 %r7, %r1, %d2", "register %d2 has 64 bits", false},
	{"xor.b32 %r9", "xor.u32 %r9", `"xor.u32" is not known`, false},
	{"mad.lo.s32", "mad.s32", `"mad.s32" is not known`, false},
	{"mad.lo.s32", "mad.hi.sat.s32", `"mad.hi.sat.s32" is not known`, true},
	{"cvt.rn.f32.s32 %r16", "cvt.f32.s32 %r16", `"cvt.f32.s32" is not known`, false},
	{"cvt.rn.f32.s32 %r16", "cvt.rn.sat.f32.s32 %r16", `"cvt.rn.sat.f32.s32" is not known`, true},
	{"cvt.rn.f32.s32 %r16", "cvt.rz.f32.s32 %r16", `"cvt.rz.f32.s32" is not known`, true},
	{"cvt.rn.f16.f32 %h1", "cvt.f16.f32 %h1", `"cvt.f16.f32" is not known`, false},
	{"cvt.f32.f16 %r18", "cvt.rn.f32.f16 %r18", `"cvt.rn.f32.f16" is not known`, false},
	{"cvt.f32.f16 %r18", "cvt.f32.f16.f16 %r18", `"cvt.f32.f16.f16" is not known`, false},
	{"fma.rn.f32 %r17", "fma.f32 %r17", `"fma.f32" is not known`, false},
	{"fma.rn.f32 %r17", "fma.rn.sat.f32 %r17", `"fma.rn.sat.f32" is not known`, true},
	{"fma.rn.f32 %r17", "fma.rz.f32 %r17", `"fma.rz.f32" is not known`, true},
	{"fma.rn.f32 %r17, %r16, 0f40000000", "fma.rn.f32 %r17, %r16, 2", "expected a constant of type f32", false},
	{"add.rn.f16 %h2, %h1, %h1", "add.f16 %h2, %h1, %h1", `"add.f16" is not known`, true},
	{"add.rn.f16 %h2, %h1, %h1", "add.rn.f16 %h2, %h1, 0x3C00", "expected a register", false},
	{"add.u32 %r8, %r6, %r7", "add.rn.f64 %d8, %d3, 0f3F800000", "expected a constant of type f64", true},
	{"add.u32 %r8, %r6, %r7", "add.rn.f64 %d8, %d3, 1", "expected a constant of type f64", false},
	{"add.u32 %r8, %r6, %r7", "add.rn.f64 %d8, %d3, 0d3FF000000000000", "not understood", false},
	{"add.u32 %r8, %r6, %r7", "add.rn.f64 %r8, %d3, %d3", "register %r8 has 32 bits", false},
	{"add.u32 %r8, %r6, %r7", "add.f64 %d8, %d3, %d3", `"add.f64" is not known`, true},
	{"add.u32 %r8, %r6, %r7", "add.rz.f64 %d8, %d3, %d3", `"add.rz.f64" is not known`, true},
	{"add.u32 %r8, %r6, %r7", "add.rn.ftz.f64 %d8, %d3, %d3", `"add.rn.ftz.f64" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "add.u64 %d8, %d3, 0d3FF0000000000000", "expected a constant of type u64", false},
	{"add.u32 %r8, %r6, %r7", "fma.f64 %d8, %d3, %d3, %d3", `"fma.f64" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "sqrt.approx.f64 %d8, %d3", `"sqrt.approx.f64" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "sin.approx.f64 %d8, %d3", `"sin.approx.f64" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "cvt.f32.f64 %r8, %d3", `"cvt.f32.f64" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "cvt.rn.f64.f32 %d8, %r6", `"cvt.rn.f64.f32" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "cvt.f64.s32 %d8, %r6", `"cvt.f64.s32" is not known`, false},
	{"add.u32 %r8, %r6, %r7", "cvt.s32.f64 %r8, %d3", `"cvt.s32.f64" is not known`, false},
	{"setp.lt.f32 %p2, %r18, 0f00000000", "setp.lt.f32 %p2, %r18, 0d0000000000000000", "expected a constant of type f32", true},
	{"selp.b32 %r19, %r15, 9, %p2", "selp.b32 %r19, %r15, 9, !%p2", "expected a register", true},
	{"selp.b32 %r19, %r15, 9, %p2", "selp.b32 %r19, %r15, 9, %r2", "register %r2 has 32 bits", false},
	{"selp.b32 %r19, %r15, 9, %p2", "slct.b32.s32 %r19, %r15, 9, %r2", `"slct.b32.s32" is not known`, true},
	{"shfl.sync.idx.b32 %r20, %r19", "shfl.idx.b32 %r20, %r19", `"shfl.idx.b32" is not known`, false},
	{"shfl.sync.idx.b32 %r20, %r19", "shfl.sync.idx.b32 %r20|%p1, %r19", "operands", true},
	{"shfl.sync.idx.b32 %r20, %r19, 3, 31, 0xFFFFFFFF", "shfl.sync.idx.b32 %r20, %r19, 3, 31", "has 5 operands, found 4", false},
	{"shfl.sync.idx.b32", "shfl.sync.xor.b32", "is not known", false},
	{"vote.sync.any.pred %p3", "vote.any.pred %p3", `"vote.any.pred" is not known`, false},
	{"vote.sync.any.pred %p3", "vote.sync.ballot.b32 %p3", "register %p3 has 1 bits", false},
	{"and.pred %p4, %p2, %p3", "and.pred %p4, %p2, 1", "expected a register", true},
	{"@%p5 bra $L1", "@%r5 bra $L1", "register %r5 has 32 bits", false},
	{"@%p5 bra $L1", "@%p6 bra $L1", "register %p6 is not declared", false},
	{"@%p5 bra $L1", "@%p5 bra.uni $L1", `"bra.uni" is not known`, true},
	{"@%p5 bra $L1", "@%p5 bra $L9", "label $L9 is not known", false},
	{"@%p5 bra $L1", "@%p5 bra %r1", "expected a name", false},
	{"$L1:\n\t{", "\t{\n$L1:", "label $L1 is not known", false},
	{"$L2:", "$L1:", "label $L1 is defined twice", false},
	{"$L2:", "$L4:", "label $L2 is not known", false},
	{"brx.idx %r22, $T1", "brx.idx %r22, $T2", "table $T2 of labels is not known", false},
	{"brx.idx %r22, $T1", "brx.idx %d2, $T1", "register %d2 has 64 bits", false},
	{".param .b32 argument_0", ".param .b16 argument_0", "argument argument_0 does not fit parameter param_0", false},
	{".param .align 8 .b8 answer[8]", ".param .align 8 .b8 answer[16]", "the result of twice does not fit", false},
	{"call (answer), twice, (argument_0, argument_1)", "call (answer), twice, (argument_0)", "function twice has 2 parameters, found 1", false},
	{"call (answer), twice, (argument_0, argument_1)", "call (answer), thrice, (argument_0, argument_1)", "function thrice is not known", false},
	{"call (answer), twice, (argument_0, argument_1)", "call twice, (argument_0, argument_1)", "the result of twice does not fit", false},
	{"call (answer), twice, (argument_0, argument_1)", "call.uni (answer), twice, (argument_0, argument_1)", `"call.uni" is not known`, true},
	{"ld.param.b32 %r21, [answer+0];\n\t}", "}\n\tld.param.b32 %r21, [answer+0];", "param memory has no variable answer", false},
	{"\t{\n\t.param .b32 argument_0", "\t.param .b32 argument_0", "a .param outside of a block", false},
	{"st.param.b32 [argument_0], %r20", "@%p1 st.param.b32 [argument_0], %r20", "a guarded access to parameter argument_0", false},
	{".loc 1 9 3", ".loc 2 9 3", "file 2 is not named", true},
	{".loc 1 9 3", ".pragma \"nounroll\";", "is not known", true},
	{"atom.relaxed.cta.shared.add.u32", "atom.relaxed.gpu.shared.add.u32", "is not known", true},
	{"atom.relaxed.cta.shared.add.u32", "atom.shared.add.u32", "is not known", true},
	{"atom.relaxed.cta.shared.add.u32", "atom.relaxed.cta.shared.inc.u32", "is not known", true},
	{"atom.relaxed.cta.shared.add.u32", "atom.relaxed.cta.shared.add.s64", "is not known", false},
	{"atom.relaxed.cta.shared.add.u32", "atom.relaxed.cta.shared.cas.b32", "has 4 operands, found 3", false},
	{"prmt.b32 %r24", "prmt.b32.f4e %r24", `"prmt.b32.f4e" is not known`, true},
	{"bfe.u32 %r23", "bfe.b32 %r23", `"bfe.b32" is not known`, false},
	{".reg .b32 %r<40>;", ".reg .f32 %r<40>;", `type ".f32" of registers is not known`, false},
	{".reg .b32 %r<40>;", ".reg .b32 %r<40>;\n\t.reg .b32 %r<3>;", "registers %r are declared twice", false},
	{".reg .b32 %r<40>;", ".reg .b32 %r<9>;", "is not declared", false},
	{".local .align 16 .b8 mine[32]", ".local .align 3 .b8 mine[32]", "alignment 3 is no power of two", false},
	{".local .align 16 .b8 mine[32]", ".local .align 16 .b8 words[32]", "name words is defined twice", false},
	{".shared .align 8 .b8 words[128]", ".shared .align 8 .b32 words[32]", "expected .b8", true},
	{".shared .align 8 .b8 words[128]", ".tex .u32 words", `".tex" is not known`, false},
	{"= {1,0,0,0,5,0,0,0}", "= {1,0,0,0,5,0,0,0,0}", "more than its 8 bytes", false},
	{"= {1,0,0,0,5,0,0,0}", "= {256,0,0,0,5,0,0,0}", "expected an integer up to 255", true},
	{".param .u32 bytes_0", ".param .u32 twice", "name twice is defined twice", false},
	{".reqntid 32, 1, 1", ".maxntid 32, 1, 1", "expected .reqntid", true},
	{".reqntid 32, 1, 1", ".reqntid 32, 1, 1\n.maxnreg 32", "expected \"{\"", true},
	{".reqntid 32, 1, 1", ".reqntid 0, 1, 1", "workgroup of 0", false},
	{".visible .entry", ".weak .entry", `".weak" is not known`, true},
	{".param .u64 .ptr .global", ".param .u64 .ptr .shared", "expected .global", true},
	{".target sm_70", ".target sm_80", "version 6.3 and target sm_80 are not known together", false},
	{".version 6.3", ".version 7.0", "version 7.0 and target sm_70 are not known together", true},
	{"shfl.sync.idx.b32 %r20, %r19, 3, 31, 0xFFFFFFFF", "redux.sync.add.s32 %r20, %r19, 0xFFFFFFFF", "needs sm_80", false},
	{".address_size 64", ".address_size 32", "64 bits", false},
	{"\tret;\n}\n\n", "}\n\n", "a function whose end is reached", true},
}

// TestRefused parses texts that must be refused with the emulator, and with NVIDIA's assembler if
// it is installed.
func TestRefused(t *testing.T) {
	ptxas := findAssembler()
	if ptxas == "" {
		t.Log("ptxas is not on the path or in GPUC_PTXAS: what it says is not compared")
	} else if out, err := assemble(t, ptxas, accepted); err != nil {
		t.Fatalf("the assembler refuses what is to be accepted: %s", out)
	}
	for _, r := range refused {
		if strings.Count(accepted, r.from) != 1 {
			t.Errorf("%q is %d times in the module", r.from, strings.Count(accepted, r.from))
			continue
		}
		text := strings.Replace(accepted, r.from, r.to, 1)
		if _, err := ptx.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), r.message) {
			t.Errorf("%q instead of %q: %v, want an error with %q", r.to, r.from, err, r.message)
		}
		if ptxas == "" || testing.Short() {
			continue
		}
		out, err := assemble(t, ptxas, text)
		if (err == nil) != r.lenient {
			t.Errorf("%q instead of %q: of the assembler %v %s", r.to, r.from, err, out)
		}
	}
}

// findAssembler returns GPUC_PTXAS or ptxas on the path, or "".
func findAssembler() string {
	if path := os.Getenv("GPUC_PTXAS"); path != "" {
		return path
	}
	path, _ := exec.LookPath("ptxas")
	return path
}

// assemble runs the assembler.
func assemble(t *testing.T, ptxas, text string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "module.ptx")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(ptxas, "-O0", "-arch=sm_70", "-o", file+".cubin", file).CombinedOutput()
	return string(bytes.TrimSpace(out)), err
}
