package spirv

// Translation of instructions, with type checks of their operands (SPIR-V §3.52).

// instruction translates the current instruction.
func (b *builder) instruction() {
	i := b.i
	switch {
	case i.opcode >= opMatrixLoad && i.opcode <= opMatrixMulAdd, (elementwise[i.opcode] || i.opcode == opCompositeConstruct) && b.ids[i.result].t.kind == matrixKind:
		b.matrix()
		return
	case i.operation != nil:
		b.arithmetic(i.operation, i.operands)
		return
	case i.opcode >= convertFToU && i.opcode <= convertF:
		b.conversion()
		return
	case i.opcode >= opBranch && i.opcode <= opUnreachable:
		b.terminator()
		return
	case i.opcode >= opElect && i.opcode <= opQuadSwap:
		b.subgroup()
		return
	case i.opcode >= opAtomicLoad && i.opcode <= opAtomicXor:
		b.atomic()
		return
	case i.opcode >= opImageFetch && i.opcode <= opImageQueryLevels:
		b.image()
		return
	}
	build, ok := builders[i.opcode]
	if !ok {
		b.fail("the instruction is not allowed in a function")
	}
	build(b)
}

// builders translate the instructions that belong to none of the ranges above.
var builders = map[uint16]func(*builder){
	opLoopMerge: func(*builder) {}, opSelectionMerge: func(*builder) {}, // successors reads them
	opUndef: (*builder).undef, opExtInst: (*builder).extended, opFunctionCall: (*builder).call,
	opVariable: (*builder).localVariable, opLoad: (*builder).load, opStore: (*builder).store, opCopyMemory: (*builder).copyMemory,
	opAccessChain: (*builder).accessChain, opArrayLength: (*builder).arrayLength,
	opExtractDynamic: (*builder).composite, opInsertDynamic: (*builder).composite, opVectorShuffle: (*builder).composite,
	opCompositeConstruct: (*builder).composite, opCompositeExtract: (*builder).composite, opCompositeInsert: (*builder).composite,
	opCopyObject: (*builder).composite, opBitcast: (*builder).bitcast, opUMulExtended: (*builder).extendedProduct,
	opDot: (*builder).reduction, opAny: (*builder).reduction, opAll: (*builder).reduction, opSelect: (*builder).selection,
	opBitFieldInsert: (*builder).bitField, opBitFieldSExtract: (*builder).bitField, opBitFieldUExtract: (*builder).bitField,
	opControlBarrier: (*builder).barrier, opMemoryBarrier: (*builder).fence,
}

func (b *builder) undef() {
	t, _ := b.result()
	if t.kind == pointerKind || t.kind == imageKind || t.matrix {
		b.fail("not supported: an undefined value of type %%%d", t.id)
	}
	b.add(inst{code: doUndef, n: t.slots})
}

// arithmetic translates a component-wise instruction.
func (b *builder) arithmetic(o *operation, operands []uint32) {
	t, _ := b.result()
	x := inst{n: t.components(), integer: o.word, floating: o.floating, relation: o.relation, limits: o.limits}
	if !t.is(o.result) {
		b.want(false, "the result")
	}
	shift := b.i.opcode >= opShiftRightLogical && b.i.opcode <= opShiftLeftLogical
	for n, id := range operands {
		v := b.use(id)
		ok := v.t.is(o.operand) && v.t.components() == x.n
		switch {
		case n == 0:
			x.width = v.t.scalar().width
			ok = ok && (o.result != o.operand || t.scalar().width == x.width)
		case !shift:
			ok = ok && v.t.scalar().width == x.width
		case v.t.scalar().width < 32:
			b.fail("not supported: a shift by an integer of %d bits", v.t.scalar().width)
		}
		if o.operand == floats && o.result == floats {
			ok = ok && v.t == t
		}
		b.want(ok, "operand %d", n)
		switch n {
		case 0:
			x.a, x.b, x.c = v.slot, v.slot, v.slot
		case 1:
			x.b, x.c = v.slot, v.slot
		case 2:
			x.c = v.slot
		}
	}
	if o.width != 0 && x.width != o.width || o.widest != 0 && x.width > o.widest {
		b.fail("not supported: operands of %d bits", x.width)
	}
	switch {
	case o.relation != nil:
		x.code = doRelation
	case o.floating != nil:
		x.code = doFloat
		if x.width == 64 && o.double != nil {
			x.floating = o.double
		}
	case x.width == 64:
		x.integer = o.long
	case x.width == 16 || x.width == 8:
		if x.integer = o.narrow; x.integer == nil {
			b.fail("not supported: operands of %d bits", x.width)
		}
	}
	b.add(x)
}

