package all_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// This file makes random WGSL programs together with what they mean: each piece
// of text comes with a closure that does in Go what WGSL says of it. So a
// program has an expected result that owes nothing to the compiler, and
// mistakes of lowering show as well as those of passes and emitters.

// frame is what a call works with.
type frame struct {
	vars                       [][]uint32 // by number: the memory of variables, lets and pointers
	private                    []uint32
	input                      []uint32
	result                     []uint32
	lane                       uint32
	continue_, break_, return_ bool
}

// expression is a value: its text, and how to compute it.
type expression struct {
	text     string
	constant bool // a const-expression, which WGSL evaluates strictly
	eval     func(f *frame) []uint32
}

// memoryPlace is memory: an expression that can be assigned to.
type memoryPlace struct {
	text string
	root int
	at   func(f *frame) []uint32
}

type statement func(f *frame)

// variable is something that has a name.
type variable struct {
	text    string // that denotes its value
	typ     *programType
	number  int // in the frame; -1 for the private variable
	mutable bool
	pointer bool
}

type function struct {
	name   string
	params []variable
	result *programType
	count  int // of numbers in its frame
	body   statement
}

type programmer struct {
	random    *rand.Rand
	out       *strings.Builder
	types     []*programType
	functions []*function
	scope     []variable
	count     int // of the function's variables
	names     int
	depth     int
	loops     int
	budget    int
	// indexing is inside of an index: it has none itself.
	indexing               bool
	breakable, continuable bool
	result                 *programType
}

// The shape of a program's buffers.
const (
	programInputs  = 64
	programOutputs = 8
)

// program makes a program: its text, and what an invocation does.
func program(seed uint64) (string, func(input []uint32, lane uint32) (output []uint32)) {
	g := &programmer{random: rand.New(rand.NewPCG(seed, 77)), out: new(strings.Builder), budget: 60}
	g.types = append(g.types, scalars...)
	for _, s := range scalars {
		g.types = append(g.types, vectors[s.kind][2+g.random.IntN(3)])
	}
	for n := range 2 {
		element := g.types[g.random.IntN(len(g.types))]
		g.types = append(g.types, repeated(fmt.Sprintf("array<%s, 4>", element.name), element, 4))
		s := &programType{name: fmt.Sprintf("S%d", n)}
		fmt.Fprintf(g.out, "struct %s {", s.name)
		for m := range 2 + g.random.IntN(3) {
			t := g.types[g.random.IntN(len(g.types))]
			s.parts, s.fields, s.words = append(s.parts, t), append(s.fields, fmt.Sprintf("m%d", m)), s.words+t.words
			fmt.Fprintf(g.out, " m%d: %s,", m, t.name)
		}
		g.out.WriteString(" }\n")
		g.types = append(g.types, s)
	}
	state := g.anyType()
	fmt.Fprintf(g.out, "@group(0) @binding(0) var<storage> input: array<u32>;\n@group(0) @binding(1) var<storage, read_write> output: array<u32>;\nvar<private> state: %s;\n", state.name)
	private := variable{"state", state, -1, true, false}
	for n := range g.random.IntN(4) {
		g.function(n, private)
	}
	fmt.Fprintf(g.out, "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n  let lane = id.x;\n")
	g.count = 1
	g.scope = []variable{private, {"lane", u32Type, 0, false, false}}
	body := g.block(5, 9)
	var shown []expression
	for range programOutputs {
		shown = append(shown, g.word())
	}
	for n, e := range shown {
		fmt.Fprintf(g.out, "  output[lane * %du + %du] = %s;\n", programOutputs, n, e.text)
	}
	g.out.WriteString("}\n")
	count := g.count
	return g.out.String(), func(input []uint32, lane uint32) []uint32 {
		f := &frame{vars: make([][]uint32, count), private: make([]uint32, state.words), input: input, lane: lane}
		f.vars[0] = []uint32{lane}
		body(f)
		var output []uint32
		for _, e := range shown {
			output = append(output, e.eval(f)[0])
		}
		return output
	}
}

