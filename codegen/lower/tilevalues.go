package lower

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file gives the tiles of a kernel their arrays. It is a translation out of SSA form with
// coalescing (Sreedhar et al., "Translating Out of Static Single Assignment Form", 1999).
//
// Values that are passed to each other share an array if their lifetimes do not overlap. Such are
// the parameter of a loop and what the next iteration gets, or a product and what it is added to.
// Lifetimes are intervals of the text. A value from outside of a loop lives until the loop's end.

// tileValues are the arrays of a function's tiles.
type tileValues struct {
	m *ir.Module
	f *ir.Func
	// direct are the loads that go to workgroup memory without an array.
	direct []bool
	// position numbers instructions by two in the order of the text, and behind has, by control
	// instruction, the number after what is in it.
	position, behind []int32
	// live says by local value that an operation uses the tile, be it after it has been passed on.
	live []bool
	// lifetimes are by local value; start is 0 for values that are no tiles.
	lifetimes []lifetime
	// leader is, by local value, the value whose array it shares, and members are the lifetimes of
	// those that share that of a leader.
	leader  []ir.Value
	members [][]lifetime
	// arrays are those of leaders.
	arrays []ir.Value
	// native says by local value that the tile is held as fragments (tilefragments.go).
	native []bool
}

// lifetime is from a definition to the last use.
type lifetime struct{ start, end int32 }

func (l lifetime) overlaps(k lifetime) bool { return l.start <= k.end && k.start <= l.end }

// findValues computes the lifetimes of a function's tiles, and chooses which share an array.
func (t *tileValues) findValues(isDirect func(load ir.Inst) bool) {
	f := t.f
	t.direct = make([]bool, f.InstCount())
	t.position, t.behind = make([]int32, f.InstCount()), make([]int32, f.InstCount())
	t.lifetimes = make([]lifetime, f.ValueCount())
	t.leader, t.members = make([]ir.Value, f.ValueCount()), make([][]lifetime, f.ValueCount())
	t.arrays = make([]ir.Value, f.ValueCount())
	t.findLive()
	n := int32(2)
	t.number(f.Entry, &n)
	t.define(f.Entry)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		t.direct[i] = ir.IsTileLoad(f.Op(i)) && isDirect(i)
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i).Is(op.Control | op.Terminator) {
			for _, p := range t.allPassed(i) {
				t.use(i, 0, p.from)
			}
			continue
		}
		for n, v := range f.Args(i) {
			t.use(i, n, v)
		}
	}
	for v := range t.lifetimes {
		t.leader[v], t.members[v] = ir.Value(v), []lifetime{t.lifetimes[v]}
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		switch o := f.Op(i); {
		case o == op.TileMulAdd:
			t.join(f.Result(i), f.Arg(i, 2))
		case o == op.TileSet:
			t.join(f.Result(i), f.Arg(i, 0))
		case o.Is(op.Control | op.Terminator):
			for _, p := range t.allPassed(i) {
				t.join(p.to, p.from)
			}
		}
	}
}

// findLive finds the tiles that operations use. Front ends also pass on tiles that nothing uses.
func (t *tileValues) findLive() {
	f := t.f
	t.live = make([]bool, f.ValueCount())
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if !f.Op(i).Is(op.Control | op.Terminator) {
			for _, v := range f.Args(i) {
				if v.IsLocal() {
					t.live[v.Index()] = true
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if !f.Op(i).Is(op.Control | op.Terminator) {
				continue
			}
			for _, p := range t.allPassed(i) {
				if p.from.IsLocal() && !t.live[p.from.Index()] {
					t.live[p.from.Index()], changed = true, true
				}
			}
		}
	}
}

// number numbers the instructions of a block and of those in it.
func (t *tileValues) number(b ir.Block, n *int32) {
	f := t.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		t.position[i] = *n
		*n += 2
		if f.Op(i).Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				t.number(ir.Block(inner), n)
			}
			t.behind[i] = *n
			*n += 2
		}
	}
}

