package campaign

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file holds the way wgsl: what the target writes is read like any program, and the
// CPU device interprets it as it is written, without passes.

func openWGSL() (*Way, error) {
	device, err := gpu.Open(gpu.Named("cpu"))
	if err != nil {
		return nil, err
	}
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	d := &executor{device: device, stream: stream}
	return &Way{Name: string(abi.WGSL), target: all.Lookup(string(abi.WGSL)), textures: true,
		execute: func(a *abi.Artefact, c *difftest.Case, step func(string)) ([][]byte, error) {
			step("reading what was written")
			read, err := readBack(a)
			if err != nil {
				return nil, err
			}
			return d.execute(read, c, step)
		}}, nil
}

// readBack compiles the WGSL of an artefact for the CPU device. What a runtime provides
// stays that: WGSL does not say which buffer it is.
func readBack(a *abi.Artefact) (*abi.Artefact, error) {
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add("written.wgsl", string(a.Code))
	if err != nil {
		return nil, err
	}
	m, err := frontend.Load(set, file, frontend.Options{}, list)
	if err != nil {
		return nil, err
	}
	var read *abi.Artefact
	if m != nil {
		read = codegen.Compile(m, a.Kernel.Name, all.Lookup(string(abi.CPU)), &codegen.Options{NoOptimize: true}, list)
	}
	if items := list.Items(); len(items) > 0 { // warnings too
		d := items[0]
		return nil, fmt.Errorf("what was written is refused at line %d: %s [%s]\n%s", set.Position(d.Span.Start).Line, d.Message, d.Code, a.Code)
	}
	if len(read.Kernel.Bindings) != len(a.Kernel.Bindings) {
		return nil, fmt.Errorf("what was written has %d bindings, and the kernel %d\n%s", len(read.Kernel.Bindings), len(a.Kernel.Bindings), a.Code)
	}
	read.Kernel.Fault = a.Kernel.Fault
	return read, nil
}
