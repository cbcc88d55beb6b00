package lower

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// rotateProducts rotates the loops that have products in them (LLVM: LoopRotate), whose test is at
// the start of the body:
//
//	loop {                     if test {
//	  if !test { exit }          loop {
//	  …                   ─►       …
//	  next                         next break_if !test
//	}                            }
//	                           }
//
// After the loop, and not where the other way joins, the kernel waits for the last product. The
// assembler would serialise products whose sums may come from another way.
func rotateProducts(m *ir.Module, f *ir.Func) {
	holds := make([]bool, f.InstCount())
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.TileMulAdd {
			for around := f.Parent(f.BlockOf(i)); around != 0; around = f.Parent(f.BlockOf(around)) {
				holds[around] = true
			}
		}
	}
	for i, held := range holds {
		if held && f.Op(ir.Inst(i)) == op.Loop {
			(&rotation{m: m, f: f, loop: ir.Inst(i)}).run()
		}
	}
}

// rotation rotates a loop.
type rotation struct {
	m    *ir.Module
	f    *ir.Func
	loop ir.Inst
	test ir.Inst // the first control instruction of the body
}

func (r *rotation) run() {
	f := r.f
	body, continuing := f.Region(r.loop, 0), f.Region(r.loop, 1)
	for r.test = f.First(body); r.test != 0 && f.Op(r.test).Pure(); r.test = f.Next(r.test) {
	}
	next := f.Terminator(continuing)
	if r.test == 0 || f.Op(r.test) != op.If || next == 0 || f.Op(next) != op.Next || len(f.Results(r.test)) > 0 {
		return
	}
	params, condition, _ := f.NextArgs(next)
	stays, leaves := f.First(f.Region(r.test, 0)), f.First(f.Region(r.test, 1))
	if condition != ir.NoValue || !r.exits(stays, r.test) || !r.exits(leaves, r.loop) {
		return
	}
	params, initial, results := slices.Clone(params), slices.Clone(f.Args(r.loop)), slices.Clone(f.Args(leaves))
	b := ir.Builder{F: f}
	b.At(r.loop)
	test, left := r.evaluate(&b, initial, results)
	around := b.If(test)
	for _, v := range f.Results(r.loop) {
		f.Replace(v, f.AddResult(around, f.TypeOf(v)))
	}
	f.ApplyReplacements()
	b.SetBlock(f.Region(around, 1))
	b.Exit(around, left...)
	f.Unlink(r.loop)
	f.Append(f.Region(around, 0), r.loop)
	b.SetBlock(f.Region(around, 0))
	b.Exit(around, f.Results(r.loop)...)
	b.At(next)
	test, left = r.evaluate(&b, params, results)
	args := append(params, b.Op(op.Not, test))
	f.SetArgs(next, append(args, left...)...)
	f.Remove(r.test)
}

// exits reports whether an instruction is an exit of a control instruction.
func (r *rotation) exits(i, target ir.Inst) bool {
	return i != 0 && r.f.Op(i) == op.Exit && r.f.Target(i) == target
}

// evaluate builds the test and other values for given values of the loop's parameters.
func (r *rotation) evaluate(b *ir.Builder, params, values []ir.Value) (test ir.Value, list []ir.Value) {
	f := r.f
	body := f.Region(r.loop, 0)
	to := map[ir.Value]ir.Value{}
	for n, p := range f.Params(body) {
		to[p] = params[n]
	}
	mapped := func(v ir.Value) ir.Value {
		if x, ok := to[v]; ok {
			return x
		}
		return v
	}
	for i := f.First(body); i != r.test; i = f.Next(i) {
		args := slices.Clone(f.Args(i))
		for n := range args {
			args[n] = mapped(args[n])
		}
		b.Span, b.Flags = f.SpanOf(i), f.Flags(i)
		to[f.Result(i)] = b.Emit(f.Op(i), f.Type(i), f.Aux(i), args...)
	}
	for _, v := range values {
		list = append(list, mapped(v))
	}
	return mapped(f.Arg(r.test, 0)), list
}
