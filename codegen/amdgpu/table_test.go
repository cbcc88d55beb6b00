package amdgpu_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/internal/amdgputest"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// TestRows executes every row and every conversion, and compares the results with package eval.
func TestRows(t *testing.T) {
	if missing := bench.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	target, err := amdgpu.Target.With("gfx1100")
	if err != nil {
		t.Fatal(err)
	}
	templates := amdgpu.TemplatesOf(opt.MathStrict)
	x, err := amdgputest.NewOperations(target, func(o op.Op, k scalar.Kind) bool { return templates[o][k] != "" })
	if err != nil {
		t.Fatal(err)
	}
	if err := bench.Run(x.Programs, x.Jobs); err != nil {
		t.Fatal(err)
	}
	compared, wrong := x.Compare()
	for _, w := range wrong {
		t.Error(w)
	}
	t.Logf("%d operations and conversions", compared)
	if compared < 200 {
		t.Errorf("%d operations are compared", compared)
	}
}

// elsewhere reports whether an operation needs no row. Functions translate it, legalisers express
// it by others, or the machine level does not have it.
func elsewhere(o op.Op) bool {
	switch {
	case o == op.Select, o == op.All, o == op.Any, o >= op.Convert && o <= op.ControlBarrier, o >= op.SubgroupElect && o < op.Call, o >= op.Call:
		return true
	case o >= op.Tan && o <= op.Exp, o == op.Log, o >= op.Pow && o <= op.FrexpExponent:
		return true // lower.Transcendental
	case o == op.Dot, o >= op.Dot4I8 && o <= op.Pack2x16Unorm, o >= op.Unpack4x8Snorm && o <= op.Unpack2x16Unorm:
		return true // lower.Scalarize and Polyfill
	}
	return false
}

// TestEveryOperationHasARow checks that each operation either has a row or needs none, in every
// mode.
func TestEveryOperationHasARow(t *testing.T) {
	for _, mode := range []opt.Math{opt.MathWGSL, opt.MathStrict, opt.MathFast} {
		templates := amdgpu.TemplatesOf(mode)
		for o := op.Neg; o < op.Count; o++ {
			has := false
			for k := range scalar.Count {
				has = has || templates[o][k] != ""
			}
			if has == elsewhere(o) {
				t.Errorf("%s: it has a row: %v; it needs none: %v", o, has, elsewhere(o))
			}
		}
	}
}
