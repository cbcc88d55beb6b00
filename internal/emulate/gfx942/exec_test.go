package gfx942

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// variants are the options of each kernel, and the schedules of its waves.
var variants = []struct {
	name      string
	options   codegen.Options
	timeSlice int
	backwards bool
}{
	{"default", codegen.Options{}, 0, false},
	{"-O0", codegen.Options{NoOptimize: true}, 7, true},
	{"trap", codegen.Options{Bounds: opt.BoundsTrap}, 0, true},
	{"off", codegen.Options{Bounds: opt.BoundsOff}, 0, true},
	{"strict", codegen.Options{Math: opt.MathStrict}, 50, false},
	{"fast", codegen.Options{Math: opt.MathFast}, 0, true},
}

// caseRun is the execution of a case in a variant.
type caseRun struct {
	c         *exectest.Case
	name      string
	timeSlice int
	backwards bool
	programs  []bench.Program
}

// TestExec executes the kernels of the exec cases, in some of the variants or all, as code objects
// for gfx942.
func TestExec(t *testing.T) {
	needTools(t)
	cases := exectest.Cases()
	var list []*caseRun
	kernels := 0
	for n := range cases {
		c := &cases[n]
		if len(c.Textures) > 0 { // which the target refuses
			continue
		}
		kernels++
		for k, v := range variants {
			if c.LeavesVariables && v.options.Bounds != 0 || !testmode.Rotated(n, k, len(variants)) {
				continue
			}
			list = append(list, compileCase(t, c, v.name, v.options, v.timeSlice, v.backwards))
		}
	}
	var total counts
	const batch = 20 // in one object
	eachPart(list, batch, func(part []*caseRun) { runCases(t, part, &total) })
	t.Logf("%d cases, %d executions", kernels, len(list))
	total.log(t)
}

// compileCase compiles a case's kernels, once for each setting of the overrides.
func compileCase(t testing.TB, c *exectest.Case, variant string, o codegen.Options, timeSlice int, backwards bool) *caseRun {
	t.Helper()
	x := &caseRun{c: c, name: c.Name + " " + variant, timeSlice: timeSlice, backwards: backwards}
	if c.Strict {
		o.Math = opt.MathStrict
	}
	text, err := os.ReadFile("../../../" + c.File())
	if err != nil {
		t.Fatal(err)
	}
	p, err := jit.Parse(c.Name+".wgsl", string(text), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Dispatches {
		var settings []ir.Setting
		for _, s := range d.Overrides {
			settings = append(settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		program, err := compile(p, d.Entry, o, settings)
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		x.programs = append(x.programs, program)
	}
	return x
}

// runCases executes cases whose kernels are in one object.
func runCases(t *testing.T, part []*caseRun, total *counts) {
	var programs []bench.Program
	for _, x := range part {
		programs = append(programs, x.programs...)
	}
	assembled, err := bench.Assemble(profile, programs)
	if err != nil {
		t.Error(err)
		return
	}
	object, err := Load(assembled.Data)
	if err != nil {
		t.Error(err)
		return
	}
	first := 0
	for _, x := range part {
		if err := x.run(object, first, total); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
		first += len(x.programs)
	}
}

// run executes a case's launches and compares the buffers. The case's kernels begin at first in the
// object.
func (x *caseRun) run(object *Object, first int, total *counts) error {
	return x.runBy(first, func(l *Launch) error {
		defer total.counting(l)()
		return object.Run(l)
	})
}

// runBy is run with a function that executes the launches.
func (x *caseRun) runBy(first int, execute func(l *Launch) error) error {
	contents := x.c.Contents()
	for n, d := range x.c.Dispatches {
		k := x.programs[n].Kernel
		var buffers [][]byte
		for _, b := range k.Arguments() {
			for index, buffer := range x.c.Buffers {
				if buffer.Name == b.Name {
					buffers = append(buffers, contents[index])
				}
			}
		}
		if k.Fault != nil {
			buffers = append(buffers, make([]byte, abi.FaultRecordBytes))
		}
		l := launchOf(first+n, k, d.Grid, buffers, x.c.ImmediatesOf(n))
		l.TimeSlice, l.Backwards, l.Unit = x.timeSlice, x.backwards, unitOf(x.programs[n].Code)
		if err := execute(l); err != nil {
			return err
		}
		if k.Fault != nil && !bytes.Equal(buffers[len(buffers)-1], make([]byte, abi.FaultRecordBytes)) {
			return errors.New("a fault is recorded")
		}
	}
	return exectest.Compare(x.c, x.c.Expected(), contents)
}
