package difftest

// Numbers and tests of the family "items": of the item's place, of what all items have in common,
// and of what is read.

import (
	"fmt"
	"math/rand/v2"
)

// itemNumber is an expression: its text and its value for an item. Two that are fixed are not
// joined: an overflow would be an error.
type itemNumber struct {
	text  string
	of    func(*item) uint32
	fixed bool
}

type itemTest struct {
	text  string
	holds func(*item) bool
}

func (m *itemMaker) chance(of int) bool { return m.r.IntN(of) == 0 }

func (m *itemMaker) constant(v uint32) itemNumber {
	return itemNumber{numeral(m.signed, v), func(*item) uint32 { return v }, true}
}

// small makes a constant that is small.
func (m *itemMaker) small(least, limit int) itemNumber {
	return m.constant(uint32(least + m.r.IntN(limit-least)))
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

const (
	itemPlus = iota
	itemMinus
	itemTimes
	itemXor
	itemAnd
	itemOr
	itemMin
	itemMax
)

// itemOperators are operators and functions of two numbers.
var itemOperators = []struct {
	format   string
	unsigned func(a, b uint32) uint32
	signed   func(a, b int32) int32
}{
	itemPlus:  {"(%s + %s)", func(a, b uint32) uint32 { return a + b }, nil},
	itemMinus: {"(%s - %s)", func(a, b uint32) uint32 { return a - b }, nil},
	itemTimes: {"(%s * %s)", func(a, b uint32) uint32 { return a * b }, nil},
	itemXor:   {"(%s ^ %s)", func(a, b uint32) uint32 { return a ^ b }, nil},
	itemAnd:   {"(%s & %s)", func(a, b uint32) uint32 { return a & b }, nil},
	itemOr:    {"(%s | %s)", func(a, b uint32) uint32 { return a | b }, nil},
	itemMin:   {"min(%s, %s)", func(a, b uint32) uint32 { return min(a, b) }, func(a, b int32) int32 { return min(a, b) }},
	itemMax:   {"max(%s, %s)", func(a, b uint32) uint32 { return max(a, b) }, func(a, b int32) int32 { return max(a, b) }},
}

func (m *itemMaker) join(operator int, x, y itemNumber) itemNumber {
	if x.fixed && y.fixed {
		return x
	}
	o := &itemOperators[operator]
	of := func(t *item) uint32 { return o.unsigned(x.of(t), y.of(t)) }
	if m.signed && o.signed != nil {
		of = func(t *item) uint32 { return uint32(o.signed(int32(x.of(t)), int32(y.of(t)))) }
	}
	return itemNumber{fmt.Sprintf(o.format, x.text, y.text), of, false}
}

func (m *itemMaker) plus(x, y itemNumber) itemNumber  { return m.join(itemPlus, x, y) }
func (m *itemMaker) minus(x, y itemNumber) itemNumber { return m.join(itemMinus, x, y) }
func (m *itemMaker) times(x, y itemNumber) itemNumber { return m.join(itemTimes, x, y) }

// by makes a quotient, a remainder, or a shift by a constant.
func (m *itemMaker) by(x itemNumber) itemNumber {
	if x.fixed {
		return x
	}
	c := uint32(1 + m.r.IntN(12))
	operator := m.r.IntN(4)
	of := func(t *item) uint32 {
		a := x.of(t)
		switch {
		case operator == 2:
			return a << c
		case operator == 0 && m.signed:
			return uint32(int32(a) / int32(c))
		case operator == 1 && m.signed:
			return uint32(int32(a) % int32(c))
		case m.signed:
			return uint32(int32(a) >> c)
		case operator == 0:
			return a / c
		case operator == 1:
			return a % c
		}
		return a >> c
	}
	by := numeral(m.signed && operator < 2, c)
	return itemNumber{fmt.Sprintf("(%s %s %s)", x.text, [...]string{"/", "%", "<<", ">>"}[operator], by), of, false}
}

// number makes a number, of what all items have in common if it is to be shared.
func (m *itemMaker) number(depth int, shared bool) itemNumber {
	if depth == 0 || m.chance(4) {
		return m.leaf(shared)
	}
	switch x := m.number(depth-1, shared); m.r.IntN(8) {
	case 0, 1:
		return m.by(x)
	case 2:
		c, y := m.test(shared), m.number(depth-1, shared)
		if x.fixed && y.fixed {
			return x
		}
		return itemNumber{fmt.Sprintf("select(%s, %s, %s)", x.text, y.text, c.text), func(t *item) uint32 {
			a, b := x.of(t), y.of(t)
			if c.holds(t) {
				return b
			}
			return a
		}, false}
	default:
		return m.join(m.r.IntN(len(itemOperators)), x, m.number(depth-1, shared))
	}
}

func (m *itemMaker) leaf(shared bool) itemNumber {
	switch k := m.r.IntN(12); {
	case k == 0:
		return m.constant(edge(m.r))
	case k < 3:
		return m.small(0, 9)
	case shared && k < 6 && len(m.steady) > 0:
		return pick(m.r, m.steady)
	case shared && k == 6:
		return m.somewhere(m.leaf(true))
	case shared, k == 3:
		return pick(m.r, m.common)
	case k == 4 && len(m.open) > 0:
		return pick(m.r, m.open)
	case k < 6:
		return pick(m.r, m.places)
	case k < 9:
		return m.variable(m.r.IntN(itemVariables))
	}
	return m.load()
}

func (m *itemMaker) variable(n int) itemNumber {
	return itemNumber{fmt.Sprintf("v%d", n), func(t *item) uint32 { return t.variables[n] }, false}
}

// test makes a comparison, or two that are joined. Numbers are compared as what they are or as of
// the other type.
func (m *itemMaker) test(shared bool) itemTest {
	x, y := m.number(1, shared), m.number(1, shared)
	if m.chance(2) {
		x = m.join(itemAnd, x, m.small(1, 8)) // a few bits of it, which items often have in common
		y = m.small(0, 4)
	}
	order := pick(m.r, orders)
	signed, format := m.signed, "(%s %s %s)"
	if m.chance(6) {
		if signed = !signed; signed {
			format = "(i32(%s) %s i32(%s))"
		} else {
			format = "(u32(%s) %s u32(%s))"
		}
		if x.fixed || y.fixed { // of which not all are numbers of the other type
			format, signed = "(%s %s %s)", m.signed
		}
	}
	c := itemTest{fmt.Sprintf(format, x.text, order.text, y.text), func(t *item) bool {
		a, b := x.of(t), y.of(t)
		if signed {
			return order.signed(int32(a), int32(b))
		}
		return order.holds(a, b)
	}}
	switch m.r.IntN(10) {
	case 0:
		return either(c, m.test(shared))
	case 1:
		return both(c, m.test(shared))
	}
	return c
}

func either(a, b itemTest) itemTest {
	return itemTest{"(" + a.text + " || " + b.text + ")", func(t *item) bool { return a.holds(t) || b.holds(t) }}
}

func both(a, b itemTest) itemTest {
	return itemTest{"(" + a.text + " && " + b.text + ")", func(t *item) bool { return a.holds(t) && b.holds(t) }}
}

// compare makes a comparison by one of orders.
func (m *itemMaker) compare(x itemNumber, operator string, y itemNumber) itemTest {
	for n := range orders {
		if o := &orders[n]; o.text == operator {
			return itemTest{fmt.Sprintf("(%s %s %s)", x.text, operator, y.text), func(t *item) bool {
				if m.signed {
					return o.signed(int32(x.of(t)), int32(y.of(t)))
				}
				return o.holds(x.of(t), y.of(t))
			}}
		}
	}
	panic("no comparison " + operator)
}

var itemNames = [...]string{"o", "d", "q"}

// at makes the number that a buffer holds at a place.
func (m *itemMaker) at(buffer int, place itemNumber) itemNumber {
	return itemNumber{fmt.Sprintf("%s(%s[%s])", m.typed, itemNames[buffer], place.text),
		func(t *item) uint32 { return t.load(buffer, place.of(t)) }, false}
}

// mine makes a place of the item's own.
func (m *itemMaker) mine() itemNumber {
	if m.stride == 1 {
		return m.own
	}
	return m.plus(m.times(m.own, m.constant(m.stride)), m.small(0, int(m.stride)))
}

// row makes the place of an element from its numbers by dimension.
func (m *itemMaker) row(at ...itemNumber) itemNumber {
	if m.flat {
		return at[0]
	}
	return m.plus(m.times(at[1], m.limits[0]), at[0])
}

// load makes a number that is read: at the item's place, or beside it.
func (m *itemMaker) load() itemNumber {
	k := m.r.IntN(9)
	if m.inside && k > 4 {
		k = 5
	}
	switch k {
	case 0, 1:
		return m.at(itemsQ, m.mine())
	case 2:
		return m.at(itemsO, m.mine())
	case 3, 4:
		return m.at(itemsD, m.mine())
	case 5:
		return m.somewhere(m.number(1, false))
	case 6: // anywhere
		place := m.number(2, false)
		if place.fixed {
			place = m.plus(place, m.places[0])
		}
		return m.at(itemsD, place)
	case 7: // a neighbour inside of the limits
		var list []itemNumber
		for n, p := range m.places {
			low, high := m.constant(0), m.minus(m.limits[n], m.constant(1))
			x := m.plus(p, m.constant(uint32(m.r.IntN(3)-1)*uint32(1+m.r.IntN(3))))
			list = append(list, itemNumber{fmt.Sprintf("clamp(%s, %s, %s)", x.text, low.text, high.text), m.join(itemMin, m.join(itemMax, x, low), high).of, false})
		}
		return m.at(itemsD, m.row(list...))
	}
	var list []itemNumber
	for _, p := range m.places {
		list = append(list, m.plus(p, m.constant(uint32(m.r.IntN(5)-2))))
	}
	return m.at(itemsD, m.row(list...))
}

// somewhere makes the number that lies at a place of d, as it were if d went on and on.
func (m *itemMaker) somewhere(place itemNumber) itemNumber {
	c := uint32(len(m.memory.words[itemsD]))
	return itemNumber{fmt.Sprintf("%s(d[u32(%s) %% %du])", m.typed, place.text, c),
		func(t *item) uint32 { return t.load(itemsD, place.of(t)%c) }, false}
}
