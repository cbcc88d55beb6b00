// Package codegen turns a module of the IR into artefacts. A Target says what a
// machine's language needs; Compile runs the way from a module to code, which is
// the same for all targets:
//
//	copy the kernel and what it reaches ─► bind overrides ─► describe its interface
//	      ─► replace views of buffers ─► checks of the trap mode ─► portable passes
//	      ─► the target's legalisers ─► verify ─► emit
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
	// AsWritten says that the code is to do what the source does, access by access:
	// the passes that only make code faster are left out.
	AsWritten bool
	// Promotes says that variables become values with -O0, too: what takes the code promotes them
	// by itself, and wrongly at times.
	Promotes bool
	// WholeWorkgroups says that launches of its code are of whole workgroups, as immediates, which
	// would have the extent of others, are not to be relied upon.
	WholeWorkgroups bool
	// LargeBuffers says that its devices may bind buffers of 4 GiB and more.
	LargeBuffers bool
	// Portable returns the portable passes, if not opt.Standard, and PortableLarge those of the
	// large-launch variant, if not opt.StandardLarge.
	Portable, PortableLarge func() []opt.Pass
	// Lower turns IR after the portable passes into what Emit can express; each line says why it
	// comes where it does. Workarounds are the rows of the table of work-arounds that the code may
	// need. Their passes come next, in this order: earlier passes would simplify their patterns
	// again. Finish cleans up after both. Constraints has what must not be reordered.
	Lower       []opt.Pass
	Workarounds []workaround.ID
	Finish      []opt.Pass
	// Needs is what Emit relies on: every way through the passes has to establish it.
	Needs ir.Property
	// Silent says why kernels cannot print, "" where they can: what they print is written for a
	// runtime to read.
	Silent string
	// Unsupported gives, for operations that the target cannot express, the
	// reason; after legalising, an instruction with one is a diagnostic at its
	// span. Every other operation has a row in the emitter's table.
	Unsupported *[op.Count]string
	// Kinds are the scalar kinds that the target has; the zero value means all.
	Kinds scalar.Set
	// Handles says what the target does with textures and samplers. If it is empty, there
	// are none: a kernel that uses one is refused before the passes, at the variable's
	// declaration, with the reason in NoHandles.
	Handles, NoHandles string
	// Names says what of the source's names and lines the code has: with the flag -g of gpuc build,
	// which is on, without it, and with -strip.
	Names string
	// Profiles are what code for the target may be restricted to or widened by, from the
	// least; none if there is one language for all devices. The first is what code
	// without a profile is written in.
	Profiles []Profile
	// Profile is the one of Profiles that was asked for (see With), nil if none was.
	Profile *Profile
	// Guaranteed is the workgroup memory that all devices have, where profiles do not tell.
	Guaranteed Guarantee
	// Runs reports whether a device runs code of a profile, for targets whose profiles are not
	// ordered. The device is given as driver.Info.Profile gives it. The first of Profiles that it
	// runs is the highest.
	Runs func(device uint32, profile string) bool
	// UsesMIR says that Emit lowers functions to the machine level (package mir). -dump after:mir
	// prints it.
	UsesMIR bool
	// Subgroup is the size that all subgroups have, or 0 where devices differ.
	Subgroup uint32
	// InMemory says that the code is the text of the module, which devices can take instead.
	InMemory bool
	// ByValue says that Emit can write the form that takes uniform buffers by value.
	ByValue bool
	// Coarse says what large launches of the target's devices gain by.
	Coarse Coarse
	// Emit writes the code of a module that holds one kernel and what it reaches.
	// Limits of the target go to the emission's list.
	Emit func(e *Emission) []byte
	// Demands adds, where the code tells more than its description, to what a host has to know; nil
	// where it does not.
	Demands func(a *abi.Artefact, d *abi.Demands)
	// Assemble writes readable text of an artefact's code, for `gpuc build -S`;
	// nil where the code is text already.
	Assemble func(code []byte) (string, error)
	// Object makes of an artefact what its devices load, by tools that the machine has or not; nil
	// where that is the code. Builds write it to files that end in ObjectExtension, and the code to
	// others with `-S`. Where no tool is there the error is a MissingTool.
	Object          func(a *abi.Artefact) ([]byte, error)
	ObjectExtension string
	// Resources says what an artefact takes of a device, by tools that the machine has or not; nil
	// where a driver makes the machine code, which says nothing. The object is what Object made of
	// the artefact, or nil.
	Resources func(a *abi.Artefact, object []byte) (*Usage, error)
	// Mix says what an artefact's code consists of, by tools if the machine has them; nil where the
	// IR is as close to what runs as the code is. The error says what is missing.
	Mix func(a *abi.Artefact) (*Mix, error)
	// Recognise reports whether a file's contents are code that Emit wrote, text that
	// Assemble did or what Object made, so that a build replaces its own files and no others.
	Recognise func(contents []byte) bool
}

// Emission is what an emitter works on.
type Emission struct {
	Context *opt.Context
	Module  *ir.Module
	Kernel  *ir.Func
	// Info is the kernel's description as Compile has filled it; an emitter may
	// add to Requires and say which Parameters the code has.
	Info *abi.Kernel
	// Bindings are the resources' addresses, in the order of Info.Bindings.
	Bindings []ir.Value
	// ByValue asks for the form that takes uniform buffers by value, as far as that is possible and
	// of use. Which it does Info.Parameters says.
	ByValue bool
	// Profile is what the code may use: the one that was asked for, or the target's least.
	// It is nil for targets without any.
	Profile *Profile
	// Lines asks for line information, and for names of values where code need not have them.
	Lines bool
	// Excerpt, Place and NoOptimize are those of Options.
	Excerpt    func(file string) string
	Place      func(line int, at source.Pos)
	NoOptimize bool
	// Strip says that names in the module are no longer the source's, so that code need not have
	// any that it can do without.
	Strip bool
	// Workarounds are the rows of the table of work-arounds that the code is to have.
	Workarounds workaround.Set
}

// MissingTool is the error of what takes a tool that is not on the PATH: one sentence that names
// it.
type MissingTool string

func (m MissingTool) Error() string { return string(m) }

// Lowering lists the passes that lower code for the target with a set of work-arounds.
func (t *Target) Lowering(set workaround.Set) []opt.Pass {
	t = t.orNone()
	return slices.Concat(t.Lower, set.Passes(t.Workarounds), t.Finish)
}
