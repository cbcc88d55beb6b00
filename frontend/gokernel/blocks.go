// This file builds the control-flow graph that structure.Structurer takes. Its blocks are those of
// go/ssa after three simplifications, which save branches on devices:
//
//   - In SSA the right operand of && and || is its own block after a branch. One that is cheap
//     and has no side effects is evaluated unconditionally, and the two conditions become one.
//   - SSA rotates a range over an integer: it tests before the loop and after each iteration.
//     Such a loop is unrotated, so that its header tests.
//   - Branches that only select between values are if-converted (ifconvert.go).

package gokernel

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// block is a basic block: one of SSA, or several merged ones.
type block struct {
	// source is the block of SSA whose last instruction ends the block if it ends the function.
	// returned replaces that instruction's results if it is not nil.
	source   *ssa.BasicBlock
	returned *returned
	// instructions are those of SSA without the terminator.
	instructions []ssa.Instruction
	// succs are the successors, at most two. If there are two, cond selects the first.
	succs []successor
	cond  *cond
}

// successor is a successor of a block. edges are the edges by which phis of the successor take
// their values: from the block itself, or from blocks merged into it.
type successor struct {
	to    int32
	edges []edge
}

// edge is an edge of SSA: successor succ of block from. If first is not nil it is a selection
// between two edges by a condition.
type edge struct {
	from        *ssa.BasicBlock
	succ        int
	cond        *cond
	first, then *edge
}

// cond is a branch condition: a value, the negation of one, two combined by operation, or the
// comparison counter < limit.
type cond struct {
	value       ssa.Value
	counter     *ssa.Phi
	limit       ssa.Value
	operation   op.Op
	left, right *cond
}

// makeBlocks builds the blocks of a function.
func (x *function) makeBlocks() {
	x.blocks = make([]block, len(x.Blocks))
	for n, b := range x.Blocks {
		made := &x.blocks[n]
		last := len(b.Instrs) - 1
		made.source, made.instructions = b, b.Instrs[:last:last]
		if branch, ok := b.Instrs[last].(*ssa.If); ok {
			made.cond = &cond{value: branch.Cond}
		}
		for k, to := range b.Succs {
			w := successor{to: int32(to.Index)}
			if len(phis(to)) > 0 {
				w.edges = []edge{{from: b, succ: k}}
			}
			made.succs = append(made.succs, w)
		}
	}
	for n := range x.Blocks {
		x.unrotate(int32(n))
	}
	for x.mergeBlocks() {
	}
}

// phis returns the phis of a block of SSA, which are its first instructions.
func phis(b *ssa.BasicBlock) []ssa.Instruction {
	n := slices.IndexFunc(b.Instrs, func(i ssa.Instruction) bool {
		_, ok := i.(*ssa.Phi)
		return !ok
	})
	return b.Instrs[:n]
}

// comparison returns the condition of a block if it is a comparison < of two numbers by the block's
// last instruction, which has no other use.
func (b *block) comparison() *ssa.BinOp {
	if len(b.succs) != 2 || len(b.instructions) == 0 || b.cond.value == nil {
		return nil
	}
	c, ok := b.instructions[len(b.instructions)-1].(*ssa.BinOp)
	if !ok || b.cond.value != c || c.Op != token.LSS || len(*c.Referrers()) != 1 {
		return nil
	}
	return c
}

// unrotate turns a range over an integer whose latch is block n into a loop with the test in its
// header:
//
//	   if 0 < limit goto body else done      jump head
//	                                    ─►   head: if counter < limit goto body else done
//	body: counter = phi 0, sum               body: counter = phi 0, sum
//	n: sum = counter + 1                     n: sum = counter + 1
//	   if sum < limit goto body else done       jump head
//
// The phis of body and done take their values on the edges to head.
func (x *function) unrotate(n int32) {
	again := x.blocks[n].comparison()
	if again == nil || x.blocks[n].succs[0].to == x.blocks[n].succs[1].to {
		return
	}
	succs := x.blocks[n].succs
	before := slices.IndexFunc(x.blocks, func(b block) bool {
		c := b.comparison()
		return c != nil && c != again && b.succs[0].to == succs[0].to && b.succs[1].to == succs[1].to && c.Y == again.Y && isZero(c.X)
	})
	if before < 0 {
		return
	}
	var counter *ssa.Phi
	for _, i := range phis(x.Blocks[succs[0].to]) {
		phi := i.(*ssa.Phi)
		if len(phi.Edges) == 2 && isZero(phi.Edges[x.blocks[before].succs[0].edges[0].predIndex()]) && phi.Edges[succs[0].edges[0].predIndex()] == again.X {
			counter = phi
		}
	}
	if sum, ok := again.X.(*ssa.BinOp); !ok || counter == nil || sum.Op != token.ADD || sum.X != counter {
		return
	}
	head := int32(len(x.blocks))
	x.blocks = append(x.blocks, block{succs: []successor{{to: succs[0].to}, {to: succs[1].to}}, cond: &cond{counter: counter, limit: again.Y}})
	for _, m := range []int32{int32(before), n} {
		b := &x.blocks[m]
		b.instructions = b.instructions[:len(b.instructions)-1]
		b.succs = []successor{{head, slices.Concat(b.succs[0].edges, b.succs[1].edges)}}
		b.cond = nil
	}
}

