package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file chooses the loops that are unrolled: those whose counts index variables, and short
// ones, as long as they and the function stay within their budgets (growth.go).

// choose marks the loops that variables want unrolled, and short ones, as long as the function
// stays within its budgets, and reports whether there are any.
func (u *unroller) choose() bool {
	f := u.f
	if u.again {
		some := u.chooseByArrays()
		u.overBudget = u.overBudget || some && u.weigh() > growthBudget(u.m, f.Before)
		return some
	}
	f.Before = u.weigh()
	most := growthBudget(u.m, f.Before)
	some := u.chooseByArrays()
	overBudget := some // some loops are worth more than their size
	u.required = u.required[:0]
	room, size := foldedShare*most-f.Before, u.weigh()
	try := func(l *countedLoop) {
		if l.wanted || !u.all && u.countsByOne(l.loop) || l.tripCount > maxShortTripCount || u.isUnprofitable(l) {
			return
		}
		if u.all && len(l.within) == 0 && u.hasManyRepeatedLoads(l) {
			l.peeled = peelCount
		}
		l.wanted = true
		limit, worth := u.sizeLimit(l)
		if u.sizeOf(l.loop) > limit || u.size(f.Entry) > maxUnrolled {
			l.wanted = false
			return
		}
		larger := u.weigh()
		switch {
		case worth:
			overBudget = true
		case larger-size <= room:
			room -= larger - size
		default:
			l.wanted = false
			return
		}
		some, size = true, larger
	}
	for n := len(u.loops) - 1; n >= 0; n-- { // from inside
		if l := &u.loops[n]; len(l.within) == 0 {
			try(l)
		}
	}
	for n := range u.loops { // those around triangles are before them
		if l := &u.loops[n]; u.isTriangle(l) {
			try(l)
		}
	}
	u.overBudget = u.overBudget || overBudget && size > most
	return some
}

// chooseByArrays marks the loops whose counts are all that an array of the invocation is indexed
// by, as long as the function is not too long. It reports whether there are any. Where a target's
// compiler makes values of arrays itself, these are the loops of arrays that it would leave in
// memory. With a loop over a tile around, they are those of all arrays.
func (u *unroller) chooseByArrays() (some bool) {
	for n := range u.loops {
		u.loops[n].repeats = u.arrays && u.repeats(&u.loops[n])
	}
	if some = u.chooseArrays(func(v ir.Value) bool { return u.arrays || u.staysInMemory(v) }); u.arrays || !u.all {
		return some
	}
	var hard []uint32
	for n := range u.loops {
		if u.loops[n].wanted {
			hard = append(hard, uint32(n))
		}
	}
	if !u.chooseArrays(func(ir.Value) bool { return true }) {
		return some
	}
	for n := range u.loops {
		if l := &u.loops[n]; !l.wanted && l.tripCount <= maxShortTripCount && u.isTiled(l) {
			return true
		}
	}
	for n := range u.loops {
		u.loops[n].wanted = slices.Contains(hard, uint32(n))
	}
	return some
}

// chooseArrays marks the loops of the arrays that are chosen, and reports whether there are any.
func (u *unroller) chooseArrays(chosen func(variable ir.Value) bool) (some bool) {
	f := u.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Var || !u.isArray(u.m.Element(f.Type(i))) {
			continue
		}
		if u.required = u.required[:0]; !u.indices(f.Result(i)) || len(u.required) == 0 || !chosen(f.Result(i)) {
			continue
		}
		before := len(u.required)
		for n := 0; n < before; n++ {
			if l := &u.loops[u.required[n]]; l.wanted {
				u.required[n] = u.required[before-1]
				before--
				n--
			} else {
				l.wanted = true
			}
		}
		if u.size(f.Entry) <= maxUnrolled {
			some = true
			continue
		}
		for _, n := range u.required[:before] {
			u.loops[n].wanted = false
		}
	}
	return some
}

// staysInMemory reports whether a compiler that makes values of arrays would leave a variable in
// memory, whose loops are in needed. Such compilers unroll short loops that count by one, and see
// through sums and products of induction variables. They fail for loops that begin at remainders,
// and for indices from a table. Long loops that go around an array, as the rounds of SHA-256, they
// unroll better themselves.
func (u *unroller) staysInMemory(variable ir.Value) bool {
	f := u.f
	hard := false
	for _, n := range u.required {
		l := &u.loops[n]
		hard = hard || len(l.within) > 0 || l.tripCount > maxShortTripCount || !u.countsByOne(l.loop)
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Access || f.Arg(i, 0) != variable {
			continue
		}
		for _, index := range f.Args(i)[1:] {
			if d, ok := f.Def(index); ok && remaindering.Has(f.Op(d)) && slices.ContainsFunc(u.required, func(n uint32) bool {
				l := &u.loops[n]
				return l.tripCount > maxShortTripCount && u.countsIn(index, l, maxIndexDepth)
			}) {
				return false
			}
			hard = hard || !u.isPolynomial(index, maxIndexDepth)
		}
	}
	return hard
}

