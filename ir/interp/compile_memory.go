package interp

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lays out memory and compiles accesses to it. Every variable is a separate root, so that
// no access can leave its variable unnoticed. In the checked mode a check instruction precedes each
// access; the access itself is the same in both modes.

// globals gives the variables that the kernel reaches their roots.
func (c *compiler) globals(reach *ir.Reach) {
	p, m := c.image, c.m
	c.rootAt = make([]int, len(m.Globals))
	for i := range c.rootAt {
		c.rootAt[i] = -1
	}
	add := func(v ir.Value, r root) {
		c.rootAt[v.Index()] = len(p.roots)
		if c.checked && isShared(r.space) {
			r.part = c.partOf(m.Element(m.TypeOf(v)))
		}
		p.roots = append(p.roots, r)
	}
	for _, v := range reach.Resources { // first, so that buffer n is root n
		g := m.Global(v)
		space := m.SpaceOf(g.Type)
		if space == ir.Storage && m.AccessOf(g.Type) == ir.Read {
			space = ir.Uniform // read-only: only bounds are checked
		}
		add(v, root{space: space, name: g.Name, span: g.Span})
	}
	for _, v := range reach.Immediate {
		g := m.Global(v)
		add(v, root{space: ir.Immediate, name: g.Name, span: g.Span})
	}
	for _, space := range []struct {
		globals []ir.Value
		bytes   *int
	}{{reach.Workgroup, &p.workgroupBytes}, {reach.Private, &p.arenaBytes}} {
		for _, v := range space.globals {
			g := m.Global(v)
			add(v, c.reserve(root{space: m.SpaceOf(g.Type), name: g.Name, span: g.Span}, m.Element(g.Type), space.bytes))
		}
	}
	c.handleAt = make([]int, len(m.Globals))
	for n, v := range reach.Handles {
		g := m.Global(v)
		c.handleAt[v.Index()] = n
		p.textureRoots = append(p.textureRoots, -1)
		if t := m.Element(g.Type); c.checked && m.IsTexture(t) && m.AccessOf(t) != ir.Read {
			p.textureRoots[n] = len(p.roots)
			p.roots = append(p.roots, root{space: ir.Handle, name: g.Name, offset: uint64(n), span: g.Span})
		}
	}
	p.private = make([]byte, p.arenaBytes)
	for _, v := range reach.Private {
		if init := m.Global(v).Init; init != 0 {
			c.encode(p.private[p.roots[c.rootAt[v.Index()]].offset:], init)
		}
	}
	for _, v := range reach.Constant {
		g := m.Global(v)
		bytes := len(p.constantData)
		r := c.reserve(root{space: ir.Constant, name: g.Name, span: g.Span}, m.Element(g.Type), &bytes)
		p.constantData = append(p.constantData, make([]byte, bytes-len(p.constantData))...)
		if g.Init != 0 {
			c.encode(p.constantData[r.offset:], g.Init)
		}
		add(v, r)
	}
}

// maxVariable bounds a variable that exists once an invocation or workgroup.
const maxVariable = 1 << 28

// reserve lays a variable out after the bytes used so far.
func (c *compiler) reserve(r root, t ir.Type, bytes *int) root {
	size := c.size(t)
	if _, ok := c.slotCount(t); !ok || size > maxVariable || *bytes > maxVariable {
		if c.err == nil {
			c.err = &Unsupported{op.Var, "the variable " + r.name + " has no constant size or takes more than 256 MiB", r.span}
		}
		return r
	}
	r.offset, r.size = uint64(*bytes), size
	const align = 16
	*bytes += int(size+align-1) / align * align
	return r
}

// size returns the bytes of a type in memory, where a tile is its handle.
func (c *compiler) size(t ir.Type) uint64 {
	if c.m.IsTile(t) {
		return uint64(tileHandle.Bytes())
	}
	return uint64(c.m.Size(t))
}

// encode writes a constant as it lies in memory.
func (c *compiler) encode(to []byte, v ir.Value) {
	m := c.m
	if m.IsZero(v) {
		return
	}
	if v.IsOverride() {
		c.slots(v) // reports it
		return
	}
	t := m.TypeOf(v)
	if m.IsScalar(t) {
		putScalar(to, scalar.Kind(t), m.ConstBits(v))
		return
	}
	n, _ := m.Count(t)
	for k := range n {
		c.encode(to[m.PartOffset(t, k):], m.ConstPart(v, k))
	}
}

