package difftest

import (
	"fmt"
	"strings"
)

// diverger makes statements that the invocations of a workgroup execute differently.
type diverger struct {
	*draft
	functions int
	result    string // what a return returns in a function
}

// divergence makes branches, switches with loops in their clauses, loops with early exits, boolean
// flags that decide exits, and functions with early returns. Conditions depend on the lane and on
// loaded values. A workgroup is a warp and one more invocation.
//
// Bugs of this kind: NVIDIA's compilers lost iterations of such loops for the invocation of a
// second selector. ptxas copied a function's return to the ends of divergent branches, which then
// never reconverged.
func divergence(d *draft) {
	const lanes = 33
	m := &diverger{draft: d}
	d.size[0] = lanes
	d.buffers(2*lanes, []uint32{0, 1, 2, uint32(d.r.IntN(lanes)), d.r.Uint32(), d.r.Uint32()})
	fmt.Fprintf(&d.module, "var<workgroup> w: array<u32, %d>;\n", lanes)
	functions := 0
	if d.chance(3) {
		functions = 1 + d.r.IntN(3)
	}
	m.result = " o[lane * 2u] & 7u"
	for n := range functions {
		body := d.within(func() {
			m.declareFlags()
			if n > 0 && d.chance(2) {
				m.call()
			}
			for range 1 + d.r.IntN(2) {
				m.statement(2, false)
			}
		})
		fmt.Fprintf(&d.module, "fn call%d(lane: u32, local: vec3u) -> u32 {\n%sreturn%s;\n}\n", n, body, m.result)
		m.functions++
	}
	m.result = ""
	m.declareFlags()
	for range 1 + d.r.IntN(3) {
		if m.functions > 0 {
			m.call()
		}
		if m.functions == 0 || d.chance(3) {
			m.statement(3, false)
		}
	}
	d.line("o[lane * 2u] = o[lane * 2u] * 2u + u32(f0 && !f1);")
}

func (m *diverger) declareFlags() {
	m.line("var f0 = %s;\nvar f1 = (d[4] >> (lane & 31u) & 1u) == 1u;", m.test(false))
}

// call makes a call of a function, in a uniform loop now and then.
func (m *diverger) call() {
	text := fmt.Sprintf("o[lane * 2u + 1u] = o[lane * 2u + 1u] * 5u + call%d(lane, local);", m.r.IntN(m.functions))
	if m.chance(3) {
		k := m.fresh("k")
		text = fmt.Sprintf("for (var %[1]s = 0u; %[1]s < %[2]du; %[1]s++) {\n%[3]s\n}", k, 1+m.r.IntN(4), text)
	}
	m.line("%s", text)
}

// test makes a condition of the lane, of what the invocation holds, or of what is loaded.
func (m *diverger) test(flags bool) string {
	k, x, y := m.r.IntN(4), m.r.IntN(4), m.r.IntN(16)
	switch m.r.IntN(9) {
	case 0:
		return fmt.Sprintf("lane == %du", k)
	case 1:
		return fmt.Sprintf("(o[lane * 2u + %du] & 1u) == %du", k&1, x&1)
	case 2:
		return fmt.Sprintf("lane > d[%d]", k)
	case 3:
		return fmt.Sprintf("lane == %du || lane == %du", k, y)
	case 4:
		return fmt.Sprintf("lane < %du || lane > %du", k, y)
	case 5:
		return fmt.Sprintf("(w[lane] & 3u) >= %du", x)
	case 6, 7:
		if flags {
			return pick(m.r, []string{"f0", "!f1", "(f0 & f1)", "f0 || f1", "!(f0 | f1)"})
		}
		return fmt.Sprintf("(d[5] >> ((lane + %du) & 31u) & 1u) == 0u", y)
	}
	return fmt.Sprintf("d[%d] <= %du", k, x)
}

// condition makes a test, or two that are joined.
func (m *diverger) condition() string {
	switch m.r.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s) || (%s)", m.test(true), m.test(true))
	case 1:
		return fmt.Sprintf("(%s) && (%s)", m.test(true), m.test(true))
	case 2:
		return fmt.Sprintf("((%s) & (%s))", m.test(true), m.test(true))
	}
	return "(" + m.test(true) + ")"
}

func (m *diverger) block(depth int, inLoop bool) string {
	return m.within(func() {
		for range 1 + m.r.IntN(3) {
			m.statement(depth, inLoop)
		}
	})
}

