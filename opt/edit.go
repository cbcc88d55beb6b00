package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file holds what several passes do to a function.

// resized returns a slice of n zero elements that reuses the memory of s.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

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

// finish rewrites all operands after a pass's replacements. A replacement may
// have made an index constant that lies outside of its variable, which the IR
// forbids: it then becomes the last index, as robust access may choose.
func finish(f *ir.Func) {
	f.ApplyReplacements()
	clampBlock(f, f.Entry)
}

func clampBlock(f *ir.Func, b ir.Block) {
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); o {
		case op.Access:
			t := f.Module.Element(f.TypeOf(f.Arg(i, 0)))
			for n := 1; n < len(f.Args(i)); n++ {
				t = clampIndex(f, i, n, t)
			}
		case op.Extract:
			clampIndex(f, i, 1, f.TypeOf(f.Arg(i, 0)))
		case op.Insert:
			clampIndex(f, i, 2, f.TypeOf(f.Arg(i, 0)))
		default:
			if o.Is(op.Control) {
				for _, inner := range f.Blocks(i) {
					clampBlock(f, ir.Block(inner))
				}
			}
		}
	}
}

// clampIndex brings operand n, an index into a value of type t, into range if it
// is constant, and returns the type of the part.
func clampIndex(f *ir.Func, i ir.Inst, n int, t ir.Type) ir.Type {
	m := f.Module
	index := f.Arg(i, n)
	if !index.IsConst() {
		return m.PartType(t, 0)
	}
	x, positive := m.ConstUint(index)
	count, known := m.Count(t)
	if known && (!positive || x >= uint64(count)) && count > 0 {
		x = uint64(count - 1)
		f.SetArg(i, n, m.ConstInt(m.TypeOf(index), int64(x)))
	}
	return m.PartType(t, uint32(x))
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
