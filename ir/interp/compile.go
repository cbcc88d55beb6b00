package interp

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// compiler makes an image of a kernel and the functions it calls. Functions are
// compiled callers first, because a callee's frame starts after the frames of
// all its callers.
//
// Within a frame, slots are given out like a stack along the nesting of blocks:
// what a block defines is dead after it.
type compiler struct {
	m       *ir.Module
	image   *image
	checked bool
	parts   map[ir.Type]*part // see partOf
	err     error
	table   [op.Count]func(*compiler, ir.Inst) // see compilers

	out       []instruction
	spans     []source.Span
	span      source.Span
	lists     []slot
	constants []uint64
	constant  map[uint64]slot // by bits
	composite map[ir.Value][]slot
	lengthAt  map[length]slot // by root, offset and stride
	leavesOf  map[ir.Type]leafRange
	counts    map[ir.Type]slotCount // of structures
	images    map[ir.Value]uint64   // pointers to constants in memory
	rootAt    []int                 // by global
	handleAt  []int                 // by global: its index in Program.handles
	positions []uint32              // of labels
	fence     int                   // a label is here: do not join across

	items     int    // invocations of a workgroup
	converges []bool // by function of the module
	base      []slot // first slot by function
	entry     []uint32
	param     []slot

	// of the function being compiled
	f          *ir.Func
	valueSlots [][]slot // slots by local value
	uses       []uint32
	user       []ir.Inst // some user, by local value
	lives      lifetimes
	dropping   map[ir.Inst][]ir.ChoicePath // checked mode: reads whose values a select may drop
	behind     map[ir.Inst][]held          // what to check after a choice
	runs       []run
	runOf      []int         // by slot from the first one on
	free       map[int][]int // runs by their size
	born       []int         // runs that the instruction being compiled has taken
	first      slot
	top        slot
	peak       slot
	labels     map[ir.Inst]*labels
	loops      []loopCounter
	called     []uint32 // functions called
	scratch    slot
	convergent []bool // by instruction: a loop with a convergent operation
}

type leafRange struct{ first, count uint32 }

// labels are the targets of a control instruction's terminators.
type labels struct {
	start, next, end uint32 // label numbers
	results          []slot
	params           []slot // of a loop's body
	carried          []slot // of its continuing block
}

type loopCounter struct {
	at      uint32
	counter slot
}

func (c *compiler) fail(i ir.Inst, reason string) {
	if c.err == nil {
		c.err = &Unsupported{c.f.Op(i), reason, c.f.SpanOf(i)}
	}
}

func (c *compiler) program(kernel *ir.Func, reach *ir.Reach) error {
	m := c.m
	c.table = compilers()
	c.constant, c.composite = map[uint64]slot{}, map[ir.Value][]slot{}
	c.lengthAt, c.leavesOf, c.counts = map[length]slot{}, map[ir.Type]leafRange{}, map[ir.Type]slotCount{}
	c.images = map[ir.Value]uint64{}
	c.items = 1
	for _, v := range kernel.Workgroup {
		n, _ := m.ConstUint(v)
		c.items *= int(n)
	}
	c.converges = make([]bool, len(m.Funcs))
	c.base, c.entry, c.param = make([]slot, len(m.Funcs)), make([]uint32, len(m.Funcs)), make([]slot, len(m.Funcs))
	c.globals(reach)
	numberOf := make(map[*ir.Func]int, len(m.Funcs))
	for n, f := range m.Funcs {
		numberOf[f] = n
	}
	numbers := make([]int, len(reach.Funcs))
	for n, f := range reach.Funcs { // callees first
		numbers[n] = numberOf[f]
		c.converges[numbers[n]] = c.blockConverges(f, f.Entry, nil)
	}
	for n := len(reach.Funcs) - 1; n >= 0 && c.err == nil; n-- {
		c.function(reach.Funcs[n], numbers[n])
	}
	if c.err != nil {
		return c.err
	}
	c.image.convergent = c.converges[numbers[len(numbers)-1]]
	return c.finish(kernel)
}

// blockConverges reports whether a block holds an operation at which invocations
// meet, and notes the control instructions that do.
func (c *compiler) blockConverges(f *ir.Func, b ir.Block, note []bool) bool {
	any := false
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		switch {
		case o == op.Call:
			any = any || c.converges[f.Aux(i)]
		case o.Is(op.Convergent):
			any = true
		case o.Is(op.Control):
			inside := false
			for _, nested := range f.Blocks(i) {
				inside = c.blockConverges(f, ir.Block(nested), note) || inside
			}
			if note != nil {
				note[i] = inside
			}
			any = any || inside
		}
	}
	return any
}

