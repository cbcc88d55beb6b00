#include "textflag.h"

// What filter.go has in Go, for processors with AVX2, FMA and F16C: eight lanes at a time.

DATA half<>+0(SB)/4, $0x3F000000
GLOBL half<>(SB), RODATA|NOPTR, $4
DATA farthest<>+0(SB)/4, $0x4E800000
GLOBL farthest<>(SB), RODATA|NOPTR, $4
DATA nearest<>+0(SB)/4, $0xCE800000
GLOBL nearest<>(SB), RODATA|NOPTR, $4

// WRAP makes the number i of a texel one of 0 to the period in Y8, whose float is in Y2, if i is not too far away; a float's quotient may be one
// too small or too large. Y5 and Y6 are used.
#define WRAP(i) \
	VCVTDQ2PS i, Y5; \
	VDIVPS Y2, Y5, Y5; \
	VROUNDPS $1, Y5, Y5; \
	VCVTTPS2DQ Y5, Y5; \
	VPMULLD Y8, Y5, Y5; \
	VPSUBD Y5, i, i; \
	VPSRAD $31, i, Y6; \
	VPAND Y8, Y6, Y6; \
	VPADDD Y6, i, i; \
	VPSUBD Y8, i, Y6; \
	VPMINUD Y6, i, i

// REFLECT makes the upper half of a period the lower one backward: of i and the period less one less i it takes the smaller.
#define REFLECT(i) \
	VPSUBD Y11, Y8, Y6; \
	VPSUBD i, Y6, Y6; \
	VPMINUD Y6, i, i

// INSIDE makes Y6 all ones where i is from 0 to Y7.
#define INSIDE(i) \
	VPMINUD Y7, i, Y6; \
	VPCMPEQD i, Y6, Y6

// LESS subtracts some periods from Y4 where there are as many in it.
#define LESS(some) \
	VPSUBD some, Y4, Y5; \
	VPMINUD Y5, Y4, Y4

// NEXT leaves in Y4 what follows Y3: one more, or the first behind the last.
#define NEXT \
	VPADDD Y11, Y3, Y4; \
	VPCMPEQD Y8, Y4, Y6; \
	VPANDN Y4, Y6, Y4

// func findVector(lanes int, a *axis) bool
TEXT ·findVector(SB), NOSPLIT, $0-17
	MOVQ lanes+0(FP), CX
	MOVQ a+8(FP), BX
	MOVQ 0(BX), SI
	MOVQ 8(BX), R8
	MOVQ 16(BX), DI
	MOVQ 24(BX), R9
	MOVQ 32(BX), R10
	VPBROADCASTD 40(BX), Y15
	MOVL 44(BX), R11
	VBROADCASTSS half<>(SB), Y14
	VBROADCASTSS farthest<>(SB), Y13
	VBROADCASTSS nearest<>(SB), Y12
	VPCMPEQD Y10, Y10, Y10
	VPSRLD $31, Y10, Y11
	VPXOR Y9, Y9, Y9
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVDQU (R8)(AX*1), Y1
	VCVTDQ2PS Y1, Y2
	VMULPS (SI)(AX*1), Y2, Y0
	VPSUBD Y11, Y1, Y7
	TESTQ R9, R9
	JEQ whole
	VSUBPS Y14, Y0, Y0

whole:
	VCMPPS $7, Y0, Y0, Y3
	VANDPS Y3, Y0, Y0
	VMINPS Y13, Y0, Y0
	VMAXPS Y12, Y0, Y0
	VROUNDPS $1, Y0, Y3
	VCVTTPS2DQ Y3, Y3
	TESTQ R9, R9
	JEQ outside
	VCVTDQ2PS Y3, Y4
	VSUBPS Y4, Y0, Y0
	VMOVUPS Y0, (R10)(AX*1)

outside:
	CMPL R11, $3
	JEQ cube
	VPADDD Y15, Y3, Y3
	VPADDD Y11, Y3, Y4
	TESTL R11, R11
	JNE repeat
	VPMAXSD Y9, Y3, Y3
	VPMINSD Y7, Y3, Y3
	VPMAXSD Y9, Y4, Y4
	VPMINSD Y7, Y4, Y4

store:
	VMOVDQU Y3, (DI)(AX*1)
	TESTQ R9, R9
	JEQ next
	VMOVDQU Y4, (R9)(AX*1)

