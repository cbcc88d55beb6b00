package ptx

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file prints blocks that only store as stores with a guard, `@%p st`, and no branch. Robust
// access makes one of each store. What leads to the place is computed whether the guard holds or
// not. Left behind a branch, ptxas (12.9) makes predicated instructions of the block, the load of
// the buffer's address from the parameters among them, which each store then has again: 64 stores
// to one buffer are 552 instructions and 40 registers for sm_90, and 488 and 32 so.

// fewestGuards is how many such blocks a function has to have: of a few, what is computed for the
// place ahead of the branch costs as much as the loads of addresses.
const fewestGuards = 4

// mostGuarded is how many instructions besides the stores are worth executing in vain.
const mostGuarded = 4

// computesPlace has the operations that lead to a place. They are cheap and harmless on any
// operands.
var computesPlace = [mir.MachineOps]bool{
	op.Add: true, op.Sub: true, op.Mul: true, op.Shl: true, op.Convert: true, mir.MulWide: true,
}

// findGuards finds out whether the function has guards.
func (e *emitter) findGuards() {
	e.entries = grown(e.entries, e.f.Blocks())
	for _, b := range e.f.Order {
		for _, x := range e.f.Edges(e.f.Last(b)) {
			e.entries[x.To]++
		}
	}
	found := 0
	for n, b := range e.order[:max(len(e.order)-1, 0)] {
		if _, ok := e.guards(b, e.order[n+1]); ok {
			found++
		}
	}
	e.guarding = found >= fewestGuards
}

// guards reports whether a block ends in a branch around the next one in the text, which stores and
// leads to where the branch does, so that a guard does instead, and where the branch's operand has
// the value that lets it store.
func (e *emitter) guards(b, next mir.Block) (holds, ok bool) {
	f := e.f
	last := f.Last(b)
	if f.Op(last) != mir.Branch || next == 0 || e.entries[next] != 1 || f.Op(f.Last(next)) != mir.Jump {
		return false, false
	}
	edges, behind := f.Edges(last), f.Edges(f.Last(next))[0]
	holds = edges[0].To == next
	other := edges[0]
	if holds {
		other = edges[1]
	}
	if !holds && edges[1].To != next || other.To != behind.To || e.returns(other.To) || slices.ContainsFunc(edges, e.passes) || e.passes(behind) {
		return false, false
	}
	stores, others := 0, 0
	for i := f.First(next); i != f.Last(next); i = f.Next(i) {
		switch o := f.Op(i); {
		case o == mir.Op(op.Store) && f.Memory(i).Space == ir.Storage:
			stores++
		case o == multiplyAdd || o < mir.MachineOps && computesPlace[o]:
			others++
		default:
			return false, false
		}
	}
	return holds, stores > 0 && others <= mostGuarded
}

// guarded begins an instruction that has the guard, if there is one.
func (e *emitter) guarded() {
	e.text("\t")
	if e.guard == mir.NoOperand {
		return
	}
	e.text("@")
	if !e.guardHolds {
		e.text("!")
	}
	e.name(e.guard)
	e.text(" ")
}
