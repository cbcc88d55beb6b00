package interp

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file flattens structured control flow: results and parameters become
// moves, terminators become jumps to labels.

// newLabel returns a label without an address.
func (c *compiler) newLabel() uint32 {
	c.positions = append(c.positions, 0)
	return uint32(len(c.positions) - 1)
}

// bind sets a label's address to the end of the code. A jump to the label right before it is
// removed.
func (c *compiler) bind(label uint32) {
	if last := len(c.out) - 1; last >= 0 && c.fence != len(c.out) && c.out[last].op == opJump && c.out[last].aux == label {
		c.out, c.spans = c.out[:last], c.spans[:last]
	}
	c.positions[label] = uint32(len(c.out))
	c.fence = len(c.out)
}

func isJump(in opcode) bool { return in >= opJump && in <= opJumpUnlessLessEqualF32 }

// joined says which jump a comparison and a jump on its result become: if it
// holds, and unless it does, there perhaps with the operands exchanged.
var joined = [opcodeCount]struct {
	jumpIf, jumpUnless opcode
	swapUnless         bool
}{
	opEqual:        {opJumpEqual, opJumpUnequal, false},
	opUnequal:      {opJumpUnequal, opJumpEqual, false},
	opLessU32:      {opJumpLessU32, opJumpLessEqualU32, true},
	opLessEqualU32: {opJumpLessEqualU32, opJumpLessU32, true},
	opLessI32:      {opJumpLessI32, opJumpLessEqualI32, true},
	opLessEqualI32: {opJumpLessEqualI32, opJumpLessI32, true},
	opEqualF32:     {opJumpEqualF32, opJumpUnequalF32, false},
	opUnequalF32:   {opJumpUnequalF32, opJumpEqualF32, false},
	opLessF32:      {opJumpLessF32, opJumpUnlessLessF32, false},
	opLessEqualF32: {opJumpLessEqualF32, opJumpUnlessLessEqualF32, false},
	opNotBool:      {opJumpUnless, opJumpIf, false},
}

// inverse is the jump that goes where another does not, if it has the same
// operands.
var inverse = [opcodeCount]opcode{
	opJumpIf: opJumpUnless, opJumpUnless: opJumpIf,
	opJumpEqual: opJumpUnequal, opJumpUnequal: opJumpEqual,
	opJumpEqualF32: opJumpUnequalF32, opJumpUnequalF32: opJumpEqualF32,
	opJumpLessF32: opJumpUnlessLessF32, opJumpUnlessLessF32: opJumpLessF32,
	opJumpLessEqualF32: opJumpUnlessLessEqualF32, opJumpUnlessLessEqualF32: opJumpLessEqualF32,
}

// inverseSwapped is the same with the operands exchanged.
var inverseSwapped = [opcodeCount]opcode{
	opJumpLessU32: opJumpLessEqualU32, opJumpLessEqualU32: opJumpLessU32,
	opJumpLessI32: opJumpLessEqualI32, opJumpLessEqualI32: opJumpLessI32,
}

// jumpOn jumps to a label if the condition has the given value. A comparison
// right before, with no other use, becomes part of the jump.
func (c *compiler) jumpOn(condition ir.Value, value bool, label uint32) {
	s := c.one(condition)
	last := len(c.out) - 1
	if c.isComparison(condition) && last >= 0 && c.fence != len(c.out) && c.out[last].d == s {
		in := &c.out[last]
		if j := &joined[in.op]; j.jumpIf != opEnd {
			in.aux = label
			if value {
				in.op = j.jumpIf
				return
			}
			in.op = j.jumpUnless
			if j.swapUnless {
				in.a, in.b = in.b, in.a
			}
			return
		}
	}
	in := instruction{op: opJumpUnless, a: s, aux: label}
	if value {
		in.op = opJumpIf
	}
	c.emit(in)
}

// isComparison reports whether a value is the result of a comparison, or of not,
// that has no other use. A value that merely shares its slot is none.
func (c *compiler) isComparison(v ir.Value) bool {
	o := c.f.DefOp(v)
	return (o >= op.Eq && o <= op.Ge || o == op.Not) && c.uses[v] == 1
}

