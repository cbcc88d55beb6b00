package rewrite

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

// Rule rewrites the instruction that the rewriter is at. It returns what
// replaces the result, or NoValue if the instruction stays; a rule may have
// changed its operands then. A rule must not build the instruction it replaces
// again, or the walk does not end.
type Rule func(r *Rewriter) ir.Value

// Rules gives the rule of each operation, or nil.
type Rules [op.Count]Rule

// Rewriter walks a function and applies rules. The fields describe the
// instruction that it is at.
type Rewriter struct {
	Context *opt.Context
	M       *ir.Module
	F       *ir.Func
	B       ir.Builder
	// i is the instruction, t its result type and kind the scalar kind of the
	// first operand: of a conversion that is the source.
	Inst ir.Inst
	Type ir.Type
	Kind scalar.Kind
	// x holds the operands of instructions with at most four.
	X [4]ir.Value
	// ranges, if not nil, is what was proved of the function as it was.
	Ranges *analysis.Ranges
	// ranged is the function that a rule has had the ranges of, and known how many values it had
	// then (interval).
	Ranged *ir.Func
	Known  uint32
}

// New returns a rewriter that is not at an instruction yet. Its builder folds operations on
// constants.
func New(c *opt.Context, m *ir.Module) Rewriter {
	return Rewriter{Context: c, M: m, B: ir.Builder{Folds: true}}
}

// Everywhere returns what applies rules to all instructions of a module.
func (table *Rules) Everywhere() func(c *opt.Context, m *ir.Module) {
	var concerned op.Set
	for o := range table {
		if table[o] != nil {
			concerned.Add(op.Op(o))
		}
	}
	return table.Where(concerned)
}

// Lazy returns a pass body that applies rules to all instructions of a module. The table is built
// when the pass first runs: most programs compile for one target, but link the passes of all.
func Lazy(table func() *Rules) func(c *opt.Context, m *ir.Module) {
	run := sync.OnceValue(func() func(c *opt.Context, m *ir.Module) { return table().Everywhere() })
	return func(c *opt.Context, m *ir.Module) { run()(c, m) }
}

// Where is everywhere for rules that change nothing in functions without any of some
// operations.
func (table *Rules) Where(concerned op.Set) func(c *opt.Context, m *ir.Module) {
	return func(c *opt.Context, m *ir.Module) {
		r := opt.Scratch[Rewriter](c, "rewriter")
		*r = New(c, m)
		for _, f := range m.Funcs {
			if f.Had(&concerned) {
				r.Function(table, f)
			}
		}
	}
}

func (r *Rewriter) Function(table *Rules, f *ir.Func) {
	r.F, r.B.F = f, f
	for i := f.First(f.Entry); i != 0; {
		rewrite := table[f.Op(i)]
		if rewrite == nil {
			i = f.After(i, f.Entry)
			continue
		}
		b, before := f.BlockOf(i), f.Prev(i)
		r.At(i)
		replacement := rewrite(r)
		if replacement == ir.NoValue {
			i = f.After(i, f.Entry)
			continue
		}
		f.Replace(f.Result(i), replacement)
		f.Remove(i)
		// what the rule built is looked at next
		if before != 0 {
			i = f.AfterRegions(before, f.Entry)
		} else {
			i = f.First(b)
		}
	}
	f.ApplyReplacements()
}

// Proved reports whether analysis.Ranges found the n-th claim about the instruction.
func (r *Rewriter) Proved(n int) bool { return r.Ranges.Proves(r.Inst, n) }

// At makes an instruction the one that rules work on. Its operands become
// what replaced them, so that rules see definitions that still exist.
func (r *Rewriter) At(i ir.Inst) {
	f := r.F
	args := f.Args(i)
	for n := range args {
		args[n] = f.Resolve(args[n])
	}
	r.Inst, r.Type, r.X = i, f.Type(i), [4]ir.Value{}
	copy(r.X[:], args)
	r.Kind = scalar.None
	if len(args) > 0 {
		r.Kind = r.M.ScalarOf(f.TypeOf(args[0]))
	}
	r.B.At(i)
	r.B.Flags = f.Flags(i)
}

// Op builds an operation whose operands determine its type.
func (r *Rewriter) Op(o op.Op, args ...ir.Value) ir.Value { return r.B.Op(o, args...) }

// With returns the type of t's shape with another scalar kind.
func (r *Rewriter) With(t ir.Type, k scalar.Kind) ir.Type { return r.M.WithScalar(t, k) }

// Integer returns a constant of an integer or float type, all components alike.
func (r *Rewriter) Integer(t ir.Type, x int64) ir.Value { return r.M.ConstInt(t, x) }

// Float returns a constant of a float type, all components alike, rounded to
// the type.
func (r *Rewriter) Float(t ir.Type, x float64) ir.Value {
	return r.M.ConstFloat(t, x)
}

// Bits returns a constant with all components of the given storage.
func (r *Rewriter) Bits(t ir.Type, x uint64) ir.Value { return r.M.ConstSplat(t, x) }

// Broadcast makes a scalar a value of the shape of type t.
func (r *Rewriter) Broadcast(t ir.Type, x ir.Value) ir.Value {
	n := r.M.Components(t)
	if n <= 1 {
		return x
	}
	return r.B.Splat(r.M.VectorOf(r.F.TypeOf(x), n), x)
}

// Select builds select(condition, x, y).
func (r *Rewriter) Select(condition, x, y ir.Value) ir.Value {
	return r.Op(op.Select, condition, x, y)
}

// Cast reinterprets bits as another scalar kind of the same width.
func (r *Rewriter) Cast(k scalar.Kind, x ir.Value) ir.Value {
	return r.B.Bitcast(r.With(r.F.TypeOf(x), k), x)
}

