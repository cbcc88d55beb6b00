package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// Inline replaces calls by the bodies of functions. It works from the leaves of the call
// graph upwards, so that each function is complete when it is copied. A callee
// with one return, at its end, is spliced in; any other becomes a scope, whose
// exits replace the returns.
//
//	%r = call @f, %x   ─►   %r = scope ^f : f32 {
//	                          …
//	                          exit ^f(%v)         was: return %v
//	                        }
//
// Two budgets keep a chain of 2^n calls bounded: the size of one function and what inlining may add
// to the module. A third, in proportion to the program, keeps large functions with many calls from
// doubling a module. A function is copied to all of its calls or to none; one that is small or
// called once is always copied. That budget does not count for functions whose calls keep a
// variable in memory that could be values (pinning.go). What exceeds a budget stays a call, with
// values and with pointers alike: Specialize rewrites pointers to what every target accepts. A
// function no longer called is removed.
//
// The pass therefore promises no property: Inlined would be wrong exactly for
// the programs that need the budget. Targets have a row for call.
var Inline = Pass{
	Name:   "inline",
	Doc:    "inline functions, within a budget of code size",
	Breaks: ir.Promoted,
	Keeps:  ir.AsWritten,
	Run: func(c *Context, m *ir.Module) {
		n := Scratch[inliner](c, "inline")
		n.limits = limits{maxFunction, maxGrowth, true}
		n.run(c, m)
	},
}

// InlinePartial inlines functions that only a part of a subgroup calls, as far as the budgets of
// size allow, and leaves the other calls. It is for targets whose compilers use uniform registers,
// of which a subgroup has one set. Such a compiler knows which of them a function writes, and keeps
// nothing there that is needed after a call. But where a subgroup diverges, the invocations that
// do not call may need theirs afterwards (docs/decisions/0022-inlining.md).
//
// The pass assumes that all functions are entered by full subgroups. That is true of those that are
// still called in the end.
var InlinePartial = Pass{
	Name:   "inline-partial",
	Doc:    "inline functions that a part of a subgroup calls",
	Breaks: ir.Promoted,
	Run: func(c *Context, m *ir.Module) {
		n := Scratch[inliner](c, "inline-partial")
		n.limits = limits{maxFunction, maxGrowth, false}
		if n.partial == nil {
			n.partial = &analysis.Uniform{Entered: true}
		}
		n.run(c, m)
	},
}

// InlineHandles inlines functions that use textures. It is for PTX, where only the
// kernel sees the parameters that hold its textures. What stays a call is refused there, so one
// function may use all of the module's budget.
var InlineHandles = Pass{
	Name:   "inline-handles",
	Doc:    "inline functions that use textures",
	Breaks: ir.Promoted,
	Run: func(c *Context, m *ir.Module) {
		if !slices.ContainsFunc(m.Globals, func(g ir.Global) bool { return m.SpaceOf(g.Type) == ir.Handle }) {
			return
		}
		n := Scratch[inliner](c, "inline-handles")
		n.limits = limits{maxGrowth, maxGrowth, false}
		n.using, n.uses = ir.Zeroed(n.using, len(m.Funcs)), usesHandles
		n.run(c, m)
	},
}

// InlineTiles inlines functions that use tiles, so that each kernel sees all uses of its own.
var InlineTiles = Pass{
	Name:   "inline-tiles",
	Doc:    "inline functions that use tiles",
	Breaks: ir.Promoted,
	Keeps:  ir.AsWritten,
	Run: func(c *Context, m *ir.Module) {
		n := Scratch[inliner](c, "inline-tiles")
		n.limits = limits{maxGrowth, maxGrowth, false}
		n.using, n.uses = ir.Zeroed(n.using, len(m.Funcs)), usesTiles
		n.run(c, m)
	},
}

// The budgets, in instructions.
const (
	maxFunction = 1 << 16
	maxGrowth   = 1 << 19

	// proportionalGrowth is the least budget of large functions, which otherwise is the program's
	// size.
	proportionalGrowth = 512
	// smallFunction is the size up to which a function counts as small.
	smallFunction = 32
)

