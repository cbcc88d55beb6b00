package opt

import (
	"cmp"
	"math"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt/analysis"
)

// RuntimeUnroll is runtime unrolling (LLVM's UnrollRuntimeLoopRemainder) of loops that read memory,
// so that several reads are in flight at once. One test is before several iterations, and a second
// loop has the remaining ones:
//
//	                                     span = 7 * step; end = select(span < n, n - span, 0)
//	for (var i = t; i < n; i += step) {  ─►  for (; i < end; ) {
//	  s += a[i];                               s += a[i]; i += step;   eight times
//	}                                        }
//	                                         for (; i < n; i += step) { s += a[i]; }
//
// If i < end, then i + 7 * step is less than n, and no sum on the way wraps. So none of the eight
// iterations would have left the loop, and it does not matter how the loop would have gone on, nor
// what the steps are. Where 7 * step wraps, end is the least value and the first loop has no
// iteration.
//
// A read is at [i], or at [row + i] with a row that the loop does not change. It is in bounds in
// all iterations of the first loop if it is for i = n - 1. That is tested with the span, and these
// accesses need no checks. If it is not, the second loop has all iterations, with checks.
//
// Targets' compilers unroll loops by four, with a check in each iteration. They do not unroll those
// whose counts may wrap, which the workarounds (codegen/workaround) have to hide from them.
var RuntimeUnroll = Pass{
	Name:   "runtime-unroll",
	Doc:    "unroll loops that read memory, with a remainder loop for the last iterations",
	Needs:  ir.Structured,
	Breaks: ir.Promoted,
	Transform: func(c *Context, m *ir.Module) (changed bool) {
		u := Scratch[runtimeUnroller](c, "runtime-unroll")
		for _, f := range m.Funcs {
			if f.Had(&indexingLoops) && u.run(m, f) {
				changed = true
			}
		}
		return changed
	},
}

const (
	// maxRuntimeUnrolled bounds the instructions that a loop comes to, maxRuntimeUnrolledFunc those
	// of all loops of a function.
	maxRuntimeUnrolled     = 160
	maxRuntimeUnrolledFunc = 480
	// maxReduction bounds the instructions of an iteration that only reads and adds. With more,
	// four iterations have enough to do while reads are in flight, and with many more one has.
	maxReduction = 8
	// minFactor is with how few iterations in one a loop still has enough reads in flight.
	minFactor = 4
	// maxInFlight bounds the reads that are in flight at once. Each needs registers.
	maxInFlight = 16
)

type runtimeUnroller struct {
	unroller
	b          ir.Builder
	candidates []stridedLoop // of the current function
	// tests are the conditions under which the accesses of inRange are in bounds in all iterations.
	tests   []ir.Value
	inRange []ir.Inst
}

// stridedLoop is a loop that goes from start by steps as long as the count is less than a bound.
type stridedLoop struct {
	loop, test  ir.Inst
	count       ir.Value // the parameter of the body
	step, bound ir.Value
	size, reads int
	factor      int // that become one
	// writes says that an iteration stores, slow that it has a division or function of floats.
	writes, hasSlowOps bool
}

var slowOps = op.SetOf(op.Div, op.Rem, op.Sqrt, op.InverseSqrt, op.Sin, op.Cos, op.Tan, op.Asin, op.Acos, op.Atan, op.Atan2, op.Sinh, op.Cosh, op.Tanh,
	op.Asinh, op.Acosh, op.Atanh, op.Exp, op.Exp2, op.Log, op.Log2, op.Pow)

// run unrolls loops of a function, and reports whether there were any.
func (u *runtimeUnroller) run(m *ir.Module, f *ir.Func) bool {
	u.m, u.f = m, f
	u.b.F, u.b.Folds = f, true
	u.candidates = u.candidates[:0]
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Loop {
			continue
		}
		if len(u.candidates) == 0 {
			u.continued.Enter(f)
		}
		if s, ok := u.recognize(i); ok {
			u.candidates = append(u.candidates, s)
		}
	}
	if len(u.candidates) == 0 {
		return false
	}
	u.chooseFactors()
	some := false
	for n := range u.candidates {
		if s := &u.candidates[n]; s.factor > 1 {
			u.write(s, s.factor)
			some = true
		}
	}
	return some
}

