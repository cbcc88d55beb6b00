package difftest

import (
	"fmt"
	"strings"
)

// coarsener makes kernels in which each invocation computes one item.
type coarsener struct {
	*draft
	signed              bool
	typed               string
	flat                bool   // items have one dimension
	items               [2]int // in each dimension
	coordinates, limits []term // the item's coordinates, and their bounds
	common              []term // uniform values
	own                 term   // the index that an item writes at, in stride words
	stride              int
	uniform             bool // loops and exits are uniform
	returned            bool // some items have returned
	counters            []term
	steady              []term // counters that all items count alike
	loops               int
	words               int // of the input d
}

const coarsenVariables = 3

// coarsening makes kernels in which each invocation computes one item of a grid, in one dimension
// or two. It compares its coordinates with bounds, reads at its index and beside it, and writes at
// its index. Thread coarsening makes an invocation compute several items. What the items share,
// which branches they take together and where the last of them lies differ from program to program.
// No item writes what another one reads or writes.
func coarsening(d *draft) {
	m := &coarsener{draft: d, signed: d.chance(2), typed: "u32", uniform: !d.chance(4), stride: pick(d.r, []int{1, 1, 1, 2})}
	if m.signed {
		m.typed = "i32"
	}
	d.robust = !d.chance(3)
	m.shape()
	m.bind()
	for n := range coarsenVariables {
		d.line("var v%d = %s;", n, pick(d.r, []term{lit(m.signed, 0), m.coordinates[0]}).text)
	}
	if d.chance(3) {
		m.assign()
	}
	m.guard(func() {
		for range 1 + d.r.IntN(3) {
			m.statement(2, false, false)
		}
		if d.chance(4) { // so much that an invocation computes fewer items
			for range 6 + d.r.IntN(24) {
				m.assign()
			}
		}
		m.write("v0 * 31 + v1 * 17 + v2")
	})
}

// named gives a value a name.
func (m *coarsener) named(name, value string) term {
	m.line("let %s = %s(%s);", name, m.typed, value)
	return term{text: name, signed: m.signed}
}

func (m *coarsener) lit(v int) term { return lit(m.signed, uint32(v)) }

// shape chooses the launch, and how items compute their coordinates.
func (m *coarsener) shape() {
	r := m.r
	m.flat = m.chance(2)
	for m.items[0] == 0 || m.items[0]*m.items[1] > 400 {
		m.groups = [3]int{1 + r.IntN(9), 1 + r.IntN(9), 1}
		if m.size = pick(r, [][3]int{{4, 2, 1}, {3, 3, 1}, {16, 1, 1}, {2, 5, 1}}); m.flat {
			m.size, m.groups[1] = [3]int{pick(r, []int{1, 3, 8, 32, 33}), 1, 1}, pick(r, []int{1, 1, 1, 3})
		}
		m.items = [2]int{m.size[0] * m.groups[0], m.size[1] * m.groups[1]}
	}
	if !m.flat {
		for n, axis := range []string{"x", "y"} {
			value := "id." + axis
			if m.chance(8) {
				value = fmt.Sprintf("group.%s * %du + local.%[1]s", axis, m.size[n])
			}
			m.coordinates = append(m.coordinates, m.named(axis, value))
		}
		return
	}
	value := pick(r, []string{"id.x", "id.x", fmt.Sprintf("group.x * %du + local.x", m.size[0]), fmt.Sprintf("group.x * %du + lane", m.size[0])})
	if m.groups[1] > 1 {
		value = fmt.Sprintf("(group.y * groups.x + group.x) * %du + lane", m.size[0])
	}
	all := m.items[0] * m.items[1]
	i := m.named("i", value)
	if m.items = [2]int{all, 1}; !m.chance(4) {
		m.coordinates = append(m.coordinates, i)
		return
	}
	columns := 2 + r.IntN(9) // items lie in rows
	m.flat, m.items = false, [2]int{columns, (all + columns - 1) / columns}
	m.coordinates = append(m.coordinates, m.named("x", fmt.Sprintf("%s %% %s", i.text, m.lit(columns).text)), m.named("y", fmt.Sprintf("%s / %s", i.text, m.lit(columns).text)))
}

