package all_test

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// This file holds what reports say of checks against the code: what robust adds to a kernel, beside
// what it is where nothing is checked.

// instructions is how many instructions of each operation a kernel and what it calls have.
func instructions(m *ir.Module) (counts [op.Count]int) {
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			counts[f.Op(i)]++
		}
	}
	return counts
}

// TestSurvey: the survey names checks of exactly those kernels, of the exec kernels and more, to
// which robust adds min and branches. In nearly all of them each minimum is a read that it names
// and each branch a write. It is not so where several indices share a branch, several stores a
// pointer, and where stores to variables of the invocation have their indices clamped besides.
func TestSurvey(t *testing.T) {
	target, err := all.Find("ptx")
	if err != nil {
		t.Fatal(err)
	}
	passes := target.Ways()[0].Passes
	passes = passes[:1+slices.IndexFunc(passes, func(p opt.Pass) bool { return p.Name == "robustness" })]
	kernels, checked, exact := 0, 0, 0
	for name, text := range formPrograms(t) {
		m := loaded(t, name, text)
		for _, k := range m.Kernels() {
			var survey opt.Survey
			behind := func(bounds opt.Bounds, s *opt.Survey) *[op.Count]int {
				own := m.Clone()
				list := new(diag.List)
				if codegen.Prepare(own, k.Name, settingsOf(m), &codegen.DeviceLimits, list) == nil {
					return nil
				}
				c := opt.Context{List: list, Bounds: bounds, Survey: s}
				c.Run(own, passes, ir.Initial)
				counts := instructions(own)
				return &counts
			}
			with, without := behind(opt.BoundsRobust, &survey), behind(opt.BoundsOff, nil)
			if with == nil || without == nil {
				continue
			}
			reads, writes := 0, 0
			for _, c := range survey.Checks {
				if c.Reads {
					reads += c.Copies
				}
				if c.Writes {
					writes += c.Copies
				}
			}
			minima, branches := with[op.Min]-without[op.Min], with[op.If]-without[op.If]
			if (minima+branches > 0) != (len(survey.Checks) > 0) {
				t.Errorf("%s %s: %d minima and %d branches are added, and the survey has %d reads and %d writes", name, k.Name, minima, branches, reads, writes)
			}
			kernels++
			if minima+branches > 0 {
				checked++
			}
			if minima == reads && branches == writes {
				exact++
			}
		}
	}
	t.Logf("%d kernels, %d with checks; of %d what is added is exactly what the survey says", kernels, checked, exact)
	if kernels < 100 || checked == kernels || exact < kernels*9/10 {
		t.Errorf("of %d kernels %d have checks, and %d as many as the survey says", kernels, checked, exact)
	}
}
