package ptx

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file writes functions: parameters, declarations, calls. The body comes
// first, into its own buffer, since only then is it known which registers,
// parameters and local variables there are.

// write appends text to the module.
func (e *emitter) write(parts ...string) {
	for _, s := range parts {
		e.out = append(e.out, s...)
	}
}

func (e *emitter) writeNumber(n uint64) { e.out = strconv.AppendUint(e.out, n, 10) }

// function writes a function or kernel, the n-th of the module.
func (e *emitter) function(f *ir.Func, n int) {
	e.source, e.mask = f, mir.NoOperand
	e.findFullWarps(f)
	e.f = e.builder.Lower(f)
	if !e.NoOptimize {
		e.fuse()
	}
	e.findRegistered()
	e.maps, e.setsRegisters, e.resident = e.maps[:0], false, uint64(f.Resident)
	e.body = e.body[:0]
	e.line, e.file = 0, 0
	e.passedTextures = e.passedTextures[:0]
	e.addresses, e.lengths = grown(e.addresses, len(e.Bindings)), grown(e.lengths, len(e.Bindings))
	if !f.Kernel {
		e.receive()
	}
	e.blocks()
	if f.Kernel {
		e.kernelHead()
	} else {
		e.functionHead(n)
	}
	e.write("{\n")
	for c := mir.Predicate; c < mir.ClassCount; c++ {
		if n := e.f.Registers(c); n > 1 {
			e.write("\t.reg .", registers[c].typ, " %")
			e.out = append(e.out, registers[c].letter)
			e.write("<")
			e.writeNumber(uint64(n))
			e.write(">;\n")
		}
	}
	for n := range e.f.Symbols {
		if s := &e.f.Symbols[n]; n > 0 && (s.Space == ir.Private || s.Space == ir.Function) {
			if e.registered[n] {
				e.write("\t.reg .b32 %s")
				e.writeNumber(uint64(n))
				e.write("_<")
				e.writeNumber(uint64(s.Bytes / 4))
				e.write(">;\n")
				continue
			}
			e.write("\t")
			e.declare(".local", s)
			e.write(";\n")
		}
	}
	e.out = append(e.out, e.body...)
	e.write("}\n")
}

// reads reports whether the kernel's code, which is complete, reads a parameter.
func (e *emitter) reads(p abi.Parameter) bool {
	switch p.Kind {
	case abi.AddressParameter:
		return e.addresses[p.Binding]
	case abi.LengthParameter:
		return e.lengths[p.Binding]
	case abi.ImmediatesParameter:
		return e.hasContents(e.immediates())
	case abi.ValueParameter:
		return e.hasContents(e.Bindings[p.Binding])
	}
	return false
}

// hasContents reports whether the kernel, whose code is complete, reads the contents of a variable
// in a parameter.
func (e *emitter) hasContents(v ir.Value) bool {
	return slices.ContainsFunc(e.f.Symbols, func(s mir.Symbol) bool { return s.Space == ir.Immediate && s.Variable == v })
}

// appendParameter appends a parameter's name: its kind and the index of the binding, or of the
// texture and the sampler.
func appendParameter(out []byte, p abi.Parameter) []byte {
	name := string(p.Kind)
	if p.Kind == abi.AddressParameter {
		name = "binding"
	}
	out = strconv.AppendUint(append(append(out, name...), '_'), uint64(p.Binding), 10)
	if p.Kind.OfPairs() {
		out = strconv.AppendUint(append(out, '_'), uint64(p.Sampler), 10)
	}
	return out
}

// parameterBytes is how much memory parameters may take (PTX ISA, "Kernel Function Parameters").
// From the version manyParameters on, it is manyParameterBytes on all devices that the version is
// for.
const (
	parameterBytes     = 4352
	manyParameterBytes = 32764
	manyParameters     = 81
)

