package jit

import (
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir"
)

// This file finds where registers that the machine does not have are live in a list of
// instructions, by runs that are executed from their first instruction to their last. Instructions
// write all lanes of vectors, whatever lanes are active, so that where a register is live is a
// matter of the ways that execution takes, not of lanes.
//
// What instructions read and write is taken down once, for all that look at it, and taken over into
// the lists that are made of this one. Most registers are assigned and read in one run. Sets have
// only the others, which some run reads before it has assigned them. Briggs et al. call them
// non-local names ("Practical Improvements to the Construction and Destruction of Static Single
// Assignment Form", 1998).

// run is instructions that are executed one after the other. A placeholder ends one.
type run struct {
	first, end int32
	next       [2]int32 // the runs that follow, or -1
	live       sparse   // registers that are live at its beginning
	made, read sparse   // that it writes, and that it reads before it writes them
}

// liveness is the working memory of the analysis.
type liveness struct {
	runs   []run
	marks  []int32 // by label: the run, from 1
	banks  []uint8 // by register
	refs   []ref
	starts []int32  // by instruction, and the end: its first ref
	made   struct { // of the list that is made of this one, see remake
		refs   []ref
		starts []int32
	}
	uses []amd64.Use
	// by register: the run, from 1, that has assigned it or, below zero, that reads what another
	// has assigned
	seen    []int32
	firsts  []int32 // by register: the run that assigns it first, from 1, or 0 if it is read before
	known   []int32 // by run: indices below are of registers that the text assigns before it
	numbers []int32 // by register: its index in sets, or -1
	shared  []int32 // by index in sets: the register
	exposed []exposure
	words   int      // of a set that has all
	parts   []part   // of sparse sets
	now     []uint64 // the set that is being made, and which of its words have something
	touched []int32
	depth   []int32 // by run: the loops around, see findDepths
}

// ref is a register that an instruction reads or writes: its index, and in the lowest bits the
// access.
type ref uint32

const refShift = 2

func (r ref) index() int    { return int(r >> refShift) }
func (r ref) reads() bool   { return r&ref(amd64.Read) != 0 }
func (r ref) written() bool { return r&ref(amd64.Written) != 0 }

// exposure is that a run reads a register before it has assigned it.
type exposure struct{ run, register int32 }

// index numbers the registers, of both banks.
func (l *liveness) index(o amd64.Operand) int { return o.Number() - amd64.FirstVirtual }

// operand returns the register of an index.
func (l *liveness) operand(n int) amd64.Operand {
	if l.banks[n] == vectors {
		return amd64.Vector(amd64.FirstVirtual + n)
	}
	return amd64.General(amd64.FirstVirtual + n)
}

// total is how many registers there are.
func (l *liveness) total() int { return len(l.banks) }

// of returns what an instruction reads and writes.
func (l *liveness) of(at int32) []ref { return l.refs[l.starts[at]:l.starts[at+1]] }

// ofRun returns what the instructions of a run read and write.
func (l *liveness) ofRun(n int) []ref {
	return l.refs[l.starts[l.runs[n].first]:l.starts[l.runs[n].end]]
}

// analyse finds what is live.
func (l *liveness) analyse(list []amd64.Instruction, banks []uint8, labels int) {
	l.remake()
	l.takeRefs(list)
	l.remade()
	l.analyseAgain(list, banks, labels)
}

// analyseAgain finds what is live in a list whose refs are known.
func (l *liveness) analyseAgain(list []amd64.Instruction, banks []uint8, labels int) {
	l.banks = banks
	l.split(list, labels)
	l.solve()
}

// solve finds what is live where the runs are known.
func (l *liveness) solve() {
	l.number()
	l.words = (len(l.shared) + 63) / 64
	l.now, l.parts = ir.Zeroed(l.now, l.words), l.parts[:0]
	exposed := l.exposed
	for n := range l.runs {
		r := &l.runs[n]
		for _, x := range l.ofRun(n) {
			if at := l.numbers[x.index()]; at >= 0 && x.written() {
				l.add(at/64, 1<<(at%64))
			}
		}
		r.made = l.take()
		for len(exposed) > 0 && exposed[0].run == int32(n) {
			at := l.numbers[exposed[0].register]
			l.add(at/64, 1<<(at%64))
			exposed = exposed[1:]
		}
		r.read = l.take()
		l.addAll(r.read)
		r.live = l.take()
	}
	for changed := true; changed; {
		changed = false
		for n := len(l.runs) - 1; n >= 0; n-- {
			r := &l.runs[n]
			for _, next := range r.next {
				if next >= 0 {
					l.addAll(l.runs[next].live)
				}
			}
			for _, p := range r.made {
				l.now[p.at] &^= p.bits
			}
			l.clip(n)
			l.addAll(r.live)
			live := l.take()
			if slices.Equal(live, r.live) {
				l.giveBack(live)
				continue
			}
			r.live, changed = live, true
			for _, next := range r.next { // mostly it is what is live there
				if next >= 0 && int(next) != n && slices.Equal(live, l.runs[next].live) {
					l.giveBack(live)
					r.live = l.runs[next].live
					break
				}
			}
		}
	}
}