// Bias makes of i32 or u32 the u32 that is greater by 2^31: the order of the one's
// numbers with a sign is the order of the other's without.
func (r *Rewriter) Bias(x ir.Value) ir.Value {
	u := r.Cast(scalar.U32, x)
	return r.Op(op.Xor, u, r.Bits(r.F.TypeOf(u), 1<<31))
}

// Unbiased returns what bias made a value of, if it did.
func (r *Rewriter) Unbiased(v ir.Value) (x ir.Value, ok bool) {
	i, ok := r.F.Def(r.F.Resolve(v))
	for ok && r.F.Op(i) == op.Bitcast {
		i, ok = r.F.Def(r.F.Resolve(r.F.Arg(i, 0)))
	}
	if !ok || r.F.Op(i) != op.Xor {
		return v, false
	}
	if bits, ok := r.M.ConstSplatBits(r.F.Resolve(r.F.Arg(i, 1))); !ok || bits != 1<<31 {
		return v, false
	}
	return r.F.Resolve(r.F.Arg(i, 0)), true
}

// LeafReader makes the scalars of a value in memory: each of a kind, so many bytes
// behind the start of the value.
type LeafReader interface {
	Leaf(k scalar.Kind, distance uint32) ir.Value
	// Vector makes a vector at once, or is NoValue where it is made of its scalars.
	Vector(t ir.Type, distance uint32) ir.Value
}

// Compose builds a value of a type, which is so many bytes behind the start of
// what a reader reads.
func (r *Rewriter) Compose(t ir.Type, distance uint32, from LeafReader) ir.Value {
	if r.M.IsScalar(t) {
		return from.Leaf(scalar.Kind(t), distance)
	}
	if r.M.IsVector(t) {
		if v := from.Vector(t, distance); v != ir.NoValue {
			return v
		}
	}
	n, _ := r.M.Count(t)
	parts := make([]ir.Value, n)
	for k := range parts {
		parts[k] = r.Compose(r.M.PartType(t, uint32(k)), distance+r.M.PartOffset(t, uint32(k)), from)
	}
	return r.B.Construct(t, parts...)
}

// FromWords builds a scalar of 32 bits or more from the words that it lies in.
func (r *Rewriter) FromWords(k scalar.Kind, distance uint32, word func(distance uint32) ir.Value) ir.Value {
	switch {
	case k == scalar.Bool:
		return r.B.Convert(k, word(distance))
	case k.Bits() == 64:
		pair := r.B.Construct(r.M.VectorOf(ir.U32, 2), word(distance), word(distance+4))
		return r.B.Bitcast(ir.Type(k), pair)
	}
	return r.Cast(k, word(distance))
}

// IsOne reports whether a value is the constant 1.0, in all components.
func IsOne(m *ir.Module, v ir.Value) bool {
	bits, ok := m.ConstSplatBits(v)
	return ok && scalar.ToFloat64(m.ScalarOf(m.TypeOf(v)), bits) == 1
}

// Shl and shr shift by a constant.
func (r *Rewriter) Shl(x ir.Value, n int) ir.Value {
	return r.Op(op.Shl, x, r.Integer(r.With(r.F.TypeOf(x), scalar.U32), int64(n)))
}

func (r *Rewriter) Shr(x ir.Value, n int) ir.Value {
	if n == 0 {
		return x
	}
	return r.Op(op.Shr, x, r.Integer(r.With(r.F.TypeOf(x), scalar.U32), int64(n)))
}

// IsIntegerComparison reports whether an instruction compares i32 or u32 values.
func IsIntegerComparison(f *ir.Func, i ir.Inst) bool {
	switch f.Op(i) {
	case op.Lt, op.Le, op.Gt, op.Ge, op.Eq, op.Ne:
		return IsInteger32(f, f.Arg(i, 0))
	}
	return false
}

// IsInteger32 reports whether a value is made of i32 or u32.
func IsInteger32(f *ir.Func, v ir.Value) bool {
	k := f.Module.ScalarOf(f.TypeOf(v))
	return k == scalar.I32 || k == scalar.U32
}

// Componentwise applies an operation to each component. Operands that are
// scalars, such as the condition of a select, serve all components.
func Componentwise(r *Rewriter) ir.Value {
	n := r.M.Components(r.Type)
	if n <= 1 {
		return ir.NoValue
	}
	o, operands := r.F.Op(r.Inst), len(r.F.Args(r.Inst))
	var parts [4]ir.Value
	x, element := r.X, r.M.Element(r.Type)
	for k := range n {
		var args [4]ir.Value
		for a := range operands {
			args[a] = r.Component(x[a], k)
		}
		parts[k] = r.B.Emit(o, element, r.F.Aux(r.Inst), args[:operands]...)
	}
	return r.Construct(r.Type, parts[:n])
}

// Loops are the operations that repeat what is in them.
var Loops = op.SetOf(op.Loop)

// Component returns component n of a vector: what it was constructed from if
// that can be seen. A scalar is its own component.
func (r *Rewriter) Component(v ir.Value, n int) ir.Value {
	if !r.M.IsVector(r.F.TypeOf(v)) {
		return v
	}
	if i, ok := r.F.Def(v); ok && r.F.Op(i) == op.Construct {
		return r.F.Resolve(r.F.Arg(i, n))
	}
	return r.B.Extract(v, uint32(n))
}

// Construct builds a vector.
func (r *Rewriter) Construct(t ir.Type, parts []ir.Value) ir.Value {
	return r.B.Emit(op.Construct, t, 0, parts...)
}

// Variables are the operations that declare a variable of a function.
var Variables = op.SetOf(op.Var)
