package difftest

// The family "arms" is of switches whose arms loop, in loops of few turns, where the invocations
// of a workgroup take different arms. NVIDIA's compilers lost turns of such loops for the
// invocation of a second selector, which the generator of whole programs came to twice in 60,000.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// arm is a statement: its text and what it does.
type arm struct {
	text string
	run  func(*invocation) flow
}

// invocation is one of a workgroup while its statements run.
type invocation struct {
	place uint32
	d, o  []uint32
	w     []uint32 // words of workgroup memory, one for each invocation
	// of spins: atomics that all share, the counters of loops, and a variable of the function and a
	// private one
	cells, counters []uint32
	walkers         [2]uint32
	truths          [exitTruths]bool // of exits
}

// inOrder makes a statement of several.
func inOrder(list []arm) arm {
	var text strings.Builder
	for _, s := range list {
		text.WriteString(s.text)
	}
	return arm{text.String(), func(v *invocation) flow {
		for n := range list {
			if f := list[n].run(v); f != next {
				return f
			}
		}
		return next
	}}
}

// armWords is how many words of o an invocation has.
const armWords = 2

// armMemory declares workgroup memory of which each invocation has a word.
const armMemory = "var<workgroup> w: array<u32, %d>;\n"

type armMaker struct {
	r *rand.Rand
	// variables counts those of loops, for their names
	variables int
	result    string // what a return returns, where a function has a result
}

// block makes a block of one to three statements.
func (m *armMaker) block(depth int, inLoop bool) arm {
	var list []arm
	for range 1 + m.r.IntN(3) {
		list = append(list, m.statement(depth, inLoop))
	}
	return inOrder(list)
}

func (m *armMaker) statement(depth int, inLoop bool) arm {
	switch n := m.r.IntN(8); {
	case depth > 0 && n < 2:
		return m.choice(depth-1, inLoop)
	case depth > 0 && n < 5:
		return m.loop(depth - 1)
	case inLoop && n == 5:
		return m.leave()
	}
	return m.store()
}

// store changes a word of the invocation's own.
func (m *armMaker) store() arm {
	word, by := uint32(m.r.IntN(armWords)), uint32(1+m.r.IntN(9))
	at := fmt.Sprintf("o[place * %du + %du]", armWords, word)
	switch m.r.IntN(4) {
	case 0:
		return arm{fmt.Sprintf("%s = %s * 3u + %du;\n", at, at, by), func(v *invocation) flow {
			p := &v.o[v.place*armWords+word]
			*p = *p*3 + by
			return next
		}}
	case 2:
		return arm{fmt.Sprintf("w[place] = w[place] * %du + %s;\n", by, at), func(v *invocation) flow {
			v.w[v.place] = v.w[v.place]*by + v.o[v.place*armWords+word]
			return next
		}}
	case 1:
		k := uint32(m.r.IntN(4))
		return arm{fmt.Sprintf("%s += d[%d] + %du;\n", at, k, by), func(v *invocation) flow {
			v.o[v.place*armWords+word] += v.d[k] + by
			return next
		}}
	}
	return arm{fmt.Sprintf("%s += %du;\n", at, by), func(v *invocation) flow {
		v.o[v.place*armWords+word] += by
		return next
	}}
}

// condition makes a test, or two that are joined.
func (m *armMaker) condition() (string, func(*invocation) bool) {
	a, left := m.test()
	switch m.r.IntN(8) {
	case 0:
		b, right := m.test()
		return fmt.Sprintf("(%s) || (%s)", a, b), func(v *invocation) bool { return left(v) || right(v) }
	case 1:
		b, right := m.test()
		return fmt.Sprintf("(%s) && (%s)", a, b), func(v *invocation) bool { return left(v) && right(v) }
	}
	return a, left
}

// test makes a test of the invocation's place, of its own words, or of what is read.
func (m *armMaker) test() (string, func(*invocation) bool) {
	k, x := uint32(m.r.IntN(4)), uint32(m.r.IntN(4))
	switch m.r.IntN(7) {
	case 0:
		return fmt.Sprintf("place == %du", k), func(v *invocation) bool { return v.place == k }
	case 1:
		word := k % armWords
		return fmt.Sprintf("(o[place * %du + %du] & 1u) == %du", armWords, word, x&1),
			func(v *invocation) bool { return v.o[v.place*armWords+word]&1 == x&1 }
	case 2:
		return fmt.Sprintf("place > d[%d]", k), func(v *invocation) bool { return v.place > v.d[k] }
	case 3:
		y := uint32(m.r.IntN(16))
		return fmt.Sprintf("place == %du || place == %du", k, y), func(v *invocation) bool { return v.place == k || v.place == y }
	case 4:
		y := uint32(m.r.IntN(16))
		return fmt.Sprintf("place < %du || place > %du", k, y), func(v *invocation) bool { return v.place < k || v.place > y }
	case 5:
		return fmt.Sprintf("(w[place] & 3u) >= %du", x), func(v *invocation) bool { return v.w[v.place]&3 >= x }
	}
	return fmt.Sprintf("d[%d] <= %du", k, x), func(v *invocation) bool { return v.d[k] <= x }
}

