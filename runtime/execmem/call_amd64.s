#include "textflag.h"

// func call(code uintptr, context unsafe.Pointer) uint64
//
// The frame is there for the code that is called: RSP is raised into it, and what had been its value lies where the code returns
// to, above what the code may use. The frame makes the goroutine's stack grow before the call if it is too small, and nothing moves it during
// the call, since the runtime takes no address outside of Go's code for a point at which it can stop a goroutine. The code may change
// all registers but RSP: those that Go keeps (R14, X15) are put back by the wrapper that the compiler makes for functions of ABI0, and
// BP by the epilogue.
TEXT ·call(SB), 0, $4240-24
	MOVQ code+0(FP), AX
	MOVQ context+8(FP), DI
	MOVQ SP, CX
	LEAQ 4176(SP), DX // StackBytes and the alignment
	ANDQ $~63, DX
	MOVQ CX, (DX)
	MOVQ DX, SP
	CALL AX
	MOVQ (SP), SP
	VZEROUPPER
	MOVQ AX, ret+16(FP)
	RET

// func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL subleaf+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() (low, high uint32)
TEXT ·xgetbv(SB), NOSPLIT, $0-8
	XORL CX, CX
	XGETBV
	MOVL AX, low+0(FP)
	MOVL DX, high+4(FP)
	RET
