package exectest_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/legalize"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// instructions counts what a target's emitter gets of a kernel. Integers that change their sign's meaning
// are no instruction of any machine, and are not counted.
func instructions(t *testing.T, target *codegen.Target, m *ir.Module, entry string, settings []ir.Setting) (n int) {
	t.Helper()
	var x ir.Extractor
	m, _ = x.Extract(m, m.Func(entry))
	var list diag.List
	codegen.Prepare(m, entry, settings, &codegen.DeviceLimits, &list)
	c := opt.Context{List: &list}
	holds := c.Run(m, append([]opt.Pass{legalize.Extents}, opt.Standard...), ir.Initial)
	c.Run(m, target.Legalize, holds)
	if list.Errors() > 0 {
		t.Fatalf("%s: %v", entry, list.Items())
	}
	f := m.Func(entry)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); o == op.Convert || o == op.Bitcast {
			if from, to := m.ScalarOf(f.TypeOf(f.Arg(i, 0))), m.ScalarOf(f.Type(i)); from.IsInteger() && to.IsInteger() && from.Bits() == to.Bits() {
				continue
			}
		}
		n++
	}
	return n
}

// ratio is what a kernel in Go costs, compared with what it does in WGSL.
type ratio struct {
	kernel       string
	inGo, inWGSL int
}

func (r ratio) value() float64 { return float64(r.inGo) / float64(r.inWGSL) }

// TestGoCost compares the code of kernels written in Go with that of those in WGSL: instructions of
// the IR behind all passes of a target. Six of them, in one dimension, are the guard of the launch's extent, which kernels in WGSL
// do not have; without it the means were 1.16 and 1.15.
func TestGoCost(t *testing.T) {
	programs := map[bool]*ir.Module{
		false: goProgram(t, codegen.Options{}).Module(),
		true:  goProgram(t, codegen.Options{Math: opt.MathStrict}).Module(),
	}
	cases := exectest.Cases()
	for _, bound := range []struct {
		target      abi.Target
		mean, worst float64
	}{
		{abi.SPIRV, 1.24, 2.8},
		{abi.PTX, 1.22, 4.1},
	} {
		target := all.Targets[slices.IndexFunc(all.Targets, func(t *codegen.Target) bool { return t.Name == bound.target })]
		var ratios []ratio
		sum := 0.0
		for n := range cases {
			c := &cases[n]
			if without[c.Name] != "" {
				continue
			}
			m := program(t, c, codegen.Options{}).Module()
			var seen []string
			for d := range c.Dispatches {
				entry := c.Dispatches[d].Entry
				if slices.Contains(seen, entry) {
					continue
				}
				seen = append(seen, entry)
				r := ratio{
					kernel: goName(c, entry),
					inGo:   instructions(t, target, programs[c.Strict], goName(c, entry), nil),
					inWGSL: instructions(t, target, m, entry, settings(&c.Dispatches[d])),
				}
				ratios = append(ratios, r)
				sum += math.Log(r.value())
			}
		}
		slices.SortStableFunc(ratios, func(a, b ratio) int {
			switch a, b := a.value(), b.value(); {
			case a > b:
				return -1
			case a < b:
				return 1
			}
			return 0
		})
		mean := math.Exp(sum / float64(len(ratios)))
		var table strings.Builder
		for _, r := range ratios {
			fmt.Fprintf(&table, "\n%6.2f %6d %6d  %s", r.value(), r.inGo, r.inWGSL, r.kernel)
		}
		t.Logf("%s: Go takes %.3f of the instructions of WGSL, in the geometric mean of %d kernels%s", bound.target, mean, len(ratios), table.String())
		if mean > bound.mean || ratios[0].value() > bound.worst {
			t.Errorf("%s: the mean is %.3f and the worst %s with %.2f; they were %.2f and %.2f at most", bound.target, mean,
				ratios[0].kernel, ratios[0].value(), bound.mean, bound.worst)
		}
	}
}
