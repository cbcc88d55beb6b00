package amdgpu_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// variants are the ways in which each kernel is compiled.
var variants = []struct {
	name    string
	profile string
	options codegen.Options
}{
	{"default", "gfx1100", codegen.Options{}},
	{"waves of 64", "gfx942", codegen.Options{}},
	{"-O0", "gfx1200", codegen.Options{NoOptimize: true}},
	{"trap", "gfx1030", codegen.Options{Bounds: opt.BoundsTrap}},
	{"trap -O0", "gfx90a", codegen.Options{Bounds: opt.BoundsTrap, NoOptimize: true}},
	{"off", "gfx1151", codegen.Options{Bounds: opt.BoundsOff}},
	{"strict", "gfx1201", codegen.Options{Math: opt.MathStrict}},
	{"fast", "gfx1100", codegen.Options{Math: opt.MathFast}},
}

// execution is a case in a variant.
type execution struct {
	c        *exectest.Case
	name     string
	programs []bench.Program
	refused  string
}

// batch is how many programs one process of the compiler gets.
const batch = 60

// TestExec runs the kernels that every device must run alike on the bench, in every variant. Those
// with textures must be refused for them.
func TestExec(t *testing.T) {
	if missing := bench.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	cases := exectest.Cases()
	var list []*execution
	textures := 0
	for n := range cases {
		c := &cases[n]
		if len(c.Textures) > 0 {
			textures++
			if x := compileCase(t, c, "default", "gfx1100", codegen.Options{}); !strings.Contains(x.refused, "textures") {
				t.Errorf("%s has textures and is not refused for them: %s", c.Name, x.refused)
			}
			continue
		}
		for k, v := range variants {
			if c.LeavesVariables && v.options.Bounds == opt.BoundsOff || !testmode.Rotated(n, k, len(variants)) {
				continue
			}
			x := compileCase(t, c, v.name, v.profile, v.options)
			if x.refused != "" {
				t.Errorf("%s: %s", x.name, x.refused)
				continue
			}
			list = append(list, x)
		}
	}
	ran := runAll(t, list)
	t.Logf("%d executions of %d cases in %d variants; %d have textures", ran, len(cases)-textures, len(variants), textures)
	if ran != len(list) {
		t.Errorf("%d executions of %d", ran, len(list))
	}
}

// compileCase compiles a case's kernels, each once for each setting of its overrides.
func compileCase(t *testing.T, c *exectest.Case, variant, profile string, o codegen.Options) *execution {
	t.Helper()
	x := &execution{c: c, name: c.Name + " " + variant}
	if c.Strict {
		o.Math = opt.MathStrict
	}
	text, err := os.ReadFile("../../" + c.File())
	if err != nil {
		t.Fatal(err)
	}
	p, err := jit.Parse(c.Name+".wgsl", string(text), o)
	if err != nil {
		t.Fatal(err)
	}
	target, err := amdgpu.Target.With(profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Dispatches {
		o.Settings = nil
		for _, s := range d.Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		var list diag.List
		o.Context = &opt.Context{Verify: true}
		a := codegen.Compile(p.Module(), d.Entry, target, &o, &list)
		if a == nil {
			x.refused = list.Items()[0].Message
			return x
		}
		x.programs = append(x.programs, bench.Program{Code: a.Code, Kernel: &a.Kernel})
	}
	return x
}

// job makes the memory and the launches of an execution whose programs begin at first.
func (x *execution) job(first int) *fibers.Job {
	j := &fibers.Job{Data: x.c.Contents()}
	for n, d := range x.c.Dispatches {
		k := x.programs[n].Kernel
		var bindings []int
		for _, b := range k.Arguments() {
			for place, buffer := range x.c.Buffers {
				if buffer.Name == b.Name {
					bindings = append(bindings, place)
				}
			}
		}
		if k.Fault != nil {
			bindings = append(bindings, len(j.Data))
			j.Data = append(j.Data, make([]byte, abi.FaultRecordBytes))
		}
		bench.Add(j, first+n, k, d.Grid, bindings, x.c.ImmediatesOf(n))
	}
	return j
}

// runAll runs executions in batches and compares what they leave; it returns how many were right.
func runAll(t *testing.T, list []*execution) int {
	t.Helper()
	var mutex sync.Mutex
	right := 0
	fibers.InBatches(list, batch, func(x *execution) int { return len(x.programs) }, func(part []*execution) {
		var programs []bench.Program
		var jobs []*fibers.Job
		for _, x := range part {
			jobs = append(jobs, x.job(len(programs)))
			programs = append(programs, x.programs...)
		}
		err := bench.Run(programs, jobs)
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
			if err != nil {
				t.Errorf("%s: %v\n%s", x.name, err, numbered(x.programs))
			} else {
				right++
			}
		}
	})
	return right
}

func numbered(programs []bench.Program) (text string) {
	for _, p := range programs {
		text += fibers.Numbered(p.Code)
	}
	return text
}
