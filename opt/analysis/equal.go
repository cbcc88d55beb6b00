package analysis

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Numbers that are computed again. In i < n && i + k < m { x[i + k] }, the first sum is made where
// only i < n is known to hold, so what is inside cannot use it, and adds again. But where facts
// speak of the first sum, it has been made, of the same operands, and the second one is equal.

// equals are the operations that were met so far.
type equals struct {
	heads []ir.Inst  // by hash, the latest
	next  []ir.Inst  // by instruction, the one before of the same hash
	first []ir.Value // by local value, the first one that is equal, or none
	shift uint32
}

// repeatable are the operations that have the same result of the same operands.
var repeatable = op.SetOf(op.Convert, op.Bitcast, op.Add, op.Sub, op.Mul, op.Shl, op.Shr, op.Neg, op.Div, op.Rem, op.And, op.Or, op.Xor,
	op.Min, op.Max, op.Clamp, op.Extract, op.Access, op.Load)

// maxEqual bounds how many equal ones are looked at, maxCopied how many facts of each.
const maxEqual, maxCopied = 6, 4

func (e *equals) reset(f *ir.Func) {
	e.shift = 28
	for 1<<(32-e.shift) < f.InstCount()/4 && e.shift > 8 {
		e.shift--
	}
	e.heads = ir.Zeroed(e.heads, 1<<(32-e.shift))
	e.next, e.first = ir.Zeroed(e.next, f.InstCount()), ir.Zeroed(e.first, f.ValueCount())
}

// equate finds the earlier results that an operation's result is equal to, and notes of it what facts
// say of those. A load shares the slot of an earlier one: of it nothing is known but what
// conditions say, which is true of both.
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

// copyFacts notes of what is in a slot what facts say of another with the same number.
func (a *Ranges) copyFacts(to, from uint32) {
	number := slotPoly(to)
	at := a.facts.last[from]
	for tried := 0; at != 0 && tried < maxCopied; tried++ {
		p, ok := with(a.facts.of(at), from, &number)
		at = a.facts.links[at-1].previous
		if ok {
			a.pushFact(&p)
		}
	}
}

// firstEqual returns the first value that is equal to another, or that itself.
func (a *Ranges) firstEqual(v ir.Value) ir.Value {
	if v.IsLocal() {
		if u := a.equals.first[v.Index()]; u != 0 {
			return u
		}
	}
	return v
}

// isRepeated reports whether two operations are the same, of operands that are equal.
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

// isStable reports whether a pointer is known to lead to an element, in memory that nothing writes.
func (a *Ranges) isStable(pointer ir.Value) bool {
	f := a.f
	t := f.TypeOf(pointer)
	if s := f.Module.SpaceOf(t); !s.ReadOnly() && (s != ir.Storage || f.Module.AccessOf(t) != ir.Read) {
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
