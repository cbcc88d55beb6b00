package nvidia

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// BoundEndlessLoop is workaround nv-endless-loop (Tint: PreventInfiniteLoops). It counts the
// iterations of loops without an exit, and returns after 2^32 - 1 of them:
//
//	loop ^l {                         store %iterations, 0u
//	  …                         ─►    loop ^l {
//	  next ^l()                         %n = load %iterations
//	}                                   %last = eq %n, 0xffffffffu
//	unreachable                         if ^i %last { exit ^l() } else { exit ^i() }
//	                                    store %iterations, add %n, 1u
//	                                    …
//	                                  }
//	                                  return
//
// NVIDIA's Vulkan driver (580) does not terminate on some of these loops, whether they ever run or
// not. On some branches that are OpUnreachable it ends with a segmentation fault. WGSL permits an
// implementation to end such a loop.
var BoundEndlessLoop = opt.Pass{
	Name: "nv-endless-loop",
	Doc:  "bound the iterations of loops without an exit",
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if f.Had(&rewrite.Loops) {
				boundLoops(f)
			}
		}
	},
}

func boundLoops(f *ir.Func) {
	m := f.Module
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		end := f.Next(i)
		if f.Op(i) != op.Loop || end == 0 || f.Op(end) != op.Unreachable || isLeft(f, i) {
			continue
		}
		b := ir.NewBuilder(f)
		b.At(i)
		iterations := b.Var(ir.U32, "iterations")
		b.SetBefore(i)
		b.Store(iterations, m.ConstU32(0))
		b.SetBefore(f.First(f.Region(i, 0)))
		count := b.Load(iterations)
		test := b.If(b.Op(op.Eq, count, m.ConstU32(1<<32-1)))
		b.SetBlock(f.Region(test, 0))
		b.Exit(i, zeros(f, f.Results(i))...)
		b.SetBlock(f.Region(test, 1))
		b.Exit(test)
		b.SetBefore(f.Next(test))
		b.Store(iterations, b.Op(op.Add, count, m.ConstU32(1)))
		if !isInContinuing(f, i) {
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

// isLeft reports whether a loop has an exit.
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

// isInContinuing reports whether an instruction is in a continuing block, which may not return.
func isInContinuing(f *ir.Func, i ir.Inst) bool {
	for owner := f.Parent(f.BlockOf(i)); owner != 0; i, owner = owner, f.Parent(f.BlockOf(owner)) {
		if f.Op(owner) == op.Loop && f.BlockOf(i) == f.Region(owner, 1) {
			return true
		}
	}
	return false
}
