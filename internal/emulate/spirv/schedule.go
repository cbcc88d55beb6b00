package spirv

import "slices"

// The scheduler. The invocations of a workgroup run one after another from barrier to barrier, and
// those of a subgroup from one subgroup instruction to the next.

// workgroup executes one workgroup.
func (m *machine) workgroup() error {
	for {
		for first := 0; first < len(m.lanes); first += int(m.subgroupSize) {
			if err := m.subgroup(m.lanes[first:min(first+int(m.subgroupSize), len(m.lanes))]); err != nil {
				return err
			}
		}
		blocked := slices.IndexFunc(m.lanes, func(l lane) bool { return l.state == waiting })
		if blocked < 0 {
			return nil
		}
		l := &m.lanes[blocked]
		i := &m.code[l.pc]
		for n := range m.lanes {
			if other := &m.lanes[n]; other.state == finished {
				return l.faulty(i, "a barrier that invocation %v does not reach: it is finished", other.id)
			} else if slices.Compare(other.at, l.at) != 0 {
				o := &m.code[other.pc]
				return l.faulty(i, "not all invocations of the workgroup reach this barrier: %v waits at %s (word %d) or in another iteration", other.id, o.name, o.word)
			}
		}
		m.clock++
		m.order(i.a, m.barriers[:])
		for n := range m.lanes {
			m.lanes[n].state = running
			m.lanes[n].pc++
		}
	}
}

// order sets the time of the last barrier for each kind of memory that the semantics name.
func (m *machine) order(semantics uint32, times []uint32) {
	if semantics&semanticsUniform != 0 {
		times[bufferMemory] = m.clock
	}
	if semantics&semanticsWorkgroup != 0 {
		times[sharedMemory] = m.clock
	}
	if semantics&semanticsImage != 0 {
		times[imageMemory] = m.clock
	}
}

// subgroup executes the lanes of a subgroup until all are finished or wait at a
// barrier of the workgroup.
func (m *machine) subgroup(lanes []lane) error {
	for {
		var behind *lane // the waiting lane with the smallest position
		for n := range lanes {
			l := &lanes[n]
			if l.state == running {
				if err := m.run(l); err != nil {
					return err
				}
				if l.state == waiting {
					m.position(l)
				}
			}
			if l.state == waiting && (behind == nil || slices.Compare(l.at, behind.at) < 0) {
				behind = l
			}
		}
		if behind == nil || m.code[behind.pc].code == doBarrier {
			return nil
		}
		if err := m.converged(lanes, behind); err != nil {
			return err
		}
	}
}

// converged executes a subgroup instruction for all lanes that wait at it.
func (m *machine) converged(lanes []lane, first *lane) error {
	i := &m.code[first.pc]
	for n := range m.active {
		m.active[n] = n < len(lanes) && lanes[n].state == waiting && slices.Compare(lanes[n].at, first.at) == 0
		if !m.active[n] {
			continue
		}
		if m.steps == 0 {
			return first.faulty(i, "the launch executes more instructions than its limit")
		}
		m.steps--
	}
	if i.code == doSubgroup {
		if err := m.group(lanes, i); err != nil {
			return err
		}
	} else if i.code == doMatrix {
		if err := m.executeMatrix(lanes, first, i); err != nil {
			return err
		}
	} else if err := m.subgroupBarrier(lanes, first, i); err != nil {
		return err
	}
	for n := range lanes {
		if m.active[n] {
			lanes[n].state = running
			lanes[n].pc++
		}
	}
	return nil
}

// subgroupBarrier executes a barrier of the subgroup, which all lanes must reach.
func (m *machine) subgroupBarrier(lanes []lane, first *lane, i *inst) error {
	for n := range lanes {
		if !m.active[n] {
			return first.faulty(i, "a barrier of the subgroup that invocation %v does not reach", lanes[n].id)
		}
	}
	m.clock++
	var times [memoryKinds]uint32
	m.order(i.a, times[:])
	for k, time := range times {
		if time != 0 {
			m.subgroupBarriers[k][first.subgroup] = time
		}
	}
	return nil
}

// position sets the position at which a lane waits, which is compared lexicographically. For each
// call and the current instruction it has the loops around it, with the header and iteration of
// each, and the address of the instruction.
func (m *machine) position(l *lane) {
	l.at = l.at[:0]
	for _, pc := range l.calls {
		m.positionIn(l, pc)
	}
	m.positionIn(l, l.pc)
}

func (m *machine) positionIn(l *lane, pc uint32) {
	for _, n := range m.blocks[m.code[pc].block] {
		l.at = append(l.at, m.loops[n], l.iterations[n])
	}
	l.at = append(l.at, pc)
}
