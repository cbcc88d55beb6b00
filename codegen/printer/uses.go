package printer

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file counts, before a function is printed, how often the text of each value will occur in
// it. Accesses are always written where they are used, and so their indices are written as often.

// Usage is what is known of a function's values and instructions.
type Usage struct {
	Count []uint32  // by value: how often its text occurs
	User  []ir.Inst // by value: the instruction that uses it, the first in the text
	last  []uint32  // by value: the order of the last instruction that it may still be written in
	order []uint32  // by instruction: its position in the text, from 1
	Dead  []bool    // by instruction: nothing uses its result
	loop  []ir.Inst // by block: the innermost loop around it
	walk  []ir.Inst
}

// Removable tells the operations that do nothing but give a result.
func Removable(o op.Op) bool {
	return !o.Writes() && !o.Is(op.Terminator|op.Control) && o != op.Var
}

// isStatement tells the operations that are written at their position, and not where their result
// is used.
func isStatement(o op.Op) bool {
	return o == op.Insert || op.Fragments.Has(o) && o != op.FragmentSplat
}

func (u *Usage) analyse(f *ir.Func) {
	values, insts := f.ValueCount(), f.InstCount()
	u.Count, u.User, u.last = ir.Zeroed(u.Count, values), ir.Zeroed(u.User, values), ir.Zeroed(u.last, values)
	u.order, u.Dead, u.loop = ir.Zeroed(u.order, insts), ir.Zeroed(u.Dead, insts), ir.Zeroed(u.loop, f.BlockCount())
	u.walk = u.walk[:0]
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		u.walk = append(u.walk, i)
		u.order[i] = uint32(len(u.walk))
		if f.Op(i).Is(op.Control) {
			around := u.loop[f.BlockOf(i)]
			if f.Op(i) == op.Loop {
				around = i
			}
			for _, b := range f.Blocks(i) {
				u.loop[b] = around
			}
		}
	}
	for n := len(u.walk) - 1; n >= 0; n-- { // users before what they use
		u.uses(f, u.walk[n])
	}
}

func (u *Usage) uses(f *ir.Func, i ir.Inst) {
	o, r := f.Op(i), f.Result(i)
	weight, last := uint32(1), u.order[i]
	if Removable(o) && r != 0 {
		if u.Count[r] == 0 {
			u.Dead[i] = true
			return
		}
		if o == op.Access {
			weight = u.Count[r]
		}
		if !isStatement(o) {
			last = max(last, u.last[r])
		}
	}
	for _, a := range f.Args(i) {
		if a.IsLocal() {
			u.Count[a] += weight
			u.User[a] = i
			u.last[a] = max(u.last[a], last)
		}
	}
}
