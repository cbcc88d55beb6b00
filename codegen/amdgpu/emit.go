package amdgpu

import (
	"bytes"
	"slices"
	"strconv"

	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file builds the LLVM module: variables, functions, attributes and metadata.

// emitter builds the module of one kernel. Package mir lowers each function to the machine level,
// with the builtin values and subgroup operations of this machine (builtin.go, subgroup.go). The
// instructions of that level then become LLVM's.
type emitter struct {
	*codegen.Emission
	m         *ir.Module
	f         *mir.Func
	source    *ir.Func // that f was lowered from
	builder   mir.Builder
	uniform   analysis.Uniform // of functions with subgroup operations
	wave      uint32           // invocations of a subgroup
	templates *templates
	flags     []enum.FastMathFlag
	reads     reads
	expanded  arguments // of the template that is being expanded
	parts     parts     // of its current instruction

	out        bytes.Buffer
	functions  []*llvm.Func // by function of the module
	intrinsics []*llvm.Func // in the order of their first calls

	// of the current function
	blocks      []*llvm.Block // by block of f
	block       *llvm.Block   // that instructions are appended to
	types       []types.Type  // by register
	registers   []*operand    // by register, made when first used
	temporaries int
	line        int // of the source, of the last comment
}

// reads are the parts of its environment that a kernel reads.
type reads struct {
	addresses, lengths  []bool // by binding
	immediates          bool
	identifiers, groups uint8 // bits by dimension
	implicit            bool  // the implicit arguments
}

// grown returns a cleared slice of n elements in the memory of s if that is large enough.
func grown[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Emit returns the text of the LLVM module of a kernel and the functions that it calls. It sets the
// name and the parameters of the kernel's description.
func Emit(x *codegen.Emission) []byte {
	e := opt.Scratch[emitter](x.Context, "amdgpu")
	reach := e.begin(x, &traits)
	defer e.end()
	e.templates, e.flags = templatesOf(x.Context.Math), flagsOf(x.Context.Math)
	e.functions, e.intrinsics = grown(e.functions, len(e.m.Funcs)), nil
	module := llvm.Module{TargetTriple: "amdgcn-amd-amdhsa", Globals: e.globals(reach)}
	kernelAttributes, calleeAttributes := &llvm.AttrGroupDef{ID: 0}, &llvm.AttrGroupDef{ID: 1}
	n := 0 // index in the module's functions, which are in nearly the same order
	for _, f := range reach.Funcs {
		for e.m.Funcs[n] != f {
			n = (n + 1) % len(e.m.Funcs)
		}
		attributes := calleeAttributes
		if f.Kernel {
			attributes = kernelAttributes
		}
		e.functions[n] = e.function(f, n)
		e.functions[n].FuncAttrs = []llvm.FuncAttribute{attributes}
		module.Funcs = append(module.Funcs, e.functions[n])
	}
	module.Funcs = append(module.Funcs, e.intrinsics...)
	kernelAttributes.FuncAttrs, calleeAttributes.FuncAttrs = e.attributes(true), e.attributes(false)
	module.AttrGroupDefs = []*llvm.AttrGroupDef{kernelAttributes, calleeAttributes}
	e.metadata(&module)

	e.out.Reset()
	e.out.WriteString(signature + e.Profile.Name + "\n")
	module.WriteTo(&e.out) // a buffer has no errors
	return bytes.Clone(e.out.Bytes())
}

// begin prepares to lower the functions that a kernel reaches, which it returns.
func (e *emitter) begin(x *codegen.Emission, t *mir.Traits) *ir.Reach {
	e.Emission, e.m = x, x.Module
	e.wave = x.Profile.Subgroup
	x.Info.Name = kernelName(x.Kernel.Name)
	reach := ir.ReachOf(x.Module, x.Kernel)
	settings := mir.Settings{Verify: x.Context.Verify, Dump: x.Context.DumpOf(mir.Stage), Stage: x.Context.Stage}
	e.builder.Begin(settings, x.Module, e, t, &reach, x.Bindings, uint32(x.Info.ImmediateBytes()))
	return &reach
}

// end drops the kernel. The memory of the emitter stays for the next one.
func (e *emitter) end() {
	e.builder.End()
	e.Emission, e.m, e.source, e.f = nil, nil, nil, nil
	e.block, e.intrinsics = nil, nil
	clear(e.functions)
	clear(e.blocks)
	clear(e.registers)
}

// lower lowers a function to the machine level.
func (e *emitter) lower(f *ir.Func) {
	e.source = f
	e.findFullWaves(f)
	e.f = e.builder.Lower(f)
}

// globals returns the module's variables, as bytes: workgroup memory, which LLVM allocates, and
// tables of constants. LLVM merges adjacent accesses where the alignment allows it.
func (e *emitter) globals(reach *ir.Reach) (all []*llvm.Global) {
	for _, v := range slices.Concat(reach.Workgroup, reach.Constant) {
		t := e.m.Element(e.m.TypeOf(v))
		space := e.m.SpaceOf(e.m.TypeOf(v))
		array := types.NewArray(uint64(e.m.Size(t)), types.I8)
		g := &llvm.Global{ContentType: array, Linkage: enum.LinkageInternal, Align: llvm.Align(e.m.VariableAlign(t)), AddrSpace: 3}
		g.GlobalName = e.variable(v).Ident()[1:]
		g.Init = constant.NewUndef(array)
		if space == ir.Constant {
			g.AddrSpace, g.Immutable = 4, true
			g.Init = e.contents(v, t, array)
		}
		all = append(all, g)
	}
	return all
}

// contents returns the bytes of a table of constants.
func (e *emitter) contents(v ir.Value, t ir.Type, array types.Type) constant.Constant {
	init := e.m.Global(v).Init
	if init == 0 || e.m.IsZero(init) {
		return constant.NewZeroInitializer(array)
	}
	image := make([]byte, e.m.Size(t))
	e.m.PutConst(image, init)
	return constant.NewCharArray(image)
}

// attributes returns those of the kernel or of the functions that it calls. Each part of a kernel's
// environment that the kernel does not read is named, since LLVM otherwise has it provided (User
// Guide for AMDGPU Backend, "LLVM IR Attributes"). Without norecurse LLVM reserves a stack of
// unknown size, which runtimes then guess.
func (e *emitter) attributes(kernel bool) []llvm.FuncAttribute {
	all := []llvm.FuncAttribute{enum.FuncAttrNoRecurse, enum.FuncAttrNoUnwind, llvm.AttrPair{Key: "target-cpu", Value: e.Profile.Name}}
	if e.wave == 32 { // the waves of CDNA are always of 64
		all = append(all, llvm.AttrPair{Key: "target-features", Value: "+wavefrontsize32"})
	}
	var r reads
	if kernel {
		r = e.reads
		r.identifiers, r.groups = r.identifiers|1, r.groups|1 // of x there always are
		size := strconv.Itoa(int(e.invocations()))
		all = append(all, llvm.AttrPair{Key: "amdgpu-flat-work-group-size", Value: size + "," + size},
			llvm.AttrPair{Key: "uniform-work-group-size", Value: "true"})
	}
	for c, name := range dimensions {
		if r.identifiers>>c&1 == 0 {
			all = append(all, llvm.AttrString("amdgpu-no-workitem-id-"+name))
		}
		if r.groups>>c&1 == 0 {
			all = append(all, llvm.AttrString("amdgpu-no-workgroup-id-"+name))
		}
	}
	if !r.implicit {
		all = append(all, llvm.AttrString("amdgpu-no-implicitarg-ptr"))
	}
	for _, name := range absent {
		all = append(all, llvm.AttrString("amdgpu-no-"+name))
	}
	return all
}

// absent are the parts of the environment that no kernel reads.
var absent = [...]string{"dispatch-ptr", "dispatch-id", "queue-ptr", "heap-ptr", "hostcall-ptr",
	"default-queue", "completion-action", "multigrid-sync-arg", "lds-kernel-id"}

// Metadata nodes, by their numbers.
var (
	noMetadata = &metadata.Tuple{MetadataID: 1}
	maxError   = &metadata.Tuple{MetadataID: 2, Fields: []metadata.Field{&operand{types.Float, "float 2.5", len("float ")}}}
	ident      = &metadata.Tuple{MetadataID: 3, Fields: []metadata.Field{&metadata.String{Value: identification}}}
)

// What instructions have of metadata: loads of what nothing writes while the kernel runs (LangRef,
// "invariant.load"), and operations with the maximum error that WGSL allows, in ulp ("fpmath").
var (
	invariantLoad = llvm.Metadata{{Name: "invariant.load", Node: noMetadata}}
	divisionError = llvm.Metadata{{Name: "fpmath", Node: maxError}}
)

// metadata sets a module's metadata.
func (e *emitter) metadata(m *llvm.Module) {
	version := &metadata.Tuple{MetadataID: 0, Fields: []metadata.Field{
		integer(types.I32, 1), &metadata.String{Value: "amdhsa_code_object_version"},
		integer(types.I32, int64(objectVersion(e.Profile))),
	}}
	m.MetadataDefs = []metadata.Definition{version, noMetadata, maxError, ident}
	m.NamedMetadataDefs = map[string]*metadata.NamedDef{
		"llvm.module.flags": {Name: "llvm.module.flags", Nodes: []metadata.Node{version}},
		"llvm.ident":        {Name: "llvm.ident", Nodes: []metadata.Node{ident}},
	}
}

// function returns a function or kernel, the n-th of the module.
func (e *emitter) function(f *ir.Func, n int) *llvm.Func {
	e.lower(f)
	e.temporaries, e.line = 0, 0
	e.chooseTypes()
	var made *llvm.Func
	if f.Kernel {
		made = e.kernelHead()
	} else {
		made = e.functionHead(n)
	}
	e.blocks = grown(e.blocks, e.f.Blocks())
	e.block = llvm.NewBlock("begin")
	made.Blocks = append(made.Blocks, e.block)
	for _, b := range e.f.Order {
		e.blocks[b] = llvm.NewBlock("b" + strconv.Itoa(int(b)))
		made.Blocks = append(made.Blocks, e.blocks[b])
	}
	e.locals()
	e.fillBlocks()
	return made
}

// locals fills the entry block, which allocates the variables of the invocation. It is a
// separate block, since in LLVM no branch leads to the entry.
func (e *emitter) locals() {
	for n := range e.f.Symbols {
		s := &e.f.Symbols[n]
		if n == 0 || s.Space != ir.Private && s.Space != ir.Function {
			continue
		}
		a := &llvm.InstAlloca{ElemType: types.NewArray(uint64(s.Bytes), types.I8), Align: llvm.Align(s.Align), AddrSpace: 5}
		a.SetName(e.variable(s.Variable).Ident()[1:])
		e.add(a)
	}
	e.block.Term = llvm.NewBr(e.blocks[e.f.Order[0]])
}

// findReads finds what the kernel's code reads of its environment, and sets the description's
// parameters accordingly.
func (e *emitter) findReads() {
	f, r := e.f, &e.reads
	*r = reads{addresses: grown(r.addresses, len(e.Bindings)), lengths: grown(r.lengths, len(e.Bindings))}
	r.immediates = slices.ContainsFunc(f.Symbols, func(s mir.Symbol) bool { return s.Space == ir.Immediate })
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			switch f.Op(i) {
			case mir.BindingAddress:
				r.addresses[f.Aux(i)] = true
			case mir.BindingLength:
				r.lengths[f.Aux(i)] = true
			case mir.Builtin:
				switch x, component := ir.Builtin(f.Aux(i)/4), f.Aux(i)%4; x {
				case ir.LocalInvocationID:
					r.identifiers |= 1 << component
				case ir.WorkgroupID:
					r.groups |= 1 << component
				case ir.NumWorkgroups:
					r.implicit = true
				}
			}
		}
	}
	e.Info.Parameters = slices.DeleteFunc(e.Info.AllParameters(), func(p abi.Parameter) bool {
		switch p.Kind {
		case abi.AddressParameter:
			return !r.addresses[p.Binding]
		case abi.LengthParameter:
			return !r.lengths[p.Binding]
		case abi.ImmediatesParameter:
			return !r.immediates
		}
		return true
	})
}

