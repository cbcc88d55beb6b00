package spirv

import (
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Control flow. A control instruction becomes a header with a merge
// instruction, its blocks, and a merge block; its results are phis there, and a
// loop's parameters are phis in its header. Exits are edges to the merge block,
// and each is noted with the block that it comes from, for the phis.
//
// SPIR-V limits where a branch may go (SPIR-V §2.11, structured exits). From inside an if these are
// the if's own merge, the merge of the innermost switch around it, and the merge and continue
// target of the innermost loop. lower.LowerMultiLevelExits has made every exit one of these. A
// scope is written as a switch with only a default, the one selection that branches from nested
// selections may leave. A scope left only by its own last instruction is inlined.

// construct is a control instruction while it is written.
type construct struct {
	exitCount uint32 // how many instructions leave it
	merge     uint32 // label after it
	resume    uint32 // label of a loop's continuing block
	header    uint32 // label of a loop's header
	back      uint32 // words of the header's phis, in body
	inlined   bool   // a scope without a construct
	closing   bool   // a loop whose continuing block is being written
	exits     edgeList
	resumes   edgeList // of a loop, edges to its continuing block
}

// edge is a branch that carries values: the block that it leaves, and its
// values in edgeIDs.
type edge struct{ from, first, count, next uint32 }

// edgeList is a list of edges in the order they were written. It is live if
// one of them can be taken.
type edgeList struct {
	first, last uint32
	live        bool
}

func (w *emitter) addEdge(l *edgeList, args []ir.Value) {
	w.addDeadEdge(l, args)
	l.live = true
}

// addDeadEdge adds an edge that is never taken.
func (w *emitter) addDeadEdge(l *edgeList, args []ir.Value) {
	n := uint32(len(w.edges))
	first := uint32(len(w.edgeIDs))
	for _, a := range args {
		id := w.value(a)
		w.edgeIDs = append(w.edgeIDs, id)
	}
	w.edges = append(w.edges, edge{w.label, first, uint32(len(args)), 0})
	if l.last != 0 {
		w.edges[l.last].next = n
	} else {
		l.first = n
	}
	l.last = n
}

// phis defines values by what the edges of a list carry.
func (w *emitter) phis(l edgeList, values []ir.Value) {
	for n, v := range values {
		w.ids[v] = w.id()
		t := w.valueType(w.f.TypeOf(v))
		start := w.body.begin(grammar.OpPhi, t, w.ids[v])
		for at := l.first; at != 0; at = w.edges[at].next {
			e := &w.edges[at]
			w.body.add(w.edgeIDs[e.first+uint32(n)], e.from)
		}
		w.body.end(start)
		w.localName(v)
	}
}

// countExits fills in how many instructions leave each control instruction.
func (w *emitter) countExits(b ir.Block) {
	f := w.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.Exit:
			w.controls[f.Target(i)].exitCount++
		case o.Is(op.Control):
			if b := w.chosenRegion(i); b != 0 {
				w.countExits(b)
				continue
			}
			for _, inner := range f.Blocks(i) {
				w.countExits(ir.Block(inner))
			}
		}
	}
}

func (w *emitter) begin(label uint32) {
	w.label = label
	w.body.op(grammar.OpLabel, label)
	w.line = linePosition{}
}

// control writes a control instruction and reports whether what follows it can
// be reached.
func (w *emitter) control(i ir.Inst) bool {
	if b := w.chosenRegion(i); b != 0 {
		return w.scope(i, b)
	}
	switch w.f.Op(i) {
	case op.If:
		return w.selection(i)
	case op.Switch:
		return w.choice(i)
	}
	return w.loop(i)
}

// chosenRegion returns the one block of a control instruction that runs, or 0: of a scope, and
// of an if whose condition is constant, which only -O0 leaves.
func (w *emitter) chosenRegion(i ir.Inst) ir.Block {
	f := w.f
	switch f.Op(i) {
	case op.Scope:
		return f.Region(i, 0)
	case op.If:
		if condition := f.Arg(i, 0); condition.IsConst() {
			return f.Region(i, 1-int(w.m.ConstBits(condition)))
		}
	}
	return 0
}

// leave writes the merge block. Where nothing leads to it, what follows is
// dropped: validators and drivers are least at ease with code that cannot be
// reached.
func (w *emitter) leave(i ir.Inst) bool {
	c := &w.controls[i]
	w.begin(c.merge)
	if !c.exits.live {
		w.deadEnd(w.f.Parent(w.f.BlockOf(i)))
		return false
	}
	w.phis(c.exits, w.f.Results(i))
	return true
}

// trivial reports whether a block does nothing but leave its own instruction.
func (w *emitter) trivial(b ir.Block) bool {
	i := w.f.First(b)
	return w.f.Op(i) == op.Exit && w.f.Target(i) == w.f.Parent(b)
}

