package mir

import "github.com/gpuc/gpuc/ir/op"

// Sink moves what is computed for one use only next to it, with its own operands, where that makes
// at most one other register live for longer. Kernels for GPUs load all that they need first and
// compute then, which keeps more registers live than processors have. Instructions stay in their
// blocks. Loads do not move past what may write.
func (f *Func) Sink() {
	s := sinker{reads: make([]int32, f.Indices()), user: make([]Inst, f.Indices()),
		last: make([]int32, f.Indices()), position: make([]int32, len(f.insts)), first: make([]Inst, len(f.insts))}
	s.Analyse(f)
	s.count()
	for n, b := range f.Order {
		s.sink(int32(n), b)
	}
}

// sinker is the working memory of Sink.
type sinker struct {
	Definitions
	reads    []int32 // by register: how often it is read
	user     []Inst  // the last that reads it
	last     []int32 // where the last that reads it is in the block that assigns it, or elsewhere
	position []int32 // by instruction: where it is in its block
	first    []Inst  // the first of those that were moved next to it
	operands []Operand
}

const elsewhere = 1<<31 - 1

// count finds what reads registers.
func (s *sinker) count() {
	f := s.f
	for n, b := range f.Order {
		at := int32(0)
		for i := f.First(b); i != 0; i = f.Next(i) {
			s.position[i] = at
			s.operands = f.AppendReads(s.operands[:0], i)
			for _, o := range s.operands {
				if o.IsConst() {
					continue
				}
				x := f.Index(o)
				s.reads[x]++
				s.user[x] = i
				if s.last[x] = max(s.last[x], at); s.block[x] != int32(n) || f.Op(i).Ends() {
					s.last[x] = elsewhere
				}
			}
			at++
		}
	}
}

// sink moves instructions of a block, the last first.
func (s *sinker) sink(n int32, b Block) {
	f := s.f
	writes := int32(elsewhere) // the position of the next instruction that may write
	for i := f.Last(b); i != 0; {
		before := f.insts[i].prev
		if !s.movable(i) && f.Op(i) != Op(op.Load) {
			writes = s.position[i]
		}
		if u := s.target(i, n); u != 0 && (f.Op(i) != Op(op.Load) || f.Memory(i).Unchanged || writes > s.position[u]) && s.extended(i, n, s.position[u], 0) <= 1 {
			s.move(b, i, u)
		}
		i = before
	}
}

// movable reports whether an instruction has no effect and reads no memory.
func (s *sinker) movable(i Inst) bool {
	o := s.f.Op(i)
	return o < Join && op.Op(o).Pure() && !IsTexture(o) || o == Join || o == Split || o == MulWide
}

// target returns what alone reads an instruction's only result, if it is in the block and has no
// effect, or 0.
func (s *sinker) target(i Inst, n int32) Inst {
	f := s.f
	if !s.movable(i) && f.Op(i) != Op(op.Load) || len(f.Results(i)) != 1 {
		return 0
	}
	x := f.Index(f.Result(i))
	if s.reads[x] != 1 || s.last[x] == elsewhere {
		return 0
	}
	if u := s.user[x]; s.movable(u) || f.Op(u) == Op(op.Load) {
		return u
	}
	return 0
}

// maxSinkDepth bounds how far the operands of what moves are followed.
const maxSinkDepth = 8

// many is more registers than may be live for longer.
const many = 2

// extended returns how many registers are live for longer if an instruction of block n moves to a
// position, at most many. Its operands may be read there or later anyhow, or move with it.
func (s *sinker) extended(i Inst, n, to int32, depth int) (count int) {
	f := s.f
	for _, o := range f.AppendReads(nil, i) {
		if o.IsConst() {
			continue
		}
		x := f.Index(o)
		if s.block[x] != n || s.last[x] >= to {
			continue
		}
		switch d := s.inst[x]; {
		case s.reads[x] > 1:
			count++
		case d == 0 || len(f.Results(d)) != 1 || !s.movable(d) || depth == maxSinkDepth:
			return many
		default:
			count += s.extended(d, n, to, depth+1)
		}
	}
	return min(count, many)
}

// move puts an instruction in front of another one, and of what has moved there.
func (s *sinker) move(b Block, i, to Inst) {
	f := s.f
	at := to
	for s.first[at] != 0 {
		at = s.first[at]
	}
	s.first[to], s.position[i] = i, s.position[to]
	s.operands = f.AppendReads(s.operands[:0], i)
	for _, o := range s.operands {
		if !o.IsConst() {
			s.last[f.Index(o)] = max(s.last[f.Index(o)], s.position[i])
		}
	}
	if f.insts[i].next == at {
		return
	}
	f.Remove(b, i)
	x, y := &f.insts[i], &f.insts[at]
	x.prev, x.next = y.prev, at
	if y.prev == 0 {
		f.blocks[b].first = i
	} else {
		f.insts[y.prev].next = i
	}
	y.prev = i
}
