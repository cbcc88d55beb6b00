package analysis

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Recomputed values. The first sum in i < n && i + k < m { x[i + k] } is in a separate region, to
// the right of &&. So the body computes it again. What the condition says of the first sum holds of
// the second one as well. They have the same operands, and wherever a fact about the first one is
// in force, it has been executed.

// equals are the operations that were visited so far, by a hash of operation and operands.
type equals struct {
	heads []ir.Inst  // by hash, the latest operation
	next  []ir.Inst  // by instruction, the one before it with the same hash
	first []ir.Value // by local value, the first value that is equal to it, or 0
	shift uint32     // of the hash, to the length of heads
}

// repeatable are the operations whose result depends on nothing but their operands. Loads are so
// where nothing writes (isStable).
var repeatable = op.SetOf(op.Convert, op.Bitcast, op.Add, op.Sub, op.Mul, op.Shl, op.Shr, op.Neg,
	op.Div, op.Rem, op.And, op.Or, op.Xor, op.Min, op.Max, op.Clamp, op.Extract, op.Access, op.Load)

// maxEqual bounds from how many equal values facts are copied, maxCopied how many of each.
const maxEqual, maxCopied = 6, 4

func (e *equals) reset(f *ir.Func) {
	e.shift = 28
	for 1<<(32-e.shift) < f.InstCount()/4 && e.shift > 8 {
		e.shift--
	}
	e.heads = ir.Zeroed(e.heads, 1<<(32-e.shift))
	e.next, e.first = ir.Zeroed(e.next, f.InstCount()), ir.Zeroed(e.first, f.ValueCount())
}

// equate finds earlier values that are equal to r, the result of operation i, and copies the facts
// about them. A load gets the slot of the earlier load: nothing is known of either but what
// conditions say, and that holds of both.
func (a *Ranges) equate(i ir.Inst, o op.Op, r ir.Value) {
	f, e := a.f, &a.equals
	if domain(f.Type(i)).Empty() && o != op.Access || o == op.Load && !a.isStable(f.Arg(i, 0)) {
		return
	}
	h := uint32(o)*0x9E3779B1 ^ uint32(f.Type(i))*0x85EBCA77
	for _, v := range f.Args(i) {
		if o.Info().Commutative { // in any order
			h += uint32(a.firstEqual(v)) * 0x27D4EB2F
		} else {
			h = (h ^ uint32(a.firstEqual(v))) * 0x27D4EB2F
			h ^= h >> 15
		}
	}
	h = h * 0x9E3779B1 >> e.shift
	found := 0
	for j := e.heads[h]; j != 0 && found < maxEqual; j = e.next[j] {
		if !a.isRepeated(i, j) {
			continue
		}
		v := f.Result(j)
		e.first[r.Index()] = a.firstEqual(v)
		if o == op.Load {
			a.slots[r.Index()] = a.slot(v)
			break
		}
		if found++; o != op.Access && a.slot(v) != a.slot(r) {
			a.copyFacts(a.slot(r), a.slot(v))
		}
	}
	e.next[i], e.heads[h] = e.heads[h], i
}

// copyFacts notes of the value in one slot what facts say of the equal value in another.
func (a *Ranges) copyFacts(to, from uint32) {
	value := slotPoly(to)
	at := a.facts.last[from]
	for tried := 0; at != 0 && tried < maxCopied; tried++ {
		p, ok := with(a.facts.of(at), from, &value)
		at = a.facts.links[at-1].previous
		if ok {
			a.pushFact(&p)
		}
	}
}

// firstEqual returns the first value that is equal to v, or v itself.
func (a *Ranges) firstEqual(v ir.Value) ir.Value {
	if v.IsLocal() {
		if u := a.equals.first[v.Index()]; u != 0 {
			return u
		}
	}
	return v
}

// isRepeated reports whether two instructions are the same operation of equal operands.
func (a *Ranges) isRepeated(i, j ir.Inst) bool {
	f := a.f
	x, y := f.Args(i), f.Args(j)
	if f.Op(i) != f.Op(j) || f.Type(i) != f.Type(j) || f.Aux(i) != f.Aux(j) || len(x) != len(y) {
		return false
	}
	if f.Op(i).Info().Commutative && a.firstEqual(x[0]) == a.firstEqual(y[1]) {
		return a.firstEqual(x[1]) == a.firstEqual(y[0])
	}
	for n := range x {
		if a.firstEqual(x[n]) != a.firstEqual(y[n]) {
			return false
		}
	}
	return true
}

// isStable reports whether a pointer is to memory that nothing writes, with indices in bounds.
func (a *Ranges) isStable(pointer ir.Value) bool {
	f := a.f
	t := f.TypeOf(pointer)
	if !ReadOnly(f.Module, t) {
		return false
	}
	for {
		i, ok := f.Def(pointer)
		if !ok {
			return true
		}
		if f.Op(i) != op.Access {
			return false
		}
		if all := uint32(1)<<(len(f.Args(i))-1) - 1; a.claims[i]&all != all && f.Flags(i)&ir.InBounds == 0 {
			return false
		}
		pointer = f.Arg(i, 0)
	}
}
