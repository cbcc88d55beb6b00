package analysis

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// What comparisons tell of values whose bounds are other values. After `i < n`, with n the min of
// two lengths, n - 1 - i is not negative, nor are the two lengths minus n. An index is in bounds if
// such facts, added up with factors that are not negative, give length - 1 - index (prove.go).
// Facts are sums of products (poly) of the numbers that values are, so only values that do not wrap
// are decomposed.

// ArrayKey names a runtime-sized array: its variable or parameter, and the
// member that it is, plus one.
type ArrayKey struct {
	Root   ir.Value
	Member uint32
}

// arrayLength is the slot in which the lengths of an array are.
type arrayLength struct {
	key  ArrayKey
	slot uint32
}

// facts are sums that are not negative, in the order of their making.
type facts struct {
	terms []term
	links []factLink // of the terms
	ends  []int      // of the facts, in terms
	// last is, by slot, the last term whose monomial begins with the slot, plus one.
	last []int32
}

// factLink says which fact a term is of, and which term is before it, as facts.last does.
type factLink struct{ fact, previous int32 }

// factMark is the slot of refinements that represent a fact. It is that of no value.
const factMark = 0

func (l *facts) reset(slots int) {
	l.terms, l.links, l.ends = l.terms[:0], l.links[:0], l.ends[:0]
	l.last = ir.Zeroed(l.last, slots)
}

func (l *facts) push(p *poly) {
	for _, t := range p.list() {
		s := t.of[0]
		l.terms = append(l.terms, t)
		l.links = append(l.links, factLink{int32(len(l.ends)), l.last[s]})
		l.last[s] = int32(len(l.terms))
	}
	l.ends = append(l.ends, len(l.terms))
}

// drop removes the last fact.
func (l *facts) drop() {
	last := len(l.ends) - 1
	start := l.start(last)
	for n := len(l.terms) - 1; n >= start; n-- {
		l.last[l.terms[n].of[0]] = l.links[n].previous
	}
	l.terms, l.links, l.ends = l.terms[:start], l.links[:start], l.ends[:last]
}

func (l *facts) start(fact int) int {
	if fact == 0 {
		return 0
	}
	return l.ends[fact-1]
}

// of returns the fact that a term is of.
func (l *facts) of(at int32) []term {
	fact := int(l.links[at-1].fact)
	return l.terms[l.start(fact):l.ends[fact]]
}

// noteComparison notes until forget that a number compares so with another. What intervals hold
// is left to them.
func (a *Ranges) noteComparison(o op.Op, x, y poly) {
	switch o {
	case op.Lt:
		a.noteFact(&y, &x, 1)
	case op.Le:
		a.noteFact(&y, &x, 0)
	case op.Gt:
		a.noteFact(&x, &y, 1)
	case op.Ge:
		a.noteFact(&x, &y, 0)
	case op.Eq:
		a.noteFact(&x, &y, 0)
		a.noteFact(&y, &x, 0)
	}
}

// noteFact notes until forget that a number is greater than another by some number at least.
func (a *Ranges) noteFact(greater, less *poly, by int64) {
	p := *greater
	if greater.n == 0 || less.n == 0 || !p.addTimes(less.list(), term{factor: -1}) || !p.add(term{factor: -by}) {
		return
	}
	if !a.tighten(&p) {
		return
	}
	slots := 0
	for _, t := range p.list() {
		if t.of != (monomial{}) {
			slots++
		}
	}
	_, gc := greater.constant()
	_, lc := less.constant()
	if slots == 0 || (gc || lc) && slots == 1 && p.n <= 2 && a.isInterval(&p) {
		return
	}
	a.pushFact(&p)
}

// tighten subtracts from a sum that is not negative the least value that its lowest bits allow. If
// n and i are multiples of 4, n - i - 1 is 3 modulo 4, and so at least 3. It returns false if the
// sum has no room for another term.
func (a *Ranges) tighten(p *poly) (ok bool) {
	sum := residueOf(16, 0)
	for _, t := range p.list() {
		product := residueOf(64, uint64(t.factor))
		for _, s := range t.of {
			if s == 0 {
				continue
			}
			r := Residue{}
			if s < uint32(a.f.ValueCount()) {
				r = a.Residue(ir.Value(s))
			}
			product = residues[op.Mul](64, [3]Residue{product, r})
		}
		sum = residues[op.Add](64, [3]Residue{sum, product})
	}
	return sum.Bits == 0 || p.add(term{factor: -int64(sum.Bits)})
}

// pushFact notes until forget that a sum is not negative.
func (a *Ranges) pushFact(p *poly) {
	a.facts.push(p)
	a.note(refinement{slot: factMark})
}

// isInterval reports whether a fact says of one slot that it is not less or not greater than a
// constant, which becomes a part of its interval.
func (a *Ranges) isInterval(p *poly) bool {
	c, _ := p.constant()
	for _, t := range p.list() {
		if t.of == (monomial{}) {
			continue
		}
		if t.of[1] != 0 || t.factor != 1 && t.factor != -1 {
			return false
		}
		s := t.of[0]
		r := a.at(s)
		if t.factor == 1 {
			r = r.meet(Interval{-c, math.MaxInt64})
		} else {
			r = r.meet(Interval{math.MinInt64, c + 1})
		}
		a.refineSlot(s, normal(a.typeAt(s), r))
	}
	return true
}

// expandDepth bounds how many operations are decomposed.
const expandDepth = 6

