package vector

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file makes instructions of a function: a walk over its blocks in their order.

// maxArena and maxPrivate bound what a worker needs: the columns of values, and those of the
// invocations' own memory.
const (
	maxArena   = 64 << 20
	maxPrivate = 256 << 20
)

// compiler compiles one kernel.
type compiler struct {
	p   *lower.Program
	f   *mir.Func
	u   *lower.Uniform
	out *Program

	homes []operand // by register: where it is kept; at is known once slots are assigned
	// by register: how many instructions read it, decomposed addresses left out
	needed       []uint32
	constants    []uint32 // by constant: its offset in the arena plus one
	columns      []uint32 // by constant: that of a column which is filled with it
	addresses    []address
	addends      []lower.Addend // see decompose
	addressOf    []uint32       // by instruction, from 1
	products     []mir.Inst     // by instruction: the product that is made with it
	end          uint32         // of the arena so far
	temporary    [temporaries]uint32
	reads        []mir.Operand
	backward     []mir.Inst
	shadows      []shadow
	forwardEdges []int32 // see countEdges
	early        []bool
	moves        []move
	slots        slots
}

// temporaries are columns for what lives within one instruction: three of words and three of longs,
// by operand, and one each for results.
const temporaries = 8

// Compile makes a program of a kernel. What it cannot run gives a *lower.Refused.
func Compile(p *lower.Program) (*Program, error) {
	group := int(p.Invocations())
	lanes := group * groupsAtOnce(p)
	out := &Program{source: p, name: p.F.Source.Name, group: group, lanes: lanes, room: (lanes + 7) &^ 7, primitives: primitives()}
	if uint64(p.PrivateBytes)*uint64(out.room) > maxPrivate {
		return nil, &lower.Refused{Reason: "the invocations of a workgroup have too much memory of their own"}
	}
	c := compiler{p: p, f: p.F, u: &p.Uniform[lower.Group], out: out}
	if lanes != group {
		c.u = p.MultiGroup()
	}
	c.survey()
	for _, a := range c.addresses {
		if a.root < 0 {
			return nil, &lower.Refused{Reason: "an address does not show in which buffer it lies"}
		}
	}
	c.countEdges()
	c.assign()
	if c.end > maxArena {
		return nil, &lower.Refused{Reason: "the invocations of a workgroup hold too many values at once"}
	}
	for n, b := range c.f.Order {
		out.starts = append(out.starts, uint32(len(out.code)))
		c.enter(n)
		for i := c.f.First(b); i != 0; i = c.f.Next(i) {
			if err := c.instruction(n, i); err != nil {
				return nil, err
			}
		}
	}
	if c.end > maxArena {
		return nil, &lower.Refused{Reason: "the invocations of a workgroup hold too many values at once"}
	}
	out.arena = int(c.end)
	return out, nil
}

// reserve takes room in the arena.
func (c *compiler) reserve(bytes int) uint32 {
	at := (c.end + 31) &^ 31
	c.end = at + uint32(bytes+31)&^31
	return at
}

// width returns the bytes of an element of a column.
func width(class mir.Class) int {
	if class == mir.Long {
		return 8
	}
	return 4
}

// emit appends an instruction.
func (c *compiler) emit(i inst) { c.out.code = append(c.out.code, i) }

// operandOf returns where an operand is kept.
func (c *compiler) operandOf(o mir.Operand) operand {
	if !o.IsConst() {
		return c.homes[c.f.Index(o)]
	}
	class := mir.ClassOf(c.f.KindOf(o))
	return operand{at: c.constant(o), class: class}
}

// constant returns the offset of a constant.
func (c *compiler) constant(o mir.Operand) uint32 {
	n := int(o.Number())
	for n >= len(c.constants) {
		c.constants = append(c.constants, 0)
	}
	if c.constants[n] == 0 {
		at := c.reserveOne()
		c.constants[n] = at + 1
		c.out.fixed = append(c.out.fixed, fixed{at: at, wide: mir.ClassOf(c.f.KindOf(o)) == mir.Long, bits: c.bits(o)})
	}
	return c.constants[n] - 1
}

