// Package targetflag parses the values of -target.
package targetflag

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir/diag"
)

// All is the name for all targets.
const All = "all"

// ChooseWithAll is Choose for lists that may have All. A target beside All replaces the one of the
// same name, and so chooses its profile.
func ChooseWithAll(list string) (chosen []*codegen.Target, allTargets bool, err error) {
	var named []string
	for name := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(name) == All {
			allTargets = true
		} else {
			named = append(named, name)
		}
	}
	if !allTargets {
		chosen, err = Choose(list)
		return chosen, false, err
	}
	var own []*codegen.Target
	if len(named) > 0 {
		if own, err = Choose(strings.Join(named, ",")); err != nil {
			return nil, true, err
		}
	}
	for _, t := range all.Targets {
		before := len(chosen)
		for _, o := range own {
			if o.Name == t.Name {
				chosen = append(chosen, o)
			}
		}
		if len(chosen) == before {
			chosen = append(chosen, t)
		}
	}
	return chosen, true, nil
}

// Choose returns the targets of a comma-separated list. A target that is named twice is an error.
func Choose(list string) ([]*codegen.Target, error) {
	var chosen []*codegen.Target
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		t, err := Find(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(chosen, func(other *codegen.Target) bool { return other.Title() == t.Title() }) {
			return nil, usage.Errorf("-target %s names %s twice; leave one of them out", list, name)
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}

// ChooseDirect replaces targets by those that make machine code without LLVM (-direct).
func ChooseDirect(chosen []*codegen.Target) error {
	found := false
	for n, t := range chosen {
		direct, ok := all.Direct(t)
		chosen[n], found = direct, found || ok
	}
	if !found {
		return usage.Errorf("-direct is for amdgpu:gfx942, which is none of the targets; it takes -target amdgpu:gfx942")
	}
	return nil
}

// otherTargets are targets by other names of their languages and devices.
var otherTargets = diag.Words{
	{"metal", "msl"}, {"cuda", "ptx"}, {"nvptx", "ptx"}, {"nvidia", "ptx"}, {"vulkan", "spirv"}, {"spv", "spirv"},
	{"rocm", "amdgpu"}, {"hip", "amdgpu"}, {"amd", "amdgpu"}, {"webgpu", "wgsl"},
}

// Find returns the target with a title: NAME or NAME:PROFILE.
func Find(title string) (*codegen.Target, error) {
	t, err := all.Find(title)
	if err == nil {
		return t, nil
	}
	name, _, _ := strings.Cut(title, ":")
	if all.Lookup(name) != nil { // there is no such profile
		return nil, usage.Errorf("%v", err)
	}
	if other, ok := otherTargets.Find(strings.ToLower(name)); ok {
		return nil, usage.Errorf("%v; for %s it is `%s`", err, name, other)
	}
	return nil, usage.Errorf("%v%s", err, usage.DidYouMean(name, all.Names(), ""))
}
