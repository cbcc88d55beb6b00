package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Contract joins a product and the sum it goes into to an fma, which rounds
// once, where both allow it. It is the only place that contracts:
// targets print explicit roundings, so that results do not drift with drivers.
// It stands behind Scalarise, or works on vectors. Products that go elsewhere too stay as they are:
// fusing them would not save the multiplication.
var Contract = opt.Pass{
	Name:  "contract",
	Doc:   "fuse products with the sums they go into",
	Keeps: ir.Uncounted,
	Run: func(c *opt.Context, m *ir.Module) {
		x := opt.Scratch[contraction](c, "contract")
		for _, f := range m.Funcs {
			x.function(f)
		}
	},
}

// ContractAlone is Contract for targets whose drivers contract too: what is left of sums and
// products rounds by itself, unless the mode is fast.
//
// Drivers take leave to contract for more. NVIDIA's for Vulkan (580) makes (c - x)·d of
// constants c and d a single fma, c·d - x·d, with c·d rounded: (1000.3 - x)·3.3 is off
// by a fifth where x is next to 1000.3, and WGSL has both operations rounded correctly
// (WGSL §15.7.4.1; an implementation may reassociate only where the result is as exact,
// §15.7.3). A difference that must not be contracted does not keep it from doing so, the
// product has to be one as well.
var ContractAlone = opt.Pass{
	Name:  "contractalone",
	Doc:   "fuse products with the sums they go into, and have drivers fuse no others",
	Keeps: ir.Uncounted | ir.Unchained,
	Run: func(c *opt.Context, m *ir.Module) {
		if c.Math != opt.MathWGSL {
			return
		}
		x := opt.Scratch[contraction](c, "contractalone")
		for _, f := range m.Funcs {
			if !f.Had(&contracted) {
				continue
			}
			x.function(f)
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				if contracted.Has(f.Op(i)) {
					f.SetFlags(i, f.Flags(i)&^ir.Contract)
				}
			}
		}
	},
}

// contracted are the operations that fuse, and what they become. A dot product is a sum in
// any order to begin with.
var contracted = op.SetOf(op.Add, op.Sub, op.Mul, op.Fma)

type contraction struct {
	f    *ir.Func
	b    ir.Builder
	uses []uint32
}

func (x *contraction) function(f *ir.Func) {
	x.f, x.b.F = f, f
	x.uses = f.CountUses(x.uses)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if o := f.Op(i); o == op.Add || o == op.Sub {
			x.sum(i)
		}
	}
}

// sum fuses a sum or difference with a product if it has one. The product's
// instruction goes away.
func (x *contraction) sum(i ir.Inst) {
	f := x.f
	if f.Flags(i)&ir.Contract == 0 || !f.Module.ScalarOf(f.Type(i)).IsFloat() {
		return
	}
	a, b := f.Arg(i, 0), f.Arg(i, 1)
	negative := f.Op(i) == op.Sub
	x.b.At(i)
	x.b.Flags = f.Flags(i)
	// a sum of two products fuses the later one: the earlier, rounded, is the
	// addend that an accumulation continues with
	if product, ok := x.product(b); ok {
		p, q := f.Arg(product, 0), f.Arg(product, 1)
		if negative { // a - p·q
			// a constant costs nothing, and of -(x - y) drivers make y - x, which they regroup
			if q.IsConst() || x.isSum(p) {
				p, q = q, p
			}
			p = x.negated(p)
		}
		x.fuse(i, product, p, q, a)
	} else if product, ok := x.product(a); ok {
		p, q := f.Arg(product, 0), f.Arg(product, 1)
		if negative { // p·q - b
			b = x.negated(b)
		}
		x.fuse(i, product, p, q, b)
	}
}

// negated returns the opposite of a value.
func (x *contraction) negated(v ir.Value) ir.Value {
	if c, ok := x.f.Module.Fold(op.Neg, x.f.TypeOf(v), 0, []ir.Value{v}); ok {
		return c
	}
	return x.b.Op(op.Neg, v)
}

func (x *contraction) isSum(v ir.Value) bool {
	i, ok := x.f.Def(v)
	return ok && (x.f.Op(i) == op.Add || x.f.Op(i) == op.Sub)
}

// product returns the multiplication that defines a value, if it may be fused.
func (x *contraction) product(v ir.Value) (ir.Inst, bool) {
	i, ok := x.f.Def(v)
	if !ok || int(v) >= len(x.uses) || x.uses[v] != 1 || x.f.Op(i) != op.Mul || x.f.Flags(i)&ir.Contract == 0 {
		return 0, false
	}
	return i, true
}

func (x *contraction) fuse(i, product ir.Inst, p, q, addend ir.Value) {
	x.f.SetOp(i, op.Fma)
	x.f.SetArgs(i, p, q, addend)
	x.f.Remove(product)
}
