package ptx

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file predicates the stores of blocks that only store, and removes the branch around them
// (if-conversion):
//
//	@!%p bra L; st [a], x; L:  ─►  @%p st [a], x;
//
// Robust access makes such a block of each store. The address is computed whether the guard holds
// or not. After a branch, the assembler would load the buffer's address again for each store.

// minGuards is how many such blocks a function has to have. With fewer, computing addresses
// ahead of the branch costs as much as loading those of buffers again.
const minGuards = 4

// maxGuarded is how many instructions besides the stores are worth executing speculatively.
const maxGuarded = 4

// computesAddress has the operations that compute an address. They are cheap and harmless on any
// operands.
var computesAddress = [mir.MachineOps]bool{
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
	e.guarding = found >= minGuards
}

// guards reports whether a block ends in a branch around the next one in the text, which only
// stores and joins the branch's other edge. A guard can then replace the branch. holds is the value
// of the branch's operand that lets the block store.
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
		case o == multiplyAdd || o < mir.MachineOps && computesAddress[o]:
			others++
		default:
			return false, false
		}
	}
	return holds, stores > 0 && others <= maxGuarded
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