// extendedProduct translates OpUMulExtended, whose result is a structure of both halves.
func (b *builder) extendedProduct() {
	t, dst := b.result()
	x, y := b.use(b.i.operands[0]), b.use(b.i.operands[1])
	b.want(x.t.is(integers) && !x.t.scalar().signed && x.t == y.t, "the operands")
	b.want(t.kind == structKind && len(t.members) == 2 && t.members[0] == x.t && t.members[1] == x.t, "the result")
	for n, half := range [...][2]integer{{multiply32, multiply64}, {multiplyHigh32, multiplyHigh64}} {
		i := inst{n: x.t.components(), width: x.t.scalar().width, a: x.slot, b: y.slot, c: y.slot, integer: half[0]}
		if i.width == 64 {
			i.integer = half[1]
		}
		b.add(i)
		b.code[len(b.code)-1].d = dst + uint32(n)*x.t.slots
	}
}

func (b *builder) conversion() {
	c := conversions[b.i.opcode]
	t, _ := b.result()
	v := b.use(b.i.operands[0])
	b.want(t.is(c.result) && v.t.is(c.operand) && t.components() == v.t.components(), "the operand or the result")
	from, to := v.t.scalar().width, t.scalar().width
	if c.operand == c.result {
		b.want(from != to, "the widths are equal")
	}
	if b.i.opcode == convertU {
		b.want(!t.scalar().signed, "the result is signed")
	}
	b.add(inst{code: doConvert, n: t.components(), a: v.slot, from: from, width: to})
}

// extended translates an instruction of GLSL.std.450.
func (b *builder) extended() {
	w := b.i.operands
	if b.ids[w[0]].kind != setID {
		b.fail("%%%d is not an extended instruction set", w[0])
	}
	if o, ok := extended[w[1]]; ok {
		if len(w)-2 != o.operands {
			b.fail("%s with %d operands", o.name, len(w)-2)
		}
		b.i.name = o.name
		b.arithmetic(&o, w[2:])
		return
	}
	t, _ := b.result()
	if w[1] != glslPackHalf && w[1] != glslUnpackHalf {
		b.fail("not supported: GLSL.std.450 instruction %d", w[1])
	}
	if len(w) != 3 {
		b.fail("the instruction has not exactly one operand")
	}
	v := b.use(w[2])
	packed, pair := t, v.t
	x := inst{code: doPackHalf, name: "PackHalf2x16", a: v.slot}
	if w[1] == glslUnpackHalf {
		packed, pair = v.t, t
		x.code, x.name = doUnpackHalf, "UnpackHalf2x16"
	}
	b.want(packed.kind == integerKind && packed.width == 32 && pair.is(floats) && pair.width == 32 && pair.components() == 2, "the operand or the result")
	b.add(x)
}

func (b *builder) reduction() {
	t, _ := b.result()
	x := b.use(b.i.operands[0])
	out := inst{n: x.t.components(), a: x.slot}
	if b.i.opcode == opDot {
		y := b.use(b.i.operands[1])
		b.want(x.t.kind == vectorKind && x.t.is(floats) && y.t == x.t && t == x.t.element, "the operands or the result")
		out.code, out.b, out.width = doDot, y.slot, t.width
	} else {
		b.want(x.t.kind == vectorKind && x.t.is(booleans) && t.kind == boolKind, "the operand or the result")
		out.code = doAny
		if b.i.opcode == opAll {
			out.code = doAll
		}
	}
	b.add(out)
}

func (b *builder) selection() {
	t, _ := b.result()
	w := b.i.operands
	condition, x, y := b.use(w[0]), b.use(w[1]), b.use(w[2])
	ok := t.is(integers) || t.is(floats) || t.is(booleans)
	b.want(ok && condition.t.is(booleans) && condition.t.components() == t.components() && x.t == t && y.t == t, "an operand or the result")
	b.add(inst{code: doSelect, n: t.components(), a: condition.slot, b: x.slot, c: y.slot})
}

// bitField translates the instructions on bit fields, whose offset and count are scalars.
func (b *builder) bitField() {
	t, _ := b.result()
	w := b.i.operands
	b.want(t.is(integers), "the result")
	if t.scalar().width != 32 {
		b.fail("not supported: operands of %d bits", t.scalar().width)
	}
	x := inst{code: doFieldSExtract, n: t.components()}
	if b.i.opcode == opBitFieldUExtract {
		x.code = doFieldUExtract
	}
	base := b.use(w[0])
	b.want(base.t == t, "the base")
	x.a = base.slot
	rest := w[1:]
	if b.i.opcode == opBitFieldInsert {
		insert := b.use(w[1])
		b.want(insert.t == t, "what is inserted")
		x.code, x.b, rest = doFieldInsert, insert.slot, w[2:]
	}
	offset, count := b.use(rest[0]), b.use(rest[1])
	b.want(offset.t.kind == integerKind && count.t.kind == integerKind, "the offset or the count")
	x.c, x.e = offset.slot, count.slot
	b.add(x)
}