var polynomialOps = op.SetOf(op.Add, op.Sub, op.Mul, op.Shl)

// isPolynomial reports whether a value is a sum or product of constants and of induction variables
// with step one.
func (u *unroller) isPolynomial(v ir.Value, depth int) bool {
	f := u.f
	if v.IsConst() {
		return true
	}
	i, ok := f.Def(v)
	if !ok {
		loop := f.Parent(f.DefBlock(v))
		return loop != 0 && f.Op(loop) == op.Loop && u.stepsByOne(loop, slices.Index(f.Params(f.Region(loop, 0)), v))
	}
	return depth > 0 && polynomialOps.Has(f.Op(i)) && !slices.ContainsFunc(f.Args(i), func(a ir.Value) bool { return !u.isPolynomial(a, depth-1) })
}

// repeats reports whether UnrollByPeriod can unroll a loop by a period of its array indices. Each
// index that depends on the induction variable has to be a mask of it, and the loop to have whole
// periods.
func (u *unroller) repeats(l *countedLoop) bool {
	f := u.f
	if l.test == 0 || len(l.within) > 0 || l.tripCount < minPeriods*maxArrayPeriod || l.tripCount%maxArrayPeriod != 0 || !continuesAtEnd(u.f, l.loop) {
		return false
	}
	some := false
	b := f.BlockOf(l.loop)
	for i, end := f.After(l.loop, b), f.AfterRegions(l.loop, b); i != end; i = f.After(i, b) {
		if f.Op(i) == op.Call || f.Op(i) == op.Loop && u.number[i] == 0 {
			return false
		}
		if f.Op(i) != op.Access || u.m.SpaceOf(f.Type(i)) != ir.Function {
			continue
		}
		for _, index := range f.Args(i)[1:] {
			if u.countsIn(index, l, maxIndexDepth) {
				if some = u.isRepeating(index, l); !some {
					return false
				}
			}
		}
	}
	return some && maxArrayPeriod*u.iterationSize(l) <= maxPeriodSize
}

// isRepeating reports whether an index is a mask of the lowest bits of an induction variable with
// step one, or of a sum of that and a constant.
func (u *unroller) isRepeating(index ir.Value, l *countedLoop) bool {
	f, m := u.f, u.m
	i, ok := f.Def(index)
	if !ok || f.Op(i) != op.And {
		return false
	}
	if mask, ok := m.ConstUint(f.Arg(i, 1)); !ok || mask&(mask+1) != 0 || mask >= maxArrayPeriod {
		return false
	}
	v := f.Arg(i, 0)
	if sum, ok := f.Def(v); ok && (f.Op(sum) == op.Add || f.Op(sum) == op.Sub) && f.Arg(sum, 1).IsConst() {
		v = f.Arg(sum, 0)
	}
	n := slices.Index(f.Params(f.Region(l.loop, 0)), v)
	return n >= 0 && l.known>>n&1 == 1 && u.countsByOne(l.loop)
}

// iterationSize returns how many instructions an iteration of a loop has with the inner loops
// unrolled.
func (u *unroller) iterationSize(l *countedLoop) int {
	f := u.f
	b := f.BlockOf(l.loop)
	inside := len(u.required)
	for i, end := f.After(l.loop, b), f.AfterRegions(l.loop, b); i != end; i = f.After(i, b) {
		if n := u.number[i]; n > 0 && !u.loops[n-1].wanted {
			u.loops[n-1].wanted = true
			u.required = append(u.required, n-1)
		}
	}
	size := u.sizeOf(l.loop)
	for _, n := range u.required[inside:] {
		u.loops[n].wanted = false
	}
	u.required = u.required[:inside]
	return size
}

// countsByOne reports whether a parameter of a loop differs by one from iteration to iteration.
func (u *unroller) countsByOne(loop ir.Inst) bool {
	for n := range u.f.Params(u.f.Region(loop, 0)) {
		if u.stepsByOne(loop, n) {
			return true
		}
	}
	return false
}

// stepsByOne reports whether the n-th parameter of a loop differs by one from iteration to
// iteration.
func (u *unroller) stepsByOne(loop ir.Inst, n int) bool {
	f := u.f
	next := f.Terminator(f.Region(loop, 1))
	if n < 0 || next == 0 || f.Op(next) != op.Next {
		return false
	}
	p := f.Params(f.Region(loop, 0))[n]
	after, _, _ := f.NextArgs(next)
	i, ok := f.Def(u.continued.Through(loop, after[n]))
	if !ok || f.Op(i) != op.Add && f.Op(i) != op.Sub {
		return false
	}
	step := u.m.ConstInt(f.TypeOf(p), 1)
	if f.Op(i) == op.Add && f.Arg(i, 1) != step {
		step = u.m.ConstInt(f.TypeOf(p), -1)
	}
	return u.continued.Through(loop, f.Arg(i, 0)) == p && f.Arg(i, 1) == step
}

