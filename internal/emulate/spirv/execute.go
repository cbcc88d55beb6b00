package spirv

import (
	"fmt"
)

// lane is one invocation.
type lane struct {
	registers []uint64
	memory    []uint64 // function, private and input variables
	// undefined of registers, where machine.tainted, and of memory.
	undefinedRegisters, undefinedMemory []bool
	iterations                          []uint32 // of loops
	calls                               []uint32 // the call instructions, the outermost first
	pc                                  uint32
	state                               state
	local                               uint32 // the local invocation index
	subgroup                            uint32
	who                                 uint32 // 1 plus the invocation's index in the launch
	id                                  [3]uint32
	// of the last access chain with an index out of bounds
	outside error
	at      []uint32 // where it waits, see machine.position
}

type state uint8

const (
	running state = iota
	waiting       // at a barrier or subgroup instruction
	finished
)

// faulty returns the error of an instruction that an invocation executes.
func (l *lane) faulty(i *inst, format string, args ...any) error {
	return &Error{Instruction: i.name, Result: i.result, Word: i.word, Message: fmt.Sprintf(format, args...), Invocation: &l.id}
}

// span returns n slots of a register or a pooled constant.
func (m *machine) span(r []uint64, slot, n uint32) []uint64 {
	if slot&pooled != 0 {
		return m.pool[slot&^pooled:][:n]
	}
	return r[slot:][:n]
}

// follow executes an edge of the control flow graph: it assigns the target's phis and counts
// iterations.
func (m *machine) follow(l *lane, n uint32) (pc uint32) {
	e := &m.edges[n]
	if e.count > 0 {
		moves := m.moves[e.first : e.first+e.count]
		if m.tainted {
			m.taintMoves(l, moves, e.staged)
		}
		m.move(l, moves, e.staged)
	}
	if e.loop >= 0 {
		if e.back {
			l.iterations[e.loop]++
		} else {
			l.iterations[e.loop] = 0
		}
	}
	return e.target
}

// move copies values; a staged move is a parallel copy.
func (m *machine) move(l *lane, moves []move, staged bool) {
	r := l.registers
	if !staged {
		for _, x := range moves {
			if x.n == 1 && x.s&pooled == 0 {
				r[x.d] = r[x.s]
			} else {
				copy(r[x.d:x.d+x.n], m.span(r, x.s, x.n))
			}
		}
		return
	}
	m.stage = m.stage[:0]
	for _, x := range moves {
		m.stage = append(m.stage, m.span(r, x.s, x.n)...)
	}
	rest := m.stage
	for _, x := range moves {
		rest = rest[copy(r[x.d:x.d+x.n], rest):]
	}
}

// run executes a lane until it waits or is finished.
func (m *machine) run(l *lane) error {
	r := l.registers
	pc := l.pc
	for {
		i := &m.code[pc]
		if m.steps == 0 {
			return l.faulty(i, "the launch executes more instructions than its limit")
		}
		m.steps--
		if m.tainted {
			if err := m.taint(l, i); err != nil {
				return err
			}
		}
		switch i.code {
		case doInteger:
			for k := range i.n {
				x, y := r[i.a+k], r[i.b+k]
				if i.limits != nil {
					if fault := i.limits(i.width, x, y); fault != "" {
						return l.faulty(i, "%s", fault)
					}
				}
				r[i.d+k] = i.integer(x, y, r[i.c+k])
			}
		case doFloat:
			for k := range i.n {
				x, y, z := toDouble(i.width, r[i.a+k]), toDouble(i.width, r[i.b+k]), toDouble(i.width, r[i.c+k])
				r[i.d+k] = fromDouble(i.width, i.floating(x, y, z))
			}
		case doRelation:
			for k := range i.n {
				r[i.d+k] = truth(i.relation(toDouble(i.width, r[i.a+k]), toDouble(i.width, r[i.b+k])))
			}
		case doCopy:
			if i.n == 1 && i.a&pooled == 0 {
				r[i.d] = r[i.a]
			} else {
				copy(r[i.d:i.d+i.n], m.span(r, i.a, i.n))
			}
		case doConstruct:
			m.move(l, m.moves[i.table:i.table+i.n], false)
		case doSelect:
			for k := range i.n {
				from := i.c
				if r[i.a+k] != 0 {
					from = i.b
				}
				r[i.d+k] = r[from+k]
			}
		case doBranch, doBranchIf, doSwitch, doCall:
			pc = m.branch(l, i, pc)
			continue
		case doReturn, doReturnValue:
			depth := len(l.calls) - 1
			if depth < 0 {
				l.state = finished
				return nil
			}
			pc = l.calls[depth]
			l.calls = l.calls[:depth]
			if i.code == doReturnValue {
				d := m.code[pc].d
				copy(r[d:d+i.n], m.span(r, i.a, i.n))
			}
		case doUnreachable:
			return l.faulty(i, "the instruction is executed")
		case doBarrier, doSubgroupBarrier, doSubgroup, doMatrix:
			l.pc, l.state = pc, waiting
			return nil
		default:
			execute := executors[i.code]
			if execute == nil {
				execute = (*machine).access
			}
			if err := execute(m, l, i); err != nil {
				return err
			}
		}
		pc++
	}
}