next:
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VPMOVMSKB Y10, AX
	CMPL AX, $-1
	SETEQ ret+16(FP)
	VZEROUPPER
	RET

cube:
	VPCMPEQD Y5, Y5, Y5
	VPMAXSD Y5, Y3, Y3
	VPMINSD Y7, Y3, Y3
	VPADDD Y11, Y3, Y4
	JMP store

repeat:
	VMOVDQU Y1, Y8
	CMPL R11, $2
	JNE period
	VPADDD Y1, Y1, Y8

period:
	VPSLLD $2, Y8, Y6
	VPADDD Y6, Y3, Y4
	VPSLLD $3, Y8, Y5
	VPSUBD Y11, Y5, Y5
	VPMINUD Y4, Y5, Y5
	VPCMPEQD Y4, Y5, Y5
	VPMOVMSKB Y5, DX
	CMPL DX, $-1
	JNE far

	// Within four periods on either side, what is added to make it positive is subtracted again as far as it goes.
	LESS(Y6)
	VPSRLD $1, Y6, Y6
	LESS(Y6)
	LESS(Y8)
	VMOVDQU Y4, Y3
	TESTQ R9, R9
	JEQ one
	NEXT
	CMPL R11, $2
	JNE store
	REFLECT(Y3)
	REFLECT(Y4)
	JMP store

one:
	CMPL R11, $2
	JNE store
	REFLECT(Y3)
	JMP store

far:
	VCVTDQ2PS Y8, Y2
	WRAP(Y3)
	NEXT
	CMPL R11, $2
	JNE wrapped
	REFLECT(Y3)
	REFLECT(Y4)

wrapped:
	INSIDE(Y3)
	VPAND Y6, Y10, Y10
	INSIDE(Y4)
	VPAND Y6, Y10, Y10
	JMP store

// func readVector(lanes int, f *fetch)
//
// Eight lanes that look at words of which none is more than seven behind that of the first lane have what they look at in one vector, in some order.
TEXT ·readVector(SB), NOSPLIT, $8-16
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
	MOVQ 72(BX), DX
	VPCMPEQD Y14, Y14, Y14
	VPSRLD $29, Y14, Y13
	MOVL 96(BX), BX
	SUBQ $24, BX
	MOVQ BX, end-8(SP)
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VPADDD (R13)(AX*1), Y14, Y0
	VPMINUD (R10)(AX*1), Y0, Y0
	VMOVDQU (R12)(AX*1), Y1
	VPMULLD Y1, Y0, Y0
	VPADDD Y14, Y1, Y1
	VPMINUD (R9)(AX*1), Y1, Y1
	VPADDD Y1, Y0, Y0
	VMOVDQU (R11)(AX*1), Y1
	VPMULLD Y1, Y0, Y0
	VPADDD Y14, Y1, Y1
	VPMINUD (R8)(AX*1), Y1, Y1
	VPADDD Y1, Y0, Y0
	VPSLLD X15, Y0, Y0
	VPADDD (R15)(AX*1), Y0, Y0
	CMPQ DX, $2
	JNE gather
	VPBROADCASTD X0, Y1
	VPSUBD Y1, Y0, Y1
	VPSRLD $2, Y1, Y1
	VPMINUD Y13, Y1, Y2
	VPCMPEQD Y1, Y2, Y2
	VPMOVMSKB Y2, BX
	CMPL BX, $-1
	JNE gather
	VMOVD X0, BX
	CMPQ BX, end-8(SP)
	JGT gather
	VPERMD (SI)(BX*1), Y1, Y3
	VMOVDQU Y3, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

gather:
	VPCMPEQD Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPGATHERDD Y2, (SI)(Y0*1), Y3
	VMOVDQU Y3, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func unormVector(lanes int, to, from unsafe.Pointer, f *field)
TEXT ·unormVector(SB), NOSPLIT, $0-32
	MOVQ lanes+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ from+16(FP), SI
	MOVQ f+24(FP), BX
	VMOVD 0(BX), X15
	VPBROADCASTD 4(BX), Y14
	VBROADCASTSS 8(BX), Y13
	VBROADCASTSS 12(BX), Y12
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVDQU (SI)(AX*1), Y0
	VPSRLD X15, Y0, Y0
	VPAND Y14, Y0, Y0
	VCVTDQ2PS Y0, Y0
	VMULPS Y12, Y0, Y1
	VFMADD231PS Y13, Y0, Y1
	VMOVUPS Y1, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func halvesVector(lanes int, to, from unsafe.Pointer, f *field)
