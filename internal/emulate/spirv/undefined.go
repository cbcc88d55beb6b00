package spirv

import (
	"math"
	"slices"
)

// This file tracks undefined values: those of OpUndef, of memory that nothing
// has written, and of subgroup operations that ask lanes which are not there. A
// value that is computed from one is undefined as well. It may be stored in an
// invocation's or a workgroup's memory and given to other invocations of a
// subgroup, but may not decide anything.
//
// Most launches never see one, so the flags of registers are looked at only once
// the first one has shown up.

// beginTaint makes the flags of all lanes.
func (m *machine) beginTaint() {
	m.tainted = true
	flags := make([]bool, len(m.lanes)*int(m.registers))
	for n := range m.lanes {
		m.lanes[n].undefinedRegisters, flags = flags[:m.registers:m.registers], flags[m.registers:]
	}
}

// taint gives the result of an instruction its flags before it is executed. It
// returns an error where an undefined value decides what happens. Loads, and the
// results of subgroup operations, get their flags when they are executed.
func (m *machine) taint(l *lane, i *inst) error {
	u := l.undefinedRegisters
	mustBeDefined := func(place, n uint32, what string) error { return l.mustBeDefined(i, place, n, what) }
	set := func(undefined bool) {
		for k := range i.n {
			u[i.d+k] = undefined
		}
	}
	copyFlags := func(d, s, n uint32) { m.taintMoves(l, []move{{d, s, n}}, false) }
	someOf := func(place, n uint32) bool {
		for k := range n {
			if u[place+k] {
				return true
			}
		}
		return false
	}
	switch i.code {
	case doInteger, doFloat32, doFloat16, doFloat64, doRelation32, doRelation16, doRelation64:
		for k := range i.n {
			u[i.d+k] = u[i.a+k] || u[i.b+k] || u[i.c+k]
		}
		if x, ok := absorbing(i); ok {
			for k := range i.n {
				if r := l.registers; !u[i.a+k] && r[i.a+k] == x || !u[i.b+k] && r[i.b+k] == x {
					u[i.d+k] = false
				}
			}
		}
		if i.limits != nil {
			return mustBeDefined(i.b, i.n, "what the instruction divides or shifts by")
		}
	case doConvert:
		copyFlags(i.d, i.a, i.n)
		if i.opcode == convertFToS || i.opcode == convertFToU {
			return mustBeDefined(i.a, i.n, "what is converted")
		}
	case doFieldInsert, doFieldSExtract, doFieldUExtract:
		for k := range i.n {
			u[i.d+k] = u[i.a+k] || i.code == doFieldInsert && u[i.b+k]
		}
		if err := mustBeDefined(i.c, 1, "the offset"); err != nil {
			return err
		}
		return mustBeDefined(i.e, 1, "the count")
	case doCopy:
		copyFlags(i.d, i.a, i.n)
	case doInsert:
		copyFlags(i.d, i.a, i.n)
		copyFlags(i.d+i.e, i.b, i.c)
	case doConstruct:
		m.taintMoves(l, m.moves[i.table:i.table+i.n], false)
	case doShuffle:
		for k, from := range m.lists[i.table : i.table+i.n] {
			u[i.d+uint32(k)] = u[from]
		}
	case doSelect:
		for k := range i.n {
			from := i.c
			if l.registers[i.a+k] != 0 {
				from = i.b
			}
			u[i.d+k] = u[i.a+k] || u[from+k]
		}
	case doDot:
		u[i.d] = someOf(i.a, i.n) || someOf(i.b, i.n)
	case doAny, doAll:
		u[i.d] = someOf(i.a, i.n)
	case doExtractDynamic, doInsertDynamic:
		if err := mustBeDefined(i.b, 1, "the index"); err != nil {
			return err
		}
		n := l.registers[i.b]
		if n >= uint64(i.n) {
			return nil // which is the error that comes next
		}
		if i.code == doExtractDynamic {
			u[i.d] = u[i.a+uint32(n)]
			break
		}
		copyFlags(i.d, i.a, i.n)
		u[i.d+uint32(n)] = u[i.c]
	case doBitcast:
		set(someOf(i.a, i.b))
	case doPackHalf:
		u[i.d] = u[i.a] || u[i.a+1]
	case doUnpackHalf:
		u[i.d], u[i.d+1] = u[i.a], u[i.a]
	case doUndef:
		set(true)
	case doVariable:
		u[i.d] = false
	case doArrayLength:
		u[i.d] = false
	case doAccess:
		c := &m.chains[i.table]
		for k := range c.steps {
			if err := mustBeDefined(c.steps[k].index, 1, "an index"); err != nil {
				return err
			}
		}
		u[i.d] = false
	case doLoadBuffer:
		set(false)
	case doStoreBuffer:
		return mustBeDefined(i.b, i.n, "what is stored in a buffer")
	case doAtomicShared, doAtomicBuffer:
		if i.opcode != opAtomicStore {
			u[i.d] = false
		}
		if i.opcode == opAtomicLoad {
			break
		}
		if err := mustBeDefined(i.b, 1, "an operand"); err != nil {
			return err
		}
		if i.opcode == opAtomicCompare {
			return mustBeDefined(i.c, 1, "what is compared with")
		}
	case doTexelLoad, doTexelStore, doImageSize, doImageLevels:
		return m.taintImage(l, i)
	case doBranchIf:
		return mustBeDefined(i.a, 1, "the condition")
	case doSwitch:
		return mustBeDefined(i.a, 1, "the selector")
	case doCall:
		m.taintMoves(l, m.moves[i.table:i.table+i.n], false)
	case doReturnValue:
		if depth := len(l.calls); depth > 0 {
			copyFlags(m.code[l.calls[depth-1]].d, i.a, i.n)
		}
	case doSubgroup:
		switch i.opcode {
		case opGroupBroadcast, opGroupShuffle, opGroupShuffleXor, opGroupShuffleUp, opGroupShuffleDown:
			return mustBeDefined(i.b, 1, "the lane")
		}
	}
	return nil
}

