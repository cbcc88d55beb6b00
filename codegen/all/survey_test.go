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

// This file compares the bounds report with the guards that Robustness adds to kernels.

// instructions counts the instructions of a kernel and its callees by operation.
func instructions(m *ir.Module) (counts [op.Count]int) {
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			counts[f.Op(i)]++
		}
	}
	return counts
}

// TestSurvey: the survey names checks of exactly those kernels to which Robustness adds min and
// branches. In nearly all of them each min is a read that it names, and each branch a write.
// Exceptions are several indices with one branch, several stores with one pointer, and stores to
// variables of the invocation, whose indices are clamped, too.
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
