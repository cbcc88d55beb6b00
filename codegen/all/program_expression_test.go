package all_test

import (
	"fmt"
	"math"
	"strings"
)

// This file makes the expressions of random WGSL programs.

// expression makes a value of a type.
func (g *programmer) expression(t *programType, depth int) expression {
	if depth <= 0 {
		return g.leaf(t)
	}
	switch n := g.random.IntN(100); {
	case n < 25:
		return g.leaf(t)
	case n < 35:
		if e, ok := g.call(t, depth-1); ok {
			return e
		}
	case n < 42:
		return g.choice(t, depth-1)
	case n < 47 && t.isScalar():
		return g.component(t, depth-1)
	}
	if t.isScalar() || t.isVector() {
		switch n := g.random.IntN(100); {
		case n < 15:
			return g.unary(t, depth-1)
		case n < 25:
			return g.converted(t, depth-1)
		case n < 35 && t == boolType:
			return g.shortCircuit(depth - 1)
		case n < 40 && t.isVector():
			return g.swizzle(t, depth-1)
		case n < 85:
			return g.binary(t, depth-1)
		}
	}
	return g.composed(t, depth-1)
}

// leaf makes a literal, a variable, or the input.
func (g *programmer) leaf(t *programType) expression {
	if g.chance(65) {
		for range 6 {
			v := g.scope[g.random.IntN(len(g.scope))]
			if v.typ == t && v.number >= 0 {
				return expression{v.text, false, func(f *frame) []uint32 { return append([]uint32(nil), f.vars[v.number]...) }}
			}
		}
		if p, _, ok := g.memory(t, false, nil); ok {
			return expression{p.text, false, func(f *frame) []uint32 { return append([]uint32(nil), p.at(f)...) }}
		}
	}
	if t == u32Type && g.chance(50) {
		n := uint32(g.random.IntN(programInputs))
		return expression{fmt.Sprintf("input[%du]", n), false, func(f *frame) []uint32 { return []uint32{f.input[n]} }}
	}
	if !t.isScalar() {
		return g.composed(t, 0)
	}
	x := uint32(g.random.IntN(9))
	literal := func(text string, x uint32) expression {
		return expression{text, true, func(*frame) []uint32 { return []uint32{x} }}
	}
	switch t.kind {
	case 'b':
		return literal(fmt.Sprint(x&1 == 1), x&1)
	case 'f':
		return literal(fmt.Sprintf("%d.5f", x), math.Float32bits(float32(x)+0.5))
	case 'i':
		return literal(fmt.Sprintf("%di", x), x)
	}
	return literal(fmt.Sprintf("%du", x), x)
}

// running makes a value that is no const-expression.
func (g *programmer) running(t *programType, depth int) expression {
	for range 4 {
		if e := g.expression(t, depth); !e.constant {
			return e
		}
	}
	from := expression{"input[1u]", false, func(f *frame) []uint32 { return []uint32{f.input[1]} }}
	convert := func(s *programType) expression {
		if s.kind == 'f' { // small, so that it is exact
			return expression{"f32(" + from.text + " & 255u)", false, func(f *frame) []uint32 {
				return []uint32{conversion('u', 'f', from.eval(f)[0]&255)}
			}}
		}
		return expression{s.name + "(" + from.text + ")", false, func(f *frame) []uint32 {
			return []uint32{conversion('u', s.kind, from.eval(f)[0])}
		}}
	}
	if t.isScalar() {
		return convert(t)
	}
	e := convert(t.parts[0])
	return expression{t.name + "(" + e.text + ")", false, func(f *frame) []uint32 { return spread(e.eval(f)[0], t.words) }}
}

func spread(x uint32, n int) []uint32 {
	list := make([]uint32, n)
	for k := range list {
		list[k] = x
	}
	return list
}

// operand makes the right operand of an operator: where a const-expression
// could be an error, it is restricted.
func (g *programmer) operand(o *operator, t *programType, depth int) expression {
	if o.right == 0 {
		return g.expression(t, depth)
	}
	if o.right == 's' {
		shift := vectors['u'][len(t.parts)]
		if t.isScalar() {
			shift = u32Type
		}
		return g.running(shift, depth)
	}
	return g.running(t, depth)
}

func (g *programmer) binary(t *programType, depth int) expression {
	for range 10 {
		o := &operators[g.random.IntN(len(operators))]
		from := t
		if o.result != 0 {
			if t.kind != o.result {
				continue
			}
			kind := o.kinds[g.random.IntN(len(o.kinds))]
			from = vectors[kind][max(len(t.parts), 1)]
		} else if strings.IndexByte(o.kinds, t.kind) < 0 {
			continue
		}
		if from.isVector() && o.text == "&" && from.kind == 'b' {
			continue
		}
		// the left one runs, so that no const-expression can overflow
		x, y := g.running(from, depth), g.operand(o, from, depth)
		text := fmt.Sprintf("%s(%s, %s)", o.text, x.text, y.text)
		if o.infix {
			text = fmt.Sprintf("(%s %s %s)", x.text, o.text, y.text)
		}
		return expression{text, false, func(f *frame) []uint32 {
			a := x.eval(f)
			b := y.eval(f)
			out := make([]uint32, len(a))
			for n := range a {
				out[n] = o.apply(from.kind, a[n], b[n])
			}
			return out
		}}
	}
	return g.leaf(t)
}

func (g *programmer) unary(t *programType, depth int) expression {
	for range 10 {
		o := &unaries[g.random.IntN(len(unaries))]
		if strings.IndexByte(o.kinds, t.kind) < 0 {
			continue
		}
		x := g.running(t, depth)
		text := o.text + "(" + x.text + ")"
		return expression{text, false, func(f *frame) []uint32 {
			out := append([]uint32(nil), x.eval(f)...)
			for n := range out {
				out[n] = o.apply(t.kind, out[n], 0)
			}
			return out
		}}
	}
	return g.leaf(t)
}

