package difftest

// Numbers and tests of the family "strides": of the invocation's place, of the grid, of what the
// host gives, and of lengths.

import "fmt"

// strideNumber is an expression: its text and its value for an invocation. Two that are fixed are
// not joined: an overflow would be an error.
type strideNumber struct {
	text   string
	of     func(*strider) uint32
	signed bool
	fixed  bool
}

type strideTest struct {
	text  string
	holds func(*strider) bool
}

// constant makes a constant of type u32.
func (m *strideMaker) constant(v uint32) strideNumber { return m.constantOf(false, v) }

func (m *strideMaker) constantOf(signed bool, v uint32) strideNumber {
	return strideNumber{numeral(signed, v), func(*strider) uint32 { return v }, signed, true}
}

// small makes a constant that is small.
func (m *strideMaker) small(least, limit int) strideNumber {
	return m.constant(uint32(least + m.r.IntN(limit-least)))
}

// as converts a number to u32 or i32.
func (m *strideMaker) as(signed bool, x strideNumber) strideNumber {
	switch {
	case x.signed == signed:
		return x
	case x.fixed:
		return m.constantOf(signed, x.of(nil))
	case signed:
		return strideNumber{"i32(" + x.text + ")", x.of, true, false}
	}
	return strideNumber{"u32(" + x.text + ")", x.of, false, false}
}

// join makes an expression of one of itemOperators, of the type of its first number.
func (m *strideMaker) join(operator int, x, y strideNumber) strideNumber {
	if x.fixed && y.fixed {
		return x
	}
	y = m.as(x.signed, y)
	o := &itemOperators[operator]
	of := func(t *strider) uint32 { return o.unsigned(x.of(t), y.of(t)) }
	if x.signed && o.signed != nil {
		of = func(t *strider) uint32 { return uint32(o.signed(int32(x.of(t)), int32(y.of(t)))) }
	}
	return strideNumber{fmt.Sprintf(o.format, x.text, y.text), of, x.signed, false}
}

func (m *strideMaker) plus(x, y strideNumber) strideNumber  { return m.join(itemPlus, x, y) }
func (m *strideMaker) minus(x, y strideNumber) strideNumber { return m.join(itemMinus, x, y) }
func (m *strideMaker) times(x, y strideNumber) strideNumber { return m.join(itemTimes, x, y) }

const (
	strideOver = iota
	strideRest
	strideLeft
	strideRight
)

// by makes a quotient, a remainder, or a shift by a constant.
func (m *strideMaker) by(operator int, x strideNumber, c uint32) strideNumber {
	if x.fixed {
		return x
	}
	of := func(t *strider) uint32 {
		a := x.of(t)
		switch {
		case operator == strideLeft:
			return a << c
		case operator == strideOver && x.signed:
			return uint32(int32(a) / int32(c))
		case operator == strideRest && x.signed:
			return uint32(int32(a) % int32(c))
		case x.signed:
			return uint32(int32(a) >> c)
		case operator == strideOver:
			return a / c
		case operator == strideRest:
			return a % c
		}
		return a >> c
	}
	by := numeral(x.signed && operator < strideLeft, c)
	return strideNumber{fmt.Sprintf("(%s %s %s)", x.text, [...]string{"/", "%", "<<", ">>"}[operator], by), of, x.signed, false}
}

// clamp makes a number that is kept between two others of its type.
func (m *strideMaker) clamp(x, low, high strideNumber) strideNumber {
	low, high = m.as(x.signed, low), m.as(x.signed, high)
	if x.fixed || low.fixed && high.fixed && m.above(low, high) {
		return x
	}
	of := func(t *strider) uint32 { return min(max(x.of(t), low.of(t)), high.of(t)) }
	if x.signed {
		of = func(t *strider) uint32 {
			return uint32(min(max(int32(x.of(t)), int32(low.of(t))), int32(high.of(t))))
		}
	}
	return strideNumber{fmt.Sprintf("clamp(%s, %s, %s)", x.text, low.text, high.text), of, x.signed, false}
}

// above says whether a constant is greater than another.
func (m *strideMaker) above(x, y strideNumber) bool { return m.compare(x, ">", y).holds(nil) }

