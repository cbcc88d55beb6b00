package ptx

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file emits variables, addresses, loads and stores. An address of the
// second level (op.Address) is a register or a variable's symbol plus a constant,
// which is what a PTX memory operand spells, so constants of 32 bits never cost an
// instruction.

// pointer is an address: base + offset, where base is a register or, if that is
// noOperand, the symbol of root.
type pointer struct {
	root   ir.Value // the variable: a global, or the result of a var
	base   operand
	offset int32
	known  bool
}

// spaces says, for each address space, how memory instructions name it and how
// wide its addresses are. The 32-bit ones are offsets in their window.
var spaces = [...]struct {
	name  string
	class class
}{
	ir.Function:  {".local", word},
	ir.Private:   {".local", word},
	ir.Workgroup: {".shared", word},
	ir.Uniform:   {".global", long},
	ir.Storage:   {".global", long},
	ir.Constant:  {"", long}, // emitter.tableSpace
	ir.Immediate: {".param", word},
}

// variable gives a variable of the invocation a place in local memory.
func (e *emitter) variable(i ir.Inst) {
	e.pointers[e.f.Result(i)] = pointer{root: e.f.Result(i), known: true}
	e.locals = append(e.locals, e.f.Result(i))
}

// address emits base + bytes.
func (e *emitter) address(i ir.Inst) {
	p := e.pointer(e.f.Arg(i, 0))
	bytes := e.f.Arg(i, 1)
	constant := int64(int32(e.f.Aux(i)))
	if bytes.IsConst() {
		constant += scalar.ToInt64(e.m.ScalarOf(e.m.TypeOf(bytes)), e.m.ConstBits(bytes))
		e.pointers[e.f.Result(i)] = e.advance(p, constant)
		return
	}
	p = e.advance(p, constant)
	base := e.base(p)
	sum := e.fresh(base.class())
	k := scalar.U32
	if sum.class() == long {
		k = scalar.I64
	}
	e.compute(op.Add, k, []operand{sum}, []operand{base, e.slot(bytes)})
	p.base = sum
	e.pointers[e.f.Result(i)] = p
}

// advance returns the address a constant number of bytes behind another. The offset
// in a memory operand is a signed number of 32 bits (PTX ISA, "Addresses as
// Operands"), and so are sums of 32-bit addresses; a 64-bit base takes what is beyond.
func (e *emitter) advance(p pointer, bytes int64) pointer {
	sum := int64(p.offset) + bytes
	if p.offset = int32(sum); int64(p.offset) == sum {
		return p
	}
	if e.baseClass(p) == long {
		near := e.base(p)
		p.base, p.offset = e.fresh(long), 0
		e.compute(op.Add, scalar.I64, []operand{p.base}, []operand{near, constantOperand(e.m.ConstInt(ir.I64, sum))})
	}
	return p
}

// baseClass returns the width of an address.
func (e *emitter) baseClass(p pointer) class {
	if p.base != noOperand {
		return p.base.class()
	}
	return spaces[e.spaceOf(p.root)].class
}

// pointer returns the address that a value of pointer type holds.
func (e *emitter) pointer(v ir.Value) pointer {
	if v.IsLocal() {
		return e.pointers[v]
	}
	p := &e.globals[v.Index()]
	if p.known {
		return *p
	}
	*p = pointer{root: v, known: true}
	if e.spaceOf(v) == ir.Workgroup {
		p.root, p.offset = e.sharedRoot, e.sharedOffset(v)
		if e.sharedRoot == 0 {
			p.root = v
		}
	}
	if n := e.bindingOf(v); n >= 0 {
		e.swap()
		p.base = e.fresh(long)
		e.parameter(p.base, abi.AddressParameter, n)
		e.expand("cvta.to.global.u64 $d, $d", arguments{scalar.U64, []operand{p.base}, nil})
		e.swap()
	}
	return *p
}

