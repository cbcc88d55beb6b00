package neon

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file has the instructions of vectors whose lanes go to other positions, or become wider or
// narrower.

// registerOf returns vector k of an instruction that is taken from no memory.
func (t *Translator) registerOf(i *amd64.Instruction, k int) pair {
	if i.Operands[k].Kind() != amd64.KindVector {
		t.fail("it takes memory")
		return loaded
	}
	return vector(i.Operands[k])
}

// makeOne moves one element of r.shape between a general register or memory and the lowest lane;
// the other lanes become zero.
func makeOne(t *Translator, i *amd64.Instruction, r *row) {
	d, x := i.Operands[0], i.Operands[1]
	switch {
	case d.Kind() == amd64.KindGeneral:
		t.emit(arm64.FMov, r.lane, general(d), t.registerOf(i, 1)[0])
		return
	case d == amd64.Mem:
		t.access(arm64.Str, r.lane, t.registerOf(i, 1)[0], t.address(&i.Address, int32(r.size), 0))
		return
	case x.Kind() == amd64.KindGeneral:
		t.emit(arm64.FMov, r.lane, vector(d)[0], general(x))
	case x == amd64.Mem:
		t.access(arm64.Ldr, r.lane, vector(d)[0], t.address(&i.Address, int32(r.size), 0))
	default:
		t.emit(arm64.FMov, r.lane, vector(d)[0], vector(x)[0])
	}
	t.clear(vector(d)[1])
}

// makeBroadcast puts the lowest element, or one of memory, into all lanes.
func makeBroadcast(t *Translator, i *amd64.Instruction, r *row) {
	d := vector(i.Operands[0])
	if i.Operands[1] == amd64.Mem {
		base := t.register(&i.Address)
		t.emit(arm64.Ld1R, r.shape, d[0], arm64.Mem)
		t.last().Address = arm64.At(base, 0)
	} else {
		t.emit(arm64.VDup, r.shape, d[0], t.registerOf(i, 1)[0])
	}
	if i.Width == amd64.Wide {
		t.move(d[1], d[0])
	}
	t.clearUpper(i, d)
}

// makeExtract takes one half.
func makeExtract(t *Translator, i *amd64.Instruction, _ *row) {
	x := vector(i.Operands[1])[i.Immediate&1]
	if i.Operands[0] == amd64.Mem {
		t.access(arm64.Str, arm64.Quad, x, t.address(&i.Address, 16, 0))
		return
	}
	d := vector(i.Operands[0])
	t.move(d[0], x)
	t.clear(d[1])
}

// makeInsert puts the lower half of the second operand in the position of one of the first.
func makeInsert(t *Translator, i *amd64.Instruction, _ *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	n := i.Immediate & 1
	if i.Operands[2] == amd64.Mem {
		t.move(d[1-n], x[1-n])
		t.access(arm64.Ldr, arm64.Quad, d[n], t.address(&i.Address, 16, 0))
		return
	}
	y := t.registerOf(i, 2)
	if n == 1 && d[0] == y[0] { // it is needed above
		t.move(d[1], y[0])
		t.move(d[0], x[0])
		return
	}
	t.move(d[1-n], x[1-n])
	t.move(d[n], y[0])
}

// makeHalves takes two halves of four (vperm2i128).
func makeHalves(t *Translator, i *amd64.Instruction, _ *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	if i.Immediate&0x88 != 0 {
		t.fail("it makes zeros")
		return
	}
	all := [4]arm64.Operand{x[0], x[1], y[0], y[1]}
	low, high := all[i.Immediate&3], all[i.Immediate>>4&3]
	if high == d[0] {
		t.move(spare[0], high)
		high = spare[0]
	}
	t.move(d[0], low)
	t.move(d[1], high)
}

// element puts an element of a register into another register.
func (t *Translator) element(r *row, d arm64.Operand, to int, x arm64.Operand, from int64) {
	t.emit(arm64.VIns, r.lane, d, x)
	t.last().Amount, t.last().Element = uint8(to), uint8(from)
}

// makePermuteLongs chooses four longs of a vector.
func makePermuteLongs(t *Translator, i *amd64.Instruction, r *row) {
	d, x := vector(i.Operands[0]), t.fetch(i, 1)
	if i.Immediate == 0xD8 { // the even ones, and the odd ones
		t.emit(arm64.VZip1, arm64.D2, spare[0], x[0], x[1])
		t.emit(arm64.VZip2, arm64.D2, d[1], x[0], x[1])
		t.move(d[0], spare[0])
		return
	}
	for n := range 4 {
		at := i.Immediate >> (2 * n) & 3
		t.element(r, spare[n/2], n%2, x[at/2], at%2)
	}
	t.move(d[0], spare[0])
	t.move(d[1], spare[1])
}

