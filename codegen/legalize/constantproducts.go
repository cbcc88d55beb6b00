package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// ConstantProducts forbids drivers to regroup products with constants:
//
//	mul %x, -566.4375f : f32 {contract}   ─►   mul %x, -566.4375f : f32
//
// NVIDIA's Vulkan driver (580) makes x * (c * d) of (x * c) * d, across calls,
// variables and turns of loops that it unrolls too, and the product of fifteen
// constants can be infinite where x * c * c … is not: 0 becomes a NaN. WGSL §15.7.3
// allows regrouping only if the result is at least as accurate. SPIR-V knows no
// finer word against it than NoContraction, which also keeps a product out of an
// fma. So a product that goes into nothing but sums keeps its freedom, unless what
// it multiplies may itself be a product with a constant.
var ConstantProducts = opt.Pass{
	Name: "constantproducts",
	Doc:  "forbid drivers to regroup products with constants",
	Run: func(c *opt.Context, m *ir.Module) {
		p := opt.Scratch[constantProducts](c, "constantproducts")
		for _, f := range m.Funcs {
			p.f = f
			p.elsewhere = ir.Zeroed(p.elsewhere, f.ValueCount())
			p.block(f.Entry, p.uses)
			p.block(f.Entry, p.mark)
		}
	},
}

type constantProducts struct {
	f         *ir.Func
	elsewhere []bool // by local value: used by something that is no sum
}

func (p *constantProducts) block(b ir.Block, visit func(ir.Inst)) {
	f := p.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		visit(i)
		if f.Op(i).Is(op.Control) {
			for n := range f.Blocks(i) {
				p.block(f.Region(i, n), visit)
			}
		}
	}
}

func (p *constantProducts) uses(i ir.Inst) {
	if o := p.f.Op(i); o == op.Add || o == op.Sub {
		return
	}
	for _, v := range p.f.Args(i) {
		if v.IsLocal() {
			p.elsewhere[v.Index()] = true
		}
	}
}

func (p *constantProducts) mark(i ir.Inst) {
	f := p.f
	if factor, ok := p.factor(i); ok && (p.elsewhere[f.Result(i).Index()] || p.mayBeProduct(factor, productDepth)) {
		f.SetFlags(i, f.Flags(i)&^ir.Contract)
	}
}

// factor returns what an instruction multiplies with a constant, if it does. Fast
// code asks for regrouping.
func (p *constantProducts) factor(i ir.Inst) (ir.Value, bool) {
	f := p.f
	if f.Op(i) != op.Mul || !f.Module.ScalarOf(f.Type(i)).IsFloat() || f.Flags(i)&ir.Fast != 0 {
		return ir.NoValue, false
	}
	a, b := f.Arg(i, 0), f.Arg(i, 1)
	if a.IsConst() {
		a, b = b, a
	}
	return a, b.IsConst()
}

// productDepth bounds how far values are followed; what lies behind counts as a
// product.
const productDepth = 6

// mayBeProduct reports whether a value may be a product with a constant for a
// driver, which knows what functions return and what their variables hold.
func (p *constantProducts) mayBeProduct(v ir.Value, depth int) bool {
	f := p.f
	if !v.IsLocal() {
		return false
	}
	if depth == 0 {
		return true
	}
	i, ok := f.Def(v)
	if !ok {
		return p.parameterMayBeProduct(v)
	}
	switch o := f.Op(i); {
	case o == op.Load:
		space := f.Module.SpaceOf(f.TypeOf(f.Arg(i, 0)))
		return space == ir.Function || space == ir.Private
	case o.Is(op.Control), o == op.Call:
		return true
	case o == op.Mul, o == op.Neg, o == op.Select, o == op.Extract, o == op.Insert, o == op.Construct, o == op.Splat,
		o == op.Shuffle:
	default:
		return false
	}
	if _, ok := p.factor(i); ok {
		return true
	}
	for _, a := range f.Args(i) {
		if p.mayBeProduct(a, depth-1) {
			return true
		}
	}
	return false
}

// parameterMayBeProduct is mayBeProduct for the parameters of blocks and functions.
// A loop's are looked at where they come from: an accumulation such as
// `sum = sum * 0.9 + x` is worth its fma.
func (p *constantProducts) parameterMayBeProduct(v ir.Value) bool {
	f := p.f
	b := f.DefBlock(v)
	loop := f.Parent(b)
	if loop == 0 || b != f.Region(loop, 0) {
		return true
	}
	next := f.Terminator(f.Region(loop, 1))
	if next == 0 || f.Op(next) != op.Next {
		return true
	}
	n := position(f.Params(b), v)
	after, _, _ := f.NextArgs(next)
	for _, from := range [...]ir.Value{f.Args(loop)[n], after[n]} {
		if !from.IsLocal() {
			continue
		}
		i, ok := f.Def(from)
		if !ok {
			return true
		}
		if o := f.Op(i); o != op.Add && o != op.Sub && !(o == op.Load && f.Module.SpaceOf(f.TypeOf(f.Arg(i, 0))) != ir.Function) {
			return true
		}
	}
	return false
}