// mustBeDefined returns an error if one of n values that an instruction uses is
// undefined.
func (l *lane) mustBeDefined(i *inst, place, n uint32, what string) error {
	if place&pooled == 0 && slices.Contains(l.undefinedRegisters[place:place+n], true) {
		return l.faulty(i, "%s is undefined", what)
	}
	return nil
}

// taintImage is taint for the instructions on images. An undefined value may
// neither choose a texel nor be stored in a channel that the image has.
func (m *machine) taintImage(l *lane, i *inst) error {
	t := m.images[l.registers[i.a]>>offsetBits].t
	if i.e != 0 {
		if err := l.mustBeDefined(i, i.c, 1, "the level"); err != nil {
			return err
		}
	}
	if i.code == doTexelLoad || i.code == doTexelStore {
		if err := l.mustBeDefined(i, i.b, t.coordinates, "a coordinate"); err != nil {
			return err
		}
	}
	if i.code == doTexelStore {
		return l.mustBeDefined(i, i.c, t.format.channels(), "what is stored in an image")
	}
	clear(l.undefinedRegisters[i.d : i.d+i.n])
	return nil
}

// absorbing returns the operand that makes an instruction's result whatever the
// other one is.
func absorbing(i *inst) (x uint64, ok bool) {
	switch i.opcode {
	case opIMul, opLogicalAnd, opBitwiseAnd:
		return 0, true
	case opLogicalOr:
		return 1, true
	case opBitwiseOr:
		return truncate(i.width, math.MaxUint64), true
	}
	return 0, false
}

// taintMoves copies flags as machine.move copies values.
func (m *machine) taintMoves(l *lane, moves []move, staged bool) {
	u := l.undefinedRegisters
	flags := func(x move) []bool {
		if x.s&pooled != 0 {
			return make([]bool, x.n)
		}
		return u[x.s : x.s+x.n]
	}
	if !staged {
		for _, x := range moves {
			copy(u[x.d:], flags(x))
		}
		return
	}
	var stage []bool
	for _, x := range moves {
		stage = append(stage, flags(x)...)
	}
	for _, x := range moves {
		stage = stage[copy(u[x.d:x.d+x.n], stage):]
	}
}
