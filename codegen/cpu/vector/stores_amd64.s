#include "textflag.h"

// What stores.go has in Go, for processors with AVX2 and F16C: eight lanes at a time.

DATA lanenumber<>+0(SB)/4, $0
DATA lanenumber<>+4(SB)/4, $1
DATA lanenumber<>+8(SB)/4, $2
DATA lanenumber<>+12(SB)/4, $3
DATA lanenumber<>+16(SB)/4, $4
DATA lanenumber<>+20(SB)/4, $5
DATA lanenumber<>+24(SB)/4, $6
DATA lanenumber<>+28(SB)/4, $7
GLOBL lanenumber<>(SB), RODATA|NOPTR, $32

// func spotVector(lanes int, s *spot) bool
TEXT ·spotVector(SB), NOSPLIT, $0-17
	MOVQ lanes+0(FP), CX
	MOVQ s+8(FP), BX
	MOVQ 0(BX), SI
	MOVQ 8(BX), R8
	MOVQ 16(BX), R9
	MOVQ 24(BX), DI
	MOVQ 32(BX), R10
	MOVQ 40(BX), R11
	VPBROADCASTD 48(BX), Y15
	VPBROADCASTD 52(BX), Y14
	VPBROADCASTD 56(BX), Y13
	VPBROADCASTD 60(BX), Y12
	VPCMPEQD Y11, Y11, Y11
	VPADDD Y11, Y15, Y10
	VPADDD Y11, Y14, Y9
	VPADDD Y11, Y13, Y8
	VPXOR Y7, Y7, Y7
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVDQU (SI)(AX*1), Y0
	VPMINUD Y10, Y0, Y3
	VPCMPEQD Y0, Y3, Y3
	TESTQ R8, R8
	JEQ found
	VMOVDQU (R8)(AX*1), Y1
	VPMINUD Y9, Y1, Y4
	VPCMPEQD Y1, Y4, Y4
	VPAND Y4, Y3, Y3
	TESTQ R9, R9
	JEQ row
	VMOVDQU (R9)(AX*1), Y2
	VPMINUD Y8, Y2, Y4
	VPCMPEQD Y2, Y4, Y4
	VPAND Y4, Y3, Y3
	VPMULLD Y14, Y2, Y2
	VPADDD Y2, Y1, Y1

row:
	VPMULLD Y15, Y1, Y1
	VPADDD Y1, Y0, Y0

found:
	VPAND (R10)(AX*1), Y3, Y3
	VPOR Y3, Y7, Y7
	VMOVDQU Y3, (R11)(AX*1)
	VPMULLD Y12, Y0, Y2
	VMOVDQU Y2, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VPTEST Y7, Y7
	SETNE ret+16(FP)
	VZEROUPPER
	RET

DATA magic<>+0(SB)/4, $0x4B400000
GLOBL magic<>(SB), RODATA|NOPTR, $4

// PACK loads what packing words begins with: what encodings have, from the last channel to the first.
#define PACK \
	MOVQ lanes+0(FP), CX; \
	MOVQ words+8(FP), DI; \
	MOVQ e+16(FP), R8; \
	MOVQ 32(R8), R9; \
	VMOVD 64(R8), X11; \
	SHRQ $3, CX; \
	XORQ AX, AX

// Products of floats and magic are summed and rounded once, which gives the bits that doubles give: they are below 2²².

// func packNumbersVector(lanes int, words unsafe.Pointer, e *encoding)
TEXT ·packNumbersVector(SB), NOSPLIT, $0-24
	PACK
	VBROADCASTSS 40(R8), Y15
	VBROADCASTSS 44(R8), Y14
	VBROADCASTSS 48(R8), Y13
	VPBROADCASTD 60(R8), Y12
	VBROADCASTSS magic<>(SB), Y10

loop:
	VPXOR Y2, Y2, Y2
	MOVQ R9, R10

part:
	MOVQ -8(R8)(R10*8), SI
	VMOVUPS (SI)(AX*1), Y0
	VCMPPS $7, Y0, Y0, Y1
	VANDPS Y1, Y0, Y0
	VMAXPS Y14, Y0, Y0
	VMINPS Y13, Y0, Y0
	VFMADD213PS Y10, Y15, Y0
	VPAND Y12, Y0, Y0
	VPSLLD X11, Y2, Y2
	VPOR Y0, Y2, Y2
	DECQ R10
	JNZ part
	VMOVDQU Y2, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func packHalvesVector(lanes int, words unsafe.Pointer, e *encoding)