// bits returns a constant as columns hold it.
func (c *compiler) bits(o mir.Operand) uint64 {
	bits := c.f.Bits(o)
	if c.f.KindOf(o) == scalar.Bool {
		return uint64(uint32(-bits))
	}
	return bits
}

// reserveOne takes room for a single value.
func (c *compiler) reserveOne() uint32 {
	at := c.end
	c.end += 8
	return at
}

// column returns an operand as a column, filling one with a single value: one that stays for
// constants, and else the n-th temporary one of its width.
func (c *compiler) column(o mir.Operand, n int) uint32 {
	x := c.operandOf(o)
	if x.step != 0 {
		return x.at
	}
	wide := x.class == mir.Long
	if o.IsConst() {
		k := int(o.Number())
		for k >= len(c.columns) {
			c.columns = append(c.columns, 0)
		}
		if c.columns[k] == 0 {
			at := c.reserve(c.out.room * width(x.class))
			c.columns[k] = at + 1
			c.out.fixed = append(c.out.fixed, fixed{at: at, wide: wide, column: true, bits: c.bits(o)})
		}
		return c.columns[k] - 1
	}
	to := c.temp(x.class, n)
	c.fill(to, x)
	return to
}

// temp returns a temporary column: the n-th of a width; 3 is that of results.
func (c *compiler) temp(class mir.Class, n int) uint32 {
	if class == mir.Long {
		n += temporaries / 2
	}
	if c.temporary[n] == 0 {
		c.temporary[n] = c.reserve(c.out.room*width(class)) + 1
	}
	return c.temporary[n] - 1
}

const resultTemp = 3

// fill fills a column with a single value, in all lanes.
func (c *compiler) fill(to uint32, x operand) {
	p := fillWord
	if x.class == mir.Long {
		p = fillLong
	}
	c.emit(inst{op: opPrimitive, primitive: p, d: to, a: x.at})
}

// instruction compiles one instruction of the block at an offset.
func (c *compiler) instruction(n int, i mir.Inst) error {
	f := c.f
	o := f.Op(i)
	if results := f.Results(i); len(results) > 0 && c.dead(i) {
		return nil
	}
	switch {
	case o == mir.Jump:
		c.edge(n, f.Edges(i)[0])
	case o == mir.Branch:
		c.branch(n, i)
	case o == mir.Return || o == mir.Trap:
		c.emit(inst{op: opReturn, x: uint32(n)})
	case o == mir.Op(op.ControlBarrier), o == lower.Prefetch:
	case o == mir.Builtin:
		c.builtin(i)
	case o == mir.BindingLength:
		to := c.begin(f.Result(i))
		c.emit(inst{op: opLength, d: to.at, x: f.Aux(i)})
		c.finish(f.Result(i), to)
	case o == mir.BindingAddress || o == mir.SymbolAddress: // numbers that are known
	case c.addressOf[i] != 0:
		c.access(i)
	case lower.IsSubgroup(o):
		c.subgroup(i)
	case mir.IsTexture(o):
		c.texture(i)
	case o == mir.MulWide:
		first := mulWideUnsigned
		if f.Kind(i).IsSigned() {
			first = mulWideSigned
		}
		c.primitive(i, &row{first: first, operands: 2, wideResult: true})
	case o == mir.Join:
		c.scalarOp(i, opJoin, scalarOp{})
	case o == mir.Split:
		c.scalarOp(i, opSplit, scalarOp{})
	case o >= mir.MachineOps:
		return &lower.Refused{Reason: "it has an operation of another machine"}
	default:
		return c.elementwise(i)
	}
	return nil
}

