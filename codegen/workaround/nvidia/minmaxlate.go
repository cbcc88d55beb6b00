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

// SignedMinMaxOfLateNegation is workaround nv-minmax-late. It replaces an unsigned min or max by a
// signed one on values biased by 2^31 where a term of a negated operand may become constant late:
//
//	min_u32(1 - ~x * k, y)   ─►  min(1 - ~x * k ^ 0x80000000, y ^ 0x80000000) ^ 0x80000000
//	select(~x < y, ~x, y)    ─►  likewise
//
// NVIDIA's Vulkan driver (580) fuses a sum with the unsigned min or max of it. If it propagates a
// constant into the fused instruction after that, it loses a complement or a negation. For a k that
// is 1 in the only iteration of a loop, the first example becomes min_u32(~x - 1, y), an index that
// is never in range. Only unsigned min and max are wrong in this way. Signed ones are wrong if two
// are nested and one limits a negation, which UnsignedMinMaxOfNegation prevents.
//
// Operands that UnsignedMinMaxOfNegation has biased for that reason become signed again, unless the
// min or max may be nested in a signed one.
var SignedMinMaxOfLateNegation = opt.Pass{
	Name: "nv-minmax-late",
	Doc:  "make min and max signed where an operand may become constant late",
	Run: func(c *opt.Context, m *ir.Module) {
		l := opt.Scratch[lateNegations](c, "nv-minmax-late")
		l.R = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if f.Had(&shared.MinMaxOps) && f.Had(&negatingOps) {
				l.function(m, f)
			}
		}
	},
}

// lateNegations walks the min and max of a function.
type lateNegations struct {
	shared.MinMax
	// escapes says that a negated value may reach another block, through a block parameter or a
	// variable. All values from other blocks and from variables then count as negated.
	escapes bool
	// minMaxOperand marks, by index, the operands of signed min and max, and values that may reach
	// one in another block. comparedWithConst marks values that are compared with a constant: in a
	// branch where they are equal the driver knows the value.
	minMaxOperand, comparedWithConst []bool
	// visits counts the values visited for one query, and phis lists the loop parameters among
	// them.
	visits int
	phis   []ir.Value
}

