package spirv

import (
	"fmt"
	"math"
)

// lane is one invocation.
type lane struct {
	registers []uint64
	memory    []uint64 // function, private and input variables
	// undefined of registers, where machine.tainted, and of memory.
	undefinedRegisters, undefinedMemory []bool
	iterations                          []uint32 // of loops
	calls                               []uint32 // where to go on, by depth
	pc                                  uint32
	state                               state
	local                               uint32 // the local invocation index
	subgroup                            uint32
	who                                 uint32 // 1 plus the invocation's number in the launch
	id                                  [3]uint32
	outside                             error    // of the access chain that last led nowhere
	at                                  []uint32 // where it waits, see machine.position
}

// state is what a lane does.
type state uint8

const (
	running state = iota
	waiting       // at a barrier or subgroup instruction
	finished
)

// faulty makes the error of an instruction that an invocation executes.
func (l *lane) faulty(i *inst, format string, args ...any) error {
	return &Error{Instruction: i.name, Result: i.result, Word: i.word, Message: fmt.Sprintf(format, args...), Invocation: &l.id}
}

// span returns n slots of a register or a pooled constant.
func (m *machine) span(r []uint64, place, n uint32) []uint64 {
	if place&pooled != 0 {
		return m.pool[place&^pooled:][:n]
	}
	return r[place:][:n]
}

// follow takes an edge: it gives the phis their values and counts iterations.
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

// move copies values; if staged, as if all at once.
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
		case doFloat32:
			for k := range i.n {
				r[i.d+k] = doubleToSingle(i.floating(singleToDouble(r[i.a+k]), singleToDouble(r[i.b+k]), singleToDouble(r[i.c+k])))
			}
		case doFloat16:
			for k := range i.n {
				r[i.d+k] = doubleToHalf(i.floating(halfToDouble(r[i.a+k]), halfToDouble(r[i.b+k]), halfToDouble(r[i.c+k])))
			}
		case doFloat64:
			for k := range i.n {
				r[i.d+k] = math.Float64bits(i.floating(math.Float64frombits(r[i.a+k]), math.Float64frombits(r[i.b+k]), math.Float64frombits(r[i.c+k])))
			}
		case doRelation32:
			for k := range i.n {
				r[i.d+k] = truth(i.relation(singleToDouble(r[i.a+k]), singleToDouble(r[i.b+k])))
			}
		case doRelation16:
			for k := range i.n {
				r[i.d+k] = truth(i.relation(halfToDouble(r[i.a+k]), halfToDouble(r[i.b+k])))
			}
		case doRelation64:
			for k := range i.n {
				r[i.d+k] = truth(i.relation(math.Float64frombits(r[i.a+k]), math.Float64frombits(r[i.b+k])))
			}
		case doConvert:
			for k := range i.n {
				y, fault := convert(i.opcode, i.from, i.width, r[i.a+k])
				if fault != "" {
					return l.faulty(i, "%s", fault)
				}
				r[i.d+k] = y
			}
		case doCopy:
			if i.n == 1 && i.a&pooled == 0 {
				r[i.d] = r[i.a]
			} else {
				copy(r[i.d:i.d+i.n], m.span(r, i.a, i.n))
			}
		case doConstruct:
			m.move(l, m.moves[i.table:i.table+i.n], false)
		case doShuffle:
			for k, from := range m.lists[i.table : i.table+i.n] {
				r[i.d+uint32(k)] = r[from]
			}
		case doInsert:
			copy(r[i.d:i.d+i.n], m.span(r, i.a, i.n))
			copy(r[i.d+i.e:i.d+i.e+i.c], m.span(r, i.b, i.c))
		case doSelect:
			for k := range i.n {
				from := i.c
				if r[i.a+k] != 0 {
					from = i.b
				}
				r[i.d+k] = r[from+k]
			}
		case doBranch:
			pc = m.follow(l, i.a)
			continue
		case doBranchIf:
			if r[i.a] != 0 {
				pc = m.follow(l, i.b)
			} else {
				pc = m.follow(l, i.c)
			}
			continue
		case doSwitch:
			to := i.b
			selector, cases := uint32(r[i.a]), m.lists[i.table:i.table+2*i.n]
			for k := 0; k < len(cases); k += 2 {
				if cases[k] == selector {
					to = cases[k+1]
					break
				}
			}
			pc = m.follow(l, to)
			continue
		case doCall:
			m.move(l, m.moves[i.table:i.table+i.n], false)
			l.calls = append(l.calls, pc)
			pc = m.entries[i.a]
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
		case doBarrier, doSubgroupBarrier, doSubgroup:
			l.pc, l.state = pc, waiting
			return nil
		default:
			var err error
			if i.code >= doVariable {
				err = m.access(l, i)
			} else {
				err = m.special(l, i)
			}
			if err != nil {
				return err
			}
		}
		pc++
	}
}

