// Package cpu holds the targets of the CPU devices: IR text, which the interpreter
// reads. The text carries the source and every instruction's place in it, so that a
// fault is reported where the user wrote it.
package cpu

import (
	"bytes"
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/legalize"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is the CPU target. It needs no legalising: the interpreter executes every
// operation, and keeps accesses within bounds itself.
var Target = codegen.Target{
	Name:      abi.CPU,
	Doc:       "IR text for the CPU device, which interprets it; it has no limits of its own",
	Names:     "with -g the whole source, and the place of each instruction in it, which reports show; without it names alone; with -strip they are letters with numbers",
	Extension: ".ir",
	Handles:   "all types and formats, in `ir/texture`; multisampled textures run here only",
	Needs:     ir.Bound,
	Emit:      emit,
	Recognise: recognise,
}

// Checked is the target of the checked CPU device. What that device reports is to
// be what the source does, so the code is the source's: a pass that moves, merges
// or removes an access changes what there is to report.
var Checked = codegen.Target{
	Name:      abi.Checked,
	Doc:       "IR text for the checked CPU device: the program as it is written, without the passes that make it faster",
	Names:     "as for the CPU device; what the checked device reports has places with -g only",
	Extension: ".checked.ir",
	Handles:   "as for the CPU device",
	AsWritten: true,
	Needs:     ir.Bound,
	Legalize:  []opt.Pass{trapped(legalize.Robust), trapped(legalize.Totalise(legalize.GuardIndex))},
	Emit:      emit,
	Recognise: recognise,
}

// mark begins code that has no source in it.
const mark = "// IR written by gpuc: kernel "

// recognise tells code from modules that people write: it begins with its source, or with the mark.
func recognise(contents []byte) bool {
	return bytes.HasPrefix(contents, []byte(`source "`)) || bytes.HasPrefix(contents, []byte(mark))
}

// trapped makes of a pass one that runs in trap mode only. There the checks record
// what lies outside of its variable, and the device is not to report it again.
func trapped(p opt.Pass) opt.Pass {
	run := p.Run
	p.Doc = "in trap mode, " + p.Doc
	p.Gives = 0
	p.Run = func(c *opt.Context, m *ir.Module) {
		if c.Bounds == opt.BoundsTrap {
			run(c, m)
		}
	}
	return p
}

func emit(e *codegen.Emission) []byte {
	b := opt.Scratch[[]byte](e.Context, "cpu")
	*b = (*b)[:0]
	if !e.Lines {
		*b = append(append(append(*b, mark...), e.Kernel.Name...), '\n')
	}
	*b = e.Module.AppendText(*b, ir.PrintOptions{Spans: e.Lines})
	return slices.Clone(*b)
}