func putScalar(to []byte, k scalar.Kind, bits uint64) {
	switch k.Bytes() {
	case 1:
		to[0] = uint8(bits)
	case 2:
		binary.NativeEndian.PutUint16(to, uint16(bits))
	case 4:
		binary.NativeEndian.PutUint32(to, uint32(bits))
	default:
		binary.NativeEndian.PutUint64(to, bits)
	}
}

// declaredName returns the name that a variable has in the source: the text form adds a dot and a
// number where several have one name, or none.
func declaredName(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || strings.Trim(name[dot+1:], "0123456789") != "" {
		return name
	}
	return name[:dot]
}

// variables gives a function's variables their roots. Contents are undefined
// until stored; what could be read before is cleared on entry, so that results
// do not depend on what ran before.
func (c *compiler) variables(f *ir.Func) {
	p := c.image
	first, end := math.MaxInt, 0
	stored := c.storedFirst(f)
	for i := f.First(f.Entry); i != 0; i = f.Next(i) {
		if f.Op(i) != op.Var {
			continue
		}
		v := f.Result(i)
		name := declaredName(f.ValueName(v))
		if name == "" {
			name = "a variable of " + f.Name
		}
		r := c.reserve(root{space: ir.Function, name: name, span: f.SpanOf(i)}, c.m.Element(f.Type(i)), &p.arenaBytes)
		c.valueSlots[v] = []slot{c.bits(uint64(len(p.roots)) << offsetBits)}
		p.roots = append(p.roots, r)
		if !stored[v] {
			first, end = min(first, int(r.offset)), int(r.offset+r.size)
		}
	}
	if end > first {
		c.emit(instruction{op: opClear, aux: uint32(first), x: uint64(end - first)})
	}
}

// storedFirst finds the variables that a store in the entry block fills before
// any other use.
func (c *compiler) storedFirst(f *ir.Func) []bool {
	stored, used := make([]bool, f.ValueCount()), make([]bool, f.ValueCount())
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) == op.Store && f.BlockOf(i) == f.Entry && f.DefOp(f.Arg(i, 0)) == op.Var && !used[f.Arg(i, 0)] {
			stored[f.Arg(i, 0)] = true
		}
		for _, v := range f.Args(i) {
			if v.IsLocal() {
				used[v] = true
			}
		}
	}
	return stored
}

// address is where an access points: base + offset + min(index, count-1)·stride,
// without the last term if index is not dynamic.
type address struct {
	base, index, count slot
	offset, stride     uint64
	dynamic            bool
	signed             bool // the index is a signed number
}

// addressOf walks an access; dynamic indices but the last are computed on the
// way.
func (c *compiler) addressOf(i ir.Inst) address {
	f, m := c.f, c.m
	args := f.Args(i)
	a := address{base: c.one(args[0])}
	t := m.Element(f.TypeOf(args[0]))
	for _, v := range args[1:] {
		n, constant := m.ConstUint(v)
		count, known := m.Count(t)
		if constant && known && n < uint64(count) {
			if m.KindOf(t) == ir.StructType {
				a.offset += uint64(m.PartOffset(t, uint32(n)))
			} else {
				a.offset += n * uint64(m.PartOffset(t, 1))
			}
		} else {
			if a.dynamic {
				a = address{base: c.pointer(a)}
			}
			a.dynamic, a.index, a.stride = true, c.one(v), uint64(m.PartOffset(t, 1))
			a.signed = c.isSigned(v)
			if known {
				a.count = c.bits(uint64(count))
			} else {
				a.count = c.lengthOf(a, m.Stride(t))
				a.base, a.offset = c.pointer(address{base: a.base, offset: a.offset}), 0
			}
		}
		t = m.PartType(t, uint32(n))
	}
	if a.base&constantSlot != 0 && a.offset <= math.MaxUint32 {
		a.base, a.offset = c.bits(c.constants[a.base&^constantSlot]+a.offset), 0
	}
	if a.offset > math.MaxUint32 || a.stride > math.MaxUint32 {
		c.fail(i, "the offset is beyond 4 GiB")
	}
	return a
}

