package guard

import (
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// invocationEval evaluates a kernel for all invocations of a workgroup at once. An integer or bool
// that depends only on constants, local_invocation_id and local_invocation_index is a column with a
// value for each invocation. The elements that a workgroup stores are enumerated, so that any index
// computation will do. Package eval defines the operations.
type invocationEval struct {
	m *ir.Module
	f *ir.Func
	// size is the workgroup's, count its invocations, all the set of them.
	size  [3]uint32
	count int
	all   invocationSet
	// at is, by local value, 1 + the index of its column, unknown, or 0 if it is not computed yet.
	// computed lists the others.
	at       []int32
	computed []ir.Value
	// columns has count values for each column, the first used of which are in use.
	columns []uint64
	used    int
	// work is the number of values that may still be computed.
	work int
}

// unknown marks a value that depends on more.
const unknown = -1

// maxInvocations bounds the workgroups that are evaluated.
const maxInvocations = 1024

// who is a set of the invocations of a workgroup.
type invocationSet [maxInvocations / 64]uint64

// begin starts the evaluation of a kernel, and reports whether its workgroup is small enough.
func (l *invocationEval) begin(m *ir.Module, f *ir.Func, work int) bool {
	l.m, l.f, l.work = m, f, work
	l.count = 1
	for c, w := range f.Workgroup {
		n, _ := m.ConstUint(w)
		if n == 0 || n > maxInvocations {
			return false
		}
		l.size[c] = uint32(n)
		l.count *= int(n)
	}
	l.at = ir.Zeroed(l.at, f.ValueCount())
	l.computed, l.used, l.all = l.computed[:0], 0, invocationSet{}
	if l.count > maxInvocations {
		return false
	}
	for n := range l.count {
		l.all[n/64] |= 1 << (n % 64)
	}
	return true
}

// evalState is a state to go back to.
type evalState struct{ computed, used int }

func (l *invocationEval) remember() evalState { return evalState{len(l.computed), l.used} }

// forget goes back to a state, for the next iteration of a loop.
func (l *invocationEval) forget(m evalState) {
	for _, v := range l.computed[m.computed:] {
		l.at[v.Index()] = 0
	}
	l.computed, l.used = l.computed[:m.computed], m.used
}

// set assigns a column, or unknown, to a value.
func (l *invocationEval) set(v ir.Value, column int32) {
	l.at[v.Index()] = column
	l.computed = append(l.computed, v)
}

// fresh allocates a column, and returns it and its name.
func (l *invocationEval) fresh() (column []uint64, name int32) {
	if need := (l.used + 1) * l.count; need > len(l.columns) {
		l.columns = append(l.columns, make([]uint64, max(need, 2*len(l.columns))-len(l.columns))...)
	}
	l.used++
	return l.column(int32(l.used)), int32(l.used)
}

func (l *invocationEval) column(name int32) []uint64 {
	return l.columns[int(name-1)*l.count : int(name)*l.count]
}

// laneValues are the values of an operand: a column, or one value for all invocations.
type laneValues struct {
	column []uint64
	one    uint64
}

func (n *laneValues) of(invocation int) uint64 {
	if n.column == nil {
		return n.one
	}
	return n.column[invocation]
}

// copyTo writes the values to a column.
func (n *laneValues) copyTo(column []uint64) {
	for at := range column {
		column[at] = n.of(at)
	}
}

// copied returns the name of a new column with these values.
func (l *invocationEval) copied(n laneValues) int32 {
	column, name := l.fresh()
	n.copyTo(column)
	return name
}

// maxDepth bounds the depth of the evaluation, in operations.
const maxDepth = 32

// of returns the values of v, or ok = false if they are unknown.
func (l *invocationEval) of(v ir.Value, depth int) (n laneValues, ok bool) {
	k := l.m.ScalarOf(l.f.TypeOf(v))
	if !k.IsInteger() && k != scalar.Bool || l.m.Components(l.f.TypeOf(v)) != 1 || depth == 0 {
		return n, false
	}
	if v.IsConst() {
		return laneValues{one: l.m.ConstBits(v)}, true
	}
	if !v.IsLocal() {
		return n, false
	}
	at := l.at[v.Index()]
	if at == 0 {
		at = l.compute(v, depth)
		l.set(v, at)
	}
	if at == unknown {
		return n, false
	}
	return laneValues{column: l.column(at)}, true
}

// compute returns the name of a new column with the values of v, or unknown.
func (l *invocationEval) compute(v ir.Value, depth int) int32 {
	f := l.f
	i, ok := f.Def(v)
	switch {
	case !ok:
		if l.builtin(v) == ir.LocalInvocationIndex {
			return l.index()
		}
		return unknown
	case f.Op(i) == op.Extract:
		c, ok := l.m.ConstIndex(f.TypeOf(f.Arg(i, 0)), f.Arg(i, 1))
		if ok && l.builtin(f.Arg(i, 0)) == ir.LocalInvocationID {
			return l.id(c)
		}
		return unknown
	}
	function, args := l.evaluator(i), f.Args(i)
	if function == nil || len(args) > 3 {
		return unknown
	}
	var x [3]laneValues
	for n, a := range args {
		if x[n], ok = l.of(a, depth-1); !ok {
			return unknown
		}
	}
	if l.work -= l.count; l.work < 0 {
		return unknown
	}
	result, name := l.fresh()
	for n := range result {
		result[n] = function(x[0].of(n), x[1].of(n), x[2].of(n), 0)
	}
	return name
}

// evaluator returns the function that computes an instruction for one invocation, or nil.
func (l *invocationEval) evaluator(i ir.Inst) eval.Function {
	f, m := l.f, l.m
	args := f.Args(i)
	if len(args) == 0 {
		return nil
	}
	of := 0
	switch o := f.Op(i); o {
	case op.Convert, op.Bitcast:
		to, from := m.ScalarOf(f.Type(i)), m.ScalarOf(f.TypeOf(args[0]))
		if convert := eval.Convert(to, from); convert != nil && (o == op.Convert || to.Bits() == from.Bits() && to != scalar.Bool && from != scalar.Bool) {
			if o == op.Bitcast {
				return identity
			}
			return func(a, _, _, _ uint64) uint64 { return convert(a) }
		}
		return nil
	case op.Select:
		of = 1
		fallthrough
	default:
		if !o.Pure() || m.Components(f.TypeOf(args[of])) != 1 {
			return nil
		}
		return eval.For(o, m.ScalarOf(f.TypeOf(args[of])))
	}
}

func identity(a, _, _, _ uint64) uint64 { return a }

// builtin returns the builtin that a parameter of the kernel holds, or NoBuiltin.
func (l *invocationEval) builtin(v ir.Value) ir.Builtin {
	if n := slices.Index(l.f.Params(l.f.Entry), v); n >= 0 {
		return l.f.Builtins[n]
	}
	return ir.NoBuiltin
}

// index returns a column of local_invocation_index.
func (l *invocationEval) index() int32 {
	column, name := l.fresh()
	for n := range column {
		column[n] = uint64(n)
	}
	return name
}

// id returns a column of a component of local_invocation_id (WGSL §13.3.1.1: x changes first).
func (l *invocationEval) id(component uint32) int32 {
	column, name := l.fresh()
	step := 1
	for _, size := range l.size[:component] {
		step *= int(size)
	}
	for n := range column {
		column[n] = uint64(n/step) % uint64(l.size[component])
	}
	return name
}

// add adds the invocations of another set.
func (w *invocationSet) add(others invocationSet) {
	for n := range w {
		w[n] |= others[n]
	}
}

// where returns the subset for which a condition is true, or false if holds is.
func (w invocationSet) where(condition laneValues, holds bool) invocationSet {
	for n := range w {
		for left := w[n]; left != 0; left &= left - 1 {
			if (condition.of(n*64+bits.TrailingZeros64(left)) != 0) != holds {
				w[n] &^= left & -left
			}
		}
	}
	return w
}