func (g *programmer) chance(percent int) bool { return g.random.IntN(100) < percent }
func (g *programmer) anyType() *programType   { return g.types[g.random.IntN(len(g.types))] }
func (g *programmer) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}
func (g *programmer) line(format string, a ...any) {
	fmt.Fprintf(g.out, strings.Repeat("  ", g.depth+1)+format+"\n", a...)
}

// declare adds a variable to the scope.
func (g *programmer) declare(v variable) variable {
	v.number = g.count
	g.count++
	g.scope = append(g.scope, v)
	return v
}

func (g *programmer) function(n int, private variable) {
	f := &function{name: fmt.Sprintf("f%d", n), result: g.anyType()}
	g.count, g.scope = 0, []variable{private}
	var texts []string
	for range 1 + g.random.IntN(3) {
		t, name := g.anyType(), g.name("p")
		if g.chance(40) {
			f.params = append(f.params, g.declare(variable{"(*" + name + ")", t, 0, true, true}))
			texts = append(texts, fmt.Sprintf("%s: ptr<function, %s>", name, t.name))
		} else {
			f.params = append(f.params, g.declare(variable{name, t, 0, false, false}))
			texts = append(texts, name+": "+t.name)
		}
	}
	fmt.Fprintf(g.out, "fn %s(%s) -> %s {\n", f.name, strings.Join(texts, ", "), f.result.name)
	g.result = f.result
	body := g.block(2, 5)
	last := g.expression(f.result, 3)
	g.line("return %s;\n}", last.text)
	g.result = nil
	f.count = g.count
	f.body = func(fr *frame) {
		body(fr)
		if !fr.return_ {
			fr.result = last.eval(fr)
		}
	}
	g.functions = append(g.functions, f)
}

// memory returns a part of a mutable variable, of a type if one is given.
func (g *programmer) memory(want *programType, pointable bool, except map[int]bool) (memoryPlace, *programType, bool) {
	for range 12 {
		v := g.scope[g.random.IntN(len(g.scope))]
		if !v.mutable || pointable && v.number < 0 || except[v.number] {
			continue
		}
		p := memoryPlace{v.text, v.number, func(f *frame) []uint32 {
			if v.number < 0 {
				return f.private
			}
			return f.vars[v.number]
		}}
		t := v.typ
		for !t.isScalar() && t != want && (want != nil || g.chance(60)) {
			if t.isVector() && pointable {
				break // WGSL has no pointers to components
			}
			p, t = g.part(p, t)
		}
		if want == nil || t == want {
			return p, t, true
		}
	}
	return memoryPlace{}, nil, false
}

// part goes from a place to a part of it.
func (g *programmer) part(p memoryPlace, t *programType) (memoryPlace, *programType) {
	n := g.random.IntN(len(t.parts))
	part, at, words := t.parts[n], p.at, t.parts[n].words
	if !t.isStruct() && len(t.parts)&(len(t.parts)-1) == 0 && !g.indexing && g.chance(50) {
		g.indexing = true
		index := g.expression(u32Type, 2)
		g.indexing = false
		if !index.constant {
			mask := uint32(len(t.parts) - 1)
			return memoryPlace{fmt.Sprintf("%s[%s & %du]", p.text, index.text, mask), p.root, func(f *frame) []uint32 {
				memory := at(f)
				k := int(index.eval(f)[0]&mask) * words
				return memory[k : k+words]
			}}, part
		}
	}
	offset := t.offset(n)
	text := fmt.Sprintf("%s[%d]", p.text, n)
	if t.isStruct() {
		text = p.text + "." + t.fields[n]
	} else if t.isVector() {
		text = p.text + "." + "xyzw"[n:n+1]
	}
	return memoryPlace{text, p.root, func(f *frame) []uint32 { return at(f)[offset : offset+words] }}, part
}

// word returns a u32 expression that shows some variable.
func (g *programmer) word() expression {
	v := g.scope[g.random.IntN(len(g.scope))]
	p, t := memoryPlace{v.text, v.number, func(f *frame) []uint32 {
		if v.number < 0 {
			return f.private
		}
		return f.vars[v.number]
	}}, v.typ
	for !t.isScalar() {
		p, t = g.part(p, t)
	}
	text := "u32(" + p.text + ")"
	if t.kind == 'f' {
		text = "bitcast<u32>(" + p.text + ")"
	}
	return expression{text, false, func(f *frame) []uint32 { return p.at(f)[:1] }}
}

