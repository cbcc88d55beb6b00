package neon

import (
	"encoding/binary"
	"math/bits"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file has addresses, and what accesses memory lane by lane or at once with others.

// address returns that of accesses of size bytes, the last of which is more bytes after. It may
// take the register for addresses.
func (t *Translator) address(a *amd64.Address, size, more int32) arm64.Address {
	base, displacement := zero, a.Displacement
	switch a.Base.Kind() {
	case amd64.KindConstant:
		_, at := t.pool.At(a.Base)
		base, displacement = constants, displacement+at
	case amd64.KindGeneral:
		base = general(a.Base)
	case amd64.NoOperand:
	default:
		t.fail("its address begins with a label")
	}
	if a.Index != 0 {
		shift := uint8(bits.TrailingZeros8(a.Scale))
		if base != zero && displacement == 0 && more == 0 && (shift == 0 || 1<<shift == size) {
			return arm64.Indexed(base, general(a.Index), arm64.LSL, shift)
		}
		t.emit(arm64.Add, arm64.Wide, scratch, base, general(a.Index))
		if shift > 0 {
			t.last().Extend, t.last().Amount = arm64.LSL, shift
		}
		base = scratch
	}
	if base == zero {
		t.set(scratch, arm64.Wide, int64(displacement))
		return arm64.At(scratch, 0)
	}
	if reaches(displacement, size) && reaches(displacement+more, size) {
		return arm64.At(base, displacement)
	}
	t.sum(scratch, arm64.Wide, base, int64(displacement))
	return arm64.At(scratch, 0)
}

// reaches reports whether accesses of that size have room for a displacement.
func reaches(displacement, size int32) bool {
	return displacement >= -256 && displacement < 256 || displacement >= 0 && displacement%size == 0 && displacement < size<<12
}

// register returns an address in a register.
func (t *Translator) register(a *amd64.Address) arm64.Operand {
	at := t.address(a, 1, 0)
	switch {
	case at.Index != 0:
		t.emit(arm64.Add, arm64.Wide, scratch, at.Base, at.Index)
	case at.Displacement != 0:
		t.sum(scratch, arm64.Wide, at.Base, int64(at.Displacement))
	default:
		return at.Base
	}
	return scratch
}

// halves loads or stores a vector, or its lower half.
func (t *Translator) halves(o arm64.Op, i *amd64.Instruction, r pair) {
	count := halvesOf(i)
	at := t.address(&i.Address, 16, 16*int32(count-1))
	if d := at.Displacement; count == 2 && d%16 == 0 && d >= -1024 && d < 1024 && at.Index == 0 {
		both := arm64.Ldp
		if o == arm64.Str {
			both = arm64.Stp
		}
		t.emit(both, arm64.Quad, r[0], r[1], arm64.Mem)
		t.last().Address = at
		return
	}
	for n := range count {
		t.access(o, arm64.Quad, r[n], at)
		at.Displacement += 16
	}
}

// fetch returns vector k of an instruction, which is loaded if it is in memory. Both halves are one
// register then if they are the same constant.
func (t *Translator) fetch(i *amd64.Instruction, k int) pair {
	o := i.Operands[k]
	if o.Kind() == amd64.KindVector {
		return vector(o)
	}
	if o != amd64.Mem {
		t.fail("it has an operand of another kind")
		return loaded
	}
	if t.sameHalves(i) {
		t.half(i, loaded[0])
		return pair{loaded[0], loaded[0]}
	}
	t.halves(arm64.Ldr, i, loaded)
	return loaded
}

// sameHalves reports whether an instruction takes a constant from memory whose halves are the same.
func (t *Translator) sameHalves(i *amd64.Instruction) bool {
	if i.Address.Base.Kind() != amd64.KindConstant || i.Address.Displacement != 0 || i.Width != amd64.Wide {
		return false
	}
	b, _ := t.pool.At(i.Address.Base)
	return len(b) == 32 && string(b[:16]) == string(b[16:])
}

// half loads half of such a constant, or makes it of an immediate.
func (t *Translator) half(i *amd64.Instruction, d arm64.Operand) {
	b, at := t.pool.At(i.Address.Base)
	x := binary.LittleEndian.Uint64(b)
	if w := uint32(x); x == binary.LittleEndian.Uint64(b[8:]) && uint64(w)<<32|uint64(w) == x {
		if uint32(uint8(w))*0x01010101 == w {
			t.immediate(arm64.VMovI, arm64.B16, int64(uint8(w)), d)
			return
		}
		for _, o := range [...]arm64.Op{arm64.VMovI, arm64.VMvnI} {
			if o == arm64.VMvnI {
				w = ^w
			}
			if shift := bits.TrailingZeros32(w) &^ 7; w>>shift < 256 {
				t.immediate(o, arm64.S4, int64(w>>shift), d)
				t.last().Amount = uint8(shift)
				return
			}
		}
	}
	there := arm64.At(constants, at)
	if !reaches(at, 16) {
		t.sum(scratch, arm64.Wide, constants, int64(at))
		there = arm64.At(scratch, 0)
	}
	t.access(arm64.Ldr, arm64.Quad, d, there)
}

// makeMove moves vectors, and loads and stores them.
func makeMove(t *Translator, i *amd64.Instruction, _ *row) {
	if i.Operands[0] == amd64.Mem {
		t.halves(arm64.Str, i, vector(i.Operands[1]))
		return
	}
	d := vector(i.Operands[0])
	switch {
	case i.Operands[1] != amd64.Mem:
		x := vector(i.Operands[1])
		for n := range halvesOf(i) {
			t.move(d[n], x[n])
		}
	case t.sameHalves(i):
		t.half(i, d[0])
		t.move(d[1], d[0])
	default:
		t.halves(arm64.Ldr, i, d)
	}
	t.clearUpper(i, d)
}

func (t *Translator) move(d, x arm64.Operand) {
	if d != x {
		t.emit(arm64.VOrr, arm64.B16, d, x, x)
	}
}

// clear makes a register zero.
func (t *Translator) clear(d arm64.Operand) { t.immediate(arm64.VMovI, arm64.B16, 0, d) }

// clearUpper makes the upper half zero that an instruction of 128 bits leaves.
func (t *Translator) clearUpper(i *amd64.Instruction, d pair) {
	if i.Width == amd64.Narrow {
		t.clear(d[1])
	}
}

// makeMaskedMove loads or stores the lanes whose bit of the sign is set, of r.size bytes, and loads
// zero for the others. Most often all are.
func makeMaskedMove(t *Translator, i *amd64.Instruction, r *row) {
	if i.Width != amd64.Wide {
		t.fail("it has 128 bits")
		return
	}
	mask := vector(i.Operands[1])
	stores := i.Operands[0] == amd64.Mem
	var x pair
	if stores {
		x = vector(i.Operands[2])
	} else {
		x = spare
	}
	base := t.register(&i.Address)
	perHalf := int(16 / r.size)
	one, both := arm64.Ld1E, arm64.Ldp
	if stores {
		one, both = arm64.St1E, arm64.Stp
	}
	const perLane = 4
	t.allActive(mask, r)
	slow := int64(2 * perHalf * perLane)
	if !stores {
		slow += 2
	}
	t.skip(2, arm64.Tbz, arm64.Narrow, value, arm64.Imm) // some lane is not active
	t.last().Amount = 31
	t.emit(both, arm64.Quad, x[0], x[1], arm64.Mem)
	t.last().Address = arm64.At(base, 0)
	t.skip(slow, arm64.B, arm64.Wide)
	if !stores {
		t.clear(x[0])
		t.clear(x[1])
	}
	for n := range mask {
		for k := range perHalf {
			t.laneIsActive(mask[n], r, k, perLane-2)
			t.immediate(arm64.Add, arm64.Wide, int64(16*n+int(r.size)*k), value, base)
			t.emit(one, r.lane, x[n], arm64.Mem)
			t.last().Address, t.last().Amount = arm64.At(value, 0), uint8(k)
		}
	}
	if !stores {
		d := vector(i.Operands[0])
		t.move(d[0], x[0])
		t.move(d[1], x[1])
	}
}

// allActive has bit 31 of value set if the bits of the sign of all lanes are.
func (t *Translator) allActive(mask pair, r *row) {
	t.emit(arm64.VAnd, arm64.B16, loaded[0], mask[0], mask[1])
	if r.size == 8 {
		t.immediate(arm64.VSShr, arm64.D2, 63, loaded[0], loaded[0])
	}
	t.emit(arm64.VSMaxV, arm64.S4, loaded[0], loaded[0])
	t.emit(arm64.FMov, arm64.Single, value, loaded[0])
}

// laneIsActive goes over so many instructions if the bit of the sign of a lane is not set.
func (t *Translator) laneIsActive(mask arm64.Operand, r *row, k int, over int64) {
	t.emit(arm64.VUMov, r.lane, value, mask)
	t.last().Amount = uint8(k)
	bit := uint8(8*r.size - 1)
	s := arm64.Narrow
	if r.size == 8 {
		s = arm64.Wide
	}
	t.skip(over, arm64.Tbz, s, value, arm64.Imm)
	t.last().Amount = bit
}

// makeGather loads the lanes whose bit of the sign is set in a mask, which becomes zero, from
// addresses that words are added to.
func makeGather(t *Translator, i *amd64.Instruction, r *row) {
	if i.Width != amd64.Wide {
		t.fail("it has 128 bits")
		return
	}
	d, index, mask := vector(i.Operands[0]), vector(i.Address.Index), vector(i.Operands[2])
	at := i.Address
	at.Index, at.Scale = 0, 0
	base := t.register(&at)
	shift := uint8(bits.TrailingZeros8(i.Address.Scale))
	perHalf := int(16 / r.size)
	const perLane = 5
	for n := range d {
		for k := range perHalf {
			t.laneIsActive(mask[n], r, k, perLane-2)
			lane := k + perHalf*n // words of the index lie side by side
			t.emit(arm64.VUMov, arm64.Single, value, index[lane/4])
			t.last().Amount = uint8(lane % 4)
			t.emit(arm64.Add, arm64.Wide, value, base, value)
			t.last().Extend, t.last().Amount = arm64.SXTW, shift
			t.emit(arm64.Ld1E, r.lane, d[n], arm64.Mem)
			t.last().Address, t.last().Amount = arm64.At(value, 0), uint8(k)
		}
	}
	t.clear(mask[0])
	t.clear(mask[1])
}

// makeAdd adds to memory, and has what was there in the register.
func makeExchangeAdd(t *Translator, i *amd64.Instruction, _ *row) {
	t.keepFlags()
	s, x := shapeOf(i.Width), general(i.Operands[1])
	base := t.register(&i.Address)
	if !i.Address.Locked {
		t.access(arm64.Ldr, s, value, arm64.At(base, 0))
		t.emit(arm64.Add, s, helpers[0], value, x)
		t.access(arm64.Str, s, helpers[0], arm64.At(base, 0))
	} else {
		t.access(arm64.LdAxr, s, value, arm64.At(base, 0))
		t.emit(arm64.Add, s, helpers[0], value, x)
		t.storeExclusive(s, helpers[0], base, 3)
	}
	t.emit(arm64.Orr, s, x, zero, value)
}

// storeExclusive stores if nobody else has since the load so many instructions before the store's
// check, and begins again there if somebody has.
func (t *Translator) storeExclusive(s arm64.Shape, x, base arm64.Operand, back int64) {
	t.emit(arm64.StLxr, s, helpers[1], x, arm64.Mem)
	t.last().Address = arm64.At(base, 0)
	t.skip(-back-1, arm64.Cbnz, arm64.Narrow, helpers[1])
}

// makeExchange exchanges a register and memory, which is always locked.
func makeExchange(t *Translator, i *amd64.Instruction, _ *row) {
	s, x := shapeOf(i.Width), general(i.Operands[1])
	base := t.register(&i.Address)
	t.access(arm64.LdAxr, s, value, arm64.At(base, 0))
	t.storeExclusive(s, x, base, 2)
	t.emit(arm64.Orr, s, x, zero, value)
}

// makeCompareExchange stores a register if memory has what rax has, and else loads that. The flags
// are those of the comparison.
func makeCompareExchange(t *Translator, i *amd64.Instruction, _ *row) {
	s, x, old := shapeOf(i.Width), general(i.Operands[1]), general(amd64.RAX)
	base := t.register(&i.Address)
	load, behind := arm64.Ldr, int64(1)
	if i.Address.Locked {
		load, behind = arm64.LdAxr, 2
	}
	t.access(load, s, value, arm64.At(base, 0))
	t.emit(arm64.Subs, s, zero, old, value)
	t.skip(behind, arm64.Bcc, arm64.Wide)
	t.last().Condition = arm64.NotEqual
	if i.Address.Locked {
		t.storeExclusive(s, x, base, 4)
	} else {
		t.access(arm64.Str, s, x, arm64.At(base, 0))
	}
	t.emit(arm64.CSel, arm64.Wide, old, value, old)
	t.last().Condition = arm64.NotEqual
	t.setFlags(ofDifference)
}