// function compiles a function after the code so far.
func (c *compiler) function(f *ir.Func, number int) {
	c.f = f
	c.valueSlots = make([][]slot, f.ValueCount())
	c.uses, c.user = make([]uint32, f.ValueCount()), make([]ir.Inst, f.ValueCount())
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for _, v := range f.Args(i) {
			if v.IsLocal() {
				c.uses[v]++
				c.user[v] = i
			}
		}
	}
	c.labels = map[ir.Inst]*labels{}
	c.loops, c.called = c.loops[:0], c.called[:0]
	c.convergent = make([]bool, f.InstCount())
	c.blockConverges(f, f.Entry, c.convergent)
	c.dropping, c.behind = nil, nil
	if c.checked {
		c.dropping, c.behind = f.Discardable(), map[ir.Inst][]held{}
	}
	c.lifetimes(f)
	c.runs, c.runOf, c.free = c.runs[:0], c.runOf[:0], map[int][]int{}
	c.first, c.top = c.base[number], c.base[number]
	c.peak = c.top
	c.param[number] = c.top
	c.entry[number] = uint32(len(c.out))
	c.fence = len(c.out)
	for n, v := range f.Params(f.Entry) {
		size, _ := c.slotCount(f.TypeOf(v))
		c.valueSlots[v] = c.fresh(int(size))
		c.hold(c.valueSlots[v])
		if f.Kernel && len(c.valueSlots[v]) > 0 {
			c.image.builtins = append(c.image.builtins, builtinSlot{f.Builtins[n], uint32(c.valueSlots[v][0])})
		}
	}
	c.scratch = c.fresh(1)[0]
	c.variables(f)
	c.block(f.Entry)
	for _, n := range c.called { // the frames of callees start after this one
		c.base[n] = max(c.base[n], c.peak)
	}
	c.image.slots = max(c.image.slots, int(c.peak))
}

func (c *compiler) block(b ir.Block) {
	outer := c.born
	for i := c.f.First(b); i != 0 && c.err == nil; i = c.f.Next(i) {
		c.span = c.f.SpanOf(i)
		var born [8]int
		c.born = born[:0]
		compile := c.table[c.f.Op(i)]
		if compile == nil {
			compile = (*compiler).elementwise
		}
		compile(c, i)
		c.chosen(i)
		c.settle(i, b)
	}
	c.born = outer
}

// emit appends an instruction.
func (c *compiler) emit(in instruction) {
	c.out = append(c.out, in)
	c.spans = append(c.spans, c.span)
}

// manySlots means more scalars than any value can have.
const manySlots = 1 << 30

// slotCount returns the number of scalars of a type, at most manySlots; ok is
// false where it is not a constant.
func (c *compiler) slotCount(t ir.Type) (n uint32, ok bool) {
	m := c.m
	switch m.KindOf(t) {
	case ir.ArrayType:
		part, ok := c.slotCount(m.Element(t))
		count, known := m.Count(t)
		return uint32(min(uint64(part)*uint64(count), manySlots)), ok && known
	case ir.StructType: // remembered, since structures may nest like a binary tree
		s, done := c.counts[t]
		if !done {
			s.ok = true
			for _, member := range m.Members(t) {
				part, ok := c.slotCount(member.Type)
				s.n, s.ok = min(s.n+part, manySlots), s.ok && ok
			}
			c.counts[t] = s
		}
		return s.n, s.ok
	}
	return m.Slots(t)
}

type slotCount struct {
	n  uint32
	ok bool
}

// maxValue is how many scalars an instruction reads or writes at most.
const maxValue = 1<<16 - 1

const tooLarge = "a value has more than 65535 scalars; large arrays belong in variables"

// define gives an instruction's result fresh slots.
func (c *compiler) define(i ir.Inst) []slot {
	n, ok := c.slotCount(c.f.Type(i))
	if !ok {
		c.fail(i, "its type has no constant size")
	}
	if n > maxValue {
		c.fail(i, tooLarge)
	}
	all := c.fresh(int(n))
	c.valueSlots[c.f.Result(i)] = all
	return all
}

// maxConstants is how many constants have separate slots in every frame. Others are written when
// they are used.
const maxConstants = 1 << 15

// bits returns the slot of a constant.
func (c *compiler) bits(bits uint64) slot {
	s, ok := c.constant[bits]
	switch {
	case !ok && len(c.constants) >= maxConstants:
		s = c.fresh(1)[0]
		c.emit(instruction{op: opConstant, d: s, x: bits})
	case !ok:
		s = constantSlot | slot(len(c.constants))
		c.constants = append(c.constants, bits)
		c.constant[bits] = s
	}
	return s
}

