package guard

import (
	"math/bits"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// definiteInit proves definite initialisation: a kernel cannot observe the initial value of a
// workgroup variable. Either nothing reads the variable, or all that is read has been stored
// before. The second is proved for the way tiles are filled:
//
//	loop {
//	  tile[local.y][local.x] = …   the invocations store elements, together all that count
//	  barrier
//	  … = tile[local.y][k]         every read lies after the barrier
//
// The stores are before the barrier, in the barrier's block or around it, so an invocation that
// reaches the barrier has made its stores. Either all invocations reach the barrier, or none does.
// All reads are after the barrier in its block.
//
// The stored elements are found by evaluating the code before the barrier for all invocations
// (invocations.go). Conditions and loops are evaluated if they depend on the invocation's position
// in the workgroup and on nothing else. If elements are left, such as the columns that pad a tile,
// the elements that are read after the barrier are found the same way.
type definiteInit struct {
	invocationEval
	v ir.Value
	// elements is the element count of the variable, over all nested arrays; dimensions are the
	// lengths of those arrays.
	elements   uint32
	dimensions []uint32
	reads      int      // instructions that read the variable
	stored     []uint64 // a bit for each element
	left       int      // elements that have not been stored
	// reading says that reads are evaluated, not stores. Both sides of an unknown condition are
	// then evaluated.
	reading, failed bool
	frames          []frame
	indices, others []laneValues // of an element, and of one that it is compared with
}

// frame is a control instruction that is being evaluated: the invocations that left it, those that
// continue it, and the one continue instruction that they used.
type frame struct {
	control           ir.Inst
	exited, continued invocationSet
	by                ir.Inst
}

const (
	// maxElements bounds the variables, and maxEvaluated the values that are computed for one.
	maxElements  = 1 << 16
	maxEvaluated = 1 << 17
)

// isInitialised reports whether a kernel cannot observe the initial value of a workgroup variable.
func (o *definiteInit) isInitialised(m *ir.Module, f *ir.Func, v ir.Value) bool {
	for _, other := range m.Funcs {
		if other != f && mentions(other, v) {
			return false
		}
	}
	o.m, o.f, o.v = m, f, v
	if o.reads = o.readsFrom(f.First(f.Entry), 0, f.Entry); o.reads == 0 {
		return true
	}
	o.elements, o.dimensions = 1, o.dimensions[:0]
	for t := m.Element(m.Global(v).Type); m.KindOf(t) == ir.ArrayType; t = m.Element(t) {
		n, _ := m.Count(t)
		if n == 0 || n > maxElements/o.elements {
			return false
		}
		o.dimensions = append(o.dimensions, n)
		o.elements *= n
	}
	if !o.begin(m, f, maxEvaluated) {
		return false
	}
	o.stored = ir.Zeroed(o.stored, int(o.elements+63)/64)
	o.left = int(o.elements)
	o.reading, o.failed, o.frames = false, false, o.frames[:0]
	return o.prove(f.Entry)
}

// mentions reports whether an instruction of a function has the variable as operand.
func mentions(f *ir.Func, v ir.Value) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if slices.Contains(f.Args(i), v) {
			return true
		}
	}
	return false
}

// points reports whether a value is the variable's address or leads back to it.
func (o *definiteInit) points(v ir.Value) bool {
	for {
		i, ok := o.f.Def(v)
		if !ok {
			return v == o.v
		}
		if k := o.f.Op(i); k != op.Access && k != op.Address {
			return false
		}
		v = o.f.Arg(i, 0)
	}
}

// isRead reports whether an instruction without blocks reads the variable or passes its address on.
func (o *definiteInit) isRead(i ir.Inst) bool {
	if o.f.Op(i).Pure() {
		return false
	}
	for n := range o.f.Args(i) {
		if o.readsOperand(i, n) {
			return true
		}
	}
	return false
}

// readsOperand reports whether an operand leads to the variable, and the instruction reads it.
func (o *definiteInit) readsOperand(i ir.Inst, n int) bool {
	k := o.f.Op(i)
	if k == op.Access || k == op.Address {
		return false // invocationSet uses the address says what happens there
	}
	a, written := o.f.Arg(i, n), k.WritesOperand(n) && !k.ReadsOperand(n)
	return !written && o.m.IsPointer(o.f.TypeOf(a)) && o.points(a)
}

// touches reports whether anything in a control instruction reads or writes the variable.
func (o *definiteInit) touches(control ir.Inst) bool {
	f := o.f
	b := f.BlockOf(control)
	for i, end := f.After(control, b), f.AfterRegions(control, b); i != end; i = f.After(i, b) {
		o.work--
		for _, a := range f.Args(i) {
			if o.m.IsPointer(f.TypeOf(a)) && o.points(a) {
				return true
			}
		}
	}
	return false
}

// readsFrom counts the reads from instruction i to end, exclusive, in a walk over a block.
func (o *definiteInit) readsFrom(i, end ir.Inst, b ir.Block) int {
	reads := 0
	for ; i != end; i = o.f.After(i, b) {
		if !o.f.Op(i).Is(op.Control) && o.isRead(i) {
			reads++
		}
	}
	return reads
}

