package analysis

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Proofs that a sum is not negative. A term is replaced by a bound of its interval, or cancelled by
// subtracting a multiple of a fact with the same term. What is left is not greater than the sum,
// and has to be proved. Terms with negative factors come first. The rest is mostly positive.

// search is what proofs have spent.
type search struct {
	steps, nested int
	// used are the steps of the last proof.
	used int
	// wasted are the steps of proofs that failed, in the function.
	wasted int
	// other says that terms are cancelled in other orders, too.
	other bool
	// path are the negative terms that the facts of the current proof have cancelled.
	path []monomial
	// failed are sums that were not proved with what is noted now, as many as are looked at.
	failed    [8]poly
	failures  int
	reachable reachable
}

const (
	// searchSteps bounds the facts that a proof tries, searchDepth how many of them are added up.
	searchSteps = 200
	searchDepth = 10
	// wasteAtLeast and wastePart bound how much a function spends for nothing, by its size, before
	// proofs get an eighth of the steps.
	wasteAtLeast, wastePart = 800, 8
	// otherDepth is down to where a second search cancels terms in another order.
	otherDepth = searchDepth - 2
	// longProof is how many steps a proof has that is noted as a fact.
	longProof = 12
	// choiceDepth bounds how deep the condition of a select is decomposed.
	choiceDepth = 6
	// factsOfSlot bounds how many facts of a slot are looked at, the latest ones.
	factsOfSlot = 16
)

// proves reports whether a sum is known not to be negative here.
func (a *Ranges) proves(p *poly) bool {
	s := &a.search
	if s.nested > 0 {
		return a.isNonNegative(p, searchDepth)
	}
	if s.hasFailed(p) {
		s.used = 0
		return false
	}
	allowed := searchSteps
	if s.wasted > wasteAtLeast+a.f.InstCount()/wastePart {
		allowed = searchSteps / 8
	}
	s.steps, s.path = allowed, s.path[:0]
	s.nested++
	known := a.isNonNegative(p, searchDepth)
	if s.used = allowed - s.steps; !known && allowed == searchSteps {
		s.steps, s.path, s.other = allowed, s.path[:0], true
		known = a.isNonNegative(p, searchDepth)
		s.used, s.other = s.used+allowed-s.steps, false
	}
	s.nested--
	if !known {
		s.wasted += s.used
		s.failed[s.failures%len(s.failed)] = *p
		s.failures++
	}
	return known
}

// hasFailed reports whether a sum, or a greater one that differs by a constant, was not proved.
func (s *search) hasFailed(p *poly) bool {
	for n := range min(s.failures, len(s.failed)) {
		if q := &s.failed[n]; p.n == q.n {
			c, _ := p.constant()
			d, _ := q.constant()
			if c <= d && p.isBut(q) {
				return true
			}
		}
	}
	return false
}

// isIndex reports whether an index is known to be one of a runtime-sized array.
func (a *Ranges) isIndex(index ir.Value, array ArrayKey) bool {
	length := a.slotOfLength(array)
	return length != 0 && (a.spanAt(length).least > 1 || a.reaches(index, length)) && a.isBelowLength(index, length, true)
}

// isBelowLength reports whether an index is less than a length, and also not negative if that is
// required.
func (a *Ranges) isBelowLength(index ir.Value, length uint32, natural bool) bool {
	t := a.f.TypeOf(index)
	if domain(t).Empty() {
		return false
	}
	proves := func(p *poly) bool {
		q := slotPoly(length)
		if p.n == 0 || !q.addTimes(p.list(), term{factor: -1}) || !q.add(term{factor: -1}) || !a.proves(&q) {
			return false
		}
		// others follow from it, as in a search that goes on from here
		if a.search.used > longProof {
			a.pushFact(&q)
		}
		return !natural || a.proves(p)
	}
	p := a.expand(index, expandDepth)
	if proves(&p) {
		return true
	}
	// what was said of it before it was known not to wrap
	if index.IsLocal() && a.facts.last[a.slot(index)] != 0 {
		if own := slotPoly(a.slot(index)); own != p && proves(&own) {
			return true
		}
	}
	if !natural || Full(t).Empty() || t == ir.I32 && a.spanAt(length).greatest > Full(t).high() {
		return false
	}
	q := a.expandBits(index, expandDepth)
	return q != p && proves(&q)
}

