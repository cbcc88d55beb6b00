package nvidia

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// SignedMinMaxOfLateNegation compares with a sign, by a bias of 2^31, where a driver may come to
// know late a part of what it negates:
//
//	min_u32(1 - ~x * k, y)   ─►  min(1 - ~x * k ^ 0x80000000, y ^ 0x80000000) ^ 0x80000000
//	select(~x < y, ~x, y)    ─►  likewise
//
// NVIDIA's Vulkan driver (580) joins a sum and a min or max without a sign behind it. Where it then
// puts one number for another, for k the 1 of the only iteration of a loop, it loses a complement
// or a negation on the way: the first form is min_u32(~x - 1, y) for it, an index that is never
// inside. In 13,890 small modules on an H200 sums, products, complements and negations of numbers
// that loops of few iterations count, that variables hold, and that nobody knows were limited in
// each way. A min or max without a sign was wrong where the driver learnt a factor or
// a term late, and those with a sign, biased or not, only where two of one kind joined of which one
// limits a negation, which is what UnsignedMinMaxOfNegation is for.
//
// What UnsignedMinMaxOfNegation has biased for that reason gets its sign back. What may join a min
// or max with a sign stays as it is.
var SignedMinMaxOfLateNegation = opt.Pass{
	Name: "nv-minmax-late",
	Doc:  "compare numbers with a sign where a driver may come to know late what it negates",
	Run: func(c *opt.Context, m *ir.Module) {
		l := opt.Scratch[lateNegations](c, "nv-minmax-late")
		l.R = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if f.Had(&shared.Extremes) && f.Had(&complementing) {
				l.function(m, f)
			}
		}
	},
}

// lateNegations walks the min and max of a function.
type lateNegations struct {
	shared.MinMax
	// handed says whether some block hands a negated number on, or stores one, so that what comes
	// from another block or from a variable counts as negated.
	handed bool
	// limited holds the indices of what min and max with a sign limit, or what may reach one in
	// another block, and compared those of what is compared with a constant: in a branch where they
	// are equal it is known.
	limited, compared []bool
	// seen is how many numbers were looked at for one, and turned which parameters of loops.
	seen   int
	turned []ir.Value
}

