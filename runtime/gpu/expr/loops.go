package expr

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// This file writes kernels without products. An invocation computes an element, or one of each of
// four consecutive rows, or with reductions a row. Where rows are long, a workgroup has one:
//
//	for each reduction         an invocation's part of the row, every 256th element
//	    the sum of all parts   a tree in workgroup memory
//	for the result             the same parts again
//
// So the order of additions depends on shapes alone.

// Sizes of workgroups and of what their invocations hold.
const (
	invocations    = 256
	leastGroup     = 64
	mostHeld       = 32    // numbers that an invocation holds of a value
	mostWorkgroups = 65535 // in a dimension of a grid
)

// settle computes which values are live, vary along columns, and wait for reductions.
func (b *builder) settle(result int) {
	b.values[result].live = true
	for k := result; k >= 0; k-- {
		for _, a := range b.values[k].args {
			b.values[a].live = b.values[a].live || b.values[k].live
		}
	}
	for k := range b.values {
		v := &b.values[k]
		for d, column := range b.columns {
			v.varies = v.varies || v.op == opData && column && v.at.at(d) != 0
		}
		for _, a := range v.args {
			v.varies = v.varies || b.values[a].varies
			v.depth = max(v.depth, b.values[a].depth)
		}
		if v.op.row().class == reduction {
			v.varies = false
			v.depth++
		}
	}
}

// strides calls visit for the indices of all live loads, and of the result if it has columns.
func (e *emitter) strides(visit func(x index, s slot, load *value)) {
	for k := range e.b.values {
		if v := &e.b.values[k]; v.live && v.op == opData {
			visit(v.at, e.p.slots[v.slot], v)
		}
	}
	if e.b.chunks.chunks == 0 {
		visit(e.out, e.output, nil)
	}
}

// merge returns the dimensions of rows or columns.
func (e *emitter) merge(columns bool) []merged {
	return e.mergeThose(func(d int) bool { return e.b.columns[d] == columns })
}

// mergeThose returns some of the kernel's dimensions. Neighbours are one where all loads allow it.
func (e *emitter) mergeThose(include func(d int) bool) (list []merged) {
	for d, size := range e.b.sizes {
		if !include(d) {
			continue
		}
		n := len(list) - 1
		one := n >= 0
		e.strides(func(x index, _ slot, _ *value) {
			one = one && x.at(list[n].last) == x.at(d)*size
		})
		if one {
			list[n] = merged{list[n].size * size, d}
		} else {
			list = append(list, merged{size, d})
		}
	}
	return list
}

// vectorizes reports whether values can be vectors of four elements.
func (e *emitter) vectorizes() bool {
	list := e.rows
	if e.groups {
		list = e.columns
	}
	if len(list) == 0 || list[len(list)-1].size%4 != 0 {
		return false
	}
	along := list[len(list)-1].last
	fits, arrays := true, map[bindingKey]bool{}
	e.strides(func(x index, s slot, load *value) {
		switch {
		case load == nil && e.groups && e.b.rows, load != nil && e.groups && !load.varies:
			if load != nil {
				arrays[bindingKey{load.slot, false, false}] = true
			}
			return
		case load != nil && x.at(along) == 0:
			arrays[bindingKey{load.slot, false, false}] = true
			return
		case load != nil:
			arrays[bindingKey{load.slot, true, false}] = true
		}
		fits = fits && x.at(along) == 1 && x.offset%4 == 0 && s.count%4 == 0
		for _, m := range append(slices.Clone(e.rows), e.columns...) {
			fits = fits && (m.last == along || x.at(m.last)%4 == 0)
		}
	})
	return fits && len(arrays) <= maxInputs
}

// total returns how many elements dimensions have, in vectors along the last one if there are any.
func total(list []merged) int {
	n := 1
	for _, m := range list {
		n *= m.size
	}
	return n
}

// emit makes the steps of a kernel that stores tensor n, or its chunks.
func (p *planner) emit(b *builder, n, result int, out index) {
	target := n
	if b.chunks.chunks > 0 {
		target = p.pieces[n].slot
	}
	b.settle(result)
	if b.product >= 0 {
		p.emitProduct(b, n, result, out)
		return
	}
	e := p.newEmitter(b, n, result, out)
	e.output = p.slots[target]
	e.groups = b.reduces && b.inner
	e.rows, e.columns = e.merge(false), e.merge(true)
	if e.vectorizes() {
		e.width = 4
		list := e.rows
		if e.groups {
			list = e.columns
		}
		list[len(list)-1].size /= 4
	}
	direct := !e.output.element.packed() || !b.reduces || b.rows && !e.groups || !b.rows && e.width == 4
	if !direct {
		target = p.between(p.nodes[n].element, p.nodes[n].count())
		e.output = p.slots[target]
	}
	switch {
	case e.groups:
		e.group()
	case b.reduces && !b.rows:
		e.wholeRows()
	default:
		e.elementwise()
	}
	e.finish(target, "")
	if !direct {
		p.convert(n, target)
	}
}

