// This file has the blocks that a function's structured control is made of. They are those of SSA, but for two things that
// cost devices branches and nothing else needs:
//
//   - The right side of && and || is a block of its own in SSA, behind a branch. One that is cheap, and that nothing can
//     be told from having been evaluated, is evaluated always, as in kernels in WGSL, and the conditions become one.
//   - Ranges over numbers are tested before the first turn and behind each other one, ranges over elements begin at -1.
//     Both become loops that count from 0 and are tested at their beginning, of which analysis knows what they count.

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
	// source is the block of SSA whose last instruction ends it if it ends the function.
	source *ssa.BasicBlock
	// instructions are those of SSA, but for the last one.
	instructions []ssa.Instruction
	// ways lead out of it, at most two. If there are two, test chooses the first.
	ways []way
	test *test
	// returned is what it returns if that is more than its source says (choices.go).
	returned *returned
}

// way is an edge to another block.
type way struct {
	to int32
	edge
	// first, if not nil, says that the way was two: one by edge, taken where first holds, and one by second.
	first  *test
	second edge
}

// edge is one of SSA: the way of that number out of a block. Phis take their values by it.
type edge struct {
	from   *ssa.BasicBlock
	number int
}

// test is a condition: a value, the negation of one, two combined by operation, or that a counter is below a limit.
type test struct {
	value       ssa.Value
	counter     *ssa.Alloc
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
			made.ways = append(made.ways, way{to: int32(to.Index), edge: edge{b, k}})
		}
	}
	for n := range x.Blocks {
		x.rangeOverNumber(int32(n))
		x.rangeOverElements(int32(n))
	}
	for x.join() {
	}
}

// counting takes apart a block that ends by counting on and comparing with a limit, as ranges do in SSA. at is the place of
// the instruction that loads the counter.
func (x *function) counting(n int32, name string) (counter *ssa.Alloc, limit ssa.Value, at int, ok bool) {
	b := &x.blocks[n]
	last := len(b.instructions) - 1
	if len(b.ways) != 2 || last < 3 || b.test.value == nil || b.test.value != ssa.Value(asBinary(b.instructions[last])) {
		return nil, nil, 0, false
	}
	compared := asBinary(b.instructions[last])
	store, isStore := b.instructions[last-1].(*ssa.Store)
	sum := asBinary(b.instructions[last-2])
	if compared.Op != token.LSS || !isStore || sum == nil || sum.Op != token.ADD || compared.X != ssa.Value(sum) || store.Val != ssa.Value(sum) {
		return nil, nil, 0, false
	}
	load, isLoad := sum.X.(*ssa.UnOp)
	counter, isVariable := store.Addr.(*ssa.Alloc)
	if !isLoad || !isVariable || counter.Comment != name || load.X != store.Addr {
		return nil, nil, 0, false
	}
	for at = last - 2; at >= 0 && b.instructions[at] != ssa.Instruction(load); at-- {
	}
	if at < 0 || slices.ContainsFunc(b.ways, func(w way) bool { return x.hasPhi(w.to) }) {
		return nil, nil, 0, false
	}
	return counter, compared.Y, at, true
}

func asBinary(i ssa.Instruction) *ssa.BinOp {
	b, _ := i.(*ssa.BinOp)
	return b
}

// rangeOverNumber makes of a loop over a number, which ends by block n, one that is tested at its beginning:
//
//	if 0 < limit goto body else done         jump head
//	                                  ─►     head: if counter < limit goto body else done
//	n: counter++                             n: counter++
//	   if counter < limit goto body…            jump head
func (x *function) rangeOverNumber(n int32) {
	counter, limit, _, ok := x.counting(n, "rangeint.iter")
	if !ok {
		return
	}
	for m := range x.blocks {
		before := &x.blocks[m]
		if int32(m) == n || len(before.ways) != 2 || before.ways[0].to != x.blocks[n].ways[0].to || before.ways[1].to != x.blocks[n].ways[1].to {
			continue
		}
		last := len(before.instructions) - 1
		if last < 0 || before.test.value == nil || before.test.value != ssa.Value(asBinary(before.instructions[last])) {
			continue
		}
		if compared := asBinary(before.instructions[last]); compared.Op != token.LSS || compared.Y != limit || !isNumber(compared.X, 0) {
			continue
		}
		head := int32(len(x.blocks))
		x.blocks = append(x.blocks, block{ways: x.blocks[n].ways, test: &test{counter: counter, limit: limit}})
		for _, b := range []*block{&x.blocks[m], &x.blocks[n]} {
			b.instructions = b.instructions[:len(b.instructions)-1]
			b.ways, b.test = []way{{to: head}}, nil
		}
		return
	}
}

// rangeOverElements makes of a loop over elements, whose head is block n, one that counts behind its turns:
//
//	counter = -1                             counter = 0
//	jump n                                   jump n
//	n: counter++                      ─►     n: if counter < length goto body else done
//	   if counter < length goto body…        next: counter++
//	…                                              jump n
//	jump n                                   …
//	                                         jump next
func (x *function) rangeOverElements(n int32) {
	counter, limit, at, ok := x.counting(n, "rangeindex")
	if !ok || at != 0 {
		return
	}
	start := -1
	for m := range x.blocks {
		if i := x.startOf(&x.blocks[m], counter); i >= 0 && len(x.blocks[m].ways) == 1 && x.blocks[m].ways[0].to == n {
			start = m
		}
	}
	if start < 0 {
		return
	}
	next := int32(len(x.blocks))
	x.blocks = append(x.blocks, block{instructions: x.blocks[n].instructions[:3], ways: []way{{to: n}}})
	for m := range x.blocks[:next] {
		for k := range x.blocks[m].ways {
			if w := &x.blocks[m].ways[k]; w.to == n && m != start {
				w.to = next
			}
		}
	}
	x.blocks[n].instructions, x.blocks[n].test = nil, &test{counter: counter, limit: limit}
	begin := &x.blocks[start]
	x.fromZero = append(x.fromZero, begin.instructions[x.startOf(begin, counter)].(*ssa.Store))
}