TEXT ·halvesVector(SB), NOSPLIT, $0-32
	MOVQ lanes+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ from+16(FP), SI
	MOVQ f+24(FP), BX
	VMOVD 0(BX), X15
	VPBROADCASTD 4(BX), Y14
	VMOVD 16(BX), X13
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVDQU (SI)(AX*1), Y0
	VPSRLD X15, Y0, Y0
	VPAND Y14, Y0, Y0
	VPSLLD X13, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKUSDW X1, X0, X0
	VCVTPH2PS X0, Y0
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func betweenVector(lanes int, to, four, across, down unsafe.Pointer)
TEXT ·betweenVector(SB), NOSPLIT, $0-40
	MOVQ lanes+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ four+16(FP), SI
	MOVQ across+24(FP), R8
	MOVQ down+32(FP), R9
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVUPS (R8)(AX*1), Y4
	VMOVUPS (SI)(AX*1), Y0
	VMOVUPS 1024(SI)(AX*1), Y1
	VMOVUPS 2048(SI)(AX*1), Y2
	VMOVUPS 3072(SI)(AX*1), Y3
	VSUBPS Y0, Y1, Y1
	VMULPS Y4, Y1, Y1
	VADDPS Y1, Y0, Y0
	VSUBPS Y2, Y3, Y3
	VMULPS Y4, Y3, Y3
	VADDPS Y3, Y2, Y2
	VSUBPS Y0, Y2, Y2
	VMULPS (R9)(AX*1), Y2, Y2
	VADDPS Y2, Y0, Y0
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// NUMBER makes numbers from 0 to 1 of parts of the words at a place.
#define NUMBER(at, number) \
	VMOVDQU at(SI)(AX*1), Y5; \
	VPSRLD X15, Y5, Y5; \
	VPAND Y14, Y5, Y5; \
	VCVTDQ2PS Y5, Y5; \
	VMULPS Y12, Y5, number; \
	VFMADD231PS Y13, Y5, number

