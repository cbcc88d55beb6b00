package difftest

// The family "turns": loops that index an invocation's own arrays by what they count, alone and in
// each other, with breaks and continues that depend on counts or on memory, and tests at the
// beginning or at the end. Compilers write out the turns of such loops.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	turnElements = 12 // of the array
	turnLimit    = 5000
)

// turnState is what a program of the family works on.
type turnState struct {
	a     [turnElements]uint32
	sum   uint32
	count [8]uint32 // by the number of a loop's counter
	d     []uint32
	steps int
}

// turnFlow is how a statement ends.
type turnFlow int

const (
	turnNext turnFlow = iota
	turnBreak
	turnContinue
)

type (
	turnNumber    func(*turnState) uint32
	turnStatement func(*turnState) turnFlow
)

type turnMaker struct {
	r     *rand.Rand
	body  strings.Builder
	loops int   // counters so far
	open  []int // those in scope
	d     []uint32
}

func (m *turnMaker) line(format string, args ...any) {
	fmt.Fprintf(&m.body, strings.Repeat("  ", len(m.open)+1)+format+"\n", args...)
}

// number makes a number of counts and constants, and of memory if that is allowed.
func (m *turnMaker) number(depth int, memory bool) (string, turnNumber) {
	if depth == 0 || m.r.IntN(3) == 0 {
		switch k := m.r.IntN(8); {
		case k == 0 && memory:
			n := m.r.IntN(len(m.d))
			return fmt.Sprintf("d[%d]", n), func(s *turnState) uint32 { return s.d[n] }
		case k < 2 || len(m.open) == 0:
			c := uint32(m.r.IntN(turnElements))
			return fmt.Sprintf("%du", c), func(*turnState) uint32 { return c }
		}
		n := m.open[m.r.IntN(len(m.open))]
		return fmt.Sprintf("i%d", n), func(s *turnState) uint32 { return s.count[n] }
	}
	a, x := m.number(depth-1, memory)
	b, y := m.number(depth-1, memory)
	switch m.r.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s - %s)", a, b), func(s *turnState) uint32 { return x(s) - y(s) }
	case 1:
		return fmt.Sprintf("(%s * %s)", a, b), func(s *turnState) uint32 { return x(s) * y(s) }
	case 2:
		return fmt.Sprintf("(%s ^ %s)", a, b), func(s *turnState) uint32 { return x(s) ^ y(s) }
	case 3:
		return fmt.Sprintf("max(%s, %s)", a, b), func(s *turnState) uint32 { return max(x(s), y(s)) }
	}
	return fmt.Sprintf("(%s + %s)", a, b), func(s *turnState) uint32 { return x(s) + y(s) }
}

// place makes an index of the array.
func (m *turnMaker) place() (string, turnNumber) {
	t, x := m.number(2, m.r.IntN(12) == 0)
	return fmt.Sprintf("a[%s %% %du]", t, turnElements), func(s *turnState) uint32 { return x(s) % turnElements }
}

func (m *turnMaker) statement(depth int) turnStatement {
	switch k := m.r.IntN(9); {
	case k < 3 && depth > 0 && m.loops < 8:
		return m.loop(depth - 1)
	case k == 3 && len(m.open) > 0:
		t, x := m.number(2, true)
		c := uint32(m.r.IntN(9))
		word, flow := "break", turnBreak
		if m.r.IntN(2) == 0 {
			word, flow = "continue", turnContinue
		}
		m.line("if %s %% 9u == %du { %s; }", t, c, word)
		return func(s *turnState) turnFlow {
			if x(s)%9 == c {
				return flow
			}
			return turnNext
		}
	case k == 4:
		p, at := m.place()
		m.line("sum = sum * 31u + %s;", p)
		return func(s *turnState) turnFlow { s.sum = s.sum*31 + s.a[at(s)]; return turnNext }
	case k == 5:
		p, to := m.place()
		q, from := m.place()
		m.line("%s = %s;", p, q)
		return func(s *turnState) turnFlow { s.a[to(s)] = s.a[from(s)]; return turnNext }
	}
	p, at := m.place()
	t, x := m.number(2, true)
	m.line("%s += %s;", p, t)
	return func(s *turnState) turnFlow { s.a[at(s)] += x(s); return turnNext }
}

func (m *turnMaker) block(depth int) turnStatement {
	var list []turnStatement
	for range 1 + m.r.IntN(4) {
		list = append(list, m.statement(depth))
	}
	return func(s *turnState) turnFlow {
		for _, run := range list {
			if s.steps++; s.steps > turnLimit {
				return turnBreak
			}
			if f := run(s); f != turnNext {
				return f
			}
		}
		return turnNext
	}
}

// loop makes a loop of some ten turns at most, whose counter is c.
func (m *turnMaker) loop(depth int) turnStatement {
	c := m.loops
	m.loops++
	start, end, step := uint32(m.r.IntN(6)), uint32(m.r.IntN(12)), uint32(1+m.r.IntN(3))
	var test func(uint32) bool
	next := func(i uint32) uint32 { return i + step }
	var head, tail string
	atEnd := false
	switch m.r.IntN(5) {
	case 0: // down
		start, end = start+end, start
		next = func(i uint32) uint32 { return i - 1 }
		test = func(i uint32) bool { return i > end }
		head, tail = fmt.Sprintf("for (var i%d = %du; i%d > %du; i%d--) {", c, start, c, end, c), "}"
	case 1: // by doubling
		start++
		next = func(i uint32) uint32 { return i << 1 }
		test = func(i uint32) bool { return i < end }
		head, tail = fmt.Sprintf("for (var i%d = %du; i%d < %du; i%d <<= 1u) {", c, start, c, end, c), "}"
	case 2: // tested at the end
		atEnd = true
		test = func(i uint32) bool { return i < end }
		head = fmt.Sprintf("var i%d = %du; loop {", c, start)
		tail = fmt.Sprintf("continuing { i%d += %du; break if i%d >= %du; } }", c, step, c, end)
	default:
		test = func(i uint32) bool { return i < end }
		head, tail = fmt.Sprintf("for (var i%d = %du; i%d < %du; i%d += %du) {", c, start, c, end, c, step), "}"
	}
	m.line("{ %s", head)
	m.open = append(m.open, c)
	body := m.block(depth)
	m.open = m.open[:len(m.open)-1]
	m.line("%s }", tail)
	return func(s *turnState) turnFlow {
		for s.count[c] = start; atEnd || test(s.count[c]); {
			if body(s) == turnBreak {
				break
			}
			if s.count[c] = next(s.count[c]); atEnd && !test(s.count[c]) {
				break
			}
		}
		return turnNext
	}
}

func turns(seed uint64) *Case {
	for again := uint64(0); ; again++ { // programs that run too long are made again
		m := &turnMaker{r: rand.New(rand.NewPCG(seed, 0x70+again))}
		for range 4 {
			m.d = append(m.d, uint32(m.r.IntN(20)))
		}
		m.line("var a: array<u32, %d>;\n  var sum = 0u;", turnElements)
		var list []turnStatement
		for range 2 + m.r.IntN(3) {
			list = append(list, m.loop(2))
			if m.loops > 6 {
				break
			}
		}
		s := &turnState{d: m.d}
		for _, run := range list {
			run(s)
		}
		if s.steps > turnLimit {
			continue
		}
		var o []uint32
		for n := range s.a {
			m.line("o[%d] = a[%d];", n, n)
			o = append(o, s.a[n])
		}
		m.line("o[%d] = sum;", turnElements)
		return small("turns", seed, "", m.body.String(), m.d, append(o, s.sum))
	}
}
