package ptx

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file emits operations on values whose instructions depend on more than
// an operand's kind: conversions, composites, wide products.

// absolute emits abs; an unsigned integer is its own.
func (e *emitter) absolute(i ir.Inst) {
	x := e.f.Arg(i, 0)
	k := e.m.ScalarOf(e.f.TypeOf(x))
	if k.IsInteger() && !k.IsSigned() {
		e.alias(e.f.Result(i), e.slot(x))
		return
	}
	e.compute(op.Abs, k, e.define(e.f.Result(i)), []operand{e.slot(x)})
}

// multiply emits a product. One of two widened 32-bit integers is a single
// instruction that widens as it multiplies.
func (e *emitter) multiply(i ir.Inst) {
	x, y := e.f.Arg(i, 0), e.f.Arg(i, 1)
	if k, a, b := e.wideProduct(i); k != scalar.None {
		e.expand("mul.wide.$T $d, $a, $b", arguments{k, e.define(e.f.Result(i)), []operand{e.slot(a), e.slot(b)}})
		return
	}
	e.compute(op.Mul, e.m.ScalarOf(e.f.TypeOf(x)), e.define(e.f.Result(i)), []operand{e.slot(x), e.slot(y)})
}

// wideProduct returns the 32-bit kind and factors whose widened product a
// multiplication computes, or None.
func (e *emitter) wideProduct(i ir.Inst) (k scalar.Kind, a, b ir.Value) {
	x, y := e.f.Arg(i, 0), e.f.Arg(i, 1)
	if e.m.ScalarOf(e.f.TypeOf(x)).Bits() != 64 {
		return scalar.None, 0, 0
	}
	k, a = e.narrow(x)
	other, b := e.narrow(y)
	switch {
	case k == scalar.None && x.IsConst():
		k, a = e.narrowConstant(other, x)
	case other == scalar.None && y.IsConst():
		other, b = e.narrowConstant(k, y)
	}
	if k != other {
		return scalar.None, 0, 0
	}
	return k, a, b
}

// narrow returns the 32-bit integer that a value widens, and its kind.
func (e *emitter) narrow(v ir.Value) (scalar.Kind, ir.Value) {
	i, ok := e.f.Def(v)
	if !ok || e.f.Op(i) != op.Convert {
		return scalar.None, 0
	}
	x := e.f.Arg(i, 0)
	if t := e.f.TypeOf(x); (t == ir.I32 || t == ir.U32) && !x.IsConst() {
		return e.m.ScalarOf(t), x
	}
	return scalar.None, 0
}

// narrowConstant returns a 64-bit constant as one of a 32-bit kind that widens
// to it.
func (e *emitter) narrowConstant(k scalar.Kind, v ir.Value) (scalar.Kind, ir.Value) {
	bits := e.m.ConstBits(v)
	if k == scalar.U32 && bits>>32 == 0 || k == scalar.I32 && int64(bits) == int64(int32(bits)) {
		return k, e.m.ConstScalar(ir.Type(k), uint64(uint32(bits)))
	}
	return scalar.None, 0
}

// selection emits a choice, slot by slot.
func (e *emitter) selection(i ir.Inst) {
	c := e.slot(e.f.Arg(i, 0))
	x, y := e.slotsOf(e.f.Arg(i, 1)), e.slotsOf(e.f.Arg(i, 2))
	results := e.define(e.f.Result(i))
	for n, r := range results {
		e.choose(r, c, x[n], y[n])
	}
}

// choose emits r = c ? x : y.
func (e *emitter) choose(r, c, x, y operand) {
	args := []operand{c, x, y}
	if r.class() == predicate {
		text := "and.pred $p0, $a, $b; not.pred $p1, $a; and.pred $p1, $p1, $c; or.pred $d, $p0, $p1"
		switch {
		case x.isConst() && e.holds(x):
			text = "or.pred $d, $a, $c"
		case x.isConst():
			text = "not.pred $p0, $a; and.pred $d, $p0, $c"
		case y.isConst() && e.holds(y):
			text = "not.pred $p0, $a; or.pred $d, $p0, $b"
		case y.isConst():
			text = "and.pred $d, $a, $b"
		}
		e.expand(text, arguments{scalar.Bool, []operand{r}, args})
		return
	}
	e.expand("selp.$B $d, #b, #c, $a", arguments{classKind[r.class()], []operand{r}, args})
}