type limits struct {
	function, growth int
	proportional     bool
}

type inliner struct {
	limits
	copier
	calls callGraph
	// size is the number of instructions of a function, by its index.
	size  []int
	grown int
	// partial, if there is any, says which calls are replaced; nil means all.
	partial *analysis.Uniform
	// using, if there is any, says of each function whether it uses a construct, and only calls of
	// such are replaced. uses looks at a function itself.
	using []bool
	uses  func(f *ir.Func) bool
	// large is what functions may still add that are neither small nor called once.
	large int
	// decided says, by a function's index, whether its calls are replaced.
	decided []decision
	pinning pinning
	pinned  bool // some function pins variables
	c       *Context
}

// decision is what happens to all calls of a function: some copies beside the function itself would
// be the worst of both.
type decision uint8

const (
	undecided decision = iota
	stays
	isCopied
)

// copier copies the body of one function, the callee, into another.
type copier struct {
	caller, callee *ir.Func
	values         []ir.Value // by the callee's value
	insts          []ir.Inst  // by the callee's control instruction
	scope          ir.Inst    // what a return leaves; 0 in a copy of a function
	args           []ir.Value
	firstInst      ir.Inst // where hoisted variables go
	// A continue of loop, which is not copied itself, becomes an exit of iterationScope.
	loop, iterationScope ir.Inst
	loopCopies           []loopCopy // in program order
}

type loopCopy struct{ from, made ir.Inst }

// begin chooses the two functions. What the callee's parameters are is set next.
func (n *copier) begin(caller, callee *ir.Func) {
	n.caller, n.callee, n.scope, n.loop, n.loopCopies = caller, callee, 0, 0, n.loopCopies[:0]
	n.values = ir.Zeroed(n.values, callee.ValueCount())
	n.insts = ir.Zeroed(n.insts, callee.InstCount())
}

// callGraph orders functions so that callees come before callers.
type callGraph struct {
	m *ir.Module
	// order is a function's position among those reached, from 1; 0 is unreached.
	order   []uint32
	sorted  []uint32
	number  []uint32
	callers []uint32 // how many calls of a function there are
	kernels int
}

// build visits what the kernels reach, or every function if there is no kernel.
func (g *callGraph) build(m *ir.Module) {
	g.m = m
	g.order = ir.Zeroed(g.order, len(m.Funcs))
	g.callers = ir.Zeroed(g.callers, len(m.Funcs))
	g.sorted = g.sorted[:0]
	g.kernels = 0
	for _, f := range m.Funcs {
		if f.Kernel {
			g.kernels++
		}
	}
	for n, f := range m.Funcs {
		if f.Kernel || g.kernels == 0 {
			g.visit(uint32(n))
		}
	}
}

func (g *callGraph) visit(n uint32) {
	if g.order[n] != 0 {
		return
	}
	g.order[n] = 1 // met; recursion does not verify
	if f := g.m.Funcs[n]; f.Had(&calls) {
		any := false
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if f.Op(i) == op.Call {
				any = true
				g.callers[f.Aux(i)]++
				g.visit(f.Aux(i))
			}
		}
		if !any {
			f.Lacks(op.Call)
		}
	}
	g.sorted = append(g.sorted, n)
	g.order[n] = uint32(len(g.sorted))
}

func (n *inliner) run(c *Context, m *ir.Module) {
	if len(m.Funcs) == 1 { // which calls none
		return
	}
	n.calls.build(m)
	n.size = ir.Zeroed(n.size, len(m.Funcs))
	n.decided = ir.Zeroed(n.decided, len(m.Funcs))
	n.grown, n.large, n.c = 0, 0, c
	for _, k := range n.calls.sorted {
		n.size[k] = instCount(m.Funcs[k])
		n.large += n.size[k]
	}
	n.large = max(n.large, proportionalGrowth)
	n.pinned = n.proportional && n.pinning.analyse(c, m, &n.calls, n.size)
	for _, k := range n.calls.sorted {
		f := m.Funcs[k]
		if n.using != nil {
			n.using[k] = n.uses(f)
		}
		if !f.Had(&calls) {
			continue
		}
		n.caller = f
		for {
			before := n.size[k]
			if n.partial != nil {
				n.partial.Analyse(f, analysis.Subgroup)
			}
			n.inlineCalls(&n.size[k])
			if n.size[k] == before {
				break
			}
			f.ApplyReplacements()
			if n.using != nil {
				n.using[k] = true
			}
			if n.partial == nil { // those that stay are beyond the budget
				break
			}
		}
	}
	removeUnreachableFuncs(c, m)
}

