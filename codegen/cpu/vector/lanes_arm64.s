#include "textflag.h"

// What moves.go has in Go, for arm64: eight lanes at a time, of which columns have a multiple.

DATA lanebits<>+0(SB)/8, $0x0000000200000001
DATA lanebits<>+8(SB)/8, $0x0000000800000004
DATA lanebits<>+16(SB)/8, $0x0000002000000010
DATA lanebits<>+24(SB)/8, $0x0000008000000040
GLOBL lanebits<>(SB), RODATA|NOPTR, $32

// STEPS makes first, first + step and so on of V0.S4 and V1.S4. The register of first changes.
#define STEPS(first, step, V0, V1) \
	VMOV first, V0.S[0]; \
	ADDW step, first, first; \
	VMOV first, V0.S[1]; \
	ADDW step, first, first; \
	VMOV first, V0.S[2]; \
	ADDW step, first, first; \
	VMOV first, V0.S[3]; \
	ADDW step, first, first; \
	VMOV first, V1.S[0]; \
	ADDW step, first, first; \
	VMOV first, V1.S[1]; \
	ADDW step, first, first; \
	VMOV first, V1.S[2]; \
	ADDW step, first, first; \
	VMOV first, V1.S[3]

// ALL compares V with all bits set: what is equal then is so. R10 and R12 change.
#define ALL(V) \
	VMOV V.D[0], R10; \
	VMOV V.D[1], R12; \
	AND R10, R12, R12; \
	CMN $1, R12

// func fillWordVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·fillWordVector(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	VLD1R (R2), [V0.S4]
	VORR V0.B16, V0.B16, V1.B16

fill:
	VST1.P [V0.S4, V1.S4], 32(R1)
	SUBS $8, R0
	BGT fill
	RET

// func fillLongVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·fillLongVector(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	VLD1R (R2), [V0.D2]
	VORR V0.B16, V0.B16, V1.B16
	VORR V0.B16, V0.B16, V2.B16
	VORR V0.B16, V0.B16, V3.B16

fill:
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R1)
	SUBS $8, R0
	BGT fill
	RET

// Blending writes what was there before in the other lanes: who calls it has the memory to itself.

// func blendWordVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·blendWordVector(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	MOVD b+24(FP), R3

blend:
	VLD1.P 32(R2), [V0.S4, V1.S4]
	VLD1.P 32(R3), [V2.S4, V3.S4]
	VLD1 (R1), [V4.S4, V5.S4]
	VBIT V2.B16, V0.B16, V4.B16
	VBIT V3.B16, V1.B16, V5.B16
	VST1.P [V4.S4, V5.S4], 32(R1)
	SUBS $8, R0
	BGT blend
	RET

// func blendFillWordVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·blendFillWordVector(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	MOVD b+24(FP), R3
	VLD1R (R2), [V0.S4]

blend:
	VLD1.P 32(R3), [V2.S4, V3.S4]
	VLD1 (R1), [V4.S4, V5.S4]
	VBIT V2.B16, V0.B16, V4.B16
	VBIT V3.B16, V0.B16, V5.B16
	VST1.P [V4.S4, V5.S4], 32(R1)
	SUBS $8, R0
	BGT blend
	RET

// A mask of longs has each word of the mask twice.

// func blendLongVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·blendLongVector(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	MOVD b+24(FP), R3
	ADD $7, R0
	AND $~7, R0

blend:
	VLD1.P 32(R2), [V0.D2, V1.D2]
	VLD1.P 16(R3), [V2.S4]
	VZIP2 V2.S4, V2.S4, V3.S4
	VZIP1 V2.S4, V2.S4, V2.S4
	VLD1 (R1), [V4.D2, V5.D2]
	VBIT V2.B16, V0.B16, V4.B16
	VBIT V3.B16, V1.B16, V5.B16
	VST1.P [V4.D2, V5.D2], 32(R1)
	SUBS $4, R0
	BGT blend
	RET

