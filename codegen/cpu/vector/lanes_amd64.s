#include "textflag.h"

// What moves.go has in Go, for processors with AVX2: eight lanes at a time, of which columns have a multiple.

DATA iota<>+0(SB)/4, $0
DATA iota<>+4(SB)/4, $1
DATA iota<>+8(SB)/4, $2
DATA iota<>+12(SB)/4, $3
DATA iota<>+16(SB)/4, $4
DATA iota<>+20(SB)/4, $5
DATA iota<>+24(SB)/4, $6
DATA iota<>+28(SB)/4, $7
GLOBL iota<>(SB), RODATA|NOPTR, $32

DATA lanebits<>+0(SB)/4, $1
DATA lanebits<>+4(SB)/4, $2
DATA lanebits<>+8(SB)/4, $4
DATA lanebits<>+12(SB)/4, $8
DATA lanebits<>+16(SB)/4, $16
DATA lanebits<>+20(SB)/4, $32
DATA lanebits<>+24(SB)/4, $64
DATA lanebits<>+28(SB)/4, $128
GLOBL lanebits<>(SB), RODATA|NOPTR, $32

// func fillWordVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·fillWordVector(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ d+8(FP), DI
	MOVQ a+16(FP), SI
	VPBROADCASTD (SI), Y0
	ADDQ $7, CX
	SHRQ $3, CX

fill:
	VMOVDQU Y0, (DI)
	ADDQ $32, DI
	DECQ CX
	JNZ fill
	VZEROUPPER
	RET

// func copyWordVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·copyWordVector(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ d+8(FP), DI
	MOVQ a+16(FP), SI
	ADDQ $7, CX
	SHRQ $3, CX

copy:
	VMOVDQU (SI), Y0
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ copy
	VZEROUPPER
	RET

// What is blended is read and written whole: columns belong to one worker, and stores under a mask take several times as long on some processors.

// func blendWordVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·blendWordVector(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ d+8(FP), DI
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), DX
	ADDQ $7, CX
	SHRQ $3, CX
	XORQ AX, AX

blend:
	VMOVDQU (DX)(AX*1), Y0
	VMOVDQU (DI)(AX*1), Y1
	VPBLENDVB Y0, (SI)(AX*1), Y1, Y1
	VMOVDQU Y1, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ blend
	VZEROUPPER
	RET

// func blendFillWordVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·blendFillWordVector(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ d+8(FP), DI
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), DX
	VPBROADCASTD (SI), Y1
	ADDQ $7, CX
	SHRQ $3, CX
	XORQ AX, AX

blend:
	VMOVDQU (DX)(AX*1), Y0
	VMOVDQU (DI)(AX*1), Y2
	VPBLENDVB Y0, Y1, Y2, Y2
	VMOVDQU Y2, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ blend
	VZEROUPPER
	RET

