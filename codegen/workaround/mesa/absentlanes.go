package mesa

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// EndAbsentLanes ends invocations that no workgroup has, in kernels with loops:
//
//	if local_invocation_index >= 24u || local_invocation_id.x >= 12u || … { return }
//
// No such invocation exists. But llvmpipe (Mesa 22.3) runs eight along x at a time, and
// where the workgroup's size there is no multiple of that, lanes without an invocation
// go through loops too. What they load is anything; one that finds no way out of a loop spends
// the 65,536 turns that the driver grants all loops together, and every later loop of
// the kernel then ends after one iteration. Devices whose lanes are switched off know that
// the condition is false, and other sizes and kernels stay as they are.
var EndAbsentLanes = opt.Pass{
	Name:  "mesa-absent-lanes",
	Doc:   "end lanes without an invocation before they come to loops",
	Needs: ir.Bound,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if f.Kernel {
				endAbsent(m, f)
			}
		}
	},
}

// lanes is how many invocations llvmpipe packs, or a multiple of it.
const lanes = 8

func endAbsent(m *ir.Module, f *ir.Func) {
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
	// the driver knows a component of the id to be 0 where the size is 1; if all are, the
	// index alone is too large, and elsewhere it may be another invocation's. Of
	// workgroups of 1 by more than 1 neither tells, and they stay wrong there
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
