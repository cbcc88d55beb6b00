// Package rewrite has the engine of passes that replace one instruction at a time: a table has a
// rule by operation.
package rewrite

import (
	"sync"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// Rule rewrites the current instruction of a rewriter. It returns the replacement of the result, or
// NoValue if the instruction stays; the rule may have changed its operands then. The instructions
// that a rule builds are visited again. A rule must not build the instruction that it replaces, or
// the walk does not end.
type Rule func(r *Rewriter) ir.Value

// Rules gives the rule of each operation, or nil.
type Rules [op.Count]Rule

// Rewriter walks a function and applies rules (MLIR: pattern rewriter). The fields describe the
// current instruction.
type Rewriter struct {
	Context *opt.Context
	M       *ir.Module
	F       *ir.Func
	B       ir.Builder
	Inst    ir.Inst
	Type    ir.Type     // of the result
	Kind    scalar.Kind // of the first operand, which is the source of a conversion
	// X holds the operands of instructions with at most four.
	X [4]ir.Value
	// Ranges, if not nil, has the ranges of the function before the rewrite.
	Ranges *analysis.Ranges
	// Ranged is the function that a rule has analysed on demand, and Known the number of values
	// that it had then.
	Ranged *ir.Func
	Known  uint32
}

// New returns a rewriter without a current instruction. Its builder folds operations on constants.
func New(c *opt.Context, m *ir.Module) Rewriter {
	return Rewriter{Context: c, M: m, B: ir.Builder{Folds: true}}
}

// Everywhere returns the body of a pass that applies rules to all instructions of a module.
func (table *Rules) Everywhere() func(c *opt.Context, m *ir.Module) {
	var concerned op.Set
	for o := range table {
		if table[o] != nil {
			concerned.Add(op.Op(o))
		}
	}
	return table.Where(concerned)
}

// Lazy is Everywhere for a table that is built when the pass first runs: most programs compile for
// one target, but link the passes of all.
func Lazy(table func() *Rules) func(c *opt.Context, m *ir.Module) {
	run := sync.OnceValue(func() func(c *opt.Context, m *ir.Module) { return table().Everywhere() })
	return func(c *opt.Context, m *ir.Module) { run()(c, m) }
}

// Where is Everywhere for rules that change nothing in functions without any of the operations in
// concerned, which it skips. With opt.Context.Verify it checks that, and panics if it is not so.
func (table *Rules) Where(concerned op.Set) func(c *opt.Context, m *ir.Module) {
	return func(c *opt.Context, m *ir.Module) {
		r := opt.Scratch[Rewriter](c, "rewriter")
		*r = New(c, m)
		for _, f := range m.Funcs {
			switch {
			case f.Had(&concerned):
				r.Function(table, f)
			case c.Verify && r.Function(table, f):
				panic("rewrite: rules change a function that has none of the operations that concern them")
			}
		}
	}
}

// Function applies rules to all instructions of a function, and reports whether it replaced any.
func (r *Rewriter) Function(table *Rules, f *ir.Func) (changed bool) {
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
		changed = true
		f.Replace(f.Result(i), replacement)
		f.Remove(i)
		// visit the instructions that the rule built
		if before != 0 {
			i = f.AfterRegions(before, f.Entry)
		} else {
			i = f.First(b)
		}
	}
	f.ApplyReplacements()
	return changed
}

// Proved reports whether the ranges prove the n-th claim about the current instruction.
func (r *Rewriter) Proved(n int) bool { return r.Ranges.Proves(r.Inst, n) }

// At makes i the current instruction. Its operands become their replacements, so that rules find
// definitions that still exist.
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

// With returns the type of t's shape with scalar kind k.
func (r *Rewriter) With(t ir.Type, k scalar.Kind) ir.Type { return r.M.WithScalar(t, k) }

// Integer returns the constant x of an integer or float type, in all components.
func (r *Rewriter) Integer(t ir.Type, x int64) ir.Value { return r.M.ConstInt(t, x) }

// Float returns the constant x of a float type, in all components, rounded to the type.
func (r *Rewriter) Float(t ir.Type, x float64) ir.Value {
	return r.M.ConstFloat(t, x)
}

// Bits returns a constant whose components all have the bits x.
func (r *Rewriter) Bits(t ir.Type, x uint64) ir.Value { return r.M.ConstSplat(t, x) }

// Broadcast splats a scalar to the shape of t.
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

// Cast is a bitcast to another scalar kind of the same width.
func (r *Rewriter) Cast(k scalar.Kind, x ir.Value) ir.Value {
	return r.B.Bitcast(r.With(r.F.TypeOf(x), k), x)
}

// FlipSign flips the sign bit of i32 or u32 values. The result is u32, and its unsigned order is
// the signed order of x, or the other way round: a bias of 2^31.
func (r *Rewriter) FlipSign(x ir.Value) ir.Value {
	u := r.Cast(scalar.U32, x)
	return r.Op(op.Xor, u, r.Bits(r.F.TypeOf(u), 1<<31))
}

// MatchFlippedSign matches FlipSign and returns its operand. If v is something else, it returns v.
func (r *Rewriter) MatchFlippedSign(v ir.Value) (x ir.Value, ok bool) {
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

// LeafReader builds loads of scalars at offsets in bytes from the start of a composite value in
// memory.
type LeafReader interface {
	Leaf(k scalar.Kind, distance uint32) ir.Value
	// Vector builds the load of a vector, or returns NoValue if its scalars are loaded.
	Vector(t ir.Type, distance uint32) ir.Value
}

// Compose builds a value of type t that lies distance bytes after the start.
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

// FromWords builds a scalar of 32 bits or more from the words at distance bytes.
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

// IsOne reports whether a value is the constant 1, in all components.
func IsOne(m *ir.Module, v ir.Value) bool {
	bits, ok := m.ConstSplatBits(v)
	return ok && scalar.ToFloat64(m.ScalarOf(m.TypeOf(v)), bits) == 1
}

// Shl shifts left by n, which may be 0.
func (r *Rewriter) Shl(x ir.Value, n int) ir.Value {
	return r.Op(op.Shl, x, r.Integer(r.With(r.F.TypeOf(x), scalar.U32), int64(n)))
}

// Shr shifts right by n, arithmetically if x is signed.
func (r *Rewriter) Shr(x ir.Value, n int) ir.Value {
	if n == 0 {
		return x
	}
	return r.Op(op.Shr, x, r.Integer(r.With(r.F.TypeOf(x), scalar.U32), int64(n)))
}

// IsIntegerComparison reports whether an instruction compares i32 or u32 values or vectors.
func IsIntegerComparison(f *ir.Func, i ir.Inst) bool {
	switch f.Op(i) {
	case op.Lt, op.Le, op.Gt, op.Ge, op.Eq, op.Ne:
		return IsInteger32(f, f.Arg(i, 0))
	}
	return false
}

// IsInteger32 reports whether a value is an i32 or u32, or a vector of them.
func IsInteger32(f *ir.Func, v ir.Value) bool {
	k := f.Module.ScalarOf(f.TypeOf(v))
	return k == scalar.I32 || k == scalar.U32
}

// Componentwise scalarises the current instruction: it builds one for each component. Scalar
// operands, such as the condition of a select, are used for all components. It returns NoValue for
// scalars.
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

// Loops are the operations that are loops.
var Loops = op.SetOf(op.Loop)

// Component returns component n of a vector, which is an operand if v is constructed. A scalar is
// its own component.
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

// Variables are the operations that declare variables of a function.
var Variables = op.SetOf(op.Var)
