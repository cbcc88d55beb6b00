package analysis

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds out why: which branch keeps an instruction from being executed by all
// invocations, and what a value varies with. It serves messages.

// Because returns the branch, an If, a Switch or a Next whose condition varies, that makes an
// instruction of the function that was analysed partial. It is 0 where the instruction is not
// partial, or where the function itself is entered by a part.
func (u *Uniform) Because(i ir.Inst) ir.Inst {
	f := u.f
	if !u.partial[i] {
		return 0
	}
	// the outermost branch that tells invocations apart
	for parent := f.Parent(f.BlockOf(i)); parent != 0 && u.partial[parent]; parent = f.Parent(f.BlockOf(i)) {
		i = parent
	}
	return u.within(0, i, map[ir.Inst]bool{})
}

// within looks for the branch in front of an instruction and around it, as far as a control
// instruction goes, or in the whole function for 0. seen holds those whose exits have been looked
// at.
func (u *Uniform) within(control, i ir.Inst, seen map[ir.Inst]bool) ir.Inst {
	f := u.f
	for i != control {
		for before := f.Prev(i); before != 0; before = f.Prev(before) {
			if f.Op(before).Is(op.Control) && u.escaped[before] {
				if branch := u.leaves(before, seen); branch != 0 {
					return branch
				}
			}
		}
		switch i = f.Parent(f.BlockOf(i)); {
		case i == 0:
			return 0
		case f.Op(i) == op.Loop:
			if branch := u.leaves(i, seen); branch != 0 {
				return branch
			}
		case (f.Op(i) == op.If || f.Op(i) == op.Switch) && u.Varies(f.Arg(i, 0)):
			return i
		}
	}
	return 0
}

// leaves returns the branch by which a part of the invocations leaves a control instruction,
// or an iteration of a loop.
func (u *Uniform) leaves(control ir.Inst, seen map[ir.Inst]bool) ir.Inst {
	if seen[control] {
		return 0
	}
	seen[control] = true
	f := u.f
	for _, b := range f.Blocks(control) {
		root := ir.Block(b)
		for i := f.First(root); i != 0; i = f.After(i, root) {
			switch f.Op(i) {
			case op.Next:
				if _, condition, _ := f.NextArgs(i); f.Target(i) == control && condition != ir.NoValue && u.Varies(condition) {
					return i
				}
			case op.Exit, op.Continue, op.Return:
				target := ir.Inst(0)
				if f.Op(i) != op.Return {
					target = f.Target(i)
				}
				out := target != control && !u.inside(target, control)
				if !u.partial[i] || !out && (target != control || f.Op(control) != op.Loop) {
					continue
				}
				if branch := u.within(control, i, seen); branch != 0 {
					return branch
				}
			}
		}
	}
	if o := f.Op(control); (o == op.If || o == op.Switch) && u.Varies(f.Arg(control, 0)) {
		return control
	}
	return 0
}

// inside reports whether an instruction lies in what another owns.
func (u *Uniform) inside(i, control ir.Inst) bool {
	for ; i != 0; i = u.f.Parent(u.f.BlockOf(i)) {
		if i == control {
			return true
		}
	}
	return false
}

// Condition returns what a branch that Because returned depends on.
func (u *Uniform) Condition(branch ir.Inst) ir.Value {
	if u.f.Op(branch) == op.Next {
		_, condition, _ := u.f.NextArgs(branch)
		return condition
	}
	return u.f.Arg(branch, 0)
}

// Source returns a value that v varies with and that varies by itself: a parameter of the function,
// or the result of a load, an atomic operation or a call. It is NoValue if v does not vary, and
// where values that vary only depend on each other around loops.
func (u *Uniform) Source(v ir.Value) ir.Value {
	return u.source(v, map[ir.Value]bool{})
}

func (u *Uniform) source(v ir.Value, seen map[ir.Value]bool) ir.Value {
	f := u.f
	if !u.Varies(v) || seen[v] {
		return ir.NoValue
	}
	seen[v] = true
	first := func(values ...ir.Value) ir.Value {
		for _, x := range values {
			if s := u.source(x, seen); s != ir.NoValue {
				return s
			}
		}
		return ir.NoValue
	}
	i, ok := f.Def(v)
	if !ok { // a parameter of a block
		b := f.DefBlock(v)
		control := f.Parent(b)
		if control == 0 {
			return v
		}
		return u.given(control, b, first)
	}
	if f.Op(i).Is(op.Control) {
		return u.given(i, 0, first)
	}
	for _, a := range f.Args(i) {
		if u.Varies(a) {
			return first(f.Args(i)...)
		}
	}
	return v
}

// given looks for a source in the values passed to the results of a control instruction, or to the
// parameters of one of its blocks. It also looks in what chooses between these.
func (u *Uniform) given(control ir.Inst, to ir.Block, first func(...ir.Value) ir.Value) ir.Value {
	f := u.f
	if f.Op(control) == op.Loop && to != 0 {
		if s := first(f.Args(control)...); s != ir.NoValue {
			return s
		}
	}
	var branches []ir.Value
	for _, b := range f.Blocks(control) {
		root := ir.Block(b)
		for i := f.First(root); i != 0; i = f.After(i, root) {
			switch f.Op(i) {
			case op.If, op.Switch:
				branches = append(branches, f.Arg(i, 0))
				continue
			case op.Exit, op.Continue, op.Next:
			default:
				continue
			}
			if f.Target(i) != control {
				continue
			}
			values := f.Args(i)
			if branch := u.Because(i); branch != 0 {
				branches = append(branches, u.Condition(branch))
			}
			if f.Op(i) == op.Next {
				_, condition, _ := f.NextArgs(i)
				branches = append(branches, condition)
			}
			if s := first(values...); s != ir.NoValue {
				return s
			}
		}
	}
	if o := f.Op(control); o == op.If || o == op.Switch {
		branches = append(branches, f.Arg(control, 0))
	}
	return first(branches...)
}
