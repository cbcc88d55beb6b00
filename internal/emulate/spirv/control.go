package spirv

// Analysis of a function's control flow: block order, dominators and loops.
//
// The order is topological except for back edges, and all blocks of a loop come before the blocks
// after it. It is the reverse postorder of a depth-first search that visits a header's merge block
// first and its continue target next. An invocation's position is its index in this order with the
// iterations of the loops around it. Each step makes the position larger, so schedule.go can tell
// which of two invocations may still reach the position of the other.

// block is a basic block.
type block struct {
	label          uint32
	body           []raw
	merge          int32 // the merge block of the construct that this block heads, or -1
	continueTarget int32 // the continue target of the loop that this block heads, or -1
	successors     []int32
	predecessors   []int32 // the reachable ones
	position       int32   // in the order, or -1 if it is unreachable
	dominator      int32   // the immediate one
	depth          int32   // in the dominator tree
	loop           int32   // the loop that this block heads (see program.loops), or -1
	loops          []int32
	start          uint32 // where its code begins
}

type function struct {
	raw    raw
	index  int32
	t      *typ // the function's type
	params []uint32
	body   []raw
	blocks []block
	order  []int32 // the reachable blocks
	calls  []*function
	state  uint8 // of the search for recursion
}

// split cuts a function's body into blocks.
func (d *decoder) split(f *function) {
	var current *block
	for n := range f.body {
		i := &f.body[n]
		switch {
		case i.opcode == opFunctionParameter:
			if len(f.blocks) > 0 {
				d.fail(i, "a parameter behind the first block")
			}
		case i.opcode == opLabel:
			if current != nil {
				d.fail(i, "the block before does not end")
			}
			d.ids[i.result].block = int32(len(f.blocks))
			f.blocks = append(f.blocks, block{label: i.result, merge: -1, continueTarget: -1, position: -1, dominator: -1, loop: -1})
			current = &f.blocks[len(f.blocks)-1]
		case current == nil:
			d.fail(i, "the instruction is outside of a block")
		default:
			if i.result != 0 {
				x := &d.ids[i.result]
				x.block, x.order = int32(len(f.blocks)-1), int32(len(current.body))
			}
			current.body = append(current.body, *i)
			if i.opcode >= opBranch && i.opcode <= opUnreachable {
				current = nil
			}
		}
	}
	if current != nil || len(f.blocks) == 0 {
		d.fail(&f.raw, "the function's last block does not end")
	}
	for n := range f.blocks {
		d.successors(f, &f.blocks[n])
	}
}

// target returns the block with a label.
func (d *decoder) target(f *function, i *raw, label uint32) int32 {
	x := &d.ids[label]
	if x.kind != labelID || x.function != f.index {
		d.fail(i, "%%%d is not a label of the function", label)
	}
	if x.block == 0 {
		d.fail(i, "a branch to the function's first block")
	}
	return x.block
}

// successors reads a block's branch targets and its merge instruction.
func (d *decoder) successors(f *function, b *block) {
	i := &b.body[len(b.body)-1]
	w := i.operands
	switch i.opcode {
	case opBranch:
		b.successors = []int32{d.target(f, i, w[0])}
	case opBranchConditional:
		b.successors = []int32{d.target(f, i, w[1]), d.target(f, i, w[2])}
	case opSwitch:
		b.successors = []int32{d.target(f, i, w[1])}
		for n := 3; n < len(w); n += 2 {
			b.successors = append(b.successors, d.target(f, i, w[n]))
		}
	}
	for n := range b.body {
		m := &b.body[n]
		if m.opcode != opLoopMerge && m.opcode != opSelectionMerge {
			continue
		}
		if n != len(b.body)-2 {
			d.fail(m, "the instruction does not precede its block's last")
		}
		control := m.operands[len(m.operands)-1]
		if control != 0 && (m.opcode != opLoopMerge || control != dontUnroll) {
			d.fail(m, "not supported: control %#x", control)
		}
		b.merge = d.target(f, m, m.operands[0])
		if m.opcode == opLoopMerge {
			b.continueTarget = d.target(f, m, m.operands[1])
		}
	}
	if b.merge < 0 && i.opcode == opSwitch {
		d.fail(i, "OpSelectionMerge does not precede it")
	}
}

