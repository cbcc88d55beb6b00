// Package all lists the targets. No other package knows them all.
package all

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/codegen/msl"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/codegen/wgsl"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Targets are the targets in the order in which lists show them.
var Targets = []*codegen.Target{&spirv.Target, &ptx.Target, &wgsl.Target, &msl.Target, &amdgpu.Target,
	withAssembly(&cpu.Target, jit.Assemble), &cpu.Checked}

// withAssembly returns a target with a listing of the machine code that a device generates from its
// code. It is added here since the CPU target's own code is the same for all processors.
func withAssembly(t *codegen.Target, assemble func(code []byte) (string, error)) *codegen.Target {
	listed := *t
	listed.Assemble = assemble
	return &listed
}

// Lookup finds a target by name; nil if there is none.
func Lookup(name string) *codegen.Target {
	for _, t := range Targets {
		if string(t.Name) == name {
			return t
		}
	}
	return nil
}

// Names lists the targets' names.
func Names() (names []string) {
	for _, t := range Targets {
		names = append(names, string(t.Name))
	}
	return names
}

// Find finds a target by its name, which a colon and a profile may follow. An error lists what
// there is.
func Find(title string) (*codegen.Target, error) {
	name, profile, chosen := strings.Cut(title, ":")
	t := Lookup(name)
	if t == nil {
		return nil, fmt.Errorf("there is no target `%s`; the targets are %s", name, strings.Join(Names(), ", "))
	}
	if !chosen {
		return t, nil
	}
	return t.With(profile)
}

// Direct returns the target with the same devices that needs no external tools, and whether there
// is one.
func Direct(t *codegen.Target) (*codegen.Target, bool) {
	if t == nil || t.Name != abi.AMDGPU || t.Profile == nil || !amdgpu.IsDirect(t.Profile.Name) {
		return t, false
	}
	direct, err := amdgpu.Direct().With(t.Profile.Name)
	return direct, err == nil
}

// For returns the target of a device with the highest profile that the device runs (driver.Info has
// all that this depends on), or nil if there is no such target.
func For(target abi.Target, profile uint32, features ...abi.Feature) *codegen.Target {
	t := Lookup(string(target))
	if t == nil {
		return nil
	}
	return t.Highest(profile, features...)
}
