package exectest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// variant is how an executor's kernels are compiled.
type variant struct {
	name    string
	target  string // with its profile
	options codegen.Options
}

// executor executes artefacts without a device: kernel by kernel, or many in one process.
type executor struct {
	name     string
	variants []variant
	// run executes the dispatches of a case, which change the contents. It may leave out the rest
	// of a case for a reason.
	run   func(x *execution, contents [][]byte) (left string, err error)
	bench *campaign.Bench
	long  bool // runs in long mode only
	// only says which cases are executed, in all variants; nil: all cases, in one variant each.
	only func(c *exectest.Case) bool
	// refuses is a part of the message with which kernels of the case are refused, or "".
	refuses func(c *exectest.Case) string
}

var executors = []executor{
	{name: "emulator of SPIR-V", run: runSPIRV, variants: []variant{
		{"robust", "spirv", codegen.Options{}},
		{"-O0", "spirv", codegen.Options{NoOptimize: true}},
		{"off", "spirv", codegen.Options{Bounds: opt.BoundsOff}},
		{"off -O0", "spirv", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}},
		{"trap", "spirv", codegen.Options{Bounds: opt.BoundsTrap}},
		{"lines", "spirv", codegen.Options{Lines: true}},
	}},
	{name: "emulator of PTX", run: runPTX, variants: []variant{
		{"robust", "ptx", codegen.Options{Tensor: true}},
		{"strict", "ptx", codegen.Options{Math: opt.MathStrict, Lines: true}},
		{"fast, off", "ptx", codegen.Options{Math: opt.MathFast, Bounds: opt.BoundsOff}},
		{"-O0", "ptx", codegen.Options{NoOptimize: true}},
		{"trap", "ptx", codegen.Options{Bounds: opt.BoundsTrap}},
		{"by value", "ptx", codegen.Options{ByValue: true, Tensor: true}},
		{"by value -O0", "ptx", codegen.Options{ByValue: true, NoOptimize: true}},
		{"by value, trap", "ptx", codegen.Options{ByValue: true, Bounds: opt.BoundsTrap, Lines: true}},
	}},
	{name: "clang for Metal", bench: campaign.MSLBench(msl.Checked), variants: []variant{
		{"robust", "msl", codegen.Options{}},
		{"-O0", "msl", codegen.Options{NoOptimize: true}},
		{"trap", "msl", codegen.Options{Bounds: opt.BoundsTrap}},
		{"trap -O0", "msl", codegen.Options{Bounds: opt.BoundsTrap, NoOptimize: true}},
		{"off", "msl", codegen.Options{Bounds: opt.BoundsOff}},
		{"strict", "msl", codegen.Options{Math: opt.MathStrict}},
		{"fast", "msl", codegen.Options{Math: opt.MathFast}},
	}},
	{name: "clang for Metal's matrices", bench: campaign.MSLBench(msl.Checked), only: hasMatrices, variants: []variant{
		{"robust", "msl:apple7", codegen.Options{}},
		{"-O0", "msl:apple7", codegen.Options{NoOptimize: true}},
		{"trap", "msl:apple7", codegen.Options{Bounds: opt.BoundsTrap}},
		{"off", "msl:apple7", codegen.Options{Bounds: opt.BoundsOff}},
		{"off -O0", "msl:apple7", codegen.Options{Bounds: opt.BoundsOff, NoOptimize: true}},
		{"strict", "msl:apple7", codegen.Options{Math: opt.MathStrict}},
		{"fast", "msl:apple7", codegen.Options{Math: opt.MathFast}},
	}},
	{name: "clang for Metal's matrices in address spaces", long: true, bench: campaign.MSLBench(msl.Spaces), only: hasMatrices, variants: []variant{
		{"robust", "msl:apple7", codegen.Options{}},
		{"-O0", "msl:apple7", codegen.Options{NoOptimize: true}},
	}},
	// with address spaces, which C++ has not, and no arithmetic
	{name: "clang for Metal's address spaces", long: true, bench: campaign.MSLBench(msl.Spaces), variants: []variant{
		{"robust", "msl", codegen.Options{}},
		{"-O0", "msl", codegen.Options{NoOptimize: true}},
		{"trap", "msl", codegen.Options{Bounds: opt.BoundsTrap}},
	}},
	{name: "clang for AMD", bench: campaign.AMDGPUBench, refuses: func(c *exectest.Case) string {
		if len(c.Textures) > 0 {
			return "textures"
		}
		return ""
	}, variants: []variant{
		{"robust", "amdgpu:gfx1100", codegen.Options{}},
		{"waves of 64", "amdgpu:gfx942", codegen.Options{}},
		{"-O0", "amdgpu:gfx1200", codegen.Options{NoOptimize: true}},
		{"trap", "amdgpu:gfx1030", codegen.Options{Bounds: opt.BoundsTrap}},
		{"trap -O0", "amdgpu:gfx90a", codegen.Options{Bounds: opt.BoundsTrap, NoOptimize: true}},
		{"off", "amdgpu:gfx1151", codegen.Options{Bounds: opt.BoundsOff}},
		{"strict", "amdgpu:gfx1201", codegen.Options{Math: opt.MathStrict}},
		{"fast", "amdgpu:gfx1100", codegen.Options{Math: opt.MathFast}},
	}},
}

// hasMatrices reports whether a case is one of subgroup matrices.
func hasMatrices(c *exectest.Case) bool { return strings.HasPrefix(c.Name, "subgroup_matrix_") }

