package amd64

import "sync/atomic"

// This file defines the rows of the table, and queries on them.

// row describes one way to encode an instruction. An Op has one or several, which agree in what
// they read and write.
type row struct {
	op      Op
	name    string
	prefix  prefix
	opcode  opcode
	format  format
	slots   of
	flags   flagEffects
	effects Effects
	traits  traits
}

// kinds is a set of kinds for each operand, 8 bits for each: what a row takes, or what an
// instruction has.
type kinds uint32

// kindsOf returns those of an instruction. What is none is the last bit's.
func kindsOf(i *Instruction) (k kinds) {
	for n, o := range i.Operands {
		k |= 1 << min(o>>kindShift, 7) << (8 * n)
	}
	return k
}

type of = [MaxOperands]slot

// prefix is what precedes the opcode, or has a field in VEX.
type prefix uint16

const (
	p66 prefix = 1 << iota // the prefix 66, F3 or F2
	pF3
	pF2
	m0F // the map: 0F, 0F 38, 0F 3A
	m38
	m3A
	vex
	w1    // REX.W or VEX.W is 1
	wide  // it is 1 where the width is Wide
	l1    // VEX.L is 1
	lanes // it is 1 where the width is Wide

	// what packed instructions of both widths have
	vp   = vex | m0F | lanes
	vp66 = vp | p66
	vpF3 = vp | pF3
	vpF2 = vp | pF2
	vp38 = vex | m38 | p66 | lanes
	vp3A = vex | m3A | p66 | lanes
	// what those of single numbers and of one width have
	vs   = vex | m0F
	vs66 = vs | p66
	vsF3 = vs | pF3
	vsF2 = vs | pF2
	vs38 = vex | m38 | p66
	vs3A = vex | m3A | p66
)

// opcode is a byte, and above it what is in the field reg of ModRM if no operand is.
type opcode uint16

const (
	d1 opcode = (iota + 1) << 8
	d2
	d3
	d4
	d5
	d6
	d7
)

// format is where the operands are encoded.
type format uint8

// The formats, by the roles of the operands in their order.
const (
	none  format = iota
	fence        // with ModRM, of two registers 0
	rm           // ModRM.reg, ModRM.rm
	mr
	rmi // and an immediate
	mri
	onlyRM
	rmImm
	rm1    // and 1, which the opcode means
	inCode // the lowest bits of the opcode
	codeImm
	onlyImm // behind RAX, which has no field
	rvm     // ModRM.reg, VEX.vvvv, ModRM.rm
	rvmi
	rvms // the last in the upper half of an immediate
	rmv
	masked // ModRM.rm, VEX.vvvv, ModRM.reg
	vm
	vmi
	branch // a distance
	pseudo
	formats
)

// role is where an operand is encoded.
type role uint8

const (
	inNone role = iota
	inReg
	inRM
	inVVVV
	inImmediate
	inLast
	inOpcode
	inDistance
)

var formatRoles = [formats][MaxOperands]role{
	rm: {inReg, inRM}, mr: {inRM, inReg}, rmi: {inReg, inRM, inImmediate}, mri: {inRM, inReg, inImmediate},
	onlyRM: {inRM}, rm1: {inRM}, rmImm: {inRM, inImmediate}, inCode: {inOpcode}, codeImm: {inOpcode, inImmediate}, onlyImm: {inNone, inImmediate},
	rvm: {inReg, inVVVV, inRM}, rvmi: {inReg, inVVVV, inRM, inImmediate}, rvms: {inReg, inVVVV, inRM, inLast},
	rmv: {inReg, inRM, inVVVV}, masked: {inRM, inVVVV, inReg}, vm: {inVVVV, inRM}, vmi: {inVVVV, inRM, inImmediate}, branch: {inDistance},
}

// traits are what else there is.
type traits uint16

const (
	// conditional: the opcode has the condition, and so has the name.
	conditional traits = 1 << iota
	// lockable: may be locked where it writes memory.
	lockable
	// commutes: the second and third operand may be exchanged.
	commutes
	// cleared: of one register twice, the result does not depend on what is in it.
	cleared
	// distinct: operands and index are different registers, all of them.
	distinct
	// byCL: the last operand is the register cl, which has no slot.
	byCL
	// accumulator: the first operand can be RAX only.
	accumulator
	// predicated: the name has the immediate in it, if that is a predicate.
	predicated
	// onlyNarrow: the row is for that width alone.
	onlyNarrow
	// mirror: is taken for registers only where the row before takes more bytes.
	mirror
)

// flagEffects is a row of flagRows.
type flagEffects uint8

const (
	keepsFlags flagEffects = iota
	setsFlags
	carries // sets them, and reads the carry
	counts  // inc, dec
	shifts
	rotates
	multiplies
	losesFlags
	finds // lzcnt, tzcnt
	tests // bt
	isolates
	extracts
	flagKinds
)

