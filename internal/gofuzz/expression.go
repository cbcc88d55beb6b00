package gofuzz

import (
	"fmt"
	"strings"
)

// find returns a variable of a type, one that can be assigned to if so asked, or "".
func (g *generator) find(t string, assigned bool) string {
	var fit []string
	for _, v := range g.scope {
		if v.typ == t && !(assigned && v.constant) {
			fit = append(fit, v.name)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return fit[g.r.IntN(len(fit))]
}

// leaf returns an operand of a type that is no constant, so that no expression of it overflows when
// Go compiles it.
func (g *generator) leaf(t string) string {
	if v := g.find(t, false); v != "" && !g.one(5) {
		return v
	}
	kernel := g.result == nil
	switch t {
	case "i32":
		if s := g.find("[]int32", false); s != "" && g.one(2) {
			return fmt.Sprintf("%s[%s%%len(%[1]s)]", s, g.index())
		}
		if a := g.find("[4]int32", false); a != "" && g.one(2) {
			return fmt.Sprintf("%s[%s&3]", a, g.index())
		}
		if g.one(2) {
			return g.ofSlice()
		}
		return []string{"table[" + g.index() + "]", "grid[at(" + g.index() + ")&1][at(" + g.index() + ")]"}[g.r.IntN(2)]
	case "u32":
		if kernel {
			return fmt.Sprintf("words[%s]", g.index())
		}
		return "uint32(" + g.leaf("i32") + ")"
	case "i64":
		if kernel && g.one(2) {
			return fmt.Sprintf("longs[%s]", g.index())
		}
		return "int64(" + g.leaf("i32") + ")"
	case "u8":
		if kernel && g.one(2) {
			return fmt.Sprintf("bytes[%s]", g.index())
		}
		return "uint8(" + g.leaf("i32") + ")"
	case "i8", "i16", "u16", "u64":
		return goType(t) + "(" + g.leaf("i32") + ")"
	case "f64":
		return "float64(" + g.leaf("i32") + "&63)"
	case "f32":
		if kernel && g.one(2) {
			return fmt.Sprintf("reals[%s]", g.index())
		}
		return "float32(" + g.leaf("i32") + "&63)"
	case "bool":
		return fmt.Sprintf("(%s > %s)", g.leaf("i32"), g.number("i32"))
	case "int":
		return "int(" + g.leaf("u32") + "&7)"
	case "pair":
		return fmt.Sprintf("pair{%s, %s, [3]int32{1, %s, -4}}", g.leaf("i32"), g.leaf("u32"), g.leaf("i32"))
	}
	return g.find(t, false)
}

// index returns an int from 0 to 7, which may be a constant.
func (g *generator) index() string {
	if v := g.find("int", false); v != "" && g.one(2) {
		return v
	}
	return fmt.Sprint(g.r.IntN(8))
}

// number writes a constant.
func (g *generator) number(t string) string {
	switch t {
	case "i32":
		return []string{"0", "1", "-1", "7", "31", "32", "-2147483648", "2147483647", "1000", "-12345", "0x40000000"}[g.r.IntN(11)]
	case "u32":
		return []string{"0", "1", "2", "31", "32", "33", "0xffffffff", "0x80000000", "0xaaaaaaab", "255"}[g.r.IntN(10)]
	case "f32":
		return []string{"0.5", "1", "-2", "3.25", "8", "-0.25"}[g.r.IntN(6)]
	case "f64":
		return []string{"0.25", "-3", "1", "17.5"}[g.r.IntN(4)]
	case "i64":
		return []string{"0", "-1", "1", "63", "-9223372036854775808", "9223372036854775807", "4294967296", "-4294967295", "1000000007"}[g.r.IntN(9)]
	case "u64":
		return []string{"0", "1", "64", "18446744073709551615", "9223372036854775808", "4294967295", "0xaaaaaaaaaaaaaaab"}[g.r.IntN(7)]
	case "i16":
		return []string{"0", "-1", "1", "-32768", "32767", "300"}[g.r.IntN(6)]
	case "u16":
		return []string{"0", "1", "65535", "32768", "255"}[g.r.IntN(5)]
	case "i8":
		return []string{"0", "-1", "1", "-128", "127", "8"}[g.r.IntN(6)]
	case "u8":
		return []string{"0", "1", "255", "128", "9"}[g.r.IntN(5)]
	}
	return "true"
}

// operand is a leaf or, now and then, a constant.
func (g *generator) operand(t string, depth int) string {
	if t != "f32" && t != "f64" && t != "bool" && g.one(4) {
		return g.number(t)
	}
	return g.expression(t, depth)
}

// expression returns an expression that is no constant.
func (g *generator) expression(t string, depth int) string {
	if depth == 0 || g.one(6) {
		return g.leaf(t)
	}
	if g.one(6) {
		if c := g.callFor(t, depth-1); c != "" {
			return c
		}
	}
	if g.one(10) && t != "int" {
		return fmt.Sprintf("pick(%s, %s, %s)", g.expression("bool", depth-1), g.expression(t, depth-1), g.expression(t, depth-1))
	}
	x := g.expression(t, depth-1)
	switch t {
	case "i32", "u32", "i8", "u8", "i16", "u16", "i64", "u64":
		switch g.r.IntN(13) {
		case 0, 1, 2:
			return fmt.Sprintf("(%s %s %s)", x, []string{"+", "-", "*"}[g.r.IntN(3)], g.operand(t, depth-1))
		case 3, 4:
			return fmt.Sprintf("(%s %s %s)", x, []string{"&", "|", "^", "&^"}[g.r.IntN(4)], g.operand(t, depth-1))
		case 5:
			return fmt.Sprintf("(%s %s (%s | 1))", x, []string{"/", "%"}[g.r.IntN(2)], g.expression(t, depth-1))
		case 6:
			return fmt.Sprintf("(%s %s %s)", x, []string{"<<", ">>"}[g.r.IntN(2)], g.count(depth-1))
		case 7:
			return fmt.Sprintf("%s(%s)", goType(t), g.expression(g.integer(t), depth-1))
		case 8:
			return fmt.Sprintf("%s(%s, %s)", []string{"min", "max"}[g.r.IntN(2)], x, g.operand(t, depth-1))
		case 9:
			return "(-" + x + ")"
		case 10:
			return "(^" + x + ")"
		case 11:
			switch t {
			case "u64":
				switch g.r.IntN(7) {
				case 3:
					return fmt.Sprintf("sum64(%s, %s)", x, g.operand(t, depth-1))
				case 4:
					return fmt.Sprintf("product64(%s, %s)", x, g.operand(t, depth-1))
				case 5:
					return fmt.Sprintf("quotient64(%s, %s)", x, g.operand(t, depth-1))
				case 0:
					return "uint64(bits.OnesCount64(" + x + "))"
				case 1:
					return "bits.Reverse64(" + x + ")"
				case 2:
					return fmt.Sprintf("bits.RotateLeft64(%s, %s)", x, g.index())
				}
				return "uint64(bits.Len64(" + x + ") + bits.TrailingZeros64(" + x + ") - bits.LeadingZeros64(" + x + "))"
			case "i64":
				if g.doubles() {
					return "int64(" + g.expression("f64", depth-1) + ")"
				}
				return x
			case "u8", "u16":
				name := []string{"OnesCount", "Len", "LeadingZeros", "TrailingZeros", "Reverse"}[g.r.IntN(5)]
				if g.one(3) {
					return fmt.Sprintf("bits.RotateLeft%s(%s, %s)", t[1:], x, g.index())
				}
				return fmt.Sprintf("%s(bits.%s%s(%s))", goType(t), name, t[1:], x)
			case "i8", "i16":
				return x
			}
			if t == "u32" {
				switch g.r.IntN(6) {
				case 3:
					return fmt.Sprintf("sum32(%s, %s)", x, g.operand(t, depth-1))
				case 4:
					return fmt.Sprintf("product32(%s, %s)", x, g.operand(t, depth-1))
				case 0:
					return "uint32(bits.OnesCount32(" + x + "))"
				case 1:
					return "bits.Reverse32(" + x + ")"
				case 2:
					return fmt.Sprintf("bits.RotateLeft32(%s, %s)", x, g.index())
				}
				return "uint32(bits.Len32(" + x + ") + bits.TrailingZeros32(" + x + "))"
			}
			if p := g.find("*pair", false); p != "" {
				if strings.HasPrefix(p, "&") {
					p = "(" + p + ")"
				}
				return p + []string{".sum()", ".Z[1]"}[g.r.IntN(2)]
			}
			return "int32(" + g.expression("f32", depth-1) + ")"
		}
		if t == "i32" {
			if v := g.find("pair", false); v != "" {
				return "(" + v + ").sum()"
			}
		}
		return x
	case "f64":
		switch g.r.IntN(7) {
		case 0:
			return fmt.Sprintf("tiny(%s * %s)", x, g.number(t))
		case 1:
			return fmt.Sprintf("(tiny(%s) %s tiny(%s))", x, []string{"+", "-", "*"}[g.r.IntN(3)], g.expression(t, depth-1))
		case 2:
			return fmt.Sprintf("math.%s(%s)", []string{"Floor", "Ceil", "Trunc", "RoundToEven", "Abs"}[g.r.IntN(5)], x)
		case 3:
			return fmt.Sprintf("max(%s, %s)", x, g.number(t))
		case 4:
			return fmt.Sprintf("float64(%s)", g.expression("f32", depth-1))
		case 5:
			return fmt.Sprintf("tiny(float64(%s))", g.expression("i32", depth-1))
		}
		return "(-" + x + ")"
	case "f32":
		switch g.r.IntN(5) {
		case 0:
			return fmt.Sprintf("small(%s * %s)", x, g.number(t))
		case 1:
			return fmt.Sprintf("(%s %s small(%s))", "small("+x+")", []string{"+", "-", "*"}[g.r.IntN(3)], g.expression(t, depth-1))
		case 2:
			return fmt.Sprintf("gpu.Floor(%s)", x)
		case 3:
			return fmt.Sprintf("max(%s, %s)", x, g.number(t))
		}
		return "(-" + x + ")"
	case "bool":
		switch g.r.IntN(6) {
		case 0:
			return fmt.Sprintf("(%s && %s)", x, g.expression("bool", depth-1))
		case 1:
			return fmt.Sprintf("(%s || %s)", x, g.expression("bool", depth-1))
		case 2:
			return "!" + x
		case 3:
			return fmt.Sprintf("(%s == %s)", g.expression("pair", depth-1), g.expression("pair", depth-1))
		}
		of := []string{"i32", "u32", "f32"}[g.r.IntN(3)]
		if g.sizes && g.one(2) {
			of = g.others[g.r.IntN(len(g.others))]
		}
		return fmt.Sprintf("(%s %s %s)", g.expression(of, depth-1), []string{"<", "<=", ">", ">=", "==", "!="}[g.r.IntN(6)], g.expression(of, depth-1))
	}
	return x
}

// count returns what shifts are counted in.
func (g *generator) count(depth int) string {
	if g.sizes && g.one(2) {
		return g.expression([]string{"u8", "u64"}[g.r.IntN(2)], depth)
	}
	return g.operand("u32", depth)
}

// part is a part of the slice in. All slices have four elements at least.
func (g *generator) part() string {
	from := g.r.IntN(8)
	if v := g.find("int", false); v != "" && g.one(2) {
		return fmt.Sprintf("in[%s:%[1]s+%d]", v, 4+g.r.IntN(2))
	}
	return fmt.Sprintf("in[%d:%d]", from, from+4)
}

// callFor returns a call of a helper whose only result has a type, or "".
func (g *generator) callFor(t string, depth int) string {
	for _, n := range g.r.Perm(len(g.helpers)) {
		if h := &g.helpers[n]; len(h.results) == 1 && h.results[0] == t && !h.changes() {
			if c := g.call(h, depth); c != "" {
				return c
			}
		}
	}
	return ""
}

// call returns a call of a helper, or "" where there is nothing to give it.
func (g *generator) call(h *helper, depth int) string {
	arguments := make([]string, len(h.parameters))
	for n, t := range h.parameters {
		if t != "*pair" && t != "[]int32" {
			arguments[n] = g.expression(t, depth)
			continue
		}
		if arguments[n] = g.find(t, false); arguments[n] == "" {
			return ""
		}
		if arguments[n] == "in" && g.one(2) {
			arguments[n] = g.part()
		}
	}
	return h.name + "(" + strings.Join(arguments, ", ") + ")"
}
