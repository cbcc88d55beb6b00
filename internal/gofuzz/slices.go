package gofuzz

import "fmt"

// Slices. All variables of type []int32 have at least four elements, which are never written.

// slice returns an expression for a slice of at least four elements, or "".
func (g *generator) slice() string {
	if g.one(4) {
		return g.oneOf("table[:]", "table[2:6]", "table[4:4][:4]", "grid[1][:]", "grid[at("+g.index()+")&1][:0][:4]")
	}
	if a := g.find("[4]int32", true); a != "" && g.one(2) {
		return a + g.oneOf("[:]", "[:1][:4]", "[:2:4][:4]", "[:][:0][:4]")
	}
	s := g.find("[]int32", false)
	switch {
	case s == "":
		return ""
	case s == "in" && g.one(2):
		return g.part()
	case s == "in":
		return s
	}
	return s + g.oneOf("", "[:4]", "[:4:4]", "[:1][:4]")
}

// ofSlice returns an int32 expression with a slice.
func (g *generator) ofSlice() string {
	s := g.slice()
	if s == "" {
		return "many()"
	}
	switch g.r.IntN(9) {
	case 0:
		return fmt.Sprintf("int32(cap(%s))", s)
	case 1:
		return fmt.Sprintf("int32(cap(%s[%d:%d]))", s, g.r.IntN(3), 2+g.r.IntN(3))
	case 2:
		return fmt.Sprintf("int32(cap(%s[1:2:%d]))", s, 2+g.r.IntN(3))
	case 3:
		return fmt.Sprintf("%s[1:2][:3][%s&1]", s, g.index())
	case 4:
		return fmt.Sprintf("%s[%s&3:][:1][0]", s, g.index())
	case 5:
		return fmt.Sprintf("many(%s...)", s)
	case 6:
		return fmt.Sprintf("many(%s[:%s&3]...)", s, g.index())
	case 7:
		return fmt.Sprintf("many(%s, %s)", g.leaf("i32"), g.leaf("i32"))
	}
	return fmt.Sprintf("(%s[:0][:len(%[1]s)])[%[2]s%%len(%[1]s)]", s, g.index())
}

// reslice writes a statement about slices.
func (g *generator) reslice() {
	switch s := g.slice(); g.r.IntN(4) {
	case 0: // nil until it is assigned
		if s == "" {
			return
		}
		v, e := g.name("v"), g.name("e")
		g.line("var %s []int32", v)
		g.line("if %s {", g.expression("bool", 1))
		g.line("\t%s = %s", v, s)
		g.line("}")
		g.line("for _, %s := range %s {", e, v)
		g.line("\t_ = %s", e)
		outer := len(g.scope)
		g.scope = append(g.scope, variable{e, "i32", true})
		g.block(1, nil)
		g.scope = g.scope[:outer]
		g.line("}")
		if x := g.find("i32", true); x != "" {
			g.line("if %s == nil {", v)
			g.line("\t%s += int32(cap(%s))", x, v)
			g.line("}")
		}
	case 1: // assigned in a branch
		for _, v := range g.scope {
			if v.typ == "[]int32" && v.name != "in" && v.name[0] == 'v' {
				g.line("if %s {", g.expression("bool", 1))
				g.line("\t%s = %[1]s%s", v.name, g.oneOf("[:4]", "[:4:4]", "[len("+v.name+")-4:]", "[:2][:4]"))
				g.line("}")
				return
			}
		}
	case 2: // a field of a structure
		if s == "" {
			return
		}
		v, w := g.name("v"), g.name("w")
		g.line("%s := view{%s, %s}", w, s, g.index())
		g.line("%s.next()", w)
		g.line("%s := %s.s[:%[2]s.left()]", v, w)
		if x := g.find("i32", true); x != "" {
			g.line("%s ^= many(%s...) + int32(cap(%[2]s)*10+cap(%s.s))", x, v, w)
		} else {
			g.line("_ = %s", v)
		}
	case 3:
		g.aliased()
	}
}

// aliased writes a loop that takes the address of its variable.
func (g *generator) aliased() {
	k, label, outer, at := g.name("k"), g.name("loop"), len(g.scope), g.out.Len()
	before := g.out.String()
	g.loops = append(g.loops, label)
	switch g.r.IntN(3) {
	case 0:
		g.line("for %s := %d; %[1]s < %[3]d; addTo(&%[1]s, %[4]d) {", k, g.r.IntN(3), 3+g.r.IntN(4), 1+g.r.IntN(3))
		g.scope = append(g.scope, variable{k, "int", true})
	case 1:
		g.line("for %s := (tally{}); %[1]s.n < %[2]d; %[1]s.inc() {", k, 1+g.r.IntN(4))
		g.scope = append(g.scope, variable{"int(" + k + ".n)", "int", true})
	case 2:
		a := g.name("a")
		g.line("for %s, %s := 0, [4]int32{%s, %s}; %[1]s < %[5]d; %[1]s, %[2]s[1] = %[1]s+1, %[2]s[1]+3 {", k, a, g.leaf("i32"), g.constant("i32"), 1+g.r.IntN(4))
		g.scope = append(g.scope, variable{k, "int", true}, variable{a, "[4]int32", false})
	}
	g.endLoop(label, before, at, outer)
}
