package neon

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file has the instructions of vectors whose lanes stay where they are.

// makeEach makes r.op of each half of all operands but the first.
func makeEach(t *Translator, i *amd64.Instruction, r *row) {
	d := vector(i.Operands[0])
	if i.Operands[2] == 0 {
		x := t.fetch(i, 1)
		for n := range halvesOf(i) {
			t.emit(r.op, r.shape, d[n], x[n])
		}
	} else {
		x, y := vector(i.Operands[1]), t.fetch(i, 2)
		if r.swapped {
			x, y = y, x
		}
		for n := range halvesOf(i) {
			t.emit(r.op, r.shape, d[n], x[n], y[n])
		}
	}
	t.clearUpper(i, d)
}

// makeXor is makeEach, but for what makes a register zero.
func makeXor(t *Translator, i *amd64.Instruction, r *row) {
	if i.Operands[1] != i.Operands[2] {
		makeEach(t, i, r)
		return
	}
	for _, d := range vector(i.Operands[0]) {
		t.clear(d)
	}
}

// target is where a result is made of several instructions that read these operands to the end: in
// the register itself if it is none of them.
func target(d arm64.Operand, read ...arm64.Operand) arm64.Operand {
	for _, x := range read {
		if d == x {
			return spare[0]
		}
	}
	return d
}

// makeLesser makes the first operand where r.op holds of the second and it, and else the second:
// that is so, too, where one is a NaN, or both are zeros. If r.swapped, r.op compares the first
// and the second.
func makeLesser(t *Translator, i *amd64.Instruction, r *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	for n := range halvesOf(i) {
		to := target(d[n], x[n], y[n])
		a, b := y[n], x[n]
		if r.swapped {
			a, b = b, a
		}
		t.emit(r.op, r.shape, to, a, b)
		t.emit(arm64.VBsl, arm64.B16, to, x[n], y[n])
		t.move(d[n], to)
	}
	t.clearUpper(i, d)
}

// makeBlend takes lanes of r.shape of the second operand where the sign of the mask, the last one,
// is set.
func makeBlend(t *Translator, i *amd64.Instruction, r *row) {
	d, x, mask := vector(i.Operands[0]), vector(i.Operands[1]), vector(i.Operands[3])
	y := t.fetch(i, 2)
	for n := range halvesOf(i) {
		to := target(d[n], x[n], y[n])
		t.immediate(arm64.VCmLt, r.shape, 0, to, mask[n])
		switch d[n] {
		case x[n]:
			t.emit(arm64.VBit, arm64.B16, d[n], y[n], to)
		case y[n]:
			t.emit(arm64.VBif, arm64.B16, d[n], x[n], to)
		default:
			t.emit(arm64.VBsl, arm64.B16, to, y[n], x[n])
		}
	}
	t.clearUpper(i, d)
}

// makeShiftLanes shifts lanes of r.shape by an immediate: r.op, of which there is none by 0. Those
// with as many bits or more are of zeros or, if r.signed, of the sign.
func makeShiftLanes(t *Translator, i *amd64.Instruction, r *row) {
	if i.Operands[2] != amd64.Imm {
		t.fail("it shifts by a vector")
		return
	}
	d, x := vector(i.Operands[0]), t.fetch(i, 1)
	most := int64(8 * r.size)
	n := i.Immediate & 0xFF
	if r.signed {
		n = min(n, most)
	}
	for k := range halvesOf(i) {
		switch {
		case n == 0:
			t.move(d[k], x[k])
		case n >= most && !r.signed:
			t.clear(d[k])
		default:
			t.immediate(r.op, r.shape, n, d[k], x[k])
		}
	}
	t.clearUpper(i, d)
}

// makeShiftEach shifts each lane by its own amount, to the right if r.swapped. What shifts here
// takes the lowest byte of it, with a sign, so that numbers are kept from being larger than there
// are bits.
func makeShiftEach(t *Translator, i *amd64.Instruction, r *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	by, limit := spare[0], spare[1]
	if r.shape == arm64.S4 {
		t.immediate(arm64.VMovI, arm64.S4, 32, limit)
	} else {
		t.immediate(arm64.MovZ, arm64.Narrow, 64, value)
		t.emit(arm64.VDup, arm64.D2, limit, value)
	}
	for n := range halvesOf(i) {
		if r.shape == arm64.S4 {
			t.emit(arm64.VUMin, arm64.S4, by, y[n], limit)
		} else { // the lesser of longs
			t.emit(arm64.VCmHi, arm64.D2, by, limit, y[n])
			t.emit(arm64.VBsl, arm64.B16, by, y[n], limit)
		}
		if r.swapped {
			t.emit(arm64.VNeg, r.shape, by, by)
		}
		t.emit(r.op, r.shape, d[n], x[n], by)
	}
	t.clearUpper(i, d)
}