// base returns an address's base in a register.
func (e *emitter) base(p pointer) operand {
	if p.base != noOperand {
		return p.base
	}
	for n := range e.bases {
		if e.bases[n].root == p.root {
			return e.bases[n].base
		}
	}
	e.swap()
	r := e.fresh(e.baseClass(p))
	e.text("\tmov.", kinds[classKind[r.class()]].bits, " ")
	e.name(r)
	e.text(", ")
	e.symbol(p.root)
	e.text(";\n")
	e.swap()
	e.bases = append(e.bases, pointer{root: p.root, base: r})
	return r
}

// swap exchanges the function's entry and its body as the place to emit to.
func (e *emitter) swap() { e.body, e.prologue = e.prologue, e.body }

// typeOf returns a value's type; of a global it can be asked outside of
// functions.
func (e *emitter) typeOf(v ir.Value) ir.Type {
	if v.IsLocal() {
		return e.f.TypeOf(v)
	}
	return e.m.TypeOf(v)
}

func (e *emitter) spaceOf(v ir.Value) ir.Space { return e.m.SpaceOf(e.typeOf(v)) }

// immediateCopy returns the place of a copy of the immediates in local memory: a
// kernel's parameters have no address that its functions could use.
func (e *emitter) immediateCopy(v ir.Value) operand {
	if !e.f.Kernel {
		return e.base(e.pointer(v))
	}
	if e.copied == noOperand {
		e.swap()
		e.copied = e.fresh(word)
		e.text("\tmov.b32 ")
		e.name(e.copied)
		e.text(", " + immediateCopyName + ";\n")
		for offset := int64(0); offset < int64(e.Info.ImmediateBytes()); offset += 4 {
			r := e.fresh(word)
			e.text("\tld.param.b32 ")
			e.name(r)
			e.text(", [")
			e.symbol(v)
			e.text("+")
			e.number(offset)
			e.text("];\n\tst.local.b32 [" + immediateCopyName + "+")
			e.number(offset)
			e.text("], ")
			e.name(r)
			e.text(";\n")
		}
		e.swap()
	}
	return e.copied
}

const immediateCopyName = "immediate_copy"

// bindingOf returns which binding a variable is, or -1.
func (e *emitter) bindingOf(v ir.Value) int {
	for n, b := range e.Bindings {
		if b == v {
			return n
		}
	}
	return -1
}

// place prints a memory operand.
func (e *emitter) place(p pointer) {
	e.text("[")
	if p.base != noOperand {
		e.name(p.base)
	} else {
		e.symbol(p.root)
	}
	if p.offset != 0 {
		e.text("+")
		e.number(int64(p.offset))
	}
	e.text("]")
}

// leaf is a scalar in memory.
type leaf struct {
	offset uint32
	kind   scalar.Kind
}

// appendLeaves lists the scalars of a type in the order of its slots.
func (e *emitter) appendLeaves(t ir.Type, offset uint32) {
	if e.m.IsScalar(t) {
		e.leaves = append(e.leaves, leaf{offset, e.m.ScalarOf(t)})
		return
	}
	n, _ := e.m.Count(t)
	for i := range n {
		e.appendLeaves(e.m.PartType(t, i), offset+e.m.PartOffset(t, i))
	}
}

// together returns how many of the leaves from the n-th on one instruction can
// move: 4, 2 or 1 neighbours of a width, aligned as a whole, of 16 bytes at
// most.
func (e *emitter) together(n int, align uint32) int {
	first := e.leaves[n]
	width := uint32(first.kind.Bytes())
	for _, count := range [...]int{4, 2} {
		bytes := uint32(count) * width
		if n+count > len(e.leaves) || bytes > 16 || first.offset%bytes != 0 || align < bytes {
			continue
		}
		fits := true
		for k, l := range e.leaves[n : n+count] {
			fits = fits && uint32(l.kind.Bytes()) == width && l.offset == first.offset+uint32(k)*width
		}
		if fits {
			return count
		}
	}
	return 1
}

// alignment returns the known alignment of a load's or store's address.
func (e *emitter) alignment(i ir.Inst, t ir.Type) uint32 {
	if aux := e.f.Aux(i); aux != 0 {
		return aux
	}
	return e.m.Align(t)
}