// startOf returns the place of the instruction of a block that lets a counter begin at -1, or -1.
func (x *function) startOf(b *block, counter *ssa.Alloc) int {
	return slices.IndexFunc(b.instructions, func(i ssa.Instruction) bool {
		s, ok := i.(*ssa.Store)
		return ok && s.Addr == counter && isNumber(s.Val, -1)
	})
}

func isNumber(v ssa.Value, n int64) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	got, exact := constant.Int64Val(c.Value)
	return exact && got == n
}

// hasPhi reports whether the values of a block depend on where it is reached from.
func (x *function) hasPhi(n int32) bool {
	b := &x.blocks[n]
	if len(b.instructions) == 0 {
		return false
	}
	_, ok := b.instructions[0].(*ssa.Phi)
	return ok
}

// join puts a block into the one before it, if there is one that only decides where to go or between values.
func (x *function) join() bool {
	entered := make([]int, len(x.blocks))
	for n := range x.blocks {
		for _, w := range x.blocks[n].ways {
			entered[w.to]++
		}
	}
	for n := range x.blocks {
		for way := range 2 {
			if b := &x.blocks[n]; len(b.ways) == 2 && entered[b.ways[way].to] == 1 && b.ways[way].to != int32(n) && x.joinTest(int32(n), way) {
				return true
			}
		}
		if x.choose(int32(n), entered) {
			return true
		}
	}
	return false
}

// joinTest puts the block that a way out of block n leads to, and no other does, into it, if it is the right side of a condition.
func (x *function) joinTest(n int32, taken int) bool {
	b, right := &x.blocks[n], &x.blocks[x.blocks[n].ways[taken].to]
	other := b.ways[1-taken]
	if other.first != nil || !x.eager(right.instructions) {
		return false
	}
	switch len(right.ways) {
	case 1:
		if right.ways[0].to != other.to || right.ways[0].first != nil || !x.decides(other, taken == 1) {
			return false
		}
		joined := other
		joined.first, joined.second = b.test, right.ways[0].edge
		b.ways, b.test = []way{joined}, nil
	case 2:
		same := slices.IndexFunc(right.ways, func(w way) bool { return w.to == other.to })
		if same < 0 || right.ways[same].first != nil || right.ways[0].to == right.ways[1].to || !x.agree(other, right.ways[same]) {
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
	default:
		return false
	}
	for _, i := range right.instructions {
		if v, ok := i.(ssa.Value); ok {
			x.block[x.number[v]] = n
		}
	}
	b.instructions = append(slices.Clip(b.instructions), right.instructions...)
	right.instructions, right.ways, right.test = nil, nil, nil
	return true
}

// eagerBudget is how many instructions a right side may have to be evaluated always: as many operations as one may cost in WGSL.
const eagerBudget = 8

// eager reports whether instructions are few, read no memory that others can change, and cannot be out of bounds.
func (x *function) eager(list []ssa.Instruction) bool {
	if len(list) > eagerBudget {
		return false
	}
	for _, i := range list {
		if !isEager(i) {
			return false
		}
	}
	return true
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

// decides reports whether all phis that a way leads to get one constant by it, and nothing else happens there: true for
// what || leads to, false for &&.
func (x *function) decides(w way, value bool) bool {
	if !x.hasPhi(w.to) {
		return false
	}
	for _, i := range x.blocks[w.to].instructions {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		c, ok := phi.Edges[w.place()].(*ssa.Const)
		if !ok || c.Value == nil || c.Value.Kind() != constant.Bool || constant.BoolVal(c.Value) != value {
			return false
		}
	}
	return true
}

// agree reports whether phis get the same constants by two ways, if there are any.
func (x *function) agree(a, b way) bool {
	if !x.hasPhi(a.to) {
		return true
	}
	for _, i := range x.blocks[a.to].instructions {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		first, ok1 := phi.Edges[a.place()].(*ssa.Const)
		second, ok2 := phi.Edges[b.place()].(*ssa.Const)
		if !ok1 || !ok2 || first.Value == nil || second.Value == nil || !constant.Compare(first.Value, token.EQL, second.Value) {
			return false
		}
	}
	return true
}

// place returns which of the edges into a block of SSA an edge is. A block may lead to another by both ways; these come in
// their order.
func (e edge) place() int {
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

// leftEarly returns, by block, whether it is where a turn of a loop may lead, and not what is behind the loop: no block that
// decides whether there is another turn leads there.
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

// values calls f with each value of SSA that a test needs.
func (c *test) values(f func(ssa.Value)) {
	switch {
	case c == nil:
	case c.value != nil:
		f(c.value)
	case c.counter != nil:
		f(c.counter)
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
		count, _ := f.t.widened(f.loadFrom(f.operand(c.counter)).value)
		limit, _ := f.t.widened(f.value(c.limit))
		return b.Op(op.Lt, count, limit)
	case c.operation == op.Not:
		return b.Op(op.Not, f.test(c.left))
	}
	return b.Op(c.operation, f.test(c.left), f.test(c.right))
}