// chooseFactors chooses how many iterations of each loop become one: as many as are of use, within
// maxRuntimeUnrolled and maxRuntimeUnrolledFunc. While the function exceeds its budget, the count
// is halved for the loop with most, from the last on.
func (u *runtimeUnroller) chooseFactors() {
	size := u.present(u.m, u.f)
	room, all := growthBudget(u.m, cmp.Or(u.f.Before, size))-size, 0
	for n := range u.candidates {
		s := &u.candidates[n]
		s.factor = u.usefulFactor(s)
		added := s.added()
		if s.reads*s.factor > maxInFlight || added > maxRuntimeUnrolled || all+added > maxRuntimeUnrolledFunc {
			s.factor = 1
		}
		all += s.added()
	}
	for {
		need, most := 0, -1
		for n := range u.candidates {
			s := &u.candidates[n]
			if s.factor > 1 {
				need += s.added() + runtimeUnrollCost
				if most < 0 || s.factor >= u.candidates[most].factor {
					most = n
				}
			}
		}
		if need <= room || most < 0 {
			return
		}
		if u.candidates[most].factor /= 2; u.candidates[most].factor < minFactor {
			u.candidates[most].factor = 1
		}
	}
}

// usefulFactor returns how many iterations of a loop are of use as one: eight if it reads and adds,
// four if it reads more or does more. Loops that write the quotients and functions of what they
// read gain nothing.
func (u *runtimeUnroller) usefulFactor(s *stridedLoop) int {
	switch {
	case s.hasSlowOps && s.writes:
		return 1
	case s.hasSlowOps, s.reads > 1:
		return 4
	case s.size > maxRuntimeUnrolled/8:
		return 1
	case s.size > maxReduction:
		return 4
	}
	return 8
}

// added is how many instructions a loop of several iterations has.
func (s *stridedLoop) added() int {
	if s.factor <= 1 {
		return 0
	}
	return s.size * s.factor
}

// recognize returns what is known of a loop whose first test compares an induction variable with a
// bound, and which has no other blocks.
func (u *runtimeUnroller) recognize(loop ir.Inst) (s stridedLoop, ok bool) {
	f := u.f
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	next := f.Terminator(continuing)
	if next == 0 || f.Op(next) != op.Next || !continuesAtEnd(u.f, loop) {
		return s, false
	}
	s.loop, s.test = loop, firstTest(u.f, loop)
	_, condition, _ := f.NextArgs(next)
	if s.test == 0 || condition != ir.NoValue {
		return s, false
	}
	for _, b := range [...]ir.Block{body, continuing} {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if i == s.test || f.Op(i).Is(op.Terminator) {
				continue
			}
			if !u.repeats(i) {
				return s, false
			}
			s.writes = s.writes || f.Op(i) == op.Store
			s.hasSlowOps = s.hasSlowOps || slowOps.Has(f.Op(i)) && u.m.ScalarOf(f.Type(i)).IsFloat()
			if s.size++; f.Op(i) == op.Load && u.m.SpaceOf(f.TypeOf(f.Arg(i, 0))) == ir.Storage {
				s.reads++
			}
		}
	}
	if s.reads == 0 || !u.fallsThrough(&s) || u.indexesArrays(loop) {
		return s, false
	}
	n := u.recognizeCount(&s)
	return s, n >= 0 && !u.isShort(&s, n)
}

