package spirv

import "slices"

// Translation of functions to the code of program.go. It checks what execution relies on:
// definitions dominate uses, types match, there is no recursion.

// builder is the state of translating a function.
type builder struct {
	*decoder
	f     *function
	i     *raw
	block int32 // index of the current block in the function
	order int32 // index of the current instruction in the block
	base  uint32
}

// The bits of a function control that are hints (SPIR-V §3.24).
const (
	inline     = 1
	dontInline = 2
)

func (d *decoder) beginFunction(i *raw) *function {
	t := d.typeOf(i, i.operands[1])
	if t.kind != functionKind || t.element != d.typeOf(i, i.typ) {
		d.fail(i, "the type is not one of functions with this result")
	}
	if i.operands[0]&^(inline|dontInline) != 0 {
		d.fail(i, "not supported: function control %#x", i.operands[0])
	}
	f := &function{raw: *i, index: int32(len(d.functions)), t: t}
	d.ids[i.result] = ident{kind: functionID, t: t, index: uint32(len(d.functions))}
	d.functions = append(d.functions, f)
	return f
}

// localResult records the result of an instruction of a function.
func (d *decoder) localResult(f *function, i *raw) {
	if i.result == 0 {
		return
	}
	x := &d.ids[i.result]
	x.function, x.block = f.index, -1
	if i.opcode == opLabel {
		x.kind = labelID
		return
	}
	x.kind, x.t = valueID, d.typeOf(i, i.typ)
	if i.opcode == opFunctionParameter {
		if n := len(f.params); n >= len(f.t.members) || f.t.members[n] != x.t {
			d.fail(i, "the parameter is not one of the function's type")
		}
		f.params = append(f.params, i.result)
	}
}

// build translates all functions.
func (d *decoder) build() {
	if !slices.Contains(d.capabilities, capabilityShader) || !d.modelled {
		d.fail(nil, "the module lacks the capability Shader or a memory model")
	}
	if slices.Contains(d.capabilities, capabilityStorage8) && !d.byteStorage && d.words[1] < byteStorageVersion {
		d.fail(nil, "the module has the capability %s and lacks the extension %s", capabilities[capabilityStorage8], byteStorage)
	}
	if slices.Contains(d.capabilities, capabilityDenormPreserve) && !d.controlled && d.words[1] < floatControlsVersion {
		d.fail(nil, "the module has the capability %s and lacks the extension %s", capabilities[capabilityDenormPreserve], floatControls)
	}
	if slices.Contains(d.capabilities, capabilityMatrix) && !(d.matrixed && d.vulkanModel) {
		d.fail(nil, "the module has the capability %s and lacks the extension %s or the Vulkan memory model", capabilities[capabilityMatrix], matrixExtension)
	}
	if slices.Contains(d.capabilities, capabilityBrain) && !d.brained {
		d.fail(nil, "the module has the capability %s and lacks the extension %s", capabilities[capabilityBrain], brainExtension)
	}
	d.checkStorageOnly()
	if d.entryID == 0 || d.ids[d.entryID].kind != functionID {
		d.fail(nil, "no entry point %q", d.entryName)
	}
	if d.localSized != d.entryID || d.size[0] == 0 || d.size[1] == 0 || d.size[2] == 0 ||
		uint64(d.size[0])*uint64(d.size[1])*uint64(d.size[2]) > 1<<16 {
		d.fail(nil, "entry point %q has no LocalSize of 1 to 65536 invocations", d.entryName)
	}
	d.registers = uint32(len(d.constants))
	for _, f := range d.functions {
		d.allocate(f)
	}
	for _, f := range d.functions {
		d.split(f)
		d.arrange(f)
		d.emit(f)
	}
	entry := d.functions[d.ids[d.entryID].index]
	if len(entry.params) != 0 || entry.t.element.kind != voidKind {
		d.fail(&entry.raw, "an entry point takes and returns nothing")
	}
	d.refuseRecursion(entry)
	d.entry = d.entries[entry.index]
}

// allocate assigns registers to a function's values.
func (d *decoder) allocate(f *function) {
	if len(f.params) != len(f.t.members) {
		d.fail(&f.raw, "the function has %d parameters, and its type %d", len(f.params), len(f.t.members))
	}
	var params []uint32
	for n := range f.body {
		if i := &f.body[n]; i.result != 0 && i.opcode != opLabel {
			x := &d.ids[i.result]
			x.slot = d.registers
			d.registers += x.t.slots
			if d.registers > maximumSlots {
				d.fail(i, "not supported: values of more than %d scalars", maximumSlots)
			}
			if i.opcode == opFunctionParameter {
				params = append(params, x.slot)
			}
		}
	}
	d.parameters = append(d.parameters, params)
}

