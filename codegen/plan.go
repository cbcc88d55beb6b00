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

// mode is what a compilation is made for, as far as it decides which lines of the prologue run.
type mode uint8

const (
	debugged        mode = 1 << iota // messages are kept
	trapping                         // accesses outside of their variables are reported
	sourceAccesses                   // accesses stay those of the source
	wholeWorkgroups                  // launches are of whole workgroups
	viewing                          // the module has views of buffers
	always          mode = 0
)

// prologue is what runs for every target ahead of the portable passes. A line runs in the modes
// that have all of with and none of without.
var prologue = []struct {
	pass          *opt.Pass
	with, without mode
}{
	// No later pass has to know of messages: they become writes to a buffer, or go.
	{&instrument.LowerPrintf, debugged, always},
	{&instrument.RemovePrintf, always, debugged},
	// Nor of a launch's extent, which becomes an immediate.
	{&instrument.LowerLaunchExtent, always, wholeWorkgroups},
	{&instrument.LowerWholeLaunchExtent, wholeWorkgroups, always},
	// A function that is inlined uses its caller's pointer, whose position in the source is where
	// the access was asked for.
	{&opt.Inline, sourceAccesses, always},
	// Views become accesses before the checks, which need the bounds of typed buffers. A view has
	// one buffer in a specialised function.
	{&opt.Specialize, viewing, always},
	{&lower.Views, viewing, always},
	// Checks come before the passes that make code faster, which could move or merge accesses.
	// Where a function remains, it checks the accesses through its parameters.
	{&opt.Specialize, trapping, always},
	{&instrument.Trap, trapping, always},
}

// prologueOf returns the passes of the prologue that run in a mode.
func prologueOf(m mode) (passes []opt.Pass) {
	for _, line := range prologue {
		if m&line.with == line.with && m&line.without == 0 {
			passes = append(passes, *line.pass)
		}
	}
	return passes
}

// viewPasses are the lines of the prologue for views alone (Prepare).
var viewPasses = []opt.Pass{opt.Specialize, lower.Views}

// coarsePasses come after opt.ThreadCoarsening, which reads the extent of the launch. They
// simplify the code that it made.
var coarsePasses = slices.Concat([]opt.Pass{instrument.LowerLaunchExtent}, opt.Coarsened())

// plan is what runs for a target in one mode, in this order.
type plan struct {
	prologue, portable, lower []opt.Pass
}

func planOf(t *Target, bounds opt.Bounds, noOptimize, debug, views bool, set workaround.Set) plan {
	var m mode
	for _, is := range []struct {
		holds bool
		mode  mode
	}{
		{debug, debugged},
		{bounds.Traps(), trapping},
		{t.AsWritten || bounds.Traps(), sourceAccesses},
		{t.WholeWorkgroups, wholeWorkgroups},
		{views, viewing},
	} {
		if is.holds {
			m |= is.mode
		}
	}
	p := plan{prologue: prologueOf(m), portable: opt.Standard(), lower: t.Lowering(set)}
	switch {
	case (noOptimize || t.AsWritten) && t.Promotes:
		p.portable = opt.Promoted()
	case noOptimize || t.AsWritten:
		p.portable = opt.Minimal()
	case bounds.Traps():
		p.portable = opt.Inlined() // by the prologue
	case t.Portable != nil:
		p.portable = t.Portable()
	}
	return p
}

// large returns the portable passes of the large-launch variant.
func (t *Target) large() []opt.Pass {
	if t.PortableLarge != nil {
		return t.PortableLarge()
	}
	return opt.StandardLarge()
}

// Way is one way of a target's through the passes.
type Way struct {
	// Name is the mode: default, -O0, trap, or trap -O0, with or without messages and views; or
	// large launches.
	Name   string
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
				for _, views := range [...]bool{false, true} {
					name := name
					if debug {
						name += " with messages"
					}
					if views {
						name += " with views"
					}
					p := planOf(t, bounds, noOptimize, debug, views, workaround.All)
					ways = append(ways, Way{name, slices.Concat(p.prologue, p.portable, p.lower)})
				}
			}
		}
	}
	if t.Coarse != NotCoarse {
		p := planOf(t, opt.BoundsRobust, false, false, false, workaround.All)
		ways = append(ways, Way{"large launches", slices.Concat(p.prologue, t.large(), p.lower)})
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
	p := planOf(t, opt.BoundsRobust, false, false, false, workaround.All)
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

// Check proves every way of a target, and tests that it keeps to the order constraints.
func (t *Target) Check() error {
	t = t.orNone()
	for _, way := range t.Ways() {
		if err := t.Prove(way.Passes); err != nil {
			return fmt.Errorf("target %s, %s: %w", t.Name, way.Name, err)
		}
		if err := ordered(way.Passes); err != nil {
			return fmt.Errorf("target %s, %s: %w", t.Name, way.Name, err)
		}
	}
	return nil
}
