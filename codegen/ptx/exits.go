package ptx

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file prints exits of a kernel after a branch (workaround.PTXASLateExit). Invocations that
// have had no visible effect since the branch leave through a block that triggers a performance
// event, which changes nothing:
//
//	ret;  ─►  bra L;  ...  L: pmevent 0; ret;
//
// All others return directly. They are in a side of a branch that only returns, as in
// `if (id.x >= n) { return; }`, those behind such a branch, and those that have stored.

// findQuiet finds the blocks at which the kernel has had no visible effect since a branch.
func (e *emitter) findQuiet() {
	f := e.f
	e.quiet, e.acts = grown(e.quiet, f.Blocks()), grown(e.acts, f.Blocks())
	e.lateExit = 0
	if !e.Workarounds.Has(workaround.PTXASLateExit) || !e.source.Kernel || !e.branches() {
		return
	}
	for _, b := range f.Order {
		e.acts[b] = e.isSeen(b)
	}
	// repeat, since back edges reach blocks that were already visited
	for changed := true; changed; {
		changed = false
		for _, b := range f.Order {
			edges := f.Edges(f.Last(b))
			for n, x := range edges {
				// where one side leaves at once, the other is the rest of the kernel
				parts := len(edges) == 2 && !e.returns(edges[1-n].To)
				if (parts || e.quiet[b]) && !e.acts[x.To] && !e.quiet[x.To] {
					e.quiet[x.To], changed = true, true
				}
			}
		}
	}
}

// isSeen reports whether a block has an effect that other invocations can see.
func (e *emitter) isSeen(b mir.Block) bool {
	f := e.f
	for i := f.First(b); i != f.Last(b); i = f.Next(i) {
		switch o := f.Op(i); {
		case o >= mir.Join || o == mir.Op(op.Call) || !op.Op(o).Writes():
		case o != mir.Op(op.Store):
			return true
		default:
			if space := f.Memory(i).Space; space != ir.Function && space != ir.Private {
				return true
			}
		}
	}
	return false
}

// leaves prints a return from the current block: directly, or by a jump to the late exit.
func (e *emitter) leaves() {
	if !e.quiet[e.current] {
		e.text("ret;\n")
		return
	}
	if e.lateExit == 0 {
		e.lateExit = e.newLabel()
	}
	e.text("bra ")
	e.labelName(e.lateExit)
	e.text(";\n")
}

// printLateExit prints the block through which such invocations leave, if there are any.
func (e *emitter) printLateExit() {
	if e.lateExit != 0 {
		e.mark(e.lateExit)
		e.text("\tpmevent 0;\n\tret;\n")
	}
}
