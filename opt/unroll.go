package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// Unroll is full unrolling (LLVM's LoopFullUnroll) of loops that index an invocation's own
// variables by their induction variables. Every index becomes a constant, and the variables become
// values:
//
//	var acc: array<f32, 8>            acc_0 += a * b_0
//	for (var i = 0; i < 8; i++) {  ─►  acc_1 += a * b_1
//	  acc[i] += a * b[i];             …
//	}
//
// That is for targets whose compilers leave arrays in memory. Some of these unroll such loops too,
// but only after they have allocated memory for the array.
//
// A loop is unrolled if that makes all indices of a variable constant, together with the other
// loops that are needed, or if it is short. The count of a short loop becomes constant in tests and
// addresses, and the workarounds (codegen/workaround) have no count to hide. The trip count has to
// be known: parameters that begin with constants are followed through pure operations until the
// first test, or the break_if, leaves the loop. Other exits of the loop stay exits. What a loop
// becomes:
//
//	scope ^s {                 the loop's results
//	  …                        the first iteration
//	  scope ^t { …             the second, with a continue that is not the body's end
//	    exit ^t()              was: continue
//	  }
//	  …
//	  exit ^s(…)
//	}
//
// Of some loops only a few iterations are peeled, and the loop comes after them (peelCount).
var Unroll = Pass{
	Name:      "unroll",
	Doc:       "fully unroll loops whose induction variables index variables, and short loops",
	Needs:     ir.Structured,
	Breaks:    ir.Promoted,
	Transform: func(c *Context, m *ir.Module) bool { return unroll(c, m, true, true) },
}

// UnrollShort is Unroll for targets whose compilers make values of the arrays that loops index, in
// the large-launch variant. It unrolls short loops, and those of arrays that such compilers leave
// in memory. Where a loop over a tile is among them, it also unrolls the loops that other arrays
// need.
var UnrollShort = Pass{
	Name:      "unroll-short",
	Doc:       "fully unroll short loops and loops over tiles",
	Needs:     ir.Structured,
	Breaks:    ir.Promoted,
	Transform: func(c *Context, m *ir.Module) bool { return unroll(c, m, true, false) },
}

// UnrollStrided unrolls short loops with another step than one, and those of arrays that would stay
// in memory (staysInMemory). It is for targets whose compilers unroll loops and make values of the
// arrays that they index. The workarounds (codegen/workaround) may have to hide the counts of such
// loops, and then these compilers do not unroll them.
var UnrollStrided = Pass{
	Name:      "unroll-strided",
	Doc:       "fully unroll short loops with a step other than one",
	Needs:     ir.Structured,
	Breaks:    ir.Promoted,
	Transform: func(c *Context, m *ir.Module) bool { return unroll(c, m, false, false) },
}

// UnrollArrays unrolls only loops that index variables. After Unroll these are loops whose trip
// counts it has made known, as that of a loop over what another one has counted.
var UnrollArrays = Pass{
	Name:   "unroll-arrays",
	Doc:    "fully unroll loops whose induction variables index variables",
	Needs:  ir.Structured,
	Breaks: ir.Promoted,
	Transform: func(c *Context, m *ir.Module) (changed bool) {
		u := Scratch[unroller](c, "unroll")
		u.all, u.arrays, u.again, u.overBudget = true, true, true, false
		for _, f := range m.Funcs {
			if f.Had(&indexingLoops) && f.Had(&variables) && u.run(m, f) {
				changed = true
			}
		}
		u.again = false
		c.OverBudget = c.OverBudget || u.overBudget
		return changed
	},
}

// unroll unrolls loops of a module. With all it unrolls those that count by one, too, and some
// whose counts index arrays; with arrays it unrolls all of the latter.
func unroll(c *Context, m *ir.Module, all, arrays bool) (changed bool) {
	u := Scratch[unroller](c, "unroll")
	u.all, u.arrays, u.overBudget = all, arrays, false
	for _, f := range m.Funcs {
		if f.Had(&indexingLoops) && u.run(m, f) {
			changed = true
		}
	}
	c.OverBudget = u.overBudget
	return changed
}

