package shared

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// MinMaxOps are min, max, and what may be one of them.
var MinMaxOps = op.SetOf(op.Min, op.Max, op.Clamp, op.Select)

// MinMax is the state of passes that rewrite min and max of values that may become constant late.
type MinMax struct {
	R rewrite.Rewriter
	lateConstants
}

// Selected matches the current select, such as select(a < b, a, b), as a min or max. It returns the
// operation and its operands, or op.Select if it is neither.
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
