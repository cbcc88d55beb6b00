package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file holds what several passes do to a function.

// rootOf returns the variable, global or parameter that a pointer leads back to.
func rootOf(f *ir.Func, pointer ir.Value) ir.Value {
	for {
		i, ok := f.Def(pointer)
		if !ok {
			return pointer
		}
		switch f.Op(i) {
		case op.Access, op.Address:
			pointer = f.Resolve(f.Arg(i, 0))
		default:
			return pointer
		}
	}
}

// truncate removes everything behind an instruction that is never passed and
// ends the block there.
func truncate(f *ir.Func, after ir.Inst) {
	b := f.BlockOf(after)
	if next := f.Next(after); next != 0 && f.Op(next) == op.Unreachable {
		return
	}
	span := f.SpanOf(after)
	for last := f.Last(b); last != after; last = f.Last(b) {
		span = f.SpanOf(last)
		f.Remove(last)
	}
	f.Append(b, f.NewInst(op.Unreachable, ir.Void, 0, span))
}

// isInside reports whether a loop defines a value, which then may differ from iteration to
// iteration.
func isInside(f *ir.Func, v ir.Value, loop ir.Inst) bool {
	if !v.IsLocal() {
		return false
	}
	for b := f.DefBlock(v); ; {
		owner := f.Parent(b)
		if owner == loop || owner == 0 {
			return owner != 0
		}
		b = f.BlockOf(owner)
	}
}
