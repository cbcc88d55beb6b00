package mir

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers values. A value of the IR, be it a vector or a structure, is a run
// of slots, each a register or a constant.

// Slots returns the scalars of a value. The slice must not be changed, and lasts until
// the next value of several scalars is asked for.
func (b *Builder) Slots(v ir.Value) []Operand {
	if v.IsLocal() {
		at := b.values[v]
		return b.slots[at.first : at.first+at.count]
	}
	start := len(b.slots)
	b.appendConstant(v)
	return b.slots[start:]
}

// Slot returns the only scalar of a value.
func (b *Builder) Slot(v ir.Value) Operand {
	if v.IsLocal() {
		return b.slots[b.values[v].first]
	}
	return Const(v)
}

func (b *Builder) appendConstant(v ir.Value) {
	t := b.M.TypeOf(v)
	if b.M.IsScalar(t) {
		b.slots = append(b.slots, Const(v))
		return
	}
	n, _ := b.M.Count(t)
	// all parts are alike, and there may be thousands
	if n > 1 && b.M.KindOf(t) != ir.StructType && b.M.IsZero(v) {
		start := len(b.slots)
		b.appendConstant(b.M.ConstPart(v, 0))
		end := len(b.slots)
		for range n - 1 {
			b.slots = append(b.slots, b.slots[start:end]...)
		}
		return
	}
	for i := range n {
		b.appendConstant(b.M.ConstPart(v, i))
	}
}

// Define gives a value fresh registers and returns them.
func (b *Builder) Define(v ir.Value) []Operand {
	start := len(b.slots)
	b.appendFresh(b.F.TypeOf(v))
	b.values[v] = run{uint32(start), uint32(len(b.slots) - start)}
	return b.slots[start:]
}

// appendFresh appends a fresh register for each scalar in a type.
func (b *Builder) appendFresh(t ir.Type) {
	if b.M.IsScalar(t) {
		b.slots = append(b.slots, b.Fresh(ClassOf(b.M.ScalarOf(t))))
		return
	}
	n, _ := b.M.Count(t)
	for i := range n {
		b.appendFresh(b.M.PartType(t, i))
	}
}

// Alias binds a value to operands that exist already.
func (b *Builder) Alias(v ir.Value, slots ...Operand) {
	start := len(b.slots)
	b.slots = append(b.slots, slots...)
	b.values[v] = run{uint32(start), uint32(len(slots))}
}

// absolute lowers abs; an unsigned integer is its own.
func (b *Builder) absolute(i ir.Inst) {
	x := b.F.Arg(i, 0)
	k := b.M.ScalarOf(b.F.TypeOf(x))
	if k.IsInteger() && !k.IsSigned() {
		b.Alias(b.F.Result(i), b.Slot(x))
		return
	}
	b.Emit(Op(op.Abs), k, b.Define(b.F.Result(i)), b.Slot(x))
}

// multiply lowers a product. One of two widened 32-bit integers is a single
// instruction that widens as it multiplies.
func (b *Builder) multiply(i ir.Inst) {
	x, y := b.F.Arg(i, 0), b.F.Arg(i, 1)
	if k, p, q := b.wideProduct(i); k != scalar.None {
		b.Emit(MulWide, k, b.Define(b.F.Result(i)), b.Slot(p), b.Slot(q))
		return
	}
	b.Emit(Op(op.Mul), b.M.ScalarOf(b.F.TypeOf(x)), b.Define(b.F.Result(i)), b.Slot(x), b.Slot(y))
}

// wideProduct returns the 32-bit kind and factors whose widened product a
// multiplication computes, or None.
func (b *Builder) wideProduct(i ir.Inst) (k scalar.Kind, p, q ir.Value) {
	x, y := b.F.Arg(i, 0), b.F.Arg(i, 1)
	if k := b.M.ScalarOf(b.F.TypeOf(x)); k.Bits() != 64 || !k.IsInteger() {
		return scalar.None, 0, 0
	}
	k, p = b.narrow(x)
	other, q := b.narrow(y)
	switch {
	case k == scalar.None && x.IsConst():
		k, p = b.narrowConstant(other, x)
	case other == scalar.None && y.IsConst():
		other, q = b.narrowConstant(k, y)
	}
	if k != other {
		return scalar.None, 0, 0
	}
	return k, p, q
}

