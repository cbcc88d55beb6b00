package gfx942

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/gofuzz"
	"github.com/gpuc/gpuc/runtime/abi"
)

// kernelsInGo is the number of kernels written in Go, in two packages. They have types that WGSL
// lacks.
const kernelsInGo = 2 * 25

// The numbers of generated programs: of the generator, of each family of small programs, and of
// configurations of each.
const (
	generated      = 100
	ofEachFamily   = 15
	configurations = 2 // of each program
)

// TestGenerated executes generated programs, and compares with an evaluator that shares no code
// with the compiler.
func TestGenerated(t *testing.T) {
	needTools(t)
	var total counts
	way, err := campaign.Executed(targetOf(t, &amdgpu.Target), func(list []*abi.Artefact, jobs []*fibers.Job) error { return runJobs(list, jobs, &total) })
	if err != nil {
		t.Fatal(err)
	}
	executeGenerated(t, way, "")
	total.log(t)
}

// executeGenerated executes generated programs and those of all families. If refusal is not empty,
// up to a tenth of the executions may fail with it.
func executeGenerated(t *testing.T, way *campaign.Way, refusal string) {
	type part struct {
		family       string
		first, count uint64
	}
	var parts []part
	const batch = 25
	for first := uint64(1); first <= generated; first += batch {
		parts = append(parts, part{"", first, batch})
	}
	for _, f := range difftest.Families {
		parts = append(parts, part{f.Name, 1, ofEachFamily})
	}
	var mutex sync.Mutex
	programs, executions, refused := uint64(0), uint64(0), uint64(0)
	eachPart(parts, 1, func(list []part) {
		p := list[0]
		report, err := way.RunSeeds(p.family, p.first, p.count, configurations)
		mutex.Lock()
		defer mutex.Unlock()
		if err != nil {
			t.Error(err)
			return
		}
		programs += report.Programs
		executions += report.Executions
		for _, f := range report.Failures {
			message, _, _ := strings.Cut(f.Message, "\n")
			if refusal != "" && strings.Contains(message, refusal) {
				refused++
				continue
			}
			t.Errorf("%s seed %d, %s: %s", p.family, f.Seed, f.Configuration, message)
		}
	})
	t.Logf("%d programs, %d executions, of which %d are refused", programs, executions, refused)
	if refused*10 > executions {
		t.Error("too many are refused to say anything")
	}
}

// TestKernelsInGo executes generated kernels in Go, and compares with the same functions compiled
// by Go.
func TestKernelsInGo(t *testing.T) {
	needTools(t)
	repository, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	var total counts
	way, err := campaign.Executed(targetOf(t, &amdgpu.Target), func(list []*abi.Artefact, jobs []*fibers.Job) error { return runJobs(list, jobs, &total) })
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
	var mutex sync.Mutex
	var executions uint64
	eachPart([]uint64{1, 2}, 1, func(seeds []uint64) {
		folder, seed := t.TempDir(), seeds[0]
		if err := gofuzz.Workspace(folder, repository); err != nil {
			t.Error(err)
			return
		}
		cases, err := gofuzz.Cases(folder, seed, kernelsInGo/2, true)
		if err != nil {
			t.Error(err)
			return
		}
		report := way.RunCases(cases, list)
		mutex.Lock()
		defer mutex.Unlock()
		executions += report.Executions
		for _, f := range report.Failures {
			message, _, _ := strings.Cut(f.Message, "\n")
			t.Errorf("package %d, %s, %s: %s", seed, cases[f.Seed].Name, f.Configuration, message)
		}
	})
	t.Logf("%d kernels in Go, %d executions", kernelsInGo, executions)
	total.log(t)
}

// tilesInGo is the number of generated kernels in Go that compute with tiles.
const tilesInGo = 6

// TestTilesInGo executes such kernels, and compares with an evaluator that shares no code with the
// compiler.
func TestTilesInGo(t *testing.T) {
	needTools(t)
	repository, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := gofuzz.Workspace(folder, repository); err != nil {
		t.Fatal(err)
	}
	list, err := gofuzz.NewTiles(folder, 1, tilesInGo)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := list.Cases()
	if err != nil {
		t.Fatal(err)
	}
	var total counts
	way, err := campaign.Executed(targetOf(t, &amdgpu.Target), func(list []*abi.Artefact, jobs []*fibers.Job) error { return runJobs(list, jobs, &total) })
	if err != nil {
		t.Fatal(err)
	}
	host, err := campaign.Open("amdgpu:gfx942")
	if err != nil {
		t.Fatal(err)
	}
	report := way.RunCases(cases, []campaign.Configuration{{}})
	unknown := 0
	for _, f := range report.Failures {
		// LLVM keeps bytes in vector registers, and shifts one out. The bits of those registers
		// are not followed. These kernels are executed by the functions for the host alone.
		message, _, _ := strings.Cut(f.Message, "\n")
		if strings.Contains(message, "nothing has written") {
			unknown++
			if err := host.Run(&cases[f.Seed], campaign.Configuration{}); err == nil {
				continue
			}
		}
		t.Errorf("%s: %s", cases[f.Seed].Name, message)
	}
	if unknown > tilesInGo/5 {
		t.Errorf("%d of %d kernels are not executed, which are too many", unknown, tilesInGo)
	}
	t.Logf("%d kernels in Go with tiles, %d executions, of which %d are not known", report.Programs, report.Executions, unknown)
	total.log(t)
}

// targetOf returns a target for this processor.
func targetOf(t testing.TB, target *codegen.Target) *codegen.Target {
	t.Helper()
	with, err := target.With(profile)
	if err != nil {
		t.Fatal(err)
	}
	return with
}

// runJobs executes the jobs of artefacts by one code object.
func runJobs(list []*abi.Artefact, jobs []*fibers.Job, total *counts) error {
	var programs []bench.Program
	for _, a := range list {
		programs = append(programs, bench.Program{Code: a.Code, Kernel: &a.Kernel})
	}
	assembled, err := bench.Assemble(profile, programs)
	if err != nil {
		return err
	}
	object, err := Load(assembled.Data)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		for _, l := range j.Launches {
			launch := launchOfJob(j, &l, &list[l.Program].Kernel)
			launch.Kernel, launch.Unit = bench.KernelName(l.Program), unitOf(list[l.Program].Code)
			done := total.counting(launch)
			j.Err = object.Run(launch)
			done()
		}
	}
	return nil
}

// launchOfJob converts a job's launch, without the kernel's name.
func launchOfJob(j *fibers.Job, l *fibers.Launch, k *abi.Kernel) *Launch {
	launch := &Launch{Grid: l.Grid, Workgroup: l.Workgroup, Buffers: j.Data}
	for n, p := range k.Parameters {
		data := j.Data[l.Arguments[n]]
		switch p.Kind {
		case abi.AddressParameter:
			launch.Arguments = append(launch.Arguments, Argument{Buffer: l.Arguments[n]})
		case abi.LengthParameter:
			launch.Arguments = append(launch.Arguments, Argument{Bytes: data, Align: 4})
		case abi.ImmediatesParameter:
			launch.Arguments = append(launch.Arguments, Argument{Bytes: data, Align: 16})
		}
	}
	return launch
}
