package analysis

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Uniform finds what the invocations of a subgroup or of a workgroup have in common: which values
// are equal in all of them, and which instructions all of them execute. It is a fact about values
// and not the uniformity analysis that WGSL requires of programs (WGSL §15.2), which the checker
// does on the source. There a store may make a variable uniform; here the variable's value has to
// be one.
//
// What is compared are invocations at the same point of the execution: in the same
// iteration of every loop around an instruction, and in the same call of its function.
// That invocations come to a point at one time is not said; the IR says where they
// reconverge, and only there does it matter.
//
// A value is uniform if it is computed from uniform values without looking at the invocation, and
// if all control that leads to a choice of it is uniform too. The results of a control instruction
// vary where some of the invocations leave by another exit. Of values that are no result of
// arithmetic:
//
//   - Constants, overrides and the addresses of variables of the module are uniform. A
//     function variable's address is one in each invocation's own memory, and varies.
//   - Builtin values are uniform as the table says.
//   - A load of memory that no one writes during a launch is uniform if the address is.
//     Other memory may be written between the loads of two invocations, workgroup memory
//     too, unless a flag promises the same value for all (workgroupUniformLoad).
//   - What a subgroup agrees on by an operation is uniform in it, whoever participates, and
//     varies in the workgroup, which has several subgroups.
//   - Parameters of functions and results of calls vary, and a function is executed by
//     a part: nothing is known of its callers, unless Entered says so.
//
// What it cannot tell it calls varying and partial.
type Uniform struct {
	// SubgroupSize is how many invocations a subgroup has on the target, where it is always that
	// many; 0 if that is not known. A size that the kernel sets overrides it.
	SubgroupSize uint32
	// Entered says that all invocations of the scope enter a function together.
	Entered bool

	f       *ir.Func
	scope   Scope
	varies  []bool // by local value
	partial []bool // by instruction
	// escaped is, by control instruction, that some of the invocations that entered it leave to an
	// outer level. They are missing after it.
	escaped []bool
	// thinned is, by loop, that a part leaves the loop: later iterations lack it.
	thinned []bool
	changed bool
}

// Scope says which invocations are compared with each other.
type Scope uint8

// The scopes.
const (
	Subgroup Scope = iota
	Workgroup
	scopeCount
)

// shared are the builtin values that all invocations of a scope have in common. The size
// of subgroups is one for a whole launch.
var shared = [ir.BuiltinCount][scopeCount]bool{
	ir.WorkgroupID:    {true, true},
	ir.WorkgroupIndex: {true, true},
	ir.NumWorkgroups:  {true, true},
	ir.LaunchExtent:   {true, true},
	ir.NumSubgroups:   {true, true},
	ir.SubgroupSize:   {true, true},
	ir.SubgroupID:     {Subgroup: true},
}

// agreed are the operations that give the invocations of a subgroup which execute them
// one value.
var agreed = [op.Count]bool{
	op.SubgroupAll: true, op.SubgroupAny: true, op.SubgroupBallot: true, op.SubgroupBroadcastFirst: true,
	op.SubgroupAdd: true, op.SubgroupMul: true, op.SubgroupMin: true, op.SubgroupMax: true,
	op.SubgroupAnd: true, op.SubgroupOr: true, op.SubgroupXor: true,
}

// Varies reports whether invocations of the scope may have different values of v, where
// they are at the same point.
func (u *Uniform) Varies(v ir.Value) bool { return v.IsLocal() && u.varies[v.Index()] }

// Partial reports whether some invocations of the scope may not execute an instruction
// when others do.
func (u *Uniform) Partial(i ir.Inst) bool { return u.partial[i] }

// Analyse looks at a function. It begins with everything uniform and walks the function
// until nothing more is found to vary: what varies at the end of a loop's body does so at
// its start.
func (u *Uniform) Analyse(f *ir.Func, scope Scope) {
	u.f, u.scope = f, scope
	u.varies = ir.Zeroed(u.varies, f.ValueCount())
	u.partial = ir.Zeroed(u.partial, f.InstCount())
	u.escaped = ir.Zeroed(u.escaped, f.InstCount())
	u.thinned = ir.Zeroed(u.thinned, f.InstCount())
	for n, p := range f.Params(f.Entry) {
		u.varies[p.Index()] = !f.Kernel || !shared[f.Builtins[n]][scope]
	}
	for u.changed = true; u.changed; {
		u.changed = false
		u.block(f.Entry, !f.Kernel && !u.Entered)
	}
}

func (u *Uniform) set(flag *bool) {
	if !*flag {
		*flag, u.changed = true, true
	}
}

