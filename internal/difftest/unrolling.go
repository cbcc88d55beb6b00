package difftest

import "fmt"

// unroller makes nests of loops that compilers unroll.
type unroller struct {
	*draft
	e        *expressions
	counters []string // in scope
	carried  []string // variables that loops carry
	loops    int
}

// unrolling makes loops of few iterations, alone and in each other. They index private arrays by
// their counters, and carry variables that change their sign or are swapped. They compute min and
// max of sums with stepped variables, and exit early by counters or by memory.
//
// Bugs of this kind: ptxas loses signs of min whose operands become constant after unrolling.
// NVIDIA's Vulkan compiler lost the complement of min(1 - ~x * k, y) in the iteration where k is 1.
func unrolling(d *draft) {
	r := d.r
	scalar := pick(r, []string{"u32", "i32", "i32"})
	u := &unroller{draft: d, e: newExpressions(r, scalar, 1)}
	d.buffers(24, append(edgeWords(r, 4), uint32(r.IntN(20)), uint32(r.IntN(9)), 1, 0))
	d.line("var a: array<%s, 12>;\nvar sum = 0u;\nvar at = 0u;", scalar)
	u.e.leaves = []string{fmt.Sprintf("bitcast<%s>(d[%d])", scalar, r.IntN(4)), fmt.Sprintf("%s(d[%d])", scalar, 4+r.IntN(2))}
	for n := range 1 + r.IntN(3) {
		name := fmt.Sprintf("v%d", n)
		value := numeral(scalar == "i32", pick(r, []uint32{1, 2, 19, 33, 100, 7, edge(r)}))
		if d.chance(2) {
			value = fmt.Sprintf("bitcast<%s>(d[%d])", scalar, r.IntN(8))
		}
		d.line("var %s = %s;", name, value)
		u.carried = append(u.carried, name)
	}
	vector := "" // a loop-carried vector
	if d.chance(2) {
		vector = fmt.Sprintf("vec%d<%s>", 2+r.IntN(3), scalar)
		d.line("var p = %s(%s(d[4]));\nvar q = %[1]s(%[3]s);", vector, scalar, numeral(scalar == "i32", uint32(r.IntN(60))))
	}
	u.e.leaves = append(u.e.leaves, u.carried...)
	for range 1 + r.IntN(3) {
		u.loop(2, vector)
	}
	d.line("o[23] = sum;")
	for n := range 10 {
		d.line("o[%d] ^= u32(a[%d]);", n, n)
	}
	for n, v := range u.carried {
		d.line("o[%d] = u32(%s);", 12+n, v)
	}
	if vector != "" {
		d.line("o[20] = u32(p.x);\no[21] = u32(q.y);\no[22] = u32(p.y);")
	}
}

// expression makes one of counters and carried variables.
func (u *unroller) expression(depth int) string {
	leaves := u.e.leaves
	for range 3 {
		u.e.leaves = append(u.e.leaves, u.counters...)
	}
	text, constant := u.e.make(depth)
	if constant {
		text = pick(u.r, u.e.leaves)
	}
	u.e.leaves = leaves
	return text
}

func (u *unroller) element() string { return fmt.Sprintf("a[u32(%s) %% 12u]", u.expression(2)) }

// loop makes a loop of some ten iterations at most.
func (u *unroller) loop(depth int, vector string) {
	r, c := u.r, fmt.Sprintf("i%d", u.loops)
	u.loops++
	signed := u.e.scalar == "i32"
	start, end, step := uint32(r.IntN(6)), uint32(r.IntN(12)), pick(r, []uint32{1, 1, 1, 2, 3})
	n := func(v uint32) string { return numeral(signed, v) }
	bound := n(end)
	if u.chance(4) {
		bound = fmt.Sprintf("%s(d[5])", u.e.scalar)
	}
	head, tail := "", "}"
	switch r.IntN(7) {
	case 0:
		head = fmt.Sprintf("for (var %[1]s = %[2]s; %[1]s > %[3]s; %[1]s--) {", c, n(start+end), n(start))
	case 1:
		head = fmt.Sprintf("for (var %[1]s = %[2]s; %[1]s < %[3]s; %[1]s <<= 1u) {", c, n(start+1), bound)
	case 2:
		head = fmt.Sprintf("{ var %s = %s; loop {", c, n(start))
		tail = fmt.Sprintf("continuing { %[1]s += %[2]s; break if %[1]s >= %[3]s; } } }", c, n(step), bound)
	case 3:
		head = fmt.Sprintf("{ var %[1]s = %[2]s; while %[1]s != %[3]s { %[1]s--;", c, n(start+end), n(start))
		tail = "} }"
	case 4:
		head = fmt.Sprintf("{ var %[1]s = %[2]s; loop { if %[1]s >= %[3]s { break; }", c, n(start), bound)
		tail = fmt.Sprintf("continuing { %s += %s; } } }", c, n(step))
	default:
		head = fmt.Sprintf("for (var %[1]s = %[2]s; %[1]s < %[3]s; %[1]s += %[4]s) {", c, n(start), bound, n(step))
	}
	u.line("%s", head)
	u.counters = append(u.counters, c)
	for range 1 + r.IntN(4) {
		u.statement(depth, vector)
	}
	u.counters = u.counters[:len(u.counters)-1]
	u.line("%s", tail)
}

