#include "textflag.h"

// func call(code uintptr, context unsafe.Pointer) uint64
//
// The frame is there for the code that is called. It makes the goroutine's stack grow before the call if it is too small, and nothing
// moves it during the call, since the runtime takes no address outside of Go's code for a point at which it can stop a goroutine. ISB
// has this processor forget what it has read ahead of code that was written by another.
TEXT ·call(SB), 0, $4128-24
	MOVD code+0(FP), R9
	MOVD context+8(FP), R0
	MOVD $stack-4112(SP), R1
	AND  $~15, R1, R1
	ISB  $15
	CALL (R9)
	MOVD R0, ret+16(FP)
	RET

// func clean(from, to uintptr)
//
// Lines of caches have 16 bytes or more (Arm ARM, CTR_EL0); to take the least saves asking.
TEXT ·clean(SB), NOSPLIT, $0-16
	MOVD from+0(FP), R0
	MOVD to+8(FP), R1
	MOVD R0, R2

data:
	WORD $0xD50B7B22 // dc cvau, x2
	ADD  $16, R2
	CMP  R1, R2
	BLO  data
	DSB  $11 // ish
	MOVD R0, R2

instructions:
	WORD $0xD50B7522 // ic ivau, x2
	ADD  $16, R2
	CMP  R1, R2
	BLO  instructions
	DSB  $11
	ISB  $15
	RET