// recognizeCount finds the count of a loop with its bound and its step, by the loop's first test.
// It returns the index of the count among the parameters, or -1.
func (u *runtimeUnroller) recognizeCount(s *stridedLoop) int {
	f, loop := u.f, s.loop
	compare, ok := f.Def(f.Arg(s.test, 0))
	if !ok {
		return -1
	}
	o := f.Op(compare)
	if leavesIfTrue(u.f, s.test, loop) {
		o = analysis.Negated[o]
	}
	switch o {
	case op.Lt:
		s.count, s.bound = f.Arg(compare, 0), f.Arg(compare, 1)
	case op.Gt:
		s.count, s.bound = f.Arg(compare, 1), f.Arg(compare, 0)
	default:
		return -1
	}
	t := f.TypeOf(s.count)
	n := slices.Index(f.Params(f.Region(loop, 0)), s.count)
	if t != ir.U32 && t != ir.I32 || n < 0 || isInside(f, s.bound, loop) {
		return -1
	}
	step, by := increment(f, &u.continued, loop, n)
	if s.step = by; step == 0 || isInside(f, by, loop) || t == ir.I32 && !u.isNonNegative(by) {
		return -1
	}
	return n
}

// indexesArrays reports whether a loop whose iterations are known indexes variables of the
// invocation by an induction variable. A target's compiler that fully unrolls it promotes
// these.
func (u *runtimeUnroller) indexesArrays(loop ir.Inst) bool {
	f := u.f
	l, ok := u.count(loop, maxTripCount)
	if !ok {
		return false
	}
	body := f.Region(loop, 0)
	for i := f.First(body); i != 0; i = f.Next(i) {
		if f.Op(i) == op.Access && u.m.SpaceOf(f.Type(i)) == ir.Function &&
			slices.ContainsFunc(f.Args(i)[1:], func(index ir.Value) bool { return u.countsIn(index, &l, maxIndexDepth) }) {
			return true
		}
	}
	return false
}

// fallsThrough reports whether the side of a loop's test that does not leave the loop is empty.
func (u *runtimeUnroller) fallsThrough(s *stridedLoop) bool {
	f := u.f
	on := f.Region(s.test, 0)
	if leavesIfTrue(u.f, s.test, s.loop) {
		on = f.Region(s.test, 1)
	}
	first := f.First(on)
	return len(f.Results(s.test)) == 0 && f.Op(first) == op.Exit && f.Target(first) == s.test
}

// repeats reports whether an instruction may be repeated in an iteration. What invocations do
// together may not: with the second loop they would do it in other groups.
func (u *runtimeUnroller) repeats(i ir.Inst) bool {
	switch o := u.f.Op(i); o {
	case op.Access, op.Load, op.Store, op.AtomicReadModifyWrite:
		return true
	default:
		return o.Pure() && !o.Is(op.Control) && o != op.Var
	}
}

// isShort reports whether a loop has few iterations, at most, so that a target's compiler unrolls
// it fully.
func (u *runtimeUnroller) isShort(s *stridedLoop, n int) bool {
	start, _ := u.m.ConstUint(u.f.Args(s.loop)[n]) // or 0, the least that a count can begin with
	end, ok := u.m.ConstUint(s.bound)
	if !ok {
		return false
	}
	step, ok := u.m.ConstUint(s.step)
	return ok && (step == 0 || uint64(uint32(end)-uint32(start))/step <= maxShortTripCount)
}

// isNonNegative reports whether a value is a constant that is not negative.
func (u *runtimeUnroller) isNonNegative(v ir.Value) bool {
	x, ok := u.m.ConstUint(v)
	return ok && uint32(x) < 1<<31
}

// end returns what the count has to be less than for so many iterations, built before the loop. It
// is the bound less the span of the other iterations, if that does not wrap and the tests hold, and
// else the least value.
func (u *runtimeUnroller) end(s *stridedLoop, factor int) ir.Value {
	m, b, t := u.m, &u.b, u.f.TypeOf(s.count)
	least := m.ConstInt(t, 0)
	if t == ir.I32 {
		least = m.ConstInt(t, math.MinInt32)
	}
	span := b.Op(op.Mul, s.step, m.ConstInt(t, int64(factor-1)))
	fits := b.Op(op.Lt, span, s.bound)
	if step, ok := m.ConstUint(s.step); !ok {
		fits = b.Op(op.And, fits, b.Op(op.Le, s.step, m.ConstInt(t, int64(math.MaxUint32/uint32(factor-1)))))
	} else if far := uint64(uint32(step)) * uint64(factor-1); far > math.MaxInt32 {
		return least
	}
	for _, test := range u.tests {
		fits = b.Op(op.And, fits, test)
	}
	return b.Op(op.Select, fits, b.Op(op.Sub, s.bound, span), least)
}