// instCount returns the number of instructions in a function.
func instCount(f *ir.Func) int {
	count := 0
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		count++
	}
	return count
}

// inlineCalls inlines the calls in the caller.
func (n *inliner) inlineCalls(size *int) {
	f := n.caller
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if f.Op(i) == op.Call && n.wanted(i) {
			more := n.size[f.Aux(i)]
			if *size+more <= n.function && n.grown+more <= n.growth && n.copied(f.Aux(i)) {
				n.inline(i, f.Module.Funcs[f.Aux(i)])
				*size += more
				n.grown += more
			}
		}
		i = next
	}
}

// usesHandles reports whether a function loads a texture or sampler.
func usesHandles(f *ir.Func) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Load && f.Module.SpaceOf(f.TypeOf(f.Arg(i, 0))) == ir.Handle {
			return true
		}
	}
	return false
}

// usesTiles reports whether a function has operations on tiles, or gets or returns one.
func usesTiles(f *ir.Func) bool {
	isTile := func(v ir.Value) bool { return f.Module.IsTile(f.TypeOf(v)) }
	return f.Had(&op.Tiles) || f.ResultType != ir.Void && f.Module.IsTile(f.ResultType) || slices.ContainsFunc(f.Params(f.Entry), isTile)
}

// wanted reports whether the pass inlines a call of the caller.
func (n *inliner) wanted(call ir.Inst) bool {
	switch {
	case n.using != nil:
		return n.using[n.caller.Aux(call)]
	case n.partial != nil:
		return n.partial.Partial(call)
	}
	return true
}

// copied reports whether a function, which is complete, is worth a copy for each of its calls. It
// is if it is small, is called once, or its copies are within the budget that all large functions
// share.
func (n *inliner) copied(callee uint32) bool {
	if !n.proportional {
		return true
	}
	d := &n.decided[callee]
	if *d == undecided {
		*d = stays
		calls, size := int(n.calls.callers[callee]), n.size[callee]
		switch more := calls * size; {
		case calls == 1 || size <= smallFunction, n.pinned && n.pinning.pins[callee] && more <= maxPinned:
			*d = isCopied
		case more <= n.large:
			n.large -= more
			*d = isCopied
		case n.pinned && n.pinning.pins[callee]:
			n.pinning.stay(n.c, callee, more, maxPinned)
		}
	}
	return *d == isCopied
}

// inline replaces one call.
func (n *inliner) inline(call ir.Inst, callee *ir.Func) {
	f := n.caller
	n.begin(f, callee)
	for k, p := range callee.Params(callee.Entry) {
		n.values[p] = f.Arg(call, k)
	}
	n.firstInst = f.First(f.Entry)
	span := f.SpanOf(call)
	if n.singleReturn() {
		n.copyBlock(callee.Entry, 0, call)
		if r := f.Result(call); r != 0 {
			last := callee.Last(callee.Entry)
			f.Replace(r, n.value(callee.Arg(last, 0)))
		}
	} else {
		n.scope = f.NewScope(span)
		f.SetLabelName(n.scope, callee.Name)
		n.insert(n.scope, call)
		if r := f.Result(call); r != 0 {
			result := f.AddResult(n.scope, callee.ResultType)
			f.SetName(result, f.ValueName(r))
			f.Replace(r, result)
		}
		n.copyBlock(callee.Entry, f.Region(n.scope, 0), 0)
	}
	f.Remove(call)
}