// holds reports whether a constant is not zero.
func (e *emitter) holds(o operand) bool { return e.m.ConstBits(e.constantValue(o)) != 0 }

// classKind is a kind of each register class.
var classKind = [classCount]scalar.Kind{predicate: scalar.Bool, half: scalar.F16, word: scalar.U32, long: scalar.U64}

// construct names the slots of the parts; no instruction is needed.
func (e *emitter) construct(i ir.Inst) {
	start := len(e.slots)
	for _, a := range e.f.Args(i) {
		if a.IsConst() {
			e.appendConstant(a)
			continue
		}
		at := e.values[a]
		e.slots = append(e.slots, e.slots[at.first:at.first+at.count]...)
	}
	e.values[e.f.Result(i)] = run{uint32(start), uint32(len(e.slots) - start)}
}

// partSlots returns where part n of a type lies among its slots.
func (e *emitter) partSlots(t ir.Type, n uint32) (first, count uint32) {
	if e.m.KindOf(t) != ir.StructType {
		count, _ = e.m.Slots(e.m.Element(t))
		return n * count, count
	}
	for _, member := range e.m.Members(t)[:n] {
		c, _ := e.m.Slots(member.Type)
		first += c
	}
	count, _ = e.m.Slots(e.m.Members(t)[n].Type)
	return first, count
}

// extract names the slots of a part. A dynamic index, which legalising leaves
// for vectors only, becomes a chain of choices that ends with the last
// component, as an index outside does.
func (e *emitter) extract(i ir.Inst) {
	x, index := e.f.Arg(i, 0), e.f.Arg(i, 1)
	slots := e.slotsOf(x)
	if at, ok := e.m.ConstIndex(e.f.TypeOf(x), index); ok {
		first, count := e.partSlots(e.f.TypeOf(x), at)
		e.alias(e.f.Result(i), slots[first:first+count]...)
		return
	}
	_, count := e.partSlots(e.f.TypeOf(x), 0)
	n := uint32(len(slots)) / count
	current := slots[(n-1)*count:]
	for k := int(n) - 2; k >= 0; k-- {
		p := e.isIndex(index, uint32(k))
		next := e.define(e.f.Result(i))
		for s := range next {
			e.choose(next[s], p, slots[uint32(k)*count+uint32(s)], current[s])
		}
		current = next
	}
	e.alias(e.f.Result(i), current...)
}

// insert replaces the slots of a part; a dynamic index replaces each part if it
// is the one.
func (e *emitter) insert(i ir.Inst) {
	x, part, index := e.f.Arg(i, 0), e.slotsOf(e.f.Arg(i, 1)), e.f.Arg(i, 2)
	slots := e.slotsOf(x)
	start := len(e.slots)
	e.slots = append(e.slots, slots...)
	e.values[e.f.Result(i)] = run{uint32(start), uint32(len(slots))}
	if at, ok := e.m.ConstIndex(e.f.TypeOf(x), index); ok {
		first, _ := e.partSlots(e.f.TypeOf(x), at)
		copy(e.slots[start+int(first):], part)
		return
	}
	count := len(part)
	n := len(slots) / count
	for k := range n {
		var p operand
		if k < n-1 {
			p = e.isIndex(index, uint32(k))
		} else {
			p = e.fresh(predicate)
			e.expand("setp.ge.u32 $d, $a, $b", arguments{scalar.U32, []operand{p},
				[]operand{e.slot(index), constantOperand(e.m.ConstU32(uint32(k)))}})
		}
		for s := range part {
			at := start + k*count + s
			r := e.fresh(kinds[e.kindOf(part[s])].class)
			e.choose(r, p, part[s], e.slots[at])
			e.slots[at] = r
		}
	}
}

