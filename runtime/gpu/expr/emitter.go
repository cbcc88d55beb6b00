package expr

import (
	"fmt"
	"slices"
	"strings"
)

// This file writes the WGSL of kernels, and what is the same for all of them: their sizes, which
// are arguments, and the texts of values.

// step is a launch of a plan.
type step struct {
	name     string
	text     string
	words    []uint32 // the sizes
	scalars  []scalarWord
	inputs   []int // slots
	output   int
	grid     [2]uint32
	joined   []string
	why      string // the result is stored
	frees    []int  // slots that no later step reads
	loaded   uint64 // bytes
	stored   uint64
	launcher // what it is launched with, once it was
}

// scalarWord says which word of the sizes is a number of the graph.
type scalarWord struct {
	word, node int
	element    Type
}

// merged is one or several dimensions of a kernel that all loads run along in the same way. size is
// in vectors along the dimension that vectors lie on.
type merged struct {
	size int
	last int // the dimension with the stride
}

// emitter writes a kernel.
type emitter struct {
	p      *planner
	b      *builder
	result int
	out    index // of the result's elements
	output slot
	// groups says that a workgroup computes a row, and not an invocation. width is 4 if values are
	// vectors: along columns with groups, along rows otherwise.
	groups        bool
	width         int
	rows, columns []merged
	batches       []merged // of a product
	parameters    []string // declarations
	step          *step
	bindings      []string
	bound         []bindingKey
	functions     []string
	groupTexts    []string // functions of workgroups
	body          strings.Builder
	indent        string
	emitted       []bool
	holds, filled []bool // values that a workgroup's invocations hold, and those that they have
	indices       map[string]string
}

type bindingKey struct {
	slot int
	wide bool
	f16  bool
}

// line writes a line of the body.
func (e *emitter) line(format string, values ...any) {
	e.body.WriteString(e.indent)
	fmt.Fprintf(&e.body, format, values...)
	e.body.WriteByte('\n')
}

// open and end write the lines around a block.
func (e *emitter) open(format string, values ...any) {
	e.line(format+" {", values...)
	e.indent += "  "
}

func (e *emitter) end() {
	e.indent = e.indent[2:]
	e.line("}")
}

// parameter adds a number to the kernel's sizes.
func (e *emitter) parameter(name, kind string, words ...uint32) string {
	e.parameters = append(e.parameters, fmt.Sprintf("  %s: %s,\n", name, kind))
	e.step.words = append(e.step.words, words...)
	return "p." + name
}

// size adds a size, or returns its parameter.
func (e *emitter) size(name string, n int) string {
	if slices.Contains(e.parameters, "  "+name+": u32,\n") {
		return "p." + name
	}
	return e.parameter(name, "u32", uint32(n))
}

// scalar adds a number of the graph.
func (e *emitter) scalar(n int) string {
	t := e.p.nodes[n]
	e.step.scalars = append(e.step.scalars, scalarWord{len(e.step.words), n, t.element})
	return e.parameter(fmt.Sprint("scalar", len(e.step.scalars)-1), types[t.element].value, scalarBits(t))
}

// scalarBits returns the bits of a number as a word of the sizes.
func scalarBits(t *Tensor) uint32 {
	if t.element == Int32 {
		return uint32(int32(t.value))
	}
	return floatWord(t.value)
}

// typeName returns the type of values.
func typeName(t Type, width int) string {
	if width == 4 {
		return "vec4<" + types[t].value + ">"
	}
	return types[t].value
}

// widthOf returns the width of a value.
func (e *emitter) widthOf(v *value) int {
	if e.groups && !v.varies {
		return 1
	}
	return e.width
}

// bind returns the name of the array of a slot.
func (e *emitter) bind(s int, wide, f16 bool) string {
	key := bindingKey{s, wide, f16}
	k := slices.Index(e.bound, key)
	if k < 0 {
		k = len(e.bound)
		e.bound = append(e.bound, key)
		e.step.inputs = append(e.step.inputs, s)
		e.bindings = append(e.bindings, fmt.Sprintf("var<storage, read> x%d: array<%s>;\n", k, storedType(e.p.slots[s].element, wide, f16)))
	}
	return fmt.Sprint("x", k)
}

// storedType returns the type of an array's elements.
func storedType(t Type, wide, f16 bool) string {
	switch {
	case f16 && t == Float16:
		return "f16"
	case wide && t.packed():
		return "vec2<u32>"
	case wide:
		return "vec4<" + types[t].stored + ">"
	}
	return types[t].stored
}

