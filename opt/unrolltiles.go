package opt

import "github.com/gpuc/gpuc/ir"

// maxElements bounds the iterations of a loop that UnrollWhere unrolls.
const maxElements = 1 << 10

// UnrollWhere fully unrolls the loops of a function with a known trip count that a predicate holds
// for, whatever their size. It is for loops over what has to be in registers.
func UnrollWhere(c *Context, m *ir.Module, f *ir.Func, wanted func(loop ir.Inst) bool) {
	u := Scratch[unroller](c, "unroll")
	u.enterFunction(m, f)
	u.findUpTo(maxElements, true)
	for n := len(u.loops) - 1; n >= 0; n-- { // from inside
		if l := &u.loops[n]; len(l.within) == 0 && wanted(l.loop) {
			u.unroll(l)
		}
	}
	f.ApplyReplacements()
}