func (b *builder) bitcast() {
	t, _ := b.result()
	v := b.use(b.i.operands[0])
	numeric := func(t *typ) bool { return t.is(integers) || t.is(floats) || t.kind == brainKind }
	from, to := v.t.scalar().width, t.scalar().width
	b.want(numeric(t) && numeric(v.t) && uint32(from)*v.t.components() == uint32(to)*t.components(), "the operand or the result")
	b.add(inst{code: doBitcast, n: t.components(), a: v.slot, b: v.t.components(), from: from, width: to})
}

// composite translates the instructions on vectors and other composites.
func (b *builder) composite() {
	t, dst := b.result()
	w := b.i.operands
	switch b.i.opcode {
	case opCopyObject:
		x := b.use(w[0])
		b.want(x.t == t, "the operand")
		b.add(inst{code: doCopy, n: t.slots, a: x.slot})
	case opCompositeExtract:
		x := b.use(w[0])
		part, slot := b.path(x.t, w[1:])
		b.want(part == t, "the part")
		b.add(inst{code: doCopy, n: t.slots, a: x.slot + slot})
	case opCompositeInsert:
		object, x := b.use(w[0]), b.use(w[1])
		part, slot := b.path(x.t, w[2:])
		b.want(part == object.t && x.t == t, "the object or the composite")
		b.add(inst{code: doInsert, n: t.slots, a: x.slot, b: object.slot, c: part.slots, e: slot})
	case opCompositeConstruct:
		b.construct(t, dst)
	case opVectorShuffle:
		b.shuffle(t)
	case opExtractDynamic:
		x, index := b.use(w[0]), b.use(w[1])
		b.want(x.t.kind == vectorKind && t == x.t.element && index.t.kind == integerKind, "an operand or the result")
		b.add(inst{code: doExtractDynamic, n: x.t.count, a: x.slot, b: index.slot, width: index.t.width})
	case opInsertDynamic:
		x, object, index := b.use(w[0]), b.use(w[1]), b.use(w[2])
		b.want(t.kind == vectorKind && x.t == t && object.t == t.element && index.t.kind == integerKind, "an operand or the result")
		b.add(inst{code: doInsertDynamic, n: t.count, a: x.slot, b: index.slot, c: object.slot, width: index.t.width})
	}
}

// path follows literal indices into a composite.
func (b *builder) path(t *typ, indices []uint32) (part *typ, slot uint32) {
	for _, index := range indices {
		var at uint32
		var err error
		if t, at, err = t.part(index); err != nil {
			b.fail("%v", err)
		}
		slot += at
	}
	return t, slot
}

// construct translates OpCompositeConstruct; the constituents of a vector may be vectors.
func (b *builder) construct(t *typ, dst uint32) {
	w := b.i.operands
	x := inst{code: doConstruct, table: uint32(len(b.moves)), n: uint32(len(w))}
	at := uint32(0)
	for n, id := range w {
		v := b.use(id)
		if t.kind == vectorKind {
			b.want(v.t.scalar() == t.element, "constituent %d", n)
		} else {
			part, slot, err := t.part(uint32(n))
			b.want(err == nil && slot == at && v.t == part, "constituent %d", n)
		}
		b.moves = append(b.moves, move{dst + at, v.slot, v.t.slots})
		at += v.t.slots
	}
	b.want(at == t.slots && t.parts() > 0 && (t.kind == vectorKind || len(w) == t.parts()), "the constituents do not make the result")
	b.add(x)
}

func (b *builder) shuffle(t *typ) {
	w := b.i.operands
	x, y := b.use(w[0]), b.use(w[1])
	literals := w[2:]
	b.want(x.t.kind == vectorKind && y.t.kind == vectorKind && x.t.element == y.t.element && t.kind == vectorKind &&
		t.element == x.t.element && int(t.count) == len(literals), "an operand or the result")
	table := uint32(len(b.lists))
	for _, l := range literals {
		switch {
		case l < x.t.count:
			l += x.slot
		case l-x.t.count < y.t.count:
			l += y.slot - x.t.count
		default:
			b.fail("component %d is outside of the vectors", l)
		}
		b.lists = append(b.lists, l)
	}
	b.add(inst{code: doShuffle, n: t.count, table: table})
}

// scope reads a constant scope, which must be one of a list.
func (b *builder) scope(id uint32, known ...uint32) uint32 {
	scope := b.constantValue(id, "the scope")
	for _, k := range known {
		if k == scope {
			return scope
		}
	}
	b.fail("not supported: scope %d", scope)
	return 0
}