func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	return constant.Sign(c.Value) == 0
}

// mergeBlocks merges one block into its only predecessor, if it only computes a condition or
// selects between values. It reports whether there was one.
func (x *function) mergeBlocks() bool {
	entered := make([]int, len(x.blocks))
	for n := range x.blocks {
		for _, w := range x.blocks[n].succs {
			entered[w.to]++
		}
	}
	for n := range x.blocks {
		b := &x.blocks[n]
		if len(b.succs) != 2 || b.succs[0].to == b.succs[1].to {
			continue
		}
		unique := [2]bool{entered[b.succs[0].to] == 1 && b.succs[0].to != int32(n), entered[b.succs[1].to] == 1 && b.succs[1].to != int32(n)}
		if unique[0] && x.mergeCondition(int32(n), 0) || unique[1] && x.mergeCondition(int32(n), 1) || x.ifConvert(int32(n), unique) {
			return true
		}
	}
	return false
}

// mergeCondition merges successor taken of block n, which has no other predecessor, into the block.
// The successor must be the right operand of a condition: it branches to the block's other
// successor, too.
func (x *function) mergeCondition(n int32, taken int) bool {
	b, right := &x.blocks[n], &x.blocks[x.blocks[n].succs[taken].to]
	other := b.succs[1-taken]
	if len(right.succs) != 2 || right.succs[0].to == right.succs[1].to || !areSpeculatable(right.instructions, conditionBudget) {
		return false
	}
	same := slices.IndexFunc(right.succs, func(w successor) bool { return w.to == other.to })
	if same < 0 || !sameOperands(other.edges, right.succs[same].edges) {
		return false
	}
	second, next := right.cond, right.succs[1-same]
	if same == taken { // a || !b, or a && !b
		second = &cond{operation: op.Not, left: second}
	}
	if taken == 0 {
		b.succs, b.cond = []successor{next, other}, &cond{operation: op.And, left: b.cond, right: second}
	} else {
		b.succs, b.cond = []successor{other, next}, &cond{operation: op.Or, left: b.cond, right: second}
	}
	x.mergeInto(n, right)
	return true
}

// mergeInto appends the instructions of a block to those of block n, and empties it.
func (x *function) mergeInto(n int32, from *block) {
	for _, i := range from.instructions {
		if v, ok := i.(ssa.Value); ok {
			x.block[x.number[v]] = n
		}
	}
	b := &x.blocks[n]
	b.instructions = append(slices.Clip(b.instructions), from.instructions...)
	*from = block{}
}

// sameOperands reports whether phis take the same operands by the edges of two successors.
func sameOperands(a, b []edge) bool {
	if len(a) == 0 && len(b) == 0 {
		return true
	}
	if len(a) != 1 || len(b) != 1 || a[0].first != nil || b[0].first != nil {
		return false
	}
	return !slices.ContainsFunc(phis(a[0].to()), func(i ssa.Instruction) bool {
		return !isSame(i.(*ssa.Phi).Edges[a[0].predIndex()], i.(*ssa.Phi).Edges[b[0].predIndex()])
	})
}

// isSame reports whether two values are identical, or equal constants.
func isSame(v, w ssa.Value) bool {
	first, ok1 := v.(*ssa.Const)
	second, ok2 := w.(*ssa.Const)
	return v == w || ok1 && ok2 && first.Value != nil && second.Value != nil && constant.Compare(first.Value, token.EQL, second.Value)
}

// conditionBudget is how many instructions a right operand may have to be evaluated
// unconditionally: as many operations as WGSL's may cost.
const conditionBudget = 8

// areSpeculatable reports whether instructions are few, have no side effects, cannot be out of
// bounds, and read no memory that other items can change.
func areSpeculatable(list []ssa.Instruction, budget int) bool {
	return len(list) <= budget && !slices.ContainsFunc(list, func(i ssa.Instruction) bool { return !isSpeculatable(i) })
}