// prove looks for the barrier in a block and the blocks in it.
func (o *definiteInit) prove(b ir.Block) bool {
	f := o.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		k := f.Op(i)
		switch {
		case k.Is(op.Barrier):
			memory := op.Memory(f.Aux(i))
			if memory&op.WorkgroupMemory == 0 || memory&op.SubgroupScope != 0 || o.left == int(o.elements) {
				continue
			}
			if o.readsFrom(f.Next(i), 0, b) != o.reads {
				return false
			}
			if o.left == 0 || o.readsStored(f.Next(i)) {
				return true
			}
		case k.Is(op.Control):
			if o.readsFrom(i, f.AfterRegions(i, b), b) == 0 {
				o.follow(i, o.all)
				continue
			}
			for n := range f.Blocks(i) {
				if r := f.Region(i, n); o.readsFrom(f.First(r), 0, r) == o.reads {
					return o.prove(r)
				}
			}
			return false
		case o.isRead(i):
			return false
		default:
			o.access(i, o.all)
		}
	}
	return false
}

// readsStored reports whether all elements that are read from an instruction to the end of its
// block have been stored.
func (o *definiteInit) readsStored(i ir.Inst) bool {
	o.reading, o.failed = true, false
	o.instructions(i, o.all)
	o.reading = false
	return !o.failed
}

// instructions evaluates a set of invocations from an instruction to the end of its block.
func (o *definiteInit) instructions(i ir.Inst, set invocationSet) {
	f := o.f
	for ; i != 0 && !o.failed && set != (invocationSet{}); i = f.Next(i) {
		switch k := f.Op(i); {
		case k == op.Exit || k == op.Continue:
			o.leave(i, set)
		case k.Is(op.Control):
			set = o.follow(i, set)
		default:
			o.access(i, set)
		}
	}
}

// block evaluates a block for a set of invocations.
func (o *definiteInit) block(b ir.Block, set invocationSet) {
	if set != (invocationSet{}) {
		o.instructions(o.f.First(b), set)
	}
}

// leave notes the invocations that exit or continue a control instruction that is being evaluated.
// Invocations that leave more do not reach the barrier, or have done their last read.
func (o *definiteInit) leave(i ir.Inst, set invocationSet) {
	for n := len(o.frames) - 1; n >= 0; n-- {
		fr := &o.frames[n]
		if fr.control != o.f.Target(i) {
			continue
		}
		if o.f.Op(i) == op.Exit {
			fr.exited.add(set)
			return
		}
		if fr.continued.add(set); fr.by == 0 {
			fr.by = i
		} else if fr.by != i {
			fr.by = several
		}
		return
	}
}

// several means more than one continue.
const several = ^ir.Inst(0)

// follow evaluates a control instruction for a set of invocations, and returns those that reach its
// end.
func (o *definiteInit) follow(i ir.Inst, set invocationSet) invocationSet {
	f := o.f
	_, further := f.Leaves(i)
	if !further && !o.touches(i) {
		return set
	}
	at := len(o.frames)
	o.frames = append(o.frames, frame{control: i})
	switch k := f.Op(i); k {
	case op.If:
		then, other := f.Region(i, 0), f.Region(i, 1)
		if c, ok := o.of(f.Arg(i, 0), maxDepth); ok {
			o.block(then, set.where(c, true))
			o.block(other, set.where(c, false))
		} else if o.reading {
			o.block(then, set)
			o.block(other, set)
		} else {
			o.storeBoth(then, other, set)
		}
	case op.Scope:
		o.block(f.Region(i, 0), set)
	case op.Loop:
		o.iterations(i, at, set)
	default:
		for n := range f.Blocks(i) {
			if o.reading { // a switch: any of its blocks
				o.block(f.Region(i, n), set)
			}
		}
	}
	out := o.frames[at].exited
	o.frames = o.frames[:at]
	if !further {
		return set // also those that took a path that was not evaluated
	}
	return out
}

// iterations evaluates all iterations of a loop for a set of invocations, whose frame is at.
func (o *definiteInit) iterations(loop ir.Inst, at int, set invocationSet) {
	f := o.f
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	params, before := f.Params(body), o.remember()
	if len(params) > maxParams {
		o.failed = o.reading
		return
	}
	// two columns for each parameter: of this iteration and of the next
	first := int32(o.used + 1)
	for range 2 * len(params) {
		o.fresh()
	}
	start := o.remember()
	o.enter(params, f.Args(loop), first, start)
	for set != (invocationSet{}) && !o.failed {
		if o.work -= o.count; o.work < 0 {
			o.failed = o.reading
			break
		}
		o.frames[at].continued, o.frames[at].by = invocationSet{}, 0
		o.block(body, set)
		if set = o.frames[at].continued; set == (invocationSet{}) {
			break
		}
		for n, p := range f.Params(continuing) {
			name := int32(unknown)
			if by := o.frames[at].by; by != several {
				if x, ok := o.of(f.Arg(by, n), maxDepth); ok {
					name = o.copied(x)
				}
			}
			o.set(p, name)
		}
		o.block(continuing, set)
		next := f.Last(continuing)
		if f.Op(next) != op.Next {
			break
		}
		after, condition, _ := f.NextArgs(next)
		if condition != ir.NoValue {
			c, ok := o.of(condition, maxDepth)
			switch {
			case ok:
				o.frames[at].exited.add(set.where(c, true))
				set = set.where(c, false)
			case o.reading:
				o.frames[at].exited.add(set)
			default:
				set = invocationSet{}
			}
		}
		o.enter(params, after, first, start)
	}
	o.forget(before)
}