// define sets where the tiles begin that a block and those in it define. They begin after the uses
// of the instruction that defines them.
func (t *tileValues) define(b ir.Block) {
	f := t.f
	start := func(v ir.Value, at int32) {
		if t.m.IsTile(f.TypeOf(v)) {
			t.lifetimes[v.Index()] = lifetime{at + 1, at + 1}
		}
	}
	for i := f.First(b); i != 0; i = f.Next(i) {
		if !f.Op(i).Is(op.Control) {
			if r := f.Result(i); r != ir.NoValue {
				start(r, t.position[i])
			}
			continue
		}
		for _, r := range f.Results(i) {
			start(r, t.behind[i])
		}
		for _, inner := range f.Blocks(i) {
			b := ir.Block(inner)
			for _, p := range f.Params(b) {
				start(p, t.position[f.First(b)]-2)
			}
			t.define(b)
		}
	}
}

// use extends the lifetime of operand n of an instruction.
func (t *tileValues) use(i ir.Inst, n int, v ir.Value) {
	f := t.f
	if !v.IsLocal() || !t.m.IsTile(f.TypeOf(v)) {
		return
	}
	l := &t.lifetimes[v.Index()]
	end := t.position[i]
	if o := f.Op(i); o == op.TileMulAdd && n < 2 || o == op.TileReduce || o == op.TileBroadcast || o == op.TileTranspose || o == op.Select {
		end += 2 // it is still read when the result is being written
	}
	// in the next iteration of the loops that it is not defined in
	defined := f.DefBlock(v)
	for b := f.BlockOf(i); b != defined && b != f.Entry; {
		around := f.Parent(b)
		if f.Op(around) == op.Loop && !t.sees(around, defined) {
			end = max(end, t.behind[around])
		}
		b = f.BlockOf(around)
	}
	l.end = max(l.end, end)
}

// sees reports whether a block is one of a loop's, whose values are new in each iteration.
func (t *tileValues) sees(loop ir.Inst, b ir.Block) bool {
	return slices.Contains(t.f.Blocks(loop), uint32(b))
}

// join makes two values share an array if they can.
func (t *tileValues) join(a, b ir.Value) {
	if !b.IsLocal() || t.f.TypeOf(a) != t.f.TypeOf(b) {
		return
	}
	first, second := t.find(a), t.find(b)
	if first == second || t.isDirectValue(a) || t.isDirectValue(b) || t.isNative(a) != t.isNative(b) {
		return
	}
	for _, x := range t.members[first.Index()] {
		if slices.ContainsFunc(t.members[second.Index()], x.overlaps) {
			return
		}
	}
	t.leader[second.Index()] = first
	t.members[first.Index()] = append(t.members[first.Index()], t.members[second.Index()]...)
}

func (t *tileValues) find(v ir.Value) ir.Value {
	for t.leader[v.Index()] != ir.Value(v.Index()) {
		v = t.leader[v.Index()]
	}
	return ir.Value(v.Index())
}

func (t *tileValues) isDirectValue(v ir.Value) bool {
	i, ok := t.f.Def(v)
	return ok && int(i) < len(t.direct) && t.direct[i]
}

// isDirect reports whether a load can be made where its tile is multiplied. Then all uses are
// operands of products in its block, and no memory that others see is written before them.
func (t *tileValues) isDirect(load ir.Inst) bool {
	f := t.f
	v := f.Result(load)
	uses := 0
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n, a := range f.Args(i) {
			if a != v {
				continue
			}
			if f.Op(i) != op.TileMulAdd || n > 1 || f.BlockOf(i) != f.BlockOf(load) {
				return false
			}
			uses++
		}
	}
	for i := f.Next(load); i != 0 && uses > 0; i = f.Next(i) {
		for _, a := range f.Args(i) {
			if a == v {
				uses--
			}
		}
		if uses > 0 && f.Op(i).Writes() && !(ir.IsTileLoad(f.Op(i)) && f.Aux(i) == 0) || f.Op(i).Is(op.Control) {
			return uses == 0
		}
	}
	return true
}

