package spirv

import (
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// variable is a module variable as declared.
type variable struct {
	id      uint32
	pointee uint32 // the type of what it holds
	wrapped bool   // its value is the only member of the block
	words   uint32 // the variable with the same descriptor that is an array of vectors, or 0
}

// global returns a module variable, which is declared when it is first used.
func (w *emitter) global(v ir.Value) *variable {
	x := &w.variables[v.Index()]
	if x.id != 0 {
		return x
	}
	g := w.m.Global(v)
	space, t := w.m.SpaceOf(g.Type), w.m.Element(g.Type)
	if explicit(space) {
		w.checkLayout(g, space, t)
		x.pointee, x.wrapped = w.blockType(t)
		w.smallScalars(g, space, t)
	} else {
		x.pointee = w.valueType(t)
	}
	pointer := w.pointerType(space, x.pointee)
	initial := uint32(0)
	switch {
	case explicit(space): // the runtime's to fill
	case g.Init != 0:
		initial = w.constant(g.Init)
	case space == ir.Private || space == ir.Constant:
		initial = w.null(x.pointee)
	}
	x.id = w.id()
	w.globals.op(grammar.OpVariable, pointer, x.id, storageClasses[space])
	if initial != 0 {
		w.globals.words[len(w.globals.words)-4] += 1 << 16
		w.globals.add(initial)
	}
	w.name(x.id, g.Name)
	if g.Bound {
		w.decorate(x.id, grammar.DecorationDescriptorSet, g.Group)
		w.decorate(x.id, grammar.DecorationBinding, g.Binding)
	}
	switch space {
	case ir.Handle:
		w.decorateTexture(x.id, t)
	case ir.Storage:
		// A launch refuses overlapping bindings one of which is written.
		w.decorate(x.id, grammar.DecorationRestrict)
		if w.m.AccessOf(g.Type) == ir.Read {
			w.decorate(x.id, grammar.DecorationNonWritable)
		}
	}
	return x
}

// checkLayout reports a binding whose layout Vulkan 1.1 does not take. For
// uniform buffers std140 has replaced it before; for storage buffers WGSL's own
// rules never lead here, but another front end's may.
func (w *emitter) checkLayout(g *ir.Global, space ir.Space, t ir.Type) {
	if problem := lower.LayoutProblem(w.m, t, space == ir.Uniform); problem != "" {
		w.unsupported(g.Span, "the layout of @"+g.Name+": "+problem)
	}
}

// smallScalars declares what accesses to the scalars in a variable take that have less than 32
// bits.
func (w *emitter) smallScalars(g *ir.Global, space ir.Space, t ir.Type) {
	bytes := w.contains(t, scalar.I8) || w.contains(t, scalar.U8)
	halfwords := w.contains(t, scalar.I16) || w.contains(t, scalar.U16)
	if (bytes || halfwords) && space != ir.Storage {
		w.unsupported(g.Span, "the layout of @"+g.Name+": integers of 8 and 16 bits are in storage buffers only")
	}
	if halfwords || w.contains(t, scalar.F16) {
		if space == ir.Uniform {
			w.capability(grammar.CapabilityUniformAndStorageBuffer16BitAccess)
		}
		w.capability(grammar.CapabilityStorageBuffer16BitAccess)
	}
	if bytes {
		w.bytes = true // which takes an extension below SPIR-V 1.5
		w.capability(grammar.CapabilityStorageBuffer8BitAccess)
	}
}

// contains reports whether a type has scalars of a kind in it.
func (w *emitter) contains(t ir.Type, k scalar.Kind) bool {
	return w.search(t, k, nil)
}

// search is contains without the structures in structures that were searched: they
// may be nested like a binary tree.
func (w *emitter) search(t ir.Type, k scalar.Kind, searched map[ir.Type]bool) bool {
	if found := w.m.ScalarOf(t); found != scalar.None {
		return found == k
	}
	switch w.m.KindOf(t) {
	case ir.ArrayType:
		return w.search(w.m.Element(t), k, searched)
	case ir.StructType:
		for _, member := range w.m.Members(t) {
			inner := member.Type
			for w.m.KindOf(inner) == ir.ArrayType {
				inner = w.m.Element(inner)
			}
			if w.m.KindOf(inner) == ir.StructType {
				if searched[inner] {
					continue
				}
				if searched == nil {
					searched = map[ir.Type]bool{}
				}
				searched[inner] = true
			}
			if w.search(inner, k, searched) {
				return true
			}
		}
	}
	return false
}

// pointer returns the id of a pointer and the type of what it points to.
func (w *emitter) pointer(v ir.Value) (id, pointee uint32) {
	t := w.f.TypeOf(v)
	space := w.m.SpaceOf(t)
	if !v.IsGlobal() {
		return w.value(v), w.pointee(space, w.m.Element(t))
	}
	x := w.global(v)
	if !x.wrapped {
		return x.id, x.pointee
	}
	inner := w.memoryType(w.m.Element(t))
	return w.emit(grammar.OpAccessChain, w.pointerType(space, inner), x.id, w.u32(0)), inner
}

// builtin reads a launch coordinate at the start of the kernel.
func (w *emitter) builtin(b ir.Builtin) uint32 {
	switch b {
	case ir.GlobalInvocationIndex:
		id := w.loadBuiltin(ir.GlobalInvocationID)
		groups := w.loadBuiltin(ir.NumWorkgroups)
		var size [3]uint32
		for n, v := range w.e.Kernel.Workgroup {
			x, _ := w.m.ConstUint(v)
			size[n] = uint32(x)
		}
		vector := w.valueType(w.m.VectorOf(ir.U32, 3))
		sizes := w.constant(w.m.ConstComposite(w.m.VectorOf(ir.U32, 3),
			[]ir.Value{w.m.ConstU32(size[0]), w.m.ConstU32(size[1]), w.m.ConstU32(size[2])}))
		return w.linear(id, w.emit(grammar.OpIMul, vector, groups, sizes))
	case ir.WorkgroupIndex:
		return w.linear(w.loadBuiltin(ir.WorkgroupID), w.loadBuiltin(ir.NumWorkgroups))
	}
	return w.loadBuiltin(b)
}

// linear numbers a point of a grid: x + extent.x·(y + extent.y·z).
func (w *emitter) linear(point, extent uint32) uint32 {
	u32 := w.valueType(ir.U32)
	part := func(v, n uint32) uint32 { return w.emit(grammar.OpCompositeExtract, u32, v, n) }
	sum := w.emit(grammar.OpIAdd, u32, part(point, 1), w.emit(grammar.OpIMul, u32, part(extent, 1), part(point, 2)))
	return w.emit(grammar.OpIAdd, u32, part(point, 0), w.emit(grammar.OpIMul, u32, part(extent, 0), sum))
}

// builtinDecorations names the inputs that hold the coordinates.
var builtinDecorations = [ir.BuiltinCount]uint32{
	ir.LocalInvocationID:    grammar.BuiltInLocalInvocationId,
	ir.LocalInvocationIndex: grammar.BuiltInLocalInvocationIndex,
	ir.GlobalInvocationID:   grammar.BuiltInGlobalInvocationId,
	ir.WorkgroupID:          grammar.BuiltInWorkgroupId,
	ir.NumWorkgroups:        grammar.BuiltInNumWorkgroups,
	ir.SubgroupInvocationID: grammar.BuiltInSubgroupLocalInvocationId,
	ir.SubgroupSize:         grammar.BuiltInSubgroupSize,
	ir.SubgroupID:           grammar.BuiltInSubgroupId,
	ir.NumSubgroups:         grammar.BuiltInNumSubgroups,
}

func (w *emitter) loadBuiltin(b ir.Builtin) uint32 {
	t := w.valueType(w.m.BuiltinType(b))
	if w.builtins[b] == 0 {
		if b >= ir.SubgroupInvocationID && b <= ir.NumSubgroups {
			w.subgroup(grammar.CapabilityGroupNonUniform)
		}
		pointer := w.pointerTo(grammar.StorageClassInput, t)
		id := w.id()
		w.globals.op(grammar.OpVariable, pointer, id, grammar.StorageClassInput)
		w.name(id, b.String())
		w.decorate(id, grammar.DecorationBuiltIn, builtinDecorations[b])
		w.interfaces = append(w.interfaces, id)
		w.builtins[b] = id
	}
	return w.emit(grammar.OpLoad, t, w.builtins[b])
}

func emitVar(w *emitter, i ir.Inst) {
	r := w.f.Result(i)
	w.ids[r] = w.id()
	w.vars.op(grammar.OpVariable, w.valueType(w.f.Type(i)), w.ids[r], grammar.StorageClassFunction)
}

func emitAccess(w *emitter, i ir.Inst) {
	args := w.f.Args(i)
	t := w.valueType(w.f.Type(i))
	mark := len(w.edgeIDs)
	base := uint32(0)
	if args[0].IsGlobal() {
		x := w.global(args[0])
		base = x.id
		if x.wrapped {
			w.edgeIDs = append(w.edgeIDs, w.u32(0))
		}
	} else {
		base = w.value(args[0])
	}
	for _, index := range args[1:] {
		w.edgeIDs = append(w.edgeIDs, w.value(index))
	}
	id := w.id()
	w.ids[w.f.Result(i)] = id
	start := w.body.begin(grammar.OpAccessChain, t, id, base)
	w.body.add(w.edgeIDs[mark:]...)
	w.body.end(start)
	w.edgeIDs = w.edgeIDs[:mark]
}

func emitLoad(w *emitter, i ir.Inst) {
	t := w.f.Type(i)
	if v := w.f.Arg(i, 0); v.IsGlobal() && w.m.Global(v).Role == ir.FusedFlag {
		w.set(i, w.fusedFlag())
		return
	}
	pointer, pointee := w.pointer(w.f.Arg(i, 0))
	value := w.load(pointee, pointer, w.f.TypeOf(w.f.Arg(i, 0)))
	w.ids[w.f.Result(i)] = w.fromMemory(t, value, pointee)
}

// load writes a load through a pointer of type of.
func (w *emitter) load(t, pointer uint32, of ir.Type) uint32 {
	id := w.id()
	start := w.body.begin(grammar.OpLoad, t, id, pointer)
	w.body.add(w.memoryOperands(of)...)
	w.body.end(start)
	return id
}

// store writes a store through a pointer of type of.
func (w *emitter) store(pointer, value uint32, of ir.Type) {
	start := w.body.begin(grammar.OpStore, pointer, value)
	w.body.add(w.memoryOperands(of)...)
	w.body.end(start)
}

func emitStore(w *emitter, i ir.Inst) {
	v, of := w.f.Arg(i, 1), w.f.TypeOf(w.f.Arg(i, 0))
	pointer, pointee := w.pointer(w.f.Arg(i, 0))
	if t := w.f.TypeOf(v); w.m.IsZero(v) && !w.m.IsScalar(t) && !w.m.IsFragment(t) {
		w.store(pointer, w.null(pointee), of)
		return
	}
	w.store(pointer, w.toMemory(w.f.TypeOf(v), w.value(v), pointee), of)
}

func emitCopy(w *emitter, i ir.Inst) {
	t := w.m.Element(w.f.TypeOf(w.f.Arg(i, 0)))
	to, toType := w.pointer(w.f.Arg(i, 0))
	from, fromType := w.pointer(w.f.Arg(i, 1))
	toPointer, fromPointer := w.f.TypeOf(w.f.Arg(i, 0)), w.f.TypeOf(w.f.Arg(i, 1))
	if toType == fromType && !w.holdsFragment(t) {
		start := w.body.begin(grammar.OpCopyMemory, to, from)
		w.body.add(w.memoryOperands(toPointer, fromPointer)...)
		w.body.end(start)
		return
	}
	value := w.fromMemory(t, w.load(fromType, from, fromPointer), fromType)
	w.store(to, w.toMemory(t, value, toType), toPointer)
}

// fromMemory converts what was loaded as a type of memory to a value.
func (w *emitter) fromMemory(t ir.Type, id, from uint32) uint32 {
	to := w.valueType(t)
	if from == to {
		return id
	}
	if w.m.Components(t) > 0 { // a bool is a u32
		return w.emit(grammar.OpINotEqual, to, id, w.null(from))
	}
	return w.convertParts(t, to, func(part ir.Type, n uint32) uint32 {
		partType := w.memoryType(part)
		return w.fromMemory(part, w.emit(grammar.OpCompositeExtract, partType, id, n), partType)
	})
}

// toMemory converts a value to a type of memory.
func (w *emitter) toMemory(t ir.Type, id, to uint32) uint32 {
	from := w.valueType(t)
	if from == to {
		return id
	}
	if w.m.Components(t) > 0 {
		k := w.m.WithScalar(t, scalar.U32)
		return w.emit(grammar.OpSelect, to, id, w.constant(w.m.ConstInt(k, 1)), w.constant(w.m.ConstInt(k, 0)))
	}
	return w.convertParts(t, to, func(part ir.Type, n uint32) uint32 {
		return w.toMemory(part, w.emit(grammar.OpCompositeExtract, w.valueType(part), id, n), w.memoryType(part))
	})
}

// convertParts makes an aggregate of another type from converted parts.
func (w *emitter) convertParts(t ir.Type, to uint32, convert func(part ir.Type, n uint32) uint32) uint32 {
	mark := len(w.edgeIDs)
	count, _ := w.m.Count(t)
	for n := range count {
		part := convert(w.m.PartType(t, n), n)
		w.edgeIDs = append(w.edgeIDs, part)
	}
	out := w.emit(grammar.OpCompositeConstruct, to, w.edgeIDs[mark:]...)
	w.edgeIDs = w.edgeIDs[:mark]
	return out
}

// emitArrayLength finds the block that holds the array: SPIR-V asks for the
// length of a member of a variable, not for that of what a pointer leads to.
func emitArrayLength(w *emitter, i ir.Inst) {
	t, id := w.result(i)
	base, member := w.f.Arg(i, 0), uint32(0)
	if d, ok := w.f.Def(base); ok && w.f.Op(d) == op.Access && len(w.f.Args(d)) == 2 {
		base = w.f.Arg(d, 0)
		n, _ := w.m.ConstUint(w.f.Arg(d, 1))
		member = uint32(n)
	}
	if !base.IsGlobal() {
		w.lacks(i, "the length of an array that is reached through a function's parameter")
		return
	}
	w.body.op(grammar.OpArrayLength, t, id, w.global(base).id, member)
}
