package difftest

// The family "exits" is of invocations that leave the kernel behind tests of several truth values
// and behind loops that do nothing but change such values. Where NVIDIA's compiler finds out late
// that a block does nothing but leave, it has been seen to take half of the test that leads there
// for the whole of it; the generator of whole programs came to that once in 100,000.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	exitTruths = 3 // variables of the type bool: q0, q1, q2
	exitLoaded = 4 // numbers of d that an invocation has: x0 to x3
	exitLanes  = 64
	exitWords  = 2 // words of o that an invocation has
)

// exitTest is a condition.
type exitTest struct {
	text  string
	holds func(*invocation) bool
}

type exitMaker struct {
	r     *rand.Rand
	loops int // the numbers of loops, for the names of their counters
}

// test makes a comparison of a loaded number, or names a variable.
func (m *exitMaker) test() exitTest {
	if m.r.IntN(3) == 0 {
		n := m.r.IntN(exitTruths)
		return exitTest{fmt.Sprintf("q%d", n), func(s *invocation) bool { return s.truths[n] }}
	}
	n, k, o := m.r.IntN(exitLoaded), uint32(m.r.IntN(8)), orders[m.r.IntN(len(orders))]
	return exitTest{fmt.Sprintf("(x%d %s %du)", n, o.text, k), func(s *invocation) bool { return o.holds(s.d[n], k) }}
}

// condition combines up to four tests.
func (m *exitMaker) condition(depth int) exitTest {
	if depth == 0 || m.r.IntN(3) == 0 {
		t := m.test()
		if m.r.IntN(4) == 0 {
			return exitTest{"!" + t.text, func(s *invocation) bool { return !t.holds(s) }}
		}
		return t
	}
	a, b := m.condition(depth-1), m.condition(depth-1)
	if word := []string{"&", "&&"}[m.r.IntN(2)]; m.r.IntN(3) > 0 {
		return exitTest{"(" + a.text + " " + word + " " + b.text + ")", func(s *invocation) bool { return a.holds(s) && b.holds(s) }}
	}
	word := []string{"|", "||"}[m.r.IntN(2)]
	return exitTest{"(" + a.text + " " + word + " " + b.text + ")", func(s *invocation) bool { return a.holds(s) || b.holds(s) }}
}

// sets makes an assignment to a variable.
func (m *exitMaker) sets(n int) arm {
	c := m.condition(1)
	if m.r.IntN(3) == 0 {
		c = exitTest{"false", func(*invocation) bool { return false }}
	}
	return arm{fmt.Sprintf("q%d = %s;\n", n, c.text), func(s *invocation) flow {
		s.truths[n] = c.holds(s)
		return next
	}}
}

// loop makes one that is about a variable and ends after a few turns at the latest.
func (m *exitMaker) loop(depth int) arm {
	n, k, turns := m.r.IntN(exitTruths), m.loops, uint32(1+m.r.IntN(4))
	m.loops++
	form := exitLoops[m.r.IntN(len(exitLoops))]
	body := m.block(depth, true)
	if m.r.IntN(2) == 0 {
		body = inOrder([]arm{body, m.sets(n)})
	}
	return arm{fmt.Sprintf(form.text, k, turns, n, body.text), func(s *invocation) flow {
		for turn := uint32(0); form.last || s.truths[n]; turn++ {
			if turn == turns {
				return next
			}
			switch body.run(s) {
			case returns:
				return returns
			case breaks:
				return next
			}
			if form.last && !s.truths[n] {
				return next
			}
		}
		return next
	}}
}

// exitLoops are the forms of loops, of a number, how many turns there are at most, a variable and a
// body; last says that the variable is looked at behind the body.
var exitLoops = [...]struct {
	text string
	last bool
}{
	{"{\nvar k%[1]d = %[2]du;\nwhile (q%[3]d) {\nif (k%[1]d == 0u) { break; }\nk%[1]d--;\n%[4]s}\n}\n", false},
	{"for (var k%[1]d = 0u; q%[3]d && k%[1]d < %[2]du; k%[1]d++) {\n%[4]s}\n", false},
	{"for (var k%[1]d = 0u; q%[3]d & (k%[1]d < %[2]du); k%[1]d++) {\n%[4]s}\n", false},
	{"{\nvar k%[1]d = 1u;\nloop {\nif (k%[1]d > %[2]du || !q%[3]d) { break; }\n%[4]scontinuing {\nk%[1]d++;\n}\n}\n}\n", false},
	{"{\nvar k%[1]d = %[2]du;\nloop {\nif (k%[1]d == 0u) { break; }\nk%[1]d--;\n%[4]scontinuing {\nbreak if !q%[3]d;\n}\n}\n}\n", true},
}

