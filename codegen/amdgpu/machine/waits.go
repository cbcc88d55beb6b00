package machine

import (
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file inserts waits (LLVM: SIInsertWaitcnts). Accesses to memory are asynchronous, and
// counters have the number of outstanding ones. Those of a counter complete in order, except for
// scalar loads. Before the register that an access writes is used, the code waits until no more are
// outstanding than have begun since. Before a barrier it waits for all, so that the workgroup sees
// them.
//
// In the same pass wait states are inserted (hazards.go).
//
// Both are a forward data-flow analysis: states are joined at labels until nothing changes. Then a
// last pass inserts instructions.

// The counters.
const (
	vectorCount = iota // global and private memory, of gfx11 loads only
	localCount         // workgroup memory and scalar loads
	storeCount         // stores of gfx11
	counters
)

// waitState is what is outstanding at a point of the code. The accesses of a counter are numbered;
// those up to done have completed. Registers have the number of the access that writes them.
type waitState struct {
	begun, done [counters]int32
	scalar      int32         // the last access of localCount that is a scalar load
	vectors     [2][256]int32 // by vectorCount and localCount
	scalars     [128]int32
	hazards     hazardState
	known       bool
}

// flowBlock is a basic block of the code.
type flowBlock struct {
	first, end int
	next       [2]int // its successors, or -1
	in         waitState
	changed    bool // in has changed since the block was last processed
}

// insertWaits inserts waits and wait states.
func (c *code) insertWaits() {
	blocks := c.flowBlocks()
	blocks[0].in.known, blocks[0].changed = true, true
	blocks[0].in.hazards.products = c.hasProducts()
	blocks[0].in.hazards.begin()
	for changed := true; changed; {
		changed = false
		for n := range blocks {
			b := &blocks[n]
			if !b.changed {
				continue
			}
			b.changed = false
			state := b.in
			for at := b.first; at < b.end; at++ {
				c.advance(&state, &c.list[at], nil)
			}
			state.normalise()
			for _, next := range b.next {
				if next >= 0 && blocks[next].in.join(&state) {
					blocks[next].changed, changed = true, true
				}
			}
		}
	}
	out := make([]instruction, 0, len(c.list)+len(c.list)/3)
	for n := range blocks {
		b := &blocks[n]
		state := b.in
		for at := b.first; at < b.end; at++ {
			c.advance(&state, &c.list[at], &out)
			if c.replays(out, &c.list[at]) {
				out = append(out, instruction{op: opNop})
			}
			out = append(out, c.list[at])
		}
	}
	c.list = out
}

// flowBlocks divides the code into basic blocks.
func (c *code) flowBlocks() []flowBlock {
	var blocks []flowBlock
	labels := make([]int, c.labels+1)
	first := 0
	for at := range c.list {
		i := &c.list[at]
		if i.op == labelMark {
			if at > first {
				blocks = append(blocks, flowBlock{first: first, end: at})
			}
			first = at
			labels[i.offset] = len(blocks)
		} else if operations[i.op].effects&(isa.Jumps|isa.Ends) != 0 {
			blocks = append(blocks, flowBlock{first: first, end: at + 1})
			first = at + 1
		}
	}
	for n := range blocks {
		b := &blocks[n]
		b.next = [2]int{-1, -1}
		last := &c.list[b.end-1]
		effects := isa.Effects(0)
		if last.op != labelMark {
			effects = operations[last.op].effects
		}
		if effects&isa.Jumps != 0 {
			b.next[1] = labels[last.offset]
		}
		if effects&isa.Ends == 0 && n+1 < len(blocks) {
			b.next[0] = n + 1
		}
	}
	return blocks
}

// normalise renumbers the accesses so that the last one is 0, to make states of different paths
// comparable.
func (w *waitState) normalise() {
	shift := func(x *int32, counter int) {
		if *x <= w.done[counter] {
			*x = ended
		} else {
			*x = max(*x-w.begun[counter], -maxCount)
		}
	}
	shift(&w.scalar, localCount)
	for n := range w.vectors[0] {
		shift(&w.vectors[0][n], vectorCount)
		shift(&w.vectors[1][n], localCount)
	}
	for n := range w.scalars {
		shift(&w.scalars[n], localCount)
	}
	for n := range w.begun {
		w.done[n] = max(w.done[n]-w.begun[n], -maxCount-1)
		w.begun[n] = 0
	}
	w.hazards.normalise()
}

// maxCount is above the maximum of all counters. ended is the number of an access that has
// completed.
const (
	maxCount = 64
	ended    = -2 * maxCount
)

// join merges the state of another path, and reports whether that changes w.
func (w *waitState) join(o *waitState) bool {
	if !w.known {
		*w = *o
		return true
	}
	changed := w.hazards.join(&o.hazards)
	for n := range w.done {
		// what has completed here must not become outstanding again by the other count
		if o.done[n] < w.done[n] {
			w.forget(n, w.done[n])
			w.done[n], changed = o.done[n], true
		}
	}
	later := func(x *int32, y int32, counter int) {
		if y > o.done[counter] && y > *x {
			*x, changed = y, true
		}
	}
	later(&w.scalar, o.scalar, localCount)
	for n := range w.vectors[0] {
		later(&w.vectors[0][n], o.vectors[0][n], vectorCount)
		later(&w.vectors[1][n], o.vectors[1][n], localCount)
	}
	for n := range w.scalars {
		later(&w.scalars[n], o.scalars[n], localCount)
	}
	return changed
}

// forget marks accesses that have completed.
func (w *waitState) forget(counter int, done int32) {
	old := func(x *int32) {
		if *x <= done {
			*x = ended
		}
	}
	switch counter {
	case vectorCount:
		for n := range w.vectors[0] {
			old(&w.vectors[0][n])
		}
	case localCount:
		old(&w.scalar)
		for n := range w.vectors[1] {
			old(&w.vectors[1][n])
		}
		for n := range w.scalars {
			old(&w.scalars[n])
		}
	}
}

// need is how many accesses of each counter may stay outstanding. The maximum of the counter means
// that there is nothing to wait for.
type need [counters]int32

func (w *waitState) require(n *need, limits *[counters]int32, counter int, access int32) {
	if access > w.done[counter] {
		n[counter] = min(n[counter], w.begun[counter]-access, limits[counter]-1)
	}
}

// advance updates the state for an instruction. It appends the waits and nops that the instruction
// needs to out, unless that is nil.
func (c *code) advance(w *waitState, i *instruction, out *[]instruction) {
	if i.op == labelMark {
		return
	}
	row := &operations[i.op]
	n := need(c.target.counts)
	if i.op == opBarrier {
		n = need{}
	}
	for k := range i.count {
		o := i.args[k]
		words := c.operandWords(i, int(k))
		switch o.kind() {
		case assignedVector:
			for r := range words {
				w.require(&n, &c.target.counts, vectorCount, w.vectors[0][int(o.number())+r])
				w.require(&n, &c.target.counts, localCount, w.vectors[1][int(o.number())+r])
			}
		case assignedScalar:
			for r := range words {
				w.require(&n, &c.target.counts, localCount, w.scalars[int(o.number())+r])
			}
		}
	}
	if n[localCount] < c.target.counts[localCount] && w.scalar > w.done[localCount] {
		n[localCount] = 0 // scalar loads complete in any order
	}
	for counter := range n {
		if pending := w.begun[counter] - w.done[counter]; n[counter] >= pending {
			n[counter] = c.target.counts[counter] // no more are outstanding
		}
	}
	if n != need(c.target.counts) {
		c.wait(w, n, out)
	}
	c.insertNops(w, i, out)
	c.begin(w, i, row)
}

// wait appends a wait.
func (c *code) wait(w *waitState, n need, out *[]instruction) {
	for counter := range n {
		if n[counter] < c.target.counts[counter] {
			w.done[counter] = max(w.done[counter], w.begun[counter]-n[counter])
		}
	}
	count := isa.NoWait(c.target.family)
	count.VM, count.LGKM = uint8(min(n[vectorCount], int32(count.VM))), uint8(min(n[localCount], int32(count.LGKM)))
	if count != isa.NoWait(c.target.family) {
		w.hazards.issue(1)
		if out != nil {
			*out = append(*out, instruction{op: isa.SWaitcnt, offset: count.Encode(c.target.family)})
		}
	}
	if n[storeCount] < c.target.counts[storeCount] {
		w.hazards.issue(1)
		if out != nil {
			*out = append(*out, instruction{op: isa.SWaitcntVscnt, offset: n[storeCount], count: 1, args: [6]operand{null}})
		}
	}
}

// begin counts the access that an instruction begins.
func (c *code) begin(w *waitState, i *instruction, row *operation) {
	counter := 0
	switch i.op.Counter(c.target.family) {
	case isa.VectorMemory:
		counter = vectorCount
	case isa.ScalarOrLocal:
		counter = localCount
	case isa.VectorStores:
		counter = storeCount
	default:
		return
	}
	w.begun[counter]++
	access := w.begun[counter]
	if row.format == isa.SMEM {
		w.scalar = access
	}
	for k := range row.results {
		o := i.args[k]
		for r := range c.operandWords(i, int(k)) {
			switch {
			case o.kind() == assignedScalar:
				w.scalars[int(o.number())+r] = access
			case counter == vectorCount:
				w.vectors[0][int(o.number())+r] = access
			default:
				w.vectors[1][int(o.number())+r] = access
			}
		}
	}
}

// replays reports whether an access to memory writes a register that one right before it reads.
// Such accesses form a clause. After a page fault, if those can be retried, the whole clause is
// begun again (LLVM, "checkSoftClauseHazards").
func (c *code) replays(out []instruction, i *instruction) bool {
	if i.op == labelMark {
		return false
	}
	row := &operations[i.op]
	clause := func(f isa.Format) bool {
		return f == row.format && (f == isa.SMEM || f == isa.Global || f == isa.Scratch)
	}
	for n := len(out) - 1; n >= 0 && out[n].op != labelMark && clause(operations[out[n].op].format); n-- {
		before := &operations[out[n].op]
		for k := range out[n].count {
			for d := range row.results {
				if before.shape[k].source && c.overlap(&out[n], int(k), i, int(d)) {
					return true
				}
			}
		}
	}
	return false
}

// overlap reports whether two operands have a register in common.
func (c *code) overlap(x *instruction, n int, y *instruction, m int) bool {
	a, b := x.args[n], y.args[m]
	return a.kind() == b.kind() && a.number() < b.number()+uint32(c.operandWords(y, m)) && b.number() < a.number()+uint32(c.operandWords(x, n))
}
