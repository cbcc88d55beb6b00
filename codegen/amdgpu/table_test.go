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

// This file holds the table against what operations mean, and against the list of operations.

// TestRows runs every row and every conversion.
func TestRows(t *testing.T) {
	if missing := bench.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	target, err := amdgpu.Target.With("gfx1100")
	if err != nil {
		t.Fatal(err)
	}
	forms := amdgpu.FormsOf(opt.MathStrict)
	x, err := amdgputest.NewOperations(target, func(o op.Op, k scalar.Kind) bool { return forms[o][k] != "" })
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

// elsewhere are the operations that the table need not have: those that are printed by functions of
// their own, that legalisers express by others, or that the machine level does not have.
func elsewhere(o op.Op) bool {
	switch {
	case o == op.Select, o == op.All, o == op.Any, o >= op.Convert && o <= op.ControlBarrier, o >= op.SubgroupElect && o < op.Call, o >= op.Call:
		return true
	case o >= op.Tan && o <= op.Exp, o == op.Log, o >= op.Pow && o <= op.FrexpExponent: // lower.Transcendental
		return true
	case o == op.Dot, o >= op.Dot4I8 && o <= op.Pack2x16Unorm, o >= op.Unpack4x8Snorm && o <= op.Unpack2x16Unorm: // Scalarise and Polyfill
		return true
	}
	return false
}

// TestEveryOperationHasARow names operations that neither the table nor anything else has, in any
// mode.
func TestEveryOperationHasARow(t *testing.T) {
	for _, mode := range []opt.Math{opt.MathWGSL, opt.MathStrict, opt.MathFast} {
		forms := amdgpu.FormsOf(mode)
		for o := op.Neg; o < op.Count; o++ {
			has := false
			for k := range scalar.Count {
				has = has || forms[o][k] != ""
			}
			if has == elsewhere(o) {
				t.Errorf("%s: a row is there: %v, and it is written elsewhere: %v", o, has, elsewhere(o))
			}
		}
	}
}