// refuseRecursion walks the call graph depth first; the state of functions on the path is 1.
func (d *decoder) refuseRecursion(f *function) {
	if f.state == 2 {
		return
	}
	if f.state == 1 {
		d.fail(&f.raw, "the function calls itself")
	}
	f.state = 1
	for _, g := range f.calls {
		d.refuseRecursion(g)
	}
	f.state = 2
}

// emit translates a function's blocks in their order.
func (d *decoder) emit(f *function) {
	b := builder{decoder: d, f: f, base: uint32(len(d.blocks))}
	firstEdge := len(d.edges)
	for range f.order {
		d.blocks = append(d.blocks, nil)
	}
	d.entries = append(d.entries, uint32(len(d.code)))
	for _, n := range f.order {
		x := &f.blocks[n]
		d.blocks[b.base+uint32(x.position)] = x.loops
		x.start = uint32(len(d.code))
		if x.loop >= 0 {
			d.loops[x.loop] = x.start
		}
		b.block = n
		phis := true
		for k := range x.body {
			b.i, b.order = &x.body[k], int32(k)
			if b.i.opcode == opPhi {
				if !phis || n == 0 {
					b.fail("the phi is not at the start of a block with predecessors")
				}
				b.checkPhi()
				continue
			}
			phis = false
			b.instruction()
		}
	}
	for n := firstEdge; n < len(d.edges); n++ {
		d.edges[n].target = f.blocks[d.edges[n].target].start
	}
}

func (b *builder) fail(format string, args ...any) { b.decoder.fail(b.i, format, args...) }

// want refuses the module unless a condition on types holds.
func (b *builder) want(ok bool, format string, args ...any) {
	if !ok {
		b.fail("mismatch of types: "+format, args...)
	}
}

// use returns an operand of the current instruction.
func (b *builder) use(id uint32) *ident { return b.useIn(id, b.block, b.order) }

// useIn returns an operand of an instruction in a block, which its definition must dominate.
func (b *builder) useIn(id uint32, block, order int32) *ident {
	x := &b.ids[id]
	switch x.kind {
	case constantID:
		return x
	case variableID:
		// SPIR-V, OpEntryPoint: Input and Output, and since version 1.4 all variables of the module
		if (b.words[1] >= 0x10400 || b.variables[x.index].class == classInput) && !slices.Contains(b.listed, id) {
			b.fail("the entry point does not name the variable %%%d", id)
		}
		return x
	case valueID:
		if x.function != b.f.index {
			b.fail("%%%d belongs to another function", id)
		}
		if x.block >= 0 && !(x.block == block && x.order < order) && !(x.block != block && b.f.dominates(x.block, block)) {
			b.fail("%%%d is used where it may not be defined", id)
		}
		return x
	}
	b.fail("%%%d is not a value", id)
	return nil
}

// constantValue returns a scalar constant, as scopes and semantics are.
func (b *builder) constantValue(id uint32, what string) uint32 {
	x := &b.ids[id]
	if x.kind != constantID || x.t.kind != integerKind || x.t.width != 32 {
		b.fail("%s is no constant of 32 bits", what)
	}
	return uint32(x.bits[0])
}

// result returns the type and the first register of the current instruction's result.
func (b *builder) result() (*typ, uint32) {
	x := &b.ids[b.i.result]
	return x.t, x.slot
}

// add appends an instruction after setting the fields that all have.
func (b *builder) add(x inst) {
	x.block = b.base + uint32(b.f.blocks[b.block].position)
	x.word, x.result, x.opcode = b.i.word, b.i.result, b.i.opcode
	if x.name == "" {
		x.name = b.i.name
	}
	if b.i.result != 0 {
		x.d = b.ids[b.i.result].slot
	}
	b.code = append(b.code, x)
}

func (b *builder) checkPhi() {
	t, _ := b.result()
	b.want(t.kind != pointerKind && t.kind != imageKind && t.kind != voidKind, "a phi of pointers or images")
	w := b.i.operands
	preds := b.f.blocks[b.block].predecessors
	for n := 1; n < len(w); n += 2 {
		x := &b.ids[w[n]]
		if x.kind != labelID || x.function != b.f.index {
			b.fail("%%%d is not a label of the function", w[n])
		}
	}
	for _, p := range preds {
		label, found := b.f.blocks[p].label, 0
		for n := 1; n < len(w); n += 2 {
			if w[n] == label {
				found++
			}
		}
		if found != 1 {
			b.fail("the predecessor %%%d has %d operands", label, found)
		}
	}
}

