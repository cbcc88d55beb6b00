package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// SingleReturns has functions that are called return at their end only:
//
//	if ^i %c { return 1u } …           %r = scope ^s { if ^i %c { exit ^s(1u) } …
//	return %x                  ─►        exit ^s(%x) }
//	                                   return %r
//
// ptxas (12.9 to 13.5) gave one uniform register to two values of a function with two
// returns: the address of workgroup memory that one side of a divergent branch needed,
// and a length that the other side loaded. A warp runs both sides, and the one that came
// second wrote elsewhere. With one return each value has its own.
var SingleReturns = opt.Pass{
	Name:  "singlereturns",
	Doc:   "have functions return at their end only",
	Gives: ir.SingleReturns,
	Keeps: ir.Uncounted | ir.Unchained,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if !f.Kernel && returnsBefore(f) {
				returnOnce(f)
			}
		}
	},
}

// UnloopedReturns has functions return at their end only if they return in a loop within
// a loop. NVIDIA's Vulkan driver (580) ended with a segmentation fault on
//
//	for (var k = 1u; k != 0u; k++) {
//	  loop { …; if c { continue; } return; continuing { break if d; } }
//	}
//
// whatever it was told about unrolling the outer loop. Where the inner loop is left by a
// break, and the outer one then by another, it is not.
var UnloopedReturns = opt.Pass{
	Name: "unloopedreturns",
	Doc:  "have functions return at their end only, if they return in a loop within a loop",
	// what was a return leaves two loops
	Breaks: ir.SingleLevelExits,
	Keeps:  ir.Uncounted | ir.Unchained,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if f.Had(&loops) && returnsInLoops(f) {
				returnOnce(f)
			}
		}
	},
}

// returnsInLoops reports whether a function returns in a loop within a loop.
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

// returnsBefore reports whether a function returns before its end.
func returnsBefore(f *ir.Func) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Return && f.BlockOf(i) != f.Entry {
			return true
		}
	}
	return false
}

// returnOnce puts what a function does into a scope, behind the variables.
func returnOnce(f *ir.Func) {
	span := f.SpanOf(f.Last(f.Entry))
	scope := f.NewScope(span)
	body := f.Region(scope, 0)
	f.MoveBlock(f.Entry, body)
	b := ir.NewBuilder(f)
	b.SetBlock(f.Entry)
	b.Span = span
	for i := f.First(body); f.Op(i) == op.Var; {
		next := f.Next(i)
		f.Unlink(i)
		b.Insert(i)
		i = next
	}
	b.Insert(scope)
	result := ir.NoValue
	if f.ResultType != ir.Void {
		result = f.AddResult(scope, f.ResultType)
	}
	for i := f.First(body); i != 0; i = f.After(i, body) {
		if f.Op(i) == op.Return {
			f.SetOp(i, op.Exit)
			f.SetAux(i, uint32(scope))
		}
	}
	b.Return(result)
}
