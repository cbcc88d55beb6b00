package gofuzz

// declare declares a variable.
func (g *generator) declare() {
	t := g.oneOf("i32", "i32", "u32", "u32", "f32", "bool", "int", "pair", "[4]int32", "*pair", "[]int32")
	if g.sizes && g.one(3) {
		t = g.others[g.r.IntN(len(g.others))]
	}
	name := g.name("v")
	switch t {
	case "[4]int32":
		g.line("%s := [4]int32{%s, %s, 3: %s}", name, g.expression("i32", 1), g.constant("i32"), g.leaf("i32"))
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

// block writes the statements of a block whose brace is open, in a new scope.
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
	// weighted by repetition; those from nesting on have blocks
	kinds := [...]func(){
		g.assign, g.assign, g.assign, g.declare, g.assignElement, g.assignPair, g.callStatement, g.jumpOrAssign,
		g.conditional, g.conditional, g.loop, g.loop, g.loop, g.choose, g.nested, g.chooseCondition, g.reslice, g.reslice,
	}
	const nesting = 8
	kind := g.r.IntN(len(kinds))
	if g.depth > 2 && kind >= nesting {
		kind = g.r.IntN(nesting)
	}
	kinds[kind]()
}

func (g *generator) assignElement() {
	if a := g.find("[4]int32", true); a != "" {
		g.line("%s[%s&3] %s= %s", a, g.index(), g.oneOf("", "+", "^", "-", "*"), g.expression("i32", 1))
	}
}

func (g *generator) assignPair() {
	if x, y := g.find("i32", true), g.find("i32", true); x != "" && x != y {
		g.line("%s, %s = %s, %s", x, y, g.expression("i32", 1), x)
	}
}

// callStatement calls a method or a helper.
func (g *generator) callStatement() {
	if p, v := g.find("*pair", false), g.find("i32", true); p != "" && v != "" && g.one(3) {
		g.line("%s = (%s).bump(%s)", v, p, g.expression("i32", 1))
	} else if v := g.find("i64", true); g.sizes && v != "" && g.result == nil && g.one(3) {
		g.line("%s = mix[i].update(%s)", v, g.expression("i8", 1))
	} else if len(g.helpers) > 0 {
		g.calls()
	}
}

func (g *generator) jumpOrAssign() {
	if len(g.loops) > 0 && g.one(2) {
		g.jump()
	} else {
		g.assign()
	}
}

func (g *generator) conditional() {
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
}

// nested writes a conditional return, or a block.
func (g *generator) nested() {
	if g.result != nil && g.one(2) {
		g.line("if %s {", g.expression("bool", 1))
		g.block(1, g.returns)
	} else {
		g.line("{")
		g.block(2, nil)
	}
	g.line("}")
}

// chooseCondition writes a switch without an operand.
func (g *generator) chooseCondition() {
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

func (g *generator) assign() {
	t := g.oneOf("i32", "u32", "i32", "u32", "f32", "bool", "pair")
	if g.sizes && g.one(3) {
		t = g.others[g.r.IntN(len(g.others))]
	}
	v := g.find(t, true)
	if v == "" {
		return
	}
	if t[0] != 'f' && t != "bool" && t != "pair" && g.one(2) {
		g.line("%s %s= %s", v, g.oneOf("+", "-", "*", "^", "|", "&^"), g.expression(t, 2))
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

// jump writes a conditional break or continue of an enclosing loop.
func (g *generator) jump() {
	n := g.r.IntN(len(g.loops))
	word := g.oneOf("break", "continue")
	label := g.loops[n]
	g.used[label] = true
	g.line("if %s {", g.expression("bool", 1))
	g.line("\t%s %s", word, label)
	g.line("}")
}

// loop writes a loop that terminates. endLoop adds its label if a jump uses it, since Go refuses
// unused labels.
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

// endLoop writes the body of a loop, whose text begins at an offset; before is the text up to it.
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

// choose writes a switch on an integer.
func (g *generator) choose() {
	g.line("switch %s & 3 {", g.expression(g.oneOf("i32", "u32"), 1))
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
