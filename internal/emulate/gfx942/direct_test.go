package gfx942

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine"
	"github.com/gpuc/gpuc/internal/amdgputest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/gofuzz"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// Tests of machine code that gpuc makes without LLVM (amdgpu.Direct), on the inputs of the tests
// with LLVM.

// refusedDirect are the cases that cannot be compiled without LLVM, with a part of the error.
var refusedDirect = map[string]string{}

// TestDirect executes the kernels of the exec cases, in all variants.
func TestDirect(t *testing.T) {
	cases := exectest.Cases()
	var mutex sync.Mutex
	var list []int
	kernels, executions := 0, 0
	for n := range cases {
		if len(cases[n].Textures) == 0 { // which the target refuses
			list = append(list, n)
		}
	}
	eachPart(list, 1, func(part []int) {
		c := &cases[part[0]]
		done := 0
		for n, v := range variants {
			if c.LeavesVariables && v.options.Bounds != 0 || !testmode.Rotated(part[0], n, len(variants)) {
				continue
			}
			err := runDirect(c, amdgpu.Direct(), v.options, v.timeSlice, v.backwards)
			if reason, refused := refusedDirect[c.Name]; refused {
				if err == nil || !strings.Contains(err.Error(), reason) {
					t.Errorf("%s %s is to be refused for %q: %v", c.Name, v.name, reason, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s %s: %v", c.Name, v.name, err)
				continue
			}
			done++
		}
		mutex.Lock()
		defer mutex.Unlock()
		executions += done
		if done > 0 {
			kernels++
		}
	})
	t.Logf("%d of %d cases, %d executions; refused: %v", kernels, len(list), executions, refusedDirect)
}

// fewRegisters is a number of registers with which most kernels spill.
const fewRegisters = 20

// tooMany is a part of the error of kernels that need more registers than fewRegisters for one
// instruction.
const tooMany = "more values at once than there are vector registers"

// TestDirectSpills executes the same kernels with few registers.
func TestDirectSpills(t *testing.T) {
	cases := exectest.Cases()
	done, refused := 0, 0
	for n := range cases {
		if len(cases[n].Textures) > 0 {
			continue
		}
		switch err := runDirect(&cases[n], amdgpu.DirectWithin(fewRegisters), codegen.Options{}, 0, false); {
		case err == nil:
			done++
		case strings.Contains(err.Error(), tooMany):
			refused++
		default:
			t.Errorf("%s: %v", cases[n].Name, err)
		}
	}
	t.Logf("%d cases, %d are refused", done, refused)
	if refused*4 > done {
		t.Error("too many are refused to say anything")
	}
}

// runDirect compiles a case's kernels, once for each setting of the overrides, executes the
// launches and compares the buffers.
func runDirect(c *exectest.Case, direct *codegen.Target, o codegen.Options, timeSlice int, backwards bool) error {
	if c.Strict {
		o.Math = opt.MathStrict
	}
	text, err := os.ReadFile("../../../" + c.File())
	if err != nil {
		return err
	}
	p, err := jit.Parse(c.Name+".wgsl", string(text), o)
	if err != nil {
		return err
	}
	target, err := direct.With(profile)
	if err != nil {
		return err
	}
	x := &caseRun{c: c, name: c.Name, timeSlice: timeSlice, backwards: backwards}
	var objects []*Object
	for _, d := range c.Dispatches {
		o.Settings, o.Context = nil, &opt.Context{Verify: true}
		for _, s := range d.Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		var list diag.List
		a := codegen.Compile(p.Module(), d.Entry, target, &o, &list)
		if a == nil {
			return errors.New(list.Items()[0].Message)
		}
		object, err := Load(a.Code)
		if err != nil {
			return err
		}
		x.programs, objects = append(x.programs, bench.Program{Code: a.Code, Kernel: &a.Kernel}), append(objects, object)
	}
	next := 0
	return x.runBy(0, func(l *Launch) error {
		l.Kernel, l.Unit = x.programs[next].Kernel.Name, 2
		next++
		return objects[next-1].Run(l)
	})
}

// runDirectJobs executes jobs whose artefacts are code objects.
func runDirectJobs(list []*abi.Artefact, jobs []*fibers.Job) error {
	var objects []*Object
	for _, a := range list {
		o, err := Load(a.Code)
		if err != nil {
			return err
		}
		objects = append(objects, o)
	}
	for _, j := range jobs {
		for n := range j.Launches {
			l := &j.Launches[n]
			launch := launchOfJob(j, l, &list[l.Program].Kernel)
			launch.Kernel, launch.Unit = list[l.Program].Kernel.Name, 2
			j.Err = objects[l.Program].Run(launch)
		}
	}
	return nil
}

// calls is a part of the error of generated programs that may be refused.
const calls = "functions that are called"

// TestDirectGenerated executes generated programs, and compares with an evaluator that shares no
// code with the compiler.
func TestDirectGenerated(t *testing.T) {
	way, err := campaign.Executed(targetOf(t, amdgpu.Direct()), runDirectJobs)
	if err != nil {
		t.Fatal(err)
	}
	executeGenerated(t, way, calls)
}

// TestDirectKernelsInGo executes generated kernels in Go, and compares with the same functions
// compiled by Go.
func TestDirectKernelsInGo(t *testing.T) {
	repository, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	way, err := campaign.Executed(targetOf(t, amdgpu.Direct()), runDirectJobs)
	if err != nil {
		t.Fatal(err)
	}
	var list []campaign.Configuration
	for _, text := range []string{"robust,wgsl", "trap,wgsl,-O0"} {
		o, err := campaign.ParseConfiguration(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	folder := t.TempDir()
	if err := gofuzz.Workspace(folder, repository); err != nil {
		t.Fatal(err)
	}
	cases, err := gofuzz.Cases(folder, 1, kernelsInGo/2, true)
	if err != nil {
		t.Fatal(err)
	}
	report := way.RunCases(cases, list)
	for _, f := range report.Failures {
		message, _, _ := strings.Cut(f.Message, "\n")
		t.Errorf("%s, %s: %s", cases[f.Seed].Name, f.Configuration, message)
	}
	t.Logf("%d kernels in Go, %d executions", len(cases), report.Executions)
}

// TestDirectOperations executes all operations and conversions of each kind, on random values and
// edge cases.
func TestDirectOperations(t *testing.T) {
	x, err := amdgputest.NewOperations(targetOf(t, amdgpu.Direct()), machine.Expresses)
	if err != nil {
		t.Fatal(err)
	}
	var list []*abi.Artefact
	for _, p := range x.Programs {
		list = append(list, &abi.Artefact{Code: p.Code, Kernel: *p.Kernel})
	}
	if err := runDirectJobs(list, x.Jobs); err != nil {
		t.Fatal(err)
	}
	compared, wrong := x.Compare()
	for _, w := range wrong {
		t.Error(w)
	}
	t.Logf("%d operations and conversions", compared)
	if compared < 200 {
		t.Errorf("%d operations are compared", compared)
	}
}
