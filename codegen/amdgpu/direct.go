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
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is the target that makes code objects without LLVM, by package machine.

// Direct returns the target that makes code objects without LLVM, for gfx942. It differs from
// Target in its last step; kernels have the same parameters. A diagnostic says what it cannot
// express yet.
func Direct() *codegen.Target {
	t := Target
	t.Doc = "machine code for gfx942, by gpuc itself"
	t.Extension, t.ObjectExtension, t.Object = t.ObjectExtension, "", nil
	t.Lower = slices.Clone(t.Lower)
	t.Lower[0] = opt.Inline // the machine code has no calls
	// counts and shifts of bits in 64-bit integers become operations on words, after Totalise
	totalise := slices.IndexFunc(t.Lower, func(p opt.Pass) bool { return strings.HasPrefix(p.Name, "define-arithmetic") })
	t.Lower = slices.Insert(t.Lower, totalise+1, lower.ExpandI64)
	t.Emit, t.Assemble = emitDirect, disassemble
	t.Resources = func(a *abi.Artefact, _ []byte) (*codegen.Usage, error) { return resources(a, a.Code) }
	return &t
}

// DirectWithin returns Direct with a maximum of vector registers, for tests of spilling.
func DirectWithin(registers int) *codegen.Target {
	t := Direct()
	t.Emit = func(x *codegen.Emission) []byte { return writeDirect(x, registers) }
	return t
}

// IsDirect reports whether Direct supports a profile.
func IsDirect(profile string) bool { return machine.Has(profile) }

// directIdentification follows the code in a code object.
const directIdentification = "gpuc's machine code"

// disassemble returns an error: there is no readable assembly.
func disassemble([]byte) (string, error) {
	return "", errors.New("machine code that is made without LLVM is shown by its tools alone: llvm-objdump -d reads the code object")
}

// emitDirect returns a code object.
func emitDirect(x *codegen.Emission) []byte { return writeDirect(x, 0) }

// writeDirect returns a code object with a maximum of vector registers, or 0 for all that there
// are. It returns nil after a diagnostic.
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

// compileDirect compiles a kernel to machine code, or reports why that is not possible.
func compileDirect(x *codegen.Emission, registers int) (*machine.Result, *object.Kernel) {
	e := opt.Scratch[emitter](x.Context, "amdgpu")
	target := machine.Traits
	target.Names = traits.Names
	reach := e.begin(x, &target)
	defer e.end()
	refuse := func(reason string) (*machine.Result, *object.Kernel) {
		x.Context.List.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: x.Kernel.Span, Message: "without LLVM gpuc has no machine code for " + reason + "; leave out -direct"})
		return nil, nil
	}
	if len(reach.Funcs) > 1 {
		return refuse("functions that are called")
	}
	e.lower(x.Kernel)
	k := &machine.Kernel{Name: x.Info.Name, Processor: x.Profile.Name, Strict: x.Context.Math == opt.MathStrict, Verify: x.Context.Verify,
		Workgroup: x.Info.Workgroup, MaxVectors: registers}
	o := e.layOut(k)
	r, err := machine.Compile(e.f, k)
	if err != nil {
		return refuse(err.Error())
	}
	return r, o
}

// layOut sets what a kernel reads of its environment, and the offsets of its arguments, which are
// the parameters that kernelHead declares. It returns the description for the code object.
func (e *emitter) layOut(k *machine.Kernel) *object.Kernel {
	e.findReads()
	k.Identifiers, k.Groups = e.reads.identifiers, e.reads.groups
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
	if e.reads.implicit {
		k.Implicit = put(object.HiddenGroupsOfX, 8, 4)
		put(object.HiddenGroupsOfY, 4, 4)
		put(object.HiddenGroupsOfZ, 4, 4)
		o.ArgumentBytes = uint32(k.Implicit) + implicitBytes
	}
	k.UserScalars = object.UserSGPRs(machine.FamilyOf(k.Processor), o)
	return o
}

// implicitBytes is the size of the implicit arguments (User Guide for AMDGPU Backend,
// "amdgpu-implicitarg-num-bytes").
const implicitBytes = 256
