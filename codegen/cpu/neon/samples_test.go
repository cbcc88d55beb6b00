package neon_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file makes instructions for tests, of every row in all forms that it takes, and what they
// are executed on.

// forms are the operands that instructions are tried with. The letters are g for a general
// register, v a vector, m memory, i a number, x the index of a gather, and b a branch. Written by
// hand, so that a row that is forgotten here, or a form that a row refuses, is found.
var forms = map[amd64.Op]string{
	amd64.Add: "gg gi gm mg mi", amd64.Sub: "gg gi gm mg mi", amd64.And: "gg gi gm mg mi", amd64.Or: "gg gi gm mg mi", amd64.Xor: "gg gi gm mg mi",
	amd64.Cmp: "gg gi gm mg mi", amd64.Test: "gg gi mg mi", amd64.Mov: "gg gi gm mg mi", amd64.MovAbs: "gi", amd64.Mov8: "mg mi", amd64.Mov16: "mg mi",
	amd64.MovZX8: "gg gm", amd64.MovZX16: "gg gm", amd64.MovSX8: "gg gm", amd64.MovSX16: "gg gm", amd64.MovSXD: "gg gm", amd64.Lea: "gm",
	amd64.Neg: "g", amd64.Not: "g", amd64.Shl: "gi", amd64.Shr: "gi", amd64.Sar: "gi", amd64.ShlX: "ggg gmg", amd64.ShrX: "ggg gmg", amd64.SarX: "ggg gmg",
	amd64.IMul: "gg gm", amd64.IMulImm: "ggi gmi", amd64.PopCnt: "gg gm", amd64.LzCnt: "gg gm", amd64.TzCnt: "gg gm", amd64.BlsR: "gg gm",
	amd64.XAdd: "mg", amd64.XChg: "mg", amd64.CmpXchg: "mg",

	amd64.VMovUPS: "vv vm mv", amd64.VMovUPD: "vv vm mv", amd64.VMovDQU: "vv vm mv", amd64.VMovD: "vg vm gv mv", amd64.VMovQ: "vg vm gv mv vv",
	amd64.VMaskMovPS: "vvm mvv", amd64.VMaskMovPD: "vvm mvv", amd64.VPMaskMovD: "vvm mvv", amd64.VPMaskMovQ: "vvm mvv",
	amd64.VPGatherDD: "vxv", amd64.VPGatherDQ: "vxv", amd64.VMovMskPS: "gv", amd64.VPTest: "vv vm",
	amd64.VBroadcastSS: "vv vm", amd64.VPBroadcastD: "vv vm", amd64.VBroadcastSD: "vv vm", amd64.VPBroadcastQ: "vv vm",
	amd64.VExtractF128: "vvi mvi", amd64.VExtractI128: "vvi mvi", amd64.VInsertF128: "vvvi vvmi", amd64.VInsertI128: "vvvi vvmi",
	amd64.VPerm2I128: "vvvi vvmi", amd64.VPerm2F128: "vvvi vvmi", amd64.VPermD: "vvv", amd64.VPermQ: "vvi vmi", amd64.VPermPD: "vvi vmi", amd64.VShufPS: "vvvi vvmi",
	amd64.VPMovZXWD: "vv", amd64.VPMovSXWD: "vv", amd64.VPMovZXDQ: "vv", amd64.VPMovSXDQ: "vv",
	amd64.VBlendVPS: "vvvv vvmv", amd64.VBlendVPD: "vvvv vvmv", amd64.VPBlendVB: "vvvv vvmv",
	amd64.VPSllW: "vvi", amd64.VPSllD: "vvi", amd64.VPSllQ: "vvi", amd64.VPSrlW: "vvi", amd64.VPSrlD: "vvi", amd64.VPSrlQ: "vvi", amd64.VPSraW: "vvi", amd64.VPSraD: "vvi",
	amd64.VPAbsD: "vv vm", amd64.VSqrtPS: "vv vm", amd64.VSqrtPD: "vv vm", amd64.VRoundPS: "vvi vmi", amd64.VRoundPD: "vvi vmi", amd64.VCmpPS: "vvvi vvmi", amd64.VCmpPD: "vvvi vvmi",
	amd64.VCvtDQ2PS: "vv vm", amd64.VCvtTPS2DQ: "vv vm", amd64.VCvtDQ2PD: "vv", amd64.VCvtTPD2DQ: "vv vm", amd64.VCvtPS2PD: "vv", amd64.VCvtPD2PS: "vv vm",
	amd64.VCvtPH2PS: "vv", amd64.VCvtPS2PH: "vvi",
}

// usual are the forms of all other instructions of vectors.
const usual = "vvv vvm"

