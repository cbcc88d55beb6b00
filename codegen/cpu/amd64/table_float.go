package amd64

// This file has the rows of floats in vectors.

var floatRows = []row{
	{VAndPS, "vandps", vp, 0x54, rvm, of{vw, vr, vrm}, 0, 0, commutes},
	{VAndPD, "vandpd", vp66, 0x54, rvm, of{vw, vr, vrm}, 0, 0, commutes},
	{VAndNPS, "vandnps", vp, 0x55, rvm, of{vw, vr, vrm}, 0, 0, cleared},
	{VAndNPD, "vandnpd", vp66, 0x55, rvm, of{vw, vr, vrm}, 0, 0, cleared},
	{VOrPS, "vorps", vp, 0x56, rvm, of{vw, vr, vrm}, 0, 0, commutes},
	{VOrPD, "vorpd", vp66, 0x56, rvm, of{vw, vr, vrm}, 0, 0, commutes},
	{VXorPS, "vxorps", vp, 0x57, rvm, of{vw, vr, vrm}, 0, 0, commutes | cleared},
	{VXorPD, "vxorpd", vp66, 0x57, rvm, of{vw, vr, vrm}, 0, 0, commutes | cleared},
	{VAddPS, "vaddps", vp, 0x58, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VAddPD, "vaddpd", vp66, 0x58, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VAddSS, "vaddss", vsF3, 0x58, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VAddSD, "vaddsd", vsF2, 0x58, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VSubPS, "vsubps", vp, 0x5C, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VSubPD, "vsubpd", vp66, 0x5C, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VSubSS, "vsubss", vsF3, 0x5C, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VSubSD, "vsubsd", vsF2, 0x5C, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VMulPS, "vmulps", vp, 0x59, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMulPD, "vmulpd", vp66, 0x59, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMulSS, "vmulss", vsF3, 0x59, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VMulSD, "vmulsd", vsF2, 0x59, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VDivPS, "vdivps", vp, 0x5E, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VDivPD, "vdivpd", vp66, 0x5E, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VDivSS, "vdivss", vsF3, 0x5E, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VDivSD, "vdivsd", vsF2, 0x5E, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VMinPS, "vminps", vp, 0x5D, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMinPD, "vminpd", vp66, 0x5D, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMinSS, "vminss", vsF3, 0x5D, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VMinSD, "vminsd", vsF2, 0x5D, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VMaxPS, "vmaxps", vp, 0x5F, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMaxPD, "vmaxpd", vp66, 0x5F, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMaxSS, "vmaxss", vsF3, 0x5F, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VMaxSD, "vmaxsd", vsF2, 0x5F, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VSqrtPS, "vsqrtps", vp, 0x51, rm, of{vw, vrm}, 0, 0, 0},
	{VSqrtPD, "vsqrtpd", vp66, 0x51, rm, of{vw, vrm}, 0, 0, 0},
	{VSqrtSS, "vsqrtss", vsF3, 0x51, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VSqrtSD, "vsqrtsd", vsF2, 0x51, rvm, of{xw, xr, x64m}, 0, 0, 0},
	{VHAddPS, "vhaddps", vpF2, 0x7C, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VAddSubPS, "vaddsubps", vpF2, 0xD0, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VCmpPS, "vcmpps", vp, 0xC2, rvmi, of{vw, vr, vrm, i8}, 0, 0, predicated},
	{VCmpPD, "vcmppd", vp66, 0xC2, rvmi, of{vw, vr, vrm, i8}, 0, 0, predicated},
	{VCmpSS, "vcmpss", vsF3, 0xC2, rvmi, of{xw, xr, x32m, i8}, 0, 0, predicated},
	{VCmpSD, "vcmpsd", vsF2, 0xC2, rvmi, of{xw, xr, x64m, i8}, 0, 0, predicated},
	{VUComISS, "vucomiss", vs, 0x2E, rm, of{xr, x32m}, setsFlags, 0, 0},
	{VUComISD, "vucomisd", vs66, 0x2E, rm, of{xr, x64m}, setsFlags, 0, 0},
	{VRoundPS, "vroundps", vp3A, 0x08, rmi, of{vw, vrm, i8}, 0, 0, 0},
	{VRoundPD, "vroundpd", vp3A, 0x09, rmi, of{vw, vrm, i8}, 0, 0, 0},
	{VRoundSS, "vroundss", vs3A, 0x0A, rvmi, of{xw, xr, x32m, i8}, 0, 0, 0},
	{VRoundSD, "vroundsd", vs3A, 0x0B, rvmi, of{xw, xr, x64m, i8}, 0, 0, 0},
	{VCvtDQ2PS, "vcvtdq2ps", vp, 0x5B, rm, of{vw, vrm}, 0, 0, 0},
	{VCvtPS2DQ, "vcvtps2dq", vp66, 0x5B, rm, of{vw, vrm}, 0, 0, 0},
	{VCvtTPS2DQ, "vcvttps2dq", vpF3, 0x5B, rm, of{vw, vrm}, 0, 0, 0},
	{VCvtDQ2PD, "vcvtdq2pd", vpF3, 0xE6, rm, of{vw, hrm}, 0, 0, 0},
	{VCvtPD2DQ, "vcvtpd2dq", vpF2, 0xE6, rm, of{hw, vrm}, 0, 0, 0},
	{VCvtTPD2DQ, "vcvttpd2dq", vp66, 0xE6, rm, of{hw, vrm}, 0, 0, 0},
	{VCvtPS2PD, "vcvtps2pd", vp, 0x5A, rm, of{vw, hrm}, 0, 0, 0},
	{VCvtPD2PS, "vcvtpd2ps", vp66, 0x5A, rm, of{hw, vrm}, 0, 0, 0},
	{VCvtPH2PS, "vcvtph2ps", vp38, 0x13, rm, of{vw, hrm}, 0, 0, 0},
	{VCvtPS2PH, "vcvtps2ph", vp3A, 0x1D, mri, of{hwm, vr, i8}, 0, 0, 0},
	{VCvtSI2SS, "vcvtsi2ss", vsF3 | wide, 0x2A, rvm, of{xw, xr, grm}, 0, 0, 0},
	{VCvtSI2SD, "vcvtsi2sd", vsF2 | wide, 0x2A, rvm, of{xw, xr, grm}, 0, 0, 0},
	{VCvtSS2SI, "vcvtss2si", vsF3 | wide, 0x2D, rm, of{gw, x32m}, 0, 0, 0},
	{VCvtSD2SI, "vcvtsd2si", vsF2 | wide, 0x2D, rm, of{gw, x64m}, 0, 0, 0},
	{VCvtTSS2SI, "vcvttss2si", vsF3 | wide, 0x2C, rm, of{gw, x32m}, 0, 0, 0},
	{VCvtTSD2SI, "vcvttsd2si", vsF2 | wide, 0x2C, rm, of{gw, x64m}, 0, 0, 0},
	{VCvtSS2SD, "vcvtss2sd", vsF3, 0x5A, rvm, of{xw, xr, x32m}, 0, 0, 0},
	{VCvtSD2SS, "vcvtsd2ss", vsF2, 0x5A, rvm, of{xw, xr, x64m}, 0, 0, 0},
}

// fusedKinds are the four kinds of fused instructions, by the opcode that the first order has for
// vectors.
var fusedKinds = [...]struct {
	name string
	code opcode
}{{"vfmadd", 0x98}, {"vfmsub", 0x9A}, {"vfnmadd", 0x9C}, {"vfnmsub", 0x9E}}

// fusedRows returns the rows of fused instructions: kinds, orders and types in the order of their
// numbers.
func fusedRows() (rows []row) {
	op := VFMAdd132PS
	for _, kind := range fusedKinds {
		for order, digits := range [...]string{"132", "213", "231"} {
			code, name := kind.code+opcode(order)<<4, kind.name+digits
			rows = append(rows,
				row{op, name + "ps", vp38, code, rvm, of{vu, vr, vrm}, 0, 0, 0},
				row{op + 1, name + "pd", vp38 | w1, code, rvm, of{vu, vr, vrm}, 0, 0, 0},
				row{op + 2, name + "ss", vs38, code | 1, rvm, of{xu, xr, x32m}, 0, 0, 0},
				row{op + 3, name + "sd", vs38 | w1, code | 1, rvm, of{xu, xr, x64m}, 0, 0, 0})
			op += 4
		}
	}
	return rows
}