// leavesTextures are the cases that store outside of a texture, which they promise not to do where
// bounds are off.
var leavesTextures = map[string]bool{"texture_store_outside": true}

// TestConformance runs every exec kernel on every executor that needs no device, in each of its
// variants in long mode, and otherwise in one of them, by rotation. Where clang compiles, it is
// a third of the variants in long mode. TestKernels does the same on
// devices.
func TestConformance(t *testing.T) {
	cases := exectest.Cases()
	for n := range executors {
		e := &executors[n]
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			if e.long {
				testmode.Long(t)
			}
			if e.bench != nil {
				if missing := e.bench.Missing(); missing != "" {
					t.Skip("skipped: there is no " + missing)
				}
			}
			var list []*execution
			for n := range cases {
				c := &cases[n]
				for k, v := range e.variants {
					if e.bench != nil && e.only == nil && testmode.IsLong() && (n+k)%3 != 0 {
						continue
					}
					if e.only != nil && !e.only(c) || e.only == nil && !testmode.Rotated(n, k, len(e.variants)) || (c.LeavesVariables || leavesTextures[c.Name]) && v.options.Bounds == opt.BoundsOff {
						continue
					}
					x, refused := compiled(t, c, v)
					want := ""
					if e.refuses != nil {
						want = e.refuses(c)
					}
					if (refused == "") != (want == "") || !strings.Contains(refused, want) {
						t.Errorf("%s is refused: %q, want %q", x.name, refused, want)
					} else if refused == "" {
						list = append(list, x)
					}
				}
			}
			if e.bench != nil {
				runTogether(t, e.bench, list)
				return
			}
			var group sync.WaitGroup
			next, left := make(chan *execution), make(chan string, len(list))
			for range 2 {
				group.Go(func() {
					for x := range next {
						contents := x.c.Contents()
						reason, err := e.run(x, contents)
						if left <- reason; err == nil && reason == "" {
							err = exectest.Compare(x.c, x.c.Expected(), contents)
						}
						if err != nil {
							t.Errorf("%s: %v", x.name, err)
						}
					}
				})
			}
			for _, x := range list {
				next <- x
			}
			close(next)
			group.Wait()
			close(left)
			reasons := map[string]int{}
			for reason := range left {
				reasons[reason]++
			}
			tensors := 0
			for _, x := range list {
				tensors += x.ranTensor
			}
			t.Logf("%d executions, %d kernels with tensor maps, left out for reasons: %v", len(list), tensors, reasons)
		})
	}
}

// execution is a case as it is compiled in a variant: an artefact for each dispatch.
type execution struct {
	c         *exectest.Case
	name      string
	artefacts []*abi.Artefact
	// tensors are the variants with tensor maps, or nil.
	tensors   []*abi.Tensor
	ranTensor int // how many of them ran
}

// compiled compiles a case, or returns the message with which the target refuses it.
func compiled(t *testing.T, c *exectest.Case, v variant) (x *execution, refused string) {
	t.Helper()
	o := v.options
	if c.Strict {
		o.Math = opt.MathStrict
	}
	x = &execution{c: c, name: fmt.Sprintf("%s, %s for %s", c.Name, v.name, v.target)}
	target, err := all.Find(v.target)
	if err != nil {
		t.Fatal(err)
	}
	m := program(t, c, o).Module()
	for n := range c.Dispatches {
		d := &c.Dispatches[n]
		o.Settings = ondevice.Settings(d)
		o.Context = &opt.Context{Verify: true}
		var list diag.List
		a := codegen.Compile(m, d.Entry, target, &o, &list)
		if a == nil {
			return x, list.Items()[0].Message
		}
		x.tensors = append(x.tensors, a.Tensor)
		if byValue := a.Valued(); byValue != nil {
			a = byValue
		}
		x.artefacts = append(x.artefacts, a)
	}
	return x, ""
}

// runTogether runs executions in batches and compares what they leave.
func runTogether(t *testing.T, b *campaign.Bench, list []*execution) {
	const batch = 40 // programs in one process of the compiler
	var mutex sync.Mutex
	ran := 0
	fibers.InBatches(list, batch, func(x *execution) int { return len(x.artefacts) }, func(part []*execution) {
		var artefacts []*abi.Artefact
		var jobs []*fibers.Job
		known := map[string]int{} // artefacts by their code: variants of a case have some in common
		for _, x := range part {
			var numbers []int
			for _, a := range x.artefacts {
				key := a.Kernel.Name + "\n" + a.Kernel.Profile + "\n" + string(a.Code)
				if _, seen := known[key]; !seen {
					known[key] = len(artefacts)
					artefacts = append(artefacts, a)
				}
				numbers = append(numbers, known[key])
			}
			jobs = append(jobs, x.job(b, numbers))
		}
		err := b.Run(artefacts, jobs)
		mutex.Lock()
		defer mutex.Unlock()
		if err != nil {
			t.Errorf("%s to %s: %v", part[0].name, part[len(part)-1].name, err)
			return
		}
		for n, x := range part {
			err := jobs[n].Err
			if err == nil {
				err = exectest.Compare(x.c, x.c.Expected(), jobs[n].Data[:len(x.c.Contents())])
			}
			if ran++; err != nil {
				text := ""
				for _, a := range x.artefacts {
					text += fibers.Numbered(a.Code)
				}
				t.Errorf("%s: %v\n%s", x.name, err, text)
			}
		}
	})
	t.Logf("%d executions", ran)
}
