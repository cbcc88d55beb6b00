package expr

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file decides which tensors of a graph are stored, each by a kernel that computes what it
// depends on down to other stored tensors (a partition into fusion groups). It begins with the
// tensors that were asked for, and builds all kernels. A kernel that cannot have one of its tensors
// says so, that tensor is stored too, and the planner begins again.

// Limits of kernels.
const (
	// maxInputs is how many tensors a kernel reads: with the result and the sizes they are within
	// the 8 storage buffers and one uniform buffer of WebGPU.
	maxInputs = 7
	// maxValues is how many values a kernel computes.
	maxValues = 192
	// A tensor that several kernels use is computed by each of them if that costs at most maxCost
	// additions for an element and reads at most maxReads tensors.
	maxCost, maxReads = 4, 2
	// never is a cost above all limits.
	never = 1 << 30
)

// piece says that a reduction is done in two kernels: the first one reduces chunks of some length.
type piece struct {
	chunks, length int
	columns        bool // the chunks are the first axis of what is between, not the last
	slot           int  // of what is between, or 0 before its kernel is made
}

// planner makes a plan. Tensors are numbered in an order in which they follow what they depend on.
type planner struct {
	c      *Context
	nodes  []*Tensor
	roots  []int
	stored []bool   // has a buffer: elements that are there, or a kernel's result
	why    []string // why a tensor is stored that nobody asked for
	pieces []piece  // by reduction; without chunks it is one kernel's
	owners [][]int  // kernels that compute a tensor: twice the number of the result, or one more
	cost   []int
	reads  []int
	// factors has sizes that an axis of a kernel is divided into, by kernel and axis.
	factors map[[2]int][]int
	slots   []slot
	steps   []*step
	again   bool // the kernel that is built has to be built again
}

// slot is a buffer of a plan: that of a tensor, with its number, or one between two kernels.
type slot struct {
	element Type
	count   int
}

func (p *planner) operands(n int) []*Tensor {
	list := p.nodes[n].operands[:]
	for len(list) > 0 && list[len(list)-1] == nil {
		list = list[:len(list)-1]
	}
	return list
}

// isData reports whether a tensor has elements, or none at all.
func (p *planner) isData(n int) bool { return p.nodes[n].op == opData || p.nodes[n].count() == 0 }

// store has a tensor stored, and the kernel built again.
func (p *planner) store(n int, format string, values ...any) {
	if p.why[n] == "" {
		p.why[n] = fmt.Sprintf(format, values...)
	}
	p.again = true
}

// newPlan makes the plan for the nodes of an evaluation.
func newPlan(c *Context, nodes []*Tensor, roots []int) (*plan, error) {
	n := len(nodes)
	p := &planner{c: c, nodes: nodes, roots: roots, stored: make([]bool, n), why: make([]string, n), pieces: make([]piece, n),
		owners: make([][]int, n), cost: make([]int, n), reads: make([]int, n), factors: map[[2]int][]int{}}
	p.products()
	for range 4*n + 16 { // each attempt stores a tensor, or divides a reduction or an axis
		if !p.attempt() {
			return p.plan(), nil
		}
	}
	return nil, fmt.Errorf("expr: %w: no kernels were found for a graph of %d tensors; Run some of them before", gpu.ErrUnsupported, n)
}

// products has the operands of products stored: what they are views of.
func (p *planner) products() {
	for n, t := range p.nodes {
		if t.op != opMatMul || t.count() == 0 {
			continue
		}
		for _, x := range p.operands(n) {
			if k := p.base(x.number); !p.isData(k) {
				p.store(k, "a product reads its operands from memory")
			}
		}
	}
}

// base returns what a tensor is a view of.
func (p *planner) base(n int) int {
	for p.nodes[n].op.row().class == view && !p.stored[n] {
		n = p.nodes[n].operands[0].number
	}
	return n
}

// attempt builds all kernels, and reports whether a tensor more has to be stored.
func (p *planner) attempt() (more bool) {
	p.steps, p.slots = nil, nil
	for k := range p.pieces {
		p.pieces[k].slot = 0
	}
	for _, t := range p.nodes {
		p.slots = append(p.slots, slot{t.element, t.count()})
	}
	p.measure()
	p.divide()
	for k := range p.nodes {
		if p.stored[k] && !p.isData(k) {
			p.again = false
			p.kernels(k)
			more = more || p.again
		}
	}
	return more
}

