// Package ptxas has the workarounds for ptxas, NVIDIA's assembler.
package ptxas

import (
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// MergeCalleeReturns is workaround ptxas-multi-return. It merges the returns of functions that are
// called (lower.ReturnOnce; Tint: MergeReturn):
//
//	if ^i %c { return 1u } …           %r = scope ^s { if ^i %c { exit ^s(1u) } …
//	return %x                  ─►        exit ^s(%x) }
//	                                   return %r
//
// ptxas (12.9 to 13.5) assigns one uniform register to two values of a function with two returns.
// In one case these were an address of workgroup memory, which one side of a divergent branch
// needs, and a length that the other side loads. A warp runs both sides, and the second overwrites
// the value of the first. With one return each value has its own register.
var MergeCalleeReturns = opt.Pass{
	Name: "ptxas-multi-return",
	Doc:  "merge the returns of functions that are called",
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
