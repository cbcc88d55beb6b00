package amd64

// This file has the rows of general registers.

// arithmetics are the eight instructions that have the same encodings but for a number, and whether
// they write what they compute.
var arithmetics = [...]struct {
	op    Op
	name  string
	flags flagEffects
	traits
}{
	{Add, "add", setsFlags, lockable},
	{Or, "or", setsFlags, lockable},
	{Adc, "adc", carries, lockable},
	{Sbb, "sbb", carries, lockable},
	{And, "and", setsFlags, lockable},
	{Sub, "sub", setsFlags, lockable | cleared},
	{Xor, "xor", setsFlags, lockable | cleared},
	{Cmp, "cmp", setsFlags, 0},
}

// arithmeticRows returns their rows.
func arithmeticRows() (rows []row) {
	for n, a := range arithmetics {
		code, digit := opcode(n)<<3, opcode(n)<<8
		both, register := gum, gu
		if a.op == Cmp {
			both, register = grm, gr
		}
		rows = append(rows,
			row{a.op, a.name, wide, 0x01 | code, mr, of{both, gr}, a.flags, 0, a.traits},
			row{a.op, a.name, wide, 0x03 | code, rm, of{register, grm}, a.flags, 0, a.traits},
			row{a.op, a.name, wide, 0x83 | digit, rmImm, of{both, i8s}, a.flags, 0, a.traits},
			row{a.op, a.name, wide, 0x05 | code, onlyImm, of{register, i32}, a.flags, 0, a.traits | accumulator},
			row{a.op, a.name, wide, 0x81 | digit, rmImm, of{both, i32}, a.flags, 0, a.traits})
	}
	return rows
}

