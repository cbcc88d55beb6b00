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
			if !f.Kernel && returnsBefore(f, f.Entry) {
				returnOnce(f)
			}
		}
	},
}

// returnsBefore reports whether a block of a function returns before the function's end.
func returnsBefore(f *ir.Func, b ir.Block) bool {
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Return && b != f.Entry:
			return true
		case o.Is(op.Control):
			for n := range f.Blocks(i) {
				if returnsBefore(f, f.Region(i, n)) {
					return true
				}
			}
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
	leaveInstead(f, body, scope)
	b.Return(result)
}

// leaveInstead makes the returns in a block exits of a scope.
func leaveInstead(f *ir.Func, b ir.Block, scope ir.Inst) {
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Return:
			f.SetOp(i, op.Exit)
			f.SetAux(i, uint32(scope))
		case o.Is(op.Control):
			for n := range f.Blocks(i) {
				leaveInstead(f, f.Region(i, n), scope)
			}
		}
	}
}