// arraysAbove returns the arrays whose length is greater than an index, if that is not negative. It
// restores the search and the facts afterwards: reports change no code.
func (a *Ranges) arraysAbove(index ir.Value) (list []ArrayKey) {
	spent, mark := a.search, len(a.undo)
	for _, l := range a.lengths {
		if a.isBelowLength(index, l.slot, false) {
			list = append(list, l.key)
		}
	}
	a.forget(mark)
	a.search = spent
	return list
}

// spanOf returns where a product lies.
func (a *Ranges) spanOf(m monomial) span {
	if m[0] == 0 {
		return span{1, 1}
	}
	v := a.spanAt(m[0])
	for _, s := range m[1:] {
		if s == 0 {
			break
		}
		v = v.product(a.spanAt(s))
	}
	return v
}

// sum returns where a sum lies. One term without a bound leaves it without one, whatever the others
// are.
func (a *Ranges) sum(p *poly) span {
	v, least, greatest := span{}, true, true
	for _, t := range p.list() {
		x := a.spanOf(t.of).scaled(t.factor)
		least, greatest = least && x.least > -unbounded, greatest && x.greatest < unbounded
		v.least, v.greatest = v.least+x.least, v.greatest+x.greatest
	}
	if !least || v.least < -unbounded {
		v.least = -unbounded
	}
	if !greatest || v.greatest > unbounded {
		v.greatest = unbounded
	}
	return v
}

// isNonNegative is proves within the bounds of a search.
func (a *Ranges) isNonNegative(p *poly, depth int) bool {
	v := a.sum(p)
	if v.least >= 0 || v.greatest < 0 || depth == 0 {
		return v.least >= 0
	}
	n := a.hardest(p)
	if n < 0 {
		return false
	}
	t := p.t[n]
	if a.replacesTerm(p, t, depth) {
		return true
	}
	for k, other := range p.list() {
		if a.search.other && depth >= otherDepth && k != n && other.factor < 0 && other.of != (monomial{}) && a.replacesTerm(p, other, depth) {
			return true
		}
	}
	// its bound instead, if there is something else to be cancelled
	bound := a.spanOf(t.of).scaled(t.factor).least
	q := *p
	if t.factor > 0 || bound <= -unbounded || !q.add(term{-t.factor, t.of}) || !q.add(term{factor: bound}) {
		return false
	}
	return a.isNonNegative(&q, depth-1)
}

// hasChoice reports whether one of the numbers of a product is the result of a select.
func (a *Ranges) hasChoice(m monomial) bool {
	for _, s := range m {
		if s == 0 || s >= uint32(a.f.ValueCount()) {
			continue
		}
		if i, ok := a.f.Def(ir.Value(s)); ok && a.f.Op(i) == op.Select {
			return true
		}
	}
	return false
}

// replacesTerm proves a sum by replacing one of its terms with a bound that facts or operations
// give.
func (a *Ranges) replacesTerm(p *poly, t term, depth int) bool {
	used := len(a.search.path)
	if t.factor < 0 {
		a.search.path = append(a.search.path, t.of)
	}
	known := a.byFacts(p, t, depth, true)
	if a.hasChoice(t.of) { // which facts about others seldom help
		known = known || a.byOperations(p, t, depth) || a.byFacts(p, t, depth, false)
	} else {
		known = known || a.byFacts(p, t, depth, false) || a.byOperations(p, t, depth)
	}
	known = known || t.factor < 0 && a.byProduct(p, t, depth)
	a.search.path = a.search.path[:used]
	return known
}

