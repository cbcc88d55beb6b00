package ptx

import (
	"strconv"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file makes names. PTX identifiers are ASCII letters, digits, _ and $
// (PTX ISA, Identifiers), WGSL's are Unicode. A kernel's name is kept if possible.
// Other names have a prefix and a number, so that no two collide.

// warpSize is PTX's one predefined identifier that a program could use.
const warpSize = "WARP_SZ"

// kernelName returns the entry point's name.
func kernelName(name string) string {
	if name == warpSize {
		return "$" + name
	}
	return string(mir.AppendIdentifier(nil, name))
}

// symbolPrefixes begin the names of variables by address space.
var symbolPrefixes = [...]string{
	ir.Function: "local_", ir.Private: "private_", ir.Workgroup: "shared_", ir.Constant: "table_",
	ir.Uniform: "", ir.Storage: "", ir.Handle: "", ir.Immediate: "immediate_",
}

// immediateCopyName is that of the only variable that is the emitter's own.
const immediateCopyName = "immediate_copy"

// appendVariable appends the name of a variable; that of none is the copy of the immediates, and a
// buffer that is passed by value has the name of its parameter.
func (e *emitter) appendVariable(b []byte, v ir.Value) []byte {
	switch {
	case v == ir.NoValue:
		return append(b, immediateCopyName...)
	case v.IsGlobal() && e.m.SpaceOf(e.m.TypeOf(v)) == ir.Uniform:
		return appendParameter(b, abi.Parameter{Kind: abi.ValueParameter, Binding: e.rootOf(v)})
	case v.IsLocal():
		b = append(b, symbolPrefixes[ir.Function]...)
	default:
		b = append(b, symbolPrefixes[e.m.SpaceOf(e.m.TypeOf(v))]...)
	}
	b = strconv.AppendUint(b, uint64(v.Index()), 10)
	if v.IsGlobal() && e.m.Global(v).Name != "" {
		b = append(b, '_')
		b = mir.AppendIdentifier(b, e.m.Global(v).Name)
	}
	return b
}

// symbol prints the name of a symbol and returns what is to be added to its address: parts of
// dynamic workgroup memory have no name.
func (e *emitter) symbol(n uint32) (offset int64) {
	s := &e.f.Symbols[n]
	v := s.Variable
	if s.Space == ir.Workgroup && e.sharedRoot != 0 {
		v, offset = e.sharedRoot, e.sharedOffset(v)
	}
	e.body = e.appendVariable(e.body, v)
	return offset
}

// appendFunctionName appends the name of function n of the module, which is no kernel.
func (e *emitter) appendFunctionName(b []byte, n int) []byte {
	b = append(b, "function_"...)
	b = strconv.AppendUint(b, uint64(n), 10)
	if name := e.m.Funcs[n].Name; name != "" {
		b = append(b, '_')
		b = mir.AppendIdentifier(b, name)
	}
	return b
}
