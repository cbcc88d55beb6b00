package amdgpu

import (
	"math"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file prints loads, stores and atomics. An address is a pointer, which an index and a
// constant move by bytes.

// traits are those of LLVM IR as a machine.
var traits = mir.Traits{LowOffset: math.MinInt32, HighOffset: math.MaxInt32, Indexed: true, Lanes: 16, Names: machineNames()}

// offsetTypes are the types that an address is moved by: as wide as it is. Those of 32 bits wrap.
var offsetTypes = [...]string{globalPointer: "i64", constantPointer: "i64", sharedPointer: "i32", privatePointer: "i32"}

// advance prints a sum of an address and a number of bytes.
func (e *emitter) advance(i mir.Inst, f form) {
	x, y := e.cast(e.f.Arg(i, 0), f), e.f.Arg(i, 1)
	by := e.cast(y, plain[mir.ClassOf(e.f.KindOf(y))])
	e.text("  ")
	e.name(e.f.Result(i))
	e.text(" = getelementptr i8, ", formTypes[f], " ")
	e.print(x, f)
	e.text(", ", offsetTypes[f], " ")
	e.print(by, plain[mir.ClassOf(e.f.KindOf(y))])
	e.text("\n")
}

// address is a memory operand's, as text can name it: a register or temporary, or else a symbol.
type address struct {
	form   form
	base   value
	symbol uint32
}

// locate prints what computes a memory operand's address, and returns it.
func (e *emitter) locate(m *mir.Memory) address {
	a := address{form: spaceForms[m.Space], symbol: m.Symbol}
	if m.Base != mir.NoOperand {
		a.base, a.symbol = e.cast(m.Base, a.form), 0
	}
	if m.Index != mir.NoOperand {
		c := plain[mir.ClassOf(e.f.KindOf(m.Index))]
		index := e.cast(m.Index, c)
		a = e.move(a, func() {
			e.text(", ", formTypes[c], " ")
			e.print(index, c)
		})
	}
	if m.Offset != 0 {
		a = e.move(a, func() {
			e.text(", ", offsetTypes[a.form], " ")
			e.number(m.Offset)
		})
	}
	return a
}

// move prints an address moved by what by prints.
func (e *emitter) move(a address, by func()) address {
	t := e.temporary()
	e.text("  ")
	e.printTemporary(t)
	e.text(" = getelementptr i8, ")
	e.printAddress(a)
	by()
	e.text("\n")
	return address{form: a.form, base: value{temporary: t}}
}

// printAddress prints an address with its type.
func (e *emitter) printAddress(a address) {
	e.text(formTypes[a.form], " ")
	if a.symbol != 0 {
		e.body = e.appendVariable(e.body, e.f.Symbols[a.symbol].Variable)
		return
	}
	e.print(a.base, a.form)
}

// elements spell the types of kinds in memory.
var elements = [scalar.Count]string{
	scalar.I8: "i8", scalar.U8: "i8", scalar.I16: "i16", scalar.U16: "i16", scalar.F16: "half",
	scalar.I32: "i32", scalar.U32: "i32", scalar.F32: "float", scalar.I64: "i64", scalar.U64: "i64", scalar.F64: "double",
}

// shape prints the type of what a memory instruction moves.
func (e *emitter) shape(count int, k scalar.Kind) {
	if count == 1 {
		e.text(elements[k])
		return
	}
	e.text("<")
	e.number(int64(count))
	e.text(" x ", elements[k], ">")
}

// aligned prints an alignment in bytes.
func (e *emitter) aligned(m *mir.Memory) {
	e.text(", align ")
	e.number(int64(m.Align))
}

// load prints a load. What nothing writes while the kernel runs may be loaded at any time (LangRef,
// "invariant.load").
func (e *emitter) load(i mir.Inst) {
	m, results := e.f.Memory(i), e.f.Results(i)
	a := e.locate(m)
	whole := value{o: results[0]}
	if len(results) > 1 || m.Kind.IsNarrow() {
		whole = value{temporary: e.temporary()}
	}
	e.text("  ")
	e.print(whole, word)
	e.text(" = load ")
	e.shape(len(results), m.Kind)
	e.text(", ")
	e.printAddress(a)
	e.aligned(m)
	if m.Unchanged {
		e.text(", !invariant.load !1")
	}
	e.text("\n")
	for n, r := range results {
		part := whole
		if len(results) > 1 {
			if part = (value{o: r}); m.Kind.IsNarrow() {
				part = value{temporary: e.temporary()}
			}
			e.text("  ")
			e.print(part, word)
			e.text(" = extractelement ")
			e.shape(len(results), m.Kind)
			e.text(" ")
			e.print(whole, word)
			e.text(", i32 ")
			e.number(int64(n))
			e.text("\n")
		}
		if m.Kind.IsNarrow() {
			e.text("  ")
			e.name(r)
			e.text(" = zext ", elements[m.Kind], " ")
			e.print(part, word)
			e.text(" to i32\n")
		}
	}
}

// stored returns a scalar as memory holds it.
func (e *emitter) stored(o mir.Operand, k scalar.Kind) value {
	v := e.cast(o, kindForms[k])
	if !k.IsNarrow() {
		return v
	}
	t := e.temporary()
	e.text("  ")
	e.printTemporary(t)
	e.text(" = trunc i32 ")
	e.print(v, word)
	e.text(" to ", elements[k], "\n")
	return value{temporary: t}
}

func (e *emitter) store(i mir.Inst) {
	m, args := e.f.Memory(i), e.f.Args(i)
	a := e.locate(m)
	whole := e.stored(args[0], m.Kind)
	if len(args) > 1 {
		part := whole
		for n := range args {
			if n > 0 {
				part = e.stored(args[n], m.Kind)
			}
			t := e.temporary()
			e.text("  ")
			e.printTemporary(t)
			e.text(" = insertelement ")
			e.shape(len(args), m.Kind)
			if n == 0 {
				e.text(" poison")
			} else {
				e.text(" ")
				e.print(whole, word)
			}
			e.text(", ", elements[m.Kind], " ")
			e.print(part, kindForms[m.Kind])
			e.text(", i32 ")
			e.number(int64(n))
			e.text("\n")
			whole = value{temporary: t}
		}
	}
	e.text("  store ")
	e.shape(len(args), m.Kind)
	e.text(" ")
	e.print(whole, kindForms[m.Kind])
	e.text(", ")
	e.printAddress(a)
	e.aligned(m)
	e.text("\n")
}

// scope prints who sees an atomic in order: WGSL's are relaxed, of the device for storage and of
// the workgroup, which is all that can see it, for workgroup memory (User Guide for AMDGPU Backend,
// "Memory Scopes").
func (e *emitter) scope(m *mir.Memory) {
	if m.Space == ir.Workgroup {
		e.text(" syncscope(\"workgroup\") monotonic")
	} else {
		e.text(" syncscope(\"agent\") monotonic")
	}
}

// atomicForms are LLVM's names of what atomics do, by kinds of integers and of floats; "" where
// there is none.
var atomicForms = [op.AtomicOperations]struct{ signed, unsigned, float string }{
	op.AtomicAdd:      {"add", "add", "fadd"},
	op.AtomicSub:      {"sub", "sub", "fsub"},
	op.AtomicMax:      {"max", "umax", ""},
	op.AtomicMin:      {"min", "umin", ""},
	op.AtomicAnd:      {"and", "and", ""},
	op.AtomicOr:       {"or", "or", ""},
	op.AtomicXor:      {"xor", "xor", ""},
	op.AtomicExchange: {"xchg", "xchg", "xchg"},
}

func atomicForm(o op.AtomicOperation, k scalar.Kind) string {
	row := &atomicForms[o]
	switch {
	case k.IsFloat():
		return row.float
	case k.IsSigned():
		return row.signed
	}
	return row.unsigned
}

// defined prints the beginning of an instruction whose result may be unused.
func (e *emitter) defined(i mir.Inst) {
	e.text("  ")
	if len(e.f.Results(i)) > 0 {
		e.name(e.f.Result(i))
	} else {
		e.printTemporary(e.temporary())
	}
	e.text(" = ")
}

func (e *emitter) atomicLoad(i mir.Inst) {
	if len(e.f.Results(i)) == 0 {
		return
	}
	m := e.f.Memory(i)
	a := e.locate(m)
	e.defined(i)
	e.text("load atomic ", atomicTypes[m.Kind], ", ")
	e.printAddress(a)
	e.scope(m)
	e.aligned(m)
	e.text("\n")
}

// atomicTypes are those of atomics' values: integers, which registers of their results are, but for
// arithmetic on floats.
var atomicTypes = [scalar.Count]string{scalar.I32: "i32", scalar.U32: "i32", scalar.F32: "i32", scalar.I64: "i64", scalar.U64: "i64", scalar.F64: "i64"}

func (e *emitter) atomicStore(i mir.Inst, x mir.Operand) {
	m := e.f.Memory(i)
	a := e.locate(m)
	bits := plain[mir.ClassOf(m.Kind)]
	v := e.cast(x, bits)
	e.text("  store atomic ", atomicTypes[m.Kind], " ")
	e.print(v, bits)
	e.text(", ")
	e.printAddress(a)
	e.scope(m)
	e.aligned(m)
	e.text("\n")
}

func (e *emitter) atomicReadModifyWrite(i mir.Inst) {
	m, x := e.f.Memory(i), e.f.Arg(i, 0)
	o := op.AtomicOperation(e.f.Aux(i))
	form := atomicForm(o, m.Kind)
	if form == "" {
		panic("amdgpu has no atomic " + o.String() + " on " + m.Kind.String())
	}
	a := e.locate(m)
	arithmetic := m.Kind.IsFloat() && o != op.AtomicExchange
	as := plain[mir.ClassOf(m.Kind)]
	if arithmetic {
		as = kindForms[m.Kind]
	}
	v := e.cast(x, as)
	old := uint32(0)
	if arithmetic && len(e.f.Results(i)) > 0 {
		old = e.temporary()
		e.text("  ")
		e.printTemporary(old)
		e.text(" = ")
	} else {
		e.defined(i)
	}
	e.text("atomicrmw ", form, " ")
	e.printAddress(a)
	e.text(", ", formTypes[as], " ")
	e.print(v, as)
	e.scope(m)
	e.aligned(m)
	e.text("\n")
	if old != 0 {
		e.text("  ")
		e.name(e.f.Result(i))
		e.castTo(value{temporary: old}, as, plain[mir.ClassOf(m.Kind)])
	}
}

func (e *emitter) atomicCompareExchange(i mir.Inst) {
	m := e.f.Memory(i)
	a := e.locate(m)
	bits := plain[mir.ClassOf(m.Kind)]
	x, y := e.cast(e.f.Arg(i, 0), bits), e.cast(e.f.Arg(i, 1), bits)
	both := e.temporary()
	e.text("  ")
	e.printTemporary(both)
	e.text(" = cmpxchg ")
	e.printAddress(a)
	for _, v := range [...]value{x, y} {
		e.text(", ", formTypes[bits], " ")
		e.print(v, bits)
	}
	e.scope(m)
	e.text(" monotonic")
	e.aligned(m)
	e.text("\n")
	if len(e.f.Results(i)) > 0 {
		e.text("  ")
		e.name(e.f.Result(i))
		e.text(" = extractvalue { ", formTypes[bits], ", i1 } ")
		e.printTemporary(both)
		e.text(", 0\n")
	}
}
