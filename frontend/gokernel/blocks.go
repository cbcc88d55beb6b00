// This file has the blocks that a function's structured control is made of. They are those of SSA,
// but for what costs devices branches and nothing else needs:
//
//   - The right side of && and || is a block of its own in SSA, behind a branch. One that is cheap, and that nothing can
//     be told from having been evaluated, is evaluated always, as in kernels in WGSL, and the conditions become one.
//   - Ranges over numbers are tested before the first turn and behind each turn. They become loops that are tested at
//     their beginning.
//   - Branches that only choose between values become choices (choices.go).

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

// block is a block of control: one of SSA, or what is left of several.
type block struct {
	// source is the block of SSA whose last instruction ends it if it ends the function, and
	// returned what it returns if that is more than that instruction says.
	source   *ssa.BasicBlock
	returned *returned
	// instructions are those of SSA, but for the last one.
	instructions []ssa.Instruction
	// ways lead out of it, at most two. If there are two, test chooses the first.
	ways []way
	test *test
}

// way leads to a block. By edges, phis take their values: those of the block, or of blocks behind
// it.
type way struct {
	to    int32
	edges []edge
}

// edge is one of SSA, the way of that number out of a block, or one of two by a test.
type edge struct {
	from        *ssa.BasicBlock
	number      int
	test        *test
	first, then *edge
}

// test is a condition: a value, the negation of one, two combined by operation, or that a counter
// is below a limit.
type test struct {
	value       ssa.Value
	counter     *ssa.Phi
	limit       ssa.Value
	operation   op.Op
	left, right *test
}

