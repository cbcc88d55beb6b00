// Package codegen compiles kernels of the IR to artefacts. A Target describes a language and its
// passes. Compile is the pipeline, which is the same for all targets:
//
//	copy the kernel and the functions it calls ─► bind overrides ─► describe its interface
//	      ─► replace views of buffers ─► checks of the trap mode ─► portable passes
//	      ─► the target's lowering ─► verify ─► emit
//
// The copy makes compilations for several targets or kernels independent, so
// they may run in parallel.
package codegen

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is a language that gpuc writes.
type Target struct {
	Name      abi.Target
	Doc       string // one sentence
	Extension string // of artefact files, such as ".spv"
	// AsWritten says that the code does every access of the source: passes that only make code
	// faster are left out.
	AsWritten bool
	// Promotes says that variables become values at -O0, too, since the driver's own promotion is
	// sometimes wrong.
	Promotes bool
	// WholeWorkgroups says that launches consist of full workgroups. The extent of others would be
	// in immediates, which not all devices of the target have.
	WholeWorkgroups bool
	// PackedTiles says that tiles are lowered for workgroups that execute as one block of lanes
	// (lower.PackedTiles).
	PackedTiles bool
	// LargeBuffers says that its devices may bind buffers of 4 GiB and more.
	LargeBuffers bool
	// Portable returns the portable passes, if not opt.Standard, and PortableLarge those of the
	// large-launch variant, if not opt.StandardLarge.
	Portable, PortableLarge func() []opt.Pass
	// Lower makes the IR after the portable passes expressible for Emit; each line says why it
	// comes where it does. Workarounds are the rows of the table of workarounds that the code may
	// need. Their passes come next, in this order: earlier passes would simplify their patterns
	// again. Finish cleans up after both. Constraints has what must not be reordered.
	Lower       []opt.Pass
	Workarounds []workaround.ID
	Finish      []opt.Pass
	// Needs are the properties that Emit needs: every pipeline has to establish them.
	Needs ir.Property
	// Silent says why kernels cannot print, or is "" if they can. Output needs a runtime that reads
	// it.
	Silent string
	// Unsupported gives, by operation, why the target cannot express it, or "". After lowering, an
	// instruction with a reason is a diagnostic at its span. Every other operation has a row in the
	// emitter's table.
	Unsupported *[op.Count]string
	// Intrinsic gives why a profile of the target does not have an intrinsic, or "". It is nil for
	// targets without intrinsics.
	Intrinsic func(id op.IntrinsicID, p *Profile) string
	// Kinds are the scalar kinds that the target has; the zero value means all.
	Kinds scalar.Set
	// Atomics are the kinds of its atomics; the zero value means integers of 32 and 64 bits.
	Atomics scalar.Set
	// Handles says how the target implements textures and samplers. If it is "", there are none: a
	// kernel with one is refused before the passes, at the variable's declaration, with the reason
	// in NoHandles.
	Handles, NoHandles string
	// Names says which of the source's names and lines the code has: with the flag -g of gpuc
	// build, which is the default, without it, and with -strip.
	Names string
	// Profiles are the versions of the language or of its machines, from the lowest. There are none
	// if all devices have one language. Code without a profile is written for the first.
	Profiles []Profile
	// Profile is the one of Profiles that was chosen (see With), or nil.
	Profile *Profile
	// Guaranteed is the workgroup memory that all devices have, if profiles do not define it.
	Guaranteed Guarantee
	// Runs reports whether a device runs code of a profile, for targets whose profiles are not
	// ordered. The device is given as in driver.Info.Profile. The first of Profiles that it runs is
	// the highest.
	Runs func(device uint32, profile string) bool
	// UsesMIR says that Emit lowers functions to the machine level (package mir). -dump after:mir
	// prints it.
	UsesMIR bool
	// Subgroup is the size that all subgroups have, or 0 where devices differ.
	Subgroup uint32
	// InMemory says that the code is the text of the module, which devices can load instead.
	InMemory bool
	// ByValue says that Emit can write the variant that receives uniform buffers by value.
	ByValue bool
	// Coarse says which large-launch variants make sense for the target's devices.
	Coarse Coarse
	// Tensor is how the target copies tiles by tensor maps; the zero value means that it does not.
	Tensor TensorForm
	// Emit writes the code of a module with one kernel and the functions that it calls. It reports
	// exceeded limits of the target in the emission's list.
	Emit func(e *Emission) []byte
	// Demands adds requirements on the host that follow from the code; nil if the description has
	// all of them.
	Demands func(a *abi.Artefact, d *abi.Demands)
	// Assemble writes readable text of an artefact's code, for `gpuc build -S`; nil if the code is
	// text.
	Assemble func(code []byte) (string, error)
	// Object builds the object that devices load, with tools that may be missing; nil if that is
	// the code. Builds write it to files that end in ObjectExtension, and the code to others with
	// `-S`. If there is no tool, the error is a MissingTool.
	Object          func(a *abi.Artefact) ([]byte, error)
	ObjectExtension string
	// Resources returns an artefact's use of a device's resources, with tools that may be missing;
	// nil if a driver generates the machine code. The object is the result of Object, or nil.
	Resources func(a *abi.Artefact, object []byte) (*Usage, error)
	// Mix counts the instructions of an artefact's code, with tools if the machine has them; nil if
	// the IR is as close to the machine code as the code is. The error names the missing tool.
	Mix func(a *abi.Artefact) (*Mix, error)
	// Recognise reports whether a file's contents are from Emit, Assemble or Object, so that a
	// build replaces only its own files.
	Recognise func(contents []byte) bool
}

// Emission is the input of an emitter.
type Emission struct {
	Context *opt.Context
	Module  *ir.Module
	Kernel  *ir.Func
	// Info is the kernel's description, filled by Compile. An emitter may add to Requires and set
	// Parameters.
	Info *abi.Kernel
	// Bindings are the resources' addresses, in the order of Info.Bindings.
	Bindings []ir.Value
	// ByValue requests the variant that receives uniform buffers by value, where that is possible
	// and useful. Info.Parameters says which ones do.
	ByValue bool
	// Profile is the chosen profile, or the target's lowest. It is nil for targets without any.
	Profile *Profile
	// Lines requests line information, and the names of values if code need not have them.
	Lines bool
	// Excerpt, LinePosition and NoOptimize are those of Options.
	Excerpt      func(file string) string
	LinePosition func(line int, at source.Pos)
	NoOptimize   bool
	// Strip says that names in the module are no longer the source's. The code then has only names
	// that it needs.
	Strip bool
	// Workarounds are the rows of the table of workarounds that apply to the code.
	Workarounds workaround.Set
}

// MissingTool is the error for a tool that is not on the PATH: one sentence that names it.
type MissingTool string

func (m MissingTool) Error() string { return string(m) }

// Lowering lists the passes that lower code for the target with a set of workarounds.
func (t *Target) Lowering(set workaround.Set) []opt.Pass {
	t = t.orNone()
	return slices.Concat(t.Lower, set.Passes(t.Workarounds), t.Finish)
}