// slots returns where the scalars of a value are.
func (c *compiler) slots(v ir.Value) []slot {
	switch {
	case v.IsLocal():
		if c.valueSlots[v] == nil {
			return c.undefined(v)
		}
		return c.valueSlots[v]
	case v.IsGlobal():
		if c.m.SpaceOf(c.m.Global(v).Type) == ir.Handle {
			return []slot{c.bits(uint64(c.handleAt[v.Index()]))}
		}
		return []slot{c.bits(uint64(c.rootAt[v.Index()]) << offsetBits)}
	case v.IsOverride():
		if c.err == nil {
			c.err = &Unsupported{op.Invalid, "the override " + c.m.ValueString(v) + " is not bound to a value", c.span}
		}
		return []slot{c.bits(0)}
	}
	if all, ok := c.composite[v]; ok {
		return all
	}
	all := c.constantSlots(v, nil)
	if len(c.constants) < maxConstants { // they stay where they are
		c.composite[v] = all
	}
	return all
}

// undefined replaces a value that no instruction computes: a result of an operation that has none,
// or a type without scalars.
func (c *compiler) undefined(v ir.Value) []slot {
	n, _ := c.slotCount(c.f.TypeOf(v))
	if n > 0 && c.err == nil {
		i, _ := c.f.Def(v)
		c.fail(i, "it has no result")
	}
	all := make([]slot, min(n, maxSlots))
	for i := range all {
		all[i] = c.bits(0)
	}
	return all
}

func (c *compiler) constantSlots(v ir.Value, all []slot) []slot {
	m := c.m
	t := m.TypeOf(v)
	if m.IsScalar(t) {
		return append(all, c.bits(m.ConstBits(v)))
	}
	if m.IsZero(v) {
		n, ok := c.slotCount(t)
		if !ok || n > maxValue {
			if c.err == nil {
				c.err = &Unsupported{op.Construct, "a constant of " + m.TypeString(t) + " is too large to be a value", c.span}
			}
			n = 1
		}
		zero := c.bits(0)
		for range n {
			all = append(all, zero)
		}
		return all
	}
	n, _ := m.Count(t)
	for k := range n {
		all = c.constantSlots(m.ConstPart(v, k), all)
	}
	return all
}

// one returns the slot of a scalar or pointer.
func (c *compiler) one(v ir.Value) slot {
	all := c.slots(v)
	if len(all) == 0 {
		return 0 // only after an error
	}
	return all[0]
}

// list stores a list of slots and returns where.
func (c *compiler) list(all []slot) uint32 {
	if len(all) > maxValue && c.err == nil {
		c.err = &Unsupported{op.Construct, tooLarge, c.span}
	}
	c.lists = append(c.lists, all...)
	return uint32(len(c.lists) - len(all))
}

// move copies a slot; two copies in a row become one instruction.
func (c *compiler) move(to, from slot) {
	if to == from {
		return
	}
	if last := len(c.out) - 1; last >= 0 && c.fence != len(c.out) && c.out[last].op == opMove {
		in := &c.out[last]
		in.op, in.b, in.c = opMove2, to, from
		return
	}
	c.emit(instruction{op: opMove, d: to, a: from})
}

func (c *compiler) moveAll(to, from []slot) {
	for i := range to {
		c.move(to[i], from[i])
	}
}

// manyMoves is the number of parallel moves above which they go through temporaries.
const manyMoves = 256

// parallelMove copies slots as if at once: the target of one copy may be the source of another.
func (c *compiler) parallelMove(to, from []slot) {
	if len(to) > manyMoves {
		temporaries := c.fresh(len(to))
		c.moveAll(temporaries, from)
		c.moveAll(to, temporaries)
		return
	}
	to, from = slices.Clone(to), slices.Clone(from)
	for len(to) > 0 {
		ready := -1
		for i := range to {
			if to[i] == from[i] || !slices.Contains(from, to[i]) {
				ready = i
				break
			}
		}
		if ready < 0 { // a cycle: free one target
			c.move(c.scratch, to[0])
			for i := range from {
				if from[i] == to[0] {
					from[i] = c.scratch
				}
			}
			ready = 0
		}
		c.move(to[ready], from[ready])
		to, from = slices.Delete(to, ready, ready+1), slices.Delete(from, ready, ready+1)
	}
}

