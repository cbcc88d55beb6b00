package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// redundancy finds region parameters and results that always are one value: a loop parameter that
// is only ever itself or its initial value, a result that all exits agree on. It replaces them and
// leaves it to dead code elimination to remove them from the lists. Mem2reg, which adds results
// wherever a store might need one, and simplify use it.
type redundancy struct {
	f                   *ir.Func
	firstExit, nextExit []ir.Inst
	changed             bool
}

// redundancyRounds bounds the rounds; each can only enable what lies further out.
const redundancyRounds = 4

// run notes replacements, which the caller applies, and reports whether there
// are any.
func (r *redundancy) run(f *ir.Func) bool {
	r.f = f
	any := false
	for range redundancyRounds {
		n := f.InstCount()
		r.firstExit, r.nextExit = ir.Zeroed(r.firstExit, n), ir.Zeroed(r.nextExit, n)
		r.changed = false
		r.block(f.Entry)
		any = any || r.changed
		if !r.changed {
			break
		}
	}
	return any
}

func (r *redundancy) block(b ir.Block) {
	f := r.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o.Is(op.Control):
			for _, inner := range f.Blocks(i) {
				r.block(ir.Block(inner))
			}
			r.control(i)
		case o == op.Exit || o == op.Continue || o == op.Next:
			t := f.Target(i)
			r.nextExit[i], r.firstExit[t] = r.firstExit[t], i
		}
	}
}

func (r *redundancy) control(i ir.Inst) {
	f := r.f
	if f.Op(i) == op.Loop {
		body, continuing := f.Region(i, 0), f.Region(i, 1)
		for n, p := range f.Params(continuing) {
			r.unify(i, p, op.Continue, n, 0)
		}
		for n, p := range f.Params(body) {
			r.unify(i, p, op.Next, n, f.Resolve(f.Arg(i, n)))
		}
	}
	for n, v := range f.Results(i) {
		r.unify(i, v, op.Exit, n, 0)
	}
}

// unify replaces v, for which terminators of one kind pass their n-th operand to a control
// instruction, if they all pass the same value and v can see it.
func (r *redundancy) unify(control ir.Inst, v ir.Value, kind op.Op, n int, same ir.Value) {
	f := r.f
	if f.Resolve(v) != v {
		return
	}
	for t := r.firstExit[control]; t != 0; t = r.nextExit[t] {
		var passed ir.Value
		switch o := f.Op(t); {
		case o == kind:
			passed = f.Arg(t, n)
		case o == op.Next && kind == op.Exit:
			_, condition, results := f.NextArgs(t)
			if condition == 0 {
				continue
			}
			passed = results[n]
		default:
			continue
		}
		passed = f.Resolve(passed)
		if passed == v || passed == same {
			continue
		}
		if same != 0 {
			return
		}
		same = passed
	}
	if same == 0 || !r.sees(control, kind, same) {
		return
	}
	f.Replace(v, same)
	r.changed = true
}

// sees reports whether a value is defined outside of a control instruction, or,
// for the parameters of a continuing block, by the loop's own parameters.
func (r *redundancy) sees(control ir.Inst, kind op.Op, v ir.Value) bool {
	f := r.f
	if !v.IsLocal() {
		return true
	}
	b := f.DefBlock(v)
	if _, isInst := f.Def(v); kind == op.Continue && !isInst && b == f.Region(control, 0) {
		return true
	}
	for at := f.Parent(b); at != 0; at = f.Parent(f.BlockOf(at)) {
		if at == control {
			return false
		}
	}
	return true
}
