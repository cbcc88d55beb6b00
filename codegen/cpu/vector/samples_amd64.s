#include "textflag.h"

// What filter.go has in Go for samples at levels of their own, for processors with AVX2: eight lanes at a time.

DATA fraction<>+0(SB)/8, $0x000FFFFFFFFFFFFF
GLOBL fraction<>(SB), RODATA|NOPTR, $8
DATA close<>+0(SB)/8, $0x0000000100000000
GLOBL close<>(SB), RODATA|NOPTR, $8
DATA farthest<>+0(SB)/8, $0x000FFFFEFFFFFFFF
GLOBL farthest<>(SB), RODATA|NOPTR, $8
DATA infinite<>+0(SB)/8, $2047
GLOBL infinite<>(SB), RODATA|NOPTR, $8
DATA bias<>+0(SB)/4, $2046
GLOBL bias<>(SB), RODATA|NOPTR, $4
DATA quarter<>+0(SB)/4, $0x3E800000
GLOBL quarter<>(SB), RODATA|NOPTR, $4

// LONGER leaves the squares of four lanes of the longer derivative in Y0, and all ones for those of which one is no number. R10 counts coordinates down; sums are in
// their order, from the first one on.
#define LONGER(at, coordinate) \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	XORQ R10, R10; \
coordinate: \
	MOVQ 0(BX)(R10*8), SI; \
	MOVQ 24(BX)(R10*8), DI; \
	VBROADCASTSD 48(BX)(R10*8), Y2; \
	VCVTPS2PD at(SI)(AX*1), Y3; \
	VCVTPS2PD at(DI)(AX*1), Y4; \
	VMULPD Y2, Y3, Y3; \
	VMULPD Y2, Y4, Y4; \
	VMULPD Y3, Y3, Y3; \
	VMULPD Y4, Y4, Y4; \
	VADDPD Y3, Y0, Y0; \
	VADDPD Y4, Y1, Y1; \
	INCQ R10; \
	CMPQ R10, R9; \
	JLT coordinate; \
	VCMPPD $3, Y1, Y0, Y2; \
	VMAXPD Y1, Y0, Y0; \
	VORPD Y2, Y0, Y0

// DETAIL leaves the details of four lanes with the squares Y0 in X3, and in DX bits of those that are right.
#define DETAIL \
	VPSRLQ $52, Y0, Y1; \
	VPAND Y15, Y0, Y2; \
	VPCMPEQQ Y10, Y2, Y3; \
	VPCMPGTQ Y14, Y2, Y4; \
	VPCMPGTQ Y2, Y13, Y5; \
	VPAND Y5, Y4, Y4; \
	VPOR Y3, Y4, Y4; \
	VPCMPGTQ Y10, Y1, Y5; \
	VPAND Y5, Y4, Y4; \
	VPCMPGTQ Y1, Y12, Y5; \
	VPAND Y5, Y4, Y4; \
	VMOVMSKPD Y4, DX; \
	VPADDQ Y1, Y1, Y1; \
	VPADDQ Y3, Y1, Y1; \
	VPSUBQ Y9, Y1, Y1; \
	VEXTRACTI128 $1, Y1, X2; \
	VSHUFPS $0x88, X2, X1, X3

// func slopeVector(lanes int, s *slope)
TEXT ·slopeVector(SB), NOSPLIT, $0-16
	MOVQ lanes+0(FP), CX
	MOVQ s+8(FP), BX
	MOVQ 72(BX), R9
	MOVQ 80(BX), R11
	MOVQ 88(BX), R12
	LEAQ 96(BX), R13
	VPBROADCASTQ fraction<>(SB), Y15
	VPBROADCASTQ close<>(SB), Y14
	VPBROADCASTQ farthest<>(SB), Y13
	VPBROADCASTQ infinite<>(SB), Y12
	VPBROADCASTD bias<>(SB), Y11
	VBROADCASTSS quarter<>(SB), Y8
	VPXOR Y10, Y10, Y10
	VPCMPEQD Y9, Y9, Y9
	SHRQ $3, CX
	XORQ AX, AX

	// Quarters of details are twice the exponents less those of 1, and one more where there is a fraction.

loop:
	LONGER(0, first)
	VMOVUPD Y0, (R11)(AX*2)
	DETAIL
	VMOVAPS X3, X7
	MOVL DX, R8
	LONGER(16, second)
	VMOVUPD Y0, 32(R11)(AX*2)
	DETAIL
	SHLL $4, DX
	ORL R8, DX
	XORL $255, DX
	MOVB DX, (R13)
	INCQ R13
	VINSERTF128 $1, X3, Y7, Y7
	VPSUBD Y11, Y7, Y7
	VCVTDQ2PS Y7, Y7
	VMULPS Y8, Y7, Y7
	VMOVUPS Y7, (R12)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// LEVEL looks up what levels have in a table of eight, and ANY in a longer one.