// limitParameters refuses a kernel whose parameters take more memory than there is.
func (e *emitter) limitParameters() {
	bytes := uint32(0)
	if list := e.Info.ArgumentsOf(e.Info.Parameters); len(list) > 0 {
		bytes = list[len(list)-1].Offset + list[len(list)-1].Bytes
	}
	limit := uint32(parameterBytes)
	if e.Profile.Version >= manyParameters {
		limit = manyParameterBytes
	}
	if bytes <= limit {
		return
	}
	d := diag.Diagnostic{Code: diag.TargetLimit, Span: e.Kernel.Span,
		Message: fmt.Sprintf("`%s` needs %d bytes of parameters; PTX for %s has at most %d", e.Kernel.Name, bytes, e.Profile.Name, limit)}
	d.Notes = append(d.Notes, diag.Note{Message: "a buffer takes 8 bytes, and 4 if its length is asked for; a texture 8, 4 for each of its numbers, and up to 28 for each sampler that it is used with"})
	if limit < manyParameterBytes {
		next := profiles[slices.IndexFunc(profiles, func(p codegen.Profile) bool { return p.Version >= manyParameters })]
		d.Notes = append(d.Notes, diag.Note{Message: fmt.Sprintf("ptx:%s has %d", next.Name, manyParameterBytes)})
	}
	e.Context.List.Add(d)
}

// kernelHead writes a kernel's name and parameters: those that its body reads, which
// the description lists from now on.
func (e *emitter) kernelHead() {
	e.Info.Parameters = slices.DeleteFunc(e.Info.AllParameters(), func(p abi.Parameter) bool { return !e.reads(p) })
	more := e.passedTextures
	if e.ByValue {
		for n := range e.Info.Bindings {
			if p := (abi.Parameter{Kind: abi.ValueParameter, Binding: n}); e.reads(p) {
				more = append(more, p)
			}
		}
	}
	for n, used := range e.maps {
		if used {
			more = append(more, abi.Parameter{Kind: abi.TensorMapParameter, Binding: n})
		}
	}
	if len(more) > 0 {
		e.Info.Parameters = append(e.Info.Parameters, more...)
		slices.SortFunc(e.Info.Parameters, abi.CompareParameters)
		e.Info.Parameters = slices.Compact(e.Info.Parameters)
	}
	e.limitParameters()
	e.write(entryDirective, e.Info.Name, "(")
	separator := "\n\t"
	for _, p := range e.Info.Parameters {
		e.write(separator, ".param ")
		separator = ",\n\t"
		switch p.Kind {
		case abi.ImmediatesParameter:
			e.bytesParameter(e.immediates(), e.Info.ImmediateBytes())
			continue
		case abi.ValueParameter:
			e.bytesParameter(e.Bindings[p.Binding], int(e.Info.Bindings[p.Binding].Size))
			continue
		case abi.TensorMapParameter:
			e.write(".align 64 .b8 ")
			e.out = appendParameter(e.out, p)
			e.write("[128]")
			continue
		case abi.AddressParameter:
			e.write(".u64 .ptr .global .align 16 ")
		default:
			if p.Kind.OfObjects() {
				e.write(".u64 ")
			} else {
				e.write(".u32 ")
			}
		}
		e.out = appendParameter(e.out, p)
	}
	e.write("\n)\n.reqntid ")
	for n, w := range e.Info.Workgroup {
		if n > 0 {
			e.write(", ")
		}
		e.writeNumber(uint64(w))
	}
	e.write("\n")
	resident := e.resident
	if e.setsRegisters { // setmaxnreg needs the number at the start (PTX ISA, "setmaxnreg")
		resident = 1
	}
	if resident > 0 {
		e.write(".minnctapersm ")
		e.writeNumber(resident)
		e.write("\n")
	}
}

// bytesParameter writes the parameter that has the contents of a variable.
func (e *emitter) bytesParameter(v ir.Value, bytes int) {
	e.write(".align 16 .b8 ")
	e.out = e.appendVariable(e.out, v)
	e.write("[")
	e.writeNumber(uint64(bytes))
	e.write("]")
}

// immediates returns the variable of immediates, or 0.
func (e *emitter) immediates() ir.Value {
	for n := range e.m.Globals {
		if e.m.SpaceOf(e.m.Globals[n].Type) == ir.Immediate {
			return ir.GlobalValue(n)
		}
	}
	return ir.NoValue
}

// passedBits spells the type in which a scalar is passed: a bool is a word.
func passedBits(c mir.Class) string {
	if c == mir.Predicate {
		c = mir.Word
	}
	return kinds[c.Kind()].bits
}

// resultSlot is the room of each scalar of a function's result.
const resultSlot = 8

