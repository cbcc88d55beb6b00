package difftest

// Loops of the family "bounds".

import "fmt"

// boundsLoop is what a loop counts from, by, and up to, and where the row begins that it walks.
type boundsLoop struct {
	start, step, bound, row term
	rows                    bool
	negative                bool // the start is less than zero, if the counter has a sign
}

// counts chooses how a loop counts.
func (m *bounder) counts() boundsLoop {
	l := boundsLoop{start: lit(false, 0), step: lit(false, 1), bound: m.limit()}
	switch m.r.IntN(16) {
	case 0: // each invocation has a part of its own
		size := m.small(3, 21)
		if m.chance(2) {
			size = m.field(pick(m.r, m.fields))
		}
		l.start = times(m.flat, size)
		if l.bound = plus(l.start, size); m.chance(2) {
			l.bound = join("min(%s, %s)", l.bound, m.limit())
		}
	case 1: // those of a workgroup share a row
		l.start, l.step = unsigned("lane"), lit(false, uint32(m.size[0]*m.size[1]*m.size[2]))
		l.row, l.rows = times(unsigned("group.x"), l.bound), true
	case 2, 7: // steps that wrap around
		if l.start, l.step = m.small(0, 9), lit(false, m.wrapping()); m.chance(2) {
			l.step = m.exactly(l.step.value)
		}
		if m.chance(3) {
			l.start = m.own()
		}
	case 3:
		l.start = m.shared()
	case 4, 8: // from below zero
		l.negative, l.start = true, lit(false, -uint32(1+m.r.IntN(9)))
	case 5, 6: // a grid-stride loop
		l.start, l.step = m.flat, m.all
		l.bound = m.exactly(m.invocations()*m.iterations() - uint32(m.r.IntN(2)))
	default:
		step, start := uint32(1), pick(m.r, []uint32{0, 0, 0, 1, 5})
		if m.chance(3) {
			step = 1 + uint32(m.r.IntN(5))
		}
		l.start, l.step = lit(false, start), lit(false, step)
		if l.bound = m.exactly(start + step*(m.iterations()-1) + 1 + uint32(m.r.IntN(int(step)))); m.chance(3) {
			l.step = m.exactly(step)
		}
	}
	switch m.r.IntN(24) {
	case 0:
		l.step = m.small(1, 9)
	case 1, 2:
		l.step = m.field(pick(m.r, m.fields))
	case 3:
		l.start = plus(l.start, m.small(1, 9))
	case 4:
		l.start = minus(l.start, m.small(1, 9))
	case 5:
		l.bound = m.limit()
	}
	if !l.rows && m.chance(2) {
		l.rows, l.row = true, m.rowStart(l.bound)
	}
	return l
}

// iterations is a trip count at which unrolled loops end exactly, or just not.
func (m *bounder) iterations() uint32 {
	return pick(m.r, []uint32{4, 8, 8, 8, 12, 16, 16, 24, 32}) + pick(m.r, []uint32{0, 0, 0, 1, 7, ^uint32(0)})
}

// rowStart makes the index at which a row begins.
func (m *bounder) rowStart(size term) term {
	x := pick(m.r, append([]term{m.flat}, m.coordinates...))
	switch m.r.IntN(10) {
	case 0, 1:
		return minus(x, m.small(1, 4))
	case 2:
		return x
	case 3:
		return times(x, m.shared())
	case 4:
		return m.shared()
	case 5:
		return times(x, m.small(2, 34))
	}
	return times(x, size.as(false))
}

// counterIndex makes an index from a loop's counter.
func (m *bounder) counterIndex(i term, l *boundsLoop) term {
	switch k := m.r.IntN(24); {
	case k < 8 && l.rows:
		if m.chance(2) {
			return plus(i.as(false), l.row.as(false))
		}
		return plus(l.row, i)
	case k < 12:
		return i
	}
	switch m.r.IntN(12) {
	case 0:
		return i.as(!i.signed)
	case 1:
		return times(i, lit(false, 2))
	case 2:
		return plus(i, m.small(1, 4))
	case 3:
		return minus(i, m.small(1, 4))
	case 4:
		return join("(%s & %s)", i, m.small(1, 32))
	case 5:
		return by(pick(m.r, []string{"/", "%"}), i, uint32(1+m.r.IntN(9)))
	case 6:
		return by(">>", i, pick(m.r, []uint32{1, 2, 28, 30}))
	case 7:
		return join("min(%s, %s)", i, m.limit())
	case 8: // down a column
		return plus(pick(m.r, m.coordinates), times(i.as(false), m.shared().as(false)))
	case 9:
		return minus(minus(l.bound, lit(false, 1)), i)
	}
	return m.index()
}

// loop makes a loop, in which there may be another.
func (m *bounder) loop(depth int) {
	l := m.counts()
	signed := m.chance(3) || l.negative && !m.chance(4)
	start, step, bound := l.start.as(signed), l.step.as(signed), l.bound.as(signed)
	i := term{text: fmt.Sprintf("i%d", m.loops), signed: signed}
	if m.loops++; m.chance(3) {
		m.line("let n%s = %s;", i.text, bound.text)
		bound = term{text: "n" + i.text, signed: signed}
	}
	counters := m.counters
	m.counters = append(m.counters, i)
	body := m.within(func() { m.iteration(i, &l, depth) })
	m.counters = counters
	m.line(pick(m.r, []string{
		"for (var %[1]s = %[2]s; %[1]s < %[3]s; %[1]s += %[4]s) {\n%[5]s}",
		"for (var %[1]s = %[2]s; %[1]s < %[3]s; %[1]s += %[4]s) {\n%[5]s}",
		"for (var %[1]s = %[2]s; %[3]s > %[1]s; %[1]s = %[4]s + %[1]s) {\n%[5]s}",
		"for (var %[1]s = %[2]s; %[1]s <= %[3]s; %[1]s += %[4]s) {\n%[5]s}",
		"var %[1]s = %[2]s;\nwhile %[1]s < %[3]s {\n%[5]s%[1]s += %[4]s;\n}",
		"var %[1]s = %[2]s;\nloop {\nif %[1]s >= %[3]s { break; }\n%[5]scontinuing {\n%[1]s += %[4]s;\n}\n}",
	}), i.text, start.text, bound.text, step.text, body)
}

// iteration makes the body of a loop.
func (m *bounder) iteration(i term, l *boundsLoop, depth int) {
	body := m.within(func() {
		for range 1 + m.r.IntN(3) {
			m.read(m.counterIndex(i, l))
		}
		if m.chance(4) { // several arrays at one index
			at := m.counterIndex(i, l)
			m.read(at)
			m.read(at)
		}
		if m.chance(4) {
			at := m.counterIndex(i, l)
			if m.chance(3) {
				at = plus(times(m.flat, l.bound.as(false)), i.as(false))
			}
			m.store(&m.arrays[pick(m.r, []int{2, 3, 3})], at, "sum")
		}
		if m.atomic != "" && !m.chance(3) {
			m.line("%s(&cells[%s & 3u], sum);", m.atomic, i.as(false).text)
		}
		if depth > 0 && m.loops < 6 && m.chance(16) {
			m.loop(depth - 1)
		}
	})
	if m.chance(16) {
		m.line("if %s {\n%s}", relation(i, "<", m.limit()), body)
	} else {
		m.body.WriteString(body)
	}
}
