package difftest

// The family "calls" is of functions in which the invocations of a workgroup take different ways,
// with returns on the ways, called where all of them are together, so that they stay functions
// where nothing is inlined. ptxas copied their return to the ends of both ways, which then never
// met, and kept values of both in one register of the whole warp; the generator of whole programs
// came to it once in 100,000.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// callee is a function of the family: what a call of it does, which returns a number.
type callee struct {
	name string
	body arm
}

// callResult is what functions return: what the invocation's first word is by then.
const callResult = "o[place * %du] & 7u"

func (c *callee) call(v *invocation) uint32 {
	c.body.run(v)
	return v.o[v.place*armWords] & 7
}

// callMaker makes the statements between which functions are called.
type callMaker struct {
	armMaker
	functions []*callee
}

// called makes a statement that calls a function, in a loop of a few turns now and then.
func (m *callMaker) called() arm {
	f := m.functions[m.r.IntN(len(m.functions))]
	turns, text := 1, fmt.Sprintf("o[place * %[1]du + 1u] = o[place * %[1]du + 1u] * 5u + %[2]s(place, local);\n", armWords, f.name)
	if m.r.IntN(3) == 0 {
		turns = 1 + m.r.IntN(4)
		text = fmt.Sprintf("for (var k%[1]d = 0u; k%[1]d < %[2]du; k%[1]d++) {\n%[3]s}\n", m.variables, turns, text)
		m.variables++
	}
	return arm{text, func(v *invocation) flow {
		for range turns {
			p := &v.o[v.place*armWords+1]
			old := *p // which is read before the call, as WGSL evaluates from left to right
			*p = old*5 + f.call(v)
		}
		return next
	}}
}

// calls makes such a program.
func calls(seed uint64) *Case {
	m := callMaker{armMaker: armMaker{r: rand.New(rand.NewPCG(seed, 0xca11))}}
	m.result = " " + fmt.Sprintf(callResult, armWords)
	var declarations strings.Builder
	for n := range 1 + m.r.IntN(3) {
		var list []arm
		if n > 0 && m.r.IntN(2) == 0 {
			list = append(list, m.called())
		}
		for range 1 + m.r.IntN(2) {
			if m.r.IntN(2) == 0 {
				list = append(list, m.choice(2, false))
			} else {
				list = append(list, m.loop(2))
			}
		}
		f := &callee{name: fmt.Sprintf("f%d", n), body: inOrder(list)}
		fmt.Fprintf(&declarations, "fn %s(place: u32, local: vec3u) -> u32 {\n%sreturn%s;\n}\n", f.name, f.body.text, m.result)
		m.functions = append(m.functions, f)
	}
	var list []arm
	for range 1 + m.r.IntN(4) {
		list = append(list, m.called())
	}
	return m.program("calls", seed, declarations.String(), inOrder(list))
}