func (l *lateNegations) function(m *ir.Module, f *ir.Func) {
	l.R.F, l.R.B.F = f, f
	l.Enter(m, f)
	l.escapes = false // negationEscapes does not look beyond a block
	l.escapes = l.negationEscapes()
	l.findUses()
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if shared.MinMaxOps.Has(f.Op(i)) && m.ScalarOf(f.Type(i)) == scalar.U32 {
			if v := l.minMax(i); v != ir.NoValue {
				f.Replace(f.Result(i), v)
				f.Remove(i)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// negationEscapes reports whether a negated value leaves a block, or is stored in a variable of the
// invocation.
func (l *lateNegations) negationEscapes() bool {
	f := l.F
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if !l.escapesBlock(i) {
			continue
		}
		for _, a := range f.Args(i) {
			if l.reset(); rewrite.IsInteger32(f, a) && l.dependsOn(f.Resolve(a), negated) {
				return true
			}
		}
	}
	return false
}

// escapesBlock reports whether an instruction passes its operands to another block, or stores to a
// variable that the driver may promote to a value.
func (l *lateNegations) escapesBlock(i ir.Inst) bool {
	o := l.F.Op(i)
	if o == op.Store {
		return l.IsPromotable(l.F.Arg(i, 0))
	}
	return o.Is(op.Terminator) || o == op.Loop
}

// findUses fills minMaxOperand and comparedWithConst.
func (l *lateNegations) findUses() {
	f := l.F
	l.minMaxOperand = append(l.minMaxOperand[:0], make([]bool, f.ValueCount())...)
	l.comparedWithConst = append(l.comparedWithConst[:0], make([]bool, f.ValueCount())...)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		args := f.Args(i)
		switch o := f.Op(i); {
		case shared.MinMaxOps.Has(o) && l.M.ScalarOf(f.Type(i)) == scalar.I32 || l.escapesBlock(i):
			l.mark(l.minMaxOperand, args...)
		case o == op.Switch:
			l.mark(l.comparedWithConst, args[0])
		case (o == op.Eq || o == op.Ne) && (f.Resolve(args[0]).IsConst() || f.Resolve(args[1]).IsConst()):
			l.mark(l.comparedWithConst, args...)
		}
	}
}

func (l *lateNegations) mark(at []bool, values ...ir.Value) {
	for _, v := range values {
		if v = l.stripBias(v); v.IsLocal() {
			at[v.Index()] = true
		}
	}
}

// minMax returns the replacement of an unsigned min or max, or NoValue if it stays.
func (l *lateNegations) minMax(i ir.Inst) ir.Value {
	r := &l.R
	r.At(i)
	o, args := r.F.Op(i), r.X[:len(r.F.Args(i))]
	if o == op.Select {
		if o, args = l.Selected(); o == op.Select {
			return ir.NoValue
		}
	}
	var biased, late, nested bool
	merged := l.minMaxOperand[r.F.Result(i).Index()]
	for _, v := range args {
		_, b := r.MatchFlippedSign(v)
		biased = biased || b
		late = late || l.mayFoldLate(v)
		nested = nested || l.isSignedMinMax(v)
		merged = merged || l.isMerged(v)
	}
	if !late || nested || biased && merged {
		return ir.NoValue
	}
	var x [3]ir.Value
	for n, v := range args {
		u, ok := r.MatchFlippedSign(v)
		if !ok {
			u = r.FlipSign(v)
		}
		x[n] = r.Cast(scalar.I32, u)
	}
	return r.FlipSign(r.Op(o, x[:len(args)]...))
}

// mayFoldLate reports whether a driver may fold a part of a negated term of v: of a subtrahend, of
// a complement, or of a product with one.
func (l *lateNegations) mayFoldLate(v ir.Value) bool {
	l.reset()
	return l.addendFoldsLate(v)
}

func (l *lateNegations) reset() { l.visits, l.phis = 0, l.phis[:0] }

func (l *lateNegations) addendFoldsLate(v ir.Value) bool {
	f := l.F
	v, _ = l.R.MatchFlippedSign(v)
	i, ok := f.Def(v)
	switch l.visits++; {
	case !v.IsLocal():
		return false
	case l.visits > maxVisits:
		return true
	case !ok:
		return l.dependsOn(v, negated) && l.dependsOn(v, foldable)
	}
	switch args := f.Args(i); f.Op(i) {
	case op.Add:
		return l.addendFoldsLate(f.Resolve(args[0])) || l.addendFoldsLate(f.Resolve(args[1]))
	case op.Sub:
		return l.addendFoldsLate(f.Resolve(args[0])) || l.dependsOn(f.Resolve(args[1]), foldable)
	case op.Bitcast:
		return l.addendFoldsLate(f.Resolve(args[0]))
	}
	return l.dependsOn(v, negated) && l.dependsOn(v, foldable)
}

// property is a property of one of the values that an integer is computed from.
type property uint8

const (
	negated  property = iota // it is a negation, a complement or a subtraction
	foldable                 // it is no constant, but a driver may fold it to one
)

// maxVisits bounds the values visited for one query. Beyond it the answer is true.
const maxVisits = 64

// dependsOn reports whether v is computed from a value with a property. The search ends at values
// from other blocks, loads and inputs.
func (l *lateNegations) dependsOn(v ir.Value, p property) bool {
	f := l.F
	if !v.IsLocal() {
		return false
	}
	if l.visits++; l.visits > maxVisits {
		return true
	}
	if p == foldable && int(v.Index()) < len(l.comparedWithConst) && l.comparedWithConst[v.Index()] {
		return true
	}
	i, ok := f.Def(v)
	if !ok {
		if start, next, ok := l.Phi(v); ok {
			return l.phiDependsOn(v, start, next, p)
		}
	}
	if !ok || f.Op(i).Is(op.Control) || !f.Op(i).Pure() || f.Op(i) == op.Extract && l.IsInput(f.Resolve(f.Arg(i, 0))) {
		if p == negated && !l.escapes {
			return false
		}
		var seen shared.Visited
		return l.MayBeKnown(v, &seen)
	}
	args := f.Args(i)
	if p == negated {
		switch f.Op(i) {
		case op.Not, op.Neg:
			return true
		case op.Sub:
			if !f.Resolve(args[1]).IsConst() {
				return true
			}
		case op.Xor, op.Mul:
			if shared.IsAllOnes(&l.R, f.Resolve(args[0])) || shared.IsAllOnes(&l.R, f.Resolve(args[1])) {
				return true
			}
		}
	}
	for _, a := range args {
		if l.dependsOn(f.Resolve(a), p) {
			return true
		}
	}
	return false
}

// phiDependsOn is dependsOn for a parameter of a loop's body. start is its initial value and next
// that of the next iteration, which replaces it if the driver unrolls the loop.
func (l *lateNegations) phiDependsOn(v, start, next ir.Value, p property) bool {
	if p == foldable {
		return true
	}
	if slices.Contains(l.phis, v) {
		return false
	}
	l.phis = append(l.phis, v)
	return l.dependsOn(start, p) || next != ir.NoValue && l.dependsOn(next, p)
}

// isSignedMinMax reports whether a value is a signed min or max, biased or not.
func (l *lateNegations) isSignedMinMax(v ir.Value) bool {
	i, ok := l.F.Def(l.stripBias(v))
	return ok && shared.MinMaxOps.Has(l.F.Op(i)) && l.M.ScalarOf(l.F.Type(i)) == scalar.I32
}

// isMerged reports whether a value is a block parameter, a result of control flow or a load of a
// variable. It may then be the result of a min or max.
func (l *lateNegations) isMerged(v ir.Value) bool {
	f := l.F
	v = l.stripBias(v)
	i, ok := f.Def(v)
	if !ok {
		return v.IsLocal() && f.Parent(f.DefBlock(v)) != 0
	}
	return f.Op(i).Is(op.Control) || f.Op(i) == op.Load && l.IsPromotable(f.Arg(i, 0))
}

// stripBias removes biases and bitcasts from a value.
func (l *lateNegations) stripBias(v ir.Value) ir.Value {
	for {
		v = l.F.Resolve(v)
		i, ok := l.F.Def(v)
		if !ok {
			return v
		}
		if l.F.Op(i) == op.Bitcast {
			v = l.F.Arg(i, 0)
		} else if x, ok := l.R.MatchFlippedSign(v); ok {
			v = x
		} else {
			return v
		}
	}
}