// edge adds an edge from the current block to another and returns its index.
func (b *builder) edge(to int32) uint32 {
	target := &b.f.blocks[to]
	e := edge{target: uint32(to), first: uint32(len(b.moves)), loop: target.loop}
	e.back = e.loop >= 0 && b.f.dominates(to, b.block)
	from := b.f.blocks[b.block].label
	branch := b.i
	for k := range target.body {
		if target.body[k].opcode != opPhi {
			break
		}
		b.i = &target.body[k]
		t, d := b.result()
		w := b.i.operands
		n := 0
		for n+1 < len(w) && w[n+1] != from {
			n += 2
		}
		if n+1 >= len(w) {
			b.fail("the predecessor %%%d has no operand", from)
		}
		x := b.useIn(w[n], b.block, int32(len(b.f.blocks[b.block].body)))
		b.want(x.t == t, "%%%d is not of the phi's type", w[n])
		for _, m := range b.moves[e.first:] {
			e.staged = e.staged || m.d == x.slot
		}
		b.moves = append(b.moves, move{d, x.slot, t.slots})
	}
	b.i = branch
	e.count = uint32(len(b.moves)) - e.first
	b.edges = append(b.edges, e)
	return uint32(len(b.edges) - 1)
}

// terminator translates the instruction that ends a block.
func (b *builder) terminator() {
	w := b.i.operands
	switch b.i.opcode {
	case opBranch:
		b.add(inst{code: doBranch, a: b.edge(b.target(b.f, b.i, w[0]))})
	case opBranchConditional:
		if len(w) != 3 {
			b.fail("not supported: branch weights")
		}
		condition := b.use(w[0])
		b.want(condition.t.kind == boolKind, "the condition is no bool")
		yes, no := b.target(b.f, b.i, w[1]), b.target(b.f, b.i, w[2])
		b.add(inst{code: doBranchIf, a: condition.slot, b: b.edge(yes), c: b.edge(no)})
	case opSwitch:
		selector := b.use(w[0])
		b.want(selector.t.kind == integerKind && selector.t.width == 32, "the selector is no integer of 32 bits")
		first := b.edge(b.target(b.f, b.i, w[1]))
		table := uint32(len(b.lists))
		for n := 2; n < len(w); n += 2 {
			if duplicateCase(w[2:n], w[n]) {
				b.fail("case %d occurs twice", w[n])
			}
			b.lists = append(b.lists, w[n], b.edge(b.target(b.f, b.i, w[n+1])))
		}
		b.add(inst{code: doSwitch, a: selector.slot, b: first, table: table, n: uint32(len(w)-2) / 2})
	case opReturn:
		b.want(b.f.t.element.kind == voidKind, "the function returns a value")
		b.add(inst{code: doReturn})
	case opReturnValue:
		x := b.use(w[0])
		b.want(x.t == b.f.t.element, "the value is not of the function's result type")
		b.add(inst{code: doReturnValue, a: x.slot, n: x.t.slots})
	default:
		b.add(inst{code: doUnreachable})
	}
}

// duplicateCase reports whether a value is a literal of some case.
func duplicateCase(pairs []uint32, value uint32) bool {
	for n := 0; n < len(pairs); n += 2 {
		if pairs[n] == value {
			return true
		}
	}
	return false
}

func (b *builder) call() {
	w := b.i.operands
	x := &b.ids[w[0]]
	if x.kind != functionID {
		b.fail("%%%d is not a function", w[0])
	}
	t, _ := b.result()
	b.want(x.t.element == t && len(x.t.members) == len(w)-1, "the function's type is another")
	callee := b.functions[x.index]
	if !slices.Contains(b.f.calls, callee) {
		b.f.calls = append(b.f.calls, callee)
	}
	first := uint32(len(b.moves))
	for n, id := range w[1:] {
		a := b.use(id)
		b.want(a.t == x.t.members[n], "argument %d is not of the parameter's type", n)
		if a.t.kind == pointerKind && explicit(a.t.class) {
			b.fail("not supported: a call that passes a pointer to a buffer")
		}
		b.moves = append(b.moves, move{b.parameters[x.index][n], a.slot, a.t.slots})
	}
	b.add(inst{code: doCall, a: x.index, table: first, n: uint32(len(w) - 1)})
}