// lengthOf returns a slot with the element count of a runtime-sized array. For an array at a
// constant address that is a constant of the launch.
func (c *compiler) lengthOf(a address, stride uint32) slot {
	if a.base&constantSlot == 0 {
		s := c.fresh(1)[0]
		c.emit(instruction{op: opLength, d: s, a: c.pointer(address{base: a.base, offset: a.offset}), x: uint64(stride)})
		return s
	}
	base := c.constants[a.base&^constantSlot]
	key := length{root: int(rootOf(base)), offset: base&offsetMask + a.offset, stride: stride}
	s, ok := c.lengthAt[key]
	if !ok {
		s = constantSlot | slot(len(c.constants))
		c.lengthAt[key] = s
		key.slot = len(c.constants)
		c.constants = append(c.constants, 0)
		c.image.lengths = append(c.image.lengths, key)
	}
	return s
}

// pointer returns a slot with the pointer to an address.
func (c *compiler) pointer(a address) slot {
	switch {
	case a.dynamic:
		in := instruction{op: opIndex, d: c.fresh(1)[0], a: a.base, b: a.index, c: a.count, x: a.stride | a.offset<<32}
		if a.signed {
			in.n = 1
		}
		return c.made(in)
	case a.offset == 0:
		return a.base
	case a.base&constantSlot != 0:
		return c.bits(c.constants[a.base&^constantSlot] + a.offset)
	}
	return c.made(instruction{op: opOffset, d: c.fresh(1)[0], a: a.base, x: a.offset})
}

// made emits what makes a pointer of another one, which the checked mode has to
// know of if an index may have made that one, too.
func (c *compiler) made(in instruction) slot {
	c.emit(in)
	if c.checked && in.a&constantSlot == 0 {
		c.emit(instruction{op: opInherit, d: in.d, a: in.a})
	}
	return in.d
}

// isSigned reports whether an index is a signed number.
func (c *compiler) isSigned(index ir.Value) bool {
	k := c.m.ScalarOf(c.f.TypeOf(index))
	return k == scalar.I32 || k == scalar.I64
}

// access computes a pointer, unless its only user does that together with its
// load or store.
func (c *compiler) access(i ir.Inst) {
	v := c.f.Result(i)
	if c.deferred(v) {
		return
	}
	c.valueSlots[v] = []slot{c.pointer(c.addressOf(i))}
}

// deferred reports whether the only user of an access includes it.
func (c *compiler) deferred(v ir.Value) bool {
	if c.checked || c.f.DefOp(v) != op.Access || c.uses[v] != 1 {
		return false
	}
	user := c.user[v]
	if o := c.f.Op(user); o != op.Load && (o != op.Store || c.f.Arg(user, 0) != v) {
		return false
	}
	t := c.m.Element(c.f.TypeOf(v))
	if c.f.Op(user) == op.Store {
		return isWord(c.m.ScalarOf(t)) && c.m.IsScalar(t)
	}
	return c.m.Components(t) > 0 && isWord(c.m.ScalarOf(t))
}

// isWord reports whether a kind takes 32 bits in memory as it does in a slot.
func isWord(k scalar.Kind) bool { return k == scalar.I32 || k == scalar.U32 || k == scalar.F32 }

// run returns the number of 32-bit words that a type consists of without gaps,
// or 0.
func (c *compiler) run(r leafRange) int {
	for n, l := range c.image.leaves[r.first : r.first+r.count] {
		if !isWord(l.kind) || l.offset != uint32(4*n) {
			return 0
		}
	}
	return int(r.count)
}

// rawAddress compiles an address. Those of memory that is counted in 32 bits wrap, as the operand's
// type says; a negative sum before the last addition is nothing wrong.
func (c *compiler) rawAddress(i ir.Inst) {
	f := c.f
	in := instruction{op: opAddress, a: c.one(f.Arg(i, 0)), b: c.one(f.Arg(i, 1)), x: uint64(int64(int32(f.Aux(i))))}
	if c.m.ScalarOf(f.TypeOf(f.Arg(i, 1))).Bits() == 32 {
		in.n = 1
	}
	in.d = c.define(i)[0]
	c.made(in)
}

// What a check looks for.
const (
	checkRead uint16 = iota
	checkWrite
	checkAtomic
)

// check emits the checks of an access in the checked mode. A private variable of the invocation
// that is accessed at a constant address has nothing to check: the address is inside.
func (c *compiler) check(i ir.Inst, pointer slot, t ir.Type, access uint16) {
	if !c.checked {
		return
	}
	if pointer&constantSlot != 0 {
		switch c.image.roots[rootOf(c.constants[pointer&^constantSlot])].space {
		case ir.Function, ir.Private, ir.Constant:
			return
		}
	}
	r := c.leavesFor(i, t)
	c.emitFinder(i, instruction{op: opCheck, a: pointer, n: access, aux: r.first, x: uint64(r.count)})
}