// other are the instructions that no form is for: conditions are tested after those that set
// flags, Ret is everywhere, UD2 ends the process, and a prefetch does nothing.
var other = map[amd64.Op]bool{amd64.Mark: true, amd64.Jmp: true, amd64.Jcc: true, amd64.Ret: true, amd64.UD2: true, amd64.Nop: true, amd64.PrefetchT0: true, amd64.Setcc: true, amd64.Cmovcc: true}

// wideOnly are the instructions of which there is no row for 128 bits.
var wideOnly = map[amd64.Op]bool{
	amd64.VMaskMovPS: true, amd64.VMaskMovPD: true, amd64.VPMaskMovD: true, amd64.VPMaskMovQ: true, amd64.VPGatherDD: true, amd64.VPGatherDQ: true,
	amd64.VCvtTPD2DQ: true, amd64.VCvtPD2PS: true, amd64.VCvtPS2PH: true, amd64.VPermD: true,
}

// numbers are the immediates that an instruction is tried with.
func numbers(o amd64.Op) []int64 {
	switch o {
	case amd64.VExtractF128, amd64.VExtractI128, amd64.VInsertF128, amd64.VInsertI128:
		return []int64{0, 1}
	case amd64.VPerm2I128, amd64.VPerm2F128:
		return []int64{0x20, 0x31, 0x21, 0x03, 0x12, 0x30, 0x11}
	case amd64.VPermQ, amd64.VPermPD, amd64.VShufPS:
		return []int64{0xD8, 0x88, 0xDD, 0x1B, 0x4E, 0x00}
	case amd64.VRoundPS, amd64.VRoundPD:
		return []int64{amd64.RoundNearest, amd64.RoundDown, amd64.RoundUp, amd64.RoundTruncate}
	case amd64.VCmpPS, amd64.VCmpPD:
		return []int64{amd64.CompareEQ, amd64.CompareLT, amd64.CompareLE, amd64.CompareUNORD, amd64.CompareNEQ, amd64.CompareNLT, amd64.CompareNLE, amd64.CompareORD,
			amd64.CompareEQU, amd64.CompareNEQO, amd64.CompareGE, amd64.CompareGT}
	case amd64.VCvtPS2PH:
		return []int64{amd64.HalfNearest}
	case amd64.Shl, amd64.Shr, amd64.Sar:
		return []int64{1, 5, 31}
	case amd64.VPSllW, amd64.VPSllD, amd64.VPSllQ, amd64.VPSrlW, amd64.VPSrlD, amd64.VPSrlQ, amd64.VPSraW, amd64.VPSraD:
		return []int64{0, 1, 8, 15, 16, 31, 32, 63, 64, 200}
	case amd64.MovAbs:
		return []int64{0, 0x123456789ABCDEF0, -2, 0x7FFF0000FFFF}
	case amd64.Mov8:
		return []int64{0, 100, -1}
	case amd64.Mov16:
		return []int64{0, 1000, -1}
	}
	return []int64{0, 1, -1, 7, 4095, 4096, -4095, 0x12345678, -0x12345678, 0xFF00, 1<<31 - 1, -1 << 31}
}

// The registers of snippets: two general ones, rax, which two instructions name, and one that leads
// to a small number; the context's.
var (
	generalRegisters = [...]amd64.Operand{amd64.RCX, amd64.RDX, amd64.RBX}
	indexRegister    = amd64.RSI
	baseRegister     = amd64.R15
	resultRegister   = amd64.R9
)

// What memory has, by offsets: the registers before and after, what instructions access, and what
// conditions say.
const (
	vectorsAt  = 0
	generalsAt = 5 * 32
	accessedAt = 256
	outAt      = 512
	flagsAt    = 1024
	stateBytes = 1280
)

// addresses are where instructions have memory.
func addresses(o amd64.Op) []amd64.Address {
	list := []amd64.Address{
		amd64.At(baseRegister, accessedAt), amd64.Indexed(baseRegister, indexRegister, 4, accessedAt), amd64.Indexed(baseRegister, indexRegister, 8, accessedAt-16),
	}
	switch o {
	case amd64.XAdd, amd64.XChg, amd64.CmpXchg: // at multiples of their sizes, as AArch64 has them
		return []amd64.Address{list[0], list[2]}
	case amd64.Lea:
		list = append(list, amd64.At(amd64.RCX, 0), amd64.At(amd64.RCX, -5000), amd64.At(amd64.RCX, 1<<30), amd64.Indexed(amd64.RCX, amd64.RDX, 1, 0),
			amd64.Address{Index: amd64.RDX, Scale: 8}, amd64.Indexed(amd64.RCX, amd64.RCX, 2, 77), amd64.Address{Index: amd64.RCX, Scale: 4, Displacement: -3})
		return list[3:]
	}
	return list
}