// kindOf returns a kind that fits an operand's width.
func (e *emitter) kindOf(o operand) scalar.Kind {
	if o.isConst() {
		return e.m.ScalarOf(e.m.TypeOf(e.constantValue(o)))
	}
	return classKind[o.class()]
}

// isIndex emits whether an index is k.
func (e *emitter) isIndex(index ir.Value, k uint32) operand {
	p := e.fresh(predicate)
	kind := e.m.ScalarOf(e.f.TypeOf(index))
	e.expand("setp.eq.$T $d, $a, $b", arguments{kind, []operand{p},
		[]operand{e.slot(index), constantOperand(e.m.ConstInt(ir.Type(kind), int64(k)))}})
	return p
}

// bitcast names the same registers, or joins and splits them where the widths
// of the components differ.
func (e *emitter) bitcast(i ir.Inst) {
	v := e.f.Arg(i, 0)
	slots := e.slotsOf(v)
	to := e.m.ScalarOf(e.f.Type(i))
	from := e.m.ScalarOf(e.f.TypeOf(v))
	if to.Bits() == from.Bits() {
		start := len(e.slots)
		for _, s := range slots {
			if s.isConst() {
				s = constantOperand(e.m.ConstScalar(ir.Type(to), e.m.ConstBits(e.constantValue(s))))
			}
			e.slots = append(e.slots, s)
		}
		e.values[e.f.Result(i)] = run{uint32(start), uint32(len(e.slots) - start)}
		return
	}
	results := e.define(e.f.Result(i))
	if from.Bits() < to.Bits() {
		n := to.Bits() / from.Bits()
		for k, r := range results {
			e.join(r, slots[k*n:k*n+n])
		}
		return
	}
	n := from.Bits() / to.Bits()
	for k, s := range slots {
		e.split(results[k*n:k*n+n], s)
	}
}

// join emits r = the parts' bits, the first lowest.
func (e *emitter) join(r operand, parts []operand) {
	var in [4]operand
	for n, p := range parts {
		in[n] = e.register(p)
	}
	e.text("\tmov.", kinds[classKind[r.class()]].bits, " ")
	e.name(r)
	e.text(", ")
	e.tuple(in[:len(parts)])
	e.text(";\n")
}

// split emits parts = the bits of s, the first lowest.
func (e *emitter) split(parts []operand, s operand) {
	s = e.register(s)
	e.text("\tmov.", kinds[classKind[s.class()]].bits, " ")
	e.tuple(parts)
	e.text(", ")
	e.name(s)
	e.text(";\n")
}

// tuple prints registers in braces.
func (e *emitter) tuple(parts []operand) {
	for n, p := range parts {
		separator := ", "
		if n == 0 {
			separator = "{"
		}
		e.text(separator)
		e.bits(p)
	}
	e.text("}")
}

// convert emits a conversion of scalar kinds.
func (e *emitter) convert(i ir.Inst) {
	v := e.f.Arg(i, 0)
	from, to := e.m.ScalarOf(e.f.TypeOf(v)), e.m.ScalarOf(e.f.Type(i))
	if from == to || kinds[from].class == kinds[to].class && from.IsInteger() && to.IsInteger() {
		s := e.slot(v)
		if s.isConst() {
			s = constantOperand(e.m.ConstScalar(ir.Type(to), e.m.ConstBits(e.constantValue(s))))
		}
		e.alias(e.f.Result(i), s)
		return
	}
	text := conversions[to][from]
	if text == "" {
		panic("ptx has no conversion from " + from.String() + " to " + to.String())
	}
	e.expand(text, arguments{from, e.define(e.f.Result(i)), []operand{e.slot(v)}})
}