func (c *compiler) load(i ir.Inst) {
	f := c.f
	pointer := f.Arg(i, 0)
	t := f.Type(i)
	if c.m.SpaceOf(f.TypeOf(pointer)) == ir.Handle {
		c.valueSlots[f.Result(i)] = c.slots(pointer)
		return
	}
	if c.deferred(pointer) {
		access, _ := f.Def(pointer)
		a := c.addressOf(access)
		to := c.define(i)
		in := instruction{op: opLoadIndex32, d: to[0], a: a.base, b: a.index, c: a.count, n: uint16(len(to)), x: a.stride | a.offset<<32}
		switch {
		case a.dynamic && len(to) > 1:
			in.op = opLoadIndex32Run
		case !a.dynamic:
			in = instruction{op: opLoad32, d: to[0], a: c.pointer(a), n: uint16(len(to))}
			if len(to) > 1 {
				in.op = opLoad32Run
			}
		}
		c.emit(in)
		return
	}
	r := c.leavesFor(i, t)
	c.check(i, c.one(pointer), t, checkRead)
	to := c.define(i)
	if len(to) == 0 {
		return
	}
	in := instruction{op: opLoad, d: to[0], a: c.one(pointer), n: uint16(len(to)), aux: r.first}
	if n := c.run(r); n == 1 {
		in.op = opLoad32
	} else if n > 1 {
		in.op = opLoad32Run
	}
	c.emit(in)
}

// bulkStore is from how many scalars on a constant is stored by copying or clearing memory.
const bulkStore = 16

func (c *compiler) store(i ir.Inst) {
	f, m := c.f, c.m
	pointer, value := f.Arg(i, 0), f.Arg(i, 1)
	t := f.TypeOf(value)
	if c.deferred(pointer) {
		access, _ := f.Def(pointer)
		a := c.addressOf(access)
		in := instruction{op: opStoreIndex32, d: c.one(value), a: a.base, b: a.index, c: a.count, x: a.stride | a.offset<<32}
		if !a.dynamic {
			in = instruction{op: opStore32, d: c.one(value), a: c.pointer(a)}
		}
		c.emit(in)
		return
	}
	to := c.one(pointer)
	c.check(i, to, t, checkWrite)
	if n, ok := c.slotCount(t); ok && n > bulkStore && value.IsConst() {
		zero := m.IsZero(value)
		if c.keepsPadding(i, pointer, t) {
			r := c.leavesFor(i, t)
			in := instruction{op: opCopyParts, a: to, b: to, n: 1, aux: r.first, x: uint64(r.count)}
			if !zero {
				in.b, in.n = c.constantImage(value), 0
			}
			c.emit(in)
		} else if zero {
			c.emit(instruction{op: opZero, a: to, x: uint64(m.Size(t))})
		} else {
			c.emit(instruction{op: opCopy, a: to, b: c.constantImage(value), x: uint64(m.Size(t))})
		}
		return
	}
	r := c.leavesFor(i, t)
	all := c.slots(value)
	switch n := c.run(r); {
	case len(all) == 0 || c.err != nil:
	case n == 1:
		c.emit(instruction{op: opStore32, d: all[0], a: to})
	case n > 1:
		c.emit(instruction{op: opStore32Run, a: to, n: uint16(n), aux: c.list(all)})
	default:
		c.emit(instruction{op: opStore, a: to, n: uint16(len(all)), aux: c.list(all), x: uint64(r.first)})
	}
}

// constantImage puts a constant into memory and returns a slot that points to
// it.
func (c *compiler) constantImage(v ir.Value) slot {
	p := c.image
	at, ok := c.images[v]
	if !ok {
		bytes := 0
		r := c.reserve(root{space: ir.Constant, name: "a constant", span: c.span}, c.m.TypeOf(v), &bytes)
		r.offset = uint64(len(p.constantData))
		p.constantData = append(p.constantData, make([]byte, bytes)...)
		c.encode(p.constantData[r.offset:], v)
		at = uint64(len(p.roots)) << offsetBits
		p.roots = append(p.roots, r)
		c.images[v] = at
	}
	return c.bits(at)
}

