package mir

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lowers variables, addresses, loads, stores and atomics. An address of the second level
// (op.Address) is a register or a variable's address, plus an index, plus a constant. A memory
// operand has all three, so constants never cost an instruction.

// pointer is an address: base + index + offset, where base is a register or, if that is none, the
// address of a symbol.
type pointer struct {
	space       ir.Space
	symbol      uint32
	base, index Operand
	offset      int64
	known       bool
}

// base is a register that holds the address of a symbol.
type base struct {
	symbol   uint32
	register Operand
}

func (b *Builder) typeOf(v ir.Value) ir.Type {
	if v.IsLocal() {
		return b.F.TypeOf(v)
	}
	return b.M.TypeOf(v)
}

// SpaceOf returns the space that a pointer's instructions name. Functions that are
// called find the immediates in a copy.
func (b *Builder) SpaceOf(v ir.Value) ir.Space {
	s := b.M.SpaceOf(b.typeOf(v))
	switch {
	case s == ir.Immediate && !b.F.Kernel, s == ir.Function:
		return ir.Private
	}
	return s
}

// newSymbol makes a symbol of a variable.
func (b *Builder) newSymbol(v ir.Value) uint32 {
	t := b.M.Element(b.typeOf(v))
	s := Symbol{Space: b.M.SpaceOf(b.typeOf(v)), Variable: v, Bytes: b.M.Size(t), Align: b.M.VariableAlign(t)}
	if s.Space == ir.Immediate {
		s.Bytes = b.immediateBytes
	}
	b.Out.Symbols = append(b.Out.Symbols, s)
	return uint32(len(b.Out.Symbols) - 1)
}

// variable allocates a variable of the function.
func (b *Builder) variable(i ir.Inst) {
	v := b.F.Result(i)
	b.pointers[v] = pointer{space: ir.Private, symbol: b.newSymbol(v), known: true}
}

// pointer returns the address that a value of pointer type holds.
func (b *Builder) pointer(v ir.Value) pointer {
	if v.IsLocal() {
		return b.pointers[v]
	}
	p := &b.globals[v.Index()]
	if p.known {
		return *p
	}
	*p = pointer{space: b.SpaceOf(v), known: true}
	if n := b.bindingOf(v); n >= 0 && b.byValue[n] {
		p.space, p.symbol = ir.Immediate, b.newSymbol(v)
		b.Out.Symbols[p.symbol].Space = ir.Immediate
	} else if n >= 0 {
		b.EnterPrologue()
		p.base = b.EmitMachine(BindingAddress, scalar.None, b.class(*p), uint32(n))
		b.LeavePrologue()
	} else {
		p.symbol = b.newSymbol(v)
	}
	return *p
}

// address lowers base + bytes.
func (b *Builder) address(i ir.Inst) {
	p := b.pointer(b.F.Arg(i, 0))
	bytes := b.F.Arg(i, 1)
	constant := int64(int32(b.F.Aux(i)))
	if bytes.IsConst() {
		constant += scalar.ToInt64(b.M.ScalarOf(b.M.TypeOf(bytes)), b.M.ConstBits(bytes))
		b.pointers[b.F.Result(i)] = b.advance(p, constant)
		return
	}
	p = b.advance(p, constant)
	if b.traits.Indexed && p.index == NoOperand {
		p.index = b.Slot(bytes)
	} else {
		k := b.sumKind(p)
		more := b.Slot(bytes)
		// the offset in a buffer that is passed by value
		if k == scalar.U32 && b.Out.KindOf(more).Bytes() == 8 {
			more = b.Convert(scalar.U32, scalar.I64, more)
		}
		p.symbol, p.base = 0, b.sum(k, b.Base(p), more)
	}
	b.pointers[b.F.Result(i)] = p
}

// sum returns the sum of a base and an offset. Accesses to neighbouring addresses share it, since
// these differ by constants.
func (b *Builder) sum(k scalar.Kind, base, more Operand) Operand {
	if b.sumsIn != b.at {
		b.sums, b.sumsIn = b.sums[:0], b.at
	}
	for _, s := range b.sums {
		if s.base == base && s.more == more {
			return s.result
		}
	}
	result := b.Compute(op.Add, k, base, more)
	if len(b.sums) == maxSums {
		b.sums = append(b.sums[:0], b.sums[1:]...)
	}
	b.sums = append(b.sums, sum{base, more, result})
	return result
}

// sum is a sum that was computed in the current block.
type sum struct{ base, more, result Operand }

// maxSums is how many sums are remembered. Few addresses are in use at the same time.
const maxSums = 16

// sumKind is the kind in which addresses are added.
func (b *Builder) sumKind(p pointer) scalar.Kind {
	if b.class(p) == Long {
		return scalar.I64
	}
	return scalar.U32
}

// addresses are the widths of the addresses of each space, as lower.LowerAccess computes them.
// Addresses of 32 bits are offsets in a window, and wrap.
var addresses = [...]Class{
	ir.Private: Word, ir.Workgroup: Word, ir.Immediate: Word, ir.Uniform: Long, ir.Storage: Long, ir.Constant: Long,
}