// arrayType returns the type of a tile's array.
func (t *tileLowering) arrayType(x ir.Type) ir.Type {
	l := t.layout(x)
	held := t.m.HeldType(x)
	if k := t.m.ScalarOf(held); t.inLanes && k.Bytes() < 4 {
		held = ir.Type(scratchKind(k)) // vectors have no smaller elements
	}
	return t.m.ArrayOf(held, t.u32(l.count))
}

// arrayOf returns the type of a tile's array: of elements, or of fragments.
func (t *tileLowering) arrayOf(v ir.Value) ir.Type {
	x := t.f.TypeOf(v)
	if !t.isNative(v) {
		return t.arrayType(x)
	}
	return t.m.ArrayOf(t.grids[x].sums, t.u32(t.grids[x].count()))
}

// hasFragments reports whether an array is one of fragments.
func (t *tileLowering) hasFragments(array ir.Value) bool {
	return t.m.IsFragment(t.m.Element(t.m.Element(t.f.TypeOf(array))))
}

// eachElement builds what is done with each element of an array. Fragments have no index, so that
// there the loop is unrolled.
func (t *tileLowering) eachElement(array ir.Value, body func(e ir.Value)) {
	count, _ := t.m.Count(t.m.Element(t.f.TypeOf(array)))
	if !t.hasFragments(array) {
		t.count(int(count), body)
		return
	}
	for e := range int(count) {
		body(t.u32(e))
	}
}

// variable returns the array of a tile.
func (t *tileLowering) variable(v ir.Value) ir.Value {
	array := &t.arrays[t.find(v).Index()]
	if *array == ir.NoValue {
		*array = t.b.Var(t.arrayOf(v), "tile")
	}
	return *array
}

// operand returns the array of an operand: of a constant a new one.
func (t *tileLowering) operand(v ir.Value) ir.Value {
	if v.IsLocal() {
		return t.variable(v)
	}
	array := t.b.Var(t.arrayType(t.f.TypeOf(v)), "tile")
	t.move(array, v)
	return array
}

// choose lowers a select of tiles.
func (t *tileLowering) choose(i ir.Inst) {
	to := t.variable(t.f.Result(i))
	branch := t.b.If(t.f.Arg(i, 0))
	for n := range 2 {
		t.b.SetBlock(t.f.Region(branch, n))
		t.move(to, t.f.Arg(i, n+1))
		t.b.Exit(branch)
	}
}

// heldKind returns the kind in which invocations hold the elements of a tile.
func (t *tileLowering) heldKind(x ir.Value) scalar.Kind {
	k, _, _ := t.m.TileShape(t.f.TypeOf(x))
	return k.Held()
}

// kindOf returns the kind of an array's elements.
func (t *tileLowering) kindOf(array ir.Value) scalar.Kind {
	return t.m.ScalarOf(t.m.Element(t.m.Element(t.f.TypeOf(array))))
}

// get returns element e of a tile's array in the kind in which invocations hold it, and put stores
// one, which is computed after its address.
func (t *tileLowering) get(array, e ir.Value, k scalar.Kind) ir.Value {
	return t.b.Convert(k, t.b.Load(t.of(array, e)))
}

func (t *tileLowering) put(array, e ir.Value, x func() ir.Value) {
	at := t.of(array, e)
	t.b.Store(at, t.b.Convert(t.kindOf(array), x()))
}

// move copies a tile to an array, unless it is there.
func (t *tileLowering) move(to, v ir.Value) {
	if !v.IsLocal() { // zero
		zero := t.m.Zero(t.m.Element(t.m.Element(t.f.TypeOf(to))))
		t.eachElement(to, func(e ir.Value) { t.b.Store(t.of(to, e), zero) })
	} else if from := t.variable(v); from != to {
		t.copy(to, from)
	}
}

// copy copies an array to another.
func (t *tileLowering) copy(to, from ir.Value) {
	if t.tensor == nil && !t.hasFragments(to) {
		t.b.Emit(op.Copy, ir.Void, 0, to, from)
		return
	}
	t.eachElement(to, func(e ir.Value) { t.b.Store(t.of(to, e), t.b.Load(t.of(from, e))) })
}

