package analysis

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Ranges finds which instructions need no guard, by the intervals of the i32 and u32 values of a
// function. One walk in the order of definitions suffices, for the IR is structured. While the walk
// is where a condition holds, what the condition tells of a value replaces the value's interval.
// Afterwards that is undone. So an interval is that of the value at the instruction the walk has
// come to. Loop parameters are the only values used before what defines them is seen; loops.go
// finds their intervals by induction.
//
// What is known at the start are the builtin values, by the workgroup's size.
type Ranges struct {
	f *ir.Func
	// current holds the intervals by slot. The slots are the local values, then
	// three for each parameter of the entry: the components of builtin vectors,
	// so that equal extracts share what is known.
	current []Interval
	// slots holds, for components of vectors and lengths of arrays, their slot; 0 means the
	// value's own.
	slots []uint32
	undo  []refinement
	// facts are the comparisons that hold, lengths the runtime-sized arrays (facts.go).
	facts     facts
	differing bool // difference is at work
	lengths   []arrayLength
	// wrapping are comparisons of sums that may wrap, wraps says that expand has found such a sum.
	wrapping []wrappingComparison
	wraps    bool
	equals   equals
	search   search
	parts    parts
	// residues holds, by local value, what was found out of the lowest bits of integers, with a
	// Count of one more. guessing says that those of a loop's parameters are not proved yet.
	residues []Residue
	guessing bool
	// claims holds, by instruction, what was proved: a bit for each index of an
	// access; bit 0 for a divisor, a shift amount, or an index that is in range.
	claims []uint32
	// exits has bit n set if region n of an if is left by an exit that names the if, so that what
	// is after it is reached from there. region is the one the walk is in.
	exits, region []uint8
	// lastExit is the last exit that names a control instruction, previousExit the one before.
	lastExit, previousExit []ir.Inst
	continued              Continued
	// Arithmetic enables claims about sums and products: that they do not wrap.
	Arithmetic bool
	// Decisions enables claims about what has one result only (decisions.go).
	Decisions bool
	// Indices enables claims that indices are less than the lengths of runtime-sized arrays
	// (prove.go).
	Indices bool
	// Unproved enables recording what is known of the indices that are not proved to be in range
	// (unproved.go).
	Unproved bool
	unproved []UnprovedIndex
	// parted counts the parts of the condition in hand.
	parted int
	// cycle is that of the loop parameter whose interval is being found.
	cycle cycle
}

type refinement struct {
	slot    uint32
	current Interval
}

// note records what forget undoes, and drops what depends on it. A proof undoes itself what it
// notes.
func (a *Ranges) note(r refinement) {
	a.undo = append(a.undo, r)
	if a.search.nested == 0 {
		a.search.failures, a.search.reachable.known = 0, false
	}
}

// Proves reports whether the n-th claim about an instruction holds. It is false
// for instructions made after the analysis, and for a nil receiver.
func (a *Ranges) Proves(i ir.Inst, n int) bool {
	return a != nil && int(i) < len(a.claims) && n < 32 && a.claims[i]>>n&1 == 1
}

// Analyse walks a function. The claims hold until it is called again.
func (a *Ranges) Analyse(f *ir.Func) {
	a.f = f
	params := f.Params(f.Entry)
	slots := f.ValueCount() + 3*len(params)
	a.current = ir.Zeroed(a.current, slots)
	a.slots, a.residues = ir.Zeroed(a.slots, f.ValueCount()), ir.Zeroed(a.residues, f.ValueCount())
	a.claims = ir.Zeroed(a.claims, f.InstCount())
	a.exits, a.region = ir.Zeroed(a.exits, f.InstCount()), ir.Zeroed(a.region, f.InstCount())
	a.lastExit, a.previousExit = ir.Zeroed(a.lastExit, f.InstCount()), ir.Zeroed(a.previousExit, f.InstCount())
	a.continued.Enter(f)
	a.undo, a.unproved, a.lengths, a.wrapping = a.undo[:0], a.unproved[:0], a.lengths[:0], a.wrapping[:0]
	a.facts.reset(slots)
	a.search.wasted, a.search.failures, a.search.reachable.known = 0, 0, false
	a.resetParts()
	if a.Indices {
		a.equals.reset(f)
	}
	if f.Kernel {
		for n, p := range params {
			a.builtin(n, p)
		}
	}
	a.block(f.Entry)
}