// group is the instructions of a row that have operands of the same kinds and one width.
type group struct {
	name string
	list []amd64.Instruction
}

// samples returns the instructions of a row.
func samples(o amd64.Op) (groups []group) {
	all, ok := forms[o]
	if !ok {
		all = usual
	}
	for _, form := range strings.Fields(all) {
		widths := []amd64.Width{amd64.Wide}
		if o.Widths() && !wideOnly[o] {
			widths = append(widths, amd64.Narrow)
		}
		for _, w := range widths {
			var list []amd64.Instruction
			for _, registers := range [...][4]int{{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 1, 2, 3}, {1, 1, 1, 1}, {3, 1, 2, 3}, {0, 1, 1, 2}} {
				list = append(list, samplesOf(o, w, form, registers)...)
			}
			name := o.String() + " " + form
			if w == amd64.Narrow {
				name += " narrow"
			}
			groups = append(groups, group{name, list})
		}
	}
	return groups
}

func samplesOf(o amd64.Op, w amd64.Width, form string, registers [4]int) []amd64.Instruction {
	i := amd64.Of(o, w)
	list := []amd64.Instruction{i}
	each := func(make func(i *amd64.Instruction, n int), count int) {
		var more []amd64.Instruction
		for _, i := range list {
			for n := range count {
				i := i
				make(&i, n)
				more = append(more, i)
			}
		}
		list = more
	}
	for k, c := range form {
		switch c {
		case 'g':
			r := registers[k] % len(generalRegisters)
			each(func(i *amd64.Instruction, _ int) { i.Operands[k] = generalRegisters[r] }, 1)
		case 'v':
			each(func(i *amd64.Instruction, _ int) { i.Operands[k] = amd64.Vector(registers[k]) }, 1)
		case 'm':
			all := addresses(o)
			each(func(i *amd64.Instruction, n int) { i.Operands[k], i.Address = amd64.Mem, all[n] }, len(all))
		case 'x':
			each(func(i *amd64.Instruction, n int) {
				i.Operands[k] = amd64.Mem
				i.Address = amd64.Indexed(baseRegister, amd64.Vector(4), []uint8{1, 2}[n], accessedAt)
			}, 2)
		case 'i':
			all := numbers(o)
			each(func(i *amd64.Instruction, n int) { i.Operands[k], i.Immediate = amd64.Imm, all[n] }, len(all))
		}
	}
	switch o {
	case amd64.XAdd, amd64.CmpXchg:
		each(func(i *amd64.Instruction, n int) { i.Address.Locked = n == 1 }, 2)
	}
	return list
}

// conditionsBehind are the conditions that may be tested after an instruction.
func conditionsBehind(o amd64.Op) []amd64.Condition {
	equal := []amd64.Condition{amd64.Equal, amd64.NotEqual}
	signed := append(equal, amd64.Sign, amd64.NotSign, amd64.Less, amd64.GreaterEqual, amd64.LessEqual, amd64.Greater)
	switch o {
	case amd64.Cmp, amd64.Sub, amd64.Neg, amd64.CmpXchg:
		return append(signed, amd64.Below, amd64.AboveEqual, amd64.BelowEqual, amd64.Above)
	case amd64.Test, amd64.And:
		return signed
	case amd64.BlsR, amd64.VPTest:
		return equal
	}
	return nil
}

// snippet returns a function that loads registers, executes an instruction, tests conditions,
// and stores what there is then.
func snippet(i *amd64.Instruction, tested []amd64.Condition, jumps bool) (list []amd64.Instruction) {
	add := func(i amd64.Instruction, at amd64.Address) {
		i.Address = at
		list = append(list, i)
	}
	memory := func(at int32) amd64.Address { return amd64.At(baseRegister, at) }
	list = append(list, amd64.Of(amd64.Mov, amd64.Wide, baseRegister, amd64.RDI))
	for n := range 5 {
		add(amd64.Of(amd64.VMovUPS, amd64.Wide, amd64.Vector(n), amd64.Mem), memory(vectorsAt+int32(32*n)))
	}
	all := append(generalRegisters[:len(generalRegisters):len(generalRegisters)], indexRegister, amd64.RAX)
	for n, r := range all {
		add(amd64.Of(amd64.Mov, amd64.Wide, r, amd64.Mem), memory(generalsAt+int32(8*n)))
	}
	list = append(list, *i)
	for n, c := range tested {
		number := amd64.Of(amd64.Mov, amd64.Narrow, resultRegister, amd64.Imm)
		if number.Immediate = 0x1200; jumps {
			jump := amd64.Of(amd64.Jcc, amd64.Wide, amd64.Label(3))
			jump.Condition = c
			list = append(list, number, jump)
			number.Immediate = 0x3400
			list = append(list, number, amd64.Of(amd64.Mark, amd64.Wide, amd64.Label(3)))
			add(amd64.Of(amd64.Mov, amd64.Narrow, amd64.Mem, resultRegister), memory(flagsAt))
			break
		}
		set, move := amd64.Of(amd64.Setcc, amd64.Wide, resultRegister), amd64.Of(amd64.Cmovcc, []amd64.Width{amd64.Wide, amd64.Narrow}[n%2], resultRegister, indexRegister)
		set.Condition, move.Condition = c, c
		list = append(list, number, set)
		add(amd64.Of(amd64.Mov, amd64.Wide, amd64.Mem, resultRegister), memory(flagsAt+int32(16*n)))
		list = append(list, move)
		add(amd64.Of(amd64.Mov, amd64.Wide, amd64.Mem, resultRegister), memory(flagsAt+int32(16*n)+8))
	}
	for n := range 5 {
		add(amd64.Of(amd64.VMovUPS, amd64.Wide, amd64.Mem, amd64.Vector(n)), memory(outAt+int32(32*n)))
	}
	for n, r := range all {
		add(amd64.Of(amd64.Mov, amd64.Wide, amd64.Mem, r), memory(outAt+5*32+int32(8*n)))
	}
	return append(list, amd64.Of(amd64.Ret, amd64.Wide))
}