var generalRows = []row{
	{Mark, "", 0, 0, pseudo, of{label}, 0, 0, 0},
	{Align, ".p2align", 0, 0, pseudo, of{i8}, 0, 0, 0},

	{Test, "test", wide, 0x85, mr, of{grm, gr}, setsFlags, 0, 0},
	{Test, "test", wide, 0xA9, onlyImm, of{gr, i32}, setsFlags, 0, accumulator},
	{Test, "test", wide, 0xF7, rmImm, of{grm, i32}, setsFlags, 0, 0},
	{Mov, "mov", wide, 0x89, mr, of{gwm, gr}, 0, 0, 0},
	{Mov, "mov", wide, 0x8B, rm, of{gw, grm}, 0, 0, 0},
	{Mov, "mov", 0, 0xB8, codeImm, of{gw, i32}, 0, 0, onlyNarrow},
	{Mov, "mov", wide, 0xC7, rmImm, of{gwm, i32}, 0, 0, 0},
	{MovAbs, "movabs", w1, 0xB8, codeImm, of{gw64, i64}, 0, 0, 0},
	{Mov8, "mov", 0, 0x88, mr, of{mw8, gr8}, 0, 0, 0},
	{Mov8, "mov", 0, 0xC6, rmImm, of{mw8, i8}, 0, 0, 0},
	{Mov16, "mov", p66, 0x89, mr, of{mw16, gr16}, 0, 0, 0},
	{Mov16, "mov", p66, 0xC7, rmImm, of{mw16, i16}, 0, 0, 0},
	{MovZX8, "movzx", m0F | wide, 0xB6, rm, of{gw, grm8}, 0, 0, 0},
	{MovZX16, "movzx", m0F | wide, 0xB7, rm, of{gw, grm16}, 0, 0, 0},
	{MovSX8, "movsx", m0F | wide, 0xBE, rm, of{gw, grm8}, 0, 0, 0},
	{MovSX16, "movsx", m0F | wide, 0xBF, rm, of{gw, grm16}, 0, 0, 0},
	{MovSXD, "movsxd", w1, 0x63, rm, of{gw64, grm32}, 0, 0, 0},
	{Lea, "lea", wide, 0x8D, rm, of{gw, ma}, 0, 0, 0},
	{Inc, "inc", wide, 0xFF, onlyRM, of{gum}, counts, 0, lockable},
	{Dec, "dec", wide, d1 | 0xFF, onlyRM, of{gum}, counts, 0, lockable},
	{Neg, "neg", wide, d3 | 0xF7, onlyRM, of{gum}, setsFlags, 0, lockable},
	{Not, "not", wide, d2 | 0xF7, onlyRM, of{gum}, 0, 0, lockable},

	{Shl, "shl", wide, d4 | 0xD1, rm1, of{gum, once}, shifts, 0, 0},
	{Shl, "shl", wide, d4 | 0xC1, rmImm, of{gum, count}, shifts, 0, 0},
	{Shr, "shr", wide, d5 | 0xD1, rm1, of{gum, once}, shifts, 0, 0},
	{Shr, "shr", wide, d5 | 0xC1, rmImm, of{gum, count}, shifts, 0, 0},
	{Sar, "sar", wide, d7 | 0xD1, rm1, of{gum, once}, shifts, 0, 0},
	{Sar, "sar", wide, d7 | 0xC1, rmImm, of{gum, count}, shifts, 0, 0},
	{Rol, "rol", wide, 0xD1, rm1, of{gum, once}, rotates, 0, 0},
	{Rol, "rol", wide, 0xC1, rmImm, of{gum, count}, rotates, 0, 0},
	{Ror, "ror", wide, d1 | 0xD1, rm1, of{gum, once}, rotates, 0, 0},
	{Ror, "ror", wide, d1 | 0xC1, rmImm, of{gum, count}, rotates, 0, 0},
	{ShlCL, "shl", wide, d4 | 0xD3, onlyRM, of{gum}, losesFlags, ReadsRCX, byCL},
	{ShrCL, "shr", wide, d5 | 0xD3, onlyRM, of{gum}, losesFlags, ReadsRCX, byCL},
	{SarCL, "sar", wide, d7 | 0xD3, onlyRM, of{gum}, losesFlags, ReadsRCX, byCL},
	{RolCL, "rol", wide, 0xD3, onlyRM, of{gum}, losesFlags, ReadsRCX, byCL},
	{RorCL, "ror", wide, d1 | 0xD3, onlyRM, of{gum}, losesFlags, ReadsRCX, byCL},

	{IMul, "imul", m0F | wide, 0xAF, rm, of{gu, grm}, multiplies, 0, 0},
	{IMulImm, "imul", wide, 0x6B, rmi, of{gw, grm, i8s}, multiplies, 0, 0},
	{IMulImm, "imul", wide, 0x69, rmi, of{gw, grm, i32}, multiplies, 0, 0},
	{Mul, "mul", wide, d4 | 0xF7, onlyRM, of{grm}, multiplies, ReadsRAX | WritesRAX | WritesRDX, 0},
	{IMulWide, "imul", wide, d5 | 0xF7, onlyRM, of{grm}, multiplies, ReadsRAX | WritesRAX | WritesRDX, 0},
	{Div, "div", wide, d6 | 0xF7, onlyRM, of{grm}, losesFlags, ReadsRAX | WritesRAX | ReadsRDX | WritesRDX | Traps, 0},
	{IDiv, "idiv", wide, d7 | 0xF7, onlyRM, of{grm}, losesFlags, ReadsRAX | WritesRAX | ReadsRDX | WritesRDX | Traps, 0},
	{SignRAX, "cdq", wide, 0x99, none, of{}, 0, ReadsRAX | WritesRDX, 0},
	{PopCnt, "popcnt", pF3 | m0F | wide, 0xB8, rm, of{gw, grm}, setsFlags, 0, 0},
	{LzCnt, "lzcnt", pF3 | m0F | wide, 0xBD, rm, of{gw, grm}, finds, 0, 0},
	{TzCnt, "tzcnt", pF3 | m0F | wide, 0xBC, rm, of{gw, grm}, finds, 0, 0},
	{BSwap, "bswap", m0F | wide, 0xC8, inCode, of{gu}, 0, 0, 0},
	{BT, "bt", m0F | wide, 0xA3, mr, of{gr, gr}, tests, 0, 0},
	{BT, "bt", m0F | wide, d4 | 0xBA, rmImm, of{grm, i8}, tests, 0, 0},

	{AndN, "andn", vex | m38 | wide, 0xF2, rvm, of{gw, gr, grm}, isolates, 0, 0},
	{BExtr, "bextr", vex | m38 | wide, 0xF7, rmv, of{gw, grm, gr}, extracts, 0, 0},
	{Bzhi, "bzhi", vex | m38 | wide, 0xF5, rmv, of{gw, grm, gr}, isolates, 0, 0},
	{BlsR, "blsr", vex | m38 | wide, d1 | 0xF3, vm, of{gw, grm}, isolates, 0, 0},
	{BlsMsk, "blsmsk", vex | m38 | wide, d2 | 0xF3, vm, of{gw, grm}, isolates, 0, 0},
	{BlsI, "blsi", vex | m38 | wide, d3 | 0xF3, vm, of{gw, grm}, isolates, 0, 0},
	{ShlX, "shlx", vex | p66 | m38 | wide, 0xF7, rmv, of{gw, grm, gr}, 0, 0, 0},
	{ShrX, "shrx", vex | pF2 | m38 | wide, 0xF7, rmv, of{gw, grm, gr}, 0, 0, 0},
	{SarX, "sarx", vex | pF3 | m38 | wide, 0xF7, rmv, of{gw, grm, gr}, 0, 0, 0},
	{RorX, "rorx", vex | pF2 | m3A | wide, 0xF0, rmi, of{gw, grm, i8}, 0, 0, 0},
	{MulX, "mulx", vex | pF2 | m38 | wide, 0xF6, rvm, of{gw, gw, grm}, 0, ReadsRDX, 0},
	{PDep, "pdep", vex | pF2 | m38 | wide, 0xF5, rvm, of{gw, gr, grm}, 0, 0, 0},
	{PExt, "pext", vex | pF3 | m38 | wide, 0xF5, rvm, of{gw, gr, grm}, 0, 0, 0},

	{Setcc, "set", m0F, 0x90, onlyRM, of{gu8}, 0, 0, conditional},
	{Cmovcc, "cmov", m0F | wide, 0x40, rm, of{gu, grm}, 0, 0, conditional},
	{Jcc, "j", 0, 0x70, branch, of{label}, 0, Jumps, conditional},
	{Jmp, "jmp", 0, 0xEB, branch, of{label}, 0, Jumps | Ends, 0},
	{Jmp, "jmp", 0, d4 | 0xFF, onlyRM, of{grm64}, 0, Jumps | Ends, 0},
	{Call, "call", 0, 0xE8, branch, of{label}, losesFlags, Calls | Stack | Stores, 0},
	{Call, "call", 0, d2 | 0xFF, onlyRM, of{grm64}, losesFlags, Calls | Stack | Stores, 0},
	{Ret, "ret", 0, 0xC3, none, of{}, 0, Ends | Stack | Loads, 0},
	{Push, "push", 0, 0x50, inCode, of{gr64}, 0, Stack | Stores, 0},
	{Pop, "pop", 0, 0x58, inCode, of{gw64}, 0, Stack | Loads, 0},

	{XAdd, "xadd", m0F | wide, 0xC1, mr, of{mu, gu}, setsFlags, 0, lockable},
	{CmpXchg, "cmpxchg", m0F | wide, 0xB1, mr, of{mu, gr}, setsFlags, ReadsRAX | WritesRAX, lockable},
	{XChg, "xchg", wide, 0x87, mr, of{mu, gu}, 0, 0, 0},
	{MFence, "mfence", m0F, d6 | 0xAE, fence, of{}, 0, Fences, 0},
	{SFence, "sfence", m0F, d7 | 0xAE, fence, of{}, 0, Fences, 0},
	{LFence, "lfence", m0F, d5 | 0xAE, fence, of{}, 0, Fences, 0},
	{Pause, "pause", pF3, 0x90, none, of{}, 0, 0, 0},
	{PrefetchT0, "prefetcht0", m0F, d1 | 0x18, onlyRM, of{mp}, 0, 0, 0},
	{PrefetchNTA, "prefetchnta", m0F, 0x18, onlyRM, of{mp}, 0, 0, 0},
	{Nop, "nop", 0, 0x90, none, of{}, 0, 0, 0},
	{UD2, "ud2", m0F, 0x0B, none, of{}, 0, Ends | Traps, 0},
	{Int3, "int3", 0, 0xCC, none, of{}, 0, Traps, 0},
}