// narrow returns the 32-bit integer that a value widens, and its kind.
func (b *Builder) narrow(v ir.Value) (scalar.Kind, ir.Value) {
	i, ok := b.F.Def(v)
	if !ok || b.F.Op(i) != op.Convert {
		return scalar.None, 0
	}
	x := b.F.Arg(i, 0)
	if t := b.F.TypeOf(x); (t == ir.I32 || t == ir.U32) && !x.IsConst() {
		return b.M.ScalarOf(t), x
	}
	return scalar.None, 0
}

// narrowConstant returns a 64-bit constant as one of a 32-bit kind that widens
// to it.
func (b *Builder) narrowConstant(k scalar.Kind, v ir.Value) (scalar.Kind, ir.Value) {
	bits := b.M.ConstBits(v)
	if k == scalar.U32 && bits>>32 == 0 || k == scalar.I32 && int64(bits) == int64(int32(bits)) {
		return k, b.M.ConstScalar(ir.Type(k), uint64(uint32(bits)))
	}
	return scalar.None, 0
}

// selection lowers a choice, slot by slot.
func (b *Builder) selection(i ir.Inst) {
	c := b.Slot(b.F.Arg(i, 0))
	results := b.Define(b.F.Result(i))
	x, y := b.Slots(b.F.Arg(i, 1)), b.Slots(b.F.Arg(i, 2))
	for n, r := range results {
		b.choose(r, c, x[n], y[n])
	}
}

// choose emits r = c ? x : y.
func (b *Builder) choose(r, c, x, y Operand) {
	b.Emit(Op(op.Select), b.Out.KindOf(r), []Operand{r}, c, x, y)
}

// Choose returns c ? x : y.
func (b *Builder) Choose(c, x, y Operand) Operand {
	r := b.Fresh(b.Out.classOf(x))
	b.choose(r, c, x, y)
	return r
}

// construct names the slots of the parts; no instruction is needed.
func (b *Builder) construct(i ir.Inst) {
	start := len(b.slots)
	for _, a := range b.F.Args(i) {
		if a.IsConst() {
			b.appendConstant(a)
			continue
		}
		at := b.values[a]
		b.slots = append(b.slots, b.slots[at.first:at.first+at.count]...)
	}
	b.values[b.F.Result(i)] = run{uint32(start), uint32(len(b.slots) - start)}
}

// partSlots returns where part n of a type lies among its slots.
func (b *Builder) partSlots(t ir.Type, n uint32) (first, count uint32) {
	if b.M.KindOf(t) != ir.StructType {
		count, _ = b.M.Slots(b.M.Element(t))
		return n * count, count
	}
	for _, member := range b.M.Members(t)[:n] {
		c, _ := b.M.Slots(member.Type)
		first += c
	}
	count, _ = b.M.Slots(b.M.Members(t)[n].Type)
	return first, count
}

// extract names the slots of a part. A dynamic index, which legalising leaves
// for vectors only, becomes a chain of choices that ends with the last
// component, as an index outside does.
func (b *Builder) extract(i ir.Inst) {
	x, index := b.F.Arg(i, 0), b.F.Arg(i, 1)
	slots := b.Slots(x)
	if at, ok := b.M.ConstIndex(b.F.TypeOf(x), index); ok {
		first, count := b.partSlots(b.F.TypeOf(x), at)
		b.Alias(b.F.Result(i), slots[first:first+count]...)
		return
	}
	_, count := b.partSlots(b.F.TypeOf(x), 0)
	n := uint32(len(slots)) / count
	current := slots[(n-1)*count:]
	for k := int(n) - 2; k >= 0; k-- {
		p := b.isIndex(index, uint32(k))
		next := b.Define(b.F.Result(i))
		for s := range next {
			b.choose(next[s], p, slots[uint32(k)*count+uint32(s)], current[s])
		}
		current = next
	}
	b.Alias(b.F.Result(i), current...)
}