func (p *planner) newEmitter(b *builder, n, result int, out index) *emitter {
	e := &emitter{p: p, b: b, result: result, out: out, width: 1, step: &step{why: p.why[n]}, emitted: make([]bool, len(b.values)),
		holds: make([]bool, len(b.values)), filled: make([]bool, len(b.values)), indices: map[string]string{}}
	for k := range b.values {
		v := &b.values[k]
		if v.live && v.op != opData && v.op != opScalar {
			e.step.joined = append(e.step.joined, v.op.row().name)
		}
	}
	if len(e.step.joined) == 0 {
		e.step.joined = []string{"Copy"}
	}
	return e
}

// finish adds the step, whose body is written.
func (e *emitter) finish(target int, enable string) {
	e.bindings = append(e.bindings, fmt.Sprintf("var<storage, read_write> result: array<%s>;\n", storedType(e.output.element, e.width == 4 && !(e.groups && e.b.rows), enable != "")))
	e.step.text = e.assemble(enable)
	e.step.output = target
	e.step.name = strings.Join(e.step.joined, ", ")
	bytes := func(s int) uint64 { return uint64(e.p.slots[s].count) * uint64(types[e.p.slots[s].element].bytes) }
	for k, s := range e.step.inputs {
		if !slices.Contains(e.step.inputs[:k], s) {
			e.step.loaded += bytes(s)
		}
	}
	e.step.stored = bytes(target)
	e.p.steps = append(e.p.steps, e.step)
}

// convert makes the step that stores float32 elements of a slot as the 16-bit ones of tensor n.
func (p *planner) convert(n, from int) {
	b := newBuilder(p, -1)
	size := p.slots[from].count
	at := b.newAxis(size, false)
	result := b.load(from, []int{size}, []index{at})
	b.settle(result)
	e := p.newEmitter(b, n, result, at)
	e.output = p.slots[n]
	e.step.joined, e.step.why = []string{"Convert"}, "16-bit elements are stored in pairs, which one invocation has to compute"
	if e.rows = e.merge(false); e.vectorizes() {
		e.width = 4
		e.rows[0].size /= 4
	}
	e.elementwise()
	e.finish(n, "")
}

// launch sets the grid for a number of workgroups, and returns the parameter with the number of
// workgroups, or of invocations, in a row of it.
func (e *emitter) launch(workgroups, each int) string {
	rows := (workgroups + mostWorkgroups - 1) / mostWorkgroups
	width := (workgroups + rows - 1) / max(rows, 1)
	e.step.grid = [2]uint32{uint32(width), uint32(rows)}
	return e.parameter("pitch", "u32", uint32(width*each))
}

// storeText returns the text that stores a vector, or two elements.
func (e *emitter) storeText(values ...string) string {
	t := e.output.element
	switch {
	case t.packed() && len(values) == 2:
		return fmt.Sprintf("%s(vec2<f32>(%s, %s))", e.function("store_"+t.String()), values[0], values[1])
	case t.packed():
		store := e.function("store_" + t.String())
		return fmt.Sprintf("vec2<u32>(%s(%s.xy), %s(%s.zw))", store, values[0], store, values[0])
	case t == Bool && e.width == 4 && !(e.groups && e.b.rows):
		return fmt.Sprintf("select(vec4<u32>(0u), vec4<u32>(1u), %s)", values[0])
	case t == Bool:
		return fmt.Sprintf("select(0u, 1u, %s)", values[0])
	}
	return values[0]
}

// elementwise writes a kernel whose invocations compute an element, a vector, or two packed ones.
// With reductions they reduce columns.
func (e *emitter) elementwise() {
	tasks := total(e.rows)
	rows := tasks
	chunks := max(e.b.chunks.chunks, 1)
	tasks *= chunks
	v := &e.b.values[e.result]
	if chunks == 1 {
		e.open("fn value(row: u32) -> %s", typeName(v.element, e.width))
	} else {
		e.open("fn value(task: u32) -> %s", typeName(v.element, e.width))
		e.line("let chunk = task / %s;", e.size("rows", rows))
		e.line("let row = task - chunk * %s;", e.size("rows", rows))
	}
	e.decode(e.rows, "row")
	e.reductions()
	e.values([]int{e.result}, false, false)
	e.line("return v%d;", e.result)
	e.end()
	e.line("")

	pairs := e.output.element.packed() && e.width == 1
	stores := tasks
	if pairs {
		stores = (tasks + 1) / 2
	}
	e.line("@compute @workgroup_size(%d)", invocations)
	e.open("fn main(@builtin(global_invocation_id) id: vec3u)")
	pitch := e.launch((stores+invocations-1)/invocations, invocations)
	e.line("let i = id.x + id.y * %s;", pitch)
	e.open("if i < %s", e.size("count", stores))
	if pairs {
		e.line("let first = value(2u * i);")
		e.line("let second = value(min(2u * i + 1u, %s));", e.size("last", tasks-1))
		e.line("result[i] = %s;", e.storeText("first", "second"))
	} else {
		e.line("let x = value(i);")
		e.line("result[i] = %s;", e.storeText("x"))
	}
	e.end()
	e.end()
}