// makeSign makes the first operand with the sign of the second: the negative where that is below
// zero, zero where it is zero.
func makeSign(t *Translator, i *amd64.Instruction, _ *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	for n := range halvesOf(i) {
		t.immediate(arm64.VCmLt, arm64.S4, 0, spare[0], y[n])
		t.emit(arm64.VNeg, arm64.S4, spare[1], x[n])
		t.emit(arm64.VBsl, arm64.B16, spare[0], spare[1], x[n])
		t.emit(arm64.VCmTst, arm64.S4, spare[1], y[n], y[n])
		t.emit(arm64.VAnd, arm64.B16, d[n], spare[0], spare[1])
	}
	t.clearUpper(i, d)
}

// makeLongProduct multiplies the lower words of longs: r.op.
func makeLongProduct(t *Translator, i *amd64.Instruction, r *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	for n := range halvesOf(i) {
		t.emit(arm64.VXtn, arm64.S2, spare[0], x[n])
		t.emit(arm64.VXtn, arm64.S2, spare[1], y[n])
		t.emit(r.op, arm64.S2, d[n], spare[0], spare[1])
	}
	t.clearUpper(i, d)
}

// makeProductPairs adds the products of both halves of words, with signs.
func makeProductPairs(t *Translator, i *amd64.Instruction, _ *row) {
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	low, high := spare[0], spare[1]
	half := func(o arm64.Op, r, from arm64.Operand) { t.immediate(o, arm64.S4, 16, r, from) }
	for n := range halvesOf(i) {
		half(arm64.VShl, low, x[n])
		half(arm64.VSShr, low, low)
		half(arm64.VShl, high, y[n])
		half(arm64.VSShr, high, high)
		t.emit(arm64.VMul, arm64.S4, low, low, high)
		// The destination is one of the operands, perhaps, which is read last.
		if d[n] == x[n] {
			half(arm64.VSShr, high, y[n])
			half(arm64.VSShr, d[n], x[n])
		} else {
			half(arm64.VSShr, high, x[n])
			half(arm64.VSShr, d[n], y[n])
		}
		t.emit(arm64.VMul, arm64.S4, d[n], d[n], high)
		t.emit(arm64.VAdd, arm64.S4, d[n], d[n], low)
	}
	t.clearUpper(i, d)
}

// makeFused multiplies and adds, rounded once. r.digits says which operands are multiplied, and
// which is added.
func makeFused(t *Translator, i *amd64.Instruction, r *row) {
	y := t.fetch(i, 2)
	all := [4]pair{1: vector(i.Operands[0]), 2: vector(i.Operands[1]), 3: y}
	d := all[1]
	for n := range halvesOf(i) {
		x, y, sum := all[r.digits[0]][n], all[r.digits[1]][n], all[r.digits[2]][n]
		if sum == d[n] {
			t.emit(arm64.VFMla, r.shape, d[n], x, y)
			continue
		}
		t.move(spare[0], sum)
		t.emit(arm64.VFMla, r.shape, spare[0], x, y)
		t.move(d[n], spare[0])
	}
	t.clearUpper(i, d)
}

// comparison is how a predicate of floats is computed.
type comparison struct {
	op      arm64.Op
	swapped bool
	negated bool
	ordered bool // whether neither is a NaN: each is compared with itself
	either  bool // whether one is larger than the other
}

