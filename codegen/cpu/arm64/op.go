package arm64

// This file enumerates the instructions. Names are those of the mnemonics; of vectors, with a V in
// front.

// Op is an instruction by its meaning. Numbers are dense, from 0 on.
type Op uint16

// The instructions, in the order of the tables.
const (
	// Vectors: integers and bits, then floats.
	VAdd Op = iota
	VSub
	VMul
	VSMax
	VUMax
	VSMin
	VUMin
	VSShl
	VUShl
	VCmEq
	VCmGt
	VCmLt
	VCmHi
	VCmTst
	VAnd
	VBic
	VOrr
	VEor
	VBsl
	VBit
	VBif
	VAbs
	VNeg
	VCnt
	VNot
	VShl
	VSShr
	VUShr
	VFAdd
	VFSub
	VFMul
	VFDiv
	VFMla
	VFCmEq
	VFCmGt
	VFCmGe
	VFSqrt
	VFRintN
	VFRintM
	VFRintP
	VFRintZ
	// By one element of the last vector.

	// Conversions of elements. What ends with L makes them twice as wide, with N half as wide.
	VSCvtF
	VFCvtZS
	VFCvtL
	VFCvtN
	VXtn
	VSQXtn
	VSQXtun
	VSShll
	VUShll
	VSMulL
	VUMulL

	// Elements and their indices. VTbl2 looks into two vectors; VMovI, VMvnI and VFMov make vectors
	// of an immediate.
	VUzp1
	VUzp2
	VZip1
	VZip2
	VTbl
	VTbl2
	VDup
	VIns
	VUMov
	VAddV
	VSMaxV
	VUMaxV
	VMovI
	VMvnI
	VFMov

	// Memory. Ldr and Str are of general registers or single elements, by the shape. Ld1x2 to Ld1x4
	// are of so many vectors in a row. Ld1R loads one element of memory into all elements of a
	// vector.
	Ldr
	Str
	LdrB
	StrB
	LdrH
	StrH
	LdrSB
	LdrSH
	LdrSW
	Ldp
	Stp
	Ld1
	Ld1x2
	Ld1x3
	Ld1x4
	St1
	St1x2
	St1x3
	St1x4
	Ld1R
	LdAr
	StLr
	LdXr
	LdAxr
	StXr
	StLxr
	// Ld1E and St1E are of the element Amount.
	Ld1E
	St1E
	// What reads and changes memory at once (LSE), which processors from Armv8.1 on have: the first
	// register is added and so on, the second gets what was there.
	LdAddAL
	LdClrAL
	LdEorAL
	LdSetAL
	LdSMaxAL
	LdSMinAL
	LdUMaxAL
	LdUMinAL
	SwpAL
	CasAL
	// Order and caches.
	DmbIsh
	DmbIshLd
	DmbIshSt
	DsbIsh
	Isb
	DcCvau
	IcIvau

	// General registers, single floats, jumps.
	Add
	Adds
	Sub
	Subs
	Adc
	Adcs
	Sbc
	Sbcs
	And
	Orr
	Eor
	Ands
	Orn
	Bics
	MovZ
	MovN
	MovK
	Lsl
	Lsr
	Asr
	Ubfx
	Sbfx
	Bfi
	LslV
	LsrV
	AsrV
	Rbit
	Clz
	MAdd
	CSel
	CSInc
	CSInv
	CSNeg
	CCmp
	CCmn
	FMov
	FCmp
	FCSel
	// To floats twice as wide, and half as wide; from and to general registers of 32 and 64 bits.
	B
	Bl
	Bcc
	Cbz
	Cbnz
	Tbz
	Tbnz
	Br
	Blr
	Ret
	Adr
	Brk
	Nop

	// Ops is how many there are.
	Ops
)
