package campaign

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// tiers are the ways of the CPU device, of which each leaves the same bits in strict mode.
var tiers = []string{"cpu:checked", "cpu:vector", "cpu:jit"}

// TestTiersAgree runs programs of whole workgroups in all tiers, and requires that all are counted:
// as compared, as left out, or as executed in a lower tier.
func TestTiersAgree(t *testing.T) {
	count := uint64(testmode.Count(10, 20, 150))
	for _, family := range []string{"", "workgroups"} {
		r, err := Run(Options{Ways: tiers, Family: family, Texts: []string{"robust,strict"}, First: 1, Count: count, Workers: 2,
			Silence: 2 * time.Minute, Reduced: 1, Patience: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		for n := range r.Failures {
			t.Errorf("%s\n%s", &r.Failures[n], r.Failures[n].ReducedCode)
		}
		out := uint64(0)
		for _, n := range r.Ways["cpu:checked"].LeftOut {
			out += n
		}
		if out > count/3 || r.Ways["cpu:checked"].Executions+out != count {
			t.Errorf("%q: the checked device ran %d of %d programs and left %d out", family, r.Ways["cpu:checked"].Executions, count, out)
		}
		if x := r.Ways["cpu:jit"]; x.Executions != count || x.Equal != count {
			t.Errorf("%q: %d executions in machine code, of which %d were held against other tiers", family, x.Executions, x.Equal)
		}
	}
}

// TestOtherBitsAreSeen spoils the sign of a zero, which the expectations of cases do not tell from
// another, in one tier.
func TestOtherBitsAreSeen(t *testing.T) {
	c := &difftest.Case{Code: "@group(0) @binding(0) var<storage, read_write> b: array<f32>;\n@compute @workgroup_size(1) fn main() { b[1] = 0; }",
		Entry: "main", Dispatch: [3]int{1, 1, 1}, Bindings: []difftest.Binding{{Name: "b", Kind: "storage", Data: make([]byte, 8), Want: make([]byte, 8),
			Floats: []difftest.FloatField{{}}, Stride: 4, Count: 2}}}
	var ways []*Way
	for _, name := range tiers[:2] {
		w, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		ways = append(ways, w)
	}
	honest := ways[1].execute
	ways[1].execute = func(a *abi.Artefact, c *difftest.Case, step func(string)) ([][]byte, error) {
		got, err := honest(a, c, step)
		got[0][7] = 0x80
		return got, err
	}
	for _, mode := range []opt.Math{opt.MathStrict, opt.MathWGSL} {
		list := []Configuration{{Math: mode}}
		agreed := make([]agreement, 1)
		l := line{}
		for _, w := range ways {
			w.runOne(c, list, &l, agreed, json.NewEncoder(io.Discard))
		}
		if mode != opt.MathStrict {
			if len(l.Failures) != 0 {
				t.Errorf("bits are compared outside of strict mode: %v", l.Failures)
			}
			continue
		}
		if len(l.Failures) != 1 || l.Failures[0].Beside != tiers[0] || l.Failures[0].Message != "b: byte 4: cpu:checked leaves 00 00 00 00, found 00 00 00 80" {
			t.Errorf("found %+v", l.Failures)
		}
		if err := together(ways, c, list[0]); err == nil {
			t.Error("who reduces does not see it")
		}
	}
}

// TestLowerTiers counts what machine code leaves to the vector engine, and programs that a way does
// not run.
func TestLowerTiers(t *testing.T) {
	if err := jit.Available(); err != nil {
		t.Skipf("skipped: there is no machine code here: %v", err)
	}
	w, err := Open("cpu:jit")
	if err != nil {
		t.Fatal(err)
	}
	c := &difftest.Case{Code: "enable subgroups;\n@group(0) @binding(0) var<storage, read_write> b: array<f32>;\n" +
		"@compute @workgroup_size(1) fn main() { b[0] = subgroupAdd(b[0]); }", Entry: "main", Dispatch: [3]int{1, 1, 1},
		Bindings: []difftest.Binding{{Name: "b", Kind: "storage", Data: make([]byte, 4), Want: make([]byte, 4)}}}
	l := line{}
	w.runOne(c, []Configuration{{}}, &l, make([]agreement, 1), json.NewEncoder(io.Discard))
	sum := tallies{}
	sum.add(l.Ways)
	sum.add(l.Ways)
	c.Subgroup = 64
	sum.of(w.Name).LeftOut[w.takes(c)]++
	var text bytes.Buffer
	sum.Write(&text)
	for _, part := range []string{"cpu:jit: 2 executions\n", "  1 programs are left out: they are right with subgroups of 64\n",
		"  2 executions are in a lower tier: jit: ", "reductions of floats, are for the vector engine (vector)\n"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("%q is missing in\n%s", part, text.String())
		}
	}
}