// special executes the arithmetic that is not component by component.
func (m *machine) special(l *lane, i *inst) error {
	r := l.registers
	switch i.code {
	case doFieldInsert, doFieldSExtract, doFieldUExtract:
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
	case doDot:
		if i.width == 16 {
			sum := halfToDouble(r[i.a]) * halfToDouble(r[i.b])
			for k := uint32(1); k < i.n; k++ {
				sum = halfToDouble(doubleToHalf(sum)) + halfToDouble(doubleToHalf(halfToDouble(r[i.a+k])*halfToDouble(r[i.b+k])))
			}
			r[i.d] = doubleToHalf(sum)
			break
		}
		if i.width == 64 {
			sum := 0.0
			for k := range i.n {
				product := float64(math.Float64frombits(r[i.a+k]) * math.Float64frombits(r[i.b+k]))
				if k == 0 {
					sum = product // not 0 + product, which has no -0
				} else {
					sum += product
				}
			}
			r[i.d] = math.Float64bits(sum)
			break
		}
		sum := singleToDouble(r[i.a]) * singleToDouble(r[i.b])
		for k := uint32(1); k < i.n; k++ {
			sum = float64(float32(sum)) + float64(float32(singleToDouble(r[i.a+k])*singleToDouble(r[i.b+k])))
		}
		r[i.d] = doubleToSingle(sum)
	case doAny, doAll:
		found := uint64(0)
		for k := range i.n {
			found += r[i.a+k]
		}
		r[i.d] = truth(i.code == doAny && found > 0 || found == uint64(i.n))
	case doExtractDynamic, doInsertDynamic:
		n := extend(i.width, r[i.b])
		if n < 0 || n >= int64(i.n) {
			return l.faulty(i, "index %d is outside of a vector of %d", n, i.n)
		}
		if i.code == doExtractDynamic {
			r[i.d] = r[i.a+uint32(n)]
			break
		}
		copy(r[i.d:i.d+i.n], r[i.a:i.a+i.n])
		r[i.d+uint32(n)] = r[i.c]
	case doBitcast:
		var bits [4]uint64 // 256 bits are the widest value: four components of 64
		for k := range i.b {
			at := k * uint32(i.from)
			bits[at/64] |= r[i.a+k] << (at % 64)
		}
		for k := range i.n {
			at := k * uint32(i.width)
			r[i.d+k] = bits[at/64] >> (at % 64) & (math.MaxUint64 >> (64 - i.width))
		}
	case doPackHalf:
		r[i.d] = doubleToHalf(singleToDouble(r[i.a])) | doubleToHalf(singleToDouble(r[i.a+1]))<<16
	case doUnpackHalf:
		x := r[i.a]
		r[i.d], r[i.d+1] = doubleToSingle(halfToDouble(x&0xFFFF)), doubleToSingle(halfToDouble(x>>16))
	case doUndef:
		if !m.tainted {
			m.beginTaint()
			return m.taint(l, i)
		}
	}
	return nil
}
