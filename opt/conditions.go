package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds the comparisons that hold at an instruction, for passes that look for bounds of a
// value. Unlike the intervals of analysis.Ranges, such bounds need not be constant.

// conditions calls tell with the comparisons x < y and x <= y that hold at an instruction. They
// come from the ifs around it, and from ifs before it of which a block does not lead after the if.
// It ends when tell returns true.
func conditions(f *ir.Func, at ir.Inst, tell func(o op.Op, x, y ir.Value) bool) {
	for i := at; i != 0; {
		for before := f.Prev(i); before != 0; before = f.Prev(before) {
			if f.Op(before) != op.If {
				continue
			}
			for n := range 2 {
				if !comesBehind(f, before, n) && tells(f, f.Arg(before, 0), n == 1, tell) {
					return
				}
			}
		}
		b := f.BlockOf(i)
		if i = f.Parent(b); i != 0 && f.Op(i) == op.If && tells(f, f.Arg(i, 0), b == f.Region(i, 0), tell) {
			return
		}
	}
}

// comesBehind reports whether a block of an if leads after the if.
func comesBehind(f *ir.Func, i ir.Inst, n int) bool {
	b := f.Region(i, n)
	for x := f.First(b); x != 0; x = f.After(x, b) {
		if f.Op(x) == op.Exit && f.Target(x) == i {
			return true
		}
	}
	return false
}

// tells calls tell with the comparisons that follow from a condition that holds, or does not. It
// reports whether tell returned true.
func tells(f *ir.Func, condition ir.Value, holds bool, tell func(o op.Op, x, y ir.Value) bool) bool {
	i, ok := f.Def(condition)
	if !ok {
		return false
	}
	switch o := f.Op(i); o {
	case op.Not:
		return tells(f, f.Arg(i, 0), !holds, tell)
	case op.And, op.Or:
		return holds == (o == op.And) && (tells(f, f.Arg(i, 0), holds, tell) || tells(f, f.Arg(i, 1), holds, tell))
	case op.Lt, op.Le, op.Gt, op.Ge:
		x, y := f.Arg(i, 0), f.Arg(i, 1)
		if t := f.TypeOf(x); t != ir.U32 && t != ir.I32 {
			return false
		}
		if o == op.Gt || o == op.Ge {
			x, y = y, x
		}
		strict := o == op.Lt || o == op.Gt
		if !holds { // x < y is false: y <= x
			x, y, strict = y, x, !strict
		}
		if strict {
			return tell(op.Lt, x, y)
		}
		return tell(op.Le, x, y)
	}
	return false
}
