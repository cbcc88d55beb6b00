package gofuzz

// declare declares a variable.
func (g *generator) declare() {
	t := []string{"i32", "i32", "u32", "u32", "f32", "bool", "int", "pair", "[4]int32", "*pair", "[]int32"}[g.r.IntN(11)]
	if g.sizes && g.one(3) {
		t = g.others[g.r.IntN(len(g.others))]
	}
	name := g.name("v")
	switch t {
	case "[4]int32":
		g.line("%s := [4]int32{%s, %s, 3: %s}", name, g.expression("i32", 1), g.number("i32"), g.leaf("i32"))
	case "*pair":
		v := g.find("pair", true)
		if v == "" || v[0] == '*' {
			return
		}
		g.line("%s := &%s", name, v)
		g.scope = append(g.scope, variable{name + ".X", "i32", false}, variable{name + ".Y", "u32", false})
	case "[]int32":
		s := g.slice()
		if s == "" {
			return
		}
		g.line("%s := %s", name, s)
	case "i32", "u32":
		g.line("%s := %s", name, g.expression(t, 2))
	default:
		g.line("%s := %s", name, g.expression(t, 1))
	}
	g.line("_ = %s", name)
	g.scope = append(g.scope, variable{name, t, t == "int" || t == "*pair" || t == "[]int32"})
	if t == "pair" {
		g.scope = append(g.scope, variable{name + ".X", "i32", false}, variable{name + ".Z[2]", "i32", false})
	}
}

func (g *generator) statements(n int) {
	for range n {
		g.statement()
	}
}

// block writes statements in braces that are open, with a scope of their own.
func (g *generator) block(n int, end func()) {
	outer, indent := len(g.scope), g.indent
	g.indent += "\t"
	g.depth++
	g.statements(n)
	if end != nil {
		end()
	}
	g.depth--
	g.scope, g.indent = g.scope[:outer], indent
}

func (g *generator) statement() {
	if g.sizes && g.result == nil && g.one(8) {
		g.atomic()
		return
	}
	kind := g.r.IntN(18)
	if g.depth > 2 && kind > 7 {
		kind = g.r.IntN(8)
	}
	switch kind {
	case 0, 1, 2:
		g.assign()
	case 3:
		g.declare()
	case 4:
		if a := g.find("[4]int32", true); a != "" {
			g.line("%s[%s&3] %s= %s", a, g.index(), []string{"", "+", "^", "-", "*"}[g.r.IntN(5)], g.expression("i32", 1))
		}
	case 5:
		if x, y := g.find("i32", true), g.find("i32", true); x != "" && x != y {
			g.line("%s, %s = %s, %s", x, y, g.expression("i32", 1), x)
		}
	case 6:
		if p, v := g.find("*pair", false), g.find("i32", true); p != "" && v != "" && g.one(3) {
			g.line("%s = (%s).bump(%s)", v, p, g.expression("i32", 1))
		} else if v := g.find("i64", true); g.sizes && v != "" && g.result == nil && g.one(3) {
			g.line("%s = mix[i].turn(%s)", v, g.expression("i8", 1))
		} else if len(g.helpers) > 0 {
			g.calls()
		}
	case 7:
		if len(g.loops) > 0 && g.one(2) {
			g.jump()
		} else {
			g.assign()
		}
	case 8, 9:
		g.line("if %s {", g.expression("bool", 2))
		g.block(1+g.r.IntN(3), nil)
		if g.one(2) {
			g.line("} else if %s {", g.expression("bool", 1))
			g.block(1, nil)
		}
		if g.one(2) {
			g.line("} else {")
			g.block(1+g.r.IntN(2), nil)
		}
		g.line("}")
	case 10, 11, 12:
		g.loop()
	case 13:
		g.choose()
	case 14:
		if g.result != nil && g.one(2) {
			g.line("if %s {", g.expression("bool", 1))
			g.block(1, g.returns)
			g.line("}")
		} else {
			g.line("{")
			g.block(2, nil)
			g.line("}")
		}
	case 16, 17:
		g.reslice()
	case 15:
		g.line("switch {")
		for range 1 + g.r.IntN(3) {
			g.line("case %s:", g.expression("bool", 1))
			g.block(1, nil)
		}
		if g.one(2) {
			g.line("default:")
			g.block(1, nil)
		}
		g.line("}")
	}
}

func (g *generator) assign() {
	t := []string{"i32", "u32", "i32", "u32", "f32", "bool", "pair"}[g.r.IntN(7)]
	if g.sizes && g.one(3) {
		t = g.others[g.r.IntN(len(g.others))]
	}
	v := g.find(t, true)
	if v == "" {
		return
	}
	if t[0] != 'f' && t != "bool" && t != "pair" && g.one(2) {
		g.line("%s %s= %s", v, []string{"+", "-", "*", "^", "|", "&^"}[g.r.IntN(6)], g.expression(t, 2))
		return
	}
	g.line("%s = %s", v, g.expression(t, 2))
}

