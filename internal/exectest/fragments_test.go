package exectest_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
)

// fragmentTargets are profiles with instructions for products of fragments: what shows them in the
// code, and what executes that.
var fragmentTargets = []struct {
	target, shows string
	run           func(x *execution, contents [][]byte) (left string, err error)
}{
	{"ptx:sm_80", "mma.sync", runPTX},
	{"ptx:sm_90a", "mma.sync", runPTX},
}

// instructionCases are the cases whose products have instructions, and whether some are of floats.
var instructionCases = map[string]bool{"subgroup_matrix_edges": true, "subgroup_matrix_large": true, "subgroup_matrix_words": false}

// TestFragmentInstructions runs the cases with subgroup matrices for profiles that have
// instructions for products. Those are there unless products are of floats and strict.
func TestFragmentInstructions(t *testing.T) {
	for n := range fragmentTargets {
		x := &fragmentTargets[n]
		for _, c := range exectest.Cases() {
			if !strings.HasPrefix(c.Name, "subgroup_matrix_") {
				continue
			}
			for _, v := range []variant{
				{"robust", x.target, codegen.Options{}},
				{"-O0", x.target, codegen.Options{NoOptimize: true}},
				{"trap", x.target, codegen.Options{Bounds: opt.BoundsTrap}},
				{"off", x.target, codegen.Options{Bounds: opt.BoundsOff, Math: opt.MathFast}},
				{"strict", x.target, codegen.Options{Math: opt.MathStrict}},
			} {
				if !testmode.Shared(c.Name+x.target+v.name, 2) || c.LeavesVariables && v.options.Bounds != opt.BoundsRobust {
					continue
				}
				e, refused := compiled(t, &c, v)
				if refused != "" {
					t.Errorf("%s is refused: %s", e.name, refused)
					continue
				}
				ofFloats, want := instructionCases[c.Name]
				want = want && !(ofFloats && v.options.Math == opt.MathStrict)
				for _, a := range e.artefacts {
					if bytes.Contains(a.Code, []byte(x.shows)) != want {
						t.Errorf("%s has products by instructions: %v, want %v", e.name, !want, want)
					}
				}
				contents := c.Contents()
				left, err := x.run(e, contents)
				if err == nil && left == "" {
					err = exectest.Compare(&c, c.Expected(), contents)
				}
				if err != nil || left != "" {
					t.Errorf("%s: %v %s", e.name, err, left)
				}
			}
		}
	}
}
