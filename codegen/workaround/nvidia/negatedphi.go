package nvidia

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// PairNegatedPhi is workaround nv-negated-phi. A loop that negates a phi carries the negation in a
// second phi, and exchanges the two:
//
//	loop ^l (%k = %a) {               loop ^l (%k = %a, %o = neg %a) {
//	  %n = neg %k               ─►      …
//	  … next ^l(%n)                     … next ^l(%o, %k)
//
// NVIDIA's Vulkan driver (580) considers such a loop endless if it knows the initial value.
// An example is `var k = 0x7fffffff; loop { …; k = -k; continuing { break if k < 0; } }`. Other
// ways to write the negation or the test, and DontUnroll, do not help.
var PairNegatedPhi = opt.Pass{
	Name:  "nv-negated-phi",
	Doc:   "exchange a value and its negation instead of negating a loop's phi",
	Needs: ir.Structured,
	Run: func(c *opt.Context, m *ir.Module) {
		o := opt.Scratch[negatedPhis](c, "nv-negated-phi")
		for _, f := range m.Funcs {
			if f.Had(&rewrite.Loops) && f.Had(&negations) {
				o.function(f)
			}
		}
	},
}

var negations = op.SetOf(op.Neg)

type negatedPhis struct {
	b         ir.Builder
	continued analysis.Continued
	args      []ir.Value
}

func (o *negatedPhis) function(f *ir.Func) {
	o.b = ir.Builder{F: f, Folds: true}
	o.continued.Enter(f)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Loop {
			o.pair(f, i)
		}
	}
	f.ApplyReplacements()
}

// pair adds to a loop a parameter for the negation of each parameter that it negates.
func (o *negatedPhis) pair(f *ir.Func, loop ir.Inst) {
	body := f.Region(loop, 0)
	next := f.Terminator(f.Region(loop, 1))
	if next == 0 || f.Op(next) != op.Next {
		return
	}
	for n := range len(f.Params(body)) {
		p := f.Params(body)[n]
		after, _, _ := f.NextArgs(next)
		i, ok := f.Def(o.continued.Through(loop, after[n]))
		if !ok || f.Op(i) != op.Neg || f.Arg(i, 0) != p || !rewrite.IsInteger32(f, p) {
			continue
		}
		o.b.SetBefore(loop)
		o.b.Span = f.SpanOf(i)
		start := o.b.Op(op.Neg, f.Args(loop)[n])
		negation := f.AddLoopParam(loop, start)
		at := len(f.Params(body)) - 1 // the index of its operand
		args := f.Args(next)
		o.args = append(append(append(o.args[:0], args[:at]...), p), args[at:]...)
		f.SetArgs(next, o.args...)
		f.Replace(f.Result(i), negation)
		f.Remove(i)
	}
}
