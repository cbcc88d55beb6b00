package codegen

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/codegen/instrument"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
)

// This file has the pipelines of targets, and proves that each pass finds the properties that it
// needs, and the target those of its own. Tests prove every pipeline of every target (Check).
// Compile checks the same contracts of the one that it runs: each pass before it runs, and the
// target before it emits.

// viewPasses replace views of buffers, in the modules that have any.
var viewPasses = []opt.Pass{opt.Specialize, lower.Views}

// extentPasses come before all passes that need not know of extents.
var (
	extentPasses = []opt.Pass{instrument.LowerLaunchExtent}
	wholePasses  = []opt.Pass{instrument.LowerWholeLaunchExtent}
)

// messagePasses and silentPasses lower or remove messages. They come first of all.
var (
	messagePasses = []opt.Pass{instrument.LowerPrintf}
	silentPasses  = []opt.Pass{instrument.RemovePrintf}
)

// writtenPasses come next if accesses are reported. After inlining, a function uses the caller's
// pointer, whose source position is the fault's.
var writtenPasses = []opt.Pass{opt.Inline}

// trapPasses insert the checks of the trap mode, before all passes that only make code faster. A
// function that was not inlined is specialised to its pointer arguments, so that it has the
// accesses that are checked.
var trapPasses = []opt.Pass{opt.Specialize, instrument.Trap}

// coarsePasses come after opt.ThreadCoarsening, which reads the extent of the launch, and optimise
// its result.
var coarsePasses = slices.Concat(extentPasses, opt.Coarsened)

// plan is the pipeline of a target in one mode, in this order. viewPasses run between written and
// trap, if the module needs them.
type plan struct {
	written, trap, portable, lower []opt.Pass
}

func planOf(t *Target, bounds opt.Bounds, noOptimize, debug bool, set workaround.Set) plan {
	extent := extentPasses
	if t.WholeWorkgroups {
		extent = wholePasses
	}
	if debug {
		extent = slices.Concat(messagePasses, extent)
	} else {
		extent = slices.Concat(silentPasses, extent)
	}
	p := plan{written: extent, portable: opt.Standard, lower: t.Lowering(set)}
	if t.Portable != nil {
		p.portable = t.Portable()
	}
	switch {
	case noOptimize || t.AsWritten:
		p.portable = opt.Minimal
		if t.Promotes {
			p.portable = opt.Promoted
		}
	case bounds.Traps():
		p.portable = opt.Inlined // by writtenPasses
	}
	if t.AsWritten || bounds.Traps() {
		p.written = slices.Concat(extent, writtenPasses)
	}
	if bounds.Traps() {
		p.trap = trapPasses
	}
	return p
}

// large returns the portable passes of the large-launch variant.
func (t *Target) large() []opt.Pass {
	if t.PortableLarge != nil {
		return t.PortableLarge()
	}
	return opt.StandardLarge
}

// Way is a pipeline of a target in one mode.
type Way struct {
	Name   string // the mode: default, -O0, trap, or trap -O0, with or without views
	Passes []opt.Pass
}

// Ways lists the pipelines of a target.
func (t *Target) Ways() []Way {
	t = t.orNone()
	var ways []Way
	for _, bounds := range [...]opt.Bounds{opt.BoundsRobust, opt.BoundsTrap} {
		for _, noOptimize := range [...]bool{false, true} {
			name := "default"
			switch {
			case bounds == opt.BoundsTrap && noOptimize:
				name = "trap -O0"
			case bounds == opt.BoundsTrap:
				name = "trap"
			case noOptimize:
				name = "-O0"
			}
			for _, debug := range [...]bool{false, true} {
				p := planOf(t, bounds, noOptimize, debug, workaround.All)
				name := name
				if debug {
					name += " with messages"
				}
				ways = append(ways, Way{name, slices.Concat(p.written, p.trap, p.portable, p.lower)},
					Way{name + " with views", slices.Concat(p.written, viewPasses, p.trap, p.portable, p.lower)})
			}
		}
	}
	return ways
}

// Optional names the passes that only make the target's code faster, each once, in the order in
// which they first run. They are the portable passes of its default pipeline and of its
// large-launch variant. Any of them may be left out (opt.Context.Without); passes that give
// properties that others need cannot. Lowering passes are not among them: some give no property and
// are there for faults of drivers (see package workaround).
func (t *Target) Optional() (names []string) {
	t = t.orNone()
	p := planOf(t, opt.BoundsRobust, false, false, workaround.All)
	ways := [...][]opt.Pass{p.portable, t.large(), nil}
	if t.Coarse == Items {
		ways[2] = []opt.Pass{opt.ThreadCoarsening}
	}
	for _, passes := range ways {
		holds := ir.Initial
		for n := range passes {
			pass := &passes[n]
			if pass.Gives&^holds == 0 && !slices.Contains(names, pass.Name) {
				names = append(names, pass.Name)
			}
			holds = pass.After(holds)
		}
	}
	return names
}

// Prove reports the first pass that would not find the properties that it needs, or the target's
// that do not hold after all of them.
func (t *Target) Prove(passes []opt.Pass) error {
	holds := ir.Initial
	for n := range passes {
		pass := &passes[n]
		if missing := pass.Needs &^ holds; missing != 0 {
			return fmt.Errorf("pass %s needs %s", pass.Name, missing)
		}
		holds = pass.After(holds)
	}
	return t.lacks(holds)
}

// lacks reports the properties that the target needs and that do not hold.
func (t *Target) lacks(holds ir.Property) error {
	t = t.orNone()
	if missing := t.Needs &^ holds; missing != 0 {
		return fmt.Errorf("target %s needs %s", t.Name, missing)
	}
	return nil
}

// mustHold panics if a property that the target needs does not hold.
func (t *Target) mustHold(holds ir.Property) {
	if err := t.lacks(holds); err != nil {
		panic(err.Error())
	}
}

// Check proves every pipeline of a target.
func (t *Target) Check() error {
	t = t.orNone()
	for _, way := range t.Ways() {
		if err := t.Prove(way.Passes); err != nil {
			return fmt.Errorf("target %s, %s: %w", t.Name, way.Name, err)
		}
	}
	return nil
}
