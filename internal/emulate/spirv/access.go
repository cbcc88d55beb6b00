package spirv

// Translation of the instructions on memory.

func (b *builder) localVariable() {
	t, _ := b.result()
	w := b.i.operands
	if b.block != 0 {
		b.fail("a variable after the function's first block")
	}
	b.want(t.kind == pointerKind && t.class == classFunction && w[0] == classFunction, "the variable's type is no pointer to function memory")
	v := variable{class: classFunction, t: t.element, id: b.i.result, base: b.memory}
	if len(w) > 1 {
		c := &b.ids[w[1]]
		b.want(c.kind == constantID && c.t == t.element, "the initializer")
		v.initial = c.bits
	}
	if b.memory += t.element.slots; b.memory > maximumSlots {
		b.fail("not supported: more than %d scalars of variables", maximumSlots)
	}
	b.add(inst{code: doVariable, n: t.element.slots, a: uint32(len(b.variables))})
	b.variables = append(b.variables, v)
}

// pointer returns a pointer and the type that it points to.
func (b *builder) pointer(id uint32) (p *ident, t *typ) {
	p = b.use(id)
	b.want(p.t.kind == pointerKind, "%%%d is no pointer", id)
	return p, p.t.element
}

// leaves returns the scalars of a type in a buffer.
func (b *builder) leaves(t *typ) []leaf {
	leaves, err := t.layout()
	if err != nil {
		b.fail("%v", err)
	}
	return leaves
}

// transfer returns an instruction that loads or stores a value of a type; its code depends on the
// storage class.
func (b *builder) transfer(p *ident, t *typ, private, shared, buffer code) inst {
	if t.kind == pointerKind || t.kind == imageKind || t.slots == 0 {
		b.fail("not supported: a value of type %%%d in memory", t.id)
	}
	x := inst{code: private, n: t.slots, a: p.slot}
	switch {
	case explicit(p.t.class):
		x.code, x.leaves = buffer, b.leaves(t)
	case p.t.class == classWorkgroup:
		x.code = shared
	}
	return x
}

func (b *builder) load() {
	t, _ := b.result()
	nonPrivate := len(b.i.operands) > 1 && b.memoryOperands(b.i.operands[1])
	p, element := b.pointer(b.i.operands[0])
	b.want(element == t, "the pointer's type")
	if t.kind == imageKind {
		b.add(inst{code: doCopy, n: 1, a: p.slot})
		return
	}
	x := b.transfer(p, t, doLoadPrivate, doLoadShared, doLoadBuffer)
	b.share(&x, nonPrivate)
	b.add(x)
}

func (b *builder) store() {
	w := b.i.operands
	nonPrivate := len(w) > 2 && b.memoryOperands(w[2])
	p, t := b.pointer(w[0])
	v := b.use(w[1])
	b.want(v.t == t, "the pointer's type")
	b.checkWritable(p)
	x := b.transfer(p, t, doStorePrivate, doStoreShared, doStoreBuffer)
	x.b = v.slot
	b.share(&x, nonPrivate)
	b.add(x)
}

// share says whether a load or store is private, in the Vulkan memory model. Private ones of memory
// that invocations share are refused: no barrier orders them.
func (b *builder) share(x *inst, nonPrivate bool) {
	x.nonPrivate = nonPrivate || !b.vulkanModel
	if !x.nonPrivate && (x.code == doLoadShared || x.code == doStoreShared) {
		b.fail("a private access to workgroup memory")
	}
}

// checkWritable refuses stores to read-only storage classes. The decoration NonWritable is checked
// when a store is executed.
func (b *builder) checkWritable(p *ident) {
	switch p.t.class {
	case classUniform, classPushConstant, classInput:
		b.fail("memory of storage class %s cannot be written", storageClasses[p.t.class])
	}
}

// copyMemory is a load and a store through temporary registers.
func (b *builder) copyMemory() {
	w := b.i.operands
	if len(w) > 3 {
		b.fail("not supported: two memory operands")
	}
	nonPrivate := len(w) > 2 && b.memoryOperands(w[2])
	to, t := b.pointer(w[0])
	from, source := b.pointer(w[1])
	b.want(t == source, "the types of the pointers differ")
	b.checkWritable(to)
	temporary := b.registers
	b.registers += t.slots
	load := b.transfer(from, t, doLoadPrivate, doLoadShared, doLoadBuffer)
	load.d = temporary
	b.share(&load, nonPrivate)
	b.add(load)
	store := b.transfer(to, t, doStorePrivate, doStoreShared, doStoreBuffer)
	store.b = temporary
	b.share(&store, nonPrivate)
	b.add(store)
}

