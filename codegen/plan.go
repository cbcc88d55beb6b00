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

// mode has the options of a compilation that decide which lines of the prologue run.
type mode uint16

const (
	debugged        mode = 1 << iota // messages are kept
	trapping                         // accesses out of bounds are reported
	sourceAccesses                   // accesses stay those of the source
	wholeWorkgroups                  // launches consist of full workgroups
	viewing                          // the module has views of buffers
	tiling                           // the module has tiles
	fragmenting                      // the module has fragments
	tensorMaps                       // which TensorForm lowers
	packing                          // which lower.PackedTiles lowers
	copying                          // which have asynchronous copies of tiles
	always          mode = 0
)

// prologue has the passes that run for every target before the portable passes. A line runs in the
// modes that have all of with and none of without.
var prologue = []struct {
	pass          *opt.Pass
	with, without mode
}{
	// Later passes need not know of messages: they become writes to a buffer, or are removed.
	{&instrument.LowerPrintf, debugged, always},
	{&instrument.RemovePrintf, always, debugged},
	// The same holds for a launch's extent, which becomes an immediate.
	{&instrument.LowerLaunchExtent, always, wholeWorkgroups},
	{&instrument.LowerWholeLaunchExtent, wholeWorkgroups, always},
	// After inlining, a function uses its caller's pointer, whose source position is the fault's.
	{&opt.Inline, sourceAccesses, always},
	// Views become accesses before the checks, which need the bounds of typed buffers. A view has
	// one buffer in a specialised function.
	{&opt.Specialize, viewing, always},
	{&lower.Views, viewing, always},
	// Tiles become loads, stores and loops before all else: no later pass knows of them. Functions
	// have none of their own.
	{&opt.InlineTiles, tiling, always},
	{&opt.PromoteTiles, tiling, always},
	// What a later iteration copies is computed from values that are no variables.
	{&opt.Sroa, tiling | copying, tensorMaps},
	{&opt.Mem2Reg, tiling | copying, tensorMaps},
	{&opt.Simplify, tiling | copying, tensorMaps},
	{&opt.Dce, tiling | copying, tensorMaps},
	// So is what is prefetched.
	{&opt.Sroa, tiling | packing, sourceAccesses},
	{&opt.Mem2Reg, tiling | packing, sourceAccesses},
	{&opt.Simplify, tiling | packing, sourceAccesses},
	{&opt.Dce, tiling | packing, sourceAccesses},
	{&lower.Tiles, tiling, tensorMaps | packing},
	{&lower.PackedTiles, tiling | packing, always},
	// So do fragments, in each function by itself.
	{&lower.Fragments, fragmenting, always},
	{&lower.Fragments, tiling, fragmenting}, // those that products of tiles have become
	// Checks come before the passes that make code faster, which could move or merge accesses. A
	// function that was not inlined checks the accesses through its parameters.
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

// viewPasses are the lines of the prologue for views only (Prepare).
var viewPasses = []opt.Pass{opt.Specialize, lower.Views}

// coarsePasses come after opt.ThreadCoarsening, which reads the extent of the launch. They simplify
// its result.
var coarsePasses = slices.Concat([]opt.Pass{instrument.LowerLaunchExtent}, opt.Coarsened())

// plan is the pipeline of a target in one mode, in this order.
type plan struct {
	prologue, portable, lower []opt.Pass
}

// planOf returns the pipeline of a target; constructs are the modes of the module: viewing,
// tiling and fragmenting.
func planOf(t *Target, bounds opt.Bounds, noOptimize, debug bool, constructs mode, set workaround.Set) plan {
	m := constructs
	for _, is := range []struct {
		holds bool
		mode  mode
	}{
		{debug, debugged},
		{bounds.Traps(), trapping},
		{t.AsWritten || bounds.Traps(), sourceAccesses},
		{t.WholeWorkgroups, wholeWorkgroups},
		{t.PackedTiles, packing},
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

// PortablePasses returns the portable passes of the target's default pipeline.
func (t *Target) PortablePasses() []opt.Pass {
	return planOf(t.orNone(), opt.BoundsRobust, false, false, 0, workaround.All).portable
}

// large returns the portable passes of the large-launch variant.
func (t *Target) large() []opt.Pass {
	if t.PortableLarge != nil {
		return t.PortableLarge()
	}
	return opt.StandardLarge()
}

// Way is a pipeline of a target in one mode.
type Way struct {
	// Name is the mode: default, -O0, trap, or trap -O0, with or without messages, views, tiles and
	// fragments; with tiles that asynchronous copies bring; or large launches.
	Name   string
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
				for _, constructs := range [...]mode{0, viewing, tiling, viewing | tiling, fragmenting} {
					name := name
					if debug {
						name += " with messages"
					}
					if constructs&viewing != 0 {
						name += " with views"
					}
					if constructs&tiling != 0 {
						name += " with tiles"
					}
					if constructs&fragmenting != 0 {
						name += " with fragments"
					}
					p := planOf(t, bounds, noOptimize, debug, constructs, workaround.All)
					ways = append(ways, Way{name, slices.Concat(p.prologue, p.portable, p.lower)})
				}
			}
		}
	}
	if slices.ContainsFunc(t.Profiles, func(p Profile) bool { return p.Copies }) {
		p := planOf(t, opt.BoundsRobust, false, false, tiling|copying, workaround.All)
		ways = append(ways, Way{"default with copied tiles", slices.Concat(p.prologue, p.portable, p.lower)})
	}
	if t.Coarse != NotCoarse {
		p := planOf(t, opt.BoundsRobust, false, false, 0, workaround.All)
		ways = append(ways, Way{"large launches", slices.Concat(p.prologue, t.large(), p.lower)})
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
	p := planOf(t, opt.BoundsRobust, false, false, 0, workaround.All)
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

// Check proves every pipeline of a target, and checks the order constraints.
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