// bounded collects the accesses of a loop that are in bounds in all iterations under tests, which
// it builds before the loop.
func (u *runtimeUnroller) bounded(s *stridedLoop) {
	f, m, b := u.f, u.m, &u.b
	u.tests, u.inRange = u.tests[:0], u.inRange[:0]
	body := f.Region(s.loop, 0)
	n := slices.Index(f.Params(body), s.count)
	if f.TypeOf(s.count) == ir.I32 && !u.isNonNegative(f.Args(s.loop)[n]) {
		return
	}
	for i := f.First(body); i != 0; i = f.Next(i) {
		if f.Op(i) != op.Access || len(f.Args(i)) != 2 || f.Flags(i)&ir.InBounds != 0 {
			continue
		}
		array, index := f.Arg(i, 0), f.Arg(i, 1)
		if t := m.Element(f.TypeOf(array)); array.IsLocal() || !m.IsRuntimeArray(t) || m.KindOf(t) != ir.ArrayType {
			continue
		}
		row := ir.NoValue
		if index != s.count {
			sum, ok := f.Def(index)
			if !ok || f.Op(sum) != op.Add || f.TypeOf(index) != ir.U32 {
				continue
			}
			x, y := f.Arg(sum, 0), f.Arg(sum, 1)
			if x == s.count {
				x, y = y, x
			}
			if row = x; y != s.count || isInside(f, x, s.loop) {
				continue
			}
		}
		u.inRange = append(u.inRange, i)
		end := s.bound
		if f.TypeOf(end) == ir.I32 { // which is greater than the count, and so than zero
			end = b.Convert(scalar.U32, end)
		}
		length := s.bound
		if d, ok := f.Def(s.bound); !ok || f.Op(d) != op.ArrayLength || f.Arg(d, 0) != array {
			length = b.Emit(op.ArrayLength, ir.U32, 0, array)
			u.tests = append(u.tests, b.Op(op.Le, end, length))
		}
		if row != ir.NoValue {
			u.tests = append(u.tests, b.Op(op.Le, row, b.Op(op.Sub, length, end)))
		}
	}
}

// write puts a loop that has several iterations in one before a loop.
func (u *runtimeUnroller) write(s *stridedLoop, factor int) {
	f, loop := u.f, s.loop
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	u.b.SetBefore(loop)
	u.b.Span = f.SpanOf(loop)
	u.bounded(s)
	end := u.end(s, factor)
	u.begin(f, f)
	u.keep()
	made := f.NewLoop(f.SpanOf(loop))
	f.SetLabelName(made, f.LabelName(loop))
	f.SetArgs(made, f.Args(loop)...)
	f.InsertBefore(loop, made)
	to := f.Region(made, 0)
	u.copyParams(body, to)
	u.passed = u.passed[:0]
	// The first loop leads to the second with what its parameters are.
	for _, p := range f.Params(body) {
		u.passed = append(u.passed, f.AddResult(made, f.TypeOf(p)))
	}
	f.SetArgs(loop, u.passed...)
	u.b.SetBlock(to)
	inside := f.NewIf(u.b.Op(op.Lt, u.values[s.count], end), f.SpanOf(s.test))
	f.Append(to, inside)
	u.exit(inside, f.Region(inside, 0), nil)
	u.exit(made, f.Region(inside, 1), f.Params(body))
	next, last := f.Terminator(continuing), f.Terminator(body)
	after, _, _ := f.NextArgs(next)
	setInBounds(f, u.inRange, true)
	for range factor {
		u.copyBefore(body, s.test, to)
		for i := f.Next(s.test); i != last; i = f.Next(i) {
			f.Append(to, u.copyInst(i))
		}
		u.setParams(continuing, f.Args(last))
		u.copyBefore(continuing, next, to)
		u.setParams(body, after)
	}
	setInBounds(f, u.inRange, false)
	u.endIteration(made, next)
}
