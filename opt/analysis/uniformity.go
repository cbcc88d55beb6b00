package analysis

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Uniformity says which values all invocations of a workgroup agree on. It is a
// forward analysis from the builtins: an operation is uniform if its operands are,
// a load if its address is and nobody writes the memory, a region's result if all
// exits pass uniform values and the choice between them is uniform.
//
// It errs on the side of varying. It is no language rule (those are checked on
// the source): targets use it to choose instructions.
type Uniformity struct {
	f       *ir.Func
	memory  Memory
	varying []bool
	// splits says of a control instruction that invocations may part inside of it
	// and leave it, or go on to its next iteration, at different times.
	splits  []bool
	changed bool
}

// uniformBuiltins are those that a workgroup's invocations share.
var uniformBuiltins = [ir.BuiltinCount]bool{
	ir.WorkgroupID: true, ir.NumWorkgroups: true, ir.WorkgroupIndex: true, ir.SubgroupSize: true, ir.NumSubgroups: true,
}

// Analyse looks at a function. Parameters of a function that is no kernel vary.
func (u *Uniformity) Analyse(f *ir.Func) {
	u.f = f
	u.memory.Analyse(f)
	u.varying = ir.Zeroed(u.varying, f.ValueCount())
	u.splits = ir.Zeroed(u.splits, f.InstCount())
	for n, p := range f.Params(f.Entry) {
		u.varying[p] = !f.Kernel || !uniformBuiltins[f.Builtins[n]]
	}
	// values only ever become varying, so the walks come to an end
	for {
		u.changed = false
		u.block(f.Entry, false)
		if !u.changed {
			return
		}
	}
}

// Varies reports whether invocations of a workgroup may differ on a value.
func (u *Uniformity) Varies(v ir.Value) bool { return v.IsLocal() && u.varying[v] }

func (u *Uniformity) vary(v ir.Value) {
	if v != 0 && !u.varying[v] {
		u.varying[v] = true
		u.changed = true
	}
}

func (u *Uniformity) split(i ir.Inst) {
	if !u.splits[i] {
		u.splits[i] = true
		u.changed = true
	}
}

// block walks a block; parted says that not all invocations may be here together.
func (u *Uniformity) block(b ir.Block, parted bool) {
	f := u.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		switch {
		case o.Is(op.Control):
			u.control(i, parted)
			// an exit further out may have taken some invocations away
			parted = parted || u.left(f.Parent(b))
		case o.Is(op.Terminator):
			u.terminator(i, parted)
		case f.Result(i) != 0:
			if u.resultVaries(i) {
				u.vary(f.Result(i))
			}
		}
	}
}

// left reports whether invocations part inside of a control instruction.
func (u *Uniformity) left(i ir.Inst) bool { return i != 0 && u.splits[i] }

func (u *Uniformity) control(i ir.Inst, parted bool) {
	f := u.f
	switch o := f.Op(i); o {
	case op.If, op.Switch:
		parts := u.Varies(f.Arg(i, 0))
		for _, inner := range f.Blocks(i) {
			u.block(ir.Block(inner), parted || parts)
		}
		if parts {
			u.split(i)
		}
	case op.Loop:
		for n, p := range f.Params(f.Region(i, 0)) {
			if u.Varies(f.Arg(i, n)) {
				u.vary(p)
			}
		}
		u.block(f.Region(i, 0), parted || u.splits[i])
		if u.splits[i] {
			for _, p := range f.Params(f.Region(i, 1)) {
				u.vary(p) // which continue may differ
			}
		}
		u.block(f.Region(i, 1), parted || u.splits[i])
	default:
		u.block(f.Region(i, 0), parted)
	}
	if u.splits[i] {
		for _, r := range f.Results(i) {
			u.vary(r) // which exit, or which iteration, may differ
		}
	}
}

// terminator passes what varies on to its target. If invocations are not together
// here, some leave the instructions between here and the target while others stay.
func (u *Uniformity) terminator(i ir.Inst, parted bool) {
	f := u.f
	switch f.Op(i) {
	case op.Exit:
		u.pass(f.Args(i), f.Results(f.Target(i)))
	case op.Continue:
		u.pass(f.Args(i), f.Params(f.Region(f.Target(i), 1)))
	case op.Next:
		params, condition, results := f.NextArgs(i)
		u.pass(params, f.Params(f.Region(f.Target(i), 0)))
		u.pass(results, f.Results(f.Target(i)))
		if u.Varies(condition) {
			u.split(f.Target(i))
		}
		return
	}
	if !parted {
		return
	}
	target := ir.Inst(0)
	if o := f.Op(i); o == op.Exit || o == op.Continue {
		target = f.Target(i)
	}
	for at := f.Parent(f.BlockOf(i)); at != 0; at = f.Parent(f.BlockOf(at)) {
		u.split(at)
		if at == target {
			return
		}
	}
}

func (u *Uniformity) pass(args, places []ir.Value) {
	for n, a := range args {
		if u.Varies(a) {
			u.vary(places[n])
		}
	}
}

func (u *Uniformity) resultVaries(i ir.Inst) bool {
	f := u.f
	if f.Flags(i)&ir.UniformResult != 0 {
		return false
	}
	o := f.Op(i)
	switch {
	case o == op.Var:
		return true
	case o == op.Load:
		if u.memory.Class(f.Arg(i, 0)) != 0 {
			return true
		}
	case !o.Pure():
		return true // atomics, calls, subgroup operations
	}
	for _, a := range f.Args(i) {
		if u.Varies(a) {
			return true
		}
	}
	return false
}