func (m *diverger) statement(depth int, inLoop bool) {
	at := fmt.Sprintf("o[lane * 2u + %du]", m.r.IntN(2))
	c := 1 + m.r.IntN(9)
	switch n := m.r.IntN(13); {
	case depth > 0 && n < 2:
		m.choice(depth-1, inLoop)
	case depth > 0 && n < 5:
		m.loop(depth - 1)
	case n < 7 && (inLoop || m.chance(3)):
		how := "return" + m.result
		if inLoop && !m.chance(4) {
			how = pick(m.r, []string{"break", "continue"})
		}
		m.line("if %s { %s; }", m.condition(), how)
	case n == 7:
		m.line("f%d = %s;", m.r.IntN(2), pick(m.r, []string{m.condition(), "false", "!f0"}))
	case n == 8:
		m.line("w[lane] = w[lane] * %du + %s;", c, at)
	case n == 9:
		m.line("%s += d[%d] + %du;", at, m.r.IntN(4), c)
	case n == 10:
		m.line("%s = %[1]s * 3u + %du;", at, c)
	default:
		m.line("%s += %du;", at, c)
	}
}

// choice makes an if, or a switch over the lane.
func (m *diverger) choice(depth int, inLoop bool) {
	if m.chance(3) {
		m.line("if %s {\n%s} else {\n%s}", m.condition(), m.block(depth, inLoop), m.block(depth, inLoop))
		return
	}
	selector := pick(m.r, []string{"lane", "u32(bitcast<i32>(local.x))", "lane & 7u", "lane % 5u"})
	var text strings.Builder
	taken := map[int]bool{}
	for range 1 + m.r.IntN(2) {
		var values []string
		for range 1 + m.r.IntN(3) {
			if k := m.r.IntN(16); !taken[k] {
				taken[k] = true
				values = append(values, fmt.Sprintf("%du", k))
			}
		}
		if len(values) > 0 {
			fmt.Fprintf(&text, "case %s {\n%s}\n", strings.Join(values, ", "), m.block(depth, false))
		}
	}
	rest := ""
	if m.chance(2) {
		rest = m.block(depth, false)
	}
	m.line("switch %s {\n%sdefault {\n%s}\n}", selector, text.String(), rest)
}

// loop makes a loop of a few iterations. Flags can end it.
func (m *diverger) loop(depth int) {
	k, n := m.fresh("k"), pick(m.r, []int{1, 1, 1, 2, 3, 5})
	m.line(pick(m.r, []string{
		"for (var %[1]s = 0u; %[1]s < %[2]du; %[1]s++) {\n%[3]s}",
		"for (var %[1]s = %[2]du; %[1]s != 0u; %[1]s--) {\n%[3]s}",
		"for (var %[1]s = 0u; f%[4]d && %[1]s < %[2]du; %[1]s++) {\n%[3]s}",
		"for (var %[1]s = 0u; f%[4]d & (%[1]s < %[2]du); %[1]s++) {\n%[3]s}",
		"{\nvar %[1]s = %[2]du;\nwhile f%[4]d {\nif %[1]s == 0u { break; }\n%[1]s--;\n%[3]s}\n}",
		"{\nvar %[1]s = %[2]du;\nloop {\nif %[1]s == 0u { break; }\n%[1]s--;\n%[3]s}\n}",
		"{\nvar %[1]s = 0u;\nloop {\n%[3]scontinuing {\n%[1]s++;\nbreak if %[1]s == %[2]du;\n}\n}\n}",
		"{\nvar %[1]s = %[2]du;\nloop {\nif %[1]s == 0u { break; }\n%[1]s--;\n%[3]scontinuing {\nbreak if !f%[4]d;\n}\n}\n}",
	}), k, n, m.block(depth, true), m.r.IntN(2))
}