// measure computes what computing a tensor's elements costs, and how many tensors that reads.
func (p *planner) measure() {
	for n, t := range p.nodes {
		row := t.op.row()
		p.cost[n], p.reads[n] = row.cost, 0
		if p.isData(n) || p.why[n] != "" {
			p.cost[n], p.reads[n] = 0, 1
			continue
		}
		if row.class == reduction || row.class == product {
			p.cost[n] = never
			continue
		}
		for _, x := range p.operands(n) {
			p.cost[n] = min(p.cost[n]+p.cost[x.number], never)
			p.reads[n] = min(p.reads[n]+p.reads[x.number], never)
		}
	}
}

// divide decides which tensors are stored, from the results to what they depend on.
func (p *planner) divide() {
	for n := range p.nodes {
		p.owners[n] = p.owners[n][:0]
		p.stored[n] = p.isData(n) || p.why[n] != "" || slices.Contains(p.roots, n)
	}
	for n := len(p.nodes) - 1; n >= 0; n-- {
		if p.isData(n) {
			continue
		}
		class := p.nodes[n].op.row().class
		if len(p.owners[n]) > 1 && !p.stored[n] && class != view && class != given && (p.cost[n] > maxCost || p.reads[n] > maxReads) {
			p.stored[n] = true
			p.why[n] = fmt.Sprintf("%d kernels use it", len(p.owners[n]))
		}
		owners := p.owners[n]
		switch {
		case p.pieces[n].chunks > 0:
			owners = []int{2*n + 1}
		case p.stored[n]:
			owners = []int{2 * n}
		}
		for _, x := range p.operands(n) {
			for _, k := range owners {
				if !slices.Contains(p.owners[x.number], k) {
					p.owners[x.number] = append(p.owners[x.number], k)
				}
			}
		}
	}
}

// kernels makes the steps that store tensor n: those of reductions in pieces first, that its kernel
// finishes.
func (p *planner) kernels(n int) {
	for k := range n + 1 {
		in := p.pieces[k].chunks > 0 && (k == n || !p.stored[k] && slices.Contains(p.owners[k], 2*n))
		if in && p.pieces[k].slot == 0 {
			p.piece(k)
		}
	}
	if p.again {
		return
	}
	b := newBuilder(p, 2*n)
	t := p.nodes[n]
	at := b.access(t.shape)
	result := b.root(n, at)
	if p.again {
		return
	}
	p.emit(b, n, result, linear(t.shape, at))
}

// piece makes the step that reduces the chunks of reduction n.
func (p *planner) piece(n int) {
	t, d := p.nodes[n], &p.pieces[n]
	b := newBuilder(p, 2*n+1)
	b.chunks = *d
	at := b.access(t.shape)
	result := b.reduce(n, at)
	if p.again {
		return
	}
	d.slot = p.between(t.element, count(t.shape)*d.chunks)
	p.emit(b, n, result, index{})
}

// between returns a new slot for what one kernel passes to another. Floats are float32 there.
func (p *planner) between(element Type, n int) int {
	if element.packed() {
		element = Float32
	}
	p.slots = append(p.slots, slot{element, n})
	return len(p.slots) - 1
}

// extents returns how many elements a reduction makes of how many each.
func (p *planner) extents(n int) (rows, columns int) {
	rows = p.nodes[n].count()
	return rows, p.nodes[n].operands[0].count() / max(rows, 1)
}

// chunksOf returns how a reduction is divided, if it makes too few elements to fill a device. inner
// says that a workgroup reduces consecutive elements to one; otherwise an invocation does. It
// depends on the shape alone, so that all devices add in the same order.
func chunksOf(rows, columns int, inner bool) piece {
	target, least := 1<<17, 64 // invocations, elements of each
	if inner {
		target, least = 1<<10, 4096 // workgroups
	}
	if columns < 4*least && !inner || rows >= target || columns <= least {
		return piece{}
	}
	chunks := min((target+rows-1)/rows, (columns+least-1)/least)
	length := (columns + chunks - 1) / chunks
	length = (length + 3) &^ 3
	chunks = (columns + length - 1) / length
	if chunks < 2 {
		return piece{}
	}
	return piece{chunks: chunks, length: length, columns: !inner}
}

// joins reports whether a kernel that computes whole rows has a reduction of them, and why not.
func joins(rows, columns int, inner bool) string {
	switch {
	case inner && (columns <= maxHeld || rows >= 256):
	case !inner && (columns <= 64 || rows >= 1<<14):
	default:
		return fmt.Sprintf("%d rows of %d elements are too few and too long for a kernel that reads them several times", rows, columns)
	}
	return ""
}
