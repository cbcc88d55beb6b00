package lower

import (
	"fmt"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file finds the loops whose products read operands that asynchronous copies have brought to
// workgroup memory, while the products before were computed (CUTLASS: multistage pipeline). The
// slices of operands are in a ring of stages. Each step of the loop multiplies one, and asks for
// that which so many steps later is multiplied:
//
//	barrier                            before the loop
//	copy the slices of the first steps, one group for each step
//	loop
//	  wait until the group of this step has come
//	  barrier                          all have it, and have done with the stage before
//	  copy the slices of a later step to the stage before
//	  multiply the stage
//	wait for all groups
//
// What is loaded for a later iteration is found from the loop's parameters, which have to advance
// by the same amount each time. Loads beyond the last iteration do no harm: a matrix has zeros
// outside.

const (
	// mostCopyStages bounds the stages of a ring.
	mostCopyStages = 4
	// copyPartBytes is how much one asynchronous copy moves.
	copyPartBytes = 16
	// copyRegisters is what an invocation needs beside its sums, roughly, and doubleRegisters what
	// it needs if these are float64. registerFile is what a multiprocessor has (CUDA Programming
	// Guide, compute capabilities).
	copyRegisters   = 64
	doubleRegisters = 96
	registerFile    = 64 << 10
	// mostResident bounds the workgroups of a multiprocessor that its memory is divided among.
	mostResident = 8
	// ringAlign is what the alignment of a ring may take (ir.TileRings).
	ringAlign = 1 << 10
	// reservedBytes is the workgroup memory that a workgroup has beside its own (compute capability
	// 8.0 and above).
	reservedBytes = 1 << 10
)

// copyLoop is a loop with such a ring.
type copyLoop struct {
	loop   ir.Inst
	steps  []copyStep
	scalar ir.Type // of the array
	stages int
	stage  int // elements of a stage
	// advances are what each parameter of the loop advances by, or NoValue.
	advances []ir.Value
	// current and previous are variables: where the stages of this step and of the one before
	// begin.
	current, previous ir.Value
}

// copyStep is a part of an iteration: a slice of the operands of a product.
type copyStep struct {
	product ir.Inst
	loads   [2]ir.Inst
	list    [2]stagedOperand
	first   int // column of the first operand
}

// findCopies finds the loops, and why products are not among them.
func (t *tileLowering) findCopies(c *opt.Context) {
	f := t.f
	t.copies, t.addresses, t.notCopied = map[ir.Inst]*copyLoop{}, map[ir.Value]ir.Value{}, map[ir.Inst]string{}
	if t.products == nil || c.CopyBytes == 0 {
		return
	}
	free := int(c.CopyBytes)
	for i := range t.m.Globals {
		if g := &t.m.Globals[i]; t.m.SpaceOf(g.Type) == ir.Workgroup {
			free -= int(t.m.Size(t.m.Element(g.Type)))
		}
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if _, ok := t.products[i]; !ok {
			continue
		}
		why := t.joinLoop(i)
		if why == "" {
			why = t.layOut(t.copies[f.Parent(f.BlockOf(i))], i, free)
		}
		if t.notCopied[i] = why; why == "" {
			t.notCopied[i] = "there is no room for stages beside what else is in workgroup memory"
		}
	}
	t.fitCopies(free)
}

// fitCopies takes stages from the rings until all that is in workgroup memory has room there.
func (t *tileLowering) fitCopies(free int) {
	f := t.f
	t.sliceBytes = tileScratchBytes
	for {
		bytes := ringAlign
		for k, n := range t.scratchSizes() {
			bytes += n * scalar.Kind(k).Bytes()
		}
		var most *copyLoop
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if r := t.copies[i]; r != nil && (most == nil || r.stages*r.stage > most.stages*most.stage) {
				most = r
			}
		}
		switch {
		case most == nil || bytes <= free:
			return
		case most.stages > 2:
			most.stages--
		default:
			delete(t.copies, most.loop)
		}
	}
}

// joinLoop adds a product to those of its loop, or says why it cannot be.
func (t *tileLowering) joinLoop(i ir.Inst) string {
	f, m := t.f, t.m
	loop := f.Parent(f.BlockOf(i))
	if loop == 0 || f.Op(loop) != op.Loop || f.Region(loop, 0) != f.BlockOf(i) {
		return "it is not in each iteration of a loop"
	}
	r := t.copies[loop]
	if r == nil {
		if why := t.loopAllows(loop); why != "" {
			return why
		}
		r = &copyLoop{loop: loop}
		t.findAdvances(r)
	}
	for n := range 2 {
		load, ok := f.Def(f.Arg(i, n))
		if !ok || f.Op(load) != op.TileLoad || !t.direct[load] {
			return "an operand is not loaded for it"
		}
		array := f.Arg(load, ir.TileArray)
		k, _, _ := m.TileShape(f.Type(load))
		switch {
		case k != t.operandKind(i, n):
			return "the elements of an operand become those of another kind on the way"
		case t.products[i].Left != t.products[i].Right:
			return "the operands have elements of two kinds"
		case f.Aux(load) != 0 || m.AccessOf(f.TypeOf(array)) != ir.Read:
			return "the kernel may write an operand's matrix"
		case !array.IsGlobal() || m.SpaceOf(f.TypeOf(array)) != ir.Storage:
			return "an operand's matrix is no buffer"
		case int(m.Stride(m.Element(f.TypeOf(array)))) != k.Bytes():
			return "the elements of an operand's matrix are not side by side"
		case k.Bytes() == 1 && t.isTransposed(f.Arg(i, n)) != (n == 1):
			return "operands of bytes are not contiguous along the columns of the first"
		}
		for _, v := range f.Args(load)[1:] {
			if !t.isAhead(r, v, maxAhead) {
				return "it is not known what a later iteration loads"
			}
		}
	}
	t.copies[loop] = r
	return ""
}