// wholeRows writes a kernel whose invocations reduce a row and compute its elements.
func (e *emitter) wholeRows() {
	e.line("@compute @workgroup_size(%d)", invocations)
	e.open("fn main(@builtin(global_invocation_id) id: vec3u)")
	rows := total(e.rows)
	pitch := e.launch((rows+invocations-1)/invocations, invocations)
	e.line("let row = id.x + id.y * %s;", pitch)
	e.open("if row < %s", e.size("rows", rows))
	e.decode(e.rows, "row")
	e.reductions()
	e.values([]int{e.result}, false, false)
	e.open("for (var column = 0u; column < %s; column++)", e.size("columns", total(e.columns)))
	e.store()
	e.end()
	e.end()
	e.end()
}

// store writes the store of an element of a row, inside of the loop over columns.
func (e *emitter) store() {
	e.decode(e.columns, "column")
	e.values([]int{e.result}, true, false)
	e.line("result[%s] = %s;", e.indexText(e.out, e.width == 4), e.storeText(e.argument(e.result, e.width)))
}

// reductions writes the reductions of an invocation, those first that others wait for.
func (e *emitter) reductions() {
	first, end := "0u", ""
	if e.b.reduces {
		end = e.size("columns", total(e.columns))
	}
	if e.b.chunks.chunks > 0 {
		length := e.size("length", e.b.chunks.length)
		e.line("let first = chunk * %s;", length)
		e.line("let end = min(first + %s, %s);", length, end)
		first, end = "first", "end"
	}
	for depth := 1; ; depth++ {
		list, targets := e.reductionsAt(depth)
		if list == nil {
			return
		}
		e.values(targets, false, false)
		for _, k := range list {
			e.line("var total%d = %s;", k, e.identity(k))
		}
		e.open("for (var column = %s; column < %s; column++)", first, end)
		e.decode(e.columns, "column")
		e.accumulate(list, targets)
		e.end()
		for _, k := range list {
			e.line("let v%d = total%d;", k, k)
			e.emitted[k] = true
		}
	}
}

// reductionsAt returns the live reductions that wait for depth-1 others, and their operands.
func (e *emitter) reductionsAt(depth int) (list, targets []int) {
	for k := range e.b.values {
		if v := &e.b.values[k]; v.live && v.op.row().class == reduction && v.depth == depth {
			list, targets = append(list, k), append(targets, v.args[0])
		}
	}
	return list, targets
}

// accumulate writes the body of a loop over columns, which ends where values that vary do.
func (e *emitter) accumulate(list, targets []int) {
	e.values(targets, true, false)
	for n, k := range list {
		text := e.b.values[k].op.row().text
		text = strings.Replace(text, "$0", fmt.Sprint("total", k), 1)
		e.line("total%d = %s;", k, strings.Replace(text, "$1", e.argument(targets[n], e.width), 1))
	}
	e.forget()
}

// forget ends the scope of values that vary along columns.
func (e *emitter) forget() {
	for k := range e.b.values {
		if e.b.values[k].varies {
			e.filled[k] = e.filled[k] || e.holds[k] && e.emitted[k]
			e.emitted[k] = false
		}
	}
}

// identity returns what a reduction begins with.
func (e *emitter) identity(k int) string {
	v := &e.b.values[k]
	number := "0"
	switch {
	case v.op == opSum:
	case v.element == Int32 && v.op == opMax:
		number = fmt.Sprint(math.MinInt32)
	case v.element == Int32:
		number = fmt.Sprint(math.MaxInt32)
	case v.op == opMax:
		number = e.infinity("lowest", -1)
	default:
		number = e.infinity("highest", 1)
	}
	return fmt.Sprintf("%s(%s)", typeName(v.element, e.width), number)
}

// infinity returns a parameter, since WGSL has no constant that is infinite.
func (e *emitter) infinity(name string, sign int) string {
	if slices.Contains(e.parameters, "  "+name+": f32,\n") {
		return "p." + name
	}
	return e.parameter(name, "f32", floatWord(math.Inf(sign)))
}