// isUnprofitable reports whether what is in a loop makes unrolling it useless. That is a call or a
// switch by an unknown value, which each iteration would have. It is also an inner loop with an
// unknown trip count, in which the time is spent. The trip count may become known by what the loop
// around it counts, as in a triangle.
func (u *unroller) isUnprofitable(l *countedLoop) bool {
	f := u.f
	b := f.BlockOf(l.loop)
	for i, end := f.After(l.loop, b), f.AfterRegions(l.loop, b); i != end; i = f.After(i, b) {
		switch o := f.Op(i); {
		case o == op.Call, o == op.Loop && u.all && u.number[i] == 0 && !u.follows(i, l):
			return true
		case o == op.Switch && !u.isInductive(f.Arg(i, 0)):
			return true
		}
	}
	return false
}

// hasManyRepeatedLoads reports whether a loop in one that stays reads the same addresses each time,
// more than may be loaded ahead (maxHoisted).
func (u *unroller) hasManyRepeatedLoads(l *countedLoop) bool {
	f := u.f
	words := uint32(0)
	b := f.BlockOf(l.loop)
	for i, end := f.After(l.loop, b), f.AfterRegions(l.loop, b); i != end; i = f.After(i, b) {
		if u.isRepeatedLoad(i) {
			words += wordsOf(u.m, f.Type(i))
		}
	}
	return words*uint32(l.tripCount) > maxHoisted && l.tripCount > 2*peelCount && u.isInRolledLoop(l)
}

// isInRolledLoop reports whether one of the loops around a loop would be too long with that one
// unrolled.
func (u *unroller) isInRolledLoop(l *countedLoop) bool {
	f := u.f
	stays, before := false, l.wanted
	l.wanted = true
	for p := f.Parent(f.BlockOf(l.loop)); p != 0 && !stays; p = f.Parent(f.BlockOf(p)) {
		if f.Op(p) != op.Loop {
			continue
		}
		if stays = u.number[p] == 0 || u.loops[u.number[p]-1].tripCount > maxShortTripCount; !stays {
			outer := &u.loops[u.number[p]-1]
			before := outer.wanted
			outer.wanted = true
			stays = u.sizeOf(p) > maxShort
			outer.wanted = before
		}
	}
	l.wanted = before
	return stays
}

// isRepeatedLoad reports whether an instruction reads an address of a buffer that depends on
// induction variables alone, and that nobody writes.
func (u *unroller) isRepeatedLoad(i ir.Inst) bool {
	f, m := u.f, u.m
	if f.Op(i) != op.Load {
		return false
	}
	access, ok := f.Def(f.Arg(i, 0))
	if !ok || f.Op(access) != op.Access || !f.Arg(access, 0).IsGlobal() {
		return false
	}
	t := f.Type(access)
	if s := m.SpaceOf(t); s != ir.Uniform && (s != ir.Storage || m.AccessOf(t) != ir.Read) {
		return false
	}
	counted := false
	for _, index := range f.Args(access)[1:] {
		if !u.isInductive(index) && !index.IsConst() {
			return false
		}
		counted = counted || index.IsLocal()
	}
	return counted
}

// follows reports whether the start, the step or the bound of a loop depends on an induction
// variable of a loop around it.
func (u *unroller) follows(inner ir.Inst, l *countedLoop) bool {
	f := u.f
	counts := func(v ir.Value) bool { return u.countsIn(u.continued.Through(inner, v), l, maxIndexDepth) }
	if slices.ContainsFunc(f.Args(inner), counts) {
		return true
	}
	if next := f.Terminator(f.Region(inner, 1)); next != 0 && f.Op(next) == op.Next {
		if after, _, _ := f.NextArgs(next); slices.ContainsFunc(after, counts) {
			return true
		}
	}
	test := firstTest(u.f, inner)
	if test == 0 {
		return false
	}
	compare, ok := f.Def(f.Arg(test, 0))
	return ok && slices.ContainsFunc(f.Args(compare), counts)
}

// isArray reports whether a variable's type is an array or a matrix, or holds one, that is small
// enough to become values.
func (u *unroller) isArray(t ir.Type) bool {
	n, ok := u.m.Slots(t)
	if !ok || n > ir.PromotedSlots {
		return false
	}
	switch u.m.KindOf(t) {
	case ir.ArrayType, ir.MatrixType, ir.StructType:
		return true
	}
	return false
}

