package difftest

// Statements of the family "items".

import (
	"fmt"
	"strings"
)

// itemStatement is a statement, or several in order.
type itemStatement struct {
	text string
	run  func(*item) flow
}

func itemsInOrder(list ...itemStatement) itemStatement {
	var text strings.Builder
	for _, s := range list {
		text.WriteString(s.text)
	}
	return itemStatement{text.String(), func(t *item) flow {
		for n := range list {
			t.memory.steps++
			if t.memory.steps > itemLimit {
				return returns
			}
			if f := list[n].run(t); f != next {
				return f
			}
		}
		return next
	}}
}

// itemScope is where a statement stands.
type itemScope struct {
	depth int  // of statements that it may have in it
	loop  bool // in a loop
	apart bool // behind a test that items differ in
}

// sum makes loops that add up what lies around an item, where it lies inside of the limits.
func (m *itemMaker) sum() itemStatement {
	v := m.r.IntN(itemVariables)
	reach := uint32(1 + m.r.IntN(2))
	var beside []itemNumber
	var tests []itemTest
	head, names := "", ""
	var offsets [2]uint32 // of the turn
	for n, p := range m.places {
		name := [...]string{"ox", "oy"}[n]
		x := m.minus(m.plus(p, itemNumber{name, func(*item) uint32 { return offsets[n] }, false}), m.constant(reach))
		head += fmt.Sprintf("for (var %s = %s; %s < %s; %s++) {\n", name, m.constant(0).text, name, m.constant(2*reach+1).text, name)
		named := itemNumber{[...]string{"near", "below"}[n], x.of, false}
		names += fmt.Sprintf("let %s = %s;\n", named.text, x.text)
		beside = append(beside, named)
		if m.signed {
			tests = append(tests, m.compare(named, ">=", m.constant(0)))
		}
		tests = append(tests, m.compare(named, "<", m.limits[n]))
	}
	test := tests[0]
	for _, c := range tests[1:] {
		test = both(test, c)
	}
	x := m.at(itemsD, m.row(beside...))
	if m.inside {
		x = m.somewhere(m.row(beside...))
	}
	text := head + names + fmt.Sprintf("if %s { v%d += %s; }\n", test.text, v, x.text) + strings.Repeat("}\n", len(m.places))
	rows := 2*reach + 1
	if m.flat {
		rows = 1
	}
	return itemStatement{text, func(t *item) flow {
		for column := range 2*reach + 1 {
			for row := range rows {
				if offsets = [2]uint32{column, row}; test.holds(t) {
					t.variables[v] += x.of(t)
				}
				t.memory.steps++
			}
		}
		return next
	}}
}

func (m *itemMaker) statement(s itemScope) itemStatement {
	apart := s.apart || m.left
	inner := s
	inner.depth--
	switch k := m.r.IntN(16); {
	case k < 3 && s.depth > 0:
		return m.choice(inner, apart)
	case k == 3 && s.depth > 0:
		return m.arms(inner, apart)
	case k < 7 && s.depth > 0 && m.loops < itemLoops && (m.torn || !apart):
		return m.loop(inner)
	case k == 7 && !s.loop && (m.torn || !apart):
		return m.sum()
	case k == 8 && (m.torn || !apart || !s.loop):
		return m.leave(s)
	case k < 12:
		return m.write(2)
	}
	return m.assign()
}

// assign changes a variable.
func (m *itemMaker) assign() itemStatement {
	v, x := m.r.IntN(itemVariables), m.number(2, m.chance(3))
	if m.chance(6) {
		x = m.small(0, 9)
	}
	form := m.r.IntN(3)
	return itemStatement{fmt.Sprintf([...]string{"v%[1]d = %[2]s;\n", "v%[1]d += %[2]s;\n", "v%[1]d = v%[1]d * 31 + %[2]s;\n"}[form], v, x.text),
		func(t *item) flow {
			p, y := &t.variables[v], x.of(t)
			*p = [...]uint32{y, *p + y, *p*31 + y}[form]
			return next
		}}
}

// keep makes a store of all variables, so that what they hold matters.
func (m *itemMaker) keep() itemStatement {
	x := m.variable(0)
	for n := 1; n < itemVariables; n++ {
		x = m.plus(m.times(x, m.constant(31)), m.variable(n))
	}
	return m.writeOf(x)
}

// write makes a store at the item's own place.
func (m *itemMaker) write(depth int) itemStatement { return m.writeOf(m.number(depth, false)) }

func (m *itemMaker) writeOf(x itemNumber) itemStatement {
	buffer := itemsO
	if m.chance(3) {
		buffer = itemsQ
	}
	place := m.mine()
	if m.chance(4) {
		return itemStatement{fmt.Sprintf("%s[%s] += u32(%s);\n", itemNames[buffer], place.text, m.running(x)), func(t *item) flow {
			at := place.of(t)
			before := t.load(buffer, at)
			t.store(buffer, at, before+x.of(t))
			return next
		}}
	}
	return itemStatement{fmt.Sprintf("%s[%s] = u32(%s);\n", itemNames[buffer], place.text, m.running(x)), func(t *item) flow {
		t.store(buffer, place.of(t), x.of(t))
		return next
	}}
}