// func bitsVector(to *uint64, column unsafe.Pointer, lanes int)
TEXT ·bitsVector(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ column+8(FP), SI
	MOVQ lanes+16(FP), CX
	SHRQ $3, CX

bits:
	VMOVUPS (SI), Y0
	VMOVMSKPS Y0, AX
	MOVB AX, (DI)
	ADDQ $32, SI
	INCQ DI
	DECQ CX
	JNZ bits
	VZEROUPPER
	RET

// func expandVector(to unsafe.Pointer, mask *uint64, lanes int)
TEXT ·expandVector(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ mask+8(FP), SI
	MOVQ lanes+16(FP), CX
	VMOVDQU lanebits<>(SB), Y15
	SHRQ $3, CX

expand:
	VPBROADCASTB (SI), Y0
	VPAND Y15, Y0, Y0
	VPCMPEQD Y15, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ $32, DI
	INCQ SI
	DECQ CX
	JNZ expand
	VZEROUPPER
	RET

// func followsVector(lanes int, column unsafe.Pointer, step uint32) bool
TEXT ·followsVector(SB), NOSPLIT, $0-25
	MOVQ lanes+0(FP), CX
	MOVQ column+8(FP), SI
	MOVL step+16(FP), AX
	VMOVD AX, X1
	VPBROADCASTD X1, Y1
	VMOVDQU iota<>(SB), Y0
	VPMULLD Y1, Y0, Y0
	VPSLLD $3, Y1, Y1
	VPBROADCASTD (SI), Y2
	VPADDD Y2, Y0, Y0
	VPCMPEQD Y5, Y5, Y5
	SHRQ $3, CX

follows:
	VPCMPEQD (SI), Y0, Y3
	VPAND Y3, Y5, Y5
	VPADDD Y1, Y0, Y0
	ADDQ $32, SI
	DECQ CX
	JNZ follows
	VPMOVMSKB Y5, AX
	CMPL AX, $-1
	SETEQ ret+24(FP)
	VZEROUPPER
	RET

// Eight lanes that look at one word, or at neighbours, are one access. Others are gathered, or stored one by one.

// func gatherVector(lanes int, to, column unsafe.Pointer, w *window)
TEXT ·gatherVector(SB), NOSPLIT, $0-32
	MOVQ lanes+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ column+16(FP), SI
	MOVQ w+24(FP), BX
	MOVQ (BX), R8
	VPBROADCASTD 8(BX), Y15
	MOVL 12(BX), R10
	VPBROADCASTD 12(BX), Y14
	MOVL 16(BX), R9
	VPBROADCASTD 16(BX), Y13
	MOVL 20(BX), DX
	VPBROADCASTD 20(BX), Y12
	VPMULLD iota<>(SB), Y12, Y12
	IMUL3Q $7, DX, DX
	VPBROADCASTD 24(BX), Y11
	SHRQ $3, CX

loop:
	VPMINUD (SI), Y11, Y0
	VPADDD Y15, Y0, Y0
	VPBROADCASTD X0, Y1
	VPCMPEQD Y0, Y1, Y2
	VPMOVMSKB Y2, AX
	CMPL AX, $-1
	JEQ uniform
	VPADDD Y12, Y1, Y1
	VPCMPEQD Y0, Y1, Y2
	VPMOVMSKB Y2, AX
	CMPL AX, $-1
	JEQ run

gather:
	VPMINUD Y14, Y0, Y2
	VPCMPEQD Y0, Y2, Y2
	VPMULLD Y13, Y0, Y1
	VPXOR Y3, Y3, Y3
	VPGATHERDD Y2, (R8)(Y1*1), Y3
	VMOVDQU Y3, (DI)

next:
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

uniform:
	VPXOR Y3, Y3, Y3
	VMOVD X0, AX
	CMPL AX, R10
	JHI zero
	IMULQ R9, AX
	VPBROADCASTD (R8)(AX*1), Y3

zero:
	VMOVDQU Y3, (DI)
	JMP next

run:
	VMOVD X0, AX
	MOVQ AX, R11
	ADDQ DX, R11
	CMPQ R11, R10
	JHI gather
	IMULQ R9, AX
	VMOVDQU (R8)(AX*1), Y3
	VMOVDQU Y3, (DI)
	JMP next

// func scatterVector(lanes int, from, column, mask unsafe.Pointer, w *window)
TEXT ·scatterVector(SB), NOSPLIT, $8-40
	MOVQ lanes+0(FP), CX
	MOVQ from+8(FP), DI
	MOVQ column+16(FP), SI
	MOVQ mask+24(FP), R12
	MOVQ w+32(FP), BX
	MOVQ (BX), R8
	VPBROADCASTD 8(BX), Y15
	MOVL 8(BX), R15
	MOVL 12(BX), R10
	MOVL 16(BX), R9
	MOVL 20(BX), DX
	VPBROADCASTD 20(BX), Y12
	VPMULLD iota<>(SB), Y12, Y12
	MOVQ DX, R13
	IMUL3Q $7, DX, DX
	VPBROADCASTD 24(BX), Y11
	MOVL 24(BX), AX
	MOVL AX, bound-4(SP)
	SHRQ $3, CX

loop:
	VMOVDQU (R12), Y4
	VMOVMSKPS Y4, BX
	TESTL BX, BX
	JEQ next
	TESTQ R13, R13
	JEQ each
	VPMINUD (SI), Y11, Y0
	VPADDD Y15, Y0, Y0
	VPBROADCASTD X0, Y1
	VPADDD Y12, Y1, Y1
	VPCMPEQD Y0, Y1, Y2
	VPMOVMSKB Y2, AX
	CMPL AX, $-1
	JNE each
	VMOVD X0, AX
	MOVQ AX, R11
	ADDQ DX, R11
	CMPQ R11, R10
	JHI each
	IMULQ R9, AX
	VMOVDQU (DI), Y3
	CMPL BX, $0xFF
	JNE some
	VMOVDQU Y3, (R8)(AX*1)

next:
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, R12
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

some:
	VPMASKMOVD Y3, Y4, (R8)(AX*1)
	JMP next

each:
	BSFL BX, R11
	LEAL -1(BX), AX
	ANDL AX, BX
	MOVL (SI)(R11*4), AX
	CMPL AX, bound-4(SP)
	CMOVLHI bound-4(SP), AX
	ADDL R15, AX
	CMPL AX, R10
	JHI outside
	IMULQ R9, AX
	MOVL (DI)(R11*4), R11
	MOVL R11, (R8)(AX*1)

outside:
	TESTL BX, BX
	JNE each
	JMP next

// STORE stores the words of a lane, which are in a register, at the place in bytes that stands on the stack, and ROW does if its bit in R13 is set.
#define STORE(number, words) \
	MOVL 4*number(SP), R11; \
	VMOVUPS words, (R8)(R11*1)

#define ROW(number, words, label) \
	BTL $number, R13; \
	JCC label; \
	STORE(number, words)

// func scatterRowVector(lanes int, from *[rowWords]unsafe.Pointer, column, mask unsafe.Pointer, w *window) bool
TEXT ·scatterRowVector(SB), NOSPLIT, $32-41
	MOVQ lanes+0(FP), CX
	MOVQ from+8(FP), BX
	MOVQ 0(BX), DI
	MOVQ 8(BX), DX
	MOVQ 16(BX), R10
	MOVQ 24(BX), R15
	MOVQ column+16(FP), SI
	MOVQ mask+24(FP), R12
	MOVQ w+32(FP), BX
	MOVQ (BX), R8
	VPBROADCASTD 8(BX), Y15
	VPBROADCASTD 12(BX), Y14
	VPBROADCASTD 16(BX), Y12
	VPBROADCASTD 24(BX), Y11
	VMOVDQU iota<>(SB), Y9
	VPSLLD $4, Y9, Y9
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVDQU (R12)(AX*1), Y13
	VMOVMSKPS Y13, R13
	TESTL R13, R13
	JEQ next
	VPMINUD (SI)(AX*1), Y11, Y0
	VPADDD Y15, Y0, Y0
	VPMINUD Y14, Y0, Y1
	VPCMPEQD Y0, Y1, Y1
	VPANDN Y13, Y1, Y1
	VPTEST Y1, Y1
	JNE outside
	VPMULLD Y12, Y0, Y10
	VMOVUPS (DI)(AX*1), Y0
	VMOVUPS (DX)(AX*1), Y1
	VMOVUPS (R10)(AX*1), Y2
	VMOVUPS (R15)(AX*1), Y3
	VUNPCKLPS Y1, Y0, Y4
	VUNPCKHPS Y1, Y0, Y5
	VUNPCKLPS Y3, Y2, Y6
	VUNPCKHPS Y3, Y2, Y7
	VUNPCKLPD Y6, Y4, Y0
	VUNPCKHPD Y6, Y4, Y1
	VUNPCKLPD Y7, Y5, Y2
	VUNPCKHPD Y7, Y5, Y3
	VMOVDQU Y10, (SP)
	CMPL R13, $0xFF
	JNE some
	VPBROADCASTD X10, Y4
	VPADDD Y9, Y4, Y4
	VPCMPEQD Y10, Y4, Y4
	VPMOVMSKB Y4, R11
	CMPL R11, $-1
	JNE all
	VMOVD X10, R11
	VPERM2F128 $0x20, Y1, Y0, Y4
	VPERM2F128 $0x20, Y3, Y2, Y5
	VPERM2F128 $0x31, Y1, Y0, Y6
	VPERM2F128 $0x31, Y3, Y2, Y7
	VMOVUPS Y4, (R8)(R11*1)
	VMOVUPS Y5, 32(R8)(R11*1)
	VMOVUPS Y6, 64(R8)(R11*1)
	VMOVUPS Y7, 96(R8)(R11*1)
	JMP next

all:
	STORE(0, X0)
	STORE(1, X1)
	STORE(2, X2)
	STORE(3, X3)
	VEXTRACTF128 $1, Y0, X0
	VEXTRACTF128 $1, Y1, X1
	VEXTRACTF128 $1, Y2, X2
	VEXTRACTF128 $1, Y3, X3
	STORE(4, X0)
	STORE(5, X1)
	STORE(6, X2)
	STORE(7, X3)
	JMP next

some:
	ROW(0, X0, lane1)

lane1:
	ROW(1, X1, lane2)

lane2:
	ROW(2, X2, lane3)

lane3:
	ROW(3, X3, lane4)

lane4:
	VEXTRACTF128 $1, Y0, X0
	VEXTRACTF128 $1, Y1, X1
	VEXTRACTF128 $1, Y2, X2
	VEXTRACTF128 $1, Y3, X3
	ROW(4, X0, lane5)

lane5:
	ROW(5, X1, lane6)

lane6:
	ROW(6, X2, lane7)

lane7:
	ROW(7, X3, next)

next:
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	MOVB $1, ret+40(FP)
	VZEROUPPER
	RET

outside:
	MOVB $0, ret+40(FP)
	VZEROUPPER
	RET

// BOTH loads the rows of two lanes, one to each half of a register.
#define BOTH(number, low, words) \
	MOVL (4*number)(SP), R11; \
	VMOVUPS (SI)(R11*1), low; \
	MOVL (4*number+16)(SP), R11; \
	VINSERTF128 $1, (SI)(R11*1), words, words

// func gatherRowVector(lanes int, to *[rowWords]unsafe.Pointer, column unsafe.Pointer, w *window) bool
TEXT ·gatherRowVector(SB), NOSPLIT, $32-33
	MOVQ lanes+0(FP), CX
	MOVQ to+8(FP), BX
	MOVQ 0(BX), DI
	MOVQ 8(BX), R8
	MOVQ 16(BX), R9
	MOVQ 24(BX), R10
	MOVQ column+16(FP), DX
	MOVQ w+24(FP), BX
	MOVQ (BX), SI
	VPBROADCASTD 8(BX), Y15
	VPBROADCASTD 12(BX), Y14
	VPBROADCASTD 16(BX), Y12
	VPBROADCASTD 24(BX), Y11
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VPMINUD (DX)(AX*1), Y11, Y0
	VPADDD Y15, Y0, Y0
	VPMINUD Y14, Y0, Y1
	VPCMPEQD Y0, Y1, Y1
	VPMOVMSKB Y1, R11
	CMPL R11, $-1
	JNE outside
	VPMULLD Y12, Y0, Y0
	VMOVDQU Y0, (SP)
	BOTH(0, X0, Y0)
	BOTH(1, X1, Y1)
	BOTH(2, X2, Y2)
	BOTH(3, X3, Y3)
	VUNPCKLPS Y1, Y0, Y4
	VUNPCKHPS Y1, Y0, Y5
	VUNPCKLPS Y3, Y2, Y6
	VUNPCKHPS Y3, Y2, Y7
	TESTQ DI, DI
	JEQ second
	VUNPCKLPD Y6, Y4, Y0
	VMOVUPS Y0, (DI)(AX*1)

second:
	TESTQ R8, R8
	JEQ third
	VUNPCKHPD Y6, Y4, Y0
	VMOVUPS Y0, (R8)(AX*1)

third:
	TESTQ R9, R9
	JEQ fourth
	VUNPCKLPD Y7, Y5, Y0
	VMOVUPS Y0, (R9)(AX*1)

fourth:
	TESTQ R10, R10
	JEQ next
	VUNPCKHPD Y7, Y5, Y0
	VMOVUPS Y0, (R10)(AX*1)

next:
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	MOVB $1, ret+32(FP)
	VZEROUPPER
	RET

outside:
	MOVB $0, ret+32(FP)
	VZEROUPPER
	RET