// class returns the width of an address.
func (b *Builder) class(p pointer) Class { return addresses[p.space] }

// advance returns the address a constant number of bytes after another. A base takes
// what the constant of a memory operand cannot hold; words wrap.
func (b *Builder) advance(p pointer, bytes int64) pointer {
	sum := p.offset + bytes
	if b.class(p) == Word {
		sum = int64(int32(sum))
	}
	if p.offset = sum; sum >= b.traits.LowOffset && sum <= b.traits.HighOffset {
		return p
	}
	p.offset = 0
	k := b.sumKind(p)
	p.base = b.Compute(op.Add, k, b.Base(p), b.Int(k, sum))
	p.symbol = 0
	return p
}

// Base returns an address without its index and constant in a register.
func (b *Builder) Base(p pointer) Operand {
	if p.base != NoOperand {
		return p.base
	}
	for n := range b.bases {
		if b.bases[n].symbol == p.symbol {
			return b.bases[n].register
		}
	}
	b.EnterPrologue()
	r := b.EmitMachine(SymbolAddress, scalar.None, b.class(p), p.symbol)
	b.LeavePrologue()
	b.bases = append(b.bases, base{p.symbol, r})
	return r
}

// Register returns an address in a register.
func (b *Builder) Register(p pointer) Operand {
	r := b.Base(p)
	k := b.sumKind(p)
	if p.index != NoOperand {
		r = b.Compute(op.Add, k, r, p.index)
	}
	if p.offset != 0 {
		r = b.Compute(op.Add, k, r, b.Int(k, p.offset))
	}
	return r
}

// memory returns the memory operand of an address.
func (b *Builder) memory(p pointer, space ir.Space) Memory {
	if b.traits.WorkgroupBases && space == ir.Workgroup && p.base == NoOperand {
		p.symbol, p.base = 0, b.Base(p)
	}
	return Memory{Space: space, Symbol: p.symbol, Base: p.base, Index: p.index, Offset: p.offset}
}

// access emits a memory instruction.
func (b *Builder) access(o Op, m Memory, results []Operand, args ...Operand) Inst {
	i := b.Emit(o, m.Kind, results, args...)
	b.Out.memory = append(b.Out.memory, m)
	b.Out.insts[i].memory = uint32(len(b.Out.memory) - 1)
	return i
}

// AddressOf returns the address that a pointer holds in a register.
func (b *Builder) AddressOf(v ir.Value) Operand { return b.Register(b.pointer(v)) }

// EmitOn emits an operation of the machine on a variable of the invocation, which it reads and
// writes as a whole.
func (b *Builder) EmitOn(o Op, variable ir.Value, args ...Operand) Inst {
	return b.access(o, Memory{Space: ir.Private, Symbol: b.pointer(variable).symbol, Kind: scalar.U32}, nil, args...)
}

// bindingOf returns which binding a variable is, or -1.
func (b *Builder) bindingOf(v ir.Value) int {
	for n, other := range b.bindings {
		if other == v {
			return n
		}
	}
	return -1
}

// length returns the count of elements of a binding's array.
func (b *Builder) length(n int) Operand {
	if b.lengths[n] == NoOperand {
		b.EnterPrologue()
		b.lengths[n] = b.EmitMachine(BindingLength, scalar.None, Word, uint32(n))
		b.LeavePrologue()
	}
	return b.lengths[n]
}

// leaf is a scalar in memory.
type leaf struct {
	offset uint32
	kind   scalar.Kind
}

// appendLeaves lists the scalars of a type in the order of its slots.
func (b *Builder) appendLeaves(t ir.Type, offset uint32) {
	if b.M.IsScalar(t) {
		b.leaves = append(b.leaves, leaf{offset, b.M.ScalarOf(t)})
		return
	}
	n, _ := b.M.Count(t)
	for i := range n {
		b.appendLeaves(b.M.PartType(t, i), offset+b.M.PartOffset(t, i))
	}
}

// maxLanes is how many elements any machine moves at once: the bytes of 16.
const maxLanes = 16

// together returns how many of the leaves from the n-th on one instruction can move. They are
// neighbours of one width, as many as the machine takes, of 16 bytes at most, and aligned to their
// size.
func (b *Builder) mergeable(n int, align uint32) int {
	first := b.leaves[n]
	width := uint32(first.kind.Bytes())
	for count := min(b.traits.Lanes, maxLanes); count > 1; count /= 2 {
		bytes := uint32(count) * width
		if n+count > len(b.leaves) || bytes > 16 || first.offset%bytes != 0 || align < bytes {
			continue
		}
		fits := true
		for k, l := range b.leaves[n : n+count] {
			fits = fits && uint32(l.kind.Bytes()) == width && l.offset == first.offset+uint32(k)*width
		}
		if fits {
			return count
		}
	}
	return 1
}

// alignment returns the known alignment of a load's or store's address.
func (b *Builder) alignment(i ir.Inst, t ir.Type) uint32 {
	if aux := b.F.Aux(i); aux != 0 {
		return aux
	}
	return b.M.Align(t)
}