var indexingLoops = op.SetOf(op.Loop)

const (
	// maxTripCount bounds the iterations of one loop, and maxUnrolled the instructions of a
	// function with all loops that are unrolled. That is about 64 KiB of machine code. Beyond it a
	// device waits for instructions.
	maxTripCount = 256
	maxUnrolled  = 6000
	// maxShortTripCount bounds the iterations of a short loop, and maxShort the instructions that
	// they come to. Targets' compilers unroll such loops anyhow.
	maxShortTripCount = 32
	maxShort          = 400
	// maxNonUnitStride bounds the instructions of an unrolled loop with another step than one,
	// where no other loop is unrolled: as many as RuntimeUnroll makes of one. It is enough for
	// the steps of a reduction or a prefix sum. Every later pass and every target's compiler pays
	// for more, and the large-launch variant has these loops unrolled, too
	// (codegen.Options.Coarse).
	maxNonUnitStride = maxRuntimeUnrolled
	// textureSize is the weight of a texture operation: targets compute the position of the texel,
	// and whether it exists.
	textureSize = 16
	// maxIndexDepth bounds how far an index is followed.
	maxIndexDepth = 16
)

type unroller struct {
	copier
	all    bool // not only loops with another step than one
	arrays bool // the target's compiler leaves arrays in memory
	again  bool // only loops that index variables, after the others
	steps  int  // how many instructions branches may still be followed through
	weighs bool // size counts control instructions, too
	// some function is beyond its budget for loops that are worth more than their size
	overBudget bool
	m          *ir.Module
	f          *ir.Func
	continued  analysis.Continued
	// loops are the counted loops of the function that may be unrolled; number is 1 + a loop's
	// index in it, by instruction.
	loops  []countedLoop
	number []uint32
	// required are the loops that the current variable needs.
	required []uint32
	// now are the parameters of an iteration as far as they are constants, then those of the next.
	now, then []ir.Value
	passed    []ir.Value
	// outer are the loops around the one that is counted, in an iteration, and room is how many
	// more of these are gone through.
	outer []outerLoop
	room  int
}

// countedLoop is a loop whose trip count is known.
type countedLoop struct {
	loop ir.Inst
	// tripCount is how often the body is entered and goes on to another iteration or to break_if.
	// With test the first test of the body leaves the loop in the iteration after those, else
	// break_if does in the last.
	tripCount int
	test      ir.Inst // or 0
	// known has a bit for each parameter that has a known value in every iteration.
	known  uint64
	wanted bool
	// within are the loops around it, by their indices in loops, that have to be unrolled for its
	// trip count to be known. Then tripCount is the mean.
	within []uint32
	// repeats says that UnrollByPeriod is going to unroll a whole period of what arrays are indexed
	// by.
	repeats bool
	// peeled is how many iterations are peeled off the loop, which stays. 0 means that it is fully
	// unrolled.
	peeled int
}

// peelCount is how many iterations are peeled off a loop that reads more than registers have room
// for, the same each time. What these read stays in registers, and the others read again. Full
// unrolling would need more code and registers.
const peelCount = 2

// copyCount returns how many iterations of a wanted loop are unrolled.
func (l *countedLoop) copyCount() int {
	if l.peeled > 0 {
		return l.peeled
	}
	return l.tripCount
}

// find finds the counted loops of a function.
func (u *unroller) find(m *ir.Module, f *ir.Func) {
	u.enterFunction(m, f)
	u.findUpTo(maxTripCount, true)
}

// enterFunction begins with a function that has no counted loops yet.
func (u *unroller) enterFunction(m *ir.Module, f *ir.Func) {
	u.m, u.f = m, f
	u.loops, u.required, u.outer = u.loops[:0], u.required[:0], u.outer[:0]
	u.number = ir.Zeroed(u.number, f.InstCount())
	u.continued.Enter(f)
	u.steps = maxFollowed
}

