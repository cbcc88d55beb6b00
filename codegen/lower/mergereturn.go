package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// ReturnOnce merges the returns of a function (Tint: MergeReturn). The body becomes a scope, which
// returns leave with the result.
func ReturnOnce(f *ir.Func) {
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