func (w *emitter) selection(i ir.Inst) bool {
	f := w.f
	condition := w.value(f.Arg(i, 0))
	then, other := f.Region(i, 0), f.Region(i, 1)
	c := &w.controls[i]
	c.merge = w.id()
	thenLabel, otherLabel := c.merge, c.merge // of one that only leaves, the merge itself
	switch {
	case w.trivial(other):
		w.addEdge(&c.exits, f.Args(f.First(other)))
		thenLabel = w.id()
	case w.trivial(then):
		w.addEdge(&c.exits, f.Args(f.First(then)))
		otherLabel = w.id()
	default:
		thenLabel, otherLabel = w.id(), w.id()
	}
	w.body.op(grammar.OpSelectionMerge, c.merge, grammar.SelectionControlNone)
	w.body.op(grammar.OpBranchConditional, condition, thenLabel, otherLabel)
	if thenLabel != c.merge {
		w.begin(thenLabel)
		w.block(then)
	}
	if otherLabel != c.merge {
		w.begin(otherLabel)
		w.block(other)
	}
	return w.leave(i)
}

func (w *emitter) choice(i ir.Inst) bool {
	f := w.f
	selector := w.value(f.Arg(i, 0))
	w.controls[i].merge = w.id()
	blocks := len(f.Blocks(i))
	first := w.next // the blocks' labels are consecutive
	w.next += uint32(blocks)
	w.body.op(grammar.OpSelectionMerge, w.controls[i].merge, grammar.SelectionControlNone)
	start := w.body.begin(grammar.OpSwitch, selector, first+uint32(f.DefaultCase(i)))
	for n, target := range f.CaseTargets(i) {
		w.body.add(uint32(w.m.ConstBits(f.Arg(i, n+1))), first+target)
	}
	w.body.end(start)
	mark := len(w.chosen)
	for range blocks {
		w.chosen = append(w.chosen, false)
	}
	w.chosen[mark+f.DefaultCase(i)] = true
	for _, target := range f.CaseTargets(i) {
		w.chosen[mark+int(target)] = true
	}
	for n := range blocks {
		if w.chosen[mark+n] {
			w.begin(first + uint32(n))
			w.block(f.Region(i, n))
		}
	}
	w.chosen = w.chosen[:mark]
	return w.leave(i)
}

// scope writes a control instruction of which one block runs.
func (w *emitter) scope(i ir.Inst, b ir.Block) bool {
	f := w.f
	c := &w.controls[i]
	last := f.Last(b)
	if c.exitCount == 0 || c.exitCount == 1 && f.Op(last) == op.Exit && f.Target(last) == i {
		c.inlined = true
		return w.block(b)
	}
	c.merge = w.id()
	label := w.id()
	w.body.op(grammar.OpSelectionMerge, c.merge, grammar.SelectionControlNone)
	w.body.op(grammar.OpSwitch, w.u32(0), label)
	w.begin(label)
	w.block(b)
	return w.leave(i)
}

// unrolling returns the loop control of a loop. With NVDontUnroll it is DontUnroll for a loop that
// ends at its last test and also before it.
func (w *emitter) unrolling(loop ir.Inst) uint32 {
	f := w.f
	if !w.e.Workarounds.Has(workaround.NVDontUnroll) {
		return grammar.LoopControlNone
	}
	if end := f.Terminator(f.Region(loop, 1)); end != 0 && f.Op(end) == op.Next {
		exits, further := f.Leaves(loop)
		if _, condition, _ := f.NextArgs(end); condition != ir.NoValue && (exits || further) {
			return grammar.LoopControlDontUnroll
		}
	}
	return grammar.LoopControlNone
}

// isMergeable reports whether a loop may begin right at the header of the one around it, since it
// carries nothing: see workaround.NVNestedLoop.
func (w *emitter) isMergeable(loop ir.Inst) bool {
	f := w.f
	if !w.e.Workarounds.Has(workaround.NVNestedLoop) || len(f.Args(loop)) > 0 {
		return false
	}
	for i := f.Parent(f.BlockOf(loop)); i != 0; i = f.Parent(f.BlockOf(i)) {
		if f.Op(i) == op.Loop {
			return true
		}
	}
	return false
}

func (w *emitter) loop(i ir.Inst) bool {
	f := w.f
	if w.isMergeable(i) { // orders nothing between invocations, and no driver removes it
		w.body.op(grammar.OpMemoryBarrier, w.u32(grammar.ScopeInvocation),
			w.u32(w.ordering(grammar.MemorySemanticsWorkgroupMemory)))
	}
	body, continuing := f.Region(i, 0), f.Region(i, 1)
	params := f.Params(body)
	first := len(w.edgeIDs)
	for _, a := range f.Args(i) {
		id := w.carried(a)
		w.edgeIDs = append(w.edgeIDs, id)
	}
	entered := w.label
	c := &w.controls[i]
	c.header, c.merge, c.resume = w.id(), w.id(), w.id()
	w.body.op(grammar.OpBranch, c.header)
	w.begin(c.header)
	for n, p := range params { // the second edge is filled in by next
		w.ids[p] = w.id()
		t := w.carriedType(f.TypeOf(p))
		start := w.body.begin(grammar.OpPhi, t, w.ids[p], w.edgeIDs[first+n], entered, w.ids[p], c.resume)
		if n == 0 {
			c.back = uint32(start)
		}
		w.localName(p)
		w.body.end(start)
	}
	for _, p := range params {
		w.ids[p] = w.fromMemory(f.TypeOf(p), w.ids[p], w.carriedType(f.TypeOf(p)))
	}
	w.body.op(grammar.OpLoopMerge, c.merge, c.resume, w.unrolling(i))
	label := w.id()
	w.body.op(grammar.OpBranch, label)

	w.begin(label)
	w.block(body)
	w.begin(c.resume)
	w.continues++
	c.closing = true
	if c.resumes.live {
		w.phis(c.resumes, f.Params(continuing))
		w.block(continuing)
	} else {
		w.deadEnd(i)
	}
	w.continues--
	return w.leave(i)
}