// calls calls a helper for its results.
func (g *generator) calls() {
	h := &g.helpers[g.r.IntN(len(g.helpers))]
	c := g.call(h, 1)
	if c == "" {
		return
	}
	if len(h.results) == 1 {
		g.line("_ = %s", c)
		return
	}
	x, y := g.name("r"), g.name("r")
	g.line("%s, %s := %s", x, y, c)
	g.line("_, _ = %s, %s", x, y)
	g.scope = append(g.scope, variable{x, h.results[0], false}, variable{y, h.results[1], false})
}

// jump leaves or repeats a loop, by its label if it is not the innermost one.
func (g *generator) jump() {
	n := g.r.IntN(len(g.loops))
	word := []string{"break", "continue"}[g.r.IntN(2)]
	label := g.loops[n]
	g.used[label] = true
	g.line("if %s {", g.expression("bool", 1))
	g.line("\t%s %s", word, label)
	g.line("}")
}

// loop writes a loop that ends. Its label is written as a comment first, since Go refuses labels
// that are not used.
func (g *generator) loop() {
	label := g.name("loop")
	at := g.out.Len()
	before := g.out.String()
	g.loops = append(g.loops, label)
	outer := len(g.scope)
	k := g.name("k")
	if g.sizes && g.one(4) {
		t := g.integer("")
		g.line("for %[1]s := %[2]s(%[3]d); %[1]s < %[4]d; %[1]s++ {", k, goType(t), g.r.IntN(3), 2+g.r.IntN(4))
		g.line("\t_ = %s", k)
		g.scope = append(g.scope, variable{k, t, true})
		g.endLoop(label, before, at, outer)
		return
	}
	switch g.r.IntN(5) {
	case 0:
		g.line("for %s := 0; %[1]s < %d; %[1]s++ {", k, 1+g.r.IntN(5))
		g.scope = append(g.scope, variable{k, "int", true})
	case 1:
		g.line("for %s := range %d {", k, 1+g.r.IntN(5))
		g.line("\t_ = %s", k)
		g.scope = append(g.scope, variable{k, "int", true})
	case 2:
		if a := g.find("[4]int32", false); a != "" {
			v := g.name("e")
			g.line("for %s, %s := range %s {", k, v, a)
			g.line("\t_, _ = %s, %s", k, v)
			g.scope = append(g.scope, variable{k, "int", true}, variable{v, "i32", false})
		} else {
			g.line("for range %d {", 1+g.r.IntN(3))
		}
	case 3:
		if s := g.find("[]int32", false); s != "" {
			v := g.name("e")
			g.line("for _, %s := range %s[:3] {", v, s)
			g.line("\t_ = %s", v)
			g.scope = append(g.scope, variable{v, "i32", true})
		} else {
			g.line("for range %d {", 1+g.r.IntN(3))
		}
	default:
		g.line("for %[1]s := %[2]d; %[1]s > 0 && %[3]s; %[1]s-- {", k, 2+g.r.IntN(5), g.expression("bool", 1))
		g.scope = append(g.scope, variable{k, "int", true})
	}
	g.endLoop(label, before, at, outer)
}

// endLoop writes the body of a loop that begins at an offset of the text; before is the text up to
// it.
func (g *generator) endLoop(label, before string, at, outer int) {
	g.block(1+g.r.IntN(3), nil)
	g.line("}")
	g.scope = g.scope[:outer]
	g.loops = g.loops[:len(g.loops)-1]
	if g.used[label] {
		text := g.out.String()[at:]
		g.out.Reset()
		g.out.WriteString(before)
		g.line("%s:", label)
		g.out.WriteString(text)
	}
}

// choose writes a switch on a number.
func (g *generator) choose() {
	g.line("switch %s & 3 {", g.expression([]string{"i32", "u32"}[g.r.IntN(2)], 1))
	values := g.r.Perm(4)
	cases := 1 + g.r.IntN(4)
	other := g.r.IntN(5)
	for n := range cases {
		if n == other {
			g.line("default:")
			g.block(1, nil)
		}
		if n == 0 && g.one(3) && cases < 4 {
			g.line("case %d, %d:", values[0], values[3])
		} else {
			g.line("case %d:", values[n])
		}
		through := n+1 < cases && n+1 != other && g.one(3)
		g.block(1, func() {
			if through {
				g.line("fallthrough")
			}
		})
	}
	g.line("}")
}
