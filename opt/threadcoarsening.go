package opt

import (
	"cmp"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt/analysis"
)

// ThreadCoarsening has each invocation of a kernel do the work of several, its items, for launches
// with many (thread coarsening: Magni, Dubach and O'Boyle, SC 2013):
//
//	let i = id.x;                        let i0 = …; let i1 = …; let i2 = …; let i3 = …;
//	if i < arrayLength(&b) {             if i0 < n && i1 < n && i2 < n && i3 < n {
//	  b[i] = a[i];                  ─►     let v0 = a[i0]; … let v3 = a[i3];
//	}                                      b[i0] = v0; … b[i3] = v3;
//	                                     } else { for (j = 0; j < 4; j++) { the old kernel } }
//
// A device so keeps more loads in flight, computes once what the items have in common, and begins
// and ends fewer workgroups. Each workgroup does the work of several workgroups of the kernel along
// one axis (ir.Func.Coarse). Whoever launches divides the grid by it and rounds up
// (abi.Coarse). The kernel knows where the launch ends by the extent.
//
// The items of an invocation are not ordered with each other, as invocations are not: instructions
// of different items may be reordered, those of one item may not. So the kernel must not depend on
// which invocations are together: it has no barriers, workgroup memory, atomics, nor operations of
// subgroups.
//
// Control that is the same for all items is copied once, with all of their values. Other control is
// copied once for each item, as are all instructions whose results differ. Most kernels begin with
// a guard as above, which is the first if that items differ at. If all items execute the longer
// side of it, they execute it together, else one after the other.
var ThreadCoarsening = Pass{
	Name:  "thread-coarsening",
	Doc:   "thread coarsening: each invocation does the work of several",
	Needs: ir.Structured,
	Run: func(c *Context, m *ir.Module) {
		s := Scratch[coarsener](c, "thread-coarsening")
		s.checks = c.Bounds == BoundsRobust
		for _, f := range m.Funcs {
			if f.Kernel {
				s.run(m, f)
			}
		}
	},
}

const (
	// maxItems is the most that an invocation does.
	maxItems = 4
	// fewInstructions bounds the instructions that differ from item to item for maxItems, and
	// someInstructions for half as many. With more, registers run out before anything is gained.
	fewInstructions, someInstructions = 130, 200
	// busyLoop is how many loads in an iteration keep a device busy: more items only need
	// registers.
	busyLoop = 6
)

// coarsener makes kernels coarse.
type coarsener struct {
	copier
	m *ir.Module
	f *ir.Func
	b ir.Builder
	// axis is the axis along which the items of an invocation lie, and count their number. If
	// adjacent, item k+1 follows item k, else it is a workgroup's size after it.
	axis, count int
	adjacent    bool
	perItem     int // instructions that differ from item to item
	budget      unroller
	// depends says of values that they differ from item to item, and divergent of control flow that
	// items do not go through together.
	depends, divergent []bool
	changed            bool
	// guard is the choice that is made for all items at once, 0 if there is none, and joint the
	// block of it that they execute together.
	guard ir.Inst
	joint ir.Block
	// items are what values are in each item.
	items        [maxItems][]ir.Value
	serialValues []ir.Value // in the serial item, whose control instructions become serialInsts
	serialInsts  []ir.Inst
	wide         []ir.Value
	// kernel is the kernel's original body. global is the index of an invocation's first item along
	// the axis in the kernel's own launch, and last that of the last one. group is the first item's
	// workgroup, unless items are adjacent.
	kernel              ir.Block
	global, group, last ir.Value
	// extent is how many items there are along the axis: a member of words, or, where these are
	// NoValue, of the kernel's parameter.
	extent, words ir.Value
	member        int
	// checks says that accesses are checked. Those of inRange are tested at once, by tests. The
	// values of high are bounded by one test of their or, and so are those of factors.
	checks               bool
	bounds               bounder
	inRange              []ir.Inst
	tests, high, factors []ir.Value
	sizes                []ir.Value
	constants, made      []madeOp
	// rangeCheck is the if around everything, if there is no guard.
	rangeCheck ir.Inst
}

// run makes a kernel coarse if it can be and that is worth it; then its Coarse says how.
func (s *coarsener) run(m *ir.Module, f *ir.Func) {
	s.m, s.f = m, f
	s.b, s.bounds = ir.Builder{F: f, Folds: true}, bounder{f: f, form: s}
	if !s.isEligible() || !s.chooseAxis() {
		return
	}
	s.nest(f.Entry)
	s.guard, s.rangeCheck = 0, 0
	s.analyse()
	if !s.findGuard() {
		return
	}
	if s.guard != 0 {
		s.analyse()
		if s.divergent[s.guard] {
			return
		}
	}
	switch s.perItem = s.weight(); {
	case s.perItem == 0:
		return
	case s.perItem <= fewInstructions:
		s.count = maxItems
	case s.perItem <= someInstructions:
		s.count = maxItems / 2
	default:
		return
	}
	if s.limitToBudget(); s.count == 1 {
		return
	}
	f.Coarse = [3]uint32{1, 1, 1}
	f.Coarse[s.axis] = uint32(s.count)
	f.IntPositions = true
	s.rewrite()
}