func (u *unroller) statement(depth int, vector string) {
	r := u.r
	v, w := pick(r, u.carried), pick(r, u.carried)
	switch k := r.IntN(16); {
	case k < 3 && depth > 0 && u.loops < 8:
		u.loop(depth-1, vector)
	case k == 3:
		u.line("if u32(%s) %% 9u == %du { %s; }", u.expression(2), r.IntN(9), pick(r, []string{"break", "continue"}))
	case k == 4:
		u.line("sum = sum * 31u + u32(%s);", u.element())
	case k == 5:
		u.line("%s = %s;", u.element(), u.element())
	case k < 8:
		u.line("%s += %s;", u.element(), u.expression(2))
	case k == 8:
		u.line("o[at %% 12u] = u32(%s);\nat++;", u.expression(3))
	case k == 9: // an index that robust access clamps
		u.robust = true
		u.line("o[at %% 12u] = d[%s];\nat++;", u.expression(2))
	case k == 10: // swap variables and signs
		u.line(pick(r, []string{"{ let t = %[1]s; %[1]s = 0 - %[2]s; %[2]s = t; }", "{ let t = 0 - %[1]s; %[1]s = %[2]s; %[2]s = t; }",
			"%[1]s = 0 - %[1]s;", "if (%[3]s & 1) == 0 { %[1]s = 0 - %[1]s; }", "%[1]s = select(%[1]s, 0 - %[1]s, %[2]s < %[3]s);", "%[1]s = %[1]s * ~%[4]s;"}),
			v, w, pick(r, u.counters), numeral(u.e.scalar == "i32", 0))
	case k < 13:
		u.line(pick(r, []string{"%[1]s += %[2]s;", "%[1]s %%= %[2]s;", "%[1]s /= %[2]s;", "%[1]s *= %[2]s;", "%[1]s ^= %[2]s;", "%[1]s >>= 3u;", "%[1]s = max(%[1]s - %[2]s, %[2]s);",
			"%[1]s = reverseBits(%[1]s) >> 3u;", "%[1]s = extractBits(%[1]s, 1u, 7u);", "%[1]s = insertBits(%[1]s, %[2]s, 2u, 3u);", "%[1]s = countLeadingZeros(%[1]s) * %[2]s;"}),
			v, numeral(u.e.scalar == "i32", uint32(2+r.IntN(60))))
	case k < 15 && vector != "":
		u.line(pick(r, []string{"p = %[1]s(0) - p;", "q = p - q;", "{ let t = p; p = %[1]s(0) - q; q = t; }", "p.y = 0 - p.y;", "q += p;", "p = select(p, q, p < q);",
			"if p.x < %[2]s { p = %[1]s(0) - p; }", "q = max(q, %[1]s(0) - p);"}), vector, pick(r, u.counters))
	default: // a limit of a sum with a stepped variable
		u.line("o[%d] = o[%[1]d] * 3u + u32(%s);", r.IntN(12), fmt.Sprintf(pick(r, []string{"max(%[1]s - %[2]s, %[3]s)", "min(~%[1]s, %[2]s)", "clamp(%[1]s + %[2]s, %[4]s, %[5]s)",
			"max(abs(%[1]s - %[3]s), %[2]s)", "select(%[2]s, %[1]s - %[3]s, %[1]s - %[3]s > %[2]s)", "bitcast<" + u.e.scalar + ">(max(u32(%[1]s + %[3]s), u32(%[2]s)))"}),
			v, u.expression(0), u.expression(0), numeral(u.e.scalar == "i32", uint32(r.IntN(4))), numeral(u.e.scalar == "i32", 7)))
	}
}
