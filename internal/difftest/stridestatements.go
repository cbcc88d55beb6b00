package difftest

// Statements of the family "strides".

import (
	"fmt"
	"strings"
)

// strideStatement is a statement, or several in order. run says whether the invocation goes on.
type strideStatement struct {
	text string
	run  func(*strider) bool
}

func stridesInOrder(list ...strideStatement) strideStatement {
	var text strings.Builder
	for _, s := range list {
		text.WriteString(s.text)
	}
	return strideStatement{text.String(), func(t *strider) bool {
		for n := range list {
			if !list[n].run(t) {
				return false
			}
		}
		return true
	}}
}

func strideIf(c strideTest, yes strideStatement) strideStatement {
	return strideStatement{fmt.Sprintf("if %s {\n%s}\n", c.text, yes.text), func(t *strider) bool { return !c.holds(t) || yes.run(t) }}
}

func strideElse(c strideTest, yes, no strideStatement) strideStatement {
	return strideStatement{fmt.Sprintf("if %s {\n%s} else {\n%s}\n", c.text, yes.text, no.text), func(t *strider) bool {
		if c.holds(t) {
			return yes.run(t)
		}
		return no.run(t)
	}}
}

// body makes what invocations do before the barrier, if there is one.
func (m *strideMaker) body() strideStatement {
	var list []strideStatement
	for range 1 + m.r.IntN(3) {
		if m.loops < strideLoops && !m.chance(4) {
			list = append(list, m.loop(1))
		} else {
			list = append(list, m.guarded())
		}
	}
	if m.atomic != nil || m.chance(2) {
		return stridesInOrder(list...)
	}
	// Those that are too many leave, or what they do is nothing.
	in, out := m.guard()
	if m.chance(2) {
		return stridesInOrder(append([]strideStatement{strideIf(out, strideStatement{"return;\n", func(*strider) bool { return false }})}, list...)...)
	}
	return strideIf(in, stridesInOrder(list...))
}

// tail makes what is behind the barrier: a store of what an invocation has found.
func (m *strideMaker) tail() strideStatement {
	keep := m.store(&m.arrays[2], m.ownPlace(&m.arrays[2]), strideNumber{"(sum + u32(floats))", func(t *strider) uint32 { return t.sum + t.floats }, false, false})
	if in, _ := m.guard(); m.chance(3) {
		keep = strideIf(in, keep)
	}
	if m.atomic == nil {
		return keep
	}
	text := fmt.Sprintf("workgroupBarrier();\nsum = sum * 31u + atomicLoad(&cells[index & %du]);\n", strideCells-1)
	return stridesInOrder(strideStatement{text, func(t *strider) bool {
		t.sum = t.sum*31 + t.cells[t.index&(strideCells-1)]
		return true
	}}, keep)
}

// guard makes a test of which invocations there is something to do for, and its opposite.
func (m *strideMaker) guard() (in, out strideTest) {
	type pair struct{ in, out strideTest }
	one := func(x strideNumber) pair {
		limit := m.limit()
		if m.chance(6) {
			x = m.as(!x.signed, x)
		}
		switch m.r.IntN(6) {
		case 0:
			return pair{m.compare(x, "<=", limit), m.compare(x, ">", limit)}
		case 1:
			c := m.small(1, 4)
			return pair{m.compare(m.plus(x, c), "<", limit), m.compare(m.plus(x, c), ">=", limit)}
		case 2:
			if limit.fixed || limit.signed != x.signed {
				break
			}
			return pair{m.compare(limit, ">", x), m.compare(limit, "<=", x)}
		}
		return pair{m.compare(x, "<", limit), m.compare(x, ">=", limit)}
	}
	if m.dimensions == 1 || m.chance(3) {
		p := one(m.flat)
		return p.in, p.out
	}
	p := one(m.places[0])
	for d := 1; d < m.dimensions; d++ {
		q := one(m.places[d])
		p = pair{strideBoth(p.in, q.in), strideEither(p.out, q.out)}
	}
	return p.in, p.out
}

// guarded makes an access that depends on no loop, mostly behind a test of its index or of what
// that is made of.
func (m *strideMaker) guarded() strideStatement {
	x := m.own()
	at := x
	in, out := m.guard()
	switch m.r.IntN(10) {
	case 0: // the one before
		at = m.minus(x, m.constant(1))
		in, out = m.compare(x, ">", m.constant(0)), m.compare(x, "==", m.constant(0))
		if x.signed {
			out = m.compare(x, "<=", m.constant(0))
		}
	case 1, 2: // a row
		limit := m.limit()
		if m.dimensions > 1 {
			at = m.plus(m.times(m.places[1], limit), m.places[0])
		}
		if m.chance(2) {
			in, out = m.compare(m.places[0], "<", limit), m.compare(m.places[0], ">=", limit)
		}
	case 3: // the place itself is held against the length, or the length less one
		at = m.at()
		limit := m.lengthOf(&m.arrays[m.r.IntN(len(m.arrays))])
		if m.chance(3) {
			limit = m.minus(limit, m.constant(uint32(m.r.IntN(2))))
		}
		in, out = m.compare(at, "<", limit), m.compare(at, ">=", limit)
	case 4, 5, 6:
		at = m.at()
	}
	list := []strideStatement{m.add(m.read(at))}
	for range m.r.IntN(3) {
		list = append(list, m.add(m.read(at)))
	}
	if m.chance(4) {
		list = append(list, m.keep())
	}
	body := stridesInOrder(list...)
	switch m.r.IntN(5) {
	case 0:
		return body
	case 1:
		return strideElse(out, m.add(m.read(m.small(0, 3))), body)
	}
	return strideIf(in, body)
}

