package lower

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file builds the loops with rings (tilecopies.go). What a step asks for is copied in parts of
// 16 bytes where the matrix allows. Then its lines begin at multiples of that, and its elements are
// side by side and all in the array. Parts beyond the matrix get zeros. Else the invocations load
// and store elements, which the next barrier makes visible as it does for copies.

// enterCopies builds what is before a loop with a ring, and behind it.
func (t *tileLowering) enterCopies(r *copyLoop) {
	f, b := t.f, &t.b
	t.unrolled = false
	b.SetBefore(f.Next(r.loop))
	t.intrinsic(op.CopyWait, t.u32(0))
	b.At(r.loop)
	r.current, r.previous = b.Var(ir.U32, "stage"), b.Var(ir.U32, "stage_before")
	b.Store(r.current, t.u32(0))
	b.Store(r.previous, t.u32((r.stages-1)*r.stage))
	t.barrier()
	if first := r.steps[0].product; r.steps[len(r.steps)-1].product == first {
		t.count(r.stages-1, func(n ir.Value) {
			at := copyPoint{step: &r.steps[0], iterations: t.op(op.Div, n, len(r.steps)), before: true}
			at.first = t.op(op.Mul, t.op(op.Rem, n, len(r.steps)), r.steps[0].list[0].columns)
			t.copyStep(r, &at, t.op(op.Mul, n, r.stage))
		})
		return
	}
	for n := range r.stages - 1 {
		at := t.pointOf(r, n)
		at.before = true
		t.copyStep(r, &at, t.u32(n*r.stage))
	}
}

// copyPoint is a step that copies are for.
type copyPoint struct {
	step *copyStep
	// iterations are counted from this one or, before the loop, from the first. The slice begins at
	// a column of the first operand.
	iterations, first ir.Value
	before            bool
}

// pointOf returns the step that is so many steps behind the first one of this iteration.
func (t *tileLowering) pointOf(r *copyLoop, step int) copyPoint {
	s := &r.steps[step%len(r.steps)]
	return copyPoint{step: s, iterations: t.u32(step / len(r.steps)), first: t.u32(s.first)}
}

// multiplyStep waits until the slices of a step are there, asks for those of a later one, and
// multiplies.
//
// An instruction that multiplies float64 takes tens of cycles, in which there is time for copies.
// So copies of whole slices are among the products, each with a predicate. A branch would keep the
// assembler from moving instructions across.
func (t *tileLowering) multiplyStep(r *copyLoop, step int, multiply func(among []func())) {
	t.intrinsic(op.CopyWait, t.u32(r.stages-2))
	t.barrier()
	at := t.pointOf(r, step+r.stages-1)
	list := &at.step.list
	if scalar.Kind(r.scalar) != scalar.F64 || !t.isUnrolledCopy(&list[0]) || !t.isUnrolledCopy(&list[1]) {
		t.copyStep(r, &at, t.b.Load(r.previous))
		multiply(nil)
		return
	}
	p := t.planCopies(r, &at, t.b.Load(r.previous))
	t.when(t.b.Op(op.Not, p.whole), func() { t.copyBeyond(&p) })
	var among []func()
	for n := range p.slices {
		parts := t.partCopies(&p.slices[n], p.stage)
		from, last := ir.NoValue, 0
		size := t.m.ConstScalar(ir.U64, uint64(parts.kind.Bytes()))
		t.eachPart(&p.slices[n], func(line, part ir.Value, more int, is ir.Value) {
			among = append(among, func() {
				// from one part to the next, addresses advance by the same amount: few registers
				if more == 0 {
					from, last = t.partFrom(&parts, line, part, 0), 0
				} else {
					lines := t.b.Convert(scalar.U64, t.op(op.Mul, parts.lineStride, more-last))
					from = t.b.Op(op.Add, from, t.b.Op(op.Mul, lines, size))
					last = more
				}
				t.intrinsic(op.CopyAsyncWhere, t.partTo(&parts, line, part, more), from, t.both(p.whole, is))
			})
		})
	}
	multiply(among)
	t.intrinsic(op.CopyCommit)
	t.removeLoads(&p)
}

