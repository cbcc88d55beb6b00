package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file removes instructions that nothing needs: it threads jumps to jumps, removes unreachable
// code and jumps to the next instruction, and eliminates dead code.

// threadJumps replaces jumps to jumps by jumps to the final target, and removes those to the next
// instruction. Known, if not nil, has the refs of the list, which are kept.
func (s *selector) threadJumps(known *liveness) {
	if s.threadJumpsOnce(known) {
		s.threadJumpsOnce(known)
	}
}

// threadJumpsOnce reports whether it changed anything. It looks at labels, jumps and returns alone,
// and moves what is between them.
func (s *selector) threadJumpsOnce(known *liveness) (changed bool) {
	list := s.list
	s.targets, s.marks, s.used = ir.Zeroed(s.targets, s.labs), ir.Zeroed(s.marks, s.labs), ir.Zeroed(s.used, s.labs)
	// by label: the label that is jumped to at once there, or itself; where it is
	target, markAt, used := s.targets, s.marks, s.used
	ways := s.ways[:0]
	for n := range list {
		switch list[n].Op {
		case amd64.Mark:
			markAt[list[n].Operands[0].Number()] = int32(n + 1)
		case amd64.Jmp, amd64.Jcc, amd64.Ret:
		default:
			continue
		}
		ways = append(ways, int32(n))
	}
	s.ways = ways
	for n := range target {
		target[n] = int32(n)
		if markAt[n] == 0 { // where execution resumes after a preemption
			continue
		}
		at := int(markAt[n])
		for at < len(list) && list[at].Op == amd64.Mark {
			at++
		}
		if at < len(list) && list[at].Op == amd64.Jmp {
			target[n] = int32(list[at].Operands[0].Number())
		}
	}
	for _, n := range ways {
		i := &list[n]
		if i.Op == amd64.Jcc && int(n)+1 < len(list) && list[n+1].Op == amd64.Jmp && s.follows(list, int(n)+2, i.Operands[0].Number()) {
			i.Condition, i.Operands[0] = i.Condition.Negated(), list[n+1].Operands[0]
			list[n+1].Op = amd64.Nop
			list[n+1].Operands[0] = 0
		}
		if i.Op == amd64.Jmp || i.Op == amd64.Jcc {
			to := i.Operands[0].Number()
			for range 8 {
				to = int(target[to])
			}
			i.Operands[0] = amd64.Label(to)
			used[to] = true
		}
	}
	var kept packed
	keep := func(first, end int32) {
		kept.keep(list, first, end)
		if known != nil {
			kept.keepRefs(known, first, end)
		}
		kept.instructions += end - first
	}
	dead, from := false, int32(0) // what is from there on has not been looked at
	for _, n := range ways {
		i := &list[n]
		reached := !dead || i.Op == amd64.Mark && used[i.Operands[0].Number()]
		if !dead {
			keep(from, n)
		}
		from = n + 1
		switch {
		case !reached, i.Op == amd64.Nop, i.Op == amd64.Mark && !used[i.Operands[0].Number()], i.Op == amd64.Jmp && s.follows(list, int(n)+1, i.Operands[0].Number()):
			continue
		}
		dead = i.Op == amd64.Jmp || i.Op == amd64.Ret
		keep(n, n+1)
	}
	if !dead {
		keep(from, int32(len(list)))
	}
	if known != nil {
		kept.end(known)
	}
	s.list = list[:kept.instructions]
	return len(s.list) < len(list)
}

// follows reports whether a label is at an index, perhaps after others.
func (s *selector) follows(list []amd64.Instruction, at, label int) bool {
	for ; at < len(list) && (list[at].Op == amd64.Mark || list[at].Op == amd64.Nop); at++ {
		if list[at].Op == amd64.Mark && list[at].Operands[0].Number() == label {
			return true
		}
	}
	return false
}

// plain are the instructions of general registers that may be left out: they have one result, and
// what some of them leave in flags is nobody's (isPlain).
var plain = [amd64.Ops]bool{amd64.Mov: true, amd64.Lea: true, amd64.MovSXD: true, amd64.MovZX8: true, amd64.MovZX16: true,
	amd64.IMul: true, amd64.IMulImm: true, amd64.Add: true, amd64.Sub: true, amd64.Shl: true}

// isPlain reports whether the instruction with that index in a run may be left out if its result is
// not read.
func (s *selector) isPlain(k, end int32) bool {
	i := &s.list[k]
	if !isGeneral(i.Op) {
		return i.Op != amd64.VPGatherDD && i.Op != amd64.VPGatherDQ
	}
	if !plain[i.Op] {
		return false
	}
	if _, writes, loses := i.Flags(); writes|loses == 0 {
		return true
	}
	for k++; k < end; k++ { // who has flags next
		reads, writes, loses := s.list[k].Flags()
		if reads != 0 {
			return false
		}
		if writes|loses != 0 {
			return true
		}
	}
	return false
}

// eliminateDeadCode computes liveness and removes instructions whose results are not read. The
// liveness that it leaves may be too large unless it is to be exact.
func (s *selector) eliminateDeadCode(a *allocator, exact bool) {
	l := &a.liveness
	l.analyse(s.list, s.banks, s.labs)
	for range 3 {
		dropped, less, again := s.eliminateDeadCodeOnce(a)
		if dropped {
			l.compact(s.list)
			s.list = s.list[:l.runs[len(l.runs)-1].end]
		}
		if again || less && exact {
			l.solve()
		}
		if !again {
			return
		}
	}
}

// eliminateDeadCodeOnce removes such instructions in one walk from the end of the list, so that
// chains of dead instructions go at once. It reports whether it removed any, whether less may be
// live at the beginnings of runs, and whether another walk may find more. That is so where one of
// several instructions that assign a register has become dead.
func (s *selector) eliminateDeadCodeOnce(a *allocator) (dropped, less, again bool) {
	l := &a.liveness
	// by register: the run, from 1, that is gone through as long as it is live there
	a.live = ir.Zeroed(a.live, l.total())
	a.counts = ir.Zeroed(a.counts, l.total())
	for _, x := range l.refs {
		c := &a.counts[x.index()]
		if x.reads() {
			c.reads++
		}
		if x.written() {
			c.writes++
		}
	}
	for n := len(l.runs) - 1; n >= 0; n-- {
		r := &l.runs[n]
		stamp := int32(n + 1)
		for _, next := range r.next {
			if next >= 0 {
				for _, x := range l.ofRun(n) { // other instructions are never queried
					if at := l.numbers[x.index()]; at >= 0 && l.runs[next].live.has(at) {
						a.live[x.index()] = stamp
					}
				}
			}
		}
		for k := r.end - 1; k >= r.first; k-- {
			i := &s.list[k]
			refs := l.of(k)
			if d := i.Operands[0]; d.IsVirtual() && i.Op.Access(0)&amd64.Written != 0 {
				if x := l.index(d); (a.live[x] != stamp || a.counts[x].reads == 0) && s.isPlain(k, r.end) {
					*i = amd64.Instruction{Op: amd64.Nop}
					dropped = true
					for k, x := range refs {
						c := &a.counts[x.index()]
						if x.reads() {
							c.reads--
							shared := l.numbers[x.index()] >= 0
							less, again = less || shared, again || shared && c.writes > 1 && c.reads == 0
						}
						refs[k] = 0
					}
					continue
				}
			}
			for _, x := range refs {
				if x.written() {
					a.live[x.index()] = 0
				}
			}
			for _, x := range refs {
				if x.reads() {
					a.live[x.index()] = stamp
				}
			}
		}
	}
	return dropped, less, again
}
