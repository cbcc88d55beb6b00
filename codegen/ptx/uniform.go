package ptx

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file finds where whole subgroups execute: subgroup operations there need
// no mask of active invocations and take the short forms. It looks at the
// subgroup, so the workgroup's coordinates and the subgroup's number are
// uniform here. What it cannot tell it calls varying and partial, which costs
// speed and never correctness. It runs only on functions with subgroup
// operations.

// flow holds the analysis of a function.
type flow struct {
	needed  bool
	varies  []bool // by local value: invocations of a subgroup may differ
	partial []bool // by instruction: some invocations may not execute it
	changed bool
	escaped []bool // by control instruction: a part of its invocations left
	left    bool   // some jump or return beyond the function's entry was partial
}

// analyse fills in the flow of a function.
func (e *emitter) analyse(f *ir.Func) {
	x := &e.flow
	x.needed = false
	for i := f.First(f.Entry); i != 0 && !x.needed; i = f.After(i, f.Entry) {
		x.needed = f.Op(i).Is(op.Convergent)
	}
	if !x.needed {
		return
	}
	x.varies = grown(x.varies, f.ValueCount())
	x.partial = grown(x.partial, f.InstCount())
	x.escaped = grown(x.escaped, f.InstCount())
	x.left = false
	for n, p := range f.Params(f.Entry) {
		x.varies[p] = !f.Kernel || builtinVaries(f.Builtins[n])
	}
	for {
		x.changed = false
		e.flowBlock(f.Entry, !f.Kernel)
		if !x.changed {
			return
		}
	}
}

func builtinVaries(b ir.Builtin) bool {
	switch b {
	case ir.WorkgroupID, ir.NumWorkgroups, ir.WorkgroupIndex, ir.SubgroupID, ir.SubgroupSize, ir.NumSubgroups:
		return false
	}
	return true
}

func (x *flow) set(flag *bool) {
	if !*flag {
		*flag, x.changed = true, true
	}
}

func (e *emitter) varying(v ir.Value) bool { return v.IsLocal() && e.flow.varies[v] }

// flowBlock visits a block that is entered partially or not.
func (e *emitter) flowBlock(b ir.Block, partial bool) {
	f, x := e.source, &e.flow
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		if partial {
			x.set(&x.partial[i])
		}
		switch {
		case o == op.Exit:
			e.flowExit(i, f.Args(i), partial)
		case o == op.Next:
			params, condition, results := f.NextArgs(i)
			e.flowPass(f.Params(f.Region(f.Target(i), 0)), params, false)
			if condition != 0 {
				e.flowExit(i, results, partial || e.varying(condition))
			}
		case o == op.Continue:
			e.flowPass(f.Params(f.Region(f.Target(i), 1)), f.Args(i), partial)
			e.escape(i, f.Target(i), partial)
		case o == op.Return:
			e.escape(i, 0, partial)
		case o.Is(op.Control):
			e.flowControl(i, partial)
			partial = partial || x.escaped[i]
		default:
			if r := f.Result(i); r != 0 && !x.varies[r] && e.resultVaries(i) {
				x.set(&x.varies[r])
			}
		}
	}
}

// flowExit visits an exit taken by a part of the invocations or by all.
func (e *emitter) flowExit(i ir.Inst, values []ir.Value, partial bool) {
	target := e.source.Target(i)
	e.flowPass(e.source.Results(target), values, partial)
	if partial && e.source.Op(target) == op.Loop {
		e.flow.set(&e.flow.partial[e.source.First(e.source.Region(target, 0))])
	}
	e.escape(i, target, partial)
}

// flowPass makes parameters or results vary with the values passed, and with the
// choice if only a part passes them.
func (e *emitter) flowPass(places, values []ir.Value, partial bool) {
	for n, p := range places {
		if !e.flow.varies[p] && (partial || e.varying(values[n])) {
			e.flow.set(&e.flow.varies[p])
		}
	}
}

// escape notes that a jump leaves the control instructions between it and its
// target partially: behind each, invocations are missing. A partial return
// leaves all.
func (e *emitter) escape(i, target ir.Inst, partial bool) {
	if !partial {
		return
	}
	for at := e.source.Parent(e.source.BlockOf(i)); at != 0 && at != target; at = e.source.Parent(e.source.BlockOf(at)) {
		e.flow.set(&e.flow.escaped[at])
	}
}

func (e *emitter) flowControl(i ir.Inst, partial bool) {
	f := e.source
	switch f.Op(i) {
	case op.If, op.Switch:
		partial = partial || e.varying(f.Arg(i, 0))
	case op.Loop:
		e.flowPass(f.Params(f.Region(i, 0)), f.Args(i), false)
		// later iterations lack those that have left
		partial = partial || e.flow.escaped[i] || e.flow.partial[f.First(f.Region(i, 0))]
	}
	for _, b := range f.Blocks(i) {
		e.flowBlock(ir.Block(b), partial)
	}
}

// resultVaries reports whether an instruction gives the invocations of a
// subgroup different values.
func (e *emitter) resultVaries(i ir.Inst) bool {
	f := e.source
	if f.Flags(i)&ir.UniformResult != 0 {
		return false
	}
	o := f.Op(i)
	switch o {
	case op.SubgroupAll, op.SubgroupAny, op.SubgroupBallot, op.SubgroupBroadcast, op.SubgroupBroadcastFirst, op.SubgroupAdd,
		op.SubgroupMul, op.SubgroupMin, op.SubgroupMax, op.SubgroupAnd, op.SubgroupOr, op.SubgroupXor, op.ArrayLength:
		return false
	case op.Load:
		t := f.TypeOf(f.Arg(i, 0))
		if s := e.m.SpaceOf(t); !s.ReadOnly() && !(s == ir.Storage && e.m.AccessOf(t) == ir.Read) {
			return true
		}
	case op.Var: // an address in each invocation's own memory
		return true
	default:
		if !o.Pure() {
			return true
		}
	}
	for _, a := range f.Args(i) {
		if e.varying(a) {
			return true
		}
	}
	return false
}
