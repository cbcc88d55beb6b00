package spirv

import (
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file writes fragments, as cooperative matrices of the subgroup (SPV_KHR_cooperative_matrix).
// Modules with them have the Vulkan memory model, which that extension asks for. All others have
// GLSL450.
//
// In the Vulkan memory model, an access is private unless it says otherwise (SPIR-V, Memory
// Operands, NonPrivatePointer and NonPrivateTexel). Private accesses of other invocations may be in
// any order, whatever the barriers between them. So all accesses to workgroup memory and to storage
// that the kernel writes are non-private. Read-only storage, uniforms and immediates stay as they
// are: no invocation writes them.
//
// What an invocation writes has to be made available, and then visible to those that read it
// (Vulkan, Memory Model, "Availability and Visibility"). Barriers do both, and accesses neither.
// WGSL has no other synchronisation of non-atomic accesses (WGSL §17.11). A barrier with the
// semantics AcquireRelease, MakeAvailable and MakeVisible does it for the storage classes that it
// names, to its scope (SPIR-V, Memory Semantics). The accesses of a cooperative matrix are those of
// invocations of the subgroup (Vulkan, Memory Model, "Cooperative Matrix Memory Access"), and a
// barrier orders them in the same way.
//
// Atomic operations are non-private, and make available and visible what they access, to their
// scope (Vulkan, Memory Model, "Atomic Operation"). Their scope in storage is the queue family, as
// Device needs a feature more (VulkanMemoryModelDeviceScope). Launches are on one queue, and what
// orders them orders all accesses.

// Numbers of the type bfloat16 are only elements of matrices, which no arithmetic but that of
// products is for (SPV_KHR_bfloat16, "Validation Rules"). Kernels compute with their patterns,
// integers of 16 bits, and arrays in memory have those.

// cooperative and brain are the extensions.
const (
	cooperative = "SPV_KHR_cooperative_matrix"
	brain       = "SPV_KHR_bfloat16"
)

// holdsFragments reports whether a value of the module is a fragment, or has one in it.
func (w *emitter) holdsFragments() bool {
	if w.e.Profile.FragmentSubgroup == 0 || !w.m.HasFragments() {
		return false
	}
	for _, f := range w.m.Funcs {
		for n := 1; n < f.ValueCount(); n++ {
			if w.holdsFragment(f.TypeOf(ir.Value(n))) {
				return true
			}
		}
	}
	return false
}

// holdsFragment reports whether a type, or what it points to, is a fragment or has one in it.
func (w *emitter) holdsFragment(t ir.Type) bool {
	const no, yes = 1, 2
	known := slot(&w.fragmentTypes, uint32(t))
	if *known == 0 {
		*known = no
		held := t
		if w.m.IsPointer(t) {
			held = w.m.Element(t)
		}
		if w.m.HoldsFragment(held) {
			*known = yes
		}
	}
	return *known == yes
}

// useFragments declares what a module with fragments takes.
func (w *emitter) useFragments() {
	w.capability(grammar.CapabilityVulkanMemoryModel)
	w.capability(grammar.CapabilityCooperativeMatrixKHR)
	w.requires(abi.CooperativeMatrices)
	w.requires(abi.Subgroups)
	if info := w.e.Info; info != nil { // lower.FragmentAccess has made workgroup memory
		info.SubgroupSize = w.e.Profile.FragmentSubgroup
		bytes := uint32(0)
		for _, v := range ir.ReachOf(w.m, w.e.Kernel).Workgroup {
			t := w.m.Element(w.m.Global(v).Type)
			align := w.m.Align(t)
			bytes = (bytes+align-1)/align*align + w.m.Size(t)
		}
		info.WorkgroupBytes = max(info.WorkgroupBytes, bytes)
	}
}

// useBrain declares what a module with matrices of bfloat16 takes.
func (w *emitter) useBrain() {
	w.brain = true
	w.capability(grammar.CapabilityBFloat16TypeKHR)
	w.capability(grammar.CapabilityBFloat16CooperativeMatrixKHR)
	w.requires(abi.BFloat16Matrices)
}

// memoryOperands returns the memory operands of accesses through pointers of these types.
func (w *emitter) memoryOperands(pointers ...ir.Type) []uint32 {
	if !w.fragments {
		return nil
	}
	for _, t := range pointers {
		if s := w.m.SpaceOf(t); s == ir.Workgroup || s == ir.Storage && w.m.AccessOf(t) != ir.Read {
			return nonPrivate[:]
		}
	}
	return nil
}

var nonPrivate = [...]uint32{grammar.MemoryAccessNonPrivatePointer}

// texelOperands returns the image operands of reads and writes of a storage texture.
func (w *emitter) texelOperands(t ir.Type) []uint32 {
	if w.fragments && w.m.AccessOf(t) == ir.ReadWrite {
		return nonPrivateTexel[:]
	}
	return nil
}

var nonPrivateTexel = [...]uint32{grammar.ImageOperandsNonPrivateTexel}

// matrixUses are what SPIR-V calls the uses of fragments.
var matrixUses = [...]uint32{
	ir.LeftUse:   grammar.CooperativeMatrixUseMatrixAKHR,
	ir.RightUse:  grammar.CooperativeMatrixUseMatrixBKHR,
	ir.ResultUse: grammar.CooperativeMatrixUseMatrixAccumulatorKHR,
}

// fragmentType declares the type of a fragment.
func (w *emitter) fragmentType(t ir.Type) uint32 {
	k, rows, columns := w.m.FragmentShape(t)
	component := w.valueType(ir.Type(k))
	operands := [...]uint32{component, w.u32(grammar.ScopeSubgroup), w.u32(uint32(rows)), w.u32(uint32(columns)), w.u32(matrixUses[w.m.FragmentUse(t)])}
	id := w.id()
	start := w.globals.begin(grammar.OpTypeCooperativeMatrixKHR, id)
	w.globals.add(operands[:]...)
	w.globals.end(start)
	return id
}

// zeroFragment declares a constant whose elements are zero.
func (w *emitter) zeroFragment(t ir.Type) uint32 {
	k, _, _ := w.m.FragmentShape(t)
	typeID, zero := w.valueType(t), w.constant(w.m.Zero(ir.Type(k)))
	id := w.id()
	w.globals.op(grammar.OpConstantComposite, typeID, id, zero)
	return id
}

// fragmentMemory returns the operands that say where a load or store is: the pointer to the first
// element, then order, stride and memory operands. Offsets and strides in memory count words, of
// which each has several elements of 8 bits, and are multiples of them (lower.FragmentAccess).
func (w *emitter) fragmentMemory(i ir.Inst) (pointer uint32, rest [3]uint32) {
	array := w.f.Arg(i, ir.FragmentArray)
	offset, byColumn, stride := w.f.FragmentPosition(i)
	_, _, perWord := w.f.FragmentReach(i)
	t := w.f.TypeOf(array)
	space := w.m.SpaceOf(t)
	indices := [2]uint32{w.words(offset, perWord)}
	n, base := 1, uint32(0)
	if !array.IsGlobal() {
		base = w.value(array)
	} else if x := w.global(array); x.wrapped {
		base, indices, n = x.id, [2]uint32{w.u32(0), indices[0]}, 2
	} else {
		base = x.id
	}
	pointer = w.emit(grammar.OpAccessChain, w.pointerType(space, w.pointee(space, w.m.Element(w.m.Element(t)))), append([]uint32{base}, indices[:n]...)...)
	layout := grammar.CooperativeMatrixLayoutRowMajorKHR
	if w.m.ConstBits(byColumn) != 0 {
		layout = grammar.CooperativeMatrixLayoutColumnMajorKHR
	}
	rest = [3]uint32{w.u32(layout), w.words(stride, perWord), grammar.MemoryAccessNone}
	if operands := w.memoryOperands(t); operands != nil {
		rest[2] = operands[0]
	}
	return pointer, rest
}

// words returns how many words a number of elements has.
func (w *emitter) words(elements ir.Value, perWord int) uint32 {
	if perWord == 1 {
		return w.value(elements)
	}
	if n, ok := w.m.ConstUint(elements); ok {
		return w.u32(uint32(n) / uint32(perWord))
	}
	return w.emit(grammar.OpUDiv, w.valueType(ir.U32), w.value(elements), w.u32(uint32(perWord)))
}

func emitFragmentLoad(w *emitter, i ir.Inst) {
	pointer, rest := w.fragmentMemory(i)
	w.set(i, w.emit(grammar.OpCooperativeMatrixLoadKHR, w.valueType(w.f.Type(i)), pointer, rest[0], rest[1], rest[2]))
}

// refuseIntrinsic is why a profile does not have an intrinsic.
func refuseIntrinsic(id op.IntrinsicID, _ *codegen.Profile) string {
	if id.Owner() != op.OfSPIRV {
		return codegen.NoIntrinsics
	}
	return ""
}

// emitIntrinsic writes the one intrinsic of SPIR-V: a load of 16 bytes of a read-only buffer.
func emitIntrinsic(w *emitter, i ir.Inst) {
	t := w.f.Type(i)
	pointer := w.pointerType(ir.Storage, w.memoryType(t))
	at := w.emit(grammar.OpAccessChain, pointer, w.bufferWords(w.f.Arg(i, 0), t), w.u32(0), w.value(w.f.Arg(i, 1)))
	w.set(i, w.emit(grammar.OpLoad, w.valueType(t), at))
}

// bufferWords returns the variable that has a buffer's descriptor, too, and is an array of vectors.
// Nothing writes to either.
func (w *emitter) bufferWords(v ir.Value, vector ir.Type) uint32 {
	x := w.global(v)
	if x.words != 0 {
		return x.words
	}
	g := w.m.Global(v)
	block, _ := w.blockType(w.m.ArrayOf(vector, ir.NoValue))
	x.words = w.id()
	w.globals.op(grammar.OpVariable, w.pointerType(ir.Storage, block), x.words, storageClasses[ir.Storage])
	w.name(x.words, g.Name)
	w.decorate(x.words, grammar.DecorationDescriptorSet, g.Group)
	w.decorate(x.words, grammar.DecorationBinding, g.Binding)
	w.decorate(x.words, grammar.DecorationNonWritable)
	return x.words
}

func emitFragmentStore(w *emitter, i ir.Inst) {
	stored := w.value(w.f.Arg(i, ir.FragmentStored))
	pointer, rest := w.fragmentMemory(i)
	w.body.op(grammar.OpCooperativeMatrixStoreKHR, pointer, stored, rest[0], rest[1], rest[2])
}

// emitFragmentSplat converts the number to the kind of the elements, which has it. That of bfloat16
// is a pattern.
func emitFragmentSplat(w *emitter, i ir.Inst) {
	x := w.value(w.f.Arg(i, 0))
	t := w.valueType(w.f.Type(i))
	switch k, _, _ := w.m.FragmentShape(w.f.Type(i)); k {
	case scalar.I8:
		x = w.emit(grammar.OpSConvert, w.valueType(ir.Type(k)), x)
	case scalar.U8:
		x = w.emit(grammar.OpUConvert, w.valueType(ir.Type(k)), x)
	case scalar.BF16:
		x = w.emit(grammar.OpBitcast, w.valueType(ir.Type(k)), x)
	}
	w.set(i, w.emit(grammar.OpCompositeConstruct, t, x))
}

// signedOperands say which of the matrices of a product have signed components.
var signedOperands = [...]uint32{
	grammar.CooperativeMatrixOperandsMatrixASignedComponentsKHR,
	grammar.CooperativeMatrixOperandsMatrixBSignedComponentsKHR,
	grammar.CooperativeMatrixOperandsMatrixCSignedComponentsKHR | grammar.CooperativeMatrixOperandsMatrixResultSignedComponentsKHR,
}

func emitFragmentMulAdd(w *emitter, i ir.Inst) {
	var ids [len(signedOperands) + 1]uint32
	n, signed := len(signedOperands), uint32(0)
	for k, a := range w.f.Args(i) {
		ids[k] = w.value(a)
		if kind, _, _ := w.m.FragmentShape(w.f.TypeOf(a)); kind.IsSigned() && kind.IsInteger() {
			signed |= signedOperands[k]
		}
	}
	if signed != 0 {
		ids[n] = signed
		n++
	}
	w.set(i, w.emit(grammar.OpCooperativeMatrixMulAddKHR, w.valueType(w.f.Type(i)), ids[:n]...))
}

// fragmentElements are the operations on elements.
var fragmentElements = [op.Count]*row{op.FragmentAdd: &addition, op.FragmentSub: &subtraction, op.FragmentMul: &multiplication}

func emitFragmentElements(w *emitter, i ir.Inst) {
	t := w.f.Type(i)
	k, _, _ := w.m.FragmentShape(t)
	x, y := w.value(w.f.Arg(i, 0)), w.value(w.f.Arg(i, 1))
	id := w.emit(fragmentElements[w.f.Op(i)].opcode(k), w.valueType(t), x, y)
	if w.f.Flags(i)&(ir.Contract|ir.Fast) == 0 {
		w.exact(id, k)
	}
	w.set(i, id)
}