// indices collects in needed the loops that make all indices of a variable constant, or
// reports that there are no such loops.
func (u *unroller) indices(variable ir.Value) bool {
	f := u.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n, a := range f.Args(i) {
			if a != variable {
				continue
			}
			switch o := f.Op(i); {
			case o == op.Load, o == op.Copy, o == op.Store && n == 0:
			case o == op.Access && n == 0:
				for _, index := range f.Args(i)[1:] {
					if !u.depends(index, maxIndexDepth) {
						return false
					}
				}
			default:
				return false
			}
		}
	}
	return true
}

// depends collects the loops from whose induction variables a value is computed, and reports
// whether it is computed from nothing else.
func (u *unroller) depends(v ir.Value, depth int) bool {
	f := u.f
	if !v.IsLocal() {
		return v.IsConst()
	}
	i, ok := f.Def(v)
	if !ok {
		b := f.DefBlock(v)
		loop := f.Parent(b)
		if loop == 0 || u.number[loop] == 0 || b != f.Region(loop, 0) {
			return false
		}
		n := u.number[loop] - 1
		if k := slices.Index(f.Params(b), v); k >= 64 || u.loops[n].known>>k&1 == 0 {
			return false
		}
		if !slices.Contains(u.required, n) && !u.loops[n].repeats {
			u.required = append(u.required, n)
			for _, outer := range u.loops[n].within {
				if !slices.Contains(u.required, outer) {
					u.required = append(u.required, outer)
				}
			}
		}
		return true
	}
	if depth > 0 && f.Op(i).Is(op.Control) {
		return u.dependsOn(v, i, depth)
	}
	if depth == 0 || !f.Op(i).Pure() {
		return false
	}
	for _, a := range f.Args(i) {
		if !u.depends(a, depth-1) {
			return false
		}
	}
	return true
}

// dependsOn collects the loops whose counts decide a result of a branch, and reports whether
// nothing else does.
func (u *unroller) dependsOn(v ir.Value, control ir.Inst, depth int) bool {
	f := u.f
	if f.Op(control) == op.Loop {
		exit := u.onlyExit(control)
		return exit != 0 && u.number[control] != 0 && u.depends(f.Arg(exit, slices.Index(f.Results(control), v)), depth-1)
	}
	n := slices.Index(f.Results(control), v)
	b := f.BlockOf(control)
	for i, end := control, f.AfterRegions(control, b); i != end; i = f.After(i, b) {
		switch o := f.Op(i); {
		case o == op.If, o == op.Switch:
			if !u.depends(f.Arg(i, 0), depth-1) {
				return false
			}
		case o == op.Exit && f.Target(i) == control:
			if !u.depends(f.Arg(i, n), depth-1) {
				return false
			}
		case o.Is(op.Control) && o != op.Scope:
			return false
		}
	}
	return true
}

// isInductive reports whether a value is computed from induction variables alone, whether their
// loops will be unrolled or not.
func (u *unroller) isInductive(v ir.Value) bool {
	before := len(u.required)
	made := u.depends(v, maxIndexDepth)
	u.required = u.required[:before]
	return made
}

// becomesConstant reports whether a value is computed from induction variables of loops that will
// be unrolled, and so becomes constant.
func (u *unroller) becomesConstant(v ir.Value) bool {
	before := len(u.required)
	counted := u.depends(v, maxIndexDepth)
	for _, n := range u.required[before:] {
		counted = counted && u.loops[n].wanted
	}
	u.required = u.required[:before]
	return counted
}

// size returns how many instructions a block will have, with those of nested blocks. What is
// computed from induction variables becomes constant. Accesses to variables of the invocation's own
// become values, except for a few.
func (u *unroller) size(b ir.Block) int {
	f := u.f
	size := 0
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o.Is(op.Control):
			if u.weighs {
				size += controlSize(f, i)
			}
		case o.Is(op.Terminator):
			continue
		case o == op.Access && u.m.SpaceOf(f.Type(i)) == ir.Function:
			continue
		case (o == op.Load || o == op.Store) && u.m.SpaceOf(f.TypeOf(f.Arg(i, 0))) == ir.Function:
			continue
		case o >= op.TextureSize && o <= op.TextureGatherCompare:
			size += textureSize
			continue
		default:
			if !o.Pure() || !u.becomesConstant(f.Result(i)) {
				size++
			}
			continue
		}
		if size += u.sizeOf(i); size > 1<<24 {
			return 1 << 24
		}
	}
	return size
}

// sizeOf is size of what is in a control instruction.
func (u *unroller) sizeOf(control ir.Inst) int {
	f := u.f
	inside := 0
	for n := range f.Blocks(control) {
		inside += u.size(f.Region(control, n))
	}
	if n := u.number[control]; n > 0 && u.loops[n-1].wanted {
		inside *= u.loops[n-1].copyCount() + 1
	}
	return min(inside, 1<<24)
}
