#include "textflag.h"

// What reads.go has in Go, for processors with AVX2 and FMA: eight lanes at a time.

DATA seven<>+0(SB)/4, $7
GLOBL seven<>(SB), RODATA|NOPTR, $4
DATA byte<>+0(SB)/4, $255
GLOBL byte<>(SB), RODATA|NOPTR, $4

// CHANNEL stores numbers from 0 to 1 of the bytes in Y3, if there is a column for them.
#define CHANNEL(shift, to, label) \
	TESTQ to, to; \
	JEQ label; \
	VPSRLD $shift, Y3, Y1; \
	VPAND Y6, Y1, Y1; \
	VCVTDQ2PS Y1, Y1; \
	VMULPS Y7, Y1, Y2; \
	VFMADD231PS Y8, Y1, Y2; \
	VMOVUPS Y2, (to)(AX*1)

// func texelsVector(lanes int, r *reading)
//
// Eight lanes that look at texels of which none is more than seven behind that of the first lane have what they look at in one vector, in some order.
TEXT ·texelsVector(SB), NOSPLIT, $0-16
	MOVQ lanes+0(FP), CX
	MOVQ r+8(FP), BX
	MOVQ 0(BX), SI
	MOVQ 8(BX), R8
	MOVQ 16(BX), R9
	MOVQ 24(BX), R10
	MOVQ 32(BX), DI
	MOVQ 40(BX), R11
	MOVQ 48(BX), R12
	MOVQ 56(BX), R13
	VMOVQ 64(BX), X10
	VPBROADCASTD 72(BX), Y15
	VPBROADCASTD 76(BX), Y14
	VPBROADCASTD 80(BX), Y13
	VPBROADCASTD 84(BX), Y12
	VPBROADCASTD 88(BX), Y11
	MOVL 92(BX), R15
	VBROADCASTSS 96(BX), Y8
	VBROADCASTSS 100(BX), Y7
	MOVQ 104(BX), DX
	VPBROADCASTD seven<>(SB), Y9
	VPBROADCASTD byte<>(SB), Y6
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VPMINUD (R8)(AX*1), Y15, Y0
	TESTQ R9, R9
	JEQ found
	VPMINUD (R9)(AX*1), Y14, Y1
	TESTQ R10, R10
	JEQ row
	VPMINUD (R10)(AX*1), Y13, Y2
	VPMULLD Y11, Y2, Y2
	VPADDD Y2, Y1, Y1

row:
	VPMULLD Y12, Y1, Y1
	VPADDD Y1, Y0, Y0

found:
	VPSLLD X10, Y0, Y1
	VPBROADCASTD X0, Y2
	VPSUBD Y2, Y0, Y0
	VPMINUD Y9, Y0, Y3
	VPCMPEQD Y3, Y0, Y3
	VPMOVMSKB Y3, BX
	CMPL BX, $-1
	JNE gather
	VMOVD X1, BX
	CMPQ BX, DX
	JGT gather
	VPERMD (SI)(BX*1), Y0, Y3

words:
	TESTL R15, R15
	JNE unorms
	VMOVDQU Y3, (DI)(AX*1)

next:
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

gather:
	VPCMPEQD Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPGATHERDD Y2, (SI)(Y1*1), Y3
	JMP words

unorms:
	CHANNEL(0, DI, second)

second:
	CHANNEL(8, R11, third)

third:
	CHANNEL(16, R12, fourth)

fourth:
	CHANNEL(24, R13, next)
	JMP next