// stored is the kind in which memory holds a kind: a bool takes a word.
func stored(k scalar.Kind) scalar.Kind {
	if k == scalar.Bool {
		return scalar.U32
	}
	return k
}

// aligned is the largest power of two that divides the alignment and an offset.
func aligned(align, offset uint32) uint32 {
	if offset != 0 {
		align = min(align, offset&-offset)
	}
	return align
}

// load lowers the load of a value to loads of its scalars, several at once where they are
// neighbours.
func (b *Builder) load(i ir.Inst) {
	v := b.F.Arg(i, 0)
	p := b.pointer(v)
	t := b.F.Type(i)
	space := p.space
	// no binding of a launch overlaps another that is written
	unchanged := space == ir.Constant || b.M.AccessOf(b.F.TypeOf(v)) == ir.Read
	b.leaves = b.leaves[:0]
	b.appendLeaves(t, 0)
	results := b.Define(b.F.Result(i))
	align := b.alignment(i, t)
	for n := 0; n < len(b.leaves); {
		count := b.mergeable(n, align)
		first := b.leaves[n]
		var in [maxLanes]Operand
		for k := range count {
			if in[k] = results[n+k]; in[k].Class() == Predicate {
				in[k] = b.Fresh(Word)
			}
		}
		m := b.memory(b.advance(p, int64(first.offset)), space)
		m.Kind, m.Align, m.Unchanged = stored(first.kind), aligned(align, first.offset), unchanged
		b.access(Op(op.Load), m, in[:count])
		for k := range count {
			if r := results[n+k]; r.Class() == Predicate {
				b.Emit(Op(op.Ne), scalar.U32, []Operand{r}, in[k], b.U32(0))
			}
		}
		n += count
	}
}

// store lowers the store of v behind a pointer of known alignment to stores of its scalars.
func (b *Builder) store(to, v ir.Value, align uint32) { b.storeParts(to, v, align, false) }

// storeParts is store; memory that is zero already, where v is a constant, is not stored zeros to.
func (b *Builder) storeParts(to, v ir.Value, align uint32, isZero bool) {
	p := b.pointer(to)
	space := b.SpaceOf(to)
	b.leaves = b.leaves[:0]
	var slots []Operand
	if isZero {
		start := len(b.slots)
		b.appendNonzero(v, 0)
		slots = b.slots[start:]
	} else {
		b.appendLeaves(b.typeOf(v), 0)
		slots = b.Slots(v)
	}
	for n := 0; n < len(b.leaves); {
		count := b.mergeable(n, align)
		first := b.leaves[n]
		var out [maxLanes]Operand
		zeros := true
		for k := range count {
			out[k] = b.storable(slots[n+k])
			zeros = zeros && b.isZero(out[k])
		}
		n += count
		if zeros && isZero {
			continue
		}
		m := b.memory(b.advance(p, int64(first.offset)), space)
		m.Kind, m.Align = stored(first.kind), aligned(align, first.offset)
		b.access(Op(op.Store), m, nil, out[:count]...)
	}
}

// appendNonzero appends the leaves and slots of a constant, but for those of large parts that are
// zero.
func (b *Builder) appendNonzero(v ir.Value, offset uint32) {
	const large = 16 // bytes, more than one instruction stores
	t := b.M.TypeOf(v)
	isZero := b.M.IsZero(v)
	switch {
	case isZero && b.M.Size(t) > large:
		return
	case isZero || b.M.IsScalar(t):
		b.appendLeaves(t, offset)
		b.appendConstant(v)
		return
	}
	n, _ := b.M.Count(t)
	for i := range n {
		b.appendNonzero(b.M.ConstPart(v, i), offset+b.M.PartOffset(t, i))
	}
}

// storable returns a slot as memory holds it.
func (b *Builder) storable(s Operand) Operand {
	if b.Out.KindOf(s) != scalar.Bool {
		return s
	}
	if s.IsConst() {
		return b.U32(uint32(b.Out.Bits(s)))
	}
	return b.Convert(scalar.U32, scalar.Bool, s)
}

// atomic lowers an atomic, whose result need not be used.
func (b *Builder) atomic(i ir.Inst) {
	f := b.F
	v := f.Arg(i, 0)
	var results []Operand
	var kind scalar.Kind
	if r := f.Result(i); r != 0 {
		if kind = b.M.ScalarOf(f.TypeOf(r)); b.uses[r] > 0 {
			results = b.Define(r)
		}
	} else {
		kind = b.M.ScalarOf(f.TypeOf(f.Arg(i, 1)))
	}
	b.scratch = b.scratch[:0]
	for _, a := range f.Args(i)[1:] {
		b.scratch = append(b.scratch, b.Slot(a))
	}
	m := b.memory(b.pointer(v), b.SpaceOf(v))
	m.Kind, m.Align, m.Order = kind, uint32(kind.Bytes()), Relaxed
	at := b.access(Op(f.Op(i)), m, results, b.scratch...)
	b.Out.insts[at].aux = f.Aux(i)
}
