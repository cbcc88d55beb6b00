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

// This file says which passes run for a target. It proves that each of them finds what it needs,
// and that all of them leave what the target needs. Tests prove every plan of every target (Check).
// A process does not, since that would cost each start half of a small compilation. Compile checks
// the plan that it runs against the same contracts: each pass before it runs, and the target before
// it emits.

// viewPasses replace views of buffers, in the modules that have any.
var viewPasses = []opt.Pass{opt.Specialize, lower.Views}

// extentPasses come before all others, which need not know of extents then.
var (
	extentPasses = []opt.Pass{instrument.LowerLaunchExtent}
	wholePasses  = []opt.Pass{instrument.LowerWholeLaunchExtent}
)

// Before these come what messages become, or that they are gone.
var (
	messagePasses = []opt.Pass{instrument.LowerPrintf}
	silentPasses  = []opt.Pass{instrument.RemovePrintf}
)

// writtenPasses come next where accesses are reported. Inlined into its caller, a function uses the
// pointer that the caller made, whose source position is the fault's.
var writtenPasses = []opt.Pass{opt.Inline}

// trapPasses make the checks of the trap mode, before all passes that only make
// code faster. A function that was not inlined makes the accesses that its pointers
// ask for itself, so that they are looked at where it uses them.
var trapPasses = []opt.Pass{opt.Specialize, instrument.Trap}

// coarsePasses come behind opt.ThreadCoarsening, which reads the extent of the launch. They
// optimise what it has written.
var coarsePasses = slices.Concat(extentPasses, opt.Coarsened)

// plan is what runs for a target in one mode, in this order. viewPasses run between written and
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

// Way is one way of a target's through the passes.
type Way struct {
	Name   string // the mode: default, -O0, trap, or trap -O0, with or without views
	Passes []opt.Pass
}

// Ways lists the ways of a target.
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
// which they first run. They are the portable passes of its default plan and of its large-launch
// variant. Any of them may be left out (opt.Context.Without); passes that give what others need
// cannot. Legalisers are not among them: some give no property and are there for faults of drivers
// (see package workaround).
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

// Prove reports the first pass that would not find what it needs behind those before
// it, or what the target would not find behind all of them.
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

// lacks reports what of the target's needs does not hold.
func (t *Target) lacks(holds ir.Property) error {
	t = t.orNone()
	if missing := t.Needs &^ holds; missing != 0 {
		return fmt.Errorf("target %s needs %s", t.Name, missing)
	}
	return nil
}

// mustHold panics if something that the target needs does not hold.
func (t *Target) mustHold(holds ir.Property) {
	if err := t.lacks(holds); err != nil {
		panic(err.Error())
	}
}

// Check proves every way of a target.
func (t *Target) Check() error {
	t = t.orNone()
	for _, way := range t.Ways() {
		if err := t.Prove(way.Passes); err != nil {
			return fmt.Errorf("target %s, %s: %w", t.Name, way.Name, err)
		}
	}
	return nil
}