// func betweenUnormsVector(lanes int, to, four, across, down unsafe.Pointer, f *field)
TEXT ·betweenUnormsVector(SB), NOSPLIT, $0-48
	MOVQ lanes+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ four+16(FP), SI
	MOVQ across+24(FP), R8
	MOVQ down+32(FP), R9
	MOVQ f+40(FP), BX
	VMOVD 0(BX), X15
	VPBROADCASTD 4(BX), Y14
	VBROADCASTSS 8(BX), Y13
	VBROADCASTSS 12(BX), Y12
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVUPS (R8)(AX*1), Y4
	NUMBER(0, Y0)
	NUMBER(1024, Y1)
	NUMBER(2048, Y2)
	NUMBER(3072, Y3)
	VSUBPS Y0, Y1, Y1
	VMULPS Y4, Y1, Y1
	VADDPS Y1, Y0, Y0
	VSUBPS Y2, Y3, Y3
	VMULPS Y4, Y3, Y3
	VADDPS Y3, Y2, Y2
	VSUBPS Y0, Y2, Y2
	VMULPS (R9)(AX*1), Y2, Y2
	VADDPS Y2, Y0, Y0
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func mixVector(lanes int, to, other, weight unsafe.Pointer)
TEXT ·mixVector(SB), NOSPLIT, $0-32
	MOVQ lanes+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ other+16(FP), SI
	MOVQ weight+24(FP), R8
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVUPS (DI)(AX*1), Y0
	VMOVUPS (SI)(AX*1), Y1
	VSUBPS Y0, Y1, Y1
	VMULPS (R8)(AX*1), Y1, Y1
	VADDPS Y1, Y0, Y0
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func turnVector(lanes int, t *turn)
TEXT ·turnVector(SB), NOSPLIT, $0-16
	MOVQ lanes+0(FP), CX
	MOVQ t+8(FP), BX
	MOVQ 0(BX), SI
	MOVQ 8(BX), DX
	MOVQ 16(BX), R8
	MOVQ 24(BX), R9
	MOVQ 32(BX), R10
	MOVQ 40(BX), R11
	MOVQ 48(BX), DI
	VPBROADCASTD 56(BX), Y15
	VBROADCASTSS half<>(SB), Y14
	VPCMPEQD Y13, Y13, Y13
	VPSRLD $31, Y13, Y11
	VPSLLD $31, Y13, Y13
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVUPS (SI)(AX*1), Y0
	VMOVUPS (DX)(AX*1), Y1
	VMOVUPS (R8)(AX*1), Y2
	VANDNPS Y0, Y13, Y3
	VANDNPS Y1, Y13, Y4
	VANDNPS Y2, Y13, Y5
	VCMPPS $0x1D, Y3, Y5, Y6
	VCMPPS $0x1D, Y4, Y5, Y7
	VANDPS Y7, Y6, Y6
	VCMPPS $0x1D, Y3, Y4, Y7
	VANDNPS Y7, Y6, Y7

	// Y6 says where z is the largest, Y7 where y is, and Y3 becomes that component.
	VBLENDVPS Y7, Y1, Y0, Y3
	VBLENDVPS Y6, Y2, Y3, Y3
	VANDPS Y13, Y3, Y4
	VANDNPS Y3, Y13, Y3

	// Across goes -z or z on the faces of x, x on those of y, and x or -x on those of z.
	VXORPS Y4, Y13, Y8
	VXORPS Y8, Y2, Y8
	VBLENDVPS Y7, Y0, Y8, Y8
	VXORPS Y4, Y0, Y9
	VBLENDVPS Y6, Y9, Y8, Y8

	// Down goes z or -z on the faces of y, and -y on the others.
	VXORPS Y13, Y1, Y9
	VXORPS Y4, Y2, Y10
	VBLENDVPS Y7, Y10, Y9, Y9
	VDIVPS Y3, Y8, Y8
	VMULPS Y14, Y8, Y8
	VADDPS Y14, Y8, Y8
	VMOVUPS Y8, (R10)(AX*1)
	VDIVPS Y3, Y9, Y9
	VMULPS Y14, Y9, Y9
	VADDPS Y14, Y9, Y9
	VMOVUPS Y9, (R11)(AX*1)

	// The face is 4 for z, 2 for y, 0 for x, and one more for a negative component.
	VPSRLD $31, Y4, Y4
	VPADDD Y11, Y11, Y8
	VPAND Y8, Y7, Y9
	VPADDD Y8, Y8, Y8
	VPAND Y8, Y6, Y10
	VPADDD Y9, Y4, Y4
	VPADDD Y10, Y4, Y4
	VPMINUD (R9)(AX*1), Y15, Y5
	VPADDD Y5, Y5, Y5
	VPADDD Y5, Y4, Y4
	VPADDD Y5, Y5, Y5
	VPADDD Y5, Y4, Y4
	VMOVDQU Y4, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func compareVector(lanes int, c *comparison)
TEXT ·compareVector(SB), NOSPLIT, $0-16
	MOVQ lanes+0(FP), CX
	MOVQ c+8(FP), BX
	MOVQ 0(BX), DI
	MOVQ 8(BX), SI
	MOVQ 40(BX), R8
	VPBROADCASTD 16(BX), Y15
	VPBROADCASTD 20(BX), Y14
	VPBROADCASTD 24(BX), Y13
	VPBROADCASTD 28(BX), Y12
	VBROADCASTSS 32(BX), Y11
	VBROADCASTSS 36(BX), Y10
	VPCMPEQD Y9, Y9, Y9
	VPSLLD $25, Y9, Y9
	VPSRLD $2, Y9, Y9
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMAXPS (SI)(AX*1), Y11, Y0
	VMINPS Y0, Y10, Y0
	VMOVUPS (R8)(AX*1), Y1
	VCMPPS $0x11, Y1, Y0, Y2
	VANDPS Y15, Y2, Y2
	VCMPPS $0, Y1, Y0, Y3
	VANDPS Y14, Y3, Y3
	VORPS Y3, Y2, Y2
	VCMPPS $0x1E, Y1, Y0, Y3
	VANDPS Y13, Y3, Y3
	VORPS Y3, Y2, Y2
	VCMPPS $3, Y1, Y0, Y3
	VANDPS Y12, Y3, Y3
	VORPS Y3, Y2, Y2
	VANDPS Y9, Y2, Y2
	VMOVUPS Y2, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func finestVector(lanes int, f *finest) bool
