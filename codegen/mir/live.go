package mir

import "github.com/gpuc/gpuc/ir"

// This file computes liveness. A register has one definition, so it is live from each use backward
// to its definition. The algorithm is the one by use of Boissinot et al., "Computing Liveness Sets
// for SSA-Form Programs", 2011. What an edge passes is read at the end of the block before, and a
// block's parameters are assigned at its beginning.

// Liveness says which registers are live where blocks begin. It says nothing any more
// once the function changes.
type Liveness struct {
	f      *Func
	first  []uint32 // by block: its list of live registers, in nodes
	nodes  []liveNode
	defs   []Block  // by register
	uses   []uint32 // by register: its list of blocks, in nodes
	marks  []Operand
	stack  []Block
	start  []uint32 // by block: where its predecessors begin
	preds  []Block
	stamps []uint32
}

type liveNode struct{ value, next uint32 }

// Analyse finds what is live in a function: of all registers, or of blocks' parameters alone.
func (l *Liveness) Analyse(f *Func, paramsOnly bool) {
	l.f = f
	l.first = ir.Zeroed(l.first, len(f.blocks))
	l.marks = ir.Zeroed(l.marks, len(f.blocks))
	l.defs = ir.Zeroed(l.defs, f.Indices())
	l.uses = ir.Zeroed(l.uses, f.Indices())
	l.nodes = append(l.nodes[:0], liveNode{})
	l.predecessors()
	if !paramsOnly {
		for _, p := range f.Params {
			l.defs[f.Index(p)] = f.Order[0]
		}
	}
	for _, b := range f.Order {
		for _, p := range f.BlockParams(b) {
			l.defs[f.Index(p)] = b
		}
		if paramsOnly {
			continue
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, r := range f.Results(i) {
				l.defs[f.Index(r)] = b
			}
		}
	}
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, o := range f.Args(i) {
				l.use(b, o)
			}
			if HasMemory(f.Op(i)) {
				m := f.Memory(i)
				l.use(b, m.Base)
				l.use(b, m.Index)
			}
			for _, e := range f.Edges(i) {
				for _, o := range f.EdgeArgs(e) {
					l.use(b, o)
				}
			}
		}
	}
	for c := Predicate; c < ClassCount; c++ {
		for n := range f.count[c] {
			r := Register(c, n)
			for at := l.uses[f.Index(r)]; at != 0; at = l.nodes[at].next {
				l.climb(r, Block(l.nodes[at].value))
			}
		}
	}
}

// use notes that a block reads a register that another one assigns.
func (l *Liveness) use(b Block, o Operand) {
	if o == NoOperand || o.IsConst() {
		return
	}
	n := l.f.Index(o)
	if def := l.defs[n]; def == 0 || def == b {
		return
	}
	if at := l.uses[n]; at != 0 && l.nodes[at].value == uint32(b) {
		return
	}
	l.nodes = append(l.nodes, liveNode{uint32(b), l.uses[n]})
	l.uses[n] = uint32(len(l.nodes) - 1)
}

// climb makes a register live where a block begins, and in all blocks between it and
// the register's own.
func (l *Liveness) climb(r Operand, b Block) {
	def := l.defs[l.f.Index(r)]
	l.stack = append(l.stack[:0], b)
	for len(l.stack) > 0 {
		b := l.stack[len(l.stack)-1]
		l.stack = l.stack[:len(l.stack)-1]
		if b == def || l.marks[b] == r {
			continue
		}
		l.marks[b] = r
		l.nodes = append(l.nodes, liveNode{uint32(r), l.first[b]})
		l.first[b] = uint32(len(l.nodes) - 1)
		l.stack = append(l.stack, l.Predecessors(b)...)
	}
}

// LiveIn appends the registers that are live where a block begins, without its parameters.
func (l *Liveness) LiveIn(list []Operand, b Block) []Operand {
	for at := l.first[b]; at != 0; at = l.nodes[at].next {
		list = append(list, Operand(l.nodes[at].value))
	}
	return list
}

// Predecessors returns the blocks that lead to a block, one twice if it does so by two edges.
func (l *Liveness) Predecessors(b Block) []Block { return l.preds[l.start[b]:l.start[b+1]] }

func (l *Liveness) predecessors() {
	f := l.f
	l.start = ir.Zeroed(l.start, len(f.blocks)+2)
	edges := 0
	for _, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			l.start[e.To+2]++
			edges++
		}
	}
	for n := 2; n < len(l.start); n++ {
		l.start[n] += l.start[n-1]
	}
	l.preds = ir.Zeroed(l.preds, edges)
	for _, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			l.preds[l.start[e.To+1]] = b
			l.start[e.To+1]++
		}
	}
}

// Pressure returns the most registers of each class that are live at once, in a function
// whose liveness is that of all registers.
func (l *Liveness) Pressure() (most [ClassCount]uint32) {
	f := l.f
	l.stamps = ir.Zeroed(l.stamps, f.Indices())
	var live [ClassCount]uint32
	begin := func(stamp uint32, o Operand) {
		if o == NoOperand || o.IsConst() || l.stamps[f.Index(o)] == stamp {
			return
		}
		l.stamps[f.Index(o)] = stamp
		live[o.Class()]++
	}
	var list []Operand
	for n, b := range f.Order {
		stamp := uint32(n + 1)
		live = [ClassCount]uint32{}
		raise := func() {
			for c := range most {
				most[c] = max(most[c], live[c])
			}
		}
		end := func(r Operand) {
			if l.stamps[f.Index(r)] == stamp {
				l.stamps[f.Index(r)] = 0
				live[r.Class()]--
			}
		}
		last := f.Last(b)
		for _, e := range f.Edges(last) {
			list = l.LiveIn(list[:0], e.To)
			for _, r := range list {
				begin(stamp, r)
			}
			for _, o := range f.EdgeArgs(e) {
				begin(stamp, o)
			}
		}
		raise()
		for i := last; i != 0; i = f.insts[i].prev {
			for _, r := range f.Results(i) {
				begin(stamp, r) // it takes a register even if nothing reads it
			}
			raise()
			for _, r := range f.Results(i) {
				end(r)
			}
			for _, o := range f.Args(i) {
				begin(stamp, o)
			}
			if HasMemory(f.Op(i)) {
				begin(stamp, f.Memory(i).Base)
				begin(stamp, f.Memory(i).Index)
			}
			raise()
		}
		for _, p := range f.BlockParams(b) {
			begin(stamp, p)
		}
		raise()
	}
	return most
}

// Early reports whether the arguments of edge n of a branch may be assigned before the branch,
// although it may take the other edge. That needs parameters that neither the branch reads nor
// anything on the other edge or after it. With says that the arguments of the other edge are
// assigned at the same time, so that they read the old values.
func (l *Liveness) Early(branch Inst, n int, with bool) bool {
	f := l.f
	edges := f.Edges(branch)
	to, other := edges[n].To, edges[1-n]
	if to == other.To {
		return false
	}
	l.stamps = ir.Zeroed(l.stamps, f.Indices())
	mark := func(o Operand) {
		if o != NoOperand && !o.IsConst() {
			l.stamps[f.Index(o)] = 1
		}
	}
	mark(f.Arg(branch, 0))
	for at := l.first[other.To]; at != 0; at = l.nodes[at].next {
		mark(Operand(l.nodes[at].value))
	}
	if !with {
		for _, o := range f.EdgeArgs(other) {
			mark(o)
		}
	}
	args := f.EdgeArgs(edges[n])
	for k, p := range f.BlockParams(to) {
		if args[k] != p && l.stamps[f.Index(p)] != 0 {
			return false
		}
	}
	return true
}