// control starts a control instruction: its results get slots.
func (c *compiler) control(i ir.Inst) *labels {
	l := &labels{end: c.newLabel()}
	c.labels[i] = l
	for _, r := range c.f.Results(i) {
		n, ok := c.slotCount(c.f.TypeOf(r))
		if !ok {
			c.fail(i, "a result has no constant size")
		}
		c.valueSlots[r] = c.fresh(int(n))
		l.results = append(l.results, c.valueSlots[r]...)
	}
	return l
}

func (c *compiler) scope(i ir.Inst) {
	l := c.control(i)
	c.block(c.f.Region(i, 0))
	c.bind(l.end)
}

func (c *compiler) branch(i ir.Inst) {
	l := c.control(i)
	other := c.newLabel()
	c.jumpOn(c.f.Arg(i, 0), false, other)
	at := len(c.out) - 1
	c.block(c.f.Region(i, 0))
	c.invertJump(at)
	c.bind(other)
	c.block(c.f.Region(i, 1))
	c.bind(l.end)
}

// invertJump inverts the conditional jump at an address if only an unconditional jump follows it.
func (c *compiler) invertJump(at int) {
	if len(c.out) != at+2 || c.out[at+1].op != opJump || c.fence == len(c.out) {
		return
	}
	in := &c.out[at]
	if other := inverse[in.op]; other != opEnd {
		in.op = other
	} else if other := inverseSwapped[in.op]; other != opEnd {
		in.op = other
		in.a, in.b = in.b, in.a
	} else {
		return
	}
	in.aux = c.out[at+1].aux
	c.out, c.spans = c.out[:at+1], c.spans[:at+1]
}

func (c *compiler) selectCase(i ir.Inst) {
	l := c.control(i)
	f := c.f
	blocks := f.Blocks(i)
	starts := make([]uint32, len(blocks))
	for n := range starts {
		starts[n] = c.newLabel()
	}
	table := switchTable{other: starts[f.DefaultCase(i)]}
	order := make([]int, len(f.CaseTargets(i)))
	for n := range order {
		order[n] = n
	}
	value := func(n int) uint64 { return c.m.ConstBits(f.Arg(i, n+1)) }
	slices.SortFunc(order, func(x, y int) int { return int(int64(value(x)) - int64(value(y))) })
	for _, n := range order {
		table.values = append(table.values, value(n))
		table.target = append(table.target, starts[f.CaseTargets(i)[n]])
	}
	if n := len(order); n > 0 {
		table.low = table.values[0]
		if extent := table.values[n-1] - table.low; extent < uint64(4*n+16) {
			table.dense = make([]uint32, extent+1)
			for k := range table.dense {
				table.dense[k] = table.other
			}
			for k, v := range table.values {
				table.dense[v-table.low] = table.target[k]
			}
		}
	}
	c.emit(instruction{op: opSwitch, a: c.one(f.Arg(i, 0)), aux: uint32(len(c.image.switches))})
	c.image.switches = append(c.image.switches, table)
	for n, b := range blocks {
		c.bind(starts[n])
		c.block(ir.Block(b))
	}
	c.bind(l.end)
}

func (c *compiler) loop(i ir.Inst) {
	f := c.f
	l := c.control(i)
	l.next = c.newLabel()
	body, continuing := f.Region(i, 0), f.Region(i, 1)
	for _, p := range []struct {
		block ir.Block
		all   *[]slot
	}{{body, &l.params}, {continuing, &l.carried}} {
		for _, v := range f.Params(p.block) {
			n, ok := c.slotCount(f.TypeOf(v))
			if !ok {
				c.fail(i, "a parameter has no constant size")
			}
			c.valueSlots[v] = c.fresh(int(n))
			c.hold(c.valueSlots[v])
			*p.all = append(*p.all, c.valueSlots[v]...)
		}
	}
	var initial []slot
	for _, v := range f.Args(i) {
		initial = append(initial, c.slots(v)...)
	}
	c.moveAll(l.params, initial)
	start := c.newLabel()
	if c.convergent[i] {
		counter := c.fresh(1)[0]
		c.move(counter, c.bits(0))
		c.bind(start)
		c.loops = append(c.loops, loopCounter{uint32(len(c.out)), counter})
	} else {
		c.bind(start)
	}
	l.start = start
	c.block(body)
	c.bind(l.next)
	c.block(continuing)
	if c.convergent[i] {
		c.loops = c.loops[:len(c.loops)-1]
	}
	c.bind(l.end)
	c.drop(l.params)
	c.drop(l.carried)
}

