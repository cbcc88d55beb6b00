package main

import (
	"fmt"
	gobuild "go/build"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/gokernel/launch"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is `gpuc gen -native`: machine code of kernels for the CPU, as Go assembly in the
// package. Loading a kernel then compiles nothing and needs no executable memory.

// nativeFiles returns the files with the machine code of a package, whose kernels have these
// artefacts for the target cpu; none if no kernel has any.
func (g *generation) nativeFiles(p *gokernel.Package, artefacts []*abi.Artefact) ([]generatedFile, error) {
	if err := takesAssembly(p.Folder); err != nil {
		return nil, fmt.Errorf("%s: %w", g.shown(p.Folder), err)
	}
	text := []byte(amd64.Plan9Head)
	var list []launch.Machine
	none := true
	add := func(a *abi.Artefact, coarse bool) error {
		m := launch.Machine{Kernel: a.Kernel.Name, Coarse: coarse}
		code, err := jit.CompileAhead(a.Code)
		switch {
		case err == nil:
			none = false
			m.Key, m.Layout = code.Key, code.Layout
			text = code.AppendAssembly(text, m.Name())
		case jit.IsRefusal(err):
			m.Refused = err
		default:
			return fmt.Errorf("machine code of kernel %s: %w", m.Kernel, err)
		}
		list = append(list, m)
		return nil
	}
	for _, a := range artefacts {
		if err := add(a, false); err != nil {
			return nil, err
		}
		if a.Coarse == nil {
			continue
		}
		if err := add(a.Coarse.Artefact, true); err != nil {
			return nil, err
		}
	}
	if none {
		return nil, nil
	}
	return []generatedFile{{gokernel.AssemblyFile, assemblyFile, text}, {gokernel.MachineFile, launchersFile, launch.MachineSource(p, list)}}, nil
}

// takesAssembly says why the package in a folder cannot have assembly of Go's, if so.
func takesAssembly(folder string) error {
	context := gobuild.Default
	context.CgoEnabled = true // whoever builds it may have that
	if p, err := context.ImportDir(folder, 0); err == nil && len(p.CgoFiles) > 0 {
		return fmt.Errorf("%s uses cgo, and packages that do have no assembly of Go's; move its kernels to another package, or leave out -native", p.CgoFiles[0])
	}
	return nil
}
