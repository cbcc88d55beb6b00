package all_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file keeps the code of some kernels for all targets, side by side. What a change to the
// compiler does to code is seen there by people; whether it is right, the tests that execute
// kernels say.

// plainSuffix is behind the names of kernels that are compiled without the passes that make code
// faster.
const plainSuffix = "_plain"

// shown are the exec kernels of which golden has the code for each target, and what is to be seen
// in it. They were chosen so that each construct that targets write in ways of their own is in one
// of them, and is small there. TestExec of the targets executes all of them.
var shown = []struct{ name, shows string }{
	{"vector_add", "buffers of any length: `arrayLength`, a loop that strides by the grid"},
	{"collatz", "a loop whose length nobody knows, an exit from its middle"},
	{"collatz_plain", "the same without the passes that make code faster"},
	{"mandelbrot", "products that are fused with sums, conditions of loops"},
	{"matmul_tiled", "workgroup memory of two dimensions, barriers in a loop, zeros at the start"},
	{"histogram", "atomics in workgroup memory and in buffers"},
	{"atomic_compare_exchange", "compare-exchange in loops, atomics whose results count"},
	{"sort_bitonic", "a barrier in each iteration of nested loops"},
	{"sort_bitonic_plain", "functions that are called, which the passes would put into the kernel"},
	{"ray_tracer", "structures as values, products of matrices, functions that become part of the kernel"},
	{"bit_builtins", "counting, finding, moving bits"},
	{"convert_numbers", "conversions that clamp, bitcasts"},
	{"integer_division", "division by anything, by 0 too, and by constants"},
	{"float_exponential", "exponentials, logarithms and hyperbolic functions, by polynomials where the machine has none"},
	{"float_parts", "`frexp`, `modf`, `ldexp`, rounding to f16"},
	{"dot_products", "dot products of vectors and of packed bytes"},
	{"pack_unpack", "all ways of packing"},
	{"f16_vectors", "f16: vectors, matrices, structures of it in memory"},
	{"immediates_f16", "immediates with alignments of their own"},
	{"layout_nested", "a runtime-sized array behind a head, arrays in structures in arrays"},
	{"layout_uniform", "uniform buffers with padding"},
	{"cholesky", "a private array that loops in a triangle index; in PTX they are unrolled and it is values"},
	{"language_switch", "switch: several selectors, default in the middle, exits from loops around"},
	{"language_loops", "each form of loop, `continue` and what a loop carries"},
	{"language_early_return", "returns from the middle of loops and switches, which become exits"},
	{"language_pointers", "pointers to all memories as parameters"},
	{"subgroup_reduce", "reductions and ballots of subgroups"},
	{"subgroup_exchange", "broadcasts and shuffles"},
	{"workgroup_uniform_load", "`workgroupUniformLoad`"},
	{"view_phases", "buffers without a type, seen as several"},
	{"texture_blur", "texels without a sampler, a storage texture"},
	{"texture_shadow", "samples of depth that compare"},
	{"texture_store_outside", "stores to levels and layers, within a texture and beyond"},
}

// folders are those of golden, and the names of files in them: assembly where the code is no text.
// Those of the CPU devices are IR, of which testdata has enough.
var folders = []struct {
	target    abi.Target
	extension string
}{{abi.SPIRV, ".spvasm"}, {abi.PTX, ".ptx"}, {abi.MSL, ".metal"}, {abi.AMDGPU, ".ll"}, {abi.WGSL, ".wgsl"}}

const golden = "../../golden/"

// TestGolden compares the code of the kernels with the files below golden, which show how it reads
// and what a change to a compiler changes. `-update` writes them, and the list of kernels beside
// them.
func TestGolden(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Golden files\n\nThe code of kernels of `testdata/exec`, as `gpuc build` writes it without lines. `go test ./codegen/all -run TestGolden -update` writes what changed; " +
		"read the difference. Kernels with textures are missing where a target has none. What else is here belongs to the tests of the targets' packages: IR of `codegen/spirv/testdata` and " +
		"`codegen/ptx`, kernels in other modes and for other profiles.\n\n| kernel | shows |\n| --- | --- |\n")
	for _, k := range shown {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.name, k.shows)
		t.Run(k.name, func(t *testing.T) { goldenKernel(t, k.name) })
	}
	compareFile(t, golden+"README.md", []byte(b.String()))
}

func goldenKernel(t *testing.T, name string) {
	kernel, plain := strings.CutSuffix(name, plainSuffix)
	text, err := os.ReadFile("../../testdata/exec/" + kernel + ".wgsl")
	if err != nil {
		t.Fatal(err)
	}
	var set source.Set
	var list diag.List
	file, err := set.Add(kernel+".wgsl", string(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	for _, f := range folders {
		target := all.Lookup(string(f.target))
		path := filepath.Join(golden, string(f.target), name+f.extension)
		a := codegen.Compile(m, m.Kernels()[0].Name, target, &codegen.Options{NoOptimize: plain}, &list)
		if a == nil {
			if target.Handles != "" || !strings.HasPrefix(kernel, "texture_") {
				t.Errorf("for %s: %v", f.target, list.Items())
			}
			list.Reset()
			continue
		}
		code := a.Code
		if target.Assemble != nil {
			assembly, err := target.Assemble(code)
			if err != nil {
				t.Fatal(err)
			}
			code = []byte(assembly)
		}
		compareFile(t, path, code)
	}
}

// compareFile compares a file with what it should have, or writes it.
func compareFile(t *testing.T, path string, contents []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, contents, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(contents)); d != "" {
		t.Errorf("%s changed (-update accepts it; -want +got):\n%s", path, d)
	}
}