// kernelHead returns the kernel without its blocks. Its parameters are what it reads. No binding of
// a launch overlaps another one that is written, so addresses are noalias.
func (e *emitter) kernelHead() *llvm.Func {
	e.findReads()
	var params []*llvm.Param
	for _, p := range e.Info.Parameters {
		var made *llvm.Param
		switch p.Kind {
		case abi.ImmediatesParameter:
			made = llvm.NewParam("immediates", constantPointer)
			made.Attrs = []llvm.ParamAttribute{llvm.ByRef{Typ: types.NewArray(uint64(e.Info.ImmediateBytes()), types.I8)}, llvm.Align(16)}
		case abi.AddressParameter:
			made = llvm.NewParam("binding_"+strconv.Itoa(p.Binding), globalPointer)
			made.Attrs = []llvm.ParamAttribute{enum.ParamAttrNoAlias}
			if e.Info.Bindings[p.Binding].Access != abi.ReadWrite {
				made.Attrs = append(made.Attrs, enum.ParamAttrReadOnly)
			}
			made.Attrs = append(made.Attrs, llvm.Align(16))
		default:
			made = llvm.NewParam("length_"+strconv.Itoa(p.Binding), types.I32)
		}
		params = append(params, made)
	}
	f := llvm.NewFunc(e.Info.Name, types.Void, params...)
	f.Visibility, f.CallingConv = enum.VisibilityProtected, enum.CallingConvAMDGPUKernel
	return f
}