// findUpTo finds the counted loops of the function with at most so many iterations. Without byOne
// it leaves out those that count by one.
func (u *unroller) findUpTo(most int, byOne bool) {
	f := u.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Loop || !byOne && u.countsByOne(i) {
			continue
		}
		l, ok := u.count(i, most)
		if !ok {
			l, ok = u.countWithin(i)
		}
		if ok {
			u.loops = append(u.loops, l)
			u.number[i] = uint32(len(u.loops))
		}
	}
}

// run unrolls the loops of a function, and reports whether there were any.
func (u *unroller) run(m *ir.Module, f *ir.Func) bool {
	u.enterFunction(m, f)
	if u.hasArrays() {
		u.findUpTo(maxTripCount, true)
	} else {
		u.findUpTo(maxShortTripCount, u.all) // as choose considers no others
	}
	if len(u.loops) == 0 || !u.choose() {
		return false
	}
	// inner loops first, which come after outer ones in program order
	for n := len(u.loops) - 1; n >= 0; n-- {
		if l := &u.loops[n]; l.wanted && len(l.within) == 0 {
			u.unroll(l)
		}
	}
	u.unrollTriangles()
	f.ApplyReplacements()
	return true
}

// hasArrays reports whether the function has variables that chooseByArrays looks at.
func (u *unroller) hasArrays() bool {
	f := u.f
	if !f.Had(&variables) {
		return false
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Var && u.isArray(u.m.Element(f.Type(i))) {
			return true
		}
	}
	return false
}

// unroll replaces a loop by copies of its body, one for each iteration, and returns the scope that
// holds them. Uses of the loop's results are not rewritten yet: run calls ApplyReplacements at the
// end.
func (u *unroller) unroll(l *countedLoop) ir.Inst {
	f, loop := u.f, l.loop
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	f.ApplyWithin(loop)
	u.continued.Enter(f) // what is in the loop may have changed
	u.begin(f, f)
	u.keep()
	scope := f.NewScope(f.SpanOf(loop))
	u.replaceLoop(loop, scope)
	to := f.Region(scope, 0)
	u.start(loop)
	u.enter(l, u.now)
	alone := continuesAtEnd(u.f, loop)
	next := f.Terminator(continuing)
	after, condition, results := f.NextArgs(next)
	for iteration := range l.copyCount() {
		u.copyIteration(l, body, to, alone)
		u.copyBefore(continuing, next, to)
		if iteration == l.tripCount-1 && l.test == 0 {
			u.exit(scope, to, results)
			break
		}
		if l.test != 0 {
			u.breakIf(condition, next, to, scope, results)
		}
		u.step(loop, after)
		u.now, u.then = u.then, u.now
		u.enter(l, u.mapped(after))
	}
	if l.peeled > 0 {
		rest := f.NewLoop(f.SpanOf(loop))
		f.Append(to, rest)
		u.passed = u.passed[:0]
		for _, p := range f.Params(body) {
			u.passed = append(u.passed, u.values[p])
		}
		f.SetArgs(rest, u.passed...)
		u.copyRegions(loop, rest)
		f.Append(to, f.NewInst(op.Exit, ir.Void, uint32(scope), f.SpanOf(loop), f.Results(rest)...))
	} else if l.test != 0 { // the iteration that ends at the test
		u.copyBefore(body, l.test, to)
		leaving := f.Region(l.test, 1)
		if leavesIfTrue(u.f, l.test, loop) {
			leaving = f.Region(l.test, 0)
		}
		u.copyBlock(leaving, to, 0)
	}
	f.Remove(loop)
	u.follow(u.loopCopies)
	return scope
}

// keep maps all values and instructions to themselves: what is outside of a loop stays.
func (u *unroller) keep() {
	for v := range u.values {
		u.values[v] = ir.Value(v)
	}
	for i := range u.insts {
		u.insts[i] = ir.Inst(i)
	}
}

// enter makes the parameters of a loop's body what is passed for them, or the constants that they
// are known to be.
func (u *unroller) enter(l *countedLoop, passed []ir.Value) {
	u.passed = append(u.passed[:0], passed...)
	for n, p := range u.f.Params(u.f.Region(l.loop, 0)) {
		if u.values[p] = u.passed[n]; l.known>>n&1 == 1 && u.now[n].IsConst() {
			u.values[p] = u.now[n]
		}
	}
}

