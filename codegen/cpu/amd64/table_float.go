package amd64

// This file has the rows of floats in vectors.

var floatRows = []row{
	{VAndPS, "vandps", v, 0x54, rvm, of{vw, vr, vrm}, 0, 0, commutes},
	{VAndPD, "vandpd", v66, 0x54, rvm, of{vw, vr, vrm}, 0, 0, commutes},
	{VAndNPS, "vandnps", v, 0x55, rvm, of{vw, vr, vrm}, 0, 0, cleared},
	{VAndNPD, "vandnpd", v66, 0x55, rvm, of{vw, vr, vrm}, 0, 0, cleared},
	{VOrPS, "vorps", v, 0x56, rvm, of{vw, vr, vrm}, 0, 0, commutes},
	{VOrPD, "vorpd", v66, 0x56, rvm, of{vw, vr, vrm}, 0, 0, commutes},
	{VXorPS, "vxorps", v, 0x57, rvm, of{vw, vr, vrm}, 0, 0, commutes | cleared},
	{VXorPD, "vxorpd", v66, 0x57, rvm, of{vw, vr, vrm}, 0, 0, commutes | cleared},
	{VAddPS, "vaddps", v, 0x58, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VAddPD, "vaddpd", v66, 0x58, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VAddSS, "vaddss", xF3, 0x58, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VAddSD, "vaddsd", xF2, 0x58, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VSubPS, "vsubps", v, 0x5C, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VSubPD, "vsubpd", v66, 0x5C, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VSubSS, "vsubss", xF3, 0x5C, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VSubSD, "vsubsd", xF2, 0x5C, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VMulPS, "vmulps", v, 0x59, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMulPD, "vmulpd", v66, 0x59, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMulSS, "vmulss", xF3, 0x59, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VMulSD, "vmulsd", xF2, 0x59, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VDivPS, "vdivps", v, 0x5E, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VDivPD, "vdivpd", v66, 0x5E, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VDivSS, "vdivss", xF3, 0x5E, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VDivSD, "vdivsd", xF2, 0x5E, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VMinPS, "vminps", v, 0x5D, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMinPD, "vminpd", v66, 0x5D, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMinSS, "vminss", xF3, 0x5D, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VMinSD, "vminsd", xF2, 0x5D, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VMaxPS, "vmaxps", v, 0x5F, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMaxPD, "vmaxpd", v66, 0x5F, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMaxSS, "vmaxss", xF3, 0x5F, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VMaxSD, "vmaxsd", xF2, 0x5F, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VSqrtPS, "vsqrtps", v, 0x51, rm, of{vw, vrm}, 0, 0, 0},
	{VSqrtPD, "vsqrtpd", v66, 0x51, rm, of{vw, vrm}, 0, 0, 0},
	{VSqrtSS, "vsqrtss", xF3, 0x51, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VSqrtSD, "vsqrtsd", xF2, 0x51, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VHAddPS, "vhaddps", vF2, 0x7C, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VAddSubPS, "vaddsubps", vF2, 0xD0, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VCmpPS, "vcmpps", v, 0xC2, rvmi, of{vw, vr, vrm, i8}, 0, 0, predicated},
	{VCmpPD, "vcmppd", v66, 0xC2, rvmi, of{vw, vr, vrm, i8}, 0, 0, predicated},
	{VCmpSS, "vcmpss", xF3, 0xC2, rvmi, of{xw, xr, x32m, i8}, 0, 0, predicated},
	{VCmpSD, "vcmpsd", xF2, 0xC2, rvmi, of{xw, xr, x64m, i8}, 0, 0, predicated},
	{VUComISS, "vucomiss", x, 0x2E, rm, of{xr, x32m}, setsFlags, 0, 0},
	{VUComISD, "vucomisd", x66, 0x2E, rm, of{xr, x64m}, setsFlags, 0, 0},
	{VRoundPS, "vroundps", v3A, 0x08, rmi, of{vw, vrm, i8}, 0, 0, 0},
	{VRoundPD, "vroundpd", v3A, 0x09, rmi, of{vw, vrm, i8}, 0, 0, 0},
	{VRoundSS, "vroundss", x3A, 0x0A, rvmi, of{xw, xr, x32m, i8}, 0, 0, 0},
	{VRoundSD, "vroundsd", x3A, 0x0B, rvmi, of{xw, xr, x64m, i8}, 0, 0, 0},
	{VCvtDQ2PS, "vcvtdq2ps", v, 0x5B, rm, of{vw, vrm}, 0, 0, 0},
	{VCvtPS2DQ, "vcvtps2dq", v66, 0x5B, rm, of{vw, vrm}, 0, 0, 0},
	{VCvtTPS2DQ, "vcvttps2dq", vF3, 0x5B, rm, of{vw, vrm}, 0, 0, 0},
	{VCvtDQ2PD, "vcvtdq2pd", vF3, 0xE6, rm, of{vw, hrm}, 0, 0, 0},
	{VCvtPD2DQ, "vcvtpd2dq", vF2, 0xE6, rm, of{hw, vrm}, 0, 0, 0},
	{VCvtTPD2DQ, "vcvttpd2dq", v66, 0xE6, rm, of{hw, vrm}, 0, 0, 0},
	{VCvtPS2PD, "vcvtps2pd", v, 0x5A, rm, of{vw, hrm}, 0, 0, 0},
	{VCvtPD2PS, "vcvtpd2ps", v66, 0x5A, rm, of{hw, vrm}, 0, 0, 0},
	{VCvtPH2PS, "vcvtph2ps", v38, 0x13, rm, of{vw, hrm}, 0, 0, 0},
	{VCvtPS2PH, "vcvtps2ph", v3A, 0x1D, mri, of{hwm, vr, i8}, 0, 0, 0},
	{VCvtSI2SS, "vcvtsi2ss", xF3 | wide, 0x2A, rvm, of{xw, xr, grm}, 0, 0, 0},
	{VCvtSI2SD, "vcvtsi2sd", xF2 | wide, 0x2A, rvm, of{xw, xr, grm}, 0, 0, 0},
	{VCvtSS2SI, "vcvtss2si", xF3 | wide, 0x2D, rm, of{gw, x32m}, 0, 0, 0},
	{VCvtSD2SI, "vcvtsd2si", xF2 | wide, 0x2D, rm, of{gw, x64m}, 0, 0, 0},
	{VCvtTSS2SI, "vcvttss2si", xF3 | wide, 0x2C, rm, of{gw, x32m}, 0, 0, 0},
	{VCvtTSD2SI, "vcvttsd2si", xF2 | wide, 0x2C, rm, of{gw, x64m}, 0, 0, 0},
	{VCvtSS2SD, "vcvtss2sd", xF3, 0x5A, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VCvtSD2SS, "vcvtsd2ss", xF2, 0x5A, rvm, of{xw, xr, x64m}, 0, 0, 0},
}

// fusedKinds are the four kinds of fused instructions, by the opcode that the first order has for vectors.
var fusedKinds = [...]struct {
	name string
	code opcode
}{{"vfmadd", 0x98}, {"vfmsub", 0x9A}, {"vfnmadd", 0x9C}, {"vfnmsub", 0x9E}}

// fusedRows returns the rows of fused instructions: kinds, orders and types in the order of their numbers.
func fusedRows() (rows []row) {
	op := VFMAdd132PS
	for _, kind := range fusedKinds {
		for order, digits := range [...]string{"132", "213", "231"} {
			code, name := kind.code+opcode(order)<<4, kind.name+digits
			rows = append(rows,
				row{op, name + "ps", v38, code, rvm, of{vu, vr, vrm}, 0, 0, 0},
				row{op + 1, name + "pd", v38 | w1, code, rvm, of{vu, vr, vrm}, 0, 0, 0},
				row{op + 2, name + "ss", x38, code | 1, rvm, of{xu, xr, x32m}, 0, 0, 0},
				row{op + 3, name + "sd", x38 | w1, code | 1, rvm, of{xu, xr, x64m}, 0, 0, 0})
			op += 4
		}
	}
	return rows
}
