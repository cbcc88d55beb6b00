package amdgpu

import (
	"math"

	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file translates loads, stores and atomics. An address is a pointer to which an index and a
// constant are added, in bytes.

// traits describe LLVM IR as a machine.
var traits = mir.Traits{LowOffset: math.MinInt32, HighOffset: math.MaxInt32, Indexed: true, Lanes: 16, Names: machineNames()}

// address returns a memory operand's address, after the instructions that compute it.
func (e *emitter) address(m *mir.Memory) value.Value {
	t := spaceTypes[m.Space]
	var at value.Value
	if m.Base != mir.NoOperand {
		at = e.cast(m.Base, t)
	} else {
		at = e.variable(e.f.Symbols[m.Symbol].Variable)
	}
	if m.Index != mir.NoOperand {
		at = e.temp(offset(at, e.cast(m.Index, e.classType(m.Index))))
	}
	if m.Offset != 0 {
		wide := types.I64
		if t == sharedPointer || t == privatePointer {
			wide = types.I32
		}
		at = e.temp(offset(at, integer(wide, m.Offset)))
	}
	return at
}

// memoryTypes are the types of kinds in memory.
var memoryTypes = [scalar.Count]types.Type{
	scalar.I8: types.I8, scalar.U8: types.I8, scalar.I16: types.I16, scalar.U16: types.I16, scalar.F16: types.Half,
	scalar.I32: types.I32, scalar.U32: types.I32, scalar.F32: types.Float, scalar.I64: types.I64, scalar.U64: types.I64, scalar.F64: types.Double,
}

// accessType returns the type of an access to count elements.
func accessType(count int, k scalar.Kind) types.Type {
	if count == 1 {
		return memoryTypes[k]
	}
	return types.NewVector(uint64(count), memoryTypes[k])
}

// load translates a load. The integers of narrow kinds are extended to words.
func (e *emitter) load(i mir.Inst) {
	m, results := e.f.Memory(i), e.f.Results(i)
	l := &llvm.InstLoad{ElemType: accessType(len(results), m.Kind), Src: e.address(m), Align: llvm.Align(m.Align)}
	if m.Unchanged {
		l.Metadata = invariantLoad
	}
	set := e.set
	if m.Kind.IsNarrow() {
		set = func(r mir.Operand, i instruction) { e.set(r, llvm.NewZExt(e.temp(i), types.I32)) }
	}
	if len(results) == 1 {
		set(results[0], l)
		return
	}
	vector := e.temp(l)
	for n, r := range results {
		set(r, llvm.NewExtractElement(vector, integer(types.I32, int64(n))))
	}
}

// stored returns a scalar as memory holds it.
func (e *emitter) stored(o mir.Operand, k scalar.Kind) value.Value {
	v := e.cast(o, kindTypes[k])
	if k.IsNarrow() {
		return e.temp(llvm.NewTrunc(v, memoryTypes[k]))
	}
	return v
}

func (e *emitter) store(i mir.Inst) {
	m, args := e.f.Memory(i), e.f.Args(i)
	s := &llvm.InstStore{Dst: e.address(m), Align: llvm.Align(m.Align)}
	if len(args) == 1 {
		s.Src = e.stored(args[0], m.Kind)
	} else {
		s.Src = constant.NewPoison(accessType(len(args), m.Kind))
		for n, o := range args {
			s.Src = e.temp(llvm.NewInsertElement(s.Src, e.stored(o, m.Kind), integer(types.I32, int64(n))))
		}
	}
	e.add(s)
}

// scope returns which invocations see an atomic. WGSL's atomics are relaxed, and of the device for
// storage. Workgroup memory is seen by the workgroup alone (User Guide for AMDGPU Backend, "Memory
// Scopes").
func scope(m *mir.Memory) string {
	if m.Space == ir.Workgroup {
		return "workgroup"
	}
	return "agent"
}

// atomicOps are LLVM's operations by kinds of integers and of floats; 0 where there is none.
var atomicOps = [op.AtomicOperations]struct{ signed, unsigned, float enum.AtomicOp }{
	op.AtomicAdd:      {enum.AtomicOpAdd, enum.AtomicOpAdd, enum.AtomicOpFAdd},
	op.AtomicSub:      {enum.AtomicOpSub, enum.AtomicOpSub, enum.AtomicOpFSub},
	op.AtomicMax:      {enum.AtomicOpMax, enum.AtomicOpUMax, 0},
	op.AtomicMin:      {enum.AtomicOpMin, enum.AtomicOpUMin, 0},
	op.AtomicAnd:      {enum.AtomicOpAnd, enum.AtomicOpAnd, 0},
	op.AtomicOr:       {enum.AtomicOpOr, enum.AtomicOpOr, 0},
	op.AtomicXor:      {enum.AtomicOpXor, enum.AtomicOpXor, 0},
	op.AtomicExchange: {enum.AtomicOpXChg, enum.AtomicOpXChg, enum.AtomicOpXChg},
}

func atomicOp(o op.AtomicOperation, k scalar.Kind) enum.AtomicOp {
	row := &atomicOps[o]
	switch {
	case k.IsFloat():
		return row.float
	case k.IsSigned():
		return row.signed
	}
	return row.unsigned
}

// setAny appends an instruction whose result may be unused.
func (e *emitter) setAny(i mir.Inst, x instruction) {
	if results := e.f.Results(i); len(results) > 0 {
		e.set(results[0], x)
	} else {
		e.temp(x)
	}
}

// The values of atomics are integers, as registers of their results are, except for arithmetic on
// floats.

func (e *emitter) atomicLoad(i mir.Inst) {
	if len(e.f.Results(i)) == 0 {
		return
	}
	m := e.f.Memory(i)
	e.set(e.f.Result(i), &llvm.InstLoad{ElemType: classTypes[mir.ClassOf(m.Kind)], Src: e.address(m), Align: llvm.Align(m.Align),
		Atomic: true, SyncScope: scope(m), Ordering: enum.AtomicOrderingMonotonic})
}

func (e *emitter) atomicStore(i mir.Inst) {
	m := e.f.Memory(i)
	at := e.address(m)
	e.add(&llvm.InstStore{Src: e.cast(e.f.Arg(i, 0), classTypes[mir.ClassOf(m.Kind)]), Dst: at, Align: llvm.Align(m.Align),
		Atomic: true, SyncScope: scope(m), Ordering: enum.AtomicOrderingMonotonic})
}

func (e *emitter) atomicReadModifyWrite(i mir.Inst) {
	m := e.f.Memory(i)
	o := op.AtomicOperation(e.f.Aux(i))
	rmw := &llvm.InstAtomicRMW{Op: atomicOp(o, m.Kind), Dst: e.address(m), SyncScope: scope(m), Ordering: enum.AtomicOrderingMonotonic}
	if rmw.Op == 0 {
		panic("amdgpu has no atomic " + o.String() + " on " + m.Kind.String())
	}
	bits := classTypes[mir.ClassOf(m.Kind)]
	float := m.Kind.IsFloat() && o != op.AtomicExchange
	if rmw.Typ = bits; float {
		rmw.Typ = kindTypes[m.Kind]
	}
	rmw.X = e.cast(e.f.Arg(i, 0), rmw.Typ)
	x := aligned{rmw, llvm.Align(m.Align)}
	if float && len(e.f.Results(i)) > 0 {
		e.set(e.f.Result(i), castTo(e.temp(x), bits))
		return
	}
	e.setAny(i, x)
}

func (e *emitter) atomicCompareExchange(i mir.Inst) {
	m := e.f.Memory(i)
	at, bits := e.address(m), classTypes[mir.ClassOf(m.Kind)]
	x := llvm.NewCmpXchg(at, e.cast(e.f.Arg(i, 0), bits), e.cast(e.f.Arg(i, 1), bits), enum.AtomicOrderingMonotonic, enum.AtomicOrderingMonotonic)
	x.SyncScope = scope(m)
	both := e.temp(aligned{x, llvm.Align(m.Align)})
	if len(e.f.Results(i)) > 0 {
		e.set(e.f.Result(i), llvm.NewExtractValue(both, 0))
	}
}