TEXT ·finestVector(SB), NOSPLIT, $0-17
	MOVQ lanes+0(FP), CX
	MOVQ f+8(FP), BX
	MOVQ 0(BX), SI
	MOVQ 8(BX), DI
	MOVQ 16(BX), R8
	MOVQ 24(BX), R9
	VBROADCASTSS 32(BX), Y15
	VBROADCASTSS 36(BX), Y14
	VPBROADCASTD 40(BX), Y13
	MOVL 44(BX), DX
	VCVTDQ2PS Y13, Y12
	VXORPS Y11, Y11, Y11
	VBROADCASTSS half<>(SB), Y10
	VPCMPEQD Y9, Y9, Y9
	VXORPS Y8, Y8, Y8
	SHRQ $3, CX
	XORQ AX, AX

loop:
	// What is no number becomes the lowest level, or 0 if that is none either.
	VMOVUPS (SI)(AX*1), Y0
	VMAXPS Y15, Y0, Y0
	VMINPS Y0, Y14, Y0
	VMAXPS Y11, Y0, Y0
	VMINPS Y12, Y0, Y0
	TESTL DX, DX
	JNE both
	VADDPS Y10, Y0, Y0
	VCVTTPS2DQ Y0, Y1
	VPMINUD Y13, Y1, Y1
	VMOVDQU Y1, (DI)(AX*1)
	VMOVDQU Y1, (R8)(AX*1)
	VMOVUPS Y11, (R9)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	JMP done

both:
	VCVTTPS2DQ Y0, Y1
	VMOVDQU Y1, (DI)(AX*1)
	VPSUBD Y9, Y1, Y2
	VPMINUD Y13, Y2, Y2
	VMOVDQU Y2, (R8)(AX*1)
	VCVTDQ2PS Y1, Y1
	VSUBPS Y1, Y0, Y0
	VMOVUPS Y0, (R9)(AX*1)
	VORPS Y0, Y8, Y8
	ADDQ $32, AX
	DECQ CX
	JNZ loop

done:
	VPTEST Y8, Y8
	SETNE ret+16(FP)
	VZEROUPPER
	RET

// FRACTION makes numbers from 0 to 1 of the words in Y1 and stores them.
#define FRACTION(to) \
	VCVTDQ2PS Y1, Y1; \
	VMULPS Y12, Y1, Y2; \
	VFMADD231PS Y13, Y1, Y2; \
	VMOVUPS Y2, (to)(AX*1)

// func unormsVector(lanes int, to *[4]unsafe.Pointer, from unsafe.Pointer, f *field)
TEXT ·unormsVector(SB), NOSPLIT, $0-32
	MOVQ lanes+0(FP), CX
	MOVQ to+8(FP), BX
	MOVQ 0(BX), R8
	MOVQ 8(BX), R9
	MOVQ 16(BX), R10
	MOVQ 24(BX), R11
	MOVQ from+16(FP), SI
	MOVQ f+24(FP), BX
	VPBROADCASTD 4(BX), Y14
	VBROADCASTSS 8(BX), Y13
	VBROADCASTSS 12(BX), Y12
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVDQU (SI)(AX*1), Y0
	VPAND Y14, Y0, Y1
	FRACTION(R8)
	VPSRLD $8, Y0, Y1
	VPAND Y14, Y1, Y1
	FRACTION(R9)
	VPSRLD $16, Y0, Y1
	VPAND Y14, Y1, Y1
	FRACTION(R10)
	VPSRLD $24, Y0, Y1
	FRACTION(R11)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func mixSomeVector(lanes int, to, other, weight unsafe.Pointer)
TEXT ·mixSomeVector(SB), NOSPLIT, $0-32
	MOVQ lanes+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ other+16(FP), SI
	MOVQ weight+24(FP), R8
	VXORPS Y3, Y3, Y3
	SHRQ $3, CX
	XORQ AX, AX

loop:
	VMOVUPS (DI)(AX*1), Y0
	VMOVUPS (SI)(AX*1), Y1
	VMOVUPS (R8)(AX*1), Y2
	VSUBPS Y0, Y1, Y1
	VMULPS Y2, Y1, Y1
	VADDPS Y1, Y0, Y1
	VCMPPS $0x1E, Y3, Y2, Y2
	VBLENDVPS Y2, Y1, Y0, Y0
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET
