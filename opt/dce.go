package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Dce is aggressive dead code elimination (LLVM's ADCE). Liveness starts at writes that someone can
// see, barriers, calls and returns, and spreads to operands. A result or parameter of a region is
// live only if it is used, and then so is what every terminator passes for it. A store to a
// variable is live only if the variable is read. A control instruction is live only if something in
// it is, or if it decides whether something live is reached. A cycle of parameters that feed only
// each other is therefore dead.
//
// A loop without effects is removed even if it might not end: WGSL lets an implementation assume
// that it does. One that nothing leaves stays: without it the block around it would end in
// unreachable, and there are targets whose compilers crash on some branches that do.
var Dce = Pass{
	Name: "dce",
	Doc:  "remove dead values, dead stores, empty control flow, unused functions and variables",
	// the call that a variable's address is passed to may go
	Breaks: ir.Promoted,
	Run: func(c *Context, m *ir.Module) {
		e := Scratch[eliminator](c, "dce")
		removeUnreachableFuncs(c, m)
		e.findReadGlobals(m)
		for _, f := range m.Funcs {
			e.run(f)
		}
		e.removeUnusedGlobals(m)
	},
}

// eliminator holds the marks of one function at a time.
type eliminator struct {
	f         *ir.Func
	liveInst  []bool
	liveValue []bool
	// position is a result's or parameter's index in its list.
	position []uint32
	// firstExit and nextExit list, by control instruction, the terminators that
	// name it.
	firstExit, nextExit []ir.Inst
	// firstStore and nextStore list, by variable, what writes to it; isRead says
	// that something live reads it.
	firstStore, nextStore []ir.Inst
	isRead                []bool
	// the operations that are left, so that passes without any to work on need not look
	kept     op.Set
	roots    []ir.Inst  // live by themselves
	values   []ir.Value // to be marked
	controls []ir.Inst

	// by global
	globalRead, used []bool
	renumbered       []ir.Value
}

// findReadGlobals notes the private and workgroup variables that are read
// somewhere. Nothing outside of the module sees them.
func (e *eliminator) findReadGlobals(m *ir.Module) {
	e.globalRead = ir.Zeroed(e.globalRead, len(m.Globals))
	known := true
	for n := range m.Globals {
		space := m.SpaceOf(m.Globals[n].Type)
		e.globalRead[n] = space != ir.Private && space != ir.Workgroup
		known = known && e.globalRead[n]
	}
	if known {
		return
	}
	for _, f := range m.Funcs {
		e.readGlobals(f)
	}
}

func (e *eliminator) readGlobals(f *ir.Func) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		if o == op.Access || o == op.Address {
			continue // who uses the address says what happens there
		}
		for n, a := range f.Args(i) {
			if overwrites(o, n) {
				continue
			}
			if root := rootOf(f, a); root.IsGlobal() {
				e.globalRead[root.Index()] = true
			}
		}
	}
}

// overwrites reports whether all that an operation does to the memory of an operand is to write
// it, for itself alone.
func overwrites(o op.Op, n int) bool { return o.Operand(n) == op.Writes }

// run removes dead code from one function. globalRead may be nil: then all
// stores to globals stay.
func (e *eliminator) run(f *ir.Func) {
	e.f = f
	n := f.InstCount()
	// truncation adds terminators while the lists are being made
	n += f.BlockCount()
	e.liveInst = ir.Zeroed(e.liveInst, n)
	e.firstExit, e.nextExit = ir.Zeroed(e.firstExit, n), ir.Zeroed(e.nextExit, n)
	e.nextStore = ir.Zeroed(e.nextStore, n)
	values := f.ValueCount()
	e.liveValue = ir.Zeroed(e.liveValue, values)
	e.position = ir.Zeroed(e.position, values)
	e.firstStore, e.isRead = ir.Zeroed(e.firstStore, values), ir.Zeroed(e.isRead, values)
	e.roots, e.values, e.controls = e.roots[:0], e.values[:0], e.controls[:0]

	e.collect(f.Entry)
	for _, i := range e.roots {
		e.markInst(i)
	}
	for len(e.values)+len(e.controls) > 0 {
		if k := len(e.controls); k > 0 {
			i := e.controls[k-1]
			e.controls = e.controls[:k-1]
			e.spreadControl(i)
			continue
		}
		v := e.values[len(e.values)-1]
		e.values = e.values[:len(e.values)-1]
		e.spread(v)
	}
	e.kept = op.Set{}
	e.sweep(f.Entry)
	f.HasOnly(e.kept)
}

// collect notes who names what, removes code that is never reached, and finds
// the roots: they are marked once all stores are known.
func (e *eliminator) collect(b ir.Block) {
	f := e.f
	for n, p := range f.Params(b) {
		e.position[p] = uint32(n)
	}
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		switch {
		case o.Is(op.Control):
			for n, r := range f.Results(i) {
				e.position[r] = uint32(n)
			}
			for _, inner := range f.Blocks(i) {
				e.collect(ir.Block(inner))
			}
			if e.neverLeft(i) {
				truncate(f, i)
				if _, further := f.Leaves(i); o == op.Loop && !further {
					e.roots = append(e.roots, i)
				}
			}
		case o == op.Return:
			e.roots = append(e.roots, i)
		case o == op.Unreachable:
		case o.Is(op.Terminator):
			t := f.Target(i)
			e.nextExit[i], e.firstExit[t] = e.firstExit[t], i
		case overwrites(o, 0):
			root := rootOf(f, f.Arg(i, 0))
			switch {
			case root.IsLocal() && f.DefOp(root) == op.Var:
				e.nextStore[i], e.firstStore[root] = e.firstStore[root], i
			case root.IsGlobal() && int(root.Index()) < len(e.globalRead) && !e.globalRead[root.Index()]:
			default:
				e.roots = append(e.roots, i)
			}
		case o.Writes() || o.Is(op.External):
			e.roots = append(e.roots, i)
		}
	}
}

// neverLeft reports whether no terminator leads after a control instruction.
func (e *eliminator) neverLeft(control ir.Inst) bool {
	f := e.f
	continued := false
	var next ir.Inst
	for t := e.firstExit[control]; t != 0; t = e.nextExit[t] {
		switch f.Op(t) {
		case op.Exit:
			return false
		case op.Continue:
			continued = true
		case op.Next:
			next = t
		}
	}
	if continued && next != 0 {
		_, condition, _ := f.NextArgs(next)
		return condition == 0 || condition == f.Module.ConstBool(false)
	}
	return true
}

func (e *eliminator) need(v ir.Value) {
	if v.IsLocal() && !e.liveValue[v] {
		e.liveValue[v] = true
		e.values = append(e.values, v)
	}
}

// markInst makes an instruction live, with its operands and what encloses it.
func (e *eliminator) markInst(i ir.Inst) {
	if e.liveInst[i] {
		return
	}
	e.liveInst[i] = true
	f := e.f
	for _, a := range f.Args(i) {
		e.need(a)
	}
	if o := f.Op(i); o.Reads() {
		for n, a := range f.Args(i) {
			if !overwrites(o, n) {
				e.read(a)
			}
		}
	}
	e.markEnclosing(f.BlockOf(i))
}

// read makes the stores to a pointer's variable live.
func (e *eliminator) read(pointer ir.Value) {
	root := rootOf(e.f, pointer)
	if !root.IsLocal() || e.isRead[root] || e.f.DefOp(root) != op.Var {
		return
	}
	e.isRead[root] = true
	for i := e.firstStore[root]; i != 0; i = e.nextStore[i] {
		e.markInst(i)
	}
}

// markEnclosing makes the control instructions around a block live.
func (e *eliminator) markEnclosing(b ir.Block) {
	for at := e.f.Parent(b); at != 0 && !e.liveInst[at]; at = e.f.Parent(e.f.BlockOf(at)) {
		e.liveInst[at] = true
		e.controls = append(e.controls, at)
	}
}

// spreadControl marks what a live control instruction relies on.
func (e *eliminator) spreadControl(i ir.Inst) {
	f := e.f
	if o := f.Op(i); o == op.If || o == op.Switch {
		e.need(f.Arg(i, 0))
	}
	for t := e.firstExit[i]; t != 0; t = e.nextExit[t] {
		if f.Op(t) == op.Next {
			_, condition, _ := f.NextArgs(t)
			e.need(condition)
		}
		e.markEnclosing(f.BlockOf(t))
	}
}

// spread marks what a live value is made of.
func (e *eliminator) spread(v ir.Value) {
	f := e.f
	position := int(e.position[v])
	i, ok := f.Def(v)
	if !ok {
		b := f.DefBlock(v)
		control := f.Parent(b)
		if control == 0 {
			return
		}
		e.markEnclosing(b)
		body := f.Region(control, 0) == b
		if body {
			e.need(f.Arg(control, position))
		}
		for t := e.firstExit[control]; t != 0; t = e.nextExit[t] {
			if o := f.Op(t); o == op.Next && body || o == op.Continue && !body {
				e.need(f.Arg(t, position))
			}
		}
		return
	}
	if !f.Op(i).Is(op.Control) {
		e.markInst(i)
		return
	}
	if !e.liveInst[i] {
		e.liveInst[i] = true
		e.controls = append(e.controls, i)
		e.markEnclosing(f.BlockOf(i))
	}
	for t := e.firstExit[i]; t != 0; t = e.nextExit[t] {
		switch f.Op(t) {
		case op.Exit:
			e.need(f.Arg(t, position))
		case op.Next:
			if _, _, results := f.NextArgs(t); results != nil {
				e.need(results[position])
			}
		}
	}
}