// sets is how many states an instruction is executed on.
const sets = 8

// words are what lanes are likely to be treated in a way of their own for.
var words = [...]uint32{0, 1, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x3FC00000, 0x40200000, 0xC0200000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345,
	0x7F812345, 0x00000001, 0x807FFFFF, 0x4B000001, 0x477FF000, 0x33000000, 31, 32, 33, 0xFFFF8000, 0x00017FFF, 0xFFFE0000, 0x3C003E00, 0x7C00FC01}

// fill makes a state of an instruction.
func fill(memory []byte, o amd64.Op, set int) {
	random := rand.New(rand.NewPCG(uint64(o), uint64(set)))
	clear(memory)
	put := binary.LittleEndian.PutUint32
	for at := 0; at < outAt; at += 4 {
		x := random.Uint32()
		if set%2 == 0 {
			x = words[random.IntN(len(words))]
		}
		put(memory[at:], x)
	}
	long := binary.LittleEndian.PutUint64
	switch o {
	case amd64.VCvtTPS2DQ: // what is larger, or no number, is another on x86
		for at := 0; at < outAt; at += 4 {
			put(memory[at:], math.Float32bits(float32(random.NormFloat64()*math.Pow(2, float64(random.IntN(29))))))
		}
	case amd64.VCvtTPD2DQ:
		for at := 0; at < outAt; at += 8 {
			long(memory[at:], math.Float64bits(random.NormFloat64()*math.Pow(2, float64(random.IntN(28)))))
		}
	case amd64.VAddPD, amd64.VSubPD, amd64.VMulPD, amd64.VDivPD, amd64.VCvtPD2PS, amd64.VRoundPD, amd64.VSqrtPD:
		for at := 0; at < outAt && set%2 == 1; at += 8 {
			long(memory[at:], math.Float64bits(random.NormFloat64()*math.Pow(2, float64(random.IntN(80)-40))))
		}
	case amd64.VPSllVD, amd64.VPSrlVD, amd64.VPSraVD, amd64.VPSllVQ, amd64.VPSrlVQ:
		for at := vectorsAt + 64; at < vectorsAt+96; at += 8 {
			if long(memory[at:], uint64(random.IntN(70))); o == amd64.VPSllVD || o == amd64.VPSrlVD || o == amd64.VPSraVD {
				put(memory[at+4:], uint32(random.IntN(300)))
			}
		}
	}
	for lane := range 8 { // what gathers add
		put(memory[vectorsAt+4*32+4*lane:], uint32(random.IntN(64)))
	}
	switch {
	case o == amd64.VCvtTPS2DQ, o == amd64.VCvtTPD2DQ:
	case set == 3, set == 5: // all lanes of masks, and equal numbers
		for at := vectorsAt + 32; at < vectorsAt+64; at += 4 {
			put(memory[at:], ^uint32(0))
		}
		copy(memory[generalsAt+8:], memory[generalsAt:generalsAt+8])
		copy(memory[vectorsAt+64:], memory[vectorsAt+32:vectorsAt+64])
	case set == 7:
		clear(memory[vectorsAt+32 : vectorsAt+64])
		clear(memory[generalsAt : generalsAt+8])
	}
	long(memory[generalsAt+3*8:], uint64(random.IntN(5))) // the index
	if set%3 == 0 {
		// what is compared with rax
		copy(memory[accessedAt:], memory[generalsAt+4*8:generalsAt+5*8])
	}
}