// elementwise compiles an operation of the IR on scalars.
func (c *compiler) elementwise(i mir.Inst) error {
	f := c.f
	o := op.Op(f.Op(i))
	if c.products[i] != 0 {
		c.primitive(i, multiplyAndAdd)
		return nil
	}
	if r := rowOf(o, f.Kind(i), f.To(i)); r != nil {
		c.primitive(i, r)
		return nil
	}
	x := scalarOp{op: o, kind: f.Kind(i), function: eval.For(o, f.Kind(i))}
	code := opScalar
	switch {
	case x.function != nil:
	case o == op.Convert:
		convert := eval.Convert(f.To(i), f.Kind(i))
		if convert == nil {
			return c.unknown(i)
		}
		x.convert = convert
		x.function = func(a, _, _, _ uint64) uint64 { return convert(a) }
	case o == op.Dot4I8, o == op.Dot4U8:
		code = opDot
	case o >= op.Pack4x8Snorm && o <= op.Unpack2x16Float:
		if code = opPack; len(f.Results(i)) > 1 {
			code = opUnpack
		}
	default:
		return c.unknown(i)
	}
	c.scalarOp(i, code, x)
	return nil
}

func (c *compiler) unknown(i mir.Inst) error {
	return &lower.Refused{Reason: fmt.Sprintf("it uses %s of %s", c.f.Name(c.f.Op(i)), c.f.Kind(i))}
}

// begin returns where the result of an instruction is written. That is its own column, or a
// temporary one if only the lanes that run may get it. The latter is so where lanes leave a loop
// with values that others go on to change.
func (c *compiler) begin(r mir.Operand) operand {
	home := c.homes[c.f.Index(r)]
	if c.slots.liveOut[c.f.Index(r)] && home.step != 0 {
		return operand{at: c.temp(home.class, resultTemp), step: home.step, class: home.class}
	}
	return home
}

// finish moves a result home that is aside.
func (c *compiler) finish(r mir.Operand, from operand) {
	if home := c.homes[c.f.Index(r)]; home != from {
		c.move(home, from)
	}
}

// move emits a move for the lanes that run.
func (c *compiler) move(to, from operand) {
	i := inst{d: to.at, a: from.at}
	switch {
	case to.step == 0:
		i.op, i.primitive = opOne, copyWord
		if to.class == mir.Long {
			i.primitive = copyLong
		}
	case from.step == 0 && to.class == mir.Long:
		i.op = opFillWide
	case from.step == 0:
		i.op = opFill
	case to.class == mir.Long:
		i.op = opMoveWide
	default:
		i.op = opMove
	}
	c.emit(i)
}

// primitive compiles an operation that has a row.
func (c *compiler) primitive(i mir.Inst, r *row) {
	f := c.f
	args, result := f.Args(i), f.Result(i)
	if p := c.products[i]; p != 0 {
		args = c.factors(p, i)
	}
	var in [3]operand
	columns := 0
	for n, a := range args {
		if in[n] = c.operandOf(a); in[n].step != 0 {
			columns++
		}
	}
	home := c.homes[f.Index(result)]
	if columns == 0 {
		to := home
		if home.step != 0 { // one value, which lanes take with them at different times
			to = operand{at: c.reserveOne(), class: home.class}
		}
		c.emit(inst{op: opOne, primitive: r.first, d: to.at, a: in[0].at, b: in[1].at, c: in[2].at})
		c.finish(result, to)
		return
	}
	to := c.begin(result)
	x := inst{op: opPrimitive, primitive: r.first, d: to.at}
	at := [3]uint32{in[0].at, in[1].at, in[2].at}
	switch {
	case r.operands == 2 && in[0].step == 0:
		x.primitive += ofUniform
	case r.operands == 2 && in[1].step == 0:
		x.primitive += withUniform
	case r.operands == 3 && in[0].step != 0 && in[1].step == 0 && in[2].step == 0:
		x.primitive += withUniforms
	case r.operands == 3 && in[0].step != 0 && in[1].step == 0:
		x.primitive += withUniform
	case columns < len(args):
		for n, a := range args {
			at[n] = c.column(a, n)
		}
	}
	x.a, x.b, x.c = at[0], at[1], at[2]
	c.emit(x)
	c.finish(result, to)
}