func (g *programmer) converted(t *programType, depth int) expression {
	kind := "uifb"[g.random.IntN(4)]
	if kind == 'f' && t.kind != 'f' && t.kind != 'b' {
		kind = 'u'
	}
	x := g.running(vectors[kind][max(len(t.parts), 1)], depth)
	return expression{t.name + "(" + x.text + ")", false, func(f *frame) []uint32 {
		out := append([]uint32(nil), x.eval(f)...)
		for n := range out {
			out[n] = conversion(kind, t.kind, out[n])
		}
		return out
	}}
}

// shortCircuit makes && or ||, whose right operand may have effects.
func (g *programmer) shortCircuit(depth int) expression {
	x, y := g.running(boolType, depth), g.expression(boolType, depth)
	and := g.chance(50)
	text := [2]string{"||", "&&"}[truth(and)]
	return expression{fmt.Sprintf("(%s %s %s)", x.text, text, y.text), false, func(f *frame) []uint32 {
		if a := x.eval(f); (a[0] != 0) != and {
			return a
		}
		return y.eval(f)
	}}
}

func (g *programmer) swizzle(t *programType, depth int) expression {
	from := vectors[t.kind][2+g.random.IntN(3)]
	x := g.running(from, depth)
	var parts []int
	text := ""
	for range t.parts {
		n := g.random.IntN(len(from.parts))
		parts, text = append(parts, n), text+"xyzw"[n:n+1]
	}
	return expression{"(" + x.text + ")." + text, false, func(f *frame) []uint32 {
		a := x.eval(f)
		var out []uint32
		for _, n := range parts {
			out = append(out, a[n])
		}
		return out
	}}
}

// component takes a scalar out of a value: also by an index that only running
// shows.
func (g *programmer) component(t *programType, depth int) expression {
	from := vectors[t.kind][2+g.random.IntN(3)]
	if g.chance(50) {
		from = repeated(fmt.Sprintf("array<%s, 4>", t.name), t, 4)
	}
	x := g.composed(from, depth)
	n := len(from.parts)
	if n&(n-1) == 0 && g.chance(60) {
		index := g.running(u32Type, depth)
		return expression{fmt.Sprintf("%s[%s & %du]", x.text, index.text, n-1), false, func(f *frame) []uint32 {
			a := x.eval(f)
			k := index.eval(f)[0] & uint32(n-1)
			return a[k : k+1]
		}}
	}
	k := g.random.IntN(n)
	return expression{fmt.Sprintf("%s[%d]", x.text, k), x.constant, func(f *frame) []uint32 { return x.eval(f)[k : k+1] }}
}

// choice makes a select, which evaluates both sides.
func (g *programmer) choice(t *programType, depth int) expression {
	if !t.isScalar() && !t.isVector() {
		return g.leaf(t)
	}
	x, y, c := g.expression(t, depth), g.expression(t, depth), g.running(boolType, depth)
	return expression{fmt.Sprintf("select(%s, %s, %s)", x.text, y.text, c.text), false, func(f *frame) []uint32 {
		a := x.eval(f)
		b := y.eval(f)
		if c.eval(f)[0] != 0 {
			return b
		}
		return a
	}}
}

// composed makes a value from its parts.
func (g *programmer) composed(t *programType, depth int) expression {
	if t.isScalar() {
		return g.leaf(t)
	}
	if t.isVector() && g.chance(25) {
		x := g.expression(t.parts[0], depth)
		return expression{t.name + "(" + x.text + ")", x.constant, func(f *frame) []uint32 { return spread(x.eval(f)[0], t.words) }}
	}
	if g.chance(10) {
		return expression{t.name + "()", true, func(*frame) []uint32 { return make([]uint32, t.words) }}
	}
	var parts []expression
	var texts []string
	constant := true
	for _, p := range t.parts {
		e := g.expression(p, depth-1)
		parts, texts, constant = append(parts, e), append(texts, e.text), constant && e.constant
	}
	return expression{t.name + "(" + strings.Join(texts, ", ") + ")", constant, func(f *frame) []uint32 {
		out := make([]uint32, 0, t.words)
		for _, p := range parts {
			out = append(out, p.eval(f)...)
		}
		return out
	}}
}

// call calls a function with a result of the type. Its pointers go to different
// variables, as WGSL asks for.
func (g *programmer) call(t *programType, depth int) (expression, bool) {
	for _, fn := range g.functions {
		if fn.result != t || g.chance(30) {
			continue
		}
		var texts []string
		var arguments []func(f *frame) []uint32
		taken := map[int]bool{}
		for _, p := range fn.params {
			if !p.pointer {
				e := g.expression(p.typ, depth)
				texts, arguments = append(texts, e.text), append(arguments, func(f *frame) []uint32 { return append([]uint32(nil), e.eval(f)...) })
				continue
			}
			m, _, ok := g.memory(p.typ, true, taken)
			if !ok {
				return expression{}, false
			}
			taken[m.root] = true
			texts, arguments = append(texts, "&"+m.text), append(arguments, m.at)
		}
		return expression{fn.name + "(" + strings.Join(texts, ", ") + ")", false, func(f *frame) []uint32 {
			inner := &frame{vars: make([][]uint32, fn.count), private: f.private, input: f.input}
			for n, a := range arguments {
				inner.vars[n] = a(f)
			}
			fn.body(inner)
			return inner.result
		}}, true
	}
	return expression{}, false
}
