package neon

import (
	"math/bits"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file has the instructions of general registers.

// set puts an immediate into a register.
func (t *Translator) set(d arm64.Operand, s arm64.Shape, n int64) {
	u := uint64(n)
	words := 4
	if s == arm64.Narrow {
		u, words = uint64(uint32(n)), 2
	}
	allOnes := ^uint64(0) >> (64 - 16*words)
	ones, zeros := 0, 0
	for k := range words {
		switch uint16(u >> (16 * k)) {
		case 0:
			zeros++
		case 0xFFFF:
			ones++
		}
	}
	first, fill := arm64.MovZ, uint16(0)
	if ones > zeros {
		first, fill = arm64.MovN, 0xFFFF
		if u == allOnes {
			t.immediate(first, s, 0, d)
			return
		}
	} else if u == 0 {
		t.immediate(first, s, 0, d)
		return
	}
	begun := false
	for k := range words {
		part := uint16(u >> (16 * k))
		if part == fill {
			continue
		}
		o := arm64.MovK
		if !begun {
			o = first
			part ^= fill
			begun = true
		}
		t.immediate(o, s, int64(part), d)
		t.last().Amount = uint8(16 * k)
	}
}

// source returns operand k in a register, which is the given one if it comes from memory or is a
// number other than 0.
func (t *Translator) source(i *amd64.Instruction, k int, to arm64.Operand) arm64.Operand {
	switch o := i.Operands[k]; o.Kind() {
	case amd64.KindGeneral:
		return general(o)
	case amd64.KindImmediate:
		if i.Immediate == 0 {
			return zero
		}
		t.set(to, shapeOf(i.Width), i.Immediate)
		return to
	case amd64.KindMemory:
		t.access(arm64.Ldr, shapeOf(i.Width), to, t.address(&i.Address, bytesOf(i.Width), 0))
		return to
	}
	t.fail("it has an operand of another kind")
	return to
}

// access emits a load or store.
func (t *Translator) access(o arm64.Op, s arm64.Shape, r arm64.Operand, at arm64.Address) {
	t.emit(o, s, r, arm64.Mem)
	t.last().Address = at
}

// immediateOf returns the value of an immediate operand, if it is from 0 to 4095.
func immediateOf(i *amd64.Instruction, k int) (int64, bool) {
	return i.Immediate, i.Operands[k] == amd64.Imm && i.Immediate >= 0 && i.Immediate < 1<<12
}

// makeArithmetic makes what computes an operand and another one to the first: r.op, and r.flagged
// if flags are read, which r.sets says of what they are.
func makeArithmetic(t *Translator, i *amd64.Instruction, r *row) {
	s := shapeOf(i.Width)
	o, d := r.op, arm64.Operand(0)
	var at arm64.Address
	if i.Address.Locked {
		t.fail("it is locked")
		return
	}
	if inMemory := i.Operands[0] == amd64.Mem; inMemory {
		at, d = t.address(&i.Address, bytesOf(i.Width), 0), helpers[0]
		t.access(arm64.Ldr, s, d, at)
	} else {
		d = general(i.Operands[0])
	}
	if t.flagsUsed[t.at] {
		if o = r.flagged; o == 0 {
			t.fail("a condition reads its flags")
			return
		}
		t.setFlags(r.sets)
	}
	to := d
	if r.forgets {
		to, o = zero, r.flagged
		t.setFlags(r.sets)
	}
	n, small := immediateOf(i, 1)
	switch small = small && (r.op == arm64.Add || r.op == arm64.Sub); {
	case small:
		t.immediate(o, s, n, to, d)
	case i.Operands[1] == amd64.Imm && r.op == arm64.Add && o == arm64.Add && i.Immediate < 0 && i.Immediate > -1<<12:
		t.immediate(arm64.Sub, s, -i.Immediate, to, d)
	// the lowest bits
	case i.Operands[1] == amd64.Imm && o == arm64.And && i.Immediate > 0 && i.Immediate&(i.Immediate+1) == 0:
		t.immediate(arm64.Ubfx, s, 0, to, d)
		t.last().Amount = uint8(bits.Len64(uint64(i.Immediate)))
	default:
		t.emit(o, s, to, d, t.source(i, 1, value))
	}
	if i.Operands[0] == amd64.Mem && !r.forgets {
		t.access(arm64.Str, s, d, at)
	}
}

// makeMov makes moves between registers, memory and immediates.
func makeMov(t *Translator, i *amd64.Instruction, _ *row) {
	s := shapeOf(i.Width)
	switch d, x := i.Operands[0], i.Operands[1]; {
	case d == amd64.Mem:
		at := t.address(&i.Address, bytesOf(i.Width), 0)
		t.access(arm64.Str, s, t.source(i, 1, value), at)
	case x == amd64.Mem:
		t.access(arm64.Ldr, s, general(d), t.address(&i.Address, bytesOf(i.Width), 0))
	case x == amd64.Imm:
		t.set(general(d), s, i.Immediate)
	default:
		t.emit(arm64.Orr, s, general(d), zero, general(x))
	}
}

// makeStorePart stores the lower bits of a register, or an immediate: r.op.
func makeStorePart(t *Translator, i *amd64.Instruction, r *row) {
	at := t.address(&i.Address, int32(r.size), 0)
	t.access(r.op, arm64.Narrow, t.source(i, 1, value), at)
}

// makeExtend extends r.size bytes of a register, by r.op, or of memory, by r.load.
func makeExtend(t *Translator, i *amd64.Instruction, r *row) {
	d := general(i.Operands[0])
	if i.Operands[1] == amd64.Mem {
		s := shapeOf(i.Width)
		if r.op == arm64.Ubfx {
			s = arm64.Narrow
		}
		t.access(r.load, s, d, t.address(&i.Address, int32(r.size), 0))
		return
	}
	t.immediate(r.op, shapeOf(i.Width), 0, d, general(i.Operands[1]))
	t.last().Amount = 8 * r.size
}

func makeLea(t *Translator, i *amd64.Instruction, _ *row) {
	s, d := shapeOf(i.Width), general(i.Operands[0])
	a := &i.Address
	base := zero
	displacement := int64(a.Displacement)
	switch {
	case a.Base.Kind() == amd64.KindConstant:
		_, at := t.pool.At(a.Base)
		base, displacement = constants, displacement+int64(at)
	case a.Base.Kind() == amd64.KindGeneral:
		base = general(a.Base)
	case a.Base != 0:
		t.fail("it has the address of a label")
	}
	if a.Index != 0 {
		to := d
		if displacement != 0 {
			to = scratch
		}
		shift := uint8(bits.TrailingZeros8(a.Scale))
		if base == zero {
			t.immediate(arm64.Lsl, s, int64(shift), to, general(a.Index))
		} else {
			t.emit(arm64.Add, s, to, base, general(a.Index))
			if shift > 0 {
				t.last().Extend, t.last().Amount = arm64.LSL, shift
			}
		}
		base = to
	}
	switch {
	case base == zero:
		t.set(d, s, displacement)
	case displacement == 0 && a.Index != 0:
	default:
		t.sum(d, s, base, displacement)
	}
}

// sum adds an immediate.
func (t *Translator) sum(d arm64.Operand, s arm64.Shape, x arm64.Operand, n int64) {
	switch {
	case n >= 0 && n < 1<<12:
		t.immediate(arm64.Add, s, n, d, x)
	case n < 0 && n > -1<<12:
		t.immediate(arm64.Sub, s, -n, d, x)
	default:
		t.set(value, s, n)
		t.emit(arm64.Add, s, d, x, value)
	}
}

// makeOfOne makes what computes of the one operand that it replaces: r.op of zero and that.
func makeOfOne(t *Translator, i *amd64.Instruction, r *row) {
	if i.Operands[0] == amd64.Mem {
		t.fail("it is in memory")
		return
	}
	d := general(i.Operands[0])
	o := r.op
	if t.flagsUsed[t.at] {
		if o = r.flagged; o == 0 {
			t.fail("a condition reads its flags")
			return
		}
		t.setFlags(r.sets)
	}
	t.emit(o, shapeOf(i.Width), d, zero, d)
}

// makeShift shifts by an immediate.
func makeShift(t *Translator, i *amd64.Instruction, r *row) {
	t.keepFlags()
	n := i.Immediate & int64(8*bytesOf(i.Width)-1)
	if i.Operands[0] == amd64.Mem || i.Operands[1] != amd64.Imm {
		t.fail("it is in memory")
		return
	}
	d := general(i.Operands[0])
	t.immediate(r.op, shapeOf(i.Width), n, d, d)
}

// makeShiftBy shifts by a register.
func makeShiftBy(t *Translator, i *amd64.Instruction, r *row) {
	t.emit(r.op, shapeOf(i.Width), general(i.Operands[0]), t.source(i, 1, value), general(i.Operands[2]))
}

func makeMultiply(t *Translator, i *amd64.Instruction, _ *row) {
	t.keepFlags()
	s, d := shapeOf(i.Width), general(i.Operands[0])
	if i.Op == amd64.IMul {
		t.emit(arm64.MAdd, s, d, d, t.source(i, 1, value), zero)
		return
	}
	x := t.source(i, 1, helpers[0])
	t.set(value, s, i.Immediate)
	t.emit(arm64.MAdd, s, d, x, value, zero)
}

// makeCount counts bits.
func makeCount(t *Translator, i *amd64.Instruction, r *row) {
	t.keepFlags()
	s, d := shapeOf(i.Width), general(i.Operands[0])
	x := t.source(i, 1, value)
	switch i.Op {
	case amd64.LzCnt:
		t.emit(arm64.Clz, s, d, x)
	case amd64.TzCnt:
		t.emit(arm64.Rbit, s, d, x)
		t.emit(arm64.Clz, s, d, d)
	default:
		f := arm64.Single
		if s == arm64.Wide {
			f = arm64.Double
		}
		t.emit(arm64.FMov, f, spare[0], x)
		t.emit(arm64.VCnt, arm64.B8, spare[0], spare[0])
		t.emit(arm64.VAddV, arm64.B8, spare[0], spare[0])
		t.emit(arm64.FMov, arm64.Single, d, spare[0])
	}
}

// makeBlsR takes the lowest bit away.
func makeBlsR(t *Translator, i *amd64.Instruction, _ *row) {
	s, d := shapeOf(i.Width), general(i.Operands[0])
	x := t.source(i, 1, value)
	t.immediate(arm64.Sub, s, 1, helpers[0], x)
	o := arm64.And
	if t.flagsUsed[t.at] {
		o = arm64.Ands
		t.setFlags(ofZero)
	}
	t.emit(o, s, d, x, helpers[0])
}
