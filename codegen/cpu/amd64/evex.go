package amd64

// This file has the instructions that have a form with EVEX (SDM volume 2, 2.7): AVX-512 with
// vectors of 128 and 256 bits, and with 32 registers. That form is taken where a register above 15
// is named. What differs from the form with VEX is here: the bit W, and for some the mnemonic.
// Opcodes, operands and what is done are the same.

// HighVectors is the number of the first vector register that EVEX alone can name.
const HighVectors = 16

// evexForm is what is said of the form of an instruction.
type evexForm struct {
	w    evexW
	name string // if it is another one
}

// evexW is the bit W, where the form exists.
type evexW uint8

const (
	noEVEX evexW = iota
	evexW0
	evexW1
)

var evexForms = [Ops]evexForm{
	VMovUPS: {w: evexW0}, VMovUPD: {w: evexW1}, VMovAPS: {w: evexW0}, VMovDQU: {evexW0, "vmovdqu32"},
	VMovD: {w: evexW0}, VMovQ: {w: evexW1}, VMovDDup: {w: evexW1}, VMovSHDup: {w: evexW0}, VMovSLDup: {w: evexW0},

	VBroadcastSS: {w: evexW0}, VBroadcastSD: {w: evexW1}, VPBroadcastD: {w: evexW0}, VPBroadcastQ: {w: evexW1},
	VInsertF128: {evexW0, "vinsertf32x4"}, VInsertI128: {evexW0, "vinserti32x4"},
	VExtractF128: {evexW0, "vextractf32x4"}, VExtractI128: {evexW0, "vextracti32x4"},
	VPermD: {w: evexW0}, VPermPS: {w: evexW0}, VPermQ: {w: evexW1}, VPermPD: {w: evexW1},
	VPermilPS: {w: evexW0}, VPermilPSImm: {w: evexW0}, VPermilPD: {w: evexW1}, VPermilPDImm: {w: evexW1},
	VShufPS: {w: evexW0}, VShufPD: {w: evexW1}, VPShufD: {w: evexW0}, VPShufB: {w: evexW0}, VPAlignR: {w: evexW0},
	VUnpckLPS: {w: evexW0}, VUnpckHPS: {w: evexW0}, VUnpckLPD: {w: evexW1}, VUnpckHPD: {w: evexW1},
	VPUnpckLBW: {w: evexW0}, VPUnpckHBW: {w: evexW0}, VPUnpckLWD: {w: evexW0}, VPUnpckHWD: {w: evexW0},
	VPUnpckLDQ: {w: evexW0}, VPUnpckHDQ: {w: evexW0}, VPUnpckLQDQ: {w: evexW1}, VPUnpckHQDQ: {w: evexW1},
	VPackUSDW: {w: evexW0}, VPackSSDW: {w: evexW0}, VPackUSWB: {w: evexW0}, VPackSSWB: {w: evexW0},
	VPMovZXBW: {w: evexW0}, VPMovZXBD: {w: evexW0}, VPMovZXBQ: {w: evexW0}, VPMovZXWD: {w: evexW0}, VPMovZXWQ: {w: evexW0}, VPMovZXDQ: {w: evexW0},
	VPMovSXBW: {w: evexW0}, VPMovSXBD: {w: evexW0}, VPMovSXBQ: {w: evexW0}, VPMovSXWD: {w: evexW0}, VPMovSXWQ: {w: evexW0}, VPMovSXDQ: {w: evexW0},

	VPAddB: {w: evexW0}, VPAddW: {w: evexW0}, VPAddD: {w: evexW0}, VPAddQ: {w: evexW1},
	VPSubB: {w: evexW0}, VPSubW: {w: evexW0}, VPSubD: {w: evexW0}, VPSubQ: {w: evexW1},
	VPMullW: {w: evexW0}, VPMulhW: {w: evexW0}, VPMulhUW: {w: evexW0}, VPMullD: {w: evexW0}, VPMulDQ: {w: evexW1}, VPMulUDQ: {w: evexW1},
	VPMAddWD: {w: evexW0}, VPSadBW: {w: evexW0},
	VPAnd: {evexW0, "vpandd"}, VPAndN: {evexW0, "vpandnd"}, VPOr: {evexW0, "vpord"}, VPXor: {evexW0, "vpxord"},
	VPSllW: {w: evexW0}, VPSllD: {w: evexW0}, VPSllQ: {w: evexW1}, VPSrlW: {w: evexW0}, VPSrlD: {w: evexW0}, VPSrlQ: {w: evexW1},
	VPSraW: {w: evexW0}, VPSraD: {w: evexW0},
	VPSllVD: {w: evexW0}, VPSllVQ: {w: evexW1}, VPSrlVD: {w: evexW0}, VPSrlVQ: {w: evexW1}, VPSraVD: {w: evexW0},
	VPMinSD: {w: evexW0}, VPMinUD: {w: evexW0}, VPMaxSD: {w: evexW0}, VPMaxUD: {w: evexW0},
	VPMinUB: {w: evexW0}, VPMaxUB: {w: evexW0}, VPMinSW: {w: evexW0}, VPMaxSW: {w: evexW0}, VPMinUW: {w: evexW0}, VPMaxUW: {w: evexW0},
	VPAbsB: {w: evexW0}, VPAbsW: {w: evexW0}, VPAbsD: {w: evexW0},

	VAndPS: {w: evexW0}, VAndPD: {w: evexW1}, VAndNPS: {w: evexW0}, VAndNPD: {w: evexW1},
	VOrPS: {w: evexW0}, VOrPD: {w: evexW1}, VXorPS: {w: evexW0}, VXorPD: {w: evexW1},
	VAddPS: {w: evexW0}, VAddPD: {w: evexW1}, VSubPS: {w: evexW0}, VSubPD: {w: evexW1},
	VMulPS: {w: evexW0}, VMulPD: {w: evexW1}, VDivPS: {w: evexW0}, VDivPD: {w: evexW1},
	VMinPS: {w: evexW0}, VMinPD: {w: evexW1}, VMaxPS: {w: evexW0}, VMaxPD: {w: evexW1}, VSqrtPS: {w: evexW0}, VSqrtPD: {w: evexW1},
	VRoundPS: {evexW0, "vrndscaleps"}, VRoundPD: {evexW1, "vrndscalepd"},
	VCvtDQ2PS: {w: evexW0}, VCvtPS2DQ: {w: evexW0}, VCvtTPS2DQ: {w: evexW0}, VCvtDQ2PD: {w: evexW0},
	VCvtPD2DQ: {w: evexW1}, VCvtTPD2DQ: {w: evexW1}, VCvtPS2PD: {w: evexW0}, VCvtPD2PS: {w: evexW1},
	VCvtPH2PS: {w: evexW0}, VCvtPS2PH: {w: evexW0},

	VFMAdd132PS: {w: evexW0}, VFMAdd132PD: {w: evexW1}, VFMAdd213PS: {w: evexW0}, VFMAdd213PD: {w: evexW1}, VFMAdd231PS: {w: evexW0}, VFMAdd231PD: {w: evexW1},
	VFMSub132PS: {w: evexW0}, VFMSub132PD: {w: evexW1}, VFMSub213PS: {w: evexW0}, VFMSub213PD: {w: evexW1}, VFMSub231PS: {w: evexW0}, VFMSub231PD: {w: evexW1},
	VFNMAdd132PS: {w: evexW0}, VFNMAdd132PD: {w: evexW1}, VFNMAdd213PS: {w: evexW0}, VFNMAdd213PD: {w: evexW1}, VFNMAdd231PS: {w: evexW0}, VFNMAdd231PD: {w: evexW1},
	VFNMSub132PS: {w: evexW0}, VFNMSub132PD: {w: evexW1}, VFNMSub213PS: {w: evexW0}, VFNMSub213PD: {w: evexW1}, VFNMSub231PS: {w: evexW0}, VFNMSub231PD: {w: evexW1},
}

