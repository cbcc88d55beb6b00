package difftest

// Loops of the family "strides".

import "fmt"

// stride is what a loop counts from, by, and up to, and the number that its places are counted from.
type stride struct {
	start, step, bound, row strideNumber
	rows                    bool // that number is one of a row
}

// steps chooses how a loop counts.
func (m *strideMaker) steps() stride {
	s := stride{start: m.constant(0), step: m.constant(1), bound: m.limit()}
	switch m.r.IntN(9) {
	case 0, 1: // invocations share what there is
		s.start, s.step = m.flat, m.all
	case 2: // each has a part of its own
		size := m.small(3, 21)
		if m.chance(2) {
			size = m.field(pick(m.r, m.fields))
		}
		s.start = m.times(m.flat, size)
		if s.bound = m.plus(s.start, size); m.chance(2) {
			s.bound = m.join(itemMin, s.bound, m.limit())
		}
	case 3: // those of a workgroup share a row
		s.start = strideNumber{"index", func(t *strider) uint32 { return t.index }, false, false}
		s.step = m.constant(m.size[0] * m.size[1] * m.size[2])
		s.row, s.rows = m.times(m.group(0, false), s.bound), true
	case 4: // steps that wrap around
		s.start, s.step = m.small(0, 9), m.constant(m.far())
		if m.chance(3) {
			s.start = m.own()
		}
	case 5:
		s.start = m.common()
	case 6:
		s.start = m.small(0, 12)
	}
	switch m.r.IntN(12) {
	case 0:
		s.step = m.small(1, 9)
	case 1, 2:
		s.step = m.field(pick(m.r, m.fields))
	case 3:
		s.start = m.plus(s.start, m.small(1, 9))
	case 4:
		s.start = m.minus(s.start, m.small(1, 9))
	}
	if !s.rows && m.chance(2) {
		s.row, s.rows = m.row(s.bound), true
	}
	return s
}

// row makes the place that a row begins at.
func (m *strideMaker) row(size strideNumber) strideNumber {
	x := pick(m.r, append([]strideNumber{m.flat}, m.places...))
	switch m.r.IntN(8) {
	case 0:
		return m.minus(x, m.small(1, 4))
	case 1:
		return x
	case 2:
		return m.times(x, m.common())
	case 3:
		return m.common()
	case 4:
		return m.times(x, m.small(2, 34))
	}
	return m.times(x, m.as(false, size))
}

// index makes a place that depends on a loop's counter.
func (m *strideMaker) index(i strideNumber, s *stride) strideNumber {
	switch k := m.r.IntN(24); {
	case k < 6 && s.rows:
		if m.chance(2) {
			return m.plus(m.as(false, i), m.as(false, s.row))
		}
		return m.plus(s.row, i)
	case k < 12:
		return i
	case k == 12:
		return m.as(!i.signed, i)
	case k == 13:
		return m.times(i, m.constant(2))
	case k == 14:
		return m.plus(i, m.small(1, 4))
	case k == 15:
		return m.minus(i, m.small(1, 4))
	case k == 16:
		return m.join(itemAnd, i, m.small(1, 32))
	case k == 17:
		return m.by(pick(m.r, []int{strideOver, strideRest}), i, uint32(1+m.r.IntN(9)))
	case k == 18:
		return m.by(strideRight, i, pick(m.r, []uint32{1, 2, 28, 30}))
	case k == 19:
		return m.join(itemMin, i, m.limit())
	case k == 20:
		return m.plus(pick(m.r, m.places), m.times(m.as(false, i), m.as(false, m.common()))) // down a column
	case k == 21:
		return m.minus(m.minus(s.bound, m.constant(1)), i)
	}
	return m.at()
}

// loop makes a loop, in which there may be others.
func (m *strideMaker) loop(depth int) strideStatement {
	n := m.loops
	m.loops++
	s := m.steps()
	signed := m.chance(3)
	start, step, bound := m.as(signed, s.start), m.as(signed, s.step), m.as(signed, s.bound)
	counter := strideNumber{fmt.Sprintf("i%d", n), func(t *strider) uint32 { return t.counters[n] }, signed, false}
	names := ""
	if m.chance(3) { // the bound has a name
		bound, names = strideNumber{fmt.Sprintf("n%d", n), bound.of, signed, false}, fmt.Sprintf("let n%d = %s;\n", n, bound.text)
	}
	open := m.open
	m.open = append(m.open, counter)
	body := m.turn(counter, &s, depth)
	m.open = open
	format := pick(m.r, []string{
		"for (var %[1]s = %[2]s; %[1]s < %[3]s; %[1]s += %[4]s) {\n%[5]s}\n",
		"for (var %[1]s = %[2]s; %[1]s < %[3]s; %[1]s += %[4]s) {\n%[5]s}\n",
		"for (var %[1]s = %[2]s; %[3]s > %[1]s; %[1]s = %[4]s + %[1]s) {\n%[5]s}\n",
		"var %[1]s = %[2]s;\nwhile %[1]s < %[3]s {\n%[5]s%[1]s += %[4]s;\n}\n",
		"var %[1]s = %[2]s;\nloop {\nif %[1]s >= %[3]s { break; }\n%[5]scontinuing {\n%[1]s += %[4]s;\n}\n}\n",
	})
	test := m.compare(counter, "<", bound)
	return strideStatement{names + fmt.Sprintf(format, counter.text, start.text, bound.text, step.text, body.text), func(t *strider) bool {
		for t.counters[n] = start.of(t); test.holds(t); t.counters[n] += step.of(t) {
			if t.m.turns++; t.m.turns > strideTurns {
				return false
			}
			body.run(t)
		}
		return true
	}}
}

// turn makes the body of a loop.
func (m *strideMaker) turn(i strideNumber, s *stride, depth int) strideStatement {
	list := []strideStatement{m.add(m.index(i, s))}
	for range m.r.IntN(3) {
		list = append(list, m.add(m.index(i, s)))
	}
	if m.chance(4) { // several arrays at one place
		at := m.index(i, s)
		list = append(list, m.add(at), m.add(at))
	}
	if m.chance(4) {
		at := m.index(i, s)
		if m.chance(3) {
			at = m.plus(m.times(m.flat, m.as(false, s.bound)), m.as(false, i))
		}
		list = append(list, m.store(&m.arrays[pick(m.r, []int{2, 3, 3})], at, strideSum))
	}
	if m.atomic != nil && !m.chance(3) {
		atomic, cell := m.atomic, m.join(itemAnd, m.as(false, i), m.constant(strideCells-1))
		list = append(list, strideStatement{fmt.Sprintf("%s(&cells[%s], sum);\n", atomic.name, cell.text), func(t *strider) bool {
			p := &t.cells[cell.of(t)]
			*p = atomic.of(*p, t.sum)
			return true
		}})
	}
	switch k := m.r.IntN(16); {
	case k == 0 && depth > 0 && m.loops < strideLoops:
		list = append(list, m.loop(depth-1))
	case k == 1:
		return strideIf(m.compare(i, "<", m.limit()), stridesInOrder(list...))
	}
	return stridesInOrder(list...)
}
