package interp

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file compiles operations on values: those that act on each component,
// with an instruction a component, and those that take composites apart, which
// mostly only rearrange lists of slots.

// compilers returns what compiles each operation that is not elementwise. The
// rest have nil and an entry in package eval. It is a function because the
// entries refer back to it through blocks.
func compilers() [op.Count]func(*compiler, ir.Inst) {
	table := [op.Count]func(*compiler, ir.Inst){
		op.All:       func(c *compiler, i ir.Inst) { c.fold(i, opAnd) },
		op.Any:       func(c *compiler, i ir.Inst) { c.fold(i, opOr) },
		op.Dot:       (*compiler).dot,
		op.Dot4I8:    func(c *compiler, i ir.Inst) { c.packedDot(i, eval.Dot4I8) },
		op.Dot4U8:    func(c *compiler, i ir.Inst) { c.packedDot(i, eval.Dot4U8) },
		op.Select:    (*compiler).choose,
		op.Convert:   (*compiler).convert,
		op.Bitcast:   (*compiler).bitcast,
		op.Splat:     (*compiler).splat,
		op.Construct: (*compiler).construct,
		op.Extract:   (*compiler).extract,
		op.Insert:    (*compiler).insert,
		op.Shuffle:   (*compiler).shuffle,

		op.Var:                   func(*compiler, ir.Inst) {}, // see variables
		op.Access:                (*compiler).access,
		op.Address:               (*compiler).rawAddress,
		op.Load:                  (*compiler).load,
		op.Store:                 (*compiler).store,
		op.Copy:                  (*compiler).copy,
		op.ArrayLength:           (*compiler).arrayLength,
		op.AtomicLoad:            (*compiler).atomicLoad,
		op.AtomicStore:           (*compiler).atomicStore,
		op.AtomicReadModifyWrite: (*compiler).atomicModify,
		op.AtomicCompareExchange: (*compiler).atomicExchange,

		op.ControlBarrier: (*compiler).barrier,
		op.Intrinsic:      (*compiler).intrinsic,
		op.Call:           (*compiler).call,
		op.If:             (*compiler).branch,
		op.Switch:         (*compiler).selectCase,
		op.Loop:           (*compiler).loop,
		op.Scope:          (*compiler).scope,
		op.Exit:           (*compiler).exit,
		op.Continue:       (*compiler).proceed,
		op.Next:           (*compiler).next,
		op.Return:         (*compiler).result,
		op.Unreachable:    func(c *compiler, _ ir.Inst) { c.emit(instruction{op: opEnd}) },
	}
	for o := op.TileLoad; o <= op.TileTranspose; o++ {
		table[o] = (*compiler).tileTogether
	}
	table[op.TileSplat], table[op.TileConvert] = (*compiler).tileSplat, (*compiler).tileConvert
	table[op.TileCount], table[op.TileRow], table[op.TileColumn] = (*compiler).tileCount, (*compiler).tilePosition, (*compiler).tilePosition
	table[op.TileGet], table[op.TileSet] = (*compiler).tileGet, (*compiler).tileSet
	for o := op.Pack4x8Snorm; o <= op.Pack2x16Float; o++ {
		table[o] = (*compiler).pack
	}
	for o := op.Unpack4x8Snorm; o <= op.Unpack2x16Float; o++ {
		table[o] = (*compiler).unpack
	}
	for o := op.TextureSize; o <= op.TextureGatherCompare; o++ {
		table[o] = (*compiler).texture
	}
	for o := op.SubgroupElect; o <= op.QuadSwapDiagonal; o++ {
		table[o] = (*compiler).subgroup
	}
	return table
}

// direct names the machine's own instruction for an operation on a kind, or
// opEnd. Everything else goes through a function of package eval.
type direct struct {
	i32, u32, f32, bool opcode
	swapped             bool // with the operands exchanged
}

