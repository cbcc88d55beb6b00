package spirv

import (
	"cmp"
	"math"
	"slices"
)

// Taint tracking of undefined values: those of OpUndef, of memory that nothing has written, and of
// subgroup operations that read inactive lanes. A value that is computed from an undefined one is
// undefined too. It may be stored in the memory of an invocation or workgroup and passed to other
// invocations of a subgroup, but nothing may depend on it.
//
// Most launches never see one, so registers have no flags until the first one occurs.

// startTaint makes the flags of all lanes.
func (m *machine) startTaint() {
	m.tainted = true
	flags := make([]bool, len(m.lanes)*int(m.registers))
	for n := range m.lanes {
		m.lanes[n].undefinedRegisters, flags = flags[:m.registers:m.registers], flags[m.registers:]
	}
}

// taint sets the flags of an instruction's result before it is executed. It returns an error if the
// effect of the instruction depends on an undefined value. Loads from other memory than buffers and
// subgroup operations set their flags when they are executed.
func (m *machine) taint(l *lane, i *inst) error {
	if err := m.checkDefined(l, i); err != nil {
		return err
	}
	m.propagate(l, i)
	return nil
}

// checkDefined returns an error if an operand is undefined that must not be.
func (m *machine) checkDefined(l *lane, i *inst) error {
	switch i.code {
	case doInteger:
		if i.limits != nil {
			return l.mustBeDefined(i, i.b, i.n, "what the instruction divides or shifts by")
		}
	case doConvert:
		if i.opcode == convertFToS || i.opcode == convertFToU {
			return l.mustBeDefined(i, i.a, i.n, "what is converted")
		}
	case doFieldInsert, doFieldSExtract, doFieldUExtract:
		return cmp.Or(l.mustBeDefined(i, i.c, 1, "the offset"), l.mustBeDefined(i, i.e, 1, "the count"))
	case doExtractDynamic, doInsertDynamic:
		return l.mustBeDefined(i, i.b, 1, "the index")
	case doAccess:
		for _, s := range m.chains[i.table].steps {
			if err := l.mustBeDefined(i, s.index, 1, "an index"); err != nil {
				return err
			}
		}
	case doStoreBuffer:
		return l.mustBeDefined(i, i.b, i.n, "what is stored in a buffer")
	case doAtomicShared, doAtomicBuffer:
		if i.opcode == opAtomicLoad {
			return nil
		}
		err := l.mustBeDefined(i, i.b, 1, "an operand")
		if err == nil && i.opcode == opAtomicCompare {
			err = l.mustBeDefined(i, i.c, 1, "what is compared with")
		}
		return err
	case doTexelLoad, doTexelStore, doImageSize, doImageLevels:
		return m.checkImageDefined(l, i)
	case doBranchIf:
		return l.mustBeDefined(i, i.a, 1, "the condition")
	case doSwitch:
		return l.mustBeDefined(i, i.a, 1, "the selector")
	case doSubgroup:
		switch i.opcode {
		case opGroupBroadcast, opGroupShuffle, opGroupShuffleXor, opGroupShuffleUp, opGroupShuffleDown:
			return l.mustBeDefined(i, i.b, 1, "the lane")
		}
	}
	return nil
}

