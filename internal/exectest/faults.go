package exectest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// This file generates programs of one invocation whose accesses may be out of bounds. Conditions
// guard them or not; the compiler knows an index, a range of it, or nothing. What they access is
// for the checked device to say; trap mode has to agree with it.

// FaultProgram is a program with the contents of its buffers.
type FaultProgram struct {
	Source  string
	Buffers []Buffer
	// Faults are its out-of-bounds accesses, and Discarded the reads whose value is not used. Those
	// of generated programs are not known.
	Faults, Discarded []Fault
}

// FaultPlace is a range of the source: line and column count from 1, Length is in bytes.
type SourceRange struct{ Line, Column, Length int }

// Fault is an out-of-bounds access of a variable or, without a name, of a value.
type Fault struct {
	SourceRange
	Name     string
	Index    int64
	Elements uint32
}

// Message is what reports begin with.
func (f *Fault) Message() string {
	if f.Name == "" {
		return fmt.Sprintf("index %d is outside of a value with %d elements", f.Index, f.Elements)
	}
	return fmt.Sprintf("index %d is outside of the %d elements in %s", f.Index, f.Elements, f.Name)
}

// faultVariable is what programs access.
type faultVariable struct {
	name string
	// dims are the array lengths by index; member comes between the first index and the second.
	dims   []uint32
	member string
	// atomic says that elements are atomics, component that the last index selects from a vector.
	atomic, component bool
	// written says that programs may store to it; module that it is at module scope.
	written, module bool
	declaration     string
}

// faultVariables hold element n of value n+1, but for memory that is zero.
var faultVariables = []faultVariable{
	{name: "rt", dims: []uint32{6}, written: true, module: true, declaration: "@group(0) @binding(1) var<storage, read_write> rt: array<u32>;"},
	{name: "st", dims: []uint32{5}, written: true, module: true, declaration: "@group(0) @binding(2) var<storage, read_write> st: array<u32, 5>;"},
	{name: "mat", dims: []uint32{2, 3}, written: true, module: true, declaration: "@group(0) @binding(3) var<storage, read_write> mat: array<array<u32, 3>, 2>;"},
	{name: "rec", dims: []uint32{3, 4}, member: ".v", written: true, module: true,
		declaration: "struct Rec { v: vec4<u32> }\n@group(0) @binding(4) var<storage, read_write> rec: array<Rec, 3>;"},
	{name: "un", dims: []uint32{3, 4}, module: true, declaration: "@group(0) @binding(5) var<uniform> un: array<vec4<u32>, 3>;"},
	{name: "ro", dims: []uint32{7}, module: true, declaration: "@group(0) @binding(6) var<storage, read> ro: array<u32>;"},
	{name: "at", dims: []uint32{4}, written: true, module: true, atomic: true, declaration: "@group(0) @binding(7) var<storage, read_write> at: array<atomic<u32>, 4>;"},
	{name: "wg", dims: []uint32{7}, written: true, module: true, declaration: "var<workgroup> wg: array<u32, 7>;"},
	{name: "wa", dims: []uint32{3}, written: true, module: true, atomic: true, declaration: "var<workgroup> wa: array<atomic<u32>, 3>;"},
	{name: "pr", dims: []uint32{4}, written: true, module: true, declaration: "var<private> pr: array<u32, 4> = array(1, 2, 3, 4);"},
	{name: "pv", dims: []uint32{2, 3}, written: true, module: true, component: true,
		declaration: "var<private> pv: array<vec3<u32>, 2> = array(vec3<u32>(1, 2, 3), vec3<u32>(4, 5, 6));"},
	{name: "ct", dims: []uint32{6}, module: true, declaration: "const ct = array<u32, 6>(1, 2, 3, 4, 5, 6);"},
	{name: "cm", dims: []uint32{3, 2}, module: true,
		declaration: "const cm = array<array<u32, 2>, 3>(array(1, 2), array(3, 4), array(5, 6));"},
	{name: "fa", dims: []uint32{5}, written: true, declaration: "var fa = array<u32, 5>(1, 2, 3, 4, 5);"},
	{name: "fm", dims: []uint32{2, 2}, written: true, declaration: "var fm = array<array<u32, 2>, 2>(array(1, 2), array(3, 4));"},
	{name: "fv", dims: []uint32{4}, written: true, component: true, declaration: "var fv = vec4<u32>(1, 2, 3, 4);"},
	{name: "la", dims: []uint32{5}, declaration: "let la = fa;"},
	{name: "lv", dims: []uint32{3}, declaration: "let lv = vec3<u32>(1, ro[1], 3);"},
}