// limitToBudget halves the items of an invocation until the kernel is within the budget of so many
// (growth.go): what they do together, and once more what one does alone.
func (s *coarsener) limitToBudget() {
	size := s.budget.present(s.m, s.f)
	for before := cmp.Or(s.f.Before, size); s.count > 1 && 2*size+(s.count-1)*s.perItem > growthBudget(s.m, s.count*before); {
		s.count /= 2
	}
}

// isEligible reports whether a kernel does nothing that depends on which invocations are together,
// and has no variables left, of which several items would need several.
func (s *coarsener) isEligible() bool {
	f, m := s.f, s.m
	if f.SubgroupSize != ir.NoValue || f.Coarse != [3]uint32{} {
		return false
	}
	s.words = m.WithRole(ir.ExtentWords)
	for n := range m.Globals {
		switch m.SpaceOf(m.Globals[n].Type) {
		case ir.Workgroup, ir.Private, ir.Handle:
			return false
		case ir.Immediate:
			// with halves they become words on some targets, which have no member for the extent
			if s.words == ir.NoValue && hasHalves(m, m.Element(m.Globals[n].Type)) {
				return false
			}
		}
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		if o == op.Var || o.Is(op.Anywhere|op.Barrier|op.Convergent|op.External) || o.Operand(0)&op.Atomic != 0 || o.Operand(1)&op.Atomic != 0 {
			return false
		}
	}
	return true
}

// hasHalves reports whether a type has f16 in it.
func hasHalves(m *ir.Module, t ir.Type) bool {
	switch m.KindOf(t) {
	case ir.ArrayType:
		return hasHalves(m, m.Element(t))
	case ir.StructType:
		return slices.ContainsFunc(m.Members(t), func(member ir.Member) bool { return hasHalves(m, member.Type) })
	}
	return m.ScalarOf(t) == scalar.F16
}

// chooseAxis chooses the axis by the builtin values that the kernel uses, and reports whether there
// is one. In two dimensions what one invocation reads lies between what its neighbours read: so
// rows are near, and columns stay with the invocations that lie side by side.
func (s *coarsener) chooseAxis() bool {
	f := s.f
	var has [ir.BuiltinCount]bool
	uses := f.CountUses(nil)
	for n, p := range f.Params(f.Entry) {
		has[f.Builtins[n]] = has[f.Builtins[n]] || uses[p.Index()] > 0
	}
	switch {
	case has[ir.LocalInvocationIndex] && f.Workgroup[1] != s.m.ConstU32(1):
		return false
	case has[ir.SubgroupInvocationID], has[ir.SubgroupSize], has[ir.SubgroupID], has[ir.NumSubgroups], has[ir.GlobalInvocationIndex],
		has[ir.WorkgroupIndex], has[ir.LaunchExtent]:
		return false
	}
	s.axis, s.adjacent = 0, false
	if f.Workgroup[1] != s.m.ConstU32(1) {
		s.axis, s.adjacent = 1, true
	}
	switch {
	case s.adjacent && (has[ir.LocalInvocationID] || has[ir.WorkgroupID]), f.Workgroup[2] != s.m.ConstU32(1):
		return false
	case s.words == ir.NoValue:
		return true
	}
	s.member = s.m.ExtentMembers(s.words)[s.axis]
	return s.member >= 0
}

// nest moves what follows an if of which one side returns into the other side, in a block and those
// at its end, so that nothing follows:
//
//	if c { return } else { exit }    ─►    if c { exit } else { …; exit }
//	…                                      return
func (s *coarsener) nest(b ir.Block) {
	f := s.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		if f.Op(i) != op.If {
			continue
		}
		if next := f.Next(i); f.Op(next) != op.Return {
			other, ok := s.otherWay(i)
			if !ok {
				continue
			}
			last := f.Last(other)
			for n, r := range f.Results(i) {
				f.Replace(r, f.Arg(last, n))
			}
			f.ApplyReplacements()
			f.SetResults(i, nil)
			f.Remove(last)
			for next != 0 {
				after := f.Next(next)
				f.Unlink(next)
				f.Append(other, next)
				next = after
			}
			s.b.SetBlock(b)
			s.b.Return(ir.NoValue)
			s.nest(other)
		}
		if len(f.Results(i)) == 0 {
			s.leave(i)
		}
		return
	}
}

