package amdgpu_test

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"
	"github.com/gpuc/gpuc/internal/testmode"
)

// TestVerifierFindsMutants removes each wait, each s_nop and each instruction that parks, resumes
// or clears lanes, one at a time: the verifier finds each. Of kernels with many of them it takes
// some, since each costs a look at the whole kernel.
func TestVerifierFindsMutants(t *testing.T) {
	testmode.LongPart(t, 2)
	const most = 24 // of a kernel
	found := map[string]int{}
	eachDirect(t, "gfx942", func(entry string, r *machine.Result) {
		code := *r.Checked
		if err := verify.Check(&code); err != nil {
			t.Errorf("%s: %v", entry, err)
		}
		tried := 0
		for at, i := range code.Instructions {
			if (at+1)*most/len(code.Instructions) <= tried { // the next is further on
				continue
			}
			var what string
			mutant := code
			switch {
			case i.Op == isa.SWaitcnt:
				what = "waits"
				mutant.Instructions = slices.Clone(code.Instructions)
				mutant.Instructions[at] = isa.Instruction{Op: isa.SNop}
			case i.Op == isa.SNop:
				what = "nops"
				mutant = without(&code, at)
			case code.Roles[at] == verify.Park || code.Roles[at] == verify.Resume || code.Roles[at] == verify.Clear:
				what = "lanes"
				mutant = without(&code, at)
			default:
				continue
			}
			tried++
			found[what]++
			if verify.Check(&mutant) == nil {
				t.Errorf("%s: without instruction %d, %s, nothing is found", entry, at, i.Op)
			}
		}
	})
	t.Logf("mutants found: %v", found)
	if found["waits"] < 500 || found["nops"] < 100 || found["lanes"] < 500 {
		t.Error("these are too few to say anything")
	}
}

// without returns code without an instruction.
func without(c *verify.Code, at int) verify.Code {
	m := *c
	m.Instructions = slices.Delete(slices.Clone(c.Instructions), at, at+1)
	m.Roles = slices.Delete(slices.Clone(c.Roles), at, at+1)
	m.Targets = slices.Delete(slices.Clone(c.Targets), at, at+1)
	for n := range m.Targets {
		if m.Targets[n] > at {
			m.Targets[n]--
		}
	}
	return m
}
