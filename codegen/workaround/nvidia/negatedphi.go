package nvidia

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// PairNegatedPhi carries beside a number that a loop negates its opposite, and has them change
// places:
//
//	loop ^l (%k = %a) {               loop ^l (%k = %a, %o = neg %a) {
//	  %n = neg %k               ─►      …
//	  … next ^l(%n)                     … next ^l(%o, %k)
//
// With numbers that it knows NVIDIA's Vulkan driver (580) takes such a loop for one that
// never ends: `var k = 0x7fffffff; loop { …; k = -k; continuing { break if k < 0; } }`. The
// form of the negation and of the test, and hints against unrolling, change nothing.
var PairNegatedPhi = opt.Pass{
	Name:  "nv-negated-phi",
	Doc:   "have a number that a loop negates and its opposite change places",
	Needs: ir.Structured,
	Run: func(c *opt.Context, m *ir.Module) {
		o := opt.Scratch[negatedPhis](c, "nv-negated-phi")
		for _, f := range m.Funcs {
			if f.Had(&rewrite.Loops) && f.Had(&negation) {
				o.function(f)
			}
		}
	},
}

var negation = op.SetOf(op.Neg)

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
			o.loop(f, i)
		}
	}
	f.ApplyReplacements()
}

// loop gives a loop a parameter for the opposite of each that it negates.
func (o *negatedPhis) loop(f *ir.Func, loop ir.Inst) {
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
		opposite := f.AddLoopParam(loop, start)
		at := len(f.Params(body)) - 1 // its operand's place
		args := f.Args(next)
		o.args = append(append(append(o.args[:0], args[:at]...), p), args[at:]...)
		f.SetArgs(next, o.args...)
		f.Replace(f.Result(i), opposite)
		f.Remove(i)
	}
}