// otherWay returns the block of an if whose end is the only exit of the if, as the other block
// returns.
func (s *coarsener) otherWay(i ir.Inst) (other ir.Block, ok bool) {
	f := s.f
	for n := range 2 {
		other = f.Region(i, n)
		last := f.Last(other)
		if last == 0 || f.Op(last) != op.Exit || f.Target(last) != i {
			continue
		}
		exits := 0
		for _, b := range f.Blocks(i) {
			for x := f.First(ir.Block(b)); x != 0; x = f.After(x, ir.Block(b)) {
				if f.Op(x) == op.Exit && f.Target(x) == i {
					exits++
				}
			}
		}
		if exits == 1 {
			return other, true
		}
	}
	return 0, false
}

// leave makes returns inside of a control instruction, after which there is but a return, exits of
// it.
func (s *coarsener) leave(i ir.Inst) {
	f := s.f
	for _, b := range f.Blocks(i) {
		for x := f.First(ir.Block(b)); x != 0; {
			next := f.After(x, ir.Block(b))
			if f.Op(x) == op.Return {
				f.InsertBefore(x, f.NewInst(op.Exit, ir.Void, uint32(i), f.SpanOf(x)))
				f.Remove(x)
			}
			x = next
		}
	}
}

// analyse finds what depends on the item.
func (s *coarsener) analyse() {
	f := s.f
	s.depends, s.divergent = ir.Zeroed(s.depends, f.ValueCount()), ir.Zeroed(s.divergent, f.InstCount())
	for n, p := range f.Params(f.Entry) {
		switch f.Builtins[n] {
		case ir.GlobalInvocationID, ir.WorkgroupID:
			s.depends[p] = true
		}
	}
	for s.changed = true; s.changed; {
		s.changed = false
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			s.visit(i)
		}
	}
}

func (s *coarsener) set(flag *bool) { s.changed, *flag = s.changed || !*flag, true }

// differs reports whether a value depends on the item.
func (s *coarsener) differs(v ir.Value) bool { return v.IsLocal() && s.depends[v] }

func (s *coarsener) pass(targets, values []ir.Value) {
	for n, p := range targets {
		if s.differs(values[n]) {
			s.set(&s.depends[p])
		}
	}
}

// visit looks at one instruction.
func (s *coarsener) visit(i ir.Inst) {
	f := s.f
	switch o := f.Op(i); {
	case o == op.If, o == op.Switch:
		if i != s.guard && s.differs(f.Arg(i, 0)) {
			s.set(&s.divergent[i])
		}
	case o == op.Loop:
		s.pass(f.Params(f.Region(i, 0)), f.Args(i))
	case o == op.Exit:
		s.pass(f.Results(f.Target(i)), f.Args(i))
	case o == op.Continue:
		s.pass(f.Params(f.Region(f.Target(i), 1)), f.Args(i))
	case o == op.Next:
		params, condition, results := f.NextArgs(i)
		s.pass(f.Params(f.Region(f.Target(i), 0)), params)
		if condition != ir.NoValue {
			s.pass(f.Results(f.Target(i)), results)
			if s.differs(condition) {
				s.set(&s.divergent[f.Target(i)])
			}
		}
	case o.Is(op.Terminator | op.Control):
	default:
		if r := f.Result(i); r != ir.NoValue && s.resultDiffers(i) {
			s.set(&s.depends[r])
		}
	}
	switch o := f.Op(i); {
	case o.Is(op.Control) && s.divergent[i]:
		for _, r := range f.Results(i) {
			s.set(&s.depends[r])
		}
	case o == op.Exit, o == op.Continue, o == op.Next, o == op.Return:
		s.escape(i)
	}
}

// escape parts the target of a jump out of control that is parted: items come there at different
// times. In the block of the guard that items execute one after the other nothing is parted.
func (s *coarsener) escape(jump ir.Inst) {
	f := s.f
	target := ir.Inst(0)
	if f.Op(jump) != op.Return {
		target = f.Target(jump)
	}
	divergent := false
	for b := f.BlockOf(jump); ; b = f.BlockOf(f.Parent(b)) {
		at := f.Parent(b)
		switch {
		case at == s.guard && s.guard != 0 && b != s.joint:
			return
		case at == target:
			if divergent && at != 0 {
				s.set(&s.divergent[at])
			}
			return
		}
		divergent = divergent || s.divergent[at]
	}
}