#define LEVEL(table, to) \
	VPERMD table, Y0, Y1; \
	VMOVDQU Y1, to(DI)(AX*1)

#define ANY(table, to) \
	VPCMPEQD Y2, Y2, Y2; \
	VPGATHERDD Y2, table(SI)(Y0*4), Y1; \
	VMOVDQU Y1, to(DI)(AX*1)

// func levelsVector(lanes int, v *levelling)
TEXT ·levelsVector(SB), NOSPLIT, $0-16
	MOVQ lanes+0(FP), CX
	MOVQ v+8(FP), BX
	MOVQ 0(BX), R8
	MOVQ 8(BX), SI
	MOVQ 16(BX), DI
	VPBROADCASTD 24(BX), Y15
	MOVL 24(BX), DX
	VMOVDQU 0(SI), Y14
	VMOVDQU 128(SI), Y13
	VMOVDQU 256(SI), Y12
	VMOVDQU 384(SI), Y11
	SHRQ $3, CX
	XORQ AX, AX
	CMPL DX, $8
	JGE any

few:
	VPMINUD (R8)(AX*1), Y15, Y0
	LEVEL(Y14, 0)
	LEVEL(Y13, 1024)
	LEVEL(Y12, 2048)
	LEVEL(Y11, 3072)
	ADDQ $32, AX
	DECQ CX
	JNZ few
	VZEROUPPER
	RET

any:
	VPMINUD (R8)(AX*1), Y15, Y0
	ANY(0, 0)
	ANY(128, 1024)
	ANY(256, 2048)
	ANY(384, 3072)
	ADDQ $32, AX
	DECQ CX
	JNZ any
	VZEROUPPER
	RET

// PAIR reads the word at each of the places in bytes of a register, and the one behind it, to two columns. Where Y6 holds, both are the first one.
#define PAIR(places, half, low, high) \
	VPCMPEQD Y2, Y2, Y2; \
	VPGATHERDQ Y2, (SI)(half*1), Y3; \
	VEXTRACTI128 $1, places, half; \
	VPCMPEQD Y2, Y2, Y2; \
	VPGATHERDQ Y2, (SI)(half*1), Y4; \
	VSHUFPS $0x88, Y4, Y3, Y2; \
	VPERMQ $0xD8, Y2, Y2; \
	VMOVDQU Y2, low(DI)(AX*1); \
	VSHUFPS $0xDD, Y4, Y3, Y3; \
	VPERMQ $0xD8, Y3, Y3; \
	VBLENDVPS Y6, Y2, Y3, Y3; \
	VMOVDQU Y3, high(DI)(AX*1)

// CORNER reads words at places.
#define CORNER(places, to) \
	VPCMPEQD Y2, Y2, Y2; \
	VPXOR Y3, Y3, Y3; \
	VPGATHERDD Y2, (SI)(places*1), Y3; \
	VMOVDQU Y3, to(DI)(AX*1)

// func cornersVector(lanes int, f *fetch)
//
// Where a texel is a word and those on the right are the next ones, or the same at the edge, two are read at once.
TEXT ·cornersVector(SB), NOSPLIT, $0-16
	MOVQ lanes+0(FP), CX
	MOVQ f+8(FP), BX
	MOVQ 0(BX), SI
	MOVQ 8(BX), R8
	MOVQ 16(BX), R9
	MOVQ 24(BX), R10
	MOVQ 32(BX), R11
	MOVQ 40(BX), R12
	MOVQ 48(BX), R13
	MOVQ 56(BX), R15
	MOVQ 64(BX), DI
	VMOVQ 72(BX), X15
	VPBROADCASTD 96(BX), Y13
	VPCMPEQD Y14, Y14, Y14
	VPABSD Y14, Y12
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VPADDD (R13)(AX*1), Y14, Y0
	VPMINUD (R10)(AX*1), Y0, Y0
	VMOVDQU (R12)(AX*1), Y1
	VPMULLD Y1, Y0, Y0
	VPADDD Y14, Y1, Y1
	VPMINUD (R9)(AX*1), Y1, Y2
	VPADDD Y0, Y2, Y2
	MOVQ 88(BX), DX
	VPMINUD (DX)(AX*1), Y1, Y3
	VPADDD Y0, Y3, Y3
	VMOVDQU (R11)(AX*1), Y1
	VPMULLD Y1, Y2, Y7
	VPMULLD Y1, Y3, Y8
	VPADDD Y14, Y1, Y1
	VPMINUD (R8)(AX*1), Y1, Y4
	MOVQ 80(BX), DX
	VPMINUD (DX)(AX*1), Y1, Y5
	VMOVDQU (R15)(AX*1), Y1
	VPADDD Y4, Y7, Y9
	VPSLLD X15, Y9, Y9
	VPADDD Y1, Y9, Y9
	VPADDD Y4, Y8, Y10
	VPSLLD X15, Y10, Y10
	VPADDD Y1, Y10, Y10
	VPSUBD Y4, Y5, Y0
	VPMINUD Y12, Y0, Y2
	VPCMPEQD Y2, Y0, Y2
	VPMAXUD Y10, Y9, Y3
	VPMINUD Y13, Y3, Y4
	VPCMPEQD Y4, Y3, Y4
	VPAND Y4, Y2, Y2
	VPMOVMSKB Y2, DX
	CMPL DX, $-1
	JNE each
	CMPQ 72(BX), $2
	JNE each
	VPXOR Y6, Y6, Y6
	VPCMPEQD Y6, Y0, Y6
	PAIR(Y9, X9, 0, 1024)
	PAIR(Y10, X10, 2048, 3072)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