// maxSubgroup is a limit of WGSL: a subgroup has 4 to 128 invocations (WGSL §13.3.1.1).
const maxSubgroup = 128

// builtin sets the intervals of a kernel's parameter.
func (a *Ranges) builtin(n int, p ir.Value) {
	var size [3]int64
	for c, w := range a.f.Workgroup {
		x, ok := a.f.Module.ConstUint(w)
		if !ok {
			return
		}
		size[c] = int64(x)
	}
	invocations := size[0] * size[1] * size[2]
	if a.f.IntPositions {
		a.positions(n, size)
	}
	switch a.f.Builtins[n] {
	case ir.LocalInvocationID:
		for c := range size {
			a.current[a.component(n, c)] = Interval{0, size[c]}
		}
	case ir.NumWorkgroups:
		for c := range size {
			if s := a.component(n, c); a.current[s].Empty() {
				a.current[s] = Interval{1, Full(ir.U32).End}
			}
		}
	case ir.LocalInvocationIndex, ir.SubgroupID:
		a.current[p] = Interval{0, invocations}
	case ir.SubgroupInvocationID:
		a.current[p] = Interval{0, min(invocations, maxSubgroup)}
	case ir.SubgroupSize:
		a.current[p] = Interval{1, maxSubgroup + 1}
		if s, ok := a.f.Module.ConstUint(a.f.SubgroupSize); ok {
			a.current[p] = Interval{int64(s), int64(s) + 1}
		}
	case ir.NumSubgroups:
		a.current[p] = Interval{1, invocations + 1}
	}
}

// positions sets the intervals of the builtins that say where an invocation is. A launch of the
// source's kernel has fewer than 2^31 invocations in each dimension. For a coarse kernel that is
// divided by Coarse and rounded up to a workgroup.
func (a *Ranges) positions(n int, size [3]int64) {
	const end = 1<<31 - 1 // of positions: the number of invocations has to be a signed one, too
	for c := range size {
		var r Interval
		groups, end := end/max(size[c], 1), int64(end)
		if factor := int64(a.f.Coarse[c]); factor > 1 {
			groups = groups/factor + 1
			end = groups * size[c]
		}
		switch a.f.Builtins[n] {
		case ir.GlobalInvocationID:
			r = Interval{0, end}
		case ir.WorkgroupID:
			r = Interval{0, groups}
		case ir.NumWorkgroups:
			r = Interval{1, groups + 1}
		default:
			return
		}
		a.current[a.component(n, c)] = r
	}
}

// component returns the slot of a component of the entry's n-th parameter.
func (a *Ranges) component(n, c int) uint32 { return uint32(a.f.ValueCount() + 3*n + c) }

// slot returns where the interval of a local value is kept.
func (a *Ranges) slot(v ir.Value) uint32 {
	if s := a.slots[v.Index()]; s != 0 {
		return s
	}
	return v.Index()
}

// Of returns the interval of a value here: empty for types that are not followed.
func (a *Ranges) Of(v ir.Value) Interval {
	t := a.f.TypeOf(v)
	all := domain(t)
	if all.Empty() {
		return all
	}
	if v.IsLocal() {
		if r := a.current[a.slot(v)]; !r.Empty() {
			return r
		}
		return all
	}
	if v.IsConst() {
		return Constant(a.f.Module, t, v)
	}
	return all
}

// Constant returns the interval of a constant.
func Constant(m *ir.Module, t ir.Type, v ir.Value) Interval {
	x := int64(m.ConstBits(v))
	switch {
	case t == ir.I32:
		x = int64(int32(x))
	case t == ir.U64 && x < 0 || x == math.MaxInt64:
		return Interval{far, math.MaxInt64}
	}
	return normal(t, single(x))
}

