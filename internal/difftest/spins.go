package difftest

// The family "spins" is of loops that end by what memory holds, which other invocations change too,
// or after a number of turns that differs between invocations, in loops whose counters all
// invocations share. NVIDIA's Vulkan driver made one loop of two and went on counting while some
// invocations still tried to exchange a number; the generator of whole programs came to it three
// times in 100,000.

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	spinWords = 2 // how many words of o an invocation has
	spinCells = 4 // how many atomics there are
)

// combination is what a cell does with the numbers that are put into it, in any order.
type combination struct {
	text string // of an old number and another
	of   func(old, by uint32) uint32
}

var combinations = [...]combination{
	{"old + %s", func(old, by uint32) uint32 { return old + by }},
	{"old ^ %s", func(old, by uint32) uint32 { return old ^ by }},
	{"old | %s", func(old, by uint32) uint32 { return old | by }},
	{"max(old, %s)", func(old, by uint32) uint32 { return max(old, by) }},
}

type spinMaker struct {
	r        *rand.Rand
	counters int // the numbers of loops, for their names
	scope    []int
	cells    [spinCells]combination // the first counts tickets
}

// value makes a number: mostly one that all invocations share.
func (m *spinMaker) value() (string, func(*invocation) uint32) {
	k := uint32(m.r.IntN(4))
	switch n := m.r.IntN(8); {
	case n < 4 && len(m.scope) > 0:
		c := m.scope[m.r.IntN(len(m.scope))]
		return fmt.Sprintf("u32(k%d)", c), func(s *invocation) uint32 { return s.counters[c] }
	case n == 4:
		return fmt.Sprintf("d[%d]", k), func(s *invocation) uint32 { return s.d[k] }
	case n == 5:
		return fmt.Sprintf("(lane + %du)", k), func(s *invocation) uint32 { return s.place + k }
	}
	return fmt.Sprintf("%du", k+1), func(*invocation) uint32 { return k + 1 }
}

// spin makes a loop that nothing counts.
func (m *spinMaker) spin() arm {
	switch m.r.IntN(5) {
	case 0: // whoever draws a ticket that ends in 3 is through
		return arm{"loop {\nif ((atomicAdd(&s[0], 1u) & 3u) == 3u) { break; }\n}\n", func(s *invocation) flow {
			s.cells[0] += 4
			return next
		}}
	case 1:
		n := m.r.IntN(2)
		return arm{fmt.Sprintf("loop {\n%[1]s = %[1]s * 1664525u + 1013904223u;\nif (%[1]s >> 30u == 0u) { break; }\n}\n",
			[]string{"x", "y"}[n]), func(s *invocation) flow {
			for x := &s.walkers[n]; ; {
				if *x = *x*1664525 + 1013904223; *x>>30 == 0 {
					return next
				}
			}
		}}
	}
	cell := 1 + m.r.IntN(spinCells-1)
	by, number := m.value()
	format := [...]string{
		"loop {\nlet old = atomicLoad(&s[%[1]d]);\nif (atomicCompareExchangeWeak(&s[%[1]d], old, %[2]s).exchanged) { break; }\n}\n",
		"{\nlet cell = &s[%[1]d];\nlet by = %[3]s;\nloop {\nlet old = atomicLoad(cell);\nif (atomicCompareExchangeWeak(cell, old, %[4]s).exchanged) { break; }\n}\n}\n",
		"loop {\nlet old = atomicOr(&s[%[1]d], 0u);\nlet result = atomicCompareExchangeWeak(&s[%[1]d], old, %[2]s);\ncontinuing {\nbreak if result.exchanged;\n}\n}\n",
		"{\nvar old = atomicLoad(&s[%[1]d]);\nloop {\nlet result = atomicCompareExchangeWeak(&s[%[1]d], old, %[2]s);\nif (result.exchanged) { break; }\nold = result.old_value;\n}\n}\n",
	}[[]int{0, 0, 1, 2, 3}[m.r.IntN(5)]]
	c := m.cells[cell]
	return arm{fmt.Sprintf(format, cell, fmt.Sprintf(c.text, by), by, fmt.Sprintf(c.text, "by")), func(s *invocation) flow {
		s.cells[cell] = c.of(s.cells[cell], number(s))
		return next
	}}
}

// condition makes a test.
func (m *spinMaker) condition() (string, func(*invocation) bool) {
	a, x := m.value()
	b, y := m.value()
	return a + " > " + b, func(s *invocation) bool { return x(s) > y(s) }
}

func (m *spinMaker) statement(depth int, inLoop bool) arm {
	switch n := m.r.IntN(9); {
	case depth > 0 && n < 3:
		return m.loop(depth - 1)
	case depth > 0 && n == 3:
		test, holds := m.condition()
		body := m.block(depth-1, inLoop)
		return arm{"if (" + test + ") {\n" + body.text + "}\n", func(s *invocation) flow {
			if holds(s) {
				return body.run(s)
			}
			return next
		}}
	case inLoop && n == 4:
		test, holds := m.condition()
		word, how := "continue", continues
		if m.r.IntN(3) == 0 {
			word, how = "break", breaks
		}
		return arm{"if (" + test + ") { " + word + "; }\n", func(s *invocation) flow {
			if holds(s) {
				return how
			}
			return next
		}}
	case n == 5:
		word := uint32(m.r.IntN(spinWords))
		by, number := m.value()
		return arm{fmt.Sprintf("o[lane * %[1]du + %[2]du] = o[lane * %[1]du + %[2]du] * 3u + %[3]s;\n", spinWords, word, by), func(s *invocation) flow {
			p := &s.o[s.place*spinWords+word]
			*p = *p*3 + number(s)
			return next
		}}
	}
	return m.spin()
}