func (c *compiler) copy(i ir.Inst) {
	to, from := c.one(c.f.Arg(i, 0)), c.one(c.f.Arg(i, 1))
	t := c.m.Element(c.f.TypeOf(c.f.Arg(i, 0)))
	c.check(i, from, t, checkRead)
	c.check(i, to, t, checkWrite)
	if c.keepsPadding(i, c.f.Arg(i, 0), t) {
		r := c.leavesFor(i, t)
		c.emit(instruction{op: opCopyParts, a: to, b: from, aux: r.first, x: uint64(r.count)})
		return
	}
	c.emit(instruction{op: opCopy, a: to, b: from, x: c.size(t)})
}

// keepsPadding reports whether a write of a whole aggregate must leave out the
// bytes between its members (WGSL §14.1): the host sees those of buffers.
func (c *compiler) keepsPadding(i ir.Inst, pointer ir.Value, t ir.Type) bool {
	if c.m.SpaceOf(c.f.TypeOf(pointer)) != ir.Storage {
		return false
	}
	r := c.leavesFor(i, t)
	bytes := uint64(0)
	for _, l := range c.image.leaves[r.first : r.first+r.count] {
		bytes += uint64(l.kind.Bytes())
	}
	return bytes < uint64(c.m.Size(t))
}

func (c *compiler) arrayLength(i ir.Inst) {
	pointer := c.f.Arg(i, 0)
	s := c.lengthOf(address{base: c.one(pointer)}, c.m.Stride(c.m.Element(c.f.TypeOf(pointer))))
	c.valueSlots[c.f.Result(i)] = []slot{s}
}

// atomicKind returns an atomic's scalar, and notes what the launch must check.
func (c *compiler) atomicKind(i ir.Inst) (pointer slot, k scalar.Kind) {
	v := c.f.Arg(i, 0)
	t := c.m.Element(c.f.TypeOf(v))
	pointer = c.one(v)
	c.check(i, pointer, t, checkAtomic)
	k = c.m.ScalarOf(t)
	c.image.anyAtomics = true
	switch k.Bytes() {
	case 2, 4:
	case 8:
		c.image.wideAtomics = true
	default:
		c.fail(i, "there are no atomics of "+k.String())
	}
	return pointer, k
}

func (c *compiler) atomicLoad(i ir.Inst) {
	pointer, k := c.atomicKind(i)
	c.emit(instruction{op: opAtomicLoad, d: c.define(i)[0], a: pointer, n: uint16(k.Bytes())})
}

func (c *compiler) atomicStore(i ir.Inst) {
	pointer, k := c.atomicKind(i)
	c.emit(instruction{op: opAtomicStore, a: pointer, b: c.one(c.f.Arg(i, 1)), n: uint16(k.Bytes())})
}

// atomicOperations gives the operation that an atomic_rmw applies; an exchange
// applies none.
var atomicOperations = [op.AtomicOperations]op.Op{
	op.AtomicAdd: op.Add, op.AtomicSub: op.Sub, op.AtomicMax: op.Max, op.AtomicMin: op.Min,
	op.AtomicAnd: op.And, op.AtomicOr: op.Or, op.AtomicXor: op.Xor,
}

func (c *compiler) atomicModify(i ir.Inst) {
	pointer, k := c.atomicKind(i)
	o := op.AtomicOperation(c.f.Aux(i))
	in := instruction{op: opAtomicModify, a: pointer, b: c.one(c.f.Arg(i, 1)), n: uint16(k.Bytes())}
	f := eval.Function(second)
	if o != op.AtomicExchange {
		if f = eval.For(atomicOperations[o], k); f == nil {
			c.fail(i, "there is no atomic "+o.String()+" of "+k.String())
			return
		}
	}
	if o == op.AtomicAdd && (k == scalar.I32 || k == scalar.U32) {
		in.op = opAtomicAdd32
	} else {
		in.aux = c.functionOf(f)
	}
	in.d = c.define(i)[0]
	c.emit(in)
}

func (c *compiler) atomicExchange(i ir.Inst) {
	pointer, k := c.atomicKind(i)
	if k.Bytes() < 4 {
		c.fail(i, "there is no compare-exchange of "+k.String())
	}
	in := instruction{op: opAtomicExchange, a: pointer, b: c.one(c.f.Arg(i, 1)), c: c.one(c.f.Arg(i, 2)), n: uint16(k.Bytes())}
	in.d = c.define(i)[0]
	c.emit(in)
}