// block visits a block that a part of the invocations enters, or all of them.
func (u *Uniform) block(b ir.Block, partial bool) {
	f := u.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		if partial {
			u.set(&u.partial[i])
		}
		switch o := f.Op(i); {
		case o.Is(op.Control):
			u.control(i, partial)
			partial = partial || u.escaped[i]
		case o.Is(op.Terminator):
			u.leave(i, partial)
		default:
			if r := f.Result(i); r != ir.NoValue && !u.varies[r.Index()] && u.resultVaries(i) {
				u.set(&u.varies[r.Index()])
			}
		}
	}
}

// control visits the blocks of a control instruction.
func (u *Uniform) control(i ir.Inst, partial bool) {
	f := u.f
	switch f.Op(i) {
	case op.If, op.Switch:
		partial = partial || u.Varies(f.Arg(i, 0))
	case op.Loop:
		u.pass(f.Params(f.Region(i, 0)), f.Args(i), false)
		partial = partial || u.thinned[i] || u.escaped[i]
	}
	for _, b := range f.Blocks(i) {
		u.block(ir.Block(b), partial)
	}
}

// leave visits the end of a block.
func (u *Uniform) leave(i ir.Inst, partial bool) {
	f := u.f
	switch f.Op(i) {
	case op.Exit:
		u.exit(i, f.Args(i), partial)
	case op.Next:
		// whoever has left before did so by another exit, which counts there: those that are still
		// in the loop come here in the same iteration
		params, condition, results := f.NextArgs(i)
		u.pass(f.Params(f.Region(f.Target(i), 0)), params, false)
		if condition != ir.NoValue {
			u.exit(i, results, u.Varies(condition))
		}
	case op.Continue:
		u.pass(f.Params(f.Region(f.Target(i), 1)), f.Args(i), partial)
		u.escape(i, f.Target(i), partial)
	case op.Return:
		u.escape(i, 0, partial)
	}
}

// exit visits an exit by which a part of the invocations leaves, or all of them.
func (u *Uniform) exit(i ir.Inst, values []ir.Value, partial bool) {
	target := u.f.Target(i)
	u.pass(u.f.Results(target), values, partial)
	if partial && u.f.Op(target) == op.Loop {
		u.set(&u.thinned[target])
	}
	u.escape(i, target, partial)
}

// pass makes parameters or results vary with the values that are passed, and with the
// choice of those values if a part passes others.
func (u *Uniform) pass(targets, values []ir.Value, partial bool) {
	for n, p := range targets {
		if partial || u.Varies(values[n]) {
			u.set(&u.varies[p.Index()])
		}
	}
}

// escape notes that a part of the invocations leaves all control instructions between a
// jump and its target. No target means the whole function.
func (u *Uniform) escape(i, target ir.Inst, partial bool) {
	if !partial {
		return
	}
	f := u.f
	for at := f.Parent(f.BlockOf(i)); at != 0 && at != target; at = f.Parent(f.BlockOf(at)) {
		u.set(&u.escaped[at])
	}
}

// resultVaries reports whether an instruction gives invocations of the scope different
// values.
func (u *Uniform) resultVaries(i ir.Inst) bool {
	f := u.f
	if f.Flags(i)&ir.UniformResult != 0 {
		return false
	}
	switch o := f.Op(i); {
	case agreed[o]:
		return u.scope != Subgroup
	case o == op.TileRow || o == op.TileColumn || o == op.TileGet || o == op.FragmentRow || o == op.FragmentColumn || o == op.FragmentGet:
		return true // of elements that each invocation holds
	case o == op.TileCount || o == op.FragmentCount:
		return false
	case o == op.TileSet:
		return u.Varies(f.Arg(i, 0))
	case op.Tiles.Has(o): // what all compute together
	case o == op.SubgroupBroadcast:
		return u.scope != Subgroup || u.partial[i] || !u.present(f.Arg(i, 1))
	case o == op.Load:
		t := f.TypeOf(f.Arg(i, 0))
		if !ReadOnly(f.Module, t) {
			return true
		}
	case !o.Pure():
		return true
	}
	for _, a := range f.Args(i) {
		if u.Varies(a) {
			return true
		}
	}
	return false
}

// present reports whether every subgroup of the kernel has an invocation with a number. The value
// of one that does not exist is open: each invocation that reads it may get another. A subgroup
// that is not full lacks its last invocations.
func (u *Uniform) present(number ir.Value) bool {
	m := u.f.Module
	n, ok := m.ConstUint(number)
	if !ok || n == 0 {
		return ok
	}
	size := uint64(u.SubgroupSize)
	if s, ok := m.ConstUint(u.f.SubgroupSize); ok {
		size = s
	}
	if size == 0 {
		return false
	}
	invocations := uint64(1)
	for _, w := range u.f.Workgroup {
		x, ok := m.ConstUint(w)
		if !ok {
			return false
		}
		invocations *= x
	}
	if rest := invocations % size; rest != 0 {
		return n < rest
	}
	return n < size
}
