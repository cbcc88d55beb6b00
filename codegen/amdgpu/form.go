package amdgpu

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file chooses the LLVM type of each register. The machine level knows only how wide one is;
// LLVM tells integers, floats and addresses apart. A register has the type that its definition
// makes; what blocks pass has that of what reaches the block first. Addresses are pointers, so that
// LLVM sees which accesses are of one binding.

// form is an LLVM type that registers have.
type form uint8

const (
	predicate form = iota
	half
	word
	single
	long
	double
	globalPointer
	constantPointer
	sharedPointer
	privatePointer
)

// formTypes spell the types. The numbers are LLVM's address spaces (User Guide for AMDGPU Backend,
// "Address Spaces").
var formTypes = [...]string{
	predicate: "i1", half: "half", word: "i32", single: "float", long: "i64", double: "double",
	globalPointer: "ptr addrspace(1)", constantPointer: "ptr addrspace(4)", sharedPointer: "ptr addrspace(3)", privatePointer: "ptr addrspace(5)",
}

func (f form) pointer() bool { return f >= globalPointer }

// plain are the forms of the classes without anything else known. A register of 16 bits holds
// nothing but f16.
var plain = [mir.ClassCount]form{mir.Predicate: predicate, mir.Half: half, mir.Word: word, mir.Long: long}

// kindForms are those of the scalar kinds.
var kindForms = [scalar.Count]form{
	scalar.Bool: predicate, scalar.F16: half, scalar.I32: word, scalar.U32: word, scalar.F32: single,
	scalar.I8: word, scalar.U8: word, scalar.I16: word, scalar.U16: word,
	scalar.I64: long, scalar.U64: long, scalar.F64: double,
}

// spaceForms are those of addresses.
var spaceForms = [...]form{
	ir.Function: privatePointer, ir.Private: privatePointer, ir.Workgroup: sharedPointer, ir.Constant: constantPointer,
	ir.Uniform: globalPointer, ir.Storage: globalPointer, ir.Immediate: constantPointer, ir.Handle: word,
}

// place is the index of a register among those of all classes.
func (e *emitter) place(o mir.Operand) uint32 { return e.classStart[o.Class()] + o.Number() }

// formOf returns the form of a register, or that of a constant's kind.
func (e *emitter) formOf(o mir.Operand) form {
	if o.IsConst() {
		return kindForms[e.f.KindOf(o)]
	}
	return e.formsBy[e.place(o)]
}

func (e *emitter) setForm(o mir.Operand, f form) { e.formsBy[e.place(o)] = f }

// chooseForms gives each register its form.
func (e *emitter) chooseForms() {
	f := e.f
	total := uint32(0)
	for c := mir.Predicate; c < mir.ClassCount; c++ {
		e.classStart[c] = total
		total += f.Registers(c)
	}
	e.formsBy = grown(e.formsBy, int(total))
	for c := mir.Predicate; c < mir.ClassCount; c++ {
		for n := range f.Registers(c) {
			e.formsBy[e.classStart[c]+n] = plain[c]
		}
	}
	for n, r := range f.Params {
		if s := f.ParamSpaces[n]; s != ir.Handle {
			e.setForm(r, spaceForms[s])
		}
	}
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			e.chooseForm(i)
		}
	}
}

// chooseForm gives the results of an instruction, or what its edges pass, their forms.
func (e *emitter) chooseForm(i mir.Inst) {
	f := e.f
	switch o := f.Op(i); o {
	case mir.BindingAddress:
		e.setForm(f.Result(i), globalPointer)
	case mir.SymbolAddress:
		e.setForm(f.Result(i), spaceForms[f.Symbols[f.Aux(i)].Space])
	case mir.Jump, mir.Branch:
		for _, edge := range f.Edges(i) {
			args := f.EdgeArgs(edge)
			for n, p := range f.BlockParams(edge.To) {
				if e.formOf(p) == plain[p.Class()] {
					e.setForm(p, e.formOf(args[n]))
				}
			}
		}
	case mir.Op(op.Load):
		for _, r := range f.Results(i) {
			e.setForm(r, kindForms[f.Memory(i).Kind])
		}
	case mir.Op(op.Convert):
		e.setForm(f.Result(i), kindForms[f.To(i)])
	case mir.Op(op.Select):
		x, y := e.formOf(f.Arg(i, 1)), e.formOf(f.Arg(i, 2))
		if e.setForm(f.Result(i), x); x == plain[f.Result(i).Class()] {
			e.setForm(f.Result(i), y)
		}
	case mir.Op(op.Add):
		if x := e.formOf(f.Arg(i, 0)); x.pointer() {
			e.setForm(f.Result(i), x)
			return
		}
		e.chooseRegular(i)
	default:
		if o < mir.Join {
			e.chooseRegular(i)
		}
	}
}

// otherForms are those of results that are as wide as the operands and of another kind.
var otherForms = [op.Count]form{op.Pack2x16Float: word, op.Unpack2x16Float: single}

// chooseRegular is chooseForm of operations whose results are of the kind of their operands, or
// bools.
func (e *emitter) chooseRegular(i mir.Inst) {
	o := op.Op(e.f.Op(i))
	if o == op.Call || o == op.AtomicReadModifyWrite || o == op.AtomicCompareExchange || o == op.AtomicLoad {
		return
	}
	k := e.f.Kind(i)
	for _, r := range e.f.Results(i) {
		if f := otherForms[o]; f != predicate {
			e.setForm(r, f)
		} else if k.IsFloat() && r.Class() == mir.ClassOf(k) {
			e.setForm(r, kindForms[k])
		}
	}
}