// maxParams bounds the parameters of loops that are evaluated.
const maxParams = 64

// enter assigns a loop's arguments to its parameters, whose columns begin at first. It forgets what
// was computed in the previous iteration.
func (o *definiteInit) enter(params, args []ir.Value, first int32, start evalState) {
	var known uint64
	for n := range params {
		if x, ok := o.of(args[n], maxDepth); ok {
			known |= 1 << n
			x.copyTo(o.column(first + int32(len(params)+n)))
		}
	}
	o.forget(start)
	for n, p := range params {
		if known>>n&1 == 0 {
			o.set(p, unknown)
			continue
		}
		name := first + int32(n)
		copy(o.column(name), o.column(name+int32(len(params))))
		o.set(p, name)
	}
}

// access notes the elements that a store writes or, if reading, checks that those read are stored.
func (o *definiteInit) access(i ir.Inst, set invocationSet) {
	o.work--
	f := o.f
	if o.reading {
		for n, a := range f.Args(i) {
			if o.readsOperand(i, n) && !(o.elementOf(a, false) && o.isStored(set)) {
				o.failed = true
			}
		}
		return
	}
	if k := f.Op(i); (k == op.Store || k == op.AtomicStore) && o.elementOf(f.Arg(i, 0), true) {
		o.store(set)
	}
}

// elementOf finds the indices of the variable's element that a pointer leads to. If whole is false,
// the pointer may also lead to a part of the element.
func (o *definiteInit) elementOf(pointer ir.Value, whole bool) bool {
	o.indices = o.indices[:0]
	var indices []ir.Value
	if pointer != o.v {
		access, ok := o.f.Def(pointer)
		if !ok || o.f.Op(access) != op.Access || o.f.Arg(access, 0) != o.v {
			return false
		}
		indices = o.f.Args(access)[1:]
	}
	if len(indices) < len(o.dimensions) || whole && len(indices) > len(o.dimensions) {
		return false
	}
	for n := range o.dimensions {
		x, ok := o.of(indices[n], maxDepth)
		if !ok {
			return false
		}
		o.indices = append(o.indices, x)
	}
	return true
}

// element returns the linear index of the element at the indices of an invocation, the last index
// changing first, or ok = false if there is none.
func (o *definiteInit) element(invocation int) (element uint32, ok bool) {
	for n := range o.indices {
		x := o.indices[n].of(invocation)
		if x >= uint64(o.dimensions[n]) {
			return 0, false
		}
		element = element*o.dimensions[n] + uint32(x)
	}
	return element, true
}

// store notes the elements at the indices of a set of invocations as stored.
func (o *definiteInit) store(set invocationSet) {
	for n := range set {
		for left := set[n]; left != 0; left &= left - 1 {
			e, ok := o.element(n*64 + bits.TrailingZeros64(left))
			if bit := uint64(1) << (e % 64); ok && o.stored[e/64]&bit == 0 {
				o.stored[e/64] |= bit
				o.left--
			}
		}
	}
}

// isStored reports whether a set of invocations finds its elements stored. An index out of range
// reads another element.
func (o *definiteInit) isStored(set invocationSet) bool {
	for n := range set {
		for left := set[n]; left != 0; left &= left - 1 {
			e, ok := o.element(n*64 + bits.TrailingZeros64(left))
			if !ok || o.stored[e/64]>>(e%64)&1 == 0 {
				return false
			}
		}
	}
	return true
}

// storeBoth notes the stores that a set of invocations does in either of two branches. They come
// before anything that might leave the branch. Each invocation stores the same element in both:
// with different orders, two invocations might store one element and none another.
func (o *definiteInit) storeBoth(a, b ir.Block, set invocationSet) {
	f := o.f
	for i := f.First(a); i != 0 && !f.Op(i).Is(op.Control); i = f.Next(i) {
		for j := f.First(b); j != 0 && !f.Op(j).Is(op.Control); j = f.Next(j) {
			if o.sameElements(i, j) {
				o.store(set)
				break
			}
		}
	}
}

// sameElements reports whether each invocation stores the same element by two stores. indices are
// then theirs.
func (o *definiteInit) sameElements(i, j ir.Inst) bool {
	f := o.f
	for _, s := range [...]ir.Inst{i, j} {
		if k := f.Op(s); k != op.Store && k != op.AtomicStore || !o.elementOf(f.Arg(s, 0), true) {
			return false
		}
		if s == i {
			o.others = append(o.others[:0], o.indices...)
		}
	}
	for n := range o.indices {
		for invocation := range o.count {
			if o.indices[n].of(invocation) != o.others[n].of(invocation) {
				return false
			}
		}
	}
	return true
}