var directs = [op.Count]direct{
	op.Neg: {f32: opNegF32},
	op.Add: {i32: opAdd32, u32: opAdd32, f32: opAddF32},
	op.Sub: {i32: opSub32, u32: opSub32, f32: opSubF32},
	op.Mul: {i32: opMul32, u32: opMul32, f32: opMulF32},
	op.Div: {f32: opDivF32},
	op.Min: {i32: opMinI32, u32: opMinU32},
	op.Max: {i32: opMaxI32, u32: opMaxU32},
	op.Not: {i32: opNot32, u32: opNot32, bool: opNotBool},
	op.And: {i32: opAnd, u32: opAnd, bool: opAnd},
	op.Or:  {i32: opOr, u32: opOr, bool: opOr},
	op.Xor: {i32: opXor, u32: opXor, bool: opXor},
	op.Shl: {i32: opShiftLeft32, u32: opShiftLeft32},
	op.Shr: {i32: opShiftRightI32, u32: opShiftRightU32},
	op.Eq:  {i32: opEqual, u32: opEqual, f32: opEqualF32, bool: opEqual},
	op.Ne:  {i32: opUnequal, u32: opUnequal, f32: opUnequalF32, bool: opUnequal},
	op.Lt:  {i32: opLessI32, u32: opLessU32, f32: opLessF32},
	op.Le:  {i32: opLessEqualI32, u32: opLessEqualU32, f32: opLessEqualF32},
	op.Gt:  {i32: opLessI32, u32: opLessU32, f32: opLessF32, swapped: true},
	op.Ge:  {i32: opLessEqualI32, u32: opLessEqualU32, f32: opLessEqualF32, swapped: true},
}

func directFor(o op.Op, k scalar.Kind) (in opcode, swapped bool) {
	d := &directs[o]
	switch k {
	case scalar.I32:
		in = d.i32
	case scalar.U32:
		in = d.u32
	case scalar.F32:
		in = d.f32
	case scalar.Bool:
		in = d.bool
	}
	return in, d.swapped
}

// apply emits an elementwise operation on scalars.
func (c *compiler) apply(i ir.Inst, o op.Op, k scalar.Kind, to slot, operands ...slot) {
	in, swapped := directFor(o, k)
	if in != opEnd {
		out := instruction{op: in, d: to, a: operands[0]}
		if len(operands) > 1 {
			out.b = operands[1]
		}
		if swapped {
			out.a, out.b = out.b, out.a
		}
		c.emit(out)
		return
	}
	f := eval.For(o, k)
	if f == nil {
		c.fail(i, "it is not defined on "+k.String())
		return
	}
	out := instruction{op: opEval1 + opcode(len(operands)-1), d: to, aux: c.functionOf(f)}
	switch len(operands) {
	case 4:
		out.x = uint64(c.list(operands))
	case 3:
		out.c = operands[2]
		fallthrough
	case 2:
		out.b = operands[1]
		fallthrough
	default:
		out.a = operands[0]
	}
	c.emit(out)
}

func (c *compiler) elementwise(i ir.Inst) {
	f, m := c.f, c.m
	o := f.Op(i)
	s := op.SignatureOf(o)
	if !s.Elementwise() {
		c.fail(i, "it has no implementation")
		return
	}
	k := scalar.None
	for n, v := range f.Args(i) {
		if s.Operands[n] == (op.Pattern{}) {
			k = m.ScalarOf(f.TypeOf(v))
			break
		}
	}
	to := c.define(i)
	var operands [4]slot
	args := f.Args(i)
	for component := range to {
		for n, v := range args {
			all := c.slots(v)
			operands[n] = all[min(component, len(all)-1)] // a scalar operand serves all
		}
		c.apply(i, o, k, to[component], operands[:len(args)]...)
	}
}

// choose compiles select, whose values may be of any type.
func (c *compiler) choose(i ir.Inst) {
	condition, x, y := c.slots(c.f.Arg(i, 0)), c.slots(c.f.Arg(i, 1)), c.slots(c.f.Arg(i, 2))
	for n, d := range c.define(i) {
		c.emit(instruction{op: opSelect, d: d, a: condition[min(n, len(condition)-1)], b: x[n], c: y[n]})
	}
}

// fold joins the components of a vector.
func (c *compiler) fold(i ir.Inst, in opcode) {
	all := c.slots(c.f.Arg(i, 0))
	if len(all) == 1 {
		c.valueSlots[c.f.Result(i)] = all
		return
	}
	to := c.define(i)[0]
	c.emit(instruction{op: in, d: to, a: all[0], b: all[1]})
	for _, s := range all[2:] {
		c.emit(instruction{op: in, d: to, a: to, b: s})
	}
}