// endStep makes the stage of the next step the current one.
func (t *tileLowering) endStep(r *copyLoop) {
	b := &t.b
	stage := b.Load(r.current)
	b.Store(r.previous, stage)
	next := t.op(op.Add, stage, r.stage)
	b.Store(r.current, b.Op(op.Select, t.op(op.Lt, next, r.stages*r.stage), next, t.u32(0)))
}

// stepCopies are the copies of a step. They go to the stage that begins at an element of the array.
type stepCopies struct {
	slices [2]copySlice
	stage  ir.Value
	// parts says that the lines of a slice have parts of 16 bytes. whole says that both have, and
	// that all of them are in the matrix.
	parts [2]ir.Value
	whole ir.Value
}

// planCopies finds how the slices of a step are copied.
func (t *tileLowering) planCopies(r *copyLoop, at *copyPoint, stage ir.Value) stepCopies {
	p := stepCopies{stage: stage, whole: ir.NoValue}
	for n := range p.slices {
		p.slices[n] = t.sliceAhead(r, at, n)
		p.parts[n] = t.hasParts(&p.slices[n], copyPartBytes/p.slices[n].kind.Bytes())
		p.whole = t.both(p.whole, t.isInMatrix(&p.slices[n]))
	}
	p.whole = t.both(t.b.Op(op.And, p.parts[0], p.parts[1]), p.whole)
	return p
}

// copyStep asks for the slices of a step.
func (t *tileLowering) copyStep(r *copyLoop, at *copyPoint, stage ir.Value) {
	p := t.planCopies(r, at, stage)
	t.either(p.whole, func() {
		for n := range p.slices {
			t.copyWhole(&p.slices[n], stage)
		}
	}, func() { t.copyBeyond(&p) })
	t.intrinsic(op.CopyCommit)
	t.removeLoads(&p)
}

// copyBeyond copies the slices of a step that may be beyond their matrices.
func (t *tileLowering) copyBeyond(p *stepCopies) {
	for n := range p.slices {
		x := &p.slices[n]
		t.either(p.parts[n], func() { t.copyParts(x, p.stage) }, func() { t.copyElementwise(x, p.stage) })
	}
}

// removeLoads removes the loads that stood for the slices of a step.
func (t *tileLowering) removeLoads(p *stepCopies) {
	for n := range p.slices {
		t.f.Remove(p.slices[n].load)
	}
}

// copySlice is a slice of an operand that is to be copied. Its lines lie side by side in the
// matrix: across and along are where it begins there.
type copySlice struct {
	*stagedOperand
	load          ir.Inst // of the iteration that multiplies the slice
	across, along ir.Value
	lines, length int
	// where the load has the numbers of the matrix
	acrossStride, alongStride, acrossCount, alongCount int
}

// sliceAhead returns the slice that a later iteration multiplies.
func (t *tileLowering) sliceAhead(r *copyLoop, at *copyPoint, operand int) copySlice {
	f, s := t.f, at.step
	ahead := copyAhead{t: t, r: r, copyPoint: at, to: map[ir.Value]ir.Value{}}
	load := s.loads[operand]
	args := []ir.Value{f.Arg(load, ir.TileArray)}
	for _, v := range f.Args(load)[1:] {
		args = append(args, ahead.value(v))
	}
	x := copySlice{stagedOperand: &s.list[operand], lines: s.list[operand].rows, length: s.list[operand].columns,
		acrossStride: ir.TileRowStride, alongStride: ir.TileColumnStride, acrossCount: ir.TileRows, alongCount: ir.TileColumns}
	x.load, _ = f.Def(t.b.Emit(op.TileLoad, f.Type(load), 0, args...))
	x.across, x.along = t.tileArg(x.load, ir.TileFirstRow), t.tileArg(x.load, ir.TileFirstColumn)
	if operand == 0 {
		x.along = t.sum(x.along, at.first)
	} else {
		x.across = t.sum(x.across, at.first)
	}
	if x.byColumn {
		x.lines, x.length = x.length, x.lines
		x.across, x.along = x.along, x.across
		x.acrossStride, x.alongStride = x.alongStride, x.acrossStride
		x.acrossCount, x.alongCount = x.alongCount, x.acrossCount
	}
	return x
}

