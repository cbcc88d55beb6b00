package campaign

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file has the ways whose code a compiler for the host compiles. msl and msl:spaces have a
// header instead of Metal's library, and amdgpu has functions instead of AMD's intrinsics.
// Compiling takes 0.3 s for any number of programs and 0.02 s for each, so programs run many at a
// time.

// Bench is what executes such programs.
type Bench struct {
	Missing func() string // what is not installed, or ""
	// Add adds to a job a launch of the kernel of a program, by its number.
	Add func(j *fibers.Job, program int, k *abi.Kernel, grid [3]uint32, bindings []int, immediates []byte) *fibers.Launch
	// Bind binds textures to a launch; nil if the target has none.
	Bind func(l *fibers.Launch, textures []msl.Texture, samplers []msl.Sampler)
	Run  func(list []*abi.Artefact, jobs []*fibers.Job) error
}

// MSLBench executes MSL as clang compiles it, with the header of internal/emulate/msl.
func MSLBench(mode msl.Mode) *Bench {
	return &Bench{msl.Missing, msl.Add, msl.Bind, func(list []*abi.Artefact, jobs []*fibers.Job) error {
		var programs []msl.Program
		for _, a := range list {
			programs = append(programs, msl.Program{Code: a.Code, Entry: a.Kernel.Name})
		}
		return msl.Run(mode, programs, jobs)
	}}
}

// AMDGPUBench executes LLVM's IR for AMD, with functions instead of AMD's intrinsics.
var AMDGPUBench = &Bench{amdgpu.Missing, amdgpu.Add, nil, func(list []*abi.Artefact, jobs []*fibers.Job) error {
	var programs []amdgpu.Program
	for _, a := range list {
		programs = append(programs, amdgpu.Program{Code: a.Code, Kernel: &a.Kernel})
	}
	return amdgpu.Run(programs, jobs)
}}

// benchOf returns the bench and the target of a way by its name, or nil.
func benchOf(name string) (*Bench, *codegen.Target, error) {
	switch name {
	case "msl":
		return MSLBench(msl.Checked), all.Lookup(string(abi.MSL)), nil
	case "msl:spaces":
		return MSLBench(msl.Spaces), all.Lookup(string(abi.MSL)), nil
	}
	switch base, _, _ := strings.Cut(name, ":"); base {
	case string(abi.AMDGPU):
		target, err := all.Find(name)
		return AMDGPUBench, target, err
	case string(abi.MSL):
		target, err := all.Find(name)
		return MSLBench(msl.Checked), target, err
	}
	return nil, nil, nil
}

// attempt is a program in a configuration, compiled, and what is wrong with what it leaves.
type attempt struct {
	c        *difftest.Case
	artefact *abi.Artefact
	err      error
}

// programsTogether is how many seeds a way that executes programs together gets at a time.
const programsTogether = 25

// open makes the way of a bench.
func (b *Bench) open(name string, target *codegen.Target) (*Way, error) {
	if missing := b.Missing(); missing != "" {
		return nil, errors.New("there is no " + missing)
	}
	w := &Way{Name: name, target: target, textures: b.Bind != nil, together: b.execute}
	w.execute = func(a *abi.Artefact, c *difftest.Case, step func(string)) ([][]byte, error) {
		step("running")
		j, data, err := b.job(0, a, c)
		if err != nil {
			return nil, err
		}
		if err := b.Run([]*abi.Artefact{a}, []*fibers.Job{j}); err != nil {
			return nil, err
		}
		return leaves(j, data, a, c)
	}
	return w, nil
}

// Executed is a way for amdgpu's artefacts, as a target makes them, whose jobs are executed by a
// function of another module.
func Executed(target *codegen.Target, run func(list []*abi.Artefact, jobs []*fibers.Job) error) (*Way, error) {
	b := *AMDGPUBench
	b.Missing, b.Run = func() string { return "" }, run
	return b.open(target.Title(), target)
}

// RunSeeds runs the programs of some seeds, each in so many configurations, on a way that executes
// them together. The programs are of a family, or of the generator if it is empty. Nothing that
// fails is reduced.
func (w *Way) RunSeeds(family string, first, count uint64, configurations int) (*Report, error) {
	cases, err := (&work{Family: family, Configurations: configurations}).cases()
	if err != nil {
		return nil, err
	}
	report := &Report{Ways: tallies{}}
	for end := first + count; first < end; {
		var drawn []*difftest.Case
		var lists [][]Configuration
		var lines []line
		for ; first < end && len(lines) < programsTogether; first++ {
			c, list, err := cases(first)
			if err != nil { // its evaluation takes too long
				report.Discarded++
				continue
			}
			drawn, lists, lines = append(drawn, c), append(lists, list), append(lines, line{Seed: first})
		}
		w.reportTogether(report, drawn, lists, lines)
	}
	return report, nil
}

// RunCases runs cases in each of some configurations like RunSeeds.
func (w *Way) RunCases(cases []difftest.Case, list []Configuration) *Report {
	report := &Report{Ways: tallies{}}
	for first := 0; first < len(cases); first += programsTogether {
		var drawn []*difftest.Case
		var lists [][]Configuration
		var lines []line
		for n := first; n < min(first+programsTogether, len(cases)); n++ {
			drawn, lists, lines = append(drawn, &cases[n]), append(lists, list), append(lines, line{Seed: uint64(n)})
		}
		w.reportTogether(report, drawn, lists, lines)
	}
	return report
}