// faultInputs is how many inputs a program has.
const faultInputs = 12

// faultGenerator writes a program.
type faultGenerator struct {
	random    *rand.Rand
	body      strings.Builder
	functions strings.Builder
	accesses  int // how many may still be made
	names     int
	counters  []string
}

// GenerateFaults makes the program of a seed.
func GenerateFaults(seed uint64) *FaultProgram {
	g := &faultGenerator{random: rand.New(rand.NewPCG(seed, 9)), accesses: 3 + int(seed%14)}
	inputs := make([]uint32, faultInputs)
	for n := range inputs {
		inputs[n] = uint32(g.random.IntN(9))
		switch g.random.IntN(12) {
		case 0:
			inputs[n] = 1<<31 + uint32(g.random.IntN(3)) - 1
		case 1:
			inputs[n] = 1<<32 - 1 - uint32(g.random.IntN(2))
		}
	}
	g.statements(0)
	var w strings.Builder
	fmt.Fprintf(&w, "@group(0) @binding(0) var<storage, read> given: array<u32, %d>;\n@group(0) @binding(8) var<storage, read_write> out: array<u32, 1>;\n", faultInputs)
	p := &FaultProgram{}
	add := func(name string, words []uint32) {
		var data []byte
		for _, x := range words {
			data = binary.LittleEndian.AppendUint32(data, x)
		}
		p.Buffers = append(p.Buffers, Buffer{Name: name, Data: data})
	}
	add("given", inputs)
	add("out", make([]uint32, 1))
	local := ""
	for n := range faultVariables {
		v := &faultVariables[n]
		if !v.module {
			local += v.declaration + "\n"
			continue
		}
		w.WriteString(v.declaration + "\n")
		if strings.Contains(v.declaration, "@group") {
			words := []uint32{1}
			for _, d := range v.dims {
				words = make([]uint32, len(words)*int(d))
			}
			for k := range words {
				words[k] = uint32(k) + 1
			}
			add(v.name, words)
		}
	}
	fmt.Fprintf(&w, "%s@compute @workgroup_size(1) fn main() {\nvar acc = 0u;\n%s%s", g.functions.String(), local, g.body.String())
	if g.random.IntN(3) > 0 { // else no value that is read is used
		w.WriteString("out[0] = acc;\n")
	}
	p.Source = w.String() + "}\n"
	return p
}

func (g *faultGenerator) chance(of int) bool { return g.random.IntN(of) == 0 }

func (g *faultGenerator) line(format string, args ...any) { fmt.Fprintf(&g.body, format+"\n", args...) }

func (g *faultGenerator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *faultGenerator) input() string { return fmt.Sprintf("given[%d]", g.random.IntN(faultInputs)) }

// index writes an index, and says whether it has a sign.
func (g *faultGenerator) index() (text string, signed bool) {
	switch input := g.input(); g.random.IntN(8) {
	case 0: // known to the compiler
		c := g.name("c")
		g.line("let %s = %du;", c, g.random.IntN(9))
		return c, false
	case 1:
		c := g.name("c")
		g.line("let %s = i32(%d);", c, g.random.IntN(9)-2)
		return c, true
	case 2:
		return fmt.Sprintf("(i32(%s) - %d)", input, g.random.IntN(3)), true
	case 3: // below 4 in any case
		return "(" + input + " & 3u)", false
	case 4:
		if len(g.counters) > 0 {
			return fmt.Sprintf("(%s + %du)", g.counters[g.random.IntN(len(g.counters))], g.random.IntN(5)), false
		}
		return input, false
	case 5: // another access
		if g.accesses > 0 {
			g.accesses--
			x := g.name("x")
			g.line("let %s = ro[%s];", x, input)
			return x, false
		}
		return input, false
	default:
		return input, false
	}
}