// block makes statements in a scope of their own, without the braces.
func (g *programmer) block(least, most int) statement {
	outer := len(g.scope)
	var list []statement
	for range least + g.random.IntN(most-least+1) {
		list = append(list, g.statement())
	}
	if g.depth > 0 {
		g.scope = g.scope[:outer]
	}
	return func(f *frame) {
		for _, s := range list {
			s(f)
			if f.break_ || f.continue_ || f.return_ {
				return
			}
		}
	}
}

// nested makes a block in braces.
func (g *programmer) nested() statement {
	g.depth++
	s := g.block(1, 4)
	g.depth--
	return s
}

func (g *programmer) statement() statement {
	g.budget--
	switch n := g.random.IntN(100); {
	case n < 22 || len(g.scope) < 3:
		return g.declaration()
	case n < 55:
		return g.assignment()
	case n < 60:
		if s := g.leaving(); s != nil {
			return s
		}
	case g.depth > 3 || g.budget < 0:
	case n < 75:
		return g.conditional()
	case n < 85:
		return g.selection()
	case g.loops < 2:
		return g.loop()
	}
	return g.assignment()
}

func (g *programmer) declaration() statement {
	t := g.anyType()
	e := g.expression(t, 3)
	if g.chance(30) {
		v := g.declare(variable{g.name("c"), t, 0, false, false})
		g.line("let %s: %s = %s;", v.text, t.name, e.text)
		return func(f *frame) { f.vars[v.number] = e.eval(f) }
	}
	v := g.declare(variable{g.name("v"), t, 0, true, false})
	if g.chance(20) {
		g.line("var %s: %s;", v.text, t.name)
		return func(f *frame) { f.vars[v.number] = make([]uint32, t.words) }
	}
	g.line("var %s = %s;", v.text, e.text)
	return func(f *frame) { f.vars[v.number] = append([]uint32(nil), e.eval(f)...) }
}

func (g *programmer) assignment() statement {
	p, t, ok := g.memory(nil, false, nil)
	if !ok {
		return g.declaration()
	}
	if g.chance(35) && (t.isScalar() || t.isVector()) {
		for range 4 {
			o := &operators[g.random.IntN(len(operators))]
			if !o.infix || o.result != 0 || strings.IndexByte(o.kinds, t.kind) < 0 {
				continue
			}
			right := g.operand(o, t, 2)
			g.line("%s %s= %s;", p.text, o.text, right.text)
			return func(f *frame) {
				to := p.at(f)
				x := append([]uint32(nil), to...)
				y := right.eval(f)
				for n := range to {
					to[n] = o.apply(t.kind, x[n], y[n])
				}
			}
		}
	}
	e := g.expression(t, 4)
	g.line("%s = %s;", p.text, e.text)
	return func(f *frame) {
		to := p.at(f)
		copy(to, e.eval(f))
	}
}

// leaving makes a conditional break, continue or return, if one may stand here.
func (g *programmer) leaving() statement {
	c := g.condition()
	switch n := g.random.IntN(3); {
	case n == 0 && g.breakable:
		g.line("if %s { break; }", c.text)
		return func(f *frame) { f.break_ = c.eval(f)[0] != 0 }
	case n == 1 && g.continuable:
		g.line("if %s { continue; }", c.text)
		return func(f *frame) { f.continue_ = c.eval(f)[0] != 0 }
	case n == 2 && g.result != nil:
		e := g.expression(g.result, 2)
		g.line("if %s { return %s; }", c.text, e.text)
		return func(f *frame) {
			if c.eval(f)[0] != 0 {
				f.result, f.return_ = e.eval(f), true
			}
		}
	}
	return nil
}

func (g *programmer) condition() expression { return g.expression(boolType, 3) }

func (g *programmer) conditional() statement {
	c := g.condition()
	g.line("if %s {", c.text)
	then := g.nested()
	other := func(*frame) {}
	switch g.random.IntN(3) {
	case 0:
		g.line("} else {")
		other = g.nested()
	case 1:
		c2 := g.condition()
		g.line("} else if %s {", c2.text)
		then2 := g.nested()
		other = func(f *frame) {
			if c2.eval(f)[0] != 0 {
				then2(f)
			}
		}
	}
	g.line("}")
	return func(f *frame) {
		if c.eval(f)[0] != 0 {
			then(f)
		} else {
			other(f)
		}
	}
}

