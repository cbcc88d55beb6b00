package codegen

import (
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// This file has the options of a compilation. Programs need no other package of the compiler for
// them.

// Math is the floating-point mode.
type Math = opt.Math

// The floating-point modes: the accuracy of WGSL; sums and products with equal bits on all devices;
// and less accuracy than WGSL requires.
const (
	MathWGSL   = opt.MathWGSL
	MathStrict = opt.MathStrict
	MathFast   = opt.MathFast
)

// Bounds is the treatment of accesses out of bounds.
type Bounds = opt.Bounds

// The bounds modes: reads are clamped and stores dropped; likewise, and the first such access is
// recorded and reported; or the caller promises that there are none.
const (
	BoundsRobust  = opt.BoundsRobust
	BoundsTrap    = opt.BoundsTrap
	BoundsTrapAll = opt.BoundsTrapAll
	BoundsOff     = opt.BoundsOff
)

// Setting gives an override its value. Key is the override's name or its id in decimal. A bool is 0
// or 1.
type Setting = ir.Setting

// Options choose how a kernel is compiled.
type Options struct {
	Math   Math
	Bounds Bounds
	// NoOptimize leaves out the passes that only make code faster.
	NoOptimize bool
	// Debug keeps prints and assertions, which are removed without it.
	Debug bool
	// ByValue requests, of targets that can, a variant that receives uniform buffers by value
	// (abi.ByValue). It is for runtimes that know the contents of such buffers.
	ByValue bool
	// Coarse requests, of targets that can, a large-launch variant (Target.Coarse, abi.Coarse). It
	// is for runtimes that choose a variant for each launch.
	Coarse bool
	// Tensor requests, of targets that can, a variant of kernels with tiles that copies them by
	// tensor maps (Target.Tensor, abi.Tensor). It is for runtimes that choose a variant for each
	// launch.
	Tensor bool
	// InMemory adds, for targets whose code is the text of IR, the module itself to artefacts
	// (abi.Artefact.InMemory). It is for programs that load the artefacts that they compile.
	InMemory bool
	// Lines adds line information and the names of values to the code, if the target has a form for
	// them.
	Lines bool
	// Excerpt, if not nil, reduces sources that are embedded because of Lines to the lines that the
	// code comes from. It returns the name of the excerpt of a file.
	Excerpt func(file string) string
	// Strip leaves the source's other names out of the code, too: those of variables, functions,
	// structures and members. The entry point keeps its name, and the description all of them.
	Strip bool
	// LinePosition, if not nil, is called with lines of the code and their source positions. It is
	// for targets that write text for people (WGSL and MSL), whose code has no line information.
	// Lines are counted from 0 and come in the order of the text.
	LinePosition func(line int, at source.Pos)
	// Workarounds, if not nil, are the rows of the table of workarounds that apply, of those that
	// the target lists. nil means all (workaround.All), and in package jit those that the device's
	// driver needs (workaround.For).
	Workarounds *workaround.Set
	// Settings gives values to overrides.
	Settings []Setting
	// Report, if not nil, is filled with facts about the code, for people.
	Report *Report
	// Context, if not nil, supplies debugging switches; Math, Bounds and List in it are
	// overwritten. It serves one compilation at a time.
	Context *opt.Context
}

// workarounds returns the rows of the table of workarounds that apply to the code.
func (o *Options) workarounds() workaround.Set {
	if o.Workarounds == nil {
		return workaround.All
	}
	return *o.Workarounds
}
