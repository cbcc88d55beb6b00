package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// Periods writes out as many turns of a loop as it takes until remainders of what it counts repeat, so that
// each of them is constant:
//
//	for (var d = 2; d <= n; d++) {  ─►  for (var d = 2; d <= n; ) {
//	  row[d % 3] = f(row[(d+2)%3]);        row[2] = f(row[1]);  d++;  if (d > n) { break; }
//	}                                      row[0] = f(row[2]);  d++;  if (d > n) { break; }
//	                                       row[1] = f(row[0]);  d++;
//	                                     }
//
// So buffers that take turns have constant places, and the remainders, each of which is a product of 64 bits, a shift and
// a product otherwise, are gone. Drivers unroll by powers of two only, and see no period. An edit distance
// whose rows take turns has 31 machine instructions a turn instead of 46 (ptxas 12.9, sm_90).
//
// A remainder repeats if the count begins with a constant, steps by one, and neither the steps nor the sum that is
// divided wrap, which analysis.Ranges proves; the lowest bits of a number, x & 3, take no such proof.
// Tests stay in each turn, so that it does not matter how often the loop turns. A loop of few turns, whose number is known, stays: where Unroll has left
// it, targets' compilers unroll it as a whole.
var Periods = Pass{
	Name:   "periods",
	Doc:    "write out turns of loops until remainders of what they count repeat",
	Needs:  ir.Structured,
	Breaks: ir.Promoted,
	Run: func(c *Context, m *ir.Module) {
		u := Scratch[periods](c, "periods")
		for _, f := range m.Funcs {
			if f.Had(&indexingLoops) && f.Had(&remaindering) && u.run(m, f) {
				c.unrolled = true
			}
		}
	},
}

var remaindering = op.SetOf(op.Rem, op.And)

// maxPeriod bounds how many turns of a loop become one.
const maxPeriod = 4

type periods struct {
	unroller
	ranges   analysis.Ranges
	analysed bool // what the ranges hold is about the function as it is
	// found are the remainders of the loop in hand that a period makes constant.
	found []remainder
}

// remainder is an instruction whose result in the n-th turn of a loop, from 0, is (start + n*step) % divisor.
type remainder struct {
	i                    ir.Inst
	start, step, divisor uint64
	// exact are the sums that must not wrap for it, 0 for none.
	exact [2]ir.Inst
}

// run writes out the loops of a function, and reports whether there were any.
func (u *periods) run(m *ir.Module, f *ir.Func) (some bool) {
	u.m, u.f, u.analysed = m, f, false
	u.continued.Enter(f)
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if f.Op(i) == op.Loop && u.isSmall(i) {
			if period := u.period(i); period > 1 {
				next = f.Beyond(i, f.BlockOf(i))
				u.write(i, period)
				f.ApplyReplacements()
				u.continued.Enter(f)
				u.analysed = false
				some = true
			}
		}
		i = next
	}
	return some
}

// isExact reports whether a sum does not wrap; 0 stands for none. Most functions have none that is asked about.
func (u *periods) isExact(sum ir.Inst) bool {
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

// isSmall reports whether a loop has no loops or calls in it, and a remainder by a constant, and may be written out twice.
func (u *periods) isSmall(loop ir.Inst) bool {
	f := u.f
	size, some := 0, false
	b := f.BlockOf(loop)
	for i, end := f.After(loop, b), f.Beyond(loop, b); i != end; i = f.After(i, b) {
		switch o := f.Op(i); o {
		case op.Loop, op.Call:
			return false
		case op.Rem, op.And:
			some = some || f.Arg(i, 1).IsConst()
		}
		size++
	}
	return some && 2*size <= maxShort
}

// period finds the remainders of a loop that repeat, and returns in how many turns they do.
func (u *periods) period(loop ir.Inst) int {
	f := u.f
	u.found = u.found[:0]
	period, size := uint64(1), uint64(0)
	b := f.BlockOf(loop)
	for i, end := f.After(loop, b), f.Beyond(loop, b); i != end; i = f.After(i, b) {
		size++
		r, ok := u.remainder(i, loop)
		if !ok {
			continue
		}
		both := multiple(period, r.divisor/divisor(r.divisor, r.step))
		if both > maxPeriod || !u.isExact(r.exact[0]) || !u.isExact(r.exact[1]) {
			continue
		}
		period = both
		u.found = append(u.found, r)
	}
	if period == 1 || size*period > maxShort {
		return 1
	}
	if l, ok := u.count(loop); ok && l.turns <= maxShortTurns {
		return 1
	}
	return int(period)
}

// divisor returns the greatest common divisor of two numbers, multiple the least common multiple.
func divisor(x, y uint64) uint64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

func multiple(x, y uint64) uint64 { return x / divisor(x, y) * y }

// remainder returns the remainder of a loop's count that an instruction makes.
func (u *periods) remainder(i, loop ir.Inst) (r remainder, ok bool) {
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
	n := analysis.Position(f.Params(f.Region(loop, 0)), v)
	next := f.Terminator(f.Region(loop, 1))
	if n < 0 || next == 0 || f.Op(next) != op.Next || !f.Args(loop)[n].IsConst() {
		return r, false
	}
	after, _, _ := f.NextArgs(next)
	step, isStep := f.Def(u.continued.Through(loop, after[n]))
	if !isStep || f.Op(step) != op.Add || u.continued.Through(loop, f.Arg(step, 0)) != v {
		return r, false
	}
	if r.step, ok = m.ConstUint(f.Arg(step, 1)); !ok {
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

// write replaces a loop by one that has several turns in one.
func (u *periods) write(loop ir.Inst, period int) {
	f := u.f
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	u.begin(f, f)
	u.keep()
	made := f.NewLoop(f.SpanOf(loop))
	f.SetLabelName(made, f.LabelName(loop))
	f.SetArgs(made, f.Args(loop)...)
	f.InsertBefore(loop, made)
	for _, r := range f.Results(loop) {
		v := f.AddResult(made, f.TypeOf(r))
		f.SetName(v, f.ValueName(r))
		f.Replace(r, v)
	}
	u.insts[loop] = made
	to := f.Region(made, 0)
	for _, p := range f.Params(body) {
		v := f.AddParam(to, f.TypeOf(p))
		f.SetName(v, f.ValueName(p))
		u.values[p] = v
	}
	l := countedLoop{loop: loop}
	alone := u.continuesAtEnd(loop)
	next := f.Terminator(continuing)
	after, condition, results := f.NextArgs(next)
	for turn := range period {
		u.turn(&l, body, to, alone)
		u.copyBefore(continuing, next, to)
		if condition != ir.NoValue {
			leaves := f.NewIf(u.value(condition), f.SpanOf(next))
			f.Append(to, leaves)
			u.exit(made, f.Region(leaves, 0), results)
			u.exit(leaves, f.Region(leaves, 1), nil)
		}
		for _, r := range u.found {
			x := f.Result(r.i)
			f.Replace(u.values[x], u.m.ConstInt(f.TypeOf(x), int64((r.start+uint64(turn)*r.step)%r.divisor)))
		}
		u.passed = append(u.passed[:0], u.mapped(after)...)
		if turn < period-1 {
			for n, p := range f.Params(body) {
				u.values[p] = u.passed[n]
			}
		}
	}
	u.goOn(made, next)
	f.Remove(loop)
}
