package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

var extremes = op.SetOf(op.Min, op.Max, op.Clamp, op.Select)

type knownExtremes struct {
	r rewriter
	known
}

// selected returns the minimum or maximum that the selection in hand is, with its
// operands, or op.Select.
func (x *knownExtremes) selected() (op.Op, []ir.Value) {
	r := &x.r
	chosen, otherwise := r.x[1], r.x[2]
	i, ok := r.f.Def(r.x[0])
	if !ok {
		return op.Select, nil
	}
	greater := false
	switch r.f.Op(i) {
	case op.Gt, op.Ge:
		greater = true
	case op.Lt, op.Le:
	default:
		return op.Select, nil
	}
	a, b := r.f.Resolve(r.f.Arg(i, 0)), r.f.Resolve(r.f.Arg(i, 1))
	switch {
	case a == chosen && b == otherwise:
	case a == otherwise && b == chosen:
		greater = !greater
	default:
		return op.Select, nil
	}
	r.x[0], r.x[1] = a, b
	if greater {
		return op.Max, r.x[:2]
	}
	return op.Min, r.x[:2]
}
