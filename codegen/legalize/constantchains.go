package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// ConstantChains forbids drivers to regroup products with constants, and sums with
// constants:
//
//	mul %x, -566.4375f [contract]   ─►   mul %x, -566.4375f
//
// NVIDIA's Vulkan driver (580) makes x * (c * d) of (x * c) * d and x + (c + d) of
// (x + c) + d, across calls, variables and turns of loops that it unrolls too. The
// product of fifteen constants can be infinite where x * c * c … is not: 0 became a
// NaN. WGSL §15.7.3 allows regrouping only if the result is at least as accurate.
//
// SPIR-V knows no finer word against it than NoContraction, which also keeps an
// operation out of an fma, and the driver asks the sum alone whether it may become
// one. So only links of what may be a chain lose their freedom: a sum or product
// with a constant of something that may be one as well. The ends of a chain are
// looked for where values come from; of what others know (callers, variables), the
// worst is assumed, but that an accumulation such as `sum = sum * 0.9 + x` is no
// chain is seen.
var ConstantChains = opt.Pass{
	Name:  "constantchains",
	Doc:   "forbid drivers to regroup sums and products with constants",
	Gives: ir.Unchained,
	Keeps: ir.Uncounted,
	Run: func(c *opt.Context, m *ir.Module) {
		p := opt.Scratch[constantChains](c, "constantchains")
		for _, f := range m.Funcs {
			p.function(f)
		}
	},
}

type constantChains struct {
	f *ir.Func
}

func (p *constantChains) function(f *ir.Func) {
	p.f = f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch o := f.Op(i); {
		case o != op.Mul && o != op.Add && o != op.Sub || !f.Module.ScalarOf(f.Type(i)).IsFloat():
		case o == op.Mul:
			p.product(i)
		default:
			p.sum(i)
		}
	}
}

// product fixes a product with a constant of something that may be one, and what
// that is.
func (p *constantChains) product(i ir.Inst) {
	if factor, ok := p.link(i, op.Mul); ok && p.mayBeLink(factor, op.Mul, chainDepth) {
		p.fix(i)
		p.fixValue(factor)
	}
}

// sum fixes a sum with a constant of something that may be one, and a sum that a
// chain of products goes into.
func (p *constantChains) sum(i ir.Inst) {
	f := p.f
	if part, ok := p.link(i, op.Add); ok && p.mayBeLink(part, op.Add, chainDepth) {
		p.fix(i)
		p.fixValue(part)
		return
	}
	for _, a := range f.Args(i) {
		if d, ok := p.definition(a); ok && f.Op(d) == op.Mul && f.Flags(d)&ir.Contract == 0 {
			p.fix(i)
			return
		}
	}
}

func (p *constantChains) fix(i ir.Inst) { p.f.SetFlags(i, p.f.Flags(i)&^ir.Contract) }

func (p *constantChains) fixValue(v ir.Value) {
	if i, ok := p.definition(v); ok {
		p.fix(i)
	}
}

// definition returns the instruction that computes a value.
func (p *constantChains) definition(v ir.Value) (ir.Inst, bool) {
	if !v.IsLocal() {
		return 0, false
	}
	return p.f.Def(v)
}

// link returns what an instruction multiplies by a constant, or adds to one, if that
// is what it does with floats.
func (p *constantChains) link(i ir.Inst, o op.Op) (ir.Value, bool) {
	f := p.f
	if is := f.Op(i); is != o && (is != op.Sub || o != op.Add) || !f.Module.ScalarOf(f.Type(i)).IsFloat() {
		return ir.NoValue, false
	}
	a, b := f.Arg(i, 0), f.Arg(i, 1)
	if a.IsConst() {
		a, b = b, a
	}
	return a, b.IsConst()
}

// chainDepth bounds how far values are followed; what lies behind counts as a link.
const chainDepth = 6

// mayBeLink reports whether a value may be a product with a constant, or a sum with
// one, for a driver, which knows what functions return and what variables hold.
func (p *constantChains) mayBeLink(v ir.Value, o op.Op, depth int) bool {
	f := p.f
	if !v.IsLocal() {
		return false
	}
	if depth == 0 {
		return true
	}
	i, ok := f.Def(v)
	if !ok {
		return p.parameterMayBeLink(v, o)
	}
	if _, ok := p.link(i, o); ok {
		return true
	}
	switch is := f.Op(i); {
	case is == op.Load:
		return p.own(i)
	case is.Is(op.Control), is == op.Call:
		return true
	case is == o, is == op.Neg, is == op.Select, is == op.Extract, is == op.Insert, is == op.Construct,
		is == op.Splat, is == op.Shuffle:
	default:
		return false
	}
	for _, a := range f.Args(i) {
		if p.mayBeLink(a, o, depth-1) {
			return true
		}
	}
	return false
}

// own reports whether a load is from a variable of the invocation's own.
func (p *constantChains) own(load ir.Inst) bool {
	space := p.f.Module.SpaceOf(p.f.TypeOf(p.f.Arg(load, 0)))
	return space == ir.Function || space == ir.Private
}

// parameterMayBeLink is mayBeLink for the parameters of blocks and functions. A
// loop's are looked at where they come from.
func (p *constantChains) parameterMayBeLink(v ir.Value, o op.Op) bool {
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
	n := analysis.Position(f.Params(b), v)
	after, _, _ := f.NextArgs(next)
	for _, from := range [...]ir.Value{f.Args(loop)[n], after[n]} {
		if !from.IsLocal() {
			continue
		}
		i, ok := f.Def(from)
		if !ok {
			return true
		}
		_, linked := p.link(i, o)
		if is := f.Op(i); linked || is != op.Mul && is != op.Add && is != op.Sub && (is != op.Load || p.own(i)) {
			return true
		}
	}
	return false
}