// load emits the loads of a value's scalars.
func (e *emitter) load(i ir.Inst) {
	v := e.f.Arg(i, 0)
	p := e.pointer(v)
	t := e.f.Type(i)
	space := e.spaceName(v)
	if space == ".global" && (e.m.AccessOf(e.f.TypeOf(v)) == ir.Read) {
		// no binding of a launch overlaps another that is written
		space = ".global.nc"
	}
	e.leaves = e.leaves[:0]
	e.appendLeaves(t, 0)
	results := e.define(e.f.Result(i))
	align := e.alignment(i, t)
	for n := 0; n < len(e.leaves); {
		count := e.together(n, align)
		var in [4]operand
		for k := range count {
			if in[k] = results[n+k]; in[k].class() == predicate {
				in[k] = e.fresh(word)
			}
		}
		at := e.advance(p, int64(e.leaves[n].offset))
		e.text("\tld", space)
		e.vector(count, in[0])
		e.operands(in[:count])
		e.text(", ")
		e.place(at)
		e.text(";\n")
		for k := range count {
			if r := results[n+k]; r.class() == predicate {
				e.expand("setp.ne.u32 $d, $a, 0", arguments{scalar.U32, []operand{r}, []operand{in[k]}})
			}
		}
		n += count
	}
}

// store emits the stores of a value's scalars.
func (e *emitter) store(i ir.Inst) {
	v := e.f.Arg(i, 1)
	e.storeSlots(e.f.Arg(i, 0), v, e.alignment(i, e.f.TypeOf(v)))
}

// storeSlots emits the stores of v behind a pointer of known alignment.
func (e *emitter) storeSlots(to, v ir.Value, align uint32) {
	p := e.pointer(to)
	space := e.spaceName(to)
	e.leaves = e.leaves[:0]
	e.appendLeaves(e.f.TypeOf(v), 0)
	slots := e.slotsOf(v)
	for n := 0; n < len(e.leaves); {
		count := e.together(n, align)
		var out [4]operand
		for k := range count {
			out[k] = e.storable(slots[n+k])
		}
		at := e.advance(p, int64(e.leaves[n].offset))
		e.text("\tst", space)
		e.vector(count, out[0])
		e.place(at)
		e.text(", ")
		e.operands(out[:count])
		e.text(";\n")
		n += count
	}
}

// storable returns a slot as memory holds it: a bool takes a word.
func (e *emitter) storable(s operand) operand {
	if e.kindOf(s) != scalar.Bool {
		return s
	}
	if s.isConst() {
		return constantOperand(e.m.ConstU32(uint32(e.m.ConstBits(e.constantValue(s)))))
	}
	r := e.fresh(word)
	e.expand(conversions[scalar.U32][scalar.Bool], arguments{scalar.Bool, []operand{r}, []operand{s}})
	return r
}

// vector prints the shape and width of a memory instruction on like operands.
func (e *emitter) vector(count int, o operand) {
	switch count {
	case 2:
		e.text(".v2")
	case 4:
		e.text(".v4")
	}
	e.text(".", kinds[e.kindOf(o)].bits, " ")
}

func (e *emitter) operands(list []operand) {
	if len(list) == 1 {
		e.bits(list[0])
		return
	}
	e.tuple(list)
}

// spaceName returns the state space that a pointer's instructions name.
func (e *emitter) spaceName(v ir.Value) string {
	s := e.spaceOf(v)
	switch {
	case s == ir.Constant:
		return e.tableSpace
	case s == ir.Immediate && !e.f.Kernel:
		return ".local" // the kernel's copy
	}
	return spaces[s].name
}

// arrayLength names the element count of a binding's array.
func (e *emitter) arrayLength(i ir.Inst) {
	e.alias(e.f.Result(i), e.length(e.bindingOf(variableOf(e.f, e.f.Arg(i, 0)))))
}

// length returns a binding's element count, which the runtime passes.
func (e *emitter) length(n int) operand {
	if e.lengths[n] == noOperand {
		e.swap()
		e.lengths[n] = e.fresh(word)
		e.parameter(e.lengths[n], abi.LengthParameter, n)
		e.swap()
	}
	return e.lengths[n]
}