// func blendFillLongVector(n int, d, a, b, c unsafe.Pointer)
TEXT ·blendFillLongVector(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	MOVD b+24(FP), R3
	VLD1R (R2), [V0.D2]
	ADD $7, R0
	AND $~7, R0

blend:
	VLD1.P 16(R3), [V2.S4]
	VZIP2 V2.S4, V2.S4, V3.S4
	VZIP1 V2.S4, V2.S4, V2.S4
	VLD1 (R1), [V4.D2, V5.D2]
	VBIT V2.B16, V0.B16, V4.B16
	VBIT V3.B16, V0.B16, V5.B16
	VST1.P [V4.D2, V5.D2], 32(R1)
	SUBS $4, R0
	BGT blend
	RET

// func bitsVector(to *uint64, column unsafe.Pointer, lanes int)
TEXT ·bitsVector(SB), NOSPLIT, $0-24
	MOVD to+0(FP), R0
	MOVD column+8(FP), R1
	MOVD lanes+16(FP), R2
	MOVD $0x8040201008040201, R3
	VMOV R3, V31.D[0]

bits:
	VLD1.P 32(R1), [V0.S4, V1.S4]
	VUZP1 V1.H8, V0.H8, V0.H8
	VUZP1 V0.B16, V0.B16, V0.B16
	VAND V31.B8, V0.B8, V0.B8
	VADDV V0.B8, V0
	VMOV V0.B[0], R4
	MOVB.P R4, 1(R0)
	SUBS $8, R2
	BGT bits
	RET

// func expandVector(to unsafe.Pointer, mask *uint64, lanes int)
TEXT ·expandVector(SB), NOSPLIT, $0-24
	MOVD to+0(FP), R0
	MOVD mask+8(FP), R1
	MOVD lanes+16(FP), R2
	MOVD $lanebits<>(SB), R3
	VLD1 (R3), [V30.S4, V31.S4]

expand:
	MOVBU.P 1(R1), R4
	VDUP R4, V0.S4
	VCMTST V30.S4, V0.S4, V1.S4
	VCMTST V31.S4, V0.S4, V2.S4
	VST1.P [V1.S4, V2.S4], 32(R0)
	SUBS $8, R2
	BGT expand
	RET

// func followsVector(lanes int, column unsafe.Pointer, step uint32) bool
TEXT ·followsVector(SB), NOSPLIT, $0-25
	MOVD lanes+0(FP), R0
	MOVD column+8(FP), R1
	MOVWU step+16(FP), R2
	MOVWU (R1), R3
	STEPS(R3, R2, V0, V1)
	LSLW $3, R2, R4
	VDUP R4, V2.S4
	VCMEQ V0.S4, V0.S4, V3.S4

follows:
	VLD1.P 32(R1), [V4.S4, V5.S4]
	VCMEQ V0.S4, V4.S4, V4.S4
	VCMEQ V1.S4, V5.S4, V5.S4
	VAND V4.B16, V3.B16, V3.B16
	VAND V5.B16, V3.B16, V3.B16
	VADD V2.S4, V0.S4, V0.S4
	VADD V2.S4, V1.S4, V1.S4
	SUBS $8, R0
	BGT follows
	ALL(V3)
	CSET EQ, R6
	MOVB R6, ret+24(FP)
	RET

// Eight lanes that look at one word, or at neighbours, are one access. Others are read and stored one by one.

// WINDOW loads what R3 leads to: the window's base, what is added, the last place, the scale, the step, the bound in R4 to R9, of which the
// bound is in all lanes of V31, what is added in V30, the steps of eight lanes in V28 and V29, and seven of them in R11.
#define WINDOW \
	MOVD (R3), R4; \
	MOVWU 8(R3), R5; \
	MOVWU 12(R3), R6; \
	MOVWU 16(R3), R7; \
	MOVWU 20(R3), R8; \
	MOVWU 24(R3), R9; \
	VDUP R9, V31.S4; \
	VDUP R5, V30.S4; \
	MOVD ZR, R11; \
	STEPS(R11, R8, V28, V29); \
	MOVD $7, R11; \
	MUL R8, R11, R11

// PLACES makes of eight lanes of R2, which goes on, places in V0 and V1; the first one is in V2.
#define PLACES \
	VLD1.P 32(R2), [V0.S4, V1.S4]; \
	VUMIN V31.S4, V0.S4, V0.S4; \
	VUMIN V31.S4, V1.S4, V1.S4; \
	VADD V30.S4, V0.S4, V0.S4; \
	VADD V30.S4, V1.S4, V1.S4; \
	VDUP V0.S[0], V2.S4

// SAME compares the places with V3 and V4.
#define SAME(V3, V4) \
	VCMEQ V3.S4, V0.S4, V5.S4; \
	VCMEQ V4.S4, V1.S4, V6.S4; \
	VAND V5.B16, V6.B16, V5.B16; \
	ALL(V5)

// READ loads what a lane of V looks at to R12, or 0. A place outside reads the first word, which is always there.
#define READ(V, lane) \
	VMOV V.S[lane], R10; \
	CMPW R6, R10; \
	CSEL LS, R10, ZR, R12; \
	MUL R7, R12, R12; \
	MOVWU (R4)(R12), R12; \
	CSEL LS, R12, ZR, R12

// func gatherVector(lanes int, to, column unsafe.Pointer, w *window)
TEXT ·gatherVector(SB), NOSPLIT, $0-32
	MOVD lanes+0(FP), R0
	MOVD to+8(FP), R1
	MOVD column+16(FP), R2
	MOVD w+24(FP), R3
	WINDOW

loop:
	PLACES
	SAME(V2, V2)
	BEQ uniform
	VADD V28.S4, V2.S4, V3.S4
	VADD V29.S4, V2.S4, V4.S4
	SAME(V3, V4)
	BEQ run

gather:
	READ(V0, 0)
	VMOV R12, V3.S[0]
	READ(V0, 1)
	VMOV R12, V3.S[1]
	READ(V0, 2)
	VMOV R12, V3.S[2]
	READ(V0, 3)
	VMOV R12, V3.S[3]
	READ(V1, 0)
	VMOV R12, V4.S[0]
	READ(V1, 1)
	VMOV R12, V4.S[1]
	READ(V1, 2)
	VMOV R12, V4.S[2]
	READ(V1, 3)
	VMOV R12, V4.S[3]

next:
	VST1.P [V3.S4, V4.S4], 32(R1)
	SUBS $8, R0
	BGT loop
	RET

uniform:
	READ(V0, 0)
	VDUP R12, V3.S4
	VDUP R12, V4.S4
	JMP next

run:
	VMOV V0.S[0], R10
	ADD R11, R10, R12
	CMP R6, R12
	BHI gather
	MUL R7, R10, R10
	ADD R4, R10, R10
	VLD1 (R10), [V3.S4, V4.S4]
	JMP next

// WRITE stores a lane of words where that of places looks, if that is inside and the mask has the lane.
#define WRITE(places, mask, words, lane) \
	VMOV places.S[lane], R10; \
	VMOV mask.S[lane], R14; \
	CMPW R6, R10; \
	BHI 5(PC); \
	CBZ R14, 4(PC); \
	MUL R7, R10, R10; \
	VMOV words.S[lane], R12; \
	MOVW R12, (R4)(R10)

// func scatterVector(lanes int, from, column, mask unsafe.Pointer, w *window)
TEXT ·scatterVector(SB), NOSPLIT, $0-40
	MOVD lanes+0(FP), R0
	MOVD from+8(FP), R1
	MOVD column+16(FP), R2
	MOVD mask+24(FP), R13
	MOVD w+32(FP), R3
	WINDOW

loop:
	PLACES
	VLD1.P 32(R13), [V16.S4, V17.S4]
	VLD1.P 32(R1), [V18.S4, V19.S4]
	VORR V16.B16, V17.B16, V3.B16
	VMOV V3.D[0], R10
	VMOV V3.D[1], R12
	ORR R10, R12, R12
	CBZ R12, next
	CBZ R8, each
	VAND V16.B16, V17.B16, V3.B16
	ALL(V3)
	BNE each
	VADD V28.S4, V2.S4, V3.S4
	VADD V29.S4, V2.S4, V4.S4
	SAME(V3, V4)
	BNE each
	VMOV V0.S[0], R10
	ADD R11, R10, R12
	CMP R6, R12
	BHI each
	MUL R7, R10, R10
	ADD R4, R10, R10
	VST1 [V18.S4, V19.S4], (R10)

next:
	SUBS $8, R0
	BGT loop
	RET

each:
	WRITE(V0, V16, V18, 0)
	WRITE(V0, V16, V18, 1)
	WRITE(V0, V16, V18, 2)
	WRITE(V0, V16, V18, 3)
	WRITE(V1, V17, V19, 0)
	WRITE(V1, V17, V19, 1)
	WRITE(V1, V17, V19, 2)
	WRITE(V1, V17, V19, 3)
	JMP next