// leave ends a turn, a loop or the program where a condition holds.
func (m *armMaker) leave() arm {
	text, holds := m.condition()
	n := m.r.IntN(5)
	word, how := "break", breaks
	switch {
	case n == 0:
		word, how = "return"+m.result, returns
	case n < 3:
		word, how = "continue", continues
	}
	return arm{fmt.Sprintf("if (%s) { %s; }\n", text, word), func(v *invocation) flow {
		if holds(v) {
			return how
		}
		return next
	}}
}

// choice makes a switch over the invocation's place, or an if.
func (m *armMaker) choice(depth int, inLoop bool) arm {
	if m.r.IntN(4) == 0 {
		text, holds := m.condition()
		yes, no := m.block(depth, inLoop), m.block(depth, inLoop)
		return arm{fmt.Sprintf("if (%s) {\n%s} else {\n%s}\n", text, yes.text, no.text), func(v *invocation) flow {
			if holds(v) {
				return yes.run(v)
			}
			return no.run(v)
		}}
	}
	selector := [...]struct {
		text string
		of   func(place uint32) uint32
	}{
		{"place", func(p uint32) uint32 { return p }},
		{"u32(bitcast<i32>(local.x))", func(p uint32) uint32 { return p }},
		{"place & 7u", func(p uint32) uint32 { return p & 7 }},
		{"place % 5u", func(p uint32) uint32 { return p % 5 }},
	}[m.r.IntN(4)]
	taken := map[uint32]int{}
	var bodies []arm
	var text strings.Builder
	fmt.Fprintf(&text, "switch (%s) {\n", selector.text)
	for n := range 1 + m.r.IntN(2) {
		var numbers []string
		for range 1 + m.r.IntN(3) {
			k := uint32(m.r.IntN(16))
			if _, ok := taken[k]; !ok {
				taken[k] = n
				numbers = append(numbers, fmt.Sprintf("%du", k))
			}
		}
		body := arm{"", func(*invocation) flow { return next }}
		if len(numbers) > 0 {
			body = m.block(depth, false)
			fmt.Fprintf(&text, "case %s: {\n%s}\n", strings.Join(numbers, ", "), body.text)
		}
		bodies = append(bodies, body)
	}
	rest := arm{"", func(*invocation) flow { return next }}
	if m.r.IntN(2) == 0 {
		rest = m.block(depth, false)
	}
	fmt.Fprintf(&text, "default: {\n%s}\n}\n", rest.text)
	return arm{text.String(), func(v *invocation) flow {
		if n, ok := taken[selector.of(v.place)]; ok {
			return bodies[n].run(v)
		}
		return rest.run(v)
	}}
}

// loop makes a loop of a few turns: it counts up or down, is tested at its beginning or its end,
// or has a bound that is read.
func (m *armMaker) loop(depth int) arm {
	name := fmt.Sprintf("k%d", m.variables)
	m.variables++
	turns := []uint32{1, 1, 1, 2, 3, 5}[m.r.IntN(6)]
	body := m.block(depth, true)
	form := m.r.IntN(4)
	format := [...]string{
		"for (var %[1]s = 0u; %[1]s < %[2]du; %[1]s++) {\n%[3]s}\n",
		"for (var %[1]s = %[2]du; %[1]s != 0u; %[1]s--) {\n%[3]s}\n",
		"var %[1]s = %[2]du;\nloop {\nif (%[1]s == 0u) { break; }\n%[1]s--;\n%[3]s}\n",
		"var %[1]s = 0u;\nloop {\n%[3]scontinuing {\n%[1]s++;\nbreak if %[1]s == %[2]du;\n}\n}\n",
	}[form]
	return arm{fmt.Sprintf(format, name, turns, body.text), func(v *invocation) flow {
		for range turns {
			switch f := body.run(v); f {
			case breaks:
				return next
			case returns:
				return f
			}
		}
		return next
	}}
}

// armSize is how many invocations there are: those of a warp and one more.
const armSize = 33

// arms makes such a program.
func arms(seed uint64) *Case {
	m := armMaker{r: rand.New(rand.NewPCG(seed, 0xa4))}
	body := m.loop(3)
	if m.r.IntN(3) == 0 {
		body = m.choice(3, false)
	}
	return m.program("arms", seed, "", body)
}

// program makes the case in which every invocation runs a body.
func (m *armMaker) program(name string, seed uint64, declarations string, body arm) *Case {
	d := []uint32{0, 1, 2, uint32(m.r.IntN(armSize))}
	o, w := make([]uint32, armWords*armSize), make([]uint32, armSize)
	for place := range uint32(armSize) {
		body.run(&invocation{place: place, d: d, o: o, w: w})
	}
	c := small(name, seed, fmt.Sprintf(armMemory, armSize)+declarations, body.text, d, o)
	c.Code = strings.Replace(c.Code, "@workgroup_size(1)", fmt.Sprintf("@workgroup_size(%d)", armSize), 1)
	return c
}