// byProduct proves a sum by a product that contains the negative term: if y >= 1, then
// y * w - w >= w - w.
func (a *Ranges) byProduct(p *poly, t term, depth int) bool {
	if a.spanOf(t.of).least < 0 {
		return false
	}
	for _, u := range p.list() {
		rest, ok := u.of.over(t.of)
		if u.factor < 0 || !ok || rest == (monomial{}) {
			continue
		}
		least := a.spanOf(rest).least
		if least <= 0 || least > maxFactor {
			continue
		}
		factor := saturated(u.factor, least)
		q := *p
		if factor <= maxFactor && q.add(term{-u.factor, u.of}) && q.add(term{factor, t.of}) {
			if a.search.steps--; a.search.steps >= 0 && a.isNonNegative(&q, depth-1) {
				return true
			}
		}
	}
	return false
}

// hardest returns the term to cancel first, or -1: a product rather than a number, a negative one
// rather than a positive one.
func (a *Ranges) hardest(p *poly) int {
	best, rank := -1, -1
	for n, t := range p.list() {
		r := 0
		for _, s := range t.of {
			if s != 0 {
				r++
			}
		}
		if r == 0 {
			continue
		}
		if t.factor < 0 {
			r += 4
		}
		if r > rank {
			best, rank = n, r
		}
	}
	return best
}

// byFacts proves a sum by the facts that have one of its terms: the direct ones bring no other
// negative term with them.
func (a *Ranges) byFacts(p *poly, t term, depth int, direct bool) bool {
	for k, s := range t.of {
		if s == 0 || k > 0 && s == t.of[k-1] {
			continue
		}
		at := a.facts.last[s]
		for tried := 0; at != 0 && tried < factsOfSlot; tried++ {
			known, fact := a.facts.terms[at-1], a.facts.of(at)
			at = a.facts.links[at-1].previous
			if (known.factor < 0) != (t.factor < 0) {
				continue
			}
			rest, ok := t.of.over(known.of)
			if ok && p.has(fact, known.of, rest) == direct && a.cancel(p, fact, t, known, depth) {
				return true
			}
		}
	}
	return false
}

// cancel subtracts a multiple of a fact from a sum that cancels one of its terms, and proves the
// rest.
func (a *Ranges) cancel(p *poly, fact []term, t, known term, depth int) bool {
	if a.search.steps--; a.search.steps < 0 {
		return false
	}
	rest, ok := t.of.over(known.of)
	if !ok || a.spanOf(rest).least < 0 {
		return false
	}
	x, y := abs(t.factor), abs(known.factor)
	if d := gcd(x, y); d > 1 {
		x, y = x/d, y/d
	}
	q := *p
	if y != 1 { // y times a negative number is -y at most
		q = constantPoly(y - 1)
	}
	if y != 1 && !q.addTimes(p.list(), term{factor: y}) || !q.addTimes(fact, term{-x, rest}) {
		return false
	}
	for _, t := range q.list() {
		if t.factor < 0 && a.wasCancelled(t.of) {
			return false
		}
	}
	return a.isNonNegative(&q, depth-1)
}

// wasCancelled reports whether facts have cancelled a negative term already. To get it back would
// be a cycle.
func (a *Ranges) wasCancelled(m monomial) bool {
	for _, used := range a.search.path {
		if used == m {
			return m != monomial{}
		}
	}
	return false
}

