package nvidia

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// BoundEndlessLoop counts the iterations of loops that nothing leaves, and returns after 2^32 - 1
// of them:
//
//	loop ^l {                         store %turns, 0u
//	  …                         ─►    loop ^l {
//	  next ^l()                         %n = load %turns
//	}                                   %last = eq %n, 0xffffffffu
//	unreachable                         if ^i %last { exit ^l() } else { exit ^i() }
//	                                    store %turns, add %n, 1u
//	                                    …
//	                                  }
//	                                  return
//
// NVIDIA's Vulkan driver (580) does not come to an end itself with some of them, whether they
// ever run or not, and ends with a segmentation fault on some branches that are
// OpUnreachable instead. WGSL lets an implementation end such a loop.
var BoundEndlessLoop = opt.Pass{
	Name: "nv-endless-loop",
	Doc:  "count the turns of loops that nothing leaves",
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if f.Had(&rewrite.Loops) {
				endless(f)
			}
		}
	},
}

func endless(f *ir.Func) {
	m := f.Module
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		end := f.Next(i)
		if f.Op(i) != op.Loop || end == 0 || f.Op(end) != op.Unreachable || isLeft(f, i) {
			continue
		}
		b := ir.NewBuilder(f)
		b.At(i)
		turns := b.Var(ir.U32, "turns")
		b.SetBefore(i)
		b.Store(turns, m.ConstU32(0))
		b.SetBefore(f.First(f.Region(i, 0)))
		count := b.Load(turns)
		test := b.If(b.Op(op.Eq, count, m.ConstU32(1<<32-1)))
		b.SetBlock(f.Region(test, 0))
		b.Exit(i, zeros(f, f.Results(i))...)
		b.SetBlock(f.Region(test, 1))
		b.Exit(test)
		b.SetBefore(f.Next(test))
		b.Store(turns, b.Op(op.Add, count, m.ConstU32(1)))
		if !continues(f, i) {
			b.SetBefore(end)
			result := ir.NoValue
			if f.ResultType != ir.Void {
				result = m.Zero(f.ResultType)
			}
			b.Return(result)
			f.Remove(end)
		}
	}
}

// isLeft reports whether anything leads out of a loop.
func isLeft(f *ir.Func, loop ir.Inst) bool {
	if next := f.Terminator(f.Region(loop, 1)); next != 0 && f.Op(next) == op.Next {
		if _, condition, _ := f.NextArgs(next); condition != ir.NoValue {
			return true
		}
	}
	exits, further := f.Leaves(loop)
	return exits || further
}

// zeros returns a zero for each of some values.
func zeros(f *ir.Func, values []ir.Value) (list []ir.Value) {
	for _, v := range values {
		list = append(list, f.Module.Zero(f.TypeOf(v)))
	}
	return list
}

// continues reports whether an instruction is in a continuing block, which no return leaves.
func continues(f *ir.Func, i ir.Inst) bool {
	for owner := f.Parent(f.BlockOf(i)); owner != 0; i, owner = owner, f.Parent(f.BlockOf(owner)) {
		if f.Op(owner) == op.Loop && f.BlockOf(i) == f.Region(owner, 1) {
			return true
		}
	}
	return false
}