// flagRows say what becomes of flags: those that are not written and not lost keep their values
// (SDM volume 1, appendix A). Shifts are those by immediates, which are not 0 here.
var flagRows = [flagKinds]struct{ reads, writes, loses Flags }{
	setsFlags: {writes: allFlags}, carries: {reads: CF, writes: allFlags}, counts: {writes: allFlags &^ CF},
	shifts: {writes: allFlags &^ OF, loses: OF}, rotates: {writes: CF, loses: OF},
	multiplies: {writes: CF | OF, loses: PF | ZF | SF}, losesFlags: {loses: allFlags},
	finds: {writes: CF | ZF, loses: PF | SF | OF}, tests: {writes: CF, loses: PF | SF | OF},
	isolates: {writes: allFlags &^ PF, loses: PF}, extracts: {writes: CF | ZF | OF, loses: PF | SF},
}

// span is where the rows of an Op are.
type span struct{ first, count uint16 }

// tables are the rows, where those of each Op are, and what becomes of the operands of each.
type tables struct {
	rows     []row
	kinds    []kinds  // by row: what its operands are
	layouts  []layout // by row: where they are encoded
	spans    [Ops]span
	accesses [Ops]accesses
}

// accesses are those of an Op's operands, in any of the ways it is encoded. What one register as
// both sources clears has them at sources and after.
type accesses struct {
	of      [MaxOperands]Access
	sources uint8
	cleared bool
}

// built caches what table returns.
var built atomic.Pointer[tables]

// table returns the rows. They are assembled on first use, since most processes make
// no machine code; that is a function of its own so that this one is inlined.
func table() *tables {
	if t := built.Load(); t != nil {
		return t
	}
	return assembleTables()
}

// assembleTables puts the parts together, which are in the files whose names begin with table. If
// two do so at once, both make the same.
func assembleTables() *tables {
	t := new(tables)
	for _, part := range [...][]row{arithmeticRows(), generalRows, moveRows, laneRows, integerRows, floatRows, fusedRows()} {
		t.rows = append(t.rows, part...)
	}
	for n := range t.rows {
		t.kinds, t.layouts = append(t.kinds, t.rows[n].kinds()), append(t.layouts, t.rows[n].layout())
		s := &t.spans[t.rows[n].op]
		if s.count++; s.count == 1 {
			s.first = uint16(n)
			t.accesses[t.rows[n].op] = t.rows[n].accesses()
		}
	}
	built.Store(t)
	return t
}

func (r *row) kinds() (k kinds) {
	for n, s := range r.slots {
		class := kinds(slotRows[s].class)
		if s == noSlot {
			class = 1 << NoOperand
		}
		k |= class << (8 * n)
	}
	return k
}

// layout is which operand is where: its index, or MaxOperands if there is none.
type layout struct {
	reg, vvvv, other, last uint8 // other is in ModRM.rm or in the opcode
	immediate              slot
	low                    uint8 // operands of 8 bits: a bit for each
}

func (r *row) layout() layout {
	l := layout{MaxOperands, MaxOperands, MaxOperands, MaxOperands, noSlot, 0}
	for n, s := range r.slots {
		at := uint8(n)
		switch formatRoles[r.format][n] {
		case inReg:
			l.reg = at
		case inRM, inOpcode:
			l.other = at
		case inVVVV:
			l.vvvv = at
		case inLast:
			l.last = at
		case inImmediate:
			l.immediate = s
		}
		if slotRows[s].size == bytes1 {
			l.low |= 1 << n
		}
	}
	return l
}

func (r *row) accesses() (a accesses) {
	for n, s := range r.slots {
		a.of[n] = slotRows[s].access
	}
	if a.cleared = r.traits&cleared != 0; r.slots[2] != noSlot {
		a.sources = 1
	}
	return a
}

// first returns the first row of an Op.
func first(o Op) *row {
	t := table()
	return &t.rows[t.spans[o].first]
}

// String returns the mnemonic, without a condition.
func (o Op) String() string {
	if o >= Ops {
		return "?"
	}
	return first(o).name
}

// Widths reports whether the instruction has two widths. Where it does not, Width is to be Wide,
// which is zero.
func (o Op) Widths() bool { return first(o).prefix&(wide|lanes) != 0 }

// Lockable reports whether the instruction may be locked where its first operand is memory.
func (o Op) Lockable() bool { return first(o).traits&lockable != 0 }

// Conditional reports whether the instruction has a condition.
func (o Op) Conditional() bool { return first(o).traits&conditional != 0 }

// Distinct reports whether all registers of operands and the index have to be different ones: that
// is so of gathers.
func (o Op) Distinct() bool { return first(o).traits&distinct != 0 }

// Access returns whether operand n is read or written, in any of the ways the instruction is
// encoded.
func (o Op) Access(n int) Access { return slotRows[first(o).slots[n]].access }