// operandKind returns the kind of an operand of a product of fragments.
func (t *tileLowering) operandKind(i ir.Inst, n int) scalar.Kind {
	p := t.products[i]
	return [...]scalar.Kind{p.Left, p.Right}[n]
}

// loopAllows says why a loop has no ring, or returns "".
func (t *tileLowering) loopAllows(loop ir.Inst) string {
	f := t.f
	body := f.Region(loop, 0)
	end := f.Terminator(body)
	for i := f.First(body); i != 0; i = f.After(i, body) {
		switch o := f.Op(i); {
		case o == op.Return:
			return "the kernel ends in the loop"
		case o == op.Continue && f.Target(i) == loop && i != end:
			return "some iterations of the loop leave out a part"
		case o == op.TileMulAdd && t.inInnerLoop(loop, i):
			return "there is a product in a loop within the loop"
		}
	}
	if f.Op(end) != op.Continue {
		return "the loop has no end that all iterations reach"
	}
	return ""
}

// inInnerLoop reports whether an instruction of a loop is in another loop within that.
func (t *tileLowering) inInnerLoop(loop, i ir.Inst) bool {
	f := t.f
	for around := f.Parent(f.BlockOf(i)); around != loop; around = f.Parent(f.BlockOf(around)) {
		if f.Op(around) == op.Loop {
			return true
		}
	}
	return false
}

// findAdvances finds what each parameter of a loop advances by.
func (t *tileLowering) findAdvances(r *copyLoop) {
	f := t.f
	body, continuing := f.Region(r.loop, 0), f.Region(r.loop, 1)
	params := f.Params(body)
	r.advances = make([]ir.Value, len(params))
	next := f.Terminator(continuing)
	if next == 0 || f.Op(next) != op.Next {
		return
	}
	passed := f.Args(f.Terminator(body)) // to the continuing block
	onward, _, _ := f.NextArgs(next)
	resolve := func(v ir.Value) ir.Value {
		if n := slices.Index(f.Params(continuing), v); n >= 0 {
			return passed[n]
		}
		return v
	}
	for n, p := range params {
		v := resolve(onward[n])
		if !t.m.IsScalar(f.TypeOf(p)) || !t.m.ScalarOf(f.TypeOf(p)).IsInteger() {
			continue
		}
		if v == p {
			r.advances[n] = t.m.Zero(f.TypeOf(p))
			continue
		}
		i, ok := f.Def(v)
		if !ok || f.Op(i) != op.Add {
			continue
		}
		x, y := resolve(f.Arg(i, 0)), resolve(f.Arg(i, 1))
		if y == p {
			x, y = y, x
		}
		if x == p && !t.isIn(r.loop, y) {
			r.advances[n] = y
		}
	}
}

// isIn reports whether a value is one of a loop's.
func (t *tileLowering) isIn(loop ir.Inst, v ir.Value) bool {
	f := t.f
	if !v.IsLocal() {
		return false
	}
	for b := f.DefBlock(v); b != f.Entry; b = f.BlockOf(f.Parent(b)) {
		if f.Parent(b) == loop {
			return true
		}
	}
	return false
}

// maxAhead bounds how many operations are followed from a value to a loop's parameters.
const maxAhead = 16

// isAhead reports whether the value of a later iteration can be computed: from parameters that
// advance, by operations without effects and loads of what does not change.
func (t *tileLowering) isAhead(r *copyLoop, v ir.Value, depth int) bool {
	f := t.f
	if !t.isIn(r.loop, v) {
		return true
	}
	if n := slices.Index(f.Params(f.Region(r.loop, 0)), v); n >= 0 {
		return r.advances[n] != ir.NoValue
	}
	i, ok := f.Def(v)
	if !ok || depth == 0 || !f.Op(i).Pure() && !t.loadsConstant(i) || f.Op(i).Is(op.Control) || t.m.IsTile(f.Type(i)) {
		return false
	}
	return !slices.ContainsFunc(f.Args(i), func(x ir.Value) bool { return !t.isAhead(r, x, depth-1) })
}