// compare makes a comparison of orders, of the type of its first number.
func (m *strideMaker) compare(x strideNumber, operator string, y strideNumber) strideTest {
	y = m.as(x.signed, y)
	for n := range orders {
		if o := &orders[n]; o.text == operator {
			return strideTest{fmt.Sprintf("(%s %s %s)", x.text, operator, y.text), func(t *strider) bool {
				if x.signed {
					return o.signed(int32(x.of(t)), int32(y.of(t)))
				}
				return o.holds(x.of(t), y.of(t))
			}}
		}
	}
	panic("no comparison " + operator)
}

func strideBoth(a, b strideTest) strideTest {
	return strideTest{"(" + a.text + " && " + b.text + ")", func(t *strider) bool { return a.holds(t) && b.holds(t) }}
}

func strideEither(a, b strideTest) strideTest {
	return strideTest{"(" + a.text + " || " + b.text + ")", func(t *strider) bool { return a.holds(t) || b.holds(t) }}
}

// named makes a number that the program gives a name before everything else.
func (m *strideMaker) named(name string, x strideNumber) strideNumber {
	fmt.Fprintf(&m.head, "let %s = %s;\n", name, x.text)
	return strideNumber{name, x.of, x.signed, false}
}

// name makes the numbers of an invocation's place, in one of several ways.
func (m *strideMaker) name() {
	for d, letter := range []string{"x", "y", "z"}[:m.dimensions] {
		x := strideNumber{"id." + letter, func(t *strider) uint32 { return t.global[d] }, false, false}
		switch {
		case m.chance(5):
			x.text = fmt.Sprintf("group.%s * %du + local.%[1]s", letter, m.size[d])
		case d == 0 && m.dimensions == 1 && m.chance(5):
			x.text = fmt.Sprintf("group.x * %du + index", m.size[0])
		}
		m.places = append(m.places, m.named(letter, x))
	}
	width := func(d int) strideNumber {
		switch m.r.IntN(3) {
		case 0:
			return m.constant(m.extent(d))
		case 1:
			return m.times(m.group(d, true), m.constant(m.size[d]))
		}
		for _, f := range m.fields { // the host may give it
			if f.value == m.extent(d) {
				return m.field(f)
			}
		}
		return m.times(m.group(d, true), m.constant(m.size[d]))
	}
	m.across, m.all, m.flat = width(0), width(0), m.places[m.dimensions-1]
	for d := m.dimensions - 2; d >= 0; d-- {
		m.flat = m.plus(m.times(m.flat, width(d)), m.places[d])
	}
	for d := 1; d < m.dimensions; d++ {
		m.all = m.times(m.times(m.group(d, true), m.constant(m.size[d])), m.all)
	}
	if m.dimensions > 1 || m.chance(4) {
		m.flat = m.named("place", m.flat)
	}
}

// group is the number of an invocation's workgroup in a dimension, or how many there are.
func (m *strideMaker) group(d int, count bool) strideNumber {
	if letter := "xyz"[d : d+1]; !count {
		return strideNumber{"group." + letter, func(t *strider) uint32 { return t.group[d] }, false, false}
	} else {
		return strideNumber{"groups." + letter, func(*strider) uint32 { return m.groups[d] }, false, false}
	}
}

// field is a number that the host gives.
func (m *strideMaker) field(f strideField) strideNumber {
	text := f.name
	if m.structured {
		text = "given." + text
	}
	return strideNumber{text, func(*strider) uint32 { return f.value }, f.signed, false}
}

// exactly makes a number that has a value: a constant, what the host gives, or the length of an
// array.
func (m *strideMaker) exactly(v uint32) strideNumber {
	if a := &m.arrays[m.r.IntN(len(m.arrays))]; m.chance(4) && v > 0 && v < strideMost && !a.measured {
		a.resize(v)
		return m.lengthOf(a)
	}
	if m.chance(3) {
		return m.constant(v)
	}
	for _, f := range m.fields {
		if f.value == v {
			return m.field(f)
		}
	}
	if !m.structured || len(m.fields) == len(strideFields) {
		return m.constant(v)
	}
	return m.give(v)
}