// HasEVEX reports whether the instruction can name all 32 vector registers.
func (o Op) HasEVEX() bool { return evexForms[o].w != noEVEX }

// isHigh reports whether an operand is a vector register that only EVEX can name.
func isHigh(o Operand) bool { return o.Kind() == KindVector && o.Number() >= HighVectors }

// needsEVEX reports whether an instruction has such an operand.
func needsEVEX(i *Instruction) bool {
	for _, o := range i.Operands {
		if isHigh(o) {
			return true
		}
	}
	return false
}

// evex writes EVEX. The rex bits are those of VEX; those of registers above 15 are added.
func (c *code) evex(rex byte, reg, vvvv, other Operand) {
	p := c.row.prefix
	m := byte(1)
	switch {
	case p&m38 != 0:
		m = 2
	case p&m3A != 0:
		m = 3
	}
	inverted := ^(rex & 7 << 5) & 0xE0 // R, X, B
	if isHigh(reg) {
		inverted ^= 1 << 4 // R'
	}
	if other.Kind() == KindVector && other.Number()>>4&1 != 0 {
		inverted ^= 1 << 6 // X is the fifth bit of a register
	}
	c.byte(0x62)
	c.byte(inverted ^ 1<<4 | m)
	second := ^byte(vvvv.Number())&15<<3 | 1<<2
	switch {
	case p&p66 != 0:
		second |= 1
	case p&pF3 != 0:
		second |= 2
	case p&pF2 != 0:
		second |= 3
	}
	if evexForms[c.i.Op].w == evexW1 {
		second |= 1 << 7
	}
	c.byte(second)
	third := byte(1 << 3) // V'
	if isHigh(vvvv) {
		third = 0
	}
	if p&l1 != 0 || p&lanes != 0 && c.i.Width == Wide {
		third |= 1 << 5
	}
	c.byte(third)
}