// bind declares buffers and the bounds of coordinates, which lie in a buffer, in immediates, or in
// the program.
func (m *coarsener) bind() {
	r := m.r
	bounds, product := [2]uint32{1, 1}, uint32(1)
	for n := range m.coordinates {
		v := uint32(m.items[n] - r.IntN(min(m.items[n], 4)))
		switch r.IntN(9) {
		case 0, 1:
			v = uint32(m.items[n] + r.IntN(9))
		case 2:
			v = uint32(r.IntN(m.items[n] + 1))
		case 3:
			if m.robust {
				v = edge(r)
			}
		}
		bounds[n] = v
		product *= v
	}
	needed := m.items[0] * m.items[1] * m.stride
	length := func() int {
		switch k := r.IntN(6); {
		case k == 0 && m.robust:
			return 1 + r.IntN(needed)
		case k == 1 && product > uint32(needed) && product < 2000:
			return int(product)
		case k == 2:
			return needed + r.IntN(9)
		}
		return needed
	}
	input := append(bounds[:], uint32(r.IntN(20)), uint32(r.IntN(20)), edge(r), uint32(r.IntN(20)))
	for count := max(length(), len(input)); len(input) < count; {
		input = append(input, uint32(r.IntN(20)))
	}
	m.words = len(input)
	m.buffers(length(), input)
	m.module.WriteString("@group(0) @binding(2) var<storage, read_write> q: array<u32>;\n@group(0) @binding(3) var<uniform> u: vec4u;\n")
	m.data["q"] = bytesOf(edgeWords(r, length()))
	m.data["u"] = bytesOf([]uint32{bounds[0], bounds[1], uint32(r.IntN(20)), edge(r)})
	for n := range m.coordinates {
		source := pick(r, []string{fmt.Sprintf("d[%d]", n), "u." + "xy"[n:n+1], "given." + "xy"[n:n+1], lit(false, bounds[n]).text})
		if strings.HasPrefix(source, "given") && m.immediates == nil {
			m.immediates = bytesOf(bounds[:])
			m.module.WriteString("var<immediate> given: vec2u;\n")
		}
		limit := term{text: m.typed + "(" + source + ")", signed: m.signed}
		if strings.HasSuffix(source, "u") {
			limit = lit(m.signed, bounds[n])
		} else if !m.chance(4) {
			limit = m.named([...]string{"w", "h"}[n], source)
		}
		m.limits = append(m.limits, limit)
	}
	m.common = append(m.common, m.limits...)
	for _, text := range []string{"d[2]", "d[3]", "d[4]", "d[5]", "u.z", "u.w", "groups.x", "groups.y", "arrayLength(&o)"} {
		m.common = append(m.common, term{text: m.typed + "(" + text + ")", signed: m.signed})
	}
	m.own = m.index()
}

// index makes where an item writes.
func (m *coarsener) index() term {
	k := m.r.IntN(8)
	if !m.robust {
		k = min(k, 5)
	}
	x := m.coordinates[0]
	switch {
	case m.flat && k == 4:
		return minus(m.lit(m.items[0]-1), x)
	case m.flat && k == 6:
		return plus(x, m.lit(m.r.IntN(9)-4))
	case m.flat && k == 7:
		return times(x, lit(m.signed, edge(m.r)|1))
	case m.flat:
		return x
	case k == 4:
		return plus(times(x, m.limits[1]), m.coordinates[1])
	case k == 5:
		return plus(times(m.coordinates[1], m.lit(m.items[0])), x)
	}
	return m.row(m.coordinates...)
}

// row makes an index from coordinates.
func (m *coarsener) row(at ...term) term {
	if len(at) == 1 {
		return at[0]
	}
	return plus(times(at[1], m.limits[0]), at[0])
}

// guard puts what items do after a test of which of them there are.
func (m *coarsener) guard(body func()) {
	in, out := []string{}, []string{}
	for n, p := range m.coordinates {
		limit := m.limits[n]
		if m.flat && m.chance(3) {
			limit = term{text: m.typed + "(arrayLength(&o))", signed: m.signed}
		}
		in, out = append(in, relation(p, "<", limit)), append(out, relation(p, ">=", limit))
	}
	inside, outside := strings.Join(in, " && "), strings.Join(out, " || ")
	if !m.flat && m.chance(4) {
		pair := func(list []term) string { return fmt.Sprintf("vec2<%s>(%s, %s)", m.typed, list[0].text, list[1].text) }
		inside = fmt.Sprintf("all(%s < %s)", pair(m.coordinates), pair(m.limits))
		outside = fmt.Sprintf("any(%s >= %s)", pair(m.coordinates), pair(m.limits))
	}
	block := func(condition string, write func()) {
		m.line("if %s {", condition)
		write()
		m.line("}")
	}
	some := func() { // behind a second test that items differ in
		m.returned = !m.chance(5)
		body()
	}
	switch m.r.IntN(10) {
	case 0:
		body()
	case 1, 2:
		block(inside, body)
	case 3:
		block(inside, body)
		m.write(m.value(1, false).text)
	case 4:
		block(outside, func() { m.write(m.value(1, false).text); m.line("} else {"); body() })
	case 5:
		block(outside, func() { m.line("return;") })
		block(m.test(m.chance(2)), func() { m.line("return;") })
		some()
	case 6:
		block(outside, func() { m.write(m.value(1, false).text); m.line("return;") })
		body()
	case 7: // those at the edges do something else
		edges := []string{}
		for n, p := range m.coordinates {
			edges = append(edges, relation(p, "==", m.lit(0)), relation(p, ">=", minus(m.limits[n], m.lit(1))))
		}
		block(outside, func() { m.line("return;") })
		block(strings.Join(edges, " || "), func() { m.write(m.value(1, false).text); m.line("return;") })
		some()
	case 8:
		block(in[0], func() { block(in[len(in)-1], body) })
	default: // as unsigned values, which negative ones are too large for
		m.line("if u32(%s) < u32(%s) {", m.coordinates[0].text, m.limits[0].text)
		block(outside, func() { m.line("return;") })
		some()
		m.line("}")
	}
}