// give has the host give a number more.
func (m *strideMaker) give(v uint32) strideNumber {
	n := len(m.fields)
	f := strideField{name: strideFields[n : n+1], signed: m.chance(3), value: v}
	m.fields = append(m.fields, f)
	return m.field(f)
}

// lengthOf is the length of an array.
func (m *strideMaker) lengthOf(a *strideArray) strideNumber {
	a.measured = true
	return strideNumber{"arrayLength(&" + a.name + ")", func(*strider) uint32 { return a.length() }, false, false}
}

// common makes a number that all invocations have in common.
func (m *strideMaker) common() strideNumber {
	switch k := m.r.IntN(13); {
	case k < 3:
		return m.small(0, 34)
	case k < 7:
		return m.field(pick(m.r, m.fields))
	case k == 7:
		return m.exactly(m.extent(m.r.IntN(m.dimensions)) + uint32(m.r.IntN(3)) - 1)
	case k < 10:
		return m.lengthOf(&m.arrays[m.r.IntN(len(m.arrays))])
	case k == 10:
		return m.group(m.r.IntN(m.dimensions), true)
	case k == 11:
		return m.all
	}
	return m.across
}

// limit makes what numbers are held against.
func (m *strideMaker) limit() strideNumber {
	x := m.common()
	switch m.r.IntN(12) {
	case 0:
		return m.join(itemMin, x, m.common())
	case 1:
		return m.join(itemMin, x, m.small(1, 50))
	case 2:
		y := m.as(x.signed, m.common())
		c := m.compare(m.common(), "<", m.small(1, 30))
		if x.fixed && y.fixed {
			return x
		}
		return strideNumber{fmt.Sprintf("select(%s, %s, %s)", x.text, y.text, c.text), func(t *strider) uint32 {
			if c.holds(t) {
				return y.of(t)
			}
			return x.of(t)
		}, x.signed, false}
	case 3:
		return m.minus(x, m.small(1, 4))
	case 4:
		return m.plus(x, m.small(1, 4))
	case 5:
		return m.by(m.r.IntN(4), x, uint32(1+m.r.IntN(3)))
	}
	return x
}

// own makes a number that invocations differ in, or a counter.
func (m *strideMaker) own() strideNumber {
	switch k := m.r.IntN(10); {
	case k < 3 && len(m.open) > 0:
		return pick(m.r, m.open)
	case k < 6:
		return pick(m.r, m.places)
	case k == 6:
		return m.group(m.r.IntN(m.dimensions), false)
	case k == 7:
		return strideNumber{"index", func(t *strider) uint32 { return t.index }, false, false}
	case k == 8:
		d := m.r.IntN(m.dimensions)
		return strideNumber{"local." + "xyz"[d:d+1], func(t *strider) uint32 { return t.local[d] }, false, false}
	}
	return m.flat
}

// at makes an index of what invocations differ in.
func (m *strideMaker) at() strideNumber {
	x := m.own()
	if m.chance(4) {
		x = m.as(!x.signed, x)
	}
	for range 1 + m.r.IntN(2) {
		switch m.r.IntN(14) {
		case 0:
			x = m.plus(m.times(x, m.small(2, 6)), m.small(0, 5))
		case 1:
			x = m.plus(m.times(x, m.common()), m.own())
		case 2:
			x = m.plus(x, m.small(1, 5))
		case 3:
			x = m.minus(x, m.small(1, 3))
		case 4:
			x = m.minus(m.common(), x)
		case 5:
			x = m.join(itemMin, x, m.limit())
		case 6:
			x = m.clamp(x, m.small(0, 3), m.minus(m.limit(), m.constant(1)))
		case 7:
			x = m.join(itemAnd, x, m.small(1, 32))
		case 8:
			x = m.by(m.r.IntN(4), x, uint32(1+m.r.IntN(7)))
		case 9:
			x = m.plus(x, m.common())
		case 10:
			x = m.join(itemMax, x, m.limit())
		case 11:
			x = m.plus(m.times(m.own(), m.across), x)
		}
	}
	return x
}