func isSpeculatable(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.BinOp:
		return i.Op != token.QUO && i.Op != token.REM
	case *ssa.Convert, *ssa.ChangeType, *ssa.Field, *ssa.DebugRef:
		return true
	case *ssa.FieldAddr:
		return isLocalAddress(i)
	case *ssa.IndexAddr:
		return isLocalAddress(i)
	case *ssa.UnOp:
		return i.Op != token.MUL || isLocalAddress(i.X)
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "len" || b.Name() == "cap" || b.Name() == "min" || b.Name() == "max"
		}
		callee := i.Call.StaticCallee()
		if callee == nil {
			return false
		}
		f, ok := callee.Object().(*types.Func)
		return ok && isPosition(f)
	}
	return false
}

// isLocalAddress reports whether a pointer leads to a variable of the item, through fields and
// constant indices only.
func isLocalAddress(pointer ssa.Value) bool {
	for {
		switch p := pointer.(type) {
		case *ssa.Alloc:
			return true
		case *ssa.FieldAddr:
			pointer = p.X
		case *ssa.IndexAddr:
			if !isInBounds(p) {
				return false
			}
			pointer = p.X
		default:
			return false
		}
	}
}

// isInBounds reports whether an index is a constant within an array's bounds.
func isInBounds(i *ssa.IndexAddr) bool {
	c, ok := i.Index.(*ssa.Const)
	p, isPointer := i.X.Type().Underlying().(*types.Pointer)
	if !ok || !isPointer {
		return false
	}
	array, isArray := p.Elem().Underlying().(*types.Array)
	n, exact := constant.Int64Val(constant.ToInt(c.Value))
	return isArray && exact && n >= 0 && n < array.Len()
}

// to returns the block of SSA that an edge leads to.
func (e *edge) to() *ssa.BasicBlock {
	for e.first != nil {
		e = e.first
	}
	return e.from.Succs[e.succ]
}

// predIndex returns the index of an edge of SSA among the predecessors of its target. Both
// successors of a block may be the same; then their edges come in order.
func (e *edge) predIndex() int {
	to, skip := e.from.Succs[e.succ], 0
	for _, s := range e.from.Succs[:e.succ] {
		if s == to {
			skip++
		}
	}
	for n, p := range to.Preds {
		if p == e.from {
			if skip == 0 {
				return n
			}
			skip--
		}
	}
	return -1
}

// values calls f with each value that phis take by an edge, and with those of conditions that
// select between them.
func (e *edge) values(phi *ssa.Phi, f func(ssa.Value)) {
	if e.first == nil {
		f(phi.Edges[e.predIndex()])
		return
	}
	e.cond.values(f)
	e.first.values(phi, f)
	e.then.values(phi, f)
}

// values calls f with each value of SSA that a condition uses. A counter is read from its phi's
// slot.
func (c *cond) values(f func(ssa.Value)) {
	switch {
	case c == nil:
	case c.value != nil:
		f(c.value)
	case c.counter != nil:
		f(c.limit)
	default:
		c.left.values(f)
		c.right.values(f)
	}
}

// cond emits a condition and returns its value.
func (f *frame) cond(c *cond) ir.Value {
	b := &f.t.b
	switch {
	case c.value != nil:
		return f.value(c.value)
	case c.counter != nil:
		count, _ := f.t.widened(f.load(&f.phis[f.number[c.counter]]).value)
		limit, _ := f.t.widened(f.value(c.limit))
		return b.Op(op.Lt, count, limit)
	case c.operation == op.Not:
		return b.Op(op.Not, f.cond(c.left))
	}
	return b.Op(c.operation, f.cond(c.left), f.cond(c.right))
}

// earlyExits reports, by block, whether all its predecessors leave a loop early: none of them is a
// loop header or a latch, which decide whether there is another iteration.
func (x *function) earlyExits() []bool {
	const (
		unseen = iota
		open
		done
	)
	state, decides, early := make([]uint8, len(x.blocks)), make([]bool, len(x.blocks)), make([]bool, len(x.blocks))
	type step struct {
		at        int32
		successor int
	}
	stack := []step{{0, 0}}
	state[0] = open
	for len(stack) > 0 {
		s := &stack[len(stack)-1]
		b := &x.blocks[s.at]
		if s.successor == len(b.succs) {
			state[s.at] = done
			stack = stack[:len(stack)-1]
			continue
		}
		to := b.succs[s.successor].to
		s.successor++
		switch state[to] {
		case open: // a back edge: its target is a header, its source a latch
			decides[to], decides[s.at] = true, true
		case unseen:
			state[to] = open
			stack = append(stack, step{to, 0})
		}
	}
	for n := range x.blocks {
		for _, w := range x.blocks[n].succs {
			early[w.to] = state[n] == done && !decides[n]
		}
	}
	return early
}