// makeBlocks makes the blocks of a function.
func (x *function) makeBlocks() {
	x.blocks = make([]block, len(x.Blocks))
	for n, b := range x.Blocks {
		made := &x.blocks[n]
		last := len(b.Instrs) - 1
		made.source, made.instructions = b, b.Instrs[:last:last]
		if branch, ok := b.Instrs[last].(*ssa.If); ok {
			made.test = &test{value: branch.Cond}
		}
		for k, to := range b.Succs {
			w := way{to: int32(to.Index)}
			if len(phis(to)) > 0 {
				w.edges = []edge{{from: b, number: k}}
			}
			made.ways = append(made.ways, w)
		}
	}
	for n := range x.Blocks {
		x.testFirst(int32(n))
	}
	for x.join() {
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

// comparison returns the test of a block if it compares two numbers in its last instruction, for
// this test alone.
func (b *block) comparison() *ssa.BinOp {
	if len(b.ways) != 2 || len(b.instructions) == 0 || b.test.value == nil {
		return nil
	}
	c, ok := b.instructions[len(b.instructions)-1].(*ssa.BinOp)
	if !ok || b.test.value != c || c.Op != token.LSS || len(*c.Referrers()) != 1 {
		return nil
	}
	return c
}

// testFirst makes of a range over a number, which ends by block n, a loop that is tested at its
// beginning:
//
//	   if 0 < limit goto body else done      jump head
//	                                    ─►   head: if counter < limit goto body else done
//	body: counter = phi 0, sum               body: counter = phi 0, sum
//	n: sum = counter + 1                     n: sum = counter + 1
//	   if sum < limit goto body else done       jump head
//
// The phis of body and done take their values on the way to head.
func (x *function) testFirst(n int32) {
	again := x.blocks[n].comparison()
	if again == nil || x.blocks[n].ways[0].to == x.blocks[n].ways[1].to {
		return
	}
	ways := x.blocks[n].ways
	before := slices.IndexFunc(x.blocks, func(b block) bool {
		c := b.comparison()
		return c != nil && c != again && b.ways[0].to == ways[0].to && b.ways[1].to == ways[1].to && c.Y == again.Y && isZero(c.X)
	})
	if before < 0 {
		return
	}
	var counter *ssa.Phi
	for _, i := range phis(x.Blocks[ways[0].to]) {
		phi := i.(*ssa.Phi)
		if len(phi.Edges) == 2 && isZero(phi.Edges[x.blocks[before].ways[0].edges[0].place()]) && phi.Edges[ways[0].edges[0].place()] == again.X {
			counter = phi
		}
	}
	if sum, ok := again.X.(*ssa.BinOp); !ok || counter == nil || sum.Op != token.ADD || sum.X != counter {
		return
	}
	head := int32(len(x.blocks))
	x.blocks = append(x.blocks, block{ways: []way{{to: ways[0].to}, {to: ways[1].to}}, test: &test{counter: counter, limit: again.Y}})
	for _, m := range []int32{int32(before), n} {
		b := &x.blocks[m]
		b.instructions = b.instructions[:len(b.instructions)-1]
		b.ways = []way{{head, slices.Concat(b.ways[0].edges, b.ways[1].edges)}}
		b.test = nil
	}
}

func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	return constant.Sign(c.Value) == 0
}

// join puts a block into the one before it, if there is one that only decides where to go or
// between values.
func (x *function) join() bool {
	entered := make([]int, len(x.blocks))
	for n := range x.blocks {
		for _, w := range x.blocks[n].ways {
			entered[w.to]++
		}
	}
	for n := range x.blocks {
		b := &x.blocks[n]
		if len(b.ways) != 2 || b.ways[0].to == b.ways[1].to {
			continue
		}
		only := [2]bool{entered[b.ways[0].to] == 1 && b.ways[0].to != int32(n), entered[b.ways[1].to] == 1 && b.ways[1].to != int32(n)}
		if only[0] && x.joinTest(int32(n), 0) || only[1] && x.joinTest(int32(n), 1) || x.choose(int32(n), only) {
			return true
		}
	}
	return false
}

// joinTest puts the block that a way out of block n leads to, and no other does, into it, if it is
// the right side of a condition: it leads where the other way does, too.
func (x *function) joinTest(n int32, taken int) bool {
	b, right := &x.blocks[n], &x.blocks[x.blocks[n].ways[taken].to]
	other := b.ways[1-taken]
	if len(right.ways) != 2 || right.ways[0].to == right.ways[1].to || !isEagerList(right.instructions, eagerBudget) {
		return false
	}
	same := slices.IndexFunc(right.ways, func(w way) bool { return w.to == other.to })
	if same < 0 || !agree(other.edges, right.ways[same].edges) {
		return false
	}
	second, on := right.test, right.ways[1-same]
	if same == taken { // a || !b, or a && !b
		second = &test{operation: op.Not, left: second}
	}
	if taken == 0 {
		b.ways, b.test = []way{on, other}, &test{operation: op.And, left: b.test, right: second}
	} else {
		b.ways, b.test = []way{other, on}, &test{operation: op.Or, left: b.test, right: second}
	}
	x.put(n, right)
	return true
}

// put appends the instructions of a block to those of block n, and empties it.
func (x *function) put(n int32, from *block) {
	for _, i := range from.instructions {
		if v, ok := i.(ssa.Value); ok {
			x.block[x.number[v]] = n
		}
	}
	b := &x.blocks[n]
	b.instructions = append(slices.Clip(b.instructions), from.instructions...)
	*from = block{}
}

// agree reports whether phis take the same values by the edges of two ways, if there are any.
func agree(a, b []edge) bool {
	if len(a) == 0 && len(b) == 0 {
		return true
	}
	if len(a) != 1 || len(b) != 1 || a[0].first != nil || b[0].first != nil {
		return false
	}
	return !slices.ContainsFunc(phis(a[0].to()), func(i ssa.Instruction) bool {
		return !isSame(i.(*ssa.Phi).Edges[a[0].place()], i.(*ssa.Phi).Edges[b[0].place()])
	})
}

// isSame reports whether two values are one, or equal constants.
func isSame(v, w ssa.Value) bool {
	first, ok1 := v.(*ssa.Const)
	second, ok2 := w.(*ssa.Const)
	return v == w || ok1 && ok2 && first.Value != nil && second.Value != nil && constant.Compare(first.Value, token.EQL, second.Value)
}

// eagerBudget is how many instructions a right side may have to be evaluated always: as many
// operations as one may cost in WGSL.
const eagerBudget = 8

// isEagerList reports whether instructions are few, read no memory that others can change, and
// cannot be out of bounds.
func isEagerList(list []ssa.Instruction, budget int) bool {
	return len(list) <= budget && !slices.ContainsFunc(list, func(i ssa.Instruction) bool { return !isEager(i) })
}

func isEager(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.BinOp:
		return i.Op != token.QUO && i.Op != token.REM
	case *ssa.Convert, *ssa.ChangeType, *ssa.Field, *ssa.DebugRef:
		return true
	case *ssa.FieldAddr:
		return isOwn(i)
	case *ssa.IndexAddr:
		return isOwn(i)
	case *ssa.UnOp:
		return i.Op != token.MUL || isOwn(i.X)
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

// isOwn reports whether a pointer leads to a variable of the item, by fields and constants alone.
func isOwn(pointer ssa.Value) bool {
	for {
		switch p := pointer.(type) {
		case *ssa.Alloc:
			return true
		case *ssa.FieldAddr:
			pointer = p.X
		case *ssa.IndexAddr:
			if !isInside(p) {
				return false
			}
			pointer = p.X
		default:
			return false
		}
	}
}

// isInside reports whether an index is a constant, of an array that has such an element.
func isInside(i *ssa.IndexAddr) bool {
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
	return e.from.Succs[e.number]
}

// place returns which of the edges into its block an edge of SSA is. A block may lead to another by
// both ways; these come in their order.
func (e *edge) place() int {
	to, skip := e.from.Succs[e.number], 0
	for _, s := range e.from.Succs[:e.number] {
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

// values calls f with each value of SSA that phis take by an edge, and by which that is chosen.
func (e *edge) values(phi *ssa.Phi, f func(ssa.Value)) {
	if e.first == nil {
		f(phi.Edges[e.place()])
		return
	}
	e.test.values(f)
	e.first.values(phi, f)
	e.then.values(phi, f)
}

// values calls f with each value of SSA that a test needs. Counters are where phis lie.
func (c *test) values(f func(ssa.Value)) {
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

// test makes the value of a test.
func (f *frame) test(c *test) ir.Value {
	b := &f.t.b
	switch {
	case c.value != nil:
		return f.value(c.value)
	case c.counter != nil:
		count, _ := f.t.widened(f.load(&f.phis[f.number[c.counter]]).value)
		limit, _ := f.t.widened(f.value(c.limit))
		return b.Op(op.Lt, count, limit)
	case c.operation == op.Not:
		return b.Op(op.Not, f.test(c.left))
	}
	return b.Op(c.operation, f.test(c.left), f.test(c.right))
}

// leftEarly returns, by block, whether it is where a turn of a loop may lead, and not what is
// behind the loop: no block that decides whether there is another turn leads there.
func (x *function) leftEarly() []bool {
	const (
		unseen = iota
		open
		done
	)
	state, decides, early := make([]uint8, len(x.blocks)), make([]bool, len(x.blocks)), make([]bool, len(x.blocks))
	type step struct {
		at  int32
		way int
	}
	stack := []step{{0, 0}}
	state[0] = open
	for len(stack) > 0 {
		s := &stack[len(stack)-1]
		b := &x.blocks[s.at]
		if s.way == len(b.ways) {
			state[s.at] = done
			stack = stack[:len(stack)-1]
			continue
		}
		to := b.ways[s.way].to
		s.way++
		switch state[to] {
		case open: // another turn, at its beginning or behind it
			decides[to], decides[s.at] = true, true
		case unseen:
			state[to] = open
			stack = append(stack, step{to, 0})
		}
	}
	for n := range x.blocks {
		for _, w := range x.blocks[n].ways {
			early[w.to] = state[n] == done && !decides[n]
		}
	}
	return early
}
