package native

import (
	"math/bits"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file finds where registers that the machine does not have are live in a list of instructions, by runs that are executed from their first instruction
// to their last. Instructions write all lanes of vectors, whatever lanes are active, so that where a register is live is a matter of
// the ways that execution takes, not of lanes.

// run is instructions that are executed one after the other.
type run struct {
	first, end int32
	next       [2]int32 // the runs that follow, or -1
	live       []uint64 // registers that are live at its beginning
	made, read []uint64 // that it writes before it reads them, and the reverse
}

// liveness is the working memory of the analysis.
type liveness struct {
	runs   []run
	places []int32 // by label: the run
	words  int
	memory []uint64
	uses   []amd64.Use
	count  [banks]int
}

// index numbers the registers of both banks, vectors behind general ones.
func (l *liveness) index(o amd64.Operand) int {
	n := o.Number() - amd64.FirstVirtual
	if o.Kind() == amd64.KindVector {
		n += l.count[generals]
	}
	return n
}

// total is how many registers there are.
func (l *liveness) total() int { return l.count[generals] + l.count[vectors] }

// analyse finds what is live.
func (l *liveness) analyse(list []amd64.Instruction, count [banks]int, labels int) {
	l.count = count
	l.split(list, labels)
	l.words = (l.total() + 63) / 64
	need := 3 * l.words * len(l.runs)
	if cap(l.memory) < need {
		l.memory = make([]uint64, need)
	}
	l.memory = l.memory[:need]
	clear(l.memory)
	memory := l.memory
	set := func() (x []uint64) {
		x, memory = memory[:l.words:l.words], memory[l.words:]
		return x
	}
	for n := range l.runs {
		r := &l.runs[n]
		r.live, r.made, r.read = set(), set(), set()
		for at := r.end - 1; at >= r.first; at-- {
			l.uses = list[at].Uses(l.uses[:0])
			for _, u := range l.uses {
				if u.Register.IsVirtual() && u.Access&amd64.Written != 0 {
					x := l.index(u.Register)
					r.made[x/64] |= 1 << (x % 64)
					r.read[x/64] &^= 1 << (x % 64)
				}
			}
			for _, u := range l.uses {
				if u.Register.IsVirtual() && u.Access&amd64.Read != 0 {
					x := l.index(u.Register)
					r.read[x/64] |= 1 << (x % 64)
				}
			}
		}
		copy(r.live, r.read)
	}
	for changed := true; changed; {
		changed = false
		for n := len(l.runs) - 1; n >= 0; n-- {
			r := &l.runs[n]
			for _, next := range r.next {
				if next < 0 {
					continue
				}
				for w, x := range l.runs[next].live {
					if x = x&^r.made[w] | r.live[w]; x != r.live[w] {
						r.live[w], changed = x, true
					}
				}
			}
		}
	}
}

// split finds the runs.
func (l *liveness) split(list []amd64.Instruction, labels int) {
	l.runs = l.runs[:0]
	if cap(l.places) < labels {
		l.places = make([]int32, labels)
	}
	l.places = l.places[:labels]
	first := int32(0)
	for n := range list {
		i := &list[n]
		switch i.Op {
		case amd64.Place:
			if int32(n) > first {
				l.runs = append(l.runs, run{first: first, end: int32(n)})
				first = int32(n)
			}
			l.places[i.Operands[0].Number()] = int32(len(l.runs))
		case amd64.Jmp, amd64.Jcc, amd64.Ret:
			l.runs = append(l.runs, run{first: first, end: int32(n + 1)})
			first = int32(n + 1)
		}
	}
	if int(first) < len(list) {
		l.runs = append(l.runs, run{first: first, end: int32(len(list))})
	}
	for n := range l.runs {
		r := &l.runs[n]
		r.next = [2]int32{-1, -1}
		last := &list[r.end-1]
		if last.Op != amd64.Jmp && last.Op != amd64.Ret && n+1 < len(l.runs) {
			r.next[0] = int32(n + 1)
		}
		if last.Op == amd64.Jmp || last.Op == amd64.Jcc {
			r.next[1] = l.places[last.Operands[0].Number()]
		}
	}
}

// behind fills a set with what is live behind instruction at, which is in run n.
func (l *liveness) behind(list []amd64.Instruction, n int, at int32, set []uint64) {
	r := &l.runs[n]
	clear(set)
	for _, next := range r.next {
		if next >= 0 {
			for w, x := range l.runs[next].live {
				set[w] |= x
			}
		}
	}
	for k := r.end - 1; k > at; k-- {
		l.step(&list[k], set)
	}
}

// step makes of what is live behind an instruction what is live in front of it.
func (l *liveness) step(i *amd64.Instruction, set []uint64) {
	l.uses = i.Uses(l.uses[:0])
	for _, u := range l.uses {
		if u.Register.IsVirtual() && u.Access&amd64.Written != 0 {
			x := l.index(u.Register)
			set[x/64] &^= 1 << (x % 64)
		}
	}
	for _, u := range l.uses {
		if u.Register.IsVirtual() && u.Access&amd64.Read != 0 {
			x := l.index(u.Register)
			set[x/64] |= 1 << (x % 64)
		}
	}
}

// members calls a function for the members of a set.
func members(set []uint64, f func(n int)) {
	for n, w := range set {
		for ; w != 0; w &= w - 1 {
			f(64*n + bits.TrailingZeros64(w))
		}
	}
}