// below compares an index with a bound, which is one too large now and then.
func (g *faultGenerator) below(index string, signed bool, bound uint32) string {
	if g.chance(6) {
		bound++
	}
	switch {
	case signed:
		return fmt.Sprintf("((%s >= 0) && (%s < %d))", index, index, bound)
	case g.chance(2):
		return fmt.Sprintf("(!(%s >= %du))", index, bound)
	}
	return fmt.Sprintf("(%s < %du)", index, bound)
}

// condition writes one that has nothing to do with an index.
func (g *faultGenerator) condition() string {
	return fmt.Sprintf("(%s < %du)", g.input(), g.random.IntN(8))
}

// access writes the reference that is accessed, and the condition that guards it.
func (g *faultGenerator) access(v *faultVariable) (position, guard string) {
	position = v.name
	var guards []string
	for n, bound := range v.dims {
		index, signed := g.index()
		guards = append(guards, g.below(index, signed, bound))
		if n == 1 {
			position += v.member
		}
		position += "[" + index + "]"
	}
	if guard = "(" + strings.Join(guards, " && ") + ")"; g.chance(5) {
		guard = g.condition()
	}
	return position, guard
}

func (g *faultGenerator) statements(depth int) {
	for n := 1 + g.random.IntN(3); (n > 0 || depth == 0) && g.accesses > 0; n-- {
		g.accesses--
		g.statement(depth)
	}
}

// statement writes an access and what guards it, or a control statement.
func (g *faultGenerator) statement(depth int) {
	if depth < 3 && g.chance(4) {
		g.control(g.condition(), func() { g.statements(depth + 1) })
		return
	}
	if g.chance(6) {
		g.call()
		return
	}
	v := &faultVariables[g.random.IntN(len(faultVariables))]
	position, guard := g.access(v)
	read := position
	if v.atomic {
		read = "atomicLoad(&" + position + ")"
	}
	if depth == 0 && v.name == "wg" && !strings.Contains(position, "x") && g.chance(2) {
		g.line("acc += workgroupUniformLoad(&%s);", position)
		return
	}
	if v.written && g.chance(3) {
		format := "%s = 3u;"
		switch add := g.chance(3); {
		case add && v.atomic:
			format = "atomicAdd(&%s, 3u);"
		case v.atomic:
			format = "atomicStore(&%s, 3u);"
		case add:
			format = "%s += 3u;"
		}
		g.control(guard, func() { g.line(format, position) })
		return
	}
	// components have no addresses
	if v.written && !v.atomic && !v.component && v.member == "" && g.chance(4) {
		p := g.name("p")
		if g.chance(2) {
			guard = g.condition()
		}
		g.line("let %s = &%s;\nif %s { %s }", p, position, guard, [...]string{"acc += *" + p + ";", "*" + p + " = 5u;"}[g.random.IntN(2)])
		return
	}
	switch g.random.IntN(9) {
	case 0:
		g.line("if (%s && (%s > 2u)) { acc += 1u; }", guard, read)
	case 1:
		g.line("if ((!%s) || (%s > 2u)) { } else { acc += 1u; }", guard, read)
	case 2:
		switch g.random.IntN(3) {
		case 0: // it is computed with in between
			read = "(" + read + " * 3u + 1u)"
		case 1: // and selected twice
			read = fmt.Sprintf("select(0u, %s, %s)", read, g.condition())
		}
		g.line("acc += select(0u, %s, %s);", read, guard)
	case 3: // the value is not used
		g.control(guard, func() { g.line("let %s = %s;", g.name("u"), read) })
	case 4: // without a guard
		g.line("acc += %s;", read)
	case 5:
		n := g.name("n")
		g.line("for (var %[1]s = 0u; %[1]s < 2u && (%[2]s && (%[3]s > 2u)); %[1]s++) { acc += 1u; }", n, guard, read)
	default:
		g.control(guard, func() { g.line("acc += %s;", read) })
	}
}