// insert replaces the slots of a part; a dynamic index replaces each part if it
// is the one.
func (b *Builder) insert(i ir.Inst) {
	x, index := b.F.Arg(i, 0), b.F.Arg(i, 2)
	part, slots := b.Slots(b.F.Arg(i, 1)), b.Slots(x)
	start := len(b.slots)
	b.slots = append(b.slots, slots...)
	b.values[b.F.Result(i)] = run{uint32(start), uint32(len(slots))}
	if at, ok := b.M.ConstIndex(b.F.TypeOf(x), index); ok {
		first, _ := b.partSlots(b.F.TypeOf(x), at)
		copy(b.slots[start+int(first):], part)
		return
	}
	count := len(part)
	n := len(slots) / count
	for k := range n {
		var p Operand
		if k < n-1 {
			p = b.isIndex(index, uint32(k))
		} else {
			p = b.Compute(op.Ge, scalar.U32, b.Slot(index), b.U32(uint32(k)))
		}
		for s := range part {
			at := start + k*count + s
			b.slots[at] = b.Choose(p, part[s], b.slots[at])
		}
	}
}

// isIndex emits whether an index is k.
func (b *Builder) isIndex(index ir.Value, k uint32) Operand {
	kind := b.M.ScalarOf(b.F.TypeOf(index))
	return b.Compute(op.Eq, kind, b.Slot(index), b.Int(kind, int64(k)))
}

// bitcast names the same registers, or joins and splits them where the widths
// of the components differ.
func (b *Builder) bitcast(i ir.Inst) {
	v := b.F.Arg(i, 0)
	to, from := b.M.ScalarOf(b.F.Type(i)), b.M.ScalarOf(b.F.TypeOf(v))
	slots := b.Slots(v)
	if to.Bits() == from.Bits() {
		start := len(b.slots)
		for _, s := range slots {
			b.slots = append(b.slots, b.As(to, s))
		}
		b.values[b.F.Result(i)] = run{uint32(start), uint32(len(b.slots) - start)}
		return
	}
	results := b.Define(b.F.Result(i))
	if from.Bits() < to.Bits() {
		n := to.Bits() / from.Bits()
		for k, r := range results {
			b.Emit(Join, to, []Operand{r}, slots[k*n:k*n+n]...)
		}
		return
	}
	n := from.Bits() / to.Bits()
	for k, s := range slots {
		b.Emit(Split, from, results[k*n:k*n+n], s)
	}
}

// As returns an operand as one of another kind of the same width.
func (b *Builder) As(k scalar.Kind, s Operand) Operand {
	if !s.IsConst() {
		return s
	}
	return b.Out.as(k, s)
}

// conversion lowers a conversion of scalar kinds. Integers of a width convert to each
// other by name, and narrow ones by way of the word that holds them.
func (b *Builder) conversion(i ir.Inst) {
	v := b.F.Arg(i, 0)
	from, to := b.M.ScalarOf(b.F.TypeOf(v)), b.M.ScalarOf(b.F.Type(i))
	x := b.Slot(v)
	if from.IsNarrow() && from != to {
		from, x = b.widen(from, to, x)
	}
	if to.IsNarrow() && from != to {
		if from != scalar.I32 {
			x = b.converted(scalar.U32, from, x)
		}
		x = b.Compute(op.And, scalar.U32, b.As(scalar.U32, x), b.U32(uint32(to.Mask())))
		from = to
	}
	b.Alias(b.F.Result(i), b.converted(to, from, x))
}

// widen returns a narrow integer as the word, of the kind that it returns, that a conversion goes
// on from.
func (b *Builder) widen(from, to scalar.Kind, x Operand) (scalar.Kind, Operand) {
	if !from.IsSigned() || to.Bits() == from.Bits() {
		return scalar.U32, b.As(scalar.U32, x)
	}
	return scalar.I32, b.Compute(op.ExtractBits, scalar.I32, b.As(scalar.I32, x), b.U32(0), b.U32(uint32(from.Bits())))
}

// converted emits a conversion, unless the kinds differ in name only.
func (b *Builder) converted(to, from scalar.Kind, x Operand) Operand {
	if from == to || ClassOf(from) == ClassOf(to) && from.IsInteger() && to.IsInteger() {
		return b.As(to, x)
	}
	r := b.Fresh(ClassOf(to))
	at := b.Emit(Op(op.Convert), from, []Operand{r}, x)
	b.Out.insts[at].to = to
	return r
}
