package all_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/ptx/listing"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file bounds the growth of code by unrolling and inlining. Drivers compile every byte of it,
// and a loop that exceeds the instruction caches misses them in each iteration.

const (
	// maxGrowth is the greatest ratio to the size at -O0, for each of an invocation's items: a
	// large-launch variant is several kernels in one.
	maxGrowth = 3
	// Kernels with loops that are worth more than their size (opt/growth.go) may have up to
	// maxBytes bytes, and maxMachineBytes bytes of machine code, whatever their growth.
	maxBytes, maxMachineBytes = 112 << 10, 32 << 10
	// maxLoopBytes bounds the bytes of machine code of a hot loop, and machineBytes are those of an
	// instruction since sm_70 (cuda-binary-utilities, "Instruction Set Reference").
	maxLoopBytes = 64 << 10
	machineBytes = 16
)

// sizes are the sizes of one kernel for one target.
type sizes struct {
	name          string
	plain, passed int // bytes of code
	items         int // that an invocation does
	worth         bool
	// instructions of the hot loop and of all machine code, if they may be too large
	loop, machine int
}

func (s *sizes) times() float64 { return float64(s.passed) / float64(s.plain) }

// grows reports whether a kernel exceeds maxGrowth.
func (s *sizes) grows() bool { return s.times() > maxGrowth*float64(s.items) }

// TestCodeStaysBounded compiles the exec kernels and those of the bench for SPIR-V and PTX, with
// large-launch variants, and compares their size with that at -O0. Only kernels with loops that are
// worth their size may exceed maxGrowth. Hot loops of large kernels are measured in machine code if
// ptxas and nvdisasm are there, and else in PTX. With -v it prints the table.
func TestCodeStaysBounded(t *testing.T) {
	testmode.Long(t)
	for _, target := range []*codegen.Target{all.Lookup("spirv"), all.Lookup("ptx")} {
		var table []sizes
		sum, loop := 0.0, 0
		for n, path := range kernelFiles(t) {
			if !testmode.Sampled(n, 1) {
				continue
			}
			for _, s := range sizesOf(t, path, target) {
				table = append(table, s)
				sum += math.Log(s.times())
				loop = max(loop, s.loop)
				switch {
				case s.grows() && !s.worth:
					t.Errorf("%s: %d bytes, %d at -O0, %.2f times as many; at most %d are allowed for each of %d items", s.name, s.passed, s.plain, s.times(), maxGrowth, s.items)
				case s.grows() && (s.passed > maxBytes || s.machine*machineBytes > maxMachineBytes):
					t.Errorf("%s: %d bytes, and %d of machine code; at most %d and %d are allowed", s.name, s.passed, s.machine*machineBytes, maxBytes, maxMachineBytes)
				}
				if s.loop*machineBytes > maxLoopBytes {
					t.Errorf("%s: the hot loop has %d instructions of %d bytes, more than %d bytes", s.name, s.loop, machineBytes, maxLoopBytes)
				}
			}
		}
		slices.SortFunc(table, func(a, b sizes) int { return strings.Compare(a.name, b.name) })
		var b strings.Builder
		for n := range table {
			s := &table[n]
			fmt.Fprintf(&b, "%-48s %7d %7d %5.2f", s.name, s.plain, s.passed, s.times())
			if s.grows() {
				fmt.Fprintf(&b, " by its loops, %d bytes of machine code", s.machine*machineBytes)
			}
			b.WriteByte('\n')
		}
		t.Logf("%s: bytes at -O0, by default, times\n%s%d modules, %.3f times in the mean; no hot loop has more than %d instructions", target.Name, &b, len(table), math.Exp(sum/float64(len(table))), loop)
	}
}

// sizesOf compiles the kernels of a file. Kernels that the target refuses are left out.
func sizesOf(t *testing.T, path string, target *codegen.Target) (list []sizes) {
	m := loadedFile(t, path)
	settings := settingsOf(m)
	for _, k := range m.Kernels() {
		plain := codegen.Options{Settings: settings, Strip: true, NoOptimize: true}
		before := codegen.Compile(m, k.Name, target, &plain, nil)
		if before == nil {
			continue
		}
		name := fmt.Sprintf("%s %s %s", target.Name, strings.TrimSuffix(filepath.Base(path), ".wgsl"), k.Name)
		add := func(name string, a *abi.Artefact, items int, c *opt.Context) {
			s := sizes{name: name, plain: len(before.Code), passed: len(a.Code), items: items, worth: c.OverBudget}
			s.machineCode(t, target, a)
			list = append(list, s)
		}
		// the context describes the last variant
		compile := func(coarse bool) (*abi.Artefact, *opt.Context) {
			c := new(opt.Context)
			return codegen.Compile(m, k.Name, target, &codegen.Options{Settings: settings, Strip: true, Coarse: coarse, Context: c}, nil), c
		}
		a, c := compile(false)
		if a == nil {
			t.Errorf("%s, %s for %s is taken at -O0 only", path, k.Name, target.Name)
			continue
		}
		add(name, a, 1, c)
		if a, c = compile(true); a.Coarse != nil {
			add(name+" coarse", a.Coarse.Artefact, int(a.Coarse.Factor[0]*a.Coarse.Factor[1]*a.Coarse.Factor[2]), c)
		}
	}
	return list
}

// machineCode counts the machine instructions of the hot loop of a large kernel, and all of a
// kernel that grows by its loops. It needs ptxas and nvdisasm. For SPIR-V there are none, since
// drivers generate much the same code as ptxas for PTX.
func (s *sizes) machineCode(t *testing.T, target *codegen.Target, a *abi.Artefact) {
	// in PTX, whose instructions may be several of the machine's
	const least = maxLoopBytes / machineBytes / 8
	large := bytes.Count(a.Code, []byte("\n")) >= least && listing.Assembly(string(a.Code)).Deepest() != nil
	if target.Mix == nil || !large && !s.grows() {
		return
	}
	machine := *a
	// code without a profile is for machines that nvdisasm may no longer know
	machine.Kernel.Profile = "sm_90"
	mix, err := target.Mix(&machine)
	if err != nil {
		t.Fatal(err)
	}
	if s.loop = int(mix.Loop.Instructions); strings.HasPrefix(mix.Of, "the machine code") {
		s.machine = int(mix.Kernel.Instructions)
	}
}
