package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// UnrollByPeriod unrolls a loop by the period of remainders of its induction variable, so that each
// of them is constant:
//
//	for (var d = 2; d <= n; d++) {  ─►  for (var d = 2; d <= n; ) {
//	  row[d % 3] = f(row[(d+2)%3]);        row[2] = f(row[1]);  d++;  if (d > n) { break; }
//	}                                      row[0] = f(row[2]);  d++;  if (d > n) { break; }
//	                                       row[1] = f(row[0]);  d++;
//	                                     }
//
// Buffers that alternate then have constant addresses, and the remainders are gone, each of which
// is a 64-bit product, a shift and a product otherwise. Targets' compilers unroll by powers of two
// only, and see no period.
//
// A remainder repeats if the count begins with a constant, steps by a constant, and neither the
// steps nor the sum that is divided wrap. That is proved by analysis.Ranges. The lowest bits of a
// value, x & 3, need no such proof. Tests stay in each iteration, so that any trip count is right,
// unless it is known to be whole periods. A loop with a small known trip count stays: where Unroll
// has left it, targets' compilers fully unroll it.
//
// Where arrays of the invocation would be in memory otherwise, a period may be as long as theirs.
// Of the 64 rounds of SHA-256, which go around an array of 16 words, 16 are unrolled, a third of
// the code of all. Conditions on the count that are the same in all iterations of a period are
// tested once (tests), and MergeBranches merges their ifs.
var UnrollByPeriod = Pass{
	Name:      "unroll-by-period",
	Doc:       "unroll loops by the period of remainders of the induction variable",
	Needs:     ir.Structured,
	Breaks:    ir.Promoted,
	Transform: func(c *Context, m *ir.Module) bool { return unrollByPeriod(c, m, false) },
}

// UnrollArraysByPeriod is UnrollByPeriod for targets whose compilers leave arrays in memory.
func UnrollArraysByPeriod() Pass {
	p := UnrollByPeriod
	p.Transform = func(c *Context, m *ir.Module) bool { return unrollByPeriod(c, m, true) }
	return p
}

func unrollByPeriod(c *Context, m *ir.Module, arrays bool) (changed bool) {
	u := Scratch[periodUnroller](c, "unroll-by-period")
	u.arrays = arrays
	for _, f := range m.Funcs {
		if f.Had(&indexingLoops) && f.Had(&remaindering) && u.run(m, f) {
			changed = true
		}
	}
	return changed
}

var remaindering = op.SetOf(op.Rem, op.And)

const (
	// maxPeriod bounds how many iterations of a loop become one, maxArrayPeriod how many if arrays
	// are indexed by remainders, where minPeriods are left at least.
	maxPeriod      = 4
	maxArrayPeriod = 16
	minPeriods     = 3
	// maxPeriodSize bounds the instructions of such a period, before they are simplified.
	maxPeriodSize = 1600
)

type periodUnroller struct {
	unroller
	ranges   analysis.Ranges
	analysed bool // what the ranges hold is about the function as it is
	// found are the remainders of the current loop that a period makes constant.
	found []remainder
	// counted is the current loop if it has whole periods of an array. conditions are its,
	// and truths what the current one is in each iteration.
	counted    countedLoop
	conditions []periodCondition
	truths     []bool
}

// periodCondition is a condition in the body of a loop that depends on its induction variable, with
// what is known of it in each iteration of a period.
type periodCondition struct {
	condition ir.Value
	first     ir.Value // its value in the first iteration of a period
	known     [maxArrayPeriod]periodTruth
}

// periodTruth is what is known of a condition in one iteration of each period.
type periodTruth uint8

const (
	varies periodTruth = iota
	always
	never
	asFirst
)

// remainder is an instruction whose result in iteration n of a loop, from 0, is (start + n*step) %
// divisor.
type remainder struct {
	i                    ir.Inst
	start, step, divisor uint64
	// exact are the sums that must not wrap for it, 0 for none.
	exact [2]ir.Inst
}

// run unrolls loops of a function, and reports whether there were any.
func (u *periodUnroller) run(m *ir.Module, f *ir.Func) (some bool) {
	u.m, u.f = m, f
	u.enter()
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if f.Op(i) == op.Loop {
			if period := u.period(i); period > 1 {
				next = f.AfterRegions(i, f.BlockOf(i))
				u.write(i, period)
				f.ApplyReplacements()
				u.enter()
				some = true
			}
		}
		i = next
	}
	return some
}