// sharpen returns the interval of a value by what is known of its operands
// here, which may be more than when it was defined.
func (a *Ranges) sharpen(v ir.Value, depth int) Interval {
	known := a.Of(v)
	if depth == 0 || known.Empty() {
		return known
	}
	i, ok := a.f.Def(v)
	if !ok || a.f.Op(i).Is(op.Control) {
		return known
	}
	return known.meet(a.result(i, depth-1))
}

// sharpenDepth bounds how far sharpen looks: an index is rarely deeper, and the
// work may double with each level.
const sharpenDepth = 4

// result returns the interval of an instruction's i32 or u32 result.
func (a *Ranges) result(i ir.Inst, depth int) Interval {
	f := a.f
	t := f.Type(i)
	all := domain(t)
	args := f.Args(i)
	switch o := f.Op(i); o {
	case op.Convert, op.Bitcast:
		from := f.TypeOf(args[0])
		if from == ir.Bool || !domain(from).Empty() {
			return converted(t, from, a.sharpen(args[0], depth))
		}
		if o == op.Convert && f.Module.IsScalar(from) && f.Module.ScalarOf(from).IsNarrow() {
			return converted(t, from, narrowed[from])
		}
	case op.Extract:
		if c, ok := f.Module.ConstIndex(f.TypeOf(args[0]), args[1]); ok && f.Module.IsVector(f.TypeOf(args[0])) {
			return a.componentOf(args[0], int(c), vectorDepth)
		}
	default:
		if transfers[o] == nil {
			break
		}
		var x [3]Interval
		for n := range min(len(args), len(x)) {
			x[n] = a.sharpen(args[n], depth)
			if x[n].Empty() && o != op.Select {
				return all
			}
		}
		if is64(t) {
			return transfer64(o, all, x).orWrapped(all).rounded()
		}
		return a.transfer(o, all, args, x).orWrapped(all)
	}
	return all
}

// transfer returns where the result of an operation on numbers of 32 bits lies, which may exceed
// the type (transfers).
func (a *Ranges) transfer(o op.Op, all Interval, args []ir.Value, x [3]Interval) Interval {
	v := transfers[o](all, x)
	if o == op.Sub {
		if least, ok := a.difference(args[0], args[1]); ok {
			v = v.meet(Interval{least, math.MaxInt64})
		}
	}
	return v
}

// vectorDepth bounds how far a component is followed through vector operations,
// whose intervals are not kept.
const vectorDepth = 4

// componentOf returns the interval of component c of a vector.
func (a *Ranges) componentOf(v ir.Value, c, depth int) Interval {
	f := a.f
	t := f.Module.Element(f.TypeOf(v))
	all := Full(t)
	if all.Empty() || depth == 0 {
		return all
	}
	if v.IsConst() {
		return Constant(f.Module, t, f.Module.ConstPart(v, uint32(c)))
	}
	i, ok := f.Def(v)
	if !ok {
		if n := a.paramIndex(v); n >= 0 {
			if r := a.current[a.component(n, c)]; !r.Empty() {
				return r
			}
		}
		return all
	}
	args := f.Args(i)
	switch o := f.Op(i); o {
	case op.Construct:
		return a.Of(args[c])
	case op.Splat:
		return a.Of(args[0])
	case op.Shuffle:
		return a.componentOf(args[0], int(op.SwizzleComponent(f.Aux(i), c)), depth-1)
	case op.Convert:
		if from := f.Module.Element(f.TypeOf(args[0])); !Full(from).Empty() {
			return converted(t, from, a.componentOf(args[0], c, depth-1))
		}
	default:
		transfer := transfers[o]
		if transfer == nil || !op.SignatureOf(o).Elementwise() {
			break
		}
		var x [3]Interval
		for n, arg := range args[:min(len(args), len(x))] {
			if f.Module.IsVector(f.TypeOf(arg)) {
				x[n] = a.componentOf(arg, c, depth-1)
			} else {
				x[n] = a.Of(arg)
			}
			if x[n].Empty() {
				return all
			}
		}
		return transfer(all, x).orWrapped(all)
	}
	return all
}

