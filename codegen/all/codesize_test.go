package all_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/ptx/listing"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// This file bounds what the passes that write out loops and functions make of code. Drivers compile every byte of it, and a loop that is larger than
// the caches of instructions waits for them in each turn.

const (
	// mostGrowth is how many times as large a module may be as at -O0.
	mostGrowth = 3
	// mostLoop bounds the bytes of machine code of a hot loop, and machineBytes are those of an instruction since sm_70 (cuda-binary-utilities,
	// "Instruction Set Reference").
	mostLoop     = 64 << 10
	machineBytes = 16
)

// grows are the kernels that may grow by more than mostGrowth, how many times, and what that is worth: the speed beside nvcc's code, before and behind
// (docs/roadmap.md). For SPIR-V the form for large launches alone does.
var grows = []struct {
	target, kernel string
	times          float64
	why            string
}{
	{"ptx", "compaction sort", 3.1, "eight turns of a loop that reads memory behind one test"},
	{"ptx", "fft256 fft256", 3.8, "the stages of an FFT, whose quotients by what a loop counts become shifts: 0.70 to 1.00"},
	{"ptx", "histogram histogram", 4.1, "eight turns of a loop that reads memory behind one test, with the four bytes of a word in each: 1.10"},
	{"ptx", "language_switch_empty main", 3.1, "sixteen turns of a loop with a switch by what it counts"},
	{"ptx", "layer_norm layer_norm", 3.2, "turns of three loops that read memory, and the steps of a tree of two sums: 1.12"},
	{"ptx", "nbody main", 6, "the loop over a tile of 32 bodies in workgroup memory"},
	{"ptx", "random_pcg main coarse", 6.7, "two items, each with a short loop"},
	{"ptx", "ray ray", 5.7, "loops over spheres with roots and quotients: 0.81 to 1.01, with products fused"},
	{"ptx", "sgemm128 sgemm128", 6.5, "64 sums of an invocation in registers: 0.037 to 1.58"},
	{"ptx", "sha256 sha256", 14.5, "64 rounds whose words are registers: 0.13 to 0.99"},
	{"ptx", "sort_radix place", 3.8, "the same of a loop that reads workgroup memory"},
	{"spirv", "nbody main coarse", 4, "as for PTX"},
	{"spirv", "ray ray coarse", 5.7, "as for PTX; 4 % through Vulkan"},
	{"spirv", "sgemm128 sgemm128 coarse", 5.9, "as for PTX; 1.69 of nvcc's speed through Vulkan"},
	{"spirv", "sha256 sha256 coarse", 9.5, "as for PTX"},
}

// exceptionOf returns the number of the exception that lets a kernel grow, in one of its forms or both, or -1.
func exceptionOf(s *sizes) int {
	for n, g := range grows {
		if name := g.target + " " + g.kernel; name == s.name || name+" coarse" == s.name {
			return n
		}
	}
	return -1
}

// sizes are those of one kernel for one target.
type sizes struct {
	name          string
	plain, passed int // bytes of code
	items         int // that an invocation does: the form for large launches is several kernels in one
	loop          int // instructions of the hot loop, if it may be too large
}

func (s *sizes) times() float64 { return float64(s.passed) / float64(s.plain) }

// TestCodeStaysBounded compiles the exec kernels and those of the bench for SPIR-V and PTX, in the form that every launch takes and in that for large
// launches, and compares their size with that at -O0. Hot loops are looked for in kernels that are as large as a hot loop may be: in machine code if ptxas and nvdisasm are
// there, else in PTX. With -v it prints the table.
func TestCodeStaysBounded(t *testing.T) {
	needed := make([]bool, len(grows))
	for _, target := range []*codegen.Target{all.Lookup("spirv"), all.Lookup("ptx")} {
		var table []sizes
		sum, loop := 0.0, 0
		for _, path := range kernelFiles(t) {
			for _, s := range sizesOf(t, path, target) {
				table = append(table, s)
				sum += math.Log(s.times())
				loop = max(loop, s.loop)
				most := mostGrowth * float64(s.items)
				if n := exceptionOf(&s); n >= 0 && s.times() > most {
					most, needed[n] = grows[n].times, true
				}
				if s.times() > most {
					t.Errorf("%s: %d bytes, %d at -O0, %.2f times as many; at most %.2f are allowed", s.name, s.passed, s.plain, s.times(), most)
				}
				if s.loop*machineBytes > mostLoop {
					t.Errorf("%s: the hot loop has %d instructions of %d bytes, more than %d bytes", s.name, s.loop, machineBytes, mostLoop)
				}
			}
		}
		slices.SortFunc(table, func(a, b sizes) int { return strings.Compare(a.name, b.name) })
		var b strings.Builder
		for n := range table {
			s := &table[n]
			fmt.Fprintf(&b, "%-48s %7d %7d %5.2f\n", s.name, s.plain, s.passed, s.times())
		}
		t.Logf("%s: bytes at -O0, by default, times\n%s%d modules, %.3f times in the mean; no hot loop has more than %d instructions", target.Name, &b, len(table), math.Exp(sum/float64(len(table))), loop)
	}
	for n, g := range grows {
		if !needed[n] {
			t.Errorf("%s %s needs no exception", g.target, g.kernel)
		}
	}
}

// kernelFiles are the exec kernels and those of the bench.
func kernelFiles(t *testing.T) (paths []string) {
	for _, pattern := range []string{"../../testdata/exec/*.wgsl", "../../testdata/benchmarks/gpu/*.wgsl"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal("no kernels: ", pattern)
		}
		paths = append(paths, found...)
	}
	return paths
}

// sizesOf compiles the kernels of a file. Those that the target does not take have no sizes.
func sizesOf(t *testing.T, path string, target *codegen.Target) (list []sizes) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := jit.Parse(path, string(text), codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	settings := settingsOf(p.Module())
	for _, k := range p.Module().Kernels() {
		o := codegen.Options{Settings: settings, Strip: true}
		plain := o
		plain.NoOptimize, o.Coarse = true, true
		before := codegen.Compile(p.Module(), k.Name, target, &plain, nil)
		if before == nil {
			continue
		}
		behind := codegen.Compile(p.Module(), k.Name, target, &o, nil)
		if behind == nil {
			t.Errorf("%s, %s for %s is taken at -O0 only", path, k.Name, target.Name)
			continue
		}
		name := fmt.Sprintf("%s %s %s", target.Name, strings.TrimSuffix(filepath.Base(path), ".wgsl"), k.Name)
		list = append(list, sizes{name, len(before.Code), len(behind.Code), 1, hotLoop(t, target, behind)})
		if c := behind.Coarse; c != nil {
			items := int(c.Factor[0] * c.Factor[1] * c.Factor[2])
			list = append(list, sizes{name + " coarse", len(before.Code), len(c.Artefact.Code), items, hotLoop(t, target, c.Artefact)})
		}
	}
	return list
}

// hotLoop counts the instructions of the hot loop of a kernel that is large enough to have one that is too large. SPIR-V has none: what
// drivers make of it is much like what ptxas makes of PTX.
func hotLoop(t *testing.T, target *codegen.Target, a *abi.Artefact) int {
	const least = mostLoop / machineBytes / 8 // of PTX, which machine code may have several instructions for
	if target.Mix == nil || bytes.Count(a.Code, []byte("\n")) < least || listing.Assembly(string(a.Code)).Deepest() == nil {
		return 0
	}
	mix, err := target.Mix(a)
	if err != nil {
		t.Fatal(err)
	}
	return int(mix.Loop.Instructions)
}