// singleReturn reports whether the callee returns at its end and nowhere else.
func (n *copier) singleReturn() bool {
	f := n.callee
	last := f.Last(f.Entry)
	for i := f.First(f.Entry); i != last; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Return {
			return false
		}
	}
	return f.Op(last) == op.Return
}

// value returns what a value of the callee is in the caller.
func (n *copier) value(v ir.Value) ir.Value {
	if v.IsLocal() {
		return n.values[v]
	}
	return v
}

func (n *copier) mapped(args []ir.Value) []ir.Value {
	n.args = n.args[:0]
	for _, a := range args {
		n.args = append(n.args, n.value(a))
	}
	return n.args
}

// copyBlock copies the callee's block to the end of a block, or before an
// instruction, where its final return is left out.
func (n *copier) copyBlock(from, to ir.Block, before ir.Inst) {
	for i := n.callee.First(from); i != 0; i = n.callee.Next(i) {
		if before != 0 && n.callee.Op(i) == op.Return {
			return
		}
		made := n.copyInst(i)
		switch {
		case n.callee.Op(i) == op.Var:
			n.caller.InsertBefore(n.firstInst, made)
		case before != 0:
			n.insert(made, before)
		default:
			n.caller.Append(to, made)
		}
		if n.callee.Op(i).Is(op.Control) {
			n.copyRegions(i, made)
		}
	}
}

// insert puts an instruction before another. Where the call is the caller's first instruction,
// hoisted variables go before what replaces it, not after it.
func (n *copier) insert(made, before ir.Inst) {
	n.caller.InsertBefore(before, made)
	if n.firstInst == before {
		n.firstInst = made
	}
}

// copyInst makes the caller's instruction for one of the callee.
func (n *copier) copyInst(i ir.Inst) ir.Inst {
	from, f := n.callee, n.caller
	span := from.SpanOf(i)
	args := n.mapped(from.Args(i))
	var made ir.Inst
	switch o := from.Op(i); o {
	case op.If:
		made = f.NewIf(args[0], span)
	case op.Scope:
		made = f.NewScope(span)
	case op.Loop:
		made = f.NewLoop(span)
		f.SetArgs(made, args...)
	case op.Switch:
		made = f.NewSwitch(args[0], len(from.Blocks(i)), from.DefaultCase(i), span)
		for k, value := range args[1:] {
			f.AddCase(made, value, int(from.CaseTargets(i)[k]))
		}
	case op.Return:
		if n.scope == 0 {
			return f.NewInst(op.Return, ir.Void, 0, span, args...)
		}
		made = f.NewInst(op.Exit, ir.Void, uint32(n.scope), span, args...)
	case op.Exit, op.Continue, op.Next:
		if o == op.Continue && n.loop != 0 && from.Target(i) == n.loop {
			made = f.NewInst(op.Exit, ir.Void, uint32(n.iterationScope), span, args...)
			break
		}
		made = f.NewInst(o, ir.Void, uint32(n.insts[from.Target(i)]), span, args...)
	default:
		made = f.NewInst(o, from.Type(i), from.Aux(i), span, args...)
		f.SetFlags(made, from.Flags(i))
		if r := from.Result(i); r != 0 {
			n.values[r] = f.Result(made)
			f.SetName(f.Result(made), from.ValueName(r))
		}
		return made
	}
	return made
}

func (n *copier) copyRegions(i, made ir.Inst) {
	from, f := n.callee, n.caller
	n.insts[i] = made
	if from.Op(i) == op.Loop {
		n.loopCopies = append(n.loopCopies, loopCopy{i, made})
	}
	f.SetLabelName(made, from.LabelName(i))
	for k := range from.Blocks(i) {
		for _, p := range from.Params(from.Region(i, k)) {
			v := f.AddParam(f.Region(made, k), from.TypeOf(p))
			f.SetName(v, from.ValueName(p))
			n.values[p] = v
		}
		n.copyBlock(from.Region(i, k), f.Region(made, k), 0)
	}
	for _, r := range from.Results(i) {
		v := f.AddResult(made, from.TypeOf(r))
		f.SetName(v, from.ValueName(r))
		n.values[r] = v
	}
}
