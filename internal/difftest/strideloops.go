package difftest

// Loops of the family "strides".

import (
	"fmt"
	"strings"
)

// stride is what a loop counts from, by, and up to, and the number that its places are counted
// from.
type stride struct {
	start, step, bound, row strideNumber
	rows                    bool // that number is the beginning of a row
	below                   bool // the start is less than zero, if the counter has a sign
	plain                   bool // places are those of the counter, or in the row
}

// steps chooses how a loop counts.
func (m *strideMaker) steps() stride {
	s := stride{start: m.constant(0), step: m.constant(1), bound: m.limit()}
	switch m.r.IntN(16) {
	case 0: // each has a part of its own
		size := m.small(3, 21)
		if m.chance(2) {
			size = m.field(pick(m.r, m.fields))
		}
		s.start = m.times(m.flat, size)
		if s.bound = m.plus(s.start, size); m.chance(2) {
			s.bound = m.join(itemMin, s.bound, m.limit())
		}
	case 1: // those of a workgroup share a row
		s.start = strideNumber{"index", func(t *strider) uint32 { return t.index }, false, false}
		s.step = m.constant(m.size[0] * m.size[1] * m.size[2])
		s.row, s.rows = m.times(m.group(0, false), s.bound), true
	case 2, 7: // steps that wrap around
		if s.start, s.step = m.small(0, 9), m.constant(m.far()); m.chance(2) {
			s.step = m.exactly(s.step.of(nil))
		}
		if m.chance(3) {
			s.start = m.own()
		}
	case 3:
		s.start = m.common()
	case 4, 8: // from below zero
		s.below, s.start = true, m.constant(-uint32(1+m.r.IntN(9)))
	case 5, 6: // invocations share what there is
		s.start, s.step = m.flat, m.all
		s.bound = m.exactly(m.invocations()*m.turnsOf() - uint32(m.r.IntN(2)))
	default:
		step, start := uint32(1), pick(m.r, []uint32{0, 0, 0, 1, 5})
		if m.chance(3) {
			step = 1 + uint32(m.r.IntN(5))
		}
		s.start = m.constant(start)
		if s.bound = m.exactly(start + step*(m.turnsOf()-1) + 1 + uint32(m.r.IntN(int(step)))); m.chance(3) {
			s.step = m.exactly(step)
		} else {
			s.step = m.constant(step)
		}
	}
	switch m.r.IntN(24) {
	case 0:
		s.step = m.small(1, 9)
	case 1, 2:
		s.step = m.field(pick(m.r, m.fields))
	case 3:
		s.start = m.plus(s.start, m.small(1, 9))
	case 4:
		s.start = m.minus(s.start, m.small(1, 9))
	case 5:
		s.bound = m.limit()
	}
	if !s.rows && m.chance(2) {
		s.row, s.rows = m.row(s.bound), true
	}
	return s
}

// turnsOf makes a number of turns, which mostly ends behind four or eight of them, or just not.
func (m *strideMaker) turnsOf() uint32 {
	return pick(m.r, []uint32{4, 8, 8, 8, 12, 16, 16, 24, 32}) + pick(m.r, []uint32{0, 0, 0, 1, 7, ^uint32(0)})
}

// row makes the place that a row begins at.
func (m *strideMaker) row(size strideNumber) strideNumber {
	x := pick(m.r, append([]strideNumber{m.flat}, m.places...))
	switch m.r.IntN(10) {
	case 0, 1:
		return m.minus(x, m.small(1, 4))
	case 2:
		return x
	case 3:
		return m.times(x, m.common())
	case 4:
		return m.common()
	case 5:
		return m.times(x, m.small(2, 34))
	}
	return m.times(x, m.as(false, size))
}

// index makes a place that depends on a loop's counter; plain says that it is the counter itself,
// or in a row.
func (m *strideMaker) index(i strideNumber, s *stride) (at strideNumber, plain bool) {
	k := m.r.IntN(24)
	if s.plain {
		k /= 2
	}
	switch {
	case k < 8 && s.rows:
		if m.chance(2) {
			return m.plus(m.as(false, i), m.as(false, s.row)), true
		}
		return m.plus(s.row, i), true
	case k < 12:
		return i, true
	}
	return m.besides(i, s), false
}

// besides makes another place that depends on a loop's counter.
func (m *strideMaker) besides(i strideNumber, s *stride) strideNumber {
	switch m.r.IntN(12) {
	case 0:
		return m.as(!i.signed, i)
	case 1:
		return m.times(i, m.constant(2))
	case 2:
		return m.plus(i, m.small(1, 4))
	case 3:
		return m.minus(i, m.small(1, 4))
	case 4:
		return m.join(itemAnd, i, m.small(1, 32))
	case 5:
		return m.by(pick(m.r, []int{strideOver, strideRest}), i, uint32(1+m.r.IntN(9)))
	case 6:
		return m.by(strideRight, i, pick(m.r, []uint32{1, 2, 28, 30}))
	case 7:
		return m.join(itemMin, i, m.limit())
	case 8:
		// down a column
		return m.plus(pick(m.r, m.places), m.times(m.as(false, i), m.as(false, m.common())))
	case 9:
		return m.minus(m.minus(s.bound, m.constant(1)), i)
	}
	return m.at()
}

// loop makes a loop, in which there may be others.
func (m *strideMaker) loop(depth int) strideStatement {
	n := m.loops
	m.loops++
	s := m.steps()
	signed := m.chance(3) || s.below && !m.chance(4)
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
		"for (var %[1]s = %[2]s; %[1]s <= %[3]s; %[1]s += %[4]s) {\n%[5]s}\n",
		"var %[1]s = %[2]s;\nwhile %[1]s < %[3]s {\n%[5]s%[1]s += %[4]s;\n}\n",
		"var %[1]s = %[2]s;\nloop {\nif %[1]s >= %[3]s { break; }\n%[5]scontinuing {\n%[1]s += %[4]s;\n}\n}\n",
	})
	operator := "<"
	if strings.Contains(format, "<=") {
		operator = "<="
	}
	test := m.compare(counter, operator, bound)
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
	var list []strideStatement
	add := func(at strideNumber, plain bool) {
		p := m.read(at)
		p.counted = plain
		list = append(list, m.add(p))
	}
	s.plain = m.chance(2)
	for range 1 + m.r.IntN(3) {
		add(m.index(i, s))
	}
	if m.chance(4) { // several arrays at one place
		at, plain := m.index(i, s)
		add(at, plain)
		add(at, plain)
	}
	if m.chance(4) {
		at, _ := m.index(i, s)
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