// conversions are templates by destination and source. Floats saturate to the
// highest integer that the float's kind represents: the instruction saturates
// at the integer's own range and gives 0 for a NaN, and the lesser of that and
// the bound is the answer.
var conversions = [scalar.Count][scalar.Count]string{
	scalar.Bool: {
		scalar.I32: "setp.ne.s32 $d, $a, 0", scalar.U32: "setp.ne.u32 $d, $a, 0",
		scalar.I64: "setp.ne.s64 $d, $a, 0", scalar.U64: "setp.ne.u64 $d, $a, 0",
		scalar.F32: "setp.neu.f32 $d, $a, 0f00000000",
		scalar.F16: "cvt.f32.f16 $r0, $a; setp.neu.f32 $d, $r0, 0f00000000",
	},
	scalar.I32: {
		scalar.Bool: "selp.b32 $d, 1, 0, $a",
		scalar.F32:  "cvt.rzi.s32.f32 $r0, $a; min.s32 $d, $r0, 2147483520",
		scalar.F16:  "cvt.rzi.s32.f16 $r0, $a; min.s32 $r0, $r0, 65504; max.s32 $d, $r0, -65504",
		scalar.I64:  "cvt.u32.u64 $d, $a", scalar.U64: "cvt.u32.u64 $d, $a",
	},
	scalar.U32: {
		scalar.Bool: "selp.b32 $d, 1, 0, $a",
		scalar.F32:  "cvt.rzi.u32.f32 $r0, $a; min.u32 $d, $r0, 4294967040",
		scalar.F16:  "cvt.rzi.u32.f16 $r0, $a; min.u32 $d, $r0, 65504",
		scalar.I64:  "cvt.u32.u64 $d, $a", scalar.U64: "cvt.u32.u64 $d, $a",
	},
	scalar.I64: {
		scalar.Bool: "selp.b64 $d, 1, 0, $a",
		scalar.I32:  "cvt.s64.s32 $d, $a", scalar.U32: "cvt.u64.u32 $d, $a",
		scalar.F32: "cvt.rzi.s64.f32 $l0, $a; setp.nan.f32 $p0, $a, $a; selp.b64 $l0, 0, $l0, $p0; min.s64 $d, $l0, 0x7FFFFF8000000000",
		scalar.F16: "cvt.f32.f16 $r0, $a; cvt.rzi.s32.f32 $r0, $r0; min.s32 $r0, $r0, 65504; max.s32 $r0, $r0, -65504; cvt.s64.s32 $d, $r0",
	},
	scalar.U64: {
		scalar.Bool: "selp.b64 $d, 1, 0, $a",
		scalar.I32:  "cvt.s64.s32 $d, $a", scalar.U32: "cvt.u64.u32 $d, $a",
		scalar.F32: "cvt.rzi.u64.f32 $l0, $a; setp.nan.f32 $p0, $a, $a; selp.b64 $l0, 0, $l0, $p0; min.u64 $d, $l0, 0xFFFFFF0000000000U",
		scalar.F16: "cvt.f32.f16 $r0, $a; cvt.rzi.u32.f32 $r0, $r0; min.u32 $r0, $r0, 65504; cvt.u64.u32 $d, $r0",
	},
	scalar.F32: {
		scalar.Bool: "selp.f32 $d, 0f3F800000, 0f00000000, $a",
		scalar.I32:  "cvt.rn.f32.s32 $d, $a", scalar.U32: "cvt.rn.f32.u32 $d, $a",
		scalar.I64: "cvt.rn.f32.s64 $d, $a", scalar.U64: "cvt.rn.f32.u64 $d, $a",
		scalar.F16: "cvt.f32.f16 $d, $a",
	},
	scalar.F16: {
		scalar.Bool: "selp.b16 $d, 0x3C00, 0, $a",
		scalar.I32:  "cvt.rn.f16.s32 $d, $a", scalar.U32: "cvt.rn.f16.u32 $d, $a",
		scalar.I64: "cvt.rn.f16.s64 $d, $a", scalar.U64: "cvt.rn.f16.u64 $d, $a",
		scalar.F32: "cvt.rn.f16.f32 $d, $a",
	},
}
