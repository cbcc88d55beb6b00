package analysis

import (
	"math"
	"math/bits"
)

// A poly is a sum of terms, each a factor times the numbers in up to three slots (Ranges). It is a
// mathematical integer, with no type and no wrapping. Terms have different slots, and the one
// without slots is the constant.
type poly struct {
	n int
	t [maxTerms]term
}

// term is a factor times slots, which are in descending order. Zero is none.
type term struct {
	factor int64
	of     monomial
}

type monomial [3]uint32

const (
	maxTerms = 8
	// maxFactor bounds factors, so that the sum of two of them does not overflow an int64, and
	// unbounded times one does not where both are checked.
	maxFactor = 1 << 40
	// unbounded is more than any number that is computed with. Bounds beyond it say nothing.
	unbounded = math.MaxInt64 / 16
)

func constantPoly(x int64) poly { return poly{1, [maxTerms]term{{x, monomial{}}}} }

func slotPoly(s uint32) poly { return poly{1, [maxTerms]term{{1, monomial{s}}}} }

// add adds a term, and reports whether there is room for it.
func (p *poly) add(t term) bool {
	for n := range p.n {
		if p.t[n].of != t.of {
			continue
		}
		p.t[n].factor += t.factor
		f := p.t[n].factor
		if f == 0 {
			p.n--
			p.t[n] = p.t[p.n]
		}
		return -maxFactor <= f && f <= maxFactor
	}
	if t.factor == 0 {
		return true
	}
	if p.n == maxTerms {
		return false
	}
	p.t[p.n] = t
	p.n++
	return -maxFactor <= t.factor && t.factor <= maxFactor
}

// list returns the terms.
func (p *poly) list() []term { return p.t[:p.n] }

// addTimes adds another sum, multiplied by a term.
func (p *poly) addTimes(q []term, by term) bool {
	for _, t := range q {
		of, ok := t.of.times(by.of)
		factor := saturated(t.factor, by.factor)
		if !ok || factor == unbounded || factor == -unbounded || !p.add(term{factor, of}) {
			return false
		}
	}
	return true
}

// with returns a sum with another substituted for a slot.
func with(p []term, s uint32, x *poly) (q poly, ok bool) {
	for _, t := range p {
		if rest, has := t.of.over(monomial{s}); has {
			ok = q.addTimes(x.list(), term{t.factor, rest})
		} else {
			ok = q.add(t)
		}
		if !ok {
			return q, false
		}
	}
	return q, true
}

// times returns a product, if there is room for its slots.
func (m monomial) times(o monomial) (p monomial, ok bool) {
	if o[0] == 0 {
		return m, true
	}
	i, j := 0, 0
	for n := range p {
		if j == len(o) || i < len(m) && m[i] >= o[j] {
			p[n] = m[i]
			i++
		} else {
			p[n] = o[j]
			j++
		}
	}
	return p, (i == len(m) || m[i] == 0) && (j == len(o) || o[j] == 0)
}

// over returns what multiplied by another gives m, if there is such.
func (m monomial) over(o monomial) (rest monomial, ok bool) {
	k, n := 0, 0
	for _, s := range m {
		if k < len(o) && o[k] != 0 && o[k] == s {
			k++
		} else {
			rest[n] = s
			n++
		}
	}
	return rest, k == len(o) || o[k] == 0
}

// constant returns the constant of a sum, and whether that is all of it.
func (p *poly) constant() (x int64, all bool) {
	for _, t := range p.t[:p.n] {
		if t.of == (monomial{}) {
			return t.factor, p.n == 1
		}
	}
	return 0, p.n == 0
}

// isBut reports whether the terms of two sums are the same in the same order, but for constants.
func (p *poly) isBut(q *poly) bool {
	for n, t := range p.list() {
		if q.t[n].of != t.of || q.t[n].factor != t.factor && t.of != (monomial{}) {
			return false
		}
	}
	return true
}

// saturated returns a product, or ±unbounded where it is further from zero than that.
func saturated(x, y int64) int64 {
	const small = 1 << 29
	if -small < x && x < small && -small < y && y < small {
		return x * y
	}
	high, low := bits.Mul64(uint64(abs(x)), uint64(abs(y)))
	if high != 0 || low > unbounded {
		low = unbounded
	}
	if (x < 0) == (y < 0) {
		return int64(low)
	}
	return -int64(low)
}

// A span is a set of numbers from the least to the greatest, which are ±unbounded where there is
// none.
type span struct{ least, greatest int64 }

// product returns where the product of numbers from two spans lies.
func (x span) product(y span) span {
	a, b := saturated(x.least, y.least), saturated(x.least, y.greatest)
	c, d := saturated(x.greatest, y.least), saturated(x.greatest, y.greatest)
	return span{min(a, b, c, d), max(a, b, c, d)}
}

// scaled returns where a factor times numbers from a span lies.
func (x span) scaled(by int64) span {
	switch {
	case by == 1:
		return x
	case by < 0:
		return span{saturated(x.greatest, by), saturated(x.least, by)}
	}
	return span{saturated(x.least, by), saturated(x.greatest, by)}
}

// has reports whether a sum has the positive terms of another that is multiplied by rest, but for
// one.
func (p *poly) has(q []term, but, rest monomial) bool {
	for _, t := range q {
		of, _ := t.of.times(rest)
		if t.factor < 0 || t.of == but || of == (monomial{}) {
			continue
		}
		found := false
		for _, u := range p.list() {
			found = found || u.of == of && u.factor > 0
		}
		if !found {
			return false
		}
	}
	return true
}