// dontUnroll is the loop control DontUnroll, a hint that does not affect results.
const dontUnroll = 2

// arrange orders the blocks and finds dominators and loops.
func (d *decoder) arrange(f *function) {
	d.orderBlocks(f)
	f.dominate()
	d.findLoops(f)
}

// orderBlocks finds predecessors and the order of the blocks.
func (d *decoder) orderBlocks(f *function) {
	// A block that only a merge instruction names is not reachable.
	reached := make([]bool, len(f.blocks))
	stack := []int32{0}
	reached[0] = true
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range f.blocks[n].successors {
			f.blocks[s].predecessors = append(f.blocks[s].predecessors, n)
			if !reached[s] {
				reached[s] = true
				stack = append(stack, s)
			}
		}
	}
	visited := make([]bool, len(f.blocks))
	var post []int32
	var visit func(n int32)
	visit = func(n int32) {
		visited[n] = true
		b := &f.blocks[n]
		for _, s := range [2]int32{b.merge, b.continueTarget} {
			if s >= 0 && reached[s] && !visited[s] {
				visit(s)
			}
		}
		for k := len(b.successors) - 1; k >= 0; k-- {
			if s := b.successors[k]; !visited[s] {
				visit(s)
			}
		}
		post = append(post, n)
	}
	visit(0)
	for k := len(post) - 1; k >= 0; k-- {
		f.blocks[post[k]].position = int32(len(f.order))
		f.order = append(f.order, post[k])
	}
}

// dominate finds immediate dominators (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
// Algorithm").
func (f *function) dominate() {
	f.blocks[0].dominator = 0
	for changed := true; changed; {
		changed = false
		for _, n := range f.order[1:] {
			best := int32(-1)
			for _, p := range f.blocks[n].predecessors {
				switch {
				case f.blocks[p].dominator < 0:
				case best < 0:
					best = p
				default:
					best = f.common(best, p)
				}
			}
			if best != f.blocks[n].dominator {
				f.blocks[n].dominator = best
				changed = true
			}
		}
	}
	for _, n := range f.order[1:] {
		f.blocks[n].depth = f.blocks[f.blocks[n].dominator].depth + 1
	}
}

func (f *function) common(a, b int32) int32 {
	for a != b {
		for f.blocks[a].position > f.blocks[b].position {
			a = f.blocks[a].dominator
		}
		for f.blocks[b].position > f.blocks[a].position {
			b = f.blocks[b].dominator
		}
	}
	return a
}

// dominates reports whether block a dominates block b.
func (f *function) dominates(a, b int32) bool {
	if f.blocks[a].position < 0 {
		return false
	}
	for f.blocks[b].depth > f.blocks[a].depth {
		b = f.blocks[b].dominator
	}
	return a == b
}

// findLoops finds the loops, and for each block the loops around it, the outermost first.
func (d *decoder) findLoops(f *function) {
	for _, n := range f.order { // headers of outer loops come first
		b := &f.blocks[n]
		for _, p := range b.predecessors {
			if back := f.dominates(n, p); back && b.continueTarget < 0 {
				d.fail(&b.body[len(b.body)-1], "a back edge to a block without OpLoopMerge")
			} else if !back && f.blocks[p].position > b.position {
				d.fail(&b.body[0], "a branch into the middle of a loop")
			}
		}
		if b.continueTarget < 0 {
			continue
		}
		b.loop = int32(len(d.loops))
		d.loops = append(d.loops, 0)
		for _, m := range f.order[b.position:] {
			if f.dominates(n, m) && !f.dominates(b.merge, m) {
				f.blocks[m].loops = append(f.blocks[m].loops, b.loop)
			}
		}
	}
}
