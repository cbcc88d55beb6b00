package jit

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/opt"
)

// TestChecksOfLargeLaunches counts checks of bounds in the large-launch variant of kernels, where
// one comparison for a launch replaces those of all its accesses (opt.HostBounds). They are at most
// 5 % of the instructions, of the whole code and of the hottest loop, beside code that is made with
// bounds off.
func TestChecksOfLargeLaunches(t *testing.T) {
	for _, name := range [...]string{"saxpy", "reduce", "gemm", "gemm_tiled", "mandelbrot"} {
		m := module(t, "testdata/benchmarks/cpu/"+name+".wgsl", 0)
		count := func(o codegen.Options) (all, loop int) {
			p, _, err := compiled(t, m, "main", &o) // of the last form that is made
			if err != nil {
				t.Fatal(err)
			}
			code, err := Compile(p, Options{List: true})
			if err != nil {
				t.Fatal(err)
			}
			return size(code.List), iteration(code.List)
		}
		all, loop := count(codegen.Options{Coarse: true})
		offAll, offLoop := count(codegen.Options{Bounds: opt.BoundsOff})
		eachAll, eachLoop := count(codegen.Options{})
		t.Logf("%-10s  %d instructions, %d in an iteration of a loop; with bounds off %d, %d; with a check of each access %d, %d", name, all, loop, offAll, offLoop, eachAll, eachLoop)
		if all*100 > offAll*105 || loop*100 > offLoop*105 {
			t.Errorf("%s: %d instructions, %d in an iteration of its loop, and with bounds off %d and %d", name, all, loop, offAll, offLoop)
		}
		if eachAll <= offAll {
			t.Errorf("%s has no checks anyway", name)
		}
	}
}

// size is how many instructions there are.
func size(list []amd64.Instruction) (n int) {
	for k := range list {
		if list[k].Op != amd64.Mark {
			n++
		}
	}
	return n
}

// iteration is how many instructions there are from the beginning of the first innermost loop with
// arithmetic of floats to its end, 0 if there is none.
func iteration(list []amd64.Instruction) int {
	marks := map[int]int{}
	for n := range list {
		i := &list[n]
		if i.Op == amd64.Mark {
			marks[i.Operands[0].Number()] = n
			continue
		}
		if i.Op != amd64.Jmp && i.Op != amd64.Jcc {
			continue
		}
		if to, ok := marks[i.Operands[0].Number()]; ok {
			for k := to; k < n; k++ {
				if list[k].Op == amd64.VAddPS {
					return size(list[to : n+1])
				}
			}
		}
	}
	return 0
}
