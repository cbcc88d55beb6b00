// Package all lists the targets. It is the only place that knows them all.
package all

import (
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/codegen/spirv"
)

// Targets are the targets in the order in which lists show them.
var Targets = []*codegen.Target{&spirv.Target, &ptx.Target, &cpu.Target, &cpu.Checked}

// A program whose passes do not fit together does not start.
func init() {
	for _, t := range Targets {
		if err := t.Check(); err != nil {
			panic(err)
		}
	}
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
