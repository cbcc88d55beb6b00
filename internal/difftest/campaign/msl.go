package campaign

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file holds the ways msl and msl:spaces: clang compiles what the target writes, with the emulator's header in
// the place of Metal's library. That takes 0.3 s for any number of programs and 0.02 s for each, so programs are
// executed many at a time.

var mslModes = map[string]msl.Mode{"msl": msl.Checked, "msl:spaces": msl.Spaces}

// attempt is a program in a configuration, compiled, and what is wrong with what it leaves.
type attempt struct {
	c        *difftest.Case
	artefact *abi.Artefact
	err      error
}

// programsTogether is how many seeds a way that executes programs together gets at a time.
const programsTogether = 25

func openMSL(name string, mode msl.Mode) (*Way, error) {
	if missing := msl.Missing(); missing != "" {
		return nil, errors.New("there is no " + missing)
	}
	w := &Way{Name: name, target: all.Lookup(string(abi.MSL)), together: func(list []*attempt) { executeMSL(mode, list) }}
	w.execute = func(a *abi.Artefact, c *difftest.Case, step func(string)) ([][]byte, error) {
		step("running")
		j, data, err := mslJob(0, a, c)
		if err != nil {
			return nil, err
		}
		if err := msl.Run(mode, []msl.Program{{Code: a.Code, Entry: a.Kernel.Name}}, []*msl.Job{j}); err != nil {
			return nil, err
		}
		return mslOutputs(j, data, a, c)
	}
	return w, nil
}

// mslJob makes the job of an artefact that is program n.
func mslJob(n int, a *abi.Artefact, c *difftest.Case) (*msl.Job, [][]byte, error) {
	data, err := inputs(&a.Kernel, c)
	if err != nil {
		return nil, nil, err
	}
	j := &msl.Job{Data: data}
	bindings := make([]int, len(data))
	for k := range bindings {
		bindings[k] = k
	}
	msl.Add(j, n, &a.Kernel, grid(c), bindings, immediates(&a.Kernel, c))
	return j, data, nil
}

// mslOutputs returns what a job leaves, in the order of the case's bindings.
func mslOutputs(j *msl.Job, data [][]byte, a *abi.Artefact, c *difftest.Case) ([][]byte, error) {
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

// executeMSL executes attempts that are compiled. If the compiler refuses them together, each is tried alone.
func executeMSL(mode msl.Mode, list []*attempt) {
	var programs []msl.Program
	var jobs []*msl.Job
	var data [][][]byte
	var tried []*attempt
	for _, x := range list {
		if x.err != nil {
			continue
		}
		j, d, err := mslJob(len(programs), x.artefact, x.c)
		if x.err = err; err != nil {
			continue
		}
		programs = append(programs, msl.Program{Code: x.artefact.Code, Entry: x.artefact.Kernel.Name})
		jobs, data, tried = append(jobs, j), append(data, d), append(tried, x)
	}
	if len(tried) == 0 {
		return
	}
	err := msl.Run(mode, programs, jobs)
	switch {
	case err != nil && len(tried) > 1:
		for _, x := range tried {
			executeMSL(mode, []*attempt{x})
		}
		return
	case err != nil:
		tried[0].err = fmt.Errorf("%w\n%s", err, programs[0].Code)
		return
	}
	for n, x := range tried {
		got, err := mslOutputs(jobs[n], data[n], x.artefact, x.c)
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

// runTogether runs some seeds on a way that executes them together, and notes in their lines what is wrong.
func (w *Way) runTogether(cases []*difftest.Case, lists [][]Configuration, lines []line) {
	var all []*attempt
	for n, c := range cases {
		if c == nil || !w.takes(c) {
			continue
		}
		for _, o := range lists[n] {
			all = append(all, w.compileAttempt(c, o))
		}
	}
	w.together(all)
	for n, c := range cases {
		if c == nil || !w.takes(c) {
			continue
		}
		for _, o := range lists[n] {
			lines[n].Executions++
			if err := all[0].err; err != nil {
				lines[n].Failures = append(lines[n].Failures, Failure{Seed: lines[n].Seed, Way: w.Name, Configuration: o.String(), Message: err.Error()})
			}
			all = all[1:]
		}
	}
}