// write makes a store at the item's index.
func (m *coarsener) write(value string) {
	at := m.mine().text
	m.line("%s[%s] %s u32(%s);", pick(m.r, []string{"o", "o", "q"}), at, pick(m.r, []string{"=", "=", "=", "+="}), value)
}

// mine is an index of the item's own.
func (m *coarsener) mine() term {
	if m.stride == 1 {
		return m.own
	}
	return plus(times(m.own, m.lit(m.stride)), m.lit(m.r.IntN(m.stride)))
}

// value makes an expression, a uniform one if it is to be shared.
func (m *coarsener) value(depth int, shared bool) term {
	if depth == 0 || m.chance(4) {
		return m.leaf(shared)
	}
	switch x := m.value(depth-1, shared); m.r.IntN(8) {
	case 0, 1:
		return by(pick(m.r, byOperators), x, uint32(1+m.r.IntN(12)))
	case 2:
		return choose(x, m.value(depth-1, shared), m.test(shared))
	default:
		return join(pick(m.r, joins), x, m.value(depth-1, shared))
	}
}

func (m *coarsener) leaf(shared bool) term {
	switch k := m.r.IntN(12); {
	case k == 0:
		return lit(m.signed, edge(m.r))
	case k < 3:
		return m.lit(m.r.IntN(9))
	case shared && k < 6 && len(m.steady) > 0:
		return pick(m.r, m.steady)
	case shared && k == 6:
		return m.load("d", term{text: fmt.Sprintf("(u32(%s) %% %du)", m.leaf(true).text, m.words)})
	case shared, k == 3:
		return pick(m.r, m.common)
	case k == 4 && len(m.counters) > 0:
		return pick(m.r, m.counters)
	case k < 6:
		return pick(m.r, m.coordinates)
	case k < 9:
		return term{text: fmt.Sprintf("v%d", m.r.IntN(coarsenVariables)), signed: m.signed}
	}
	switch k := m.r.IntN(9); {
	case k < 2:
		return m.load("q", m.mine())
	case k == 2:
		return m.load("o", m.mine())
	case k < 5:
		return m.load("d", m.mine())
	case k == 5 && m.robust:
		return m.load("d", plus(m.value(1, false), m.coordinates[0]))
	case k == 6: // a neighbour inside of the bounds
		var list []term
		for n, p := range m.coordinates {
			x := plus(p, m.lit((m.r.IntN(3)-1)*(1+m.r.IntN(3))))
			list = append(list, term{text: fmt.Sprintf("min(max(%s, %s), %s)", x.text, m.lit(0).text, minus(m.limits[n], m.lit(1)).text), signed: m.signed})
		}
		return m.load("d", m.row(list...))
	}
	return m.load("d", term{text: fmt.Sprintf("(u32(%s) %% %du)", m.value(1, false).text, m.words)})
}

func (m *coarsener) load(buffer string, at term) term {
	return term{text: fmt.Sprintf("%s(%s[%s])", m.typed, buffer, at.text), signed: m.signed}
}

// test makes a comparison, or two that are joined.
func (m *coarsener) test(shared bool) string {
	x, y := m.value(1, shared), m.value(1, shared)
	if m.chance(2) {
		// a few bits, which items often share
		x, y = join("(%s & %s)", x, m.lit(1+m.r.IntN(7))), m.lit(m.r.IntN(4))
	}
	if m.chance(6) {
		x = x.as(!m.signed)
	}
	c := relation(x, pick(m.r, comparisons), y)
	if k := m.r.IntN(10); k < 2 {
		return "(" + c + [...]string{" || ", " && "}[k] + m.test(shared) + ")"
	}
	return c
}

