package spirv

import (
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file writes arithmetic, conversions and composites that are more than
// one instruction, or whose instruction depends on more than a kind.

// set makes an id the result of an instruction.
func (w *emitter) set(i ir.Inst, id uint32) { w.ids[w.f.Result(i)] = id }

func (w *emitter) kindOf(v ir.Value) scalar.Kind { return w.m.ScalarOf(w.f.TypeOf(v)) }

// emitRem writes signed remainders as x - x/y·y: Vulkan leaves OpSRem of
// negative operands undefined (Vulkan, precision of OpSRem).
func emitRem(w *emitter, i ir.Inst) {
	x, y := w.value(w.f.Arg(i, 0)), w.value(w.f.Arg(i, 1))
	t := w.valueType(w.f.Type(i))
	switch k := w.kindOf(w.f.Arg(i, 0)); {
	case k.IsFloat():
		w.set(i, w.emit(grammar.OpFRem, t, x, y))
	case k.IsSigned():
		quotient := w.emit(grammar.OpSDiv, t, x, y)
		w.set(i, w.emit(grammar.OpISub, t, x, w.emit(grammar.OpIMul, t, quotient, y)))
	default:
		w.set(i, w.emit(grammar.OpUMod, t, x, y))
	}
}

// emitMulHigh takes one member of what the instruction gives, a structure of both halves.
func emitMulHigh(w *emitter, i ir.Inst) {
	if w.kindOf(w.f.Arg(i, 0)).Bits() == 64 {
		w.lacks(i, w.f.Op(i).String()+" "+narrow)
		return
	}
	t := w.valueType(w.f.Type(i))
	halves := w.emit(grammar.OpUMulExtended, w.pairType(t), w.value(w.f.Arg(i, 0)), w.value(w.f.Arg(i, 1)))
	w.set(i, w.emit(grammar.OpCompositeExtract, t, halves, 1))
}

func emitAbs(w *emitter, i ir.Inst) {
	x, t := w.value(w.f.Arg(i, 0)), w.valueType(w.f.Type(i))
	switch k := w.kindOf(w.f.Arg(i, 0)); {
	case k.IsFloat():
		w.set(i, w.extended(grammar.GLSLFAbs, t, x))
	case k.IsSigned() && !w.e.Workarounds.Has(workaround.NVAbs):
		w.set(i, w.extended(grammar.GLSLSAbs, t, x))
	case k.IsSigned():
		w.set(i, w.extended(grammar.GLSLSMax, t, x, w.emit(grammar.OpSNegate, t, x)))
	default:
		w.set(i, x)
	}
}

// emitClamp avoids the clamps of GLSL.std.450, which are undefined where low
// exceeds high.
func emitClamp(w *emitter, i ir.Inst) {
	k, t := w.kindOf(w.f.Arg(i, 0)), w.valueType(w.f.Type(i))
	low := w.extended(maximum.opcode(k), t, w.value(w.f.Arg(i, 0)), w.value(w.f.Arg(i, 1)))
	w.set(i, w.extended(minimum.opcode(k), t, low, w.value(w.f.Arg(i, 2))))
}

func emitSelect(w *emitter, i ir.Inst) {
	condition := w.f.Arg(i, 0)
	w.set(i, w.selectValue(w.f.Type(i), w.value(condition), w.m.Components(w.f.TypeOf(condition)),
		w.value(w.f.Arg(i, 1)), w.value(w.f.Arg(i, 2))))
}

// selectValue chooses between values. SPIR-V 1.3 wants a condition for each
// component of a vector, and has no choice between aggregates.
func (w *emitter) selectValue(t ir.Type, condition uint32, width int, x, y uint32) uint32 {
	id := w.valueType(t)
	n := w.m.Components(t)
	switch {
	case n == 0:
		return w.convertParts(t, id, func(part ir.Type, n uint32) uint32 {
			p := w.valueType(part)
			return w.selectValue(part, condition, width,
				w.emit(grammar.OpCompositeExtract, p, x, n), w.emit(grammar.OpCompositeExtract, p, y, n))
		})
	case n > 1 && width == 1:
		condition = w.splat(w.valueType(w.m.VectorOf(ir.Bool, n)), condition, n)
	}
	return w.emit(grammar.OpSelect, id, condition, x, y)
}

// splat makes a vector of n equal components.
func (w *emitter) splat(t, x uint32, n int) uint32 {
	parts := [4]uint32{x, x, x, x}
	return w.emit(grammar.OpCompositeConstruct, t, parts[:n]...)
}

func emitReduction(w *emitter, i ir.Inst) {
	x := w.value(w.f.Arg(i, 0))
	switch {
	case !w.m.IsVector(w.f.TypeOf(w.f.Arg(i, 0))):
		w.set(i, x)
	case w.f.Op(i) == op.All:
		w.set(i, w.emit(grammar.OpAll, w.valueType(ir.Bool), x))
	default:
		w.set(i, w.emit(grammar.OpAny, w.valueType(ir.Bool), x))
	}
}

// emitDot writes OpDot where a driver may fuse, and otherwise the sum in the
// order of the components, as the op table has it. Integers have no OpDot.
func emitDot(w *emitter, i ir.Inst) {
	f := w.f
	a, b := w.value(f.Arg(i, 0)), w.value(f.Arg(i, 1))
	t := w.valueType(f.Type(i))
	k := w.kindOf(f.Arg(i, 0))
	if k.IsFloat() && f.Flags(i)&ir.Contract != 0 {
		w.set(i, w.emit(grammar.OpDot, t, a, b))
		return
	}
	multiply, add := multiplication.opcode(k), addition.opcode(k)
	sum := uint32(0)
	for n := range w.m.Components(f.TypeOf(f.Arg(i, 0))) {
		product := w.emit(multiply, t, w.emit(grammar.OpCompositeExtract, t, a, uint32(n)), w.emit(grammar.OpCompositeExtract, t, b, uint32(n)))
		w.exact(product, k)
		if n == 0 {
			sum = product
			continue
		}
		sum = w.emit(add, t, sum, product)
		w.exact(sum, k)
	}
	w.set(i, sum)
}

// exact forbids drivers to fuse a float operation with another.
func (w *emitter) exact(id uint32, k scalar.Kind) {
	if k.IsFloat() {
		w.decorate(id, grammar.DecorationNoContraction)
	}
}

// emitConvert writes the conversions that are left once lower.DefineArithmetic has brought
// floats into the range of the integer kind.
func emitConvert(w *emitter, i ir.Inst) {
	a := w.f.Arg(i, 0)
	t := w.f.Type(i)
	from, to := w.kindOf(a), w.m.ScalarOf(t)
	x, id := w.value(a), w.valueType(t)
	switch {
	case from == to:
		w.set(i, x)
	case to == scalar.Bool:
		opcode := unequal.opcode(from)
		w.set(i, w.emit(opcode, id, x, w.constant(w.m.ConstInt(w.f.TypeOf(a), 0))))
	case from == scalar.Bool:
		w.set(i, w.emit(grammar.OpSelect, id, x, w.constant(w.m.ConstInt(t, 1)), w.constant(w.m.ConstInt(t, 0))))
	case from.IsFloat() && to.IsFloat():
		w.set(i, w.emit(grammar.OpFConvert, id, x))
	case from.IsFloat() && to.IsSigned():
		w.set(i, w.emit(grammar.OpConvertFToS, id, x))
	case from.IsFloat():
		w.set(i, w.emit(grammar.OpConvertFToU, id, x))
	case to.IsFloat() && from.IsSigned():
		w.set(i, w.emit(grammar.OpConvertSToF, id, x))
	case to.IsFloat():
		w.set(i, w.emit(grammar.OpConvertUToF, id, x))
	case from.Bits() == to.Bits():
		w.set(i, w.emit(grammar.OpBitcast, id, x))
	case from.IsSigned():
		w.set(i, w.emit(grammar.OpSConvert, id, x))
	case !to.IsSigned():
		w.set(i, w.emit(grammar.OpUConvert, id, x))
	default: // OpUConvert makes unsigned integers only
		x = w.emit(grammar.OpUConvert, w.valueType(w.m.WithScalar(t, unsigned[to])), x)
		w.set(i, w.emit(grammar.OpBitcast, id, x))
	}
}

// unsigned are the unsigned kinds of the signed ones' widths.
var unsigned = [scalar.Count]scalar.Kind{scalar.I8: scalar.U8, scalar.I16: scalar.U16, scalar.I32: scalar.U32, scalar.I64: scalar.U64}

func emitBitcast(w *emitter, i ir.Inst) {
	a := w.f.Arg(i, 0)
	from, to := w.valueType(w.f.TypeOf(a)), w.valueType(w.f.Type(i))
	if from == to {
		w.set(i, w.value(a))
		return
	}
	w.set(i, w.emit(grammar.OpBitcast, to, w.value(a)))
}

func emitSplat(w *emitter, i ir.Inst) {
	t := w.f.Type(i)
	w.set(i, w.splat(w.valueType(t), w.value(w.f.Arg(i, 0)), w.m.Components(t)))
}

func emitConstruct(w *emitter, i ir.Inst) {
	mark := len(w.edgeIDs)
	for _, a := range w.f.Args(i) {
		id := w.value(a)
		w.edgeIDs = append(w.edgeIDs, id)
	}
	t, id := w.result(i)
	start := w.body.begin(grammar.OpCompositeConstruct, t, id)
	w.body.add(w.edgeIDs[mark:]...)
	w.body.end(start)
	w.edgeIDs = w.edgeIDs[:mark]
}

func emitExtract(w *emitter, i ir.Inst) {
	x := w.value(w.f.Arg(i, 0))
	t := w.valueType(w.f.Type(i))
	if n, ok := w.m.ConstIndex(w.f.TypeOf(w.f.Arg(i, 0)), w.f.Arg(i, 1)); ok {
		w.set(i, w.emit(grammar.OpCompositeExtract, t, x, n))
		return
	}
	if !w.m.IsVector(w.f.TypeOf(w.f.Arg(i, 0))) {
		w.lacks(i, "a dynamic index into an array value is replaced by the legaliser spillindexed")
		return
	}
	w.set(i, w.emit(grammar.OpVectorExtractDynamic, t, x, w.value(w.f.Arg(i, 1))))
}

func emitInsert(w *emitter, i ir.Inst) {
	x, part := w.value(w.f.Arg(i, 0)), w.value(w.f.Arg(i, 1))
	t := w.valueType(w.f.Type(i))
	if n, ok := w.m.ConstIndex(w.f.Type(i), w.f.Arg(i, 2)); ok {
		w.set(i, w.emit(grammar.OpCompositeInsert, t, part, x, n))
		return
	}
	if !w.m.IsVector(w.f.Type(i)) {
		w.lacks(i, "a dynamic index into an array value is replaced by the legaliser spillindexed")
		return
	}
	w.set(i, w.emit(grammar.OpVectorInsertDynamic, t, x, part, w.value(w.f.Arg(i, 2))))
}

func emitShuffle(w *emitter, i ir.Inst) {
	x := w.value(w.f.Arg(i, 0))
	t, id := w.result(i)
	start := w.body.begin(grammar.OpVectorShuffle, t, id, x, x)
	for n := range w.m.Components(w.f.Type(i)) {
		w.body.add(op.SwizzleComponent(w.f.Aux(i), n))
	}
	w.body.end(start)
}

func emitCall(w *emitter, i ir.Inst) {
	callee := w.functions[w.f.Aux(i)]
	mark := len(w.edgeIDs)
	for _, a := range w.f.Args(i) {
		id := uint32(0)
		if w.m.IsPointer(w.f.TypeOf(a)) {
			id = w.argument(i, a)
		} else {
			id = w.value(a)
		}
		w.edgeIDs = append(w.edgeIDs, id)
	}
	id := w.id()
	if r := w.f.Result(i); r != 0 {
		w.ids[r] = id
	}
	start := w.body.begin(grammar.OpFunctionCall, w.valueType(w.f.Type(i)), id, callee)
	w.body.add(w.edgeIDs[mark:]...)
	w.body.end(start)
	w.edgeIDs = w.edgeIDs[:mark]
}

// argument returns a pointer that a call passes. Without variable pointers it
// is a whole variable or a parameter (SPIR-V §2.16.1), of memory without layout.
func (w *emitter) argument(i ir.Inst, a ir.Value) uint32 {
	if explicit(w.m.SpaceOf(w.f.TypeOf(a))) || a.IsLocal() && w.f.DefOp(a) == op.Access {
		w.lacks(i, "a call that passes a pointer to a part of a variable or to a buffer")
		return 0
	}
	id, _ := w.pointer(a)
	return id
}
