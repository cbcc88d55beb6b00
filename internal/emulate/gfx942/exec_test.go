package gfx942

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// variants are the ways in which each kernel is compiled, and how its waves take turns.
var variants = []struct {
	name      string
	options   codegen.Options
	turn      int
	backwards bool
}{
	{"default", codegen.Options{}, 0, false},
	{"-O0", codegen.Options{NoOptimize: true}, 7, true},
	{"trap", codegen.Options{Bounds: opt.BoundsTrap}, 0, true},
	{"off", codegen.Options{Bounds: opt.BoundsOff}, 0, true},
	{"strict", codegen.Options{Math: opt.MathStrict}, 50, false},
	{"fast", codegen.Options{Math: opt.MathFast}, 0, true},
}

// execution of a case in a variant, whose kernels begin at first in the object.
type caseRun struct {
	c         *exectest.Case
	name      string
	turn      int
	backwards bool
	programs  []bench.Program
}

// TestExec executes the kernels that every device must run alike, in all variants, as code objects
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
			if c.LeavesVariables && v.options.Bounds != 0 || k > 0 && testing.Short() {
				continue
			}
			list = append(list, compileCase(t, c, v.name, v.options, v.turn, v.backwards))
		}
	}
	var total counts
	const together = 20 // in one object
	eachPart(list, together, func(part []*caseRun) { runCases(t, part, &total) })
	t.Logf("%d cases, %d executions", kernels, len(list))
	total.log(t)
}

// compileCase compiles a case's kernels, each once for each setting of its overrides.
func compileCase(t testing.TB, c *exectest.Case, variant string, o codegen.Options, turn int, backwards bool) *caseRun {
	t.Helper()
	x := &caseRun{c: c, name: c.Name + " " + variant, turn: turn, backwards: backwards}
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

// runCases makes one object of all kernels, and executes and compares.
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

// run executes a case's launches and compares what they leave.
func (x *caseRun) run(object *Object, first int, total *counts) error {
	return x.runBy(first, func(l *Launch) error {
		defer total.counting(l)()
		return object.Run(l)
	})
}

// runBy has a function execute a case's launches, and compares what they leave.
func (x *caseRun) runBy(first int, execute func(l *Launch) error) error {
	contents := x.c.Contents()
	for n, d := range x.c.Dispatches {
		k := x.programs[n].Kernel
		var buffers [][]byte
		for _, b := range k.Arguments() {
			for place, buffer := range x.c.Buffers {
				if buffer.Name == b.Name {
					buffers = append(buffers, contents[place])
				}
			}
		}
		if k.Fault != nil {
			buffers = append(buffers, make([]byte, abi.FaultRecordBytes))
		}
		l := launchOf(first+n, k, d.Grid, buffers, x.c.ImmediatesOf(n))
		l.Turn, l.Backwards, l.Unit = x.turn, x.backwards, unitOf(x.programs[n].Code)
		if err := execute(l); err != nil {
			return err
		}
		if k.Fault != nil && !bytes.Equal(buffers[len(buffers)-1], make([]byte, abi.FaultRecordBytes)) {
			return errors.New("a fault is recorded")
		}
	}
	return exectest.Compare(x.c, x.c.Expected(), contents)
}