TEXT ·packHalvesVector(SB), NOSPLIT, $0-24
	PACK

loop:
	VPXOR Y2, Y2, Y2
	MOVQ R9, R10

part:
	MOVQ -8(R8)(R10*8), SI
	VMOVUPS (SI)(AX*1), Y0
	VCVTPS2PH $0, Y0, X0
	VPMOVZXWD X0, Y0
	VPSLLD X11, Y2, Y2
	VPOR Y0, Y2, Y2
	DECQ R10
	JNZ part
	VMOVDQU Y2, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func packUnsignedVector(lanes int, words unsafe.Pointer, e *encoding)
TEXT ·packUnsignedVector(SB), NOSPLIT, $0-24
	PACK
	VPBROADCASTD 56(R8), Y15

loop:
	VPXOR Y2, Y2, Y2
	MOVQ R9, R10

part:
	MOVQ -8(R8)(R10*8), SI
	VPMINUD (SI)(AX*1), Y15, Y0
	VPSLLD X11, Y2, Y2
	VPOR Y0, Y2, Y2
	DECQ R10
	JNZ part
	VMOVDQU Y2, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func packSignedVector(lanes int, words unsafe.Pointer, e *encoding)
TEXT ·packSignedVector(SB), NOSPLIT, $0-24
	PACK
	VPBROADCASTD 52(R8), Y15
	VPBROADCASTD 56(R8), Y14
	VPBROADCASTD 60(R8), Y13

loop:
	VPXOR Y2, Y2, Y2
	MOVQ R9, R10

part:
	MOVQ -8(R8)(R10*8), SI
	VPMAXSD (SI)(AX*1), Y15, Y0
	VPMINSD Y14, Y0, Y0
	VPAND Y13, Y0, Y0
	VPSLLD X11, Y2, Y2
	VPOR Y0, Y2, Y2
	DECQ R10
	JNZ part
	VMOVDQU Y2, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func pairsVector(lanes int, base unsafe.Pointer, from *[2]unsafe.Pointer, places, mask unsafe.Pointer)
TEXT ·pairsVector(SB), NOSPLIT, $0-40
	MOVQ lanes+0(FP), CX
	MOVQ base+8(FP), R8
	MOVQ from+16(FP), BX
	MOVQ 0(BX), SI
	MOVQ 8(BX), DX
	MOVQ places+24(FP), R9
	MOVQ mask+32(FP), R10
	VMOVDQU lanenumber<>(SB), Y15
	VPSLLD $3, Y15, Y15
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVDQU (R10)(AX*1), Y0
	VMOVMSKPS Y0, BX
	TESTL BX, BX
	JEQ next
	CMPL BX, $0xFF
	JNE each
	VMOVDQU (R9)(AX*1), Y0
	VPBROADCASTD X0, Y1
	VPADDD Y15, Y1, Y1
	VPCMPEQD Y0, Y1, Y1
	VPMOVMSKB Y1, R11
	CMPL R11, $-1
	JNE each
	VMOVD X0, R11
	VMOVDQU (SI)(AX*1), Y0
	VPUNPCKLDQ (DX)(AX*1), Y0, Y1
	VPUNPCKHDQ (DX)(AX*1), Y0, Y2
	VPERM2I128 $0x20, Y2, Y1, Y3
	VPERM2I128 $0x31, Y2, Y1, Y4
	VMOVDQU Y3, (R8)(R11*1)
	VMOVDQU Y4, 32(R8)(R11*1)

next:
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

each:
	LEAQ (R9)(AX*1), R12
	LEAQ (SI)(AX*1), R13
	LEAQ (DX)(AX*1), R15

lane:
	BSFL BX, R11
	LEAL -1(BX), DI
	ANDL DI, BX
	MOVL (R12)(R11*4), DI
	ADDQ R8, DI
	VMOVD (R13)(R11*4), X0
	VPINSRD $1, (R15)(R11*4), X0, X0
	VMOVQ X0, (DI)
	TESTL BX, BX
	JNE lane
	JMP next