// passing is a value that a parameter or a result gets.
type passing struct{ to, from ir.Value }

// eachPassed calls a function with each operand that an instruction passes.
func (t *tileValues) eachPassed(i ir.Inst, body func(n int, p passing)) {
	f := t.f
	pairs := func(first int, targets []ir.Value) {
		for n, to := range targets {
			if first+n < len(f.Args(i)) {
				body(first+n, passing{to, f.Arg(i, first+n)})
			}
		}
	}
	switch f.Op(i) {
	case op.Loop:
		pairs(0, f.Params(f.Region(i, 0)))
	case op.Exit:
		pairs(0, f.Results(f.Target(i)))
	case op.Continue:
		pairs(0, f.Params(f.Region(f.Target(i), 1)))
	case op.Next:
		params, _, results := f.NextArgs(i)
		pairs(0, f.Params(f.Region(f.Target(i), 0))[:len(params)])
		pairs(len(f.Args(i))-len(results), f.Results(f.Target(i)))
	}
}

// passed returns the tiles that an instruction passes and that are used, and those that it passes
// instead where it ends a loop that it would continue.
func (t *tileValues) passed(i ir.Inst) (onward, ending []passing) {
	f := t.f
	t.eachPassed(i, func(n int, p passing) {
		switch {
		case !t.live[p.to.Index()] || !t.m.IsTile(f.TypeOf(p.to)):
		case f.Op(i) == op.Next && n >= len(f.Params(f.Region(f.Target(i), 0))):
			ending = append(ending, p)
		default:
			onward = append(onward, p)
		}
	})
	return onward, ending
}

// allPassed returns both lists of passed.
func (t *tileValues) allPassed(i ir.Inst) []passing {
	onward, ending := t.passed(i)
	return slices.Concat(onward, ending)
}

// control passes tiles by copies instead of parameters and results.
func (t *tileLowering) control(i ir.Inst) {
	t.b.Flags = 0
	onward, ending := t.passed(i)
	if len(onward) == 0 || len(ending) == 0 {
		t.pass(slices.Concat(onward, ending))
		return
	}
	// either copies may overwrite what the others read
	_, ends, _ := t.f.NextArgs(i)
	branch := t.b.If(ends)
	for n, list := range [...][]passing{ending, onward} {
		t.b.SetBlock(t.f.Region(branch, n))
		t.pass(list)
		t.b.Exit(branch)
	}
}

// pass copies tiles, all at once as it were.
func (t *tileLowering) pass(list []passing) {
	// an array that is written before it is read for another goes by way of a new one
	for n := range list {
		from := list[n].from
		if !from.IsLocal() {
			continue
		}
		for _, earlier := range list[:n] {
			if t.find(earlier.to) == t.find(from) && t.find(earlier.to) != t.find(list[n].to) {
				kept := t.b.Var(t.arrayOf(from), "tile")
				t.copy(kept, t.variable(from))
				to := t.variable(list[n].to)
				defer func() { t.copy(to, kept) }()
				list[n].from = list[n].to
				break
			}
		}
	}
	for _, p := range list {
		t.move(t.variable(p.to), p.from)
	}
}

// withoutTiles removes the tiles from the parameters, results and operands of control.
func (t *tileLowering) withoutTiles() {
	f := t.f
	keep := func(list []ir.Value) (kept []ir.Value) {
		for _, v := range list {
			if !t.m.IsTile(f.TypeOf(v)) {
				kept = append(kept, v)
			}
		}
		return kept
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		if o.Is(op.Control) {
			for _, b := range f.Blocks(i) {
				f.SetParams(ir.Block(b), keep(f.Params(ir.Block(b))))
			}
			f.SetResults(i, keep(f.Results(i)))
		}
		if o.Is(op.Control | op.Terminator) {
			f.SetArgs(i, keep(f.Args(i))...)
		}
	}
}