func (g *programmer) selection() statement {
	selector := g.expression(u32Type, 3)
	g.line("switch %s & 7u {", selector.text)
	if selector.constant {
		g.line("  // always the same")
	}
	cases := 1 + g.random.IntN(4)
	fallback := g.random.IntN(cases)
	table := map[uint32]int{}
	bodies := make([]statement, cases)
	breakable := g.breakable
	g.breakable = true
	value := uint32(0)
	for n := range cases {
		var values []string
		for range 1 + g.random.IntN(2) {
			table[value] = n
			values = append(values, fmt.Sprintf("%du", value))
			value++
		}
		head := "case " + strings.Join(values, ", ")
		if n == fallback {
			head = [2]string{head + ", default", "default"}[g.random.IntN(2)]
		}
		g.line("%s {", head)
		bodies[n] = g.nested()
		g.line("}")
	}
	g.line("}")
	g.breakable = breakable
	return func(f *frame) {
		n, ok := table[selector.eval(f)[0]&7]
		if !ok {
			n = fallback
		}
		bodies[n](f)
		f.break_ = false
	}
}

// loop makes one of the three loops. A counter, which nothing else assigns,
// ends it.
func (g *programmer) loop() statement {
	outer, breakable, continuable := len(g.scope), g.breakable, g.continuable
	g.breakable, g.continuable = true, true
	g.loops++
	limit := uint32(1 + g.random.IntN(4))
	counter := g.name("k")
	number := g.count
	show := func() { g.declare(variable{counter, u32Type, 0, false, false}) }
	isLoop := false
	var body, closing statement
	until := expression{"false", true, func(*frame) []uint32 { return []uint32{0} }}
	condition := expression{"true", true, func(*frame) []uint32 { return []uint32{1} }}
	closing = func(*frame) {}
	switch g.random.IntN(3) {
	case 0:
		show()
		g.line("for (var %s = 0u; %s < %du; %s++) {", counter, counter, limit, counter)
		body = g.nested()
	case 1:
		show()
		g.line("var %s = 0u;", counter)
		condition = g.condition()
		g.line("while %s < %du && %s {", counter, limit, condition.text)
		// a continue would miss the increment at the end
		g.line("  %s += 1u;", counter)
		body = g.nested()
		inner := body
		body = func(f *frame) { f.vars[number][0]++; inner(f); f.vars[number][0]-- }
	case 2:
		isLoop = true
		show()
		g.line("var %s = 0u;", counter)
		g.line("loop {")
		body = g.nested()
		g.breakable, g.continuable = false, false
		g.line("  continuing {")
		g.depth += 2
		result := g.result
		g.result = nil // no return in a continuing block
		var list []statement
		inside := len(g.scope)
		for range g.random.IntN(3) {
			list = append(list, g.assignment())
		}
		closing = func(f *frame) {
			for _, s := range list {
				s(f)
			}
		}
		g.line("%s += 1u;", counter)
		until = g.condition()
		g.scope = g.scope[:inside]
		g.result = result
		g.line("break if %s || %s >= %du;", until.text, counter, limit)
		g.depth -= 2
		g.line("  }")
		inner := closing
		closing = func(f *frame) { inner(f); f.vars[number][0]++ }
	}
	g.line("}")
	counts := closing
	g.loops--
	g.breakable, g.continuable = breakable, continuable
	g.scope = g.scope[:outer]
	return func(f *frame) {
		f.vars[number] = []uint32{0}
		for {
			if !isLoop && (f.vars[number][0] >= limit || condition.eval(f)[0] == 0) {
				return
			}
			body(f)
			f.continue_ = false
			if f.break_ || f.return_ {
				f.break_ = false
				return
			}
			if !isLoop {
				f.vars[number][0]++
				continue
			}
			counts(f)
			if until.eval(f)[0] != 0 || f.vars[number][0] >= limit {
				return
			}
		}
	}
}
