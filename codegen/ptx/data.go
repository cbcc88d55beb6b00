package ptx

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file writes the module's variables: workgroup memory, tables of
// constants, and where a kernel's private variables begin.

// maxConstantBytes is how much of the constant space tables may fill; the
// hardware has 64 KiB, of which the assembler uses some itself.
const maxConstantBytes = 48 << 10

// variables declares what the kernel uses.
func (e *emitter) variables(reach ir.Reach) {
	for _, v := range reach.Workgroup {
		t := e.m.Element(e.m.TypeOf(v))
		if e.Info.WorkgroupBytes > maxStaticShared {
			// one run of dynamic memory that all variables are offsets into
			break
		}
		e.write(".shared .align ")
		e.writeNumber(uint64(max(e.m.Align(t), 4)))
		e.write(" .b8 ")
		e.out = e.appendSymbol(e.out, v)
		e.write("[")
		e.writeNumber(uint64(e.m.Size(t)))
		e.write("];\n")
	}
	for _, v := range reach.Constant {
		e.table(v)
	}
}

// table writes a table as bytes.
func (e *emitter) table(v ir.Value) {
	t := e.m.Element(e.m.TypeOf(v))
	e.write(".const .align ")
	e.writeNumber(uint64(max(e.m.Align(t), 4)))
	e.write(" .b8 ")
	e.out = e.appendSymbol(e.out, v)
	e.write("[")
	e.writeNumber(uint64(e.m.Size(t)))
	e.write("]")
	if init := e.m.Global(v).Init; init != 0 && !e.m.IsZero(init) {
		image := make([]byte, e.m.Size(t))
		e.image(image, init)
		e.write(" = {")
		for n, b := range image {
			if n > 0 {
				e.write(",")
			}
			e.writeNumber(uint64(b))
		}
		e.write("}")
	}
	e.write(";\n")
}

// image writes a constant's bytes as memory holds them.
func (e *emitter) image(b []byte, v ir.Value) {
	t := e.m.TypeOf(v)
	if e.m.IsScalar(t) {
		bits := e.m.ConstBits(v)
		for n := range scalar.Kind(t).Bytes() {
			b[n] = byte(bits >> (8 * n))
		}
		return
	}
	if e.m.IsZero(v) {
		return
	}
	n, _ := e.m.Count(t)
	for i := range n {
		e.image(b[e.m.PartOffset(t, i):], e.m.ConstPart(v, i))
	}
}
