package amdgpu_test

import (
	"os"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// eachDirect compiles the kernels that every device must run alike without LLVM.
func eachDirect(t *testing.T, profile string, use func(c *exectest.Case, entry string, r *machine.Result)) {
	cases := exectest.Cases()
	for n := range cases {
		c := &cases[n]
		if len(c.Textures) > 0 { // which the target refuses
			continue
		}
		text, err := os.ReadFile("../../" + c.File())
		if err != nil {
			t.Fatal(err)
		}
		var o codegen.Options
		if c.Strict {
			o.Math = opt.MathStrict
		}
		p, err := jit.Parse(c.Name+".wgsl", string(text), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Dispatches {
			o.Settings, o.Context = nil, &opt.Context{Verify: true}
			for _, s := range d.Overrides {
				o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
			}
			target, err := amdgpu.DirectTo(func(r *machine.Result) { use(c, d.Entry, r) }).With(profile)
			if err != nil {
				t.Fatal(err)
			}
			var list diag.List
			if codegen.Compile(p.Module(), d.Entry, target, &o, &list) == nil {
				t.Errorf("%s %s: %s", c.Name, d.Entry, list.Items()[0].Message)
			}
		}
	}
}

// TestVerifierFindsMutants takes away each wait, each pause and each instruction that moves lanes, one at a time: the verifier finds each.
func TestVerifierFindsMutants(t *testing.T) {
	found := map[string]int{}
	eachDirect(t, "gfx942", func(c *exectest.Case, entry string, r *machine.Result) {
		code := *r.Checked
		if err := verify.Check(&code); err != nil {
			t.Errorf("%s %s: %v", c.Name, entry, err)
		}
		for at, i := range code.Instructions {
			var what string
			mutant := code
			switch {
			case i.Op == isa.SWaitcnt:
				what = "waits"
				mutant.Instructions = slices.Clone(code.Instructions)
				mutant.Instructions[at] = isa.Instruction{Op: isa.SNop} // which takes as long
			case i.Op == isa.SNop:
				what = "pauses"
				mutant = without(&code, at)
			case code.Roles[at] == verify.Park || code.Roles[at] == verify.Admit:
				what = "lanes"
				mutant = without(&code, at)
			case code.Roles[at] == verify.Empty:
				what = "lanes"
				mutant = without(&code, at)
			default:
				continue
			}
			found[what]++
			if verify.Check(&mutant) == nil {
				t.Errorf("%s %s: without instruction %d, %s, nothing is found", c.Name, entry, at, i.Op)
			}
		}
	})
	t.Logf("mutants found: %v", found)
	if found["waits"] < 500 || found["pauses"] < 100 || found["lanes"] < 500 {
		t.Error("that are too few to say anything")
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
