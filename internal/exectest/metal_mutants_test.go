package exectest_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// metalMutations change one line of Metal with matrices of a SIMD-group, so that it is wrong on a
// device.
var metalMutations = []struct{ name, line, to string }{
	{"a load with another stride", `(simdgroup_load\(\w+, &[^;]*\], )(\d+)u`, `${1}1${2}u`},
	{"a store with another stride", `(simdgroup_store\(\w+, &[^;]*\], )(\d+)u`, `${1}1${2}u`},
	{"a load of the next element", `(simdgroup_load\(\w+, )&`, `${1}1 + &`},
	{"columns for rows", `, ulong2\(0\), true\)`, `)`},
	{"rows for columns", `(simdgroup_(?:load|store)\(\w+, &[^;]*\], \d+u)\)`, `$1, ulong2(0), true)`},
	{"no load", `simdgroup_load\([^;]*;`, ``},
	{"no store", `simdgroup_store\([^;]*;`, ``},
	{"no product", `simdgroup_multiply_accumulate\([^;]*;`, ``},
	{"operands the other way round", `(simdgroup_multiply_accumulate\(\w+), (\w+), (\w+),`, `$1, $3, $2,`},
	{"another sum", `(simdgroup_multiply_accumulate\((\w+), \w+, \w+), \w+`, `$1, ones_as($2)`},
	{"half of the elements", `\w+\.thread_elements\(\)\[1\] [^;]*;`, ``},
	{"elements of another thread", `(\w+)\.thread_elements\(\)\[0\]( [^;]*);`, `{ $0; ${1}.thread_elements()[0] = simd_shuffle_xor(${1}.thread_elements()[0], ushort(1)); }`},
	{"a load by half of the threads", `simdgroup_load\([^;]*;`, `if (simd_prefix_exclusive_sum(1u) < 16u) { $0 }`},
	{"a product by all threads but one", `simdgroup_multiply_accumulate\([^;]*;`, `if (simd_prefix_exclusive_sum(1u) != 3u) { $0 }`},
	{"a store at another place in each thread", `(simdgroup_store\(\w+, )&`, `${1}simd_prefix_exclusive_sum(1u) + &`},
}

// TestMetalMutants tests that the bench of Metal notices what makes code with matrices wrong: it
// reports a fault, or the results differ.
func TestMetalMutants(t *testing.T) {
	testmode.Quick(t, "a compiler needs seconds for the mutants")
	b := campaign.MSLBench(msl.Checked)
	if missing := b.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	const ones = "template <class T> T& ones_as(T) {\n  static T ones;\n  ones.thread_elements()[0] = ones.thread_elements()[1] = 1;\n  return ones;\n}\n"
	cases := exectest.Cases()
	changed := map[string]bool{}
	for k, name := range [...]string{"subgroup_matrix_blocks", "subgroup_matrix_half"} {
		c := &cases[slices.IndexFunc(cases, func(c exectest.Case) bool { return c.Name == name })]
		x, refused := compiled(t, c, variant{"off", "msl:apple7", codegen.Options{Bounds: opt.BoundsOff}})
		if refused != "" {
			t.Fatal(refused)
		}
		var artefacts []*abi.Artefact
		var jobs []*fibers.Job
		var what []string
		code := x.artefacts[0].Code
		for n, change := range metalMutations {
			pattern := regexp.MustCompile(change.line)
			for j, at := range pattern.FindAllIndex(code, -1) {
				if !testmode.Rotated(n+j, k, 2) {
					continue
				}
				mutant := *x.artefacts[0]
				mutant.Code = slices.Concat(code[:at[0]], pattern.ReplaceAll(code[at[0]:at[1]], []byte(change.to)), code[at[1]:])
				mutant.Code = regexp.MustCompile(`\n\[\[max_total`).ReplaceAll(mutant.Code, []byte("\n"+ones+"$0"))
				jobs = append(jobs, x.job(b, []int{len(artefacts)}))
				artefacts = append(artefacts, &mutant)
				what = append(what, change.name+": "+string(code[at[0]:at[1]]))
				changed[change.name] = true
			}
		}
		if err := b.Run(artefacts, jobs); err != nil {
			t.Fatal(err)
		}
		for n, j := range jobs {
			if j.Err == nil && exectest.Compare(c, c.Expected(), j.Data[:len(c.Contents())]) == nil {
				t.Errorf("%s: not noticed: %s", name, what[n])
			}
		}
		t.Logf("%s: %d mutants", name, len(jobs))
	}
	for _, change := range metalMutations {
		if !changed[change.name] {
			t.Errorf("%s: no line is so", change.name)
		}
	}
}