// barrier translates a control barrier; a is the memory semantics.
func (b *builder) barrier() {
	w := b.i.operands
	scope := b.scope(w[0], scopeWorkgroup, scopeSubgroup)
	b.scope(w[1], scope)
	x := inst{code: doBarrier, a: b.semantics(w[2])}
	if scope == scopeSubgroup {
		x.code = doSubgroupBarrier
	}
	b.add(x)
}

// fence checks a memory barrier of scope Invocation. It has no effect, since the accesses of an
// invocation are executed in program order.
func (b *builder) fence() {
	w := b.i.operands
	b.scope(w[0], scopeInvocation)
	if b.semantics(w[1]) == 0 {
		b.fail("a memory barrier orders nothing")
	}
}

// semantics reads the constant memory semantics of a barrier.
func (b *builder) semantics(id uint32) uint32 {
	s := b.constantValue(id, "the semantics")
	const memory = semanticsUniform | semanticsWorkgroup | semanticsImage
	const moved = semanticsMakeAvailable | semanticsMakeVisible
	if b.vulkanModel {
		// what is not made available and visible is not ordered
		if s&memory != 0 && s&moved != moved {
			return 0
		}
		s &^= moved
	}
	if s&^(memory|semanticsAcquireRelease) != 0 || (s&memory != 0) != (s&semanticsAcquireRelease != 0) {
		b.fail("not supported: memory semantics %#x", s)
	}
	return s
}

// subgroup translates a subgroup operation.
func (b *builder) subgroup() {
	w := b.i.operands
	t, _ := b.result()
	b.scope(w[0], scopeSubgroup)
	x := inst{code: doSubgroup, n: t.components(), width: t.scalar().width}
	numeric := t.is(integers) || t.is(floats)
	if t.is(integers) && x.width < 32 {
		b.fail("not supported: values of %d bits", x.width)
	}
	switch b.i.opcode {
	case opElect:
		b.want(t.kind == boolKind, "the result")
	case opGroupAll, opGroupAny:
		v := b.use(w[1])
		b.want(t.kind == boolKind && v.t == t, "the operand or the result")
		x.a = v.slot
	case opGroupBallot:
		v := b.use(w[1])
		b.want(t.kind == vectorKind && t.count == 4 && t.is(integers) && t.width == 32 && v.t.kind == boolKind, "the operand or the result")
		x.a = v.slot
	case opGroupBroadcast, opGroupBroadcastFirst, opGroupShuffle, opGroupShuffleXor, opGroupShuffleUp, opGroupShuffleDown, opQuadBroadcast, opQuadSwap:
		v := b.use(w[1])
		b.want((numeric || t.is(booleans)) && v.t == t, "the operand or the result")
		x.a = v.slot
		if len(w) > 2 {
			index := b.use(w[2])
			b.want(index.t.kind == integerKind && index.t.width == 32, "the index")
			if index.kind != constantID && (b.i.opcode == opGroupBroadcast || b.i.opcode == opQuadBroadcast || b.i.opcode == opQuadSwap) {
				b.fail("the index is no constant")
			}
			x.b = index.slot
		}
	default:
		b.groupArithmetic(t, &x)
	}
	b.add(x)
}

// groupOperations are the reductions and scans.
var groupOperations = map[uint16]struct {
	operation operation
	// identity is the first result of an exclusive scan.
	identity uint32
}{
	opGroupIAdd: {arithmetic[128], 0}, opGroupFAdd: {arithmetic[129], 0},
	opGroupIMul: {arithmetic[132], 1}, opGroupFMul: {arithmetic[133], 1},
	opGroupSMin: {operation: extended[39]}, opGroupUMin: {operation: extended[38]}, opGroupFMin: {operation: extended[37]},
	opGroupSMax: {operation: extended[42]}, opGroupUMax: {operation: extended[41]}, opGroupFMax: {operation: extended[40]},
	opGroupAnd: {operation: arithmetic[199]}, opGroupOr: {operation: arithmetic[197]}, opGroupXor: {operation: arithmetic[198]},
}

func (b *builder) groupArithmetic(t *typ, x *inst) {
	g, ok := groupOperations[b.i.opcode]
	if !ok {
		b.fail("not supported: the subgroup operation")
	}
	w := b.i.operands
	sums := b.i.opcode >= opGroupIAdd && b.i.opcode <= opGroupFMul
	if len(w) != 3 || w[1] > groupExclusiveScan || w[1] != groupReduce && !sums {
		b.fail("not supported: group operation %d", w[1])
	}
	v := b.use(w[2])
	o := &g.operation
	b.want(t.is(o.result) && v.t == t, "the operand or the result")
	x.a, x.b = v.slot, w[1]
	x.integer, x.floating = o.word, o.floating
	if x.width == 64 {
		x.integer = o.long
	}
	x.c = g.identity
}
