package ptx_test

import (
	"regexp"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// sumOfConstants finds sums of two constants (see workaround.Choices).
var sumOfConstants = regexp.MustCompile(`(?m)^\s*(add|sub)\.\S*f(16|32|64) %\w+, 0[fd]\w+, 0[fd]\w+;`)

// TestSumsOfConstants checks that no sum of two constants is in the code, without passes either.
// Programs of the family rounding have hundreds.
func TestSumsOfConstants(t *testing.T) {
	if !sumOfConstants.MatchString("\tadd.rn.f32 %r2, 0f3F6D3750, 0fC1AC9326;") {
		t.Fatal("the pattern does not find what it is for")
	}
	var rounding func(seed uint64) *difftest.Case
	for _, f := range difftest.Families {
		if f.Name == "rounding" {
			rounding = f.Case
		}
	}
	for seed := range uint64(40) {
		c := rounding(seed)
		for _, v := range variants {
			set, list := new(source.Set), new(diag.List)
			file, err := set.Add(c.Name+".wgsl", c.Code)
			if err != nil {
				t.Fatal(err)
			}
			o := v.options
			m, err := frontend.Load(set, file, frontend.Options{Lower: lower.Options{Math: o.Math}}, list)
			if err != nil || m == nil {
				t.Fatalf("%s does not load: %v %v", c.Name, err, list.Items())
			}
			a := codegen.Compile(m, c.Entry, &ptx.Target, &o, list)
			if a == nil {
				t.Fatal(list.Items())
			}
			if found := sumOfConstants.Find(a.Code); found != nil {
				t.Errorf("%s, %s: %s", c.Name, v.name, found)
			}
		}
	}
}
