package analysis

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Which slots a proof about an index can come to: through facts and through the operations that
// made the numbers in them. Where the length of an array is not among them, an index cannot be
// proved to be less than it, and no search is made. Most arrays are such: their lengths are only in
// the guards of their own accesses.

// reachable are the slots that were reached last.
type reachable struct {
	known bool // as long as nothing else is noted
	index ir.Value
	all   bool     // there were too many slots, or operations that are not followed
	round uint32   // counts the indices
	seen  []uint32 // by slot, the round that reached it last
	list  []uint32
}

// maxReachable bounds how many slots are looked at.
const maxReachable = 64

// reaches reports whether a proof about an index can come to a slot.
func (a *Ranges) reaches(index ir.Value, slot uint32) bool {
	r := &a.search.reachable
	if !r.known || r.index != index {
		r.known, r.index = true, index
		a.follow(index)
	}
	return r.all || int(slot) < len(r.seen) && r.seen[slot] == r.round
}

// follow finds the slots that a proof about an index can come to.
func (a *Ranges) follow(index ir.Value) {
	f, r := a.f, &a.search.reachable
	if len(r.seen) < len(a.current) {
		r.seen = append(r.seen, make([]uint32, len(a.current)-len(r.seen))...)
	}
	r.round++
	r.all, r.list = false, r.list[:0]
	add := func(s uint32) {
		if r.seen[s] != r.round {
			r.seen[s] = r.round
			r.list = append(r.list, s)
		}
	}
	if index.IsLocal() {
		add(a.slot(index))
	}
	for n := 0; n < len(r.list); n++ {
		if n == maxReachable {
			r.all = true
			return
		}
		s := r.list[n]
		at := a.facts.last[s]
		for tried := 0; at != 0 && tried < factsOfSlot; tried++ {
			for _, t := range a.facts.of(at) {
				for _, other := range t.of {
					if other != 0 {
						add(other)
					}
				}
			}
			at = a.facts.links[at-1].previous
		}
		if s >= uint32(f.ValueCount()) {
			continue
		}
		i, ok := f.Def(ir.Value(s))
		switch {
		case !ok:
		case f.Op(i).Is(op.Control):
			r.all = true
			return
		case f.Op(i).Pure():
			for _, v := range f.Args(i) {
				if v.IsLocal() {
					add(a.slot(v))
				}
			}
		}
	}
}