// dot adds the products in order, each step rounded, as eval.Dot does.
func (c *compiler) dot(i ir.Inst) {
	x, y := c.slots(c.f.Arg(i, 0)), c.slots(c.f.Arg(i, 1))
	k := c.m.ScalarOf(c.f.Type(i))
	to := c.define(i)[0]
	product := c.fresh(1)[0]
	c.apply(i, op.Mul, k, to, x[0], y[0])
	for n := 1; n < len(x); n++ {
		c.apply(i, op.Mul, k, product, x[n], y[n])
		c.apply(i, op.Add, k, to, to, product)
	}
}

func (c *compiler) packedDot(i ir.Inst, f func(a, b uint64) uint64) {
	number := c.functionOf(func(a, b, _, _ uint64) uint64 { return f(a, b) })
	c.emit(instruction{op: opEval2, d: c.define(i)[0], a: c.one(c.f.Arg(i, 0)), b: c.one(c.f.Arg(i, 1)), aux: number})
}

func (c *compiler) pack(i ir.Inst) {
	all := c.slots(c.f.Arg(i, 0))
	c.emit(instruction{op: opPack, d: c.define(i)[0], n: uint16(len(all)), aux: c.list(all), x: uint64(c.f.Op(i))})
}

func (c *compiler) unpack(i ir.Inst) {
	from := c.one(c.f.Arg(i, 0))
	to := c.define(i)
	c.emit(instruction{op: opUnpack, d: to[0], a: from, n: uint16(len(to)), x: uint64(c.f.Op(i))})
}

// convert compiles a conversion; one between i32 and u32, or to the kind it has,
// keeps the bits.
func (c *compiler) convert(i ir.Inst) {
	arg := c.f.Arg(i, 0)
	to, from := c.m.ScalarOf(c.f.Type(i)), c.m.ScalarOf(c.f.TypeOf(arg))
	word := func(k scalar.Kind) bool { return k == scalar.I32 || k == scalar.U32 }
	wide := func(k scalar.Kind) bool { return k == scalar.I64 || k == scalar.U64 }
	if to == from || word(to) && word(from) || wide(to) && wide(from) {
		c.valueSlots[c.f.Result(i)] = c.slots(arg)
		return
	}
	f := eval.Convert(to, from)
	if f == nil {
		c.fail(i, "it is not defined from "+from.String()+" to "+to.String())
		return
	}
	number := uint32(len(c.image.converts))
	c.image.converts = append(c.image.converts, f)
	all := c.slots(arg)
	for n, d := range c.define(i) {
		c.emit(instruction{op: opConvert, d: d, a: all[n], aux: number})
	}
}

// bitcast keeps the slots where the components have equal widths.
func (c *compiler) bitcast(i ir.Inst) {
	arg := c.f.Arg(i, 0)
	to, from := c.m.ScalarOf(c.f.Type(i)), c.m.ScalarOf(c.f.TypeOf(arg))
	all := c.slots(arg)
	if to.Bits() == from.Bits() && to != scalar.Bool {
		c.valueSlots[c.f.Result(i)] = all
		return
	}
	d := c.define(i)
	c.emit(instruction{op: opBitcast, d: d[0], n: uint16(len(all)), aux: c.list(all),
		x: uint64(from.Bits()) | uint64(to.Bits())<<8 | uint64(len(d))<<16})
}

func (c *compiler) splat(i ir.Inst) {
	s := c.one(c.f.Arg(i, 0))
	all := make([]slot, c.m.Components(c.f.Type(i)))
	for n := range all {
		all[n] = s
	}
	c.valueSlots[c.f.Result(i)] = all
}

func (c *compiler) construct(i ir.Inst) {
	var all []slot
	for _, v := range c.f.Args(i) {
		all = append(all, c.slots(v)...)
	}
	c.valueSlots[c.f.Result(i)] = all
}

func (c *compiler) shuffle(i ir.Inst) {
	from := c.slots(c.f.Arg(i, 0))
	all := make([]slot, c.m.Components(c.f.Type(i)))
	for n := range all {
		all[n] = from[min(int(op.SwizzleComponent(c.f.Aux(i), n)), len(from)-1)]
	}
	c.valueSlots[c.f.Result(i)] = all
}

