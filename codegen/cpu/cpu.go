// Package cpu is the target of the CPU device: IR text, which the device's
// interpreter reads. The text carries the source and every instruction's place
// in it, so that a fault is reported where the user wrote it.
package cpu

import (
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/legalize"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is the CPU target. It needs no legalising but for -bounds=trap: the
// interpreter executes every operation, and keeps accesses within bounds itself.
var Target = codegen.Target{
	Name:      abi.CPU,
	Doc:       "IR text for the CPU device, which interprets it; it has no limits of its own",
	Extension: ".ir",
	Legalize:  []opt.Pass{legalize.Trap},
	Emit: func(e *codegen.Emission) []byte {
		b := opt.Scratch[[]byte](e.Context, "cpu")
		*b = e.Module.AppendText((*b)[:0], ir.PrintOptions{Spans: e.Lines})
		return slices.Clone(*b)
	},
}