// loadsConstant reports whether an instruction loads from memory that nothing writes.
func (t *tileLowering) loadsConstant(i ir.Inst) bool {
	f := t.f
	return f.Op(i) == op.Load && t.m.AccessOf(f.TypeOf(f.Arg(i, 0))) == ir.Read
}

// layOut gives a product its steps, and the loop its stages. It says why there is no room for that.
func (t *tileLowering) layOut(r *copyLoop, i ir.Inst, free int) string {
	f, m := t.f, t.m
	p := t.products[i]
	var list [2]stagedOperand
	_, rows, columns := m.TileShape(f.Type(i))
	k, _, depth := m.TileShape(f.TypeOf(f.Arg(i, 0)))
	resident := t.resident()
	each := (free+reservedBytes)/resident - reservedBytes
	fits := func(slice, bytes int) bool {
		return depth%slice == 0 && t.lay(i, &list, slice, rows, columns)*k.Bytes() <= bytes
	}
	slice := 0
	// as many stages as there is use for, else two in all memory
	for _, bytes := range [...]int{each / (mostCopyStages - 1), free / 2} {
		for n := p.Depth; n <= min(depth, fragmentSlice); n += p.Depth {
			if fits(n, bytes) {
				slice = n
			}
		}
		if slice > 0 {
			break
		}
	}
	why := ""
	switch {
	case slice == 0:
		fits(p.Depth, 0)
		why = fmt.Sprintf("two stages take more than the %d bytes of workgroup memory", free)
	case r.scalar != 0 && r.scalar != list[0].scalar:
		why = "another product of the loop has operands of another type"
	}
	if why != "" {
		if len(r.steps) == 0 {
			delete(t.copies, r.loop)
		}
		return why
	}
	stage := max(r.stage, t.lay(i, &list, slice, rows, columns))
	stages := min(mostCopyStages, max(each/(stage*k.Bytes()), 2))
	if stage*stages*k.Bytes() > free {
		return "there is no room for the stages of all products of the loop"
	}
	r.scalar, r.stage, r.stages = list[0].scalar, stage, stages
	for first := 0; first < depth; first += slice {
		s := copyStep{product: i, list: list, first: first}
		for n := range s.loads {
			s.loads[n], _ = f.Def(f.Arg(i, n))
		}
		r.steps = append(r.steps, s)
	}
	return ""
}

// resident returns how many workgroups of a kernel a multiprocessor is to have at a time, as far as
// registers for the sums decide that.
func (t *tileLowering) resident() int {
	sums, more := 0, copyRegisters // registers of an invocation
	counted := map[ir.Value]bool{}
	for n, native := range t.native {
		if v := ir.Value(n); native && t.live[n] && !counted[t.find(v)] {
			counted[t.find(v)] = true
			g := t.grids[t.f.TypeOf(v)]
			k, _, _ := t.m.FragmentShape(g.sums)
			sums += g.count() * g.rows * g.columns * t.subgroups / t.items * max(k.Bytes()/4, 1)
			if k == scalar.F64 {
				more = doubleRegisters
			}
		}
	}
	return min(max(registerFile/(t.items*(sums+more)), 1), mostResident)
}

// limitRegisters says how many workgroups a multiprocessor is to have, if memory allows as many as
// registers, so that each has no more of these than that.
func (t *tileLowering) limitRegisters(c *opt.Context) {
	if len(t.copies) == 0 {
		return
	}
	bytes := 0
	for n := range t.m.Globals {
		if g := &t.m.Globals[n]; t.m.SpaceOf(g.Type) == ir.Workgroup {
			bytes += int(t.m.Size(t.m.Element(g.Type)))
		}
	}
	if n := t.resident(); n > 1 && (bytes+reservedBytes)*n <= int(c.CopyBytes)+reservedBytes {
		t.intrinsic(op.Resident, t.u32(n))
	}
}

// copyLoopOf returns the loop in whose ring a product's operands are, or nil.
func (t *tileLowering) copyLoopOf(i ir.Inst) *copyLoop {
	r := t.copies[t.f.Parent(t.f.BlockOf(i))]
	if r == nil || !slices.ContainsFunc(r.steps, func(s copyStep) bool { return s.product == i }) {
		return nil
	}
	return r
}

// behindRing returns where in its array slices are that have a stage of their own: behind the ring
// of a loop around the product.
func (t *tileLowering) behindRing(i ir.Inst, scalar ir.Type) int {
	f := t.f
	for around := f.Parent(f.BlockOf(i)); around != 0; around = f.Parent(f.BlockOf(around)) {
		if r := t.copies[around]; r != nil && r.scalar == scalar {
			return r.stages * r.stage
		}
	}
	return 0
}

// hasRing reports whether an array of some elements has a ring.
func (t *tileLowering) hasRing(scalar ir.Type) bool {
	for _, r := range t.copies {
		if r.scalar == scalar {
			return true
		}
	}
	return false
}