// hasParts returns whether all lines of a slice begin at multiples of so many elements, and have
// these side by side.
func (t *tileLowering) hasParts(x *copySlice, each int) ir.Value {
	b := &t.b
	arg := func(n int) ir.Value { return t.tileArg(x.load, n) }
	long := func(v ir.Value) ir.Value { return b.Convert(scalar.U64, v) }
	last := func(n int) ir.Value { return t.op(op.Sub, arg(n), 1) }
	aligned := t.op(op.Eq, t.op(op.And, b.Op(op.Or, arg(ir.TileOffset), arg(x.acrossStride)), each-1), 0)
	is := b.Op(op.And, aligned, t.op(op.Eq, arg(x.alongStride), 1))
	// 64 bits are enough for the greatest index
	index := b.Op(op.Mul, long(last(x.acrossCount)), long(arg(x.acrossStride)))
	index = b.Op(op.Add, index, b.Op(op.Add, long(last(x.alongCount)), long(arg(ir.TileOffset))))
	is = b.Op(op.And, is, b.Op(op.Lt, index, long(t.lengthOf(x.load))))
	array := t.f.Arg(x.load, ir.TileArray)
	address := b.Convert(scalar.U32, t.addressOf(array))
	bytes := each * int(t.m.Stride(t.m.Element(t.f.TypeOf(array))))
	is = b.Op(op.And, is, t.op(op.Eq, t.op(op.And, address, bytes-1), 0))
	return b.Op(op.And, is, t.op(op.Eq, t.op(op.And, x.along, each-1), 0))
}

// addressOf returns the address of a buffer, which is the same for the whole kernel.
func (t *tileLowering) addressOf(buffer ir.Value) ir.Value {
	address, ok := t.addresses[buffer]
	if !ok {
		b := ir.Builder{F: t.f, Span: t.f.Span}
		b.SetBefore(rewrite.AfterVars(t.f))
		address = b.Emit(op.Intrinsic, ir.U64, uint32(op.GlobalAddress), buffer)
		t.addresses[buffer] = address
	}
	return address
}

// isInMatrix returns whether a slice is in its matrix as a whole.
func (t *tileLowering) isInMatrix(x *copySlice) (is ir.Value) {
	for _, side := range [...]struct {
		first         ir.Value
		length, count int
	}{{x.across, x.lines, x.acrossCount}, {x.along, x.length, x.alongCount}} {
		count := t.tileArg(x.load, side.count)
		is = t.both(is, t.b.Op(op.Lt, side.first, count))
		is = t.both(is, t.b.Op(op.Lt, t.op(op.Add, side.first, side.length-1), count))
	}
	return is
}

// partCopies is what the copies of a slice have in common: addresses, as far as they do not depend
// on the part.
type partCopies struct {
	*copySlice
	to, from, lineStride, start ir.Value
}

func (t *tileLowering) partCopies(x *copySlice, stage ir.Value) partCopies {
	b := &t.b
	p := partCopies{copySlice: x, lineStride: t.tileArg(x.load, x.acrossStride)}
	p.from = t.addressOf(t.f.Arg(x.load, ir.TileArray))
	p.to = b.Emit(op.Intrinsic, ir.U32, uint32(op.SharedAddress), t.scratch[x.scalar])
	p.to = t.sum(p.to, t.op(op.Mul, stage, x.kind.Bytes()))
	p.start = t.sum(t.tileArg(x.load, ir.TileOffset), t.sum(b.Op(op.Mul, x.across, p.lineStride), x.along))
	return p
}

// copyPart builds the copy of a part of a line, of which so many bytes are read.
func (t *tileLowering) copyPart(p *partCopies, line, part ir.Value, more int, bytes ir.Value) {
	from := t.partFrom(p, line, part, more)
	t.intrinsic(op.CopyAsync, t.partTo(p, line, part, more), from, bytes)
}

// partFrom returns where a part of a line is copied from. What does not depend on the iteration is
// added up first.
func (t *tileLowering) partFrom(p *partCopies, line, part ir.Value, more int) ir.Value {
	b, size := &t.b, p.kind.Bytes()
	index := t.sum(b.Op(op.Mul, t.sum(line, t.u32(more)), p.lineStride), t.op(op.Mul, part, copyPartBytes/size))
	index = b.Convert(scalar.U64, t.sum(index, p.start))
	return b.Op(op.Add, p.from, b.Op(op.Mul, index, t.m.ConstScalar(ir.U64, uint64(size))))
}