// indexText returns the index of a load or a store, in elements or vectors.
func (e *emitter) indexText(x index, wide bool) string {
	key := fmt.Sprint(x.offset, trimmed(x.coefficients), wide)
	text, ok := e.indices[key]
	if !ok {
		text = e.newIndex(x, wide)
		e.indices[key] = text
	}
	return text
}

func (e *emitter) newIndex(x index, wide bool) string {
	unit := 1
	if wide {
		unit = 4
	}
	var terms []string
	term := func(list []merged, name string, vector bool) {
		flat, stride := len(list) > 1, 1
		for k := len(list) - 1; k >= 0; k-- {
			s := x.at(list[k].last)
			if !(vector && k == len(list)-1) {
				s /= unit
			}
			flat = flat && s == stride
			stride *= list[k].size
		}
		if flat {
			terms = append(terms, name)
			return
		}
		for k := range list {
			s := x.at(list[k].last)
			if !(vector && k == len(list)-1) {
				s /= unit
			}
			variable := e.variable(list, name, k)
			switch s {
			case 0:
				continue
			case 1:
				terms = append(terms, variable)
			default:
				terms = append(terms, fmt.Sprintf("%s * %s", variable, e.parameter(fmt.Sprint("stride", len(e.parameters)), "u32", uint32(s))))
			}
		}
	}
	term(e.batches, "batch", false)
	term(e.rows, "row", wide && !e.groups)
	term(e.columns, "column", wide && e.groups)
	if x.offset != 0 {
		terms = append(terms, e.parameter(fmt.Sprint("offset", len(e.parameters)), "u32", uint32(x.offset/unit)))
	}
	if len(terms) == 0 {
		return "0u"
	}
	return strings.Join(terms, " + ")
}

// variable returns the name of the index of a dimension.
func (e *emitter) variable(list []merged, name string, k int) string {
	if len(list) == 1 {
		return name
	}
	return fmt.Sprint(name, k)
}

// decode writes the indices of dimensions, from the index of all.
func (e *emitter) decode(list []merged, name string) {
	rest := name
	for k := len(list) - 1; k > 0; k-- {
		size := e.size(fmt.Sprint(name, "_size", k), list[k].size)
		e.line("let %s%d = %s %% %s;", name, k, rest, size)
		next := fmt.Sprint(name, "_rest", k)
		if k == 1 {
			next = fmt.Sprint(name, 0)
		}
		e.line("let %s = %s / %s;", next, rest, size)
		rest = next
	}
}

// loadText returns the value of a load.
func (e *emitter) loadText(v *value, f16 bool) string {
	t := e.p.slots[v.slot].element
	width := e.widthOf(v)
	wide := width == 4 && v.at.at(e.vectorDimension()) == 1
	at := e.indexText(v.at, wide)
	name := e.bind(v.slot, wide, f16)
	switch {
	case wide && t.packed():
		return fmt.Sprintf("%s(%s[%s])", e.function("load4_"+t.String()), name, at)
	case wide && t == Bool:
		return fmt.Sprintf("%s[%s] != vec4<u32>(0u)", name, at)
	case wide:
		return fmt.Sprintf("%s[%s]", name, at)
	}
	text := fmt.Sprintf("%s[%s]", name, at)
	switch {
	case f16 && t == Float16:
		text = fmt.Sprintf("f32(%s)", text)
	case t.packed():
		text = fmt.Sprintf("%s(%s[(%s) / 2u], %s)", e.function("load_"+t.String()), name, at, at)
	case t == Bool:
		text += " != 0u"
	}
	if width == 4 {
		text = fmt.Sprintf("%s(%s)", typeName(t, 4), text)
	}
	return text
}

// vectorDimension returns the dimension that vectors lie along, or -1.
func (e *emitter) vectorDimension() int {
	list := e.rows
	if e.groups {
		list = e.columns
	}
	if len(list) == 0 {
		return -1
	}
	return list[len(list)-1].last
}

// function has the kernel contain a function, and returns its name.
func (e *emitter) function(name string) string {
	if !slices.Contains(e.functions, name) {
		e.functions = append(e.functions, name)
	}
	return name
}

// argument returns the text of an operand for a value of some width.
func (e *emitter) argument(k, width int) string {
	v := &e.b.values[k]
	text := fmt.Sprint("v", k)
	if own := e.widthOf(v); own != width {
		text = fmt.Sprintf("%s(%s)", typeName(v.element, width), text)
	}
	return text
}