// carriedType is the type of a loop header's phi: with NVBoolPhi a bool is a u32 there.
func (w *emitter) carriedType(t ir.Type) uint32 {
	if w.e.Workarounds.Has(workaround.NVBoolPhi) && w.m.ScalarOf(t) == scalar.Bool {
		return w.memoryType(t)
	}
	return w.valueType(t)
}

// carried returns a value in its carriedType.
func (w *emitter) carried(v ir.Value) uint32 {
	t := w.f.TypeOf(v)
	if w.carriedType(t) != w.valueType(t) {
		return w.toMemory(t, w.value(v), w.carriedType(t))
	}
	return w.value(v)
}

// terminator writes a block's last instruction and reports whether control goes
// on right after the control instruction that owns the block.
func (w *emitter) terminator(i ir.Inst) bool {
	f := w.f
	switch f.Op(i) {
	case op.Exit:
		c := &w.controls[f.Target(i)]
		if c.inlined {
			for n, r := range f.Results(f.Target(i)) {
				w.ids[r] = w.value(f.Arg(i, n))
			}
			return true
		}
		w.addEdge(&c.exits, f.Args(i))
		w.body.op(grammar.OpBranch, c.merge)
	case op.Continue:
		c := &w.controls[f.Target(i)]
		w.addEdge(&c.resumes, f.Args(i))
		w.body.op(grammar.OpBranch, c.resume)
	case op.Next:
		w.repeat(i)
	case op.Return:
		if len(f.Args(i)) == 0 {
			w.body.op(grammar.OpReturn)
		} else {
			w.body.op(grammar.OpReturnValue, w.value(f.Arg(i, 0)))
		}
	case op.Unreachable:
		w.deadEnd(f.Parent(f.BlockOf(i)))
	}
	return false
}

// deadEnd ends a block that control never reaches, or never leaves. In a continuing block every
// path has to lead to the block that closes the loop (SPIR-V §2.11, continue construct). So it
// leaves the instruction that owns the block, with any values.
func (w *emitter) deadEnd(owner ir.Inst) {
	if w.continues == 0 {
		w.body.op(grammar.OpUnreachable)
		return
	}
	f := w.f
	for w.controls[owner].inlined {
		owner = f.Parent(f.BlockOf(owner))
	}
	c := &w.controls[owner]
	switch {
	case f.Op(owner) != op.Loop:
		w.addDeadEdge(&c.exits, w.zeros(f.Results(owner)))
		w.body.op(grammar.OpBranch, c.merge)
	case c.closing:
		w.closeLoop(c, w.zeros(f.Params(f.Region(owner, 0))))
		w.body.op(grammar.OpBranch, c.header)
	default:
		w.addDeadEdge(&c.resumes, w.zeros(f.Params(f.Region(owner, 1))))
		w.body.op(grammar.OpBranch, c.resume)
	}
}

// zeros returns a zero for each of some values, of its type.
func (w *emitter) zeros(values []ir.Value) []ir.Value {
	w.zeroValues = w.zeroValues[:0]
	for _, p := range values {
		w.zeroValues = append(w.zeroValues, w.m.Zero(w.f.TypeOf(p)))
	}
	return w.zeroValues
}

// phiWords is the length of a loop header's phi, which has two edges.
const phiWords = 7

// repeat writes the edge back to a loop's header and completes the phis there.
func (w *emitter) repeat(i ir.Inst) {
	f := w.f
	params, condition, results := f.NextArgs(i)
	c := &w.controls[f.Target(i)]
	w.closeLoop(c, params)
	if condition == 0 {
		w.body.op(grammar.OpBranch, c.header)
		return
	}
	w.addEdge(&c.exits, results)
	w.body.op(grammar.OpBranchConditional, w.value(condition), c.merge, c.header)
}

// closeLoop fills in the second edge of the phis in a loop's header.
func (w *emitter) closeLoop(c *construct, params []ir.Value) {
	for n, p := range params {
		id := w.carried(p)
		phi := int(c.back) + n*phiWords
		w.body.words[phi+5], w.body.words[phi+6] = id, w.label
	}
}
