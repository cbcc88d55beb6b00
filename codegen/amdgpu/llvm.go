package amdgpu

import (
	"strconv"

	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/gpuc/gpuc/codegen/mir"
)

// This file adds to package llir/llvm what it lacks: opaque pointers, comments, and the alignment
// of atomics. Everything else of a module is an object of that package, which also prints it.
// Operands refer to values by name, since a block can use a value that a later block defines.

// pointer is an opaque pointer type, and its text. The pointers of package types have an element
// type and print as "T*", which LLVM has deprecated.
type pointer string

// Pointer types, by LLVM's address spaces (User Guide for AMDGPU Backend, "Address Spaces").
var (
	globalPointer   types.Type = pointer("ptr addrspace(1)")
	sharedPointer   types.Type = pointer("ptr addrspace(3)")
	constantPointer types.Type = pointer("ptr addrspace(4)")
	privatePointer  types.Type = pointer("ptr addrspace(5)")
)

func (p pointer) String() string          { return string(p) }
func (p pointer) LLString() string        { return string(p) }
func (p pointer) Equal(t types.Type) bool { return types.Type(p) == t }
func (p pointer) Name() string            { return "" }
func (p pointer) SetName(string)          {}

func isPointer(t types.Type) bool {
	_, is := t.(pointer)
	return is
}

// operand is a value that an instruction uses: a constant, or the name of what another instruction
// defines. It is spelled once, since llir spells a value each time it prints one.
type operand struct {
	typ  types.Type
	text string // type and name
	name int    // index of the name in text
}

func newOperand(t types.Type, name string) *operand {
	text := spell(t)
	return &operand{t, text + " " + name, len(text) + 1}
}

func (o *operand) String() string   { return o.text }
func (o *operand) Ident() string    { return o.text[o.name:] }
func (o *operand) Type() types.Type { return o.typ }

// spell returns t.String(), which formats the frequent types anew each time.
func spell(t types.Type) string {
	switch t {
	case types.I1:
		return "i1"
	case types.I32:
		return "i32"
	case types.I64:
		return "i64"
	}
	return t.String()
}

// integer returns an integer constant.
func integer(t types.Type, n int64) value.Value { return newOperand(t, strconv.FormatInt(n, 10)) }

// instruction is an instruction that defines a value.
type instruction interface {
	llvm.Instruction
	value.Named
}

// comment is a line between instructions. The embedded fence makes it an instruction of llir.
type comment struct {
	llvm.InstFence
	text string
}

func (c *comment) LLString() string { return "; " + c.text }

// aligned is an atomicrmw or cmpxchg with its alignment, which those of llir do not have.
type aligned struct {
	instruction
	align llvm.Align
}

func (a aligned) LLString() string { return a.instruction.LLString() + ", " + a.align.String() }

// offset returns p + n bytes. NewGetElementPtr computes the type from that of a typed pointer.
func offset(p, n value.Value) instruction {
	return &llvm.InstGetElementPtr{ElemType: types.I8, Src: p, Indices: []value.Value{n}, Typ: p.Type()}
}

// add appends an instruction to the block.
func (e *emitter) add(i llvm.Instruction) { e.block.Insts = append(e.block.Insts, i) }

// set appends an instruction that defines a register.
func (e *emitter) set(r mir.Operand, i instruction) {
	i.SetName(e.register(r).Ident()[1:])
	e.add(i)
}

// temp appends an instruction that defines a temporary, and returns that.
func (e *emitter) temp(i instruction) value.Value {
	e.temporaries++
	t := newOperand(i.Type(), "%t"+strconv.Itoa(e.temporaries))
	i.SetName(t.Ident()[1:])
	e.add(i)
	return t
}

// call returns a call of an intrinsic. Its first call declares it: LLVM since 17 accepts undeclared
// ones, but the comgr of ROCm before 6 is older.
func (e *emitter) call(name string, result types.Type, args ...value.Value) *llvm.InstCall {
	for _, f := range e.intrinsics {
		if f.GlobalName == name {
			return llvm.NewCall(f, args...)
		}
	}
	params := make([]*llvm.Param, len(args))
	for n, a := range args {
		params[n] = llvm.NewParam("", a.Type())
	}
	f := llvm.NewFunc(name, result, params...)
	e.intrinsics = append(e.intrinsics, f)
	return llvm.NewCall(f, args...)
}
