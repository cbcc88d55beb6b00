package vector

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file compiles what has many operands: accesses, operations of subgroups, and those on
// textures.

// The roots after those of the bindings.
const (
	workgroupRoot = iota
	privateRoot
	immediateRoot
	constantRoot
	moreRoots
)

// access compiles an access to memory.
func (c *compiler) access(i mir.Inst) {
	f := c.f
	m, parts := f.Memory(i), &c.addresses[c.addressOf[i]]
	a := access{op: op.Op(f.Op(i)), kind: m.Kind, bytes: uint8(m.Kind.Bytes()), index: parts.index, scale: parts.scale, offset: parts.offset}
	bindings := uint32(len(c.p.Bindings))
	switch m.Space {
	case ir.Workgroup:
		a.root, a.narrow = bindings+workgroupRoot, true
	case ir.Private, ir.Function:
		a.root, a.narrow, a.own = bindings+privateRoot, true, true
	case ir.Immediate:
		a.root, a.narrow = bindings+immediateRoot, true
	case ir.Constant:
		a.root = bindings + constantRoot
	default:
		a.root = uint32(parts.root)
	}
	for n, o := range parts.single[:parts.count] {
		a.term[n] = c.operandOf(o).at
	}
	a.terms = uint8(parts.count)
	if parts.column != mir.NoOperand {
		a.column = c.operandOf(parts.column).at
	}
	if parts.bound != mir.NoOperand {
		a.bound = c.operandOf(parts.bound).at + 1
	}
	if parts.second != mir.NoOperand {
		kind := scalar.U32
		if parts.index == longIndex {
			kind = scalar.U64
		}
		to := c.temp(parts.column.Class(), 0)
		c.emit(inst{op: opPrimitive, primitive: rowOf(op.Add, kind, 0).first, d: to, a: a.column, b: c.operandOf(parts.second).at})
		a.column = to
	}
	if a.op == op.Store { // of several elements, if the machine level clears memory
		for _, o := range f.Args(i) {
			a.data[0] = c.operandOf(o)
			if o.IsConst() && a.bytes == 4 && a.index != noIndex {
				a.data[0] = operand{at: c.column(o, 0), step: 4, class: a.data[0].class}
			}
			c.accessOf(opStore, a)
			a.offset += int64(a.bytes)
		}
		return
	}
	for n, o := range f.Args(i) {
		a.data[n] = c.operandOf(o)
	}
	code := opAtomic
	switch a.op {
	case op.Load:
		code = opLoad
	case op.AtomicReadModifyWrite:
		a.atomic = op.AtomicOperation(f.Aux(i))
	}
	if len(f.Results(i)) == 0 {
		c.accessOf(code, a)
		return
	}
	r := f.Result(i)
	home := c.homes[f.Index(r)]
	switch {
	case code == opLoad && home.step == 0 || a.op == op.AtomicLoad && home.step == 0:
		a.result = home
	case code == opLoad && a.index == noIndex && !a.own: // one value, which lanes take with them
		a.result = operand{at: c.reserveOne(), class: home.class}
	case code == opLoad:
		a.result = c.begin(r)
	default: // which write the lanes that run alone
		a.result = home
	}
	c.accessOf(code, a)
	if code == opLoad {
		c.finish(r, a.result)
	}
}

func (c *compiler) accessOf(code opcode, a access) {
	c.out.accesses = append(c.out.accesses, a)
	c.emit(inst{op: code, x: uint32(len(c.out.accesses) - 1)})
}

// subgroup compiles an operation of subgroups.
func (c *compiler) subgroup(i mir.Inst) {
	f := c.f
	results, args := f.Results(i), f.Args(i)
	g := groupOperation{op: op.Op(f.Op(i)), kind: f.Kind(i), components: uint8(len(results)), list: uint32(len(c.out.lists))}
	g.second = len(args) > len(results) && g.op != op.SubgroupBallot
	c.operands(results, args)
	c.out.groups = append(c.out.groups, g)
	c.emit(inst{op: opGroup, x: uint32(len(c.out.groups) - 1)})
}

// texture compiles an operation on a texture.
func (c *compiler) texture(i mir.Inst) {
	f := c.f
	t := textureOperation{call: c.p.TextureCall(i), list: uint32(len(c.out.lists)), results: uint8(len(f.Results(i))), operands: uint8(len(f.Args(i)))}
	t.one = c.operands(f.Results(i), f.Args(i))
	c.out.textures = append(c.out.textures, t)
	c.emit(inst{op: opTexture, x: uint32(len(c.out.textures) - 1)})
}
