package ptx

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file writes the module's variables: workgroup memory, tables of
// constants, and where a kernel's private variables begin.

// variables declares what the kernel uses. Workgroup memory beyond what may be
// declared is one array of Kernel.WorkgroupBytes, which the launch requests
// (abi.StaticWorkgroupBytes).
func (e *emitter) variables(reach ir.Reach) {
	e.sharedRoot = 0
	_, e.Info.WorkgroupBytes = e.sharedLayout(0)
	if e.Info.WorkgroupBytes > abi.StaticWorkgroupBytes {
		e.sharedRoot = reach.Workgroup[0]
		align := uint64(16)
		if e.m.WithRole(ir.TileRings) != ir.NoValue {
			align = tilesAlign
		}
		e.write(".extern .shared .align ")
		e.writeNumber(align)
		e.write(" .b8 ")
		e.out = e.appendVariable(e.out, e.sharedRoot)
		e.write("[];\n")
	} else {
		for _, v := range reach.Workgroup {
			e.declareVariable(".shared", v)
			e.write(";\n")
		}
	}
	e.tableSpace = ".const"
	if e.tableBytes(reach.Constant) > maxConst {
		e.tableSpace = ".global"
	}
	for _, v := range reach.Constant {
		e.declareVariable(e.tableSpace, v)
		e.initialise(v)
		e.write(";\n")
	}
}

// maxConst is what the constant memory of a kernel holds.
const maxConst = 64 << 10

// tableBytes returns the memory that tables of constants take.
func (e *emitter) tableBytes(tables []ir.Value) (size uint64) {
	for _, v := range tables {
		t := e.m.Element(e.m.TypeOf(v))
		align := uint64(e.m.VariableAlign(t))
		size = (size+align-1)/align*align + uint64(e.m.Size(t))
	}
	return size
}

// sharedOffset returns where a workgroup variable lies in dynamic memory, or 0.
func (e *emitter) sharedOffset(v ir.Value) int64 {
	if e.sharedRoot == 0 {
		return 0
	}
	offset, _ := e.sharedLayout(v)
	return int64(offset)
}

// sharedLayout lays out the workgroup variables one after the other. It returns the offset of one
// of them and the size of all.
func (e *emitter) sharedLayout(v ir.Value) (offset, size uint32) {
	for i := range e.m.Globals {
		g := &e.m.Globals[i]
		if e.m.SpaceOf(g.Type) != ir.Workgroup {
			continue
		}
		t := e.m.Element(g.Type)
		align := e.alignOf(ir.GlobalValue(i))
		size = (size + align - 1) / align * align
		if ir.GlobalValue(i) == v {
			offset = size
		}
		size += e.m.Size(t)
	}
	return offset, size
}

// declare writes a variable's declaration as bytes. The assembler joins
// neighbouring accesses where the alignment lets it.
func (e *emitter) declare(space string, s *mir.Symbol) {
	e.write(space, " .align ")
	e.writeNumber(uint64(s.Align))
	e.write(" .b8 ")
	e.out = e.appendVariable(e.out, s.Variable)
	e.write("[")
	e.writeNumber(uint64(s.Bytes))
	e.write("]")
}

func (e *emitter) declareVariable(space string, v ir.Value) {
	t := e.m.Element(e.m.TypeOf(v))
	e.declare(space, &mir.Symbol{Variable: v, Bytes: e.m.Size(t), Align: e.alignOf(v)})
}

// tilesAlign is the alignment of boxes with a swizzle of 128 bytes.
const tilesAlign = 1024

// alignOf returns the alignment of a variable.
func (e *emitter) alignOf(v ir.Value) uint32 {
	if e.m.Global(v).Role == ir.TileRings {
		return tilesAlign
	}
	return e.m.VariableAlign(e.m.Element(e.m.TypeOf(v)))
}

// initialise writes a table's bytes.
func (e *emitter) initialise(v ir.Value) {
	init := e.m.Global(v).Init
	if init == 0 || e.m.IsZero(init) {
		return
	}
	image := make([]byte, e.m.Size(e.m.TypeOf(init)))
	e.m.PutConst(image, init)
	e.write(" = {")
	for n, b := range image {
		if n > 0 {
			e.write(",")
		}
		e.writeNumber(uint64(b))
	}
	e.write("}")
}