// expand returns the number that a value is; without terms for values that are not followed.
func (a *Ranges) expand(v ir.Value, depth int) poly {
	f := a.f
	t := f.TypeOf(v)
	if domain(t).Empty() {
		return poly{}
	}
	if v.IsConst() {
		if r := Constant(f.Module, t, v); r.isNear() {
			return constantPoly(r.Low)
		}
		return poly{}
	}
	if !v.IsLocal() {
		return poly{}
	}
	if i, ok := f.Def(v); ok && depth > 0 {
		if a.isExact(i, depth) {
			if p := a.combine(i, depth-1, (*Ranges).expand); p.n > 0 {
				return p
			}
		} else if summing.Has(f.Op(i)) {
			a.wraps = true
		}
	}
	return slotPoly(a.slot(v))
}

// isExact reports whether an operation that combine knows has the result that it has of numbers.
func (a *Ranges) isExact(i ir.Inst, depth int) bool {
	f := a.f
	switch o := f.Op(i); o {
	case op.Convert, op.Bitcast:
		from := f.TypeOf(f.Arg(i, 0))
		r := a.sharpen(f.Arg(i, 0), 1)
		return !domain(from).Empty() && (from == f.Type(i) || !r.Empty() && r.isNear() && r.Within(domain(f.Type(i))))
	case op.Add, op.Sub, op.Mul, op.Shl, op.Neg:
		if o == op.Shl {
			if by, ok := f.Module.ConstUint(f.Arg(i, 1)); !ok || by > 30 {
				return false
			}
		}
		if o == op.Add && a.isNegative(f.Arg(i, 1)) {
			return a.isPositive(i, depth)
		}
		return a.isUnwrapped(i, o) || o == op.Sub && f.Type(i) == ir.U32 && a.isPositive(i, depth)
	}
	return false
}

// isPositive reports whether a difference of numbers without a sign is known not to be negative.
func (a *Ranges) isPositive(i ir.Inst, depth int) bool {
	p := a.combine(i, depth-1, (*Ranges).expand)
	return p.n > 0 && (a.sum(&p).least >= 0 || a.search.nested == 0 && a.proves(&p))
}

// isNegative reports whether a constant of 32 bits is the complement of a smaller one: to add it is
// to subtract that.
func (a *Ranges) isNegative(v ir.Value) bool {
	return v.IsConst() && a.f.TypeOf(v) == ir.U32 && int32(a.f.Module.ConstBits(v)) < 0
}

// combine returns what an operation makes of the numbers that its operands are, none if it is not
// one that sums of products have.
func (a *Ranges) combine(i ir.Inst, depth int, expand func(*Ranges, ir.Value, int) poly) (p poly) {
	f := a.f
	args := f.Args(i)
	o := f.Op(i)
	x := expand(a, args[0], depth)
	if x.n == 0 {
		return x
	}
	by := term{factor: 1}
	switch o {
	case op.Convert, op.Bitcast:
		return x
	case op.Neg:
		by.factor = -1
		if !p.addTimes(x.list(), by) {
			return poly{}
		}
		return p
	case op.Shl:
		n, ok := f.Module.ConstUint(args[1])
		if !ok || n > 30 {
			return poly{}
		}
		by.factor = 1 << n
		if !p.addTimes(x.list(), by) {
			return poly{}
		}
		return p
	}
	y := poly{}
	if o == op.Add && a.isNegative(args[1]) {
		y = constantPoly(int64(int32(f.Module.ConstBits(args[1]))))
	} else if y = expand(a, args[1], depth); y.n == 0 {
		return y
	}
	switch o {
	case op.Add, op.Sub:
		if o == op.Sub {
			by.factor = -1
		}
		p = x
		if !p.addTimes(y.list(), by) {
			return poly{}
		}
	case op.Mul:
		for _, t := range y.t[:y.n] {
			if !p.addTimes(x.list(), t) {
				return poly{}
			}
		}
	}
	if p.n == 0 {
		return constantPoly(0)
	}
	return p
}

// expandBits returns a number that has the bits of a value of 32 bits as its lowest. Sums and
// products may wrap on the way to it.
func (a *Ranges) expandBits(v ir.Value, depth int) poly {
	f := a.f
	if v.IsConst() {
		return constantPoly(int64(int32(f.Module.ConstBits(v))))
	}
	if i, ok := f.Def(v); ok && depth > 0 {
		switch o := f.Op(i); o {
		case op.Convert, op.Bitcast:
			if Full(f.TypeOf(f.Arg(i, 0))).Empty() {
				break
			}
			fallthrough
		case op.Add, op.Sub, op.Mul, op.Shl, op.Neg:
			if p := a.combine(i, depth-1, (*Ranges).expandBits); p.n > 0 {
				return p
			}
		}
	}
	return a.expand(v, 1)
}

// expandComponent is expand for a component of a vector.
func (a *Ranges) expandComponent(v ir.Value, c, depth int) poly {
	f := a.f
	if v, ok := a.scalar(v, c, depth); ok {
		return a.expand(v, expandDepth)
	}
	if Full(f.Module.Element(f.TypeOf(v))).Empty() {
		return poly{}
	}
	if v.IsConst() {
		part := f.Module.ConstPart(v, uint32(c))
		return constantPoly(Constant(f.Module, f.TypeOf(part), part).Low)
	}
	if s := a.partSlot(v, c, depth); s != 0 {
		return slotPoly(s)
	}
	return poly{}
}