// access makes a place in the program that asks for an element.
func (m *strideMaker) access(a *strideArray, at strideNumber) *strideAccess {
	p := &strideAccess{array: a, at: at}
	a.accesses = append(a.accesses, p)
	return p
}

func (p *strideAccess) text() string { return fmt.Sprintf("%s[%s]", p.array.name, p.at.text) }

// component chooses a component of the element.
func (m *strideMaker) component(p *strideAccess) (text string, n int) {
	if p.array.width == 1 {
		return p.text(), 0
	}
	n = m.r.IntN(p.array.width)
	return p.text() + "." + "xyzw"[n:n+1], n
}

// read makes a place that reads one of the arrays.
func (m *strideMaker) read(at strideNumber) *strideAccess {
	return m.access(&m.arrays[pick(m.r, []int{0, 0, 0, 1, 1, 3})], at)
}

// add makes a read, which changes what an invocation has found.
func (m *strideMaker) add(p *strideAccess) strideStatement {
	a := p.array
	if a.width > 1 && m.chance(2) { // all components
		var parts []string
		for n := range a.width {
			parts = append(parts, fmt.Sprintf("v.%c * %du", "xyzw"[n], n+1))
		}
		return strideStatement{fmt.Sprintf("{\nlet v = %s;\nsum += %s;\n}\n", p.text(), strings.Join(parts, " + ")), func(t *strider) bool {
			for n := range a.width {
				t.sum += t.load(p, n) * uint32(n+1)
			}
			return true
		}}
	}
	text, n := m.component(p)
	if a.scalar == "f32" && m.chance(2) { // a sum that is exact in any order
		return strideStatement{fmt.Sprintf("floats += %s;\n", text), func(t *strider) bool { t.floats += t.load(p, n); return true }}
	}
	if m.chance(2) {
		return strideStatement{fmt.Sprintf("sum += u32(%s);\n", text), func(t *strider) bool { t.sum += t.load(p, n); return true }}
	}
	return strideStatement{fmt.Sprintf("sum = sum * 31u + u32(%s);\n", text), func(t *strider) bool { t.sum = t.sum*31 + t.load(p, n); return true }}
}

// store makes a store of a number of type u32 to one component of an element, or to all of them.
func (m *strideMaker) store(a *strideArray, at, x strideNumber) strideStatement {
	p := m.access(a, at)
	value := x.text
	switch a.scalar {
	case "i32":
		value = "i32(" + value + ")"
	case "f32":
		value = "f32(" + value + " & 255u)"
	}
	if a.width > 1 && m.chance(2) {
		return strideStatement{fmt.Sprintf("%s = %s(%s);\n", p.text(), a.typed(), value), func(t *strider) bool {
			for n := range a.width {
				t.store(p, n, x.of(t))
			}
			return true
		}}
	}
	text, n := m.component(p)
	return strideStatement{fmt.Sprintf("%s = %s;\n", text, value), func(t *strider) bool { t.store(p, n, x.of(t)); return true }}
}

// ownPlace makes the place of an element of a writable array that no other invocation has, if the
// array is used by such places alone.
func (m *strideMaker) ownPlace(a *strideArray) strideNumber {
	switch m.r.IntN(8) {
	case 0:
		return m.minus(m.minus(m.all, m.constant(1)), m.flat)
	case 1:
		return m.plus(m.flat, m.small(1, 4))
	case 2:
		return m.plus(m.times(m.flat, m.small(2, 4)), m.small(0, 2))
	case 3:
		return m.join(itemMin, m.flat, m.minus(m.lengthOf(a), m.constant(1)))
	case 4:
		return m.as(true, m.flat)
	case 5:
		return m.minus(m.flat, m.small(1, 3))
	}
	return m.flat
}

// keep makes a store of what an invocation has found so far.
func (m *strideMaker) keep() strideStatement {
	return m.store(&m.arrays[3], m.ownPlace(&m.arrays[3]), strideSum)
}

var strideSum = strideNumber{"sum", func(t *strider) uint32 { return t.sum }, false, false}
