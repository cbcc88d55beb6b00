package shared

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

var MinMaxOps = op.SetOf(op.Min, op.Max, op.Clamp, op.Select)

type MinMax struct {
	R rewrite.Rewriter
	LateConstants
}

// Selected returns the minimum or maximum that the selection in hand is, with its
// operands, or op.Select.
func (x *MinMax) Selected() (op.Op, []ir.Value) {
	r := &x.R
	chosen, otherwise := r.X[1], r.X[2]
	i, ok := r.F.Def(r.X[0])
	if !ok {
		return op.Select, nil
	}
	greater := false
	switch r.F.Op(i) {
	case op.Gt, op.Ge:
		greater = true
	case op.Lt, op.Le:
	default:
		return op.Select, nil
	}
	a, b := r.F.Resolve(r.F.Arg(i, 0)), r.F.Resolve(r.F.Arg(i, 1))
	switch {
	case a == chosen && b == otherwise:
	case a == otherwise && b == chosen:
		greater = !greater
	default:
		return op.Select, nil
	}
	r.X[0], r.X[1] = a, b
	if greater {
		return op.Max, r.X[:2]
	}
	return op.Min, r.X[:2]
}
