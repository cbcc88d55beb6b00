package amdgpu

import (
	"errors"
	"math/bits"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine"
	"github.com/gpuc/gpuc/codegen/amdgpu/object"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is the way to a code object that takes no LLVM: from the machine level by package
// machine.

// Direct returns the target of AMD's devices without LLVM's back end, for gfx942. It is Target but
// for its last step: kernels have the same parameters. What it cannot express yet, with the reason,
// is a diagnostic.
func Direct() *codegen.Target {
	t := Target
	t.Doc = "machine code for gfx942, by gpuc itself"
	t.Extension, t.ObjectExtension, t.Object = t.ObjectExtension, "", nil
	t.Lower = slices.Clone(t.Lower)
	t.Lower[0] = opt.Inline // there are no calls
	// bits of 64-bit integers are counted and moved by words; Totalise stands in front of it
	totalise := slices.IndexFunc(t.Lower, func(p opt.Pass) bool { return strings.HasPrefix(p.Name, "define-arithmetic") })
	t.Lower = slices.Insert(t.Lower, totalise+1, lower.ExpandI64)
	t.Emit, t.Assemble = emitDirect, disassemble
	t.Resources = func(a *abi.Artefact, _ []byte) (*codegen.Usage, error) { return resources(a, a.Code) }
	return &t
}

// DirectWithin returns Direct for lanes that have no more than so many vector registers, for tests
// of what does not fit.
func DirectWithin(registers int) *codegen.Target {
	t := Direct()
	t.Emit = func(x *codegen.Emission) []byte { return writeDirect(x, registers) }
	return t
}

// IsDirect reports whether Direct has a profile.
func IsDirect(profile string) bool { return machine.Has(profile) }

// directIdentification lies behind the code.
const directIdentification = "gpuc's machine code"

// disassemble is for builds that write readable assembly, which there is none of here.
func disassemble([]byte) (string, error) {
	return "", errors.New("machine code that is made without LLVM is shown by its tools alone: llvm-objdump -d reads the code object")
}

// emitDirect writes a code object.
func emitDirect(x *codegen.Emission) []byte { return writeDirect(x, 0) }

// writeDirect writes a code object for lanes with so many vector registers, 0 for as many as there
// are.
func writeDirect(x *codegen.Emission, registers int) []byte {
	r, k := compileDirect(x, registers)
	if r == nil {
		return nil
	}
	k.Code = append(slices.Clone(r.Code), directIdentification...)
	for k.Code = append(k.Code, 0); len(k.Code)%4 != 0; {
		k.Code = append(k.Code, 0)
	}
	k.VGPRs, k.SGPRs = r.Vectors, object.CountSGPRs(r.Checked.Family, r.Scalars, true)
	k.VGPRSpills, k.Shared, k.Scratch = r.Spilled, r.Shared, r.Private
	code, err := object.Write(r.Checked.Family, []object.Kernel{*k})
	if err != nil {
		x.Context.List.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: x.Kernel.Span, Message: err.Error()})
		return nil
	}
	return code
}

// compileDirect makes machine code of a kernel, or reports why that cannot be.
func compileDirect(x *codegen.Emission, registers int) (*machine.Result, *object.Kernel) {
	e := opt.Scratch[emitter](x.Context, "amdgpu")
	e.Emission, e.m = x, x.Module
	e.wave = x.Profile.Subgroup
	x.Info.Name = kernelName(x.Kernel.Name)
	defer func() { e.Emission, e.m, e.source, e.f = nil, nil, nil, nil }()
	reach := ir.ReachOf(x.Module, x.Kernel)
	refuse := func(reason string) (*machine.Result, *object.Kernel) {
		x.Context.List.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: x.Kernel.Span, Message: "without LLVM gpuc has no machine code for " + reason + "; leave out -direct"})
		return nil, nil
	}
	if len(reach.Funcs) > 1 {
		return refuse("functions that are called")
	}
	own := machine.Traits
	own.Names = traits.Names
	e.builder.Begin(mir.Settings{Verify: x.Context.Verify, Dump: x.Context.DumpOf(mir.Stage)}, x.Module, e, &own, &reach, x.Bindings, uint32(x.Info.ImmediateBytes()))
	defer e.builder.End()
	e.source = x.Kernel
	e.findWhole(x.Kernel)
	e.f = e.builder.Lower(x.Kernel)
	k := &machine.Kernel{Name: x.Info.Name, Processor: x.Profile.Name, Strict: x.Context.Math == opt.MathStrict, Verify: x.Context.Verify,
		Workgroup: x.Info.Workgroup, MostVectors: registers}
	o := e.readBy(k)
	r, err := machine.Compile(e.f, k)
	if err != nil {
		return refuse(err.Error())
	}
	return r, o
}