// group writes a kernel whose workgroups have a row each.
func (e *emitter) group() {
	units := total(e.columns)
	lanes := min(max(1<<bits.Len(uint(max(units, 1)-1)), leastGroup), invocations)
	held := 1 << bits.Len(uint((units+lanes-1)/lanes-1))
	chunks := max(e.b.chunks.chunks, 1)
	holding := chunks == 1 && held*e.width <= mostHeld
	if holding {
		e.hold()
	}
	rows := total(e.rows) * chunks
	e.line("@compute @workgroup_size(%d)", lanes)
	e.open("fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32)")
	pitch := e.launch(rows, 1)
	e.line("let task = group.x + group.y * %s;", pitch)
	e.open("if task >= %s", e.size("tasks", rows))
	e.line("return;")
	e.end()
	columns := e.size("columns", units)
	first, end := "0u", columns
	if chunks > 1 {
		e.line("let row = task / %s;", e.size("chunks", chunks))
		length := e.size("length", e.b.chunks.length/e.width)
		e.line("let first = (task - row * %s) * %s;", e.size("chunks", chunks), length)
		e.line("let end = min(first + %s, %s);", length, columns)
		first, end = "first", "end"
	} else {
		e.line("let row = task;")
	}
	e.decode(e.rows, "row")
	for k, holds := range e.holds {
		if holds {
			e.line("var held%d: array<%s, %d>;", k, typeName(e.b.values[k].element, e.width), held)
		}
	}
	loop := func(body func()) {
		if holding {
			e.open("for (var k = 0u; k < %du; k++)", held)
			e.line("let column = lane + k * %du;", lanes)
			e.open("if column < %s", columns)
		} else {
			e.open("for (var column = %s + lane; column < %s; column += %du)", first, end, lanes)
		}
		body()
		if e.end(); holding {
			e.end()
		}
	}
	for depth := 1; ; depth++ {
		list, targets := e.reductionsAt(depth)
		if list == nil {
			break
		}
		e.values(targets, false, false)
		for _, k := range list {
			e.line("var total%d = %s;", k, e.identity(k))
		}
		loop(func() {
			e.decode(e.columns, "column")
			e.accumulate(list, targets)
		})
		for _, k := range list {
			e.line("let v%d = %s;", k, e.together(k, lanes))
			e.emitted[k] = true
		}
	}
	e.values([]int{e.result}, false, false)
	if e.b.rows {
		e.open("if lane == 0u")
		e.line("result[task] = %s;", e.storeText(fmt.Sprint("v", e.result)))
		e.end()
	} else {
		loop(e.store)
	}
	e.end()
}

// hold decides which values invocations hold: what a loop over columns has computed and a later one
// needs.
func (e *emitter) hold() {
	computed := make([]bool, len(e.b.values))
	var seen []bool
	var visit func(k int)
	visit = func(k int) {
		v := &e.b.values[k]
		switch {
		case !v.varies || seen[k]:
			return
		case computed[k]:
			e.holds[k] = true
			return
		}
		seen[k] = true
		for _, a := range v.args {
			visit(a)
		}
	}
	for depth := 1; ; depth++ {
		list, targets := e.reductionsAt(depth)
		if list == nil {
			targets = []int{e.result}
		}
		seen = make([]bool, len(e.b.values))
		for _, k := range targets {
			visit(k)
		}
		if list == nil {
			return
		}
		for k := range seen {
			computed[k] = computed[k] || seen[k]
		}
	}
}

// together returns the text of a reduction of all invocations' parts, by a function of the
// workgroup.
func (e *emitter) together(k, lanes int) string {
	v := &e.b.values[k]
	kind := types[v.element].value
	name := "group_" + strings.ToLower(v.op.row().name) + "_" + kind
	combine := func(x, y string) string {
		return strings.Replace(strings.Replace(v.op.row().text, "$0", x, 1), "$1", y, 1)
	}
	memory := "part_" + kind
	declaration := fmt.Sprintf("var<workgroup> %s: array<%s, %d>;\n", memory, kind, lanes)
	if !slices.Contains(e.groupTexts, declaration) {
		e.groupTexts = append(e.groupTexts, declaration)
	}
	text := fmt.Sprintf(`fn %s(lane: u32, x: %s) -> %s {
  %s[lane] = x;
  for (var n = %du; n > 0u; n = n / 2u) {
    workgroupBarrier();
    if lane < n {
      %s[lane] = %s;
    }
  }
  workgroupBarrier();
  let all = %s[0];
  workgroupBarrier();
  return all;
}
`, name, kind, kind, memory, lanes/2, memory, combine(memory+"[lane]", memory+"[lane + n]"), memory)
	if !slices.Contains(e.groupTexts, text) {
		e.groupTexts = append(e.groupTexts, text)
	}
	x := fmt.Sprint("total", k)
	if e.width == 4 {
		x = combine("("+combine(x+".x", x+".y")+")", "("+combine(x+".z", x+".w")+")")
	}
	return fmt.Sprintf("%s(lane, %s)", name, x)
}
