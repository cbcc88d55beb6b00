package legalize

import (
	"sync"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file is the machinery of the legalisers that replace one instruction at
// a time by simpler ones: a dense table says, by operation, how. What a rule
// builds is visited again, so rules may use operations that have rules of their
// own, and need not know which those are.

// rule rewrites the instruction that the rewriter stands at. It returns what
// replaces the result, or NoValue if the instruction stays; a rule may have
// changed its operands then. A rule must not build the instruction it replaces
// again, or the walk does not end.
type rule func(r *rewriter) ir.Value

// rules gives the rule of each operation, or nil.
type rules [op.Count]rule

// rewriter walks a function and applies rules. The fields describe the
// instruction that it stands at.
type rewriter struct {
	c *opt.Context
	m *ir.Module
	f *ir.Func
	b ir.Builder
	// i is the instruction, t its result type and kind the scalar kind of the
	// first operand: of a conversion that is the source.
	i    ir.Inst
	t    ir.Type
	kind scalar.Kind
	// x holds the operands of instructions with at most four.
	x [4]ir.Value
	// ranges, if not nil, is what was proved of the function as it was.
	ranges *analysis.Ranges
	// ranged is the function that a rule has had the ranges of, and known how many values it had
	// then (interval).
	ranged *ir.Func
	known  uint32
}

// newRewriter returns a rewriter that stands nowhere yet. What it builds of constants is
// a constant.
func newRewriter(c *opt.Context, m *ir.Module) rewriter {
	return rewriter{c: c, m: m, b: ir.Builder{Folds: true}}
}

// everywhere returns what applies rules to all instructions of a module.
func (table *rules) everywhere() func(c *opt.Context, m *ir.Module) {
	var concerned op.Set
	for o := range table {
		if table[o] != nil {
			concerned.Add(op.Op(o))
		}
	}
	return table.where(concerned)
}

// made returns what applies rules to all instructions of a module that are put together when
// it first runs: most programs compile for one target, and have the passes of all.
func made(table func() *rules) func(c *opt.Context, m *ir.Module) {
	run := sync.OnceValue(func() func(c *opt.Context, m *ir.Module) { return table().everywhere() })
	return func(c *opt.Context, m *ir.Module) { run()(c, m) }
}

// where is everywhere for rules that change nothing in functions without any of some
// operations.
func (table *rules) where(concerned op.Set) func(c *opt.Context, m *ir.Module) {
	return func(c *opt.Context, m *ir.Module) {
		r := opt.Scratch[rewriter](c, "rewriter")
		*r = newRewriter(c, m)
		for _, f := range m.Funcs {
			if f.Had(&concerned) {
				r.function(table, f)
			}
		}
	}
}

func (r *rewriter) function(table *rules, f *ir.Func) {
	r.f, r.b.F = f, f
	for i := f.First(f.Entry); i != 0; {
		rewrite := table[f.Op(i)]
		if rewrite == nil {
			i = f.After(i, f.Entry)
			continue
		}
		b, before := f.BlockOf(i), f.Prev(i)
		r.stand(i)
		replacement := rewrite(r)
		if replacement == ir.NoValue {
			i = f.After(i, f.Entry)
			continue
		}
		f.Replace(f.Result(i), replacement)
		f.Remove(i)
		// what the rule built is looked at next
		if before != 0 {
			i = f.Beyond(before, f.Entry)
		} else {
			i = f.First(b)
		}
	}
	f.ApplyReplacements()
}

// proved reports whether analysis.Ranges found the n-th claim about the instruction.
func (r *rewriter) proved(n int) bool { return r.ranges.Proves(r.i, n) }

// stand makes an instruction the one that rules work on. Its operands become
// what replaced them, so that rules see definitions that still exist.
func (r *rewriter) stand(i ir.Inst) {
	f := r.f
	args := f.Args(i)
	for n := range args {
		args[n] = f.Resolve(args[n])
	}
	r.i, r.t, r.x = i, f.Type(i), [4]ir.Value{}
	copy(r.x[:], args)
	r.kind = scalar.None
	if len(args) > 0 {
		r.kind = r.m.ScalarOf(f.TypeOf(args[0]))
	}
	r.b.At(i)
	r.b.Flags = f.Flags(i)
}

// op builds an operation whose operands determine its type.
func (r *rewriter) op(o op.Op, args ...ir.Value) ir.Value { return r.b.Op(o, args...) }

// with returns the type of t's shape with another scalar kind.
func (r *rewriter) with(t ir.Type, k scalar.Kind) ir.Type { return r.m.WithScalar(t, k) }

// integer returns a constant of an integer or float type, all components alike.
func (r *rewriter) integer(t ir.Type, x int64) ir.Value { return r.m.ConstInt(t, x) }

// float returns a constant of a float type, all components alike, rounded to
// the type.
func (r *rewriter) float(t ir.Type, x float64) ir.Value {
	return r.m.ConstFloat(t, x)
}

// bits returns a constant with all components of the given storage.
func (r *rewriter) bits(t ir.Type, x uint64) ir.Value { return r.m.ConstSplat(t, x) }

// like makes a scalar a value of the shape of type t.
func (r *rewriter) like(t ir.Type, x ir.Value) ir.Value {
	n := r.m.Components(t)
	if n <= 1 {
		return x
	}
	return r.b.Splat(r.m.VectorOf(r.f.TypeOf(x), n), x)
}

// choose builds select(condition, x, y).
func (r *rewriter) choose(condition, x, y ir.Value) ir.Value {
	return r.op(op.Select, condition, x, y)
}

// cast reinterprets bits as another scalar kind of the same width.
func (r *rewriter) cast(k scalar.Kind, x ir.Value) ir.Value {
	return r.b.Bitcast(r.with(r.f.TypeOf(x), k), x)
}

// bias makes of i32 or u32 the u32 that is greater by 2^31: the order of the one's
// numbers with a sign is the order of the other's without.
func (r *rewriter) bias(x ir.Value) ir.Value {
	u := r.cast(scalar.U32, x)
	return r.op(op.Xor, u, r.bits(r.f.TypeOf(u), 1<<31))
}

// unbiased returns what bias made a value of, if it did.
func (r *rewriter) unbiased(v ir.Value) (x ir.Value, ok bool) {
	i, ok := r.f.Def(r.f.Resolve(v))
	for ok && r.f.Op(i) == op.Bitcast {
		i, ok = r.f.Def(r.f.Resolve(r.f.Arg(i, 0)))
	}
	if !ok || r.f.Op(i) != op.Xor {
		return v, false
	}
	if bits, ok := r.m.ConstSplatBits(r.f.Resolve(r.f.Arg(i, 1))); !ok || bits != 1<<31 {
		return v, false
	}
	return r.f.Resolve(r.f.Arg(i, 0)), true
}

// leafReader makes the scalars of a value in memory: each of a kind, so many bytes
// behind the start of the value.
type leafReader interface {
	leaf(k scalar.Kind, distance uint32) ir.Value
	// vector makes a vector at once, or is NoValue where it is made of its scalars.
	vector(t ir.Type, distance uint32) ir.Value
}

// compose builds a value of a type, which is so many bytes behind the start of
// what a reader reads.
func (r *rewriter) compose(t ir.Type, distance uint32, from leafReader) ir.Value {
	if r.m.IsScalar(t) {
		return from.leaf(scalar.Kind(t), distance)
	}
	if r.m.IsVector(t) {
		if v := from.vector(t, distance); v != ir.NoValue {
			return v
		}
	}
	n, _ := r.m.Count(t)
	parts := make([]ir.Value, n)
	for k := range parts {
		parts[k] = r.compose(r.m.PartType(t, uint32(k)), distance+r.m.PartOffset(t, uint32(k)), from)
	}
	return r.b.Construct(t, parts...)
}

// fromWords builds a scalar of 32 bits or more from the words that it lies in.
func (r *rewriter) fromWords(k scalar.Kind, distance uint32, word func(distance uint32) ir.Value) ir.Value {
	switch {
	case k == scalar.Bool:
		return r.b.Convert(k, word(distance))
	case k.Bits() == 64:
		pair := r.b.Construct(r.m.VectorOf(ir.U32, 2), word(distance), word(distance+4))
		return r.b.Bitcast(ir.Type(k), pair)
	}
	return r.cast(k, word(distance))
}

// isOne reports whether a value is the constant 1.0, in all components.
func isOne(m *ir.Module, v ir.Value) bool {
	bits, ok := m.ConstSplatBits(v)
	return ok && scalar.ToFloat64(m.ScalarOf(m.TypeOf(v)), bits) == 1
}

// shl and shr shift by a constant.
func (r *rewriter) shl(x ir.Value, n int) ir.Value {
	return r.op(op.Shl, x, r.integer(r.with(r.f.TypeOf(x), scalar.U32), int64(n)))
}

func (r *rewriter) shr(x ir.Value, n int) ir.Value {
	if n == 0 {
		return x
	}
	return r.op(op.Shr, x, r.integer(r.with(r.f.TypeOf(x), scalar.U32), int64(n)))
}

// isIntegerComparison reports whether an instruction compares i32 or u32 values.
func isIntegerComparison(f *ir.Func, i ir.Inst) bool {
	switch f.Op(i) {
	case op.Lt, op.Le, op.Gt, op.Ge, op.Eq, op.Ne:
		return isInteger32(f, f.Arg(i, 0))
	}
	return false
}

// isInteger32 reports whether a value is made of i32 or u32.
func isInteger32(f *ir.Func, v ir.Value) bool {
	k := f.Module.ScalarOf(f.TypeOf(v))
	return k == scalar.I32 || k == scalar.U32
}

// componentwise applies an operation to each component. Operands that are
// scalars, such as the condition of a select, serve all components.
func componentwise(r *rewriter) ir.Value {
	n := r.m.Components(r.t)
	if n <= 1 {
		return ir.NoValue
	}
	o, operands := r.f.Op(r.i), len(r.f.Args(r.i))
	var parts [4]ir.Value
	x, element := r.x, r.m.Element(r.t)
	for k := range n {
		var args [4]ir.Value
		for a := range operands {
			args[a] = r.component(x[a], k)
		}
		parts[k] = r.b.Emit(o, element, r.f.Aux(r.i), args[:operands]...)
	}
	return r.construct(r.t, parts[:n])
}

// loops are the operations that repeat what is in them.
var loops = op.SetOf(op.Loop)

// component returns component n of a vector: what it was constructed from if
// that can be seen. A scalar is its own component.
func (r *rewriter) component(v ir.Value, n int) ir.Value {
	if !r.m.IsVector(r.f.TypeOf(v)) {
		return v
	}
	if i, ok := r.f.Def(v); ok && r.f.Op(i) == op.Construct {
		return r.f.Resolve(r.f.Arg(i, n))
	}
	return r.b.Extract(v, uint32(n))
}

// construct builds a vector.
func (r *rewriter) construct(t ir.Type, parts []ir.Value) ir.Value {
	return r.b.Emit(op.Construct, t, 0, parts...)
}

// variables are the operations that declare a variable of a function.
var variables = op.SetOf(op.Var)
