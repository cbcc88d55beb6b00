package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// initialised are the packages of gpuc that do something before main, with the maximum of
// allocations and bytes for that. In all other packages the linker lays out the data. Each page
// that a start touches costs a microsecond, and most tables are not needed by a compilation. So a
// package that is here needs a reason, and tables are made on first use.
var initialised = map[string]struct{ allocations, bytes int }{
	"ir/eval":                   {24, 1024}, // conversions, which most programs use
	"ir":                        {12, 512},  // rules for types of atomics
	"frontend/wgsl/syntax":      {0, 0},     // classes of bytes
	"frontend/wgsl/overload":    {4, 256},
	"opt/analysis":              {0, 0},
	"opt":                       {20, 640}, // pipelines, copied from the passes of other files
	"codegen/rewrite":           {0, 0},
	"codegen/lower":             {28, 768},
	"codegen/guard":             {0, 0},
	"codegen/instrument":        {0, 0},
	"codegen/peephole":          {6, 160},
	"codegen/workaround/shared": {8, 192},
	"codegen/workaround/nvidia": {8, 192},
	"codegen/workaround/ptxas":  {4, 96},
	"codegen/workaround":        {0, 0}, // the table, whose passes are other packages'
	"codegen":                   {8, 2048},
	"codegen/amdgpu/isa":        {4, 128}, // what makes its table when it is asked for
	// names of the machine's own operations, copies of passes
	"codegen/amdgpu":     {32, 1024},
	"codegen/cpu":        {36, 1536}, // targets: pipelines of other packages' passes
	"codegen/cpu/vector": {0, 0},     // what the processor has
	"codegen/cpu/jit":    {40, 8192}, // names of registers and constants that rows use
	// the CPU target with the listing that package native makes
	"codegen/all":                   {4, 512},
	"runtime/execmem":               {4, 256},
	"ir/counters":                   {0, 0},
	"codegen/msl":                   {16, 1024},
	"codegen/ptx":                   {32, 3072},
	"codegen/ptx/listing":           {4, 256}, // what makes its tables when they are asked for
	"codegen/spirv":                 {24, 1024},
	"codegen/wgsl":                  {8, 160},
	"frontend/gokernel":             {24, 2048}, // flags of packages that it imports
	"frontend/gokernel/kernelcheck": {2, 64},    // the analyzer's list of facts
	// other packages' errors under its own names, what makes its tables when they are asked for
	"runtime/gpu": {4, 256},
	// of tests alone: it turns the cache of compiled kernels off
	"internal/testmode": {2, 64},
}

// TestStart bounds what a process does before main by what the runtime counts, and not by
// the time that it takes.
func TestStart(t *testing.T) {
	const module = "github.com/gpuc/gpuc/"
	if testing.CoverMode() != "" {
		t.Skip("skipped: -cover adds to the start of every package; this runs without -cover")
	}
	program, err := os.Executable()
	if err != nil {
		t.Skip("skipped: the test finds no path to its own program: ", err)
	}
	c := exec.Command(program, "-test.run=^$")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, trace)
	}
	seen := 0
	for line := range strings.Lines(string(trace)) {
		name, counts, found := strings.Cut(line, " @")
		name, ours := strings.CutPrefix(name, "init "+module)
		if !found || !ours || name == "cmd/gpuc" { // with the tests' own variables
			continue
		}
		var at, clock float64
		var bytes, allocations int
		if _, err := fmt.Sscanf(counts, "%f ms, %f ms clock, %d bytes, %d allocs", &at, &clock, &bytes, &allocations); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		seen++
		switch bound, expected := initialised[name]; {
		case !expected:
			t.Errorf("package %s does something at each start: %s", name, strings.TrimSpace(line))
		case allocations > bound.allocations || bytes > bound.bytes:
			t.Errorf("package %s allocates %d times and %d bytes at each start, the bounds are %d and %d", name, allocations, bytes, bound.allocations, bound.bytes)
		}
	}
	if seen < len(initialised)/2 {
		t.Errorf("the trace tells of %d packages, want about %d:\n%s", seen, len(initialised), trace)
	}
}
