package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file skips branches that no lane takes (branch on superword condition code), by one scalar
// comparison instead of a vector one. Reductions and scans continue with fewer and fewer lanes (if
// lane < step), so that most blocks of lanes have none. It applies to comparisons of a uniform word
// with the id of an invocation in its workgroup, or with a word that grows with the id and cannot
// wrap.

// skipOf returns the comparison by which lanes diverge at the end of a block, or 0. It is made only
// if perhaps some lane has to go on there.
func (s *selector) skipOf(n int) mir.Inst { return s.skips[n] }

// findSkips finds all of these.
func (s *selector) findSkips() {
	s.skips = ir.Zeroed(s.skips, s.blockCount())
	for n := range s.skips {
		s.skips[n] = s.skippable(n)
	}
}

func (s *selector) skippable(n int) mir.Inst {
	f, w := s.f, &s.flow
	i := s.partingComparison(n)
	if i == 0 || !w.masked[n] || w.partial[n] {
		return 0
	}
	edges := s.edges(n)
	yes, no := int(s.p.At[edges[0].To]), int(s.p.At[edges[1].To])
	if !w.partial[yes] || w.partial[no] || no <= n {
		return 0
	}
	if x, y := f.Arg(i, 0), f.Arg(i, 1); s.isCounter(x) && s.isCommonWord(y) || s.isCommonWord(x) && s.isCounter(y) {
		return i
	}
	return 0
}

// isCommonWord reports whether an operand is a word in a general register that lanes have in
// common, or a constant.
func (s *selector) isCommonWord(o mir.Operand) bool {
	return o.IsConst() || !s.varies(o) && s.value(o).form == inGeneral
}

// isCounter reports whether a register grows from lane to lane and from block to block of lanes,
// and does not wrap.
func (s *selector) isCounter(o mir.Operand) bool {
	return !o.IsConst() && s.maxOf(o) >= 0
}

// maxOf returns the maximum of such a register over all lanes, or -1 if it is none.
func (s *selector) maxOf(o mir.Operand) int64 {
	f := s.f
	i, ok := s.definition(o)
	if !ok || s.value(o).form != inGeneral || !s.value(o).strided || s.value(o).stride <= 0 {
		return -1
	}
	if f.Op(i) == mir.Builtin {
		x, component := lower.AuxBuiltin(f.Aux(i))
		if w := s.p.Workgroup; x == ir.LocalInvocationIndex || x == ir.LocalInvocationID && component == 0 && w[1]*w[2] == 1 {
			return blocks(s.p)*lanes - 1
		}
		return -1
	}
	if !f.Kind(i).IsInteger() || len(f.Args(i)) != 2 || !f.Arg(i, 1).IsConst() {
		return -1
	}
	x, y := s.maxOf(f.Arg(i, 0)), int64(f.Bits(f.Arg(i, 1)))
	if x < 0 {
		return -1
	}
	switch op.Op(f.Op(i)) {
	case op.Add:
		x += y
	case op.Mul:
		x *= y
	case op.Shl:
		x <<= y & 31
	default:
		return -1
	}
	if x >= 1<<31 || y >= 1<<31 {
		return -1
	}
	return x
}

// mirrored are the relations with their operands exchanged.
var mirrored = [op.Count]op.Op{op.Eq: op.Eq, op.Lt: op.Gt, op.Le: op.Ge, op.Gt: op.Lt, op.Ge: op.Le}

// emitSkip jumps after what a comparison leads to if it holds for no lane.
func (s *selector) emitSkip(n int, i mir.Inst) {
	f := s.f
	x, y, relation := f.Arg(i, 0), f.Arg(i, 1), op.Op(f.Op(i))
	if !s.isCounter(x) {
		x, y, relation = y, x, mirrored[relation]
	}
	some := s.label()
	v := s.value(x)
	first, last := &s.sets[0].values[f.Index(x)], &s.sets[len(s.sets)-1].values[f.Index(x)]
	switch relation {
	case op.Lt, op.Le: // it holds for the first lane if for any
		s.compare(amd64.Narrow, first.general, y)
	case op.Gt, op.Ge:
		r := s.freshGeneral()
		i := amd64.Of(amd64.Lea, amd64.Narrow, r, amd64.Mem)
		i.Address = amd64.At(last.general, v.stride*(lanes-1))
		s.append(&i)
		s.compare(amd64.Narrow, r, y)
	case op.Eq: // perhaps if it lies between the first and the last
		r := s.freshGeneral()
		s.emit(amd64.Mov, amd64.Wide, r, s.general(y))
		s.emit(amd64.Sub, amd64.Narrow, r, first.general)
		s.compareWith(amd64.Narrow, r, int64(v.stride)*(lanes*int64(len(s.sets))-1))
	}
	condition := amd64.BelowEqual
	if relation != op.Eq {
		condition = relations[mir.Op(relation)][sign(f.Kind(i))]
	}
	s.jumpIf(condition, some)
	s.noteEarlyOut(n, relation, first.general, y)
	var masks [maxSets]amd64.Operand
	for u := range s.sets {
		s.use(u)
		masks[u] = s.mask()
	}
	s.pass(n, 1, &masks)
	s.jump(s.flow.labels[s.p.At[s.edges(n)[1].To]])
	s.mark(some)
	s.epoch++
}