// scalarOp compiles an operation that is done lane by lane.
func (c *compiler) scalarOp(i mir.Inst, code opcode, x scalarOp) {
	x.list, x.one = uint32(len(c.out.lists)), true
	if code == opJoin || code == opSplit {
		x.kind = c.f.Kind(i)
	}
	x.results, x.operands = uint8(len(c.f.Results(i))), uint8(len(c.f.Args(i)))
	x.one = c.operands(c.f.Results(i), c.f.Args(i))
	c.out.scalarOps = append(c.out.scalarOps, x)
	c.emit(inst{op: code, x: uint32(len(c.out.scalarOps) - 1)})
}

// operands lists where results and operands are, and reports whether all results are single values.
// Such instructions write only the lanes that run, so that results need not be moved.
func (c *compiler) operands(results, args []mir.Operand) (one bool) {
	one = len(results) > 0
	for _, r := range results {
		x := c.homes[c.f.Index(r)]
		one = one && x.step == 0
		c.out.lists = append(c.out.lists, x)
	}
	for _, a := range args {
		c.out.lists = append(c.out.lists, c.operandOf(a))
	}
	return one
}

// builtin compiles a component of a builtin value.
func (c *compiler) builtin(i mir.Inst) {
	r, aux := c.f.Result(i), c.f.Aux(i)
	home := c.homes[c.f.Index(r)]
	x, component := lower.AuxBuiltin(aux)
	switch x {
	// these are there
	case ir.LocalInvocationID, ir.LocalInvocationIndex, ir.SubgroupInvocationID, ir.SubgroupID:
	case ir.GlobalInvocationID: // the workgroup's first, and where the invocation is in it
		if !c.varies(r) {
			c.emit(inst{op: opBuiltin, d: home.at, x: aux})
			return
		}
		if c.out.lanes != c.out.group {
			local := c.fixedColumn(lower.BuiltinAux(ir.LocalInvocationID, component))
			c.groupColumn(r, aux, local.at)
			return
		}
		first := c.reserveOne()
		c.emit(inst{op: opBuiltin, d: first, x: aux})
		local := c.fixedColumn(lower.BuiltinAux(ir.LocalInvocationID, component))
		to := c.begin(r)
		c.emit(inst{op: opPrimitive, primitive: rowOf(op.Add, scalar.U32, 0).first + withUniform, d: to.at, a: local.at, b: first})
		c.finish(r, to)
	case ir.GlobalInvocationIndex:
		to := c.begin(r)
		c.emit(inst{op: opBuiltinColumn, d: to.at, x: aux})
		c.finish(r, to)
	case ir.WorkgroupID, ir.WorkgroupIndex:
		if c.out.lanes != c.out.group {
			c.groupColumn(r, aux, 0)
			return
		}
		fallthrough
	default:
		to := home
		if home.step != 0 {
			to = operand{at: c.reserveOne(), class: home.class}
		}
		c.emit(inst{op: opBuiltin, d: to.at, x: aux})
		c.finish(r, to)
	}
}

// groupColumn compiles one that differs from workgroup to workgroup, where there are several.
func (c *compiler) groupColumn(r mir.Operand, aux, local uint32) {
	to := c.begin(r)
	c.emit(inst{op: opGroupColumn, d: to.at, a: local, x: aux})
	c.finish(r, to)
}

// fixedColumn returns the column of a builtin value that is the same in all workgroups.
func (c *compiler) fixedColumn(aux uint32) operand {
	for _, x := range c.out.fixed {
		if x.builtin == aux+1 {
			return operand{at: x.at, step: 4, class: mir.Word}
		}
	}
	at := c.reserve(c.out.room * 4)
	c.out.fixed = append(c.out.fixed, fixed{at: at, column: true, builtin: aux + 1})
	return operand{at: at, step: 4, class: mir.Word}
}
