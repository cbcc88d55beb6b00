#include "textflag.h"

// What cube.go has in Go, for processors with AVX2: eight lanes at a time.

DATA sixth<>+0(SB)/4, $43691
GLOBL sixth<>(SB), RODATA|NOPTR, $4

// ALONG makes a column or row on another face of the number along the edge in Y4: times 1, -1 or 0, which is the sign of Y5, and from the other end where Y3 says so.
#define ALONG(to) \
	VPSIGND Y5, Y4, to; \
	VPAND Y14, Y3, Y3; \
	VPADDD Y3, to, to

// WORD reads the texels in the columns Y0 and rows Y1 of the faces Y8, inside of these.
#define WORD(to) \
	VPMINUD Y14, Y0, Y0; \
	VPMINUD Y14, Y1, Y1; \
	VPMULLD Y15, Y8, Y8; \
	VPADDD Y1, Y8, Y8; \
	VPMULLD Y15, Y8, Y8; \
	VPADDD Y0, Y8, Y8; \
	VPSLLD X9, Y8, Y8; \
	VPADDD (R15)(AX*1), Y8, Y8; \
	VPCMPEQD Y5, Y5, Y5; \
	VPXOR Y6, Y6, Y6; \
	VPGATHERDD Y5, (SI)(Y8*1), Y6; \
	VMOVDQU Y6, to(DI)(AX*1)

// CROSSED reads the texels of a corner, in the columns Y0 and rows Y1. Y2 holds where the columns are beyond an edge, of one side, and Y3 where the rows are,
// of another; what is known of the sides stands in a table at one and at other.
#define CROSSED(one, other, to) \
	VBLENDVPS Y2, Y1, Y0, Y4; \
	VPMINUD Y14, Y4, Y4; \
	VPERMD other(R13), Y11, Y5; \
	VPERMD one(R13), Y11, Y6; \
	VBLENDVPS Y2, Y6, Y5, Y7; \
	VPOR Y3, Y2, Y6; \
	VPSLLD $30, Y7, Y5; \
	VPSLLD $29, Y7, Y3; \
	VPSRAD $31, Y3, Y3; \
	ALONG(Y8); \
	VBLENDVPS Y6, Y8, Y0, Y0; \
	VPSLLD $24, Y7, Y5; \
	VPSRAD $30, Y5, Y5; \
	VPSLLD $23, Y7, Y3; \
	VPSRAD $31, Y3, Y3; \
	ALONG(Y8); \
	VBLENDVPS Y6, Y8, Y1, Y1; \
	VPSRLD $16, Y7, Y8; \
	VPADDD Y12, Y8, Y8; \
	VBLENDVPS Y6, Y8, Y13, Y8; \
	WORD(to)

// func aroundVector(lanes int, a *around)
TEXT ·aroundVector(SB), NOSPLIT, $0-16
	MOVQ lanes+0(FP), CX
	MOVQ a+8(FP), BX
	MOVQ 0(BX), SI
	MOVQ 8(BX), R8
	MOVQ 16(BX), R9
	MOVQ 24(BX), R10
	MOVQ 32(BX), R11
	MOVQ 40(BX), R12
	MOVQ 56(BX), R15
	MOVQ 64(BX), DI
	MOVQ 72(BX), R13
	VMOVQ 80(BX), X9
	SHRQ $3, CX
	XORQ AX, AX

loop:
	MOVQ 48(BX), DX
	VMOVDQU (DX)(AX*1), Y15
	VPCMPEQD Y5, Y5, Y5
	VPADDD Y5, Y15, Y14
	VMOVDQU (R12)(AX*1), Y13

	// Y10 is where columns are beyond an edge, and Y7 where rows are.
	VPCMPEQD (R9)(AX*1), Y15, Y10
	VPOR (R8)(AX*1), Y10, Y10
	VPSRAD $31, Y10, Y10
	VPCMPEQD (R11)(AX*1), Y15, Y7
	VPOR (R10)(AX*1), Y7, Y7
	VPSRAD $31, Y7, Y7
	VPOR Y7, Y10, Y6
	VPTEST Y6, Y6
	JEQ inside
	VPAND Y7, Y10, Y10
	VMOVMSKPS Y10, DX
	SHRQ $5, AX
	ORB DX, 96(BX)(AX*1)
	SHLQ $5, AX

	// The first face of the cube, and the number of the face in it.
	VPBROADCASTD sixth<>(SB), Y5
	VPMULLD Y5, Y13, Y12
	VPSRLD $18, Y12, Y12
	VPADDD Y12, Y12, Y5
	VPADDD Y5, Y12, Y12
	VPADDD Y12, Y12, Y12
	VPSUBD Y12, Y13, Y11
	VMOVDQU (R8)(AX*1), Y0
	VMOVDQU (R10)(AX*1), Y1
	VPSRAD $31, Y0, Y2
	VPSRAD $31, Y1, Y3
	CROSSED(0, 64, 0)
	VMOVDQU (R9)(AX*1), Y0
	VMOVDQU (R10)(AX*1), Y1
	VPCMPEQD Y0, Y15, Y2
	VPSRAD $31, Y1, Y3
	CROSSED(32, 64, 1024)
	VMOVDQU (R8)(AX*1), Y0
	VMOVDQU (R11)(AX*1), Y1
	VPSRAD $31, Y0, Y2
	VPCMPEQD Y1, Y15, Y3
	CROSSED(0, 96, 2048)
	VMOVDQU (R9)(AX*1), Y0
	VMOVDQU (R11)(AX*1), Y1
	VPCMPEQD Y0, Y15, Y2
	VPCMPEQD Y1, Y15, Y3
	CROSSED(32, 96, 3072)

next:
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

inside:
	VMOVDQU (R8)(AX*1), Y0
	VMOVDQU (R10)(AX*1), Y1
	VMOVDQU Y13, Y8
	WORD(0)
	VMOVDQU (R9)(AX*1), Y0
	VMOVDQU Y13, Y8
	WORD(1024)
	VMOVDQU (R8)(AX*1), Y0
	VMOVDQU (R11)(AX*1), Y1
	VMOVDQU Y13, Y8
	WORD(2048)
	VMOVDQU (R9)(AX*1), Y0
	VMOVDQU Y13, Y8
	WORD(3072)
	JMP next