// instruction translates an instruction that is not a terminator.
func (e *emitter) instruction(i mir.Inst) {
	o := e.f.Op(i)
	switch {
	case o >= mir.MachineOps:
		e.machineOp(i)
		return
	case o >= mir.Join:
		e.lowered(i)
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
		e.atomicStore(i)
	case op.AtomicReadModifyWrite:
		e.atomicReadModifyWrite(i)
	case op.AtomicCompareExchange:
		e.atomicCompareExchange(i)
	case op.ControlBarrier:
		// it orders all memory between the invocations, and so each memory that a barrier of WGSL
		// names
		e.barrierOf("workgroup", "llvm.amdgcn.s.barrier")
	case op.Call:
		e.callFunction(i)
	case op.Add:
		if x := e.f.Arg(i, 0); isPointer(e.typeOf(x)) {
			y := e.f.Arg(i, 1)
			e.set(e.f.Result(i), offset(e.register(x), e.cast(y, e.classType(y))))
			return
		}
		e.compute(op.Op(o), e.arguments(i))
	default:
		e.compute(op.Op(o), e.arguments(i))
	}
}

// compute expands the template of an operation on a kind. Without one for f16, that of f32 is used.
func (e *emitter) compute(o op.Op, x *arguments) {
	if text := e.templates[o][x.kind]; text != "" {
		e.expand(text, x)
		return
	}
	text := e.templates[o][scalar.F32]
	if x.kind != scalar.F16 || text == "" {
		panic("amdgpu has no template for " + o.String() + " on " + x.kind.String())
	}
	e.expandWidened(text, x)
}

