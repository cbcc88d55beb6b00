package gofuzz

import (
	"fmt"
	"strings"
)

// find returns a random variable of a type, or "". If assigned is set, it is an assignable one.
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

// leaf returns a simple operand of a type. It is no constant, since Go refuses constant expressions
// that overflow.
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
		return g.oneOf("table["+g.index()+"]", "grid[at("+g.index()+")&1][at("+g.index()+")]")
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
		return fmt.Sprintf("(%s > %s)", g.leaf("i32"), g.constant("i32"))
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

// constants are the constants of each type.
var constants = map[string][]string{
	"i32": {"0", "1", "-1", "7", "31", "32", "-2147483648", "2147483647", "1000", "-12345", "0x40000000"},
	"u32": {"0", "1", "2", "31", "32", "33", "0xffffffff", "0x80000000", "0xaaaaaaab", "255"},
	"f32": {"0.5", "1", "-2", "3.25", "8", "-0.25"},
	"f64": {"0.25", "-3", "1", "17.5"},
	"i64": {"0", "-1", "1", "63", "-9223372036854775808", "9223372036854775807", "4294967296", "-4294967295", "1000000007"},
	"u64": {"0", "1", "64", "18446744073709551615", "9223372036854775808", "4294967295", "0xaaaaaaaaaaaaaaab"},
	"i16": {"0", "-1", "1", "-32768", "32767", "300"},
	"u16": {"0", "1", "65535", "32768", "255"},
	"i8":  {"0", "-1", "1", "-128", "127", "8"},
	"u8":  {"0", "1", "255", "128", "9"},
}

// oneOf returns a random element.
func (g *generator) oneOf(list ...string) string { return list[g.r.IntN(len(list))] }

// constant returns a constant of a numeric type.
func (g *generator) constant(t string) string { return g.oneOf(constants[t]...) }

// operand returns an expression, or sometimes a constant.
func (g *generator) operand(t string, depth int) string {
	if t != "f32" && t != "f64" && t != "bool" && g.one(4) {
		return g.constant(t)
	}
	return g.expression(t, depth)
}

// expression returns an expression that is not constant.
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
	case "f64":
		return g.double(x, depth-1)
	case "f32":
		return g.single(x, depth-1)
	case "bool":
		return g.condition(x, depth-1)
	}
	if constants[t] != nil {
		return g.integerOf(t, x, depth-1)
	}
	return x
}

// integerOf returns an expression of an integer type with the operand x.
func (g *generator) integerOf(t, x string, depth int) string {
	switch g.r.IntN(13) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", x, g.oneOf("+", "-", "*"), g.operand(t, depth))
	case 3, 4:
		return fmt.Sprintf("(%s %s %s)", x, g.oneOf("&", "|", "^", "&^"), g.operand(t, depth))
	case 5:
		return fmt.Sprintf("(%s %s (%s | 1))", x, g.oneOf("/", "%"), g.expression(t, depth))
	case 6:
		return fmt.Sprintf("(%s %s %s)", x, g.oneOf("<<", ">>"), g.count(depth))
	case 7:
		return fmt.Sprintf("%s(%s)", goType(t), g.expression(g.integer(t), depth))
	case 8:
		return fmt.Sprintf("%s(%s, %s)", g.oneOf("min", "max"), x, g.operand(t, depth))
	case 9:
		return "(-" + x + ")"
	case 10:
		return "(^" + x + ")"
	case 11:
		return g.special(t, x, depth)
	}
	if t == "i32" {
		if v := g.find("pair", false); v != "" {
			return "(" + v + ").sum()"
		}
	}
	return x
}