// makePermuteWords chooses eight words of the last operand by indices, of which three bits count:
// bytes are looked up in both halves.
func makePermuteWords(t *Translator, i *amd64.Instruction, _ *row) {
	d, which, x := vector(i.Operands[0]), vector(i.Operands[1]), t.registerOf(i, 2)
	all := loaded[0]
	for n := range spare { // the numbers of bytes are four times that of the word, and 0 to 3 more
		t.immediate(arm64.VShl, arm64.S4, 29, spare[n], which[n])
		t.immediate(arm64.VUShr, arm64.S4, 29, spare[n], spare[n])
	}
	t.set(value, arm64.Narrow, 0x04040404)
	t.emit(arm64.VDup, arm64.S4, all, value)
	for n := range spare {
		t.emit(arm64.VMul, arm64.S4, spare[n], spare[n], all)
	}
	t.set(value, arm64.Narrow, 0x03020100)
	t.emit(arm64.VDup, arm64.S4, all, value)
	for n := range spare {
		t.emit(arm64.VAdd, arm64.S4, spare[n], spare[n], all)
		t.emit(arm64.VTbl2, arm64.B16, spare[n], x[0], spare[n])
	}
	for n := range spare {
		t.move(d[n], spare[n])
	}
}

// makeShuffle chooses two words of the first operand and two of the second, in each half.
func makeShuffle(t *Translator, i *amd64.Instruction, r *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	for n := range halvesOf(i) {
		switch i.Immediate {
		case 0x88:
			t.emit(arm64.VUzp1, arm64.S4, d[n], x[n], y[n])
		case 0xDD:
			t.emit(arm64.VUzp2, arm64.S4, d[n], x[n], y[n])
		default:
			for k := range 4 {
				from := x[n]
				if k >= 2 {
					from = y[n]
				}
				t.element(r, spare[0], k, from, i.Immediate>>(2*k)&3)
			}
			t.move(d[n], spare[0])
		}
	}
	t.clearUpper(i, d)
}

// makeLookUp looks bytes up in a table of 16, in each half; where an index has its highest bit set,
// the byte is zero.
func makeLookUp(t *Translator, i *amd64.Instruction, _ *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	t.immediate(arm64.VMovI, arm64.B16, 0x8F, spare[1])
	for n := range halvesOf(i) {
		t.emit(arm64.VAnd, arm64.B16, spare[0], y[n], spare[1])
		t.emit(arm64.VTbl, arm64.B16, d[n], x[n], spare[0])
	}
	t.clearUpper(i, d)
}

// makePack makes elements of half the width, as near as they come: those of the first operand and
// those of the second, in each half.
func makePack(t *Translator, i *amd64.Instruction, r *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	for n := range halvesOf(i) {
		to := target(d[n], y[n])
		t.emit(r.op, r.shape-1, to, x[n])
		t.emit(r.op, r.shape, to, y[n])
		t.move(d[n], to)
	}
	t.clearUpper(i, d)
}

// makeWiden makes elements twice as wide of those of the lower half: r.op, with r.shape of a whole
// vector of narrow elements.
func makeWiden(t *Translator, i *amd64.Instruction, r *row) {
	d, x := vector(i.Operands[0]), t.registerOf(i, 1)
	widen := func(s arm64.Shape, to arm64.Operand) {
		if r.op == arm64.VFCvtL {
			t.emit(r.op, s, to, x[0])
		} else {
			t.immediate(r.op, s, 0, to, x[0])
		}
		if r.then != 0 {
			t.emit(r.then, arm64.D2, to, to)
		}
	}
	if i.Width == amd64.Wide {
		widen(r.shape, d[1])
	}
	widen(r.shape-1, d[0])
	t.clearUpper(i, d)
}

// makeNarrow makes elements of half the width of all: r.op, with r.shape of a whole vector of
// narrow ones. If there is r.then, that is done first. The upper half becomes zero.
func makeNarrow(t *Translator, i *amd64.Instruction, r *row) {
	if i.Operands[0] == amd64.Mem || i.Operands[2] == amd64.Imm && i.Immediate != amd64.HalfNearest || i.Width != amd64.Wide {
		t.fail("it has another form")
		return
	}
	d, x := vector(i.Operands[0]), t.fetch(i, 1)
	to := spare[0]
	if r.then != 0 {
		to = loaded[0]
		t.emit(r.then, arm64.D2, spare[0], x[0])
		t.emit(r.then, arm64.D2, spare[1], x[1])
		x = spare
	}
	t.emit(r.op, r.shape-1, to, x[0])
	t.emit(r.op, r.shape, to, x[1])
	t.move(d[0], to)
	t.clear(d[1])
}