// clip removes registers from the set that is being made, which is of the beginning of a run: those
// that the text does not assign before the run. Code only goes back in the text for the next
// iteration of a loop. What is passed on to that is a parameter of the loop's first block, which is
// assigned in front of the loop, too. So such a register holds a value of an earlier iteration that
// nobody needs. It seems live because code may skip the block that assigns it, and not the one that
// reads it; both are skipped where no lanes come to them. A register that the text reads first is
// left as it is.
func (l *liveness) clip(run int) {
	end := l.known[run]
	for _, at := range l.touched {
		switch {
		case at > end/64:
			l.now[at] = 0
		case at == end/64:
			l.now[at] &= 1<<(end%64) - 1
		}
	}
}

// sharedOf returns the register of the lowest bit of a word of a set.
func (l *liveness) sharedOf(p part, w uint64) int32 {
	return l.shared[64*int(p.at)+bits.TrailingZeros64(w)]
}

// sparse is a set of registers, by their indices in sets: the words of 64 that have some, in order.
type sparse []part

type part struct {
	at   int32 // which word
	bits uint64
}

// add adds registers to the set that is being made.
func (l *liveness) add(at int32, bits uint64) {
	if l.now[at] == 0 {
		l.touched = append(l.touched, at)
	}
	l.now[at] |= bits
}

func (l *liveness) addAll(set sparse) {
	for _, p := range set {
		l.add(p.at, p.bits)
	}
}

// take returns the set that was made, and begins another one.
func (l *liveness) take() sparse {
	slices.Sort(l.touched)
	if cap(l.parts)-len(l.parts) < len(l.touched) { // the sets so far stay where they are
		l.parts = make([]part, 0, max(len(l.touched), min(2*cap(l.parts), 1<<16), 1<<8))
	}
	first := len(l.parts)
	for _, at := range l.touched {
		if l.now[at] != 0 { // or it is there twice, or what it had was taken away
			l.parts = append(l.parts, part{at, l.now[at]})
			l.now[at] = 0
		}
	}
	l.touched = l.touched[:0]
	return l.parts[first:len(l.parts):len(l.parts)]
}

// giveBack is that nobody needs the set that was taken last.
func (l *liveness) giveBack(set sparse) { l.parts = l.parts[:len(l.parts)-len(set)] }

// has reports whether a set has a register.
func (x sparse) has(number int32) bool {
	k, ok := slices.BinarySearchFunc(x, number/64, func(p part, at int32) int { return int(p.at - at) })
	return ok && x[k].bits>>(number%64)&1 == 1
}

// addTo adds the registers of a set to one that has all words, and takeFrom takes them away.
func (x sparse) addTo(set []uint64) {
	for _, p := range x {
		set[p.at] |= p.bits
	}
}

func (x sparse) takeFrom(set []uint64) {
	for _, p := range x {
		set[p.at] &^= p.bits
	}
}

// appendRefs appends the registers that an instruction reads and writes, those last that it does
// not read.
func (l *liveness) appendRefs(refs []ref, i *amd64.Instruction) []ref {
	l.uses = i.VirtualUses(l.uses[:0])
	for _, u := range l.uses {
		refs = append(refs, ref(l.index(u.Register)<<refShift)|ref(u.Access))
	}
	return refs
}

// number assigns indices to the registers that sets have, in the order of the runs that assign
// them first. Those that the text reads before it assigns them are in front.
func (l *liveness) number() {
	l.seen, l.numbers, l.firsts = ir.Zeroed(l.seen, l.total()), ir.Zeroed(l.numbers, l.total()), ir.Zeroed(l.firsts, l.total())
	l.exposed = l.exposed[:0]
	for n := range l.runs {
		stamp := int32(n + 1)
		for _, r := range l.ofRun(n) { // of an instruction what is written alone is the last
			x := r.index()
			if l.seen[x] == 0 && r.written() && !r.reads() {
				l.firsts[x] = stamp
			}
			if r.reads() && l.seen[x] != stamp && l.seen[x] != -stamp {
				l.seen[x], l.numbers[x] = -stamp, 1
				l.exposed = append(l.exposed, exposure{int32(n), int32(x)})
			}
			if r.written() {
				l.seen[x] = stamp
			}
		}
	}
	l.known = ir.Zeroed(l.known, len(l.runs)+1)
	for x, shared := range l.numbers {
		if shared != 0 {
			l.known[l.firsts[x]]++
		}
	}
	count := int32(0) // those that are assigned first in front of a run
	for n := range l.known {
		l.known[n], count = count, count+l.known[n]
	}
	l.shared = ir.Zeroed(l.shared, int(count))
	for x, shared := range l.numbers {
		l.numbers[x] = -1
		if shared != 0 {
			at := &l.known[l.firsts[x]]
			l.numbers[x], l.shared[*at] = *at, int32(x)
			*at++
		}
	}
}