// propagate sets the flags of an instruction's result from those of its operands.
func (m *machine) propagate(l *lane, i *inst) {
	u := l.undefinedRegisters
	set := func(undefined bool) {
		for k := range i.n {
			u[i.d+k] = undefined
		}
	}
	copyFlags := func(d, s, n uint32) { m.taintMoves(l, []move{{d, s, n}}, false) }
	someOf := func(slot, n uint32) bool { return slices.Contains(u[slot:slot+n], true) }
	switch i.code {
	case doInteger, doFloat, doRelation:
		taintComponents(l, i)
	case doConvert, doCopy:
		copyFlags(i.d, i.a, i.n)
	case doFieldInsert, doFieldSExtract, doFieldUExtract:
		for k := range i.n {
			u[i.d+k] = u[i.a+k] || i.code == doFieldInsert && u[i.b+k]
		}
	case doInsert:
		copyFlags(i.d, i.a, i.n)
		copyFlags(i.d+i.e, i.b, i.c)
	case doConstruct, doCall:
		m.taintMoves(l, m.moves[i.table:i.table+i.n], false)
	case doShuffle:
		for k, from := range m.lists[i.table : i.table+i.n] {
			u[i.d+uint32(k)] = u[from]
		}
	case doSelect:
		taintSelect(l, i)
	case doDot:
		u[i.d] = someOf(i.a, i.n) || someOf(i.b, i.n)
	case doAny, doAll:
		u[i.d] = someOf(i.a, i.n)
	case doExtractDynamic, doInsertDynamic:
		m.taintDynamic(l, i)
	case doBitcast:
		set(someOf(i.a, i.b))
	case doPackHalf:
		u[i.d] = u[i.a] || u[i.a+1]
	case doUnpackHalf:
		u[i.d], u[i.d+1] = u[i.a], u[i.a]
	case doUndef:
		set(true)
	case doVariable, doArrayLength, doAccess:
		u[i.d] = false
	case doAtomicShared, doAtomicBuffer:
		if i.opcode != opAtomicStore {
			u[i.d] = false
		}
	case doLoadBuffer, doTexelLoad, doImageSize, doImageLevels:
		set(false)
	case doReturnValue:
		if depth := len(l.calls); depth > 0 {
			copyFlags(m.code[l.calls[depth-1]].d, i.a, i.n)
		}
	}
}

// taintSelect propagates flags through OpSelect: from the condition and the selected operand.
func taintSelect(l *lane, i *inst) {
	u := l.undefinedRegisters
	for k := range i.n {
		from := i.c
		if l.registers[i.a+k] != 0 {
			from = i.b
		}
		u[i.d+k] = u[i.a+k] || u[from+k]
	}
}

// taintDynamic propagates flags through OpVectorExtractDynamic and OpVectorInsertDynamic.
func (m *machine) taintDynamic(l *lane, i *inst) {
	u := l.undefinedRegisters
	n := uint32(l.registers[i.b])
	switch {
	case l.registers[i.b] >= uint64(i.n): // executing the instruction reports it
	case i.code == doExtractDynamic:
		u[i.d] = u[i.a+n]
	default:
		m.taintMoves(l, []move{{i.d, i.a, i.n}}, false)
		u[i.d+n] = u[i.c]
	}
}

// taintComponents propagates flags through an operation that works component by component.
func taintComponents(l *lane, i *inst) {
	u, r := l.undefinedRegisters, l.registers
	x, absorbs := absorbing(i)
	for k := range i.n {
		u[i.d+k] = u[i.a+k] || u[i.b+k] || u[i.c+k]
		if absorbs && (!u[i.a+k] && r[i.a+k] == x || !u[i.b+k] && r[i.b+k] == x) {
			u[i.d+k] = false
		}
	}
}

// mustBeDefined returns an error if one of n operand slots is undefined.
func (l *lane) mustBeDefined(i *inst, slot, n uint32, what string) error {
	if slot&pooled == 0 && slices.Contains(l.undefinedRegisters[slot:slot+n], true) {
		return l.faulty(i, "%s is undefined", what)
	}
	return nil
}

// checkImageDefined is checkDefined for the instructions on images. An undefined value may neither
// choose a texel nor be stored in a channel that the image has.
func (m *machine) checkImageDefined(l *lane, i *inst) error {
	t := m.images[l.registers[i.a]>>offsetBits].t
	var err error
	if i.e != 0 {
		err = l.mustBeDefined(i, i.c, 1, "the level")
	}
	if err == nil && (i.code == doTexelLoad || i.code == doTexelStore) {
		err = l.mustBeDefined(i, i.b, t.coordinates, "a coordinate")
	}
	if err == nil && i.code == doTexelStore {
		err = l.mustBeDefined(i, i.c, t.format.channels(), "what is stored in an image")
	}
	return err
}

// absorbing returns the absorbing element of an operation, such as 0 of a product: an operand of
// this value alone determines the result.
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
