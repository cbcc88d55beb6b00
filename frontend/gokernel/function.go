package gokernel

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/frontend/structure"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// function is the analysis of an SSA function, shared by all its inlined calls.
type function struct {
	*ssa.Function
	nodes []structure.Node
	// blocks are those that nodes refer to (blocks.go).
	blocks []block
	// number numbers the function's values, as indices into frames.
	number map[ssa.Value]int
	// block is, by number, the block that defines a value.
	block []int32
	// loops are those of the function, once findLoops has found them.
	loops []naturalLoop
	// liveOut says, by number, that a value is used where its definition is not visible.
	liveOut []bool
}

func (f *function) name() string {
	if o := f.Object(); o != nil {
		return o.Name()
	}
	return f.Name()
}

// frame is an inlined call of a function.
type frame struct {
	t *translator
	*function
	caller    *frame
	site      *ssa.Call
	calledAt  source.Span
	arguments []operand
	// captured are pointers to the variables that a function literal captures.
	captured []operand
	// operands are, by number, the translated values. slots hold those that are liveOut.
	operands []operand
	slots    []slot
	// at is the current block.
	at int32
	// phis are, by number, the slots of phis.
	phis []slot
	// scope is the scope that a return exits, and results take the returned values. The kernel
	// itself has no scope.
	scope   ir.Inst
	results []slot
	// guards says that the first condition of the kernel also excludes items beyond the extent of
	// the launch. unguarded are the dimensions in which nothing excludes them yet (guard.go).
	guards    bool
	unguarded [3]bool
}

// about returns the analysis of a function.
func (t *translator) about(f *ssa.Function) *function {
	if known := t.functions[f]; known != nil {
		return known
	}
	x := &function{Function: f, number: map[ssa.Value]int{}}
	t.functions[f] = x
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if v, ok := i.(ssa.Value); ok {
				x.number[v] = len(x.block)
				x.block = append(x.block, int32(b.Index))
			}
		}
	}
	x.makeBlocks()
	early := x.earlyExits()
	var g structure.Graph
	for n := range x.blocks {
		succs := x.blocks[n].succs
		mark := structure.Mark(0)
		if len(succs) == 2 && len(succs[0].edges)+len(succs[1].edges) > 0 {
			mark = structure.InBody // phi operands are stored on the edge
		}
		if len(succs) == 0 && early[n] && !slices.ContainsFunc(x.blocks[n].instructions, isCall) {
			mark |= structure.EarlyReturn
		}
		successors := make([]structure.Block, len(succs))
		for k, w := range succs {
			successors[k] = structure.Block(w.to)
		}
		g.Add(mark, successors...)
	}
	nodes, err := t.structurer.Structure(&g)
	if err != nil {
		t.list.Add(diag.Diagnostic{Code: diag.GoSubset, Span: t.span(f.Pos(), token.NoPos),
			Message: x.name() + " jumps into a loop, which devices cannot"})
		return x
	}
	x.nodes = slices.Clone(nodes)
	x.findLiveOut()
	return x
}

// isCall reports whether an instruction is a call, which may be a convergent operation.
func isCall(i ssa.Instruction) bool {
	_, is := i.(*ssa.Call)
	return is
}

// findLiveOut finds the values that are used after the loop that defines them, or in its continuing
// block. Definitions in a loop's body are visible in the body only.
func (x *function) findLiveOut() {
	// A region is a loop's body or continuing block; region 0 is the function.
	parent := []int{0}
	region := make([]int, len(x.blocks))
	at := 0
	for _, n := range x.nodes {
		switch n.Kind {
		case structure.Loop:
			parent = append(parent, at)
			at = len(parent) - 1
		case structure.Continuing:
			parent = append(parent, parent[at])
			at = len(parent) - 1
		case structure.End:
			if x.nodes[n.Label].Kind == structure.Loop {
				at = parent[at]
			}
		case structure.Code:
			region[n.Block] = at
		}
	}
	x.liveOut = make([]bool, len(x.block))
	here := 0
	use := func(v ssa.Value) {
		n, ok := x.number[v]
		if !ok {
			return
		}
		made, needed := region[x.block[n]], region[here]
		for needed != 0 && needed != made {
			needed = parent[needed]
		}
		if needed != made {
			x.liveOut[n] = true
		}
	}
	var buffer [8]*ssa.Value
	for n := range x.blocks {
		b := &x.blocks[n]
		here = n
		for _, i := range b.instructions {
			if _, ok := i.(*ssa.Phi); ok {
				continue
			}
			for _, v := range i.Operands(buffer[:0]) {
				if *v != nil {
					use(*v)
				}
			}
		}
		b.cond.values(use)
		b.returned.values(use)
		for _, w := range b.succs {
			for k := range w.edges {
				e := &w.edges[k]
				for _, phi := range phis(e.to()) {
					e.values(phi.(*ssa.Phi), use)
				}
			}
		}
		if len(b.succs) == 0 && b.source != nil && b.returned == nil {
			for _, v := range b.source.Instrs[len(b.source.Instrs)-1].Operands(buffer[:0]) {
				if *v != nil {
					use(*v)
				}
			}
		}
	}
}