// remake begins another list, made of the one that refs are of. Its refs are kept or taken one
// after the other, and with remade it is the list that refs are of.
func (l *liveness) remake() { l.made.refs, l.made.starts = l.made.refs[:0], l.made.starts[:0] }

// keepRefs is that the next instructions of the other list have the registers of some of this list.
func (l *liveness) keepRefs(first, end int32) {
	more := int32(len(l.made.refs)) - l.starts[first]
	for _, start := range l.starts[first:end] {
		l.made.starts = append(l.made.starts, start+more)
	}
	l.made.refs = append(l.made.refs, l.refs[l.starts[first]:l.starts[end]]...)
}

// takeRefs takes down the instructions at the end of the other list of which that has not been
// done.
func (l *liveness) takeRefs(list []amd64.Instruction) {
	for at := len(l.made.starts); at < len(list); at++ {
		l.made.starts = append(l.made.starts, int32(len(l.made.refs)))
		l.made.refs = l.appendRefs(l.made.refs, &list[at])
	}
}

func (l *liveness) remade() {
	l.made.starts = append(l.made.starts, int32(len(l.made.refs)))
	l.refs, l.made.refs = l.made.refs, l.refs
	l.starts, l.made.starts = l.made.starts, l.starts
}

// split finds the runs.
func (l *liveness) split(list []amd64.Instruction, labels int) {
	l.runs = l.runs[:0]
	l.marks = ir.Zeroed(l.marks, labels)
	first := int32(0)
	for n := range list {
		i := &list[n]
		switch i.Op {
		case amd64.Mark:
			if int32(n) > first {
				l.runs = append(l.runs, run{first: first, end: int32(n)})
				first = int32(n)
			}
			l.marks[i.Operands[0].Number()] = int32(len(l.runs) + 1)
		case amd64.Jmp, amd64.Jcc, amd64.Ret, amd64.Nop:
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
			// or -1, if that is what a pause leads to
			r.next[1] = l.marks[last.Operands[0].Number()] - 1
		}
	}
}

// compact leaves out the instructions that do nothing, and are empty.
func (l *liveness) compact(list []amd64.Instruction) {
	var to packed
	for n := range l.runs {
		r := &l.runs[n]
		first := to.instructions
		for at := r.first; at < r.end; at++ {
			from := at
			for at < r.end && (list[at].Op != amd64.Nop || list[at] == placeholder) {
				at++
			}
			to.keep(list, from, at)
			to.keepRefs(l, from, at)
			to.instructions += at - from
		}
		r.first, r.end = first, to.instructions
	}
	to.end(l)
}

// packed is how much is kept of a list, at its beginning, and of its refs.
type packed struct{ instructions, refs int32 }

// keep keeps instructions of a list after those that are kept already.
func (p *packed) keep(list []amd64.Instruction, first, end int32) {
	if first > p.instructions {
		copy(list[p.instructions:], list[first:end])
	}
}

// keepRefs keeps theirs.
func (p *packed) keepRefs(l *liveness, first, end int32) {
	from, to := l.starts[first], l.starts[end]
	if from > p.refs {
		copy(l.refs[p.refs:], l.refs[from:to])
	}
	if first > p.instructions || from > p.refs {
		for k, start := range l.starts[first:end] {
			l.starts[int(p.instructions)+k] = start - from + p.refs
		}
	}
	p.refs += to - from
}

// end is that no more is kept.
func (p *packed) end(l *liveness) {
	l.starts = l.starts[:p.instructions+1]
	l.starts[p.instructions] = p.refs
}

// behind adds to a set what is live behind run n.
func (l *liveness) behind(n int, set []uint64) {
	for _, next := range l.runs[n].next {
		if next >= 0 {
			l.runs[next].live.addTo(set)
		}
	}
}

// members calls a function for the registers of a set, in the order of their indices.
func (l *liveness) members(set []uint64, f func(n int)) {
	for n, w := range set {
		for ; w != 0; w &= w - 1 {
			f(int(l.shared[64*n+bits.TrailingZeros64(w)]))
		}
	}
}

// findDepths counts the loops around each run.
func (l *liveness) findDepths() {
	l.depth = ir.Zeroed(l.depth, len(l.runs))
	for n := range l.runs {
		for _, next := range l.runs[n].next {
			if next >= 0 && int(next) <= n {
				for k := next; k <= int32(n); k++ {
					l.depth[k]++
				}
			}
		}
	}
}

// deepestLoop is how many loops around an instruction count for the cost. The loops over blocks of
// lanes, phases and workgroups are among them. Image kernels were as fast with 3, 5 and 7.
const deepestLoop = 6

// frequency is about how often a run is executed.
func (l *liveness) frequency(n int) float32 {
	f := float32(1)
	for range min(l.depth[n], deepestLoop) {
		f *= 10
	}
	return f
}
