package ptx

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file emits atomics and barriers. WGSL's atomics are relaxed; their scope
// is the device for storage and the workgroup, which is all that can see it,
// for workgroup memory (PTX ISA, memory consistency model).

// atomicForms are the operation and type of atom and red for each operation and
// kind of integer; "" where PTX names another type of the same effect.
var atomicForms = [op.AtomicOperations]struct{ signed, unsigned, signed64, unsigned64, single string }{
	op.AtomicAdd:      {"add.s32", "add.u32", "add.u64", "add.u64", "add.f32"},
	op.AtomicSub:      {"add.s32", "add.u32", "add.u64", "add.u64", "add.f32"}, // of the negated operand
	op.AtomicMax:      {"max.s32", "max.u32", "max.s64", "max.u64", ""},
	op.AtomicMin:      {"min.s32", "min.u32", "min.s64", "min.u64", ""},
	op.AtomicAnd:      {"and.b32", "and.b32", "and.b64", "and.b64", ""},
	op.AtomicOr:       {"or.b32", "or.b32", "or.b64", "or.b64", ""},
	op.AtomicXor:      {"xor.b32", "xor.b32", "xor.b64", "xor.b64", ""},
	op.AtomicExchange: {"exch.b32", "exch.b32", "exch.b64", "exch.b64", "exch.b32"},
}

func atomicForm(o op.AtomicOperation, k scalar.Kind) string {
	row := &atomicForms[o]
	switch k {
	case scalar.I32:
		return row.signed
	case scalar.U32:
		return row.unsigned
	case scalar.I64:
		return row.signed64
	case scalar.U64:
		return row.unsigned64
	case scalar.F32:
		return row.single
	}
	return ""
}

// scope prints the qualifiers of an atomic on the memory behind a pointer.
func (e *emitter) scope(instruction string, v ir.Value) {
	e.text("\t", instruction, ".relaxed")
	if e.spaceOf(v) == ir.Workgroup {
		e.text(".cta")
	} else {
		e.text(".gpu")
	}
	e.text(e.spaceName(v))
}

func (e *emitter) atomicLoad(i ir.Inst) {
	v := e.f.Arg(i, 0)
	r := e.define(e.f.Result(i))[0]
	e.scope("ld", v)
	e.vector(1, r)
	e.name(r)
	e.text(", ")
	e.place(e.pointer(v))
	e.text(";\n")
}

func (e *emitter) atomicStore(i ir.Inst) { e.storeAtomically(e.f.Arg(i, 0), e.slot(e.f.Arg(i, 1))) }

func (e *emitter) storeAtomically(v ir.Value, x operand) {
	p := e.pointer(v)
	e.scope("st", v)
	e.vector(1, x)
	e.place(p)
	e.text(", ")
	e.bits(x)
	e.text(";\n")
}

// atomicReadModifyWrite emits a reduction, which returns nothing, where the old
// value is not used.
func (e *emitter) atomicReadModifyWrite(i ir.Inst) {
	v, x := e.f.Arg(i, 0), e.slot(e.f.Arg(i, 1))
	k := e.m.ScalarOf(e.f.TypeOf(e.f.Arg(i, 1)))
	o := op.AtomicOperation(e.f.Aux(i))
	form := atomicForm(o, k)
	if form == "" {
		panic("ptx has no atomic " + o.String() + " on " + k.String())
	}
	p := e.pointer(v)
	unused := e.uses[e.f.Result(i)] == 0
	if o == op.AtomicSub {
		negated := e.fresh(kinds[k].class)
		e.expand("neg.$T $d, $a", arguments{signedKind(k), []operand{negated}, []operand{x}})
		x = negated
	}
	if unused && o == op.AtomicExchange {
		e.storeAtomically(v, x)
		return
	}
	if unused {
		e.scope("red", v)
		e.text(".", form, " ")
	} else {
		r := e.define(e.f.Result(i))[0]
		e.scope("atom", v)
		e.text(".", form, " ")
		e.name(r)
		e.text(", ")
	}
	e.place(p)
	e.text(", ")
	if k == scalar.F32 && o != op.AtomicExchange {
		e.typed(x)
	} else {
		e.bits(x)
	}
	e.text(";\n")
}

// signedKind returns the kind in which PTX negates a kind.
func signedKind(k scalar.Kind) scalar.Kind {
	switch k {
	case scalar.U32:
		return scalar.I32
	case scalar.U64:
		return scalar.I64
	}
	return k
}

func (e *emitter) atomicCompareExchange(i ir.Inst) {
	v, compare, x := e.f.Arg(i, 0), e.slot(e.f.Arg(i, 1)), e.slot(e.f.Arg(i, 2))
	p := e.pointer(v)
	r := e.define(e.f.Result(i))[0]
	e.scope("atom", v)
	e.text(".cas")
	e.vector(1, r)
	e.name(r)
	e.text(", ")
	e.place(p)
	e.text(", ")
	e.bits(compare)
	e.text(", ")
	e.bits(x)
	e.text(";\n")
}

// barrier emits a barrier. That of a workgroup orders all memory between its
// invocations (PTX ISA, bar), which covers each memory a WGSL barrier names.
func (e *emitter) barrier(i ir.Inst) {
	if op.Memory(e.f.Aux(i))&op.SubgroupScope != 0 {
		e.text("\tbar.warp.sync ")
		e.bits(e.members(i))
		e.text(";\n")
		return
	}
	e.text("\tbar.sync 0;\n")
}
