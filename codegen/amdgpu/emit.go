package amdgpu

import (
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt/analysis"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file writes the module: what is at its beginning and end, functions and their attributes.
// The body of a function comes first, into a buffer of its own, since only then is it known which
// parameters a kernel reads.

// emitter writes the functions of one module: package flat lowers each to the machine level, with
// what this machine has of its own (machine.go), and then it is printed.
type emitter struct {
	*codegen.Emission
	m      *ir.Module
	f      *mir.Func
	source *ir.Func // what f was
	forms  *templates
	flags  string // of floating-point arithmetic
	wave   uint32 // the invocations of a subgroup

	builder mir.Builder

	out  []byte // the module so far
	body []byte // the function's instructions

	temporaries uint32 // of this function
	classStart  [mir.ClassCount]uint32
	formsBy     []form // by register
	preds       []arrival
	predStart   []uint32 // by block: where its arrivals begin in preds

	// signatures are, by function of the module, where the forms of its parameters and results are
	// in shapes.
	signatures []signatureOf
	shapes     []form

	// addresses and lengths are, by binding, what the kernel reads of them; identifiers and groups
	// are bits by dimension
	addresses, lengths  []bool
	identifiers, groups uint8
	implicit            bool // the implicit arguments are read

	declared []span           // the names of intrinsics, in out
	uniform  analysis.Uniform // of functions with subgroup operations
	line     int
}

// signatureOf is a run of shapes: the parameters, and the results behind them.
type signatureOf struct{ first, params, results uint32 }

// grown returns a cleared slice of n elements in the memory of s if that is large enough.
func grown[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// write appends text to the module.
func (e *emitter) write(parts ...string) {
	for _, s := range parts {
		e.out = append(e.out, s...)
	}
}

func (e *emitter) writeNumber(n uint64) { e.out = strconv.AppendUint(e.out, n, 10) }

// header writes the first line, which Recognise knows, and what the module is for.
func (e *emitter) header() {
	e.flags = flagsOf(e.Context.Math)
	e.write(signature, e.Profile.Name, "\ntarget triple = \"amdgcn-amd-amdhsa\"\n")
}

// trailer writes attributes and metadata. Each part of a kernel's environment that it does not read
// is named, or LLVM has it provided (User Guide for AMDGPU Backend, "LLVM IR Attributes").
// Functions that are not said not to call themselves make LLVM ask for a stack without bounds, of
// which runtimes then guess the size.
func (e *emitter) trailer() {
	e.write("\n")
	e.declarations()
	e.write("attributes #0 = { norecurse nounwind")
	e.processor()
	n := uint64(e.Info.Workgroup[0]) * uint64(e.Info.Workgroup[1]) * uint64(e.Info.Workgroup[2])
	e.write(" \"amdgpu-flat-work-group-size\"=\"")
	e.writeNumber(n)
	e.write(",")
	e.writeNumber(n)
	e.write("\" \"uniform-work-group-size\"=\"true\"")
	for c, name := range [...]string{"x", "y", "z"} {
		if c > 0 && e.identifiers>>c&1 == 0 {
			e.write(" \"amdgpu-no-workitem-id-", name, "\"")
		}
		if c > 0 && e.groups>>c&1 == 0 {
			e.write(" \"amdgpu-no-workgroup-id-", name, "\"")
		}
	}
	if !e.implicit {
		e.write(" \"amdgpu-no-implicitarg-ptr\"")
	}
	e.write(absent, " }\nattributes #1 = { norecurse nounwind")
	e.processor()
	for _, name := range [...]string{"x", "y", "z"} {
		e.write(" \"amdgpu-no-workitem-id-", name, "\" \"amdgpu-no-workgroup-id-", name, "\"")
	}
	e.write(" \"amdgpu-no-implicitarg-ptr\"", absent, " }\n\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 ")
	e.writeNumber(objectVersion(e.Profile))
	e.write("}\n!1 = !{}\n!2 = !{float 2.5}\n!llvm.ident = !{!3}\n!3 = !{!\"", identification, "\"}\n")
}

// absent are the attributes of what no kernel reads.
const absent = " \"amdgpu-no-dispatch-ptr\" \"amdgpu-no-dispatch-id\" \"amdgpu-no-queue-ptr\" \"amdgpu-no-heap-ptr\" \"amdgpu-no-hostcall-ptr\"" +
	" \"amdgpu-no-default-queue\" \"amdgpu-no-completion-action\" \"amdgpu-no-multigrid-sync-arg\" \"amdgpu-no-lds-kernel-id\""

// processor writes what a function is compiled for.
func (e *emitter) processor() {
	e.write(" \"target-cpu\"=\"", e.Profile.Name, "\"")
	if e.wave == 32 { // CDNA has no other size than 64
		e.write(" \"target-features\"=\"+wavefrontsize32\"")
	}
}

// function writes a function or kernel, the n-th of the module.
func (e *emitter) function(f *ir.Func, n int) {
	e.source = f
	e.findWhole(f)
	e.f = e.builder.Lower(f)
	e.body, e.temporaries, e.line = e.body[:0], 0, 0
	e.chooseForms()
	if f.Kernel {
		e.addresses, e.lengths = grown(e.addresses, len(e.Bindings)), grown(e.lengths, len(e.Bindings))
		e.identifiers, e.groups, e.implicit = 0, 0, false
	} else {
		e.sign(n)
	}
	e.locals()
	e.blocks()
	if f.Kernel {
		e.kernelHead()
	} else {
		e.functionHead(n)
	}
	e.out = append(e.out, e.body...)
	e.write("}\n")
}

// locals prints the variables of the invocation, and the way to the first block, to which LLVM lets
// no other lead.
func (e *emitter) locals() {
	e.text("begin:\n")
	for n := range e.f.Symbols {
		s := &e.f.Symbols[n]
		if n == 0 || s.Space != ir.Private && s.Space != ir.Function {
			continue
		}
		e.text("  ")
		e.body = e.appendVariable(e.body, s.Variable)
		e.text(" = alloca [")
		e.number(int64(s.Bytes))
		e.text(" x i8], align ")
		e.number(int64(s.Align))
		e.text(", addrspace(5)\n")
	}
	e.text("  br label ")
	e.label(e.f.Order[0])
	e.text("\n")
}

// reads reports whether the kernel's code, which is complete, reads a parameter.
func (e *emitter) reads(p abi.Parameter) bool {
	switch p.Kind {
	case abi.AddressParameter:
		return e.addresses[p.Binding]
	case abi.LengthParameter:
		return e.lengths[p.Binding]
	case abi.ImmediatesParameter:
		return slices.ContainsFunc(e.f.Symbols, func(s mir.Symbol) bool { return s.Space == ir.Immediate })
	}
	return false
}

// kernelHead writes a kernel's name and parameters: those that its body reads, which the
// description lists from now on. No binding of a launch overlaps another one that is written, so
// addresses are noalias.
func (e *emitter) kernelHead() {
	e.Info.Parameters = slices.DeleteFunc(e.Info.AllParameters(), func(p abi.Parameter) bool { return !e.reads(p) })
	e.write("\ndefine protected amdgpu_kernel void @", e.Info.Name, "(")
	for n, p := range e.Info.Parameters {
		if n > 0 {
			e.write(", ")
		}
		switch p.Kind {
		case abi.ImmediatesParameter:
			e.write("ptr addrspace(4) byref([")
			e.writeNumber(uint64(e.Info.ImmediateBytes()))
			e.write(" x i8]) align 16 %immediates")
			continue
		case abi.AddressParameter:
			e.write("ptr addrspace(1) noalias ")
			if e.Info.Bindings[p.Binding].Access != abi.ReadWrite {
				e.write("readonly ")
			}
			e.write("align 16 %binding_")
		default:
			e.write("i32 %length_")
		}
		e.writeNumber(uint64(p.Binding))
	}
	e.write(") #0 {\n")
}

// instruction prints an instruction that is no terminator.
func (e *emitter) instruction(i mir.Inst) {
	o := e.f.Op(i)
	switch {
	case o >= mir.MachineOps:
		e.machineOp(i)
		return
	case o >= mir.Join:
		e.own(i)
		return
	}
	switch op.Op(o) {
	case op.Select:
		e.choose(i)
	case op.Convert:
		e.convert(i)
	case op.Load:
		e.load(i)
	case op.Store:
		e.store(i)
	case op.AtomicLoad:
		e.atomicLoad(i)
	case op.AtomicStore:
		e.atomicStore(i, e.f.Arg(i, 0))
	case op.AtomicReadModifyWrite:
		e.atomicReadModifyWrite(i)
	case op.AtomicCompareExchange:
		e.atomicCompareExchange(i)
	case op.ControlBarrier:
		// it orders all memory between the invocations, which covers each memory that a barrier of
		// WGSL names
		e.text("  fence syncscope(\"workgroup\") release\n  call void @llvm.amdgcn.s.barrier()\n  fence syncscope(\"workgroup\") acquire\n")
	case op.Call:
		e.call(i)
	case op.Add:
		if x := e.formOf(e.f.Arg(i, 0)); x.pointer() {
			e.advance(i, x)
			return
		}
		e.compute(op.Op(o), e.arguments(i))
	default:
		e.compute(op.Op(o), e.arguments(i))
	}
}

// compute expands the template of an operation on a kind. One that f16 has none of is computed in
// f32.
func (e *emitter) compute(o op.Op, x arguments) {
	if text := e.forms[o][x.kind]; text != "" {
		e.expand(text, &x)
		return
	}
	text := e.forms[o][scalar.F32]
	if x.kind != scalar.F16 || text == "" {
		panic("amdgpu has no form for " + o.String() + " on " + x.kind.String())
	}
	e.inSingle(text, &x)
}

// own prints an operation of the machine level.
func (e *emitter) own(i mir.Inst) {
	f := e.f
	switch f.Op(i) {
	case mir.Join:
		e.join(i)
	case mir.Split:
		e.split(i)
	case mir.MulWide:
		x := e.arguments(i)
		if x.kind == scalar.I32 {
			e.expand("$0 = sext i32 $a to i64; $1 = sext i32 $b to i64; $d = mul i64 $0, $1", &x)
		} else {
			e.expand("$0 = zext i32 $a to i64; $1 = zext i32 $b to i64; $d = mul i64 $0, $1", &x)
		}
	case mir.Builtin:
		e.special(f.Result(i), ir.Builtin(f.Aux(i)/4), f.Aux(i)%4)
	case mir.BindingAddress:
		e.addresses[f.Aux(i)] = true
		e.parameter(f.Result(i), " = getelementptr i8, ptr addrspace(1) %binding_", f.Aux(i), ", i64 0\n")
	case mir.BindingLength:
		e.lengths[f.Aux(i)] = true
		e.parameter(f.Result(i), " = add i32 %length_", f.Aux(i), ", 0\n")
	case mir.SymbolAddress:
		s := &f.Symbols[f.Aux(i)]
		e.text("  ")
		e.name(f.Result(i))
		e.text(" = getelementptr i8, ", formTypes[spaceForms[s.Space]], " ")
		e.body = e.appendVariable(e.body, s.Variable)
		e.text(", i32 0\n")
	}
}

// parameter prints what gives a parameter of the kernel the name of a register.
func (e *emitter) parameter(r mir.Operand, before string, n uint32, behind string) {
	e.text("  ")
	e.name(r)
	e.text(before)
	e.number(int64(n))
	e.text(behind)
}

// location prints an instruction's line as a comment if it is another than the last one's.
func (e *emitter) location(i mir.Inst) {
	if !e.Lines || e.m.Sources == nil {
		return
	}
	span := e.f.SpanOf(i)
	if e.m.Sources.File(span.Start) == nil {
		return
	}
	p := e.m.Sources.Position(span.Start)
	if p.Line == e.line {
		return
	}
	e.line = p.Line
	e.text("  ; ", strconv.QuoteToASCII(p.File), " ")
	e.number(int64(p.Line))
	e.text("\n")
}