// assign changes a variable.
func (m *coarsener) assign() {
	x := m.value(2, m.chance(3))
	m.line(pick(m.r, []string{"v%[1]d = %[2]s;", "v%[1]d += %[2]s;", "v%[1]d = v%[1]d * 31 + %[2]s;"}), m.r.IntN(coarsenVariables), x.text)
}

// statement makes a statement; divergent says that it lies after a test that items differ in.
func (m *coarsener) statement(depth int, inLoop, divergent bool) {
	divergent = divergent || m.returned
	free := !m.uniform || !divergent
	shared := m.chance(2)
	block := func(divergent bool) string {
		return m.within(func() {
			for range 1 + m.r.IntN(3) {
				m.statement(depth-1, inLoop, divergent)
			}
		})
	}
	switch k := m.r.IntN(16); {
	case k < 2 && depth > 0:
		m.line("if %s {\n%s}", m.test(shared), block(divergent || !shared))
	case k == 2 && depth > 0:
		m.line("if %s {\n%s} else {\n%s}", m.test(shared), block(divergent || !shared), block(divergent || !shared))
	case k == 3 && depth > 0:
		x, divergent := m.value(1, shared), divergent || !shared
		m.line("switch (u32(%s) & 3u) {\ncase 0u: {\n%s}\ncase 1u, 3u: {\n%s}\ndefault: {\n%s}\n}", x.text, block(divergent), block(divergent), block(divergent))
	case k < 7 && depth > 0 && m.loops < 8 && free:
		m.loop(depth)
	case k == 7 && !inLoop && free:
		m.sum()
	case k == 8 && (free || !inLoop):
		c := m.test(m.uniform && inLoop || m.chance(3))
		if inLoop && !m.chance(5) {
			m.line("if %s { %s; }", c, pick(m.r, []string{"break", "continue"}))
			return
		}
		m.returned = true
		m.line("if %s { return; }", c)
	case k < 12:
		m.write(m.value(2, false).text)
	default:
		m.assign()
	}
}

// loop makes a loop of at most eight iterations.
func (m *coarsener) loop(depth int) {
	k := term{text: fmt.Sprintf("k%d", m.loops), signed: m.signed}
	m.loops++
	shared := m.uniform || m.chance(2)
	bound := m.lit(1 + m.r.IntN(4))
	if !m.chance(3) {
		bound = join("(%s & %s)", plus(pick(m.r, m.common), m.value(1, shared)), m.lit(1+m.r.IntN(7)))
	}
	counters, steady := m.counters, m.steady
	if m.counters = append(m.counters, k); shared {
		m.steady = append(m.steady, k)
	}
	body := m.within(func() {
		for range 1 + m.r.IntN(3) {
			m.statement(depth-1, true, false)
		}
	})
	m.counters, m.steady = counters, steady
	m.line(pick(m.r, []string{
		"for (var %[1]s = %[3]s; %[1]s < %[2]s; %[1]s++) {\n%[4]s}",
		"for (var %[1]s = %[2]s; %[1]s > %[3]s; %[1]s--) {\n%[4]s}",
		"var %[1]s = %[3]s;\nloop {\n%[4]scontinuing {\n%[1]s++;\nbreak if %[1]s >= %[2]s;\n}\n}",
	}), k.text, bound.text, m.lit(0).text, body)
}

// sum makes loops that add what lies around an item, where that lies inside of the bounds.
func (m *coarsener) sum() {
	reach := 1 + m.r.IntN(2)
	var beside []term
	var tests []string
	for n, p := range m.coordinates {
		c := fmt.Sprintf("%s%d", [...]string{"dx", "dy"}[n], m.loops)
		m.line("for (var %s = %s; %[1]s <= %[3]s; %[1]s++) {", c, m.lit(0).text, m.lit(2*reach).text)
		x := minus(plus(p, term{text: c, signed: m.signed}), m.lit(reach))
		beside = append(beside, x)
		if m.signed {
			tests = append(tests, relation(x, ">=", m.lit(0)))
		}
		tests = append(tests, relation(x, "<", m.limits[n]))
	}
	m.loops++
	at := m.row(beside...)
	if !m.robust {
		at = term{text: fmt.Sprintf("(u32(%s) %% %du)", at.text, m.words)}
	}
	m.line("if %s { v%d += %s; }\n%s", strings.Join(tests, " && "), m.r.IntN(coarsenVariables), m.load("d", at).text, strings.Repeat("}", len(m.coordinates)))
}