// block makes one to three statements.
func (m *spinMaker) block(depth int, inLoop bool) arm {
	var list []arm
	for range 1 + m.r.IntN(3) {
		list = append(list, m.statement(depth, inLoop))
	}
	return inOrder(list)
}

// loop makes one of a few turns, whose counter its body has.
func (m *spinMaker) loop(depth int) arm {
	k := m.counters
	m.counters++
	m.scope = append(m.scope, k)
	body := m.block(depth, true)
	m.scope = m.scope[:len(m.scope)-1]
	turns := uint32(1 + m.r.IntN(7))
	form := &spinLoops[m.r.IntN(len(spinLoops))]
	return arm{fmt.Sprintf(form.text, k, turns, body.text), func(s *invocation) flow {
		for n := range turns {
			if s.counters[k] = form.counter(n, turns); body.run(s) == breaks {
				break
			}
		}
		return next
	}}
}

// spinLoops are the forms of loops, of a number, how many turns there are and a body, and what
// the counter is in a turn.
var spinLoops = [...]struct {
	text    string
	counter func(n, turns uint32) uint32
}{
	{"for (var k%[1]d = 0u; k%[1]d < %[2]du; k%[1]d++) {\n%[3]s}\n", upwards},
	{"for (var k%[1]d = %[2]du; k%[1]d >= 1u; k%[1]d--) {\n%[3]s}\n", downwards},
	{"for (var k%[1]d = %[2]di; k%[1]d >= 1i; k%[1]d--) {\n%[3]s}\n", downwards},
	{"for (var k%[1]d = %[2]du; k%[1]d != 0u && d[2] >= min(2u, d[1]); k%[1]d--) {\n%[3]s}\n", downwards},
	{"for (var k%[1]d = d[0]; k%[1]d < %[2]du; k%[1]d++) {\n%[3]s}\n", upwards},
	{"{\nvar k%[1]d = %[2]du;\nloop {\nif (k%[1]d == 0u) { break; }\nk%[1]d--;\n%[3]s}\n}\n", func(n, turns uint32) uint32 { return turns - 1 - n }},
	{"{\nvar k%[1]d = 0u;\nloop {\n%[3]scontinuing {\nk%[1]d++;\nbreak if k%[1]d == %[2]du;\n}\n}\n}\n", upwards},
	{"{\nvar k%[1]d = %[2]du;\nwhile (lane * 50u != 1194411736u) {\nif (k%[1]d == 0u) { break; }\nk%[1]d--;\n%[3]s}\n}\n", func(n, turns uint32) uint32 { return turns - 1 - n }},
}

func upwards(n, _ uint32) uint32       { return n }
func downwards(n, turns uint32) uint32 { return turns - n }

// spins makes such a program.
func spins(seed uint64) *Case {
	m := spinMaker{r: rand.New(rand.NewPCG(seed, 0x5b1))}
	for n := range m.cells {
		m.cells[n] = combinations[m.r.IntN(len(combinations))]
	}
	size, groups := []uint32{2, 5, 32, 33, 64}[m.r.IntN(5)], uint32(1)
	declaration, end := "var<workgroup> s: array<atomic<u32>, 4>;\n", ""
	shared := m.r.IntN(3) == 0
	lanes := size
	if !shared {
		groups += uint32(m.r.IntN(3))
		lanes *= groups
		declaration = []string{"@group(0) @binding(2) var<storage, read_write> s: array<atomic<u32>>;\n",
			"@group(0) @binding(2) var<storage, read_write> s: array<atomic<u32>, 4>;\n"}[m.r.IntN(2)]
	}
	d := []uint32{0, 1, 2, 3}
	o := make([]uint32, spinWords*lanes+spinCells)
	body := m.loop(2)
	cells := make([]uint32, spinCells)
	for lane := range lanes {
		s := invocation{place: lane, d: d, o: o, cells: cells, counters: make([]uint32, m.counters), walkers: [2]uint32{lane * 7, lane * 5}}
		body.run(&s)
		for n := range s.walkers {
			o[lane*spinWords+uint32(n)] ^= s.walkers[n]
		}
	}
	if shared {
		end = "workgroupBarrier();\nif (lane == 0u) {\n"
		for n := range uint32(spinCells) {
			end += fmt.Sprintf("o[%d] = atomicLoad(&s[%d]);\n", spinWords*lanes+n, n)
			o[spinWords*lanes+n] = cells[n]
		}
		end += "}\n"
	}
	c := small("spins", seed, "var<private> y: u32;\n"+declaration, "let lane = global.x;\nvar x = lane * 7u;\ny = lane * 5u;\n"+body.text+
		fmt.Sprintf("o[lane * %[1]du] ^= x;\no[lane * %[1]du + 1u] ^= y;\n", spinWords)+end, d, o)
	c.Code = strings.Replace(c.Code, "@workgroup_size(1)", fmt.Sprintf("@workgroup_size(%d)", size), 1)
	c.Dispatch[0] = int(groups)
	if !shared {
		b := Binding{Binding: 2, Name: "s", Kind: "storage", Data: make([]byte, 4*spinCells)}
		for _, v := range cells {
			b.Want = binary.LittleEndian.AppendUint32(b.Want, v)
		}
		c.Bindings = append(c.Bindings, b)
	}
	return c
}