// valueText returns the WGSL of a value, except for reductions and products.
func (e *emitter) valueText(v *value, f16 bool) string {
	width := e.widthOf(v)
	switch v.op {
	case opData:
		return e.loadText(v, f16)
	case opScalar:
		text := e.scalar(v.node)
		if width == 4 {
			text = fmt.Sprintf("%s(%s)", typeName(v.element, 4), text)
		}
		return text
	case opConvert:
		from := e.b.values[v.args[0]].element
		if types[from].value == types[v.element].value {
			return e.argument(v.args[0], width)
		}
		return fmt.Sprintf("%s(%s)", typeName(v.element, width), e.argument(v.args[0], width))
	}
	text := v.op.row().text
	for _, h := range helpers {
		if strings.Contains(text, h.name+"(") {
			name := h.name
			if width == 4 {
				name += "4"
			}
			text = strings.Replace(text, h.name+"(", e.function(name)+"(", 1)
		}
	}
	text = strings.ReplaceAll(text, "$F", typeName(v.element, width))
	for k, a := range v.args {
		text = strings.ReplaceAll(text, fmt.Sprint("$", k), e.argument(a, width))
	}
	return text
}

// values writes the live values that the given ones depend on and that were not written, of those
// that vary with columns or of the others.
func (e *emitter) values(targets []int, varying, f16 bool) {
	need := map[int]bool{}
	var visit func(k int)
	visit = func(k int) {
		v := &e.b.values[k]
		if need[k] || e.emitted[k] {
			return
		}
		need[k] = true
		if v.op.row().class == reduction || v.op == opMatMul || e.filled[k] {
			return
		}
		for _, a := range v.args {
			visit(a)
		}
	}
	for _, k := range targets {
		visit(k)
	}
	for k := range e.b.values {
		v := &e.b.values[k]
		if !need[k] || v.varies != varying || v.op.row().class == reduction || v.op == opMatMul {
			continue
		}
		e.emitted[k] = true
		if e.filled[k] {
			e.line("let v%d = held%d[k];", k, k)
			continue
		}
		e.line("let v%d = %s;", k, e.valueText(v, f16))
		if e.holds[k] {
			e.line("held%d[k] = v%d;", k, k)
		}
	}
}

// assemble returns the text of the kernel: what it needs, and its body.
func (e *emitter) assemble(enable string) string {
	var b strings.Builder
	b.WriteString(enable)
	b.WriteString("struct Sizes {\n" + strings.Join(e.parameters, "") + "}\n\n")
	b.WriteString("@group(0) @binding(0) var<uniform> p: Sizes;\n")
	for k, text := range e.bindings {
		fmt.Fprintf(&b, "@group(0) @binding(%d) %s", k+1, text)
	}
	b.WriteString("\n")
	for _, name := range e.functions {
		b.WriteString(functionText(name) + "\n")
	}
	for _, text := range e.groupTexts {
		b.WriteString(text + "\n")
	}
	b.WriteString(e.body.String())
	return b.String()
}

// functionText returns the text of a function by its name.
func functionText(name string) string {
	for _, h := range helpers {
		switch name {
		case h.name:
			return strings.ReplaceAll(h.text, "F", "f32")
		case h.name + "4":
			return strings.Replace(strings.ReplaceAll(h.text, "F", "vec4<f32>"), h.name, name, 1)
		}
	}
	for _, s := range storage {
		if s.name == name {
			return s.text
		}
	}
	return ""
}

// storage are the functions that load and store floats of 16 bits, two in a word.
var storage = [...]struct{ name, text string }{
	{"load_float16", `fn load_float16(word: u32, at: u32) -> f32 {
  return unpack2x16float(word >> (16u * (at & 1u))).x;
}
`},
	{"load4_float16", `fn load4_float16(words: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
}
`},
	{"store_float16", `fn store_float16(x: vec2<f32>) -> u32 {
  return pack2x16float(x);
}
`},
	{"load_bfloat16", `fn load_bfloat16(word: u32, at: u32) -> f32 {
  return bitcast<f32>((word >> (16u * (at & 1u))) << 16u);
}
`},
	{"load4_bfloat16", `fn load4_bfloat16(words: vec2<u32>) -> vec4<f32> {
  let low = bitcast<vec2<f32>>(words << vec2<u32>(16u));
  let high = bitcast<vec2<f32>>(words & vec2<u32>(0xffff0000u));
  return vec4<f32>(low.x, high.x, low.y, high.y);
}
`},
	{"store_bfloat16", `fn store_bfloat16(x: vec2<f32>) -> u32 {
  let bits = bitcast<vec2<u32>>(x);
  let rounded = (bits + vec2<u32>(0x7fffu) + ((bits >> vec2<u32>(16u)) & vec2<u32>(1u))) >> vec2<u32>(16u);
  let isNaN = (bits & vec2<u32>(0x7fffffffu)) > vec2<u32>(0x7f800000u);
  let words = select(rounded, vec2<u32>(0x7fc0u), isNaN);
  return words.x | (words.y << 16u);
}
`},
}
