package exectest_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/instrument"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// instructions counts what a target's emitter gets of a kernel. Integers that change their sign's
// meaning are no instruction of any machine, and are not counted.
func instructions(t *testing.T, target *codegen.Target, m *ir.Module, entry string, settings []ir.Setting) (n int) {
	t.Helper()
	var x ir.Extractor
	m, _ = x.Extract(m, m.Func(entry))
	var list diag.List
	codegen.Prepare(m, entry, settings, &codegen.DeviceLimits, &list)
	c := opt.Context{List: &list}
	holds := c.Run(m, append([]opt.Pass{instrument.LowerLaunchExtent}, opt.Standard()...), ir.Initial)
	c.Run(m, target.Lowering(workaround.All), holds)
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

// high is the ratio above which a kernel has a reason.
const high = 1.10

// Reasons for kernels in Go to take more than those in WGSL.
const (
	guarded  = "the guard of the launch's extent, which WGSL does not have, is much of a small kernel"
	numbers  = "vectors and matrices are structures of numbers"
	noWord   = "WGSL has an operation for it: a component by its number, bits, signs, quotients by zero"
	chained  = "a switch is a chain of comparisons"
	signed   = "ints have a sign and may wrap, so that they are divided and compared with more"
	returned = "a function returns from two places what branches compute"
	first    = "what is a variable in WGSL is the first element of a slice"
)

// reasons are those of the kernels that are high for either target.
var reasons = map[string]string{
	"AtomicCompareExchange":           first,
	"AtomicCompareExchangeClear":      guarded,
	"BitBuiltins":                     noWord,
	"CompactionClear":                 guarded,
	"CompactionSort":                  guarded,
	"ConvertNumbers":                  noWord,
	"FloatArithmetic":                 numbers,
	"FloydWarshallAdvance":            first,
	"FloydWarshallRelax":              signed,
	"GaussianBlurHorizontal":          numbers,
	"GaussianBlurVertical":            numbers,
	"Geometry":                        numbers,
	"Immediates":                      noWord,
	"ImmediatesWeigh":                 noWord,
	"IntegerDivision":                 noWord,
	"LanguageArrays":                  numbers,
	"LanguageBooleans":                numbers,
	"LanguageConstants":               noWord,
	"LanguageEntryPointsByParameters": guarded,
	"LanguageEntryPointsByStruct":     guarded,
	"LanguageSwitch":                  chained,
	"LanguageSwitchEmpty":             chained,
	"LanguageVectorComponents":        noWord,
	"LayoutStorage":                   numbers,
	"LayoutUniform":                   numbers,
	"AxpyF16":                         numbers,
	"F16Builtins":                     numbers,
	"MatmulNaive":                     guarded,
	"MatmulTiled":                     returned,
	"MatrixProducts":                  numbers,
	"Nbody":                           numbers,
	"PackUnpack":                      numbers,
	"PrimeSieveStrike":                guarded,
	"PrimeSieveTally":                 guarded,
	"PrivateLarge":                    signed,
	"Quaternion":                      numbers,
	"RayTracer":                       numbers,
	"ReduceTreeFinish":                signed,
	"ResizeBilinear":                  numbers,
	"Saxpy":                           guarded,
	"SortBitonicGlobalAdvance":        first,
	"SortBitonicGlobalCompare":        guarded,
	"VectorAdd":                       signed,
	"WorkgroupUniformLoad":            signed,
}

// TestGoCost compares the code of kernels written in Go with that of those in WGSL: instructions of
// the IR behind all passes of a target. The guard of the launch's extent, which kernels in WGSL do
// not have, is counted.
func TestGoCost(t *testing.T) {
	programs := map[bool]*ir.Module{
		false: goProgram(t, codegen.Options{}).Module(),
		true:  goProgram(t, codegen.Options{Math: opt.MathStrict}).Module(),
	}
	cases := exectest.Cases()
	isHigh := map[string]bool{}
	for _, bound := range []struct {
		target      abi.Target
		mean, worst float64
		high        int // how many kernels may be
	}{
		{abi.SPIRV, 1.10, 1.9, 35},
		{abi.PTX, 1.07, 1.5, 31},
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
					inWGSL: instructions(t, target, m, entry, ondevice.Settings(&c.Dispatches[d])),
				}
				ratios = append(ratios, r)
				sum += math.Log(r.value())
			}
		}
		slices.SortStableFunc(ratios, func(a, b ratio) int { return cmp.Compare(b.value(), a.value()) })
		mean := math.Exp(sum / float64(len(ratios)))
		var table strings.Builder
		above := map[string]int{}
		count := 0
		for _, r := range ratios {
			reason := ""
			if r.value() > high {
				reason = reasons[r.kernel]
				isHigh[r.kernel] = true
				above[reason]++
				count++
				if reason == "" {
					t.Errorf("%s: %s takes %d instructions and %d in WGSL, for which no reason is given", bound.target, r.kernel, r.inGo, r.inWGSL)
				}
			}
			fmt.Fprintf(&table, "\n%6.2f %6d %6d  %s", r.value(), r.inGo, r.inWGSL, r.kernel)
			if reason != "" {
				fmt.Fprintf(&table, ": %s", reason)
			}
		}
		t.Logf("%s: Go takes %.3f of the instructions of WGSL, in the geometric mean of %d kernels, half of them %.3f and less; %d take more than %.2f%s",
			bound.target, mean, len(ratios), ratios[len(ratios)/2].value(), count, high, table.String())
		for _, reason := range slices.Sorted(maps.Keys(above)) {
			t.Logf("%s: %2d take more than %.2f: %s", bound.target, above[reason], high, reason)
		}
		if mean > bound.mean || ratios[0].value() > bound.worst || count > bound.high {
			t.Errorf("%s: the mean is %.3f, the worst %s with %.2f, and %d are above %.2f; they were %.3f, %.2f and %d at most", bound.target, mean,
				ratios[0].kernel, ratios[0].value(), count, high, bound.mean, bound.worst, bound.high)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		if !isHigh[name] {
			t.Errorf("%s has a reason to take more in Go, and does not", name)
		}
	}
}
