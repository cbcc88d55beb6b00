package msl

import (
	"testing"

	"github.com/gpuc/gpuc/ir/op"
)

// TestEveryOperationHasARow holds the table against the operations: one without a row is written
// elsewhere, or refused.
func TestEveryOperationHasARow(t *testing.T) {
	for o := op.Neg; o < op.Count; o++ {
		r := &table[o]
		elsewhere := o >= op.Var && o <= op.ControlBarrier || o >= op.Print || o == op.Insert || textureOperations[o] != nil
		if has := r.emit != nil || r.function != "" || r.operator != "" || r.helper != "" || r.polyfill; has == elsewhere {
			t.Errorf("%s: a row is there: %v, and it is written elsewhere: %v", o, has, elsewhere)
		}
		if r.helper != "" && (r.operands == 0 || r.helps == nil || r.formula == "" && r.formulaOf == nil) {
			t.Errorf("%s: its helper has no formula, no operands or no types", o)
		}
	}
}

// TestPolyfilled: what the table leaves to the legaliser is what the legaliser is asked for.
func TestPolyfilled(t *testing.T) {
	asked := map[op.Op]bool{}
	for _, o := range polyfilled {
		asked[o] = true
	}
	for o := range table {
		if table[o].polyfill != asked[op.Op(o)] {
			t.Errorf("%s is left to the legaliser: %v, which is asked for it: %v", op.Op(o), table[o].polyfill, asked[op.Op(o)])
		}
	}
}