// contention makes loops that end by what an atomic holds, or after a number of iterations that
// differs between invocations. They are in loops whose counters all invocations share.
//
// Bug of this kind: NVIDIA's Vulkan compiler merged such an inner loop with the outer one, which
// went on counting while some invocations still tried to exchange a value.
func contention(d *draft) {
	const cells = 4
	r := d.r
	d.anyOrder = true
	d.size[0] = pick(r, []int{2, 5, 32, 33, 64})
	shared := d.chance(3)
	if !shared {
		d.groups[0] = 1 + r.IntN(3)
	}
	lanes := d.size[0] * d.groups[0]
	d.buffers(2*lanes+cells, []uint32{0, 1, 2, 3})
	if shared {
		fmt.Fprintf(&d.module, "var<workgroup> s: array<atomic<u32>, %d>;\n", cells)
	} else {
		fmt.Fprintf(&d.module, "@group(0) @binding(2) var<storage, read_write> s: array<atomic<u32>%s>;\n", pick(r, []string{"", ", 4"}))
		d.data["s"] = make([]byte, 4*cells)
	}
	d.module.WriteString("var<private> y: u32;\n")
	d.line("let me = id.x;\nvar x = me * 7u;\ny = me * 5u;")
	m := &contender{draft: d}
	for n := range m.combine {
		m.combine[n] = pick(r, []string{"+", "^", "|", "max"})
	}
	m.loop(2)
	d.line("o[me * 2u] ^= x;\no[me * 2u + 1u] ^= y;")
	if shared {
		d.line("workgroupBarrier();\nif me == 0u {\nfor (var n = 0u; n < %du; n++) { o[%du + n] = atomicLoad(&s[n]); }\n}", cells, 2*lanes)
	}
}

type contender struct {
	*draft
	combine  [4]string // how each atomic combines values, in any order
	counters []string
}

func (m *contender) value() string {
	k := m.r.IntN(4)
	switch n := m.r.IntN(8); {
	case n < 4 && len(m.counters) > 0:
		return "u32(" + pick(m.r, m.counters) + ")"
	case n == 4:
		return fmt.Sprintf("d[%d]", k)
	case n == 5:
		return fmt.Sprintf("(me + %du)", k)
	}
	return fmt.Sprintf("%du", k+1)
}

// loop makes one of a few iterations, with a counter that all invocations share.
func (m *contender) loop(depth int) {
	k, n := m.fresh("k"), 1+m.r.IntN(7)
	m.counters = append(m.counters, k)
	body := m.within(func() {
		for range 1 + m.r.IntN(3) {
			m.statement(depth)
		}
	})
	m.counters = m.counters[:len(m.counters)-1]
	m.line(pick(m.r, []string{
		"for (var %[1]s = 0u; %[1]s < %[2]du; %[1]s++) {\n%[3]s}",
		"for (var %[1]s = %[2]du; %[1]s >= 1u; %[1]s--) {\n%[3]s}",
		"for (var %[1]s = %[2]di; %[1]s >= 1i; %[1]s--) {\n%[3]s}",
		"for (var %[1]s = %[2]du; %[1]s != 0u && d[2] >= min(2u, d[1]); %[1]s--) {\n%[3]s}",
		"for (var %[1]s = d[0]; %[1]s < %[2]du; %[1]s++) {\n%[3]s}",
		"{\nvar %[1]s = %[2]du;\nloop {\nif %[1]s == 0u { break; }\n%[1]s--;\n%[3]s}\n}",
		"{\nvar %[1]s = 0u;\nloop {\n%[3]scontinuing {\n%[1]s++;\nbreak if %[1]s == %[2]du;\n}\n}\n}",
		"{\nvar %[1]s = %[2]du;\nwhile me * 50u != 1194411736u {\nif %[1]s == 0u { break; }\n%[1]s--;\n%[3]s}\n}",
	}), k, n, body)
}

func (m *contender) statement(depth int) {
	switch n := m.r.IntN(12); {
	case depth > 0 && n < 3:
		m.loop(depth - 1)
	case n == 3:
		m.line("if %s > %s { o[me * 2u] += 1u; }", m.value(), m.value())
	case n == 4:
		m.line("if %s > %s { %s; }", m.value(), m.value(), pick(m.r, []string{"continue", "continue", "break"}))
	case n == 5:
		m.line("o[me * 2u + %du] = o[me * 2u + %[1]du] * 3u + %s;", m.r.IntN(2), m.value())
	case n == 6: // whoever draws a ticket that ends in 3 goes on
		m.line("loop {\nif (atomicAdd(&s[0], 1u) & 3u) == 3u { break; }\n}")
	case n == 7:
		m.line("loop {\n%[1]s = %[1]s * 1664525u + 1013904223u;\nif %[1]s >> 30u == 0u { break; }\n}", pick(m.r, []string{"x", "y"}))
	default:
		cell := 1 + m.r.IntN(3)
		m.line("exchange(s[%d], %s, %s);", cell, m.combine[cell], m.value())
	}
}