// running writes a number so that a negative constant is one of the program, of which u32 takes the
// bits.
func (m *itemMaker) running(x itemNumber) string {
	if x.fixed && m.signed {
		return "bitcast<u32>(" + x.text + ")"
	}
	return x.text
}

func (m *itemMaker) block(s itemScope) itemStatement {
	var list []itemStatement
	for range 1 + m.r.IntN(3) {
		list = append(list, m.statement(s))
	}
	return itemsInOrder(list...)
}

// choice makes an if.
func (m *itemMaker) choice(s itemScope, apart bool) itemStatement {
	shared := m.chance(2)
	c := m.test(shared)
	s.apart = apart || !shared
	yes := m.block(s)
	if m.chance(2) {
		return itemIf(c, yes)
	}
	return itemElse(c, yes, m.block(s))
}

func itemIf(c itemTest, yes itemStatement) itemStatement {
	return itemStatement{fmt.Sprintf("if %s {\n%s}\n", c.text, yes.text), func(t *item) flow {
		if c.holds(t) {
			return yes.run(t)
		}
		return next
	}}
}

func itemElse(c itemTest, yes, no itemStatement) itemStatement {
	return itemStatement{fmt.Sprintf("if %s {\n%s} else {\n%s}\n", c.text, yes.text, no.text), func(t *item) flow {
		if c.holds(t) {
			return yes.run(t)
		}
		return no.run(t)
	}}
}

// arms makes a switch.
func (m *itemMaker) arms(s itemScope, apart bool) itemStatement {
	shared := m.chance(2)
	x := m.number(1, shared)
	s.apart = apart || !shared
	first, second, rest := m.block(s), m.block(s), m.block(s)
	text := fmt.Sprintf("switch (u32(%s) & 3u) {\ncase 0u: {\n%s}\ncase 1u, 3u: {\n%s}\ndefault: {\n%s}\n}\n", m.running(x), first.text, second.text, rest.text)
	return itemStatement{text, func(t *item) flow {
		f := [...]*itemStatement{&first, &second, &rest, &second}[x.of(t)&3].run(t)
		if f == breaks { // of the switch
			return next
		}
		return f
	}}
}

// leave makes an end of a turn, a loop or the item, where a condition holds.
func (m *itemMaker) leave(s itemScope) itemStatement {
	c := m.test(!m.torn && s.loop || m.chance(3))
	switch k := m.r.IntN(5); {
	case s.loop && k < 2:
		return itemIf(c, itemStatement{"break;\n", func(*item) flow { return breaks }})
	case s.loop && k < 4:
		return itemIf(c, itemStatement{"continue;\n", func(*item) flow { return continues }})
	}
	end := itemStatement{"return;\n", func(*item) flow { return returns }}
	if m.left = true; m.chance(3) {
		end = itemsInOrder(m.write(1), end)
	}
	return itemIf(c, end)
}

// loop makes a loop of at most eight turns.
func (m *itemMaker) loop(s itemScope) itemStatement {
	n := m.loops
	m.loops++
	shared := !m.torn || m.chance(2)
	bound := m.small(1, 5)
	if !m.chance(3) {
		bound = m.number(1, shared)
		if bound.fixed {
			bound = m.plus(bound, pick(m.r, m.common))
		}
		bound = m.join(itemAnd, bound, m.constant(uint32(1+m.r.IntN(7))))
	}
	counter := itemNumber{fmt.Sprintf("k%d", n), func(t *item) uint32 { return t.counters[n] }, false}
	open, steady := m.open, m.steady
	if m.open = append(m.open, counter); shared {
		m.steady = append(m.steady, counter)
	}
	s.loop = true
	body := m.block(s)
	m.open, m.steady = open, steady
	form := m.r.IntN(3)
	format := [...]string{
		"for (var %[1]s = %[3]s; %[1]s < %[2]s; %[1]s++) {\n%[4]s}\n",
		"for (var %[1]s = %[2]s; %[1]s > %[3]s; %[1]s--) {\n%[4]s}\n",
		"var %[1]s = %[3]s;\nloop {\n%[4]scontinuing {\n%[1]s++;\nbreak if %[1]s >= %[2]s;\n}\n}\n",
	}[form]
	return itemStatement{fmt.Sprintf(format, counter.text, bound.text, m.constant(0).text, body.text), func(t *item) flow {
		k := &t.counters[n]
		if *k = 0; form == 1 {
			*k = bound.of(t)
		}
		for form == 2 || form == 1 && *k > 0 || form == 0 && *k < bound.of(t) {
			switch f := body.run(t); f {
			case breaks:
				return next
			case returns:
				return f
			}
			switch form {
			case 1:
				*k--
			default:
				*k++
			}
			if form == 2 && *k >= bound.of(t) {
				break
			}
		}
		return next
	}}
}