// resultDiffers reports whether an instruction gives items different values.
func (s *coarsener) resultDiffers(i ir.Inst) bool {
	f := s.f
	switch o := f.Op(i); {
	case s.inDivergent(i):
		return true
	case o == op.Extract:
		if n := s.position(f.Arg(i, 0)); n == ir.GlobalInvocationID || n == ir.WorkgroupID {
			c, ok := s.m.ConstUint(f.Arg(i, 1))
			return !ok || c == uint64(s.axis)
		}
	case o == op.Load:
		if !analysis.ReadOnly(s.m, f.TypeOf(f.Arg(i, 0))) {
			return true
		}
	}
	for _, a := range f.Args(i) {
		if s.differs(a) {
			return true
		}
	}
	return false
}

// position returns which builtin value a value is, if any.
func (s *coarsener) position(v ir.Value) ir.Builtin {
	if n := slices.Index(s.f.Params(s.f.Entry), v); n >= 0 {
		return s.f.Builtins[n]
	}
	return ir.NoBuiltin
}

// inDivergent reports whether an instruction is in control that items go through one after the
// other.
func (s *coarsener) inDivergent(i ir.Inst) bool {
	for at := s.f.Parent(s.f.BlockOf(i)); at != 0; at = s.f.Parent(s.f.BlockOf(at)) {
		if s.divergent[at] {
			return true
		}
	}
	return false
}

// findGuard looks for the guard: the first if that items part at, if before it nothing is written,
// and nothing is done after. It reports whether the kernel can be coarse.
func (s *coarsener) findGuard() bool {
	f := s.f
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Return && f.BlockOf(i) != f.Entry {
			return false
		}
	}
	for b := f.Entry; ; {
		i := f.First(b)
		for ; i != 0 && !f.Op(i).Is(op.Control); i = f.Next(i) {
			// items that do not lie in the launch must not read
			if r := f.Result(i); f.Op(i).Writes() || f.Op(i).Reads() && s.depends[r] {
				return true
			}
		}
		if i == 0 || f.Op(i) != op.If || len(f.Results(i)) > 0 || !s.isLast(i) {
			return true
		}
		longer := f.Region(i, 0)
		if s.instructions(f.Region(i, 1)) > s.instructions(longer) {
			longer = f.Region(i, 1)
		}
		if s.divergent[i] {
			s.guard, s.joint = i, longer
			return true
		}
		b = longer
	}
}

// isLast reports whether nothing is done after an instruction of the entry, or of an if that is
// last.
func (s *coarsener) isLast(i ir.Inst) bool {
	f := s.f
	switch next := f.Next(i); f.Op(next) {
	case op.Return:
		return true
	case op.Exit:
		return f.Target(next) == f.Parent(f.BlockOf(i))
	}
	return false
}

func (s *coarsener) instructions(b ir.Block) int {
	n := 0
	for i := s.f.First(b); i != 0; i = s.f.After(i, b) {
		n++
	}
	return n
}

// weight counts the instructions that each item has for itself in what is executed together. It is
// 0 if there is nothing to gain: loops that items execute one after the other need as much time
// together as in different invocations.
func (s *coarsener) weight() int {
	f := s.f
	n := 0
	memory := false
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		o := f.Op(i)
		if o == op.Loop && !s.isSerial(i) && (s.divergent[i] || s.loads(i) > busyLoop) {
			return 0
		}
		if o.Is(op.Terminator) || s.isSerial(i) {
			continue
		}
		if r := f.Result(i); r == ir.NoValue && !o.Is(op.Control) || r != ir.NoValue && s.depends[r] || o.Is(op.Control) && s.divergent[i] {
			n++
			memory = memory || o.Reads() || o.Writes()
		}
	}
	if !memory {
		return 0
	}
	return n
}

// loads counts the loads of an item in an iteration of a loop, without those of inner loops.
func (s *coarsener) loads(loop ir.Inst) (n int) {
	f := s.f
	b := f.BlockOf(loop)
	for i, end := f.After(loop, b), f.AfterRegions(loop, b); i != end; {
		if f.Op(i) == op.Loop {
			i = f.AfterRegions(i, b)
			continue
		}
		if f.Op(i) == op.Load && s.depends[f.Result(i)] {
			n++
		}
		i = f.After(i, b)
	}
	return n
}

// isSerial reports whether an instruction is in the block of the guard that items execute one after
// the other.
func (s *coarsener) isSerial(i ir.Inst) bool {
	f := s.f
	for b := f.BlockOf(i); s.guard != 0 && f.Parent(b) != 0; b = f.BlockOf(f.Parent(b)) {
		if f.Parent(b) == s.guard {
			return b != s.joint
		}
	}
	return false
}