func (m *exitMaker) statement(depth int, inLoop bool) arm {
	switch n := m.r.IntN(10); {
	case depth > 0 && n < 3:
		c := m.condition(2)
		then, other := m.block(depth-1, inLoop), m.block(depth-1, inLoop)
		if m.r.IntN(3) == 0 {
			then = inOrder(nil)
		}
		if m.r.IntN(3) == 0 {
			other = inOrder(nil)
		}
		return arm{"if (" + c.text + ") {\n" + then.text + "} else {\n" + other.text + "}\n", func(s *invocation) flow {
			if c.holds(s) {
				return then.run(s)
			}
			return other.run(s)
		}}
	case depth > 0 && n < 6:
		return m.loop(depth - 1)
	case n < 8:
		c := m.condition(1)
		word, how := "return", returns
		if inLoop && m.r.IntN(2) == 0 {
			word, how = "break", breaks
			if m.r.IntN(3) == 0 {
				word, how = "continue", continues
			}
		}
		return arm{"if (" + c.text + ") { " + word + "; }\n", func(s *invocation) flow {
			if c.holds(s) {
				return how
			}
			return next
		}}
	case n == 8 && m.r.IntN(3) == 0:
		k := uint32(m.r.IntN(9))
		return arm{fmt.Sprintf("o[place * %[1]du] += %[2]du;\n", exitWords, k), func(s *invocation) flow {
			s.o[s.place*exitWords] += k
			return next
		}}
	}
	return m.sets(m.r.IntN(exitTruths))
}

// block makes one or two statements.
func (m *exitMaker) block(depth int, inLoop bool) arm {
	var list []arm
	for range 1 + m.r.IntN(2) {
		list = append(list, m.statement(depth, inLoop))
	}
	return inOrder(list)
}

// exits makes such a program.
func exits(seed uint64) *Case {
	m := exitMaker{r: rand.New(rand.NewPCG(seed, 0xe817))}
	var begin strings.Builder
	for n := range exitLoaded {
		fmt.Fprintf(&begin, "let x%[1]d = d[place * %[2]du + %[1]du];\n", n, exitLoaded)
	}
	d := make([]uint32, exitLanes*exitLoaded)
	for n := range d {
		d[n] = uint32(m.r.IntN(8))
	}
	list := make([]arm, 0, 8)
	for n := range exitTruths {
		c := m.test()
		if n == 0 { // no variable is there yet
			c = exitTest{"(x0 < 4u)", func(s *invocation) bool { return s.d[0] < 4 }}
		}
		// a variable has a value from its declaration on, which the ones behind it may look at
		if strings.HasPrefix(c.text, "q") && c.text >= fmt.Sprintf("q%d", n) {
			c = exitTest{"true", func(*invocation) bool { return true }}
		}
		list = append(list, arm{fmt.Sprintf("var q%d = %s;\n", n, c.text), func(s *invocation) flow {
			s.truths[n] = c.holds(s)
			return next
		}})
	}
	for range 2 + m.r.IntN(2) {
		list = append(list, m.statement(3, false))
	}
	c := m.condition(2)
	list = append(list, arm{fmt.Sprintf("o[place * %[1]du + 1u] = select(2u, 1u, %[2]s);\n", exitWords, c.text), func(s *invocation) flow {
		s.o[s.place*exitWords+1] = 2
		if c.holds(s) {
			s.o[s.place*exitWords+1] = 1
		}
		return next
	}})
	body := inOrder(list)
	o := make([]uint32, exitLanes*exitWords)
	for place := range uint32(exitLanes) {
		body.run(&invocation{place: place, d: d[place*exitLoaded:][:exitLoaded], o: o})
	}
	program := small("exits", seed, "", begin.String()+body.text, d, o)
	program.Code = strings.Replace(program.Code, "@workgroup_size(1)", fmt.Sprintf("@workgroup_size(%d)", exitLanes), 1)
	return program
}