// comparisons are by predicate.
var comparisons = [32]comparison{
	amd64.CompareEQ:    {op: arm64.VFCmEq},
	amd64.CompareLT:    {op: arm64.VFCmGt, swapped: true},
	amd64.CompareLE:    {op: arm64.VFCmGe, swapped: true},
	amd64.CompareGT:    {op: arm64.VFCmGt},
	amd64.CompareGE:    {op: arm64.VFCmGe},
	amd64.CompareNEQ:   {op: arm64.VFCmEq, negated: true},
	amd64.CompareNLT:   {op: arm64.VFCmGt, swapped: true, negated: true},
	amd64.CompareNLE:   {op: arm64.VFCmGe, swapped: true, negated: true},
	amd64.CompareORD:   {op: arm64.VFCmEq, ordered: true},
	amd64.CompareUNORD: {op: arm64.VFCmEq, ordered: true, negated: true},
	amd64.CompareNEQO:  {op: arm64.VFCmGt, either: true},
	amd64.CompareEQU:   {op: arm64.VFCmGt, either: true, negated: true},
}

// makeCompareFloats compares floats of r.shape.
func makeCompareFloats(t *Translator, i *amd64.Instruction, r *row) {
	c := &comparisons[i.Immediate&31]
	if c.op == 0 {
		t.fail("it has another predicate")
		return
	}
	d, x := vector(i.Operands[0]), vector(i.Operands[1])
	y := t.fetch(i, 2)
	for n := range halvesOf(i) {
		a, b := x[n], y[n]
		switch {
		case c.ordered && a == b:
			t.emit(c.op, r.shape, d[n], a, b)
		case c.ordered:
			t.emit(c.op, r.shape, spare[0], a, a)
			t.emit(c.op, r.shape, spare[1], b, b)
			t.emit(arm64.VAnd, arm64.B16, d[n], spare[0], spare[1])
		case c.either:
			t.emit(c.op, r.shape, spare[0], a, b)
			t.emit(c.op, r.shape, spare[1], b, a)
			t.emit(arm64.VOrr, arm64.B16, d[n], spare[0], spare[1])
		case c.swapped:
			t.emit(c.op, r.shape, d[n], b, a)
		default:
			t.emit(c.op, r.shape, d[n], a, b)
		}
		if c.negated {
			t.emit(arm64.VNot, arm64.B16, d[n], d[n])
		}
	}
	t.clearUpper(i, d)
}

// roundings are the instructions by what the immediate says.
var roundings = [...]arm64.Op{arm64.VFRintN, arm64.VFRintM, arm64.VFRintP, arm64.VFRintZ}

// makeRound rounds floats of r.shape to integers.
func makeRound(t *Translator, i *amd64.Instruction, r *row) {
	if i.Immediate&^3 != amd64.RoundNearest {
		t.fail("it rounds in another way")
		return
	}
	d, x := vector(i.Operands[0]), t.fetch(i, 1)
	for n := range halvesOf(i) {
		t.emit(roundings[i.Immediate&3], r.shape, d[n], x[n])
	}
	t.clearUpper(i, d)
}

// makeTest tests whether two vectors have a bit in common.
func makeTest(t *Translator, i *amd64.Instruction, _ *row) {
	x := vector(i.Operands[0])
	y := t.fetch(i, 1)
	if y != x {
		for n := range halvesOf(i) {
			t.emit(arm64.VAnd, arm64.B16, spare[n], x[n], y[n])
		}
		x = spare
	}
	if halvesOf(i) == 2 {
		t.emit(arm64.VOrr, arm64.B16, spare[0], x[0], x[1])
		x = spare
	}
	t.emit(arm64.VUMaxV, arm64.S4, spare[0], x[0])
	t.emit(arm64.FMov, arm64.Single, value, spare[0])
	t.emit(arm64.Subs, arm64.Narrow, zero, value, zero)
	t.setFlags(ofZero)
}

// makeMaskBits has a bit for the sign of each of eight words.
func makeMaskBits(t *Translator, i *amd64.Instruction, _ *row) {
	x := vector(i.Operands[1])
	all := amd64.Instruction{Address: amd64.At(t.lanes, 0)}
	t.halves(arm64.Ldr, &all, loaded)
	for n := range halvesOf(i) {
		t.immediate(arm64.VCmLt, arm64.S4, 0, spare[n], x[n])
		t.emit(arm64.VAnd, arm64.B16, spare[n], spare[n], loaded[n])
	}
	if halvesOf(i) == 2 {
		t.emit(arm64.VOrr, arm64.B16, spare[0], spare[0], spare[1])
	}
	t.emit(arm64.VAddV, arm64.S4, spare[0], spare[0])
	t.emit(arm64.FMov, arm64.Single, general(i.Operands[0]), spare[0])
}