// enter forgets what was known of the function.
func (u *periodUnroller) enter() {
	u.analysed = false
	u.continued.Enter(u.f)
	u.loops, u.number = u.loops[:0], ir.Zeroed(u.number, u.f.InstCount())
}

// isExact reports whether a sum does not wrap; 0 means none. Most functions have none that is
// needed.
func (u *periodUnroller) isExact(sum ir.Inst) bool {
	if sum == 0 {
		return true
	}
	if !u.analysed {
		u.ranges.Arithmetic = true
		u.ranges.Analyse(u.f)
		u.analysed = true
	}
	return u.ranges.Proves(sum, 1)
}

// bodySize returns how many instructions a loop has that has no loops or calls in it, and a
// remainder by a constant, or that it is no such loop.
func (u *periodUnroller) bodySize(loop ir.Inst) (size int, ok bool) {
	f := u.f
	b := f.BlockOf(loop)
	for i, end := f.After(loop, b), f.AfterRegions(loop, b); i != end; i = f.After(i, b) {
		switch o := f.Op(i); o {
		case op.Loop, op.Call:
			return 0, false
		case op.Rem, op.And:
			ok = ok || f.Arg(i, 1).IsConst()
		}
		size++
	}
	return size, ok
}

// period finds the remainders of a loop that repeat, and returns in how many iterations they do.
func (u *periodUnroller) period(loop ir.Inst) int {
	u.counted = countedLoop{}
	size, ok := u.bodySize(loop)
	if !ok {
		return 1
	}
	l, becomesConstant := u.count(loop, maxTripCount)
	if becomesConstant && l.tripCount <= maxShortTripCount {
		return 1
	}
	if u.arrays && becomesConstant && u.repeats(&l) {
		u.counted = l
		return u.repeating(loop, maxArrayPeriod)
	}
	if 2*size > maxShort {
		return 1
	}
	if period := u.repeating(loop, maxPeriod); size*period <= maxShort {
		return period
	}
	return 1
}

// repeating finds the remainders of a loop that repeat in at most so many iterations, and returns
// in how many.
func (u *periodUnroller) repeating(loop ir.Inst, most uint64) int {
	f := u.f
	u.found = u.found[:0]
	period := uint64(1)
	b := f.BlockOf(loop)
	for i, end := f.After(loop, b), f.AfterRegions(loop, b); i != end; i = f.After(i, b) {
		r, ok := u.remainder(i, loop)
		if !ok {
			continue
		}
		both := lcm(period, r.divisor/gcd(r.divisor, r.step))
		if both > most || !u.isExact(r.exact[0]) || !u.isExact(r.exact[1]) {
			continue
		}
		period = both
		u.found = append(u.found, r)
	}
	return int(period)
}

// tests finds out what the conditions of a loop's body, whose trip count is known, are in the
// iterations of a period.
func (u *periodUnroller) tests(l *countedLoop, period int) {
	f := u.f
	u.conditions = u.conditions[:0]
	body := f.Region(l.loop, 0)
	after, _, _ := f.NextArgs(f.Terminator(f.Region(l.loop, 1)))
	for i := f.First(body); i != 0; i = f.Next(i) {
		if f.Op(i) != op.If || !f.Arg(i, 0).IsLocal() {
			continue
		}
		u.now = append(u.now[:0], f.Args(l.loop)...)
		u.truths = u.truths[:0]
		for range l.tripCount {
			truth, ok := u.truth(f.Arg(i, 0), l.loop)
			if !ok {
				break
			}
			u.truths = append(u.truths, truth)
			u.step(l.loop, after)
			u.now, u.then = u.then, u.now
		}
		if len(u.truths) < l.tripCount {
			continue
		}
		q := periodCondition{condition: f.Arg(i, 0)}
		for iteration := range period {
			// the first test of a period says whether there is one
			if iteration > 0 || i != l.test {
				q.known[iteration] = u.truthIn(iteration, period)
			}
		}
		u.conditions = append(u.conditions, q)
	}
}