// branch executes a jump or call and returns where execution continues.
func (m *machine) branch(l *lane, i *inst, pc uint32) uint32 {
	r := l.registers
	switch i.code {
	case doBranchIf:
		if r[i.a] != 0 {
			return m.follow(l, i.b)
		}
		return m.follow(l, i.c)
	case doSwitch:
		selector, cases := uint32(r[i.a]), m.lists[i.table:i.table+2*i.n]
		for k := 0; k < len(cases); k += 2 {
			if cases[k] == selector {
				return m.follow(l, cases[k+1])
			}
		}
		return m.follow(l, i.b)
	case doCall:
		m.move(l, m.moves[i.table:i.table+i.n], false)
		l.calls = append(l.calls, pc)
		return m.entries[i.a]
	}
	return m.follow(l, i.a)
}

// executors execute the instructions without a case in run. Those on memory are missing; access
// executes them.
var executors = [doSubgroup + 1]func(m *machine, l *lane, i *inst) error{
	doConvert:        (*machine).convert,
	doFieldInsert:    (*machine).bitField,
	doFieldSExtract:  (*machine).bitField,
	doFieldUExtract:  (*machine).bitField,
	doInsert:         (*machine).insert,
	doShuffle:        (*machine).shuffle,
	doDot:            (*machine).dot,
	doAny:            (*machine).reduce,
	doAll:            (*machine).reduce,
	doExtractDynamic: (*machine).vectorDynamic,
	doInsertDynamic:  (*machine).vectorDynamic,
	doBitcast:        (*machine).bitcast,
	doPackHalf:       (*machine).packHalf,
	doUnpackHalf:     (*machine).unpackHalf,
	doUndef:          (*machine).undef,
}

func (m *machine) convert(l *lane, i *inst) error {
	for k := range i.n {
		y, fault := convert(i.opcode, i.from, i.width, l.registers[i.a+k])
		if fault != "" {
			return l.faulty(i, "%s", fault)
		}
		l.registers[i.d+k] = y
	}
	return nil
}

func (m *machine) bitField(l *lane, i *inst) error {
	r := l.registers
	offset, count := r[i.c], r[i.e]
	if offset > 32 || count > 32 || offset+count > 32 {
		return l.faulty(i, "%d bits at bit %d of 32", count, offset)
	}
	mask := (uint64(1)<<count - 1) << offset
	for k := range i.n {
		x := r[i.a+k]
		switch i.code {
		case doFieldInsert:
			x = x&^mask | r[i.b+k]<<offset&mask
		case doFieldUExtract:
			x = x & mask >> offset
		case doFieldSExtract:
			x = uint64(uint32(int64(x&mask<<(64-offset-count)) >> (64 - count)))
		}
		r[i.d+k] = x
	}
	return nil
}

func (m *machine) insert(l *lane, i *inst) error {
	r := l.registers
	copy(r[i.d:i.d+i.n], m.span(r, i.a, i.n))
	copy(r[i.d+i.e:i.d+i.e+i.c], m.span(r, i.b, i.c))
	return nil
}

func (m *machine) shuffle(l *lane, i *inst) error {
	for k, from := range m.lists[i.table : i.table+i.n] {
		l.registers[i.d+uint32(k)] = l.registers[from]
	}
	return nil
}

// dot rounds each product and each sum.
func (m *machine) dot(l *lane, i *inst) error {
	double := func(bits uint64) float64 { return toDouble(i.width, bits) }
	var sum uint64
	for k := range i.n {
		product := fromDouble(i.width, double(l.registers[i.a+k])*double(l.registers[i.b+k]))
		if k == 0 {
			sum = product // 0 + product would lose the sign of -0
		} else {
			sum = fromDouble(i.width, double(sum)+double(product))
		}
	}
	l.registers[i.d] = sum
	return nil
}

// reduce executes OpAny and OpAll.
func (m *machine) reduce(l *lane, i *inst) error {
	found := uint64(0)
	for k := range i.n {
		found += l.registers[i.a+k]
	}
	l.registers[i.d] = truth(i.code == doAny && found > 0 || found == uint64(i.n))
	return nil
}

// vectorDynamic executes OpVectorExtractDynamic and OpVectorInsertDynamic.
func (m *machine) vectorDynamic(l *lane, i *inst) error {
	r := l.registers
	n := extend(i.width, r[i.b])
	if n < 0 || n >= int64(i.n) {
		return l.faulty(i, "index %d is outside of a vector of %d", n, i.n)
	}
	if i.code == doExtractDynamic {
		r[i.d] = r[i.a+uint32(n)]
		return nil
	}
	copy(r[i.d:i.d+i.n], r[i.a:i.a+i.n])
	r[i.d+uint32(n)] = r[i.c]
	return nil
}

func (m *machine) bitcast(l *lane, i *inst) error {
	r := l.registers
	var bits [4]uint64 // 256 bits are the widest value: four components of 64
	for k := range i.b {
		at := k * uint32(i.from)
		bits[at/64] |= r[i.a+k] << (at % 64)
	}
	for k := range i.n {
		at := k * uint32(i.width)
		r[i.d+k] = truncate(i.width, bits[at/64]>>(at%64))
	}
	return nil
}

func (m *machine) packHalf(l *lane, i *inst) error {
	x, y := singleToDouble(l.registers[i.a]), singleToDouble(l.registers[i.a+1])
	l.registers[i.d] = doubleToHalf(x) | doubleToHalf(y)<<16
	return nil
}

func (m *machine) unpackHalf(l *lane, i *inst) error {
	x := l.registers[i.a]
	l.registers[i.d], l.registers[i.d+1] = doubleToSingle(halfToDouble(x&0xFFFF)), doubleToSingle(halfToDouble(x>>16))
	return nil
}

func (m *machine) undef(l *lane, i *inst) error {
	if m.tainted {
		return nil // taint has set the flags
	}
	m.startTaint()
	return m.taint(l, i)
}