// body translates the function's nodes in order.
func (f *frame) body() {
	t := f.t
	b := &t.b
	f.operands = make([]operand, len(f.block))
	f.slots = make([]slot, len(f.block))
	f.phis = make([]slot, len(f.block))
	open := map[int32]ir.Inst{} // structured instructions, by node
	var around []ir.Block
	for n, node := range f.nodes {
		made := node.Kind == structure.Loop || node.Kind == structure.Scope || node.Kind == structure.If
		if made {
			around = append(around, b.Block())
		}
		switch node.Kind {
		case structure.Code:
			f.code(int32(node.Block))
		case structure.If:
			x := &f.blocks[node.Block]
			cond := f.cond
			if f.guards && node.Block == 0 {
				cond = f.guarded
			}
			i := b.If(cond(x.cond))
			open[int32(n)] = i
			b.SetBlock(b.F.Region(i, 0))
			f.edge(x.succs[0])
		case structure.Arm:
			b.SetBlock(b.F.Region(open[node.Label], int(node.Succ)))
			f.edge(f.blocks[f.nodes[node.Label].Block].succs[node.Succ])
		case structure.Loop:
			i := b.Loop()
			t.loops = append(t.loops, i)
			open[int32(n)] = i
			b.SetBlock(b.F.Region(i, 0))
		case structure.Continuing:
			b.SetBlock(b.F.Region(open[node.Label], 1))
		case structure.Scope:
			i := b.Scope()
			open[int32(n)] = i
			b.SetBlock(b.F.Region(i, 0))
		case structure.End:
			i := open[node.Label]
			if b.F.Op(i) == op.Loop && b.F.Terminator(b.F.Region(i, 1)) == 0 {
				b.SetBlock(b.F.Region(i, 1))
				b.Next(i, nil, 0, nil)
			}
			if b.F.Op(i) == op.Loop {
				t.loops = t.loops[:len(t.loops)-1]
			}
			b.SetBlock(around[len(around)-1])
			around = around[:len(around)-1]
		case structure.Exit:
			b.Exit(open[node.Label])
		case structure.Continue:
			b.Continue(open[node.Label])
		case structure.Next:
			b.Next(open[node.Label], nil, 0, nil)
		case structure.NextOrExit:
			condition := f.cond(f.blocks[node.Block].cond)
			if node.Succ == 1 {
				condition = b.Op(op.Not, condition)
			}
			b.Next(open[node.Label], nil, condition, nil)
		case structure.Return:
			f.leave(&f.blocks[node.Block])
		case structure.Unreachable:
			b.Unreachable()
		}
	}
}

// code translates a block without its terminator. If it has one successor, it stores the operands
// of that one's phis.
func (f *frame) code(at int32) {
	f.at = at
	x := &f.blocks[at]
	for _, i := range x.instructions {
		f.t.instructions++
		if f.t.instructions == maxInstructions {
			f.refuse(diag.LimitExceeded, i.Pos(), "", "%s is too large with all calls put into their callers", f.t.k.object.Name())
		}
		if f.t.instructions >= maxInstructions {
			break
		}
		if at := i.Pos(); at.IsValid() {
			f.t.b.Span = f.t.span(at, token.NoPos)
		}
		v, isValue := i.(ssa.Value)
		if !isValue {
			f.effect(i)
			continue
		}
		n := f.number[v]
		o := f.instruction(v)
		f.operands[n] = o
		if f.liveOut[n] && o.kind != unknown {
			f.save(&f.slots[n], o)
		}
	}
	if len(x.succs) == 1 {
		f.edge(x.succs[0])
	}
}