// byOperations proves a sum by what the operations say that made the numbers of one of its terms.
func (a *Ranges) byOperations(p *poly, t term, depth int) bool {
	f := a.f
	for k, s := range t.of {
		if s == 0 || k > 0 && s == t.of[k-1] || s >= uint32(f.ValueCount()) {
			continue
		}
		i, ok := f.Def(ir.Value(s))
		if !ok {
			continue
		}
		if f.Op(i).Is(op.Control) || f.Op(i) == op.Select || f.Op(i) == op.Max && t.factor < 0 || f.Op(i) == op.Min && t.factor > 0 {
			if a.byChoices(p, s, i, depth) {
				return true
			}
			continue
		}
		if t.factor < 0 && a.byUpperBounds(p, t, s, i, depth) || t.factor > 0 && a.byLowerBounds(p, t, s, i, depth) {
			return true
		}
	}
	return false
}

// upperBoundRule says of the result of an operation that it is at most an operand plus a constant.
// Some operands must not be negative for that, and some have to be positive. With scaled, the bound
// is that of the result times its divisor.
type upperBoundRule struct {
	operand            int
	plus               int64
	natural, positives uint8 // a bit for each operand
	scaled             bool
}

var upperBoundRules = [op.Count][]upperBoundRule{
	op.Min:   {{operand: 0}, {operand: 1}},
	op.Clamp: {{operand: 2}},
	op.And:   {{operand: 0, natural: 1}, {operand: 1, natural: 2}},
	op.Rem:   {{operand: 0, natural: 1}, {operand: 1, plus: -1, natural: 1, positives: 2}},
	op.Div:   {{operand: 0, natural: 1, positives: 2, scaled: true}, {operand: 0, natural: 3}},
	op.Shr:   {{operand: 0, natural: 1, scaled: true}, {operand: 0, natural: 1}},
	// bits may be lost of values that are not negative
	op.Convert: {{operand: 0, natural: 1}}, op.Bitcast: {{operand: 0, natural: 1}},
}

// byUpperBounds proves a sum by what an operation's result is not greater than.
func (a *Ranges) byUpperBounds(p *poly, t term, s uint32, i ir.Inst, depth int) bool {
	f := a.f
	args := f.Args(i)
	atLeast := func(low int64, operands uint8) bool {
		for n, v := range args {
			if r := a.Of(v); operands>>n&1 == 1 && (r.Empty() || r.Low < low) {
				return false
			}
		}
		return true
	}
	// below proves it by the result's not being greater than another number plus a constant, or, if
	// it is multiplied by a third one, by that.
	below := func(x poly, plus int64, by poly) bool {
		if x.n == 0 || by.n != 1 || !x.add(term{factor: plus}) {
			return false
		}
		of, ok := by.t[0].of.times(monomial{s})
		known := term{-by.t[0].factor, of}
		if !ok || !x.add(known) {
			return false
		}
		return a.cancel(p, x.list(), t, known, depth)
	}
	switch o := f.Op(i); o {
	case op.Add, op.Mul, op.Shl: // sums and products that may wrap, and are less then
		if o == op.Add && a.isNegative(args[1]) || !atLeast(0, 1) || o != op.Shl && !atLeast(0, 2) {
			return false
		}
		return below(a.combine(i, expandDepth, (*Ranges).expand), 0, constantPoly(1))
	default:
		for _, r := range upperBoundRules[o] {
			if !atLeast(0, r.natural) || !atLeast(1, r.positives) {
				continue
			}
			by := constantPoly(1)
			if r.scaled {
				by = a.divisor(i)
			}
			if below(a.expand(args[r.operand], expandDepth), r.plus, by) {
				return true
			}
		}
	}
	return false
}

// divisor returns what an operation divides by, without terms for a shift that is not constant.
func (a *Ranges) divisor(i ir.Inst) poly {
	if a.f.Op(i) == op.Div {
		return a.expand(a.f.Arg(i, 1), expandDepth)
	}
	if by, ok := a.f.Module.ConstUint(a.f.Arg(i, 1)); ok && by < 31 {
		return constantPoly(1 << by)
	}
	return poly{}
}

