package main

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
)

// This file finds the targets that -target and -direct ask for.

// chooseTargets finds the targets of a list, each once.
func chooseTargets(list string) ([]*codegen.Target, error) {
	var chosen []*codegen.Target
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		t, err := findTarget(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(chosen, func(other *codegen.Target) bool { return other.Title() == t.Title() }) {
			return nil, usagef("-target %s names %s twice; leave one of them out", list, name)
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}

// chooseDirect replaces targets by those that take no tools of others (-direct).
func chooseDirect(chosen []*codegen.Target) error {
	found := false
	for n, t := range chosen {
		direct, ok := all.Direct(t)
		chosen[n], found = direct, found || ok
	}
	if !found {
		return usagef("-direct is for amdgpu:gfx942, which is none of the targets; it takes -target amdgpu:gfx942")
	}
	return nil
}