// control writes a control statement whose body runs if the condition holds.
func (g *faultGenerator) control(condition string, body func()) {
	form := g.random.IntN(8)
	if form < 4 {
		begin, end := "if "+condition+" {", "}"
		switch form {
		case 2:
			begin = "if (!" + condition + ") {\n} else {"
		case 3: // the selector is the condition
			begin, end = fmt.Sprintf("switch (select(4u, 1u, %s)) {\ncase 1u, 9u: {", condition), "}\ndefault: {\n}\n}"
			if g.chance(2) {
				begin, end = fmt.Sprintf("switch (select(4u, 1u, %s)) {\ncase 4u: {\n}\ndefault: {", condition), "}\n}"
			}
		}
		g.line("%s", begin)
		body()
		g.line("%s", end)
		return
	}
	n := g.name("n")
	g.line("var %s_end = min(%s, 3u);", n, g.input())
	end := "}"
	switch form {
	case 4:
		g.line("for (var %[1]s = 0u; %[1]s < %[1]s_end && %[2]s; %[1]s++) {", n, condition)
	case 5, 6:
		g.line("for (var %[1]s = 0u; %[1]s < %[1]s_end; %[1]s++) {\nif (!%[2]s) { %[3]s; }", n, condition, [...]string{"break", "continue"}[form-5])
	default: // the body runs once at least
		g.line("var %s = 0u;\nloop {", n)
		end = fmt.Sprintf("continuing {\n%[1]s++;\nbreak if (%[1]s >= %[1]s_end || !%[2]s);\n}\n}", n, condition)
	}
	g.counters = append(g.counters, n)
	body()
	g.counters = g.counters[:len(g.counters)-1]
	g.line("%s", end)
}

// call writes a function, which guards its access by an early return, and a call of it.
func (g *faultGenerator) call() {
	pointers := map[string]string{"rt": "ptr<storage, %s, read_write>", "st": "ptr<storage, %s, read_write>", "pr": "ptr<private, %s>",
		"wg": "ptr<workgroup, %s>", "fa": "ptr<function, %s>"}
	arrays := map[string]string{"rt": "array<u32>", "st": "array<u32, 5>", "pr": "array<u32, 4>", "wg": "array<u32, 7>", "fa": "array<u32, 5>"}
	name := []string{"rt", "st", "pr", "wg", "ct", "fa"}[g.random.IntN(6)]
	v := &faultVariables[slices.IndexFunc(faultVariables, func(v faultVariable) bool { return v.name == name })]
	f, store := g.name("f"), v.written && g.chance(3)
	index, signed := g.index()
	argument, position, parameter, pointer := g.input(), name+"[k]", "", ""
	switch {
	case pointers[name] != "" && g.chance(2): // to an element
		position, parameter, pointer = "*p", fmt.Sprintf("p: "+pointers[name]+", ", "u32"), fmt.Sprintf("&%s[%s], ", name, index)
	case name == "fa" || pointers[name] != "" && g.chance(2):
		position, parameter, pointer = "(*p)[k]", fmt.Sprintf("p: "+pointers[name]+", ", arrays[name]), "&"+name+", "
	}
	if pointer == "" && !signed {
		argument = index
	}
	result := "return " + position + ";"
	if store {
		result = position + " = k;\nreturn k;"
	}
	fmt.Fprintf(&g.functions, "fn %s(%sk: u32) -> u32 {\nif (!%s) { return 7u; }\n%s\n}\n", f, parameter, g.below("k", false, v.dims[0]), result)
	g.line("acc += %s(%s%s);", f, pointer, argument)
}
