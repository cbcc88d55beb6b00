package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Arguments hides the integers that calls pass and functions return as constants
// behind sums:
//
//	call @f, %p, 9u   ─►   %x = add 9u, 0u : u32
//	                       call @f, %p, %x
//
// Where a function is put into its caller, its indices would become constants, and
// the IR has none outside: they would be brought into range, and the fault that the
// source has would be gone before anything looks for it.
var Arguments = opt.Pass{
	Name:  "arguments",
	Doc:   "where accesses are reported, before inlining: hide the constants that calls pass",
	Keeps: ir.AsWritten,
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			b := ir.Builder{F: f}
			hideArguments(&b, f.Entry)
		}
	},
}

func hideArguments(b *ir.Builder, block ir.Block) {
	f := b.F
	for i := f.First(block); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Call, o == op.Return:
			for n, v := range f.Args(i) {
				if t := f.TypeOf(v); v.IsConst() && f.Module.IsScalar(t) && f.Module.ScalarOf(t).IsInteger() {
					b.SetBefore(i)
					b.Span = f.SpanOf(i)
					f.SetArg(i, n, b.Op(op.Add, v, f.Module.Zero(t)))
				}
			}
		case o.Is(op.Control):
			for n := range f.Blocks(i) {
				hideArguments(b, f.Region(i, n))
			}
		}
	}
}
