// Package mesa has the workarounds for Mesa's Vulkan drivers.
package mesa

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// EndAbsentLanes is workaround mesa-absent-lanes. It ends lanes without an invocation at the start
// of kernels with loops:
//
//	if local_invocation_index >= 24u || local_invocation_id.x >= 12u || … { return }
//
// llvmpipe (Mesa 22.3) runs eight invocations along x at a time. If the workgroup's size along x is
// no multiple of that, the other lanes run the loops too, on undefined values. One that finds no
// exit uses up the 65,536 iterations that the driver grants to all loops together. Every later loop
// of the kernel then ends after one iteration. The condition is false for every invocation that
// exists. Kernels without loops, and other sizes, stay as they are.
var EndAbsentLanes = opt.Pass{
	Name:  "mesa-absent-lanes",
	Doc:   "end lanes without an invocation before they reach a loop",
	Needs: ir.Bound,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if f.Kernel {
				endLanes(m, f)
			}
		}
	},
}

// lanes is the number of invocations that llvmpipe packs, or a multiple of it.
const lanes = 8

func endLanes(m *ir.Module, f *ir.Func) {
	count := uint32(1)
	for _, size := range f.Workgroup {
		count *= uint32(m.ConstBits(size))
	}
	if uint32(m.ConstBits(f.Workgroup[0]))%lanes == 0 || !hasLoops(m) {
		return
	}
	b := ir.NewBuilder(f)
	b.SetBefore(rewrite.AfterVars(f))
	b.Span = f.Span
	// The driver folds a component of the id to 0 where the size is 1. If all sizes are 1, only
	// the index is out of range. Elsewhere the index may be that of another invocation. For sizes
	// of 1 by more than 1 neither test works, and the fault remains.
	absent := b.Op(op.Ge, rewrite.Builtin(f, ir.LocalInvocationIndex, "local_index"), m.ConstU32(count))
	for n, size := range f.Workgroup {
		if m.ConstBits(size) > 1 {
			id := rewrite.Builtin(f, ir.LocalInvocationID, "local_id")
			absent = b.Op(op.Or, absent, b.Op(op.Ge, b.Extract(id, uint32(n)), size))
		}
	}
	branch := b.If(absent)
	b.SetBlock(f.Region(branch, 0))
	b.Return(ir.NoValue)
	b.SetBlock(f.Region(branch, 1))
	b.Exit(branch)
}

func hasLoops(m *ir.Module) bool {
	return slices.ContainsFunc(m.Funcs, func(f *ir.Func) bool {
		if f.Had(&rewrite.Loops) {
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				if f.Op(i) == op.Loop {
					return true
				}
			}
		}
		return false
	})
}
