package nvidia

import (
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// MergeNestedReturns is workaround nv-return-in-loop. It merges the returns of a function
// (lower.ReturnOnce; Tint: MergeReturn) if one is in a nested loop. NVIDIA's Vulkan driver (580)
// ended with a segmentation fault on
//
//	for (var k = 1u; k != 0u; k++) {
//	  loop { …; if c { continue; } return; continuing { break if d; } }
//	}
//
// with and without hints against unrolling. Leaving both loops by breaks is right.
var MergeNestedReturns = opt.Pass{
	Name: "nv-return-in-loop",
	Doc:  "merge the returns of functions that return from a nested loop",
	// an exit that replaces a return leaves two loops
	Breaks: ir.SingleLevelExits,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if f.Had(&rewrite.Loops) && returnsInLoops(f) {
				lower.ReturnOnce(f)
			}
		}
	},
}

// returnsInLoops reports whether a function returns from a nested loop.
func returnsInLoops(f *ir.Func) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Return {
			continue
		}
		depth := 0
		for owner := f.Parent(f.BlockOf(i)); owner != 0; owner = f.Parent(f.BlockOf(owner)) {
			if f.Op(owner) == op.Loop {
				depth++
			}
		}
		if depth > 1 {
			return true
		}
	}
	return false
}