// partTo returns where a part of a line is copied to. A constant is added last.
func (t *tileLowering) partTo(p *partCopies, line, part ir.Value, more int) ir.Value {
	size := p.kind.Bytes()
	within := t.sum(t.op(op.Mul, line, p.stride*size), t.op(op.Mul, part, copyPartBytes))
	return t.sum(t.sum(p.to, within), t.u32((p.first+more*p.stride)*size))
}

// copyWhole builds the copies of a slice that is in the matrix.
func (t *tileLowering) copyWhole(x *copySlice, stage ir.Value) {
	p := t.partCopies(x, stage)
	t.eachPart(x, func(line, part ir.Value, more int, is ir.Value) {
		t.when(is, func() { t.copyPart(&p, line, part, more, t.u32(copyPartBytes)) })
	})
}

// copyParts builds the copies of a slice that may be beyond the matrix.
func (t *tileLowering) copyParts(x *copySlice, stage ir.Value) {
	b, size := &t.b, x.kind.Bytes()
	each := copyPartBytes / size
	p := t.partCopies(x, stage)
	acrossCount, alongCount := t.tileArg(x.load, x.acrossCount), t.tileArg(x.load, x.alongCount)
	t.dealt(x.lines*x.length/each, func(n ir.Value) {
		line, part := t.op(op.Div, n, x.length/each), t.op(op.Rem, n, x.length/each)
		along := t.sum(x.along, t.op(op.Mul, part, each))
		bytes := t.op(op.Mul, t.op(op.Min, b.Op(op.Sub, alongCount, along), each), size)
		is := b.Op(op.And, b.Op(op.Lt, along, alongCount), b.Op(op.Lt, t.sum(x.across, line), acrossCount))
		t.copyPart(&p, line, part, 0, b.Op(op.Select, is, bytes, t.u32(0)))
	})
}

// copyElementwise builds the loads and stores of the elements of a slice, in a loop that stays one.
func (t *tileLowering) copyElementwise(x *copySlice, stage ir.Value) {
	b := &t.b
	perWord := x.perWord()
	each := copyPartBytes / x.kind.Bytes()
	parts := x.length / each
	arg := func(n int) ir.Value { return t.tileArg(x.load, n) }
	stage = t.sum(t.op(op.Div, stage, perWord), t.u32(x.first/perWord))
	offset, length := arg(ir.TileOffset), t.lengthOf(x.load)
	acrossStride, alongStride := arg(x.acrossStride), arg(x.alongStride)
	acrossCount, alongCount := arg(x.acrossCount), arg(x.alongCount)
	t.dealt(x.lines*parts, func(n ir.Value) {
		line, along := t.op(op.Div, n, parts), t.op(op.Mul, t.op(op.Rem, n, parts), each)
		at := t.sum(t.sum(t.op(op.Mul, line, x.stride/perWord), t.op(op.Div, along, perWord)), stage)
		line, along = t.sum(x.across, line), t.sum(x.along, along)
		hasLine := b.Op(op.Lt, line, acrossCount)
		index := t.sum(t.sum(offset, b.Op(op.Mul, line, acrossStride)), b.Op(op.Mul, along, alongStride))
		list := make([]ir.Value, each)
		for e := range list {
			inside := b.Op(op.And, hasLine, b.Op(op.Lt, t.sum(along, t.u32(e)), alongCount))
			inside = b.Op(op.And, inside, b.Op(op.Lt, index, length))
			list[e] = t.fetchWhere(x.load, inside, func() ir.Value { return t.matrixElement(x.load, index, true) })
			index = t.sum(index, alongStride)
		}
		for n, word := range t.packedWords(x.stagedOperand, list) {
			b.Store(b.AccessWithin(t.scratch[x.scalar], t.sum(at, t.u32(n))), word)
		}
	})
}

