package amd64

// The instructions of vectors.
const (
	// Moves. VMovAPS, VMovNTPS and VMovNTDQ fault if the address is no multiple of the width.
	VMovUPS Op = firstVector + iota
	VMovUPD
	VMovAPS
	VMovDQU
	VMovNTPS
	VMovNTDQ
	VMovD // 32 bits between a general register or memory and a vector
	VMovQ // 64 bits
	VMaskMovPS
	VMaskMovPD
	VPMaskMovD
	VPMaskMovQ
	VPGatherDD
	VPGatherDQ
	VPGatherQD
	VPGatherQQ
	VMovMskPS
	VZeroUpper
	// Lanes.
	VBroadcastSS
	VBroadcastSD
	VPBroadcastD
	VPBroadcastQ
	VInsertF128
	VInsertI128
	VExtractF128
	VExtractI128
	VPInsrD
	VPermD
	VPermQ
	VPermPD
	VPerm2I128
	VPerm2F128
	VShufPS
	VPShufB
	VPUnpckLDQ
	VPUnpckHDQ
	VPUnpckLQDQ
	VPUnpckHQDQ
	VPackUSDW
	VPackSSDW
	VPMovZXWD
	VPMovZXDQ
	VPMovSXWD
	VPMovSXDQ
	VBlendVPS
	VBlendVPD
	VPBlendVB
	// Integers.
	VPAddB
	VPAddW
	VPAddD
	VPAddQ
	VPSubB
	VPSubW
	VPSubD
	VPSubQ
	VPMullW
	VPMullD
	VPMulDQ
	VPMulUDQ
	VPMAddWD
	VPAnd
	VPAndN
	VPOr
	VPXor
	VPSllW
	VPSllD
	VPSllQ
	VPSrlW
	VPSrlD
	VPSrlQ
	VPSraW
	VPSraD
	VPSllVD
	VPSllVQ
	VPSrlVD
	VPSrlVQ
	VPSraVD
	VPCmpEqB
	VPCmpEqW
	VPCmpEqD
	VPCmpEqQ
	VPCmpGtB
	VPCmpGtW
	VPCmpGtD
	VPCmpGtQ
	VPMinSD
	VPMinUD
	VPMaxSD
	VPMaxUD
	VPAbsD
	VPSignD
	VPTest

	firstFloat
)

// The instructions of floats.
const (
	VAndPS Op = firstFloat + iota
	VAndPD
	VAndNPS
	VAndNPD
	VOrPS
	VOrPD
	VXorPS
	VXorPD
	VAddPS
	VAddPD
	VAddSS
	VSubPS
	VSubPD
	VMulPS
	VMulPD
	VDivPS
	VDivPD
	// VMinPS and its like return the second operand if one is a NaN, or both are zeros.
	VMinPS
	VMinPD
	VMaxPS
	VMaxPD
	VSqrtPS
	VSqrtPD
	VCmpPS
	VCmpPD
	VCmpSS
	VCmpSD
	VUComISS
	VRoundPS
	VRoundPD
	// Conversions. Those that end with I take and give integers in general registers, whose width
	// is that of the instruction.
	VCvtDQ2PS
	VCvtTPS2DQ
	VCvtDQ2PD
	VCvtTPD2DQ
	VCvtPS2PD
	VCvtPD2PS
	VCvtPH2PS
	VCvtPS2PH
	// Fused multiplication and addition: of operands 1, 2 and 3 the digits say which two are
	// multiplied, and to which that is added.
	VFMAdd132PS
	VFMAdd132PD
	VFMAdd213PS
	VFMAdd213PD
	VFMAdd231PS
	VFMAdd231PD

	// Ops is how many there are.
	Ops
)
