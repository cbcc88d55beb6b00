// Package jit compiles kernels from source at run time. It is the only runtime package that links
// the compiler: programs that load prebuilt artefacts import package gpu only.
package jit

import (
	"fmt"
	"iter"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// CompileError is the error of a source that does not compile.
type CompileError struct {
	// Sources resolves the spans of Diagnostics.
	Sources     *source.Set
	Diagnostics []diag.Diagnostic
}

// Error returns the diagnostics with the source lines that they point at.
func (e *CompileError) Error() string {
	if e == nil {
		return "no error"
	}
	var b strings.Builder
	diag.Write(&b, e.Sources, e.Diagnostics) // a Builder does not fail
	return strings.TrimRight(b.String(), "\n")
}

// Program is a checked source, ready to be compiled for any device. Parse makes it. It is
// immutable, and may be used by several goroutines.
type Program struct {
	sources *source.Set
	module  *ir.Module
	options codegen.Options
}

// Parse reads a source. The extension of the name is its language (.wgsl or .ir). options apply to
// later compilations. The error is a *CompileError if the source is at fault.
func Parse(name, text string, options codegen.Options) (*Program, error) {
	p := &Program{sources: new(source.Set), options: options}
	file, err := p.sources.Add(name, text)
	if err != nil {
		return nil, err
	}
	var list diag.List
	p.module, err = frontend.Load(p.sources, file, frontend.Options{Lower: lower.Options{Math: options.Math}}, &list)
	if err != nil {
		return nil, err
	}
	if p.module == nil {
		return nil, &CompileError{p.sources, list.Items()}
	}
	return p, nil
}

// Module returns the program's IR, which must not be changed. It is nil for a nil or zero Program.
func (p *Program) Module() *ir.Module {
	if p == nil {
		return nil
	}
	return p.module
}

// errNoProgram is the error about a nil or zero Program.
var errNoProgram = fmt.Errorf("compile a kernel: %w: the program is nil or none that Parse made", gpu.ErrShape)

// Entries iterates over the names of the compute entry points, in the order of the source.
func (p *Program) Entries() iter.Seq[string] {
	return func(yield func(string) bool) {
		if p.Module() == nil {
			return
		}
		for _, k := range p.module.Kernels() {
			if !yield(k.Name) {
				return
			}
		}
	}
}

// Compile compiles an entry point for a target, whose name may include a profile ("ptx:sm_90"); an
// empty entry means the only one. Settings of overrides are added to those of the options. The
// artefact has the variant that takes uniform buffers by value, and the large-launch variant, if
// target and kernel have one. An unknown target is gpu.ErrUnsupported; other errors are a
// *CompileError.
func (p *Program) Compile(target abi.Target, entry string, settings ...codegen.Setting) (*abi.Artefact, error) {
	t, err := all.Find(string(target))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, gpu.ErrUnsupported)
	}
	if p.Module() == nil {
		return nil, errNoProgram
	}
	return p.compile(t, entry, settings, p.options)
}

func (p *Program) compile(t *codegen.Target, entry string, settings []codegen.Setting, o codegen.Options) (*abi.Artefact, error) {
	o.Context = nil // contexts serve one compilation at a time
	o.ByValue, o.Coarse, o.Tensor = true, true, true
	o.Settings = append(append([]codegen.Setting(nil), o.Settings...), settings...)
	var list diag.List
	a := codegen.Compile(p.module, entry, t, &o, &list)
	if a == nil {
		return nil, &CompileError{p.sources, list.Items()}
	}
	return a, nil
}

// Load compiles an entry point for a device, in the highest of its target's profiles that the
// device runs, and loads it there. Unless the options say otherwise, the code has the workarounds
// that the device's driver needs, and no others (workaround.For). Errors are those of Compile and
// gpu.Device.Load.
func (p *Program) Load(device *gpu.Device, entry string, settings ...codegen.Setting) (*gpu.Kernel, error) {
	info := device.Info()
	if p.Module() == nil {
		return nil, errNoProgram
	}
	if all.For(info.Target, 0) == nil {
		return nil, fmt.Errorf("load a kernel: %w: the device is nil or none that gpu.Open made", gpu.ErrClosed)
	}
	o := p.options
	if o.Workarounds == nil {
		set := workaround.For(workaround.Compiler(info.Compiler), info.CompilerVersion)
		o.Workarounds = &set
	}
	o.InMemory = true
	a, err := p.compile(all.For(info.Target, info.Profile, info.Features...), entry, settings, o)
	if err != nil {
		return nil, err
	}
	return device.Load(a)
}
