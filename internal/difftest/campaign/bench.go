package campaign

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file holds the way amdgpu, behind which there may be a profile: a compiler for the host makes programs of the code, with
// functions in the place of AMD's intrinsics. That takes 0.3 s for any number of programs and 0.02 s for each, so programs are executed many at a time.

// bench is what executes such programs.
type bench struct {
	missing func() string
	// add adds to a job a launch of the kernel of a program, by its number.
	add func(j *fibers.Job, program int, k *abi.Kernel, grid [3]uint32, bindings []int, immediates []byte)
	run func(list []*abi.Artefact, jobs []*fibers.Job) error
}

var amdgpuBench = &bench{amdgpu.Missing, amdgpu.Add, func(list []*abi.Artefact, jobs []*fibers.Job) error {
	var programs []amdgpu.Program
	for _, a := range list {
		programs = append(programs, amdgpu.Program{Code: a.Code, Kernel: &a.Kernel})
	}
	return amdgpu.Run(programs, jobs)
}}

// benchOf returns the bench and the target of a way by its name, or nil.
func benchOf(name string) (*bench, *codegen.Target, error) {
	if base, _, _ := strings.Cut(name, ":"); base != string(abi.AMDGPU) {
		return nil, nil, nil
	}
	target, err := all.Find(name)
	return amdgpuBench, target, err
}

// open makes the way of a bench.
func (b *bench) open(name string, target *codegen.Target) (*Way, error) {
	if missing := b.missing(); missing != "" {
		return nil, errors.New("there is no " + missing)
	}
	w := &Way{Name: name, target: target, together: b.execute}
	w.execute = func(a *abi.Artefact, c *difftest.Case, step func(string)) ([][]byte, error) {
		step("running")
		j, data, err := b.job(0, a, c)
		if err != nil {
			return nil, err
		}
		if err := b.run([]*abi.Artefact{a}, []*fibers.Job{j}); err != nil {
			return nil, err
		}
		return leaves(j, data, a, c)
	}
	return w, nil
}

// job makes the job of an artefact that is program n.
func (b *bench) job(n int, a *abi.Artefact, c *difftest.Case) (*fibers.Job, [][]byte, error) {
	data, err := inputs(&a.Kernel, c)
	if err != nil {
		return nil, nil, err
	}
	j := &fibers.Job{Data: data}
	bindings := make([]int, len(data))
	for k := range bindings {
		bindings[k] = k
	}
	b.add(j, n, &a.Kernel, grid(c), bindings, immediates(&a.Kernel, c))
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
	return outputs(k, c, data), nil
}

// execute executes attempts that are compiled. If the compiler refuses them together, each is tried alone.
func (b *bench) execute(list []*attempt) {
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
	err := b.run(artefacts, jobs)
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
