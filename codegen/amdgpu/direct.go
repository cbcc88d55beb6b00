package amdgpu

import (
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine"
	"github.com/gpuc/gpuc/codegen/flat"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is the way to a code object that takes no LLVM: from the machine level by package machine.

// Direct is the target of AMD's devices without LLVM's back end. It is made of Target.
var Direct = direct()

func direct() codegen.Target {
	t := Target
	t.Legalize = slices.Clone(t.Legalize)
	t.Legalize[0] = opt.Inline
	t.Emit = emitDirect
	return t
}

// directTraits are those of the machine.
var directTraits = func() flat.Traits {
	t := machine.Traits
	t.Names = machineNames()
	return t
}()

// emitDirect writes a code object.
func emitDirect(x *codegen.Emission) []byte {
	r, k := compileDirect(x)
	if r == nil {
		return nil
	}
	return []byte(r.Assembly(k))
}

// compileDirect makes machine code of a kernel, or reports why that cannot be.
func compileDirect(x *codegen.Emission) (*machine.Result, *machine.Kernel) {
	e := opt.Scratch[emitter](x.Context, "amdgpu")
	e.Emission, e.m = x, x.Module
	e.wave = x.Profile.Subgroup
	x.Info.Name = kernelName(x.Kernel.Name)
	defer func() { e.Emission, e.m, e.source, e.f = nil, nil, nil, nil }()
	reach := ir.ReachOf(x.Module, x.Kernel)
	refuse := func(reason string) (*machine.Result, *machine.Kernel) {
		x.Context.List.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: x.Kernel.Span, Message: reason})
		return nil, nil
	}
	if len(reach.Funcs) > 1 {
		return refuse("functions that are called")
	}
	e.builder.Begin(x.Context, x.Module, e, &directTraits, &reach, x.Bindings, uint32(x.Info.ImmediateBytes()))
	defer e.builder.End()
	e.source = x.Kernel
	e.findWhole(x.Kernel)
	e.f = e.builder.Lower(x.Kernel)
	k := &machine.Kernel{Name: x.Info.Name, Processor: x.Profile.Name, Strict: x.Context.Math == opt.MathStrict, Workgroup: x.Info.Workgroup}
	e.readBy(k)
	r, err := machine.Compile(e.f, k)
	if err != nil {
		return refuse(err.Error())
	}
	return r, k
}

// readBy finds what a kernel reads of its environment, and where its arguments lie: as kernelHead has them.
func (e *emitter) readBy(k *machine.Kernel) {
	f := e.f
	e.addresses, e.lengths = grown(e.addresses, len(e.Bindings)), grown(e.lengths, len(e.Bindings))
	implicit := false
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			switch f.Op(i) {
			case flat.BindingAddress:
				e.addresses[f.Aux(i)] = true
			case flat.BindingLength:
				e.lengths[f.Aux(i)] = true
			case flat.Builtin:
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
	k.Addresses, k.Lengths = make([]int32, len(e.Bindings)), make([]int32, len(e.Bindings))
	e.Info.Parameters = slices.DeleteFunc(e.Info.AllParameters(), func(p abi.Parameter) bool { return !e.reads(p) })
	at := uint32(0)
	put := func(align, bytes uint32) int32 {
		at = (at + align - 1) &^ (align - 1)
		at += bytes
		return int32(at - bytes)
	}
	for _, p := range e.Info.Parameters {
		switch p.Kind {
		case abi.AddressParameter:
			k.Addresses[p.Binding] = put(8, 8)
		case abi.LengthParameter:
			k.Lengths[p.Binding] = put(4, 4)
		case abi.ImmediatesParameter:
			k.Immediates = put(16, uint32(e.Info.ImmediateBytes()))
		}
	}
	k.ArgumentBytes = at
	if implicit {
		k.Implicit = put(8, 0)
		k.ArgumentBytes = uint32(k.Implicit) + 256
	}
}