func (l *lateNegations) function(m *ir.Module, f *ir.Func) {
	l.R.F, l.R.B.F = f, f
	l.Enter(m, f)
	l.handed = false // for hands, which goes by what is in sight
	l.handed = l.hands()
	l.limit()
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if shared.Extremes.Has(f.Op(i)) && m.ScalarOf(f.Type(i)) == scalar.U32 {
			if v := l.extreme(i); v != ir.NoValue {
				f.Replace(f.Result(i), v)
				f.Remove(i)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// hands reports whether a negated number leaves a block or is stored in a variable of the
// invocation's own.
func (l *lateNegations) hands() bool {
	f := l.F
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if !l.handsOn(i) {
			continue
		}
		for _, a := range f.Args(i) {
			if l.start(); rewrite.IsInteger32(f, a) && l.has(f.Resolve(a), partNegated) {
				return true
			}
		}
	}
	return false
}

// handsOn reports whether an instruction hands its operands on to another block, or to a variable.
func (l *lateNegations) handsOn(i ir.Inst) bool {
	o := l.F.Op(i)
	if o == op.Store {
		return l.IsOwnScalar(l.F.Arg(i, 0))
	}
	return o.Is(op.Terminator) || o == op.Loop
}

// limit notes which numbers min and max with a sign limit, or may in another block, and which are
// compared with constants.
func (l *lateNegations) limit() {
	f := l.F
	l.limited = append(l.limited[:0], make([]bool, f.ValueCount())...)
	l.compared = append(l.compared[:0], make([]bool, f.ValueCount())...)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		args := f.Args(i)
		switch o := f.Op(i); {
		case shared.Extremes.Has(o) && l.M.ScalarOf(f.Type(i)) == scalar.I32 || l.handsOn(i):
			l.note(l.limited, args...)
		case o == op.Switch:
			l.note(l.compared, args[0])
		case (o == op.Eq || o == op.Ne) && (f.Resolve(args[0]).IsConst() || f.Resolve(args[1]).IsConst()):
			l.note(l.compared, args...)
		}
	}
}

func (l *lateNegations) note(at []bool, values ...ir.Value) {
	for _, v := range values {
		if v = l.plain(v); v.IsLocal() {
			at[v.Index()] = true
		}
	}
}

// min or max returns what replaces a min or max of u32, or NoValue if it stays.
func (l *lateNegations) extreme(i ir.Inst) ir.Value {
	r := &l.R
	r.At(i)
	o, args := r.F.Op(i), r.X[:len(r.F.Args(i))]
	if o == op.Select {
		if o, args = l.Selected(); o == op.Select {
			return ir.NoValue
		}
	}
	var biased, late, joins bool
	handed := l.limited[r.F.Result(i).Index()]
	for _, v := range args {
		_, b := r.Unbiased(v)
		biased = biased || b
		late = late || l.isLate(v)
		joins = joins || l.isExtreme(v)
		handed = handed || l.isHanded(v)
	}
	if !late || joins || biased && handed {
		return ir.NoValue
	}
	var x [3]ir.Value
	for n, v := range args {
		u, ok := r.Unbiased(v)
		if !ok {
			u = r.Bias(v)
		}
		x[n] = r.Cast(scalar.I32, u)
	}
	return r.Bias(r.Op(o, x[:len(args)]...))
}

// isLate reports whether a driver may come to know a part of what an integer negates: of a
// subtrahend or a complement, or of a product with one.
func (l *lateNegations) isLate(v ir.Value) bool {
	l.start()
	return l.addendIsLate(v)
}

func (l *lateNegations) start() { l.seen, l.turned = 0, l.turned[:0] }

func (l *lateNegations) addendIsLate(v ir.Value) bool {
	f := l.F
	v, _ = l.R.Unbiased(v)
	i, ok := f.Def(v)
	switch l.seen++; {
	case !v.IsLocal():
		return false
	case l.seen > mostParts:
		return true
	case !ok:
		return l.has(v, partNegated) && l.has(v, partKnown)
	}
	switch args := f.Args(i); f.Op(i) {
	case op.Add:
		return l.addendIsLate(f.Resolve(args[0])) || l.addendIsLate(f.Resolve(args[1]))
	case op.Sub:
		return l.addendIsLate(f.Resolve(args[0])) || l.has(f.Resolve(args[1]), partKnown)
	case op.Bitcast:
		return l.addendIsLate(f.Resolve(args[0]))
	}
	return l.has(v, partNegated) && l.has(v, partKnown)
}

// part is a kind of number among those that an integer is computed of.
type part uint8

const (
	partNegated part = iota // by a negation, a complement or a subtraction
	partKnown               // no constant, but a driver may come to know it
)

// mostParts bounds how many numbers are looked at for one. What is computed of more counts as
// having all parts.
const mostParts = 64

// has goes through the numbers that an integer is computed of, up to what other blocks, memory and
// inputs give.
func (l *lateNegations) has(v ir.Value, p part) bool {
	f := l.F
	if !v.IsLocal() {
		return false
	}
	if l.seen++; l.seen > mostParts {
		return true
	}
	if p == partKnown && int(v.Index()) < len(l.compared) && l.compared[v.Index()] {
		return true
	}
	i, ok := f.Def(v)
	if !ok {
		if start, next, ok := l.Phi(v); ok {
			return l.hasParameter(v, start, next, p)
		}
	}
	if !ok || f.Op(i).Is(op.Control) || !f.Op(i).Pure() || f.Op(i) == op.Extract && l.IsInput(f.Resolve(f.Arg(i, 0))) {
		if p == partNegated && !l.handed {
			return false
		}
		var seen shared.Visited
		return l.MayBeKnown(v, &seen)
	}
	args := f.Args(i)
	if p == partNegated {
		switch f.Op(i) {
		case op.Not, op.Neg:
			return true
		case op.Sub:
			if !f.Resolve(args[1]).IsConst() {
				return true
			}
		case op.Xor, op.Mul:
			if shared.IsOnes(&l.R, f.Resolve(args[0])) || shared.IsOnes(&l.R, f.Resolve(args[1])) {
				return true
			}
		}
	}
	for _, a := range args {
		if l.has(f.Resolve(a), p) {
			return true
		}
	}
	return false
}

// hasParameter is has for the parameter of a loop's body: what it starts as and what it is in the
// next iteration. A turn that a driver writes out has that instead.
func (l *lateNegations) hasParameter(v, start, next ir.Value, p part) bool {
	if p == partKnown {
		return true
	}
	if slices.Contains(l.turned, v) {
		return false
	}
	l.turned = append(l.turned, v)
	return l.has(start, p) || next != ir.NoValue && l.has(next, p)
}

// isExtreme reports whether a value is the result of a min or max with a sign, biased or not.
func (l *lateNegations) isExtreme(v ir.Value) bool {
	i, ok := l.F.Def(l.plain(v))
	return ok && shared.Extremes.Has(l.F.Op(i)) && l.M.ScalarOf(l.F.Type(i)) == scalar.I32
}

// isHanded reports whether a value comes from another block or from a variable, where it may be the
// result of a min or max.
func (l *lateNegations) isHanded(v ir.Value) bool {
	f := l.F
	v = l.plain(v)
	i, ok := f.Def(v)
	if !ok {
		return v.IsLocal() && f.Parent(f.DefBlock(v)) != 0
	}
	return f.Op(i).Is(op.Control) || f.Op(i) == op.Load && l.IsOwnScalar(f.Arg(i, 0))
}

// plain returns what a value is made of by biases and reinterpretations alone.
func (l *lateNegations) plain(v ir.Value) ir.Value {
	for {
		v = l.F.Resolve(v)
		i, ok := l.F.Def(v)
		if !ok {
			return v
		}
		if l.F.Op(i) == op.Bitcast {
			v = l.F.Arg(i, 0)
		} else if x, ok := l.R.Unbiased(v); ok {
			v = x
		} else {
			return v
		}
	}
}