// edge stores the operands that phis of a successor take from this edge.
func (f *frame) edge(w successor) {
	for n := range w.edges {
		e := &w.edges[n]
		for _, i := range phis(e.to()) {
			phi := i.(*ssa.Phi)
			if outer, _ := loopVariable(phi); outer != nil {
				continue
			}
			if e.first == nil && isNil(phi.Edges[e.predIndex()]) {
				f.refuse(diag.GoSubset, phi.Pos(), "assign something to it on each way", "%s may name nothing where it is used", described(phi))
				continue
			}
			s := &f.phis[f.number[phi]]
			o := f.phiOperand(e, phi)
			if o.nilElem != ir.Void && s.shape.kind == unknown {
				if to := f.origin(phi, map[ssa.Value]bool{}); to.kind == aSlice {
					o = f.retargeted(o, &to)
				}
			}
			if o.kind != unknown && !f.save(s, o) {
				hint := "write the code once for each, or put the alternatives into one buffer and choose an index"
				if s.shape.hasNil() {
					hint = assignBefore
				}
				f.refuse(diag.GoSubset, phi.Pos(), hint, "%s may name %s, and the compiler has to know which it is", described(phi), f.either(&s.shape, &o))
			}
		}
	}
}

// isNil reports whether a value is a nil pointer.
func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil && isPointer(c.Type())
}

// leave translates a return.
func (f *frame) leave(x *block) {
	b := &f.t.b
	var r *ssa.Return
	if x.returned == nil {
		r, _ = x.source.Instrs[len(x.source.Instrs)-1].(*ssa.Return)
	}
	switch {
	case x.returned == nil && r == nil: // an implicit panic of Go, which cannot be reached
		b.Unreachable()
		return
	case f.caller == nil:
		b.Return(0)
		return
	case x.returned != nil:
		for n := range f.results {
			f.save(&f.results[n], made(f.result(x.returned, n)))
		}
		b.Exit(f.scope)
		return
	}
	for n, v := range r.Results {
		o := f.operand(v)
		if o.kind != unknown && !f.save(&f.results[n], o) {
			f.refuse(diag.GoSubset, r.Pos(), "call the function where it is known which of them is meant, or return an index",
				"the result of %s may name %s, and the compiler has to know which it is", f.name(), f.either(&f.results[n].shape, &o))
		}
	}
	b.Exit(f.scope)
}

// call inlines a function at a call and returns its results.
func (f *frame) call(site *ssa.Call, callee *ssa.Function, arguments []operand) operand {
	return f.inline(site, callee, arguments, nil)
}

// inline is call for a function literal, too, with pointers to the variables that it captures.
func (f *frame) inline(site *ssa.Call, callee *ssa.Function, arguments, captured []operand) operand {
	t := f.t
	for x := f; x != nil; x = x.caller {
		if x.Function == callee {
			f.refuse(diag.GoSubset, token.NoPos, "", "%s calls itself, and kernels have no recursion", callee.Name())
			return operand{}
		}
	}
	if callee.Blocks == nil {
		t.unseen = true
		f.refuse(diag.GoSubset, token.NoPos, "", "%s has no source that is part of this build", callee.Name())
		return operand{}
	}
	inner := &frame{t: t, function: t.about(callee), caller: f, site: site, calledAt: t.b.Span, arguments: arguments, captured: captured}
	if len(inner.nodes) == 0 {
		return operand{}
	}
	inner.results = make([]slot, callee.Signature.Results().Len())
	behind := t.b.Block()
	inner.scope = t.b.Scope()
	t.b.SetBlock(t.b.F.Region(inner.scope, 0))
	inner.body()
	t.b.SetBlock(behind)
	t.b.Span = inner.calledAt
	switch len(inner.results) {
	case 0:
		return operand{}
	case 1:
		return f.load(&inner.results[0])
	}
	tuple := operand{kind: aTuple, parts: make([]operand, len(inner.results))}
	for n := range tuple.parts {
		tuple.parts[n] = f.load(&inner.results[n])
	}
	return tuple
}
