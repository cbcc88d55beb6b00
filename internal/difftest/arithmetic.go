package difftest

import (
	"fmt"
	"math"
	"strings"
)

// arithmetic makes expressions of values that the compiler knows something of. They are constants,
// values known from a branch, a switch or a loop's bound, one of two selected constants, vectors
// with constant components, and uniform values. Results are stored, and used as indices that robust
// access clamps.
//
// Bugs of this kind: ptxas 12.9 and 13.0 took ~x for x after a comparison of x with a constant.
// NVIDIA's Vulkan compiler divided a vector by the wrong one of two selected constants. It took x
// <= (x & mask) for a comparison with the mask where only one component of it was 2^n - 1.
func arithmetic(d *draft) {
	if d.chance(8) {
		floatArithmetic(d)
		return
	}
	r := d.r
	width := 1
	if d.chance(2) {
		width = 2 + r.IntN(3)
	}
	e := newExpressions(r, pick(r, []string{"u32", "i32"}), width)
	signed := e.scalar == "i32"
	words := edgeWords(r, 8)
	lanes := 1
	if d.chance(3) {
		d.size[0], d.groups[0] = 64, 2
		lanes = 128
	}
	const results = 4
	d.buffers(results*lanes*width, append(words, 0, 1, 2))
	load := func() string {
		return fmt.Sprintf("%s(bitcast<%s>(d[%s]))", e.typed(e.scalar), e.scalar, d.position(len(words)))
	}
	// constants in some components, loads in the others
	mixed := func() string {
		parts := make([]string, width)
		for n := range parts {
			if parts[n] = fmt.Sprintf("bitcast<%s>(d[%d])", e.scalar, r.IntN(len(words))); d.chance(2) {
				parts[n] = numeral(signed, constantOfClass(r, r.IntN(9)))
			}
		}
		return e.typed(e.scalar) + "(" + strings.Join(parts, ", ") + ")"
	}
	named := func(value string) string {
		name := d.fresh("v")
		d.line("let %s = %s;", name, value)
		return name
	}
	x := named(load())
	e.leaves = append(e.leaves, x, x, named(mixed()))
	e.leaves = append(e.leaves, fmt.Sprintf("%s(bitcast<%s>(%s))", e.typed(e.scalar), e.scalar, pick(r, []string{"group.x", "local.y", "id.z", "lane"})))
	if d.chance(2) { // a scalar times a vector of zeros and ones
		e.leaves = append(e.leaves, named(fmt.Sprintf("bitcast<%s>(d[%d]) * %s(%s)", e.scalar, r.IntN(len(words)), e.typed(e.scalar), d.bits(width, signed))))
	}
	for range r.IntN(3) {
		name := d.selected(e, len(words))
		e.leaves = append(e.leaves, name, name)
	}
	for range r.IntN(3) {
		if d.chance(2) {
			text, _ := e.make(1 + r.IntN(2))
			e.leaves = append(e.leaves, named(text))
		} else {
			e.truths = append(e.truths, named(e.truth(1)))
		}
	}
	end := d.guard(e, x, words)
	at := fmt.Sprintf("(group.x * %du + lane) * %du", d.size[0], results*width)
	for n := range results {
		text, _ := e.make(2 + r.IntN(3))
		name := named(text)
		for k := range width {
			component := name
			if width > 1 {
				component += "." + "xyzw"[k:k+1]
			}
			value := "u32(" + component + ")"
			if d.chance(4) {
				d.robust, value = true, "d["+component+"]"
			}
			d.line("o[%s + %du] = %s;", at, n*width+k, value)
		}
	}
	d.line("%s", end)
}

// position indexes one of n words, by the lane if there are several.
func (d *draft) position(n int) string {
	if d.size[0] > 1 && d.chance(2) {
		return fmt.Sprintf("lane %% %du", n)
	}
	return fmt.Sprint(d.r.IntN(n))
}

// bits are components that are 0 or 1.
func (d *draft) bits(width int, signed bool) string {
	parts := make([]string, width)
	for n := range parts {
		parts[n] = numeral(signed, uint32(d.r.IntN(2)))
	}
	return strings.Join(parts, ", ")
}

// selected declares a variable that is one of two constants, by a select, a branch or a switch.
func (d *draft) selected(e *expressions, words int) string {
	name := d.fresh("w")
	condition := fmt.Sprintf("d[%d] %s %du", d.r.IntN(words), pick(d.r, comparisons), edge(d.r))
	a, b := e.constant(), e.constant()
	switch d.r.IntN(3) {
	case 0:
		d.line("let %s = select(%s, %s, %s);", name, a, b, condition)
	case 1:
		d.line("var %s = %s;\nif %s { %[1]s = %[4]s; }", name, a, condition, b)
	default:
		d.line("var %s: %s;\nswitch u32(%s) { case 1u { %[1]s = %[4]s; } default { %[1]s = %[5]s; } }", name, e.typed(e.scalar), condition, b, a)
	}
	return name
}