// paramIndex returns which parameter of the kernel a value is, or -1.
func (a *Ranges) paramIndex(v ir.Value) int {
	if a.f.Kernel && v.IsLocal() {
		for n, p := range a.f.Params(a.f.Entry) {
			if p == v {
				return n
			}
		}
	}
	return -1
}

func (a *Ranges) block(b ir.Block) {
	f := a.f
	mark := len(a.undo)
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		switch {
		case o.Is(op.Control):
			a.control(i, o)
		case o.Is(op.Terminator):
			a.leave(i, o)
		default:
			a.claim(i, o)
			if a.Decisions {
				a.decide(i, o)
			}
			if r := f.Result(i); r != 0 && !domain(f.Type(i)).Empty() {
				a.define(i, o, r)
			}
			if a.Indices && repeatable.Has(o) {
				a.equate(i, o, f.Result(i))
			}
		}
	}
	a.forget(mark)
}

// define notes the interval of a result.
func (a *Ranges) define(i ir.Inst, o op.Op, r ir.Value) {
	switch o {
	case op.Extract:
		if s := a.extracted(i); s != 0 {
			a.slots[r.Index()] = s
			return
		}
	case op.Load:
		if s := a.loaded(i); s != 0 {
			a.slots[r.Index()] = s
			return
		}
	case op.ArrayLength:
		a.slots[r.Index()] = a.lengthSlot(i, r)
		return
	}
	a.current[r.Index()] = a.result(i, 0)
	if o == op.Select && a.Indices {
		a.current[r.Index()] = a.current[r.Index()].meet(a.chosen(i))
	}
}

// chosen returns where the result of a select lies. Each of its values is only chosen where the
// condition says so: in select(0, n - 3, n > 3) the difference does not wrap.
func (a *Ranges) chosen(i ir.Inst) (v Interval) {
	f := a.f
	for n := range 2 {
		mark := len(a.undo)
		a.assumeCondition(f.Arg(i, 0), n == 0)
		v = v.join(a.sharpen(f.Arg(i, 1+n), 2))
		a.forget(mark)
	}
	return v
}

// forget undoes what conditions told since the mark.
func (a *Ranges) forget(mark int) {
	for n := len(a.undo) - 1; n >= mark; n-- {
		u := a.undo[n]
		switch u.slot {
		case factMark:
			a.facts.drop()
		case wrappingMark:
			a.forgetWrapping(int(u.current.Low))
		default:
			a.current[u.slot] = u.current
		}
	}
	a.undo = a.undo[:mark]
	for n := range a.wrapping {
		a.wrapping[n].seen = min(a.wrapping[n].seen, mark)
	}
}

func (a *Ranges) control(i ir.Inst, o op.Op) {
	f := a.f
	for _, r := range f.Results(i) {
		a.current[r.Index()] = Interval{}
	}
	if o == op.Loop {
		a.enterLoop(i)
	}
	for n := range f.Blocks(i) {
		a.region[i] = uint8(min(n, 7))
		mark := len(a.undo)
		if o == op.If {
			a.assumeCondition(f.Arg(i, 0), n == 0)
			a.noteUnwrapped()
		}
		a.block(f.Region(i, n))
		a.forget(mark)
	}
	switch o {
	case op.If, op.Scope:
		a.assumeLeft(i)
		a.noteUnwrapped()
	case op.Loop:
		if a.Indices {
			a.noteResults(i)
		}
	}
}

// leave joins what a terminator passes into the results and parameters it
// passes it to.
func (a *Ranges) leave(i ir.Inst, o op.Op) {
	f := a.f
	switch o {
	case op.Exit:
		target := f.Target(i)
		a.exits[target] |= 1 << a.region[target]
		a.previousExit[i], a.lastExit[target] = a.lastExit[target], i
		a.pass(f.Args(i), f.Results(target))
	case op.Continue:
		a.pass(f.Args(i), f.Params(f.Region(f.Target(i), 1)))
	case op.Next:
		if _, condition, results := f.NextArgs(i); condition != 0 {
			a.pass(results, f.Results(f.Target(i)))
		}
	}
}

