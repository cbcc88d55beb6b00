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
	{VSubPS, "vsubps", vp, 0x5C, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VSubPD, "vsubpd", vp66, 0x5C, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMulPS, "vmulps", vp, 0x59, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMulPD, "vmulpd", vp66, 0x59, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VDivPS, "vdivps", vp, 0x5E, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VDivPD, "vdivpd", vp66, 0x5E, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMinPS, "vminps", vp, 0x5D, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMinPD, "vminpd", vp66, 0x5D, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMaxPS, "vmaxps", vp, 0x5F, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VMaxPD, "vmaxpd", vp66, 0x5F, rvm, of{vw, vr, vrm}, 0, 0, 0},
	{VSqrtPS, "vsqrtps", vp, 0x51, rm, of{vw, vrm}, 0, 0, 0},
	{VSqrtPD, "vsqrtpd", vp66, 0x51, rm, of{vw, vrm}, 0, 0, 0},
	{VCmpPS, "vcmpps", vp, 0xC2, rvmi, of{vw, vr, vrm, i8}, 0, 0, predicated},
	{VCmpPD, "vcmppd", vp66, 0xC2, rvmi, of{vw, vr, vrm, i8}, 0, 0, predicated},
	{VCmpSS, "vcmpss", vsF3, 0xC2, rvmi, of{xw, xr, x32m, i8}, 0, 0, predicated},
	{VCmpSD, "vcmpsd", vsF2, 0xC2, rvmi, of{xw, xr, x64m, i8}, 0, 0, predicated},
	{VUComISS, "vucomiss", vs, 0x2E, rm, of{xr, x32m}, setsFlags, 0, 0},
	{VRoundPS, "vroundps", vp3A, 0x08, rmi, of{vw, vrm, i8}, 0, 0, 0},
	{VRoundPD, "vroundpd", vp3A, 0x09, rmi, of{vw, vrm, i8}, 0, 0, 0},
	{VCvtDQ2PS, "vcvtdq2ps", vp, 0x5B, rm, of{vw, vrm}, 0, 0, 0},
	{VCvtTPS2DQ, "vcvttps2dq", vpF3, 0x5B, rm, of{vw, vrm}, 0, 0, 0},
	{VCvtDQ2PD, "vcvtdq2pd", vpF3, 0xE6, rm, of{vw, hrm}, 0, 0, 0},
	{VCvtTPD2DQ, "vcvttpd2dq", vp66, 0xE6, rm, of{hw, vrm}, 0, 0, 0},
	{VCvtPS2PD, "vcvtps2pd", vp, 0x5A, rm, of{vw, hrm}, 0, 0, 0},
	{VCvtPD2PS, "vcvtpd2ps", vp66, 0x5A, rm, of{hw, vrm}, 0, 0, 0},
	{VCvtPH2PS, "vcvtph2ps", vp38, 0x13, rm, of{vw, hrm}, 0, 0, 0},
	{VCvtPS2PH, "vcvtps2ph", vp3A, 0x1D, mri, of{hwm, vr, i8}, 0, 0, 0},
}

// fusedRows are fused products and sums, in three orders of operands.
var fusedRows = []row{
	{VFMAdd132PS, "vfmadd132ps", vp38, 0x98, rvm, of{vu, vr, vrm}, 0, 0, 0},
	{VFMAdd132PD, "vfmadd132pd", vp38 | w1, 0x98, rvm, of{vu, vr, vrm}, 0, 0, 0},
	{VFMAdd213PS, "vfmadd213ps", vp38, 0xA8, rvm, of{vu, vr, vrm}, 0, 0, 0},
	{VFMAdd213PD, "vfmadd213pd", vp38 | w1, 0xA8, rvm, of{vu, vr, vrm}, 0, 0, 0},
	{VFMAdd231PS, "vfmadd231ps", vp38, 0xB8, rvm, of{vu, vr, vrm}, 0, 0, 0},
	{VFMAdd231PD, "vfmadd231pd", vp38 | w1, 0xB8, rvm, of{vu, vr, vrm}, 0, 0, 0},
}