// special returns an expression that only one integer type has: functions of math/bits for unsigned
// ones, and others for signed ones.
func (g *generator) special(t, x string, depth int) string {
	switch t {
	case "u64":
		switch g.r.IntN(7) {
		case 3:
			return fmt.Sprintf("sum64(%s, %s)", x, g.operand(t, depth))
		case 4:
			return fmt.Sprintf("product64(%s, %s)", x, g.operand(t, depth))
		case 5:
			return fmt.Sprintf("quotient64(%s, %s)", x, g.operand(t, depth))
		case 0:
			return "uint64(bits.OnesCount64(" + x + "))"
		case 1:
			return "bits.Reverse64(" + x + ")"
		case 2:
			return fmt.Sprintf("bits.RotateLeft64(%s, %s)", x, g.index())
		}
		return "uint64(bits.Len64(" + x + ") + bits.TrailingZeros64(" + x + ") - bits.LeadingZeros64(" + x + "))"
	case "u32":
		switch g.r.IntN(6) {
		case 3:
			return fmt.Sprintf("sum32(%s, %s)", x, g.operand(t, depth))
		case 4:
			return fmt.Sprintf("product32(%s, %s)", x, g.operand(t, depth))
		case 0:
			return "uint32(bits.OnesCount32(" + x + "))"
		case 1:
			return "bits.Reverse32(" + x + ")"
		case 2:
			return fmt.Sprintf("bits.RotateLeft32(%s, %s)", x, g.index())
		}
		return "uint32(bits.Len32(" + x + ") + bits.TrailingZeros32(" + x + "))"
	case "u8", "u16":
		name := g.oneOf("OnesCount", "Len", "LeadingZeros", "TrailingZeros", "Reverse")
		if g.one(3) {
			return fmt.Sprintf("bits.RotateLeft%s(%s, %s)", t[1:], x, g.index())
		}
		return fmt.Sprintf("%s(bits.%s%s(%s))", goType(t), name, t[1:], x)
	case "i64":
		if g.doubles() {
			return "int64(" + g.expression("f64", depth) + ")"
		}
	case "i32":
		if p := g.find("*pair", false); p != "" {
			if strings.HasPrefix(p, "&") {
				p = "(" + p + ")"
			}
			return p + g.oneOf(".sum()", ".Z[1]")
		}
		return "int32(" + g.expression("f32", depth) + ")"
	}
	return x
}

// double returns an expression of float64 with the operand x.
func (g *generator) double(x string, depth int) string {
	switch g.r.IntN(7) {
	case 0:
		return fmt.Sprintf("tiny(%s * %s)", x, g.constant("f64"))
	case 1:
		return fmt.Sprintf("(tiny(%s) %s tiny(%s))", x, g.oneOf("+", "-", "*"), g.expression("f64", depth))
	case 2:
		return fmt.Sprintf("math.%s(%s)", g.oneOf("Floor", "Ceil", "Trunc", "RoundToEven", "Abs"), x)
	case 3:
		return fmt.Sprintf("max(%s, %s)", x, g.constant("f64"))
	case 4:
		return fmt.Sprintf("float64(%s)", g.expression("f32", depth))
	case 5:
		return fmt.Sprintf("tiny(float64(%s))", g.expression("i32", depth))
	}
	return "(-" + x + ")"
}

// single returns an expression of float32 with the operand x.
func (g *generator) single(x string, depth int) string {
	switch g.r.IntN(5) {
	case 0:
		return fmt.Sprintf("small(%s * %s)", x, g.constant("f32"))
	case 1:
		return fmt.Sprintf("(small(%s) %s small(%s))", x, g.oneOf("+", "-", "*"), g.expression("f32", depth))
	case 2:
		return fmt.Sprintf("gpu.Floor(%s)", x)
	case 3:
		return fmt.Sprintf("max(%s, %s)", x, g.constant("f32"))
	}
	return "(-" + x + ")"
}

// condition returns an expression of bool with the operand x.
func (g *generator) condition(x string, depth int) string {
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s && %s)", x, g.expression("bool", depth))
	case 1:
		return fmt.Sprintf("(%s || %s)", x, g.expression("bool", depth))
	case 2:
		return "!" + x
	case 3:
		return fmt.Sprintf("(%s == %s)", g.expression("pair", depth), g.expression("pair", depth))
	}
	of := g.oneOf("i32", "u32", "f32")
	if g.sizes && g.one(2) {
		of = g.others[g.r.IntN(len(g.others))]
	}
	return fmt.Sprintf("(%s %s %s)", g.expression(of, depth), g.oneOf("<", "<=", ">", ">=", "==", "!="), g.expression(of, depth))
}

// count returns a shift count.
func (g *generator) count(depth int) string {
	if g.sizes && g.one(2) {
		return g.expression(g.oneOf("u8", "u64"), depth)
	}
	return g.operand("u32", depth)
}

// part returns a part of the slice in, of at least four elements.
func (g *generator) part() string {
	from := g.r.IntN(8)
	if v := g.find("int", false); v != "" && g.one(2) {
		return fmt.Sprintf("in[%s:%[1]s+%d]", v, 4+g.r.IntN(2))
	}
	return fmt.Sprintf("in[%d:%d]", from, from+4)
}

// callFor returns a call of a helper with a single result of a type, or "".
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

// call returns a call of a helper, or "" if there is no argument for a parameter.
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