// truthIn returns what is known of a condition in one iteration of each period, whose truth in all
// iterations is in truths.
func (u *periodUnroller) truthIn(iteration, period int) periodTruth {
	same, first := true, true
	for n := iteration; n < len(u.truths); n += period {
		same = same && u.truths[n] == u.truths[iteration]
		first = first && u.truths[n] == u.truths[n-iteration]
	}
	switch {
	case same && u.truths[iteration]:
		return always
	case same:
		return never
	case first && iteration > 0:
		return asFirst
	}
	return varies
}

// replaceConditions replaces the conditions of the iteration that was copied last by what is known
// of them.
func (u *periodUnroller) replaceConditions(iteration int) {
	f := u.f
	for n := range u.conditions {
		q := &u.conditions[n]
		x := u.values[q.condition]
		if iteration == 0 {
			q.first = x
		}
		if !x.IsLocal() {
			continue
		}
		switch q.known[iteration] {
		case always:
			f.Replace(x, u.m.ConstBool(true))
		case never:
			f.Replace(x, u.m.ConstBool(false))
		case asFirst:
			f.Replace(x, q.first)
		}
	}
}

// gcd returns the greatest common divisor of two values, lcm the least common multiple.
func gcd(x, y uint64) uint64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

func lcm(x, y uint64) uint64 { return x / gcd(x, y) * y }

// remainder returns the remainder of a loop's count that an instruction makes.
func (u *periodUnroller) remainder(i, loop ir.Inst) (r remainder, ok bool) {
	f, m := u.f, u.m
	o := f.Op(i)
	if o != op.Rem && o != op.And || f.Type(i) != ir.U32 && f.Type(i) != ir.I32 {
		return r, false
	}
	r.i = i
	if r.divisor, ok = m.ConstUint(f.Arg(i, 1)); !ok || r.divisor == 0 {
		return r, false
	}
	if o == op.And {
		if r.divisor++; r.divisor&(r.divisor-1) != 0 {
			return r, false
		}
	}
	exact := o == op.Rem // whether what wraps has another remainder
	v, offset := f.Arg(i, 0), ir.NoValue
	sum, isSum := f.Def(v)
	if isSum && (f.Op(sum) == op.Add || f.Op(sum) == op.Sub) && f.Arg(sum, 1).IsConst() {
		v, offset = f.Arg(sum, 0), f.Arg(sum, 1)
	}
	n := slices.Index(f.Params(f.Region(loop, 0)), v)
	step, by := increment(f, &u.continued, loop, n)
	if step == 0 || !f.Args(loop)[n].IsConst() {
		return r, false
	}
	if r.step, ok = m.ConstUint(by); !ok {
		return r, false
	}
	start := f.Args(loop)[n]
	if offset != ir.NoValue {
		if start, ok = m.Fold(f.Op(sum), f.Type(sum), f.Aux(sum), []ir.Value{start, offset}); !ok {
			return r, false
		}
	}
	if exact {
		r.exact[0] = step
		if offset != ir.NoValue {
			r.exact[1] = sum
		}
	}
	r.start, ok = m.ConstUint(start)
	return r, ok
}

// write replaces a loop by one that has several iterations in one.
func (u *periodUnroller) write(loop ir.Inst, period int) {
	f := u.f
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	u.begin(f, f)
	u.keep()
	made := f.NewLoop(f.SpanOf(loop))
	f.SetArgs(made, f.Args(loop)...)
	u.replaceLoop(loop, made)
	to := f.Region(made, 0)
	u.copyParams(body, to)
	l := countedLoop{loop: loop}
	alone := continuesAtEnd(u.f, loop)
	next := f.Terminator(continuing)
	after, condition, results := f.NextArgs(next)
	u.conditions = u.conditions[:0]
	if u.counted.tripCount > 0 {
		u.tests(&u.counted, period)
	}
	for iteration := range period {
		u.copyIteration(&l, body, to, alone)
		u.replaceConditions(iteration)
		u.copyBefore(continuing, next, to)
		u.breakIf(condition, next, to, made, results)
		for _, r := range u.found {
			x := f.Result(r.i)
			f.Replace(u.values[x], u.m.ConstInt(f.TypeOf(x), int64((r.start+uint64(iteration)*r.step)%r.divisor)))
		}
		u.passed = append(u.passed[:0], u.mapped(after)...)
		if iteration < period-1 {
			for n, p := range f.Params(body) {
				u.values[p] = u.passed[n]
			}
		}
	}
	u.endIteration(made, next)
	f.Remove(loop)
}