// copyIteration copies a loop's body to the end of a block, and sets what the parameters of the
// continuing block are.
func (u *unroller) copyIteration(l *countedLoop, body, to ir.Block, alone bool) {
	f := u.f
	continuing := f.Region(l.loop, 1)
	if alone {
		last := f.Terminator(body)
		u.copyBefore(body, last, to)
		u.setParams(continuing, f.Args(last))
		return
	}
	u.loop = l.loop
	u.iterationScope = f.NewScope(f.SpanOf(l.loop))
	f.Append(to, u.iterationScope)
	for _, p := range f.Params(continuing) {
		u.values[p] = f.AddResult(u.iterationScope, f.TypeOf(p))
	}
	u.copyBlock(body, f.Region(u.iterationScope, 0), 0)
	u.loop = 0
}

// copyBefore copies what is before an instruction of a block to the end of another one.
func (u *unroller) copyBefore(b ir.Block, end ir.Inst, to ir.Block) {
	f := u.f
	for i := f.First(b); i != end; i = f.Next(i) {
		made := u.copyInst(i)
		f.Append(to, made)
		if f.Op(i).Is(op.Control) {
			u.copyRegions(i, made)
		}
	}
}

// endIteration ends the body of a loop that has several iterations in one by the next ones, whose
// parameters are in passed. A continuing block does not see what the body defines, so it only
// passes its parameters.
func (u *unroller) endIteration(loop, next ir.Inst) {
	f := u.f
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	f.Append(body, f.NewInst(op.Continue, ir.Void, uint32(loop), f.SpanOf(next), u.passed...))
	u.passed = u.passed[:0]
	for _, p := range f.Params(body) {
		u.passed = append(u.passed, f.AddParam(continuing, f.TypeOf(p)))
	}
	f.Append(continuing, f.NewInst(op.Next, ir.Void, uint32(loop), f.SpanOf(next), u.passed...))
}

// replaceLoop puts a control instruction before a loop and gives it the loop's results.
func (u *unroller) replaceLoop(loop, made ir.Inst) {
	f := u.f
	f.SetLabelName(made, f.LabelName(loop))
	f.InsertBefore(loop, made)
	for _, r := range f.Results(loop) {
		v := f.AddResult(made, f.TypeOf(r))
		f.SetName(v, f.ValueName(r))
		f.Replace(r, v)
	}
	u.insts[loop] = made
}

// copyParams gives the body of a copy of a loop the parameters of the loop's body.
func (u *unroller) copyParams(body, to ir.Block) {
	f := u.f
	for _, p := range f.Params(body) {
		v := f.AddParam(to, f.TypeOf(p))
		f.SetName(v, f.ValueName(p))
		u.values[p] = v
	}
}

// setParams makes the parameters of a block the copies of some values.
func (u *unroller) setParams(b ir.Block, values []ir.Value) {
	u.passed = append(u.passed[:0], u.mapped(values)...)
	for n, p := range u.f.Params(b) {
		u.values[p] = u.passed[n]
	}
}

// breakIf copies the condition of a break_if, if there is one, to the end of a block.
func (u *unroller) breakIf(condition ir.Value, next ir.Inst, to ir.Block, target ir.Inst, results []ir.Value) {
	if condition == ir.NoValue {
		return
	}
	f := u.f
	leaves := f.NewIf(u.value(condition), f.SpanOf(next))
	f.Append(to, leaves)
	u.exit(target, f.Region(leaves, 0), results)
	u.exit(leaves, f.Region(leaves, 1), nil)
}

// exit ends a block by leaving a control instruction.
func (u *unroller) exit(from ir.Inst, b ir.Block, results []ir.Value) {
	f := u.f
	f.Append(b, f.NewInst(op.Exit, ir.Void, uint32(from), f.SpanOf(from), u.mapped(results)...))
}