// dealt builds a loop in which each invocation does its part of n things. It does not begin with a
// constant, so that no pass unrolls it.
func (t *tileLowering) dealt(n int, body func(k ir.Value)) {
	f, b := t.f, &t.b
	loop := func() {
		loop := b.Loop()
		behind := *b
		k := f.AddLoopParam(loop, t.item)
		b.SetBlock(f.Region(loop, 0))
		body(k)
		b.Continue(loop)
		b.SetBlock(f.Region(loop, 1))
		next := t.op(op.Add, k, t.items)
		b.Next(loop, []ir.Value{next}, t.op(op.Ge, next, n), nil)
		*b = behind
	}
	if n >= t.items {
		loop()
		return
	}
	t.when(t.op(op.Lt, t.item, n), loop)
}

// mostParts is how many parts an invocation copies without a loop.
const mostParts = 16

// isUnrolledCopy reports whether an invocation copies its parts of a slice without a loop.
func (t *tileLowering) isUnrolledCopy(x *stagedOperand) bool {
	parts := x.length() * x.kind.Bytes() / copyPartBytes
	return t.items%parts == 0 && x.lines()*parts <= mostParts*t.items
}

// eachPart builds what an invocation does with each of its parts. It passes a line, the part of
// that, and a number of lines that is to be added. The condition is for this part; NoValue is true.
//
// Lines in workgroup memory are an odd number of parts apart. Eight lanes write at a time, which
// must be to different parts modulo eight. If lines are short, these lanes get pairs of parts in
// every other line. So the pairs, which are a sector of global memory, stay together.
func (t *tileLowering) eachPart(x *copySlice, body func(line, part ir.Value, more int, is ir.Value)) {
	const lanes = 8
	parts := x.length * x.kind.Bytes() / copyPartBytes
	total, group := x.lines*parts, lanes*parts
	if !t.isUnrolledCopy(x.stagedOperand) {
		t.dealt(total, func(n ir.Value) { body(t.op(op.Div, n, parts), t.op(op.Rem, n, parts), 0, ir.NoValue) })
		return
	}
	line, part := t.op(op.Div, t.item, parts), t.op(op.Rem, t.item, parts)
	if (parts == 2 || parts == 4) && x.lines%lanes == 0 && t.items%group == 0 {
		n := t.op(op.Rem, t.item, group)
		part = t.sum(t.op(op.And, n, 1), t.op(op.Mul, t.op(op.Div, n, 2*lanes), 2))
		line = t.sum(t.op(op.Mul, t.op(op.And, t.op(op.Div, n, 2), 3), 2), t.op(op.And, t.op(op.Div, n, lanes), 1))
		line = t.sum(line, t.op(op.Mul, t.op(op.Div, t.item, group), lanes))
	}
	for done := 0; done < total; done += t.items {
		more := done / parts
		is := ir.NoValue
		if done+t.items > total {
			is = t.op(op.Lt, line, x.lines-more)
		}
		body(line, part, more, is)
	}
}

// copyAhead computes values of a later iteration, or before the loop those of one of the first.
type copyAhead struct {
	*copyPoint
	t  *tileLowering
	r  *copyLoop
	to map[ir.Value]ir.Value
}

// value returns a value of that iteration (tileLowering.isAhead).
func (a *copyAhead) value(v ir.Value) ir.Value {
	t, f := a.t, a.t.f
	if !t.isIn(a.r.loop, v) {
		return v
	}
	if w, ok := a.to[v]; ok {
		return w
	}
	w := v
	for n, p := range f.Params(f.Region(a.r.loop, 0)) {
		if p == v {
			w = a.parameter(n, p)
			a.to[v] = w
			return w
		}
	}
	i, _ := f.Def(v)
	args := make([]ir.Value, len(f.Args(i)))
	for n, x := range f.Args(i) {
		args[n] = a.value(x)
	}
	flags := t.b.Flags
	t.b.Flags = f.Flags(i) &^ ir.InBounds
	w = t.b.Emit(f.Op(i), f.Type(i), f.Aux(i), args...)
	t.b.Flags = flags
	a.to[v] = w
	return w
}

// parameter returns a parameter of the loop.
func (a *copyAhead) parameter(n int, p ir.Value) ir.Value {
	t := a.t
	if a.before {
		p = t.f.Arg(a.r.loop, n)
	}
	by := a.r.advances[n]
	if t.m.IsZero(a.iterations) || t.m.IsZero(by) {
		return p
	}
	return t.b.Op(op.Add, p, t.b.Op(op.Mul, by, t.b.Convert(t.m.ScalarOf(t.f.TypeOf(p)), a.iterations)))
}
