package amdgpu_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/fragmenttest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// hostRun is a kernel with fragments that the host executes.
type hostRun struct {
	name string
	want [][]byte
	job  *fibers.Job
}

// compileFragments compiles a case for a profile, adds its job, and reports whether the code has an
// intrinsic for products.
func compileFragments(t *testing.T, c *fragmenttest.Case, profile string, o codegen.Options, programs *[]bench.Program) (x hostRun, native bool) {
	t.Helper()
	text, sizes := c.Text()
	x.want = c.Interpreted(t, text, c.Fill(sizes))
	x.job = &fibers.Job{Data: c.Fill(sizes)}
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("does not parse: %v\n%s", items, text)
	}
	target, err := amdgpu.Target.With(profile)
	if err != nil {
		t.Fatal(err)
	}
	var list diag.List
	o.Context = &opt.Context{Verify: true}
	a := codegen.Compile(m, "", target, &o, &list)
	if a == nil {
		t.Fatalf("does not compile: %v\n%s", list.Items(), text)
	}
	bench.Add(x.job, len(*programs), &a.Kernel, [3]uint32{1, 1, 1}, []int{0, 1, 2, 3, 4}, nil)
	*programs = append(*programs, bench.Program{Code: a.Code, Kernel: &a.Kernel})
	code := string(a.Code)
	return x, strings.Contains(code, "@llvm.amdgcn.mfma.") || strings.Contains(code, "@llvm.amdgcn.wmma.")
}

// TestFragments executes the products of all processors on the host, and compares the results with
// those of the interpreter. Processors of one generation have one table.
func TestFragments(t *testing.T) {
	if missing := bench.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	var programs []bench.Program
	var runs []hostRun
	for _, profile := range []string{"gfx90a", "gfx942", "gfx1100", "gfx1200"} {
		target, err := amdgpu.Target.With(profile)
		if err != nil {
			t.Fatal(err)
		}
		for n, p := range target.Profile.Fragments {
			for k := range testmode.Count(1, 2, 3) {
				variant := (3*n + k) % 8
				c := fragmenttest.Case{Subgroup: int(target.Profile.Subgroup), Element: p.Left, Right: p.Right, Sum: p.Sum, Depth: p.Depth, Shared: variant&1 != 0,
					ByColumn: [3]bool{variant&1 != 0, variant&2 != 0, variant&4 != 0}, Offset: 4, More: 4}
				if variant > 3 {
					c.Offset, c.More = 3, 1
				}
				x, native := compileFragments(t, &c, profile, codegen.Options{NoOptimize: variant == 5}, &programs)
				if x.name = profile + " " + p.Left.String() + " " + p.Right.String(); !native {
					t.Errorf("%s: %+v has no product", profile, c)
				}
				runs = append(runs, x)
			}
		}
	}
	compareOnHost(t, programs, runs)
}

// compareOnHost executes jobs and compares their buffers.
func compareOnHost(t *testing.T, programs []bench.Program, runs []hostRun) {
	t.Helper()
	var jobs []*fibers.Job
	for n := range runs {
		jobs = append(jobs, runs[n].job)
	}
	if err := bench.Run(programs, jobs); err != nil {
		t.Fatal(err)
	}
	for n := range runs {
		x := &runs[n]
		if x.job.Err != nil {
			t.Errorf("%s: %v", x.name, x.job.Err)
			continue
		}
		for k, want := range x.want {
			if string(x.job.Data[k]) != string(want) {
				t.Errorf("%s: buffer %d of %d is\n%x, want\n%x", x.name, k, n, x.job.Data[k], want)
				break
			}
		}
	}
	t.Logf("%d kernels", len(runs))
}

// TestStrictFragments: sums of floats are portable in strict mode, and sums of integers are not.
func TestStrictFragments(t *testing.T) {
	target, err := amdgpu.Target.With("gfx942")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range target.Profile.Fragments {
		c := fragmenttest.Case{Subgroup: 64, Element: p.Left, Right: p.Right, Sum: p.Sum, Depth: p.Depth}
		var programs []bench.Program
		if _, native := compileFragments(t, &c, "gfx942", codegen.Options{Math: opt.MathStrict}, &programs); native != p.Sum.IsInteger() {
			t.Errorf("%+v: a product is used in strict mode: %v", p, native)
		}
	}
}

// TestNoFragments: processors without instructions have the portable form. So have workgroups with
// a subgroup that is not full.
func TestNoFragments(t *testing.T) {
	var programs []bench.Program
	c := fragmenttest.Case{Subgroup: 32, Element: amdgpu.Target.Profiles[0].Fragments[0].Left, Sum: amdgpu.Target.Profiles[0].Fragments[0].Sum, Depth: 16}
	if _, native := compileFragments(t, &c, "gfx1030", codegen.Options{}, &programs); native {
		t.Error("gfx1030 has products")
	}
	c.Subgroup = 16
	if _, native := compileFragments(t, &c, "gfx1100", codegen.Options{}, &programs); !native {
		t.Error("a workgroup of a whole wave has no products")
	}
	if _, native := compileFragments(t, &c, "gfx942", codegen.Options{}, &programs); native {
		t.Error("half a wave has products")
	}
}
