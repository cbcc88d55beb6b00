package gogen

import (
	"fmt"
	gobuild "go/build"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/gokernel/launch"
	"github.com/gpuc/gpuc/runtime/abi"
)

// nativeFiles returns the files with machine code for the CPU, as Go assembly in the package
// (-native). With them nothing is compiled when a kernel is loaded, and no executable memory is
// needed. Artefacts are those of the kernels for the target cpu. There are no files if none of them
// can be compiled.
func (g *generation) nativeFiles(p *gokernel.Package, artefacts []*abi.Artefact) ([]generatedFile, error) {
	if err := takesAssembly(p.Folder); err != nil {
		return nil, fmt.Errorf("%s: %w", g.displayName(p.Folder), err)
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

// takesAssembly returns an error if the package in a folder cannot have Go assembly.
func takesAssembly(folder string) error {
	context := gobuild.Default
	context.CgoEnabled = true // other builds may use cgo
	if p, err := context.ImportDir(folder, 0); err == nil && len(p.CgoFiles) > 0 {
		return fmt.Errorf("%s uses cgo, and packages that do cannot have Go assembly; move its kernels to another package, or leave out -native", p.CgoFiles[0])
	}
	return nil
}