// sweep removes what is not marked. Terminators are shortened before the lists that they follow: a
// block's exits are inside of what they name.
func (e *eliminator) sweep(b ir.Block) {
	f := e.f
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		o := f.Op(i)
		switch {
		case o.Is(op.Control) && e.liveInst[i]:
			for _, inner := range f.Blocks(i) {
				e.sweep(ir.Block(inner))
			}
			if o == op.Loop {
				f.SetArgs(i, e.keep(f.Args(i), f.Params(f.Region(i, 0)))...)
				e.dropParams(f.Region(i, 0))
				e.dropParams(f.Region(i, 1))
			}
			f.SetResults(i, e.keep(f.Results(i), f.Results(i)))
		case o == op.Return || o == op.Unreachable:
		case o.Is(op.Terminator):
			e.shorten(i)
		case !e.liveInst[i]:
			f.Remove(i)
			i = next
			continue
		}
		e.kept.Add(o)
		i = next
	}
}

// keep compacts a list to the elements whose parameter or result is live, in the list's own memory.
func (e *eliminator) keep(all, targets []ir.Value) []ir.Value {
	n := 0
	for k, p := range targets {
		if e.liveValue[p] {
			all[n] = all[k]
			n++
		}
	}
	return all[:n]
}

func (e *eliminator) dropParams(b ir.Block) {
	f := e.f
	f.SetParams(b, e.keep(f.Params(b), f.Params(b)))
}

func (e *eliminator) shorten(i ir.Inst) {
	f := e.f
	target := f.Target(i)
	args := f.Args(i)
	if len(args) == 0 {
		return
	}
	var kept int
	switch f.Op(i) {
	case op.Exit:
		kept = len(e.keep(args, f.Results(target)))
	case op.Continue:
		kept = len(e.keep(args, f.Params(f.Region(target, 1))))
	case op.Next:
		params, condition, results := f.NextArgs(i)
		kept = len(e.keep(params, f.Params(f.Region(target, 0))))
		if condition != 0 {
			args[kept] = condition
			kept++
			results = e.keep(results, f.Results(target))
			kept += copy(args[kept:], results)
		}
	}
	if kept < len(args) {
		f.SetArgs(i, args[:kept]...)
	}
}

// removeUnreachableFuncs removes the functions that no kernel calls, and
// renumbers the calls. A module without kernels keeps its functions.
func removeUnreachableFuncs(c *Context, m *ir.Module) {
	calls := Scratch[callGraph](c, "calls")
	calls.build(m)
	if calls.kernels == 0 {
		return
	}
	calls.number = ir.Zeroed(calls.number, len(m.Funcs))
	n := 0
	for k, f := range m.Funcs {
		if calls.order[k] != 0 {
			calls.number[k] = uint32(n)
			m.Funcs[n] = f
			n++
		}
	}
	if n == len(m.Funcs) {
		return
	}
	clear(m.Funcs[n:])
	m.Funcs = m.Funcs[:n]
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) == op.Call {
				f.SetAux(i, calls.number[f.Aux(i)])
			}
		}
	}
}

// removeUnusedGlobals removes the variables that no function uses. Resources and
// immediates stay: they are the program's interface.
func (e *eliminator) removeUnusedGlobals(m *ir.Module) {
	stays := func(g ir.Global) bool { return g.Bound || m.SpaceOf(g.Type) == ir.Immediate }
	if !slices.ContainsFunc(m.Globals, func(g ir.Global) bool { return !stays(g) }) {
		return
	}
	e.used = ir.Zeroed(e.used, len(m.Globals))
	used := e.used
	for _, f := range m.Funcs {
		useGlobals(f, used)
	}
	e.renumbered = ir.Zeroed(e.renumbered, len(m.Globals))
	renumbered := e.renumbered
	n := 0
	for k := range m.Globals {
		if used[k] || stays(m.Globals[k]) {
			renumbered[k] = ir.GlobalValue(n)
			m.Globals[n] = m.Globals[k]
			n++
		}
	}
	if n == len(m.Globals) {
		return
	}
	m.Globals = m.Globals[:n]
	for _, f := range m.Funcs {
		for n, v := range f.Interface {
			f.Interface[n] = renumbered[v.Index()]
		}
		f.RenumberWithin(renumbered)
		renumberGlobals(f, renumbered)
	}
}

func useGlobals(f *ir.Func, used []bool) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, a := range f.Args(i) {
			if a.IsGlobal() {
				used[a.Index()] = true
			}
		}
	}
}

func renumberGlobals(f *ir.Func, renumbered []ir.Value) {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n, a := range f.Args(i) {
			if a.IsGlobal() {
				f.SetArg(i, n, renumbered[a.Index()])
			}
		}
	}
}
