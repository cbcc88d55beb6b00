package codegen

import (
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// This file holds what programs that compile kernels say of how. They need no other
// package of the compiler for it.

// Math is the floating-point mode.
type Math = opt.Math

// The floating-point modes: what WGSL permits; sums and products that are equal to the bit on
// all devices; and what may differ more than WGSL permits.
const (
	MathWGSL   = opt.MathWGSL
	MathStrict = opt.MathStrict
	MathFast   = opt.MathFast
)

// Bounds is what happens to accesses outside of a variable.
type Bounds = opt.Bounds

// The bounds modes: reads are clamped and stores dropped; likewise, and the first such access
// is recorded and reported; or the caller answers for it that there are none.
const (
	BoundsRobust  = opt.BoundsRobust
	BoundsTrap    = opt.BoundsTrap
	BoundsTrapAll = opt.BoundsTrapAll
	BoundsOff     = opt.BoundsOff
)

// Setting gives an override its value. Key is the override's name or its number in decimal. A
// bool is given as 0 or 1.
type Setting = ir.Setting

// Options choose how a kernel is compiled.
type Options struct {
	Math   Math
	Bounds Bounds
	// NoOptimize leaves out the passes that only make code faster.
	NoOptimize bool
	// Debug keeps what the program prints and asserts. Without it nothing is left of that.
	Debug bool
	// ByValue asks, of targets that can, for a second form of the code, which takes uniform buffers
	// by value (abi.ByValue). It is for runtimes that know what such buffers hold.
	ByValue bool
	// Coarse asks, of targets that can, for a further form of kernels for large launches
	// (Target.Coarse, abi.Coarse). It is for runtimes that choose between the forms at each launch.
	Coarse bool
	// InMemory adds, for targets whose code is the text of IR, the module itself to artefacts
	// (abi.Artefact.InMemory). It is for programs that load what they compile.
	InMemory bool
	// Lines adds to the code which lines of the source it comes from, and the names of values, as
	// far as the target has a form for them.
	Lines bool
	// Excerpt, if not nil, has code that would hold the sources because of Lines hold only the
	// lines that it comes from. It names their files.
	Excerpt func(file string) string
	// Strip leaves the source's other names out of the code, too: those of variables, functions,
	// structures and members. The entry point keeps its name, and the description all of them.
	Strip bool
	// Place, if not nil, is told which source position a line of the code comes from. It is for
	// targets that write text for people (WGSL and MSL), whose code does not say so. Lines are
	// counted from 0 and come in the order of the text.
	Place func(line int, at source.Pos)
	// Workarounds, if not nil, are the rows of the table of work-arounds that the code has, of
	// those that the target lists. nil means all (workaround.All).
	Workarounds *workaround.Set
	// Settings gives values to overrides.
	Settings []Setting
	// Report, if not nil, takes what people want to know of the code.
	Report *Report
	// Context, if not nil, supplies debugging switches; Math, Bounds and List in it are
	// overwritten. It serves one compilation at a time.
	Context *opt.Context
}

// workarounds are the rows of the table of work-arounds that the code has.
func (o *Options) workarounds() workaround.Set {
	if o.Workarounds == nil {
		return workaround.All
	}
	return *o.Workarounds
}