// accessChain folds constant indices into offsets. Other indices, and constants out of bounds, are
// checked when the instruction is executed.
func (b *builder) accessChain() {
	result, _ := b.result()
	w := b.i.operands
	p, t := b.pointer(w[0])
	bytes := explicit(p.t.class)
	c := chain{base: p.slot}
	var last arrayStep
	for _, id := range w[1:] {
		index := b.use(id)
		last = arrayStep{}
		b.want(index.t.kind == integerKind, "index %%%d", id)
		if index.t.width < 32 {
			b.fail("not supported: an index of %d bits", index.t.width)
		}
		constant := index.kind == constantID
		if t.kind == structKind {
			if !constant || index.bits[0] >= uint64(len(t.members)) {
				b.fail("index %%%d of a structure of %d members", id, len(t.members))
			}
			n := index.bits[0]
			if !bytes {
				c.offset += uint64(t.at[n])
			} else if c.offset += uint64(t.offsets[n]); t.offsets[n] == absent {
				b.fail("member %d of structure %%%d has no Offset", n, t.id)
			}
			t = t.members[n]
			continue
		}
		if t.kind != vectorKind && t.kind != arrayKind && t.kind != runtimeArrayKind {
			b.fail("index %%%d into type %%%d", id, t.id)
		}
		stride := uint64(t.element.slots)
		if bytes {
			stride = b.stride(t)
		}
		last = arrayStep{is: t.kind != vectorKind, constant: constant, slot: index.slot, width: index.t.width, count: t.count, stride: stride}
		if constant {
			last.value = index.bits[0]
		}
		if constant && index.bits[0] < uint64(t.count) {
			c.offset += index.bits[0] * stride
		} else {
			c.steps = append(c.steps, step{index: index.slot, width: index.t.width, offset: c.offset, stride: stride, count: t.count})
			c.offset = 0
		}
		t = t.element
	}
	b.want(result.kind == pointerKind && result.class == p.t.class && result.element == t, "the result")
	b.arraySteps[b.i.result] = last
	b.chains = append(b.chains, c)
	b.add(inst{code: doAccess, table: uint32(len(b.chains) - 1)})
}

// stride returns the bytes from one component or element to the next in a buffer.
func (b *builder) stride(t *typ) uint64 {
	if t.kind == vectorKind {
		return uint64(t.width / 8)
	}
	if err := t.checkStride(); err != nil {
		b.fail("%v", err)
	}
	return uint64(t.stride)
}

func (b *builder) arrayLength() {
	t, _ := b.result()
	w := b.i.operands
	p, s := b.pointer(w[0])
	b.want(t.kind == integerKind && t.width == 32 && !t.signed, "the result")
	last := len(s.members) - 1
	if p.t.class != classStorage || s.kind != structKind || int(w[1]) != last || s.members[last].kind != runtimeArrayKind {
		b.fail("member %d is not the array at the end of a buffer", w[1])
	}
	if s.offsets[last] == absent {
		b.fail("member %d of structure %%%d has no Offset", last, s.id)
	}
	b.add(inst{code: doArrayLength, a: p.slot, b: s.offsets[last], c: uint32(b.stride(s.members[last]))})
}

// atomic translates an atomic instruction: a is the pointer, b the operand, c the comparator.
func (b *builder) atomic() {
	w := b.i.operands
	p, t := b.pointer(w[0])
	want := uint32(scopeDevice)
	if b.vulkanModel { // Device needs another capability
		want = scopeQueueFamily
	}
	if p.t.class == classWorkgroup {
		want = scopeWorkgroup
	}
	b.scope(w[1], want)
	if s := b.constantValue(w[2], "the semantics"); s != 0 {
		b.fail("not supported: memory semantics %#x", s)
	}
	rest := w[3:]
	x := inst{code: doAtomicBuffer, a: p.slot}
	switch p.t.class {
	case classWorkgroup:
		x.code = doAtomicShared
	case classStorage:
		x.leaves = b.leaves(t)
	default:
		b.fail("not supported: atomics on storage class %s", storageClasses[p.t.class])
	}
	float, wide := t.kind == floatKind, t.kind == integerKind && t.width == 64
	b.want((t.kind == integerKind || float) && t.width == 32 || wide, "the pointer's type has no atomics")
	if wide {
		b.needs(b.i, capabilityInt64Atomics)
	}
	x.width = t.width
	if o, ok := atomicOperations[b.i.opcode]; ok {
		b.want(!float, "arithmetic on a float")
		if x.integer = o.word; wide {
			x.integer = o.long
		}
	}
	if b.i.result != 0 {
		r, _ := b.result()
		b.want(r == t, "the result")
	}
	if b.i.opcode == opAtomicCompare {
		b.want(!float, "a comparison of floats")
		if s := b.constantValue(rest[0], "the semantics"); s != 0 {
			b.fail("not supported: memory semantics %#x", s)
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		v := b.use(rest[0])
		b.want(v.t == t, "the operand")
		x.b = v.slot
	}
	if len(rest) > 1 {
		v := b.use(rest[1])
		b.want(v.t == t, "the comparator")
		x.c = v.slot
	}
	b.add(x)
}

// atomicOperations are the read-modify-write instructions, for 32 and 64 bits.
var atomicOperations = map[uint16]struct{ word, long integer }{
	opAtomicIAdd: {add32, add64}, opAtomicISub: {subtract32, subtract64},
	opAtomicSMin: {smin[int32], smin[int64]}, opAtomicUMin: {umin, umin},
	opAtomicSMax: {smax[int32], smax[int64]}, opAtomicUMax: {umax, umax},
	opAtomicAnd: {and, and}, opAtomicOr: {or, or}, opAtomicXor: {xor, xor},
}