// finish gives constants and frames their final slots and packs the code.
func (c *compiler) finish(kernel *ir.Func) error {
	p := c.image
	count := slot(len(c.constants))
	p.slots += int(count)
	if p.slots > maxSlots {
		c.tooMany(kernel.Span)
		return c.err
	}
	if count := c.frames(); uint64(count)*uint64(8*p.slots+p.arenaBytes) > maxGroupBytes {
		return &Unsupported{op.Var, "the variables and values of a workgroup's invocations take more than 1 GiB", kernel.Span}
	}
	p.constants = c.constants
	frameIndex := func(s slot) uint32 {
		if s&constantSlot != 0 {
			return uint32(s &^ constantSlot)
		}
		return uint32(s + count)
	}
	p.lists = make([]uint32, len(c.lists))
	for i, s := range c.lists {
		p.lists[i] = frameIndex(s)
	}
	p.code, p.spans = make([]code, len(c.out)), c.spans
	for at, in := range c.out {
		out := code{op: in.op, n: in.n, d: uint32(in.d), a: uint32(in.a), b: uint32(in.b), c: uint32(in.c), aux: in.aux, x: in.x}
		used := opcodes[in.op].fields
		for _, field := range []struct {
			mask fields
			from slot
			to   *uint32
		}{{fieldD, in.d, &out.d}, {fieldA, in.a, &out.a}, {fieldB, in.b, &out.b}, {fieldC, in.c, &out.c}} {
			if used&field.mask != 0 {
				*field.to = frameIndex(field.from)
			}
		}
		if isJump(in.op) {
			out.aux = c.target(in.aux)
		}
		if in.op == opLoop {
			out.n = uint16(min(at-int(out.aux)+1, 1<<16-1))
		}
		p.code[at] = out
	}
	for i := range p.switches {
		t := &p.switches[i]
		t.other = c.target(t.other)
		for k := range t.dense {
			t.dense[k] = c.target(t.dense[k])
		}
		for k := range t.target {
			t.target[k] = c.target(t.target[k])
		}
	}
	for i := range p.builtins {
		p.builtins[i].first = frameIndex(slot(p.builtins[i].first))
	}
	for i := range p.subgroups {
		s := &p.subgroups[i]
		s.result = frameIndex(slot(s.result))
	}
	for i := range p.sites {
		for k := range p.sites[i].loops {
			l := &p.sites[i].loops[k]
			l.counter = frameIndex(slot(l.counter))
		}
	}
	for i, in := range c.out { // operands of subgroup operations lie in lists
		if in.op == opSubgroup {
			s := &p.subgroups[in.aux]
			from := int(p.code[i].x & (1<<32 - 1))
			s.value = p.lists[from : from+int(in.n)]
			if len(s.value) > s.components {
				s.second = s.value[s.components]
			}
		}
	}
	p.callees = make([]callee, len(c.m.Funcs))
	for n := range p.callees {
		p.callees[n] = callee{c.entry[n], frameIndex(c.param[n])}
	}
	return nil
}

// maxGroupBytes bounds the memory of a worker's invocations.
const maxGroupBytes = 1 << 30

// frames returns how many invocations of a workgroup exist side by side.
func (c *compiler) frames() int {
	if c.image.convergent {
		return c.items
	}
	return 1
}

// target returns the address of a label, following the jumps that are there.
func (c *compiler) target(label uint32) uint32 {
	at := c.positions[label]
	for range 64 {
		if int(at) >= len(c.out) || c.out[at].op != opJump {
			break
		}
		at = c.positions[c.out[at].aux]
	}
	return at
}

// functionOf returns the number of an evaluator's function.
func (c *compiler) functionOf(f eval.Function) uint32 {
	c.image.functions = append(c.image.functions, f)
	return uint32(len(c.image.functions) - 1)
}

// leavesFor returns the scalars of a type in memory.
func (c *compiler) leavesFor(i ir.Inst, t ir.Type) leafRange {
	if r, ok := c.leavesOf[t]; ok {
		return r
	}
	p := c.image
	first := len(p.leaves)
	n, ok := c.slotCount(t)
	if !ok || n > maxLeaves {
		c.fail(i, "it moves a value of more than a million scalars")
		return leafRange{}
	}
	if n > 0 {
		c.appendLeaves(t, 0)
	}
	r := leafRange{uint32(first), uint32(len(p.leaves) - first)}
	c.leavesOf[t] = r
	return r
}

// maxLeaves bounds what one instruction can touch in memory.
const maxLeaves = 1 << 20

func (c *compiler) appendLeaves(t ir.Type, offset uint32) {
	m := c.m
	switch m.KindOf(t) {
	case ir.VectorType, ir.MatrixType, ir.ArrayType, ir.StructType:
		n, _ := m.Count(t)
		if parts, _ := c.slotCount(t); parts == 0 {
			return
		}
		for k := range n {
			c.appendLeaves(m.PartType(t, k), offset+m.PartOffset(t, k))
		}
	default:
		k := m.ScalarOf(t)
		if m.IsTile(t) {
			k = tileHandle
		}
		c.accesses(k)
		c.image.leaves = append(c.image.leaves, leaf{offset, k})
	}
}

// accesses notes that the code accesses scalars of a kind in memory.
func (c *compiler) accesses(k scalar.Kind) {
	if bytes := k.Bytes(); bytes < 4 && (c.image.grain == 0 || bytes < c.image.grain) {
		c.image.grain = bytes
	}
}