each:
	VPADDD Y5, Y7, Y7
	VPSLLD X15, Y7, Y7
	VPADDD Y1, Y7, Y7
	VPADDD Y5, Y8, Y8
	VPSLLD X15, Y8, Y8
	VPADDD Y1, Y8, Y8
	CORNER(Y9, 0)
	CORNER(Y7, 1024)
	CORNER(Y10, 2048)
	CORNER(Y8, 3072)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// PART makes numbers from 0 to 1 of bytes of words.
#define PART(words, shift, number) \
	VPSRLD $shift, words, Y5; \
	VPAND Y8, Y5, Y5; \
	VCVTDQ2PS Y5, Y5; \
	VMULPS Y6, Y5, number; \
	VFMADD231PS Y7, Y5, number

// BLEND stores what lies between four of them, mixed with what is there if there is a weight.
#define BLEND(shift, to, store, label) \
	TESTQ to, to; \
	JEQ label; \
	PART(Y12, shift, Y0); \
	PART(Y13, shift, Y1); \
	PART(Y14, shift, Y2); \
	PART(Y15, shift, Y3); \
	VSUBPS Y0, Y1, Y1; \
	VMULPS Y11, Y1, Y1; \
	VADDPS Y1, Y0, Y0; \
	VSUBPS Y2, Y3, Y3; \
	VMULPS Y11, Y3, Y3; \
	VADDPS Y3, Y2, Y2; \
	VSUBPS Y0, Y2, Y2; \
	VMULPS Y10, Y2, Y2; \
	VADDPS Y2, Y0, Y0; \
	TESTQ DX, DX; \
	JEQ store; \
	VMOVUPS (to)(AX*1), Y1; \
	VSUBPS Y1, Y0, Y0; \
	VMULPS Y9, Y0, Y0; \
	VADDPS Y0, Y1, Y0; \
store: \
	VMOVUPS Y0, (to)(AX*1)

// func blendVector(lanes int, b *blending)
TEXT ·blendVector(SB), NOSPLIT, $0-16
	MOVQ lanes+0(FP), CX
	MOVQ b+8(FP), BX
	MOVQ 0(BX), R8
	MOVQ 8(BX), R9
	MOVQ 16(BX), R10
	MOVQ 24(BX), R11
	MOVQ 32(BX), SI
	MOVQ 40(BX), R12
	MOVQ 48(BX), R13
	MOVQ 56(BX), DX
	VPBROADCASTD 68(BX), Y8
	VBROADCASTSS 72(BX), Y7
	VBROADCASTSS 76(BX), Y6
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVDQU (SI)(AX*1), Y12
	VMOVDQU 1024(SI)(AX*1), Y13
	VMOVDQU 2048(SI)(AX*1), Y14
	VMOVDQU 3072(SI)(AX*1), Y15
	VMOVUPS (R12)(AX*1), Y11
	VMOVUPS (R13)(AX*1), Y10
	TESTQ DX, DX
	JEQ first
	VMOVUPS (DX)(AX*1), Y9

first:
	BLEND(0, R8, stored1, second)

second:
	BLEND(8, R9, stored2, third)

third:
	BLEND(16, R10, stored3, fourth)

fourth:
	BLEND(24, R11, stored4, next)

next:
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

DATA farther<>+0(SB)/4, $0x4E800000
GLOBL farther<>(SB), RODATA|NOPTR, $4
DATA nearer<>+0(SB)/4, $0xCE800000
GLOBL nearer<>(SB), RODATA|NOPTR, $4

// AXIS keeps on the stack what there is to know of an axis: from a place on how many texels it has as floats, the last one, the period, twice and four times that, what eight
// periods end with, and the offset.
#define AXIS(at, size, offset, mode, period) \
	VPBROADCASTD size(BX), Y0; \
	VPBROADCASTD offset(BX), Y1; \
	VMOVDQU Y1, (at+192)(SP); \
	VCVTDQ2PS Y0, Y1; \
	VMOVUPS Y1, at(SP); \
	VPADDD Y14, Y0, Y1; \
	VMOVDQU Y1, (at+32)(SP); \
	CMPL mode, $2; \
	JNE period; \
	VPADDD Y0, Y0, Y0; \
