package msl_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	bench "github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// variants are the ways in which each kernel is compiled.
var variants = []struct {
	name    string
	options codegen.Options
	spaces  bool // whether it also runs with address spaces, of which arithmetic knows nothing
}{
	{"default", codegen.Options{}, true},
	{"-O0", codegen.Options{NoOptimize: true}, true},
	{"trap", codegen.Options{Bounds: opt.BoundsTrap}, true},
	{"trap -O0", codegen.Options{Bounds: opt.BoundsTrap, NoOptimize: true}, false},
	{"off", codegen.Options{Bounds: opt.BoundsOff}, false},
	{"strict", codegen.Options{Math: opt.MathStrict}, false},
	{"fast", codegen.Options{Math: opt.MathFast}, false},
}

// leavesTextures are the cases that store outside of a texture, which they promise not to where
// bounds are off.
var leavesTextures = map[string]bool{"texture_store_outside": true}

// inexpressible are the cases that the target refuses, with the reason.
var inexpressible = map[string]string{}

// execution is a case in a variant.
type execution struct {
	c        *exectest.Case
	name     string
	programs []bench.Program
	kernels  []*abi.Kernel
	refused  string
}

// batch is how many programs one process of the compiler gets.
const batch = 40

// TestExec runs the kernels that every device must run alike on the bench, in every variant and,
// where that may differ, in both modes.
func TestExec(t *testing.T) {
	if missing := bench.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	cases := exectest.Cases()
	var list, spaces []*execution
	textures := map[string]bool{}
	for n := range cases {
		c := &cases[n]
		if len(c.Textures) > 0 {
			textures[c.Name] = true
		}
		for k, v := range variants {
			if !testmode.Rotated(n, k, len(variants)) || (c.LeavesVariables || leavesTextures[c.Name]) && v.options.Bounds == opt.BoundsOff {
				continue
			}
			x := compileCase(t, c, v.name, v.options)
			if x.refused != "" {
				if reason := inexpressible[c.Name]; reason == "" || !strings.Contains(x.refused, reason) {
					t.Errorf("%s %s: %s", c.Name, v.name, x.refused)
				}
				continue
			}
			list = append(list, x)
			if v.spaces {
				spaces = append(spaces, x)
			}
		}
	}
	ran := runAll(t, bench.Checked, list) + runAll(t, bench.Spaces, spaces)
	t.Logf("%d executions of %d cases, %d of them with textures, in %d variants and two modes; %d more the target cannot express", ran,
		len(cases)-len(inexpressible), len(textures), len(variants), len(inexpressible))
	if ran != len(list)+len(spaces) {
		t.Errorf("%d executions of %d", ran, len(list)+len(spaces))
	}
}

// compileCase compiles a case's kernels, each once for each setting of its overrides.
func compileCase(t *testing.T, c *exectest.Case, variant string, o codegen.Options) *execution {
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
	for _, d := range c.Dispatches {
		var settings []ir.Setting
		for _, s := range d.Overrides {
			settings = append(settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		a, err := p.Compile(abi.MSL, d.Entry, settings...)
		if err != nil {
			x.refused = err.Error()
			return x
		}
		x.programs = append(x.programs, bench.Program{Code: a.Code, Entry: a.Kernel.Name})
		x.kernels = append(x.kernels, &a.Kernel)
	}
	return x
}

// job makes the memory and the launches of an execution whose programs have these numbers.
func (x *execution) job(places []int) *bench.Job {
	j := &bench.Job{Data: x.c.Contents()}
	for n, d := range x.c.Dispatches {
		k := x.kernels[n]
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
		var textures []bench.Texture
		var samplers []bench.Sampler
		for _, h := range k.Handles {
			if h.Texture == nil {
				samplers = append(samplers, x.sampler(h.Name))
			} else {
				textures = append(textures, x.texture(&x.c.Dispatches[n], &h))
			}
		}
		bench.Bind(bench.Add(j, places[n], k, d.Grid, bindings, x.c.ImmediatesOf(n)), textures, samplers)
	}
	return j
}

// sampler describes a sampler of the case.
func (x *execution) sampler(name string) (s bench.Sampler) {
	for _, candidate := range x.c.Samplers {
		if candidate.Name != name {
			continue
		}
		d := &candidate.Description
		s = bench.Sampler{Magnify: d.Magnify.String(), Minify: d.Minify.String(), Mipmap: d.Mipmap.String(),
			LowestLevel: d.LowestLevel, HighestLevel: d.HighestLevel}
		for n, mode := range d.Address {
			s.Address[n] = mode.String()
		}
		if d.Compare != texture.NoCompare {
			s.Compare = d.Compare.String()
		}
	}
	return s
}

// texture describes what a variable shows of a texture of the case: of a storage texture one level.
func (x *execution) texture(dispatch *exectest.Dispatch, h *abi.Handle) bench.Texture {
	index, view := x.c.View(dispatch, h.Name)
	d := &x.c.Textures[index].Description
	count := view.Levels
	if count == 0 {
		count = d.Levels - view.Level
	}
	if h.Texture.Shape.IsStorage() {
		count = 1
	}
	t := bench.Texture{Format: d.Format.String(), Dimension: uint32(d.Dimension), Layers: d.Layers, Samples: d.Samples}
	t.Width, t.Height, t.Depth = d.LevelSize(view.Level)
	for level := range count {
		t.Levels = append(t.Levels, x.c.Level(index, view.Level+level))
	}
	return t
}

// runAll runs executions in batches and compares what they leave; it returns how many were right.
func runAll(t *testing.T, mode bench.Mode, list []*execution) int {
	t.Helper()
	var mutex sync.Mutex
	right := 0
	fibers.InBatches(list, batch, func(x *execution) int { return len(x.programs) }, func(part []*execution) {
		var programs []bench.Program
		var jobs []*bench.Job
		// programs by their texts: half of the variants of a case have one that another has
		known := map[string]int{}
		for _, x := range part {
			var places []int
			for _, p := range x.programs {
				key := p.Entry + "\n" + string(p.Code)
				if _, seen := known[key]; !seen {
					known[key] = len(programs)
					programs = append(programs, p)
				}
				places = append(places, known[key])
			}
			jobs = append(jobs, x.job(places))
		}
		err := bench.Run(mode, programs, jobs)
		mutex.Lock()
		defer mutex.Unlock()
		if err != nil {
			t.Errorf("%s, %s to %s: %v", mode, part[0].name, part[len(part)-1].name, err)
			return
		}
		for n, x := range part {
			err := jobs[n].Err
			if err == nil {
				err = exectest.Compare(x.c, x.c.Expected(), jobs[n].Data[:len(x.c.Contents())])
			}
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", mode, x.name, err, numbered(x.programs))
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