// byLowerBounds proves a sum by what an operation's result is not less than.
func (a *Ranges) byLowerBounds(p *poly, t term, s uint32, i ir.Inst, depth int) bool {
	f := a.f
	if f.Op(i) != op.Max {
		return false
	}
	for _, v := range f.Args(i) {
		x := a.expand(v, expandDepth)
		fact := slotPoly(s)
		if x.n > 0 && fact.addTimes(x.list(), term{factor: -1}) && a.cancel(p, fact.list(), t, term{1, monomial{s}}, depth) {
			return true
		}
	}
	return false
}

// byChoices proves a sum for each of the values among which a result was chosen.
func (a *Ranges) byChoices(p *poly, s uint32, i ir.Inst, depth int) bool {
	f := a.f
	switch o := f.Op(i); o {
	case op.Min, op.Max:
		return a.withChoice(p, s, f.Arg(i, 0), depth) && a.withChoice(p, s, f.Arg(i, 1), depth)
	case op.Select:
		for n := range 2 {
			mark := len(a.undo)
			a.assume(f.Arg(i, 0), n == 0, choiceDepth)
			known := a.withChoice(p, s, f.Arg(i, 1+n), depth)
			a.forget(mark)
			if !known {
				return false
			}
		}
		return true
	case op.If, op.Scope:
		n := slices.Index(f.Results(i), ir.Value(s))
		exits := 0
		for exit := a.lastExit[i]; exit != 0; exit = a.previousExit[exit] {
			if exits++; exits > 4 {
				return false
			}
			mark := len(a.undo)
			a.assumePath(exit, i, 2)
			known := a.withChoice(p, s, f.Arg(exit, n), depth)
			a.forget(mark)
			if !known {
				return false
			}
		}
		return exits > 0
	}
	return false
}

// withChoice proves a sum with a value substituted for a slot.
func (a *Ranges) withChoice(p *poly, s uint32, v ir.Value, depth int) bool {
	if a.search.steps--; a.search.steps < 0 {
		return false
	}
	x := a.expand(v, expandDepth)
	if x.n == 0 {
		return false
	}
	at := a.facts.last[s]
	for tried := 0; at != 0 && tried < factsOfSlot; tried++ {
		q, ok := with(a.facts.of(at), s, &x)
		if at = a.facts.links[at-1].previous; ok && a.sum(&q).greatest < 0 {
			return true // the value was not chosen
		}
	}
	q, ok := with(p.list(), s, &x)
	return ok && a.isNonNegative(&q, depth-1)
}

// differenceDepth bounds how many operations of the operands of a difference are decomposed.
const differenceDepth = 2

// difference returns by how much an operand of a subtraction is greater than the other at least, by
// one fact. It checks whether the operands wrap, and so may reach subtractions in them. Those are
// checked without facts, or the time would double with each of a chain.
func (a *Ranges) difference(x, y ir.Value) (least int64, ok bool) {
	if len(a.facts.ends) == 0 || !y.IsLocal() || a.differing {
		return 0, false
	}
	a.differing = true
	p, q := a.expand(x, differenceDepth), a.expand(y, differenceDepth)
	a.differing = false
	if p.n == 0 || q.n == 0 || !p.addTimes(q.list(), term{factor: -1}) {
		return 0, false
	}
	least = -unbounded
	for _, t := range p.list() { // facts of one negative term are enough
		if t.factor > 0 || t.of == (monomial{}) {
			continue
		}
		at := a.facts.last[t.of[0]]
		for tried := 0; at != 0 && tried < factsOfSlot; tried++ {
			known, fact := a.facts.terms[at-1], a.facts.of(at)
			at = a.facts.links[at-1].previous
			if known != t {
				continue
			}
			rest := p
			if rest.addTimes(fact, term{factor: -1}) {
				if x, all := rest.constant(); all {
					least = max(least, x)
				}
			}
		}
		break
	}
	return least, least > -unbounded
}

func abs(x int64) int64 { return max(x, -x) }

func gcd(x, y int64) int64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}