// readBy finds what a kernel reads of its environment, and where its arguments lie: as kernelHead
// has them. It returns what the code object says of that.
func (e *emitter) readBy(k *machine.Kernel) *object.Kernel {
	f := e.f
	e.addresses, e.lengths = grown(e.addresses, len(e.Bindings)), grown(e.lengths, len(e.Bindings))
	implicit := false
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			switch f.Op(i) {
			case mir.BindingAddress:
				e.addresses[f.Aux(i)] = true
			case mir.BindingLength:
				e.lengths[f.Aux(i)] = true
			case mir.Builtin:
				switch x, component := ir.Builtin(f.Aux(i)/4), f.Aux(i)%4; x {
				case ir.LocalInvocationID:
					k.Identifiers |= 1 << component
				case ir.WorkgroupID:
					k.Groups |= 1 << component
				case ir.NumWorkgroups:
					implicit = true
				}
			}
		}
	}
	o := &object.Kernel{Name: k.Name, Wave: int(e.wave), Workgroup: int(e.invocations()), ArgumentAlign: 8, Items: max(bits.Len8(k.Identifiers), 1)}
	for c := range o.Groups {
		o.Groups[c] = k.Groups>>c&1 != 0
	}
	put := func(kind object.ArgumentKind, align, bytes uint32) int32 {
		at := (o.ArgumentBytes + align - 1) &^ (align - 1)
		o.Arguments = append(o.Arguments, object.Argument{Offset: at, Bytes: bytes, Kind: kind})
		o.ArgumentBytes = at + bytes
		o.ArgumentAlign = max(o.ArgumentAlign, align)
		return int32(at)
	}
	k.Addresses, k.Lengths = make([]int32, len(e.Bindings)), make([]int32, len(e.Bindings))
	e.Info.Parameters = slices.DeleteFunc(e.Info.AllParameters(), func(p abi.Parameter) bool { return !e.reads(p) })
	for _, p := range e.Info.Parameters {
		switch p.Kind {
		case abi.AddressParameter:
			k.Addresses[p.Binding] = put(object.GlobalBuffer, 8, 8)
			o.Arguments[len(o.Arguments)-1].ReadOnly = e.Info.Bindings[p.Binding].Access != abi.ReadWrite
		case abi.LengthParameter:
			k.Lengths[p.Binding] = put(object.ByValue, 4, 4)
		case abi.ImmediatesParameter:
			k.Immediates = put(object.ByValue, 16, uint32(e.Info.ImmediateBytes()))
		}
	}
	if implicit {
		k.Implicit = put(object.HiddenGroupsOfX, 8, 4)
		put(object.HiddenGroupsOfY, 4, 4)
		put(object.HiddenGroupsOfZ, 4, 4)
		o.ArgumentBytes = uint32(k.Implicit) + implicitBytes
	}
	k.UserScalars = object.UserSGPRs(machine.FamilyOf(k.Processor), o)
	return o
}

// implicitBytes is what runtimes reserve for implicit arguments (User Guide for AMDGPU Backend,
// "amdgpu-implicitarg-num-bytes").
const implicitBytes = 256