func (a *Ranges) pass(values, targets []ir.Value) {
	for n, p := range targets {
		if v := a.Of(values[n]); !v.Empty() {
			a.current[p.Index()] = a.current[p.Index()].join(v)
		}
	}
}

// claim notes what the intervals prove of an instruction.
func (a *Ranges) claim(i ir.Inst, o op.Op) {
	f := a.f
	switch o {
	case op.Access:
		a.claimAccess(i)
	case op.Add, op.Sub, op.Mul, op.Neg:
		a.claimUnwrapped(i, o)
	case op.FragmentLoad, op.FragmentStore:
		a.claimFragment(i)
	case op.Extract, op.Insert:
		args := f.Args(i)
		index := args[len(args)-1]
		if n, ok := f.Module.Count(f.TypeOf(args[0])); ok && a.isBelow(index, n) {
			a.claims[i] = 1
		}
	case op.Div, op.Rem:
		x, y := a.Of(f.Arg(i, 0)), a.sharpen(f.Arg(i, 1), sharpenDepth)
		if !y.Empty() && !y.contains(0) && (!domain(f.Type(i)).isSigned() || !y.contains(-1) || !x.contains(domain(f.Type(i)).Low)) {
			a.claims[i] = 1
		}
	case op.Shl, op.Shr:
		amount := a.sharpen(f.Arg(i, 1), sharpenDepth)
		if width := f.Module.ScalarOf(f.Type(i)).Bits(); !amount.Empty() && amount.Within(Interval{0, int64(width)}) {
			a.claims[i] = 1
			a.claimUnwrapped(i, o)
		}
	}
}

// claimUnwrapped makes claim 1 of integer arithmetic, if Arithmetic is set: the result is that of
// the numbers.
func (a *Ranges) claimUnwrapped(i ir.Inst, o op.Op) {
	if !a.Arithmetic {
		return
	}
	switch o {
	case op.Add, op.Sub, op.Mul, op.Neg, op.Shl:
		if a.isUnwrapped(i, o) {
			a.claims[i] |= 1 << 1
		}
	}
}

// isUnwrapped reports whether intervals prove that the result of integer arithmetic is that of
// the numbers.
func (a *Ranges) isUnwrapped(i ir.Inst, o op.Op) bool {
	all := domain(a.f.Type(i))
	if all.Empty() {
		return false
	}
	var x [3]Interval
	for n, v := range a.f.Args(i) {
		x[n] = a.sharpen(v, 1)
	}
	v := Interval{}
	if is64(a.f.Type(i)) {
		v = transfer64(o, all, x)
	} else {
		v = a.transfer(o, all, a.f.Args(i), x)
	}
	return !v.Empty() && v != all && v.Within(all)
}

func (a *Ranges) isBelow(index ir.Value, n uint32) bool {
	r := a.Of(index)
	if !r.Empty() && !r.Within(Interval{0, int64(n)}) {
		r = a.sharpen(index, sharpenDepth)
	}
	return r.Within(Interval{0, int64(n)})
}

// claimAccess sets a bit for each index that is in range. The only index of a
// runtime-sized array that needs no knowledge is 0: WebGPU binds no buffer that
// is too small for one element.
func (a *Ranges) claimAccess(i ir.Inst) {
	f := a.f
	m := f.Module
	args := f.Args(i)
	t := m.Element(f.TypeOf(args[0]))
	for n, index := range args[1:] {
		safe := false
		if count, ok := m.Count(t); ok {
			safe = m.KindOf(t) == ir.StructType || a.isBelow(index, count)
		} else {
			safe = a.isBelow(index, 1) || a.Indices && f.Flags(i)&ir.InBounds == 0 && a.isIndex(index, a.ArrayOf(args[0], args[1:1+n]))
		}
		if safe && n < 32 {
			a.claims[i] |= 1 << n
		} else if a.Unproved && f.Flags(i)&ir.InBounds == 0 {
			a.unproved = append(a.unproved, UnprovedIndex{i, n, a.sharpen(index, sharpenDepth), a.arraysAbove(index)})
		}
		x, _ := m.ConstUint(index)
		t = m.PartType(t, uint32(x))
	}
}
