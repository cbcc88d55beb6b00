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

// truncate removes everything after an instruction that is never passed and
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

// setInBounds sets or clears InBounds of accesses that tests keep in range.
func setInBounds(f *ir.Func, accesses []ir.Inst, inRange bool) {
	for _, i := range accesses {
		flags := f.Flags(i) &^ ir.InBounds
		if inRange {
			flags |= ir.InBounds
		}
		f.SetFlags(i, flags)
	}
}