// take prints the load of a passed scalar, whose address is a name and an index.
func (e *emitter) take(r mir.Operand, parameter string, n int64) {
	t := r
	if r.Class() == mir.Predicate {
		t = e.f.Fresh(mir.Word)
	}
	e.text("\tld.param.", passedBits(r.Class()), " ")
	e.name(t)
	e.text(", [", parameter)
	e.number(n)
	e.text("];\n")
	if t != r {
		e.text("\tsetp.ne.u32 ")
		e.name(r)
		e.text(", ")
		e.name(t)
		e.text(", 0;\n")
	}
}

// passed returns a scalar as it is passed.
func (e *emitter) passed(o mir.Operand) mir.Operand {
	if o.IsConst() || o.Class() != mir.Predicate {
		return o
	}
	r := e.f.Fresh(mir.Word)
	e.expand("selp.b32 $d, 1, 0, $a", of(mir.Predicate.Kind(), []mir.Operand{r}, o))
	return r
}

// classOf returns the class of a register or of a constant's kind.
func (e *emitter) classOf(o mir.Operand) mir.Class { return mir.ClassOf(e.f.KindOf(o)) }

// receive prints the loads of a function's parameters.
func (e *emitter) receive() {
	for n, r := range e.f.Params {
		e.take(r, "param_", int64(n))
	}
}

// functionHead writes a function's name and parameters.
func (e *emitter) functionHead(n int) {
	e.write("\n.func ")
	if e.source.ResultType != ir.Void {
		slots, _ := e.m.Slots(e.source.ResultType)
		e.write("(.param .align 8 .b8 result[")
		e.writeNumber(uint64(slots) * resultSlot)
		e.write("]) ")
	}
	e.out = e.appendFunctionName(e.out, n)
	e.write("(")
	for n, r := range e.f.Params {
		if n > 0 {
			e.write(", ")
		}
		e.write(".param .", passedBits(r.Class()), " param_")
		e.writeNumber(uint64(n))
	}
	e.write(")\n")
}

// leave prints a return.
func (e *emitter) leave(i mir.Inst) {
	for n, o := range e.f.Args(i) {
		o = e.passed(o)
		e.text("\tst.param.", passedBits(e.classOf(o)), " [result+")
		e.number(int64(n) * resultSlot)
		e.text("], ")
		e.bits(o)
		e.text(";\n")
	}
	if e.Workarounds.Has(workaround.PTXASLoneRet) && !e.source.Kernel && e.branches() {
		present := []mir.Operand{e.f.Fresh(mir.Word)}
		e.expand(machineRows[activeMask-mir.MachineOps].text, of(scalar.U32, present))
		e.expand(machineRows[warpBarrier-mir.MachineOps].text, of(scalar.U32, nil, present...))
	}
	e.text("\tret;\n")
}

// branches reports whether a function has a branch.
func (e *emitter) branches() bool {
	return slices.ContainsFunc(e.f.Order, func(b mir.Block) bool { return e.f.Op(e.f.Last(b)) == mir.Branch })
}

// call prints a call: its parameters live in their own block.
func (e *emitter) call(i mir.Inst) {
	args, results := e.f.Args(i), e.f.Results(i)
	e.text("\t{\n")
	for n, o := range args {
		o = e.passed(o)
		bits := passedBits(e.classOf(o))
		e.text("\t.param .", bits, " argument_")
		e.number(int64(n))
		e.text(";\n\tst.param.", bits, " [argument_")
		e.number(int64(n))
		e.text("], ")
		e.bits(o)
		e.text(";\n")
	}
	if len(results) > 0 {
		e.text("\t.param .align 8 .b8 answer[")
		e.number(int64(len(results)) * resultSlot)
		e.text("];\n")
	}
	e.text("\tcall ")
	if len(results) > 0 {
		e.text("(answer), ")
	}
	e.body = e.appendFunctionName(e.body, int(e.f.Aux(i)))
	e.text(", (")
	for n := range args {
		if n > 0 {
			e.text(", ")
		}
		e.text("argument_")
		e.number(int64(n))
	}
	e.text(");\n")
	for n, r := range results {
		e.take(r, "answer+", int64(n)*resultSlot)
	}
	e.text("\t}\n")
}