// guard opens a block in which x is known, wholly or in part, and returns what closes it. It names
// the value that is known to be the same. For vectors there is no such block.
func (d *draft) guard(e *expressions, x string, words []uint32) string {
	if e.width > 1 || d.chance(3) || d.size[0] > 1 {
		return ""
	}
	signed := e.scalar == "i32"
	v := pick(d.r, words)
	d.line("let known = bitcast<%s>(d[%d]);", e.scalar, indexOf(words, v))
	e.leaves = append(e.leaves, "known", "known", "known", "known")
	value := numeral(signed, v)
	less := func(a, b uint32) bool { return a < b }
	if signed {
		less = func(a, b uint32) bool { return int32(a) < int32(b) }
	}
	switch d.r.IntN(6) {
	case 0:
		d.line("if known == %s {", value)
	case 1:
		d.line("if known != %s { return; }\n{", value)
	case 2:
		d.line("switch known { default {} case %s {", value)
		return "} }"
	case 3:
		low, high := v-uint32(d.r.IntN(9)), v+uint32(d.r.IntN(9))
		if less(v, low) {
			low = v
		}
		if less(high, v) {
			high = v
		}
		d.line("if known >= %s && known <= %s {", numeral(signed, low), numeral(signed, high))
	case 4: // in the last iteration of a loop
		from := v - uint32(d.r.IntN(4))
		if less(v, from) {
			from = v
		}
		d.line("for (var n = %s; n <= %s; n++) {\nlet known = n;\nif d[10] > 2u { break; }", numeral(signed, from), value)
	default:
		mask := edge(d.r)
		d.line("if (known & %s) == %s {", numeral(signed, mask), numeral(signed, v&mask))
	}
	return "}"
}

func indexOf(words []uint32, v uint32) int {
	for n, w := range words {
		if w == v {
			return n
		}
	}
	return 0
}

// floatArithmetic is about rules for vectors of f32 on operands for which no operation rounds.
func floatArithmetic(d *draft) {
	r := d.r
	width := 1 + r.IntN(4)
	e := &expressions{r: r, scalar: "f32", width: width}
	var words []uint32
	for range 8 {
		words = append(words, word(pick(r, []float32{0, 1, 1, -1, 2, 0.5, -0.5, 4, 3, -7, 12, 0.25, 60})))
	}
	const results = 3
	d.buffers(results*width, words)
	vector := func() string {
		parts := make([]string, width)
		for n := range parts {
			if parts[n] = fmt.Sprintf("bitcast<f32>(d[%d])", r.IntN(len(words))); d.chance(3) {
				parts[n] = fmt.Sprintf("f32(%v)", int(math.Float32frombits(pick(r, words))))
			}
		}
		return e.typed("f32") + "(" + strings.Join(parts, ", ") + ")"
	}
	names := []string{}
	for n := range 3 {
		d.line("let x%d = %s;", n, vector())
		names = append(names, fmt.Sprintf("x%d", n))
	}
	formats := []string{"(%s + %s)", "(%s - %s)", "(%s * %s)", "min(%s, %s)", "max(%s, %s)", "(-%s + %s * 0)", "abs(%s - %s)", "floor(%s * %s)",
		"select(%[1]s, %[2]s, %[1]s < %[2]s)", "select(%[1]s, %[2]s, !(%[1]s <= %[2]s))"}
	for n := range results {
		text := pick(r, names)
		for range 1 + r.IntN(3) {
			text = fmt.Sprintf(pick(r, formats), text, pick(r, names))
		}
		d.line("let y%d = %s;", n, text)
		names = append(names, fmt.Sprintf("y%d", n))
		for k := range width {
			component := ""
			if width > 1 {
				component = "." + "xyzw"[k:k+1]
			}
			d.line("o[%d] = u32(i32(y%d%s * 64f));", n*width+k, n, component)
		}
	}
}

// tripCounts makes a loop that counts. It is tested at its beginning or at its end; start, step and
// bound are constants or loaded, and lie near the limits of 32-bit integers.
func tripCounts(d *draft) {
	const mostIterations = 24
	r := d.r
	signed, product := d.chance(2), d.chance(10)
	start, step, bound := edge(r), edge(r), edge(r)
	order := pick(r, comparisons)
	if d.chance(3) { // small steps across the limits
		near := func(n uint32) uint32 { return n + uint32(r.IntN(129)) - 64 }
		start, step = near(uint32(r.IntN(2))<<31), near(0)/uint32(1+r.IntN(8))
		if d.chance(2) {
			step = -step
		}
		if d.chance(2) {
			bound = near(uint32(r.IntN(2)) << 31)
		}
	}
	if !product && d.chance(2) && order[1:] == "=" { // seldom met by chance
		bound = start + uint32(r.IntN(mostIterations))*step
	}
	typed, low := "u32", "k < 0x80000000u"
	if signed {
		typed, low = "i32", "k < 0i"
	}
	d.buffers(3, []uint32{start, step, bound})
	loaded := 0
	if d.chance(2) {
		loaded = r.IntN(8)
	}
	for n, v := range []uint32{start, step, bound} {
		value := numeral(signed, v)
		if loaded>>n&1 == 1 {
			value = fmt.Sprintf("bitcast<%s>(d[%d])", typed, n)
		}
		d.line("let %s = %s;", [...]string{"start", "step", "bound"}[n], value)
	}
	operator := "+="
	if product {
		operator = "*="
	}
	body := fmt.Sprintf("o[0] = o[0] * 31u + u32(k);\no[1] += 1u;\nif (%s) { o[2] += 1u; }\n", low)
	if d.chance(2) {
		d.line("for (var k = start; k %s bound; k %s step) {\n%s}", order, operator, body)
	} else {
		d.line("var k = start;\nloop {\n%sk %s step;\ncontinuing { break if k %s bound; }\n}", body, operator, order)
	}
}