// part returns the range of slots of part n.
func (c *compiler) part(t ir.Type, n uint32) (first, count int) {
	m := c.m
	if m.KindOf(t) == ir.StructType {
		for _, member := range m.Members(t)[:n] {
			size, _ := c.slotCount(member.Type)
			first += int(size)
		}
	}
	size, _ := c.slotCount(m.PartType(t, n))
	if m.KindOf(t) != ir.StructType {
		first = int(n) * int(size)
	}
	return first, int(size)
}

// inside returns a constant index that names a part. One outside is treated as a
// dynamic one, which is clamped and, in the checked mode, reported.
func (c *compiler) inside(t ir.Type, index ir.Value) (n uint32, ok bool) {
	x, ok := c.m.ConstUint(index)
	count, known := c.m.Count(t)
	return uint32(x), ok && known && x < uint64(count)
}

func (c *compiler) extract(i ir.Inst) {
	v, index := c.f.Arg(i, 0), c.f.Arg(i, 1)
	t := c.f.TypeOf(v)
	if n, ok := c.inside(t, index); ok {
		first, count := c.part(t, n)
		c.valueSlots[c.f.Result(i)] = c.slots(v)[first : first+count]
		return
	}
	parts, _ := c.m.Count(t)
	if parts == 0 { // there is no last part to read
		c.zero(c.define(i))
		return
	}
	if v.IsConst() && c.m.KindOf(t) == ir.ArrayType {
		first := len(c.image.tables)
		c.appendTable(v)
		to := c.define(i)
		if len(to) == 0 {
			return
		}
		if parts > math.MaxUint16 {
			c.fail(i, "the table has more than 65535 elements; it belongs in constant memory")
		}
		c.emitFinder(i, instruction{op: opTable, d: to[0], a: c.one(index), b: slot(len(to)), n: uint16(parts), aux: uint32(first),
			c: c.signedIndex(index)})
		return
	}
	all := c.slots(v)
	if to := c.define(i); len(to) > 0 {
		c.emitFinder(i, instruction{op: opExtract, d: to[0], a: c.one(index), b: slot(len(to)), n: uint16(len(all)), aux: c.list(all),
			c: c.signedIndex(index)})
	}
}

// signedIndex is what instructions that index values hold of the index's type.
func (c *compiler) signedIndex(index ir.Value) slot {
	if c.isSigned(index) {
		return 1
	}
	return 0
}

func (c *compiler) zero(to []slot) {
	for _, s := range to {
		c.move(s, c.bits(0))
	}
}

// appendTable appends the scalars of a constant to the tables.
func (c *compiler) appendTable(v ir.Value) {
	t := c.m.TypeOf(v)
	if c.m.IsScalar(t) {
		c.image.tables = append(c.image.tables, c.m.ConstBits(v))
		return
	}
	if n, ok := c.slotCount(t); ok && c.m.IsZero(v) {
		c.image.tables = append(c.image.tables, make([]uint64, min(n, maxLeaves))...)
		return
	}
	n, _ := c.m.Count(t)
	for k := range n {
		c.appendTable(c.m.ConstPart(v, k))
	}
}

func (c *compiler) insert(i ir.Inst) {
	v, value, index := c.f.Arg(i, 0), c.slots(c.f.Arg(i, 1)), c.f.Arg(i, 2)
	all := c.slots(v)
	if n, ok := c.inside(c.f.TypeOf(v), index); ok {
		first, count := c.part(c.f.TypeOf(v), n)
		changed := append(make([]slot, 0, len(all)), all[:first]...)
		changed = append(changed, value...)
		c.valueSlots[c.f.Result(i)] = append(changed, all[first+count:]...)
		return
	}
	if len(all) == 0 || len(value) == 0 {
		c.valueSlots[c.f.Result(i)] = all
		return
	}
	to := c.define(i)
	c.emit(instruction{op: opInsert, d: to[0], a: c.one(index), b: slot(len(value)), n: uint16(len(all)), aux: c.list(all), x: uint64(c.list(value)),
		c: c.signedIndex(index)})
}