period: \
	VMOVDQU Y0, (at+64)(SP); \
	VPADDD Y0, Y0, Y1; \
	VMOVDQU Y1, (at+96)(SP); \
	VPADDD Y1, Y1, Y1; \
	VMOVDQU Y1, (at+128)(SP); \
	VPADDD Y1, Y1, Y1; \
	VPADDD Y14, Y1, Y1; \
	VMOVDQU Y1, (at+160)(SP)

// TEXEL finds the texel along an axis that the coordinates in Y0 are in. Y10 is for lanes within four periods on either side.
#define TEXEL(at, mode, repeat, done) \
	VMULPS at(SP), Y0, Y0; \
	VCMPPS $7, Y0, Y0, Y1; \
	VANDPS Y1, Y0, Y0; \
	VMINPS Y13, Y0, Y0; \
	VMAXPS Y12, Y0, Y0; \
	VROUNDPS $1, Y0, Y0; \
	VCVTTPS2DQ Y0, Y0; \
	VPADDD (at+192)(SP), Y0, Y0; \
	TESTL mode, mode; \
	JNE repeat; \
	VPMAXSD Y11, Y0, Y0; \
	VPMINSD (at+32)(SP), Y0, Y0; \
	JMP done; \
repeat: \
	VPADDD (at+128)(SP), Y0, Y0; \
	VPMINUD (at+160)(SP), Y0, Y1; \
	VPCMPEQD Y0, Y1, Y1; \
	VPAND Y1, Y10, Y10; \
	VPSUBD (at+128)(SP), Y0, Y1; \
	VPMINUD Y1, Y0, Y0; \
	VPSUBD (at+96)(SP), Y0, Y1; \
	VPMINUD Y1, Y0, Y0; \
	VPSUBD (at+64)(SP), Y0, Y1; \
	VPMINUD Y1, Y0, Y0; \
	VPADDD (at+64)(SP), Y14, Y1; \
	VPSUBD Y0, Y1, Y1; \
	CMPL mode, $2; \
	JNE done; \
	VPMINUD Y1, Y0, Y0; \
done: \
	VPMINUD (at+32)(SP), Y0, Y0

// func nearestVector(lanes int, n *nearest) bool
TEXT ·nearestVector(SB), NOSPLIT, $448-17
	MOVQ lanes+0(FP), CX
	MOVQ n+8(FP), BX
	MOVQ 0(BX), SI
	MOVQ 8(BX), R8
	MOVQ 16(BX), R9
	MOVQ 24(BX), R10
	MOVQ 32(BX), DI
	MOVQ 40(BX), R15
	MOVL 64(BX), R11
	MOVL 68(BX), R12
	VPCMPEQD Y14, Y14, Y14
	AXIS(0, 48, 56, R11, across)
	AXIS(224, 52, 60, R12, down)
	VBROADCASTSS farther<>(SB), Y13
	VBROADCASTSS nearer<>(SB), Y12
	VPXOR Y11, Y11, Y11
	VMOVDQU Y14, Y10
	VPBROADCASTD 48(BX), Y9
	VPBROADCASTD 52(BX), Y8
	VPBROADCASTD 72(BX), Y7
	VPSRLD $29, Y14, Y6
	VMOVQ 80(BX), X4
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVUPS (R9)(AX*1), Y0
	TEXEL(224, R12, repeatdown, row)
	TESTQ R10, R10
	JEQ plane
	VPMINUD (R10)(AX*1), Y7, Y1
	VPMULLD Y8, Y1, Y1
	VPADDD Y1, Y0, Y0

plane:
	VPMULLD Y9, Y0, Y5
	VMOVUPS (R8)(AX*1), Y0
	TEXEL(0, R11, repeatacross, column)
	VPADDD Y5, Y0, Y0
	VPSLLD X4, Y0, Y3
	VPBROADCASTD X0, Y1
	VPSUBD Y1, Y0, Y1
	VPMINUD Y6, Y1, Y2
	VPCMPEQD Y1, Y2, Y2
	VPMOVMSKB Y2, DX
	CMPL DX, $-1
	JNE gather
	VMOVD X3, DX
	CMPQ DX, R15
	JGT gather
	VPERMD (SI)(DX*1), Y1, Y0

words:
	VMOVDQU Y0, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VPMOVMSKB Y10, AX
	CMPL AX, $-1
	SETEQ ret+16(FP)
	VZEROUPPER
	RET

gather:
	VPCMPEQD Y2, Y2, Y2
	VPXOR Y0, Y0, Y0
	VPGATHERDD Y2, (SI)(Y3*1), Y0
	JMP words
