package mir

import (
	"slices"

	"github.com/gpuc/gpuc/ir/op"
)

// CloseLoops passes induction variables that are used after their loop to the block where it ends
// (loop-closed SSA form, as LLVM's LCSSA). Lanes may leave a loop in different iterations. Then the
// parameter of that block is what they differ by, and the variable itself is the same in all lanes
// of the loop, or grows from lane to lane. Loops that end at several blocks stay as they are, and
// so do blocks that are reached from elsewhere, too. It reports whether there were any.
func (f *Func) CloseLoops(l *Loops) (changed bool) {
	for h := range int32(len(f.Order)) {
		if l.LoopEnd[h] < 0 {
			continue
		}
		end, ok := f.endOf(l, h)
		if !ok {
			continue
		}
		for _, r := range f.BlockParams(f.Order[h]) {
			if f.isInduction(l, h, r) && f.usedAfter(l, h, r) {
				f.passAtEnd(l, h, end, r)
				changed = true
			}
		}
	}
	return changed
}

// endOf returns the block to which all exits of a loop lead, if nothing else leads there.
func (f *Func) endOf(l *Loops, h int32) (end Block, ok bool) {
	for n, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			switch {
			case l.Contains(h, n) && l.Contains(h, int(l.At[e.To])):
			case l.Contains(h, n) && ok && e.To != end:
				return 0, false
			case l.Contains(h, n):
				end, ok = e.To, true
			}
		}
	}
	for n, b := range f.Order {
		for _, e := range f.Edges(f.Last(b)) {
			ok = ok && (e.To != end || l.Contains(h, n))
		}
	}
	return end, ok
}

// isInduction reports whether a parameter of a loop's header is a word to which each iteration
// adds something.
func (f *Func) isInduction(l *Loops, h int32, r Operand) bool {
	k := slices.Index(f.BlockParams(f.Order[h]), r)
	if r.Class() != Word {
		return false
	}
	adds := map[Operand]bool{} // the sums of the variable
	for n := h; n <= l.LoopEnd[h]; n++ {
		b := f.Order[n]
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) == Op(op.Add) && slices.Contains(f.Args(i), r) {
				adds[f.Result(i)] = true
			}
		}
	}
	for n := h; n <= l.LoopEnd[h]; n++ {
		for _, e := range f.Edges(f.Last(f.Order[n])) {
			if e.To == f.Order[h] && !adds[f.EdgeArgs(e)[k]] {
				return false
			}
		}
	}
	return true
}

// usedAfter reports whether a register is read outside of a loop.
func (f *Func) usedAfter(l *Loops, h int32, r Operand) bool {
	var reads []Operand
	for n, b := range f.Order {
		if l.Contains(h, n) {
			continue
		}
		for i := f.First(b); i != 0; i = f.Next(i) {
			if reads = f.AppendReads(reads[:0], i); slices.Contains(reads, r) {
				return true
			}
		}
	}
	return false
}

// passAtEnd gives the block where a loop ends a parameter for a register of the loop.
func (f *Func) passAtEnd(l *Loops, h int32, end Block, r Operand) {
	p := f.Fresh(r.Class())
	replaced := func(list []Operand) {
		for n, o := range list {
			if o == r {
				list[n] = p
			}
		}
	}
	for n, b := range f.Order {
		for i := f.First(b); i != 0 && !l.Contains(h, n); i = f.Next(i) {
			replaced(f.Args(i))
			if HasMemory(f.Op(i)) {
				m := f.Memory(i)
				for _, o := range [...]*Operand{&m.Base, &m.Index} {
					if *o == r {
						*o = p
					}
				}
			}
			for _, e := range f.Edges(i) {
				replaced(f.EdgeArgs(e))
			}
		}
	}
	f.SetParams(end, append(slices.Clone(f.BlockParams(end)), p))
	for n := h; n <= l.LoopEnd[h]; n++ {
		edges := f.Edges(f.Last(f.Order[n]))
		for k := range edges {
			if e := &edges[k]; e.To == end {
				e.args = f.list(append(slices.Clone(f.EdgeArgs(*e)), r))
			}
		}
	}
}
