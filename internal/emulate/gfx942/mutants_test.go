package gfx942

import (
	"regexp"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
)

// mutants are mistakes that the target could make, as changes of a kernel's text, with the case
// that must detect each.
var mutants = []struct{ name, c, pattern, replacement string }{
	{"barriers are left out", "scan_inclusive", `\tcall void @llvm\.amdgcn\.s\.barrier\(\)\n`, ""},
	{"barriers are left out", "sort_bitonic", `\tcall void @llvm\.amdgcn\.s\.barrier\(\)\n`, ""},
	{"barriers are left out", "matmul_tiled", `\tcall void @llvm\.amdgcn\.s\.barrier\(\)\n`, ""},
	{"operands of a subtraction are swapped", "integer_arithmetic", `= sub i32 (%\w+), (%?\w+)`, "= sub i32 $2, $1"},
	{"operands of a subtraction are swapped", "mandelbrot", `= fsub( contract)? float (%\w+), (%?\w+)`, "= fsub float $3, $2"},
	{"operands of a shift are swapped", "sha256", `= shl i32 (%\w+), (%?\w+)`, "= shl i32 $2, $1"},
	{"a shift is arithmetic", "sha256", `= lshr i32`, "= ashr i32"},
	{"a comparison includes equality", "prime_sieve", `icmp ult`, "icmp ule"},
	{"a comparison is signed", "integer_arithmetic", `icmp ult`, "icmp slt"},
	{"additions are subtractions", "atomics", `atomicrmw add`, "atomicrmw sub"},
	{"an atomic operation is none", "histogram", `%\w+ = atomicrmw add ptr addrspace\(3\) (%\w+), i32 (%?\w+).*`, "store i32 $2, ptr addrspace(3) $1, align 4"},
	{"a minimum is signed", "integer_arithmetic", `call i32 @llvm\.umin\.i32`, "call i32 @llvm.smin.i32"},
	{"a product is a sum", "nbody", `fmul( contract)? float`, "fadd float"},
	{"the sides of a choice are swapped", "language_short_circuit", `select i1 (%\w+), (.*), (.*)`, "select i1 $1, $3, $2"},
	{"the sides of a branch are swapped", "collatz", `br i1 (%\w+), label (%\w+), label (%\w+)`, "br i1 $1, label $3, label $2"},
	{"another dimension's number", "saxpy", `call i32 @llvm\.amdgcn\.workgroup\.id\.x`, "call i32 @llvm.amdgcn.workgroup.id.y"},
	{"a lane's number is another's", "subgroup_reduce", `@llvm\.amdgcn\.mbcnt\.lo\(i32 -1`, "@llvm.amdgcn.mbcnt.lo(i32 -2"},
	{"a conversion is signed", "convert_numbers", `uitofp`, "sitofp"},
	{"an extension is signed", "language_booleans", `zext i1`, "sext i1"},
	{"addresses are of the next element", "saxpy", `store float (%\w+), ptr addrspace\(1\) (%\w+)`, "%next = getelementptr i8, ptr addrspace(1) $2, i64 4\n\tstore float $1, ptr addrspace(1) %next"},
}

// TestMutants executes the mutants under two schedules of waves.
func TestMutants(t *testing.T) {
	needTools(t)
	cases := exectest.Cases()
	var runs []*caseRun
	var programs []bench.Program
	for _, m := range mutants {
		n := slices.IndexFunc(cases, func(c exectest.Case) bool { return c.Name == m.c })
		if n < 0 {
			t.Fatalf("there is no case %s", m.c)
		}
		x := compileCase(t, &cases[n], m.name, codegen.Options{}, 0, false)
		pattern := regexp.MustCompile(m.pattern)
		changed := 0
		for k := range x.programs {
			p := &x.programs[k]
			changed += len(pattern.FindAllIndex(p.Code, -1))
			p.Code = pattern.ReplaceAll(p.Code, []byte(m.replacement))
		}
		if changed == 0 {
			t.Errorf("%s: nothing in %s matches %s", m.name, m.c, m.pattern)
			continue
		}
		runs = append(runs, x)
		programs = append(programs, x.programs...)
	}
	assembled, err := bench.Assemble(profile, programs)
	if err != nil {
		t.Fatal(err)
	}
	object, err := Load(assembled.Data)
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	for _, x := range runs {
		var total counts
		found := x.run(object, first, &total)
		if found == nil {
			x.timeSlice, x.backwards = 5, true
			found = x.run(object, first, &total)
		}
		if found == nil {
			t.Errorf("%s: not found", x.name)
		}
		first += len(x.programs)
	}
	t.Logf("%d faults in %d kernels", len(runs), len(programs))
}