// lowered translates an operation of the machine level that the IR does not have.
func (e *emitter) lowered(i mir.Inst) {
	f := e.f
	switch f.Op(i) {
	case mir.Join:
		e.join(i)
	case mir.Split:
		e.split(i)
	case mir.MulWide:
		x := e.arguments(i)
		if x.kind == scalar.I32 {
			e.expand("$0 = sext i32 $a to i64; $1 = sext i32 $b to i64; $d = mul i64 $0, $1", x)
		} else {
			e.expand("$0 = zext i32 $a to i64; $1 = zext i32 $b to i64; $d = mul i64 $0, $1", x)
		}
	case mir.Builtin:
		e.special(f.Result(i), ir.Builtin(f.Aux(i)/4), f.Aux(i)%4)
	case mir.BindingAddress:
		base := newOperand(globalPointer, "%binding_"+strconv.Itoa(int(f.Aux(i))))
		e.set(f.Result(i), offset(base, integer(types.I64, 0)))
	case mir.BindingLength:
		length := newOperand(types.I32, "%length_"+strconv.Itoa(int(f.Aux(i))))
		e.set(f.Result(i), llvm.NewAdd(length, integer(types.I32, 0)))
	case mir.SymbolAddress:
		e.set(f.Result(i), offset(e.variable(f.Symbols[f.Aux(i)].Variable), integer(types.I32, 0)))
	}
}

// location adds an instruction's source line as a comment if it differs from that of the last
// comment.
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
	e.add(&comment{text: strconv.QuoteToASCII(p.File) + " " + strconv.Itoa(p.Line)})
}
