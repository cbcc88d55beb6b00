package neon

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file is about flags: what has set them, and which conditions may read them then.

// flagSource is what has set flags.
type flagSource uint8

const (
	ofNothing    flagSource = iota
	ofDifference            // the carry of x86 is a borrow, that of AArch64 is none
	ofBits                  // of a result alone: x86 has no carry then, nor an overflow
	ofZero                  // whether something is zero
	flagSources
)

// absent is for conditions that have no equivalent.
const absent = arm64.Always

// conditionRows have the equivalent condition, by what has set the flags.
var conditionRows = [flagSources][16]arm64.Condition{
	ofNothing: {absent, absent, absent, absent, absent, absent, absent, absent, absent, absent, absent, absent, absent, absent, absent, absent},
	ofDifference: {amd64.Overflow: arm64.Overflow, amd64.NotOverflow: arm64.NoOverflow, amd64.Below: arm64.Lower, amd64.AboveEqual: arm64.HigherSame,
		amd64.Equal: arm64.Equal, amd64.NotEqual: arm64.NotEqual, amd64.BelowEqual: arm64.LowerSame, amd64.Above: arm64.Higher, amd64.Sign: arm64.Minus,
		amd64.NotSign: arm64.Plus, amd64.Parity: absent, amd64.NotParity: absent, amd64.Less: arm64.Less, amd64.GreaterEqual: arm64.GreaterEqual,
		amd64.LessEqual: arm64.LessEqual, amd64.Greater: arm64.Greater},
	ofBits: {amd64.Overflow: absent, amd64.NotOverflow: absent, amd64.Below: absent, amd64.AboveEqual: absent,
		amd64.Equal: arm64.Equal, amd64.NotEqual: arm64.NotEqual, amd64.BelowEqual: absent, amd64.Above: absent, amd64.Sign: arm64.Minus,
		amd64.NotSign: arm64.Plus, amd64.Parity: absent, amd64.NotParity: absent, amd64.Less: arm64.Less, amd64.GreaterEqual: arm64.GreaterEqual,
		amd64.LessEqual: arm64.LessEqual, amd64.Greater: arm64.Greater},
	ofZero: {amd64.Overflow: absent, amd64.NotOverflow: absent, amd64.Below: absent, amd64.AboveEqual: absent,
		amd64.Equal: arm64.Equal, amd64.NotEqual: arm64.NotEqual, amd64.BelowEqual: absent, amd64.Above: absent, amd64.Sign: absent,
		amd64.NotSign: absent, amd64.Parity: absent, amd64.NotParity: absent, amd64.Less: absent, amd64.GreaterEqual: absent,
		amd64.LessEqual: absent, amd64.Greater: absent},
}

// condition returns the equivalent of a condition of x86.
func (t *Translator) condition(c amd64.Condition) arm64.Condition {
	found := conditionRows[t.flags][c&15]
	if found == absent {
		t.fail("nothing has set the flags that its condition reads")
		return arm64.Equal
	}
	return found
}

// sets notes what has set the flags that conditions read.
func (t *Translator) setFlags(s flagSource) { t.flags = s }

// keeps refuses an instruction whose flags are read and not made.
func (t *Translator) keepFlags() {
	if t.flagsUsed[t.at] {
		t.fail("a condition reads its flags")
	}
}

func makeJcc(t *Translator, i *amd64.Instruction, _ *row) {
	t.emit(arm64.Bcc, arm64.Wide, arm64.Label(i.Operands[0].Number()))
	t.last().Condition = t.condition(i.Condition)
}

func makeJmp(t *Translator, i *amd64.Instruction, _ *row) {
	if i.Operands[0].Kind() != amd64.KindLabel {
		t.fail("it jumps to no label")
		return
	}
	t.emit(arm64.B, arm64.Wide, arm64.Label(i.Operands[0].Number()))
}

func makeMark(t *Translator, i *amd64.Instruction, _ *row) {
	t.emit(arm64.Mark, arm64.Wide, arm64.Label(i.Operands[0].Number()))
	t.flags = ofNothing
}

// makeUD2 traps.
func makeUD2(t *Translator, _ *amd64.Instruction, _ *row) {
	t.immediate(arm64.Brk, arm64.Wide, 0)
}

func makeRet(t *Translator, _ *amd64.Instruction, _ *row) { t.emit(arm64.Ret, arm64.Wide, link) }

// makeSetcc writes the lower 8 bits and keeps the others.
func makeSetcc(t *Translator, i *amd64.Instruction, _ *row) {
	if !i.Operands[0].IsRegister() {
		t.fail("it stores")
		return
	}
	t.emit(arm64.CSInc, arm64.Narrow, value, zero, zero)
	t.last().Condition = t.condition(i.Condition).Negated()
	t.immediate(arm64.Bfi, arm64.Wide, 0, general(i.Operands[0]), value)
	t.last().Amount = 8
}

func makeCmovcc(t *Translator, i *amd64.Instruction, _ *row) {
	s, d := shapeOf(i.Width), general(i.Operands[0])
	x := t.source(i, 1, value)
	t.emit(arm64.CSel, s, d, x, d)
	t.last().Condition = t.condition(i.Condition)
}
