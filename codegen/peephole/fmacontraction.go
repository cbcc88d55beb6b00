package peephole

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// FMAContraction fuses products with the sums that use them (LLVM: FMA formation; WGSL §15.7.3). No
// emitter contracts: targets print explicit roundings, so that results do not depend on the driver.
// On vectors the pass looks through constructs, extracts and shuffles of products:
//
//	construct(a·b, c·d) + v  ─►  fma(construct(a, c), construct(b, d), v)
//
// A product with several uses is fused if all of them are sums, since it is dead then. If it has
// other uses, fusing would not save the multiplication.
var FMAContraction = opt.Pass{
	Name: "fma-contraction",
	Doc:  "fuse products with the sums that use them",
	Run: func(c *opt.Context, m *ir.Module) {
		x := opt.Scratch[contraction](c, "fma-contraction")
		for _, f := range m.Funcs {
			if f.Had(&products) && f.Had(&sums) {
				x.function(f)
			}
		}
	},
}

var (
	products = op.SetOf(op.Mul)
	sums     = op.SetOf(op.Add, op.Sub)
)

type contraction struct {
	f *ir.Func
	b ir.Builder
	// uses counts all uses by value, and sums those in sums that it may be fused with.
	uses, sums []uint32
	fusible    []ir.Inst // these sums, in order
}

func (x *contraction) function(f *ir.Func) {
	x.f, x.b.F, x.b.Folds = f, f, true
	x.uses = ir.Zeroed(x.uses, f.ValueCount())
	x.sums = ir.Zeroed(x.sums, f.ValueCount())
	x.fusible = x.fusible[:0]
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		n := uint32(0)
		if sums.Has(f.Op(i)) && x.isFusible(i) {
			n = 1
			x.fusible = append(x.fusible, i)
		}
		for _, a := range f.Args(i) {
			if a.IsLocal() {
				x.uses[a]++
				x.sums[a] += n
			}
		}
	}
	for _, i := range x.fusible {
		x.sum(i)
	}
}

// isFusible reports whether a sum or difference may be fused with a product. In x + x the product
// would stay.
func (x *contraction) isFusible(i ir.Inst) bool {
	f := x.f
	return f.Flags(i)&ir.Contract != 0 && f.Module.ScalarOf(f.Type(i)).IsFloat() && f.Arg(i, 0) != f.Arg(i, 1)
}

// sum fuses a sum or difference with a product if it has one.
func (x *contraction) sum(i ir.Inst) {
	f := x.f
	at := 1
	v, other := f.Arg(i, 1), f.Arg(i, 0)
	is := x.isProduct(v)
	// Of two products the later one is fused: the earlier, rounded, is the addend of an
	// accumulation. A product with fewer uses is preferred, since it is more likely to become dead.
	if x.isProduct(other) && (!is || x.uses[other] < x.uses[v]) {
		v, other, at = other, v, 0
	} else if !is {
		return
	}
	x.b.At(i)
	x.b.Flags = f.Flags(i)
	p, q := x.factors(v)
	switch subtracts := f.Op(i) == op.Sub; {
	case rewrite.IsOne(f.Module, p), rewrite.IsOne(f.Module, q):
		if rewrite.IsOne(f.Module, p) {
			p = q
		}
		// a factor of 1 may be a component of a constant vector, which no pass has simplified
		f.SetArg(i, at, p)
		x.count(p, 1)
		if x.uses[v] > 0 && p.IsLocal() && int(p) < len(x.uses) {
			x.uses[p]++ // the product stays for another sum, and reads it, too
		}
		if x.isFusible(i) {
			x.sum(i)
		}
		return
	case subtracts && at == 1: // other - p·q
		p, q = x.negated(p, q)
	case subtracts: // p·q - other
		other = x.b.Op(op.Neg, other)
	}
	x.count(f.Arg(i, 1-at), -1)
	f.SetOp(i, op.Fma)
	f.SetArgs(i, p, q, other)
}

// count adds n to the count of sums that a value may be fused with.
func (x *contraction) count(v ir.Value, n int32) {
	if v.IsLocal() && int(v) < len(x.sums) {
		x.sums[v] += uint32(n)
	}
}

// negated returns factors of -(p·q).
func (x *contraction) negated(p, q ir.Value) (ir.Value, ir.Value) {
	// negating a constant is free, and drivers turn -(x - y) into y - x, which they reassociate
	if q.IsConst() || x.isSum(p) {
		p, q = q, p
	}
	return x.b.Op(op.Neg, p), q
}

func (x *contraction) isSum(v ir.Value) bool {
	i, ok := x.f.Def(v)
	return ok && sums.Has(x.f.Op(i))
}

// isProduct reports whether a value is a product, or composed of products, that is dead after
// fusing.
func (x *contraction) isProduct(v ir.Value) bool {
	f := x.f
	i, ok := f.Def(v)
	if !ok || int(v) >= len(x.uses) || x.uses[v] != x.sums[v] {
		return false
	}
	switch f.Op(i) {
	case op.Mul:
		return f.Flags(i)&ir.Contract != 0
	case op.Neg, op.Splat, op.Shuffle, op.Extract:
		return x.uses[v] == 1 && x.isOnlyProduct(f.Arg(i, 0))
	case op.Construct:
		for _, a := range f.Args(i) {
			if !x.isOnlyProduct(a) {
				return false
			}
		}
		return x.uses[v] == 1
	}
	return false
}

// isOnlyProduct reports whether a value is a product with one use.
func (x *contraction) isOnlyProduct(v ir.Value) bool {
	f := x.f
	i, ok := f.Def(v)
	return ok && int(v) < len(x.uses) && x.uses[v] == 1 && f.Op(i) == op.Mul && f.Flags(i)&ir.Contract != 0
}

// factors returns the factors of a value for which isProduct holds, and removes it if this was its
// last use.
func (x *contraction) factors(v ir.Value) (p, q ir.Value) {
	f := x.f
	i, _ := f.Def(v)
	switch o := f.Op(i); o {
	case op.Mul:
		p, q = f.Arg(i, 0), f.Arg(i, 1)
	case op.Neg:
		p, q = x.negated(x.factors(f.Arg(i, 0)))
	case op.Construct:
		var ps, qs [4]ir.Value
		n := copy(ps[:], f.Args(i))
		for k := range n {
			ps[k], qs[k] = x.factors(ps[k])
		}
		p, q = x.b.Emit(o, f.Type(i), 0, ps[:n]...), x.b.Emit(o, f.Type(i), 0, qs[:n]...)
	default:
		var args [2]ir.Value
		n := copy(args[:], f.Args(i))
		p, q = x.factors(args[0])
		args[0] = p
		p = x.b.Emit(o, f.Type(i), f.Aux(i), args[:n]...)
		args[0] = q
		q = x.b.Emit(o, f.Type(i), f.Aux(i), args[:n]...)
	}
	x.sums[v]--
	if x.uses[v]--; x.uses[v] == 0 {
		f.Remove(i)
	}
	return p, q
}
