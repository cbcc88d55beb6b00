package jit

import "github.com/gpuc/gpuc/codegen/cpu/amd64"

// folds says which operand of an instruction may be 32 bytes of memory instead of a register, if
// one may.
var folds = [amd64.Ops]uint8{
	amd64.VMovUPS: 1, amd64.VPShufB: 2, amd64.VPermQ: 1, amd64.VPerm2I128: 2, amd64.VShufPS: 2,
	amd64.VPUnpckLDQ: 2, amd64.VPUnpckHDQ: 2, amd64.VPackUSDW: 2,
	amd64.VBlendVPS: 2, amd64.VBlendVPD: 2, amd64.VPAddB: 2, amd64.VPAddD: 2, amd64.VPAddQ: 2, amd64.VPSubD: 2, amd64.VPSubQ: 2,
	amd64.VPMullD: 2, amd64.VPMulDQ: 2, amd64.VPMulUDQ: 2, amd64.VPAnd: 2, amd64.VPAndN: 2, amd64.VPOr: 2, amd64.VPXor: 2,
	amd64.VPSllVD: 2, amd64.VPSllVQ: 2, amd64.VPSrlVD: 2, amd64.VPSrlVQ: 2, amd64.VPSraVD: 2,
	amd64.VPCmpEqD: 2, amd64.VPCmpEqQ: 2, amd64.VPCmpGtD: 2, amd64.VPCmpGtQ: 2,
	amd64.VPMinSD: 2, amd64.VPMinUD: 2, amd64.VPMaxSD: 2, amd64.VPMaxUD: 2, amd64.VPAbsD: 1, amd64.VPSignD: 2, amd64.VPTest: 1,
	amd64.VAndPS: 2, amd64.VAndPD: 2, amd64.VOrPS: 2, amd64.VOrPD: 2, amd64.VXorPS: 2, amd64.VXorPD: 2,
	amd64.VAddPS: 2, amd64.VAddPD: 2, amd64.VSubPS: 2, amd64.VSubPD: 2, amd64.VMulPS: 2, amd64.VMulPD: 2, amd64.VDivPS: 2, amd64.VDivPD: 2,
	amd64.VMinPS: 2, amd64.VMinPD: 2, amd64.VMaxPS: 2, amd64.VMaxPD: 2, amd64.VSqrtPS: 1, amd64.VSqrtPD: 1,
	amd64.VCmpPS: 2, amd64.VCmpPD: 2, amd64.VRoundPS: 1, amd64.VRoundPD: 1,
	amd64.VCvtDQ2PS: 1, amd64.VCvtTPS2DQ: 1, amd64.VFMAdd213PS: 2, amd64.VFMAdd213PD: 2,
	amd64.VFMAdd231PS: 2, amd64.VFMAdd231PD: 2,
}

// takesMemory are the instructions of general registers whose second operand may be memory, and
// takesImmediate those where it may be an immediate.
var takesMemory = [amd64.Ops]bool{amd64.Mov: true, amd64.Add: true, amd64.Sub: true, amd64.And: true, amd64.Or: true, amd64.Xor: true, amd64.Cmp: true,
	amd64.IMul: true, amd64.MovSXD: true, amd64.PopCnt: true, amd64.LzCnt: true, amd64.TzCnt: true, amd64.Cmovcc: true}

var takesImmediate = [amd64.Ops]bool{amd64.Mov: true, amd64.Add: true, amd64.Sub: true, amd64.And: true, amd64.Or: true, amd64.Xor: true,
	amd64.Cmp: true, amd64.Test: true}

// isGeneral reports whether an instruction is one of general registers.
func isGeneral(o amd64.Op) bool { return o < amd64.VMovUPS }