// reportTogether runs cases together and adds what comes of it to a report.
func (w *Way) reportTogether(report *Report, cases []*difftest.Case, lists [][]Configuration, lines []line) {
	w.runTogether(cases, lists, lines)
	for _, l := range lines {
		report.Programs++
		report.Executions += l.Executions
		report.Ways.add(l.Ways)
		report.Failures = append(report.Failures, l.Failures...)
	}
}

// job makes the job of an artefact that is program n. What it leaves is in the memory that is
// returned: that of the kernel's bindings, and after them of its textures, all levels of one
// together.
func (b *Bench) job(n int, a *abi.Artefact, c *difftest.Case) (*fibers.Job, [][]byte, error) {
	data, err := inputs(&a.Kernel, c)
	if err != nil {
		return nil, nil, err
	}
	j := &fibers.Job{Data: slices.Clip(data)}
	bindings := make([]int, len(data))
	for k := range bindings {
		bindings[k] = k
	}
	l := b.Add(j, n, &a.Kernel, grid(c), bindings, immediates(&a.Kernel, c))
	var textures []msl.Texture
	for k := range a.Kernel.Handles {
		at, err := textureIndex(c, &a.Kernel.Handles[k])
		if err != nil {
			return nil, nil, err
		}
		d, err := describe(c.Bindings[at].Texture)
		if err != nil {
			return nil, nil, err
		}
		t := msl.Texture{Format: d.Format.String(), Dimension: uint32(d.Dimension), Width: d.Width, Height: d.Height, Depth: d.Depth,
			Layers: d.Layers, Samples: d.Samples}
		texels := slices.Clone(c.Bindings[at].Data)
		data = append(data, texels)
		for level := range d.Levels {
			size := d.LevelBytes(level)
			t.Levels = append(t.Levels, len(j.Data))
			j.Data = append(j.Data, texels[:size:size])
			texels = texels[size:]
		}
		textures = append(textures, t)
	}
	if len(textures) > 0 {
		b.Bind(l, textures, nil)
	}
	return j, data, nil
}

// leaves returns what a job leaves, in the order of the case's bindings.
func leaves(j *fibers.Job, data [][]byte, a *abi.Artefact, c *difftest.Case) ([][]byte, error) {
	if j.Err != nil {
		return nil, fmt.Errorf("%w\n%s", j.Err, a.Code)
	}
	k := &a.Kernel
	if k.Fault != nil {
		if site := binary.LittleEndian.Uint32(data[len(k.Arguments())]); site != 0 {
			return nil, fmt.Errorf("a fault is recorded where the program has none: site %+v", k.Fault.Sites[site-1])
		}
	}
	got := outputs(k, c, data)
	for n := range k.Handles {
		at, err := textureIndex(c, &k.Handles[n])
		if err != nil {
			return nil, err
		}
		got[at] = data[len(k.Bindings)+n]
	}
	return got, nil
}

// execute executes attempts that are compiled. If the compiler refuses them together, each is tried
// alone.
func (b *Bench) execute(list []*attempt) {
	var artefacts []*abi.Artefact
	var jobs []*fibers.Job
	var data [][][]byte
	var tried []*attempt
	for _, x := range list {
		if x.err != nil {
			continue
		}
		j, d, err := b.job(len(artefacts), x.artefact, x.c)
		if x.err = err; err != nil {
			continue
		}
		artefacts = append(artefacts, x.artefact)
		jobs, data, tried = append(jobs, j), append(data, d), append(tried, x)
	}
	if len(tried) == 0 {
		return
	}
	err := b.Run(artefacts, jobs)
	switch {
	case err != nil && len(tried) > 1:
		for _, x := range tried {
			b.execute([]*attempt{x})
		}
		return
	case err != nil:
		tried[0].err = fmt.Errorf("%w\n%s", err, artefacts[0].Code)
		return
	}
	for n, x := range tried {
		got, err := leaves(jobs[n], data[n], x.artefact, x.c)
		if err == nil {
			err = x.c.Compare(got)
		}
		x.err = err
	}
}

// compileAttempt compiles a case, with a panic of the compiler as an error.
func (w *Way) compileAttempt(c *difftest.Case, o Configuration) (x *attempt) {
	x = &attempt{c: c}
	defer func() {
		if r := recover(); r != nil {
			x.err = fmt.Errorf("panic: %v", r)
		}
	}()
	x.artefact, x.err = compile(w.target, c, o)
	return x
}

// runTogether runs some seeds on a way that executes them together, and notes in their lines what
// is wrong.
func (w *Way) runTogether(cases []*difftest.Case, lists [][]Configuration, lines []line) {
	var all []*attempt
	for n, c := range cases {
		if c == nil || w.takes(c) != "" {
			continue
		}
		for _, o := range lists[n] {
			all = append(all, w.compileAttempt(c, o))
		}
	}
	w.together(all)
	for n, c := range cases {
		if c == nil || w.takes(c) != "" {
			continue
		}
		for _, o := range lists[n] {
			t, err := lines[n].tally(w.Name), all[0].err
			if why := lacking(c, err); why != "" {
				t.LeftOut[why]++
				all = all[1:]
				continue
			}
			lines[n].Executions++
			t.Executions++
			if err != nil {
				lines[n].Failures = append(lines[n].Failures, Failure{Seed: lines[n].Seed, Way: w.Name, Configuration: o.String(), Message: err.Error()})
			}
			all = all[1:]
		}
	}
}