func (c *compiler) argSlots(args []ir.Value) []slot {
	var all []slot
	for _, v := range args {
		all = append(all, c.slots(v)...)
	}
	return all
}

func (c *compiler) exit(i ir.Inst) {
	l := c.labels[c.f.Target(i)]
	c.moveAll(l.results, c.argSlots(c.f.Args(i)))
	c.emit(instruction{op: opJump, aux: l.end})
}

// proceed compiles continue.
func (c *compiler) proceed(i ir.Inst) {
	l := c.labels[c.f.Target(i)]
	c.moveAll(l.carried, c.argSlots(c.f.Args(i)))
	c.emit(instruction{op: opJump, aux: l.next})
}

func (c *compiler) next(i ir.Inst) {
	target := c.f.Target(i)
	l := c.labels[target]
	params, condition, results := c.f.NextArgs(i)
	if condition != 0 {
		if len(results) == 0 {
			c.jumpOn(condition, true, l.end)
		} else {
			again := c.newLabel()
			c.jumpOn(condition, false, again)
			c.moveAll(l.results, c.argSlots(results))
			c.emit(instruction{op: opJump, aux: l.end})
			c.bind(again)
		}
	}
	c.parallelMove(l.params, c.argSlots(params))
	if c.convergent[target] {
		c.emit(instruction{op: opCount, d: c.loops[len(c.loops)-1].counter})
	}
	c.emit(instruction{op: opLoop, aux: l.start})
}

func (c *compiler) result(i ir.Inst) {
	if c.f.Kernel {
		c.emit(instruction{op: opEnd})
		return
	}
	all := c.argSlots(c.f.Args(i))
	c.emit(instruction{op: opReturn, n: uint16(len(all)), aux: c.list(all)})
}

func (c *compiler) call(i ir.Inst) {
	f := c.f
	all := c.argSlots(f.Args(i))
	in := instruction{op: opCall, n: uint16(len(all)), aux: f.Aux(i), x: uint64(c.list(all))}
	if f.Type(i) != ir.Void {
		if to := c.define(i); len(to) > 0 {
			in.d = to[0]
		}
	}
	if c.converges[f.Aux(i)] {
		in.x |= uint64(c.site()) << 32
	}
	c.called = append(c.called, f.Aux(i))
	c.emit(in)
}

// site notes which counted loops are around an instruction.
func (c *compiler) site() uint32 {
	s := site{loops: make([]loopSite, len(c.loops))}
	for n, l := range c.loops {
		s.loops[n] = loopSite{l.at, uint32(l.counter)}
	}
	c.image.sites = append(c.image.sites, s)
	return uint32(len(c.image.sites) - 1)
}

// intrinsic compiles what does nothing here.
func (c *compiler) intrinsic(i ir.Inst) {
	if id := op.IntrinsicID(c.f.Aux(i)); id != op.Prefetch {
		c.fail(i, "it is an instruction of one target")
	}
}

func (c *compiler) barrier(i ir.Inst) {
	memories := op.Memory(c.f.Aux(i))
	if memories&op.SubgroupScope != 0 {
		c.meet(subgroupOperation{op: op.ControlBarrier, components: 1}, nil)
		return
	}
	c.emit(instruction{op: opBarrier, n: uint16(memories), x: uint64(c.site()) << 32})
}

// subgroup compiles an operation that the lanes of a subgroup execute together.
func (c *compiler) subgroup(i ir.Inst) {
	f := c.f
	s := subgroupOperation{op: f.Op(i), components: 1}
	var operands []slot
	for n, v := range f.Args(i) {
		all := c.slots(v)
		if n == 0 {
			s.components = len(all)
			s.kind = c.m.ScalarOf(f.TypeOf(v))
		}
		operands = append(operands, all...)
	}
	if s.kind == scalar.None {
		s.kind = scalar.Bool
	}
	if to := c.define(i); len(to) > 0 {
		s.result = uint32(to[0])
	}
	c.meet(s, operands)
}

func (c *compiler) meet(s subgroupOperation, operands []slot) {
	number := uint32(len(c.image.subgroups))
	c.image.subgroups = append(c.image.subgroups, s)
	c.emit(instruction{op: opSubgroup, n: uint16(len(operands)), aux: number, x: uint64(c.list(operands)) | uint64(c.site())<<32})
}
