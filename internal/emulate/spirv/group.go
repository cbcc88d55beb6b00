package spirv

import "slices"

// Subgroup operations.

// group executes a subgroup operation for all active lanes. A result that depends on an inactive
// lane or on an undefined value is undefined.
func (m *machine) group(lanes []lane, i *inst) error {
	if m.tainted {
		for n := range lanes {
			if m.active[n] {
				if err := m.taint(&lanes[n], i); err != nil {
					return err
				}
			}
		}
	}
	clear(m.unknown)
	switch i.opcode {
	case opElect, opGroupAll, opGroupAny, opGroupBallot:
		m.vote(lanes, i)
		m.spread(lanes, i)
	case opGroupBroadcast, opGroupBroadcastFirst, opGroupShuffle, opGroupShuffleXor, opGroupShuffleUp, opGroupShuffleDown, opQuadBroadcast, opQuadSwap:
		m.exchange(lanes, i)
	default:
		m.scan(lanes, i)
		m.spread(lanes, i)
	}
	for n := range lanes {
		if !m.active[n] {
			continue
		}
		copy(lanes[n].registers[i.d:i.d+i.n], m.results[4*n:])
		unknown := m.unknown[4*n:][:i.n]
		if !m.tainted && slices.Contains(unknown, true) {
			m.startTaint()
		}
		if m.tainted {
			copy(lanes[n].undefinedRegisters[i.d:], unknown)
		}
	}
	return nil
}

// spread makes the results of all lanes undefined if the operand of one is.
func (m *machine) spread(lanes []lane, i *inst) {
	if !m.tainted || i.opcode == opElect {
		return
	}
	operands := i.n
	if i.opcode == opGroupBallot {
		operands = 1
	}
	for n := range lanes {
		if m.active[n] && slices.Contains(lanes[n].undefinedRegisters[i.a:i.a+operands], true) {
			for k := range m.unknown {
				m.unknown[k] = true
			}
		}
	}
}

// vote executes the operations whose result is the same for all lanes, and elect.
func (m *machine) vote(lanes []lane, i *inst) {
	first, ballot, all := -1, [4]uint64{}, true
	for n := range lanes {
		if !m.active[n] {
			continue
		}
		if first < 0 {
			first = n
		}
		if i.opcode == opElect {
			continue
		}
		if lanes[n].registers[i.a] != 0 {
			ballot[n/32] |= 1 << (n % 32)
		} else {
			all = false
		}
	}
	for n := range lanes {
		out := m.results[4*n:]
		switch i.opcode {
		case opElect:
			out[0] = truth(n == first)
		case opGroupAll:
			out[0] = truth(all)
		case opGroupAny:
			out[0] = truth(ballot != [4]uint64{})
		case opGroupBallot:
			copy(out, ballot[:])
		}
	}
}

// exchange executes the operations that read the value of another lane.
func (m *machine) exchange(lanes []lane, i *inst) {
	for n := range lanes {
		if !m.active[n] {
			continue
		}
		from := m.source(n, i.opcode, uint32(lanes[n].registers[i.b]))
		if from >= uint64(len(lanes)) || !m.active[from] {
			for k := range i.n {
				m.unknown[4*n+int(k)] = true
			}
			continue
		}
		copy(m.results[4*n:], lanes[from].registers[i.a:i.a+i.n])
		if m.tainted {
			copy(m.unknown[4*n:], lanes[from].undefinedRegisters[i.a:i.a+i.n])
		}
	}
}

// source returns the lane that lane n reads, which may not exist.
func (m *machine) source(n int, opcode uint16, operand uint32) uint64 {
	self, x := uint64(n), uint64(operand)
	switch opcode {
	case opGroupBroadcastFirst:
		for k := range m.active {
			if m.active[k] {
				return uint64(k)
			}
		}
	case opGroupShuffleXor:
		return self ^ x
	case opGroupShuffleUp:
		return self - x // wraps around to a lane that does not exist
	case opGroupShuffleDown:
		return self + x
	case opQuadBroadcast:
		if x > 3 {
			return ^uint64(0)
		}
		return self&^3 | x
	case opQuadSwap: // 0 is horizontal, 1 vertical, 2 diagonal
		if x > 2 {
			return ^uint64(0)
		}
		return self ^ (x + 1)
	}
	return x
}

// scan executes reductions and scans, in the order of the lanes.
func (m *machine) scan(lanes []lane, i *inst) {
	var sum [4]uint64
	identity := uint64(i.c)
	if i.floating != nil {
		identity = fromDouble(i.width, float64(i.c))
	}
	for k := range sum {
		sum[k] = identity
	}
	begun := false
	for n := range lanes {
		if !m.active[n] {
			continue
		}
		values := lanes[n].registers[i.a : i.a+i.n]
		if i.b == groupExclusiveScan {
			copy(m.results[4*n:], sum[:])
		}
		for k, x := range values {
			if begun {
				sum[k] = combine(i, sum[k], x)
			} else {
				sum[k] = x
			}
		}
		begun = true
		if i.b == groupInclusiveScan {
			copy(m.results[4*n:], sum[:])
		}
	}
	if i.b == groupReduce {
		for n := range lanes {
			copy(m.results[4*n:], sum[:])
		}
	}
}

func combine(i *inst, x, y uint64) uint64 {
	if i.floating != nil {
		return fromDouble(i.width, i.floating(toDouble(i.width, x), toDouble(i.width, y), 0))
	}
	return i.integer(x, y, 0)
}
