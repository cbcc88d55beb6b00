package amdgpu

import (
	"github.com/gpuc/gpuc/ir"
)

// This file writes the module's variables: workgroup memory, which LLVM places, and tables of
// constants.

func (e *emitter) variables(reach ir.Reach) {
	for _, v := range reach.Workgroup {
		e.declare(v, " = internal addrspace(3) global [", " x i8] undef")
	}
	for _, v := range reach.Constant {
		e.declare(v, " = internal addrspace(4) constant [", " x i8] ")
	}
}

// declare writes a variable as bytes. LLVM joins neighbouring accesses where the alignment lets it.
func (e *emitter) declare(v ir.Value, how, typ string) {
	t := e.m.Element(e.m.TypeOf(v))
	e.out = e.appendVariable(e.out, v)
	e.write(how)
	e.writeNumber(uint64(e.m.Size(t)))
	e.write(typ)
	if e.m.SpaceOf(e.m.TypeOf(v)) == ir.Constant {
		e.contents(v, t)
	}
	e.write(", align ")
	e.writeNumber(uint64(e.m.VariableAlign(t)))
	e.write("\n")
}

// contents writes a table's bytes: letters and digits as they are, others by two hexadecimal digits
// (LangRef, "String constants").
func (e *emitter) contents(v ir.Value, t ir.Type) {
	init := e.m.Global(v).Init
	if init == 0 || e.m.IsZero(init) {
		e.write("zeroinitializer")
		return
	}
	image := make([]byte, e.m.Size(t))
	e.m.PutConst(image, init)
	e.write("c\"")
	for _, b := range image {
		e.out = appendHex(append(e.out, '\\'), uint64(b), 2)
	}
	e.write("\"")
}
