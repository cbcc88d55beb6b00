package ptxas

import (
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// MergeCalleeReturns has functions that are called return at their end only:
//
//	if ^i %c { return 1u } …           %r = scope ^s { if ^i %c { exit ^s(1u) } …
//	return %x                  ─►        exit ^s(%x) }
//	                                   return %r
//
// ptxas (12.9 to 13.5) gave one uniform register to two values of a function with two
// returns: the address of workgroup memory that one side of a divergent branch needed,
// and a length that the other side loaded. A warp runs both sides, and the one that came
// second wrote elsewhere. With one return each value has its own.
var MergeCalleeReturns = opt.Pass{
	Name: "ptxas-multi-return",
	Doc:  "have functions return at their end only",
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if !f.Kernel && returnsBefore(f) {
				lower.ReturnOnce(f)
			}
		}
	},
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
